/* SPDX-License-Identifier: GPL-3.0-or-later */
/* spotsim schedule estimate, forecast, pack-train: what is learned from a job log. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/csv.h"
#include "base/datetime.h"
#include "base/memory.h"
#include "base/units.h"
#include "base/verb/verb.h"
#include "models/additive_model.h"
#include "models/colocation.h"
#include "models/job_forecast.h"
#include "sim/schedule/estimates.h"
#include "sim/schedule/log_verbs.h"

/* ---- spotsim schedule estimate ---- */

/* Settles an option of int64_t, a date and time YYYY-MM-DD hh:mm:ss, as seconds since
 * 1970 UTC, or ends the program with a usage error. */
static void take_date(spot_call_t *call, const spot_option_t *option, const char *text)
{
    int64_t time_s = 0;
    bool is_date = false;

    if (spot_clock_parse(text, &time_s, &is_date) != 0 || !is_date) {
        spot_usage_error(call,
            "--%s: expected a date and time such as \"2020-04-01 00:00:00\", got \"%s\"",
            option->name, text);
    }
    memcpy((char *) call->arguments + option->offset, &time_s, sizeof(time_s));
}

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
} estimate_arguments_t;

static const estimate_arguments_t estimate_initial = {
    .method = SPOT_DURATION_RUNNING_MEAN, .sigma = 1, .seed = 1};

#undef SPOT_OPTIONS_OF
#define SPOT_OPTIONS_OF estimate_arguments_t

static const spot_option_t estimate_options[] = {
    SPOT_OPTION(ARGUMENT, "a job log", 0, "LOG", log_path, NULL, .min = 1),
    SPOT_OPTION(WRITTEN, "output", 'o', "EST.csv", estimates_path,
        "Write job_id and est, in seconds; - is standard output, instead of the errors",
        .endings = ".csv"),
    SPOT_OPTION(CHOICE, "method", 0, "oracle|noisy|running-mean|gam", method,
        "How durations are estimated (default: running-mean)", .choices = spot_duration_methods),
    SPOT_OPTION(INPUT, "workload", 0, "FILE", workload_path,
        "More columns of the jobs, joined on job_id", .endings = ".csv or .gz or .xz or .zst"),
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
        .example = "\"2020-04-01 00:00:00\"", .settle = take_date),
    SPOT_OPTION(WRITTEN, "model", 0, "FILE", model_path,
        "Write the latest additive model of gam: its scores by user, GPUs, hour, ...",
        .endings = ".csv"),
    SPOT_OPTION_SEED(seed),
    SPOT_OPTION_JSON(target.is_json, "Print the errors as one JSON object"),
    SPOT_OPTION_END,
};

static void estimate_check(spot_call_t *call)
{
    const estimate_arguments_t *arguments = call->arguments;

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
    const estimate_arguments_t *arguments = call->arguments;
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
    fputs(SPOT_ADDITIVE_HEADER, out);
    spot_additive_write(model, "log(1+duration)", out);
}

static int keep_model(spot_call_t *call, const spot_duration_learner_t *learner)
{
    const estimate_arguments_t *arguments = call->arguments;

    return learner->num_fits > 0
               ? spot_output_write(&call->diag, arguments->model_path, write_model, &learner->model)
               : spot_diag_error(&call->diag, arguments->log_path, 0, 0,
                     "no model: it is fitted a week after the first submit, to at least "
                     "%d jobs that have ended",
                     SPOT_DURATION_MIN_JOBS);
}

