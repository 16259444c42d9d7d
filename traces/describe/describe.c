/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/describe/describe.h"

#include <gsl/gsl_math.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/stats.h"
#include "base/units.h"
#include "traces/describe/sample.h"
#include "traces/describe/series.h"

/* Fewest whole windows, whole days and preemptions for the figures of them. */
#define MIN_WINDOWS 8
#define MIN_DAYS 2
#define MIN_PREEMPTIONS 10

/* Sums over the plateaus of N(t), the times between two changes. */
typedef struct {
    int64_t full_ms;
    int64_t empty_ms;
    int64_t shortest_ms; /* -1: none yet */
    spot_sum_t instance_ms;
} plateaus_t;

static void take_plateau(
    plateaus_t *self, spot_describe_t *figures, int64_t population, int64_t length_ms)
{
    const double n = (double) population;

    self->full_ms += n >= figures->capacity ? length_ms : 0;
    self->empty_ms += population == 0 ? length_ms : 0;
    spot_sum_add(&self->instance_ms, n * (double) length_ms);
    figures->max_n = fmax(figures->max_n, n); /* fmax of n and NAN is n */
    figures->min_n = fmin(figures->min_n, n);
}

/* N(t) is the number after all changes of one time; numbers between them last no
 * time. */
static void describe_fill_population(
    spot_describe_t *self, const spot_trace_t *trace, const spot_bulks_t *bulks)
{
    plateaus_t plateaus = {.shortest_ms = -1};
    int64_t population = trace->initial, time_ms = 0;

    for (size_t j = 0; j < bulks->num_bulks; j++) {
        const spot_bulk_t *bulk = &bulks->bulks[j];
        const int64_t length_ms = bulk->time_ms - time_ms;

        if (length_ms > 0) {
            take_plateau(&plateaus, self, population, length_ms);
            if (plateaus.shortest_ms < 0 || length_ms < plateaus.shortest_ms) {
                plateaus.shortest_ms = length_ms;
            }
        }
        population += bulk->kind == SPOT_EVENT_ADD ? bulk->size : -bulk->size;
        time_ms = bulk->time_ms;
    }
    take_plateau(&plateaus, self, population, trace->end_ms - time_ms);
    self->mean_n = spot_sum_total(&plateaus.instance_ms) / (double) trace->end_ms;
    self->frac_full = (double) plateaus.full_ms / (double) trace->end_ms;
    self->frac_empty = (double) plateaus.empty_ms / (double) trace->end_ms;
    if (plateaus.shortest_ms > 0) {
        self->shortest_plateau_s = (double) plateaus.shortest_ms / (double) SPOT_MS_PER_S;
    }
}

/* Variance / mean over all windows; filled holds only those with an event. */
static double fano(const spot_moments_t *filled, int64_t num_windows)
{
    const double num_filled = (double) filled->num_values;
    const double num_empty = (double) num_windows - num_filled;
    const double mean = num_filled * filled->mean / (double) num_windows;
    /* Sums of squares of two groups. Chan, Golub and LeVeque, Am. Stat. 37(3), 1983. */
    const double sum_squares = filled->sum_squares + filled->mean * filled->mean * num_filled *
                                                         num_empty / (double) num_windows;

    return mean > 0 ? sum_squares / (double) (num_windows - 1) / mean : (double) NAN;
}

/* Losses of the open window, and the moments of the windows before it with a loss. */
typedef struct {
    int64_t window; /* -1: none open */
    double instances;
    double events;
    spot_moments_t by_instances;
    spot_moments_t by_events;
} windows_t;

static void close_window(windows_t *self)
{
    if (self->window >= 0) {
        spot_moments_add(&self->by_instances, self->instances);
        spot_moments_add(&self->by_events, self->events);
    }
    self->instances = self->events = 0;
}

/* Windows are [kW, (k + 1) W), the last one closed; a rest shorter than W is left
 * out. */
static void fill_fano(const spot_bulks_t *bulks, int64_t end_ms, int64_t length_ms,
    double *by_instances, double *by_events)
{
    const int64_t num_windows = end_ms / length_ms;
    windows_t windows = {.window = -1};

    if (num_windows < MIN_WINDOWS) {
        return;
    }
    for (size_t j = 0; j < bulks->num_bulks; j++) {
        const spot_bulk_t *bulk = &bulks->bulks[j];
        int64_t window = bulk->time_ms / length_ms;

        if (bulk->kind != SPOT_EVENT_PREEMPT || bulk->time_ms > num_windows * length_ms) {
            continue;
        }
        window -= window == num_windows ? 1 : 0;
        if (window != windows.window) {
            close_window(&windows);
            windows.window = window;
        }
        windows.instances += bulk->size;
        windows.events += 1;
    }
    close_window(&windows);
    *by_instances = fano(&windows.by_instances, num_windows);
    *by_events = fano(&windows.by_events, num_windows);
}

