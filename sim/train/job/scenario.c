/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/job/scenario.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "sim/bench/engine/experiment.h"
#include "sim/train/job/feed.h"
#include "traces/generate/model.h"

/* ---- The same work on demand ---- */

static int add_rental(spot_rentals_t *self, const spot_job_t *job, int64_t num_pipelines,
    int64_t num_instances, int64_t step_ms)
{
    spot_rental_t *rental;
    const int ret = SPOT_ARRAY_ROOM(self, rentals, self->num_rentals + 1);

    if (ret != 0) {
        return ret;
    }
    rental = &self->rentals[self->num_rentals++];
    rental->num_instances = num_instances;
    rental->fill_ms = 0;
    spot_cycle_init(&rental->cycle, &job->checkpoint, step_ms);
    if (job->input.is_given) {
        spot_feed_t feed = spot_feed_init(job);

        spot_feed_change(&feed, job, num_instances, num_pipelines, num_instances);
        rental->fill_ms = spot_feed_cycle(&feed, job, &job->checkpoint, &rental->cycle);
    }
    return 0;
}

/* More instances with the same step time take as long and cost no less. Without them a
 * wide range between two measured points has one rental for each millisecond. */
static bool is_needed(const spot_rentals_t *self, int64_t step_ms)
{
    return self->num_rentals == 0 || self->rentals[self->num_rentals - 1].cycle.step_ms != step_ms;
}

/* The world sizes of whole pipelines whose step time is measured or listed, of equal
 * step times side by side the smallest, of those by (D,P) the fastest pairs, each with
 * the checkpoints of the job. NO_MEMORY; free self even then. */
static int rentals_init(spot_rentals_t *self, const spot_job_t *job)
{
    const spot_step_grid_t *grid = &job->step_time.grid;
    const bool is_by_pair = spot_step_time_is_by_pair(&job->step_time);
    const int64_t largest =
        is_by_pair ? 0 : spot_step_time_largest(&job->step_time) / job->pipeline_depth;
    const int64_t most = largest < job->max_pipelines ? largest : job->max_pipelines;
    int ret = 0;

    *self = (spot_rentals_t){.num_rentals = 0};
    for (size_t j = 0; ret == 0 && is_by_pair && j < grid->num_best; j++) {
        ret = add_rental(self, job, grid->best[j]->num_pipelines,
            (int64_t) grid->best[j]->num_pipelines * grid->best[j]->depth,
            spot_step_pair_ms(grid->best[j]));
    }
    for (int64_t j = 1; ret == 0 && !is_by_pair && j <= most; j++) {
        const int64_t step_ms = spot_job_covers_step(job, j) ? spot_job_step_ms(job, j) : 0;

        if (step_ms > 0 && (job->input.is_given || is_needed(self, step_ms))) {
            ret = add_rental(self, job, j, j * job->pipeline_depth, step_ms);
        }
    }
    return ret;
}

static void rentals_free(spot_rentals_t *self)
{
    free(self->rentals);
    *self = (spot_rentals_t){.num_rentals = 0};
}

static spot_same_work_t rent(const spot_rental_t *rental, const spot_work_done_t *work)
{
    const double whole = floor(work->steps);
    const double rest_ms = (work->steps - whole) * (double) rental->cycle.step_ms;
    const double end_ms =
        whole == 0 ? 0 : (double) spot_cycle_step_end_ms(&rental->cycle, (int64_t) whole);
    const double time_ms = (double) (work->preparation_ms + rental->fill_ms) + end_ms + rest_ms;
    const double usd_per_h =
        (double) rental->num_instances * work->instance_usd_per_h + work->service_usd_per_h;

    return (spot_same_work_t){.num_instances = rental->num_instances,
        .time_s = time_ms / (double) SPOT_MS_PER_S,
        .cost_usd = usd_per_h * time_ms / (double) SPOT_MS_PER_H};
}

