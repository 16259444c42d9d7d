/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/serve/flow.h"

#include <string.h>

void spot_flow_init(spot_flow_t *self, spot_arena_t *memory, size_t max_queries)
{
    SPOT_ARENA_ARRAY(memory, self->batches, max_queries);
    SPOT_ARENA_ARRAY(memory, self->own_ids, max_queries);
}

void spot_flow_clear(spot_flow_t *self)
{
    self->num_queries = self->num_batches = 0;
    self->ids = self->own_ids;
    self->is_sorted = false;
}

void spot_flow_add(spot_flow_t *self, int32_t id, int64_t time_ns)
{
    const int32_t place = (int32_t) self->num_queries++;

    self->own_ids[place] = id;
    self->batches[self->num_batches++] = (spot_flow_batch_t){time_ns, place, 1};
}

/* Queries of a delivery that are late; their bits are set. Of sorted ids, the late ones
 * come first. */
static inline size_t count_late(const int32_t *ids, size_t size, bool is_sorted, int64_t leave_ns,
    const int64_t *deadline_ns, uint64_t *late)
{
    size_t num_late = 0;

    for (size_t j = 0; j < size; j++) {
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

/* Adds a batch by (delivery, order taken). Returns false if it overtakes another. */
static inline bool insert(spot_flow_t *self, const spot_flow_batch_t *batch)
{
    size_t place = self->num_batches++;
    bool is_last = true;

    for (; place > 0 && self->batches[place - 1].time_ns > batch->time_ns; place--) {
        self->batches[place] = self->batches[place - 1];
        is_last = false;
    }
    self->batches[place] = *batch;
    return is_last;
}

/* Adds a time to increasing ones. */
static void insert_time(int64_t *times_ns, size_t num_times, int64_t time_ns)
{
    for (; num_times > 0 && times_ns[num_times - 1] > time_ns; num_times--) {
        times_ns[num_times] = times_ns[num_times - 1];
    }
    times_ns[num_times] = time_ns;
}

/* Ids in order of delivery. */
static void set_ids(spot_flow_t *self, const spot_flow_t *from, bool is_in_order)
{
    int32_t *id = self->own_ids;

    self->num_queries = from->num_queries;
    self->ids = is_in_order ? from->ids : self->own_ids;
    self->is_sorted = is_in_order && from->is_sorted;
    for (size_t j = 0; j < self->num_batches && !is_in_order; j++) {
        const spot_flow_batch_t *batch = &self->batches[j];

        memcpy(id, from->ids + batch->first, (size_t) batch->size * sizeof(*id));
        id += batch->size;
    }
}

/* A replica is free when its batch is delivered, unless it is pipelined. Nothing is
 * delivered before a batch that has freed a replica, so that batch k starts on the
 * replica which batch k - replicas in order of delivery has left. */
bool spot_flow_run(spot_flow_t *self, const spot_flow_t *from, const spot_service_time_t *time,
    int64_t batch, int64_t replicas, int64_t *free_ns, const spot_flow_limit_t *limit)
{
    const bool is_pipelined = time->result_ns != time->busy_ns;
    size_t next = 0, num_arrived = 0, head = 0;
    size_t num_late = limit == NULL ? 0 : limit->num_queries - from->num_queries;
    bool is_in_order = true;
    int64_t now_ns = 0;

    self->num_batches = 0;
    while (head < from->num_queries) {
        const size_t num_batches = self->num_batches, before = num_batches - (size_t) replicas;
        spot_flow_batch_t taken = {.first = (int32_t) head};

        if (num_arrived == head && from->batches[next].time_ns > now_ns) {
            now_ns = from->batches[next].time_ns;
        }
        if (num_batches >= (size_t) replicas) {
            const int64_t left_ns = is_pipelined ? free_ns[before] : self->batches[before].time_ns;

            now_ns = left_ns > now_ns ? left_ns : now_ns;
        }
        while (next < from->num_batches && from->batches[next].time_ns <= now_ns) {
            num_arrived += (size_t) from->batches[next++].size;
        }
        taken.size =
            (int32_t) (num_arrived - head < (size_t) batch ? num_arrived - head : (size_t) batch);
        taken.time_ns = now_ns + time->result_ns[taken.size];
        is_in_order = insert(self, &taken) && is_in_order;
        if (is_pipelined) {
            insert_time(free_ns, num_batches, now_ns + time->busy_ns[taken.size]);
        }
        if (limit != NULL) {
            num_late += count_late(from->ids + head, (size_t) taken.size, from->is_sorted,
                taken.time_ns + limit->rest_ns, limit->deadline_ns, NULL);
            if (num_late > limit->max_late) {
                return false;
            }
        }
        head += (size_t) taken.size;
    }
    set_ids(self, from, is_in_order);
    return limit == NULL || num_late <= limit->max_late;
}

size_t spot_flow_late(const spot_flow_t *self, const spot_flow_limit_t *limit, uint64_t *late)
{
    const size_t num_lost = limit->num_queries - self->num_queries;
    const int32_t *ids = self->ids;
    size_t num_late = num_lost;

    if (late != NULL) {
        memset(late, num_lost > 0 ? 0xff : 0, (limit->num_queries + 63) / 64 * 8);
        for (size_t j = 0; j < self->num_queries && num_lost > 0; j++) {
            late[ids[j] / 64] &= ~(UINT64_C(1) << ids[j] % 64);
        }
        if (num_lost > 0 && limit->num_queries % 64 != 0) {
            late[limit->num_queries / 64] &= (UINT64_C(1) << limit->num_queries % 64) - 1;
        }
    }
    for (size_t j = 0; j < self->num_batches; j++) {
        num_late += count_late(ids, (size_t) self->batches[j].size, self->is_sorted,
            self->batches[j].time_ns + limit->rest_ns, limit->deadline_ns, late);
        ids += self->batches[j].size;
    }
    return num_late;
}

void spot_flow_raise(const spot_flow_t *self, int64_t *times_ns, int32_t *counts)
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
