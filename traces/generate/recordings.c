/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/generate/recordings.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

typedef struct {
    char *path;
    spot_trace_t *trace;
} book_t;

struct spot_shelf {
    int num_users; /* open recordings */
    size_t num_books;
    size_t max_books;
    book_t *books; /* [num_books] */
};

static void
free_book(book_t *book)
{
    if (book->trace != NULL) {
        spot_trace_free(book->trace);
    }
    free(book->trace);
    free(book->path);
}

static void
free_shelf(spot_shelf_t *shelf)
{
    for (size_t j = 0; j < shelf->num_books; j++) {
        free_book(&shelf->books[j]);
    }
    free(shelf->books);
    free(shelf);
}

/* Reads a trace and, without errors, puts it on the shelf. */
static int
read_trace(spot_shelf_t *shelf, const char *path, spot_diag_t *diag)
{
    book_t book = {.path = spot_text_copy(path, strlen(path)),
        .trace = spot_calloc(1, sizeof(*book.trace))};
    int ret = SPOT_ARRAY_ROOM(shelf, books, shelf->num_books + 1);

    if (book.path == NULL || book.trace == NULL) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    ret = ret == 0 ? spot_trace_read(book.trace, path, false, diag) : ret;
    if (ret == 0) {
        shelf->books[shelf->num_books++] = book;
    } else {
        free_book(&book);
    }
    return ret;
}

static const spot_trace_t *
find_trace(const spot_shelf_t *shelf, const char *path)
{
    for (size_t j = 0; j < shelf->num_books; j++) {
        if (strcmp(shelf->books[j].path, path) == 0) {
            return shelf->books[j].trace;
        }
    }
    return NULL;
}

int
spot_recorded_trace_open(spot_recorded_trace_t *self, const spot_recorded_trace_t *like,
    const char *path, spot_diag_t *diag)
{
    int ret = 0;

    self->trace = NULL;
    self->shelf = like == NULL ? NULL : like->shelf;
    if (self->shelf == NULL) {
        self->shelf = spot_calloc(1, sizeof(*self->shelf));
    }
    if (self->shelf == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->shelf->num_users++;
    self->trace = find_trace(self->shelf, path);
    if (self->trace == NULL) {
        ret = read_trace(self->shelf, path, diag);
        self->trace = ret == 0 ? find_trace(self->shelf, path) : NULL;
    }
    if (ret == 0 && self->trace->kind == SPOT_TRACE_AVAILABILITY) {
        spot_diag_warn(diag, path, 0, 0,
            "kind availability: what could have been obtained is taken as running");
    }
    return ret;
}

void
spot_recorded_trace_close(spot_recorded_trace_t *self)
{
    if (self->shelf != NULL && --self->shelf->num_users == 0) {
        free_shelf(self->shelf);
    }
    memset(self, 0, sizeof(*self));
}

/* The largest population. */
static int32_t
peak_of(const spot_trace_t *trace)
{
    int32_t population = trace->initial, peak = trace->initial;

    for (size_t j = 0; j < trace->num_events; j++) {
        const spot_event_t *event = &trace->events[j];

        population += event->kind == SPOT_EVENT_ADD ? event->count : -event->count;
        peak = population > peak ? population : peak;
    }
    return peak;
}

void
spot_recorded_trace_settle(const spot_trace_t *trace, spot_model_common_t *common)
{
    if (common->capacity == 0) {
        const int32_t peak = peak_of(trace);

        common->capacity = trace->capacity != SPOT_UNBOUNDED ? trace->capacity
                           : peak > 0                        ? peak
                                                             : 1;
    }
    if (common->horizon_ms == 0 && !common->is_within) {
        common->horizon_ms = spot_model_run_end_ms(common, trace->end_ms);
    }
    if (common->initial < 0) {
        common->initial = trace->initial;
    }
    if (common->tick_ms == 0) {
        common->tick_ms = trace->resolution_ms;
    }
}
