/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a study speaks of: its title, and the metrics that come first. */
#include <math.h>

#include "reports/words.h"

const char *spot_study_title(const spot_study_head_t *head)
{
    return head->question != NULL ? head->question : head->name;
}

size_t spot_main_metric(const spot_study_head_t *head)
{
    const char *name = head->optimise.metric != NULL ? head->optimise.metric : head->plot.y;
    const size_t metric_id = head->optimise.metric == NULL && head->best.is_asked
                                 ? head->best.metric_id
                                 : spot_study_metric_id(head, name);

    return metric_id < head->num_metrics ? metric_id : 0;
}

size_t spot_drawn_metric(const spot_study_head_t *head)
{
    const size_t y_id = spot_study_metric_id(head, head->plot.y);

    return y_id < head->num_metrics ? y_id : spot_main_metric(head);
}

const char *spot_metrics_problem(
    const spot_report_t *report, size_t num_metrics, const size_t *metric_ids)
{
    if (report->num_rows == 0) {
        return "no point has replications yet";
    }
    for (size_t point_id = 0; point_id < report->head->num_points; point_id++) {
        size_t num_defined = 0, num_there = 0;

        for (size_t j = 0; j < num_metrics; j++) {
            num_there += spot_study_has_metric(report->head, point_id, metric_ids[j]);
            num_defined +=
                isfinite(spot_report_summary(report, point_id, metric_ids[j])->value) ? 1 : 0;
        }
        if (num_there > 0 && num_defined == num_there) {
            return NULL;
        }
    }
    return "what it would draw is undefined at all points";
}

static bool is_anywhere(const spot_report_t *report, size_t metric_id)
{
    for (size_t j = 0; j < report->head->num_points; j++) {
        if (isfinite(spot_report_summary(report, j, metric_id)->value)) {
            return true;
        }
    }
    return false;
}

int spot_metrics_check(const spot_report_t *report, size_t num_metrics, const size_t *metric_ids,
    const char *picture_path, spot_diag_t *diag)
{
    const char *problem = spot_metrics_problem(report, num_metrics, metric_ids);
    spot_texts_t texts = {0};
    const char *names = "";

    if (problem == NULL) {
        return 0;
    }
    /* Those without a value; none where all have one, but nowhere together. */
    for (size_t j = 0; report->num_rows > 0 && j < num_metrics; j++) {
        if (!is_anywhere(report, metric_ids[j])) {
            names = spot_texts_add(&texts, "%s%s%s", names, names[0] == '\0' ? ": " : ", ",
                report->head->metrics[metric_ids[j]].name);
        }
    }
    spot_diag_error(diag, picture_path, 0, 0, "nothing can be drawn: %s%s", problem, names);
    spot_texts_free(&texts);
    return SPOT_ERR_BAD_PARAM;
}
