/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answer of a study: what it found, in a sentence or two, plain text with values of the study
 * in it. One call writes it, from the store alone; what it may say is in
 * sim/bench/analysis/findings.h, the words are those of reports/words.h. */
#pragma once

#include <stdio.h>

#include "reports/report.h"

/* What a study found, in a sentence or two: "As preemption per minute goes from 0.05 to
 * 0.5, idle time grows from 8 % to 41 %. With pipeline depth 8 it is half as high.":
 * plain text with values of the study in it, without an end of line. It says what the
 * study asks for: its best point, which value wins where, which key matters, what
 * differs from the baseline, or how the main metric changes along the first numeric key;
 * then where the metric is undefined, and what the answer rests on where the study is
 * not finished. It claims changes and differences that are sure
 * (sim/bench/analysis/findings.h). Errors of reading, NO_MEMORY. */
#define SPOT_ANSWER_CHARS 480 /* of the longest answer; longer ones are cut */
SPOT_MUST_CHECK int spot_answer_write(const spot_report_t *report, FILE *out);
