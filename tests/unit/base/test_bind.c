/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "base/bind.h"
#include "base/units.h"
#include "tests/unit/base/support.h"

/* One member of every type. */
typedef struct {
    int64_t period_ms;
    double share;
} inner_t;

typedef struct {
    int64_t size;
    int64_t pause_ms;
    double mean;
    double price_usd_per_h;
    char *name;
    int mode;
    inner_t inner;
    int64_t num_items;
    double total; /* of the items of a list, by a function of its own */
} outer_t;

static const char *const modes[] = {"sync", "async", "none", NULL};

static const spot_field_t inner_fields[] = {
    {.name = "period",
        .type = SPOT_FIELD_DURATION,
        .offset = offsetof(inner_t, period_ms),
        .min = 0,
        .max = HUGE_VAL,
        .initial = "5 s"},
    {.name = "share",
        .type = SPOT_FIELD_NUMBER,
        .offset = offsetof(inner_t, share),
        .min = 0,
        .max = 1},
    {.name = NULL},
};

static const spot_field_t item_fields[] = {
    {.name = "weight", .type = SPOT_FIELD_NUMBER, .offset = 0},
    {.name = NULL},
};

/* A list of maps with one number each. */
static void bind_items(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *node, void *target)
{
    double *total = target;

    if (node->kind != SPOT_NODE_LIST) {
        spot_bind_error(self, node, field->name, "expected %s", field->expected);
        return;
    }
    for (size_t j = 0; j < node->num_children; j++) {
        double weight = 0;

        spot_bind_map(self, item_fields, NULL, node->children[j], &weight);
        *total += weight;
    }
}

static const spot_field_t outer_fields[] = {
    {.name = "size",
        .type = SPOT_FIELD_INTEGER,
        .offset = offsetof(outer_t, size),
        .min = 1,
        .max = SPOT_MAX_INSTANCES},
    {.name = "pause",
        .type = SPOT_FIELD_DURATION,
        .offset = offsetof(outer_t, pause_ms),
        .min = 1,
        .max = (double) SPOT_MS_PER_H,
        .initial = "88 s"},
    {.name = "mean",
        .type = SPOT_FIELD_NUMBER,
        .offset = offsetof(outer_t, mean),
        .initial = "-2.5e-1"},
    {.name = "price",
        .type = SPOT_FIELD_PRICE,
        .offset = offsetof(outer_t, price_usd_per_h),
        .min = 0,
        .max = 1000,
        .initial = "0.91 USD/h"},
    {.name = "name",
        .type = SPOT_FIELD_TEXT,
        .offset = offsetof(outer_t, name),
        .initial = "no name"},
    {.name = "mode",
        .type = SPOT_FIELD_CHOICE,
        .offset = offsetof(outer_t, mode),
        .choices = modes,
        .initial = "async"},
    {.name = "inner",
        .type = SPOT_FIELD_MAP,
        .offset = offsetof(outer_t, inner),
        .fields = inner_fields,
        .initial = "{share: 0.5}"},
    {.name = "items",
        .type = SPOT_FIELD_CUSTOM,
        .offset = offsetof(outer_t, total),
        .bind = bind_items,
        .expected = "a list of weights",
        .initial = ""},
    {.name = NULL},
};

/* Parses and binds over what is in target already. The caller frees diag and name. */
static int bind_over(const spot_field_t *fields, const char *text, spot_diag_t *diag, void *target)
{
    spot_yaml_t document;
    int ret;

    spot_diag_init(diag);
    assert_int_equal(spot_yaml_parse(&document, "f.yaml", text, strlen(text), diag), 0);
    ret = spot_bind_document(fields, document.root, diag, target);
    spot_yaml_free(&document);
    return ret;
}

static void assert_good(const char *text, outer_t *outer)
{
    spot_diag_t diag;

    memset(outer, 0, sizeof(*outer));
    assert_int_equal(bind_over(outer_fields, text, &diag, outer), 0);
    assert_report(&diag, "");
    spot_diag_free(&diag);
}

static void assert_bad(const char *text, const char *expected)
{
    outer_t outer = {0};
    spot_diag_t diag;

    assert_int_equal(bind_over(outer_fields, text, &diag, &outer), SPOT_ERR_BAD_INPUT);
    spot_diag_close_file(&diag);
    assert_report(&diag, expected);
    free(outer.name);
    spot_diag_free(&diag);
}

