/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What Slurm says of nodes: `sacct -P`, which jobs held them (the scheduler takes nodes
 * from a job: for the jobs of the file that is a preemption); `sacctmgr show event -P`,
 * when they were down; `scontrol show nodes`, since when each is up or down. Man pages
 * of the three; Slurm Power Saving Guide; power_save.c of slurmctld. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "traces/convert/logs/instance_log.h"

enum { MAX_NODES = 65536 }; /* of a list */

/* What states of jobs and nodes say that begin with a word, or have it if it begins with
 * a mark. The first that fits counts. A job that runs has no end; a node that boots, or
 * is not known, says nothing (SPOT_NUM_SAYS). */
static const struct {
    const char *word;
    spot_says_t says;
} rules[] = {{"PREEMPTED", SPOT_SAYS_PREEMPTED}, {"NODE_FAIL", SPOT_SAYS_GONE},
    {"BOOT_FAIL", SPOT_SAYS_GONE}, {"REQUEUED", SPOT_SAYS_GONE}, {"COMPLET", SPOT_SAYS_STOPPED},
    {"FAILED", SPOT_SAYS_STOPPED}, {"CANCELLED", SPOT_SAYS_STOPPED}, {"TIMEOUT", SPOT_SAYS_STOPPED},
    {"OUT_OF_MEMORY", SPOT_SAYS_STOPPED}, {"DEADLINE", SPOT_SAYS_STOPPED},
    {"RUNNING", SPOT_SAYS_STOPPED}, {"SUSPENDED", SPOT_SAYS_STOPPED}, {"PENDING", SPOT_NUM_SAYS},
    {"DOWN", SPOT_SAYS_GONE}, {"FAIL", SPOT_SAYS_GONE}, {"ERROR", SPOT_SAYS_GONE},
    {"+POWERED_DOWN", SPOT_SAYS_STOPPED}, {"+POWERING_DOWN", SPOT_SAYS_STOPPED},
    {"~", SPOT_SAYS_STOPPED}, {"+POWERING_UP", SPOT_NUM_SAYS}, {"#", SPOT_NUM_SAYS},
    {"FUTURE", SPOT_NUM_SAYS}, {"UNKNOWN", SPOT_NUM_SAYS}, {"IDLE", SPOT_SAYS_RUNS},
    {"ALLOC", SPOT_SAYS_RUNS}, {"MIX", SPOT_SAYS_RUNS}, {"DRAIN", SPOT_SAYS_RUNS},
    {"RESERVED", SPOT_SAYS_RUNS}, {"MAINT", SPOT_SAYS_RUNS}};

/* A time when a node was held by a job, or down. */
typedef struct {
    int64_t start_ms, end_ms; /* INT64_MIN, INT64_MAX: not known, still */
    int32_t name_id;
    spot_says_t says; /* of the loss, at the end; of a node that is down, at the start */
    bool is_down;
} span_t;

typedef struct {
    spot_instance_log_t log;
    spot_log_place_t place;
    spot_texts_t texts; /* of the record */
    spot_texts_t heads;
    const char *head; /* the row of columns, "|JobID|State|"; "": a bad one; NULL: none */
    const char *node; /* lines of a node, " NodeName=n1 ... State=IDLE"; NULL: none */
    spot_names_t names;
    size_t num_spans, max_spans;
    span_t *spans; /* [num_spans] */
} state_t;

static bool sniff(const spot_convert_head_t *head)
{
    return strncmp(head->line, "NodeName=", 9) == 0 ||
           (strchr(head->line, '|') != NULL && strstr(head->line, "State") != NULL &&
               (strstr(head->line, "JobID") || strstr(head->line, "NodeName")));
}

/* A cause that is told beside the state counts more: a node that did not boot was not
 * there. */
