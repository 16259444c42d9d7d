/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations on instances of Google Compute Engine: `gcloud compute operations list` as
 * a table, CSV or JSON (Compute Engine API, "Operation"), and the entries of audit logs,
 * from `gcloud logging read` or a sink (Cloud Logging, "LogEntry", "AuditLog"). */
#include <string.h>

#include "base/memory.h"
#include "traces/convert/logs/instance_log.h"

/* What is known of an operation. The times are those of its begin and its end. */
typedef enum { TYPE, TARGET, BEGIN, END, STATUS, HTTP, NUM_CELLS } cell_id_t;

typedef struct {
    const char *text; /* "": not there */
    spot_log_place_t place;
} cell_t;

/* In an operation and in an entry. */
static const char *const paths[NUM_CELLS][2] = {{"operationType", "protoPayload.methodName"},
    {"targetLink", "protoPayload.resourceName"}, {"insertTime", "timestamp"}, {"endTime", "-"},
    {"status", "-"}, {"httpErrorStatusCode", "protoPayload.status.code"}};

typedef struct {
    spot_instance_log_t log;
    size_t input_id;
    int64_t num_failed, num_faults;
} state_t;

static const char prefix[] = "compute.instances.";

/* What a type says of its instance; SPOT_NUM_SAYS: nothing. A repair within a group says
 * nothing: its delete and insert are operations of their own. */
static spot_says_t judge(const char *type)
{
    enum { MAX_ACTIONS = 5 };
    static const char *const actions[SPOT_NUM_SAYS][MAX_ACTIONS] = {
        [SPOT_SAYS_RUNS] = {"insert", "start", "startWithEncryptionKey", "resume",
            "automaticRestart"},
        [SPOT_SAYS_PREEMPTED] = {"preempted"},
        [SPOT_SAYS_STOPPED] = {"delete", "stop", "suspend", "guestTerminate"},
        [SPOT_SAYS_GONE] = {"hostError", "terminateOnHostMaintenance"}};
    const char *action = strstr(type, prefix);

    action = action == NULL ? type : action + sizeof(prefix) - 1;
    for (size_t j = 0; j < SPOT_NUM_SAYS * MAX_ACTIONS; j++) {
        const char *known = actions[j / MAX_ACTIONS][j % MAX_ACTIONS];

        if (known != NULL && strcmp(known, action) == 0) {
            return (spot_says_t) (j / MAX_ACTIONS);
        }
    }
    return SPOT_NUM_SAYS;
}

/* The instance that a path ZONE/instances/NAME ends in; NULL: none. Sets the zone. */
static const char *find_instance(state_t *self, const char *target)
{
    static const char folder[] = "/instances/";
    const char *zone = target, *end;
    char text[SPOT_NAME_BYTES + 1];

    while ((end = strchr(zone, '/')) != NULL && strncmp(end, folder, strlen(folder))) {
        zone = end + 1;
    }
    if (end == NULL) {
        return NULL;
    }
    snprintf(text, sizeof(text), "%.*s", (int) (end - zone), zone);
    spot_instance_log_label(&self->log, SPOT_LABEL_ZONE, text);
    return end + strlen(folder);
}

/* Adds what an operation says. A start counts at its end, a loss at its begin. */
static int take_operation(state_t *self, const cell_t *cells, bool has_failed)
{
    const spot_says_t says = judge(cells[TYPE].text);
    const char *status = cells[STATUS].text;
    const bool is_done = *status == '\0' || strcmp(status, "DONE") == 0;
    const char *name = says == SPOT_NUM_SAYS ? NULL : find_instance(self, cells[TARGET].text);
    const cell_t *time = &cells[says == SPOT_SAYS_RUNS && *cells[END].text != '\0' ? END : BEGIN];
    int64_t time_ms;
    int32_t http = 0;
    int ret;

    if (name == NULL && says != SPOT_NUM_SAYS &&
        (strstr(cells[TYPE].text, prefix) != NULL || strchr(cells[TARGET].text, '/') == NULL)) {
        return spot_instance_log_expected(
            &self->log, &cells[TARGET].place, "target", "ZONE/instances/NAME", cells[TARGET].text);
    }
    if (*cells[HTTP].text != '\0' && spot_import_count_parse(cells[HTTP].text, &http) != 0) {
        return spot_instance_log_expected(&self->log, &cells[HTTP].place, "status code",
            "a number such as 200", cells[HTTP].text);
    }
    if (!is_done && strcmp(status, "PENDING") != 0 && strcmp(status, "RUNNING") != 0) {
        return spot_instance_log_expected(&self->log, &cells[STATUS].place, "status",
            "PENDING, RUNNING or DONE", cells[STATUS].text);
    }
    if (name != NULL && (has_failed || http >= 400)) {
        self->num_failed++;
        return 0;
    }
    if (name == NULL || (!is_done && says == SPOT_SAYS_RUNS)) {
        self->log.num_other++;
        return 0;
    }
    ret = spot_instance_log_time(&self->log, &time->place, "time", time->text, &time_ms);
    self->num_faults += ret == 0 && says == SPOT_SAYS_GONE;
    return ret == 0 ? spot_instance_log_add(&self->log, &cells[TARGET].place, time_ms, says, name)
                    : ret;
}

