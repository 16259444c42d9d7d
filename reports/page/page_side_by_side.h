/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One self-contained page of two stores side by side. */
#pragma once

#include <stdio.h>

#include "base/error.h"
#include "reports/side_by_side.h"

/* What differs between the studies and what comes of that in a sentence, pictures of the
 * main metric, a table for each metric, the main one first, and the points that only one
 * has; of these and of the rows of a table SPOT_PAGE_STATIC_ROWS at most, the others are
 * counted; then where each store comes from, and how to repeat it.
 * NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_page_side_by_side_write(
    const spot_side_by_side_t *two, FILE *out, spot_diag_t *diag);
