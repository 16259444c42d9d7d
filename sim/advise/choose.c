/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/advise/advise_internal.h"

/* Candidates whose figures are looked at before the answer is no, and rivals of the
 * answer that it names. */
enum { MAX_CANDIDATES = 8, MAX_RIVALS = 4 };

/* Fleets that are looked at after a no, over the largest that was asked for. */
static const double larger_fleets[] = {4.0 / 3, 5.0 / 3, 2};

/* Seeds that differ from that of the search: of the runs that a choice must pass, and of
 * the runs for its figures, which no choice depends on. */
static uint64_t
gate_seed(const spot_advising_t *self)
{
    return (self->request->seed ^ UINT64_C(0x1e3779b97f4a7c15)) & INT64_MAX;
}

static uint64_t
promise_seed(const spot_advising_t *self)
{
    return (self->request->seed ^ UINT64_C(0x3f58476d1ce4e5b9)) & INT64_MAX;
}

/* Rounds the number of runs up, so that recordings that take turns have as many each. */
static int64_t
whole_turns(const spot_advising_t *self, int64_t num_runs)
{
    const size_t num_traces = self->request->question.num_traces;
    const int64_t num = num_traces > 1 ? (int64_t) num_traces : 1;

    return (num_runs + num - 1) / num * num;
}

/* What the race says of a point. */
typedef struct {
    size_t point_id;
    int64_t size; /* instances */
    double cost, p;
    bool is_met;
    bool is_out; /* another point is better or it keeps no limit, with confidence */
} entry_t;

static int
compare_entries(const void *left, const void *right)
{
    const entry_t *a = left;
    const entry_t *b = right;

    if (a->is_met != b->is_met) {
        return a->is_met ? -1 : 1;
    }
    if (a->is_met && a->is_out != b->is_out) {
        return a->is_out ? 1 : -1;
    }
    if (a->is_met && a->cost != b->cost) {
        return a->cost < b->cost ? -1 : 1;
    }
    if (!a->is_met && a->p != b->p) {
        return a->p > b->p ? -1 : 1;
    }
    if (!a->is_met && a->size != b->size) {
        return a->size > b->size ? -1 : 1;
    }
    return (a->point_id > b->point_id) - (a->point_id < b->point_id);
}

/* Points that keep the limits by their estimates come first, those still in the race by
 * cost, then those out of it; last the others, by their probability, then their size. */
static int
rank(spot_advising_t *self, const spot_study_t *study, const spot_store_t *store,
    entry_t *entries)
{
    const size_t num_points = study->head.num_points;
    spot_race_t race;
    int ret = spot_race_init(&race, &study->head);

    ret = ret == 0 ? spot_race_replay(&race, store) : ret;
    for (size_t j = 0; ret == 0 && j < num_points; j++) {
        const spot_runner_t *runner = &race.runners[j];
        spot_advice_figures_t figures = {
            .p = spot_estimate_value(&runner->constrained[0]), .cost_p95 = -HUGE_VAL};

        if (study->head.optimise.num_constraints > 1) {
            figures.cost_p95 = spot_estimate_value(&runner->constrained[1]);
        }
        entries[j] = (entry_t){.point_id = j,
            .size = self->alternatives.items[j].size,
            .cost = spot_estimate_value(&runner->estimate),
            .p = figures.p,
            .is_met = runner->fate != SPOT_FATE_UNDEFINED &&
                      spot_advising_is_met(self, &figures),
            .is_out = runner->fate != SPOT_FATE_RACING};
    }
    if (ret == 0) {
        qsort(entries, num_points, sizeof(*entries), compare_entries);
        self->result->num_undecided = race.num_racing;
        self->result->is_proven =
            race.has_best && race.best_id == entries[0].point_id && race.num_racing == 1;
    }
    spot_race_free(&race);
    return ret;
}

/* ---- Named alternatives ---- */

