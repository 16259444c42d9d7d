/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/recovery/varuna/queue.h"

#include "base/error.h"

static bool is_before(const spot_coming_t *left, const spot_coming_t *right)
{
    return left->time_ms < right->time_ms ||
           (left->time_ms == right->time_ms && left->kind < right->kind);
}

/* Moves the item at a place towards start while it is before its parent. */
static void move_up(spot_queue_t *self, size_t start, size_t place)
{
    const spot_coming_t item = self->items[place];

    while (place > start && is_before(&item, &self->items[(place - 1) / 2])) {
        self->items[place] = self->items[(place - 1) / 2];
        place = (place - 1) / 2;
    }
    self->items[place] = item;
}

/* Moves the item at a place down to a leaf, smaller children up, and from there up
 * again. Of equal children the right one moves. */
static void move_down(spot_queue_t *self, size_t start)
{
    const spot_coming_t item = self->items[start];
    size_t place = start, child;

    while ((child = 2 * place + 1) < self->num_items) {
        if (child + 1 < self->num_items &&
            !is_before(&self->items[child], &self->items[child + 1])) {
            child++;
        }
        self->items[place] = self->items[child];
        place = child;
    }
    self->items[place] = item;
    move_up(self, start, place);
}

static void make_heap(spot_queue_t *self)
{
    for (size_t place = self->num_items / 2; place > 0; place--) {
        move_down(self, place - 1);
    }
}

void spot_queue_start(spot_queue_t *self, const spot_recovery_future_t *future)
{
    *self = (spot_queue_t){.max_items = future->num_coming + SPOT_SPARE_COMINGS,
        .items = future->coming,
        .ready_after_ms = future->ready_after_ms};
    while (self->num_items < future->num_coming) {
        move_up(self, 0, self->num_items++);
    }
}

/* Removes the first item. */
static spot_coming_t pop(spot_queue_t *self)
{
    const spot_coming_t first = self->items[0];

    self->items[0] = self->items[--self->num_items];
    if (self->num_items > 0) {
        move_down(self, 0);
    }
    return first;
}

void spot_queue_push(spot_queue_t *self, int64_t time_ms, int kind)
{
    spot_bug_assert(self->num_items < self->max_items);
    self->items[self->num_items] = (spot_coming_t){time_ms, kind};
    move_up(self, 0, self->num_items++);
}

void spot_queue_take(spot_queue_t *self, int64_t time_ms, int kind)
{
    const spot_coming_t last = {time_ms, kind};

    while (self->num_items > 0 && is_before(&self->items[0], &last)) {
        const spot_coming_t item = pop(self);

        if (item.kind == SPOT_QUEUE_ADDED) {
            spot_queue_push(self, item.time_ms + self->ready_after_ms, SPOT_QUEUE_READY);
        }
    }
    if (self->num_items > 0 && !is_before(&last, &self->items[0])) {
        (void) pop(self);
    }
}

bool spot_queue_has_loss_first(spot_queue_t *self)
{
    make_heap(self);
    for (size_t j = 0; j < self->num_items; j++) {
        if (self->items[j].kind == SPOT_QUEUE_LOST ||
            self->items[j].kind == SPOT_QUEUE_CHECKPOINT) {
            return self->items[j].kind == SPOT_QUEUE_LOST;
        }
    }
    return false;
}
