/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replications until an interval is narrow enough. Each point goes on, in rounds of
 * whole batches, until the Student interval of the mean of one metric is as narrow as
 * asked for: the sequential rule of Chow and Robbins (Ann. Math. Statist. 36(2), 1965)
 * with a minimum, which keeps an early, by chance small variance from ending it.
 * Internal to sim/study. */
#ifndef SPOT_SIM_STUDY_PRECISION_H
#define SPOT_SIM_STUDY_PRECISION_H

#include "sim/study/study_policy.h"

/* Every key of replications.until, for parsing and for the manual. */
extern const spot_field_t spot_precision_fields[];

/* Checks what is bound of replications and completes it: the head's num_replications is
 * the maximum then. Errors go to bind. */
void spot_precision_bind(spot_study_t *study, spot_bind_t *bind);

/* The policy of a study with a precision, for one shard of its points. NO_MEMORY; free
 * its state even then. */
SPOT_MUST_CHECK int spot_precision_policy(spot_policy_t *self, const spot_study_t *study,
    int64_t shard_id, int64_t num_shards);

#endif
