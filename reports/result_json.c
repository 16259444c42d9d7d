/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/result_json.h"

#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/memory.h"
#include "reports/race_json.h"
#include "sim/store/summary.h"

static void
write_summary(
    spot_json_t *json, const spot_metric_t *metric, const spot_summary_t *summary)
{
    spot_json_open(json, metric->name, '{');
    spot_json_text(json, "unit", metric->unit);
    spot_json_integer(json, "replications", summary->num_values + summary->num_nulls);
    spot_json_integer(json, "nulls", summary->num_nulls);
    spot_json_number(json, "mean", summary->mean);
    spot_json_number(json, "std", summary->std);
    spot_json_number(json, "stderr", summary->stderr_mean);
    spot_json_number(json, "ci95_low", summary->ci_low);
    spot_json_number(json, "ci95_high", summary->ci_high);
    spot_json_number(json, "p05", summary->p05);
    spot_json_number(json, "median", summary->median);
    spot_json_number(json, "p95", summary->p95);
    spot_json_close(json, '}');
}

static int
write_point(spot_json_t *json, const spot_store_t *store, size_t point_id,
    const spot_race_answer_t *answer, spot_summary_t *summaries)
{
    const spot_study_head_t *head = store->head;
    const int ret = spot_summarise(store, point_id, summaries);

    spot_json_open(json, NULL, '{');
    spot_json_open(json, "values", '{');
    for (size_t j = 0; j < head->num_axes; j++) {
        const size_t value_id = spot_study_value_id(head, point_id, j);

        if (isfinite(head->axes[j].numbers[value_id]) && head->axes[j].unit[0] == '\0') {
            spot_json_number(json, head->axes[j].path, head->axes[j].numbers[value_id]);
        } else {
            spot_json_text(json, head->axes[j].path, head->axes[j].texts[value_id]);
        }
    }
    spot_json_close(json, '}');
    if (answer != NULL) {
        spot_json_text(
            json, "fate", spot_fate_names[answer->race.runners[point_id].fate]);
    }
    spot_json_open(json, "metrics", '{');
    for (size_t j = 0; ret == 0 && j < head->num_metrics; j++) {
        write_summary(json, &head->metrics[j], &summaries[j]);
    }
    spot_json_close(json, '}');
    spot_json_close(json, '}');
    return ret;
}

/* answer: NULL without a race. */
static int
write_study(const spot_store_t *store, const spot_race_answer_t *answer, FILE *out)
{
    const spot_study_head_t *head = store->head;
    spot_summary_t *summaries = spot_calloc(head->num_metrics, sizeof(*summaries));
    spot_json_t json;
    int ret = summaries == NULL ? SPOT_ERR_NO_MEMORY : 0;

    spot_json_init(&json, out, 2);
    spot_json_open(&json, NULL, '{');
    spot_json_text(&json, "study", head->name);
    spot_json_text(&json, "question", head->question);
    spot_json_unsigned(&json, "seed", head->seed);
    spot_json_integer(&json, "replications", head->num_replications);
    if (answer != NULL) {
        spot_race_json_write(answer, &json);
    }
    spot_json_open(&json, "points", '[');
    for (size_t j = 0; ret == 0 && j < head->num_points; j++) {
        ret = write_point(&json, store, j, answer, summaries);
    }
    spot_json_close(&json, ']');
    spot_json_close(&json, '}');
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
