/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What traces and runs cost: ns an event of each generator, rows/s of files that are
 * written and read, the long one of 3 million rows; CPU time a run, ns an event and
 * runs/s for the seed scenario, for a large fleet, ns an event of a queue, the speed-up
 * of a study from one thread to two, all recovery systems side by side, and the table
 * study of Bamboo. Prints; asserts nothing. */
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/units.h"
#include "base/watch.h"
#include "sim/bench/study/compare.h"
#include "sim/bench/study/run.h"
#include "sim/bench/study/study.h"
#include "sim/engines.h"
#include "sim/train/job/train.h"
#include "sim/train/recovery/recovery.h"
#include "traces/generate/generate.h"

#define BENCH_FOLDER SPOT_SOURCE_DIR "/tests/bench/"
/* Of the runs of a scenario. */
#define NUM_SLICES 50
#define NUM_ROUNDS 20

#define STUDY_FOLDER SPOT_SOURCE_DIR "/reports/studies/idle-vs-preemption/"

extern const spot_experiment_t spot_engine_queue;

static void stop_on_error(int error, spot_diag_t *diag)
{
    if (error != 0) {
        spot_diag_print(diag, stderr);
        fprintf(stderr, "bench: %s\n", spot_error_text(error));
        exit(1);
    }
}

/* Rows of the trace that a run saw: events of one kind at one tick, about. */
static int64_t count_events(const spot_scenario_t *scenario, uint64_t replication)
{
    spot_membership_t membership;
    spot_change_t change;
    int64_t num_events = 0;

    if (spot_membership_init(&membership, &scenario->trace, scenario->fleet.capacity) == 0) {
        spot_membership_start(&membership, 1, replication);
        while (
            spot_membership_next(&membership, &change) && change.time_ms < scenario->horizon_ms) {
            num_events++;
        }
    }
    spot_membership_free(&membership);
    return num_events;
}

static double time_runs(spot_train_t *train, int64_t start, int64_t end)
{
    const double started_s = spot_clock_cpu_s();

    for (int64_t j = start; j < end; j++) {
        if (spot_train_run(train, 1, (uint64_t) j, NULL) != 0) {
            exit(1);
        }
    }
    return spot_clock_cpu_s() - started_s;
}

/* The best of several rounds for each slice of the runs, so that what else the machine
 * does for a moment spoils no round as a whole. */
static double time_best_runs(spot_train_t *train, int64_t num_runs)
{
    const int64_t num_slices = num_runs < NUM_SLICES ? num_runs : NUM_SLICES;
    double best_s[NUM_SLICES], all_s = 0;

    for (int round = 0; round < NUM_ROUNDS; round++) {
        for (int64_t j = 0; j < num_slices; j++) {
            const double slice_s =
                time_runs(train, j * num_runs / num_slices, (j + 1) * num_runs / num_slices);

            best_s[j] = round == 0 || slice_s < best_s[j] ? slice_s : best_s[j];
        }
    }
    for (int64_t j = 0; j < num_slices; j++) {
        all_s += best_s[j];
    }
    return all_s;
}

static void bench_scenario(const char *path, int64_t num_runs)
{
    spot_diag_t diag;
    spot_scenario_t scenario;
    spot_train_t train;
    double run_s;
    int64_t num_events = 0;

    spot_diag_init(&diag);
    stop_on_error(spot_scenario_read(&scenario, path, NULL, &diag), &diag);
    stop_on_error(spot_train_init(&train, &scenario), &diag);
    for (int64_t j = 0; j < num_runs; j++) {
        num_events += count_events(&scenario, (uint64_t) j);
    }
    run_s = time_best_runs(&train, num_runs) / (double) num_runs;
    printf("%-14s %12.2f us CPU a run  %8.0f events a run  %8.1f ns an event  %10.0f "
           "runs/s\n",
        scenario.name, 1e6 * run_s, (double) num_events / (double) num_runs,
        1e9 * run_s * (double) num_runs / (double) num_events, 1 / run_s);
    spot_train_free(&train);
    spot_scenario_free(&scenario);
    spot_diag_free(&diag);
}

