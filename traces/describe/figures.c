/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/describe/describe.h"

#include <math.h>

#define PLACE(field) offsetof(spot_describe_t, field)

/* Figures of gaps and of spells. */
#define GAP_MOMENTS(name, field, what)                                                             \
    {name "_n", "", "number of complete " what, true, PLACE(field.n)},                             \
        {name "_mean_s", "s", "their mean", false, PLACE(field.mean_s)},                           \
        {name "_sd_s", "s", "their standard deviation (n - 1)", false, PLACE(field.sd_s)},         \
        {name "_cv", "", "standard deviation / mean", false, PLACE(field.cv)},                     \
        {name "_median_s", "s", "their median", false, PLACE(field.median_s)},                     \
    {                                                                                              \
        name "_acf1", "", "their autocorrelation at lag 1, from 10 on", false, PLACE(field.acf1)   \
    }

#define GAPS(name, field, what)                                                                    \
    GAP_MOMENTS(name, field, what),                                                                \
        {name "_log_acf1", "", "the same of their logarithms", false, PLACE(field.log_acf1)},      \
    {                                                                                              \
        name "_ljungbox5_p", "", "p-value of Ljung and Box that lags 1 to 5 are uncorrelated",     \
            false, PLACE(field.ljungbox5_p)                                                        \
    }

#define COUNTS(name, field, what)                                                                  \
    {name "_mean", "instances", "mean size of " what, false, PLACE(field.mean)},                   \
        {name "_sd", "instances", "standard deviation of the size (n - 1)", false,                 \
            PLACE(field.sd)},                                                                      \
        {name "_vmr", "instances", "variance / mean of the size", false, PLACE(field.vmr)},        \
        {name "_max", "instances", "the largest", true, PLACE(field.max)},                         \
    {                                                                                              \
        name "_share_one", "", "share of one instance", false, PLACE(field.share_one)              \
    }

#define FANO(name, what, window)                                                                   \
    {                                                                                              \
#name, "", "variance / mean of preempted " what " per window of " window, false,           \
            PLACE(name)                                                                            \
    }

const spot_describe_figure_t spot_describe_figures[SPOT_NUM_DESCRIBE_FIGURES] = {
    {"resolution_s", "s", "tick of the recorder; what came and went in it was not seen", false,
        PLACE(resolution_s)},
    {"span_h", "h", "length of the observation", false, PLACE(span_h)},
    {"capacity", "instances", "most that can run; unbounded: the largest number", true,
        PLACE(capacity)},
    {"max_n", "instances", "largest number", true, PLACE(max_n)},
    {"min_n", "instances", "smallest number", true, PLACE(min_n)},
    {"mean_n", "instances", "mean number over the time", false, PLACE(mean_n)},
    {"frac_full", "", "share of the time at capacity", false, PLACE(frac_full)},
    {"frac_empty", "", "share of the time at 0", false, PLACE(frac_empty)},
    {"preempt_events", "", "times at which instances were preempted", true, PLACE(preempt_events)},
    {"preempted", "instances", "preempted in all", true, PLACE(preempted)},
    {"add_events", "", "times at which instances were added", true, PLACE(add_events)},
    {"added", "instances", "added in all", true, PLACE(added)},
    GAPS("preempt_gap", preempt_gap,
        "gaps between preemption events (mean: MTBP, at this resolution only)"),
    GAPS("add_gap", add_gap, "gaps between addition events"),
    GAPS("change_gap", change_gap, "gaps between events of either type"),
    COUNTS("preempt_count", preempt_count, "preemption events"),
    COUNTS("add_count", add_count, "addition events"),
    {"preempted_per_instance_h", "1/h", "preempted / instance-hours", false,
        PLACE(preempted_per_instance_h)},
    FANO(fano_instances_10min, "instances", "10 min, from 8 windows on"),
    FANO(fano_events_10min, "events", "10 min"),
    FANO(fano_instances_1h, "instances", "1 h"),
    FANO(fano_events_1h, "events", "1 h"),
    {"shortest_plateau_s", "s", "shortest time between two changes", false,
        PLACE(shortest_plateau_s)},
    {"day_n", "", "preemption events in the whole days, from 10 events and 2 days on", true,
        PLACE(day_n)},
    {"day_rayleigh_r", "", "concentration of these at one time of day, 0 to 1", false,
        PLACE(day_rayleigh_r)},
    {"day_rayleigh_p", "",
        "p-value of no preferred time of day; too small if events come in bursts", false,
        PLACE(day_rayleigh_p)},
    {"day_peak_h", "h", "preferred time of day, from the start of the trace", false,
        PLACE(day_peak_h)},
    {"life_n", "", "lives of instances; kind named and lifetimes files", true, PLACE(life.n)},
    {"life_preempted", "", "ended by a preemption", true, PLACE(life.preempted)},
    {"life_censored", "", "ended by the user or by the end of the trace", true,
        PLACE(life.censored)},
    {"life_mean_observed_s", "s", "mean of the preempted ones", false, PLACE(life.mean_observed_s)},
    {"life_sd_observed_s", "s", "standard deviation of these (n - 1)", false,
        PLACE(life.sd_observed_s)},
    {"life_km_median_s", "s", "Kaplan-Meier median, inf if more than half live longer", false,
        PLACE(life.km_median_s)},
    {"life_restricted_mean_s", "s", "Kaplan-Meier mean up to the longest life", false,
        PLACE(life.restricted_mean_s)},
    {"life_deaths_per_s", "1/s", "preempted / time of all lives", false, PLACE(life.deaths_per_s)},
    GAP_MOMENTS("up_spell", up_spell, "spells at 1, capacity 1 only"),
    GAP_MOMENTS("down_spell", down_spell, "spells at 0, capacity 1 only"),
};

