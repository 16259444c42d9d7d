/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/error.h"
#include "base/files.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/units.h"
#include "base/verb/terminal.h"
#include "base/verb/verb.h"
#include "traces/compare/comparison.h"
#include "traces/verbs/trace_picture.h"
#include "traces/verbs/trace_report.h"

/* ---- Tables ---- */

/* How near models come to a recorded trace, as tables for a terminal. */

/* Unit of a metric; instances are obtainable in a trace of kind availability. */
static const char *unit_of(const spot_comparison_t *self, int metric_id)
{
    const char *unit = spot_fidelity_metrics[metric_id].unit;

    return self->kind == SPOT_TRACE_AVAILABILITY && strcmp(unit, "instances") == 0 ? "obtainable"
           : strcmp(unit, "1") == 0                                                ? ""
                                                                                   : unit;
}

static const char *number_text(spot_texts_t *texts, double value, int num_digits)
{
    return isnan(value)                         ? "-"
           : fabs(value) >= pow(10, num_digits) ? spot_texts_add(texts, "%.0f", value)
                                                : spot_texts_add(texts, "%.*g", num_digits, value);
}

/* "0.184"; of a model "0.0821 (0.0274)", with a reference "0.0821 (0.0274) z   0.4". */
static const char *cell_text(
    spot_texts_t *texts, const spot_comparison_column_t *column, int metric_id)
{
    const bool is_itself = column->kind == SPOT_COMPARISON_COLUMN_RECORDED ||
                           column->kind == SPOT_COMPARISON_COLUMN_HALF;
    const bool is_known = !is_itself || metric_id < SPOT_FIDELITY_NUM_FIGURES;
    const char *text = number_text(texts, is_known ? column->means[metric_id] : (double) NAN, 4);

    if (column->kind == SPOT_COMPARISON_COLUMN_MODEL) {
        text =
            spot_texts_add(texts, "%s (%s)", text, number_text(texts, column->sds[metric_id], 3));
    }
    if (column->has_reference && !isnan(column->zs[metric_id])) {
        text = spot_texts_add(texts, "%s z %5.1f", text, column->zs[metric_id]);
    }
    return text;
}

static void write_head(const spot_comparison_t *self, spot_document_t *document)
{
    const spot_observation_frame_t *frame = &self->recorded.frame;
    const spot_comparison_column_t *last = &self->columns[self->num_columns - 1];
    char resolution[SPOT_NUMBER_TEXT_BYTES], tick[SPOT_NUMBER_TEXT_BYTES];
    bool has_reference = false;

    spot_number_text(self->resolution_s, resolution);
    spot_number_text((double) frame->tick_ms / (double) SPOT_MS_PER_S, tick);
    spot_document_paragraph(document, "%s   %s%s, resolution %s s, %.2f h, capacity %s%" PRId64,
        spot_words_shown(&document->texts, self->name), spot_trace_kind_names[self->kind],
        self->kind == SPOT_TRACE_AVAILABILITY ? " (obtainable; nothing ran)" : "", resolution,
        frame->end_ms / (double) SPOT_MS_PER_H, self->is_unbounded ? "unbounded, taken as " : "",
        frame->capacity);
    spot_document_paragraph(document, "all recorded at a tick of %s s, %s", tick,
        frame->is_net ? "only the net change of a tick" : "both directions of a tick");
    for (size_t j = 0; j < self->num_columns; j++) {
        has_reference = has_reference || self->columns[j].has_reference;
    }
    if (last->kind == SPOT_COMPARISON_COLUMN_MODEL) {
        spot_document_paragraph(document,
            "models: mean (standard deviation%s) of %" PRId64 " replications, seed %" PRIu64,
            has_reference ? "; z: of the mean against the reference" : "", last->num_replications,
            self->seed);
    }
}

