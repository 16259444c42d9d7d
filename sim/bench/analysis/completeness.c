/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/analysis/completeness.h"

#include <stdlib.h>

#include "sim/bench/analysis/race.h"
#include "sim/bench/store/store_sqlite.h"

/* Points that still race. A race that cannot be replayed counts as unfinished. */
static size_t num_unfinished_of_race(const spot_store_t *store)
{
    spot_race_t race;
    int ret = spot_race_init(&race, store->head);
    size_t num;

    ret = ret == 0 ? spot_race_replay(&race, store) : ret;
    num = ret == 0 && race.is_over ? 0 : race.num_racing;
    spot_race_free(&race);
    return num;
}

spot_completeness_t spot_store_completeness(
    const spot_store_t *store, const spot_summary_t *summaries)
{
    const spot_study_head_t *head = store->head;
    const size_t metric_id = spot_study_metric_id(head, head->until.metric);
    spot_completeness_t self = {.num_asked = spot_study_runs(head, head->num_replications),
        .num_points = head->num_points,
        .fewest = INT64_MAX,
        .fewest_constant = INT64_MAX};

    for (size_t j = 0; j < head->num_points; j++) {
        const int64_t num_rows = store->num_rows(store, j);
        const bool is_until = metric_id < head->num_metrics;
        const spot_summary_t *summary =
            is_until ? &summaries[j * head->num_metrics + metric_id] : NULL;
        const bool is_fixed = spot_study_is_fixed(head, j);
        const bool is_precise = is_until && (is_fixed || summary->excess <= 1);
        const bool has_all = num_rows >= spot_study_point_replications(head, j);

        if (spot_study_cannot_run(head, j) != NULL) {
            continue;
        }
        self.num_rows += num_rows;
        if (!is_fixed || !has_all) {
            self.fewest = num_rows < self.fewest ? num_rows : self.fewest;
            self.most = num_rows > self.most ? num_rows : self.most;
        }
        self.num_unfinished += !has_all && !(is_precise && num_rows >= head->min_replications);
        self.num_imprecise += is_until && has_all && !is_precise;
        if (is_until && summary->is_constant) {
            self.num_constant++;
            self.fewest_constant = summary->num_values < self.fewest_constant
                                       ? summary->num_values
                                       : self.fewest_constant;
        }
    }
    if (head->optimise.metric != NULL) {
        self.num_unfinished = num_unfinished_of_race(store);
    }
    return self;
}

int spot_store_find_completeness(const spot_store_t *store, spot_completeness_t *completeness)
{
    spot_summary_t *summaries = NULL;
    const int ret = store->head->until.metric == NULL ? 0 : spot_summarise_all(store, &summaries);

    if (ret == 0) {
        *completeness = spot_store_completeness(store, summaries);
    }
    free(summaries);
    return ret;
}

int spot_completeness_read(const char *path, spot_completeness_t *completeness, spot_diag_t *diag)
{
    spot_store_t *store;
    int ret = spot_store_open_sqlite_reader(&store, path, diag), flushed;

    if (ret != 0) {
        return ret;
    }
    ret = spot_store_find_completeness(store, completeness);
    flushed = store->flush(store, diag);
    store->close(store);
    return flushed != 0 ? flushed : ret;
}
