/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/additive_model.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/rng.h"
#include "base/stats.h"
#include "base/table_file.h"

const char *const spot_loss_names[] = {"squared", "absolute", NULL};

/* The bin of a value. O(log bins). */
static size_t additive_bin(const spot_additive_feature_t *self, double value)
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

        sum += feature->bins[additive_bin(feature, values[j])].score;
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
    SPOT_MEMBER_WITH(kind, name, score_row_t, member, __VA_ARGS__)
#define ANY_NUMBER .min = -DBL_MAX, .max = DBL_MAX, .expected = "expected a number"

static const spot_row_member_t columns[] = {
    SPOT_MEMBER(TEXT, "target", score_row_t, target),
    SPOT_MEMBER(TEXT, "feature", score_row_t, feature),
    SPOT_MEMBER(TEXT, "category", score_row_t, bin.category),
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
    char text[SPOT_MEMBER_PROBLEM_BYTES];
    const char *problem = spot_member_read(
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

/* ---- Fitting ---- */

enum {
    MAX_BINS = SPOT_ADDITIVE_MAX_BINS,
    NUM_BAGS = 4,
    MAX_ROUNDS = 1000,
    PATIENCE = 50,    /* rounds without gain */
    MIN_PIECE = 20,   /* rows of a piece of a step function */
    SHRINK_ROWS = 20, /* rows of the mean of all that the mean of a category counts */
    NUM_CHAINS = 4    /* independent sums of one pass */
};
#define HOLD_OUT 0.15
#define RATE 0.05
#define MISSING (-1e300) /* below every number */

/* A column in the form of a fit. */
typedef struct {
    size_t num_bins;
    const uint8_t *bins;    /* [num_rows] */
    const uint8_t *bins_of; /* [feature->num_bins] those of its own bins */
} binned_t;

/* Rows that a bag sees, or those that it holds out. */
typedef struct {
    size_t num_rows;
    double *residuals; /* [num_rows] */
    uint8_t **bins;    /* [num_columns][num_rows] */
} part_t;

typedef struct {
    const spot_additive_request_t *request;
    const binned_t *binned; /* [num_columns] */
    spot_arena_t arena;
    double base;
    part_t train, held;
    double (*scores)[MAX_BINS]; /* [num_columns] */
    double (*best)[MAX_BINS];   /* those of the best round so far */
} bag_t;

/* ---- Bins ---- */

/* Whether a bin that began at the row start ends before the row i: bins have about as
 * many rows, of those that are left. */
static bool ends_bin(size_t num_rows, size_t start, size_t i, size_t num_bins_before)
{
    return num_bins_before + 1 < MAX_BINS &&
           (i - start) * (MAX_BINS - num_bins_before) >= num_rows - start;
}

/* Borders between bins in the middle of neighbouring values: each distinct value has a
 * bin of its own if they are few. Returns the number of borders, at most MAX_BINS - 1.
 */
static size_t find_borders(const double *sorted, size_t num_rows, double *up_to)
{
    size_t num_distinct = 1, num_borders = 0, start = 0;

    for (size_t i = 1; i < num_rows; i++) {
        num_distinct += sorted[i] > sorted[i - 1];
    }
    for (size_t i = 1; i < num_rows; i++) {
        if (sorted[i] > sorted[i - 1] &&
            (num_distinct <= MAX_BINS || ends_bin(num_rows, start, i, num_borders))) {
            const double middle = sorted[i - 1] + (sorted[i] - sorted[i - 1]) / 2;

            up_to[num_borders++] = middle < sorted[i] ? middle : sorted[i - 1];
            start = i;
        }
    }
    return num_borders;
}

/* Adds bins with a name for each category, and the last one. */
static int add_categories(
    spot_additive_feature_t *feature, const spot_additive_column_t *column, spot_arena_t *texts)
{
    int ret = 0;

    for (size_t k = 0; k <= column->num_categories && ret == 0; k++) {
        spot_additive_bin_t bin = {.up_to = HUGE_VAL};

        if (k < column->num_categories && column->categories != NULL) {
            bin.category = spot_arena_text(texts, column->categories[k]);
        }
        ret = SPOT_ARRAY_APPEND(feature, bins, bin);
    }
    return spot_error_first(ret, texts->error);
}

/* Adds bins up to each border, and the last one. */
static int add_numbers(spot_additive_feature_t *feature, const double *up_to, size_t num_borders)
{
    int ret = 0;

    for (size_t k = 0; k <= num_borders && ret == 0; k++) {
        const spot_additive_bin_t bin = {.up_to = k == num_borders ? HUGE_VAL : up_to[k]};

        ret = SPOT_ARRAY_APPEND(feature, bins, bin);
    }
    return ret;
}

static void count_rows(
    spot_additive_feature_t *feature, const spot_additive_column_t *column, size_t num_rows)
{
    for (size_t i = 0; i < num_rows; i++) {
        feature->bins[additive_bin(feature, column->values[i])].num_rows++;
    }
}

/* Categories as numbers: the mean of their targets, drawn to the mean of all, 0. codes:
 * [num_bins], zeroed. */
static void encode(const spot_additive_request_t *request, const spot_additive_column_t *column,
    const spot_additive_feature_t *feature, double *codes, double *numbers)
{
    double mean = 0;

    for (size_t i = 0; i < request->num_rows; i++) {
        mean += request->targets[i] / (double) request->num_rows;
    }
    for (size_t i = 0; i < request->num_rows; i++) {
        codes[additive_bin(feature, column->values[i])] += request->targets[i] - mean;
    }
    for (size_t k = 0; k < feature->num_bins; k++) {
        codes[k] /= (double) (feature->bins[k].num_rows + SHRINK_ROWS);
    }
    for (size_t i = 0; i < request->num_rows; i++) {
        numbers[i] = codes[additive_bin(feature, column->values[i])];
    }
}

static uint8_t bin_between(const double *up_to, size_t num_borders, double number)
{
    size_t bin = 0;

    while (bin < num_borders && number > up_to[bin]) {
        bin++;
    }
    return (uint8_t) bin;
}

/* Makes the feature of a column, without scores, and its bins. */
static int bin_column(const spot_additive_request_t *request, const spot_additive_column_t *column,
    spot_additive_feature_t *feature, spot_arena_t *texts, binned_t *binned, spot_arena_t *arena)
{
    const size_t num_rows = request->num_rows;
    double *numbers, *sorted, *codes, up_to[MAX_BINS];
    uint8_t *bins, *bins_of;
    size_t num_borders;
    int ret = 0;

    SPOT_ARENA_ARRAY(arena, numbers, num_rows);
    SPOT_ARENA_ARRAY(arena, sorted, num_rows);
    SPOT_ARENA_ARRAY(arena, codes, column->num_categories + 1);
    SPOT_ARENA_ARRAY(arena, bins, num_rows);
    SPOT_ARENA_ARRAY(arena, bins_of, column->num_categories + MAX_BINS);
    feature->name = spot_arena_text(texts, column->name);
    feature->has_categories = column->num_categories > 0;
    if (feature->has_categories) {
        ret = add_categories(feature, column, texts);
    }
    ret = spot_error_first(ret, spot_error_first(texts->error, arena->error));
    if (ret != 0) {
        return ret;
    }
    if (feature->has_categories) {
        count_rows(feature, column, num_rows);
        encode(request, column, feature, codes, numbers);
    } else {
        for (size_t i = 0; i < num_rows; i++) {
            numbers[i] = isnan(column->values[i]) ? MISSING : column->values[i];
        }
    }
    memcpy(sorted, numbers, num_rows * sizeof(*sorted));
    spot_sort(sorted, num_rows);
    num_borders = find_borders(sorted, num_rows, up_to);
    if (!feature->has_categories) {
        ret = add_numbers(feature, up_to, num_borders);
        if (ret != 0) {
            return ret;
        }
        count_rows(feature, column, num_rows);
    }
    for (size_t k = 0; k < feature->num_bins; k++) {
        bins_of[k] = bin_between(
            up_to, num_borders, feature->has_categories ? codes[k] : feature->bins[k].up_to);
    }
    for (size_t i = 0; i < num_rows; i++) {
        bins[i] = bin_between(up_to, num_borders, numbers[i]);
    }
    *binned = (binned_t){num_borders + 1, bins, bins_of};
    return 0;
}

/* ---- Bags ---- */

/* The mean or the median of the targets of rows. sorted: scratch. */
static double centre_of(spot_loss_t loss, const double *targets, size_t num_rows, double *sorted)
{
    double sum = 0;

    for (size_t i = 0; i < num_rows; i++) {
        sum += targets[i];
    }
    if (loss == SPOT_LOSS_SQUARED) {
        return sum / (double) num_rows;
    }
    memcpy(sorted, targets, num_rows * sizeof(*sorted));
    spot_sort(sorted, num_rows);
    return (sorted[(num_rows - 1) / 2] + sorted[num_rows / 2]) / 2;
}

/* Draws the rows that a bag holds out: the first of a partial shuffle. */
static void draw_rows(
    const bag_t *bag, uint64_t bag_id, size_t num_held, bool *is_held, size_t *order)
{
    const size_t num_rows = bag->request->num_rows;
    spot_rng_t rng;

    for (size_t i = 0; i < num_rows; i++) {
        order[i] = i;
    }
    spot_rng_seek(&rng, bag->request->seed, 0, SPOT_STREAM_HOLD_OUT, bag_id);
    for (size_t i = 0; i < num_held; i++) {
        const size_t other = i + (size_t) spot_rng_below(&rng, num_rows - i);
        const size_t row = order[other];

        order[other] = order[i];
        is_held[row] = true;
    }
}

/* Makes room for num_rows rows. */
static void part_init(part_t *part, spot_arena_t *arena, size_t num_columns, size_t num_rows)
{
    SPOT_ARENA_ARRAY(arena, part->residuals, num_rows);
    SPOT_ARENA_ARRAY(arena, part->bins, num_columns);
    for (size_t j = 0; j < num_columns && part->bins != NULL; j++) {
        SPOT_ARENA_ARRAY(arena, part->bins[j], num_rows);
    }
}

/* Sorts the rows into those that are seen and those that are held out. */
static void take_rows(bag_t *bag, const bool *is_held, double *sorted)
{
    const spot_additive_request_t *request = bag->request;
    part_t *parts[] = {&bag->train, &bag->held};

    for (size_t i = 0; i < request->num_rows; i++) {
        part_t *part = parts[is_held[i]];

        for (size_t j = 0; j < request->num_columns; j++) {
            part->bins[j][part->num_rows] = bag->binned[j].bins[i];
        }
        part->residuals[part->num_rows++] = request->targets[i];
    }
    bag->base = centre_of(request->loss, bag->train.residuals, bag->train.num_rows, sorted);
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < parts[k]->num_rows; i++) {
            parts[k]->residuals[i] -= bag->base;
        }
    }
}

