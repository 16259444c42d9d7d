/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "cli/serve_call.h"
#include "models/loader/measured.h"
#include "reports/loader_pictures.h"
#include "reports/table/table_terminal.h"

typedef struct {
    const char *root, *dataset, *mode;
    int64_t batch, processes;
    const char *csv_path, *svg_folder;
    bool is_corrected;
    spot_target_t target;
} arguments_t;

static const arguments_t initial = {.batch = 512, .processes = 8};

static const spot_option_t options[] = {
    SPOT_OPTION(ARGUMENT, "a folder of runs", 0, "ROOT", root, NULL, .min = 1),
    SPOT_OPTION(
        TEXT, "dataset", 0, "NAME", dataset, "Data set (default: the only one that is there)"),
    SPOT_OPTION(TEXT, "mode", 0, "NAME", mode,
        "Where the data were, such as remote (default: the only one that is there)"),
    SPOT_OPTION(COUNT, "batch", 0, "N", batch, "Samples of a batch (default 512)", .min = 1,
        .max = 1000000000),
    SPOT_OPTION(COUNT, "processes", 0, "N", processes, "Processes of the loader (default 8)",
        .min = 1, .max = 4096),
    SPOT_OPTION_JSON(target.is_json, "Print runs, means and improvements as JSON"),
    SPOT_OPTION(WRITTEN, "csv", 0, "FILE", csv_path,
        "Write the means as CSV too; - is standard output, in place of the table",
        .endings = ".csv"),
    SPOT_OPTION(FLAG, "corrected", 0, NULL, is_corrected, "Corrected columns in the CSV too"),
    SPOT_OPTION(PICTURES, "svg", 0, "DIR", svg_folder,
        "Draw throughput, waits and what searches measured into this folder"),
    SPOT_OPTION_OUTPUT(target.path, NULL),
    SPOT_OPTION_END,
};

/* ---- Figures ---- */

typedef enum {
    PUBLISHED,
    CORRECTED,
    FLAG,       /* corrected; of a run true or false, of means "KEY_count" */
    OF_RUN,     /* corrected, without a mean */
    IMPROVEMENT /* of means of ours */
} kind_t;

typedef struct {
    const char *key;
    kind_t kind;
    size_t offset;    /* in spot_measured_figures_t, spot_improvement_t */
    const char *unit; /* NULL: programs alone read it */
    int num_decimals;
    double factor; /* from the figure to its unit */
} figure_t;

#define AT(member) offsetof(spot_measured_figures_t, member)
#define GAIN_AT(member) offsetof(spot_improvement_t, member)
#define FIGURE(key, kind, member) key, kind, AT(member), NULL, 0, 1
#define GAIN(key, member) key, IMPROVEMENT, GAIN_AT(member), NULL, 0, 1

/* All, as columns of CSV: the published table ends with the improvement, and the means
 * of the corrected one before what runs alone have. */
static const figure_t figures[] = {{FIGURE("threadpool_size", PUBLISHED, threads)},
    {FIGURE("block_size", PUBLISHED, block)}, {FIGURE("io_time", PUBLISHED, io_s)},
    {FIGURE("processing_time", PUBLISHED, processing_s)}, {FIGURE("load_time", PUBLISHED, load_s)},
    {FIGURE("compute_time", PUBLISHED, compute_s)},
    {FIGURE("completion_time", PUBLISHED, completion_s)}, {FIGURE("memory", PUBLISHED, memory_mib)},
    {FIGURE("throughput", PUBLISHED, throughput)}, {FIGURE("num_batches", PUBLISHED, num_batches)},
    {GAIN("percent", percent)}, {FIGURE("samples", CORRECTED, samples)},
    {FIGURE("io_entries", CORRECTED, io_entries)}, {FIGURE("merged", FLAG, is_merged)},
    {FIGURE("block_size", CORRECTED, true_block)},
    {FIGURE("io_per_sample", CORRECTED, io_per_sample_s)},
    {FIGURE("decode_per_sample", CORRECTED, decode_per_sample_s)},
    {FIGURE("future_wait_per_sample", CORRECTED, future_wait_per_sample_s)},
    {FIGURE("worker_time_per_sample", CORRECTED, worker_per_sample_s)},
    {FIGURE("fill", CORRECTED, fill_s)}, {FIGURE("steady_load", CORRECTED, steady_load_s)},
    {FIGURE("steady_completion", CORRECTED, steady_completion_s)},
    {FIGURE("steady_throughput", CORRECTED, steady_throughput)},
    {FIGURE("stall_share", CORRECTED, stall_share)}, {FIGURE("stalled", FLAG, is_stalled)},
    {FIGURE("periodic_flag", FLAG, is_periodic)}, {GAIN("percent_of_means", percent_of_means)},
    {GAIN("percent_steady", percent_steady)}, {GAIN("welch_t", welch_t)},
    {GAIN("welch_df", welch_df)}, {GAIN("welch_p", welch_p)}, {GAIN("merged_runs", merged_runs)},
    {FIGURE("periodic_lag", OF_RUN, periodic_lag)}};
