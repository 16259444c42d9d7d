/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "reports/side_by_side.h"
#include "tests/unit/reports/sample.h"
#include "tests/unit/reports/side_by_side_case.h"

void two_begin(two_case_t *self, int64_t num_before, int64_t num_after)
{
    memset(self, 0, sizeof(*self));
    sample_idle_head(&self->heads[SPOT_BEFORE], num_before);
    sample_idle_head(&self->heads[SPOT_AFTER], num_after);
    self->sides[SPOT_BEFORE].path = "before.db";
    self->sides[SPOT_AFTER].path = "after.db";
    self->sides[SPOT_BEFORE].canonical = "job:\n  reload: 47 s\ntick: 5 s\n";
    self->sides[SPOT_AFTER].canonical = "job:\n  reload: 60 s\ntick: 5 s\n";
}

void two_compare(two_case_t *self)
{
    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        self->stores[side] = sample_idle_store(&self->heads[side]);
        self->reports[side] = sample_report(self->stores[side]);
        self->sides[side].report = &self->reports[side];
    }
    assert_int_equal(spot_side_by_side_init(&self->two, self->sides), 0);
}

void two_end(two_case_t *self)
{
    spot_side_by_side_free(&self->two);
    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        spot_report_free(&self->reports[side]);
        self->stores[side]->close(self->stores[side]);
        spot_study_head_free(&self->heads[side]);
    }
}

char *two_text(const two_case_t *self, int width)
{
    const spot_terminal_t terminal = {width, false, true};
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    assert_int_equal(spot_terminal_write(&terminal, spot_side_by_side_print, &self->two, out), 0);
    assert_int_equal(fclose(out), 0);
    return text;
}

char *two_answer(const two_case_t *self)
{
    spot_texts_t texts = {0};
    char *answer = strdup(spot_side_by_side_answer(&self->two, &texts));

    assert_int_equal(texts.error, 0);
    assert_non_null(answer);
    spot_texts_free(&texts);
    return answer;
}