spot_same_work_t spot_same_work_find(const spot_rentals_t *self, const spot_work_done_t *work)
{
    const double within_s = (double) work->within_ms / (double) SPOT_MS_PER_S;
    spot_same_work_t found = {.num_instances = 0};

    for (size_t j = 0; j < self->num_rentals; j++) {
        const spot_same_work_t same = rent(&self->rentals[j], work);
        const bool is_in_time = same.time_s <= within_s;
        const bool was_in_time = found.time_s <= within_s;
        const bool is_better =
            is_in_time && was_in_time ? same.cost_usd < found.cost_usd : same.time_s < found.time_s;

        if (found.num_instances == 0 || is_better) {
            found = same;
        }
    }
    if (work->steps == 0) {
        found.time_s = found.cost_usd = 0;
    }
    return found;
}

/* ---- What instances cost ---- */

const spot_price_steps_t *spot_scenario_common_price(const spot_scenario_t *self)
{
    const spot_price_steps_t *own = &spot_trace_model_common(&self->trace)->price;

    return own->num_steps > 0 ? own : &self->fleet.price.spot;
}

double spot_scenario_cost_of_trace(const spot_scenario_t *self, const spot_trace_t *trace)
{
    const spot_price_t *price = &self->fleet.price;
    spot_sum_t usd = {0};
    spot_meter_t meter;

    spot_meter_start(&meter, spot_scenario_common_price(self));
    spot_meter_change(&meter, 0, trace->initial);
    for (size_t j = 0; j < trace->num_events; j++) {
        const spot_event_t *event = &trace->events[j];

        spot_meter_change(
            &meter, event->time_ms, event->kind == SPOT_EVENT_ADD ? event->count : -event->count);
    }
    spot_meter_change(&meter, trace->end_ms, 0);
    spot_sum_add(&usd, spot_meter_usd(&meter));
    spot_sum_add(
        &usd, spot_price_usd(price->on_demand_usd_per_h, self->fleet.on_demand * trace->end_ms));
    spot_sum_add(&usd, spot_price_usd(self->recovery.service_usd_per_h, trace->end_ms));
    return spot_sum_total(&usd);
}

/* ---- Traces of a scenario ---- */

int spot_trace_source_read(spot_trace_source_t *self, const char *path, size_t num_sets,
    const char *const *sets, spot_diag_t *diag)
{
    const spot_scenario_changes_t changes = {.num_sets = num_sets, .sets = sets};
    const spot_node_t *root;
    int error, ret;

    memset(self, 0, sizeof(*self));
    error = spot_yaml_read(&self->document, path, diag);
    root = self->document.root;
    if (root == NULL) {
        return error;
    }
    ret = spot_scenario_change(&self->document, &changes, diag);
    error = error != 0 ? error : ret;
    self->is_scenario = spot_node_get(root, "scenario") != NULL;
    if (self->is_scenario) {
        ret = spot_scenario_init(&self->scenario, root, NULL, diag);
        self->model = &self->scenario.trace;
        self->name = self->scenario.name;
    } else {
        ret = spot_trace_model_read(&self->alone, root, diag);
        self->model = &self->alone;
        self->name = ret == 0 ? spot_trace_model_common(&self->alone)->name : NULL;
    }
    if (ret == 0 && self->model->recording != NULL) {
        spot_diag_error(
            diag, path, 0, 0, "a recorded trace is no generator: expected \"generator: NAME\"");
        ret = SPOT_ERR_BAD_INPUT;
    }
    return error != 0 ? error : ret;
}

void spot_trace_source_free(spot_trace_source_t *self)
{
    spot_scenario_free(&self->scenario);
    spot_trace_model_free(&self->alone);
    spot_yaml_free(&self->document);
}

/* ---- Keys ---- */

static const spot_field_t until_fields[] = {
    {SPOT_RANGE(INTEGER, "steps", spot_scenario_t, until_steps, 1, (double) SPOT_MAX_STEPS, NULL,
        "steps to keep", "the run ends when that many steps are kept")},
    {.name = NULL},
};

static const spot_field_t so_far_fields[] = {
    {SPOT_VALUE(PATH, "trace", spot_so_far_t, path, "",
        "its trace from its start up to now, which each run plays first; the trace of "
        "the scenario goes on with the instances that are left. horizon, deadline and "
        "until.steps count from now on, all figures from the start")},
    {SPOT_RANGE(DURATION, "elapsed", spot_so_far_t, elapsed_ms, 0, (double) SPOT_MAX_DURATION_MS,
        "", "time so far",
        "instead of trace, of a job that is stopped and started anew now: the time "
        "since its start, from which on prices go on")},
    {SPOT_RANGE(NUMBER, "paid_usd", spot_so_far_t, paid_usd, 0, 1e15, "", "paid so far",
        "with elapsed: what it has cost, which is added to cost_usd")},
    {.name = NULL},
};

