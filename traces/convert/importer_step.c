/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs "t,count" of a step plot, two at each step: Thorpe et al., Bamboo, NSDI 2023,
 * doc/data/. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/units.h"
#include "traces/convert/convert.h"

enum { COLUMN_TIME, COLUMN_COUNT, NUM_COLUMNS };

typedef struct {
    spot_import_t *import;
    spot_count_series_t series;
    bool has_row;
    double first; /* time in the unit of the file */
    int64_t num_backwards;
    int num_decimals; /* most decimals of any time */
} state_t;

/* Whether the row holds column names, which the format allows. */
static bool is_head(const char *time, const char *count)
{
    return (strcmp(time, "t") == 0 || strcmp(time, "time") == 0 || strcmp(time, "time_s") == 0 ||
               strcmp(time, "time_h") == 0) &&
           strcmp(count, "count") == 0;
}

static bool sniff(const spot_convert_head_t *head)
{
    const char *line = head->line;
    const char *comma = strchr(line, ',');
    const char *count = comma == NULL ? "" : comma + 1 + strspn(comma + 1, " ");
    const size_t num_bytes = comma == NULL ? 0 : (size_t) (comma - line);
    char time[64];
    double value;

    if (num_bytes == 0 || num_bytes >= sizeof(time) || strchr(count, ',') != NULL) {
        return false;
    }
    memcpy(time, line, num_bytes);
    time[num_bytes] = '\0';
    return is_head(time, count) ||
           (spot_number_parse(time, &value) == 0 && *count >= '0' && *count <= '9');
}

static void note_decimals(state_t *self, const char *text)
{
    const char *point = strchr(text, '.');
    const int num = point == NULL ? 0 : (int) strspn(point + 1, "0123456789");

    self->num_decimals = num > self->num_decimals ? num : self->num_decimals;
}

static int take_pair(state_t *self, const spot_csv_row_t *row, double time, int32_t count)
{
    const double unit_s = (double) self->import->unit_ms / SPOT_MS_PER_S;
    int64_t time_ms;

    if (!self->has_row) {
        self->first = time;
        self->has_row = true;
    }
    note_decimals(self, row->fields[COLUMN_TIME]);
    if (spot_duration_from_s((time - self->first) * unit_s, &time_ms) != 0) {
        return spot_import_expected(
            self->import, 0, row, COLUMN_TIME, "time", "one within 100 years");
    }
    self->import->report->num_records++;
    if (time_ms < self->series.time_ms) {
        self->num_backwards++;
        return 0;
    }
    spot_count_series_add(&self->series, time_ms, count);
    return 0;
}

static int take_row(void *state, const spot_csv_row_t *row)
{
    state_t *self = state;
    int ret = spot_import_num_fields(self->import, 0, row, NUM_COLUMNS);
    int32_t count;
    double time;

    if (ret != 0) {
        return ret;
    }
    if (!self->has_row && row->line == 1 &&
        is_head(row->fields[COLUMN_TIME], row->fields[COLUMN_COUNT])) {
        return 0;
    }
    if (spot_number_parse(row->fields[COLUMN_TIME], &time) != 0) {
        return spot_import_expected(self->import, 0, row, COLUMN_TIME, "time", "a number");
    }
    if (spot_import_count_parse(row->fields[COLUMN_COUNT], &count) != 0) {
        return spot_import_expected(
            self->import, 0, row, COLUMN_COUNT, "count", "an integer from 0");
    }
    return take_pair(self, row, time, count);
}

/* The resolution is the last decimal printed, at least 1 ms. */
static void take_resolution(state_t *self)
{
    const double printed_s =
        (double) self->import->unit_ms / SPOT_MS_PER_S / pow(10, fmin(self->num_decimals, 15));

    self->import->resolution_s = fmax(printed_s, 0.001);
    spot_import_key(self->import, "resolution_note", "event driven; printing resolution");
}

static void add_remarks(state_t *self)
{
    SPOT_IMPORT_REMARK(self->import, SPOT_REMARK_UNCERTAIN, "true_end", 0,
        "the true end is unknown: the trace ends at the last row");
    SPOT_IMPORT_REMARK(self->import, SPOT_REMARK_UNCERTAIN, "net_changes", 0,
        "counts hide losses and additions within one step that cancel out");
    if (self->num_backwards > 0) {
        SPOT_IMPORT_REMARK(self->import, SPOT_REMARK_REPAIRED, "rows_back_in_time",
            self->num_backwards, "%lld rows that go back in time were dropped",
            (long long) self->num_backwards);
    }
}

static int finish(state_t *self)
{
    spot_import_t *import = self->import;

    if (self->series.num_samples == 0) {
        return spot_diag_error(
            import->diag, import->inputs[0].path, 0, 0, "expected at least one record");
    }
    spot_count_series_finish(&self->series, self->series.time_ms);
    take_resolution(self);
    spot_import_key(import, "note", "step-plot pairs collapsed; observation end = last row");
    add_remarks(self);
    return 0;
}

static int read_step(spot_import_t *import)
{
    state_t self = {.import = import, .series = {.import = import}};
    int ret;

    import->trace->kind = SPOT_TRACE_COUNTS;
    ret = spot_import_rows(import, 0, take_row, &self);
    return ret == 0 ? finish(&self) : ret;
}

const spot_importer_t spot_importer_step = {
    .name = "step",
    .doc = "pairs t,count of a step plot, t in seconds or as --unit says",
    .source = "uclasystem/bamboo doc/data/ (NSDI 2023)",
    .num_inputs = 1,
    .unit_ms = SPOT_MS_PER_S,
    .sniff = sniff,
    .read = read_step,
};
