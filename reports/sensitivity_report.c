/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/sensitivity_report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/csv_field.h"
#include "reports/text_cell.h"

#define INDEX_WIDTH 22 /* "-0.003 [-0.012, 0.011]" */

/* ---- Text ---- */

void
spot_sensitivity_index_text(
    const spot_sensitivity_index_t *index, char text[SPOT_INDEX_BYTES])
{
    snprintf(text, SPOT_INDEX_BYTES, "%.3f [%.3f, %.3f]", index->value, index->ci_low,
        index->ci_high);
}

void
spot_sensitivity_variance_write(const spot_sensitivity_t *indices, FILE *out)
{
    const double noise_share = spot_sensitivity_noise_share(indices);

    fprintf(out, "mean %.4g, standard deviation over the points %.4g", indices->mean,
        sqrt(indices->variance));
    if (isfinite(noise_share)) {
        fprintf(out, "; %.2g %% of the variance was noise and is taken out",
            100 * noise_share);
    }
    if (indices->num_left_out > 0) {
        fprintf(out, "; %zu base samples without a value are left out",
            indices->num_left_out);
    }
}

static void
write_keys(const spot_study_head_t *head, const spot_sensitivity_t *indices, FILE *out)
{
    char text[SPOT_INDEX_BYTES];
    int width = 0;

    for (size_t j = 0; j < head->num_axes; j++) {
        spot_text_widen(&width, head->axes[j].path);
    }
    fprintf(out, "%*s  %*s  %*s\n", width, "", INDEX_WIDTH, "first order", INDEX_WIDTH,
        "total");
    for (size_t j = 0; j < head->num_axes; j++) {
        spot_text_cell(out, head->axes[j].path, strlen(head->axes[j].path), width);
        spot_sensitivity_index_text(&indices->first[j], text);
        fprintf(out, "  %*s", INDEX_WIDTH, text);
        spot_sensitivity_index_text(&indices->total[j], text);
        fprintf(out, "  %*s\n", INDEX_WIDTH, text);
    }
}

/* Once, of whichever metric: all have the same replications. */
static void
write_warning(const spot_study_sensitivity_t *sensitivity, FILE *out)
{
    const char *warning = NULL;

    for (size_t j = 0; warning == NULL && j < sensitivity->num_metrics; j++) {
        warning = spot_metric_sensitivity_warning(&sensitivity->metrics[j]);
    }
    if (warning != NULL) {
        fprintf(out, "warning: %s\n", warning);
    }
}

int
spot_sensitivity_table_write(const spot_store_t *store, FILE *out)
{
    const spot_study_head_t *head = store->head;
    spot_study_sensitivity_t sensitivity;
    const int ret = spot_study_sensitivity_init(&sensitivity, store);

    if (ret == 0) {
        fprintf(out,
            "\nSobol indices with 95 %% intervals: the share of the variance over the "
            "plan that a key\nexplains alone (first order) and with all others (total); "
            "%zu base samples, %" PRId64 " replication%s\n",
            head->plan.num_samples, sensitivity.num_replications,
            sensitivity.num_replications == 1 ? "" : "s");
        write_warning(&sensitivity, out);
    }
    for (size_t j = 0; ret == 0 && j < sensitivity.num_metrics; j++) {
        const spot_metric_sensitivity_t *metric = &sensitivity.metrics[j];
        const char *problem = spot_metric_sensitivity_problem(metric);

        fprintf(out, "\n%s: ", head->metrics[j].name);
        if (problem != NULL) {
            fprintf(out, "no indices, %s\n", problem);
        } else {
            spot_sensitivity_variance_write(&metric->indices, out);
            fputc('\n', out);
            write_keys(head, &metric->indices, out);
        }
    }
    spot_study_sensitivity_free(&sensitivity);
    return ret == 0 && ferror(out) ? SPOT_ERR_IO : ret;
}

/* ---- CSV ---- */

