/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the study varied, what it held fixed, and what its metrics mean. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "reports/key_unit.h"
#include "reports/page/page_cells.h"
#include "reports/page/page_internal.h"
#include "reports/plan_report.h"
#include "reports/study_words.h"
#include "reports/value_label.h"
#include "sim/store/origin.h"

#define MAX_VALUES 12 /* of a key, that are all written */

/* ---- What was varied ---- */

static void
write_labels(const spot_axis_t *axis, FILE *out)
{
    char label[SPOT_VALUE_LABEL_BYTES];

    for (size_t j = 0; j < axis->num_values; j++) {
        fputs(j == 0 ? "" : ", ", out);
        spot_html_text(out, spot_value_label(axis, j, label));
    }
}

/* The values; of many numbers the ends, and where they are no design's all of them
 * folded. */
static void
write_values(const spot_axis_t *axis, bool is_spread, FILE *out)
{
    const bool is_many = axis->num_values > MAX_VALUES;
    size_t lowest, highest;

    fputs("<td>", out);
    if (!is_spread && !is_many) {
        write_labels(axis, out);
    } else if (spot_axis_ends(axis, &lowest, &highest)) {
        spot_html_text(out, axis->texts[lowest]);
        fputs(" to ", out);
        spot_html_text(out, axis->texts[highest]);
    }
    if (is_many && !is_spread) {
        fputs("<details><summary>all values</summary>", out);
        write_labels(axis, out);
        fputs("</details>", out);
    }
    fputs("</td>", out);
}

static void
write_axis(const spot_page_t *page, const spot_axis_t *axis)
{
    FILE *out = page->out;
    char words[SPOT_WORDS_BYTES];
    size_t num_bytes;
    const char *unit = axis->unit;

    if (unit[0] == '\0' && axis->num_values > 0) {
        unit = spot_key_unit(axis->path, axis->texts[0], &num_bytes);
    }
    spot_axis_words(axis, words);
    fputs("<tr><th scope=\"row\">", out);
    spot_html_element(out, "code", axis->path);
    fputs("</th>", out);
    spot_html_element(out, "td", words);
    write_values(axis, spot_plan_is_design(page->head->plan.kind), out);
    spot_html_element(out, "td", unit);
    spot_page_count_cell(out, (int64_t) axis->num_values);
    fputs("</tr>\n", out);
}

/* Labels are short for values: what they are short for, which may be long. */
static int
write_explained(const spot_page_t *page)
{
    FILE *out = page->out;
    spot_page_text_t text;
    int ret = spot_page_text_begin(&text);

    if (ret != 0) {
        return ret;
    }
    spot_value_labels_explain(page->head, text.stream);
    if (ftell(text.stream) == 0) {
        return spot_page_text_lines(&text, out);
    }
    fputs("<details><summary>What the short names of values stand for</summary>\n", out);
    ret = spot_page_text_lines(&text, out);
    fputs("</details>\n", out);
    return ret;
}

static int
write_varied(const spot_page_t *page)
{
    const spot_study_head_t *head = page->head;

    if (head->num_axes == 0) {
        fputs("<p>Nothing was varied: the study has one point.</p>\n", page->out);
        return 0;
    }
    spot_page_table_open(page->out, "varied-table", "Keys that were varied");
    spot_page_heads(page->out, (const char *const[]){"key", "in words", "values", "unit",
                                   "number of values", NULL});
    for (size_t j = 0; j < head->num_axes; j++) {
        write_axis(page, &head->axes[j]);
    }
    spot_page_table_close(page->out);
    return write_explained(page);
}

/* ---- Settings, in words ---- */

static void
write_points(const spot_study_head_t *head, FILE *out)
{
    static const char *const words[] = {
        [SPOT_PLAN_GRID] = "every combination of the values",
        [SPOT_PLAN_LIST] = "a list of points, one by one",
        [SPOT_PLAN_ZIP] = "the keys move together",
        [SPOT_PLAN_LATIN_HYPERCUBE] = "spread over the ranges as a Latin hypercube",
        [SPOT_PLAN_SOBOL] = "spread over the ranges as a Sobol sequence",
        [SPOT_PLAN_SENSITIVITY] = "a design for Sobol indices",
    };
    const spot_plan_t *plan = &head->plan;

    spot_page_count(out, (int64_t) head->num_points, "point");
    if (head->num_axes > 0) {
        fprintf(out, ": %s", words[plan->kind]);
    }
    if (plan->num_samples > 0) {
        fprintf(out, ", %zu base samples", plan->num_samples);
    }
    if (spot_plan_is_design(plan->kind)) {
        fprintf(out, ", drawn with seed %" PRIu64, plan->seed);
    }
    if (plan->num_merged > 0) {
        fprintf(out, "; %zu drawn again, the same after rounding", plan->num_merged);
    }
    if (plan->num_excluded > 0) {
        fprintf(out, "; %zu excluded by the conditions of the study (where)",
            plan->num_excluded);
    }
}

