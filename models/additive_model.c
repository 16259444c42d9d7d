/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/additive_model.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv_field.h"
#include "base/table_file.h"

const char *const spot_loss_names[] = {"squared", "absolute", NULL};

size_t spot_additive_bin(const spot_additive_feature_t *self, double value)
{
    size_t first = 0, last = self->num_bins - 1;

    if (self->has_categories) {
        return value >= 0 && value < (double) last ? (size_t) value : last;
    }
    while (first < last) {
        const size_t middle = first + (last - first) / 2;

        if (value > self->bins[middle].up_to) {
            first = middle + 1;
        } else {
            last = middle;
        }
    }
    return first;
}

double spot_additive_predict(const spot_additive_model_t *self, const double *values)
{
    double sum = self->base;

    for (size_t j = 0; j < self->num_features; j++) {
        const spot_additive_feature_t *feature = &self->features[j];

        sum += feature->bins[spot_additive_bin(feature, values[j])].score;
    }
    return sum > 0 ? sum : 0;
}

double spot_additive_importance(const spot_additive_feature_t *self)
{
    double sum = 0;
    int64_t num_rows = 0;

    for (size_t k = 0; k < self->num_bins; k++) {
        sum += (double) self->bins[k].num_rows * fabs(self->bins[k].score);
        num_rows += self->bins[k].num_rows;
    }
    return num_rows == 0 ? 0 : sum / (double) num_rows;
}

double spot_additive_importance_of(const spot_additive_model_t *self, const char *name)
{
    for (size_t j = 0; j < self->num_features; j++) {
        if (strcmp(self->features[j].name, name) == 0) {
            return spot_additive_importance(&self->features[j]);
        }
    }
    return 0;
}

void spot_additive_free(spot_additive_model_t *self)
{
    for (size_t j = 0; j < self->num_features; j++) {
        free(self->features[j].bins);
    }
    free(self->features);
    spot_arena_free(&self->texts);
    memset(self, 0, sizeof(*self));
}

void spot_additive_verify(const spot_additive_model_t *self)
{
    spot_bug_assert(isfinite(self->base));
    for (size_t j = 0; j < self->num_features; j++) {
        const spot_additive_feature_t *feature = &self->features[j];

        spot_bug_assert(feature->name != NULL && feature->num_bins >= 1);
        for (size_t k = 0; k < feature->num_bins; k++) {
            const spot_additive_bin_t *bin = &feature->bins[k];

            spot_bug_assert(isfinite(bin->score) && bin->num_rows >= 0);
            spot_bug_assert(
                feature->has_categories || k == 0 || feature->bins[k - 1].up_to < bin->up_to);
        }
    }
}

#define BASE "base"

/* ---- Writing ---- */

void spot_additive_write_header(FILE *out)
{
    fputs("target,feature,category,up_to,rows,score\n", out);
}

static void write_row(
    FILE *out, const char *target, const char *feature, const spot_additive_bin_t *bin)
{
    spot_csv_field_text(out, target);
    fputc(',', out);
    spot_csv_field_text(out, feature);
    fputc(',', out);
    spot_csv_field_text(out, bin->category == NULL ? "" : bin->category);
    if (isfinite(bin->up_to)) {
        fprintf(out, ",%.17g", bin->up_to);
    } else {
        fputc(',', out);
    }
    fprintf(out, ",%lld,%.17g\n", (long long) bin->num_rows, bin->score);
}

void spot_additive_write(const spot_additive_model_t *self, const char *target, FILE *out)
{
    const spot_additive_bin_t base = {.up_to = HUGE_VAL, .score = self->base};

    write_row(out, target, BASE, &base);
    for (size_t j = 0; j < self->num_features; j++) {
        const spot_additive_feature_t *feature = &self->features[j];

        for (size_t k = 0; k < feature->num_bins; k++) {
            spot_bug_assert(!feature->has_categories || k + 1 == feature->num_bins ||
                            feature->bins[k].category != NULL);
            write_row(out, target, feature->name, &feature->bins[k]);
        }
    }
}

/* ---- Reading ---- */

typedef struct {
    const char *target, *feature;
    spot_additive_bin_t bin;
} score_row_t;

static const score_row_t empty_row = {.bin = {.up_to = HUGE_VAL}};

enum { COLUMN_FEATURE = 1, COLUMN_CATEGORY, COLUMN_UP_TO };

#define COLUMN(kind, name, member, ...)                                                            \
    SPOT_TABLE_COLUMN(kind, name, score_row_t, member, __VA_ARGS__)
#define ANY_NUMBER .min = -DBL_MAX, .max = DBL_MAX, .expected = "expected a number"

static const spot_table_file_column_t columns[] = {
    COLUMN(TEXT, "target", target, .max = 0),
    COLUMN(TEXT, "feature", feature, .max = 0),
    COLUMN(TEXT, "category", bin.category, .max = 0),
    COLUMN(NUMBER, "up_to", bin.up_to, ANY_NUMBER, .may_be_empty = true, .is_own = true),
    COLUMN(INTEGER, "rows", bin.num_rows, .max = 1e15),
    COLUMN(
        NUMBER, "score", bin.score, .min = -1e300, .max = 1e300, .expected = "expected a number"),
};

/* One of the models that are read. */
typedef struct {
    const char *name;
    spot_additive_model_t *model;
    bool has_base;
    bool is_open; /* the latest feature lacks its last row */
} target_t;

