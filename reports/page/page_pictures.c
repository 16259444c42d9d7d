/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Static pictures within the page: they need no script and print well. */
#include "reports/page/page_cells.h"
#include "reports/page/page_internal.h"
#include "reports/study_pictures.h"

int
spot_page_picture_write(const spot_page_picture_t *picture, FILE *out)
{
    spot_chart_t *chart = spot_chart_new();
    int ret =
        chart == NULL ? SPOT_ERR_NO_MEMORY : picture->declare(chart, picture->context);

    if (ret == 0) {
        spot_page_section_open(out, picture->name,
            picture->title != NULL ? picture->title : spot_chart_title_text(chart));
        fputs("<figure class=\"picture\" role=\"group\">\n<div "
              "class=\"static\" role=\"img\" tabindex=\"0\" aria-label=\"",
            out);
        spot_html_text(
            out, picture->text != NULL ? picture->text : spot_chart_description(chart));
        fputs("\">\n", out);
        ret = spot_draw_page(picture->declare, picture->context, false, out);
        fputs("</div>\n</figure>\n</section>\n", out);
    }
    spot_chart_free(chart);
    return ret;
}

int
spot_page_pictures_write(const spot_page_t *page)
{
    int ret = 0;

    for (size_t j = 0; ret == 0 && spot_study_pictures[j] != NULL; j++) {
        const spot_study_picture_t *picture = spot_study_pictures[j];

        if (picture->problem(page->report) == NULL) {
            ret = spot_page_picture_write(&(spot_page_picture_t){.name = picture->name,
                                              .declare = picture->declare,
                                              .context = page->report},
                page->out);
        }
    }
    return ret;
}
