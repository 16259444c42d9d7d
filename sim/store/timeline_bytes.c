/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/store/timeline_bytes.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

#define FORMAT 1
#define MAX_WHOLE 9007199254740992.0 /* 2^53: doubles below count by ones */

/* The longest number: 0 and a double, or a varint. */
#define NUMBER_BYTES SPOT_VARINT_BYTES

static uint64_t
zigzag(int64_t value)
{
    return value < 0 ? ~((uint64_t) value << 1) : (uint64_t) value << 1;
}

static int64_t
from_zigzag(uint64_t bits)
{
    return (bits & 1) != 0 ? -(int64_t) (bits >> 1) - 1 : (int64_t) (bits >> 1);
}

static void
put_number(spot_bytes_t *bytes, double value)
{
    if (fabs(value) < MAX_WHOLE && value == floor(value) &&
        !(value == 0 && signbit(value))) {
        spot_bytes_put_varint(bytes, zigzag((int64_t) value) + 1);
    } else {
        spot_bytes_put_varint(bytes, 0);
        spot_bytes_put_double(bytes, value);
    }
}

static double
read_number(spot_byte_reader_t *reader)
{
    const uint64_t bits = spot_byte_reader_varint(reader);
    const double value =
        bits == 0 ? spot_byte_reader_double(reader) : (double) from_zigzag(bits - 1);

    if (!isfinite(value)) {
        reader->is_bad = true;
    }
    return value;
}

static int
put_text(spot_bytes_t *bytes, const char *text)
{
    const size_t num_bytes = text == NULL ? 0 : strlen(text);
    const int ret = spot_bytes_reserve(bytes, SPOT_VARINT_BYTES + num_bytes);

    if (ret == 0) {
        spot_bytes_put_varint(bytes, num_bytes);
        if (num_bytes > 0) {
            memcpy(bytes->bytes + bytes->num_bytes, text, num_bytes);
        }
        bytes->num_bytes += num_bytes;
    }
    return ret;
}

static int
put_names(spot_bytes_t *bytes, size_t num_names, const char *const *names)
{
    int ret = spot_bytes_reserve(bytes, SPOT_VARINT_BYTES);

    if (ret == 0) {
        spot_bytes_put_varint(bytes, num_names);
    }
    for (size_t j = 0; ret == 0 && j < num_names; j++) {
        ret = put_text(bytes, names[j]);
    }
    return ret;
}

static int
put_head(const spot_timeline_t *self, spot_bytes_t *bytes)
{
    const char *const texts[] = {
        self->note, self->title, self->height_label, self->progress_label};
    int ret = spot_bytes_reserve(bytes, SPOT_VARINT_BYTES);

    if (ret == 0) {
        spot_bytes_put_varint(bytes, FORMAT);
    }
    for (size_t j = 0; ret == 0 && j < 4; j++) {
        ret = put_text(bytes, texts[j]);
    }
    if (ret == 0) {
        ret = put_names(bytes, self->num_categories, self->category_names);
    }
    return ret == 0 ? put_names(bytes, self->num_mark_kinds, self->mark_names) : ret;
}

/* Time since the last one, which must not be later; *last_ms follows. */
static int
put_time(
    const spot_timeline_t *self, spot_bytes_t *bytes, int64_t time_ms, int64_t *last_ms)
{
    if (time_ms < *last_ms || time_ms > self->end_ms) {
        return SPOT_ERR_BAD_PARAM;
    }
    spot_bytes_put_varint(bytes, (uint64_t) (time_ms - *last_ms));
    *last_ms = time_ms;
    return 0;
}

