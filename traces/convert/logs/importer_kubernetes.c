/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What kubectl prints of events and nodes, as JSON, with -w and --output-watch-events
 * too, or as a table, whose ages need the time of printing; and the log of Karpenter
 * from 0.28 on, JSON or behind the console's "TIME LEVEL LOGGER MESSAGE", whose
 * instances are its claims. Sources: Event v1 (core, events.k8s.io), Node v1; for
 * reasons, taints and messages the controllers of nodes, Karpenter (interruption,
 * disruption, nodeclaim; issues 4772, 4935, 7083, 8536), cluster-autoscaler,
 * aws-node-termination-handler. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/datetime.h"
#include "base/units.h"
#include "traces/convert/logs/instance_log.h"

typedef enum { TABLE_NONE, TABLE_EVENTS, TABLE_NODES } table_t;

typedef struct {
    spot_instance_log_t log;
    size_t input_id;
    int64_t first_ms; /* when the watch of nodes begins; INT64_MIN: unknown */
    int64_t seen_ms;  /* the latest time in it so far */
    int64_t stamp_ms; /* of the line; INT64_MIN: none */
    char message[64]; /* of the line of a console */
    table_t table;
    bool has_lead;             /* the table has a column NAMESPACE or EVENT */
    bool has_nodes, has_types; /* types of watch events, which tell deletions */
    int64_t unit_ms;           /* the longest last unit of an age */
    int64_t num_undated;       /* deletions whose time is not said */
} state_t;

/* Reasons of events, keys of taints, messages of Karpenter and kinds of its interruption
 * messages. What a controller of the cluster gives back ends at once.
 * karpenter.sh/disrupted is not here: it does not say why. */
static const char *const rules[SPOT_NUM_SAYS] = {
    [SPOT_SAYS_RUNS] = "|RegisteredNode|Starting|NodeReady|ScaleDownFailed|"
                       "launched nodeclaim|registered nodeclaim|initialized nodeclaim|"
                       "launched machine|registered machine|initialized machine|",
    [SPOT_SAYS_NOTICE] = "|SpotInterrupted|SpotInterruption|PreemptScheduled|"
                         "aws-node-termination-handler/spot-itn|"
                         "cloud.google.com/impending-node-termination|"
                         "spot_interrupted|SpotInterruptionKind|",
    [SPOT_SAYS_ADVICE] = "|SpotRebalanceRecommendation|RebalanceRecommendation|"
                         "aws-node-termination-handler/rebalance-recommendation|",
    [SPOT_SAYS_GONE] = "|InstanceStopping|InstanceTerminating|DeletingNode|RemovingNode|"
                       "node.cloudprovider.kubernetes.io/shutdown|deleted nodeclaim|"
                       "deleted machine|StateChangeKind|instance_stopped|"
                       "instance_terminated|",
    [SPOT_SAYS_STOPPED] = "|ScaleDown|ScaleDownEmpty|DisruptionTerminating|"
                          "ToBeDeletedByClusterAutoscaler|",
};

static spot_says_t judge(const char *word)
{
    char item[128];
    int says = 0;

    snprintf(item, sizeof(item), "|%.120s|", word);
    while (says < SPOT_NUM_SAYS && (rules[says] == NULL || strstr(rules[says], item) == NULL)) {
        says++;
    }
    return (spot_says_t) says;
}

/* Documents have "kind": "Event" or "Node" near their begin, tables their columns, lines
 * of Karpenter its logger. */
static bool sniff(const spot_convert_head_t *head)
{
    const char *text = head->text, *line = head->line;

    if (strstr(line, "{\"") &&
        (strstr(text, "\"logger\":\"controller") || strstr(line, "\tcontroller"))) {
        return strstr(text, "nodeclaim") || strstr(text, "\"machine\"");
    }
    if (*line == '{' || *line == '[') {
        return strstr(text, "\"kind\": \"Event\"") || strstr(text, "\"kind\": \"Node\"") ||
               strstr(text, "\"kind\":\"Event\"") || strstr(text, "\"kind\":\"Node\"");
    }
    return (strstr(line, "LAST SEEN ") && strstr(line, " REASON ")) ||
           (strstr(line, " STATUS ") && strstr(line, " ROLES "));
}

