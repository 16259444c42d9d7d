/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A study keeps the timelines that it is asked for, and what is drawn of one in a store
 * is what is drawn of the run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reports/run_chart.h"
#include "sim/bench/store/series_rows.h"
#include "sim/bench/store/store_merge.h"
#include "sim/bench/store/store_sqlite.h"
#include "sim/bench/study/metrics.h"
#include "sim/bench/study/run.h"
#include "sim/bench/study/study.h"
#include "sim/bench/study/worker.h"
#include "sim/engines.h"
#include "sim/train/experiment.h"
#include "tests/unit/reports/declared.h"
#include "tests/unit/train/fixture.h"

#define STUDY SPOT_SOURCE_DIR "/reports/studies/idle-vs-preemption/study.yaml"

static void read_study_of(spot_study_t *study, const char *count, const char *timelines)
{
    const char *const sets[] = {
        count, "trace.preemption.per_minute=[0.16338]", "job.pipeline_depth=[16, 8]", timelines};
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(
        spot_study_read(study, spot_engines, STUDY,
            &(spot_scenario_changes_t){.num_sets = timelines == NULL ? 3 : 4, .sets = sets}, &diag),
        0);
    spot_diag_free(&diag);
    assert_int_equal(spot_study_keep_ledger(study, NULL), 0);
}

static void read_study(spot_study_t *study, const char *timelines)
{
    read_study_of(study, "replications.count=70", timelines);
}

/* Runs a shard of the study, or all of it, and closes the store. */
static void run_study(const spot_study_t *study, const char *path, int64_t shard_id,
    int64_t num_shards, int num_threads)
{
    spot_study_provenance_t provenance;
    const spot_study_run_t run = {
        .num_threads = num_threads, .shard_id = shard_id, .num_shards = num_shards};
    spot_store_t *store = NULL;
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(spot_study_provenance_init(&provenance, study, 0, NULL), 0);
    assert_int_equal(
        spot_store_open_sqlite(&store, path, &study->head, &provenance.provenance, &diag), 0);
    spot_study_provenance_free(&provenance);
    assert_int_equal(spot_study_run(study, store, &run, &diag), 0);
    store->close(store);
    spot_diag_free(&diag);
}

static spot_store_t *open_reader(const char *path)
{
    spot_store_t *store = NULL;
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(spot_store_open_sqlite_reader(&store, path, &diag), 0);
    spot_diag_free(&diag);
    return store;
}

/* The caller frees the text. */
/* The store has this one, and draws it as the run itself is drawn. */
static void check_picture(
    const spot_store_t *store, const spot_study_t *study, size_t point_id, int64_t number)
{
    spot_recording_t recording, kept;
    spot_run_series_t stored, made;
    spot_study_worker_t worker = {.study = NULL};
    char *of_store, *of_run;

    assert_int_equal(spot_store_read_series(store, point_id, number, &kept), 0);
    assert_int_equal(spot_run_series_init(&stored, &kept, store->head->colours), 0);
    assert_int_equal(spot_study_worker_go(&worker, study, point_id, NULL), 0);
    assert_int_equal(spot_study_worker_record(&worker, number, NULL, &recording), 0);
    assert_int_equal(spot_run_series_init(&made, &recording, study->head.colours), 0);
    of_store = declared_text(spot_timeline_declare, &stored);
    of_run = declared_text(spot_timeline_declare, &made);
    assert_string_equal(of_store, of_run);
    free(of_store);
    free(of_run);
    spot_run_series_free(&stored);
    spot_run_series_free(&made);
    spot_recording_free(&recording);
    spot_recording_free(&kept);
    spot_study_worker_close(&worker);
}

static size_t num_timelines(const char *path)
{
    spot_store_t *store = open_reader(path);
    spot_series_list_t list;
    size_t num_ids;

    assert_int_equal(spot_series_list_read(&list, store), 0);
    num_ids = list.num_ids;
    spot_series_list_free(&list);
    store->close(store);
    return num_ids;
}

static void remove_store(const char *path)
{
    char name[PATH_BYTES + 8];

    unlink(path);
    snprintf(name, sizeof(name), "%s-wal", path);
    unlink(name);
    snprintf(name, sizeof(name), "%s-shm", path);
    unlink(name);
}

/* None; those of the median replications by themselves; and more of them later. */
static void test_those_that_are_asked_for(void **state)
{
    char path[PATH_BYTES];
    spot_store_t *store;
    spot_study_t study;

    (void) state;
    temporary_path("timelines.db", path);
    read_study(&study, "timelines=[]");
    run_study(&study, path, 0, 0, 1);
    spot_study_free(&study);
    assert_int_equal(num_timelines(path), 0);
    read_study(&study, NULL);
    run_study(&study, path, 0, 0, 2);
    spot_study_free(&study);
    assert_int_equal(num_timelines(path), 2);
    read_study(&study, "timelines=[69, 3, 0]");
    run_study(&study, path, 0, 0, 3);
    assert_int_equal(num_timelines(path), 8);
    store = open_reader(path);
    for (size_t j = 0; j < 2; j++) {
        check_picture(store, &study, j, 0);
        check_picture(store, &study, j, 3);
        check_picture(store, &study, j, 69);
    }
    assert_true(store->head->has_overview);
    assert_int_equal(store->head->overview.num_parts, 9);
    store->close(store);
    spot_study_free(&study);
    remove_store(path);
}

