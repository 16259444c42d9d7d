/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows "YYYY-MM-DD, HH:MM:SS, count", one poll a line: Thorpe et al., Bamboo, NSDI 2023,
 * traces/gcloud/. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/datetime.h"
#include "base/memory.h"
#include "base/units.h"
#include "traces/convert/convert.h"

enum { COLUMN_DATE, COLUMN_TIME, COLUMN_COUNT, NUM_COLUMNS };

/* Time from a line to a copy of it. */
enum { COPY_GAP_S = 60 };

typedef struct {
    int64_t time_s; /* since 1970, zone unknown */
    int32_t count;
} poll_t;

/* A gap of this many polls or more is a hole. */
#define HOLE_GAPS 10

typedef struct {
    spot_import_t *import;
    spot_count_series_t series;
    bool has_poll;
    poll_t first, kept, previous; /* previous: the row before, copy or not */
    int64_t num_copies;           /* successive copies up to the row before */
    int64_t num_dropped;
    size_t num_gaps;
    size_t max_gaps;
    int64_t *gaps; /* [num_gaps] in s, between kept polls, above 0 */
} state_t;

static bool sniff(const spot_convert_head_t *head)
{
    const char *line = head->line;
    int64_t number;

    if (!spot_date_scan(&line, &number) || *line != ',') {
        return false;
    }
    line++;
    line += strspn(line, " ");
    return spot_time_of_day_scan(&line, &number);
}

static int parse_row(const state_t *self, const spot_csv_row_t *row, poll_t *poll)
{
    const spot_import_t *import = self->import;
    int64_t day, second;
    const char *text;
    int ret = spot_import_num_fields(import, 0, row, NUM_COLUMNS);

    if (ret != 0) {
        return ret;
    }
    text = row->fields[COLUMN_DATE];
    if (!spot_date_scan(&text, &day) || *text != '\0') {
        return spot_import_expected(import, 0, row, COLUMN_DATE, "date", "YYYY-MM-DD");
    }
    text = row->fields[COLUMN_TIME];
    if (!spot_time_of_day_scan(&text, &second) || *text != '\0') {
        return spot_import_expected(import, 0, row, COLUMN_TIME, "time", "hh:mm:ss");
    }
    if (spot_import_count_parse(row->fields[COLUMN_COUNT], &poll->count) != 0) {
        return spot_import_expected(import, 0, row, COLUMN_COUNT, "count", "an integer from 0");
    }
    poll->time_s = 86400 * day + second;
    return 0;
}

static bool is_copy(const state_t *self, const poll_t *poll)
{
    return self->has_poll && self->num_copies + 1 < self->import->task->num_poll_copies &&
           poll->time_s == self->previous.time_s + COPY_GAP_S &&
           poll->count == self->previous.count;
}

static void start(state_t *self, const spot_csv_row_t *row, const poll_t *poll)
{
    char text[64];

    snprintf(text, sizeof(text), "%sT%s", row->fields[COLUMN_DATE], row->fields[COLUMN_TIME]);
    self->has_poll = true;
    self->first = *poll;
    self->kept = *poll;
    spot_import_key(self->import, "start", text);
}

static void note_gap(state_t *self, int64_t gap_s)
{
    spot_import_note_error(self->import, SPOT_ARRAY_APPEND(self, gaps, gap_s));
}

static int take_poll(state_t *self, const spot_csv_row_t *row, const poll_t *poll)
{
    if (!self->has_poll) {
        start(self, row, poll);
    } else if (poll->time_s < self->kept.time_s) {
        return spot_import_expected(
            self->import, 0, row, COLUMN_TIME, "time", "a stamp not before the previous one");
    } else if (poll->time_s > self->kept.time_s) {
        note_gap(self, poll->time_s - self->kept.time_s);
    }
    self->kept = *poll;
    spot_count_series_add(
        &self->series, SPOT_MS_PER_S * (poll->time_s - self->first.time_s), poll->count);
    return 0;
}

static int take_row(void *state, const spot_csv_row_t *row)
{
    state_t *self = state;
    poll_t poll;
    int ret = parse_row(self, row, &poll);

    if (ret != 0) {
        return ret;
    }
    self->import->report->num_records++;
    if (is_copy(self, &poll)) {
        self->num_copies++;
        self->num_dropped++;
    } else {
        self->num_copies = 0;
        ret = take_poll(self, row, &poll);
    }
    self->previous = poll;
    return ret;
}

