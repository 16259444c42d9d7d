/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scheduled events of Azure virtual machines, as polls of the metadata service get them:
 * JSON, each answer alone or within an object that has the time of the poll too (Azure
 * Metadata Service, "Scheduled Events for Linux VMs"). */
#include <string.h>

#include "base/datetime.h"
#include "traces/convert/logs/instance_log.h"

typedef struct {
    spot_instance_log_t log;
    size_t input_id;
    int64_t poll_ms;     /* of the answer under way; INT64_MIN: not known */
    spot_names_t events; /* ids of those that were taken */
    int64_t num_unknown; /* events that have started at an unknown time */
} state_t;

static bool sniff(const spot_convert_head_t *head)
{
    return (*head->line == '{' || *head->line == '[') &&
           strstr(head->text, "\"DocumentIncarnation\"") != NULL;
}

/* Adds what an event says of its machines. A machine that is known and gets another
 * notice runs: it has been started again, if it was lost. */
static int add_event(
    state_t *self, const spot_json_value_t *event, spot_says_t says, int64_t time_ms)
{
    const spot_json_value_t *list = spot_json_member(event, "Resources");
    const spot_json_value_t *name = list == NULL ? NULL : list->first;
    const char *id = spot_json_text_at(event, "EventId");
    const bool is_new =
        says == SPOT_SAYS_NOTICE && spot_names_find(&self->events, id, strlen(id)) < 0;
    spot_log_place_t place = spot_log_place(self->input_id, event);
    spot_instance_log_t *log = &self->log;
    int32_t event_id;
    int ret = spot_names_add(&self->events, id, strlen(id), &event_id);

    if (name == NULL) {
        return spot_instance_log_expected(log, &place, "Resources", "a list of names", "");
    }
    for (; ret == 0 && name != NULL; name = name->next) {
        place = spot_log_place(self->input_id, name);
        if (is_new && spot_names_find(&log->names, name->text, name->num_bytes) >= 0) {
            ret = spot_instance_log_add(log, &place, time_ms, SPOT_SAYS_RUNS, name->text);
        }
        if (ret == 0) {
            ret = spot_instance_log_add(log, &place, time_ms, says, name->text);
        }
    }
    return ret;
}

/* A notice is of the time of its poll, or else of the time before which nothing happens.
 * An event that has started has that time, or else that of its poll. */
static int take_event(state_t *self, const spot_json_value_t *event)
{
    const spot_log_place_t place = spot_log_place(self->input_id, event);
    const char *type = spot_json_text_at(event, "EventType");
    const char *status = spot_json_text_at(event, "EventStatus");
    const char *before = spot_json_text_at(event, "NotBefore");
    const bool is_preempt = strcmp(type, "Preempt") == 0;
    const bool is_user = strcmp(spot_json_text_at(event, "EventSource"), "User") == 0;
    const bool is_started = strcmp(status, "Started") == 0;
    const spot_says_t says = is_preempt ? (is_started ? SPOT_SAYS_PREEMPTED : SPOT_SAYS_NOTICE)
                                        : (is_user ? SPOT_SAYS_STOPPED : SPOT_SAYS_GONE);
    int64_t time_ms = self->poll_ms;
    int ret = 0;

    if (!is_started && strcmp(status, "Scheduled") != 0) {
        return spot_instance_log_expected(
            &self->log, &place, "EventStatus", "Scheduled or Started", status);
    }
    if (!is_preempt && (!is_started || strcmp(type, "Terminate") != 0)) {
        self->log.num_other++;
        return 0;
    }
    if (is_started && *before == '\0' && time_ms == INT64_MIN) {
        self->num_unknown++;
        return 0;
    }
    if (((is_started && *before != '\0') || time_ms == INT64_MIN) &&
        !spot_http_date_parse(before, &time_ms)) {
        ret = spot_instance_log_time(&self->log, &place, "NotBefore", before, &time_ms);
    }
    return ret != 0 ? ret : add_event(self, event, says, time_ms);
}

static int take_record(void *context, const spot_json_value_t *record)
{
    state_t *self = context;
    const spot_json_value_t *event = spot_json_member(record, "Events");
    int ret = 0;

    self->poll_ms = INT64_MIN;
    for (const spot_json_value_t *member = record->first; member != NULL; member = member->next) {
        int64_t time_ms;
        bool has_zone;

        if (spot_instant_parse(member->text, &time_ms, &has_zone)) {
            self->poll_ms = time_ms;
            spot_instance_log_zone(&self->log, member->text, has_zone);
        }
        event = event == NULL ? spot_json_member(member, "Events") : event;
    }
    event = event == NULL ? NULL : event->first;
    self->log.num_other += event == NULL;
    for (; event != NULL; event = event->next) {
        ret = spot_error_first(ret, take_event(self, event));
    }
    return ret;
}

static int read_events(spot_import_t *import)
{
    state_t self = {.num_unknown = 0};
    int ret = spot_instance_log_init(&self.log, import);

    spot_import_key(import, "cloud", "azure");
    for (; ret == 0 && self.input_id < import->num_inputs; self.input_id++) {
        ret = spot_json_records(
            &import->inputs[self.input_id], NULL, take_record, &self, import->diag);
    }
    spot_instance_log_remark(&self.log, SPOT_REMARK_UNCERTAIN, "no_time", self.num_unknown,
        "event has started at an unknown time and is left out",
        "events have started at unknown times and are left out");
    ret = ret == 0 ? spot_instance_log_finish(&self.log) : ret;
    spot_names_free(&self.events);
    spot_instance_log_free(&self.log);
    return ret;
}

const spot_importer_t spot_importer_azure_events = {
    .name = "azure-events",
    .doc = "scheduled events of Azure virtual machines, polled: notices, preemptions",
    .source = "Azure Metadata Service",
    .takes = SPOT_TAKES_LOG,
    .sniff = sniff,
    .read = read_events,
};