static void write_metrics(const spot_comparison_t *self, spot_document_t *document)
{
    spot_table_t table = {.name = "figures"};

    spot_table_add_column(
        &table, (spot_table_column_t){.name = "figure", .kind = SPOT_TABLE_TEXT, .is_key = true});
    spot_table_add_column(
        &table, (spot_table_column_t){.name = "unit", .kind = SPOT_TABLE_TEXT, .is_key = true});
    for (size_t j = 0; j < self->num_columns; j++) {
        spot_table_add_column(&table, (spot_table_column_t){.name = self->columns[j].label});
    }
    for (int j = 0; j < SPOT_FIDELITY_NUM_METRICS; j++) {
        if (j == SPOT_FIDELITY_NUM_FIGURES) {
            spot_table_add_heading(&table, "distance to the recorded trace, 0 = the same");
        }
        spot_table_add_row(&table);
        spot_table_add_text(&table, spot_fidelity_metrics[j].name);
        spot_table_add_text(&table, unit_of(self, j));
        for (size_t k = 0; k < self->num_columns; k++) {
            spot_table_add_text(&table, cell_text(&document->texts, &self->columns[k], j));
        }
    }
    spot_document_gap(document);
    spot_document_table(document, "figures", &table);
}

/* ---- Against the seed model ---- */

/* The ratio of each error of the seed model to that of each other model. */
static void write_gains(
    const spot_comparison_t *self, const spot_comparison_column_t *seed, spot_document_t *document)
{
    static const char marks[] = {'+', '=', '-', ' '};
    spot_table_t table = {.name = "errors"};

    spot_document_gap(document);
    spot_document_paragraph(document,
        "error of %s / error of the model: above 1 the model is better",
        spot_words_shown(&document->texts, seed->label));
    spot_document_paragraph(document, "(+ better, - worse, = within two standard errors)");
    spot_document_gap(document);
    spot_table_add_column(&table, (spot_table_column_t){.name = "error", .kind = SPOT_TABLE_TEXT});
    for (size_t j = SPOT_COMPARISON_FIRST; j < self->num_columns; j++) {
        if (&self->columns[j] != seed) {
            spot_table_add_column(&table, (spot_table_column_t){.name = self->columns[j].label});
        }
    }
    for (int k = 0; k < SPOT_NUM_ERRORS; k++) {
        spot_table_add_row(&table);
        spot_table_add_text(&table, spot_error_name(k));
        for (size_t j = SPOT_COMPARISON_FIRST; j < self->num_columns; j++) {
            double ratio;
            const spot_relation_t relation =
                spot_comparison_relate(self, &self->columns[j], seed, k, &ratio);

            if (&self->columns[j] != seed) {
                spot_table_add_format(
                    &table, "%s %c", number_text(&document->texts, ratio, 3), marks[relation]);
            }
        }
    }
    spot_document_table(document, "errors", &table);
    spot_document_gap(document);
}

/* "block beats seed-corrected in 11 of 13 errors, is worse in 1; most in acf_n: 3.2
 * times smaller". */
static void write_gain_sentence(const spot_comparison_t *self,
    const spot_comparison_column_t *column, const spot_comparison_column_t *seed,
    spot_document_t *document)
{
    spot_texts_t *texts = &document->texts;
    int num[SPOT_UNDEFINED + 1] = {0}, best_id = -1;
    double best = 0, ratio;

    for (int j = 0; j < SPOT_NUM_ERRORS; j++) {
        const spot_relation_t relation = spot_comparison_relate(self, column, seed, j, &ratio);

        num[relation]++;
        if (relation == SPOT_BETTER && ratio > best) {
            best = ratio;
            best_id = j;
        }
    }
    spot_document_paragraph(document, "%s beats %s in %d of %d errors, is worse in %d%s",
        spot_words_shown(texts, column->label), spot_words_shown(texts, seed->label),
        num[SPOT_BETTER], SPOT_NUM_ERRORS - num[SPOT_UNDEFINED], num[SPOT_WORSE],
        best_id < 0 ? ""
                    : spot_texts_add(texts, "; most in %s: %.3g times smaller",
                          spot_error_name(best_id), best));
}

/* The figures of the trace, its halves and the models; their distances to it; and how
 * much nearer each model is than the one of the seed study. NO_MEMORY, IO. */
