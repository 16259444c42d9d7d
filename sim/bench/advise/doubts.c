/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Break-evens: between which factors of what may be otherwise the answer becomes another
 * one, because it no longer keeps its limits or because the best of another market keeps
 * them for less.
 *
 * At a factor the answer and its rivals are run on the same events until they show that
 * the answer stays or that it changes, or runs are used up and it is open. The nearer end
 * of the interval is the last factor at which it is shown to stay, the farther end the
 * first one at which it is shown to change; both are found by halving the logarithm. All
 * factors have the same random numbers, so that what is shown at one factor is shown, but
 * for small noise, beyond it too: the interval misses the true factor only where the test
 * at that factor itself is wrong, and needs no correction for the number of factors. */
#include <math.h>
#include <string.h>

#include "sim/bench/advise/advise_internal.h"

/* Of the runs that are left, those of a factor. */
#define LOOK_SHARE (1.0 / 64)

/* Runs of the first look at a factor, by how much they grow, and fewer runs than which
 * nothing is shown. */
enum { FIRST_LOOK = 128, GROWTH = 4, LEAST_RUNS = 64, MAX_COMPARED = 4 };

/* How near the ends come to where they change: a share of the way, or of what lies
 * between them, which more looks would hardly make less. */
#define RESOLUTION (1.0 / 64)
#define RESOLUTION_BETWEEN (1.0 / 8)

/* The seed of these runs, which neither the search nor the verdict has seen. */
#define FACTORS UINT64_C(0x5851f42d4c957f2d)

typedef enum { STAYS, CHANGES, OPEN } state_t;

/* What of the answer a factor leaves as it is: what is decided at factor 1, with more runs
 * than here, is decided there too. */
typedef struct {
    bool is_goal_same, is_cost_same;
} same_t;

typedef struct {
    spot_advising_t *advising;
    const spot_advice_doubt_t *doubt;
    bool is_less; /* factors are below 1 */
    spot_trial_plan_t plan;
    double confidence; /* of each interval at each look */
    size_t num_points;
    const char *points[MAX_COMPARED]; /* the answer, and the best of other markets */
    const spot_advised_t *advised[MAX_COMPARED];
    spot_trial_t plain; /* the same runs at factor 1 */
} search_t;

/* The key with its value at a factor; NULL: the scenario has no such thing, or no
 * memory. */
static const char *text_at(const search_t *self, double factor)
{
    const spot_advising_t *advising = self->advising;
    spot_texts_t *texts = &advising->result->texts;
    FILE *out = spot_texts_begin(texts);
    const spot_node_t *root = advising->document.root;
    const bool is_there =
        out != NULL &&
        (self->doubt->change == NULL ? spot_advice_scale(root, self->doubt->numbers, factor, out)
                                     : self->doubt->change(advising->scenario, root, factor, out));
    const char *text = spot_texts_end(texts, out);

    return is_there && texts->error == 0 ? text : NULL;
}

/* ---- A factor ---- */

/* Whether a point keeps the limits: shown, shown not to, or open. same: of the point; NULL:
 * nothing is known. is_goal: it is the goal that is not kept or in doubt, not the budget. */
static spot_verdict_t judge_limits(const search_t *self, const spot_trial_t *trial, size_t point_id,
    const same_t *same, bool *is_goal)
{
    const spot_advice_question_t *question = &self->advising->request->question;
    spot_probability_t goal = {1, 1, 1}, in_budget = {1, 1, 1};
    spot_verdict_t verdict;

    if (same == NULL || !same->is_goal_same) {
        goal = spot_trial_goal(trial, point_id, self->confidence);
    }
    if (isfinite(question->budget) && (same == NULL || !same->is_cost_same)) {
        in_budget = spot_trial_in_budget(trial, point_id, self->confidence);
    }
    verdict = spot_advising_verdict(self->advising, &goal, &in_budget);
    *is_goal = verdict == SPOT_VERDICT_NO ? goal.high < question->sure : goal.low < question->sure;
    return verdict;
}

/* A price has no bearing on the goal. Of anything else few runs without a difference prove
 * nothing: one in fifty may be another one, which is enough; all runs are taken as proof. */
static same_t find_same(const search_t *self, const spot_trial_t *trial, bool are_all)
{
    same_t same;

    spot_trial_compare(trial, &self->plain, 0, &same.is_goal_same, &same.is_cost_same);
    same.is_goal_same = same.is_goal_same && (self->doubt->is_price || are_all);
    same.is_cost_same = same.is_cost_same && are_all;
    return same;
}

