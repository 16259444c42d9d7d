/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/rng.h"
#include "models/checkpoint_theory.h"

/* ---- Checkpoint theory ---- */

#define NUM_RANDOM 2000

/* ---- The rules one by one ---- */

static spot_theory_optima_t optima_of(double mtbf_s, double stall_s)
{
    return spot_theory_optima(
        &(spot_theory_t){.mtbf_s = mtbf_s, .stall_s = stall_s, .busy = SPOT_BUSY_WAIT});
}

static double daly_first_s(double mtbf_s, double stall_s)
{
    return optima_of(mtbf_s, stall_s).daly_first_s;
}

static double daly_higher_s(double mtbf_s, double stall_s)
{
    return optima_of(mtbf_s, stall_s).daly_higher_s;
}

static double exact_s(double mtbf_s, double stall_s)
{
    return optima_of(mtbf_s, stall_s).exact_s;
}

static double best_s(const spot_theory_t *theory)
{
    return spot_theory_optima(theory).best_s;
}

static double period_s(const spot_theory_t *theory, double work_s)
{
    return spot_theory_worth(theory, work_s).period_s;
}

static double segment_s(const spot_theory_t *theory, double work_s)
{
    return spot_theory_worth(theory, work_s).segment_s;
}

static double segment_immune_s(const spot_theory_t *theory, double work_s)
{
    return spot_theory_worth(theory, work_s).segment_immune_s;
}

static double efficiency_immune(const spot_theory_t *theory, double work_s)
{
    return spot_theory_worth(theory, work_s).efficiency_immune;
}

static double waste_of(const spot_theory_t *theory, double work_s)
{
    return spot_theory_worth(theory, work_s).waste;
}

/* ---- Tests ---- */

static void assert_digits(double value, double expected, double half_unit)
{
    if (!(fabs(value - expected) <= half_unit * 1.000001)) {
        fail_msg("%.12g is not %.12g", value, expected);
    }
}

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance * fabs(expected))) {
        fail_msg("%.17g is not near %.17g", value, expected);
    }
}

/* Daly's three examples: one of them has the published optima 117, 57 and 9.1 min. */
static void test_worked_synchronous_cases(void **state)
{
    static const struct {
        double mtbf_s, young_s, first_s, higher_s, exact_s, segment_s, ratio;
        double at_1000_s, immune_at_1000_s, monte_carlo, monte_carlo_se;
    } cases[] = {
        {86400, 7200, 6900, 7001.388889, 7001.404400, 7671.866848, 1.09576356, 1318.957023,
            1318.925366, 1.09567, .00069},
        {21600, 3600, 3300, 3402.777778, 3402.840120, 4152.861658, 1.22043281, 1377.658829,
            1377.137066, 1.22257, .00131},
        {900, 734.8469, 434.8469, 548.455199, 549.990169, 2746.844757, 5.00833024, 5678.709345,
            4859.244319, 5.00015, .01578},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        const double mtbf_s = cases[j].mtbf_s;
        const double work_s = daly_higher_s(mtbf_s, 300);
        const spot_theory_t theory = {mtbf_s, 300, 0, 600, SPOT_BUSY_WAIT};

        assert_digits(spot_theory_young_s(mtbf_s, 300), cases[j].young_s, 5e-5);
        assert_digits(daly_first_s(mtbf_s, 300), cases[j].first_s, 5e-5);
        assert_digits(work_s, cases[j].higher_s, 5e-7);
        assert_digits(exact_s(mtbf_s, 300), cases[j].exact_s, 5e-7);
        assert_digits(best_s(&theory), cases[j].exact_s, 5e-7);
        assert_digits(segment_s(&theory, work_s), cases[j].segment_s, 5e-7);
        assert_digits(1 / spot_theory_efficiency(&theory, work_s), cases[j].ratio, 5e-9);
        assert_digits(segment_s(&theory, 1000), cases[j].at_1000_s, 5e-7);
        assert_digits(segment_immune_s(&theory, 1000), cases[j].immune_at_1000_s, 5e-7);
    }
    assert_true(daly_higher_s(100, 200) == 100);
    assert_true(daly_higher_s(100, 1e6) == 100);
}

