/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the engine serve costs, in the same run as a plain Python program of the same
 * rules (serve_loop.py), which must find the same latencies; what an event costs with
 * many replicas and a run with many queries; memory and allocations. The arrivals and
 * profiles are those of ../shared, if it is there, else the case's own. Prints; the only
 * failures are results that differ. */
#include <gsl/gsl_randist.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/json.h"
#include "base/rng.h"
#include "base/units.h"
#include "base/watch.h"
#include "tests/unit/serve/serve_case.h"

#define FOLDER SPOT_SOURCE_DIR "/../shared/data/"
#define DELTAS FOLDER "serving/poisson_100qps.deltas.gz"
#define PROFILES FOLDER "profiles/serving"
#define LOOP SPOT_SOURCE_DIR "/tests/bench/serve_loop.py"
#define CASES "spotsim-bench-serve.json"
#define NUM_QUERIES 50001
#define NUM_ROUNDS 15
#define NUM_STAGES 4
#define MAX_LINE 64

/* ---- Allocations ---- */

static int64_t num_allocations;

#define COUNTED(function, parameters, arguments)                                                   \
    void *__real_##function parameters;                                                            \
    void *__wrap_##function parameters;                                                            \
    void *__wrap_##function parameters                                                             \
    {                                                                                              \
        num_allocations++;                                                                         \
        return __real_##function arguments;                                                        \
    }
COUNTED(malloc, (size_t num_bytes), (num_bytes))
COUNTED(calloc, (size_t num_items, size_t item_bytes), (num_items, item_bytes))
COUNTED(realloc, (void *memory, size_t num_bytes), (memory, num_bytes))

/* ---- Cases ---- */

typedef struct {
    const char *name;
    struct {
        const char *hardware;
        int64_t batch, replicas;
    } options[NUM_STAGES]; /* in pipeline order */
    int64_t delay_ns;      /* of ResNet and Inception */
    int releases_when_full;
} bench_case_t;

static const char *const stages[NUM_STAGES] = {"ResNet", "KSVM", "Inception", "LogReg"};

static const bench_case_t cases[] = {
    {"C1", {{"V100", 16, 1}, {"cpu", 16, 1}, {"V100", 16, 1}, {"cpu", 2, 1}}, 0, 0},
    {"C4", {{"TPX", 8, 3}, {"cpu", 8, 1}, {"TPX", 8, 2}, {"cpu", 8, 1}}, 0, 0},
    {"C6", {{"TPX", 8, 3}, {"cpu", 8, 1}, {"TPX", 8, 2}, {"cpu", 8, 1}}, 20000000, 0},
    {"C8", {{"TPX", 8, 3}, {"cpu", 8, 1}, {"TPX", 8, 2}, {"cpu", 8, 1}}, 20000000, 1},
    {"N", {{"V100", 1, 11}, {"cpu", 1, 3}, {"V100", 1, 4}, {"cpu", 1, 1}}, 0, 0},
};
#define NUM_CASES (sizeof(cases) / sizeof(cases[0]))

static double deltas_ms[NUM_QUERIES - 1];
static char (*lines)[MAX_LINE]; /* [NUM_QUERIES - 1] the same as text */

/* The time to read the lines as numbers. */
static double parse_s(void)
{
    const double start_s = spot_clock_thread_s();

    for (int j = 0; j < NUM_QUERIES - 1; j++) {
        deltas_ms[j] = strtod(lines[j], NULL);
    }
    return spot_clock_thread_s() - start_s;
}

/* Deltas of the file, or drawn. */
static void make_deltas(void)
{
    gzFile file = access(DELTAS, R_OK) == 0 ? gzopen(DELTAS, "r") : NULL;
    spot_rng_t rng;

    lines = calloc(NUM_QUERIES - 1, sizeof(*lines));
    spot_bug_assert(lines != NULL);
    spot_rng_seek(&rng, 1, 0, SPOT_STREAM_ARRIVAL, 0);
    for (int j = 0; j < NUM_QUERIES - 1; j++) {
        if (file == NULL || gzgets(file, lines[j], MAX_LINE) == NULL) {
            snprintf(lines[j], MAX_LINE, "%.17g", gsl_ran_exponential(spot_rng_gsl(&rng), 10));
        }
    }
    printf("arrivals %s\n", file == NULL ? "drawn" : "of " DELTAS);
    if (file != NULL) {
        gzclose(file);
    }
}

