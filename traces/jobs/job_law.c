/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/jobs/job_law.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/datetime.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/provenance.h"
#include "base/watch.h"
#include "traces/fit/fit_law.h"
#include "traces/jobs/job_file.h"

/* ---- Binding a law ---- */

#define MAX_WEIGHT 1e12
#define MAX_USERS 1000000
#define S_PER_D INT64_C(86400)
#define DEFAULT_HORIZON_MS (SPOT_DAYS_PER_WEEK * SPOT_MS_PER_D)

static const char *const job_weekday_names[] = {
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

/* ---- Binding: sizes ---- */

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

/* ---- Binding: durations ---- */

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

/* ---- Binding: nodes that come and go ---- */

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

/* ---- Binding: VCs ---- */

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

/* ---- Binding: times ---- */

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

/* Seconds since 0 h of the latest Monday, of a time in seconds since 1970 UTC. */
static int64_t job_week_s(int64_t time_s)
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
        .choices = job_weekday_names},
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
        self->week_s = job_week_s(self->clock_zero_s);
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

/* ---- Drawing a log ---- */

#define S_PER_H INT64_C(3600)
#define ID_BYTES 12 /* of a number up to SPOT_JOB_LAW_MAX_JOBS, with room to spare */
#define USER_BYTES 12

/* ---- Drawing: VCs ---- */

/* Takes all VCs of the cluster, by their nodes. */
static int take_vcs(spot_job_law_t *self, const spot_vc_list_t *vcs)
{
    int64_t num_nodes = 0;
    int ret = 0;

    self->vcs = spot_calloc(vcs->num_vcs, sizeof(*self->vcs));
    if (self->vcs == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < vcs->num_vcs; j++) {
        num_nodes += vcs->vcs[j].num_nodes;
    }
    self->num_vcs = vcs->num_vcs;
    for (size_t j = 0; j < vcs->num_vcs && ret == 0; j++) {
        self->vcs[j].vc_id = (int32_t) j;
        ret = spot_parts_add(&self->vc_parts, num_nodes > 0 ? vcs->vcs[j].num_nodes : 1);
    }
    return ret;
}

int spot_job_law_place(spot_job_law_t *self, spot_vc_list_t *vcs, bool adds_vcs, spot_diag_t *diag)
{
    int ret = 0;

    if (self->num_vcs == 0) {
        if (vcs->num_vcs == 0) {
            ret = spot_vc_list_add(vcs, "main", 0, 0);
        }
        return ret == 0 ? take_vcs(self, vcs) : ret;
    }
    for (size_t j = 0; j < self->num_vcs && ret != SPOT_ERR_NO_MEMORY; j++) {
        spot_job_law_vc_t *vc = &self->vcs[j];

        vc->vc_id = spot_vc_list_find(vcs, vc->name);
        if (vc->vc_id < 0 && adds_vcs) {
            vc->vc_id = (int32_t) vcs->num_vcs;
            ret = spot_vc_list_add(vcs, vc->name, 0, 0);
        } else if (vc->vc_id < 0) {
            ret = spot_diag_error(diag, self->file, vc->line, vc->column,
                "vcs.%s: the cluster has no VC of that name", vc->name);
        }
    }
    return ret;
}

/* ---- Drawing: streams ---- */

/* The streams of a replication; number j of each is that of job j. Jobs come as a
 * Poisson process whose rate is constant within each hour of the week: the next one when
 * the integral of the rate since the latest one is exponential. */
typedef struct {
    const spot_job_law_t *law;
    uint64_t seed, replication;
    int64_t end_s;          /* no job comes from then on */
    int64_t hour;           /* of the week */
    int64_t hour_s, next_s; /* where the hour starts and ends on the simulation clock */
    double after_s;         /* time of the latest job after hour_s */
    spot_rng_t gaps, sizes, vcs, users, elastic;
    spot_rng_t of_job;            /* its duration, or its workload */
    int32_t rigid_id, elastic_id; /* of terms */
} streams_t;

