/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine serve to the nanosecond: runs whose results other implementations of the
 * same rules have found, and small cases by hand. The former are files of
 * ../shared/data/serving, skipped without them; every key of theirs is compared. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/yaml.h"
#include "sim/serve/run.h"
#include "tests/unit/base/json_tree.h"
#include "tests/unit/base/shared_data.h"
#include "tests/unit/serve/serve_case.h"

#define DATA SHARED_DATA
#define FOLDER DATA "serving/"
#define PROFILES DATA "profiles/serving"
#define MS INT64_C(1000000)

/* ---- Files of results ---- */

#define NEEDED FOLDER "configs.expected.json"

static json_t *read_json(const char *path)
{
    static char text[1 << 20];
    FILE *file = fopen(path, "r");
    json_t *json;
    size_t num_bytes;

    assert_non_null(file);
    num_bytes = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    text[num_bytes] = '\0';
    json = json_parse(text);
    assert_non_null(json);
    return json;
}

/* Compares an expected value with the one that was found: whole numbers exactly, others
 * to 1e-12, and all members of objects. */
static void assert_json(const char *path, json_t *found, json_t *expected)
{
    json_t *item;

    if (found == NULL) {
        fail_msg("%s is missing", path);
    } else if (json_is_text(expected)) {
        assert_string_equal(found->text, expected->text);
    } else if (json_is_number(expected)) {
        const double value = json_number(expected);
        const double slack = value == floor(value) ? 0 : 1e-12 * fabs(value);

        if (!(fabs(json_number(found) - value) <= slack)) {
            fail_msg("%s: %.17g, expected %.17g", path, json_number(found), value);
        }
    } else {
        assert_true(json_is_object(expected));
        assert_int_equal(json_size(found), json_size(expected));
        for (item = json_first(expected); item != NULL; item = item->next) {
            char name[256];

            snprintf(name, sizeof(name), "%s.%s", path, item->key);
            assert_json(name, spot_json_member(found, item->key), item);
        }
    }
}

/* ---- Scenarios ---- */

typedef struct {
    spot_yaml_t document;
    spot_serve_scenario_t scenario;
    spot_serve_replication_t run;
} golden_t;

static const char header[] =
    "scenario: golden\nengine: serve\n"
    "hardware: {V100: {on_demand: 3}, TPX: {on_demand: 2}, cpu: {on_demand: 1}}\n"
    "profiles: [" PROFILES "/inferline_resnet.csv, " PROFILES "/inferline_ksvm.csv, " PROFILES
    "/inferline_inception.csv, " PROFILES "/inferline_logreg.csv]\n"
    "slo: {latency: 350 ms}\nfrontier: {slo: [500 ms, 1000 ms]}\n";

/* Writes a case of a file as a scenario. */
static void write_scenario(json_t *item, FILE *out)
{
    json_t *deltas = spot_json_member(item, "deltas_ms");
    json_t *stage, *delta;

    fprintf(out, "%s%s", header, serve_case_image_driver);
    fprintf(out, "service: %s\n", spot_json_member(item, "service")->text);
    if (deltas == NULL) {
        json_t *arrivals = spot_json_member(item, "arrivals");

        fprintf(out, "arrivals: {deltas: {file: " FOLDER "%s}}\n",
            spot_json_member(arrivals, "file")->text);
    } else {
        fprintf(out, "arrivals: {deltas_ms: [");
        for (delta = json_first(deltas); delta != NULL; delta = delta->next) {
            fprintf(out, "%.17g%s", json_number(delta), delta->next == NULL ? "" : ", ");
        }
        fprintf(out, "]}\n");
    }
    fprintf(out, "config:\n");
    for (stage = json_first(spot_json_member(item, "config")); stage != NULL; stage = stage->next) {
        json_t *delay = spot_json_member(stage, "delay_ms");

        fprintf(out, "  %s: {hardware: %s, batch: %d, replicas: %d", stage->key,
            spot_json_member(stage, "hardware")->text,
            (int) json_number(spot_json_member(stage, "batch")),
            (int) json_number(spot_json_member(stage, "replicas")));
        if (delay != NULL) {
            fprintf(out, ", delay: %.17g ms", json_number(delay));
        }
        fprintf(out, "%s}\n",
            json_is_word(spot_json_member(stage, "release_when_full"), "true")
                ? ", release_when_full: true"
                : "");
    }
}