static void arrive(serve_case_t *self, int num_times)
{
    int64_t now_ns = 0;

    serve_case_arrive(self, 0);
    for (int j = 0; j < num_times * (NUM_QUERIES - 1); j++) {
        now_ns += spot_ns_from_ms(deltas_ms[j % (NUM_QUERIES - 1)]);
        serve_case_arrive(self, now_ns);
    }
}

static void open_case(serve_case_t *self, const bench_case_t *bench, int num_times)
{
    serve_case_open(self, serve_case_image_driver);
    if (access(PROFILES, R_OK) == 0) {
        serve_case_read_profiles(self, PROFILES);
    }
    for (int j = 0; j < NUM_STAGES; j++) {
        spot_stage_option_t *option = serve_case_option(self, stages[j], bench->options[j].hardware,
            bench->options[j].batch, bench->options[j].replicas);

        if (j % 2 == 0) {
            option->delay_ns = bench->delay_ns;
            option->releases_when_full = bench->releases_when_full;
        }
    }
    arrive(self, num_times);
}

/* The best CPU time of some runs. */
static double best_s(serve_case_t *self, int num_rounds)
{
    double least_s = 1e300;

    for (int j = 0; j < num_rounds; j++) {
        const double start_s = spot_clock_thread_s();
        double run_s;

        serve_case_run(self, false);
        run_s = spot_clock_thread_s() - start_s;
        least_s = run_s < least_s ? run_s : least_s;
    }
    return least_s;
}

/* ---- Against Python ---- */

static void write_stage(
    spot_json_t *json, const serve_case_t *self, const spot_serve_pipeline_node_t *node)
{
    const spot_serve_plan_t *plan = &self->plans[node->stage_id];

    spot_json_integer(json, "batch", plan->option.batch);
    spot_json_integer(json, "replicas", plan->option.replicas);
    spot_json_integer(json, "delay_ns", plan->option.delay_ns);
    spot_json_boolean(json, "release", plan->option.releases_when_full != 0);
    spot_json_open(json, "busy_ns", '[');
    for (int32_t n = 0; n <= plan->option.batch; n++) {
        spot_json_integer(json, NULL, plan->time->busy_ns[n]);
    }
    spot_json_close(json, ']');
}

static void write_case(spot_json_t *json, const char *name, const serve_case_t *self)
{
    spot_json_open(json, NULL, '{');
    spot_json_text(json, "name", name);
    spot_json_integer(json, "rounds", 3);
    spot_json_open(json, "arrivals_ns", '[');
    for (size_t j = 0; j < self->num_arrivals; j++) {
        spot_json_integer(json, NULL, self->arrivals[j]);
    }
    spot_json_close(json, ']');
    spot_json_open(json, "nodes", '[');
    for (size_t j = 0; j < self->pipeline.num_nodes; j++) {
        const spot_serve_pipeline_node_t *node = &self->pipeline.nodes[j];

        spot_json_open(json, NULL, '{');
        spot_json_text(json, "id", node->id);
        spot_json_open(json, "parents", '[');
        for (size_t k = 0; k < node->num_parents; k++) {
            const int32_t parent = node->parents[k];

            spot_json_text(json, NULL, parent < 0 ? "source" : self->pipeline.nodes[parent].id);
        }
        spot_json_close(json, ']');
        if (node->stage_id >= 0) {
            write_stage(json, self, node);
        }
        spot_json_close(json, '}');
    }
    spot_json_close(json, ']');
    spot_json_close(json, '}');
}