static int comparison_table_write(
    const spot_comparison_t *self, const spot_terminal_t *terminal, FILE *out)
{
    const spot_comparison_column_t *seed = spot_comparison_seed(self);
    spot_document_t document;

    spot_output_document(&document, terminal, out);
    write_head(self, &document);
    write_metrics(self, &document);
    if (seed != NULL && self->num_columns >= SPOT_COMPARISON_FIRST + 2) {
        write_gains(self, seed, &document);
        for (size_t j = SPOT_COMPARISON_FIRST; j < self->num_columns; j++) {
            if (&self->columns[j] != seed) {
                write_gain_sentence(self, &self->columns[j], seed, &document);
            }
        }
    }
    spot_document_gap(&document);
    spot_document_note(&document,
        "half2-vs-half1 is the floor: the trace differs so much from itself, and no "
        "model should be tuned below it. On held-out halves all models come close "
        "together.");
    return spot_document_end(&document);
}

/* ---- Pictures ---- */

/* The pictures that trace compare draws with --svg. */

/* As many points of a band of instances as a picture can show. */
#define MAX_BAND_POINTS 1600

/* Durations that a band of gaps is known at: every tick, then 3 % apart. */
#define MAX_DURATIONS 512
#define DURATION_FACTOR 1.03

/* A, which is held against B, a trace or its first half. */
typedef struct {
    const spot_comparison_t *comparison;
    const char *folder;
    const char *name; /* of the pictures: NAME-LABEL */
    spot_overlay_t overlay;
    const spot_fidelity_t *a; /* NULL: A is a model */
    const spot_fidelity_t *b;
    spot_diag_t *diag;
    int error; /* the first one; what follows is drawn all the same */
} pair_t;

static void draw_instances(pair_t *self)
{
    self->error = spot_error_first(
        self->error, spot_trace_plot_overlay(&self->overlay, self->folder, self->name, self->diag));
}

/* Of one direction; band: NULL for two traces. */
static void draw_gaps(pair_t *self, int direction, const spot_model_band_t *band)
{
    static const double none = 0; /* no gaps, but no band either */
    const spot_fidelity_sample_t *b = &self->b->gaps_s[direction];
    spot_gap_overlay_t gaps = {
        .kind = direction == SPOT_FIDELITY_PREEMPT ? SPOT_SAMPLE_PREEMPT_GAP : SPOT_SAMPLE_ADD_GAP,
        .is_obtainable = self->comparison->kind == SPOT_TRACE_AVAILABILITY,
        .tick_s = spot_duration_s(self->comparison->recorded.frame.tick_ms),
        .num_b = b->num_values,
        .b_s = b->values,
        .a_label = self->overlay.a_label,
        .b_label = self->overlay.b_label};

    if (band != NULL) {
        gaps.band = *band;
    } else {
        gaps.num_a = self->a->gaps_s[direction].num_values;
        gaps.a_s = gaps.num_a > 0 ? self->a->gaps_s[direction].values : &none;
    }
    self->error = spot_error_first(
        self->error, spot_trace_plot_gap_overlay(&gaps, self->folder, self->name, self->diag));
}

static void draw_pair(pair_t *self)
{
    draw_instances(self);
    for (int j = 0; j < SPOT_FIDELITY_NUM_DIRECTIONS; j++) {
        draw_gaps(self, j, NULL);
    }
}

/* ---- A model ---- */

static spot_model_band_t model_band(const spot_band_t *band, const spot_replicate_t *replicate)
{
    return (spot_model_band_t){.num_replications = (size_t) replicate->num_replications,
        .num_times = band->num_points,
        .time_s = band->time_s,
        .low = band->low,
        .median = band->median,
        .high = band->high};
}

/* Multiples of the tick from 0 to the end: gaps of a recorder are such. */
static size_t choose_durations(const spot_observation_frame_t *frame, double time_s[MAX_DURATIONS])
{
    const double max_ticks = floor(frame->end_ms / (double) frame->tick_ms);
    size_t num_times = 0;

    for (double ticks = 0; ticks <= max_ticks && num_times < MAX_DURATIONS;
         ticks = fmax(ticks + 1, ceil(ticks * DURATION_FACTOR))) {
        time_s[num_times++] = ticks * spot_duration_s(frame->tick_ms);
    }
    return num_times;
}