static int bag_init(
    bag_t *bag, const binned_t *binned, const spot_additive_request_t *request, uint64_t bag_id)
{
    const size_t num_rows = request->num_rows, num_columns = request->num_columns;
    const size_t num_held = (size_t) (HOLD_OUT * (double) num_rows);
    double *sorted;
    size_t *order;
    bool *is_held;

    memset(bag, 0, sizeof(*bag));
    bag->request = request;
    bag->binned = binned;
    SPOT_ARENA_ARRAY(&bag->arena, sorted, num_rows);
    SPOT_ARENA_ARRAY(&bag->arena, order, num_rows);
    SPOT_ARENA_ARRAY(&bag->arena, is_held, num_rows);
    SPOT_ARENA_ARRAY(&bag->arena, bag->scores, num_columns);
    SPOT_ARENA_ARRAY(&bag->arena, bag->best, num_columns);
    part_init(&bag->train, &bag->arena, num_columns, num_rows - num_held);
    part_init(&bag->held, &bag->arena, num_columns, num_held);
    if (bag->arena.error == 0) {
        draw_rows(bag, bag_id, num_held, is_held, order);
        take_rows(bag, is_held, sorted);
    }
    return bag->arena.error;
}

/* ---- Step functions ---- */

/* Rows and residuals of the bins below each border. */
typedef struct {
    double rows[MAX_BINS + 1];
    double sums[MAX_BINS + 1];
} below_t;

