/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/provenance.h"
#include "cli/schedule_tables.h"
#include "models/loader/measured.h"

typedef struct {
    const char *root, *dataset, *mode, *model_path;
    spot_target_t target;
    int form;
    int64_t batch, processes, samples;
    size_t num_modes;
    spot_measured_runs_t measured[SPOT_NUM_SITES]; /* [num_modes] */
    spot_loader_fit_t fit;
} arguments_t;

enum { FORM_ANY, FORM_THREE, FORM_PREDICTIVE };
static const char *const forms[] = {"any", "three", "predictive", NULL};
static const arguments_t initial = {.batch = 512, .processes = 8};

static const spot_option_t options[] = {
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
    const arguments_t *self = context;
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

static void fill(spot_table_t *tables, spot_texts_t *texts, const arguments_t *self)
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
static int read_runs(spot_call_t *call, arguments_t *self)
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

static int fit(spot_diag_t *diag, arguments_t *self, bool is_predictive)
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

static int run(spot_call_t *call)
{
    arguments_t *self = call->arguments;
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
        ret = spot_schedule_results(
            call, &self->target, self->model_path, put_model, self, NUM_TABLES, tables);
    }
    spot_loader_fit_free(&self->fit);
    spot_measured_runs_free(&self->measured[0]);
    spot_measured_runs_free(&self->measured[1]);
    return ret;
}

const spot_command_t spot_command_input_fit = {
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
    .options = options,
    .arguments_bytes = sizeof(arguments_t),
    .initial = &initial,
    .run = run,
};
