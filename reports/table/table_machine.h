/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table for programs: CSV and JSON, with numbers that read back exactly and without
 * marks, remarks and notes. */
#pragma once

#include <stdio.h>

#include "base/json.h"
#include "reports/table/table.h"

/* The names of columns, then a line a row; what is unknown or not said is empty. Error
 * of the table, IO. */
SPOT_MUST_CHECK int spot_table_write_csv(const spot_table_t *self, FILE *out);

/* Each row as an object in the array or line that is open: names of columns and values;
 * null for what is unknown, nothing for what is not said. Error of the table. */
SPOT_MUST_CHECK int spot_table_write_json(const spot_table_t *self, spot_json_t *json);
