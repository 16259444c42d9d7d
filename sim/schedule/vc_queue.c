/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The queue of a VC: what is in order stands in blocks, each with the keys and the GPUs of its
 * jobs beside them, so that of a long queue a job that joins or leaves moves its block alone, and
 * whoever looks for jobs with few GPUs passes blocks without any. */
#include "sim/schedule/vc_queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/schedule/policy.h"

typedef spot_vc_queue_t queue_t;
typedef spot_queue_block_t block_t;

/* Blocks without jobs that are kept in the order, at least, before they are taken out. */
enum { FEW_EMPTY = 16 };

void spot_vc_queue_clear(queue_t *self)
{
    self->num_jobs = 0;
    self->num_blocks = 0;
    self->free_block = -1;
    self->first_order = self->num_order = self->num_empty = 0;
    self->first_tail = self->num_tail = 0;
    self->num_gone = 0;
    memset(self->num_of_size, 0, sizeof(self->num_of_size));
}

void spot_vc_queue_free(queue_t *self)
{
    free(self->blocks);
    free(self->order);
    free(self->tail);
    free(self->gone);
}

static size_t size_id_of(int32_t gpus)
{
    return gpus < SPOT_QUEUE_SIZES ? (size_t) gpus : SPOT_QUEUE_SIZES;
}

/* ---- Blocks ---- */

/* -1: no memory. */
static int32_t new_block(spot_vc_t *vc)
{
    queue_t *self = &vc->queue;
    int32_t block_id = self->free_block;

    if (block_id >= 0) {
        self->free_block = self->blocks[block_id].next_free;
    } else if (SPOT_ARRAY_ROOM(self, blocks, self->num_blocks + 1) != 0) {
        vc->error = SPOT_ERR_NO_MEMORY;
        return -1;
    } else {
        block_id = (int32_t) self->num_blocks++;
    }
    self->blocks[block_id].first = self->blocks[block_id].num_jobs = 0;
    self->blocks[block_id].least_gpus = INT32_MAX;
    self->blocks[block_id].num_least = 0;
    return block_id;
}

static void free_block(queue_t *self, int32_t block_id)
{
    self->blocks[block_id].next_free = self->free_block;
    self->free_block = block_id;
}

/* Takes blocks without jobs out of the order if they are many; those at its head always. */
static void drop_empty(queue_t *self)
{
    size_t place = 0;

    while (self->first_order < self->num_order &&
           self->blocks[self->order[self->first_order]].num_jobs == 0) {
        free_block(self, self->order[self->first_order++]);
        self->num_empty--;
    }
    if (self->first_order + self->num_empty < FEW_EMPTY ||
        2 * (self->first_order + self->num_empty) < self->num_order) {
        return;
    }
    for (size_t j = self->first_order; j < self->num_order; j++) {
        if (self->blocks[self->order[j]].num_jobs > 0) {
            self->order[place++] = self->order[j];
        } else {
            free_block(self, self->order[j]);
        }
    }
    self->first_order = self->num_empty = 0;
    self->num_order = place;
}

/* Puts a block into the order; 0, NO_MEMORY. */
static int add_to_order(spot_vc_t *vc, size_t place, int32_t block_id)
{
    queue_t *self = &vc->queue;

    if (SPOT_ARRAY_ROOM(self, order, self->num_order + 1) != 0) {
        vc->error = SPOT_ERR_NO_MEMORY;
        return vc->error;
    }
    memmove(self->order + place + 1, self->order + place,
        (self->num_order - place) * sizeof(*self->order));
    self->order[place] = block_id;
    self->num_order++;
    return 0;
}

static void count_gpus(block_t *block, int32_t gpus)
{
    if (gpus < block->least_gpus) {
        block->least_gpus = gpus;
        block->num_least = 0;
    }
    block->num_least += gpus == block->least_gpus;
}

static void find_least_gpus(block_t *block)
{
    block->least_gpus = INT32_MAX;
    block->num_least = 0;
    for (int32_t j = block->first; j < block->first + block->num_jobs; j++) {
        count_gpus(block, block->gpus[j]);
    }
}

