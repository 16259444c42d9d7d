/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/units.h"
#include "base/yaml_write.h"
#include "sim/bench/advise/advise_internal.h"

/* What is estimated of a point; of the time only with a metric of it. */
enum { GOAL, COST, COST_P50, COST_P95, TIME_P50, TIME_P95, NUM_ESTIMATES };

/* The forms of metrics; the goal is one already. */
static const char *const forms[NUM_ESTIMATES] = {NULL, "mean", "p50", "p95", "p50", "p95"};

/* Runs of an answer for each alternative, of which it counts at least so many, and the
 * most of one in the search. Larger fleets have runs of their own. */
enum { MEAN_RUNS = 500, LEAST_POINTS = 9, SEARCH_MAX_RUNS = 4096 };

static const char *source_of(const spot_advising_t *self, int estimate_id)
{
    return estimate_id == GOAL      ? self->alternatives.goal
           : estimate_id < TIME_P50 ? self->advice->cost
                                    : self->advice->time;
}

/* Whether the plain estimate of a metric is its mean. Late runs count in it with what
 * was paid up to their end, which the form "mean" leaves out; of a ratio it is another
 * one. */
static bool is_mean(const spot_advising_t *self, const char *metric)
{
    const spot_outputs_t *outputs = self->experiment->outputs(self->scenario);

    return outputs->metrics[spot_outputs_metric_id(outputs, metric)].numerator == NULL;
}

/* "p95(cost_usd)"; NULL: there is none, or no memory. */
static const char *estimate_name(const spot_advising_t *self, spot_texts_t *texts, int estimate_id)
{
    const char *source = source_of(self, estimate_id);

    return source == NULL || forms[estimate_id] == NULL ||
                   (estimate_id == COST && is_mean(self, source))
               ? source
               : spot_texts_add(texts, "%s(%s)", forms[estimate_id], source);
}

/* The limits that the answer keeps, as a list. */
static void write_conditions(const spot_advising_t *self, spot_texts_t *texts, FILE *out)
{
    const spot_advice_question_t *question = &self->request->question;
    char number[SPOT_NUMBER_TEXT_BYTES];

    spot_number_text(question->sure, number);
    fprintf(out, "    subject_to: [\"%s >= %s\"", self->alternatives.goal, number);
    if (isfinite(question->budget)) {
        spot_number_text(question->budget, number);
        fprintf(out, ", \"%s <= %s\"", estimate_name(self, texts, COST_P95), number);
    }
    fputs("]\n", out);
}

/* The points as a list; of a search they are what is optimised over. */
static void write_points(const spot_advising_t *self, spot_texts_t *texts, size_t num_points,
    const char *const *points, const char *more, bool is_search, FILE *out)
{
    const int num_blanks = is_search ? 8 : 4;

    if (is_search) {
        fprintf(out, "optimise:\n    minimise: %s\n", estimate_name(self, texts, COST));
        write_conditions(self, texts, out);
        fputs("    over:\n", out);
    } else {
        fputs("sweep:\n", out);
    }
    for (size_t j = 0; j < num_points; j++) {
        const int length = (int) strlen(points[j]) - 1; /* without the last brace */

        fprintf(out, "%*s- %.*s%s%s}\n", num_blanks, "", length, points[j],
            more == NULL ? "" : ", ", more == NULL ? "" : more);
    }
}

const char *spot_advising_study_text(const spot_advising_t *self, spot_texts_t *texts,
    size_t num_points, const char *const *points, const char *more, int64_t num_runs, uint64_t seed)
{
    /* Of a job that runs the points do not have the same begin. */
    const bool has_times = num_runs > 0 || !self->request->question.is_running;
    FILE *out = spot_texts_begin(texts);

    if (out == NULL) {
        return spot_texts_end(texts, out);
    }
    fputs("study: advice\nquestion: ", out);
    spot_json_quote(out, self->result->question, true);
    fputs("\nscenario:\n", out);
    spot_yaml_write_block(self->document.root, 4, out);
    write_points(self, texts, num_points, points, more, num_runs == 0, out);
    if (num_runs == 0) {
        fprintf(out, "replications: {min: %d, max: %d, seed: %" PRIu64 "}\n",
            SPOT_ADVICE_SEARCH_RUNS, SEARCH_MAX_RUNS, seed);
    } else {
        fprintf(out, "replications: {count: %" PRId64 ", seed: %" PRIu64 "}\n", num_runs, seed);
    }
    fputs("metrics:\n", out);
    for (int j = 0; j < NUM_ESTIMATES; j++) {
        if (source_of(self, j) != NULL && (j < TIME_P50 || has_times)) {
            fprintf(out, "    - \"%s\"\n", estimate_name(self, texts, j));
        }
    }
    return spot_texts_end(texts, out);
}

