/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lives that end at a wall, such as the 24 h of preemptible machines. Lives are censored
 * at the wall and their law is lognormal; deaths after the wall give the law of its
 * overrun. */
#pragma once

#include <stddef.h>

#include "traces/describe/sample.h"
#include "traces/laws/law.h"

/* Deaths at the cut or after it. */
typedef struct {
    double cut_s; /* 0: nothing was cut */
    size_t num_deaths;
    double mean_s; /* of time - cut; 0 without deaths */
    double max_s;
} spot_fit_cut_t;

/* Censors all values from cut_s > 0 on, and summarises the deaths there. O(values). */
void spot_fit_cut(spot_fit_cut_t *self, spot_sample_t *sample, double cut_s);

/* Sets law to the family deadline, from the lognormal law of a sample that was cut.
 * overrun_mean_s maximises the likelihood of the truncated exponential law
 * TE(overrun_mean_s; [0, overrun_max_s]), which then has the observed mean.
 * overrun_max_s is the largest overrun, rounded up to two digits. Without a death from
 * the cut on there is no wall: deadline_s is INFINITY. */
void spot_fit_deadline(spot_law_t *law, const spot_law_t *lognormal, const spot_fit_cut_t *cut);

/* A wall: at least a tenth of the deaths pile up at the end of a sample, ten times as
 * dense as before. */
typedef struct {
    double time_s;     /* the roundest number between the last death before the wall and
                        * the first one after it; 0: there is no wall */
    double last_s;     /* the last death, without the latest 2 % of all */
    size_t num_deaths; /* from time_s on */
    size_t num_before;
} spot_fit_wall_t;

/* Looks for a wall. NO_MEMORY. O(n log n). */
SPOT_MUST_CHECK int spot_fit_find_wall(spot_fit_wall_t *self, const spot_sample_t *sample);
