/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Micro-batches rerouted to the peers of a stage: by hand, and what holds on every
 * trace.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "policy_laws.h"

#define NUM_CASES (1500 / SPOT_FEWER)

/* 1024 samples in 2 pipelines: 8 micro-batches each. With a place of a stage lost a step
 * takes (8 * 2 + 1/3)/(8 + 1) of 10 s, 18.148 s, with fill: worst 17/9, 18.889 s. */
#define SYSTEM                                                                                     \
    "system: recycle, published_defaults: yes, micro_batch: 64, detection: 3 s, "                  \
    "stage_copy: 6 s"

/* a b are the stages of the first pipeline, c d of the second. Steps end at 10, 20, 30,
 * 40 s, then from 50 s on. */
#define START "0,init,4,a b c d\n45,preempt,1,b\n"

static void test_by_hand(void **state)
{
    static const hand_case_t cases[] = {
        {"rerouted", "{" SYSTEM "}", START "105,end,3,\n", 4 + 3, 0, 0, 5000, 0},
        {"slowly", "{" SYSTEM ", fill: worst}", START "105,end,3,\n", 4 + 2, 0, 0, 5000, 0},
        {"just as long", "{" SYSTEM ", fill: worst}", START "106.667,end,3,\n", 4 + 3, 0, 0, 5000,
            0},
        /* Both stages have a holder; the worst stage counts: 100 + 5 s, 3 steps. */
        {"another stage", "{" SYSTEM "}", START "100,preempt,1,a\n160,end,2,\n", 4 + 2 + 3, 0, 0,
            10000, 0},
        /* From storage with the 2 that are left: 63 s, steps of 18 s. */
        {"the last of a stage", "{" SYSTEM "}", START "100,preempt,1,d\n200,end,2,\n", 4 + 2 + 2, 6,
            1, 5000 + 23000, 40000},
        {"two at once", "{" SYSTEM "}", "0,init,4,a b c d\n45,preempt,2,b d\n144,end,2,\n", 4 + 2,
            4, 1, 23000, 40000},
        {"two of a pipeline at once", "{" SYSTEM "}",
            "0,init,4,a b c d\n45,preempt,2,a b\n105,end,2,\n", 4 + 3, 0, 0, 5000, 0},
        /* Ready at 61 s: 2 + 6 s, then 10 s again. */
        {"a place is taken", "{" SYSTEM "}", START "60,add,1,e\n99,end,4,\n", 4 + 3, 0, 0,
            5000 + 2000, 6000},
        /* At 66 s e has not copied yet, d was the last holder: 63 s, 129 s, 18 s. */
        {"no copy yet", "{" SYSTEM "}", START "60,add,1,e\n66,preempt,1,d\n165,end,3,\n", 4 + 2, 4,
            1, 5000 + 2000 + 23000, 3000 + 40000},
        /* At 69 s it has. */
        {"copied", "{" SYSTEM "}", START "60,add,1,e\n69,preempt,1,d\n129,end,3,\n", 4 + 3, 0, 0,
            5000 + 2000 + 5000, 6000},
        {"standby takes the place at once", "{" SYSTEM "}",
            "0,init,5,a b c d e\n45,preempt,1,b\n76,end,4,\n", 4 + 2, 0, 0, 5000, 6000},
        {"grows", "{" SYSTEM "}", "0,init,4,a b c d\n20,add,2,e f\n64,end,6,\n", 2 + 5, 0, 0, 2000,
            6000},
        {"does not grow", "{" SYSTEM ", growth: never}",
            "0,init,4,a b c d\n20,add,2,e f\n64,end,6,\n", 6, 0, 0, 0, 0},
        {"the job's reload is the copy",
            "{system: recycle, published_defaults: yes, micro_batch: 64, detection: 3 "
            "s}",
            "0,init,5,a b c d e\n45,preempt,1,b\n110,end,4,\n", 4 + 2, 0, 0, 5000, 40000},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        check_by_hand(&cases[j]);
    }
}

#define REROUTE SYSTEM ", notice: reroute"

