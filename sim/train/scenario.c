/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/scenario.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

static const spot_field_t until_fields[] = {
    {.name = "steps",
        .type = SPOT_FIELD_INTEGER,
        .offset = offsetof(spot_scenario_t, until_steps),
        .min = 1,
        .max = (double) SPOT_MAX_STEPS,
        .help = "the run ends when that many steps are kept"},
    {.name = NULL},
};

static const spot_field_t horizon_fields[] = {
    {.name = "until",
        .type = SPOT_FIELD_MAP,
        .offset = 0,
        .fields = until_fields,
        .help = "ends the run before its horizon"},
    {.name = NULL},
};

/* "355 min", "trace-end" or {until: {steps: N}}. trace-end is 0 until the trace is read.
 */
static void
bind_horizon(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    const spot_field_t duration = {.name = field->name,
        .type = SPOT_FIELD_DURATION,
        .min = 1,
        .max = (double) SPOT_MAX_DURATION_MS};
    spot_scenario_t *self = target;
    const char *problem = "";

    if (node->kind == SPOT_NODE_SCALAR && strcmp(node->text, "trace-end") == 0) {
        self->horizon_ms = 0;
    } else if (node->kind == SPOT_NODE_MAP) {
        spot_bind_map(bind, horizon_fields, field->name, node, self);
    } else if (node->kind == SPOT_NODE_LIST ||
               spot_duration_parse(node->text, &self->horizon_ms, &problem) != 0) {
        spot_bind_unexpected(bind, field, node, problem);
    } else {
        spot_bind_field(bind, &duration, node, &self->horizon_ms);
    }
}

static const spot_field_t fleet_fields[] = {
    {.name = "capacity",
        .type = SPOT_FIELD_INTEGER,
        .offset = offsetof(spot_fleet_setting_t, capacity),
        .min = 1,
        .max = SPOT_MAX_INSTANCES,
        .initial = "64",
        .help = "most instances at a time; additions above it are clipped and counted"},
    {.name = "initial",
        .type = SPOT_FIELD_INTEGER,
        .offset = offsetof(spot_fleet_setting_t, initial),
        .min = 0,
        .max = SPOT_MAX_INSTANCES,
        .initial = "32",
        .help = "instances that are ready at time 0; a trace file brings its own"},
    {.name = "on_demand",
        .type = SPOT_FIELD_INTEGER,
        .offset = offsetof(spot_fleet_setting_t, on_demand),
        .min = 0,
        .max = SPOT_MAX_INSTANCES,
        .initial = "0",
        .help =
            "instances rented on demand from time 0 to the end, besides those that "
            "capacity allows: never preempted, the first in line for pipelines, at the "
            "price on_demand"},
    {.name = "preparation",
        .type = SPOT_FIELD_DURATION,
        .offset = offsetof(spot_fleet_setting_t, preparation_ms),
        .max = HUGE_VAL,
        .initial = "180 s",
        .help = "time from the arrival of an instance until it is ready"},
    {.name = "notice",
        .type = SPOT_FIELD_DURATION,
        .offset = offsetof(spot_fleet_setting_t, notice_ms),
        .max = (double) SPOT_MAX_DURATION_MS,
        .initial = "0 s",
        .help =
            "how long before a preemption it is announced to the recovery system, at "
            "the next tick; 0 s: not at all"},
    {.name = "price",
        .type = SPOT_FIELD_MAP,
        .offset = offsetof(spot_fleet_setting_t, price),
        .initial = "{}",
        .fields = spot_price_fields,
        .help = "what an instance costs"},
    {.name = NULL},
};

