/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/page/page.h"

#include <string.h>

#include "reports/answer.h"
#include "reports/page/page_internal.h"
#include "reports/study_words.h"

/* In the order of the page. */
static const spot_page_part_t *const parts[] = {
    &spot_page_differences,
    &spot_page_points,
    &spot_page_origin,
};

static void
write_asset(FILE *out, const char *start, const char *end)
{
    fwrite(start, 1, (size_t) (end - start), out);
}

/* Nothing can be fetched or sent, whatever the page holds. */
void
spot_page_head_write(FILE *out, const char *title)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
          "form-action 'none'; base-uri 'none'\">\n",
        out);
    spot_html_element(out, "title", title);
    fputs("\n<style>\n", out);
    write_asset(out, spot_page_css, spot_page_css_end);
    fputs("</style>\n</head>\n<body>\n", out);
}

/* Question, answer, and what both rest on. */
static int
write_summary(const spot_page_t *page)
{
    char note[SPOT_WORDS_BYTES];
    FILE *out = page->out;
    int ret;

    fputs("<header>\n", out);
    spot_html_element(out, "h1", spot_study_title(page->head));
    fputs("\n<p id=\"answer\">", out);
    ret = spot_answer_write(page->report, out);
    fputs("</p>\n<p class=\"note\">", out);
    spot_replications_words(
        page->head, page->report->min_rows, page->report->max_rows, note);
    spot_html_text(out, page->head->name);
    fprintf(out, " · %zu point%s · %s · seed %llu</p>\n</header>\n<main>\n",
        page->head->num_points, page->head->num_points == 1 ? "" : "s", note,
        (unsigned long long) page->head->seed);
    return ret;
}

static int
write_parts(const spot_page_t *page)
{
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < sizeof(parts) / sizeof(parts[0]); j++) {
        const spot_page_part_t *part = parts[j];

        if (part->problem == NULL || part->problem(page) == NULL) {
            fprintf(page->out, "<section id=\"%s\" aria-labelledby=\"%s-title\">\n",
                part->name, part->name);
            fprintf(page->out, "<h2 id=\"%s-title\">%s</h2>\n", part->name, part->title);
            ret = part->write(page);
            fputs("</section>\n", page->out);
        }
    }
    return ret;
}

static int
write_foot(const spot_page_t *page)
{
    FILE *out = page->out;
    int ret;

    fputs("</main>\n", out);
    ret = spot_page_data_write(page);
    fputs("<script>\n", out);
    write_asset(out, spot_page_chart, spot_page_chart_end);
    fputs("</script>\n<script>\n", out);
    write_asset(out, spot_page_js, spot_page_js_end);
    fputs("</script>\n</body>\n</html>\n", out);
    return ret;
}

int
spot_page_write(const spot_page_source_t *source, FILE *out, spot_diag_t *diag)
{
    const spot_page_t page = {.source = source,
        .report = source->report,
        .head = source->report->head,
        .out = out,
        .diag = diag};
    int ret;

    spot_page_head_write(out, spot_study_title(page.head));
    ret = write_summary(&page);
    if (ret == 0) {
        ret = spot_page_pictures_write(&page);
    }
    if (ret == 0) {
        ret = write_parts(&page);
    }
    if (ret == 0) {
        ret = write_foot(&page);
    }
    return ret == 0 && ferror(out) ? SPOT_ERR_IO : ret;
}
