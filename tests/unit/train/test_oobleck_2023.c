/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was published with Oobleck (SOSP'23 artifact, tools/simulator) for oobleck and
 * bamboo: with their faults its rows come out, without them they differ as they should.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixture.h"
#include "tests/unit/base/shared_data.h"

#define NUM_INSTANCES 30
#define NUM_LOSSES 14
#define LIMIT 0.02 /* of a row with the faults, in samples/s and in steps */
#define PROFILE SHARED_DATA "profiles/oobleck-sim_%s_%s.csv"
#define OOBLECK_FAULTS                                                                             \
    ", trains_in_pause: yes, short_pauses: yes, stale_timers: yes,\n"                              \
    "  idle_losses_pause: yes"
#define BAMBOO_FAULTS                                                                              \
    ", redundant_share: 0.8029, fallback: none, stale_timers: yes,\n"                              \
    "  late_restart: yes, trains_in_pause: yes, idle_losses_slow: yes,\n"                          \
    "  counts_dead_standby: yes"

typedef struct {
    const char *system;
    const char *model;
    int depth;
    int samples_per_step;
    int64_t gap_ms;
    int64_t first_step_ms;  /* from which its averages count */
    double samples_per_s;   /* as published */
    int64_t steps;          /* the same */
    int places[NUM_LOSSES]; /* who is lost, of the instances in their order */
} published_t;

#define OOBLECK_BERT "oobleck", "bert-large", 1, 8192
#define OOBLECK_2_7B "oobleck", "gpt-3-2.7b", 1, 512
#define BAMBOO_BERT "bamboo", "bert-large", 12, 8192

/* Whoever is lost, for oobleck it is the same. For bamboo the places are those in the
 * order in which its simulator has added the thirty instances, by its traces. In the
 * first row that is one loss of an active instance too few: before the first pause its
 * instances stand in another order. */
static const published_t published[] = {
    {OOBLECK_BERT, 21600000, 47000, 287.101378, 11353, {0}},
    {OOBLECK_BERT, 10800000, 47000, 286.913637, 5672, {0}},
    {OOBLECK_BERT, 3600000, 47000, 286.280217, 1885, {0}},
    {OOBLECK_BERT, 1800000, 47000, 285.151253, 938, {0}},
    {OOBLECK_BERT, 601200, 47000, 282.108330, 308, {0}},
    {OOBLECK_2_7B, 21600000, 51000, 7.290222, 4612, {0}},
    {OOBLECK_2_7B, 10800000, 51000, 7.277469, 2301, {0}},
    {OOBLECK_2_7B, 3600000, 51000, 7.228619, 761, {0}},
    {OOBLECK_2_7B, 1800000, 51000, 7.180234, 377, {0}},
    {OOBLECK_2_7B, 601200, 51000, 6.889911, 120, {0}},
    {BAMBOO_BERT, 21600000, 75000, 77.037770, 3046,
        {21, 6, 25, 29, 2, 7, 19, 27, 20, 11, 10, 14, 5, 12}},
    {BAMBOO_BERT, 10800000, 75000, 77.005649, 1522,
        {4, 12, 1, 27, 10, 17, 29, 20, 9, 23, 0, 11, 6, 25}},
    {BAMBOO_BERT, 3600000, 75000, 75.599326, 497,
        {20, 1, 6, 27, 23, 16, 3, 9, 18, 11, 25, 28, 29, 2}},
    {BAMBOO_BERT, 1800000, 75000, 75.458627, 248,
        {4, 9, 17, 15, 29, 20, 6, 22, 2, 25, 13, 3, 27, 12}},
    {BAMBOO_BERT, 601200, 75000, 69.836633, 75,
        {17, 20, 22, 1, 4, 27, 0, 7, 19, 29, 15, 13, 9, 12}},
};
#define NUM_PUBLISHED (sizeof(published) / sizeof(published[0]))

/* The rows of a trace that begins start_ms after the additions, with all instances if
 * that is later than their preparation, and ends with what would be the next loss. */
static void write_rows(const published_t *row, int64_t start_ms, FILE *out)
{
    bool is_lost[NUM_INSTANCES] = {false};

    fputs("# spotsim-trace: 1\n# name: published\n# start: unknown\n"
          "# resolution_s: 0.001\n# kind: named\n# capacity: unbounded\n"
          "time_s,event,count,instances\n0,init,",
        out);
    fputs(start_ms > 0 ? "30," : "0,\n0,add,30,", out);
    for (int j = 0; j < NUM_INSTANCES; j++) {
        fprintf(out, "%si%d", j > 0 ? " " : "", j);
    }
    for (int j = 0; j < NUM_LOSSES; j++) {
        int place = row->places[j];

        while (is_lost[place]) { /* where no place is given */
            place++;
        }
        is_lost[place] = true;
        fprintf(
            out, "\n%.3f,preempt,1,i%d", (double) ((j + 1) * row->gap_ms - start_ms) / 1000, place);
    }
    fprintf(out, "\n%.3f,end,16,\n", (double) ((NUM_LOSSES + 1) * row->gap_ms - start_ms) / 1000);
}

/* With a start of 0 they are ready at 45 s. */
static spot_train_result_t run_published(
    const published_t *row, int64_t start_ms, const char *options)
{
    char text[4096], trace[PATH_BYTES];
    spot_train_result_t result;
    spot_scenario_t scenario;
    FILE *out;

    temporary_path("published.csv", trace);
    out = fopen(trace, "w");
    assert_non_null(out);
    write_rows(row, start_ms, out);
    assert_int_equal(fclose(out), 0);
    snprintf(text, sizeof(text),
        "scenario: published\nhorizon: trace-end\ntick: 100 ms\n"
        "fleet: {capacity: 30, preparation: %d s}\n"
        "job: {pipeline_depth: %d, samples_per_step: %d}\n"
        "recovery: {system: %s, published_defaults: yes, table: " PROFILE
        "%s}\ntrace: {file: %s}\n",
        start_ms > 0 ? 0 : 45, row->depth, row->samples_per_step, row->system, row->model,
        row->system, options, trace);
    bind_good_scenario(&scenario, text);
    result = run_scenario(&scenario, 0, NULL);
    spot_scenario_free(&scenario);
    remove(trace);
    return result;
}

static double samples_per_s(const published_t *row, const spot_train_result_t *result)
{
    return (double) ((result->steps_executed - result->steps_lost) * row->samples_per_step) * 1000 /
           (double) result->horizon_ms;
}

static void skip_without_profiles(void)
{
    char path[PATH_BYTES];

    for (size_t j = 0; j < NUM_PUBLISHED; j++) {
        snprintf(path, sizeof(path), PROFILE, published[j].model, published[j].system);
        need_data(path);
    }
}

static void test_with_faults(void **state)
{
    int num_far = 0;
    size_t num_equal = 0;

    (void) state;
    skip_without_profiles();
    for (size_t j = 0; j < NUM_PUBLISHED; j++) {
        const published_t *row = &published[j];
        const bool is_bamboo = row->depth > 1;
        const spot_train_result_t result =
            run_published(row, row->first_step_ms, is_bamboo ? BAMBOO_FAULTS : OOBLECK_FAULTS);
        const int64_t steps = result.steps_executed - result.steps_lost;
        const double by_samples = samples_per_s(row, &result) / row->samples_per_s - 1;
        const double by_steps = (double) steps / (double) row->steps - 1;

        print_message("%s %s every %d s: %.6f samples/s, published %.6f (%+.2f %%); "
                      "%d steps, published %d (%+.2f %%)\n",
            row->system, row->model, (int) (row->gap_ms / 1000), samples_per_s(row, &result),
            row->samples_per_s, 100 * by_samples, (int) steps, (int) row->steps, 100 * by_steps);
        assert_int_equal(result.preempted, NUM_LOSSES);
        assert_int_equal(result.fatal, 0);
        num_equal += steps == row->steps;
        num_far += fabs(by_samples) > LIMIT || fabs(by_steps) > LIMIT;
    }
    assert_int_equal(num_far, 0);
    assert_int_equal(num_equal, NUM_PUBLISHED - 1); /* all steps but of one row */
}

/* Over the whole time, as the averages of all systems are: oobleck lower by the start
 * and what a pause stops, bamboo higher as losses of idle instances do not slow it, by
 * the less the more the start and the tail count. */
static void test_by_default(void **state)
{
    int num_other = 0;

    (void) state;
    skip_without_profiles();
    for (size_t j = 0; j < NUM_PUBLISHED; j++) {
        const published_t *row = &published[j];
        const spot_train_result_t result = run_published(row, 0, "");
        const double more = samples_per_s(row, &result) / row->samples_per_s - 1;
        const bool is_bamboo = row->depth > 1;

        print_message("%s %s every %d s: %.6f samples/s by default (%+.3f %%)\n", row->system,
            row->model, (int) (row->gap_ms / 1000), samples_per_s(row, &result), 100 * more);
        num_other += is_bamboo ? more <= 0 || more > 0.13 : more >= 0 || more < -0.03;
    }
    assert_int_equal(num_other, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_with_faults),
        cmocka_unit_test(test_by_default),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
