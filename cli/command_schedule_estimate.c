/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/csv.h"
#include "base/memory.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/schedule_log.h"
#include "cli/schedule_tables.h"
#include "models/additive_model.h"
#include "models/job_forecast.h"
#include "sim/schedule/estimates.h"

typedef struct {
    const char *log_path;
    const char *workload_path;
    const char *vcs_path;
    const char *estimates_path;
    const char *model_path;
    int method; /* spot_duration_method_t */
    double sigma;
    int64_t seed;
    int64_t from_ms;
    int64_t clock_zero_s;
    spot_target_t target;
} arguments_t;

static const arguments_t initial = {.method = SPOT_DURATION_RUNNING_MEAN, .sigma = 1, .seed = 1};

static const spot_option_t options[] = {
    SPOT_OPTION(ARGUMENT, "a job log", 0, "LOG", log_path, NULL, .min = 1),
    SPOT_OPTION(WRITTEN, "output", 'o', "EST.csv", estimates_path,
        "Write job_id and est, in seconds; - is standard output, instead of the errors",
        .endings = ".csv"),
    SPOT_OPTION(CHOICE, "method", 0, "oracle|noisy|running-mean|gam", method,
        "How durations are estimated (default: running-mean)", .choices = spot_duration_methods),
    SPOT_OPTION(INPUT, "workload", 0, "FILE", workload_path,
        "More columns of the jobs, joined on job_id", .endings = ".csv or .gz"),
    SPOT_OPTION_VCS(vcs_path),
    SPOT_OPTION(NUMBER, "sigma", 0, "X", sigma,
        "Standard deviation of the logarithm of the noise (default 1)", .max = 10),
    SPOT_OPTION(DURATION, "from", 0, "DURATION", from_ms,
        "Leave out of the errors the jobs that are submitted before, counted from the "
        "first submit",
        .example = "\"7 d\""),
    SPOT_OPTION(OWN, "clock-zero", 0, "DATE", clock_zero_s,
        "The date and time of second 0, UTC, if the log has seconds: gam learns from "
        "the hour and the weekday",
        .example = "\"2020-04-01 00:00:00\"", .settle = spot_schedule_take_date),
    SPOT_OPTION(WRITTEN, "model", 0, "FILE", model_path,
        "Write the latest additive model of gam: its scores by user, GPUs, hour, ...",
        .endings = ".csv"),
    SPOT_OPTION_SEED(seed),
    SPOT_OPTION_JSON(target.is_json, "Print the errors as one JSON object"),
    SPOT_OPTION_END,
};

static void check(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;

    spot_usage_refuse(call, arguments->model_path != NULL && arguments->method != SPOT_DURATION_GAM,
        "--model needs --method gam");
}

/* The jobs of the log; all arrays are [num_jobs]. */
typedef struct {
    spot_schedule_log_t input;
    spot_arena_t arena;
    spot_duration_job_t *jobs;
    double *durations_s, *estimates_s;
    const char **vcs; /* [num_vcs] names */
} estimated_t;

static int read_jobs(spot_call_t *call, estimated_t *self)
{
    const arguments_t *arguments = call->arguments;
    const spot_schedule_log_t *input = &self->input;
    spot_job_log_request_t request = {
        .log = arguments->log_path, .workload = arguments->workload_path};
    int ret = spot_schedule_log_read(&self->input, arguments->vcs_path, &request, &call->diag);

    SPOT_ARENA_ARRAY(&self->arena, self->jobs, input->log.num_jobs);
    SPOT_ARENA_ARRAY(&self->arena, self->durations_s, input->log.num_jobs);
    SPOT_ARENA_ARRAY(&self->arena, self->estimates_s, input->log.num_jobs);
    SPOT_ARENA_ARRAY(&self->arena, self->vcs, input->vcs.num_vcs);
    ret = spot_error_first(ret, self->arena.error);
    for (size_t j = 0; j < input->log.num_jobs && ret == 0; j++) {
        spot_duration_job_of(&input->log, (int32_t) j, &self->jobs[j]);
        self->durations_s[j] = (double) self->jobs[j].duration_s;
    }
    for (size_t j = 0; j < input->vcs.num_vcs && ret == 0; j++) {
        self->vcs[j] = input->vcs.vcs[j].name;
    }
    return ret;
}

static void write_estimates(const void *what, FILE *out)
{
    const estimated_t *self = what;

    fputs("job_id,est\n", out);
    for (size_t j = 0; j < self->input.log.num_jobs; j++) {
        spot_csv_field_text(out, self->input.log.jobs[j].id);
        fprintf(out, ",%.0f\n", self->estimates_s[j]);
    }
}

static void write_model(const void *model, FILE *out)
{
    spot_additive_write_header(out);
    spot_additive_write(model, "log(1+duration)", out);
}

