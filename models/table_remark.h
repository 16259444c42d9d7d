/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the remarks of a table say: "samples_per_step: 256   micro_batch: 4". */
#ifndef SPOT_MODELS_TABLE_REMARK_H
#define SPOT_MODELS_TABLE_REMARK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/csv.h"

/* The integer of one key, where the line has it as a word of its own; else *value stays.
 * false: it is none from 1 to 10^12, which is reported, and *value is 0. */
bool spot_table_remark_read(const spot_csv_row_t *row, const char *path, const char *key,
    int64_t *value, spot_diag_t *diag);

#endif
