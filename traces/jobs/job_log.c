/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/jobs/job_log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/keys.h"
#include "base/rng.h"
#include "base/table_file.h"

/* ---- The list of VCs ---- */

#define MAX_NODES 1000000

typedef struct {
    const char *name;
    int32_t num_nodes;
} vc_row_t;

enum { COLUMN_VC, COLUMN_NODES };

/* The published files have no name for the first column. */
static const spot_row_member_t columns[] = {
    SPOT_MEMBER_WITH(TEXT, "vc", vc_row_t, name, .other_name = ""),
    SPOT_MEMBER_WITH(SMALL, "nodes", vc_row_t, num_nodes, .max = MAX_NODES, .other_name = "num"),
};

int spot_vc_list_add(spot_vc_list_t *self, const char *name, int32_t num_nodes, size_t line)
{
    char *copy = spot_text_copy(name, strlen(name));
    const spot_vc_size_t vc = {copy, num_nodes, line};
    const int ret = copy == NULL ? SPOT_ERR_NO_MEMORY : SPOT_ARRAY_APPEND(self, vcs, vc);

    if (ret != 0) {
        free(copy);
    }
    return ret;
}

int32_t spot_vc_list_find(const spot_vc_list_t *self, const char *name)
{
    for (size_t j = 0; j < self->num_vcs; j++) {
        if (strcmp(self->vcs[j].name, name) == 0) {
            return (int32_t) j;
        }
    }
    return -1;
}

/* A faulty name is not entered; a faulty number counts as 1 so that jobs of the VC are
 * no further errors. */
static int read_row(spot_vc_list_t *self, spot_table_file_t *file, bool may_be_empty)
{
    vc_row_t vc;
    int32_t other;

    if (!spot_table_file_take(file, &vc)) {
        vc.num_nodes = 1;
    } else if (vc.num_nodes == 0 && !may_be_empty) {
        spot_table_file_report_at(
            file, COLUMN_NODES, "nodes: VC '%s' has none: 0 needs a pool that adds nodes", vc.name);
    }
    if (vc.name[0] == '\0' || strlen(vc.name) > SPOT_VC_NAME_BYTES) {
        spot_table_file_report_field(
            file, &file->row, COLUMN_VC, "expected a name of up to 64 bytes");
        return 0;
    }
    other = spot_vc_list_find(self, vc.name);
    if (other >= 0) {
        spot_table_file_report_at(
            file, COLUMN_VC, "vc: '%s' is in line %zu too", vc.name, self->vcs[other].line);
        return 0;
    }
    return spot_vc_list_add(self, vc.name, vc.num_nodes, file->row.line);
}

int spot_vc_list_read(spot_vc_list_t *self, const char *path, bool may_be_empty, spot_diag_t *diag)
{
    static const spot_table_file_format_t format = {
        SPOT_TABLE_DATA(columns), .noun = "VC", .row_bytes = sizeof(vc_row_t)};
    spot_table_file_t file = {.format = &format, .path = path, .diag = diag};
    int ret = spot_table_file_open(&file);

    memset(self, 0, sizeof(*self));
    while (ret == 0 && (ret = spot_table_file_next(&file)) == 1) {
        ret = read_row(self, &file, may_be_empty);
    }
    return spot_table_file_close(&file, ret);
}

void spot_vc_list_free(spot_vc_list_t *self)
{
    for (size_t j = 0; j < self->num_vcs; j++) {
        free(self->vcs[j].name);
    }
    free(self->vcs);
    memset(self, 0, sizeof(*self));
}

/* ---- Building a log ---- */

/* Appends a row to an array unless it has it. Rows are compared byte by byte: the bytes
 * between their members are 0, as they are copied from zeroed ones. */
static int add_row(spot_key_table_t *table, void *array, size_t *num_rows, size_t *max_rows,
    const void *row, size_t row_bytes, int32_t *row_id)
{
    spot_key_view_t keys = {.item_bytes = row_bytes, .is_bytes = true};
    char *rows;
    int ret;

    memcpy(&keys.items, array, sizeof(keys.items));
    *row_id = spot_key_table_find(table, &keys, row);
    if (*row_id >= 0) {
        return 0;
    }
    ret = spot_array_reserve(array, max_rows, *num_rows + 1, row_bytes);
    if (ret != 0) {
        return ret;
    }
    memcpy(&rows, array, sizeof(rows));
    memcpy(rows + *num_rows * row_bytes, row, row_bytes);
    keys.items = rows;
    *row_id = (int32_t) (*num_rows)++;
    return spot_key_table_enter(table, &keys, (size_t) *row_id);
}