static int judge(state_t *self, const char *state, const char *reason, spot_says_t *says)
{
    for (size_t j = 0; j < sizeof(rules) / sizeof(rules[0]); j++) {
        const char *word = rules[j].word;

        if (strchr("+~#", *word) != NULL ? strstr(state, word) != NULL
                                         : strncmp(state, word, strlen(word)) == 0) {
            *says = strstr(reason, "ResumeTimeout") != NULL    ? SPOT_NUM_SAYS
                    : strstr(reason, "SuspendTimeout") != NULL ? SPOT_SAYS_STOPPED
                    : rules[j].says == SPOT_SAYS_GONE && strstr(reason, "reempt") != NULL
                        ? SPOT_SAYS_PREEMPTED
                        : rules[j].says;
            return 0;
        }
    }
    return spot_instance_log_expected(&self->log, &self->place, "State",
        "one of a job or node, such as COMPLETED or IDLE+CLOUD", state);
}

/* Adds a span for each node of a list such as "n[01-03,7],gpu1". */
static int add_nodes(state_t *self, span_t span, const char *list)
{
    const char *end = list, *prefix = list; /* of the item, before its bracket */
    int num_prefix = 0, num_left = MAX_NODES, ret = 0;

    for (bool is_within = false; *end != '\0' && ret == 0; end += *end == ',') {
        long first = 0, last = 0;
        int width = 0;

        if (!is_within) {
            prefix = end;
            num_prefix = (int) strcspn(end, ",[");
            end += num_prefix;
            is_within = *end == '[';
            end += is_within;
        }
        if (is_within) {
            char *rest;

            width = (int) strspn(end, "0123456789");
            first = last = strtol(end, &rest, 10);
            last = *rest == '-' ? strtol(rest + 1, &rest, 10) : first;
            is_within = *rest == ',';
            end = rest + (*rest == ']');
            ret = width == 0 || width > 9 || last < first || (*rest != ',' && *rest != ']') ||
                          (*rest == ']' && strchr(",", *end) == NULL)
                      ? SPOT_ERR_BAD_INPUT
                      : 0;
        }
        for (long k = first; k <= last && ret == 0; k++) {
            const char *name = spot_texts_add(
                &self->texts, width == 0 ? "%.*s" : "%.*s%0*ld", num_prefix, prefix, width, k);

            ret = num_left-- > 0 && spot_trace_is_name(name, strlen(name))
                      ? spot_names_add(&self->names, name, strlen(name), &span.name_id)
                      : SPOT_ERR_BAD_INPUT;
            ret = ret == 0 ? SPOT_ARRAY_APPEND(self, spans, span) : ret;
        }
    }
    return ret != SPOT_ERR_BAD_INPUT
               ? ret
               : spot_instance_log_expected(&self->log, &self->place, "nodes",
                     "names of up to 63 bytes such as node[01-04,7],gpu1", list);
}

/* The field of a row in a column; of the lines of a node, the text behind "COLUMN=". "":
 * none. */
static const char *field(state_t *self, const char *row, const char *column)
{
    const bool is_node = row == self->node;
    const char *head = is_node ? row : self->head;
    const char *start = spot_texts_add(&self->texts, is_node ? " %s=" : "|%s|", column);
    const char *at = strstr(head, start), *text = row;

    if (at == NULL) {
        return "";
    }
    for (; !is_node && head < at; head++) {
        text = head[1] == '|' ? strchr(text, '|') + 1 : text;
    }
    text = is_node ? at + strlen(start) : text;
    self->place.column = is_node ? 1 : (size_t) (text - row) + 1;
    return spot_texts_add(&self->texts, "%.*s", (int) strcspn(text, is_node ? " " : "|"), text);
}

/* Reads a time; *time_ms stays for one that is not known. */
static int read_time(state_t *self, const char *row, const char *column, int64_t *time_ms)
{
    const char *text = field(self, row, column);

    return *text == '\0' || strcmp(text, "Unknown") == 0 || strcmp(text, "None") == 0
               ? 0
               : spot_instance_log_time(&self->log, &self->place, column, text, time_ms);
}

