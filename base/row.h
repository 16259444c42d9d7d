/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One description of the members of a struct, from which it is read and written.
 *
 * A row is a struct, described by an array of members: name, kind, offset, limits, choices. The
 * dialects read what they need of it: the fields of a CSV file, both ways (base/table_file.h reads
 * whole files), an object of JSON, both ways, and the columns of a series
 * (sim/bench/engine/series.h). A struct that is a scenario is described by spot_field_t
 * (base/bind.h), which gives defaults, forms and a manual besides.
 *
 * Use, for JSON with {0} behind the last member:
 *
 *     static const spot_row_member_t members[] = {
 *         SPOT_MEMBER(TEXT, "name", job_t, name),
 *         SPOT_MEMBER_WITH(NUMBER, "speed", job_t, speed_per_s, .max = 1e12)}; */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"

typedef enum {
    /* Pointers: in JSON NULL has no key. */
    SPOT_MEMBER_TEXT, /* char *; owned where JSON is read; of a CSV file valid until the next row */
    SPOT_MEMBER_NAME, /* const char *, borrowed: read, it is in the arena of names */
    SPOT_MEMBER_LIST, /* structs or plain values; JSON */
    SPOT_MEMBER_IDS,  /* uint32_t *, as a text, "0,3,2": there may be millions; JSON */
    /* Values. */
    SPOT_MEMBER_INTEGER,  /* int64_t; in JSON >= 0 */
    SPOT_MEMBER_SMALL,    /* int32_t; CSV */
    SPOT_MEMBER_COUNT,    /* size_t, up to 2^53 as all numbers of JSON; JSON */
    SPOT_MEMBER_UNSIGNED, /* uint64_t, as text: a JSON number has 53 bits; JSON */
    SPOT_MEMBER_NUMBER,   /* double; as a plain value of a list of JSON, null is NAN */
    SPOT_MEMBER_BOOLEAN,  /* JSON */
    SPOT_MEMBER_CHOICE,   /* an enum or int, the index among choices, as text */
    SPOT_MEMBER_ROUNDED,  /* a number of a CSV file, as int64_t */
    SPOT_MEMBER_SECONDS,  /* the same, double above 0, at most 100 years */
    SPOT_MEMBER_MS,       /* the same, seconds from 0 to 100 years, as int64_t ms */
    SPOT_MEMBER_IGNORED   /* of a CSV file */
} spot_row_member_kind_t;

/* The root is the struct that is written or read as JSON, not one in a list of it. */
typedef struct spot_member {
    const char *name; /* key or column; NULL ends a table of JSON; "" in a table of one: a plain
                         value */
    spot_row_member_kind_t kind;
    size_t offset;
    double min, max; /* inclusive, of integers and numbers of CSV files */
    /* Of CSV files the problem of another value; of an integer its noun, NULL: "an integer".
     * Of a NUMBER NULL: one that names the limits. */
    const char *expected;
    const char *const *choices; /* NULL-terminated */
    bool is_needed;             /* JSON: a TEXT or NAME that must be there */
    bool is_optional;           /* CSV: the column may be absent. JSON: a COUNT or BOOLEAN that has
                                   no key where it is zero */

    /* ---- CSV ---- */
    bool may_be_empty;      /* and leaves 0, or the initial value, then */
    bool is_own;            /* the caller reads it */
    const char *other_name; /* a second name, or NULL */
    /* Whether a name of the file is one more; table: that of the file. Or NULL. */
    bool (*accepts)(void *table, const char *name);

    /* ---- JSON ---- */
    const struct spot_member *members; /* of an item of a LIST */
    size_t item_bytes;
    size_t num_offset;   /* of the number of items of a LIST or of IDS, a COUNT that is read before
                            them; 0: items of the LIST begin with a pointer, and NULL in it ends the
                            list */
    bool is_num_of_root; /* a LIST, or none, whose number is of the root */
    bool is_borrowed;    /* a LIST, or IDS, that freeing leaves alone */
    size_t below;        /* of a COUNT, or of IDS: offset in the root of a size_t that they must be
                            below; 0: any number will do */
} spot_row_member_t;

/* A member of a struct; designators of more may follow. */
#define SPOT_MEMBER_WITH(kind_, name_, type, member, ...)                                          \
    {                                                                                              \
        .name = name_, .kind = SPOT_MEMBER_##kind_, .offset = offsetof(type, member), __VA_ARGS__  \
    }
#define SPOT_MEMBER(kind_, name_, type, member)                                                    \
    SPOT_MEMBER_WITH(kind_, name_, type, member, .is_needed = false)
#define SPOT_MEMBER_NEEDED(kind_, name_, type, member)                                             \
    SPOT_MEMBER_WITH(kind_, name_, type, member, .is_needed = true)
#define SPOT_MEMBER_LIST(name_, type, member, num, item_members)                                   \
    SPOT_MEMBER_WITH(LIST, name_, type, member, .members = item_members,                           \
        .item_bytes = sizeof(*((type *) NULL)->member), .num_offset = num)

/* ---- Fields of CSV files ---- */

/* Reads a field into a row. Returns its problem, in text of that size or a constant; NULL: none. */
#define SPOT_MEMBER_PROBLEM_BYTES 96
const char *spot_member_read(const spot_row_member_t *self, const char *field, void *row,
    char text[SPOT_MEMBER_PROBLEM_BYTES]);

/* Writes the field of a row, from which it is read again; nothing where it is as in the row none.
 * out may be NULL. Returns whether there is something. TEXT, INTEGER, SMALL, NUMBER. */
bool spot_member_write(const spot_row_member_t *self, const void *row, const void *none, FILE *out);

/* The number of a row; NAN for what is below 0 in an integer, which says that there is none.
 * INTEGER, SMALL, NUMBER. */
double spot_member_number(const spot_row_member_t *self, const void *row);

/* ---- JSON ----
 * Nothing that is read is trusted. It is written apart from base/json.h, whose items have blanks
 * between them and whose texts get U+FFFD for invalid UTF-8: databases keep digests of what is
 * written, so its bytes must stay, and a text must be read back as it was. */

/* The root as JSON without spaces. NULL: no memory. The caller frees it. O(text) */
SPOT_MUST_CHECK char *spot_row_write_json(const spot_row_member_t *members, const void *root);

/* Reads a text, which may be NULL, into a zeroed root; a key that is missing leaves zero, or none.
 * Lists have one zeroed item behind the last. keeper: keeps all that is read; NULL: lists and texts
 * are the root's, see spot_row_free(), and names are in the arena. BAD_INPUT: the text is of
 * something else; NO_MEMORY; free the root even then. O(text) */
SPOT_MUST_CHECK int spot_row_read_json(const spot_row_member_t *members, const char *text,
    spot_arena_t *keeper, spot_arena_t *names, void *root);

/* Frees what a struct owns. Accepts a zeroed or half-read one. */
void spot_row_free(const spot_row_member_t *members, void *structure);