static void test_worked_asynchronous_cases(void **state)
{
    static const struct {
        spot_theory_t theory;
        double work_s, period_s;
        double efficiency, without_persist, synchronous, best_s;
        double monte_carlo, monte_carlo_se; /* 0: there is none */
    } cases[] = {
        {{1800, 0.5, 20, 60, SPOT_BUSY_WAIT}, 30, 30.5, .93289938, .94332273, .56656138, 42.0937,
            .932944, .000035},
        {{600, 2, 45, 90, SPOT_BUSY_WAIT}, 60, 62, .73351931, .79064884, .44088302, 47.6656,
            .733593, .000141},
        {{600, 2, 45, 90, SPOT_BUSY_WAIT}, 43, 45, .73477075, .79199774, .38115587, 47.6656,
            .734779, .000133},
        {{600, 2, 45, 90, SPOT_BUSY_JOIN}, 43, 47, .70466238, .79199774, .38115587, 47.6656, 0, 0},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        const double work_s = cases[j].work_s;
        spot_theory_t theory = cases[j].theory;

        assert_digits(period_s(&theory, work_s), cases[j].period_s, 0);
        assert_digits(spot_theory_efficiency(&theory, work_s), cases[j].efficiency, 5e-9);
        if (cases[j].monte_carlo_se > 0) {
            assert_digits(spot_theory_efficiency(&theory, work_s), cases[j].monte_carlo,
                4.5 * cases[j].monte_carlo_se);
        }
        assert_digits(best_s(&theory), cases[j].best_s, 5e-5);
        theory.persist_s = 0;
        assert_digits(spot_theory_efficiency(&theory, work_s), cases[j].without_persist, 5e-9);
        theory.stall_s += cases[j].theory.persist_s;
        assert_digits(spot_theory_efficiency(&theory, work_s), cases[j].synchronous, 5e-9);
    }
}

/* Log-uniform from low to high. */
static double draw(spot_rng_t *rng, double low, double high)
{
    const double share = gsl_rng_uniform(spot_rng_gsl(rng));

    return low * pow(high / low, share);
}

static spot_theory_t draw_theory(spot_rng_t *rng)
{
    spot_theory_t theory = {0};

    theory.mtbf_s = draw(rng, 100, 1e6);
    theory.stall_s = draw(rng, 1e-3, 1e3);
    theory.persist_s = draw(rng, 1e-3, 1e4);
    theory.restart_s = draw(rng, 1e-3, 1e3);
    theory.busy = gsl_rng_uniform(spot_rng_gsl(rng)) < 0.5 ? SPOT_BUSY_WAIT : SPOT_BUSY_JOIN;
    assert_true(spot_theory_is_valid(&theory));
    return theory;
}

/* Golden section over the logarithm: the efficiency has one optimum. */
static double searched_best_s(const spot_theory_t *theory)
{
    const double share = (sqrt(5) - 1) / 2;
    double low = log(1e-4), high = log(1e7);

    while (high - low > 1e-9) {
        const double left = high - share * (high - low);
        const double right = low + share * (high - low);

        if (spot_theory_efficiency(theory, exp(left)) <
            spot_theory_efficiency(theory, exp(right))) {
            low = left;
        } else {
            high = right;
        }
    }
    return exp((low + high) / 2);
}

static void test_nothing_beats_the_best(void **state)
{
    int num_bound = 0, num_turned = 0;
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 1, 0, SPOT_STREAM_GAP, 0);
    for (int j = 0; j < NUM_RANDOM; j++) {
        const spot_theory_t theory = draw_theory(&rng);
        const double best = best_s(&theory);
        const double most = spot_theory_efficiency(&theory, best);

        assert_near(best, searched_best_s(&theory), 1e-4);
        for (int k = -30; k <= 30; k++) {
            const double other_s = best * exp(k * fabs((double) k) / 100);

            assert_true(spot_theory_efficiency(&theory, other_s) <= most * (1 + 1e-13));
        }
        num_turned += best == theory.mtbf_s;
        num_bound += best != theory.mtbf_s && best != exact_s(theory.mtbf_s, theory.stall_s);
    }
    assert_true(num_turned > 20 && num_bound > 100);
    assert_true(num_turned + num_bound < NUM_RANDOM / 2);
}

/* The derivative of exp((tau + d)/M)/tau is 0 where -x - log(1 - x) = d/M, x = tau/M;
 * up to shares at which x is so near 1 that its digits do not tell the share. */
