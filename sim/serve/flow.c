/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/serve/flow.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

int
spot_flow_reserve(spot_flow_t *self, size_t num_queries)
{
    if (SPOT_ARRAY_ROOM(self, own_ids, num_queries) != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    return SPOT_ARRAY_ROOM(self, batches, num_queries);
}

void
spot_flow_free(spot_flow_t *self)
{
    free(self->own_ids);
    free(self->batches);
    *self = (spot_flow_t){0};
}

void
spot_flow_add(spot_flow_t *self, int32_t id, int64_t time_ns)
{
    self->own_ids[self->num_queries] = id;
    if (self->num_batches > 0 &&
        self->batches[self->num_batches - 1].time_ns == time_ns) {
        self->batches[self->num_batches - 1].size++;
    } else {
        self->batches[self->num_batches++] =
            (spot_flow_batch_t){time_ns, (int32_t) self->num_queries, 1};
    }
    self->num_queries++;
}

/* Queries of a delivery that are late; their bits are set. Of sorted ids, the late ones
 * come first. */
static inline size_t
count_late(const int32_t *ids, int32_t size, bool is_sorted, int64_t leave_ns,
    const int64_t *deadline_ns, uint64_t *late)
{
    size_t num_late = 0;

    for (int32_t j = 0; j < size; j++) {
        if (leave_ns > deadline_ns[ids[j]]) {
            num_late++;
            if (late != NULL) {
                late[ids[j] / 64] |= UINT64_C(1) << ids[j] % 64;
            }
        } else if (is_sorted) {
            break;
        }
    }
    return num_late;
}

/* Inserts a time into increasing ones, from the end. */
static void
insert_time(int64_t *times_ns, size_t num_times, int64_t time_ns)
{
    while (num_times > 0 && times_ns[num_times - 1] > time_ns) {
        times_ns[num_times] = times_ns[num_times - 1];
        num_times--;
    }
    times_ns[num_times] = time_ns;
}

/* Sets the ids in order of delivery. */
static void
set_ids(spot_flow_t *self, const spot_flow_t *from, bool is_in_order)
{
    size_t num_ids = 0;

    self->num_queries = from->num_queries;
    self->ids = is_in_order ? from->ids : self->own_ids;
    self->is_sorted = is_in_order && from->is_sorted;
    for (size_t j = 0; j < self->num_batches && !is_in_order; j++) {
        const spot_flow_batch_t *batch = &self->batches[j];

        memcpy(self->own_ids + num_ids, from->ids + batch->first,
            (size_t) batch->size * sizeof(*self->own_ids));
        num_ids += (size_t) batch->size;
    }
}

/* Batches are kept by (delivery, order taken). Without pipelining a replica is free when
 * its batch is delivered, and no later batch is delivered before one that has freed a
 * replica: batch k starts on the replica that batch k - replicas of the order leaves. */
bool
spot_flow_run(spot_flow_t *self, const spot_flow_t *from, const spot_flow_stage_t *stage,
    const spot_flow_limit_t *limit)
{
    const bool is_pipelined = stage->time->result_ns != stage->time->busy_ns;
    const size_t replicas = (size_t) stage->replicas, max_size = (size_t) stage->batch;
    const int64_t *busy_ns = stage->time->busy_ns, *result_ns = stage->time->result_ns;
    spot_flow_batch_t *batches = self->batches;
    size_t num_batches = 0, next = 0, num_arrived = 0, head = 0, place;
    size_t num_late = limit == NULL ? 0 : limit->num_queries - from->num_queries;
    bool is_in_order = true;
    int64_t now_ns = 0;

    while (head < from->num_queries) {
        const int64_t free_ns = num_batches < replicas ? 0
                                : is_pipelined ? stage->free_ns[num_batches - replicas]
                                               : batches[num_batches - replicas].time_ns;
        size_t size;
        int64_t done_ns;

        if (num_arrived == head) {
            now_ns = from->batches[next].time_ns > now_ns ? from->batches[next].time_ns
                                                          : now_ns;
        }
        now_ns = free_ns > now_ns ? free_ns : now_ns;
        while (next < from->num_batches && from->batches[next].time_ns <= now_ns) {
            num_arrived += (size_t) from->batches[next++].size;
        }
        size = num_arrived - head < max_size ? num_arrived - head : max_size;
        done_ns = now_ns + result_ns[size];
        for (place = num_batches; place > 0 && batches[place - 1].time_ns > done_ns;
             place--) {
            batches[place] = batches[place - 1];
            is_in_order = false;
        }
        batches[place] = (spot_flow_batch_t){done_ns, (int32_t) head, (int32_t) size};
        if (is_pipelined) {
            insert_time(stage->free_ns, num_batches, now_ns + busy_ns[size]);
        }
        if (limit != NULL) {
            num_late += count_late(from->ids + head, (int32_t) size, from->is_sorted,
                done_ns + limit->rest_ns, limit->deadline_ns, NULL);
            if (num_late > limit->max_late) {
                return false;
            }
        }
        num_batches++;
        head += size;
    }
    self->num_batches = num_batches;
    set_ids(self, from, is_in_order);
    return limit == NULL || num_late <= limit->max_late;
}

size_t
spot_flow_late(const spot_flow_t *self, const spot_flow_limit_t *limit, uint64_t *late)
{
    const int32_t *ids = self->ids;
    size_t num_late = limit->num_queries - self->num_queries;

    if (num_late > 0 && late != NULL) {
        /* those that were not delivered are late */
        for (size_t j = 0; j < limit->num_queries; j++) {
            late[j / 64] |= UINT64_C(1) << j % 64;
        }
        for (size_t j = 0; j < self->num_queries; j++) {
            late[ids[j] / 64] &= ~(UINT64_C(1) << ids[j] % 64);
        }
    }
    for (size_t j = 0; j < self->num_batches; j++) {
        num_late += count_late(ids, self->batches[j].size, self->is_sorted,
            self->batches[j].time_ns + limit->rest_ns, limit->deadline_ns, late);
        ids += self->batches[j].size;
    }
    return num_late;
}

void
spot_flow_raise(const spot_flow_t *self, int64_t *times_ns, int32_t *counts)
{
    const int32_t *ids = self->ids;

    for (size_t j = 0; j < self->num_batches; j++) {
        const int64_t time_ns = self->batches[j].time_ns;

        for (int32_t k = 0; k < self->batches[j].size; k++, ids++) {
            times_ns[*ids] = times_ns[*ids] > time_ns ? times_ns[*ids] : time_ns;
            counts[*ids]++;
        }
    }
}
