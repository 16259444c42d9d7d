/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the commands that learn have in common. */
#pragma once

#include "cli/command.h"
#include "reports/table/table.h"

/* Prints tables below each other, or as one object with an array of rows for each, by
 * its name. NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_schedule_tables_print(spot_call_t *call,
    const spot_target_t *target, size_t num_tables, spot_table_t *tables);

/* Writes a file whole, what is a parameter of write; "-" is standard output. IO,
 * NO_MEMORY. */
SPOT_MUST_CHECK int spot_schedule_write(spot_call_t *call, const char *path,
    void (*write)(const void *what, FILE *out), const void *what);

/* For settle: parses a date and time YYYY-MM-DD hh:mm:ss as seconds since 1970 UTC, or
 * ends the program with a usage error. */
int64_t spot_schedule_date(
    spot_call_t *call, const spot_option_t *option, const char *text);
