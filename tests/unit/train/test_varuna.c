/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recovery system varuna: its decisions on small traces by hand, the shapes that it
 * chooses, and its rules on random traces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixture.h"
#include "policy_laws.h"
#include "random_case.h"
#include "set_recovery.h"
#include "sim/train/recovery/recovery_varuna.h"
#include "varuna_case.h"

#define NUM_CASES 300

/* 100 s of ten steps, 4 s of a checkpoint, four steps more; the loss at 150 s takes four
 * and a half with it; then 60 + 5 + 7 s, and from 222 s on steps of 20 s. */
static void test_loss(void **state)
{
    const small_t with = {.rows = "0,init,2,a b\n150,preempt,1,a\n300,end,1,\n",
        .job = ONE_STAGE,
        .options = "",
        .capacity = 2};
    const spot_train_result_t result = run_small(&with);

    (void) state;
    assert_int_equal(result.steps_executed, 10 + 4 + 3);
    assert_int_equal(result.steps_durable, 10);
    assert_int_equal(result.steps_lost, 4);
    assert_int_equal(result.checkpoints_durable, 1);
    assert_int_equal(result.stalled_ms, 4000);
    assert_int_equal(result.job_ms[SPOT_JOB_RECONFIGURING], 65000);
    assert_int_equal(result.job_ms[SPOT_JOB_RELOADING], 7000);
}

/* An addition at 50.1 s is ready at 50.2 s; at 60 s it is polled: three steps are
 * written, the started one is lost, and after 4 + 5 + 7 s steps of 10 s go on. */
static void test_addition_at_poll(void **state)
{
    const small_t with = {.rows = "0,init,1,a\n50.1,add,1,b\n135,end,2,\n",
        .job = ONE_STAGE,
        .options = ", poll: 30 s",
        .capacity = 2};
    const spot_train_result_t result = run_small(&with);

    (void) state;
    assert_int_equal(result.steps_lost, 0);
    assert_int_equal(result.rollbacks, 0);
    assert_int_equal(result.reconfigurations, 1);
    assert_int_equal(result.steps_durable, 3);
    assert_int_equal(result.steps_executed, 3 + 5); /* from 76 s on */
    assert_int_equal(result.job_ms[SPOT_JOB_RECONFIGURING], 5000);
}

/* The same where it makes no other pipelines: it stays standby. */
static void test_addition_without_use(void **state)
{
    const small_t with = {.rows = "0,init,1,a\n50.1,add,1,b\n135,end,2,\n",
        .job = ONE_STAGE "  max_pipelines: 1\n",
        .options = "",
        .capacity = 2};
    const spot_train_result_t result = run_small(&with);

    (void) state;
    assert_int_equal(result.reconfigurations, 0);
    assert_int_equal(result.steps_executed, 6);
}

/* A copy of 25 s: what was written at 104 s is durable at 129 s only. */
static void test_copy(void **state)
{
    small_t with = {.rows = "0,init,2,a b\n128,preempt,1,a\n130,end,1,\n",
        .job = ONE_STAGE,
        .options = ", copy: 25 s",
        .capacity = 2};

    (void) state;
    assert_int_equal(run_small(&with).steps_durable, 0);
    with.rows = "0,init,2,a b\n129.1,preempt,1,a\n130,end,1,\n";
    assert_int_equal(run_small(&with).steps_durable, 10);
}

/* The loss at 250 s is announced at 150 s. At 220 s the step goes on to its end at
 * 228 s (two checkpoints of 4 s lie behind, 22 steps); it is written until 232 s, the
 * job waits until 262 s and trains with one instance from 274 s on. */
static void test_notice(void **state)
{
    small_t with = {.rows = "0,init,2,a b\n250,preempt,1,a\n300,end,1,\n",
        .job = ONE_STAGE,
        .notice = "100 s",
        .options = ", settle: 30 s",
        .capacity = 2};
    spot_train_result_t result = run_small(&with);

    (void) state;
    assert_int_equal(result.steps_lost, 0);
    assert_int_equal(result.rollbacks, 0);
    assert_int_equal(result.reconfigurations, 1);
    assert_int_equal(result.stalled_ms, 12000);
    assert_int_equal(result.steps_durable, 22);
    assert_int_equal(result.job_ms[SPOT_JOB_RELOADING], 7000);
    /* Too short a notice: the loss rolls back. */
    with.notice = "33 s";
    result = run_small(&with);
    assert_int_equal(result.rollbacks, 1);
    assert_int_equal(result.steps_durable, 20);
}

