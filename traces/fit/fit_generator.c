/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/fit/fit_generator.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/stats.h"
#include "base/units.h"
#include "traces/describe/sample.h"
#include "traces/fit/fit_law.h"
#include "traces/fit/fit_size.h"

/* ---- The Markov renewal model ---- */

const char *const spot_mrp_class_names[SPOT_MRP_NUM_CLASSES] = {
    "preempt_preempt", "preempt_add", "add_preempt", "add_add", "full", "empty"};

const char *const spot_mrp_type_names[SPOT_MRP_NUM_TYPES] = {"preempt", "add"};

/* Shortest tick of the model, even if the recorder's is finer. */
#define MIN_TICK_S 60

/* The tick of a likelihood for a recorder that is finer than SPOT_FIT_MIN_TICK_S. */
#define FINE_TICK_S 1

/* Least difference of AIC by which a later family is better. */
#define AIC_MARGIN 1e-9

/* The gaps of one class. */
typedef struct {
    size_t num_gaps;
    double *gaps_s;
} gaps_t;

typedef struct {
    spot_arena_t memory;
    gaps_t classes[SPOT_MRP_NUM_CLASSES];
    size_t num_after[SPOT_MRP_NUM_TYPES]; /* inner events after one of that type */
    size_t num_preempt_after[SPOT_MRP_NUM_TYPES];
} walk_t;

static void take_gap(
    walk_t *self, const spot_bulk_t *bulk, int previous, int32_t capacity, double gap_s)
{
    const int type = bulk->kind == SPOT_EVENT_PREEMPT ? SPOT_MRP_PREEMPT : SPOT_MRP_ADD;
    const bool is_inner = bulk->before > 0 && bulk->before < capacity;
    const int class = is_inner                   ? previous * SPOT_MRP_NUM_TYPES + type
                      : type == SPOT_MRP_PREEMPT ? SPOT_MRP_FULL
                                                 : SPOT_MRP_EMPTY;
    gaps_t *gaps = &self->classes[class];

    gaps->gaps_s[gaps->num_gaps++] = gap_s;
    if (is_inner) {
        self->num_after[previous]++;
        self->num_preempt_after[previous] += type == SPOT_MRP_PREEMPT;
    }
}

/* Sorts the gaps into classes. The first event only sets the state. Stops are no events
 * of the model; the population before the next event includes them. */
static void take_walk(walk_t *self, spot_mrp_t *mrp, const spot_bulks_t *bulks, int64_t shortest_ms)
{
    const spot_bulk_t *previous = NULL;

    for (size_t j = 0; j < bulks->num_bulks; j++) {
        const spot_bulk_t *bulk = &bulks->bulks[j];

        if (bulk->kind == SPOT_EVENT_STOP) {
            continue;
        }
        if (previous != NULL) {
            const int64_t gap_ms = bulk->time_ms - previous->time_ms;

            take_gap(self, bulk,
                previous->kind == SPOT_EVENT_PREEMPT ? SPOT_MRP_PREEMPT : SPOT_MRP_ADD,
                mrp->capacity,
                (double) (gap_ms > shortest_ms ? gap_ms : shortest_ms) / (double) SPOT_MS_PER_S);
        }
        previous = bulk;
        mrp->num_events++;
    }
}

static void take_mean(spot_mrp_gap_t *self, double mean_s)
{
    self->law = (spot_law_t){.family = &spot_family_exponential, .parameters = {mean_s}};
    self->converged = true;
}

/* Chooses by AIC among families that keep the mean. If all gaps are in the first tick,
 * the mean is unknown and the law stays exponential with the mean of the class. */
static int choose_law(
    spot_mrp_gap_t *self, const gaps_t *gaps, double tick_s, spot_maximiser_t *maximiser)
{
    static const spot_family_t *const families[] = {
        &spot_family_exponential, &spot_family_gamma, &spot_family_hyperexp2};
    spot_fit_durations_t durations;
    double best = (double) INFINITY;
    int ret =
        spot_fit_durations_init(&durations, gaps->gaps_s, NULL, gaps->num_gaps, tick_s, tick_s);

    for (size_t j = 0; j < sizeof(families) / sizeof(families[0]) && ret == 0; j++) {
        spot_fit_t fit;

        spot_fit_law(maximiser, &durations, families[j], (double) NAN, &fit);
        if (!isnan(fit.mean_ratio) && fit.aic < best - AIC_MARGIN) {
            best = fit.aic;
            self->law = fit.law;
            self->converged =
                fit.converged || fit.arbitrary != 0 || (fit.flags & SPOT_FIT_DEGENERATE) != 0;
        }
    }
    spot_fit_durations_free(&durations);
    return ret;
}

