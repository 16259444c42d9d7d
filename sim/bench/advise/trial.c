/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/advise/trial.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/intervals.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/yaml.h"
#include "sim/bench/study/run.h"
#include "sim/bench/study/study.h"

/* ---- Alternatives ---- */

/* What is wrong with a scenario, its place left out: the first error. */
static const char *first_error(spot_texts_t *texts, const spot_diag_t *diag)
{
    for (size_t j = 0; j < diag->num_items; j++) {
        if (diag->items[j].is_error) {
            const char *text = strstr(diag->items[j].text, ": ");

            return spot_texts_add(texts, "%s", text == NULL ? diag->items[j].text : text + 2);
        }
    }
    return "the engine does not take it";
}

/* Why a bound alternative does not compete: a figure is lacking or is not measured, or
 * its options break the rules that the others keep. NULL: it does. */
static const char *why_not(const spot_advising_t *self, const void *scenario)
{
    spot_texts_t *texts = &self->result->texts;
    const spot_outputs_t *outputs = self->experiment->outputs(scenario);
    spot_standing_t standing = {.side = "it"};

    if (self->experiment->standing != NULL) {
        standing = self->experiment->standing(scenario);
    }
    if (outputs->cannot_run != NULL) {
        return spot_texts_add(texts, "%s", outputs->cannot_run);
    }
    if (outputs->unmeasured != NULL) {
        return spot_texts_add(texts, "%s: %s", standing.side, outputs->unmeasured);
    }
    return standing.path == NULL ? NULL
                                 : spot_texts_add(texts,
                                       "%s: its options break rules that the others "
                                       "keep",
                                       standing.side);
}

int spot_advising_look(
    spot_advising_t *self, const spot_alternative_t *item, const char **why, bool *can_run)
{
    spot_texts_t texts = {.error = 0};
    const char *text = spot_advising_scenario_text(self, &texts, item->point);
    spot_yaml_t document = {0};
    void *scenario = NULL;
    spot_diag_t diag;
    int ret = texts.error;
    bool is_run = false;

    spot_diag_init_like(&diag, self->diag);
    ret = ret != 0 ? ret : spot_yaml_parse(&document, self->study_path, text, strlen(text), &diag);
    ret = ret != 0 ? ret : self->experiment->bind(&scenario, document.root, self->scenario, &diag);
    if (ret == 0 || ret == SPOT_ERR_CANNOT_RUN) {
        is_run = ret == 0;
        *why = why_not(self, scenario);
        ret = 0;
    } else if (ret == SPOT_ERR_BAD_INPUT) {
        *why = first_error(&self->result->texts, &diag);
        ret = 0;
    }
    self->experiment->free(scenario);
    spot_yaml_free(&document);
    spot_diag_free(&diag);
    spot_texts_free(&texts);
    if (can_run != NULL) {
        *can_run = is_run;
    }
    return ret;
}

/* Runs that are left of all that the advice may have. */
static int64_t runs_left(const spot_advising_t *self)
{
    const int64_t num_left = self->max_runs - self->result->num_runs - self->result->num_other_runs;

    return num_left > 0 ? num_left : 0;
}

int64_t spot_advising_afford(
    spot_advising_t *self, int64_t wanted, double share_of_left, int64_t least)
{
    const double share = floor(share_of_left * (double) runs_left(self));

    if (share >= (double) wanted) {
        return wanted;
    }
    self->is_short = true;
    least = least < wanted ? least : wanted;
    return share > (double) least ? (int64_t) share : least;
}

/* ---- Points that are run ---- */

/* What is estimated of a point; of the time only with a metric of it. */
enum { GOAL, COST, COST_P50, COST_P95, TIME_P50, TIME_P95, NUM_ESTIMATES };

/* The forms of metrics; the goal is one already. */
static const char *const forms[NUM_ESTIMATES] = {NULL, "mean", "p50", "p95", "p50", "p95"};

/* The most runs of an alternative in the search. */
enum { SEARCH_MAX_RUNS = 4096 };

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
        fprintf(out, "replications: {min: %" PRId64 ", max: %d, seed: %" PRIu64 "}\n",
            self->first_runs, SEARCH_MAX_RUNS, seed);
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

/* ---- Trials ---- */

/* A point of a trial. */
struct spot_trial_point {
    spot_estimate_t estimates[NUM_ESTIMATES];
    size_t num_traces;
    spot_estimate_t *by_trace; /* [num_traces] the goal in the runs on each recording */
    bool is_fixed;             /* all runs are the same: it has one */
    size_t num_rows, max_rows;
    double (*rows)[2]; /* [num_rows] the goal and the cost of each run */
};

