/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recovery from the memory of peers: by hand, and what holds on every trace. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "policy_laws.h"

#define NUM_CASES (1500 / SPOT_FEWER)

/* Of 4 instances each fetches 2 GB in 2 s; the storage takes 80 s. */
#define RATES                                                                                      \
    "system: gemini, published_defaults: yes, state_bytes: 8e9, "                                  \
    "net_bytes_per_s: 1e9, remote_bytes_per_s: 1e8, "                                              \
    "restart: 5 s, detection: 3 s"

/* a b | c d are the groups, e is standby. Steps end at 10, 20, 30, 40 s. */
#define START "0,init,5,a b c d e\n45,preempt,1,b\n"

static void test_by_hand(void **state)
{
    static const hand_case_t cases[] = {
        /* Trains again at 55 s: steps at 65, 75, 85, 95 s. */
        {"one is replaced", "{" RATES "}", START "100,end,4,\n", 8, 0, 0, 8000, 2000},
        {"steps since the copy are lost", "{" RATES ", mem_every: 3}", START "100,end,4,\n", 8, 1,
            0, 8000, 2000},
        {"only half of the time of a copy a step", "{" RATES ", mem_overhead: 1 s}",
            "0,init,4,a b c d\n110,end,4,\n", 10, 0, 0, 0, 0},
        {"mem_every spreads it", "{" RATES ", mem_overhead: 1 s, mem_every: 2}",
            "0,init,4,a b c d\n105,end,4,\n", 10, 0, 0, 0, 0},
        /* Its peer is lost before e has fetched: 85 s from 50 s on, and 3 s more. */
        {"a group is lost in the pause", "{" RATES ", replacement: shrink}",
            START "50,preempt,1,a\n200,end,3,\n", 4 + 3, 4, 1, 5000 + 8000, 80000},
        {"not any more when it has ended", "{" RATES ", replacement: shrink}",
            START "55,preempt,1,a\n100,end,3,\n", 4 + 1, 0, 0, 16000, 2000 + 4000},
        /* The groups are a c | d e now; two are ready at 131 s, 85 s more. */
        {"a group is lost", "{" RATES "}", START "100,preempt,2,a c\n130,add,2,f g\n300,end,4,\n",
            8 + 8, 8, 1, 8000 + 31000 + 5000, 82000},
        {"one of each group is lost", "{" RATES "}",
            START "100,preempt,2,a d\n130,add,2,f g\n188,end,4,\n", 8 + 5, 0, 0,
            8000 + 31000 + 5000, 4000},
        {"shrinks at once", "{" RATES ", replacement: shrink}",
            "0,init,4,a b c d\n45,preempt,1,b\n93,end,3,\n", 4 + 2, 0, 0, 8000, 4000},
        {"waits to the end", "{" RATES "}", "0,init,4,a b c d\n45,preempt,1,b\n93,end,3,\n", 4, 0,
            0, 48000, 0},
        /* 6 ready at 21 s: 5 s and 8/6 GB. */
        {"grows", "{" RATES "}", "0,init,4,a b c d\n20,add,2,e f\n63,end,6,\n", 2 + 5, 0, 0, 5000,
            1333},
        {"does not grow", "{" RATES ", growth: never}",
            "0,init,4,a b c d\n20,add,2,e f\n63,end,6,\n", 6, 0, 0, 0, 0},
        {"a group of all", "{" RATES ", group_size: 9, replacement: shrink}",
            "0,init,4,a b c d\n45,preempt,2,a b\n93,end,2,\n", 4 + 2, 0, 0, 8000, 4000},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        check_by_hand(&cases[j]);
    }
}

