/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/export.h"

#include <math.h>
#include <stdlib.h>

#include "base/csv_field.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/units.h"
#include "reports/plan_json.h"
#include "reports/race_json.h"
#include "reports/row_warnings.h"
#include "reports/sensitivity_report.h"
#include "reports/summary_remark.h"
#include "reports/winner_report.h"
#include "sim/analysis/difference.h"
#include "sim/analysis/summary.h"

#define NAME_BYTES 512

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
    const spot_race_t *race;   /* which has the fates of points; NULL: there is none */
    spot_summary_t *summaries; /* [num_metrics] of the point */
    spot_paired_t *pairs;      /* [num_points][num_metrics] to the baseline, or NULL */
} line_t;

/* ---- Cells ---- */

static void
begin_line(line_t *self)
{
    self->has_cells = false;
    if (self->format == SPOT_EXPORT_JSONL) {
        spot_json_init(&self->json, self->out, 0);
        spot_json_open(&self->json, NULL, '{');
    }
}

static void
end_line(line_t *self)
{
    if (self->format == SPOT_EXPORT_JSONL) {
        spot_json_close(&self->json, '}'); /* which ends the line */
    } else {
        fputc('\n', self->out);
    }
}

/* The comma before a cell of CSV, and its name in the head: true where the value must
 * not follow. */
static bool
begin_cell(line_t *self, const char *name)
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

static void
put_number(line_t *self, const char *name, double value)
{
    char text[SPOT_NUMBER_TEXT_BYTES] = "";

    if (self->format == SPOT_EXPORT_JSONL) {
        spot_json_number(&self->json, name, value);
    } else if (!begin_cell(self, name)) {
        if (isfinite(value)) {
            spot_number_text(value, text);
        }
        fputs(text, self->out);
    }
}

static void
put_text(line_t *self, const char *name, const char *value)
{
    if (self->format == SPOT_EXPORT_JSONL) {
        spot_json_text(&self->json, name, value);
    } else if (!begin_cell(self, name)) {
        spot_csv_field_text(self->out, value);
    }
}

/* The swept keys: a number with its unit in the name, or the text of the YAML. */
static void
put_point(line_t *self)
{
    put_number(self, "point", (double) self->point_id);
    for (size_t j = 0; j < self->head->num_axes; j++) {
        const spot_axis_t *axis = &self->head->axes[j];
        const size_t value_id = spot_study_value_id(self->head, self->point_id, j);

        if (spot_axis_is_numeric(axis)) {
            char name[NAME_BYTES];

            snprintf(name, sizeof(name), "%s%s%s", axis->path,
                axis->unit[0] == '\0' ? "" : "_", axis->unit);
            put_number(self, name, axis->numbers[value_id]);
        } else {
            put_text(self, axis->path, axis->texts[value_id]);
        }
    }
}

/* The names of those that held in a replication. */
static int
put_held(line_t *self, uint32_t warnings)
{
    if (self->format == SPOT_EXPORT_CSV) {
        return begin_cell(self, "warnings") || warnings == 0
                   ? 0
                   : spot_row_warnings_csv(self->head, warnings, self->out);
    }
    spot_json_open(&self->json, "warnings", '[');
    for (size_t j = 0; j < self->head->num_warnings; j++) {
        if ((warnings >> j & 1) != 0) {
            spot_json_text(&self->json, NULL, self->head->warnings[j].name);
        }
    }
    spot_json_close(&self->json, ']');
    return 0;
}

/* How many replications of the point met each of those that were met. */
static int
put_met(line_t *self)
{
    if (self->format == SPOT_EXPORT_JSONL) {
        spot_point_warnings_json(&self->json, self->store, self->point_id);
        return 0;
    }
    return begin_cell(self, "warnings")
               ? 0
               : spot_point_warnings_csv(self->store, self->point_id, self->out);
}

/* metric: what the names of its parts start with; NULL: nothing. */
static void
put_estimate(line_t *self, const char *metric, const spot_summary_t *summary)
{
    const struct {
        const char *part;
        double value;
    } parts[] = {{"mean", summary->value}, {"std", summary->std},
        {"stderr", summary->stderr_value}, {"ci95_low", summary->ci_low},
        {"ci95_high", summary->ci_high}, {"p05", summary->p05},
        {"median", summary->median}, {"p95", summary->p95}};

    for (size_t j = 0; j < sizeof(parts) / sizeof(parts[0]); j++) {
        char name[NAME_BYTES];

        snprintf(name, sizeof(name), "%s%s%s", metric == NULL ? "" : metric,
            metric == NULL ? "" : "_", parts[j].part);
        put_number(self, name, parts[j].value);
        if (j == 0 && metric == NULL && isinf(summary->value) &&
            self->format == SPOT_EXPORT_JSONL) {
            put_number(self, "least", summary->least);
        }
    }
}

