/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/study/break_even.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/canonical.h"
#include "base/intervals.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/units.h"
#include "base/utf8.h"
#include "sim/bench/analysis/findings.h"
#include "sim/bench/analysis/quantiles.h"
#include "sim/bench/study/plan.h"
#include "sim/bench/study/points.h"
#include "sim/bench/study/worker.h"

/* ---- Values of a key ---- */

/* Which break-evens are asked for, and which of them are known. */

/* The value of a key at a point; *is_there is false if it has none there from which a
 * search could start. NO_MEMORY. */
static int break_even_value(const spot_study_t *study, size_t point_id, const char *path,
    spot_quantity_t *quantity, bool *is_there)
{
    spot_node_t *scalar = NULL;
    int ret;

    pthread_mutex_lock(&study->template->lock);
    ret = spot_points_find(study, point_id, path, &scalar);
    *is_there = scalar != NULL && spot_quantity_parse(scalar->text, quantity);
    pthread_mutex_unlock(&study->template->lock);
    return ret;
}

/* Whether a key changes for the winner alone: it lies within what competes. */
static bool break_even_is_own(const spot_study_head_t *head, const char *path)
{
    return spot_canonical_is_within(path, head->axes[head->best.axis_id].path);
}

static int check_key(const spot_reading_t *self, const spot_node_t *place, const char *path)
{
    const spot_study_t *study = self->study;
    char shown[SPOT_UTF8_SHOWN_BYTES];
    spot_quantity_t quantity;
    bool is_there = false;
    int ret = 0;

    if (strcmp(path, study->head.axes[study->head.best.axis_id].path) == 0) {
        spot_node_error(self, place, "best.break_even", "\"%s\" is what competes", path);
        return 0;
    }
    for (size_t j = 0; ret == 0 && !is_there && j < study->head.num_points; j++) {
        ret = break_even_value(study, j, path, &quantity, &is_there);
    }
    if (ret == 0 && !is_there) {
        spot_node_error(self, place, "best.break_even",
            "\"%s\" has no number in the scenario, from which the search could start: "
            "give it one",
            spot_utf8_shown(path, shown));
    }
    return ret;
}

int spot_break_evens_check(const spot_reading_t *self)
{
    const spot_best_t *best = &self->study->head.best;
    const spot_node_t *list = spot_reading_place(self, "best.break_even");
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < best->num_keys; j++) {
        if (best->keys[j] == NULL) {
            continue; /* reported before */
        }
        ret = check_key(self, spot_word(list, j), best->keys[j]);
        for (size_t k = 0; k < j; k++) {
            if (best->keys[k] != NULL && strcmp(best->keys[j], best->keys[k]) == 0) {
                spot_node_error(self, spot_word(list, j), "best.break_even",
                    "\"%s\" is there twice", best->keys[j]);
            }
        }
    }
    return ret;
}

/* ---- The list ---- */

static const spot_break_even_side_t no_side = {
    (double) NAN, (double) NAN, (double) NAN, (double) NAN};

static bool is_same(const spot_break_even_t *a, const spot_break_even_t *b)
{
    return a->best_id == b->best_id && a->next_id == b->next_id && a->key_id == b->key_id &&
           a->num_pairs == b->num_pairs;
}

/* Adds a winner that is ahead and a key, unless the store has it. A key of which one of
 * both points has no value is not searched: its number is NAN. */