static int
name(spot_advising_t *self, const spot_alternative_t *item,
    const spot_advice_figures_t *figures, bool is_larger)
{
    spot_advice_result_t *result = self->result;
    spot_texts_t *texts = &result->texts;
    const spot_advised_t advised = {
        .point = spot_texts_add(texts, "%s", item->point),
        .words = spot_texts_add(texts, "%s", item->words),
        .kind = spot_texts_add(texts, "%s", item->kind),
        .assumed =
            item->assumed == NULL ? NULL : spot_texts_add(texts, "%s", item->assumed),
        .size = item->size,
        .is_met = spot_advising_is_met(self, figures),
        .figures = *figures,
    };

    return is_larger ? SPOT_ARRAY_APPEND(result, larger, advised)
                     : SPOT_ARRAY_APPEND(result, advised, advised);
}

/* Whether an alternative of a market is among those that are named. */
static bool
has_kind(const spot_advice_result_t *result, const char *kind)
{
    for (size_t j = 0; j < result->num_advised; j++) {
        if (strcmp(result->advised[j].kind, kind) == 0) {
            return true;
        }
    }
    return false;
}

static int
measure_one(spot_advising_t *self, const spot_alternative_t *item, uint64_t seed,
    spot_advice_figures_t *figures, spot_advice_worst_t *worst)
{
    return spot_advising_measure(self, 1, &item->point, NULL,
        whole_turns(self, SPOT_ADVICE_PROMISE_RUNS), seed, figures, worst);
}

/* Whether an entry is the first one of its market. */
static bool
is_first_of_kind(const spot_advising_t *self, const entry_t *entries, size_t entry_id)
{
    const spot_alternative_t *items = self->alternatives.items;

    for (size_t j = 0; j < entry_id; j++) {
        if (strcmp(items[entries[j].point_id].kind,
                items[entries[entry_id].point_id].kind) == 0) {
            return false;
        }
    }
    return true;
}

/* What comes nearest: of the first one of each market the most probable, and of equal
 * ones the soonest. */
static int
find_nearest(spot_advising_t *self, const entry_t *entries, size_t *chosen_id)
{
    double best_p = -1, best_time_s = HUGE_VAL;
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < self->result->num_points; j++) {
        spot_advice_figures_t figures;

        if (!is_first_of_kind(self, entries, j)) {
            continue;
        }
        ret = measure_one(self, &self->alternatives.items[entries[j].point_id],
            gate_seed(self), &figures, NULL);
        if (ret == 0 && (figures.p > best_p ||
                            (figures.p == best_p && figures.time_p50_s < best_time_s))) {
            best_p = figures.p;
            best_time_s = figures.time_p50_s;
            *chosen_id = j;
        }
    }
    return ret;
}

/* The first of the candidates that keeps the limits in other runs too; without one the
 * most probable alternative. */
static int
find_answer(spot_advising_t *self, const entry_t *entries, size_t *chosen_id)
{
    spot_advice_result_t *result = self->result;
    int ret = 0;

    for (size_t j = 0; ret == 0 && !result->is_yes && j < MAX_CANDIDATES &&
                       j < result->num_points && entries[j].is_met;
         j++) {
        spot_advice_figures_t figures;

        ret = measure_one(self, &self->alternatives.items[entries[j].point_id],
            gate_seed(self), &figures, NULL);
        result->is_yes = ret == 0 && spot_advising_is_met(self, &figures);
        *chosen_id = j;
        result->is_proven = result->is_proven && j == 0;
    }
    return ret == 0 && !result->is_yes ? find_nearest(self, entries, chosen_id) : ret;
}

/* Names the answer with its figures. */
static int
name_answer(spot_advising_t *self, const spot_alternative_t *item)
{
    spot_advice_result_t *result = self->result;
    spot_advice_figures_t figures;
    spot_advice_worst_t worst = {0};
    int ret = measure_one(self, item, promise_seed(self), &figures,
        result->num_traces > 1 ? &worst : NULL);

    ret = ret == 0 ? name(self, item, &figures, false) : ret;
    if (ret == 0) {
        result->advised[0].is_met = result->is_yes;
    }
    if (ret == 0 && result->num_traces > 1) {
        result->worst_p = worst.p;
        result->worst_trace = spot_texts_add(
            &result->texts, "%s", self->request->question.traces[worst.trace_id]);
    }
    return ret;
}