/* Moves the jobs of a block from a place on to another one. */
static void move_jobs(block_t *block, int32_t to, int32_t from)
{
    const size_t num = (size_t) (block->first + block->num_jobs - from);

    memmove(block->keys + to, block->keys + from, num * sizeof(*block->keys));
    memmove(block->jobs + to, block->jobs + from, num * sizeof(*block->jobs));
    memmove(block->gpus + to, block->gpus + from, num * sizeof(*block->gpus));
}

/* The upper half of a full block goes into a new one behind it, whose id is returned; -1: no
 * memory. */
static int32_t split(spot_vc_t *vc, size_t order_id)
{
    enum { HALF = SPOT_QUEUE_BLOCK_JOBS / 2, REST = SPOT_QUEUE_BLOCK_JOBS - HALF };
    queue_t *self = &vc->queue;
    const int32_t upper_id = new_block(vc);
    block_t *lower, *upper;

    if (upper_id < 0 || add_to_order(vc, order_id + 1, upper_id) != 0) {
        return -1;
    }
    lower = &self->blocks[self->order[order_id]];
    upper = &self->blocks[upper_id];
    memcpy(upper->keys, lower->keys + HALF, REST * sizeof(*upper->keys));
    memcpy(upper->jobs, lower->jobs + HALF, REST * sizeof(*upper->jobs));
    memcpy(upper->gpus, lower->gpus + HALF, REST * sizeof(*upper->gpus));
    lower->num_jobs = HALF;
    upper->num_jobs = REST;
    upper->low_key = upper->keys[0];
    upper->low_tie = vc->jobs[upper->jobs[0]].tie;
    find_least_gpus(lower);
    find_least_gpus(upper);
    for (int32_t j = 0; j < REST; j++) {
        vc->jobs[upper->jobs[j]].block_id = upper_id;
    }
    return upper_id;
}

/* ---- Joining ---- */

static bool goes_before(const spot_vc_job_t *job, double key, double tie)
{
    return job->key != key ? job->key < key : job->tie < tie;
}

