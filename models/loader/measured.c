/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/loader/measured.h"

#include <errno.h>
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/table_file.h"
#include "base/texts.h"
#include "base/units.h"
#include "models/loader/loader.h"
#include "models/loader/memory_rows.h"
#include "models/loader/npy.h"

#define BYTES_PER_MIB 1048576.0
#define MEMORY_QUANTILE 0.9
#define MAX_BLOCK_ERROR 0.1 /* of the number of blocks */

const char *const spot_measured_kind_names[] = {"baseline1", "ours"};

/* ---- Folders ---- */

enum { KIND, DATASET, RUN, MODE, SIM, NUM_LEVELS };

typedef struct {
    spot_measured_kind_t kind;
    const char *path; /* it ends in / */
    const char *names[NUM_LEVELS];
} folder_t;

typedef struct {
    spot_measured_runs_t *measured;
    const char *root;
    spot_diag_t *diag;
    spot_texts_t texts;
    size_t num_folders, max_folders;
    folder_t *folders; /* [num_folders] */
} reader_t;

/* Stops a search at a folder that is there. */
static int
is_unreadable(const char *path, int cause)
{
    (void) path;
    return cause != ENOENT && cause != ENOTDIR;
}

static int
find_folders(reader_t *self, spot_measured_kind_t kind)
{
    FILE *stream = spot_texts_begin(&self->texts);
    glob_t found = {0};
    int ret;

    for (const char *byte = self->root; stream != NULL && *byte != '\0'; byte++) {
        fprintf(stream, "%s%c", strchr("*?[\\", *byte) != NULL ? "\\" : "", *byte);
    }
    ret = glob(spot_texts_add(&self->texts, "%s/%s/*/run*/*/sim_compute_time*/",
                   spot_texts_end(&self->texts, stream), spot_measured_kind_names[kind]),
        0, is_unreadable, &found);
    for (size_t j = 0; ret == 0 && j < found.gl_pathc; j++) {
        folder_t folder = {.kind = kind,
            .path = spot_arena_text(&self->measured->memory, found.gl_pathv[j])};
        char *rest = spot_arena_text(
            &self->measured->memory, found.gl_pathv[j] + strlen(self->root));

        for (int level = 0; rest != NULL && level < NUM_LEVELS; level++) {
            folder.names[level] = strtok_r(rest, "/", &rest);
        }
        ret =
            rest == NULL ? SPOT_ERR_NO_MEMORY : SPOT_ARRAY_APPEND(self, folders, folder);
    }
    globfree(&found);
    if (ret == GLOB_ABORTED) {
        spot_diag_error(self->diag, self->root, 0, 0, "a folder in it cannot be read");
        return SPOT_ERR_IO;
    }
    return ret == GLOB_NOMATCH ? 0 : ret == 0 ? self->texts.error : SPOT_ERR_NO_MEMORY;
}

/* Keeps the folders with a name at a level: *name, or the one that all share. */
static int
choose(reader_t *self, int level, const char *what, const char **name)
{
    const char *list = "";
    size_t num_names = 0, num_kept = 0;

    for (size_t j = 0; j < self->num_folders; j++) {
        const char *found = self->folders[j].names[level];
        size_t k = 0;

        while (strcmp(self->folders[k].names[level], found) != 0) {
            k++;
        }
        if (k == j) {
            list = spot_texts_join(&self->texts, list, ", ", found);
            num_names++;
        }
    }
    if (num_names > 1 && *name == NULL) {
        return spot_diag_error(self->diag, self->root, 0, 0,
            "has runs of more than one %s, choose one: %s", what, list);
    }
    for (size_t j = 0; j < self->num_folders; j++) {
        if (*name == NULL || strcmp(self->folders[j].names[level], *name) == 0) {
            self->folders[num_kept++] = self->folders[j];
        }
    }
    if (num_kept == 0) {
        return spot_diag_error(self->diag, self->root, 0, 0,
            "has no runs of the %s \"%s\", but of: %s", what, *name, list);
    }
    self->num_folders = num_kept;
    *name = self->folders[0].names[level];
    return self->texts.error;
}

/* ---- A run ---- */