static int take_row(state_t *self, const char *row)
{
    const bool is_down = strstr(self->head, "|NodeName|") != NULL;
    const char *start = is_down ? "TimeStart" : "Start";
    const char *reason = is_down ? field(self, row, "Reason") : "";
    const char *nodes = field(self, row, is_down ? "NodeName" : "NodeList");
    span_t span = {INT64_MIN, INT64_MAX, 0, SPOT_NUM_SAYS, is_down};
    int ret;

    /* Events of the cluster, jobs that wait, and the steps of a job say nothing. */
    if (*nodes == '\0' || strcmp(nodes, "None assigned") == 0 ||
        strchr(field(self, row, "JobID"), '.') != NULL) {
        self->log.num_other++;
        return 0;
    }
    ret = judge(self, field(self, row, "State"), reason, &span.says);
    ret = ret == 0 ? read_time(self, row, is_down ? "TimeEnd" : "End", &span.end_ms) : ret;
    ret = ret == 0 ? read_time(self, row, start, &span.start_ms) : ret;
    if (ret == 0 && span.start_ms > span.end_ms) {
        return spot_instance_log_expected(
            &self->log, &self->place, start, "a time not after the end", field(self, row, start));
    }
    if (ret == 0 && (span.says == SPOT_NUM_SAYS || span.says == SPOT_SAYS_RUNS ||
                        span.start_ms == INT64_MIN || span.start_ms == span.end_ms)) {
        self->log.num_other++;
        return 0;
    }
    (void) field(self, row, is_down ? "NodeName" : "NodeList"); /* the place of errors */
    return ret == 0 ? add_nodes(self, span, nodes) : ret;
}

/* Takes the lines of a node: it is up since it booted, or down since its reason says.
 * Without that time it says nothing. */
static int take_node(state_t *self)
{
    const char *reason = strstr(self->node, " Reason=");
    const char *at = reason == NULL ? NULL : strrchr(reason, '@');
    const char *name = field(self, self->node, "NodeName");
    int64_t boot_ms = INT64_MIN, loss_ms = INT64_MIN;
    spot_says_t says = SPOT_NUM_SAYS;
    int ret = judge(self, field(self, self->node, "State"), reason == NULL ? "" : reason, &says);

    ret = ret == 0 ? read_time(self, self->node, "BootTime", &boot_ms) : ret;
    if (ret == 0 && at != NULL && says != SPOT_SAYS_RUNS && says != SPOT_NUM_SAYS) {
        ret = spot_instance_log_time(&self->log, &self->place, "Reason",
            spot_texts_add(&self->texts, "%.*s", (int) strcspn(at + 1, "]"), at + 1), &loss_ms);
    }
    self->log.num_other += says == SPOT_SAYS_RUNS ? boot_ms == INT64_MIN : loss_ms == INT64_MIN;
    if (ret == 0 && boot_ms != INT64_MIN && (says == SPOT_SAYS_RUNS || boot_ms < loss_ms)) {
        ret = spot_instance_log_add(&self->log, &self->place, boot_ms, SPOT_SAYS_RUNS, name);
    }
    if (ret == 0 && loss_ms != INT64_MIN) {
        ret = spot_instance_log_add(&self->log, &self->place, loss_ms, says, name);
    }
    self->node = NULL;
    spot_texts_free(&self->texts);
    return ret;
}

/* At the row of columns: keeps it if it has those that are needed. */
static int take_head(state_t *self, const char *row)
{
    static const char *const needed[2][5] = {{"JobID", "NodeList", "Start", "End", "State"},
        {"NodeName", "TimeStart", "TimeEnd", "State", "Reason"}};
    const char *head = spot_texts_add(&self->heads, "|%s|", row);

    for (size_t j = 0; j < 5; j++) {
        const char *column = needed[strstr(head, "|NodeName|") != NULL][j];

        if (strstr(head, spot_texts_add(&self->texts, "|%s|", column)) == NULL) {
            return spot_instance_log_expected(
                &self->log, &self->place, column, "a column of that name", "");
        }
    }
    self->head = head;
    return self->heads.error;
}