#define LONG_WRITE                                                                                 \
    "  pipeline_depth: 1\n  samples_per_step: 64\n  step_time: {1: 20 s, 2: 10 s}\n"               \
    "  checkpoint: {write: 40 s}\n  reconfiguration: 5 s\n  reload: 7 s\n"
#define NO_WRITE                                                                                   \
    "  pipeline_depth: 1\n  samples_per_step: 64\n  step_time: {1: 20 s, 2: 10 s}\n"               \
    "  checkpoint: {write: 0 s}\n  reconfiguration: 5 s\n  reload: 7 s\n"

/* A write of 40 s is longer than the lead: the job stops 50 s before the loss, or at the
 * end of the step under way then. */
static void test_long_write(void **state)
{
    static const struct {
        const char *what;
        const char *rows;
        const char *notice;
        const char *options;
        int64_t rollbacks;
        int64_t steps_durable;
        int64_t stalled_ms;
    } cases[] = {
        {"at 205 s", "255,preempt,1,a\n300,end,1,\n", "100 s", "", 0, 21, 40000},
        {"at 200 s, between two steps", "250,preempt,1,a\n300,end,1,\n", "100 s", "", 0, 20, 40000},
        {"lead and write just fit", "250,preempt,1,a\n300,end,1,\n", "70 s", "", 0, 20, 40000},
        {"they do not", "250,preempt,1,a\n300,end,1,\n", "69 s", "", 1, 0, 0},
        /* From 214 s on; the step ends at 220 s. */
        {"too late behind the step", "255,preempt,1,a\n300,end,1,\n", "41 s", ", lead: 1 s", 1, 0,
            0},
        {"as late as can be", "260,preempt,1,a\n300,end,1,\n", "42 s", ", lead: 1 s", 0, 22, 40000},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        char rows[256], options[256];
        const small_t with = {.rows = rows,
            .job = LONG_WRITE,
            .notice = cases[j].notice,
            .options = options,
            .capacity = 2};
        spot_train_result_t result;

        print_message("%s\n", cases[j].what);
        snprintf(rows, sizeof(rows), "0,init,2,a b\n%s", cases[j].rows);
        snprintf(options, sizeof(options), ", every: 1000, settle: 30 s%s", cases[j].options);
        result = run_small(&with);
        assert_int_equal(result.rollbacks, cases[j].rollbacks);
        assert_int_equal(result.steps_durable, cases[j].steps_durable);
        assert_int_equal(result.stalled_ms, cases[j].stalled_ms);
    }
}

/* The lead is all of the notice, at 225 s: 23 steps stay. */
static void test_notice_of_the_lead(void **state)
{
    const small_t with = {.rows = "0,init,2,a b\n255,preempt,1,a\n270,end,1,\n",
        .job = NO_WRITE,
        .notice = "30 s",
        .options = ", every: 1000, settle: 30 s",
        .capacity = 2};
    const spot_train_result_t result = run_small(&with);

    (void) state;
    assert_int_equal(result.rollbacks, 0);
    assert_int_equal(result.steps_lost, 0);
    assert_int_equal(result.steps_executed, 23);
}

/* At 160 s, which is to be the stop for the loss at 190 s, the job still pauses for that
 * at 100 s: the poll at 180 s is due all the same. */
static void test_poll_behind_stop(void **state)
{
    const small_t with = {.rows = "0,init,2,a b\n100,stop,1,b\n105,add,1,c\n"
                                  "190,preempt,1,a\n300,end,1,\n",
        .job = ONE_STAGE,
        .notice = "80 s",
        .options = ", poll: 180 s",
        .capacity = 2};

    (void) state;
    assert_int_equal(run_small(&with).reconfigurations, 3);
}

/* ---- More notices than one ---- */

#define TWO_USED                                                                                   \
    "  pipeline_depth: 1\n  max_pipelines: 2\n  samples_per_step: 64\n"                            \
    "  step_time: {1: 20 s, 2: 10 s}\n"                                                            \
    "  checkpoint: {write: 4 s}\n  reconfiguration: 5 s\n  reload: 7 s\n"
