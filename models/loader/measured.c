/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/loader/measured.h"

#include <errno.h>
#include <glob.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/table_file.h"
#include "models/loader/npy.h"

/* ---- Figures of a run ---- */

#define MIN_RUNS 3               /* that a mean should have */
#define MAX_PERIODIC_WAITS 20000 /* of more a period is not looked for */

/* NAN where it is undefined. */
static double ratio(double dividend, double divisor)
{
    return divisor > 0 ? dividend / divisor : (double) NAN;
}

/* Whether waits repeat, as published: they are standardised, and of their
 * autocorrelation sums over all lags the largest is above mean + 2 standard deviations.
 * It finds a period, which need not be a stall. */
static void find_period(
    const spot_measured_run_t *run, const spot_moments_t *waits, spot_measured_figures_t *figures)
{
    spot_moments_t sums = {0};
    double largest = (double) -INFINITY, deviation;

    figures->is_periodic = figures->periodic_lag =
        run->num_waits > MAX_PERIODIC_WAITS ? (double) NAN : 0;
    if (waits->sum_squares <= 0 || run->num_waits > MAX_PERIODIC_WAITS) {
        return;
    }
    for (size_t lag = 1; lag < run->num_waits; lag++) {
        double sum = 0;

        for (size_t j = lag; j < run->num_waits; j++) {
            sum += (run->waits[j] - waits->mean) * (run->waits[j - lag] - waits->mean);
        }
        sum /= waits->sum_squares;
        spot_moments_add(&sums, sum);
        if (sum > largest) {
            largest = sum;
            figures->periodic_lag = (double) lag;
        }
    }
    /* that of all sums, as numpy.std is: not of a sample */
    deviation = sqrt(sums.sum_squares / (double) sums.num_values);
    figures->is_periodic = largest > sums.mean + 2 * deviation ? 1 : 0;
}

void spot_measured_derive(spot_measured_run_t *run, const spot_measured_arrays_t *arrays,
    int64_t batch, int64_t processes)
{
    const double samples = (double) arrays->processing.num_values;
    const double io_entries = (double) arrays->io.num_values;
    const double block = (double) arrays->setting.block;
    const double load_s = arrays->waits.mean, compute_s = arrays->computes.mean;
    const double processing_s = arrays->processing.mean;
    const double io_per_sample_s = arrays->io.mean * (io_entries / samples);
    const double steady_s =
        spot_loader_steady_wait_s(run->waits, (int64_t) run->num_waits, processes);
    const double stall_share = ratio(steady_s, steady_s + compute_s);
    const bool is_merged = io_entries != samples;

    run->figures = (spot_measured_figures_t){
        .threads = (double) arrays->setting.threads,
        .block = block,
        .io_s = arrays->io.mean / block,
        .processing_s = processing_s - arrays->io.mean / block,
        .load_s = load_s,
        .compute_s = compute_s,
        .completion_s = load_s + compute_s,
        .memory_mib = arrays->memory_mib,
        .throughput = ratio((double) batch, load_s + compute_s),
        .num_batches = (double) run->num_waits,
        .samples = samples,
        .io_entries = io_entries,
        .true_block = is_merged ? block : 1,
        .io_per_sample_s = io_per_sample_s,
        .decode_per_sample_s = is_merged ? (double) NAN : processing_s,
        .future_wait_per_sample_s = is_merged ? processing_s : (double) NAN,
        .worker_per_sample_s = io_per_sample_s + processing_s,
        .fill_s = run->waits[0],
        .steady_load_s = steady_s,
        .steady_completion_s = steady_s + compute_s,
        .steady_throughput = ratio((double) batch, steady_s + compute_s),
        .stall_share = stall_share,
        .is_merged = is_merged,
        .is_stalled = isnan(stall_share) ? (double) NAN : stall_share > SPOT_LOADER_STALLED,
    };
    find_period(run, &arrays->waits, &run->figures);
}

/* ---- Means over runs ---- */