static void test_every_type_is_bound(void **state)
{
    outer_t outer;

    (void) state;
    assert_good("size: 64\n"
                "pause: 1.5 min\n"
                "mean: 2.4138\n"
                "price: 24 USD/d\n"
                "name: seed-64\n"
                "mode: none\n"
                "inner: {period: 300 s, share: 1}\n"
                "items: [{weight: 1}, {weight: 2.5}]\n",
        &outer);
    assert_int_equal(outer.size, 64);
    assert_int_equal(outer.pause_ms, 90000);
    assert_true(outer.mean == 2.4138);
    assert_true(outer.price_usd_per_h == 1);
    assert_string_equal(outer.name, "seed-64");
    assert_int_equal(outer.mode, 2);
    assert_int_equal(outer.inner.period_ms, 300000);
    assert_true(outer.inner.share == 1);
    assert_true(outer.total == 3.5);
    free(outer.name);
}

static void test_defaults_fill_what_is_missing(void **state)
{
    outer_t outer;

    (void) state;
    assert_good("size: 1", &outer);
    assert_int_equal(outer.size, 1);
    assert_int_equal(outer.pause_ms, 88000);
    assert_true(outer.mean == -0.25);
    assert_true(outer.price_usd_per_h == 0.91);
    assert_string_equal(outer.name, "no name");
    assert_int_equal(outer.mode, 1);
    assert_int_equal(outer.inner.period_ms, 5000);
    assert_true(outer.inner.share == 0.5);
    free(outer.name);
}

/* What is optional stays as the caller has set it; so does what is refused. */
static void test_optional_members_are_left_alone(void **state)
{
    outer_t outer = {.total = 7};
    spot_diag_t diag;

    (void) state;
    assert_int_equal(bind_over(outer_fields, "size: 1", &diag, &outer), 0);
    assert_true(outer.total == 7);
    free(outer.name);
    spot_diag_free(&diag);
    memset(&outer, 0, sizeof(outer));
    outer.size = 5;
    outer.mode = 2;
    assert_int_equal(
        bind_over(outer_fields, "size: -1\nmode: x\n", &diag, &outer), SPOT_ERR_BAD_INPUT);
    assert_int_equal(outer.size, 5);
    assert_int_equal(outer.mode, 2);
    free(outer.name);
    spot_diag_free(&diag);
}

static void test_limits_belong_to_the_range(void **state)
{
    outer_t outer;

    (void) state;
    assert_good("{size: 1000000, pause: 60 min, price: 1000, inner: {share: 0}}", &outer);
    assert_int_equal(outer.size, 1000000);
    assert_int_equal(outer.pause_ms, SPOT_MS_PER_H);
    free(outer.name);
    assert_good("{size: 1, pause: 1 ms, price: 0, inner: {share: 1}}", &outer);
    assert_int_equal(outer.pause_ms, 1);
    free(outer.name);
}

static void test_quoted_texts_are_no_numbers(void **state)
{
    outer_t outer;

    (void) state;
    assert_bad("size: \"7\"\nmean: '2.5'\n",
        "f.yaml:1:7: size: expected an integer from 1 to 1000000, got \"7\": a text, "
        "since it is quoted\n"
        "f.yaml:2:7: mean: expected a number, got \"2.5\": a text, since it is "
        "quoted\n");
    assert_good("size: 7\npause: \"88 s\"\nmode: 'sync'\nname: \"7\"\n", &outer);
    assert_int_equal(outer.pause_ms, 88000);
    assert_int_equal(outer.mode, 0);
    assert_string_equal(outer.name, "7");
    free(outer.name);
}

static void test_bad_integers(void **state)
{
    static const struct {
        const char *text, *shown;
    } cases[] = {
        {"0", "\"0\""},
        {"-1", "\"-1\""},
        {"1000001", "\"1000001\""},
        {"1.5", "\"1.5\""},
        {"1e3", "\"1e3\""},
        {"010", "\"010\""},
        {"12abc", "\"12abc\""},
        {"~", "\"~\""},
        {"99999999999999999999", "\"99999999999999999999\""},
        {"[1]", "a list"},
        {"{a: 1}", "a map"},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        char text[64], expected[160];

        snprintf(text, sizeof(text), "size: %s\n", cases[j].text);
        snprintf(expected, sizeof(expected),
            "f.yaml:1:7: size: expected an integer from 1 to 1000000, got %s\n", cases[j].shown);
        assert_bad(text, expected);
    }
    assert_bad("size:\n", "f.yaml:1:6: size: expected an integer from 1 to 1000000, got nothing\n");
}

