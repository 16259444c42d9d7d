/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/store/series_rows.h"
#include "sim/study/running.h"

/* What the threads share. */
typedef struct {
    const spot_study_t *study;
    spot_store_t *store;
    const spot_study_run_t *run;
    spot_diag_t *diag;
    spot_series_list_t missing;
    atomic_size_t next; /* of missing */
    atomic_int error;   /* first one of any thread */
    pthread_mutex_t lock;
    spot_study_progress_t progress; /* under the lock */
} maker_t;

/* Whether the store has the row of a replication. */
static bool
has_row(const spot_store_t *store, size_t point_id, int64_t replication)
{
    const int64_t offset = replication % spot_study_batch_size(store->head);

    return store->num_there(store, point_id, replication - offset) > offset;
}

static int
find_missing(maker_t *self)
{
    const spot_study_t *study = self->study;
    spot_series_list_t *missing = &self->missing;
    spot_series_list_t there;
    int ret = spot_series_list_read(&there, self->store);

    for (size_t j = 0; ret == 0 && j < study->head.num_points * study->num_series; j++) {
        const size_t point_id = j / study->num_series;
        const int64_t replication = study->series[j % study->num_series];

        if (!has_row(self->store, point_id, replication) ||
            spot_series_list_has(&there, point_id, replication)) {
            continue;
        }
        ret = spot_array_reserve((void **) &missing->ids, &missing->max_ids,
            missing->num_ids + 1, sizeof(*missing->ids));
        if (ret == 0) {
            missing->ids[missing->num_ids++] = (spot_series_id_t){point_id, replication};
        }
    }
    spot_series_list_free(&there);
    return ret;
}

static int
make_one(maker_t *self, spot_study_worker_t *worker, const spot_series_id_t *id)
{
    spot_recording_t recording;
    int ret = spot_study_worker_go(worker, self->study, id->point_id, self->diag);

    if (ret != 0) {
        return ret;
    }
    ret = spot_study_worker_record(worker, id->replication, self->run->stop, &recording);
    for (size_t j = 0; ret == 0 && j < recording.num_series; j++) {
        spot_series_verify(&recording.series[j]);
    }
    if (ret == 0) {
        ret = spot_store_put_series(
            self->store, id->point_id, id->replication, &recording);
    }
    spot_recording_free(&recording);
    return ret;
}

static void
tell_progress(maker_t *self)
{
    pthread_mutex_lock(&self->lock);
    self->progress.num_series++;
    if (self->run->progress != NULL) {
        self->run->progress(self->run->context, &self->progress);
    }
    pthread_mutex_unlock(&self->lock);
}

static void *
work(void *context)
{
    maker_t *self = context;
    spot_study_worker_t worker = {.study = NULL};
    int none = 0, ret = 0;

    while (ret == 0 && atomic_load(&self->error) == 0) {
        const size_t j = atomic_fetch_add(&self->next, 1);

        if (j >= self->missing.num_ids) {
            break;
        }
        ret = self->run->stop != NULL && atomic_load(self->run->stop) != 0
                  ? SPOT_ERR_INTERRUPTED
                  : make_one(self, &worker, &self->missing.ids[j]);
        if (ret == 0) {
            tell_progress(self);
        }
    }
    if (ret != 0) {
        atomic_compare_exchange_strong(&self->error, &none, ret);
    }
    spot_study_worker_close(&worker);
    return NULL;
}

static int
make_all(maker_t *self)
{
    const int64_t num_missing = (int64_t) self->missing.num_ids;
    const int ret = spot_threads_run(
        self->run->num_threads < num_missing ? self->run->num_threads : num_missing,
        work, self);

    return ret == 0 ? atomic_load(&self->error) : ret;
}

int
spot_study_make_series(const spot_study_t *self, spot_store_t *store,
    const spot_study_run_t *run, const spot_study_progress_t *so_far, spot_diag_t *diag)
{
    maker_t maker = {
        .study = self, .store = store, .run = run, .diag = diag, .progress = *so_far};
    int ret, flushed;

    if (self->num_series == 0 || self->yield.outputs.num_series == 0 ||
        store->put_series == NULL) {
        return 0;
    }
    ret = find_missing(&maker);
    if (ret == 0 && maker.missing.num_ids > 0) {
        maker.progress.num_series_wanted = maker.missing.num_ids;
        pthread_mutex_init(&maker.lock, NULL);
        ret = make_all(&maker);
        pthread_mutex_destroy(&maker.lock);
    }
    spot_series_list_free(&maker.missing);
    flushed = store->flush(store, diag);
    return ret == 0 || flushed != 0 ? flushed : ret;
}
