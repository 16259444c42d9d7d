/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What one replication of any engine yields: its metrics and warnings as text or JSON,
 * its series as CSV, and its recording as a Chrome trace. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/error.h"
#include "base/verb/terminal.h"
#include "sim/bench/engine/experiment.h"
#include "sim/bench/engine/series.h"

/* Which run it is, a table of the metrics, and the warnings; or what the engine says in its place,
 * see spot_run_view_t. NO_MEMORY. */
SPOT_MUST_CHECK int spot_run_result_text(
    const spot_run_result_t *self, const spot_terminal_t *terminal, FILE *out);

/* Members of an open object: {engine, scenario, metrics: {NAME: {value, unit}}, warnings: [NAME],
 * seed, replication}, undefined values null; or those of the engine in place of the first three. */
void spot_run_result_json(const spot_run_result_t *self, spot_json_t *json);

/* Before a long run: whether spot_recording_csv_write() can write. IO with the reason in
 * diag, NO_MEMORY. */
SPOT_MUST_CHECK int spot_recording_csv_check(const char *folder, spot_diag_t *diag);

/* Writes each series to FOLDER/NAME.csv and makes the folder if only the last part of
 * its path is missing: a head and a line for each row, with instants and durations in
 * ticks of the series, numbers exact or with the decimals of their column, null empty,
 * texts quoted by RFC 4180. A file
 * appears whole or not at all. stop: not 0 ends it. IO with the reason in diag,
 * INTERRUPTED, NO_MEMORY. */
SPOT_MUST_CHECK int spot_recording_csv_write(const spot_recording_t *recording, const char *folder,
    const atomic_int *stop, spot_diag_t *diag);

/* ---- A Chrome trace ---- */

/* A recording as Chrome-trace JSON, which Perfetto and chrome://tracing open. Levels and
 * curves are counters, events are instants, spans are bars. A lane of spans is a thread,
 * or several of the same name where spans overlap: the bars of a thread do not. A text
 * or category named "host" is the process of a span. Other columns are arguments,
 * instants and durations in us as everywhere in this format. */

/* One object, an event a line. A recording without such series has no events. Times are
 * exact to the ns. NO_MEMORY, IO. O(n log n). */
SPOT_MUST_CHECK int spot_chrome_trace_write(const spot_recording_t *recording, FILE *out);
