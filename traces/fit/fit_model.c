/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/fit/fit_model.h"

#include <math.h>

#include "traces/trace.h"

#include "base/units.h"
#include "traces/fit/size_family.h"

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

void spot_fit_write_law(FILE *out, const char *selector, const spot_law_t *law)
{
    const spot_family_t *family = law->family;

    fprintf(out, "{%s: %s", selector, family->name);
    for (int j = 0; j < family->num_parameters + family->num_settings; j++) {
        if (isinf(law->parameters[j])) {
            fprintf(out, ", %s: none", family->fields[j].name);
        } else {
            write_number(out, ", ", family->fields[j].name, law->parameters[j]);
        }
    }
    fputc('}', out);
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
        spot_fit_write_law(out, "law", origin->lifetime);
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
    spot_fit_write_law(out, "family", &gap->law);
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

int spot_fit_num_events(size_t *num_events, const spot_trace_t *trace)
{
    spot_bulks_t bulks;
    const int ret = spot_bulks_init(&bulks, trace);

    *num_events = 0;
    for (size_t j = 0; ret == 0 && j < bulks.num_bulks; j++) {
        *num_events += bulks.bulks[j].kind != SPOT_EVENT_STOP ? 1 : 0;
    }
    spot_bulks_free(&bulks);
    return ret;
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
