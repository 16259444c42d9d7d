/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Members of every kind: what is written comes back, and what is of another type, number
 * or bound is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/bench/store/json_members.h"

typedef enum { GOOD, BAD } judgement_t;

typedef struct {
    const char *word;
    bool *flags; /* [num_ids] of the root */
} pair_t;

typedef struct {
    char *text;
    size_t num_ids;
    uint32_t *ids;
    size_t num_pairs;
    pair_t *pairs;
    size_t num_numbers;
    double *numbers;
    pair_t *names; /* up to one without a word */
    int64_t integer;
    uint64_t seed;
    double number;
    bool is_it;
    judgement_t judgement;
} all_t;

static const char *const judgements[] = {"good", "bad", NULL};
static const spot_json_member_t a_number[] = {{"", SPOT_MEMBER_NUMBER, .offset = 0}, {0}};
static const spot_json_member_t a_flag[] = {{"", SPOT_MEMBER_BOOLEAN, .offset = 0}, {0}};
static const spot_json_member_t pair_members[] = {
    SPOT_MEMBER_NEEDED(pair_t, "word", word, NAME),
    SPOT_MEMBER_WITH(pair_t, "flags", flags, LIST, .members = a_flag, .item_bytes = sizeof(bool),
        .is_num_of_root = true, .num_offset = offsetof(all_t, num_ids)),
    {0},
};
static const spot_json_member_t all_members[] = {
    SPOT_MEMBER(all_t, "text", text, TEXT),
    SPOT_MEMBER(all_t, "num_ids", num_ids, COUNT),
    SPOT_MEMBER_WITH(all_t, "ids", ids, IDS, .num_offset = offsetof(all_t, num_ids),
        .below = offsetof(all_t, num_ids)),
    SPOT_MEMBER(all_t, "num_pairs", num_pairs, COUNT),
    SPOT_MEMBER_LIST(all_t, "pairs", pairs, offsetof(all_t, num_pairs), pair_members),
    SPOT_MEMBER(all_t, "num_numbers", num_numbers, COUNT),
    SPOT_MEMBER_LIST(all_t, "numbers", numbers, offsetof(all_t, num_numbers), a_number),
    SPOT_MEMBER_LIST(all_t, "names", names, 0, pair_members),
    SPOT_MEMBER(all_t, "integer", integer, INTEGER),
    SPOT_MEMBER(all_t, "seed", seed, UNSIGNED),
    SPOT_MEMBER(all_t, "number", number, NUMBER),
    SPOT_MEMBER(all_t, "is_it", is_it, BOOLEAN),
    SPOT_MEMBER_CHOICE(all_t, "judgement", judgement, judgements),
    {0},
};

/* For free(). */
static char *written(void)
{
    char text[] = "a \"b\"\n";
    uint32_t ids[] = {2, 0, 1};
    bool flags[] = {true, false, true};
    pair_t pairs[] = {{"one", flags}, {"two", NULL}};
    pair_t names[] = {{"last", NULL}, {NULL, NULL}};
    double numbers[] = {0.1 + 0.2, (double) NAN};
    const all_t all = {.text = text,
        .num_ids = 3,
        .ids = ids,
        .num_pairs = 2,
        .pairs = pairs,
        .num_numbers = 2,
        .numbers = numbers,
        .names = names,
        .integer = INT64_C(1) << 53,
        .seed = UINT64_MAX,
        .number = -1e-300,
        .is_it = true,
        .judgement = BAD};
    char *json = spot_json_members_write(all_members, &all);

    assert_non_null(json);
    return json;
}

