/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <sha2.h>
#include <string.h>

#include "base/canonical.h"
#include "base/rng.h"
#include "base/units.h"
#include "tests/unit/base/support.h"

static const char *const modes[] = {"sync", "async", NULL};

static const spot_field_t inner_fields[] = {
    {.name = "period", .type = SPOT_FIELD_DURATION, .initial = "5 s"},
    {.name = "share", .type = SPOT_FIELD_NUMBER},
    {.name = NULL},
};

static const spot_field_t more_fields[] = {
    {.name = "kind", .type = SPOT_FIELD_SELECTOR},
    {.name = NULL},
};

static const spot_field_t world_size = {.type = SPOT_FIELD_INTEGER};
static const spot_field_t text_key = {.type = SPOT_FIELD_TEXT};
static const spot_field_t number = {.type = SPOT_FIELD_NUMBER};
static const spot_field_t duration = {.type = SPOT_FIELD_DURATION};
static const spot_field_t inner_item = {.type = SPOT_FIELD_MAP, .fields = inner_fields};

static const spot_field_t cost_forms[] = {
    {.name = "", .type = SPOT_FIELD_CHOICE, .choices = modes},
    {.name = "file", .type = SPOT_FIELD_PATH},
    {.name = "", .type = SPOT_FIELD_PRICE},
    {.name = "", .type = SPOT_FIELD_LIST, .item = &duration},
    {.name = NULL},
};

/* Only the names, types and defaults count: nothing is bound. */
static const spot_field_t outer_fields[] = {
    {.name = "size", .type = SPOT_FIELD_INTEGER, .initial = ""},
    {.name = "pause", .type = SPOT_FIELD_DURATION, .initial = "88 s"},
    {.name = "mean", .type = SPOT_FIELD_NUMBER, .initial = "-2.5e-1"},
    {.name = "price", .type = SPOT_FIELD_PRICE, .initial = "22.8 USD/d"},
    {.name = "name", .type = SPOT_FIELD_TEXT, .initial = ""},
    {.name = "mode", .type = SPOT_FIELD_CHOICE, .choices = modes, .initial = "async"},
    {.name = "inner", .type = SPOT_FIELD_MAP, .fields = inner_fields, .initial = "{share: 0.50}"},
    {.name = "until", .type = SPOT_FIELD_MAP, .fields = inner_fields, .initial = ""},
    {.name = "steps",
        .type = SPOT_FIELD_DICT,
        .key = &world_size,
        .item = &duration,
        .initial = "{32: 11 s, 16: 0.3 min}"},
    {.name = "zones",
        .type = SPOT_FIELD_DICT,
        .key = &text_key,
        .item = &inner_item,
        .is_ordered = true,
        .initial = ""},
    {.name = "numbers", .type = SPOT_FIELD_LIST, .item = &number, .initial = ""},
    {.name = "parts", .type = SPOT_FIELD_LIST, .item = &inner_item, .initial = ""},
    {.name = "cost", .type = SPOT_FIELD_ONE_OF, .fields = cost_forms, .initial = ""},
    {.name = "wait", .type = SPOT_FIELD_DURATION_NS, .initial = ""},
    {.name = "memory", .type = SPOT_FIELD_BYTES, .initial = ""},
    {.name = "link", .type = SPOT_FIELD_RATE, .initial = ""},
    {.name = "any", .type = SPOT_FIELD_CUSTOM, .initial = ""},
    {.name = NULL, .fields = more_fields},
};

static void make(spot_canonical_t *list, const char *yaml)
{
    spot_yaml_t document;
    spot_diag_t diag;

    spot_diag_init(&diag);
    memset(list, 0, sizeof(*list));
    assert_int_equal(spot_yaml_parse(&document, "f.yaml", yaml, strlen(yaml), &diag), 0);
    assert_int_equal(spot_canonical_make(list, outer_fields, document.root, NULL), 0);
    spot_yaml_free(&document);
    spot_diag_free(&diag);
}

/* The canonical text of a document. The caller frees it. */
static char *text_of(const char *yaml)
{
    spot_canonical_t list;
    char *text;

    make(&list, yaml);
    text = spot_canonical_text(&list);
    assert_non_null(text);
    spot_canonical_free(&list);
    return text;
}