static void test_exact_optimum_is_stationary(void **state)
{
    (void) state;
    for (int j = -200; j <= 8; j++) {
        const double share = pow(10, j / 10.0);
        const double x = exact_s(1, share);
        double left = 0;

        assert_true(x > 0 && x < 1);
        if (x > 0.05) {
            left = -x - log1p(-x);
        } else {
            for (int k = 20; k >= 2; k--) {
                left += pow(x, k) / k;
            }
        }
        assert_near(left, share, 2e-11);
        assert_near(exact_s(86400, 86400 * share), 86400 * x, 1e-11);
    }
    assert_true(exact_s(1, 0) == 0);
    assert_true(exact_s(1, 1e9) == 1);
    /* Young and Daly are its expansion. */
    assert_near(spot_theory_young_s(1, 1e-10), exact_s(1, 1e-10), 2e-5);
    assert_near(daly_first_s(1, 1e-6), exact_s(1, 1e-6), 1e-3);
    assert_near(daly_higher_s(1, 1e-6), exact_s(1, 1e-6), 1e-6);
}

/* The best whole number of steps is not beaten by another number. */
static void test_best_steps(void **state)
{
    spot_theory_t theory = {600, 2, 45, 90, SPOT_BUSY_WAIT};
    spot_rng_t rng;

    (void) state;
    assert_int_equal(spot_theory_best_steps(&theory, 10), 5);
    assert_int_equal(spot_theory_best_steps(&theory, 47), 1);
    assert_int_equal(spot_theory_best_steps(&theory, 1000), 1);
    spot_rng_seek(&rng, 1, 1, SPOT_STREAM_GAP, 0);
    for (int j = 0; j < NUM_RANDOM; j++) {
        double step_s;
        int64_t steps;

        theory = draw_theory(&rng);
        step_s = draw(&rng, 1e-2, 1e3);
        steps = spot_theory_best_steps(&theory, step_s);
        for (int64_t other = steps < 4 ? 1 : steps - 3; other < steps + 3; other++) {
            assert_true(spot_theory_efficiency(&theory, (double) other * step_s) <=
                        spot_theory_efficiency(&theory, (double) steps * step_s) * (1 + 1e-13));
        }
    }
    theory = (spot_theory_t){SPOT_THEORY_MAX_S, SPOT_THEORY_MAX_S, 0, 0, SPOT_BUSY_WAIT};
    assert_int_equal(spot_theory_best_steps(&theory, 1e-3), SPOT_MAX_STEPS);
}

/* With nothing in the background, or with a write that is always through in time, it is
 * the synchronous form, with d for s, and R + p for R. */
static void test_limits(void **state)
{
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 1, 2, SPOT_STREAM_GAP, 0);
    for (int j = 0; j < NUM_RANDOM; j++) {
        const spot_theory_t theory = draw_theory(&rng);
        const double mtbf_s = theory.mtbf_s;
        const double work_s = draw(&rng, 1, 1e3) + theory.persist_s;
        const double period_s = work_s + theory.stall_s;
        spot_theory_t sync = theory;
        double efficiency;

        sync.persist_s = 0;
        efficiency = spot_theory_efficiency(&sync, work_s);
        assert_near(segment_s(&sync, work_s),
            mtbf_s * exp(theory.restart_s / mtbf_s) * expm1(period_s / mtbf_s), 1e-12);
        assert_near(efficiency * segment_s(&sync, work_s), work_s, 1e-12);
        sync.busy = SPOT_BUSY_WAIT + SPOT_BUSY_JOIN - theory.busy;
        assert_near(spot_theory_efficiency(&sync, work_s), efficiency, 1e-13);

        sync.restart_s += theory.persist_s;
        assert_near(
            spot_theory_efficiency(&theory, work_s), spot_theory_efficiency(&sync, work_s), 1e-12);
        assert_near(
            spot_theory_efficiency(&theory, work_s) * segment_s(&theory, work_s), work_s, 1e-12);
        /* A restart that is not hit is shorter; without one it makes no difference. */
        assert_true(segment_immune_s(&theory, work_s) <= segment_s(&theory, work_s) * (1 + 1e-12));
        assert_near(
            efficiency_immune(&theory, work_s) * segment_immune_s(&theory, work_s), work_s, 1e-12);
        sync.restart_s = 0;
        assert_near(segment_immune_s(&sync, work_s), segment_s(&sync, work_s), 1e-14);
    }
}

