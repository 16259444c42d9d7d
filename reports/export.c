/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/export.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/csv_field.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/units.h"
#include "reports/doubts.h"
#include "reports/result_csv.h"
#include "sim/analysis/difference.h"
#include "sim/analysis/race.h"
#include "sim/analysis/summary.h"

#define NAME_BYTES 512

/* A line of either format, cell by cell. */
typedef struct {
    const spot_store_t *store;
    FILE *out;
    spot_export_format_t format;
    bool is_head; /* of CSV: names instead of values */
    bool has_cells;
    spot_json_t json;
    size_t point_id;
    bool has_race; /* of which the points' fates are told */
    spot_race_t race;
    const spot_paired_t *pairs; /* [num_points][num_metrics] of results; or NULL */
} line_t;

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
put_integer(line_t *self, const char *name, int64_t value)
{
    if (self->format == SPOT_EXPORT_JSONL) {
        spot_json_integer(&self->json, name, value);
    } else if (!begin_cell(self, name)) {
        fprintf(self->out, "%" PRId64, value);
    }
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

/* A swept key: a number with its unit in the name, or the text of the YAML. */
static void
put_axis(line_t *self, size_t axis_id)
{
    const spot_study_head_t *head = self->store->head;
    const spot_axis_t *axis = &head->axes[axis_id];
    const size_t value_id = spot_study_value_id(head, self->point_id, axis_id);
    char name[NAME_BYTES];

    if (!spot_axis_is_numeric(axis)) {
        put_text(self, axis->path, axis->texts[value_id]);
        return;
    }
    snprintf(name, sizeof(name), "%s%s%s", axis->path, axis->unit[0] == '\0' ? "" : "_",
        axis->unit);
    put_number(self, name, axis->numbers[value_id]);
}

static void
put_point(line_t *self)
{
    put_integer(self, "point", (int64_t) self->point_id);
    for (size_t j = 0; j < self->store->head->num_axes; j++) {
        put_axis(self, j);
    }
}

static void
list_warnings(line_t *self, uint32_t warnings)
{
    const spot_study_head_t *head = self->store->head;

    spot_json_open(&self->json, "warnings", '[');
    for (size_t j = 0; j < head->num_warnings; j++) {
        if ((warnings >> j & 1) != 0) {
            spot_json_text(&self->json, NULL, head->warnings[j].name);
        }
    }
    spot_json_close(&self->json, ']');
}

/* How many replications of the point met each of those that were met. */
static int
put_warned(line_t *self)
{
    if (self->format == SPOT_EXPORT_JSONL) {
        spot_point_warnings_json(&self->json, self->store, self->point_id);
        return 0;
    }
    return begin_cell(self, "warnings")
               ? 0
               : spot_point_warnings_csv(self->store, self->point_id, self->out);
}

/* The names of those that held. */
static int
put_warnings(line_t *self, uint32_t warnings)
{
    if (self->format == SPOT_EXPORT_JSONL) {
        list_warnings(self, warnings);
    } else if (!begin_cell(self, "warnings") && warnings != 0) {
        return spot_row_warnings_csv(self->store->head, warnings, self->out);
    }
    return 0;
}

/* JSON has no key for a metric that the point lacks; the cell of CSV is empty. */
static bool
is_left_out(const line_t *self, size_t metric_id)
{
    return self->format == SPOT_EXPORT_JSONL &&
           !spot_study_has_metric(self->store->head, self->point_id, metric_id);
}

static int
put_row(void *context, const spot_row_t *row)
{
    line_t *self = context;
    const spot_study_head_t *head = self->store->head;
    int ret;

    begin_line(self);
    put_point(self);
    put_integer(self, "replication", row->replication);
    for (size_t j = 0; j < head->num_metrics; j++) {
        if (head->metrics[j].estimator == SPOT_ESTIMATOR_USUAL &&
            !is_left_out(self, j)) {
            put_number(self, head->metrics[j].name, row->metrics[j]);
        }
    }
    ret = put_warnings(self, row->warnings);
    end_line(self);
    return ret == 0 && ferror(self->out) ? SPOT_ERR_IO : ret;
}

static line_t
line_of(const spot_store_t *store, spot_export_format_t format, FILE *out)
{
    return (line_t){.store = store,
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
        ret = put_row(&line, &(spot_row_t){.metrics = nothing});
    }
    free(nothing);
    line.is_head = false;
    for (size_t j = 0; ret == 0 && j < store->head->num_points; j++) {
        line.point_id = j;
        ret = store->read(store, j, 0, put_row, &line);
    }
    return ret;
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
    char name[NAME_BYTES];

    for (size_t j = 0; j < sizeof(parts) / sizeof(parts[0]); j++) {
        snprintf(name, sizeof(name), "%s%s%s", metric == NULL ? "" : metric,
            metric == NULL ? "" : "_", parts[j].part);
        put_number(self, name, parts[j].value);
    }
}

static void
put_fate(line_t *self)
{
    if (self->has_race) {
        put_text(self, "fate", spot_fate_names[self->race.runners[self->point_id].fate]);
    }
}

/* The line of a point. */
static int
put_summaries(line_t *self, const spot_summary_t *summaries)
{
    const spot_study_head_t *head = self->store->head;
    char name[NAME_BYTES];
    int ret;

    begin_line(self);
    put_point(self);
    put_integer(
        self, "replications", self->store->num_rows(self->store, self->point_id));
    for (size_t j = 0; j < head->num_metrics; j++) {
        if (!spot_study_shows(head, j) || is_left_out(self, j)) {
            continue;
        }
        put_estimate(self, head->metrics[j].name, &summaries[j]);
        snprintf(name, sizeof(name), "%s_nulls", head->metrics[j].name);
        if (spot_study_has_metric(head, self->point_id, j)) {
            put_integer(self, name, summaries[j].num_nulls);
        } else {
            (void) begin_cell(self, name);
        }
    }
    ret = put_warned(self);
    put_fate(self);
    end_line(self);
    return ret;
}

/* The line of a point and a metric, or the head. */
static int
put_result(line_t *self, const spot_metric_t *metric, const spot_summary_t *summary,
    const spot_paired_t *pair)
{
    const spot_study_head_t *head = self->store->head;
    char remark[SPOT_REMARK_BYTES];
    double low, high;
    int ret;

    spot_paired_bounds(pair, SPOT_CONFIDENCE, &low, &high);
    begin_line(self);
    put_integer(self, "point", (int64_t) self->point_id);
    for (size_t j = 0; j < head->num_axes; j++) {
        put_text(self, head->axes[j].path,
            head->axes[j].texts[spot_study_value_id(head, self->point_id, j)]);
    }
    put_text(self, "metric", metric->name);
    put_text(self, "unit", metric->unit);
    put_integer(self, "replications", summary->num_values + summary->num_nulls);
    put_integer(self, "nulls", summary->num_nulls);
    put_estimate(self, NULL, summary);
    put_number(self, "difference", spot_paired_mean(pair));
    put_number(self, "difference_ci95_low", low);
    put_number(self, "difference_ci95_high", high);
    ret = put_warned(self);
    put_text(self, "estimator", spot_estimator_names[spot_metric_estimator(metric)]);
    put_text(self, "remark", spot_summary_remark(summary, remark));
    put_fate(self);
    end_line(self);
    return ret;
}

static int
put_results(line_t *self, const spot_summary_t *summaries)
{
    const spot_study_head_t *head = self->store->head;
    int ret = 0;

    if (self->is_head) {
        return put_result(self, &(spot_metric_t){.name = "", .unit = ""},
            &(spot_summary_t){0}, &(spot_paired_t){0});
    }
    for (size_t j = 0; ret == 0 && j < head->num_metrics; j++) {
        if (spot_study_shows(head, j) &&
            (spot_study_has_metric(head, self->point_id, j) ||
                spot_study_cannot_run(head, self->point_id) != NULL)) {
            ret = put_result(self, &head->metrics[j], &summaries[j],
                &self->pairs[self->point_id * head->num_metrics + j]);
        }
    }
    return ret;
}

/* The head, if there is one, and what put writes of each point. */
static int
put_points(line_t *self, int (*put)(line_t *self, const spot_summary_t *summaries))
{
    const spot_store_t *store = self->store;
    const spot_study_head_t *head = store->head;
    spot_summary_t *summaries = spot_calloc(head->num_metrics, sizeof(*summaries));
    int ret = summaries == NULL ? SPOT_ERR_NO_MEMORY : 0;

    if (ret == 0 && head->optimise.metric != NULL) {
        self->has_race = true;
        ret = spot_race_init(&self->race, head);
        if (ret == 0) {
            ret = spot_race_replay(&self->race, store);
        }
    }
    if (ret == 0 && self->is_head) {
        ret = put(self, summaries);
    }
    self->is_head = false;
    for (size_t j = 0; ret == 0 && !ferror(self->out) && j < head->num_points; j++) {
        self->point_id = j;
        ret = spot_summarise(store, j, summaries);
        if (ret == 0) {
            ret = put(self, summaries);
        }
    }
    spot_race_free(&self->race);
    free(summaries);
    return ret == 0 && ferror(self->out) ? SPOT_ERR_IO : ret;
}

int
spot_export_points(const spot_store_t *store, spot_export_format_t format, FILE *out)
{
    line_t line = line_of(store, format, out);

    return put_points(&line, put_summaries);
}

int
spot_result_csv_write(const spot_store_t *store, FILE *out)
{
    line_t line = line_of(store, SPOT_EXPORT_CSV, out);
    spot_paired_t *pairs = NULL;
    int ret = spot_store_differences(store, &pairs);

    line.pairs = pairs;
    if (ret == 0) {
        ret = put_points(&line, put_results);
    }
    free(pairs);
    return ret;
}