/* Of the figure at that offset, over the runs that have it. */
static spot_moments_t moments_of(const spot_measured_row_t *row, size_t offset)
{
    spot_moments_t moments = {0};

    for (size_t j = 0; j < row->num_runs; j++) {
        double value;

        memcpy(&value, (const char *) &row->runs[j].figures + offset, sizeof(value));
        if (isfinite(value)) {
            spot_moments_add(&moments, value);
        }
    }
    return moments;
}

static void fill_row(spot_measured_row_t *row, int64_t batch)
{
    spot_measured_figures_t *mean = &row->mean;

    for (size_t offset = 0; offset < sizeof(*mean); offset += sizeof(double)) {
        const spot_moments_t moments = moments_of(row, offset);
        double value = spot_moments_mean(&moments);

        if (offset >= offsetof(spot_measured_figures_t, is_merged)) {
            value *= (double) moments.num_values;
        }
        memcpy((char *) mean + offset, &value, sizeof(value));
    }
    row->throughput_of_means = ratio((double) batch, mean->completion_s);
}

static double percent_more(double value, double base)
{
    return 100 * ratio(value - base, base);
}

static void improve(spot_measured_row_t *ours, const spot_measured_row_t *base)
{
    const size_t offset = offsetof(spot_measured_figures_t, throughput);
    const spot_moments_t x = moments_of(ours, offset), y = moments_of(base, offset);
    const double a = pow(spot_moments_stderr(&x), 2);
    const double b = pow(spot_moments_stderr(&y), 2);
    spot_improvement_t *self = &ours->improvement;

    self->percent = percent_more(ours->mean.throughput, base->mean.throughput);
    self->percent_of_means = percent_more(ours->throughput_of_means, base->throughput_of_means);
    self->percent_steady = percent_more(ours->mean.steady_throughput, base->mean.steady_throughput);
    self->merged_runs = ours->mean.is_merged;
    /* Welch, Biometrika 34, 1947. */
    self->welch_t = ratio(x.mean - y.mean, sqrt(a + b));
    self->welch_df = ratio((a + b) * (a + b),
        a * a / (double) (x.num_values - 1) + b * b / (double) (y.num_values - 1));
    self->welch_p = isfinite(self->welch_t) && isfinite(self->welch_df)
                        ? 2 * gsl_cdf_tdist_Q(fabs(self->welch_t), self->welch_df)
                        : (double) NAN;
}

/* Joins the kinds by sim, and reports what means lack. */
static void join(
    const spot_measured_runs_t *self, spot_measured_row_t *row, const char *root, spot_diag_t *diag)
{
    const char *kind = spot_measured_kind_names[row->kind];
    const spot_measured_row_t *partner = NULL;

    for (size_t j = 0; j < self->num_rows; j++) {
        if (self->rows[j].kind != row->kind && self->rows[j].sim_s == row->sim_s) {
            partner = &self->rows[j];
        }
    }
    if (partner == NULL) {
        spot_diag_warn(diag, root, 0, 0,
            "%s alone has runs at sim %.6g s, which gives no improvement", kind, row->sim_s);
    } else if (row->kind == SPOT_KIND_OURS) {
        improve(row, partner);
        row->base = partner;
    }
    if (row->num_runs < MIN_RUNS) {
        spot_diag_warn(diag, root, 0, 0, "%s has fewer than %d runs at sim %.6g s: %zu", kind,
            MIN_RUNS, row->sim_s, row->num_runs);
    }
}