/* Announced at 25 s, training stops at 40 s: the step from there does not fit. */
static void test_notices(void **state)
{
    static const struct {
        int notice_s;
        hand_case_t of;
    } cases[] = {
        {20, {"in time", "{" RATES ", mem_every: 3}", START "100,end,4,\n", 8, 0, 0, 5000 + 8000,
                 2000}},
        {20, {"all copied", "{" RATES ", mem_every: 3}", START "100,end,4,\n", 8, 0, 0, 5000 + 8000,
                 2000}},
        {5, {"at the end of a step", "{" RATES ", mem_every: 3}", START "100,end,4,\n", 8, 0, 0,
                5000 + 8000, 2000}},
        {4, {"too late", "{" RATES ", mem_every: 3}", START "100,end,4,\n", 8, 1, 0, 8000, 2000}},
        {20, {"ignored", "{" RATES ", notice: ignore, mem_every: 3}", START "100,end,4,\n", 8, 1, 0,
                 8000, 2000}},
        /* Steps of 10.5 s: the fourth ends at 42 s, and a copy of 1 s fits. */
        {20, {"with a copy", "{" RATES ", mem_overhead: 1 s, mem_every: 2}", START "100,end,4,\n",
                 8, 0, 0, 3000 + 8000, 2000}},
        {20, {"without room for it", "{" RATES ", mem_overhead: 2 s, mem_every: 2}",
                 START "100,end,4,\n", 7, 0, 0, 12000 + 8000, 2000}},
        /* Steps of 14 s: at 28 s a copy of 16 s just fits, at 42 s none does. */
        {20, {"a long copy", "{" RATES ", mem_overhead: 16 s, mem_every: 4}", START "100,end,4,\n",
                 2 + 3, 0, 0, 17000 + 8000, 2000}},
        {4, {"no time for a long copy", "{" RATES ", mem_overhead: 16 s, mem_every: 4}",
                START "100,end,4,\n", 3 + 3, 3, 0, 8000, 2000}},
        /* Copies in a group do not help it. */
        {20, {"a whole group", "{" RATES ", replacement: shrink, mem_every: 3}",
                 "0,init,4,a b c d\n45,preempt,2,a b\n150,end,2,\n", 4, 4, 1, 5000 + 8000, 80000}},
        {20, {"standby", "{" RATES ", mem_every: 3}",
                 "0,init,5,a b c d e\n45,preempt,1,e\n100,end,4,\n", 10, 0, 0, 0, 0}},
        /* b goes at 45 s, c in the pause at 48 s: one pipeline from 60 s on. */
        {20, {"several", "{" RATES ", replacement: shrink, mem_every: 3}",
                 START "48,preempt,1,c\n100,end,3,\n", 4 + 2, 0, 0, 5000 + 3000 + 8000, 4000}},
        /* b is not announced; a is, and no step fits from 55 s on, when c d e hold
         * copies of all. Then there are too few. */
        {20, {"a loss before it", "{" RATES ", mem_every: 2}",
                 "0,init,5,a b c d e\n45,stop,1,b\n62,preempt,1,a\n100,end,3,\n", 4, 0, 0,
                 8000 + 7000 + 38000, 2000}},
        /* At 20 s: two are ready at 41 s, but form pipelines after the loss only. */
        {20, {"additions wait", "{" RATES ", mem_every: 3}",
                 "0,init,4,a b c d\n40,add,3,e f g\n45,preempt,1,b\n66,end,6,\n", 4 + 1, 0, 0,
                 5000 + 8000, 1333}},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        check_with_notice(&cases[j].of, cases[j].notice_s);
    }
}

/* Steps end at 10, 20, 33 and 43 s: behind every second one the job stalls for 3 s. */
static void test_notices_with_stalls(void **state)
{
    static const struct {
        int notice_s;
        int loss_s;
        int64_t num_steps;
    } cases[] = {
        {8, 38, 3},               /* known at 30 s, in the third step */
        {20, 45, 4},              /* the fourth step fits: no stall is before it */
        {20, 34, 3}, {10, 32, 2}, /* known at 22 s, in the stall */
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        char rows[128];
        spot_train_result_t result;

        snprintf(rows, sizeof(rows), "0,init,5,a b c d e\n%d,preempt,1,b\n%d,end,4,\n",
            cases[j].loss_s, cases[j].loss_s + 2);
        result = run_with_checkpoints("{mode: sync, every: 2 steps, write: 3 s}",
            "{" RATES ", mem_every: 3}", cases[j].notice_s, rows);
        assert_int_equal(result.steps_executed, cases[j].num_steps);
        assert_int_equal(result.steps_lost, 0);
        assert_int_equal(result.ledger.instance_ms[SPOT_SHARE_LOST], 0);
    }
}

#define FAST_RATES                                                                                 \
    "system: gemini, published_defaults: yes, state_bytes: 3e7, net_bytes_per_s: "                 \
    "1e10, "                                                                                       \
    "remote_bytes_per_s: 1e8, restart: 7 ms"

static const char *const systems[] = {
    "{" RATES "}",
    "{" RATES ", replacement: shrink, mem_every: 3}",
    "{" RATES ", growth: never, group_size: 3}",
    "{" RATES ", notice: ignore}",
    "{" FAST_RATES ", replacement: shrink, mem_every: 2, mem_overhead: 1 ms}",
};

#define NUM_SYSTEMS (sizeof(systems) / sizeof(systems[0]))

static void test_laws(void **state)
{
    (void) state;
    check_policies(systems, NUM_SYSTEMS, NUM_CASES, true);
}

static void test_constant_fleet(void **state)
{
    (void) state;
    for (uint64_t seed = 1; seed <= NUM_CASES; seed++) {
        check_constant_fleet(seed, systems[seed % (NUM_SYSTEMS - 1)]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_notices),
        cmocka_unit_test(test_notices_with_stalls),
        cmocka_unit_test(test_laws),
        cmocka_unit_test(test_constant_fleet),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
