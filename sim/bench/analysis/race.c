/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/analysis/race.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/intervals.h"
#include "base/rng.h"
#include "sim/bench/store/store_sqlite.h"

static double runner_value(const spot_runner_t *self, int64_t replication);

/* ---- Whether a study is complete ---- */

/* Points that still race. NO_MEMORY. */
static int find_unfinished_of_race(const spot_store_t *store, size_t *num)
{
    spot_race_t race;
    int ret = spot_race_init(&race, store->head);

    ret = ret == 0 ? spot_race_replay(&race, store) : ret;
    *num = ret == 0 && race.is_over ? 0 : race.num_racing;
    spot_race_free(&race);
    return ret == SPOT_ERR_NO_MEMORY ? ret : 0;
}

int spot_store_completeness(
    const spot_store_t *store, const spot_summary_t *summaries, spot_completeness_t *completeness)
{
    const spot_study_head_t *head = store->head;
    const size_t metric_id = spot_study_metric_id(head, head->until.metric);
    spot_completeness_t self = {.num_asked = spot_study_runs(head, head->num_replications),
        .num_points = head->num_points,
        .fewest = INT64_MAX,
        .fewest_constant = INT64_MAX};

    for (size_t j = 0; j < head->num_points; j++) {
        const int64_t num_rows = store->num_rows(store, j);
        const bool is_until = metric_id < head->num_metrics;
        const spot_summary_t *summary =
            is_until ? &summaries[j * head->num_metrics + metric_id] : NULL;
        const bool is_fixed = spot_study_is_fixed(head, j);
        const bool is_precise = is_until && (is_fixed || summary->excess <= 1);
        const bool has_all = num_rows >= spot_study_point_replications(head, j);

        if (spot_study_cannot_run(head, j) != NULL) {
            continue;
        }
        self.num_rows += num_rows;
        if (!is_fixed || !has_all) {
            self.fewest = num_rows < self.fewest ? num_rows : self.fewest;
            self.most = num_rows > self.most ? num_rows : self.most;
        }
        self.num_unfinished += !has_all && !(is_precise && num_rows >= head->min_replications);
        self.num_imprecise += is_until && has_all && !is_precise;
        if (is_until && summary->is_constant) {
            self.num_constant++;
            self.fewest_constant = summary->num_values < self.fewest_constant
                                       ? summary->num_values
                                       : self.fewest_constant;
        }
    }
    *completeness = self;
    return head->optimise.metric == NULL
               ? 0
               : find_unfinished_of_race(store, &completeness->num_unfinished);
}

int spot_store_find_completeness(const spot_store_t *store, spot_completeness_t *completeness)
{
    spot_summary_t *summaries = NULL;
    int ret = store->head->until.metric == NULL ? 0 : spot_summarise_all(store, &summaries);

    ret = ret == 0 ? spot_store_completeness(store, summaries, completeness) : ret;
    free(summaries);
    return ret;
}

int spot_completeness_read(const char *path, spot_completeness_t *completeness, spot_diag_t *diag)
{
    spot_store_t *store;
    int ret = spot_store_open_sqlite_reader(&store, path, diag), flushed;

    if (ret != 0) {
        return ret;
    }
    ret = spot_store_find_completeness(store, completeness);
    flushed = store->flush(store, diag);
    store->close(store);
    return flushed != 0 ? flushed : ret;
}

/* ---- What its answer is ---- */

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
        const double value = runner_value(runner, j);

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

/* ---- The race ---- */

/* Replications of a round over those of the one before. */
#define GROWTH 1.5

enum { READ_ALL = 1 };

const char *const spot_fate_names[SPOT_NUM_FATES] = {
    [SPOT_FATE_RACING] = "racing",
    [SPOT_FATE_DOMINATED] = "dominated",
    [SPOT_FATE_INFEASIBLE] = "infeasible",
    [SPOT_FATE_UNDEFINED] = "undefined",
    [SPOT_FATE_UNMEASURED] = "unmeasured",
};

const char *const spot_verdict_names[SPOT_NUM_VERDICTS] = {
    [SPOT_VERDICT_YES] = "yes",
    [SPOT_VERDICT_NO] = "no",
    [SPOT_VERDICT_UNDECIDED] = "undecided",
};

