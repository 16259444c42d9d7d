/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the store on disk costs: rows/s that two threads put, how long a worker waits at
 * 100,000 rows/s, and the share of CPU time that it adds to studies of the seed
 * scenario. With a number as argument it puts that many rows and reads them, to be
 * watched with /usr/bin/time -v. Writes into the working folder. Prints; asserts
 * nothing. */
#include <gsl/gsl_statistics.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/watch.h"
#include "sim/bench/analysis/summary.h"
#include "sim/bench/store/store_sqlite.h"
#include "sim/bench/study/metrics.h"
#include "sim/bench/study/run.h"
#include "sim/bench/study/study.h"
#include "sim/engines.h"

#define BATCH_ROWS 64 /* of the study */

#define NUM_ROUNDS 60 /* of a study with a store and without one */
#define STUDY_FOLDER SPOT_SOURCE_DIR "/reports/studies/idle-vs-preemption/"
#define STORE "spotsim-bench.db"
#define NUM_THREADS 2
#define MAX_METRICS 30

static void stop_on_error(int error, const spot_diag_t *diag)
{
    if (error != 0) {
        spot_diag_print(diag, stderr);
        fprintf(stderr, "bench: %s\n", spot_error_text(error));
        exit(1);
    }
}

static void remove_store(void)
{
    unlink(STORE);
    unlink(STORE "-wal");
    unlink(STORE "-shm");
}

static spot_store_t *open_store(const spot_study_head_t *head)
{
    const spot_provenance_t provenance = {"", "", "", "", "", "", "", "", 0, .shard = ""};
    spot_store_t *store;
    spot_diag_t diag;

    remove_store();
    spot_diag_init(&diag);
    stop_on_error(spot_store_open_sqlite(&store, STORE, head, &provenance, &diag), &diag);
    spot_diag_free(&diag);
    return store;
}

static void flush(spot_store_t *store)
{
    spot_diag_t diag;

    spot_diag_init(&diag);
    stop_on_error(store->flush(store, &diag), &diag);
    spot_diag_free(&diag);
}

/* A thread that puts every NUM_THREADS-th batch. */
typedef struct {
    spot_store_t *store;
    int64_t thread_id;
    double rows_per_s; /* 0: as many as it can */
    double longest_s;  /* of a put */
} worker_t;

static void wait_until(double time_s)
{
    const double left_s = time_s - spot_clock_s();
    const struct timespec left = {
        (time_t) left_s, (long) (1e9 * (left_s - (double) (time_t) left_s))};

    if (left_s > 0) {
        nanosleep(&left, NULL);
    }
}

static void *put_batches(void *context)
{
    static const uint32_t warnings[BATCH_ROWS];
    worker_t *self = context;
    const spot_study_head_t *head = self->store->head;
    const int64_t size = spot_study_batch_size(head);
    const double started_s = spot_clock_s();
    double *rows = malloc((size_t) size * head->num_metrics * sizeof(*rows));
    int64_t num_put = 0;

    for (int64_t j = self->thread_id * size; rows != NULL && j < head->num_replications;
         j += NUM_THREADS * size) {
        const int64_t left = head->num_replications - j;
        const spot_piece_t piece = {0, j, (size_t) (left < size ? left : size), rows, warnings};
        double put_s;

        for (size_t k = 0; k < piece.num_rows * head->num_metrics; k++) {
            rows[k] = 1.0 / (double) (j + (int64_t) k + 1);
        }
        if (self->rows_per_s > 0) {
            wait_until(started_s + (double) num_put / self->rows_per_s);
        }
        put_s = spot_clock_s();
        stop_on_error(self->store->put(self->store, &piece), &(spot_diag_t){0});
        put_s = spot_clock_s() - put_s;
        self->longest_s = put_s > self->longest_s ? put_s : self->longest_s;
        num_put += (int64_t) piece.num_rows;
    }
    free(rows);
    return NULL;
}

static spot_study_head_t plain_head(size_t num_metrics, int64_t num_rows)
{
    static char names[MAX_METRICS][8];
    static spot_metric_t metrics[MAX_METRICS];

    for (size_t j = 0; j < MAX_METRICS; j++) {
        snprintf(names[j], sizeof(names[j]), "m%zu", j);
        metrics[j] = (spot_metric_t){.name = names[j], .unit = "1", .help = ""};
    }
    return (spot_study_head_t){.batch_replications = 64,
        .num_replications = num_rows,
        .num_points = 1,
        .num_metrics = num_metrics,
        .num_listed = num_metrics,
        .metrics = metrics};
}

/* Puts all rows; returns the longest time that a put took. */
static double put_all(spot_store_t *store, double rows_per_s)
{
    pthread_t threads[NUM_THREADS];
    worker_t workers[NUM_THREADS];
    double longest_s = 0;

    for (int j = 0; j < NUM_THREADS; j++) {
        workers[j] = (worker_t){store, j, rows_per_s / NUM_THREADS, 0};
        if (pthread_create(&threads[j], NULL, put_batches, &workers[j]) != 0) {
            exit(1);
        }
    }
    for (int j = 0; j < NUM_THREADS; j++) {
        pthread_join(threads[j], NULL);
        longest_s = workers[j].longest_s > longest_s ? workers[j].longest_s : longest_s;
    }
    flush(store);
    return longest_s;
}

