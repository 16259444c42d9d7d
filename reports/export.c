/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/export.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/csv.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/watch.h"
#include "reports/doubts.h"
#include "reports/plan_report.h"
#include "reports/race_report.h"
#include "reports/study_parts.h"
#include "sim/bench/analysis/difference.h"
#include "sim/bench/analysis/sensitivity.h"
#include "sim/bench/analysis/summary.h"
#include "sim/bench/store/head.h"

/* A line of either format, cell by cell; also an object of the whole JSON. */
typedef struct {
    const spot_store_t *store;
    const spot_study_head_t *head; /* of the store */
    FILE *out;
    spot_export_format_t format;
    bool is_head; /* of CSV: names instead of values */
    bool has_cells;
    spot_json_t json;
    size_t point_id;
    size_t num_written;        /* points */
    double ends_s;             /* no point is begun later by spot_clock_s(); 0: all are written */
    spot_race_t replayed;      /* for lines of points and metrics */
    const spot_race_t *race;   /* which has the fates of points; NULL: there is none */
    spot_summary_t *summaries; /* [num_metrics] of the point */
    spot_paired_t *pairs;      /* [num_points][num_metrics] to the baseline, or NULL */
    spot_texts_t texts;        /* of the line */
    int error;                 /* the first one */
} line_t;

static void fail(line_t *self, int error)
{
    self->error = spot_error_first(self->error, error);
}

/* ---- Cells ---- */

static void begin_line(line_t *self)
{
    self->has_cells = false;
    if (self->format == SPOT_EXPORT_JSONL) {
        spot_json_init(&self->json, self->out, 0);
        spot_json_open(&self->json, NULL, '{');
    }
}

/* Keeps the errors of a line, whose texts are no longer needed. */
static void settle(line_t *self)
{
    fail(self, self->texts.error);
    fail(self, ferror(self->out) ? SPOT_ERR_IO : 0);
    spot_texts_free(&self->texts);
}

static void end_line(line_t *self)
{
    if (self->format == SPOT_EXPORT_JSONL) {
        spot_json_close(&self->json, '}'); /* which ends the line */
    } else {
        fputc('\n', self->out);
    }
    settle(self);
}

/* The comma before a cell of CSV, and its name in the head: true where the value must
 * not follow. */
static bool begin_cell(line_t *self, const char *name)
{
    if (self->has_cells) {
        fputc(',', self->out);
    }
    self->has_cells = true;
    if (self->is_head) {
        spot_csv_field_text(self->out, name);
    }
    return self->is_head;
}

static void put_number(line_t *self, const char *name, double value)
{
    char text[SPOT_NUMBER_TEXT_BYTES];

    if (self->format == SPOT_EXPORT_JSONL) {
        spot_json_number(&self->json, name, value);
    } else if (!begin_cell(self, name) && isfinite(value)) {
        const size_t num_bytes = spot_number_text(value, text);

        fwrite(text, 1, num_bytes, self->out);
    }
}

static void put_text(line_t *self, const char *name, const char *value)
{
    if (self->format == SPOT_EXPORT_JSONL) {
        spot_json_text(&self->json, name, value);
    } else if (!begin_cell(self, name)) {
        spot_csv_field_text(self->out, value);
    }
}

/* The swept keys: a number with its unit in the name, or the text of the YAML. */
static void put_point(line_t *self)
{
    put_number(self, "point", (double) self->point_id);
    for (size_t j = 0; j < self->head->num_axes; j++) {
        const spot_axis_t *axis = &self->head->axes[j];
        const size_t value_id = spot_study_value_id(self->head, self->point_id, j);

        if (spot_axis_is_numeric(axis)) {
            put_number(self,
                axis->unit[0] == '\0' ? axis->path
                                      : spot_texts_join(&self->texts, axis->path, "_", axis->unit),
                axis->numbers[value_id]);
        } else {
            put_text(self, axis->path, axis->texts[value_id]);
        }
    }
}

/* The names of warnings that held in a replication, a bit each; or, without these, how
 * many replications of the point met each of those that were met. */