static void test_bad_numbers(void **state)
{
    (void) state;
    assert_bad("{size: 1, mean: nan}", "f.yaml:1:17: mean: expected a number, got "
                                       "\"nan\"\n");
    assert_bad("{size: 1, mean: 1e400}", "f.yaml:1:17: mean: expected a number, got "
                                         "\"1e400\"\n");
    assert_bad("{size: 1, mean: 0x10}", "f.yaml:1:17: mean: expected a number, got "
                                        "\"0x10\"\n");
    assert_bad("size: 1\nmean: 1,5\n", "f.yaml:2:7: mean: expected a number, got "
                                       "\"1,5\"\n");
    assert_bad("{size: 1, inner: {share: 1.01}}",
        "f.yaml:1:26: inner.share: expected a number from 0 to 1, got \"1.01\"\n");
}

static void test_bad_durations(void **state)
{
    (void) state;
    assert_bad("{size: 1, pause: 88}",
        "f.yaml:1:18: pause: expected a duration such as \"88 s\", \"1.5 h\" or \"250 "
        "ms\", got \"88\": the unit is missing\n");
    assert_bad("{size: 1, pause: 88 sec}",
        "f.yaml:1:18: pause: expected a duration such as \"88 s\", \"1.5 h\" or \"250 "
        "ms\", got \"88 sec\": unknown unit, did you mean \"s\"?\n");
    assert_bad("{size: 1, pause: soon}",
        "f.yaml:1:18: pause: expected a duration such as \"88 s\", \"1.5 h\" or \"250 "
        "ms\", got \"soon\": it does not start with a number\n");
    assert_bad("{size: 1, pause: 40000 d}",
        "f.yaml:1:18: pause: expected a duration such as \"88 s\", \"1.5 h\" or \"250 "
        "ms\", got \"40000 d\": more than 100 years\n");
    assert_bad("{size: 1, pause: [88 s]}",
        "f.yaml:1:18: pause: expected a duration such as \"88 s\", \"1.5 h\" or \"250 "
        "ms\", got a list\n");
    assert_bad("{size: 1, pause: 0 s}",
        "f.yaml:1:18: pause: expected a duration from 1 ms to 60 min, got \"0 s\"\n");
    assert_bad("{size: 1, pause: 61 min}",
        "f.yaml:1:18: pause: expected a duration from 1 ms to 60 min, got \"61 min\"\n");
    assert_bad("{size: 1, inner: {share: 1, period: -5 s}}",
        "f.yaml:1:37: inner.period: expected a duration from 0 s, got \"-5 s\"\n");
}

static void test_bad_prices(void **state)
{
    (void) state;
    assert_bad("{size: 1, price: 0.91 EUR/h}",
        "f.yaml:1:18: price: expected a price such as \"0.91 USD/h\", got \"0.91 "
        "EUR/h\": unknown unit\n");
    assert_bad("{size: 1, price: cheap}",
        "f.yaml:1:18: price: expected a price such as \"0.91 USD/h\", got \"cheap\": it "
        "does not start with a number\n");
    assert_bad("{size: 1, price: {spot: 1}}",
        "f.yaml:1:18: price: expected a price such as \"0.91 USD/h\", got a map\n");
    assert_bad("{size: 1, price: -0.01}",
        "f.yaml:1:18: price: expected a price from 0 USD/h to 1000 USD/h, got "
        "\"-0.01\"\n");
}

static void test_bad_texts_and_choices(void **state)
{
    (void) state;
    assert_bad("{size: 1, name: \"\"}", "f.yaml:1:17: name: expected a text, got \"\"\n");
    assert_bad("{size: 1, name: [a]}", "f.yaml:1:17: name: expected a text, got a list\n");
    assert_bad("{size: 1, mode: asinc}",
        "f.yaml:1:17: mode: expected sync, async or none, got \"asinc\", did you mean "
        "\"async\"?\n");
    assert_bad(
        "{size: 1, mode: lazy}", "f.yaml:1:17: mode: expected sync, async or none, got \"lazy\"\n");
    assert_bad("{size: 1, mode: {}}",
        "f.yaml:1:17: mode: expected sync, async or none, got an empty map\n");
}

