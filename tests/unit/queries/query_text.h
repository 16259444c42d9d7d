/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What tests of arrivals share: settings from YAML. */
#pragma once

#include <math.h>
#include <string.h>

#include "tests/unit/base/support.h"
#include "traces/queries/arrivals.h"

/* Binds and opens the value of the key arrivals; report: all errors, a line each, with
 * line:column of the value. */
static inline int open_setting(spot_arrivals_setting_t *self, const char *value, const char *report)
{
    spot_diag_t diag;
    spot_bind_t bind = {.diag = &diag};
    spot_yaml_t document;
    int ret;

    spot_diag_init(&diag);
    memset(self, 0, sizeof(*self));
    assert_int_equal(spot_yaml_parse(&document, "x", value, strlen(value), &diag), 0);
    spot_bind_map(&bind, spot_arrivals_fields, "arrivals", document.root, self);
    ret = spot_arrivals_open(self, &bind, document.root);
    ret = ret == 0 && diag.num_errors > 0 ? SPOT_ERR_BAD_INPUT : ret;
    assert_report(&diag, report);
    spot_yaml_free(&document);
    spot_diag_free(&diag);
    return ret;
}

/* Draws the arrivals of such a value. */
static inline void draw(
    spot_arrivals_t *self, const char *value, uint64_t seed, uint64_t replication)
{
    spot_arrivals_setting_t setting;

    assert_int_equal(open_setting(&setting, value, ""), 0);
    assert_int_equal(spot_arrivals_draw(self, &setting, seed, replication), 0);
    spot_arrivals_setting_free(&setting);
}

/* Against the times of all queries. */
static inline void assert_times(
    const spot_arrivals_t *self, size_t num_queries, const int64_t *times_ns)
{
    assert_int_equal(self->num_queries, num_queries);
    for (size_t j = 0; j < num_queries; j++) {
        assert_int_equal(self->source_ns[j], times_ns[j]);
    }
}
