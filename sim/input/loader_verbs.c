/* SPDX-License-Identifier: GPL-3.0-or-later */
/* spotsim input table and fit: what measured runs of a loader say, as a table and as a model. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/json.h"
#include "base/number.h"
#include "base/provenance.h"
#include "base/verb/verb.h"
#include "models/loader/measured.h"

/* ---- Pictures ---- */

/* Pictures of measured runs of a loader. */

#define BAR 0.38      /* width of a bar; two of them and a gap are 1 */
#define MAX_ROUNDS 25 /* of a run that are shown */
#define TEXT_BYTES 64

/* Bars of the kinds at the sims that both have, and above them what ours gains. */
static void declare_series(spot_chart_t *chart, const spot_measured_runs_t *self, int id)
{
    static const char *const colours[] = {SPOT_INK_OTHER, SPOT_INK_ACCENT, NULL};
    static const double shifts[] = {-BAR / 2, BAR / 2, 0};
    const bool is_gain = id == SPOT_NUM_KINDS;
    double place = 0;

    spot_chart_series(
        chart, &(spot_chart_series_t){.kind = is_gain ? SPOT_CHART_POINTS : SPOT_CHART_BARS,
                   .name = is_gain ? NULL : spot_measured_kind_names[id],
                   .colour = colours[id],
                   .thickness = BAR,
                   .marker_px = 0.1});
    for (const spot_measured_row_t *row = self->rows; row < self->rows + self->num_rows; row++) {
        if (row->base != NULL) {
            const double ours = row->mean.throughput, base = row->base->mean.throughput;
            char gain[TEXT_BYTES];

            snprintf(gain, sizeof(gain), "%+.1f %%", row->improvement.percent);
            spot_chart_add(chart, &(spot_chart_datum_t){.x = place++ + shifts[id],
                                      .y = id == SPOT_KIND_BASELINE ? base
                                           : is_gain                ? fmax(ours, base)
                                                                    : ours,
                                      .label = is_gain ? gain : NULL});
        }
    }
}

static int declare_throughput(spot_chart_t *chart, const void *context)
{
    const spot_measured_runs_t *self = context;
    double num_pairs = 0;

    spot_chart_title(chart, "What do merged samples gain?");
    spot_chart_note(
        chart, "%s, %s: means over runs, and the gain on the baseline", self->dataset, self->mode);
    for (size_t j = 0; j < self->num_rows; j++) {
        num_pairs += self->rows[j].base != NULL ? 1 : 0;
    }
    spot_chart_panel(
        chart, &(spot_chart_panel_t){.x = {.name = "training loop without its waits, a batch",
                                         .low = -0.5,
                                         .high = num_pairs - 0.5},
                   .y = {.name = "samples/s"},
                   .empty = num_pairs > 0 ? NULL : "no sim has runs of both kinds"});
    num_pairs = 0;
    for (size_t j = 0; j < self->num_rows; j++) {
        char sim[TEXT_BYTES];

        snprintf(sim, sizeof(sim), "%.6g s", self->rows[j].sim_s);
        if (self->rows[j].base != NULL) {
            spot_chart_tick(chart, num_pairs++, sim, NULL);
        }
    }
    for (int id = 0; id <= SPOT_NUM_KINDS; id++) {
        declare_series(chart, self, id);
    }
    return spot_chart_error(chart);
}