/* Rows and improvements of the sorted runs. Warnings of them name root. NO_MEMORY. */
static int summarise_runs(spot_measured_runs_t *self, const char *root, spot_diag_t *diag)
{
    size_t least = self->runs[0].num_waits, most = least;

    if (SPOT_ARRAY_ROOM(self, rows, self->num_runs) != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < self->num_runs; j++) {
        const spot_measured_run_t *run = &self->runs[j];

        if (j == 0 || run->kind != run[-1].kind || run->sim_s != run[-1].sim_s) {
            self->rows[self->num_rows++] =
                (spot_measured_row_t){.kind = run->kind, .sim_s = run->sim_s, .runs = run};
        }
        self->rows[self->num_rows - 1].num_runs++;
        least = run->num_waits < least ? run->num_waits : least;
        most = run->num_waits > most ? run->num_waits : most;
    }
    for (size_t j = 0; j < self->num_rows; j++) {
        fill_row(&self->rows[j], self->batch);
    }
    for (size_t j = 0; j < self->num_rows; j++) {
        join(self, &self->rows[j], root, diag);
    }
    if (least < most) {
        spot_diag_warn(diag, root, 0, 0, "runs have from %zu to %zu batches", least, most);
    }
    return 0;
}

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
static const spot_row_member_t search_columns[] = {
    [THREADS] = SPOT_MEMBER_WITH(INTEGER, "threadpool_size", spot_measured_probe_t, threads,
        .min = 1, .max = SPOT_LOADER_MAX_THREADS),
    [BLOCK] = SPOT_MEMBER_WITH(INTEGER, "block_size", spot_measured_probe_t, block, .min = 1,
        .max = SPOT_LOADER_MAX_SAMPLES),
    SPOT_MEMBER_WITH(SECONDS, "batch_completion_time", spot_measured_probe_t, completion_s,
        .expected = "expected seconds above 0"),
};
static const spot_table_file_format_t search_format = {SPOT_TABLE_DATA(search_columns),
    .row_bytes = sizeof(spot_measured_probe_t), .take = take_probe};

