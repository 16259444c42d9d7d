/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Studies of the experiment with a key of each kind, from text. Include after cmocka.h.
 */
#pragma once

#include "sim/bench/study/study.h"
#include "tests/unit/study/keys_experiment.h"
#include "tests/unit/train/fixture.h"

/* The keys of a study behind its name and a scenario that sets nothing. */
static inline int try_keys_study(spot_study_t *study, const char *keys, spot_diag_t *diag)
{
    char path[PATH_BYTES], text[4096];
    int ret;

    temporary_path("keys.yaml", path);
    snprintf(text, sizeof(text), "study: keys\nscenario: {}\n%s", keys);
    write_file(path, text);
    spot_diag_init(diag);
    ret = spot_study_read(study, keys_engines, path, NULL, diag);
    unlink(path);
    return ret;
}

static inline void read_keys_study(spot_study_t *study, const char *keys)
{
    spot_diag_t diag;
    const int ret = try_keys_study(study, keys, &diag);
    char *report = diagnostics(&diag);

    assert_string_equal(report, "");
    assert_int_equal(ret, 0);
    free(report);
    spot_diag_free(&diag);
}

/* The study is refused, and the message has this in it. */
static inline void assert_refused(const char *keys, const char *wanted)
{
    spot_study_t study;
    spot_diag_t diag;
    const int ret = try_keys_study(&study, keys, &diag);
    char *report = diagnostics(&diag);

    assert_int_equal(ret, SPOT_ERR_BAD_INPUT);
    if (strstr(report, wanted) == NULL) {
        assert_string_equal(report, wanted);
    }
    free(report);
    spot_diag_free(&diag);
    spot_study_free(&study);
}

static inline const keys_scenario_t *keys_at(const spot_study_t *study, size_t point_id)
{
    assert_true(point_id < study->head.num_points);
    return study->scenarios[point_id];
}

static inline const char *text_at(const spot_study_t *study, size_t point_id, size_t axis_id)
{
    return study->head.axes[axis_id].texts[spot_study_value_id(&study->head, point_id, axis_id)];
}

static inline double number_at(const spot_study_t *study, size_t point_id, size_t axis_id)
{
    return study->head.axes[axis_id].numbers[spot_study_value_id(&study->head, point_id, axis_id)];
}