/* ---- Records ---- */

static int add(state_t *self, const spot_log_place_t *place, int64_t time_ms, spot_says_t says,
    const char *name)
{
    return spot_instance_log_add(&self->log, place, time_ms, says, name);
}

static int pass_over(state_t *self)
{
    self->log.num_other++;
    return 0;
}

/* Reads the first of the values at paths that is a text. Without one it is an error if
 * *time_ms is INT64_MIN, else *time_ms is unchanged. */
static int take_time(
    state_t *self, const spot_json_value_t *record, const char *const *paths, int64_t *time_ms)
{
    const spot_json_value_t *value = spot_json_at(record, *paths);
    spot_log_place_t place;

    while ((value == NULL || value->kind != SPOT_JSON_TEXT) && paths[1] != NULL) {
        value = spot_json_at(record, *++paths);
    }
    if ((value == NULL || value->kind != SPOT_JSON_TEXT) && *time_ms != INT64_MIN) {
        return 0;
    }
    place = spot_log_place(self->input_id, value == NULL ? record : value);
    return spot_instance_log_time(
        &self->log, &place, *paths, value == NULL ? "" : value->text, time_ms);
}

/* An event that happened several times says so of the first and the last time. */
static int take_event(state_t *self, const spot_json_value_t *event, const spot_json_value_t *of)
{
    static const char *const firsts[] = {"firstTimestamp", "deprecatedFirstTimestamp", "eventTime",
        "metadata.creationTimestamp", NULL};
    static const char *const lasts[] = {
        "lastTimestamp", "deprecatedLastTimestamp", "series.lastObservedTime", NULL};
    const spot_log_place_t place = spot_log_place(self->input_id, event);
    const spot_says_t says = judge(spot_json_text_at(event, "reason"));
    const char *name = spot_json_text_at(of, "name");
    int64_t first_ms = INT64_MIN, last_ms;
    int ret;

    if (says == SPOT_NUM_SAYS || strcmp(spot_json_text_at(of, "kind"), "Node") != 0) {
        return pass_over(self);
    }
    ret = take_time(self, event, firsts, &first_ms);
    last_ms = first_ms;
    ret = ret == 0 ? take_time(self, event, lasts, &last_ms) : ret;
    ret = ret == 0 ? add(self, &place, first_ms, says, name) : ret;
    return ret != 0 || last_ms == first_ms ? ret : add(self, &place, last_ms, says, name);
}

/* A node that is seen: a new one runs since it was made, or since the watch began. Its
 * taints say more, which may be NULL, and gone_ms, which may be INT64_MIN. */
static int take_node(state_t *self, const spot_log_place_t *place, const char *name,
    int64_t created_ms, const spot_json_value_t *taint, int64_t gone_ms)
{
    bool is_said = spot_names_find(&self->log.names, name, strlen(name)) < 0;
    int ret = 0;

    self->has_nodes = true;
    if (is_said) {
        ret = add(self, place, created_ms > self->first_ms ? created_ms : self->first_ms,
            SPOT_SAYS_RUNS, name);
    }
    for (; taint != NULL && ret == 0; taint = taint->next) {
        const spot_says_t says = judge(spot_json_text_at(taint, "key"));

        if (says != SPOT_NUM_SAYS) {
            is_said = true;
            ret = add(self, place, self->seen_ms, says, name);
        }
    }
    if (ret == 0 && gone_ms != INT64_MIN) {
        return add(self, place, gone_ms, SPOT_SAYS_GONE, name);
    }
    return ret != 0 || is_said ? ret : add(self, place, self->seen_ms, SPOT_SAYS_RUNS, name);
}

/* A watch prints in order of time: the latest time of all nodes so far is when it does.
 * A deletion has one of its own if the node was being emptied. */
