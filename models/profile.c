/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/profile.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/units.h"

#define FIRST_KEY "spotsim-profile"
#define MAX_DURATION_S ((double) SPOT_MAX_DURATION_MS / (double) SPOT_MS_PER_S)

/* The document: the profile and what its first key says. */
typedef struct {
    int version; /* index into version_names */
    spot_profile_t profile;
} profile_file_t;

static const char *const version_names[] = {"1", NULL};

/* null is NAN: one value has no standard deviation. */
static void
bind_std(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *node, void *target)
{
    const spot_field_t number = {
        .name = field->name, .type = SPOT_FIELD_NUMBER, .max = HUGE_VAL};
    double *std_s = target;

    if (node->kind == SPOT_NODE_SCALAR && !node->is_quoted &&
        strcmp(node->text, "null") == 0) {
        *std_s = (double) NAN;
    } else {
        spot_bind_field(self, &number, node, std_s);
    }
}

static const spot_field_t measured_fields[] = {
    {.name = "mean_s",
        .type = SPOT_FIELD_NUMBER,
        .offset = offsetof(spot_measured_t, mean_s),
        .max = MAX_DURATION_S,
        .help = "mean, seconds"},
    {.name = "std_s",
        .type = SPOT_FIELD_CUSTOM,
        .offset = offsetof(spot_measured_t, std_s),
        .initial = "null",
        .bind = bind_std,
        .expected = "a number from 0, or null",
        .help = "standard deviation with n - 1, seconds; null for one value"},
    {.name = "count",
        .type = SPOT_FIELD_INTEGER,
        .offset = offsetof(spot_measured_t, count),
        .min = 1,
        .max = HUGE_VAL,
        .help = "number of values"},
    {.name = NULL},
};

static void
bind_measured(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *node, void *target)
{
    const size_t num_errors = self->diag->num_errors;
    spot_measured_t *measured = target;

    spot_bind_map(self, measured_fields, field->name, node, measured);
    if (self->diag->num_errors == num_errors &&
        isnan(measured->std_s) != (measured->count == 1)) {
        spot_bind_error(self, node, field->name,
            measured->count == 1 ? "one value has no std_s"
                                 : "more than one value needs std_s");
    }
}

/* Puts a step in its place. BAD_PARAM: the world size is there already. */
static int
add_step(spot_profile_t *self, const spot_measured_step_t *step)
{
    void *steps = self->step_time;
    size_t place = self->num_steps;
    int ret;

    while (place > 0 && self->step_time[place - 1].world_size > step->world_size) {
        place--;
    }
    if (place > 0 && self->step_time[place - 1].world_size == step->world_size) {
        return SPOT_ERR_BAD_PARAM;
    }
    ret = spot_array_reserve(
        &steps, &self->max_steps, self->num_steps + 1, sizeof(*self->step_time));
    self->step_time = steps;
    if (ret != 0) {
        return ret;
    }
    memmove(self->step_time + place + 1, self->step_time + place,
        (self->num_steps - place) * sizeof(*self->step_time));
    self->step_time[place] = *step;
    self->num_steps++;
    return 0;
}

/* One "world size: measured" of the map. */
static void
bind_step(spot_bind_t *self, const char *map_name, const spot_node_t *key,
    const spot_node_t *node, spot_profile_t *profile)
{
    const size_t num_errors = self->diag->num_errors;
    spot_measured_step_t step = {0};
    spot_field_t field = {0};
    int64_t step_ms = 0;
    char name[64];
    int ret;

    if (!spot_world_size_bind(self, map_name, key, &step.world_size)) {
        return;
    }
    snprintf(name, sizeof(name), "%s.%" PRId64, map_name, step.world_size);
    field.name = name;
    bind_measured(self, &field, node, &step.time);
    if (self->diag->num_errors > num_errors) {
        return;
    }
    if (spot_duration_from_s(step.time.mean_s, &step_ms) != 0 || step_ms < 1) {
        spot_bind_error(self, node, name, "the mean must round to at least 1 ms");
        return;
    }
    ret = add_step(profile, &step);
    if (ret == SPOT_ERR_BAD_PARAM) {
        spot_bind_error(self, key, name, "repeated world size");
    }
    self->is_out_of_memory = self->is_out_of_memory || ret == SPOT_ERR_NO_MEMORY;
}

static void
bind_steps(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *node, void *target)
{
    if (node->kind != SPOT_NODE_MAP || node->num_children == 0) {
        spot_bind_unexpected(self, field, node, "");
        return;
    }
    for (size_t j = 0; j < node->num_children; j++) {
        bind_step(self, field->name, node->keys[j], node->children[j], target);
    }
}

#define EXPECTED_MEASURED "a map such as {mean_s: 87.9, std_s: 1.5, count: 12}"