const char *spot_advising_scenario_text(
    const spot_advising_t *self, spot_texts_t *texts, const char *point)
{
    spot_yaml_t copy = {0}, values = {0};
    FILE *out = spot_texts_begin(texts);
    const char *text;
    int ret;

    if (out != NULL) {
        spot_yaml_write_block(self->document.root, 0, out);
    }
    text = spot_texts_end(texts, out);
    ret = spot_yaml_parse(&copy, self->study_path, text, strlen(text), self->diag);
    ret = ret != 0 ? ret
                   : spot_yaml_parse(&values, self->study_path, point, strlen(point), self->diag);
    for (size_t j = 0; ret == 0 && j < values.root->num_children; j++) {
        ret = spot_yaml_set(&copy, values.root->keys[j]->text, values.root->children[j]);
    }
    text = "";
    if (ret == 0) {
        out = spot_texts_begin(texts);
        if (out != NULL) {
            spot_yaml_write_block(copy.root, 0, out);
        }
        text = spot_texts_end(texts, out);
    } else {
        texts->error = spot_error_first(texts->error, ret);
    }
    spot_yaml_free(&copy);
    spot_yaml_free(&values);
    return text;
}

int spot_advising_study(spot_advising_t *self, const char *text, spot_study_t *study)
{
    spot_yaml_t document = {0}, none = {0};
    const spot_study_source_t source = {
        .study = &document, .scenario = &none, .path = self->study_path};
    int ret = spot_yaml_parse(&document, self->study_path, text, strlen(text), &self->quiet);

    ret = ret != 0 ? ret : spot_study_init(study, self->request->engines, &source, &self->quiet);
    spot_yaml_free(&document);
    spot_yaml_free(&none);
    return ret;
}

/* ---- Figures ---- */

typedef struct {
    spot_estimate_t estimates[NUM_ESTIMATES];
    size_t num_traces;
    spot_estimate_t *by_trace; /* [num_traces] the goal in the runs on each recording */
} reader_t;

static int take_row(void *context, const spot_row_t *row)
{
    reader_t *self = context;
    int ret = 0;

    for (int j = 0; ret == 0 && j < NUM_ESTIMATES; j++) {
        if (self->estimates[j].metric != NULL) {
            ret = spot_estimate_add(&self->estimates[j], row->metrics);
        }
    }
    return ret == 0 && self->by_trace != NULL
               ? spot_estimate_add(
                     &self->by_trace[(size_t) row->replication % self->num_traces], row->metrics)
               : ret;
}

/* NO_MEMORY: estimates that are missing have no metric. */
static int start_reader(
    const spot_advising_t *self, const spot_study_head_t *head, reader_t *reader)
{
    spot_texts_t texts = {.error = 0};
    int ret;

    for (int j = 0; j < NUM_ESTIMATES; j++) {
        const char *estimate = estimate_name(self, &texts, j);
        const size_t metric_id = spot_study_metric_id(head, estimate);

        if (metric_id < head->num_metrics) {
            spot_estimate_init(&reader->estimates[j], head, metric_id);
        }
    }
    ret = texts.error;
    spot_texts_free(&texts);
    return ret;
}

static double value_of(const reader_t *reader, int estimate_id)
{
    const spot_estimate_t *estimate = &reader->estimates[estimate_id];

    return estimate->metric == NULL ? (double) NAN : spot_estimate_value(estimate);
}

static void set_figures(const reader_t *reader, spot_advice_figures_t *figures)
{
    const double confidence = 1 - (1 - SPOT_CONFIDENCE) / 2;

    *figures = (spot_advice_figures_t){
        .num_runs = reader->estimates[GOAL].num_values,
        .p = value_of(reader, GOAL),
        .cost = value_of(reader, COST),
        .cost_p50 = value_of(reader, COST_P50),
        .cost_p95 = value_of(reader, COST_P95),
        .time_p50_s = value_of(reader, TIME_P50),
        .time_p95_s = value_of(reader, TIME_P95),
    };
    spot_estimate_safe_bounds(
        &reader->estimates[GOAL], confidence, &figures->p_low, &figures->p_high);
    spot_estimate_safe_bounds(
        &reader->estimates[COST], confidence, &figures->cost_low, &figures->cost_high);
}