static void run_in_memory(const spot_study_t *study, int num_threads)
{
    const spot_study_run_t run = {.num_threads = num_threads};
    spot_store_t *store = NULL;

    if (spot_store_open_memory(&store, &study->head) != 0 ||
        spot_study_run(study, store, &run, NULL) != 0) {
        exit(1);
    }
    store->close(store);
}

static double time_study(const spot_study_t *study, int num_threads)
{
    const double started_s = spot_clock_s();

    run_in_memory(study, num_threads);
    return spot_clock_s() - started_s;
}

/* In turn, so that what else the machine does for a while is in both. */
static void bench_threads(const char *path)
{
    spot_diag_t diag;
    spot_study_t study;
    double speedups[NUM_ROUNDS], one_s = 1e9, two_s = 1e9;

    spot_diag_init(&diag);
    stop_on_error(spot_study_read(&study, spot_engines, path, NULL, &diag), &diag);
    for (int round = 0; round < NUM_ROUNDS; round++) {
        const double round_one_s = time_study(&study, 1);
        const double round_two_s = time_study(&study, 2);

        speedups[round] = round_one_s / round_two_s;
        one_s = round_one_s < one_s ? round_one_s : one_s;
        two_s = round_two_s < two_s ? round_two_s : two_s;
    }
    printf("%-14s 1 thread %.3f s, 2 threads %.3f s: speed-up %.2f, median of rounds %.2f "
           "(%zu points x %lld replications, %.2f us a run)\n",
        study.head.name, one_s, two_s, one_s / two_s, gsl_stats_median(speedups, 1, NUM_ROUNDS),
        study.head.num_points, (long long) study.head.num_replications,
        1e6 * one_s / (double) study.head.num_points / (double) study.head.num_replications);
    spot_study_free(&study);
    spot_diag_free(&diag);
}

/* As many instances, losses and additions as in a published trace of half a day. */
static void write_named_trace(const char *file)
{
    const spot_generate_t task = {.seed = 1,
        .horizon_ms = 682 * SPOT_MS_PER_MIN,
        .kind = SPOT_TRACE_NAMED,
        .name = "bench",
        .version = "0"};
    spot_trace_model_t model = {0};
    spot_yaml_t document;
    spot_diag_t diag;

    spot_diag_init(&diag);
    stop_on_error(spot_yaml_read(&document, BENCH_FOLDER "p3-size.yaml", &diag), &diag);
    stop_on_error(spot_trace_model_read(&model, document.root, &diag), &diag);
    spot_trace_model_set_horizon(&model, task.horizon_ms);
    stop_on_error(spot_generate(&model, &task, file, &diag), &diag);
    spot_trace_model_free(&model);
    spot_yaml_free(&document);
    spot_diag_free(&diag);
}

/* What is published of no model. */
#define GEMINI ", state_bytes: 1e10, net_bytes_per_s: 1e9"

/* "A,B,...": every recovery system there is, with published figures. */
static char *list_systems(void)
{
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    stop_on_error(out == NULL ? SPOT_ERR_NO_MEMORY : 0, NULL);
    for (size_t j = 0; spot_recovery_systems[j] != NULL; j++) {
        const spot_recovery_t *system = spot_recovery_systems[j];

        fprintf(out, "%s{system: %s%s%s}", j == 0 ? "" : ",", system->name,
            system->published == NULL ? "" : ", published_defaults: yes",
            system == &spot_recovery_gemini ? GEMINI : "");
    }
    fclose(out);
    return text;
}

/* What `spotsim compare` does: all systems on one recorded trace, reading included. */
static void bench_compare(void)
{
    const char *file = "spotsim-bench.csv";
    char *systems = list_systems();
    const spot_compare_key_t key = {"--recovery", "recovery", systems};
    const spot_compare_request_t comparison = {.scenario_path = BENCH_FOLDER "compare.yaml",
        .num_keys = 1,
        .keys = &key,
        .trace_path = file,
        .seed = 1};
    double best_s = 1e9;
    size_t num_systems = 0;

    write_named_trace(file);
    for (int round = 0; round < 5; round++) {
        const double started_s = spot_clock_s();
        spot_diag_t diag;
        spot_study_t study;
        double run_s;

        spot_diag_init(&diag);
        stop_on_error(spot_compare_read(&comparison, spot_engines, &study, &diag), &diag);
        run_in_memory(&study, 1);
        run_s = spot_clock_s() - started_s;
        best_s = run_s < best_s ? run_s : best_s;
        num_systems = study.head.num_points;
        spot_study_free(&study);
        spot_diag_free(&diag);
    }
    printf("%-14s %12.2f ms for %zu systems (%s) on a recorded trace\n", "compare", 1e3 * best_s,
        num_systems, systems);
    remove(file);
    free(systems);
}