/* The cheapest of each other market, and of the rest the one that nearly wins. */
static int
name_rivals(spot_advising_t *self, const entry_t *entries, size_t chosen_id)
{
    spot_advice_result_t *result = self->result;
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < result->num_points; j++) {
        const spot_alternative_t *item = &self->alternatives.items[entries[j].point_id];
        const bool is_next = j != chosen_id && result->is_yes &&
                             result->runner_up_id == 0 && entries[j].is_met;
        spot_advice_figures_t figures;

        if (j == chosen_id || result->num_advised > MAX_RIVALS ||
            (!is_next && has_kind(result, item->kind))) {
            continue;
        }
        ret = measure_one(self, item, promise_seed(self), &figures, NULL);
        if (ret == 0) {
            result->runner_up_id = is_next ? result->num_advised : result->runner_up_id;
            ret = name(self, item, &figures, false);
        }
    }
    return ret;
}

/* ---- Larger fleets ---- */

/* Measures the alternatives of one size, and names the best of them. */
static int
name_best_of_size(spot_advising_t *self, const spot_alternatives_t *all, int64_t size)
{
    const spot_alternative_t *best = NULL;
    spot_advice_figures_t best_figures = {.p = -1};
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < all->num_items; j++) {
        spot_advice_figures_t figures;
        bool is_met, was_met;

        if (all->items[j].size != size) {
            continue;
        }
        ret = spot_advising_measure(self, 1, &all->items[j].point, NULL,
            whole_turns(self, SPOT_ADVICE_PROBE_RUNS), promise_seed(self), &figures,
            NULL);
        if (ret == SPOT_ERR_BAD_INPUT) { /* it does not compete */
            ret = 0;
            continue;
        }
        is_met = ret == 0 && spot_advising_is_met(self, &figures);
        was_met = best != NULL && spot_advising_is_met(self, &best_figures);
        if (ret == 0 && (is_met != was_met ? is_met
                            : is_met       ? figures.cost < best_figures.cost
                                           : figures.p > best_figures.p)) {
            best = &all->items[j];
            best_figures = figures;
        }
    }
    return ret == 0 && best != NULL ? name(self, best, &best_figures, true) : ret;
}

/* Looks at larger fleets until one keeps the limits. */
static int
look_at_larger(spot_advising_t *self)
{
    spot_advice_result_t *result = self->result;
    int64_t largest = 0;
    bool is_met = false;
    int ret = 0;

    for (size_t j = 0; j < self->alternatives.num_items; j++) {
        const int64_t size = self->alternatives.items[j].size;

        largest = size > largest ? size : largest;
    }
    for (size_t j = 0;
         ret == 0 && !is_met && j < sizeof(larger_fleets) / sizeof(larger_fleets[0]);
         j++) {
        spot_advice_question_t question = self->request->question;
        spot_alternatives_t all = {.error = 0};

        question.max_fleet = (int64_t) ceil((double) largest * larger_fleets[j]);
        ret = self->advice->propose(
            &question, self->scenario, self->document.root, &all, self->diag);
        ret = ret == 0 ? spot_error_first(all.error, all.texts.error) : ret;
        ret = ret == 0 ? name_best_of_size(self, &all, question.max_fleet) : ret;
        is_met = result->num_larger > 0 && result->larger[result->num_larger - 1].is_met;
        spot_alternatives_free(&all);
    }
    return ret;
}

int
spot_advising_choose(
    spot_advising_t *self, const spot_study_t *study, const spot_store_t *store)
{
    entry_t *entries = spot_calloc(study->head.num_points, sizeof(*entries));
    size_t chosen_id = 0;
    int ret = entries == NULL ? SPOT_ERR_NO_MEMORY : rank(self, study, store, entries);

    ret = ret == 0 ? find_answer(self, entries, &chosen_id) : ret;
    if (ret == 0) {
        ret = name_answer(self, &self->alternatives.items[entries[chosen_id].point_id]);
    }
    ret = ret == 0 ? name_rivals(self, entries, chosen_id) : ret;
    ret = ret == 0 && !self->result->is_yes ? look_at_larger(self) : ret;
    free(entries);
    return ret;
}
