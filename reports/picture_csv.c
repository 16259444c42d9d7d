/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/picture_csv.h"

#include <math.h>
#include <string.h>

#include "base/csv_field.h"

void
spot_picture_csv_point_names(const spot_study_head_t *head, FILE *out)
{
    fputs("point", out);
    for (size_t j = 0; j < head->num_axes; j++) {
        const spot_axis_t *axis = &head->axes[j];

        fputc(',', out);
        spot_csv_field_text(out, axis->path);
        fprintf(out, "%s%s", axis->unit[0] == '\0' ? "" : "_", axis->unit);
    }
}

void
spot_picture_csv_point(const spot_study_head_t *head, size_t point_id, FILE *out)
{
    fprintf(out, "%zu", point_id);
    for (size_t k = 0; k < head->num_axes; k++) {
        const spot_axis_t *axis = &head->axes[k];
        const size_t value_id = spot_study_value_id(head, point_id, k);

        if (isfinite(axis->numbers[value_id])) {
            spot_csv_field_number(out, axis->numbers[value_id]);
        } else {
            fputc(',', out);
            spot_csv_field_text(out, axis->texts[value_id]);
        }
    }
}

void
spot_picture_csv_estimate_names(
    const spot_study_head_t *head, size_t metric_id, const char *what, FILE *out)
{
    const char *name = head->metrics[metric_id].name;

    fprintf(out, ",%s%s_mean,%s%s_ci95_low,%s%s_ci95_high", name, what, name, what, name,
        what);
}

int
spot_picture_csv_write(
    const spot_report_t *report, size_t num_metrics, const size_t *metric_ids, FILE *out)
{
    const spot_study_head_t *head = report->head;

    spot_picture_csv_point_names(head, out);
    for (size_t k = 0; k < num_metrics; k++) {
        spot_picture_csv_estimate_names(head, metric_ids[k], "", out);
    }
    fputc('\n', out);
    for (size_t j = 0; j < head->num_points; j++) {
        spot_picture_csv_point(head, j, out);
        for (size_t k = 0; k < num_metrics; k++) {
            const spot_summary_t *summary =
                spot_report_summary(report, j, metric_ids[k]);

            spot_csv_field_number(out, summary->value);
            spot_csv_field_number(out, summary->ci_low);
            spot_csv_field_number(out, summary->ci_high);
        }
        fputc('\n', out);
    }
    return ferror(out) ? SPOT_ERR_IO : 0;
}
