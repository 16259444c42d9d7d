/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/recovery/recovery.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"

/* ---- Equal terms ---- */

bool spot_terms_has(const spot_terms_t *self, const char *option)
{
    return spot_node_get(self->node, option) != NULL;
}

int64_t spot_terms_ms(const spot_terms_t *self, const char *option, int64_t given_ms,
    int64_t published_ms, int64_t otherwise_ms)
{
    return spot_terms_has(self, option) ? given_ms
           : self->is_published         ? published_ms
                                        : otherwise_ms;
}

double spot_terms_number(
    const spot_terms_t *self, const char *option, double given, double published, double otherwise)
{
    return spot_terms_has(self, option) ? given : self->is_published ? published : otherwise;
}

void spot_terms_lack(spot_terms_t *self, const char *format, ...)
{
    char *before = self->lacks, *need = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&need, &num_bytes);
    va_list arguments;

    self->num_lacks++;
    if (out == NULL) {
        self->bind->is_out_of_memory = true;
        return;
    }
    va_start(arguments, format);
    vfprintf(out, format, arguments);
    va_end(arguments);
    if (fclose(out) != 0) {
        free(need);
        self->bind->is_out_of_memory = true;
        return;
    }
    spot_bind_error(self->bind, self->node, "recovery", "%s needs %s", self->system, need);
    out = open_memstream(&self->lacks, &num_bytes);
    if (out != NULL) {
        fprintf(out, "%s%s%s needs %s", before == NULL ? "" : before, before == NULL ? "" : "; ",
            self->system, need);
    }
    if (out == NULL || fclose(out) != 0) {
        self->bind->is_out_of_memory = true;
    }
    free(before);
    free(need);
}

bool spot_terms_can_copy(spot_terms_t *self, const char *what, const char *instead)
{
    const bool has_state = spot_model_state_bytes(&self->job->model) > 0;
    const bool has_network = self->job->network_bytes_per_s > 0;

    if (what != NULL && !(has_state && has_network)) {
        spot_terms_lack(self, "%s: give %s%s%s, or %s", what,
            has_state ? ""
                      : "job.model, e.g. {parameters: 1.5e9, layers: 50, "
                        "bytes_per_parameter: 16}",
            has_state || has_network ? "" : ", and ",
            has_network ? "" : "fleet.network, e.g. 10 Gbit/s", instead);
    }
    return has_state && has_network;
}

int64_t spot_terms_copy_ms(const spot_job_t *job, double share)
{
    return spot_transfer_ms(share * spot_model_state_bytes(&job->model), job->network_bytes_per_s);
}

/* ---- Common options ---- */

/* Checks the checkpoints; spot_recovery_settle() reads them once the job's are known. */
static void check_checkpoint(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    spot_checkpoint_t checked = {0};

    (void) target;
    spot_bind_map(bind, spot_checkpoint_changes, field->name, node, &checked);
}

const spot_field_t spot_recovery_plain_fields[] = {
    {.name = "service_usd_per_h",
        .label = "price of services",
        .type = SPOT_FIELD_NUMBER,
        .offset = SPOT_NOWHERE,
        .max = 1e6,
        .initial = "0",
        .help = "price of what keeps the state besides the instances, such as a "
                "parameter server, USD an hour of the whole run; part of all costs but "
                "those \"on demand\""},
    {.name = "published_defaults",
        .type = SPOT_FIELD_CHOICE,
        .offset = SPOT_NOWHERE,
        .choices = spot_no_yes,
        .initial = "no",
        .help = "yes: figures that are not given are those of the system's paper, which "
                "are of another model; all outputs warn of it. no: they are those of "
                "the job, and what the job does not say is an error"},
    {.name = "system",
        .label = "recovery system",
        .type = SPOT_FIELD_SELECTOR,
        .help = "name of the recovery system"},
    {.name = NULL},
};

const spot_field_t spot_recovery_common_fields[] = {
    {.name = "checkpoint",
        .type = SPOT_FIELD_MAP,
        .offset = SPOT_NOWHERE,
        .initial = "",
        .fields = spot_checkpoint_changes,
        .bind = check_checkpoint,
        .help = "how the state is made durable under this system, in the form of "
                "job.checkpoint, which has the keys that are not given"},
    {.name = NULL, .fields = spot_recovery_plain_fields},
};

