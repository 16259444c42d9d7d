/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "cli/command.h"
#include "cli/schedule_log.h"

typedef struct {
    const char *log_path;
    const char *workload_path;
    const char *vcs_path;
    const char *csv_path;
    int64_t gpus_per_node;
    int short_rule; /* spot_short_rule_t */
    bool is_strict;
    spot_target_t target;
} arguments_t;

static const arguments_t initial = {.gpus_per_node = 8};

static const spot_option_t options[] = {
    SPOT_OPTION(ARGUMENT, "a job log", 0, "LOG", log_path, NULL, .min = 1),
    SPOT_OPTION(INPUT, "workload", 0, "FILE", workload_path,
        "More columns of the jobs, joined on job_id", .endings = ".csv or .gz"),
    SPOT_OPTION_VCS(vcs_path),
    SPOT_OPTION_GPUS_PER_NODE(gpus_per_node),
    SPOT_OPTION_SHORT(short_rule),
    SPOT_OPTION_STRICT(is_strict),
    SPOT_OPTION_JSON(target.is_json, "Print the coverage as one JSON object"),
    SPOT_OPTION(WRITTEN, "csv", 0, "FILE", csv_path,
        "Write the coverage as CSV too; - is standard output, in place of the table",
        .endings = ".csv"),
    SPOT_OPTION_OUTPUT(target.path, NULL),
    SPOT_OPTION_END,
};

static void check(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;

    spot_usage_refuse(call, arguments->is_strict && arguments->vcs_path == NULL,
        "--strict needs the VCs of the cluster: --vcs FILE");
}

static int answer(spot_call_t *call, spot_schedule_log_t *input)
{
    const arguments_t *arguments = call->arguments;
    const char *csv_path = arguments->csv_path;
    spot_coverage_t coverage;
    spot_output_t output;
    FILE *out;
    int ret = spot_schedule_log_cover(input, arguments->gpus_per_node, &coverage);

    call->is_reading = false;
    if (ret == 0 && csv_path != NULL) {
        ret = spot_schedule_coverage_write(call, &coverage, csv_path);
    }
    if (ret != 0 || (csv_path != NULL && strcmp(csv_path, "-") == 0)) {
        return ret;
    }
    out = spot_output_begin(&output, &arguments->target, &call->diag);
    if (out != NULL) {
        ret = arguments->target.is_json
                  ? spot_coverage_write_json(&coverage, out)
                  : spot_coverage_write_text(&coverage, &output.terminal, out);
    }
    return spot_output_end(&output, ret);
}

static int run(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;
    spot_job_log_request_t request = {.log = arguments->log_path,
        .workload = arguments->workload_path,
        .is_strict = arguments->is_strict,
        .short_rule = (spot_short_rule_t) arguments->short_rule};
    spot_schedule_log_t input = {0};
    int ret = spot_schedule_log_read(&input, arguments->vcs_path, &request, &call->diag);

    ret = ret == 0 ? answer(call, &input) : ret;
    spot_schedule_log_free(&input);
    return ret;
}

const spot_command_t spot_command_schedule_check = {
    .name = "schedule check",
    .arguments = "LOG",
    .summary = "Check a job log, and print what it holds by VC",
    .doc = "LOG is a CSV file, plain or gzip, - is standard input. Its columns, in any "
           "order: job_id, vc, gpu_num, submit_time (seconds on the clock, or "
           "YYYY-MM-DD hh:mm:ss, which counts from the first submit), duration "
           "(seconds). Optional: user, jobname, cpu_num, state; model, dataset, "
           "batchsize, amp, speed, gpu_util, gmem_util, gmem, sharescore (to pack "
           "jobs); min_gpus, max_gpus, scaling (4:1.0 8:1.8, or a CSV file with the "
           "columns size,throughput), ckpt_interval_s, ckpt_write_s, restart_s, "
           "reconfig_s, trainer (core:NAME). All errors are listed, with their "
           "lines.\n\n"
           "The load is the GPU time that the jobs ask for, per GPU and second between "
           "the first submit and the last.",
    .examples = "  spotsim schedule check jobs.csv --vcs vcs.csv\n"
                "  spotsim schedule check jobs.csv.gz --short drop --json\n",
    .options = options,
    .arguments_bytes = sizeof(arguments_t),
    .initial = &initial,
    .check = check,
    .run = run,
};
