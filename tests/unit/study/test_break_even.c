/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Break-evens agree with a direct scan, are kept beside the rows, and are found again
 * only where these have changed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/units.h"
#include "sim/bench/analysis/difference.h"
#include "sim/bench/analysis/findings.h"
#include "sim/bench/store/store_sqlite.h"
#include "sim/bench/study/run.h"
#include "sim/bench/study/study.h"
#include "sim/engines.h"
#include "tests/unit/train/fixture.h"

#define NUM_ROWS 60

/* recovery, best and keys stand at the places of %s. */
#define STUDY                                                                                      \
    "study: s\n"                                                                                   \
    "scenario:\n"                                                                                  \
    "  scenario: t\n"                                                                              \
    "  horizon: 6 h\n"                                                                             \
    "  fleet: {capacity: 16, initial: 16, preparation: 60 s}\n"                                    \
    "  job:\n"                                                                                     \
    "    pipeline_depth: 2\n"                                                                      \
    "    samples_per_step: 64\n"                                                                   \
    "    step_time: {2: 20 s, 16: 4 s}\n"                                                          \
    "    detection: 5 s\n"                                                                         \
    "    checkpoint: {every: 10 steps, write: 60 s}\n"                                             \
    "  trace:\n"                                                                                   \
    "    generator: seed\n"                                                                        \
    "    frequency: 1\n"                                                                           \
    "    preemption: {per_minute: 0.1, count: {fixed: 1}}\n"                                       \
    "    addition: {per_minute: 0.1, count: {fixed: 1}}\n"                                         \
    "sweep: {job.reload: [20 s, 47 s], recovery: [%s]}\n"                                          \
    "best: {key: recovery, %s, break_even: [%s]}\n"                                                \
    "metrics: [samples_per_s, usd_per_1000_samples, steps_kept]\n"                                 \
    "replications: {count: %d, seed: 3}\n"

/* Two systems that differ in what is found out late and in what is saved often. */
#define TWO(first, second)                                                                         \
    "{system: checkpoint, detection: " first "}, {system: checkpoint, detection: " second          \
    ", checkpoint: {every: 4 steps, write: 20 s}}"
#define PAIR TWO("5 s", "40 s")

static int try_study(spot_study_t *study, spot_diag_t *diag, const char *recovery, const char *best,
    const char *keys, int num_rows, size_t num_sets, const char *const *sets)
{
    char text[4096], path[PATH_BYTES];
    int ret;

    snprintf(text, sizeof(text), STUDY, recovery, best, keys, num_rows);
    temporary_path("break-even.yaml", path);
    write_file(path, text);
    spot_diag_init(diag);
    ret = spot_study_read(study, spot_engines, path,
        &(spot_scenario_changes_t){.num_sets = num_sets, .sets = sets}, diag);
    unlink(path);
    return ret;
}

static void read_study(spot_study_t *study, const char *best, const char *keys, int num_rows)
{
    spot_diag_t diag;

    assert_int_equal(try_study(study, &diag, PAIR, best, keys, num_rows, 0, NULL), 0);
    spot_diag_free(&diag);
}

static void run_into(const spot_study_t *study, spot_store_t *store, int num_threads)
{
    const spot_study_run_t run = {.num_threads = num_threads};

    assert_int_equal(spot_study_run(study, store, &run, NULL), 0);
}

static spot_store_t *run_study(const spot_study_t *study, int num_threads)
{
    spot_store_t *store;

    assert_int_equal(spot_store_open_memory(&store, &study->head), 0);
    run_into(study, store, num_threads);
    return store;
}

/* ---- A direct scan ---- */

/* What is scanned: the first group of the study, whose points are 0 and 1. */
typedef struct {
    const char *best, *key;
    size_t best_id;
} scan_t;

/* The lead, and half its width, in a study of its own in which the key has a value: for
 * the winner alone if the key is one of recovery. */