static void test_unknown_keys(void **state)
{
    (void) state;
    assert_bad(
        "size: 1\npuase: 3 s\n", "f.yaml:2:1: unknown key \"puase\", did you mean \"pause\"?\n");
    assert_bad("size: 1\nhorizon: 3 s\n", "f.yaml:2:1: unknown key \"horizon\"\n");
    assert_bad("size: 1\ninner:\n  share: 1\n  periods: 1 s\n",
        "f.yaml:4:3: unknown key \"periods\", did you mean \"period\"?\n");
    assert_bad("{size: 1, \"\": 1}", "f.yaml:1:11: unknown key \"\"\n");
}

/* A terminal must not obey a file, and a long text must not flood it. */
static void test_texts_are_shown_tamed(void **state)
{
    (void) state;
    assert_bad("size: 1\n\"\\e[2J\": 1\nmode: \"a\\nb\"\n",
        "f.yaml:2:1: unknown key \"\\x1b[2J\"\n"
        "f.yaml:3:7: mode: expected sync, async or none, got \"a\\x0ab\"\n");
    assert_bad("{size: aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd}\n",
        "f.yaml:1:8: size: expected an integer from 1 to 1000000, got "
        "\"aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd\"\n");
    assert_bad("{size: aaaaaaaaaabbbbbbbbbbccccccccccdddddddddde}\n",
        "f.yaml:1:8: size: expected an integer from 1 to 1000000, got "
        "\"aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd...\"\n");
}

static void test_missing_keys_are_told_with_their_path(void **state)
{
    (void) state;
    assert_bad("{}", "f.yaml:1:1: missing key \"size\"\n");
    assert_bad("size: 1\ninner:\n  period: 1 s\n", "f.yaml:3:3: missing key \"inner.share\"\n");
}

static void test_a_map_is_expected(void **state)
{
    (void) state;
    assert_bad("[1]", "f.yaml:1:1: expected a map of keys, got a list\n");
    assert_bad("word", "f.yaml:1:1: expected a map of keys, got \"word\"\n");
    assert_bad("{size: 1, inner: 7}", "f.yaml:1:18: inner: expected a map of keys, got \"7\"\n");
}

static void test_custom_functions_report_alike(void **state)
{
    (void) state;
    assert_bad("{size: 1, items: 3}", "f.yaml:1:18: items: expected a list of weights\n");
    assert_bad("size: 1\nitems:\n- weight: x\n- {weigth: 1, weight: 1}\n- 5\n- {}\n",
        "f.yaml:3:11: weight: expected a number, got \"x\"\n"
        "f.yaml:4:4: unknown key \"weigth\", did you mean \"weight\"?\n"
        "f.yaml:5:3: expected a map of keys, got \"5\"\n"
        "f.yaml:6:3: missing key \"weight\"\n");
}

/* In the order of the document; what is missing comes at the end of its map. */
static void test_one_pass_finds_everything(void **state)
{
    (void) state;
    assert_bad("mode: lazy\n"
               "mean: x\n"
               "inner:\n"
               "  perod: 1 s\n"
               "  period: 1\n"
               "prize: 3\n"
               "pause: 0 s\n",
        "f.yaml:1:7: mode: expected sync, async or none, got \"lazy\"\n"
        "f.yaml:2:7: mean: expected a number, got \"x\"\n"
        "f.yaml:4:3: unknown key \"perod\", did you mean \"period\"?\n"
        "f.yaml:5:11: inner.period: expected a duration such as \"88 s\", \"1.5 h\" or "
        "\"250 ms\", got \"1\": the unit is missing\n"
        "f.yaml:4:3: missing key \"inner.share\"\n"
        "f.yaml:6:1: unknown key \"prize\", did you mean \"price\"?\n"
        "f.yaml:7:8: pause: expected a duration from 1 ms to 60 min, got \"0 s\"\n"
        "f.yaml:1:1: missing key \"size\"\n");
}

static void test_twenty_errors_are_shown(void **state)
{
    outer_t outer = {0};
    char text[512] = "size: 1\n";
    spot_diag_t diag;

    (void) state;
    for (int j = 0; j < 25; j++) {
        const size_t used = strlen(text);

        snprintf(text + used, sizeof(text) - used, "unknown-%d: 1\n", j);
    }
    assert_int_equal(bind_over(outer_fields, text, &diag, &outer), SPOT_ERR_BAD_INPUT);
    spot_diag_close_file(&diag);
    assert_int_equal(diag.num_items, 21);
    assert_string_equal(diag.items[20].text, "f.yaml: 5 more errors");
    free(outer.name);
    spot_diag_free(&diag);
}

typedef struct {
    inner_t inner;
    int64_t least_ms, most_ms;
    double least, most;
} ranges_t;

