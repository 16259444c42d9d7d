/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The data loaders of the twin's job: how long a step waits for its data, and how long
 * the loaders take until the first of it is there. Times are in ms, from the keys. */
#include <math.h>

#include "twin_job.h"

#define NS_PER_MS 1e6

static const spot_loader_t *input_of(const twin_t *self)
{
    return &self->setting->input;
}

static int64_t divide_up(int64_t number, int64_t divisor)
{
    return (number + divisor - 1) / divisor;
}

/* ---- Which part of the samples is read locally ---- */

/* Once the cache of each instance has seen a whole epoch. */
static double warm_share(const twin_t *self, int64_t num_loading)
{
    const spot_loader_t *input = input_of(self);
    const double part_bytes =
        (double) input->samples * (double) input->sample_bytes / (double) num_loading;

    return fmax(input->local_share, fmin(1, (double) input->cache_bytes / part_bytes));
}

static double share_now(const twin_t *self)
{
    if (input_of(self)->cache_bytes == 0) {
        return input_of(self)->local_share;
    }
    return self->input.first_steps > 0 ? self->input.share
                                       : warm_share(self, self->input.num_loading);
}

/* New instances have empty caches; another number of them has another part of what the
 * others kept. Either way a new epoch begins. */
static void settle_share(twin_t *self, int64_t num_loading, bool has_newcomers)
{
    const spot_loader_t *input = input_of(self);
    twin_input_t *now = &self->input;

    if (input->cache_bytes == 0 || (!has_newcomers && now->num_loading == num_loading)) {
        return;
    }
    if (!now->has_loaded) {
        now->share = input->local_share;
    } else if (has_newcomers) {
        now->share = 0;
    } else {
        now->share = share_now(self) * (double) SMALLER(now->num_loading, num_loading) /
                     (double) LARGER(now->num_loading, num_loading);
    }
    now->first_steps = divide_up(input->samples, self->setting->samples_per_step);
}

/* ---- Times ---- */

static double sample_ms(const twin_t *self)
{
    const spot_loader_t *input = input_of(self);
    const double block = (double) input->block;
    const double local_ns = (double) input->cost.open_ns[SPOT_SITE_LOCAL] / block +
                            (double) input->cost.read_ns[SPOT_SITE_LOCAL];
    const double remote_ns = (double) input->cost.open_ns[SPOT_SITE_REMOTE] / block +
                             (double) input->cost.read_ns[SPOT_SITE_REMOTE];
    double decode_ns = (double) input->cost.decode_ns;

    if (input->block > 1) {
        decode_ns += (double) input->cost.merged_ns;
        decode_ns *= 1 + input->cost.thread_growth * log2((double) input->threads);
    }
    return (decode_ns + share_now(self) * local_ns + (1 - share_now(self)) * remote_ns) / NS_PER_MS;
}

/* Samples of a step that each loading instance reads. */
static double num_samples(const twin_t *self)
{
    return (double) divide_up(self->setting->samples_per_step, self->input.num_loading);
}

/* T_b: of one process for one batch. */
static double batch_ms(const twin_t *self)
{
    const spot_loader_cost_t *cost = &input_of(self)->cost;

    return num_samples(self) *
           (sample_ms(self) + (double) cost->collate_ns / NS_PER_MS / (double) cost->collate_batch);
}

/* T_s: of the shared storage for one batch of each instance. */
static double storage_ms(const twin_t *self)
{
    const spot_loader_t *input = input_of(self);

    if (input->bytes_per_s == 0) {
        return 0;
    }
    return 1000 * (1 - share_now(self)) * num_samples(self) * (double) self->input.num_loading *
           (double) input->sample_bytes / input->bytes_per_s;
}

int64_t twin_wait_ms(const twin_t *self)
{
    const spot_loader_t *input = input_of(self);

    if (!input->is_given || self->input.ready_steps > 0) {
        return 0;
    }
    if (input->mode == SPOT_LOADER_SYNCHRONOUS) {
        return llround(batch_ms(self) + storage_ms(self));
    }
    return LARGER(0, llround(fmax(batch_ms(self) / (double) input->processes, storage_ms(self))) -
                         self->step_ms);
}

/* From the start of the loaders to the first batch of each process. */
static int64_t refill_ms(const twin_t *self)
{
    const spot_loader_t *input = input_of(self);
    double fill_ms = (double) (input->cost.start_ns - input->overlap_ns) / NS_PER_MS;

    if (input->mode == SPOT_LOADER_PREFETCH) {
        fill_ms += fmax(batch_ms(self), (double) input->processes * storage_ms(self));
    }
    return LARGER(0, llround(fill_ms));
}

/* ---- What happens ---- */

int64_t twin_begin_loading(
    twin_t *self, const spot_recovery_decision_t *decision, int64_t num_survived, int64_t pause_ms)
{
    const spot_loader_t *input = input_of(self);
    twin_input_t *now = &self->input;
    const int64_t num_loading =
        input->instances == SPOT_LOADER_ALL ? decision->num_active : decision->num_pipelines;

    if (!input->is_given || decision->num_pipelines == 0) {
        now->is_filled = false;
        now->num_loading = 0;
        return 0;
    }
    settle_share(self, num_loading, now->num_loading == 0 || decision->num_active > num_survived);
    now->has_loaded = true;
    now->num_loading = num_loading;
    if (now->is_filled && pause_ms == 0) {
        now->ready_steps = self->carried_ms > 0 ? 1 : 0;
        return 0;
    }
    now->is_filled = false;
    now->ready_steps = input->mode == SPOT_LOADER_PREFETCH ? input->processes
                       : self->carried_ms > 0              ? 1
                                                           : 0;
    return refill_ms(self);
}

void twin_use_data(twin_t *self)
{
    self->input.ready_steps -= self->input.ready_steps > 0;
    self->input.first_steps -= self->input.first_steps > 0;
}