#define HORIZON_EXPECTED "a duration such as \"355 min\", trace-end or {until: {steps: 1800}}"

static const char *const trace_end_names[] = {"trace-end", NULL};

/* horizon_ms of trace-end is 0 until the trace is read. */
static const spot_field_t horizon_forms[] = {
    {.name = "", .type = SPOT_FIELD_CHOICE, .offset = SPOT_NOWHERE, .choices = trace_end_names},
    {.name = "until", .type = SPOT_FIELD_MAP, .fields = until_fields},
    {.name = "",
        .type = SPOT_FIELD_DURATION,
        .offset = offsetof(spot_scenario_t, horizon_ms),
        .min = 1,
        .max = (double) SPOT_MAX_DURATION_MS,
        .expected = HORIZON_EXPECTED},
    {.name = NULL},
};

/* The forms of the value of trace. */
static const spot_field_t trace_forms[] = {
    {.name = "", .type = SPOT_FIELD_PATH, .file_table = spot_trace_model_table},
    {.name = "", .type = SPOT_FIELD_CUSTOM, .table = spot_trace_model_table},
    {.name = NULL},
};

static const spot_field_t fleet_fields[] = {
    {SPOT_RANGE(INTEGER, "capacity", spot_fleet_setting_t, capacity, 1, SPOT_MAX_INSTANCES, "64",
         "fleet capacity", "most instances at a time; additions above it are clipped and counted"),
        SPOT_DECIDES},
    {SPOT_RANGE(INTEGER, "initial", spot_fleet_setting_t, initial, 0, SPOT_MAX_INSTANCES, "",
        "initial instances",
        "instances that are ready at time 0, fleet.capacity if not given; a trace file "
        "brings its own")},
    {SPOT_RANGE(INTEGER, "preparing", spot_fleet_setting_t, preparing, 0, SPOT_MAX_INSTANCES, "",
        "initial instances that prepare",
        "of the initial instances, so many are not ready at time 0 but one after "
        "another "
        "within the preparation time, as in the middle of a run")},
    {SPOT_RANGE(INTEGER, "on_demand", spot_fleet_setting_t, on_demand, 0, SPOT_MAX_INSTANCES, "0",
        "on-demand instances",
        "instances rented on demand from time 0 to the end, besides those that capacity "
        "allows: never preempted, the first in line for pipelines, at the price "
        "on_demand")},
    {SPOT_RANGE(DURATION, "preparation", spot_fleet_setting_t, preparation_ms, 0, HUGE_VAL, "180 s",
         "preparation time", "time from the arrival of an instance until it is ready"),
        SPOT_DECIDES},
    {SPOT_RANGE(DURATION, "notice", spot_fleet_setting_t, notice_ms, 0,
         (double) SPOT_MAX_DURATION_MS, "0 s", "notice before a preemption",
         "how long before a preemption it is announced to the recovery system, at the "
         "next tick; 0 s: not at all"),
        SPOT_DECIDES},
    {SPOT_RANGE(RATE, "network", spot_fleet_setting_t, network_bytes_per_s, 1, 1e18, "",
        "network bandwidth of an instance",
        "what each instance can send and receive, e.g. 100 Gbit/s: the time of copies "
        "between instances, see job.model")},
    {SPOT_RANGE(RATE, "storage", spot_fleet_setting_t, storage_bytes_per_s, 1, 1e18, "",
        "storage bandwidth",
        "what the storage of checkpoints can take and give, e.g. 10 GB/s, of the whole "
        "fleet together: the time to write and to read back the state, see job.model")},
    {SPOT_FIELDS(MAP, "price", spot_fleet_setting_t, price, spot_price_fields, "{}",
        "what an instance costs")},
    {.name = NULL},
};