#define ALL_USED                                                                                   \
    "  pipeline_depth: 1\n  samples_per_step: 64\n"                                                \
    "  step_time: {1: 20 s, 2: 10 s, 3: 10 s}\n"                                                   \
    "  checkpoint: {write: 4 s}\n  reconfiguration: 5 s\n  reload: 7 s\n"

typedef struct {
    const char *what;
    const char *job;
    const char *notice;
    const char *rows;
    int64_t steps_executed;
    int64_t steps_durable;
    int64_t reconfigurations;
    int64_t stalled_ms;
} noticed_t;

/* Three instances; steps of 10 s with two or three, of 20 s with one; checkpoints of 4
 * s; lead 30 s, settle 30 s. The loss at 250 s stops the job at the end of its step at
 * 228 s, after checkpoints at 100 and 204 s; 22 steps are durable at 232 s, and from
 * 262 s on it takes 12 s to train again. */
static const noticed_t noticed[] = {
    {"two at once", ALL_USED, "100 s", "250,preempt,2,a b\n300,end,1,\n", 23, 22, 1, 12000},
    {"two rows", ALL_USED, "100 s", "250,preempt,1,a\n250,preempt,1,b\n300,end,1,\n", 23, 22, 1,
        12000},
    {"two rows the other way round", ALL_USED, "100 s",
        "250,preempt,1,b\n250,preempt,1,a\n300,end,1,\n", 23, 22, 1, 12000},
    {"the second while it is paused", ALL_USED, "100 s",
        "250,preempt,1,a\n255,preempt,1,b\n300,end,1,\n", 23, 22, 1, 12000},
    /* Rule 3: a new pause in full, of 60 + 5 + 7 s; two steps from 340 s on. */
    {"the second while it forms anew", ALL_USED, "100 s",
        "250,preempt,1,a\n268,preempt,1,b\n390,end,1,\n", 24, 22, 2, 12000},
    /* Stops again for the loss at 400 s: ten steps from 274 s on, written from 374 s to
     * 378 s; from 408 + 12 s on three of 20 s. */
    {"both known, the second much later", ALL_USED, "300 s",
        "250,preempt,1,a\n400,preempt,1,b\n495,end,1,\n", 35, 32, 2, 16000},
    /* Five steps from 274 s on, written from 324 s on; two from 370 s on. */
    {"the second is announced in the pause", ALL_USED, "100 s",
        "250,preempt,1,a\n345,preempt,1,b\n425,end,1,\n", 29, 27, 2, 16000},
    {"not in use", TWO_USED, "100 s", "250,preempt,1,c\n300,end,2,\n", 29, 20, 0, 8000},
    /* It is in use from 262 s on. */
    {"not in use when it is announced", TWO_USED, "200 s",
        "250,preempt,1,a\n400,preempt,1,c\n495,end,1,\n", 35, 32, 2, 16000},
};

static void test_several_notices(void **state)
{
    (void) state;
    for (size_t j = 0; j < sizeof(noticed) / sizeof(noticed[0]); j++) {
        const noticed_t *expected = &noticed[j];
        char rows[256];
        const small_t with = {.rows = rows,
            .job = expected->job,
            .notice = expected->notice,
            .options = ", settle: 30 s",
            .capacity = 3};
        spot_train_result_t result;

        print_message("%s\n", expected->what);
        snprintf(rows, sizeof(rows), "0,init,3,a b c\n%s", expected->rows);
        result = run_small(&with);
        assert_int_equal(result.steps_executed, expected->steps_executed);
        assert_int_equal(result.steps_durable, expected->steps_durable);
        assert_int_equal(result.reconfigurations, expected->reconfigurations);
        assert_int_equal(result.stalled_ms, expected->stalled_ms);
        assert_int_equal(result.steps_lost, 0);
        assert_int_equal(result.rollbacks, 0);
    }
}

/* ---- Shapes ---- */

/* What a step of the fastest shape of twelve layers takes, from depths 1, 2, 3, 4 and 6
 * with F = 100 and B = 200 ms in Varuna's schedule; of at most most_layers a stage. */
