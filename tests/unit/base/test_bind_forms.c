/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fields that hold others: lists, dictionaries, one of several forms; and quantities
 * with units. The tables are like those of engines to come: pools of instances, stages
 * of a pipeline, links and caches. */
#include <math.h>
#include <string.h>

#include "base/bind.h"
#include "base/units.h"
#include "tests/unit/base/support.h"

typedef struct {
    char *vc;
    int64_t preparation_ms;
    double usd_per_h;
} pool_t;

typedef struct {
    char *name;
    int64_t replicas;
    int64_t delay_ns;
} stage_t;

typedef struct {
    int64_t size;
    double speed;
} scale_t;

typedef struct {
    int kind; /* index of the form */
    double rate_qps, scv;
    size_t num_deltas;
    double *deltas_ms;
} arrivals_t;

typedef struct {
    size_t num_pools, num_stages, num_scales, num_plots, num_rows;
    pool_t *pools;
    stage_t *stages;
    scale_t *scales;
    char **plots;
    struct {
        size_t num_cells;
        int64_t *cells;
    } * rows;
    double hours[3];
    arrivals_t arrivals;
    int64_t memory_bytes, timeout_ns;
    double link_bytes_per_s;
    size_t num_settled; /* values that were settled */
} engine_t;

static const spot_field_t pool_fields[] = {
    {.name = "vc", .type = SPOT_FIELD_TEXT, .offset = offsetof(pool_t, vc)},
    {.name = "preparation",
        .type = SPOT_FIELD_DURATION,
        .offset = offsetof(pool_t, preparation_ms),
        .max = HUGE_VAL,
        .initial = "90 s"},
    {.name = "price", .type = SPOT_FIELD_PRICE, .offset = offsetof(pool_t, usd_per_h)},
    {.name = NULL},
};

static const spot_field_t stage_fields[] = {
    {.name = "replicas",
        .type = SPOT_FIELD_INTEGER,
        .offset = offsetof(stage_t, replicas),
        .min = 1,
        .max = 4096,
        .label = "replicas"},
    {.name = "delay",
        .type = SPOT_FIELD_DURATION_NS,
        .offset = offsetof(stage_t, delay_ns),
        .max = HUGE_VAL,
        .initial = "0 ms"},
    {.name = NULL},
};

static const spot_field_t gamma_fields[] = {
    {.name = "rate_qps", .type = SPOT_FIELD_NUMBER, .offset = offsetof(arrivals_t, rate_qps)},
    {.name = "scv", .type = SPOT_FIELD_NUMBER, .offset = offsetof(arrivals_t, scv), .initial = "1"},
    {.name = NULL},
};

static const spot_field_t pool = {.type = SPOT_FIELD_MAP, .fields = pool_fields};
static const spot_field_t stage = {.type = SPOT_FIELD_MAP, .fields = stage_fields};
static const spot_field_t stage_key = {.type = SPOT_FIELD_TEXT, .offset = offsetof(stage_t, name)};
static const spot_field_t scale_key = {.type = SPOT_FIELD_INTEGER,
    .offset = offsetof(scale_t, size),
    .min = 1,
    .max = 64,
    .what = "a size"};
static const spot_field_t speed = {.type = SPOT_FIELD_NUMBER,
    .offset = offsetof(scale_t, speed),
    .max = 2,
    .label = "speed of size "};
static const spot_field_t plot = {.type = SPOT_FIELD_TEXT};
static const spot_field_t number = {.type = SPOT_FIELD_NUMBER, .max = 1e9};
static const spot_field_t cell = {.type = SPOT_FIELD_INTEGER, .max = 9};
static const spot_field_t row = {.type = SPOT_FIELD_LIST,
    .offset = 8,
    .num_offset = 0,
    .item = &cell,
    .item_size = sizeof(int64_t),
    .expected = "a list of digits"};

