/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which part of a published log to keep, and what its VCs are called. */
#pragma once

#include "traces/jobs/job_log.h"

typedef struct {
    const char *name;
    const char *doc;
    const char *origin, *begin, *end; /* dates and times */
    size_t num_vc_rules;
    const spot_vc_rule_t *vc_rules; /* [num_vc_rules] */
    size_t num_state_rules;
    const spot_vc_rule_t *state_rules; /* [num_state_rules] */
} spot_job_preset_t;

/* Sources: Hu et al., Lucid, ASPLOS'23, artifact; Jeon et al., ATC'19, philly-traces. */
extern const spot_job_preset_t spot_job_presets[]; /* the last one has no name */

/* Sets a window from texts, each integer seconds or YYYY-MM-DD hh:mm:ss; NULL: not
 * given. Returns what is wrong, a constant, or NULL. */
const char *spot_job_window_set(
    spot_job_window_t *self, const char *origin, const char *begin, const char *end);
