/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reports/side_by_side.h"

/* ---- Values ---- */

static void assert_values(const char *a, const char *b, bool are_same)
{
    spot_texts_t texts = {0};
    const char *x = spot_match_value(&texts, a), *y = spot_match_value(&texts, b);

    assert_int_equal(texts.error, 0);
    if ((strcmp(x, y) == 0) != are_same) {
        fail_msg("%s is %s, %s is %s", a, x, b, y);
    }
    spot_texts_free(&texts);
}

static void test_values(void **state)
{
    (void) state;
    assert_values("60 s", "1 min", true);
    assert_values("60 s", "61 s", false);
    assert_values("60 s", "60", false);
    assert_values("0.1", "0.10", true);
    assert_values("1e1", "10", true);
    assert_values("-0", "0", true);
    assert_values("0.1", "0.10000000000000001", true); /* the same double */
    assert_values("0.1", "0.1000000001", false);
    assert_values("24 USD/d", "1", true);
    assert_values("bamboo", "bamboo", true);
    assert_values("bamboo", "varuna", false);
    assert_values("{system: x, detection: 30 s}", "{detection: 0.5 min, system: x}", true);
    assert_values("{system: x, detection: 30 s}", "{system: x}", false);
    assert_values("{system: x}", "x", false);
    assert_values("[1, 2]", "[1.0, 2]", true);
    assert_values("[1, 2]", "[2, 1]", false);
    assert_values("{broken", "{broken", true);
    assert_values("", "0", false);
}

/* ---- Random studies against a twin of n^2 ---- */

enum { MAX_AXES = 4, MAX_VALUES = 5, MAX_POINTS = 40 };

/* Several ways to write the same values: [value][way]. */
static char texts[MAX_VALUES][3][32] = {{"60 s", "1 min", "60000 ms"}, {"0.5", "5e-1", "0.50"},
    {"checkpoint", "checkpoint", "checkpoint"},
    {"{a: 1, b: 2 s}", "{b: 2000 ms, a: 1.0}", "{a: 1e0, b: 2 s}"}, {"7", "7.0", "07e0"}};
static char paths[MAX_AXES][8] = {"k.zero", "k.one", "k.two", "k.three"};

typedef struct {
    spot_study_head_t head;
    spot_axis_t axes[MAX_AXES];
    char *texts[MAX_AXES][MAX_VALUES];
    double numbers[MAX_VALUES];
    char unit[1];
    uint32_t value_ids[MAX_POINTS * MAX_AXES];
    int meanings[MAX_POINTS][MAX_AXES]; /* by path; -1: not swept */
} study_t;

static uint32_t draw(uint64_t *state, uint32_t num)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t) (*state >> 33) % num;
}

static void shuffle(uint64_t *state, int *ids, int num)
{
    for (int j = num - 1; j > 0; j--) {
        const int k = (int) draw(state, (uint32_t) j + 1);
        const int id = ids[j];

        ids[j] = ids[k];
        ids[k] = id;
    }
}

/* Axes, values and points in any order, some points twice. */
static void make_study(study_t *self, uint64_t *state, int num_axes)
{
    int path_ids[MAX_AXES] = {0, 1, 2, 3};

    memset(self, 0, sizeof(*self));
    shuffle(state, path_ids, num_axes);
    self->head.num_axes = (size_t) num_axes;
    self->head.axes = self->axes;
    self->head.num_points = 1 + draw(state, MAX_POINTS);
    self->head.value_ids = self->value_ids;
    memset(self->meanings, -1, sizeof(self->meanings));
    for (int j = 0; j < num_axes; j++) {
        int meanings[MAX_VALUES] = {0, 1, 2, 3, 4};

        shuffle(state, meanings, MAX_VALUES);
        for (int k = 0; k < MAX_VALUES; k++) {
            self->texts[j][k] = texts[meanings[k]][draw(state, 3)];
        }
        self->axes[j] = (spot_axis_t){
            paths[path_ids[j]], MAX_VALUES, self->texts[j], self->numbers, self->unit, NULL};
        for (size_t k = 0; k < self->head.num_points; k++) {
            const uint32_t value_id = draw(state, MAX_VALUES);

            self->value_ids[k * self->head.num_axes + (size_t) j] = value_id;
            self->meanings[k][path_ids[j]] = meanings[value_id];
        }
    }
}