/* What is durable at the end of a life, added up checkpoint by checkpoint. */
static void test_efficiency_is_a_sum(void **state)
{
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 1, 3, SPOT_STREAM_GAP, 0);
    for (int j = 0; j < 200; j++) {
        const double mtbf_s = draw(&rng, 100, 1e4), restart_s = draw(&rng, 1, 1e3);
        const spot_theory_life_t life = {
            draw(&rng, 1, 1e3), draw(&rng, 1, 1e3), draw(&rng, 10, 1e3), draw(&rng, 10, 1e3)};
        double sum_s = 0, durable_s = restart_s + life.first_durable_s;

        for (double work_s = life.first_work_s; durable_s < 50 * mtbf_s; work_s = life.work_s) {
            sum_s += work_s * exp(-durable_s / mtbf_s);
            durable_s += life.period_s;
        }
        assert_near(spot_theory_life_efficiency(&life, mtbf_s, restart_s), sum_s / mtbf_s, 1e-12);
    }
}

/* The pattern of whole milliseconds gives what the formula in seconds gives. */
static void test_life_of_a_cycle(void **state)
{
    const spot_checkpoint_t checkpoint = {
        SPOT_CHECKPOINT_ASYNC, SPOT_EVERY_STEPS, 4, 0, 45000, 2000, SPOT_BUSY_WAIT};
    const spot_checkpoint_t back_to_back = {
        SPOT_CHECKPOINT_ASYNC, SPOT_EVERY_BACK_TO_BACK, 1, 0, 45000, 2000, SPOT_BUSY_SKIP};
    spot_theory_life_t life;
    spot_cycle_t cycle;

    (void) state;
    spot_cycle_init(&cycle, &checkpoint, 10750);
    life = spot_theory_life_of(&cycle);
    assert_digits(spot_theory_life_efficiency(&life, 600, 90), .73477075, 5e-9);
    spot_cycle_init(&cycle, &back_to_back, 10750);
    life = spot_theory_life_of(&cycle);
    assert_true(life.first_work_s == 10.75 && life.first_durable_s == 57.75);
    assert_true(life.work_s == 53.75 && life.period_s == 55.75);
}

/* From the least to the most of everything: finite, in range, never a NAN. */
static void test_extremes(void **state)
{
    static const double times_s[] = {0, 1e-9, 1e-3, 1, 1e3, 1e9, 1e18};
    static const int num = (int) (sizeof(times_s) / sizeof(times_s[0]));
    int num_checks = 0;

    (void) state;
    for (int id = 0; id < num * num * num * num * num * 2; id++) {
        const int rest = id / 2;
        const spot_theory_t theory = {times_s[rest % num], times_s[rest / num % num],
            times_s[rest / num / num % num], times_s[rest / num / num / num % num],
            id % 2 == 0 ? SPOT_BUSY_WAIT : SPOT_BUSY_JOIN};
        const double work_s = times_s[rest / num / num / num / num];
        double efficiency, best;

        if (theory.mtbf_s == 0) {
            assert_false(spot_theory_is_valid(&theory));
            continue;
        }
        efficiency = spot_theory_efficiency(&theory, work_s);
        best = best_s(&theory);
        assert_true(spot_theory_is_valid(&theory));
        assert_true(efficiency >= 0 && efficiency <= 1 + 1e-12);
        assert_true(segment_s(&theory, work_s) >= work_s * (1 - 1e-12));
        assert_true(segment_immune_s(&theory, work_s) >= 0);
        assert_true(efficiency_immune(&theory, work_s) <= 1 + 1e-12);
        assert_true(efficiency_immune(&theory, work_s) >= efficiency * (1 - 1e-12));
        assert_true(waste_of(&theory, work_s) >= 0);
        assert_true(best >= 0 && best <= SPOT_THEORY_MAX_S);
        assert_true(spot_theory_efficiency(&theory, best) >= efficiency * (1 - 1e-12));
        assert_true(isfinite(spot_theory_young_s(theory.mtbf_s, theory.stall_s)));
        assert_true(isfinite(daly_first_s(theory.mtbf_s, theory.stall_s)));
        assert_true(isfinite(daly_higher_s(theory.mtbf_s, theory.stall_s)));
        num_checks++;
    }
    assert_true(num_checks > 20000);
}

