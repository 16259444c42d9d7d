/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/engine/event_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void spot_event_log_init(spot_event_log_t *self)
{
    memset(self, 0, sizeof(*self));
}

void spot_event_log_free(spot_event_log_t *self)
{
    free(self->records);
    free(self->texts);
    memset(self, 0, sizeof(*self));
}

void spot_event_log_clear(spot_event_log_t *self)
{
    self->num_records = 0;
    self->num_text_bytes = 0;
    self->has_failed = 0;
}

/* The offset of the copy, or -1 for no text or no memory. */
static int32_t keep_text(spot_event_log_t *self, const char *text)
{
    const size_t num_bytes = strlen(text) + 1;
    const size_t offset = self->num_text_bytes;

    if (offset + num_bytes > INT32_MAX ||
        spot_array_reserve(&self->texts, &self->max_text_bytes, offset + num_bytes, 1) != 0) {
        self->has_failed = SPOT_ERR_NO_MEMORY;
        return -1;
    }
    memcpy(self->texts + offset, text, num_bytes);
    self->num_text_bytes += num_bytes;
    return (int32_t) offset;
}

void spot_event_log_add(spot_event_log_t *self, int64_t time_ms, int32_t kind,
    const int64_t values[SPOT_EVENT_VALUES], const char *text)
{
    spot_log_record_t *record;

    if (SPOT_ARRAY_ROOM(self, records, self->num_records + 1) != 0) {
        self->has_failed = SPOT_ERR_NO_MEMORY;
        return;
    }
    record = &self->records[self->num_records++];
    record->sequence = (int64_t) self->num_records;
    record->time_ms = time_ms;
    record->amount = 0;
    record->kind = kind;
    memcpy(record->values, values, sizeof(record->values));
    record->text_offset = text == NULL ? -1 : keep_text(self, text);
}

static int compare_records(const void *left, const void *right)
{
    const spot_log_record_t *a = left;
    const spot_log_record_t *b = right;

    if (a->time_ms != b->time_ms) {
        return a->time_ms < b->time_ms ? -1 : 1;
    }
    if (a->kind != b->kind) {
        return a->kind < b->kind ? -1 : 1;
    }
    return a->sequence < b->sequence ? -1 : 1;
}

void spot_event_log_sort(spot_event_log_t *self)
{
    if (self->num_records > 0) {
        qsort(self->records, self->num_records, sizeof(*self->records), compare_records);
    }
}

const char *spot_event_log_text(const spot_event_log_t *self, const spot_log_record_t *record)
{
    return record->text_offset < 0 ? NULL : self->texts + record->text_offset;
}