/* Where its replications lie: instances for direction -1, else gaps. */
static void draw_band(pair_t *self, const spot_replicate_t *replicate, int direction)
{
    double time_s[MAX_DURATIONS];
    spot_band_t band;
    const int ret = direction < 0 ? spot_band_init(&band, replicate, MAX_BAND_POINTS)
                                  : spot_band_init_gaps(&band, replicate, direction,
                                        choose_durations(&replicate->frame, time_s), time_s);
    const spot_model_band_t shown = model_band(&band, replicate);

    self->error = spot_error_first(self->error, ret);
    if (ret == 0 && direction < 0) {
        self->overlay.band = shown;
        draw_instances(self);
    } else if (ret == 0) {
        draw_gaps(self, direction, &shown);
    }
    spot_band_free(&band);
}

/* ---- Another trace ---- */

static void draw_other(pair_t *self, const spot_trace_t *other)
{
    const spot_observation_frame_t *frame = &self->comparison->recorded.frame;
    spot_observation_t observation = {0};
    spot_fidelity_t fidelity = {0};
    int ret = spot_observation_of_trace(&observation, other, frame->tick_ms, frame->is_net);

    if (ret == 0) {
        ret = spot_fidelity_measure(&fidelity, &observation, &self->comparison->fidelity);
    }
    if (ret == 0) {
        pair_t pair = *self;

        pair.overlay.a = other;
        pair.a = &fidelity;
        draw_pair(&pair);
        self->error = pair.error;
    }
    self->error = spot_error_first(self->error, ret);
    spot_fidelity_free(&fidelity);
    spot_observation_free(&observation);
}

/* ---- Halves ---- */

/* A trace of the numbers that an observation saw: enough to draw. Half ms are cut. */
static int to_trace(
    spot_trace_t *self, const spot_observation_t *observation, const spot_comparison_t *comparison)
{
    const spot_observation_frame_t *frame = &observation->frame;
    int64_t population = observation->initial;

    memset(self, 0, sizeof(*self));
    self->kind =
        comparison->kind == SPOT_TRACE_AVAILABILITY ? SPOT_TRACE_AVAILABILITY : SPOT_TRACE_COUNTS;
    self->capacity = comparison->is_unbounded ? SPOT_UNBOUNDED : (int32_t) frame->capacity;
    self->resolution_ms = frame->tick_ms;
    self->initial = (int32_t) population;
    self->end_ms = (int64_t) frame->end_ms;
    if (SPOT_ARRAY_ROOM(self, events, observation->num_events) != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < observation->num_events; j++) {
        const spot_observation_event_t *event = &observation->events[j];

        self->events[self->num_events++] = (spot_event_t){.time_ms = (int64_t) event->time_ms,
            .kind = event->kind,
            .count = (int32_t) event->count};
        population += event->kind == SPOT_EVENT_ADD ? event->count : -event->count;
    }
    self->final = (int32_t) population;
    return 0;
}

typedef struct {
    spot_observation_t observation;
    spot_fidelity_t fidelity;
    spot_trace_t trace;
} half_t;

/* against: NULL for the first half. */
static int half_init(half_t *self, const spot_comparison_t *comparison, const half_t *against)
{
    int ret = spot_observation_half(&self->observation, &comparison->recorded, against != NULL);

    if (ret == 0) {
        ret = spot_fidelity_measure(
            &self->fidelity, &self->observation, against != NULL ? &against->fidelity : NULL);
    }
    return ret == 0 ? to_trace(&self->trace, &self->observation, comparison) : ret;
}

static void half_free(half_t *self)
{
    spot_observation_free(&self->observation);
    spot_fidelity_free(&self->fidelity);
    spot_trace_free(&self->trace);
}

static void draw_halves(pair_t *self)
{
    half_t first = {0}, second = {0};
    int ret = half_init(&first, self->comparison, NULL);

    if (ret == 0) {
        ret = half_init(&second, self->comparison, &first);
    }
    if (ret == 0) {
        pair_t pair = *self;

        pair.overlay = (spot_overlay_t){.a = &second.trace,
            .b = &first.trace,
            .a_label = "second half",
            .b_label = "first half"};
        pair.a = &second.fidelity;
        pair.b = &first.fidelity;
        draw_pair(&pair);
        self->error = pair.error;
    }
    self->error = spot_error_first(self->error, ret);
    half_free(&first);
    half_free(&second);
}