/* NO_MEMORY: estimates that are missing have no metric. */
static int start_point(
    const spot_advising_t *advising, const spot_study_head_t *head, spot_trial_point_t *self)
{
    spot_texts_t texts = {.error = 0};
    int ret;

    for (int j = 0; j < NUM_ESTIMATES; j++) {
        const char *estimate = estimate_name(advising, &texts, j);
        const size_t metric_id =
            estimate == NULL ? head->num_metrics : spot_study_metric_id(head, estimate);

        if (metric_id < head->num_metrics) {
            spot_estimate_init(&self->estimates[j], head, metric_id);
        }
    }
    self->num_traces = advising->request->question.num_traces;
    ret = texts.error;
    spot_texts_free(&texts);
    if (ret == 0 && self->num_traces > 1) {
        self->by_trace = spot_calloc(self->num_traces, sizeof(*self->by_trace));
        ret = self->by_trace == NULL ? SPOT_ERR_NO_MEMORY : 0;
    }
    for (size_t j = 0; ret == 0 && self->by_trace != NULL && j < self->num_traces; j++) {
        spot_estimate_init(
            &self->by_trace[j], head, spot_study_metric_id(head, advising->alternatives.goal));
    }
    return ret;
}

static void free_point(spot_trial_point_t *self)
{
    for (int j = 0; j < NUM_ESTIMATES; j++) {
        spot_estimate_free(&self->estimates[j]);
    }
    for (size_t j = 0; self->by_trace != NULL && j < self->num_traces; j++) {
        spot_estimate_free(&self->by_trace[j]);
    }
    free(self->by_trace);
    free(self->rows);
}

static int take_row(void *context, const spot_row_t *row)
{
    spot_trial_point_t *self = context;
    const spot_estimate_t *goal = &self->estimates[GOAL], *cost = &self->estimates[COST];
    double of_goal[2] = {0}, of_cost[2] = {0};
    int ret =
        spot_array_reserve(&self->rows, &self->max_rows, self->num_rows + 1, sizeof(*self->rows));

    for (int j = 0; ret == 0 && j < NUM_ESTIMATES; j++) {
        if (self->estimates[j].metric != NULL) {
            ret = spot_estimate_add(&self->estimates[j], row->metrics);
        }
    }
    if (ret == 0 && self->by_trace != NULL) {
        ret = spot_estimate_add(
            &self->by_trace[(size_t) row->replication % self->num_traces], row->metrics);
    }
    if (ret == 0) {
        const bool has_goal = spot_line_numbers(goal->metric, &goal->source, row->metrics, of_goal);
        const bool has_cost = spot_line_numbers(cost->metric, &cost->source, row->metrics, of_cost);

        self->rows[self->num_rows][0] = has_goal ? of_goal[0] : 0;
        self->rows[self->num_rows++][1] = has_cost ? of_cost[0] : (double) NAN;
    }
    return ret;
}

int spot_trial_init(spot_trial_t *self, spot_advising_t *advising, size_t num_points,
    const char *const *points, const char *more, const spot_trial_plan_t *plan)
{
    spot_texts_t texts = {.error = 0};
    const char *text = spot_advising_study_text(
        advising, &texts, num_points, points, more, plan->most, plan->seed);
    int ret = texts.error;

    *self = (spot_trial_t){.advising = advising, .num_points = num_points};
    ret = ret == 0 ? spot_advising_study(advising, text, &self->study) : ret;
    ret = ret == 0 ? spot_store_open_memory(&self->store, &self->study.head) : ret;
    if (ret == 0) {
        self->points = spot_calloc(num_points, sizeof(*self->points));
        ret = self->points == NULL ? SPOT_ERR_NO_MEMORY : 0;
    }
    for (size_t j = 0; ret == 0 && j < num_points; j++) {
        self->points[j].is_fixed =
            spot_study_is_fixed(&self->study.head, j) || (plan->fixed >> j & 1) != 0;
        ret = start_point(advising, &self->study.head, &self->points[j]);
    }
    spot_texts_free(&texts);
    return ret;
}

void spot_trial_free(spot_trial_t *self)
{
    for (size_t j = 0; self->points != NULL && j < self->num_points; j++) {
        free_point(&self->points[j]);
    }
    free(self->points);
    if (self->store != NULL) {
        self->store->close(self->store);
    }
    spot_study_free(&self->study);
    memset(self, 0, sizeof(*self));
}

int spot_trial_grow(spot_trial_t *self, int64_t num_runs)
{
    const spot_advise_request_t *request = self->advising->request;
    const spot_study_run_t run = {.num_threads = (int) request->num_threads,
        .stop = request->stop,
        .most = num_runs,
        .progress = request->progress,
        .context = request->context};
    int ret = spot_study_run(&self->study, self->store, &run, &self->advising->quiet);

    for (size_t j = 0; ret == 0 && j < self->num_points; j++) {
        spot_trial_point_t *point = &self->points[j];
        const size_t before = point->num_rows;

        ret = self->store->read(self->store, j, (int64_t) before, take_row, point);
        self->advising->result->num_other_runs += (int64_t) (point->num_rows - before);
    }
    return ret;
}

bool spot_trial_is_fixed(const spot_trial_t *self, size_t point_id)
{
    return self->points[point_id].is_fixed;
}

static double value_of(const spot_trial_point_t *self, int estimate_id)
{
    const spot_estimate_t *estimate = &self->estimates[estimate_id];

    return estimate->metric == NULL ? (double) NAN : spot_estimate_value(estimate);
}

