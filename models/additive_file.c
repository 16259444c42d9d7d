/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Additive models as tables. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv_field.h"
#include "base/memory.h"
#include "base/units.h"
#include "models/additive_model.h"
#include "models/table_file.h"

#define BASE "base"

/* ---- Writing ---- */

void
spot_additive_write_header(FILE *out)
{
    fputs("target,feature,category,up_to,rows,score\n", out);
}

/* at: the category or the number up to which; NULL: any other. */
static void
write_row(FILE *out, const char *target, const char *feature, const char *category,
    const double *up_to, int64_t rows, double score)
{
    spot_csv_field_text(out, target);
    fputc(',', out);
    spot_csv_field_text(out, feature);
    fputc(',', out);
    spot_csv_field_text(out, category);
    if (up_to == NULL) {
        fprintf(out, ",,%lld,%.17g\n", (long long) rows, score);
    } else {
        fprintf(out, ",%.17g,%lld,%.17g\n", *up_to, (long long) rows, score);
    }
}

void
spot_additive_write(const spot_additive_model_t *self, const char *target, FILE *out)
{
    write_row(out, target, BASE, "", NULL, 0, self->base);
    for (size_t j = 0; j < self->num_features; j++) {
        const spot_additive_feature_t *feature = &self->features[j];

        spot_bug_assert(feature->num_bins == 1 || feature->up_to != NULL ||
                        feature->categories != NULL);
        for (size_t k = 0; k < feature->num_bins; k++) {
            const bool is_last = k + 1 == feature->num_bins;

            write_row(out, target, feature->name,
                is_last || !feature->has_categories ? "" : feature->categories[k],
                is_last || feature->has_categories ? NULL : &feature->up_to[k],
                feature->rows[k], feature->scores[k]);
        }
    }
}

/* ---- Reading ---- */

typedef struct {
    const char *target, *feature, *category, *up_to;
    int64_t rows;
    double score;
} score_row_t;

enum { COLUMN_TARGET, COLUMN_FEATURE, COLUMN_CATEGORY, COLUMN_UP_TO, NUM_COLUMNS = 6 };

static const spot_table_file_column_t columns[NUM_COLUMNS] = {
    {.name = "target", .kind = SPOT_CELL_TEXT, .offset = offsetof(score_row_t, target)},
    {.name = "feature",
        .kind = SPOT_CELL_TEXT,
        .offset = offsetof(score_row_t, feature)},
    {.name = "category",
        .kind = SPOT_CELL_TEXT,
        .offset = offsetof(score_row_t, category)},
    {.name = "up_to", .kind = SPOT_CELL_TEXT, .offset = offsetof(score_row_t, up_to)},
    {.name = "rows",
        .kind = SPOT_CELL_INTEGER,
        .offset = offsetof(score_row_t, rows),
        .max = 1e15},
    {.name = "score",
        .kind = SPOT_CELL_NUMBER,
        .offset = offsetof(score_row_t, score),
        .min = -1e300,
        .max = 1e300,
        .expected = "expected a number"},
};

/* One of the models that are read. */
typedef struct {
    const char *name;
    spot_additive_model_t *model;
    bool has_base;
    size_t max_features;
    bool is_open; /* the latest feature lacks its last row */
    size_t max_up_to, max_categories, max_rows, max_scores; /* of the latest feature */
} target_t;

typedef struct {
    size_t num_targets;
    target_t *targets; /* [num_targets] */
} reading_t;

static spot_additive_feature_t *
latest_feature(const target_t *target)
{
    return target->model->num_features == 0
               ? NULL
               : &target->model->features[target->model->num_features - 1];
}

