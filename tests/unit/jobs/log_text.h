/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What tests of job logs share: logs from texts, and files. */
#pragma once

#include <string.h>

#include "tests/unit/base/support.h"
#include "traces/jobs/job_file.h"
#include "traces/jobs/job_log.h"

/* Reads a log from a text called "x"; of the request only other members are used. VCs
 * join the list unless there are some. */
static inline int read_log(
    spot_job_log_t *log, spot_job_log_request_t request, const char *text, const char *report)
{
    spot_diag_t diag;
    int ret;

    spot_diag_init(&diag);
    request.log = "x";
    request.bytes = text;
    request.num_bytes = strlen(text);
    request.adds_vcs = request.adds_vcs || request.vcs->num_vcs == 0;
    ret = spot_job_log_read(log, &request, &diag);
    assert_report(&diag, report);
    assert_int_equal(ret == 0, diag.num_errors == 0);
    spot_diag_free(&diag);
    if (ret == 0) {
        spot_job_log_verify(log);
    }
    return ret;
}

static inline void make_log(spot_job_log_t *log, spot_vc_list_t *vcs, const char *text)
{
    assert_int_equal(read_log(log, (spot_job_log_request_t){.vcs = vcs}, text, ""), 0);
}

/* A file with a text, at path. */
static inline void make_file(const char *name, const char *text, char path[PATH_BYTES])
{
    test_path(name, path);
    write_file(path, text, strlen(text));
}

/* The report, in which every line begins with path, against lines without it. */
static inline void assert_report_of(const spot_diag_t *diag, const char *path, const char *report)
{
    const size_t path_bytes = strlen(path);

    for (size_t j = 0; j < diag->num_items; j++) {
        const char *text = diag->items[j].text;
        const size_t length = strcspn(report, "\n");

        assert_memory_equal(text, path, path_bytes);
        if (strlen(text) != path_bytes + length || memcmp(text + path_bytes, report, length) != 0) {
            assert_string_equal(text + path_bytes, report);
        }
        report += length + 1;
    }
    assert_string_equal(report, "");
}
