/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the input pipeline costs: reading a folder of measured runs (that of ../shared,
 * if it is there), a search over 60 points of a model, the event model, and an epoch of
 * the engine whose times are drawn. Best of some rounds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/watch.h"
#include "base/yaml.h"
#include "models/loader/measured.h"
#include "sim/input/search.h"

#define RUNS SPOT_SOURCE_DIR "/../shared/data/input/librispeech_remote"
#define NUM_ROUNDS 7
#define NUM_EVENTS 1000000

static const char text[] =
    "scenario: bench\nengine: input\ncompute: 100 ms\n"
    "input:\n  samples: 28539\n"
    "  cost: {decode: 9 ms, open: {local: 1 ms}, collate: {time: 1 s}, start: 2 s}\n"
    "spread: {read: {lognormal: {cv: 0.5}}, decode: {lognormal: {cv: 0.5}}}\n";

static void stop_on_error(int error, const char *what)
{
    if (error != 0) {
        fprintf(stderr, "bench: %s: %s\n", what, spot_error_text(error));
        exit(1);
    }
}

static void *bind(void)
{
    spot_yaml_t document;
    spot_diag_t diag;
    void *scenario;
    int ret;

    spot_diag_init(&diag);
    ret = spot_yaml_parse(&document, "bench", text, strlen(text), &diag);
    stop_on_error(ret, "scenario");
    ret = spot_input_experiment.bind(&scenario, document.root, NULL, &diag);
    spot_diag_print(&diag, stderr);
    spot_diag_free(&diag);
    stop_on_error(ret, "scenario");
    spot_yaml_free(&document);
    return scenario;
}

static void read_runs(void *context)
{
    spot_measured_runs_t runs;
    spot_diag_t diag;

    (void) context;
    spot_diag_init(&diag);
    stop_on_error(spot_measured_runs_read(&runs, RUNS, NULL, NULL, 512, 8, &diag), "runs");
    spot_measured_runs_free(&runs);
    spot_diag_free(&diag);
}

static void search(void *context)
{
    spot_search_jobs_t jobs = {1, context};
    spot_search_t self = {.max_evaluations = 60,
        .threads = {true, 4, {1, 2, 4, 8}},
        .blocks = {.is_given = true, .num_values = 15},
        .measure = spot_search_predict,
        .context = &jobs};
    spot_arena_t memory = {0};

    for (int64_t j = 0; j < 15; j++) {
        self.blocks.values[j] = 20 * (j + 1);
    }
    stop_on_error(spot_search_run(&self, &spot_search_grid, &memory), "search");
    spot_arena_free(&memory);
}

static double constant(void *context, int64_t process, int64_t round)
{
    (void) process;
    (void) round;
    return *(const double *) context;
}

static void run_events(void *context)
{
    const spot_loader_flow_t flow = {NUM_EVENTS, 8, 2, 2, 0.007, 0.1};
    double batch_s = 6.9, memory[8 * 3];
    int64_t num_taken;

    spot_loader_run_in(&flow, constant, &batch_s, memory, context, &num_taken);
}

static void run_epoch(void *context)
{
    static uint64_t number;
    const spot_replication_t replication = {.seed = 1, .replication = number++};
    unsigned char warnings[SPOT_MAX_WARNINGS];
    double metrics[100];

    stop_on_error(
        spot_input_experiment.run(context, &replication, metrics, warnings, NULL), "epoch");
}

static void measure(const char *what, void (*work)(void *context), void *context)
{
    double least_s = 1e300;

    for (int j = 0; j < NUM_ROUNDS; j++) {
        const double start_s = spot_clock_thread_s();
        double work_s;

        work(context);
        work_s = spot_clock_thread_s() - start_s;
        least_s = work_s < least_s ? work_s : least_s;
    }
    printf("%-42s %8.3f ms\n", what, 1000 * least_s);
}

int main(void)
{
    double *waits = calloc(NUM_EVENTS, sizeof(*waits));
    void *scenario = bind(), *worker;

    stop_on_error(waits == NULL ? SPOT_ERR_NO_MEMORY : 0, "waits");
    stop_on_error(spot_input_experiment.open(&worker, scenario), "worker");
    if (access(RUNS, R_OK) == 0) {
        measure("reading 30 runs, all figures", read_runs, NULL);
    } else {
        printf("no measured runs beside the repository\n");
    }
    measure("a grid of 60 points on the model", search, scenario);
    measure("1e6 batches of the event model", run_events, waits);
    measure("an epoch of 28,539 samples, lognormal times", run_epoch, worker);
    spot_input_experiment.close(worker);
    spot_input_experiment.free(scenario);
    free(waits);
    return 0;
}
