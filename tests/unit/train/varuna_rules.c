/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "varuna_rules.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH 12
#define LEAST 15
#define MOST 30
#define READY_MS 45000

enum { READY = 4, TIMER = 5, STEP = 7, CHECKPOINT = 8 };
enum { GONE, CREATING, LIVE };

typedef struct {
    int64_t time_ms;
    int kind;
    int64_t what; /* instance, or version of a step */
} event_t;

typedef struct {
    const rules_case_t *input;
    size_t num_events, max_events;
    event_t *events; /* the heap */
    int *instances;  /* by number: GONE, CREATING, LIVE */
    bool is_running, is_waiting_for_timer;
    int num_listed; /* instances that wait for the timer */
    int64_t version, steps, total_ms, write_ms, step_ms;
    bool has_flag, has_started, has_point;
    int64_t start_ms, previous_ms, last_ms, point_ms;
    size_t num_points, num_heights, max_points;
    int64_t *points_ms; /* [num_points] two of each step */
    double *heights;    /* [num_heights] samples/s at them */
    rules_result_t result;
} run_t;

static void *more(void *items, size_t *max_items, size_t num, size_t size)
{
    if (num > *max_items) {
        *max_items = 2 * num;
        items = realloc(items, *max_items * size);
        if (items == NULL) {
            abort();
        }
    }
    return items;
}

/* ---- heapq: lists of (time, kind) ---- */

static bool less(event_t a, event_t b)
{
    return a.time_ms != b.time_ms ? a.time_ms < b.time_ms : a.kind < b.kind;
}

static void sift_down(event_t *heap, size_t first, size_t place)
{
    const event_t item = heap[place];

    while (place > first) {
        const size_t parent = (place - 1) >> 1;

        if (!less(item, heap[parent])) {
            break;
        }
        heap[place] = heap[parent];
        place = parent;
    }
    heap[place] = item;
}

static void sift_up(event_t *heap, size_t num, size_t place)
{
    const size_t first = place;
    const event_t item = heap[place];
    size_t child = 2 * place + 1;

    while (child < num) {
        const size_t right = child + 1;

        if (right < num && !less(heap[child], heap[right])) {
            child = right;
        }
        heap[place] = heap[child];
        place = child;
        child = 2 * place + 1;
    }
    heap[place] = item;
    sift_down(heap, first, place);
}

static void heapify(event_t *heap, size_t num)
{
    for (size_t j = num / 2; j-- > 0;) {
        sift_up(heap, num, j);
    }
}

static void heap_push(run_t *self, int64_t time_ms, int kind, int64_t what)
{
    self->events =
        more(self->events, &self->max_events, self->num_events + 1, sizeof(*self->events));
    self->events[self->num_events++] = (event_t){time_ms, kind, what};
    sift_down(self->events, 0, self->num_events - 1);
}

static event_t heap_pop(run_t *self)
{
    const event_t last = self->events[--self->num_events];
    event_t first = last;

    if (self->num_events > 0) {
        first = self->events[0];
        self->events[0] = last;
        sift_up(self->events, self->num_events, 0);
    }
    return first;
}

/* ---- Rendezvous ---- */

static int num_live(const run_t *self)
{
    int num = 0;

    for (int j = 0; j < self->input->num_instances; j++) {
        num += self->instances[j] == LIVE;
    }
    return num;
}

static const spot_instance_row_t *row_of(const run_t *self, int num)
{
    const spot_instance_table_t *table = self->input->table;

    num = num < LEAST ? LEAST : num > MOST ? MOST : num;
    return &table->rows[num - table->rows[0].num_instances];
}

static void start_rendezvous(run_t *self, int64_t now_ms)
{
    self->is_waiting_for_timer = true;
    self->num_listed = num_live(self);
    heap_push(self, now_ms + self->total_ms - self->write_ms, TIMER, 0);
}

/* Any timer: the listed instances form pipelines, and the list is empty from then on. */
static void end_timer(run_t *self, int64_t now_ms)
{
    const spot_instance_row_t *row = row_of(self, num_live(self));

    self->is_running = self->num_listed >= DEPTH;
    self->is_waiting_for_timer = false;
    self->num_listed = 0;
    self->version++;
    if (!self->is_running) {
        self->result.stops++;
        return;
    }
    self->total_ms = row->values[SPOT_BY_N_RESTART_TOTAL_MS];
    self->write_ms = row->values[SPOT_BY_N_CHECKPOINT_MS];
    self->step_ms = row->step_ms;
    heap_push(self, now_ms + self->step_ms, STEP, self->version);
    if (!self->has_started) {
        self->has_started = true;
        self->start_ms = self->previous_ms = now_ms;
    }
}

static void become_ready(run_t *self, const event_t *event)
{
    if (self->instances[event->what] == GONE) {
        return;
    }
    self->instances[event->what] = LIVE;
    if (self->is_waiting_for_timer) {
        self->num_listed++;
    } else if (!self->is_running) {
        start_rendezvous(self, event->time_ms);
    }
}

/* All heights become 0 behind the one at the place of the latest checkpoint in the list of
 * times, or behind the last time if no step has started with it; without a checkpoint all
 * do. Where the list of heights has grown these are heights of earlier steps. */
