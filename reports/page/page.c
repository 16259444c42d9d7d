/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/page/page.h"

#include <string.h>

#include "reports/answer.h"
#include "reports/chart/svg.h"
#include "reports/page/page_internal.h"
#include "reports/study_words.h"
#include "reports/words.h"

/* Of a question as heading and of a name; a longer question follows as a whole. */
#define HEADING_CHARS 400
#define NAME_CHARS 120

/* Where page_explorer.js puts its controls and its chart. */
static int
write_explorer(const spot_page_t *page)
{
    fputs("<noscript><p class=\"note\">This part needs scripts; the pictures and tables "
          "of the page do without.</p></noscript>\n"
          "<div id=\"explorer-place\" class=\"scripted\" hidden></div>\n",
        page->out);
    return 0;
}

static int
write_origin(const spot_page_t *page)
{
    spot_page_origin_write(page->source->path, page->origin, page->document);
    return 0;
}

static const spot_page_part_t explorer = {
    "explorer", "Explore the points", NULL, write_explorer};
static const spot_page_part_t origin_part = {
    "origin", "Where it comes from, and how to repeat it", NULL, write_origin};

/* A section of the page: a picture, by name, a part, or a part that starts with its
 * picture. */
typedef struct {
    const char *picture; /* NULL: none */
    const spot_page_part_t *part;
    bool is_of_study; /* says something before there are replications, too */
} section_t;

/* In the order of the page. The links to all of them stand behind the first one, the
 * main picture. */
static const section_t sections[] = {
    {"curves", NULL, false},
    {"ledger", NULL, false},
    {NULL, &explorer, false},
    {"pareto", NULL, false},
    {NULL, &spot_page_race, false},
    {NULL, &spot_page_winners, false},
    {"differences", &spot_page_differences, false},
    {"sensitivity", &spot_page_sensitivity, false},
    {NULL, &spot_page_timelines, false},
    {NULL, &spot_page_parameters, true},
    {NULL, &spot_page_points, false},
    {NULL, &origin_part, true},
};

#define NUM_SECTIONS (sizeof(sections) / sizeof(sections[0]))

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
    {spot_page_timeline_js, spot_page_timeline_js_end},
};

/* ---- The frame ---- */

static void
write_asset(FILE *out, const char *start, const char *end)
{
    fwrite(start, 1, (size_t) (end - start), out);
}

void
spot_page_script_write(FILE *out, const char *start, const char *end)
{
    fputs("<script>\n", out);
    write_asset(out, start, end);
    fputs("</script>\n", out);
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
static void
write_summary(const spot_page_t *page)
{
    spot_texts_t *texts = &page->document->texts;
    FILE *out = page->out, *answer = spot_texts_begin(texts);

    spot_page_head_write(out, spot_study_title(page->head));
    if (answer != NULL) {
        spot_document_fail(page->document, spot_answer_write(page->report, answer));
    }
    spot_html_element(out, "p id=\"answer\"", spot_texts_end(texts, answer));
    fputs("\n<p class=\"note\"><bdi>", out);
    (void) spot_html_cut(out, page->head->name, NAME_CHARS);
    fprintf(out, "</bdi> · %s · %s · seed %llu</p>\n",
        spot_words_count(texts, (int64_t) page->head->num_points, "point"),
        spot_words_replications(texts, page->report),
        (unsigned long long) page->head->seed);
    spot_document_fail(page->document, spot_page_doubts_write(page));
    fputs("</header>\n<main id=\"content\">\n", out);
}

/* ---- Sections ---- */

void
spot_page_picture_write(const spot_page_picture_t *picture, spot_document_t *document)
{
    spot_chart_t *chart = spot_chart_new();
    FILE *out = document->out;
    const char *title = picture->title, *text = picture->text;
    int ret =
        chart == NULL ? SPOT_ERR_NO_MEMORY : picture->declare(chart, picture->context);

    if (ret == 0) {
        title = title != NULL ? title : spot_chart_title_text(chart);
        if (picture->name != NULL) {
            spot_document_section(document, picture->name, title);
        } else {
            spot_document_heading(document, title);
        }
        fputs("<figure class=\"picture\" role=\"group\">\n<div "
              "class=\"static\" role=\"img\" tabindex=\"0\" aria-label=\"",
            out);
        spot_html_text(out, text != NULL ? text : spot_chart_description(chart));
        fputs("\">\n", out);
        ret = spot_draw_page(picture->declare, picture->context, false, out);
        fputs("</div>\n</figure>\n", out);
    }
    spot_document_fail(document, ret);
    spot_chart_free(chart);
}

/* One of reports/study_pictures.h; NULL: the study has no such picture. */
static const spot_study_picture_t *
find_picture(const spot_page_t *page, const char *name)
{
    for (size_t j = 0; name != NULL && spot_study_pictures[j] != NULL; j++) {
        const spot_study_picture_t *picture = spot_study_pictures[j];

        if (strcmp(picture->name, name) == 0) {
            return picture->problem(page->report) == NULL ? picture : NULL;
        }
    }
    return NULL;
}

/* NULL: the study has no such part. */
static const spot_page_part_t *
find_part(const spot_page_t *page, const section_t *section)
{
    const spot_page_part_t *part = section->part;

    return part != NULL && (section->is_of_study || page->report->num_rows > 0) &&
                   (part->problem == NULL || part->problem(page) == NULL)
               ? part
               : NULL;
}

static void
write_contents(const spot_page_t *page)
{
    spot_document_end_section(page->document);
    fputs("<nav class=\"contents\" aria-label=\"Sections\">\n<ul>\n", page->out);
    for (size_t j = 1; j < NUM_SECTIONS; j++) {
        const spot_page_part_t *part = find_part(page, &sections[j]);
        const spot_study_picture_t *picture = find_picture(page, sections[j].picture);

        if (part != NULL || picture != NULL) {
            fprintf(page->out, "<li><a href=\"#%s\">%s</a></li>\n",
                part != NULL ? part->name : picture->name,
                part != NULL ? part->title : picture->title);
        }
    }
    fputs("</ul>\n</nav>\n", page->out);
}

static void
write_section(const spot_page_t *page, const section_t *section)
{
    const spot_page_part_t *part = find_part(page, section);
    const spot_study_picture_t *picture = find_picture(page, section->picture);

    if (part != NULL) {
        spot_document_section(page->document, part->name, part->title);
    }
    if (picture != NULL) {
        spot_page_picture_write(
            &(spot_page_picture_t){.name = part == NULL ? picture->name : NULL,
                .declare = picture->declare,
                .context = page->report},
            page->document);
    }
    if (part != NULL) {
        spot_document_fail(page->document, part->write(page));
    }
}

static int
write_page(const spot_page_t *page)
{
    write_summary(page);
    for (size_t j = 0; page->document->error == 0 && j < NUM_SECTIONS; j++) {
        write_section(page, &sections[j]);
        if (j == 0) {
            write_contents(page);
        }
    }
    spot_document_end_section(page->document);
    fputs("</main>\n", page->out);
    spot_page_data_write(page->report, page->document);
    for (size_t j = 0; j < sizeof(scripts) / sizeof(scripts[0]); j++) {
        spot_page_script_write(page->out, scripts[j].start, scripts[j].end);
    }
    fputs("</body>\n</html>\n", page->out);
    return spot_document_end(page->document);
}

int
spot_page_write(const spot_page_source_t *source, FILE *out, spot_diag_t *diag)
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
        .completeness = spot_store_completeness(report->store, report->summaries),
        .document = &document,
        .out = out,
        .diag = diag};
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