/* Reads what Python printed, and compares it. */
static int compare(FILE *in, const double *run_s, const uint64_t *checksums, double strtod_s)
{
    int num_wrong = 0;

    for (size_t j = 0; j < NUM_CASES; j++) {
        char name[16] = "";
        uint64_t checksum = 0;
        double python_s = 0;

        if (fscanf(in, "%15s %" SCNx64 " %lf", name, &checksum, &python_s) != 3 ||
            checksum != checksums[j]) {
            printf("%s: Python finds other latencies\n", cases[j].name);
            num_wrong++;
        }
        printf("%s: %.3f ms, Python %.0f ms: %.0f times faster (at least 50); %.2f of "
               "strtod (at most 2)\n",
            cases[j].name, 1e3 * run_s[j], 1e3 * python_s, python_s / run_s[j],
            run_s[j] / strtod_s);
    }
    return num_wrong;
}

static int bench_python(void)
{
    FILE *file = fopen(CASES, "w");
    double run_s[NUM_CASES], strtod_s = 1e300;
    uint64_t checksums[NUM_CASES];
    spot_json_t json;
    int num_wrong;

    spot_bug_assert(file != NULL);
    spot_json_init(&json, file, 0);
    spot_json_open(&json, NULL, '{');
    spot_json_open(&json, "cases", '[');
    for (size_t j = 0; j < NUM_CASES; j++) {
        const double again_s = parse_s();
        serve_case_t self;

        strtod_s = again_s < strtod_s ? again_s : strtod_s;
        open_case(&self, &cases[j], 1);
        run_s[j] = best_s(&self, NUM_ROUNDS);
        checksums[j] = serve_case_checksum(&self);
        write_case(&json, cases[j].name, &self);
        serve_case_close(&self);
    }
    spot_json_close(&json, ']');
    spot_json_close(&json, '}');
    fclose(file);
    fflush(stdout);
    file = popen("python3 " LOOP " " CASES, "r");
    spot_bug_assert(file != NULL);
    num_wrong = compare(file, run_s, checksums, strtod_s);
    pclose(file);
    remove(CASES);
    return num_wrong;
}

/* ---- Growth ---- */

static void bench_queries(void)
{
    for (size_t j = 0; j < NUM_CASES; j++) {
        serve_case_t once, ten;
        double once_s, ten_s;
        int64_t before;

        open_case(&once, &cases[j], 1);
        open_case(&ten, &cases[j], 10);
        once_s = best_s(&once, NUM_ROUNDS);
        before = num_allocations;
        serve_case_run(&once, false);
        before = num_allocations - before;
        ten_s = best_s(&ten, NUM_ROUNDS);
        printf("%s: ten times the queries take %.1f times as long (at most 11), %.0f "
               "bytes a query (at most 200), %" PRId64 " allocations in a second run\n",
            cases[j].name, ten_s / once_s,
            (double) once.serve.num_block_bytes / (double) once.num_arrivals, before);
        serve_case_close(&once);
        serve_case_close(&ten);
    }
}

/* A stage whose replicas are as busy with 64 as with 4. */
static void bench_replicas(void)
{
    static const int replicas[] = {4, 64, 1024};
    double first_s = 0;

    for (size_t j = 0; j < sizeof(replicas) / sizeof(replicas[0]); j++) {
        serve_case_t self;
        double run_s;

        serve_case_open(&self, "pipeline: [{id: ResNet, from: source}]\n");
        serve_case_option(&self, "ResNet", "V100", 1, replicas[j]);
        arrive(&self, 1);
        for (size_t k = 0; k < self.num_arrivals; k++) {
            self.arrivals[k] = self.arrivals[k] * 25 / 2 / replicas[j]; /* load 0.8 */
        }
        run_s = best_s(&self, NUM_ROUNDS);
        first_s = j == 0 ? run_s : first_s;
        printf("%d replicas: %.0f ns a query, %.2f of 4 replicas (64: at most 2.5)\n", replicas[j],
            1e9 * run_s / NUM_QUERIES, run_s / first_s);
        serve_case_close(&self);
    }
}

int main(void)
{
    int num_wrong;

    make_deltas();
    num_wrong = bench_python();
    bench_queries();
    bench_replicas();
    free(lines);
    return num_wrong > 0;
}
