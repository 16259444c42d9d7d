/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/datetime.h"
#include "cli/command.h"
#include "cli/schedule_log.h"
#include "traces/jobs/job_file.h"
#include "traces/jobs/job_law.h"

typedef struct {
    const char *log_path;
    const char *vcs_path; /* NULL: the VCs of the log */
    const char *law_path;
    const char *start; /* NULL: unknown, unless the log has dates */
    int64_t clock_zero_s;
    int short_rule;
} arguments_t;

static void settle_start(spot_call_t *call, const spot_option_t *option, const char *text)
{
    arguments_t *arguments = call->arguments;
    bool is_date;

    (void) option;
    if (spot_clock_parse(text, &arguments->clock_zero_s, &is_date) != 0 || !is_date) {
        spot_usage_error(call, "--start: expected YYYY-MM-DD hh:mm:ss, got \"%s\"", text);
    }
}

static const spot_option_t options[] = {
    SPOT_OPTION(ARGUMENT, "a job log", 0, "LOG", log_path, NULL, .min = 1),
    SPOT_OPTION_VCS(vcs_path),
    SPOT_OPTION_SHORT(short_rule),
    SPOT_OPTION(TEXT, "start", 0, "DATE", start,
        "Date of second 0 of a log in seconds (default: 0 h of a Monday)",
        .example = "\"2024-05-06 08:00:00\"", .settle = settle_start),
    SPOT_OPTION_OUTPUT(law_path, ".yaml or .yml"),
    SPOT_OPTION_END,
};

static int fit(spot_call_t *call, const spot_schedule_log_t *input)
{
    const arguments_t *arguments = call->arguments;
    spot_output_t output;
    FILE *out;
    int ret = 0;

    call->is_reading = false;
    out = spot_output_bytes(&output, arguments->law_path, &call->diag);
    if (out != NULL) {
        ret = spot_job_law_fit(&input->log, &input->vcs, arguments->log_path, out, &call->diag);
    }
    return spot_output_end(&output, ret);
}

static int run(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;
    spot_job_log_request_t request = {
        .log = arguments->log_path, .short_rule = (spot_short_rule_t) arguments->short_rule};
    spot_schedule_log_t input = {.rows = NULL};
    int ret = spot_schedule_log_read(&input, arguments->vcs_path, &request, &call->diag);

    if (ret == 0 && arguments->start != NULL) {
        if (input.log.clock_zero_s == SPOT_JOB_NO_CLOCK) {
            input.log.clock_zero_s = arguments->clock_zero_s;
        } else {
            ret = spot_diag_error(&call->diag, arguments->log_path, 0, 0,
                "the log has dates: --start is for times in seconds");
        }
    }
    ret = ret == 0 ? fit(call, &input) : ret;
    spot_schedule_log_free(&input);
    return ret;
}

const spot_command_t spot_command_schedule_fit = {
    .name = "schedule fit",
    .arguments = "LOG",
    .summary = "Fit laws of jobs to a job log, for 'schedule generate'",
    .doc = "Writes YAML with comments on what it rests on: arrivals by hour (from 2 days "
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
