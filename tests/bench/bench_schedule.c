/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the scheduler costs: CPU time of a month of a real cluster under each policy, the
 * best of five runs without samples, if the log is there; reading and running a million
 * drawn jobs of 100 virtual clusters, with the memory of the process; and a log of one
 * job. Prints; asserts nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/watch.h"
#include "base/yaml.h"
#include "sim/schedule/experiment.h"
#include "sim/schedule/schedule.h"
#include "traces/jobs/job_log.h"

#define FOLDER SPOT_SOURCE_DIR "/../shared/data/jobs/"
#define PUBLISHED FOLDER "slab-noncommercial/"
#define NUM_ROUNDS 5

static void stop_on_error(int error, const char *what)
{
    if (error != 0) {
        fprintf(stderr, "bench: %s: %s\n", what, spot_error_text(error));
        exit(1);
    }
}

static spot_schedule_scenario_t *bind(const char *keys)
{
    char text[4096];
    spot_yaml_t document;
    spot_diag_t diag;
    void *scenario = NULL;
    int ret;

    snprintf(text, sizeof(text), "scenario: bench\nengine: schedule\n%s", keys);
    spot_diag_init(&diag);
    ret = spot_yaml_parse(&document, "bench", text, strlen(text), &diag);
    if (ret == 0) {
        ret = spot_schedule_experiment.bind(&scenario, document.root, NULL, &diag);
    }
    spot_yaml_free(&document);
    spot_diag_print(&diag, stderr);
    spot_diag_free(&diag);
    stop_on_error(ret, "scenario");
    return scenario;
}

/* The best CPU time of some replications with one worker. */
static double best_run_s(const spot_schedule_scenario_t *scenario, int num_rounds)
{
    const spot_replication_t replication = {.seed = 1};
    spot_schedule_t schedule;
    double best_s = 1e300;

    stop_on_error(spot_schedule_init(&schedule, scenario), "memory");
    for (int j = 0; j < num_rounds; j++) {
        const double start_s = spot_clock_cpu_s();
        double run_s;

        stop_on_error(spot_schedule_run(&schedule, &replication), "run");
        run_s = spot_clock_cpu_s() - start_s;
        best_s = run_s < best_s ? run_s : best_s;
    }
    spot_schedule_free(&schedule);
    return best_s;
}

static void bench_venus(void)
{
    static const struct {
        const char *name, *keys;
        double limit_s;
    } cases[] = {{"fifo", "policy: fifo\n", 0.3}, {"sjf", "policy: sjf\n", 0.3},
        {"qssf", "policy: qssf\nqssf: {estimator: oracle}\n", 0.3},
        {"tiresias", "policy: tiresias\n", 0.3}, {"srtf", "policy: srtf\n", 0.5},
        {"lucid",
            "policy: lucid\nlucid:\n  estimator: table\n"
            "  profiler: {from: {vc8Gr: 1, vcefl: 1}, limit: 200 s, gpu_limit: 8, "
            "scaling: {lender: vcYVn}}\n"
            "  packing: {switch: forecast, forecast: " PUBLISHED
            "venus_forecast.csv.gz, table: " PUBLISHED "colocate_info.csv.gz}\n",
            0.8}};

    if (access(PUBLISHED "venus_workload.csv.gz", R_OK) != 0) {
        printf("a month of a real cluster: skipped, " FOLDER " is not there\n");
        return;
    }
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        char keys[3000];
        spot_schedule_scenario_t *scenario;

        snprintf(keys, sizeof(keys),
            "jobs: {log: %svenus_base.csv.gz, workload: %svenus_workload.csv.gz,\n"
            "       estimates: {file: %svenus_estimates.csv.gz, column: est_ebm}}\n"
            "cluster: {vcs: %svenus_vc_config.csv, start: 13219200 s}\ncompat: "
            "lucid\n%s",
            FOLDER, PUBLISHED, PUBLISHED, FOLDER, cases[j].keys);
        scenario = bind(keys);
        printf("a month of a real cluster, %s: %.3f s of CPU, best of %d (limit %g)\n",
            cases[j].name, best_run_s(scenario, NUM_ROUNDS), NUM_ROUNDS, cases[j].limit_s);
        spot_schedule_experiment.free(scenario);
    }
}

static double process_mib(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (double) usage.ru_maxrss / 1024;
}

/* 100 VCs of so many nodes as keep them busy. */
static void bench_million(void)
{
    char vcs[4096] = "";
    char keys[5000];
    const double start_s = spot_clock_cpu_s();
    spot_schedule_scenario_t *scenario;

    for (int j = 0; j < 100; j++) {
        snprintf(vcs + strlen(vcs), sizeof(vcs) - strlen(vcs), "%sv%d: 5", j == 0 ? "" : ", ", j);
    }
    snprintf(keys, sizeof(keys),
        "jobs: {generate: {per_hour: 2000, jobs: 1000000, horizon: 1000 d,\n"
        "       sizes: {1: 6, 2: 2, 4: 1, 8: 1}, duration: {family: exponential, mu: "
        "2800}}}\n"
        "cluster: {vcs: {%s}}\noutput: {samples: 0 s}\n",
        vcs);
    scenario = bind(keys);
    printf("1,000,000 jobs on 100 VCs, fifo: %.3f s of CPU to draw and run them, ",
        best_run_s(scenario, 1));
    printf("%.3f s in all, %.0f MiB (limits 5 s, 993 MiB)\n", spot_clock_cpu_s() - start_s,
        process_mib());
    spot_schedule_experiment.free(scenario);
}

static void bench_one_job(void)
{
    const double start_s = spot_clock_cpu_s();
    spot_schedule_scenario_t *scenario =
        bind("jobs: {generate: {per_hour: 1, jobs: 1, horizon: 100 d}}\n"
             "cluster: {vcs: {a: 1}}\n");

    (void) best_run_s(scenario, 1);
    printf("1 job: %.2f ms of CPU (limit 10)\n", 1e3 * (spot_clock_cpu_s() - start_s));
    spot_schedule_experiment.free(scenario);
}

int main(void)
{
    bench_one_job();
    bench_million();
    bench_venus();
    return 0;
}
