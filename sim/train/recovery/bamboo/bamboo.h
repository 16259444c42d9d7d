/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of the recovery system bamboo and where it gets what is not given. */
#pragma once

#include <stdint.h>

#include "sim/train/recovery/by_instances.h"
#include "sim/train/recovery/recovery.h"

typedef struct {
    int64_t local_pause_ms;
    int64_t global_pause_ms;
    int64_t detection_ms; /* before training goes on after an absorbed loss */
    int64_t copy_ms;      /* of a stage to its new holders, after a pause */
    double step_factor;
    double slowdown;
    double doubled_share;
    double redundant_share;
    int has_no_fallback;
    int has_stale_timers;
    int trains_in_pause;
    int has_late_restart;
    int idle_losses_slow;
    int counts_dead_standby;
    spot_by_instances_t by_n;
} spot_bamboo_options_t;

extern const spot_field_t spot_bamboo_fields[];

/* settle of the system. */
int spot_bamboo_settle(void *options, spot_terms_t *terms);
