/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a serving scenario with its files: no crash, a refusal says why, and what
 * is accepted runs, holds all invariants, and writes what it found. Lines "%%%" part the
 * bytes into the scenario, profiles.csv, outages.csv, prices.csv and deltas.txt. */
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "sim/serve/experiment.h"
#include "sim/serve/run.h"
#include "tests/unit/serve/serve_verify.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t num_bytes);

#define MAX_QUERIES 2000
#define MAX_RUN_US 200000

static const char *const names[] = {
    "profiles.csv", "outages.csv", "prices.csv", "deltas.txt", NULL};
static atomic_int stop;
static FILE *out;
static char folder[] = "/tmp/fuzz_serve_XXXXXX"; /* of all files */

static void stop_run(int signal_id)
{
    (void) signal_id;
    atomic_store(&stop, 1);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void) argc;
    (void) argv;
    out = fopen("/dev/null", "w");
    spot_bug_assert(out != NULL && mkdtemp(folder) != NULL);
    spot_bug_assert(signal(SIGVTALRM, stop_run) != SIG_ERR);
    return 0;
}

/* The end of the part at bytes; *next: the start of the one behind it. */
static const char *end_of_part(const char *bytes, const char *end, const char **next)
{
    for (const char *at = bytes; at + 4 <= end; at++) {
        if (memcmp(at, "%%%\n", 4) == 0) {
            *next = at + 4;
            return at;
        }
    }
    *next = end;
    return end;
}

/* A run that is over in a moment, and small. */
static bool is_small(const spot_serve_scenario_t *self)
{
    size_t num_slots = 0;

    for (size_t j = 0; j < self->pipeline.num_stages; j++) {
        num_slots +=
            (size_t) spot_stage_option_slots(&self->options[j]) * (size_t) self->options[j].batch;
    }
    return num_slots < 1000000 && self->config_form != 0 &&
           self->arrivals.kind != SPOT_ARRIVALS_VARYING &&
           self->arrivals.kind != SPOT_ARRIVALS_DAILY && self->arrivals.count <= MAX_QUERIES &&
           self->arrivals.num_deltas <= MAX_QUERIES;
}

static void run(const spot_serve_scenario_t *scenario)
{
    const spot_replication_t replication = {.seed = 1, .replication = 0, .stop = &stop};
    const struct itimerval limit = {.it_value = {.tv_usec = MAX_RUN_US}}, none = {0};
    spot_serve_replication_t self = {0};
    spot_recording_t recording;
    spot_json_t json;
    int ret;

    atomic_store(&stop, 0);
    setitimer(ITIMER_VIRTUAL, &limit, NULL);
    ret = spot_serve_replication_init(&self, scenario);
    ret = ret != 0 ? ret : spot_serve_replication_run(&self, &replication, true);
    setitimer(ITIMER_VIRTUAL, &none, NULL);
    if (ret == 0) {
        if (self.serve.num_left == self.serve.run.num_queries) {
            serve_verify(&self.serve);
        }
        spot_bug_assert(spot_recording_init(&recording, scenario->outputs.num_series,
                            scenario->outputs.series) == 0);
        spot_bug_assert(spot_serve_series_fill(&self, &recording) == 0);
        spot_recording_free(&recording);
        spot_json_init(&json, out, 2);
        spot_json_open(&json, NULL, '{');
        spot_serve_json_write(&self, &json);
        spot_json_close(&json, '}');
        spot_serve_events_write(&self, out);
    }
    spot_serve_replication_free(&self);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t num_bytes)
{
    const char *text = (const char *) bytes, *end = text + num_bytes, *next = NULL;
    const char *end_of_scenario = end_of_part(text, end, &next);
    spot_yaml_t document = {0};
    void *scenario = NULL;
    spot_diag_t diag;
    char path[64];
    int ret;

    for (size_t j = 0; names[j] != NULL; j++) {
        const char *part = next, *end_of_file = end_of_part(part, end, &next);
        FILE *file;

        snprintf(path, sizeof(path), "%s/%s", folder, names[j]);
        file = fopen(path, "w");
        spot_bug_assert(file != NULL);
        fwrite(part, 1, (size_t) (end_of_file - part), file);
        fclose(file);
    }
    spot_diag_init(&diag);
    snprintf(path, sizeof(path), "%s/fuzz.yaml", folder);
    ret = spot_yaml_parse(&document, path, text, (size_t) (end_of_scenario - text), &diag);
    if (ret == 0 && document.root != NULL) {
        ret = spot_serve_experiment.bind(&scenario, document.root, NULL, &diag);
        spot_bug_assert((ret == 0) == (diag.num_errors == 0));
        if (ret == 0 && is_small(scenario)) {
            run(scenario);
        }
        spot_serve_experiment.free(scenario);
    }
    spot_yaml_free(&document);
    spot_diag_free(&diag);
    return 0;
}
