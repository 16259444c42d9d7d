/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/answer.h"

#include "reports/study_words.h"

int
spot_answer_write(const spot_report_t *report, FILE *out)
{
    char words[SPOT_WORDS_BYTES], value[SPOT_LABEL_BYTES];

    spot_metric_words(&report->head->metrics[0], words);
    (void) spot_short_number(spot_report_summary(report, 0, 0)->mean, value);
    fprintf(out, "%s is %s.", words, value);
    return 0;
}
