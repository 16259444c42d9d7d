/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "cli/command.h"
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
    SPOT_OPTION(TEXT, "dataset", 0, "NAME", dataset,
        "Data set (default: the only one that is there)"),
    SPOT_OPTION(TEXT, "mode", 0, "NAME", mode,
        "Where the data were, such as remote (default: the only one that is there)"),
    SPOT_OPTION(COUNT, "batch", 0, "N", batch, "Samples of a batch (default 512)",
        .min = 1, .max = 1000000000),
    SPOT_OPTION(COUNT, "processes", 0, "N", processes,
        "Processes of the loader (default 8)", .min = 1, .max = 4096),
    SPOT_OPTION_JSON(target.is_json, "Print runs, means and improvements as JSON"),
    SPOT_OPTION(WRITTEN, "csv", 0, "FILE", csv_path,
        "Write the means as CSV too; - is standard output, in place of the table",
        .endings = ".csv"),
    SPOT_OPTION(
        FLAG, "corrected", 0, NULL, is_corrected, "Corrected columns in the CSV too"),
    SPOT_OPTION(PICTURES, "svg", 0, "DIR", svg_folder,
        "Draw throughput, waits and what searches measured into this folder"),
    SPOT_OPTION_OUTPUT(target.path, NULL),
    SPOT_OPTION_END,
};

/* ---- Figures ---- */

typedef enum {
    PUBLISHED,
    CORRECTED,
    FLAG,  /* corrected; of a run true or false, of means "KEY_count" */
    OF_RUN /* corrected, without a mean */
} kind_t;

typedef struct {
    const char *key;
    kind_t kind;
    size_t offset;    /* in spot_measured_figures_t */
    const char *name; /* for people; NULL: programs alone see it */
    const char *unit;
    int num_decimals;
    double factor; /* from the figure to its unit; 0: 1 */
} figure_t;

/* What is published and what corrects it stand side by side. */
#define AT(member) offsetof(spot_measured_figures_t, member)
static const figure_t figures[] = {
    {"threadpool_size", PUBLISHED, AT(threads), "threads", "", 2, 1},
    {"block_size", PUBLISHED, AT(block), "block", "", 2, 1},
    {"samples", CORRECTED, AT(samples), NULL, "", 0, 1},
    {"io_entries", CORRECTED, AT(io_entries), NULL, "", 0, 1},
    {"merged", FLAG, AT(is_merged), "merged", "runs", 0, 1},
    {"block_size", CORRECTED, AT(true_block), "true block", "", 2, 1},
    {"io_time", PUBLISHED, AT(io_s), "io", "ms", 3, 1000},
    {"io_per_sample", CORRECTED, AT(io_per_sample_s), "io of a sample", "ms", 3, 1000},
    {"processing_time", PUBLISHED, AT(processing_s), "processing", "ms", 3, 1000},
    {"decode_per_sample", CORRECTED, AT(decode_per_sample_s), "decoding", "ms", 3, 1000},
    {"future_wait_per_sample", CORRECTED, AT(future_wait_per_sample_s),
        "wait for threads", "ms", 3, 1000},
    {"worker_time_per_sample", CORRECTED, AT(worker_per_sample_s), "time of a process",
        "ms", 3, 1000},
    {"fill", CORRECTED, AT(fill_s), "fill", "s", 3, 1},
    {"load_time", PUBLISHED, AT(load_s), "load", "s", 4, 1},
    {"steady_load", CORRECTED, AT(steady_load_s), "steady load", "s", 4, 1},
    {"compute_time", PUBLISHED, AT(compute_s), "compute", "s", 4, 1},
    {"completion_time", PUBLISHED, AT(completion_s), "completion", "s", 4, 1},
    {"steady_completion", CORRECTED, AT(steady_completion_s), "steady completion", "s",
        4, 1},
    {"memory", PUBLISHED, AT(memory_mib), "memory", "MiB", 0, 1},
    {"throughput", PUBLISHED, AT(throughput), "throughput", "samples/s", 2, 1},
    {"steady_throughput", CORRECTED, AT(steady_throughput), "steady throughput",
        "samples/s", 2, 1},
    {"num_batches", PUBLISHED, AT(num_batches), NULL, "", 0, 1},
    {"stall_share", CORRECTED, AT(stall_share), "stall", "%", 1, 100},
    {"stalled", FLAG, AT(is_stalled), "stalled", "runs", 0, 1},
    {"periodic_flag", FLAG, AT(is_periodic), "periodic", "runs", 0, 1},
    {"periodic_lag", OF_RUN, AT(periodic_lag), NULL, "", 0, 1},
};
#define NUM_FIGURES (sizeof(figures) / sizeof(figures[0]))

