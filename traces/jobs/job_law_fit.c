/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/build_info.h"
#include "base/datetime.h"
#include "base/json.h"
#include "base/memory.h"
#include "traces/fit/fit_law.h"
#include "traces/fit/fit_model.h"
#include "traces/jobs/job_law.h"

#define S_PER_H INT64_C(3600)
#define S_PER_WEEK (SPOT_HOURS_PER_WEEK * S_PER_H)

/* Below so many jobs a size has no law of its own. */
#define LEAST_JOBS 50

/* A law may move the mean by this share. */
#define MAX_SHIFT 0.05

/* Hours that a log must cover before hours and days have weights. */
#define LEAST_HOURS 48
#define LEAST_HOURS_OF_DAYS (2 * SPOT_HOURS_PER_WEEK)

/* ---- Arrivals ---- */

/* Maximum likelihood of rate[hour, day] = per_hour * hours[hour] * weekdays[day] for
 * Poisson counts, by iterative proportional fitting. */
typedef struct {
    int64_t clock_s;        /* of the log's second 0, since a Monday, 0 h */
    int64_t first_h, end_h; /* hours that the log covers, on that clock */
    double num_jobs[SPOT_HOURS_PER_WEEK];
    double num_hours[SPOT_HOURS_PER_WEEK]; /* covered */
    double per_hour;
    double hours[SPOT_HOURS_PER_DAY], weekdays[SPOT_DAYS_PER_WEEK];
    bool has_hours, has_weekdays;
} arrivals_t;

static void
count_arrivals(arrivals_t *self, const spot_job_log_t *log)
{
    const spot_job_row_t *jobs = log->jobs;

    *self = (arrivals_t){0};
    if (log->clock_zero_s != SPOT_JOB_NO_CLOCK) {
        const int64_t week_s = (log->clock_zero_s + SPOT_JOB_MONDAY_S) % S_PER_WEEK;

        self->clock_s = week_s < 0 ? week_s + S_PER_WEEK : week_s;
    }
    self->first_h = (self->clock_s + jobs[0].submit_s) / S_PER_H;
    self->end_h = (self->clock_s + jobs[log->num_jobs - 1].submit_s) / S_PER_H + 1;
    self->has_hours = self->end_h - self->first_h >= LEAST_HOURS;
    self->has_weekdays = self->end_h - self->first_h >= LEAST_HOURS_OF_DAYS;
    for (int64_t hour = self->first_h; hour < self->end_h; hour++) {
        self->num_hours[hour % SPOT_HOURS_PER_WEEK]++;
    }
    for (size_t j = 0; j < log->num_jobs; j++) {
        self->num_jobs[(self->clock_s + jobs[j].submit_s) / S_PER_H %
                       SPOT_HOURS_PER_WEEK]++;
    }
}

/* The best weights for those of the other kind, with the mean 1. step and other_step:
 * between two hours, or two days, of the counts. */
static void
improve(arrivals_t *self, double *weights, int num_weights, int step,
    const double *others, int num_others, int other_step)
{
    double sum = 0;

    for (int j = 0; j < num_weights; j++) {
        double seen = 0, covered = 0;

        for (int k = 0; k < num_others; k++) {
            seen += self->num_jobs[j * step + k * other_step];
            covered += others[k] * self->num_hours[j * step + k * other_step];
        }
        weights[j] = covered > 0 ? seen / covered : 0;
        sum += weights[j];
    }
    for (int j = 0; j < num_weights; j++) {
        weights[j] *= num_weights / sum;
    }
}

static void
fit_arrivals(arrivals_t *self, const spot_job_log_t *log)
{
    enum { NUM_ROUNDS = 50 };
    double covered = 0;

    count_arrivals(self, log);
    for (int j = 0; j < SPOT_HOURS_PER_DAY; j++) {
        self->hours[j] = 1;
    }
    for (int k = 0; k < SPOT_DAYS_PER_WEEK; k++) {
        self->weekdays[k] = 1;
    }
    for (int round = 0; round < NUM_ROUNDS; round++) {
        if (self->has_hours) {
            improve(self, self->hours, SPOT_HOURS_PER_DAY, 1, self->weekdays,
                SPOT_DAYS_PER_WEEK, SPOT_HOURS_PER_DAY);
        }
        if (self->has_weekdays) {
            improve(self, self->weekdays, SPOT_DAYS_PER_WEEK, SPOT_HOURS_PER_DAY,
                self->hours, SPOT_HOURS_PER_DAY, 1);
        }
    }
    for (int j = 0; j < SPOT_HOURS_PER_WEEK; j++) {
        covered += self->hours[j % SPOT_HOURS_PER_DAY] *
                   self->weekdays[j / SPOT_HOURS_PER_DAY] * self->num_hours[j];
    }
    self->per_hour = (double) log->num_jobs / covered;
}

