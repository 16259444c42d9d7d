/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One self-contained page of two stores side by side. */
#ifndef SPOT_REPORTS_PAGE_PAGE_SIDE_BY_SIDE_H
#define SPOT_REPORTS_PAGE_PAGE_SIDE_BY_SIDE_H

#include <stdio.h>

#include "base/diag.h"
#include "reports/side_by_side.h"

/* What differs, the main metric of both as a picture, its differences as another, and a
 * table of all metrics. Pictures that gnuplot cannot draw are left out with a note and a
 * warning. NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_page_side_by_side_write(
    const spot_side_by_side_t *two, FILE *out, spot_diag_t *diag);

#endif