/* What the runs so far say. are_all: there are no more. why: what happens, or may happen, in
 * words. */
static state_t judge(
    const search_t *self, const spot_trial_t *trial, bool are_all, const char **why)
{
    const same_t same = find_same(self, trial, are_all);
    spot_texts_t *texts = &self->advising->result->texts;
    bool is_goal, ignored;
    spot_verdict_t own;
    state_t state;

    own = judge_limits(self, trial, 0, &same, &is_goal);
    state = own == SPOT_VERDICT_YES ? STAYS : own == SPOT_VERDICT_NO ? CHANGES : OPEN;

    *why = state == STAYS ? NULL
           : is_goal      ? spot_texts_add(
                                texts, "below %.10g %%", 100 * self->advising->request->question.sure)
                     : "it is above the budget";
    for (size_t j = 1; state != CHANGES && j < self->num_points; j++) {
        const spot_verdict_t rival = judge_limits(self, trial, j, NULL, &ignored);
        double low, high; /* by how much the answer is dearer */

        spot_trial_dearer(trial, 0, j, self->confidence, &low, &high);
        if (rival == SPOT_VERDICT_NO || high <= 0) {
            continue;
        }
        if ((rival == SPOT_VERDICT_YES && low > 0) || state == STAYS) {
            state = rival == SPOT_VERDICT_YES && low > 0 ? CHANGES : OPEN;
            *why = spot_texts_add(texts, "%s is cheaper", self->advised[j]->kind);
        }
    }
    return state;
}

/* Runs the points at a factor until it is decided. */
static int look(search_t *self, double factor, state_t *state, const char **why)
{
    const char *more = text_at(self, factor);
    int64_t num_runs = 0;
    spot_trial_t trial = {.num_points = 0};
    int ret = more == NULL ? SPOT_ERR_NO_MEMORY
                           : spot_trial_init(&trial, self->advising, self->num_points, self->points,
                                 more, &self->plan);

    *state = OPEN;
    *why = NULL;
    while (ret == 0 && *state == OPEN && num_runs < self->plan.most) {
        num_runs = num_runs == 0 ? FIRST_LOOK : GROWTH * num_runs;
        num_runs = num_runs < self->plan.most ? num_runs : self->plan.most;
        ret = spot_trial_grow(&trial, num_runs);
        ret = ret == 0 ? spot_trial_grow(&self->plain, num_runs) : ret;
        *state = ret == 0 ? judge(self, &trial, num_runs == self->plan.most, why) : OPEN;
    }
    spot_trial_free(&trial);
    return ret;
}

/* ---- A direction ---- */

/* The factor at a share of the way to the farthest one, by its logarithm. */
static double factor_at(const search_t *self, double share)
{
    return pow(self->doubt->most, self->is_less ? -share : share);
}

/* Where on the way looks begin; most answers change near to what is, where runs of a
 * scenario that is scaled take least. It may change and change back between them. */
static const double first_shares[] = {1.0 / 8, 1.0 / 4, 1.0 / 2, 1};
enum { NUM_FIRST = sizeof(first_shares) / sizeof(first_shares[0]) };

/* Looks farther and farther off until the answer changes. stays and changes, HUGE_VAL: not
 * seen, are where it does so; other is the first place behind stays at which it was not
 * shown to stay, open the last one that was open. */
typedef struct {
    double stays, other, open, changes;
    const char *why; /* it changes, or may change; NULL: it stays everywhere */
} way_t;

static int walk(search_t *self, way_t *way)
{
    int ret = 0;

    *way = (way_t){.other = 1, .changes = HUGE_VAL};
    for (int j = 0; ret == 0 && j < NUM_FIRST && way->changes > 1; j++) {
        const char *why;
        state_t state;

        ret = look(self, factor_at(self, first_shares[j]), &state, &why);
        if (ret == 0 && state == STAYS) {
            way->stays = first_shares[j];
            way->why = NULL;
        } else if (ret == 0) {
            way->other = way->why == NULL ? first_shares[j] : way->other;
            *(state == CHANGES ? &way->changes : &way->open) = first_shares[j];
            way->why = why;
        }
    }
    return ret;
}

static bool is_wide(const way_t *way, double gap)
{
    const double between = way->changes <= 1 ? way->changes - way->stays : 0;

    return gap > fmax(RESOLUTION, RESOLUTION_BETWEEN * between);
}

