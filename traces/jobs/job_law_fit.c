/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/datetime.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/provenance.h"
#include "traces/fit/fit_law.h"
#include "traces/fit/fit_model.h"
#include "traces/jobs/job_law.h"

#define S_PER_H INT64_C(3600)

/* Below so many jobs a size has no law of its own. */
#define LEAST_JOBS 50

/* A law may move the mean by this share. */
#define MAX_SHIFT 0.05

/* ---- Arrivals ---- */

/* Weights, with the mean 1, of the hours of a day or the days of a week. */
typedef struct {
    const char *key;
    int num_weights;
    int step;            /* hours between two of them */
    int64_t least_hours; /* that a log must cover; else all are 1 */
    double weights[SPOT_HOURS_PER_DAY];
} cycle_t;

enum { HOURS, WEEKDAYS, NUM_CYCLES };

/* Maximum likelihood of rate[hour, day] = per_hour * hours[hour] * weekdays[day] for
 * Poisson counts, by iterative proportional fitting. */
typedef struct {
    int64_t clock_s;        /* of the log's second 0, since a Monday, 0 h */
    int64_t first_h, end_h; /* hours that the log covers, on that clock */
    double num_jobs[SPOT_HOURS_PER_WEEK];
    double num_hours[SPOT_HOURS_PER_WEEK]; /* covered */
    cycle_t cycles[NUM_CYCLES];
} arrivals_t;

static void count_arrivals(arrivals_t *self, const spot_job_log_t *log)
{
    const spot_job_row_t *jobs = log->jobs;

    if (log->clock_zero_s != SPOT_JOB_NO_CLOCK) {
        self->clock_s = spot_job_week_s(log->clock_zero_s);
    }
    self->first_h = (self->clock_s + jobs[0].submit_s) / S_PER_H;
    self->end_h = (self->clock_s + jobs[log->num_jobs - 1].submit_s) / S_PER_H + 1;
    for (int64_t hour = self->first_h; hour < self->end_h; hour++) {
        self->num_hours[hour % SPOT_HOURS_PER_WEEK]++;
    }
    for (size_t j = 0; j < log->num_jobs; j++) {
        self->num_jobs[(self->clock_s + jobs[j].submit_s) / S_PER_H % SPOT_HOURS_PER_WEEK]++;
    }
}

static bool has_weights(const arrivals_t *self, const cycle_t *cycle)
{
    return self->end_h - self->first_h >= cycle->least_hours;
}

/* The best weights for those of the other cycle. */
static void improve(const arrivals_t *self, cycle_t *cycle, const cycle_t *other)
{
    double sum = 0;

    for (int j = 0; j < cycle->num_weights; j++) {
        double seen = 0, covered = 0;

        for (int k = 0; k < other->num_weights; k++) {
            seen += self->num_jobs[j * cycle->step + k * other->step];
            covered += other->weights[k] * self->num_hours[j * cycle->step + k * other->step];
        }
        cycle->weights[j] = covered > 0 ? seen / covered : 0;
        sum += cycle->weights[j];
    }
    for (int j = 0; j < cycle->num_weights; j++) {
        cycle->weights[j] *= cycle->num_weights / sum;
    }
}

/* Returns the jobs per hour. */
static double fit_arrivals(arrivals_t *self, const spot_job_log_t *log)
{
    enum { NUM_ROUNDS = 50 };
    const double *hours = self->cycles[HOURS].weights;
    const double *weekdays = self->cycles[WEEKDAYS].weights;
    double covered = 0;

    *self = (arrivals_t){
        .cycles = {{"hours", SPOT_HOURS_PER_DAY, 1, 2 * SPOT_HOURS_PER_DAY, {0}},
            {"weekdays", SPOT_DAYS_PER_WEEK, SPOT_HOURS_PER_DAY, 2 * SPOT_HOURS_PER_WEEK, {0}}}};
    count_arrivals(self, log);
    for (int j = 0; j < SPOT_HOURS_PER_DAY; j++) {
        self->cycles[HOURS].weights[j] = self->cycles[WEEKDAYS].weights[j] = 1;
    }
    for (int round = 0; round < NUM_CYCLES * NUM_ROUNDS; round++) {
        cycle_t *cycle = &self->cycles[round % NUM_CYCLES];

        if (has_weights(self, cycle)) {
            improve(self, cycle, &self->cycles[(round + 1) % NUM_CYCLES]);
        }
    }
    for (int j = 0; j < SPOT_HOURS_PER_WEEK; j++) {
        covered +=
            hours[j % SPOT_HOURS_PER_DAY] * weekdays[j / SPOT_HOURS_PER_DAY] * self->num_hours[j];
    }
    return (double) log->num_jobs / covered;
}

