/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/page/page.h"

#include "reports/chart/svg.h"
#include "reports/page/page_internal.h"
#include "reports/words.h"

/* Of a question as heading and of a name; a longer question follows as a whole. */
#define HEADING_CHARS 400
#define NAME_CHARS 120

/* In the order in which they run. */
static const struct {
    const char *start;
    const char *end;
} scripts[] = {
    {spot_page_chart, spot_page_chart_end},
    {spot_page_base_js, spot_page_base_js_end},
    {spot_page_js, spot_page_js_end},
    {spot_page_explorer_js, spot_page_explorer_js_end},
    {spot_page_table_js, spot_page_table_js_end},
    {spot_page_lanes_js, spot_page_lanes_js_end},
    {spot_page_timeline_js, spot_page_timeline_js_end},
};

/* ---- The frame ---- */

static void write_asset(FILE *out, const char *start, const char *end)
{
    fwrite(start, 1, (size_t) (end - start), out);
}

void spot_page_script_write(FILE *out, const char *start, const char *end)
{
    fputs("<script>\n", out);
    write_asset(out, start, end);
    fputs("</script>\n", out);
}

/* Nothing can be fetched or sent, whatever the page holds. */
void spot_page_head_write(FILE *out, const char *title)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
          "form-action 'none'; base-uri 'none'\">\n<title>",
        out);
    (void) spot_html_cut(out, title, NAME_CHARS);
    fputs("</title>\n<style>\n", out);
    write_asset(out, spot_page_css, spot_page_css_end);
    spot_chart_svg_style(out);
    fputs("</style>\n</head>\n<body>\n"
          "<a class=\"skip\" href=\"#content\">Skip to the pictures</a>\n"
          "<header>\n<h1><bdi>",
        out);
    if (spot_html_cut(out, title, HEADING_CHARS)) {
        fputs("</bdi></h1>\n<details>\n<summary>In full</summary>\n", out);
        spot_html_element(out, "p dir=\"auto\"", title);
        fputs("\n</details>\n", out);
    } else {
        fputs("</bdi></h1>\n", out);
    }
}

/* Question, answer, and what both rest on. */
static void write_summary(const spot_page_t *page)
{
    spot_texts_t *texts = &page->document->texts;
    FILE *out = page->out, *answer = spot_texts_begin(texts);

    spot_page_head_write(out, spot_study_title(page->head));
    if (answer != NULL && page->source->preface == NULL) {
        spot_document_fail(page->document, spot_answer_write(page->report, answer));
    }
    spot_html_element(out, "p id=\"answer\"", spot_texts_end(texts, answer));
    fputs("\n<p class=\"note\"><bdi>", out);
    (void) spot_html_cut(out, page->head->name, NAME_CHARS);
    fprintf(out, "</bdi> · %s · %s · seed %llu</p>\n",
        spot_words_count(texts, (int64_t) page->head->num_points, "point"),
        spot_words_replications(texts, page->report), (unsigned long long) page->head->seed);
    if (page->head->assumed.num_items > 0) {
        spot_html_element(out, "p id=\"assumed\" class=\"note\"",
            spot_assumed_words(texts, &page->head->assumed));
        fputs("\n", out);
    }
    spot_page_doubts_write(page);
    fputs("</header>\n<main id=\"content\">\n", out);
}

/* ---- All ---- */

static int write_page(const spot_page_t *page)
{
    write_summary(page);
    if (page->source->preface != NULL) {
        page->source->preface->write(page->source->preface->context, page->document);
        spot_document_end_section(page->document);
    }
    spot_page_sections_write(page);
    spot_document_end_section(page->document);
    fputs("</main>\n", page->out);
    spot_page_data_write(page->report, page->document);
    for (size_t j = 0; j < sizeof(scripts) / sizeof(scripts[0]); j++) {
        spot_page_script_write(page->out, scripts[j].start, scripts[j].end);
    }
    fputs("</body>\n</html>\n", page->out);
    return spot_document_end(page->document);
}

int spot_page_write(const spot_page_source_t *source, FILE *out)
{
    const spot_report_t *report = source->report;
    spot_origin_t origin = {0};
    spot_series_list_t series = {0};
    spot_document_t document;
    const spot_page_t page = {.source = source,
        .report = report,
        .head = report->head,
        .origin = &origin,
        .series = &series,
        .document = &document,
        .out = out};
    int ret = spot_origin_read(&origin, report->store);

    spot_document_to_page(&document, out);
    if (ret == 0) {
        ret = spot_series_list_read(&series, report->store);
    }
    spot_document_fail(&document, ret);
    ret = ret == 0 ? write_page(&page) : spot_document_end(&document);
    spot_series_list_free(&series);
    spot_origin_free(&origin);
    return ret;
}