static void streams_start(
    streams_t *self, const spot_job_law_t *law, uint64_t seed, uint64_t replication)
{
    const int64_t end_s = (law->horizon_ms + SPOT_MS_PER_S - 1) / SPOT_MS_PER_S;

    *self = (streams_t){.law = law,
        .seed = seed,
        .replication = replication,
        .end_s = law->horizon_ms == 0 ? SPOT_JOB_MAX_S : end_s,
        .hour = law->start.week_s / S_PER_H,
        .next_s = S_PER_H - law->start.week_s % S_PER_H,
        .rigid_id = -1,
        .elastic_id = -1};
    spot_rng_seek(&self->gaps, seed, replication, SPOT_STREAM_JOB_GAP, 0);
    spot_rng_seek(&self->sizes, seed, replication, SPOT_STREAM_JOB_SIZE, 0);
    spot_rng_seek(&self->vcs, seed, replication, SPOT_STREAM_JOB_VC, 0);
    spot_rng_seek(&self->users, seed, replication, SPOT_STREAM_JOB_USER, 0);
    spot_rng_seek(&self->elastic, seed, replication, SPOT_STREAM_JOB_ELASTIC, 0);
}

/* The second of the next job; false: no more come. */
static bool next_submit(streams_t *self, int64_t *submit_s)
{
    const spot_job_law_t *law = self->law;
    double left = spot_rng_exponential(&self->gaps, 1);

    while (self->hour_s < self->end_s) {
        const double rate = law->per_hour / (double) S_PER_H *
                            law->hours[self->hour % SPOT_HOURS_PER_DAY] *
                            law->weekdays[self->hour / SPOT_HOURS_PER_DAY];
        const double length_s = (double) (self->next_s - self->hour_s) - self->after_s;

        if (left < rate * length_s) {
            self->after_s += left / rate;
            *submit_s = self->hour_s + (int64_t) self->after_s;
            return *submit_s < self->end_s;
        }
        left -= rate * length_s;
        self->after_s = 0;
        self->hour_s = self->next_s;
        self->next_s += S_PER_H;
        self->hour = (self->hour + 1) % SPOT_HOURS_PER_WEEK;
    }
    return false;
}

/* ---- Drawing: jobs ---- */

/* In whole seconds, from 1 on. */
static int64_t draw_duration_s(const spot_job_law_t *law, int32_t gpu_num, spot_rng_t *rng)
{
    const spot_job_duration_t *duration = &law->duration;
    const double longest_s = (double) law->longest_ms / SPOT_MS_PER_S;
    double duration_s;

    for (size_t j = 0; j < law->num_classes && law->classes[j].from_gpus <= gpu_num; j++) {
        duration = &law->classes[j].duration;
    }
    duration_s = duration->law.family == NULL
                     ? (double) duration->fixed_ms / SPOT_MS_PER_S
                     : duration->law.family->draw(duration->law.parameters, rng);
    return duration_s < 1 ? 1 : llrint(fmin(duration_s, longest_s));
}

/* The number j of the stream is that of job j, whatever its size. */
static int32_t draw_terms(streams_t *streams, int32_t gpu_num)
{
    const spot_job_law_terms_t *terms = &streams->law->terms;
    const bool is_chosen =
        terms->num_speeds > 0 && spot_rng_uniform(&streams->elastic) < terms->p_elastic;

    for (size_t j = 0; is_chosen && j < terms->num_speeds; j++) {
        if (terms->speeds[j].num_gpus == gpu_num) {
            return streams->elastic_id;
        }
    }
    return streams->rigid_id;
}

static void draw_job(streams_t *streams, size_t job_id, int64_t submit_s, spot_job_row_t *job)
{
    const spot_job_law_t *law = streams->law;
    const spot_job_law_vc_t *vc = &law->vcs[spot_parts_draw(&law->vc_parts, &streams->vcs)];
    const spot_job_sizes_t *sizes = vc->sizes.num_sizes > 0 ? &vc->sizes : &law->sizes;
    const size_t size_id = spot_parts_draw(&sizes->parts, &streams->sizes);
    const int32_t gpu_num = (int32_t) sizes->sizes[size_id].num_gpus;
    const int32_t terms_id = draw_terms(streams, gpu_num);
    int32_t workload_id = -1;

    if (law->workload_path != NULL) {
        spot_rng_seek(&streams->of_job, streams->seed, streams->replication,
            SPOT_STREAM_JOB_WORKLOAD, job_id);
        workload_id = spot_workload_table_draw(&law->workload_table, gpu_num, &streams->of_job);
    }
    spot_rng_seek(
        &streams->of_job, streams->seed, streams->replication, SPOT_STREAM_JOB_DURATION, job_id);
    *job = (spot_job_row_t){.submit_s = submit_s,
        .duration_s = draw_duration_s(law, gpu_num, &streams->of_job),
        .id = job->id,
        .vc_id = vc->vc_id,
        .gpu_num = gpu_num,
        .user_id = -1,
        .name_id = -1,
        .state_id = -1,
        .cpu_num = -1,
        .workload_id = workload_id,
        .terms_id = terms_id};
    if (law->num_users > 0) {
        job->user_id = (int32_t) spot_parts_draw(&law->user_parts, &streams->users);
    }
}

