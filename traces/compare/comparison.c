/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/compare/comparison.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/memory.h"
#include "base/units.h"
#include "traces/describe/describe.h"

/* Bytes for the number appended to a label in use, with its NUL. */
#define NUMBER_BYTES 24

/* Standard errors by which two errors must differ. */
#define CLEAR_Z 2

static bool has_label(const spot_comparison_t *self, const char *label)
{
    for (size_t j = 0; j < self->num_columns; j++) {
        if (strcmp(self->columns[j].label, label) == 0) {
            return true;
        }
    }
    return false;
}

/* label, or "label#2", "label#3", ... NULL: no memory. */
static char *distinct_label(const spot_comparison_t *self, const char *label)
{
    const size_t num_bytes = strlen(label) + NUMBER_BYTES;
    char *text = malloc(num_bytes);

    if (text != NULL) {
        snprintf(text, num_bytes, "%s", label);
        for (int j = 2; has_label(self, text); j++) {
            snprintf(text, num_bytes, "%s#%d", label, j);
        }
    }
    return text;
}

/* Whether text ends in suffix and is more than that. */
static bool has_suffix(const char *text, size_t num_bytes, const char *suffix)
{
    const size_t num_suffix_bytes = strlen(suffix);

    return num_bytes > num_suffix_bytes &&
           memcmp(text + num_bytes - num_suffix_bytes, suffix, num_suffix_bytes) == 0;
}

char *spot_comparison_label(const char *path)
{
    static const char *const suffixes[] = {".yaml", ".yml", ".csv.gz", ".csv"};
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    size_t num_bytes = strlen(name);
    char *label;

    for (size_t j = 0; j < sizeof(suffixes) / sizeof(suffixes[0]); j++) {
        if (has_suffix(name, num_bytes, suffixes[j])) {
            num_bytes -= strlen(suffixes[j]);
            break;
        }
    }
    label = spot_text_copy(name, num_bytes);
    for (char *byte = label; byte != NULL && *byte != '\0'; byte++) {
        if (*byte == ',' || *byte == '"' || iscntrl((unsigned char) *byte)) {
            *byte = '_';
        }
    }
    return label;
}

/* Appends a column with undefined metrics; NULL: no memory. */
static spot_comparison_column_t *add_column(
    spot_comparison_t *self, spot_comparison_column_kind_t kind, const char *label)
{
    spot_comparison_column_t *column = NULL;
    char *distinct = distinct_label(self, label);

    if (distinct != NULL && SPOT_ARRAY_ROOM(self, columns, self->num_columns + 1) == 0) {
        column = &self->columns[self->num_columns++];
        *column =
            (spot_comparison_column_t){.kind = kind, .label = distinct, .num_replications = 1};
        for (int j = 0; j < SPOT_FIDELITY_NUM_METRICS; j++) {
            column->means[j] = column->sds[j] = column->zs[j] = (double) NAN;
        }
    } else {
        free(distinct);
    }
    return column;
}

/* Compares one observation with a measured one. */
static int fill_column(spot_comparison_column_t *column, const spot_observation_t *observation,
    const spot_fidelity_t *against)
{
    spot_fidelity_t fidelity = {0};
    int ret = column == NULL ? SPOT_ERR_NO_MEMORY
                             : spot_fidelity_measure(&fidelity, observation, against);

    if (ret == 0) {
        spot_fidelity_compare(&fidelity, against, column->means);
    }
    spot_fidelity_free(&fidelity);
    return ret;
}

static int add_halves(spot_comparison_t *self)
{
    spot_observation_t first = {0}, second = {0};
    spot_fidelity_t fidelity = {0};
    int ret = spot_observation_half(&first, &self->recorded, false);

    ret = ret == 0 ? spot_observation_half(&second, &self->recorded, true) : ret;
    ret = ret == 0 ? spot_fidelity_measure(&fidelity, &first, NULL) : ret;
    if (ret == 0) {
        ret =
            fill_column(add_column(self, SPOT_COMPARISON_COLUMN_HALF, "half1"), &first, &fidelity);
    }
    if (ret == 0) {
        ret = fill_column(
            add_column(self, SPOT_COMPARISON_COLUMN_HALVES, "half2-vs-half1"), &second, &fidelity);
    }
    spot_fidelity_free(&fidelity);
    spot_observation_free(&first);
    spot_observation_free(&second);
    return ret;
}

