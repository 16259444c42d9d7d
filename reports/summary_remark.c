/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/summary_remark.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

const char *
spot_summary_remark(const spot_summary_t *summary, char text[SPOT_REMARK_BYTES])
{
    int used = 0;

    text[0] = '\0';
    if (summary->num_nulls > 0 && summary->num_values > 0) {
        used = sprintf(text, "of %" PRId64 " of %" PRId64, summary->num_values,
            summary->num_values + summary->num_nulls);
    }
    if (summary->num_cut_off > 0) {
        used += sprintf(text + used, "%s%" PRId64 " of %" PRId64 " cut off",
            used > 0 ? "; " : "", summary->num_cut_off, summary->num_values);
    }
    if (isinf(summary->value)) {
        used += sprintf(text + used, "%s> %.17g", used > 0 ? "; " : "", summary->least);
    }
    if (summary->is_heavy) {
        sprintf(text + used, "%sheavy tail", used > 0 ? "; " : "");
    }
    return text;
}