/* The defaults are the measured means of the seed study, rounded to seconds. */
const spot_field_t spot_scenario_fields[] = {
    {SPOT_VALUE(TEXT, "scenario", spot_scenario_t, name, NULL, "name of the scenario")},
    SPOT_ENGINE_FIELD,
    {.name = "horizon",
        .label = "horizon",
        .type = SPOT_FIELD_ONE_OF,
        .offset = 0,
        .initial = "trace-end",
        .fields = horizon_forms,
        .expected = HORIZON_EXPECTED,
        .help = "length of the run; trace-end needs a trace file"},
    {.name = "until",
        .type = SPOT_FIELD_MAP,
        .offset = 0,
        .initial = "",
        .fields = until_fields,
        .help = "ends the run before its horizon"},
    {SPOT_RANGE(DURATION, "deadline", spot_scenario_t, deadline_ms, 1,
        (double) SPOT_MAX_DURATION_MS, "", "deadline",
        "when the steps of until.steps are to be kept, see met_deadline; at most the "
        "horizon")},
    {SPOT_FIELDS(MAP, "so_far", spot_scenario_t, so_far, so_far_fields, "",
        "what a job that is under way has had so far")},
    {SPOT_RANGE(DURATION, "tick", spot_scenario_t, tick_ms, 1, (double) SPOT_MS_PER_D, "5 s",
         "tick", "how often the controller looks at the cluster"),
        SPOT_DECIDES},
    {SPOT_FIELDS(MAP, "fleet", spot_scenario_t, fleet, fleet_fields, "{}", "the instances")},
    {SPOT_FIELDS(MAP, "job", spot_scenario_t, job, spot_job_fields, "{}", "the training job")},
    {SPOT_VALUE(CUSTOM, "recovery", spot_scenario_t, recovery, "checkpoint", "recovery system",
         "how the job goes on after a loss"),
        .bind = spot_recovery_bind, .table = spot_recovery_table,
        .expected = "NAME or {system: NAME}", SPOT_DECIDES},
    {.name = "trace",
        .label = "trace",
        .type = SPOT_FIELD_ONE_OF,
        .offset = offsetof(spot_scenario_t, trace_node),
        .fields = trace_forms,
        .bind = spot_bind_keep_node, /* bound when fleet and tick are known */
        .expected = "{generator: NAME, ...}, {file: PATH}, {model: PATH} or the path of "
                    "a model file",
        .help = "what happens to the instances from outside"},
    {.name = NULL},
};

/* Checks fleet.initial, which does not count if the trace has its own initial
 * instances. */
static void check_fleet(
    const spot_scenario_t *self, spot_bind_t *bind, const spot_node_t *root, bool is_own)
{
    const spot_fleet_setting_t *fleet = &self->fleet;

    if (!is_own && fleet->capacity > 0 && fleet->initial > fleet->capacity) {
        const spot_node_t *map = spot_node_get(root, "fleet");
        const bool is_given = spot_node_get(map, "initial") != NULL;

        spot_bind_error(bind, spot_node_place(root, is_given ? "fleet.initial" : "fleet.capacity"),
            "fleet.initial", "%lld instances are more than fleet.capacity (%lld)",
            (long long) fleet->initial, (long long) fleet->capacity);
    }
}

/* Checks fleet.on_demand, which has no effect with a recovery system that rents all
 * instances on demand. */
static void check_on_demand(spot_scenario_t *self, spot_bind_t *bind, const spot_node_t *root)
{
    const spot_node_t *node = spot_node_get(spot_node_get(root, "fleet"), "on_demand");
    const spot_recovery_t *system = self->recovery.system;

    if (spot_scenario_num_slots(self) > SPOT_MAX_INSTANCES) {
        spot_bind_error(bind, spot_node_place(root, "fleet.on_demand"), "fleet.on_demand",
            "with fleet.capacity these are %lld instances, more than %d",
            (long long) spot_scenario_num_slots(self), SPOT_MAX_INSTANCES);
    }
    if (self->fleet.on_demand > 0 && system != NULL && system->num_on_demand != NULL) {
        spot_diag_warn(bind->diag, node->file, node->line, node->column,
            "fleet.on_demand has no effect with recovery system %s", system->name);
        self->fleet.on_demand = 0;
    }
}

