/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/schedule/pool_setting.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "sim/schedule/job_data.h"
#include "traces/generate/generator.h"

/* Zones of a generator have entities of 48 bits: the pool is above them. */
#define POOL_ENTITY_BITS 48
#define MAX_ENTITIES 65536

static const char *const core_names[] = {"core", NULL};

#define PREPARATION_EXPECTED "a duration such as \"180 s\", or core"

/* Form 0 is core. */
static const spot_field_t preparation_forms[] = {
    {.name = "", .type = SPOT_FIELD_CHOICE, .offset = SPOT_NOWHERE, .choices = core_names},
    {SPOT_RANGE(DURATION, "", spot_pool_setting_t, preparation_ms, 0, (double) SPOT_MAX_DURATION_MS,
         NULL, NULL),
        .expected = PREPARATION_EXPECTED},
    {.name = NULL},
};

/* The forms of the value of trace. */
static const spot_field_t trace_forms[] = {
    {.name = "", .type = SPOT_FIELD_PATH, .file_table = spot_trace_model_table},
    {.name = "", .type = SPOT_FIELD_CUSTOM, .table = spot_trace_model_table},
    {.name = NULL},
};

static const spot_field_t price_fields[] = {
    {SPOT_FIELDS(ONE_OF, "spot", spot_pool_setting_t, price, spot_price_forms, "0.91", "spot price",
         "price of a spot node, USD per node-hour, constant or in steps since the start "
         "of the trace; a price of the trace itself wins"),
        .settle = spot_price_steps_settle, .expected = SPOT_PRICE_EXPECTED, SPOT_DECIDES},
    {.name = NULL},
};

static const spot_field_t item_fields[] = {
    {SPOT_VALUE(TEXT, "vc", spot_pool_setting_t, vc, "",
        "the virtual cluster that has these nodes besides its reserved ones; without it "
        "the item gives the share cluster.spot_share of the nodes of every VC")},
    {SPOT_FIELDS(ONE_OF, "trace", spot_pool_setting_t, trace_node, trace_forms, NULL, "trace",
         "how the nodes come and go, on a clock that starts with the run"),
        .bind = spot_bind_keep_node, /* bound when the nodes of the VC are known */
        .expected = "{generator: NAME, ...}, {file: PATH}, {model: PATH} or the path of "
                    "a model file"},
    {.name = "preparation",
        .label = "preparation time",
        .type = SPOT_FIELD_ONE_OF,
        .offset = 0,
        .initial = "180 s",
        SPOT_DECIDES,
        .fields = preparation_forms,
        .has_form = true,
        .form_offset = offsetof(spot_pool_setting_t, preparation_form),
        .expected = PREPARATION_EXPECTED,
        .help = "time from the arrival of a node until it is ready; core: the training "
                "engine prepares the nodes of its jobs itself"},
    {SPOT_RANGE(DURATION, "notice", spot_pool_setting_t, notice_ms, 0,
         (double) SPOT_MAX_DURATION_MS, "0 s", "notice before a preemption",
         "how long before a preemption it is known, in whole seconds: the node takes no "
         "more jobs, and jobs on it write a checkpoint if the time is enough"),
        SPOT_DECIDES},
    {SPOT_RANGE(INTEGER, "capacity", spot_pool_setting_t, capacity, 1, SPOT_MAX_POOL_NODES, "",
        "capacity of the pool",
        "most nodes at a time; additions above it are clipped and counted. Default: "
        "that of the trace file; a generator needs it")},
    {SPOT_RANGE(INTEGER, "initial", spot_pool_setting_t, initial, 0, SPOT_MAX_POOL_NODES, "",
        "initial nodes of the pool",
        "nodes that are ready at the start; default: capacity. A trace file brings its "
        "own")},
    {SPOT_GROUP("price", price_fields, "{}", "what a node costs")},
    {.name = NULL},
};

const spot_field_t spot_pool_item = {.type = SPOT_FIELD_MAP, .offset = 0, .fields = item_fields};

/* ---- Pools of VCs ---- */

/* Where an item of the list stands in the document. */
static const spot_node_t *item_node(const spot_node_t *root, size_t setting_id)
{
    return spot_node_get(root, "pools")->children[setting_id];
}

