/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/serve/outages.h"

#include <stdlib.h>

#include "base/memory.h"

struct spot_outages {
    const spot_outage_setting_t *setting;
    size_t num_stages;
    int32_t *first;            /* [num_stages + 1] list of the first slot of a stage */
    spot_outage_list_t *lists; /* by slot */
    int error;
};

int
spot_outages_new(spot_outages_t **outages, const spot_outage_setting_t *setting,
    const spot_rent_setting_t *rent, size_t num_stages, const int32_t *num_slots)
{
    spot_outages_t *self = *outages = spot_calloc(1, sizeof(*self));

    (void) rent;
    if (self == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->setting = setting;
    self->num_stages = num_stages;
    self->first = spot_calloc(num_stages + 1, sizeof(*self->first));
    for (size_t j = 0; j < num_stages && self->first != NULL; j++) {
        self->first[j + 1] = self->first[j] + num_slots[j];
    }
    if (self->first != NULL) {
        self->lists =
            spot_calloc((size_t) self->first[num_stages], sizeof(*self->lists));
    }
    return self->lists == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

void
spot_outages_delete(spot_outages_t *self)
{
    if (self != NULL) {
        for (int32_t j = 0; self->lists != NULL && j < self->first[self->num_stages];
             j++) {
            free(self->lists[j].rows);
        }
        free(self->lists);
        free(self->first);
        free(self);
    }
}

void
spot_outages_start(
    spot_outages_t *self, const spot_replication_t *replication, int64_t last_ns)
{
    const spot_outage_file_t *file = &self->setting->file;

    (void) replication;
    (void) last_ns;
    for (int32_t j = 0; j < self->first[self->num_stages]; j++) {
        self->lists[j].num_rows = 0;
    }
    for (size_t j = 0; j < file->num_rows; j++) {
        const spot_outage_row_t *row = &file->rows[j];
        const int32_t list_id = self->first[row->stage_id] + row->slot;

        if (list_id < self->first[row->stage_id + 1]) {
            spot_outage_list_t *list = &self->lists[list_id];

            self->error = spot_error_first(self->error,
                SPOT_ARRAY_APPEND(list, rows,
                    (spot_outage_t){row->preempted_ns, row->ready_ns, (int32_t) j}));
        }
    }
}

const spot_outage_t *
spot_outages_at(spot_outages_t *self, size_t stage_id, int32_t slot, size_t k)
{
    const spot_outage_list_t *list = &self->lists[self->first[stage_id] + slot];

    return k < list->num_rows ? &list->rows[k] : NULL;
}

int
spot_outages_error(const spot_outages_t *self)
{
    return self->error;
}