/* Events of a model file, one replication after another. */
static void bench_generator(const char *name, const char *path)
{
    const double started_s = spot_clock_cpu_s();
    int64_t num_events = 0;
    double run_s, num_ticks = 0;
    spot_trace_model_t model = {0};
    spot_yaml_t document;
    spot_event_t event;
    spot_diag_t diag;
    void *state;

    spot_diag_init(&diag);
    stop_on_error(spot_yaml_read(&document, path, &diag), &diag);
    stop_on_error(spot_trace_model_read(&model, document.root, &diag), &diag);
    state = calloc(1, spot_trace_model_state_bytes(&model));
    stop_on_error(state == NULL ? SPOT_ERR_NO_MEMORY : 0, &diag);
    for (uint64_t replication = 0; spot_clock_cpu_s() < started_s + 0.5; replication++) {
        const spot_dice_t dice = {.seed = 1, .replication = replication};

        model.generator->start(state, model.model, &dice);
        while (model.generator->next(state, &event)) {
            num_events++;
        }
        num_ticks += (double) spot_trace_model_common(&model)->horizon_ms /
                     (double) spot_trace_model_common(&model)->tick_ms;
    }
    run_s = spot_clock_cpu_s() - started_s;
    printf("%-14s %12.1f ns an event  %9.1f ns a tick  %9.1f ms for 100,000 events\n", name,
        1e9 * run_s / (double) num_events, 1e9 * run_s / num_ticks,
        1e3 * run_s * 1e5 / (double) num_events);
    free(state);
    spot_trace_model_free(&model);
    spot_yaml_free(&document);
    spot_diag_free(&diag);
}

/* The file read, the best of some times. */
static double time_reading(const char *file, spot_trace_t *trace, spot_diag_t *diag)
{
    double best_s = 1e9;

    for (int round = 0; round < 3; round++) {
        double started_s, read_s;

        if (round > 0) {
            spot_trace_free(trace);
        }
        started_s = spot_clock_cpu_s();
        stop_on_error(spot_trace_read(trace, file, false, diag), diag);
        read_s = spot_clock_cpu_s() - started_s;
        best_s = read_s < best_s ? read_s : best_s;
    }
    return best_s;
}

/* Rows a second of a file that a model makes, and the time to make it. */
static void bench_file(const char *name, const char *path, spot_trace_kind_t kind, int num_years)
{
    const spot_generate_t task = {.seed = 1,
        .horizon_ms = num_years * 365 * SPOT_MS_PER_D,
        .kind = kind,
        .name = name,
        .version = "0"};
    const char *file = "spotsim-bench.csv";
    double started_s, write_s, read_s;
    spot_trace_model_t model = {0};
    spot_yaml_t document;
    spot_trace_t trace;
    spot_diag_t diag;

    spot_diag_init(&diag);
    stop_on_error(spot_yaml_read(&document, path, &diag), &diag);
    stop_on_error(spot_trace_model_read(&model, document.root, &diag), &diag);
    spot_trace_model_set_horizon(&model, task.horizon_ms);
    started_s = spot_clock_cpu_s();
    stop_on_error(spot_generate(&model, &task, file, &diag), &diag);
    write_s = spot_clock_cpu_s() - started_s;
    read_s = time_reading(file, &trace, &diag);
    printf("%-14s %12.1f ms to write %d a, %.1f ms to read it: %zu rows, %.2f M rows/s", name,
        1e3 * write_s, num_years, 1e3 * read_s, trace.num_events,
        1e-6 * (double) trace.num_events / read_s);
    if (trace.num_name_ids > 0) {
        printf(", %.2f M names/s", 1e-6 * (double) trace.num_name_ids / read_s);
    }
    printf("\n");
    remove(file);
    spot_trace_free(&trace);
    spot_trace_model_free(&model);
    spot_yaml_free(&document);
    spot_diag_free(&diag);
}

