/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/schedule/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/stats.h"

void spot_summaries_free(spot_summaries_t *self)
{
    free(self->values);
    free(self->queues);
    free(self->starts);
    free(self->summaries);
    *self = (spot_summaries_t){0};
}

static int reserve(spot_summaries_t *self, size_t num_jobs, size_t num_vcs)
{
    int ret = SPOT_ARRAY_ROOM(self, values, num_jobs);

    ret = spot_error_first(ret, SPOT_ARRAY_ROOM(self, queues, num_jobs));
    ret = spot_error_first(ret, SPOT_ARRAY_ROOM(self, starts, num_vcs + 2));
    return spot_error_first(ret, SPOT_ARRAY_ROOM(self, summaries, num_vcs + 1));
}

static double mean(int64_t total, int64_t num)
{
    return num == 0 ? (double) NAN : (double) total / (double) num;
}

/* Fills in what follows from totals, and quantiles of times of the jobs that ended. */
static void finish(spot_job_summary_t *self, double *jct, double *queue)
{
    const int64_t num_ended = self->num_jobs - self->num_unfinished;
    double of_jct[3], of_queue[3];

    self->avg_jct = mean(self->ended[0].jct_s + self->ended[1].jct_s, num_ended);
    self->avg_queue = mean(self->ended[0].queue_s + self->ended[1].queue_s, num_ended);
    self->jct_small = mean(self->ended[0].jct_s, self->ended[0].num_jobs);
    self->jct_large = mean(self->ended[1].jct_s, self->ended[1].num_jobs);
    self->queue_small = mean(self->ended[0].queue_s, self->ended[0].num_jobs);
    self->queue_large = mean(self->ended[1].queue_s, self->ended[1].num_jobs);
    spot_quantiles(jct, (size_t) num_ended, 3, (const double[]){0.5, 0.95, 0.99}, of_jct);
    spot_quantiles(queue, (size_t) num_ended, 3, (const double[]){0.5, 0.95, 0.999}, of_queue);
    self->jct_p50 = of_jct[0];
    self->jct_p95 = of_jct[1];
    self->jct_p99 = of_jct[2];
    self->queue_p50 = of_queue[0];
    self->queue_p95 = of_queue[1];
    self->queue_p999 = of_queue[2];
}

/* Counts the jobs of each VC, and where the times of those that ended start. */
static void count(spot_summaries_t *self, const spot_schedule_t *schedule)
{
    const size_t num_vcs = (size_t) schedule->num_vcs;

    memset(self->summaries, 0, (num_vcs + 1) * sizeof(*self->summaries));
    for (int32_t j = 0; j < (int32_t) schedule->log->num_jobs; j++) {
        if (spot_schedule_has_job(schedule, j)) {
            spot_job_summary_t *vc = &self->summaries[schedule->log->jobs[j].vc_id];

            vc->num_jobs++;
            vc->num_unfinished += spot_schedule_result(schedule, j).end_s < 0;
        }
    }
    self->starts[0] = 0;
    for (size_t j = 0; j < num_vcs; j++) {
        const spot_job_summary_t *vc = &self->summaries[j];

        self->starts[j + 1] = self->starts[j] + (size_t) (vc->num_jobs - vc->num_unfinished);
        self->summaries[num_vcs].num_jobs += vc->num_jobs;
        self->summaries[num_vcs].num_unfinished += vc->num_unfinished;
    }
}

/* Puts the times of a VC's jobs from starts[vc] on, and adds them to its totals. */
static void collect(spot_summaries_t *self, const spot_schedule_t *schedule)
{
    for (int32_t j = 0; j < (int32_t) schedule->log->num_jobs; j++) {
        const spot_job_row_t *row = &schedule->log->jobs[j];
        const spot_job_result_t result = spot_schedule_result(schedule, j);

        if (result.end_s >= 0) {
            const int64_t jct_s = result.end_s - spot_schedule_submit_s(schedule, j);
            const bool is_large = row->gpu_num > schedule->scenario->large_over;
            spot_job_summary_t *vc = &self->summaries[row->vc_id];
            const size_t place = self->starts[row->vc_id]++;

            self->values[place] = (double) jct_s;
            self->queues[place] = (double) result.queue_s;
            vc->ended[is_large].num_jobs++;
            vc->ended[is_large].jct_s += jct_s;
            vc->ended[is_large].queue_s += result.queue_s;
        }
    }
}

int spot_schedule_summarise(spot_summaries_t *self, const spot_schedule_t *schedule)
{
    const size_t num_vcs = (size_t) schedule->num_vcs;
    spot_job_summary_t *all;
    size_t start = 0;

    if (reserve(self, schedule->log->num_jobs, num_vcs) != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    count(self, schedule);
    collect(self, schedule);
    all = &self->summaries[num_vcs];
    for (size_t j = 0; j < num_vcs; j++) { /* starts are those of the next VC now */
        spot_job_summary_t *vc = &self->summaries[j];

        finish(vc, self->values + start, self->queues + start);
        start = self->starts[j];
        for (int k = 0; k < 2; k++) {
            all->ended[k].num_jobs += vc->ended[k].num_jobs;
            all->ended[k].jct_s += vc->ended[k].jct_s;
            all->ended[k].queue_s += vc->ended[k].queue_s;
        }
    }
    finish(all, self->values, self->queues);
    return 0;
}
