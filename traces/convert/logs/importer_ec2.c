/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `aws ec2 describe-instances` and `describe-spot-instance-requests` print, once or
 * again and again, alone or together: the latest launch of each instance, the latest
 * status of each request, and when and why an instance ended. Amazon EC2 API reference,
 * Instance and StateReason; User Guide, "Spot request status codes". */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "traces/convert/logs/instance_log.h"

static const char *const lists[] = {"Reservations", "Instances", "SpotInstanceRequests", NULL};

/* What all records together know of an instance. */
typedef struct {
    bool has_start;
    int64_t end_ms;     /* the latest; INT64_MIN: none */
    int64_t untimed_ms; /* latest start of a life that ended, but the record does not say
                           when; INT64_MIN: none */
} fate_t;

typedef struct {
    spot_instance_log_t log;
    size_t input_id;
    bool is_adding;     /* the second time, when all of this is known: */
    int64_t num_spot;   /* records of spot instances */
    spot_names_t names; /* of instances */
    size_t num_fates, max_fates;
    fate_t *fates;                                            /* [num_fates] by name */
    int64_t num_not_spot, num_late, num_assumed, num_untimed; /* for remarks */
} state_t;

/* Where a record has what. */
typedef struct {
    const char *start, *time, *code, *expected, *zone, *type;
} form_t;

static const form_t request_form = {"CreateTime", "Status.UpdateTime", "Status.Code",
    "a status such as fulfilled or instance-terminated-no-capacity", "LaunchedAvailabilityZone",
    "LaunchSpecification.InstanceType"};
static const form_t instance_form = {"LaunchTime", "StateTransitionReason", "State.Name",
    "pending, running, stopping, stopped, shutting-down or terminated",
    "Placement.AvailabilityZone", "InstanceType"};

/* What a record of an instance says. */
typedef struct {
    const form_t *form;
    spot_says_t says;
    int64_t start_ms; /* the instance was launched, or its request made */
    int64_t time_ms;  /* of what it says */
    bool has_start;   /* start_ms is that of the instance */
    bool is_untimed;  /* time_ms is not known */
    bool is_late;     /* the end was then or before */
} life_t;

/* What a status, a state or the reason of an end says. The first one that fits. */
static const struct {
    const char *pattern;
    spot_says_t says;
} rules[] = {
    {"fulfilled", SPOT_SAYS_RUNS},
    {"request-cancel*-and-instance-running", SPOT_SAYS_RUNS},
    {"marked-for-*", SPOT_SAYS_NOTICE},
    {"*instance-*-by-user", SPOT_SAYS_STOPPED},
    {"instance-*-by-schedule", SPOT_SAYS_STOPPED},
    {"instance-*-by-price", SPOT_SAYS_PREEMPTED},
    {"instance-*-no-capacity", SPOT_SAYS_PREEMPTED},
    {"instance-*-capacity-oversubscribed", SPOT_SAYS_PREEMPTED},
    {"instance-*-launch-group-constraint", SPOT_SAYS_PREEMPTED},
    {"instance-*", SPOT_SAYS_GONE},
    {"pending", SPOT_SAYS_RUNS},
    {"running", SPOT_SAYS_RUNS},
    {"stopp*", SPOT_SAYS_GONE}, /* ing, ed */
    {"shutting-down", SPOT_SAYS_GONE},
    {"terminated", SPOT_SAYS_GONE},
    {"Server.SpotInstance*", SPOT_SAYS_PREEMPTED}, /* Termination, Shutdown */
    {"Server.ScheduledStop*", SPOT_SAYS_PREEMPTED},
    {"Client.*Initiated*", SPOT_SAYS_STOPPED}, /* User, Instance; Shutdown, Hibernate */
    {"Client.InstanceTerminated*", SPOT_SAYS_STOPPED},
    {"User initiated*", SPOT_SAYS_STOPPED},
};

static bool sniff(const spot_convert_head_t *head)
{
    return (*head->line == '{' || *head->line == '[') &&
           (strstr(head->text, "\"StateTransitionReason\"") != NULL ||
               strstr(head->text, "\"SpotInstanceRequestId\"") != NULL);
}

