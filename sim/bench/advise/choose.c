/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "sim/bench/advise/advise_internal.h"

/* Candidates whose figures are looked at before the answer is no, the least runs of
 * these looks, rivals of the answer that it names, and their least runs. */
enum { MAX_CANDIDATES = 8, LEAST_GATE_RUNS = 64, MAX_RIVALS = 4, LEAST_RIVAL_RUNS = 16 };

/* Fleets that are looked at after a no, over the largest that was asked for. */
static const double larger_fleets[] = {4.0 / 3, 5.0 / 3, 2};

/* Seeds that differ from that of the search: of the runs that a choice must pass, and of
 * the runs for its figures, which no choice depends on. */
#define GATE UINT64_C(0x1e3779b97f4a7c15)
#define PROMISE UINT64_C(0x3f58476d1ce4e5b9)

static uint64_t seed_of(const spot_advising_t *self, uint64_t purpose)
{
    return (self->request->seed ^ purpose) & INT64_MAX;
}

/* Rounds a number of runs down, so that recordings that take turns have as many each. */
static int64_t whole_turns(const spot_advising_t *self, int64_t num_runs)
{
    const size_t num_traces = self->request->question.num_traces;
    const int64_t num = num_traces > 1 ? (int64_t) num_traces : 1;

    return num_runs > num ? num_runs / num * num : num;
}

/* What the race says of a point. */
typedef struct {
    size_t point_id;
    int64_t size; /* instances */
    double cost, p;
    bool is_sure;    /* keeps the goal, if not the budget */
    double num_runs; /* of p */
    bool is_best;    /* of the race */
    bool is_met;     /* by the estimates */
    bool is_out;     /* another point is better or it keeps no limit, with confidence */
    bool is_open;    /* a candidate: it is met, or the race leaves open whether it is */
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
    if (a->is_open && a->is_out != b->is_out) {
        return a->is_out ? 1 : -1;
    }
    if (a->is_open && a->cost != b->cost) {
        return a->cost < b->cost ? -1 : 1;
    }
    return compare_distances(a, b);
}

/* Points that may keep the limits come first, those still in the race by cost, then
 * those out of it; then those above the budget, by cost; last the others, by their
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
        spot_advice_figures_t figures = {
            .p = spot_estimate_value(&runner->constrained[0]), .cost_p95 = -HUGE_VAL};

        if (study->head.optimise.num_constraints > 1) {
            figures.cost_p95 = spot_estimate_value(&runner->constrained[1]);
        }
        entries[j] = (entry_t){.point_id = j,
            .size = self->alternatives.items[j].size,
            .cost = spot_estimate_value(&runner->estimate),
            .p = figures.p,
            .is_sure = figures.p >= self->result->sure,
            .is_met = runner->fate != SPOT_FATE_UNDEFINED && spot_advising_is_met(self, &figures),
            .is_out = runner->fate != SPOT_FATE_RACING,
            .is_best = race.has_best && race.best_id == j,
            .num_runs = (double) runner->constrained[0].num_values};
        self->result->num_runs += runner->num_rows; /* not of a round that was stopped */
        entries[j].is_open = entries[j].is_met || !entries[j].is_out;
        ret = SPOT_ARRAY_APPEND(self->result, searched,
            (spot_advice_searched_t){.kind = spot_texts_add(&self->result->texts, "%s",
                                         self->alternatives.items[j].kind),
                .size = entries[j].size,
                .cost = entries[j].cost,
                .p = entries[j].p,
                .is_met = entries[j].is_met});
    }
    if (ret == 0) {
        qsort(entries, num_points, sizeof(*entries), compare_entries);
        self->result->num_undecided = race.num_racing;
        self->result->regret = spot_race_regret(&race); /* of its best point */
    }
    spot_race_free(&race);
    return ret;
}

/* ---- Named alternatives ---- */

static int name(spot_advising_t *self, const spot_alternative_t *item,
    const spot_advice_figures_t *figures, bool is_larger)
{
    spot_advice_result_t *result = self->result;
    spot_texts_t *texts = &result->texts;
    const spot_advised_t advised = {
        .point = spot_texts_add(texts, "%s", item->point),
        .words = spot_texts_add(texts, "%s", item->words),
        .kind = spot_texts_add(texts, "%s", item->kind),
        .assumed = item->assumed == NULL ? NULL : spot_texts_add(texts, "%s", item->assumed),
        .size = item->size,
        .is_met = spot_advising_is_met(self, figures),
        .figures = *figures,
    };

    return is_larger ? SPOT_ARRAY_APPEND(result, larger, advised)
                     : SPOT_ARRAY_APPEND(result, advised, advised);
}

