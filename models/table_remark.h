/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads keys in the remarks of a table: "samples_per_step: 256 micro_batch: 4". */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/csv.h"

/* Sets *value to the integer of a key that is a word of its own in the line; without the
 * key *value stays unchanged. Reports, sets *value to 0 and returns false if it is not
 * an integer from 1 to 10^12. */
bool spot_table_remark_read(const spot_csv_row_t *row, const char *path, const char *key,
    int64_t *value, spot_diag_t *diag);
