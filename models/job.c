/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/job.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/integers.h"
#include "base/number.h"
#include "base/units.h"
#include "models/profile.h"
#include "models/step_time.h"

/* Bytes a parameter of a checkpoint: those in memory but the gradient. */
#define MODEL_SAVED_BYTES 14

/* The keys of "model: {...}", and of "model: NAME", short for {preset: NAME}. A key that
 * is given wins over the preset. */
#define MODEL_EXPECTED "NAME, {preset: NAME, ...} or {parameters: N, bytes_per_parameter: N, ...}"

/* ---- Presets of models ---- */

/* Brown et al. print 24 heads for 1.3B and a width of 5140 for 13B, which do not fit
 * heads of 128. 16 and 5120 give the published numbers of parameters. */
#define SHAPE(family, count, blocks, h, heads, kv, f, sequence, vocabulary, source)                \
    {                                                                                              \
        SPOT_MODEL_##family, count, blocks, h, heads, kv, f, sequence, vocabulary,                 \
            #count " parameters as published, " #blocks " blocks of width " #h ", " #heads         \
                   " heads; " source                                                               \
    }
#define GPT_2(count, blocks, h, heads)                                                             \
    SHAPE(GPT, count, blocks, h, heads, heads, 4 * (h), 1024, 50257,                               \
        "Radford et al. 2019, Table 2, counts of the released models")
#define GPT_3(count, blocks, h, heads)                                                             \
    SHAPE(GPT, count, blocks, h, heads, heads, 4 * (h), 2048, 50257, "Brown et al. 2020, Table 2.1")
#define LLAMA_2(count, blocks, h, heads, kv, f)                                                    \
    SHAPE(LLAMA, count, blocks, h, heads, kv, f, 4096, 32000,                                      \
        "Touvron et al. 2023 (Llama 2), Table 1, and the released configuration")

const char *const spot_model_names[] = {"gpt-2-124m", "gpt-2-355m", "gpt-2-1.5b", "bert-large",
    "gpt-3-medium", "gpt-3-1.3b", "gpt-3-2.7b", "gpt-3-6.7b", "gpt-3-13b", "gpt-3-175b",
    "llama-2-7b", "llama-2-13b", "llama-2-70b", NULL};
const spot_model_preset_t spot_model_presets[] = {
    GPT_2(124e6, 12, 768, 12),
    GPT_2(355e6, 24, 1024, 16),
    GPT_2(1.5e9, 48, 1600, 25),
    SHAPE(BERT, 340e6, 24, 1024, 16, 16, 4096, 512, 30522, "Devlin et al. 2019, section 3"),
    GPT_3(350e6, 24, 1024, 16),
    GPT_3(1.3e9, 24, 2048, 16),
    GPT_3(2.7e9, 32, 2560, 32),
    GPT_3(6.7e9, 32, 4096, 32),
    GPT_3(13e9, 40, 5120, 40),
    GPT_3(175e9, 96, 12288, 96),
    LLAMA_2(7e9, 32, 4096, 32, 32, 11008),
    LLAMA_2(13e9, 40, 5120, 40, 40, 13824),
    LLAMA_2(70e9, 80, 8192, 64, 8, 28672),
};

int64_t spot_model_preset_block(const spot_model_preset_t *self)
{
    const int64_t h = self->hidden, f = self->feed_forward;
    const int64_t kv = h / self->num_heads * self->num_kv_heads;
    const int64_t attention = 2 * h * h + 2 * h * kv;

    return self->family == SPOT_MODEL_LLAMA ? attention + 3 * h * f + 2 * h
                                            : attention + 2 * h * f + (4 * h + f + h) + 2 * 2 * h;
}

int64_t spot_model_preset_parameters(const spot_model_preset_t *self)
{
    const int64_t h = self->hidden, tokens = self->vocabulary * h;
    const int64_t blocks = self->num_blocks * spot_model_preset_block(self);
    const int64_t norm = 2 * h, segments = 2 * h, pooler = h * h + h;

    return self->family == SPOT_MODEL_LLAMA
               ? 2 * tokens + blocks + h
               : tokens + self->sequence * h + blocks + norm +
                     (self->family == SPOT_MODEL_BERT ? segments + pooler : 0);
}