static void write_start(const arrivals_t *self, int64_t clock_zero_s, FILE *out)
{
    const int64_t first_s = self->first_h * S_PER_H - self->clock_s;
    const int64_t weekday = self->first_h / SPOT_HOURS_PER_DAY % SPOT_DAYS_PER_WEEK;
    char date[SPOT_DATETIME_BYTES];
    const bool has_date =
        clock_zero_s != SPOT_JOB_NO_CLOCK && clock_zero_s + first_s >= 0 &&
        spot_datetime_later("1970-01-01T00:00:00", (clock_zero_s + first_s) * SPOT_MS_PER_S, date);

    fprintf(out, "start: %s%s\n", has_date ? date : spot_job_weekday_names[weekday],
        clock_zero_s == SPOT_JOB_NO_CLOCK
            ? " # the log has no dates: its second 0 counts as a Monday"
            : "");
}

static void write_arrivals(const spot_job_log_t *log, FILE *out)
{
    arrivals_t self = {0};

    fprintf(out, "per_hour: %.6g\n", fit_arrivals(&self, log));
    write_start(&self, log->clock_zero_s, out);
    fprintf(out, "horizon: %" PRId64 " h\n", self.end_h - self.first_h);
    for (size_t k = 0; k < NUM_CYCLES; k++) {
        const cycle_t *cycle = &self.cycles[k];

        for (int j = 0; j < cycle->num_weights && has_weights(&self, cycle); j++) {
            fprintf(out, "%s%s%.4g%s", j == 0 ? cycle->key : "",
                j == 0        ? ": ["
                : j % 12 == 0 ? ",\n  "
                              : ", ",
                cycle->weights[j], j + 1 == cycle->num_weights ? "]\n" : "");
        }
    }
}

/* ---- Sizes and VCs ---- */

static int compare_sizes(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *) left, b = *(const int64_t *) right;

    return (a > b) - (a < b);
}

/* The end of the sizes from first on that are below limit. */
static size_t end_of(const int64_t *sizes, size_t first, size_t num_sizes, int64_t limit)
{
    while (first < num_sizes && sizes[first] < limit) {
        first++;
    }
    return first;
}

static int write_vcs(const spot_job_log_t *log, const spot_vc_list_t *vcs, FILE *out)
{
    const int64_t per_vc = INT64_C(1) << 32;
    int64_t *sizes = spot_calloc(log->num_jobs, sizeof(*sizes)); /* by VC, then GPUs */

    if (sizes == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < log->num_jobs; j++) {
        sizes[j] = log->jobs[j].vc_id * per_vc + log->jobs[j].gpu_num;
    }
    qsort(sizes, log->num_jobs, sizeof(*sizes), compare_sizes);
    fprintf(out, "vcs: # weights are numbers of jobs, sizes of GPUs\n");
    for (size_t j = 0; j < log->num_jobs;) {
        const int64_t vc_id = sizes[j] / per_vc;
        const size_t end = end_of(sizes, j, log->num_jobs, (vc_id + 1) * per_vc);

        fprintf(out, "  ");
        spot_json_quote(out, vcs->vcs[vc_id].name, true);
        fprintf(out, ": {weight: %zu, sizes: {", end - j);
        for (size_t next; j < end; j = next) {
            next = end_of(sizes, j, end, sizes[j] + 1);
            fprintf(
                out, "%" PRId64 ": %zu%s", sizes[j] % per_vc, next - j, next < end ? ", " : "}}\n");
        }
    }
    free(sizes);
    return 0;
}

/* ---- Durations ---- */

typedef struct {
    spot_maximiser_t maximiser;
    double longest_s;
    size_t num_values;
    double *values_s;          /* [num_values] of one class */
    double num_gpus;           /* of all its jobs */
    double work_s, law_work_s; /* GPU-seconds of the jobs, and the law's mean of them */
} durations_t;

/* The mean of a law whose longest values are cut: the integral of its survival function,
 * in steps of ln t. */
static double mean_below(const spot_law_t *law, double longest_s)
{
    enum { NUM_STEPS = 4000 };
    const double low_s = 1e-3, factor = log(longest_s / low_s) / NUM_STEPS;
    double mean_s = low_s;

    for (int j = 0; j < NUM_STEPS; j++) {
        const double t_s = low_s * exp((j + 0.5) * factor);

        mean_s += exp(law->family->log_survival(law->parameters, t_s)) * t_s * factor;
    }
    return mean_s;
}

/* The best law by AIC among those that keep the mean, on which the load of a cluster
 * depends; *mean_s: its own. */
static const spot_fit_t *choose_law(
    const spot_fit_ranking_t *ranking, double log_mean_s, double longest_s, double *mean_s)
{
    for (size_t j = 0; j < ranking->num_fits; j++) {
        const spot_fit_t *fit = &ranking->fits[j];

        if (fit->is_fitted && fit->converged) {
            *mean_s = mean_below(&fit->law, longest_s);
            if (fabs(*mean_s / log_mean_s - 1) <= MAX_SHIFT) {
                return fit;
            }
        }
    }
    if (ranking->best_mean_id < 0) {
        return NULL;
    }
    *mean_s = mean_below(&ranking->fits[ranking->best_mean_id].law, longest_s);
    return &ranking->fits[ranking->best_mean_id];
}

