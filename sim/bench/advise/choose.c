/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/advise/choose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "sim/bench/analysis/advice_result.h"
#include "sim/bench/analysis/race.h"

/* ---- Factors at which the answer changes ---- */

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

/* Of the runs that are left, those of a factor. */
#define FACTOR_SHARE (1.0 / 64)

/* Runs of the first look at a factor, by how much they grow, and fewer runs than which
 * nothing is shown. */
enum { FIRST_AT_FACTOR = 128, GROWTH = 4, LEAST_RUNS = 64, MAX_COMPARED = 4 };

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

/* What the intervals of both limits say; in_budget NULL: there is none. */
static spot_verdict_t advising_verdict(const spot_advising_t *self, const spot_probability_t *goal,
    const spot_probability_t *in_budget)
{
    const double sure = self->request->question.sure;

    if (goal->high < sure || (in_budget != NULL && in_budget->high < SPOT_ADVICE_SURE_OF_BUDGET)) {
        return SPOT_VERDICT_NO;
    }
    return goal->low >= sure && (in_budget == NULL || in_budget->low >= SPOT_ADVICE_SURE_OF_BUDGET)
               ? SPOT_VERDICT_YES
               : SPOT_VERDICT_UNDECIDED;
}

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
    verdict = advising_verdict(self->advising, &goal, &in_budget);
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
static state_t judge_factor(
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
        num_runs = num_runs == 0 ? FIRST_AT_FACTOR : GROWTH * num_runs;
        num_runs = num_runs < self->plan.most ? num_runs : self->plan.most;
        ret = spot_trial_grow(&trial, num_runs);
        ret = ret == 0 ? spot_trial_grow(&self->plain, num_runs) : ret;
        *state = ret == 0 ? judge_factor(self, &trial, num_runs == self->plan.most, why) : OPEN;
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
    const int64_t most = spot_advising_afford(self, wanted, FACTOR_SHARE, 1);
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
    for (int64_t num = FIRST_AT_FACTOR; num_looks == 0 || num / GROWTH < most; num *= GROWTH) {
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

/* ---- How many runs, and of what ---- */

/* Runs of the first look at a candidate, of the next ones twice as many; rivals of the
 * answer that it names; runs of each larger fleet, and of what is screened. */
enum { FIRST_LOOK = 256, MAX_RIVALS = 4, LARGER_RUNS = 256, SCREENED_RUNS = 64 };

/* Candidates that are held against the answer, where the race has their costs within this
 * ratio, and the runs of that over those of a break-even at a factor. */
enum { MAX_CLOSE = 12, CLOSE_GROWTH = 4 };
#define CLOSE 1.05

/* Shares of the runs that are left, where they are few: of a first look, of a decision, of a rival,
 * and of what is looked at after a no or beside a yes; and runs at least. */
#define LOOK_SHARE (1.0 / 50)
#define DECISION_SHARE (3.0 / 4)
#define RIVAL_SHARE (1.0 / 8)
#define OTHER_SHARE (1.0 / 32)
enum { LEAST_LOOK = 4, SECOND_GROWTH = 4, LEAST_RIVAL = 8, LEAST_OTHER = 4, LEAST_CLOSE = 32 };

/* Fleets that are looked at after a no, over the largest that was asked for. */
static const double larger_fleets[] = {4.0 / 3, 5.0 / 3, 2};

/* The seed of the runs that decide, which differs from that of the search. */
#define PROMISE UINT64_C(0x3f58476d1ce4e5b9)

static uint64_t promise_seed(const spot_advising_t *self)
{
    return (self->request->seed ^ PROMISE) & INT64_MAX;
}

/* Rounds a number of runs down, so that recordings that take turns have as many each. */
static int64_t whole_turns(const spot_advising_t *self, int64_t num_runs)
{
    const size_t num_traces = self->request->question.num_traces;
    const int64_t num = num_traces > 1 ? (int64_t) num_traces : 1;

    return num_runs > num ? num_runs / num * num : num;
}

/* ---- Verdicts ---- */

/* What the intervals of both limits say. */
static spot_verdict_t judge_figures(
    const spot_advising_t *self, const spot_advice_figures_t *figures)
{
    const spot_probability_t goal = {figures->p, figures->p_low, figures->p_high};

    return advising_verdict(
        self, &goal, isfinite(self->request->question.budget) ? &figures->in_budget : NULL);
}

/* Of intervals that hold together, what they have in common; the older one if they have
 * nothing. */
static void narrow(double *low, double *high, const spot_probability_t *share)
{
    if (fmax(*low, share->low) <= fmin(*high, share->high)) {
        *low = fmax(*low, share->low);
        *high = fmin(*high, share->high);
    }
}

/* Names an alternative, without figures. */
static spot_advised_t name_of(spot_advising_t *self, const spot_alternative_t *item)
{
    spot_texts_t *texts = &self->result->texts;

    return (spot_advised_t){
        .point = spot_texts_add(texts, "%s", item->point),
        .words = spot_texts_add(texts, "%s", item->words),
        .kind = spot_texts_add(texts, "%s", item->kind),
        .assumed = item->assumed == NULL ? NULL : spot_texts_add(texts, "%s", item->assumed),
        .size = item->size,
        .is_fixed = item->is_fixed,
    };
}

/* Reads the figures of the only point of a trial. */
static void read_figures(
    const spot_trial_t *trial, const spot_alternative_t *item, spot_advice_figures_t *figures)
{
    const double played_s = (double) item->played_ms / SPOT_MS_PER_S;

    spot_trial_figures(trial, 0, figures);
    figures->time_p50_s -= played_s;
    figures->time_p95_s -= played_s;
}

/* Runs an alternative so often, or as often as a share of the runs that are left allows; its
 * intervals hold alone. */
static int measure(spot_advising_t *self, const spot_alternative_t *item, int64_t wanted,
    double share_of_left, spot_advised_t *advised)
{
    const int64_t least = wanted == LARGER_RUNS ? LEAST_OTHER : LEAST_RIVAL;
    const spot_trial_plan_t plan = {
        whole_turns(self, spot_advising_afford(self, wanted, share_of_left, least)),
        promise_seed(self), item->is_fixed ? 1 : 0};
    spot_trial_t trial;
    int ret = spot_trial_init(&trial, self, 1, &item->point, NULL, &plan);

    ret = ret == 0 ? spot_trial_grow(&trial, plan.most) : ret;
    if (ret == 0) {
        *advised = name_of(self, item);
        read_figures(&trial, item, &advised->figures);
        advised->verdict = judge_figures(self, &advised->figures);
    }
    spot_trial_free(&trial);
    return ret;
}

/* How an alternative is decided. */
typedef struct {
    double error;  /* that one of its intervals does not hold, at any look */
    int64_t least; /* runs, also where fewer decide */
} decision_t;

static int64_t next_look(int64_t num_runs, int64_t first, int64_t most, bool is_few)
{
    const int64_t next = num_runs == 0       ? first
                         : !is_few           ? 2 * num_runs
                         : num_runs == first ? SECOND_GROWTH * first
                                             : most;

    return next < most ? next : most;
}

/* The looks at an alternative. Where runs are few there are three: the first two show a no, the
 * last one what is left; what cannot become a yes any more leaves its runs to the next one. */
typedef struct {
    int64_t first, most; /* runs */
    bool is_few;
    double confidence;     /* of an interval at a look; where runs are few, of its upper bound */
    double low_confidence; /* of the lower bound at the last look, where runs are few */
} looks_t;

/* Whether so many runs show that a share reaches a limit if so many of them are not as they should
 * be. */
static bool shows(int64_t num_runs, int64_t num_misses, double confidence, double limit)
{
    double low, high;

    if (num_misses >= num_runs) {
        return false;
    }
    spot_binomial_bounds(
        (double) (num_runs - num_misses), (double) num_runs, confidence, &low, &high);
    return low >= limit;
}

/* The fewest runs that show a yes with as many misses as most runs do; most: none does. */
static int64_t least_last_look(const spot_advising_t *self, int64_t most, double confidence)
{
    const double sure = self->result->sure;
    const double limit =
        isfinite(self->request->question.budget) ? fmax(sure, SPOT_ADVICE_SURE_OF_BUDGET) : sure;
    int64_t num_misses = 0, num_runs;

    if (!shows(most, 0, confidence, limit)) {
        return most;
    }
    while (shows(most, num_misses + 1, confidence, limit)) {
        num_misses++;
    }
    num_runs = most;
    while (shows(num_runs - 1, num_misses, confidence, limit)) {
        num_runs--;
    }
    while (whole_turns(self, num_runs) < num_runs && num_runs < most) {
        num_runs++;
    }
    return num_runs;
}

/* The error is shared by the looks and the limits (Bonferroni). Where runs are few, lower bounds
 * share half of all error among the alternatives that come to the last look. */
static looks_t plan_looks(spot_advising_t *self, double error)
{
    const int64_t wanted = self->request->max_replications;
    const double num_limits = isfinite(self->request->question.budget) ? 2 : 1;
    const double final_id = (double) self->num_final + 1;
    double num_looks = 0;
    looks_t looks = {.first = spot_advising_afford(self, FIRST_LOOK, LOOK_SHARE, LEAST_LOOK)};

    looks.most = whole_turns(self, spot_advising_afford(self, wanted, DECISION_SHARE, looks.first));
    looks.is_few = looks.most < whole_turns(self, wanted) && looks.most < SPOT_ADVICE_FIGURE_RUNS;
    looks.low_confidence = 1 - (1 - SPOT_CONFIDENCE) / (final_id * (final_id + 1) * num_limits);
    if (looks.is_few) {
        looks.most = least_last_look(self, looks.most, looks.low_confidence);
    }
    for (int64_t num = 0; num < looks.most; num_looks++) {
        num = next_look(num, looks.first, looks.most, looks.is_few);
    }
    looks.confidence = 1 - error / (num_looks * num_limits);
    return looks;
}

typedef spot_probability_t (*share_t)(
    const spot_trial_t *trial, size_t point_id, double confidence);

/* Narrows what is shown of a share by what its runs say. Returns whether it can still reach a
 * limit: where runs are few, whether the last look could show it if the rest of them were as they
 * should be. */
static bool look_at(const looks_t *self, const spot_trial_t *trial, share_t share_of,
    int64_t num_runs, double limit, double *low, double *high)
{
    spot_probability_t share = share_of(trial, 0, self->confidence);
    int64_t num_misses;

    if (!self->is_few || spot_trial_is_fixed(trial, 0)) {
        narrow(low, high, &share);
        return true;
    }
    share.low = num_runs < self->most ? 0 : share_of(trial, 0, self->low_confidence).low;
    narrow(low, high, &share);
    num_misses = num_runs - llround(share.value * (double) num_runs);
    return shows(self->most, num_misses, self->low_confidence, limit);
}

/* Runs an alternative until its intervals decide, or as often as may be. What was shown at a look
 * stays shown: all looks hold at once. */
static int decide(spot_advising_t *self, const spot_alternative_t *item, const decision_t *decision,
    spot_advised_t *advised)
{
    const bool has_budget = isfinite(self->request->question.budget);
    const looks_t looks = plan_looks(self, decision->error);
    const spot_trial_plan_t plan = {looks.most, promise_seed(self), item->is_fixed ? 1 : 0};
    spot_advice_figures_t shown = {.p_high = 1, .in_budget = {.high = 1}};
    int64_t num_runs = 0, least = looks.is_few ? 0 : decision->least;
    bool can_be_yes = true;
    spot_trial_t trial;
    int ret = spot_trial_init(&trial, self, 1, &item->point, NULL, &plan);

    *advised = name_of(self, item);
    advised->verdict = SPOT_VERDICT_UNDECIDED;
    while (ret == 0 && num_runs < looks.most && (can_be_yes || num_runs == looks.first) &&
           (num_runs < least || advised->verdict == SPOT_VERDICT_UNDECIDED)) {
        num_runs = next_look(num_runs, looks.first, looks.most, looks.is_few);
        ret = spot_trial_grow(&trial, whole_turns(self, num_runs));
        if (ret == 0) {
            can_be_yes = look_at(&looks, &trial, spot_trial_goal, num_runs, self->result->sure,
                &shown.p_low, &shown.p_high);
            if (has_budget) {
                can_be_yes &= look_at(&looks, &trial, spot_trial_in_budget, num_runs,
                    SPOT_ADVICE_SURE_OF_BUDGET, &shown.in_budget.low, &shown.in_budget.high);
            }
            advised->verdict = judge_figures(self, &shown);
            least = advised->verdict == SPOT_VERDICT_YES && least < SPOT_ADVICE_FIGURE_RUNS
                        ? SPOT_ADVICE_FIGURE_RUNS
                        : least;
            num_runs = spot_trial_is_fixed(&trial, 0) ? looks.most : num_runs;
        }
    }
    self->num_final += looks.is_few && num_runs == looks.most;
    if (ret == 0) {
        read_figures(&trial, item, &advised->figures);
        advised->figures.p_low = shown.p_low;
        advised->figures.p_high = shown.p_high;
        if (!spot_trial_is_fixed(&trial, 0)) {
            spot_trial_cost(&trial, 0, looks.confidence, &advised->figures.cost_low,
                &advised->figures.cost_high);
        }
        if (has_budget) {
            advised->figures.in_budget.low = shown.in_budget.low;
            advised->figures.in_budget.high = shown.in_budget.high;
        }
    }
    if (ret == 0 && self->result->num_traces > 1) {
        advised->worst_trace_id = spot_trial_worst_trace(&trial, 0, &advised->worst_p);
    }
    spot_trial_free(&trial);
    return ret;
}

/* ---- What the race says ---- */

/* What the race says of a point. */
typedef struct {
    size_t point_id;
    int64_t size; /* instances */
    double cost, p;
    const char *beyond;     /* what it rests on that was not measured; NULL: nothing */
    bool is_left_out;       /* for that, unless nothing else will do */
    bool is_sure;           /* keeps the goal, if not the budget */
    bool is_best;           /* of the race */
    bool is_met;            /* by the estimates */
    bool is_out;            /* another point is better or it keeps no limit, with confidence */
    bool is_open;           /* a candidate: it is met, or the race leaves open whether it is */
    spot_advised_t decided; /* as a candidate; point NULL: it was none */
} entry_t;

/* The goal without the budget by cost, then by probability and size. */
static int compare_distances(const entry_t *a, const entry_t *b)
{
    if (a->is_sure != b->is_sure) {
        return a->is_sure ? -1 : 1;
    }
    if (a->is_sure && a->cost != b->cost) {
        return a->cost < b->cost ? -1 : 1;
    }
    if (!a->is_sure && a->p != b->p) {
        return a->p > b->p ? -1 : 1;
    }
    if (!a->is_sure && a->size != b->size) {
        return a->size > b->size ? -1 : 1;
    }
    return (a->point_id > b->point_id) - (a->point_id < b->point_id);
}

static int compare_entries(const void *left, const void *right)
{
    const entry_t *a = left;
    const entry_t *b = right;

    if (a->is_open != b->is_open) {
        return a->is_open ? -1 : 1;
    }
    if (a->is_open && a->is_left_out != b->is_left_out) {
        return a->is_left_out ? 1 : -1;
    }
    if (a->is_open && a->cost != b->cost) {
        return a->cost < b->cost ? -1 : 1;
    }
    return compare_distances(a, b);
}

/* Whether the estimates of the race keep both limits. */
static bool is_kept(const spot_advising_t *self, const entry_t *entry, double cost_p95)
{
    return entry->is_sure && cost_p95 <= self->request->question.budget;
}

/* Points that may keep the limits come first, those that rest on what was measured before
 * the others, and of either by cost, also those out of the race: what beat them may not
 * keep the limits. Then those above the budget, by cost; last the others, by their
 * probability, then their size. */
static int rank(
    spot_advising_t *self, const spot_study_t *study, const spot_store_t *store, entry_t *entries)
{
    const size_t num_points = study->head.num_points;
    spot_race_t race;
    int ret = spot_race_init(&race, &study->head);

    ret = ret == 0 ? spot_race_replay(&race, store) : ret;
    for (size_t j = 0; ret == 0 && j < num_points; j++) {
        const spot_runner_t *runner = &race.runners[j];
        const bool has_budget = study->head.optimise.num_constraints > 1;
        entry_t *entry = &entries[j];

        *entry = (entry_t){.point_id = j,
            .size = self->alternatives.items[j].size,
            .cost = spot_estimate_value(&runner->estimate),
            .p = spot_estimate_value(&runner->constrained[0]),
            .is_out = runner->fate != SPOT_FATE_RACING,
            .is_best = race.has_best && race.best_id == j};
        entry->beyond = spot_race_beyond(&race, j);
        entry->is_left_out =
            entry->beyond != NULL && !spot_study_beyond(&study->head, j).only_warns;
        entry->is_sure = entry->p >= self->result->sure;
        entry->is_met = runner->fate != SPOT_FATE_UNDEFINED &&
                        is_kept(self, entry,
                            has_budget ? spot_estimate_value(&runner->constrained[1]) : -HUGE_VAL);
        entry->is_open = entry->is_met || !entry->is_out;
        self->result->num_runs += runner->num_rows; /* not of a round that was stopped */
        ret = SPOT_ARRAY_APPEND(self->result, searched,
            (spot_advice_searched_t){.kind = spot_texts_add(&self->result->texts, "%s",
                                         self->alternatives.items[j].kind),
                .size = entry->size,
                .cost = entry->cost,
                .p = entry->p,
                .is_met = entry->is_met});
    }
    if (ret == 0) {
        qsort(entries, num_points, sizeof(*entries), compare_entries);
        self->result->num_undecided = race.num_racing;
        self->result->regret = spot_race_regret(&race); /* of its best point */
    }
    spot_race_free(&race);
    return ret;
}

/* ---- The answer ---- */

static const spot_alternative_t *item_of(const spot_advising_t *self, const entry_t *entry)
{
    return &self->alternatives.items[entry->point_id];
}

static void tell_beyond(spot_advising_t *self, const entry_t *entry, spot_advised_t *advised)
{
    advised->is_left_out = entry->is_left_out;
    advised->beyond =
        entry->beyond == NULL ? NULL : spot_texts_add(&self->result->texts, "%s", entry->beyond);
}

/* Whether an entry is the first one of its market by its distance, what is left out for
 * what was not measured behind all others. */
static bool is_first_of_kind(const spot_advising_t *self, const entry_t *entries, size_t entry_id)
{
    const entry_t *entry = &entries[entry_id];

    for (size_t j = 0; j < self->result->num_points; j++) {
        if (strcmp(item_of(self, &entries[j])->kind, item_of(self, entry)->kind) == 0 &&
            (entries[j].is_left_out != entry->is_left_out
                    ? entry->is_left_out
                    : compare_distances(&entries[j], entry) < 0)) {
            return false;
        }
    }
    return true;
}

/* Whether a comes nearer to what is asked for: what may keep the limits, the goal without
 * the budget and a small cost, a large probability, a short time. */
static bool is_nearer(const spot_advising_t *self, const spot_advised_t *a, const spot_advised_t *b)
{
    const bool is_sure = a->figures.p >= self->result->sure;

    if (a->verdict != b->verdict &&
        (a->verdict != SPOT_VERDICT_NO || b->verdict != SPOT_VERDICT_NO)) {
        return a->verdict == SPOT_VERDICT_YES || b->verdict == SPOT_VERDICT_NO;
    }
    if (is_sure != (b->figures.p >= self->result->sure)) {
        return is_sure;
    }
    return is_sure                        ? a->figures.cost < b->figures.cost
           : a->figures.p != b->figures.p ? a->figures.p > b->figures.p
                                          : a->figures.time_p50_s < b->figures.time_p50_s;
}

/* The share of the error of the candidate that is tried next: all of them together have
 * at most the whole, however many are tried. */
static double next_error(size_t *num_tried)
{
    const double num = (double) ++*num_tried;

    return (1 - SPOT_CONFIDENCE) / (num * (num + 1));
}

/* Without an answer, of the first ones of each market the one that comes nearest. If it
 * turns out to keep the limits, it is the answer. */
static int find_nearest(spot_advising_t *self, const entry_t *entries, size_t *num_tried,
    spot_advised_t *answer, size_t *chosen_id)
{
    const decision_t decision = {next_error(num_tried), SPOT_ADVICE_FIGURE_RUNS};
    spot_advised_t best = {.figures = {.p = -1, .cost = HUGE_VAL}};
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < self->result->num_points; j++) {
        spot_advised_t advised;

        if (is_first_of_kind(self, entries, j)) {
            ret = measure(self, item_of(self, &entries[j]), FIRST_LOOK, RIVAL_SHARE, &advised);
            if (ret == 0 && (best.point == NULL || is_nearer(self, &advised, &best))) {
                best = advised;
                *chosen_id = j;
            }
        }
    }
    ret = ret == 0 ? decide(self, item_of(self, &entries[*chosen_id]), &decision, answer) : ret;
    if (ret == 0) {
        tell_beyond(self, &entries[*chosen_id], answer);
    }
    return ret;
}

/* Of what all runs leave open the first one, which is the cheapest. */
static void take_open(
    spot_advice_result_t *result, const entry_t *entries, spot_advised_t *answer, size_t *chosen_id)
{
    *answer = result->open[0];
    for (*chosen_id = 0; entries[*chosen_id].decided.point != answer->point;) {
        ++*chosen_id;
    }
    result->num_open--;
    memmove(result->open, result->open + 1, result->num_open * sizeof(*result->open));
}

/* How many of the candidates behind the answer have costs that are close to its own in the
 * race. */
static size_t count_close(
    const spot_advising_t *self, const entry_t *entries, const spot_advised_t *answer, size_t id)
{
    const double most = CLOSE * fmax(entries[id].cost, answer->figures.cost);
    size_t num = 0;

    while (num < MAX_CLOSE && id + num + 1 < self->result->num_points &&
           entries[id + num + 1].is_open &&
           entries[id + num + 1].is_left_out == entries[id].is_left_out &&
           entries[id + num + 1].cost <= most) {
        num++;
    }
    return num;
}

/* Candidates of close costs behind the answer take its place if they keep the limits and
 * the same fresh runs of all show that they are cheaper. */
static int take_cheaper(spot_advising_t *self, entry_t *entries, size_t *num_tried,
    spot_advised_t *answer, size_t *chosen_id)
{
    const size_t first = *chosen_id, num_close = count_close(self, entries, answer, first);
    const int64_t most = self->request->max_replications;
    int64_t num_runs = CLOSE_GROWTH * self->advice->factor_runs;
    spot_trial_plan_t plan = {.seed = promise_seed(self)};
    const char *points[MAX_CLOSE + 1];
    spot_trial_t trial;
    int ret;

    if (num_close == 0) {
        return 0;
    }
    num_runs = spot_advising_afford(
        self, num_runs < most ? num_runs : most, DECISION_SHARE / (double) (num_close + 1), 1);
    if (num_runs < LEAST_CLOSE && self->is_short) {
        return 0; /* they would not show which one is cheaper */
    }
    plan.most = whole_turns(self, num_runs);
    for (size_t j = 0; j <= num_close; j++) {
        points[j] = item_of(self, &entries[first + j])->point;
    }
    ret = spot_trial_init(&trial, self, num_close + 1, points, NULL, &plan);
    ret = ret == 0 ? spot_trial_grow(&trial, plan.most) : ret;
    for (size_t j = 1; ret == 0 && j <= num_close; j++) {
        const decision_t decision = {next_error(num_tried), FIRST_LOOK};
        entry_t *entry = &entries[first + j];
        double low, high;

        spot_trial_dearer(
            &trial, *chosen_id - first, j, 1 - (1 - SPOT_CONFIDENCE) / MAX_CLOSE, &low, &high);
        if (low > 0) {
            ret = decide(self, item_of(self, entry), &decision, &entry->decided);
            tell_beyond(self, entry, &entry->decided);
            if (ret == 0 && entry->decided.verdict == SPOT_VERDICT_YES) {
                *answer = entry->decided;
                *chosen_id = first + j;
            }
        }
    }
    spot_trial_free(&trial);
    return ret;
}

/* Whether what is open would be so much cheaper than the answer that the choice is open,
 * too. */
static bool leaves_open(const spot_advice_result_t *result, const spot_advised_t *answer)
{
    for (size_t j = 0; j < result->num_open; j++) {
        if (CLOSE * result->open[j].figures.cost < answer->figures.cost) {
            return true;
        }
    }
    return false;
}

/* Names what was left out for what was not measured, and would be cheaper. */
static int name_passed_over(
    spot_advising_t *self, const entry_t *entries, const spot_advised_t *answer)
{
    spot_advice_result_t *result = self->result;
    int ret = 0;

    for (size_t j = 0; ret == 0 && answer->verdict == SPOT_VERDICT_YES && !answer->is_left_out &&
                       result->num_passed_over == 0 && j < result->num_points;
         j++) {
        spot_advised_t advised;

        if (entries[j].is_open && entries[j].is_left_out &&
            entries[j].cost < answer->figures.cost) {
            ret = measure(
                self, item_of(self, &entries[j]), SPOT_ADVICE_FIGURE_RUNS, RIVAL_SHARE, &advised);
            if (ret == 0 && advised.verdict != SPOT_VERDICT_NO &&
                advised.figures.cost < answer->figures.cost) {
                tell_beyond(self, &entries[j], &advised);
                result->regret = HUGE_VAL;
                ret = SPOT_ARRAY_APPEND(result, passed_over, advised);
            }
        }
    }
    return ret;
}

/* The cheapest of the candidates whose own runs show that it keeps the limits. Without
 * one what is open, or else what comes nearest. */
static int find_answer(spot_advising_t *self, entry_t *entries, size_t *chosen_id)
{
    spot_advice_result_t *result = self->result;
    spot_advised_t answer = {.verdict = SPOT_VERDICT_NO};
    size_t num_tried = 0;
    int ret = 0;

    for (size_t j = 0; ret == 0 && answer.verdict != SPOT_VERDICT_YES && j < result->num_points &&
                       entries[j].is_open;
         j++) {
        const decision_t decision = {next_error(&num_tried), FIRST_LOOK};

        ret = decide(self, item_of(self, &entries[j]), &decision, &answer);
        tell_beyond(self, &entries[j], &answer);
        entries[j].decided = answer;
        *chosen_id = j;
        if (ret == 0 && answer.verdict == SPOT_VERDICT_UNDECIDED) {
            ret = SPOT_ARRAY_APPEND(result, open, answer);
        }
    }
    if (ret == 0 && answer.verdict == SPOT_VERDICT_YES) {
        ret = take_cheaper(self, entries, &num_tried, &answer, chosen_id);
    } else if (ret == 0 && result->num_open > 0) {
        take_open(result, entries, &answer, chosen_id);
    } else if (ret == 0) {
        ret = find_nearest(self, entries, &num_tried, &answer, chosen_id);
    }
    result->verdict = answer.verdict == SPOT_VERDICT_YES && leaves_open(result, &answer)
                          ? SPOT_VERDICT_UNDECIDED
                          : answer.verdict;
    result->regret = entries[*chosen_id].is_best ? result->regret : HUGE_VAL;
    ret = ret == 0 ? name_passed_over(self, entries, &answer) : ret;
    if (ret == 0 && result->num_traces > 1) {
        result->worst_p = answer.worst_p;
        result->worst_trace = spot_texts_add(
            &result->texts, "%s", self->request->question.traces[answer.worst_trace_id]);
    }
    return ret == 0 ? SPOT_ARRAY_APPEND(result, advised, answer) : ret;
}

/* The figures of a rival: those that decided it, or its own. A job that runs is decided
 * as it is. */
static int measure_rival(spot_advising_t *self, const entry_t *entry, spot_advised_t *advised)
{
    static const decision_t as_it_is = {1 - SPOT_CONFIDENCE, SPOT_ADVICE_FIGURE_RUNS};
    const spot_alternative_t *item = item_of(self, entry);

    if (entry->decided.point != NULL) {
        *advised = entry->decided;
        return 0;
    }
    if (strcmp(item->kind, SPOT_ADVICE_AS_IT_IS) == 0) {
        return decide(self, item, &as_it_is, advised);
    }
    return measure(self, item, SPOT_ADVICE_FIGURE_RUNS, RIVAL_SHARE, advised);
}

/* The cheapest of each other market, and behind the answer the one that nearly wins. */
static int name_rivals(spot_advising_t *self, const entry_t *entries, size_t chosen_id)
{
    spot_advice_result_t *result = self->result;
    const char *kind = result->advised[0].kind;
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < result->num_points; j++) {
        const spot_alternative_t *item = item_of(self, &entries[j]);
        const bool is_next =
            j != chosen_id && result->advised[0].verdict == SPOT_VERDICT_YES &&
            result->runner_up_id == 0 && entries[j].is_met &&
            (entries[j].decided.point == NULL || entries[j].decided.verdict == SPOT_VERDICT_YES);
        spot_advised_t advised;

        if (j == chosen_id || (strcmp(item->kind, SPOT_ADVICE_AS_IT_IS) != 0 &&
                                  (result->num_advised > MAX_RIVALS || entries[j].is_left_out ||
                                      (!is_next && (strcmp(item->kind, kind) == 0 ||
                                                       !is_first_of_kind(self, entries, j)))))) {
            continue;
        }
        ret = measure_rival(self, &entries[j], &advised);
        if (ret == 0) {
            tell_beyond(self, &entries[j], &advised);
            result->runner_up_id = is_next ? result->num_advised : result->runner_up_id;
            ret = SPOT_ARRAY_APPEND(result, advised, advised);
        }
    }
    return ret;
}

