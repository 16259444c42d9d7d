/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/loader/measured.h"

#include <errno.h>
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/table_file.h"
#include "base/units.h"
#include "models/loader/loader.h"
#include "models/loader/memory_rows.h"
#include "models/loader/npy.h"

#define BYTES_PER_MIB 1048576.0
#define MEMORY_QUANTILE 0.9
#define MAX_BLOCK_ERROR 0.1 /* of the number of blocks */

#define FAULT(path, ...) spot_diag_error(self->diag, path, 0, 0, __VA_ARGS__)

const char *const spot_measured_kind_names[] = {"baseline1", "ours"};

typedef struct {
    spot_measured_runs_t *measured;
    const char *root;
    spot_diag_t *diag;
    spot_texts_t *texts;
} reader_t;

/* ---- Folders ---- */

enum { KIND, DATASET, RUN, MODE, SIM };

/* Stops a search at a folder that is there. */
static int is_unreadable(const char *path, int cause)
{
    (void) path;
    return cause != ENOENT && cause != ENOTDIR;
}

static int find_runs(reader_t *self, spot_measured_kind_t kind)
{
    FILE *stream = spot_texts_begin(self->texts);
    glob_t found = {0};
    int ret;

    for (const char *byte = self->root; stream != NULL && *byte != '\0'; byte++) {
        fprintf(stream, "%s%c", strchr("*?[\\", *byte) != NULL ? "\\" : "", *byte);
    }
    ret = glob(spot_texts_add(self->texts, "%s/%s/*/run*/*/sim_compute_time*/",
                   spot_texts_end(self->texts, stream), spot_measured_kind_names[kind]),
        0, is_unreadable, &found);
    for (size_t j = 0; ret == 0 && j < found.gl_pathc; j++) {
        const char *path = spot_texts_add(self->texts, "%s", found.gl_pathv[j]);
        char *rest = spot_arena_text(&self->texts->arena, path + strlen(self->root));
        spot_measured_run_t run = {.kind = kind, .folder = path};

        for (int level = 0; rest != NULL && level < SPOT_MEASURED_LEVELS; level++) {
            run.names[level] = strtok_r(rest, "/", &rest);
        }
        ret = rest == NULL ? SPOT_ERR_NO_MEMORY : SPOT_ARRAY_APPEND(self->measured, runs, run);
    }
    globfree(&found);
    if (ret == GLOB_ABORTED) {
        FAULT(self->root, "a folder in it cannot be read");
        return SPOT_ERR_IO;
    }
    return ret == GLOB_NOMATCH ? 0 : ret == 0 ? self->texts->error : SPOT_ERR_NO_MEMORY;
}

/* Keeps the runs with a name at a level: *name, or the one that all share. */
static int choose(reader_t *self, int level, const char *what, const char **name)
{
    spot_measured_run_t *runs = self->measured->runs;
    const size_t num_runs = self->measured->num_runs;
    const char *list = "";
    size_t num_names = 0, num_kept = 0;

    for (size_t j = 0, k; j < num_runs; j++) {
        for (k = 0; strcmp(runs[k].names[level], runs[j].names[level]) != 0; k++) {
        }
        if (k == j) {
            list = spot_texts_join(self->texts, list, ", ", runs[j].names[level]);
            num_names++;
        }
    }
    if (num_names > 1 && *name == NULL) {
        return FAULT(self->root, "has runs of more than one %s, choose one: %s", what, list);
    }
    for (size_t j = 0; j < num_runs; j++) {
        if (*name == NULL || strcmp(runs[j].names[level], *name) == 0) {
            runs[num_kept++] = runs[j];
        }
    }
    if (num_kept == 0) {
        return FAULT(self->root, "has no runs of the %s \"%s\", but of: %s", what, *name, list);
    }
    self->measured->num_runs = num_kept;
    *name = runs[0].names[level];
    return self->texts->error;
}

/* ---- A run ---- */

static int take_probe(spot_table_file_t *file, const spot_csv_row_t *row, const void *values)
{
    (void) row;
    return SPOT_ARRAY_APPEND(
        (spot_measured_run_t *) file->table, probes, *(const spot_measured_probe_t *) values);
}