static int take_line(void *context, const spot_csv_row_t *row)
{
    state_t *self = context;
    const char *text = row->text + strspn(row->text, " ");
    const bool is_node = strncmp(text, "NodeName=", 9) == 0;
    int ret = is_node && self->node != NULL ? take_node(self) : 0, num_bars = 1;

    if (is_node || self->node != NULL) {
        self->place.line = is_node ? row->line : self->place.line;
        self->place.column = 1;
        self->node =
            spot_texts_join(&self->texts, self->node == NULL ? " " : self->node, " ", text);
        return ret;
    }
    self->place.line = row->line;
    self->place.column = 1;
    if (self->head == NULL || *self->head == '\0') {
        ret = self->head == NULL ? 0 : SPOT_ERR_BAD_INPUT; /* the columns are not known */
        self->head = "";
        return ret == 0 ? take_head(self, row->text) : ret;
    }
    for (const char *at = self->head + 1; *at != '\0'; at++) {
        num_bars -= *at == '|';
    }
    for (text = row->text; *text != '\0'; text++) {
        num_bars += *text == '|';
    }
    ret = num_bars == 0 ? take_row(self, row->text)
                        : spot_instance_log_expected(&self->log, &self->place, "row",
                              "as many fields as there are columns", row->text);
    spot_texts_free(&self->texts);
    return ret;
}

/* ---- What follows ---- */

static int compare_spans(const void *left, const void *right)
{
    const span_t *a = left, *b = right;

    return a->name_id != b->name_id     ? (a->name_id > b->name_id) - (a->name_id < b->name_id)
           : a->start_ms != b->start_ms ? (a->start_ms > b->start_ms ? 1 : -1)
           : a->end_ms != b->end_ms     ? (a->end_ms > b->end_ms ? 1 : -1)
                                        : (int) a->says - (int) b->says;
}

/* Adds what the spans say. Those of a node that overlap are one: several jobs hold it,
 * or a node that is down is powered down. */
static int write_spans(state_t *self)
{
    int ret = 0;

    if (self->num_spans > 0) {
        qsort(self->spans, self->num_spans, sizeof(*self->spans), compare_spans);
    }
    for (size_t j = 0; j < self->num_spans && ret == 0; j++) {
        const char *name = self->names.names[self->spans[j].name_id];
        span_t span = self->spans[j];

        while (j + 1 < self->num_spans && self->spans[j + 1].name_id == span.name_id &&
               self->spans[j + 1].start_ms - span.is_down < span.end_ms) {
            const span_t *next = &self->spans[++j];

            span.says = next->end_ms > span.end_ms && !span.is_down ? next->says : span.says;
            span.end_ms = next->end_ms > span.end_ms ? next->end_ms : span.end_ms;
        }
        ret = spot_instance_log_add(&self->log, &self->place, span.start_ms,
            span.is_down ? span.says : SPOT_SAYS_RUNS, name);
        if (ret == 0 && span.end_ms != INT64_MAX) {
            ret = spot_instance_log_add(&self->log, &self->place, span.end_ms,
                span.is_down ? SPOT_SAYS_RUNS : span.says, name);
        }
    }
    return ret;
}

static int read_slurm(spot_import_t *import)
{
    state_t self = {.num_spans = 0};
    int ret = spot_instance_log_init(&self.log, import);

    for (; ret == 0 && self.place.input_id < import->num_inputs; self.place.input_id++) {
        self.head = NULL;
        ret = spot_import_lines(import, self.place.input_id, take_line, &self);
        if (self.node != NULL) {
            ret = spot_error_first(ret, take_node(&self));
        }
    }
    ret = ret == 0 ? write_spans(&self) : ret;
    ret = ret == 0 ? spot_instance_log_finish(&self.log) : ret;
    spot_instance_log_free(&self.log);
    spot_names_free(&self.names);
    spot_texts_free(&self.texts);
    free(self.spans);
    spot_texts_free(&self.heads);
    return ret;
}

const spot_importer_t spot_importer_slurm = {
    .name = "slurm",
    .doc = "sacct -P (jobs and their nodes), sacctmgr show event -P (nodes that were "
           "down) or scontrol show nodes",
    .source = "Slurm",
    .takes = SPOT_TAKES_LOG,
    .sniff = sniff,
    .read = read_slurm,
};