enum { FORM_BURST, FORM_GAMMA, FORM_RATE, FORM_DELTAS };
static const char *const burst_names[] = {"burst", NULL};
#define ARRIVALS "burst, a rate, a list of deltas or {gamma: {rate_qps: 100}}"

static const spot_field_t arrival_forms[] = {
    [FORM_BURST] = {.name = "",
        .type = SPOT_FIELD_CHOICE,
        .offset = SPOT_NOWHERE,
        .choices = burst_names},
    [FORM_GAMMA] = {.name = "gamma", .type = SPOT_FIELD_MAP, .fields = gamma_fields},
    [FORM_RATE] = {.name = "",
        .type = SPOT_FIELD_NUMBER,
        .offset = offsetof(arrivals_t, rate_qps),
        .max = 1e6},
    [FORM_DELTAS] = {.name = "",
        .type = SPOT_FIELD_LIST,
        .offset = offsetof(arrivals_t, deltas_ms),
        .num_offset = offsetof(arrivals_t, num_deltas),
        .item = &number,
        .item_size = sizeof(double),
        .expected = ARRIVALS},
    {.name = NULL},
};

static void count_settled(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *node, void *target)
{
    engine_t *engine = (engine_t *) (void *) ((char *) target - field->offset);

    assert_non_null(node);
    if (strcmp(field->name, "pools") == 0 && engine->num_pools == 3) {
        spot_bind_error(self, node, field->name, "three are not wanted");
    }
    engine->num_settled++;
}

static const spot_field_t engine_fields[] = {
    {.name = "pools",
        .type = SPOT_FIELD_LIST,
        .offset = offsetof(engine_t, pools),
        .num_offset = offsetof(engine_t, num_pools),
        .item = &pool,
        .item_size = sizeof(pool_t),
        .min = 1,
        .max = 3,
        .initial = "[{vc: a, price: 1}]",
        .expected = "a list of one to three pools",
        .settle = count_settled},
    {.name = "stages",
        .type = SPOT_FIELD_DICT,
        .offset = offsetof(engine_t, stages),
        .num_offset = offsetof(engine_t, num_stages),
        .key = &stage_key,
        .item = &stage,
        .item_size = sizeof(stage_t),
        .initial = "",
        .expected = "a map from names to stages",
        .settle = count_settled},
    {.name = "scales",
        .type = SPOT_FIELD_DICT,
        .offset = offsetof(engine_t, scales),
        .num_offset = offsetof(engine_t, num_scales),
        .key = &scale_key,
        .item = &speed,
        .item_size = sizeof(scale_t),
        .initial = "{}",
        .expected = "a map from sizes to speeds"},
    {.name = "plots",
        .type = SPOT_FIELD_LIST,
        .offset = offsetof(engine_t, plots),
        .num_offset = offsetof(engine_t, num_plots),
        .item = &plot,
        .item_size = sizeof(char *),
        .initial = "[cdf, queue]",
        .expected = "a list of pictures"},
    {.name = "rows",
        .type = SPOT_FIELD_LIST,
        .offset = offsetof(engine_t, rows),
        .num_offset = offsetof(engine_t, num_rows),
        .item = &row,
        .item_size = 16,
        .initial = "",
        .expected = "a list of rows"},
    {.name = "hours",
        .type = SPOT_FIELD_LIST,
        .offset = offsetof(engine_t, hours),
        .is_in_place = true,
        .item = &number,
        .item_size = sizeof(double),
        .min = 3,
        .max = 3,
        .initial = "[1, 2, 3]",
        .expected = "three numbers"},
    {.name = "arrivals",
        .type = SPOT_FIELD_ONE_OF,
        .offset = offsetof(engine_t, arrivals),
        .form_offset = offsetof(engine_t, arrivals.kind),
        .has_form = true,
        .fields = arrival_forms,
        .what = "kind",
        .initial = "burst",
        .expected = ARRIVALS,
        .settle = count_settled},
    {.name = "memory",
        .type = SPOT_FIELD_BYTES,
        .offset = offsetof(engine_t, memory_bytes),
        .max = 0x1p50,
        .initial = "24576 MiB"},
    {.name = "timeout",
        .type = SPOT_FIELD_DURATION_NS,
        .offset = offsetof(engine_t, timeout_ns),
        .min = 1,
        .max = 1e12,
        .initial = "350 ms"},
    {.name = "link",
        .type = SPOT_FIELD_RATE,
        .offset = offsetof(engine_t, link_bytes_per_s),
        .max = HUGE_VAL,
        .initial = "10 Gbit/s"},
    {.name = NULL},
};

