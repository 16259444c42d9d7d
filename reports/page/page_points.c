/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One row a point: the swept keys and the metrics that were asked for. */
#include "reports/page/page_internal.h"
#include "reports/point_table.h"
#include "reports/table/table_html.h"

#define MAX_STATIC_CELLS 10000 /* of 45 bytes on average */

size_t
spot_page_static_rows(const spot_study_head_t *head)
{
    const size_t num_rows = MAX_STATIC_CELLS / (head->num_listed + 1);

    return num_rows < SPOT_PAGE_STATIC_ROWS ? num_rows : SPOT_PAGE_STATIC_ROWS;
}

static int
write(const spot_page_t *page)
{
    const size_t max_rows = spot_page_static_rows(page->head);
    spot_table_t table = {.name = "points"};
    FILE *caption = spot_table_begin_text(&table);
    int ret;

    if (caption != NULL) {
        fputs("Estimates with half widths of their 95 % confidence intervals", caption);
    }
    spot_table_end_caption(&table, caption);
    spot_point_table_fill(&(spot_point_table_t){.report = page->report,
                              .voice = SPOT_POINTS_BY_WORDS,
                              .is_plain = true,
                              .max_rows = max_rows},
        &table);
    if (max_rows < page->head->num_points) {
        fprintf(page->out,
            "<p class=\"note\" id=\"points-note\">The first %zu of %zu points; with "
            "scripts all of them.</p>\n",
            max_rows, page->head->num_points);
    }
    ret = spot_table_write_html(&table, "points-table", page->out);
    spot_table_free(&table);
    return ret;
}

const spot_page_part_t spot_page_points = {"points", "All points", NULL, write};