static int fit_gaps(
    spot_mrp_t *self, const walk_t *walk, double tick_s, spot_maximiser_t *maximiser)
{
    int ret = 0;

    for (int j = 0; j < SPOT_MRP_NUM_CLASSES && ret == 0; j++) {
        const gaps_t *gaps = &walk->classes[j];
        double sum_s = 0;

        for (size_t i = 0; i < gaps->num_gaps; i++) {
            sum_s += gaps->gaps_s[i];
        }
        self->gaps[j].num_gaps = gaps->num_gaps;
        take_mean(&self->gaps[j], gaps->num_gaps > 0 ? sum_s / (double) gaps->num_gaps
                                                     : self->horizon_s / (double) self->num_events);
        if (gaps->num_gaps >= SPOT_MRP_MIN_GAPS) {
            ret = choose_law(&self->gaps[j], gaps, tick_s, maximiser);
        }
    }
    return ret;
}

/* Names the family that fits best, for a comment; the model always has the same
 * family. */
static void compare_families(spot_mrp_bulk_t *self, const spot_fit_t *fit,
    const spot_size_sample_t *sample, spot_maximiser_t *maximiser)
{
    double best = fit->aic;

    self->best = fit->name;
    for (size_t j = 0; spot_size_families[j] != NULL; j++) {
        const spot_fit_size_family_t *family = spot_size_families[j];
        spot_fit_t other;

        if (!family->is_given_limit || family == fit->size_family ||
            !spot_size_family_fits(family, sample)) {
            continue;
        }
        spot_fit_size(&other, family, sample, maximiser);
        if (other.is_fitted && other.converged && other.aic < best) {
            best = other.aic;
            self->best = family->name;
        }
    }
    self->aic_behind = fit->aic - best;
}

/* With one event the law has the mean of that event; without events, size 1. */
static int fit_bulk(spot_mrp_bulk_t *self, const spot_trace_t *trace, spot_sample_kind_t kind,
    spot_maximiser_t *maximiser)
{
    spot_size_sample_t sample = {0};
    spot_fit_t fit;
    const int ret = spot_size_sample_of_trace(&sample, trace, kind);

    if (ret == 0) {
        self->num_events = (size_t) sample.num_events;
        spot_fit_size(&fit, &spot_size_all_or_geometric, &sample, maximiser);
        self->pi_all = fit.is_fitted ? fit.law.parameters[0] : 0;
        self->p = fit.is_fitted           ? fit.law.parameters[1]
                  : sample.num_events > 0 ? 1 / sample.mean
                                          : 1;
        self->converged = !fit.is_fitted || fit.converged || (fit.flags & SPOT_FIT_DEGENERATE) != 0;
    }
    if (ret == 0 && fit.is_fitted) {
        compare_families(self, &fit, &sample, maximiser);
    }
    spot_size_sample_free(&sample);
    return ret;
}

int spot_fit_mrp(spot_mrp_t *self, const spot_trace_t *trace, spot_maximiser_t *maximiser)
{
    const double resolution_s = (double) trace->resolution_ms / (double) SPOT_MS_PER_S;
    spot_bulks_t bulks;
    walk_t walk = {0};
    int ret;

    memset(self, 0, sizeof(*self));
    ret = spot_bulks_init(&bulks, trace);
    if (ret != 0) {
        goto out;
    }
    self->tick_s = fmax(MIN_TICK_S, resolution_s);
    self->capacity = spot_trace_most(trace);
    self->initial = trace->initial;
    self->horizon_s = (double) trace->end_ms / (double) SPOT_MS_PER_S;
    for (int j = 0; j < SPOT_MRP_NUM_CLASSES; j++) {
        SPOT_ARENA_ARRAY(&walk.memory, walk.classes[j].gaps_s, bulks.num_bulks);
    }
    ret = walk.memory.error;
    if (ret != 0) {
        goto out;
    }
    take_walk(&walk, self, &bulks, trace->resolution_ms);
    if (self->num_events == 0) {
        ret = SPOT_ERR_BAD_INPUT;
        goto out;
    }
    for (int j = 0; j < SPOT_MRP_NUM_TYPES; j++) {
        self->p_preempt_after[j] =
            ((double) walk.num_preempt_after[j] + 0.5) / ((double) walk.num_after[j] + 1);
    }
    ret = fit_gaps(
        self, &walk, resolution_s >= SPOT_FIT_MIN_TICK_S ? resolution_s : FINE_TICK_S, maximiser);
    if (ret == 0) {
        ret = fit_bulk(&self->bulks[SPOT_MRP_PREEMPT], trace, SPOT_SAMPLE_PREEMPT_COUNT, maximiser);
    }
    if (ret == 0) {
        ret = fit_bulk(&self->bulks[SPOT_MRP_ADD], trace, SPOT_SAMPLE_ADD_COUNT, maximiser);
    }
out:
    spot_arena_free(&walk.memory);
    spot_bulks_free(&bulks);
    return ret;
}