/* Number of the run, sim, and the block that the name claims. */
static int
read_names(
    reader_t *self, const folder_t *folder, spot_measured_run_t *run, int64_t *block)
{
    const char *number = folder->names[RUN] + strlen("run");
    const char *sim = folder->names[SIM] + strlen("sim_compute_time");
    const char *end = *sim == '=' ? spot_number_end(sim + 1) : NULL;
    int64_t run_number = 0;

    if (spot_integer_parse(number, &run_number) != 0 || run_number < 1 ||
        run_number > SPOT_MEASURED_MAX_RUN) {
        return spot_diag_error(self->diag, folder->path, 0, 0,
            "expected a folder run<R> with an integer R from 1 to %d, got '%s'",
            SPOT_MEASURED_MAX_RUN, folder->names[RUN]);
    }
    run->run = (int) run_number;
    if (end == NULL ||
        spot_number_parse(
            spot_texts_add(&self->texts, "%.*s", (int) (end - sim - 1), sim + 1),
            &run->sim_s) != 0 ||
        run->sim_s < 0 ||
        (*end != '\0' && (strncmp(end, "-block_size=", 12) != 0 ||
                             spot_integer_parse(end + 12, block) != 0 || *block < 1 ||
                             *block > SPOT_LOADER_MAX_SAMPLES))) {
        return spot_diag_error(self->diag, folder->path, 0, 0,
            "expected the name sim_compute_time=<S>[-block_size=<B>] with seconds S >= "
            "0 "
            "and an integer B >= 1");
    }
    return 0;
}

/* "threads,block" */
static int
read_setting(const char *path, spot_measured_arrays_t *arrays, spot_diag_t *diag)
{
    spot_csv_t *csv = NULL;
    spot_csv_row_t row = {0};
    int ret = spot_csv_open(&csv, path, diag);

    ret = ret == 0 ? spot_csv_next(csv, &row) : ret;
    if (ret >= 0 &&
        (row.num_fields != 2 ||
            spot_integer_parse(row.fields[0], &arrays->threads) != 0 ||
            spot_integer_parse(row.fields[1], &arrays->block) != 0 ||
            arrays->threads < 1 || arrays->threads > SPOT_LOADER_MAX_THREADS ||
            arrays->block < 1 || arrays->block > SPOT_LOADER_MAX_SAMPLES ||
            spot_csv_next(csv, &row) != 0)) {
        ret = spot_diag_error(
            diag, path, row.line, 0, "expected two integers >= 1: THREADS,BLOCK");
    }
    spot_csv_close(csv);
    return ret > 0 ? 0 : ret;
}

static int
take_probe(spot_table_file_t *file, const spot_csv_row_t *row, const void *values)
{
    (void) row;
    return SPOT_ARRAY_APPEND((spot_measured_run_t *) file->table, probes,
        *(const spot_measured_probe_t *) values);
}

static const spot_table_file_column_t search_columns[] = {
    SPOT_TABLE_COLUMN(INTEGER, "threadpool_size", spot_measured_probe_t, threads,
        .min = 1, .max = SPOT_LOADER_MAX_THREADS),
    SPOT_TABLE_COLUMN(INTEGER, "block_size", spot_measured_probe_t, block, .min = 1,
        .max = SPOT_LOADER_MAX_SAMPLES),
    SPOT_TABLE_COLUMN(SECONDS, "batch_completion_time", spot_measured_probe_t,
        completion_s, .expected = "expected seconds above 0"),
};
static const spot_table_file_format_t search_format = {SPOT_TABLE_DATA(search_columns),
    .row_bytes = sizeof(spot_measured_probe_t), .take = take_probe};

