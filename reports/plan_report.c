/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/plan_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"
#include "reports/plan_json.h"
#include "reports/study_words.h"
#include "reports/table/table_terminal.h"
#include "reports/value_label.h"

#define MAX_VALUES 8  /* of a key, in a text */
#define MAX_POINTS 20 /* in a text */
#define ROW_BYTES 16  /* of a row beside its metrics */

static double
bytes_for(const spot_study_head_t *head, int64_t num_replications)
{
    return (double) spot_study_runs(head, num_replications) *
           (double) (head->num_metrics * sizeof(double) + ROW_BYTES);
}

/* Wall time on all threads. */
static double
time_for(const spot_plan_cost_t *cost, size_t num_points, int64_t num_runs)
{
    return ((double) num_points * cost->open_s + (double) num_runs * cost->run_s) /
           (double) cost->num_threads;
}

static double
least_time(const spot_plan_cost_t *cost)
{
    return time_for(cost, cost->least_points, cost->least_runs);
}

static double
most_time(const spot_plan_cost_t *cost)
{
    return time_for(cost, cost->most_points, cost->most_runs);
}

/* In the largest unit of which there is one. */
static void
write_size(double bytes, FILE *out)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    size_t unit_id = 0;

    while (bytes >= 1000 && unit_id + 1 < sizeof(units) / sizeof(units[0])) {
        bytes /= 1000;
        unit_id++;
    }
    fprintf(out, "%.3g %s", bytes, units[unit_id]);
}

/* With two figures: "3.4", "34", "340". */
static void
write_two_figures(double value, FILE *out)
{
    const double step = value < 99.5 ? 1 : pow(10, floor(log10(value)) - 1);

    if (value < 9.95) {
        fprintf(out, "%.1f", value);
    } else {
        fprintf(out, "%.0f", step * round(value / step));
    }
}

/* Less than a second is as good as none: what is measured says no more. */
static void
write_time(double time_s, FILE *out)
{
    static const struct {
        double below_s, unit_s;
        const char *name;
    } units[] = {{59.5, 1, "s"}, {3570, 60, "min"}, {171000, 3600, "h"},
        {HUGE_VAL, 86400, "days"}};
    size_t unit_id = 0;

    if (time_s < 1) {
        fputs("under 1 s", out);
        return;
    }
    while (!(time_s < units[unit_id].below_s) &&
           unit_id + 1 < sizeof(units) / sizeof(units[0])) {
        unit_id++;
    }
    write_two_figures(time_s / units[unit_id].unit_s, out);
    fprintf(out, " %s", units[unit_id].name);
}

static const char *
plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void
write_plan(const spot_study_head_t *head, FILE *out)
{
    const spot_plan_t *plan = &head->plan;

    fprintf(out, "plan: %s of %zu key%s", spot_plan_names[plan->kind], head->num_axes,
        plural(head->num_axes));
    if (spot_plan_is_design(plan->kind)) {
        fprintf(out, ", seed %" PRIu64, plan->seed);
    }
    if (plan->num_samples > 0) {
        fprintf(out, ", %zu base samples", plan->num_samples);
    }
    fprintf(out, ", %zu point%s", head->num_points, plural(head->num_points));
    if (plan->num_merged > 0) {
        fprintf(out, ", %zu drawn again", plan->num_merged);
    }
    if (plan->num_excluded > 0) {
        fprintf(out, ", %zu excluded by where", plan->num_excluded);
    }
    fputc('\n', out);
}

bool
spot_axis_ends(const spot_axis_t *axis, size_t *lowest, size_t *highest)
{
    *lowest = 0;
    *highest = 0;
    for (size_t j = 0; j < axis->num_values; j++) {
        if (!isfinite(axis->numbers[j])) {
            return false;
        }
        *lowest = axis->numbers[j] < axis->numbers[*lowest] ? j : *lowest;
        *highest = axis->numbers[j] > axis->numbers[*highest] ? j : *highest;
    }
    return true;
}

/* "2 values: 4, 8", and "64 values from 1.5 s to 60 s" of many, or where a design spread
 * them. */
static void
write_values(const spot_axis_t *axis, bool is_spread, FILE *out)
{
    char shown[SPOT_UTF8_SHOWN_BYTES];
    size_t lowest, highest;

    fprintf(out, "%zu value%s", axis->num_values, plural(axis->num_values));
    if ((is_spread || axis->num_values > MAX_VALUES) &&
        spot_axis_ends(axis, &lowest, &highest)) {
        fprintf(out, " from %s to %s\n", axis->texts[lowest], axis->texts[highest]);
        return;
    }
    for (size_t j = 0; j < axis->num_values && j < MAX_VALUES; j++) {
        fprintf(
            out, "%s %s", j == 0 ? ":" : ",", spot_utf8_shown(axis->texts[j], shown));
    }
    fputs(axis->num_values > MAX_VALUES ? ", ...\n" : "\n", out);
}

static void
write_keys(const spot_study_head_t *head, FILE *out)
{
    int width = 0;

    for (size_t j = 0; j < head->num_axes; j++) {
        const int own_width = (int) strlen(head->axes[j].path);

        width = own_width > width ? own_width : width;
    }
    for (size_t j = 0; j < head->num_axes; j++) {
        fprintf(out, "  %-*s  ", width, head->axes[j].path);
        write_values(&head->axes[j], spot_plan_is_design(head->plan.kind), out);
    }
}

