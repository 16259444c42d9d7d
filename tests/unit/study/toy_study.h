/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Studies of the toy experiment, from text. Include after cmocka.h. */
#ifndef SPOT_TESTS_UNIT_STUDY_TOY_STUDY_H
#define SPOT_TESTS_UNIT_STUDY_TOY_STUDY_H

#include "sim/study/study.h"
#include "tests/unit/study/toy_experiment.h"
#include "tests/unit/train/fixture.h"

static inline int
try_toy_study(spot_study_t *study, const char *text, spot_diag_t *diag)
{
    char path[PATH_BYTES];
    int ret;

    temporary_path("toy.yaml", path);
    write_file(path, text);
    spot_diag_init(diag);
    ret = spot_study_read(study, &toy_experiment, path, NULL, 0, diag);
    unlink(path);
    return ret;
}

static inline void
read_toy_study(spot_study_t *study, const char *text)
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
static inline spot_store_t *
run_toy_study(const spot_study_t *study, int num_threads)
{
    const spot_study_run_t run = {.num_threads = num_threads};
    spot_store_t *store;

    assert_int_equal(spot_store_open_memory(&store, &study->head), 0);
    assert_int_equal(spot_study_run(study, store, &run, NULL), 0);
    return store;
}

#endif
