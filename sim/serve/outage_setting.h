/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The key preemptions of a scenario: how spot replicas end, and when. */
#pragma once

#include "sim/serve/fleet_setting.h"
#include "sim/serve/pipeline.h"

/* An outage of a file. */
typedef struct {
    int32_t stage_id;
    int32_t slot; /* spot slot of the stage, from 0 */
    int64_t preempted_ns;
    int64_t ready_ns; /* INT64_MAX: never */
} spot_outage_row_t;

typedef struct {
    size_t num_rows;
    size_t max_rows;
    spot_outage_row_t *rows; /* [num_rows] in order of the file */
} spot_outage_file_t;

typedef enum {
    SPOT_OUTAGES_NONE,
    SPOT_OUTAGES_FILE,
    SPOT_OUTAGES_HAZARD,
    SPOT_OUTAGES_TRACE
} spot_outage_kind_t;

/* As bound, with what follows from it. Constant, shared by all threads. */
typedef struct {
    spot_outage_kind_t kind;
    spot_rent_setting_t rent;
    char *path; /* of the outages */
    spot_outage_file_t file;
    int64_t mtbf_ns, recover_ns; /* of a slot; means */
    int64_t zones, zone_mtbf_ns, zone_recover_ns;
    const spot_node_t *trace_node; /* during reading only */
    spot_trace_model_t trace;
} spot_outage_setting_t;