static void put_warnings(line_t *self, const uint32_t *held)
{
    const char *cannot_run =
        held == NULL ? spot_study_cannot_run(self->head, self->point_id) : NULL;
    const bool is_json = self->format == SPOT_EXPORT_JSONL;
    spot_texts_t *texts = &self->texts;
    const char *text =
        cannot_run == NULL ? "" : spot_texts_add(texts, "cannot run: %s", cannot_run);

    if (is_json) {
        spot_json_open(&self->json, "warnings", held == NULL ? '{' : '[');
    }
    for (size_t j = 0; j < self->head->num_warnings; j++) {
        const char *name = self->head->warnings[j].name;
        const int64_t num =
            held != NULL ? *held >> j & 1 : self->store->num_warned(self->store, self->point_id, j);

        if (num > 0 && is_json && held == NULL) {
            spot_json_integer(&self->json, name, num);
        } else if (num > 0 && is_json) {
            spot_json_text(&self->json, NULL, name);
        } else if (num > 0 && cannot_run == NULL) {
            text = spot_texts_join(texts, text, ";",
                held != NULL ? name : spot_texts_add(texts, "%s:%" PRId64, name, num));
        }
    }
    if (is_json) {
        spot_json_close(&self->json, held == NULL ? '}' : ']');
    } else {
        put_text(self, "warnings", text);
    }
}

/* metric: what the names of its parts start with; "": nothing. */
static void put_estimate(line_t *self, const char *metric, const spot_summary_t *summary)
{
    const struct {
        const char *part;
        double value;
    } parts[] = {{"mean", summary->value}, {"std", summary->std}, {"stderr", summary->stderr_value},
        {"ci95_low", summary->ci_low}, {"ci95_high", summary->ci_high}, {"p05", summary->p05},
        {"median", summary->median}, {"p95", summary->p95}};

    for (size_t j = 0; j < sizeof(parts) / sizeof(parts[0]); j++) {
        put_number(self, spot_texts_join(&self->texts, metric, "_", parts[j].part), parts[j].value);
        if (j == 0 && metric[0] == '\0' && isinf(summary->value) &&
            self->format == SPOT_EXPORT_JSONL) {
            put_number(self, "least", summary->least);
        }
    }
}

static void put_fate(line_t *self)
{
    if (self->race != NULL) {
        put_text(self, "fate", spot_fate_names[self->race->runners[self->point_id].fate]);
    }
}

/* ---- Lines of replications and points ---- */

/* JSON has no key for a metric that the point lacks; the cell of CSV is empty. */
static bool is_left_out(const line_t *self, size_t metric_id)
{
    return self->format == SPOT_EXPORT_JSONL &&
           !spot_study_has_metric(self->head, self->point_id, metric_id);
}

static int put_replication(void *context, const spot_row_t *row)
{
    line_t *self = context;

    begin_line(self);
    put_point(self);
    put_number(self, "replication", (double) row->replication);
    for (size_t j = 0; j < self->head->num_metrics; j++) {
        if (self->head->metrics[j].estimator == SPOT_ESTIMATOR_USUAL && !is_left_out(self, j)) {
            put_number(self, self->head->metrics[j].name, row->metrics[j]);
        }
    }
    put_warnings(self, &row->warnings);
    end_line(self);
    return self->error;
}

static line_t line_of(const spot_store_t *store, spot_export_format_t format, FILE *out)
{
    return (line_t){.store = store,
        .head = store->head,
        .out = out,
        .format = format,
        .is_head = format == SPOT_EXPORT_CSV};
}

int spot_export_replications(const spot_store_t *store, spot_export_format_t format, FILE *out)
{
    double *nothing = spot_calloc(store->head->num_metrics, sizeof(*nothing));
    line_t line = line_of(store, format, out);
    int ret = nothing == NULL ? SPOT_ERR_NO_MEMORY : 0;

    if (ret == 0 && line.is_head) {
        ret = put_replication(&line, &(spot_row_t){.metrics = nothing});
    }
    free(nothing);
    line.is_head = false;
    for (size_t j = 0; ret == 0 && j < store->head->num_points; j++) {
        line.point_id = j;
        ret = store->read(store, j, 0, put_replication, &line);
    }
    return ret;
}

static void put_summaries(line_t *self)
{
    begin_line(self);
    put_point(self);
    put_number(self, "replications", (double) self->store->num_rows(self->store, self->point_id));
    for (size_t j = 0; j < self->head->num_metrics; j++) {
        const char *metric = self->head->metrics[j].name;

        if (!spot_study_shows(self->head, j) || is_left_out(self, j)) {
            continue;
        }
        put_estimate(self, metric, &self->summaries[j]);
        put_number(self, spot_texts_join(&self->texts, metric, "_", "nulls"),
            spot_study_has_metric(self->head, self->point_id, j)
                ? (double) self->summaries[j].num_nulls
                : (double) NAN);
    }
    put_warnings(self, NULL);
    put_fate(self);
    end_line(self);
}

