/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recovery systems side by side: the study whose only swept key is recovery, with the
 * first system as its baseline. So all systems meet the same trace, or in each
 * replication the same events, and all else is the same by construction. */
#ifndef SPOT_SIM_TRAIN_RECOVERY_STUDY_H
#define SPOT_SIM_TRAIN_RECOVERY_STUDY_H

#include "sim/study/study.h"

typedef struct {
    const char *scenario_path;
    const char *systems; /* YAML "A, {system: B, option: 30 s}", at least two of them */
    const char
        *trace_path; /* a trace file instead of the scenario's trace; may be NULL */
    int64_t num_replications; /* 0: 1 on a recorded trace that names its instances, which
                                 has nothing random; else the default of studies */
    int64_t seed;
    size_t num_sets;
    const char *const *sets; /* [num_sets] "KEY=VALUE" as of spot_study_read() */
} spot_recovery_study_t;

/* Makes and binds the study, as spot_study_read() does. Messages about systems name the
 * place "--recovery". BAD_INPUT, IO, NO_MEMORY with the reasons in diag; free study even
 * then. */
SPOT_MUST_CHECK int spot_recovery_study_read(
    const spot_recovery_study_t *self, spot_study_t *study, spot_diag_t *diag);

#endif