/* ---- Larger fleets ---- */

/* Measures the alternatives above a size, and names the best of them. */
static int name_best_above(spot_advising_t *self, const spot_alternatives_t *all, int64_t size)
{
    spot_advised_t best = {.point = NULL};
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < all->num_items; j++) {
        spot_advised_t advised;
        const char *why = NULL;

        if (all->items[j].size <= size || all->items[j].screened != NULL) {
            continue;
        }
        ret = spot_advising_look(self, &all->items[j], &why, NULL);
        if (ret != 0 || why != NULL) {
            continue;
        }
        ret = measure(self, &all->items[j], LARGER_RUNS, OTHER_SHARE, &advised);
        self->result->num_larger_points++;
        if (ret == 0 && (best.point == NULL || is_nearer(self, &advised, &best))) {
            best = advised;
        }
    }
    return ret == 0 && best.point != NULL ? SPOT_ARRAY_APPEND(self->result, larger, best) : ret;
}

/* Whether a larger fleet keeps the limits; by the estimate where its runs are too few to show it.
 */
static bool is_enough(const spot_advising_t *self, const spot_advised_t *larger)
{
    return larger->verdict == SPOT_VERDICT_YES ||
           (larger->verdict == SPOT_VERDICT_UNDECIDED && larger->figures.num_runs < LARGER_RUNS &&
               larger->figures.p >= self->result->sure);
}