static double
value_of(const figure_t *self, const spot_measured_figures_t *of)
{
    double value;

    memcpy(&value, (const char *) of + self->offset, sizeof(value));
    return value;
}

/* ---- Text ---- */

static void
fill_table(spot_table_t *table, const spot_measured_t *measured)
{
    static const spot_table_column_t keys[] = {
        {.name = "kind", .kind = SPOT_TABLE_TEXT, .is_key = true},
        {.name = "sim", .unit = "s", .is_key = true},
        {.name = "runs"},
    };
    static const spot_table_column_t improvements[] = {
        {"improvement", "%", .is_fixed = true, .num_decimals = 2, .has_sign = true},
        {"p", .is_fixed = true, .num_decimals = 4},
        {"of steady", "%", .is_fixed = true, .num_decimals = 2, .has_sign = true},
    };

    spot_table_add_columns(table, 3, keys);
    for (size_t j = 0; j < NUM_FIGURES; j++) {
        if (figures[j].name != NULL) {
            spot_table_add_column(table, (spot_table_column_t){.name = figures[j].name,
                                             .unit = figures[j].unit,
                                             .is_fixed = true,
                                             .num_decimals = figures[j].num_decimals,
                                             .factor = figures[j].factor});
        }
    }
    spot_table_add_columns(table, 3, improvements);
    for (size_t j = 0; j < measured->num_rows; j++) {
        const spot_measured_row_t *row = &measured->rows[j];

        spot_table_add_row(table);
        spot_table_add_text(table, spot_measured_kind_names[row->kind]);
        spot_table_add_number(table, row->sim_s);
        spot_table_add_count(table, (int64_t) row->num_runs);
        for (size_t k = 0; k < NUM_FIGURES; k++) {
            if (figures[k].name != NULL) {
                spot_table_add_number(table, value_of(&figures[k], &row->mean));
            }
        }
        if (row->base != NULL) {
            spot_table_add_number(table, row->improvement.percent);
            spot_table_add_number(table, row->improvement.welch_p);
            spot_table_add_number(table, row->improvement.percent_steady);
        }
    }
}

/* ---- CSV and JSON ---- */

/* Six decimals and a point in every sim, as the published table has. */
static void
write_csv_number(double value, FILE *out)
{
    fprintf(out, isfinite(value) ? ",%.6f" : ",", value);
}

/* Of a row; NULL: of the names of columns. */
static void
write_csv_part(const spot_measured_row_t *row, bool is_corrected, FILE *out)
{
    for (size_t j = 0; j < NUM_FIGURES; j++) {
        const figure_t *figure = &figures[j];

        if (is_corrected != (figure->kind != PUBLISHED) || figure->kind == OF_RUN) {
            continue;
        }
        if (row != NULL) {
            write_csv_number(value_of(figure, &row->mean), out);
        } else {
            fprintf(out, ",%s%s%s", is_corrected ? "corrected_" : "", figure->key,
                figure->kind == FLAG ? "_count" : "");
        }
    }
}

