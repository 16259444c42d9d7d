/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a study found, in a sentence or two. */
#ifndef SPOT_REPORTS_ANSWER_H
#define SPOT_REPORTS_ANSWER_H

#include <stdio.h>

#include "reports/report.h"

/* Characters of the longest answer; longer ones are cut. */
#define SPOT_ANSWER_CHARS 480

/* "As preemption per minute goes from 0.05 to 0.5, idle time grows from 8 % to 41 %;
 * pipeline depth 8 instead of 16 halves it.": plain text with values of the study in it,
 * without an end of line. It says what the study asks for: its best point, who wins
 * where, which key matters, what differs from the baseline, or how the main metric
 * changes along the first numeric key. A change or a difference is claimed only where
 * its interval excludes 0, at SPOT_CONFIDENCE for all that were looked at to find it;
 * from means of replications that both points have in studies of up to
 * SPOT_ANSWER_PAIRED_ROWS replications, from the intervals of both means beyond. Of
 * means it also says where the metric is undefined, in all or many replications. Errors
 * of reading, NO_MEMORY. */
#define SPOT_ANSWER_PAIRED_ROWS 200000
SPOT_MUST_CHECK int spot_answer_write(const spot_report_t *report, FILE *out);

#endif
