/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nothing in the file is trusted: it may be damaged, or somebody else's idea of a store.
 */
#include "sim/store/stored_study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* More than any study has, less than what would exhaust the memory. */
#define MAX_LIST 100000000

typedef int (*row_function_t)(
    spot_stored_study_t *self, spot_db_t *db, sqlite3_stmt *row, size_t row_id);

/* Rows of a table, the first column of which is their position. */
static int
read_rows(spot_stored_study_t *self, spot_db_t *db, const char *sql,
    row_function_t function, size_t num_rows)
{
    sqlite3_stmt *statement;
    bool is_row = false;
    size_t row_id = 0;
    int ret = spot_db_prepare(db, &statement, "%s ORDER BY position", sql);

    if (ret == 0) {
        ret = spot_db_step_row(db, statement, &is_row);
    }
    while (ret == 0 && is_row) {
        if (sqlite3_column_int64(statement, 0) != (sqlite3_int64) row_id ||
            row_id >= num_rows) {
            ret = spot_db_damaged(db, "positions of a list are not consecutive");
        } else {
            ret = function(self, db, statement, row_id++);
        }
        if (ret == 0) {
            ret = spot_db_step_row(db, statement, &is_row);
        }
    }
    sqlite3_finalize(statement);
    return ret == 0 && row_id != num_rows ? spot_db_damaged(db, "a list is too short")
                                          : ret;
}

/* The rows of a table, at least min_rows. */
static int
count_rows(
    spot_db_t *db, const char *table, size_t min_rows, size_t max_rows, size_t *num_rows)
{
    sqlite3_int64 count;
    int ret = spot_db_integer(db, &count, "SELECT count(*) FROM \"%w\"", table);

    *num_rows = 0;
    if (ret == 0 && ((size_t) count < min_rows || (size_t) count > max_rows)) {
        return spot_db_damaged(db, "a list is too long or too short");
    }
    *num_rows = ret == 0 ? (size_t) count : 0;
    return ret;
}

/* A text that must be there. */
static int
read_text(spot_db_t *db, sqlite3_stmt *row, int column, const char **text)
{
    int error = 0;

    *text = spot_db_text(row, column, &error);
    if (error == 0 && *text == NULL) {
        return spot_db_damaged(db, "a text is missing");
    }
    return error;
}

static int
read_metric(spot_stored_study_t *self, spot_db_t *db, sqlite3_stmt *row, size_t row_id)
{
    spot_metric_t *metric = &self->metrics[row_id];
    int ret = read_text(db, row, 1, &metric->name);

    self->head.num_metrics = row_id + 1;
    if (ret == 0) {
        ret = read_text(db, row, 2, &metric->unit);
    }
    if (ret == 0) {
        ret = read_text(db, row, 3, &metric->help);
    }
    if (sqlite3_column_int(row, 4) != 0) {
        self->head.num_listed = row_id + 1;
    }
    return ret;
}

static int
read_warning(spot_stored_study_t *self, spot_db_t *db, sqlite3_stmt *row, size_t row_id)
{
    int ret = read_text(db, row, 1, &self->warnings[row_id].name);

    return ret == 0 ? read_text(db, row, 2, &self->warnings[row_id].text) : ret;
}

static int
read_colour(spot_stored_study_t *self, spot_db_t *db, sqlite3_stmt *row, size_t row_id)
{
    int ret = read_text(db, row, 1, &self->colours[row_id].word);

    return ret == 0 ? read_text(db, row, 2, &self->colours[row_id].colour) : ret;
}

static int
read_stack(spot_stored_study_t *self, spot_db_t *db, sqlite3_stmt *row, size_t row_id)
{
    const char *text;
    int ret = read_text(db, row, 1, &text);

    self->head.plot.stack[row_id] = ret == 0 ? spot_text_copy(text, strlen(text)) : NULL;
    free((void *) (uintptr_t) text);
    return ret == 0 && self->head.plot.stack[row_id] == NULL ? SPOT_ERR_NO_MEMORY : ret;
}

