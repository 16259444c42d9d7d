/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a study found, in a sentence or two. */
#ifndef SPOT_REPORTS_ANSWER_H
#define SPOT_REPORTS_ANSWER_H

#include <stdio.h>

#include "reports/report.h"

/* "idle grows from 9.7 % at 0.05 to 41 % at 0.5 (preemption per minute); ...": plain
 * text with values of the study in it, without an end of line. Errors of reading,
 * NO_MEMORY. */
SPOT_MUST_CHECK int spot_answer_write(const spot_report_t *report, FILE *out);

#endif
