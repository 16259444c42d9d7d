/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a study runs: its plan, its keys and its metrics, before and after it ran; and the table
 * of its points. */
#pragma once

#include "base/json.h"
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

/* "NAME: QUESTION", or the name alone. */
const char *spot_words_study(spot_texts_t *texts, const spot_study_head_t *head);

/* "64 points (sobol, seed 3; 2 drawn again; 5 excluded by where)"; of a grid nothing
 * is said of how points were chosen. */
const char *spot_words_plan(spot_texts_t *texts, const spot_study_head_t *head);

/* "256 to 9984", or "1000" where both are the same. */
const char *spot_words_range(spot_texts_t *texts, int64_t least, int64_t most);

/* "1000 replications each"; where the rows decide how many, "256 to 9984 replications
 * each until idle_fraction is known within ±0.005 (95 %)", or "in a race for ...". */
const char *spot_words_amount(
    spot_texts_t *texts, const spot_study_head_t *head, int64_t fewest, int64_t most);

/* A table of the keys that were varied, and in sentences how points and replications
 * were chosen. */
void spot_settings_write(const spot_study_head_t *head, spot_document_t *document);

/* What a study would take. Runs that are left are from a least to a most where the rows
 * decide, else both are the same; so are the points that they are of. */
typedef struct {
    int num_threads;
    int64_t num_measured;   /* runs, of which these are: */
    double open_s;          /* processor time to go to a point */
    double run_s;           /* and of a run */
    const char *store_path; /* of the runs that are there, or NULL */
    const char *shard;      /* "I/N" whose runs are left; "": of all */
    int64_t num_there;      /* runs */
    int64_t least_runs, most_runs;
    size_t least_points, most_points;
} spot_plan_cost_t;

/* The plan, its keys, runs, size and time, and the first points, as text. With a store
 * also what is there and left: the time is for the latter. The line of the time, and no
 * other, starts with "time:". NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_plan_report_text(const spot_study_head_t *head,
    const spot_plan_cost_t *cost, const spot_terminal_t *terminal, FILE *out);

/* The same as JSON, with all points. */
void spot_plan_report_json(const spot_study_head_t *head, const spot_plan_cost_t *cost, FILE *out);

/* Parts of JSON: "plan", how the points were chosen. */
void spot_plan_json(spot_json_t *json, const spot_plan_t *plan);

/* The value of a key under its path; a plain number as such, any other as text. */
void spot_axis_value_json(spot_json_t *json, const spot_axis_t *axis, size_t value_id);

/* "values": those of a point, by key, without a key (SIZE_MAX: with all). */
void spot_values_json(
    spot_json_t *json, const spot_study_head_t *head, size_t point_id, size_t left_out_id);
static inline void spot_point_json(
    spot_json_t *json, const spot_study_head_t *head, size_t point_id)
{
    spot_values_json(json, head, point_id, SIZE_MAX);
}
