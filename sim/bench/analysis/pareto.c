/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/analysis/pareto.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/keys.h"
#include "base/memory.h"

/* ---- A front ---- */

/* What a choice is sorted by: its cost or an end of its interval. */
typedef struct {
    double cost;
    double gain;
    size_t choice_id;
} entry_t;

/* By cost; of equal ones the highest gain first. */
static int compare_entries(const void *a, const void *b)
{
    const entry_t *left = a, *right = b;

    if (left->cost != right->cost) {
        return left->cost < right->cost ? -1 : 1;
    }
    return (left->gain < right->gain) - (left->gain > right->gain);
}

static bool is_left_out(const spot_choice_t *choice)
{
    return !isfinite(choice->cost) || !isfinite(choice->gain);
}

/* From the cheapest on: what gains no more than a cheaper one is dominated, but for what
 * costs and gains just the same as the one that gained most so far. */
static void find_front(
    const spot_choice_t *choices, size_t num_choices, entry_t *entries, spot_choice_fate_t *fates)
{
    size_t num_entries = 0;
    const entry_t *best = NULL;

    for (size_t j = 0; j < num_choices; j++) {
        fates[j] = SPOT_CHOICE_LEFT_OUT;
        if (!is_left_out(&choices[j])) {
            entries[num_entries++] = (entry_t){choices[j].cost, choices[j].gain, j};
        }
    }
    qsort(entries, num_entries, sizeof(*entries), compare_entries);
    for (size_t j = 0; j < num_entries; j++) {
        const entry_t *entry = &entries[j];
        const bool is_front = best == NULL || entry->gain > best->gain ||
                              (entry->gain == best->gain && entry->cost == best->cost);

        best = is_front ? entry : best;
        fates[entry->choice_id] = is_front ? SPOT_CHOICE_FRONT : SPOT_CHOICE_DOMINATED;
    }
}

/* Entries of the dominated choices by the low ends of their costs, or of all by the high
 * ones; those with an interval. Returns their number. */
static size_t sort_ends(const spot_choice_t *choices, size_t num_choices,
    const spot_choice_fate_t *fates, bool is_low, entry_t *entries)
{
    size_t num_entries = 0;

    for (size_t j = 0; j < num_choices; j++) {
        const spot_choice_t *choice = &choices[j];
        const entry_t entry = {is_low ? choice->cost_low : choice->cost_high,
            is_low ? choice->gain_high : choice->gain_low, j};
        const bool is_wanted = is_low ? fates[j] == SPOT_CHOICE_DOMINATED : !is_left_out(choice);

        if (is_wanted && isfinite(entry.cost) && isfinite(entry.gain)) {
            entries[num_entries++] = entry;
        }
    }
    qsort(entries, num_entries, sizeof(*entries), compare_entries);
    return num_entries;
}

/* Both sorted by cost: what each beaten one meets has the highest gain of all those that
 * surely cost less. */
static void find_surely_worse(const spot_choice_t *choices, size_t num_choices, entry_t *entries,
    entry_t *rivals, spot_choice_fate_t *fates)
{
    const size_t num_entries = sort_ends(choices, num_choices, fates, true, entries);
    const size_t num_rivals = sort_ends(choices, num_choices, fates, false, rivals);
    double highest = -HUGE_VAL;
    size_t rival_id = 0;

    for (size_t j = 0; j < num_entries; j++) {
        while (rival_id < num_rivals && rivals[rival_id].cost < entries[j].cost) {
            highest = fmax(highest, rivals[rival_id++].gain);
        }
        if (highest > entries[j].gain) {
            fates[entries[j].choice_id] = SPOT_CHOICE_SURELY_WORSE;
        }
    }
}

/* A choice as it is compared with those that cost the same. */
typedef struct {
    double cost[3]; /* with the ends of its interval */
    double gain_low, gain_high;
    size_t choice_id;
} equal_t;

/* The same turned round: what it gains is what it costs below 0. */
static equal_t equal_of(const spot_choice_t *choice, size_t choice_id, bool is_turned)
{
    return is_turned ? (equal_t){{-choice->gain, -choice->gain_high, -choice->gain_low},
                           -choice->cost_high, -choice->cost_low, choice_id}
                     : (equal_t){{choice->cost, choice->cost_low, choice->cost_high},
                           choice->gain_low, choice->gain_high, choice_id};
}

static int compare_costs(const equal_t *left, const equal_t *right)
{
    for (int j = 0; j < 3; j++) {
        if (left->cost[j] != right->cost[j]) {
            return left->cost[j] < right->cost[j] ? -1 : 1;
        }
    }
    return 0;
}

/* By cost and its interval; of equal ones that first which surely gains most. */
static int compare_equals(const void *a, const void *b)
{
    const equal_t *left = a, *right = b;
    const int order = compare_costs(left, right);

    return order != 0 ? order
                      : (left->gain_low < right->gain_low) - (left->gain_low > right->gain_low);
}