/* SPOT_NUM_SAYS: the text is not known. */
static spot_says_t judge(const char *text)
{
    for (size_t j = 0; j < sizeof(rules) / sizeof(rules[0]); j++) {
        if (fnmatch(rules[j].pattern, text, 0) == 0) {
            return rules[j].says;
        }
    }
    return SPOT_NUM_SAYS;
}

/* Copies the time of "User initiated (2024-06-03 10:00:00 GMT)", or what stands there;
 * "" if there are no brackets. */
static const char *copy_time(const char *reason, char text[SPOT_CSV_SHOWN_BYTES])
{
    const char *start = strchr(reason, '(');
    const char *zone = start == NULL ? NULL : strstr(start, " GMT)");

    snprintf(text, SPOT_CSV_SHOWN_BYTES, "%.*s%s",
        zone == NULL ? SPOT_CSV_SHOWN_BYTES : (int) (zone - start) - 1,
        start == NULL ? "" : start + 1, zone == NULL ? "" : "Z");
    return text;
}

/* A request that is not active and has another status waits again, or is over; so its
 * instance has ended. */
static int read_life(state_t *self, const spot_json_value_t *record, life_t *life)
{
    const form_t *form = life->form;
    const bool is_request = form == &request_form;
    const char *code = spot_json_text_at(record, form->code);
    const char *cause = spot_json_text_at(record, "StateReason.Code");
    const char *start = spot_json_text_at(record, form->start);
    const char *time = spot_json_text_at(record, form->time);
    const char *state = spot_json_text_at(record, "State");
    spot_log_place_t place = spot_log_place_at(self->input_id, record, form->code);
    char text[SPOT_CSV_SHOWN_BYTES];
    int ret;

    life->says = judge(code);
    life->is_late = life->says == SPOT_NUM_SAYS;
    life->has_start = !is_request || strcmp(code, "fulfilled") == 0;
    if (*code == '\0' || (life->is_late && (!is_request || strcmp(state, "active") == 0))) {
        return spot_instance_log_expected(&self->log, &place, form->code, form->expected, code);
    }
    if (!is_request && life->says != SPOT_SAYS_RUNS) {
        life->says = judge(*cause == '\0' ? time : cause);
        time = copy_time(time, text);
        life->is_untimed = *time == '\0';
    } else if (!is_request) {
        time = start;
    }
    life->says = life->says == SPOT_NUM_SAYS ? SPOT_SAYS_GONE : life->says;
    place = spot_log_place_at(self->input_id, record, form->start);
    ret = spot_instance_log_time(&self->log, &place, form->start, start, &life->start_ms);
    if (ret != 0 || life->is_untimed) {
        return ret;
    }
    place = spot_log_place_at(self->input_id, record, form->time);
    ret = spot_instance_log_time(&self->log, &place, form->time, time, &life->time_ms);
    if (ret == 0 && life->time_ms < life->start_ms) {
        ret = spot_instance_log_expected(
            &self->log, &place, form->time, "a time that is not before the start", time);
    }
    return ret;
}

/* Keeps what a record knows of its instance. */
static void note_fate(fate_t *fate, const life_t *life)
{
    fate->has_start |= life->has_start;
    if (life->is_untimed && life->start_ms > fate->untimed_ms) {
        fate->untimed_ms = life->start_ms;
    }
    if (!life->is_untimed && life->time_ms > fate->end_ms &&
        (life->says == SPOT_SAYS_PREEMPTED || life->says == SPOT_SAYS_STOPPED ||
            life->says == SPOT_SAYS_GONE)) {
        fate->end_ms = life->time_ms;
    }
}

/* Adds what a record says, after the start of the instance. One whose latest end no
 * record knows is left out. */
