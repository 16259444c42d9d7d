/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The results of a command that are tables: printed for people or as JSON, written as CSV.
 *
 * A command fills tables (reports/table/table.h) and ends with spot_results_print(), which frees
 * them; files beside the answer are written by the other calls. */
#pragma once

#include "cli/command.h"
#include "reports/table/table.h"

/* Writes a file whole, what is a parameter of write; "-" is standard output. IO,
 * NO_MEMORY. */
SPOT_MUST_CHECK int spot_results_write(spot_call_t *call, const char *path,
    void (*write)(const void *what, FILE *out), const void *what);

/* What a command has learned: writes the file of path, unless it is NULL, then prints
 * the tables, unless the file is standard output: below each other, or as one object
 * with an array of rows for each, by its name. Frees the tables. NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_results_print(spot_call_t *call, const spot_target_t *target,
    const char *path, void (*write)(const void *what, FILE *out), const void *what,
    size_t num_tables, spot_table_t *tables);

/* Writes a table as CSV; it and the stream keep their errors. For the calls above. */
void spot_results_put_csv(const void *table, FILE *out);

/* A CSV file of a table. IO, NO_MEMORY. */
SPOT_MUST_CHECK int spot_results_write_csv(
    spot_call_t *call, const char *path, const spot_table_t *table);