static int
read_axis(spot_stored_study_t *self, spot_db_t *db, sqlite3_stmt *row, size_t row_id)
{
    spot_axis_t *axis = &self->head.axes[row_id];
    int error = 0;

    axis->path = spot_db_text(row, 1, &error);
    axis->unit = spot_db_text(row, 2, &error);
    if (error == 0 && (axis->path == NULL || axis->unit == NULL)) {
        return spot_db_damaged(db, "an axis has no path or no unit");
    }
    return error;
}

/* The values of one axis after another. */
static int
read_value(spot_db_t *db, spot_axis_t *axis, sqlite3_stmt *row, size_t num_values)
{
    const size_t value_id = axis->num_values;
    int error = 0;

    if (value_id >= num_values || sqlite3_column_int64(row, 1) != (int64_t) value_id) {
        return spot_db_damaged(db, "values of an axis are not consecutive");
    }
    axis->texts[value_id] = spot_db_text(row, 2, &error);
    axis->num_values = value_id + 1;
    axis->numbers[value_id] = sqlite3_column_type(row, 3) == SQLITE_NULL
                                  ? (double) NAN
                                  : sqlite3_column_double(row, 3);
    return error == 0 && axis->texts[value_id] == NULL
               ? spot_db_damaged(db, "a value has no text")
               : error;
}