/* Of the first run of each kind. */
static int declare_waits(spot_chart_t *chart, const void *context)
{
    const spot_measured_runs_t *self = context;
    const size_t round = (size_t) self->processes;

    spot_chart_title(chart, "When does the training loop wait?");
    spot_chart_note(chart,
        "%s, %s: a wait for each batch, a tick for each round of %zu processes; the "
        "first wait fills the pipeline",
        self->dataset, self->mode, round);
    for (size_t j = 0; j < self->num_runs; j++) {
        const spot_measured_run_t *run = &self->runs[j];
        char text[TEXT_BYTES];

        if (j > 0 && run->kind == run[-1].kind) {
            continue;
        }
        snprintf(text, sizeof(text), "%s, run %d, sim %.6g s", spot_measured_kind_names[run->kind],
            run->run, run->sim_s);
        spot_chart_panel(
            chart, &(spot_chart_panel_t){.title = text,
                       .x = {.name = "batch"},
                       .y = {.name = "wait", .unit = SPOT_CHART_S, .has_zero = true, .group = 1}});
        for (size_t k = 0; k < run->num_waits && k < MAX_ROUNDS * round; k += round) {
            snprintf(text, sizeof(text), "%zu", k);
            spot_chart_tick(chart, (double) k, text, NULL);
        }
        spot_chart_series(
            chart, &(spot_chart_series_t){.kind = SPOT_CHART_BARS, .colour = SPOT_INK_ACCENT});
        for (size_t k = 0; k < run->num_waits && k < MAX_ROUNDS * round; k++) {
            spot_chart_add_xy(chart, (double) k, run->waits[k]);
        }
    }
    return spot_chart_error(chart);
}

/* What searches measured, with a thread that decodes and with several. */
static int declare_search(spot_chart_t *chart, const void *context)
{
    const spot_measured_runs_t *self = context;

    spot_chart_title(chart, "Which block size did the searches find fast?");
    spot_chart_note(
        chart, "%s, %s: each point is a setting that was measured", self->dataset, self->mode);
    for (size_t j = 0; j < 2 * self->num_rows; j++) {
        const spot_measured_row_t *row = &self->rows[j / 2];
        char sim[TEXT_BYTES];

        if (row->kind != SPOT_KIND_OURS) {
            continue;
        }
        snprintf(sim, sizeof(sim), "sim %.6g s", row->sim_s);
        if (j % 2 == 0) {
            spot_chart_panel(chart, &(spot_chart_panel_t){.title = sim,
                                        .x = {.name = "block (samples)", .group = 1},
                                        .y = {.name = "completion of a batch (s)"}});
        }
        spot_chart_series(
            chart, &(spot_chart_series_t){.kind = SPOT_CHART_POINTS,
                       .name = j % 2 == 0 ? "a thread" : "several threads",
                       .name_at = SPOT_CHART_NAME_LEGEND,
                       .colour = j % 2 == 0 ? SPOT_INK_ACCENT : SPOT_INK_LOSS,
                       .marker = j % 2 == 0 ? SPOT_CHART_CIRCLE : SPOT_CHART_DIAMOND});
        for (size_t k = 0; k < row->num_runs; k++) {
            for (size_t m = 0; m < row->runs[k].num_probes; m++) {
                const spot_measured_probe_t *probe = &row->runs[k].probes[m];

                if ((probe->threads > 1) == (j % 2)) {
                    spot_chart_add_xy(chart, (double) probe->block, probe->completion_s);
                }
            }
        }
    }
    return spot_chart_error(chart);
}

/* Draws DATASET-MODE-throughput.svg, -waits.svg and, where there are searches,
 * -search.svg into a folder, which is made. NO_MEMORY, IO with the reason in diag. */
static int loader_pictures_draw(
    const spot_measured_runs_t *self, const char *folder, spot_diag_t *diag)
{
    static const struct {
        const char *what;
        spot_declare_t declare;
    } pictures[] = {
        {"throughput", declare_throughput}, {"waits", declare_waits}, {"search", declare_search}};
    size_t num_probes = 0;
    char name[SPOT_FILE_NAME_BYTES];
    int ret = spot_folder_make(folder, NULL, diag);

    snprintf(name, sizeof(name), "%s-%s", self->dataset, self->mode);
    for (size_t j = 0; j < self->num_runs; j++) {
        num_probes += self->runs[j].num_probes;
    }
    for (size_t j = 0; ret == 0 && j < (num_probes > 0 ? 3 : 2); j++) {
        char *path = spot_picture_path(folder, name, pictures[j].what, "svg");

        ret = path == NULL ? SPOT_ERR_NO_MEMORY
                           : spot_output_picture(pictures[j].declare, self, path, diag);
        free(path);
    }
    return ret;
}

/* ---- spotsim input table ---- */

typedef struct {
    const char *root, *dataset, *mode;
    int64_t batch, processes;
    const char *csv_path, *svg_folder;
    bool is_corrected;
    spot_target_t target;
} table_arguments_t;