static double fastest_ms(int num_instances, int most_layers)
{
    static const int depths[] = {1, 2, 3, 4, 6};
    double fastest = HUGE_VAL;

    for (size_t j = 0; j < 5; j++) {
        const int depth = depths[j], layers = 12 / depth;
        const int num = num_instances / depth;

        if (num > 0 && layers <= most_layers) {
            const int m = (64 / num + 3) / 4;

            fastest =
                fmin(fastest, depth == 1 ? m * 300.0 * layers : (m + depth - 2) * 400.0 * layers);
        }
    }
    return fastest;
}

/* With memory, two layers fit into an instance and three do not. */
static void test_shape_of_model(void **state)
{
    static const char *const memories[] = {
        "", ",\n    memory: {instance_bytes: 25, state_bytes: 10}"};

    (void) state;
    for (int j = 0; j < 26; j++) {
        const int n = 1 + j / 2;
        const double step_ms = fastest_ms(n, j % 2 == 0 ? 12 : 2);
        char job[512], rows[64];
        const small_t with = {.rows = rows, .job = job, .options = "", .capacity = 13};

        snprintf(job, sizeof(job),
            "  samples_per_step: 64\n  step_time: {pipeline: {layers: 12,\n"
            "    micro_batch: 4, forward_ms: 100, backward_ms: 200,\n"
            "    gradient_bytes: 0%s}}\n  checkpoint: {write: 1 s}\n",
            memories[j % 2]);
        snprintf(rows, sizeof(rows), "0,init,%d,%.*s\n1000,end,%d,\n", n, 2 * n - 1,
            "a b c d e f g h i j k l m", n);
        assert_int_equal(
            run_small(&with).checkpoints_durable, (int64_t) (1000000 / (10 * step_ms + 1000)));
    }
}

/* The same from the pairs of a table, each tried: depths that divide the cut-points,
 * each with as many pipelines as there are pairs for. */
static spot_varuna_shape_t shape_by_force(
    const spot_job_t *job, int64_t num_cut_points, int64_t num_instances)
{
    const spot_step_grid_t *grid = &job->step_time.grid;
    spot_varuna_shape_t best = {0};
    double best_ms = HUGE_VAL;
    int32_t best_depth = 0;
    int64_t most_lacking = 0;

    for (size_t j = 0; j < grid->num_pairs; j++) {
        const spot_step_pair_t *pair = &grid->pairs[j];
        const int64_t limit =
            llrint(fmin((double) job->max_pipelines, floor((double) num_instances / pair->depth)));
        const int32_t num_active = pair->num_pipelines * pair->depth;
        bool is_most = pair->num_pipelines <= limit;

        for (size_t k = 0; k < grid->num_pairs; k++) {
            is_most &= grid->pairs[k].depth != pair->depth ||
                       grid->pairs[k].num_pipelines > limit ||
                       grid->pairs[k].num_pipelines <= pair->num_pipelines;
        }
        if (!is_most || num_cut_points % pair->depth != 0 || num_cut_points == pair->depth) {
            continue;
        }
        if (pair->num_pipelines < limit && limit * pair->depth > most_lacking) {
            most_lacking = limit * pair->depth;
        }
        if (pair->step_ms < best_ms ||
            (pair->step_ms <= best_ms &&
                (num_active < best.num_active ||
                    (num_active == best.num_active && pair->depth < best_depth)))) {
            best.num_pipelines = pair->num_pipelines;
            best.num_active = num_active;
            best.step_ms = llrint(pair->step_ms);
            best_ms = pair->step_ms;
            best_depth = pair->depth;
        }
    }
    best.lacks_step_time =
        best.num_pipelines == 0 ? num_instances > 0 : most_lacking > best.num_active;
    return best;
}