static const spot_field_t deep_fields[] = {
    {.name = "inner",
        .type = SPOT_FIELD_MAP,
        .offset = offsetof(ranges_t, inner),
        .fields = inner_fields},
    {.name = "most_wait",
        .type = SPOT_FIELD_DURATION,
        .offset = offsetof(ranges_t, most_ms),
        .min = -HUGE_VAL,
        .max = 1000,
        .initial = ""},
    {.name = NULL},
};

static const spot_field_t job_fields[] = {
    {.name = "job", .type = SPOT_FIELD_MAP, .fields = deep_fields},
    {.name = NULL},
};

static void test_paths_name_every_map(void **state)
{
    ranges_t ranges = {0};
    spot_diag_t diag;

    (void) state;
    assert_int_equal(
        bind_over(job_fields, "job: {inner: {period: 7}, most_wait: 2 s}\n", &diag, &ranges),
        SPOT_ERR_BAD_INPUT);
    assert_report(&diag,
        "f.yaml:1:23: job.inner.period: expected a duration such as \"88 s\", \"1.5 h\" "
        "or \"250 ms\", got \"7\": the unit is missing\n"
        "f.yaml:1:14: missing key \"job.inner.share\"\n"
        "f.yaml:1:38: job.most_wait: expected a duration from -36525 d to 1 s, got \"2 "
        "s\"\n");
    spot_diag_free(&diag);
}

/* Errors of earlier documents do not make this one bad. */
static void test_errors_of_others_do_not_count(void **state)
{
    static const char text[] = "size: 1";
    outer_t outer = {0};
    spot_yaml_t document;
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    spot_diag_error(&diag, "other.yaml", 1, 1, "wrong");
    assert_int_equal(spot_yaml_parse(&document, "f.yaml", text, strlen(text), &diag), 0);
    assert_int_equal(spot_bind_document(outer_fields, document.root, &diag, &outer), 0);
    free(outer.name);
    spot_yaml_free(&document);
    spot_diag_free(&diag);
}

/* The path that text means in a file of that name. */
static void assert_path(const char *file, const char *text, const char *expected)
{
    char copy[64];
    const spot_node_t node = {.kind = SPOT_NODE_SCALAR, .file = file, .text = copy};
    char *path;

    snprintf(copy, sizeof(copy), "%s", text);
    path = spot_node_file_path(&node);
    assert_string_equal(path, expected);
    free(path);
}

static void test_files_are_relative_to_the_file_that_names_them(void **state)
{
    (void) state;
    assert_path("runs/a.yaml", "traces/p3.csv", "runs/traces/p3.csv");
    assert_path("a.yaml", "p3.csv", "p3.csv");
    assert_path("runs/a.yaml", "/data/p3.csv", "/data/p3.csv");
    assert_path("/x/y/a.yaml", "../p3.csv", "/x/y/../p3.csv");
    assert_path("/a.yaml", "p3.csv", "/p3.csv");
    assert_path("--set trace.file", "traces/p3.csv", "traces/p3.csv");
}

typedef struct {
    char *file;
    int64_t own, common;
} chained_t;

static const spot_field_t common_fields[] = {
    {.name = "common",
        .type = SPOT_FIELD_INTEGER,
        .offset = offsetof(chained_t, common),
        .initial = "3"},
    {.name = NULL},
};

static const spot_field_t no_fields[] = {{.name = NULL, .fields = common_fields}};

static const spot_field_t chained_fields[] = {
    {.name = "kind", .type = SPOT_FIELD_SELECTOR},
    {.name = "file", .type = SPOT_FIELD_PATH, .offset = offsetof(chained_t, file)},
    {.name = "own", .type = SPOT_FIELD_INTEGER, .offset = offsetof(chained_t, own), .initial = "2"},
    {.name = NULL, .fields = no_fields},
};