/* The defaults are the measured means of the seed study, rounded to seconds. */
const spot_field_t spot_scenario_fields[] = {
    {.name = "scenario",
        .type = SPOT_FIELD_TEXT,
        .offset = offsetof(spot_scenario_t, name),
        .help = "name of the scenario"},
    {.name = "horizon",
        .type = SPOT_FIELD_CUSTOM,
        .offset = 0,
        .initial = "trace-end",
        .bind = bind_horizon,
        .expected =
            "a duration such as \"355 min\", trace-end or {until: {steps: 1800}}",
        .help = "length of the run; trace-end needs a trace file"},
    {.name = "until",
        .type = SPOT_FIELD_MAP,
        .offset = 0,
        .initial = "",
        .fields = until_fields,
        .help = "ends the run before its horizon"},
    {.name = "tick",
        .type = SPOT_FIELD_DURATION,
        .offset = offsetof(spot_scenario_t, tick_ms),
        .min = 1,
        .max = (double) SPOT_MS_PER_D,
        .initial = "5 s",
        .help = "how often the controller looks at the cluster"},
    {.name = "fleet",
        .type = SPOT_FIELD_MAP,
        .offset = offsetof(spot_scenario_t, fleet),
        .initial = "{}",
        .fields = fleet_fields,
        .help = "the instances"},
    {.name = "job",
        .type = SPOT_FIELD_MAP,
        .offset = offsetof(spot_scenario_t, job),
        .initial = "{}",
        .fields = spot_job_fields,
        .help = "the training job"},
    {.name = "recovery",
        .type = SPOT_FIELD_CUSTOM,
        .offset = offsetof(spot_scenario_t, recovery),
        .initial = "{system: checkpoint}",
        .bind = spot_recovery_bind,
        .table = spot_recovery_table,
        .expected = "NAME or {system: NAME}",
        .help = "how the job goes on after a loss"},
    {.name = "trace",
        .type = SPOT_FIELD_CUSTOM,
        .offset = offsetof(spot_scenario_t, trace_node),
        .bind = spot_bind_keep_node, /* bound when fleet and tick are known */
        .table = spot_trace_model_table,
        .expected = "{generator: NAME, ...}, {file: PATH} or the path of a model file",
        .help = "what happens to the instances from outside"},
    {.name = NULL},
};

/* Some traces bring their own initial instances: fleet.initial does not count then. */
static void
check_fleet(
    const spot_scenario_t *self, spot_bind_t *bind, const spot_node_t *root, bool is_own)
{
    const spot_fleet_setting_t *fleet = &self->fleet;

    if (!is_own && fleet->capacity > 0 && fleet->initial > fleet->capacity) {
        const spot_node_t *map = spot_node_get(root, "fleet");
        const bool is_given = spot_node_get(map, "initial") != NULL;

        spot_bind_error(bind,
            spot_node_place(root, is_given ? "fleet.initial" : "fleet.capacity"),
            "fleet.initial", "%lld instances are more than fleet.capacity (%lld)",
            (long long) fleet->initial, (long long) fleet->capacity);
    }
}

/* Of a recovery system that rents all instances on demand, the mix has no effect. */
static void
check_on_demand(spot_scenario_t *self, spot_bind_t *bind, const spot_node_t *root)
{
    const spot_node_t *node = spot_node_get(spot_node_get(root, "fleet"), "on_demand");
    const spot_recovery_t *system = self->recovery.system;

    if (spot_scenario_num_slots(self) > SPOT_MAX_INSTANCES) {
        spot_bind_error(bind, spot_node_place(root, "fleet.on_demand"),
            "fleet.on_demand",
            "with fleet.capacity these are %lld instances, more than %d",
            (long long) spot_scenario_num_slots(self), SPOT_MAX_INSTANCES);
    }
    if (self->fleet.on_demand > 0 && system != NULL && system->num_on_demand != NULL) {
        spot_diag_warn(bind->diag, node->file, node->line, node->column,
            "fleet.on_demand has no effect with recovery system %s", system->name);
        self->fleet.on_demand = 0;
    }
}

/* Twice the same thing, once within the horizon and once beside it. */
static void
check_until(spot_bind_t *bind, const spot_node_t *root)
{
    const spot_node_t *until = spot_node_get(root, "until");

    if (until != NULL &&
        spot_node_get(spot_node_get(root, "horizon"), "until") != NULL) {
        spot_bind_error(bind, until, "until", "horizon has it already");
    }
}

/* Keys that have no effect are told, not passed over. */
static void
warn_of_ignored_keys(
    const spot_scenario_t *self, spot_bind_t *bind, const spot_node_t *root)
{
    static const char *const keys[] = {"snapshot", "busy"};
    const spot_node_t *checkpoint =
        spot_node_get(spot_node_get(root, "job"), "checkpoint");

    for (size_t j = 0; j < sizeof(keys) / sizeof(keys[0]); j++) {
        const spot_node_t *node = spot_node_get(checkpoint, keys[j]);

        if (node != NULL && self->job.checkpoint.mode == SPOT_CHECKPOINT_SYNC) {
            spot_diag_warn(bind->diag, node->file, node->line, node->column,
                "job.checkpoint.%s has no effect with mode sync", keys[j]);
        }
    }
}

