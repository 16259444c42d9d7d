/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/describe/describe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/stats.h"
#include "base/units.h"
#include "traces/describe/describe_internal.h"
#include "traces/describe/figures.h"
#include "traces/describe/kaplan_meier.h"
#include "traces/describe/sample.h"
#include "traces/describe/series.h"

/* Lags of the Ljung-Box statistic. */
#define NUM_LAGS 5

/* Fills the figures that any number of gaps or spells has. */
static int
fill_gap_moments(spot_gap_figures_t *self, const spot_sample_t *sample)
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

static void
fill_acf1(spot_gap_figures_t *self, const spot_sample_t *sample)
{
    double acf;

    if (sample->num_values >= SPOT_DESCRIBE_MIN_GAPS &&
        spot_series_acf(sample->values, sample->num_values, 1, &acf)) {
        self->acf1 = acf;
    }
}

/* Replaces the values by their logarithms, as the caller needs them no more. */
static void
fill_gap_dependence(spot_gap_figures_t *self, spot_sample_t *sample)
{
    double acf[NUM_LAGS];

    if (sample->num_values < SPOT_DESCRIBE_MIN_GAPS) {
        return;
    }
    if (spot_series_acf(sample->values, sample->num_values, NUM_LAGS, acf)) {
        self->acf1 = acf[0];
        self->ljungbox5_p = spot_series_ljung_box_p(acf, NUM_LAGS, sample->num_values);
    }
    for (size_t j = 0; j < sample->num_values; j++) {
        sample->values[j] = log(sample->values[j]);
    }
    if (spot_series_acf(sample->values, sample->num_values, 1, acf)) {
        self->log_acf1 = acf[0];
    }
}

/* Of gaps or of spells. */
static int
fill_gaps(spot_gap_figures_t *self, const spot_trace_t *trace, spot_sample_kind_t kind)
{
    spot_sample_t sample;
    int ret = spot_sample_init(&sample, trace, kind);

    if (ret == 0 && kind >= SPOT_SAMPLE_UP_SPELL) {
        spot_sample_keep_complete(&sample);
        ret = fill_gap_moments(self, &sample);
        fill_acf1(self, &sample);
    } else if (ret == 0) {
        ret = fill_gap_moments(self, &sample);
        fill_gap_dependence(self, &sample);
    }
    spot_sample_free(&sample);
    return ret;
}

static int
fill_counts(
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

static int
fill_survival(spot_life_figures_t *self, const spot_sample_t *sample)
{
    spot_kaplan_meier_t survival;
    const int ret = spot_kaplan_meier_init(
        &survival, sample->values, sample->is_censored, sample->num_values);

    if (ret == 0) {
        self->km_median_s = spot_kaplan_meier_median(&survival);
        self->restricted_mean_s = spot_kaplan_meier_restricted_mean(&survival);
    }
    spot_kaplan_meier_free(&survival);
    return ret;
}

static int
fill_lives(spot_life_figures_t *self, const spot_sample_t *sample)
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

static int
fill_names(spot_life_figures_t *self, const spot_trace_t *trace)
{
    spot_sample_t sample;
    int ret = spot_sample_init(&sample, trace, SPOT_SAMPLE_LIFETIME);

    ret = ret == 0 ? fill_lives(self, &sample) : ret;
    spot_sample_free(&sample);
    return ret;
}

/* Replaces commas, quotes and control bytes in the name: a file name may have them, a
 * header line has none. */
static int
copy_texts(spot_describe_t *self, const char *name, const char *start)
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
static void
clear(spot_describe_t *self)
{
    memset(self, 0, sizeof(*self));
    for (size_t j = 0; j < SPOT_NUM_DESCRIBE_FIGURES; j++) {
        *spot_describe_figure_place(self, &spot_describe_figures[j]) = (double) NAN;
    }
    self->up_spell.log_acf1 = self->up_spell.ljungbox5_p = (double) NAN;
    self->down_spell.log_acf1 = self->down_spell.ljungbox5_p = (double) NAN;
}

/* Fills all figures that start from a sample. */
static int
fill_samples(spot_describe_t *self, const spot_trace_t *trace)
{
    const struct {
        spot_gap_figures_t *figures;
        spot_sample_kind_t kind;
    } gaps[] = {{&self->preempt_gap, SPOT_SAMPLE_PREEMPT_GAP},
        {&self->add_gap, SPOT_SAMPLE_ADD_GAP},
        {&self->change_gap, SPOT_SAMPLE_CHANGE_GAP},
        {&self->up_spell, SPOT_SAMPLE_UP_SPELL},
        {&self->down_spell, SPOT_SAMPLE_DOWN_SPELL}};
    int ret = fill_counts(&self->preempt_count, trace, SPOT_SAMPLE_PREEMPT_COUNT);

    ret = ret == 0 ? fill_counts(&self->add_count, trace, SPOT_SAMPLE_ADD_COUNT) : ret;
    for (size_t j = 0; ret == 0 && j < sizeof(gaps) / sizeof(gaps[0]); j++) {
        ret = fill_gaps(gaps[j].figures, trace, gaps[j].kind);
    }
    return ret == 0 && trace->kind == SPOT_TRACE_NAMED ? fill_names(&self->life, trace)
                                                       : ret;
}

int
spot_describe_init(spot_describe_t *self, const spot_trace_t *trace)
{
    spot_bulks_t bulks = {0};
    int ret;

    clear(self);
    self->kind = trace->kind;
    self->is_unbounded = trace->capacity == SPOT_UNBOUNDED;
    self->resolution_s = spot_duration_s(trace->resolution_ms);
    self->span_h = (double) trace->end_ms / (double) SPOT_MS_PER_H;
    ret =
        copy_texts(self, spot_trace_key(trace, "name"), spot_trace_key(trace, "start"));
    ret = ret == 0 ? spot_bulks_init(&bulks, trace) : ret;
    if (ret == 0) {
        self->capacity = spot_sample_capacity(trace, &bulks);
        spot_describe_fill_population(self, trace, &bulks);
        spot_describe_fill_events(self, trace, &bulks);
        ret = fill_samples(self, trace);
    }
    spot_bulks_free(&bulks);
    return ret;
}

int
spot_describe_init_lifetimes(
    spot_describe_t *self, const spot_lifetimes_t *lifetimes, const char *name)
{
    const char *start = NULL;
    spot_sample_t sample = {0};
    int ret;

    clear(self);
    self->is_lifetimes = true;
    for (size_t j = 0; j < lifetimes->num_keys; j++) {
        if (strcmp(lifetimes->keys[j].key, "start") == 0) {
            start = lifetimes->keys[j].value;
        }
    }
    ret = copy_texts(self, name, start);
    ret = ret == 0 ? spot_sample_init_lifetimes(&sample, lifetimes) : ret;
    ret = ret == 0 ? fill_lives(&self->life, &sample) : ret;
    spot_sample_free(&sample);
    return ret;
}

void
spot_describe_free(spot_describe_t *self)
{
    free(self->name);
    free(self->start);
    memset(self, 0, sizeof(*self));
}

double
spot_describe_spread_s(double span_h, double num_events)
{
    return num_events > 0 ? span_h * 3600 / num_events : (double) NAN;
}

void
spot_describe_warn(const spot_describe_t *self, const char *file, spot_diag_t *diag)
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
            isnan(self->preempt_gap.n) ? 0 : self->preempt_gap.n,
            SPOT_DESCRIBE_MIN_GAPS);
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