/* Halves the way between where it stays and where it was not shown to. */
static int find_near(search_t *self, way_t *way)
{
    int ret = 0;

    while (ret == 0 && way->why != NULL && is_wide(way, way->other - way->stays)) {
        const double middle = (way->stays + way->other) / 2;
        const char *why;
        state_t state;

        ret = look(self, factor_at(self, middle), &state, &why);
        *(state == STAYS ? &way->stays : &way->other) = middle;
        if (state == CHANGES) {
            way->changes = middle;
            way->why = why;
        }
    }
    return ret;
}

/* Halves the way between where it is open and where it changes. */
static int find_far(search_t *self, way_t *way)
{
    int ret = 0;

    way->open = way->other <= way->open && way->open < way->changes ? way->open : way->other;
    while (ret == 0 && way->changes <= 1 && is_wide(way, way->changes - way->open)) {
        const double middle = (way->open + way->changes) / 2;
        const char *why;
        state_t state;

        ret = look(self, factor_at(self, middle), &state, &why);
        *(state == CHANGES ? &way->changes : &way->open) = middle;
        way->why = state == CHANGES ? why : way->why;
    }
    return ret;
}

static int find(search_t *self)
{
    spot_advice_break_even_t item = {.noun = self->doubt->noun,
        .words = self->doubt->words,
        .is_less = self->is_less,
        .most = factor_at(self, 1),
        .num_runs = self->plan.most};
    way_t way;
    int ret = walk(self, &way);

    ret = ret == 0 ? find_near(self, &way) : ret;
    ret = ret == 0 ? find_far(self, &way) : ret;
    if (ret == SPOT_ERR_BAD_INPUT) { /* the engine does not take it */
        return 0;
    }
    item.why = way.why;
    item.near = factor_at(self, way.stays);
    item.far = way.changes <= 1 ? factor_at(self, way.changes) : self->is_less ? 0 : HUGE_VAL;
    return ret == 0 ? SPOT_ARRAY_APPEND(self->advising->result, break_evens, item) : ret;
}

/* ---- All ---- */

/* The answer and the best of each other market, whether it keeps the limits or not. */
static void choose_compared(search_t *self)
{
    const spot_advice_result_t *result = self->advising->result;

    for (size_t j = 0; j < result->num_advised && self->num_points < MAX_COMPARED; j++) {
        const spot_advised_t *advised = &result->advised[j];

        if (j == 0 || (strcmp(advised->kind, result->advised[0].kind) != 0 &&
                          strcmp(advised->kind, SPOT_ADVICE_AS_IT_IS) != 0)) {
            self->points[self->num_points] = advised->point;
            self->advised[self->num_points++] = advised;
        }
    }
}

int spot_advising_doubt(spot_advising_t *self)
{
    const int64_t wanted = self->request->max_replications < self->advice->factor_runs
                               ? self->request->max_replications
                               : self->advice->factor_runs;
    const int64_t most = spot_advising_afford(self, wanted, LOOK_SHARE, 1);
    const bool has_budget = isfinite(self->request->question.budget);
    search_t search = {
        .advising = self, .plan = {most, (self->request->seed ^ FACTORS) & INT64_MAX, 0}};
    double num_looks = 0, num_intervals;
    int ret = 0;

    if (most < LEAST_RUNS) {
        return 0;
    }
    choose_compared(&search);
    for (size_t j = 0; j < search.num_points; j++) {
        search.plan.fixed |= search.advised[j]->is_fixed ? 1U << j : 0;
    }
    ret =
        spot_trial_init(&search.plain, self, search.num_points, search.points, NULL, &search.plan);
    for (int64_t num = FIRST_LOOK; num_looks == 0 || num / GROWTH < most; num *= GROWTH) {
        num_looks++;
    }
    num_intervals =
        (double) search.num_points * (has_budget ? 2 : 1) + (double) (search.num_points - 1);
    search.confidence = 1 - (1 - SPOT_CONFIDENCE) / (num_looks * num_intervals);
    for (const spot_advice_doubt_t *doubt = self->advice->doubts;
         ret == 0 && doubt != NULL && doubt->noun != NULL; doubt++) {
        search.doubt = doubt;
        for (int j = 0; ret == 0 && j < 2; j++) {
            search.is_less = j == 1;
            ret = text_at(&search, factor_at(&search, 1)) == NULL ? self->result->texts.error
                                                                  : find(&search);
        }
    }
    spot_trial_free(&search.plain);
    return ret;
}
