/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/job/feed.h"

#include "base/integers.h"

/* Steps of an epoch that fills caches. */
static int64_t steps_of_epoch(const spot_job_t *job)
{
    return job->input.cache_bytes == 0 ? 0
                                       : spot_divide_up(job->input.samples, job->samples_per_step);
}

spot_feed_t spot_feed_init(const spot_job_t *job)
{
    return (spot_feed_t){.share = job->input.local_share, .epoch_steps = steps_of_epoch(job)};
}

void spot_feed_change(spot_feed_t *self, const spot_job_t *job, int64_t num_active,
    int64_t num_pipelines, int64_t num_new)
{
    const spot_loader_t *input = &job->input;
    const int64_t before = self->num_loading;
    const int64_t now =
        input->instances == SPOT_LOADER_ALL && num_pipelines > 0 ? num_active : num_pipelines;

    const bool is_fresh = self->has_loaded && (num_new > 0 || before == 0);

    self->num_loading = now;
    self->has_loaded |= now > 0;
    if (input->cache_bytes == 0 || now == 0) {
        return;
    }
    if (is_fresh) {
        self->share = 0;
    } else if (before != now && before > 0) {
        /* consistent assignment keeps so much of each part */
        self->share =
            (self->epoch_steps > 0 ? self->share : spot_loader_warm_share(input, before)) *
            (double) (before < now ? before : now) / (double) (before < now ? now : before);
    } else {
        return;
    }
    self->epoch_steps = steps_of_epoch(job);
}

int64_t spot_feed_cycle(const spot_feed_t *self, const spot_job_t *job,
    const spot_checkpoint_t *checkpoint, spot_cycle_t *cycle)
{
    const spot_loader_t *input = &job->input;
    const double num_samples = (double) spot_divide_up(job->samples_per_step, self->num_loading);
    const double warm_share = spot_loader_warm_share(input, self->num_loading);
    const spot_loader_stall_t warm =
        spot_loader_stall(input, num_samples, warm_share, self->num_loading, cycle->step_ms);
    const spot_loader_stall_t first =
        self->epoch_steps == 0
            ? warm
            : spot_loader_stall(input, num_samples, self->share, self->num_loading, cycle->step_ms);
    /* the processes have a batch each when the first one is there */
    const int64_t num_full =
        self->is_filled || input->mode == SPOT_LOADER_SYNCHRONOUS ? 0 : input->processes;
    const int64_t num_cold = self->epoch_steps > num_full ? self->epoch_steps - num_full : 0;

    spot_cycle_wait(
        cycle, checkpoint, &(spot_waits_t){{num_full, num_cold}, {0, first.wait_ms, warm.wait_ms}});
    return self->is_filled ? 0 : first.refill_ms;
}