/* ---- All of a comparison ---- */

/* Draws how far all columns are from the trace beside its halves (NAME-distances), how
 * many standard errors models are from a reference, if they have one (NAME-reference),
 * and of each model or other trace, or of the halves, instances over time and gaps
 * (NAME-LABEL-WHAT). name: of the trace that the others are held against; watch: of
 * replications. Draws on after an error and returns the first one; IO, NO_MEMORY,
 * INTERRUPTED, OVERDRAW. */
static int pictures_of_comparison(const spot_comparison_t *comparison,
    const spot_comparison_request_t *request, const spot_comparison_inputs_t *inputs,
    const char *folder, const char *name, const spot_watch_t *watch, spot_diag_t *diag)
{
    const spot_comparison_column_t *columns = comparison->columns + SPOT_COMPARISON_FIRST;
    const size_t num_pairs = inputs->num_models + (request->is_halves || inputs->has_other ? 1 : 0);
    int error = spot_trace_plot_distances(comparison, folder, name, diag);

    error = spot_error_first(error, spot_trace_plot_reference(comparison, folder, name, diag));
    for (size_t j = 0; j < num_pairs && error != SPOT_ERR_INTERRUPTED; j++) {
        const char *label = request->is_halves ? "halves" : columns[j].label;
        spot_texts_t texts = {0};
        pair_t pair = {.comparison = comparison,
            .folder = folder,
            .name = spot_texts_add(&texts, "%s-%s", name, label),
            .overlay = {.b = &inputs->trace, .a_label = label, .b_label = name},
            .b = &comparison->fidelity,
            .diag = diag};

        if (texts.error != 0) {
            return texts.error;
        }
        if (request->is_halves) {
            draw_halves(&pair);
        } else if (inputs->has_other) {
            draw_other(&pair, &inputs->other);
        } else {
            const spot_replicate_t replicate = spot_comparison_replicate(
                comparison, &inputs->models[j].model, request->num_replications, watch);

            for (int k = -1; k < SPOT_FIDELITY_NUM_DIRECTIONS; k++) {
                draw_band(&pair, &replicate, k);
            }
        }
        error = spot_error_first(error, pair.error);
        spot_texts_free(&texts);
    }
    return error;
}

/* ---- The command ---- */

typedef struct {
    spot_option_list_t paths;
    spot_comparison_request_t request; /* its paths are those above */
    size_t num_limits;
    size_t max_limits;
    spot_comparison_limit_t *limits; /* [num_limits] */
    spot_target_t target;
    const char *csv_path;
    const char *svg_folder;
} arguments_t;

static const arguments_t initial = {.request = {.seed = 1, .num_replications = 400}};

static void add_limit(spot_call_t *call, const spot_option_t *option, const char *text)
{
    arguments_t *arguments = call->arguments;
    const char *equals = strchr(text, '=');
    char name[64];
    spot_comparison_limit_t limit;

    (void) option;
    snprintf(name, sizeof(name), "%.*s", equals == NULL ? 0 : (int) (equals - text), text);
    if (equals == NULL || spot_number_parse(equals + 1, &limit.value) != 0) {
        spot_usage_error(call, "--limit: expected METRIC=NUMBER, got \"%s\"", text);
    }
    limit.metric_id = spot_fidelity_metric_id(name);
    if (limit.metric_id < 0) {
        spot_suggest_t near;

        spot_suggest_init(&near, name);
        for (int j = 0; j < SPOT_FIDELITY_NUM_METRICS; j++) {
            spot_suggest_offer(&near, spot_fidelity_metrics[j].name);
        }
        spot_usage_error(
            call, "--limit: unknown metric \"%s\"%s", name, spot_option_hint(call, &near));
    }
    spot_option_reserve(&arguments->limits, &arguments->max_limits, arguments->num_limits + 1,
        sizeof(*arguments->limits));
    arguments->limits[arguments->num_limits++] = limit;
}

