/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What text is written for: a terminal, or a file that is read like one. The printing verb says
 * which; nothing here looks at the environment.
 *
 * Text on lines of a terminal is broken at blanks (spot_wrap_write()); text from outside shows its
 * control characters (spot_text_write()); spot_terminal_write() puts all together. Widths are in
 * characters; escape codes take no room. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

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

/* ---- Lines: text broken at blanks ---- */

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

/* ---- Text from outside ---- */

/* A text of any length as spot_utf8_shown() shows it, but whole. */
void spot_text_write(FILE *out, const char *text);

/* The same, up to max_chars characters, the last one then an ellipsis. */
void spot_text_write_cut(FILE *out, const char *text, size_t max_chars);
