/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Differences to the baseline, replication by replication. */
#include "reports/difference_table.h"
#include "reports/page/page_cells.h"
#include "reports/page/page_internal.h"
#include "reports/table/table_html.h"

static const char *
problem(const spot_page_t *page)
{
    return page->report->pairs == NULL ? "the study has no baseline" : NULL;
}

static int
write_table(const spot_page_t *page, const spot_differences_t *differences)
{
    const size_t max_rows = spot_page_static_rows(page->head);
    spot_table_t table = {.name = "differences"};
    FILE *caption = spot_table_begin_text(&table);
    int ret;

    if (caption != NULL) {
        spot_differences_title_write(differences, caption);
    }
    spot_table_end_caption(&table, caption);
    spot_point_table_fill(&(spot_point_table_t){.report = page->report,
                              .voice = SPOT_POINTS_BY_WORDS,
                              .is_difference = true,
                              .max_rows = max_rows},
        &table);
    ret = spot_table_write_html(&table, "differences-table", page->out);
    if (table.num_rows == max_rows) {
        fprintf(page->out,
            "<p class=\"note\">The first %zu points. All rows are in the "
            "database.</p>\n",
            max_rows);
    }
    spot_table_free(&table);
    return ret;
}

/* How much pairing is worth. */
static int
write_gains(const spot_page_t *page, spot_differences_t *differences)
{
    spot_table_t table = {.name = "gains"};
    FILE *caption;
    int ret;

    if (!spot_differences_have_gain(differences)) {
        return 0;
    }
    fputs("<details>\n<summary>How much pairing is worth</summary>\n", page->out);
    caption = spot_table_begin_text(&table);
    if (caption != NULL) {
        spot_differences_gain_write(differences, caption);
    }
    spot_table_end_caption(&table, caption);
    spot_gain_table_fill(differences, SPOT_POINTS_BY_WORDS, &table);
    ret = spot_table_write_html(&table, "gains-table", page->out);
    spot_table_free(&table);
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
    fputs("</details>\n", page->out);
    if (ret == 0) {
        ret = write_gains(page, &differences);
    }
    spot_differences_free(&differences);
    return ret;
}

const spot_page_part_t spot_page_differences = {
    "differences", "Compared with the baseline", problem, write};