/* The replications of the round after one with num_rows. */
static int64_t target_behind(const spot_study_head_t *head, int64_t num_rows)
{
    const int64_t size = spot_study_batch_size(head);
    const double wanted =
        num_rows == 0 ? (double) head->min_replications : ceil(GROWTH * (double) num_rows);
    const double target = ceil(wanted / (double) size) * (double) size;

    return (int64_t) fmin(target, (double) head->num_replications);
}

int64_t spot_race_target(const spot_race_t *self)
{
    return target_behind(self->head, self->num_rows);
}

/* All intervals of all rounds hold at once with the confidence of the answer. Each point
 * has one against the best, one per constraint, one for its nulls, and, if it may be left
 * out for what was not measured, one for that. The best is
 * chosen by the same rows, which is harmless: only the intervals between the true best
 * and each other point must hold. */
static double confidence_of_each(const spot_study_head_t *head, size_t num_excluding)
{
    const double num_intervals =
        (double) head->num_points * (double) (2 + head->optimise.num_constraints) +
        (double) num_excluding;
    double num_rounds = 0;

    for (int64_t num_rows = 0; num_rows < head->num_replications;) {
        num_rows = target_behind(head, num_rows);
        num_rounds++;
    }
    return 1 - (1 - head->optimise.confidence) / (num_intervals * num_rounds);
}

/* Whether the results of a point may rest on what was not measured. */
static bool has_beyond(const spot_study_head_t *head, size_t point_id)
{
    const char *metric = spot_study_beyond(head, point_id).metric;

    return metric != NULL && spot_study_metric_id(head, metric) < head->num_metrics;
}

/* Whether it is left out then. */
static bool excludes(const spot_study_head_t *head, size_t point_id)
{
    return has_beyond(head, point_id) && !spot_study_beyond(head, point_id).only_warns;
}

int spot_race_init(spot_race_t *self, const spot_study_head_t *head)
{
    const size_t num_constraints = head->optimise.num_constraints;
    size_t num_excluding = 0;

    *self = (spot_race_t){.head = head,
        .metric_id = spot_study_metric_id(head, head->optimise.metric),
        .num_racing = head->num_points};
    spot_bug_assert(self->metric_id < head->num_metrics);
    SPOT_ARENA_ARRAY(&self->memory, self->runners, head->num_points);
    SPOT_ARENA_ARRAY(&self->memory, self->constraint_ids, num_constraints);
    SPOT_ARENA_ARRAY(&self->memory, self->constrained, head->num_points * num_constraints);
    SPOT_ARENA_ARRAY(&self->memory, self->is_asked, head->num_metrics);
    SPOT_ARENA_ARRAY(&self->memory, self->is_with, head->num_metrics);
    if (self->memory.error != 0) {
        return self->memory.error;
    }
    for (size_t j = 0; j < head->num_points; j++) {
        num_excluding += excludes(head, j);
    }
    self->confidence = confidence_of_each(head, num_excluding);
    for (size_t j = 0; j < num_constraints; j++) {
        self->constraint_ids[j] = spot_study_metric_id(head, head->optimise.constraints[j].metric);
        spot_bug_assert(self->constraint_ids[j] < head->num_metrics);
    }
    for (size_t j = 0; j < head->num_points; j++) {
        spot_runner_t *runner = &self->runners[j];

        runner->constrained = &self->constrained[j * num_constraints];
        spot_estimate_init(&runner->estimate, head, self->metric_id);
        for (size_t k = 0; k < num_constraints; k++) {
            spot_estimate_init(&runner->constrained[k], head, self->constraint_ids[k]);
        }
        runner->has_beyond = has_beyond(head, j);
        runner->is_measured = !excludes(head, j);
        if (runner->has_beyond) {
            spot_estimate_init(&runner->beyond, head,
                spot_study_metric_id(head, spot_study_beyond(head, j).metric));
        }
        if (spot_study_cannot_run(head, j) != NULL) {
            runner->fate = SPOT_FATE_UNDEFINED;
            self->num_racing--;
        }
    }
    return 0;
}

