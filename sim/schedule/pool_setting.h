/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The key pools of a scenario: the spot nodes of its virtual clusters (VCs). An item
 * without a VC is a template: it gives a share of the nodes of every VC. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bind.h"
#include "models/price.h"
#include "traces/generate/model.h"
#include "traces/jobs/job_log.h"

#define SPOT_MAX_POOLS 1000
#define SPOT_MAX_POOL_NODES 100000

/* An item of the list, as it is bound. */
typedef struct {
    char *vc;                      /* NULL: of every VC, see spot_share */
    const spot_node_t *trace_node; /* during reading only */
    int preparation_form;          /* 0: core */
    int64_t preparation_ms;
    int64_t notice_ms;
    int64_t capacity; /* 0: not given */
    int64_t initial;  /* 0 if not given, too */
    spot_price_steps_t price;
} spot_pool_setting_t;

/* The spot nodes of one VC that one trace brings and takes. Constant, so that all
 * threads share it. */
typedef struct {
    int32_t vc_id;
    uint64_t entity;          /* of its random streams: the place of its item in the list and, of
                                 a template, the place of the VC in the file of VCs. Names do not
                                 matter */
    bool is_prepared_by_core; /* nodes are given to jobs of the training engine as they
                                 arrive, and it prepares them */
    int64_t preparation_s;    /* >= 1: a node is ready in a later second; core: 0 */
    int64_t notice_ms;
    int64_t capacity;
    spot_trace_model_t trace;
    spot_price_steps_t price; /* of a node whose trace gives none */
} spot_pool_plan_t;

typedef struct {
    size_t num_settings;
    spot_pool_setting_t *settings; /* [num_settings] */
    size_t num_pools;
    size_t max_pools;
    spot_pool_plan_t *pools; /* [num_pools] by VC, then by place in the list */
} spot_pool_plans_t;

/* The field of a member of type spot_pool_plans_t, which binds its settings. */
extern const spot_field_t spot_pool_item;
#define SPOT_POOLS_FIELD(owner, member)                                                            \
    SPOT_ITEMS(LIST, "pools", owner, member.settings, member.num_settings, spot_pool_item, 0,      \
        SPOT_MAX_POOLS, "[]", "a list of pools such as [{vc: a, trace: {file: spot.csv}}]",        \
        "spot nodes of the virtual clusters")

/* Makes the pools of all VCs from the settings, which are bound. num_reserved:
 * [vcs->num_vcs] the reserved nodes of each VC, less by those that are spot. like:
 * of another scenario of the study, whose recordings are shared, or NULL. BAD_INPUT, IO,
 * NO_MEMORY with the reasons in the diagnostics of bind; free self even then. */
SPOT_MUST_CHECK int spot_pool_plans_init(spot_pool_plans_t *self, spot_bind_t *bind,
    const spot_node_t *root, const spot_vc_list_t *vcs, double spot_share, int64_t horizon_ms,
    int32_t *num_reserved, const spot_pool_plans_t *like);
void spot_pool_plans_free(spot_pool_plans_t *self);

/* Whether the training engine prepares the nodes of a VC. O(pools). */
bool spot_pool_plans_is_fleet(const spot_pool_plans_t *self, int32_t vc_id);

/* The most nodes that a VC has at a time by its pools. O(pools). */
int64_t spot_pool_plans_most(const spot_pool_plans_t *self, int32_t vc_id);
