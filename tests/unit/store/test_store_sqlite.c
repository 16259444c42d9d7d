/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The store on disk: what it keeps, what it follows, what it refuses. */
#define _XOPEN_SOURCE 700 /* setreuid() */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/bench/analysis/summary.h"
#include "sim/bench/store/sqlite_rows.h"
#include "sim/bench/store/store_sqlite.h"
#include "store_contract.h"

#define NOBODY 65534

static void test_contract(void **state)
{
    (void) state;
    contract_rows(case_open);
    contract_refusals(case_open);
    contract_threads(case_open);
}

static void assert_same_text(const char *a, const char *b)
{
    assert_int_equal(a == NULL, b == NULL);
    if (a != NULL) {
        assert_string_equal(a, b);
    }
}

static void assert_same_plan(const spot_study_head_t *a, const spot_study_head_t *b)
{
    assert_int_equal(a->plan.kind, b->plan.kind);
    assert_true(a->plan.seed == b->plan.seed);
    assert_int_equal(a->plan.num_merged, b->plan.num_merged);
    assert_int_equal(a->plan.num_excluded, b->plan.num_excluded);
    assert_int_equal(a->plan.num_samples, b->plan.num_samples);
    for (size_t j = 0; j < a->plan.num_samples * (a->num_axes + 2); j++) {
        assert_int_equal(a->plan.sample_points[j], b->plan.sample_points[j]);
    }
}

static void assert_same_optimise(const spot_optimise_t *a, const spot_optimise_t *b)
{
    assert_same_text(a->metric, b->metric);
    assert_int_equal(a->is_maximised, b->is_maximised);
    assert_true(a->confidence == b->confidence);
    assert_true(a->indifference == b->indifference);
    assert_int_equal(a->num_constraints, b->num_constraints);
    for (size_t j = 0; j < a->num_constraints; j++) {
        assert_string_equal(a->constraints[j].metric, b->constraints[j].metric);
        assert_string_equal(a->constraints[j].text, b->constraints[j].text);
        assert_true(a->constraints[j].limit == b->constraints[j].limit);
        assert_int_equal(a->constraints[j].is_upper, b->constraints[j].is_upper);
    }
}

static void assert_same_best(const spot_study_head_t *a, const spot_study_head_t *b)
{
    assert_int_equal(a->best.is_asked, b->best.is_asked);
    if (!a->best.is_asked) {
        assert_null(b->best.is_left_out);
        return;
    }
    assert_int_equal(a->best.is_maximised, b->best.is_maximised);
    assert_int_equal(a->best.axis_id, b->best.axis_id);
    assert_int_equal(a->best.metric_id, b->best.metric_id);
    for (size_t j = 0; j < a->axes[a->best.axis_id].num_values; j++) {
        assert_int_equal(a->best.is_left_out[j], b->best.is_left_out[j]);
    }
}

static void assert_same_head(const spot_study_head_t *a, const spot_study_head_t *b)
{
    assert_same_text(a->name, b->name);
    assert_same_text(a->question, b->question);
    assert_int_equal(a->seed, b->seed);
    assert_int_equal(a->num_replications, b->num_replications);
    assert_int_equal(a->min_replications, b->min_replications);
    assert_int_equal(a->num_points, b->num_points);
    assert_int_equal(a->num_axes, b->num_axes);
    for (size_t j = 0; j < a->num_axes; j++) {
        assert_string_equal(a->axes[j].path, b->axes[j].path);
        assert_string_equal(a->axes[j].unit, b->axes[j].unit);
        assert_int_equal(a->axes[j].num_values, b->axes[j].num_values);
        for (size_t k = 0; k < a->axes[j].num_values; k++) {
            assert_string_equal(a->axes[j].texts[k], b->axes[j].texts[k]);
            assert_true(a->axes[j].numbers[k] == b->axes[j].numbers[k] ||
                        (isnan(a->axes[j].numbers[k]) && isnan(b->axes[j].numbers[k])));
        }
        for (size_t k = 0; k < a->num_points; k++) {
            assert_int_equal(spot_study_value_id(a, k, j), spot_study_value_id(b, k, j));
        }
    }
    assert_int_equal(a->num_metrics, b->num_metrics);
    assert_int_equal(a->num_listed, b->num_listed);
    for (size_t j = 0; j < a->num_metrics; j++) {
        assert_string_equal(a->metrics[j].name, b->metrics[j].name);
        assert_string_equal(a->metrics[j].unit, b->metrics[j].unit);
        assert_string_equal(a->metrics[j].help, b->metrics[j].help);
    }
    assert_int_equal(a->num_warnings, b->num_warnings);
    for (size_t j = 0; j < a->num_warnings; j++) {
        assert_string_equal(a->warnings[j].name, b->warnings[j].name);
        assert_string_equal(a->warnings[j].text, b->warnings[j].text);
    }
    assert_string_equal(a->colours[0].word, b->colours[0].word);
    assert_string_equal(a->colours[0].colour, b->colours[0].colour);
    assert_null(b->colours[1].word);
    assert_int_equal(a->has_baseline, b->has_baseline);
    assert_int_equal(a->baseline_axis_id, b->baseline_axis_id);
    assert_int_equal(a->baseline_value_id, b->baseline_value_id);
    assert_same_text(a->plot.x, b->plot.x);
    assert_same_text(a->plot.y, b->plot.y);
    assert_same_text(a->plot.second_x, b->plot.second_x);
    assert_same_text(a->plot.x_label, b->plot.x_label);
    assert_same_text(a->plot.second_x_label, b->plot.second_x_label);
    assert_int_equal(a->plot.num_stack, b->plot.num_stack);
    for (size_t j = 0; j < a->plot.num_stack; j++) {
        assert_string_equal(a->plot.stack[j], b->plot.stack[j]);
    }
    assert_same_text(a->plot.curves, b->plot.curves);
    assert_same_best(a, b);
    assert_same_text(a->until.metric, b->until.metric);
    assert_true(a->until.half_width == b->until.half_width);
    assert_true(a->until.relative_half_width == b->until.relative_half_width);
    assert_true(a->until.confidence == b->until.confidence);
    assert_same_plan(a, b);
    assert_same_optimise(&a->optimise, &b->optimise);
}

