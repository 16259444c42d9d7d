/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Differences to the baseline, replication by replication. */
#include <math.h>

#include "reports/page/page_internal.h"
#include "reports/study_words.h"

static const char *
problem(const spot_page_t *page)
{
    return page->report->pairs == NULL ? "the study has no baseline" : NULL;
}

static int
write(const spot_page_t *page)
{
    const spot_study_head_t *head = page->head;
    char words[SPOT_POINT_BYTES];

    fputs("<div class=\"scroll\">\n<table>\n<tbody>\n", page->out);
    for (size_t j = 0; j < head->num_points; j++) {
        spot_point_words(head, j, SPOT_POINT_BYTES, words);
        fputs("<tr>", page->out);
        spot_html_element(page->out, "th scope=\"row\"", words);
        for (size_t k = 0; k < head->num_listed; k++) {
            const spot_paired_t *pair = &page->report->pairs[j * head->num_metrics + k];

            spot_page_mean_cell(page->out, &head->metrics[k], spot_paired_mean(pair),
                spot_paired_half_width(pair, SPOT_CONFIDENCE));
        }
        fputs("</tr>\n", page->out);
    }
    fputs("</tbody>\n</table>\n</div>\n", page->out);
    return 0;
}

const spot_page_part_t spot_page_differences = {
    "differences", "Differences to the baseline", problem, write};