static void test_domain(void **state)
{
    static const double bad[] = {-1, -1e-300, 2e18, (double) INFINITY, (double) NAN};
    const spot_theory_t good = {600, 2, 45, 90, SPOT_BUSY_WAIT};

    (void) state;
    assert_true(spot_theory_is_valid(&good));
    for (size_t j = 0; j < sizeof(bad) / sizeof(bad[0]); j++) {
        const spot_theory_t wrong[] = {
            {bad[j], 2, 45, 90, SPOT_BUSY_WAIT},
            {600, bad[j], 45, 90, SPOT_BUSY_WAIT},
            {600, 2, bad[j], 90, SPOT_BUSY_WAIT},
            {600, 2, 45, bad[j], SPOT_BUSY_WAIT},
        };

        for (size_t k = 0; k < sizeof(wrong) / sizeof(wrong[0]); k++) {
            assert_false(spot_theory_is_valid(&wrong[k]));
        }
    }
    assert_false(spot_theory_is_valid(&(spot_theory_t){600, 2, 45, 90, SPOT_BUSY_SKIP}));
}

/* First order: close to the truth where it is small. */
static void test_waste(void **state)
{
    const spot_theory_t theory = {1e6, 1, 5, 3, SPOT_BUSY_WAIT};
    const spot_theory_t sync = {86400, 300, 0, 600, SPOT_BUSY_WAIT};

    (void) state;
    assert_near(waste_of(&theory, 1000), 1e-3 + (500 + 5 + 3) / 1e6, 1e-14);
    assert_near(1 - spot_theory_efficiency(&theory, 1000), waste_of(&theory, 1000), 2e-3);
    assert_near(waste_of(&sync, 7200), 300 / 7200.0 + (3600 + 600) / 86400.0, 1e-14);
    /* Young's interval is its stationary point. */
    assert_near(waste_of(&sync, 7200 * 1.001), waste_of(&sync, 7200 / 1.001), 1e-14);
}

/* q (mem/2 + fetch)/M + (1 - q)(remote/2 + load)/M, and where all or nothing is
 * recovered from memory. */
static void test_memory_loss(void **state)
{
    const spot_theory_t sync = {
        .mtbf_s = 86400, .stall_s = 300, .restart_s = 600, .busy = SPOT_BUSY_WAIT};
    const spot_theory_t async = {
        .mtbf_s = 86400, .stall_s = 2, .persist_s = 45, .restart_s = 600, .busy = SPOT_BUSY_WAIT};
    spot_theory_memory_t memory = {.share = 0.8, .every_s = 18, .fetch_s = 40};

    (void) state;
    assert_near(spot_theory_memory_loss(&sync, &memory, 10800),
        (0.8 * (9 + 40) + 0.2 * (5400 + 600)) / 86400, 1e-14);
    memory.share = 1;
    assert_near(spot_theory_memory_loss(&async, &memory, 10800), (9 + 40) / 86400.0, 1e-14);
    memory.share = 0;
    assert_near(spot_theory_memory_loss(&async, &memory, 10800),
        waste_of(&async, 10800) - 2 / 10800.0, 1e-14);
    assert_true(spot_theory_memory_loss(&async, &memory, 0) > 0);
}

/* ---- Peer copies ---- */

static double probability(int64_t num_instances, int64_t group_size, int64_t num_lost)
{
    double p = -1;

    assert_int_equal(spot_peer_recovery_probability(num_instances, group_size, num_lost, &p), 0);
    return p;
}

static void assert_close(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance * fabs(expected))) {
        fail_msg("%.17g is not %.17g", value, expected);
    }
}

static void test_published_values(void **state)
{
    (void) state;
    assert_true(fabs(probability(16, 2, 2) - 0.933333) < 5e-7);
    assert_true(fabs(probability(16, 2, 3) - 0.8) < 1e-12);
    assert_true(fabs(probability(16, 2, 4) - 0.615385) < 5e-7);
}

static int count_bits(uint32_t bits)
{
    int count = 0;

    for (; bits != 0; bits &= bits - 1) {
        count++;
    }
    return count;
}

