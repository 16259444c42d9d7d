/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verdicts word by word: fits are written down, so that every branch is met. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "traces/fit/fit_words.h"

enum { NUM_VALUES = 60 };

/* A fit of so many values that is good but for what a test changes. */
static spot_fit_t fit_of(const spot_family_t *family, double aic, size_t num_values)
{
    return (spot_fit_t){.name = family->name,
        .family = family,
        .is_fitted = true,
        .is_mean_exact = family->keeps_mean,
        .converged = true,
        .num_values = num_values,
        .num_complete = num_values,
        .law = {family, {1000, 1, 1}},
        .aic = aic,
        .mean_ratio = 1,
        .p_value = (double) NAN};
}

static spot_fit_ranking_t ranking_of(const spot_fit_t *fits, size_t num_fits)
{
    spot_fit_ranking_t ranking = {.num_fits = num_fits, .best_id = -1, .best_mean_id = -1};

    for (size_t j = num_fits; j-- > 0;) {
        ranking.fits[j] = fits[j];
        if (fits[j].is_fitted && fits[j].converged) {
            ranking.best_id = (int) j;
        }
    }
    return ranking;
}

/* The quantiles of the exponential law with mean 1000, in an order without pattern. */
static spot_sample_t smooth_sample(double *values, bool *is_censored)
{
    for (int j = 0; j < NUM_VALUES; j++) {
        values[j] = -1000 * log1p(-((49 * j) % NUM_VALUES + 0.5) / NUM_VALUES);
        is_censored[j] = false;
    }
    return (spot_sample_t){.num_values = NUM_VALUES, .values = values, .is_censored = is_censored};
}

static bool says(const spot_fit_words_t *words, const char *sentence)
{
    for (size_t j = 0; j < words->num_lines; j++) {
        if (strcmp(words->lines[j], sentence) == 0) {
            return true;
        }
    }
    return false;
}

/* No sentence is there twice; each of them is one. */
static void check_lines(const spot_fit_words_t *words)
{
    assert_true(words->num_lines > 0 && words->num_lines <= SPOT_FIT_MAX_LINES);
    for (size_t j = 0; j < words->num_lines; j++) {
        assert_true(strlen(words->lines[j]) > 0);
        assert_null(strchr(words->lines[j], '\n'));
        for (size_t k = 0; k < j; k++) {
            assert_string_not_equal(words->lines[j], words->lines[k]);
        }
    }
}

static spot_fit_words_t words_of(const spot_fit_t *fits, size_t num_fits,
    const spot_sample_t *sample, bool is_first, double resolution_s)
{
    const spot_fit_ranking_t ranking = ranking_of(fits, num_fits);
    spot_fit_words_t words;

    const spot_fit_view_t view = {.what = "preempt-gap",
        .is_first = is_first,
        .resolution_s = resolution_s,
        .tick_s = resolution_s};

    assert_int_equal(spot_fit_words_of_law(&words, &view, &ranking, sample), 0);
    check_lines(&words);
    return words;
}

static void assert_says(const spot_fit_words_t *words, const char *sentence)
{
    if (!says(words, sentence)) {
        for (size_t j = 0; j < words->num_lines; j++) {
            print_message("%s\n", words->lines[j]);
        }
        fail_msg("does not say: %s", sentence);
    }
}

static void test_differences(void **state)
{
    static const struct {
        double difference;
        const char *words;
    } cases[] = {{0, "hardly better than"}, {1.99, "hardly better than"},
        {2, "a little better than"}, {3.99, "a little better than"}, {4, "clearly better than"},
        {6.99, "clearly better than"}, {7, "much better than"}, {9.99, "much better than"},
        {10, "far better than"}, {1e6, "far better than"}};

    double values[NUM_VALUES];
    bool is_censored[NUM_VALUES];
    const spot_sample_t sample = smooth_sample(values, is_censored);

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        const spot_fit_t fits[] = {fit_of(&spot_family_exponential, 0, NUM_VALUES),
            fit_of(&spot_family_gamma, cases[j].difference, NUM_VALUES)};
        const spot_fit_words_t words = words_of(fits, 2, &sample, true, 60);
        char sentence[128];

        snprintf(sentence, sizeof(sentence), "exponential fits best: %s gamma (AIC lower by %.3g).",
            cases[j].words, cases[j].difference);
        assert_says(&words, sentence);
    }
}

