/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A lifetimes file: one row per instance, from its start to its preemption or to its
 * return by the user (right-censored). Format: "# spotsim-lifetimes: 1", header keys
 * start, source, license, columns start_s,duration_s,status,instance, then any
 * others. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/csv.h"
#include "base/diag.h"
#include "base/error.h"
#include "traces/trace.h"

typedef struct {
    int64_t start_ms;    /* >= 0 */
    int64_t duration_ms; /* > 0 */
    bool is_preempted;   /* else stopped by the user: right-censored */
    char *instance;
    char **cells; /* [num_columns] texts of the further columns */
    size_t line;  /* in the file */
} spot_life_t;

typedef struct {
    spot_keys_t header; /* its keys, without spotsim-lifetimes */
    size_t num_columns;
    char **columns; /* [num_columns] names of the further columns */
    size_t num_lives;
    size_t max_lives;
    spot_life_t *lives; /* [num_lives] in file order */
} spot_lifetimes_t;

/* 1 if a file is a lifetimes file, by its first line; 0 if not, or if it cannot be read.
 * NO_MEMORY. */
SPOT_MUST_CHECK int spot_lifetimes_is_file(const char *path);

/* Reads a file, plain or packed, and reports every error to diag as file:line:column.
 * BAD_INPUT, IO, NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_lifetimes_read(
    spot_lifetimes_t *self, const char *path, spot_diag_t *diag);

/* The same from an open file of which nothing has been read. */
SPOT_MUST_CHECK int spot_lifetimes_read_csv(
    spot_lifetimes_t *self, spot_csv_t *csv, spot_diag_t *diag);
void spot_lifetimes_free(spot_lifetimes_t *self);

/* Keeps only the rows with a value in a further column. where is "column=value", the
 * argument of an option; option is its name in messages. BAD_INPUT: where is malformed,
 * there is no such further column, or no row is left. O(rows). */
SPOT_MUST_CHECK int spot_lifetimes_keep(
    spot_lifetimes_t *self, const char *option, const char *where, spot_diag_t *diag);
