/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON, written and read (RFC 8259).
 *
 * It is written to a stream, with commas, nesting, escapes and exact numbers. It is read token by
 * token, or as a tree where values are small. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/error.h"
#include "base/inputs.h"
#include "base/memory.h"

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

/* ---- Reading ----
 * Of logs, traces, the heads of stores, rows of the loader.
 *
 * A reader hands out one token at a time, so that a document may have any length; its memory is
 * that of the longest text. A source may have any number of values, with blanks, line ends or
 * nothing between them: one document, JSON lines, or what a watching command prints. Each token has
 * its place. Numbers stay text, exact to the last digit: base/number.h or spot_integer_parse()
 * reads them. A bare word that is none of JSON, as the NaN of Python, is a word too: who expects a
 * number refuses it. What is no JSON is reported at its place. Values that are small are had as
 * trees.
 *
 * Use: open a reader of a stream or of bytes; spot_json_reader_next() until its kind is
 * SPOT_JSON_END; close it. For a tree spot_json_tree() at the first token of a value, or
 * spot_json_parse() for a text. */

/* The most brackets that may be open. */
#define SPOT_JSON_MAX_NESTED 64

typedef enum {
    SPOT_JSON_END,
    SPOT_JSON_OPEN_OBJECT,
    SPOT_JSON_CLOSE_OBJECT,
    SPOT_JSON_OPEN_ARRAY,
    SPOT_JSON_CLOSE_ARRAY,
    SPOT_JSON_TEXT, /* in double quotes; in an object keys and values take turns */
    SPOT_JSON_WORD  /* a number, true, false, null, or another word */
} spot_json_kind_t;

/* What comes next. */
typedef enum {
    SPOT_JSON_AT_VALUE, /* of the source, or behind a colon or comma */
    SPOT_JSON_AT_FIRST, /* behind an opening bracket */
    SPOT_JSON_AT_COLON,
    SPOT_JSON_AT_COMMA
} spot_json_state_t;

typedef struct {
    const char *file;
    spot_diag_t *diag;
    size_t outer_line, outer_column; /* of the value that all are within; 0: of none */
    size_t max_depth;
    size_t depth;
    spot_json_state_t state;
    int error;             /* the first one, which stays */
    spot_json_kind_t kind; /* of the current token, like the members below */
    const char *text;      /* [num_bytes + 1] text or word, ends with a NUL; a bracket */
    size_t num_bytes;
    size_t line;
    size_t column; /* in characters */
    struct {       /* the source, what is being read of it */
        spot_instream_t stream;
        char *bytes; /* [num_bytes], and a NUL */
        size_t num_bytes, max_bytes;
        size_t at;          /* the next byte */
        size_t token;       /* bytes before it are not needed any more */
        int64_t num_before; /* bytes of the source before bytes */
        int64_t line_start; /* byte of the source, plus those that continue a character */
        size_t line;
        bool is_ended;
        bool is_held; /* a NUL, behind a word, is in place of this byte, which is next: */
        char held;
    } source;
    uint64_t is_object; /* a bit for each open bracket, the innermost one last */
} spot_json_reader_t;

/* Opens a file, or bytes of memory, which must outlive self: file is their name in messages, line
 * the line that they begin in. max_depth is at most SPOT_JSON_MAX_NESTED. IO, NO_MEMORY; close self
 * even then. */
SPOT_MUST_CHECK int spot_json_reader_open(
    spot_json_reader_t *self, const char *path, size_t max_depth, spot_diag_t *diag);
void spot_json_reader_open_bytes(spot_json_reader_t *self, const char *file, size_t line,
    const char *bytes, size_t num_bytes, size_t max_depth, spot_diag_t *diag);

/* The text is within a value of another source, whose place is that of all that is in it. */
void spot_json_reader_set_place(spot_json_reader_t *self, size_t line, size_t column);

void spot_json_reader_close(spot_json_reader_t *self);

/* Goes to the next token; stays at SPOT_JSON_END. Brackets match, and keys are texts. The text of
 * the last token is gone. BAD_INPUT with the reason in diag, IO, NO_MEMORY. */
SPOT_MUST_CHECK int spot_json_reader_next(spot_json_reader_t *self);

/* Skips the rest of the value that the current token begins. Errors as
 * spot_json_reader_next(). */
SPOT_MUST_CHECK int spot_json_reader_skip(spot_json_reader_t *self);

/* At the begin of an object: calls take() at the value of each of its keys, which must
 * read the value to its last token. Errors of take() and as spot_json_reader_next(). */
SPOT_MUST_CHECK int spot_json_reader_object(
    spot_json_reader_t *self, int (*take)(void *context, const char *key), void *context);

/* Reports "<what>: expected <expected>, got '<token>'" at the current token. Returns
 * BAD_INPUT. */
SPOT_MUST_CHECK int spot_json_reader_expected(
    const spot_json_reader_t *self, const char *what, const char *expected);

/* The escape at *at, in a text that ends with a NUL: appends its character to *out, which may be
 * the text itself, and moves both behind. Else returns why it is none, with *at where it begins, or
 * at the NUL that cuts it off. For readers of text in place. */
const char *spot_json_unescape(const char **at, char **out);

/* ---- Trees ---- */

typedef struct spot_json_value spot_json_value_t;
struct spot_json_value {
    spot_json_kind_t kind; /* OPEN_OBJECT, OPEN_ARRAY, TEXT or WORD */
    const char *key;       /* within an object, else NULL */
    const char *text;      /* [num_bytes + 1] of a TEXT or WORD; else "{" or "[" */
    size_t num_bytes;
    size_t line;
    size_t column;
    spot_json_value_t *first; /* its members or items; NULL: none */
    spot_json_value_t *next;  /* of the object or list that it is in */
};

/* Reads the value that the current token begins, to its last token; arena has it. Errors as
 * spot_json_reader_next(). */
SPOT_MUST_CHECK int spot_json_tree(
    spot_json_reader_t *self, const char *key, spot_arena_t *arena, spot_json_value_t **value);

/* The one value of a text, which may be NULL. BAD_INPUT: it is not one; NO_MEMORY. */
SPOT_MUST_CHECK int spot_json_parse(
    const char *text, spot_arena_t *arena, spot_json_value_t **value);

/* The member with a key, or NULL; self may be NULL. O(members). */
const spot_json_value_t *spot_json_member(const spot_json_value_t *self, const char *key);
