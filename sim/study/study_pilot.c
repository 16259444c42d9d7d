/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/study/study_pilot.h"

#include "base/clock.h"

#define MAX_POINTS 32
#define MAX_RUNS 32 /* of a point */

/* Runs replications until end_s. *mean_s: of one; the first one, which has caches to
 * fill, counts only where it is the only one. */
static int
measure_runs(const spot_study_t *self, void *worker, double end_s, double *mean_s,
    int64_t *num_runs)
{
    double metrics[SPOT_MAX_METRICS];
    unsigned char warnings[SPOT_MAX_WARNINGS];
    double started_s = spot_clock_s(), time_s = started_s;
    int64_t num = 0;
    int ret = 0;

    while (ret == 0 && num < MAX_RUNS && num < self->head.num_replications &&
           (num == 0 || time_s < end_s)) {
        if (num == 1) {
            started_s = time_s;
        }
        ret = self->experiment->run(
            worker, self->head.seed, (uint64_t) num, metrics, warnings);
        time_s = spot_clock_s();
        num++;
    }
    *mean_s = (time_s - started_s) / (double) (num > 1 ? num - 1 : 1);
    *num_runs += num;
    return ret;
}

/* Adds the times of a point. */
static int
measure_point(
    const spot_study_t *self, size_t point_id, double end_s, spot_pilot_t *pilot)
{
    const double started_s = spot_clock_s();
    void *worker = NULL;
    double mean_s = 0;
    int ret = self->experiment->open(&worker, self->scenarios[point_id]);

    pilot->open_s += spot_clock_s() - started_s;
    if (ret == 0) {
        ret = measure_runs(self, worker, end_s, &mean_s, &pilot->num_runs);
    }
    pilot->run_s += mean_s;
    self->experiment->close(worker);
    return ret;
}

int
spot_study_measure(const spot_study_t *self, double budget_s, const spot_watch_t *watch,
    spot_pilot_t *pilot)
{
    const size_t num_points = self->head.num_points;
    const size_t num_wanted = num_points < MAX_POINTS ? num_points : MAX_POINTS;
    const double started_s = spot_clock_s();
    size_t num = 0;
    int ret = 0;

    *pilot = (spot_pilot_t){.num_runs = 0};
    while (ret == 0 && num < num_wanted &&
           (num == 0 || spot_clock_s() - started_s < budget_s)) {
        const double share = (double) (num + 1) / (double) num_wanted;

        ret = spot_watch_is_stopped(watch)
                  ? SPOT_ERR_INTERRUPTED
                  : measure_point(self, num * num_points / num_wanted,
                        started_s + budget_s * share, pilot);
        num++;
    }
    pilot->open_s /= (double) num;
    pilot->run_s /= (double) num;
    return ret;
}