static void test_all_is_well(void **state)
{
    double values[NUM_VALUES];
    bool is_censored[NUM_VALUES];
    const spot_sample_t sample = smooth_sample(values, is_censored);
    const spot_fit_t fits[] = {fit_of(&spot_family_exponential, 100, NUM_VALUES),
        fit_of(&spot_family_gamma, 102, NUM_VALUES)};
    const spot_fit_words_t words = words_of(fits, 2, &sample, true, 60);
    const spot_fit_words_t again = words_of(fits, 2, &sample, false, 60);

    (void) state;
    assert_int_equal(words.num_lines, 4);
    assert_string_equal(
        words.lines[0], "exponential fits best: a little better than gamma (AIC lower by 2).");
    assert_non_null(strstr(words.lines[1], "Values look independent: autocorrelation "));
    assert_non_null(strstr(words.lines[1], "at lag 1, chance stays within 0.26."));
    assert_non_null(strstr(words.lines[2], "The first half of the values has mean "));
    assert_non_null(strstr(words.lines[3], "It is furthest off among the "));
    /* What only the sample says is said once. */
    assert_int_equal(again.num_lines, 2);
    assert_string_equal(again.lines[0], words.lines[0]);
    assert_string_equal(again.lines[1], words.lines[3]);
}

static void test_no_competitor(void **state)
{
    double values[NUM_VALUES];
    bool is_censored[NUM_VALUES];
    const spot_sample_t sample = smooth_sample(values, is_censored);
    spot_fit_t fits[] = {fit_of(&spot_family_weibull, 90, NUM_VALUES),
        fit_of(&spot_family_exponential, 100, NUM_VALUES),
        fit_of(&spot_family_gamma, 101, NUM_VALUES)};
    spot_fit_words_t words;

    (void) state;
    fits[0].converged = fits[2].converged = false;
    words = words_of(fits, 3, &sample, true, 60);
    assert_says(&words, "exponential is the only family that could be fitted.");
    assert_says(&words, "Left out, since the search found no maximum: weibull, gamma.");
    words = words_of(fits + 1, 1, &sample, true, 60);
    assert_says(&words, "exponential was fitted alone: other families may fit better.");
}

static void test_p_values(void **state)
{
    double values[NUM_VALUES];
    bool is_censored[NUM_VALUES];
    const spot_sample_t sample = smooth_sample(values, is_censored);
    spot_fit_t fit = fit_of(&spot_family_exponential, 100, NUM_VALUES);
    spot_fit_words_t words;

    (void) state;
    fit.p_value = 0.049;
    words = words_of(&fit, 1, &sample, false, 0);
    assert_says(
        &words, "Being the best does not make it right: it is rejected (bootstrap p = 0.049).");
    fit.p_value = 0.05;
    words = words_of(&fit, 1, &sample, false, 0);
    assert_says(&words, "The data do not contradict it (bootstrap p = 0.05).");
}

static void test_few_values(void **state)
{
    double values[NUM_VALUES];
    bool is_censored[NUM_VALUES];
    spot_sample_t sample = smooth_sample(values, is_censored);
    spot_fit_t fit = fit_of(&spot_family_exponential, 100, 49);
    spot_fit_words_t words;

    (void) state;
    words = words_of(&fit, 1, &sample, true, 0);
    assert_says(
        &words, "Only 49 values of preempt-gap: another day may well prefer another family.");
    fit.num_values = fit.num_complete = 50;
    words = words_of(&fit, 1, &sample, true, 0);
    assert_false(
        says(&words, "Only 50 values of preempt-gap: another day may well prefer another family."));
    sample.num_values = 9; /* too few for an autocorrelation */
    words = words_of(&fit, 1, &sample, true, 0);
    assert_int_equal(words.num_lines, 2);
}