static int add_item(spot_break_evens_t *self, const spot_winner_t *winner, size_t key_id)
{
    const spot_best_t *best = &self->study->head.best;
    const char *path = best->keys[key_id];
    spot_break_even_t *item = &self->items[self->num_items];
    spot_quantity_t quantity = {.value = 0}, other;
    bool is_there = false;
    int ret = 0;

    if (!spot_winner_is_ahead(winner, best)) {
        return 0;
    }
    *item = (spot_break_even_t){.best_id = winner->best_id,
        .next_id = winner->next_id,
        .key_id = key_id,
        .num_pairs = spot_paired_num_pairs(&winner->lead)};
    self->num_items++;
    for (size_t j = 0; j < self->store->num_break_evens; j++) {
        if (is_same(item, &self->store->break_evens[j])) {
            *item = self->store->break_evens[j];
            self->is_found[self->num_items - 1] = true;
            return 0;
        }
    }
    ret = break_even_value(self->study, item->best_id, path, &quantity, &is_there);
    if (ret == 0 && is_there && !break_even_is_own(&self->study->head, path)) {
        ret = break_even_value(self->study, item->next_id, path, &other, &is_there);
    }
    item->number = quantity.is_duration ? quantity.value / SPOT_MS_PER_S : quantity.value;
    snprintf(item->unit, sizeof(item->unit), "%s", quantity.is_duration ? "s" : quantity.unit);
    if (ret == 0 && !is_there) {
        item->number = (double) NAN;
        item->sides[0] = item->sides[1] = no_side;
        self->is_found[self->num_items - 1] = true;
        self->is_changed = true;
    }
    return ret;
}

int spot_break_evens_plan(spot_break_evens_t *self)
{
    const spot_best_t *best = &self->study->head.best;
    spot_winners_t winners;
    int ret;

    if (!best->is_asked || best->num_keys == 0) {
        return 0;
    }
    ret = spot_winners_init(&winners, self->store);
    if (ret == 0) {
        const size_t most = winners.groups.num_groups * best->num_keys;

        self->items = spot_calloc(most, sizeof(*self->items));
        self->is_found = spot_calloc(most, sizeof(*self->is_found));
        ret = self->items == NULL || self->is_found == NULL ? SPOT_ERR_NO_MEMORY : 0;
        for (size_t j = 0; ret == 0 && j < most; j++) {
            ret = add_item(self, &winners.winners[j / best->num_keys], j % best->num_keys);
        }
    }
    spot_winners_free(&winners);
    return ret;
}

void spot_break_evens_free(spot_break_evens_t *self)
{
    free(self->items);
    free(self->is_found);
    memset(self, 0, sizeof(*self));
}

/* ---- The search ---- */

#define FACTOR 4          /* of a step away from the value that the search starts from */
#define NUM_STEPS 4       /* towards 0, which is behind the last, and one more from it */
#define MAX_NARROWINGS 24 /* of what holds the change of sign */
#define MAX_EDGE_STEPS 8  /* towards a value that the engine does not take */
#define WIDTH 5e-3        /* of that at the end, as a fraction of the value */

/* ---- A pair of points at a value ---- */

/* Break-evens: a winner and the next one run the same replications with other values of
 * a key, until their paired difference is zero. Values grow and shrink by a factor
 * first, and then those on both sides of a change of sign come closer; a lead that is
 * lost and won again between two such steps is not seen. The interval is that of all
 * values whose difference may be zero, with SPOT_CONFIDENCE at each of them, as Fieller
 * inverts a test (Journal of the Royal Statistical Society B 16, 1954). */

/* What a point yields at a value: the numbers of each replication that its estimate
 * needs. */
typedef struct {
    spot_study_worker_t worker;
    spot_estimate_t estimate;
    size_t num_rows;
    double (*numbers)[2]; /* [num_pairs] */
} side_t;

enum { BEST, NEXT, NUM_SIDES };

/* The winner's lead at a value; what is above 0 is ahead. */
typedef struct {
    double value;
    double lead, half_width;
} sample_t;

typedef struct {
    const spot_break_evens_t *all;
    spot_break_even_t *item;
    const char *path;
    spot_quantity_t start; /* with the unit of all values; durations in ms */
    double spacing;        /* of values; 0: any number */
    bool is_whole;         /* they are whole numbers, no durations */
    double *row;           /* [num_metrics] */
    side_t sides[NUM_SIDES];
    size_t num_samples, max_samples;
    sample_t *samples; /* taken so far */
} search_t;

