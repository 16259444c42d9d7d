/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The series of a replication as CSV, a file each. */
#pragma once

#include <stdatomic.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/error.h"
#include "sim/engine/series.h"

/* The head of a column: its name, and its unit unless the name says it: "time_ms",
 * "prepping_instances", "steps_durable". */
#define SPOT_COLUMN_HEAD_BYTES 128
void spot_column_head(
    const spot_series_kind_t *kind, size_t column_id, char text[SPOT_COLUMN_HEAD_BYTES]);

/* A head and a row each row: instants and durations in ticks of the series, numbers
 * exact, null empty, texts quoted by RFC 4180. IO. O(cells). */
SPOT_MUST_CHECK int spot_series_csv_write(const spot_series_t *series, FILE *out);

/* Before a long run: whether spot_recording_csv_write() can write. IO with the reason in
 * diag, NO_MEMORY. */
SPOT_MUST_CHECK int spot_recording_csv_check(const char *folder, spot_diag_t *diag);

/* Writes each series to FOLDER/NAME.csv and makes the folder if only the last part of
 * its path is missing. A file appears whole or not at all. stop: not 0 ends it. IO with
 * the reason in diag, INTERRUPTED, NO_MEMORY. */
SPOT_MUST_CHECK int spot_recording_csv_write(const spot_recording_t *recording,
    const char *folder, const atomic_int *stop, spot_diag_t *diag);
