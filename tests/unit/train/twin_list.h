/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ordered lists of instances, as the twin of the engine keeps them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    int32_t name_id;
    int64_t ready_ms;    /* when its preparation ends */
    int64_t deadline_ms; /* the tick at which its preemption is seen, or never */
    int64_t notice_ms;   /* the tick at which that is announced, or never */
    bool is_noticed;     /* it has been */
} instance_t;

typedef struct {
    int64_t num;
    instance_t *items; /* [num] in order of arrival */
} list_t;

static inline void list_append(list_t *list, instance_t instance)
{
    list->items[list->num++] = instance;
}

static inline void list_insert(list_t *list, int64_t place, instance_t instance)
{
    memmove(&list->items[place + 1], &list->items[place],
        (size_t) (list->num - place) * sizeof(list->items[0]));
    list->items[place] = instance;
    list->num++;
}

static inline instance_t list_take(list_t *list, int64_t place)
{
    const instance_t instance = list->items[place];

    list->num--;
    memmove(&list->items[place], &list->items[place + 1],
        (size_t) (list->num - place) * sizeof(list->items[0]));
    return instance;
}

/* The place of a name, or -1. */
static inline int64_t list_find(const list_t *list, int32_t name_id)
{
    for (int64_t place = 0; place < list->num; place++) {
        if (list->items[place].name_id == name_id) {
            return place;
        }
    }
    return -1;
}