/* Each point of the first takes the first free one of the second: [num_points]. */
static void find_by_hand(const study_t *before, const study_t *after, size_t *partners)
{
    bool is_taken[MAX_POINTS] = {false};

    for (size_t j = 0; j < before->head.num_points; j++) {
        partners[j] = SIZE_MAX;
        for (size_t k = 0; k < after->head.num_points && partners[j] == SIZE_MAX; k++) {
            if (!is_taken[k] &&
                memcmp(before->meanings[j], after->meanings[k], sizeof(before->meanings[j])) == 0) {
                partners[j] = k;
                is_taken[k] = true;
            }
        }
    }
}

static size_t assert_as_by_hand(const study_t *before, const study_t *after)
{
    const spot_match_side_t sides[] = {{&before->head, NULL}, {&after->head, NULL}};
    spot_point_match_t match;
    size_t partners[MAX_POINTS], num_pairs = 0, num_alone = 0;

    find_by_hand(before, after, partners);
    assert_int_equal(spot_point_match_init(&match, sides), 0);
    assert_false(match.lacks_value);
    for (size_t j = 0; j < before->head.num_points; j++) {
        if (partners[j] == SIZE_MAX) {
            assert_int_equal(match.alone_ids[SPOT_BEFORE][num_alone++], j);
        } else {
            assert_int_equal(match.point_ids[SPOT_BEFORE][num_pairs], j);
            assert_int_equal(match.point_ids[SPOT_AFTER][num_pairs++], partners[j]);
        }
    }
    assert_int_equal(match.num_pairs, num_pairs);
    assert_int_equal(match.num_alone[SPOT_BEFORE], num_alone);
    assert_int_equal(match.num_alone[SPOT_AFTER], after->head.num_points - num_pairs);
    for (size_t j = 1; j < match.num_alone[SPOT_AFTER]; j++) {
        assert_true(match.alone_ids[SPOT_AFTER][j - 1] < match.alone_ids[SPOT_AFTER][j]);
    }
    spot_point_match_free(&match);
    return num_pairs;
}

static void test_random_studies(void **state)
{
    static study_t before, after;
    uint64_t random = 1;
    size_t num_pairs = 0;

    (void) state;
    for (int j = 0; j < 400; j++) {
        const int num_axes = (int) draw(&random, MAX_AXES + 1);

        make_study(&before, &random, num_axes);
        make_study(&after, &random, num_axes);
        num_pairs += assert_as_by_hand(&before, &after);
        assert_int_equal(assert_as_by_hand(&before, &before), before.head.num_points);
    }
    assert_true(num_pairs > 400);
}

/* ---- Keys that one of the two sweeps ---- */

static size_t num_pairs_with(const char *canonical, bool *lacks_value)
{
    static char eight[] = "8", sixteen[] = "16";
    static char *depths[] = {eight, sixteen};
    static double numbers[] = {8, 16};
    static char path[] = "job.pipeline_depth", unit[] = "";
    spot_axis_t axis = {path, 2, depths, numbers, unit, NULL};
    const spot_study_head_t swept = {.num_axes = 1, .axes = &axis, .num_points = 2};
    const spot_study_head_t fixed = {.num_points = 1};
    const spot_match_side_t sides[] = {{&swept, NULL}, {&fixed, canonical}};
    spot_point_match_t match;
    size_t num_pairs;

    assert_int_equal(spot_point_match_init(&match, sides), 0);
    num_pairs = match.num_pairs;
    *lacks_value = match.lacks_value;
    assert_int_equal(match.num_alone[SPOT_BEFORE], 2 - num_pairs);
    assert_int_equal(match.num_alone[SPOT_AFTER], 1 - num_pairs);
    if (num_pairs == 1) {
        assert_int_equal(match.point_ids[SPOT_BEFORE][0], 1);
    }
    spot_point_match_free(&match);
    return num_pairs;
}

static void test_a_key_that_one_sweeps(void **state)
{
    bool lacks_value;

    (void) state;
    assert_int_equal(num_pairs_with("job:\n  pipeline_depth: 16.0\n", &lacks_value), 1);
    assert_false(lacks_value);
    assert_int_equal(num_pairs_with("job:\n  pipeline_depth: 4\n", &lacks_value), 0);
    assert_false(lacks_value);
    assert_int_equal(num_pairs_with("job:\n  reload: 4 s\n", &lacks_value), 0);
    assert_true(lacks_value);
    assert_int_equal(num_pairs_with(NULL, &lacks_value), 0);
    assert_true(lacks_value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_random_studies),
        cmocka_unit_test(test_a_key_that_one_sweeps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