static void lead_at(const scan_t *self, double value, double *lead, double *half_width)
{
    const bool is_own = strncmp(self->key, "recovery.", 9) == 0;
    char set[160], recovery[300];
    const char *const sets[] = {set};
    spot_paired_t pairs[8];
    spot_study_t study;
    spot_store_t *store;
    spot_diag_t diag;
    size_t metric_id;
    char text[SPOT_DURATION_TEXT_BYTES];

    spot_duration_text((int64_t) (1000 * value), text);
    snprintf(recovery, sizeof(recovery), "%s", PAIR);
    if (is_own) {
        if (self->best_id == 0) {
            snprintf(recovery, sizeof(recovery), TWO("%s", "40 s"), text);
        } else {
            snprintf(recovery, sizeof(recovery), TWO("5 s", "%s"), text);
        }
    }
    snprintf(set, sizeof(set), "%s=%g", self->key, value);
    if (strcmp(self->key, "trace.frequency") != 0) {
        snprintf(set, sizeof(set), "%s=%s", self->key, text);
    }
    assert_int_equal(
        try_study(&study, &diag, recovery, self->best, "", NUM_ROWS, is_own ? 0 : 1, sets), 0);
    spot_diag_free(&diag);
    store = run_study(&study, 2);
    metric_id = study.head.best.metric_id;
    assert_true(study.head.num_metrics <= 8);
    assert_int_equal(spot_store_difference(store, self->best_id, 1 - self->best_id, pairs), 0);
    pairs[metric_id].has_ends = false; /* a break-even is looked for by pairs alone */
    *lead = spot_paired_mean(&pairs[metric_id]) * (study.head.best.is_maximised ? 1 : -1);
    *half_width = spot_paired_half_width(&pairs[metric_id], SPOT_CONFIDENCE);
    store->close(store);
    spot_study_free(&study);
}

/* A value is the first at which a bound is not above zero: it is above just before the
 * value, and not just behind it. */
static void assert_zero(const scan_t *self, int bound, double value, double start)
{
    const double step = 0.01 * (value - start);
    double lead, half_width;

    for (int j = 4; j <= 99; j += 5 * SPOT_FEWER) { /* all the way, coarsely */
        lead_at(self, start + 0.01 * j * (value - start), &lead, &half_width);
        assert_true(lead + bound * half_width > 0);
    }
    lead_at(self, value + step, &lead, &half_width);
    assert_false(lead + bound * half_width > 0);
}

static void check_scan(const char *best, const char *key, bool is_found)
{
    spot_winners_t winners;
    const spot_break_even_t *item;
    spot_study_t study;
    spot_store_t *store;
    int num_found = 0;

    read_study(&study, best, key, NUM_ROWS);
    store = run_study(&study, 2);
    assert_int_equal(spot_winners_init(&winners, store), 0);
    assert_int_equal(store->num_break_evens, 2);
    item = &store->break_evens[0];
    assert_int_equal(item->best_id, winners.winners[0].best_id);
    assert_int_equal(item->next_id, winners.winners[0].next_id);
    assert_int_equal(item->num_pairs, NUM_ROWS);
    for (int j = 0; j < SPOT_NUM_BREAK_EVEN_SIDES; j++) {
        const spot_break_even_side_t *side = &item->sides[j];
        const scan_t scan = {best, key, item->best_id};
        double lead, half_width;

        if (isnan(side->at)) {
            lead_at(&scan, side->reach, &lead, &half_width);
            assert_true(lead > 0);
            continue;
        }
        num_found++;
        assert_true((side->at > item->number) == (j == SPOT_BREAK_EVEN_ABOVE));
        assert_zero(&scan, 0, side->at, item->number);
        if (side->near != item->number) {
            assert_zero(&scan, -1, side->near, item->number);
        }
        if (isfinite(side->far)) {
            assert_zero(&scan, 1, side->far, item->number);
        }
    }
    assert_int_equal(num_found > 0, is_found);
    spot_winners_free(&winners);
    store->close(store);
    spot_study_free(&study);
}

static void test_agrees_with_a_scan_of_a_key_of_the_winner(void **state)
{
    (void) state;
    check_scan("maximise: samples_per_s", "recovery.detection", true);
    check_scan("minimise: usd_per_1000_samples", "recovery.detection", true);
}

static void test_agrees_with_a_scan_of_a_key_of_both(void **state)
{
    (void) state;
    check_scan("maximise: samples_per_s", "job.checkpoint.write", true);
    check_scan("minimise: usd_per_1000_samples", "job.checkpoint.write", true);
    if (SPOT_FEWER == 1) { /* twelve times as many events where the search ends */
        check_scan("maximise: samples_per_s", "trace.frequency", true);
    }
}

/* ---- Kept beside the rows ---- */

static void assert_number(double a, double b)
{
    assert_true(a == b || (isnan(a) && isnan(b)));
}