static size_t point_of(const search_t *self, int side_id)
{
    return side_id == BEST ? self->item->best_id : self->item->next_id;
}

/* A fixed point has one row for all pairs. */
static size_t num_rows_of(const search_t *self, int side_id)
{
    return spot_study_is_fixed(&self->all->study->head, point_of(self, side_id))
               ? 1
               : (size_t) self->item->num_pairs;
}

static int add_row(side_t *self, const double *row)
{
    double *numbers = self->numbers[self->num_rows++];

    if (!spot_line_numbers(self->estimate.metric, &self->estimate.source, row, numbers)) {
        numbers[0] = numbers[1] = (double) NAN;
    }
    return spot_estimate_add(&self->estimate, row);
}

static void empty(const search_t *self, side_t *side)
{
    const spot_study_head_t *head = &self->all->study->head;

    spot_estimate_free(&side->estimate);
    spot_estimate_init(&side->estimate, head, head->best.metric_id);
    side->num_rows = 0;
}

/* Stops once all rows of the side are there. */
enum { HAS_ALL = 1 };

static int take_row(void *context, const spot_row_t *row)
{
    search_t *self = context;
    side_t *side = &self->sides[NEXT];
    const int ret = add_row(side, row->metrics);

    return ret == 0 && side->num_rows == num_rows_of(self, NEXT) ? HAS_ALL : ret;
}

/* The next one as it is, where the key changes for the winner alone. */
static int read_next(search_t *self)
{
    const spot_store_t *store = self->all->store;
    int ret;

    empty(self, &self->sides[NEXT]);
    pthread_mutex_lock(self->all->lock);
    ret = store->read(store, self->item->next_id, 0, take_row, self);
    pthread_mutex_unlock(self->all->lock);
    return ret == HAS_ALL ? 0 : ret;
}

static int run_side(search_t *self, int side_id, const char *text)
{
    side_t *side = &self->sides[side_id];
    uint32_t warnings;
    int ret = spot_study_worker_change(
        &side->worker, self->all->study, point_of(self, side_id), self->path, text);

    empty(self, side);
    for (size_t j = 0; ret == 0 && j < num_rows_of(self, side_id); j++) {
        ret = spot_study_worker_row(
            &side->worker, (int64_t) j, self->all->stop, self->row, &warnings);
        ret = ret == 0 ? add_row(side, self->row) : ret;
    }
    return ret;
}

static double value_of(const side_t *self, const spot_line_t *line, size_t pair_id)
{
    return spot_line_at(line, self->numbers[self->num_rows == 1 ? 0 : pair_id]);
}

/* The numbers of a quantile at both sides; nulls are left out. */
static int compare_quantiles(const search_t *self, spot_paired_t *pair)
{
    const side_t *sides[] = {&self->sides[BEST], &self->sides[NEXT]};
    const size_t num = (size_t) self->item->num_pairs;
    double *numbers = spot_calloc(2 * num, sizeof(*numbers));
    size_t num_pairs = 0;
    int ret = numbers == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (size_t j = 0; ret == 0 && j < num; j++) {
        const double x = sides[0]->numbers[sides[0]->num_rows == 1 ? 0 : j][0];
        const double y = sides[1]->numbers[sides[1]->num_rows == 1 ? 0 : j][0];

        if (!isnan(x) && !isnan(y)) {
            numbers[num_pairs] = x;
            numbers[num + num_pairs++] = y;
        }
    }
    ret = ret == 0 ? spot_quantile_pair((spot_paired_side_t){numbers, num_rows_of(self, BEST) == 1},
                         (spot_paired_side_t){numbers + num, num_rows_of(self, NEXT) == 1},
                         num_pairs, sides[0]->estimate.metric->p, SPOT_CONFIDENCE, pair)
                   : ret;
    free(numbers);
    return ret;
}

