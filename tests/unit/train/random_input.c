/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "random_input.h"

#include <math.h>

#define NS_PER_MS 1000000

/* Up to high, and no multiple of anything: sums are not halves of a millisecond. */
static int64_t draw_ns(draw_t *draw, double high_ns)
{
    const int64_t most_ns = high_ns < 2e13 ? (int64_t) high_ns : (int64_t) 2e13;

    return dice_between(&draw->dice, 0, most_ns) | 1;
}

/* Processes that together take about as long for a batch as the step does, from much
 * less to several times as long. */
static void draw_input_cost(draw_t *draw, twin_setting_t *setting)
{
    const double step_ns = (double) setting->points[0].step_ms * NS_PER_MS;
    spot_loader_t *input = &setting->input;
    spot_loader_cost_t *cost = &input->cost;
    const double sample_ns = step_ns * (double) input->processes *
                             (double) dice_between(&draw->dice, 4, 64) / 32 /
                             (double) setting->samples_per_step;

    cost->decode_ns = draw_ns(draw, sample_ns);
    for (int site = 0; site < SPOT_NUM_SITES; site++) {
        cost->read_ns[site] = draw_ns(draw, sample_ns * (1 + site));
        cost->open_ns[site] =
            dice_one_in(&draw->dice, 2) ? 0 : draw_ns(draw, sample_ns * (double) input->block);
    }
    cost->merged_ns = dice_between(&draw->dice, -cost->decode_ns / 2, cost->decode_ns);
    cost->thread_growth = 0.01 * (double) dice_between(&draw->dice, -4, 10);
    cost->collate_batch = dice_magnitude(&draw->dice, 1024);
    cost->collate_ns = dice_one_in(&draw->dice, 3)
                           ? 0
                           : draw_ns(draw, sample_ns * (double) cost->collate_batch / 4);
    cost->start_ns = draw_pause(draw, draw->span_ms / 8 + 1) * NS_PER_MS +
                     dice_between(&draw->dice, 0, NS_PER_MS / 2 - 1);
    input->overlap_ns =
        dice_one_in(&draw->dice, 2) ? 0 : draw_pause(draw, draw->span_ms / 8 + 1) * NS_PER_MS;
}

/* Part of the samples, a bandwidth that all of them need about a step for, a cache for
 * some of them, and epochs of a few steps. */
static void draw_input_storage(draw_t *draw, twin_setting_t *setting)
{
    const double step_s = (double) setting->points[0].step_ms / 1000;
    spot_loader_t *input = &setting->input;
    dice_t *dice = &draw->dice;

    input->local_share = 0.01 * (double) dice_between(dice, -30, 130);
    input->local_share = input->local_share < 0 ? 0 : input->local_share;
    input->local_share = input->local_share > 1 ? 1 : input->local_share;
    input->samples = dice_between(dice, 1, setting->samples_per_step * dice_magnitude(dice, 16));
    input->sample_bytes = dice_between(dice, 1000, 1000000);
    if (dice_one_in(dice, 2)) {
        input->bytes_per_s = floor(1 + (double) (setting->samples_per_step * input->sample_bytes) *
                                           16 / step_s / (double) dice_magnitude(dice, 64));
    }
    if (dice_one_in(dice, 2)) {
        input->cache_bytes =
            1 + input->samples * input->sample_bytes / 64 * dice_magnitude(dice, 96);
    }
}

void draw_input(draw_t *draw, twin_setting_t *setting)
{
    const int64_t shorter = dice_between(&draw->dice, 1, 10);
    spot_loader_t *input = &setting->input;
    dice_t *dice = &draw->dice;

    for (size_t j = 0; j < setting->num_points; j++) { /* more steps after a refill */
        setting->points[j].step_ms = 1 + setting->points[j].step_ms / shorter;
    }
    setting->samples_per_step = dice_magnitude(dice, 4096);
    input->is_given = true;
    input->processes = dice_one_in(dice, 4) ? 1 : dice_magnitude(dice, 12);
    input->prefetch = dice_between(dice, 1, 4);
    input->threads = dice_one_in(dice, 2) ? 1 : dice_between(dice, 2, 8);
    input->block = dice_one_in(dice, 2) ? 1 : dice_magnitude(dice, 300);
    input->instances = dice_one_in(dice, 3) ? SPOT_LOADER_ALL : SPOT_LOADER_FIRST_STAGE;
    input->mode = dice_one_in(dice, 4) ? SPOT_LOADER_SYNCHRONOUS : SPOT_LOADER_PREFETCH;
    draw_input_cost(draw, setting);
    draw_input_storage(draw, setting);
}

/* ---- As keys ---- */

static void write_input_cost(FILE *out, const spot_loader_cost_t *cost)
{
    fprintf(out,
        "    cost: {decode: %lld ns, open: {local: %lld ns, remote: %lld ns}, "
        "read: {local: %lld ns, remote: %lld ns}, merged: %lld ns, "
        "thread_growth: %.17g, collate: {time: %lld ns, batch: %lld}, "
        "start: %lld ns}\n",
        (long long) cost->decode_ns, (long long) cost->open_ns[SPOT_SITE_LOCAL],
        (long long) cost->open_ns[SPOT_SITE_REMOTE], (long long) cost->read_ns[SPOT_SITE_LOCAL],
        (long long) cost->read_ns[SPOT_SITE_REMOTE], (long long) cost->merged_ns,
        cost->thread_growth, (long long) cost->collate_ns, (long long) cost->collate_batch,
        (long long) cost->start_ns);
}

void write_input(FILE *out, const twin_setting_t *setting)
{
    static const char *const instances[] = {"first_stage", "all"};
    static const char *const modes[] = {"prefetch", "synchronous"};
    const spot_loader_t *input = &setting->input;

    if (!input->is_given) {
        return;
    }
    fprintf(out, "  samples_per_step: %lld\n  input:\n", (long long) setting->samples_per_step);
    if (input->samples > 0) {
        fprintf(out, "    samples: %lld\n    sample_bytes: %lld B\n", (long long) input->samples,
            (long long) input->sample_bytes);
    }
    fprintf(out,
        "    loader: {processes: %lld, prefetch: %lld, threads: %lld, block: %lld, "
        "instances: %s, mode: %s}\n",
        (long long) input->processes, (long long) input->prefetch, (long long) input->threads,
        (long long) input->block, instances[input->instances], modes[input->mode]);
    write_input_cost(out, &input->cost);
    fprintf(out, "    storage: {local_share: %.17g, cache: %lld B", input->local_share,
        (long long) input->cache_bytes);
    if (input->bytes_per_s > 0) {
        fprintf(out, ", shared_bandwidth: %.17g B/s", input->bytes_per_s);
    }
    fprintf(out, "}\n    restart: {overlap: %lld ns}\n", (long long) input->overlap_ns);
}