/* Among choices that cost the same, which meet the same events: that gain surely less
 * than another one. */
static void find_worse_of_equals(const spot_choice_t *choices, size_t num_choices, bool is_turned,
    equal_t *equals, spot_choice_fate_t *fates)
{
    size_t num_equals = 0, first = 0;

    for (size_t j = 0; j < num_choices; j++) {
        const spot_choice_t *choice = &choices[j];

        if (!is_left_out(choice) && isfinite(choice->cost_low) && isfinite(choice->cost_high) &&
            isfinite(choice->gain_low) && isfinite(choice->gain_high)) {
            equals[num_equals++] = equal_of(choice, j, is_turned);
        }
    }
    qsort(equals, num_equals, sizeof(*equals), compare_equals);
    for (size_t j = 0; j < num_equals; j++) {
        first = compare_costs(&equals[j], &equals[first]) == 0 ? first : j;
        if (equals[first].gain_low > equals[j].gain_high) {
            fates[equals[j].choice_id] = SPOT_CHOICE_SURELY_WORSE;
        }
    }
}

int spot_pareto_find(const spot_choice_t *choices, size_t num_choices, spot_choice_fate_t *fates)
{
    spot_arena_t memory = {0};
    entry_t *entries = spot_arena_take(&memory, num_choices, sizeof(*entries));
    entry_t *rivals = spot_arena_take(&memory, num_choices, sizeof(*rivals));
    equal_t *equals = spot_arena_take(&memory, num_choices, sizeof(*equals));
    const int ret = memory.error;

    if (ret == 0) {
        find_front(choices, num_choices, entries, fates);
        find_surely_worse(choices, num_choices, entries, rivals, fates);
        find_worse_of_equals(choices, num_choices, false, equals, fates);
        find_worse_of_equals(choices, num_choices, true, equals, fates);
    }
    spot_arena_free(&memory);
    return ret;
}

/* ---- Fronts of a study ---- */

bool spot_axis_is_circumstance(const spot_axis_t *axis)
{
    return strcmp(axis->path, "trace") == 0 || strncmp(axis->path, "trace.", 6) == 0;
}

/* ---- Choices ---- */

static void fill_choices(spot_fronts_t *self, const spot_summary_t *summaries)
{
    for (size_t j = 0; j < self->head->num_points; j++) {
        const spot_summary_t *row = &summaries[j * self->head->num_metrics];
        const spot_summary_t *cost = &row[self->head->overview.cost_id];
        const spot_summary_t *gain = &row[self->head->overview.gain_id];

        self->choices[j] = (spot_choice_t){
            cost->value, gain->value, cost->ci_low, cost->ci_high, gain->ci_low, gain->ci_high};
    }
}

/* The first replications of a point, those that all points have. */
typedef struct {
    int64_t end;
    spot_estimate_t cost, gain;
} common_t;

static int add_common(void *context, const spot_row_t *row)
{
    common_t *self = context;
    int ret;

    if (row->replication >= self->end) {
        return 1; /* enough */
    }
    ret = spot_estimate_add(&self->cost, row->metrics);
    return ret == 0 ? spot_estimate_add(&self->gain, row->metrics) : ret;
}

/* A fixed point has the same in all replications. */
static int read_common_choices(spot_fronts_t *self, const spot_store_t *store)
{
    const spot_overview_t *overview = &self->head->overview;
    int ret = 0;

    for (size_t j = 0; ret >= 0 && j < self->head->num_points; j++) {
        common_t common = {.end = self->num_common};
        spot_choice_t *choice = &self->choices[j];

        if (spot_study_is_fixed(self->head, j)) {
            continue;
        }
        spot_estimate_init(&common.cost, self->head, overview->cost_id);
        spot_estimate_init(&common.gain, self->head, overview->gain_id);
        ret = store->read(store, j, 0, add_common, &common);
        choice->cost = spot_estimate_value(&common.cost);
        choice->gain = spot_estimate_value(&common.gain);
        spot_estimate_bounds(&common.cost, SPOT_CONFIDENCE, &choice->cost_low, &choice->cost_high);
        spot_estimate_bounds(&common.gain, SPOT_CONFIDENCE, &choice->gain_low, &choice->gain_high);
        spot_estimate_free(&common.cost);
        spot_estimate_free(&common.gain);
    }
    return ret < 0 ? ret : 0;
}

/* ---- Groups ---- */

/* Sets first_ids[num_points] to the first point that meets the same trace, or to 0 where
 * no two points meet the same one. */
