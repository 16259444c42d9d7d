/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result of a replication as one JSON object: the summary row, the ledger, the cost
 * and the counts. */
#pragma once

#include <stdio.h>

#include "sim/schedule/schedule.h"
#include "sim/schedule/summary.h"

void spot_schedule_json_write(const spot_schedule_t *schedule,
    const spot_summaries_t *summaries, const spot_replication_t *replication, FILE *out);
