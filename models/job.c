/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/job.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/integers.h"
#include "base/units.h"
#include "models/profile.h"

#define STEP_TIME_EXPECTED                                                                         \
    "a map from world size to duration such as {16: 18 s, 32: 11 s}, {profile: FILE}, "            \
    "{table: FILE.csv} or {pipeline: {...}}"

static const spot_field_t step_item = {.type = SPOT_FIELD_DURATION,
    .offset = offsetof(spot_step_point_t, step_ms),
    .min = 1,
    .max = (double) SPOT_MAX_DURATION_MS};

enum { FORM_PROFILE, FORM_TABLE };

static const spot_field_t step_time_forms[] = {
    [FORM_PROFILE] = {.name = "profile", .type = SPOT_FIELD_PATH, .offset = SPOT_NOWHERE},
    [FORM_TABLE] = {SPOT_VALUE(PATH, "table", spot_step_time_t, table_path, NULL, NULL)},
    {SPOT_FIELDS(
        MAP, "pipeline", spot_step_time_t, pipeline, spot_step_pipeline_fields, NULL, NULL)},
    {.name = "",
        .type = SPOT_FIELD_DICT,
        .offset = offsetof(spot_step_time_t, points),
        .num_offset = offsetof(spot_step_time_t, num_points),
        .key = &spot_world_size_key,
        .item = &step_item,
        .item_size = sizeof(spot_step_point_t),
        .min = 1,
        .max = HUGE_VAL,
        .expected = STEP_TIME_EXPECTED},
    {.name = NULL},
};

/* Reads the file that the value names. */
static void settle_step_time(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *node, void *target)
{
    const spot_field_t *form = spot_field_form(field, node);
    spot_step_time_t *step_time = target;
    int ret = 0;

    if (form == &step_time_forms[FORM_PROFILE]) {
        spot_profile_settle_step_time(self, field, node, step_time);
    } else if (form == &step_time_forms[FORM_TABLE]) {
        ret = spot_step_grid_read(&step_time->grid, step_time->table_path, self->diag);
    }
    self->is_out_of_memory = self->is_out_of_memory || ret == SPOT_ERR_NO_MEMORY;
}

static const char *const outside_names[] = {"work", "flat", NULL};

/* The defaults are the measured means of the seed study, rounded to seconds; step times
 * have none. */
