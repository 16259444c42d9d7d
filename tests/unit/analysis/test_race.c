/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rules of a race, on rows that are made up: who is out, who leads, when it ends,
 * and what the answer says. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "sim/bench/analysis/race.h"

#define BATCH_ROWS 64 /* of the study */

#define MAX_POINTS 6
#define LIMIT 0.5

/* A study of one key with the cost of its points; the second metric is limited. */
typedef struct {
    spot_study_head_t head;
    spot_axis_t axis;
    spot_metric_t metrics[2];
    char *texts[MAX_POINTS];
    double numbers[MAX_POINTS];
    spot_constraint_t constraint;
    spot_store_t *store;
    /* Of each point: */
    double means[MAX_POINTS];
    double limited[MAX_POINTS]; /* mean of the second metric */
    double noise[MAX_POINTS];   /* of the point's own, in both metrics */
    int null_every[MAX_POINTS]; /* replications; 0: never */
    bool is_cost_share;         /* the first metric is the share of events, */
    int event_every;            /* replications; 0: never */
    double event;               /* what one adds to the second metric */
    double spread;              /* of the second metric, beside */
} race_case_t;

static char cost_name[] = "cost", limited_name[] = "share", key_name[] = "key", value_text[] = "?";

static void setup(race_case_t *self, size_t num_points)
{
    memset(self, 0, sizeof(*self));
    self->metrics[0] = (spot_metric_t){.name = cost_name, .unit = "USD"};
    self->metrics[1] = (spot_metric_t){.name = limited_name, .unit = "1"};
    self->axis = (spot_axis_t){
        .path = key_name, .num_values = num_points, .texts = self->texts, .numbers = self->numbers};
    self->head = (spot_study_head_t){.seed = 1,
        .batch_replications = 64,
        .num_replications = 1000,
        .min_replications = 64,
        .optimise = {.metric = cost_name, .confidence = 0.95, .indifference = 1e-3},
        .num_axes = 1,
        .axes = &self->axis,
        .num_points = num_points,
        .num_metrics = 2,
        .metrics = self->metrics};
    for (size_t j = 0; j < num_points; j++) {
        self->texts[j] = value_text;
        self->numbers[j] = (double) j;
        self->means[j] = 10 + (double) j;
    }
}

static void limit_share(race_case_t *self)
{
    self->constraint =
        (spot_constraint_t){.metric = limited_name, .limit = LIMIT, .is_upper = true};
    self->spread = 1e-3;
    self->head.optimise.num_constraints = 1;
    self->head.optimise.constraints = &self->constraint;
}

/* A number in [-1, 1) with mean 0, the same whenever it is asked for. */
static double noise(int64_t replication, size_t source_id)
{
    spot_rng_t rng;

    spot_rng_seek(&rng, 1, (uint64_t) replication, SPOT_STREAM_TYPE, source_id);
    return 2 * spot_rng_uniform(&rng) - 1;
}

static void put_event(const race_case_t *self, int64_t replication, double *row)
{
    const bool is_there = self->event_every > 0 && replication % self->event_every == 5;

    row[1] += is_there ? self->event : 0;
    row[0] = self->is_cost_share ? (is_there ? 0.5 : 0) : row[0];
}

static void put_rows(race_case_t *self, size_t point_id, int64_t first, int64_t end)
{
    const int64_t size = BATCH_ROWS;

    for (int64_t begin = first; begin < end; begin = (begin / size + 1) * size) {
        const int64_t batch_end = (begin / size + 1) * size;
        const int64_t stop = batch_end < end ? batch_end : end;
        double rows[BATCH_ROWS][2];

        for (int64_t j = begin; j < stop; j++) {
            const double own = self->noise[point_id] * noise(j, point_id);
            const bool is_null =
                self->null_every[point_id] > 0 && j % self->null_every[point_id] == 0;

            rows[j - begin][0] =
                is_null ? (double) NAN : self->means[point_id] + 3 * noise(j, MAX_POINTS) + own;
            rows[j - begin][1] = self->limited[point_id] + own;
            rows[j - begin][1] += self->spread * noise(j, MAX_POINTS + 1 + point_id);
            put_event(self, j, rows[j - begin]);
        }
        assert_int_equal(
            self->store->put(self->store,
                &(spot_piece_t){point_id, begin, (size_t) (stop - begin), &rows[0][0], NULL}),
            0);
    }
}