static void test_shape_of_pairs(void **state)
{
    static const int cut_points[] = {2, 6, 7, 12, 16, 24};
    int num_lacking = 0, num_shapes = 0;

    (void) state;
    for (uint64_t seed = 1; seed <= 120; seed++) {
        const int num_cut_points = cut_points[seed % 6];
        const spot_varuna_options_t *options;
        spot_scenario_t scenario;
        char text[512];

        snprintf(text, sizeof(text),
            "scenario: grid\nhorizon: 1 h\nfleet: {capacity: 24, initial: 24}\n"
            "job: {pipeline_depth: 1, max_pipelines: %d, step_time: {1: 9 s}}\n"
            "trace: {generator: seed, preemption: {per_minute: 0, count: {fixed: 1}},\n"
            "  addition: {per_minute: 0, count: {fixed: 1}}}\n",
            seed % 4 == 0 ? 5 : 24);
        bind_good_scenario(&scenario, text);
        set_random_table(&scenario, seed);
        snprintf(text, sizeof(text), "{system: varuna, published_defaults: yes, cut_points: %d}",
            num_cut_points);
        set_recovery(&scenario, text);
        options = scenario.recovery.options;
        for (int64_t n = 0; n <= 24; n++) {
            const spot_varuna_shape_t expected = shape_by_force(&scenario.job, num_cut_points, n);
            const spot_varuna_shape_t *shape = &options->shapes[n];

            assert_int_equal(shape->num_pipelines, expected.num_pipelines);
            assert_int_equal(shape->num_active, expected.num_active);
            assert_int_equal(shape->step_ms, expected.step_ms);
            assert_int_equal(shape->lacks_step_time, expected.lacks_step_time);
            num_lacking += shape->lacks_step_time;
            num_shapes += shape->num_pipelines > 0;
        }
        spot_scenario_free(&scenario);
    }
    assert_true(num_lacking > 100 && num_shapes - num_lacking > 100);
}

/* One run with step times by (D,P), in pipelines of two with four cut-points. */
static spot_train_result_t run_pairs(const char *pairs, const char *rows)
{
    char table[PATH_BYTES], job[PATH_BYTES + 256];
    const small_t with = {.rows = rows, .job = job, .options = ", cut_points: 4", .capacity = 8};
    spot_train_result_t result;

    temporary_path("pairs.csv", table);
    write_file(table, pairs);
    snprintf(job, sizeof(job),
        "  pipeline_depth: 4\n  samples_per_step: 64\n  step_time: {table: %s}\n"
        "  checkpoint: {write: 1 s}\n  reconfiguration: 5 s\n  reload: 5 s\n",
        table);
    result = run_small(&with);
    remove(table);
    return result;
}

/* What instances stay standby for is said, and only that: the job's own depth is none of
 * varuna's, and without instances no step time is missing. */
static void test_missing_pairs(void **state)
{
    static const char good[] = "D,P,step_ms\n1,2,10000\n2,2,8000\n3,2,6000\n"
                               "4,2,5000\n1,1,20000\n1,4,90000\n";
    static const char few[] = "D,P,step_ms\n1,2,10000\n2,2,8000\n1,1,20000\n";
    spot_train_result_t result;

    (void) state;
    result = run_pairs(good, "0,init,8,a b c d e f g h\n102,end,8,\n");
    assert_false(result.lacks_step_time);
    assert_int_equal(result.steps_executed, 20);
    result = run_pairs(good, "0,init,2,a b\n50,preempt,2,a b\n100,end,0,\n");
    assert_false(result.lacks_step_time);
    assert_int_equal(result.job_ms[SPOT_JOB_WAITING], 50000);
    result = run_pairs(few, "0,init,4,a b c d\n100,end,4,\n");
    assert_false(result.lacks_step_time);
    result = run_pairs(few, "0,init,4,a b c d\n50,add,2,e f\n100,end,6,\n");
    assert_true(result.lacks_step_time);
    assert_int_equal(result.reconfigurations, 0);
    assert_int_equal(result.steps_executed, 12);
    result = run_pairs(few, "0,init,6,a b c d e f\n50,preempt,2,e f\n100,end,4,\n");
    assert_true(result.lacks_step_time);
    assert_int_equal(result.steps_executed, 12); /* those in standby are lost */
}

/* Two pipelines of two, then with two instances less one of two, with three more three:
 * what is written before an addition is used is not lost. */
static void test_morphing_on_pairs(void **state)
{
    const spot_train_result_t result =
        run_pairs("D,P,step_ms\n1,2,10000\n2,2,8000\n3,2,6000\n1,1,20000\n",
            "0,init,4,a b c d\n83,preempt,2,a c\n193.5,add,4,e f g h\n260,end,6,\n");

    (void) state;
    /* Ten of 8 s until 80 s, written until 81 s; a pause of 60 + 5 + 5 s until 153 s;
     * four of 10 s until 193 s, written from 193.6 to 194.6 s; from 204.6 s on nine of 6
     * s. */
    assert_int_equal(result.steps_executed, 10 + 4 + 9);
    assert_int_equal(result.steps_lost, 0);
    assert_int_equal(result.steps_durable, 14);
    assert_int_equal(result.reconfigurations, 2);
}

