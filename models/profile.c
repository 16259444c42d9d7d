/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/profile.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/stats.h"
#include "base/table_file.h"
#include "base/units.h"

/* ---- Measuring ---- */

/* The value of one row. */
typedef struct {
    int64_t world_size; /* 0 in a file without that column */
    double time_s;
    double unused;
    size_t line;
} value_t;

typedef struct {
    const char *file_name;
    size_t num_columns;
    spot_row_member_t columns[SPOT_TABLE_FILE_MAX_COLUMNS];
} table_t;

#define WORLD_SIZE                                                                                 \
    {                                                                                              \
        "ws", SPOT_MEMBER_INTEGER, offsetof(value_t, world_size), 1, SPOT_MAX_INSTANCES,           \
            .expected = "a world size"                                                             \
    }
#define NUMBER(name)                                                                               \
    {                                                                                              \
        name, SPOT_MEMBER_NUMBER, offsetof(value_t, unused), -HUGE_VAL, HUGE_VAL,                  \
            .expected = "expected a number"                                                        \
    }
#define SECONDS(name, member)                                                                      \
    {                                                                                              \
        name, SPOT_MEMBER_SECONDS, offsetof(value_t, member),                                      \
            .expected = "expected seconds above 0"                                                 \
    }

static const table_t reconfiguration_table = {
    "reconfig.csv", 4, {WORLD_SIZE, NUMBER("start"), NUMBER("end"), SECONDS("elapsed", time_s)}};

static const table_t step_table = {"loop_times_0.csv", 7,
    {WORLD_SIZE, NUMBER("step"), NUMBER("loop start"), NUMBER("loop end"),
        SECONDS("train time", time_s), {"start chkpt thread", .kind = SPOT_MEMBER_IGNORED},
        SECONDS("total loop time", unused)}};

static const table_t checkpoint_table = {"async-checkpoint_0.csv", 1, {SECONDS("elapsed", time_s)}};

static const table_t reload_table = {
    "load_times_0.csv", 3, {WORLD_SIZE, NUMBER("step"), SECONDS("elapsed", time_s)}};

typedef struct {
    const table_t *table;
    char *path; /* owned */
    spot_diag_t *diag;
    size_t num_values;
    size_t max_values;
    value_t *values; /* [num_values] */
} measured_file_t;

/* Keeps the value of a row, or reports all its errors. */
static int read_row(measured_file_t *self, const spot_csv_row_t *row)
{
    const size_t num_errors = self->diag->num_errors;
    value_t value = {.line = row->line};
    char text[SPOT_MEMBER_PROBLEM_BYTES];

    if (row->num_fields != self->table->num_columns) {
        spot_diag_error(self->diag, self->path, row->line, row->columns[0],
            "expected %zu column%s, got %zu", self->table->num_columns,
            self->table->num_columns == 1 ? "" : "s", row->num_fields);
        return 0;
    }
    for (size_t j = 0; j < row->num_fields; j++) {
        const spot_row_member_t *column = &self->table->columns[j];
        const char *problem = spot_member_read(column, row->fields[j], &value, text);

        if (problem != NULL) {
            spot_csv_field_error(row, j, self->path, column->name, problem, self->diag);
        }
    }
    if (self->diag->num_errors > num_errors) {
        return 0;
    }
    return SPOT_ARRAY_APPEND(self, values, value);
}

static bool is_header(const table_t *table, const spot_csv_row_t *row)
{
    bool is_equal = row->num_fields == table->num_columns;

    for (size_t j = 0; is_equal && j < row->num_fields; j++) {
        is_equal = strcmp(row->fields[j], table->columns[j].name) == 0;
    }
    return is_equal;
}

/* Reads all rows; the first one may name the columns. */
static int read_rows(measured_file_t *self, spot_csv_t *csv)
{
    spot_csv_row_t row;
    bool is_first = true;
    int ret = 0;

    while (ret == 0) {
        const int status = spot_csv_next(csv, &row);

        if (status == 0) {
            break;
        }
        if (status == SPOT_ERR_BAD_INPUT || (status > 0 && row.num_fields == 0)) {
            continue;
        }
        if (status < 0) {
            ret = status;
        } else if (!is_first || !is_header(self->table, &row)) {
            ret = read_row(self, &row);
        }
        is_first = false;
    }
    return ret;
}

static void free_file(measured_file_t *self)
{
    free(self->path);
    free(self->values);
}

static char *join_path(const char *folder, const char *file_name)
{
    const size_t length = strlen(folder);
    const char *slash = length > 0 && folder[length - 1] == '/' ? "" : "/";
    const size_t num_bytes = length + strlen(slash) + strlen(file_name) + 1;
    char *path = malloc(num_bytes);

    if (path != NULL) {
        snprintf(path, num_bytes, "%s%s%s", folder, slash, file_name);
    }
    return path;
}