/* Rayleigh's test: preemptions prefer no time of day. K. V. Mardia and P. E. Jupp,
 * Directional Statistics, 2000, 6.3.1. */
static void fill_day(spot_describe_t *self, const spot_bulks_t *bulks, int64_t end_ms)
{
    const int64_t num_days = end_ms / SPOT_MS_PER_D;
    spot_sum_t cosines = {0}, sines = {0};
    double num = 0, c, s;

    for (size_t j = 0; j < bulks->num_bulks; j++) {
        const spot_bulk_t *bulk = &bulks->bulks[j];
        const double angle =
            2 * M_PI * (double) (bulk->time_ms % SPOT_MS_PER_D) / (double) SPOT_MS_PER_D;

        if (bulk->kind == SPOT_EVENT_PREEMPT && bulk->time_ms < num_days * SPOT_MS_PER_D) {
            num += 1;
            spot_sum_add(&cosines, cos(angle));
            spot_sum_add(&sines, sin(angle));
        }
    }
    if (num_days < MIN_DAYS || num < MIN_PREEMPTIONS) {
        return;
    }
    c = spot_sum_total(&cosines) / num;
    s = spot_sum_total(&sines) / num;
    self->day_n = num;
    self->day_rayleigh_r = hypot(c, s);
    self->day_rayleigh_p = exp(-num * (c * c + s * s));
    self->day_peak_h = atan2(s, c) * 12 / M_PI;
    self->day_peak_h += self->day_peak_h < 0 ? 24 : 0;
}

static void describe_fill_events(
    spot_describe_t *self, const spot_trace_t *trace, const spot_bulks_t *bulks)
{
    const double instance_h = self->mean_n * self->span_h;

    self->preempt_events = self->preempted = self->add_events = self->added = 0;
    for (size_t j = 0; j < bulks->num_bulks; j++) {
        const spot_bulk_t *bulk = &bulks->bulks[j];

        if (bulk->kind == SPOT_EVENT_PREEMPT) {
            self->preempt_events += 1;
            self->preempted += bulk->size;
        } else if (bulk->kind == SPOT_EVENT_ADD) {
            self->add_events += 1;
            self->added += bulk->size;
        }
    }
    if (instance_h > 0) {
        self->preempted_per_instance_h = self->preempted / instance_h;
    }
    fill_fano(bulks, trace->end_ms, 10 * SPOT_MS_PER_MIN, &self->fano_instances_10min,
        &self->fano_events_10min);
    fill_fano(bulks, trace->end_ms, SPOT_MS_PER_H, &self->fano_instances_1h, &self->fano_events_1h);
    fill_day(self, bulks, trace->end_ms);
}

/* Lags of the Ljung-Box statistic. */
#define NUM_LAGS 5

/* Fills the figures that any number of gaps or spells has. */
static int fill_gap_moments(spot_gap_figures_t *self, const spot_sample_t *sample)
{
    spot_value_stats_t series;
    const int ret = spot_value_stats_init(&series, sample->values, sample->num_values);

    if (ret != 0 || sample->num_values == 0) {
        return ret;
    }
    self->n = (double) sample->num_values;
    self->mean_s = series.mean;
    self->sd_s = series.sd;
    self->cv = series.cv;
    self->median_s = series.median;
    return 0;
}

/* With has_logs the values are replaced by their logarithms: the caller needs them no
 * more. */
static void fill_gap_dependence(spot_gap_figures_t *self, spot_sample_t *sample, bool has_logs)
{
    double acf[NUM_LAGS];

    if (sample->num_values < SPOT_DESCRIBE_MIN_GAPS) {
        return;
    }
    if (spot_series_acf(sample->values, sample->num_values, NUM_LAGS, acf)) {
        self->acf1 = acf[0];
        if (has_logs) {
            self->ljungbox5_p = spot_series_ljung_box_p(acf, NUM_LAGS, sample->num_values);
        }
    }
    for (size_t j = 0; has_logs && j < sample->num_values; j++) {
        sample->values[j] = log(sample->values[j]);
    }
    if (has_logs && spot_series_acf(sample->values, sample->num_values, 1, acf)) {
        self->log_acf1 = acf[0];
    }
}