static void test_means(void **state)
{
    double values[NUM_VALUES];
    bool is_censored[NUM_VALUES];
    spot_sample_t sample = smooth_sample(values, is_censored);
    spot_fit_t fit = fit_of(&spot_family_weibull, 100, NUM_VALUES);
    spot_fit_words_t words;

    (void) state;
    fit.mean_ratio = 0.9;
    words = words_of(&fit, 1, &sample, false, 0);
    assert_says(&words, "Its mean is 0.9 times that of the sample: do not generate from it.");
    fit.mean_ratio = (double) INFINITY;
    words = words_of(&fit, 1, &sample, false, 0);
    assert_says(&words, "weibull has no mean at all: do not generate from it.");
    fit.mean_ratio = 1.04;
    words = words_of(&fit, 1, &sample, false, 0);
    assert_int_equal(words.num_lines, 2);
    /* Of censored values the sample does not know the mean, nor in which order whole
     * ones would be. */
    is_censored[3] = true;
    fit.num_complete--;
    fit.mean_ratio = 1.9;
    words = words_of(&fit, 1, &sample, true, 0);
    assert_int_equal(words.num_lines, 2);
}

/* Against the product-limit estimate, from both sides of each step: S is 1, 2/3, and
 * from 400 s on 0, whatever the censored value would have become. */
static void test_censored_distance(void **state)
{
    double values[] = {100, 200, 400};
    bool is_censored[] = {false, true, false};
    const spot_sample_t sample = {.num_values = 3, .values = values, .is_censored = is_censored};
    spot_fit_t fit = fit_of(&spot_family_exponential, 100, 3);
    spot_fit_words_t words;

    (void) state;
    fit.num_complete = 2;
    fit.law.parameters[0] = 400 / log(20); /* F(400) = 0.95: 0.95 - 1/3 before it */
    words = words_of(&fit, 1, &sample, false, 0);
    assert_says(&words, "It is furthest off just before 400 s: it puts 62 % too many "
                        "values below, as far as the censored ones let it be known "
                        "(Kaplan-Meier).");
    fit.law.parameters[0] = 400 / log(1.25); /* F(400) = 0.2: 0.8 less at it */
    words = words_of(&fit, 1, &sample, false, 0);
    assert_non_null(strstr(words.lines[1], "at 400 s: it puts 80 % too few values"));
}

/* What is said of lives alone. */
static void test_walls(void **state)
{
    double values[NUM_VALUES];
    bool is_censored[NUM_VALUES];
    const spot_sample_t sample = smooth_sample(values, is_censored);
    const spot_fit_t fit = fit_of(&spot_family_exponential, 100, NUM_VALUES);
    const spot_fit_ranking_t ranking = ranking_of(&fit, 1);
    spot_fit_view_t view = {
        .what = "lifetime", .is_first = true, .is_life = true, .lacks_limit = true};
    spot_fit_words_t words;

    (void) state;
    assert_int_equal(spot_fit_words_of_law(&words, &view, &ranking, &sample), 0);
    assert_says(&words, "bathtub was left out: it needs --limit, the longest possible life.");
    for (int j = 0; j < NUM_VALUES; j++) {
        values[j] = j < 30 ? 200 * (j + 1) : 7200 + j;
    }
    assert_int_equal(spot_fit_words_of_law(&words, &view, &ranking, &sample), 0);
    assert_says(&words,
        "A wall: 30 of 60 deaths are from 7200 s to 7258 s; lives look cut off there. "
        "Try --cut 7200, or --limit for bathtub.");
    view.is_life = false; /* gaps have no walls */
    assert_int_equal(spot_fit_words_of_law(&words, &view, &ranking, &sample), 0);
    assert_null(strstr(words.lines[words.num_lines - 1], "A wall"));
}

