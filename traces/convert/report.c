/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/convert/report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/units.h"

const char *const spot_remark_kind_names[] = {"read", "repaired", "uncertain", NULL};

enum { NUM_KINDS = SPOT_EVENT_STOP + 1 };

/* Totals of the events of one kind. */
typedef struct {
    int64_t num_rows;
    int64_t num_instances;
} tally_t;

void spot_convert_report_init(spot_convert_report_t *self)
{
    memset(self, 0, sizeof(*self));
}

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
        fprintf(
            out, "%s: %s\n", spot_remark_kind_names[self->remarks[j].kind], self->remarks[j].text);
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
        spot_json_text(&json, "kind", spot_remark_kind_names[remark->kind]);
        spot_json_text(&json, "key", remark->key);
        spot_json_integer(&json, "count", remark->count);
        spot_json_text(&json, "text", remark->text);
        spot_json_close(&json, '}');
    }
    spot_json_close(&json, ']');
    spot_json_close(&json, '}');
    putc('\n', out);
}
