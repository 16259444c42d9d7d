/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keys of laws of jobs and their checks. */
#include "traces/jobs/job_law.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/datetime.h"
#include "base/memory.h"

#define MAX_WEIGHT 1e12
#define MAX_USERS 1000000
#define S_PER_D INT64_C(86400)
#define DEFAULT_HORIZON_MS (SPOT_DAYS_PER_WEEK * SPOT_MS_PER_D)

const char *const spot_job_weekday_names[] = {
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", NULL};

/* Makes parts of the weights of items, which stand item_size bytes apart. */
static void settle_parts(spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node,
    spot_parts_t *parts, size_t num_parts, const double *weight, const char *problem)
{
    for (size_t j = 0; j < num_parts; j++) {
        const char *at = (const char *) weight + j * field->item_size;

        if (spot_parts_add(parts, *(const double *) (const void *) at) != 0) {
            bind->is_out_of_memory = true;
        }
    }
    if (!(spot_parts_sum(parts) > 0)) {
        spot_bind_unexpected(bind, field, node, problem);
    }
}

/* ---- Sizes ---- */

/* Of sizes and classes, which both begin with it. */
static const spot_field_t size_key = {.type = SPOT_FIELD_INTEGER,
    .offset = offsetof(spot_job_size_t, num_gpus),
    .min = 1,
    .max = SPOT_JOB_MAX_GPUS,
    .what = "a number of GPUs"};
static const spot_field_t size_item = {
    .type = SPOT_FIELD_NUMBER, .offset = offsetof(spot_job_size_t, weight), .max = MAX_WEIGHT};

static void settle_sizes(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    spot_job_sizes_t *self = (void *) ((char *) target - offsetof(spot_job_sizes_t, sizes));

    settle_parts(
        bind, field, node, &self->parts, self->num_sizes, &self->sizes[0].weight, "all are 0");
}

#define SIZES(owner, starts, text)                                                                 \
    {                                                                                              \
        SPOT_VALUE(DICT, "sizes", owner, sizes.sizes, starts, "sizes of jobs", text),              \
            .num_offset = offsetof(owner, sizes.num_sizes), .key = &size_key, .item = &size_item,  \
            .item_size = sizeof(spot_job_size_t), .min = 1, .max = HUGE_VAL, SPOT_DECIDES,         \
            .settle = settle_sizes,                                                                \
            .expected = "a map from the number of GPUs to a weight such as {1: 0.7, 8: 0.3}"       \
    }

static void free_sizes(spot_job_sizes_t *self)
{
    free(self->sizes);
    free(self->parts.until);
}

/* ---- Durations ---- */

#define DURATION_EXPECTED                                                                          \
    "a duration such as 600 s, or a law such as {family: exponential, mu: 600}"

static const spot_field_t duration_forms[] = {
    {.name = "",
        .type = SPOT_FIELD_DURATION,
        .offset = offsetof(spot_job_duration_t, fixed_ms),
        .min = (double) SPOT_MS_PER_S,
        .max = (double) SPOT_MAX_DURATION_MS},
    {.name = "",
        .type = SPOT_FIELD_CUSTOM,
        .offset = offsetof(spot_job_duration_t, law),
        .bind = spot_law_bind,
        .table = spot_law_table,
        .expected = DURATION_EXPECTED},
    {.name = NULL},
};

static const spot_field_t class_item = {.type = SPOT_FIELD_ONE_OF,
    .offset = offsetof(spot_job_class_t, duration),
    .fields = duration_forms,
    .expected = DURATION_EXPECTED};

/* ---- Nodes that come and go ---- */

static const spot_field_t checkpoint_fields[] = {
    {SPOT_RANGE(DURATION, "every", spot_job_law_terms_t, checkpoint_every_ms, 0,
         (double) SPOT_MAX_DURATION_MS, "0 s", "checkpoint interval of jobs",
         "progress between the starts of checkpoints; 0 s: jobs write none"),
        SPOT_DECIDES},
    {SPOT_RANGE(DURATION, "write", spot_job_law_terms_t, checkpoint_write_ms, 0,
         (double) SPOT_MAX_DURATION_MS, "0 s", "write time of jobs",
         "time until a checkpoint is durable"),
        SPOT_DECIDES},
    {.name = NULL},
};

static const spot_field_t speed_item = {.type = SPOT_FIELD_NUMBER,
    .offset = offsetof(spot_job_size_t, weight),
    .min = 1e-9,
    .max = 1e9};

static const spot_field_t elastic_fields[] = {
    {SPOT_RANGE(NUMBER, "share", spot_job_law_terms_t, p_elastic, 0, 1, "1", "elastic share",
         "share of the jobs of these sizes that are elastic, the others are rigid"),
        SPOT_DECIDES},
    {SPOT_VALUE(DICT, "throughput", spot_job_law_terms_t, speeds, NULL,
         "throughput by number of GPUs, in any unit: an elastic job runs on any of "
         "these numbers"),
        .num_offset = offsetof(spot_job_law_terms_t, num_speeds), .key = &size_key,
        .item = &speed_item, .item_size = sizeof(spot_job_size_t), .min = 1, .max = HUGE_VAL,
        .expected = "a map from the number of GPUs to a throughput such as {4: 1, 8: "
                    "1.8}"},
    {.name = NULL},
};

/* Writes the throughput as in the column of a log: "4:1 8:1.8". */
static void settle_elastic(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    enum { ITEM_BYTES = SPOT_NUMBER_TEXT_BYTES + 16 };
    spot_job_law_terms_t *self = target;
    char *end = self->scaling = spot_calloc(self->num_speeds, ITEM_BYTES);

    (void) field;
    (void) node;
    bind->is_out_of_memory = bind->is_out_of_memory || self->scaling == NULL;
    for (size_t j = 0; self->scaling != NULL && j < self->num_speeds; j++) {
        char speed[SPOT_NUMBER_TEXT_BYTES];

        spot_number_text(self->speeds[j].weight, speed);
        end += snprintf(
            end, ITEM_BYTES, "%s%" PRId64 ":%s", j > 0 ? " " : "", self->speeds[j].num_gpus, speed);
    }
}

/* ---- VCs ---- */

static const spot_field_t vc_key = {
    .type = SPOT_FIELD_TEXT, .offset = offsetof(spot_job_law_vc_t, name)};

static const spot_field_t vc_fields[] = {
    {SPOT_RANGE(NUMBER, "weight", spot_job_law_vc_t, weight, 0, MAX_WEIGHT, NULL,
        "how many of the jobs are of this VC, relative to the others")},
    SIZES(spot_job_law_vc_t, "", "sizes of the jobs of this VC (default: as elsewhere)"),
    {.name = NULL},
};

static const spot_field_t vc_forms[] = {
    {.name = "",
        .type = SPOT_FIELD_NUMBER,
        .offset = offsetof(spot_job_law_vc_t, weight),
        .max = MAX_WEIGHT},
    {.name = "", .type = SPOT_FIELD_MAP, .fields = vc_fields},
    {.name = NULL},
};

static void settle_vc(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    spot_job_law_vc_t *self = target;

    (void) bind;
    (void) field;
    self->line = node->line;
    self->column = node->column;
}

static const spot_field_t vc_item = {.type = SPOT_FIELD_ONE_OF,
    .fields = vc_forms,
    .settle = settle_vc,
    .expected = "a weight, or {weight: NUMBER, sizes: {...}}"};

static void settle_vcs(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    spot_job_law_t *self = (void *) ((char *) target - offsetof(spot_job_law_t, vcs));

    settle_parts(bind, field, node, &self->vc_parts, self->num_vcs, &self->vcs[0].weight,
        "all weights are 0");
}

/* ---- Times ---- */

/* Divides weights by their mean. */
static void settle_weights(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    const size_t num_weights = (size_t) field->max;
    double *weights = target;
    double sum = 0;

    for (size_t j = 0; j < num_weights; j++) {
        sum += weights[j];
    }
    if (!(sum > 0)) {
        spot_bind_unexpected(bind, field, node, "all are 0");
        return;
    }
    for (size_t j = 0; j < num_weights; j++) {
        weights[j] *= (double) num_weights / sum;
    }
}

static const spot_field_t weight_item = {.type = SPOT_FIELD_NUMBER, .max = MAX_WEIGHT};

#define WEIGHTS(key, member, number, starts, words, text)                                          \
    {                                                                                              \
        SPOT_RANGE(LIST, key, spot_job_law_t, member, number, number, starts, text),               \
            .is_in_place = true, .item = &weight_item, .item_size = sizeof(double),                \
            .expected = words, .settle = settle_weights                                            \
    }

int64_t spot_job_week_s(int64_t time_s)
{
    const int64_t per_week_s = SPOT_DAYS_PER_WEEK * S_PER_D;
    const int64_t week_s = (time_s + 3 * S_PER_D) % per_week_s; /* 1970: a Thursday */

    return week_s < 0 ? week_s + per_week_s : week_s;
}

enum { START_WEEKDAY, START_DATE };

static const spot_field_t start_forms[] = {
    [START_WEEKDAY] = {.name = "",
        .type = SPOT_FIELD_CHOICE,
        .offset = offsetof(spot_job_start_t, weekday),
        .choices = spot_job_weekday_names},
    [START_DATE] = {.name = "",
        .type = SPOT_FIELD_TEXT,
        .offset = offsetof(spot_job_start_t, date)},
    {.name = NULL},
};

static void settle_start(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    spot_job_start_t *self = target;
    bool is_date;

    if (self->form == START_WEEKDAY) {
        self->clock_zero_s = SPOT_JOB_NO_CLOCK;
        self->week_s = self->weekday * S_PER_D;
    } else if (spot_clock_parse(self->date, &self->clock_zero_s, &is_date) == 0 && is_date) {
        self->week_s = spot_job_week_s(self->clock_zero_s);
    } else {
        spot_bind_unexpected(bind, field, node, "");
    }
}

const spot_field_t spot_job_law_fields[] = {
    {SPOT_RANGE(INTEGER, "spotsim-jobs", spot_job_law_t, version, 1, 1, "1",
        "version of the format, in a file of its own")},
    {SPOT_RANGE(NUMBER, "per_hour", spot_job_law_t, per_hour, 0.001, 1e9, NULL, "jobs per hour",
        "jobs that come an hour, in the mean over a week")},
    WEIGHTS("hours", hours, SPOT_HOURS_PER_DAY,
        "[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]",
        "a list of 24 numbers from 0, one an hour of the day",
        "weights of the hours from 0 h to 24 h, divided by their mean"),
    WEIGHTS("weekdays", weekdays, SPOT_DAYS_PER_WEEK, "[1, 1, 1, 1, 1, 1, 1]",
        "a list of 7 numbers from 0, one a day from Monday to Sunday",
        "weights of the days, Monday first, divided by their mean"),
    {SPOT_FIELDS(ONE_OF, "start", spot_job_law_t, start, start_forms, "monday",
         "what the clock of second 0 shows: a weekday, at 0 h, or a date"),
        .has_form = true, .form_offset = offsetof(spot_job_law_t, start.form),
        .settle = settle_start, .expected = "a weekday (monday ... sunday) or YYYY-MM-DD hh:mm:ss"},
    {SPOT_RANGE(DURATION, "horizon", spot_job_law_t, horizon_ms, (double) SPOT_MS_PER_S,
         (double) SPOT_MAX_DURATION_MS, "", "jobs come for",
         "time within which jobs come (default: 7 d, or with jobs no limit)"),
        .otherwise = "7 d", SPOT_DECIDES},
    {SPOT_RANGE(INTEGER, "jobs", spot_job_law_t, num_jobs, 1, SPOT_JOB_LAW_MAX_JOBS, "",
        "number of jobs",
        "number of jobs after which no more come, if the horizon allows as many")},
    SIZES(spot_job_law_t, "{1: 1}", "weights of jobs by their number of GPUs"),
    {SPOT_FIELDS(ONE_OF, "duration", spot_job_law_t, duration, duration_forms,
         "{family: lognormal, zeta: 6.4, sigma: 2}", "duration of jobs",
         "how long jobs take; seconds of a law are rounded, and at least 1"),
        .expected = DURATION_EXPECTED, SPOT_DECIDES},
    {SPOT_VALUE(DICT, "durations", spot_job_law_t, classes, "",
         "how long jobs of at least so many GPUs take, in place of duration, such as "
         "{1: 600 s, 8: {family: exponential, mu: 3600}}"),
        .num_offset = offsetof(spot_job_law_t, num_classes), .key = &size_key, .item = &class_item,
        .item_size = sizeof(spot_job_class_t), .min = 1, .max = HUGE_VAL,
        .expected = "a map from the least number of GPUs to a duration or a law"},
    {SPOT_RANGE(DURATION, "longest", spot_job_law_t, longest_ms, (double) SPOT_MS_PER_S,
        (double) SPOT_MAX_DURATION_MS, "36500 d",
        "longest duration: what a law draws beyond it takes as long")},
    {SPOT_FIELDS(MAP, "checkpoint", spot_job_law_t, terms, checkpoint_fields, "{}",
        "checkpoints, which keep progress when nodes go, such as {every: 30 min, write: "
        "1 min}")},
    {SPOT_RANGE(DURATION, "restart", spot_job_law_t, terms.restart_ms, 0,
         (double) SPOT_MAX_DURATION_MS, "", "restart time of jobs",
         "time that a restart takes (default: 40 s, above 8 GPUs 60 s, as in published "
         "simulators)"),
        .otherwise = SPOT_RESTART_WORDS, SPOT_DECIDES},
    {SPOT_RANGE(DURATION, "reconfiguration", spot_job_law_t, terms.reconfiguration_ms, 0,
         (double) SPOT_MAX_DURATION_MS, "0 s", "reconfiguration time of jobs",
         "time that an elastic job takes to go on with another number of GPUs"),
        SPOT_DECIDES},
    {SPOT_FIELDS(MAP, "elastic", spot_job_law_t, terms, elastic_fields, "",
         "jobs whose number of GPUs may change, such as {share: 0.5, throughput: {4: 1, "
         "8: 1.8}} (default: none)"),
        .settle = settle_elastic},
    {SPOT_VALUE(PATH, "workload", spot_job_law_t, workload_path, "",
        "a CSV file of workloads (model, dataset, gpu_util, ...; gpu_num, weight) from "
        "which jobs are drawn by their number of GPUs (default: none)")},
    {SPOT_VALUE(DICT, "vcs", spot_job_law_t, vcs, "",
         "weights of the VCs, such as {a: 2, b: {weight: 1, sizes: {8: 1}}} (default: "
         "all VCs of the cluster, by their nodes)"),
        .num_offset = offsetof(spot_job_law_t, num_vcs), .key = &vc_key, .item = &vc_item,
        .item_size = sizeof(spot_job_law_vc_t), .min = 1, .max = HUGE_VAL, .is_ordered = true,
        .settle = settle_vcs, .expected = "a map from VC to a weight such as {a: 0.6, b: 0.4}"},
    {SPOT_RANGE(INTEGER, "users", spot_job_law_t, num_users, 0, MAX_USERS, "0",
        "number of users: user k has a weight of 1/k; 0: jobs have no user")},
    {.name = NULL},
};

/* ---- The law as a whole ---- */

double spot_job_law_mean_jobs(const spot_job_law_t *self)
{
    const double mean = self->per_hour * (double) self->horizon_ms / SPOT_MS_PER_H;

    return self->num_jobs > 0 && (self->horizon_ms == 0 || (double) self->num_jobs < mean)
               ? (double) self->num_jobs
           : self->horizon_ms > 0 ? mean
                                  : (double) INFINITY;
}

/* Reads the table; reports sizes of jobs of a VC, or of the law, for which it has no
 * rows. */
static void read_workloads(spot_job_law_t *self, spot_bind_t *bind, const spot_node_t *node)
{
    const int ret = spot_workload_table_read(
        &self->workload_table, &self->workloads, self->workload_path, bind->diag);
    const size_t num_vcs = self->num_vcs == 0 ? 1 : self->num_vcs;

    bind->is_out_of_memory = bind->is_out_of_memory || ret == SPOT_ERR_NO_MEMORY;
    for (size_t k = 0; k < num_vcs && ret == 0; k++) {
        const bool is_own = self->num_vcs > 0 && self->vcs[k].sizes.num_sizes > 0;
        const spot_job_sizes_t *sizes = is_own ? &self->vcs[k].sizes : &self->sizes;

        for (size_t j = 0; j < sizes->num_sizes; j++) {
            const char *lacking = spot_workload_table_lacks(
                &self->workload_table, (int32_t) sizes->sizes[j].num_gpus);

            if (lacking != NULL) {
                spot_bind_error(bind, spot_node_place(node, "workload"), "workload",
                    "no row is for jobs of %s", lacking);
            }
        }
    }
}

static void settle(spot_job_law_t *self, spot_bind_t *bind, const spot_node_t *node)
{
    if (self->horizon_ms == 0 && self->num_jobs == 0) {
        self->horizon_ms = DEFAULT_HORIZON_MS;
    }
    if (spot_job_law_mean_jobs(self) > SPOT_JOB_LAW_MAX_JOBS) {
        spot_bind_error(bind, spot_node_place(node, "per_hour"), "per_hour",
            "%g jobs are expected within the horizon: there are at most %d",
            spot_job_law_mean_jobs(self), SPOT_JOB_LAW_MAX_JOBS);
    }
    if (self->workload_path != NULL) {
        read_workloads(self, bind, node);
    }
    for (int64_t j = 1; j <= self->num_users; j++) {
        if (spot_parts_add(&self->user_parts, 1 / (double) j) != 0) {
            bind->is_out_of_memory = true;
        }
    }
    self->file = spot_text_copy(node->file, strlen(node->file));
    bind->is_out_of_memory = bind->is_out_of_memory || self->file == NULL;
}

static void bind_map(
    spot_job_law_t *self, spot_bind_t *bind, const char *name, const spot_node_t *node)
{
    const size_t num_errors = bind->diag->num_errors;

    if (node->kind != SPOT_NODE_MAP) {
        spot_bind_error(bind, node, name, "expected laws of jobs (per_hour: NUMBER, ...)");
        return;
    }
    self->terms.restart_ms = -1;
    spot_bind_map(bind, spot_job_law_fields, name, node, self);
    if (bind->diag->num_errors == num_errors && !bind->is_out_of_memory) {
        settle(self, bind, node);
    }
}

const spot_field_t *spot_job_law_table(const spot_node_t *node)
{
    return node->kind == SPOT_NODE_MAP ? spot_job_law_fields : NULL;
}

void spot_job_law_bind(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    spot_yaml_t document;
    char *path;
    int ret;

    if (node->kind != SPOT_NODE_SCALAR || node->text[0] == '\0') {
        bind_map(target, bind, field->name, node);
        return;
    }
    path = spot_node_file_path(node);
    ret = path == NULL ? SPOT_ERR_NO_MEMORY : spot_yaml_read(&document, path, bind->diag);
    if (path != NULL) {
        if (document.root != NULL) {
            bind_map(target, bind, field->name, document.root);
        }
        spot_yaml_free(&document);
    }
    free(path);
    bind->is_out_of_memory = bind->is_out_of_memory || ret == SPOT_ERR_NO_MEMORY;
}

int spot_job_law_init(spot_job_law_t *self, const spot_node_t *root, spot_diag_t *diag)
{
    const size_t num_errors = diag->num_errors;
    spot_bind_t bind = {.diag = diag};

    memset(self, 0, sizeof(*self));
    bind_map(self, &bind, NULL, root);
    return bind.is_out_of_memory           ? SPOT_ERR_NO_MEMORY
           : diag->num_errors > num_errors ? SPOT_ERR_BAD_INPUT
                                           : 0;
}

void spot_job_law_free(spot_job_law_t *self)
{
    for (size_t j = 0; j < self->num_vcs; j++) {
        free(self->vcs[j].name);
        free_sizes(&self->vcs[j].sizes);
    }
    free(self->vcs);
    free(self->classes);
    free(self->workload_path);
    spot_workload_table_free(&self->workload_table);
    spot_job_log_free(&self->workloads);
    free(self->terms.speeds);
    free(self->terms.scaling);
    free(self->file);
    free(self->start.date);
    free_sizes(&self->sizes);
    free(self->vc_parts.until);
    free(self->user_parts.until);
    memset(self, 0, sizeof(*self));
}