static void bench_put(size_t num_metrics)
{
    const spot_study_head_t head = plain_head(num_metrics, 1000000);
    spot_store_t *store = open_store(&head);
    const double started_s = spot_clock_s();
    const double started_cpu_s = spot_clock_cpu_s();
    double passed_s, cpu_s;

    (void) put_all(store, 0);
    passed_s = spot_clock_s() - started_s;
    cpu_s = spot_clock_cpu_s() - started_cpu_s;
    store->close(store);
    printf("put %2zu metrics  %8.0f rows/s  %6.2f us of CPU time a row\n", num_metrics,
        (double) head.num_replications / passed_s, 1e6 * cpu_s / (double) head.num_replications);
}

static void bench_wait(size_t num_metrics)
{
    const spot_study_head_t head = plain_head(num_metrics, 1000000);
    spot_store_t *store = open_store(&head);
    const double longest_s = put_all(store, 1e5);

    store->close(store);
    printf("at 100,000 rows/s with %2zu metrics a put took at most %.2f ms\n", num_metrics,
        1e3 * longest_s);
}

/* A store that keeps nothing, to know what a study costs without one. */
static int null_put(spot_store_t *self, const spot_piece_t *piece)
{
    (void) self;
    (void) piece;
    return 0;
}

static int null_flush(spot_store_t *self, spot_diag_t *diag)
{
    (void) self;
    (void) diag;
    return 0;
}

static int64_t null_num_there(const spot_store_t *self, size_t point_id, int64_t first)
{
    (void) self;
    (void) point_id;
    (void) first;
    return 0;
}

static void null_close(spot_store_t *self)
{
    (void) self;
}

/* CPU time of a study; opening its store and closing it, which is the same for a study
 * of any size, is added to *door_s. */
static double time_study(const spot_study_t *study, bool has_store, double *door_s)
{
    const spot_study_run_t run = {.num_threads = NUM_THREADS};
    const double came_s = spot_clock_cpu_s();
    spot_store_t null = {.head = &study->head,
        .put = null_put,
        .flush = null_flush,
        .num_there = null_num_there,
        .close = null_close};
    spot_store_t *store = has_store ? open_store(&study->head) : &null;
    const double started_s = spot_clock_cpu_s();
    double ended_s;
    spot_diag_t diag;

    spot_diag_init(&diag);
    stop_on_error(spot_study_run(study, store, &run, &diag), &diag);
    ended_s = spot_clock_cpu_s();
    store->close(store);
    spot_diag_free(&diag);
    *door_s += started_s - came_s + spot_clock_cpu_s() - ended_s;
    return ended_s - started_s;
}

static void bench_study(const char *ledger)
{
    const char *const sets[] = {ledger, "replications.count=12800", "job.pipeline_depth=[16, 8]",
        "trace.preemption.per_minute=[0.16338]"};
    double shares[NUM_ROUNDS], best_s = 1e9, door_s = 0, no_door_s = 0, share, run_us;
    spot_study_t study;
    spot_diag_t diag;

    spot_diag_init(&diag);
    stop_on_error(spot_study_read(&study, spot_engines, STUDY_FOLDER "study.yaml",
                      &(spot_scenario_changes_t){.num_sets = 4, .sets = sets}, &diag),
        &diag);
    stop_on_error(spot_study_keep_ledger(&study, NULL), &diag);
    for (int round = 0; round < NUM_ROUNDS; round++) { /* in turn, on a noisy machine */
        const double without_s = time_study(&study, false, &no_door_s);

        shares[round] = time_study(&study, true, &door_s) / without_s - 1;
        best_s = without_s < best_s ? without_s : best_s;
    }
    share = gsl_stats_median(shares, 1, NUM_ROUNDS);
    run_us = 1e6 * best_s / (double) study.head.num_points / (double) study.head.num_replications;
    printf("%s: seed scenario, %zu metrics: %.2f us a run, the store adds %.2f us "
           "or %.1f %% (median of rounds), and %.1f ms to be opened and closed\n",
        ledger, study.head.num_metrics, run_us, share * run_us, 100 * share,
        1e3 * door_s / NUM_ROUNDS);
    spot_study_free(&study);
    spot_diag_free(&diag);
}

/* For /usr/bin/time -v. */
static void fill(int64_t num_rows)
{
    const spot_study_head_t head = plain_head(10, num_rows);
    spot_store_t *store = open_store(&head);
    spot_summary_t summaries[MAX_METRICS];

    (void) put_all(store, 0);
    stop_on_error(spot_summarise(store, 0, summaries), &(spot_diag_t){0});
    printf("%lld rows of 10 metrics, median of the first %g\n", (long long) summaries[0].num_values,
        summaries[0].median);
    store->close(store);
}

int main(int argc, char **argv)
{
    static const size_t num_metrics[] = {3, 10, 30};

    if (argc > 1) {
        fill(atoll(argv[1]));
        remove_store();
        return 0;
    }
    for (size_t j = 0; j < 3; j++) {
        bench_put(num_metrics[j]);
    }
    bench_wait(10);
    bench_wait(30);
    bench_study("ledger=no");
    bench_study("ledger=yes");
    remove_store();
    return 0;
}
