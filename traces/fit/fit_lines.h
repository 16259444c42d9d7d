/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A list of sentences for people. */
#pragma once

#include <stddef.h>

#include "base/error.h"

#define SPOT_FIT_MAX_LINES 16
#define SPOT_FIT_LINE_BYTES 2048

typedef struct {
    size_t num_lines;
    char lines[SPOT_FIT_MAX_LINES][SPOT_FIT_LINE_BYTES]; /* sentences, no line end */
} spot_fit_words_t;

/* Appends a sentence; drops it if the list is full. */
void spot_fit_say(spot_fit_words_t *self, const char *format, ...) SPOT_PRINTF(2, 3);

/* Writes a number with its noun into text: "1 preemption", "3 preemptions". Returns
 * text. */
const char *spot_fit_count(char text[64], size_t number, const char *noun);