int spot_comparison_init(spot_comparison_t *self, const spot_trace_t *trace,
    int64_t other_resolution_ms, bool is_net, uint64_t seed)
{
    const char *name = spot_trace_key(trace, "name");
    int ret;

    memset(self, 0, sizeof(*self));
    self->kind = trace->kind;
    self->resolution_s = (double) trace->resolution_ms / (double) SPOT_MS_PER_S;
    self->is_unbounded = trace->capacity == SPOT_UNBOUNDED;
    self->seed = seed;
    name = name == NULL ? "" : name;
    self->name = spot_text_copy(name, strlen(name));
    if (self->name == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    ret = spot_observation_of_trace(&self->recorded, trace,
        spot_observation_tick_ms(trace->resolution_ms, other_resolution_ms), is_net);
    ret = ret == 0 ? spot_fidelity_measure(&self->fidelity, &self->recorded, NULL) : ret;
    if (ret == 0) {
        ret = fill_column(add_column(self, SPOT_COMPARISON_COLUMN_RECORDED, "recorded"),
            &self->recorded, &self->fidelity);
    }
    return ret == 0 ? add_halves(self) : ret;
}

void spot_comparison_free(spot_comparison_t *self)
{
    for (size_t j = 0; j < self->num_columns; j++) {
        free(self->columns[j].label);
        free(self->columns[j].model);
    }
    free(self->columns);
    free(self->name);
    spot_observation_free(&self->recorded);
    spot_fidelity_free(&self->fidelity);
    memset(self, 0, sizeof(*self));
}

bool spot_comparison_is_net(spot_trace_kind_t kind)
{
    return kind != SPOT_TRACE_NAMED;
}

int spot_comparison_add_trace(spot_comparison_t *self, const spot_trace_t *trace, const char *label)
{
    spot_observation_t observation = {0};
    int ret = spot_observation_of_trace(
        &observation, trace, self->recorded.frame.tick_ms, self->recorded.frame.is_net);

    if (ret == 0) {
        ret = fill_column(
            add_column(self, SPOT_COMPARISON_COLUMN_TRACE, label), &observation, &self->fidelity);
    }
    spot_observation_free(&observation);
    return ret;
}

spot_replicate_t spot_comparison_replicate(const spot_comparison_t *self,
    const spot_trace_model_t *model, int64_t num_replications, const spot_watch_t *watch)
{
    spot_replicate_t replicate = {.model = model,
        .frame = self->recorded.frame,
        .seed = self->seed,
        .num_replications = num_replications};

    if (watch != NULL) {
        replicate.watch = *watch;
    }
    return replicate;
}

int spot_comparison_add_model(spot_comparison_t *self, const spot_trace_model_t *model,
    const char *name, const char *label, int64_t num_replications, const spot_watch_t *watch)
{
    const spot_replicate_t replicate =
        spot_comparison_replicate(self, model, num_replications, watch);
    spot_moments_t moments[SPOT_FIDELITY_NUM_METRICS];
    spot_comparison_column_t *column = add_column(self, SPOT_COMPARISON_COLUMN_MODEL, label);
    int ret;

    if (column == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    column->num_replications = num_replications;
    column->model = spot_text_copy(name, strlen(name));
    if (column->model == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    ret = spot_replicate_fidelity(&replicate, &self->fidelity, moments);
    for (int j = 0; ret == 0 && j < SPOT_FIDELITY_NUM_METRICS; j++) {
        column->means[j] = spot_moments_mean(&moments[j]);
        column->sds[j] = spot_moments_std(&moments[j]);
    }
    return ret;
}

/* The reference row of a column, or NULL. */
static const spot_reference_row_t *reference_row(const spot_comparison_t *self,
    const spot_comparison_column_t *column, const spot_reference_t *reference)
{
    const spot_reference_row_t *row = spot_reference_find(reference, self->name, column->label);

    return row != NULL ? row : spot_reference_find(reference, self->name, column->model);
}

void spot_comparison_set_reference(spot_comparison_t *self, const spot_reference_t *reference)
{
    for (size_t j = SPOT_COMPARISON_FIRST; j < self->num_columns; j++) {
        spot_comparison_column_t *column = &self->columns[j];
        const spot_reference_row_t *row = column->kind == SPOT_COMPARISON_COLUMN_MODEL
                                              ? reference_row(self, column, reference)
                                              : NULL;

        column->has_reference = row != NULL;
        for (int k = 0; row != NULL && k < SPOT_FIDELITY_NUM_METRICS; k++) {
            column->zs[k] = spot_reference_z(row, k, column->means[k], column->num_replications);
        }
    }
}

/* The figure of an error |ln(mean / recorded)|. */
static int figure_of(int error_id)
{
    return error_id == SPOT_ERROR_LN_MTBP ? SPOT_FIDELITY_MTBP_S
           : error_id == SPOT_ERROR_LN_CV ? SPOT_FIDELITY_GAP_CV
                                          : SPOT_FIDELITY_FANO_1H;
}

const char *spot_error_name(int error_id)
{
    return error_id < SPOT_ERROR_LN_MTBP
               ? spot_fidelity_metrics[SPOT_FIDELITY_NUM_FIGURES + error_id].name
           : error_id == SPOT_ERROR_LN_MTBP ? "ln_mtbp"
           : error_id == SPOT_ERROR_LN_CV   ? "ln_cv"
                                            : "ln_fano";
}

void spot_comparison_error(const spot_comparison_t *self, const spot_comparison_column_t *column,
    int error_id, double *error, double *stderr_error)
{
    const double root = sqrt((double) column->num_replications);

    if (error_id < SPOT_ERROR_LN_MTBP) {
        *error = column->means[SPOT_FIDELITY_NUM_FIGURES + error_id];
        *stderr_error = column->sds[SPOT_FIDELITY_NUM_FIGURES + error_id] / root;
    } else {
        const int figure = figure_of(error_id);
        const spot_comparison_column_t *against =
            &self->columns[column->kind == SPOT_COMPARISON_COLUMN_HALVES ? 1 : 0];

        /* The standard error of a logarithm is the relative one. */
        *error = fabs(log(column->means[figure] / against->means[figure]));
        *stderr_error = column->sds[figure] / root / column->means[figure];
    }
    if (!isfinite(*error)) {
        *error = *stderr_error = (double) NAN;
    }
}

const spot_comparison_column_t *spot_comparison_seed(const spot_comparison_t *self)
{
    const spot_comparison_column_t *first = NULL;

    for (size_t j = SPOT_COMPARISON_FIRST; j < self->num_columns; j++) {
        const spot_comparison_column_t *column = &self->columns[j];

        if (column->model == NULL) {
            continue;
        }
        if (strcmp(column->model, "seed-corrected") == 0) {
            return column;
        }
        if (first == NULL && strncmp(column->model, "seed", strlen("seed")) == 0) {
            first = column;
        }
    }
    return first;
}

spot_relation_t spot_comparison_relate(const spot_comparison_t *self,
    const spot_comparison_column_t *column, const spot_comparison_column_t *other, int error_id,
    double *ratio)
{
    double error, stderr_error, other_error, other_stderr, clear;

    spot_comparison_error(self, column, error_id, &error, &stderr_error);
    spot_comparison_error(self, other, error_id, &other_error, &other_stderr);
    *ratio = other_error / error;
    clear = CLEAR_Z * hypot(stderr_error, other_stderr);
    if (isnan(error) || isnan(other_error) || isnan(clear)) {
        return SPOT_UNDEFINED;
    }
    return error < other_error - clear   ? SPOT_BETTER
           : error > other_error + clear ? SPOT_WORSE
                                         : SPOT_ALIKE;
}

static int read_models(
    spot_comparison_inputs_t *self, const spot_comparison_request_t *request, spot_diag_t *diag)
{
    const size_t num_models = request->num_paths - 1;
    int error = 0;

    self->models = spot_calloc(num_models, sizeof(*self->models));
    if (self->models == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < num_models; j++) {
        const int ret = spot_trace_model_file_read(&self->models[self->num_models++],
            request->paths[j], &self->trace, request->paths[num_models], diag);

        error = spot_error_first(error, ret);
    }
    return error;
}

int spot_comparison_inputs_read(
    spot_comparison_inputs_t *self, const spot_comparison_request_t *request, spot_diag_t *diag)
{
    const char *const *paths = request->paths;
    const size_t num_paths = request->num_paths;
    int ret, error;

    memset(self, 0, sizeof(*self));
    error = spot_trace_read(&self->trace, paths[num_paths - 1], false, diag);
    if (request->reference_path != NULL) {
        ret = spot_reference_read(&self->reference, request->reference_path, diag);
        error = spot_error_first(error, ret);
    }
    if (request->is_halves) {
        return error;
    }
    self->has_other = num_paths == 2 && spot_csv_begins(paths[0], "# spotsim-trace:");
    if (self->has_other) {
        ret = spot_trace_read(&self->other, paths[0], false, diag);
        return spot_error_first(error, ret);
    }
    return error != 0 ? error : read_models(self, request, diag);
}

void spot_comparison_inputs_free(spot_comparison_inputs_t *self)
{
    for (size_t j = 0; j < self->num_models; j++) {
        spot_trace_model_file_free(&self->models[j]);
    }
    free(self->models);
    spot_trace_free(&self->trace);
    spot_trace_free(&self->other);
    spot_reference_free(&self->reference);
}

static void warn_of_seed(const spot_comparison_t *comparison, const spot_trace_model_file_t *file,
    const char *path, spot_diag_t *diag)
{
    const double cv = comparison->columns[0].means[SPOT_FIDELITY_GAP_CV];

    if (file->model.generator == &spot_generator_seed && cv > SPOT_SEED_MAX_CV) {
        spot_diag_warn(diag, path, 0, 0,
            "the gaps of the trace have CV %.2f, those of a seed model at most 1: "
            "compare block or mrp too",
            cv);
    }
}

static int add_other(spot_comparison_t *self, const spot_comparison_request_t *request,
    const spot_comparison_inputs_t *inputs)
{
    const char *name = spot_trace_key(&inputs->other, "name");
    char *label = strcmp(name, self->name) == 0 ? spot_comparison_label(request->paths[0])
                                                : spot_text_copy(name, strlen(name));
    const int ret =
        label == NULL ? SPOT_ERR_NO_MEMORY : spot_comparison_add_trace(self, &inputs->other, label);

    free(label);
    return ret;
}

/* Models are called as their files: two of one kind can be compared. */
static int add_model(spot_comparison_t *self, const spot_comparison_request_t *request,
    const spot_trace_model_file_t *file, const char *path, const spot_watch_t *watch)
{
    char *label = spot_comparison_label(path);
    const int ret = label == NULL ? SPOT_ERR_NO_MEMORY
                                  : spot_comparison_add_model(self, &file->model, file->name, label,
                                        request->num_replications, watch);

    free(label);
    return ret;
}

int spot_comparison_run(spot_comparison_t *self, const spot_comparison_request_t *request,
    const spot_comparison_inputs_t *inputs, const spot_watch_t *watch, spot_diag_t *diag)
{
    const spot_trace_t *other = inputs->has_other ? &inputs->other : &inputs->trace;
    int ret = spot_comparison_init(self, &inputs->trace, other->resolution_ms,
        spot_comparison_is_net(inputs->trace.kind) || spot_comparison_is_net(other->kind),
        (uint64_t) request->seed);

    if (ret == 0 && inputs->has_other) {
        ret = add_other(self, request, inputs);
    }
    for (size_t j = 0; ret == 0 && j < inputs->num_models; j++) {
        const spot_trace_model_file_t *file = &inputs->models[j];
        const char *path = request->paths[j];

        ret = add_model(self, request, file, path, watch);
        warn_of_seed(self, file, path, diag);
        if (ret == SPOT_ERR_OVERDRAW) {
            spot_diag_error(diag, path, 0, 0, "%s", spot_error_text(ret));
        }
    }
    if (ret == 0) {
        spot_comparison_set_reference(self, &inputs->reference);
    }
    return ret;
}

size_t spot_comparison_first_judged(const spot_comparison_t *self)
{
    return SPOT_COMPARISON_FIRST - (self->num_columns == SPOT_COMPARISON_FIRST);
}

bool spot_comparison_is_within(
    const spot_comparison_column_t *column, const spot_comparison_limit_t *limit)
{
    return column->means[limit->metric_id] <= limit->value;
}