void spot_race_free(spot_race_t *self)
{
    const bool is_whole = self->head != NULL && self->memory.error == 0;

    for (size_t j = 0; is_whole && j < self->head->num_points; j++) {
        spot_runner_t *runner = &self->runners[j];

        free(runner->rows);
        spot_estimate_free(&runner->estimate);
        if (runner->has_beyond) {
            spot_estimate_free(&runner->beyond);
        }
        for (size_t k = 0; k < self->head->optimise.num_constraints; k++) {
            spot_estimate_free(&runner->constrained[k]);
        }
    }
    spot_arena_free(&self->memory);
    memset(self, 0, sizeof(*self));
}

/* ---- Reading a round ---- */

typedef struct {
    const spot_race_t *race;
    spot_runner_t *runner;
    int64_t end; /* replication after the last one */
    bool is_fixed;
} reader_t;

static int add_row(const spot_race_t *race, spot_runner_t *runner, const double *metrics)
{
    double *numbers = runner->rows[runner->num_rows++];
    int ret = spot_estimate_add(&runner->estimate, metrics);

    if (!spot_line_numbers(runner->estimate.metric, &runner->estimate.source, metrics, numbers)) {
        numbers[0] = (double) NAN;
    }
    for (size_t j = 0; ret == 0 && j < race->head->optimise.num_constraints; j++) {
        ret = spot_estimate_add(&runner->constrained[j], metrics);
    }
    if (ret == 0 && runner->has_beyond) {
        ret = spot_estimate_add(&runner->beyond, metrics);
    }
    return ret;
}

const char *spot_race_beyond(const spot_race_t *self, size_t point_id)
{
    const spot_beyond_t beyond = spot_study_beyond(self->head, point_id);
    spot_runner_t *runner = &self->runners[point_id];

    return runner->has_beyond && spot_estimate_value(&runner->beyond) > beyond.most ? beyond.words
                                                                                    : NULL;
}

/* The value of a runner in a replication, whose mean is the estimate; NAN: null. */
static double runner_value(const spot_runner_t *self, int64_t replication)
{
    return spot_line_at(&self->line, self->rows[replication]);
}

/* The only row of a fixed point counts for all its replications. */
static int read_row(void *context, const spot_row_t *row)
{
    const reader_t *self = context;
    spot_runner_t *runner = self->runner;
    int ret;

    spot_bug_assert(self->is_fixed || row->replication == runner->num_rows);
    do {
        ret = add_row(self->race, runner, row->metrics);
    } while (ret == 0 && self->is_fixed && runner->num_rows < self->end);
    return ret == 0 && runner->num_rows == self->end ? READ_ALL : ret;
}

