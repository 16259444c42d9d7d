/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "base/memory.h"
#include "sim/store/series_rows.h"
#include "sim/study/running.h"

/* Whether the store has the row of a replication. */
static bool
has_row(const spot_store_t *store, size_t point_id, int64_t replication)
{
    const int64_t offset = replication % spot_study_batch_size(store->head);

    return store->num_there(store, point_id, replication - offset) > offset;
}

static int
find_missing(const spot_pool_t *self, spot_series_list_t *missing)
{
    const spot_study_t *study = self->study;
    spot_series_list_t there;
    int ret = spot_series_list_read(&there, self->store);

    for (size_t j = 0; ret == 0 && j < study->head.num_points * study->num_series; j++) {
        const spot_series_id_t id = {
            j / study->num_series, study->series[j % study->num_series]};

        if (has_row(self->store, id.point_id, id.replication) &&
            !spot_series_list_has(&there, id.point_id, id.replication)) {
            ret = spot_series_list_add(missing, id.point_id, id.replication);
        }
    }
    spot_series_list_free(&there);
    return ret;
}

static int
make_one(spot_pool_t *self, spot_study_worker_t *worker, void *context, int64_t task_id)
{
    const spot_series_list_t *missing = context;
    const spot_series_id_t *id = &missing->ids[task_id];
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
    if (ret == 0) {
        pthread_mutex_lock(&self->lock);
        self->progress.num_series++;
        spot_pool_tell(self);
        pthread_mutex_unlock(&self->lock);
    }
    spot_recording_free(&recording);
    return ret;
}

int
spot_pool_make_series(spot_pool_t *self)
{
    spot_series_list_t missing = {.ids = NULL};
    int ret, flushed;

    if (self->study->num_series == 0 || self->study->yield.outputs.num_series == 0 ||
        self->store->put_series == NULL) {
        return 0;
    }
    ret = find_missing(self, &missing);
    if (ret == 0) {
        self->progress.num_series_wanted = missing.num_ids;
        ret = spot_pool_do(self, make_one, &missing, 0, (int64_t) missing.num_ids);
    }
    spot_series_list_free(&missing);
    flushed = self->store->flush(self->store, self->diag);
    return ret == 0 || flushed != 0 ? flushed : ret;
}