/* A setting that is claimed has the limits of one that was measured. */
static bool take_setting(int column, const char *field, spot_measured_probe_t *setting)
{
    char text[SPOT_MEMBER_PROBLEM_BYTES];

    return !spot_member_read(&search_columns[column], field, setting, text);
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
    ret = ret == 0 ? summarise_runs(self, root, diag) : ret;
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

/* ---- Constants of a loader ---- */

typedef spot_loader_fit_t fit_t;
typedef spot_loader_point_t point_t;
typedef spot_loader_constant_t constant_t;

#define RIDGE 0.05  /* the pull to the starts: far below the errors */
#define MIN_CV 1e-6 /* hardly any spread; of no times, too */
#define MAX_CV 10.0

#define TIME(key, member) key, offsetof(spot_loader_cost_t, member), true
#define RATIO(key, member) key, offsetof(spot_loader_cost_t, member), false
enum { NUM_THREE = 3, NUM_COMMON = 9, MAX_CONSTANTS = 13 };

/* Those of the form three, those of all modes, and two for each site. */
static const constant_t constants[] = {
    {TIME("collate.time", collate_ns), 0, 5, 1},
    {TIME("start", start_ns), 0, 5, 0.5},
    {TIME("merged", merged_ns), -0.01, 0.02, 0},
    {TIME("decode", decode_ns), 0, 0.1, 0.008},
    {RATIO("thread_growth", thread_growth), -0.08, 1, 0},
    {TIME("compute.added", compute_ns), 0, 1, 0.07},
    {TIME("compute.merged", merged_compute_ns), 0, 1, 0.2},
    {RATIO("compute.half_block", half_block), 1, 1000, 100},
    {RATIO("compute.exponent", exponent), 0, 20, 4},
    {TIME("open.local", open_ns[SPOT_SITE_LOCAL]), 0, 0.1, 0.003},
    {TIME("read.local", read_ns[SPOT_SITE_LOCAL]), 0, 0.1, 0.001},
    {TIME("open.remote", open_ns[SPOT_SITE_REMOTE]), 0, 0.1, 0.003},
    {TIME("read.remote", read_ns[SPOT_SITE_REMOTE]), 0, 0.1, 0.001},
};

static int64_t whole_ns(double s)
{
    return llround(s * 1e9);
}

/* ---- Points ---- */

spot_site_t spot_loader_fit_site(const char *mode)
{
    return strcmp(mode, "local") == 0 ? SPOT_SITE_LOCAL : SPOT_SITE_REMOTE;
}

static void add_points(fit_t *self, const spot_measured_runs_t *measured)
{
    const spot_site_t site = spot_loader_fit_site(measured->mode);

    for (size_t j = 0; !self->is_predictive && j < measured->num_rows; j++) {
        const spot_measured_row_t *row = &measured->rows[j];

        SPOT_ARRAY_PUSH(self, points,
            (point_t){&row->mean, row->kind, site, false, 0, llround(row->mean.threads),
                llround(row->mean.block), row->sim_s, 1, row->mean.completion_s, 0, 0});
    }
    for (size_t j = 0; self->is_predictive && j < measured->num_runs; j++) {
        const spot_measured_run_t *run = &measured->runs[j];
        point_t point = {NULL, run->kind, site, false, run->run, llround(run->figures.threads),
            llround(run->figures.true_block), run->sim_s, 1, run->figures.completion_s, 0, 0};

        SPOT_ARRAY_PUSH(self, points, point);
        point.is_probe = true;
        point.weight = 1 / sqrt((double) run->num_probes);
        for (size_t k = 0; k < run->num_probes; k++) {
            point.threads = run->probes[k].threads;
            point.block = run->probes[k].block;
            point.measured_s = run->probes[k].completion_s;
            SPOT_ARRAY_PUSH(self, points, point);
        }
    }
}

static double predict(fit_t *self, const point_t *point)
{
    const spot_measured_figures_t *row = point->row;
    spot_loader_t loader = self->loader;
    spot_loader_cost_t *cost = &loader.cost;
    spot_loader_work_t work = {cost->collate_batch, loader.samples, point->sim_s};
    spot_loader_prediction_t prediction = {.completion_s = 0};

    loader.threads = point->threads;
    loader.block = point->block;
    loader.local_share = point->site == SPOT_SITE_LOCAL;
    if (point->is_probe) {
        work.samples = (work.samples + 1) / 2; /* as the published search does */
    }
    if (row != NULL) { /* its times are of samples, merged or not */
        const int64_t merged_ns = loader.block > 1 ? cost->merged_ns : 0;

        work.samples = llround(row->num_batches) * work.batch;
        work.compute_s = row->compute_s;
        cost->compute_ns = 0;
        cost->read_ns[point->site] = whole_ns(row->io_s);
        cost->decode_ns =
            whole_ns(fmax(row->io_s + row->processing_s + 1e-9 * (double) merged_ns, 0));
        loader.block = 1;
    }
    self->error = spot_error_first(self->error, spot_loader_predict(&prediction, &loader, &work));
    return prediction.completion_s;
}

/* ---- Least squares ---- */

/* Constants are sines of what is searched, which keeps them within their bounds. */
static double start_of(const constant_t *constant)
{
    const double range = constant->high - constant->low;

    return asin(2 * (constant->start - constant->low) / range - 1);
}

static void set_costs(fit_t *self, const gsl_vector *x)
{
    spot_loader_cost_t *cost = &self->loader.cost;

    for (size_t j = 0; j < self->num_constants; j++) {
        const constant_t *constant = self->constants[j];
        const double share = (1 + sin(gsl_vector_get(x, j))) / 2;
        void *place = (char *) cost + constant->offset;

        self->values[j] = (constant->is_time ? self->scale : 1) *
                          (constant->low + (constant->high - constant->low) * share);
        if (constant->is_time) {
            *(int64_t *) place = whole_ns(self->values[j]);
        } else {
            *(double *) place = self->values[j];
        }
    }
    if (cost->merged_ns < -cost->decode_ns) {
        cost->merged_ns = -cost->decode_ns;
    }
}

static int find_residuals(const gsl_vector *x, void *context, gsl_vector *residuals)
{
    fit_t *self = context;
    const double ridge = self->is_predictive ? RIDGE : 0;

    set_costs(self, x);
    for (size_t j = 0; j < self->num_points; j++) {
        const point_t *point = &self->points[j];
        const double weight = point->run == self->left_out ? 0 : point->weight;

        gsl_vector_set(residuals, j, weight * (predict(self, point) / point->measured_s - 1));
    }
    for (size_t j = 0; j < self->num_constants; j++) {
        gsl_vector_set(residuals, self->num_points + j,
            ridge * (gsl_vector_get(x, j) - start_of(self->constants[j])));
    }
    return GSL_SUCCESS;
}

/* Finds the costs without the runs of a number, then predicts these, if enough is left;
 * below 0: with all, and predicts all. */
static void fit_without(fit_t *self, int left_out)
{
    gsl_multifit_nlinear_parameters parameters = gsl_multifit_nlinear_default_parameters();
    gsl_multifit_nlinear_fdf system = {.f = find_residuals,
        .n = self->num_points + self->num_constants,
        .p = self->num_constants,
        .params = self};
    double starts[MAX_CONSTANTS];
    gsl_vector_view x = gsl_vector_view_array(starts, system.p);
    gsl_multifit_nlinear_workspace *work;
    size_t num_kept = 0;
    int info;

    parameters.h_df = 1e-3; /* costs are whole nanoseconds */
    parameters.fdtype = GSL_MULTIFIT_NLINEAR_CTRDIFF;
    work = gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &parameters, system.n, system.p);
    self->left_out = left_out;
    for (size_t j = 0; j < system.p; j++) {
        starts[j] = start_of(self->constants[j]);
    }
    if (work == NULL || gsl_multifit_nlinear_init(&x.vector, &system, work) != 0) {
        self->error = SPOT_ERR_NO_MEMORY;
    } else {
        /* Without progress it ends at the best so far. */
        (void) gsl_multifit_nlinear_driver(200, 1e-9, 1e-9, 0, NULL, NULL, &info, work);
        set_costs(self, gsl_multifit_nlinear_position(work));
    }
    gsl_multifit_nlinear_free(work); /* takes NULL */
    for (size_t j = 0; j < self->num_points; j++) {
        num_kept += self->points[j].run != left_out;
    }
    for (size_t j = 0; j < self->num_points; j++) {
        point_t *point = &self->points[j];

        if (left_out < 0) {
            point->predicted_s = predict(self, point);
        } else if (point->run == left_out) {
            point->left_out_s =
                num_kept < self->num_constants ? (double) NAN : predict(self, point);
        }
    }
}