static int read_round(spot_race_t *self, const spot_store_t *store, size_t point_id, int64_t end)
{
    spot_runner_t *runner = &self->runners[point_id];
    const bool is_fixed = spot_study_is_fixed(self->head, point_id);
    reader_t reader = {self, runner, end, is_fixed};
    double(*rows)[2] = realloc(runner->rows, (size_t) end * sizeof(*rows));
    int ret;

    if (rows == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    runner->rows = rows;
    ret = store->read(store, point_id, is_fixed ? 0 : runner->num_rows, read_row, &reader);
    ret = ret == READ_ALL ? 0 : ret;
    runner->line = spot_estimate_line(&runner->estimate);
    spot_bug_assert(ret != 0 || runner->num_rows == end);
    return ret;
}

/* ---- Judging a round ---- */

static void take_out(spot_race_t *self, size_t point_id, spot_fate_t fate)
{
    spot_runner_t *runner = &self->runners[point_id];

    runner->fate = fate;
    runner->gain = 0;
    free(runner->rows);
    runner->rows = NULL;
    self->num_racing--;
}

/* The most nulls of the metric or of a constraint. */
static int64_t num_nulls(const spot_race_t *self, const spot_runner_t *runner)
{
    int64_t fewest = runner->estimate.num_values;

    for (size_t j = 0; j < self->head->optimise.num_constraints; j++) {
        const int64_t num_values = runner->constrained[j].num_values;

        fewest = num_values < fewest ? num_values : fewest;
    }
    return runner->num_rows - fewest;
}

/* Whether the share of nulls is above SPOT_RACE_MAX_NULLS, with confidence. */
static bool has_too_many_nulls(const spot_race_t *self, const spot_runner_t *runner)
{
    const int64_t num = num_nulls(self, runner);

    return num > 0 && gsl_cdf_binomial_Q((unsigned) (num - 1), SPOT_RACE_MAX_NULLS,
                          (unsigned) runner->num_rows) < 1 - self->confidence;
}

/* Whether all values are the same, and nothing says how rare others may be. */
static bool is_constant(const spot_estimate_t *estimate)
{
    return estimate->estimator != SPOT_ESTIMATOR_PROBABILITY && spot_estimate_is_constant(estimate);
}

/* Whether a metric of a point is known without chance. */
static bool has_no_chance(const spot_race_t *self, size_t point_id, size_t metric_id)
{
    return spot_study_is_fixed(self->head, point_id) ||
           spot_study_is_ruled(self->head, point_id, metric_id);
}

/* The interval of an estimate; what is known has none. */
static void find_bounds(
    const spot_race_t *self, spot_estimate_t *estimate, bool is_known, double *low, double *high)
{
    if (is_known) {
        *low = *high = spot_estimate_value(estimate);
    } else {
        spot_estimate_safe_bounds(estimate, self->confidence, low, high);
    }
}

/* A share that is not known is none. By the estimate a runner rests on what was measured;
 * it takes confidence to leave it out, but after the last round. */
static void judge_measured(spot_race_t *self, size_t point_id)
{
    const double most = spot_study_beyond(self->head, point_id).most;
    spot_runner_t *runner = &self->runners[point_id];
    double low, high;

    if (!excludes(self->head, point_id)) {
        return;
    }
    find_bounds(self, &runner->beyond,
        spot_study_is_fixed(self->head, point_id) || self->num_rows >= self->head->num_replications,
        &low, &high);
    runner->is_beyond = low > most;
    runner->is_measured = !(spot_estimate_value(&runner->beyond) > most);
}

typedef struct {
    bool is_kept, is_broken; /* with confidence */
} limit_t;

static limit_t judge_limit(const spot_race_t *self, size_t point_id, size_t constraint_id)
{
    const spot_constraint_t *constraint = &self->head->optimise.constraints[constraint_id];
    double low, high;

    find_bounds(self, &self->runners[point_id].constrained[constraint_id],
        has_no_chance(self, point_id, self->constraint_ids[constraint_id]), &low, &high);
    return (limit_t){constraint->is_upper ? high <= constraint->limit : low >= constraint->limit,
        constraint->is_upper ? low > constraint->limit : high < constraint->limit};
}

/* Whether a constant that no event is known to move may be one by rule, as memory and rent
 * of what is always there are: it is not zero, neither a time nor a share, and the metric of
 * the race does vary. Where events were not seen, or none is looked for, is_with says that
 * it is not known: see spot_find_company(). */
static bool is_by_rule(const spot_runner_t *runner, const spot_estimate_t *estimate)
{
    const spot_metric_kind_t kind = estimate->metric->kind;

    return (kind == SPOT_METRIC_PLAIN || kind == SPOT_METRIC_COST) &&
           spot_estimate_value(estimate) != 0 && !spot_estimate_is_constant(&runner->estimate);
}

/* Whether an interval says nothing of events that no replication shows, or that make the
 * largest values. That of a share does, where few replications know it. */
static bool is_doubtful(const spot_runner_t *runner, const spot_estimate_t *estimate)
{
    return (is_constant(estimate) && !spot_estimate_is_rare(estimate) &&
               !is_by_rule(runner, estimate)) ||
           spot_estimate_is_heavy(estimate);
}

/* Sets is_with of the constraints' metrics, if the limits are kept or one is broken by an
 * interval that may be fooled. */
static int find_company(
    spot_race_t *self, const spot_store_t *store, size_t point_id, const limit_t *all)
{
    const spot_runner_t *runner = &self->runners[point_id];
    bool is_any = false;

    memset(self->is_with, 0, self->head->num_metrics * sizeof(*self->is_with));
    memset(self->is_asked, 0, self->head->num_metrics * sizeof(*self->is_asked));
    for (size_t j = 0; j < self->head->optimise.num_constraints; j++) {
        const spot_estimator_t estimator = runner->constrained[j].estimator;

        if (estimator == SPOT_ESTIMATOR_MEAN || estimator == SPOT_ESTIMATOR_RATIO) {
            self->is_asked[self->constraint_ids[j]] = true;
            is_any = true;
        }
    }
    return is_any && (all->is_broken || all->is_kept || runner->is_feasible)
               ? spot_find_company(store, point_id, runner->num_rows, self->is_asked, self->is_with)
               : 0;
}

/* Sets what all constraints are. Limits that doubtful intervals keep or break are open. */
static void judge_limits(spot_race_t *self, size_t point_id, limit_t *all)
{
    spot_runner_t *runner = &self->runners[point_id];

    *all = (limit_t){.is_kept = true};
    runner->is_doubtful = false;
    for (size_t j = 0; j < self->head->optimise.num_constraints; j++) {
        const limit_t limit = judge_limit(self, point_id, j);

        if (!has_no_chance(self, point_id, self->constraint_ids[j]) &&
            (limit.is_kept || limit.is_broken) &&
            (self->is_with[self->constraint_ids[j]] ||
                is_doubtful(runner, &runner->constrained[j]))) {
            runner->is_doubtful = true;
            all->is_kept = false;
        } else {
            all->is_kept = all->is_kept && limit.is_kept;
            all->is_broken = all->is_broken || limit.is_broken;
        }
    }
}

/* Limits that are certainly kept stay so, as all intervals hold at once; but not if more
 * replications show that an interval was fooled. */
static int judge_alone(spot_race_t *self, const spot_store_t *store, size_t point_id)
{
    const size_t num_constraints = self->head->optimise.num_constraints;
    spot_runner_t *runner = &self->runners[point_id];
    const bool is_fixed = spot_study_is_fixed(self->head, point_id);
    limit_t all;
    int ret = 0;

    runner->is_constant = false;
    for (size_t j = 0; j < num_constraints; j++) {
        runner->is_constant =
            runner->is_constant || (!has_no_chance(self, point_id, self->constraint_ids[j]) &&
                                       is_constant(&runner->constrained[j]));
    }
    memset(self->is_with, 0, self->head->num_metrics * sizeof(*self->is_with));
    judge_limits(self, point_id, &all);
    if (!is_fixed && num_constraints > 0) {
        ret = find_company(self, store, point_id, &all);
        judge_limits(self, point_id, &all);
    }
    runner->is_feasible = all.is_kept || (runner->is_feasible && !runner->is_doubtful);
    judge_measured(self, point_id);
    if (has_too_many_nulls(self, runner)) {
        take_out(self, point_id, SPOT_FATE_UNDEFINED);
    } else if (all.is_broken) {
        take_out(self, point_id, SPOT_FATE_INFEASIBLE);
    }
    return ret;
}

/* Whether a point may dominate others. */
static bool can_lead(const spot_race_t *self, spot_runner_t *runner)
{
    return runner->fate == SPOT_FATE_RACING && runner->is_feasible &&
           runner->estimate.num_values >= 2 && isfinite(spot_estimate_value(&runner->estimate)) &&
           (double) num_nulls(self, runner) <= SPOT_RACE_MAX_NULLS * (double) runner->num_rows;
}

static bool is_better(const spot_race_t *self, double value, double other)
{
    return self->head->optimise.is_maximised ? value > other : value < other;
}

/* 0: it rests on what was measured; 1: that is open; 2: it does not. */
static int rank_of(const spot_runner_t *runner)
{
    return runner->is_measured ? 0 : runner->is_beyond ? 2 : 1;
}

/* The best of those that rest least on what was not measured. */
static void find_best(spot_race_t *self)
{
    self->has_best = false;
    for (size_t j = 0; j < self->head->num_points; j++) {
        spot_runner_t *runner = &self->runners[j];
        spot_runner_t *best = &self->runners[self->best_id];

        if (can_lead(self, runner) &&
            (!self->has_best || rank_of(runner) < rank_of(best) ||
                (rank_of(runner) == rank_of(best) &&
                    is_better(self, spot_estimate_value(&runner->estimate),
                        spot_estimate_value(&best->estimate))))) {
            self->has_best = true;
            self->best_id = j;
        }
    }
}

/* Bounds of the mean of x - y, replication by replication. Of probabilities they are
 * those of the share of replications in which x alone holds less that in which y does.
 */
static void compare_rows(const spot_race_t *self, const spot_runner_t *x, const spot_runner_t *y,
    bool *is_constant, double *low, double *high)
{
    const bool is_binary = x->estimate.estimator == SPOT_ESTIMATOR_PROBABILITY;
    const double confidence = (1 + self->confidence) / 2; /* two intervals */
    spot_skewed_t difference = {0};
    double num[2] = {0}, lows[2], highs[2];

    for (int64_t j = 0; j < x->num_rows; j++) {
        const double step = runner_value(x, j) - runner_value(y, j);

        if (isfinite(step)) { /* neither is null */
            spot_skewed_add(&difference, step);
            num[0] += step > 0;
            num[1] += step < 0;
        }
    }
    spot_skewed_bounds(&difference, self->confidence, low, high);
    *is_constant = difference.moments.num_values >= 2 && difference.moments.sum_squares == 0;
    if (is_binary) {
        for (int j = 0; j < 2; j++) {
            spot_binomial_bounds(
                num[j], (double) difference.moments.num_values, confidence, &lows[j], &highs[j]);
        }
        *is_constant = false;
        *low = lows[0] - highs[1];
        *high = highs[0] - lows[1];
    }
}

/* Bounds of x - y from the intervals of both: of quantiles, of events that were hardly seen,
 * and of points that are known. */
static void compare_intervals(const spot_race_t *self, spot_runner_t *x, spot_runner_t *y,
    bool is_known, double *low, double *high)
{
    const double confidence = (1 + self->confidence) / 2;
    double lows[2], highs[2];

    spot_estimate_safe_bounds(&x->estimate, confidence, &lows[0], &highs[0]);
    spot_estimate_safe_bounds(&y->estimate, confidence, &lows[1], &highs[1]);
    if (is_known) {
        lows[0] = highs[0] = spot_estimate_value(&x->estimate);
        lows[1] = highs[1] = spot_estimate_value(&y->estimate);
    }
    *low = lows[0] - highs[1];
    *high = highs[0] - lows[1];
}

/* Whether the metric of the race counts events of which a point shows hardly any. */
static bool is_unseen(const spot_race_t *self, size_t point_id)
{
    return spot_estimate_is_unseen(&self->runners[point_id].estimate) &&
           !has_no_chance(self, point_id, self->metric_id);
}

/* Compares a point with the best. One that rests less on what was not measured stays: it
 * wins once it is known to keep the limits. */
static void judge_against_best(spot_race_t *self, size_t point_id)
{
    spot_runner_t *runner = &self->runners[point_id];
    spot_runner_t *best = &self->runners[self->best_id];
    const bool is_known =
        spot_study_is_fixed(self->head, point_id) && spot_study_is_fixed(self->head, self->best_id);
    bool is_constant = false;
    double low, high, behind;

    if (runner->is_beyond && best->is_measured) {
        take_out(self, point_id, SPOT_FATE_UNMEASURED);
        return;
    }
    if (rank_of(runner) < rank_of(best)) {
        runner->gain = (double) INFINITY;
        return;
    }
    if (is_known || runner->estimate.estimator == SPOT_ESTIMATOR_QUANTILE ||
        is_unseen(self, point_id) || is_unseen(self, self->best_id)) {
        compare_intervals(self, runner, best, is_known, &low, &high);
    } else {
        compare_rows(self, runner, best, &is_constant, &low, &high);
    }
    behind = self->head->optimise.is_maximised ? -high : low;
    runner->is_constant = runner->is_constant || is_constant;
    if (behind > 0) {
        take_out(self, point_id, SPOT_FATE_DOMINATED);
    } else {
        runner->gain = isfinite(behind) ? fmax(-behind, 0) : (double) INFINITY;
    }
}

static int judge_round(spot_race_t *self, const spot_store_t *store)
{
    const size_t num_points = self->head->num_points;
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < num_points; j++) {
        if (self->runners[j].fate == SPOT_FATE_RACING) {
            ret = judge_alone(self, store, j);
        }
    }
    find_best(self);
    for (size_t j = 0; self->has_best && j < num_points; j++) {
        if (j != self->best_id && self->runners[j].fate == SPOT_FATE_RACING) {
            judge_against_best(self, j);
        }
    }
    if (self->has_best) {
        spot_runner_t *best = &self->runners[self->best_id];

        best->gain = 0;
        best->is_constant = best->is_constant || (!spot_study_is_fixed(self->head, self->best_id) &&
                                                     is_constant(&best->estimate));
    }
    return ret;
}