/* ---- The model ---- */

static const spot_field_t model_fields[] = {
    {SPOT_CHOICE("preset", spot_model_t, preset_id, spot_model_names, "", "model",
        "a published model, see spotsim model presets; it gives the keys that are not "
        "given")},
    {SPOT_RANGE(NUMBER, "parameters", spot_model_t, num_parameters, 1, 1e15, "", "model parameters",
        "of the whole model; required without a preset")},
    {SPOT_RANGE(INTEGER, "layers", spot_model_t, num_layers, 1, 100000, "", "model layers",
        "of equal size, embedding and head included; systems that move layers need "
        "their number")},
    {SPOT_RANGE(NUMBER, "bytes_per_parameter", spot_model_t, bytes_per_parameter, 0.125, 1024, "",
         "state per parameter",
         "of the state of training that is saved and copied, optimizer included: 16 with "
         "Adam and mixed precision, 14 without gradients, which is that of a preset, 12 "
         "without the fp16 parameters too; required without a preset"),
        .otherwise = "14", SPOT_DECIDES},
    {.name = NULL},
};

static const spot_field_t *model_table(const spot_node_t *node)
{
    return node->kind == SPOT_NODE_LIST ? NULL : model_fields;
}

/* Reports keys that are missing without a preset; completes those that it gives. */
static void complete_model(spot_model_t *self, spot_bind_t *bind, const spot_node_t *node)
{
    static const char *const required[] = {"parameters", "bytes_per_parameter"};
    const bool is_own = node->kind == SPOT_NODE_MAP && spot_node_get(node, "preset") == NULL;

    for (size_t j = 0; j < 2 && is_own; j++) {
        if (spot_node_get(node, required[j]) == NULL) {
            spot_bind_error(
                bind, node, NULL, "missing key \"%smodel.%s\"", bind->path, required[j]);
        }
    }
    if (self->preset_id >= 0) {
        self->preset = &spot_model_presets[self->preset_id];
        if (self->num_parameters == 0) {
            self->num_parameters = (double) spot_model_preset_parameters(self->preset);
        }
        if (self->num_layers == 0) {
            self->num_layers = self->preset->num_blocks + SPOT_MODEL_ENDS;
        }
        if (self->bytes_per_parameter == 0) {
            self->bytes_per_parameter = MODEL_SAVED_BYTES;
        }
    }
}

static void model_bind(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    spot_field_t preset = model_fields[0];
    spot_model_t *self = target;

    self->preset_id = -1;
    preset.name = field->name;
    if (node->kind == SPOT_NODE_SCALAR) {
        spot_bind_field(bind, &preset, node, &self->preset_id);
    } else if (node->kind == SPOT_NODE_MAP) {
        spot_bind_map(bind, model_fields, field->name, node, self);
    } else {
        spot_bind_unexpected(bind, field, node, "");
    }
    complete_model(self, bind, node);
}

int64_t spot_transfer_ms(double bytes, double bytes_per_s)
{
    const double time_ms = bytes / bytes_per_s * (double) SPOT_MS_PER_S;

    return time_ms < (double) SPOT_MAX_DURATION_MS ? llround(time_ms) : SPOT_MAX_DURATION_MS;
}

/* ---- Regrouping and rebuilding ---- */

static void check_pauses(const spot_job_t *self, spot_bind_t *bind, const spot_node_t *regroup,
    const spot_node_t *rebuild, const spot_node_t *whole)
{
    if (regroup != NULL && rebuild != NULL && whole != NULL) {
        spot_bind_error(bind, whole, "job.reconfiguration",
            "it is job.regroup and job.rebuild together: give two of the three");
    } else if (whole != NULL && (regroup != NULL || rebuild != NULL) &&
               (self->regroup_ms > self->reconfiguration_ms ||
                   self->rebuild_ms > self->reconfiguration_ms)) {
        spot_bind_error(bind, regroup != NULL ? regroup : rebuild,
            regroup != NULL ? "job.regroup" : "job.rebuild",
            "it is a part of job.reconfiguration, and longer");
    }
}

/* Without job.reconfiguration its default holds unless the parts are longer, or both are
 * given. */
