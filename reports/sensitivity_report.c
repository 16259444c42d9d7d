/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/sensitivity_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "reports/study_words.h"
#include "reports/table/table_machine.h"
#include "reports/table/table_terminal.h"

/* ---- Text ---- */

/* "-0.003 [-0.012, 0.011]": an index and its interval. */
#define INDEX_BYTES 64
static void
index_text(const spot_sensitivity_index_t *index, char text[INDEX_BYTES])
{
    snprintf(text, INDEX_BYTES, "%.3f [%.3f, %.3f]", index->value, index->ci_low,
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

/* Keys with the largest total first: order[num_axes] of them. */
static void
sort_keys(const spot_sensitivity_t *indices, size_t num_axes, size_t *order)
{
    for (size_t j = 0; j < num_axes; j++) {
        size_t place = j;

        while (place > 0 &&
               indices->total[order[place - 1]].value < indices->total[j].value) {
            order[place] = order[place - 1];
            place--;
        }
        order[place] = j;
    }
}

void
spot_sensitivity_table_fill(const spot_study_head_t *head,
    const spot_sensitivity_t *indices, spot_point_voice_t voice, spot_table_t *table)
{
    static const char *const names[] = {"key", "first order", "total"};
    size_t *order = spot_calloc(head->num_axes, sizeof(*order));
    char text[INDEX_BYTES], words[SPOT_WORDS_BYTES];

    for (size_t j = 0; j < sizeof(names) / sizeof(names[0]); j++) {
        spot_table_add_column(
            table, (spot_table_column_t){.name = names[j],
                       .kind = j == 0 ? SPOT_TABLE_TEXT : SPOT_TABLE_NUMBER});
    }
    if (order == NULL) {
        table->error = SPOT_ERR_NO_MEMORY;
        return;
    }
    sort_keys(indices, head->num_axes, order);
    for (size_t j = 0; j < head->num_axes; j++) {
        const spot_axis_t *axis = &head->axes[order[j]];

        spot_table_add_row(table);
        spot_axis_words(axis, words);
        spot_table_add_text(table, voice == SPOT_POINTS_BY_WORDS ? words : axis->path);
        index_text(&indices->first[order[j]], text);
        spot_table_add_text(table, text);
        spot_table_set_value(table, indices->first[order[j]].value);
        index_text(&indices->total[order[j]], text);
        spot_table_add_text(table, text);
        spot_table_set_value(table, indices->total[order[j]].value);
    }
    free(order);
}

static int
write_keys(const spot_study_head_t *head, const spot_sensitivity_t *indices,
    const spot_terminal_t *terminal, FILE *out)
{
    spot_table_t table = {.name = "sobol"};
    int ret;

    spot_sensitivity_table_fill(head, indices, SPOT_POINTS_BY_NAME, &table);
    ret = spot_table_write_terminal(&table, terminal, out);
    spot_table_free(&table);
    return ret;
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
spot_sensitivity_table_write(
    const spot_store_t *store, const spot_terminal_t *terminal, FILE *out)
{
    const spot_study_head_t *head = store->head;
    spot_study_sensitivity_t sensitivity;
    int ret = spot_study_sensitivity_init(&sensitivity, store);

    if (ret == 0) {
        fprintf(out,
            "\nSobol indices with 95 %% intervals: the share of the variance over the "
            "plan that a key "
            "explains alone (first order) and with all others (total); "
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
            ret = write_keys(head, &metric->indices, terminal, out);
        }
    }
    spot_study_sensitivity_free(&sensitivity);
    return ret == 0 && ferror(out) ? SPOT_ERR_IO : ret;
}

/* ---- CSV ---- */

/* NULL: undefined. */
static void
add_csv_index(const spot_sensitivity_index_t *index, spot_table_t *table)
{
    spot_table_add_number(table, index == NULL ? (double) NAN : index->value);
    spot_table_add_number(table, index == NULL ? (double) NAN : index->ci_low);
    spot_table_add_number(table, index == NULL ? (double) NAN : index->ci_high);
}

static void
add_csv_row(const spot_study_head_t *head, size_t metric_id, size_t axis_id,
    const spot_metric_sensitivity_t *metric, spot_table_t *table)
{
    const spot_sensitivity_t *indices = &metric->indices;
    const bool is_defined = metric->outcome == 0;

    spot_table_add_row(table);
    spot_table_add_text(table, head->metrics[metric_id].name);
    spot_table_add_text(table, head->axes[axis_id].path);
    add_csv_index(is_defined ? &indices->first[axis_id] : NULL, table);
    add_csv_index(is_defined ? &indices->total[axis_id] : NULL, table);
    spot_table_add_number(
        table, is_defined ? spot_sensitivity_noise_share(indices) : (double) NAN);
    spot_table_add_count(table, (int64_t) indices->num_used);
    spot_table_add_count(table, (int64_t) indices->num_left_out);
}

int
spot_sensitivity_csv_write(const spot_store_t *store, FILE *out)
{
    static const char *const names[] = {"metric", "key", "first_order",
        "first_order_ci95_low", "first_order_ci95_high", "total", "total_ci95_low",
        "total_ci95_high", "noise_share", "base_samples", "left_out"};
    const spot_study_head_t *head = store->head;
    spot_study_sensitivity_t sensitivity;
    spot_table_t table = {.name = "sensitivity"};
    int ret = spot_study_sensitivity_init(&sensitivity, store);

    for (size_t j = 0; j < sizeof(names) / sizeof(names[0]); j++) {
        spot_table_add_column(
            &table, (spot_table_column_t){.name = names[j], .num_digits = 8});
    }
    for (size_t j = 0; ret == 0 && j < sensitivity.num_metrics; j++) {
        for (size_t k = 0; k < head->num_axes; k++) {
            add_csv_row(head, j, k, &sensitivity.metrics[j], &table);
        }
    }
    if (ret == 0) {
        ret = spot_table_write_csv_head(&table, out);
    }
    if (ret == 0) {
        ret = spot_table_write_csv_rows(&table, out);
    }
    spot_table_free(&table);
    spot_study_sensitivity_free(&sensitivity);
    return ret;
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