/* Sets the lead of the rows of both sides. */
static int compare(const search_t *self, sample_t *sample)
{
    const spot_best_t *best = &self->all->study->head.best;
    const spot_line_t x = spot_estimate_line(&self->sides[BEST].estimate);
    const spot_line_t y = spot_estimate_line(&self->sides[NEXT].estimate);
    const spot_estimator_t estimator = self->sides[BEST].estimate.estimator;
    spot_paired_t pair = {
        .is_binary = estimator == SPOT_ESTIMATOR_PROBABILITY &&
                     (num_rows_of(self, BEST) > 1 || num_rows_of(self, NEXT) > 1)};
    int ret = 0;

    if (estimator == SPOT_ESTIMATOR_QUANTILE) {
        ret = compare_quantiles(self, &pair);
    }
    for (size_t j = 0; !pair.is_quantile && j < (size_t) self->item->num_pairs; j++) {
        spot_paired_add(
            &pair, value_of(&self->sides[BEST], &x, j), value_of(&self->sides[NEXT], &y, j));
    }
    sample->lead = spot_paired_mean(&pair) * (best->is_maximised ? 1 : -1);
    sample->half_width = spot_paired_half_width(&pair, SPOT_CONFIDENCE);
    return ret;
}

/* Takes the lead at a value, once. BAD_INPUT: the engine does not take the value, or
 * yields nothing at it. */
static int measure(search_t *self, double value, sample_t *sample)
{
    char text[SPOT_NUMBER_TEXT_BYTES + SPOT_UNIT_BYTES];
    int ret;

    for (size_t j = 0; j < self->num_samples; j++) {
        if (self->samples[j].value == value) {
            *sample = self->samples[j];
            return 0;
        }
    }
    if (self->start.is_duration) {
        spot_duration_text((int64_t) value, text);
    } else {
        spot_number_text(value, text);
        spot_unit_append(text, self->start.unit);
    }
    ret = run_side(self, BEST, text);
    if (ret == 0 && !break_even_is_own(&self->all->study->head, self->path)) {
        ret = run_side(self, NEXT, text);
    }
    ret = ret == 0 ? SPOT_ARRAY_ROOM(self, samples, self->num_samples + 1) : ret;
    if (ret == 0) {
        sample->value = value;
        ret = compare(self, sample);
        ret = ret == 0 && !isfinite(sample->lead) ? SPOT_ERR_BAD_INPUT : ret;
    }
    if (ret == 0) {
        self->samples[self->num_samples++] = *sample;
    }
    return ret;
}

/* ---- Where the lead is zero ---- */

/* What is to become zero: the lead itself, or an end of its interval. */
typedef enum { LOW_END, LEAD, HIGH_END } bound_t;

static double height(const sample_t *sample, bound_t bound)
{
    return bound == LEAD      ? sample->lead
           : bound == LOW_END ? sample->lead - sample->half_width
                              : sample->lead + sample->half_width;
}

/* Whether the value of a sample lies before the zero. All values at which nothing
 * differs may be it, so that they are before the high end. */
static bool is_before(const sample_t *sample, bound_t bound)
{
    const double value = height(sample, bound);

    return bound == HIGH_END ? value >= 0 : value > 0;
}

/* Between two samples: before zero at the first of them, the nearer one, and not at the
 * other. Samples that are there already bring them closer. */
static void tighten(const search_t *self, bound_t bound, sample_t *before, sample_t *beyond)
{
    for (int j = 0; j < 2; j++) { /* first beyond, then what is before it */
        for (size_t k = 0; k < self->num_samples; k++) {
            const sample_t *sample = &self->samples[k];

            if ((sample->value - before->value) * (sample->value - beyond->value) >= 0 ||
                is_before(sample, bound) != (j == 1)) {
                continue;
            }
            *(j == 1 ? before : beyond) = *sample;
        }
    }
}

