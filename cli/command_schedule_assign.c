/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"
#include "cli/schedule_log.h"
#include "traces/jobs/job_file.h"

typedef struct {
    const char *log_path;
    const char *workloads_path;
    const char *vcs_path;
    const char *output_path;
    int64_t seed;
    int short_rule; /* spot_short_rule_t */
} arguments_t;

static const arguments_t initial = {.seed = 1};

static const spot_option_t options[] = {
    SPOT_OPTION(ARGUMENT, "a job log", 0, "LOG", log_path, NULL, .min = 1),
    SPOT_OPTION(INPUT, "workloads", 0, "FILE", workloads_path, "The table to draw from, a CSV file",
        .endings = ".csv or .gz"),
    SPOT_OPTION_VCS(vcs_path),
    SPOT_OPTION_SHORT(short_rule),
    SPOT_OPTION_SEED(seed),
    SPOT_OPTION_LOG_OUTPUT(output_path),
    SPOT_OPTION_END,
};

static void check(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;

    spot_usage_refuse(call, arguments->workloads_path == NULL,
        "--workloads FILE is missing: a table of workloads to draw from");
}

static int run(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;
    spot_job_log_request_t request = {
        .log = arguments->log_path, .short_rule = (spot_short_rule_t) arguments->short_rule};
    spot_schedule_log_t input = {0};
    int ret = spot_schedule_log_read(&input, arguments->vcs_path, &request, &call->diag);

    if (ret == 0) {
        ret = spot_job_assign(
            &input.log, arguments->workloads_path, (uint64_t) arguments->seed, &call->diag);
    }
    if (ret == 0) {
        call->is_reading = false;
        ret = spot_schedule_log_write(call, &input, arguments->output_path);
    }
    spot_schedule_log_free(&input);
    return ret;
}

const spot_command_t spot_command_schedule_assign = {
    .name = "schedule assign",
    .arguments = "LOG",
    .summary = "Give the jobs of a log workloads, drawn from a table",
    .doc = "Each job gets model, dataset, batchsize, amp, speed, gpu_util, gmem_util, "
           "gmem and sharescore of a row of the table, in place of its own. Rows are "
           "drawn with replacement by their weight (1 if there is none), among those "
           "for the job's GPU class: 1, 2, 3 to 4, 5 to 8, or more GPUs. A row is for "
           "the class of its gpu_num; without one it is for all. The same seed gives "
           "the same file.\n\n"
           "share/jobs/workloads.csv is such a table; its rows are invented.",
    .examples = "  spotsim schedule assign jobs.csv --workloads workloads.csv \\\n"
                "      -o assigned.csv\n",
    .options = options,
    .arguments_bytes = sizeof(arguments_t),
    .initial = &initial,
    .check = check,
    .run = run,
};