/* Looks at larger fleets until one keeps the limits. */
static int look_at_larger(spot_advising_t *self)
{
    spot_advice_result_t *result = self->result;
    int64_t largest = 0, before;
    bool is_met = false;
    int ret = 0;

    for (size_t j = 0; j < self->num_searched; j++) {
        const int64_t size = self->alternatives.items[j].size;

        largest = size > largest ? size : largest;
    }
    before = largest;
    for (size_t j = 0; ret == 0 && !is_met && j < sizeof(larger_fleets) / sizeof(larger_fleets[0]);
         j++) {
        spot_advice_question_t question = self->request->question;
        spot_alternatives_t all = {.error = 0};

        question.max_fleet = (int64_t) ceil((double) largest * larger_fleets[j]);
        ret =
            self->advice->propose(&question, self->scenario, self->document.root, &all, self->diag);
        ret = ret == 0 ? spot_error_first(all.error, all.texts.error) : ret;
        ret = ret == 0 ? name_best_above(self, &all, before) : ret;
        if (ret == 0 && all.why_not_larger != NULL && result->why_not_larger == NULL) {
            result->why_not_larger = spot_texts_add(&result->texts, "%s", all.why_not_larger);
        }
        before = question.max_fleet;
        is_met = result->num_larger > 0 && is_enough(self, &result->larger[result->num_larger - 1]);
        spot_alternatives_free(&all);
    }
    return ret;
}

