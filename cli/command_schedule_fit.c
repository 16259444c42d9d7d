/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"
#include "traces/jobs/job_law_fit.h"

typedef struct {
    const char *log_path;
    const char *vcs_path; /* NULL: the VCs of the log */
    const char *law_path;
} arguments_t;

static const spot_option_t options[] = {
    SPOT_OPTION(ARGUMENT, "a job log", 0, "LOG", log_path, NULL, .min = 1),
    SPOT_OPTION(INPUT, "vcs", 0, "FILE", vcs_path,
        "Only jobs of the VCs in this file (default: all VCs of the log)"),
    SPOT_OPTION_OUTPUT(law_path, ".yaml or .yml"),
    SPOT_OPTION_END,
};

static int
fit(spot_call_t *call, const spot_job_log_t *log, const spot_vc_list_t *vcs)
{
    const arguments_t *arguments = call->arguments;
    spot_output_t output;
    FILE *out;
    int ret = 0;

    call->is_reading = false;
    out = spot_output_bytes(&output, arguments->law_path, &call->diag);
    if (out != NULL) {
        ret = spot_job_law_fit(log, vcs, arguments->log_path, out, &call->diag);
    }
    return spot_output_end(&output, ret);
}

static int
run(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;
    spot_vc_list_t vcs = {0};
    spot_job_log_t log = {0};
    const spot_job_log_request_t request = {.log = arguments->log_path,
        .vcs = &vcs,
        .adds_vcs = arguments->vcs_path == NULL};
    int ret = 0;

    if (arguments->vcs_path != NULL) {
        ret = spot_vc_list_read(&vcs, arguments->vcs_path, true, &call->diag);
    }
    ret = ret == 0 ? spot_job_log_read(&log, &request, &call->diag) : ret;
    ret = ret == 0 ? fit(call, &log, &vcs) : ret;
    spot_job_log_free(&log);
    spot_vc_list_free(&vcs);
    return ret;
}

const spot_command_t spot_command_schedule_fit = {
    .name = "schedule fit",
    .arguments = "LOG",
    .summary = "Fit laws of jobs to a job log, for 'schedule generate'",
    .doc =
        "Writes YAML with comments on what it rests on: arrivals by hour (from 2 days "
        "on) and weekday (from 2 weeks on), sizes by VC, and durations by size, each "
        "the best law by AIC among those that keep the mean, on which the load of a "
        "cluster depends. What jobs have in common beyond that is lost: bursts of one "
        "user, jobs that were submitted again, users with their own sizes.",
    .examples = "  spotsim schedule fit jobs.csv -o laws.yaml\n"
                "  spotsim schedule generate laws.yaml --seed 7 -o synthetic.csv\n",
    .options = options,
    .arguments_bytes = sizeof(arguments_t),
    .run = run,
};
