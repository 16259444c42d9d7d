/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "models/additive_model.h"

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
    size_t num_categories;
    uint8_t *train; /* [num_train] bins */
    uint8_t *held;  /* [num_held] */
    /* [num_categories + 1] the bins of categories, the last one of unknown ones; NULL:
     * numbers */
    uint8_t *bins_of;
    double scores[MAX_BINS];
    double best[MAX_BINS]; /* scores of the best round so far */
} fitted_column_t;

typedef struct {
    const spot_additive_request_t *request;
    spot_arena_t arena;
    size_t num_train, num_held;
    size_t *train, *held; /* rows, increasing */
    double *train_residuals;
    double *held_residuals;
    fitted_column_t *columns; /* [num_columns] */
    double base;
} bag_t;

static int
compare_numbers(const void *first, const void *second)
{
    const double a = *(const double *) first, b = *(const double *) second;

    return (a > b) - (a < b);
}

/* ---- Bins ---- */

/* Whether a bin that began at the row start ends before the row i: bins have about as
 * many rows, of those that are left. */
static bool
ends_bin(size_t num_rows, size_t start, size_t i, size_t num_bins_before)
{
    return num_bins_before + 1 < MAX_BINS &&
           (i - start) * (MAX_BINS - num_bins_before) >= num_rows - start;
}

/* Borders between bins in the middle of neighbouring values: each distinct value has a
 * bin of its own if they are few. Returns the number of borders; up_to may be NULL. */
static size_t
find_borders(const double *sorted, size_t num_rows, double *up_to)
{
    size_t num_distinct = 1, num_borders = 0, start = 0;

    for (size_t i = 1; i < num_rows; i++) {
        num_distinct += sorted[i] > sorted[i - 1];
    }
    for (size_t i = 1; i < num_rows; i++) {
        if (sorted[i] > sorted[i - 1] &&
            (num_distinct <= MAX_BINS || ends_bin(num_rows, start, i, num_borders))) {
            const double middle = sorted[i - 1] + (sorted[i] - sorted[i - 1]) / 2;

            if (up_to != NULL) {
                up_to[num_borders] = middle < sorted[i] ? middle : sorted[i - 1];
            }
            num_borders++;
            start = i;
        }
    }
    return num_borders;
}

static int
set_numbers(spot_additive_feature_t *feature, const spot_additive_request_t *request,
    const double *values)
{
    double *sorted = spot_calloc(request->num_rows, sizeof(*sorted));
    int ret = SPOT_ERR_NO_MEMORY;

    if (sorted != NULL) {
        for (size_t i = 0; i < request->num_rows; i++) {
            sorted[i] = isnan(values[i]) ? MISSING : values[i];
        }
        qsort(sorted, request->num_rows, sizeof(*sorted), compare_numbers);
        feature->num_bins = 1 + find_borders(sorted, request->num_rows, NULL);
        feature->up_to = spot_calloc(feature->num_bins, sizeof(*feature->up_to));
        if (feature->up_to != NULL) {
            find_borders(sorted, request->num_rows, feature->up_to);
            ret = 0;
        }
    }
    free(sorted);
    return ret;
}

static int
set_categories(spot_additive_feature_t *feature, const spot_additive_column_t *column)
{
    feature->has_categories = true;
    feature->num_bins = column->num_categories + 1;
    if (column->categories == NULL) {
        return 0;
    }
    feature->categories = spot_calloc(feature->num_bins, sizeof(*feature->categories));
    if (feature->categories == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t k = 0; k < column->num_categories; k++) {
        const char *name = column->categories[k];

        feature->categories[k] = spot_text_copy(name, strlen(name));
        if (feature->categories[k] == NULL) {
            return SPOT_ERR_NO_MEMORY;
        }
    }
    return 0;
}