/* The line of a point and a metric, or the head. */
static void put_result(line_t *self, const spot_metric_t *metric, const spot_summary_t *summary,
    const spot_paired_t *pair)
{
    double low, high;

    spot_paired_bounds(pair, SPOT_CONFIDENCE, &low, &high);
    begin_line(self);
    put_number(self, "point", (double) self->point_id);
    for (size_t j = 0; j < self->head->num_axes; j++) {
        const spot_axis_t *axis = &self->head->axes[j];

        put_text(self, axis->path, axis->texts[spot_study_value_id(self->head, self->point_id, j)]);
    }
    put_text(self, "metric", metric->name);
    put_text(self, "unit", metric->unit);
    put_number(self, "replications", (double) (summary->num_values + summary->num_nulls));
    put_number(self, "nulls", (double) summary->num_nulls);
    put_estimate(self, "", summary);
    put_number(self, "difference", spot_paired_mean(pair));
    put_number(self, "difference_ci95_low", low);
    put_number(self, "difference_ci95_high", high);
    put_warnings(self, NULL);
    put_text(self, "estimator", spot_estimator_names[spot_metric_estimator(metric)]);
    put_text(self, "remark", spot_words_remark(&self->texts, summary));
    put_fate(self);
    end_line(self);
}

static void put_results(line_t *self)
{
    if (self->is_head) {
        put_result(self, &(spot_metric_t){.name = "", .unit = ""}, &(spot_summary_t){0},
            &(spot_paired_t){0});
        return;
    }
    for (size_t j = 0; j < self->head->num_metrics; j++) {
        if (spot_study_shows(self->head, j) &&
            (spot_study_has_metric(self->head, self->point_id, j) ||
                spot_study_cannot_run(self->head, self->point_id) != NULL)) {
            put_result(self, &self->head->metrics[j], &self->summaries[j],
                &self->pairs[self->point_id * self->head->num_metrics + j]);
        }
    }
}

/* What put writes of each point, after its head, if there is one. */
static void put_points(line_t *self, void (*put)(line_t *self))
{
    self->summaries = spot_calloc(self->head->num_metrics, sizeof(*self->summaries));
    fail(self, self->summaries == NULL ? SPOT_ERR_NO_MEMORY : 0);
    if (self->error == 0 && self->is_head) {
        put(self);
    }
    self->is_head = false;
    for (size_t j = 0; self->error == 0 && j < self->head->num_points; j++) {
        self->point_id = j;
        if (self->ends_s > 0 && spot_clock_s() > self->ends_s) {
            break;
        }
        fail(self, spot_summarise(self->store, j, self->summaries));
        if (self->error == 0) {
            put(self);
            self->num_written++;
        }
    }
    free(self->summaries);
}

/* The same with the fates of a race, if the study is one. The first error. */
static int put_lines(line_t *self, void (*put)(line_t *self))
{
    if (self->error == 0 && self->head->optimise.metric != NULL) {
        self->race = &self->replayed;
        fail(self, spot_race_init(&self->replayed, self->head));
        fail(self, self->error == 0 ? spot_race_replay(&self->replayed, self->store) : 0);
    }
    put_points(self, put);
    spot_race_free(&self->replayed);
    free(self->pairs);
    return self->error;
}

int spot_export_points(const spot_store_t *store, spot_export_format_t format, FILE *out)
{
    line_t line = line_of(store, format, out);

    return put_lines(&line, put_summaries);
}

int spot_result_csv_write_in(
    const spot_store_t *store, FILE *out, double most_s, size_t *num_points)
{
    line_t line = line_of(store, SPOT_EXPORT_CSV, out);
    int ret;

    line.ends_s = spot_clock_s() + most_s;
    fail(&line, spot_store_differences(store, &line.pairs));
    ret = put_lines(&line, put_results);
    *num_points = line.num_written;
    return ret;
}

int spot_result_csv_write(const spot_store_t *store, FILE *out)
{
    size_t num_points;

    return spot_result_csv_write_in(store, out, (double) INFINITY, &num_points);
}

/* ---- The results as one object ---- */