static const spot_option_t options[] = {
    SPOT_OPTION(
        ARGUMENTS, "two trace files, or model files and a trace file", 0, "TRACE", paths, NULL),
    SPOT_OPTION(FLAG, "halves", 0, NULL, request.is_halves,
        "Hold the second half of TRACE against its first one"),
    SPOT_OPTION(COUNT, "replications", 0, "R", request.num_replications,
        "Replications of each model (default 400)", .min = 1),
    SPOT_OPTION_SEED(request.seed),
    SPOT_OPTION(INPUT, "reference", 0, "FILE.csv", request.reference_path,
        "Earlier results, as --csv writes them: also print how many standard errors a "
        "model's means are off. Its row is the one of this trace whose \"model\" is the "
        "name of the file without .yaml, else the kind of the model: mrp, block, "
        "seed-corrected, seed-cell42, seed-loop, ..."),
    SPOT_OPTION(OWN, "limit", 0, "METRIC=X", limits,
        "Exit with 1 if the metric of what is compared exceeds X or is undefined; may "
        "be given several times",
        .settle = add_limit),
    SPOT_OPTION_JSON(target.is_json, "Print one JSON object instead of a table"),
    SPOT_OPTION(WRITTEN, "csv", 0, "FILE", csv_path,
        "Also write one row a column here; - is standard output, instead of the table",
        .endings = ".csv"),
    SPOT_OPTION(PICTURES, "svg", 0, "DIR", svg_folder,
        "Draw into this folder: TRACE-distances.svg, with --reference "
        "TRACE-reference.svg, and of each LABEL that is compared (of --halves: halves) "
        "TRACE-LABEL-compare.svg, the instances over time, and "
        "TRACE-LABEL-preempt-gap-compare.svg and -add-gap-compare.svg; of a model with "
        "the 5-95 % band of its replications. Each with its points as CSV"),
    SPOT_OPTION(WRITTEN, "output", 'o', "FILE", target.path,
        "Write the table here (default: standard output)"),
    SPOT_OPTION_END,
};

static void check(spot_call_t *call)
{
    arguments_t *arguments = call->arguments;
    const size_t num_paths = arguments->paths.num_texts;

    spot_usage_refuse(
        call, arguments->request.is_halves && num_paths != 1, "--halves: expected one trace file");
    spot_usage_refuse(call, !arguments->request.is_halves && num_paths < 2,
        "expected two trace files, or model files and a trace file");
    spot_option_check_ending(
        call, "-o", arguments->target.path, arguments->target.is_json ? ".json" : "");
    arguments->request.num_paths = num_paths;
    arguments->request.paths = arguments->paths.texts;
}

static int compare(
    spot_comparison_t *self, spot_call_t *call, const spot_comparison_inputs_t *inputs)
{
    const arguments_t *arguments = call->arguments;
    spot_counter_t line;
    const spot_watch_t watch = spot_counter_watch(&line, "replications", call->is_quiet);
    const int ret = spot_comparison_run(self, &arguments->request, inputs, &watch, &call->diag);

    spot_counter_finish(&line);
    return ret;
}

static int write_all(const spot_comparison_t *comparison, spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;
    const spot_target_t *target = &arguments->target;
    spot_output_t output;
    FILE *out;
    int ret = 0;

    if (!call->is_quiet && (target->path != NULL || !spot_files_is_dash(arguments->csv_path))) {
        out = spot_output_begin(&output, target, &call->diag);
        if (out != NULL && target->is_json) {
            spot_comparison_json_write(comparison, out);
        } else if (out != NULL) {
            ret = comparison_table_write(comparison, &output.terminal, out);
        }
        ret = spot_output_end(&output, ret);
    }
    if (ret == 0 && arguments->csv_path != NULL) {
        out = spot_output_bytes(&output, arguments->csv_path, &call->diag);
        if (out != NULL) {
            spot_comparison_csv_write(comparison, out);
        }
        ret = spot_output_end(&output, 0);
    }
    return ret;
}

