/* SPDX-License-Identifier: GPL-3.0-or-later */
/* {"metadata": {"gap_seconds": g}, "data": [...], "prices": [...]}: one sample every g
 * seconds; kind, capacity, cloud and date are in the folder names. Wu et al., Can't Be
 * Late, NSDI 2024, skypilot-org/spot-traces. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/datetime.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/units.h"
#include "traces/convert/convert.h"
#include "traces/records/records.h"

/* A sample that differs from the one before it. */
typedef struct {
    int64_t sample_id;
    int32_t count;
} change_t;

typedef struct {
    spot_import_t *import;
    spot_json_reader_t json;
    bool has_data, is_faulty;
    double gap_s; /* 0: not yet found */
    int64_t num_samples;
    size_t num_changes;
    size_t max_changes;
    change_t *changes;   /* [num_changes] */
    int64_t num_ignored; /* values under other keys */
} state_t;

static bool sniff(const spot_convert_head_t *head)
{
    return *head->line == '{' && (strstr(head->text, "\"gap_seconds\"") != NULL ||
                                     strncmp(head->line, "{\"metadata\"", 11) == 0);
}

static int keep_sample(state_t *self, int32_t count)
{
    int ret = 0;

    if (self->num_changes == 0 || self->changes[self->num_changes - 1].count != count) {
        ret = SPOT_ARRAY_APPEND(self, changes, (change_t){self->num_samples, count});
    }
    self->num_samples++;
    return ret;
}

/* Reports the expected value and skips the current one. */
static int refuse(state_t *self, const char *what, const char *expected)
{
    const int ret = spot_json_reader_expected(&self->json, what, expected);

    self->is_faulty |= ret == SPOT_ERR_BAD_INPUT;
    return spot_json_reader_skip(&self->json);
}

static int read_sample(state_t *self)
{
    char what[48];
    int32_t count = 0;

    if (self->json.kind == SPOT_JSON_WORD &&
        spot_import_count_parse(self->json.text, &count) == 0) {
        return keep_sample(self, count);
    }
    snprintf(what, sizeof(what), "data[%" PRId64 "]", self->num_samples++);
    return refuse(self, what, "an integer from 0");
}

static int read_data(state_t *self)
{
    int ret;

    if (self->json.kind != SPOT_JSON_OPEN_ARRAY || self->has_data) {
        return refuse(self, "data", "one list of numbers");
    }
    self->has_data = true;
    ret = spot_json_reader_next(&self->json);
    while (ret == 0 && self->json.kind != SPOT_JSON_CLOSE_ARRAY) {
        ret = read_sample(self);
        ret = ret == 0 ? spot_json_reader_next(&self->json) : ret;
    }
    return ret;
}

static int read_gap(state_t *self)
{
    double gap_s;
    int64_t gap_ms;

    if (self->json.kind != SPOT_JSON_WORD || spot_number_parse(self->json.text, &gap_s) != 0 ||
        gap_s <= 0 || spot_duration_from_s(gap_s, &gap_ms) != 0 || gap_ms == 0) {
        self->gap_s = 1; /* so that the key is not reported as missing */
        return refuse(self, "gap_seconds", "a number above 0");
    }
    self->gap_s = gap_s;
    return 0;
}

static int take_metadata(void *state, const char *key)
{
    state_t *self = state;

    if (strcmp(key, "gap_seconds") == 0) {
        return read_gap(self);
    }
    self->num_ignored++;
    return spot_json_reader_skip(&self->json);
}

static int read_object(state_t *self, int (*take)(void *state, const char *key), const char *what)
{
    return self->json.kind == SPOT_JSON_OPEN_OBJECT
               ? spot_json_reader_object(&self->json, take, self)
               : refuse(self, what, "an object {...}");
}

static int take_key(void *state, const char *key)
{
    state_t *self = state;

    if (strcmp(key, "metadata") == 0) {
        return read_object(self, take_metadata, "metadata");
    }
    if (strcmp(key, "data") == 0) {
        return read_data(self);
    }
    self->num_ignored++;
    return spot_json_reader_skip(&self->json);
}

static int read_document(state_t *self)
{
    int ret = spot_json_reader_next(&self->json);

    ret = ret == 0 ? read_object(self, take_key, "the file") : ret;
    ret = ret == 0 ? spot_json_reader_next(&self->json) : ret;
    if (ret == 0 && self->json.kind != SPOT_JSON_END) {
        ret = spot_json_reader_expected(&self->json, "the file", "one object {...}");
    }
    return ret;
}

static int check_document(const state_t *self)
{
    const spot_import_t *import = self->import;
    const char *const missing = !self->has_data ? "data" : "gap_seconds";

    if (self->is_faulty && !self->has_data) {
        return SPOT_ERR_BAD_INPUT; /* a refused value may have held the keys */
    }
    if (!self->has_data || self->gap_s <= 0) {
        return spot_diag_error(
            import->diag, import->inputs[0].path, 1, 1, "missing key '%s'", missing);
    }
    if (self->num_samples == 0) {
        return spot_diag_error(
            import->diag, import->inputs[0].path, 1, 1, "data: expected at least one");
    }
    return self->is_faulty ? SPOT_ERR_BAD_INPUT : 0;
}

/* The time of a sample. BAD_INPUT beyond 100 years. */
static int time_of(const state_t *self, int64_t sample_id, int64_t *time_ms)
{
    return spot_duration_from_s(self->gap_s * (double) sample_id, time_ms);
}