/* The published table study of Bamboo: 5 probabilities x 10,000 seeds. */
static void bench_table(void)
{
    static const char *const sets[] = {"replications.count=10000",
        "sweep={trace.preempt_per_h: [0.01, 0.05, 0.1, 0.25, 0.5]}", "plot={}"};
    const spot_study_run_t run = {.num_threads = 2};
    spot_diag_t diag;
    spot_study_t study;
    spot_store_t *store = NULL;
    double started_s;

    spot_diag_init(&diag);
    stop_on_error(
        spot_study_read(&study, spot_engines,
            SPOT_SOURCE_DIR "/reports/studies/bamboo-2023/study.yaml",
            &(spot_scenario_changes_t){.num_sets = sizeof(sets) / sizeof(sets[0]), .sets = sets},
            &diag),
        &diag);
    started_s = spot_clock_s();
    stop_on_error(spot_store_open_memory(&store, &study.head), &diag);
    stop_on_error(spot_study_run(&study, store, &run, NULL), &diag);
    store->close(store);
    printf("%-14s 2 threads %.3f s (%zu points x %lld replications)\n", study.head.name,
        spot_clock_s() - started_s, study.head.num_points, (long long) study.head.num_replications);
    spot_study_free(&study);
    spot_diag_free(&diag);
}

/* M/M/1 at a load of 0.8 by share/examples/engine_queue.c: an event is an arrival or a
 * departure, draws included. */
static void bench_queue(void)
{
    static const char text[] = "{scenario: bench, engine: queue, servers: 1, "
                               "arrivals_per_s: 0.8, customers: 100000, warm_up: 0}";
    const double num_events = 2e5;
    double best_s = HUGE_VAL, metrics[4]; /* three and one of the only server */
    void *scenario, *worker;
    spot_yaml_t document;
    spot_diag_t diag;

    spot_diag_init(&diag);
    stop_on_error(spot_yaml_parse(&document, "bench", text, sizeof(text) - 1, &diag), &diag);
    stop_on_error(spot_engine_queue.bind(&scenario, document.root, NULL, &diag), &diag);
    stop_on_error(spot_engine_queue.open(&worker, scenario), &diag);
    for (uint64_t j = 0; j < NUM_ROUNDS; j++) {
        const spot_replication_t wanted = {.seed = 1, .replication = j};
        const double started_s = spot_clock_cpu_s();
        double run_s;

        stop_on_error(spot_engine_queue.run(worker, &wanted, metrics, NULL, NULL), &diag);
        run_s = spot_clock_cpu_s() - started_s;
        best_s = run_s < best_s ? run_s : best_s;
    }
    printf("%-14s %12.1f ns an event of M/M/1\n", "queue", 1e9 * best_s / num_events);
    spot_engine_queue.close(worker);
    spot_engine_queue.free(scenario);
    spot_yaml_free(&document);
    spot_diag_free(&diag);
}

int main(void)
{
    bench_generator("seed", BENCH_FOLDER "seed.yaml");
    bench_generator("mrp", BENCH_FOLDER "mrp.yaml");
    bench_generator("mrp lifetimes", BENCH_FOLDER "mrp-lifetimes.yaml");
    bench_generator("block", BENCH_FOLDER "block.yaml");
    bench_generator("lifetimes", BENCH_FOLDER "lifetimes.yaml");
    bench_generator("replay", BENCH_FOLDER "replay.yaml");
    bench_file("counts", BENCH_FOLDER "mrp.yaml", SPOT_TRACE_COUNTS, 1);
    bench_file("counts, long", BENCH_FOLDER "mrp.yaml", SPOT_TRACE_COUNTS, 33);
    bench_file("named", BENCH_FOLDER "mrp.yaml", SPOT_TRACE_NAMED, 1);

    bench_scenario(STUDY_FOLDER "seed-64.yaml", 10000);
    bench_scenario(SPOT_SOURCE_DIR "/tests/bench/large-fleet.yaml", 1);
    bench_queue();
    bench_threads(STUDY_FOLDER "study.yaml");
    bench_threads(BENCH_FOLDER "ten-systems.yaml");
    bench_compare();
    bench_table();
    return 0;
}