static void
put_fate(line_t *self)
{
    if (self->race != NULL) {
        put_text(
            self, "fate", spot_fate_names[self->race->runners[self->point_id].fate]);
    }
}

/* ---- Lines of replications and points ---- */

/* JSON has no key for a metric that the point lacks; the cell of CSV is empty. */
static bool
is_left_out(const line_t *self, size_t metric_id)
{
    return self->format == SPOT_EXPORT_JSONL &&
           !spot_study_has_metric(self->head, self->point_id, metric_id);
}

static int
put_replication(void *context, const spot_row_t *row)
{
    line_t *self = context;
    int ret;

    begin_line(self);
    put_point(self);
    put_number(self, "replication", (double) row->replication);
    for (size_t j = 0; j < self->head->num_metrics; j++) {
        if (self->head->metrics[j].estimator == SPOT_ESTIMATOR_USUAL &&
            !is_left_out(self, j)) {
            put_number(self, self->head->metrics[j].name, row->metrics[j]);
        }
    }
    ret = put_held(self, row->warnings);
    end_line(self);
    return ret == 0 && ferror(self->out) ? SPOT_ERR_IO : ret;
}

static line_t
line_of(const spot_store_t *store, spot_export_format_t format, FILE *out)
{
    return (line_t){.store = store,
        .head = store->head,
        .out = out,
        .format = format,
        .is_head = format == SPOT_EXPORT_CSV};
}

int
spot_export_replications(
    const spot_store_t *store, spot_export_format_t format, FILE *out)
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

static int
put_summaries(line_t *self)
{
    char name[NAME_BYTES];
    int ret;

    begin_line(self);
    put_point(self);
    put_number(self, "replications",
        (double) self->store->num_rows(self->store, self->point_id));
    for (size_t j = 0; j < self->head->num_metrics; j++) {
        const char *metric = self->head->metrics[j].name;

        if (!spot_study_shows(self->head, j) || is_left_out(self, j)) {
            continue;
        }
        put_estimate(self, metric, &self->summaries[j]);
        snprintf(name, sizeof(name), "%s_nulls", metric);
        if (spot_study_has_metric(self->head, self->point_id, j)) {
            put_number(self, name, (double) self->summaries[j].num_nulls);
        } else {
            (void) begin_cell(self, name);
        }
    }
    ret = put_met(self);
    put_fate(self);
    end_line(self);
    return ret;
}

/* The line of a point and a metric, or the head. */
static int
put_result(line_t *self, const spot_metric_t *metric, const spot_summary_t *summary,
    const spot_paired_t *pair)
{
    char remark[SPOT_REMARK_BYTES];
    double low, high;
    int ret;

    spot_paired_bounds(pair, SPOT_CONFIDENCE, &low, &high);
    begin_line(self);
    put_number(self, "point", (double) self->point_id);
    for (size_t j = 0; j < self->head->num_axes; j++) {
        const spot_axis_t *axis = &self->head->axes[j];

        put_text(self, axis->path,
            axis->texts[spot_study_value_id(self->head, self->point_id, j)]);
    }
    put_text(self, "metric", metric->name);
    put_text(self, "unit", metric->unit);
    put_number(
        self, "replications", (double) (summary->num_values + summary->num_nulls));
    put_number(self, "nulls", (double) summary->num_nulls);
    put_estimate(self, NULL, summary);
    put_number(self, "difference", spot_paired_mean(pair));
    put_number(self, "difference_ci95_low", low);
    put_number(self, "difference_ci95_high", high);
    ret = put_met(self);
    put_text(self, "estimator", spot_estimator_names[spot_metric_estimator(metric)]);
    put_text(self, "remark", spot_summary_remark(summary, remark));
    put_fate(self);
    end_line(self);
    return ret;
}

static int
put_results(line_t *self)
{
    int ret = 0;

    if (self->is_head) {
        return put_result(self, &(spot_metric_t){.name = "", .unit = ""},
            &(spot_summary_t){0}, &(spot_paired_t){0});
    }
    for (size_t j = 0; ret == 0 && j < self->head->num_metrics; j++) {
        if (spot_study_shows(self->head, j) &&
            (spot_study_has_metric(self->head, self->point_id, j) ||
                spot_study_cannot_run(self->head, self->point_id) != NULL)) {
            ret = put_result(self, &self->head->metrics[j], &self->summaries[j],
                &self->pairs[self->point_id * self->head->num_metrics + j]);
        }
    }
    return ret;
}

