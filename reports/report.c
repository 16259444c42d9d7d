/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void
count_rows(spot_report_t *self)
{
    self->min_rows = INT64_MAX;
    for (size_t j = 0; j < self->head->num_points; j++) {
        const int64_t num_rows = self->store->num_rows(self->store, j);

        self->num_rows += num_rows;
        if ((num_rows > 0 && spot_study_is_fixed(self->head, j)) ||
            spot_study_cannot_run(self->head, j) != NULL) {
            continue;
        }
        self->min_rows = num_rows < self->min_rows ? num_rows : self->min_rows;
        self->max_rows = num_rows > self->max_rows ? num_rows : self->max_rows;
    }
}

static int
make_later(spot_report_t *self)
{
    spot_report_later_t *later = spot_calloc(1, sizeof(*later));

    self->later = later;
    if (later != NULL) {
        later->effects = spot_calloc(self->head->num_metrics, sizeof(*later->effects));
    }
    return later == NULL || later->effects == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

static void
free_effects(spot_study_effects_t *effects)
{
    if (effects != NULL) {
        spot_study_effects_free(effects);
        free(effects);
    }
}

static void
free_winners(spot_winners_t *winners)
{
    if (winners != NULL) {
        spot_winners_free(winners);
        free(winners);
    }
}

static void
free_later(spot_report_t *self)
{
    if (self->later == NULL) {
        return;
    }
    for (size_t j = 0; self->later->effects != NULL && j < self->head->num_metrics;
         j++) {
        free_effects(self->later->effects[j]);
    }
    free_winners(self->later->winners);
    free(self->later->effects);
    free(self->later);
}

int
spot_report_init(spot_report_t *self, const spot_store_t *store)
{
    int ret;

    memset(self, 0, sizeof(*self));
    self->store = store;
    self->head = store->head;
    count_rows(self);
    ret = make_later(self);
    return ret == 0 ? spot_summarise_all(store, &self->summaries) : ret;
}

int
spot_report_read_pairs(spot_report_t *self)
{
    return self->head->has_baseline ? spot_store_differences(self->store, &self->pairs)
                                    : 0;
}

void
spot_report_free(spot_report_t *self)
{
    free_later(self);
    free(self->summaries);
    free(self->pairs);
    memset(self, 0, sizeof(*self));
}

const spot_summary_t *
spot_report_summary(const spot_report_t *self, size_t point_id, size_t metric_id)
{
    return &self->summaries[point_id * self->head->num_metrics + metric_id];
}

int
spot_report_effects(
    const spot_report_t *self, size_t metric_id, const spot_study_effects_t **effects)
{
    spot_study_effects_t **kept = &self->later->effects[metric_id];
    int ret = 0;

    if (*kept == NULL) {
        *kept = spot_calloc(1, sizeof(**kept));
        ret = *kept == NULL ? SPOT_ERR_NO_MEMORY
                            : spot_study_effects_init(*kept, self->store, metric_id);
        if (ret != 0) {
            free_effects(*kept);
            *kept = NULL;
        }
    }
    *effects = *kept;
    return ret;
}

int
spot_report_winners(const spot_report_t *self, const spot_winners_t **winners)
{
    spot_winners_t **kept = &self->later->winners;
    int ret = 0;

    if (*kept == NULL) {
        *kept = spot_calloc(1, sizeof(**kept));
        ret = *kept == NULL ? SPOT_ERR_NO_MEMORY : spot_winners_init(*kept, self->store);
        if (ret != 0) {
            free_winners(*kept);
            *kept = NULL;
        }
    }
    *winners = *kept;
    return ret;
}
