/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One self-contained page of two stores side by side. */
#ifndef SPOT_REPORTS_PAGE_PAGE_SIDE_BY_SIDE_H
#define SPOT_REPORTS_PAGE_PAGE_SIDE_BY_SIDE_H

#include <stdio.h>

#include "base/error.h"
#include "reports/side_by_side.h"

/* What differs between the studies, a table for each metric, the main one first, and the
 * points that only one has. IO. */
SPOT_MUST_CHECK int spot_page_side_by_side_write(
    const spot_side_by_side_t *two, FILE *out);

#endif
