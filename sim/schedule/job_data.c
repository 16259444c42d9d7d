/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/schedule/job_data.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"

static const char *const short_names[] = {"error", "clamp", "drop", NULL};
static const char *const oversize_names[] = {"error", "drop", NULL};

static const spot_field_t estimate_fields[] = {
    {SPOT_VALUE(PATH, "file", spot_estimate_file_t, file, NULL,
        "a CSV file with the column job_id and one of estimates")},
    {SPOT_VALUE(TEXT, "column", spot_estimate_file_t, column, "estimate",
        "the column of estimated durations, in seconds")},
    {.name = NULL},
};

static const spot_field_t from_field = {
    .type = SPOT_FIELD_TEXT, .offset = offsetof(spot_vc_renaming_t, from)};

/* A name, or an empty text, which drops the jobs. */
static void bind_new_name(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    if (node->kind != SPOT_NODE_SCALAR) {
        spot_bind_unexpected(bind, field, node, "");
        return;
    }
    *(char **) target = spot_text_copy(node->text, strlen(node->text));
    bind->is_out_of_memory |= *(char **) target == NULL;
}

static const spot_field_t to_field = {.type = SPOT_FIELD_TEXT,
    .offset = offsetof(spot_vc_renaming_t, to),
    .bind = bind_new_name,
    .expected = "the name of a VC, or \"\""};

const spot_field_t spot_jobs_fields[] = {
    {SPOT_VALUE(PATH, "log", spot_jobs_setting_t, log, "",
        "the log, a CSV file (.gz too) with the columns job_id, vc, gpu_num, "
        "submit_time and duration")},
    {SPOT_VALUE(PATH, "workload", spot_jobs_setting_t, workload, "",
        "a CSV file with more columns of the jobs, joined on job_id")},
    {SPOT_FIELDS(MAP, "estimates", spot_jobs_setting_t, estimates, estimate_fields, "",
        "estimated durations, for policies with `estimator: table`")},
    {SPOT_VALUE(CUSTOM, "generate", spot_jobs_setting_t, law, "",
         "laws of jobs in place of a log, a map or the path of a file: each replication "
         "draws a log of its own, see `spotsim schedule generate --help`"),
        .bind = spot_job_law_bind, .table = spot_job_law_table, .file_table = spot_job_law_table,
        .expected = "a map of laws or the path of a file"},
    {SPOT_CHOICE("short", spot_jobs_setting_t, short_rule, short_names, "error",
        "durations below 1 s: an error, raised to 1 s, or the job is dropped")},
    {SPOT_CHOICE("oversize", spot_jobs_setting_t, drops_oversize, oversize_names, "error",
        "jobs with more GPUs than their VC can ever have: an error, or they are "
        "dropped")},
    {SPOT_CHOICE("strict", spot_jobs_setting_t, is_strict, spot_no_yes, "no",
        "a job of a VC that the cluster lacks is an error; else it is dropped")},
    {SPOT_RANGE(DURATION, "jitter", spot_jobs_setting_t, jitter_s, 0, (double) SPOT_MS_PER_D, "0 s",
         "jitter of submits",
         "each replication shifts every submit by a uniform number of seconds from 0 to "
         "this, so that replications of one log differ"),
        .settle = spot_seconds_settle},
    {SPOT_ITEMS(DICT, "vcs", spot_jobs_setting_t, renamings, num_renamings, to_field, 0, 100000,
         "{}", "a map such as {old: new, \"*\": other}",
         "VCs of the log by what the cluster calls them; \"*\" is every other one, and "
         "\"\" drops its jobs"),
        .key = &from_field},
    {.name = NULL},
};

static const spot_field_t name_field = {
    .type = SPOT_FIELD_TEXT, .offset = offsetof(spot_vc_nodes_t, name)};
static const spot_field_t nodes_field = {.type = SPOT_FIELD_INTEGER,
    .label = "nodes of ",
    .offset = offsetof(spot_vc_nodes_t, num_nodes),
    .min = 0,
    .max = 1000000};

const spot_field_t spot_vcs_forms[] = {
    {SPOT_VALUE(PATH, "", spot_jobs_setting_t, vcs_path, NULL, NULL)},
    {SPOT_ITEMS(DICT, "", spot_jobs_setting_t, vcs, num_vcs, nodes_field, 1, 100000, NULL,
         "a map such as {a: 9, b: 4}", NULL),
        .key = &name_field, .is_ordered = true},
    {.name = NULL},
};

void spot_jobs_setting_free(spot_jobs_setting_t *self)
{
    free(self->log);
    free(self->workload);
    free(self->estimates.file);
    free(self->estimates.column);
    spot_job_law_free(&self->law);
    for (size_t j = 0; j < self->num_renamings; j++) {
        free(self->renamings[j].from);
        free(self->renamings[j].to);
    }
    free(self->renamings);
    free(self->vcs_path);
    for (size_t j = 0; j < self->num_vcs; j++) {
        free(self->vcs[j].name);
    }
    free(self->vcs);
}

/* ---- Reading ---- */

static const char *text_of(const char *text)
{
    return text == NULL ? "" : text;
}

