/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/convert/convert.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/units.h"

/* ---- The report of a conversion ---- */

static const char *const remark_kind_names[] = {"read", "repaired", "uncertain", NULL};

enum { NUM_KINDS = SPOT_EVENT_STOP + 1 };

/* Totals of the events of one kind. */
typedef struct {
    int64_t num_rows;
    int64_t num_instances;
} tally_t;

void spot_convert_report_free(spot_convert_report_t *self)
{
    for (size_t j = 0; j < self->num_remarks; j++) {
        free(self->remarks[j].text);
    }
    free(self->remarks);
    memset(self, 0, sizeof(*self));
}

int spot_convert_report_add(spot_convert_report_t *self, spot_remark_kind_t kind, const char *key,
    int64_t count, const char *format, ...)
{
    char text[512];
    va_list arguments;
    int num_bytes;
    int ret = SPOT_ARRAY_ROOM(self, remarks, self->num_remarks + 1);

    if (ret != 0) {
        return ret;
    }
    va_start(arguments, format);
    num_bytes = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    spot_bug_assert(num_bytes >= 0);
    self->remarks[self->num_remarks] = (spot_remark_t){
        .kind = kind, .key = key, .count = count, .text = spot_text_copy(text, strlen(text))};
    if (self->remarks[self->num_remarks].text == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->num_remarks++;
    return 0;
}

/* By kind. */
static void count_events(const spot_trace_t *trace, tally_t tallies[NUM_KINDS])
{
    memset(tallies, 0, NUM_KINDS * sizeof(*tallies));
    for (size_t j = 0; j < trace->num_events; j++) {
        tallies[trace->events[j].kind].num_rows++;
        tallies[trace->events[j].kind].num_instances += trace->events[j].count;
    }
}

void spot_convert_report_print(
    const spot_convert_report_t *self, const spot_trace_t *trace, FILE *out)
{
    static const char *const verbs[] = {"running", "running", "obtainable"};
    const bool is_obtainable = trace->kind == SPOT_TRACE_AVAILABILITY;
    const char *const done[NUM_KINDS] = {is_obtainable ? "fewer obtainable" : "preempted",
        is_obtainable ? "more" : "added", "stopped"};
    tally_t tallies[NUM_KINDS];

    count_events(trace, tallies);
    fprintf(out, "%s: %" PRId64 " records\n", self->format, self->num_records);
    fprintf(out,
        "%s: %s, resolution %s s, capacity %s, start %s, %.2f h\n"
        "  %" PRId32 " %s at the start, %" PRId32 " at the end",
        spot_trace_key(trace, "name"), spot_trace_key(trace, "kind"),
        spot_trace_key(trace, "resolution_s"), spot_trace_key(trace, "capacity"),
        spot_trace_key(trace, "start"), (double) trace->end_ms / SPOT_MS_PER_H, trace->initial,
        verbs[trace->kind], trace->final);
    for (int j = 0; j < NUM_KINDS; j++) {
        if (j != SPOT_EVENT_STOP || tallies[j].num_rows > 0) {
            fprintf(out, "%s %" PRId64 " %s in %" PRId64 " row%s", j == 0 ? ";" : ",",
                tallies[j].num_instances, done[j], tallies[j].num_rows,
                tallies[j].num_rows == 1 ? "" : "s");
        }
    }
    putc('\n', out);
    for (size_t j = 0; j < self->num_remarks; j++) {
        fprintf(out, "%s: %s\n", remark_kind_names[self->remarks[j].kind], self->remarks[j].text);
    }
}

static void json_trace(spot_json_t *json, const spot_trace_t *trace)
{
    tally_t tallies[NUM_KINDS];

    count_events(trace, tallies);
    spot_json_open(json, "trace", '{');
    for (size_t j = 0; j < trace->header.num_keys; j++) {
        spot_json_text(json, trace->header.keys[j].key, trace->header.keys[j].value);
    }
    spot_json_close(json, '}');
    spot_json_integer(json, "end_ms", trace->end_ms);
    spot_json_integer(json, "initial", trace->initial);
    spot_json_integer(json, "final", trace->final);
    spot_json_open(json, "events", '{');
    for (int j = 0; j < NUM_KINDS; j++) {
        spot_json_open(json, spot_event_kind_names[j], '{');
        spot_json_integer(json, "rows", tallies[j].num_rows);
        spot_json_integer(json, "instances", tallies[j].num_instances);
        spot_json_close(json, '}');
    }
    spot_json_close(json, '}');
}

void spot_convert_report_json(
    const spot_convert_report_t *self, const spot_trace_t *trace, FILE *out)
{
    spot_json_t json;

    spot_json_init(&json, out, 2);
    spot_json_open(&json, NULL, '{');
    spot_json_text(&json, "format", self->format);
    spot_json_integer(&json, "records", self->num_records);
    json_trace(&json, trace);
    spot_json_open(&json, "remarks", '[');
    for (size_t j = 0; j < self->num_remarks; j++) {
        const spot_remark_t *remark = &self->remarks[j];

        spot_json_open(&json, NULL, '{');
        spot_json_text(&json, "kind", remark_kind_names[remark->kind]);
        spot_json_text(&json, "key", remark->key);
        spot_json_integer(&json, "count", remark->count);
        spot_json_text(&json, "text", remark->text);
        spot_json_close(&json, '}');
    }
    spot_json_close(&json, ']');
    spot_json_close(&json, '}');
    putc('\n', out);
}

/* ---- The table of an importer, and helpers of all ---- */

const spot_importer_t *const spot_importers[] = {
    &spot_importer_spotsim,
    &spot_importer_bamboo,
    &spot_importer_gcloud,
    &spot_importer_step,
    &spot_importer_skypilot,
    &spot_importer_parcae,
    &spot_importer_node_count,
    &spot_importer_lifetimes,
    &spot_importer_eventbridge,
    &spot_importer_ec2,
    &spot_importer_gcloud_operations,
    &spot_importer_azure_events,
    &spot_importer_kubernetes,
    &spot_importer_autoscaler,
    &spot_importer_prometheus,
    &spot_importer_skyjobs,
    &spot_importer_slurm,
    &spot_importer_mapping,
    NULL,
};

/* Handles one line of a file. Returns 1 if it has no record. */
static int take_line(spot_import_t *self, const spot_csv_row_t *row, int found,
    int (*take)(void *state, const spot_csv_row_t *row), void *state)
{
    if (found != 1) {
        return found;
    }
    if (row->is_comment || row->num_fields == 0) {
        self->num_skipped++;
        return 1;
    }
    return take(state, row);
}

static int read_rows(spot_import_t *self, size_t input_id,
    int (*next)(spot_csv_t *csv, spot_csv_row_t *row),
    int (*take)(void *state, const spot_csv_row_t *row), void *state)
{
    const char *file = self->inputs[input_id].path;
    spot_csv_t *csv = NULL;
    spot_csv_row_t row;
    size_t num_rows = 0;
    int found, ret = spot_record_input_csv(&self->inputs[input_id], &csv, self->diag);
    bool is_faulty = false;

    while (ret == 0 && (found = next(csv, &row)) != 0) {
        ret = take_line(self, &row, found, take, state);
        num_rows += ret != 1;
        is_faulty |= ret == SPOT_ERR_BAD_INPUT;
        self->is_doubtful |= is_faulty;
        ret = ret == 1 || ret == SPOT_ERR_BAD_INPUT ? 0 : ret;
    }
    if (ret == 0 && num_rows == 0) {
        spot_diag_error(self->diag, file, row.line, 1, "expected at least one record");
        is_faulty = true;
    }
    self->num_coloured += csv == NULL ? 0 : spot_csv_num_coloured(csv);
    spot_csv_close(csv);
    return ret == 0 && is_faulty ? SPOT_ERR_BAD_INPUT : ret;
}

int spot_import_rows(spot_import_t *self, size_t input_id,
    int (*take)(void *state, const spot_csv_row_t *row), void *state)
{
    return read_rows(self, input_id, spot_csv_next, take, state);
}

/* A line without its fields. */
static int next_line(spot_csv_t *csv, spot_csv_row_t *row)
{
    const int ret = spot_csv_next_line(csv, row);

    row->is_comment = false;
    row->num_fields = ret == 1 && strspn(row->text, " \t") < row->num_bytes;
    return ret;
}

int spot_import_lines(spot_import_t *self, size_t input_id,
    int (*take)(void *state, const spot_csv_row_t *row), void *state)
{
    return read_rows(self, input_id, next_line, take, state);
}

int spot_import_expected(const spot_import_t *self, size_t input_id, const spot_csv_row_t *row,
    size_t field_id, const char *field, const char *expected)
{
    return spot_csv_expected(
        row, field_id, self->inputs[input_id].path, field, expected, self->diag);
}

int spot_import_num_fields(
    const spot_import_t *self, size_t input_id, const spot_csv_row_t *row, size_t num_expected)
{
    return spot_csv_check_width(row, num_expected, self->inputs[input_id].path, self->diag);
}

int spot_import_count_parse(const char *text, int32_t *count)
{
    int64_t value;

    if (*text < '0' || *text > '9' || spot_integer_parse(text, &value) != 0 || value > INT32_MAX) {
        return SPOT_ERR_BAD_INPUT;
    }
    *count = (int32_t) value;
    return 0;
}

bool spot_import_time_parse(const spot_import_t *self, const char *text, int64_t *time_ms)
{
    const double unit_s = (double) self->unit_ms / SPOT_MS_PER_S;
    double time;

    return spot_number_parse(text, &time) == 0 && time >= 0 &&
           spot_duration_from_s(time * unit_s, time_ms) == 0;
}

void spot_import_note_time(spot_import_t *self, int64_t time_ms)
{
    int64_t divisor = self->gcd_ms;

    while (time_ms != 0) {
        const int64_t rest = divisor % time_ms;

        divisor = time_ms;
        time_ms = rest;
    }
    self->gcd_ms = divisor;
}

void spot_import_take_gcd(spot_import_t *self)
{
    self->resolution_s = (double) self->gcd_ms / SPOT_MS_PER_S;
}

void spot_import_note_error(spot_import_t *self, int error)
{
    self->error = spot_error_first(self->error, error);
}

void spot_import_event(
    spot_import_t *self, int64_t time_ms, spot_event_kind_t kind, int32_t count, bool is_merged)
{
    spot_trace_t *trace = self->trace;
    spot_event_t *last = trace->num_events == 0 ? NULL : &trace->events[trace->num_events - 1];
    int ret;

    if (is_merged && last != NULL && last->time_ms == time_ms && last->kind == kind) {
        last->count += count;
        return;
    }
    ret = SPOT_ARRAY_APPEND(
        trace, events, (spot_event_t){.time_ms = time_ms, .kind = kind, .count = count});
    spot_import_note_error(self, ret);
}

static int refuse_instance(spot_import_t *self, size_t line, size_t column, const char *name,
    const char *before, const char *behind)
{
    char shown[SPOT_CSV_SHOWN_BYTES];

    spot_diag_error(self->diag, self->inputs[0].path, line, column, "%s '%s'%s", before,
        spot_csv_shown(name, shown), behind);
    self->is_doubtful = true;
    return SPOT_ERR_BAD_INPUT;
}

int spot_import_instance(spot_import_t *self, size_t line, size_t column, const char *name,
    size_t num_bytes, bool is_arrival)
{
    int ret;

    if (!spot_trace_is_name(name, num_bytes)) {
        return refuse_instance(self, line, column, name, "bad name", "");
    }
    ret = spot_trace_instances_take(&self->instances, name, num_bytes, is_arrival);
    if (ret == 1 && self->is_doubtful) {
        return SPOT_ERR_BAD_INPUT; /* may only follow from an earlier refusal */
    }
    if (ret == 1) {
        return refuse_instance(self, line, column, name, "name",
            is_arrival ? " is already running" : " is not running");
    }
    return ret;
}

int spot_import_arrive(
    spot_import_t *self, size_t line, size_t column, const char *name, size_t num_bytes)
{
    spot_import_arrival_t *arrival;
    int ret;

    if (!spot_trace_is_name(name, num_bytes)) {
        return refuse_instance(self, line, column, name, "bad name", "");
    }
    ret = SPOT_ARRAY_ROOM(self, arrivals, self->num_arrivals + 1);
    if (ret == 0) {
        arrival = &self->arrivals[self->num_arrivals++];
        memcpy(arrival->name, name, num_bytes);
        arrival->name[num_bytes] = '\0';
        arrival->line = line;
        arrival->column = column;
    }
    return ret;
}

/* Drops the latest arrival of a name. Returns whether there is one. */
static bool drop_arrival(spot_import_t *self, const char *name)
{
    for (size_t j = self->num_arrivals; j > 0; j--) {
        if (strcmp(self->arrivals[j - 1].name, name) == 0) {
            memmove(&self->arrivals[j - 1], &self->arrivals[j],
                (self->num_arrivals - j) * sizeof(*self->arrivals));
            self->num_arrivals--;
            return true;
        }
    }
    return false;
}

int spot_import_leave(spot_import_t *self, int64_t time_ms, spot_event_kind_t kind, size_t line,
    size_t column, const char *name, size_t num_bytes)
{
    const int32_t name_id = spot_names_find(&self->instances.names, name, num_bytes);
    const bool is_running = name_id >= 0 && self->instances.states[name_id].is_running;
    int ret;

    if (!is_running && drop_arrival(self, name)) {
        self->num_lifeless++;
        return 0;
    }
    ret = spot_import_instance(self, line, column, name, num_bytes, false);
    if (ret == 0) {
        spot_import_event(self, time_ms, kind, 1, true);
    }
    return ret;
}

int spot_import_arrivals(spot_import_t *self, int64_t time_ms, bool is_initial)
{
    int32_t num_added = 0;
    int ret = 0;

    for (size_t j = 0; j < self->num_arrivals && ret == 0; j++) {
        const spot_import_arrival_t *arrival = &self->arrivals[j];

        ret = spot_import_instance(
            self, arrival->line, arrival->column, arrival->name, strlen(arrival->name), true);
        num_added += ret == 0;
        ret = ret == SPOT_ERR_BAD_INPUT ? 0 : ret;
    }
    self->num_arrivals = 0;
    if (is_initial) {
        self->trace->initial = num_added;
    } else if (ret == 0 && num_added > 0) {
        spot_import_event(self, time_ms, SPOT_EVENT_ADD, num_added, true);
    }
    return ret;
}

void spot_import_key(spot_import_t *self, const char *key, const char *value)
{
    spot_import_key_bytes(self, key, value, strlen(value));
}

void spot_import_key_bytes(
    spot_import_t *self, const char *key, const char *value, size_t num_bytes)
{
    spot_import_note_error(self, spot_keys_set(&self->trace->header, key, value, num_bytes));
}

/* Makes the latest sample final: the initial number, or an event. */
static void settle(spot_count_series_t *self)
{
    const int64_t change = (int64_t) self->count - self->before;

    if (self->num_samples <= 1) {
        self->import->trace->initial = self->count;
    } else if (change != 0) {
        spot_import_event(self->import, self->time_ms,
            change > 0 ? SPOT_EVENT_ADD : SPOT_EVENT_PREEMPT,
            (int32_t) (change > 0 ? change : -change), false);
    }
}

void spot_count_series_add(spot_count_series_t *self, int64_t time_ms, int32_t count)
{
    if (self->num_samples > 0 && time_ms == self->time_ms) {
        self->num_same_time++;
    } else {
        if (self->num_samples > 0) {
            settle(self);
        }
        self->before = self->count;
        self->num_samples++;
    }
    self->time_ms = time_ms;
    self->count = count;
}

void spot_count_series_finish(spot_count_series_t *self, int64_t end_ms)
{
    self->import->trace->end_ms = end_ms;
    settle(self);
}

/* ---- The conversion ---- */

/* Header keys in the order of the canonical files; other keys follow in order of
 * arrival. */
static const char *const key_order[] = {"name", "start", "start_note", "resolution_s",
    "resolution_note", "kind", "capacity", "cloud", "instance_type", "zone", "note", "source",
    "same_as", "license", NULL};

static int report_format(const char *file, const char *problem, spot_diag_t *diag)
{
    return spot_diag_error(
        diag, file, 0, 0, "%s; " SPOT_CONVERT_EXPECTED " for any CSV or JSON lines", problem);
}

/* Reports that several formats fit a file that begins like the head. */
static int report_several(const char *file, const spot_convert_head_t *head, spot_diag_t *diag)
{
    char list[512] = "";
    size_t num_bytes = 0;

    for (size_t j = 0; spot_importers[j] != NULL && num_bytes < sizeof(list); j++) {
        if (spot_importers[j]->sniff(head)) {
            num_bytes += (size_t) snprintf(list + num_bytes, sizeof(list) - num_bytes, "%s%s",
                num_bytes == 0 ? "" : ", ", spot_importers[j]->name);
        }
    }
    return spot_diag_error(
        diag, file, 0, 0, "more than one format fits: %s; expected --from with one of them", list);
}

static const spot_importer_t *find_importer(const char *name)
{
    for (size_t j = 0; spot_importers[j] != NULL; j++) {
        if (strcmp(spot_importers[j]->name, name) == 0) {
            return spot_importers[j];
        }
    }
    return NULL;
}

/* Finds the importer by the begin of the first file. */
static int recognise(const spot_convert_t *task, const spot_record_input_t *input,
    const spot_importer_t **found, spot_diag_t *diag)
{
    char line[SPOT_RECORD_LINE_BYTES], text[SPOT_RECORD_HEAD_BYTES];
    const spot_convert_head_t head = {.line = line, .text = text, .task = task};
    int ret = spot_record_input_head(input, text, line, diag);
    size_t num_found = 0;

    for (size_t j = 0; spot_importers[j] != NULL && ret == 0; j++) {
        if (spot_importers[j]->sniff(&head)) {
            *found = spot_importers[j];
            num_found++;
        }
    }
    if (ret == 0 && num_found == 0 && spot_csv_wrong_separator(line) != NULL) {
        spot_diag_error(diag, input->path, 0, 0, "expected fields with commas between, got %s",
            spot_csv_wrong_separator(line));
        ret = SPOT_ERR_BAD_INPUT;
    }
    if (ret == 0 && num_found == 0 &&
        (strchr("{[", *line) != NULL ||
            (strchr(line, ',') != NULL && strchr("0123456789", *line) == NULL))) {
        *found = &spot_importer_mapping; /* says what columns there are */
    } else if (ret == 0 && num_found == 0) {
        ret = report_format(input->path, "the format is not recognised", diag);
    } else if (ret == 0 && num_found > 1) {
        ret = report_several(input->path, &head, diag);
    }
    return ret;
}

/* Reports a further file if another format fits it, and not that of the first one. */
static int check_further(const spot_convert_t *task, const spot_importer_t *importer,
    const spot_record_input_t *input, spot_diag_t *diag)
{
    char line[SPOT_RECORD_LINE_BYTES], text[SPOT_RECORD_HEAD_BYTES];
    const spot_convert_head_t head = {.line = line, .text = text, .task = task};
    const int ret = spot_record_input_head(input, text, line, diag);

    for (size_t j = 0; ret == 0 && spot_importers[j] != NULL; j++) {
        if (!importer->sniff(&head) && spot_importers[j]->sniff(&head)) {
            return spot_diag_error(diag, input->path, 0, 0,
                "this is of format %s, the first file of format %s; expected files of "
                "one format, or --from",
                spot_importers[j]->name, importer->name);
        }
    }
    return ret;
}

const char *spot_convert_until(const spot_convert_t *task)
{
    return task->now_option != NULL && strcmp(task->now_option, "now") == 0 ? "--now" : "--until";
}

/* Reports each option that the importer does not accept, and a wrong number of files. */
static int check_task(const spot_convert_t *task, const spot_importer_t *importer,
    size_t num_inputs, const spot_record_input_t *inputs, spot_diag_t *diag)
{
    const bool is_mapping = importer == &spot_importer_mapping;
    const struct {
        bool is_wrong;
        const char *option;
    } options[] = {
        {task->unit_ms > 0 && importer->unit_ms == 0 && !is_mapping, "--unit"},
        {task->num_poll_copies > 0 && !(importer->takes & SPOT_TAKES_POLL_COPIES), "--poll-copies"},
        {task->window_ms >= 0 && !(importer->takes & SPOT_TAKES_WINDOW), "--window"},
        {task->now != NULL && !(importer->takes & SPOT_TAKES_LOG), spot_convert_until(task)},
        {task->unknown != 0 && !(importer->takes & SPOT_TAKES_LOG), "--cause"},
        {task->notice_ms > 0 && !(importer->takes & SPOT_TAKES_LOG), "--notice"},
        {task->initial > 0 && !(importer->takes & SPOT_TAKES_LOG), "--initial"},
        {task->only != NULL && !(importer->takes & SPOT_TAKES_LOG), "--only"},
        {task->columns != NULL && !(importer->takes & SPOT_TAKES_MAPPING), "--columns"},
        {task->events != NULL && !is_mapping, "--events"},
    };
    int ret = 0;

    for (size_t j = 0; j < sizeof(options) / sizeof(options[0]); j++) {
        if (options[j].is_wrong) {
            ret = spot_diag_error(diag, inputs[0].path, 0, 0, "%s is not for format %s",
                options[j].option, importer->name);
        }
    }
    if (importer->num_inputs != 0 && num_inputs != importer->num_inputs) {
        ret = spot_diag_error(diag, inputs[0].path, 0, 0,
            "format %s is read from %zu file%s, got %zu", importer->name, importer->num_inputs,
            importer->num_inputs == 1 ? "" : "s", num_inputs);
    }
    return ret;
}

static int choose_importer(const spot_convert_t *task, size_t num_inputs,
    const spot_record_input_t *inputs, const spot_importer_t **importer, spot_diag_t *diag)
{
    int ret = 0;

    spot_bug_assert(num_inputs > 0);
    if (task->format == NULL && task->columns != NULL) {
        *importer = &spot_importer_mapping;
    } else if (task->format == NULL) {
        ret = recognise(task, &inputs[0], importer, diag);
        for (size_t j = 1; ret == 0 && j < num_inputs && (*importer)->num_inputs == 0; j++) {
            ret = check_further(task, *importer, &inputs[j], diag);
        }
    } else {
        *importer = find_importer(task->format);
        if (*importer == NULL) {
            ret = report_format(inputs[0].path, "no such format", diag);
        }
    }
    return ret == 0 ? check_task(task, *importer, num_inputs, inputs, diag) : ret;
}

/* Sets the name of the trace to that of the file, without folders and endings. */
static void take_base_name(spot_import_t *self)
{
    static const char *const endings[] = {".gz", ".xz", ".zst", ".csv", ".txt", ".json", ".jsonl"};
    const char *path = self->inputs[0].path;
    const char *name = strrchr(path, '/') == NULL ? path : strrchr(path, '/') + 1;
    size_t num_bytes = strlen(name);

    for (size_t j = 0; j < sizeof(endings) / sizeof(endings[0]); j++) {
        const size_t num_ending = strlen(endings[j]);

        if (num_bytes > num_ending &&
            strncmp(name + num_bytes - num_ending, endings[j], num_ending) == 0) {
            num_bytes -= num_ending;
        }
    }
    if (num_bytes == 0) {
        spot_import_key(self, "name", "trace");
    } else {
        spot_import_key_bytes(self, "name", name, num_bytes);
    }
}

/* Sets the keys of every converted trace; its importer may replace them. */
static void set_defaults(spot_import_t *self)
{
    spot_import_key(self, "start", "unknown");
    spot_import_key(self, "source", self->inputs[0].path);
    take_base_name(self);
}

static void drop_names(spot_trace_t *trace)
{
    for (size_t j = 0; j < trace->num_names; j++) {
        free(trace->names[j]);
    }
    free(trace->name_ids);
    trace->num_names = 0;
    trace->name_ids = NULL;
    trace->num_name_ids = 0;
    trace->max_name_ids = 0;
    for (size_t j = 0; j < trace->num_events; j++) {
        trace->events[j].name_ids = NULL;
    }
}

static int settle_kind(spot_import_t *self)
{
    spot_trace_t *trace = self->trace;
    const int kind = self->task->kind;

    if (kind == SPOT_TRACE_NAMED && trace->kind != SPOT_TRACE_NAMED) {
        return spot_diag_error(
            self->diag, self->inputs[0].path, 0, 0, "kind named: the input has no instance names");
    }
    trace->kind = kind >= 0 ? (spot_trace_kind_t) kind : trace->kind;
    if (trace->kind != SPOT_TRACE_NAMED) {
        drop_names(trace);
    }
    spot_import_key(self, "kind", spot_trace_kind_names[trace->kind]);
    return 0;
}

/* Returns the largest population and the first time of it. Sets trace->final. */
static int64_t find_largest(spot_trace_t *trace, int64_t *time_ms)
{
    int64_t population = trace->initial, largest = trace->initial;

    *time_ms = 0;
    for (size_t j = 0; j < trace->num_events; j++) {
        const spot_event_t *event = &trace->events[j];

        population += event->kind == SPOT_EVENT_ADD ? event->count : -event->count;
        if (population > largest) {
            largest = population;
            *time_ms = event->time_ms;
        }
    }
    spot_bug_assert(population >= 0 && largest <= INT32_MAX);
    trace->final = (int32_t) population;
    return largest;
}

static int settle_capacity(spot_import_t *self)
{
    int64_t time_ms, capacity;
    const int64_t largest = find_largest(self->trace, &time_ms);
    const bool is_known = self->task->capacity > 0 || self->capacity > 0;
    char text[32];

    capacity = self->task->capacity > 0 ? self->task->capacity : self->capacity;
    capacity = capacity > 0 ? capacity : largest > 0 ? largest : 1;
    if (largest > capacity) {
        spot_trace_time_text(time_ms, text);
        return spot_diag_error(self->diag, self->inputs[0].path, 0, 0,
            "population %" PRId64 " at %s s exceeds the capacity %" PRId64
            "; expected --capacity %" PRId64 " or more",
            largest, text, capacity, largest);
    }
    self->trace->capacity = (int32_t) capacity;
    snprintf(text, sizeof(text), "%" PRId64, capacity);
    spot_import_key(self, "capacity", capacity == SPOT_UNBOUNDED ? "unbounded" : text);
    if (!is_known) {
        SPOT_IMPORT_REMARK(self, SPOT_REMARK_UNCERTAIN, "capacity", 0,
            "the capacity is the most that was seen: --capacity says what was asked "
            "for");
    }
    return 0;
}

static int settle_resolution(spot_import_t *self)
{
    char text[SPOT_NUMBER_TEXT_BYTES];
    int64_t resolution_ms = self->task->resolution_ms;

    if (resolution_ms > 0) {
        self->resolution_s = (double) resolution_ms / SPOT_MS_PER_S;
    } else if (self->resolution_s <= 0 ||
               spot_duration_from_s(self->resolution_s, &resolution_ms) != 0) {
        return spot_diag_error(self->diag, self->inputs[0].path, 0, 0,
            "the times do not give a resolution; expected --resolution");
    }
    self->trace->resolution_ms = resolution_ms == 0 ? 1 : resolution_ms;
    spot_number_text(self->resolution_s, text);
    spot_import_key(self, "resolution_s", text);
    return 0;
}

/* Index of a key in key_order; unknown keys come last. */
static size_t rank_key(const char *key)
{
    size_t rank = 0;

    while (key_order[rank] != NULL && strcmp(key_order[rank], key) != 0) {
        rank++;
    }
    return rank;
}

/* Insertion sort: stable, and there are only a dozen keys. */
static void sort_keys(spot_trace_t *trace)
{
    for (size_t j = 1; j < trace->header.num_keys; j++) {
        const spot_trace_key_t key = trace->header.keys[j];
        size_t place = j;

        while (place > 0 && rank_key(trace->header.keys[place - 1].key) > rank_key(key.key)) {
            trace->header.keys[place] = trace->header.keys[place - 1];
            place--;
        }
        trace->header.keys[place] = key;
    }
}

/* Options replace values, and drop the notes about them. */
static int set_keys(spot_import_t *self)
{
    const spot_convert_t *task = self->task;
    int ret = 0;

    if (task->start != NULL) {
        spot_keys_drop(&self->trace->header, "start_note");
    }
    if (task->resolution_ms > 0) {
        spot_keys_drop(&self->trace->header, "resolution_note");
    }
    if (task->name != NULL) {
        spot_import_key(self, "name", task->name);
    }
    if (task->start != NULL) {
        spot_import_key(self, "start", task->start);
    }
    for (size_t j = 0; j < task->num_sets && ret == 0; j++) {
        const char *text = task->sets[j];
        const char *value = strchr(text, '=');
        char *key;

        spot_bug_assert(value != NULL && value > text && value[1] != '\0');
        key = spot_text_copy(text, (size_t) (value - text));
        if (key == NULL) {
            ret = SPOT_ERR_NO_MEMORY;
        } else {
            spot_import_key(self, key, value + 1);
        }
        free(key);
    }
    return ret;
}

/* Counts times that are no multiple of the resolution, as irregular polls have. */
static int remark_irregular(spot_import_t *self)
{
    const spot_trace_t *trace = self->trace;
    size_t num_irregular = 0;

    for (size_t j = 0; j < trace->num_events; j++) {
        num_irregular += trace->events[j].time_ms % trace->resolution_ms != 0;
    }
    if (num_irregular == 0) {
        return 0;
    }
    if (self->task->is_strict) {
        return spot_diag_error(self->diag, self->inputs[0].path, 0, 0,
            "%zu of %zu times are no multiple of the resolution (--strict)", num_irregular,
            trace->num_events);
    }
    SPOT_IMPORT_REMARK(self, SPOT_REMARK_UNCERTAIN, "irregular_times", num_irregular,
        "%zu of %zu times are no multiple of the resolution", num_irregular, trace->num_events);
    return 0;
}

static int refuse_repairs(const spot_import_t *self)
{
    int ret = 0;

    for (size_t j = 0; j < self->report->num_remarks; j++) {
        const spot_remark_t *remark = &self->report->remarks[j];

        if (self->task->is_strict && remark->kind == SPOT_REMARK_REPAIRED) {
            ret = spot_diag_error(
                self->diag, self->inputs[0].path, 0, 0, "%s (--strict)", remark->text);
        }
    }
    return ret;
}

static int check_span(const spot_import_t *self)
{
    const int64_t end_ms = self->trace->end_ms;

    if (end_ms > 0 && end_ms <= SPOT_MAX_DURATION_MS) {
        return 0;
    }
    return spot_diag_error(self->diag, self->inputs[0].path, 0, 0,
        end_ms == 0 ? "all records are at one time: a trace needs a duration"
                    : "longer than 100 years");
}

/* Turns the result of the importer into a valid trace with a full header. */
static int finish(spot_import_t *self, bool is_canonical)
{
    int ret = check_span(self);

    if (self->num_skipped > 0) {
        SPOT_IMPORT_REMARK(self, SPOT_REMARK_READ, "lines_without_record", self->num_skipped,
            "%zu blank or comment lines", self->num_skipped);
    }
    if (self->num_coloured > 0) {
        SPOT_IMPORT_REMARK(self, SPOT_REMARK_READ, "coloured_lines", self->num_coloured,
            "colours of a terminal taken off %zu line%s", self->num_coloured,
            self->num_coloured == 1 ? "" : "s");
    }
    if (self->num_lifeless > 0) {
        SPOT_IMPORT_REMARK(self, SPOT_REMARK_REPAIRED, "lifeless", self->num_lifeless,
            "%zu instance%s that came and went at one time left out", self->num_lifeless,
            self->num_lifeless == 1 ? "" : "s");
    }
    if (ret == 0 && !is_canonical && self->trace->kind == SPOT_TRACE_NAMED) {
        spot_trace_instances_finish(&self->instances);
    }
    ret = ret == 0 ? settle_kind(self) : ret;
    ret = ret == 0 ? settle_capacity(self) : ret;
    if (ret == 0 && (!is_canonical || self->task->resolution_ms > 0)) {
        ret = settle_resolution(self);
    }
    ret = ret == 0 ? set_keys(self) : ret;
    if (ret == 0 && !is_canonical) {
        ret = remark_irregular(self);
        sort_keys(self->trace);
    }
    return ret == 0 ? spot_error_first(self->error, refuse_repairs(self)) : ret;
}

int spot_convert(const spot_convert_t *task, size_t num_inputs, const spot_record_input_t *inputs,
    spot_trace_t *trace, spot_convert_report_t *report, spot_diag_t *diag)
{
    const spot_importer_t *importer = NULL;
    spot_import_t self = {.task = task,
        .num_inputs = num_inputs,
        .inputs = inputs,
        .trace = trace,
        .report = report,
        .diag = diag};
    int ret;

    memset(trace, 0, sizeof(*trace));
    memset(report, 0, sizeof(*report));
    spot_trace_instances_init(&self.instances, trace, inputs[0].path, diag);
    ret = choose_importer(task, num_inputs, inputs, &importer, diag);
    if (ret == 0) {
        report->format = importer->name;
        self.unit_ms = task->unit_ms > 0 ? task->unit_ms : importer->unit_ms;
        if (!importer->is_canonical) {
            set_defaults(&self);
        }
        ret = importer->read(&self);
        ret = spot_error_first(ret, self.error);
    }
    ret = ret == 0 ? finish(&self, importer->is_canonical) : ret;
    if (ret == 0) {
        spot_trace_verify(trace);
    }
    spot_trace_instances_free(&self.instances);
    free(self.arrivals);
    spot_diag_close_file(diag);
    return ret;
}