/* ---- The fit ---- */

/* The law of y = time / mean of the run: its cv by moments, its form by likelihood. */
static void find_law(
    const spot_moments_t *y, const spot_moments_t *logs, const char **law, double *cv)
{
    const double num = (double) y->num_values, mean = logs->mean;
    double k, variance, lognormal, gamma;

    *cv = fmin(MAX_CV, fmax(MIN_CV, sqrt(y->sum_squares / num)));
    k = 1 / (*cv * *cv);
    variance = log1p(*cv * *cv);
    lognormal = -mean - log(2 * M_PI * variance) / 2 -
                (logs->sum_squares / num + pow(mean + variance / 2, 2)) / variance / 2;
    gamma = (k - 1) * mean - k + k * log(k) - lgamma(k);
    /* A time of 0 is likelier of gamma. */
    *law = lognormal > gamma && logs->num_values == y->num_values ? "lognormal" : "gamma";
}

/* Sets what is taken as it was measured: samples, and costs in the form three. Returns
 * the number of mean rows of the baseline. */
static double measure(fit_t *self, const spot_measured_runs_t *measured)
{
    spot_loader_cost_t *cost = &self->loader.cost;
    double samples = 0, batches = 0, read_s = 0, decode_s = 0, added_s = 0, num = 0;

    for (size_t j = 0; j < measured->num_rows; j++) {
        const spot_measured_figures_t *mean = &measured->rows[j].mean;

        samples = fmax(samples, mean->samples);
        batches = fmax(batches, mean->num_batches);
        if (measured->rows[j].kind == SPOT_KIND_BASELINE && mean->is_merged == 0) {
            read_s += mean->io_per_sample_s;
            decode_s += mean->decode_per_sample_s;
            added_s += mean->compute_s - measured->rows[j].sim_s;
            num++;
        }
        if (self->is_predictive) {
            self->scale = fmax(self->scale, mean->completion_s);
        }
    }
    self->is_thinned = samples < 0.9 * (batches - 1) * (double) measured->batch;
    self->loader.samples = self->is_thinned ? llround(batches) * measured->batch : llround(samples);
    cost->read_ns[SPOT_SITE_LOCAL] = cost->read_ns[SPOT_SITE_REMOTE] = whole_ns(read_s / num);
    cost->decode_ns = whole_ns(decode_s / num);
    cost->compute_ns = whole_ns(fmax(added_s / num, 0));
    for (int j = 0; j < 2; j++) {
        find_law(&measured->spread[j], &measured->log_spread[j], &self->laws[j], &self->cvs[j]);
    }
    return num;
}