/* Rows with one container are of before and after the work. */
static int
read_memory(reader_t *self, const char *folder, double *memory_mib)
{
    const char *lines_path = spot_texts_add(&self->texts, "%smemory.jsonl", folder);
    const char *path = spot_texts_add(&self->texts, "%smemory.npy", folder);
    spot_memory_rows_t rows = {0};
    int ret = spot_memory_rows_read(&rows,
        access(path, F_OK) != 0 && access(lines_path, F_OK) == 0 ? lines_path : path,
        self->diag);
    double *sums = spot_calloc(rows.num_rows, sizeof(*sums));
    size_t num_sums = 0;

    ret = ret == 0 && sums == NULL ? SPOT_ERR_NO_MEMORY : ret;
    for (size_t j = 0; ret == 0 && j < rows.num_rows; j++) {
        if (rows.rows[j].num_containers >= 2) {
            sums[num_sums++] = rows.rows[j].sum_bytes / BYTES_PER_MIB;
        }
    }
    if (ret == 0) {
        const double quantile = MEMORY_QUANTILE;

        spot_quantiles(sums, num_sums, 1, &quantile, memory_mib);
    }
    free(sums);
    spot_memory_rows_free(&rows);
    return ret;
}

static void
add_spread(spot_measured_runs_t *self, size_t what, const spot_npy_t *array, double mean)
{
    for (size_t j = 0; j < array->num && mean > 0; j++) {
        spot_moments_add(&self->spread[what], array->values[j] / mean);
        if (array->values[j] > 0) {
            spot_moments_add(&self->log_spread[what], log(array->values[j] / mean));
        }
    }
}

/* All five arrays, to report all that is wrong with them. */
static int
read_arrays(reader_t *self, const char *folder, spot_measured_run_t *run,
    spot_measured_arrays_t *arrays)
{
    spot_moments_t waits;
    const struct {
        const char *name;
        spot_moments_t *moments;
    } parts[] = {{"data_load_time", &waits}, {"compute_time", &arrays->computes},
        {"io_time", &arrays->io}, {"processing_time", &arrays->processing}};
    int ret = 0;

    for (size_t j = 0; j < sizeof(parts) / sizeof(parts[0]); j++) {
        spot_npy_t array = {0};
        const int error = spot_npy_read(&array,
            spot_texts_add(&self->texts, "%s%s.npy", folder, parts[j].name), self->diag);

        *parts[j].moments = spot_moments_of(array.values, array.num);
        if (j >= 2 && run->kind == SPOT_KIND_BASELINE) {
            add_spread(self->measured, j - 2, &array, parts[j].moments->mean);
        }
        if (j == 0) {
            run->waits = array.values;
            run->num_waits = array.num;
        } else {
            spot_npy_free(&array);
        }
        ret = spot_error_first(ret, error);
    }
    ret = spot_error_first(ret, read_memory(self, folder, &arrays->memory_mib));
    if (ret == 0 && arrays->computes.num_values != waits.num_values &&
        arrays->computes.num_values != waits.num_values - 1) {
        ret = spot_diag_error(self->diag,
            spot_texts_add(&self->texts, "%scompute_time.npy", folder), 0, 0,
            "expected as many entries as data_load_time.npy has, %lld, or one less, got "
            "%lld",
            (long long) waits.num_values, (long long) arrays->computes.num_values);
    }
    return ret;
}

static void
warn(reader_t *self, spot_measured_run_t *run, const char *text)
{
    run->warnings[run->num_warnings++] = spot_arena_text(&self->measured->memory, text);
    spot_diag_warn(self->diag, run->folder, 0, 0, "%s", text);
}

/* Where arrays contradict what is claimed. */
static void
warn_of_run(reader_t *self, spot_measured_run_t *run, const char *claim)
{
    const spot_measured_figures_t *figures = &run->figures;
    const double num_blocks = ceil(figures->samples / figures->block);

    if (isnan(figures->memory_mib)) {
        warn(self, run, "memory has no row with two containers: it is not known");
    }
    if (figures->is_merged == 0 && figures->block > 1) {
        warn(self, run,
            spot_texts_add(&self->texts,
                "%s says block size %.0f but io_time has one entry per sample: not "
                "merged",
                claim, figures->block));
    } else if (figures->is_merged != 0 &&
               fabs(figures->io_entries - num_blocks) > MAX_BLOCK_ERROR * num_blocks) {
        warn(self, run,
            spot_texts_add(&self->texts,
                "%s says block size %.0f, which is %.0f blocks, but io_time has %.0f "
                "entries",
                claim, figures->block, num_blocks, figures->io_entries));
    }
}