static int
add_feature(target_t *target, const char *name)
{
    spot_additive_model_t *model = target->model;
    spot_additive_feature_t *feature;
    int ret = spot_array_reserve(&model->features, &target->max_features,
        model->num_features + 1, sizeof(*model->features));

    if (ret != 0) {
        return ret;
    }
    feature = &model->features[model->num_features++];
    memset(feature, 0, sizeof(*feature));
    target->max_up_to = target->max_categories = target->max_rows = target->max_scores =
        0;
    target->is_open = true;
    feature->name = spot_text_copy(name, strlen(name));
    return feature->name == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

static int
add_bin(target_t *target, const score_row_t *row, double up_to)
{
    spot_additive_feature_t *feature = latest_feature(target);
    const size_t k = feature->num_bins;
    const int errors[] = {spot_array_reserve(&feature->up_to, &target->max_up_to, k + 1,
                              sizeof(*feature->up_to)),
        spot_array_reserve(&feature->categories, &target->max_categories, k + 1,
            sizeof(*feature->categories)),
        spot_array_reserve(
            &feature->rows, &target->max_rows, k + 1, sizeof(*feature->rows)),
        spot_array_reserve(
            &feature->scores, &target->max_scores, k + 1, sizeof(*feature->scores))};

    if (errors[0] != 0 || errors[1] != 0 || errors[2] != 0 || errors[3] != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    feature->up_to[k] = up_to;
    feature->categories[k] = spot_text_copy(row->category, strlen(row->category));
    feature->rows[k] = row->rows;
    feature->scores[k] = row->score;
    feature->num_bins++;
    return feature->categories[k] == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

/* The problem of a row of the latest feature, and its column. */
static const char *
problem_of(const target_t *target, const score_row_t *row, double up_to, size_t *column)
{
    const spot_additive_feature_t *feature = latest_feature(target);

    *column = COLUMN_FEATURE;
    if (!target->is_open) {
        return "expected the rows of a feature together, once";
    }
    *column = COLUMN_UP_TO;
    if (row->category[0] != '\0' && row->up_to[0] != '\0') {
        return "expected a category or a number, not both";
    }
    if (feature->num_bins > 0 && row->category[0] == '\0' && row->up_to[0] != '\0' &&
        (feature->has_categories || up_to <= feature->up_to[feature->num_bins - 1])) {
        return feature->has_categories ? "expected categories only"
                                       : "expected more than in the row before";
    }
    *column = COLUMN_CATEGORY;
    return feature->num_bins > 0 && row->category[0] != '\0' && !feature->has_categories
               ? "expected numbers only"
               : NULL;
}

static int
take_bin(spot_table_file_t *file, const spot_csv_row_t *line, target_t *target,
    const score_row_t *row)
{
    spot_additive_feature_t *feature;
    const char *problem;
    size_t column;
    double up_to = 0;
    int ret = 0;

    if (row->up_to[0] != '\0' && spot_number_parse(row->up_to, &up_to) != 0) {
        spot_table_file_report_field(file, line, COLUMN_UP_TO, "expected a number");
        return 0;
    }
    feature = latest_feature(target);
    if (feature == NULL ||
        (!target->is_open && strcmp(feature->name, row->feature) != 0)) {
        ret = add_feature(target, row->feature);
    } else if (strcmp(feature->name, row->feature) != 0) {
        spot_table_file_report_field(file, line, COLUMN_FEATURE,
            "expected the last row of the feature before, without category and up_to");
        ret = add_feature(target, row->feature);
    }
    if (ret != 0) {
        return ret;
    }
    problem = problem_of(target, row, up_to, &column);
    if (problem != NULL) {
        spot_table_file_report_field(file, line, column, problem);
        return 0;
    }
    feature = latest_feature(target);
    feature->has_categories = feature->has_categories || row->category[0] != '\0';
    target->is_open = row->category[0] != '\0' || row->up_to[0] != '\0';
    return add_bin(target, row, up_to);
}

static int
take_row(spot_table_file_t *file, const spot_csv_row_t *line, const void *values)
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
        target->model->base = row->score;
    }
    return 0;
}

static void
seal(spot_table_file_t *file, size_t end_line)
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

/* Categories were kept of all features, and so were numbers. */
static void
drop_unused(spot_additive_feature_t *feature)
{
    if (feature->has_categories) {
        free(feature->up_to);
        feature->up_to = NULL;
        free(feature->categories[feature->num_bins - 1]); /* of any other: "" */
        return;
    }
    for (size_t k = 0; k < feature->num_bins; k++) {
        free(feature->categories[k]);
    }
    free(feature->categories);
    feature->categories = NULL;
}

int
spot_additive_read(spot_additive_model_t *models, size_t num_targets,
    const char *const *targets, const char *path, spot_diag_t *diag)
{
    static const spot_table_file_format_t format = {.num_columns = NUM_COLUMNS,
        .columns = columns,
        .is_any_order = true,
        .ignores_others = true,
        .needs_columns = true,
        .row_bytes = sizeof(score_row_t),
        .take = take_row,
        .seal = seal};
    reading_t reading = {num_targets, spot_calloc(num_targets, sizeof(target_t))};
    spot_table_file_t file = {
        .format = &format, .path = path, .diag = diag, .table = &reading};
    int ret = reading.targets == NULL ? SPOT_ERR_NO_MEMORY : 0;

    memset(models, 0, num_targets * sizeof(*models));
    for (size_t t = 0; t < num_targets && ret == 0; t++) {
        reading.targets[t].name = targets[t];
        reading.targets[t].model = &models[t];
    }
    ret = ret == 0 ? spot_table_file_read(&file) : ret;
    for (size_t t = 0; t < num_targets && reading.targets != NULL; t++) {
        for (size_t j = 0; j < models[t].num_features; j++) {
            drop_unused(&models[t].features[j]);
        }
    }
    free(reading.targets);
    return ret;
}