static int
put_segment(const spot_timeline_t *self, spot_bytes_t *bytes, size_t segment_id,
    int64_t *last_ms)
{
    static const spot_timeline_segment_t none = {0};
    const spot_timeline_segment_t *segment = &self->segments[segment_id];
    const spot_timeline_segment_t *before =
        segment_id == 0 ? &none : &self->segments[segment_id - 1];
    const bool is_late =
        segment_id == 0 ? segment->start_ms == 0 : segment->start_ms > *last_ms;
    uint64_t changed = 0;
    int ret = is_late ? spot_bytes_reserve(bytes,
                            2 * SPOT_VARINT_BYTES + self->num_categories * NUMBER_BYTES)
                      : SPOT_ERR_BAD_PARAM;

    if (ret == 0) {
        ret = put_time(self, bytes, segment->start_ms, last_ms);
    }
    for (size_t j = 0; ret == 0 && j < self->num_categories; j++) {
        const bool is_changed = spot_double_bits(segment->heights[j]) !=
                                spot_double_bits(before->heights[j]);

        changed |= (uint64_t) is_changed << j;
        ret = isfinite(segment->heights[j]) ? 0 : SPOT_ERR_BAD_PARAM;
    }
    if (ret == 0) {
        spot_bytes_put_varint(bytes, changed);
    }
    for (size_t j = 0; ret == 0 && j < self->num_categories; j++) {
        if ((changed >> j & 1) != 0) {
            put_number(bytes, segment->heights[j]);
        }
    }
    return ret;
}

static int
put_mark(
    const spot_timeline_t *self, spot_bytes_t *bytes, size_t mark_id, int64_t *last_ms)
{
    const spot_timeline_mark_t *mark = &self->marks[mark_id];
    int ret = spot_bytes_reserve(bytes, 3 * SPOT_VARINT_BYTES);

    if (ret == 0) {
        ret = put_time(self, bytes, mark->time_ms, last_ms);
    }
    if (ret == 0 &&
        (mark->mark_kind < 0 || (size_t) mark->mark_kind >= self->num_mark_kinds)) {
        ret = SPOT_ERR_BAD_PARAM;
    }
    if (ret == 0) {
        spot_bytes_put_varint(bytes, (uint64_t) mark->mark_kind);
        spot_bytes_put_varint(bytes, zigzag(mark->count));
    }
    return ret;
}

static int
put_progress(const spot_timeline_t *self, spot_bytes_t *bytes, size_t progress_id,
    int64_t *last_ms)
{
    const spot_timeline_progress_t *progress = &self->progress[progress_id];
    int ret = spot_bytes_reserve(bytes, SPOT_VARINT_BYTES + NUMBER_BYTES);

    if (ret == 0) {
        ret = put_time(self, bytes, progress->time_ms, last_ms);
    }
    if (ret == 0 && !isfinite(progress->value)) {
        ret = SPOT_ERR_BAD_PARAM;
    }
    if (ret == 0) {
        put_number(bytes, progress->value);
    }
    return ret;
}

/* Writes one of a kind of records. */
typedef int (*put_record_t)(const spot_timeline_t *self, spot_bytes_t *bytes,
    size_t record_id, int64_t *last_ms);

static int
put_records(const spot_timeline_t *self, spot_bytes_t *bytes, size_t num_records,
    put_record_t put)
{
    int64_t last_ms = 0;
    int ret = num_records > SPOT_TIMELINE_MAX_RECORDS
                  ? SPOT_ERR_BAD_PARAM
                  : spot_bytes_reserve(bytes, SPOT_VARINT_BYTES);

    if (ret == 0) {
        spot_bytes_put_varint(bytes, num_records);
    }
    for (size_t j = 0; ret == 0 && j < num_records; j++) {
        ret = put(self, bytes, j, &last_ms);
    }
    return ret;
}

int
spot_timeline_write_bytes(const spot_timeline_t *self, spot_bytes_t *bytes)
{
    int ret;

    if (self->num_categories > SPOT_TIMELINE_MAX_CATEGORIES ||
        self->num_mark_kinds > SPOT_TIMELINE_MAX_MARK_KINDS || self->end_ms < 0 ||
        self->end_ms > SPOT_TIMELINE_MAX_MS) {
        return SPOT_ERR_BAD_PARAM;
    }
    ret = put_head(self, bytes);
    if (ret == 0) {
        ret = spot_bytes_reserve(bytes, SPOT_VARINT_BYTES);
    }
    if (ret == 0) {
        spot_bytes_put_varint(bytes, (uint64_t) self->end_ms);
        ret = put_records(self, bytes, self->num_segments, put_segment);
    }
    if (ret == 0) {
        ret = put_records(self, bytes, self->num_marks, put_mark);
    }
    return ret == 0 ? put_records(self, bytes, self->num_progress, put_progress) : ret;
}

