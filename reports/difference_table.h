/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far the points of a study are from those that its baseline names, as a table for a
 * terminal. */
#ifndef SPOT_REPORTS_DIFFERENCE_TABLE_H
#define SPOT_REPORTS_DIFFERENCE_TABLE_H

#include <stdio.h>

#include "base/error.h"
#include "reports/terminal.h"
#include "sim/store/store.h"

/* One line a point: each metric that was asked for as mean and half width of the
 * interval of its paired differences, marked where 0 is outside; below, how much
 * narrower these intervals are than unpaired ones. The study has a baseline. Errors of
 * spot_store_differences(). terminal NULL: a file. */
SPOT_MUST_CHECK int spot_difference_table_write(
    const spot_store_t *store, const spot_terminal_t *terminal, FILE *out);

#endif