static const table_arguments_t table_initial = {.batch = 512, .processes = 8};

#undef SPOT_OPTIONS_OF
#define SPOT_OPTIONS_OF table_arguments_t

static const spot_option_t table_options[] = {
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
    FLAG,       /* corrected; of a table_run true or false, of means "KEY_count" */
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

/* Of a table_run, means, or an improvement, into an object of that key; NULL: the open one. */
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

static void put_run(spot_json_t *json, const spot_measured_run_t *table_run)
{
    spot_json_open(json, NULL, '{');
    spot_json_number(json, "sim_compute_time", table_run->sim_s);
    put_part(json, "notebook", &table_run->figures, PUBLISHED, true);
    put_part(json, "corrected", &table_run->figures, CORRECTED, true);
    spot_json_open(json, "warnings", '[');
    for (size_t j = 0; j < table_run->num_warnings; j++) {
        spot_json_text(json, NULL, table_run->warnings[j]);
    }
    spot_json_close(json, ']');
    spot_json_text(json, "kind", spot_measured_kind_names[table_run->kind]);
    spot_json_integer(json, "run", table_run->run);
    spot_json_close(json, '}');
}

/* By kind, table_run, sim. */
static void put_runs(spot_json_t *json, const spot_measured_runs_t *measured)
{
    spot_json_open(json, "runs", '[');
    for (int at = 0; at < SPOT_NUM_KINDS * (SPOT_MEASURED_MAX_RUN + 1); at++) {
        for (size_t j = 0; j < measured->num_runs; j++) {
            const spot_measured_run_t *table_run = &measured->runs[j];

            if ((int) table_run->kind * (SPOT_MEASURED_MAX_RUN + 1) + table_run->run == at) {
                put_run(json, table_run);
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

/* ---- The run of the table ---- */

static int write_csv(spot_call_t *call, const spot_measured_runs_t *measured)
{
    const table_arguments_t *arguments = call->arguments;
    spot_table_t table = {0};
    int ret;

    fill_table(
        &table, measured, arguments->is_corrected ? NUM_FIGURES - 1 : NUM_PUBLISHED, figures, true);
    ret = spot_output_csv(&call->diag, arguments->csv_path, &table);
    spot_table_free(&table);
    return ret;
}

static int print(spot_call_t *call, const spot_measured_runs_t *measured)
{
    const table_arguments_t *arguments = call->arguments;
    spot_table_t table = {0};
    spot_output_t output;
    FILE *out = spot_output_begin(&output, &arguments->target, &call->diag);
    int ret = 0;

    if (out != NULL && arguments->target.is_json) {
        write_json(measured, out);
    } else if (out != NULL) {
        fill_table(&table, measured, sizeof(shown) / sizeof(shown[0]), shown, false);
        ret = spot_output_put_table(&table, &output.terminal, out);
    }
    spot_table_free(&table);
    return spot_output_end(&output, ret);
}

static int table_run(spot_call_t *call)
{
    const table_arguments_t *arguments = call->arguments;
    spot_measured_runs_t measured;
    int ret = spot_measured_runs_read(&measured, arguments->root, arguments->dataset,
        arguments->mode, arguments->batch, arguments->processes, &call->diag);

    if (ret == 0) {
        call->is_reading = false;
        ret = arguments->svg_folder == NULL
                  ? 0
                  : loader_pictures_draw(&measured, arguments->svg_folder, &call->diag);
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

const spot_verb_t spot_verb_input_table = {
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
    .options = table_options,
    .arguments_bytes = sizeof(table_arguments_t),
    .initial = &table_initial,
    .run = table_run,
};

/* ---- spotsim input fit ---- */

typedef struct {
    const char *root, *dataset, *mode, *model_path;
    spot_target_t target;
    int form;
    int64_t batch, processes, samples;
    size_t num_modes;
    spot_measured_runs_t measured[SPOT_NUM_SITES]; /* [num_modes] */
    spot_loader_fit_t fit;
} fit_arguments_t;

enum { FORM_ANY, FORM_THREE, FORM_PREDICTIVE };
static const char *const forms[] = {"any", "three", "predictive", NULL};

static const fit_arguments_t fit_initial = {.batch = 512, .processes = 8};

#undef SPOT_OPTIONS_OF
#define SPOT_OPTIONS_OF fit_arguments_t

static const spot_option_t fit_options[] = {
    SPOT_OPTION(ARGUMENT, "a folder of measured runs", 0, "ROOT", root, NULL, .min = 1),
    SPOT_OPTION(
        TEXT, "dataset", 0, "NAME", dataset, "Data set (default: the only one that is there)"),
    SPOT_OPTION(TEXT, "mode", 0, "MODE[,MODE]", mode,
        "Mode, or local,remote for both (default: the only one that is there)"),
    SPOT_OPTION(CHOICE, "form", 0, "any|three|predictive", form,
        "Constants to fit (default: any: predictive, or three if there are few runs)",
        .choices = forms, .what = "form"),
    SPOT_OPTION(COUNT, "batch", 0, "N", batch, "Samples of a batch (default 512)", .min = 1,
        .max = SPOT_LOADER_MAX_SAMPLES),
    SPOT_OPTION(COUNT, "processes", 0, "W", processes, "Loader processes (default 8)", .min = 1,
        .max = SPOT_LOADER_MAX_PROCESSES),
    SPOT_OPTION(COUNT, "samples", 0, "N", samples,
        "Samples of an epoch (default: as the runs have)", .min = 1,
        .max = SPOT_LOADER_MAX_SAMPLES),
    SPOT_OPTION(WRITTEN, "output", 'o', "MODEL.yaml", model_path,
        "Write a model file; - is standard output, in place of the tables",
        .endings = ".yaml or .yml"),
    SPOT_OPTION_JSON(target.is_json, "Print the tables as one JSON object"),
    SPOT_OPTION_END,
};

/* ---- The model file ---- */

static double ms(int64_t ns)
{
    return (double) ns * 1e-6;
}

static void put_model(const void *context, FILE *out)
{
    const fit_arguments_t *self = context;
    const spot_loader_fit_t *fit = &self->fit;
    const spot_loader_t *loader = &fit->loader;
    const spot_loader_cost_t *cost = &loader->cost;
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {0};

    for (size_t j = 0; j < fit->num_points; j++) {
        const spot_loader_point_t *point = &fit->points[j];
        const double values[] = {
            1e3 * point->sim_s, (double) point->threads, (double) point->block};

        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], values[k]);
            high[k] = fmax(high[k], values[k]);
        }
    }
    fprintf(out, "# Fitted by spotsim %s, form %s, to the runs of\n# ", spot_build_info.version,
        forms[1 + fit->is_predictive]);
    spot_json_quote(out, self->root, true);
    for (size_t j = 0; j < self->num_modes; j++) {
        fputc(' ', out);
        spot_json_quote(out, self->measured[j].dataset, true);
        fputc(' ', out);
        spot_json_quote(out, self->measured[j].mode, true);
    }
    fprintf(out,
        "\nscenario: loader\nengine: input\nbatch: %.0f\ncompute: %.15g ms\ninput:\n"
        "  samples: %.0f\n  loader: {processes: %.0f, prefetch: %.0f, deal: %s}\n  "
        "cost:\n"
        "    decode: %.15g ms\n    open: {local: %.15g ms, remote: %.15g ms}\n"
        "    read: {local: %.15g ms, remote: %.15g ms}\n    merged: %.15g ms\n"
        "    thread_growth: %.17g\n    collate: {time: %.15g ms, batch: %.0f}\n"
        "    start: %.15g ms\n    handover: %.15g ms\n    compute: {added: %.15g ms, "
        "merged: %.15g ms, half_block: %.17g, exponent: %.17g}\n"
        "  storage: {local_share: %d}\nspread: {read: {%s: {cv: %.6g}}, decode: {%s: "
        "{cv: %.6g}}}\nfitted:\n  compute: [%.15g ms, %.15g ms]\n"
        "  threads: [%.0f, %.0f]\n  block: [%.0f, %.0f]\n",
        (double) cost->collate_batch, low[0], (double) loader->samples, (double) loader->processes,
        (double) loader->prefetch, fit->is_predictive ? "samples" : "batches", ms(cost->decode_ns),
        ms(cost->open_ns[0]), ms(cost->open_ns[1]), ms(cost->read_ns[0]), ms(cost->read_ns[1]),
        ms(cost->merged_ns), cost->thread_growth, ms(cost->collate_ns),
        (double) cost->collate_batch, ms(cost->start_ns), ms(cost->handover_ns),
        ms(cost->compute_ns), ms(cost->merged_compute_ns), cost->half_block, cost->exponent,
        spot_loader_fit_site(self->measured[0].mode) == SPOT_SITE_LOCAL, fit->laws[0], fit->cvs[0],
        fit->laws[1], fit->cvs[1], low[0], high[0], low[1], high[1], low[2], high[2]);
}

/* ---- Tables ---- */

enum { CONSTANTS, ERRORS, IMPROVEMENTS, NUM_TABLES };

static const spot_table_column_t columns[NUM_TABLES][4] = {
    {{.name = "constant", .kind = SPOT_TABLE_TEXT}, {.name = "value"},
        {.name = "unit", .kind = SPOT_TABLE_TEXT}},
    {{.name = "error_of", .kind = SPOT_TABLE_TEXT}, {.name = "mean_percent"},
        {.name = "max_percent"}},
    {{.name = "mode", .kind = SPOT_TABLE_TEXT, .is_key = true}, {.name = "sim_s", .is_key = true},
        {.name = "improvement_percent"}, {.name = "predicted_percent"}}};

/* A row that starts with a text and a number. */
static void add_row(spot_table_t *table, const char *text, double number)
{
    spot_table_add_row(table);
    spot_table_add_text(table, text);
    spot_table_add_number(table, number);
}

static void fill(spot_table_t *tables, spot_texts_t *texts, const fit_arguments_t *self)
{
    static const char *const times[] = {"read", "decode"};
    static const char *const errors[] = {"runs", "runs left out", "probes", "probes left out"};
    const spot_loader_fit_t *fit = &self->fit;

    for (size_t j = 0; j < NUM_TABLES; j++) {
        spot_table_add_columns(&tables[j], j == IMPROVEMENTS ? 4 : 3, columns[j]);
    }
    for (size_t j = 0; j < fit->num_constants; j++) {
        add_row(&tables[CONSTANTS], fit->constants[j]->key, fit->values[j]);
        spot_table_add_text(&tables[CONSTANTS], fit->constants[j]->is_time ? "s" : "");
    }
    for (size_t j = 0; j < 2; j++) {
        add_row(&tables[CONSTANTS],
            spot_texts_add(texts, "spread.%s.%s.cv", times[j], fit->laws[j]), fit->cvs[j]);
        spot_table_add_text(&tables[CONSTANTS], "");
    }
    for (int j = 0; j < (fit->is_predictive ? 4 : 1); j++) {
        double mean, max;

        spot_loader_fit_errors(fit, j >= 2, j % 2 == 1, &mean, &max);
        add_row(&tables[ERRORS], fit->is_predictive ? errors[j] : "mean rows", 100 * mean);
        spot_table_add_number(&tables[ERRORS], 100 * max);
    }
    for (size_t j = 0; j < self->num_modes; j++) {
        const spot_measured_runs_t *measured = &self->measured[j];

        for (size_t k = 0; k < measured->num_rows; k++) {
            const spot_measured_row_t *row = &measured->rows[k];

            if (row->base != NULL) {
                add_row(&tables[IMPROVEMENTS], measured->mode, row->sim_s);
                spot_table_add_number(&tables[IMPROVEMENTS], row->improvement.percent);
                spot_table_add_number(&tables[IMPROVEMENTS],
                    spot_loader_fit_percent(fit, spot_loader_fit_site(measured->mode), row->sim_s));
            }
        }
    }
}

/* ---- The fit ---- */

/* --mode has one or two words. */
static int read_runs(spot_call_t *call, fit_arguments_t *self)
{
    const char *comma = self->mode == NULL ? NULL : strchr(self->mode, ',');
    const char *modes[SPOT_NUM_SITES] = {self->mode};
    int ret = 0;

    self->num_modes = comma == NULL ? 1 : 2;
    if (comma != NULL) {
        modes[0] = spot_texts_add(&call->texts, "%.*s", (int) (comma - self->mode), self->mode);
        modes[1] = comma + 1;
        if (spot_loader_fit_site(modes[0]) == spot_loader_fit_site(modes[1])) {
            spot_usage_error(call, "--mode: of two modes one is local, got \"%s\"", self->mode);
        }
    }
    for (size_t j = 0; j < self->num_modes && ret == 0; j++) {
        ret = spot_measured_runs_read(&self->measured[j], self->root, self->dataset, modes[j],
            self->batch, self->processes, &call->diag);
    }
    return ret;
}

static int fit(spot_diag_t *diag, fit_arguments_t *self, bool is_predictive)
{
    spot_loader_fit_t *fit = &self->fit;
    int ret;

    spot_loader_fit_free(fit);
    ret = spot_loader_fit(fit, is_predictive, self->num_modes, self->measured, self->samples);
    if (ret == SPOT_ERR_BAD_PARAM && fit->num_constants == 0) {
        return spot_diag_error(diag, self->root, 0, 0,
            "has no runs of %s with one entry per sample", spot_measured_kind_names[0]);
    }
    if (ret == SPOT_ERR_BAD_PARAM) {
        return spot_diag_error(diag, self->root, 0, 0,
            "%zu %s: too few for the %zu constants of the form %s", fit->num_points,
            is_predictive ? "runs and probes" : "mean rows", fit->num_constants,
            forms[1 + is_predictive]);
    }
    if (ret == 0 && fit->is_thinned && self->samples == 0) {
        spot_diag_warn(diag, self->root, 0, 0,
            "the arrays have fewer samples than the batches: %lld are taken, batch x "
            "batches; --samples gives another number",
            (long long) fit->loader.samples);
    }
    return ret;
}

static int fit_run(spot_call_t *call)
{
    fit_arguments_t *self = call->arguments;
    spot_table_t tables[NUM_TABLES] = {
        {.name = "constants"}, {.name = "errors"}, {.name = "improvements"}};
    const spot_diag_mark_t mark = spot_diag_mark(&call->diag);
    int ret = read_runs(call, self);

    ret = ret == 0 ? fit(&call->diag, self, self->form != FORM_THREE) : ret;
    if (ret == SPOT_ERR_BAD_INPUT && self->fit.num_constants > 0 && self->form == FORM_ANY) {
        spot_diag_soften(&call->diag, mark);
        ret = fit(&call->diag, self, false);
    }
    if (ret == 0) {
        call->is_reading = false;
        fill(tables, &call->texts, self);
        ret = spot_output_tables(
            &call->diag, &self->target, self->model_path, put_model, self, NUM_TABLES, tables);
    }
    spot_loader_fit_free(&self->fit);
    spot_measured_runs_free(&self->measured[0]);
    spot_measured_runs_free(&self->measured[1]);
    return ret;
}

const spot_verb_t spot_verb_input_fit = {
    .name = "input fit",
    .arguments = "ROOT",
    .summary = "Fit the constants of a data loader to measured runs",
    .doc = "ROOT has folders of runs as 'input table' reads them. The form three finds "
           "collation, start and merging from mean rows and takes the other times as "
           "they were measured. The form predictive finds all costs from settings of "
           "runs and probes alone; of some only sums are known, such as that of "
           "reading, opening and decoding. Left out: predicted by a fit without the "
           "runs of that number. The spread of reading and decoding is that of the "
           "samples of the baseline: its cv is standard deviation / mean, its law the "
           "likelier one of lognormal and gamma. The constants belong to the hardware "
           "of the runs.",
    .examples = "  spotsim input fit runs --mode remote -o model.yaml\n"
                "  spotsim input fit runs --mode local,remote --form predictive\n",
    .options = fit_options,
    .arguments_bytes = sizeof(fit_arguments_t),
    .initial = &fit_initial,
    .run = fit_run,
};