static int keep_model(spot_call_t *call, const spot_duration_learner_t *learner)
{
    const arguments_t *arguments = call->arguments;

    return learner->num_fits > 0
               ? spot_schedule_write(call, arguments->model_path, write_model, &learner->model)
               : spot_diag_error(&call->diag, arguments->log_path, 0, 0,
                     "no model: it is fitted a week after the first submit, to at least "
                     "%d jobs that have ended",
                     SPOT_DURATION_MIN_JOBS);
}

static int estimate(spot_call_t *call, const estimated_t *self)
{
    const arguments_t *arguments = call->arguments;
    const spot_job_log_t *log = &self->input.log;
    const spot_duration_request_t request = {.method = (spot_duration_method_t) arguments->method,
        .num_jobs = log->num_jobs,
        .jobs = self->jobs,
        .num_users = log->users.num_texts,
        .users = log->users.texts,
        .num_vcs = self->input.vcs.num_vcs,
        .vcs = self->vcs,
        .is_nominal = true,
        .clock_zero_s =
            log->clock_zero_s != SPOT_JOB_NO_CLOCK ? log->clock_zero_s : arguments->clock_zero_s,
        .sigma = arguments->sigma,
        .seed = (uint64_t) arguments->seed};
    spot_duration_learner_t learner;
    int ret = spot_duration_learner_init(&learner, &request);

    if (ret == 0) {
        ret = spot_duration_learner_estimate_all(&learner, self->estimates_s);
    }
    if (ret == 0 && arguments->model_path != NULL) {
        ret = keep_model(call, &learner);
    }
    spot_duration_learner_free(&learner);
    return ret;
}

static void fill_errors(spot_table_t *table, const arguments_t *arguments, const estimated_t *self)
{
    static const spot_table_column_t columns[] = {
        {.name = "method", .kind = SPOT_TABLE_TEXT, .is_key = true},
        {.name = "jobs"},
        {.name = "mae", .unit = "s", .is_fixed = true},
        {.name = "r2", .is_fixed = true, .num_decimals = 3},
        {.name = "rank_correlation", .is_fixed = true, .num_decimals = 3},
    };
    const spot_duration_job_t *jobs = self->jobs;
    const size_t num_jobs = self->input.log.num_jobs;
    spot_prediction_error_t error;
    size_t first = 0;

    while (first < num_jobs &&
           (jobs[first].submit_s - jobs[0].submit_s) * SPOT_MS_PER_S < arguments->from_ms) {
        first++;
    }
    table->error = spot_prediction_error(
        &error, num_jobs - first, self->estimates_s + first, self->durations_s + first);
    spot_table_add_columns(table, sizeof(columns) / sizeof(columns[0]), columns);
    spot_table_add_row(table);
    spot_table_add_text(table, spot_duration_methods[arguments->method]);
    spot_table_add_count(table, (int64_t) (num_jobs - first));
    spot_table_add_number(table, error.mean_absolute);
    spot_table_add_number(table, error.r2);
    spot_table_add_number(table, error.rank_correlation);
}

static int run(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;
    spot_table_t errors = {.name = "errors"};
    estimated_t self = {.arena = {0}};
    int ret = read_jobs(call, &self);

    if (ret == 0) {
        call->is_reading = false;
        ret = estimate(call, &self);
    }
    if (ret == 0) {
        fill_errors(&errors, arguments, &self);
        ret = spot_schedule_results(call, &arguments->target, arguments->estimates_path,
            write_estimates, &self, 1, &errors);
    }
    spot_arena_free(&self.arena);
    spot_schedule_log_free(&self.input);
    return ret;
}

const spot_command_t spot_command_schedule_estimate = {
    .name = "schedule estimate",
    .arguments = "LOG",
    .summary = "Estimate the durations of jobs from jobs that have ended before",
    .doc = "Each job is estimated at its submit. A job counts as ended when its duration "
           "has passed since its submit. running-mean: the mean of the jobs with the "
           "same user, GPUs and model, else user and model, user and GPUs, user, all; "
           "1000 s without history. gam: an additive model of log(1 + duration) from "
           "user, VC, GPUs, CPUs, hour, weekday and how the workload uses a GPU, fitted "
           "again every week; the running mean before. noisy: the true duration times a "
           "lognormal factor. A scenario takes the estimates by jobs.estimates: {file: "
           "EST.csv, column: est}; it can also learn itself, from the jobs that have "
           "ended in the simulation (estimator: running-mean).",
    .examples = "  spotsim schedule estimate jobs.csv --workload workload.csv -o est.csv\n"
                "  spotsim schedule estimate jobs.csv --method gam --from \"7 d\" \\\n"
                "      --model durations.csv\n",
    .options = options,
    .arguments_bytes = sizeof(arguments_t),
    .initial = &initial,
    .check = check,
    .run = run,
};
