/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lives before a wall, such as the 24 h of preemptible machines: what lasts so long is
 * censored there, the law of the rest is lognormal, and the deaths behind the wall tell
 * by how much it comes late. */
#ifndef SPOT_TRACES_FIT_FIT_DEADLINE_H
#define SPOT_TRACES_FIT_FIT_DEADLINE_H

#include <stddef.h>

#include "traces/describe/sample.h"
#include "traces/laws/law.h"

/* Deaths at the cut or behind it. */
typedef struct {
    double cut_s; /* 0: nothing was cut */
    size_t num_deaths;
    double mean_s; /* of time - cut; 0 without deaths */
    double max_s;
} spot_fit_cut_t;

/* Censors what is at cut_s > 0 or behind it, and tells what died there. O(values). */
void spot_fit_cut(spot_fit_cut_t *self, spot_sample_t *sample, double cut_s);

/* The law deadline from the lognormal law of a sample that was cut. overrun_mean_s is
 * the maximum of the likelihood of TE(overrun_mean_s; [0, overrun_max_s]), which has the
 * mean that was seen; overrun_max_s is the latest death, rounded up to two digits.
 * Without a death behind the cut there is no wall: deadline_s is INFINITY. */
void spot_fit_deadline(
    spot_law_t *law, const spot_law_t *lognormal, const spot_fit_cut_t *cut);

/* Where deaths pile up at the end of a sample: at least a tenth of them, and ten times
 * as close as before. */
typedef struct {
    double time_s;     /* as round a number as there is between the last death before the
                        * wall and the first one behind it; 0: there is no wall */
    double last_s;     /* death, but for the latest 2 % of all */
    size_t num_deaths; /* at time_s or behind it */
    size_t num_before;
} spot_fit_wall_t;

/* NO_MEMORY. O(n log n). */
SPOT_MUST_CHECK int spot_fit_find_wall(
    spot_fit_wall_t *self, const spot_sample_t *sample);

#endif