typedef struct {
    size_t border; /* 0: no cut */
    double gain;   /* of the sum of squares */
} cut_t;

static double squares(const below_t *below, size_t first, size_t end)
{
    const double sum = below->sums[end] - below->sums[first];

    return sum * sum / (below->rows[end] - below->rows[first]);
}

/* The best border in a run of bins, the first one of equal ones. */
static cut_t best_cut(const below_t *below, size_t first, size_t end)
{
    const double whole = squares(below, first, end);
    cut_t best = {0, 0};

    for (size_t border = first + 1; border < end; border++) {
        if (below->rows[border] - below->rows[first] >= MIN_PIECE &&
            below->rows[end] - below->rows[border] >= MIN_PIECE) {
            const double gain = squares(below, first, border) + squares(below, border, end) - whole;

            if (gain > best.gain) {
                best = (cut_t){border, gain};
            }
        }
    }
    return best;
}

/* Sets steps[num_bins] to a part of the best step function; all 0 if none is better than
 * a constant. */
static void find_steps(const below_t *below, size_t num_bins, double *steps)
{
    const size_t cut = best_cut(below, 0, num_bins).border;
    const cut_t left = best_cut(below, 0, cut);
    const cut_t right = best_cut(below, cut, num_bins);
    const bool is_left = left.gain >= right.gain && left.border > 0;
    const size_t borders[] = {0, is_left ? left.border : cut,
        is_left || right.border == 0 ? cut : right.border, num_bins};

    memset(steps, 0, MAX_BINS * sizeof(*steps));
    for (size_t piece = 0; piece < 3 && cut > 0; piece++) {
        const size_t first = borders[piece], end = borders[piece + 1];

        for (size_t k = first; k < end; k++) {
            steps[k] = RATE * (below->sums[end] - below->sums[first]) /
                       (below->rows[end] - below->rows[first]);
        }
    }
}

