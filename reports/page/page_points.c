/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One row a point: the swept keys and the metrics that were asked for. */
#include <math.h>

#include "reports/interval_text.h"
#include "reports/page/page_internal.h"
#include "reports/study_words.h"
#include "reports/value_label.h"

#define MAX_STATIC_CELLS 10000 /* of 45 bytes on average */

void
spot_page_mean_cell(
    FILE *out, const spot_metric_t *metric, double mean, double half_width)
{
    char words[SPOT_WORDS_BYTES], text[SPOT_INTERVAL_BYTES], value[SPOT_LABEL_BYTES];
    const bool is_fraction = spot_fraction_words(metric, words);
    const double factor = is_fraction ? 100 : 1;

    if (!isfinite(mean)) {
        fputs("<td class=\"none\">–</td>", out);
        return;
    }
    (void) spot_short_number(mean * factor, value);
    (void) spot_interval_text(mean * factor, half_width * factor, text);
    fprintf(out, "<td data-value=\"%.8g\">%s%s</td>", mean,
        half_width > 0 ? text : value, is_fraction ? " %" : "");
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
            spot_page_mean_cell(page->out, &head->metrics[j], summary->mean,
                (summary->ci_high - summary->ci_low) / 2);
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
