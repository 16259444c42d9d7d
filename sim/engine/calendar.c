/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/engine/calendar.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void
spot_calendar_init(spot_calendar_t *self)
{
    memset(self, 0, sizeof(*self));
}

void
spot_calendar_free(spot_calendar_t *self)
{
    free(self->items);
    memset(self, 0, sizeof(*self));
}

void
spot_calendar_clear(spot_calendar_t *self)
{
    self->num_items = 0;
    self->num_added = 0;
}

static bool
is_before(const spot_calendar_item_t *a, const spot_calendar_item_t *b)
{
    if (a->time_ms != b->time_ms) {
        return a->time_ms < b->time_ms;
    }
    if (a->kind != b->kind) {
        return a->kind < b->kind;
    }
    return a->sequence < b->sequence;
}

static int
grow(spot_calendar_t *self)
{
    void *items = self->items;
    const int ret = spot_array_reserve(
        &items, &self->max_items, self->num_items + 1, sizeof(*self->items));

    self->items = items;
    return ret;
}

int
spot_calendar_add(
    spot_calendar_t *self, int64_t time_ms, int32_t kind, int32_t entity_id)
{
    const spot_calendar_item_t item = {time_ms, kind, entity_id, self->num_added};
    size_t place = self->num_items;
    int ret;

    if (place == self->max_items && (ret = grow(self)) != 0) {
        return ret;
    }
    while (place > 0 && is_before(&item, &self->items[(place - 1) / 2])) {
        self->items[place] = self->items[(place - 1) / 2];
        place = (place - 1) / 2;
    }
    self->items[place] = item;
    self->num_items++;
    self->num_added++;
    return 0;
}

const spot_calendar_item_t *
spot_calendar_first(const spot_calendar_t *self)
{
    return self->num_items == 0 ? NULL : self->items;
}

spot_calendar_item_t
spot_calendar_take(spot_calendar_t *self)
{
    spot_calendar_item_t first, last;
    size_t place = 0, child = 1;

    spot_bug_assert(self->num_items > 0);
    first = self->items[0];
    last = self->items[--self->num_items];
    while (child < self->num_items) {
        if (child + 1 < self->num_items &&
            is_before(&self->items[child + 1], &self->items[child])) {
            child++;
        }
        if (!is_before(&self->items[child], &last)) {
            break;
        }
        self->items[place] = self->items[child];
        place = child;
        child = 2 * place + 1;
    }
    self->items[place] = last;
    return first;
}

void
spot_calendar_print_state(const spot_calendar_t *self, FILE *out)
{
    for (size_t j = 0; j < self->num_items; j++) {
        const spot_calendar_item_t *item = &self->items[j];

        fprintf(out,
            "calendar: %" PRId64 " ms, kind %" PRId32 ", entity %" PRId32
            ", number %" PRIu64 "\n",
            item->time_ms, item->kind, item->entity_id, item->sequence);
    }
}

void
spot_calendar_verify(const spot_calendar_t *self)
{
    for (size_t j = 1; j < self->num_items; j++) {
        spot_bug_assert(!is_before(&self->items[j], &self->items[(j - 1) / 2]));
    }
}
