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

#include "base/row.h"

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
static const spot_row_member_t a_number[] = {{"", SPOT_MEMBER_NUMBER, .offset = 0}, {0}};
static const spot_row_member_t a_flag[] = {{"", SPOT_MEMBER_BOOLEAN, .offset = 0}, {0}};
static const spot_row_member_t pair_members[] = {
    SPOT_MEMBER_NEEDED(NAME, "word", pair_t, word),
    SPOT_MEMBER_WITH(LIST, "flags", pair_t, flags, .members = a_flag, .item_bytes = sizeof(bool),
        .is_num_of_root = true, .num_offset = offsetof(all_t, num_ids)),
    {0},
};
static const spot_row_member_t all_members[] = {
    SPOT_MEMBER(TEXT, "text", all_t, text),
    SPOT_MEMBER(COUNT, "num_ids", all_t, num_ids),
    SPOT_MEMBER_WITH(IDS, "ids", all_t, ids, .num_offset = offsetof(all_t, num_ids),
        .below = offsetof(all_t, num_ids)),
    SPOT_MEMBER(COUNT, "num_pairs", all_t, num_pairs),
    SPOT_MEMBER_LIST("pairs", all_t, pairs, offsetof(all_t, num_pairs), pair_members),
    SPOT_MEMBER(COUNT, "num_numbers", all_t, num_numbers),
    SPOT_MEMBER_LIST("numbers", all_t, numbers, offsetof(all_t, num_numbers), a_number),
    SPOT_MEMBER_LIST("names", all_t, names, 0, pair_members),
    SPOT_MEMBER(INTEGER, "integer", all_t, integer),
    SPOT_MEMBER(UNSIGNED, "seed", all_t, seed),
    SPOT_MEMBER(NUMBER, "number", all_t, number),
    SPOT_MEMBER(BOOLEAN, "is_it", all_t, is_it),
    SPOT_MEMBER_WITH(CHOICE, "judgement", all_t, judgement, .choices = judgements),
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
    char *json = spot_row_write_json(all_members, &all);

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
    spot_arena_t keeper = {0};
    spot_arena_t names = {.error = 0};
    all_t own = {.integer = 0}, kept = {.integer = 0};

    (void) state;
    assert_int_equal(spot_row_read_json(all_members, json, NULL, &names, &own), 0);
    assert_int_equal(spot_row_read_json(all_members, json, &keeper, NULL, &kept), 0);
    free(json);
    check(&own);
    spot_row_free(all_members, &own);
    spot_arena_free(&names);
    check(&kept);
    spot_arena_free(&keeper);
}

/* A key that is missing leaves zero. */
static void test_nothing(void **state)
{
    all_t all = {.integer = 0};

    (void) state;
    assert_int_equal(spot_row_read_json(all_members, "{}", NULL, NULL, &all), 0);
    assert_true(all.text == NULL && all.ids == NULL && all.pairs == NULL && all.names == NULL &&
                all.seed == 0 && all.judgement == GOOD);
    spot_row_free(all_members, &all);
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
        if (spot_row_read_json(all_members, text, NULL, &names, &all) != SPOT_ERR_BAD_INPUT) {
            fail_msg("%s: %s", bad[j][0], bad[j][1]);
        }
        spot_row_free(all_members, &all);
        spot_arena_free(&names);
        free(json);
    }
    for (size_t j = 0; j < 4; j++) {
        static const char *const none[] = {NULL, "", "[]", "{} {}"};

        assert_int_equal(
            spot_row_read_json(all_members, none[j], NULL, NULL, &(all_t){.integer = 0}),
            SPOT_ERR_BAD_INPUT);
    }
}

/* ---- Fields of CSV files ---- */

typedef struct {
    const char *text;
    int64_t integer;
    int32_t small;
    double number;
} fields_t;

static const spot_row_member_t field_members[] = {
    SPOT_MEMBER(TEXT, "text", fields_t, text),
    SPOT_MEMBER_WITH(INTEGER, "integer", fields_t, integer, .min = -9, .max = 1e15),
    SPOT_MEMBER_WITH(SMALL, "small", fields_t, small, .min = -9, .max = 1e9),
    SPOT_MEMBER_WITH(NUMBER, "number", fields_t, number, .min = -1, .max = HUGE_VAL),
};

/* A field of a row without none is what is written, and reads back the same. */
static void test_fields(void **state)
{
    static const char *const expected[] = {
        "\"a, b\"", "123456789012345", "-7", "0.1", "", "", "", ""};
    static const fields_t none = {"", -1, -1, (double) NAN};
    static const fields_t rows[] = {
        {"a, b", 123456789012345, -7, 0.1}, {NULL, -1, -1, (double) NAN}};

    (void) state;
    for (size_t j = 0; j < 8; j++) {
        const spot_row_member_t *member = &field_members[j % 4];
        const fields_t *row = &rows[j / 4];
        char bytes[64] = "", problem[SPOT_MEMBER_PROBLEM_BYTES];
        FILE *out = fmemopen(bytes, sizeof(bytes), "w");
        fields_t back = none;

        assert_non_null(out);
        assert_int_equal(spot_member_write(member, row, &none, out), j < 4);
        assert_int_equal(spot_member_write(member, row, &none, NULL), j < 4);
        fclose(out);
        assert_string_equal(bytes, expected[j]);
        if (j > 0 && j < 4) {
            assert_null(spot_member_read(member, bytes, &back, problem));
            assert_true(spot_member_number(member, row) == spot_member_number(member, &back) ||
                        isnan(spot_member_number(member, row)));
        }
    }
    assert_true(isnan(spot_member_number(&field_members[1], &none)));
    assert_true(isnan(spot_member_number(&field_members[2], &none)));
    assert_true(spot_member_number(&field_members[1], &rows[0]) == 123456789012345.0);
    assert_true(spot_member_number(&field_members[3], &rows[0]) == 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_written_comes_back),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_fields),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