/* Reads a file of the folder and reports its errors to diag. IO, NO_MEMORY; free self
 * even then. */
static int read_file(
    measured_file_t *self, const table_t *table, const char *folder, spot_diag_t *diag)
{
    const size_t num_errors = diag->num_errors;
    spot_csv_t *csv = NULL;
    int ret;

    *self = (measured_file_t){.table = table, .diag = diag};
    self->path = join_path(folder, table->file_name);
    if (self->path == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    ret = spot_csv_open(&csv, self->path, diag);
    if (ret == 0) {
        ret = read_rows(self, csv);
        spot_csv_close(csv);
    }
    if (ret == 0 && self->num_values == 0 && diag->num_errors == num_errors) {
        spot_diag_error(diag, self->path, 0, 0, "no measurements");
    }
    return ret;
}

static spot_measured_t summarise(const value_t *values, size_t num_values)
{
    spot_moments_t moments = {0};
    spot_sum_t sum = {0};

    for (size_t j = 0; j < num_values; j++) {
        spot_sum_add(&sum, values[j].time_s);
        spot_moments_add(&moments, values[j].time_s);
    }
    return (spot_measured_t){.mean_s = spot_sum_total(&sum) / (double) num_values,
        .std_s = spot_moments_std(&moments),
        .count = (int64_t) num_values};
}

/* Summarises the measured column over all rows. */
static int measure_all(
    spot_measured_t *self, const table_t *table, const char *folder, spot_diag_t *diag)
{
    measured_file_t file;
    const int ret = read_file(&file, table, folder, diag);

    if (ret == 0 && file.num_values > 0) {
        *self = summarise(file.values, file.num_values);
    }
    free_file(&file);
    return ret;
}

/* Orders by world size, then by line. */
static int compare_values(const void *left, const void *right)
{
    const value_t *a = left, *b = right;

    if (a->world_size != b->world_size) {
        return a->world_size < b->world_size ? -1 : 1;
    }
    return (a->line > b->line) - (a->line < b->line);
}

/* Appends the values of one world size as a step of the profile. */
static int append_step(
    spot_profile_t *self, const measured_file_t *file, const value_t *values, size_t num_values)
{
    const spot_measured_step_t step = {
        .world_size = values[0].world_size, .time = summarise(values, num_values)};
    const int ret = spot_array_reserve(
        &self->step_time, &self->max_steps, self->num_steps + 1, sizeof(*self->step_time));
    int64_t step_ms = 0;

    if (ret != 0) {
        return ret;
    }
    self->step_time[self->num_steps++] = step;
    if (spot_duration_from_s(step.time.mean_s, &step_ms) != 0 || step_ms < 1) {
        spot_diag_error(file->diag, file->path, 0, 0,
            "train time: the mean of world size %" PRId64 " rounds to less than 1 ms",
            step.world_size);
    }
    return 0;
}

/* Summarises the measured column by world size. */
static int measure_steps(spot_profile_t *self, const char *folder, spot_diag_t *diag)
{
    measured_file_t file;
    size_t start = 0;
    int ret = read_file(&file, &step_table, folder, diag);

    if (file.num_values > 0) {
        qsort(file.values, file.num_values, sizeof(*file.values), compare_values);
    }
    while (ret == 0 && start < file.num_values) {
        size_t end = start + 1;

        while (
            end < file.num_values && file.values[end].world_size == file.values[start].world_size) {
            end++;
        }
        ret = append_step(self, &file, file.values + start, end - start);
        start = end;
    }
    free_file(&file);
    return ret;
}

int spot_profile_measure(spot_profile_t *self, const char *folder, spot_diag_t *diag)
{
    const size_t num_errors = diag->num_errors;
    int ret[4];

    memset(self, 0, sizeof(*self));
    self->source = spot_text_copy(folder, strlen(folder));
    if (self->source == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    ret[0] = measure_all(&self->reconfiguration, &reconfiguration_table, folder, diag);
    ret[1] = measure_steps(self, folder, diag);
    ret[2] = measure_all(&self->checkpoint_write, &checkpoint_table, folder, diag);
    ret[3] = measure_all(&self->reload, &reload_table, folder, diag);
    for (size_t j = 0; j < 4; j++) {
        if (ret[j] != 0) {
            return ret[j];
        }
    }
    return diag->num_errors > num_errors ? SPOT_ERR_BAD_INPUT : 0;
}

/* ---- Files and keys ---- */

#define FIRST_KEY "spotsim-profile"
#define MAX_DURATION_S ((double) SPOT_MAX_DURATION_MS / (double) SPOT_MS_PER_S)

/* The document: the profile and its version. */
typedef struct {
    int version; /* index into version_names */
    spot_profile_t profile;
} profile_file_t;

static const char *const version_names[] = {"1", NULL};

static const char *const null_names[] = {"null", NULL};

static const spot_field_t std_forms[] = {
    {.name = "", .type = SPOT_FIELD_CHOICE, .offset = SPOT_NOWHERE, .choices = null_names},
    {.name = "", .type = SPOT_FIELD_NUMBER, .max = HUGE_VAL},
    {.name = NULL},
};

/* A single value has no standard deviation: null is NAN, "null" in quotes is a text. */
static void settle_std(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *node, void *target)
{
    spot_field_t number = std_forms[1];

    if (spot_field_form(field, node) == std_forms && !node->is_quoted) {
        *(double *) target = (double) NAN;
    } else if (node->is_quoted) {
        number.name = field->name;
        spot_bind_field(self, &number, node, target);
    }
}

static const spot_field_t measured_fields[] = {
    {SPOT_RANGE(
        NUMBER, "mean_s", spot_measured_t, mean_s, 0, MAX_DURATION_S, NULL, "mean, seconds")},
    {SPOT_FIELDS(ONE_OF, "std_s", spot_measured_t, std_s, std_forms, "null",
         "standard deviation with n - 1, seconds; null for one value"),
        .settle = settle_std, .expected = "a number from 0, or null"},
    {SPOT_RANGE(INTEGER, "count", spot_measured_t, count, 1, HUGE_VAL, NULL, "number of values")},
    {.name = NULL},
};

static void check_measured(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *node, void *target)
{
    const spot_measured_t *measured = target;

    if (isnan(measured->std_s) != (measured->count == 1)) {
        spot_bind_error(self, node, field->name,
            measured->count == 1 ? "one value has no std_s" : "more than one value needs std_s");
    }
}

static void check_step(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *node, void *target)
{
    const size_t num_errors = self->diag->num_errors;
    const spot_measured_t *measured = target;
    int64_t step_ms = 0;

    check_measured(self, field, node, target);
    if (self->diag->num_errors == num_errors &&
        (spot_duration_from_s(measured->mean_s, &step_ms) != 0 || step_ms < 1)) {
        spot_bind_error(self, node, field->name, "the mean must round to at least 1 ms");
    }
}

static const spot_field_t step_item = {.type = SPOT_FIELD_MAP,
    .offset = offsetof(spot_measured_step_t, time),
    .fields = measured_fields,
    .settle = check_step};

static const spot_field_t profile_fields[] = {
    {SPOT_CHOICE(FIRST_KEY, profile_file_t, version, version_names, NULL,
        "version of the format, the first key of the file")},
    {SPOT_VALUE(
        TEXT, "source", profile_file_t, profile.source, "", "where the measurements came from")},
    {SPOT_FIELDS(MAP, "reconfiguration", profile_file_t, profile.reconfiguration, measured_fields,
         NULL, "pause to form new pipelines"),
        .settle = check_measured},
    {SPOT_RANGE(DICT, "step_time", profile_file_t, profile.step_time, 1, HUGE_VAL, NULL,
         "time of a step by world size"),
        .num_offset = offsetof(profile_file_t, profile.num_steps), .key = &spot_world_size_key,
        .item = &step_item, .item_size = sizeof(spot_measured_step_t),
        .expected = "a map from world size to measured such as {16: {mean_s: 18, std_s: "
                    "0.2, count: 12}}"},
    {SPOT_FIELDS(MAP, "checkpoint_write", profile_file_t, profile.checkpoint_write, measured_fields,
         NULL, "time to write a checkpoint until it is durable"),
        .settle = check_measured},
    {SPOT_FIELDS(MAP, "reload", profile_file_t, profile.reload, measured_fields, NULL,
         "pause to load the last durable checkpoint"),
        .settle = check_measured},
    {.name = NULL},
};

void spot_profile_free(spot_profile_t *self)
{
    free(self->source);
    free(self->step_time);
    memset(self, 0, sizeof(*self));
}

/* Checks the first key: a file of another kind gets one error instead of one per key. */
static int check_first_key(const spot_node_t *root, spot_diag_t *diag)
{
    if (root->kind == SPOT_NODE_MAP && root->num_children > 0 &&
        strcmp(root->keys[0]->text, FIRST_KEY) == 0) {
        return 0;
    }
    return spot_diag_error(diag, root->file, root->line, root->column,
        "not a profile: expected \"%s: 1\" as the first key", FIRST_KEY);
}

int spot_profile_read(spot_profile_t *self, const char *path, spot_diag_t *diag)
{
    profile_file_t file = {0};
    spot_yaml_t document;
    int ret = spot_yaml_read(&document, path, diag);

    if (document.root != NULL) {
        int error = check_first_key(document.root, diag);

        if (error == 0) {
            error = spot_bind_document(profile_fields, document.root, diag, &file);
        }
        ret = error != 0 ? error : ret;
    }
    spot_yaml_free(&document);
    *self = file.profile;
    return ret;
}

static void write_measured(const spot_measured_t *measured, FILE *out)
{
    char mean[SPOT_NUMBER_TEXT_BYTES], std[SPOT_NUMBER_TEXT_BYTES] = "null";

    spot_number_text(measured->mean_s, mean);
    if (!isnan(measured->std_s)) {
        spot_number_text(measured->std_s, std);
    }
    fprintf(out, "{mean_s: %s, std_s: %s, count: %" PRId64 "}\n", mean, std, measured->count);
}

void spot_profile_write(const spot_profile_t *self, FILE *out)
{
    fputs("# Measured times: mean, standard deviation (n - 1), number of values.\n", out);
    fputs(FIRST_KEY ": 1\n", out);
    if (self->source != NULL) {
        spot_json_t json;

        spot_json_init(&json, out, 0);
        fputs("source: ", out);
        spot_json_text(&json, NULL, self->source);
        putc('\n', out);
    }
    fputs("reconfiguration: ", out);
    write_measured(&self->reconfiguration, out);
    fputs("step_time:\n", out);
    for (size_t j = 0; j < self->num_steps; j++) {
        fprintf(out, "  %" PRId64 ": ", self->step_time[j].world_size);
        write_measured(&self->step_time[j].time, out);
    }
    fputs("checkpoint_write: ", out);
    write_measured(&self->checkpoint_write, out);
    fputs("reload: ", out);
    write_measured(&self->reload, out);
}

/* Whether errors of a file are already reported: several fields of a document may name
 * it. */
static bool is_reported(const spot_diag_t *diag, const char *path)
{
    const size_t length = strlen(path);

    for (size_t j = 0; j < diag->num_items; j++) {
        const char *text = diag->items[j].text;

        if (strncmp(text, path, length) == 0 && text[length] == ':') {
            return true;
        }
    }
    return false;
}

/* Reads the file of {profile: FILE}; false: reported. Free profile even then. */
static bool read_named(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, spot_profile_t *profile)
{
    const spot_node_t *name = spot_node_get(node, "profile");
    char *path = spot_node_file_path(name);
    int ret = path == NULL ? SPOT_ERR_NO_MEMORY : SPOT_ERR_BAD_INPUT;

    memset(profile, 0, sizeof(*profile));
    if (path != NULL && is_reported(bind->diag, path)) {
        spot_bind_error(bind, name, field->name, "%s has errors, see above", path);
    } else if (path != NULL) {
        ret = spot_profile_read(profile, path, bind->diag);
    }
    bind->is_out_of_memory = bind->is_out_of_memory || ret == SPOT_ERR_NO_MEMORY;
    free(path);
    return ret == 0;
}

/* The mean in whole ms; the mean of a profile is always within the range of
 * durations. */
static int64_t mean_ms(const spot_measured_t *measured)
{
    int64_t duration_ms = 0;
    const int ret = spot_duration_from_s(measured->mean_s, &duration_ms);

    spot_bug_assert(ret == 0);
    return duration_ms;
}

const spot_field_t spot_profile_forms[] = {
    {.name = "profile", .type = SPOT_FIELD_PATH, .offset = SPOT_NOWHERE},
    {.name = "", .type = SPOT_FIELD_DURATION, .max = HUGE_VAL},
    {.name = NULL},
};

/* Stores the mean at an offset in the profile. */
static void settle_mean(spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node,
    int64_t *target_ms, size_t offset)
{
    spot_profile_t profile;

    if (node->kind == SPOT_NODE_SCALAR) {
        return;
    }
    if (read_named(bind, field, node, &profile)) {
        *target_ms = mean_ms((const void *) ((const char *) &profile + offset));
    }
    spot_profile_free(&profile);
}

void spot_profile_settle_reconfiguration(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    settle_mean(bind, field, node, target, offsetof(spot_profile_t, reconfiguration));
}

void spot_profile_settle_checkpoint_write(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    settle_mean(bind, field, node, target, offsetof(spot_profile_t, checkpoint_write));
}

void spot_profile_settle_reload(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    settle_mean(bind, field, node, target, offsetof(spot_profile_t, reload));
}

void spot_profile_settle_step_time(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, spot_step_time_t *target)
{
    spot_profile_t profile;
    const bool is_read = read_named(bind, field, node, &profile);

    for (size_t j = 0; is_read && j < profile.num_steps; j++) {
        const spot_measured_step_t *step = &profile.step_time[j];
        const int ret = spot_step_time_add(target, step->world_size, mean_ms(&step->time));

        bind->is_out_of_memory = bind->is_out_of_memory || ret != 0;
    }
    spot_profile_free(&profile);
}