static void free_engine(engine_t *self)
{
    for (size_t j = 0; j < self->num_pools; j++) {
        free(self->pools[j].vc);
    }
    for (size_t j = 0; j < self->num_stages; j++) {
        free(self->stages[j].name);
    }
    for (size_t j = 0; j < self->num_plots; j++) {
        free(self->plots[j]);
    }
    for (size_t j = 0; j < self->num_rows; j++) {
        free(self->rows[j].cells);
    }
    free(self->pools);
    free(self->stages);
    free(self->scales);
    free(self->plots);
    free(self->rows);
    free(self->arrivals.deltas_ms);
}

static int bind_engine(engine_t *engine, const char *text, spot_diag_t *diag)
{
    spot_yaml_t document;
    int ret;

    memset(engine, 0, sizeof(*engine));
    spot_diag_init(diag);
    assert_int_equal(spot_yaml_parse(&document, "f.yaml", text, strlen(text), diag), 0);
    ret = spot_bind_document(engine_fields, document.root, diag, engine);
    spot_yaml_free(&document);
    return ret;
}

static void assert_good(const char *text, engine_t *engine)
{
    spot_diag_t diag;
    const int ret = bind_engine(engine, text, &diag);

    assert_report(&diag, "");
    assert_int_equal(ret, 0);
    spot_diag_free(&diag);
}

static void assert_bad(const char *text, const char *expected)
{
    engine_t engine;
    spot_diag_t diag;

    assert_int_equal(bind_engine(&engine, text, &diag), SPOT_ERR_BAD_INPUT);
    spot_diag_close_file(&diag);
    assert_report(&diag, expected);
    free_engine(&engine);
    spot_diag_free(&diag);
}

static void test_defaults(void **state)
{
    engine_t engine;

    (void) state;
    assert_good("{}", &engine);
    assert_int_equal(engine.num_pools, 1);
    assert_string_equal(engine.pools[0].vc, "a");
    assert_int_equal(engine.pools[0].preparation_ms, 90000);
    assert_int_equal(engine.num_stages, 0);
    assert_null(engine.stages);
    assert_int_equal(engine.num_scales, 0);
    assert_int_equal(engine.num_plots, 2);
    assert_string_equal(engine.plots[1], "queue");
    assert_true(engine.hours[2] == 3);
    assert_int_equal(engine.arrivals.kind, FORM_BURST);
    assert_int_equal(engine.memory_bytes, INT64_C(25769803776));
    assert_int_equal(engine.timeout_ns, 350000000);
    assert_true(engine.link_bytes_per_s == 1.25e9);
    assert_int_equal(engine.num_settled, 2); /* pools and arrivals */
    free_engine(&engine);
}

