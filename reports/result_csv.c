/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/result_csv.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv_field.h"
#include "base/memory.h"
#include "base/units.h"
#include "reports/row_warnings.h"
#include "reports/summary_remark.h"
#include "sim/analysis/difference.h"
#include "sim/analysis/race.h"
#include "sim/analysis/summary.h"

static void
write_number(FILE *out, double value)
{
    char text[SPOT_NUMBER_TEXT_BYTES] = "";

    if (isfinite(value)) {
        spot_number_text(value, text);
    }
    fprintf(out, ",%s", text);
}

static void
write_head(const spot_study_head_t *head, FILE *out)
{
    fputs("point", out);
    for (size_t j = 0; j < head->num_axes; j++) {
        fputc(',', out);
        spot_csv_field_text(out, head->axes[j].path);
    }
    fputs(
        ",metric,unit,replications,nulls,mean,std,stderr,ci95_low,ci95_high,p05,median,"
        "p95,difference,difference_ci95_low,difference_ci95_high,warnings,estimator,"
        "remark",
        out);
    fputs(head->optimise.metric == NULL ? "\n" : ",fate\n", out);
}

/* fate: how the point fared in the race; NULL: there is none. */
static int
write_row(const spot_store_t *store, size_t point_id, const spot_metric_t *metric,
    const spot_summary_t *summary, const spot_paired_t *pair, const char *fate,
    FILE *out)
{
    const spot_study_head_t *head = store->head;
    char remark[SPOT_REMARK_BYTES];
    double low, high;
    int ret;

    spot_paired_bounds(pair, SPOT_CONFIDENCE, &low, &high);
    fprintf(out, "%zu", point_id);
    for (size_t j = 0; j < head->num_axes; j++) {
        fputc(',', out);
        spot_csv_field_text(
            out, head->axes[j].texts[spot_study_value_id(head, point_id, j)]);
    }
    fputc(',', out);
    spot_csv_field_text(out, metric->name);
    fputc(',', out);
    spot_csv_field_text(out, metric->unit);
    fprintf(out, ",%" PRId64 ",%" PRId64, summary->num_values + summary->num_nulls,
        summary->num_nulls);
    write_number(out, summary->value);
    write_number(out, summary->std);
    write_number(out, summary->stderr_value);
    write_number(out, summary->ci_low);
    write_number(out, summary->ci_high);
    write_number(out, summary->p05);
    write_number(out, summary->median);
    write_number(out, summary->p95);
    write_number(out, spot_paired_mean(pair));
    write_number(out, low);
    write_number(out, high);
    fputc(',', out);
    ret = spot_point_warnings_csv(store, point_id, out);
    fprintf(out, ",%s,%s", spot_estimator_names[spot_metric_estimator(metric)],
        spot_summary_remark(summary, remark));
    fprintf(out, "%s%s\n", fate == NULL ? "" : ",", fate == NULL ? "" : fate);
    return ret;
}

/* race: NULL if there is none. */
static int
write_rows(const spot_store_t *store, const spot_race_t *race, FILE *out)
{
    const spot_study_head_t *head = store->head;
    spot_summary_t *summaries = spot_calloc(head->num_metrics, sizeof(*summaries));
    spot_paired_t *pairs = NULL;
    int ret =
        summaries == NULL ? SPOT_ERR_NO_MEMORY : spot_store_differences(store, &pairs);

    for (size_t j = 0; ret == 0 && j < head->num_points; j++) {
        const char *fate = race == NULL ? NULL : spot_fate_names[race->runners[j].fate];

        ret = spot_summarise(store, j, summaries);
        for (size_t k = 0; ret == 0 && k < head->num_metrics; k++) {
            if (spot_study_shows(head, k) &&
                (spot_study_has_metric(head, j, k) ||
                    spot_study_cannot_run(head, j) != NULL)) {
                ret = write_row(store, j, &head->metrics[k], &summaries[k],
                    &pairs[j * head->num_metrics + k], fate, out);
            }
        }
    }
    free(pairs);
    free(summaries);
    return ret == 0 && ferror(out) ? SPOT_ERR_IO : ret;
}

int
spot_result_csv_write(const spot_store_t *store, FILE *out)
{
    spot_race_t race;
    int ret;

    write_head(store->head, out);
    if (store->head->optimise.metric == NULL) {
        return write_rows(store, NULL, out);
    }
    ret = spot_race_init(&race, store->head);
    if (ret == 0) {
        ret = spot_race_replay(&race, store);
    }
    if (ret == 0) {
        ret = write_rows(store, &race, out);
    }
    spot_race_free(&race);
    return ret;
}