/* Where n is outside the table the job waits, or the ends count. */
static void test_table_domain(void **state)
{
    small_t with = {.rows = "0,init,3,a b c\n50,preempt,1,a\n100,preempt,1,b\n200,end,1,\n",
        .table = "n,step_ms,checkpoint_ms,restart_total_ms\n2,10000,2000,12000\n"
                 "3,5000,2000,22000\n",
        .job = "  samples_per_step: 64\n",
        .options = "",
        .capacity = 3};
    spot_train_result_t result = run_small(&with);

    (void) state;
    assert_int_equal(result.job_ms[SPOT_JOB_WAITING], 100000);
    assert_int_equal(result.job_ms[SPOT_JOB_RECONFIGURING], 10000); /* of the new n */
    assert_true(result.lacks_step_time);
    assert_false(result.has_flat_step_time);
    with.options = ", extrapolate: yes";
    result = run_small(&with);
    assert_int_equal(result.job_ms[SPOT_JOB_WAITING], 0);
    assert_true(result.has_flat_step_time);
    assert_false(result.lacks_step_time);
}

/* ---- Random traces ---- */

static void bind_random(
    uint64_t seed, bool is_reversed, const char *recovery, spot_scenario_t *self)
{
    case_t random_case;

    draw_case(&random_case, seed);
    random_case.has_reversed_losses = is_reversed;
    random_case.setting.notice_ms = seed % 3 == 0 ? 40000 : 0;
    bind_case(&random_case, self);
    set_recovery(self, recovery);
}

/* spot_ledger_verify() runs in each; "ideal" bounds it; the order of the rows of one
 * instant says nothing; the log tiles the run. */
static void test_random_traces(void **state)
{
    static const char *const kinds[] = {"{system: varuna, published_defaults: yes, "
                                        "detection: 3 s, lead: 9 s, settle: 20 s}",
        "{system: varuna, published_defaults: yes, detection: 0 s, every: 3, copy: 2 s, "
        "poll: 7 s}"};

    (void) state;
    for (uint64_t seed = 1; seed <= NUM_CASES; seed++) {
        spot_scenario_t scenario, reversed, ideal;
        spot_train_result_t result, other, bound;
        spot_event_log_t log = {0};
        int64_t job_ms = 0;

        bind_random(seed, false, kinds[seed % 2], &scenario);
        bind_random(seed, true, kinds[seed % 2], &reversed);
        bind_random(seed, false, "ideal", &ideal);
        result = run_scenario(&scenario, 1, &log);
        other = run_scenario(&reversed, 1, NULL);
        bound = run_scenario(&ideal, 1, NULL);
        for (size_t j = 0; j < SPOT_NUM_JOB_PHASES; j++) {
            job_ms += result.job_ms[j];
        }
        assert_int_equal(job_ms, result.horizon_ms);
        assert_int_equal(result.steps_executed, other.steps_executed);
        assert_int_equal(result.steps_durable, other.steps_durable);
        assert_int_equal(result.steps_lost, other.steps_lost);
        assert_memory_equal(&result.ledger, &other.ledger, sizeof(result.ledger));
        if (!result.is_finished && !bound.is_finished) {
            assert_true(result.steps_executed - result.steps_lost <= bound.steps_executed + 1);
        }
        spot_event_log_free(&log);
        spot_scenario_free(&scenario);
        spot_scenario_free(&reversed);
        spot_scenario_free(&ideal);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loss),
        cmocka_unit_test(test_addition_at_poll),
        cmocka_unit_test(test_addition_without_use),
        cmocka_unit_test(test_copy),
        cmocka_unit_test(test_notice),
        cmocka_unit_test(test_long_write),
        cmocka_unit_test(test_notice_of_the_lead),
        cmocka_unit_test(test_poll_behind_stop),
        cmocka_unit_test(test_several_notices),
        cmocka_unit_test(test_shape_of_model),
        cmocka_unit_test(test_shape_of_pairs),
        cmocka_unit_test(test_missing_pairs),
        cmocka_unit_test(test_morphing_on_pairs),
        cmocka_unit_test(test_table_domain),
        cmocka_unit_test(test_random_traces),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
