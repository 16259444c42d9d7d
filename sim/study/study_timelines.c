/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/study/study_timelines.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/store/timelines.h"

void
spot_study_keep_timelines_node(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    if (node->kind == SPOT_NODE_LIST) {
        spot_bind_keep_node(bind, field, node, target);
    } else {
        spot_bind_unexpected(bind, field, node, "");
    }
}

/* One of the list; false: it is none, which is told. */
static bool
read_replication(
    const spot_study_t *self, spot_bind_t *bind, const spot_node_t *node, int64_t *value)
{
    const spot_field_t item = {
        .name = "timelines", .type = SPOT_FIELD_INTEGER, .min = 0, .max = 1e9};
    const size_t num_errors = bind->diag->num_errors;

    spot_bind_field(bind, &item, node, value);
    if (bind->diag->num_errors > num_errors) {
        return false;
    }
    if (*value >= self->head.num_replications) {
        spot_bind_error(bind, node, "timelines",
            "replication %" PRId64 " is never run: the study asks for %" PRId64
            ", from 0 on",
            *value, self->head.num_replications);
        return false;
    }
    for (size_t j = 0; j < self->num_timelines; j++) {
        if (self->timelines[j] == *value) {
            spot_bind_error(bind, node, "timelines",
                "replication %" PRId64 " is there twice", *value);
            return false;
        }
    }
    return true;
}

int
spot_study_find_timelines(spot_study_t *self, spot_bind_t *bind)
{
    const spot_node_t *node = self->timelines_node;
    const size_t num_items = node == NULL ? 1 : node->num_children;

    self->timelines = spot_calloc(num_items, sizeof(*self->timelines));
    if (self->timelines == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    if (node == NULL) {
        self->num_timelines = self->head.num_points <= SPOT_TIMELINES_MAX_POINTS;
        return 0;
    }
    for (size_t j = 0; j < num_items; j++) {
        int64_t value = 0;

        if (read_replication(self, bind, node->children[j], &value)) {
            self->timelines[self->num_timelines++] = value;
        }
    }
    return 0;
}

/* What the threads share. */
typedef struct {
    const spot_study_t *study;
    spot_store_t *store;
    const spot_study_run_t *run;
    spot_timeline_list_t missing;
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
    spot_timeline_list_t *missing = &self->missing;
    spot_timeline_list_t there;
    int ret = spot_timeline_list_read(&there, self->store);

    for (size_t j = 0; ret == 0 && j < study->head.num_points * study->num_timelines;
         j++) {
        const size_t point_id = j / study->num_timelines;
        const int64_t replication = study->timelines[j % study->num_timelines];

        if (!has_row(self->store, point_id, replication) ||
            spot_timeline_list_has(&there, point_id, replication)) {
            continue;
        }
        ret = spot_array_reserve((void **) &missing->ids, &missing->max_ids,
            missing->num_ids + 1, sizeof(*missing->ids));
        if (ret == 0) {
            missing->ids[missing->num_ids++] =
                (spot_timeline_id_t){point_id, replication};
        }
    }
    spot_timeline_list_free(&there);
    return ret;
}

/* One that is too long for a store is left out. */
static int
make_one(maker_t *self, void *worker, const spot_timeline_id_t *id)
{
    spot_timeline_t timeline;
    int ret;

    spot_timeline_init(&timeline);
    ret = self->study->experiment->timeline(
        worker, self->study->head.seed, (uint64_t) id->replication, &timeline);
    if (ret == 0) {
        ret = spot_store_put_timeline(
            self->store, id->point_id, id->replication, &timeline);
        ret = ret == SPOT_ERR_BAD_PARAM ? 0 : ret;
    }
    spot_timeline_free(&timeline);
    return ret;
}

static void
tell_progress(maker_t *self)
{
    pthread_mutex_lock(&self->lock);
    self->progress.num_timelines++;
    if (self->run->progress != NULL) {
        self->run->progress(self->run->context, &self->progress);
    }
    pthread_mutex_unlock(&self->lock);
}

static void *
work(void *context)
{
    maker_t *self = context;
    const spot_experiment_t *experiment = self->study->experiment;
    size_t point_id = self->study->head.num_points;
    void *worker = NULL;
    int none = 0, ret = 0;

    while (ret == 0 && atomic_load(&self->error) == 0) {
        const size_t j = atomic_fetch_add(&self->next, 1);

        if (j >= self->missing.num_ids) {
            break;
        }
        if (self->run->stop != NULL && atomic_load(self->run->stop) != 0) {
            ret = SPOT_ERR_INTERRUPTED;
            break;
        }
        if (self->missing.ids[j].point_id != point_id) {
            point_id = self->missing.ids[j].point_id;
            experiment->close(worker);
            worker = NULL;
            ret = experiment->open(&worker, self->study->scenarios[point_id]);
        }
        if (ret == 0) {
            ret = make_one(self, worker, &self->missing.ids[j]);
        }
        if (ret == 0) {
            tell_progress(self);
        }
    }
    if (ret != 0) {
        atomic_compare_exchange_strong(&self->error, &none, ret);
    }
    experiment->close(worker);
    return NULL;
}

/* The calling thread is the last one, or the only one. */
static int
make_all(maker_t *self)
{
    const size_t num_threads = (size_t) self->run->num_threads < self->missing.num_ids
                                   ? (size_t) self->run->num_threads
                                   : self->missing.num_ids;
    pthread_t *threads = spot_calloc(num_threads, sizeof(*threads));
    size_t num_started = 0;

    if (threads == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    while (num_started + 1 < num_threads &&
           pthread_create(&threads[num_started], NULL, work, self) == 0) {
        num_started++;
    }
    (void) work(self);
    for (size_t j = 0; j < num_started; j++) {
        pthread_join(threads[j], NULL);
    }
    free(threads);
    return atomic_load(&self->error);
}

int
spot_study_make_timelines(const spot_study_t *self, spot_store_t *store,
    const spot_study_run_t *run, const spot_study_progress_t *so_far, spot_diag_t *diag)
{
    maker_t maker = {.study = self, .store = store, .run = run, .progress = *so_far};
    int ret, flushed;

    if (self->num_timelines == 0 || self->experiment->timeline == NULL ||
        store->put_timeline == NULL) {
        return 0;
    }
    ret = find_missing(&maker);
    if (ret == 0 && maker.missing.num_ids > 0) {
        maker.progress.num_timelines_wanted = maker.missing.num_ids;
        pthread_mutex_init(&maker.lock, NULL);
        ret = make_all(&maker);
        pthread_mutex_destroy(&maker.lock);
    }
    spot_timeline_list_free(&maker.missing);
    flushed = store->flush(store, diag);
    return ret == 0 || flushed != 0 ? flushed : ret;
}
