/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the commands that learn have in common. */
#pragma once

#include "cli/command.h"
#include "reports/table/table.h"

/* Writes a file whole, what is a parameter of write; "-" is standard output. IO,
 * NO_MEMORY. */
SPOT_MUST_CHECK int spot_schedule_write(spot_call_t *call, const char *path,
    void (*write)(const void *what, FILE *out), const void *what);

/* What a command has learned: writes the file of path, unless it is NULL, then prints
 * the tables, unless the file is standard output: below each other, or as one object
 * with an array of rows for each, by its name. Frees the tables. NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_schedule_results(spot_call_t *call, const spot_target_t *target,
    const char *path, void (*write)(const void *what, FILE *out), const void *what,
    size_t num_tables, spot_table_t *tables);

/* Settles an option of int64_t, a date and time YYYY-MM-DD hh:mm:ss, as seconds since
 * 1970 UTC, or ends the program with a usage error. */
void spot_schedule_take_date(spot_call_t *call, const spot_option_t *option, const char *text);