typedef struct {
    size_t num_targets;
    target_t *targets; /* [num_targets] */
} reading_t;

/* The problem of a bin behind those of a feature, and its column. */
static const char *problem_of(
    const spot_additive_feature_t *feature, const spot_additive_bin_t *bin, size_t *column)
{
    const bool is_category = bin->category != NULL, is_number = isfinite(bin->up_to);
    const bool is_first = feature->num_bins == 0;

    *column = is_category && !is_first && !feature->has_categories ? COLUMN_CATEGORY : COLUMN_UP_TO;
    return *column == COLUMN_CATEGORY             ? "expected numbers only"
           : is_category && is_number             ? "expected a category or a number, not both"
           : is_number && feature->has_categories ? "expected categories only"
           : is_number && !is_first && bin->up_to <= feature->bins[feature->num_bins - 1].up_to
               ? "expected more than in the row before"
               : NULL;
}

/* The feature of a row: the latest one while it is open, else a new one. NULL: an
 * error. */
static spot_additive_feature_t *feature_of(spot_table_file_t *file, const spot_csv_row_t *line,
    target_t *target, const char *name, int *error)
{
    spot_additive_model_t *model = target->model;

    if (target->is_open && strcmp(model->features[model->num_features - 1].name, name) != 0) {
        spot_table_file_report_field(file, line, COLUMN_FEATURE,
            "expected the last row of the feature before, without category and up_to");
        target->is_open = false;
    }
    for (size_t j = 0; j < model->num_features && !target->is_open; j++) {
        if (strcmp(model->features[j].name, name) == 0) {
            spot_table_file_report_field(
                file, line, COLUMN_FEATURE, "expected the rows of a feature together, once");
            return NULL;
        }
    }
    if (!target->is_open) {
        const spot_additive_feature_t feature = {.name = spot_arena_text(&model->texts, name)};

        *error = spot_error_first(model->texts.error, SPOT_ARRAY_APPEND(model, features, feature));
    }
    return *error == 0 ? &model->features[model->num_features - 1] : NULL;
}

static int take_bin(
    spot_table_file_t *file, const spot_csv_row_t *line, target_t *target, const score_row_t *row)
{
    spot_arena_t *texts = &target->model->texts;
    score_row_t own = *row;
    spot_additive_bin_t bin;
    spot_additive_feature_t *feature;
    char text[SPOT_TABLE_FILE_PROBLEM_BYTES];
    const char *problem = spot_table_file_column_read(
        &columns[COLUMN_UP_TO], spot_table_file_field(file, COLUMN_UP_TO), &own, text);
    size_t column;
    int ret = 0;

    if (problem != NULL) {
        spot_table_file_report_field(file, line, COLUMN_UP_TO, problem);
        return 0;
    }
    feature = feature_of(file, line, target, row->feature, &ret);
    if (feature == NULL) {
        return ret;
    }
    bin = own.bin;
    bin.category = bin.category[0] == '\0' ? NULL : spot_arena_text(texts, bin.category);
    problem = problem_of(feature, &bin, &column);
    if (problem != NULL) {
        spot_table_file_report_field(file, line, column, problem);
    }
    target->is_open = bin.category != NULL || isfinite(bin.up_to);
    feature->has_categories = feature->has_categories || bin.category != NULL;
    return spot_error_first(texts->error, SPOT_ARRAY_APPEND(feature, bins, bin));
}

static int take_row(spot_table_file_t *file, const spot_csv_row_t *line, const void *values)
{
    const reading_t *reading = file->table;
    const score_row_t *row = values;

    for (size_t t = 0; t < reading->num_targets; t++) {
        target_t *target = &reading->targets[t];

        if (strcmp(target->name, row->target) != 0) {
            continue;
        }
        if (strcmp(row->feature, BASE) != 0) {
            return take_bin(file, line, target, row);
        }
        target->has_base = true;
        target->model->base = row->bin.score;
    }
    return 0;
}

static void seal(spot_table_file_t *file, size_t end_line)
{
    const reading_t *reading = file->table;

    for (size_t t = 0; t < reading->num_targets && !file->is_faulty; t++) {
        const target_t *target = &reading->targets[t];

        if (!target->has_base || target->model->num_features == 0 || target->is_open) {
            spot_table_file_report(file, end_line,
                target->is_open ? "the last feature of the target %s lacks its last row"
                                : "no base or no features of the target %s",
                target->name);
        }
    }
}

int spot_additive_read(spot_additive_model_t *models, size_t num_targets,
    const char *const *targets, const char *path, spot_diag_t *diag)
{
    static const spot_table_file_format_t format = {SPOT_TABLE_NAMED(columns),
        .row_bytes = sizeof(score_row_t), .initial = &empty_row, .take = take_row, .seal = seal};
    reading_t reading = {num_targets, spot_calloc(num_targets, sizeof(target_t))};
    int ret = reading.targets == NULL ? SPOT_ERR_NO_MEMORY : 0;

    memset(models, 0, num_targets * sizeof(*models));
    for (size_t t = 0; t < num_targets && ret == 0; t++) {
        reading.targets[t].name = targets[t];
        reading.targets[t].model = &models[t];
    }
    ret = ret == 0 ? spot_table_file_read(&format, path, diag, &reading) : ret;
    free(reading.targets);
    return ret;
}
