/* SPDX-License-Identifier: GPL-3.0-or-later */
/* spotsim serve gen and fit: query logs, drawn from a law and described by one. */
#include <string.h>

#include "base/csv.h"
#include "base/verb/table.h"
#include "base/verb/verb.h"
#include "base/watch.h"
#include "sim/bench/engine/scenario_file.h"
#include "traces/queries/arrivals.h"

/* ---- spotsim serve gen ---- */

typedef struct {
    const char *scenario_path;
    const char *deltas_path;
    int64_t seed;
    int64_t replication;
    spot_option_list_t sets;
} gen_arguments_t;

static const gen_arguments_t gen_initial = {.seed = 1};

#undef SPOT_OPTIONS_OF
#define SPOT_OPTIONS_OF gen_arguments_t

static const spot_option_t gen_options[] = {
    SPOT_OPTION(ARGUMENT, "a scenario file", 0, "SCENARIO", scenario_path, NULL, .min = 1),
    SPOT_OPTION_OUTPUT(deltas_path, NULL),
    SPOT_OPTION_SEED(seed),
    SPOT_OPTION(COUNT, "replication", 0, "R", replication,
        "Which replication of the seed to draw (default 0)"),
    SPOT_OPTION(TEXTS, "set", 0, "KEY=VALUE", sets,
        "Set a key of the scenario; may be given several times"),
    SPOT_OPTION_END,
};

/* A kind of arrivals. */
static const char *kind(size_t j, const char **name)
{
    *name = spot_arrivals_fields[j].name;
    return spot_arrivals_fields[j].help;
}

/* Binds the key arrivals alone: the rest of the scenario may not be written yet. */
static int read_setting(spot_call_t *call, spot_arrivals_setting_t *setting)
{
    const gen_arguments_t *arguments = call->arguments;
    const spot_scenario_changes_t changes = {
        .num_sets = arguments->sets.num_texts, .sets = arguments->sets.texts};
    const char *path = arguments->scenario_path;
    spot_bind_t bind = {.diag = &call->diag};
    spot_yaml_t document;
    int ret = spot_scenario_read_document(&document, path, &changes, &call->diag);
    const spot_node_t *node = spot_node_get(document.root, "arrivals");

    if (ret == 0 && node == NULL) {
        ret = spot_diag_error(&call->diag, path, 0, 0, "missing key \"arrivals\"");
    }
    if (ret == 0) {
        spot_bind_map(&bind, spot_arrivals_fields, "arrivals", node, setting);
        ret = bind.is_out_of_memory ? SPOT_ERR_NO_MEMORY : spot_arrivals_open(setting, &bind, node);
        if (ret == 0 && call->diag.num_errors == 0) {
            ret = spot_arrivals_check_memory(setting, &call->diag, node, 0);
        }
        if (ret == 0 && call->diag.num_errors > 0) {
            ret = SPOT_ERR_BAD_INPUT;
        }
    }
    spot_yaml_free(&document);
    return ret;
}

static int write_deltas(spot_call_t *call, const spot_arrivals_t *arrivals, double scale)
{
    const gen_arguments_t *arguments = call->arguments;
    spot_output_t output;
    FILE *out = spot_output_bytes(&output, arguments->deltas_path, &call->diag);
    int ret = 0;

    for (size_t j = 0; ret == 0 && out != NULL && j + 1 < arrivals->num_queries; j++) {
        ret = spot_stop_is_due(j) ? SPOT_ERR_INTERRUPTED : 0;
        fprintf(out, "%.17g\n", arrivals->deltas_ms[j] * scale);
    }
    return spot_output_end(&output, ret);
}

static int gen_run(spot_call_t *call)
{
    const gen_arguments_t *arguments = call->arguments;
    spot_arrivals_setting_t setting = {0};
    spot_arrivals_t arrivals = {0};
    int ret = read_setting(call, &setting);

    if (ret == 0) {
        ret = spot_arrivals_draw(
            &arrivals, &setting, (uint64_t) arguments->seed, (uint64_t) arguments->replication);
        if (ret == SPOT_ERR_BAD_PARAM) {
            ret = spot_diag_error(
                &call->diag, arguments->scenario_path, 0, 0, "arrivals last longer than 2^62 ns");
        }
    }
    if (ret == 0) {
        call->is_reading = false;
        ret = write_deltas(
            call, &arrivals, setting.rescale_qps > 0 ? arrivals.base_qps / setting.rescale_qps : 1);
    }
    spot_arrivals_free(&arrivals);
    spot_arrivals_setting_free(&setting);
    return ret;
}

