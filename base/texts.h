/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts that are made while something is described, and freed together. A caller can
 * use a text as an argument at once, without a buffer of its own:
 *
 *     printf("%s\n", spot_texts_add(&texts, "%zu points", num_points));
 *
 * Without memory a text is "", and error stays NO_MEMORY: check it once, at the end. */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include "base/memory.h"

/* Zero it to start. */
typedef struct {
    spot_arena_t arena;
    struct spot_texts_stream *open; /* the last one first */
    int error;                      /* 0, NO_MEMORY */
} spot_texts_t;

void spot_texts_free(spot_texts_t *self);

/* A formatted text. */
const char *spot_texts_add(spot_texts_t *self, const char *format, ...) SPOT_PRINTF(2, 3);
const char *spot_texts_vadd(spot_texts_t *self, const char *format, va_list values)
    SPOT_PRINTF(2, 0);

/* A list with one more item, and between in the middle where neither is "". */
const char *spot_texts_join(
    spot_texts_t *self, const char *list, const char *between, const char *item);

/* Zeroed room for a text of num_bytes bytes, the NUL among them. NULL: no memory. */
char *spot_texts_room(spot_texts_t *self, size_t num_bytes);

/* A stream for a text that is written piece by piece. NULL: no memory; the end takes
 * NULL too. Texts may be added, and streams begun and ended, while another one is
 * open. */
FILE *spot_texts_begin(spot_texts_t *self);
const char *spot_texts_end(spot_texts_t *self, FILE *stream);
