/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Static pictures within the page: they need no script and print well. */
#include <string.h>

#include "reports/page/page_cells.h"
#include "reports/page/page_internal.h"
#include "reports/study_pictures.h"

/* Behind one of gnuplot's own names of things that begins at a tag, "$panel1 using 1:7"
   or gnuplot's version; NULL if none begins there. Texts are escaped: no tag is part of
   one. */
static const char *
name_end(const char *tag)
{
    static const struct {
        const char *begin;
        const char *end;
    } names[] = {{"<title>", "</title>"}, {"<desc>", "</desc>"}};

    for (size_t j = 0; j < sizeof(names) / sizeof(names[0]); j++) {
        if (strncmp(tag, names[j].begin, strlen(names[j].begin)) == 0) {
            const char *end = strstr(tag, names[j].end);

            return end == NULL ? NULL : end + strlen(names[j].end);
        }
    }
    return NULL;
}

/* The SVG without its XML head, which HTML has no place for, and without gnuplot's
   names: browsers would show them as tooltips, and screen readers read them, while the
   element around it has the name of the picture. */
static void
write_svg(FILE *out, const char *svg)
{
    const char *at = strstr(svg, "<svg");

    if (at == NULL) {
        return;
    }
    for (const char *tag = at; tag != NULL; tag = strchr(at, '<')) {
        const char *end = name_end(tag);
        const char *copied = end == NULL ? tag + 1 : tag;

        fwrite(at, 1, (size_t) (copied - at), out);
        at = end == NULL ? copied : end;
    }
    fputs(at, out);
}

int
spot_page_svg_write(
    const spot_page_picture_t *picture, FILE *out, const char *place, spot_diag_t *diag)
{
    spot_diag_t reasons;
    spot_page_text_t svg;
    int ret = spot_page_text_begin(&svg);

    if (ret != 0) {
        return ret;
    }
    spot_diag_init(&reasons);
    ret = spot_page_text_end(
        &svg, spot_gnuplot_draw(picture->write_script, picture->context, svg.stream,
                  picture->name, &reasons));
    if (ret == 0) {
        write_svg(out, svg.text);
    } else if (ret == SPOT_ERR_CHILD) {
        spot_diag_warn(diag, place, 0, 0, "the picture \"%s\" is left out: %s",
            picture->name,
            reasons.num_items > 0 ? reasons.items[0].text : "gnuplot failed");
        fputs("<p class=\"note\">This picture was left out: gnuplot could not draw "
              "it.</p>\n",
            out);
        ret = 0;
    } else if (reasons.num_items > 0) {
        spot_diag_error(diag, place, 0, 0, "the picture \"%s\": %s", picture->name,
            reasons.items[0].text);
    }
    spot_diag_free(&reasons);
    spot_page_text_free(&svg);
    return ret;
}

int
spot_page_picture_write(
    const spot_page_picture_t *picture, FILE *out, const char *place, spot_diag_t *diag)
{
    int ret;

    spot_page_section_open(out, picture->name, picture->title);
    fputs("<figure class=\"picture\" role=\"group\">\n<div "
          "class=\"static\" role=\"img\" tabindex=\"0\" aria-label=\"",
        out);
    spot_html_text(out, picture->text);
    fputs("\">\n", out);
    ret = spot_page_svg_write(picture, out, place, diag);
    fputs("</div>\n</figure>\n</section>\n", out);
    return ret;
}

static int
write_picture(const spot_page_t *page, const spot_study_picture_t *picture)
{
    spot_page_text_t text;
    int ret = spot_page_text_begin(&text);

    if (ret != 0) {
        return ret;
    }
    picture->describe(page->report, text.stream);
    ret = spot_page_text_end(&text, 0);
    if (ret == 0) {
        ret =
            spot_page_picture_write(&(spot_page_picture_t){picture->name, picture->title,
                                        text.text, picture->write_script, page->report},
                page->out, page->source->path, page->diag);
    }
    spot_page_text_free(&text);
    return ret;
}

int
spot_page_pictures_write(const spot_page_t *page)
{
    int ret = 0;

    for (const spot_study_picture_t *picture = spot_study_pictures;
         ret == 0 && picture->name != NULL; picture++) {
        if (picture->problem(page->report) == NULL) {
            ret = write_picture(page, picture);
        }
    }
    return ret;
}