bool spot_recovery_uses_nothing(const void *options, const char *figure)
{
    (void) options;
    (void) figure;
    return false;
}

bool spot_recovery_uses_no_notice(const void *options, const char *figure)
{
    (void) options;
    return strcmp(figure, "notice") != 0;
}

/* The node with the name of the system; a scalar is short for {system: NAME}. */
static const spot_node_t *system_node(const spot_node_t *node)
{
    return node->kind == SPOT_NODE_SCALAR ? node : spot_node_get(node, "system");
}

const spot_recovery_t *spot_recovery_find(const char *name, spot_suggest_t *near)
{
    for (size_t j = 0; spot_recovery_systems[j] != NULL; j++) {
        if (strcmp(spot_recovery_systems[j]->name, name) == 0) {
            return spot_recovery_systems[j];
        }
        if (near != NULL) {
            spot_suggest_offer(near, spot_recovery_systems[j]->name);
        }
    }
    return NULL;
}

/* Reports a system or option that this build leaves out. Returns whether it did. */
static bool report_left_out(
    spot_bind_t *bind, const spot_node_t *node, const char *system, const char *option)
{
    for (const spot_left_out_t *item = spot_recovery_left_out; item->system != NULL; item++) {
        const bool is_option = option != NULL && item->option != NULL;

        if (strcmp(item->system, system) == 0 &&
            (is_option ? strcmp(item->option, option) == 0 : option == item->option)) {
            spot_bind_error(bind, node, is_option ? NULL : "recovery",
                "%s \"%s\" is in a plug-in of share/published, which this build leaves out: "
                "build with cmake -DSPOT_PUBLISHED=ON",
                is_option ? "key" : "recovery system", is_option ? option : system);
            return true;
        }
    }
    return false;
}

static bool has_left_out(spot_bind_t *bind, const spot_node_t *node, const char *system)
{
    bool is_left_out = false;

    for (size_t j = 0; node->kind == SPOT_NODE_MAP && j < node->num_children; j++) {
        is_left_out |= report_left_out(bind, node->keys[j], system, node->keys[j]->text);
    }
    return is_left_out;
}

static const spot_recovery_t *bind_system(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node)
{
    const spot_node_t *name = system_node(node);
    const spot_recovery_t *system;
    spot_suggest_t near;
    char key[64];

    if (name == NULL && node->kind == SPOT_NODE_MAP) {
        spot_bind_error(bind, node, NULL, "missing key \"%s.system\"", field->name);
        return NULL;
    }
    if (name == NULL || name->kind != SPOT_NODE_SCALAR || name->text[0] == '\0') {
        spot_bind_unexpected(bind, field, name == NULL ? node : name, "");
        return NULL;
    }
    spot_suggest_init(&near, name->text);
    system = spot_recovery_find(name->text, &near);
    if (system != NULL) {
        return has_left_out(bind, node, system->name) ? NULL : system;
    }
    if (report_left_out(bind, name, name->text, NULL)) {
        return NULL;
    }
    snprintf(key, sizeof(key), "%s%s", field->name, name == node ? "" : ".system");
    spot_bind_unknown(bind, name, key, "recovery system", &near, "");
    return NULL;
}

void spot_recovery_bind(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    spot_recovery_choice_t *choice = target;
    const spot_recovery_t *system = bind_system(bind, field, node);

    if (system == NULL) {
        return;
    }
    spot_recovery_choose(choice, system);
    choice->options = spot_calloc(1, choice->system->options_size);
    if (choice->options == NULL) {
        bind->is_out_of_memory = true;
    } else {
        spot_bind_chosen(bind, choice->system->options, field->name, node, choice->options);
    }
}

const spot_field_t *spot_recovery_table(const spot_node_t *node)
{
    const spot_node_t *name = system_node(node);
    const spot_recovery_t *system = NULL;

    if (name != NULL && name->kind == SPOT_NODE_SCALAR) {
        system = spot_recovery_find(name->text, NULL);
    }
    return system == NULL ? NULL : system->options;
}