static void settle_pauses(spot_job_t *self, spot_bind_t *bind, const spot_node_t *job)
{
    const spot_node_t *regroup = spot_node_get(job, "regroup");
    const spot_node_t *rebuild = spot_node_get(job, "rebuild");
    const int64_t sum_ms = self->regroup_ms + self->rebuild_ms;

    check_pauses(self, bind, regroup, rebuild, spot_node_get(job, "reconfiguration"));
    if (regroup != NULL && rebuild != NULL) {
        self->reconfiguration_ms = sum_ms;
    } else if (self->reconfiguration_ms < sum_ms) {
        self->reconfiguration_ms = sum_ms;
    }
    if (regroup == NULL) {
        self->regroup_ms = self->reconfiguration_ms - self->rebuild_ms;
    }
    self->rebuild_ms = self->reconfiguration_ms - self->regroup_ms;
}

/* ---- The state in storage ---- */

static void warn_of_default(const spot_job_t *self, spot_bind_t *bind, const spot_node_t *job,
    const char *key, const char *remedy)
{
    const spot_node_t *model = spot_node_get(job, "model");

    if (spot_model_state_bytes(&self->model) > 0) {
        spot_diag_warn(bind->diag, model->file, model->line, model->column,
            "job.model: %s is not given and stays that of another job: give it, or %s", key,
            remedy);
    }
}

/* Derives a time to move the whole state to or from storage unless it is given. */
static void derive(const spot_job_t *self, spot_bind_t *bind, const spot_node_t *job,
    const spot_node_t *given, const char *key, int64_t *time_ms)
{
    const double bytes = spot_model_state_bytes(&self->model);

    if (given != NULL) {
        return;
    }
    if (bytes > 0 && self->storage_bytes_per_s > 0) {
        *time_ms = spot_transfer_ms(bytes, self->storage_bytes_per_s);
        if (*time_ms == SPOT_MAX_DURATION_MS) {
            spot_bind_error(bind, spot_node_get(job, "model"), "job.model",
                "to move its state to storage takes 100 years or more");
        }
    } else {
        warn_of_default(self, bind, job, key, "fleet.storage");
    }
}

void spot_job_settle_terms(spot_job_t *self, spot_bind_t *bind, const spot_node_t *job)
{
    const spot_node_t *checkpoint = spot_node_get(job, "checkpoint");

    if (spot_node_get(job, "reconfiguration") == NULL && spot_node_get(job, "regroup") == NULL &&
        spot_node_get(job, "rebuild") == NULL) {
        warn_of_default(self, bind, job, "job.reconfiguration", "job.regroup and job.rebuild");
    }
    settle_pauses(self, bind, job);
    derive(self, bind, job, spot_node_get(job, "reload"), "job.reload", &self->reload_ms);
    derive(self, bind, job, spot_node_get(checkpoint, "write"), "job.checkpoint.write",
        &self->checkpoint.write_ms);
}

/* ---- The keys of a job ---- */

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
    {SPOT_FIELDS(CUSTOM, "model", spot_job_t, model, model_fields, "",
         "the state that is saved and copied: with fleet.storage and fleet.network it "
         "gives the times that are not measured. NAME is short for {preset: NAME}"),
        .bind = model_bind, .table = model_table, .expected = MODEL_EXPECTED},
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
    {SPOT_FIELDS(MAP, "input", spot_job_t, input, spot_loader_job_fields, "", "input pipeline",
         "the data loader: steps wait for data that it does not deliver in time, and it "
         "fills anew after each restart; or the path of a file of `spotsim input fit`, whose "
         "keys input and fitted count. Without it steps never wait"),
        .bind = spot_loader_bind, .file_table = spot_loader_file_table},
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

static void note_step(int64_t range_ns[2], double step_ms)
{
    const int64_t step_ns = llround(1e6 * fmin(step_ms, (double) SPOT_MAX_DURATION_MS));

    range_ns[0] = step_ns < range_ns[0] ? step_ns : range_ns[0];
    range_ns[1] = step_ns > range_ns[1] ? step_ns : range_ns[1];
}

/* Warns of steps that take longer, or less long, than the training loops that the costs of the
 * loader were fitted to. Steps of more than max_instances never run. */