static double on_spacing(const search_t *self, double value)
{
    return self->spacing > 0 ? nearbyint(value / self->spacing) * self->spacing : value;
}

/* Halfway, or, every other time, where the straight line between them crosses zero, but
 * not close to one of them. */
static double choose_between(const search_t *self, bound_t bound, const sample_t *before,
    const sample_t *beyond, int narrowing)
{
    const double high = height(before, bound), low = height(beyond, bound);
    const double share = narrowing % 2 == 0 && high > low ? high / (high - low) : 0.5;
    const double value = on_spacing(
        self, before->value + (beyond->value - before->value) * fmin(fmax(share, 0.1), 0.9));
    const double first = fmin(before->value, beyond->value) + self->spacing;
    const double last = fmax(before->value, beyond->value) - self->spacing;

    return fmin(fmax(value, first), last);
}

/* Whether two values are as close as they need to be. */
static bool is_close(const search_t *self, double a, double b)
{
    const double width = self->is_whole ? 0 : WIDTH * fmax(fabs(a), fabs(b));

    return fabs(b - a) <= fmax(width, self->spacing);
}

/* Sets the zero between two samples; of whole numbers the first one beyond it. A value
 * that the engine does not take ends it too. */
static int narrow(search_t *self, bound_t bound, sample_t before, sample_t beyond, double *found)
{
    double high, low;
    int ret = 0;

    tighten(self, bound, &before, &beyond);
    for (int j = 0; ret == 0 && j < MAX_NARROWINGS && !is_close(self, before.value, beyond.value);
         j++) {
        sample_t sample;

        ret = measure(self, choose_between(self, bound, &before, &beyond, j), &sample);
        if (ret == 0) {
            *(is_before(&sample, bound) ? &before : &beyond) = sample;
        }
    }
    high = height(&before, bound);
    low = height(&beyond, bound);
    *found = ret != 0 || self->is_whole || !(high > low)
                 ? beyond.value
                 : before.value + (beyond.value - before.value) * high / (high - low);
    return ret;
}

/* The value after so many steps away from the start: away from 0, or towards it and
 * there behind the last one. From 0 the first step is to 1, or 1 s. */
static double value_after(const search_t *self, int side_id, int num_steps)
{
    const double factor = pow(FACTOR, num_steps), start = self->start.value;
    const double one = (self->start.is_duration ? SPOT_MS_PER_S : 1.0) / FACTOR;

    if (start == 0) {
        return side_id == SPOT_BREAK_EVEN_ABOVE ? one * factor : 0;
    }
    if ((side_id == SPOT_BREAK_EVEN_ABOVE) == (start > 0)) {
        return on_spacing(self, start * factor);
    }
    return num_steps > NUM_STEPS ? 0 : on_spacing(self, start / factor);
}

/* Takes a step from the last value before the zero. *is_done: the zero is found. */
static int step_to(
    search_t *self, bound_t bound, double value, sample_t *before, double *found, bool *is_done)
{
    sample_t sample;
    int ret = measure(self, value, &sample);

    *is_done = ret == 0 && !is_before(&sample, bound);
    if (*is_done) {
        ret = narrow(self, bound, *before, sample, found);
    } else if (ret == 0) {
        *before = sample;
    }
    return ret;
}

/* Goes on where a step was too far for the engine: towards the first value that it does
 * not take. */
static int step_to_edge(
    search_t *self, bound_t bound, double refused, sample_t *before, double *found)
{
    bool is_done = false;
    int ret = 0;

    for (int j = 0;
         ret == 0 && !is_done && j < MAX_EDGE_STEPS && !is_close(self, before->value, refused);
         j++) {
        const double value = on_spacing(self, (before->value + refused) / 2);

        ret = step_to(self, bound, value, before, found, &is_done);
        if (ret == SPOT_ERR_BAD_INPUT && !is_done) {
            refused = value;
            ret = 0;
        }
    }
    return ret;
}

