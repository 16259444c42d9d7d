/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The timelines that a store keeps: what single replications look like over time. A
 * store in memory keeps none. */
#ifndef SPOT_SIM_STORE_TIMELINES_H
#define SPOT_SIM_STORE_TIMELINES_H

#include "sim/engine/timeline.h"
#include "sim/store/store.h"

/* Which timeline it is. */
typedef struct {
    size_t point_id;
    int64_t replication;
} spot_timeline_id_t;

struct spot_timeline_list {
    size_t num_ids;
    size_t max_ids;
    spot_timeline_id_t *ids; /* [num_ids] by point, then by replication */
};

/* Those that are there, as far as was flushed. NO_MEMORY, or an error of reading, of
 * which the store's flush() says why; free self even then. */
SPOT_MUST_CHECK int spot_timeline_list_read(
    spot_timeline_list_t *self, const spot_store_t *store);

/* Accepts a zeroed self. */
void spot_timeline_list_free(spot_timeline_list_t *self);

/* O(log ids). */
bool spot_timeline_list_has(
    const spot_timeline_list_t *self, size_t point_id, int64_t replication);

/* Puts a timeline in; one that is there stays. Its colours are those of the store's
 * head, and not kept. Any number of threads at once. BAD_PARAM: no such point or
 * replication, or a timeline that is none (see timeline_bytes.h); STATE: the store is
 * only read, or keeps none; else as the store's put(). */
SPOT_MUST_CHECK int spot_store_put_timeline(spot_store_t *store, size_t point_id,
    int64_t replication, const spot_timeline_t *timeline);

/* Initialises a timeline and fills it as it was put. It owns its texts; its colours are
 * those of the head, so the store must outlive it. BAD_PARAM: it is not there;
 * BAD_INPUT: the file is damaged; else as the store's read(), flush() says why. Free the
 * timeline even after an error. O(records). */
SPOT_MUST_CHECK int spot_store_read_timeline(const spot_store_t *store, size_t point_id,
    int64_t replication, spot_timeline_t *timeline);

#endif