static void assert_text(const char *yaml, const char *expected)
{
    char *text = text_of(yaml);

    assert_string_equal(text, expected);
    free(text);
}

static bool is_same(const char *a, const char *b)
{
    char *text_a = text_of(a), *text_b = text_of(b);
    const bool is_equal = strcmp(text_a, text_b) == 0;

    free(text_a);
    free(text_b);
    return is_equal;
}

static void test_defaults_are_there(void **state)
{
    (void) state;
    assert_text("{}", "inner:\n"
                      "  period: 5 s\n"
                      "  share: 0.5\n"
                      "mean: -0.25\n"
                      "mode: async\n"
                      "pause: 88 s\n"
                      "price: 0.95\n"
                      "steps:\n"
                      "  16: 18 s\n"
                      "  32: 11 s\n");
    assert_true(is_same("{}", "{mode: async, inner: {period: 5000 ms, share: 5e-1}}"));
    assert_false(is_same("{}", "{mode: sync}"));
}

static void test_one_scenario_in_many_ways(void **state)
{
    static const char *const same[][2] = {
        {"pause: 0.05 h", "pause: 3 min"},
        {"pause: 180 s", "pause: \"3min\""},
        {"mean: 1e2", "mean: 100"},
        {"mean: +1.50", "mean: 1.5"},
        {"mean: 10000000000000000", "mean: 1e16"},
        {"size: +7", "size: 7"},
        {"price: 24 USD/d", "price: 1"},
        {"name: abc", "name: \"abc\""},
        {"name: 7", "name: '7'"}, /* a text in any case */
        {"{inner: {share: 1}, mode: sync}", "mode: sync\ninner:\n    share: 1.0 # one\n"},
        {"{until: &a {share: 1}, inner: *a}", "{inner: {share: 1}, until: {share: 1}}"},
        {"any: {b: [1, 60 s], a: {}}", "any:\n  a: {}\n  b: [1, \"60 s\"]\n"},
        {"any: 10 steps", "any: '10 steps'"},
        {"mean: 0", "mean: -0"},
        {"mean: 0.5", "mean: .5"},
        {"numbers: [1, 1e6]", "numbers: [1.0, 1000000]"},
        {"steps: {16: 60 s, 8: 2 s}", "steps: {\"8\": 2000 ms, +16: 1 min}"},
        {"parts: [{share: 1, period: 5 s}]", "parts: [{share: 1.0}]"},
        {"zones: {a: {share: 1}}", "zones: {\"a\": {period: 5000 ms, share: 1}}"},
        {"cost: 0.91 USD/h", "cost: 0.91"},
        {"cost: [60 s]", "cost: [1 min]"},
        {"cost: sync", "cost: 'sync'"},
        {"wait: 1500 us", "wait: 1.5 ms"},
        {"memory: 1.5 GiB", "memory: 1536 MiB"},
        {"link: 10 Gbit/s", "link: 1.25 GB/s"},
        {"kind: seed", "kind: \"seed\""},
    };
    static const char *const different[][2] = {
        {"mean: 0.1", "mean: 0.10000000000000002"},
        {"pause: 1 s", "pause: 1001 ms"},
        {"any: 7", "any: \"7\""},
        {"any: 7", "any: 7.0"}, /* not known to be a number */
        {"numbers: [1, 2]", "numbers: [2, 1]"},
        {"numbers: [9007199254740991]", "numbers: [9007199254740992]"},
        {"zones: {a: {share: 1}, b: {share: 1}}", "zones: {b: {share: 1}, a: {share: 1}}"},
        {"zones: {a: {share: 1}}", "zones: {a.b: {share: 1}}"},
        {"zones: {\"a[0]\": {share: 1}}", "zones: {a: {share: 1}}"},
        {"cost: 0.91", "cost: {file: \"0.91\"}"},
        {"wait: 1 us", "wait: 1001 ns"},
        {"memory: 1 MB", "memory: 1 MiB"},
        {"link: 1 Gbit/s", "link: 1 GB/s"},
        {"any: []", "any: {}"},
        {"any: [a]", "any: {0: a}"},
        {"any: {a: {b: 1}}", "any: {a.b: 1}"},
        {"any: {a: [1]}", "any: {\"a[0]\": 1}"},
        {"any: [[1], 2]", "any: [[1, 2]]"},
        {"any: [1, 2]", "any: [2, 1]"},
        {"any: {}", "{}"},
        {"any: \"\"", "any:"},
        {"any: 9007199254740993", "any: 9007199254740992"},
        {"any: \"{}\"", "any: {}"},
        {"any: {\"\": {a: 1}}", "any: {a: 1}"},
        {"any: {\"\": 1}", "any: {_: 1}"},
        {"any: \"a\\nb\"", "any: \"a b\""},
        {"name: 1.10", "name: 1.1"},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(same) / sizeof(same[0]); j++) {
        if (!is_same(same[j][0], same[j][1])) {
            fail_msg("not the same: %s | %s", same[j][0], same[j][1]);
        }
    }
    for (size_t j = 0; j < sizeof(different) / sizeof(different[0]); j++) {
        if (is_same(different[j][0], different[j][1])) {
            fail_msg("the same: %s | %s", different[j][0], different[j][1]);
        }
    }
}