int spot_job_log_add_workload(
    spot_job_log_t *self, const spot_workload_t *workload, int32_t *workload_id)
{
    return add_row(&self->workload_table, &self->workloads, &self->num_workloads,
        &self->max_workloads, workload, sizeof(*workload), workload_id);
}

int spot_job_log_add_terms(
    spot_job_log_t *self, const spot_job_terms_row_t *terms, int32_t *terms_id)
{
    return add_row(&self->terms_table, &self->terms, &self->num_terms, &self->max_terms, terms,
        sizeof(*terms), terms_id);
}

int spot_job_log_add(spot_job_log_t *self, const spot_job_row_t *job)
{
    const int ret = SPOT_ARRAY_APPEND(self, jobs, *job);

    if (ret == 0) {
        self->jobs[self->num_jobs - 1].id = spot_arena_text(&self->texts, job->id);
    }
    return spot_error_first(ret, self->texts.error);
}

static bool is_sorted(const spot_job_log_t *self)
{
    for (size_t j = 1; j < self->num_jobs; j++) {
        if (self->jobs[j].submit_s < self->jobs[j - 1].submit_s) {
            return false;
        }
    }
    return true;
}

int spot_job_log_seal(spot_job_log_t *self)
{
    const size_t num_jobs = self->num_jobs;
    spot_job_row_t *sorted;
    spot_arena_t arena = {0};
    int64_t *submit_s;
    int32_t *order, *scratch;
    int ret;

    if (is_sorted(self)) {
        return 0;
    }
    SPOT_ARENA_ARRAY(&arena, submit_s, num_jobs);
    SPOT_ARENA_ARRAY(&arena, order, num_jobs);
    SPOT_ARENA_ARRAY(&arena, scratch, num_jobs);
    ret = arena.error;
    for (size_t j = 0; ret == 0 && j < num_jobs; j++) {
        submit_s[j] = self->jobs[j].submit_s;
    }
    ret = ret != 0 ? ret : spot_order_integers(submit_s, num_jobs, order, scratch);
    sorted = ret != 0 ? NULL : spot_calloc(num_jobs, sizeof(*sorted));
    if (sorted != NULL) {
        for (size_t j = 0; j < num_jobs; j++) {
            sorted[j] = self->jobs[order[j]];
        }
        free(self->jobs);
        self->jobs = sorted;
        self->max_jobs = num_jobs;
    }
    spot_arena_free(&arena);
    return ret == 0 && sorted == NULL ? SPOT_ERR_NO_MEMORY : ret;
}

/* ---- The jobs by id ---- */

spot_key_view_t spot_job_log_keys(const spot_job_log_t *self)
{
    return (spot_key_view_t){.items = self->jobs,
        .item_bytes = sizeof(*self->jobs),
        .text_offset = offsetof(spot_job_row_t, id)};
}

/* ---- Freeing and checking ---- */

void spot_job_log_free(spot_job_log_t *self)
{
    spot_names_free(&self->users);
    spot_names_free(&self->names);
    spot_names_free(&self->states);
    spot_names_free(&self->words);
    free(self->jobs);
    free(self->workloads);
    spot_key_table_free(&self->workload_table);
    free(self->terms);
    spot_key_table_free(&self->terms_table);
    for (size_t j = 0; j < self->num_scalings; j++) {
        free(self->scalings[j].sizes);
        free(self->scalings[j].per_s);
    }
    free(self->scalings);
    spot_names_free(&self->scaling_names);
    spot_arena_free(&self->texts);
    memset(self, 0, sizeof(*self));
}

static void verify_id(int32_t id, size_t num_items)
{
    spot_bug_assert(id >= -1 && id < (int32_t) num_items);
}

