/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/plan_report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "reports/point_table.h"
#include "reports/words.h"

#define MAX_VALUES 12 /* of a key that are all listed; of more numbers, the ends */
#define MAX_POINTS 20 /* in a text */
#define ROW_BYTES 16  /* of a row beside its metrics */

/* ---- Points and replications in words ---- */

const char *spot_words_study(spot_texts_t *texts, const spot_study_head_t *head)
{
    return head->question == NULL ? head->name
                                  : spot_texts_add(texts, "%s: %s", head->name, head->question);
}

const char *spot_words_plan(spot_texts_t *texts, const spot_study_head_t *head)
{
    const spot_plan_t *plan = &head->plan;
    const char *points = spot_words_count(texts, (int64_t) head->num_points, "point");
    const char *text = plan->kind == SPOT_PLAN_GRID ? "" : spot_plan_names[plan->kind];

    if (spot_plan_is_design(plan->kind)) {
        text = spot_texts_add(texts, "%s, seed %" PRIu64, text, plan->seed);
    }
    if (plan->num_samples > 0) {
        text = spot_texts_add(texts, "%s, %zu base samples", text, plan->num_samples);
    }
    if (plan->num_merged > 0) {
        text = spot_texts_add(
            texts, "%s; %zu drawn again, the same after rounding", text, plan->num_merged);
    }
    if (plan->num_excluded > 0) {
        text = spot_texts_join(
            texts, text, "; ", spot_texts_add(texts, "%zu excluded by where", plan->num_excluded));
    }
    return text[0] == '\0' ? points : spot_texts_add(texts, "%s (%s)", points, text);
}

/* What no other plan says of itself. */
static const char *grid_words(const spot_study_head_t *head)
{
    const bool is_grid = head->plan.kind == SPOT_PLAN_GRID && head->num_axes > 0;

    return is_grid ? "grid of all combinations: " : "";
}

/* " in a race for the least usd (95 % confidence ...; subject to lost <= 0.1)". */
static const char *race_of(const spot_optimise_t *optimise, spot_texts_t *texts)
{
    const char *text = spot_texts_add(texts,
        " in a race for the %s %s (%g %% confidence in the whole answer; differences "
        "below %g %% do not matter",
        optimise->is_maximised ? "most" : "least", optimise->metric, 100 * optimise->confidence,
        100 * optimise->indifference);

    for (size_t j = 0; j < optimise->num_constraints; j++) {
        text = spot_texts_add(texts, "%s%s%s", text, j == 0 ? "; subject to " : " and ",
            spot_words_shown(texts, optimise->constraints[j].text));
    }
    return spot_texts_add(texts, "%s)", text);
}

static const char *until_of(const spot_until_t *until, spot_texts_t *texts)
{
    char width[SPOT_NUMBER_TEXT_BYTES];

    spot_number_text(
        until->half_width > 0 ? until->half_width : 100 * until->relative_half_width, width);
    return spot_texts_add(texts, " until %s is known within ±%s%s (%g %%)", until->metric, width,
        until->half_width > 0 ? "" : " %", 100 * until->confidence);
}

const char *spot_words_range(spot_texts_t *texts, int64_t least, int64_t most)
{
    return least < most ? spot_texts_add(texts, "%" PRId64 " to %" PRId64, least, most)
                        : spot_texts_add(texts, "%" PRId64, most);
}

const char *spot_words_amount(
    spot_texts_t *texts, const spot_study_head_t *head, int64_t fewest, int64_t most)
{
    const bool is_until = head->until.metric != NULL;
    const bool is_race = !is_until && head->optimise.metric != NULL;

    if (!is_until && !is_race) {
        fewest = most = head->num_replications;
    }
    return spot_texts_add(texts, "%s replication%s each%s%s", spot_words_range(texts, fewest, most),
        most == 1 ? "" : "s", spot_words_fixed(texts, head),
        is_until  ? until_of(&head->until, texts)
        : is_race ? race_of(&head->optimise, texts)
                  : "");
}

/* ---- Keys and metrics as tables ---- */

/* "8, 16", or "1.5 s to 60 s" of many, or where a design spread them. A page has all of
 * many that no design spread behind the ends: "1.5 s to 60 s: 1.5 s, 2 s, ...". */