/* The answer for the first num_rows replications of all points. */
static spot_race_answer_t answer_of(race_case_t *self, int64_t num_rows)
{
    spot_race_answer_t answer;

    assert_int_equal(spot_store_open_memory(&self->store, &self->head), 0);
    for (size_t j = 0; j < self->head.num_points; j++) {
        put_rows(self, j, 0, num_rows);
    }
    assert_int_equal(spot_race_answer_init(&answer, self->store), 0);
    self->store->close(self->store);
    return answer;
}

static void assert_fates(const spot_race_answer_t *answer, const char *fates)
{
    for (size_t j = 0; j < strlen(fates); j++) {
        const char fate = spot_fate_names[answer->race.runners[j].fate][0];

        if (fate != fates[j]) {
            fail_msg("point %zu is %c, not %c", j, fate, fates[j]);
        }
    }
}

/* Each a half more than the one before, in whole batches, up to the maximum. */
static void test_rounds(void **state)
{
    static const int64_t ends[] = {64, 128, 192, 320, 512, 768, 1000};
    race_case_t self;
    spot_race_t race;

    (void) state;
    setup(&self, 2);
    self.means[1] = self.means[0];
    self.noise[1] = 1; /* not told apart */
    self.head.optimise.indifference = 0;
    assert_int_equal(spot_store_open_memory(&self.store, &self.head), 0);
    put_rows(&self, 0, 0, 1000);
    put_rows(&self, 1, 0, 1000);
    assert_int_equal(spot_race_init(&race, &self.head), 0);
    for (size_t j = 0; j < sizeof(ends) / sizeof(ends[0]); j++) {
        assert_false(race.is_over);
        assert_int_equal(spot_race_target(&race), ends[j]);
        assert_int_equal(spot_race_advance(&race, self.store), 0);
        assert_int_equal(race.num_rows, ends[j]);
        assert_int_equal(race.runners[1].num_rows, ends[j]);
    }
    assert_true(race.is_over);
    assert_false(spot_race_is_decided(&race));
    /* 7 rounds, 2 points, an interval against the best and one for nulls */
    assert_true(fabs(1 - race.confidence - 0.05 / 28) < 1e-15);
    spot_race_free(&race);
    self.store->close(self.store);
}

static void test_worse_points_stop(void **state)
{
    race_case_t self;
    spot_race_answer_t answer;

    (void) state;
    setup(&self, 4);
    self.means[2] = 10.01; /* within the noise */
    self.noise[2] = 1;
    answer = answer_of(&self, 1000);
    assert_fates(&answer, "rdrd");
    assert_int_equal(answer.race.best_id, 0);
    assert_int_equal(answer.race.runners[1].num_rows, 64);
    assert_int_equal(answer.race.runners[2].num_rows, 1000);
    assert_int_equal(answer.num_runs, 2 * 64 + 2 * 1000);
    assert_int_equal(answer.num_runs_of_grid, 4000);
    assert_int_equal(answer.num_runs_of_plan, 4000);
    assert_int_equal(answer.num_constant, 0);
    assert_true(answer.regret > 0 && answer.regret < 0.2);
    assert_true(answer.sureness > 0.5 && answer.sureness <= 1);
    spot_race_answer_free(&answer);

    self.head.optimise.is_maximised = true;
    answer = answer_of(&self, 1000);
    assert_fates(&answer, "dddr");
    assert_int_equal(answer.race.best_id, 3);
    assert_true(answer.regret == 0 && answer.sureness == 1);
    spot_race_answer_free(&answer);
}