static void
write_amounts(const spot_study_head_t *head, FILE *out)
{
    const int64_t least = head->min_replications, most = head->num_replications;
    const bool is_range = least < most;
    char fixed[SPOT_WORDS_BYTES];

    fprintf(out, "runs: %zu point%s x ", head->num_points, plural(head->num_points));
    if (is_range) {
        fprintf(out, "%" PRId64 " to ", least);
    }
    spot_fixed_words(head, fixed);
    fprintf(out, "%" PRId64 " replications%s = ", most, fixed);
    if (is_range) {
        fprintf(out, "%" PRId64 " to ", spot_study_runs(head, least));
    }
    fprintf(out, "%" PRId64 "\n", spot_study_runs(head, most));
    fprintf(out, "size: %zu metric%s, %s ", head->num_metrics, plural(head->num_metrics),
        is_range ? "at most" : "about");
    write_size(bytes_for(head, most), out);
    fputc('\n', out);
}

static void
write_left(const spot_plan_cost_t *cost, FILE *out)
{
    if (cost->store_path != NULL) {
        fprintf(out, "there: %" PRId64 " in ", cost->num_there);
        spot_utf8_print(out, cost->store_path);
        putc('\n', out);
    }
    if (cost->store_path != NULL || cost->shard[0] != '\0') {
        fprintf(
            out, "left%s%s: ", cost->shard[0] == '\0' ? "" : " for shard ", cost->shard);
        if (cost->least_runs < cost->most_runs) {
            fprintf(out, "%" PRId64 " to ", cost->least_runs);
        }
        fprintf(out, "%" PRId64 "\n", cost->most_runs);
    }
}

static void
write_times(const spot_plan_cost_t *cost, FILE *out)
{
    const double least_s = least_time(cost), most_s = most_time(cost);

    if (cost->most_runs == 0) {
        fputs("time: none, all runs are there\n", out);
        return;
    }
    fputs(most_s < 1 ? "time: " : "time: about ", out);
    if (cost->least_runs < cost->most_runs && most_s >= 1) {
        write_time(least_s, out);
        fputs(" to ", out);
    }
    write_time(most_s, out);
    fprintf(out, " on %d thread%s, measured on %" PRId64 " run%s\n", cost->num_threads,
        plural((size_t) cost->num_threads), cost->num_measured,
        plural((size_t) cost->num_measured));
}

static int
write_points(const spot_study_head_t *head, const spot_terminal_t *terminal, FILE *out)
{
    const size_t num_points =
        head->num_points <= MAX_POINTS ? head->num_points : MAX_POINTS;
    spot_table_t table = {.name = "points"};
    char label[SPOT_VALUE_LABEL_BYTES];
    int ret;

    spot_table_add_column(&table, (spot_table_column_t){.name = "point"});
    for (size_t j = 0; j < head->num_axes; j++) {
        spot_table_add_column(
            &table, (spot_table_column_t){.name = head->axes[j].path,
                        .kind = spot_axis_is_numeric(&head->axes[j]) ? SPOT_TABLE_NUMBER
                                                                     : SPOT_TABLE_TEXT});
    }
    for (size_t j = 0; j < num_points; j++) {
        spot_table_add_row(&table);
        spot_table_add_count(&table, (int64_t) j);
        for (size_t k = 0; k < head->num_axes; k++) {
            spot_table_add_text(&table, spot_point_label(head, j, k, label));
        }
    }
    fputc('\n', out);
    ret = spot_table_write_terminal(&table, terminal, out);
    spot_table_free(&table);
    if (num_points < head->num_points) {
        fprintf(out, "... and %zu more, all of them with --json\n",
            head->num_points - num_points);
    }
    spot_value_labels_explain(head, out);
    return ret;
}

int
spot_plan_report_text(const spot_study_head_t *head, const spot_plan_cost_t *cost,
    const spot_terminal_t *terminal, FILE *out)
{
    spot_utf8_print(out, head->name);
    fputs(head->question == NULL ? "" : ": ", out);
    spot_utf8_print(out, head->question == NULL ? "" : head->question);
    putc('\n', out);
    write_plan(head, out);
    write_keys(head, out);
    write_amounts(head, out);
    write_left(cost, out);
    write_times(cost, out);
    return write_points(head, terminal, out);
}

static void
write_json_keys(spot_json_t *json, const spot_study_head_t *head)
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

static void
write_json_cost(spot_json_t *json, const spot_plan_cost_t *cost)
{
    spot_json_text(json, "database", cost->store_path);
    spot_json_integer(json, "runs_there", cost->num_there);
    spot_json_integer(json, "min_runs_left", cost->least_runs);
    spot_json_integer(json, "max_runs_left", cost->most_runs);
    spot_json_open(json, "time", '{');
    spot_json_number(json, "min_s", least_time(cost));
    spot_json_number(json, "max_s", most_time(cost));
    spot_json_integer(json, "threads", cost->num_threads);
    spot_json_integer(json, "measured_runs", cost->num_measured);
    spot_json_close(json, '}');
}

void
spot_plan_report_json(
    const spot_study_head_t *head, const spot_plan_cost_t *cost, FILE *out)
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