/* Makes room for one more job. All places have their ids, which stay for later draws. */
static int make_room(spot_job_log_t *log)
{
    const size_t old_max = log->max_jobs;
    const int ret = SPOT_ARRAY_ROOM(log, jobs, log->num_jobs + 1);
    const size_t num_new = log->max_jobs - old_max;
    char *ids;

    if (ret != 0 || num_new == 0) {
        return ret;
    }
    ids = spot_arena_take(&log->texts, num_new, ID_BYTES);
    if (ids == NULL) {
        log->max_jobs = old_max;
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < num_new; j++, ids += ID_BYTES) {
        if (spot_stop_is_due(j)) {
            log->max_jobs = old_max + j;
            return SPOT_ERR_INTERRUPTED;
        }
        snprintf(ids, ID_BYTES, "%zu", old_max + j + 1);
        log->jobs[old_max + j].id = ids;
    }
    return 0;
}

double spot_job_law_bytes(double num_jobs)
{
    return spot_array_bytes(num_jobs, sizeof(spot_job_row_t)) +
           spot_array_bytes(num_jobs, ID_BYTES);
}

/* Users, and the workloads of the law, whose texts stay there. */
static int add_shared(const spot_job_law_t *self, spot_job_log_t *log)
{
    const size_t num_workloads = self->workloads.num_workloads;
    int32_t user_id;
    int ret = SPOT_ARRAY_ROOM(log, workloads, num_workloads);

    spot_key_table_free(&log->workload_table);
    log->num_workloads = ret == 0 ? num_workloads : 0;
    if (log->num_workloads > 0) {
        memcpy(log->workloads, self->workloads.workloads, num_workloads * sizeof(*log->workloads));
    }
    while (ret == 0 && log->users.num_names < (size_t) self->num_users) {
        char name[USER_BYTES];

        snprintf(name, sizeof(name), "u%zu", log->users.num_names + 1);
        ret = spot_names_add(&log->users, name, strlen(name), &user_id);
    }
    return ret;
}

static int64_t whole_s(int64_t duration_ms)
{
    return (duration_ms + SPOT_MS_PER_S / 2) / SPOT_MS_PER_S;
}

/* Adds the terms of rigid jobs, unless they have none, and of elastic ones. */
static int add_terms(const spot_job_law_t *self, spot_job_log_t *log, streams_t *streams)
{
    const spot_job_law_terms_t *law = &self->terms;
    const int64_t every_ms = law->checkpoint_every_ms; /* 0: never */
    spot_table_file_t file = {.path = ""};             /* the scaling is known to be good */
    static const spot_job_terms_row_t none = SPOT_JOB_NO_TERMS;
    spot_job_terms_row_t terms;
    int ret = 0;

    memcpy(&terms, &none, sizeof(terms));
    terms.checkpoint_interval_s = every_ms > 0 && every_ms < SPOT_MS_PER_S ? 1 : whole_s(every_ms);
    terms.checkpoint_write_s = whole_s(law->checkpoint_write_ms);
    terms.restart_s = law->restart_ms < 0 ? -1 : whole_s(law->restart_ms);
    terms.reconfiguration_s = whole_s(law->reconfiguration_ms);
    if (every_ms > 0 || law->restart_ms >= 0) {
        ret = spot_job_log_add_terms(log, &terms, &streams->rigid_id);
    }
    if (ret == 0 && law->num_speeds > 0) {
        ret = spot_job_scaling_add(log, &file, law->scaling, &terms.scaling_id);
        terms.min_gpus = (int32_t) law->speeds[0].num_gpus;
        terms.max_gpus = (int32_t) law->speeds[law->num_speeds - 1].num_gpus;
        ret = ret == 0 ? spot_job_log_add_terms(log, &terms, &streams->elastic_id) : ret;
    }
    return ret;
}