/* What is cheaper but may not be had takes nobody out. */
static void test_only_feasible_points_lead(void **state)
{
    race_case_t self;
    spot_race_answer_t answer;

    (void) state;
    setup(&self, 4);
    limit_share(&self);
    self.limited[0] = LIMIT + 0.01; /* broken, with hardly any noise */
    self.limited[1] = LIMIT;        /* not known: the mean of its noise is 0 */
    self.noise[1] = 1;
    self.limited[2] = LIMIT - 0.01; /* kept */
    answer = answer_of(&self, 1000);
    assert_fates(&answer, "irrd");
    assert_int_equal(answer.race.best_id, 2);
    assert_int_equal(answer.num_undecided, 1);
    assert_true(answer.regret > 1); /* point 1, if it may be had */
    assert_false(spot_race_is_decided(&answer.race));
    spot_race_answer_free(&answer);

    self.constraint.is_upper = false;
    answer = answer_of(&self, 1000);
    assert_fates(&answer, "rdii"); /* 1 is dominated whether or not it may be had */
    assert_int_equal(answer.race.best_id, 0);
    spot_race_answer_free(&answer);
}

static void assert_verdict(race_case_t *self, spot_verdict_t verdict, bool is_doubtful)
{
    spot_race_answer_t answer = answer_of(self, 64);

    assert_int_equal(spot_race_verdict(&answer.race), verdict);
    assert_int_equal(answer.race.runners[0].is_doubtful, is_doubtful);
    assert_int_equal(answer.num_doubtful, is_doubtful);
    spot_race_answer_free(&answer);
}

/* Values that are all the same, or go with events that are hardly seen, or whose tail is
 * heavy, show nothing of a limit on a mean. */
static void test_doubtful_limits(void **state)
{
    bool is_ruled[2] = {false, true};
    spot_point_kind_t kind = {.is_ruled = is_ruled};
    race_case_t self;

    (void) state;
    setup(&self, 1);
    limit_share(&self);
    self.head.num_replications = 64;
    assert_verdict(&self, SPOT_VERDICT_YES, false);
    self.spread = 0;
    assert_verdict(&self, SPOT_VERDICT_UNDECIDED, true);
    self.limited[0] = LIMIT + 1;
    assert_verdict(&self, SPOT_VERDICT_UNDECIDED, true); /* no event that could move it is seen */
    self.head.num_kinds = 1;
    self.head.kinds = &kind;
    assert_verdict(&self, SPOT_VERDICT_NO, false); /* a size is so by rule */
    self.limited[0] = LIMIT - 0.1;
    assert_verdict(&self, SPOT_VERDICT_YES, false);
    self.limited[0] = LIMIT + 1;
    self.head.num_kinds = 0;
    self.metrics[1].kind = SPOT_METRIC_TIME; /* a time is not: nor is it shown to break it */
    assert_verdict(&self, SPOT_VERDICT_UNDECIDED, true);
    self.metrics[1].kind = SPOT_METRIC_PROBABILITY; /* whose interval knows of rare events */
    self.limited[0] = 0;
    assert_verdict(&self, SPOT_VERDICT_YES, false);
    self.metrics[1].kind = SPOT_METRIC_SHARE; /* so does that of a share */
    assert_verdict(&self, SPOT_VERDICT_YES, false);

    self.metrics[1].kind = SPOT_METRIC_PLAIN;
    self.event_every = 32;
    self.event = 0.13;
    self.spread = 0.05;
    assert_verdict(&self, SPOT_VERDICT_YES, false);
    self.metrics[0].kind = SPOT_METRIC_SHARE;
    self.is_cost_share = true;
    assert_verdict(&self, SPOT_VERDICT_UNDECIDED, true);
    self.event = 0; /* goes with nothing */
    assert_verdict(&self, SPOT_VERDICT_YES, false);
    self.metrics[0].kind = SPOT_METRIC_PLAIN;
    self.is_cost_share = false;
    self.event = 1; /* in two replications */
    assert_verdict(&self, SPOT_VERDICT_UNDECIDED, true);
}

static void test_nothing_is_feasible(void **state)
{
    race_case_t self;
    spot_race_answer_t answer;

    (void) state;
    setup(&self, 3);
    limit_share(&self);
    for (size_t j = 0; j < 3; j++) {
        self.limited[j] = LIMIT + 1;
    }
    answer = answer_of(&self, 64);
    assert_fates(&answer, "iii");
    assert_true(answer.race.is_over && !answer.race.has_best);
    assert_true(isinf(answer.regret) && isnan(answer.sureness));
    assert_int_equal(answer.ranges[0].num_racing, 0);
    spot_race_answer_free(&answer);
}

