/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which value of a key wins where, for studies that ask for the best. */
#include "reports/break_even.h"
#include "reports/page/page_cells.h"
#include "reports/page/page_internal.h"
#include "reports/table/table_html.h"
#include "reports/winner_report.h"

/* More rows are in the JSON of the study. */
#define MAX_ROWS 500

static const char *
problem(const spot_page_t *page)
{
    return page->head->best.is_asked ? NULL : "the study does not ask for the best";
}

static int
write_table(const spot_page_t *page, const spot_winners_t *winners)
{
    const size_t num_groups = winners->groups.num_groups;
    spot_table_t table = {.name = "winners"};
    FILE *caption = spot_table_begin_text(&table);
    int ret;

    if (caption != NULL) {
        spot_winner_title_write(page->head, caption);
    }
    spot_table_end_caption(&table, caption);
    spot_winner_table_fill(winners, SPOT_POINTS_BY_WORDS, MAX_ROWS, &table);
    ret = spot_table_write_html(&table, "winners-table", page->out);
    spot_table_free(&table);
    if (num_groups > MAX_ROWS) {
        fprintf(page->out, "<p class=\"note\">The first %d of %zu rows.</p>\n", MAX_ROWS,
            num_groups);
    }
    return ret;
}

/* Where the winner changes. */
static int
write_crossings(const spot_page_t *page, const spot_winners_t *winners)
{
    spot_page_text_t text;
    int ret = spot_page_text_begin(&text);

    if (ret != 0) {
        return ret;
    }
    if (winners->num_crossings > 0) {
        fputs("The winner changes:\n", text.stream);
    }
    for (size_t j = 0; j < winners->num_crossings; j++) {
        fputc(' ', text.stream);
        spot_winner_crossing_write(winners, &winners->crossings[j], text.stream);
        fputc('\n', text.stream);
    }
    if (spot_winner_unmeasured_write(page->head, "", text.stream)) {
        fputc('\n', text.stream);
    }
    if (page->head->best.num_keys > 0) {
        fputs("Break-evens:\n", text.stream);
        spot_break_evens_write(winners, " ", text.stream);
    }
    return spot_page_text_lines(&text, page->out);
}

static int
write(const spot_page_t *page)
{
    const spot_winners_t *winners;
    int ret = spot_report_winners(page->report, &winners);

    if (ret == 0) {
        ret = write_table(page, winners);
    }
    return ret == 0 ? write_crossings(page, winners) : ret;
}

const spot_page_part_t spot_page_winners = {"winners", "Who wins where", problem, write};
