/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/compare/comparison.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/units.h"
#include "traces/describe/describe.h"

/* ---- The file of a model ---- */

static int set_key(spot_yaml_t *document, const char *key, const char *text)
{
    spot_node_t *value = spot_yaml_new_scalar(document, text, document->root);

    return value == NULL ? SPOT_ERR_NO_MEMORY : spot_yaml_set(document, key, value);
}

static int set_integer(spot_yaml_t *document, const char *key, int64_t value)
{
    char text[32];

    snprintf(text, sizeof(text), "%" PRId64, value);
    return set_key(document, key, text);
}

/* Sets length, initial instances and a missing capacity to those of the trace. */
static int fit_to_trace(spot_yaml_t *document, const spot_trace_t *trace)
{
    char length[SPOT_TRACE_TIME_BYTES];
    int ret;

    spot_trace_time_text(trace->end_ms, length);
    ret = set_key(document, "horizon_s", length);
    if (ret == 0 && !spot_trace_node_has_initial(document->root)) {
        ret = set_integer(document, "initial", trace->initial);
    }
    if (ret == 0 && trace->capacity != SPOT_UNBOUNDED &&
        spot_node_get(document->root, "capacity") == NULL) {
        ret = set_integer(document, "capacity", trace->capacity);
    }
    return ret;
}

static int check_document(const spot_node_t *root, spot_diag_t *diag)
{
    const char *problem = root->kind != SPOT_NODE_MAP || spot_node_get(root, "scenario") != NULL
                              ? "expected a model file (spotsim-model: 1)"
                          : spot_node_get(root, "file") != NULL
                              ? "a recorded trace is no generator: expected \"generator: NAME\""
                              : NULL;

    if (problem != NULL) {
        spot_diag_error(diag, root->file, root->line, root->column, "%s", problem);
    }
    return problem != NULL ? SPOT_ERR_BAD_INPUT : 0;
}

/* Checks that the initial instances of the trace, with which the model starts too, are
 * within the capacity of the model. */
static int check_room(
    const spot_node_t *root, const spot_trace_t *trace, const char *trace_path, spot_diag_t *diag)
{
    const spot_node_t *node = spot_node_get(root, "capacity");
    int64_t capacity = INT64_MAX; /* binding reports a value that is no number */

    if (node == NULL || node->text == NULL || spot_trace_node_has_initial(root) ||
        spot_integer_parse(node->text, &capacity) != 0 || capacity >= trace->initial) {
        return 0;
    }
    return spot_diag_error(diag, node->file, node->line, node->column,
        "capacity: the model's %" PRId64 " is less than the %" PRId32
        " instances that %s starts with: expected %s%" PRId32 ", or another trace",
        capacity, trace->initial, trace_path,
        trace->capacity != SPOT_UNBOUNDED ? "the capacity of that trace, " : "at least ",
        trace->capacity != SPOT_UNBOUNDED ? trace->capacity : trace->initial);
}

static bool says(const spot_trace_model_file_t *self, const char *key, const char *text)
{
    const spot_node_t *node = spot_node_get(self->document.root, key);

    return node != NULL && node->text != NULL && strcmp(node->text, text) == 0;
}

/* Kind of the model. The seed generator is "seed-corrected" or one of the notebook's
 * two; with only some of the defects it is none of the three. */
static const char *name_of(const spot_trace_model_file_t *self)
{
    const spot_node_t *root = self->document.root;
    const char *name = self->model.generator->name;

    if (strcmp(name, "seed") != 0 || spot_trace_model_common(&self->model)->frequency != 1) {
        return name;
    }
    if (spot_node_get(root, "variant") == NULL || says(self, "variant", "corrected")) {
        return "seed-corrected";
    }
    if (!says(self, "compat", "notebook")) {
        return name;
    }
    return says(self, "variant", "loop")             ? "seed-loop"
           : spot_node_get(root, "overdraw") == NULL ? "seed-cell42"
                                                     : name;
}

static void warn_capacity(
    const spot_trace_model_file_t *self, const spot_trace_t *trace, spot_diag_t *diag)
{
    const int64_t capacity = spot_trace_model_common(&self->model)->capacity;
    const spot_node_t *place = spot_node_place(self->document.root, "capacity");

    if (trace->capacity != SPOT_UNBOUNDED && capacity != trace->capacity) {
        spot_diag_warn(diag, place->file, place->line, place->column,
            "capacity: the model's %" PRId64 " differs from the trace's %" PRId32, capacity,
            trace->capacity);
    }
}