/* Reports until beside a horizon that has it too. */
static void check_until(spot_bind_t *bind, const spot_node_t *root)
{
    const spot_node_t *until = spot_node_get(root, "until");

    if (until != NULL && spot_node_get(spot_node_get(root, "horizon"), "until") != NULL) {
        spot_bind_error(bind, until, "until", "horizon has it already");
    }
}

/* Reports a deadline that says nothing: without steps to keep, or after the end of all
 * runs. */
static void check_deadline(const spot_scenario_t *self, spot_bind_t *bind, const spot_node_t *root)
{
    const spot_node_t *place = spot_node_get(root, "deadline");
    char horizon[SPOT_DURATION_TEXT_BYTES];

    if (place == NULL || self->deadline_ms == 0) {
        return;
    }
    if (self->until_steps == 0) {
        spot_bind_error(bind, place, "deadline",
            "needs until: {steps: N}, the work that is to be done by then");
    } else if (self->deadline_ms > self->horizon_ms) {
        spot_duration_text(self->horizon_ms, horizon);
        spot_bind_error(
            bind, place, "deadline", "is after the horizon (%s), at which every run ends", horizon);
    }
}

/* Warns of keys without effect. */
static void warn_of_ignored_keys(
    const spot_scenario_t *self, spot_bind_t *bind, const spot_node_t *root)
{
    static const char *const keys[] = {"snapshot", "busy"};
    const spot_node_t *checkpoint = spot_node_get(spot_node_get(root, "job"), "checkpoint");

    for (size_t j = 0; j < sizeof(keys) / sizeof(keys[0]); j++) {
        const spot_node_t *node = spot_node_get(checkpoint, keys[j]);

        if (node != NULL && self->job.checkpoint.mode == SPOT_CHECKPOINT_SYNC) {
            spot_diag_warn(bind->diag, node->file, node->line, node->column,
                "job.checkpoint.%s has no effect with mode sync", keys[j]);
        }
    }
}

/* Opens what a run plays first. Horizon and deadline count from its end. */
static int open_so_far(spot_scenario_t *self, spot_bind_t *bind, const spot_node_t *root,
    const spot_scenario_t *like, spot_recorded_trace_t *so_far)
{
    spot_so_far_t *past = &self->so_far;
    const spot_trace_t *trace;
    int ret;

    if (past->path == NULL) {
        return 0;
    }
    if (past->elapsed_ms > 0 || past->paid_usd > 0) {
        spot_bind_error(bind, spot_node_place(root, "so_far"), "so_far",
            "expected either trace, which says the time and the cost, or elapsed and "
            "paid_usd");
    }
    ret = spot_recorded_trace_open(so_far,
        like == NULL ? NULL : spot_trace_model_so_far(&like->trace), past->path, bind->diag);
    if (ret != 0) {
        return ret;
    }
    trace = so_far->trace;
    if (spot_trace_peak(trace) > self->fleet.capacity) {
        spot_bind_error(bind, spot_node_place(root, "so_far"), "so_far.trace",
            "the job had up to %d instances, more than fleet.capacity (%lld)",
            (int) spot_trace_peak(trace), (long long) self->fleet.capacity);
    }
    past->elapsed_ms = trace->end_ms;
    self->count_from_ms = trace->end_ms;
    self->horizon_ms += self->horizon_ms > 0 ? trace->end_ms : 0;
    self->deadline_ms += self->deadline_ms > 0 ? trace->end_ms : 0;
    self->fleet.preparing = 0;
    return 0;
}

/* Lets the trace go on from what was so far. */
static int go_on(spot_scenario_t *self, spot_bind_t *bind, const spot_node_t *root,
    spot_recorded_trace_t *so_far)
{
    const spot_recovery_t *system = self->recovery.system;
    const char *why =
        spot_trace_model_zones(&self->trace)->num_zones > 0
            ? "a trace with zones cannot go on: nobody knows the zones of the instances "
              "so far"
        : system != NULL && system->num_on_demand != NULL
            ? "its recovery system rents all instances on demand: expected elapsed and "
              "paid_usd"
            : NULL;

    if (why != NULL) {
        spot_bind_error(bind, spot_node_place(root, "so_far"), "so_far.trace", "%s", why);
        return SPOT_ERR_BAD_INPUT;
    }
    return spot_trace_model_go_on(&self->trace, so_far);
}

