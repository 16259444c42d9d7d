/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The canonical form of real scenarios: what a study's store keeps of them. The test
 * works in a folder of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/canonical.h"
#include "fixture.h"
#include "sim/train/experiment.h"
#include "sim/train/metrics.h"

#define TRACE(end)                                                                                 \
    "# spotsim-trace: 1\n# name: test\n# start: unknown\n# resolution_s: 0.5\n"                    \
    "# kind: named\n# capacity: unbounded\ntime_s,event,count,instances\n"                         \
    "0,init,33,a1 a2 a3 a4 a5 a6 a7 a8 a9 b1 b2 b3 b4 b5 b6 b7 b8 b9 c1 c2 c3 c4 c5 "              \
    "c6 c7 c8 c9 d1 d2 d3 d4 d5 d6\n60,preempt,1,a1\n" end ",end,32,\n"
#define SEED                                                                                       \
    "scenario: x\nhorizon: 6 h\ntrace: {generator: seed,\n"                                        \
    "  preemption: {per_minute: 0.1, count: {fixed: 1}},\n"                                        \
    "  addition: {per_minute: 0.05, count: {fixed: 2}}}\n"
#define ZONE(name, rate)                                                                           \
    name ": {generator: seed, capacity: 32, initial: 16, preemption: {per_minute: " rate           \
         ", count: {fixed: 1}}, addition: {per_minute: 0.1, count: {fixed: 1}}}"

static char folder[PATH_BYTES];

static int enter_folder(void **state)
{
    (void) state;
    snprintf(folder, sizeof(folder), "%s/provenance-XXXXXX", temporary_folder());
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    write_file("r.csv", TRACE("36000"));
    write_file("model.yaml", "spotsim-model: 1\ngenerator: replay\ntrace: r.csv\nstart: "
                             "random\nwrap: true\n");
    return 0;
}

static int leave_folder(void **state)
{
    static const char *const names[] = {"r.csv", "model.yaml", "scenario.yaml"};

    (void) state;
    for (size_t j = 0; j < sizeof(names) / sizeof(names[0]); j++) {
        remove(names[j]);
    }
    assert_int_equal(chdir("/"), 0);
    return rmdir(folder);
}

/* Step times that these tests do not care about. */
static void give_step_time(spot_yaml_t *document, spot_diag_t *diag)
{
    if (!spot_node_has(document->root, "job.step_time") && document->root->kind == SPOT_NODE_MAP) {
        assert_int_equal(spot_yaml_assign(document, "given",
                             "job.step_time={16: 18 s, 32: 11 s, 48: 9 s, 64: 8 s}", diag),
            0);
    }
}

/* What a study does: the document is read, then bound with a journal. Where metrics is
 * not NULL, replication 3 runs too. */
static void make(spot_canonical_t *list, const char *yaml, const char *file, double *metrics)
{
    const spot_experiment_t *experiment = &spot_train_experiment;
    const spot_replication_t wanted = {.seed = 7, .replication = 3};
    unsigned char warnings[SPOT_MAX_WARNINGS] = {0};
    spot_inputs_t inputs = {0};
    void *scenario = NULL, *worker = NULL;
    spot_yaml_t document;
    spot_diag_t diag;

    memset(list, 0, sizeof(*list));
    spot_diag_init(&diag);
    assert_int_equal(spot_yaml_parse(&document, file, yaml, strlen(yaml), &diag), 0);
    give_step_time(&document, &diag);
    diag.inputs = &inputs;
    if (experiment->bind(&scenario, document.root, NULL, &diag) != 0) {
        spot_diag_print(&diag, stderr);
        fail_msg("%s", yaml);
    }
    assert_int_equal(spot_inputs_name(&inputs, file, &diag), 0);
    assert_int_equal(spot_canonical_make(list, experiment->fields, document.root, &inputs), 0);
    if (metrics != NULL) {
        assert_int_equal(experiment->open(&worker, scenario), 0);
        assert_int_equal(experiment->run(worker, &wanted, metrics, warnings, NULL), 0);
        experiment->close(worker);
    }
    experiment->free(scenario);
    spot_inputs_free(&inputs);
    spot_yaml_free(&document);
    spot_diag_free(&diag);
}

static void assert_differences(const char *was_yaml, const char *is_yaml, const char *expected)
{
    spot_canonical_t was, is;
    spot_diag_t diag;
    char *text = NULL;
    size_t num_bytes, num;
    FILE *stream = open_memstream(&text, &num_bytes);

    spot_diag_init(&diag);
    make(&was, was_yaml, "s.yaml", NULL);
    make(&is, is_yaml, "s.yaml", NULL);
    num = spot_canonical_compare(&was, &is, "r.db", &diag);
    spot_diag_print(&diag, stream);
    fclose(stream);
    assert_string_equal(text, expected);
    assert_int_equal(num == 0, *expected == '\0');
    free(text);
    spot_canonical_free(&was);
    spot_canonical_free(&is);
    spot_diag_free(&diag);
}

