/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What makes the results doubtful: one line with a count that opens, before them. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "reports/page/page_cells.h"
#include "reports/page/page_internal.h"
#include "reports/study_words.h"
#include "reports/unable.h"

#define MAX_POINTS 5 /* that are named, those with the most of what is wrong first */
#define POINT_CHARS 120

/* "5 of 12 points", and the first of them below it. */
static void
write_places(
    const spot_page_t *page, const spot_doubt_place_t *places, size_t num_places)
{
    const spot_study_head_t *head = page->head;
    char words[SPOT_POINT_BYTES];

    fprintf(page->out, " %zu of ", num_places);
    spot_page_count(page->out, (int64_t) head->num_points, "point");
    fputs(":\n<ul>\n", page->out);
    for (size_t j = 0; j < num_places && j < MAX_POINTS; j++) {
        spot_point_words(head, places[j].point_id, POINT_CHARS, words);
        fputs("<li>", page->out);
        spot_html_text(page->out, words);
        fprintf(page->out, " (%" PRId64 ")</li>\n", places[j].num_bad);
    }
    if (num_places > MAX_POINTS) {
        fprintf(page->out, "<li>%zu more</li>\n", num_places - MAX_POINTS);
    }
    fputs("</ul>\n", page->out);
}

static void
write_doubt(const spot_page_t *page, const spot_doubts_t *doubts,
    const spot_study_doubt_t *doubt, spot_doubt_place_t *places)
{
    const size_t num_places = spot_doubt_places(doubts, doubt, places);

    fprintf(page->out, "<li%s>", doubt->is_severe ? " class=\"severe\"" : "");
    spot_html_text(page->out, doubt->text);
    if (num_places > 0 && page->head->num_axes > 0) {
        write_places(page, places, num_places);
    }
    fputs("</li>\n", page->out);
}

int
spot_page_doubts_write(const spot_page_t *page)
{
    spot_doubt_place_t *places =
        spot_calloc(page->head->num_points + 1, sizeof(*places));
    spot_doubts_t doubts;
    int ret = spot_doubts_init(&doubts, page->report->store, page->report->summaries);

    ret = places == NULL ? SPOT_ERR_NO_MEMORY : ret;
    if (ret == 0 && doubts.num_items > 0) {
        size_t num_severe = 0;

        for (size_t j = 0; j < doubts.num_items; j++) {
            num_severe += doubts.items[j].is_severe;
        }
        fputs("<details id=\"warnings\">\n<summary>", page->out);
        spot_page_count(page->out, (int64_t) doubts.num_items, "doubt");
        fputs(" about these numbers", page->out);
        if (num_severe > 0) {
            fprintf(page->out, ", <strong>%zu severe</strong>", num_severe);
        }
        fputs("</summary>\n<ul>\n", page->out);
        for (size_t j = 0; j < doubts.num_items; j++) {
            write_doubt(page, &doubts, &doubts.items[j], places);
        }
        fputs("</ul>\n</details>\n", page->out);
    }
    spot_doubts_free(&doubts);
    free(places);
    return ret;
}
