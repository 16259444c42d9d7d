/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison is a study that sweeps the keys that are compared. All cases meet the
 * same events in each replication. The case with the first value of each key is the
 * baseline. */
#pragma once

#include "sim/bench/study/study_state.h"

/* A key that is compared, as the command line has it. */
typedef struct {
    const char *option; /* "--over" or "--recovery", for messages */
    const char *key;    /* of the scenario; NULL: values start with "KEY=" */
    const char *values; /* the inside of a YAML list, at least two values */
} spot_compare_key_t;

typedef struct {
    const char *scenario_path;
    size_t num_keys;
    const spot_compare_key_t *keys; /* [num_keys] at least one */
    const char *trace_path;         /* of --trace, as of spot_scenario_changes_t; may be NULL */
    int64_t num_replications;       /* 0: as of a study */
    int64_t seed;                   /* below 0: as of a study */
    size_t num_sets;
    const char *const *sets; /* [num_sets] "KEY=VALUE" as of spot_study_read() */
} spot_compare_request_t;

/* Makes and binds the study, as spot_study_read() does. Unless the sets name others, it
 * lists the metrics that the engine compares and draws the parts of the engine.
 * BAD_INPUT, IO, NO_MEMORY with the reasons in diag; free study even then. */
SPOT_MUST_CHECK int spot_compare_read(const spot_compare_request_t *self,
    const spot_experiment_t *const *engines, spot_study_t *study, spot_diag_t *diag);