/* A replication, and how many come before it by the first metric and their number. */
typedef struct {
    double value;
    int64_t replication;
    int num_lower, num_rows;
} rank_t;

static int find_value(void *context, const spot_row_t *row)
{
    rank_t *self = context;

    if (row->replication == self->replication) {
        self->value = row->metrics[0];
    }
    return 0;
}

static int count_lower(void *context, const spot_row_t *row)
{
    rank_t *self = context;

    self->num_rows++;
    self->num_lower += row->metrics[0] < self->value ||
                       (row->metrics[0] == self->value && row->replication < self->replication);
    return 0;
}

/* Both points have the series of their median replication. */
static void check_medians(const char *path)
{
    spot_store_t *store = open_reader(path);
    spot_series_list_t list;

    assert_int_equal(spot_series_list_read(&list, store), 0);
    assert_int_equal(list.num_ids, 2);
    for (size_t j = 0; j < 2; j++) {
        const size_t point_id = list.ids[j].point_id;
        rank_t rank = {.replication = list.ids[j].replication};

        assert_int_equal(point_id, j);
        assert_int_equal(store->read(store, point_id, 0, find_value, &rank), 0);
        assert_int_equal(store->read(store, point_id, 0, count_lower, &rank), 0);
        assert_int_equal(rank.num_rows, 70);
        assert_int_equal(rank.num_lower, 34);
    }
    spot_series_list_free(&list);
    store->close(store);
}

/* Of rows that were run now, that were all there, and of which some were there. */
static void test_medians(void **state)
{
    static const char *const before[] = {NULL, "replications.count=33", "replications.count=70"};
    char path[PATH_BYTES];
    spot_study_t study;

    (void) state;
    temporary_path("medians.db", path);
    for (size_t j = 0; j < 3; j++) {
        if (before[j] != NULL) {
            read_study_of(&study, before[j], "timelines=[]");
            run_study(&study, path, 0, 0, 1);
            spot_study_free(&study);
        }
        read_study(&study, NULL);
        run_study(&study, path, 0, 0, 2);
        spot_study_free(&study);
        check_medians(path);
        remove_store(path);
    }
}

/* A shard makes those of its own rows; together they are all. */
static void test_shards(void **state)
{
    char paths[4][PATH_BYTES];
    const char *const names[] = {paths[0], paths[1], paths[2]};
    size_t num_all = 0;
    spot_store_t *store;
    spot_study_t study;
    spot_diag_t diag;

    (void) state;
    read_study(&study, "timelines=[1, 68]");
    for (int j = 0; j < 3; j++) {
        char name[32];

        snprintf(name, sizeof(name), "timelines-%d.db", j);
        temporary_path(name, paths[j]);
        run_study(&study, paths[j], j, 3, 2);
        num_all += num_timelines(paths[j]);
    }
    assert_int_equal(num_all, 4);
    temporary_path("timelines-all.db", paths[3]);
    spot_diag_init(&diag);
    assert_int_equal(spot_store_merge(paths[3], 3, names, NULL, NULL, &diag), 0);
    spot_diag_free(&diag);
    assert_int_equal(num_timelines(paths[3]), 4);
    store = open_reader(paths[3]);
    check_picture(store, &study, 1, 68);
    assert_true(store->head->has_overview);
    assert_int_equal(store->head->overview.num_parts, 9);
    assert_string_equal(store->head->metrics[store->head->overview.cost_id].name, "usd_per_h");
    assert_string_equal(store->head->metrics[store->head->overview.gain_id].name, "samples_per_s");
    store->close(store);
    spot_study_free(&study);
    for (int j = 0; j < 4; j++) {
        remove_store(paths[j]);
    }
}

/* What the study keeps besides is not listed. */
static void test_what_is_kept(void **state)
{
    char path[PATH_BYTES];
    spot_study_t study;
    size_t num_metrics;

    (void) state;
    temporary_path("kept.db", path);
    read_study(&study, "ledger=no");
    num_metrics = study.head.num_metrics;
    assert_int_equal(spot_study_keep_ledger(&study, NULL), 0);
    assert_int_equal(study.head.num_metrics, num_metrics);
    run_study(&study, path, 0, 0, 2);
    spot_study_free(&study);
    read_study(&study, "ledger=yes");
    assert_true(study.head.num_metrics > num_metrics);
    assert_true(study.head.num_listed <= num_metrics);
    for (size_t j = 0; j < study.head.overview.num_parts; j++) {
        assert_true(study.head.overview.part_ids[j] < study.head.num_metrics);
    }
    spot_study_free(&study);
    remove_store(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_those_that_are_asked_for),
        cmocka_unit_test(test_medians),
        cmocka_unit_test(test_shards),
        cmocka_unit_test(test_what_is_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