/* The interval of a share of the runs; that of a fixed point is known. */
static spot_probability_t share_of(
    const spot_trial_point_t *self, double num_hits, double confidence)
{
    const double num = (double) self->num_rows;
    spot_probability_t share = {.value = num_hits / num};

    if (self->is_fixed) {
        share.low = share.high = share.value;
    } else {
        spot_binomial_bounds(num_hits, num, confidence, &share.low, &share.high);
    }
    return share;
}

spot_probability_t spot_trial_goal(const spot_trial_t *self, size_t point_id, double confidence)
{
    const spot_trial_point_t *point = &self->points[point_id];
    double num_hits = 0;

    for (size_t j = 0; j < point->num_rows; j++) {
        num_hits += point->rows[j][0];
    }
    return share_of(point, num_hits, confidence);
}

spot_probability_t spot_trial_in_budget(
    const spot_trial_t *self, size_t point_id, double confidence)
{
    const spot_trial_point_t *point = &self->points[point_id];
    const spot_estimate_t *costs = &point->estimates[COST_P95];
    const double budget = self->advising->request->question.budget;
    double num_hits = 0;

    for (int64_t j = 0; j < costs->num_values; j++) {
        num_hits += costs->values[j] <= budget; /* INFINITY: cut off */
    }
    return share_of(point, num_hits, confidence);
}

void spot_trial_cost(
    const spot_trial_t *self, size_t point_id, double confidence, double *low, double *high)
{
    spot_estimate_safe_bounds(&self->points[point_id].estimates[COST], confidence, low, high);
}

void spot_trial_dearer(
    const spot_trial_t *self, size_t x, size_t y, double confidence, double *low, double *high)
{
    const spot_trial_point_t *points[2] = {&self->points[x], &self->points[y]};
    const size_t num[2] = {points[0]->num_rows, points[1]->num_rows};
    const size_t num_rows = num[0] > num[1] ? num[0] : num[1];
    spot_skewed_t difference = {0};

    for (size_t j = 0; j < num_rows; j++) {
        const double step = points[0]->rows[points[0]->is_fixed ? 0 : j][1] -
                            points[1]->rows[points[1]->is_fixed ? 0 : j][1];

        if (isfinite(step)) {
            spot_skewed_add(&difference, step);
        }
    }
    *low = *high = difference.moments.mean;
    if (!points[0]->is_fixed || !points[1]->is_fixed) {
        spot_skewed_bounds(&difference, confidence, low, high);
    }
}

void spot_trial_compare(const spot_trial_t *self, const spot_trial_t *other, size_t point_id,
    bool *is_goal_same, bool *is_cost_same)
{
    const spot_trial_point_t *a = &self->points[point_id], *b = &other->points[point_id];

    *is_goal_same = *is_cost_same = true;
    for (size_t j = 0; j < a->num_rows && j < b->num_rows; j++) {
        *is_goal_same = *is_goal_same && a->rows[j][0] == b->rows[j][0];
        *is_cost_same = *is_cost_same && a->rows[j][1] == b->rows[j][1];
    }
}

void spot_trial_figures(const spot_trial_t *self, size_t point_id, spot_advice_figures_t *figures)
{
    const spot_trial_point_t *point = &self->points[point_id];
    const spot_probability_t goal = spot_trial_goal(self, point_id, SPOT_CONFIDENCE);

    *figures = (spot_advice_figures_t){
        .num_runs = point->is_fixed ? 1 : (int64_t) point->num_rows,
        .p = goal.value,
        .p_low = goal.low,
        .p_high = goal.high,
        .cost = value_of(point, COST),
        .cost_p50 = value_of(point, COST_P50),
        .cost_p95 = value_of(point, COST_P95),
        .time_p50_s = value_of(point, TIME_P50),
        .time_p95_s = value_of(point, TIME_P95),
        .in_budget = {.value = (double) NAN},
    };
    figures->cost_low = figures->cost_high = figures->cost;
    if (!point->is_fixed) {
        spot_estimate_safe_bounds(
            &point->estimates[COST], SPOT_CONFIDENCE, &figures->cost_low, &figures->cost_high);
    }
    if (isfinite(self->advising->request->question.budget)) {
        figures->in_budget = spot_trial_in_budget(self, point_id, SPOT_CONFIDENCE);
    }
}

size_t spot_trial_worst_trace(const spot_trial_t *self, size_t point_id, spot_probability_t *p)
{
    const spot_trial_point_t *point = &self->points[point_id];
    /* Of all recordings at once: which one is the worst is chosen by these runs. */
    const double confidence = 1 - (1 - SPOT_CONFIDENCE) / (double) point->num_traces;
    size_t worst_id = 0;

    *p = (spot_probability_t){HUGE_VAL, 0, 1};
    for (size_t j = 0; point->by_trace != NULL && j < point->num_traces; j++) {
        const spot_estimate_t *estimate = &point->by_trace[j];
        const double share = spot_estimate_value(estimate), num = (double) estimate->num_values;

        if (share < p->value) {
            p->value = p->low = p->high = share;
            worst_id = j;
            if (!point->is_fixed) {
                spot_binomial_bounds(nearbyint(share * num), num, confidence, &p->low, &p->high);
            }
        }
    }
    return worst_id;
}
