/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/report.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define NOT_FOUND INT_MIN /* in place of what finding it returned */

typedef struct {
    int ret;
    spot_study_effects_t effects;
} effects_t;

struct spot_report_later {
    int winners_ret, race_ret;
    spot_winners_t winners;
    spot_race_answer_t race;
    spot_report_kept_t doubts;
    effects_t *metrics; /* [num_metrics] */
};

static void count_rows(spot_report_t *self)
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

static int make_later(spot_report_t *self)
{
    spot_report_later_t *later = spot_calloc(1, sizeof(*later));

    self->later = later;
    if (later == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    later->winners_ret = later->race_ret = NOT_FOUND;
    later->metrics = spot_calloc(self->head->num_metrics, sizeof(*later->metrics));
    for (size_t j = 0; later->metrics != NULL && j < self->head->num_metrics; j++) {
        later->metrics[j].ret = NOT_FOUND;
    }
    return later->metrics == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

static void free_later(spot_report_t *self)
{
    spot_report_later_t *later = self->later;

    if (later == NULL) {
        return;
    }
    for (size_t j = 0; later->metrics != NULL && j < self->head->num_metrics; j++) {
        spot_study_effects_free(&later->metrics[j].effects);
    }
    spot_winners_free(&later->winners);
    spot_race_answer_free(&later->race);
    if (later->doubts.thing != NULL) {
        later->doubts.free_thing(later->doubts.thing);
    }
    free(later->metrics);
    free(later);
}

int spot_report_init(spot_report_t *self, const spot_store_t *store)
{
    int ret;

    memset(self, 0, sizeof(*self));
    self->store = store;
    self->head = store->head;
    count_rows(self);
    ret = make_later(self);
    return ret == 0 ? spot_summarise_all(store, &self->summaries) : ret;
}

int spot_report_read_pairs(spot_report_t *self)
{
    return self->head->has_baseline && self->pairs == NULL
               ? spot_store_differences(self->store, &self->pairs)
               : 0;
}

void spot_report_free(spot_report_t *self)
{
    free_later(self);
    free(self->summaries);
    free(self->pairs);
    memset(self, 0, sizeof(*self));
}

const spot_summary_t *spot_report_summary(
    const spot_report_t *self, size_t point_id, size_t metric_id)
{
    return &self->summaries[point_id * self->head->num_metrics + metric_id];
}

int spot_report_effects(
    const spot_report_t *self, size_t metric_id, const spot_study_effects_t **effects)
{
    effects_t *kept = &self->later->metrics[metric_id];

    if (kept->ret == NOT_FOUND) {
        kept->ret = spot_study_effects_init(&kept->effects, self->store, metric_id);
    }
    *effects = kept->ret == 0 ? &kept->effects : NULL;
    return kept->ret;
}

int spot_report_winners(const spot_report_t *self, const spot_winners_t **winners)
{
    spot_report_later_t *later = self->later;

    if (later->winners_ret == NOT_FOUND) {
        later->winners_ret = spot_winners_init(&later->winners, self->store);
    }
    *winners = &later->winners;
    return later->winners_ret;
}

int spot_report_race(const spot_report_t *self, const spot_race_answer_t **answer)
{
    spot_report_later_t *later = self->later;

    if (later->race_ret == NOT_FOUND) {
        later->race_ret = spot_race_answer_init(&later->race, self->store);
    }
    *answer = &later->race;
    return later->race_ret;
}

spot_report_kept_t *spot_report_kept_doubts(const spot_report_t *self)
{
    return &self->later->doubts;
}