/* Binds the trace with the values of the scenario. Faulty values of the scenario are
 * replaced, so that errors of the trace are found in the same pass. */
static int bind_trace(
    spot_scenario_t *self, spot_bind_t *bind, const spot_node_t *root, const spot_scenario_t *like)
{
    spot_recorded_trace_t so_far = {0};
    spot_trace_setting_t setting = {
        .tick_ms = self->tick_ms > 0 ? self->tick_ms : SPOT_MS_PER_S,
        .capacity = self->fleet.capacity > 0 ? self->fleet.capacity : 1,
        .initial = self->fleet.initial,
        .horizon_ms = self->horizon_ms,
    };
    int ret = open_so_far(self, bind, root, like, &so_far);

    if (so_far.trace != NULL) {
        setting.initial = so_far.trace->final;
    }
    strcpy(bind->path, "trace.");
    if (ret == 0) {
        ret = spot_trace_model_init(&self->trace, bind, self->trace_node, &setting,
            like == NULL ? NULL : spot_trace_model_rest(&like->trace));
    }
    bind->path[0] = '\0';
    if (ret == 0 && so_far.trace != NULL) {
        ret = go_on(self, bind, root, &so_far);
    }
    spot_recorded_trace_close(&so_far);
    return ret;
}

static void settle_horizon(spot_scenario_t *self, spot_bind_t *bind, const spot_node_t *root)
{
    const int64_t end_ms = spot_trace_model_end_ms(&self->trace);
    const char *trace = self->trace.recording == NULL ? "trace" : "trace.file";

    if (spot_trace_model_has_initial(&self->trace) &&
        spot_trace_model_initial(&self->trace) > self->fleet.capacity) {
        spot_bind_error(bind, spot_node_place(root, trace), trace,
            "the trace starts with %lld instances, more than fleet.capacity (%lld)",
            (long long) spot_trace_model_initial(&self->trace), (long long) self->fleet.capacity);
    }
    if (self->horizon_ms == 0 && end_ms > 0) {
        self->horizon_ms = end_ms;
    } else if (self->horizon_ms == 0 && self->until_steps > 0) {
        self->horizon_ms = SPOT_MAX_DURATION_MS; /* only the steps end the run */
    } else if (self->horizon_ms == 0) {
        spot_bind_error(bind, spot_node_place(root, "horizon"), "horizon",
            "a generated trace has no end: expected a duration such as \"355 min\"");
    } else if (end_ms > 0 && end_ms < self->horizon_ms) {
        const spot_node_t *place = spot_node_place(root, "horizon");
        char end[SPOT_DURATION_TEXT_BYTES];

        spot_duration_text(end_ms, end);
        spot_diag_warn(bind->diag, place->file, place->line, place->column,
            "the horizon is beyond the end of the trace (%s): its last instances stay", end);
    }
}

/* Settles the currency of all prices: as its key says, else as the spot prices do. What
 * is assumed of other prices is a warning. NO_MEMORY. */
static int settle_currency(spot_scenario_t *self, spot_bind_t *bind, const spot_node_t *root)
{
    static const char *const keys[] = {"fleet.price.spot", "fleet.price.on_demand"};
    spot_price_t *price = &self->fleet.price;
    const spot_node_t *map = spot_node_get(spot_node_get(root, "fleet"), "price");
    const spot_node_t *place = spot_node_place(root, "fleet.price");
    const char *found = price->spot.currency[0] != '\0'
                            ? price->spot.currency
                            : spot_trace_model_currency(&self->trace, "");
    bool is_assumed = price->currency == NULL;

    if (price->currency == NULL && found != NULL) {
        price->currency = spot_text_copy(found, strlen(found));
        if (price->currency == NULL) {
            return SPOT_ERR_NO_MEMORY;
        }
    }
    found = spot_price_currency(price);
    for (size_t j = 0; j < sizeof(keys) / sizeof(keys[0]); j++) {
        const spot_node_t *node = spot_node_get(map, strrchr(keys[j], '.') + 1);
        const bool is_usd = node != NULL && node->kind == SPOT_NODE_SCALAR &&
                            strstr(node->text, SPOT_USUAL_CURRENCY) != NULL;

        spot_currency_check(bind, root, keys[j], is_usd ? SPOT_USUAL_CURRENCY : NULL, found);
        is_assumed = is_assumed || node == NULL;
    }
    if (is_assumed && strcmp(found, SPOT_USUAL_CURRENCY) != 0) {
        spot_diag_warn(bind->diag, place->file, place->line, place->column,
            "fleet.price.on_demand and all other prices are taken to be in %s, as the "
            "spot prices are; what is not given keeps the number of its default, which "
            "is in USD",
            found);
    }
    spot_currency_check(bind, root, keys[0], price->spot.currency, found);
    spot_currency_check(bind, root, "trace", spot_trace_model_currency(&self->trace, found), found);
    return 0;
}

