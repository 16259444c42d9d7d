/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a stage runs on: the option of a stage, its market and its autoscaler, as they
 * are bound from the keys config and preemptions. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define SPOT_MAX_REPLICAS 4096

typedef enum { SPOT_MARKET_ON_DEMAND, SPOT_MARKET_SPOT, SPOT_MARKET_HEDGE } spot_market_t;

/* How many on-demand replicas stand in for lost spot replicas. */
typedef enum {
    SPOT_FALLBACK_NONE,
    SPOT_FALLBACK_TO_TARGET,     /* as many as the target lacks */
    SPOT_FALLBACK_TO_PROVISIONED /* as many as target and over-provisioning lack */
} spot_fallback_t;

typedef enum { SPOT_SCALE_NONE, SPOT_SCALE_IDEAL, SPOT_SCALE_UTILISATION } spot_scale_kind_t;

typedef struct {
    int kind; /* spot_scale_kind_t */
    double target_utilisation;
    int64_t interval_ns;
    int64_t min, max; /* replicas */
    int64_t cool_down_ns;
} spot_scale_setting_t;

/* The option of a stage and how its replicas are rented. */
typedef struct {
    int32_t hardware_id; /* in hardware order */
    int64_t batch;       /* batch limit B, queries */
    int64_t replicas;
    int64_t delay_ns; /* batching delay */
    int releases_when_full;
    int market;                  /* spot_market_t */
    int64_t base, overprovision; /* of a hedge */
    int fallback;                /* spot_fallback_t */
    spot_scale_setting_t scale;
} spot_stage_option_t;