/* Binds the trace with what the scenario settles. Where the scenario itself is faulty,
 * its values are replaced so that the trace's own errors are found in the same pass. */
static int
bind_trace(spot_scenario_t *self, spot_bind_t *bind, const spot_scenario_t *like)
{
    const spot_trace_setting_t setting = {
        .tick_ms = self->tick_ms > 0 ? self->tick_ms : SPOT_MS_PER_S,
        .capacity = self->fleet.capacity > 0 ? self->fleet.capacity : 1,
        .initial = self->fleet.initial,
        .horizon_ms = self->horizon_ms,
    };
    int ret;

    strcpy(bind->path, "trace.");
    ret = spot_trace_model_init(&self->trace, bind, self->trace_node, &setting,
        like == NULL ? NULL : &like->trace);
    bind->path[0] = '\0';
    return ret;
}

static void
settle_horizon(spot_scenario_t *self, spot_bind_t *bind, const spot_node_t *root)
{
    const int64_t end_ms = spot_trace_model_end_ms(&self->trace);
    const char *trace = self->trace.recording == NULL ? "trace" : "trace.file";

    if (spot_trace_model_has_initial(&self->trace) &&
        spot_trace_model_initial(&self->trace) > self->fleet.capacity) {
        spot_bind_error(bind, spot_node_place(root, trace), trace,
            "the trace starts with %lld instances, more than fleet.capacity (%lld)",
            (long long) spot_trace_model_initial(&self->trace),
            (long long) self->fleet.capacity);
    }
    if (self->horizon_ms == 0 && end_ms > 0) {
        self->horizon_ms = end_ms;
    } else if (self->horizon_ms == 0 && self->until_steps > 0) {
        self->horizon_ms =
            SPOT_MAX_DURATION_MS; /* the steps end the run, or nothing does */
    } else if (self->horizon_ms == 0) {
        spot_bind_error(bind, spot_node_place(root, "horizon"), "horizon",
            "a generated trace has no end: expected a duration such as \"355 min\"");
    } else if (end_ms > 0 && end_ms < self->horizon_ms) {
        const spot_node_t *place = spot_node_place(root, "horizon");
        char end[SPOT_DURATION_TEXT_BYTES];

        spot_duration_text(end_ms, end);
        spot_diag_warn(bind->diag, place->file, place->line, place->column,
            "the horizon is beyond the end of the trace (%s): its last instances stay",
            end);
    }
}

static void
warn_of_ignored_price(
    const spot_scenario_t *self, spot_bind_t *bind, const spot_node_t *root)
{
    const spot_node_t *price =
        spot_node_get(spot_node_get(spot_node_get(root, "fleet"), "price"), "spot");

    if (price != NULL && spot_trace_model_has_price(&self->trace)) {
        spot_diag_warn(bind->diag, price->file, price->line, price->column,
            "fleet.price.spot is ignored: the price of the trace wins");
    }
}

/* Instances rented on demand take the place of the trace and its price: nothing happens
 * to them. */
static int
rent_on_demand(spot_scenario_t *self, spot_diag_t *diag)
{
    static const char still[] = "generator: seed\n"
                                "preemption: {per_minute: 0, count: {fixed: 1}}\n"
                                "addition: {per_minute: 0, count: {fixed: 1}}\n";
    const spot_recovery_choice_t *recovery = &self->recovery;
    spot_bind_t bind = {.diag = diag};
    spot_price_t *price = &self->fleet.price;
    spot_yaml_t document;
    int ret = spot_yaml_parse(&document, "on-demand", still, sizeof(still) - 1, diag);

    spot_trace_model_free(&self->trace);
    spot_price_steps_free(&price->spot);
    self->fleet.capacity =
        recovery->system->num_on_demand(recovery->options, self->fleet.capacity);
    self->fleet.initial = self->fleet.capacity;
    self->trace_node = document.root;
    ret = ret != 0 ? ret : bind_trace(self, &bind, NULL);
    spot_yaml_free(&document);
    return ret != 0 ? ret
                    : spot_price_steps_add(&price->spot, 0, price->on_demand_usd_per_h);
}