/* Of gaps or of spells. */
static int fill_gaps(spot_gap_figures_t *self, const spot_trace_t *trace, spot_sample_kind_t kind)
{
    const bool is_spell = kind >= SPOT_SAMPLE_UP_SPELL;
    spot_sample_t sample;
    int ret = spot_sample_init(&sample, trace, kind);

    if (ret == 0) {
        if (is_spell) {
            spot_sample_keep_complete(&sample);
        }
        ret = fill_gap_moments(self, &sample);
        fill_gap_dependence(self, &sample, !is_spell);
    }
    spot_sample_free(&sample);
    return ret;
}

static int fill_counts(
    spot_count_figures_t *self, const spot_trace_t *trace, spot_sample_kind_t kind)
{
    spot_value_stats_t series;
    spot_sample_t sample;
    size_t num_ones = 0;
    int ret = spot_sample_init(&sample, trace, kind);

    if (ret == 0) {
        ret = spot_value_stats_init(&series, sample.values, sample.num_values);
    }
    if (ret == 0 && sample.num_values > 0) {
        for (size_t j = 0; j < sample.num_values; j++) {
            num_ones += sample.values[j] == 1 ? 1 : 0;
        }
        self->mean = series.mean;
        self->sd = series.sd;
        self->vmr = series.sd * series.sd / series.mean;
        self->max = series.max;
        self->share_one = (double) num_ones / (double) sample.num_values;
    }
    spot_sample_free(&sample);
    return ret;
}

static int fill_survival(spot_life_figures_t *self, const spot_sample_t *sample)
{
    spot_kaplan_meier_t survival;
    const int ret =
        spot_kaplan_meier_init(&survival, sample->values, sample->is_censored, sample->num_values);

    if (ret == 0) {
        self->km_median_s = spot_kaplan_meier_median(&survival);
        self->restricted_mean_s = spot_kaplan_meier_restricted_mean(&survival);
    }
    spot_kaplan_meier_free(&survival);
    return ret;
}

static int fill_lives(spot_life_figures_t *self, const spot_sample_t *sample)
{
    spot_moments_t observed = {0};
    spot_sum_t total_s = {0};

    self->n = (double) sample->num_values;
    for (size_t j = 0; j < sample->num_values; j++) {
        spot_sum_add(&total_s, sample->values[j]);
        if (!sample->is_censored[j]) {
            spot_moments_add(&observed, sample->values[j]);
        }
    }
    self->preempted = (double) observed.num_values;
    self->censored = self->n - self->preempted;
    self->mean_observed_s = spot_moments_mean(&observed);
    self->sd_observed_s = spot_moments_std(&observed);
    if (spot_sum_total(&total_s) > 0) {
        self->deaths_per_s = self->preempted / spot_sum_total(&total_s);
    }
    return fill_survival(self, sample);
}

static int fill_names(spot_life_figures_t *self, const spot_trace_t *trace)
{
    spot_sample_t sample;
    int ret = spot_sample_init(&sample, trace, SPOT_SAMPLE_LIFETIME);

    ret = ret == 0 ? fill_lives(self, &sample) : ret;
    spot_sample_free(&sample);
    return ret;
}

/* Replaces commas, quotes and control bytes in the name: a file name may have them, a
 * header line has none. */