static void write_metric(line_t *self, const spot_metric_t *metric, const spot_summary_t *summary,
    const spot_paired_t *pair)
{
    const char *remark = spot_words_remark(&self->texts, summary);
    double low, high;

    spot_json_open(&self->json, metric->name, '{');
    put_text(self, "unit", metric->unit);
    put_number(self, "replications", (double) (summary->num_values + summary->num_nulls));
    put_number(self, "nulls", (double) summary->num_nulls);
    put_text(self, "estimator", spot_estimator_names[spot_metric_estimator(metric)]);
    put_estimate(self, "", summary);
    if (remark[0] != '\0') {
        put_text(self, "remark", remark);
    }
    if (spot_paired_num_pairs(pair) > 0) {
        spot_paired_bounds(pair, SPOT_CONFIDENCE, &low, &high);
        spot_json_open(&self->json, "difference", '{');
        put_number(self, "pairs", (double) spot_paired_num_pairs(pair));
        put_number(self, "nulls", (double) pair->num_left_out);
        put_number(self, "mean", spot_paired_mean(pair));
        put_number(self, "ci95_low", low);
        put_number(self, "ci95_high", high);
        put_number(self, "gain", spot_paired_gain(pair, SPOT_CONFIDENCE));
        spot_json_close(&self->json, '}');
    }
    spot_json_close(&self->json, '}');
}

/* Whether the metric that the study wants to know is known well enough. */
static bool is_known(const line_t *self)
{
    const spot_summary_t *known =
        &self->summaries[spot_study_metric_id(self->head, self->head->until.metric)];

    return (spot_study_is_fixed(self->head, self->point_id) && known->num_values > 0) ||
           known->excess <= 1;
}

static void write_point(line_t *self)
{
    const spot_study_head_t *head = self->head;
    const char *cannot_run = spot_study_cannot_run(head, self->point_id);

    spot_json_open(&self->json, NULL, '{');
    spot_point_json(&self->json, head, self->point_id);
    put_fate(self);
    if (head->until.metric != NULL) {
        spot_json_boolean(&self->json, "is_known", is_known(self));
    }
    if (cannot_run != NULL) {
        put_text(self, "cannot_run", cannot_run);
    }
    spot_json_open(&self->json, "metrics", '{');
    for (size_t j = 0; j < head->num_metrics; j++) {
        if (!spot_study_shows(head, j)) {
            continue;
        }
        if (cannot_run != NULL) {
            put_text(self, head->metrics[j].name, NULL);
        } else if (spot_study_has_metric(head, self->point_id, j)) {
            write_metric(self, &head->metrics[j], &self->summaries[j],
                &self->pairs[self->point_id * head->num_metrics + j]);
        }
    }
    spot_json_close(&self->json, '}');
    put_warnings(self, NULL);
    spot_json_close(&self->json, '}');
    settle(self);
}

/* What the study is. Of "until", how well it wants to know a mean, "replications" is the
 * most that it takes. */
static void write_study(line_t *self)
{
    const spot_study_head_t *head = self->head;
    const bool is_relative = head->until.half_width == 0;

    put_text(self, "study", head->name);
    put_text(self, "question", head->question);
    spot_json_unsigned(&self->json, "seed", head->seed);
    put_number(self, "replications", (double) head->num_replications);
    if (head->until.metric != NULL) {
        spot_json_open(&self->json, "until", '{');
        put_text(self, "metric", head->until.metric);
        put_number(self, is_relative ? "relative_half_width" : "half_width",
            is_relative ? head->until.relative_half_width : head->until.half_width);
        put_number(self, "confidence", head->until.confidence);
        put_number(self, "min", (double) head->min_replications);
        spot_json_close(&self->json, '}');
    }
    if (head->has_baseline) {
        spot_json_open(&self->json, "baseline", '{');
        for (size_t j = 0; j <= head->num_more_baselines; j++) {
            const spot_axis_value_t value = spot_study_baseline(head, j);

            spot_axis_value_json(&self->json, &head->axes[value.axis_id], value.value_id);
        }
        spot_json_close(&self->json, '}');
    }
    spot_plan_json(&self->json, &head->plan);
    spot_assumed_json(&head->assumed, &self->json);
    if (head->num_remarks > 0) {
        spot_json_open(&self->json, "remarks", '[');
        for (size_t j = 0; j < head->num_remarks; j++) {
            put_text(self, NULL, head->remarks[j]);
        }
        spot_json_close(&self->json, ']');
    }
}