static void open_golden(golden_t *self, json_t *item, bool is_recorded)
{
    const spot_replication_t replication = {.seed = 1};
    char *text = NULL;
    size_t num_bytes = 0;
    FILE *out = open_memstream(&text, &num_bytes);
    spot_diag_t diag;

    assert_non_null(out);
    write_scenario(item, out);
    fclose(out);
    memset(self, 0, sizeof(*self));
    spot_diag_init(&diag);
    if (spot_yaml_parse(&self->document, "golden", text, num_bytes, &diag) != 0 ||
        spot_serve_scenario_init(&self->scenario, self->document.root, &diag) != 0) {
        spot_diag_print(&diag, stderr);
        fail_msg("%s", text);
    }
    spot_diag_free(&diag);
    free(text);
    assert_int_equal(spot_serve_replication_init(&self->run, &self->scenario), 0);
    assert_int_equal(spot_serve_replication_run(&self->run, &replication, is_recorded), 0);
}

static void close_golden(golden_t *self)
{
    spot_serve_replication_free(&self->run);
    spot_serve_scenario_free(&self->scenario);
    spot_yaml_free(&self->document);
}

/* ---- Configurations ---- */

static json_t *result_json(const golden_t *self)
{
    char *text = NULL;
    size_t num_bytes = 0;
    FILE *out = open_memstream(&text, &num_bytes);
    spot_json_t written;
    json_t *json;

    assert_non_null(out);
    spot_json_init(&written, out, 2);
    spot_json_open(&written, NULL, '{');
    spot_serve_json_write(&self->run, &written);
    spot_json_close(&written, '}');
    fclose(out);
    json = json_parse(text);
    assert_non_null(json);
    free(text);
    return json;
}

static void test_configurations(void **state)
{
    json_t *file, *item;

    (void) state;
    need_data(NEEDED);
    file = read_json(FOLDER "configs.expected.json");
    for (item = json_first(spot_json_member(file, "cases")); item != NULL; item = item->next) {
        const char *name = spot_json_member(item, "name")->text;
        golden_t golden;
        json_t *found, *value;

        open_golden(&golden, item, false);
        found = result_json(&golden);
        for (value = json_first(item); value != NULL; value = value->next) {
            /* what the case is, not what it gives */
            if (strcmp(value->key, "name") != 0 && strcmp(value->key, "arrivals") != 0 &&
                strcmp(value->key, "config") != 0) {
                char path[64];

                snprintf(path, sizeof(path), "%s.%s", name, value->key);
                assert_json(path, spot_json_member(found, value->key), value);
            }
        }
        json_delete(found);
        close_golden(&golden);
    }
    json_delete(file);
}

/* ---- Stamps of small cases ---- */

static void assert_stamps(const char *key, json_t *expected, const int64_t *found)
{
    json_t *item;
    size_t j = 0;

    for (item = json_first(expected); item != NULL; item = item->next) {
        if ((double) found[j] != json_number(item)) {
            fail_msg("%s of query %zu: %.0f, expected %.0f", key, j, (double) found[j],
                json_number(item));
        }
        j++;
    }
}

static void assert_numbers(const char *key, json_t *expected, const int32_t *found)
{
    int64_t wide[16];

    assert_true(json_size(expected) <= 16);
    for (int j = 0; j < json_size(expected); j++) {
        wide[j] = found[j];
    }
    assert_stamps(key, expected, wide);
}