/* Of the entries of an operation the first one is its begin and the last one its end;
 * many are both. The code of an entry is that of an error, or 0. */
static int take_record(void *context, const spot_json_value_t *record)
{
    state_t *self = context;
    const bool is_entry = spot_json_member(record, "protoPayload") != NULL;
    const spot_json_value_t *error = spot_json_member(record, "error");
    cell_t cells[NUM_CELLS];

    for (size_t j = 0; j < NUM_CELLS; j++) {
        const spot_json_value_t *value = spot_json_at(record, paths[j][is_entry]);

        value = value == NULL || strcmp(value->text, "null") == 0 ? NULL : value;
        cells[j] = (cell_t){spot_json_text_at(value, ""),
            spot_log_place(self->input_id, value == NULL ? record : value)};
    }
    if (*spot_json_text_at(record, "operation.first") == 't' &&
        *spot_json_text_at(record, "operation.last") != 't') {
        cells[STATUS].text = "RUNNING";
    }
    return take_operation(self, cells,
        (error != NULL && error->first != NULL) ||
            (is_entry && strpbrk(cells[HTTP].text, "123456789") != NULL));
}

/* A line of a table or of CSV. Its words say what they are, whatever the columns are;
 * the earliest time is the begin and the latest one the end. */
static int take_line(void *context, const spot_csv_row_t *row)
{
    static const char capitals[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_", between[] = " \t,\"";
    state_t *self = context;
    spot_arena_t arena = {.latest = NULL};
    char *line = spot_arena_text(&arena, row->text), *rest = line;
    cell_t cells[NUM_CELLS];
    int ret = arena.error;

    for (size_t j = 0; j < NUM_CELLS; j++) {
        cells[j] = (cell_t){"", {self->input_id, row->line, 1}};
    }
    for (char *word = ret != 0 ? NULL : strtok_r(line, between, &rest); word != NULL;
         word = strtok_r(NULL, between, &rest)) {
        const size_t column = (size_t) (word - line) + 1, num_bytes = strlen(word);
        const cell_t cell = {word, {self->input_id, row->line, column}};
        const bool is_number = *word >= '0' && *word <= '9';

        if (is_number && num_bytes > 4 && word[4] == '-') {
            if (*cells[BEGIN].text == '\0' || strcmp(word, cells[BEGIN].text) < 0) {
                cells[BEGIN] = cell;
            }
            cells[END] = strcmp(word, cells[END].text) > 0 ? cell : cells[END];
        } else if (is_number && num_bytes == 3) {
            cells[HTTP] = strcmp(word, cells[HTTP].text) > 0 ? cell : cells[HTTP];
        } else if (strspn(word, capitals) == num_bytes) {
            cells[STATUS] = cell;
        } else if (strstr(word, "/instances/") ||
                   (*cells[TARGET].text == '\0' && strchr(word, '/'))) {
            cells[TARGET] = cell;
        } else if (judge(word) != SPOT_NUM_SAYS && *cells[TYPE].text == '\0') {
            cells[TYPE] = cell;
        }
    }
    if (ret == 0 && strpbrk(row->text, "0123456789") != NULL) {
        ret = take_operation(self, cells, false);
    }
    spot_arena_free(&arena);
    return ret;
}

static int read_operations(spot_import_t *import)
{
    static const char *const lists[] = {"items", "entries", NULL};
    state_t self = {.input_id = 0};
    int ret = spot_instance_log_init(&self.log, import);

    spot_import_key(import, "cloud", "gcp");
    for (; ret == 0 && self.input_id < import->num_inputs; self.input_id++) {
        ret = spot_instance_log_read(
            &self.log, self.input_id, lists, take_record, false, take_line, &self);
    }
    spot_instance_log_remark(&self.log, SPOT_REMARK_READ, "failed", self.num_failed,
        "operation failed and says nothing", "operations failed and say nothing");
    spot_instance_log_remark(&self.log, SPOT_REMARK_UNCERTAIN, "faults", self.num_faults,
        "loss is a fault or the upkeep of a host, no preemption",
        "losses are faults or the upkeep of hosts, no preemptions");
    ret = ret == 0 ? spot_instance_log_finish(&self.log) : ret;
    spot_instance_log_free(&self.log);
    return ret;
}

/* The head of a table has no digits. */
static bool sniff(const spot_convert_head_t *head)
{
    const char *line = head->line, *text = head->text;

    if (*line != '{' && *line != '[') {
        return strpbrk(line, "0123456789") == NULL && strstr(text, "/instances/") != NULL &&
               (strstr(line, "TARGET") != NULL || strstr(line, "target") != NULL);
    }
    return (strstr(text, "\"operationType\"") != NULL && strstr(text, "\"targetLink\"") != NULL) ||
           (strstr(text, "\"protoPayload\"") != NULL && strstr(text, prefix) != NULL);
}

const spot_importer_t spot_importer_gcloud_operations = {
    .name = "gcloud-operations",
    .doc = "operations on instances of Compute Engine: tables, CSV, JSON, audit logs",
    .source = "Google Cloud",
    .takes = SPOT_TAKES_LOG,
    .sniff = sniff,
    .read = read_operations,
};
