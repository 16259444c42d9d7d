/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stands in a document where a study has no replications yet: tables and pictures
 * would be empty. */
#pragma once

#include <stdio.h>

#include "reports/report.h"

/* The question of the study, and below it what is missing and how to get it, as
 * write_text writes text from outside in the language of the document. IO, NO_MEMORY. */
SPOT_MUST_CHECK int spot_paper_nothing_write(const spot_report_t *report,
    void (*write_text)(FILE *out, const char *text), FILE *out);