#define NUM_FIGURES (sizeof(figures) / sizeof(figures[0]))
#define NUM_PUBLISHED 11

/* What people see: the figures that decide, with what corrects them beside. */
static const figure_t shown[] = {
    {"threads", PUBLISHED, AT(threads), "", 2, 1},
    {"block", PUBLISHED, AT(block), "", 2, 1},
    {"load", PUBLISHED, AT(load_s), "s", 4, 1},
    {"steady load", CORRECTED, AT(steady_load_s), "s", 4, 1},
    {"completion", PUBLISHED, AT(completion_s), "s", 4, 1},
    {"throughput", PUBLISHED, AT(throughput), "samples/s", 2, 1},
    {"stall", CORRECTED, AT(stall_share), "%", 1, 100},
    {"memory", PUBLISHED, AT(memory_mib), "MiB", 0, 1},
    {"improvement", IMPROVEMENT, GAIN_AT(percent), "%", 2, 1},
    {"p", IMPROVEMENT, GAIN_AT(welch_p), "", 4, 1},
};

/* of: the struct that the figure is in. */
static double value_of(const figure_t *self, const void *of)
{
    double value;

    memcpy(&value, (const char *) of + self->offset, sizeof(value));
    return value;
}

/* ---- Text and CSV ---- */

static void add_columns(spot_table_t *table, size_t num, const figure_t *columns, bool is_csv)
{
    static const char *const prefixes[] = {[PUBLISHED] = "",
        [CORRECTED] = "corrected_",
        [FLAG] = "corrected_",
        [IMPROVEMENT] = "improvement_"};
    const spot_table_column_t keys[] = {
        {.name = "kind", .kind = SPOT_TABLE_TEXT, .is_key = true},
        {.name = is_csv ? "sim_compute_time" : "sim", .unit = "s", .is_key = true},
        {.name = "runs"},
    };

    spot_table_add_columns(table, 3, keys);
    for (size_t j = 0; j < num; j++) {
        const figure_t *figure = &columns[j];
        char name[64];

        snprintf(name, sizeof(name), "%s%s%s", is_csv ? prefixes[figure->kind] : "", figure->key,
            figure->kind == FLAG ? "_count" : "");
        spot_table_add_column(table,
            (spot_table_column_t){.name = name,
                .unit = figure->unit,
                .is_fixed = true,
                .num_decimals = figure->num_decimals,
                .has_sign =
                    !is_csv && figure->offset == GAIN_AT(percent) && figure->kind == IMPROVEMENT,
                .factor = figure->factor});
    }
}