/* Where the law is off: the quantiles are those of another law. */
static void test_distances(void **state)
{
    double values[NUM_VALUES];
    bool is_censored[NUM_VALUES];
    spot_sample_t sample = smooth_sample(values, is_censored);
    spot_fit_t fit = fit_of(&spot_family_exponential, 100, NUM_VALUES);
    spot_fit_words_t words;

    (void) state;
    fit.law.parameters[0] = 2000;
    words = words_of(&fit, 1, &sample, false, 0);
    assert_non_null(strstr(words.lines[1], "too few values below."));
    fit.law.parameters[0] = 400;
    words = words_of(&fit, 1, &sample, false, 0);
    assert_non_null(strstr(words.lines[1], "too many values below."));
    assert_non_null(strstr(words.lines[1], "among the short ones"));
    values[0] = 0; /* counts as one tick */
    fit.law.parameters[0] = 1e-3;
    sample.num_values = 1;
    words = words_of(&fit, 1, &sample, false, 60);
    assert_says(&words, "It puts the right share of values below every time, within 0.5 %.");
    values[0] = 1e9;
    values[1] = 10;
    values[2] = 20;
    sample.num_values = 3;
    fit.law.parameters[0] = 1e8;
    words = words_of(&fit, 1, &sample, false, 60);
    assert_says(&words,
        "It is furthest off among the short ones, at 20 s: it puts 67 % too few values "
        "below.");
    values[1] = 1e8;
    values[2] = 2e8;
    fit.law.parameters[0] = 1e10;
    words = words_of(&fit, 1, &sample, false, 60);
    assert_non_null(strstr(words.lines[1], "the long ones, at 1e+09 s: it puts 90 % too few"));
}

static void test_dependence(void **state)
{
    double values[NUM_VALUES];
    bool is_censored[NUM_VALUES] = {false};
    const spot_sample_t sample = {
        .num_values = NUM_VALUES, .values = values, .is_censored = is_censored};
    const spot_fit_t fit = fit_of(&spot_family_exponential, 100, NUM_VALUES);
    spot_fit_words_t words;

    (void) state;
    for (int j = 0; j < NUM_VALUES; j++) {
        values[j] = j < NUM_VALUES / 2 ? 10 : 1000;
    }
    words = words_of(&fit, 1, &sample, true, 0);
    assert_says(&words,
        "Values are not independent, as draws from a law would be: autocorrelation 0.95 "
        "at lag 1, chance stays within 0.26.");
    assert_says(&words, "The first half of the values has mean 10 s, the second 1000 s.");
}

static void test_degenerate(void **state)
{
    double values[NUM_VALUES];
    bool is_censored[NUM_VALUES];
    const spot_sample_t sample = smooth_sample(values, is_censored);
    spot_fit_t fit = fit_of(&spot_family_exponential, 100, NUM_VALUES);

    (void) state;
    fit.flags = SPOT_FIT_DEGENERATE;
    assert_int_equal(words_of(&fit, 1, &sample, true, 60).num_lines, 1);
}

static void test_no_fit(void **state)
{
    const spot_sample_t sample = {0};
    spot_fit_t fit = fit_of(&spot_family_exponential, (double) NAN, 1);
    spot_fit_words_t words;

    (void) state;
    fit.is_fitted = fit.converged = false;
    strcpy(fit.note, "fewer than 2 values: no fit");
    words = words_of(&fit, 1, &sample, true, 60);
    assert_int_equal(words.num_lines, 1);
    assert_says(&words, "No family could be fitted to preempt-gap: fewer than 2 values: no fit.");
    words = words_of(&fit, 0, &sample, true, 60);
    assert_says(&words, "No family could be fitted to preempt-gap: no values.");
}

static spot_fit_t size_fit_of(const spot_fit_size_family_t *family, double aic)
{
    return (spot_fit_t){.name = family->name,
        .size_family = family,
        .is_fitted = true,
        .aic = aic,
        .mean_ratio = 1,
        .law = {.parameters = {2, 0.5}},
        .converged = true};
}

static spot_fit_words_t words_of_sizes(const spot_fit_t *fits, size_t num_fits, double num_events)
{
    spot_size_cell_t cells[] = {{1, 4, num_events / 2}, {4, 4, num_events / 2}};
    const spot_size_sample_t sample = {.num_events = num_events, .num_cells = 2, .cells = cells};
    spot_fit_words_t words;

    spot_fit_words_of_sizes(&words, "add-count", fits, num_fits, &sample);
    check_lines(&words);
    return words;
}

