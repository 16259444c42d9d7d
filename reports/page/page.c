/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/page/page.h"

#include <stdlib.h>
#include <string.h>

#include "reports/answer.h"
#include "reports/page/page_cells.h"
#include "reports/page/page_internal.h"
#include "reports/study_pictures.h"
#include "reports/study_words.h"

/* Of a question as heading and of a name; a longer question follows as a whole. */
#define HEADING_CHARS 400
#define NAME_CHARS 120

#define NUM_PARTS (sizeof(parts) / sizeof(parts[0]))

/* In the order of the page; NULL: the pictures. */
static const spot_page_part_t *const parts[] = {
    &spot_page_warnings,
    NULL,
    &spot_page_explorer,
    &spot_page_race,
    &spot_page_winners,
    &spot_page_differences,
    &spot_page_sensitivity,
    &spot_page_timelines,
    &spot_page_parameters,
    &spot_page_points,
    &spot_page_origin,
};

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
          "form-action 'none'; base-uri 'none'\">\n",
        out);
    fputs("<title>", out);
    (void) spot_html_cut(out, title, NAME_CHARS);
    fputs("</title>\n<style>\n", out);
    write_asset(out, spot_page_css, spot_page_css_end);
    write_asset(out, spot_page_timeline_css, spot_page_timeline_css_end);
    spot_draw_page_style(out);
    fputs("</style>\n</head>\n<body>\n", out);
}

/* The question, or the name of a study without one. It may be written from right to
 * left: <bdi> keeps that to itself. */
static void
write_title(const spot_page_t *page)
{
    const char *title = spot_study_title(page->head);
    FILE *out = page->out;
    bool is_cut;

    fputs("<h1><bdi>", out);
    is_cut = spot_html_cut(out, title, HEADING_CHARS);
    fputs("</bdi></h1>\n", out);
    if (is_cut) {
        fputs("<details>\n<summary>In full</summary>\n", out);
        spot_html_element(out, "p dir=\"auto\"", title);
        fputs("\n</details>\n", out);
    }
}

/* Question, answer, and what both rest on. */
static int
write_summary(const spot_page_t *page)
{
    char note[SPOT_WORDS_BYTES];
    FILE *out = page->out;
    spot_page_text_t answer;
    int ret;

    fputs(
        "<a class=\"skip\" href=\"#content\">Skip to the pictures</a>\n<header>\n", out);
    write_title(page);
    ret = spot_page_text_begin(&answer);
    if (ret == 0) {
        const int answered = spot_answer_write(page->report, answer.stream);

        ret = spot_page_text_element(&answer, out, "p id=\"answer\"");
        ret = answered != 0 ? answered : ret;
    }
    fputs("<p class=\"note\"><bdi>", out);
    spot_replications_words(
        page->head, page->report->min_rows, page->report->max_rows, note);
    (void) spot_html_cut(out, page->head->name, NAME_CHARS);
    fprintf(out, "</bdi> · %zu point%s · %s · seed %llu</p>\n</header>\n",
        page->head->num_points, page->head->num_points == 1 ? "" : "s", note,
        (unsigned long long) page->head->seed);
    return ret;
}

/* Whether there is something to say before there are replications. */
static bool
is_of_study(const spot_page_part_t *part)
{
    return part == &spot_page_warnings || part == &spot_page_parameters ||
           part == &spot_page_origin;
}

static bool
has_part(const spot_page_t *page, const spot_page_part_t *part)
{
    return (is_of_study(part) || page->report->num_rows > 0) &&
           (part->problem == NULL || part->problem(page) == NULL);
}

static void
write_link(FILE *out, const char *name, const char *title)
{
    fprintf(out, "<li><a href=\"#%s\">%s</a></li>\n", name, title);
}

static void
write_picture_links(const spot_page_t *page)
{
    for (size_t j = 0; spot_study_pictures[j] != NULL; j++) {
        const spot_study_picture_t *picture = spot_study_pictures[j];

        if (picture->problem(page->report) == NULL) {
            write_link(page->out, picture->name, picture->title);
        }
    }
}

/* Links to all sections. */
static void
write_contents(const spot_page_t *page)
{
    FILE *out = page->out;

    fputs("<nav class=\"contents\" aria-label=\"Sections\">\n<ul>\n", out);
    for (size_t j = 0; j < NUM_PARTS; j++) {
        if (parts[j] == NULL) {
            write_picture_links(page);
        } else if (has_part(page, parts[j])) {
            write_link(out, parts[j]->name, parts[j]->title);
        }
    }
    fputs("</ul>\n</nav>\n<main id=\"content\">\n", out);
}

static int
write_part(const spot_page_t *page, const spot_page_part_t *part)
{
    int ret;

    spot_page_section_open(page->out, part->name, part->title);
    ret = part->write(page);
    fputs("</section>\n", page->out);
    return ret;
}

static int
write_parts(const spot_page_t *page)
{
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < NUM_PARTS; j++) {
        if (parts[j] == NULL) {
            ret = spot_page_pictures_write(page);
        } else if (has_part(page, parts[j])) {
            ret = write_part(page, parts[j]);
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
    for (size_t j = 0; j < sizeof(scripts) / sizeof(scripts[0]); j++) {
        spot_page_script_write(out, scripts[j].start, scripts[j].end);
    }
    fputs("</body>\n</html>\n", out);
    return ret;
}

static int
write_page(const spot_page_t *page)
{
    int ret;

    spot_page_head_write(page->out, spot_study_title(page->head));
    ret = write_summary(page);
    write_contents(page);
    if (ret == 0) {
        ret = write_parts(page);
    }
    return ret == 0 ? write_foot(page) : ret;
}

int
spot_page_write(const spot_page_source_t *source, FILE *out, spot_diag_t *diag)
{
    spot_origin_t origin = {0};
    spot_series_list_t series = {0};
    const spot_page_t page = {.source = source,
        .report = source->report,
        .head = source->report->head,
        .origin = &origin,
        .series = &series,
        .completeness =
            spot_store_completeness(source->report->store, source->report->summaries),
        .out = out,
        .diag = diag};
    int ret = spot_origin_read(&origin, source->report->store);

    if (ret == 0) {
        ret = spot_series_list_read(&series, source->report->store);
    }
    if (ret == 0) {
        ret = write_page(&page);
    }
    spot_series_list_free(&series);
    spot_origin_free(&origin);
    return ret == 0 && ferror(out) ? SPOT_ERR_IO : ret;
}