/* What put writes of each point, after its head, if there is one. */
static int
put_points(line_t *self, int (*put)(line_t *self))
{
    int ret = 0;

    self->summaries = spot_calloc(self->head->num_metrics, sizeof(*self->summaries));
    if (self->summaries == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    if (self->is_head) {
        ret = put(self);
    }
    self->is_head = false;
    for (size_t j = 0; ret == 0 && !ferror(self->out) && j < self->head->num_points;
         j++) {
        self->point_id = j;
        ret = spot_summarise(self->store, j, self->summaries);
        if (ret == 0) {
            ret = put(self);
        }
    }
    free(self->summaries);
    return ret == 0 && ferror(self->out) ? SPOT_ERR_IO : ret;
}

/* The same with the fates of a race, if the study is one. */
static int
put_lines(line_t line, int (*put)(line_t *self))
{
    spot_race_t race = {0};
    int ret = 0;

    if (line.head->optimise.metric != NULL) {
        line.race = &race;
        ret = spot_race_init(&race, line.head);
        if (ret == 0) {
            ret = spot_race_replay(&race, line.store);
        }
    }
    if (ret == 0) {
        ret = put_points(&line, put);
    }
    spot_race_free(&race);
    return ret;
}

int
spot_export_points(const spot_store_t *store, spot_export_format_t format, FILE *out)
{
    return put_lines(line_of(store, format, out), put_summaries);
}

int
spot_result_csv_write(const spot_store_t *store, FILE *out)
{
    line_t line = line_of(store, SPOT_EXPORT_CSV, out);
    int ret = spot_store_differences(store, &line.pairs);

    if (ret == 0) {
        ret = put_lines(line, put_results);
    }
    free(line.pairs);
    return ret;
}

/* ---- The results as one object ---- */

static void
write_metric(line_t *self, const spot_metric_t *metric, const spot_summary_t *summary,
    const spot_paired_t *pair)
{
    char remark[SPOT_REMARK_BYTES];
    double low, high;

    spot_json_open(&self->json, metric->name, '{');
    put_text(self, "unit", metric->unit);
    put_number(
        self, "replications", (double) (summary->num_values + summary->num_nulls));
    put_number(self, "nulls", (double) summary->num_nulls);
    put_text(self, "estimator", spot_estimator_names[spot_metric_estimator(metric)]);
    put_estimate(self, NULL, summary);
    if (spot_summary_remark(summary, remark)[0] != '\0') {
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
static bool
is_known(const line_t *self)
{
    const spot_summary_t *known =
        &self->summaries[spot_study_metric_id(self->head, self->head->until.metric)];

    return (spot_study_is_fixed(self->head, self->point_id) && known->num_values > 0) ||
           known->excess <= 1;
}

static int
write_point(line_t *self)
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
    spot_point_warnings_json(&self->json, self->store, self->point_id);
    spot_json_close(&self->json, '}');
    return 0;
}

/* What the study is. Of "until", how well it wants to know a mean, "replications" is the
 * most that it takes. */
static void
write_study(line_t *self)
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

            spot_axis_value_json(
                &self->json, &head->axes[value.axis_id], value.value_id);
        }
        spot_json_close(&self->json, '}');
    }
    spot_plan_json(&self->json, &head->plan);
}

/* What the warnings mean that any point met. */
static void
write_warnings(line_t *self)
{
    spot_json_open(&self->json, "warnings", '{');
    for (size_t j = 0; j < self->head->num_warnings; j++) {
        const int64_t num_warned = spot_warning_count(self->store, j);

        if (num_warned > 0) {
            spot_json_open(&self->json, self->head->warnings[j].name, '{');
            put_number(self, "replications", (double) num_warned);
            put_text(self, "text", self->head->warnings[j].text);
            spot_json_close(&self->json, '}');
        }
    }
    spot_json_close(&self->json, '}');
}

/* answer: NULL without a race. */
static int
write_results(line_t *self, const spot_race_answer_t *answer)
{
    const spot_study_head_t *head = self->head;
    int ret = spot_store_differences(self->store, &self->pairs);

    spot_json_init(&self->json, self->out, 2);
    spot_json_open(&self->json, NULL, '{');
    write_study(self);
    if (answer != NULL) {
        self->race = &answer->race;
        spot_race_json_write(answer, &self->json);
    }
    spot_json_open(&self->json, "points", '[');
    if (ret == 0) {
        ret = put_points(self, write_point);
    }
    spot_json_close(&self->json, ']');
    write_warnings(self);
    if (ret == 0 && head->best.is_asked) {
        ret = spot_winner_json(&self->json, self->store);
    }
    if (ret == 0 && head->plan.kind == SPOT_PLAN_SENSITIVITY) {
        ret = spot_sensitivity_json(&self->json, self->store);
    }
    spot_json_close(&self->json, '}');
    free(self->pairs);
    return ret;
}

int
spot_result_json_write(const spot_store_t *store, FILE *out)
{
    line_t line = line_of(store, SPOT_EXPORT_JSONL, out);
    spot_race_answer_t answer;
    int ret;

    if (store->head->optimise.metric == NULL) {
        return write_results(&line, NULL);
    }
    ret = spot_race_answer_init(&answer, store);
    if (ret == 0) {
        ret = write_results(&line, &answer);
    }
    spot_race_answer_free(&answer);
    return ret;
}