enum { THREADS, BLOCK };
static const spot_table_file_column_t search_columns[] = {
    [THREADS] = SPOT_TABLE_COLUMN(INTEGER, "threadpool_size", spot_measured_probe_t, threads,
        .min = 1, .max = SPOT_LOADER_MAX_THREADS),
    [BLOCK] = SPOT_TABLE_COLUMN(INTEGER, "block_size", spot_measured_probe_t, block, .min = 1,
        .max = SPOT_LOADER_MAX_SAMPLES),
    SPOT_TABLE_COLUMN(SECONDS, "batch_completion_time", spot_measured_probe_t, completion_s,
        .expected = "expected seconds above 0"),
};
static const spot_table_file_format_t search_format = {SPOT_TABLE_DATA(search_columns),
    .row_bytes = sizeof(spot_measured_probe_t), .take = take_probe};

/* A setting that is claimed has the limits of one that was measured. */
static bool take_setting(int column, const char *field, spot_measured_probe_t *setting)
{
    char text[SPOT_TABLE_FILE_PROBLEM_BYTES];

    return !spot_table_file_column_read(&search_columns[column], field, setting, text);
}

/* Number of the run, sim, and the block that the name claims. */
static int read_names(reader_t *self, spot_measured_run_t *run, spot_measured_probe_t *setting)
{
    const char *sim = run->names[SIM] + strlen("sim_compute_time");
    const char *block = strstr(sim, "-block_size=");
    const size_t length = block == NULL ? strlen(sim) : (size_t) (block - sim);
    int64_t number = 0;

    if (spot_integer_parse(run->names[RUN] + strlen("run"), &number) != 0 || number < 1 ||
        number > SPOT_MEASURED_MAX_RUN) {
        return FAULT(run->folder,
            "expected a folder run<R> with an integer R from 1 to %d, got '%s'",
            SPOT_MEASURED_MAX_RUN, run->names[RUN]);
    }
    run->run = (int) number;
    if (*sim != '=' ||
        spot_number_parse(
            spot_texts_add(self->texts, "%.*s", (int) length - 1, sim + 1), &run->sim_s) != 0 ||
        run->sim_s < 0 ||
        (block != NULL && !take_setting(BLOCK, block + strlen("-block_size="), setting))) {
        return FAULT(run->folder,
            "expected the name sim_compute_time=<S>[-block_size=<B>] with seconds "
            "S >= 0 and an integer B >= 1");
    }
    return 0;
}

/* "threads,block" */
static int read_setting(const char *path, spot_measured_probe_t *setting, spot_diag_t *diag)
{
    spot_csv_t *csv = NULL;
    spot_csv_row_t row = {0};
    int ret = spot_csv_open(&csv, path, diag);

    ret = ret == 0 ? spot_csv_next(csv, &row) : ret;
    if (ret >= 0 &&
        (row.num_fields != 2 || !take_setting(THREADS, row.fields[0], setting) ||
            !take_setting(BLOCK, row.fields[1], setting) || spot_csv_next(csv, &row) != 0)) {
        ret = spot_diag_error(diag, path, row.line, 0, "expected two integers >= 1: THREADS,BLOCK");
    }
    spot_csv_close(csv);
    return ret > 0 ? 0 : ret;
}

/* Rows with one container are of before and after the work. */
static int read_memory(reader_t *self, const char *folder, double *memory_mib)
{
    const double quantile = MEMORY_QUANTILE;
    const char *lines_path = spot_texts_add(self->texts, "%smemory.jsonl", folder);
    const char *path = spot_texts_add(self->texts, "%smemory.npy", folder);
    spot_memory_rows_t rows = {0};
    double *sums_mib;
    size_t num_sums = 0;
    int ret = spot_memory_rows_read(&rows,
        access(path, F_OK) != 0 && access(lines_path, F_OK) == 0 ? lines_path : path, self->diag);

    if (SPOT_ARENA_ARRAY(&self->texts->arena, sums_mib, rows.num_rows) == NULL) {
        ret = spot_error_first(ret, SPOT_ERR_NO_MEMORY);
    }
    for (size_t j = 0; ret == 0 && j < rows.num_rows; j++) {
        if (rows.rows[j].num_containers >= 2) {
            sums_mib[num_sums++] = rows.rows[j].sum_bytes / BYTES_PER_MIB;
        }
    }
    if (ret == 0) {
        spot_quantiles(sums_mib, num_sums, 1, &quantile, memory_mib);
    }
    spot_memory_rows_free(&rows);
    return ret;
}