/* ---- The seed model ---- */

#define SEED_TICK_S 60

/* Sizes above SPOT_SIZE_REGULAR_MAX are big if has_big. */
static void take_sizes(spot_fit_seed_direction_t *self, const spot_sample_t *sizes, bool has_big)
{
    spot_moments_t moments = {0};
    double num_big = 0;

    self->num_events = sizes->num_values;
    for (size_t j = 0; j < sizes->num_values; j++) {
        const int32_t size = (int32_t) sizes->values[j];

        if (!has_big || size <= SPOT_SIZE_REGULAR_MAX) {
            spot_moments_add(&moments, size);
            continue;
        }
        self->big_low = num_big == 0 || size < self->big_low ? size : self->big_low;
        self->big_high = size > self->big_high ? size : self->big_high;
        num_big++;
    }
    self->p_big = num_big > 0 ? num_big / (double) sizes->num_values : 0;
    self->mean = moments.num_values > 0 ? spot_moments_mean(&moments) : 1;
    self->std = moments.num_values > 1 ? spot_moments_std(&moments) : 0;
}

static int fit_direction(spot_fit_seed_direction_t *self, const spot_trace_t *trace,
    spot_sample_kind_t counts, spot_sample_kind_t gaps)
{
    spot_sample_t sizes = {0}, times = {0};
    spot_moments_t moments = {0};
    int ret = spot_sample_init(&sizes, trace, counts);

    ret = ret == 0 ? spot_sample_init(&times, trace, gaps) : ret;
    if (ret == 0) {
        take_sizes(self, &sizes, counts == SPOT_SAMPLE_ADD_COUNT);
        for (size_t j = 0; j < times.num_values; j++) {
            spot_moments_add(&moments, times.values[j]);
        }
        self->gap_cv = spot_moments_std(&moments) / spot_moments_mean(&moments);
        self->per_minute =
            fmin(1, (double) self->num_events * (double) SPOT_MS_PER_MIN / (double) trace->end_ms);
    }
    spot_sample_free(&times);
    spot_sample_free(&sizes);
    return ret;
}

int spot_fit_seed(spot_seed_t *self, const spot_trace_t *trace)
{
    int ret;

    memset(self, 0, sizeof(*self));
    self->capacity = spot_trace_most(trace);
    self->initial = trace->initial;
    self->tick_s = SEED_TICK_S;
    self->horizon_s = (double) trace->end_ms / (double) SPOT_MS_PER_S;
    ret =
        fit_direction(&self->preemption, trace, SPOT_SAMPLE_PREEMPT_COUNT, SPOT_SAMPLE_PREEMPT_GAP);
    if (ret == 0) {
        ret = fit_direction(&self->addition, trace, SPOT_SAMPLE_ADD_COUNT, SPOT_SAMPLE_ADD_GAP);
    }
    return ret == 0 && self->preemption.num_events + self->addition.num_events == 0
               ? SPOT_ERR_BAD_INPUT
               : ret;
}

/* ---- Rates by hour ---- */

/* Events at the mean rate that are added to each hour. */
#define PRIOR_EVENTS 10

static void fill_rates(double *rates, const spot_hours_t *hours)
{
    double num_events = 0, exposed_s = 0, sum = 0;

    for (int j = 0; j < SPOT_HOURS_PER_DAY; j++) {
        num_events += (double) hours->hours[j].num_events;
        exposed_s += hours->hours[j].exposed_s;
    }
    for (int j = 0; j < SPOT_HOURS_PER_DAY; j++) {
        const spot_hour_t *hour = &hours->hours[j];

        rates[j] = num_events > 0 ? ((double) hour->num_events + PRIOR_EVENTS) /
                                        (hour->exposed_s + PRIOR_EVENTS * exposed_s / num_events)
                                  : 1;
        sum += rates[j];
    }
    for (int j = 0; j < SPOT_HOURS_PER_DAY; j++) {
        rates[j] *= SPOT_HOURS_PER_DAY / sum;
    }
}