/* Writes a law for the jobs of from_gpus and more: their durations are the values. */
static int write_duration(durations_t *self, int32_t from_gpus, FILE *out)
{
    spot_fit_durations_t durations;
    spot_fit_ranking_t ranking;
    const spot_fit_t *fit = NULL;
    double mean_s;
    const int ret =
        spot_fit_durations_init(&durations, self->values_s, NULL, self->num_values, 0, 1);

    if (ret == 0) {
        mean_s = durations.mean_s;
        fprintf(out, "  %" PRId32 ": ", from_gpus);
        if (!durations.is_one_value) {
            spot_fit_rank(&ranking, &self->maximiser, &durations, NULL, (double) NAN);
            fit = choose_law(&ranking, durations.mean_s, self->longest_s, &mean_s);
        }
        if (fit != NULL) {
            spot_fit_write_law(out, "family", &fit->law);
            fprintf(out, " # %zu jobs, mean %.0f s (law: %.0f s), KS distance %.3f\n",
                self->num_values, durations.mean_s, mean_s, fit->ks);
        } else {
            fprintf(out, "%.0f s # %zu jobs\n", mean_s, self->num_values);
        }
        self->law_work_s += mean_s * self->num_gpus;
    }
    spot_fit_durations_free(&durations);
    return ret;
}

/* Classes of few jobs join the next one, or, at the end, the one before. */
static int write_classes(durations_t *self, const spot_job_log_t *log, FILE *out)
{
    static const int32_t bounds[] = {1, 2, 3, 5, 9, 17, 33, 65, 129, 257, INT32_MAX};
    enum { NUM_CLASSES = sizeof(bounds) / sizeof(bounds[0]) - 1 };
    size_t num_left = log->num_jobs;
    int32_t from_gpus = bounds[0];
    int ret = 0;

    fprintf(out, "longest: %.0f s\ndurations: # by GPUs\n", self->longest_s);
    for (int k = 0; k < NUM_CLASSES && ret == 0; k++) {
        for (size_t j = 0; j < log->num_jobs; j++) {
            const spot_job_row_t *job = &log->jobs[j];

            if (job->gpu_num >= bounds[k] && job->gpu_num < bounds[k + 1]) {
                self->values_s[self->num_values++] = (double) job->duration_s;
                self->work_s += (double) job->duration_s * job->gpu_num;
                self->num_gpus += job->gpu_num;
            }
        }
        if (k + 1 == NUM_CLASSES ||
            (self->num_values >= LEAST_JOBS && num_left - self->num_values >= LEAST_JOBS)) {
            ret = write_duration(self, from_gpus, out);
            num_left -= self->num_values;
            self->num_values = 0;
            self->num_gpus = 0;
            from_gpus = bounds[k + 1];
        }
    }
    fprintf(out, "# GPU-hours: %.0f in the log, %.0f in the mean of the laws (%+.0f %%)\n",
        self->work_s / S_PER_H, self->law_work_s / S_PER_H,
        100 * (self->law_work_s / self->work_s - 1));
    return ret;
}

static int write_durations(const spot_job_log_t *log, FILE *out)
{
    durations_t self = {.longest_s = 1};
    int ret = spot_maximiser_init(&self.maximiser);

    for (size_t j = 0; j < log->num_jobs; j++) {
        self.longest_s = fmax(self.longest_s, (double) log->jobs[j].duration_s);
    }
    self.values_s = ret == 0 ? spot_calloc(log->num_jobs, sizeof(double)) : NULL;
    ret = self.values_s == NULL ? SPOT_ERR_NO_MEMORY : write_classes(&self, log, out);
    free(self.values_s);
    spot_maximiser_free(&self.maximiser);
    return ret;
}

int spot_job_law_fit(const spot_job_log_t *log, const spot_vc_list_t *vcs, const char *source,
    FILE *out, spot_diag_t *diag)
{
    int ret;

    if (log->num_jobs < 2) {
        return spot_diag_error(diag, source, 0, 0, "%s: laws need at least 2",
            log->num_jobs == 0 ? "no jobs" : "1 job");
    }
    fprintf(out, "# Laws of %zu jobs, fitted to ", log->num_jobs);
    spot_json_quote(out, source, true);
    fprintf(out, " by spotsim %s\nspotsim-jobs: 1\n", spot_build_info.version);
    write_arrivals(log, out);
    if (log->users.num_texts > 0) {
        fprintf(out, "users: %zu\n", log->users.num_texts);
    }
    ret = write_vcs(log, vcs, out);
    return ret == 0 ? write_durations(log, out) : ret;
}
