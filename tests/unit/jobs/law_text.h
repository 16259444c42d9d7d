/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws of jobs from texts. Include after cmocka.h. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "tests/unit/base/support.h"
#include "traces/jobs/job_law.h"

static inline int parse_law(spot_job_law_t *self, const char *text, spot_diag_t *diag)
{
    spot_yaml_t document;
    int ret = spot_yaml_parse(&document, "jobs.yaml", text, strlen(text), diag);

    memset(self, 0, sizeof(*self));
    if (ret == 0) {
        ret = spot_job_law_init(self, document.root, diag);
    }
    spot_yaml_free(&document);
    return ret;
}

/* A good law. */
static inline void make_law(spot_job_law_t *self, const char *text)
{
    spot_diag_t diag;
    int ret;

    spot_diag_init(&diag);
    ret = parse_law(self, text, &diag);
    assert_report(&diag, "");
    assert_int_equal(ret, 0);
    spot_diag_free(&diag);
}