/* One null in 70 is too many, one in 400 is not; to be sure takes replications. */
static void test_nulls(void **state)
{
    race_case_t self;
    spot_race_answer_t answer;

    (void) state;
    setup(&self, 3);
    self.null_every[0] = 70;
    self.null_every[1] = 400;
    self.means[1] = 20;
    answer = answer_of(&self, 1000);
    assert_int_equal(answer.race.best_id, 2);
    assert_fates(&answer, "rdr"); /* as good as point 0 is, it does not lead */
    assert_false(spot_race_is_decided(&answer.race));
    spot_race_answer_free(&answer);

    self.means[1] = 9;
    answer = answer_of(&self, 1000);
    assert_fates(&answer, "drd");
    assert_int_equal(answer.race.num_rows, 128); /* one null in 64 does not lead */
    spot_race_answer_free(&answer);

    self.null_every[0] = 4;
    self.null_every[1] = 1;
    self.means[0] = 1;
    answer = answer_of(&self, 1000);
    assert_fates(&answer, "uur");
    spot_race_answer_free(&answer);

    self.null_every[2] = 1;
    answer = answer_of(&self, 1000);
    assert_fates(&answer, "uuu");
    assert_true(answer.race.is_over && !answer.race.has_best);
    spot_race_answer_free(&answer);
}

/* Kinds of points whose second metric says how much of them was not measured. */
static char not_measured[] = "rests on sizes 4 and 8";
static spot_point_kind_t beyond_kinds[] = {{.is_fixed = false},
    {.beyond_metric = limited_name, .beyond_most = LIMIT, .beyond_words = not_measured}};

static void set_beyond(race_case_t *self, uint32_t *kind_ids, bool only_warns)
{
    beyond_kinds[1].beyond_warns = only_warns;
    self->head.num_kinds = 2;
    self->head.kinds = beyond_kinds;
    self->head.kind_ids = kind_ids;
}

static void assert_fate(const spot_race_answer_t *answer, size_t point_id, spot_fate_t fate)
{
    assert_string_equal(
        spot_fate_names[answer->race.runners[point_id].fate], spot_fate_names[fate]);
}

/* What rests on more than was measured is out if another point does not, however cheap
 * it is; the limit itself is allowed. */
static void test_unmeasured_points_are_left_out(void **state)
{
    uint32_t kind_ids[] = {1, 1, 0, 1};
    race_case_t self;
    spot_race_answer_t answer;

    (void) state;
    setup(&self, 4);
    set_beyond(&self, kind_ids, false);
    self.limited[0] = LIMIT + 0.01;
    self.limited[1] = LIMIT;
    self.limited[2] = 1; /* of no meaning there */
    answer = answer_of(&self, 1000);
    assert_fate(&answer, 0, SPOT_FATE_UNMEASURED);
    assert_fate(&answer, 1, SPOT_FATE_RACING);
    assert_fate(&answer, 2, SPOT_FATE_DOMINATED);
    assert_fate(&answer, 3, SPOT_FATE_DOMINATED);
    assert_int_equal(answer.race.best_id, 1);
    assert_null(spot_race_beyond(&answer.race, 1));
    assert_int_equal(answer.num_points[SPOT_FATE_UNMEASURED], 1);
    /* One round of 64; 4 points, 2 intervals each, and one for each that may be out. */
    assert_int_equal(answer.race.num_rows, 64);
    assert_true(fabs(1 - answer.race.confidence - 0.05 / (7 * (4 * 2 + 3))) < 1e-15);
    spot_race_answer_free(&answer);

    set_beyond(&self, kind_ids, true); /* it only warns */
    answer = answer_of(&self, 1000);
    assert_fates(&answer, "rddd");
    assert_string_equal(spot_race_beyond(&answer.race, 0), not_measured);
    assert_null(spot_race_beyond(&answer.race, 1));
    assert_true(fabs(1 - answer.race.confidence - 0.05 / (7 * 4 * 2)) < 1e-15);
    spot_race_answer_free(&answer);
}

