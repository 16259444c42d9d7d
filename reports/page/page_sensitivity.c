/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which key matters how much: Sobol indices of studies whose plan is made for them. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "reports/page/page_cells.h"
#include "reports/page/page_internal.h"
#include "reports/sensitivity_report.h"
#include "reports/study_words.h"

static const char *
problem(const spot_page_t *page)
{
    return page->head->plan.kind == SPOT_PLAN_SENSITIVITY
               ? NULL
               : "the plan of the study is not made for it";
}

static void
write_index_cell(FILE *out, const spot_sensitivity_index_t *index)
{
    char text[SPOT_INDEX_BYTES];

    spot_sensitivity_index_text(index, text);
    spot_page_number_cell(out, index->value, text);
}

static void
write_key(const spot_page_t *page, const spot_sensitivity_t *indices, size_t axis_id)
{
    char words[SPOT_WORDS_BYTES];

    spot_axis_words(&page->head->axes[axis_id], words);
    fputs("<tr>", page->out);
    spot_html_element(page->out, "th scope=\"row\"", words);
    write_index_cell(page->out, &indices->first[axis_id]);
    write_index_cell(page->out, &indices->total[axis_id]);
    fputs("</tr>\n", page->out);
}

/* Keys with the largest total first: order[num_axes] of them. */
static void
sort_keys(const spot_sensitivity_t *indices, size_t num_axes, size_t *order)
{
    for (size_t j = 0; j < num_axes; j++) {
        size_t place = j;

        while (place > 0 &&
               indices->total[order[place - 1]].value < indices->total[j].value) {
            order[place] = order[place - 1];
            place--;
        }
        order[place] = j;
    }
}

static int
write_keys(const spot_page_t *page, const spot_sensitivity_t *indices, size_t metric_id)
{
    const size_t num_axes = page->head->num_axes;
    size_t *order = spot_calloc(num_axes, sizeof(*order));
    char id[32];
    spot_page_text_t caption;
    int ret = order == NULL ? SPOT_ERR_NO_MEMORY : spot_page_text_begin(&caption);

    if (ret == 0) {
        snprintf(id, sizeof(id), "sensitivity-table-%zu", metric_id);
        fprintf(caption.stream, "%s: ", page->head->metrics[metric_id].name);
        spot_sensitivity_variance_write(indices, caption.stream);
        ret = spot_page_text_table_open(&caption, page->out, id);
    }
    if (ret == 0) {
        fputs("<thead><tr><th scope=\"col\">key</th><th scope=\"col\">first order</th>"
              "<th scope=\"col\">total</th></tr></thead>\n<tbody>\n",
            page->out);
        sort_keys(indices, num_axes, order);
        for (size_t j = 0; j < num_axes; j++) {
            write_key(page, indices, order[j]);
        }
        fputs("</tbody>\n", page->out);
        spot_page_table_close(page->out);
    }
    free(order);
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
