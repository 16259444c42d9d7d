/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/input/search.h"

#include <math.h>

bool spot_search_is_better(const spot_search_point_t *a, const spot_search_point_t *b)
{
    return a->seconds < b->seconds || (a->seconds == b->seconds && a->id < b->id);
}

static int evaluate(spot_search_t *self, size_t id)
{
    spot_search_point_t *point = &self->points[self->num_points];
    int ret;

    *point = (spot_search_point_t){
        .threads = id == 0 ? 1 : self->threads.values[(id - 1) / self->blocks.num_values],
        .block = id == 0 ? 1 : self->blocks.values[(id - 1) % self->blocks.num_values],
        .stall_share = (double) NAN,
        .id = id};
    ret = self->measure(self->context, point);
    if (ret != 0) {
        return ret;
    }
    self->num_points++;
    if (isfinite(point->seconds) &&
        (self->best == NULL || spot_search_is_better(point, self->best))) {
        self->best = point;
    }
    if (point->stall_share <= SPOT_LOADER_STALLED) {
        self->why = "the last point does not stall";
    }
    return 0;
}

int spot_search_run(spot_search_t *self, const spot_search_method_t *method, spot_arena_t *memory)
{
    const size_t num_ids = self->threads.num_values * self->blocks.num_values;
    const bool is_in = num_ids > 0 && self->threads.values[0] == 1 && self->blocks.values[0] == 1;
    size_t num_left = num_ids - is_in;
    int ret;

    if (SPOT_ARENA_ARRAY(memory, self->points, num_ids + 1) == NULL ||
        SPOT_ARENA_ARRAY(memory, self->is_known, num_ids + 1) == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    spot_rng_seek(&self->rng, (uint64_t) self->seed, 0, SPOT_STREAM_SEARCH, 0);
    ret = evaluate(self, is_in);
    self->is_known[is_in] = true;
    self->base = ret == 0 && isfinite(self->points->seconds) ? self->points : NULL;
    if (self->why != NULL) {
        self->why = "threads 1, block 1 does not stall: do not merge";
    }
    ret = ret == SPOT_SEARCH_UNKNOWN ? 0 : ret;
    for (size_t n = 0, id; ret == 0 && self->why == NULL; n++) {
        if (num_left == 0 || (method->is_limited && n == (size_t) self->max_evaluations) ||
            (id = method->next(self, n)) == 0) {
            self->why = self->why != NULL ? self->why : method->end;
        } else if (!self->is_known[id]) {
            ret = evaluate(self, id);
            self->is_known[id] = true;
            num_left--;
        }
    }
    return ret;
}

int spot_search_predict(void *context, spot_search_point_t *point)
{
    spot_input_scenario_t scenario = *(const spot_input_scenario_t *) context;
    const spot_loader_work_t work = spot_input_scenario_work(&scenario);
    spot_loader_prediction_t prediction = {0};
    int ret;

    scenario.loader.threads = point->threads;
    scenario.loader.block = point->block;
    ret = spot_loader_predict(&prediction, &scenario.loader, &work);
    point->seconds = prediction.completion_s;
    point->stall_share = prediction.stall_share;
    return ret;
}