/* A text, copied to *next, which moves behind it; or only passed over where it is NULL.
 */
static const char *
read_text(spot_byte_reader_t *reader, char **next)
{
    const uint64_t num_bytes = spot_byte_reader_varint(reader);
    const char *text = "";

    if (reader->is_bad || num_bytes > reader->num_left ||
        (num_bytes > 0 && memchr(reader->bytes, '\0', (size_t) num_bytes) != NULL)) {
        reader->is_bad = true;
        return text;
    }
    if (*next != NULL) {
        text = *next;
        memcpy(*next, reader->bytes, (size_t) num_bytes);
        *next += num_bytes;
        *(*next)++ = '\0';
    }
    reader->bytes += num_bytes;
    reader->num_left -= (size_t) num_bytes;
    return text;
}

/* names: room for max_names of them. */
static size_t
read_names(spot_byte_reader_t *reader, size_t max_names, const char **names, char **next)
{
    const uint64_t num_names = spot_byte_reader_varint(reader);

    if (num_names > max_names) {
        reader->is_bad = true;
    }
    for (size_t j = 0; !reader->is_bad && j < num_names; j++) {
        names[j] = read_text(reader, next);
    }
    return reader->is_bad ? 0 : (size_t) num_names;
}

/* What put_head() has written. next as of read_text(). */
static void
read_head(spot_timeline_t *self, spot_byte_reader_t *reader, const char **category_names,
    const char **mark_names, char *next)
{
    const char *note;

    if (spot_byte_reader_varint(reader) != FORMAT) {
        reader->is_bad = true;
    }
    note = read_text(reader, &next);
    if (strlen(note) >= sizeof(self->note)) {
        reader->is_bad = true;
    } else {
        strcpy(self->note, note);
    }
    self->title = read_text(reader, &next);
    self->height_label = read_text(reader, &next);
    self->progress_label = read_text(reader, &next);
    self->num_categories =
        read_names(reader, SPOT_TIMELINE_MAX_CATEGORIES, category_names, &next);
    self->num_mark_kinds =
        read_names(reader, SPOT_TIMELINE_MAX_MARK_KINDS, mark_names, &next);
}

/* Reads the head twice: first to know how much room its texts take. A text is no longer
 * with the NUL behind it than with its length before it. */
