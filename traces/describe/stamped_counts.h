/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The two files that a cluster of the seed study logged: timestamp,count of running
 * nodes and timestamp,number of terminated ones. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/error.h"

typedef struct {
    int64_t time_s; /* since 1970-01-01T00:00:00Z, never decreasing */
    int32_t count;  /* >= 0 */
} spot_stamped_count_t;

typedef struct {
    size_t num_rows;
    size_t max_rows;
    spot_stamped_count_t *rows; /* [num_rows] in file order */
} spot_stamped_counts_t;

/* Whether the first line of a file ends in the columns timestamp,column. False if the
 * file cannot be read. */
bool spot_stamped_counts_is_file(const char *path, const char *column);

/* Reads the columns timestamp,column and skips index columns before them. Reports every
 * error, also fewer than min_rows rows, as file:line:column. BAD_INPUT, IO, NO_MEMORY;
 * free self even then. */
SPOT_MUST_CHECK int spot_stamped_counts_read(spot_stamped_counts_t *self,
    const char *path, const char *column, size_t min_rows, spot_diag_t *diag);
void spot_stamped_counts_free(spot_stamped_counts_t *self);
