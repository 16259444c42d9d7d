/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which value of a key wins where, for studies that ask for the best. */
#include "reports/break_even.h"
#include "reports/page/page_cells.h"
#include "reports/page/page_internal.h"
#include "reports/study_words.h"
#include "reports/winner_report.h"

/* More rows are in the JSON of the study. */
#define MAX_ROWS 500

static const char *
problem(const spot_page_t *page)
{
    return page->head->best.is_asked ? NULL : "the study does not ask for the best";
}

/* The head says in words what the cells have. */
static void
head_words(const spot_winners_t *winners, size_t place, char words[SPOT_WORDS_BYTES])
{
    const spot_study_head_t *head = winners->head;
    char text[SPOT_VALUE_LABEL_BYTES];

    if (place < head->num_axes) {
        spot_axis_words(&head->axes[place], words);
    } else if (place == head->num_axes + SPOT_WINNER_MEAN) {
        spot_metric_words(&head->metrics[head->best.metric_id], words);
    } else {
        snprintf(
            words, SPOT_WORDS_BYTES, "%s", spot_winner_cell(winners, NULL, place, text));
    }
}

/* winner NULL: the head. */
static void
write_row(
    const spot_page_t *page, const spot_winners_t *winners, const spot_winner_t *winner)
{
    const size_t num_axes = page->head->num_axes;
    char text[SPOT_VALUE_LABEL_BYTES], words[SPOT_WORDS_BYTES];
    const char *tag = "th scope=\"row\"";

    fputs("<tr>", page->out);
    for (size_t j = 0; j < num_axes + SPOT_WINNER_COLUMNS; j++) {
        const bool is_number =
            j == num_axes + SPOT_WINNER_MEAN || j == num_axes + SPOT_WINNER_LEAD;

        if (spot_winner_cell(winners, winner, j, text) == NULL) {
            continue;
        }
        if (winner == NULL) {
            head_words(winners, j, words);
            spot_html_element(page->out, "th scope=\"col\"", words);
        } else {
            spot_html_element(page->out, is_number ? "td class=\"number\"" : tag, text);
            tag = "td";
        }
    }
    fputs("</tr>\n", page->out);
}

static int
write_table(const spot_page_t *page, const spot_winners_t *winners)
{
    const size_t num_groups = winners->groups.num_groups;
    FILE *out = page->out;
    spot_page_text_t caption;
    int ret = spot_page_text_begin(&caption);

    if (ret != 0) {
        return ret;
    }
    spot_winner_title_write(page->head, caption.stream);
    ret = spot_page_text_table_open(&caption, out, "winners-table");
    if (ret != 0) {
        return ret;
    }
    fputs("<thead>\n", out);
    write_row(page, winners, NULL);
    fputs("</thead>\n<tbody>\n", out);
    for (size_t j = 0; j < num_groups && j < MAX_ROWS; j++) {
        write_row(page, winners, &winners->winners[j]);
    }
    fputs("</tbody>\n", out);
    spot_page_table_close(out);
    if (num_groups > MAX_ROWS) {
        fprintf(out, "<p class=\"note\">The first %d of %zu rows.</p>\n", MAX_ROWS,
            num_groups);
    }
    return 0;
}

/* Where the winner changes, and what the marks mean. */
static int
write_crossings(const spot_page_t *page, const spot_winners_t *winners)
{
    bool has_sure = false;
    spot_page_text_t text;
    int ret = spot_page_text_begin(&text);

    if (ret != 0) {
        return ret;
    }
    for (size_t j = 0; j < winners->groups.num_groups; j++) {
        has_sure = has_sure || winners->winners[j].is_sure;
    }
    if (has_sure) {
        spot_winner_mark_write(text.stream);
        fputc('\n', text.stream);
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