static const char *values_of(const spot_axis_t *axis, bool is_spread, spot_document_t *document)
{
    const bool has_ends =
        spot_axis_is_numeric(axis) && (is_spread || axis->num_values > MAX_VALUES);
    const bool has_all = !is_spread && spot_document_is_page(document);
    spot_texts_t *texts = &document->texts;
    FILE *all = spot_texts_begin(texts); /* of which there may be many */
    size_t lowest = 0, highest = 0;

    for (size_t j = 0; all != NULL && j < axis->num_values; j++) {
        lowest = axis->numbers[j] < axis->numbers[lowest] ? j : lowest;
        highest = axis->numbers[j] > axis->numbers[highest] ? j : highest;
        fprintf(all, "%s%s", j == 0 ? "" : ", ", spot_words_label(texts, axis, j));
    }
    return !has_ends
               ? spot_texts_end(texts, all)
               : spot_texts_add(texts, "%s to %s%s%s", axis->texts[lowest], axis->texts[highest],
                     has_all ? ": " : "", has_all ? spot_texts_end(texts, all) : "");
}

/* The keys that were varied and their values. A page folds long text, not prose. */
static void write_varied(const spot_study_head_t *head, spot_document_t *document)
{
    const spot_table_column_t columns[] = {
        {.name = "key", .kind = SPOT_TABLE_TEXT, .is_key = true},
        {.name = "in words", .kind = SPOT_TABLE_TEXT},
        {.name = "values",
            .kind = spot_document_is_page(document) ? SPOT_TABLE_TEXT : SPOT_TABLE_PROSE},
        {.name = "unit", .kind = SPOT_TABLE_TEXT},
        {.name = "number of values"},
    };
    spot_texts_t *texts = &document->texts;
    spot_table_t table = {.name = "varied", .caption = "Keys that were varied"};

    spot_table_add_columns(&table, sizeof(columns) / sizeof(columns[0]), columns);
    for (size_t j = 0; j < head->num_axes; j++) {
        const spot_axis_t *axis = &head->axes[j];
        size_t num_bytes;

        spot_table_add_row(&table);
        spot_table_add_text(&table, axis->path);
        spot_table_add_text(&table, spot_words_key(texts, axis));
        spot_table_add_text(
            &table, values_of(axis, spot_plan_is_design(head->plan.kind), document));
        spot_table_add_text(
            &table, axis->unit[0] != '\0' || axis->num_values == 0
                        ? axis->unit
                        : spot_key_unit(head, axis->path, axis->texts[0], &num_bytes));
        spot_table_add_count(&table, (int64_t) axis->num_values);
    }
    spot_document_table(document, "varied-table", &table);
}

/* What labels are short for, which may be long. */
static void write_labels(const spot_study_head_t *head, spot_document_t *document)
{
    bool has_any = false;

    for (size_t j = 0; j < head->num_axes; j++) {
        for (size_t k = 0; k < head->axes[j].num_values; k++) {
            const char *text = spot_words_explained(&document->texts, &head->axes[j], k);

            if (text != NULL && !has_any) {
                spot_document_fold(document, "What the short names of values stand for");
                has_any = true;
            }
            if (text != NULL) {
                spot_document_item(document, "%s", text);
            }
        }
    }
    if (has_any) {
        spot_document_end_fold(document);
    }
}

void spot_settings_write(const spot_study_head_t *head, spot_document_t *document)
{
    spot_texts_t *texts = &document->texts;

    if (head->num_axes == 0) {
        spot_document_paragraph(document, "Nothing was varied: the study has one point.");
    } else {
        write_varied(head, document);
        write_labels(head, document);
    }
    spot_document_item(document, "%s%s, %s", grid_words(head), spot_words_plan(texts, head),
        spot_words_amount(texts, head, head->min_replications, head->num_replications));
    spot_document_item(document,
        "seed %" PRIu64 "; all points meet the same events in the same replication "
        "(common random numbers)",
        head->seed);
    spot_document_item(
        document, "%g %% confidence intervals, shown as ± half width", 100 * SPOT_CONFIDENCE);
    if (head->has_baseline) {
        spot_document_item(
            document, "compared with %s", spot_words_baseline(texts, head, SPOT_POINTS_BY_NAME));
    }
}

void spot_metrics_write(const spot_study_head_t *head, spot_document_t *document)
{
    static const spot_table_column_t columns[] = {
        {.name = "metric", .kind = SPOT_TABLE_TEXT, .is_key = true},
        {.name = "in words", .kind = SPOT_TABLE_TEXT},
        {.name = "unit", .kind = SPOT_TABLE_TEXT},
        {.name = "what it is", .kind = SPOT_TABLE_PROSE},
    };
    spot_table_t table = {.name = "metrics", .caption = "Metrics of a replication"};

    spot_table_add_columns(&table, sizeof(columns) / sizeof(columns[0]), columns);
    for (size_t j = 0; j < head->num_metrics; j++) {
        const spot_metric_t *metric = &head->metrics[j];

        spot_table_add_row(&table);
        spot_table_add_text(&table, metric->name);
        spot_table_add_text(&table, spot_words_metric(&document->texts, metric, metric->unit));
        spot_table_add_text(&table, metric->kind == SPOT_METRIC_SHARE ? "fraction"
                                    : strcmp(metric->unit, "1") == 0  ? ""
                                                                      : metric->unit);
        spot_table_add_text(&table, metric->help);
    }
    spot_document_fold(document, "What the metrics mean");
    spot_document_table(document, "metrics-table", &table);
    spot_document_end_fold(document);
}