static int take_life(state_t *self, const spot_json_value_t *record, const form_t *form)
{
    const spot_log_place_t place = spot_log_place_at(self->input_id, record, "InstanceId");
    const char *name = spot_json_text_at(record, "InstanceId");
    const char *kind = spot_json_text_at(record, "InstanceLifecycle");
    const bool is_request = form == &request_form;
    const bool is_spot = is_request || strcmp(kind, "spot") == 0;
    const fate_t unknown = {false, INT64_MIN, INT64_MIN};
    life_t life = {.form = form};
    fate_t *fate;
    int32_t name_id;
    int ret = read_life(self, record, &life);

    ret = ret == 0 ? spot_names_add(&self->names, name, strlen(name), &name_id) : ret;
    if (ret == 0 && (size_t) name_id == self->num_fates) {
        ret = SPOT_ARRAY_APPEND(self, fates, unknown);
    }
    fate = ret == 0 ? &self->fates[name_id] : NULL;
    if (ret != 0 || !self->is_adding) {
        self->num_spot += is_spot;
        if (ret == 0) {
            note_fate(fate, &life);
        }
        return ret;
    }
    if (self->num_spot > 0 && !is_spot) {
        self->num_not_spot++;
        return 0;
    }
    if (fate->untimed_ms > fate->end_ms) {
        self->num_untimed++;
        return 0;
    }
    spot_instance_log_label(&self->log, SPOT_LABEL_ZONE, spot_json_text_at(record, form->zone));
    spot_instance_log_label(&self->log, SPOT_LABEL_TYPE, spot_json_text_at(record, form->type));
    if (!is_request || !fate->has_start) {
        ret = spot_instance_log_add(&self->log, &place, life.start_ms, SPOT_SAYS_RUNS, name);
    }
    self->num_assumed += !fate->has_start;
    fate->has_start = true;
    self->num_late += life.is_late;
    return ret != 0 || life.is_untimed || (!is_request && life.says == SPOT_SAYS_RUNS)
               ? ret
               : spot_instance_log_add(&self->log, &place, life.time_ms, life.says, name);
}

/* A reservation, an instance or a request. */
static int take_record(void *context, const spot_json_value_t *record)
{
    state_t *self = context;
    const spot_json_value_t *list = spot_json_member(record, "Instances");
    int ret = 0;

    if (*spot_json_text_at(record, "InstanceId") != '\0' ||
        spot_json_member(record, "LaunchTime") != NULL) {
        const bool is_request = spot_json_member(record, "Status") != NULL;

        return take_life(self, record, is_request ? &request_form : &instance_form);
    }
    self->log.num_other += list == NULL && self->is_adding;
    for (const spot_json_value_t *item = list == NULL ? NULL : list->first; item != NULL;
         item = item->next) {
        ret = spot_error_first(ret, take_life(self, item, &instance_form));
    }
    return ret;
}

static int read_ec2(spot_import_t *import)
{
    state_t self = {.num_spot = 0};
    int ret = spot_instance_log_init(&self.log, import);

    spot_import_key(import, "cloud", "aws");
    for (size_t j = 0; ret == 0 && j < 2 * import->num_inputs; j++) {
        self.is_adding = j >= import->num_inputs;
        self.input_id = j % import->num_inputs;
        ret = spot_json_records(
            &import->inputs[self.input_id], lists, take_record, &self, import->diag);
    }
    ret = ret == 0 ? spot_instance_log_finish(&self.log) : ret;
    if (ret == 0) {
        spot_instance_log_remark(&self.log, SPOT_REMARK_UNCERTAIN, "assumed_start",
            self.num_assumed,
            "instance starts with its request: its latest status does not say when",
            "instances start with their requests: the latest status does not say when");
        spot_instance_log_remark(&self.log, SPOT_REMARK_UNCERTAIN, "late_end", self.num_late,
            "request waits again: its instance ended then or before",
            "requests wait again: their instances ended then or before");
        spot_instance_log_remark(&self.log, SPOT_REMARK_UNCERTAIN, "unknown_end", self.num_untimed,
            "record of an instance that ended at an unknown time: left out",
            "records of instances that ended at an unknown time: left out");
        spot_instance_log_remark(&self.log, SPOT_REMARK_READ, "not_spot", self.num_not_spot,
            "record of an instance that is not spot: left out",
            "records of instances that are not spot: left out");
        SPOT_IMPORT_REMARK(import, SPOT_REMARK_UNCERTAIN, "forgotten", 0,
            "EC2 lists instances for about an hour after their end, requests for four "
            "hours: earlier ones are missing");
    }
    spot_instance_log_free(&self.log);
    spot_names_free(&self.names);
    free(self.fates);
    return ret;
}

const spot_importer_t spot_importer_ec2 = {
    .name = "ec2",
    .doc = "what `aws ec2 describe-instances` or `describe-spot-instance-requests` prints",
    .source = "AWS command line",
    .takes = SPOT_TAKES_LOG,
    .sniff = sniff,
    .read = read_ec2,
};
