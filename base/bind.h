/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Binding YAML to structs by a table of fields. One table feeds the parsing with its
 * checks, the defaults, the manual page and the provenance record. All errors of a
 * document are found in one pass, each with file:line:column and the full name of the
 * key. */
#ifndef SPOT_BASE_BIND_H
#define SPOT_BASE_BIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/suggest.h"
#include "base/yaml.h"

typedef enum {
    SPOT_FIELD_INTEGER,  /* int64_t, min and max inclusive */
    SPOT_FIELD_NUMBER,   /* double, min and max inclusive */
    SPOT_FIELD_DURATION, /* int64_t ms, with a unit in YAML; min and max in ms */
    SPOT_FIELD_PRICE,    /* double, USD per instance-hour; min and max */
    SPOT_FIELD_TEXT,     /* char *, owned by the struct that is bound */
    SPOT_FIELD_PATH,     /* the same for a file, relative to the file that names it */
    SPOT_FIELD_CHOICE,   /* int, index into choices */
    SPOT_FIELD_MAP,      /* a nested struct with fields of its own */
    SPOT_FIELD_CUSTOM,   /* bind() does it */
    SPOT_FIELD_SELECTOR  /* read before, to choose this table: nothing is bound */
} spot_field_type_t;

typedef struct spot_bind spot_bind_t;
typedef struct spot_field spot_field_t;

/* Binds node to the member at target and reports what is wrong through self. */
typedef void (*spot_bind_function_t)(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *node, void *target);

struct spot_field {
    const char *name;
    spot_field_type_t type;
    size_t offset;   /* of the member in the struct */
    double min, max; /* both inclusive; both 0: no limits */
    const char
        *initial; /* default as YAML text; NULL: required, "": optional, left as is */
    const char *help;           /* what it is, for the manual */
    const char *expected;       /* custom: what a value looks like, for the manual */
    const char *const *choices; /* NULL-terminated */
    const spot_field_t *fields; /* of a map; ends with a field without name, whose own
                                   fields, if any, go on with the table */
    spot_bind_function_t bind;
    /* custom, for the canonical form only, both optional: the table by which it binds
     * the map at node, or the scalar that is short for a map with its selector only, or
     * NULL; whether the order of the map's keys matters. */
    const spot_field_t *(*table)(const spot_node_t *node);
    bool is_ordered;
};

struct spot_bind {
    spot_diag_t *diag;
    char path[512]; /* "job.checkpoint." of the map being bound */
    bool is_out_of_memory;
};

/* Binds node (a map) to the struct at target by its fields (up to the one without name).
 * Returns 0, BAD_INPUT with the reasons in diag, or NO_MEMORY. Members of type TEXT are
 * allocated even then; the caller's _free frees them. target must be zeroed before. */
SPOT_MUST_CHECK int spot_bind_document(const spot_field_t *fields,
    const spot_node_t *node, spot_diag_t *diag, void *target);

/* The first field of a table and of those with which it goes on (any may be empty), and
 * the one behind self; NULL: there is none. */
const spot_field_t *spot_field_first(const spot_field_t *fields);
const spot_field_t *spot_field_next(const spot_field_t *self);

/* For custom bind functions: the same on a nested map. name may be NULL (a list's item).
 */
void spot_bind_map(spot_bind_t *self, const spot_field_t *fields, const char *name,
    const spot_node_t *node, void *target);

/* One field from one node, with its checks. */
void spot_bind_field(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *node, void *target);

/* "file:line:column: path.name: message". */
void spot_bind_error(spot_bind_t *self, const spot_node_t *node, const char *name,
    const char *format, ...) SPOT_PRINTF(4, 5);

/* "no", "yes": the choices of a field that is on or off. */
extern const char *const spot_no_yes[];

/* "path.name: expected WHAT, got VALUE", WHAT as the field has it in expected; then
 * ": problem" unless that is empty. */
void spot_bind_unexpected(spot_bind_t *self, const spot_field_t *field,
    const spot_node_t *node, const char *problem);

/* "KEY: unknown WHAT "name"", with the nearest of the names offered to near, if any,
 * else with what else there is to say, e.g. ": there are grid and zip", or "". */
void spot_bind_unknown(spot_bind_t *self, const spot_node_t *node, const char *key,
    const char *what, const spot_suggest_t *near, const char *otherwise);

/* A bind function that keeps the node itself; target is a const spot_node_t *. */
void spot_bind_keep_node(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *node, void *target);

/* The path of the file that a scalar names: relative to the file in which the scalar
 * stands (a value of the command line stands in none). NULL: no memory. The caller frees
 * it. */
SPOT_MUST_CHECK char *spot_node_file_path(const spot_node_t *node);

#endif