/* All that a report needs comes back from the file alone. */
static void test_a_reader_has_it_all(void **state)
{
    /* A value that is no number has no rows of its own. */
    char first[] = "a \"quoted\" one", second[] = "Replication";
    char *stack[] = {first, second};
    bool is_left_out[] = {false, true};
    char text[] = "the x; y=z";
    spot_summary_t *here, *there;
    store_case_t known;
    spot_store_t *store, *reader;

    (void) state;
    for (size_t j = 0; j < 2; j++) {
        case_init(&known, 1500);
        known.texts[0][1] = text;
        known.numbers[0][1] = (double) NAN; /* a column of texts */
        known.head.has_baseline = true;
        known.head.baseline_axis_id = 1;
        known.head.baseline_value_id = 1;
        known.head.plot.stack = stack;
        known.head.plot.num_stack = 2;
        known.head.plot.x = known.axes[1].path;
        known.head.plot.curves = known.axes[0].path;
        known.head.best = (spot_best_t){true, j == 0, 1, 2, is_left_out, 0, NULL};
        known.head.until =
            (spot_until_t){.metric = known.head.plot.y, .half_width = 0.125, .confidence = 0.9};
        store = case_open(&known);
        case_put_all(store);
        case_flush(store);
        assert_int_equal(spot_summarise_all(store, &here), 0);
        reader = case_open_reader(&known); /* while it is written to */
        assert_same_head(&known.head, reader->head);
        case_check_all(reader);
        assert_int_equal(spot_summarise_all(reader, &there), 0);
        assert_memory_equal(here, there, 4 * CASE_METRICS * sizeof(*here));
        assert_int_equal(reader->put(reader, &(spot_piece_t){0, 0, 1, NULL, NULL}), SPOT_ERR_STATE);
        reader->close(reader);
        store->close(store);
        free(here);
        free(there);
        case_remove(&known);
    }
}

static void test_a_study_without_a_sweep(void **state)
{
    store_case_t known;
    spot_store_t *store;
    double row[3] = {1, 2, 3};

    (void) state;
    case_init(&known, 1);
    known.head.num_axes = 0;
    known.head.num_points = 1;
    store = case_open(&known);
    assert_int_equal(store->put(store, &(spot_piece_t){0, 0, 1, row, NULL}), 0);
    store->close(store);
    store = case_open(&known);
    assert_int_equal(store->num_rows(store, 0), 1);
    store->close(store);
    store = case_open_reader(&known);
    assert_int_equal(store->head->num_points, 1);
    store->close(store);
    case_remove(&known);
}

/* What is there is not asked for again, and what is not is. */
static void test_going_on(void **state)
{
    store_case_t known;
    spot_store_t *store;

    (void) state;
    case_init(&known, 200);
    store = case_open(&known);
    case_put(store, 1, 0, 100);
    case_put(store, 3, 64, 64);
    store->close(store); /* without a flush */
    store = case_open(&known);
    assert_int_equal(store->num_there(store, 1, 0), 64);
    assert_int_equal(store->num_there(store, 1, 64), 36);
    assert_int_equal(store->num_there(store, 3, 0), 0);
    assert_int_equal(store->num_there(store, 3, 64), 64);
    case_check_point(store, 1, 100);
    case_put_all(store);
    store->outcome = "complete";
    store->close(store);
    assert_true(case_sql(&known, "SELECT count(*) FROM provenance WHERE ended IS NULL") == 0);
    assert_true(case_sql(&known, "SELECT count(*) FROM provenance WHERE outcome = "
                                 "'failed' AND rows_added = 164") == 1);
    assert_true(case_sql(&known, "SELECT count(*) FROM provenance WHERE outcome = "
                                 "'complete' AND rows_added = 636") == 1);
    store = case_open_reader(&known);
    case_check_all(store);
    store->close(store);
    case_remove(&known);
}

/* Rows of small studies are read from a copy in memory once all of a point are there;
 * these may be too many for one. Each is read twice. */
