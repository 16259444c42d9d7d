/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/page/page.h"

#include <stdlib.h>
#include <string.h>

#include "reports/answer.h"
#include "reports/chart/svg.h"
#include "reports/page/page_cells.h"
#include "reports/page/page_internal.h"
#include "reports/study_words.h"

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

static const spot_page_part_t explorer = {
    "explorer", "Explore the points", NULL, write_explorer};

/* A section of the page: a picture, by name, a part, or a part that starts with its
 * picture. */
typedef struct {
    const char *picture; /* NULL: none */
    const spot_page_part_t *part;
} place_t;

/* In the order of the page. The links to all of them stand behind the first one, the
 * main picture. */
static const place_t places[] = {
    {"curves", NULL},
    {"ledger", NULL},
    {NULL, &explorer},
    {"pareto", NULL},
    {NULL, &spot_page_race},
    {NULL, &spot_page_winners},
    {"differences", &spot_page_differences},
    {"sensitivity", &spot_page_sensitivity},
    {NULL, &spot_page_timelines},
    {NULL, &spot_page_parameters},
    {NULL, &spot_page_points},
    {NULL, &spot_page_origin},
};

#define NUM_PLACES (sizeof(places) / sizeof(places[0]))

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
    spot_chart_svg_style(out);
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
    fprintf(out, "</bdi> · %zu point%s · %s · seed %llu</p>\n", page->head->num_points,
        page->head->num_points == 1 ? "" : "s", note,
        (unsigned long long) page->head->seed);
    if (ret == 0) {
        ret = spot_page_doubts_write(page);
    }
    fputs("</header>\n", out);
    return ret;
}

/* Whether there is something to say before there are replications. */
static bool
is_of_study(const spot_page_part_t *part)
{
    return part == &spot_page_parameters || part == &spot_page_origin;
}

/* The picture and the part of a place that the page has; either may be NULL. */
static place_t
find_place(const spot_page_t *page, const place_t *place)
{
    const spot_page_part_t *part = place->part;
    place_t found = {NULL, NULL};

    if (place->picture != NULL && spot_page_find_picture(page, place->picture) != NULL) {
        found.picture = place->picture;
    }
    if (part != NULL && (is_of_study(part) || page->report->num_rows > 0) &&
        (part->problem == NULL || part->problem(page) == NULL)) {
        found.part = part;
    }
    return found;
}

static void
write_link(const spot_page_t *page, const place_t *place)
{
    const place_t found = find_place(page, place);
    const char *name = found.part != NULL ? found.part->name : found.picture;

    if (name != NULL) {
        fprintf(page->out, "<li><a href=\"#%s\">%s</a></li>\n", name,
            found.part != NULL ? found.part->title
                               : spot_page_find_picture(page, name)->title);
    }
}

static void
write_contents(const spot_page_t *page)
{
    fputs("<nav class=\"contents\" aria-label=\"Sections\">\n<ul>\n", page->out);
    for (size_t j = 1; j < NUM_PLACES; j++) {
        write_link(page, &places[j]);
    }
    fputs("</ul>\n</nav>\n", page->out);
}

static int
write_place(const spot_page_t *page, const place_t *place)
{
    const place_t found = find_place(page, place);
    int ret = 0;

    if (found.part == NULL) {
        return found.picture == NULL ? 0
                                     : spot_page_study_picture(page, found.picture, 2);
    }
    spot_page_section_open(page->out, found.part->name, found.part->title);
    if (found.picture != NULL) {
        ret = spot_page_study_picture(page, found.picture, 3);
    }
    if (ret == 0) {
        ret = found.part->write(page);
    }
    fputs("</section>\n", page->out);
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
    fputs("<main id=\"content\">\n", page->out);
    for (size_t j = 0; ret == 0 && j < NUM_PLACES; j++) {
        ret = write_place(page, &places[j]);
        if (j == 0) {
            write_contents(page);
        }
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
