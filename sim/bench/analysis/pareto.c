/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/analysis/pareto.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"

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