static void test_same_scenario(void **state)
{
    (void) state;
    assert_differences(SEED, SEED "fleet: {capacity: 64}\n", "");
    assert_differences(SEED, SEED "recovery: {system: checkpoint}\ntick: 5000 ms\n", "");
    assert_differences(
        SEED, SEED "fleet: {price: {spot: 0.91 USD/h, on_demand: 3.06 USD/h}}\n", "");
    assert_differences(SEED "job: {checkpoint: {every: 0.1 h}}",
        SEED "job: {checkpoint: {every: 360 s, busy: skip}}", "");
    assert_differences(
        SEED, SEED "job: {step_time: {64: 8 s, 48: 9 s, 16: 0.3 min, 32: 11000 ms}}\n", "");
    /* a default of the generator; and the keys in another order */
    assert_differences(SEED,
        "trace: {addition: {count: {fixed: +2}, per_minute: 5e-2}, kind: named,\n"
        "  preemption: {per_minute: 0.10, count: {fixed: 1}}, generator: \"seed\"}\n"
        "horizon: 360 min\nscenario: \"x\"\n",
        "");
}

static void test_another_scenario(void **state)
{
    (void) state;
    assert_differences(SEED, SEED "job: {reload: 60 s}\n", "r.db: job.reload was 47 s, is 60 s\n");
    assert_differences(
        SEED, SEED "job: {max_pipelines: 4}\n", "r.db: job.max_pipelines was 1000000, is 4\n");
    assert_differences(SEED, SEED "until: {steps: 9}\n", "r.db: until.steps was not set, is 9\n");
    assert_differences(SEED "job: {step_time: {16: 18 s}}\n",
        SEED "job: {step_time: {16: 18 s, 32: 11 s}}\n",
        "r.db: job.step_time.32 was not set, is 11 s\n");
}

#define PIPELINE(forward_ms, more)                                                                 \
    SEED "job: {step_time: {pipeline: {layers: 8, micro_batch: 4, "                                \
         "forward_ms: " forward_ms ", backward_ms: 4, gradient_bytes: 0" more "}}}\n"

/* Times of less than a millisecond count, and the defaults do not need to be said. */
static void test_model_of_the_schedule(void **state)
{
    (void) state;
    assert_differences(PIPELINE("2.4", ""),
        PIPELINE("2.40", ", link_ms: 0, schedule: 1f1b, optimizer_ms: 0.0"), "");
    assert_differences(PIPELINE("2.4", ""), PIPELINE("2.2", ""),
        "r.db: job.step_time.pipeline.forward_ms was 2.4, is 2.2\n");
    assert_differences(PIPELINE("2.4", ""), PIPELINE("2.4", ", schedule: gpipe"),
        "r.db: job.step_time.pipeline.schedule was 1f1b, is gpipe\n");
}

/* A zone's dice are those of its number, so the order of the zones is part of what they
 * are: it changes the rows. */
static void test_order_of_zones(void **state)
{
    static const char east_west[] = "scenario: x\nhorizon: 6 h\ntrace: {generator: zones, "
                                    "zones: {" ZONE("east", "0.1") ", " ZONE("west", "0.2") "}}\n";
    static const char west_east[] = "scenario: x\nhorizon: 6 h\ntrace: {generator: zones, "
                                    "zones: {" ZONE("west", "0.2") ", " ZONE("east", "0.1") "}}\n";
    double was[SPOT_TRAIN_NUM_METRICS] = {0}, is[SPOT_TRAIN_NUM_METRICS] = {0};
    spot_canonical_t list;

    (void) state;
    make(&list, east_west, "s.yaml", was);
    spot_canonical_drop(&list, "trace.zones");
    assert_null(spot_canonical_get(&list, "order.trace.zones[0]"));
    assert_string_equal(spot_canonical_get(&list, "trace.generator"), "zones");
    spot_canonical_free(&list);
    make(&list, west_east, "s.yaml", is);
    spot_canonical_free(&list);
    assert_memory_not_equal(was, is, SPOT_TRAIN_NUM_METRICS * sizeof(*is));
    assert_differences(east_west, west_east,
        "r.db: order.trace.zones[0] was east, is west\n"
        "r.db: order.trace.zones[1] was west, is east\n");
}