static int
read_values(spot_db_t *db, spot_axis_t *axis, size_t axis_id)
{
    sqlite3_stmt *statement = NULL;
    sqlite3_int64 num_values = 0;
    bool is_row = false;
    int ret = spot_db_integer(db, &num_values,
        "SELECT count(*) FROM axis_value WHERE axis = %lld", (long long) axis_id);

    if (ret == 0 && (num_values < 1 || num_values > MAX_LIST)) {
        return spot_db_damaged(db, "an axis has no values");
    }
    axis->texts = spot_calloc((size_t) num_values, sizeof(*axis->texts));
    axis->numbers = spot_calloc((size_t) num_values, sizeof(*axis->numbers));
    if (axis->texts == NULL || axis->numbers == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    if (ret == 0) {
        ret = spot_db_prepare(db, &statement,
            "SELECT axis, position, text, number FROM axis_value WHERE axis = %lld "
            "ORDER BY position",
            (long long) axis_id);
    }
    if (ret == 0) {
        ret = spot_db_step_row(db, statement, &is_row);
    }
    while (ret == 0 && is_row) {
        ret = read_value(db, axis, statement, (size_t) num_values);
        if (ret == 0) {
            ret = spot_db_step_row(db, statement, &is_row);
        }
    }
    sqlite3_finalize(statement);
    return ret == 0 && axis->num_values != (size_t) num_values
               ? spot_db_damaged(db, "an axis lacks values")
               : ret;
}

/* "2,0,1": positions of values, by axis. */
static int
read_point(spot_stored_study_t *self, spot_db_t *db, sqlite3_stmt *row, size_t row_id)
{
    const spot_study_head_t *head = &self->head;
    const char *next = (const char *) sqlite3_column_text(row, 1);

    for (size_t j = 0; j < head->num_axes; j++) {
        char *end = NULL;
        const unsigned long value_id = next == NULL ? 0 : strtoul(next, &end, 10);

        if (next == NULL || end == next || value_id >= head->axes[j].num_values) {
            return spot_db_damaged(db, "a point has values that its axes lack");
        }
        head->value_ids[row_id * head->num_axes + j] = (uint32_t) value_id;
        next = *end == ',' ? end + 1 : end;
    }
    return 0;
}

static int
read_baseline(spot_stored_study_t *self, spot_db_t *db, sqlite3_stmt *row)
{
    spot_study_head_t *head = &self->head;
    const int64_t axis_id = sqlite3_column_int64(row, 7);
    const int64_t value_id = sqlite3_column_int64(row, 8);

    if (sqlite3_column_type(row, 7) == SQLITE_NULL) {
        return 0;
    }
    if (axis_id < 0 || (size_t) axis_id >= head->num_axes || value_id < 0 ||
        (size_t) value_id >= head->axes[axis_id].num_values) {
        return spot_db_damaged(db, "the baseline is no value of an axis");
    }
    head->has_baseline = true;
    head->baseline_axis_id = (size_t) axis_id;
    head->baseline_value_id = (size_t) value_id;
    return 0;
}

static int
read_study_row(spot_stored_study_t *self, spot_db_t *db, sqlite3_stmt *row)
{
    spot_study_head_t *head = &self->head;
    int error = 0;

    head->name = spot_db_text(row, 0, &error);
    head->question = spot_db_text(row, 1, &error);
    head->seed = (uint64_t) sqlite3_column_int64(row, 2);
    head->num_replications = sqlite3_column_int64(row, 3);
    self->canonical = spot_db_text(row, 4, &error);
    self->canonical_sha256 = spot_db_text(row, 5, &error);
    head->plot.x = spot_db_text(row, 9, &error);
    head->plot.y = spot_db_text(row, 10, &error);
    head->plot.second_x = spot_db_text(row, 11, &error);
    head->plot.x_label = spot_db_text(row, 12, &error);
    head->plot.second_x_label = spot_db_text(row, 13, &error);
    head->batch_replications = sqlite3_column_int64(row, 6);
    head->min_replications = sqlite3_column_int64(row, 14);
    head->until = (spot_until_t){.metric = spot_db_text(row, 15, &error),
        .half_width = sqlite3_column_double(row, 16),
        .relative_half_width = sqlite3_column_double(row, 17),
        .confidence = sqlite3_column_double(row, 18)};
    if (error == 0 &&
        (head->num_replications < 1 || self->canonical == NULL ||
            self->canonical_sha256 == NULL || head->batch_replications < 1 ||
            head->batch_replications > UINT16_MAX)) {
        return spot_db_damaged(db, "the study lacks what every study has");
    }
    return error == 0 ? read_baseline(self, db, row) : error;
}

static int
read_study(spot_stored_study_t *self, spot_db_t *db)
{
    sqlite3_stmt *statement;
    bool is_row = false;
    int ret = spot_db_prepare(db, &statement,
        "SELECT name, question, seed, replications, canonical, canonical_sha256, "
        "batch_replications, baseline_axis, baseline_value, plot_x, plot_y, "
        "plot_second_x, plot_x_label, plot_second_x_label, min_replications, "
        "until_metric, "
        "until_half_width, until_relative_half_width, until_confidence FROM study");

    if (ret == 0) {
        ret = spot_db_step_row(db, statement, &is_row);
    }
    if (ret == 0) {
        ret = is_row ? read_study_row(self, db, statement)
                     : spot_db_damaged(db, "the study is missing");
    }
    sqlite3_finalize(statement);
    return ret;
}

/* Lists of one table each. */
static int
read_lists(spot_stored_study_t *self, spot_db_t *db)
{
    spot_study_head_t *head = &self->head;
    int ret = 0;

    self->metrics = spot_calloc(self->num_metrics, sizeof(*self->metrics));
    self->warnings = spot_calloc(self->num_warnings, sizeof(*self->warnings));
    self->colours = spot_calloc(self->num_colours + 1, sizeof(*self->colours));
    head->plot.stack = spot_calloc(head->plot.num_stack, sizeof(*head->plot.stack));
    head->metrics = self->metrics;
    head->warnings = self->warnings;
    head->num_warnings = self->num_warnings;
    head->colours = self->colours;
    if (self->metrics == NULL || self->warnings == NULL || self->colours == NULL ||
        head->plot.stack == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    ret = read_rows(self, db, "SELECT position, name, unit, help, is_listed FROM metric",
        read_metric, self->num_metrics);
    if (ret == 0) {
        ret = read_rows(self, db, "SELECT position, name, text FROM warning",
            read_warning, self->num_warnings);
    }
    if (ret == 0) {
        ret = read_rows(self, db, "SELECT position, word, colour FROM colour",
            read_colour, self->num_colours);
    }
    return ret == 0 ? read_rows(self, db, "SELECT position, metric FROM plot_stack",
                          read_stack, head->plot.num_stack)
                    : ret;
}

static int
read_axes(spot_stored_study_t *self, spot_db_t *db)
{
    spot_study_head_t *head = &self->head;
    int ret = count_rows(db, "axis", 0, 2000, &self->num_axes);

    if (ret != 0) {
        return ret;
    }
    head->axes = spot_calloc(self->num_axes, sizeof(*head->axes));
    if (head->axes == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    head->num_axes = self->num_axes;
    ret = read_rows(
        self, db, "SELECT position, path, unit FROM axis", read_axis, self->num_axes);
    for (size_t j = 0; ret == 0 && j < head->num_axes; j++) {
        ret = read_values(db, &head->axes[j], j);
    }
    return ret;
}

int
spot_stored_study_read(spot_stored_study_t *self, spot_db_t *db)
{
    spot_study_head_t *head = &self->head;
    size_t num_points = 0;
    int ret;

    memset(self, 0, sizeof(*self));
    ret = count_rows(db, "metric", 1, MAX_LIST, &self->num_metrics);
    if (ret == 0) {
        ret = count_rows(db, "warning", 0, SPOT_MAX_WARNINGS, &self->num_warnings);
    }
    if (ret == 0) {
        ret = count_rows(db, "colour", 0, 1000, &self->num_colours);
    }
    if (ret == 0) {
        ret = count_rows(db, "plot_stack", 0, MAX_LIST, &head->plot.num_stack);
    }
    if (ret == 0) {
        ret = count_rows(db, "point", 1, MAX_LIST, &num_points);
    }
    if (ret == 0) {
        ret = read_lists(self, db);
    }
    if (ret == 0) {
        ret = read_axes(self, db);
    }
    if (ret == 0) {
        ret = read_study(self, db);
    }
    if (ret != 0) {
        return ret;
    }
    head->num_points = num_points;
    head->value_ids = spot_calloc(num_points * head->num_axes, sizeof(*head->value_ids));
    ret = head->value_ids == NULL
              ? SPOT_ERR_NO_MEMORY
              : read_rows(self, db, "SELECT position, value_ids FROM point", read_point,
                    num_points);
    if (ret == 0) {
        ret = spot_stored_plan_read(head, db);
    }
    return ret == 0 ? spot_stored_views_read(head, db) : ret;
}

/* The texts of these lists are borrowed wherever else there are such. */
static void
free_borrowed(const char *text)
{
    free((void *) (uintptr_t) text);
}

void
spot_stored_study_free(spot_stored_study_t *self)
{
    for (size_t j = 0; self->metrics != NULL && j < self->num_metrics; j++) {
        free_borrowed(self->metrics[j].name);
        free_borrowed(self->metrics[j].unit);
        free_borrowed(self->metrics[j].help);
    }
    for (size_t j = 0; self->warnings != NULL && j < self->num_warnings; j++) {
        free_borrowed(self->warnings[j].name);
        free_borrowed(self->warnings[j].text);
    }
    for (size_t j = 0; self->colours != NULL && j < self->num_colours; j++) {
        free_borrowed(self->colours[j].word);
        free_borrowed(self->colours[j].colour);
    }
    free(self->warnings);
    free(self->colours);
    free(self->canonical);
    free(self->canonical_sha256);
    spot_study_head_free(&self->head); /* with the metrics */
    memset(self, 0, sizeof(*self));
}
