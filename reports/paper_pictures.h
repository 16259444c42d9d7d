/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pictures of a study as files for papers: FOLDER/NAME-PICTURE.svg (or .png, .pdf),
 * what it shows beside it as .csv, and as .gnuplot the script that draws the SVG again
 * where it lies. */
#ifndef SPOT_REPORTS_PAPER_PICTURES_H
#define SPOT_REPORTS_PAPER_PICTURES_H

#include "reports/picture_format.h"
#include "reports/report.h"
#include "reports/study_pictures.h"

/* Where the pictures of a format go; NULL: nowhere. */
typedef struct {
    const char *folders[SPOT_NUM_FORMATS];
} spot_paper_folders_t;

/* Makes the folders, where only their last part is missing, and writes all pictures of
 * the study that can be drawn; of each other one a warning says why not. NAME is that of
 * the study, made safe. All data and scripts first, so that they are there after CHILD:
 * gnuplot is missing or fails. IO, NO_MEMORY, errors of reading the store. */
SPOT_MUST_CHECK int spot_paper_pictures_write(
    const spot_report_t *report, const spot_paper_folders_t *folders, spot_diag_t *diag);

/* The script that draws a picture of the study, kept under the name file_name with
 * .gnuplot behind it, as file_name with .svg behind it in the folder where the script
 * lies, from whatever folder gnuplot is run. */
SPOT_MUST_CHECK int spot_paper_script_write(const spot_study_picture_t *picture,
    const spot_report_t *report, const char *file_name, FILE *out);

#endif