static void assert_stage(const spot_serve_stage_t *stage, json_t *expected)
{
    const spot_stage_stamps_t *stamps = &stage->stamps;
    const struct {
        const char *key;
        const int64_t *found;
    } times[] = {{"enqueue_ns", stamps->enqueue_ns}, {"dequeue_ns", stamps->dequeue_ns},
        {"done_ns", stamps->done_ns}, {"queue_max", &stage->result.queue_max},
        {"queue_area_ns", &stage->result.queue_area_ns}};
    json_t *item;

    for (item = json_first(expected); item != NULL; item = item->next) {
        const int64_t *found = NULL;

        for (size_t j = 0; j < sizeof(times) / sizeof(times[0]); j++) {
            found = strcmp(times[j].key, item->key) == 0 ? times[j].found : found;
        }
        if (strcmp(item->key, "batch") == 0) {
            assert_numbers(item->key, item, stamps->batch);
        } else if (strcmp(item->key, "replica") == 0) {
            assert_numbers(item->key, item, stamps->replica);
        } else if (json_is_number(item)) {
            assert_non_null(found);
            assert_true((double) *found == json_number(item));
        } else {
            assert_non_null(found);
            assert_stamps(item->key, item, found);
        }
    }
}

static void test_stamps(void **state)
{
    json_t *file, *item;

    (void) state;
    need_data(NEEDED);
    file = read_json(FOLDER "micro.expected.json");
    for (item = json_first(spot_json_member(file, "cases")); item != NULL; item = item->next) {
        json_t *latencies = spot_json_member(item, "latency_ns"), *node;
        golden_t golden;
        const spot_serve_t *serve = &golden.run.serve;
        int64_t latency_ns[16];

        print_message("%s\n", spot_json_member(item, "name")->text);
        open_golden(&golden, item, true);
        assert_int_equal(serve->run.num_queries, json_size(latencies));
        for (size_t j = 0; j < serve->run.num_queries; j++) {
            latency_ns[j] = serve->sink_ns[j] - serve->run.source_ns[j];
        }
        assert_stamps("latency_ns", latencies, latency_ns);
        assert_stamps("join_ns", spot_json_member(item, "join_ns"), serve->joins[4].join_ns);
        for (node = json_first(spot_json_member(item, "nodes")); node != NULL; node = node->next) {
            const int32_t stage_id =
                spot_serve_pipeline_stage(&golden.scenario.pipeline, node->key);

            assert_stage(&serve->stages[stage_id], node);
        }
        close_golden(&golden);
    }
    json_delete(file);
}

/* ---- Service times ---- */

static void test_service_times(void **state)
{
    static const struct {
        const char *model, *hardware;
        const spot_service_t *service;
        int32_t batch;
        int64_t busy_ns, result_ns; /* 0: not known */
    } rows[] = {
        {"ResNet", "V100", &spot_service_throughput, 1, 100000000, 100000000},
        {"ResNet", "V100", &spot_service_throughput, 3, 102574893, 102574893},
        {"ResNet", "V100", &spot_service_throughput, 31, 163976089, 163976089},
        {"ResNet", "TPX", &spot_service_throughput, 1, 101010101, 0},
        {"ResNet", "TPX", &spot_service_throughput, 2, 98039216, 0},
        {"ResNet", "TPX", &spot_service_throughput, 9, 110894015, 0},
        {"KSVM", "cpu", &spot_service_throughput, 5, 28899125, 0},
        {"KSVM", "cpu", &spot_service_throughput, 40, 51637573, 0},
        {"Inception", "TPX", &spot_service_throughput, 17, 95664574, 0},
        {"LogReg", "cpu", &spot_service_throughput, 7, 6443010, 0},
        {"ResNet", "V100", &spot_service_p99, 31, 251060411, 251060411},
        {"ResNet", "V100", &spot_service_pipelined, 1, 100000000, 132540100},
    };

    (void) state;
    need_data(NEEDED);
    for (size_t j = 0; j < sizeof(rows) / sizeof(rows[0]); j++) {
        const spot_service_time_t *time;
        serve_case_t self;

        serve_case_open(&self, serve_case_image_driver);
        self.service = rows[j].service;
        serve_case_read_profiles(&self, PROFILES);
        time = serve_case_time(&self, rows[j].model, rows[j].hardware);
        assert_int_equal(time->busy_ns[rows[j].batch], rows[j].busy_ns);
        if (rows[j].result_ns != 0) {
            assert_int_equal(time->result_ns[rows[j].batch], rows[j].result_ns);
        }
        serve_case_close(&self);
    }
}