static void
write_until(const spot_study_head_t *head, FILE *out)
{
    const spot_until_t *until = &head->until;
    char width[SPOT_NUMBER_TEXT_BYTES];

    spot_number_text(
        until->half_width > 0 ? until->half_width : 100 * until->relative_half_width,
        width);
    fprintf(out, ", until the mean of %s is known within ±%s%s with %g %% confidence",
        until->metric, width, until->half_width > 0 ? "" : " % of it",
        100 * until->confidence);
}

static void
write_optimise(const spot_study_head_t *head, FILE *out)
{
    const spot_optimise_t *optimise = &head->optimise;

    fprintf(out,
        ", in a race for the %s %s: points that are worse stop, with %g %% confidence "
        "in the whole answer; differences below %g %% do not matter",
        optimise->is_maximised ? "most" : "least", optimise->metric,
        100 * optimise->confidence, 100 * optimise->indifference);
    for (size_t j = 0; j < optimise->num_constraints; j++) {
        fprintf(out, "%s%s", j == 0 ? "; subject to " : " and ",
            optimise->constraints[j].text);
    }
}

static void
write_replications(const spot_study_head_t *head, FILE *out)
{
    if (head->until.metric == NULL && head->optimise.metric == NULL) {
        fprintf(out, "%" PRId64 " at each point", head->num_replications);
        return;
    }
    fprintf(out, "%" PRId64 " to %" PRId64 " at each point", head->min_replications,
        head->num_replications);
    if (head->until.metric != NULL) {
        write_until(head, out);
    } else {
        write_optimise(head, out);
    }
}

static void
write_events(const spot_study_head_t *head, FILE *out)
{
    fprintf(out,
        "seed %" PRIu64 "; all points meet the same events in the same replication "
        "(common random numbers)",
        head->seed);
}

static void
write_intervals(const spot_study_head_t *head, FILE *out)
{
    (void) head;
    fprintf(
        out, "%g %% confidence intervals, shown as ± half width", 100 * SPOT_CONFIDENCE);
}

static int
write_setting(const spot_page_t *page, const char *name,
    void (*write_words)(const spot_study_head_t *head, FILE *out))
{
    spot_page_text_t text;
    const int ret = spot_page_text_begin(&text);

    if (ret != 0) {
        return ret;
    }
    write_words(page->head, text.stream);
    fprintf(page->out, "<dt>%s</dt>", name);
    return spot_page_text_element(&text, page->out, "dd");
}

static int
write_settings(const spot_page_t *page)
{
    int ret;

    fputs("<dl>\n", page->out);
    ret = write_setting(page, "points", write_points);
    if (ret == 0) {
        ret = write_setting(page, "replications", write_replications);
    }
    if (ret == 0) {
        ret = write_setting(page, "events", write_events);
    }
    if (ret == 0) {
        ret = write_setting(page, "intervals", write_intervals);
    }
    if (ret == 0 && page->head->has_baseline) {
        ret = write_setting(page, "compared with", spot_baseline_write);
    }
    fputs("</dl>\n", page->out);
    return ret;
}

/* ---- What metrics mean ---- */

static void
write_metrics(const spot_page_t *page)
{
    const spot_study_head_t *head = page->head;
    FILE *out = page->out;
    char words[SPOT_WORDS_BYTES];

    fputs("<details>\n<summary>What the metrics mean</summary>\n", out);
    spot_page_table_open(out, "metrics-table", "Metrics of a replication");
    spot_page_heads(
        out, (const char *const[]){"metric", "in words", "unit", "what it is", NULL});
    for (size_t j = 0; j < head->num_metrics; j++) {
        const spot_metric_t *metric = &head->metrics[j];
        const bool is_fraction = spot_fraction_words(metric, words);
        const char *unit = is_fraction ? "fraction" : metric->unit;

        fputs("<tr><th scope=\"row\">", out);
        spot_html_element(out, "code", metric->name);
        fputs("</th>", out);
        spot_html_element(out, "td", words);
        spot_html_element(out, "td", strcmp(unit, "1") == 0 ? "" : unit);
        spot_html_element(out, "td", metric->help);
        fputs("</tr>\n", out);
    }
    spot_page_table_close(out);
    fputs("</details>\n", out);
}

static int
write(const spot_page_t *page)
{
    int ret = write_varied(page);

    if (ret == 0) {
        ret = write_settings(page);
    }
    if (ret == 0) {
        spot_page_fixed_write(page->source->path, page->origin, page->document);
    }
    if (ret == 0) {
        write_metrics(page);
    }
    return ret;
}

const spot_page_part_t spot_page_parameters = {
    "parameters", "What was varied and what was fixed", NULL, write};
