/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/export.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/csv_field.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/units.h"
#include "reports/row_warnings.h"
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
    const spot_race_t *race; /* of which the points' fates are told; or NULL */
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

static void
put_part(line_t *self, const char *metric, const char *part, double value)
{
    char name[NAME_BYTES];

    snprintf(name, sizeof(name), "%s_%s", metric, part);
    put_number(self, name, value);
}

static void
put_summary(line_t *self, size_t metric_id, const spot_summary_t *summary)
{
    const spot_study_head_t *head = self->store->head;
    const spot_metric_t *metric = &head->metrics[metric_id];
    char name[NAME_BYTES];

    put_part(self, metric->name, "mean", summary->value);
    put_part(self, metric->name, "std", summary->std);
    put_part(self, metric->name, "stderr", summary->stderr_value);
    put_part(self, metric->name, "ci95_low", summary->ci_low);
    put_part(self, metric->name, "ci95_high", summary->ci_high);
    put_part(self, metric->name, "p05", summary->p05);
    put_part(self, metric->name, "median", summary->median);
    put_part(self, metric->name, "p95", summary->p95);
    snprintf(name, sizeof(name), "%s_nulls", metric->name);
    if (spot_study_has_metric(head, self->point_id, metric_id)) {
        put_integer(self, name, summary->num_nulls);
    } else {
        (void) begin_cell(self, name);
    }
}

static int
put_summaries(line_t *self, const spot_summary_t *summaries)
{
    const spot_study_head_t *head = self->store->head;
    int ret;

    begin_line(self);
    put_point(self);
    put_integer(
        self, "replications", self->store->num_rows(self->store, self->point_id));
    for (size_t j = 0; j < head->num_metrics; j++) {
        if (spot_study_shows(head, j) && !is_left_out(self, j)) {
            put_summary(self, j, &summaries[j]);
        }
    }
    ret = put_warned(self);
    if (self->race != NULL) {
        put_text(
            self, "fate", spot_fate_names[self->race->runners[self->point_id].fate]);
    }
    end_line(self);
    return ret == 0 && ferror(self->out) ? SPOT_ERR_IO : ret;
}

/* race: NULL if there is none. */
static int
put_points(const spot_store_t *store, const spot_race_t *race,
    spot_export_format_t format, FILE *out)
{
    const spot_study_head_t *head = store->head;
    spot_summary_t *summaries = spot_calloc(head->num_metrics, sizeof(*summaries));
    line_t line = line_of(store, format, out);
    int ret = summaries == NULL ? SPOT_ERR_NO_MEMORY : 0;

    line.race = race;
    if (ret == 0 && line.is_head) {
        ret = put_summaries(&line, summaries);
    }
    line.is_head = false;
    for (size_t j = 0; ret == 0 && j < head->num_points; j++) {
        line.point_id = j;
        ret = spot_summarise(store, j, summaries);
        if (ret == 0) {
            ret = put_summaries(&line, summaries);
        }
    }
    free(summaries);
    return ret;
}

int
spot_export_points(const spot_store_t *store, spot_export_format_t format, FILE *out)
{
    spot_race_t race;
    int ret;

    if (store->head->optimise.metric == NULL) {
        return put_points(store, NULL, format, out);
    }
    ret = spot_race_init(&race, store->head);
    if (ret == 0) {
        ret = spot_race_replay(&race, store);
    }
    if (ret == 0) {
        ret = put_points(store, &race, format, out);
    }
    spot_race_free(&race);
    return ret;
}
