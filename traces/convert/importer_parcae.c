/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One JSON array a line, [ms, "add"|"remove"|"no-op"|"migration", {"nodes": [...],
 * "duration": ms}]: Duan et al., Parcae, NSDI 2024, JF-D/Parcae aws/traces. A migration
 * is a decision of that system and has no instances. */
#include <string.h>

#include "traces/convert/convert.h"
#include "traces/records/records.h"

typedef enum {
    OPERATION_ADD,
    OPERATION_REMOVE,
    OPERATION_NONE,
    OPERATION_MIGRATION,
    NUM_OPERATIONS
} operation_t;

typedef struct {
    spot_import_t *import;
    spot_json_reader_t json; /* of the line under way */
    bool has_line;
    int64_t first_ms, time_ms; /* as in the file */
    int64_t duration_ms;       /* of the latest line; -1: none given */
    size_t line;               /* number of the latest line */
    operation_t operation;
    size_t num_migrations;
} state_t;

static bool sniff(const spot_convert_head_t *head)
{
    const char *line = head->line;

    return *line == '[' && line[strspn(line, "[ 0123456789.")] == ',' && strchr(line, '"') != NULL;
}

/* Reads a time in milliseconds, or in the unit of --unit. */
static int parse_time(state_t *self, const char *what, int64_t *time_ms)
{
    if (self->json.kind != SPOT_JSON_WORD ||
        !spot_import_time_parse(self->import, self->json.text, time_ms)) {
        return spot_json_reader_expected(&self->json, what, "a number from 0");
    }
    return 0;
}

static int read_time(state_t *self)
{
    const int64_t before_ms = self->time_ms - self->first_ms;
    int64_t time_ms;
    int ret = parse_time(self, "time", &time_ms);

    if (ret != 0) {
        return ret;
    }
    if (self->has_line && time_ms < self->time_ms) {
        return spot_json_reader_expected(&self->json, "time", "one not before the previous line");
    }
    if (!self->has_line) {
        self->first_ms = time_ms;
    }
    if (time_ms > self->time_ms) {
        ret = spot_import_arrivals(self->import, before_ms, false);
    }
    self->time_ms = time_ms;
    spot_import_note_time(self->import, time_ms - self->first_ms);
    return ret;
}

static int read_operation(state_t *self)
{
    static const char *const names[] = {"add", "remove", "no-op", "migration"};

    for (int j = 0; j < NUM_OPERATIONS; j++) {
        if (self->json.kind == SPOT_JSON_TEXT && strcmp(self->json.text, names[j]) == 0) {
            self->operation = (operation_t) j;
            self->num_migrations += j == OPERATION_MIGRATION;
            return 0;
        }
    }
    return spot_json_reader_expected(&self->json, "operation", "add, remove, no-op or migration");
}

static int take_node(state_t *self)
{
    spot_import_t *import = self->import;
    const spot_json_reader_t *json = &self->json;

    if (json->kind != SPOT_JSON_TEXT) {
        return spot_json_reader_expected(json, "nodes", "names in \"\"");
    }
    switch (self->operation) {
        case OPERATION_ADD:
            return spot_import_arrive(
                import, json->line, json->column, json->text, json->num_bytes);
        case OPERATION_REMOVE:
            return spot_import_leave(import, self->time_ms - self->first_ms, SPOT_EVENT_PREEMPT,
                json->line, json->column, json->text, json->num_bytes);
        case OPERATION_MIGRATION:
            return spot_json_reader_expected(json, "nodes", "no names in a migration");
        default:
            return 0;
    }
}

/* Reads the names of a line; a refused name does not stop it. */
static int read_nodes(state_t *self)
{
    int ret, worst = 0;

    if (self->json.kind != SPOT_JSON_OPEN_ARRAY) {
        return spot_json_reader_expected(&self->json, "nodes", "a list of names");
    }
    ret = spot_json_reader_next(&self->json);
    while (ret == 0 && self->json.kind != SPOT_JSON_CLOSE_ARRAY) {
        ret = take_node(self);
        worst = ret != 0 ? ret : worst;
        if (ret == 0 || ret == SPOT_ERR_BAD_INPUT) {
            ret = spot_json_reader_skip(&self->json);
        }
        ret = ret == 0 ? spot_json_reader_next(&self->json) : ret;
    }
    return ret == 0 ? worst : ret;
}

static int take_value(void *state, const char *key)
{
    state_t *self = state;

    if (strcmp(key, "nodes") == 0) {
        return read_nodes(self);
    }
    if (strcmp(key, "duration") == 0) {
        return parse_time(self, "duration", &self->duration_ms);
    }
    return spot_json_reader_skip(&self->json);
}

static int read_details(state_t *self)
{
    if (self->json.kind != SPOT_JSON_OPEN_OBJECT) {
        return spot_json_reader_expected(&self->json, "details", "an object {...}");
    }
    return spot_json_reader_object(&self->json, take_value, self);
}