static void warn_of_ignored_price(
    const spot_scenario_t *self, spot_bind_t *bind, const spot_node_t *root)
{
    const spot_node_t *price =
        spot_node_get(spot_node_get(spot_node_get(root, "fleet"), "price"), "spot");

    if (price != NULL && spot_trace_model_has_price(&self->trace)) {
        spot_diag_warn(bind->diag, price->file, price->line, price->column,
            "fleet.price.spot is ignored: the price of the trace wins");
    }
}

/* Prices are paid on the clock of the trace, or of what the job has had so far, if a
 * trace says it. */
static void check_price_start(
    const spot_scenario_t *self, spot_bind_t *bind, const spot_node_t *root)
{
    static const char key[] = "fleet.price.spot";
    const spot_price_steps_t *price = &self->fleet.price.spot;
    const spot_recorded_trace_t *so_far = spot_trace_model_so_far(&self->trace);

    if (spot_trace_model_has_price(&self->trace)) {
        return;
    }
    if (so_far != NULL && so_far->trace != NULL) {
        (void) spot_price_check_start(bind->diag, root, key, price, "the trace of so_far",
            spot_trace_key(so_far->trace, "start"), 0);
    } else if (self->so_far.elapsed_ms == 0) {
        spot_recorded_trace_check_price(
            spot_trace_model_common(&self->trace), price, bind->diag, root, key);
    }
}

static void warn_of_ignored_initial(
    const spot_scenario_t *self, spot_bind_t *bind, const spot_node_t *root)
{
    const spot_node_t *initial = spot_node_get(spot_node_get(root, "fleet"), "initial");
    const int64_t own = spot_trace_model_initial(&self->trace);

    if (initial != NULL && spot_trace_model_has_initial(&self->trace) &&
        self->fleet.initial != own) {
        spot_diag_warn(bind->diag, initial->file, initial->line, initial->column,
            "fleet.initial is ignored: the trace starts with %lld instances of its own",
            (long long) own);
    }
}

/* Replaces the trace and its price by instances on demand, which are never lost. */
static int rent_on_demand(spot_scenario_t *self, spot_diag_t *diag)
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
    self->fleet.capacity = recovery->system->num_on_demand(recovery->options, self->fleet.capacity);
    self->fleet.initial = self->fleet.capacity;
    self->trace_node = document.root;
    ret = ret != 0 ? ret : bind_trace(self, &bind, document.root, NULL);
    spot_yaml_free(&document);
    return ret != 0 ? ret : spot_price_steps_add(&price->spot, 0, price->on_demand_usd_per_h);
}

/* A job that is made up answers no question. */
static void check_step_time(const spot_scenario_t *self, spot_bind_t *bind, const spot_node_t *root)
{
    if (!spot_step_time_is_given(&self->job.step_time) && !spot_node_has(root, "recovery.table")) {
        spot_bind_error(bind, spot_node_place(root, "job"), "job.step_time",
            "is missing: give the time of a step by number of active instances, e.g. job: "
            "{step_time: {16: 18 s, 32: 11 s}}, or {table: FILE.csv}; `spotsim init` writes a "
            "scenario to start from");
    }
}

/* Settles the job, whose bandwidths are those of the fleet, and then the recovery
 * system, unless there were more than num_errors. NO_MEMORY. */