/* Finds the value nearest to the start, on one side of it, from which on a bound is no
 * longer above zero; NAN: none up to *reach. */
static int find_zero(search_t *self, int side_id, bound_t bound, double *found, double *reach)
{
    bool is_done = false;
    sample_t before;
    int ret = measure(self, self->start.value, &before);

    *found = (double) NAN;
    if (ret == 0 && !is_before(&before, bound)) {
        *found = self->start.value;
        return 0;
    }
    for (int j = 1; ret == 0 && !is_done && j <= NUM_STEPS + 1; j++) {
        const double value = value_after(self, side_id, j);

        if (value != before.value) {
            ret = step_to(self, bound, value, &before, found, &is_done);
        }
        if (ret == SPOT_ERR_BAD_INPUT && !is_done) {
            ret = step_to_edge(self, bound, value, &before, found);
            is_done = true;
        }
    }
    if (before.value != self->start.value) {
        *reach = before.value;
    }
    return ret == SPOT_ERR_BAD_INPUT ? 0 : ret; /* as far as the engine goes */
}

static int find_side(search_t *self, int side_id)
{
    spot_break_even_side_t *side = &self->item->sides[side_id];
    const double scale = self->start.is_duration ? 1.0 / SPOT_MS_PER_S : 1;
    double low_reach = (double) NAN;
    int ret;

    side->reach = (double) NAN;
    ret = find_zero(self, side_id, LOW_END, &side->near, &low_reach);
    ret = ret == 0 ? find_zero(self, side_id, LEAD, &side->at, &side->reach) : ret;
    ret = ret == 0 ? find_zero(self, side_id, HIGH_END, &side->far, &side->reach) : ret;
    side->at *= scale;
    side->near *= scale;
    side->far *= scale;
    side->reach *= scale;
    return ret;
}

static int start_search(search_t *self)
{
    const spot_study_t *study = self->all->study;
    const spot_field_t *field;
    bool is_there;
    int ret = break_even_value(study, self->item->best_id, self->path, &self->start, &is_there);

    spot_bug_assert(ret != 0 || is_there);
    field = spot_field_at(study->experiment->fields, study->template->scenario.root, self->path);
    self->is_whole = field != NULL && field->type == SPOT_FIELD_INTEGER;
    self->spacing = self->start.is_duration || self->is_whole;
    self->row = spot_calloc(study->head.num_metrics, sizeof(*self->row));
    for (int j = 0; ret == 0 && j < NUM_SIDES; j++) {
        self->sides[j].numbers =
            spot_calloc((size_t) self->item->num_pairs, sizeof(*self->sides[j].numbers));
        ret = self->sides[j].numbers == NULL ? SPOT_ERR_NO_MEMORY : 0;
    }
    ret = ret == 0 && self->row == NULL ? SPOT_ERR_NO_MEMORY : ret;
    return ret == 0 && break_even_is_own(&study->head, self->path) ? read_next(self) : ret;
}

int spot_break_evens_find(spot_break_evens_t *self, size_t item_id)
{
    spot_break_even_t *item = &self->items[item_id];
    search_t search = {
        .all = self, .item = item, .path = self->study->head.best.keys[item->key_id]};
    int ret = self->is_found[item_id] ? 0 : start_search(&search);

    for (int j = 0; ret == 0 && !self->is_found[item_id] && j < SPOT_NUM_BREAK_EVEN_SIDES; j++) {
        ret = find_side(&search, j);
    }
    for (int j = 0; j < NUM_SIDES; j++) {
        spot_study_worker_close(&search.sides[j].worker);
        spot_estimate_free(&search.sides[j].estimate);
        free(search.sides[j].numbers);
    }
    free(search.samples);
    free(search.row);
    if (ret == 0 && !self->is_found[item_id]) {
        self->is_found[item_id] = true;
        atomic_store(&self->is_changed, true);
    }
    return ret;
}