/* ---- Outages by hand ---- */

typedef struct {
    const char *what;
    size_t num_deltas;
    int64_t deltas_ms[2];
    int64_t batch;            /* of ResNet */
    int64_t gone_ms, back_ms; /* of its slot 0 */
    spot_rent_setting_t rent;
    int fallback;          /* not none: of a hedge without base */
    int64_t latency_ns[3]; /* -1: lost */
    int64_t paid_ns[2];    /* on-demand, spot; 0: not known */
} outage_case_t;

static void check_outage(const outage_case_t *expected)
{
    const spot_stage_result_t *result;
    spot_stage_option_t *option;
    int64_t now_ns = 0;
    serve_case_t self;

    serve_case_open(&self, serve_case_image_driver);
    option = serve_case_option(&self, "ResNet", "V100", expected->batch, 1);
    option->market =
        expected->fallback == SPOT_FALLBACK_NONE ? SPOT_MARKET_SPOT : SPOT_MARKET_HEDGE;
    option->fallback = expected->fallback;
    serve_case_option(&self, "KSVM", "cpu", 8, 1);
    serve_case_option(&self, "Inception", "V100", 4, 1);
    serve_case_option(&self, "LogReg", "cpu", 8, 1);
    self.rent = expected->rent;
    serve_case_arrive(&self, 0);
    for (size_t j = 0; j < expected->num_deltas; j++) {
        now_ns += expected->deltas_ms[j] * MS;
        serve_case_arrive(&self, now_ns);
    }
    serve_case_outage(&self, 0, 0, expected->gone_ms * MS, expected->back_ms * MS);
    serve_case_run(&self, false);
    for (size_t j = 0; j <= expected->num_deltas; j++) {
        if (serve_case_latency_ns(&self, j) != expected->latency_ns[j]) {
            fail_msg(
                "%s, query %zu: %.0f", expected->what, j, (double) serve_case_latency_ns(&self, j));
        }
    }
    result = &self.serve.stages[0].result;
    for (size_t j = 0; j < 2 && expected->paid_ns[0] > 0; j++) {
        assert_int_equal(result->paid_ns[j], expected->paid_ns[j]);
    }
    serve_case_close(&self);
}

static void test_outages_by_hand(void **state)
{
    static const outage_case_t cases[] = {
        {"requeued", 0, {0}, 4, 50, 200, {0}, 0, {323640662}, {0}},
        {"lost", 0, {0}, 4, 50, 200, {.in_flight = SPOT_IN_FLIGHT_LOSE}, 0, {-1}, {0}},
        {"ends at the preemption", 0, {0}, 4, 100, 200, {0}, 0, {123640662}, {0}},
        {"stop at the notice", 1, {60}, 4, 250, 400,
            {.notice_ns = 200 * MS, .drain = SPOT_DRAIN_STOP}, 0, {123640662, 463640662}, {0}},
        {"what ends in time", 1, {60}, 4, 250, 400,
            {.notice_ns = 200 * MS, .drain = SPOT_DRAIN_DEADLINE}, 0, {123640662, 163640662}, {0}},
        {"to the head", 1, {10}, 1, 50, 200, {0}, 0, {323640662, 413640662}, {0}},
        {"to the tail", 1, {10}, 1, 50, 200, {.in_flight = SPOT_IN_FLIGHT_REQUEUE_TAIL}, 0,
            {423640662, 313640662}, {0}},
        {"fallback", 0, {0}, 4, 50, 500, {.preparation_ns = 20 * MS, .load_ns = 10 * MS},
            SPOT_FALLBACK_TO_TARGET, {203640662}, {153640662, 50000000}},
        {"fallback drains", 2, {60, 60}, 4, 50, 130,
            {.preparation_ns = 20 * MS, .load_ns = 10 * MS}, SPOT_FALLBACK_TO_TARGET,
            {208440743, 148440743, 133640662}, {131522843, 203640662}},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        check_outage(&cases[j]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_configurations),
        cmocka_unit_test(test_stamps),
        cmocka_unit_test(test_service_times),
        cmocka_unit_test(test_outages_by_hand),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