/* ---- Boosting ---- */

/* Subtracts steps of one column from the residuals, and sums by the bins of another one
 * what is left: the residuals, or their signs times scale. One pass, as memory is what
 * takes time; several sums, as an addition waits for the one before. */
static void move_residuals(part_t *part, size_t moved_id, const double *steps, size_t column_id,
    double scale, double *sums)
{
    const uint8_t *moved = part->bins[moved_id], *bins = part->bins[column_id];
    double *residuals = part->residuals;
    double chains[NUM_CHAINS][MAX_BINS] = {{0}};

    for (size_t i = 0; i < part->num_rows; i++) {
        const double left = residuals[i] - steps[moved[i]];

        residuals[i] = left;
        chains[i % NUM_CHAINS][bins[i]] += scale > 0 ? copysign(scale, left) : left;
    }
    for (size_t k = 0; k < MAX_BINS; k++) {
        sums[k] = (chains[0][k] + chains[1][k]) + (chains[2][k] + chains[3][k]);
    }
}

static double mean_loss(spot_loss_t loss, const part_t *part)
{
    double sum = 0;

    for (size_t i = 0; i < part->num_rows; i++) {
        const double residual = part->residuals[i];

        sum += loss == SPOT_LOSS_SQUARED ? residual * residual : fabs(residual);
    }
    return sum / (double) part->num_rows;
}

/* Visits every column once. last: the column whose steps[] the residuals of the rows
 * that are seen still lack. */
static void boost_round(bag_t *bag, below_t *below, size_t *last, double *steps)
{
    const double scale =
        bag->request->loss == SPOT_LOSS_SQUARED ? 0 : mean_loss(SPOT_LOSS_ABSOLUTE, &bag->train);
    double sums[MAX_BINS];

    for (size_t j = 0; j < bag->request->num_columns; j++) {
        const size_t num_bins = bag->binned[j].num_bins;

        move_residuals(&bag->train, *last, steps, j, scale, sums);
        for (size_t k = 0; k < num_bins; k++) {
            below[j].sums[k + 1] = below[j].sums[k] + sums[k];
        }
        find_steps(&below[j], num_bins, steps);
        *last = j;
        for (size_t k = 0; k < num_bins; k++) {
            bag->scores[j][k] += steps[k];
        }
        for (size_t i = 0; i < bag->held.num_rows; i++) {
            bag->held.residuals[i] -= steps[bag->held.bins[j][i]];
        }
    }
}

