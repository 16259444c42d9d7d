/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/result_json.h"

#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/memory.h"
#include "reports/doubts.h"
#include "reports/plan_report.h"
#include "reports/study_parts.h"
#include "sim/analysis/difference.h"
#include "sim/analysis/summary.h"

static void
write_difference(spot_json_t *json, const spot_paired_t *pair)
{
    double low, high;

    spot_paired_bounds(pair, SPOT_CONFIDENCE, &low, &high);
    spot_json_open(json, "difference", '{');
    spot_json_integer(json, "pairs", spot_paired_num_pairs(pair));
    spot_json_integer(json, "nulls", pair->num_left_out);
    spot_json_number(json, "mean", spot_paired_mean(pair));
    spot_json_number(json, "ci95_low", low);
    spot_json_number(json, "ci95_high", high);
    spot_json_number(json, "gain", spot_paired_gain(pair, SPOT_CONFIDENCE));
    spot_json_close(json, '}');
}

static void
write_metric(spot_json_t *json, const spot_metric_t *metric,
    const spot_summary_t *summary, const spot_paired_t *pair)
{
    char remark[SPOT_REMARK_BYTES];

    spot_json_open(json, metric->name, '{');
    spot_json_text(json, "unit", metric->unit);
    spot_json_integer(json, "replications", summary->num_values + summary->num_nulls);
    spot_json_integer(json, "nulls", summary->num_nulls);
    spot_json_text(
        json, "estimator", spot_estimator_names[spot_metric_estimator(metric)]);
    spot_json_number(json, "mean", summary->value);
    if (isinf(summary->value)) {
        spot_json_number(json, "least", summary->least);
    }
    spot_json_number(json, "std", summary->std);
    spot_json_number(json, "stderr", summary->stderr_value);
    spot_json_number(json, "ci95_low", summary->ci_low);
    spot_json_number(json, "ci95_high", summary->ci_high);
    spot_json_number(json, "p05", summary->p05);
    spot_json_number(json, "median", summary->median);
    spot_json_number(json, "p95", summary->p95);
    if (spot_summary_remark(summary, remark)[0] != '\0') {
        spot_json_text(json, "remark", remark);
    }
    if (spot_paired_num_pairs(pair) > 0) {
        write_difference(json, pair);
    }
    spot_json_close(json, '}');
}

/* How well the study wants to know a mean; "replications" is the most that it takes. */
static void
write_until(spot_json_t *json, const spot_study_head_t *head)
{
    const spot_until_t *until = &head->until;
    const bool is_relative = until->half_width == 0;

    spot_json_open(json, "until", '{');
    spot_json_text(json, "metric", until->metric);
    spot_json_number(json, is_relative ? "relative_half_width" : "half_width",
        is_relative ? until->relative_half_width : until->half_width);
    spot_json_number(json, "confidence", until->confidence);
    spot_json_integer(json, "min", head->min_replications);
    spot_json_close(json, '}');
}

/* What the warnings mean that any point met. */
static void
write_warnings(spot_json_t *json, const spot_store_t *store)
{
    const spot_study_head_t *head = store->head;

    spot_json_open(json, "warnings", '{');
    for (size_t j = 0; j < head->num_warnings; j++) {
        const int64_t num_warned = spot_warning_count(store, j);

        if (num_warned > 0) {
            spot_json_open(json, head->warnings[j].name, '{');
            spot_json_integer(json, "replications", num_warned);
            spot_json_text(json, "text", head->warnings[j].text);
            spot_json_close(json, '}');
        }
    }
    spot_json_close(json, '}');
}

static int
write_point(spot_json_t *json, const spot_store_t *store, size_t point_id,
    const spot_race_answer_t *answer, spot_summary_t *summaries,
    const spot_paired_t *pairs)
{
    const spot_study_head_t *head = store->head;
    const char *cannot_run = spot_study_cannot_run(head, point_id);
    const int ret = spot_summarise(store, point_id, summaries);

    spot_json_open(json, NULL, '{');
    spot_point_json(json, head, point_id);
    if (answer != NULL) {
        spot_json_text(
            json, "fate", spot_fate_names[answer->race.runners[point_id].fate]);
    }
    if (head->until.metric != NULL) {
        const spot_summary_t *known =
            &summaries[spot_study_metric_id(head, head->until.metric)];

        spot_json_boolean(json, "is_known",
            (spot_study_is_fixed(head, point_id) && known->num_values > 0) ||
                known->excess <= 1);
    }
    if (cannot_run != NULL) {
        spot_json_text(json, "cannot_run", cannot_run);
    }
    spot_json_open(json, "metrics", '{');
    for (size_t j = 0; ret == 0 && j < head->num_metrics; j++) {
        if (!spot_study_shows(head, j)) {
            continue;
        }
        if (cannot_run != NULL) {
            spot_json_text(json, head->metrics[j].name, NULL);
        } else if (spot_study_has_metric(head, point_id, j)) {
            write_metric(json, &head->metrics[j], &summaries[j], &pairs[j]);
        }
    }
    spot_json_close(json, '}');
    spot_point_warnings_json(json, store, point_id);
    spot_json_close(json, '}');
    return ret;
}

/* answer: NULL without a race. */
static int
write_study(const spot_store_t *store, const spot_race_answer_t *answer, FILE *out)
{
    const spot_study_head_t *head = store->head;
    spot_summary_t *summaries = spot_calloc(head->num_metrics, sizeof(*summaries));
    spot_paired_t *pairs = NULL;
    spot_json_t json;
    int ret =
        summaries == NULL ? SPOT_ERR_NO_MEMORY : spot_store_differences(store, &pairs);

    spot_json_init(&json, out, 2);
    spot_json_open(&json, NULL, '{');
    spot_json_text(&json, "study", head->name);
    spot_json_text(&json, "question", head->question);
    spot_json_unsigned(&json, "seed", head->seed);
    spot_json_integer(&json, "replications", head->num_replications);
    if (head->until.metric != NULL) {
        write_until(&json, head);
    }
    if (head->has_baseline) {
        spot_json_open(&json, "baseline", '{');
        for (size_t j = 0; j <= head->num_more_baselines; j++) {
            const spot_axis_value_t value = spot_study_baseline(head, j);

            spot_axis_value_json(&json, &head->axes[value.axis_id], value.value_id);
        }
        spot_json_close(&json, '}');
    }
    spot_plan_json(&json, &head->plan);
    if (answer != NULL) {
        spot_race_json_write(answer, &json);
    }
    spot_json_open(&json, "points", '[');
    for (size_t j = 0; ret == 0 && j < head->num_points; j++) {
        ret = write_point(
            &json, store, j, answer, summaries, &pairs[j * head->num_metrics]);
    }
    spot_json_close(&json, ']');
    write_warnings(&json, store);
    if (ret == 0 && head->best.is_asked) {
        ret = spot_winner_json(&json, store);
    }
    if (ret == 0 && head->plan.kind == SPOT_PLAN_SENSITIVITY) {
        ret = spot_sensitivity_json(&json, store);
    }
    spot_json_close(&json, '}');
    free(pairs);
    free(summaries);
    return ret;
}

int
spot_result_json_write(const spot_store_t *store, FILE *out)
{
    spot_race_answer_t answer;
    int ret;

    if (store->head->optimise.metric == NULL) {
        return write_study(store, NULL, out);
    }
    ret = spot_race_answer_init(&answer, store);
    if (ret == 0) {
        ret = write_study(store, &answer, out);
    }
    spot_race_answer_free(&answer);
    return ret;
}
