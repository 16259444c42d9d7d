/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/convert/convert.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "traces/convert/importer.h"

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
    static const char *const endings[] = {".gz", ".csv", ".txt", ".json", ".jsonl"};
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

    spot_trace_init(trace);
    spot_convert_report_init(report);
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
