/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/job/same_work.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/units.h"
#include "sim/train/job/feed.h"

static int add_rental(spot_rentals_t *self, const spot_job_t *job, int64_t num_pipelines,
    int64_t num_instances, int64_t step_ms)
{
    spot_rental_t *rental;
    const int ret = SPOT_ARRAY_ROOM(self, rentals, self->num_rentals + 1);

    if (ret != 0) {
        return ret;
    }
    rental = &self->rentals[self->num_rentals++];
    rental->num_instances = num_instances;
    rental->fill_ms = 0;
    spot_cycle_init(&rental->cycle, &job->checkpoint, step_ms);
    if (job->input.is_given) {
        spot_feed_t feed = spot_feed_init(job);

        spot_feed_change(&feed, job, num_instances, num_pipelines, num_instances);
        rental->fill_ms = spot_feed_cycle(&feed, job, &job->checkpoint, &rental->cycle);
    }
    return 0;
}

/* More instances with the same step time take as long and cost no less. Without them a
 * wide range between two measured points has one rental for each millisecond. */
static bool is_needed(const spot_rentals_t *self, int64_t step_ms)
{
    return self->num_rentals == 0 || self->rentals[self->num_rentals - 1].cycle.step_ms != step_ms;
}

int spot_rentals_init(spot_rentals_t *self, const spot_job_t *job)
{
    const spot_step_grid_t *grid = &job->step_time.grid;
    const bool is_by_pair = spot_step_time_is_by_pair(&job->step_time);
    const int64_t largest =
        is_by_pair ? 0 : spot_step_time_largest(&job->step_time) / job->pipeline_depth;
    const int64_t most = largest < job->max_pipelines ? largest : job->max_pipelines;
    int ret = 0;

    *self = (spot_rentals_t){.num_rentals = 0};
    for (size_t j = 0; ret == 0 && is_by_pair && j < grid->num_best; j++) {
        ret = add_rental(self, job, grid->best[j]->num_pipelines,
            (int64_t) grid->best[j]->num_pipelines * grid->best[j]->depth,
            spot_step_pair_ms(grid->best[j]));
    }
    for (int64_t j = 1; ret == 0 && !is_by_pair && j <= most; j++) {
        const int64_t step_ms = spot_job_covers_step(job, j) ? spot_job_step_ms(job, j) : 0;

        if (step_ms > 0 && (job->input.is_given || is_needed(self, step_ms))) {
            ret = add_rental(self, job, j, j * job->pipeline_depth, step_ms);
        }
    }
    return ret;
}

void spot_rentals_free(spot_rentals_t *self)
{
    free(self->rentals);
    *self = (spot_rentals_t){.num_rentals = 0};
}

static spot_same_work_t rent(const spot_rental_t *rental, const spot_work_done_t *work)
{
    const double whole = floor(work->steps);
    const double rest_ms = (work->steps - whole) * (double) rental->cycle.step_ms;
    const double end_ms =
        whole == 0 ? 0 : (double) spot_cycle_step_end_ms(&rental->cycle, (int64_t) whole);
    const double time_ms = (double) (work->preparation_ms + rental->fill_ms) + end_ms + rest_ms;
    const double usd_per_h =
        (double) rental->num_instances * work->instance_usd_per_h + work->service_usd_per_h;

    return (spot_same_work_t){.num_instances = rental->num_instances,
        .time_s = time_ms / (double) SPOT_MS_PER_S,
        .cost_usd = usd_per_h * time_ms / (double) SPOT_MS_PER_H};
}

spot_same_work_t spot_same_work_find(const spot_rentals_t *self, const spot_work_done_t *work)
{
    const double within_s = (double) work->within_ms / (double) SPOT_MS_PER_S;
    spot_same_work_t found = {.num_instances = 0};

    for (size_t j = 0; j < self->num_rentals; j++) {
        const spot_same_work_t same = rent(&self->rentals[j], work);
        const bool is_in_time = same.time_s <= within_s;
        const bool was_in_time = found.time_s <= within_s;
        const bool is_better =
            is_in_time && was_in_time ? same.cost_usd < found.cost_usd : same.time_s < found.time_s;

        if (found.num_instances == 0 || is_better) {
            found = same;
        }
    }
    if (work->steps == 0) {
        found.time_s = found.cost_usd = 0;
    }
    return found;
}