/* Nothing else keeps the limits: the best of what is left, which says so. */
static void test_unmeasured_points_are_the_last_resort(void **state)
{
    uint32_t kind_ids[] = {1, 1, 0};
    race_case_t self;
    spot_race_answer_t answer;

    (void) state;
    setup(&self, 3);
    set_beyond(&self, kind_ids, false);
    self.constraint =
        (spot_constraint_t){.metric = cost_name, .limit = self.means[1] + 0.5, .is_upper = true};
    self.head.optimise.num_constraints = 1;
    self.head.optimise.constraints = &self.constraint;
    self.limited[0] = self.limited[1] = 1;
    answer = answer_of(&self, 1000);
    assert_fates(&answer, "rdi");
    assert_int_equal(answer.race.best_id, 0);
    assert_string_equal(spot_race_beyond(&answer.race, 0), not_measured);
    spot_race_answer_free(&answer);

    /* As long as it is open whether a measured point keeps them, it may be the best. */
    self.constraint.limit = 12;
    self.noise[2] = 3;
    answer = answer_of(&self, 64);
    assert_int_equal(answer.race.best_id, 0);
    assert_fate(&answer, 2, SPOT_FATE_RACING);
    assert_false(answer.race.runners[2].is_feasible);
    assert_true(isinf(answer.race.runners[2].gain) && !answer.race.is_over);
    spot_race_answer_free(&answer);
}

/* The share of point 0 is too near the limit to be sure: after the last round its
 * estimate decides, which is what is printed. */
static void test_unmeasured_share_near_the_limit(void **state)
{
    uint32_t kind_ids[] = {1, 0};

    (void) state;
    for (int j = -1; j <= 1; j += 2) {
        race_case_t self;
        spot_race_answer_t answer;
        double share;

        setup(&self, 2);
        set_beyond(&self, kind_ids, false);
        self.means[1] = 10.2;
        self.limited[0] = LIMIT + 0.03 * j;
        self.noise[0] = 0.5;
        self.head.num_replications = 192;
        answer = answer_of(&self, 64);
        share = spot_estimate_value(&answer.race.runners[0].beyond);
        /* it is not left out without confidence, */
        assert_fates(&answer, share > LIMIT ? "rr" : "rd");
        assert_int_equal(answer.race.best_id, share > LIMIT); /* but a measured one leads */
        spot_race_answer_free(&answer);
        answer = answer_of(&self, 192);
        share = spot_estimate_value(&answer.race.runners[0].beyond);
        assert_true(j * (share - LIMIT) > 0);
        assert_fate(&answer, 0, j > 0 ? SPOT_FATE_UNMEASURED : SPOT_FATE_RACING);
        assert_int_equal(answer.race.best_id, j > 0);
        assert_true(answer.race.is_over);
        spot_race_answer_free(&answer);
    }
}

/* Points without a difference, or with none that matters, end a race. */
static void test_ties(void **state)
{
    race_case_t self;
    spot_race_answer_t answer;

    (void) state;
    setup(&self, 3);
    self.means[1] = self.means[0];
    answer = answer_of(&self, 1000);
    assert_fates(&answer, "rrd");
    assert_int_equal(answer.race.num_rows, 64);
    assert_true(answer.race.is_over && answer.regret == 0);
    assert_true(answer.sureness == 0.5);      /* a tie of two in all resamples */
    assert_int_equal(answer.num_constant, 1); /* the difference to the best */
    assert_int_equal(answer.num_runs_of_grid, 3 * 64);
    spot_race_answer_free(&answer);

    self.noise[1] = 0.05;
    answer = answer_of(&self, 1000);
    assert_fates(&answer, "rrd");
    assert_true(answer.race.is_over && answer.race.num_rows < 1000);
    assert_true(answer.regret > 0 && answer.regret <= 1e-3 * 10.1);
    spot_race_answer_free(&answer);
}