bool spot_race_is_decided(const spot_race_t *self)
{
    spot_runner_t *best = &self->runners[self->best_id];

    return self->num_racing == 0 ||
           (self->has_best &&
               (self->num_racing == 1 ||
                   spot_race_regret(self) <= self->head->optimise.indifference *
                                                 fabs(spot_estimate_value(&best->estimate))));
}

int spot_race_advance(spot_race_t *self, const spot_store_t *store)
{
    const int64_t target = spot_race_target(self);
    int ret = 0;

    spot_bug_assert(!self->is_over);
    for (size_t j = 0; ret == 0 && j < self->head->num_points; j++) {
        if (self->runners[j].fate == SPOT_FATE_RACING) {
            ret = read_round(self, store, j, target);
        }
    }
    if (ret == 0) {
        self->num_rows = target;
        ret = judge_round(self, store);
        self->is_over = spot_race_is_decided(self) || target >= self->head->num_replications;
    }
    return ret;
}

/* Whether the store has the replications [first, end) of a point, without a gap. */
static bool has_rows(const spot_store_t *store, size_t point_id, int64_t first, int64_t end)
{
    const int64_t size = spot_study_batch_size(store->head);

    if (spot_study_is_fixed(store->head, point_id)) {
        return store->num_there(store, point_id, 0) > 0;
    }
    for (int64_t j = first / size * size; j < end; j += size) {
        const int64_t wanted = end - j < size ? end - j : size;

        if (store->num_there(store, point_id, j) < wanted) {
            return false;
        }
    }
    return true;
}

