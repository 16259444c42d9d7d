/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Differences to the baseline, replication by replication. */
#include <math.h>
#include <string.h>

#include "reports/difference_table.h"
#include "reports/interval_text.h"
#include "reports/page/page_cells.h"
#include "reports/page/page_internal.h"
#include "reports/study_words.h"
#include "sim/analysis/point_groups.h"

static const char *
problem(const spot_page_t *page)
{
    return page->report->pairs == NULL ? "the study has no baseline" : NULL;
}

/* "idle (% points)", or as the metric is called. */
static void
metric_words(
    const spot_differences_t *self, size_t metric_id, char words[SPOT_WORDS_BYTES + 16])
{
    const spot_shown_unit_t shown =
        spot_mean_cells_unit(self->head, self->cells, metric_id);

    if (spot_fraction_words_in(&self->head->metrics[metric_id], shown.unit, words)) {
        strcat(words, " (% points)");
    }
}

static void
write_head(const spot_page_t *page, const spot_differences_t *differences)
{
    char words[SPOT_WORDS_BYTES + 16];

    fputs("<thead><tr>", page->out);
    spot_page_key_heads(page->out, page->head);
    for (size_t j = 0; j < page->head->num_listed; j++) {
        metric_words(differences, j, words);
        spot_html_element(page->out, "th scope=\"col\"", words);
    }
    fputs("</tr></thead>\n", page->out);
}

/* "-12.0 ±0.4 (563 of 1000) *": the mark is text, since not everybody sees colours. */
static void
write_cell(const spot_differences_t *self, size_t point_id, size_t metric_id, FILE *out)
{
    const spot_mean_cell_t *cell =
        &self->cells[point_id * self->head->num_listed + metric_id];
    const double factor =
        spot_mean_cells_unit(self->head, self->cells, metric_id).factor *
        spot_metric_factor(&self->head->metrics[metric_id]);
    char text[SPOT_INTERVAL_BYTES], count[SPOT_DECIMAL_TEXT_BYTES];

    if (!isfinite(cell->mean)) {
        fputs("<td class=\"number\">–</td>", out);
        return;
    }
    (void) spot_mean_cell_count(cell, count);
    fprintf(out, "<td class=\"number%s\" data-value=\"%.8g\">%s%s%s%s%s</td>",
        cell->is_marked ? " differs" : "", cell->mean,
        spot_interval_text(factor * cell->mean, factor * cell->half_width, text),
        count[0] == '\0' ? "" : " ", count, cell->is_marked ? " *" : "",
        cell->is_heavy ? " !" : "");
}

/* Points that are compared: those of the baseline and those without a partner have no
 * row. Returns how many there are; the first of them are written. */
static size_t
write_rows(const spot_page_t *page, const spot_differences_t *differences)
{
    const spot_study_head_t *head = page->head;
    const size_t max_rows = spot_page_static_rows(head);
    size_t num_rows = 0;

    for (size_t j = 0; j < head->num_points; j++) {
        if (spot_study_is_baseline(head, j) ||
            differences->base_ids[j] == SPOT_NO_POINT) {
            continue;
        }
        if (num_rows++ < max_rows) {
            fputs("<tr>", page->out);
            spot_page_key_cells(page->out, head, j);
            for (size_t k = 0; k < head->num_listed; k++) {
                write_cell(differences, j, k, page->out);
            }
            fputs("</tr>\n", page->out);
        }
    }
    return num_rows;
}

static int
write_table(const spot_page_t *page, const spot_differences_t *differences)
{
    const size_t max_rows = spot_page_static_rows(page->head);
    FILE *out = page->out;
    spot_page_text_t caption;
    int ret = spot_page_text_begin(&caption);
    size_t num_rows;

    if (ret != 0) {
        return ret;
    }
    spot_differences_title_write(differences, caption.stream);
    ret = spot_page_text_table_open(&caption, out, "differences-table");
    if (ret != 0) {
        return ret;
    }
    write_head(page, differences);
    fputs("<tbody>\n", out);
    num_rows = write_rows(page, differences);
    fputs("</tbody>\n", out);
    spot_page_table_close(out);
    if (num_rows > max_rows) {
        fprintf(out,
            "<p class=\"note\">The first %zu of %zu points. All rows are in the "
            "database.</p>\n",
            max_rows, num_rows);
    }
    return 0;
}

static int
write_notes(const spot_page_t *page, const spot_differences_t *differences)
{
    spot_page_text_t notes;
    const int ret = spot_page_text_begin(&notes);

    if (ret != 0) {
        return ret;
    }
    spot_differences_notes_write(differences, notes.stream);
    return spot_page_text_lines(&notes, page->out);
}

/* How much pairing is worth. */
static int
write_gains(const spot_page_t *page, spot_differences_t *differences)
{
    const spot_study_head_t *head = page->head;
    char words[SPOT_WORDS_BYTES];
    spot_page_text_t text;
    int ret = 0;

    if (!spot_differences_have_gain(differences)) {
        return 0;
    }
    ret = spot_page_text_begin(&text);
    if (ret == 0) {
        fputs("<details>\n<summary>How much pairing is worth</summary>\n", page->out);
        spot_differences_gain_write(differences, text.stream);
        ret = spot_page_text_table_open(&text, page->out, "gains-table");
    }
    if (ret != 0) {
        return ret;
    }
    fputs("<thead><tr><th scope=\"col\">metric</th><th scope=\"col\">times narrower, "
          "median (from to)</th></tr></thead>\n<tbody>\n",
        page->out);
    for (size_t j = 0; ret == 0 && j < head->num_listed; j++) {
        (void) spot_fraction_words(&head->metrics[j], words);
        fputs("<tr>", page->out);
        spot_html_element(page->out, "th scope=\"row\"", words);
        ret = spot_page_text_begin(&text);
        if (ret == 0) {
            spot_differences_metric_gain_write(differences, j, text.stream);
            ret = spot_page_text_element(&text, page->out, "td class=\"number\"");
        }
        fputs("</tr>\n", page->out);
    }
    fputs("</tbody>\n", page->out);
    spot_page_table_close(page->out);
    fputs("</details>\n", page->out);
    return ret;
}

static int
write(const spot_page_t *page)
{
    spot_differences_t differences;
    int ret = spot_differences_init(&differences, page->head, page->report->pairs);

    fputs("<details>\n<summary>Every difference with its interval</summary>\n"
          "<p>All points meet the same events in the same replication, so they are "
          "compared replication by replication: mean of the differences, and half the "
          "width of its 95&nbsp;% confidence interval.</p>\n",
        page->out);
    if (ret == 0) {
        ret = write_table(page, &differences);
    }
    if (ret == 0) {
        ret = write_notes(page, &differences);
    }
    fputs("</details>\n", page->out);
    if (ret == 0) {
        ret = write_gains(page, &differences);
    }
    spot_differences_free(&differences);
    return ret;
}

const spot_page_part_t spot_page_differences = {
    "differences", "Compared with the baseline", problem, write};