static int draw_all(
    const spot_comparison_t *comparison, spot_call_t *call, const spot_comparison_inputs_t *inputs)
{
    const arguments_t *arguments = call->arguments;
    spot_counter_t line;
    const spot_watch_t watch = spot_counter_watch(&line, "replications drawn", call->is_quiet);
    const char *name =
        spot_pictures_name(&call->texts, arguments->paths.texts[arguments->paths.num_texts - 1]);
    const int ret = pictures_of_comparison(
        comparison, &arguments->request, inputs, arguments->svg_folder, name, &watch, &call->diag);

    spot_counter_finish(&line);
    return ret;
}

/* Undefined is not within a limit. */
static bool comparison_is_within(
    const spot_comparison_column_t *column, const spot_comparison_limit_t *limit)
{
    return column->means[limit->metric_id] <= limit->value;
}

/* The first column that limits are for: the halves are judged only where nothing else
 * is. */
static size_t comparison_first_judged(const spot_comparison_t *self)
{
    return SPOT_COMPARISON_FIRST - (self->num_columns == SPOT_COMPARISON_FIRST);
}

static bool is_within_limits(const spot_comparison_t *comparison, const arguments_t *arguments)
{
    bool is_within = true;

    for (size_t j = comparison_first_judged(comparison); j < comparison->num_columns; j++) {
        for (size_t k = 0; k < arguments->num_limits; k++) {
            const spot_comparison_limit_t *limit = &arguments->limits[k];
            const double value = comparison->columns[j].means[limit->metric_id];

            if (comparison_is_within(&comparison->columns[j], limit)) {
                continue;
            }
            fprintf(stderr, "spotsim: %s: %s is ", comparison->columns[j].label,
                spot_fidelity_metrics[limit->metric_id].name);
            if (isnan(value)) {
                fprintf(stderr, "undefined, not within the limit of %g\n", limit->value);
            } else {
                fprintf(stderr, "%.6g, above the limit of %g\n", value, limit->value);
            }
            is_within = false;
        }
    }
    return is_within;
}

static int run(spot_call_t *call)
{
    arguments_t *arguments = call->arguments;
    spot_diag_t *diag = &call->diag;
    spot_comparison_t comparison = {0};
    spot_comparison_inputs_t input;
    int ret;

    ret = spot_comparison_inputs_read(&input, &arguments->request, diag);
    call->is_reading = ret != 0;
    ret = ret == 0 ? compare(&comparison, call, &input) : ret;
    ret = ret == 0 ? write_all(&comparison, call) : ret;
    if (ret == 0 && arguments->svg_folder != NULL) {
        ret = draw_all(&comparison, call, &input);
    }
    if (ret == 0 && !is_within_limits(&comparison, arguments)) {
        ret = SPOT_EXIT_FAILED;
    }
    spot_comparison_free(&comparison);
    spot_comparison_inputs_free(&input);
    free(arguments->limits);
    return ret;
}

const spot_verb_t spot_verb_trace_compare = {
    .name = "trace compare",
    .arguments = "A B\nMODEL... TRACE\n--halves TRACE",
    .summary = "How alike two traces are, or a trace and what models make of it",
    .doc = "Trace A is held against trace B, or the replications of each MODEL "
           "(spotsim-model: 1), with the length and first instances of TRACE, against "
           "it. All are recorded at one tick, at least 60 s and the coarsest "
           "resolution. Models are called as their files, a trace by its name, or as "
           "its file if both have the same name. Distances of 0 mean: the same. "
           "Beside them is how far the second half of the trace is from its first: "
           "tune no model below that. With a seed model among several models a table "
           "shows where and by how much the others beat it.\n\n"
           "Start with block (made of the trace itself) when there is a trace, with "
           "mrp when there are only parameters. Suggested limits: 1.5 times the "
           "reference of the same model. The output of --json explains each metric.",
    .examples = "  spotsim trace compare generated.csv recorded.csv\n"
                "  spotsim trace compare seed.yaml mrp.yaml block.yaml recorded.csv\n"
                "  spotsim trace compare block.yaml recorded.csv --replications 4000 \\\n"
                "      --limit ks_preempt_gap=0.15\n"
                "  spotsim trace compare --halves recorded.csv --json\n",
    .options = options,
    .quiet = "No table, warnings or progress; for --csv and --limit",
    .arguments_bytes = sizeof(arguments_t),
    .initial = &initial,
    .check = check,
    .run = run,
};