static int copy_texts(spot_describe_t *self, const char *name, const char *start)
{
    name = name == NULL ? "trace" : name;
    start = start == NULL ? "unknown" : start;
    self->name = spot_text_copy(name, strlen(name));
    self->start = spot_text_copy(start, strlen(start));
    if (self->name == NULL || self->start == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (char *byte = self->name; *byte != '\0'; byte++) {
        if (*byte == ',' || *byte == '"' || (unsigned char) *byte < ' ') {
            *byte = '?';
        }
    }
    return 0;
}

/* Sets every figure to NAN, also two of the spells that are never filled in. */
static void clear(spot_describe_t *self)
{
    memset(self, 0, sizeof(*self));
    for (size_t j = 0; j < SPOT_NUM_DESCRIBE_FIGURES; j++) {
        *spot_describe_figure_place(self, &spot_describe_figures[j]) = (double) NAN;
    }
    self->up_spell.log_acf1 = self->up_spell.ljungbox5_p = (double) NAN;
    self->down_spell.log_acf1 = self->down_spell.ljungbox5_p = (double) NAN;
}

/* Fills all figures that start from a sample. */
static int fill_samples(spot_describe_t *self, const spot_trace_t *trace)
{
    const struct {
        spot_gap_figures_t *figures;
        spot_sample_kind_t kind;
    } gaps[] = {{&self->preempt_gap, SPOT_SAMPLE_PREEMPT_GAP},
        {&self->add_gap, SPOT_SAMPLE_ADD_GAP}, {&self->change_gap, SPOT_SAMPLE_CHANGE_GAP},
        {&self->up_spell, SPOT_SAMPLE_UP_SPELL}, {&self->down_spell, SPOT_SAMPLE_DOWN_SPELL}};
    int ret = fill_counts(&self->preempt_count, trace, SPOT_SAMPLE_PREEMPT_COUNT);

    ret = ret == 0 ? fill_counts(&self->add_count, trace, SPOT_SAMPLE_ADD_COUNT) : ret;
    for (size_t j = 0; ret == 0 && j < sizeof(gaps) / sizeof(gaps[0]); j++) {
        ret = fill_gaps(gaps[j].figures, trace, gaps[j].kind);
    }
    return ret == 0 && trace->kind == SPOT_TRACE_NAMED ? fill_names(&self->life, trace) : ret;
}

int spot_describe_init(spot_describe_t *self, const spot_trace_t *trace)
{
    spot_bulks_t bulks = {0};
    int ret;

    clear(self);
    self->kind = trace->kind;
    self->is_unbounded = trace->capacity == SPOT_UNBOUNDED;
    self->resolution_s = spot_duration_s(trace->resolution_ms);
    self->span_h = (double) trace->end_ms / (double) SPOT_MS_PER_H;
    ret = copy_texts(self, spot_trace_key(trace, "name"), spot_trace_key(trace, "start"));
    ret = ret == 0 ? spot_bulks_init(&bulks, trace) : ret;
    if (ret == 0) {
        self->capacity = spot_trace_most(trace);
        describe_fill_population(self, trace, &bulks);
        describe_fill_events(self, trace, &bulks);
        ret = fill_samples(self, trace);
    }
    spot_bulks_free(&bulks);
    return ret;
}

int spot_describe_init_lifetimes(
    spot_describe_t *self, const spot_lifetimes_t *lifetimes, const char *name)
{
    spot_sample_t sample = {0};
    int ret;

    clear(self);
    self->is_lifetimes = true;
    ret = copy_texts(self, name, spot_keys_find(&lifetimes->header, "start"));
    ret = ret == 0 ? spot_sample_init_lifetimes(&sample, lifetimes) : ret;
    ret = ret == 0 ? fill_lives(&self->life, &sample) : ret;
    spot_sample_free(&sample);
    return ret;
}

void spot_describe_free(spot_describe_t *self)
{
    free(self->name);
    free(self->start);
    memset(self, 0, sizeof(*self));
}

double spot_describe_spread_s(double span_h, double num_events)
{
    return num_events > 0 ? span_h * 3600 / num_events : (double) NAN;
}

void spot_describe_warn(const spot_describe_t *self, const char *file, spot_diag_t *diag)
{
    if (self->is_lifetimes) {
        return;
    }
    if (self->kind == SPOT_TRACE_AVAILABILITY) {
        spot_diag_warn(diag, file, 0, 0,
            "kind availability: the figures are of what could have been obtained, "
            "nothing ran");
    }
    if (!(self->preempt_gap.n >= SPOT_DESCRIBE_MIN_GAPS)) {
        spot_diag_warn(diag, file, 0, 0,
            "%.0f gaps between events of kind preempt: fewer than %d say little",
            isnan(self->preempt_gap.n) ? 0 : self->preempt_gap.n, SPOT_DESCRIBE_MIN_GAPS);
    }
    if (self->preempt_gap.cv > SPOT_SEED_MAX_CV) {
        spot_diag_warn(diag, file, 0, 0,
            "preempt_gap_cv %.2f: the generator seed cannot make gaps with a CV above "
            "1, block and mrp can",
            self->preempt_gap.cv);
    }
    if (self->day_rayleigh_p < 0.05 && self->fano_events_1h > 1) {
        spot_diag_warn(diag, file, 0, 0,
            "day_rayleigh_p %.2g is too small: it takes the events as independent, but "
            "they come in bursts (fano_events_1h %.2f)",
            self->day_rayleigh_p, self->fano_events_1h);
    }
}
