/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prices in the header of a trace file: "# price_usd_per_h: 0 0.91; 21600 1.2" is a
 * price of 0.91 USD per instance-hour from 0 s and 1.2 from 21600 s on. A key
 * "price_usd_per_h.ZONE" is the price of the instances whose names start with "ZONE/".
 */
#pragma once

#include "base/diag.h"
#include "traces/generate/generator.h"
#include "traces/trace_write.h"

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
