/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a study runs: its plan, its keys and its metrics, before and after it ran. */
#pragma once

#include "base/json.h"
#include "reports/report.h"
#include "reports/table/document.h"

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

/* What the metrics mean, folded. */
void spot_metrics_write(const spot_study_head_t *head, spot_document_t *document);

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