/* Whether each group keeps a survivor when the instances of a bit set are lost. */
static bool keeps_all(uint32_t lost, int64_t num_instances, int64_t group_size)
{
    uint32_t groups = 0;

    for (int64_t j = 0; j < num_instances; j++) {
        if (((lost >> j) & 1) == 0) {
            groups |= UINT32_C(1) << spot_peer_group_of(num_instances, group_size, j);
        }
    }
    return groups == (UINT32_C(1) << spot_peer_groups(num_instances, group_size)) - 1;
}

static void test_every_set(void **state)
{
    (void) state;
    for (int64_t n = 1; n <= 13; n++) {
        for (int64_t m = 1; m <= n + 1; m++) {
            uint32_t num_sets[14] = {0}, num_kept[14] = {0};

            for (uint32_t lost = 0; lost < UINT32_C(1) << n; lost++) {
                const int num_lost = count_bits(lost);

                num_sets[num_lost]++;
                num_kept[num_lost] += keeps_all(lost, n, m) ? 1U : 0U;
            }
            for (int64_t k = 0; k <= n; k++) {
                assert_close(
                    probability(n, m, k), (double) num_kept[k] / (double) num_sets[k], 1e-12);
            }
        }
    }
}

/* Groups hold their size, but for the last one, and are as many as fit. */
static void test_groups(void **state)
{
    (void) state;
    for (int64_t n = 1; n <= 40; n++) {
        for (int64_t m = 1; m <= 12; m++) {
            int64_t counts[40] = {0};
            const int64_t num_groups = spot_peer_groups(n, m);

            for (int64_t j = 0; j < n; j++) {
                counts[spot_peer_group_of(n, m, j)]++;
            }
            for (int64_t j = 0; j < num_groups - 1; j++) {
                assert_int_equal(counts[j], m);
            }
            assert_true(counts[num_groups - 1] < 2 * m);
            assert_true(counts[num_groups - 1] >= m || n < m);
        }
    }
}

static long double choose(int64_t n, int64_t k)
{
    long double product = 1;

    if (k < 0 || k > n) {
        return 0;
    }
    for (int64_t j = 1; j <= k; j++) {
        product = product * (long double) (n - k + j) / (long double) j;
    }
    return product;
}

/* Sum over j of (-1)^j C(g,j) C(N-jm,k-jm) / C(N,k), where it does not cancel. */
static void test_alternating_sum(void **state)
{
    (void) state;
    for (int64_t m = 2; m <= 4; m++) {
        for (int64_t g = 1; g <= 16; g++) {
            for (int64_t k = 0; k <= 8 && k <= m * g; k++) {
                long double sum = 0;

                for (int64_t j = 0; j <= g; j++) {
                    sum += (j % 2 == 0 ? 1 : -1) * choose(g, j) * choose(m * g - j * m, k - j * m);
                }
                assert_true(
                    fabs(probability(m * g, m, k) - (double) (sum / choose(m * g, k))) < 1e-12);
            }
        }
    }
}

/* Pairs: 2^k C(g,k) / C(2g,k), also where it is tiny. */
static void test_large_fleets(void **state)
{
    static const int64_t counts[] = {1, 2, 10, 50, 200, 400};

    (void) state;
    for (size_t j = 0; j < sizeof(counts) / sizeof(counts[0]); j++) {
        long double expected = 1;

        for (int64_t r = 0; r < counts[j]; r++) {
            expected *= (long double) (1000 - 2 * r) / (long double) (1000 - r);
        }
        assert_close(probability(1000, 2, counts[j]), (double) expected, 1e-9);
    }
    assert_true(probability(1000, 2, 501) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worked_synchronous_cases),
        cmocka_unit_test(test_worked_asynchronous_cases),
        cmocka_unit_test(test_nothing_beats_the_best),
        cmocka_unit_test(test_exact_optimum_is_stationary),
        cmocka_unit_test(test_best_steps),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_efficiency_is_a_sum),
        cmocka_unit_test(test_life_of_a_cycle),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_domain),
        cmocka_unit_test(test_waste),
        cmocka_unit_test(test_memory_loss),
        cmocka_unit_test(test_published_values),
        cmocka_unit_test(test_every_set),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_alternating_sum),
        cmocka_unit_test(test_large_fleets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