/* Runs an entry, at most so often. For the gate p is that of all its runs. */
static int measure_one(spot_advising_t *self, const entry_t *entry, int64_t most, uint64_t purpose,
    spot_advice_figures_t *figures, spot_advice_worst_t *worst)
{
    const spot_alternative_t *item = &self->alternatives.items[entry->point_id];
    const double played_s = (double) item->played_ms / SPOT_MS_PER_S;
    const int64_t num_runs =
        whole_turns(self, (int64_t) fmin((double) most, SPOT_ADVICE_PROMISE_RUNS));
    const int ret = spot_advising_measure(
        self, 1, &item->point, NULL, num_runs, seed_of(self, purpose), figures, worst);

    if (ret == 0) {
        figures->time_p50_s -= played_s;
        figures->time_p95_s -= played_s;
    }
    if (ret == 0 && purpose == GATE && entry->num_runs > 0) {
        figures->p += entry->num_runs / (entry->num_runs + (double) figures->num_runs) *
                      (entry->p - figures->p);
    }
    return ret;
}

/* Whether an entry is the first one of its market by its distance. */
static bool is_first_of_kind(const spot_advising_t *self, const entry_t *entries, size_t entry_id)
{
    const spot_alternative_t *items = self->alternatives.items;
    const entry_t *entry = &entries[entry_id];

    for (size_t j = 0; j < self->result->num_points; j++) {
        if (strcmp(items[entries[j].point_id].kind, items[entry->point_id].kind) == 0 &&
            compare_distances(&entries[j], entry) < 0) {
            return false;
        }
    }
    return true;
}

/* Whether a comes nearer to what is asked for: the limits, the goal without the budget
 * and a small cost, a large probability, a short time. */
static bool is_nearer(
    const spot_advising_t *self, const spot_advice_figures_t *a, const spot_advice_figures_t *b)
{
    const bool is_met = spot_advising_is_met(self, a);
    const bool is_sure = a->p >= self->result->sure;

    if (is_met != spot_advising_is_met(self, b)) {
        return is_met;
    }
    if (is_sure != (b->p >= self->result->sure)) {
        return is_sure;
    }
    return is_sure ? a->cost < b->cost : a->p != b->p ? a->p > b->p : a->time_p50_s < b->time_p50_s;
}

/* Of the first ones of each market, the one that comes nearest, by parts of what is
 * left. */
static int find_nearest(spot_advising_t *self, const entry_t *entries, size_t *chosen_id)
{
    spot_advice_figures_t best = {.p = -1};
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < self->result->num_points; j++) {
        spot_advice_figures_t figures;

        if (!is_first_of_kind(self, entries, j)) {
            continue;
        }
        ret = measure_one(self, &entries[j], spot_advising_left(self) / 4, GATE, &figures, NULL);
        if (ret == 0 && is_nearer(self, &figures, &best)) {
            best = figures;
            *chosen_id = j;
        }
    }
    return ret;
}

/* The first of the candidates that keeps the limits in other runs too; without one what
 * comes nearest. Those after the first take at most half of the runs that are left. */
static int find_answer(spot_advising_t *self, const entry_t *entries, size_t *chosen_id)
{
    spot_advice_result_t *result = self->result;
    int64_t most = SPOT_ADVICE_PROMISE_RUNS;
    int ret = 0;

    for (size_t j = 0; ret == 0 && !result->is_yes && j < MAX_CANDIDATES &&
                       j < result->num_points && entries[j].is_open && most >= LEAST_GATE_RUNS;
         j++) {
        spot_advice_figures_t figures;

        ret = measure_one(self, &entries[j], most, GATE, &figures, NULL);
        most = spot_advising_left(self) / 2;
        result->is_yes = ret == 0 && spot_advising_is_met(self, &figures);
        *chosen_id = j;
    }
    ret = ret == 0 && !result->is_yes ? find_nearest(self, entries, chosen_id) : ret;
    result->regret = entries[*chosen_id].is_best ? result->regret : HUGE_VAL;
    return ret;
}