/* ---- What is screened ---- */

static int compare_screened(const void *left, const void *right)
{
    const spot_advice_screened_t *a = left;
    const spot_advice_screened_t *b = right;

    return a->ratio != b->ratio ? (a->ratio > b->ratio) - (a->ratio < b->ratio)
                                : strcmp(a->system, b->system);
}

/* Of a system the cheapest that keeps the goal is kept. */
static int take_screened(spot_advising_t *self, const spot_alternative_t *item,
    const spot_advice_figures_t *figures, double ratio)
{
    spot_advice_result_t *result = self->result;
    spot_advice_screened_t *there = NULL;
    int ret = 0;

    if (figures->p < result->sure) {
        return 0;
    }
    for (size_t j = 0; j < result->num_screened; j++) {
        there =
            strcmp(result->screened[j].system, item->system) == 0 ? &result->screened[j] : there;
    }
    if (there == NULL) {
        ret = SPOT_ARRAY_APPEND(result, screened,
            (spot_advice_screened_t){.words = spot_texts_add(&result->texts, "%s", item->screened),
                .system = spot_texts_add(&result->texts, "%s", item->system),
                .ratio = HUGE_VAL});
        there = ret == 0 ? &result->screened[result->num_screened - 1] : NULL;
    }
    if (ret == 0 && ratio < there->ratio) {
        there->ratio = ratio;
        there->p = figures->p;
        there->num_runs = figures->num_runs;
    }
    return ret;
}

