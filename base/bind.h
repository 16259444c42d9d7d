/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Binds YAML to structs by a table of fields. One table gives the checks, the defaults,
 * the manual page, the canonical form and with it the provenance record. One pass finds
 * all errors of a document, each with file:line:column and the full name of the key,
 * such as "pools[2].price.spot". */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/name_match.h"
#include "base/yaml.h"

/* Scalars come before SPOT_FIELD_MAP. */
typedef enum {
    SPOT_FIELD_INTEGER,     /* int64_t; with choices its units, such as "10 steps" */
    SPOT_FIELD_NUMBER,      /* double */
    SPOT_FIELD_DURATION,    /* int64_t ms, with a unit in YAML; min and max in ms */
    SPOT_FIELD_DURATION_NS, /* the same in ns */
    SPOT_FIELD_PRICE,       /* double, USD per instance-hour */
    SPOT_FIELD_BYTES,       /* int64_t bytes, with a unit in YAML */
    SPOT_FIELD_RATE,        /* double, bytes per second, with a unit in YAML */
    SPOT_FIELD_TEXT,        /* char *, owned by the struct */
    SPOT_FIELD_PATH,        /* the same for a file, relative to the file that names it */
    SPOT_FIELD_CHOICE,      /* int, index into choices */
    SPOT_FIELD_MAP,         /* a nested struct with fields of its own */
    SPOT_FIELD_LIST,        /* items of one field */
    SPOT_FIELD_DICT,        /* items of one field under keys of the user */
    SPOT_FIELD_ONE_OF,      /* a value in one of several forms */
    SPOT_FIELD_CUSTOM,      /* bound by bind(); with a table a map */
    SPOT_FIELD_SELECTOR     /* has chosen this table: nothing is bound */
} spot_field_type_t;

typedef struct spot_bind spot_bind_t;
typedef struct spot_field spot_field_t;

/* Binds node to the member at target, or checks the bound value, and reports errors
 * through self. */
typedef void (*spot_bind_function_t)(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *node, void *target);

/* The offset of a value that is checked but not stored, or stored only by settle(). */
#define SPOT_NOWHERE SIZE_MAX

struct spot_field {
    const char *name;
    spot_field_type_t type;
    /* Of the member in the struct. The member of a dictionary, or of a list that is not
     * in place, is a pointer to items that the struct owns. */
    size_t offset;
    /* Inclusive limits of the value, or of the number of items of a list or dictionary.
     * Both 0: no limits. */
    double min, max;
    const char *initial; /* default as YAML; NULL: required, "": optional, left as is */
    /* Its default decides time or money: it is named where it is taken, see
     * base/assumed.h. otherwise: what holds then, in words, where initial does not say
     * it. */
    bool decides;
    const char *otherwise;
    const char *help; /* for the manual */
    /* What reports call it, without its unit: "pipeline depth". With a blank in front,
     * " per minute", the label of its map precedes it. In a map that is an item of a
     * dictionary, " of " and the key of the item follow. The label of the items of a
     * dictionary ends with a blank, and their key follows. NULL: its path. */
    const char *label;
    /* The form of a value, for messages: of lists, dictionaries, one-ofs and custom
     * fields; of numbers in place of the usual words. */
    const char *expected;
    /* The noun for a number, or for the named forms of a one-of, in messages: "a world
     * size", "law". May be NULL. */
    const char *what;
    const char *const *choices; /* NULL-terminated */
    /* Of a map: ends with a field without name, whose own fields, if any, continue the
     * table. Of a one-of: its forms; a form with a name is {NAME: VALUE}, the form "" is
     * the value itself; choices are tried first. */
    const spot_field_t *fields;
    /* Of a dictionary: an integer, which sorts the items, or a text; offset in an
     * item */
    const spot_field_t *key;
    const spot_field_t *item; /* of a list or dictionary; offset in an item */
    size_t item_size;
    size_t num_offset;  /* in the struct, of the size_t number of items */
    size_t form_offset; /* in the struct, of the int index of the form, if has_form */
    bool has_form;
    bool says_range;  /* of numbers: "0 is not in 1..64" where others say "expected" */
    bool is_in_place; /* the struct itself holds the items; min and max are equal */
    bool is_ordered;  /* the order of the keys of a dictionary matters */
    /* Binds in place of the type, which then only gives the form; or NULL. */
    spot_bind_function_t bind;
    /* Called after a value is bound without an error: checks the whole value and may
     * store another one; or NULL. */
    spot_bind_function_t settle;
    /* Of a custom field: the table that binds the map at node, or the scalar at node,
     * which is short for a map with its selector only. Returns NULL: none. */
    const spot_field_t *(*table)(const spot_node_t *node);
    /* Of the path of a YAML file: the table that binds its root, for base/assumed.h,
     * which looks for defaults in it too. May be NULL; returns NULL: none. */
    const spot_field_t *(*file_table)(const spot_node_t *root);
};

