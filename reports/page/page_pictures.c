/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Static pictures within the page: they need no script and print well. */
#include <string.h>

#include "reports/page/page_cells.h"
#include "reports/page/page_internal.h"

/* The figure under a heading of a level. */
static int
write_figure(const spot_page_picture_t *picture, int level, FILE *out)
{
    spot_chart_t *chart = spot_chart_new();
    int ret =
        chart == NULL ? SPOT_ERR_NO_MEMORY : picture->declare(chart, picture->context);
    const char *title = picture->title;

    if (ret == 0) {
        title = title != NULL ? title : spot_chart_title_text(chart);
        if (level == 2) {
            spot_page_section_open(out, picture->name, title);
        } else {
            spot_html_element(out, "h3", title);
        }
        fputs("<figure class=\"picture\" role=\"group\">\n<div "
              "class=\"static\" role=\"img\" tabindex=\"0\" aria-label=\"",
            out);
        spot_html_text(
            out, picture->text != NULL ? picture->text : spot_chart_description(chart));
        fputs("\">\n", out);
        ret = spot_draw_page(picture->declare, picture->context, false, out);
        fputs(
            level == 2 ? "</div>\n</figure>\n</section>\n" : "</div>\n</figure>\n", out);
    }
    spot_chart_free(chart);
    return ret;
}

int
spot_page_picture_write(const spot_page_picture_t *picture, FILE *out)
{
    return write_figure(picture, 2, out);
}

const spot_study_picture_t *
spot_page_find_picture(const spot_page_t *page, const char *name)
{
    for (size_t j = 0; spot_study_pictures[j] != NULL; j++) {
        const spot_study_picture_t *picture = spot_study_pictures[j];

        if (strcmp(picture->name, name) == 0) {
            return picture->problem(page->report) == NULL ? picture : NULL;
        }
    }
    return NULL;
}

int
spot_page_study_picture(const spot_page_t *page, const char *name, int level)
{
    return write_figure(&(spot_page_picture_t){.name = name,
                            .declare = spot_page_find_picture(page, name)->declare,
                            .context = page->report},
        level, page->out);
}
