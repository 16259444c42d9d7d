/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a task log of any format, or as a document of another program: no crash,
 * a refusal says why, and what is accepted can be analysed and written, and its sums
 * close. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "traces/tasks/task_analysis.h"
#include "traces/tasks/task_log_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t num_bytes);

static void write_file(const char *path, const uint8_t *bytes, size_t num_bytes)
{
    FILE *out = fopen(path, "wb");

    spot_bug_assert(out != NULL);
    spot_bug_assert(fwrite(bytes, 1, num_bytes, out) == num_bytes);
    spot_bug_assert(fclose(out) == 0);
}

/* Analyses a log, or counts the stretches of its markers, and writes the results. */
static void analyse(spot_task_log_t *log, spot_diag_t *diag)
{
    const spot_task_rules_t rules = {.aligns = true};
    spot_task_markers_t markers = {.attempts = 0};
    spot_task_analysis_t analysis = {.t0 = 0};
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);
    spot_json_t json;
    int ret;

    spot_bug_assert(out != NULL);
    spot_json_init(&json, out, true);
    if (log->is_markers) {
        ret = spot_task_markers_init(&markers, log, SPOT_DUP_LAST, "log", diag);
        if (ret == 0) {
            spot_task_markers_json(&markers, &json);
        }
    } else {
        ret = spot_task_analysis_init(&analysis, log, &rules, "log", diag);
        if (ret == 0) {
            spot_task_analysis_json(&analysis, log, &json);
        }
    }
    spot_bug_assert((ret == 0) == (diag->num_errors == 0));
    spot_task_markers_free(&markers);
    spot_task_analysis_free(&analysis);
    fclose(out);
    free(text);
}

/* The first byte: whether lines are skipped, and how workers are named. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t num_bytes)
{
    static const char path[] = "tasks_under_fuzz";
    const uint8_t choice = num_bytes == 0 ? 0 : bytes[0];
    const spot_task_reading_t reading = {
        .names = (spot_task_names_t) (choice / 2 % 3), .skips_bad = choice % 2 == 1};
    spot_task_log_t log;
    spot_diag_t diag;
    int ret;

    write_file(path, bytes + (num_bytes > 0), num_bytes - (num_bytes > 0));
    spot_diag_init(&diag);
    ret = spot_task_log_read(&log, path, &reading, &diag);
    spot_bug_assert((ret == 0) == (diag.num_errors == 0));
    if (ret == 0) {
        analyse(&log, &diag);
    }
    spot_task_log_free(&log);
    spot_diag_free(&diag);
    unlink(path);
    return 0;
}