/* Rows beyond a round that is not whole are not looked at. */
static void test_an_unfinished_race(void **state)
{
    race_case_t self;
    spot_race_answer_t answer;
    spot_race_t race;

    (void) state;
    setup(&self, 2);
    self.means[1] = self.means[0];
    self.noise[1] = 1;
    assert_int_equal(spot_store_open_memory(&self.store, &self.head), 0);
    put_rows(&self, 0, 0, 1000);
    put_rows(&self, 1, 0, 191); /* the round ends with 192 */
    assert_int_equal(spot_race_init(&race, &self.head), 0);
    assert_int_equal(spot_race_replay(&race, self.store), 0);
    assert_false(race.is_over);
    assert_int_equal(race.num_rows, 128);
    assert_int_equal(race.runners[0].num_rows, 128);
    put_rows(&self, 1, 191, 1000);
    assert_int_equal(spot_race_replay(&race, self.store), 0);
    assert_true(race.is_over);
    assert_int_equal(race.num_rows, 1000);
    spot_race_free(&race);
    self.store->close(self.store);

    answer = answer_of(&self, 63);
    assert_int_equal(answer.race.num_rows, 0);
    assert_fates(&answer, "rr");
    assert_true(!answer.race.has_best && isinf(answer.regret));
    assert_int_equal(answer.num_runs, 0);
    spot_race_answer_free(&answer);
}

/* The values need not be in order. */
static void test_ranges(void **state)
{
    static const double numbers[] = {40, 10, 30, 20, 60, 50};
    static const double means[] = {1, 16, 1, 14, 15, 13};
    race_case_t self;
    spot_race_answer_t answer;

    (void) state;
    setup(&self, 6);
    memcpy(self.numbers, numbers, sizeof(numbers));
    memcpy(self.means, means, sizeof(means)); /* 40 and 30 tie */
    answer = answer_of(&self, 64);
    assert_fates(&answer, "rdrddd");
    assert_true(answer.ranges[0].is_numeric);
    assert_int_equal(answer.ranges[0].num_racing, 2);
    assert_int_equal(answer.ranges[0].low_id, 2);
    assert_int_equal(answer.ranges[0].high_id, 0);
    assert_int_equal(answer.ranges[0].below_id, 3);
    assert_int_equal(answer.ranges[0].above_id, 5);
    spot_race_answer_free(&answer);

    for (size_t j = 0; j < 6; j++) {
        self.means[j] = numbers[j] / 5; /* 10, the end of the plan */
    }
    answer = answer_of(&self, 64);
    assert_int_equal(answer.ranges[0].low_id, 1);
    assert_int_equal(answer.ranges[0].high_id, 1);
    assert_true(answer.ranges[0].below_id == SPOT_NO_VALUE);
    assert_int_equal(answer.ranges[0].above_id, 3);
    spot_race_answer_free(&answer);

    self.numbers[5] = (double) NAN; /* a text among them */
    answer = answer_of(&self, 64);
    assert_true(answer.ranges[0].below_id == SPOT_NO_VALUE);
    assert_true(answer.ranges[0].above_id == SPOT_NO_VALUE);
    assert_false(answer.ranges[0].is_numeric);
    assert_int_equal(answer.ranges[0].num_racing, 1);
    spot_race_answer_free(&answer);
}

static void assert_no_neighbours(const spot_race_answer_t *answer, bool is_limited)
{
    assert_true(answer->ranges[0].below_id == SPOT_NO_VALUE);
    assert_true(answer->ranges[0].above_id == SPOT_NO_VALUE);
    assert_int_equal(answer->ranges[0].is_limited, is_limited);
}

/* The curve has its optimum at 3, where a constraint is broken; among those that keep it
 * its neighbour is best. */
static void test_neighbours_out_for_other_reasons(void **state)
{
    static const double means[] = {14, 12, 10, 9, 10, 12};
    race_case_t self;
    spot_race_answer_t answer;

    (void) state;
    setup(&self, 6);
    limit_share(&self);
    memcpy(self.means, means, sizeof(means));
    answer = answer_of(&self, 64);
    assert_fates(&answer, "dddrdd");
    assert_int_equal(answer.ranges[0].below_id, 2);
    assert_int_equal(answer.ranges[0].above_id, 4);
    assert_false(answer.ranges[0].is_limited);
    spot_race_answer_free(&answer);

    for (size_t j = 3; j < 6; j++) {
        self.limited[j] = LIMIT + 1;
    }
    answer = answer_of(&self, 64);
    assert_fates(&answer, "ddriii");
    assert_no_neighbours(&answer, true);
    spot_race_answer_free(&answer);

    for (size_t j = 3; j < 6; j++) {
        self.limited[j] = 0;
    }
    self.null_every[4] = 2;
    answer = answer_of(&self, 1000);
    assert_int_equal(answer.race.runners[4].fate, SPOT_FATE_UNDEFINED);
    assert_no_neighbours(&answer, false);
    spot_race_answer_free(&answer);
}