static int compare(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *) left, b = *(const int64_t *) right;

    return (a > b) - (a < b);
}

/* Returns the upper median of the gaps, or 0 without memory. */
static int64_t find_median(const state_t *self, int64_t *least, int64_t *most)
{
    int64_t *sorted = spot_calloc(self->num_gaps, sizeof(*sorted));
    int64_t median = 0;

    if (sorted != NULL) {
        memcpy(sorted, self->gaps, self->num_gaps * sizeof(*sorted));
        qsort(sorted, self->num_gaps, sizeof(*sorted), compare);
        median = sorted[self->num_gaps / 2];
        *least = sorted[0];
        *most = sorted[self->num_gaps - 1];
    }
    free(sorted);
    return median;
}

/* Warns of holes: the trace shows changes within a hole at its end. */
static void remark_holes(const state_t *self, int64_t median_s)
{
    int64_t start_s = 0, longest_s = 0, longest_start_s = 0, num_holes = 0;

    for (size_t j = 0; j < self->num_gaps; j++) {
        const int64_t gap_s = self->gaps[j];

        num_holes += gap_s >= HOLE_GAPS * median_s ? 1 : 0;
        if (gap_s > longest_s) {
            longest_s = gap_s;
            longest_start_s = start_s;
        }
        start_s += gap_s;
    }
    if (num_holes > 0) {
        SPOT_IMPORT_REMARK(self->import, SPOT_REMARK_UNCERTAIN, "holes", num_holes,
            "%" PRId64 " hole%s of %d polls or more, the longest without any for %" PRId64
            " s from %" PRId64 " s on: what happened in one shows at its end",
            num_holes, num_holes == 1 ? "" : "s", HOLE_GAPS, longest_s, longest_start_s);
    }
}

static void take_resolution(state_t *self)
{
    char text[128];
    int64_t median_s, least_s, most_s;

    if (self->num_gaps == 0) {
        return;
    }
    median_s = find_median(self, &least_s, &most_s);
    if (median_s == 0) {
        spot_import_note_error(self->import, SPOT_ERR_NO_MEMORY);
        return;
    }
    self->import->resolution_s = (double) median_s;
    if (least_s == most_s) {
        return;
    }
    snprintf(text, sizeof(text),
        "irregular polls: median %" PRId64 " min %" PRId64 " max %" PRId64 " s", median_s, least_s,
        most_s);
    spot_import_key(self->import, "resolution_note", text);
    remark_holes(self, median_s);
}

static void add_remarks(state_t *self)
{
    SPOT_IMPORT_REMARK(self->import, SPOT_REMARK_UNCERTAIN, "zone", 0,
        "the stamps are local time; the time zone is unknown");
    SPOT_IMPORT_REMARK(self->import, SPOT_REMARK_UNCERTAIN, "net_changes", 0,
        "counts hide losses and additions between two polls that cancel out");
    if (self->num_dropped > 0) {
        SPOT_IMPORT_REMARK(self->import, SPOT_REMARK_READ, "poll_copies", self->num_dropped,
            "%" PRId64 " copies of polls were dropped", self->num_dropped);
    }
    if (self->series.num_same_time > 0) {
        SPOT_IMPORT_REMARK(self->import, SPOT_REMARK_REPAIRED, "same_time",
            self->series.num_same_time, "%zu polls at the time of the next one were dropped",
            self->series.num_same_time);
    }
}

static int read_gcloud(spot_import_t *import)
{
    state_t self = {.import = import, .series = {.import = import}};
    int ret;

    import->trace->kind = SPOT_TRACE_COUNTS;
    ret = spot_import_rows(import, 0, take_row, &self);
    if (ret == 0) {
        spot_count_series_finish(&self.series, self.series.time_ms);
        take_resolution(&self);
        spot_import_key(import, "start_note", "local time; zone not stated");
        add_remarks(&self);
    }
    free(self.gaps);
    return ret;
}

const spot_importer_t spot_importer_gcloud = {
    .name = "gcloud",
    .doc = "polls YYYY-MM-DD, HH:MM:SS, count in local time",
    .source = "uclasystem/bamboo traces/gcloud/ (NSDI 2023)",
    .num_inputs = 1,
    .takes = SPOT_TAKES_POLL_COPIES,
    .sniff = sniff,
    .read = read_gcloud,
};