/* Whatever their order. */
static void assert_same(const spot_store_t *a, const spot_store_t *b)
{
    size_t num_same = 0;

    assert_int_equal(a->num_break_evens, b->num_break_evens);
    for (size_t j = 0; j < a->num_break_evens * b->num_break_evens; j++) {
        const spot_break_even_t *x = &a->break_evens[j / b->num_break_evens];
        const spot_break_even_t *y = &b->break_evens[j % b->num_break_evens];

        if (x->best_id != y->best_id || x->key_id != y->key_id) {
            continue;
        }
        num_same++;
        assert_int_equal(x->next_id, y->next_id);
        assert_int_equal(x->num_pairs, y->num_pairs);
        assert_string_equal(x->unit, y->unit);
        for (int k = 0; k < SPOT_NUM_BREAK_EVEN_SIDES; k++) {
            assert_number(x->sides[k].at, y->sides[k].at);
            assert_number(x->sides[k].near, y->sides[k].near);
            assert_number(x->sides[k].far, y->sides[k].far);
            assert_number(x->sides[k].reach, y->sides[k].reach);
        }
    }
    assert_int_equal(num_same, a->num_break_evens);
}

/* How many are searched in a run. */
static void note_wanted(void *context, const spot_study_progress_t *progress)
{
    *(size_t *) context = progress->num_break_evens_wanted;
}

static size_t num_searched(const spot_study_t *study, const char *path)
{
    size_t num = 0;
    const spot_study_run_t run = {.num_threads = 2, .progress = note_wanted, .context = &num};
    char command[] = "spotsim";
    char *argv[] = {command, NULL};
    spot_study_provenance_t provenance;
    spot_store_t *store;
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(spot_study_provenance_init(&provenance, study, 1, argv), 0);
    assert_int_equal(
        spot_store_open_sqlite(&store, path, &study->head, &provenance.provenance, &diag), 0);
    assert_int_equal(spot_study_run(study, store, &run, &diag), 0);
    store->close(store);
    spot_study_provenance_free(&provenance);
    spot_diag_free(&diag);
    return num;
}

static void test_kept_in_a_database(void **state)
{
    static const char best[] = "maximise: samples_per_s";
    static const char keys[] = "recovery.detection, job.checkpoint.write";
    char path[PATH_BYTES];
    spot_study_t study, longer;
    spot_store_t *in_memory, *on_disk;
    spot_diag_t diag;

    (void) state;
    temporary_path("break-even.db", path);
    unlink(path);
    read_study(&study, best, keys, NUM_ROWS);
    assert_int_equal(num_searched(&study, path), 4);
    assert_int_equal(num_searched(&study, path), 0);
    in_memory = run_study(&study, 1);
    spot_diag_init(&diag);
    assert_int_equal(spot_store_open_sqlite_reader(&on_disk, path, &diag), 0);
    assert_int_equal(in_memory->num_break_evens, 4);
    assert_same(in_memory, on_disk);
    on_disk->close(on_disk);
    in_memory->close(in_memory);
    spot_study_free(&study);
    read_study(&longer, best, "recovery.detection", 2 * NUM_ROWS); /* more rows */
    assert_int_equal(num_searched(&longer, path), 2);
    spot_study_free(&longer);
    spot_diag_free(&diag);
    unlink(path);
}

/* A break-even is of what is best: of another metric, or of the lowest, it is found
 * anew. */
static void test_of_another_best(void **state)
{
    static const char *const bests[] = {"maximise: samples_per_s", "minimise: usd_per_1000_samples",
        "maximise: usd_per_1000_samples"};
    char path[PATH_BYTES];

    (void) state;
    temporary_path("break-even-best.db", path);
    unlink(path);
    for (size_t j = 0; j < sizeof(bests) / sizeof(bests[0]); j++) {
        spot_study_t study;

        read_study(&study, bests[j], "job.checkpoint.write", NUM_ROWS);
        assert_int_equal(num_searched(&study, path), 2);
        assert_int_equal(num_searched(&study, path), 0);
        spot_study_free(&study);
    }
    unlink(path);
}

/* ---- Whole numbers, and values that the engine does not take ---- */

static void find_first(const char *recovery, const char *keys, spot_break_even_t *item)
{
    spot_study_t study;
    spot_store_t *store;
    spot_diag_t diag;

    assert_int_equal(
        try_study(&study, &diag, recovery, "maximise: samples_per_s", keys, NUM_ROWS, 0, NULL), 0);
    store = run_study(&study, 2);
    assert_true(store->num_break_evens > 0);
    *item = store->break_evens[0];
    store->close(store);
    spot_study_free(&study);
    spot_diag_free(&diag);
}

