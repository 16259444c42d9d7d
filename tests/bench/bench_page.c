/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a page of a large study costs: makes spotsim-bench-page.db, 10,000 points of
 * three swept keys with 100 replications each and 15 metrics, in the working folder; the
 * target bench_page then times `spotsim report` on it. Prints; asserts nothing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/bench/store/store_sqlite.h"

#define BATCH_ROWS 64 /* of the study */

#define STORE "spotsim-bench-page.db"
#define NUM_AXES 3
#define NUM_REPLICATIONS 100

static const size_t num_values[NUM_AXES] = {100, 10, 10};
static char paths[NUM_AXES][32] = {
    "trace.preemption.per_minute", "job.pipeline_depth", "fleet.preparation"};

static char no_unit[] = "", name[] = "bench-page",
            question[] = "What does a page of 10,000 points cost?";
#define METRIC(its_name, its_unit)                                                                 \
    {                                                                                              \
        .name = (its_name), .unit = (its_unit), .help = ""                                         \
    }

static spot_metric_t metrics[] = {METRIC("idle_fraction", "1"), METRIC("goodput_fraction", "1"),
    METRIC("lost_fraction", "1"), METRIC("prepping_fraction", "1"), METRIC("standby_fraction", "1"),
    METRIC("reconfiguring_fraction", "1"), METRIC("reloading_fraction", "1"),
    METRIC("paused_fraction", "1"), METRIC("active_fraction", "1"),
    METRIC("samples_per_s", "samples/s"), METRIC("usd_per_1000_samples", "USD"),
    METRIC("usd_per_h", "USD/h"), METRIC("preempted_per_h", "1/h"),
    METRIC("rollbacks", "rollbacks"), METRIC("steps", "steps")};
#define NUM_METRICS (sizeof(metrics) / sizeof(metrics[0]))

static void stop_on_error(int error, const spot_diag_t *diag)
{
    if (error != 0) {
        spot_diag_print(diag, stderr);
        fprintf(stderr, "bench: %s\n", spot_error_text(error));
        exit(1);
    }
}

static void make_axes(spot_axis_t axes[NUM_AXES])
{
    for (size_t j = 0; j < NUM_AXES; j++) {
        spot_axis_t *axis = &axes[j];

        axis->path = paths[j];
        axis->unit = no_unit;
        axis->num_values = num_values[j];
        axis->texts = calloc(num_values[j], sizeof(*axis->texts));
        axis->numbers = calloc(num_values[j], sizeof(*axis->numbers));
        for (size_t k = 0; k < num_values[j]; k++) {
            axis->numbers[k] = 0.005 * (double) k;
            axis->texts[k] = malloc(16);
            snprintf(axis->texts[k], 16, "%g", axis->numbers[k]);
        }
    }
}

/* Noise around a curve; the same in each run. */
static void fill_rows(
    const spot_study_head_t *head, size_t point_id, int64_t first, size_t num_rows, double *rows)
{
    for (size_t j = 0; j < num_rows * NUM_METRICS; j++) {
        const double noise =
            (double) ((point_id * 7919 + j * 104729 + (size_t) first * 31) % 1009) / 1009;
        const double x = head->axes[0].numbers[spot_study_value_id(head, point_id, 0)];

        rows[j] = (1 - exp(-x * (double) (j % NUM_METRICS + 1))) * (0.9 + 0.2 * noise);
    }
}

static void put_all(spot_store_t *store)
{
    static double rows[BATCH_ROWS * NUM_METRICS];
    const spot_study_head_t *head = store->head;

    for (size_t j = 0; j < head->num_points; j++) {
        for (int64_t first = 0; first < NUM_REPLICATIONS; first += BATCH_ROWS) {
            const int64_t left = NUM_REPLICATIONS - first;
            const size_t num_rows = (size_t) (left < BATCH_ROWS ? left : BATCH_ROWS);
            const spot_piece_t piece = {j, first, num_rows, rows, NULL};

            fill_rows(head, j, first, num_rows, rows);
            stop_on_error(store->put(store, &piece), &(spot_diag_t){0});
        }
    }
}

int main(void)
{
    const spot_provenance_t provenance = {"", "", "", "", "", "", "", "", 0, .shard = ""};
    spot_axis_t axes[NUM_AXES] = {{0}};
    spot_study_head_t head = {.name = name,
        .question = question,
        .batch_replications = 64,
        .num_replications = NUM_REPLICATIONS,
        .min_replications = NUM_REPLICATIONS,
        .num_axes = NUM_AXES,
        .axes = axes,
        .num_points = num_values[0] * num_values[1] * num_values[2],
        .has_baseline = true,
        .baseline_axis_id = 1,
        .num_listed = NUM_METRICS,
        .num_metrics = NUM_METRICS,
        .metrics = metrics};
    spot_store_t *store;
    spot_diag_t diag;

    make_axes(axes);
    spot_diag_init(&diag);
    unlink(STORE);
    stop_on_error(spot_store_open_sqlite(&store, STORE, &head, &provenance, &diag), &diag);
    put_all(store);
    stop_on_error(store->flush(store, &diag), &diag);
    store->close(store);
    printf("%zu points, %zu rows of %zu metrics in %s\n", head.num_points,
        head.num_points * NUM_REPLICATIONS, NUM_METRICS, STORE);
    return 0;
}