int spot_job_law_draw(
    const spot_job_law_t *self, spot_job_log_t *log, uint64_t seed, uint64_t replication)
{
    const size_t most = self->num_jobs > 0 ? (size_t) self->num_jobs : 2 * SPOT_JOB_LAW_MAX_JOBS;
    int ret = add_shared(self, log);
    streams_t streams;
    int64_t submit_s;

    streams_start(&streams, self, seed, replication);
    ret = ret == 0 ? add_terms(self, log, &streams) : ret;
    log->num_jobs = 0;
    log->clock_zero_s = self->start.clock_zero_s;
    while (ret == 0 && log->num_jobs < most && next_submit(&streams, &submit_s)) {
        ret = spot_stop_is_due(log->num_jobs) ? SPOT_ERR_INTERRUPTED : make_room(log);
        if (ret == 0) {
            draw_job(&streams, log->num_jobs, submit_s, &log->jobs[log->num_jobs]);
            log->num_jobs++;
        }
    }
    log->counts =
        (spot_job_counts_t){.read = (int64_t) log->num_jobs, .kept = (int64_t) log->num_jobs};
    return ret;
}

/* ---- A cluster for the jobs ---- */

int spot_job_law_write_vcs(const spot_job_law_t *self, const spot_job_log_t *log,
    const spot_vc_list_t *vcs, double load, FILE *out)
{
    const int64_t last_s = log->num_jobs == 0 ? 0 : log->jobs[log->num_jobs - 1].submit_s;
    const double span_s =
        self->num_jobs > 0 ? (double) last_s + 1 : (double) self->horizon_ms / 1000;
    spot_job_coverage_t *rows = spot_calloc(vcs->num_vcs + 1, sizeof(*rows));
    const int ret = rows == NULL ? SPOT_ERR_NO_MEMORY
                                 : spot_job_coverage(log, vcs, SPOT_JOB_LAW_NODE_GPUS, rows);

    fprintf(out, "vc,nodes\n");
    for (size_t k = 0; k < vcs->num_vcs && ret == 0; k++) {
        const double num_gpus = fmax(rows[k].gpu_s / (span_s * load), fmax(1, rows[k].most_gpus));

        spot_csv_field_text(out, rows[k].vc);
        fprintf(out, ",%.0f\n", ceil(num_gpus / SPOT_JOB_LAW_NODE_GPUS));
    }
    free(rows);
    return ret;
}

/* ---- Fitting laws to a log ---- */

/* Below so many jobs a size has no law of its own. */
#define LEAST_JOBS 50

/* A law may move the mean by this share. */
#define MAX_SHIFT 0.05

/* ---- Fitting: arrivals ---- */

/* Weights, with the mean 1, of the hours of a day or the days of a week. */
typedef struct {
    const char *key;
    int num_weights;
    int step;            /* hours between two of them */
    int64_t least_hours; /* that a log must cover; else all are 1 */
    double weights[SPOT_HOURS_PER_DAY];
} cycle_t;

enum { HOURS, WEEKDAYS, NUM_CYCLES };

/* Maximum likelihood of rate[hour, day] = per_hour * hours[hour] * weekdays[day] for
 * Poisson counts, by iterative proportional fitting. */
typedef struct {
    int64_t clock_s;        /* of the log's second 0, since a Monday, 0 h */
    int64_t first_h, end_h; /* hours that the log covers, on that clock */
    double num_jobs[SPOT_HOURS_PER_WEEK];
    double num_hours[SPOT_HOURS_PER_WEEK]; /* covered */
    cycle_t cycles[NUM_CYCLES];
} arrivals_t;

