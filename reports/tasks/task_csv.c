/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/files.h"
#include "base/outfile.h"
#include "reports/tasks/task_report.h"

typedef struct {
    const spot_task_run_t *run;
    const spot_task_comparison_t *comparison;
    int32_t *rank;  /* [num ids] in order of bytes */
    int32_t *first; /* [num ids] by rank: the first item of an id; -1: none */
    bool is_transmits;
    FILE *out;
} csv_t;

static void put(const csv_t *self, bool is_there, int64_t value)
{
    fprintf(self->out, is_there ? ",%lld" : ",", (long long) value);
}

static void put_text(const csv_t *self, const char *before, const char *text)
{
    fputs(before, self->out);
    spot_csv_field_text(self->out, text);
}

static void put_worker(const csv_t *self, const char *before, int32_t worker_id)
{
    const spot_task_worker_t *worker = &self->run->log->workers[worker_id];

    put_text(self, before, worker->name);
    put_text(self, ",", self->run->log->hosts[worker->host_id]);
}

static void put_attempt(const csv_t *self, const spot_attempt_t *attempt, bool is_transmit)
{
    const spot_task_analysis_t *analysis = self->run->analysis;
    const spot_task_span_t *spans = is_transmit ? spot_transmit_spans : spot_task_spans;
    const int num_spans = is_transmit ? SPOT_NUM_TRANSMIT_DURATIONS : SPOT_TASK_LOAD;
    const int last_stage = is_transmit ? SPOT_TRANSMIT_FINISHED : SPOT_TASK_FINISHED;

    put_text(self, "", self->run->log->ids.names[attempt->id]);
    if (!is_transmit) {
        put_text(self, ",", analysis->per_class[analysis->class_of[attempt->id]].name);
    }
    put_worker(self, ",", attempt->worker);
    put(self, true, attempt->number);
    if (is_transmit) {
        put_text(
            self, ",", attempt->mode == SPOT_MODE_NONE ? "" : spot_task_mode_names[attempt->mode]);
    }
    for (int j = 0; j <= last_stage; j++) {
        put(self, spot_attempt_has(attempt, j), attempt->at[j]);
    }
    for (int j = 0; j < num_spans; j++) {
        int64_t length;
        const bool is_there = spot_attempt_between(attempt, spans[j].from, spans[j].to, &length);

        put(self, is_there, length);
    }
    fputc('\n', self->out);
}

static void put_attempts(const csv_t *self)
{
    const bool is_transmits = self->is_transmits;
    const spot_task_analysis_t *analysis = self->run->analysis;
    const spot_attempts_t *list = is_transmits ? &analysis->transmits : &analysis->tasks;
    const size_t num_ids = self->run->log->ids.num_names, num = list->num_attempts;

    memset(self->first, -1, num_ids * sizeof(*self->first));
    for (size_t j = num; j-- > 0;) {
        self->first[self->rank[list->attempts[j].id]] = (int32_t) j;
    }
    for (size_t j = 0; j < num_ids; j++) {
        for (size_t k = self->first[j] < 0 ? num : (size_t) self->first[j];
             k < num && self->rank[list->attempts[k].id] == (int32_t) j; k++) {
            put_attempt(self, &list->attempts[k], is_transmits);
        }
    }
}

static void put_workers(const csv_t *self)
{
    for (size_t j = 0; j < self->run->log->num_workers; j++) {
        const spot_worker_time_t *time = &self->run->analysis->times.workers[j];
        const int64_t counts[] = {time->tasks, time->gaps, time->gap_max, time->in_flight,
            time->hidden, time->in_flight - time->hidden};

        put_worker(self, "", (int32_t) j);
        for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
            put(self, true, counts[k]);
        }
        for (size_t k = 0; k < SPOT_NUM_IDLE; k++) {
            put(self, true, time->split[k]);
        }
        fputc('\n', self->out);
    }
}

/* Of all, then of hosts. */
static void put_concurrency(const csv_t *self)
{
    const spot_worker_times_t *times = &self->run->analysis->times;

    for (size_t j = 0; j <= times->num_hosts; j++) {
        const spot_concurrency_t *of = j == 0 ? &times->all : &times->hosts[j - 1];

        for (size_t k = 0; k < of->num_ns; k++) {
            if (of->ns[k] != 0) {
                put_text(self, "", j == 0 ? "all" : self->run->log->hosts[j - 1]);
                fprintf(self->out, ",%zu,%lld\n", k, (long long) of->ns[k]);
            }
        }
    }
}

static void put_comparison(const csv_t *self)
{
    const size_t num_ids = self->run->log->ids.num_names;

    memset(self->first, -1, num_ids * sizeof(*self->first));
    for (size_t j = 0; j < self->comparison->num_pairs; j++) {
        self->first[self->rank[self->comparison->pairs[j].id]] = (int32_t) j;
    }
    for (size_t j = 0; j < num_ids; j++) {
        if (self->first[j] >= 0) {
            const spot_task_pair_t *pair = &self->comparison->pairs[self->first[j]];

            put_text(self, "", self->run->log->ids.names[pair->id]);
            put(self, true, pair->first);
            put(self, true, pair->second);
            put(self, true, pair->second - pair->first);
            spot_csv_field_number(self->out, pair->relative);
            spot_csv_field_number(self->out, spot_wide_ratio(pair->second, pair->first));
            fputc('\n', self->out);
        }
    }
}

static const struct {
    const char *name, *head;
    void (*put)(const csv_t *self);
} files[] = {{"tasks",
                 "task,class,worker,host,attempt,planned,enqueued,started,loaded,finished,total,"
                 "comm,queue,run,on_worker",
                 put_attempts},
    {"transmits",
        "dataset,worker,host,attempt,mode,planned,started,loaded,finished,total,comm,"
        "load,transfer",
        put_attempts},
    {"workers",
        "worker,host,tasks,gaps,gap_max,transmit_in_flight,transmit_hidden,"
        "transmit_exposed,busy,queue,comm,inputs,lost,head,tail,unplanned",
        put_workers},
    {"concurrency", "scope,k,ns", put_concurrency},
    {"compare", "task,first,second,difference,relative,ratio", put_comparison}};

int spot_task_csv(const spot_task_run_t *run, const spot_task_comparison_t *comparison,
    const char *folder, spot_diag_t *diag)
{
    const size_t num_ids = run->log->ids.num_names;
    int32_t *rank = malloc((num_ids + 1) * sizeof(*rank));
    int32_t *first = malloc((num_ids + 1) * sizeof(*first));
    csv_t self = {run, comparison, rank, first, false, NULL};
    spot_texts_t texts = {0};
    int ret =
        rank == NULL || first == NULL ? SPOT_ERR_NO_MEMORY : spot_task_log_rank(run->log, rank);

    ret = ret == 0 ? spot_folder_make(folder, NULL, diag) : ret;
    for (size_t j = comparison == NULL ? 0 : 4; ret == 0 && j < (comparison == NULL ? 4 : 5); j++) {
        spot_outfile_t file;

        ret = spot_outfile_init(
            &file, spot_texts_add(&texts, "%s/%s.csv", folder, files[j].name), diag);
        if (ret == 0) {
            self.is_transmits = j == 1;
            self.out = file.stream;
            fprintf(self.out, "%s\n", files[j].head);
            files[j].put(&self);
        }
        ret = spot_outfile_close(&file, ret, diag);
    }
    spot_texts_free(&texts);
    free(rank);
    free(first);
    return ret;
}