int spot_race_replay(spot_race_t *self, const spot_store_t *store)
{
    int ret = 0;

    while (ret == 0 && !self->is_over) {
        const int64_t target = spot_race_target(self);

        for (size_t j = 0; j < self->head->num_points; j++) {
            if (self->runners[j].fate == SPOT_FATE_RACING &&
                !has_rows(store, j, self->num_rows, target)) {
                return 0;
            }
        }
        ret = spot_race_advance(self, store);
    }
    return ret;
}

size_t spot_race_num_feasible(const spot_race_t *self)
{
    size_t num = 0;

    for (size_t j = 0; j < self->head->num_points; j++) {
        const spot_runner_t *runner = &self->runners[j];

        num += runner->is_feasible &&
               (runner->fate == SPOT_FATE_RACING || runner->fate == SPOT_FATE_DOMINATED);
    }
    return num;
}

spot_verdict_t spot_race_verdict(const spot_race_t *self)
{
    return spot_race_num_feasible(self) > 0 ? SPOT_VERDICT_YES
           : self->num_racing == 0          ? SPOT_VERDICT_NO
                                            : SPOT_VERDICT_UNDECIDED;
}

double spot_race_regret(const spot_race_t *self)
{
    double regret = self->has_best ? 0 : (double) INFINITY;

    for (size_t j = 0; j < self->head->num_points; j++) {
        if (self->runners[j].fate == SPOT_FATE_RACING) {
            regret = fmax(regret, self->runners[j].gain);
        }
    }
    return regret;
}
