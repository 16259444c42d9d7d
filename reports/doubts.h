/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What makes the results of a study doubtful: one list for terminal, papers and page,
 * and what a single figure or a point must say of itself. */
#pragma once

#include "base/memory.h"
#include "reports/report.h"
#include "reports/table/document.h"
#include "sim/bench/analysis/race.h"

typedef enum {
    SPOT_DOUBT_UNFINISHED,   /* replications are missing */
    SPOT_DOUBT_IMPRECISE,    /* the precision that was asked for is not reached */
    SPOT_DOUBT_CONSTANT,     /* the same value in all replications of a point */
    SPOT_DOUBT_NO_INTERVALS, /* one replication of each point */
    SPOT_DOUBT_UNABLE,       /* points that cannot run */
    SPOT_DOUBT_WARNING,      /* a replication met what a model is not for */
    SPOT_DOUBT_UNDEFINED,    /* a metric is undefined in some replications */
    SPOT_DOUBT_INPUT         /* what reading the scenarios warned of */
} spot_doubt_kind_t;

typedef struct {
    spot_doubt_kind_t kind;
    size_t id;          /* of the warning or the metric */
    bool is_severe;     /* what the means say may change */
    char letter[2];     /* of a warning, from "a" on: marks the points that met it */
    const char *text;   /* sentences; from outside */
    const char *places; /* " At 2 of 12 points: ...", the worst ones; "": none */
} spot_study_doubt_t;

typedef struct {
    const spot_report_t *report;
    spot_completeness_t completeness;
    size_t num_items, max_items;
    spot_study_doubt_t *items; /* [num_items] in the order of the kinds */
    spot_texts_t texts;
} spot_doubts_t;

/* Found once of a report, which keeps and frees them. Errors of reading, NO_MEMORY. */
SPOT_MUST_CHECK int spot_report_doubts(const spot_report_t *report, const spot_doubts_t **doubts);

/* The letters of the warnings that replications of a point met: "ac". */
const char *spot_words_letters(spot_texts_t *texts, const spot_doubts_t *self, size_t point_id);

/* What a figure must say beside itself: "of 563 of 1000", "437 of 1000 cut off",
 * "> 432000", "heavy tail", or several, with ";" between them; "" for nothing. */
const char *spot_words_remark(spot_texts_t *texts, const spot_summary_t *summary);