static void test_rows_with_a_copy_and_without(void **state)
{
    static const int64_t replications[] = {200, 1000000};

    (void) state;
    for (size_t j = 0; j < sizeof(replications) / sizeof(replications[0]); j++) {
        store_case_t known;
        spot_store_t *store;

        case_init(&known, replications[j]);
        store = case_open(&known);
        case_put(store, 1, 0, 100);
        store->close(store);
        store = case_open(&known);
        assert_int_equal(spot_sqlite_store(store)->copy != NULL, j == 0);
        case_put(store, 1, 100, 60); /* those before are in the file alone */
        case_put(store, 2, 0, 70);
        case_flush(store);
        for (int k = 0; k < 2; k++) {
            case_check_point(store, 1, 160);
            case_check_point(store, 2, 70);
            case_check_point(store, 3, 0);
            (void) case_sql(&known, j == 0 ? "UPDATE replication SET warnings = 3 - warnings" : "");
        }
        case_put(store, 1, 160, 10);
        case_flush(store);
        case_check_point(store, 1, 170);
        store->close(store);
        case_remove(&known);
    }
}

/* Points keep their rows wherever they move. */
static void test_points_and_replications_are_added(void **state)
{
    char question[] = "Why?", a[] = "24", b[] = "16.0", c[] = "8";
    char *texts[] = {a, b, c};
    double numbers[] = {24, 16, 8};
    store_case_t known;
    spot_store_t *store;

    (void) state;
    case_init(&known, 100);
    store = case_open(&known);
    case_put_all(store);
    store->close(store);
    known.head.num_replications = 150;
    known.head.num_points = 6;
    known.head.question = question;
    known.axes[0].num_values = 3;
    known.axes[0].texts = texts; /* another order, another way to write it */
    known.axes[0].numbers = numbers;
    store = case_open(&known);
    for (size_t j = 0; j < 6; j++) {
        case_check_point(store, j, j < 2 ? 0 : 100);
    }
    case_put_all(store);
    case_flush(store);
    case_check_all(store);
    store->close(store);
    store = case_open_reader(&known);
    assert_same_head(&known.head, store->head);
    case_check_all(store);
    store->close(store);
    assert_true(case_sql(&known, "SELECT point FROM point WHERE \"job.pipeline_depth\" = 8 "
                                 "AND \"job.reload\" = 30.0") == 0);
    case_remove(&known);
}

static void test_another_study_is_refused(void **state)
{
    static const spot_metric_t other = {.name = "other", .unit = "1", .help = "h"};
    store_case_t known, changed;
    spot_store_t *store;

    (void) state;
    case_init(&known, 100);
    store = case_open(&known);
    case_put_all(store);
    store->close(store);
    changed = known;
    changed.provenance.canonical = "fleet:\n  capacity: 64\njob:\n  reconfiguration: 60 s\n";
    case_refused(&changed, SPOT_ERR_BAD_INPUT, "job.reconfiguration was 47 s, is 60 s");
    case_refused(&changed, SPOT_ERR_BAD_INPUT, "use another file or delete this one");
    changed.provenance.canonical = "a: 1\nfleet:\n  capacity: 64\n";
    case_refused(&changed, SPOT_ERR_BAD_INPUT, ": a was not set, is 1");
    case_refused(&changed, SPOT_ERR_BAD_INPUT, "reconfiguration was 47 s, is not set");
    changed = known;
    changed.head.seed = 8;
    case_refused(&changed, SPOT_ERR_BAD_INPUT, "seed was 7, is 8");
    changed = known;
    changed.head.num_replications = 99;
    case_refused(&changed, SPOT_ERR_BAD_INPUT, "replications were 100, are 99");
    changed = known;
    changed.head.metrics = changed.metrics;
    changed.metrics[2] = other;
    case_refused(&changed, SPOT_ERR_BAD_INPUT, "metric Replication was kept, is not");
    case_refused(&changed, SPOT_ERR_BAD_INPUT, "metric other was not kept, is");
    changed.metrics[2] = changed.metrics[1];
    changed.metrics[1] = known.metrics[2];
    case_refused(&changed, SPOT_ERR_BAD_INPUT, "keep them in their order");
    changed = known;
    changed.head.num_axes = 1;
    changed.head.num_points = 2;
    case_refused(&changed, SPOT_ERR_BAD_INPUT, "job.reload was swept, is not");
    changed = known;
    changed.head.axes = changed.axes;
    changed.axes[0].num_values = 1;
    changed.head.num_points = 2;
    case_refused(&changed, SPOT_ERR_BAD_INPUT,
        "the point job.pipeline_depth=16;job.reload=30 s was in the study, is not");
    store = case_open(&known); /* none of that has left a trace */
    case_check_all(store);
    store->close(store);
    case_remove(&known);
}

/* Points are named by what users write, and known by their values all the same. */
static void test_names_of_points(void **state)
{
    char texts[][8] = {"0.05", "5e-2", "29174ms", "29.174s", "2^-52"};
    char *first[] = {texts[0], texts[4]}, *again[] = {texts[1], texts[4]};
    double numbers[] = {0.05, 1 + 0x1p-52}, seconds[] = {29.174, 2};
    store_case_t known;
    spot_store_t *store;

    (void) state;
    case_init(&known, 10);
    known.axes[0].numbers = numbers;
    known.axes[0].texts = first;
    known.axes[1].numbers = seconds;
    known.texts[1][0] = texts[2];
    store = case_open(&known);
    case_put_all(store);
    store->close(store);
    assert_true(case_sql(&known, "SELECT count(*) FROM point WHERE key = "
                                 "'job.pipeline_depth=0.05;job.reload=29.174 s'") == 1);
    assert_true(case_sql(&known, "SELECT count(DISTINCT key) FROM point WHERE key LIKE "
                                 "'job.pipeline_depth=1.0000000000000002;%'") == 2);
    known.axes[0].texts = again;
    known.texts[1][0] = texts[3];
    store = case_open(&known);
    case_check_all(store);
    store->close(store);
    known.axes[1].numbers = &seconds[1]; /* another value */
    known.axes[1].num_values = 1;
    known.head.num_points = 2;
    case_refused(&known, SPOT_ERR_BAD_INPUT,
        "the point job.pipeline_depth=0.05;job.reload=29.174 s was in the study, is "
        "not; points can be added but not removed: use another file or delete this one");
    known.head.plan.kind = SPOT_PLAN_LATIN_HYPERCUBE;
    case_refused(&known, SPOT_ERR_BAD_INPUT,
        "delete this one (a Latin hypercube does not grow: sobol does)");
    case_remove(&known);
}