static void count_arrivals(arrivals_t *self, const spot_job_log_t *log)
{
    const spot_job_row_t *jobs = log->jobs;

    if (log->clock_zero_s != SPOT_JOB_NO_CLOCK) {
        self->clock_s = job_week_s(log->clock_zero_s);
    }
    self->first_h = (self->clock_s + jobs[0].submit_s) / S_PER_H;
    self->end_h = (self->clock_s + jobs[log->num_jobs - 1].submit_s) / S_PER_H + 1;
    for (int64_t hour = self->first_h; hour < self->end_h; hour++) {
        self->num_hours[hour % SPOT_HOURS_PER_WEEK]++;
    }
    for (size_t j = 0; j < log->num_jobs; j++) {
        self->num_jobs[(self->clock_s + jobs[j].submit_s) / S_PER_H % SPOT_HOURS_PER_WEEK]++;
    }
}

static bool has_weights(const arrivals_t *self, const cycle_t *cycle)
{
    return self->end_h - self->first_h >= cycle->least_hours;
}

/* The best weights for those of the other cycle. */
static void improve(const arrivals_t *self, cycle_t *cycle, const cycle_t *other)
{
    double sum = 0;

    for (int j = 0; j < cycle->num_weights; j++) {
        double seen = 0, covered = 0;

        for (int k = 0; k < other->num_weights; k++) {
            seen += self->num_jobs[j * cycle->step + k * other->step];
            covered += other->weights[k] * self->num_hours[j * cycle->step + k * other->step];
        }
        cycle->weights[j] = covered > 0 ? seen / covered : 0;
        sum += cycle->weights[j];
    }
    for (int j = 0; j < cycle->num_weights; j++) {
        cycle->weights[j] *= cycle->num_weights / sum;
    }
}

/* Returns the jobs per hour. */
static double fit_arrivals(arrivals_t *self, const spot_job_log_t *log)
{
    enum { NUM_ROUNDS = 50 };
    const double *hours = self->cycles[HOURS].weights;
    const double *weekdays = self->cycles[WEEKDAYS].weights;
    double covered = 0;

    *self = (arrivals_t){
        .cycles = {{"hours", SPOT_HOURS_PER_DAY, 1, 2 * SPOT_HOURS_PER_DAY, {0}},
            {"weekdays", SPOT_DAYS_PER_WEEK, SPOT_HOURS_PER_DAY, 2 * SPOT_HOURS_PER_WEEK, {0}}}};
    count_arrivals(self, log);
    for (int j = 0; j < SPOT_HOURS_PER_DAY; j++) {
        self->cycles[HOURS].weights[j] = self->cycles[WEEKDAYS].weights[j] = 1;
    }
    for (int round = 0; round < NUM_CYCLES * NUM_ROUNDS; round++) {
        cycle_t *cycle = &self->cycles[round % NUM_CYCLES];

        if (has_weights(self, cycle)) {
            improve(self, cycle, &self->cycles[(round + 1) % NUM_CYCLES]);
        }
    }
    for (int j = 0; j < SPOT_HOURS_PER_WEEK; j++) {
        covered +=
            hours[j % SPOT_HOURS_PER_DAY] * weekdays[j / SPOT_HOURS_PER_DAY] * self->num_hours[j];
    }
    return (double) log->num_jobs / covered;
}

static void write_start(const arrivals_t *self, int64_t clock_zero_s, FILE *out)
{
    const int64_t first_s = self->first_h * S_PER_H - self->clock_s;
    const int64_t weekday = self->first_h / SPOT_HOURS_PER_DAY % SPOT_DAYS_PER_WEEK;
    char date[SPOT_DATETIME_BYTES];
    const bool has_date =
        clock_zero_s != SPOT_JOB_NO_CLOCK && clock_zero_s + first_s >= 0 &&
        spot_datetime_later("1970-01-01T00:00:00", (clock_zero_s + first_s) * SPOT_MS_PER_S, date);

    fprintf(out, "start: %s%s\n", has_date ? date : job_weekday_names[weekday],
        clock_zero_s == SPOT_JOB_NO_CLOCK
            ? " # the log has no dates: its second 0 counts as a Monday"
            : "");
}

static void write_arrivals(const spot_job_log_t *log, FILE *out)
{
    arrivals_t self = {0};

    fprintf(out, "per_hour: %.6g\n", fit_arrivals(&self, log));
    write_start(&self, log->clock_zero_s, out);
    fprintf(out, "horizon: %" PRId64 " h\n", self.end_h - self.first_h);
    for (size_t k = 0; k < NUM_CYCLES; k++) {
        const cycle_t *cycle = &self.cycles[k];

        for (int j = 0; j < cycle->num_weights && has_weights(&self, cycle); j++) {
            fprintf(out, "%s%s%.4g%s", j == 0 ? cycle->key : "",
                j == 0        ? ": ["
                : j % 12 == 0 ? ",\n  "
                              : ", ",
                cycle->weights[j], j + 1 == cycle->num_weights ? "]\n" : "");
        }
    }
}

