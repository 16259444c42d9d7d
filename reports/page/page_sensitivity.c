/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which key matters how much: Sobol indices of studies whose plan is made for them. */
#include <inttypes.h>

#include "reports/page/page_cells.h"
#include "reports/page/page_internal.h"
#include "reports/sensitivity_report.h"
#include "reports/table/table_html.h"

static const char *
problem(const spot_page_t *page)
{
    return page->head->plan.kind == SPOT_PLAN_SENSITIVITY
               ? NULL
               : "the plan of the study is not made for it";
}

static int
write_keys(const spot_page_t *page, const spot_sensitivity_t *indices, size_t metric_id)
{
    spot_table_t table = {.name = "sobol"};
    FILE *caption = spot_table_begin_text(&table);
    char id[32];
    int ret;

    snprintf(id, sizeof(id), "sensitivity-table-%zu", metric_id);
    if (caption != NULL) {
        fprintf(caption, "%s: ", page->head->metrics[metric_id].name);
        spot_sensitivity_variance_write(indices, caption);
    }
    spot_table_end_caption(&table, caption);
    spot_sensitivity_table_fill(page->head, indices, SPOT_POINTS_BY_WORDS, &table);
    ret = spot_table_write_html(&table, id, page->out);
    spot_table_free(&table);
    return ret;
}

/* Once, of whichever metric: all have the same replications. */
static void
write_warning(const spot_page_t *page, const spot_study_sensitivity_t *sensitivity)
{
    const char *warning = NULL;

    for (size_t j = 0; warning == NULL && j < sensitivity->num_metrics; j++) {
        warning = spot_metric_sensitivity_warning(&sensitivity->metrics[j]);
    }
    if (warning != NULL) {
        fputs("<p><strong>Warning:</strong> ", page->out);
        spot_html_text(page->out, warning);
        fputs(".</p>\n", page->out);
    }
}

static int
write_metric(
    const spot_page_t *page, const spot_metric_sensitivity_t *metric, size_t metric_id)
{
    const char *why = spot_metric_sensitivity_problem(metric);

    if (why == NULL) {
        return write_keys(page, &metric->indices, metric_id);
    }
    fputs("<p>", page->out);
    spot_html_text(page->out, page->head->metrics[metric_id].name);
    fputs(": no indices, ", page->out);
    spot_html_text(page->out, why);
    fputs(".</p>\n", page->out);
    return 0;
}

static int
write(const spot_page_t *page)
{
    spot_study_sensitivity_t sensitivity;
    int ret = spot_study_sensitivity_init(&sensitivity, page->report->store);

    if (ret == 0) {
        fprintf(page->out,
            "<p>Sobol indices with 95&nbsp;%% intervals: the share of the variance over "
            "the plan that a key explains alone (first order), and with all others "
            "(total). A key with a total of about 0 does not matter; one whose total is "
            "far above its first order matters together with others. From %zu base "
            "samples, ",
            page->head->plan.num_samples);
        spot_page_count(page->out, sensitivity.num_replications, "replication");
        fputs(" of each point.</p>\n", page->out);
        write_warning(page, &sensitivity);
    }
    for (size_t j = 0; ret == 0 && j < sensitivity.num_metrics; j++) {
        ret = write_metric(page, &sensitivity.metrics[j], j);
    }
    spot_study_sensitivity_free(&sensitivity);
    return ret;
}

const spot_page_part_t spot_page_sensitivity = {
    "sobol-indices", "Sobol indices of the keys", problem, write};
