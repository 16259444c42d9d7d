/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a job log: no crash, a refusal says why, and what is accepted holds all
 * invariants and is the same log when it is written and read again. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "traces/jobs/job_file.h"
#include "traces/jobs/job_log.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t num_bytes);

static int read_bytes(spot_job_log_t *log, spot_vc_list_t *vcs, const char *bytes, size_t num_bytes,
    spot_short_rule_t short_rule)
{
    const spot_job_log_request_t request = {.log = "fuzz",
        .bytes = bytes,
        .num_bytes = num_bytes,
        .vcs = vcs,
        .adds_vcs = true,
        .short_rule = short_rule};
    spot_diag_t diag;
    int ret;

    spot_diag_init(&diag);
    ret = spot_job_log_read(log, &request, &diag);
    spot_bug_assert((ret == 0) == (diag.num_errors == 0));
    spot_diag_free(&diag);
    return ret;
}

/* Returns the number of bytes. */
static size_t write_log(const spot_job_log_t *log, const spot_vc_list_t *vcs, char **text)
{
    size_t num_bytes = 0;
    FILE *out = open_memstream(text, &num_bytes);

    spot_job_log_write(log, vcs, out);
    fclose(out);
    return num_bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t num_bytes)
{
    spot_vc_list_t vcs = {0}, same_vcs = {0};
    spot_job_log_t log, same_log;
    char *text = NULL;
    size_t num_text;

    if (read_bytes(&log, &vcs, (const char *) bytes, num_bytes, SPOT_SHORT_CLAMP) == 0) {
        spot_job_log_verify(&log);
        num_text = write_log(&log, &vcs, &text);
        spot_bug_assert(read_bytes(&same_log, &same_vcs, text, num_text, SPOT_SHORT_ERROR) == 0);
        spot_bug_assert(same_log.num_jobs == log.num_jobs);
        for (size_t j = 0; j < log.num_jobs; j++) {
            spot_bug_assert(same_log.jobs[j].submit_s == log.jobs[j].submit_s);
            spot_bug_assert(same_log.jobs[j].gpu_num == log.jobs[j].gpu_num);
        }
        spot_job_log_free(&same_log);
    }
    free(text);
    spot_job_log_free(&log);
    spot_vc_list_free(&vcs);
    spot_vc_list_free(&same_vcs);
    return 0;
}