/* Rows of tables: {SPOT_RANGE(NUMBER, "share", shocks_t, share, 0, 1, NULL, "help")},
 * with further members, if any, behind them. The key is bound to a member of an owner;
 * starts is its initial, and the last arguments are its label, if any, and its help. */
#define SPOT_VALUE(kind, key, owner, member, starts, ...)                                          \
    .name = key, .type = SPOT_FIELD_##kind, .offset = offsetof(owner, member), .initial = starts,  \
    SPOT_THIRD(__VA_ARGS__, SPOT_LABELLED, SPOT_HELP, 0)(__VA_ARGS__)
#define SPOT_THIRD(first, second, third, ...) third
#define SPOT_LABELLED(words, text) .label = words, .help = text
#define SPOT_HELP(text) .help = text
#define SPOT_RANGE(kind, key, owner, member, low, high, starts, ...)                               \
    SPOT_VALUE(kind, key, owner, member, starts, __VA_ARGS__), .min = low, .max = high
/* A row whose default decides time or money: {SPOT_RANGE(...), SPOT_DECIDES}. */
#define SPOT_DECIDES .decides = true
/* The same with messages such as "0 is not in 1..64". */
#define SPOT_WITHIN(...) SPOT_RANGE(__VA_ARGS__), .says_range = true
#define SPOT_CHOICE(key, owner, member, names, starts, ...)                                        \
    SPOT_VALUE(CHOICE, key, owner, member, starts, __VA_ARGS__), .choices = names
#define SPOT_FIELDS(kind, key, owner, member, table_or_forms, starts, ...)                         \
    SPOT_VALUE(kind, key, owner, member, starts, __VA_ARGS__), .fields = table_or_forms

/* A list or dictionary whose member points to items that a field binds; number: the
 * member with their number. A dictionary needs .key, too. */
#define SPOT_ITEMS(kind, key, owner, member, number, field, low, high, starts, form, text)         \
    .name = key, .type = SPOT_FIELD_##kind, .offset = offsetof(owner, member),                     \
    .num_offset = offsetof(owner, number), .item = &field,                                         \
    .item_size = sizeof(*((owner *) 0)->member), .min = low, .max = high, .initial = starts,       \
    .expected = form, .help = text
/* A map whose fields are members of its owner itself. */
#define SPOT_GROUP(key, table, starts, text)                                                       \
    .name = key, .type = SPOT_FIELD_MAP, .fields = table, .initial = starts, .help = text

struct spot_bind {
    spot_diag_t *diag;
    char path[1024]; /* of the map being bound, such as "job.checkpoint." */
    bool is_out_of_memory;
    struct spot_bind_visitor *visitor; /* or NULL: values are stored */
};

/* Binds node, a map, to the zeroed struct at target by fields, which end with a field
 * without name. BAD_INPUT with the reasons in diag, NO_MEMORY. Texts and items are
 * allocated even then; the _free of the struct frees them. */
SPOT_MUST_CHECK int spot_bind_document(
    const spot_field_t *fields, const spot_node_t *node, spot_diag_t *diag, void *target);

/* The first field of a table and its continuations (each may be empty), and the field
 * after self; NULL: none. */
const spot_field_t *spot_field_first(const spot_field_t *fields);
const spot_field_t *spot_field_next(const spot_field_t *self);

/* The field with a name of name_bytes, or NULL. */
const spot_field_t *spot_field_find(
    const spot_field_t *fields, const char *name, size_t name_bytes);

