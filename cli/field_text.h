/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a field of a YAML map looks like, in words: for the manual and for commands. */
#pragma once

#include <stdio.h>

#include "base/bind.h"
#include "base/error.h"
#include "base/json.h"

/* What a value looks like, with the limits of a number: "integer from 1 to 64". NULL: no
 * memory. The caller frees it. */
SPOT_MUST_CHECK char *spot_field_type_text(const spot_field_t *field);

/* The help, " (required)" or " (default 0 s)" behind it, then "; here VALUE" of a scalar
 * value, which may be NULL, and a full stop. The same. */
SPOT_MUST_CHECK char *spot_field_help_text(
    const spot_field_t *field, const spot_node_t *value);

/* The keys within a value: of a map, of the items of a list or dictionary, also where a
 * value may be one; between: what stands before their names. NULL: none. */
const spot_field_t *spot_field_keys(const spot_field_t *field, const char **between);

/* The fields of a table as a list of {name, type, is_required, default, help}, of what
 * has keys also with a list of that name. NO_MEMORY. */
SPOT_MUST_CHECK int spot_fields_write_json(
    spot_json_t *json, const char *name, const spot_field_t *fields);