/* Everything that decides what is read. */
static const char *key_of(const spot_jobs_setting_t *jobs, bool may_be_empty, spot_texts_t *texts)
{
    const char *key = spot_texts_add(texts, "%s\n%s\n%s\n%s\n%s\n%d %d %d\n", text_of(jobs->log),
        text_of(jobs->workload), text_of(jobs->estimates.file), text_of(jobs->estimates.column),
        text_of(jobs->vcs_path), jobs->short_rule, jobs->is_strict, may_be_empty);

    for (size_t j = 0; j < jobs->num_renamings; j++) {
        key = spot_texts_add(
            texts, "%s%s=%s\n", key, jobs->renamings[j].from, text_of(jobs->renamings[j].to));
    }
    for (size_t j = 0; j < jobs->num_vcs; j++) {
        key = spot_texts_add(
            texts, "%s%s:%lld\n", key, jobs->vcs[j].name, (long long) jobs->vcs[j].num_nodes);
    }
    return key;
}

static int read_vcs(
    spot_job_data_t *self, const spot_jobs_setting_t *jobs, bool may_be_empty, spot_diag_t *diag)
{
    int ret = 0;

    if (jobs->vcs_path != NULL) {
        return spot_vc_list_read(&self->vcs, jobs->vcs_path, may_be_empty, diag);
    }
    for (size_t j = 0; j < jobs->num_vcs && ret == 0; j++) {
        ret = spot_vc_list_add(&self->vcs, jobs->vcs[j].name, (int32_t) jobs->vcs[j].num_nodes, 0);
    }
    return ret;
}

static int read_log(spot_job_data_t *self, const spot_jobs_setting_t *jobs, spot_diag_t *diag)
{
    spot_vc_rule_t *rules = spot_calloc(jobs->num_renamings, sizeof(*rules));
    const spot_job_log_request_t request = {.log = jobs->log,
        .workload = jobs->workload,
        .vcs = &self->vcs,
        .is_strict = jobs->is_strict != 0,
        .short_rule = (spot_short_rule_t) jobs->short_rule,
        .num_vc_rules = jobs->num_renamings,
        .vc_rules = rules};
    int ret = rules == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (size_t j = 0; j < jobs->num_renamings && ret == 0; j++) {
        rules[j] = (spot_vc_rule_t){jobs->renamings[j].from, text_of(jobs->renamings[j].to)};
    }
    ret = ret != 0 ? ret : spot_job_log_read(&self->log, &request, diag);
    free(rules);
    return ret;
}

static int read_data(
    spot_job_data_t *self, const spot_jobs_setting_t *jobs, bool may_be_empty, spot_diag_t *diag)
{
    int ret = read_vcs(self, jobs, may_be_empty, diag);

    if (ret == 0 && !jobs->has_law) {
        ret = read_log(self, jobs, diag);
    }
    if (ret == 0 && !jobs->has_law && jobs->estimates.file != NULL) {
        self->estimates_s = spot_calloc(self->log.num_jobs, sizeof(double));
        ret = self->estimates_s == NULL ? SPOT_ERR_NO_MEMORY
                                        : spot_job_column_read(&self->log, jobs->estimates.file,
                                              jobs->estimates.column, self->estimates_s, diag);
    }
    return ret;
}

int spot_job_data_open(spot_job_data_t **self, const spot_jobs_setting_t *jobs, bool may_be_empty,
    spot_job_data_t *like, spot_diag_t *diag)
{
    spot_texts_t texts = {0};
    const char *key = key_of(jobs, may_be_empty, &texts);
    int ret = texts.error;

    if (like != NULL && like->key != NULL && strcmp(like->key, key) == 0) {
        *self = like;
    } else {
        *self = spot_calloc(1, sizeof(**self));
        ret = *self == NULL ? SPOT_ERR_NO_MEMORY : ret;
        ret = ret != 0 ? ret : read_data(*self, jobs, may_be_empty, diag);
        if (ret == 0) { /* only what is whole is shared */
            (*self)->key = spot_text_copy(key, strlen(key));
            ret = (*self)->key == NULL ? SPOT_ERR_NO_MEMORY : 0;
        }
    }
    if (*self != NULL) {
        (*self)->num_users++;
    }
    spot_texts_free(&texts);
    return ret;
}

void spot_job_data_close(spot_job_data_t *self)
{
    if (self == NULL || --self->num_users > 0) {
        return;
    }
    spot_vc_list_free(&self->vcs);
    spot_job_log_free(&self->log);
    free(self->estimates_s);
    free(self->key);
    free(self);
}

/* ---- What the keys of a scenario share ---- */

void spot_seconds_settle(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    int64_t *duration = target;

    (void) bind;
    (void) field;
    (void) node;
    *duration = (*duration + SPOT_MS_PER_S / 2) / SPOT_MS_PER_S;
}

int32_t spot_vc_named(const spot_vc_list_t *vcs, spot_bind_t *bind, const spot_node_t *place,
    const char *key, const char *name)
{
    const int32_t vc_id = spot_vc_list_find(vcs, name);
    spot_suggest_t near;

    if (vc_id < 0) {
        spot_suggest_init(&near, name);
        for (size_t j = 0; j < vcs->num_vcs; j++) {
            spot_suggest_offer(&near, vcs->vcs[j].name);
        }
        spot_bind_unknown(bind, place, key, "VC", &near, "");
    }
    return vc_id;
}
