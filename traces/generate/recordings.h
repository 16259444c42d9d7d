/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recorded traces of models. Models that are bound one after another share them: a study
 * over one trace reads it once, for any number of points. */
#pragma once

#include "base/diag.h"
#include "base/error.h"
#include "traces/generate/generator.h"
#include "traces/trace.h"
#include "traces/trace_write.h"

typedef struct spot_shelf spot_shelf_t;

typedef struct {
    spot_shelf_t *shelf;
    const spot_trace_t *trace; /* on the shelf */
} spot_recorded_trace_t;

/* Opens the trace at path. It is shared with like (of an earlier model, or NULL) if that
 * has read it; like may be closed first. Kind availability is a warning. BAD_INPUT, IO,
 * NO_MEMORY with the reasons in diag; close self even then. */
SPOT_MUST_CHECK int spot_recorded_trace_open(spot_recorded_trace_t *self,
    const spot_recorded_trace_t *like, const char *path, spot_diag_t *diag);
void spot_recorded_trace_close(spot_recorded_trace_t *self);

/* Fills capacity, initial, tick_ms and horizon_ms if neither model file nor scenario
 * gives them: with the capacity of the trace (if unbounded, its largest population), its
 * population at time 0, its resolution and its length. O(events). */
void spot_recorded_trace_settle(const spot_trace_t *trace, spot_model_common_t *common);

/* Notes that a model plays a recording from a time of it on, for what says when it
 * started. */
void spot_recorded_trace_play(
    const spot_trace_t *trace, int64_t from_ms, spot_model_common_t *common);

/* Warns at the place of a key below node of the first recording that a model plays and
 * that did not start with the prices: spot_price_check_start(). */
void spot_recorded_trace_check_price(const spot_model_common_t *model,
    const spot_price_steps_t *price, spot_diag_t *diag, const spot_node_t *node, const char *key);

/* How many of the recordings that a model plays never lose an instance. */
size_t spot_recorded_trace_num_lossless(const spot_model_common_t *model);

/* ---- Prices in the header of a trace ----
 * "# price_usd_per_h: 0 0.91; 21600 1.2" is a price of 0.91 USD per instance-hour from
 * 0 s and 1.2 from 21600 s on. A key "price_usd_per_h.ZONE" is the price of the
 * instances whose names start with "ZONE/". "price_eur_per_h" is in another
 * currency. */

/* Writes the price of a zone (NULL: of all others) unless it has no steps. NO_MEMORY. */
SPOT_MUST_CHECK int spot_price_header_write(
    spot_trace_writer_t *writer, const char *zone, const spot_price_steps_t *price);

/* Reads the prices of a trace: that without a zone into price, the others into zones. If
 * price has steps already, nothing is read. Reports faulty values to diag with their
 * place in path. The trace owns the names of zones. BAD_INPUT, NO_MEMORY; free both even
 * then. O(names). */
SPOT_MUST_CHECK int spot_price_header_read(const spot_trace_t *trace, const char *path,
    spot_price_steps_t *price, spot_zones_t *zones, spot_diag_t *diag);

void spot_zones_free(spot_zones_t *self);