static void test_lists(void **state)
{
    engine_t engine;

    (void) state;
    assert_good("pools: [{vc: b, preparation: 2 min, price: 24 USD/d}, {price: 3, vc: c}]\n"
                "plots: []\n"
                "rows: [[1, 2], [], [3]]\n"
                "hours: [0, 1e3, 0.5]\n",
        &engine);
    assert_int_equal(engine.num_pools, 2);
    assert_string_equal(engine.pools[0].vc, "b");
    assert_int_equal(engine.pools[0].preparation_ms, 120000);
    assert_true(engine.pools[0].usd_per_h == 1);
    assert_string_equal(engine.pools[1].vc, "c");
    assert_int_equal(engine.pools[1].preparation_ms, 90000);
    assert_int_equal(engine.num_plots, 0);
    assert_int_equal(engine.num_rows, 3);
    assert_int_equal(engine.rows[0].num_cells, 2);
    assert_int_equal(engine.rows[0].cells[1], 2);
    assert_int_equal(engine.rows[1].num_cells, 0);
    assert_int_equal(engine.rows[2].cells[0], 3);
    assert_true(engine.hours[1] == 1000 && engine.hours[2] == 0.5);
    free_engine(&engine);
}

/* Named entries in the order of the document, those with numbers by their numbers. */
static void test_dictionaries(void **state)
{
    engine_t engine;

    (void) state;
    assert_good("stages:\n"
                "  ResNet: {replicas: 3, delay: 20 ms}\n"
                "  \"7\": {replicas: 1}\n"
                "  a.b: {replicas: 2, delay: 1.5 us}\n"
                "scales: {16: 1.9, \"4\": 0.5, +8: 1, 1: 0.25}\n",
        &engine);
    assert_int_equal(engine.num_stages, 3);
    assert_string_equal(engine.stages[0].name, "ResNet");
    assert_int_equal(engine.stages[0].delay_ns, 20000000);
    assert_string_equal(engine.stages[1].name, "7");
    assert_int_equal(engine.stages[1].replicas, 1);
    assert_string_equal(engine.stages[2].name, "a.b");
    assert_int_equal(engine.stages[2].delay_ns, 1500);
    assert_int_equal(engine.num_scales, 4);
    for (size_t j = 0; j < 4; j++) {
        static const scale_t scales[] = {{1, 0.25}, {4, 0.5}, {8, 1}, {16, 1.9}};

        assert_int_equal(engine.scales[j].size, scales[j].size);
        assert_true(engine.scales[j].speed == scales[j].speed);
    }
    free_engine(&engine);
}

static void test_forms(void **state)
{
    engine_t engine;

    (void) state;
    assert_good("arrivals: \"burst\"\n", &engine);
    assert_int_equal(engine.arrivals.kind, FORM_BURST);
    free_engine(&engine);
    assert_good("arrivals: {gamma: {rate_qps: 100}}\n", &engine);
    assert_int_equal(engine.arrivals.kind, FORM_GAMMA);
    assert_true(engine.arrivals.rate_qps == 100 && engine.arrivals.scv == 1);
    free_engine(&engine);
    assert_good("arrivals: 250\n", &engine);
    assert_int_equal(engine.arrivals.kind, FORM_RATE);
    assert_true(engine.arrivals.rate_qps == 250);
    free_engine(&engine);
    assert_good("arrivals: [1, 2.5]\n", &engine);
    assert_int_equal(engine.arrivals.kind, FORM_DELTAS);
    assert_int_equal(engine.arrivals.num_deltas, 2);
    assert_true(engine.arrivals.deltas_ms[1] == 2.5);
    free_engine(&engine);
}

static void test_quantities(void **state)
{
    engine_t engine;

    (void) state;
    assert_good("{memory: 0 B, timeout: 1 ns, link: 0.5 B/s}", &engine);
    assert_int_equal(engine.memory_bytes, 0);
    assert_int_equal(engine.timeout_ns, 1);
    assert_true(engine.link_bytes_per_s == 0.5);
    free_engine(&engine);
    assert_bad("{memory: 1024, timeout: 20 ms 5 us, link: fast}",
        "f.yaml:1:10: memory: expected a size such as \"220 kB\" or \"24 GiB\", got "
        "\"1024\": the unit is missing\n"
        "f.yaml:1:25: timeout: expected a duration such as \"1.5 s\", \"20 ms\" or "
        "\"350 "
        "us\", got \"20 ms 5 us\": unknown unit\n"
        "f.yaml:1:43: link: expected a rate such as \"10 Gbit/s\" or \"1.25 GB/s\", got "
        "\"fast\": it does not start with a number\n");
    assert_bad("{memory: 1025 TiB, timeout: 1001 s, link: -1 kbit/s}",
        "f.yaml:1:10: memory: expected a size from 0 B to 1024 TiB, got \"1025 TiB\"\n"
        "f.yaml:1:29: timeout: expected a duration from 1 ns to 1000 s, got \"1001 s\"\n"
        "f.yaml:1:43: link: expected a rate from 0 B/s, got \"-1 kbit/s\"\n");
}

