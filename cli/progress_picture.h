/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The picture of `spotsim compare --plot-progress`. */
#pragma once

#include "base/diag.h"
#include "base/error.h"
#include "sim/study/study.h"

/* Runs the first replication of the first points of a study of training runs once more
 * and draws how far each came over time. They met the same events. Errors of running and
 * of spot_draw_file(). */
SPOT_MUST_CHECK int spot_progress_picture(
    const spot_study_t *study, const char *svg_path, spot_diag_t *diag);