static void zero_heights(run_t *self)
{
    size_t first = 0;

    if (self->has_point) {
        const size_t num =
            self->num_points < self->num_heights ? self->num_points : self->num_heights;

        while (first < num && self->points_ms[first] != self->point_ms) {
            first++;
        }
        first += first < num;
    }
    for (size_t j = first; j < self->num_heights; j++) {
        self->heights[j] = 0;
    }
}

/* Every removal is fatal. */
static void remove_instance(run_t *self, const event_t *event)
{
    self->instances[event->what] = GONE;
    self->has_flag = true;
    zero_heights(self);
    start_rendezvous(self, event->time_ms);
}

/* ---- Steps ---- */

static void add_height(run_t *self, double height)
{
    size_t max_heights = self->max_points;

    self->heights = more(self->heights, &max_heights, self->num_heights + 1, sizeof(double));
    self->points_ms =
        more(self->points_ms, &self->max_points, self->num_heights + 1, sizeof(int64_t));
    self->heights[self->num_heights++] = height;
}

/* The last 20 items of the list become 20 zeros, however many there are. */
static void zero_last_heights(run_t *self)
{
    const size_t num_last = self->num_heights < 20 ? self->num_heights : 20;

    self->num_heights -= num_last;
    for (size_t j = 0; j < 20; j++) {
        add_height(self, 0);
    }
    self->result.early += (int64_t) (20 - num_last) / 2;
}

static void write_checkpoint(run_t *self, int64_t *now_ms)
{
    bool has_failed = false;

    self->has_flag = false;
    *now_ms += self->write_ms;
    heap_push(self, *now_ms + self->write_ms, CHECKPOINT, 0);
    heapify(self->events, self->num_events);
    for (size_t j = 0; j < self->num_events && self->events[j].kind != CHECKPOINT; j++) {
        has_failed |= self->events[j].kind == RULES_REMOVE;
    }
    if (has_failed) {
        self->result.failed++;
        self->steps = self->steps > 10 ? self->steps - 10 : 0;
        zero_last_heights(self);
    } else {
        self->has_point = true;
        self->point_ms = *now_ms;
    }
}

static void end_step(run_t *self, const event_t *event)
{
    int64_t now_ms = event->time_ms;
    const double height =
        (double) self->input->samples_per_step * 1000 / (double) (now_ms - self->previous_ms);

    if (event->what != self->version) {
        return;
    }
    self->steps++;
    self->result.executed++;
    add_height(self, height);
    add_height(self, height);
    self->points_ms[self->num_points++] = self->previous_ms;
    self->points_ms[self->num_points++] = now_ms;
    self->last_ms = now_ms;
    if (self->steps % 10 == 0 || self->has_flag) {
        write_checkpoint(self, &now_ms);
    }
    self->previous_ms = now_ms;
    heap_push(self, now_ms + self->step_ms, STEP, self->version);
}

/* ---- The run ---- */

static void handle(run_t *self, const event_t *event)
{
    switch (event->kind) {
        case RULES_ADD:
            self->instances[event->what] = CREATING;
            heap_push(self, event->time_ms + READY_MS, READY, event->what);
            break;
        case RULES_REMOVE:
            remove_instance(self, event);
            break;
        case READY:
            become_ready(self, event);
            break;
        case TIMER:
            end_timer(self, event->time_ms);
            break;
        case STEP:
            end_step(self, event);
            break;
        default:
            break;
    }
}

static void settle(run_t *self)
{
    double samples = 0;

    for (size_t j = 0; j + 1 < self->num_points; j += 2) {
        samples +=
            self->heights[j + 1] * (double) (self->points_ms[j + 1] - self->points_ms[j]) / 1000;
        self->result.counted += self->heights[j + 1] != 0;
    }
    self->result.steps = self->steps;
    self->result.start_ms = self->start_ms;
    self->result.last_ms = self->last_ms;
    if (self->last_ms > self->start_ms) {
        self->result.samples_per_s = samples * 1000 / (double) (self->last_ms - self->start_ms);
    }
}

rules_result_t rules_run(const rules_case_t *input)
{
    run_t self = {.input = input};
    int64_t end_ms;

    self.instances = calloc((size_t) input->num_instances, sizeof(*self.instances));
    if (self.instances == NULL) {
        abort();
    }
    self.total_ms = row_of(&self, MOST)->values[SPOT_BY_N_RESTART_TOTAL_MS];
    self.total_ms = input->first_restart_ms > 0 ? input->first_restart_ms : self.total_ms;
    self.write_ms = row_of(&self, MOST)->values[SPOT_BY_N_CHECKPOINT_MS];
    for (size_t j = 0; j < input->num_events; j++) {
        const rules_event_t *event = &input->events[j];

        heap_push(&self, event->time_ms, event->kind, event->instance);
    }
    end_ms = self.events[self.num_events - 1].time_ms;
    while (self.num_events > 0) {
        const event_t event = heap_pop(&self);

        if (event.time_ms >= end_ms) {
            break;
        }
        handle(&self, &event);
    }
    settle(&self);
    free(self.instances);
    free(self.events);
    free(self.points_ms);
    free(self.heights);
    return self.result;
}