/* The last block whose lower bound is not behind a job, or the first one: an index of the order. */
static size_t find_block(const queue_t *self, const spot_vc_job_t *job)
{
    size_t low = self->first_order, high = self->num_order;

    while (low < high) {
        const size_t middle = (low + high) / 2;
        const block_t *block = &self->blocks[self->order[middle]];

        if (goes_before(job, block->low_key, block->low_tie)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low > self->first_order ? low - 1 : low;
}

/* Behind all jobs of a block that do not go after this one. */
static int32_t find_place(const spot_vc_t *vc, const block_t *block, const spot_vc_job_t *job)
{
    int32_t low = block->first, high = block->first + block->num_jobs;

    while (low < high) {
        const int32_t middle = (low + high) / 2;
        const bool is_tied = job->key == block->keys[middle];

        if (is_tied ? job->tie < vc->jobs[block->jobs[middle]].tie
                    : job->key < block->keys[middle]) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

static void put_into(spot_vc_t *vc, int32_t block_id, int32_t place, int32_t job)
{
    block_t *block = &vc->queue.blocks[block_id];
    spot_vc_job_t *at = &vc->jobs[job];

    if (block->first + block->num_jobs == SPOT_QUEUE_BLOCK_JOBS) { /* there is room before them */
        place -= block->first;
        move_jobs(block, 0, block->first);
        block->first = 0;
    }
    move_jobs(block, place + 1, place);
    block->keys[place] = at->key;
    block->jobs[place] = job;
    block->gpus[place] = at->gpus;
    count_gpus(block, at->gpus);
    block->num_jobs++;
    at->block_id = block_id;
}

/* A block of its own for a job that goes behind all others. */
static void start_block(spot_vc_t *vc, int32_t job)
{
    const int32_t block_id = new_block(vc);

    if (block_id >= 0 && add_to_order(vc, vc->queue.num_order, block_id) == 0) {
        vc->queue.blocks[block_id].low_key = vc->jobs[job].key;
        vc->queue.blocks[block_id].low_tie = vc->jobs[job].tie;
        put_into(vc, block_id, 0, job);
    }
}

/* Behind all jobs that do not go after it. */
static void insert(spot_vc_t *vc, int32_t job)
{
    queue_t *self = &vc->queue;
    const spot_vc_job_t *at = &vc->jobs[job];
    const size_t order_id = find_block(self, at);
    int32_t block_id, place;
    block_t *block;

    if (order_id == self->num_order) {
        start_block(vc, job);
        return;
    }
    block_id = self->order[order_id];
    block = &self->blocks[block_id];
    place = find_place(vc, block, at);
    if (block->num_jobs == SPOT_QUEUE_BLOCK_JOBS && place == SPOT_QUEUE_BLOCK_JOBS &&
        order_id + 1 == self->num_order) {
        start_block(vc, job);
        return;
    }
    if (block->num_jobs == SPOT_QUEUE_BLOCK_JOBS) {
        const int32_t upper_id = split(vc, order_id);

        if (upper_id < 0) {
            return;
        }
        block = &self->blocks[block_id]; /* blocks may have moved */
        if (place > block->num_jobs) {
            place -= block->num_jobs;
            block_id = upper_id;
            block = &self->blocks[block_id];
        }
    }
    self->num_empty -= block->num_jobs == 0;
    if (goes_before(at, block->low_key, block->low_tie)) { /* the first block */
        block->low_key = at->key;
        block->low_tie = at->tie;
    }
    put_into(vc, block_id, place, job);
}

void spot_vc_enqueue(spot_vc_t *vc, int32_t job)
{
    queue_t *self = &vc->queue;
    spot_vc_job_t *at = &vc->jobs[job];

    spot_bug_assert(at->block_id == SPOT_NOT_QUEUED);
    at->status = SPOT_JOB_QUEUED;
    at->waits_since_s = vc->now_s;
    at->block_id = SPOT_QUEUE_TAIL;
    at->queued_gpus = at->gpus;
    if (SPOT_ARRAY_APPEND(self, tail, job) != 0) {
        vc->error = SPOT_ERR_NO_MEMORY;
        return;
    }
    self->num_jobs++;
    self->num_of_size[size_id_of(at->gpus)]++;
    if (vc->policy->on_arrive != NULL) {
        vc->policy->on_arrive(vc, job);
    }
}

/* Puts what is in order before the tail. */
static void unsort(spot_vc_t *vc)
{
    queue_t *self = &vc->queue;
    const size_t num_tail = self->num_tail - self->first_tail;
    const size_t num_sorted = self->num_jobs - num_tail; /* no job is gone */
    int32_t *place;

    if (SPOT_ARRAY_ROOM(self, tail, self->num_jobs) != 0) {
        vc->error = SPOT_ERR_NO_MEMORY;
        return;
    }
    if (num_tail > 0) {
        memmove(
            self->tail + num_sorted, self->tail + self->first_tail, num_tail * sizeof(*self->tail));
    }
    place = self->tail;
    for (size_t j = self->first_order; j < self->num_order; j++) {
        const block_t *block = &self->blocks[self->order[j]];

        for (int32_t k = block->first; k < block->first + block->num_jobs; k++) {
            *place++ = block->jobs[k];
            vc->jobs[block->jobs[k]].block_id = SPOT_QUEUE_TAIL;
        }
        free_block(self, self->order[j]);
    }
    self->first_order = self->num_order = self->num_empty = 0;
    self->first_tail = 0;
    self->num_tail = self->num_jobs;
}

void spot_vc_sort_queue(spot_vc_t *vc, bool from_scratch)
{
    queue_t *self = &vc->queue;

    spot_bug_assert(self->num_gone == 0);
    if (from_scratch) {
        unsort(vc);
    }
    if (self->num_jobs <= 1) { /* it is in order where it is */
        return;
    }
    for (size_t j = self->first_tail; vc->error == 0 && j < self->num_tail; j++) {
        insert(vc, self->tail[j]);
    }
    if (vc->error == 0) {
        self->first_tail = self->num_tail = 0;
    }
}

/* ---- Looking ---- */

int32_t spot_vc_next_queued(const spot_vc_t *vc, spot_queue_place_t *place)
{
    return spot_vc_next_queued_up_to(vc, place, INT32_MAX);
}

int32_t spot_vc_next_queued_up_to(const spot_vc_t *vc, spot_queue_place_t *place, int32_t most_gpus)
{
    const queue_t *self = &vc->queue;

    for (; place->block < self->num_order - self->first_order; place->block++, place->index = 0) {
        const block_t *block = &self->blocks[self->order[self->first_order + place->block]];

        while (block->least_gpus <= most_gpus && place->index < (size_t) block->num_jobs) {
            const size_t index = (size_t) block->first + place->index++;

            if (block->gpus[index] <= most_gpus) {
                return block->jobs[index];
            }
        }
    }
    while (place->index < self->num_tail - self->first_tail) {
        const int32_t job = self->tail[self->first_tail + place->index++];

        if (vc->jobs[job].gpus <= most_gpus) {
            return job;
        }
    }
    return -1;
}

spot_queue_place_t spot_vc_unsorted_queue(const spot_vc_t *vc)
{
    return (spot_queue_place_t){.block = vc->queue.num_order - vc->queue.first_order};
}

/* ---- Leaving ---- */

void spot_vc_leave_queue(spot_vc_t *vc, int32_t job)
{
    queue_t *self = &vc->queue;

    self->num_jobs--;
    self->num_of_size[size_id_of(vc->jobs[job].queued_gpus)]--;
    if (SPOT_ARRAY_APPEND(self, gone, job) != 0) {
        vc->error = SPOT_ERR_NO_MEMORY;
    }
}

static void take_out(spot_vc_t *vc, int32_t block_id, int32_t job)
{
    queue_t *self = &vc->queue;
    block_t *block = &self->blocks[block_id];
    int32_t place = block->first;

    while (block->jobs[place] != job) {
        place++;
        spot_bug_assert(place < block->first + block->num_jobs);
    }
    block->num_least -= block->gpus[place] == block->least_gpus;
    if (place == block->first) {
        block->first++;
    } else {
        move_jobs(block, place, place + 1);
    }
    block->num_jobs--;
    if (block->num_least == 0) {
        find_least_gpus(block);
    }
    self->num_empty += block->num_jobs == 0;
}

/* Takes jobs that have started out of the tail, at its head without a copy. */
static void compact_tail(spot_vc_t *vc, size_t num_gone)
{
    queue_t *self = &vc->queue;
    size_t place;

    while (num_gone > 0 && vc->jobs[self->tail[self->first_tail]].block_id != SPOT_QUEUE_TAIL) {
        self->first_tail++;
        num_gone--;
    }
    if (self->first_tail == self->num_tail) {
        self->first_tail = self->num_tail = 0;
    }
    if (num_gone == 0 && (self->first_tail <= self->num_tail / 2 || self->first_tail <= 1024)) {
        return;
    }
    place = 0;
    for (size_t j = self->first_tail; j < self->num_tail; j++) {
        if (vc->jobs[self->tail[j]].block_id == SPOT_QUEUE_TAIL) {
            self->tail[place++] = self->tail[j];
        }
    }
    self->first_tail = 0;
    self->num_tail = place;
}

void spot_vc_compact_queue(spot_vc_t *vc)
{
    queue_t *self = &vc->queue;
    size_t num_of_tail = 0;

    if (self->num_gone == 0) {
        return;
    }
    for (size_t j = 0; j < self->num_gone; j++) {
        spot_vc_job_t *at = &vc->jobs[self->gone[j]];

        if (at->block_id >= 0) {
            take_out(vc, at->block_id, self->gone[j]);
        } else {
            num_of_tail++;
        }
        at->block_id = SPOT_NOT_QUEUED;
    }
    self->num_gone = 0;
    drop_empty(self);
    compact_tail(vc, num_of_tail);
}