int spot_fit_hourly(spot_fit_hourly_t *self, const spot_trace_t *trace, int64_t start_ms)
{
    spot_hours_t hours;
    int ret = spot_hours_init(&hours, trace, SPOT_EVENT_PREEMPT, start_ms);

    self->start_hour = (double) start_ms / (double) SPOT_MS_PER_H;
    if (ret != 0) {
        return ret;
    }
    fill_rates(self->preempt, &hours);
    ret = spot_hours_init(&hours, trace, SPOT_EVENT_ADD, start_ms);
    if (ret == 0) {
        fill_rates(self->add, &hours);
    }
    return ret;
}

/* ---- Models as YAML ---- */

/* Writes "key: number", as inside a flow map. */
static void write_number(FILE *out, const char *before, const char *key, double value)
{
    char text[SPOT_NUMBER_TEXT_BYTES];

    spot_number_text(value, text);
    fprintf(out, "%s%s: %s", before, key, text);
}

static void write_line(FILE *out, const char *key, double value)
{
    write_number(out, "", key, value);
    fputc('\n', out);
}

/* Writes a double-quoted YAML scalar. The name of a trace has neither quote nor control
 * byte, that of a file may. */
static void write_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        const unsigned char byte = (unsigned char) *text;

        if (byte == '"' || byte == '\\') {
            fputc('\\', out);
        }
        fputc(byte < 0x20 || byte == 0x7f ? '?' : byte, out);
    }
    fputc('"', out);
}

/* Writes a comment of one line; replaces control bytes, which could end it. */
static void write_comment(FILE *out, const char *before, const char *text)
{
    fprintf(out, "# %s", before);
    for (; *text != '\0'; text++) {
        const unsigned char byte = (unsigned char) *text;

        fputc(byte < 0x20 || byte == 0x7f ? '?' : byte, out);
    }
    fputc('\n', out);
}

static const char *name_of(const spot_trace_t *trace)
{
    const char *name = spot_trace_key(trace, "name");

    return name != NULL ? name : "fitted";
}

static void write_head(
    FILE *out, const spot_fit_origin_t *origin, size_t num_events, const char *generator)
{
    const spot_trace_t *trace = origin->trace;
    const char *start = spot_trace_key(trace, "start");
    char resolution[SPOT_NUMBER_TEXT_BYTES], span[SPOT_DURATION_TEXT_BYTES];

    spot_number_text((double) trace->resolution_ms / (double) SPOT_MS_PER_S, resolution);
    spot_duration_text(trace->end_ms, span);
    write_comment(out, "fitted to: ", origin->source);
    fprintf(out, "# resolution %s s, %s, %zu events, start %s\n", resolution, span, num_events,
        start != NULL ? start : "unknown");
    fprintf(out, "# written by spotsim %s\n", origin->version);
    fprintf(out, "# A fitted trace describes that day and that zone, nothing else.\n");
    if (trace->kind == SPOT_TRACE_AVAILABILITY) {
        fprintf(out, "# The trace says what was obtainable, never what was running: so "
                     "does the model.\n");
    }
    if (trace->capacity == SPOT_UNBOUNDED) {
        fprintf(out, "# The trace has no capacity: it is the most that ever ran.\n");
    }
    for (size_t j = 0; origin->doubts != NULL && j < origin->doubts->num_lines; j++) {
        write_comment(out, "", origin->doubts->lines[j]);
    }
    fprintf(out, "spotsim-model: 1\ngenerator: %s\nname: ", generator);
    write_quoted(out, name_of(trace));
    fputc('\n', out);
}

static void write_common(
    FILE *out, double tick_s, int32_t capacity, int32_t initial, double horizon_s)
{
    write_line(out, "tick_s", tick_s);
    write_line(out, "capacity", capacity);
    write_line(out, "initial", initial);
    write_line(out, "horizon_s", horizon_s);
}

static void write_rates(FILE *out, const char *key, const double *rates)
{
    char text[SPOT_NUMBER_TEXT_BYTES];

    fprintf(out, "  %s: [", key);
    for (int j = 0; j < SPOT_HOURS_PER_DAY; j++) {
        spot_number_text(rates[j], text);
        fprintf(out, "%s%s", j > 0 ? ", " : "", text);
    }
    fprintf(out, "]\n");
}