const spot_field_t spot_job_fields[] = {
    {SPOT_RANGE(INTEGER, "pipeline_depth", spot_job_t, pipeline_depth, 1, SPOT_MAX_INSTANCES, "16",
         "pipeline depth", "instances in one pipeline"),
        SPOT_DECIDES},
    {SPOT_RANGE(INTEGER, "max_pipelines", spot_job_t, max_pipelines, 1, SPOT_MAX_INSTANCES,
        "1000000", "most pipelines",
        "most pipelines that the job can use; more instances stay standby")},
    {SPOT_RANGE(INTEGER, "samples_per_step", spot_job_t, samples_per_step, 1, 1e12, "1024",
         "samples per step",
         "samples in one step (global batch size), the same at every world size"),
        SPOT_DECIDES},
    {SPOT_FIELDS(ONE_OF, "step_time", spot_job_t, step_time, step_time_forms, "", "step time",
         "needed, but where recovery.table has its own: time of a step by world size (number of "
         "active instances): linear between the "
         "points; outside them see job.outside; or by pipelines and depth, see STEP TIME "
         "BY (D,P)"),
        .settle = settle_step_time, .expected = STEP_TIME_EXPECTED},
    {SPOT_CHOICE("outside", spot_job_t, step_time.outside, outside_names, "work",
        "steps that were not measured",
        "steps of fewer instances than any world size of step_time: work: they do the work "
        "of the smallest size W0 and take T0 W0 / N, rounded to the ms; flat: they take "
        "T0, as fast as with W0, which is the rule of many published studies. Above the "
        "largest size steps take as long as there. All outputs warn of both; what rests "
        "on them for more than 1 % of the training time is not recommended, but with "
        "flat, which only warns")},
    {SPOT_CHOICE("step_time_assumed", spot_job_t, is_step_assumed, spot_no_yes, "no",
        "yes: step_time was not measured; recovery systems that use it do not compete "
        "where a study asks for the best")},
    {SPOT_FIELDS(MAP, "checkpoint", spot_job_t, checkpoint, spot_checkpoint_fields, "{}",
        "how the state of training is made durable")},
    {SPOT_FIELDS(CUSTOM, "model", spot_job_t, model, spot_model_fields, "",
         "the state that is saved and copied: with fleet.storage and fleet.network it "
         "gives the times that are not measured. NAME is short for {preset: NAME}"),
        .bind = spot_model_bind, .table = spot_model_table, .expected = SPOT_MODEL_EXPECTED},
    {SPOT_RANGE(DURATION, "detection", spot_job_t, detection_ms, 0, (double) SPOT_MAX_DURATION_MS,
         "0 s", "detection time",
         "time to detect a loss that was not announced; lengthens the pause after one, "
         "with every recovery system"),
        SPOT_DECIDES},
    {SPOT_RANGE(DURATION, "regroup", spot_job_t, regroup_ms, 0, (double) SPOT_MAX_DURATION_MS, "",
        "regroup pause",
        "pause in which the same instances, which keep what they run, form their groups "
        "anew; job.reconfiguration less job.rebuild if not given")},
    {SPOT_RANGE(DURATION, "rebuild", spot_job_t, rebuild_ms, 0, (double) SPOT_MAX_DURATION_MS, "",
        "rebuild pause",
        "pause in which instances start their processes and build their part of the "
        "model; job.reconfiguration less job.regroup if not given")},
    {SPOT_FIELDS(ONE_OF, "reconfiguration", spot_job_t, reconfiguration_ms, spot_profile_forms,
         "88 s", "reconfiguration pause",
         "pause to form new pipelines after a loss or an addition: regroup and rebuild "
         "together, which take its place where both are given"),
        .settle = spot_profile_settle_reconfiguration, .expected = SPOT_PROFILE_EXPECTED,
        SPOT_DECIDES},
    {SPOT_FIELDS(ONE_OF, "reload", spot_job_t, reload_ms, spot_profile_forms, "47 s", "reload time",
         "pause to load the last durable checkpoint, after the reconfiguration; if not "
         "given the bytes of job.model over fleet.storage, where these are given"),
        .settle = spot_profile_settle_reload, .expected = SPOT_PROFILE_EXPECTED, SPOT_DECIDES},
    {SPOT_FIELDS(MAP, "input", spot_job_t, input, spot_loader_fields, "", "input pipeline",
         "the data loader: steps wait for data that it does not deliver in time, and it "
         "fills anew after each restart. Without it steps never wait"),
        .settle = spot_loader_settle},
    {.name = NULL},
};

/* ---- Step time by (D,P) ---- */

/* Checks that table and job have the same batch; otherwise every throughput is wrong. */
static void check_samples(const spot_job_t *self, spot_bind_t *bind, const spot_node_t *step_time)
{
    const int64_t samples_per_step = self->step_time.grid.samples_per_step;

    if (samples_per_step > 0 && samples_per_step != self->samples_per_step) {
        spot_bind_error(bind, step_time, "job.step_time",
            "%s is of steps of %" PRId64 " samples, but job.samples_per_step is %" PRId64,
            self->step_time.table_path, samples_per_step, self->samples_per_step);
    }
}

/* Checks the batch by the samples/s of the table, to 1 % as these are rounded. */
static void check_throughput(const spot_job_t *self, spot_bind_t *bind)
{
    const spot_step_grid_t *grid = &self->step_time.grid;

    for (size_t j = 0; grid->has_samples_per_s && j < grid->num_pairs; j++) {
        const spot_step_pair_t *pair = &grid->pairs[j];
        const double samples = pair->samples_per_s * pair->step_ms / SPOT_MS_PER_S;

        if (fabs(samples / (double) self->samples_per_step - 1) > 0.01) {
            spot_diag_warn(bind->diag, self->step_time.table_path, pair->line, 1,
                "%.6g samples/s in %.6g ms are %.6g samples a step, but "
                "job.samples_per_step is %" PRId64,
                pair->samples_per_s, pair->step_ms, samples, self->samples_per_step);
            return;
        }
    }
}

