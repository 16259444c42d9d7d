/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/study/study_pilot.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"

#define MAX_POINTS 32

/* Runs replications until end_s, beyond those of a small study too. *mean_s: of one; the
 * first one, which has caches to fill, counts only where it is the only one. The clock
 * takes as long as a tenth of a short run, so the more were run the more seldom it is
 * read. */
static int
measure_runs(const spot_study_t *self, spot_study_worker_t *worker, double end_s,
    double *mean_s, int64_t *num_runs)
{
    double *metrics = spot_calloc(self->yield.outputs.num_metrics, sizeof(*metrics));
    unsigned char warnings[SPOT_MAX_WARNINGS] = {0};
    double started_s = spot_clock_thread_s(), time_s = started_s;
    int64_t num = 0;
    int ret = metrics == NULL ? SPOT_ERR_NO_MEMORY : 0;

    while (ret == 0 && (num == 0 || time_s < end_s)) {
        const int64_t end = num + 1 + num / 8;

        if (num == 1) {
            started_s = time_s;
        }
        for (; ret == 0 && num < end; num++) {
            const spot_replication_t replication = {
                .seed = self->head.seed, .replication = (uint64_t) num};

            ret = self->experiment->run(
                worker->worker, &replication, metrics, warnings, NULL);
        }
        time_s = spot_clock_thread_s();
    }
    *mean_s = (time_s - started_s) / (double) (num > 1 ? num - 1 : 1);
    *num_runs += num;
    free(metrics);
    return ret;
}

/* Adds the times of a point. */
static int
measure_point(
    const spot_study_t *self, size_t point_id, double end_s, spot_pilot_t *pilot)
{
    const double started_s = spot_clock_thread_s();
    spot_study_worker_t worker = {.study = NULL};
    double mean_s = 0;
    int ret = spot_study_worker_go(&worker, self, point_id, NULL);

    pilot->open_s += spot_clock_thread_s() - started_s;
    if (ret == 0) {
        ret = measure_runs(self, &worker, end_s, &mean_s, &pilot->num_runs);
    }
    pilot->run_s += mean_s;
    spot_study_worker_close(&worker);
    return ret;
}

/* The points measured are spread evenly, one in each of num_wanted parts, but at places
 * that no key's number of values is a step of: all where all are wanted. */
static size_t
choose_point(size_t num_points, size_t num_wanted, size_t part_id)
{
    const double golden = 0.6180339887498949;
    const double place = golden * (double) part_id;
    const double part = (double) part_id + place - floor(place);
    const size_t point_id = (size_t) (part * (double) num_points / (double) num_wanted);

    return num_points == num_wanted ? part_id
           : point_id < num_points  ? point_id
                                    : num_points - 1;
}

int
spot_study_measure(const spot_study_t *self, double budget_s, const spot_watch_t *watch,
    spot_pilot_t *pilot)
{
    const size_t num_points = self->head.num_points;
    const size_t num_wanted = num_points < MAX_POINTS ? num_points : MAX_POINTS;
    const double started_s = spot_clock_thread_s();
    size_t num = 0;
    int ret = 0;

    *pilot = (spot_pilot_t){.num_runs = 0};
    while (ret == 0 && num < num_wanted &&
           (num == 0 || spot_clock_thread_s() - started_s < budget_s)) {
        const double share = (double) (num + 1) / (double) num_wanted;

        ret = spot_watch_is_stopped(watch)
                  ? SPOT_ERR_INTERRUPTED
                  : measure_point(self, choose_point(num_points, num_wanted, num),
                        started_s + budget_s * share, pilot);
        num++;
    }
    pilot->num_points = num;
    pilot->open_s /= (double) num;
    pilot->run_s /= (double) num;
    return ret;
}