static int find_first_points(spot_fronts_t *self, size_t *first_ids)
{
    const spot_study_head_t *head = self->head;
    const size_t num_axes = head->num_axes, num_points = head->num_points;
    uint32_t *rows = spot_calloc(num_points * num_axes, sizeof(*rows));
    spot_key_t *keys = spot_calloc(num_points, sizeof(*keys));
    int ret = rows == NULL || keys == NULL ? SPOT_ERR_NO_MEMORY : 0;
    size_t num_alone = 0;

    for (size_t j = 0; ret == 0 && j < num_points; j++) {
        for (size_t k = 0; k < num_axes; k++) {
            rows[j * num_axes + k] = spot_axis_is_circumstance(&head->axes[k])
                                         ? (uint32_t) spot_study_value_id(head, j, k)
                                         : 0;
        }
        keys[j] = (spot_key_t){&rows[j * num_axes], num_axes * sizeof(*rows)};
    }
    if (ret == 0) {
        ret = spot_group_equal(keys, num_points, first_ids);
    }
    for (size_t j = 0; ret == 0 && j < num_points; j++) {
        num_alone += first_ids[j] == j;
    }
    if (num_alone == num_points && num_points > 1) {
        self->is_over_traces = true;
        memset(first_ids, 0, num_points * sizeof(*first_ids));
    }
    free(keys);
    free(rows);
    return ret;
}

/* A point with what it is sorted by. */
typedef struct {
    size_t first_id;
    double cost; /* an undefined one comes last */
    size_t point_id;
} place_t;

static int compare_places(const void *a, const void *b)
{
    const place_t *left = a, *right = b;

    if (left->first_id != right->first_id) {
        return left->first_id < right->first_id ? -1 : 1;
    }
    if (left->cost < right->cost || left->cost > right->cost) {
        return left->cost < right->cost ? -1 : 1;
    }
    return (left->point_id > right->point_id) - (left->point_id < right->point_id);
}

static int choose_groups(spot_fronts_t *self)
{
    const size_t num_points = self->head->num_points;
    size_t *first_ids = spot_calloc(num_points, sizeof(*first_ids));
    place_t *places = spot_calloc(num_points, sizeof(*places));
    int ret = first_ids == NULL || places == NULL ? SPOT_ERR_NO_MEMORY
                                                  : find_first_points(self, first_ids);

    for (size_t j = 0; ret == 0 && j < num_points; j++) {
        const double cost = self->choices[j].cost;

        places[j] = (place_t){first_ids[j], isnan(cost) ? HUGE_VAL : cost, j};
    }
    if (ret == 0) {
        qsort(places, num_points, sizeof(*places), compare_places);
    }
    for (size_t j = 0; ret == 0 && j < num_points; j++) {
        if (j == 0 || places[j].first_id != places[j - 1].first_id) {
            self->starts[self->num_groups++] = j;
        }
        self->starts[self->num_groups] = j + 1;
        self->point_ids[j] = places[j].point_id;
    }
    free(places);
    free(first_ids);
    return ret;
}

/* Each group by itself; a bound does not compete. */
static int judge(spot_fronts_t *self)
{
    const spot_study_head_t *head = self->head;
    const spot_best_t *best = &head->best;
    spot_choice_t *rivals = spot_calloc(head->num_points, sizeof(*rivals));
    spot_choice_fate_t *fates = spot_calloc(head->num_points, sizeof(*fates));
    int ret = rivals == NULL || fates == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (size_t j = 0; ret == 0 && j < head->num_points; j++) {
        const size_t point_id = self->point_ids[j];

        rivals[j] = self->choices[point_id];
        if (best->is_asked &&
            !spot_study_value_competes(head, spot_study_value_id(head, point_id, best->axis_id))) {
            rivals[j].cost = (double) NAN;
        }
    }
    for (size_t j = 0; ret == 0 && j < self->num_groups; j++) {
        const size_t start = self->starts[j];

        ret = spot_pareto_find(&rivals[start], self->starts[j + 1] - start, &fates[start]);
    }
    for (size_t j = 0; ret == 0 && j < head->num_points; j++) {
        self->fates[self->point_ids[j]] = fates[j];
        self->num_fates[fates[j]]++;
    }
    free(rivals);
    free(fates);
    return ret;
}

int spot_fronts_init(spot_fronts_t *self, const spot_store_t *store,
    const spot_summary_t *summaries, int64_t num_common)
{
    const size_t num_points = store->head->num_points;
    int ret = 0;

    *self = (spot_fronts_t){.head = store->head, .num_common = num_common};
    self->choices = spot_calloc(num_points, sizeof(*self->choices));
    self->fates = spot_calloc(num_points, sizeof(*self->fates));
    self->starts = spot_calloc(num_points + 1, sizeof(*self->starts));
    self->point_ids = spot_calloc(num_points, sizeof(*self->point_ids));
    if (self->choices == NULL || self->fates == NULL || self->starts == NULL ||
        self->point_ids == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    fill_choices(self, summaries);
    if (num_common > 0) {
        ret = read_common_choices(self, store);
    }
    if (ret == 0) {
        ret = choose_groups(self);
    }
    return ret == 0 ? judge(self) : ret;
}

void spot_fronts_free(spot_fronts_t *self)
{
    free(self->choices);
    free(self->fates);
    free(self->starts);
    free(self->point_ids);
    memset(self, 0, sizeof(*self));
}