static void
write_csv(const spot_measured_t *measured, bool is_corrected, FILE *out)
{
    char sim[SPOT_NUMBER_TEXT_BYTES];

    fputs("kind,sim_compute_time,runs", out);
    write_csv_part(NULL, false, out);
    fputs(",improvement_percent", out);
    if (is_corrected) {
        write_csv_part(NULL, true, out);
    }
    for (size_t j = 0; j < measured->num_rows; j++) {
        const spot_measured_row_t *row = &measured->rows[j];

        spot_number_text(row->sim_s, sim);
        fprintf(out, "\n%s,%s%s,%zu", spot_measured_kind_names[row->kind], sim,
            strpbrk(sim, ".e") == NULL ? ".0" : "", row->num_runs);
        write_csv_part(row, false, out);
        write_csv_number(
            row->base != NULL ? row->improvement.percent : (double) NAN, out);
        if (is_corrected) {
            write_csv_part(row, true, out);
        }
    }
    fputc('\n', out);
}

/* Of a run, or means of a row. */
static void
put_figures(
    spot_json_t *json, const spot_measured_figures_t *of, bool is_corrected, bool is_run)
{
    for (size_t j = 0; j < NUM_FIGURES; j++) {
        const figure_t *figure = &figures[j];
        const double value = value_of(figure, of);
        char key[64];

        if (is_corrected != (figure->kind != PUBLISHED) ||
            (figure->kind == OF_RUN && !is_run)) {
            continue;
        }
        snprintf(key, sizeof(key), "%s%s", figure->key,
            figure->kind == FLAG && !is_run ? "_count" : "");
        if (figure->kind == FLAG && is_run && !isnan(value)) {
            spot_json_boolean(json, key, value != 0);
        } else {
            spot_json_number(json, key, value);
        }
    }
}