/* Steps between checkpoints. */
static void test_whole_numbers(void **state)
{
    spot_break_even_t item;
    int num_found = 0;

    (void) state;
    find_first("{system: varuna, every: 12}, {system: varuna, every: 60}", "recovery.every", &item);
    for (int j = 0; j < SPOT_NUM_BREAK_EVEN_SIDES; j++) {
        const double at = item.sides[j].at;

        assert_true(isnan(at) || at == floor(at));
        num_found += isfinite(at);
    }
    assert_true(num_found > 0);
}

/* The fleet is full already, and a probability ends at 1, which lies between two steps
 * of the search. */
static void test_goes_to_the_edge(void **state)
{
    spot_break_even_t item;

    (void) state;
    find_first("{system: checkpoint, detection: 1 s}, {system: checkpoint, detection: 9 s}",
        "fleet.initial", &item);
    assert_true(isnan(item.sides[SPOT_BREAK_EVEN_ABOVE].at));
    assert_true(isnan(item.sides[SPOT_BREAK_EVEN_ABOVE].reach));
    find_first("{system: checkpoint, detection: 1 s}, {system: checkpoint, detection: 9 s}",
        "trace.preemption.per_minute", &item);
    assert_true(item.sides[SPOT_BREAK_EVEN_ABOVE].reach > 0.9 ||
                isfinite(item.sides[SPOT_BREAK_EVEN_ABOVE].at));
}

/* Two that are the same have no break-even. */
static void test_ties(void **state)
{
    spot_study_t study;
    spot_store_t *store;
    spot_diag_t diag;

    (void) state;
    assert_int_equal(try_study(&study, &diag, "checkpoint, {system: checkpoint, notice: ignore}",
                         "maximise: samples_per_s", "job.reload", 20, 0, NULL),
        0);
    store = run_study(&study, 1);
    assert_int_equal(store->num_break_evens, 0);
    store->close(store);
    spot_study_free(&study);
    spot_diag_free(&diag);
}

/* ---- What is refused ---- */

static void assert_refused(const char *recovery, const char *keys, const char *expected)
{
    spot_study_t study;
    spot_diag_t diag;
    char *report;

    assert_int_equal(
        try_study(&study, &diag, recovery, "maximise: samples_per_s", keys, NUM_ROWS, 0, NULL),
        SPOT_ERR_BAD_INPUT);
    report = diagnostics(&diag);
    assert_non_null(strstr(report, expected));
    free(report);
    spot_diag_free(&diag);
    spot_study_free(&study);
}

static void test_wrong_keys(void **state)
{
    (void) state;
    assert_refused(
        PAIR, "job.regroup", "best.break_even: \"job.regroup\" has no number in the scenario");
    assert_refused(
        PAIR, "job.detection, job.detection", "best.break_even: \"job.detection\" is there twice");
    assert_refused(PAIR, "[a]", "best.break_even");
}

/* ---- What was not measured ---- */

static void test_what_was_not_measured_does_not_compete(void **state)
{
    static const char three[] = "checkpoint, varuna, {system: bamboo, step_factor: 1}";
    spot_winners_t winners;
    spot_study_t study;
    spot_store_t *store;
    spot_diag_t diag;

    (void) state;
    assert_int_equal(
        try_study(&study, &diag, three, "maximise: samples_per_s", "", 20, 0, NULL), 0);
    store = run_study(&study, 2);
    assert_int_equal(spot_winners_init(&winners, store), 0);
    assert_string_equal(spot_study_unmeasured(&study.head, 2), "steps follow from step_factor");
    assert_null(spot_study_unmeasured(&study.head, 0));
    for (size_t j = 0; j < winners.groups.num_groups; j++) {
        assert_int_equal(winners.winners[j].num_rivals, 1);
        assert_true(spot_study_value_id(&study.head, winners.winners[j].best_id, 1) < 2);
    }
    /* It would win otherwise. */
    assert_true(spot_winners_summary(&winners, 2)->value >
                spot_winners_summary(&winners, winners.winners[0].best_id)->value);
    spot_winners_free(&winners);
    store->close(store);
    spot_study_free(&study);
    spot_diag_free(&diag);
    assert_refused("checkpoint, {system: bamboo, step_factor: 1}", "",
        "what was not measured does not: steps follow from step_factor");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agrees_with_a_scan_of_a_key_of_the_winner),
        cmocka_unit_test(test_agrees_with_a_scan_of_a_key_of_both),
        cmocka_unit_test(test_kept_in_a_database),
        cmocka_unit_test(test_of_another_best),
        cmocka_unit_test(test_whole_numbers),
        cmocka_unit_test(test_goes_to_the_edge),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_wrong_keys),
        cmocka_unit_test(test_what_was_not_measured_does_not_compete),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