static int take_node_object(state_t *self, const spot_json_value_t *node, bool is_deleted)
{
    static const char *const created[] = {"metadata.creationTimestamp", NULL};
    static const char *const deleted[] = {"metadata.deletionTimestamp", NULL};
    static const char *const beat[] = {"lastHeartbeatTime", "lastTransitionTime", NULL};
    const spot_log_place_t place = spot_log_place(self->input_id, node);
    const spot_json_value_t *taints = spot_json_at(node, "spec.taints");
    const spot_json_value_t *item = spot_json_at(node, "status.conditions");
    const spot_json_value_t *labels = spot_json_at(node, "metadata.labels");
    const bool has_time = spot_json_at(node, *deleted) != NULL;
    int64_t time_ms = INT64_MIN, created_ms, gone_ms = INT64_MIN;
    int ret = take_time(self, node, created, &time_ms);

    created_ms = time_ms;
    self->seen_ms = time_ms > self->seen_ms ? time_ms : self->seen_ms;
    for (item = item == NULL ? NULL : item->first; item != NULL && ret == 0; item = item->next) {
        ret = take_time(self, item, beat, &time_ms);
        self->seen_ms = time_ms > self->seen_ms ? time_ms : self->seen_ms;
    }
    self->first_ms = self->first_ms == INT64_MIN ? self->seen_ms : self->first_ms;
    if (has_time || is_deleted) {
        ret = ret == 0 && has_time ? take_time(self, node, deleted, &gone_ms) : ret;
        gone_ms = gone_ms > self->seen_ms ? gone_ms : self->seen_ms;
        self->num_undated += !has_time;
    }
    spot_instance_log_label(&self->log, SPOT_LABEL_ZONE,
        spot_json_text_at(spot_json_member(labels, "topology.kubernetes.io/zone"), ""));
    labels = spot_json_member(labels, "node.kubernetes.io/instance-type");
    spot_instance_log_label(&self->log, SPOT_LABEL_TYPE, spot_json_text_at(labels, ""));
    return ret != 0 ? ret
                    : take_node(self, &place, spot_json_text_at(node, "metadata.name"), created_ms,
                          taints == NULL ? NULL : taints->first, gone_ms);
}

/* A record of Karpenter's log. */
static int take_karpenter(state_t *self, const spot_json_value_t *record, const char *message)
{
    static const char *const times[] = {"time", NULL};
    const spot_log_place_t place = spot_log_place(self->input_id, record);
    const bool is_message = strstr(message, "from interruption message") != NULL;
    const spot_says_t says = judge(is_message ? spot_json_text_at(record, "messageKind") : message);
    const char *name = spot_json_text_at(record, "NodeClaim.name");
    int64_t time_ms = self->stamp_ms;
    int ret;

    if (says == SPOT_NUM_SAYS) {
        return pass_over(self);
    }
    name = *name == '\0' ? spot_json_text_at(record, "nodeclaim") : name;
    name = *name == '\0' ? spot_json_text_at(record, "machine") : name;
    spot_instance_log_label(&self->log, SPOT_LABEL_ZONE, spot_json_text_at(record, "zone"));
    spot_instance_log_label(
        &self->log, SPOT_LABEL_TYPE, spot_json_text_at(record, "instance-type"));
    ret = take_time(self, record, times, &time_ms);
    return ret == 0 ? add(self, &place, time_ms, says, name) : ret;
}

/* An object, or the record of a watch that has one. */
static int take_object(void *context, const spot_json_value_t *record)
{
    state_t *self = context;
    const spot_json_value_t *watched = spot_json_member(record, "object");
    const spot_json_value_t *object = watched == NULL ? record : watched;
    const spot_json_value_t *of = spot_json_member(object, "involvedObject");
    const char *type = watched == NULL ? "" : spot_json_text_at(record, "type");
    const char *message = spot_json_text_at(object, "message");

    self->has_types |= watched != NULL;
    of = of == NULL ? spot_json_member(object, "regarding") : of;
    if (of != NULL) {
        return take_event(self, object, of);
    }
    if (strcmp(spot_json_text_at(object, "kind"), "Node") == 0) {
        return strcmp(type, "BOOKMARK") == 0
                   ? pass_over(self)
                   : take_node_object(self, object, strcmp(type, "DELETED") == 0);
    }
    return take_karpenter(self, object, *message == '\0' ? self->message : message);
}

/* ---- Lines ---- */

/* A line, word by word, with blanks or tabs between. */
typedef struct {
    const char *line, *rest; /* rest: behind the word */
    spot_log_place_t place;  /* of the word */
    char word[128];          /* the latest one, cut; "": the line has no other */
} words_t;