int spot_loader_fit(spot_loader_fit_t *self, bool is_predictive, size_t num_measured,
    const spot_measured_runs_t *measured, int64_t samples)
{
    const spot_site_t site = spot_loader_fit_site(measured->mode);
    spot_loader_cost_t *cost = &self->loader.cost;
    bool has_site[SPOT_NUM_SITES] = {false, false};

    *self = (fit_t){.is_predictive = is_predictive,
        .scale = 1,
        .loader = {.processes = measured->processes,
            .prefetch = 2,
            .threads = 1,
            .block = 1,
            .deal = is_predictive ? SPOT_LOADER_DEAL_SAMPLES : SPOT_LOADER_DEAL_BATCHES,
            .cost = {.collate_batch = measured->batch,
                .handover_ns = 7000000,
                .half_block = 1,
                .exponent = 1}}};
    if (measure(self, measured) == 0) {
        return SPOT_ERR_BAD_PARAM;
    }
    self->loader.samples = samples > 0 ? samples : self->loader.samples;
    for (size_t j = 0; j < num_measured; j++) {
        add_points(self, &measured[j]);
        has_site[spot_loader_fit_site(measured[j].mode)] = true;
    }
    for (size_t j = 0; j < (is_predictive ? MAX_CONSTANTS : NUM_THREE); j++) {
        if (j < NUM_COMMON || has_site[(j - NUM_COMMON) / 2]) {
            self->constants[self->num_constants++] = &constants[j];
        }
    }
    if (self->error != 0 || self->num_points < self->num_constants) {
        return spot_error_first(self->error, SPOT_ERR_BAD_PARAM);
    }
    for (size_t j = 0; is_predictive && j < self->num_points; j++) {
        if (self->points[j].left_out_s == 0) {
            fit_without(self, self->points[j].run);
        }
    }
    fit_without(self, -1);
    if (is_predictive && !has_site[!site]) { /* it is as the other one */
        cost->open_ns[!site] = cost->open_ns[site];
        cost->read_ns[!site] = cost->read_ns[site];
    }
    return self->error;
}

void spot_loader_fit_free(spot_loader_fit_t *self)
{
    free(self->points);
    memset(self, 0, sizeof(*self));
}

/* ---- What it is worth ---- */

void spot_loader_fit_errors(
    const spot_loader_fit_t *self, bool is_probe, bool is_left_out, double *mean, double *max)
{
    double sum = 0, num = 0;

    *max = (double) NAN;
    for (size_t j = 0; j < self->num_points; j++) {
        const point_t *point = &self->points[j];
        const double predicted_s = is_left_out ? point->left_out_s : point->predicted_s;

        if (point->is_probe == is_probe) {
            sum += fabs(predicted_s / point->measured_s - 1);
            *max = fmax(*max, fabs(predicted_s / point->measured_s - 1));
            num++;
        }
    }
    *mean = sum / num;
}

double spot_loader_fit_percent(const spot_loader_fit_t *self, spot_site_t site, double sim_s)
{
    spot_moments_t batches_per_s[SPOT_NUM_KINDS] = {0};

    for (size_t j = 0; j < self->num_points; j++) {
        const point_t *point = &self->points[j];

        if (!point->is_probe && point->site == site && point->sim_s == sim_s) {
            spot_moments_add(&batches_per_s[point->kind], 1 / point->predicted_s);
        }
    }
    return 100 * (batches_per_s[SPOT_KIND_OURS].mean / batches_per_s[SPOT_KIND_BASELINE].mean - 1);
}