/* Rounds until the rows held out gain nothing. below: [num_columns], zeroed. */
static void boost(bag_t *bag, below_t *below)
{
    const size_t num_columns = bag->request->num_columns;
    double steps[MAX_BINS] = {0}, best_loss = mean_loss(bag->request->loss, &bag->held);
    size_t last = 0;

    for (size_t j = 0; j < num_columns; j++) {
        for (size_t i = 0; i < bag->train.num_rows; i++) {
            below[j].rows[bag->train.bins[j][i] + 1] += 1;
        }
        for (size_t k = 0; k < MAX_BINS; k++) {
            below[j].rows[k + 1] += below[j].rows[k];
        }
    }
    for (int round = 0, best_round = 0; round < MAX_ROUNDS && round - best_round <= PATIENCE;
         round++) {
        double loss;

        boost_round(bag, below, &last, steps);
        loss = mean_loss(bag->request->loss, &bag->held);
        if (loss < best_loss) {
            best_loss = loss;
            best_round = round;
            memcpy(bag->best, bag->scores, num_columns * sizeof(*bag->best));
        }
    }
}

/* ---- The model ---- */

static void add_bag(spot_additive_model_t *self, const bag_t *bag)
{
    self->base += bag->base / NUM_BAGS;
    for (size_t j = 0; j < self->num_features; j++) {
        for (size_t k = 0; k < self->features[j].num_bins; k++) {
            self->features[j].bins[k].score += bag->best[j][bag->binned[j].bins_of[k]] / NUM_BAGS;
        }
    }
}

/* Moves the mean of each feature to the base. */
static void centre(spot_additive_model_t *self, size_t num_rows)
{
    for (size_t j = 0; j < self->num_features; j++) {
        spot_additive_feature_t *feature = &self->features[j];
        double sum = 0;

        for (size_t k = 0; k < feature->num_bins; k++) {
            sum += (double) feature->bins[k].num_rows * feature->bins[k].score;
        }
        for (size_t k = 0; k < feature->num_bins; k++) {
            feature->bins[k].score -= sum / (double) num_rows;
        }
        self->base += sum / (double) num_rows;
    }
}

static int fit_bag(spot_additive_model_t *self, const binned_t *binned,
    const spot_additive_request_t *request, uint64_t bag_id)
{
    bag_t bag;
    below_t *below;
    int ret = bag_init(&bag, binned, request, bag_id);

    SPOT_ARENA_ARRAY(&bag.arena, below, request->num_columns);
    ret = spot_error_first(ret, bag.arena.error);
    if (ret == 0 && bag.held.num_rows > 0) {
        boost(&bag, below);
    }
    if (ret == 0) {
        add_bag(self, &bag);
    }
    spot_arena_free(&bag.arena);
    return ret;
}

int spot_additive_fit(spot_additive_model_t *self, const spot_additive_request_t *request)
{
    spot_arena_t arena = {0};
    binned_t *binned;
    int ret;

    memset(self, 0, sizeof(*self));
    if (request->num_columns == 0 || request->num_columns > SPOT_ADDITIVE_MAX_FEATURES) {
        return SPOT_ERR_BAD_PARAM;
    }
    SPOT_ARENA_ARRAY(&arena, binned, request->num_columns);
    ret = spot_error_first(arena.error, SPOT_ARRAY_ROOM(self, features, request->num_columns));
    for (size_t j = 0; j < request->num_columns && ret == 0; j++) {
        self->features[j] = (spot_additive_feature_t){.name = NULL};
        self->num_features++;
        ret = bin_column(
            request, &request->columns[j], &self->features[j], &self->texts, &binned[j], &arena);
    }
    for (uint64_t bag_id = 0; bag_id < NUM_BAGS && ret == 0 && request->num_rows > 0; bag_id++) {
        ret = fit_bag(self, binned, request, bag_id);
    }
    if (ret == 0 && request->num_rows > 0) {
        centre(self, request->num_rows);
        spot_additive_verify(self);
    }
    spot_arena_free(&arena);
    return ret;
}
