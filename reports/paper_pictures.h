/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pictures of a study as files for papers: FOLDER/NAME-PICTURE.svg (or .png, .pdf),
 * what it shows beside it as .csv, and as .gnuplot the script that draws the SVG again
 * where it lies. */
#pragma once

#include "reports/draw.h"
#include "reports/report.h"

/* Where the pictures of a format go; NULL: nowhere. */
typedef struct {
    const char *folders[SPOT_NUM_FORMATS];
} spot_paper_folders_t;

/* Makes the folders, where only their last part is missing, and writes all pictures of
 * the study that can be drawn, those of the runs whose timelines the store keeps too (as
 * timeline-POINT-REPLICATION); of each other one a warning says why not. NAME is that of
 * the study, made safe. All data and scripts first, so that they are there after CHILD:
 * PNG or PDF, and rsvg-convert is missing or fails. IO, NO_MEMORY, errors of reading the
 * store. */
SPOT_MUST_CHECK int spot_paper_pictures_write(
    const spot_report_t *report, const spot_paper_folders_t *folders, spot_diag_t *diag);