static void test_sizes(void **state)
{
    spot_fit_t fits[] = {size_fit_of(&spot_size_zeta, 90), size_fit_of(&spot_size_geometric, 101.5),
        size_fit_of(&spot_size_all_or_geometric, 120)};
    spot_fit_words_t words;

    (void) state;
    fits[0].mean_ratio = (double) INFINITY;
    fits[1].law.parameters[0] = 0.5;
    fits[2].law.parameters[0] = 0.25;
    words = words_of_sizes(fits, 3, 80);
    assert_int_equal(words.num_lines, 3);
    /* zeta: 4^-2 / (pi^2 / 6) */
    assert_says(&words, "It is furthest off at size 4: 3.8 % of its events have it, 50 "
                        "% of those seen.");
    assert_says(&words, "zeta fits best: far better than geometric (AIC lower by 11.5).");
    assert_says(&words, "zeta has no mean at all: do not generate from it.");
    fits[0].converged = false;
    words = words_of_sizes(fits, 3, 8);
    assert_says(
        &words, "geometric fits best: far better than all-or-geometric (AIC lower by 18.5).");
    assert_says(&words, "Left out, since the search found no maximum: zeta.");
    assert_says(&words, "It is furthest off at size 4: 6.25 % of its events have it, 50 % of those "
                        "seen.");
    assert_says(&words, "Only 8 values of add-count: another day may well prefer another family.");
    fits[2].mean_ratio = 0.8; /* what mrp takes all the same */
    words = words_of_sizes(fits + 2, 1, 8);
    assert_int_equal(words.num_lines, 3);
    /* 0.25 + 0.75/15, where half of the events took all; of size 2 nothing was seen */
    assert_says(
        &words, "It is furthest off at size 4: 30 % of its events have it, 50 % of those seen.");
    assert_non_null(strstr(words.lines[0], "all-or-geometric was fitted alone: "));
    assert_says(&words, "Its mean is 0.8 times that of the sample.");
    fits[1].is_fitted = false;
    words = words_of_sizes(fits + 1, 1, 1);
    assert_says(&words, "No family could be fitted to add-count: fewer than 2 events: no fit.");
    strcpy(fits[1].note, "some reason");
    words = words_of_sizes(fits + 1, 1, 1);
    assert_says(&words, "No family could be fitted to add-count: some reason.");
}

static spot_fit_words_t words_of_trace(const spot_fit_advice_t *advice)
{
    spot_fit_words_t words;

    spot_fit_words_of_trace(&words, advice);
    check_lines(&words);
    /* The last line is the command. */
    assert_true(strncmp(words.lines[words.num_lines - 1], "Next: spotsim trace ", 20) == 0);
    return words;
}

static void test_advice(void **state)
{
    spot_fit_advice_t advice = {.path = "a.csv", .num_events = 10, .is_tested = true};
    spot_fit_words_t words = words_of_trace(&advice);

    (void) state;
    assert_int_equal(words.num_lines, 3);
    assert_says(&words, "All of this describes that day and that zone, nothing else.");
    assert_says(&words, "Recommended generator: block, pieces of the recording; mrp where only "
                        "parameters may be passed on.");
    assert_says(&words, "Next: spotsim trace fit a.csv --emit block -o model.yaml");
    advice.num_events = 9;
    words = words_of_trace(&advice);
    assert_says(&words,
        "Recommended generator: replay, the recording itself. Its 9 events are no basis "
        "for another one.");
    assert_says(&words, "Next: spotsim trace fit a.csv --emit replay -o model.yaml");
    advice.num_events = 1;
    words = words_of_trace(&advice);
    assert_says(&words,
        "Recommended generator: replay, the recording itself. Its 1 event is no basis "
        "for another one.");
    advice.model_path = "m.yaml";
    words = words_of_trace(&advice);
    assert_says(&words, "See how far traces of the model are from the recorded one.");
    assert_says(&words, "Next: spotsim trace compare m.yaml a.csv");
    advice.is_obtainable = true;
    advice.is_tested = false;
    advice.resolution_s = 195.5;
    words = words_of_trace(&advice);
    assert_int_equal(words.num_lines, 6);
    assert_says(&words, "Nothing ran: preempt means fewer obtainable at a probe, add means more.");
    assert_says(&words, "Seen every 195.5 s: whatever came and went between two looks is missing.");
    assert_says(&words, "Whether the best fit at all is not tested: --likelihood continuous "
                        "--bootstrap 399 does, where nothing is censored.");
}