/* Announced at 25 s, b is left at 40 s: 2 s to reroute, then steps of 18.148 s. */
static void test_notices(void **state)
{
    static const struct {
        int notice_s;
        hand_case_t of;
    } cases[] = {
        {20, {"in time", "{" REROUTE "}", START "105,end,3,\n", 4 + 3, 0, 0, 2000, 0}},
        {20, {"just in time", "{" REROUTE "}", START "96.444,end,3,\n", 4 + 3, 0, 0, 2000, 0}},
        {20, {"ignored", "{" SYSTEM ", notice: ignore}", START "105,end,3,\n", 4 + 3, 0, 0, 5000,
                 0}},
        {5, {"at the end of a step", "{" REROUTE "}", START "105,end,3,\n", 4 + 3, 0, 0, 2000, 0}},
        {4, {"too late", "{" REROUTE "}", START "105,end,3,\n", 4 + 3, 0, 0, 5000, 0}},
        /* e takes its place: 8 s, steps of 10 s. */
        {20, {"replaced", "{" REROUTE "}", "0,init,5,a b c d e\n45,preempt,1,b\n76,end,4,\n", 4 + 2,
                 0, 0, 2000, 6000}},
        {30, {"standby that goes too", "{" REROUTE "}",
                 "0,init,5,a b c d e\n45,preempt,1,b\n50,preempt,1,e\n105,end,3,\n", 4 + 3, 0, 0,
                 2000, 0}},
        {20, {"standby", "{" REROUTE "}", "0,init,5,a b c d e\n45,preempt,1,e\n105,end,4,\n", 10, 0,
                 0, 0, 0}},
        {20, {"the last of a stage", "{" REROUTE "}", "0,init,2,a b\n45,preempt,1,b\n100,end,1,\n",
                 2, 2, 1, 0, 0}},
        {20, {"all of a stage", "{" REROUTE "}", "0,init,4,a b c d\n45,preempt,2,b d\n144,end,2,\n",
                 4 + 2, 4, 1, 23000, 40000}},
        {20, {"a pipeline", "{" REROUTE "}", "0,init,4,a b c d\n45,preempt,2,a b\n105,end,2,\n",
                 4 + 3, 0, 0, 2000, 0}},
        /* Both are left at 40 s, though a goes later. */
        {20, {"several", "{" REROUTE "}",
                 "0,init,4,a b c d\n45,preempt,1,b\n48,preempt,1,a\n105,end,2,\n", 4 + 3, 0, 0,
                 2000, 0}},
        /* In the pause until 50 s it is announced that c goes at 60 s. */
        {12, {"in a pause", "{" REROUTE "}",
                 "0,init,4,a b c d\n45,stop,1,b\n60,preempt,1,c\n90,end,2,\n", 4 + 2, 0, 0,
                 5000 + 2000, 0}},
        /* A loss in the step under way: b is left at once too. */
        {20, {"a loss before it", "{" REROUTE "}",
                 "0,init,4,a b c d\n35,stop,1,a\n45,preempt,1,b\n95,end,2,\n", 3 + 3, 0, 0, 5000,
                 0}},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        check_with_notice(&cases[j].of, cases[j].notice_s);
    }
}

/* Whoever reads a step time that is no more than an approximation is told so. */
static void test_approximation(void **state)
{
    static const struct {
        const char *rows;
        bool is_approximate;
    } cases[] = {
        {START "105,end,3,\n", true}, {"0,init,4,a b c d\n105,end,4,\n", false},
        {"0,init,5,a b c d e\n45,preempt,1,b\n76,end,4,\n", false},  /* replaced */
        {"0,init,4,a b c d\n45,preempt,2,b d\n144,end,2,\n", false}, /* anew */
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        assert_int_equal(run_by_hand("{" SYSTEM "}", 0, cases[j].rows).has_approximate_step_time,
            cases[j].is_approximate);
    }
}

/* A loss in the pause of a reload from storage pays for it again in full. */
static void test_reload_again(void **state)
{
    /* Steps of 7 s. At 45 s 3 instances are left for a pipeline, at 60 s, still in the
     * pause, 5 for two: 63 s more. */
    const hand_case_t self = {"reload again", "{" SYSTEM ", growth: never}",
        "0,init,6,a b c d e f\n45,preempt,3,b d f\n50,add,3,g h i\n60,preempt,1,a\n"
        "150,end,5,\n",
        6 + 2, 6, 1, 15000 + 23000, 40000};

    (void) state;
    check_by_hand(&self);
}

static const char *const systems[] = {
    "{" SYSTEM "}",
    "{" SYSTEM ", fill: worst, growth: never}",
    "{system: recycle, published_defaults: yes, micro_batch: 7, replan: 1 ms, "
    "stage_copy: 0 s}",
    "{system: recycle, published_defaults: yes, micro_batch: 1000}",
    "{" REROUTE "}",
    "{system: recycle, published_defaults: yes, micro_batch: 7, replan: 1 ms, notice: "
    "reroute, growth: never}",
};

#define NUM_SYSTEMS (sizeof(systems) / sizeof(systems[0]))

/* Its step times are not those of the job's table where places are lost. */
static void test_laws(void **state)
{
    (void) state;
    check_policies(systems, NUM_SYSTEMS, NUM_CASES, false);
}

static void test_constant_fleet(void **state)
{
    (void) state;
    for (uint64_t seed = 1; seed <= NUM_CASES; seed++) {
        check_constant_fleet(seed, systems[seed % NUM_SYSTEMS]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_notices),
        cmocka_unit_test(test_approximation),
        cmocka_unit_test(test_reload_again),
        cmocka_unit_test(test_laws),
        cmocka_unit_test(test_constant_fleet),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
