/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ledger: each instance-millisecond from the tick that sees an instance arrive to
 * the tick that sees it gone belongs to exactly one category. Integers, so there is no
 * rounding. */
#pragma once

#include <stdint.h>

typedef enum {
    SPOT_SHARE_PREPPING,
    SPOT_SHARE_STANDBY,
    SPOT_SHARE_RECONFIGURING,
    SPOT_SHARE_RELOADING,
    SPOT_SHARE_USEFUL,    /* steps that a durable checkpoint or the end of the job keeps */
    SPOT_SHARE_LOST,      /* steps rolled back, and the step that the rollback cut off */
    SPOT_SHARE_UNSAVED,   /* steps neither durable nor lost at the end of the run */
    SPOT_SHARE_STALLED,   /* waiting for a checkpoint or for data */
    SPOT_SHARE_REDUNDANT, /* work done only for redundancy */
    SPOT_NUM_SHARES
} spot_share_t;

extern const char *const spot_share_names[SPOT_NUM_SHARES];

typedef struct {
    int64_t instance_ms[SPOT_NUM_SHARES];
    int64_t population_ms; /* integral of the number of instances, counted separately */
} spot_ledger_t;

/* The sum over all categories, in instance-ms. */
int64_t spot_ledger_total(const spot_ledger_t *self);

/* Aborts unless the sum equals the integral and no category is negative. */
void spot_ledger_verify(const spot_ledger_t *self);
