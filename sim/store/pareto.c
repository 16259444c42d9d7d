/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/store/pareto.h"

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
static int
compare_entries(const void *a, const void *b)
{
    const entry_t *left = a, *right = b;

    if (left->cost != right->cost) {
        return left->cost < right->cost ? -1 : 1;
    }
    return (left->gain < right->gain) - (left->gain > right->gain);
}

static bool
is_left_out(const spot_choice_t *choice)
{
    return !isfinite(choice->cost) || !isfinite(choice->gain);
}

/* From the cheapest on: what gains no more than a cheaper one is dominated, but for what
 * costs and gains just the same as the one that gained most so far. */
static void
find_front(const spot_choice_t *choices, size_t num_choices, entry_t *entries,
    spot_choice_fate_t *fates)
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
static size_t
sort_ends(const spot_choice_t *choices, size_t num_choices,
    const spot_choice_fate_t *fates, bool is_low, entry_t *entries)
{
    size_t num_entries = 0;

    for (size_t j = 0; j < num_choices; j++) {
        const spot_choice_t *choice = &choices[j];
        const entry_t entry = {is_low ? choice->cost_low : choice->cost_high,
            is_low ? choice->gain_high : choice->gain_low, j};
        const bool is_wanted =
            is_low ? fates[j] == SPOT_CHOICE_DOMINATED : !is_left_out(choice);

        if (is_wanted && isfinite(entry.cost) && isfinite(entry.gain)) {
            entries[num_entries++] = entry;
        }
    }
    qsort(entries, num_entries, sizeof(*entries), compare_entries);
    return num_entries;
}

/* Both sorted by cost: what each beaten one meets has the highest gain of all those that
 * surely cost less. */
static void
find_surely_worse(const spot_choice_t *choices, size_t num_choices, entry_t *entries,
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

int
spot_pareto_find(
    const spot_choice_t *choices, size_t num_choices, spot_choice_fate_t *fates)
{
    entry_t *entries = spot_calloc(num_choices, sizeof(*entries));
    entry_t *rivals = spot_calloc(num_choices, sizeof(*rivals));
    int ret = SPOT_ERR_NO_MEMORY;

    if (entries != NULL && rivals != NULL) {
        find_front(choices, num_choices, entries, fates);
        find_surely_worse(choices, num_choices, entries, rivals, fates);
        ret = 0;
    }
    free(entries);
    free(rivals);
    return ret;
}
