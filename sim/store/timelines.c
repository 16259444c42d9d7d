/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/store/timelines.h"

#include <stdlib.h>
#include <string.h>

int
spot_timeline_list_read(spot_timeline_list_t *self, const spot_store_t *store)
{
    memset(self, 0, sizeof(*self));
    return store->list_timelines == NULL ? 0 : store->list_timelines(store, self);
}

void
spot_timeline_list_free(spot_timeline_list_t *self)
{
    free(self->ids);
    memset(self, 0, sizeof(*self));
}

bool
spot_timeline_list_has(
    const spot_timeline_list_t *self, size_t point_id, int64_t replication)
{
    size_t low = 0, high = self->num_ids;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const spot_timeline_id_t *id = &self->ids[middle];

        if (id->point_id < point_id ||
            (id->point_id == point_id && id->replication < replication)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < self->num_ids && self->ids[low].point_id == point_id &&
           self->ids[low].replication == replication;
}

int
spot_store_put_timeline(spot_store_t *store, size_t point_id, int64_t replication,
    const spot_timeline_t *timeline)
{
    if (point_id >= store->head->num_points || replication < 0 ||
        replication >= store->head->num_replications) {
        return SPOT_ERR_BAD_PARAM;
    }
    return store->put_timeline == NULL
               ? SPOT_ERR_STATE
               : store->put_timeline(store, point_id, replication, timeline);
}

int
spot_store_read_timeline(const spot_store_t *store, size_t point_id, int64_t replication,
    spot_timeline_t *timeline)
{
    spot_timeline_init(timeline);
    if (point_id >= store->head->num_points || store->read_timeline == NULL) {
        return SPOT_ERR_BAD_PARAM;
    }
    return store->read_timeline(store, point_id, replication, timeline);
}