static int expect(state_t *self, spot_json_kind_t kind, const char *expected)
{
    int ret = spot_json_reader_next(&self->json);

    if (ret == 0 && self->json.kind != kind) {
        ret = spot_json_reader_expected(&self->json, "line", expected);
    }
    return ret;
}

static int read_array(state_t *self)
{
    static int (*const parts[])(state_t * self) = {read_time, read_operation, read_details};
    int ret = expect(self, SPOT_JSON_OPEN_ARRAY, "[time, \"operation\", {...}]");

    for (size_t j = 0; j < sizeof(parts) / sizeof(parts[0]) && ret == 0; j++) {
        ret = spot_json_reader_next(&self->json);
        ret = ret == 0 ? parts[j](self) : ret;
    }
    ret = ret == 0 ? expect(self, SPOT_JSON_CLOSE_ARRAY, "three values") : ret;
    return ret == 0 ? expect(self, SPOT_JSON_END, "one list a line") : ret;
}

static int read_line(state_t *self, const spot_csv_row_t *row)
{
    spot_import_t *import = self->import;
    int ret;

    if (row->text[strspn(row->text, " \t")] == '\0') {
        import->num_skipped++;
        return 0;
    }
    import->report->num_records++;
    self->line = row->line;
    self->duration_ms = -1;
    spot_json_reader_open_bytes(&self->json, import->inputs[0].path, row->line, row->text,
        row->num_bytes, SPOT_RECORD_DEPTH, import->diag);
    ret = read_array(self);
    spot_json_reader_close(&self->json);
    if (!self->has_line && (ret == 0 || ret == SPOT_ERR_BAD_INPUT)) {
        const int first = spot_import_arrivals(import, 0, true);

        ret = first != 0 ? first : ret;
    }
    self->has_line = true;
    import->is_doubtful |= ret == SPOT_ERR_BAD_INPUT;
    return ret == SPOT_ERR_BAD_INPUT ? 0 : ret;
}

static int read_lines(state_t *self, spot_csv_t *csv)
{
    spot_csv_row_t row;
    int found, ret = 0;

    while (ret == 0 && (found = spot_csv_next_line(csv, &row)) != 0) {
        self->import->is_doubtful |= found == SPOT_ERR_BAD_INPUT;
        if (found == 1) {
            ret = read_line(self, &row);
        } else if (found != SPOT_ERR_BAD_INPUT) {
            ret = found;
        }
    }
    if (ret == 0) {
        ret = spot_import_arrivals(self->import, self->time_ms - self->first_ms, false);
    }
    if (ret == 0 && !self->has_line && !self->import->is_doubtful) {
        ret = spot_diag_error(self->import->diag, self->import->inputs[0].path, row.line, 1,
            "expected at least one record");
    }
    return ret == 0 && self->import->is_doubtful ? SPOT_ERR_BAD_INPUT : ret;
}

static int finish(state_t *self)
{
    spot_import_t *import = self->import;
    spot_trace_t *trace = import->trace;

    if (self->duration_ms < 0) {
        return spot_diag_error(import->diag, import->inputs[0].path, self->line, 1,
            "the last line has no duration, so the end is unknown");
    }
    trace->kind = SPOT_TRACE_NAMED;
    trace->end_ms = self->time_ms - self->first_ms + self->duration_ms;
    spot_import_note_time(import, trace->end_ms);
    spot_import_take_gcd(import);
    if (self->num_migrations > 0) {
        SPOT_IMPORT_REMARK(import, SPOT_REMARK_READ, "migrations", self->num_migrations,
            "%zu migration%s without instances", self->num_migrations,
            self->num_migrations == 1 ? "" : "s");
    }
    spot_import_key(import, "note", "window of a recording under new names; NOT independent data");
    SPOT_IMPORT_REMARK(import, SPOT_REMARK_UNCERTAIN, "not_independent", 0,
        "such files are windows of one recording under new names: not independent data");
    return 0;
}

static int read_parcae(spot_import_t *import)
{
    state_t self = {.import = import};
    spot_csv_t *csv = NULL;
    int ret = spot_record_input_csv(&import->inputs[0], &csv, import->diag);

    ret = ret == 0 ? read_lines(&self, csv) : ret;
    ret = ret == 0 ? finish(&self) : ret;
    spot_csv_close(csv);
    return ret;
}

const spot_importer_t spot_importer_parcae = {
    .name = "parcae",
    .doc = "a JSON array a line: ms, add|remove|no-op|migration, {nodes, duration}",
    .source = "JF-D/Parcae aws/traces/ (NSDI 2024)",
    .num_inputs = 1,
    .unit_ms = 1,
    .sniff = sniff,
    .read = read_parcae,
};
