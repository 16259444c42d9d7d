/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Studies of the toy experiment, from text. Include after cmocka.h. */
#pragma once

#include "sim/bench/analysis/summary.h"
#include "sim/bench/study/run.h"
#include "sim/bench/study/study.h"
#include "tests/unit/study/toy_experiment.h"
#include "tests/unit/train/fixture.h"

static inline int try_toy_study(spot_study_t *study, const char *text, spot_diag_t *diag)
{
    char path[PATH_BYTES];
    int ret;

    temporary_path("toy.yaml", path);
    write_file(path, text);
    spot_diag_init(diag);
    ret = spot_study_read(study, toy_engines, path, NULL, diag);
    unlink(path);
    return ret;
}

static inline void read_toy_study(spot_study_t *study, const char *text)
{
    spot_diag_t diag;
    const int ret = try_toy_study(study, text, &diag);
    char *report = diagnostics(&diag);

    assert_string_equal(report, "");
    assert_int_equal(ret, 0);
    free(report);
    spot_diag_free(&diag);
}

/* All of the study in a store in memory. */
static inline spot_store_t *run_toy_study(const spot_study_t *study, int num_threads)
{
    const spot_study_run_t run = {.num_threads = num_threads};
    spot_store_t *store;

    assert_int_equal(spot_store_open_memory(&store, &study->head), 0);
    assert_int_equal(spot_study_run(study, store, &run, NULL), 0);
    return store;
}

/* Stops when it was told of so many batches, those included that were there. */
typedef struct {
    int64_t num_left;
    atomic_int stop;
} toy_stopper_t;

static inline void stop_later(void *context, const spot_study_progress_t *progress)
{
    toy_stopper_t *self = context;

    (void) progress;
    if (--self->num_left == 0) {
        atomic_store(&self->stop, 1);
    }
}

/* Goes on with a study up to that batch: INTERRUPTED, or 0 where it was done before. */
static inline int run_part_of_toy_study(
    const spot_study_t *study, spot_store_t *store, int64_t num_batches)
{
    toy_stopper_t stopper = {.num_left = num_batches};
    const spot_study_run_t run = {
        .num_threads = 2, .stop = &stopper.stop, .progress = stop_later, .context = &stopper};

    return spot_study_run(study, store, &run, NULL);
}

/* Two stores of one study have the same of each point and metric, bit for bit. */
static inline void assert_same_rows(const spot_store_t *store, const spot_store_t *whole)
{
    spot_summary_t *some, *all;

    assert_int_equal(spot_summarise_all(store, &some), 0);
    assert_int_equal(spot_summarise_all(whole, &all), 0);
    for (size_t j = 0; j < whole->head->num_points * whole->head->num_metrics; j++) {
        assert_memory_equal(&some[j].moments, &all[j].moments, sizeof(some[j].moments));
        assert_true(some[j].median == all[j].median);
    }
    free(some);
    free(all);
}