static int
read_run(reader_t *self, const folder_t *folder)
{
    const char *setting = spot_texts_add(&self->texts, "%sopt_config", folder->path);
    const char *search = spot_texts_add(&self->texts, "%ssearch.csv", folder->path);
    const bool is_ours = folder->kind == SPOT_KIND_OURS;
    const bool has_setting = is_ours && access(setting, F_OK) == 0;
    spot_measured_runs_t *measured = self->measured;
    spot_measured_arrays_t arrays = {.threads = 1, .block = 1};
    spot_measured_run_t *run;
    int ret = SPOT_ARRAY_APPEND(measured, runs,
        ((spot_measured_run_t){.kind = folder->kind, .folder = folder->path}));

    if (ret != 0) {
        return ret;
    }
    run = &measured->runs[measured->num_runs - 1];
    ret = read_names(self, folder, run, &arrays.block);
    if (has_setting) {
        ret = spot_error_first(ret, read_setting(setting, &arrays, self->diag));
    }
    if (is_ours && access(search, F_OK) == 0) {
        ret = spot_error_first(
            ret, spot_table_file_read(&search_format, search, self->diag, run));
    }
    ret = spot_error_first(ret, read_arrays(self, folder->path, run, &arrays));
    if (ret == 0) {
        spot_measured_derive(run, &arrays, measured->batch, measured->processes);
        warn_of_run(self, run, has_setting ? "opt_config" : "the name");
    }
    return ret;
}

/* ---- All runs ---- */

static void
free_run(spot_measured_run_t *run)
{
    free(run->waits);
    free(run->probes);
}

/* By kind, sim, run; the least completion first. */
static int
compare_runs(const void *first, const void *second)
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
static int
keep_best(spot_measured_runs_t *self, spot_diag_t *diag)
{
    size_t num_kept = 1;
    int ret = 0;

    qsort(self->runs, self->num_runs, sizeof(*self->runs), compare_runs);
    for (size_t j = 1; j < self->num_runs; j++) {
        const spot_measured_run_t *last = &self->runs[num_kept - 1];
        spot_measured_run_t *run = &self->runs[j];

        if (run->kind != last->kind || run->sim_s != last->sim_s ||
            run->run != last->run) {
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

int
spot_measured_runs_read(spot_measured_runs_t *self, const char *root,
    const char *dataset, const char *mode, int64_t batch, int64_t processes,
    spot_diag_t *diag)
{
    reader_t reader = {.measured = self, .root = root, .diag = diag};
    int ret = 0;

    *self = (spot_measured_runs_t){
        .dataset = dataset, .mode = mode, .batch = batch, .processes = processes};
    for (int kind = 0; ret == 0 && kind < SPOT_NUM_KINDS; kind++) {
        ret = find_folders(&reader, (spot_measured_kind_t) kind);
    }
    if (ret == 0 && reader.num_folders == 0) {
        ret = spot_diag_error(diag, root, 0, 0,
            "expected runs in folders KIND/DATASET/run<R>/MODE/sim_compute_time=<S> of "
            "the kinds %s and %s",
            spot_measured_kind_names[0], spot_measured_kind_names[1]);
    }
    ret = ret == 0 ? choose(&reader, DATASET, "data set", &self->dataset) : ret;
    ret = ret == 0 ? choose(&reader, MODE, "mode", &self->mode) : ret;
    if (ret == 0) {
        for (size_t j = 0; j < reader.num_folders; j++) {
            ret = spot_error_first(ret, read_run(&reader, &reader.folders[j]));
        }
        ret = ret == 0 ? keep_best(self, diag) : ret;
    }
    ret = ret == 0 ? spot_measured_runs_summarise(self, root, diag) : ret;
    ret =
        spot_error_first(ret, spot_error_first(self->memory.error, reader.texts.error));
    spot_texts_free(&reader.texts);
    free(reader.folders);
    return ret;
}

void
spot_measured_runs_free(spot_measured_runs_t *self)
{
    for (size_t j = 0; j < self->num_runs; j++) {
        free_run(&self->runs[j]);
    }
    free(self->runs);
    free(self->rows);
    spot_arena_free(&self->memory);
    *self = (spot_measured_runs_t){.num_runs = 0};
}