const spot_verb_t spot_verb_serve_gen = {
    .name = "serve gen",
    .arguments = "SCENARIO",
    .summary = "Write the times between the queries of a scenario",
    .doc = "Writes a line for each time between two queries, in ms, with all digits: a "
           "run with arrivals: {deltas: {file: FILE}} has the same queries to the "
           "nanosecond as the scenario itself. Of SCENARIO only the key arrivals must "
           "be there, with one of:",
    .examples = "  spotsim serve gen pipeline.yaml -o queries.gz\n"
                "  spotsim serve gen pipeline.yaml --set arrivals.gamma.scv=16 --seed 7 \\\n"
                "      -o bursts.txt\n",
    .options = gen_options,
    .item = kind,
    .arguments_bytes = sizeof(gen_arguments_t),
    .initial = &gen_initial,
    .run = gen_run,
};

/* ---- spotsim serve fit ---- */

typedef struct {
    const char *path;
    const char *csv_path;
    bool is_trace;
    spot_target_t target;
} fit_arguments_t;

#undef SPOT_OPTIONS_OF
#define SPOT_OPTIONS_OF fit_arguments_t

static const spot_option_t fit_options[] = {
    SPOT_OPTION(ARGUMENT, "a file of queries", 0, "FILE", path, NULL, .min = 1),
    SPOT_OPTION(FLAG, "trace", 0, NULL, is_trace,
        "FILE is CSV with a column time_s, time_ms or time_ns: times of queries, not "
        "times between them"),
    SPOT_OPTION_JSON(target.is_json, "Print the figures as one JSON object"),
    SPOT_OPTION(WRITTEN, "csv", 0, "FILE", csv_path,
        "Write the figures as CSV too; - is standard output, in place of the tables",
        .endings = ".csv"),
    SPOT_OPTION_OUTPUT(target.path, NULL),
    SPOT_OPTION_END,
};

/* The figures, a row each. num_digits of numbers; 0: all. */
static void fill_table(spot_table_t *table, const spot_arrivals_t *arrivals,
    const spot_arrivals_fit_t *fit, int num_digits)
{
    const spot_table_column_t columns[] = {
        {.name = "figure", .kind = SPOT_TABLE_TEXT}, {.name = "value", .num_digits = num_digits}};
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"rate_qps", arrivals->rate_qps}, {"mean_ms", arrivals->mean_ms},
        {"cv", arrivals->cv}, {"scv", fit->scv}, {"zero_share", fit->zero_share}};

    spot_table_add_columns(table, 2, columns);
    spot_table_add_row(table);
    spot_table_add_text(table, "queries");
    spot_table_add_count(table, (int64_t) arrivals->num_queries);
    spot_table_add_row(table);
    spot_table_add_text(table, "last_ns");
    spot_table_add_count(table, arrivals->source_ns[arrivals->num_queries - 1]);
    for (size_t j = 0; j < sizeof(numbers) / sizeof(numbers[0]); j++) {
        spot_table_add_row(table);
        spot_table_add_text(table, numbers[j].name);
        spot_table_add_number(table, numbers[j].value);
    }
    for (size_t j = 0; j < fit->num_windows; j++) {
        spot_table_add_row(table);
        spot_table_add_format(table, "most_in_%lld_ms", (long long) fit->window_ns[j] / 1000000);
        spot_table_add_count(table, (int64_t) fit->most_queries[j]);
    }
}