static void test_advice_on_lifetimes(void **state)
{
    const spot_law_t law = {&spot_family_bathtub, {0.5, 600, 250, 3000}};
    spot_fit_advice_t advice = {
        .path = "l.csv", .is_lifetimes = true, .is_tested = true, .lifetime_ks = 0.1};
    spot_fit_words_t words = words_of_trace(&advice);

    (void) state;
    assert_int_equal(words.num_lines, 2);
    assert_says(&words, "Next: spotsim trace describe l.csv");
    advice.lifetime = &law;
    words = words_of_trace(&advice);
    assert_int_equal(words.num_lines, 4);
    assert_says(&words,
        "The generator of lives is lifetimes; what a sample of lives does not say are "
        "capacity, initial and the refill law: {spotsim-model: 1, generator: lifetimes, "
        "capacity: INSTANCES, initial: INSTANCES, horizon_s: SECONDS, refill: {family: "
        "exponential, mu: SECONDS}, lifetime: {law: bathtub, w: 0.5, tau1: 600, tau2: "
        "250, limit_s: 3000}}");
    assert_says(&words, "In an mrp model: lifetimes: {law: bathtub, w: 0.5, tau1: 600, "
                        "tau2: 250, limit_s: 3000}");
    advice.lifetime_ks = 0.333;
    advice.cut = (spot_fit_cut_t){100, 1, 5, 5};
    words = words_of_trace(&advice);
    assert_says(&words,
        "Not to be trusted: bathtub is far from these lives, KS 0.333; a model with it "
        "ends instances at other times than the cloud did.");
    assert_non_null(strstr(words.lines[1], "1 death at 100 s or behind it, 5 s late"));
}

/* A shell must read the path back. */
static void test_quotes(void **state)
{
    static const char *const paths[][2] = {{"plain-1.2_+:,@%/x.csv", "plain-1.2_+:,@%/x.csv"},
        {"", "''"}, {"a b.csv", "'a b.csv'"}, {"it's.csv", "'it'\\''s.csv'"},
        {"$(x);`y`.csv", "'$(x);`y`.csv'"}, {"h\xc3\xa4.csv", "'h\xc3\xa4.csv'"}};
    char text[SPOT_FIT_LINE_BYTES], longest[3000];

    (void) state;
    for (size_t j = 0; j < sizeof(paths) / sizeof(paths[0]); j++) {
        const spot_fit_advice_t advice = {.path = paths[j][0], .is_lifetimes = true};
        const spot_fit_words_t words = words_of_trace(&advice);

        snprintf(text, sizeof(text), "Next: spotsim trace describe %s", paths[j][1]);
        assert_says(&words, text);
    }
    memset(longest, '\'', sizeof(longest));
    longest[sizeof(longest) - 1] = '\0';
    const spot_fit_advice_t advice = {.path = longest, .model_path = longest};
    const spot_fit_words_t words = words_of_trace(&advice);

    assert_says(&words, "Next: spotsim trace compare MODEL TRACE");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_differences),
        cmocka_unit_test(test_all_is_well),
        cmocka_unit_test(test_no_competitor),
        cmocka_unit_test(test_p_values),
        cmocka_unit_test(test_few_values),
        cmocka_unit_test(test_means),
        cmocka_unit_test(test_censored_distance),
        cmocka_unit_test(test_walls),
        cmocka_unit_test(test_distances),
        cmocka_unit_test(test_dependence),
        cmocka_unit_test(test_degenerate),
        cmocka_unit_test(test_no_fit),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_advice),
        cmocka_unit_test(test_advice_on_lifetimes),
        cmocka_unit_test(test_quotes),
    };

    return cmocka_run_group_tests_name("fit/fit_words", tests, NULL, NULL);
}