static void add_spread(
    spot_measured_runs_t *self, size_t what, const spot_npy_t *array, double mean)
{
    for (size_t j = 0; j < array->num && mean > 0; j++) {
        spot_moments_add(&self->spread[what], array->values[j] / mean);
        if (array->values[j] > 0) {
            spot_moments_add(&self->log_spread[what], log(array->values[j] / mean));
        }
    }
}

/* All five arrays, to report all that is wrong with them. */
static int read_arrays(reader_t *self, spot_measured_run_t *run, spot_measured_arrays_t *arrays)
{
    static const char *const names[] = {
        "data_load_time", "compute_time", "io_time", "processing_time"};
    spot_moments_t *const moments[] = {
        &arrays->waits, &arrays->computes, &arrays->io, &arrays->processing};
    int ret = 0;

    for (size_t j = 0; j < sizeof(names) / sizeof(names[0]); j++) {
        const char *path = spot_texts_add(self->texts, "%s%s.npy", run->folder, names[j]);
        spot_npy_t array = {0};

        ret = spot_error_first(ret, spot_npy_read(&array, path, self->diag));
        *moments[j] = spot_moments_of(array.values, array.num);
        if (j >= 2 && run->kind == SPOT_KIND_BASELINE) {
            add_spread(self->measured, j - 2, &array, moments[j]->mean);
        }
        if (moments[j] == &arrays->waits) {
            run->waits = array.values;
            run->num_waits = array.num;
        } else {
            spot_npy_free(&array);
        }
    }
    ret = spot_error_first(ret, read_memory(self, run->folder, &arrays->memory_mib));
    if (ret == 0 && arrays->computes.num_values != arrays->waits.num_values &&
        arrays->computes.num_values != arrays->waits.num_values - 1) {
        ret = FAULT(spot_texts_add(self->texts, "%scompute_time.npy", run->folder),
            "expected as many entries as data_load_time.npy has, %zu, or one less, got "
            "%lld",
            run->num_waits, (long long) arrays->computes.num_values);
    }
    return ret;
}

/* Where arrays contradict what is claimed. */
static void warn_of_run(reader_t *self, spot_measured_run_t *run, const char *claim)
{
    const spot_measured_figures_t *figures = &run->figures;
    const double num_blocks = ceil(figures->samples / figures->block);

    if (isnan(figures->memory_mib)) {
        run->warnings[run->num_warnings++] =
            "memory has no row with two containers: it is not known";
    }
    if (figures->is_merged == 0 && figures->block > 1) {
        run->warnings[run->num_warnings++] = spot_texts_add(self->texts,
            "%s says block size %.0f but io_time has one entry per sample: not merged", claim,
            figures->block);
    } else if (figures->is_merged != 0 &&
               fabs(figures->io_entries - num_blocks) > MAX_BLOCK_ERROR * num_blocks) {
        run->warnings[run->num_warnings++] = spot_texts_add(self->texts,
            "%s says block size %.0f, which is %.0f blocks, but io_time has %.0f "
            "entries",
            claim, figures->block, num_blocks, figures->io_entries);
    }
    for (size_t j = 0; j < run->num_warnings; j++) {
        spot_diag_warn(self->diag, run->folder, 0, 0, "%s", run->warnings[j]);
    }
}