int64_t spot_recovery_num_staying(const spot_recovery_view_t *view)
{
    const spot_fleet_t *fleet = view->fleet;
    int64_t count = spot_recovery_num_usable(view);

    for (int32_t slot = 0; view->deadlines_ms != NULL && slot < fleet->capacity; slot++) {
        count -= view->deadlines_ms[slot] != INT64_MAX && spot_fleet_is_ready(fleet, slot);
    }
    return count;
}

int64_t spot_recovery_first_deadline_ms(
    const spot_recovery_view_t *view, const spot_recovery_decision_t *decision)
{
    const int32_t num_active = decision->is_new ? decision->num_active : view->num_active;
    const spot_fleet_t *fleet = view->fleet;
    int64_t first_ms = INT64_MAX;
    int32_t num_seen = 0;

    for (int64_t place = 0;
         view->deadlines_ms != NULL && place < fleet->ready_end && num_seen < num_active; place++) {
        const int32_t slot = fleet->slots[place];

        if (slot >= 0) {
            const int64_t deadline_ms = view->deadlines_ms[slot];

            first_ms = deadline_ms < first_ms ? deadline_ms : first_ms;
            num_seen++;
        }
    }
    return first_ms;
}

int64_t spot_recovery_future_count(const spot_recovery_future_t *self, int64_t time_ms)
{
    size_t first = 0, end = self->num; /* the last one that is not later lies in first ... end */

    while (end - first > 1) {
        const size_t middle = first + (end - first) / 2;

        if (self->times_ms[middle] <= time_ms) {
            first = middle;
        } else {
            end = middle;
        }
    }
    return self->num == 0 ? 0 : self->counts[first];
}

/* When training starts under the decision (that in force if it is not new); INT64_MAX:
 * never. */
static int64_t recovery_training_ms(
    const spot_recovery_view_t *view, const spot_recovery_decision_t *decision)
{
    if (!decision->is_new) {
        return view->training_ms;
    }
    if (decision->num_pipelines == 0) {
        return INT64_MAX;
    }
    return view->now_ms == 0 ? 0
                             : view->now_ms + decision->flush_ms + decision->reconfiguration_ms +
                                   decision->reload_ms;
}

bool spot_recovery_must_stop(const spot_recovery_view_t *view, int64_t deadline_ms, int64_t rest_ms,
    spot_recovery_decision_t *decision)
{
    const int64_t start_ms = recovery_training_ms(view, decision), now_ms = view->now_ms;

    if (deadline_ms == INT64_MAX || start_ms == INT64_MAX) {
        return false;
    }
    if (start_ms > now_ms) {
        decision->wake_ms = start_ms;
        return false;
    }
    if (decision->is_new || !view->is_between_steps || rest_ms > deadline_ms - now_ms ||
        view->step_end_ms <= deadline_ms - rest_ms) {
        decision->wakes = SPOT_WAKE_STEP_END;
        return false;
    }
    decision->wakes = SPOT_WAKE_FIRST;
    return true;
}

/* The choice of an option that is a fault, behind its name; NULL: it is not set. */
static const char *fault_choice(const spot_recovery_choice_t *self, const char *option)
{
    const spot_field_t *field = spot_field_find(self->system->options, option, strlen(option));
    const void *value = (const char *) self->options + field->offset;
    const int choice =
        field->type == SPOT_FIELD_CHOICE ? *(const int *) value : *(const int64_t *) value > 0;

    return choice == 0 ? NULL : field->type != SPOT_FIELD_CHOICE ? "" : field->choices[choice];
}

