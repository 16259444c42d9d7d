/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sections of a page: static pictures, and what a terminal has too. */
#include <string.h>

#include "reports/doubts.h"
#include "reports/page/page_internal.h"
#include "reports/plan_report.h"
#include "reports/point_table.h"
#include "reports/race_report.h"
#include "reports/study_parts.h"

/* ---- Pictures ---- */

void spot_page_picture_write(const spot_page_picture_t *picture, spot_document_t *document)
{
    spot_chart_t *chart = spot_chart_new();
    FILE *out = document->out;
    const char *title = picture->title, *text = picture->text;
    int ret = chart == NULL ? SPOT_ERR_NO_MEMORY : picture->declare(chart, picture->context);

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
static const spot_study_picture_t *find_picture(const spot_page_t *page, const char *name)
{
    for (size_t j = 0; name != NULL && spot_study_pictures[j] != NULL; j++) {
        const spot_study_picture_t *picture = spot_study_pictures[j];

        if (strcmp(picture->name, name) == 0) {
            return picture->problem(page->report) == NULL ? picture : NULL;
        }
    }
    return NULL;
}

/* ---- Doubts ---- */

void spot_page_doubts_write(const spot_page_t *page)
{
    const spot_doubts_t *doubts;
    const int ret = spot_report_doubts(page->report, &doubts);

    spot_document_fail(page->document, ret);
    if (ret == 0 && doubts->num_items > 0) {
        fputs("<div id=\"warnings\">\n", page->out);
        spot_doubts_write(page->report, page->document);
        spot_document_end_list(page->document);
        fputs("</div>\n", page->out);
    }
}

/* ---- What the study asks for ---- */

static bool has_race(const spot_page_t *page)
{
    return page->head->optimise.metric != NULL;
}

static bool has_best(const spot_page_t *page)
{
    return page->head->best.is_asked;
}

static bool has_baseline(const spot_page_t *page)
{
    return page->report->pairs != NULL;
}

static bool is_for_sensitivity(const spot_page_t *page)
{
    return page->head->plan.kind == SPOT_PLAN_SENSITIVITY;
}

static bool has_runs(const spot_page_t *page)
{
    return page->series->num_ids > 0;
}

/* ---- Of every study ---- */

/* Where page_explorer.js puts its controls and its chart. */
static void write_explorer(const spot_page_t *page)
{
    fputs("<noscript><p class=\"note\">This part needs scripts; the pictures and tables "
          "of the page do without.</p></noscript>\n"
          "<div id=\"explorer-place\" class=\"scripted\" hidden></div>\n",
        page->out);
}

/* The script shows the other points, and takes the note away. */
static void write_points(const spot_page_t *page)
{
    const size_t num_rows = spot_page_rows(page->head);

    if (num_rows < page->head->num_points) {
        fprintf(page->out,
            "<p class=\"note\" id=\"points-note\">The first %zu of %zu points; with "
            "scripts all of them.</p>\n",
            num_rows, page->head->num_points);
    }
    spot_point_table_write((spot_point_table_t){.report = page->report, .is_plain = true},
        "points-table", "Estimates with half widths of their 95 % confidence intervals",
        page->document);
}

static void write_parameters(const spot_page_t *page)
{
    spot_settings_write(page->head, page->document);
    spot_page_fixed_write(page->source->path, page->head, page->origin, page->document);
    spot_metrics_write(page->head, page->document);
}

static void write_origin(const spot_page_t *page)
{
    spot_page_origin_write(page->source->path, page->origin, page->document);
}

/* ---- All ---- */

/* A picture, by name, or a part under a heading of its own, which may start with its
 * picture. */
typedef struct {
    const char *picture; /* NULL: none */
    const char *name;    /* id of the part; NULL: there is none */
    const char *title;
    bool (*exists)(const spot_page_t *page); /* NULL: always */
    void (*write)(const spot_page_t *page);  /* or this: */
    void (*write_report)(const spot_report_t *report, spot_document_t *document);
    bool is_of_study; /* says something before there are replications, too */
} section_t;

/* In the order of the page. The links to all of them stand behind the first one, the
 * main picture. */
static const section_t sections[] = {
    {.picture = "curves"},
    {.picture = "ledger"},
    {.name = "explorer", .title = "Explore the points", .write = write_explorer},
    {.picture = "pareto"},
    {.name = "race",
        .title = "The best point",
        .exists = has_race,
        .write_report = spot_race_write},
    {.name = "winners",
        .title = "Which value wins where",
        .exists = has_best,
        .write_report = spot_winners_write},
    {.picture = "differences",
        .name = "differences",
        .title = "Compared with the baseline",
        .exists = has_baseline,
        .write_report = spot_differences_write},
    {.picture = "sensitivity",
        .name = "sobol-indices",
        .title = "Sobol indices of the keys",
        .exists = is_for_sensitivity,
        .write_report = spot_sensitivity_write},
    {.name = "timelines",
        .title = "Single runs over time",
        .exists = has_runs,
        .write = spot_page_timelines_write},
    {.name = "parameters",
        .title = "What was varied and what was fixed",
        .write = write_parameters,
        .is_of_study = true},
    {.name = "points", .title = "All points", .write = write_points},
    {.name = "origin",
        .title = "Where it comes from, and how to repeat it",
        .write = write_origin,
        .is_of_study = true},
};

#define NUM_SECTIONS (sizeof(sections) / sizeof(sections[0]))

/* Whether the page has the part of a section. */
static bool has_part(const spot_page_t *page, const section_t *section)
{
    return section->name != NULL && (section->is_of_study || page->report->num_rows > 0) &&
           (section->exists == NULL || section->exists(page));
}

static void write_contents(const spot_page_t *page)
{
    spot_document_end_section(page->document);
    fputs("<nav class=\"contents\" aria-label=\"Sections\">\n<ul>\n", page->out);
    for (size_t j = 1; j < NUM_SECTIONS; j++) {
        const spot_study_picture_t *picture = find_picture(page, sections[j].picture);
        const bool is_part = has_part(page, &sections[j]);

        if (is_part || picture != NULL) {
            fprintf(page->out, "<li><a href=\"#%s\">%s</a></li>\n",
                is_part ? sections[j].name : picture->name,
                is_part ? sections[j].title : picture->title);
        }
    }
    fputs("</ul>\n</nav>\n", page->out);
}

static void write_part(const spot_page_t *page, const section_t *section)
{
    if (section->write != NULL) {
        section->write(page);
    } else {
        section->write_report(page->report, page->document);
    }
}

bool spot_page_part_write(const spot_page_t *page, const char *name)
{
    for (size_t j = 0; j < NUM_SECTIONS; j++) {
        const section_t *section = &sections[j];

        if (section->name != NULL && strcmp(section->name, name) == 0 && has_part(page, section)) {
            write_part(page, section);
            return true;
        }
    }
    return false;
}

static void write_section(const spot_page_t *page, const section_t *section)
{
    const spot_study_picture_t *picture = find_picture(page, section->picture);
    const bool is_part = has_part(page, section);

    if (is_part) {
        spot_document_section(page->document, section->name, section->title);
    }
    if (picture != NULL) {
        spot_page_picture_write(&(spot_page_picture_t){.name = is_part ? NULL : picture->name,
                                    .declare = picture->declare,
                                    .context = page->report},
            page->document);
    }
    if (is_part) {
        write_part(page, section);
    }
}

void spot_page_sections_write(const spot_page_t *page)
{
    const spot_page_preface_t *preface = page->source->preface;

    for (size_t j = 0; page->document->error == 0 && j < NUM_SECTIONS; j++) {
        if (j > 0 || preface == NULL) {
            write_section(page, &sections[j]);
        } else {
            spot_page_picture_write(&(spot_page_picture_t){.name = "alternatives",
                                        .declare = preface->declare,
                                        .context = preface->context},
                page->document);
        }
        if (j == 0) {
            write_contents(page);
        }
    }
    spot_document_end_section(page->document);
}