static void find_worst(const reader_t *reader, spot_advice_worst_t *worst)
{
    worst->p = HUGE_VAL;
    for (size_t j = 0; j < reader->num_traces; j++) {
        const double p = spot_estimate_value(&reader->by_trace[j]);

        if (p < worst->p) {
            worst->p = p;
            worst->trace_id = j;
        }
    }
}

/* Reads the rows of a point. worst as above, or NULL. */
static int read_point(const spot_advising_t *self, const spot_store_t *store, size_t point_id,
    spot_advice_figures_t *figures, spot_advice_worst_t *worst)
{
    reader_t reader = {.num_traces = self->request->question.num_traces};
    int ret = start_reader(self, store->head, &reader);

    if (ret == 0 && worst != NULL) {
        reader.by_trace = spot_calloc(reader.num_traces, sizeof(*reader.by_trace));
        ret = reader.by_trace == NULL ? SPOT_ERR_NO_MEMORY : 0;
        for (size_t j = 0; ret == 0 && j < reader.num_traces; j++) {
            spot_estimate_init(&reader.by_trace[j], store->head,
                spot_study_metric_id(store->head, self->alternatives.goal));
        }
    }
    ret = ret == 0 ? store->read(store, point_id, 0, take_row, &reader) : ret;
    if (ret == 0) {
        set_figures(&reader, figures);
        if (worst != NULL) {
            find_worst(&reader, worst);
        }
    }
    for (int j = 0; j < NUM_ESTIMATES; j++) {
        spot_estimate_free(&reader.estimates[j]);
    }
    for (size_t j = 0; reader.by_trace != NULL && j < reader.num_traces; j++) {
        spot_estimate_free(&reader.by_trace[j]);
    }
    free(reader.by_trace);
    return ret;
}

int64_t spot_advising_left(const spot_advising_t *self)
{
    const spot_advice_result_t *result = self->result;
    const bool is_current_open =
        self->request->question.is_running && spot_advice_current(result) == NULL;
    const int64_t mean_runs = self->advice->mean_runs > 0 ? self->advice->mean_runs : MEAN_RUNS;

    return mean_runs * (int64_t) fmax((double) result->num_points, LEAST_POINTS) -
           SPOT_ADVICE_PROMISE_RUNS * ((result->num_advised == 0) + is_current_open) -
           result->num_runs - result->num_other_runs;
}

int spot_advising_measure(spot_advising_t *self, size_t num_points, const char *const *points,
    const char *more, int64_t num_runs, uint64_t seed, spot_advice_figures_t *figures,
    spot_advice_worst_t *worst)
{
    const spot_study_run_t run = {
        .num_threads = (int) self->request->num_threads, .stop = self->request->stop};
    spot_texts_t texts = {.error = 0};
    spot_study_t study = {.experiment = NULL};
    spot_store_t *store = NULL;
    const char *text =
        spot_advising_study_text(self, &texts, num_points, points, more, num_runs, seed);
    int ret = texts.error;

    ret = ret == 0 ? spot_advising_study(self, text, &study) : ret;
    ret = ret == 0 ? spot_store_open_memory(&store, &study.head) : ret;
    ret = ret == 0 ? spot_study_run(&study, store, &run, &self->quiet) : ret;
    for (size_t j = 0; ret == 0 && j < num_points; j++) {
        self->result->num_other_runs += spot_store_num_rows(store, j);
        ret = read_point(self, store, j, &figures[j], j == 0 ? worst : NULL);
    }
    if (store != NULL) {
        store->close(store);
    }
    spot_study_free(&study);
    spot_texts_free(&texts);
    return ret;
}

bool spot_advising_is_met(const spot_advising_t *self, const spot_advice_figures_t *figures)
{
    const spot_advice_question_t *question = &self->request->question;

    return figures->p >= question->sure &&
           (!isfinite(question->budget) || figures->cost_p95 <= question->budget);
}