static void
write_weights(FILE *out, const char *key, const double *weights, size_t num_weights)
{
    fprintf(out, "%s: [", key);
    for (size_t j = 0; j < num_weights; j++) {
        fprintf(out, "%s%.4g", j == 0 ? "" : j % 12 == 0 ? ",\n  " : ", ", weights[j]);
    }
    fprintf(out, "]\n");
}

static void
write_arrivals(const arrivals_t *self, const spot_job_log_t *log, FILE *out)
{
    const int64_t first_s = self->first_h * S_PER_H - self->clock_s;
    char date[SPOT_DATETIME_BYTES];

    fprintf(out, "per_hour: %.6g\n", self->per_hour);
    if (log->clock_zero_s != SPOT_JOB_NO_CLOCK && log->clock_zero_s + first_s >= 0 &&
        spot_datetime_later("1970-01-01T00:00:00",
            (log->clock_zero_s + first_s) * SPOT_MS_PER_S, date)) {
        fprintf(out, "start: %s\n", date);
    } else {
        fprintf(out, "start: %s%s\n",
            spot_job_weekday_names[self->first_h / SPOT_HOURS_PER_DAY %
                                   SPOT_DAYS_PER_WEEK],
            log->clock_zero_s == SPOT_JOB_NO_CLOCK
                ? " # the log has no dates: its second 0 counts as a Monday"
                : "");
    }
    fprintf(out, "horizon: %" PRId64 " h\n", self->end_h - self->first_h);
    if (self->has_hours) {
        write_weights(out, "hours", self->hours, SPOT_HOURS_PER_DAY);
    }
    if (self->has_weekdays) {
        write_weights(out, "weekdays", self->weekdays, SPOT_DAYS_PER_WEEK);
    }
}

/* ---- Sizes and VCs ---- */

/* Jobs of one size in one VC. */
typedef struct {
    int32_t vc_id, gpu_num;
} vc_size_t;

static int
compare_sizes(const void *left, const void *right)
{
    const vc_size_t *a = left, *b = right;

    return a->vc_id != b->vc_id ? (a->vc_id > b->vc_id) - (a->vc_id < b->vc_id)
                                : (a->gpu_num > b->gpu_num) - (a->gpu_num < b->gpu_num);
}

/* The end of the items that are equal to the first one, as far as the VC goes or as the
 * size goes too. */
static size_t
end_of(const vc_size_t *sizes, size_t first, size_t num_sizes, bool is_of_size)
{
    size_t end = first;

    while (end < num_sizes && sizes[end].vc_id == sizes[first].vc_id &&
           (!is_of_size || sizes[end].gpu_num == sizes[first].gpu_num)) {
        end++;
    }
    return end;
}

static int
write_vcs(const spot_job_log_t *log, const spot_vc_list_t *vcs, FILE *out)
{
    vc_size_t *sizes = spot_calloc(log->num_jobs, sizeof(*sizes));

    if (sizes == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < log->num_jobs; j++) {
        sizes[j] = (vc_size_t){log->jobs[j].vc_id, log->jobs[j].gpu_num};
    }
    qsort(sizes, log->num_jobs, sizeof(*sizes), compare_sizes);
    fprintf(out, "vcs: # weights are numbers of jobs, sizes of GPUs\n");
    for (size_t j = 0; j < log->num_jobs;) {
        const size_t end = end_of(sizes, j, log->num_jobs, false);

        fprintf(out, "  ");
        spot_json_quote(out, vcs->vcs[sizes[j].vc_id].name, true);
        fprintf(out, ": {weight: %zu, sizes: {", end - j);
        for (size_t next; j < end; j = next) {
            next = end_of(sizes, j, end, true);
            fprintf(out, "%" PRId32 ": %zu%s", sizes[j].gpu_num, next - j,
                next < end ? ", " : "}}\n");
        }
    }
    free(sizes);
    return 0;
}

/* ---- Durations ---- */

typedef struct {
    spot_maximiser_t maximiser;
    double longest_s;
    double *values_s;          /* [num_jobs] scratch */
    double work_s, law_work_s; /* GPU-seconds of the jobs, and the law's mean of them */
} durations_t;

/* The mean of a law whose longest values are cut: the integral of its survival function,
 * in steps of ln t. */
static double
mean_below(const spot_law_t *law, double longest_s)
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
static const spot_fit_t *
choose_law(const spot_fit_ranking_t *ranking, double log_mean_s, double longest_s,
    double *mean_s)
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