/* ---- Random documents ---- */

typedef struct {
    spot_rng_t *rng;
    FILE *yaml;
    FILE *meaning; /* the same for the same values; keys sorted */
} random_t;

static size_t below(random_t *self, size_t num)
{
    return (size_t) spot_rng_below(self->rng, num);
}

static const struct {
    const char *yaml;
    int meaning;
} scalars[] = {{"a", 0}, {"\"a\"", 0}, {"7", 1}, {"+7", 11}, {"\"7\"", 2}, {"60 s", 3},
    {"\"60 s\"", 3}, {"\"\"", 4}, {"\"a: b # c\"", 5}, {"\"a\\nb\\t\\x85\\u2028\"", 6},
    {"\"- a\"", 7}, {"\"\\\\ \\\" \\u00e4\\U0001F600\"", 8}, {"\"~\"", 9}, {"' a '", 10}};

static const char *const keys[] = {
    "\"\"", "\"0\"", "\"[0]\"", "\"\\\\\"", "\"_\"", "a", "\"a.b\"", "\"a: \\x01\"", "b"};

static void random_value(random_t *self, int depth);

static void random_map(random_t *self, int depth)
{
    enum { NUM_KEYS = sizeof(keys) / sizeof(keys[0]) };
    const bool is_backwards = below(self, 2) == 0;
    char *texts[NUM_KEYS] = {NULL};
    size_t num_bytes;
    bool is_first = true;

    for (size_t j = 0; j < NUM_KEYS; j++) { /* in one order, written in another */
        if (below(self, 4) == 0) {
            FILE *whole = self->yaml;

            self->yaml = open_memstream(&texts[j], &num_bytes);
            assert_non_null(self->yaml);
            fprintf(self->meaning, "k%zu:", j);
            random_value(self, depth + 1);
            fclose(self->yaml);
            self->yaml = whole;
        }
    }
    fputs("}", self->meaning);
    putc('{', self->yaml);
    for (size_t j = 0; j < NUM_KEYS; j++) {
        const size_t k = is_backwards ? NUM_KEYS - 1 - j : j;

        if (texts[k] != NULL) {
            fprintf(self->yaml, "%s%s: %s", is_first ? "" : ", ", keys[k], texts[k]);
            is_first = false;
        }
        free(texts[k]);
    }
    putc('}', self->yaml);
}

static void random_value(random_t *self, int depth)
{
    const size_t kind = below(self, depth < 3 ? 4 : 1);

    if (kind < 2) {
        const size_t j = below(self, sizeof(scalars) / sizeof(scalars[0]));

        fputs(scalars[j].yaml, self->yaml);
        fprintf(self->meaning, "s%d;", scalars[j].meaning);
    } else if (kind == 2) {
        const size_t num_items = below(self, 13); /* indices of two digits too */

        putc('[', self->yaml);
        putc('[', self->meaning);
        for (size_t j = 0; j < num_items; j++) {
            fputs(j == 0 ? "" : ", ", self->yaml);
            random_value(self, depth + 1 + (num_items > 3));
        }
        putc(']', self->yaml);
        putc(']', self->meaning);
    } else {
        putc('{', self->meaning);
        random_map(self, depth);
    }
}

