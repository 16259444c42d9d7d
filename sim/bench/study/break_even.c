/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which break-evens are asked for, and which of them are known. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/canonical.h"
#include "base/intervals.h"
#include "base/memory.h"
#include "base/units.h"
#include "base/utf8.h"
#include "sim/bench/analysis/winners.h"
#include "sim/bench/study/reading.h"

/* ---- Values of a key ---- */

int spot_break_even_value(const spot_study_t *study, size_t point_id, const char *path,
    spot_quantity_t *quantity, bool *is_there)
{
    spot_node_t *scalar = NULL;
    int ret;

    pthread_mutex_lock(&study->template->lock);
    ret = spot_points_find(study, point_id, path, &scalar);
    *is_there = scalar != NULL && spot_quantity_parse(scalar->text, quantity);
    pthread_mutex_unlock(&study->template->lock);
    return ret;
}

bool spot_break_even_is_own(const spot_study_head_t *head, const char *path)
{
    return spot_canonical_is_within(path, head->axes[head->best.axis_id].path);
}

static int check_key(const spot_reading_t *self, const spot_node_t *place, const char *path)
{
    const spot_study_t *study = self->study;
    char shown[SPOT_UTF8_SHOWN_BYTES];
    spot_quantity_t quantity;
    bool is_there = false;
    int ret = 0;

    if (strcmp(path, study->head.axes[study->head.best.axis_id].path) == 0) {
        spot_node_error(self, place, "best.break_even", "\"%s\" is what competes", path);
        return 0;
    }
    for (size_t j = 0; ret == 0 && !is_there && j < study->head.num_points; j++) {
        ret = spot_break_even_value(study, j, path, &quantity, &is_there);
    }
    if (ret == 0 && !is_there) {
        spot_node_error(self, place, "best.break_even",
            "\"%s\" has no number in the scenario, from which the search could start: "
            "give it one",
            spot_utf8_shown(path, shown));
    }
    return ret;
}

int spot_break_evens_check(const spot_reading_t *self)
{
    const spot_best_t *best = &self->study->head.best;
    const spot_node_t *list = spot_reading_place(self, "best.break_even");
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < best->num_keys; j++) {
        if (best->keys[j] == NULL) {
            continue; /* reported before */
        }
        ret = check_key(self, spot_word(list, j), best->keys[j]);
        for (size_t k = 0; k < j; k++) {
            if (best->keys[k] != NULL && strcmp(best->keys[j], best->keys[k]) == 0) {
                spot_node_error(self, spot_word(list, j), "best.break_even",
                    "\"%s\" is there twice", best->keys[j]);
            }
        }
    }
    return ret;
}

/* ---- The list ---- */

static const spot_break_even_side_t no_side = {
    (double) NAN, (double) NAN, (double) NAN, (double) NAN};

static bool is_same(const spot_break_even_t *a, const spot_break_even_t *b)
{
    return a->best_id == b->best_id && a->next_id == b->next_id && a->key_id == b->key_id &&
           a->num_pairs == b->num_pairs;
}

/* Adds a winner that is ahead and a key, unless the store has it. A key of which one of
 * both points has no value is not searched: its number is NAN. */
static int add_item(spot_break_evens_t *self, const spot_winner_t *winner, size_t key_id)
{
    const spot_best_t *best = &self->study->head.best;
    const char *path = best->keys[key_id];
    spot_break_even_t *item = &self->items[self->num_items];
    spot_quantity_t quantity = {.value = 0}, other;
    bool is_there = false;
    int ret = 0;

    if (!spot_winner_is_ahead(winner, best)) {
        return 0;
    }
    *item = (spot_break_even_t){.best_id = winner->best_id,
        .next_id = winner->next_id,
        .key_id = key_id,
        .num_pairs = spot_paired_num_pairs(&winner->lead)};
    self->num_items++;
    for (size_t j = 0; j < self->store->num_break_evens; j++) {
        if (is_same(item, &self->store->break_evens[j])) {
            *item = self->store->break_evens[j];
            self->is_found[self->num_items - 1] = true;
            return 0;
        }
    }
    ret = spot_break_even_value(self->study, item->best_id, path, &quantity, &is_there);
    if (ret == 0 && is_there && !spot_break_even_is_own(&self->study->head, path)) {
        ret = spot_break_even_value(self->study, item->next_id, path, &other, &is_there);
    }
    item->number = quantity.is_duration ? quantity.value / SPOT_MS_PER_S : quantity.value;
    snprintf(item->unit, sizeof(item->unit), "%s", quantity.is_duration ? "s" : quantity.unit);
    if (ret == 0 && !is_there) {
        item->number = (double) NAN;
        item->sides[0] = item->sides[1] = no_side;
        self->is_found[self->num_items - 1] = true;
        self->is_changed = true;
    }
    return ret;
}

int spot_break_evens_plan(spot_break_evens_t *self)
{
    const spot_best_t *best = &self->study->head.best;
    spot_winners_t winners;
    int ret;

    if (!best->is_asked || best->num_keys == 0) {
        return 0;
    }
    ret = spot_winners_init(&winners, self->store);
    if (ret == 0) {
        const size_t most = winners.groups.num_groups * best->num_keys;

        self->items = spot_calloc(most, sizeof(*self->items));
        self->is_found = spot_calloc(most, sizeof(*self->is_found));
        ret = self->items == NULL || self->is_found == NULL ? SPOT_ERR_NO_MEMORY : 0;
        for (size_t j = 0; ret == 0 && j < most; j++) {
            ret = add_item(self, &winners.winners[j / best->num_keys], j % best->num_keys);
        }
    }
    spot_winners_free(&winners);
    return ret;
}

/* Those that are found, in place of all that the store has. */
int spot_break_evens_keep(const spot_break_evens_t *self)
{
    spot_break_even_t *found = spot_calloc(self->num_items, sizeof(*found));
    size_t num_found = 0;
    int ret = found == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (size_t j = 0; ret == 0 && j < self->num_items; j++) {
        if (self->is_found[j]) {
            found[num_found++] = self->items[j];
        }
    }
    if (ret == 0 && (self->is_changed || num_found != self->store->num_break_evens)) {
        ret = spot_store_keep_break_evens(self->store, num_found, found);
    }
    free(found);
    return ret;
}

void spot_break_evens_free(spot_break_evens_t *self)
{
    free(self->items);
    free(self->is_found);
    memset(self, 0, sizeof(*self));
}