/* ---- Fitting: sizes and VCs ---- */

static int compare_sizes(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *) left, b = *(const int64_t *) right;

    return (a > b) - (a < b);
}

/* The end of the sizes from first on that are below limit. */
static size_t end_of(const int64_t *sizes, size_t first, size_t num_sizes, int64_t limit)
{
    while (first < num_sizes && sizes[first] < limit) {
        first++;
    }
    return first;
}

static int write_vcs(const spot_job_log_t *log, const spot_vc_list_t *vcs, FILE *out)
{
    const int64_t per_vc = INT64_C(1) << 32;
    int64_t *sizes = spot_calloc(log->num_jobs, sizeof(*sizes)); /* by VC, then GPUs */

    if (sizes == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < log->num_jobs; j++) {
        sizes[j] = log->jobs[j].vc_id * per_vc + log->jobs[j].gpu_num;
    }
    qsort(sizes, log->num_jobs, sizeof(*sizes), compare_sizes);
    fprintf(out, "vcs: # weights are numbers of jobs, sizes of GPUs\n");
    for (size_t j = 0; j < log->num_jobs;) {
        const int64_t vc_id = sizes[j] / per_vc;
        const size_t end = end_of(sizes, j, log->num_jobs, (vc_id + 1) * per_vc);

        fprintf(out, "  ");
        spot_json_quote(out, vcs->vcs[vc_id].name, true);
        fprintf(out, ": {weight: %zu, sizes: {", end - j);
        for (size_t next; j < end; j = next) {
            next = end_of(sizes, j, end, sizes[j] + 1);
            fprintf(
                out, "%" PRId64 ": %zu%s", sizes[j] % per_vc, next - j, next < end ? ", " : "}}\n");
        }
    }
    free(sizes);
    return 0;
}

/* ---- Fitting: durations ---- */

typedef struct {
    spot_maximiser_t maximiser;
    double longest_s;
    size_t num_values;
    double *values_s;          /* [num_values] of one class */
    double num_gpus;           /* of all its jobs */
    double work_s, law_work_s; /* GPU-seconds of the jobs, and the law's mean of them */
} durations_t;

/* The mean of a law whose longest values are cut: the integral of its survival function,
 * in steps of ln t. */
static double mean_below(const spot_law_t *law, double longest_s)
{
    enum { NUM_STEPS = 4000 };
    const double low_s = 1e-3, factor = log(longest_s / low_s) / NUM_STEPS;
    double mean_s = low_s;

    for (int j = 0; j < NUM_STEPS; j++) {
        const double t_s = low_s * exp((j + 0.5) * factor);

        mean_s += exp(law->family->log_survival(law->parameters, t_s)) * t_s * factor;
    }
    return mean_s;
}

/* The best law by AIC among those that keep the mean, on which the load of a cluster
 * depends; *mean_s: its own. */
static const spot_fit_t *choose_law(
    const spot_fit_ranking_t *ranking, double log_mean_s, double longest_s, double *mean_s)
{
    for (size_t j = 0; j < ranking->num_fits; j++) {
        const spot_fit_t *fit = &ranking->fits[j];

        if (fit->is_fitted && fit->converged) {
            *mean_s = mean_below(&fit->law, longest_s);
            if (fabs(*mean_s / log_mean_s - 1) <= MAX_SHIFT) {
                return fit;
            }
        }
    }
    if (ranking->best_mean_id < 0) {
        return NULL;
    }
    *mean_s = mean_below(&ranking->fits[ranking->best_mean_id].law, longest_s);
    return &ranking->fits[ranking->best_mean_id];
}