int spot_trace_model_file_read(spot_trace_model_file_t *self, const char *path,
    const spot_trace_t *trace, const char *trace_path, spot_diag_t *diag)
{
    int ret;

    memset(self, 0, sizeof(*self));
    ret = spot_yaml_read(&self->document, path, diag);
    ret = ret == 0 ? check_document(self->document.root, diag) : ret;
    ret = ret == 0 ? check_room(self->document.root, trace, trace_path, diag) : ret;
    ret = ret == 0 ? fit_to_trace(&self->document, trace) : ret;
    if (ret == 0) {
        ret = spot_trace_model_read(&self->model, self->document.root, diag);
    }
    if (ret == 0) {
        self->name = name_of(self);
        warn_capacity(self, trace, diag);
    }
    return ret;
}

void spot_trace_model_file_free(spot_trace_model_file_t *self)
{
    spot_trace_model_free(&self->model);
    spot_yaml_free(&self->document);
    memset(self, 0, sizeof(*self));
}

/* ---- A table of earlier fidelities ---- */

/* Columns of the table; one of each kind per metric from COLUMN_MEAN and COLUMN_SD
 * on. */
enum {
    COLUMN_TRACE,
    COLUMN_MODEL,
    COLUMN_REPLICATES,
    COLUMN_MEAN,
    COLUMN_SD = COLUMN_MEAN + SPOT_FIDELITY_NUM_METRICS,
    NUM_COLUMNS = COLUMN_SD + SPOT_FIDELITY_NUM_METRICS
};

#define NO_FIELD SIZE_MAX

/* Relative rounding of a table with 8 digits. */
#define DIGITS 1e-7

typedef struct {
    spot_reference_t *reference;
    spot_csv_t *csv;
    spot_diag_t *diag;
    size_t num_fields;             /* of the row of columns */
    size_t field_ids[NUM_COLUMNS]; /* NO_FIELD: missing */
    char column_names[NUM_COLUMNS][48];
} reading_t;

static void name_column(reading_t *self, int column_id, const char *prefix, const char *name)
{
    snprintf(
        self->column_names[column_id], sizeof(self->column_names[column_id]), "%s%s", prefix, name);
    self->field_ids[column_id] = NO_FIELD;
}

static void name_columns(reading_t *self)
{
    static const char *const first[] = {"trace", "model", "replicates"};

    for (int j = 0; j < COLUMN_MEAN; j++) {
        name_column(self, j, "", first[j]);
    }
    for (int j = 0; j < SPOT_FIDELITY_NUM_METRICS; j++) {
        name_column(self, COLUMN_MEAN + j, "", spot_fidelity_metrics[j].name);
        name_column(self, COLUMN_SD + j, "sd_", spot_fidelity_metrics[j].name);
    }
}

static void read_head(reading_t *self, const spot_csv_row_t *row)
{
    self->num_fields = row->num_fields;
    for (size_t j = 0; j < row->num_fields; j++) {
        for (int k = 0; k < NUM_COLUMNS; k++) {
            if (strcmp(row->fields[j], self->column_names[k]) == 0) {
                self->field_ids[k] = j;
            }
        }
    }
    for (int k = 0; k < COLUMN_MEAN; k++) {
        if (self->field_ids[k] == NO_FIELD) {
            spot_diag_error(self->diag, spot_csv_file(self->csv), row->line, 1,
                "missing column '%s'", self->column_names[k]);
        }
    }
}

static void unexpected(reading_t *self, const spot_csv_row_t *row, int column, const char *expected)
{
    (void) spot_csv_expected(row, self->field_ids[column], spot_csv_file(self->csv),
        self->column_names[column], expected, self->diag);
}

/* Reads a number; NAN for an empty or missing field. */
static double read_number(reading_t *self, const spot_csv_row_t *row, int column)
{
    const size_t field_id = self->field_ids[column];
    double value = (double) NAN;

    if (field_id != NO_FIELD && row->fields[field_id][0] != '\0' &&
        spot_number_parse(row->fields[field_id], &value) != 0) {
        unexpected(self, row, column, "a number or nothing");
    }
    return value;
}

static char *copy_field(const reading_t *self, const spot_csv_row_t *row, int column)
{
    const char *text = row->fields[self->field_ids[column]];

    return spot_text_copy(text, strlen(text));
}

