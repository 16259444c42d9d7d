/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/study_pictures.h"

#include "reports/bars_plot.h"
#include "reports/difference_plot.h"
#include "reports/pareto_plot.h"
#include "reports/sensitivity_plot.h"
#include "reports/study_plot.h"
#include "reports/study_words.h"

static const char *
curves_problem(const spot_report_t *report)
{
    const char *problem = NULL;
    spot_curves_t curves;
    const int ret = spot_curves_init(&curves, report, &problem);

    spot_curves_free(&curves);
    return ret == 0 || problem != NULL ? problem : spot_error_text(ret);
}

static int
write_curves(const void *context, const char *picture_path, FILE *out)
{
    return spot_study_plot_script(context, picture_path, out);
}

static void
describe_curves(const spot_report_t *report, FILE *out)
{
    char words[SPOT_WORDS_BYTES];
    const spot_study_head_t *head = report->head;
    const size_t y_id = spot_study_metric_id(head, head->plot.y);

    spot_metric_words(&head->metrics[y_id < head->num_metrics ? y_id : 0], words);
    fprintf(out, "%s along the swept keys, with 95 %% confidence intervals.", words);
}

static int
write_ledger(const void *context, const char *picture_path, FILE *out)
{
    return spot_bars_plot_script(context, picture_path, out);
}

static int
write_pareto(const void *context, const char *picture_path, FILE *out)
{
    return spot_pareto_plot_script(context, picture_path, out);
}

static int
write_differences(const void *context, const char *picture_path, FILE *out)
{
    return spot_difference_plot_script(context, picture_path, out);
}

static int
write_sensitivity(const void *context, const char *picture_path, FILE *out)
{
    return spot_sensitivity_plot_script(context, picture_path, out);
}

const spot_study_picture_t spot_study_pictures[] = {
    {"curves", "Main curves", curves_problem, write_curves, spot_study_csv_write,
        describe_curves},
    {"ledger", "Where the time goes", spot_bars_plot_problem, write_ledger,
        spot_bars_csv_write, spot_bars_describe},
    {"pareto", "What more throughput costs", spot_cost_gain_problem, write_pareto,
        spot_cost_gain_csv_write, spot_cost_gain_describe},
    {"differences", "Compared with the baseline", spot_difference_plot_problem,
        write_differences, spot_difference_csv_write, spot_difference_describe},
    {"sensitivity", "Which parameter matters", spot_sensitivity_plot_problem,
        write_sensitivity, spot_sensitivity_plot_csv, spot_sensitivity_plot_describe},
    {NULL, NULL, NULL, NULL, NULL, NULL},
};

int
spot_study_picture_draw(const spot_study_picture_t *self, const spot_report_t *report,
    FILE *svg, spot_diag_t *diag)
{
    return spot_gnuplot_draw(self->write_script, report, svg, self->name, diag);
}
