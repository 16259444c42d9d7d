/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a study found as a table: one row a point, the swept keys and each metric that
 * was asked for as estimate and half width of its interval; or the differences of points
 * to those that the baseline names. */
#pragma once

#include "reports/report.h"
#include "reports/table/table.h"
#include "sim/analysis/race_answer.h"

/* What keys and metrics are called. */
typedef enum {
    SPOT_POINTS_BY_NAME, /* as YAML has them: on a terminal */
    SPOT_POINTS_BY_WORDS /* as people say them, fractions in percent: in papers */
} spot_point_voice_t;

typedef struct {
    const spot_report_t *report;
    spot_point_voice_t voice;
    bool is_difference; /* the points of the baseline have no row; pairs were read */
    bool is_plain;   /* with the number of each point, and remarks in words in place of
                        marks and notes */
    size_t max_rows; /* rows of points behind these are left out; 0: of none */
    const spot_race_answer_t *answer; /* points that lost the race have no row; NULL:
                                         there is none */
} spot_point_table_t;

/* Fills a zeroed table, whose notes explain what is in its cells: which replications
 * gave no value, which warnings were met, which points cannot run. Durations are in h or
 * d where these are long. Errors of reading the store and NO_MEMORY are the error of the
 * table, which its dialects return. */
void spot_point_table_fill(const spot_point_table_t *self, spot_table_t *table);
