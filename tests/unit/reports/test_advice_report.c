/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answer to a question about money and time, as it is read: the figures that are
 * printed stand on the side of the limit that decided, doubts stand beside the verdict,
 * and it is short. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "reports/advice_report.h"

/* The caller frees it. */
static char *text_of(const spot_advice_result_t *result, bool is_whole)
{
    const spot_terminal_t terminal = {.width = 80};
    spot_document_t document;
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    spot_document_to_terminal(&document, &terminal, out);
    spot_advice_document(result, is_whole, &document);
    assert_int_equal(spot_document_end(&document), 0);
    assert_int_equal(fclose(out), 0);
    return text;
}

static spot_advised_t advised_of(const char *words, const char *kind, double cost, double p)
{
    return (spot_advised_t){.point = "{}",
        .words = words,
        .kind = kind,
        .size = 24,
        .verdict = SPOT_VERDICT_YES,
        .figures = {.num_runs = 1024,
            .p = p,
            .p_low = p - 0.01,
            .p_high = fmin(p + 0.01, 1),
            .cost = cost,
            .cost_low = 0.99 * cost,
            .cost_high = 1.01 * cost,
            .cost_p50 = cost,
            .cost_p95 = 1.2 * cost,
            .time_p50_s = 300000,
            .time_p95_s = 400000,
            .in_budget = {.value = (double) NAN}}};
}

static spot_advice_result_t result_of(spot_advised_t *advised, size_t num_advised)
{
    return (spot_advice_result_t){.question = "What to rent?",
        .goal_words = "to keep 2000 steps within 6 d",
        .cost_unit = "USD",
        .sure = 0.95,
        .budget = (double) INFINITY,
        .verdict = advised[0].verdict,
        .regret = (double) INFINITY,
        .num_advised = num_advised,
        .advised = advised};
}

/* The interval of a yes, as it is printed, does not reach below what is asked for, and
 * that of a no does not reach up to it, however near it is. */
static void test_printed_figures_decide(void **state)
{
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 1, 0, SPOT_STREAM_OWN, 0);
    for (int j = 0; j < 2000; j++) {
        spot_advised_t advised = advised_of("24 instances on spot", "spot", 100, 0.9);
        spot_advice_result_t result = result_of(&advised, 1);
        const double away = pow(10, -1 - 9 * spot_rng_uniform(&rng));
        const bool is_yes = j % 2 == 0;
        double p, low, high;
        char *text;

        result.sure = 0.5 + 0.49 * spot_rng_uniform(&rng);
        advised.figures.p_low = is_yes ? fmin(result.sure + away, 0.9999) : 0.1;
        advised.figures.p_high = is_yes ? 1 : result.sure - 0.4 * away;
        advised.figures.p = (advised.figures.p_low + advised.figures.p_high) / 2;
        advised.verdict = result.verdict = is_yes ? SPOT_VERDICT_YES : SPOT_VERDICT_NO;
        text = text_of(&result, false);
        for (char *byte = text; *byte != '\0'; byte++) {
            *byte = *byte == '\n' ? ' ' : *byte;
        }
        assert_int_equal(sscanf(strstr(text, "within 6 d: "), "within 6 d: %lf %% (%lf to %lf)", &p,
                             &low, &high),
            3);
        assert_true(is_yes ? low >= 100 * result.sure - 1e-9 : high < 100 * result.sure);
        assert_true(low <= 100 * advised.figures.p_low + 1e-9);
        assert_true(high >= 100 * advised.figures.p_high - 1e-9);
        free(text);
    }
}

static int line_of(const char *text, const char *words)
{
    const char *found = strstr(text, words);
    int line = 1;

    if (found == NULL) {
        fail_msg("\"%s\" is not in:\n%s", words, text);
    }
    for (const char *byte = text; byte < found; byte++) {
        line += *byte == '\n';
    }
    return line;
}

/* An answer with all that it may have. */
static void test_short(void **state)
{
    static const char *urgent[] = {"in these recordings nothing was ever lost"};
    static spot_advice_break_even_t break_evens[] = {
        {.noun = "preemptions and additions",
            .words = "times as frequent",
            .most = 8,
            .why = "below 95 %",
            .near = 2.4,
            .far = 2.48,
            .num_runs = 2048},
        {.noun = "spot price",
            .words = "times as high",
            .most = 8,
            .why = "on demand is cheaper",
            .near = 1.2,
            .far = 1.3,
            .num_runs = 2048},
        {.noun = "checkpoints",
            .words = "times as slow to write",
            .most = 8,
            .why = "on demand is cheaper",
            .near = 2,
            .far = 6,
            .num_runs = 2048},
        {.noun = "checkpoints", .words = "times as slow to write", .most = 0.125, .is_less = true},
    };
    static spot_advice_screened_t screened[] = {
        {"parcae, a research system", "parcae", 0.93, 1, 64},
        {"bamboo, a research system", "bamboo", 1.2, 1, 64}};
    spot_advised_t advised[] = {
        advised_of("23 instances on spot, checkpoints every 395 s", "spot", 29685, 0.999),
        advised_of("22 instances on spot, checkpoints every 395 s", "spot", 29991, 0.999),
        advised_of("22 instances on demand", "on demand", 86554, 0.999),
        advised_of("13 instances on spot and 10 on demand", "mixed", 56000, 0.999)};
    spot_advised_t open = advised_of("21 instances on spot", "spot", 29000, 0.95);
    spot_advice_result_t result = result_of(advised, 4);
    char *text;

    (void) state;
    result.runner_up_id = 1;
    result.num_urgent = 1;
    result.urgent = urgent;
    result.num_open = 1;
    result.open = &open;
    open.verdict = SPOT_VERDICT_UNDECIDED;
    result.num_break_evens = 4;
    result.break_evens = break_evens;
    result.num_screened = 2;
    result.screened = screened;
    text = text_of(&result, false);
    assert_int_equal(line_of(text, "Yes, but in these recordings"), 1);
    assert_int_equal(line_of(text, "nothing was ever lost"), 1);
    assert_in_range(line_of(text, "Open: whether 21 instances on spot (2.3 % less)"), 2, 3);
    assert_true(line_of(text, "nearly wins: 22 instances on spot") > 3);
    assert_true(line_of(text, "on demand: 22 instances on demand") > 3);
    assert_null(strstr(text, "mixed: "));
    assert_true(line_of(text, "spot price 1.2 to 1.3 times as high") <
                line_of(text, "about 3.5 (2 to 6) times as slow to write"));
    assert_null(strstr(text, "2.4 to 2.48"));
    assert_true(line_of(text, "parcae, a research system, about 7 % less") > 3);
    assert_null(strstr(text, "bamboo"));
    assert_int_equal(line_of(text, "99.9 %"), line_of(text, "Probability to keep"));
    assert_null(strstr(strstr(text, "cost:"), "99.9 %")); /* the same for all: said once */
    assert_in_range(line_of(text, "--verbose says more"), 10, 15);
    free(text);
    text = text_of(&result, true);
    assert_true(line_of(text, "mixed: 13 instances on spot") > 3);
    assert_true(line_of(text, "2.4 to 2.48 times as frequent") > 3);
    assert_true(line_of(text, "checkpoints: the answer stays down to 0.125") > 3);
    free(text);
    result.num_urgent = result.num_open = result.num_screened = 0; /* as it is most often */
    text = text_of(&result, false);
    assert_true(line_of(text, "--verbose says more") <= 14);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_printed_figures_decide),
        cmocka_unit_test(test_short),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