/* A law for jobs of from_gpus and more, whose durations are the values; gpus: of all of
 * them. */
static int
write_duration(
    durations_t *self, int32_t from_gpus, size_t num_values, double gpus, FILE *out)
{
    spot_durations_t durations;
    spot_fit_ranking_t ranking;
    const spot_fit_t *fit = NULL;
    double mean_s;
    const int ret =
        spot_durations_init(&durations, self->values_s, NULL, num_values, 0, 1);

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
                num_values, durations.mean_s, mean_s, fit->ks);
        } else {
            fprintf(out, "%.0f s # %zu jobs\n", mean_s, num_values);
        }
        self->law_work_s += mean_s * gpus;
    }
    spot_durations_free(&durations);
    return ret;
}

/* The durations of sizes from from_gpus on and below end_gpus, behind the num_values
 * ones that the scratch has. Returns the new number; adds to the number of GPUs. */
static size_t
take_durations(durations_t *self, const spot_job_log_t *log, int32_t from_gpus,
    int32_t end_gpus, size_t num_values, double *gpus)
{
    for (size_t j = 0; j < log->num_jobs; j++) {
        const spot_job_row_t *job = &log->jobs[j];

        if (job->gpu_num >= from_gpus && job->gpu_num < end_gpus) {
            self->values_s[num_values++] = (double) job->duration_s;
            self->work_s += (double) job->duration_s * job->gpu_num;
            *gpus += job->gpu_num;
        }
    }
    return num_values;
}

/* Classes of few jobs join the next one, or, at the end, the one before. */
static int
write_classes(durations_t *self, const spot_job_log_t *log, FILE *out)
{
    static const int32_t bounds[] = {1, 2, 3, 5, 9, 17, 33, 65, 129, 257, INT32_MAX};
    enum { NUM_CLASSES = sizeof(bounds) / sizeof(bounds[0]) - 1 };
    size_t num_left = log->num_jobs, num_values = 0;
    int32_t from_gpus = bounds[0];
    double gpus = 0;
    int ret = 0;

    fprintf(out, "durations: # by GPUs\n");
    for (int k = 0; k < NUM_CLASSES && ret == 0; k++) {
        num_values =
            take_durations(self, log, bounds[k], bounds[k + 1], num_values, &gpus);
        if (k + 1 == NUM_CLASSES ||
            (num_values >= LEAST_JOBS && num_left - num_values >= LEAST_JOBS)) {
            ret = write_duration(self, from_gpus, num_values, gpus, out);
            num_left -= num_values;
            num_values = 0;
            gpus = 0;
            from_gpus = bounds[k + 1];
        }
    }
    fprintf(out,
        "# GPU-hours: %.0f in the log, %.0f in the mean of the laws (%+.0f %%)\n",
        self->work_s / S_PER_H, self->law_work_s / S_PER_H,
        100 * (self->law_work_s / self->work_s - 1));
    return ret;
}

static int
write_durations(const spot_job_log_t *log, FILE *out)
{
    durations_t self = {0};
    int64_t longest_s = 1;
    int ret = spot_maximiser_init(&self.maximiser);

    for (size_t j = 0; j < log->num_jobs; j++) {
        longest_s =
            log->jobs[j].duration_s > longest_s ? log->jobs[j].duration_s : longest_s;
    }
    self.longest_s = (double) longest_s;
    fprintf(out, "longest: %" PRId64 " s\n", longest_s);
    self.values_s = ret == 0 ? spot_calloc(log->num_jobs, sizeof(double)) : NULL;
    ret = self.values_s == NULL ? SPOT_ERR_NO_MEMORY : write_classes(&self, log, out);
    free(self.values_s);
    spot_maximiser_free(&self.maximiser);
    return ret;
}

int
spot_job_law_fit(const spot_job_log_t *log, const spot_vc_list_t *vcs,
    const char *source, FILE *out, spot_diag_t *diag)
{
    arrivals_t arrivals;
    int ret;

    if (log->num_jobs < 2) {
        return spot_diag_error(diag, source, 0, 0, "%s: laws need at least 2",
            log->num_jobs == 0 ? "no jobs" : "1 job");
    }
    fit_arrivals(&arrivals, log);
    fprintf(out, "# Laws of %zu jobs, fitted to ", log->num_jobs);
    spot_json_quote(out, source, true);
    fprintf(out, " by spotsim %s\nspotsim-jobs: 1\n", spot_build_info.version);
    write_arrivals(&arrivals, log, out);
    if (log->users.num_texts > 0) {
        fprintf(out, "users: %zu\n", log->users.num_texts);
    }
    ret = write_vcs(log, vcs, out);
    return ret == 0 ? write_durations(log, out) : ret;
}