static void fill_from_pipeline(
    spot_job_t *self, spot_bind_t *bind, const spot_node_t *step_time, int64_t max_instances)
{
    const int ret = spot_step_pipeline_fill(
        &self->step_time.pipeline, self->samples_per_step, max_instances, &self->step_time.grid);

    if (ret == SPOT_ERR_BAD_PARAM) {
        spot_bind_error(bind, step_time, "job.step_time.pipeline",
            "there are steps of less than 0.5 ms or more than 100 years");
    } else if (ret != 0) {
        bind->is_out_of_memory = true;
    }
}

/* The key of a world size in a map, or the node that names a file. */
static const spot_node_t *size_node(const spot_node_t *step_time, int64_t world_size)
{
    for (size_t j = 0; step_time->kind == SPOT_NODE_MAP && j < step_time->num_children; j++) {
        int64_t size;

        if (spot_integer_parse(step_time->keys[j]->text, &size) == 0 && size == world_size) {
            return step_time->keys[j];
        }
    }
    return step_time;
}

/* Warns of steps that take longer with more instances. */
static void warn_of_rise(const spot_job_t *self, spot_bind_t *bind, const spot_node_t *step_time)
{
    const spot_step_point_t *point = spot_step_time_rise(&self->step_time);
    char more[SPOT_DURATION_TEXT_BYTES], fewer[SPOT_DURATION_TEXT_BYTES];
    const spot_node_t *node;

    if (point == NULL || step_time == NULL) {
        return;
    }
    node = size_node(step_time, point->world_size);
    spot_duration_text(point->step_ms, more);
    spot_duration_text(point[-1].step_ms, fewer);
    spot_diag_warn(bind->diag, node->file, node->line, node->column,
        "job.step_time: a step of %" PRId64 " instances takes longer (%s) than one of %" PRId64
        " (%s)",
        point->world_size, more, point[-1].world_size, fewer);
}

void spot_job_settle(
    spot_job_t *self, spot_bind_t *bind, const spot_node_t *step_time, int64_t max_instances)
{
    const size_t num_errors = bind->diag->num_errors;

    if (!spot_step_time_is_given(&self->step_time)) {
        return;
    }
    if (!spot_step_time_is_by_pair(&self->step_time)) {
        warn_of_rise(self, bind, step_time);
        return;
    }
    if (self->step_time.table_path == NULL) {
        fill_from_pipeline(self, bind, step_time, max_instances);
    } else {
        check_samples(self, bind, step_time);
        check_throughput(self, bind);
    }
    bind->is_out_of_memory = bind->is_out_of_memory ||
                             spot_step_grid_limit(&self->step_time.grid, self->max_pipelines) != 0;
    if (bind->diag->num_errors == num_errors && !bind->is_out_of_memory &&
        spot_step_grid_most_pipelines(
            &self->step_time.grid, SPOT_MAX_INSTANCES, self->pipeline_depth) == 0) {
        spot_diag_warn(bind->diag, step_time->file, step_time->line, step_time->column,
            "job.step_time has no feasible pair of job.pipeline_depth (%" PRId64 ")",
            self->pipeline_depth);
    }
}

/* The most pipelines for which there are instances. */
static int64_t pipelines_of(const spot_job_t *self, int64_t num_instances)
{
    const int64_t num_pipelines = spot_quotient(num_instances, self->pipeline_depth);

    return num_pipelines < self->max_pipelines ? num_pipelines : self->max_pipelines;
}

int64_t spot_job_pipelines(const spot_job_t *self, int64_t num_instances)
{
    const int64_t num_pipelines = pipelines_of(self, num_instances);

    return spot_step_time_is_by_pair(&self->step_time)
               ? spot_step_grid_most_pipelines(
                     &self->step_time.grid, num_pipelines, self->pipeline_depth)
               : num_pipelines;
}

bool spot_job_lacks_step_time(const spot_job_t *self, int64_t num_instances)
{
    return spot_step_time_is_by_pair(&self->step_time) &&
           spot_job_pipelines(self, num_instances) < pipelines_of(self, num_instances);
}

