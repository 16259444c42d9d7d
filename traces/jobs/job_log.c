/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/jobs/job_log.h"

#include <stdlib.h>
#include <string.h>

#include "traces/jobs/job_log_build.h"

enum { ROOM_BYTES = 1 << 16 };

const char *const spot_short_rule_names[] = {"error", "clamp", "drop", NULL};

/* ---- Building ---- */

static const void *
text_key(const void *owner, size_t text_id, size_t *num_bytes)
{
    const spot_text_set_t *set = owner;

    *num_bytes = strlen(set->texts[text_id]);
    return set->texts[text_id];
}

/* A copy of a text in the blocks of the log, or NULL. */
static const char *
keep_text(spot_job_log_t *self, const char *text)
{
    const size_t num_bytes = strlen(text) + 1;
    char *copy;

    if (num_bytes > ROOM_BYTES / 8) {
        return spot_arena_text(&self->texts, text);
    }
    if (num_bytes > self->num_room) {
        self->room = spot_arena_take(&self->texts, ROOM_BYTES, 1);
        self->num_room = self->room == NULL ? 0 : ROOM_BYTES;
    }
    if (self->num_room == 0) {
        return NULL;
    }
    copy = memcpy(self->room, text, num_bytes);
    self->room += num_bytes;
    self->num_room -= num_bytes;
    return copy;
}

int
spot_job_log_add_text(
    spot_job_log_t *self, spot_text_set_t *set, const char *text, int32_t *text_id)
{
    const size_t num_bytes = strlen(text);
    const char *copy;
    int ret;

    *text_id = num_bytes == 0
                   ? -1
                   : spot_key_table_find(&set->table, text_key, set, text, num_bytes);
    if (num_bytes == 0 || *text_id >= 0) {
        return 0;
    }
    copy = keep_text(self, text);
    ret = copy == NULL ? SPOT_ERR_NO_MEMORY : SPOT_ARRAY_APPEND(set, texts, copy);
    *text_id = (int32_t) set->num_texts - 1;
    return ret != 0
               ? ret
               : spot_key_table_enter(&set->table, text, num_bytes, set->num_texts - 1);
}

/* Rows of the two tables are compared byte by byte: their texts are those of words, and
 * the bytes between their members are 0, as they are copied from zeroed ones. */
static const void *
workload_key(const void *owner, size_t workload_id, size_t *num_bytes)
{
    const spot_job_log_t *self = owner;

    *num_bytes = sizeof(*self->workloads);
    return &self->workloads[workload_id];
}

static const void *
terms_key(const void *owner, size_t terms_id, size_t *num_bytes)
{
    const spot_job_log_t *self = owner;

    *num_bytes = sizeof(*self->terms);
    return &self->terms[terms_id];
}

/* Appends a row to one of the two arrays unless it has it. */
static int
add_row(spot_job_log_t *self, spot_key_table_t *table, spot_key_of_t key_of, void *array,
    size_t *num_rows, size_t *max_rows, const void *row, size_t row_bytes,
    int32_t *row_id)
{
    char *rows;
    int ret;

    *row_id = spot_key_table_find(table, key_of, self, row, row_bytes);
    if (*row_id >= 0) {
        return 0;
    }
    ret = spot_array_reserve(array, max_rows, *num_rows + 1, row_bytes);
    ret = ret == 0 ? spot_key_table_enter(table, row, row_bytes, *num_rows) : ret;
    if (ret == 0) {
        memcpy(&rows, array, sizeof(rows));
        memcpy(rows + *num_rows * row_bytes, row, row_bytes);
        *row_id = (int32_t) (*num_rows)++;
    }
    return ret;
}

int
spot_job_log_add_workload(
    spot_job_log_t *self, const spot_workload_t *workload, int32_t *workload_id)
{
    return add_row(self, &self->workload_table, workload_key, &self->workloads,
        &self->num_workloads, &self->max_workloads, workload, sizeof(*workload),
        workload_id);
}

int
spot_job_log_add_terms(
    spot_job_log_t *self, const spot_job_terms_row_t *terms, int32_t *terms_id)
{
    return add_row(self, &self->terms_table, terms_key, &self->terms, &self->num_terms,
        &self->max_terms, terms, sizeof(*terms), terms_id);
}

int
spot_job_log_add(spot_job_log_t *self, const spot_job_row_t *job)
{
    const int ret = SPOT_ARRAY_APPEND(self, jobs, *job);

    if (ret == 0) {
        self->jobs[self->num_jobs - 1].id = keep_text(self, job->id);
    }
    return ret == 0 ? self->texts.error : ret;
}