static void check(const all_t *all)
{
    assert_string_equal(all->text, "a \"b\"\n");
    assert_int_equal(all->num_ids, 3);
    assert_true(all->ids[0] == 2 && all->ids[1] == 0 && all->ids[2] == 1);
    assert_int_equal(all->num_pairs, 2);
    assert_string_equal(all->pairs[0].word, "one");
    assert_true(all->pairs[0].flags[0] && !all->pairs[0].flags[1] && all->pairs[0].flags[2]);
    assert_string_equal(all->pairs[1].word, "two");
    assert_null(all->pairs[1].flags);
    assert_int_equal(all->num_numbers, 2);
    assert_true(all->numbers[0] == 0.1 + 0.2 && isnan(all->numbers[1]));
    assert_string_equal(all->names[0].word, "last");
    assert_null(all->names[1].word);
    assert_true(all->integer == INT64_C(1) << 53);
    assert_true(all->seed == UINT64_MAX);
    assert_true(all->number == -1e-300);
    assert_true(all->is_it);
    assert_int_equal(all->judgement, BAD);
}

static void test_what_is_written_comes_back(void **state)
{
    char *json = written();
    spot_recording_t keeper = {0};
    spot_arena_t names = {.error = 0};
    all_t own = {.integer = 0}, kept = {.integer = 0};

    (void) state;
    assert_int_equal(spot_json_members_read(all_members, json, NULL, &names, &own), 0);
    assert_int_equal(spot_json_members_read(all_members, json, &keeper, NULL, &kept), 0);
    free(json);
    check(&own);
    spot_json_members_free(all_members, &own);
    spot_arena_free(&names);
    check(&kept);
    spot_recording_free(&keeper);
}

/* A key that is missing leaves zero. */
static void test_nothing(void **state)
{
    all_t all = {.integer = 0};

    (void) state;
    assert_int_equal(spot_json_members_read(all_members, "{}", NULL, NULL, &all), 0);
    assert_true(all.text == NULL && all.ids == NULL && all.pairs == NULL && all.names == NULL &&
                all.seed == 0 && all.judgement == GOOD);
    spot_json_members_free(all_members, &all);
}

static void test_refused(void **state)
{
    static const char *const bad[][2] = {{"text", "7"}, {"text", "[]"}, {"num_ids", "2"},
        {"num_ids", "-1"}, {"num_ids", "3.5"}, {"num_ids", "\"3\""}, {"ids", "\"2,0\""},
        {"ids", "\"2,0,3\""}, {"ids", "\"2,0,1,\""}, {"ids", "\"2,,1\""}, {"ids", "\"2,-1,0\""},
        {"ids", "[2, 0, 1]"}, {"num_pairs", "1e15"}, {"pairs", "null"}, {"pairs", "[{}, {}]"},
        {"pairs", "[7, 8]"}, {"pairs", "[{\"word\": \"one\"}]"}, {"pairs", "{}"},
        {"pairs", "[{\"word\": \"one\"}, {\"word\": \"two\", \"flags\": [true]}]"},
        {"numbers", "[1]"}, {"numbers", "[1, \"2\"]"}, {"names", "[{\"word\": null}]"},
        {"integer", "-1"}, {"integer", "1e300"}, {"seed", "\"1x\""}, {"seed", "1"},
        {"number", "\"1\""}, {"is_it", "1"}, {"judgement", "\"ugly\""}, {"judgement", "1"}};

    (void) state;
    for (size_t j = 0; j < sizeof(bad) / sizeof(bad[0]); j++) {
        char *json = written(), text[1000];
        spot_arena_t names = {.error = 0};
        all_t all = {.integer = 0};

        /* Of two members with a key the first one counts. */
        snprintf(text, sizeof(text), "{\"%s\": %s, %s", bad[j][0], bad[j][1], json + 1);
        if (spot_json_members_read(all_members, text, NULL, &names, &all) != SPOT_ERR_BAD_INPUT) {
            fail_msg("%s: %s", bad[j][0], bad[j][1]);
        }
        spot_json_members_free(all_members, &all);
        spot_arena_free(&names);
        free(json);
    }
    for (size_t j = 0; j < 4; j++) {
        static const char *const none[] = {NULL, "", "[]", "{} {}"};

        assert_int_equal(
            spot_json_members_read(all_members, none[j], NULL, NULL, &(all_t){.integer = 0}),
            SPOT_ERR_BAD_INPUT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_written_comes_back),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
