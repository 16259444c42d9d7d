/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two stores beside each other, for the tests of what is told and drawn of them. */
#pragma once

#include "reports/side_by_side.h"

/* The sample study twice, each to be changed before it is opened. */
typedef struct {
    spot_study_head_t heads[SPOT_NUM_SIDES];
    spot_store_t *stores[SPOT_NUM_SIDES];
    spot_report_t reports[SPOT_NUM_SIDES];
    spot_side_t sides[SPOT_NUM_SIDES];
    spot_side_by_side_t two;
} two_case_t;

/* Two sample studies that differ in job.reload, not yet opened. */
void two_begin(two_case_t *self, int64_t num_before, int64_t num_after);

/* Opens the stores of what two_begin() made, and compares them. */
void two_compare(two_case_t *self);

void two_end(two_case_t *self);

/* What a terminal of so many columns shows; to be freed, as all texts. */
char *two_text(const two_case_t *self, int width);
char *two_answer(const two_case_t *self);