static void
put_run(spot_json_t *json, const spot_measured_run_t *run)
{
    spot_json_open(json, NULL, '{');
    spot_json_number(json, "sim_compute_time", run->sim_s);
    spot_json_open(json, "notebook", '{');
    put_figures(json, &run->figures, false, true);
    spot_json_close(json, '}');
    spot_json_open(json, "corrected", '{');
    put_figures(json, &run->figures, true, true);
    spot_json_close(json, '}');
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
static void
put_runs(spot_json_t *json, const spot_measured_t *measured)
{
    for (int kind = 0; kind < SPOT_NUM_KINDS; kind++) {
        for (int number = 1; number <= SPOT_MEASURED_MAX_RUN; number++) {
            for (size_t j = 0; j < measured->num_runs; j++) {
                const spot_measured_run_t *run = &measured->runs[j];

                if ((int) run->kind == kind && run->run == number) {
                    put_run(json, run);
                }
            }
        }
    }
}

/* The rows of each kind. */
static void
put_table(spot_json_t *json, const spot_measured_t *measured, bool is_corrected)
{
    spot_json_open(json, is_corrected ? "table_corrected" : "table", '{');
    for (int kind = 0; kind < SPOT_NUM_KINDS; kind++) {
        spot_json_open(json, spot_measured_kind_names[kind], '[');
        for (size_t j = 0; j < measured->num_rows; j++) {
            const spot_measured_row_t *row = &measured->rows[j];

            if ((int) row->kind != kind) {
                continue;
            }
            spot_json_open(json, NULL, '{');
            spot_json_number(json, "sim_compute_time", row->sim_s);
            spot_json_unsigned(json, "runs", row->num_runs);
            put_figures(json, &row->mean, is_corrected, false);
            if (!is_corrected) {
                spot_json_number(json, "throughput_of_means", row->throughput_of_means);
            }
            spot_json_close(json, '}');
        }
        spot_json_close(json, ']');
    }
    spot_json_close(json, '}');
}

static void
put_improvement(spot_json_t *json, const spot_measured_row_t *row)
{
    const spot_improvement_t *improvement = &row->improvement;

    spot_json_open(json, NULL, '{');
    spot_json_number(json, "sim_compute_time", row->sim_s);
    spot_json_number(json, "percent", improvement->percent);
    spot_json_number(json, "percent_of_means", improvement->percent_of_means);
    spot_json_number(json, "percent_steady", improvement->percent_steady);
    spot_json_number(json, "welch_t", improvement->welch_t);
    spot_json_number(json, "welch_df", improvement->welch_df);
    spot_json_number(json, "welch_p", improvement->welch_p);
    spot_json_number(json, "merged_runs", improvement->merged_runs);
    spot_json_close(json, '}');
}

static void
write_json(const spot_measured_t *measured, FILE *out)
{
    spot_json_t json;

    spot_json_init(&json, out, 1);
    spot_json_open(&json, NULL, '{');
    spot_json_text(&json, "dataset", measured->dataset);
    spot_json_text(&json, "mode", measured->mode);
    spot_json_integer(&json, "batch", measured->batch);
    spot_json_integer(&json, "loader_processes", measured->processes);
    spot_json_open(&json, "runs", '[');
    put_runs(&json, measured);
    spot_json_close(&json, ']');
    put_table(&json, measured, false);
    put_table(&json, measured, true);
    spot_json_open(&json, "improvement", '[');
    for (size_t j = 0; j < measured->num_rows; j++) {
        if (measured->rows[j].base != NULL) {
            put_improvement(&json, &measured->rows[j]);
        }
    }
    spot_json_close(&json, ']');
    spot_json_close(&json, '}');
    fputc('\n', out);
}

/* ---- The command ---- */

static int
answer(spot_call_t *call, const spot_measured_t *measured)
{
    const arguments_t *arguments = call->arguments;
    spot_table_t table = {0};
    spot_output_t output;
    FILE *out;
    int ret = 0;

    if (arguments->csv_path != NULL) {
        out = spot_output_bytes(&output, arguments->csv_path, &call->diag);
        if (out != NULL) {
            write_csv(measured, arguments->is_corrected, out);
        }
        ret = spot_output_end(&output, 0);
    }
    if (ret != 0 ||
        (arguments->csv_path != NULL && strcmp(arguments->csv_path, "-") == 0)) {
        return ret;
    }
    out = spot_output_begin(&output, &arguments->target, &call->diag);
    if (out != NULL && arguments->target.is_json) {
        write_json(measured, out);
    } else if (out != NULL) {
        fill_table(&table, measured);
        ret = spot_table_write_terminal(&table, &output.terminal, out);
    }
    spot_table_free(&table);
    return spot_output_end(&output, ret);
}

static int
run(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;
    spot_measured_t measured;
    int ret = spot_measured_runs_read(&measured, arguments->root, arguments->dataset,
        arguments->mode, arguments->batch, arguments->processes, &call->diag);

    if (ret == 0) {
        call->is_reading = false;
        ret = arguments->svg_folder == NULL ? 0
                                            : spot_loader_pictures_draw(&measured,
                                                  arguments->svg_folder, &call->diag);
    }
    ret = ret == 0 ? answer(call, &measured) : ret;
    spot_measured_runs_free(&measured);
    return ret;
}

const spot_command_t spot_command_input_table = {
    .name = "input table",
    .arguments = "ROOT",
    .summary = "Print measured loading times, as published and corrected",
    .doc =
        "ROOT has folders KIND/DATASET/run<R>/MODE/sim_compute_time=<S> with the arrays "
        "data_load_time, compute_time, io_time, processing_time and memory as .npy. "
        "Kinds "
        "are baseline1, a file for each sample, and ours, samples merged into blocks. A "
        "column as published stands beside the one that corrects it. The first wait "
        "fills the pipeline, so it is not in the steady figures; processing does not "
        "contain io, so io is not taken from decoding; and a run with one io entry for "
        "each sample was not merged, whatever its settings say. The improvement of "
        "throughput has the p of Welch's test over runs. stalled is the number of runs "
        "that wait more than 5 % of the steady time; periodic is the published test, "
        "which finds a period and not a stall.",
    .examples = "  spotsim input table runs --dataset librispeech --mode remote\n"
                "  spotsim input table runs --csv - --corrected\n",
    .options = options,
    .arguments_bytes = sizeof(arguments_t),
    .initial = &initial,
    .run = run,
};
