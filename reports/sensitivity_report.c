/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "reports/study_parts.h"
#include "reports/table/table_machine.h"
#include "reports/words.h"
#include "sim/bench/analysis/sensitivity.h"

/* ---- Terminal and page ---- */

/* "mean 0.48, standard deviation over the points 0.1; ...": what the indices are shares
 * of. */
static const char *variance_of(const spot_sensitivity_t *indices, spot_texts_t *texts)
{
    const double noise_share = spot_sensitivity_noise_share(indices);
    const char *text = spot_texts_add(texts, "mean %.4g, standard deviation over the points %.4g",
        indices->mean, sqrt(indices->variance));

    if (isfinite(noise_share)) {
        text = spot_texts_add(texts, "%s; %.2g %% of the variance was noise and is taken out", text,
            100 * noise_share);
    }
    if (indices->num_left_out > 0) {
        text = spot_texts_add(texts, "%s; %zu base samples without a value are left out", text,
            indices->num_left_out);
    }
    return text;
}

/* "-0.003 [-0.012, 0.011]". */
static void add_index(
    const spot_sensitivity_index_t *index, spot_texts_t *texts, spot_table_t *table)
{
    spot_table_add_text(table,
        spot_texts_add(texts, "%.3f [%.3f, %.3f]", index->value, index->ci_low, index->ci_high));
    spot_table_set_value(table, index->value);
}

/* The key with the largest total that is not yet done, the first of several. */
static size_t next_key(const spot_sensitivity_t *indices, size_t num_axes, bool *is_done)
{
    size_t best = num_axes;

    for (size_t j = 0; j < num_axes; j++) {
        if (!is_done[j] &&
            (best == num_axes || indices->total[j].value > indices->total[best].value)) {
            best = j;
        }
    }
    is_done[best] = true;
    return best;
}

static void write_metric(const spot_study_head_t *head, size_t metric_id,
    const spot_sensitivity_t *indices, spot_document_t *document)
{
    static const char *const names[] = {"key", "first order", "total"};
    spot_texts_t *texts = &document->texts;
    bool *is_done = (bool *) spot_texts_room(texts, head->num_axes * sizeof(*is_done));
    spot_table_t table = {.name = "sobol",
        .caption = spot_texts_add(
            texts, "%s: %s", head->metrics[metric_id].name, variance_of(indices, texts))};

    for (size_t j = 0; j < sizeof(names) / sizeof(names[0]); j++) {
        spot_table_add_column(&table, (spot_table_column_t){.name = names[j],
                                          .kind = j == 0 ? SPOT_TABLE_TEXT : SPOT_TABLE_NUMBER});
    }
    for (size_t j = 0; is_done != NULL && j < head->num_axes; j++) {
        const size_t axis_id = next_key(indices, head->num_axes, is_done);

        spot_table_add_row(&table);
        spot_table_add_text(&table, spot_document_is_page(document)
                                        ? spot_words_axis(texts, &head->axes[axis_id])
                                        : head->axes[axis_id].path);
        add_index(&indices->first[axis_id], texts, &table);
        add_index(&indices->total[axis_id], texts, &table);
    }
    spot_document_gap(document);
    spot_document_table(
        document, spot_texts_add(texts, "sensitivity-table-%zu", metric_id), &table);
}

void spot_sensitivity_write(const spot_report_t *report, spot_document_t *document)
{
    const spot_study_head_t *head = report->head;
    const char *warning = NULL;
    spot_study_sensitivity_t found;
    const int ret = spot_study_sensitivity_init(&found, report->store);

    spot_document_fail(document, ret);
    if (ret != 0) {
        spot_study_sensitivity_free(&found);
        return;
    }
    spot_document_paragraph(document,
        "Sobol indices with 95 %% intervals: the share of the variance over the plan "
        "that a key explains alone (first order) and with all others (total). A key "
        "with a total of about 0 does not matter; one whose total is far above its "
        "first order matters together with others. From %zu base samples, %s of each "
        "point.",
        head->plan.num_samples,
        spot_words_count(&document->texts, found.num_replications, "replication"));
    for (size_t j = 0; warning == NULL && j < found.num_metrics; j++) {
        warning = spot_metric_sensitivity_warning(&found.metrics[j]);
    }
    if (warning != NULL) { /* once: all metrics have the same replications */
        spot_document_paragraph(document, "warning: %s", warning);
    }
    for (size_t j = 0; j < found.num_metrics; j++) {
        const char *problem = spot_metric_sensitivity_problem(&found.metrics[j]);

        if (problem == NULL) {
            write_metric(head, j, &found.metrics[j].indices, document);
        } else {
            spot_document_paragraph(document, "%s: no indices, %s", head->metrics[j].name, problem);
        }
    }
    spot_study_sensitivity_free(&found);
}

/* ---- CSV ---- */

static void add_csv_row(const spot_study_head_t *head, size_t metric_id, size_t axis_id,
    const spot_metric_sensitivity_t *metric, spot_table_t *table)
{
    const spot_sensitivity_t *indices = &metric->indices;
    const bool is_defined = metric->outcome == 0;
    const spot_sensitivity_index_t *both[] = {indices->first, indices->total};

    spot_table_add_row(table);
    spot_table_add_text(table, head->metrics[metric_id].name);
    spot_table_add_text(table, head->axes[axis_id].path);
    for (int j = 0; j < 2; j++) {
        spot_table_add_number(table, is_defined ? both[j][axis_id].value : (double) NAN);
        spot_table_add_number(table, is_defined ? both[j][axis_id].ci_low : (double) NAN);
        spot_table_add_number(table, is_defined ? both[j][axis_id].ci_high : (double) NAN);
    }
    spot_table_add_number(table, is_defined ? spot_sensitivity_noise_share(indices) : (double) NAN);
    spot_table_add_count(table, (int64_t) indices->num_used);
    spot_table_add_count(table, (int64_t) indices->num_left_out);
}

int spot_sensitivity_csv_write(const spot_store_t *store, FILE *out)
{
    static const char *const names[] = {"metric", "key", "first_order", "first_order_ci95_low",
        "first_order_ci95_high", "total", "total_ci95_low", "total_ci95_high", "noise_share",
        "base_samples", "left_out"};
    const spot_study_head_t *head = store->head;
    spot_study_sensitivity_t found;
    spot_table_t table = {.name = "sensitivity"};
    int ret = spot_study_sensitivity_init(&found, store);

    for (size_t j = 0; j < sizeof(names) / sizeof(names[0]); j++) {
        spot_table_add_column(&table, (spot_table_column_t){.name = names[j], .num_digits = 8});
    }
    for (size_t j = 0; ret == 0 && j < found.num_metrics * head->num_axes; j++) {
        const size_t metric_id = j / head->num_axes;

        add_csv_row(head, metric_id, j % head->num_axes, &found.metrics[metric_id], &table);
    }
    table.error = spot_error_first(ret, table.error);
    ret = spot_table_write_csv(&table, out);
    spot_table_free(&table);
    spot_study_sensitivity_free(&found);
    return ret;
}

/* ---- JSON ---- */

static void write_json_index(
    spot_json_t *json, const char *name, const spot_sensitivity_index_t *index)
{
    spot_json_open(json, name, '{');
    spot_json_number(json, "value", index->value);
    spot_json_number(json, "ci95_low", index->ci_low);
    spot_json_number(json, "ci95_high", index->ci_high);
    spot_json_close(json, '}');
}

static void write_json_metric(spot_json_t *json, const spot_study_head_t *head, size_t metric_id,
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

int spot_sensitivity_json(spot_json_t *json, const spot_store_t *store)
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
