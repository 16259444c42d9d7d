/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events of Amazon EventBridge about EC2 instances, as a rule writes them to a log, a
 * bucket or a queue: JSON lines, arrays, exports of CloudWatch Logs, and messages of SQS
 * whose bodies hold them. Amazon EC2 User Guide, "Spot Instance interruption notices",
 * "EC2 instance rebalance recommendations", "State change events". */
#include <string.h>

#include "traces/convert/logs/instance_log.h"

static const char *const lists[] = {"Messages", "Records", "events", "results", NULL};

/* Text of these members may hold an event, through a topic within a queue; "value" is
 * that of a field of a query. */
static const char *const wrappers[] = {
    "Body", "body", "Message", "message", "@message", "value", NULL};
enum { MAX_WRAPPED = 3 };

typedef struct {
    spot_instance_log_t log;
    size_t input_id;
    int num_wrapped; /* texts around the record */
} state_t;

static bool sniff(const spot_convert_head_t *head)
{
    return (*head->line == '{' || *head->line == '[') &&
           strstr(head->text, "detail-type") != NULL && strstr(head->text, "aws.ec2") != NULL;
}

/* What the record says; SPOT_NUM_SAYS: nothing of this, or a state that is not known,
 * whose text is *wrong. */
static spot_says_t judge(const spot_json_value_t *event, const char **wrong)
{
    static const struct {
        const char *type, *state; /* state "": any */
        spot_says_t says;
    } rules[] = {
        {"EC2 Spot Instance Interruption Warning", "", SPOT_SAYS_NOTICE},
        {"EC2 Interruptible Capacity Reservation Instance Interruption Warning", "",
            SPOT_SAYS_NOTICE},
        {"EC2 Instance Rebalance Recommendation", "", SPOT_SAYS_ADVICE},
        {"EC2 Spot Instance Request Fulfillment", "", SPOT_SAYS_RUNS},
        {"EC2 Instance State-change Notification", "pending", SPOT_SAYS_RUNS},
        {"EC2 Instance State-change Notification", "running", SPOT_SAYS_RUNS},
        {"EC2 Instance State-change Notification", "stopping", SPOT_SAYS_GONE},
        {"EC2 Instance State-change Notification", "stopped", SPOT_SAYS_GONE},
        {"EC2 Instance State-change Notification", "shutting-down", SPOT_SAYS_GONE},
        {"EC2 Instance State-change Notification", "terminated", SPOT_SAYS_GONE},
    };
    const char *type = spot_json_text_at(event, "detail-type");
    const char *state = spot_json_text_at(event, "detail.state");

    *wrong = NULL;
    for (size_t j = 0; j < sizeof(rules) / sizeof(rules[0]); j++) {
        if (strcmp(rules[j].type, type) != 0) {
            continue;
        }
        if (*rules[j].state == '\0' || strcmp(rules[j].state, state) == 0) {
            *wrong = NULL;
            return rules[j].says;
        }
        *wrong = state;
    }
    return SPOT_NUM_SAYS;
}

static int take_event(state_t *self, const spot_json_value_t *event)
{
    static const char name[] = "detail.instance-id";
    spot_log_place_t place = spot_log_place_at(self->input_id, event, "detail.state");
    const char *wrong;
    const spot_says_t says = judge(event, &wrong);
    int64_t time_ms;
    int ret;

    if (wrong != NULL) {
        return spot_instance_log_expected(&self->log, &place, "detail.state",
            "pending, running, stopping, stopped, shutting-down or terminated", wrong);
    }
    if (says == SPOT_NUM_SAYS) {
        self->log.num_other++;
        return 0;
    }
    place = spot_log_place_at(self->input_id, event, "time");
    ret = spot_instance_log_time(
        &self->log, &place, "time", spot_json_text_at(event, "time"), &time_ms);
    place = spot_log_place_at(self->input_id, event, name);
    return ret != 0 ? ret
                    : spot_instance_log_add(
                          &self->log, &place, time_ms, says, spot_json_text_at(event, name));
}

static int take_record(void *context, const spot_json_value_t *record)
{
    state_t *self = context;
    const spot_json_value_t *text = NULL;
    int ret;

    if (spot_json_member(record, "detail-type") != NULL) {
        return take_event(self, record);
    }
    for (size_t j = 0; wrappers[j] != NULL && text == NULL; j++) {
        text = spot_json_member(record, wrappers[j]);
    }
    if (text == NULL || *text->text != '{' || self->num_wrapped == MAX_WRAPPED) {
        self->log.num_other += spot_json_member(record, "field") == NULL;
        return 0;
    }
    if (text->kind == SPOT_JSON_OPEN_OBJECT) {
        return take_record(self, text);
    }
    self->num_wrapped++;
    ret = spot_json_records_within(&self->log.import->inputs[self->input_id], text, lists,
        take_record, self, self->log.import->diag);
    self->num_wrapped--;
    return ret;
}

static int read_eventbridge(spot_import_t *import)
{
    state_t self = {.num_wrapped = 0};
    int ret = spot_instance_log_init(&self.log, import);

    self.log.has_starts = true;
    spot_import_key(import, "cloud", "aws");
    for (; ret == 0 && self.input_id < import->num_inputs; self.input_id++) {
        ret = spot_json_records(
            &import->inputs[self.input_id], lists, take_record, &self, import->diag);
    }
    ret = ret == 0 ? spot_instance_log_finish(&self.log) : ret;
    spot_instance_log_free(&self.log);
    return ret;
}

const spot_importer_t spot_importer_eventbridge = {
    .name = "eventbridge",
    .doc = "events of EC2 instances, as JSON lines or lists, from logs or queues: state "
           "changes, interruption warnings (notices, no losses), rebalance "
           "recommendations",
    .source = "Amazon EventBridge",
    .takes = SPOT_TAKES_LOG,
    .sniff = sniff,
    .read = read_eventbridge,
};