static void next_word(words_t *self)
{
    const char *start = self->rest + strspn(self->rest, " \t");

    self->rest = start + strcspn(start, " \t");
    self->place.column = (size_t) (start - self->line) + 1;
    snprintf(self->word, sizeof(self->word), "%.*s", (int) (self->rest - start), start);
}

/* Reads an age such as 5m12s, 3h or 2d5h. BAD_INPUT, reported as one of a column. */
static int take_age(state_t *self, const words_t *words, const char *column, int64_t *age_ms)
{
    static const int64_t units_ms[] = {
        SPOT_MS_PER_S, SPOT_MS_PER_MIN, SPOT_MS_PER_H, SPOT_MS_PER_D, 365 * SPOT_MS_PER_D};
    static const char names[] = "smhdy";
    const char *text = words->word, *unit = NULL;
    size_t num_digits;

    *age_ms = 0;
    while ((num_digits = strspn(text, "0123456789")) > 0 && num_digits < 7 &&
           text[num_digits] != '\0' && (unit = strchr(names, text[num_digits])) != NULL) {
        *age_ms += strtol(text, NULL, 10) * units_ms[unit - names];
        text += num_digits + 1;
    }
    if (unit == NULL || *text != '\0' || *age_ms > SPOT_MAX_DURATION_MS) {
        return spot_instance_log_expected(
            &self->log, &words->place, column, "an age such as 5m12s", words->word);
    }
    if ((self->table == TABLE_EVENTS || self->stamp_ms == INT64_MIN) &&
        units_ms[unit - names] > self->unit_ms) {
        self->unit_ms = units_ms[unit - names];
    }
    return 0;
}

/* AGE TYPE REASON node/NAME MESSAGE, the age perhaps with (x4 over 16m) behind. */
static int take_event_row(state_t *self, words_t *words, int64_t base_ms)
{
    const words_t age = *words;
    spot_says_t says;
    int64_t age_ms;

    next_word(words);
    for (int j = *words->word == '(' ? 3 : 0; j > 0; j--) {
        next_word(words);
    }
    next_word(words);
    says = judge(words->word);
    next_word(words);
    if (says == SPOT_NUM_SAYS || strncasecmp(words->word, "node/", 5) != 0) {
        return pass_over(self);
    }
    return take_age(self, &age, "LAST SEEN", &age_ms) != 0
               ? SPOT_ERR_BAD_INPUT
               : add(self, &words->place, base_ms - age_ms, says, words->word + 5);
}

/* NAME STATUS ROLES AGE. */
static int take_node_row(state_t *self, words_t *words, int64_t base_ms, int64_t gone_ms)
{
    const words_t name = *words;
    int64_t age_ms;

    next_word(words);
    next_word(words);
    next_word(words);
    self->seen_ms = base_ms;
    return take_age(self, words, "AGE", &age_ms) != 0
               ? SPOT_ERR_BAD_INPUT
               : take_node(self, &name.place, name.word, base_ms - age_ms, NULL, gone_ms);
}

/* A row of a table. Without stamps a node may have one row, of the time --until. */
static int take_table_row(state_t *self, words_t *words)
{
    const bool is_stamped = self->stamp_ms != INT64_MIN;
    const int64_t base_ms = is_stamped ? self->stamp_ms : self->log.now_ms;
    const int64_t gone_ms =
        self->has_lead && strcmp(words->word, "DELETED") == 0 ? base_ms : INT64_MIN;

    if (self->has_lead || strcmp(words->word, "NAMESPACE") == 0 ||
        strcmp(words->word, "EVENT") == 0) {
        self->has_lead = true;
        self->has_types = true;
        next_word(words);
    }
    if (strcmp(words->word, "LAST") == 0 || strcmp(words->word, "NAME") == 0) {
        self->table = *words->word == 'L' ? TABLE_EVENTS : TABLE_NODES;
        return 0;
    }
    if (self->table == TABLE_NONE) {
        return pass_over(self);
    }
    if (base_ms == INT64_MIN ||
        (self->table == TABLE_NODES && !is_stamped &&
            spot_names_find(&self->log.names, words->word, strlen(words->word)) >= 0)) {
        self->table = TABLE_NONE;
        return spot_instance_log_expected(&self->log, &words->place, "time of the row",
            "--until, when the table was printed, or stamped lines: kubectl get ... -w "
            "--output-watch-events | TZ=UTC ts '%Y-%m-%dT%H:%M:%SZ'",
            "");
    }
    return self->table == TABLE_EVENTS ? take_event_row(self, words, base_ms)
                                       : take_node_row(self, words, base_ms, gone_ms);
}

