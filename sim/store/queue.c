/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/store/queue.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"

static size_t
choose_slots(const spot_study_head_t *head, size_t num_rows)
{
    const size_t batch_size = (size_t) spot_study_batch_size(head);
    const size_t row_bytes = sizeof(double) * head->num_metrics + sizeof(uint32_t);
    size_t num_slots;

    if (num_rows == 0) {
        num_rows = SPOT_QUEUE_ROWS;
    }
    if (num_rows > SPOT_QUEUE_BYTES / row_bytes) {
        num_rows = SPOT_QUEUE_BYTES / row_bytes;
    }
    num_slots = num_rows / batch_size;
    return num_slots < 2 ? 2 : num_slots;
}

static int
init_locks(spot_queue_t *self)
{
    pthread_condattr_t attributes;
    int result = pthread_condattr_init(&attributes);

    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->has_room, NULL);
    pthread_cond_init(&self->is_empty, NULL);
    if (result == 0) {
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
        result = pthread_cond_init(&self->has_work, &attributes);
        pthread_condattr_destroy(&attributes);
    }
    return result == 0 ? 0 : SPOT_ERR_NO_MEMORY;
}

int
spot_queue_init(spot_queue_t *self, const spot_study_head_t *head, size_t num_rows)
{
    const size_t batch_size = (size_t) spot_study_batch_size(head);
    int ret;

    memset(self, 0, sizeof(*self));
    ret = init_locks(self);
    self->num_metrics = head->num_metrics;
    self->num_slots = choose_slots(head, num_rows);
    self->num_enough = SPOT_QUEUE_TRANSACTION_ROWS / batch_size;
    if (self->num_enough > self->num_slots / 2) {
        self->num_enough = self->num_slots / 2;
    }
    self->slots = spot_calloc(self->num_slots, sizeof(*self->slots));
    self->warnings = spot_calloc(self->num_slots * batch_size, sizeof(*self->warnings));
    self->rows = spot_calloc(
        self->num_slots * batch_size * head->num_metrics, sizeof(*self->rows));
    if (ret != 0 || self->slots == NULL || self->warnings == NULL ||
        self->rows == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < self->num_slots; j++) {
        self->slots[j].warnings = &self->warnings[j * batch_size];
        self->slots[j].rows = &self->rows[j * batch_size * head->num_metrics];
    }
    return 0;
}

void
spot_queue_free(spot_queue_t *self)
{
    free(self->slots);
    free(self->rows);
    free(self->warnings);
    if (self->num_slots > 0) {
        pthread_cond_destroy(&self->has_work);
        pthread_cond_destroy(&self->has_room);
        pthread_cond_destroy(&self->is_empty);
        pthread_mutex_destroy(&self->lock);
    }
    memset(self, 0, sizeof(*self));
}

int
spot_queue_wait(spot_queue_t *self)
{
    while (self->num_queued == self->num_slots && self->error == 0) {
        pthread_cond_wait(&self->has_room, &self->lock);
    }
    return self->error;
}

void
spot_queue_push(
    spot_queue_t *self, const spot_piece_t *piece, const spot_recording_t *recording)
{
    spot_queued_t *slot;

    spot_bug_assert(self->num_queued < self->num_slots);
    slot = &self->slots[(self->first + self->num_queued) % self->num_slots];
    slot->point_id = piece->point_id;
    slot->first_replication = piece->first_replication;
    slot->num_rows = piece->num_rows;
    slot->recording = recording;
    if (piece->num_rows > 0) {
        memcpy(slot->rows, piece->rows,
            piece->num_rows * self->num_metrics * sizeof(*slot->rows));
    }
    if (piece->warnings != NULL) {
        memcpy(
            slot->warnings, piece->warnings, piece->num_rows * sizeof(*slot->warnings));
    } else {
        memset(slot->warnings, 0, piece->num_rows * sizeof(*slot->warnings));
    }
    self->num_queued++;
    if (self->num_queued == self->num_enough) {
        pthread_cond_signal(&self->has_work);
    }
}

int
spot_queue_drain(spot_queue_t *self)
{
    self->num_urgent++;
    pthread_cond_signal(&self->has_work);
    while (self->num_queued > 0 && self->error == 0) {
        pthread_cond_wait(&self->is_empty, &self->lock);
    }
    self->num_urgent--;
    return self->error;
}

size_t
spot_queue_take(spot_queue_t *self)
{
    struct timespec until = {0, 0};
    int result = 0;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += SPOT_QUEUE_WAIT_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    while (result == 0 && self->num_queued < self->num_enough && self->num_urgent == 0 &&
           !self->is_closing) {
        result = pthread_cond_timedwait(&self->has_work, &self->lock, &until);
    }
    if (self->num_urgent > 0 && self->num_queued == 0) {
        pthread_cond_broadcast(&self->is_empty);
    }
    return self->num_queued < self->num_enough ? self->num_queued : self->num_enough;
}

void
spot_queue_pop(spot_queue_t *self, size_t num_pieces)
{
    self->first = (self->first + num_pieces) % self->num_slots;
    self->num_queued -= num_pieces;
    pthread_cond_broadcast(&self->has_room);
    if (self->num_queued == 0) {
        pthread_cond_broadcast(&self->is_empty);
    }
}

void
spot_queue_fail(spot_queue_t *self, int error)
{
    self->error = error;
    pthread_cond_broadcast(&self->has_room);
    pthread_cond_broadcast(&self->is_empty);
}