static void random_document(spot_rng_t *rng, char **yaml, char **meaning)
{
    size_t yaml_bytes, meaning_bytes;
    random_t self = {.rng = rng,
        .yaml = open_memstream(yaml, &yaml_bytes),
        .meaning = open_memstream(meaning, &meaning_bytes)};

    assert_non_null(self.yaml);
    assert_non_null(self.meaning);
    fputs("any: ", self.yaml);
    random_value(&self, 0);
    fclose(self.yaml);
    fclose(self.meaning);
}

static void assert_reads_back(const char *text)
{
    spot_canonical_t list;
    spot_diag_t diag;
    char *again;

    spot_diag_init(&diag);
    assert_int_equal(spot_canonical_parse(&list, "store", text, &diag), 0);
    again = spot_canonical_text(&list);
    assert_string_equal(again, text);
    free(again);
    again = text_of(text); /* and it is a document that means the same */
    assert_string_equal(again, text);
    free(again);
    spot_canonical_free(&list);
    spot_diag_free(&diag);
}

/* Every text reads back as itself, and two are the same if and only if they mean the
 * same: each is compared with the 50 before it, so that both cases happen often. */
static void test_random_documents(void **state)
{
    enum { NUM = 4000, NUM_BEFORE = 50 };
    char *texts[NUM_BEFORE] = {NULL}, *meanings[NUM_BEFORE] = {NULL};
    size_t num_same = 0;
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 1, 0, SPOT_STREAM_TYPE, 0);
    for (size_t j = 0; j < NUM; j++) {
        char *yaml, *meaning, *text;

        random_document(&rng, &yaml, &meaning);
        text = text_of(yaml);
        assert_reads_back(text);
        for (size_t k = 0; k < NUM_BEFORE && texts[k] != NULL; k++) {
            const bool is_meant = strcmp(meaning, meanings[k]) == 0;

            if (is_meant != (strcmp(text, texts[k]) == 0)) {
                fail_msg("%s | %s | %s", meaning, meanings[k], text);
            }
            num_same += is_meant;
        }
        free(texts[j % NUM_BEFORE]);
        free(meanings[j % NUM_BEFORE]);
        texts[j % NUM_BEFORE] = text;
        meanings[j % NUM_BEFORE] = meaning;
        free(yaml);
    }
    assert_true(num_same > 1000);
    for (size_t k = 0; k < NUM_BEFORE; k++) {
        free(texts[k]);
        free(meanings[k]);
    }
}

/* ---- Lists ---- */

static void assert_compared(const char *was, const char *is, size_t num, const char *expected)
{
    spot_canonical_t was_list, is_list;
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(spot_canonical_parse(&was_list, "was", was, &diag), 0);
    assert_int_equal(spot_canonical_parse(&is_list, "is", is, &diag), 0);
    assert_int_equal(spot_canonical_compare(&was_list, &is_list, "r.db", &diag), num);
    assert_report(&diag, expected);
    spot_canonical_free(&was_list);
    spot_canonical_free(&is_list);
    spot_diag_free(&diag);
}

static void test_differences_are_sentences(void **state)
{
    (void) state;
    assert_compared("{job: {reload: 47 s, a: 1}, z: 1}", "{job: {reload: 60 s, a: 1}, b: 4}", 3,
        "r.db: b was not set, is 4\n"
        "r.db: job.reload was 47 s, is 60 s\n"
        "r.db: z was 1, is not set\n");
    assert_compared("big: {range: [11, 31]}", "big: {range: [11, 30, 2]}", 2,
        "r.db: big.range[1] was 31, is 30\n"
        "r.db: big.range[2] was not set, is 2\n");
    assert_compared("a: ", "a: x", 1, "r.db: a was nothing, is x\n");
    assert_compared("{}", "{}", 0, "");
}

/* A file is told by the key that names it; one that only one of them read says nothing.
 */
static void test_changed_files_are_told(void **state)
{
    (void) state;
    assert_compared("{trace: {file: t/p3.csv}, files: {t/p3.csv: aa, old.csv: cc}}",
        "{trace: {file: t/p3.csv}, files: {t/p3.csv: bb, new.csv: dd}}", 1,
        "r.db: trace.file: its content has changed (t/p3.csv)\n");
    assert_compared("files: {inner.yaml: aa}", "files: {inner.yaml: bb}", 1,
        "r.db: inner.yaml: its content has changed\n");
}