static int settle_job(
    spot_scenario_t *self, spot_bind_t *bind, const spot_node_t *root, size_t num_errors)
{
    const int64_t num_slots = spot_scenario_num_slots(self);

    self->job.network_bytes_per_s = self->fleet.network_bytes_per_s;
    self->job.storage_bytes_per_s = self->fleet.storage_bytes_per_s;
    check_step_time(self, bind, root);
    spot_job_settle_terms(&self->job, bind, spot_node_get(root, "job"));
    spot_job_settle(&self->job, bind, spot_node_place(root, "job.step_time"), num_slots);
    return bind->diag->num_errors > num_errors
               ? 0
               : spot_recovery_settle(&self->recovery, bind, root, &self->job, num_slots);
}

int spot_scenario_init(
    spot_scenario_t *self, const spot_node_t *root, const spot_scenario_t *like, spot_diag_t *diag)
{
    size_t num_errors = diag->num_errors; /* later: and of what is lacking */
    spot_bind_t bind = {.diag = diag};
    bool is_path;
    int ret;

    memset(self, 0, sizeof(*self));
    if (spot_node_get(root, "study") != NULL || spot_node_get(root, "sweep") != NULL) {
        return spot_diag_error(
            diag, root->file, 0, 0, "this is a study, not a scenario: use `spotsim study`");
    }
    ret = spot_bind_document(spot_scenario_fields, root, diag, self);
    if (ret == SPOT_ERR_NO_MEMORY || root->kind != SPOT_NODE_MAP) {
        return ret;
    }
    if (!spot_node_has(root, "fleet.initial")) {
        self->fleet.initial = self->fleet.capacity;
    }
    is_path = self->trace_node != NULL && spot_trace_node_model(self->trace_node) != NULL;
    if (!is_path) {
        check_fleet(self, &bind, root,
            self->so_far.path != NULL || spot_trace_node_has_initial(self->trace_node));
    }
    check_until(&bind, root);
    check_on_demand(self, &bind, root);
    if (ret == 0) {
        ret = settle_job(self, &bind, root, num_errors);
        num_errors += self->recovery.num_lacks;
    }
    warn_of_ignored_keys(self, &bind, root);
    if (ret != SPOT_ERR_NO_MEMORY && self->trace_node != NULL) {
        ret = bind_trace(self, &bind, root, like);
    }
    if (is_path) { /* the file is read only now */
        check_fleet(self, &bind, root, spot_trace_model_has_initial(&self->trace));
    }
    if (ret == 0 && diag->num_errors == num_errors) {
        settle_horizon(self, &bind, root);
        check_deadline(self, &bind, root);
        warn_of_ignored_price(self, &bind, root);
        warn_of_ignored_initial(self, &bind, root);
        check_price_start(self, &bind, root);
        ret = settle_currency(self, &bind, root);
        self->is_certain =
            self->trace.recording != NULL && self->trace.recording->kind == SPOT_TRACE_NAMED;
        if (ret == 0 && self->recovery.system->num_on_demand != NULL) {
            ret = rent_on_demand(self, diag);
        }
    }
    self->trace_node = NULL;
    if (ret == 0 && diag->num_errors == num_errors) {
        ret = rentals_init(&self->rentals, &self->job);
    }
    if (ret == 0 && bind.is_out_of_memory) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    if (ret == 0 && diag->num_errors > num_errors) {
        ret = SPOT_ERR_BAD_INPUT;
    }
    return ret == 0 && self->recovery.lacks != NULL ? SPOT_ERR_CANNOT_RUN : ret;
}

int spot_scenario_read(spot_scenario_t *self, const char *path,
    const spot_scenario_changes_t *changes, spot_diag_t *diag)
{
    spot_yaml_t document;
    int error = spot_scenario_read_document(&document, path, changes, diag);

    memset(self, 0, sizeof(*self));
    if (document.root != NULL) {
        const int ret = spot_scenario_init(self, document.root, NULL, diag);

        error = error != 0 ? error : ret;
    }
    spot_yaml_free(&document);
    return error;
}

void spot_scenario_free(spot_scenario_t *self)
{
    spot_trace_model_free(&self->trace);
    spot_recovery_choice_free(&self->recovery);
    spot_job_free(&self->job);
    spot_price_free(&self->fleet.price);
    rentals_free(&self->rentals);
    free(self->so_far.path);
    free(self->name);
    memset(self, 0, sizeof(*self));
}
