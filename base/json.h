/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing JSON to a stream: commas, nesting, escapes and exact numbers in one place. */
#ifndef SPOT_BASE_JSON_H
#define SPOT_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define SPOT_JSON_MAX_DEPTH 16

typedef struct {
    FILE *out;
    int indent; /* blanks a level; 0 = all on one line */
    int depth;
    bool has_items[SPOT_JSON_MAX_DEPTH];
} spot_json_t;

void spot_json_init(spot_json_t *self, FILE *out, int indent);

/* key is NULL inside arrays and for the outermost value. */
void spot_json_open(spot_json_t *self, const char *key, char bracket); /* '{' or '[' */
void spot_json_close(spot_json_t *self, char bracket);                 /* '}' or ']' */
void spot_json_integer(spot_json_t *self, const char *key, int64_t value);
void spot_json_unsigned(spot_json_t *self, const char *key, uint64_t value);
/* Shortest text that reads back; not finite is null. */
void spot_json_number(spot_json_t *self, const char *key, double value);
void spot_json_boolean(spot_json_t *self, const char *key, bool value);
/* Control bytes are escaped, invalid UTF-8 becomes U+FFFD; NULL is null. */
void spot_json_text(spot_json_t *self, const char *key, const char *value);

#endif
