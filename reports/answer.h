/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a study found, in a sentence or two. */
#pragma once

#include <stdio.h>

#include "reports/report.h"

/* Characters of the longest answer; longer ones are cut. */
#define SPOT_ANSWER_CHARS 480

/* "As preemption per minute goes from 0.05 to 0.5, idle time grows from 8 % to 41 %.
 * With pipeline depth 8 it is half as high.": plain text with values of the study in it,
 * without an end of line. It says what the study asks for: its best point, who wins
 * where, which key matters, what differs from the baseline, or how the main metric
 * changes along the first numeric key; then where the metric is undefined, and what the
 * answer rests on where the study is not finished. It claims changes and differences
 * that are sure (sim/analysis/findings.h). Errors of reading, NO_MEMORY. */
SPOT_MUST_CHECK int spot_answer_write(const spot_report_t *report, FILE *out);
