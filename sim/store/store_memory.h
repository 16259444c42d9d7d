/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The two stores in memory; spot_store_open_memory() takes the one that the head asks
 * for. Internal to sim/store. */
#ifndef SPOT_SIM_STORE_STORE_MEMORY_H
#define SPOT_SIM_STORE_STORE_MEMORY_H

#include "sim/store/store.h"

/* Of a head with keep: summaries. NO_MEMORY leaves *self NULL. */
SPOT_MUST_CHECK int spot_store_open_memory_summaries(
    spot_store_t **self, const spot_study_head_t *head);

#endif