static int take_row(void *context, const spot_csv_row_t *row)
{
    state_t *self = context;
    const char *json = strstr(row->text, "{\"");
    words_t words = {row->text, row->text, {self->input_id, row->line, 1}, ""};
    spot_json_value_t value = {
        .kind = SPOT_JSON_TEXT, .text = json, .line = row->line, .column = 1};
    int64_t stamp_ms;
    bool has_zone;

    next_word(&words);
    self->stamp_ms = INT64_MIN;
    if (spot_instant_parse(words.word, &stamp_ms, &has_zone)) {
        spot_instance_log_zone(&self->log, words.word, has_zone);
        self->stamp_ms = stamp_ms;
        self->first_ms = self->first_ms == INT64_MIN ? stamp_ms : self->first_ms;
        next_word(&words);
    }
    if (json == NULL) {
        return take_table_row(self, &words);
    }
    *self->message = '\0';
    (void) sscanf(row->text, "%*[^\t]\t%*[^\t]\t%*[^\t]\t%63[^\t]", self->message);
    value.num_bytes = strlen(json);
    value.column += (size_t) (json - row->text);
    return spot_json_records_within(&self->log.import->inputs[self->input_id], &value, NULL,
        take_object, self, self->log.import->diag);
}

/* Lines, or a document of JSON, which may be long. */
static int read_input(state_t *self)
{
    static const char *const lists[] = {"items", NULL};
    spot_import_t *import = self->log.import;
    const spot_record_input_t *input = &import->inputs[self->input_id];
    char line[SPOT_RECORD_LINE_BYTES], text[SPOT_RECORD_HEAD_BYTES];
    const int ret = spot_record_input_head(input, text, line, import->diag);

    self->first_ms = self->seen_ms = self->stamp_ms = INT64_MIN;
    self->table = TABLE_NONE;
    self->has_lead = false;
    if (ret == 0 && (*line == '{' || *line == '[') && !strstr(line, "\"logger\":")) {
        return spot_json_records(input, lists, take_object, self, import->diag);
    }
    return ret == 0 ? spot_import_lines(import, self->input_id, take_row, self) : ret;
}

static int read_kubernetes(spot_import_t *import)
{
    state_t self = {.input_id = 0};
    char unit[SPOT_DURATION_TEXT_BYTES];
    int ret = spot_instance_log_init(&self.log, import);

    for (; ret == 0 && self.input_id < import->num_inputs; self.input_id++) {
        ret = read_input(&self);
    }
    ret = ret == 0 ? spot_instance_log_finish(&self.log) : ret;
    spot_instance_log_remark(&self.log, SPOT_REMARK_UNCERTAIN, "deletion_time", self.num_undated,
        "deletion has the latest time of a node before it",
        "deletions have the latest time of a node before them");
    if (self.has_nodes && !self.has_types) {
        SPOT_IMPORT_REMARK(import, SPOT_REMARK_UNCERTAIN, "deletions", 0,
            "deletions are not marked: kubectl get -w --output-watch-events does it");
    }
    if (self.unit_ms > 0) {
        spot_duration_text(self.unit_ms, unit);
        SPOT_IMPORT_REMARK(import, SPOT_REMARK_UNCERTAIN, "ages", 0,
            "times come from ages, whose last unit is up to %s", unit);
    }
    spot_instance_log_free(&self.log);
    return ret;
}

const spot_importer_t spot_importer_kubernetes = {
    .name = "kubernetes",
    .doc = "events and nodes as kubectl prints them (JSON, or tables with --until or "
           "stamped lines), and Karpenter's log; interruptions are notices, no losses",
    .source = "kubectl and Karpenter",
    .takes = SPOT_TAKES_LOG,
    .sniff = sniff,
    .read = read_kubernetes,
};