static void write_options(FILE *out, const spot_fit_origin_t *origin)
{
    if (origin->lifetime != NULL) {
        fprintf(out, "# Deadlines come on top of the events above, which have every "
                     "preemption of the trace.\n");
        fprintf(out, "lifetimes: ");
        spot_law_write(out, "law", origin->lifetime);
        fputc('\n', out);
    }
    if (origin->hourly != NULL) {
        fprintf(out, "hourly:\n");
        write_number(out, "  ", "start_hour", origin->hourly->start_hour);
        fputc('\n', out);
        write_rates(out, "preempt", origin->hourly->preempt);
        write_rates(out, "add", origin->hourly->add);
    }
}

static void write_gap(FILE *out, const spot_mrp_gap_t *gap, const char *class)
{
    const size_t n = gap->num_gaps;
    const char *source = n == 0                  ? "of the mean time between events"
                         : n < SPOT_MRP_MIN_GAPS ? "of their mean"
                                                 : "of the lowest AIC";

    fprintf(out, "# gaps of %s: n %zu; %s %s\n", class, n, gap->law.family->name, source);
    fprintf(out, "  %s: ", class);
    spot_law_write(out, "family", &gap->law);
    fputc('\n', out);
}

static void write_bulk(FILE *out, const spot_mrp_bulk_t *bulk, const char *type)
{
    const char *family = spot_size_all_or_geometric.name;

    fprintf(out, "# sizes of %s: n %zu; ", type, bulk->num_events);
    if (bulk->best == NULL) {
        fprintf(out, "%s without a fit\n", family);
    } else if (bulk->aic_behind > 0) {
        fprintf(out, "%s is %.3g AIC behind %s\n", family, bulk->aic_behind, bulk->best);
    } else {
        fprintf(out, "%s has the lowest AIC of all given n\n", family);
    }
    fprintf(out, "  %s: {law: %s", type, family);
    write_number(out, ", ", "pi_all", bulk->pi_all);
    write_number(out, ", ", "p", bulk->p);
    fprintf(out, "}\n");
}

void spot_mrp_write(const spot_mrp_t *self, const spot_fit_origin_t *origin, FILE *out)
{
    write_head(out, origin, self->num_events, "mrp");
    write_common(out, self->tick_s, self->capacity, self->initial, self->horizon_s);
    fprintf(out, "first_previous: add\n");
    write_number(out, "p_preempt_after: {", spot_mrp_type_names[SPOT_MRP_PREEMPT],
        self->p_preempt_after[SPOT_MRP_PREEMPT]);
    write_number(out, ", ", spot_mrp_type_names[SPOT_MRP_ADD], self->p_preempt_after[SPOT_MRP_ADD]);
    fprintf(out, "}\ngaps_s:\n");
    for (int j = 0; j < SPOT_MRP_NUM_CLASSES; j++) {
        write_gap(out, &self->gaps[j], spot_mrp_class_names[j]);
    }
    fprintf(out, "bulk:\n");
    for (int j = 0; j < SPOT_MRP_NUM_TYPES; j++) {
        write_bulk(out, &self->bulks[j], spot_mrp_type_names[j]);
    }
    fprintf(out, "victims: uniform\n");
    write_options(out, origin);
}

static void write_direction(FILE *out, const char *key, const spot_fit_seed_direction_t *direction)
{
    write_number(out, key, ": {per_minute", direction->per_minute);
    if (direction->std > 0) {
        write_number(out, ", count: {moments: {", "mean", direction->mean);
        write_number(out, ", ", "std", direction->std);
        fprintf(out, "}}");
    } else { /* all sizes are equal */
        write_number(out, ", count: {", "fixed", direction->mean);
        fputc('}', out);
    }
    if (direction->p_big > 0) {
        write_number(out, ", big: {", "probability", direction->p_big);
        fprintf(out, ", range: [%d, %d]}", (int) direction->big_low, (int) direction->big_high);
    }
    fprintf(out, "}\n");
}

void spot_seed_write(const spot_seed_t *self, const spot_fit_origin_t *origin, FILE *out)
{
    write_head(out, origin, self->preemption.num_events + self->addition.num_events, "seed");
    write_common(out, self->tick_s, self->capacity, self->initial, self->horizon_s);
    write_direction(out, "preemption", &self->preemption);
    write_direction(out, "addition", &self->addition);
}

/* The model has no keys for capacity, initial population, tick and length: they are
 * those of the recording. */
void spot_recorded_write(const char *generator, const char *path, size_t num_events,
    const spot_fit_origin_t *origin, FILE *out)
{
    write_head(out, origin, num_events, generator);
    fprintf(out, "trace: ");
    write_quoted(out, path);
    fputc('\n', out);
}
