/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a study found as a table: one row a point, the swept keys and each metric that
 * was asked for as estimate and half width of its interval; or the differences of points
 * to those that the baseline names. */
#pragma once

#include "reports/report.h"
#include "reports/table/document.h"

/* What keys and metrics are called. */
typedef enum {
    SPOT_POINTS_BY_NAME, /* as YAML has them: on a terminal */
    SPOT_POINTS_BY_WORDS /* as people say them, fractions in percent: in papers */
} spot_point_voice_t;

typedef struct {
    const spot_report_t *report;
    spot_point_voice_t voice; /* by name: points that lost a race have no row */
    bool is_difference;       /* the points of the baseline have no row; pairs were read */
    bool is_plain;            /* with the number of each point, and remarks in words in place of
                                 marks and notes */
    size_t max_rows;          /* rows of points behind these are left out; 0: of none */
} spot_point_table_t;

/* Fills a zeroed table, whose notes explain what is in its cells: see doubts.h.
 * Durations are in h or d where these are long. Errors of reading the store and
 * NO_MEMORY are the error of the table, which its dialects return. */
void spot_point_table_fill(const spot_point_table_t *self, spot_table_t *table);

/* A column for each swept key but left_out_id (SIZE_MAX: for all), and cells in them for
 * a point. */
void spot_table_add_keys(spot_table_t *table, const spot_study_head_t *head, size_t left_out_id,
    spot_point_voice_t voice);
void spot_table_add_point(spot_table_t *table, const spot_study_head_t *head, size_t point_id,
    size_t left_out_id, spot_point_voice_t voice);

/* Writes such a table, whose voice is that of the document; on a page no more rows than
 * fit, and a note where there are others. id: as in spot_document_table(). */
void spot_point_table_write(
    spot_point_table_t self, const char *id, const char *caption, spot_document_t *document);

/* By name on a terminal, in words on a page. */
static inline spot_point_voice_t spot_document_voice(const spot_document_t *document)
{
    return spot_document_is_page(document) ? SPOT_POINTS_BY_WORDS : SPOT_POINTS_BY_NAME;
}

/* Rows of points that a page holds, where each has a cell for each listed metric. */
size_t spot_page_rows(const spot_study_head_t *head);

/* "recovery = checkpoint, fleet.capacity = 32", in words "recovery checkpoint, capacity
 * 32": what points are compared with. */
const char *spot_words_baseline(
    spot_texts_t *texts, const spot_study_head_t *head, spot_point_voice_t voice);