/* ---- Order ---- */

static bool
is_sorted(const spot_job_log_t *self)
{
    for (size_t j = 1; j < self->num_jobs; j++) {
        if (self->jobs[j].submit_s < self->jobs[j - 1].submit_s) {
            return false;
        }
    }
    return true;
}

/* Merges jobs[begin, middle) and jobs[middle, end), the first of equal ones before. */
static void
merge(const spot_job_row_t *jobs, size_t begin, size_t middle, size_t end,
    spot_job_row_t *merged)
{
    size_t j = begin, k = middle;

    for (size_t at = begin; at < end; at++) {
        const bool is_first =
            k == end || (j < middle && jobs[j].submit_s <= jobs[k].submit_s);

        merged[at] = is_first ? jobs[j++] : jobs[k++];
    }
}

int
spot_job_log_seal(spot_job_log_t *self)
{
    const size_t num = self->num_jobs;
    spot_job_row_t *other;

    if (is_sorted(self)) {
        return 0;
    }
    other = spot_calloc(num, sizeof(*other));
    if (other == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t width = 1; width < num; width *= 2) {
        spot_job_row_t *jobs = self->jobs;

        for (size_t begin = 0; begin < num; begin += 2 * width) {
            const size_t middle = begin + width < num ? begin + width : num;
            const size_t end = middle + width < num ? middle + width : num;

            merge(jobs, begin, middle, end, other);
        }
        self->jobs = other;
        other = jobs;
    }
    self->max_jobs = num;
    free(other);
    return 0;
}

/* ---- Ids ---- */

const void *
spot_job_log_key(const void *owner, size_t job_id, size_t *num_bytes)
{
    const spot_job_log_t *self = owner;

    *num_bytes = strlen(self->jobs[job_id].id);
    return self->jobs[job_id].id;
}

int
spot_job_log_tabulate(const spot_job_log_t *self, spot_key_table_t *table)
{
    int ret = 0;

    for (size_t j = 0; j < self->num_jobs && ret == 0; j++) {
        const char *id = self->jobs[j].id;

        ret = spot_key_table_enter(table, id, strlen(id), j);
    }
    return ret;
}

/* The digits of a number without leading zeros, or NULL. */
static const char *
digits_of(const char *id)
{
    const size_t num_digits = strspn(id, "0123456789");
    const size_t num_zeros = strspn(id, "0");

    if (num_digits == 0 || id[num_digits] != '\0') {
        return NULL;
    }
    return id + num_zeros - (num_zeros == num_digits);
}

int
spot_job_id_compare(const char *first, const char *second)
{
    const char *a = digits_of(first), *b = digits_of(second);
    int order = 0;

    if (a != NULL && b != NULL && strlen(a) != strlen(b)) {
        return strlen(a) < strlen(b) ? -1 : 1;
    }
    if ((a == NULL) != (b == NULL)) {
        return a != NULL ? -1 : 1;
    }
    if (a != NULL) {
        order = strcmp(a, b);
    }
    return order != 0 ? order : strcmp(first, second);
}

/* ---- The whole ---- */

static void
free_set(spot_text_set_t *set)
{
    free(set->texts);
    spot_key_table_free(&set->table);
}

void
spot_job_log_free(spot_job_log_t *self)
{
    free_set(&self->users);
    free_set(&self->names);
    free_set(&self->states);
    free_set(&self->words);
    free(self->jobs);
    free(self->workloads);
    spot_key_table_free(&self->workload_table);
    free(self->terms);
    spot_key_table_free(&self->terms_table);
    free(self->scalings);
    free_set(&self->scaling_names);
    spot_arena_free(&self->texts);
    memset(self, 0, sizeof(*self));
}

static void
verify_id(int32_t id, size_t num_items)
{
    spot_bug_assert(id >= -1 && id < (int32_t) num_items);
}

static void
verify_terms(const spot_job_log_t *self, const spot_job_row_t *job)
{
    const spot_job_terms_row_t *terms = &self->terms[job->terms_id];

    verify_id(terms->scaling_id, self->num_scalings);
    spot_bug_assert(terms->min_gpus == 0 || (terms->min_gpus <= job->gpu_num &&
                                                job->gpu_num <= terms->max_gpus));
    spot_bug_assert(terms->checkpoint_interval_s >= 0 && terms->restart_s >= -1);
}

void
spot_job_log_verify(const spot_job_log_t *self)
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
            verify_terms(self, job);
        }
    }
}