/* Writes a law for the jobs of from_gpus and more: their durations are the values. */
static int write_duration(durations_t *self, int32_t from_gpus, FILE *out)
{
    spot_fit_durations_t durations;
    spot_fit_ranking_t ranking;
    const spot_fit_t *fit = NULL;
    double mean_s;
    const int ret =
        spot_fit_durations_init(&durations, self->values_s, NULL, self->num_values, 0, 1);

    if (ret == 0) {
        mean_s = durations.mean_s;
        fprintf(out, "  %" PRId32 ": ", from_gpus);
        if (!durations.is_one_value) {
            spot_fit_rank(&ranking, &self->maximiser, &durations, NULL, (double) NAN);
            fit = choose_law(&ranking, durations.mean_s, self->longest_s, &mean_s);
        }
        if (fit != NULL) {
            spot_law_write(out, "family", &fit->law);
            fprintf(out, " # %zu jobs, mean %.0f s (law: %.0f s), KS distance %.3f\n",
                self->num_values, durations.mean_s, mean_s, fit->ks);
        } else {
            fprintf(out, "%.0f s # %zu jobs\n", mean_s, self->num_values);
        }
        self->law_work_s += mean_s * self->num_gpus;
    }
    spot_fit_durations_free(&durations);
    return ret;
}

/* Classes of few jobs join the next one, or, at the end, the one before. */
static int write_classes(durations_t *self, const spot_job_log_t *log, FILE *out)
{
    static const int32_t bounds[] = {1, 2, 3, 5, 9, 17, 33, 65, 129, 257, INT32_MAX};
    enum { NUM_CLASSES = sizeof(bounds) / sizeof(bounds[0]) - 1 };
    size_t num_left = log->num_jobs;
    int32_t from_gpus = bounds[0];
    int ret = 0;

    fprintf(out, "longest: %.0f s\ndurations: # by GPUs\n", self->longest_s);
    for (int k = 0; k < NUM_CLASSES && ret == 0; k++) {
        for (size_t j = 0; j < log->num_jobs; j++) {
            const spot_job_row_t *job = &log->jobs[j];

            if (job->gpu_num >= bounds[k] && job->gpu_num < bounds[k + 1]) {
                self->values_s[self->num_values++] = (double) job->duration_s;
                self->work_s += (double) job->duration_s * job->gpu_num;
                self->num_gpus += job->gpu_num;
            }
        }
        if (k + 1 == NUM_CLASSES ||
            (self->num_values >= LEAST_JOBS && num_left - self->num_values >= LEAST_JOBS)) {
            ret = write_duration(self, from_gpus, out);
            num_left -= self->num_values;
            self->num_values = 0;
            self->num_gpus = 0;
            from_gpus = bounds[k + 1];
        }
    }
    fprintf(out, "# GPU-hours: %.0f in the log, %.0f in the mean of the laws (%+.0f %%)\n",
        self->work_s / S_PER_H, self->law_work_s / S_PER_H,
        100 * (self->law_work_s / self->work_s - 1));
    return ret;
}

static int write_durations(const spot_job_log_t *log, FILE *out)
{
    durations_t self = {.longest_s = 1};
    int ret = spot_maximiser_init(&self.maximiser);

    for (size_t j = 0; j < log->num_jobs; j++) {
        self.longest_s = fmax(self.longest_s, (double) log->jobs[j].duration_s);
    }
    self.values_s = ret == 0 ? spot_calloc(log->num_jobs, sizeof(double)) : NULL;
    ret = self.values_s == NULL ? SPOT_ERR_NO_MEMORY : write_classes(&self, log, out);
    free(self.values_s);
    spot_maximiser_free(&self.maximiser);
    return ret;
}

int spot_job_law_fit(const spot_job_log_t *log, const spot_vc_list_t *vcs, const char *source,
    FILE *out, spot_diag_t *diag)
{
    int ret;

    if (log->num_jobs < 2) {
        return spot_diag_error(diag, source, 0, 0, "%s: laws need at least 2",
            log->num_jobs == 0 ? "no jobs" : "1 job");
    }
    fprintf(out, "# Laws of %zu jobs, fitted to ", log->num_jobs);
    spot_json_quote(out, source, true);
    fprintf(out, " by spotsim %s\nspotsim-jobs: 1\n", spot_build_info.version);
    write_arrivals(log, out);
    if (log->users.num_names > 0) {
        fprintf(out, "users: %zu\n", log->users.num_names);
    }
    ret = write_vcs(log, vcs, out);
    return ret == 0 ? write_durations(log, out) : ret;
}
