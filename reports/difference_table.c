/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "reports/plan_report.h"
#include "reports/point_table.h"
#include "reports/study_parts.h"
#include "reports/words.h"
#include "sim/bench/analysis/point_groups.h"

/* Beyond this gain the differences of a point are all the same but for rounding. */
#define MAX_GAIN 1e9

/* Widths up to this ratio are shown as the same. */
#define SAME_RATIO 1.005

/* "difference to job.pipeline_depth = 16: mean of 256 to 9984 pairs of replications"; a
 * mean of one pair is none. */
static const char *caption_of(
    const spot_report_t *report, const size_t *base_ids, spot_texts_t *texts)
{
    const spot_study_head_t *head = report->head;
    const char *baseline = spot_words_baseline(texts, head, SPOT_POINTS_BY_NAME);
    int64_t fewest = INT64_MAX, most = 0;

    for (size_t j = 0; j < head->num_points; j++) {
        if (!spot_study_is_baseline(head, j) && base_ids[j] != SPOT_NO_POINT &&
            spot_study_cannot_run(head, j) == NULL) {
            const int64_t num = spot_paired_num_pairs(&report->pairs[j * head->num_metrics]);

            fewest = num < fewest ? num : fewest;
            most = num > most ? num : most;
        }
    }
    return most == 1 ? spot_texts_add(texts, "difference to %s in the same replication", baseline)
                     : spot_texts_add(texts,
                           "difference to %s: mean of %s pairs of replications, which met the "
                           "same events",
                           baseline, spot_words_range(texts, fewest, most));
}

/* ---- What pairing is worth ---- */

/* The gains of metrics from first_id on, sorted; those without spread are none.
 * *num_same points have differences that are all the same. */
static size_t find_gains(
    const spot_report_t *report, size_t first_id, size_t end_id, double *gains, size_t *num_same)
{
    const spot_study_head_t *head = report->head;
    size_t num_gains = 0;

    *num_same = 0;
    for (size_t j = 0; j < head->num_points; j++) {
        for (size_t k = first_id; k < end_id; k++) {
            const double gain =
                spot_paired_gain(&report->pairs[j * head->num_metrics + k], SPOT_CONFIDENCE);

            if (gain > MAX_GAIN) {
                (*num_same)++;
            } else if (!isnan(gain)) {
                gains[num_gains++] = gain;
            }
        }
    }
    spot_sort(gains, num_gains);
    return num_gains;
}

/* "paired intervals are 2.63 times narrower than unpaired ones ...". */
static const char *gain_caption(const double *gains, size_t num_gains, spot_texts_t *texts)
{
    const double median = spot_quantile(gains, num_gains, 0.5);
    const double ratio = median < 1 ? 1 / median : median;
    const char *times = spot_texts_add(texts, ratio < 100 ? "%.2f" : "%.3g", ratio);

    return spot_texts_add(texts,
        "paired intervals are %s%s unpaired ones of the same replications (median of "
        "%zu)",
        ratio < SAME_RATIO ? "as wide as" : times,
        ratio < SAME_RATIO ? ""
        : median < 1       ? " times wider than"
                           : " times narrower than",
        num_gains);
}

static void write_gains(const spot_report_t *report, double *gains, spot_document_t *document)
{
    static const spot_table_column_t columns[] = {
        {.name = "metric", .kind = SPOT_TABLE_TEXT, .is_key = true},
        {.name = "times narrower (median)", .is_fixed = true, .num_decimals = 2},
        {.name = "from", .is_fixed = true, .num_decimals = 2},
        {.name = "to", .is_fixed = true, .num_decimals = 2},
        {.name = "points that differ by the same"},
    };
    static const double levels[] = {0.5, 0, 1};
    const spot_study_head_t *head = report->head;
    spot_table_t table = {.name = "gains"};
    size_t num_same, num_gains = find_gains(report, 0, head->num_listed, gains, &num_same);
    const bool is_any_wider = num_gains > 0 && gains[0] <= 1 / SAME_RATIO;

    if (num_gains == 0) {
        return;
    }
    table.caption = gain_caption(gains, num_gains, &document->texts);
    spot_table_add_columns(&table, sizeof(columns) / sizeof(columns[0]), columns);
    for (size_t j = 0; j < head->num_listed; j++) {
        num_gains = find_gains(report, j, j + 1, gains, &num_same);
        spot_table_add_row(&table);
        spot_table_add_text(
            &table, spot_document_is_page(document)
                        ? spot_words_metric(&document->texts, &head->metrics[j], NULL)
                        : head->metrics[j].name);
        for (int k = 0; k < 3; k++) {
            spot_table_add_number(
                &table, num_gains == 0 ? (double) NAN : spot_quantile(gains, num_gains, levels[k]));
        }
        if (num_same > 0) {
            spot_table_add_count(&table, (int64_t) num_same);
        }
    }
    if (is_any_wider) {
        spot_table_add_note(&table, "", "below 1 paired intervals are wider");
    }
    spot_document_fold(document, "How much pairing is worth");
    spot_document_table(document, "gains-table", &table);
    spot_document_end_fold(document);
}

void spot_differences_write(const spot_report_t *report, spot_document_t *document)
{
    const spot_study_head_t *head = report->head;
    double *gains = spot_arena_take(
        &document->texts.arena, head->num_points * head->num_listed, sizeof(*gains));
    size_t *base_ids = NULL;

    spot_document_fail(document, document->texts.arena.error);
    spot_document_fail(document, spot_baseline_points(head, &base_ids));
    if (gains != NULL && base_ids != NULL) {
        spot_document_fold(document, "Every difference with its interval");
        spot_point_table_write((spot_point_table_t){.report = report, .is_difference = true},
            "differences-table", caption_of(report, base_ids, &document->texts), document);
        spot_document_end_fold(document);
        write_gains(report, gains, document);
    }
    free(base_ids);
}
