/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tests of this room share: temporary files, scenarios from text, and recorded
 * traces that may not be there. Include after cmocka.h. */
#pragma once

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/yaml.h"
#include "sim/train/job/train.h"
#include "tests/unit/base/shared_data.h"

#define PATH_BYTES 512

/* Where recorded traces lie, if at all. */
#define RECORDED_FOLDER SHARED_DATA "traces"

static inline const char *temporary_folder(void)
{
    const char *folder = getenv("SPOT_TEST_TMP");

    return folder == NULL ? "/tmp" : folder;
}

/* A name in the folder for temporary files that no other process uses. */
static inline void temporary_path(const char *name, char path[PATH_BYTES])
{
    snprintf(path, PATH_BYTES, "%s/train-%ld-%s", temporary_folder(), (long) getpid(), name);
}

static inline void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* The diagnostics as they would be printed. The caller frees the text. */
static inline char *diagnostics(const spot_diag_t *diag)
{
    char *text = NULL;
    size_t num_bytes = 0;
    FILE *stream = open_memstream(&text, &num_bytes);

    assert_non_null(stream);
    spot_diag_print(diag, stream);
    assert_int_equal(fclose(stream), 0);
    return text;
}

/* Binds a scenario from text, named scenario.yaml in messages. */
static inline int bind_scenario(spot_scenario_t *self, const char *text, spot_diag_t *diag)
{
    spot_yaml_t document;
    int ret = spot_yaml_parse(&document, "scenario.yaml", text, strlen(text), diag);

    assert_int_equal(ret, 0);
    ret = spot_scenario_init(self, document.root, NULL, diag);
    spot_yaml_free(&document);
    return ret;
}

/* The same where nothing is wrong; warnings are allowed. */
static inline void bind_good_scenario(spot_scenario_t *self, const char *text)
{
    spot_diag_t diag;
    char *report;
    int ret;

    spot_diag_init(&diag);
    ret = bind_scenario(self, text, &diag);
    report = diagnostics(&diag);
    if (ret != 0) {
        print_error("%s%s", text, report);
    }
    assert_int_equal(ret, 0);
    free(report);
    spot_diag_free(&diag);
}

/* tolerance is relative to expected. */
static inline void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance * fabs(expected))) {
        fail_msg("%.17g is not near %.17g", value, expected);
    }
}

/* One run of a scenario. */
static inline spot_train_result_t run_scenario(
    const spot_scenario_t *scenario, uint64_t seed, spot_event_log_t *log)
{
    spot_train_t train;
    spot_train_result_t result;

    assert_int_equal(spot_train_init(&train, scenario), 0);
    assert_int_equal(spot_train_run(&train, seed, 0, log), 0);
    result = train.result;
    spot_train_free(&train);
    return result;
}
