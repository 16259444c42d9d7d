/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes JSON to a stream, with commas, nesting, escapes and exact numbers. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define SPOT_JSON_MAX_DEPTH 16

/* An item, for who listens in place of a stream. */
typedef struct {
    char kind; /* a bracket, '"' a text, '0' an integer, 'w' a wide one, '.' another number or null,
                  '?' true or false */
    const char *key;  /* or NULL */
    const char *text; /* of texts, else NULL */
    double number;    /* NAN: null; of '?' 0 or 1 */
    int64_t integer;  /* of '0', up to INT64_MAX */
} spot_json_item_t;
typedef void spot_json_listener_t(void *context, const spot_json_item_t *item);

typedef struct {
    FILE *out;
    spot_json_listener_t *listener; /* NULL: out is written */
    void *context;
    int indent; /* blanks per level; 0: all on one line */
    int depth;
    bool is_printed; /* out is standard output: cut behind a line once spot_stop is set */
    bool is_cut;
    bool has_items[SPOT_JSON_MAX_DEPTH];
} spot_json_t;

/* Writes a text in quotes: control bytes are escaped, invalid UTF-8 becomes U+FFFD. With
 * escapes_hidden every invisible character is escaped, so that YAML reads it too. */
void spot_json_quote(FILE *out, const char *text, bool escapes_hidden);

/* With an indent, what goes to standard output ends behind a whole line as soon as spot_stop is
 * set, as it does on other outputs that are interrupted. */
void spot_json_init(spot_json_t *self, FILE *out, int indent);
void spot_json_init_listener(spot_json_t *self, spot_json_listener_t *listener, void *context);

/* key is NULL inside arrays and for the outermost value. */
void spot_json_open(spot_json_t *self, const char *key, char bracket); /* '{' or '[' */
void spot_json_close(spot_json_t *self, char bracket);                 /* '}' or ']' */
void spot_json_integer(spot_json_t *self, const char *key, int64_t value);
/* The same with 128 bits, for sums. */
__extension__ typedef __int128 spot_wide_t;
void spot_json_wide(spot_json_t *self, const char *key, spot_wide_t value);
void spot_json_unsigned(spot_json_t *self, const char *key, uint64_t value);
/* Writes the shortest text that reads back the same; null if the value is not finite. */
void spot_json_number(spot_json_t *self, const char *key, double value);
void spot_json_boolean(spot_json_t *self, const char *key, bool value);
/* Writes a text: control bytes are escaped, invalid UTF-8 becomes U+FFFD, NULL is
 * null. */
void spot_json_text(spot_json_t *self, const char *key, const char *value);