/* ---- What it would take ---- */

static double bytes_for(const spot_study_head_t *head, int64_t num_replications)
{
    return (double) spot_study_runs(head, num_replications) *
           (double) (head->num_metrics * sizeof(double) + ROW_BYTES);
}

/* Wall time on all threads. */
static double time_for(const spot_plan_cost_t *cost, size_t num_points, int64_t num_runs)
{
    return ((double) num_points * cost->open_s + (double) num_runs * cost->run_s) /
           (double) cost->num_threads;
}

/* In the largest unit of which there is one. */
static const char *size_of(double bytes, spot_texts_t *texts)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    size_t unit_id = 0;

    while (bytes >= 1000 && unit_id + 1 < sizeof(units) / sizeof(units[0])) {
        bytes /= 1000;
        unit_id++;
    }
    return spot_texts_add(texts, "%.3g %s", bytes, units[unit_id]);
}

/* Less than a second is not known better: what is measured says no more. */
static const char *time_of(double time_s, spot_texts_t *texts)
{
    const spot_metric_t duration = {.unit = "s", .label = "", .kind = SPOT_METRIC_TIME};

    return time_s < 1 ? "under 1 s" : spot_words_value(texts, &duration, time_s, time_s);
}

static void write_amounts(const spot_study_head_t *head, spot_document_t *document)
{
    const int64_t least = head->min_replications, most = head->num_replications;
    spot_texts_t *texts = &document->texts;

    spot_document_paragraph(document, "runs: %s x %s replications%s = %s",
        spot_words_count(texts, (int64_t) head->num_points, "point"),
        spot_words_range(texts, least, most), spot_words_fixed(texts, head),
        spot_words_range(texts, spot_study_runs(head, least), spot_study_runs(head, most)));
    spot_document_paragraph(document, "size: %s, %s %s",
        spot_words_count(texts, (int64_t) head->num_metrics, "metric"),
        least < most ? "at most" : "about", size_of(bytes_for(head, most), texts));
}

static void write_cost(const spot_plan_cost_t *cost, spot_document_t *document)
{
    const double least_s = time_for(cost, cost->least_points, cost->least_runs);
    const double most_s = time_for(cost, cost->most_points, cost->most_runs);
    const bool is_range = cost->least_runs < cost->most_runs && most_s >= 1;
    spot_texts_t *texts = &document->texts;

    if (cost->store_path != NULL) {
        spot_document_paragraph(
            document, "there: %" PRId64 " in %s", cost->num_there, cost->store_path);
    }
    if (cost->store_path != NULL || cost->shard[0] != '\0') {
        spot_document_paragraph(document, "left%s%s: %s",
            cost->shard[0] == '\0' ? "" : " for shard ", cost->shard,
            spot_words_range(texts, cost->least_runs, cost->most_runs));
    }
    if (cost->most_runs == 0) {
        spot_document_paragraph(document, "time: none, all runs are there");
        return;
    }
    spot_document_paragraph(document, "time: %s%s%s%s on %s, measured on %s",
        most_s < 1 ? "" : "about ", is_range ? time_of(least_s, texts) : "", is_range ? " to " : "",
        time_of(most_s, texts), spot_words_count(texts, cost->num_threads, "thread"),
        spot_words_count(texts, cost->num_measured, "run"));
}

static void write_points(const spot_study_head_t *head, spot_document_t *document)
{
    const size_t num_points = head->num_points <= MAX_POINTS ? head->num_points : MAX_POINTS;
    spot_table_t table = {.name = "points"};

    spot_table_add_column(&table, (spot_table_column_t){.name = "point", .is_key = true});
    spot_table_add_keys(&table, head, SIZE_MAX, SPOT_POINTS_BY_NAME);
    for (size_t j = 0; j < num_points; j++) {
        spot_table_add_row(&table);
        spot_table_add_count(&table, (int64_t) j);
        spot_table_add_point(&table, head, j, SIZE_MAX, SPOT_POINTS_BY_NAME);
    }
    spot_document_gap(document);
    spot_document_table(document, "points-table", &table);
    if (num_points < head->num_points) {
        spot_document_paragraph(
            document, "... and %zu more, all of them with --json", head->num_points - num_points);
    }
    write_labels(head, document);
}