/* What the warnings mean that any point met. */
static void write_warnings(line_t *self)
{
    spot_json_open(&self->json, "warnings", '{');
    for (size_t j = 0; j < self->head->num_warnings; j++) {
        int64_t num_warned = 0;

        for (size_t k = 0; k < self->head->num_points; k++) {
            num_warned += self->store->num_warned(self->store, k, j);
        }
        if (num_warned > 0) {
            spot_json_open(&self->json, self->head->warnings[j].name, '{');
            put_number(self, "replications", (double) num_warned);
            put_text(self, "text", self->head->warnings[j].text);
            spot_json_close(&self->json, '}');
        }
    }
    spot_json_close(&self->json, '}');
}

static void write_json_index(
    spot_json_t *json, const char *name, const spot_sensitivity_index_t *index)
{
    spot_json_open(json, name, '{');
    spot_json_number(json, "value", index->value);
    spot_json_number(json, "ci95_low", index->ci_low);
    spot_json_number(json, "ci95_high", index->ci_high);
    spot_json_close(json, '}');
}

static void write_json_metric(spot_json_t *json, const spot_study_head_t *head, size_t metric_id,
    const spot_metric_sensitivity_t *metric)
{
    const spot_sensitivity_t *indices = &metric->indices;

    spot_json_open(json, head->metrics[metric_id].name, '{');
    spot_json_text(json, "problem", spot_metric_sensitivity_problem(metric));
    spot_json_text(json, "warning", spot_metric_sensitivity_warning(metric));
    spot_json_unsigned(json, "base_samples", indices->num_used);
    spot_json_unsigned(json, "left_out", indices->num_left_out);
    if (metric->outcome == 0) {
        spot_json_number(json, "mean", indices->mean);
        spot_json_number(json, "variance", indices->variance);
        spot_json_number(json, "noise_share", spot_sensitivity_noise_share(indices));
        spot_json_open(json, "keys", '{');
        for (size_t j = 0; j < head->num_axes; j++) {
            spot_json_open(json, head->axes[j].path, '{');
            write_json_index(json, "first_order", &indices->first[j]);
            write_json_index(json, "total", &indices->total[j]);
            spot_json_close(json, '}');
        }
        spot_json_close(json, '}');
    }
    spot_json_close(json, '}');
}

/* "sensitivity": by metric and key. NO_MEMORY. */
static int sensitivity_json(spot_json_t *json, const spot_store_t *store)
{
    spot_study_sensitivity_t sensitivity;
    const int ret = spot_study_sensitivity_init(&sensitivity, store);

    spot_json_open(json, "sensitivity", '{');
    for (size_t j = 0; ret == 0 && j < sensitivity.num_metrics; j++) {
        write_json_metric(json, store->head, j, &sensitivity.metrics[j]);
    }
    spot_json_close(json, '}');
    spot_study_sensitivity_free(&sensitivity);
    return ret;
}

int spot_result_json_write(const spot_store_t *store, FILE *out)
{
    const spot_study_head_t *head = store->head;
    line_t self = line_of(store, SPOT_EXPORT_JSONL, out);
    spot_race_answer_t answer = {0};

    if (head->optimise.metric != NULL) {
        self.race = &answer.race;
        fail(&self, spot_race_answer_init(&answer, store));
    }
    fail(&self, self.error == 0 ? spot_store_differences(store, &self.pairs) : 0);
    if (self.error == 0) {
        spot_json_init(&self.json, out, 2);
        spot_json_open(&self.json, NULL, '{');
        write_study(&self);
        if (self.race != NULL && head->optimise.num_constraints > 0) {
            spot_json_text(&self.json, "verdict", spot_verdict_names[spot_race_verdict(self.race)]);
        }
        if (self.race != NULL) {
            spot_race_json_write(&answer, &self.json);
        }
        spot_json_open(&self.json, "points", '[');
        put_points(&self, write_point);
        spot_json_close(&self.json, ']');
        write_warnings(&self);
        if (self.error == 0 && head->best.is_asked) {
            fail(&self, spot_winner_json(&self.json, store));
        }
        if (self.error == 0 && head->plan.kind == SPOT_PLAN_SENSITIVITY) {
            fail(&self, sensitivity_json(&self.json, store));
        }
        spot_json_close(&self.json, '}');
    }
    free(self.pairs);
    spot_race_answer_free(&answer);
    return self.error;
}