/* Steps of its own, as a template gives them to many. */
static int copy_price(spot_price_steps_t *self, const spot_price_steps_t *price)
{
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < price->num_steps; j++) {
        ret = spot_price_steps_add(self, price->steps[j].start_ms, price->steps[j].usd_per_h);
    }
    return ret;
}

/* Binds the trace of a pool with num_nodes (0: as the setting says). */
static int bind_trace(spot_pool_plan_t *self, spot_bind_t *bind, const spot_pool_setting_t *setting,
    const spot_node_t *node, int64_t num_nodes, int64_t horizon_ms, const spot_trace_model_t *like)
{
    const int64_t capacity = num_nodes > 0 ? num_nodes : setting->capacity;
    const bool has_initial = num_nodes == 0 && spot_node_get(node, "initial") != NULL;
    const spot_trace_setting_t values = {
        .tick_ms = SPOT_MS_PER_S,
        .capacity = capacity > 0 ? capacity : 1,
        .initial = has_initial ? setting->initial : capacity,
        .horizon_ms = horizon_ms,
    };
    char path[sizeof(bind->path)];
    int ret;

    strcpy(path, bind->path);
    strcat(bind->path, "trace.");
    ret = spot_trace_model_bind(&self->trace, bind, setting->trace_node, &values, like);
    strcpy(bind->path, path);
    if (ret != 0) {
        return ret;
    }
    if (capacity == 0 && self->trace.recording == NULL) {
        spot_bind_error(bind, node, "capacity", "a generator needs it");
        return 0;
    }
    if (!spot_trace_model_has_price(&self->trace)) {
        spot_recorded_trace_check_price(
            spot_trace_model_common(&self->trace), &setting->price, bind->diag, node, "price.spot");
    }
    self->capacity = capacity > 0 ? capacity : spot_trace_most(self->trace.recording);
    self->capacity = self->capacity > 0 ? self->capacity : 1;
    if (spot_trace_model_initial(&self->trace) > self->capacity) {
        spot_bind_error(bind, node, "initial",
            "the trace starts with %lld nodes, more than the capacity (%lld)",
            (long long) spot_trace_model_initial(&self->trace), (long long) self->capacity);
    }
    return 0;
}

