/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The key preemptions of a scenario: how spot replicas end, and when. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bind.h"
#include "base/error.h"
#include "sim/serve/fleet_setting.h"
#include "sim/serve/pipeline.h"
#include "traces/generate/model.h"

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
    spot_outage_row_t *rows; /* [num_rows] in order of the file; those of a slot do not
                                overlap */
} spot_outage_file_t;

typedef enum {
    SPOT_OUTAGES_NONE,
    SPOT_OUTAGES_FILE,
    SPOT_OUTAGES_HAZARD,
    SPOT_OUTAGES_TRACE
} spot_outage_kind_t;

/* As bound, with what follows from it. Zeros: no replica is taken away. Constant after
 * opening, so that all threads share it. */
typedef struct {
    spot_outage_kind_t kind;
    spot_rent_setting_t rent;
    char *path;                  /* of the outages */
    spot_outage_file_t file;     /* of SPOT_OUTAGES_FILE */
    int64_t mtbf_ns, recover_ns; /* of a slot, means */
    int64_t zones;               /* 0: none */
    int64_t zone_mtbf_ns, zone_recover_ns;
    const spot_node_t *trace_node; /* during reading only */
    spot_trace_model_t trace;      /* with its own tick and numbers of instances */
} spot_outage_setting_t;

/* The table of the map preemptions; its owner is the setting. */
extern const spot_field_t spot_outage_fields[];

/* Checks the map preemptions once it is bound (root: the map; NULL: the scenario has
 * none) and reads its file or binds its trace. BAD_INPUT with the reasons in the
 * diagnostics of bind, IO, NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_outage_setting_open(spot_outage_setting_t *self,
    spot_bind_t *bind, const spot_node_t *root, const spot_pipeline_t *pipeline);
void spot_outage_setting_free(spot_outage_setting_t *self);

/* Whether replications differ. */
bool spot_outage_setting_is_random(const spot_outage_setting_t *self);