static int
read_texts(spot_timeline_t *self, spot_byte_reader_t *reader)
{
    const size_t max_names = SPOT_TIMELINE_MAX_CATEGORIES + SPOT_TIMELINE_MAX_MARK_KINDS;
    const char
        *passed_names[SPOT_TIMELINE_MAX_CATEGORIES + SPOT_TIMELINE_MAX_MARK_KINDS];
    const char **names;
    spot_byte_reader_t passed = *reader;

    read_head(
        self, &passed, passed_names, passed_names + SPOT_TIMELINE_MAX_CATEGORIES, NULL);
    if (passed.is_bad) {
        return SPOT_ERR_BAD_INPUT;
    }
    self->owned =
        spot_calloc(max_names * sizeof(*names) + reader->num_left - passed.num_left, 1);
    if (self->owned == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    names = self->owned;
    self->category_names = names;
    self->mark_names = names + SPOT_TIMELINE_MAX_CATEGORIES;
    read_head(self, reader, names, names + SPOT_TIMELINE_MAX_CATEGORIES,
        (char *) (names + max_names));
    return reader->is_bad ? SPOT_ERR_BAD_INPUT : 0;
}

/* How many records follow, each of at least min_bytes. */
static size_t
read_count(spot_byte_reader_t *reader, size_t min_bytes)
{
    const uint64_t num_records = spot_byte_reader_varint(reader);

    if (num_records > SPOT_TIMELINE_MAX_RECORDS ||
        num_records > reader->num_left / min_bytes) {
        reader->is_bad = true;
    }
    return reader->is_bad ? 0 : (size_t) num_records;
}

static int64_t
read_time(const spot_timeline_t *self, spot_byte_reader_t *reader, int64_t last_ms)
{
    const uint64_t since_ms = spot_byte_reader_varint(reader);

    if (since_ms > (uint64_t) (self->end_ms - last_ms)) {
        reader->is_bad = true;
        return last_ms;
    }
    return last_ms + (int64_t) since_ms;
}

static int
read_segments(spot_timeline_t *self, spot_byte_reader_t *reader)
{
    const size_t num_segments = read_count(reader, 2);
    spot_timeline_segment_t segment = {0};

    self->segments = spot_calloc(num_segments, sizeof(*self->segments));
    if (self->segments == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->max_segments = num_segments;
    for (size_t j = 0; j < num_segments && !reader->is_bad; j++) {
        const int64_t start_ms = read_time(self, reader, segment.start_ms);
        const uint64_t changed = spot_byte_reader_varint(reader);

        if (changed >> self->num_categories != 0 ||
            (j == 0 ? start_ms != 0 : start_ms == segment.start_ms)) {
            reader->is_bad = true;
        }
        for (size_t k = 0; k < self->num_categories; k++) {
            if ((changed >> k & 1) != 0) {
                segment.heights[k] = read_number(reader);
            }
        }
        segment.start_ms = start_ms;
        self->segments[self->num_segments++] = segment;
    }
    return reader->is_bad ? SPOT_ERR_BAD_INPUT : 0;
}

static int
read_marks(spot_timeline_t *self, spot_byte_reader_t *reader)
{
    const size_t num_marks = read_count(reader, 3);
    int64_t time_ms = 0;

    self->marks = spot_calloc(num_marks, sizeof(*self->marks));
    if (self->marks == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->max_marks = num_marks;
    for (size_t j = 0; j < num_marks && !reader->is_bad; j++) {
        uint64_t kind;

        time_ms = read_time(self, reader, time_ms);
        kind = spot_byte_reader_varint(reader);
        if (kind >= self->num_mark_kinds) {
            reader->is_bad = true;
            kind = 0;
        }
        self->marks[self->num_marks++] = (spot_timeline_mark_t){
            time_ms, (int32_t) kind, from_zigzag(spot_byte_reader_varint(reader))};
    }
    return reader->is_bad ? SPOT_ERR_BAD_INPUT : 0;
}

static int
read_progress(spot_timeline_t *self, spot_byte_reader_t *reader)
{
    const size_t num_progress = read_count(reader, 2);
    int64_t time_ms = 0;

    self->progress = spot_calloc(num_progress, sizeof(*self->progress));
    if (self->progress == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->max_progress = num_progress;
    for (size_t j = 0; j < num_progress && !reader->is_bad; j++) {
        time_ms = read_time(self, reader, time_ms);
        self->progress[self->num_progress++] =
            (spot_timeline_progress_t){time_ms, read_number(reader)};
    }
    return reader->is_bad || reader->num_left > 0 ? SPOT_ERR_BAD_INPUT : 0;
}

int
spot_timeline_read_bytes(spot_timeline_t *self, const uint8_t *bytes, size_t num_bytes)
{
    spot_byte_reader_t reader = {.bytes = bytes, .num_left = num_bytes};
    uint64_t end_ms;
    int ret = read_texts(self, &reader);

    if (ret != 0) {
        return ret;
    }
    end_ms = spot_byte_reader_varint(&reader);
    if (reader.is_bad || end_ms > SPOT_TIMELINE_MAX_MS) {
        return SPOT_ERR_BAD_INPUT;
    }
    self->end_ms = (int64_t) end_ms;
    ret = read_segments(self, &reader);
    if (ret == 0) {
        ret = read_marks(self, &reader);
    }
    return ret == 0 ? read_progress(self, &reader) : ret;
}