int spot_plan_report_text(const spot_study_head_t *head, const spot_plan_cost_t *cost,
    const spot_terminal_t *terminal, FILE *out)
{
    spot_document_t document;

    spot_document_to_terminal(&document, terminal, out);
    spot_document_paragraph(&document, "%s", spot_words_study(&document.texts, head));
    spot_document_paragraph(
        &document, "plan: %s%s", grid_words(head), spot_words_plan(&document.texts, head));
    write_amounts(head, &document);
    write_cost(cost, &document);
    if (head->num_axes > 0) {
        spot_document_gap(&document);
        write_varied(head, &document);
    }
    write_points(head, &document);
    return spot_document_end(&document);
}

/* ---- JSON ---- */

void spot_plan_json(spot_json_t *json, const spot_plan_t *plan)
{
    spot_json_open(json, "plan", '{');
    spot_json_text(json, "kind", spot_plan_names[plan->kind]);
    if (spot_plan_is_design(plan->kind)) {
        spot_json_unsigned(json, "seed", plan->seed);
        spot_json_unsigned(json, "drawn_again", plan->num_merged);
    }
    if (plan->kind == SPOT_PLAN_SENSITIVITY) {
        spot_json_unsigned(json, "base_samples", plan->num_samples);
    }
    spot_json_unsigned(json, "excluded", plan->num_excluded);
    spot_json_close(json, '}');
}

void spot_axis_value_json(spot_json_t *json, const spot_axis_t *axis, size_t value_id)
{
    if (isfinite(axis->numbers[value_id]) && axis->unit[0] == '\0') {
        spot_json_number(json, axis->path, axis->numbers[value_id]);
    } else {
        spot_json_text(json, axis->path, axis->texts[value_id]);
    }
}

void spot_values_json(
    spot_json_t *json, const spot_study_head_t *head, size_t point_id, size_t left_out_id)
{
    spot_json_open(json, "values", '{');
    for (size_t j = 0; j < head->num_axes; j++) {
        if (j != left_out_id) {
            spot_axis_value_json(json, &head->axes[j], spot_study_value_id(head, point_id, j));
        }
    }
    spot_json_close(json, '}');
}

static void write_json_keys(spot_json_t *json, const spot_study_head_t *head)
{
    spot_json_open(json, "keys", '[');
    for (size_t j = 0; j < head->num_axes; j++) {
        const spot_axis_t *axis = &head->axes[j];

        spot_json_open(json, NULL, '{');
        spot_json_text(json, "key", axis->path);
        spot_json_text(json, "unit", axis->unit);
        spot_json_open(json, "values", '[');
        for (size_t k = 0; k < axis->num_values; k++) {
            spot_json_text(json, NULL, axis->texts[k]);
        }
        spot_json_close(json, ']');
        spot_json_close(json, '}');
    }
    spot_json_close(json, ']');
}

static void write_json_cost(spot_json_t *json, const spot_plan_cost_t *cost)
{
    spot_json_text(json, "database", cost->store_path);
    spot_json_integer(json, "runs_there", cost->num_there);
    spot_json_integer(json, "min_runs_left", cost->least_runs);
    spot_json_integer(json, "max_runs_left", cost->most_runs);
    spot_json_open(json, "time", '{');
    spot_json_number(json, "min_s", time_for(cost, cost->least_points, cost->least_runs));
    spot_json_number(json, "max_s", time_for(cost, cost->most_points, cost->most_runs));
    spot_json_integer(json, "threads", cost->num_threads);
    spot_json_integer(json, "measured_runs", cost->num_measured);
    spot_json_close(json, '}');
}

void spot_plan_report_json(const spot_study_head_t *head, const spot_plan_cost_t *cost, FILE *out)
{
    spot_json_t json;

    spot_json_init(&json, out, 2);
    spot_json_open(&json, NULL, '{');
    spot_json_text(&json, "study", head->name);
    spot_json_text(&json, "question", head->question);
    spot_plan_json(&json, &head->plan);
    write_json_keys(&json, head);
    spot_json_integer(&json, "min_replications", head->min_replications);
    spot_json_integer(&json, "max_replications", head->num_replications);
    spot_json_unsigned(&json, "metrics", head->num_metrics);
    spot_json_number(&json, "max_bytes", bytes_for(head, head->num_replications));
    write_json_cost(&json, cost);
    spot_json_open(&json, "points", '[');
    for (size_t j = 0; j < head->num_points; j++) {
        spot_json_open(&json, NULL, '{');
        spot_point_json(&json, head, j);
        spot_json_close(&json, '}');
    }
    spot_json_close(&json, ']');
    spot_json_close(&json, '}');
}
