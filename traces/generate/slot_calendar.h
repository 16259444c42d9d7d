/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When each of many slots is due next: a heap of four children a node that holds every
 * slot exactly once, INFINITY for one that waits for nothing. */
#ifndef SPOT_TRACES_GENERATE_SLOT_CALENDAR_H
#define SPOT_TRACES_GENERATE_SLOT_CALENDAR_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    double time_s;
    int32_t slot;
} spot_appointment_t;

typedef struct {
    int32_t num_slots;
    spot_appointment_t *heap; /* [num_slots] by time, then slot */
    int32_t *place;           /* [num_slots] index into heap */
} spot_slot_calendar_t;

/* Bytes of the memory that init needs; it is aligned for double. */
size_t spot_slot_calendar_bytes(int64_t num_slots);

/* All slots wait for nothing. memory must outlive self. O(slots). */
void spot_slot_calendar_init(
    spot_slot_calendar_t *self, void *memory, int64_t num_slots);

/* A slot is due at another time (no NaN). O(log slots). */
void spot_slot_calendar_set(spot_slot_calendar_t *self, int32_t slot, double time_s);

/* The first one, of equal times the lowest slot. */
static inline spot_appointment_t
spot_slot_calendar_first(const spot_slot_calendar_t *self)
{
    return self->heap[0];
}

/* Aborts if an invariant does not hold. O(slots). */
void spot_slot_calendar_verify(const spot_slot_calendar_t *self);

#endif
