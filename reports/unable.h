/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What makes the results of a study doubtful: one list for terminal, papers and page. */
#pragma once

#include <stdbool.h>

#include "sim/analysis/summary.h"
#include "sim/store/store.h"

typedef enum {
    SPOT_DOUBT_UNABLE,       /* points that cannot run */
    SPOT_DOUBT_UNFINISHED,   /* replications are missing */
    SPOT_DOUBT_IMPRECISE,    /* the precision that was asked for is not reached */
    SPOT_DOUBT_CONSTANT,     /* the same value in all replications of a point */
    SPOT_DOUBT_NO_INTERVALS, /* one replication of each point */
    SPOT_DOUBT_WARNING,      /* a replication met what a model is not for */
    SPOT_DOUBT_UNDEFINED     /* a metric is undefined in some replications */
} spot_doubt_kind_t;

#define SPOT_DOUBT_BYTES 1792

typedef struct {
    spot_doubt_kind_t kind;
    bool is_severe;              /* what the means say may change */
    size_t id;                   /* of the warning or the metric */
    int64_t num_bad;             /* replications; 0: it is not about single ones */
    char text[SPOT_DOUBT_BYTES]; /* sentences; from outside */
} spot_study_doubt_t;

typedef struct {
    const spot_store_t *store;
    const spot_summary_t *summaries; /* [num_points][num_metrics] */
    size_t num_items, max_items;
    spot_study_doubt_t *items; /* [num_items] in the order of the kinds */
} spot_doubts_t;

/* The store and the summaries must outlive self. NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_doubts_init(
    spot_doubts_t *self, const spot_store_t *store, const spot_summary_t *summaries);
void spot_doubts_free(spot_doubts_t *self);

/* A point, and how many of its replications a doubt is about. */
typedef struct {
    size_t point_id;
    int64_t num_bad;
} spot_doubt_place_t;

/* Fills places, [num_points], with the points that a doubt is about, the worst first;
 * returns their number, 0: it is not about single points. */
size_t spot_doubt_places(const spot_doubts_t *self, const spot_study_doubt_t *doubt,
    spot_doubt_place_t *places);

/* Points that cannot run, one sentence for each reason, without a period: "12 of 120
 * points (recovery bamboo) cannot run: ...". *kind_id is where to look from, 0 at first,
 * and then that of the next sentence. Returns false where there is no further one.
 * O(points * axes). */
#define SPOT_UNABLE_BYTES 1536
bool spot_unable_next(
    const spot_study_head_t *head, size_t *kind_id, char text[SPOT_UNABLE_BYTES]);