/* The store is there; it must take the head over with all its rows. */
static void assert_follows(const store_case_t *known)
{
    spot_store_t *store = case_open(known);

    case_check_all(store);
    store->close(store);
    store = case_open_reader(known);
    assert_same_head(&known->head, store->head);
    case_check_all(store);
    store->close(store);
}

/* What is looked for, how points were chosen and how well a mean is to be known decide
 * on no row. */
static void test_what_changes_no_rows(void **state)
{
    static char idle[] = "idle_fraction", other[] = "Replication", text[] = "idle <= 1";
    static uint32_t sample_points[] = {0, 1, 2, 3, 3, 2, 1, 0};
    spot_constraint_t constraints[] = {{idle, text, 0.1, true}, {other, idle, -3, false}};
    bool is_left_out[] = {true, false};
    store_case_t known;
    spot_store_t *store;

    (void) state;
    case_init(&known, 100);
    store = case_open(&known);
    case_put_all(store);
    store->close(store);
    known.head.optimise = (spot_optimise_t){.metric = other,
        .is_maximised = true,
        .confidence = 0.9,
        .indifference = 0.1 + 0.2,
        .num_constraints = 2,
        .constraints = constraints};
    assert_follows(&known);
    known.head.optimise.metric = idle;
    known.head.optimise.is_maximised = false;
    known.head.optimise.num_constraints = 1;
    assert_follows(&known);
    known.head.optimise = (spot_optimise_t){0};
    known.head.until = (spot_until_t){idle, 0.1, 0, 0.99};
    known.head.min_replications = 64;
    assert_follows(&known);
    known.head.until = (spot_until_t){other, 0, 0.1, 0.9};
    assert_follows(&known);
    known.head.until = (spot_until_t){0};
    known.head.min_replications = 100;
    known.head.plan = (spot_plan_t){.kind = SPOT_PLAN_SENSITIVITY,
        .seed = UINT64_MAX,
        .num_merged = 4,
        .num_excluded = 5,
        .num_samples = 2,
        .sample_points = sample_points};
    assert_follows(&known);
    known.head.best = (spot_best_t){true, false, 0, 1, is_left_out, 0, NULL};
    known.head.plot.curves = known.axes[0].path;
    assert_follows(&known);
    known.head.best = (spot_best_t){true, true, 1, 0, is_left_out, 0, NULL};
    assert_follows(&known);
    known.head.best = (spot_best_t){0};
    known.head.plot.curves = NULL;
    assert_follows(&known);
    known.head.plan = (spot_plan_t){.kind = SPOT_PLAN_ZIP};
    known.head.plot.x = known.axes[1].path;
    assert_follows(&known);
    case_remove(&known);
}

/* Reports rely on what a head says of the plan and of what is looked for. */
static void test_damaged_plans(void **state)
{
    static char idle[] = "idle_fraction", text[] = "idle <= 1";
    static uint32_t sample_points[] = {0, 1, 2, 3, 3, 2, 1, 0};
    static const char *const damages[][2] = {{"$.plan", "\"plan\""}, {"$.plan", "7"},
        {"$.plan_samples", "-1"}, {"$.plan_samples", "1e15"}, {"$.plan_samples", "3"},
        {"$.plan_samples", "0.5"}, {"$.plan_samples", "\"2\""}, {"$.plan_merged", "-1"},
        {"$.plan_seed", "\"1x\""}, {"$.plan_sample_points", "\"0,1,2,3,3,2,1\""},
        {"$.plan_sample_points", "\"0,1,2,3,3,2,1,4\""},
        {"$.plan_sample_points", "\"0,1,2,3,3,2,1,0,0\""}, {"$.plan_sample_points", "\"-1\""},
        {"$.plan_sample_points", "null"}, {"$.optimise_metric", "\"none\""},
        {"$.optimise_confidence", "1"}, {"$.optimise_indifference", "-0.1"},
        {"$.limits[0].metric", "\"\""}, {"$.limits[0].limit", "1e999"},
        {"$.limits[0].text", "null"}};
    spot_constraint_t constraint = {idle, text, 0.1, true};

    (void) state;
    for (size_t j = 0; j < sizeof(damages) / sizeof(damages[0]); j++) {
        store_case_t known;
        spot_store_t *store;

        case_init(&known, 10);
        known.head.plan = (spot_plan_t){
            .kind = SPOT_PLAN_SENSITIVITY, .num_samples = 2, .sample_points = sample_points};
        known.head.optimise = (spot_optimise_t){idle, false, 0.9, 0, 1, &constraint};
        store = case_open(&known);
        store->close(store);
        case_forge(&known, damages[j][0], damages[j][1]);
        case_reader_refused(&known, SPOT_ERR_BAD_INPUT, "the head of the study is none");
        case_remove(&known);
    }
}

