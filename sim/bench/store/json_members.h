/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Structs as JSON objects: a table of members writes them, reads them back and frees
 * them. Nothing that is read is trusted. Internal to sim/bench/store.
 *
 * It writes JSON itself, not by base/json.h, whose items have blanks between them and whose texts
 * get U+FFFD for invalid UTF-8. Databases keep digests of what is written, so its bytes must stay,
 * and a text must be read back as it was. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"
#include "sim/bench/engine/series.h"

typedef enum {
    /* Pointers: NULL has no key. */
    SPOT_MEMBER_TEXT, /* char *, owned */
    SPOT_MEMBER_NAME, /* const char *, borrowed: read, it is in the arena of names */
    SPOT_MEMBER_LIST, /* structs or plain values */
    SPOT_MEMBER_IDS,  /* uint32_t *, as a text, "0,3,2": there may be millions */
    /* Values. */
    SPOT_MEMBER_COUNT,    /* size_t, up to 2^53 as all numbers of JSON */
    SPOT_MEMBER_INTEGER,  /* int64_t >= 0 */
    SPOT_MEMBER_UNSIGNED, /* uint64_t, as text: a JSON number has 53 bits */
    SPOT_MEMBER_NUMBER,   /* double; as a plain value of a list, null is NAN */
    SPOT_MEMBER_BOOLEAN,
    SPOT_MEMBER_CHOICE /* an enum, as text */
} spot_json_member_kind_t;

/* A member of a struct and its key. The root is the struct that is written or read, not
 * one in a list of it. */
typedef struct spot_json_member {
    const char *key; /* NULL ends a table; "" in a table of one: a plain value */
    spot_json_member_kind_t kind;
    size_t offset;
    bool is_num_of_root;        /* a LIST, or none, whose number is of the root */
    bool is_needed;             /* a TEXT or NAME that must be there */
    bool is_optional;           /* a COUNT or BOOLEAN that has no key where it is zero */
    bool is_borrowed;           /* a LIST, or IDS, that freeing leaves alone */
    const char *const *choices; /* of a CHOICE, up to NULL */
    const struct spot_json_member *members; /* of an item of a LIST */
    size_t item_bytes;
    size_t num_offset; /* of the number of items of a LIST or of IDS, a COUNT that is
                          read before them; 0: items of the LIST begin with a pointer,
                          and NULL in it ends the list */
    size_t below;      /* of a COUNT, or of IDS: offset in the root of a size_t that they
                          must be below; 0: any number will do */
} spot_json_member_t;

/* A member with more of a spot_json_member_t behind it: ".is_needed = true". */
#define SPOT_MEMBER_WITH(type, name, field, member_kind, ...)                                      \
    {                                                                                              \
        .key = name, .kind = SPOT_MEMBER_##member_kind, .offset = offsetof(type, field),           \
        __VA_ARGS__                                                                                \
    }
#define SPOT_MEMBER(type, name, field, kind)                                                       \
    SPOT_MEMBER_WITH(type, name, field, kind, .is_needed = false)
#define SPOT_MEMBER_NEEDED(type, name, field, kind)                                                \
    SPOT_MEMBER_WITH(type, name, field, kind, .is_needed = true)
#define SPOT_MEMBER_CHOICE(type, name, field, words)                                               \
    SPOT_MEMBER_WITH(type, name, field, CHOICE, .choices = words)
#define SPOT_MEMBER_LIST(type, name, field, num, item_members)                                     \
    SPOT_MEMBER_WITH(type, name, field, LIST, .members = item_members,                             \
        .item_bytes = sizeof(*((type *) NULL)->field), .num_offset = num)

/* The root as JSON without spaces. NULL: no memory. The caller frees it. O(text) */
SPOT_MUST_CHECK char *spot_json_members_write(const spot_json_member_t *members, const void *root);

/* Reads a text, which may be NULL, into a zeroed root; a key that is missing leaves zero, or none.
 * Lists have one zeroed item behind the last. keeper: keeps all that is read; NULL: lists and texts
 * are the root's, see spot_json_members_free(), and names are in the arena. BAD_INPUT: the text is
 * of something else; NO_MEMORY; free the root even then. O(text) */
SPOT_MUST_CHECK int spot_json_members_read(const spot_json_member_t *members, const char *text,
    spot_recording_t *keeper, spot_arena_t *names, void *root);

/* Frees what a struct owns. Accepts a zeroed or half-read one. */
void spot_json_members_free(const spot_json_member_t *members, void *structure);