/* The features without scores yet. */
static int
set_features(spot_additive_model_t *self, const spot_additive_request_t *request)
{
    self->features = spot_calloc(request->num_columns, sizeof(*self->features));
    if (self->features == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->num_features = request->num_columns;
    for (size_t j = 0; j < request->num_columns; j++) {
        const spot_additive_column_t *column = &request->columns[j];
        spot_additive_feature_t *feature = &self->features[j];
        int ret = column->num_categories > 0
                      ? set_categories(feature, column)
                      : set_numbers(feature, request, column->values);

        feature->name = spot_text_copy(column->name, strlen(column->name));
        feature->rows = spot_calloc(feature->num_bins, sizeof(*feature->rows));
        feature->scores = spot_calloc(feature->num_bins, sizeof(*feature->scores));
        if (ret != 0 || feature->name == NULL || feature->rows == NULL ||
            feature->scores == NULL) {
            return SPOT_ERR_NO_MEMORY;
        }
        for (size_t i = 0; i < request->num_rows; i++) {
            feature->rows[spot_additive_bin(feature, column->values[i])]++;
        }
    }
    return 0;
}

/* ---- Bags ---- */

/* Draws the rows that a bag does not see: the first of a partial shuffle. */
static void
draw_rows(bag_t *bag, uint64_t bag_id, bool *is_held, size_t *order)
{
    const size_t num_rows = bag->request->num_rows;
    spot_rng_t rng;

    for (size_t i = 0; i < num_rows; i++) {
        order[i] = i;
    }
    spot_rng_seek(&rng, bag->request->seed, 0, SPOT_STREAM_HOLD_OUT, bag_id);
    for (size_t i = 0; i < bag->num_held; i++) {
        const size_t other = i + (size_t) spot_rng_below(&rng, num_rows - i);
        const size_t row = order[other];

        order[other] = order[i];
        is_held[row] = true;
    }
    for (size_t i = 0, num_train = 0, num_held = 0; i < num_rows; i++) {
        if (is_held[i]) {
            bag->held[num_held++] = i;
        } else {
            bag->train[num_train++] = i;
        }
    }
}

/* The mean or the median of the targets of the rows that are seen. residuals is scratch
 * here. */
static double
base_of(bag_t *bag)
{
    const double *targets = bag->request->targets;
    double sum = 0;

    for (size_t i = 0; i < bag->num_train; i++) {
        bag->train_residuals[i] = targets[bag->train[i]];
        sum += targets[bag->train[i]];
    }
    if (bag->num_train == 0 || bag->request->loss == SPOT_LOSS_SQUARED) {
        return bag->num_train == 0 ? 0 : sum / (double) bag->num_train;
    }
    qsort(bag->train_residuals, bag->num_train, sizeof(*bag->train_residuals),
        compare_numbers);
    return (bag->train_residuals[(bag->num_train - 1) / 2] +
               bag->train_residuals[bag->num_train / 2]) /
           2;
}

/* A category, and its mean target among the rows that are seen. */
typedef struct {
    double mean, sum;
    size_t num_rows;
    size_t category; /* the number of categories: the unknown ones */
} category_t;

static int
compare_categories(const void *first, const void *second)
{
    const category_t *a = first, *b = second;

    return a->mean != b->mean
               ? (a->mean > b->mean) - (a->mean < b->mean)
               : (a->category > b->category) - (a->category < b->category);
}

/* Sorts categories by their mean target and joins neighbours to bins of about as many
 * rows. */
static void
join_categories(bag_t *bag, const spot_additive_feature_t *feature,
    const spot_additive_column_t *column, fitted_column_t *fitted)
{
    const size_t num = column->num_categories + 1;
    const double *targets = bag->request->targets;
    size_t num_before = 0, start = 0, bin = 0;
    category_t *categories;

    SPOT_ARENA_ARRAY(&bag->arena, categories, num);
    SPOT_ARENA_ARRAY(&bag->arena, fitted->bins_of, num);
    if (bag->arena.error != 0) {
        return;
    }
    for (size_t i = 0; i < bag->num_train; i++) {
        const size_t row = bag->train[i];
        category_t *category =
            &categories[spot_additive_bin(feature, column->values[row])];

        category->num_rows++;
        category->sum += targets[row] - bag->base;
    }
    for (size_t k = 0; k < num; k++) {
        categories[k].category = k;
        categories[k].mean =
            categories[k].sum / (double) (categories[k].num_rows + SHRINK_ROWS);
    }
    qsort(categories, num, sizeof(*categories), compare_categories);
    for (size_t k = 0; k < num; k++) {
        if (k > 0 &&
            (num <= MAX_BINS || ends_bin(bag->num_train, start, num_before, bin))) {
            bin++;
            start = num_before;
        }
        fitted->bins_of[categories[k].category] = (uint8_t) bin;
        num_before += categories[k].num_rows;
    }
    fitted->num_bins = bin + 1;
}

static void
take_bins(const bag_t *bag, const spot_additive_feature_t *feature,
    const spot_additive_column_t *column, fitted_column_t *fitted)
{
    const struct {
        size_t num_rows;
        const size_t *rows;
        uint8_t *bins;
    } parts[] = {{bag->num_train, bag->train, fitted->train},
        {bag->num_held, bag->held, fitted->held}};

    for (size_t part = 0; part < 2; part++) {
        for (size_t i = 0; i < parts[part].num_rows; i++) {
            const size_t bin =
                spot_additive_bin(feature, column->values[parts[part].rows[i]]);

            parts[part].bins[i] =
                fitted->bins_of != NULL ? fitted->bins_of[bin] : (uint8_t) bin;
        }
    }
}

static int
bag_init(bag_t *bag, const spot_additive_model_t *model,
    const spot_additive_request_t *request, uint64_t bag_id)
{
    size_t *order;
    bool *is_held;

    memset(bag, 0, sizeof(*bag));
    bag->request = request;
    bag->num_held = (size_t) (HOLD_OUT * (double) request->num_rows);
    bag->num_train = request->num_rows - bag->num_held;
    SPOT_ARENA_ARRAY(&bag->arena, order, request->num_rows);
    SPOT_ARENA_ARRAY(&bag->arena, is_held, request->num_rows);
    SPOT_ARENA_ARRAY(&bag->arena, bag->train, bag->num_train);
    SPOT_ARENA_ARRAY(&bag->arena, bag->held, bag->num_held);
    SPOT_ARENA_ARRAY(&bag->arena, bag->train_residuals, bag->num_train);
    SPOT_ARENA_ARRAY(&bag->arena, bag->held_residuals, bag->num_held);
    SPOT_ARENA_ARRAY(&bag->arena, bag->columns, request->num_columns);
    if (bag->arena.error != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    draw_rows(bag, bag_id, is_held, order);
    bag->base = base_of(bag);
    for (size_t j = 0; j < request->num_columns; j++) {
        fitted_column_t *fitted = &bag->columns[j];

        SPOT_ARENA_ARRAY(&bag->arena, fitted->train, bag->num_train);
        SPOT_ARENA_ARRAY(&bag->arena, fitted->held, bag->num_held);
        fitted->num_bins = model->features[j].num_bins;
        if (request->columns[j].num_categories > 0) {
            join_categories(bag, &model->features[j], &request->columns[j], fitted);
        }
        if (bag->arena.error != 0) {
            return SPOT_ERR_NO_MEMORY;
        }
        take_bins(bag, &model->features[j], &request->columns[j], fitted);
    }
    for (size_t i = 0; i < bag->num_train; i++) {
        bag->train_residuals[i] = request->targets[bag->train[i]] - bag->base;
    }
    for (size_t i = 0; i < bag->num_held; i++) {
        bag->held_residuals[i] = request->targets[bag->held[i]] - bag->base;
    }
    return 0;
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

static double
squares(const below_t *below, size_t first, size_t end)
{
    const double sum = below->sums[end] - below->sums[first];

    return sum * sum / (below->rows[end] - below->rows[first]);
}

/* The best border in a run of bins, the first one of equal ones. */
static cut_t
best_cut(const below_t *below, size_t first, size_t end)
{
    const double whole = squares(below, first, end);
    cut_t best = {0, 0};

    for (size_t border = first + 1; border < end; border++) {
        if (below->rows[border] - below->rows[first] >= MIN_PIECE &&
            below->rows[end] - below->rows[border] >= MIN_PIECE) {
            const double gain =
                squares(below, first, border) + squares(below, border, end) - whole;

            if (gain > best.gain) {
                best = (cut_t){border, gain};
            }
        }
    }
    return best;
}

/* Sets steps[num_bins] to a part of the best step function; all 0 if none is better than
 * a constant. */
static void
find_steps(const below_t *below, size_t num_bins, double *steps)
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
static void
move_residuals(double *residuals, size_t num_rows, const uint8_t *moved,
    const double *steps, const uint8_t *bins, double scale, double *sums)
{
    double chains[NUM_CHAINS][MAX_BINS] = {{0}};

    for (size_t i = 0; i < num_rows; i++) {
        const double left = residuals[i] - steps[moved[i]];

        residuals[i] = left;
        chains[i % NUM_CHAINS][bins[i]] += scale > 0 ? copysign(scale, left) : left;
    }
    for (size_t k = 0; k < MAX_BINS; k++) {
        sums[k] = (chains[0][k] + chains[1][k]) + (chains[2][k] + chains[3][k]);
    }
}

static double
mean_absolute(const double *residuals, size_t num_rows)
{
    double sum = 0;

    for (size_t i = 0; i < num_rows; i++) {
        sum += fabs(residuals[i]);
    }
    return sum / (double) num_rows;
}

static double
held_loss(const bag_t *bag)
{
    double sum = 0;

    if (bag->request->loss == SPOT_LOSS_ABSOLUTE) {
        return mean_absolute(bag->held_residuals, bag->num_held);
    }
    for (size_t i = 0; i < bag->num_held; i++) {
        sum += bag->held_residuals[i] * bag->held_residuals[i];
    }
    return sum / (double) bag->num_held;
}

/* Visits every column once. last: the column whose steps[] the residuals of the rows
 * that are seen still lack. */
static void
boost_round(bag_t *bag, below_t *below, size_t *last, double *steps)
{
    const double scale = bag->request->loss == SPOT_LOSS_SQUARED
                             ? 0
                             : mean_absolute(bag->train_residuals, bag->num_train);
    double sums[MAX_BINS];

    for (size_t j = 0; j < bag->request->num_columns; j++) {
        fitted_column_t *column = &bag->columns[j];

        move_residuals(bag->train_residuals, bag->num_train, bag->columns[*last].train,
            steps, column->train, scale, sums);
        for (size_t k = 0; k < column->num_bins; k++) {
            below[j].sums[k + 1] = below[j].sums[k] + sums[k];
        }
        find_steps(&below[j], column->num_bins, steps);
        *last = j;
        for (size_t k = 0; k < column->num_bins; k++) {
            column->scores[k] += steps[k];
        }
        for (size_t i = 0; i < bag->num_held; i++) {
            bag->held_residuals[i] -= steps[column->held[i]];
        }
    }
}

/* Rounds until the rows held out gain nothing. below: [num_columns], zeroed. */
static void
boost(bag_t *bag, below_t *below)
{
    double steps[MAX_BINS] = {0}, best_loss = held_loss(bag);
    size_t last = 0;

    for (size_t j = 0; j < bag->request->num_columns; j++) {
        for (size_t i = 0; i < bag->num_train; i++) {
            below[j].rows[bag->columns[j].train[i] + 1] += 1;
        }
        for (size_t k = 0; k < MAX_BINS; k++) {
            below[j].rows[k + 1] += below[j].rows[k];
        }
    }
    for (int round = 0, best_round = 0;
         round < MAX_ROUNDS && round - best_round <= PATIENCE; round++) {
        double loss;

        boost_round(bag, below, &last, steps);
        loss = held_loss(bag);
        if (loss < best_loss) {
            best_loss = loss;
            best_round = round;
            for (size_t j = 0; j < bag->request->num_columns; j++) {
                memcpy(bag->columns[j].best, bag->columns[j].scores,
                    sizeof(bag->columns[j].best));
            }
        }
    }
}

/* ---- The model ---- */

static void
add_bag(spot_additive_model_t *self, const bag_t *bag)
{
    self->base += bag->base / NUM_BAGS;
    for (size_t j = 0; j < self->num_features; j++) {
        const fitted_column_t *fitted = &bag->columns[j];

        for (size_t k = 0; k < self->features[j].num_bins; k++) {
            const size_t bin = fitted->bins_of != NULL ? fitted->bins_of[k] : k;

            self->features[j].scores[k] += fitted->best[bin] / NUM_BAGS;
        }
    }
}

/* Moves the mean of each feature to the base. */
static void
centre(spot_additive_model_t *self, size_t num_rows)
{
    for (size_t j = 0; j < self->num_features; j++) {
        spot_additive_feature_t *feature = &self->features[j];
        double sum = 0;

        for (size_t k = 0; k < feature->num_bins; k++) {
            sum += (double) feature->rows[k] * feature->scores[k];
        }
        for (size_t k = 0; k < feature->num_bins; k++) {
            feature->scores[k] -= sum / (double) num_rows;
        }
        self->base += sum / (double) num_rows;
    }
}

int
spot_additive_fit(spot_additive_model_t *self, const spot_additive_request_t *request)
{
    int ret;

    memset(self, 0, sizeof(*self));
    if (request->num_columns == 0 || request->num_columns > SPOT_ADDITIVE_MAX_FEATURES) {
        return SPOT_ERR_BAD_PARAM;
    }
    ret = set_features(self, request);
    for (uint64_t bag_id = 0; bag_id < NUM_BAGS && ret == 0 && request->num_rows > 0;
         bag_id++) {
        bag_t bag;
        below_t *below;

        ret = bag_init(&bag, self, request, bag_id);
        SPOT_ARENA_ARRAY(&bag.arena, below, request->num_columns);
        ret = spot_error_first(ret, bag.arena.error);
        if (ret == 0 && bag.num_held > 0) {
            boost(&bag, below);
        }
        if (ret == 0) {
            add_bag(self, &bag);
        }
        spot_arena_free(&bag.arena);
    }
    if (ret == 0 && request->num_rows > 0) {
        centre(self, request->num_rows);
        spot_additive_verify(self);
    }
    return ret;
}