/* The field that binds the value at a path below map, which fields bind, or NULL: there
 * is none, it is an item of a dictionary, or it lies within a list. */
const spot_field_t *spot_field_at(
    const spot_field_t *fields, const spot_node_t *map, const char *path);

/* The whole label of the value at such a path, in text of num_bytes; false where it has
 * none. */
bool spot_field_label(const spot_field_t *fields, const spot_node_t *map, const char *path,
    char *text, size_t num_bytes);

/* The form that a node has among those of a one-of, or NULL. */
const spot_field_t *spot_field_form(const spot_field_t *self, const spot_node_t *node);

/* For bind functions: binds a nested map. name may be NULL. */
void spot_bind_map(spot_bind_t *self, const spot_field_t *fields, const char *name,
    const spot_node_t *node, void *target);

/* The same for a map, or a scalar that is short for a map with its selector only. */
void spot_bind_chosen(spot_bind_t *self, const spot_field_t *fields, const char *name,
    const spot_node_t *node, void *target);

/* Binds one field from one node, with its checks. */
void spot_bind_field(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *node, void *target);

/* Reports "file:line:column: path.name: message". */
void spot_bind_error(spot_bind_t *self, const spot_node_t *node, const char *name,
    const char *format, ...) SPOT_PRINTF(4, 5);

/* "no", "yes"; and "false", "true": the choices of a field that is off or on. */
extern const char *const spot_no_yes[];
extern const char *const spot_false_true[];

/* Reports "path.name: expected WHAT, got VALUE" with field->expected for WHAT, then ":
 * problem" unless that is empty. */
void spot_bind_unexpected(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *node, const char *problem);

/* Reports "KEY: unknown WHAT "name"" with the nearest name that near was offered, or, if
 * there is none, with otherwise, e.g. ": there are grid and zip" or "". */
void spot_bind_unknown(spot_bind_t *self, const spot_node_t *node, const char *key,
    const char *what, const spot_suggest_t *near, const char *otherwise);

/* A bind function that keeps the node itself; target is a const spot_node_t *. */
void spot_bind_keep_node(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *node, void *target);

/* ---- Visitors ---- */

typedef enum {
    SPOT_VISITED_NUMBER,  /* with its unit, equal values as equal texts */
    SPOT_VISITED_TEXT,    /* which needs quotes where it looks like another type */
    SPOT_VISITED_SELECTOR /* a text that has chosen a table of fields */
} spot_visited_t;

/* Walks a document that was bound without an error by the same fields. The binder then
 * stores and reports nothing, but calls the visitor at the path self->path + name. A
 * visitor takes all values, or the keys that are missing. */
typedef struct spot_bind_visitor {
    /* All values, those of missing keys included; NULL: none. A scalar; the path of a
     * file; a value whose type no field knows; a map whose order of keys matters, after
     * its values. */
    void (*scalar)(spot_bind_t *self, const char *name, const char *text, spot_visited_t kind);
    void (*file)(spot_bind_t *self, const char *name, const spot_node_t *node);
    void (*unknown)(spot_bind_t *self, const char *name, const spot_node_t *node);
    void (*order)(spot_bind_t *self, const char *name, const spot_node_t *map);
    /* Missing keys whose defaults decide, or NULL; and files with a table, whose keys
     * may be missing too. */
    void (*missing)(spot_bind_t *self, const spot_field_t *field);
    void (*document)(spot_bind_t *self, const spot_field_t *field, const spot_node_t *node);
    /* Where the walk is; zero it to start. */
    size_t num_values; /* visited so far */
    int num_defaults;  /* depth of defaults around the current value */
    bool is_chosen;    /* within a table that a selector has chosen */
    const char *label; /* of the map around the current value; may be NULL */
} spot_bind_visitor_t;

/* Writes a key as visitors have it in paths: each of . [ ] and \ has a \ before it, and
 * an empty key is \_. Takes at most twice its bytes (2 for an empty key) and a NUL.
 * Returns the end. */
#define SPOT_PATH_NO_KEY '_'
char *spot_path_escape(const char *key, char *escaped);