/* NULL: undefined. */
static void
write_csv_index(const spot_sensitivity_index_t *index, FILE *out)
{
    spot_csv_field_number(out, index == NULL ? (double) NAN : index->value);
    spot_csv_field_number(out, index == NULL ? (double) NAN : index->ci_low);
    spot_csv_field_number(out, index == NULL ? (double) NAN : index->ci_high);
}

static void
write_csv_row(const spot_study_head_t *head, size_t metric_id, size_t axis_id,
    const spot_metric_sensitivity_t *metric, FILE *out)
{
    const spot_sensitivity_t *indices = &metric->indices;
    const bool is_defined = metric->outcome == 0;

    spot_csv_field_text(out, head->metrics[metric_id].name);
    fputc(',', out);
    spot_csv_field_text(out, head->axes[axis_id].path);
    write_csv_index(is_defined ? &indices->first[axis_id] : NULL, out);
    write_csv_index(is_defined ? &indices->total[axis_id] : NULL, out);
    spot_csv_field_number(
        out, is_defined ? spot_sensitivity_noise_share(indices) : (double) NAN);
    fprintf(out, ",%zu,%zu\n", indices->num_used, indices->num_left_out);
}

int
spot_sensitivity_csv_write(const spot_store_t *store, FILE *out)
{
    const spot_study_head_t *head = store->head;
    spot_study_sensitivity_t sensitivity;
    const int ret = spot_study_sensitivity_init(&sensitivity, store);

    fputs("metric,key,first_order,first_order_ci95_low,first_order_ci95_high,total,"
          "total_ci95_low,total_ci95_high,noise_share,base_samples,left_out\n",
        out);
    for (size_t j = 0; ret == 0 && j < sensitivity.num_metrics; j++) {
        for (size_t k = 0; k < head->num_axes; k++) {
            write_csv_row(head, j, k, &sensitivity.metrics[j], out);
        }
    }
    spot_study_sensitivity_free(&sensitivity);
    return ret == 0 && ferror(out) ? SPOT_ERR_IO : ret;
}

/* ---- JSON ---- */

static void
write_json_index(
    spot_json_t *json, const char *name, const spot_sensitivity_index_t *index)
{
    spot_json_open(json, name, '{');
    spot_json_number(json, "value", index->value);
    spot_json_number(json, "ci95_low", index->ci_low);
    spot_json_number(json, "ci95_high", index->ci_high);
    spot_json_close(json, '}');
}

static void
write_json_metric(spot_json_t *json, const spot_study_head_t *head, size_t metric_id,
    const spot_metric_sensitivity_t *metric)
{
    const spot_sensitivity_t *indices = &metric->indices;

    spot_json_open(json, head->metrics[metric_id].name, '{');
    spot_json_text(json, "problem", spot_metric_sensitivity_problem(metric));
    spot_json_text(json, "warning", spot_metric_sensitivity_warning(metric));
    spot_json_unsigned(json, "base_samples", indices->num_used);
    spot_json_unsigned(json, "left_out", indices->num_left_out);
    if (metric->outcome == 0) {
        spot_json_number(json, "mean", indices->mean);
        spot_json_number(json, "variance", indices->variance);
        spot_json_number(json, "noise_share", spot_sensitivity_noise_share(indices));
        spot_json_open(json, "keys", '{');
        for (size_t j = 0; j < head->num_axes; j++) {
            spot_json_open(json, head->axes[j].path, '{');
            write_json_index(json, "first_order", &indices->first[j]);
            write_json_index(json, "total", &indices->total[j]);
            spot_json_close(json, '}');
        }
        spot_json_close(json, '}');
    }
    spot_json_close(json, '}');
}

int
spot_sensitivity_json(spot_json_t *json, const spot_store_t *store)
{
    spot_study_sensitivity_t sensitivity;
    const int ret = spot_study_sensitivity_init(&sensitivity, store);

    spot_json_open(json, "sensitivity", '{');
    for (size_t j = 0; ret == 0 && j < sensitivity.num_metrics; j++) {
        write_json_metric(json, store->head, j, &sensitivity.metrics[j]);
    }
    spot_json_close(json, '}');
    spot_study_sensitivity_free(&sensitivity);
    return ret;
}
