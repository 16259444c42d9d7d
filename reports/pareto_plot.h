/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What more throughput costs: a dot for each point of a study at its cost and its gain,
 * and the Pareto front, or a front for each trace where that is swept. */
#ifndef SPOT_REPORTS_PARETO_PLOT_H
#define SPOT_REPORTS_PARETO_PLOT_H

#include "base/error.h"
#include "reports/cost_gain.h"

/* Dots in a picture: of more points those that would lie on others are left out, which
 * it says, but none of the front. */
#define SPOT_MAX_DOTS 1500

/* The gnuplot script with its data; the report has no spot_cost_gain_problem().
 * NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_pareto_plot_script(
    const spot_report_t *report, const char *picture_path, FILE *out);

#endif