static int add_pool(spot_pool_plans_t *self, spot_bind_t *bind, const spot_node_t *root,
    size_t setting_id, int32_t vc_id, int64_t num_nodes, int64_t horizon_ms,
    const spot_pool_plans_t *like)
{
    const spot_pool_setting_t *setting = &self->settings[setting_id];
    const bool is_template = setting->vc == NULL;
    const size_t pool_id = self->num_pools;
    const spot_trace_model_t *like_trace = NULL;
    spot_pool_plan_t *pool;
    int ret;

    if (SPOT_ARRAY_APPEND(self, pools, (spot_pool_plan_t){.vc_id = vc_id}) != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    pool = &self->pools[pool_id];
    if (like != NULL && pool_id < like->num_pools) {
        like_trace = &like->pools[pool_id].trace;
    } else if (is_template && pool_id > 0 && self->pools[pool_id - 1].vc_id < vc_id) {
        like_trace = &self->pools[pool_id - 1].trace;
    }
    pool->entity =
        (setting_id + (is_template ? (uint64_t) vc_id * self->num_settings : 0)) % MAX_ENTITIES
        << POOL_ENTITY_BITS;
    pool->is_prepared_by_core = setting->preparation_form == 0;
    if (!pool->is_prepared_by_core) {
        pool->preparation_s = setting->preparation_ms <= SPOT_MS_PER_S
                                  ? 1
                                  : (setting->preparation_ms + SPOT_MS_PER_S - 1) / SPOT_MS_PER_S;
    }
    pool->notice_ms = setting->notice_ms;
    snprintf(bind->path, sizeof(bind->path), "pools[%zu].", setting_id);
    ret = bind_trace(
        pool, bind, setting, item_node(root, setting_id), num_nodes, horizon_ms, like_trace);
    spot_currency_check(bind, item_node(root, setting_id), "price.spot", setting->price.currency,
        SPOT_USUAL_CURRENCY);
    spot_currency_check(bind, item_node(root, setting_id), "trace",
        ret == 0 ? spot_trace_model_currency(&pool->trace, SPOT_USUAL_CURRENCY) : NULL,
        SPOT_USUAL_CURRENCY);
    bind->path[0] = '\0';
    return ret != 0 ? ret : copy_price(&pool->price, &setting->price);
}

/* The pools of one VC, in order of the list. */
static int add_pools(spot_pool_plans_t *self, spot_bind_t *bind, const spot_node_t *root,
    const spot_vc_list_t *vcs, int32_t vc_id, int64_t num_shared, int64_t horizon_ms,
    const spot_pool_plans_t *like)
{
    int ret = 0;

    for (size_t j = 0; ret != SPOT_ERR_NO_MEMORY && j < self->num_settings; j++) {
        const char *vc = self->settings[j].vc;
        const bool is_here = vc == NULL ? num_shared > 0 : strcmp(vc, vcs->vcs[vc_id].name) == 0;

        if (is_here) {
            ret = spot_error_first(ret, add_pool(self, bind, root, j, vc_id,
                                            vc == NULL ? num_shared : 0, horizon_ms, like));
        }
    }
    return ret;
}

int spot_pool_plans_init(spot_pool_plans_t *self, spot_bind_t *bind, const spot_node_t *root,
    const spot_vc_list_t *vcs, double spot_share, int64_t horizon_ms, int32_t *num_reserved,
    const spot_pool_plans_t *like)
{
    size_t num_templates = 0;
    char key[64];
    int ret = 0;

    for (size_t j = 0; j < self->num_settings; j++) {
        const char *vc = self->settings[j].vc;

        snprintf(key, sizeof(key), "pools[%zu].vc", j);
        if (vc == NULL) {
            num_templates++;
        } else if (spot_vc_named(vcs, bind, spot_node_get(item_node(root, j), "vc"), key, vc) < 0) {
            ret = SPOT_ERR_BAD_INPUT;
        }
    }
    if (num_templates > 1) {
        SPOT_KEY_ERROR(bind, root, "pools", "more than one pool without vc");
    } else if (spot_share > 0 && num_templates == 0) {
        SPOT_KEY_ERROR(bind, root, "cluster.spot_share",
            "needs a pool without vc, which says how its nodes come and go");
    }
    for (int32_t j = 0; ret == 0 && j < (int32_t) vcs->num_vcs; j++) {
        const int64_t num_shared =
            (int64_t) floor(spot_share * (double) vcs->vcs[j].num_nodes + 0.5);
        const size_t num_pools = self->num_pools;

        num_reserved[j] = vcs->vcs[j].num_nodes - (int32_t) num_shared;
        ret = add_pools(self, bind, root, vcs, j, num_shared, horizon_ms, like);
        if (spot_pool_plans_is_fleet(self, j) &&
            (num_reserved[j] > 0 || self->num_pools > num_pools + 1)) {
            SPOT_KEY_ERROR(bind, root, "pools",
                "preparation: core needs a VC without reserved nodes and without "
                "another pool: %s has %d reserved and %zu pools",
                vcs->vcs[j].name, num_reserved[j], self->num_pools - num_pools);
        }
    }
    for (size_t j = 0; j < self->num_settings; j++) {
        self->settings[j].trace_node = NULL;
    }
    return ret;
}

void spot_pool_plans_free(spot_pool_plans_t *self)
{
    for (size_t j = 0; j < self->num_settings; j++) {
        free(self->settings[j].vc);
        spot_price_steps_free(&self->settings[j].price);
    }
    for (size_t j = 0; j < self->num_pools; j++) {
        spot_trace_model_free(&self->pools[j].trace);
        spot_price_steps_free(&self->pools[j].price);
    }
    free(self->settings);
    free(self->pools);
    *self = (spot_pool_plans_t){0};
}

int64_t spot_pool_plans_most(const spot_pool_plans_t *self, int32_t vc_id)
{
    int64_t num_nodes = 0;

    for (size_t j = 0; j < self->num_pools; j++) {
        const spot_pool_plan_t *pool = &self->pools[j];
        const int64_t peak =
            pool->trace.recording == NULL ? pool->capacity : spot_trace_peak(pool->trace.recording);

        if (pool->vc_id == vc_id) {
            num_nodes += peak < pool->capacity ? peak : pool->capacity;
        }
    }
    return num_nodes;
}

bool spot_pool_plans_is_fleet(const spot_pool_plans_t *self, int32_t vc_id)
{
    for (size_t j = 0; j < self->num_pools; j++) {
        if (self->pools[j].vc_id == vc_id && self->pools[j].is_prepared_by_core) {
            return true;
        }
    }
    return false;
}
