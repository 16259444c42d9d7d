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
#include "base/verb/terminal.h"
#include "reports/advice_report.h"

/* The caller frees it. */
static char *text_with(
    const spot_advice_result_t *result, const spot_assumed_t *assumed, bool is_whole)
{
    const spot_terminal_t terminal = {.width = 80};
    spot_document_t document;
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);
    char *plain;

    assert_non_null(out);
    spot_document_to_terminal(&document, &terminal, out);
    spot_advice_document(result, assumed, is_whole, &document);
    assert_int_equal(spot_document_end(&document), 0);
    assert_int_equal(fclose(out), 0);
    plain = text;
    out = open_memstream(&text, &num_bytes);
    assert_non_null(out);
    spot_wrap_write(out, plain, 80, SPOT_WRAP_BELOW); /* as a terminal does */
    assert_int_equal(fclose(out), 0);
    free(plain);
    return text;
}

static char *text_of(const spot_advice_result_t *result, bool is_whole)
{
    return text_with(result, NULL, is_whole);
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
    assert_in_range(line_of(text, "instances on spot (2.3 % less) would do: 95.0 %"), 2, 3);
    assert_true(line_of(text, "nearly wins: 22 instances on spot") > 3);
    assert_true(line_of(text, "on demand: 22 instances") > 3);
    assert_null(strstr(text, "mixed: "));
    assert_true(line_of(text, "spot price 1.2 to 1.3 times as high") <
                line_of(text, "about 3.5 (2 to 6) times as slow to write"));
    assert_null(strstr(text, "2.4 to 2.48"));
    assert_true(line_of(text, "parcae, a research system, about 7 % less") > 3);
    assert_null(strstr(text, "bamboo"));
    assert_int_equal(line_of(text, "99.9 %"), line_of(text, "Probability to keep"));
    assert_null(strstr(strstr(text, "cost:"), "99.9 %")); /* the same for all: said once */
    assert_in_range(line_of(text, "--verbose says more"), 10, 14);
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

/* ---- Any answer is short ---- */

/* Words of an alternative: some, many, or one that is long. */
static const char *random_words(spot_rng_t *rng, spot_texts_t *texts, const char *kind)
{
    const char *words =
        spot_texts_add(texts, "24 instances %s%s", strcmp(kind, "spot") == 0 ? "on " : "", kind);

    for (int j = (int) (12 * spot_rng_uniform(rng) * spot_rng_uniform(rng)); j > 0; j--) {
        words = spot_texts_add(
            texts, "%s, %d a100-80gb-sxm4 for stage-%d (batches of 16)", words, 2 * j, j);
    }
    if (spot_rng_uniform(rng) < 0.2) {
        words = spot_texts_add(texts,
            "%s, /of/a/user/with/a/very/long/path/to/all/the/gr\303\266\303\237e/of/"
            "recordings-of-a-whole-year.csv",
            words);
    }
    return words;
}

static bool coin(spot_rng_t *rng)
{
    return spot_rng_uniform(rng) < 0.5;
}

/* No more lines than 14, none wider than 80 but of one word, what is doubted in the first three
 * of the verdict, and no break in what must be there. What is assumed stands above the verdict,
 * in as many lines as there is room for. */
static void check_short(const char *text, const spot_advice_result_t *result, bool has_assumed)
{
    static const char *const words[] = {[SPOT_VERDICT_YES] = "Yes",
        [SPOT_VERDICT_NO] = "No",
        [SPOT_VERDICT_UNDECIDED] = "Undecided"};
    const spot_advised_t *now = spot_advice_current(result);
    int num_lines = 0, first;

    for (const char *line = text; *line != '\0'; num_lines++) {
        const size_t num_bytes = strcspn(line, "\n");

        if (spot_wrap_width(line, num_bytes) > 80) {
            fail_msg("wider than 80: %.*s", (int) num_bytes, line);
        }
        line += num_bytes + 1;
    }
    if (num_lines > 14) {
        fail_msg("%d lines:\n%s", num_lines, text);
    }
    first = line_of(text, words[now == NULL ? result->verdict : now->verdict]);
    assert_int_equal(first > 1, has_assumed);
    if (first > 2) { /* else more would be assumed there */
        assert_true(num_lines == 14 || strstr(text, "more: --verbose") == NULL);
    }
    if (result->num_urgent > 0) {
        assert_true(line_of(text, "lost") <= first + 2);
    }
    assert_non_null(strstr(text, "Probability "));
    assert_non_null(strstr(text, "cost: "));
    assert_true(line_of(text, " alternatives in ") >= num_lines - 1);
    assert_non_null(strstr(text, "--verbose says"));
}

static void random_answer(spot_rng_t *rng)
{
    static const char *kinds[] = {"spot", "on demand", "mixed", SPOT_ADVICE_AS_IT_IS};
    static const spot_verdict_t verdicts[] = {
        SPOT_VERDICT_YES, SPOT_VERDICT_NO, SPOT_VERDICT_UNDECIDED};
    static const char *urgent[] = {"in these recordings nothing was ever lost", "prices differ"};
    static const char beyond[] = "rests on step times that were not measured: sizes 2, 4, 6 and 26 "
                                 "to 48 (measured: 8, 12, 16, 20, 24)";
    spot_texts_t texts = {.error = 0};
    spot_assumed_t assumed = {.num_items = 0};
    spot_advised_t advised[4], other[3];
    spot_advice_break_even_t break_evens[6];
    spot_advice_screened_t screened[2] = {
        {"parcae, a research system", "parcae", 0.93, 1, 64}, {"x", "x", 0.9, 1, 64}};
    const char *left_out[] = {
        "varuna: its figures are not in the file, which are: fleet.detection, "
        "job.checkpoint.write, and many more",
        "oobleck: the same"};
    const size_t num_advised = coin(rng) ? 4 : 3, num_keys = coin(rng) ? 12 : 0;
    spot_advice_result_t result;
    char *text;

    for (size_t j = 0; j < 4; j++) {
        advised[j] = advised_of(random_words(rng, &texts, kinds[j]), kinds[j],
            j == 0 ? 30000 : 29000 + 60000 * spot_rng_uniform(rng), 0.9);
        advised[j].assumed = coin(rng) ? "at most 24 instances were recorded: those above are lost "
                                         "with them"
                                       : NULL;
        advised[j].beyond = coin(rng) ? beyond : NULL;
        advised[j].is_left_out = advised[j].beyond != NULL && coin(rng);
        advised[j].verdict = verdicts[(size_t) (3 * spot_rng_uniform(rng))];
        advised[j].figures.in_budget =
            coin(rng) ? (spot_probability_t){0.95, 0.931234, 0.96} : advised[j].figures.in_budget;
    }
    for (size_t j = 0; j < 3; j++) {
        other[j] = advised_of(random_words(rng, &texts, "spot"), "spot", 28000, 0.91);
        other[j].beyond = beyond;
    }
    for (size_t j = 0; j < 6; j++) {
        break_evens[j] = (spot_advice_break_even_t){.noun = "preemptions and additions",
            .words = "times as frequent",
            .most = 8,
            .why = coin(rng) ? "13 instances on spot and 10 on demand is cheaper" : "below 95 %",
            .near = 1.5 + (double) j,
            .far = coin(rng) ? HUGE_VAL : 2.2 + (double) j,
            .num_runs = 2048};
    }
    for (size_t j = 0; j < num_keys; j++) {
        const char *key = spot_texts_add(&texts, "trainers.llm-%zu: job.checkpoint.write", j);

        assert_int_equal(spot_assumed_add(&assumed, key, "89 s", coin(rng) ? "write" : NULL), 0);
    }
    result = result_of(advised, num_advised);
    result.goal_words = coin(rng) ? "to keep 2000 steps within 6 d"
                                  : "to keep 2000 steps by 2026-06-14 02:00 +02:00, 5.5 d after "
                                    "the start";
    result.goal_from = coin(rng) ? "No --finish-by: 46 min is twice the mean duration of 27 jobs "
                                   "of one drawn log."
                                 : NULL;
    result.budget = isnan(advised[0].figures.in_budget.value) ? (double) INFINITY : 30000;
    result.verdict = advised[0].verdict;
    result.runner_up_id = coin(rng) ? 1 : 0;
    result.num_urgent = (size_t) (2.99 * spot_rng_uniform(rng));
    result.urgent = urgent;
    result.num_open = coin(rng) ? 2 : 0;
    result.open = other;
    result.num_passed_over = coin(rng) ? 1 : 0;
    result.passed_over = other + 2;
    result.num_larger = coin(rng) ? 3 : 0;
    result.larger = other;
    result.why_not_larger =
        coin(rng) ? "larger than 24 was not looked at: no step time is known there" : NULL;
    result.num_break_evens = coin(rng) ? 6 : 0;
    result.break_evens = break_evens;
    result.num_screened = coin(rng) ? 2 : 0;
    result.screened = screened;
    result.is_asked = coin(rng);
    result.num_left_out = 2;
    result.left_out = left_out;
    result.num_traces = 3;
    result.worst_trace = coin(rng) ? random_words(rng, &texts, "spot") : NULL;
    result.worst_p = (spot_probability_t){0.736, 0.69, 0.78};
    result.num_remarks = coin(rng) ? 11 : 0;
    result.num_points = 12345;
    result.passed_s = 1234.5;
    text = text_with(&result, &assumed, false);
    check_short(text, &result, num_keys > 0);
    free(text);
    free(text_with(&result, &assumed, true));
    spot_assumed_free(&assumed);
    spot_texts_free(&texts);
}

/* Whatever an answer has: long names, all doubts at once, any verdict. */
static void test_any_is_short(void **state)
{
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 2, 0, SPOT_STREAM_OWN, 0);
    for (int j = 0; j < 1500; j++) {
        random_answer(&rng);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_printed_figures_decide),
        cmocka_unit_test(test_short),
        cmocka_unit_test(test_any_is_short),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