/* With the system that is swept go the defaults that came with it, and nothing else. */
static void test_a_swept_choice_takes_its_defaults_along(void **state)
{
    spot_canonical_t list;

    (void) state;
    make(&list, SEED, "s.yaml", NULL);
    assert_string_equal(spot_canonical_get(&list, "trace.kind"), "named");
    spot_canonical_drop(&list, "trace.generator");
    assert_null(spot_canonical_get(&list, "trace.generator"));
    assert_null(spot_canonical_get(&list, "trace.kind"));
    assert_string_equal(spot_canonical_get(&list, "trace.addition.per_minute"), "0.05");
    assert_string_equal(spot_canonical_get(&list, "tick"), "5 s");
    spot_canonical_free(&list);
    make(&list, SEED, "s.yaml", NULL);
    spot_canonical_drop(&list, "trace.addition.per_minute");
    assert_string_equal(spot_canonical_get(&list, "trace.kind"), "named");
    spot_canonical_free(&list);
}

/* The canonical text is a scenario: it is bound, is its own canonical form, and its
 * replications are the same to the last bit. */
static void test_canonical_text_is_the_scenario(void **state)
{
    static const char *const documents[] = {
        SEED,
        SEED "job: {checkpoint: {mode: sync, every: 10 steps}, max_pipelines: 3}\n"
             "fleet: {price: {spot: [{from: 0 s, usd_per_h: 1}, {from: 1 h, usd_per_h: "
             "24 USD/d}]}}\n",
        "scenario: 7\ntrace: {file: r.csv}\n",
        ("scenario: \"a: b\"\nhorizon: 8 h\n"
         "trace: {generator: replay, trace: r.csv, start: random, wrap: true}\n"),
        "scenario: x\nhorizon: 8 h\ntrace: model.yaml\n",
        "scenario: x\nhorizon: 8 h\ntrace: {model: model.yaml, frequency: 2}\n",
    };

    (void) state;
    for (size_t j = 0; j < sizeof(documents) / sizeof(documents[0]); j++) {
        double was[SPOT_TRAIN_NUM_METRICS] = {0}, is[SPOT_TRAIN_NUM_METRICS] = {0};
        spot_canonical_t list, again;
        char *text, *text_again;

        make(&list, documents[j], "s.yaml", was);
        spot_canonical_drop(&list, SPOT_CANONICAL_FILES);
        text = spot_canonical_text(&list);
        make(&again, text, "s.yaml", is);
        spot_canonical_drop(&again, SPOT_CANONICAL_FILES);
        text_again = spot_canonical_text(&again);
        assert_string_equal(text_again, text);
        assert_memory_equal(was, is, SPOT_TRAIN_NUM_METRICS * sizeof(*is));
        free(text);
        free(text_again);
        spot_canonical_free(&list);
        spot_canonical_free(&again);
    }
}

/* A scenario names a model, the model names a trace: one byte anywhere counts, and is
 * told by the key that names the file where there is one. */
static void test_changed_files(void **state)
{
    static const char yaml[] = "scenario: x\nhorizon: 8 h\ntrace: model.yaml\n";
    static const char trace_yaml[] = "scenario: x\ntrace: {file: r.csv}\n";
    spot_canonical_t was, is, was_trace, is_trace;
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    make(&was, yaml, "s.yaml", NULL);
    make(&was_trace, trace_yaml, "s.yaml", NULL);
    assert_int_equal(spot_canonical_compare(&was, &was, "r.db", &diag), 0);
    write_file("r.csv", TRACE("36001"));
    make(&is, yaml, "s.yaml", NULL);
    make(&is_trace, trace_yaml, "s.yaml", NULL);
    assert_int_equal(spot_canonical_compare(&was, &is, "r.db", &diag), 1);
    assert_string_equal(diag.items[0].text, "r.db: r.csv: its content has changed");
    assert_int_equal(spot_canonical_compare(&was_trace, &is_trace, "r.db", &diag), 1);
    assert_string_equal(diag.items[1].text, "r.db: trace.file: its content has changed (r.csv)");
    spot_canonical_free(&is);
    write_file("r.csv", TRACE("36000"));
    write_file("model.yaml",
        "spotsim-model: 1\ngenerator: replay\ntrace: r.csv\nstart: first\nwrap: true\n");
    make(&is, yaml, "s.yaml", NULL);
    assert_int_equal(spot_canonical_compare(&was, &is, "r.db", &diag), 1);
    assert_string_equal(diag.items[2].text, "r.db: trace: its content has changed (model.yaml)");
    spot_canonical_free(&was);
    spot_canonical_free(&is);
    spot_canonical_free(&was_trace);
    spot_canonical_free(&is_trace);
    spot_diag_free(&diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_scenario),
        cmocka_unit_test(test_another_scenario),
        cmocka_unit_test(test_model_of_the_schedule),
        cmocka_unit_test(test_order_of_zones),
        cmocka_unit_test(test_a_swept_choice_takes_its_defaults_along),
        cmocka_unit_test(test_canonical_text_is_the_scenario),
        cmocka_unit_test(test_changed_files),
    };

    return cmocka_run_group_tests_name("provenance", tests, enter_folder, leave_folder);
}