int
spot_scenario_init(spot_scenario_t *self, const spot_node_t *root,
    const spot_scenario_t *like, spot_diag_t *diag)
{
    const size_t num_errors = diag->num_errors;
    spot_bind_t bind = {.diag = diag};
    bool is_path;
    int ret;

    memset(self, 0, sizeof(*self));
    if (spot_node_get(root, "study") != NULL) {
        spot_diag_error(diag, root->file, 0, 0, "this is a study, not a scenario");
        return SPOT_ERR_BAD_INPUT;
    }
    ret = spot_bind_document(spot_scenario_fields, root, diag, self);
    if (ret == SPOT_ERR_NO_MEMORY || root->kind != SPOT_NODE_MAP) {
        return ret;
    }
    is_path = self->trace_node != NULL && self->trace_node->kind == SPOT_NODE_SCALAR;
    if (!is_path) {
        check_fleet(self, &bind, root, spot_trace_node_has_initial(self->trace_node));
    }
    check_until(&bind, root);
    check_on_demand(self, &bind, root);
    if (ret == 0) {
        spot_job_settle(&self->job, &bind, spot_node_place(root, "job.step_time"),
            spot_scenario_num_slots(self));
    }
    if (ret == 0 && diag->num_errors == num_errors) {
        ret = spot_recovery_settle(
            &self->recovery, &bind, root, &self->job, spot_scenario_num_slots(self));
    }
    warn_of_ignored_keys(self, &bind, root);
    if (ret != SPOT_ERR_NO_MEMORY && self->trace_node != NULL) {
        ret = bind_trace(self, &bind, like);
    }
    if (is_path) { /* only now is it known what the file has */
        check_fleet(self, &bind, root, spot_trace_model_has_initial(&self->trace));
    }
    if (ret == 0 && diag->num_errors == num_errors) {
        settle_horizon(self, &bind, root);
        warn_of_ignored_price(self, &bind, root);
        if (self->recovery.system->num_on_demand != NULL) {
            ret = rent_on_demand(self, diag);
        }
    }
    self->trace_node = NULL;
    if (ret == 0 && bind.is_out_of_memory) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    if (ret == 0 && diag->num_errors > num_errors) {
        ret = SPOT_ERR_BAD_INPUT;
    }
    return ret;
}

/* "trace: {file: PATH}" with PATH as the command line has it, not as YAML. */
static int
replace_trace(spot_yaml_t *document, const char *trace_path, spot_diag_t *diag)
{
    int ret = spot_yaml_assign(document, "--trace", "trace={}", diag);
    const spot_node_t *trace;
    spot_node_t *path;

    if (ret != 0) {
        return ret;
    }
    trace = spot_node_get(document->root, "trace");
    path = spot_yaml_new_scalar(document, trace_path, trace);
    return path == NULL ? SPOT_ERR_NO_MEMORY
                        : spot_yaml_set(document, "trace.file", path);
}

int
spot_scenario_change(
    spot_yaml_t *document, const spot_scenario_changes_t *changes, spot_diag_t *diag)
{
    int ret = 0;

    if (document->root->kind != SPOT_NODE_MAP) {
        return 0; /* binding it says what is wrong */
    }
    if (changes->trace_path != NULL) {
        ret = replace_trace(document, changes->trace_path, diag);
    }
    for (size_t j = 0; ret != SPOT_ERR_NO_MEMORY && j < changes->num_sets; j++) {
        const int error = spot_yaml_assign(document, "--set", changes->sets[j], diag);

        ret = error != 0 ? error : ret;
    }
    return ret;
}

int
spot_scenario_read(spot_scenario_t *self, const char *path,
    const spot_scenario_changes_t *changes, spot_diag_t *diag)
{
    spot_yaml_t document;
    int error = spot_yaml_read(&document, path, diag);
    int ret = 0;

    memset(self, 0, sizeof(*self));
    if (document.root != NULL && changes != NULL) {
        ret = spot_scenario_change(&document, changes, diag);
        error = error != 0 ? error : ret;
    }
    if (document.root != NULL) {
        ret = spot_scenario_init(self, document.root, NULL, diag);
        error = error != 0 ? error : ret;
    }
    spot_yaml_free(&document);
    return error;
}

void
spot_scenario_free(spot_scenario_t *self)
{
    spot_trace_model_free(&self->trace);
    spot_recovery_choice_free(&self->recovery);
    spot_job_free(&self->job);
    spot_price_free(&self->fleet.price);
    free(self->name);
    memset(self, 0, sizeof(*self));
}
