/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of a page that a terminal has too: see reports/study_parts.h. */
#include "reports/doubts.h"
#include "reports/page/page_internal.h"
#include "reports/plan_report.h"
#include "reports/point_table.h"
#include "reports/study_parts.h"

static int
write_part(const spot_page_t *page,
    void (*write)(const spot_report_t *report, spot_document_t *document))
{
    spot_document_t document;

    spot_document_to_page(&document, page->out);
    write(page->report, &document);
    return spot_document_end(&document);
}

/* ---- What the study asks for ---- */

static const char *
race_problem(const spot_page_t *page)
{
    return page->head->optimise.metric != NULL ? NULL
                                               : "the study does not look for the best";
}

static int
write_race(const spot_page_t *page)
{
    return write_part(page, spot_race_write);
}

const spot_page_part_t spot_page_race = {
    "race", "The best point", race_problem, write_race};

static const char *
winners_problem(const spot_page_t *page)
{
    return page->head->best.is_asked ? NULL : "the study does not ask for the best";
}

static int
write_winners(const spot_page_t *page)
{
    return write_part(page, spot_winners_write);
}

const spot_page_part_t spot_page_winners = {
    "winners", "Who wins where", winners_problem, write_winners};

static const char *
differences_problem(const spot_page_t *page)
{
    return page->report->pairs == NULL ? "the study has no baseline" : NULL;
}

static int
write_differences(const spot_page_t *page)
{
    return write_part(page, spot_differences_write);
}

const spot_page_part_t spot_page_differences = {
    "differences", "Compared with the baseline", differences_problem, write_differences};

static const char *
sensitivity_problem(const spot_page_t *page)
{
    return page->head->plan.kind == SPOT_PLAN_SENSITIVITY
               ? NULL
               : "the plan of the study is not made for it";
}

static int
write_sensitivity(const spot_page_t *page)
{
    return write_part(page, spot_sensitivity_write);
}

const spot_page_part_t spot_page_sensitivity = {"sobol-indices",
    "Sobol indices of the keys", sensitivity_problem, write_sensitivity};

/* ---- Of every study ---- */

static void
write_all_points(const spot_report_t *report, spot_document_t *document)
{
    spot_point_table_write((spot_point_table_t){.report = report, .is_plain = true},
        "points-table", "Estimates with half widths of their 95 % confidence intervals",
        document);
}

/* The script shows the other points, and takes the note away. */
static int
write_points(const spot_page_t *page)
{
    const size_t num_rows = spot_page_rows(page->head);

    if (num_rows < page->head->num_points) {
        fprintf(page->out,
            "<p class=\"note\" id=\"points-note\">The first %zu of %zu points; with "
            "scripts all of them.</p>\n",
            num_rows, page->head->num_points);
    }
    return write_part(page, write_all_points);
}

const spot_page_part_t spot_page_points = {"points", "All points", NULL, write_points};

static void
write_settings(const spot_report_t *report, spot_document_t *document)
{
    spot_settings_write(report->head, document);
}

static void
write_metrics(const spot_report_t *report, spot_document_t *document)
{
    spot_metrics_write(report->head, document);
}

static int
write_parameters(const spot_page_t *page)
{
    int ret = write_part(page, write_settings);

    ret = ret == 0 ? spot_page_fixed_write(page) : ret;
    return ret == 0 ? write_part(page, write_metrics) : ret;
}

const spot_page_part_t spot_page_parameters = {
    "parameters", "What was varied and what was fixed", NULL, write_parameters};

int
spot_page_doubts_write(const spot_page_t *page)
{
    const spot_doubts_t *doubts;
    int ret = spot_report_doubts(page->report, &doubts);

    if (ret != 0 || doubts->num_items == 0) {
        return ret;
    }
    fputs("<div id=\"warnings\">\n", page->out);
    ret = write_part(page, spot_doubts_write);
    fputs("</div>\n", page->out);
    return ret;
}
