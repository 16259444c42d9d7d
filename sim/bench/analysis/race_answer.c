/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/analysis/race_answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"

/* Blocks of replications, and the most resamples of them. */
#define NUM_BLOCKS 256
#define NUM_RESAMPLES 1000
#define MAX_RESAMPLING 2e8 /* blocks looked at in all */

/* ---- Sureness: a bootstrap of blocks ---- */

/* The feasible racing points: sums of their values, as costs, over blocks of
 * replications. A null counts as the point's mean. */
typedef struct {
    size_t num_racers;
    size_t best_id; /* among them */
    double (*sums)[NUM_BLOCKS];
} blocks_t;

static void fill_sums(spot_runner_t *runner, double sign, double sums[NUM_BLOCKS])
{
    const double mean = spot_estimate_value(&runner->estimate);

    for (int64_t j = 0; j < runner->num_rows; j++) {
        const double value = spot_runner_value(runner, j);

        sums[j * NUM_BLOCKS / runner->num_rows] += sign * (isfinite(value) ? value : mean);
    }
}

static int fill_blocks(const spot_race_t *race, blocks_t *blocks)
{
    const double sign = race->head->optimise.is_maximised ? -1 : 1;

    blocks->sums = spot_calloc(race->num_racing, sizeof(*blocks->sums));
    if (blocks->sums == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < race->head->num_points; j++) {
        spot_runner_t *runner = &race->runners[j];

        if (runner->fate == SPOT_FATE_RACING && runner->is_feasible &&
            runner->estimate.num_values > 0) {
            if (j == race->best_id) {
                blocks->best_id = blocks->num_racers;
            }
            fill_sums(runner, sign, blocks->sums[blocks->num_racers++]);
        }
    }
    return 0;
}

static double sum_of_resample(const double sums[NUM_BLOCKS], const size_t drawn[NUM_BLOCKS])
{
    double sum = 0;

    for (size_t j = 0; j < NUM_BLOCKS; j++) {
        sum += sums[drawn[j]];
    }
    return sum;
}

/* 1 if the best point is the best of a resample, 1/k for a tie of k points, else 0. */
static double credit_of_resample(const blocks_t *blocks, const size_t drawn[NUM_BLOCKS])
{
    const double best = sum_of_resample(blocks->sums[blocks->best_id], drawn);
    size_t num_tied = 0;

    for (size_t j = 0; j < blocks->num_racers; j++) {
        const double sum = sum_of_resample(blocks->sums[j], drawn);

        if (sum < best) {
            return 0;
        }
        num_tied += sum == best;
    }
    return 1 / (double) num_tied;
}

static int find_sureness(spot_race_answer_t *self)
{
    const spot_race_t *race = &self->race;
    const double num_each = NUM_BLOCKS * (double) race->num_racing;
    const int num_resamples = (int) fmin(NUM_RESAMPLES, ceil(MAX_RESAMPLING / num_each));
    size_t drawn[NUM_BLOCKS];
    blocks_t blocks = {0};
    double num_best = 0;
    spot_rng_t rng;
    int ret;

    self->sureness = (double) NAN;
    if (!race->has_best ||
        race->runners[race->best_id].estimate.estimator == SPOT_ESTIMATOR_QUANTILE) {
        return 0;
    }
    ret = fill_blocks(race, &blocks);
    for (int j = 0; ret == 0 && j < num_resamples; j++) {
        spot_rng_seek(&rng, 1, (uint64_t) j, SPOT_STREAM_BOOTSTRAP, 0);
        for (size_t k = 0; k < NUM_BLOCKS; k++) {
            drawn[k] = (size_t) spot_rng_below(&rng, NUM_BLOCKS);
        }
        num_best += credit_of_resample(&blocks, drawn);
    }
    self->sureness = num_best / (double) num_resamples;
    free(blocks.sums);
    return ret;
}

/* ---- Ranges of the best values ---- */

