/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What text is written for: a terminal, or a file that is read like one. Who prints says
 * it; nothing here looks at the environment. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

/* Of num_bytes bytes of text. */
int spot_wrap_width(const char *text, size_t num_bytes);

/* The bytes of text that go on a line of this width: up to a blank or the end. A word
 * that is wider stays whole. *next: the bytes up to the next line. */
size_t spot_wrap_line(const char *text, int width, size_t *next);

/* Writes text, whose lines are broken where they are wider than width and go on below
 * their own first letter, or hanging blanks right of it; SPOT_WRAP_BELOW: below what
 * follows the first gap of several blanks, as in "lifetimes    12: 7 preempted", where
 * that is in the left half of the line. */
#define SPOT_WRAP_BELOW (-1)
void spot_wrap_write(FILE *out, const char *text, int width, int hanging);

/* ---- Ascii signs ---- */

/* Signs of ours in ASCII, for terminals without UTF-8. */

/* "0.31 ±0.02" becomes "0.31+-0.02", and "a long na…   1" "a long na... 1": in place,
 * as wide as before where blanks follow, so that columns stay in line. Any other "±"
 * becomes "+-", "…" "..." and "·" "-", whoever wrote it: nothing but blanks is taken
 * away. What else is not ASCII is from outside, and stays. O(bytes). */
void spot_ascii_signs(char *text);

/* ---- Text cell ---- */

/* Text from outside on a terminal. */

/* A text of any length as spot_utf8_shown() shows it, but whole. */
void spot_text_write(FILE *out, const char *text);

/* The same, up to max_chars characters, the last one then an ellipsis. */
void spot_text_write_cut(FILE *out, const char *text, size_t max_chars);

#define SPOT_TERMINAL_WIDTH 80     /* columns if the terminal does not say */
#define SPOT_TERMINAL_MIN_WIDTH 20 /* narrower ones are taken as this wide */

typedef struct {
    int width;       /* columns */
    bool has_colour; /* escape codes may be written */
    bool is_utf8;    /* else what needs more than ASCII has another form */
} spot_terminal_t;

/* Colour is never the only carrier of a meaning. */
typedef enum {
    SPOT_STYLE_PLAIN,
    SPOT_STYLE_BOLD, /* headings, differences that are not chance */
    SPOT_STYLE_DIM   /* what is less than the means: intervals */
} spot_style_t;

/* What turns a style on, and off again: "" without colour or for plain text. */
static inline const char *spot_style_on(const spot_terminal_t *terminal, spot_style_t style)
{
    static const char *const codes[] = {"", "\033[1m", "\033[2m"};

    return terminal->has_colour ? codes[style] : "";
}

static inline const char *spot_style_off(const spot_terminal_t *terminal, spot_style_t style)
{
    return terminal->has_colour && style != SPOT_STYLE_PLAIN ? "\033[0m" : "";
}

/* What print writes of context, to out: lines that are wider than the terminal are
 * broken at blanks, and where it has no UTF-8, signs of ours are in ASCII. Errors of
 * print, NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_terminal_write(const spot_terminal_t *terminal,
    int (*print)(const void *context, const spot_terminal_t *terminal, FILE *out),
    const void *context, FILE *out);
