/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What summaries of batches cost: ns a value that is added, bytes a batch that is kept,
 * us to write it, merges a second. Prints; asserts nothing. */
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/column_summary.h"
#include "base/rng.h"

enum { NUM_ROWS = 1024, MAX_COLUMNS = 40, NUM_BATCHES = 200, NUM_ROUNDS = 5 };

/* One value of a column; what draws it. */
typedef double (*law_t)(spot_rng_t *rng);

static double
draw_uniform(spot_rng_t *rng)
{
    return spot_rng_uniform(rng);
}

static double
draw_normal(spot_rng_t *rng)
{
    return 100 + 10 * gsl_ran_gaussian_ziggurat(spot_rng_gsl(rng), 1);
}

static double
draw_count(spot_rng_t *rng)
{
    return (double) gsl_ran_poisson(spot_rng_gsl(rng), 30);
}

static double
draw_heavy_tail(spot_rng_t *rng)
{
    return gsl_ran_pareto(spot_rng_gsl(rng), 0.5, 1);
}

static void
stop_on_error(int error)
{
    if (error != 0) {
        fprintf(stderr, "bench_summary: %s\n", spot_error_text(error));
        exit(EXIT_FAILURE);
    }
}

/* What a worker does with a batch; the time of its two halves is added. */
static void
summarise_batch(spot_column_summary_t *summaries, const double *rows, size_t num_columns,
    spot_bytes_t *bytes, double *times_s)
{
    const double started_s = spot_clock_cpu_s();
    double added_s;

    for (size_t j = 0; j < num_columns; j++) {
        spot_column_summary_clear(&summaries[j]);
        stop_on_error(
            spot_column_summary_add(&summaries[j], rows + j, NUM_ROWS, num_columns));
    }
    added_s = spot_clock_cpu_s();
    bytes->num_bytes = 0;
    for (size_t j = 0; j < num_columns; j++) {
        stop_on_error(spot_column_summary_write(&summaries[j], bytes));
    }
    times_s[0] += added_s - started_s;
    times_s[1] += spot_clock_cpu_s() - added_s;
}

static void
bench_batches(const char *name, law_t law, size_t num_columns)
{
    static double rows[NUM_ROWS * MAX_COLUMNS];
    const double num_values = (double) (NUM_ROWS * num_columns * NUM_BATCHES);
    spot_column_summary_t summaries[MAX_COLUMNS] = {0};
    double best_s[2] = {HUGE_VAL, HUGE_VAL};
    spot_bytes_t bytes = {0};
    spot_rng_t rng;

    spot_rng_seek(&rng, 1, 0, SPOT_STREAM_GAP, 0);
    for (size_t j = 0; j < NUM_ROWS * num_columns; j++) {
        rows[j] = law(&rng);
    }
    for (int round = 0; round < NUM_ROUNDS; round++) {
        double times_s[2] = {0};

        for (int j = 0; j < NUM_BATCHES; j++) {
            summarise_batch(summaries, rows, num_columns, &bytes, times_s);
        }
        best_s[0] = fmin(best_s[0], times_s[0]);
        best_s[1] = fmin(best_s[1], times_s[1]);
    }
    printf("%-11s %2zu columns %5.1f ns a value added, %5.1f ns written, %6zu bytes a "
           "batch of %d rows, %.2f a value\n",
        name, num_columns, 1e9 * best_s[0] / num_values, 1e9 * best_s[1] / num_values,
        bytes.num_bytes, NUM_ROWS,
        (double) bytes.num_bytes / (double) (NUM_ROWS * num_columns));
    for (size_t j = 0; j < num_columns; j++) {
        spot_column_summary_free(&summaries[j]);
    }
    spot_bytes_free(&bytes);
}

/* Moments of a batch, one value after another and all at once. */
static void
bench_moments(void)
{
    static double values[NUM_BATCHES * NUM_ROWS];
    double started_s, run_s, best_s[2] = {HUGE_VAL, HUGE_VAL};
    spot_moments_t one_by_one = {0}, merged = {0};
    spot_rng_t rng;

    spot_rng_seek(&rng, 3, 0, SPOT_STREAM_GAP, 0);
    for (int j = 0; j < NUM_BATCHES * NUM_ROWS; j++) {
        values[j] = spot_rng_uniform(&rng);
    }
    for (int round = 0; round < NUM_ROUNDS; round++) {
        started_s = spot_clock_cpu_s();
        for (int j = 0; j < NUM_BATCHES * NUM_ROWS; j++) {
            spot_moments_add(&one_by_one, values[j]);
        }
        run_s = spot_clock_cpu_s() - started_s;
        best_s[0] = fmin(best_s[0], run_s);
        started_s = spot_clock_cpu_s();
        for (int j = 0; j < NUM_BATCHES; j++) {
            const spot_moments_t moments =
                spot_moments_of(&values[j * NUM_ROWS], NUM_ROWS);

            spot_moments_merge(&merged, &moments);
        }
        run_s = spot_clock_cpu_s() - started_s;
        best_s[1] = fmin(best_s[1], run_s);
    }
    printf(
        "moments     %.2f ns a value one by one, %.2f ns at once (means %.17g, %.17g)\n",
        1e9 * best_s[0] / (NUM_BATCHES * NUM_ROWS),
        1e9 * best_s[1] / (NUM_BATCHES * NUM_ROWS), one_by_one.mean, merged.mean);
}

/* A point: many batches, all different, from their bytes. */
static void
bench_merging(const char *name, law_t law)
{
    spot_column_summary_t batch = {0}, point = {0};
    spot_bytes_t bytes = {0}, merged = {0};
    size_t ends[NUM_BATCHES];
    double values[NUM_ROWS], started_s, run_s;
    spot_rng_t rng;

    spot_rng_seek(&rng, 2, 0, SPOT_STREAM_GAP, 0);
    for (int j = 0; j < NUM_BATCHES; j++) {
        for (int k = 0; k < NUM_ROWS; k++) {
            values[k] = law(&rng);
        }
        spot_column_summary_clear(&batch);
        stop_on_error(spot_column_summary_add(&batch, values, NUM_ROWS, 1));
        stop_on_error(spot_column_summary_write(&batch, &bytes));
        ends[j] = bytes.num_bytes;
    }
    started_s = spot_clock_cpu_s();
    for (int j = 0; j < NUM_BATCHES; j++) {
        const size_t start = j == 0 ? 0 : ends[j - 1];

        stop_on_error(
            spot_column_summary_read(&point, bytes.bytes + start, ends[j] - start));
    }
    run_s = spot_clock_cpu_s() - started_s;
    stop_on_error(spot_column_summary_write(&point, &merged));
    printf("%-11s %8.0f merges/s from bytes; a point of %d rows: %zu keys, %zu bytes\n",
        name, NUM_BATCHES / run_s, NUM_BATCHES * NUM_ROWS, point.sketch.num_keys,
        merged.num_bytes);
    spot_column_summary_free(&batch);
    spot_column_summary_free(&point);
    spot_bytes_free(&bytes);
    spot_bytes_free(&merged);
}

int
main(void)
{
    static const struct {
        const char *name;
        law_t law;
    } cases[] = {
        {"uniform", draw_uniform},
        {"normal", draw_normal},
        {"count", draw_count},
        {"heavy tail", draw_heavy_tail},
    };

    bench_moments();
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        bench_batches(cases[j].name, cases[j].law, 3);
        bench_batches(cases[j].name, cases[j].law, MAX_COLUMNS);
        bench_merging(cases[j].name, cases[j].law);
    }
    return EXIT_SUCCESS;
}
