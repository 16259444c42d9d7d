/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text from outside on a terminal. */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* A text of any length as spot_utf8_shown() shows it, but whole. */
void spot_text_write(FILE *out, const char *text);

/* The same, up to max_chars characters, the last one then an ellipsis. */
void spot_text_write_cut(FILE *out, const char *text, size_t max_chars);