static void make_best_store(store_case_t *known, bool *is_left_out, uint32_t *value_ids)
{
    spot_store_t *store;

    case_init(known, 10);
    known->head.best = (spot_best_t){true, true, 1, 0, is_left_out, 0, NULL};
    known->head.value_ids = value_ids;
    known->head.plot.curves = known->axes[1].path;
    store = case_open(known);
    store->close(store);
}

/* Winners that are none would be told of with confidence. */
static void test_damaged_views(void **state)
{
    static const char *const damages[][2] = {{"$.best_axis", "2"}, {"$.best_axis", "-1"},
        {"$.best_metric", "9"}, {"$.best_is_left_out", "[false, true, true]"},
        {"$.best_is_left_out", "[false, 1]"}, {"$.best_is_left_out", "null"},
        {"$.has_baseline", "1"}, {"$.metrics[1].unit", "null"}, {"$.metrics", "[]"},
        {"$.metrics[0].kind", "\"kind\""}, {"$.warnings[0].text", "null"}, {"$.overview_cost", "9"},
        {"$.overview_parts", "[{\"metric\": 3}]"}, {"$.more_baselines", "[{\"axis\": 2}]"},
        {"$.batch_replications", "0"}, {"$.batch_replications", "65536"}, {"$.num_listed", "4"},
        {"$.kinds", "[{\"has_metric\": [true, true]}]"}, {"$.colours[0].colour", "null"},
        {"$.plot_x", "1"}, {"$.best_is_asked", "[]"}, {"$.axes[0].path", "null"},
        {"$.axes[1].unit", "null"}, {"$.axes[0].texts[1]", "null"}, {"$.axes[0].texts", "[\"8\"]"},
        {"$.axes[0].numbers", "[8, 16, 24]"}, {"$.axes[0].numbers", "[8, \"16\"]"},
        {"$.axes[0].num_values", "3"}, {"$.axes", "[]"}, {"$.axes", "7"}, {"$.num_axes", "1"},
        {"$.num_points", "3"}, {"$.num_points", "0"}, {"$.num_value_ids", "7"},
        {"$.value_ids", "\"0,0,0,1,1,0,1,2\""}, {"$.value_ids", "\"0,0,0,1,1,0,1\""},
        {"$.kind_ids", "\"0,0,0,0\""}, {"$.numbers", "\"0,1,2\""}, {"$.numbers", "\"0,1,2,4\""},
        {"$.numbers", "null"}, {"$.plot_stack", "[\"a\"]"}, {"$", "[]"}};
    static uint32_t value_ids[] = {0, 0, 0, 1, 1, 0, 1, 1};
    bool is_left_out[] = {false, true};

    (void) state;
    for (size_t j = 0; j < sizeof(damages) / sizeof(damages[0]); j++) {
        store_case_t known;

        make_best_store(&known, is_left_out, value_ids);
        case_forge(&known, damages[j][0], damages[j][1]);
        case_reader_refused(&known, SPOT_ERR_BAD_INPUT, "the head of the study is none");
        case_remove(&known);
    }
}

/* What others look at with SQL is as it was written, or the store is refused. */
static void test_changed_rows_of_a_study(void **state)
{
    static const char *const changes[] = {"UPDATE axis SET text = '7' WHERE axis = 0 AND value = 1",
        "UPDATE axis SET number = 9 WHERE axis = 1 AND value = 0",
        "DELETE FROM axis WHERE axis = 1", "UPDATE point SET key = key || 'x'",
        "UPDATE study SET seed = seed + 1"};
    static uint32_t value_ids[] = {0, 0, 0, 1, 1, 0, 1, 1};
    bool is_left_out[] = {false, true};

    (void) state;
    for (size_t j = 0; j < sizeof(changes) / sizeof(changes[0]); j++) {
        store_case_t known;

        make_best_store(&known, is_left_out, value_ids);
        assert_true(case_sql(&known, "SELECT count(*) FROM axis") == 4);
        (void) case_sql(&known, changes[j]);
        case_reader_refused(&known, SPOT_ERR_BAD_INPUT, "not as it was written");
        case_remove(&known);
    }
}

static int count_row(void *context, const spot_row_t *row)
{
    (void) row;
    ++*(int *) context;
    return 0;
}

static int stop_at_fourth(void *context, const spot_row_t *row)
{
    (void) context;
    return row->replication == 4;
}

/* Each time that it is read, and though all rows of its batches are good: the one of
 * another point has come to it. */
static void test_a_row_of_no_batch(void **state)
{
    store_case_t known;
    spot_store_t *store;
    int num_rows = 0;

    (void) state;
    case_init(&known, 10);
    store = case_open(&known);
    case_put(store, 0, 0, 5);
    case_put(store, 1, 0, 1);
    store->close(store);
    (void) case_sql(&known, "UPDATE replication SET point = 0, replication = 9 WHERE "
                            "point = 1");
    store = case_open_reader(&known);
    assert_int_equal(store->read(store, 0, 0, stop_at_fourth, NULL), 1);
    for (int j = 1; j < 3; j++) {
        assert_true(store->read(store, 0, 0, count_row, &num_rows) < 0);
        assert_int_equal(num_rows, 5 * j);
    }
    store->close(store);
    case_remove(&known);
}