static void test_errors_name_the_item(void **state)
{
    (void) state;
    assert_bad("pools:\n"
               "- {vc: a, price: -1 EUR/h}\n"
               "- {vc: b, prize: 1}\n"
               "- 7\n",
        "f.yaml:2:18: pools[0].price: expected a price such as \"0.91 USD/h\", got \"-1 "
        "EUR/h\": unknown unit\n"
        "f.yaml:3:11: unknown key \"prize\", did you mean \"price\"?\n"
        "f.yaml:3:3: missing key \"pools[1].price\"\n"
        "f.yaml:4:3: pools[2]: expected a map of keys, got \"7\"\n");
    assert_bad("rows: [[1, 10], 3, [x]]\n",
        "f.yaml:1:12: rows[0][1]: expected an integer from 0 to 9, got \"10\"\n"
        "f.yaml:1:17: rows[1]: expected a list of digits, got \"3\"\n"
        "f.yaml:1:21: rows[2][0]: expected an integer from 0 to 9, got \"x\"\n");
    assert_bad("hours: [1, -2, 3]\n",
        "f.yaml:1:12: hours[1]: expected a number from 0 to 1000000000, got \"-2\"\n");
}

static void test_errors_name_the_entry(void **state)
{
    (void) state;
    assert_bad("stages:\n"
               "  a.b: {replicas: 0}\n"
               "  \"\": {replicas: 1}\n"
               "  \"\\e[2J\": {replicas: x}\n",
        "f.yaml:2:19: stages.a.b.replicas: expected an integer from 1 to 4096, got "
        "\"0\"\n"
        "f.yaml:3:3: stages: expected a text, got \"\"\n"
        "f.yaml:4:23: stages.\\x1b[2J.replicas: expected an integer from 1 to 4096, got "
        "\"x\"\n");
    assert_bad("scales: {0: 1, 4: 3, x: 1, 16: 1, +16: 1}\n",
        "f.yaml:1:10: scales: expected a size from 1 to 64, got \"0\"\n"
        "f.yaml:1:19: scales.4: expected a number from 0 to 2, got \"3\"\n"
        "f.yaml:1:22: scales: expected a size from 1 to 64, got \"x\"\n"
        "f.yaml:1:35: scales.16: repeated size\n");
}

static void test_long_keys_are_refused(void **state)
{
    char text[256] = "stages: {";

    (void) state;
    memset(text + strlen(text), 'a', 64);
    strcat(text, ": {replicas: 1}, ");
    memset(text + strlen(text), 'b', 65);
    strcat(text, ": {replicas: 1}}");
    assert_bad(text, "f.yaml:1:91: stages: a key of more than 64 bytes\n");
}

static void test_counts_and_kinds(void **state)
{
    (void) state;
    assert_bad("{pools: [], hours: [1, 2], stages: [], scales: 3, plots: {a: 1}}",
        "f.yaml:1:9: pools: expected a list of one to three pools, got an empty list\n"
        "f.yaml:1:20: hours: expected three numbers, got a list\n"
        "f.yaml:1:36: stages: expected a map from names to stages, got an empty list\n"
        "f.yaml:1:48: scales: expected a map from sizes to speeds, got \"3\"\n"
        "f.yaml:1:58: plots: expected a list of pictures, got a map\n");
}

