/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What Parcae's liveput costs: us a draw of victims with the moves to all pairs that are
 * left, in a sample, by victims; with an invented table of up to 32 instances. Prints;
 * asserts nothing. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/watch.h"
#include "sim/train/job/scenario.h"
#include "sim/train/recovery/parcae/recovery_parcae.h"

enum { NUM_INSTANCES = 32, NUM_SAMPLES = 20000 };

static const char text[] =
    "scenario: bench\n"
    "horizon: 1 h\n"
    "fleet: {capacity: 32}\n"
    "trace: {generator: seed, preemption: {per_minute: 0.05, count: {fixed: 2}},\n"
    "  addition: {per_minute: 0.05, count: {fixed: 2}}}\n"
    "job:\n"
    "  pipeline_depth: 8\n"
    "  samples_per_step: 128\n"
    "  step_time: {pipeline: {layers: 49, micro_batch: 1, forward_ms: 5,\n"
    "    backward_ms: 10, gradient_bytes: 1e8}}\n"
    "recovery: {system: parcae, published_defaults: yes}\n";

static void stop_on_error(int error)
{
    if (error != 0) {
        fprintf(stderr, "bench_liveput: %s\n", spot_error_text(error));
        exit(EXIT_FAILURE);
    }
}

static void bind(spot_scenario_t *scenario)
{
    spot_diag_t diag;
    spot_yaml_t document;

    spot_diag_init(&diag);
    stop_on_error(spot_yaml_parse(&document, "bench.yaml", text, sizeof(text) - 1, &diag));
    if (spot_scenario_init(scenario, document.root, NULL, &diag) != 0) {
        spot_diag_print(&diag, stderr);
        exit(EXIT_FAILURE);
    }
    spot_yaml_free(&document);
    spot_diag_free(&diag);
}

/* us a draw from the pair, with so many victims. */
static double time_us(const spot_parcae_t *parcae, int32_t from, int32_t num_lost, double *costs)
{
    static int32_t numbers[NUM_INSTANCES];
    static uint8_t is_lost[NUM_INSTANCES];
    spot_rng_t rng;
    const spot_parcae_chance_t chance = {.from = from,
        .num_instances = NUM_INSTANCES,
        .num_lost = num_lost,
        .num_samples = NUM_SAMPLES,
        .rng = &rng,
        .numbers = numbers,
        .is_lost = is_lost};
    double start_s;

    spot_rng_seek(&rng, 1, 0, SPOT_STREAM_RECOVERY, 0);
    start_s = spot_clock_cpu_s();
    (void) spot_parcae_expect(parcae, &chance, costs);
    return (spot_clock_cpu_s() - start_s) * 1e6 / NUM_SAMPLES;
}

int main(void)
{
    static const int32_t pairs[][2] = {{4, 8}, {3, 10}, {2, 16}, {1, 32}, {5, 6}};
    spot_scenario_t scenario;
    const spot_parcae_t *parcae;
    double *costs;

    bind(&scenario);
    parcae = scenario.recovery.options;
    costs = calloc((size_t) parcae->num_pairs + 1, sizeof(*costs));
    stop_on_error(costs == NULL ? SPOT_ERR_NO_MEMORY : 0);
    printf("%" PRId32 " pairs of up to %d instances, %d draws\n", parcae->num_pairs,
        (int) NUM_INSTANCES, (int) NUM_SAMPLES);
    for (size_t j = 0; j < sizeof(pairs) / sizeof(pairs[0]); j++) {
        for (int32_t id = 0; id < parcae->num_pairs; id++) {
            if (parcae->pairs[id].num_pipelines == pairs[j][0] &&
                parcae->pairs[id].depth == pairs[j][1]) {
                printf("from (%2d,%2d): 4 victims %6.2f us a draw, 8 victims %6.2f us\n",
                    (int) pairs[j][0], (int) pairs[j][1], time_us(parcae, id, 4, costs),
                    time_us(parcae, id, 8, costs));
            }
        }
    }
    free(costs);
    spot_scenario_free(&scenario);
    return 0;
}