static const spot_field_t profile_fields[] = {
    {.name = FIRST_KEY,
        .type = SPOT_FIELD_CHOICE,
        .offset = offsetof(profile_file_t, version),
        .choices = version_names,
        .help = "version of the format, the first key of the file"},
    {.name = "source",
        .type = SPOT_FIELD_TEXT,
        .offset = offsetof(profile_file_t, profile.source),
        .initial = "",
        .help = "where the measurements came from"},
    {.name = "reconfiguration",
        .type = SPOT_FIELD_CUSTOM,
        .offset = offsetof(profile_file_t, profile.reconfiguration),
        .bind = bind_measured,
        .expected = EXPECTED_MEASURED,
        .help = "pause to form new pipelines"},
    {.name = "step_time",
        .type = SPOT_FIELD_CUSTOM,
        .offset = offsetof(profile_file_t, profile),
        .bind = bind_steps,
        .expected = "a map from world size to measured such as "
                    "{16: {mean_s: 18, std_s: 0.2, count: 12}}",
        .help = "time of a step by world size"},
    {.name = "checkpoint_write",
        .type = SPOT_FIELD_CUSTOM,
        .offset = offsetof(profile_file_t, profile.checkpoint_write),
        .bind = bind_measured,
        .expected = EXPECTED_MEASURED,
        .help = "time to write a checkpoint until it is durable"},
    {.name = "reload",
        .type = SPOT_FIELD_CUSTOM,
        .offset = offsetof(profile_file_t, profile.reload),
        .bind = bind_measured,
        .expected = EXPECTED_MEASURED,
        .help = "pause to load the last durable checkpoint"},
    {.name = NULL},
};

void
spot_profile_free(spot_profile_t *self)
{
    free(self->source);
    free(self->step_time);
    memset(self, 0, sizeof(*self));
}

/* The first key tells a profile from other files: one error instead of one a key. */
static int
check_first_key(const spot_node_t *root, spot_diag_t *diag)
{
    if (root->kind == SPOT_NODE_MAP && root->num_children > 0 &&
        strcmp(root->keys[0]->text, FIRST_KEY) == 0) {
        return 0;
    }
    spot_diag_error(diag, root->file, root->line, root->column,
        "not a profile: expected \"%s: 1\" as the first key", FIRST_KEY);
    return SPOT_ERR_BAD_INPUT;
}

int
spot_profile_read(spot_profile_t *self, const char *path, spot_diag_t *diag)
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

static void
write_measured(const spot_measured_t *measured, FILE *out)
{
    char mean[SPOT_NUMBER_TEXT_BYTES], std[SPOT_NUMBER_TEXT_BYTES] = "null";

    spot_number_text(measured->mean_s, mean);
    if (!isnan(measured->std_s)) {
        spot_number_text(measured->std_s, std);
    }
    fprintf(out, "{mean_s: %s, std_s: %s, count: %" PRId64 "}\n", mean, std,
        measured->count);
}

void
spot_profile_write(const spot_profile_t *self, FILE *out)
{
    fputs(
        "# Measured times: mean, standard deviation (n - 1), number of values.\n", out);
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

/* Several fields of a document may name the same file: its errors are told once. */
static bool
is_reported(const spot_diag_t *diag, const char *path)
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
static bool
read_named(spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node,
    spot_profile_t *profile)
{
    const spot_node_t *name = spot_node_get(node, "profile");
    bool is_read = false;
    char *path;

    memset(profile, 0, sizeof(*profile));
    if (name == NULL || node->num_children != 1 || name->kind != SPOT_NODE_SCALAR) {
        spot_bind_unexpected(bind, field, node, "");
        return false;
    }
    path = spot_node_file_path(name);
    if (path == NULL) {
        bind->is_out_of_memory = true;
    } else if (is_reported(bind->diag, path)) {
        spot_bind_error(bind, name, field->name, "%s has errors, see above", path);
    } else {
        const int ret = spot_profile_read(profile, path, bind->diag);

        bind->is_out_of_memory = bind->is_out_of_memory || ret == SPOT_ERR_NO_MEMORY;
        is_read = ret == 0;
    }
    free(path);
    return is_read;
}

/* The mean in whole ms; every mean of a profile is within the range of durations. */
static int64_t
mean_ms(const spot_measured_t *measured)
{
    int64_t duration_ms = 0;
    const int ret = spot_duration_from_s(measured->mean_s, &duration_ms);

    spot_bug_assert(ret == 0);
    return duration_ms;
}

/* A duration, or {profile: FILE}: the mean that the profile has at an offset. */
static void
bind_duration_or_mean(spot_bind_t *bind, const spot_field_t *field,
    const spot_node_t *node, int64_t *target_ms, size_t offset)
{
    const spot_field_t duration = {
        .name = field->name, .type = SPOT_FIELD_DURATION, .max = HUGE_VAL};
    spot_profile_t profile;

    if (node->kind == SPOT_NODE_SCALAR) {
        spot_bind_field(bind, &duration, node, target_ms);
        return;
    }
    if (read_named(bind, field, node, &profile)) {
        *target_ms = mean_ms((const void *) ((const char *) &profile + offset));
    }
    spot_profile_free(&profile);
}

void
spot_profile_bind_reconfiguration(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    bind_duration_or_mean(
        bind, field, node, target, offsetof(spot_profile_t, reconfiguration));
}

void
spot_profile_bind_checkpoint_write(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    bind_duration_or_mean(
        bind, field, node, target, offsetof(spot_profile_t, checkpoint_write));
}

void
spot_profile_bind_reload(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    bind_duration_or_mean(bind, field, node, target, offsetof(spot_profile_t, reload));
}

void
spot_profile_bind_step_time(spot_bind_t *bind, const spot_field_t *field,
    const spot_node_t *node, spot_step_time_t *target)
{
    spot_profile_t profile;
    const bool is_read = read_named(bind, field, node, &profile);

    for (size_t j = 0; is_read && j < profile.num_steps; j++) {
        const spot_measured_step_t *step = &profile.step_time[j];
        const int ret =
            spot_step_time_add(target, step->world_size, mean_ms(&step->time));

        bind->is_out_of_memory = bind->is_out_of_memory || ret != 0;
    }
    spot_profile_free(&profile);
}