static int estimate(spot_call_t *call, const estimated_t *self)
{
    const estimate_arguments_t *arguments = call->arguments;
    const spot_job_log_t *log = &self->input.log;
    const spot_duration_request_t request = {.method = (spot_duration_method_t) arguments->method,
        .num_jobs = log->num_jobs,
        .jobs = self->jobs,
        .num_users = log->users.num_names,
        .users = (const char *const *) log->users.names,
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

static void fill_errors(
    spot_table_t *table, const estimate_arguments_t *arguments, const estimated_t *self)
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

static int estimate_run(spot_call_t *call)
{
    const estimate_arguments_t *arguments = call->arguments;
    spot_table_t errors = {.name = "errors"};
    estimated_t self = {.arena = {0}};
    int ret = read_jobs(call, &self);

    if (ret == 0) {
        call->is_reading = false;
        ret = estimate(call, &self);
    }
    if (ret == 0) {
        fill_errors(&errors, arguments, &self);
        ret = spot_output_tables(&call->diag, &arguments->target, arguments->estimates_path,
            write_estimates, &self, 1, &errors);
    }
    spot_arena_free(&self.arena);
    spot_schedule_log_free(&self.input);
    return ret;
}

const spot_verb_t spot_verb_schedule_estimate = {
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
    .options = estimate_options,
    .arguments_bytes = sizeof(estimate_arguments_t),
    .initial = &estimate_initial,
    .check = estimate_check,
    .run = estimate_run,
};

/* ---- spotsim schedule forecast ---- */

typedef struct {
    const char *table_path;
    bool is_log;
    int64_t clock_zero_s;
    int64_t choose_s, evaluate_s; /* 0: not given */
    int64_t seed;
    const char *forecast_path;
    const char *model_path;
    const char *new_model_path;
    spot_target_t target;
} forecast_arguments_t;

static const forecast_arguments_t forecast_initial = {.seed = 1};

#undef SPOT_OPTIONS_OF
#define SPOT_OPTIONS_OF forecast_arguments_t

static const spot_option_t forecast_options[] = {
    SPOT_OPTION(
        ARGUMENT, "a table of submitted jobs and GPUs", 0, "TABLE", table_path, NULL, .min = 1),
    SPOT_OPTION(WRITTEN, "output", 'o', "PRED.csv", forecast_path,
        "Write the forecasts, a row for every 10 minutes; - is standard output, instead "
        "of the errors",
        .endings = ".csv"),
    SPOT_OPTION(FLAG, "log", 0, NULL, is_log, "TABLE is a job log, whose submits are counted"),
    SPOT_OPTION(OWN, "clock-zero", 0, "DATE", clock_zero_s,
        "The date and time of second 0, UTC, of a log that has seconds",
        .example = "\"2020-04-01 00:00:00\"", .settle = take_date),
    SPOT_OPTION(OWN, "choose-from", 0, "DATE", choose_s,
        "Choose settings of the model on what is submitted from then on (default: the "
        "last month but one)",
        .example = "\"2020-08-01 00:00:00\"", .settle = take_date),
    SPOT_OPTION(OWN, "evaluate-from", 0, "DATE", evaluate_s,
        "Learn from what is submitted before, and forecast from then on (default: the "
        "last month)",
        .example = "\"2020-09-01 00:00:00\"", .settle = take_date),
    SPOT_OPTION(INPUT, "model", 0, "FILE", model_path,
        "Forecast all rows, or those from --evaluate-from on, with the models of this "
        "file, and learn nothing",
        .endings = ".csv or .gz or .xz or .zst"),
    SPOT_OPTION(WRITTEN, "save-model", 0, "FILE", new_model_path,
        "Write the models: the scores of their features", .endings = ".csv"),
    SPOT_OPTION_SEED(seed),
    SPOT_OPTION_JSON(target.is_json, "Print errors and importances as one JSON object"),
    SPOT_OPTION_END,
};

typedef struct {
    spot_throughput_t throughput;
    spot_throughput_split_t split;
    spot_throughput_forecast_t forecasts[SPOT_THROUGHPUT_SERIES];
} forecasted_t;

/* ---- Input of forecast ---- */

static int count_log(spot_call_t *call, spot_throughput_t *throughput)
{
    const forecast_arguments_t *arguments = call->arguments;
    spot_job_log_request_t request = {.log = arguments->table_path};
    spot_schedule_log_t input = {0};
    int ret = spot_schedule_log_read(&input, NULL, &request, &call->diag);
    const int64_t zero_s = input.log.clock_zero_s == SPOT_JOB_NO_CLOCK ? arguments->clock_zero_s
                                                                       : input.log.clock_zero_s;

    for (size_t j = 0; j < input.log.num_jobs && ret == 0; j++) {
        const spot_job_row_t *job = &input.log.jobs[j];
        const int64_t time_s = zero_s + job->submit_s;

        if (j == 0) {
            throughput->start_s = time_s - time_s % 60; /* as a scenario starts */
        }
        ret = spot_throughput_add(throughput, time_s, job->gpu_num);
    }
    spot_schedule_log_free(&input);
    return ret;
}

static int read_models(spot_call_t *call, spot_throughput_forecast_t *forecasts)
{
    const forecast_arguments_t *arguments = call->arguments;
    spot_additive_model_t models[SPOT_THROUGHPUT_SERIES];
    const int ret = spot_additive_read(models, SPOT_THROUGHPUT_SERIES, spot_throughput_targets,
        arguments->model_path, &call->diag);

    for (int series = 0; series < SPOT_THROUGHPUT_SERIES; series++) {
        forecasts[series].model = models[series];
    }
    return ret;
}

/* The bin that begins at a time, or an error. */
static int find_bin(spot_call_t *call, const spot_throughput_t *throughput, const char *option,
    int64_t time_s, size_t *bin)
{
    const forecast_arguments_t *arguments = call->arguments;
    const int64_t offset_s = time_s - throughput->start_s;

    if (time_s == 0) {
        return 0;
    }
    if (offset_s <= 0 || offset_s % SPOT_THROUGHPUT_BIN_S != 0 ||
        offset_s / SPOT_THROUGHPUT_BIN_S >= (int64_t) throughput->num_bins) {
        return spot_diag_error(&call->diag, arguments->table_path, 0, 0,
            "--%s: no row begins at this time, or only the first one", option);
    }
    *bin = (size_t) (offset_s / SPOT_THROUGHPUT_BIN_S);
    return 0;
}

static int split(spot_call_t *call, forecasted_t *self)
{
    const forecast_arguments_t *arguments = call->arguments;
    const spot_throughput_t *throughput = &self->throughput;
    spot_throughput_split_t *result = &self->split;
    int ret;

    result->seed = (uint64_t) arguments->seed;
    if (!spot_throughput_split(result, throughput)) {
        return spot_diag_error(
            &call->diag, arguments->table_path, 0, 0, "too few rows to learn from");
    }
    ret = find_bin(call, throughput, "evaluate-from", arguments->evaluate_s, &result->evaluate);
    ret = ret == 0 ? find_bin(call, throughput, "choose-from", arguments->choose_s, &result->choose)
                   : ret;
    if (ret == 0 && arguments->evaluate_s > 0 && arguments->choose_s == 0) {
        result->choose = result->evaluate - (result->evaluate + 4) / 5;
    }
    if (arguments->model_path != NULL) { /* nothing is learned */
        result->evaluate = arguments->evaluate_s == 0 ? 0 : result->evaluate;
        return ret;
    }
    if (ret == 0 && (result->choose == 0 || result->choose >= result->evaluate)) {
        ret = spot_diag_error(&call->diag, arguments->table_path, 0, 0,
            "the time to choose settings on must begin before that of the forecast");
    }
    return ret;
}

/* ---- Output of forecast ---- */

/* Writes the bins from first on as a CSV file: time, submitted jobs and GPUs, and the
 * forecasts of the models. forecasts: [SPOT_THROUGHPUT_SERIES]. */
static void throughput_forecast_write(const spot_throughput_forecast_t *forecasts,
    const spot_throughput_t *throughput, size_t first, FILE *out)
{
    fputs("time,submit_gpu_job,submit_gpu_num,pred_gpu_job,pred_gpu_num\n", out);
    for (size_t bin = first; bin < throughput->num_bins; bin++) {
        const time_t time_s =
            (time_t) (throughput->start_s + (int64_t) bin * SPOT_THROUGHPUT_BIN_S);
        const double *values = throughput->bins[bin].values;
        char text[32] = "";
        struct tm date;

        if (gmtime_r(&time_s, &date) != NULL) {
            strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &date);
        }
        fprintf(out, "%s,%.10g,%.10g,%.6f,%.6f\n", text, values[0], values[1],
            forecasts[0].forecasts[SPOT_FORECAST_MODEL][bin - first],
            forecasts[1].forecasts[SPOT_FORECAST_MODEL][bin - first]);
    }
}

static void write_forecast(const void *what, FILE *out)
{
    const forecasted_t *self = what;

    throughput_forecast_write(self->forecasts, &self->throughput, self->split.evaluate, out);
}

static void write_models(const void *what, FILE *out)
{
    const forecasted_t *self = what;

    fputs(SPOT_ADDITIVE_HEADER, out);
    for (int series = 0; series < SPOT_THROUGHPUT_SERIES; series++) {
        spot_additive_write(&self->forecasts[series].model, spot_throughput_targets[series], out);
    }
}

static void fill_forecast_errors(spot_table_t *table, const forecasted_t *self)
{
    static const spot_table_column_t columns[] = {
        {.name = "series", .kind = SPOT_TABLE_TEXT, .is_key = true},
        {.name = "forecast", .kind = SPOT_TABLE_TEXT, .is_key = true},
        {.name = "mae", .is_fixed = true, .num_decimals = 3},
        {.name = "r2", .is_fixed = true, .num_decimals = 3},
    };
    const size_t num_bins = self->throughput.num_bins - self->split.evaluate;

    spot_table_add_columns(table, sizeof(columns) / sizeof(columns[0]), columns);
    for (int series = 0; series < SPOT_THROUGHPUT_SERIES; series++) {
        const spot_throughput_forecast_t *forecast = &self->forecasts[series];

        for (size_t method = 0; method < SPOT_FORECAST_METHODS; method++) {
            spot_prediction_error_t error;

            table->error = spot_error_first(
                table->error, spot_prediction_error(&error, num_bins, forecast->forecasts[method],
                                  forecast->targets + self->split.evaluate));
            spot_table_add_row(table);
            spot_table_add_text(table, spot_throughput_targets[series]);
            spot_table_add_text(table, spot_forecast_methods[method]);
            spot_table_add_number(table, error.mean_absolute);
            spot_table_add_number(table, error.r2);
        }
    }
}

/* The importance of a feature by its name; 0: the model lacks it. */
static double additive_importance_of(const spot_additive_model_t *self, const char *name)
{
    for (size_t j = 0; j < self->num_features; j++) {
        if (strcmp(self->features[j].name, name) == 0) {
            return spot_additive_importance(&self->features[j]);
        }
    }
    return 0;
}

/* The features of the models, the most important one for jobs first. */
static void fill_importance(spot_table_t *table, const spot_throughput_forecast_t *forecasts)
{
    static const spot_table_column_t columns[] = {
        {.name = "feature", .kind = SPOT_TABLE_TEXT, .is_key = true},
        {.name = "jobs", .is_fixed = true, .num_decimals = 3},
        {.name = "gpus", .is_fixed = true, .num_decimals = 3},
    };
    double importance[SPOT_THROUGHPUT_SERIES][SPOT_THROUGHPUT_FEATURES];

    spot_table_add_columns(table, sizeof(columns) / sizeof(columns[0]), columns);
    for (size_t j = 0; j < SPOT_THROUGHPUT_FEATURES; j++) {
        for (int series = 0; series < SPOT_THROUGHPUT_SERIES; series++) {
            importance[series][j] =
                additive_importance_of(&forecasts[series].model, spot_throughput_features[j]);
        }
    }
    for (size_t row = 0; row < SPOT_THROUGHPUT_FEATURES; row++) {
        size_t best = 0;

        for (size_t j = 1; j < SPOT_THROUGHPUT_FEATURES; j++) {
            best = importance[0][j] > importance[0][best] ? j : best;
        }
        spot_table_add_row(table);
        spot_table_add_text(table, spot_throughput_features[best]);
        for (int series = 0; series < SPOT_THROUGHPUT_SERIES; series++) {
            spot_table_add_number(table, importance[series][best]);
        }
        importance[0][best] = -1;
    }
}

static int print(spot_call_t *call, const forecasted_t *self)
{
    const forecast_arguments_t *arguments = call->arguments;
    spot_table_t tables[] = {{.name = "errors"}, {.name = "importance"}};

    fill_forecast_errors(&tables[0], self);
    fill_importance(&tables[1], self->forecasts);
    for (int series = 0; series < SPOT_THROUGHPUT_SERIES && arguments->model_path == NULL;
         series++) {
        const spot_throughput_forecast_t *forecast = &self->forecasts[series];

        spot_table_add_note(&tables[0], "",
            spot_texts_add(&call->texts, "The model of %s has %s loss%s.",
                spot_throughput_targets[series], spot_loss_names[forecast->loss],
                forecast->has_dates ? "" : " and does not see the date"));
    }
    spot_table_add_note(&tables[1], "", "Importance: the mean of |score| over the rows.");
    return spot_output_tables(
        &call->diag, &arguments->target, arguments->forecast_path, write_forecast, self, 2, tables);
}

/* ---- The run of forecast ---- */

static int forecast_all(spot_call_t *call, forecasted_t *self)
{
    const forecast_arguments_t *arguments = call->arguments;
    int ret = split(call, self);

    for (int series = 0; series < SPOT_THROUGHPUT_SERIES && ret == 0; series++) {
        ret = spot_throughput_forecast(
            &self->forecasts[series], &self->throughput, series, &self->split);
        if (ret == SPOT_ERR_BAD_INPUT) {
            spot_diag_error(&call->diag, arguments->model_path, 0, 0,
                "the model of %s has a feature that is not known", spot_throughput_targets[series]);
        }
    }
    call->is_reading = ret != 0;
    if (ret == 0 && arguments->new_model_path != NULL) {
        ret = spot_output_write(&call->diag, arguments->new_model_path, write_models, self);
    }
    return ret == 0 ? print(call, self) : ret;
}

static int forecast_run(spot_call_t *call)
{
    const forecast_arguments_t *arguments = call->arguments;
    forecasted_t self = {.throughput = {0}};
    int ret = arguments->is_log
                  ? count_log(call, &self.throughput)
                  : spot_throughput_read(&self.throughput, arguments->table_path, &call->diag);

    if (ret == 0 && arguments->model_path != NULL) {
        ret = read_models(call, self.forecasts);
    }
    ret = ret == 0 ? forecast_all(call, &self) : ret;
    for (int series = 0; series < SPOT_THROUGHPUT_SERIES; series++) {
        spot_throughput_forecast_free(&self.forecasts[series]);
    }
    spot_throughput_free(&self.throughput);
    return ret;
}

const spot_verb_t spot_verb_schedule_forecast = {
    .name = "schedule forecast",
    .arguments = "TABLE",
    .summary = "Forecast the jobs and GPUs that are submitted, one hour ahead",
    .doc = "TABLE is a CSV file with the columns time, submit_gpu_job and "
           "submit_gpu_num, a row for every 10 minutes, or with --log a job log. An "
           "additive model learns each series from the calendar and from both series 1, "
           "3 and 24 hours before. Its loss, and whether it sees the date, are chosen "
           "on a time of their own, before the time that is forecast; the errors are "
           "those of the latter. A scenario of Lucid takes the forecast by "
           "lucid.packing: {switch: forecast, forecast: PRED.csv}; its first row is "
           "that of the scenario's cluster.start. The rows of a log begin at its first "
           "submit, rounded down to a minute, as a scenario does by default.",
    .examples = "  spotsim schedule forecast throughput.csv -o forecast.csv\n"
                "  spotsim schedule forecast --log jobs.csv --save-model model.csv\n",
    .options = forecast_options,
    .arguments_bytes = sizeof(forecast_arguments_t),
    .initial = &forecast_initial,
    .run = forecast_run,
};

/* ---- spotsim schedule pack-train ---- */

typedef struct {
    const char *table_path;
    const char *colocation_path;
    const char *labels_path;
    int64_t depth;
    spot_target_t target;
} pack_train_arguments_t;

static const pack_train_arguments_t pack_train_initial = {.depth = 2};

#undef SPOT_OPTIONS_OF
#define SPOT_OPTIONS_OF pack_train_arguments_t

static const spot_option_t pack_train_options[] = {
    SPOT_OPTION(ARGUMENT, "a table of workloads", 0, "TABLE", table_path, NULL, .min = 1),
    SPOT_OPTION(INPUT, "colocation", 0, "FILE", colocation_path,
        "Find labels from this co-location table too, and learn them where TABLE has "
        "none",
        .endings = ".csv or .gz or .xz or .zst"),
    SPOT_OPTION(
        COUNT, "depth", 0, "N", depth, "Depth of the tree (default 2)", .max = SPOT_TREE_MAX_DEPTH),
    SPOT_OPTION(WRITTEN, "output", 'o', "LABELS.csv", labels_path,
        "Write the workloads with their labels; - is standard output, instead of the "
        "rules",
        .endings = ".csv"),
    SPOT_OPTION_JSON(target.is_json, "Print rules and accuracies as one JSON object"),
    SPOT_OPTION_END,
};

static void add_accuracy(spot_table_t *table, const char *name, size_t num_right, size_t num_labels)
{
    spot_table_add_row(table);
    spot_table_add_text(table, name);
    spot_table_add_count(table, (int64_t) num_right);
    spot_table_add_count(table, (int64_t) num_labels);
    spot_table_add_number(table, (double) num_right / (double) num_labels);
}

static const char *const packing_features[] = {"amp", "gpu_util", "gmem_util", "gmem"};

/* Writes the rule that leads to a leaf: "gmem_util <= 30.5, gpu_util > 25". */
static void packing_rule_write(const spot_packing_labels_t *self, size_t leaf_id, FILE *out)
{
    const spot_tree_node_t *nodes = self->tree.nodes;
    const spot_tree_node_t *node = nodes;

    while (node->feature_id >= 0) {
        const int side = (int32_t) leaf_id >= node->children[1];

        fprintf(out, "%s%s %s %.10g", node == nodes ? "" : ", ", packing_features[node->feature_id],
            side == 0 ? "<=" : ">", node->threshold);
        node = &nodes[node->children[side]];
    }
    if (node == nodes) {
        fputs("any", out);
    }
}

/* The rules that lead to the leaves, and how many labels they find. Returns the number
 * that all of them find. */
static size_t fill_rules(spot_table_t *table, const spot_packing_labels_t *labels)
{
    static const spot_table_column_t columns[] = {
        {.name = "rule", .kind = SPOT_TABLE_TEXT, .is_key = true},
        {.name = "label"},
        {.name = "right"},
        {.name = "of"},
    };
    size_t num_right = 0;

    spot_table_add_columns(table, sizeof(columns) / sizeof(columns[0]), columns);
    for (size_t j = 0; j < labels->tree.num_nodes; j++) {
        const spot_tree_node_t *node = &labels->tree.nodes[j];
        FILE *rule;

        if (node->feature_id >= 0) {
            continue;
        }
        spot_table_add_row(table);
        rule = spot_table_begin_text(table);
        if (rule != NULL) {
            packing_rule_write(labels, j, rule);
        }
        spot_table_end_cell(table, rule);
        spot_table_add_count(table, node->label);
        spot_table_add_count(table, (int64_t) node->num_right);
        spot_table_add_count(table, (int64_t) node->num_rows);
        num_right += node->num_right;
    }
    return num_right;
}

static void fill_accuracy(
    spot_table_t *table, const spot_packing_labels_t *labels, size_t num_right, bool has_pairs)
{
    static const spot_table_column_t columns[] = {
        {.name = "labels", .kind = SPOT_TABLE_TEXT, .is_key = true},
        {.name = "right"},
        {.name = "of"},
        {.name = "share", .is_fixed = true, .num_decimals = 3},
    };
    const bool is_given = labels->num_labels > 0;
    const size_t num_learned = is_given ? labels->num_labels : labels->num_workloads;

    spot_table_add_columns(table, sizeof(columns) / sizeof(columns[0]), columns);
    add_accuracy(table, "of the tree", num_right, num_learned);
    add_accuracy(table, "left out, one by one", labels->num_left_out, num_learned);
    if (is_given && has_pairs) {
        add_accuracy(table, "from co-location", labels->num_automatic, num_learned);
    }
}

/* Writes the workloads as a CSV file: the columns of a job log, sharescore being the
 * predicted label, then label and automatic, empty where there is none. */
static void packing_labels_write(const spot_packing_labels_t *self, FILE *out)
{
    fputs("model,dataset,batchsize,amp,speed,gpu_util,gmem_util,gmem,sharescore,label,"
          "automatic\n",
        out);
    for (size_t j = 0; j < self->num_workloads; j++) {
        const spot_packing_workload_t *workload = &self->workloads[j];
        const int32_t labels[] = {workload->predicted, workload->label, workload->automatic};

        spot_csv_field_text(out, workload->model);
        fputc(',', out);
        spot_csv_field_text(out, workload->dataset);
        fprintf(out, ",%d,%d", workload->batch_size, workload->amp);
        spot_csv_field_number(out, workload->speed_per_s);
        for (size_t k = SPOT_PACKING_GPU_UTIL; k < SPOT_PACKING_FEATURES; k++) {
            spot_csv_field_number(out, workload->features[k]);
        }
        for (size_t k = 0; k < sizeof(labels) / sizeof(labels[0]); k++) {
            spot_csv_field_number(out, labels[k] < 0 ? (double) NAN : labels[k]);
        }
        fputc('\n', out);
    }
}

static void write_labels(const void *labels, FILE *out)
{
    packing_labels_write(labels, out);
}

static int pack_train_run(spot_call_t *call)
{
    const pack_train_arguments_t *arguments = call->arguments;
    spot_table_t tables[] = {{.name = "rules"}, {.name = "accuracy"}};
    spot_packing_labels_t labels;
    int ret = spot_packing_labels_train(&labels, arguments->table_path, arguments->colocation_path,
        (int) arguments->depth, &call->diag);

    if (ret == 0) {
        call->is_reading = false;
        fill_accuracy(&tables[1], &labels, fill_rules(&tables[0], &labels),
            arguments->colocation_path != NULL);
        ret = spot_output_tables(&call->diag, &arguments->target, arguments->labels_path,
            write_labels, &labels, 2, tables);
    }
    spot_packing_labels_free(&labels);
    return ret;
}

const spot_verb_t spot_verb_schedule_pack_train = {
    .name = "schedule pack-train",
    .arguments = "TABLE",
    .summary = "Learn which workloads can share GPUs: 0 tiny, 1 medium, 2 jumbo",
    .doc = "TABLE is a CSV file with the columns model, dataset, batchsize, amp, "
           "gpu_util, gmem_util, gmem and, optional, speed and label. A tree (CART, "
           "index of Gini) learns the labels from amp, gpu_util, gmem_util and gmem. "
           "The labels that are written as sharescore are those of the tree; of a "
           "workload with a label, those of a tree that was fitted to the others.\n\n"
           "With a co-location table the mean speed of a workload beside others gives a "
           "label too: 2 below 0.85 or without a measured pair, 1 below 0.95, else 0.",
    .examples = "  spotsim schedule pack-train workloads.csv --depth 2 -o labels.csv\n"
                "  spotsim schedule pack-train workloads.csv --colocation pairs.csv\n",
    .options = pack_train_options,
    .arguments_bytes = sizeof(pack_train_arguments_t),
    .initial = &pack_train_initial,
    .run = pack_train_run,
};
