/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The virtual clusters (VCs) of a cluster and their nodes, from a CSV file with the
 * columns vc,nodes or ,num. The order of the lines is the order of the VCs in every
 * output. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/error.h"

#define SPOT_VC_NAME_BYTES 64

typedef struct {
    char *name;
    int32_t num_nodes; /* >= 0 */
    size_t line;       /* of the file, for messages; 0: none */
} spot_vc_size_t;

typedef struct {
    size_t num_vcs;
    size_t max_vcs;
    spot_vc_size_t *vcs; /* [num_vcs] distinct names */
} spot_vc_list_t;

/* Reads a file, plain or gzip, and reports every error to diag as file:line:column.
 * BAD_INPUT, IO, NO_MEMORY; free self even then. Without nodes a VC is an error unless
 * may_be_empty. */
SPOT_MUST_CHECK int spot_vc_list_read(
    spot_vc_list_t *self, const char *path, bool may_be_empty, spot_diag_t *diag);
void spot_vc_list_free(spot_vc_list_t *self);

/* Appends a VC with a copy of its name. NO_MEMORY. */
SPOT_MUST_CHECK int spot_vc_list_add(
    spot_vc_list_t *self, const char *name, int32_t num_nodes, size_t line);

/* The index of a VC, or -1. O(VCs). */
int32_t spot_vc_list_find(const spot_vc_list_t *self, const char *name);