static void write_json(const spot_arrivals_t *arrivals, const spot_arrivals_fit_t *fit, FILE *out)
{
    spot_json_t json;

    spot_json_init(&json, out, 2);
    spot_json_open(&json, NULL, '{');
    spot_json_unsigned(&json, "queries", arrivals->num_queries);
    spot_json_integer(&json, "last_ns", arrivals->source_ns[arrivals->num_queries - 1]);
    spot_json_number(&json, "rate_qps", arrivals->rate_qps);
    spot_json_number(&json, "mean_ms", arrivals->mean_ms);
    spot_json_number(&json, "cv", arrivals->cv);
    spot_json_number(&json, "scv", fit->scv);
    spot_json_number(&json, "zero_share", fit->zero_share);
    spot_json_open(&json, "envelope", '[');
    for (size_t j = 0; j < fit->num_windows; j++) {
        spot_json_open(&json, NULL, '{');
        spot_json_integer(&json, "window_ns", fit->window_ns[j]);
        spot_json_unsigned(&json, "queries", fit->most_queries[j]);
        spot_json_close(&json, '}');
    }
    spot_json_close(&json, ']');
    spot_json_close(&json, '}');
    fputc('\n', out);
}

static int write_csv(
    spot_call_t *call, const spot_arrivals_t *arrivals, const spot_arrivals_fit_t *fit)
{
    const fit_arguments_t *arguments = call->arguments;
    spot_table_t table = {0};
    spot_output_t output;
    FILE *out = spot_output_bytes(&output, arguments->csv_path, &call->diag);
    int ret = 0;

    if (out != NULL) {
        fill_table(&table, arrivals, fit, 0);
        ret = spot_table_write_csv(&table, out);
    }
    spot_table_free(&table);
    return spot_output_end(&output, ret);
}

static int answer(
    spot_call_t *call, const spot_arrivals_t *arrivals, const spot_arrivals_fit_t *fit)
{
    const fit_arguments_t *arguments = call->arguments;
    const char *csv_path = arguments->csv_path;
    spot_table_t table = {0};
    spot_output_t output;
    FILE *out;
    int ret = csv_path == NULL ? 0 : write_csv(call, arrivals, fit);

    if (ret != 0 || (csv_path != NULL && strcmp(csv_path, "-") == 0)) {
        return ret;
    }
    out = spot_output_begin(&output, &arguments->target, &call->diag);
    if (out != NULL && arguments->target.is_json) {
        write_json(arrivals, fit, out);
    } else if (out != NULL) {
        fill_table(&table, arrivals, fit, 8);
        ret = spot_output_put_table(&table, &output.terminal, out);
    }
    spot_table_free(&table);
    return spot_output_end(&output, ret);
}

static int fit_run(spot_call_t *call)
{
    const fit_arguments_t *arguments = call->arguments;
    const int begins = arguments->is_trace ? 1 : spot_csv_begins(arguments->path, "time_");
    const bool is_trace = begins == 1;
    spot_arrivals_setting_t setting = {
        .kind = is_trace ? SPOT_ARRIVALS_TRACE : SPOT_ARRIVALS_DELTAS};
    spot_arrivals_t arrivals = {0};
    spot_arrivals_fit_t fit;
    int ret = begins < 0 ? begins
                         : (is_trace ? spot_query_trace_read : spot_query_deltas_read)(
                               &setting, arguments->path, 0, &call->diag);

    ret = ret == 0 ? spot_arrivals_draw(&arrivals, &setting, 0, 0) : ret;
    if (ret == SPOT_ERR_BAD_PARAM) {
        ret = spot_diag_error(
            &call->diag, arguments->path, 0, 0, "arrivals last longer than 2^62 ns");
    }
    if (ret == 0) {
        call->is_reading = false;
        spot_arrivals_fit(&fit, &arrivals);
        ret = answer(call, &arrivals, &fit);
    }
    spot_arrivals_free(&arrivals);
    spot_arrivals_setting_free(&setting);
    return ret;
}

const spot_verb_t spot_verb_serve_fit = {
    .name = "serve fit",
    .arguments = "FILE",
    .summary = "Print what arrivals are like: rate, spread, and the most at once",
    .doc = "FILE has a line for each time between two queries, in ms, plain or packed; a "
           "CSV file that begins with a column such as time_s has times of queries. "
           "The figures are of whole nanoseconds: cv is the standard deviation of the "
           "times between queries over their mean, scv its square (1: Poisson), "
           "zero_share the share of them that is 0. most_in_4_ms is the most queries "
           "within any 4 ms, from one of them on.",
    .examples = "  spotsim serve fit queries.gz\n"
                "  spotsim serve fit requests.csv --trace --json\n",
    .options = fit_options,
    .arguments_bytes = sizeof(fit_arguments_t),
    .run = fit_run,
};