/* Number of pipelines of the job's depth from which on step times are flat. */
static int64_t flat_pipelines(const spot_job_t *self)
{
    return (spot_step_time_largest(&self->step_time) - 1) / self->pipeline_depth + 1;
}

/* Instances of the largest listed pair with a depth in the range. */
static int64_t largest_pair(const spot_step_grid_t *grid, int64_t min_depth, int64_t max_depth)
{
    int64_t largest = 0;

    for (size_t j = 0; j < grid->num_pairs + grid->num_infeasible; j++) {
        const int64_t depth = grid->pairs[j].depth;
        const int64_t size = grid->pairs[j].num_pipelines * depth;

        if (depth >= min_depth && depth <= max_depth && size > largest) {
            largest = size;
        }
    }
    return largest;
}

/* spot_job_lacks_best_step_time() of a table; a pipeline model has all pairs. */
static bool lacks_best_pair(
    const spot_job_t *self, int64_t num_instances, int64_t min_depth, int64_t max_depth)
{
    const spot_step_grid_t *grid = &self->step_time.grid;
    const int64_t largest = largest_pair(grid, min_depth, max_depth);
    bool has_known = false, has_unknown = false, has_larger = false;

    for (size_t j = 0; j < grid->num_pairs + grid->num_infeasible; j++) {
        const int64_t depth = grid->pairs[j].depth;
        const bool is_next = j == 0 || grid->pairs[j - 1].depth != depth;
        const int64_t most = num_instances / depth;
        const int64_t num = most < self->max_pipelines ? most : self->max_pipelines;

        if (!is_next || num == 0 || depth < min_depth || depth > max_depth) {
            continue;
        }
        if (spot_step_grid_lists(grid, num, depth)) {
            has_known = true;
        } else {
            has_unknown = true;
            has_larger |= num * depth > largest;
        }
    }
    return has_larger || (has_unknown && !has_known);
}

bool spot_job_lacks_best_step_time(
    const spot_job_t *self, int64_t num_instances, int64_t min_depth, int64_t max_depth)
{
    if (!spot_step_time_is_by_pair(&self->step_time)) {
        return pipelines_of(self, num_instances) > flat_pipelines(self);
    }
    return self->step_time.table_path != NULL &&
           lacks_best_pair(self, num_instances, min_depth, max_depth);
}

static const spot_step_pair_t *pair_of(const spot_job_t *self, int64_t num_pipelines)
{
    const spot_step_pair_t *pair =
        spot_step_grid_find(&self->step_time.grid, num_pipelines, self->pipeline_depth);

    spot_bug_assert(pair != NULL);
    return pair;
}

int64_t spot_job_step_ms(const spot_job_t *self, int64_t num_pipelines)
{
    return spot_step_time_is_by_pair(&self->step_time)
               ? spot_step_pair_ms(pair_of(self, num_pipelines))
               : spot_step_time_ms(&self->step_time, num_pipelines * self->pipeline_depth);
}

int64_t spot_job_best_pipelines(const spot_job_t *self, int64_t num_instances)
{
    const int64_t depth = self->pipeline_depth;
    int64_t best_ms = INT64_MAX, best = 0, num = spot_job_pipelines(self, num_instances);

    if (!spot_step_time_is_by_pair(&self->step_time)) {
        const int64_t flat = flat_pipelines(self);

        num = num < flat ? num : flat;
    }
    for (; num > 0; num = spot_job_pipelines(self, num * depth - 1)) {
        const int64_t step_ms = spot_job_step_ms(self, num);

        if (step_ms <= best_ms) {
            best_ms = step_ms;
            best = num;
        }
    }
    return best;
}

bool spot_job_is_step_fitted(const spot_job_t *self, int64_t num_pipelines)
{
    return spot_step_time_is_by_pair(&self->step_time) &&
           pair_of(self, num_pipelines)->origin != SPOT_STEP_MEASURED;
}

bool spot_job_covers_step(const spot_job_t *self, int64_t num_pipelines)
{
    return spot_step_time_is_by_pair(&self->step_time) ||
           spot_step_time_covers(&self->step_time, num_pipelines * self->pipeline_depth);
}

void spot_job_free(spot_job_t *self)
{
    spot_step_time_free(&self->step_time);
    memset(self, 0, sizeof(*self));
}