/* Names the answer with its figures. */
static int name_answer(spot_advising_t *self, const entry_t *entry)
{
    spot_advice_result_t *result = self->result;
    spot_advice_figures_t figures;
    spot_advice_worst_t worst = {0};
    int ret = measure_one(self, entry, SPOT_ADVICE_PROMISE_RUNS, PROMISE, &figures,
        result->num_traces > 1 ? &worst : NULL);

    ret = ret == 0 ? name(self, &self->alternatives.items[entry->point_id], &figures, false) : ret;
    if (ret == 0) {
        result->advised[0].is_met = result->is_yes;
    }
    if (ret == 0 && result->num_traces > 1) {
        result->worst_p = worst.p;
        result->worst_trace =
            spot_texts_add(&result->texts, "%s", self->request->question.traces[worst.trace_id]);
    }
    return ret;
}

/* The cheapest of each other market, and of the rest the one that nearly wins. */
static int name_rivals(spot_advising_t *self, const entry_t *entries, size_t chosen_id)
{
    spot_advice_result_t *result = self->result;
    const char *kind = result->advised[0].kind;
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < result->num_points; j++) {
        const spot_alternative_t *item = &self->alternatives.items[entries[j].point_id];
        const bool is_next =
            j != chosen_id && result->is_yes && result->runner_up_id == 0 && entries[j].is_met;
        spot_advice_figures_t figures;

        if (j == chosen_id || result->num_advised > MAX_RIVALS ||
            (!is_next && (strcmp(item->kind, kind) == 0 || !is_first_of_kind(self, entries, j)))) {
            continue;
        }
        ret = measure_one(self, &entries[j],
            strcmp(item->kind, SPOT_ADVICE_AS_IT_IS) == 0
                ? SPOT_ADVICE_PROMISE_RUNS
                : (int64_t) fmax((double) spot_advising_left(self) / 6, LEAST_RIVAL_RUNS),
            PROMISE, &figures, NULL);
        if (ret == 0) {
            result->runner_up_id = is_next ? result->num_advised : result->runner_up_id;
            ret = name(self, item, &figures, false);
        }
    }
    return ret;
}

/* ---- Larger fleets ---- */

/* Measures the alternatives above a size, and names the best of them. */
static int name_best_above(spot_advising_t *self, const spot_alternatives_t *all, int64_t size)
{
    const spot_alternative_t *best = NULL;
    spot_advice_figures_t best_figures = {.p = -1};
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < all->num_items; j++) {
        spot_advice_figures_t figures;
        const char *why = NULL;

        if (all->items[j].size <= size) {
            continue;
        }
        ret = spot_advising_look(self, &all->items[j], &why);
        if (ret != 0 || why != NULL) {
            continue;
        }
        ret = spot_advising_measure(self, 1, &all->items[j].point, NULL,
            whole_turns(self, SPOT_ADVICE_PROBE_RUNS), seed_of(self, PROMISE), &figures, NULL);
        self->result->num_larger_points++;
        if (ret == 0 && is_nearer(self, &figures, &best_figures)) {
            best = &all->items[j];
            best_figures = figures;
        }
    }
    return ret == 0 && best != NULL ? name(self, best, &best_figures, true) : ret;
}

/* Looks at larger fleets until one keeps the limits. */
static int look_at_larger(spot_advising_t *self)
{
    spot_advice_result_t *result = self->result;
    int64_t largest = 0, before;
    bool is_met = false;
    int ret = 0;

    for (size_t j = 0; j < self->alternatives.num_items; j++) {
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
        before = question.max_fleet;
        is_met = result->num_larger > 0 && result->larger[result->num_larger - 1].is_met;
        spot_alternatives_free(&all);
    }
    return ret;
}

int spot_advising_choose(
    spot_advising_t *self, const spot_study_t *study, const spot_store_t *store)
{
    entry_t *entries = spot_calloc(study->head.num_points, sizeof(*entries));
    size_t chosen_id = 0;
    int ret = entries == NULL ? SPOT_ERR_NO_MEMORY : rank(self, study, store, entries);

    ret = ret == 0 ? find_answer(self, entries, &chosen_id) : ret;
    ret = ret == 0 ? name_answer(self, &entries[chosen_id]) : ret;
    ret = ret == 0 ? name_rivals(self, entries, chosen_id) : ret;
    ret = ret == 0 && !self->result->is_yes ? look_at_larger(self) : ret;
    free(entries);
    return ret;
}