/* Runs items beside the answer. */
static int screen(spot_advising_t *self, size_t num_items, const spot_alternative_t *const *items,
    const char *const *points)
{
    const int64_t num_runs = spot_advising_afford(
        self, SCREENED_RUNS, DECISION_SHARE / (double) (num_items + 1), LEAST_OTHER);
    const spot_trial_plan_t plan = {whole_turns(self, num_runs), promise_seed(self), 0};
    spot_advice_figures_t answer, figures;
    spot_trial_t trial;
    int ret = spot_trial_init(&trial, self, num_items + 1, points, NULL, &plan);

    ret = ret == 0 ? spot_trial_grow(&trial, plan.most) : ret;
    if (ret == 0) {
        spot_trial_figures(&trial, 0, &answer);
    }
    for (size_t j = 0; ret == 0 && j < num_items; j++) {
        spot_trial_figures(&trial, j + 1, &figures);
        ret = take_screened(self, items[j], &figures, figures.cost / answer.cost);
    }
    spot_trial_free(&trial);
    return ret;
}

/* Looks at what was not searched and has the fleet of the answer. */
static int screen_others(spot_advising_t *self, const spot_alternative_t *answer)
{
    spot_advice_result_t *result = self->result;
    const size_t num_others = self->alternatives.num_items - self->num_searched;
    const spot_alternative_t **items = spot_calloc(num_others + 1, sizeof(*items));
    const char **points = spot_calloc(num_others + 1, sizeof(*points));
    size_t num = 0;
    int ret = items == NULL || points == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (size_t j = 0; ret == 0 && answer->fleet != NULL && j < num_others; j++) {
        const spot_alternative_t *item = &self->alternatives.items[self->num_searched + j];
        const char *why = NULL;

        if (strcmp(item->fleet, answer->fleet) == 0) {
            ret = spot_advising_look(self, item, &why, NULL);
            if (ret == 0 && why == NULL) {
                items[num++] = item;
                points[num] = item->point;
            }
        }
    }
    if (ret == 0 && num > 0) {
        points[0] = result->advised[0].point;
        ret = screen(self, num, items, points);
    }
    if (ret == 0 && result->num_screened > 1) {
        qsort(result->screened, result->num_screened, sizeof(*result->screened), compare_screened);
    }
    free(items);
    free(points);
    return ret;
}

int spot_advising_choose(
    spot_advising_t *self, const spot_study_t *study, const spot_store_t *store)
{
    entry_t *entries = spot_calloc(study->head.num_points, sizeof(*entries));
    size_t chosen_id = 0;
    int ret = entries == NULL ? SPOT_ERR_NO_MEMORY : rank(self, study, store, entries);

    ret = ret == 0 ? find_answer(self, entries, &chosen_id) : ret;
    ret = ret == 0 ? name_rivals(self, entries, chosen_id) : ret;
    if (ret == 0) {
        ret = self->result->advised[0].verdict == SPOT_VERDICT_YES
                  ? screen_others(self, item_of(self, &entries[chosen_id]))
                  : look_at_larger(self);
    }
    free(entries);
    return ret;
}
