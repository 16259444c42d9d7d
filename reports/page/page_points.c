/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One row a point: the swept keys and the metrics that were asked for. */
#include <math.h>

#include "reports/interval_text.h"
#include "reports/page/page_internal.h"
#include "reports/shown_unit.h"
#include "reports/study_words.h"
#include "reports/summary_remark.h"
#include "reports/value_label.h"

#define MAX_STATIC_CELLS 10000 /* of 45 bytes on average */

/* "563 of 1000; heavy tail" behind the value. */
static void
write_remark(const spot_summary_t *summary, FILE *out)
{
    char remark[SPOT_REMARK_BYTES];

    if (spot_summary_remark(summary, remark)[0] != '\0') {
        fputs(" <small>", out);
        spot_html_text(out, remark);
        fputs("</small>", out);
    }
    fputs("</td>", out);
}

/* "12.3 ±0.4" of a metric, fractions in percent and durations in the unit of people, as
 * a cell; data-value is the number that the script sorts by. */
static void
write_cell(const spot_metric_t *metric, const spot_summary_t *summary, FILE *out)
{
    const spot_shown_unit_t shown = spot_shown_unit(metric, fabs(summary->value));
    char words[SPOT_WORDS_BYTES], text[SPOT_INTERVAL_BYTES], value[SPOT_LABEL_BYTES];
    const bool is_fraction = spot_fraction_words(metric, words);
    const double factor = is_fraction ? 100 : shown.factor;
    const bool has_interval = summary->half_width > 0 && isfinite(summary->half_width);

    if (!isfinite(summary->value)) {
        fputs("<td class=\"none\">–", out);
        write_remark(summary, out);
        return;
    }
    (void) spot_short_number(summary->value * factor, value);
    (void) spot_interval_text(
        summary->value * factor, has_interval ? summary->half_width * factor : 0, text);
    fprintf(out, "<td data-value=\"%.8g\">%s%s%s", summary->value,
        has_interval ? text : value,
        is_fraction         ? " %"
        : shown.factor == 1 ? ""
                            : " ",
        shown.factor == 1 ? "" : shown.unit);
    write_remark(summary, out);
}

static void
write_head(const spot_page_t *page)
{
    const spot_study_head_t *head = page->head;
    char words[SPOT_WORDS_BYTES];

    fputs("<thead><tr><th scope=\"col\">point</th>", page->out);
    for (size_t j = 0; j < head->num_axes; j++) {
        spot_axis_words(&head->axes[j], words);
        spot_html_element(page->out, "th scope=\"col\"", words);
    }
    for (size_t j = 0; j < head->num_listed; j++) {
        spot_metric_words(&head->metrics[j], words);
        spot_html_element(page->out, "th scope=\"col\"", words);
    }
    fputs("</tr></thead>\n", page->out);
}

static void
write_row(const spot_page_t *page, size_t point_id)
{
    const spot_study_head_t *head = page->head;
    char label[SPOT_VALUE_LABEL_BYTES];

    fprintf(page->out, "<tr><th scope=\"row\">%zu</th>", point_id);
    for (size_t j = 0; j < head->num_axes; j++) {
        (void) spot_point_label(head, point_id, j, label);
        spot_html_element(page->out, "td", label);
    }
    if (spot_study_cannot_run(head, point_id) != NULL) {
        fprintf(page->out, "<td colspan=\"%zu\">cannot run: ", head->num_listed);
        spot_html_text(page->out, spot_study_cannot_run(head, point_id));
        fputs("</td></tr>\n", page->out);
        return;
    }
    for (size_t j = 0; j < head->num_listed; j++) {
        const spot_summary_t *summary = spot_report_summary(page->report, point_id, j);

        if (spot_study_has_metric(head, point_id, j)) {
            write_cell(&head->metrics[j], summary, page->out);
        } else {
            fputs("<td></td>", page->out);
        }
    }
    fputs("</tr>\n", page->out);
}

size_t
spot_page_static_rows(const spot_study_head_t *head)
{
    const size_t num_rows = MAX_STATIC_CELLS / (head->num_listed + 1);

    return num_rows < SPOT_PAGE_STATIC_ROWS ? num_rows : SPOT_PAGE_STATIC_ROWS;
}

static int
write(const spot_page_t *page)
{
    const size_t num_points = page->head->num_points;
    const size_t max_rows = spot_page_static_rows(page->head);
    const size_t num_rows = num_points < max_rows ? num_points : max_rows;

    if (num_rows < num_points) {
        fprintf(page->out,
            "<p class=\"note\" id=\"points-note\">The first %zu of %zu points; with "
            "scripts all of them.</p>\n",
            num_rows, num_points);
    }
    fputs("<div class=\"scroll\" role=\"region\" tabindex=\"0\" "
          "aria-labelledby=\"points-title\">\n<table id=\"points-table\">\n",
        page->out);
    write_head(page);
    fputs("<tbody>\n", page->out);
    for (size_t j = 0; j < num_rows; j++) {
        write_row(page, j);
    }
    fputs("</tbody>\n</table>\n</div>\n", page->out);
    return 0;
}

const spot_page_part_t spot_page_points = {"points", "All points", NULL, write};