/* A study that grows reads more files, and may come back to those before. */
static void test_files_of_all_that_wrote(void **state)
{
    static const char same[] = "fleet:\n  capacity: 64\n";
    char first[200], second[200], changed[200];
    store_case_t known;
    spot_store_t *store;

    (void) state;
    snprintf(first, sizeof(first), "files:\n  a.csv: 0a\n%s", same);
    snprintf(second, sizeof(second), "files:\n  b.csv: 0b\n%s", same);
    snprintf(changed, sizeof(changed), "files:\n  a.csv: 0c\n  b.csv: 0b\n%s", same);
    case_init(&known, 10);
    known.provenance.canonical = first;
    store = case_open(&known);
    store->close(store);
    known.provenance.canonical = second;
    store = case_open(&known);
    store->close(store);
    assert_true(case_sql(&known, "SELECT instr(canonical, 'a.csv') > 0 AND "
                                 "instr(canonical, 'b.csv') > 0 AND "
                                 "length(canonical_sha256) = 64 FROM study") == 1);
    known.provenance.canonical = changed;
    case_refused(&known, SPOT_ERR_BAD_INPUT, "a.csv: its content has changed");
    known.provenance.canonical = first;
    store = case_open(&known);
    store->close(store);
    case_remove(&known);
}

/* What the text and the head both say is said once. */
static void test_a_difference_is_said_once(void **state)
{
    store_case_t known;
    spot_store_t *store;
    spot_diag_t diag;

    (void) state;
    case_init(&known, 10);
    known.provenance.canonical = "metrics:\n  - a\nreplications:\n  seed: 7\n";
    store = case_open(&known);
    store->close(store);
    known.head.seed = 8;
    known.provenance.canonical = "metrics:\n  - b\nreplications:\n  seed: 8\n";
    spot_diag_init(&diag);
    assert_int_equal(
        spot_store_open_sqlite(&store, known.path, &known.head, &known.provenance, &diag),
        SPOT_ERR_BAD_INPUT);
    assert_true(case_says(&diag, "replications.seed was 7, is 8"));
    assert_true(case_says(&diag, "use another file or delete this one"));
    assert_int_equal(diag.num_items, 2);
    spot_diag_free(&diag);
    (void) case_sql(&known, "UPDATE study SET canonical = 'a: [b'");
    case_forge(&known, "$.plan", "\"grid\"");
    case_refused(&known, SPOT_ERR_BAD_INPUT, "expected");
    case_remove(&known);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void test_files_that_are_no_store(void **state)
{
    store_case_t known;
    spot_store_t *store;
    char path[256];

    (void) state;
    case_init(&known, 10);
    write_file(known.path, "study: a text file that is long enough to have a header of "
                           "a hundred bytes, which SQLite reads first of all\n");
    case_refused(&known, SPOT_ERR_BAD_INPUT, "no SQLite database");
    case_reader_refused(&known, SPOT_ERR_BAD_INPUT, "no SQLite database");
    unlink(known.path);
    (void) case_sql(&known, "CREATE TABLE t (a)");
    case_refused(&known, SPOT_ERR_BAD_INPUT, "of another program");
    case_reader_refused(&known, SPOT_ERR_BAD_INPUT, "of another program");
    assert_true(case_sql(&known, "SELECT count(*) FROM t") == 0);
    case_remove(&known);
    write_file(known.path, "");
    case_reader_refused(&known, SPOT_ERR_BAD_INPUT, "the database is empty");
    store = case_open(&known); /* an empty file is a new one */
    store->close(store);
    (void) case_sql(&known, "PRAGMA user_version = 8");
    case_refused(&known, SPOT_ERR_BAD_INPUT, "made by a newer spotsim: schema 8, this");
    case_reader_refused(&known, SPOT_ERR_BAD_INPUT, "made by a newer spotsim");
    (void) case_sql(&known, "PRAGMA user_version = 6");
    case_refused(&known, SPOT_ERR_BAD_INPUT, "made by an older spotsim: schema 6, this");
    case_reader_refused(&known, SPOT_ERR_BAD_INPUT, "run the study again");
    (void) case_sql(&known, "PRAGMA user_version = 7; DROP TABLE point");
    case_refused(&known, SPOT_ERR_BAD_INPUT, "\".recover\"");
    case_reader_refused(&known, SPOT_ERR_BAD_INPUT, "\".recover\"");
    case_remove(&known);
    case_reader_refused(&known, SPOT_ERR_BAD_INPUT, "there is no such database");
    strcpy(path, known.path);
    snprintf(known.path, sizeof(known.path), "%s", case_folder());
    case_refused(&known, SPOT_ERR_BAD_INPUT, "this is a folder");
    snprintf(known.path, sizeof(known.path), "%s/none/x.db", case_folder());
    case_refused(&known, SPOT_ERR_BAD_INPUT, "make it first");
    case_reader_refused(&known, SPOT_ERR_BAD_INPUT, "make it first");
}

/* A column is needed for each metric and for each swept key. */
static void test_more_columns_than_a_table_has(void **state)
{
    enum { MOST = 1997, NAME_BYTES = 16 };
    spot_metric_t *metrics = calloc(MOST + 1, sizeof(*metrics));
    spot_axis_t *axes = calloc(MOST + 1, sizeof(*axes));
    char *names = calloc(MOST + 1, NAME_BYTES);
    store_case_t self;
    spot_store_t *store;

    (void) state;
    case_init(&self, 1);
    for (size_t j = 0; j <= MOST; j++) {
        char *name = names + j * NAME_BYTES;

        snprintf(name, NAME_BYTES, "m%zu", j);
        metrics[j] = (spot_metric_t){.name = name, .unit = "s", .help = name};
        axes[j] = self.axes[j % 2];
        axes[j].path = name;
        axes[j].num_values = j < 2 ? 2 : 1;
    }
    self.head.metrics = metrics;
    self.head.num_metrics = MOST + 1;
    case_refused(&self, SPOT_ERR_BAD_INPUT,
        "1998 metrics, with those that reports need, do not fit: a table of SQLite has "
        "room for 1997; ask for fewer, or write a CSV file");
    self.head.num_metrics = MOST;
    self.head.axes = axes;
    self.head.num_axes = MOST + 1;
    case_refused(&self, SPOT_ERR_BAD_INPUT, "1998 swept keys do not fit");
    self.head.num_axes = MOST;
    store = case_open(&self);
    store->close(store);
    case_remove(&self);
    free(metrics);
    free(axes);
    free(names);
}

/* Root may write everywhere, so it becomes somebody else; and root again. */
static void give_up_rights(void)
{
    if (getuid() == 0) {
        assert_int_equal(setreuid(NOBODY, 0), 0);
        assert_int_equal(seteuid(NOBODY), 0);
    }
}

static void take_rights_back(bool was_root)
{
    if (was_root) {
        assert_int_equal(seteuid(0), 0);
        assert_int_equal(setreuid(0, 0), 0);
    }
}

static void test_no_right_to_write(void **state)
{
    const bool was_root = getuid() == 0;
    char folder[] = "/tmp/spotsim-store-XXXXXX";
    store_case_t known, linked;
    spot_store_t *store, *reader;

    (void) state;
    case_init(&known, 10);
    give_up_rights();
    assert_non_null(mkdtemp(folder));
    snprintf(known.path, sizeof(known.path), "%s/x %%41 y?#.db", folder);
    store = case_open(&known);
    case_put_all(store);
    case_flush(store);
    assert_int_equal(chmod(known.path, 0400), 0);
    linked = known;
    snprintf(linked.path, sizeof(linked.path), "%s/link.db", folder);
    assert_int_equal(symlink(known.path, linked.path), 0);
    reader = case_open_reader(&linked); /* the rows are in the log yet */
    case_check_all(reader);
    reader->close(reader);
    unlink(linked.path);
    store->close(store);
    case_refused(&known, SPOT_ERR_BAD_INPUT, "no right to write it");
    assert_int_equal(chmod(folder, 0500), 0);
    store = case_open_reader(&known); /* but it can be read */
    case_check_all(store);
    store->close(store);
    assert_int_equal(chmod(known.path, 0600), 0);
    case_refused(&known, SPOT_ERR_BAD_INPUT, "no right to write");
    assert_int_equal(chmod(folder, 0700), 0);
    unlink(known.path);
    assert_int_equal(chmod(folder, 0500), 0);
    case_refused(&known, SPOT_ERR_BAD_INPUT, "use a folder that may be written");
    assert_int_equal(rmdir(folder), 0);
    take_rights_back(was_root);
}

/* What cannot be counted or looked up is no zero: the store is refused, or flush() says
 * so. */
static void test_counts_that_cannot_be_read(void **state)
{
    store_case_t known;
    spot_store_t *store;
    spot_diag_t diag;

    (void) state;
    case_init(&known, 100);
    store = case_open(&known);
    case_put_all(store);
    case_flush(store);
    (void) case_sql(&known, "ALTER TABLE batch RENAME TO other");
    assert_int_equal(store->num_rows(store, 1), 100);
    assert_int_equal(store->num_there(store, 1, 0), 0);
    spot_diag_init(&diag);
    assert_int_equal(store->flush(store, &diag), SPOT_ERR_BAD_INPUT);
    assert_true(case_says(&diag, "the database is damaged"));
    spot_diag_free(&diag);
    store->close(store);
    (void) case_sql(&known, "ALTER TABLE other RENAME TO batch; UPDATE batch SET "
                            "replications = 9223372036854775807");
    case_reader_refused(&known, SPOT_ERR_BAD_INPUT, "its table batch is not as it was made");
    case_remove(&known);
}

static void test_a_lock_that_stays(void **state)
{
    const spot_sqlite_options_t options = {.timeout_ms = 50};
    store_case_t known;
    spot_store_t *store;
    spot_diag_t diag;
    sqlite3 *db;

    (void) state;
    case_init(&known, 10);
    store = case_open(&known);
    store->close(store);
    assert_int_equal(sqlite3_open(known.path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_busy_timeout(db, 10000), SQLITE_OK); /* it may be written */
    assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    spot_diag_init(&diag);
    assert_int_equal(spot_store_open_sqlite_with(
                         &store, known.path, &known.head, &known.provenance, &options, &diag),
        SPOT_ERR_IO);
    assert_true(case_says(&diag, "another program has locked it for too long"));
    store = case_open_reader(&known); /* reading needs no lock */
    store->close(store);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    spot_diag_free(&diag);
    case_remove(&known);
}

/* Those of the manual, on whatever study. */
static void test_queries_of_the_manual(void **state)
{
    static const char *const queries[] = {
        "SELECT \"job.pipeline_depth\", avg(idle_fraction) FROM replication JOIN point "
        "USING (point) GROUP BY 1",
        "SELECT key, study.replications, coalesce(sum(batch.replications), 0) AS there "
        "FROM "
        "study, point LEFT JOIN batch USING (point) GROUP BY point HAVING there < "
        "study.replications",
        "SELECT key, replication, idle_fraction FROM replication JOIN point USING "
        "(point) "
        "ORDER BY idle_fraction DESC LIMIT 10",
        "SELECT p.key, avg(b.idle_fraction - a.idle_fraction) AS difference FROM "
        "replication a JOIN replication b USING (replication) JOIN point p ON p.point = "
        "b.point WHERE a.point = 0 GROUP BY b.point ORDER BY difference",
        "SELECT started, ended, outcome, rows_added, version, machine, command_line "
        "FROM "
        "provenance ORDER BY started",
    };
    static const double num_rows[] = {1, 3, 10, 2, 1};
    store_case_t known;
    spot_store_t *store;

    (void) state;
    case_init(&known, 100);
    store = case_open(&known);
    case_put(store, 0, 0, 100);
    case_put(store, 1, 0, 99);
    store->close(store);
    assert_true(case_sql(&known, queries[0]) == 8);
    for (size_t j = 1; j < sizeof(queries) / sizeof(queries[0]); j++) {
        char sql[400];

        snprintf(sql, sizeof(sql), "SELECT count(*) FROM (%s)", queries[j]);
        assert_true(case_sql(&known, sql) == num_rows[j]);
    }
    case_remove(&known);
}

/* Who adds rows gives no derived columns, in a new file and in one that goes on; its
 * connection has them as readers do. */
static void test_derived_columns_follow_from_the_others(void **state)
{
    static const char *const columns = "SELECT count(*) FROM pragma_table_xinfo('replication')";
    store_case_t known;
    sqlite3_int64 num_known;

    (void) state;
    case_init(&known, 100);
    known.metrics[2].name = "ratio";
    known.metrics[2].numerator = known.metrics[0].name;
    known.metrics[2].denominator = known.metrics[1].name;
    for (int64_t first = 0; first < 100; first += 50) {
        spot_store_t *store = case_open(&known);

        assert_int_equal(
            spot_db_integer(&spot_sqlite_store(store)->db, &num_known, "%s", columns), 0);
        assert_int_equal(num_known, 6);
        case_put(store, 0, first, 50);
        case_flush(store);
        assert_true(case_sql(&known, columns) == 6);
        store->close(store);
    }
    assert_true(case_sql(&known, "SELECT count(ratio) FROM replication") > 0);
    assert_true(case_sql(&known, "SELECT count(*) FROM replication") == 100);
    assert_true(case_sql(&known, "SELECT count(*) FROM pragma_integrity_check WHERE "
                                 "integrity_check <> 'ok'") == 0);
    case_remove(&known);
}

/* Rows that SQLite writes anew by the type are as large: whole numbers as integers. */
static void test_numbers_are_kept_as_their_type_keeps_them(void **state)
{
    static const char *const bytes = "SELECT sum(payload) FROM dbstat WHERE name = 'replication'";
    store_case_t known;
    spot_store_t *store;
    double num_bytes;

    (void) state;
    case_init(&known, 100);
    store = case_open(&known);
    case_put_all(store);
    store->close(store);
    if (case_sql(&known, "SELECT count(*) FROM pragma_module_list WHERE name = "
                         "'dbstat'") == 0) {
        case_remove(&known);
        skip(); /* an SQLite that does not say how large rows are */
    }
    num_bytes = case_sql(&known, bytes);
    assert_true(num_bytes > 0);
    (void) case_sql(&known, "UPDATE replication SET warnings = warnings");
    assert_true(case_sql(&known, bytes) == num_bytes);
    case_remove(&known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contract),
        cmocka_unit_test(test_a_reader_has_it_all),
        cmocka_unit_test(test_a_study_without_a_sweep),
        cmocka_unit_test(test_going_on),
        cmocka_unit_test(test_rows_with_a_copy_and_without),
        cmocka_unit_test(test_points_and_replications_are_added),
        cmocka_unit_test(test_another_study_is_refused),
        cmocka_unit_test(test_names_of_points),
        cmocka_unit_test(test_what_changes_no_rows),
        cmocka_unit_test(test_damaged_plans),
        cmocka_unit_test(test_damaged_views),
        cmocka_unit_test(test_changed_rows_of_a_study),
        cmocka_unit_test(test_a_row_of_no_batch),
        cmocka_unit_test(test_files_of_all_that_wrote),
        cmocka_unit_test(test_a_difference_is_said_once),
        cmocka_unit_test(test_files_that_are_no_store),
        cmocka_unit_test(test_more_columns_than_a_table_has),
        cmocka_unit_test(test_no_right_to_write),
        cmocka_unit_test(test_counts_that_cannot_be_read),
        cmocka_unit_test(test_a_lock_that_stays),
        cmocka_unit_test(test_queries_of_the_manual),
        cmocka_unit_test(test_derived_columns_follow_from_the_others),
        cmocka_unit_test(test_numbers_are_kept_as_their_type_keeps_them),
    };

    return cmocka_run_group_tests(tests, NULL, case_end);
}