double *spot_describe_figure_place(spot_describe_t *describe, const spot_describe_figure_t *figure)
{
    return (double *) (void *) ((char *) describe + figure->offset);
}

double spot_describe_figure_value(
    const spot_describe_t *describe, const spot_describe_figure_t *figure)
{
    return *(const double *) (const void *) ((const char *) describe + figure->offset);
}

const char *spot_describe_kind(const spot_describe_t *self)
{
    return self->is_lifetimes ? "lifetimes" : spot_trace_kind_names[self->kind];
}

void spot_describe_write_json(const spot_describe_t *self, spot_json_t *json, const char *key)
{
    spot_json_open(json, key, '{');
    spot_json_text(json, "trace", self->name);
    spot_json_text(json, "kind", spot_describe_kind(self));
    spot_json_text(json, "n_is",
        self->is_lifetimes                      ? NULL
        : self->kind == SPOT_TRACE_AVAILABILITY ? "obtainable"
                                                : "running");
    for (size_t j = 0; j < SPOT_NUM_DESCRIBE_FIGURES; j++) {
        const double value = spot_describe_figure_value(self, &spot_describe_figures[j]);

        if (isinf(value)) {
            spot_json_text(json, spot_describe_figures[j].name, "inf");
        } else {
            spot_json_number(json, spot_describe_figures[j].name, value);
        }
    }
    spot_json_close(json, '}');
}

void spot_describe_write_csv_head(FILE *out)
{
    fputs("trace,kind", out);
    for (size_t j = 0; j < SPOT_NUM_DESCRIBE_FIGURES; j++) {
        fprintf(out, ",%s", spot_describe_figures[j].name);
    }
    fputc('\n', out);
}

void spot_describe_write_csv(const spot_describe_t *self, FILE *out)
{
    fprintf(out, "%s,%s", self->name, spot_describe_kind(self));
    for (size_t j = 0; j < SPOT_NUM_DESCRIBE_FIGURES; j++) {
        const double value = spot_describe_figure_value(self, &spot_describe_figures[j]);

        fputc(',', out);
        if (!isnan(value)) {
            fprintf(out, spot_describe_figures[j].is_integer ? "%.0f" : "%.8g", value);
        }
    }
    fputc('\n', out);
}
