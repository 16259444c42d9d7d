/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pictures of measured runs of a loader. */
#pragma once

#include "models/loader/measured.h"

/* Draws DATASET-MODE-throughput.svg, -waits.svg and, where there are searches,
 * -search.svg into a folder, which is made. NO_MEMORY, IO with the reason in diag. */
SPOT_MUST_CHECK int spot_loader_pictures_draw(
    const spot_measured_runs_t *self, const char *folder, spot_diag_t *diag);