static void warn_of_fitted(
    const spot_job_t *self, spot_bind_t *bind, const spot_node_t *step_time, int64_t max_instances)
{
    const int64_t *fitted_ns = self->input.fitted.compute_ns;
    const spot_step_time_t *steps = &self->step_time;
    int64_t steps_ns[2] = {INT64_MAX, 0};

    for (size_t j = 0; j < steps->num_points; j++) {
        if (steps->points[j].world_size <= max_instances) {
            note_step(steps_ns, (double) steps->points[j].step_ms);
        }
    }
    for (size_t j = 0; j < steps->grid.num_pairs; j++) {
        const spot_step_pair_t *pair = &steps->grid.pairs[j];

        if ((int64_t) pair->num_pipelines * pair->depth <= max_instances) {
            note_step(steps_ns, pair->step_ms);
        }
    }
    if (steps_ns[1] > 0 && (spot_loader_is_outside(fitted_ns, steps_ns[0]) ||
                               spot_loader_is_outside(fitted_ns, steps_ns[1]))) {
        spot_diag_warn(bind->diag, step_time->file, step_time->line, step_time->column,
            "job.step_time: steps of %g s to %g s are outside what the costs of job.input were "
            "fitted to: %g s to %g s",
            1e-9 * (double) steps_ns[0], 1e-9 * (double) steps_ns[1], 1e-9 * (double) fitted_ns[0],
            1e-9 * (double) fitted_ns[1]);
    }
}

void spot_job_settle(
    spot_job_t *self, spot_bind_t *bind, const spot_node_t *step_time, int64_t max_instances)
{
    const size_t num_errors = bind->diag->num_errors;

    if (!spot_step_time_is_given(&self->step_time)) {
        return;
    }
    warn_of_fitted(self, bind, step_time, max_instances);
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

/* ---- Step times with places lost ---- */

int64_t spot_reroute_micro_batch(const spot_job_t *job)
{
    const spot_step_time_t *step_time = &job->step_time;

    return step_time->pipeline.num_layers > 0 ? step_time->pipeline.micro_batch
                                              : step_time->grid.micro_batch;
}

/* The formula for a micro-batch of forward_ms and cycle_ms (c). */
static double formula_ms(const spot_reroute_t *self, const spot_pipeline_t *pipeline,
    int64_t num_pipelines, int64_t num_lost)
{
    const double cycle_ms = pipeline->forward_ms + pipeline->backward_ms;
    const double num_micro_batches = (double) pipeline->num_micro_batches;
    const double num_fill = (double) (pipeline->num_stages - 1);
    const double load = (double) num_pipelines / (double) (num_pipelines - num_lost);
    const double fill_ms = num_fill * (self->is_worst_fill ? cycle_ms : pipeline->forward_ms);

    return fmax(
        (num_micro_batches + num_fill) * cycle_ms, num_micro_batches * cycle_ms * load + fill_ms);
}

int64_t spot_reroute_step_ms(
    const spot_reroute_t *self, const spot_job_t *job, int64_t num_pipelines, int64_t num_lost)
{
    const double own_ms = (double) spot_job_step_ms(job, num_pipelines);
    const bool has_model = job->step_time.pipeline.num_layers > 0;
    spot_pipeline_t pipeline = {.num_stages = job->pipeline_depth,
        .forward_ms = self->forward_share,
        .backward_ms = 1 - self->forward_share};
    double before_ms, after_ms, step_ms;

    if (has_model) {
        pipeline = spot_step_pipeline_of(
            &job->step_time.pipeline, job->samples_per_step, num_pipelines, job->pipeline_depth);
    }
    pipeline.num_micro_batches =
        spot_micro_batches(job->samples_per_step, self->micro_batch, num_pipelines);
    before_ms = formula_ms(self, &pipeline, num_pipelines, 0);
    after_ms = formula_ms(self, &pipeline, num_pipelines, num_lost);
    step_ms = has_model ? own_ms + (after_ms - before_ms) : own_ms * (after_ms / before_ms);
    return (int64_t) fmin(fmax(rint(step_ms), 1), (double) SPOT_MAX_DURATION_MS);
}