static int read_row(reading_t *self, const spot_csv_row_t *row)
{
    spot_reference_row_t *values;
    int ret;

    if (row->num_fields != self->num_fields) {
        spot_diag_error(self->diag, spot_csv_file(self->csv), row->line, 1,
            "expected %zu fields, got %zu", self->num_fields, row->num_fields);
        return 0;
    }
    ret = SPOT_ARRAY_ROOM(self->reference, rows, self->reference->num_rows + 1);
    if (ret != 0) {
        return ret;
    }
    values = &self->reference->rows[self->reference->num_rows++];
    values->trace = copy_field(self, row, COLUMN_TRACE);
    values->model = copy_field(self, row, COLUMN_MODEL);
    if (spot_integer_parse(
            row->fields[self->field_ids[COLUMN_REPLICATES]], &values->num_replications) != 0 ||
        values->num_replications < 1) {
        unexpected(self, row, COLUMN_REPLICATES, "an integer from 1");
    }
    for (int j = 0; j < SPOT_FIDELITY_NUM_METRICS; j++) {
        values->means[j] = read_number(self, row, COLUMN_MEAN + j);
        values->sds[j] = read_number(self, row, COLUMN_SD + j);
    }
    return values->trace == NULL || values->model == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

/* Reads all rows; reports and skips a line with forbidden bytes. */
static int read_rows(reading_t *self)
{
    const size_t num_errors = self->diag->num_errors;
    spot_csv_row_t row;
    bool has_head = false;
    int ret = 1;

    while (ret == 1 || ret == SPOT_ERR_BAD_INPUT) {
        ret = spot_csv_next(self->csv, &row);
        if (ret != 1 || row.is_comment || row.num_fields == 0) {
            continue;
        }
        if (has_head) {
            const int row_ret = read_row(self, &row);

            ret = row_ret != 0 ? row_ret : ret;
        } else {
            read_head(self, &row);
            has_head = true;
            ret = self->diag->num_errors > num_errors ? 0 : ret;
        }
    }
    if (ret == 0 && !has_head) {
        spot_diag_error(self->diag, spot_csv_file(self->csv), 1, 1, "expected a row of columns");
    }
    return ret == 0 && self->diag->num_errors > num_errors ? SPOT_ERR_BAD_INPUT : ret;
}

int spot_reference_read(spot_reference_t *self, const char *path, spot_diag_t *diag)
{
    reading_t reading = {.reference = self, .diag = diag};
    int ret;

    memset(self, 0, sizeof(*self));
    name_columns(&reading);
    ret = spot_csv_open(&reading.csv, path, diag);
    if (ret == 0) {
        ret = read_rows(&reading);
        spot_csv_close(reading.csv);
    }
    return ret;
}

void spot_reference_free(spot_reference_t *self)
{
    for (size_t j = 0; j < self->num_rows; j++) {
        free(self->rows[j].trace);
        free(self->rows[j].model);
    }
    free(self->rows);
    memset(self, 0, sizeof(*self));
}

const spot_reference_row_t *spot_reference_find(
    const spot_reference_t *self, const char *trace, const char *model)
{
    for (size_t j = 0; j < self->num_rows; j++) {
        if (strcmp(self->rows[j].trace, trace) == 0 && strcmp(self->rows[j].model, model) == 0) {
            return &self->rows[j];
        }
    }
    return NULL;
}

double spot_reference_z(
    const spot_reference_row_t *row, int metric_id, double mean, int64_t num_replications)
{
    const double difference = mean - row->means[metric_id];
    const double sd = row->sds[metric_id];

    if (sd == 0 && fabs(difference) <= DIGITS * fabs(mean)) {
        return 0;
    }
    return difference /
           (sd * sqrt(1 / (double) num_replications + 1 / (double) row->num_replications));
}

/* ---- Writing JSON ---- */

#define INDENT 2

static const char *const column_kinds[] = {"recorded", "half", "halves", "trace", "model"};

static void write_values(spot_json_t *json, const char *key, const double *values)
{
    spot_json_open(json, key, '{');
    for (int j = 0; j < SPOT_FIDELITY_NUM_METRICS; j++) {
        spot_json_number(json, spot_fidelity_metrics[j].name, values[j]);
    }
    spot_json_close(json, '}');
}

static void write_trace(spot_json_t *json, const spot_comparison_t *self)
{
    const spot_observation_frame_t *frame = &self->recorded.frame;

    spot_json_open(json, "trace", '{');
    spot_json_text(json, "name", self->name);
    spot_json_text(json, "kind", spot_trace_kind_names[self->kind]);
    spot_json_text(
        json, "population", self->kind == SPOT_TRACE_AVAILABILITY ? "obtainable" : "running");
    spot_json_number(json, "resolution_s", self->resolution_s);
    spot_json_number(json, "span_s", frame->end_ms / (double) SPOT_MS_PER_S);
    if (self->is_unbounded) {
        spot_json_text(json, "capacity", "unbounded");
    } else {
        spot_json_integer(json, "capacity", frame->capacity);
    }
    spot_json_integer(json, "initial", self->recorded.initial);
    spot_json_close(json, '}');
}

static void write_column(spot_json_t *json, const spot_comparison_column_t *column)
{
    spot_json_open(json, NULL, '{');
    spot_json_text(json, "label", column->label);
    spot_json_text(json, "kind", column_kinds[column->kind]);
    if (column->kind == SPOT_COMPARISON_COLUMN_MODEL) {
        spot_json_text(json, "model", column->model);
        spot_json_integer(json, "replications", column->num_replications);
        write_values(json, "mean", column->means);
        write_values(json, "sd", column->sds);
    } else {
        write_values(json, "value", column->means);
    }
    if (column->has_reference) {
        write_values(json, "z", column->zs);
    }
    spot_json_close(json, '}');
}

/* Writes one object per error of a model, relative to the seed model. */
static void write_gains(
    spot_json_t *json, const spot_comparison_t *self, const spot_comparison_column_t *seed)
{
    static const char *const words[] = {"better", "alike", "worse", NULL};

    spot_json_open(json, "gains", '[');
    for (size_t j = SPOT_COMPARISON_FIRST; j < self->num_columns; j++) {
        for (int k = 0; &self->columns[j] != seed && k < SPOT_NUM_ERRORS; k++) {
            double error, stderr_error, ratio;
            const spot_relation_t relation =
                spot_comparison_relate(self, &self->columns[j], seed, k, &ratio);

            spot_comparison_error(self, &self->columns[j], k, &error, &stderr_error);
            spot_json_open(json, NULL, '{');
            spot_json_text(json, "label", self->columns[j].label);
            spot_json_text(json, "than", seed->label);
            spot_json_text(json, "error", spot_error_name(k));
            spot_json_number(json, "value", error);
            spot_json_number(json, "stderr", stderr_error);
            spot_json_number(json, "ratio", ratio);
            spot_json_text(json, "relation", words[relation]);
            spot_json_close(json, '}');
        }
    }
    spot_json_close(json, ']');
}

void spot_comparison_json_write(const spot_comparison_t *self, FILE *out)
{
    const spot_observation_frame_t *frame = &self->recorded.frame;
    const spot_comparison_column_t *seed = spot_comparison_seed(self);
    spot_json_t json;

    spot_json_init(&json, out, INDENT);
    spot_json_open(&json, NULL, '{');
    write_trace(&json, self);
    spot_json_number(&json, "tick_s", (double) frame->tick_ms / (double) SPOT_MS_PER_S);
    spot_json_text(&json, "recorded_changes", frame->is_net ? "net" : "both");
    spot_json_unsigned(&json, "seed", self->seed);
    spot_json_open(&json, "metrics", '{');
    for (int j = 0; j < SPOT_FIDELITY_NUM_METRICS; j++) {
        spot_json_open(&json, spot_fidelity_metrics[j].name, '{');
        spot_json_text(&json, "unit", spot_fidelity_metrics[j].unit);
        spot_json_text(&json, "help", spot_fidelity_metrics[j].help);
        spot_json_close(&json, '}');
    }
    spot_json_close(&json, '}');
    spot_json_open(&json, "columns", '[');
    for (size_t j = 0; j < self->num_columns; j++) {
        write_column(&json, &self->columns[j]);
    }
    spot_json_close(&json, ']');
    if (seed != NULL) {
        write_gains(&json, self, seed);
    }
    spot_json_close(&json, '}');
    fputc('\n', out);
}

void spot_comparison_csv_write(const spot_comparison_t *self, FILE *out)
{
    fputs("trace,model,replicates", out);
    for (int j = 0; j < 2 * SPOT_FIDELITY_NUM_METRICS; j++) {
        const bool is_sd = j >= SPOT_FIDELITY_NUM_METRICS;

        fprintf(out, ",%s%s", is_sd ? "sd_" : "",
            spot_fidelity_metrics[j % SPOT_FIDELITY_NUM_METRICS].name);
    }
    fputc('\n', out);
    for (size_t j = 0; j < self->num_columns; j++) {
        const spot_comparison_column_t *column = &self->columns[j];

        /* Neither the name of a trace nor a label has a comma or a quote. */
        fprintf(out, "%s,%s,%" PRId64, self->name, column->label, column->num_replications);
        for (int k = 0; k < SPOT_FIDELITY_NUM_METRICS; k++) {
            spot_csv_field_number(out, column->means[k]);
        }
        for (int k = 0; k < SPOT_FIDELITY_NUM_METRICS; k++) {
            spot_csv_field_number(out, column->sds[k]);
        }
        fputc('\n', out);
    }
}

/* ---- The comparison ---- */

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
    static const char *const suffixes[] = {
        ".yaml", ".yml", ".csv.gz", ".csv.xz", ".csv.zst", ".csv"};
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

/* Whether a trace of this kind only shows the net change of a tick. */
static bool is_net_kind(spot_trace_kind_t kind)
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
    ret = num_paths == 2 ? spot_csv_begins(paths[0], "# spotsim-trace:") : 0;
    if (ret < 0) {
        return spot_error_first(error, ret);
    }
    self->has_other = ret == 1;
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
        is_net_kind(inputs->trace.kind) || is_net_kind(other->kind), (uint64_t) request->seed);

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