/* CSV has six decimals, as the published table. */
static void fill_table(spot_table_t *table, const spot_measured_runs_t *measured, size_t num,
    const figure_t *columns, bool is_csv)
{
    add_columns(table, num, columns, is_csv);
    for (size_t j = 0; j < measured->num_rows; j++) {
        const spot_measured_row_t *row = &measured->rows[j];
        char sim[SPOT_NUMBER_TEXT_BYTES];

        spot_number_text(row->sim_s, sim);
        spot_table_add_row(table);
        spot_table_add_text(table, spot_measured_kind_names[row->kind]);
        /* With a point, as published. */
        spot_table_add_format(table, "%s%s", sim, strpbrk(sim, ".e") == NULL ? ".0" : "");
        spot_table_add_count(table, (int64_t) row->num_runs);
        for (size_t k = 0; k < num; k++) {
            const bool is_gain = columns[k].kind == IMPROVEMENT;
            const double value =
                value_of(&columns[k], is_gain ? (const void *) &row->improvement : &row->mean);

            if ((is_gain && row->base == NULL) || (is_csv && !isfinite(value))) {
                spot_table_add_empty(table);
            } else if (is_csv) {
                spot_table_add_format(table, "%.6f", value);
            } else {
                spot_table_add_number(table, value);
            }
        }
    }
}

/* ---- JSON ---- */

/* Of a run, means, or an improvement, into an object of that key; NULL: the open one. */
static void put_part(
    spot_json_t *json, const char *object, const void *of, kind_t part, bool is_run)
{
    if (object != NULL) {
        spot_json_open(json, object, '{');
    }
    for (size_t j = 0; j < NUM_FIGURES; j++) {
        const figure_t *figure = &figures[j];
        const bool is_flag = figure->kind == FLAG;
        const double value = value_of(figure, of);
        char key[64];

        snprintf(key, sizeof(key), "%s%s", figure->key, is_flag && !is_run ? "_count" : "");
        if ((is_flag || (figure->kind == OF_RUN && is_run) ? CORRECTED : figure->kind) != part) {
            continue;
        }
        if (is_flag && is_run && !isnan(value)) {
            spot_json_boolean(json, key, value != 0);
        } else {
            spot_json_number(json, key, value);
        }
    }
    if (object != NULL) {
        spot_json_close(json, '}');
    }
}

static void put_run(spot_json_t *json, const spot_measured_run_t *run)
{
    spot_json_open(json, NULL, '{');
    spot_json_number(json, "sim_compute_time", run->sim_s);
    put_part(json, "notebook", &run->figures, PUBLISHED, true);
    put_part(json, "corrected", &run->figures, CORRECTED, true);
    spot_json_open(json, "warnings", '[');
    for (size_t j = 0; j < run->num_warnings; j++) {
        spot_json_text(json, NULL, run->warnings[j]);
    }
    spot_json_close(json, ']');
    spot_json_text(json, "kind", spot_measured_kind_names[run->kind]);
    spot_json_integer(json, "run", run->run);
    spot_json_close(json, '}');
}

/* By kind, run, sim. */
static void put_runs(spot_json_t *json, const spot_measured_runs_t *measured)
{
    spot_json_open(json, "runs", '[');
    for (int at = 0; at < SPOT_NUM_KINDS * (SPOT_MEASURED_MAX_RUN + 1); at++) {
        for (size_t j = 0; j < measured->num_runs; j++) {
            const spot_measured_run_t *run = &measured->runs[j];

            if ((int) run->kind * (SPOT_MEASURED_MAX_RUN + 1) + run->run == at) {
                put_run(json, run);
            }
        }
    }
    spot_json_close(json, ']');
}

/* The rows of a kind. */
static void put_rows(spot_json_t *json, const char *key, const spot_measured_runs_t *measured,
    spot_measured_kind_t kind, kind_t part)
{
    spot_json_open(json, key, '[');
    for (size_t j = 0; j < measured->num_rows; j++) {
        const spot_measured_row_t *row = &measured->rows[j];

        if (row->kind != kind || (part == IMPROVEMENT && row->base == NULL)) {
            continue;
        }
        spot_json_open(json, NULL, '{');
        spot_json_number(json, "sim_compute_time", row->sim_s);
        if (part == IMPROVEMENT) {
            put_part(json, NULL, &row->improvement, part, false);
        } else {
            spot_json_unsigned(json, "runs", row->num_runs);
            put_part(json, NULL, &row->mean, part, false);
        }
        if (part == PUBLISHED) {
            spot_json_number(json, "throughput_of_means", row->throughput_of_means);
        }
        spot_json_close(json, '}');
    }
    spot_json_close(json, ']');
}

