/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the pictures of a study have in common. Internal to them. */
#pragma once

#include "reports/study_pictures.h"
#include "reports/study_words.h"

/* The title, which starts with a capital, what those are told who do not see the
 * picture, and the note "NAME · 10 replications at each point · seed 1" with more behind
 * it; more NULL: no note. */
void spot_picture_head(spot_chart_t *chart, const spot_study_picture_t *picture,
    const spot_report_t *report, const char *title, const char *more);

/* "pipeline depth 8: 12.3 % (11.9 % to 12.7 %)" of a point; values are in the unit of
 * the metric, and no interval is NAN. */
void spot_picture_hover(const spot_report_t *report, size_t point_id,
    const spot_shown_unit_t *shown, double value, double low, double high,
    char text[SPOT_POINT_BYTES]);

/* The unit of a scale of values that are shown so. */
static inline spot_chart_unit_t
spot_picture_unit(const spot_shown_unit_t *shown)
{
    return shown->factor == 100 ? SPOT_CHART_PERCENT : SPOT_CHART_NUMBER;
}

/* The scale of the numbers of a swept key; *name is kept until it is declared. */
spot_chart_axis_t spot_picture_x_axis(
    const spot_study_head_t *head, size_t axis_id, char name[SPOT_WORDS_BYTES]);

/* The place-th of num_shown spread evenly over num_all, both ends included. */
size_t spot_spread(size_t place, size_t num_shown, size_t num_all);