bool spot_recovery_breaks_rules(
    const spot_recovery_choice_t *self, char text[SPOT_BROKEN_RULES_BYTES])
{
    const spot_recovery_fault_t *fault = self->system == NULL ? NULL : self->system->faults;
    size_t length = 0;

    text[0] = '\0';
    for (; fault != NULL && fault->option != NULL; fault++) {
        const char *choice = fault_choice(self, fault->option);
        const bool is_plain =
            choice == NULL || *choice == '\0' || strcmp(choice, spot_no_yes[1]) == 0;

        if (choice != NULL && length < SPOT_BROKEN_RULES_BYTES) {
            length += (size_t) snprintf(text + length, SPOT_BROKEN_RULES_BYTES - length,
                "%s%s%s%s (%s)", length == 0 ? "" : ", ", fault->option, is_plain ? "" : ": ",
                is_plain ? "" : choice, fault->broken);
        }
    }
    return length > 0;
}

/* Takes the keys that are given. */
static void take_checkpoint(spot_job_t *job, const spot_node_t *node)
{
    spot_diag_t quiet; /* errors were reported before */
    spot_bind_t bind = {.diag = &quiet};

    spot_diag_init(&quiet);
    spot_bind_map(&bind, spot_checkpoint_changes, "checkpoint", node, &job->checkpoint);
    spot_diag_free(&quiet);
}

/* Reads the options that are not bound. */
static void take_common(
    spot_recovery_choice_t *self, spot_bind_t *bind, const spot_node_t *node, spot_job_t *job)
{
    const spot_node_t *checkpoint = spot_node_get(node, "checkpoint");
    const spot_node_t *published = spot_node_get(node, "published_defaults");
    const spot_node_t *service = spot_node_get(node, "service_usd_per_h");

    if (checkpoint != NULL) {
        take_checkpoint(job, checkpoint);
    }
    if (service != NULL && spot_number_parse(service->text, &self->service_usd_per_h)) {
        self->service_usd_per_h = 0; /* reported before */
    }
    self->is_published = published != NULL && strcmp(published->text, spot_no_yes[1]) == 0;
    if (self->is_published && self->system->published == NULL) {
        spot_bind_error(bind, published, "recovery.published_defaults",
            "%s has no figures of a paper", self->system->name);
    } else if (self->is_published) {
        spot_diag_warn(bind->diag, published->file, published->line, published->column,
            "recovery: figures of %s as published, not of this job: %s", self->system->name,
            self->system->published);
    }
}

/* Options that break rules repeat a publication, with its figures. */
static int settle_system(spot_recovery_choice_t *self, spot_bind_t *bind, const spot_node_t *node,
    const spot_job_t *job, int64_t capacity, bool has_fault)
{
    spot_terms_t terms = {.bind = bind,
        .traits = self->system->traits,
        .node = node,
        .job = job,
        .capacity = capacity,
        .system = self->system->name,
        .has_fault = has_fault,
        .is_published = self->is_published || has_fault};
    const int ret = self->system->settle == NULL ? 0 : self->system->settle(self->options, &terms);

    self->traits = terms.traits;
    self->lacks = terms.lacks;
    self->num_lacks = terms.num_lacks;
    self->has_table = terms.has_table;
    self->table_least = terms.table_least;
    self->table_most = terms.table_most;
    self->unmeasured = terms.unmeasured != NULL                   ? terms.unmeasured
                       : job->is_step_assumed && !terms.has_table ? "job.step_time is assumed"
                                                                  : NULL;
    return ret;
}

int spot_recovery_settle(spot_recovery_choice_t *self, spot_bind_t *bind, const spot_node_t *root,
    spot_job_t *job, int64_t capacity)
{
    const spot_node_t *node = spot_node_place(root, "recovery");
    char broken[SPOT_BROKEN_RULES_BYTES];
    const bool has_fault = spot_recovery_breaks_rules(self, broken);

    if (has_fault) {
        spot_diag_warn(bind->diag, node->file, node->line, node->column,
            "recovery: as published, not comparable with other systems; options that "
            "break rules: %s",
            broken);
    }
    take_common(self, bind, node, job);
    return settle_system(self, bind, node, job, capacity, has_fault);
}

void spot_recovery_choice_free(spot_recovery_choice_t *self)
{
    if (self->options != NULL && self->system->release != NULL) {
        self->system->release(self->options);
    }
    free(self->options);
    free(self->lacks);
    memset(self, 0, sizeof(*self));
}
