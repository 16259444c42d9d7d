/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a picture declares, as text: a line each of its words, panels, rows, ticks,
 * rules, series, data and entries of the legend. */
#pragma once

#include "reports/study_pictures.h"

/* Fails the test where the declaration fails, or where it cannot be drawn as an SVG,
 * wide and narrow. The caller frees it. */
char *declared_text(spot_declare_t declare, const void *context);

/* The picture as an SVG. The caller frees it. */
char *declared_svg(spot_declare_t declare, const void *context);

/* The data of a picture as CSV, and what those are told who do not see it. The caller
 * frees them. */
char *declared_csv(const spot_study_picture_t *picture, const spot_report_t *report);
char *declared_description(const spot_study_picture_t *picture, const spot_report_t *report);

/* Data of all series of a kind: "points". */
size_t declared_count(const char *text, const char *kind);
