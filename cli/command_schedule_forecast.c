/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"
#include "cli/schedule_log.h"
#include "cli/schedule_tables.h"
#include "models/additive_model.h"
#include "models/job_forecast.h"

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
} arguments_t;

static const arguments_t initial = {.seed = 1};

static const spot_option_t options[] = {
    SPOT_OPTION(
        ARGUMENT, "a table of submitted jobs and GPUs", 0, "TABLE", table_path, NULL, .min = 1),
    SPOT_OPTION(WRITTEN, "output", 'o', "PRED.csv", forecast_path,
        "Write the forecasts, a row for every 10 minutes; - is standard output, instead "
        "of the errors",
        .endings = ".csv"),
    SPOT_OPTION(FLAG, "log", 0, NULL, is_log, "TABLE is a job log, whose submits are counted"),
    SPOT_OPTION(OWN, "clock-zero", 0, "DATE", clock_zero_s,
        "The date and time of second 0, UTC, of a log that has seconds",
        .example = "\"2020-04-01 00:00:00\"", .settle = spot_schedule_take_date),
    SPOT_OPTION(OWN, "choose-from", 0, "DATE", choose_s,
        "Choose settings of the model on what is submitted from then on (default: the "
        "last month but one)",
        .example = "\"2020-08-01 00:00:00\"", .settle = spot_schedule_take_date),
    SPOT_OPTION(OWN, "evaluate-from", 0, "DATE", evaluate_s,
        "Learn from what is submitted before, and forecast from then on (default: the "
        "last month)",
        .example = "\"2020-09-01 00:00:00\"", .settle = spot_schedule_take_date),
    SPOT_OPTION(INPUT, "model", 0, "FILE", model_path,
        "Forecast all rows, or those from --evaluate-from on, with the models of this "
        "file, and learn nothing",
        .endings = ".csv or .gz"),
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

/* ---- Input ---- */

static int count_log(spot_call_t *call, spot_throughput_t *throughput)
{
    const arguments_t *arguments = call->arguments;
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
    const arguments_t *arguments = call->arguments;
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
    const arguments_t *arguments = call->arguments;
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
    const arguments_t *arguments = call->arguments;
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

/* ---- Output ---- */

static void write_forecast(const void *what, FILE *out)
{
    const forecasted_t *self = what;

    spot_throughput_forecast_write(self->forecasts, &self->throughput, self->split.evaluate, out);
}

static void write_models(const void *what, FILE *out)
{
    const forecasted_t *self = what;

    spot_additive_write_header(out);
    for (int series = 0; series < SPOT_THROUGHPUT_SERIES; series++) {
        spot_additive_write(&self->forecasts[series].model, spot_throughput_targets[series], out);
    }
}

static void fill_errors(spot_table_t *table, const forecasted_t *self)
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
                spot_additive_importance_of(&forecasts[series].model, spot_throughput_features[j]);
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
    const arguments_t *arguments = call->arguments;
    spot_table_t tables[] = {{.name = "errors"}, {.name = "importance"}};

    fill_errors(&tables[0], self);
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
    return spot_schedule_results(
        call, &arguments->target, arguments->forecast_path, write_forecast, self, 2, tables);
}

/* ---- The command ---- */

static int forecast_all(spot_call_t *call, forecasted_t *self)
{
    const arguments_t *arguments = call->arguments;
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
        ret = spot_schedule_write(call, arguments->new_model_path, write_models, self);
    }
    return ret == 0 ? print(call, self) : ret;
}

static int run(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;
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

const spot_command_t spot_command_schedule_forecast = {
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
    .options = options,
    .arguments_bytes = sizeof(arguments_t),
    .initial = &initial,
    .run = run,
};