static void test_keys_are_added_and_dropped(void **state)
{
    spot_canonical_t list, other;
    char *text;

    (void) state;
    make(&list, "{any: {a: {b: [1, 2]}, ab: 1, a.b: 3}}");
    assert_string_equal(spot_canonical_get(&list, "any.a.b[1]"), "2");
    assert_null(spot_canonical_get(&list, "any.a.b[2]"));
    assert_int_equal(spot_canonical_add(&list, "any.a.b", "1"), SPOT_ERR_BAD_PARAM);
    assert_int_equal(spot_canonical_add(&list, "any.ab.c", "1"), SPOT_ERR_BAD_PARAM);
    assert_int_equal(spot_canonical_add(&list, "any.ab", "1"), SPOT_ERR_BAD_PARAM);
    spot_canonical_drop(&list, "any.a.b"); /* in both ways in which it is written */
    assert_int_equal(spot_canonical_add(&list, "seed", "1"), 0);
    assert_int_equal(spot_canonical_add(&list, "keep", "rows: \"x\""), 0);
    spot_canonical_drop(&list, "inner");
    spot_canonical_drop(&list, "steps");
    spot_canonical_drop(&list, "m");
    text = spot_canonical_text(&list);
    assert_string_equal(text, "any:\n"
                              "  ab: 1\n"
                              "keep: \"rows: \\\"x\\\"\"\n"
                              "mean: -0.25\n"
                              "mode: async\n"
                              "pause: 88 s\n"
                              "price: 0.95\n"
                              "seed: 1\n");
    free(text);
    make(&other, "{}");
    assert_int_equal(spot_canonical_add(&other, "files.x\\.csv", "abc"), 0);
    assert_int_equal(spot_canonical_add_files(&list, &other), 0);
    assert_int_equal(spot_canonical_add_files(&list, &other), 0);
    assert_string_equal(spot_canonical_get(&list, "files.x\\.csv"), "abc");
    assert_null(spot_canonical_get(&list, "inner.period"));
    spot_canonical_free(&other);
    spot_canonical_free(&list);
}

/* What the store keeps may be damaged: an error, no crash. */
static void test_bad_text_is_an_error(void **state)
{
    static const char *const bad[] = {"[1]", "a", "a: [", "", "{a: 1, a: 2}"};

    (void) state;
    for (size_t j = 0; j < sizeof(bad) / sizeof(bad[0]); j++) {
        spot_canonical_t list;
        spot_diag_t diag;

        spot_diag_init(&diag);
        assert_int_equal(spot_canonical_parse(&list, "store", bad[j], &diag), SPOT_ERR_BAD_INPUT);
        assert_true(diag.num_errors > 0);
        spot_canonical_free(&list);
        spot_diag_free(&diag);
    }
}

/* FIPS 180-4: "abc", through the library that is used; and the hash is that of the text.
 */
static void test_hash(void **state)
{
    char sha256[SPOT_SHA256_TEXT_BYTES], expected[SPOT_SHA256_TEXT_BYTES];
    spot_canonical_t list;
    char *text;

    (void) state;
    SHA256Data((const uint8_t *) "abc", 3, sha256);
    assert_string_equal(sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    make(&list, "{pause: 3 min}");
    text = spot_canonical_text(&list);
    SHA256Data((const uint8_t *) text, strlen(text), expected);
    assert_int_equal(spot_canonical_hash(&list, sha256), 0);
    assert_string_equal(sha256, expected);
    free(text);
    spot_canonical_free(&list);
    /* printf '{}\n' | sha256sum */
    assert_int_equal(spot_canonical_hash(&list, sha256), 0);
    assert_string_equal(sha256, "ca3d163bab055381827226140568f3bef7eaac187cebd76878e0b63e9e442356");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults_are_there),
        cmocka_unit_test(test_one_scenario_in_many_ways),
        cmocka_unit_test(test_random_documents),
        cmocka_unit_test(test_differences_are_sentences),
        cmocka_unit_test(test_changed_files_are_told),
        cmocka_unit_test(test_keys_are_added_and_dropped),
        cmocka_unit_test(test_bad_text_is_an_error),
        cmocka_unit_test(test_hash),
    };

    return cmocka_run_group_tests_name("canonical", tests, NULL, NULL);
}