/* Worse and then better again beyond all noise: not one optimum. */
static void test_several_optima(void **state)
{
    static const double means[] = {12, 10, 12, 16, 12, 16};
    race_case_t self;
    spot_race_answer_t answer;

    (void) state;
    setup(&self, 6);
    memcpy(self.means, means, sizeof(means));
    answer = answer_of(&self, 64);
    assert_fates(&answer, "drdddd");
    assert_no_neighbours(&answer, false);
    spot_race_answer_free(&answer);

    self.means[4] = 15.9; /* within the noise of 16 */
    answer = answer_of(&self, 64);
    assert_fates(&answer, "drdddd");
    assert_int_equal(answer.ranges[0].below_id, 0);
    assert_int_equal(answer.ranges[0].above_id, 2);
    spot_race_answer_free(&answer);

    self.means[3] = self.means[1]; /* left, and one between them is not */
    answer = answer_of(&self, 64);
    assert_fates(&answer, "drdrdd");
    assert_no_neighbours(&answer, false);
    spot_race_answer_free(&answer);

    for (size_t j = 0; j < 6; j++) {
        self.means[j] = -means[j];
    }
    self.head.optimise.is_maximised = true;
    answer = answer_of(&self, 64);
    assert_fates(&answer, "drdddd");
    assert_no_neighbours(&answer, false);
    spot_race_answer_free(&answer);
}

/* Constrained values without spread are told of, too. */
static void test_constant_values(void **state)
{
    race_case_t self;
    spot_race_answer_t answer;

    (void) state;
    setup(&self, 3);
    limit_share(&self);
    self.spread = 0;
    self.means[1] = self.means[0];
    self.noise[1] = 0.1; /* in both metrics */
    answer = answer_of(&self, 64);
    assert_fates(&answer, "rrd");
    assert_int_equal(answer.num_constant, 1); /* share at point 0 */
    spot_race_answer_free(&answer);

    self.noise[0] = 0.1;
    answer = answer_of(&self, 64);
    assert_fates(&answer, "rrd");
    assert_int_equal(answer.num_constant, 0);
    spot_race_answer_free(&answer);
}

/* Events that no replication shows at both points of a race: either may be the better one. */
static void test_events_hardly_seen(void **state)
{
    race_case_t self;
    spot_race_answer_t answer;

    (void) state;
    setup(&self, 2);
    self.metrics[0].kind = SPOT_METRIC_SHARE;
    self.is_cost_share = true; /* 0 at both */
    answer = answer_of(&self, 64);
    assert_fates(&answer, "rr");
    assert_true(answer.regret > 0.04);
    assert_int_equal(answer.num_constant, 1);
    spot_race_answer_free(&answer);
}

/* An answer that the rows leave open is not called sure. */
static void test_sureness(void **state)
{
    race_case_t self;
    spot_race_answer_t answer;

    (void) state;
    setup(&self, 2);
    self.means[1] = self.means[0] + 1e-9;
    self.noise[0] = self.noise[1] = 1;
    self.head.optimise.indifference = 0;
    answer = answer_of(&self, 1000);
    assert_fates(&answer, "rr");
    assert_true(answer.sureness > 0.3 && answer.sureness < 0.7);
    spot_race_answer_free(&answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rounds),
        cmocka_unit_test(test_worse_points_stop),
        cmocka_unit_test(test_only_feasible_points_lead),
        cmocka_unit_test(test_doubtful_limits),
        cmocka_unit_test(test_nothing_is_feasible),
        cmocka_unit_test(test_nulls),
        cmocka_unit_test(test_unmeasured_points_are_left_out),
        cmocka_unit_test(test_unmeasured_points_are_the_last_resort),
        cmocka_unit_test(test_unmeasured_share_near_the_limit),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_an_unfinished_race),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_neighbours_out_for_other_reasons),
        cmocka_unit_test(test_several_optima),
        cmocka_unit_test(test_constant_values),
        cmocka_unit_test(test_events_hardly_seen),
        cmocka_unit_test(test_sureness),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