static int read_run(reader_t *self, spot_measured_run_t *run)
{
    const char *setting = spot_texts_add(self->texts, "%sopt_config", run->folder);
    const char *search = spot_texts_add(self->texts, "%ssearch.csv", run->folder);
    const bool is_ours = run->kind == SPOT_KIND_OURS;
    const bool has_setting = is_ours && access(setting, F_OK) == 0;
    spot_measured_arrays_t arrays = {.setting = {.threads = 1, .block = 1}};
    int ret = read_names(self, run, &arrays.setting);

    if (has_setting) {
        ret = spot_error_first(ret, read_setting(setting, &arrays.setting, self->diag));
    }
    if (is_ours && access(search, F_OK) == 0) {
        ret = spot_error_first(ret, spot_table_file_read(&search_format, search, self->diag, run));
    }
    ret = spot_error_first(ret, read_arrays(self, run, &arrays));
    if (ret == 0) {
        spot_measured_derive(run, &arrays, self->measured->batch, self->measured->processes);
        warn_of_run(self, run, has_setting ? "opt_config" : "the name");
    }
    return ret;
}

/* ---- All runs ---- */

static void free_run(spot_measured_run_t *run)
{
    free(run->waits);
    free(run->probes);
}

/* By kind, sim, run; the least completion first. */
static int compare_runs(const void *first, const void *second)
{
    const spot_measured_run_t *a = first, *b = second;
    const double keys[][2] = {{a->kind, b->kind}, {a->sim_s, b->sim_s}, {a->run, b->run},
        {a->figures.completion_s, b->figures.completion_s}};

    for (size_t j = 0; j < sizeof(keys) / sizeof(keys[0]); j++) {
        if (keys[j][0] != keys[j][1]) {
            return keys[j][0] < keys[j][1] ? -1 : 1;
        }
    }
    return strcmp(a->folder, b->folder);
}

/* Keeps the best folder for each run and sim; of the baseline there is one. */
static int keep_best(spot_measured_runs_t *self, spot_diag_t *diag)
{
    size_t num_kept = 1;
    int ret = 0;

    qsort(self->runs, self->num_runs, sizeof(*self->runs), compare_runs);
    for (size_t j = 1; j < self->num_runs; j++) {
        const spot_measured_run_t *last = &self->runs[num_kept - 1];
        spot_measured_run_t *run = &self->runs[j];

        if (run->kind != last->kind || run->sim_s != last->sim_s || run->run != last->run) {
            self->runs[num_kept++] = *run;
            continue;
        }
        if (run->kind == SPOT_KIND_BASELINE) {
            ret = spot_diag_error(diag, run->folder, 0, 0,
                "the same run and sim as %s, which %s may have once", last->folder,
                spot_measured_kind_names[run->kind]);
        }
        free_run(run);
    }
    self->num_runs = num_kept;
    return ret;
}

int spot_measured_runs_read(spot_measured_runs_t *self, const char *root, const char *dataset,
    const char *mode, int64_t batch, int64_t processes, spot_diag_t *diag)
{
    reader_t reader = {.measured = self, .root = root, .diag = diag, .texts = &self->texts};
    int ret;

    *self = (spot_measured_runs_t){
        .dataset = dataset, .mode = mode, .batch = batch, .processes = processes};
    ret = find_runs(&reader, SPOT_KIND_BASELINE);
    ret = ret == 0 ? find_runs(&reader, SPOT_KIND_OURS) : ret;
    if (ret == 0 && self->num_runs == 0) {
        ret = spot_diag_error(diag, root, 0, 0,
            "expected runs in folders KIND/DATASET/run<R>/MODE/sim_compute_time=<S> of "
            "the kinds %s and %s",
            spot_measured_kind_names[0], spot_measured_kind_names[1]);
    }
    ret = ret == 0 ? choose(&reader, DATASET, "data set", &self->dataset) : ret;
    if (ret != 0 || (ret = choose(&reader, MODE, "mode", &self->mode)) != 0) {
        return ret;
    }
    for (size_t j = 0; j < self->num_runs; j++) {
        ret = spot_error_first(ret, read_run(&reader, &self->runs[j]));
    }
    ret = ret == 0 ? keep_best(self, diag) : ret;
    ret = ret == 0 ? spot_measured_runs_summarise(self, root, diag) : ret;
    return spot_error_first(ret, self->texts.error);
}

void spot_measured_runs_free(spot_measured_runs_t *self)
{
    for (size_t j = 0; j < self->num_runs; j++) {
        free_run(&self->runs[j]);
    }
    free(self->runs);
    free(self->rows);
    spot_texts_free(&self->texts);
    *self = (spot_measured_runs_t){.num_runs = 0};
}