void spot_job_log_verify(const spot_job_log_t *self)
{
    for (size_t j = 0; j < self->num_jobs; j++) {
        const spot_job_row_t *job = &self->jobs[j];

        spot_bug_assert(job->submit_s >= 0 && job->submit_s <= SPOT_JOB_MAX_S);
        spot_bug_assert(j == 0 || self->jobs[j - 1].submit_s <= job->submit_s);
        spot_bug_assert(job->duration_s >= 1 && job->duration_s <= SPOT_JOB_MAX_S);
        spot_bug_assert(job->gpu_num >= 1 && job->gpu_num <= SPOT_JOB_MAX_GPUS);
        spot_bug_assert(job->id != NULL && strlen(job->id) <= SPOT_JOB_ID_BYTES);
        spot_bug_assert(job->vc_id >= 0);
        verify_id(job->user_id, self->users.num_names);
        verify_id(job->name_id, self->names.num_names);
        verify_id(job->state_id, self->states.num_names);
        verify_id(job->workload_id, self->num_workloads);
        verify_id(job->terms_id, self->num_terms);
        if (job->terms_id >= 0) {
            const spot_job_terms_row_t *terms = &self->terms[job->terms_id];

            verify_id(terms->scaling_id, self->num_scalings);
            spot_bug_assert(terms->min_gpus == 0 ||
                            (terms->min_gpus <= job->gpu_num && job->gpu_num <= terms->max_gpus));
            spot_bug_assert(terms->checkpoint_interval_s >= 0 && terms->restart_s >= -1);
        }
    }
}

/* ---- What a log holds, by VC ---- */

/* has_user: of the row, by user. */
static void add_job(spot_job_coverage_t *row, const spot_job_row_t *job, bool *has_user)
{
    if (job->user_id >= 0) {
        row->num_users += !has_user[job->user_id];
        has_user[job->user_id] = true;
    }
    row->num_jobs++;
    row->gpu_s += (double) job->gpu_num * (double) job->duration_s;
    row->most_gpus = job->gpu_num > row->most_gpus ? job->gpu_num : row->most_gpus;
    row->longest_s = job->duration_s > row->longest_s ? job->duration_s : row->longest_s;
}

int spot_job_coverage(const spot_job_log_t *log, const spot_vc_list_t *vcs, int32_t gpus_per_node,
    spot_job_coverage_t *rows)
{
    const size_t num_vcs = vcs->num_vcs, num_users = log->users.num_names;
    const int64_t span_s =
        log->num_jobs == 0 ? 0 : log->jobs[log->num_jobs - 1].submit_s - log->jobs[0].submit_s;
    bool *has_user = spot_calloc(num_vcs + 1, num_users * sizeof(*has_user));
    spot_job_coverage_t *all = &rows[num_vcs];

    if (has_user == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    memset(rows, 0, (num_vcs + 1) * sizeof(*rows));
    for (size_t j = 0; j < num_vcs; j++) {
        rows[j].vc = vcs->vcs[j].name;
        rows[j].num_nodes = vcs->vcs[j].num_nodes;
        rows[j].num_gpus = rows[j].num_nodes * gpus_per_node;
        all->num_nodes += rows[j].num_nodes;
    }
    all->vc = "all";
    all->num_gpus = all->num_nodes * gpus_per_node;
    for (size_t j = 0; j < log->num_jobs; j++) {
        const size_t vc_id = (size_t) log->jobs[j].vc_id;

        add_job(&rows[vc_id], &log->jobs[j], &has_user[vc_id * num_users]);
        add_job(all, &log->jobs[j], &has_user[num_vcs * num_users]);
    }
    for (size_t j = 0; j <= num_vcs; j++) {
        const double most_gpu_s = (double) rows[j].num_gpus * (double) span_s;

        rows[j].load = most_gpu_s == 0 ? (double) NAN : rows[j].gpu_s / most_gpu_s;
    }
    free(has_user);
    return 0;
}

/* ---- Shifted submits ---- */

int spot_job_jitter(const spot_job_log_t *log, int64_t jitter_s, uint64_t seed,
    uint64_t replication, int64_t *submit_s, int32_t *order, int32_t *scratch)
{
    spot_rng_t rng;

    for (size_t j = 0; j < log->num_jobs; j++) {
        spot_rng_seek(&rng, seed, replication, SPOT_STREAM_JOB_JITTER, j);
        submit_s[j] =
            log->jobs[j].submit_s + (int64_t) spot_rng_below(&rng, (uint64_t) jitter_s + 1);
    }
    return spot_order_integers(submit_s, log->num_jobs, order, scratch);
}