static int make_events(state_t *self)
{
    spot_import_t *import = self->import;
    spot_count_series_t series = {.import = import};
    int64_t time_ms, end_ms;
    int ret = time_of(self, self->num_samples, &end_ms);

    if (ret != 0) {
        spot_diag_error(import->diag, import->inputs[0].path, 0, 0,
            "gap_seconds: longer than 100 years in all");
        return ret;
    }
    for (size_t j = 0; j < self->num_changes && ret == 0; j++) {
        ret = time_of(self, self->changes[j].sample_id, &time_ms);
        spot_count_series_add(&series, time_ms, self->changes[j].count);
    }
    spot_count_series_finish(&series, end_ms);
    return ret;
}

/* Takes the capacity from a folder name such as "16-node". */
static void take_nodes(state_t *self, const char *part, size_t num_bytes)
{
    static const char ending[] = "-node";
    const size_t num_digits = strspn(part, "0123456789");
    int64_t capacity = 0;

    if (num_digits == 0 || num_digits > 9 || num_bytes != num_digits + strlen(ending) ||
        strncmp(part + num_digits, ending, strlen(ending)) != 0) {
        return;
    }
    for (size_t j = 0; j < num_digits; j++) {
        capacity = 10 * capacity + (part[j] - '0');
    }
    self->import->capacity = capacity;
}

/* Takes cloud and date from a folder name such as "aws-04-22-2023". */
static void take_cloud_and_date(state_t *self, const char *part, size_t num_bytes)
{
    static const char pattern[] = "-MM-DD-YYYY";
    const size_t num_date = strlen(pattern);
    const char *date = part + num_bytes - num_date;
    char start[16], cloud[32];
    const char *place = start;
    int64_t day;

    if (num_bytes <= num_date || num_bytes - num_date >= sizeof(cloud)) {
        return;
    }
    snprintf(start, sizeof(start), "%.4s-%.2s-%.2s", date + 7, date + 1, date + 4);
    if (date[0] != '-' || date[3] != '-' || date[6] != '-' || !spot_date_scan(&place, &day)) {
        return;
    }
    snprintf(cloud, sizeof(cloud), "%.*s", (int) (num_bytes - num_date), part);
    spot_import_key(self->import, "cloud", cloud);
    spot_import_key(self->import, "start", start);
    spot_import_key(self->import, "start_note", "date only; from the folder name; hour unknown");
}

/* Takes zone and instance type from a file name such as "us-west-2c_v100_1". */
static void take_zone_and_type(state_t *self, const char *name)
{
    const char *type = strchr(name, '_');

    if (type != NULL && type != name && type[1] != '\0') {
        spot_import_key(self->import, "instance_type", type + 1);
        spot_import_key_bytes(self->import, "zone", name, (size_t) (type - name));
    }
}

static void take_path(state_t *self)
{
    const char *part = self->import->inputs[0].path;
    const char *end;

    self->import->trace->kind = SPOT_TRACE_COUNTS;
    while ((end = strchr(part, '/')) != NULL) {
        const size_t num_bytes = (size_t) (end - part);

        if (num_bytes == strlen("availability") && strncmp(part, "availability", num_bytes) == 0) {
            self->import->trace->kind = SPOT_TRACE_AVAILABILITY;
        }
        take_nodes(self, part, num_bytes);
        take_cloud_and_date(self, part, num_bytes);
        part = end + 1;
    }
    take_zone_and_type(self, spot_trace_key(self->import->trace, "name"));
}

static void add_remarks(state_t *self)
{
    spot_import_t *import = self->import;

    SPOT_IMPORT_REMARK(import, SPOT_REMARK_UNCERTAIN, "meaning", 0,
        import->trace->kind == SPOT_TRACE_AVAILABILITY
            ? "a count is what a probe could obtain; nothing ran"
            : "a count is taken as instances running; the source says little about it");
    if (spot_trace_key(import->trace, "start_note") != NULL) {
        SPOT_IMPORT_REMARK(import, SPOT_REMARK_UNCERTAIN, "hour", 0,
            "the hour of the start is unknown; the date is from the folder name");
    }
    if (import->capacity == 0) {
        SPOT_IMPORT_REMARK(import, SPOT_REMARK_UNCERTAIN, "capacity", 0,
            "no folder N-node gives the capacity: the largest count is taken");
    }
    SPOT_IMPORT_REMARK(import, SPOT_REMARK_UNCERTAIN, "net_changes", 0,
        "counts hide losses and additions between two samples that cancel out");
    if (self->num_ignored > 0) {
        SPOT_IMPORT_REMARK(import, SPOT_REMARK_READ, "ignored_keys", self->num_ignored,
            "%" PRId64 " keys without use here, such as prices", self->num_ignored);
    }
}

static int read_skypilot(spot_import_t *import)
{
    state_t self = {.import = import};
    int ret =
        spot_record_input_json(&import->inputs[0], SPOT_RECORD_DEPTH, &self.json, import->diag);

    ret = ret == 0 ? read_document(&self) : ret;
    ret = ret == 0 ? check_document(&self) : ret;
    if (ret == 0) {
        import->resolution_s = self.gap_s;
        import->report->num_records = self.num_samples;
        take_path(&self);
        ret = make_events(&self);
    }
    if (ret == 0) {
        add_remarks(&self);
    }
    spot_json_reader_close(&self.json);
    free(self.changes);
    return ret;
}

const spot_importer_t spot_importer_skypilot = {
    .name = "skypilot",
    .doc = "JSON with metadata.gap_seconds and data; the folders give kind, "
           "capacity, cloud and date",
    .source = "skypilot-org/spot-traces (NSDI 2024)",
    .num_inputs = 1,
    .sniff = sniff,
    .read = read_skypilot,
};
