/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/jobs/job_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/keys.h"

const char *const spot_short_rule_names[] = {"error", "clamp", "drop", NULL};

/* ---- Building ---- */

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

/* ---- Ids ---- */

spot_key_view_t spot_job_log_keys(const spot_job_log_t *self)
{
    return (spot_key_view_t){.items = self->jobs,
        .item_bytes = sizeof(*self->jobs),
        .text_offset = offsetof(spot_job_row_t, id)};
}

/* ---- The whole ---- */

void spot_job_log_free(spot_job_log_t *self)
{
    spot_text_set_free(&self->users);
    spot_text_set_free(&self->names);
    spot_text_set_free(&self->states);
    spot_text_set_free(&self->words);
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
    spot_text_set_free(&self->scaling_names);
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
        verify_id(job->user_id, self->users.num_texts);
        verify_id(job->name_id, self->names.num_texts);
        verify_id(job->state_id, self->states.num_texts);
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