/* A table may go on with another one, also over an empty one. */
static void test_tables_can_be_chained(void **state)
{
    chained_t chained = {0};
    spot_diag_t diag;

    (void) state;
    assert_int_equal(
        bind_over(chained_fields, "{kind: [x], file: p3.csv, own: 7, common: 8}", &diag, &chained),
        0);
    assert_string_equal(chained.file, "p3.csv");
    assert_int_equal(chained.own, 7);
    assert_int_equal(chained.common, 8);
    free(chained.file);
    memset(&chained, 0, sizeof(chained));
    assert_int_equal(bind_over(chained_fields, "{kind: x, file: /p3.csv}", &diag, &chained), 0);
    assert_string_equal(chained.file, "/p3.csv");
    assert_int_equal(chained.own, 2);
    assert_int_equal(chained.common, 3);
    free(chained.file);
    memset(&chained, 0, sizeof(chained));
    assert_int_equal(
        bind_over(chained_fields, "{comon: 7, file: []}", &diag, &chained), SPOT_ERR_BAD_INPUT);
    assert_report(&diag, "f.yaml:1:2: unknown key \"comon\", did you mean \"common\"?\n"
                         "f.yaml:1:18: file: expected a file name, got an empty list\n"
                         "f.yaml:1:1: missing key \"kind\"\n");
    spot_diag_free(&diag);
}

static void test_tables_can_be_empty(void **state)
{
    static const spot_field_t nothing[] = {{.name = NULL}};
    chained_t chained = {0};
    spot_diag_t diag;

    (void) state;
    assert_int_equal(bind_over(nothing, "{}", &diag, &chained), 0);
    assert_int_equal(bind_over(no_fields, "{}", &diag, &chained), 0);
    assert_int_equal(chained.common, 3);
    assert_int_equal(bind_over(nothing, "{own: 1}", &diag, &chained), SPOT_ERR_BAD_INPUT);
    assert_report(&diag, "f.yaml:1:2: unknown key \"own\"\n");
    spot_diag_free(&diag);
}

static void test_fields_are_walked_in_order(void **state)
{
    static const char *const names[] = {"kind", "file", "own", "common"};
    const spot_field_t *field = chained_fields;

    (void) state;
    for (size_t j = 0; j < 4; j++) {
        assert_string_equal(field->name, names[j]);
        field = spot_field_next(field);
    }
    assert_null(field);
}

/* For whoever looks up a name: the place of the node and the full name of the key. */
static void test_unknown_names_are_reported_alike(void **state)
{
    static char bad[] = "chekpoint", worse[] = "\x1b[2J";
    const spot_node_t node = {.file = "f.yaml", .line = 3, .column = 9};
    spot_diag_t diag;
    spot_bind_t bind = {.diag = &diag, .path = "recovery."};
    spot_suggest_t near;

    (void) state;
    spot_diag_init(&diag);
    spot_suggest_init(&near, bad);
    spot_suggest_offer(&near, "redundancy");
    spot_suggest_offer(&near, "checkpoint");
    spot_bind_unknown(&bind, &node, "system", "recovery system", &near, "");
    spot_suggest_init(&near, worse);
    spot_bind_unknown(&bind, &node, NULL, "recovery system", &near, "");
    assert_report(&diag, "f.yaml:3:9: recovery.system: unknown recovery system "
                         "\"chekpoint\", did you mean "
                         "\"checkpoint\"?\n"
                         "f.yaml:3:9: unknown recovery system \"\\x1b[2J\"\n");
    spot_diag_free(&diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_type_is_bound),
        cmocka_unit_test(test_defaults_fill_what_is_missing),
        cmocka_unit_test(test_optional_members_are_left_alone),
        cmocka_unit_test(test_limits_belong_to_the_range),
        cmocka_unit_test(test_quoted_texts_are_no_numbers),
        cmocka_unit_test(test_bad_integers),
        cmocka_unit_test(test_bad_numbers),
        cmocka_unit_test(test_bad_durations),
        cmocka_unit_test(test_bad_prices),
        cmocka_unit_test(test_bad_texts_and_choices),
        cmocka_unit_test(test_unknown_keys),
        cmocka_unit_test(test_texts_are_shown_tamed),
        cmocka_unit_test(test_missing_keys_are_told_with_their_path),
        cmocka_unit_test(test_a_map_is_expected),
        cmocka_unit_test(test_custom_functions_report_alike),
        cmocka_unit_test(test_one_pass_finds_everything),
        cmocka_unit_test(test_twenty_errors_are_shown),
        cmocka_unit_test(test_paths_name_every_map),
        cmocka_unit_test(test_errors_of_others_do_not_count),
        cmocka_unit_test(test_files_are_relative_to_the_file_that_names_them),
        cmocka_unit_test(test_tables_can_be_chained),
        cmocka_unit_test(test_tables_can_be_empty),
        cmocka_unit_test(test_fields_are_walked_in_order),
        cmocka_unit_test(test_unknown_names_are_reported_alike),
    };

    return cmocka_run_group_tests_name("bind", tests, NULL, NULL);
}