/* Sets *is_racing[j] if a racing point has value j of an axis. The caller frees it. */
static int mark_racing(const spot_race_t *race, size_t axis_id, bool **is_racing)
{
    const spot_study_head_t *head = race->head;

    *is_racing = spot_calloc(head->axes[axis_id].num_values, sizeof(**is_racing));
    for (size_t j = 0; *is_racing != NULL && j < head->num_points; j++) {
        if (race->runners[j].fate == SPOT_FATE_RACING) {
            (*is_racing)[spot_study_value_id(head, j, axis_id)] = true;
        }
    }
    return *is_racing == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

/* Whether one value is larger than another one, or with sign -1 smaller; any value is
 * beyond SPOT_NO_VALUE. */
static bool is_beyond(const spot_axis_t *axis, size_t value_id, size_t other_id, double sign)
{
    return other_id == SPOT_NO_VALUE ||
           sign * axis->numbers[value_id] > sign * axis->numbers[other_id];
}

static void find_range(const spot_axis_t *axis, const bool *is_racing, spot_race_range_t *range)
{
    *range = (spot_race_range_t){.is_numeric = axis->num_values > 0,
        .num_values = axis->num_values,
        .low_id = SPOT_NO_VALUE,
        .high_id = SPOT_NO_VALUE,
        .below_id = SPOT_NO_VALUE,
        .above_id = SPOT_NO_VALUE};
    for (size_t j = 0; j < axis->num_values; j++) {
        range->is_numeric = range->is_numeric && isfinite(axis->numbers[j]);
        range->num_racing += is_racing[j];
    }
    if (!range->is_numeric || range->num_racing == 0) {
        return;
    }
    for (size_t j = 0; j < axis->num_values; j++) {
        if (is_racing[j]) {
            range->low_id = is_beyond(axis, j, range->low_id, -1) ? j : range->low_id;
            range->high_id = is_beyond(axis, j, range->high_id, 1) ? j : range->high_id;
        }
    }
    for (size_t j = 0; j < axis->num_values; j++) {
        if (is_beyond(axis, j, range->low_id, -1) && is_beyond(axis, j, range->below_id, 1)) {
            range->below_id = j;
        }
        if (is_beyond(axis, j, range->high_id, 1) && is_beyond(axis, j, range->above_id, -1)) {
            range->above_id = j;
        }
    }
}

/* Whether a value of an axis has points, and all of them have this fate but for those
 * that are left out for what was not measured. */
static bool have_all(const spot_race_t *race, size_t axis_id, size_t value_id, spot_fate_t fate)
{
    size_t num_points = 0;

    for (size_t j = 0; j < race->head->num_points; j++) {
        if (spot_study_value_id(race->head, j, axis_id) == value_id &&
            race->runners[j].fate != SPOT_FATE_UNMEASURED) {
            if (race->runners[j].fate != fate) {
                return false;
            }
            num_points++;
        }
    }
    return num_points > 0;
}

/* Whether a point differs from the best in the value of this axis only. */
static bool is_beside_best(const spot_race_t *race, size_t point_id, size_t axis_id)
{
    for (size_t j = 0; j < race->head->num_axes; j++) {
        if (j != axis_id && spot_study_value_id(race->head, point_id, j) !=
                                spot_study_value_id(race->head, race->best_id, j)) {
            return false;
        }
    }
    return true;
}

/* Whether a point is better than another one beyond noise, or races while the other one
 * is dominated. */
static bool is_clearly_better(const spot_race_t *race, size_t point_id, size_t other_id)
{
    spot_runner_t *runner = &race->runners[point_id];
    spot_runner_t *other = &race->runners[other_id];
    double low, high, other_low, other_high;

    if (runner->fate >= SPOT_FATE_UNDEFINED || other->fate >= SPOT_FATE_UNDEFINED) {
        return false; /* or they rest on what was not measured */
    }
    if (runner->fate == SPOT_FATE_RACING && other->fate == SPOT_FATE_DOMINATED) {
        return true;
    }
    spot_estimate_bounds(&runner->estimate, race->confidence, &low, &high);
    spot_estimate_bounds(&other->estimate, race->confidence, &other_low, &other_high);
    return race->head->optimise.is_maximised ? low > other_high : high < other_low;
}

/* Whether the metric gets worse and then better again on the way from the best point
 * along an axis, with the other axes fixed. */
static bool is_refuted(const spot_race_t *race, size_t axis_id)
{
    const spot_study_head_t *head = race->head;
    const double *numbers = head->axes[axis_id].numbers;
    const double best = numbers[spot_study_value_id(head, race->best_id, axis_id)];

    for (size_t near = 0; near < head->num_points; near++) {
        const double distance = numbers[spot_study_value_id(head, near, axis_id)] - best;

        if (!is_beside_best(race, near, axis_id) || distance == 0) {
            continue;
        }
        for (size_t far = 0; far < head->num_points; far++) {
            const double ratio =
                (numbers[spot_study_value_id(head, far, axis_id)] - best) / distance;

            if (ratio > 1 && is_beside_best(race, far, axis_id) &&
                is_clearly_better(race, far, near)) {
                return true;
            }
        }
    }
    return false;
}

/* Clears the neighbours if the optimum need not lie between them. */
static void check_neighbours(const spot_race_t *race, size_t axis_id, spot_race_range_t *range)
{
    const size_t ids[] = {range->below_id, range->above_id};
    bool is_known = race->has_best;

    for (size_t j = 0; j < 2; j++) {
        if (ids[j] != SPOT_NO_VALUE) {
            is_known = is_known && have_all(race, axis_id, ids[j], SPOT_FATE_DOMINATED);
            range->is_limited =
                range->is_limited || have_all(race, axis_id, ids[j], SPOT_FATE_INFEASIBLE);
        }
    }
    if (!is_known || is_refuted(race, axis_id)) {
        range->below_id = SPOT_NO_VALUE;
        range->above_id = SPOT_NO_VALUE;
    }
}

static int find_ranges(spot_race_answer_t *self)
{
    const spot_study_head_t *head = self->race.head;
    int ret = 0;

    self->ranges = spot_calloc(head->num_axes, sizeof(*self->ranges));
    if (self->ranges == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; ret == 0 && j < head->num_axes; j++) {
        bool *is_racing;

        ret = mark_racing(&self->race, j, &is_racing);
        if (ret == 0) {
            find_range(&head->axes[j], is_racing, &self->ranges[j]);
            check_neighbours(&self->race, j, &self->ranges[j]);
        }
        free(is_racing);
    }
    return ret;
}

static void count(spot_race_answer_t *self)
{
    const spot_study_head_t *head = self->race.head;

    for (size_t j = 0; j < head->num_points; j++) {
        const spot_runner_t *runner = &self->race.runners[j];

        self->num_points[runner->fate]++;
        self->num_undecided += runner->fate == SPOT_FATE_RACING && !runner->is_feasible;
        self->num_constant += runner->fate == SPOT_FATE_RACING && runner->is_constant;
        self->num_doubtful += runner->fate == SPOT_FATE_RACING && runner->is_doubtful;
        self->num_runs += spot_study_is_fixed(head, j) ? runner->num_rows > 0 : runner->num_rows;
    }
    self->num_runs_of_grid =
        self->race.num_rows == 0 ? 0 : spot_study_runs(head, self->race.num_rows);
    self->num_runs_of_plan = spot_study_runs(head, head->num_replications);
    self->regret = spot_race_regret(&self->race);
}

int spot_race_answer_init(spot_race_answer_t *self, const spot_store_t *store)
{
    int ret;

    memset(self, 0, sizeof(*self));
    ret = spot_race_init(&self->race, store->head);
    ret = ret == 0 ? spot_race_replay(&self->race, store) : ret;
    if (ret == 0) {
        count(self);
        ret = find_sureness(self);
    }
    ret = ret == 0 ? find_ranges(self) : ret;
    return ret;
}

void spot_race_answer_free(spot_race_answer_t *self)
{
    spot_race_free(&self->race);
    free(self->ranges);
    memset(self, 0, sizeof(*self));
}