static void write_json(const spot_measured_runs_t *measured, FILE *out)
{
    spot_json_t json;

    spot_json_init(&json, out, 1);
    spot_json_open(&json, NULL, '{');
    spot_json_text(&json, "dataset", measured->dataset);
    spot_json_text(&json, "mode", measured->mode);
    spot_json_integer(&json, "batch", measured->batch);
    spot_json_integer(&json, "loader_processes", measured->processes);
    put_runs(&json, measured);
    for (kind_t part = PUBLISHED; part <= CORRECTED; part++) {
        spot_json_open(&json, part == PUBLISHED ? "table" : "table_corrected", '{');
        for (spot_measured_kind_t kind = 0; kind < SPOT_NUM_KINDS; kind++) {
            put_rows(&json, spot_measured_kind_names[kind], measured, kind, part);
        }
        spot_json_close(&json, '}');
    }
    put_rows(&json, "improvement", measured, SPOT_KIND_OURS, IMPROVEMENT);
    spot_json_close(&json, '}');
    fputc('\n', out);
}

/* ---- The command ---- */

static int write_csv(spot_call_t *call, const spot_measured_runs_t *measured)
{
    const arguments_t *arguments = call->arguments;
    spot_table_t table = {0};
    int ret;

    fill_table(
        &table, measured, arguments->is_corrected ? NUM_FIGURES - 1 : NUM_PUBLISHED, figures, true);
    ret = spot_serve_write_csv(call, arguments->csv_path, &table);
    spot_table_free(&table);
    return ret;
}

static int print(spot_call_t *call, const spot_measured_runs_t *measured)
{
    const arguments_t *arguments = call->arguments;
    spot_table_t table = {0};
    spot_output_t output;
    FILE *out = spot_output_begin(&output, &arguments->target, &call->diag);
    int ret = 0;

    if (out != NULL && arguments->target.is_json) {
        write_json(measured, out);
    } else if (out != NULL) {
        fill_table(&table, measured, sizeof(shown) / sizeof(shown[0]), shown, false);
        ret = spot_table_write_terminal(&table, &output.terminal, out);
    }
    spot_table_free(&table);
    return spot_output_end(&output, ret);
}

static int run(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;
    spot_measured_runs_t measured;
    int ret = spot_measured_runs_read(&measured, arguments->root, arguments->dataset,
        arguments->mode, arguments->batch, arguments->processes, &call->diag);

    if (ret == 0) {
        call->is_reading = false;
        ret = arguments->svg_folder == NULL
                  ? 0
                  : spot_loader_pictures_draw(&measured, arguments->svg_folder, &call->diag);
    }
    if (ret == 0 && arguments->csv_path != NULL) {
        ret = write_csv(call, &measured);
    }
    if (ret == 0 && (arguments->csv_path == NULL || strcmp(arguments->csv_path, "-") != 0)) {
        ret = print(call, &measured);
    }
    spot_measured_runs_free(&measured);
    return ret;
}

const spot_command_t spot_command_input_table = {
    .name = "input table",
    .arguments = "ROOT",
    .summary = "Print measured loading times, as published and corrected",
    .doc = "ROOT has folders KIND/DATASET/run<R>/MODE/sim_compute_time=<S> with the arrays "
           "data_load_time, compute_time, io_time, processing_time and memory as .npy. "
           "Kinds are baseline1, a file for each sample, and ours, samples merged into "
           "blocks. The table shows what decides; --csv --corrected and --json have all "
           "figures. The first wait fills the pipeline, so it is not in the steady ones; "
           "processing does not contain io, so io is not taken from decoding; and a run "
           "with one io entry for each sample was not merged, whatever its settings say. "
           "The improvement of throughput has the p of Welch's test over runs. A run is "
           "stalled if it waits more than 5 % of the steady time; periodic is the "
           "published test, which finds a period and not a stall.",
    .examples = "  spotsim input table runs --dataset librispeech --mode remote\n"
                "  spotsim input table runs --csv - --corrected\n",
    .options = options,
    .arguments_bytes = sizeof(arguments_t),
    .initial = &initial,
    .run = run,
};