static void test_errors_of_forms(void **state)
{
    (void) state;
    assert_bad(
        "arrivals: {poisson: {rate_qps: 1}}", "f.yaml:1:12: arrivals: unknown kind \"poisson\"\n");
    assert_bad("arrivals: {gama: 1}",
        "f.yaml:1:12: arrivals: unknown kind \"gama\", did you mean \"gamma\"?\n");
    assert_bad("arrivals: {gamma: {rate_qps: 1}, deltas: 2}",
        "f.yaml:1:11: arrivals: expected " ARRIVALS ", got a map: more than one kind\n");
    assert_bad("arrivals: {}", "f.yaml:1:11: arrivals: expected " ARRIVALS ", got an empty map\n");
    assert_bad("arrivals: {gamma: {scv: x}}",
        "f.yaml:1:25: arrivals.gamma.scv: expected a number, got \"x\"\n"
        "f.yaml:1:19: missing key \"arrivals.gamma.rate_qps\"\n");
    assert_bad("arrivals: brust",
        "f.yaml:1:11: arrivals: expected a number from 0 to 1000000, got \"brust\"\n");
    assert_bad("arrivals: [1, {}]",
        "f.yaml:1:15: arrivals[1]: expected a number from 0 to 1000000000, got an empty "
        "map\n");
}

/* Only a value without an error is settled, and settling it may find one. */
static void test_settling(void **state)
{
    engine_t engine;
    spot_diag_t diag;

    (void) state;
    assert_bad("pools: [{vc: a, price: 1}, {vc: b, price: 1}, {vc: c, price: 1}]\n",
        "f.yaml:1:8: pools: three are not wanted\n");
    assert_int_equal(
        bind_engine(&engine, "{pools: [{vc: a}], arrivals: x}", &diag), SPOT_ERR_BAD_INPUT);
    assert_int_equal(engine.num_settled, 0);
    free_engine(&engine);
    spot_diag_free(&diag);
}

/* An item of a dictionary is called by the label of all items and its key; a value of an
 * item that is a map by its label and that key. */
static void test_labels_of_items(void **state)
{
    static const char text[] = "{scales: {1: 0.5, 4: 1}, stages: {a: {replicas: 1}}}";
    spot_diag_t diag;
    spot_yaml_t document;
    char label[64];

    (void) state;
    spot_diag_init(&diag);
    assert_int_equal(spot_yaml_parse(&document, "f.yaml", text, strlen(text), &diag), 0);
    assert_true(spot_field_label(engine_fields, document.root, "scales.4", label, sizeof(label)));
    assert_string_equal(label, "speed of size 4");
    assert_false(spot_field_label(engine_fields, document.root, "stages.a", label, sizeof(label)));
    assert_true(
        spot_field_label(engine_fields, document.root, "stages.a.replicas", label, sizeof(label)));
    assert_string_equal(label, "replicas of a");
    assert_false(
        spot_field_label(engine_fields, document.root, "stages.a.delay", label, sizeof(label)));
    assert_false(
        spot_field_label(engine_fields, document.root, "scales.4.x", label, sizeof(label)));
    assert_false(spot_field_label(engine_fields, document.root, "hours.1", label, sizeof(label)));
    assert_false(spot_field_label(engine_fields, document.root, "none", label, sizeof(label)));
    spot_yaml_free(&document);
    spot_diag_free(&diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_dictionaries),
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_quantities),
        cmocka_unit_test(test_errors_name_the_item),
        cmocka_unit_test(test_errors_name_the_entry),
        cmocka_unit_test(test_long_keys_are_refused),
        cmocka_unit_test(test_counts_and_kinds),
        cmocka_unit_test(test_errors_of_forms),
        cmocka_unit_test(test_settling),
        cmocka_unit_test(test_labels_of_items),
    };

    return cmocka_run_group_tests_name("bind_forms", tests, NULL, NULL);
}
