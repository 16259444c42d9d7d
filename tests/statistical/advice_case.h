/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tests of advice share: questions about jobs from text, and studies that are
 * run again with other seeds and numbers of runs. Include after cmocka.h. */
#pragma once

#include <inttypes.h>
#include <math.h>

#include "base/outfile.h"
#include "base/rng.h"
#include "sim/bench/advise/advise.h"
#include "sim/bench/study/run.h"
#include "sim/bench/study/study.h"
#include "sim/engines.h"
#include "tests/unit/train/fixture.h"

/* ---- Advice ---- */

typedef struct {
    char path[PATH_BYTES]; /* of the job */
    spot_advise_request_t request;
    spot_advice_result_t result;
    spot_study_t study;
    spot_store_t *store;
} advice_t;

/* Writes the job to a file and sets a plain question: change request before it is
 * asked. */
static inline void advice_init(advice_t *self, const char *job)
{
    memset(self, 0, sizeof(*self));
    temporary_path("advice-job.yaml", self->path);
    write_file(self->path, job);
    self->request = (spot_advise_request_t){.engines = spot_engines,
        .path = self->path,
        .question = {.sure = 0.95, .budget = HUGE_VAL},
        .max_replications = 20000,
        .seed = 1,
        .num_threads = 2};
}

static inline int advice_try(advice_t *self, spot_diag_t *diag)
{
    spot_diag_init(diag);
    return spot_advise(&self->request, &self->result, &self->study, &self->store, diag);
}

/* Frees the answer, so that it can be asked again. */
static inline void advice_reset(advice_t *self)
{
    if (self->store != NULL) {
        self->store->close(self->store);
    }
    spot_study_free(&self->study);
    spot_advice_result_free(&self->result);
}

static inline void advice_free(advice_t *self)
{
    advice_reset(self);
    assert_int_equal(unlink(self->path), 0);
}

/* Asks where nothing is wrong. */
static inline void advice_ask(advice_t *self)
{
    spot_diag_t diag;
    const int ret = advice_try(self, &diag);

    spot_diag_print(&diag, stderr);
    assert_int_equal(ret, 0);
    assert_true(self->result.num_advised > 0);
    spot_diag_free(&diag);
}

/* ---- Studies ---- */

typedef struct {
    spot_study_t study;
    spot_store_t *store;
} rerun_t;

static inline void rerun_init(rerun_t *self, const char *text)
{
    const spot_study_run_t run = {.num_threads = 2};
    char path[PATH_BYTES];
    spot_diag_t diag;
    int ret;

    spot_diag_init(&diag);
    temporary_path("advice-rerun.yaml", path);
    write_file(path, text);
    ret = spot_study_read(&self->study, spot_engines, path, NULL, &diag);
    if (ret != 0) {
        spot_diag_print(&diag, stderr);
        print_error("%s", text);
    }
    assert_int_equal(ret, 0);
    assert_int_equal(unlink(path), 0);
    spot_diag_free(&diag);
    assert_int_equal(spot_store_open_memory(&self->store, &self->study.head), 0);
    assert_int_equal(spot_study_run(&self->study, self->store, &run, NULL), 0);
}

static inline void rerun_free(rerun_t *self)
{
    self->store->close(self->store);
    spot_study_free(&self->study);
}

static inline int rerun_take(void *estimate, const spot_row_t *row)
{
    return spot_estimate_add(estimate, row->metrics);
}

/* An estimate of a point, with its interval if low and high are not NULL. */
static inline double rerun_estimate(
    const rerun_t *self, size_t point_id, const char *name, double *low, double *high)
{
    const spot_study_head_t *head = &self->study.head;
    const size_t metric_id = spot_study_metric_id(head, name);
    spot_estimate_t estimate;
    double value;

    assert_true(metric_id < head->num_metrics);
    spot_estimate_init(&estimate, head, metric_id);
    assert_int_equal(self->store->read(self->store, point_id, 0, rerun_take, &estimate), 0);
    value = spot_estimate_value(&estimate);
    if (low != NULL) {
        spot_estimate_bounds(&estimate, 0.95, low, high);
    }
    spot_estimate_free(&estimate);
    return value;
}

/* A study of an advice with so many runs of each point and another seed. The caller
 * frees the text. */
static inline char *full_study_text(const char *study_text, int num_runs, int64_t seed)
{
    const char *optimise = strstr(study_text, "\noptimise:\n"),
               *over = strstr(study_text, "\n    over:\n"),
               *replications = strstr(study_text, "\nreplications: "), *metrics;
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    assert_true(optimise != NULL && over != NULL && replications != NULL);
    metrics = strchr(replications + 1, '\n');
    fprintf(out, "%.*s\nsweep:\n%.*s\nreplications: {count: %d, seed: %" PRId64 "}%s",
        (int) (optimise - study_text), study_text,
        (int) (replications - over) - (int) strlen("\n    over:\n"), over + strlen("\n    over:\n"),
        num_runs, seed, metrics);
    assert_int_equal(fclose(out), 0);
    return text;
}

/* The same of some points of it, each with more keys: "" or ", KEY: VALUE". */
static inline char *some_points_text(const char *study_text, size_t num_points,
    const char *const *points, const char *more, int num_runs, int64_t seed)
{
    const char *optimise = strstr(study_text, "\noptimise:\n");
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_true(out != NULL && optimise != NULL);
    fprintf(out, "%.*s\nsweep:\n", (int) (optimise - study_text), study_text);
    for (size_t j = 0; j < num_points; j++) {
        fprintf(out, "    - %.*s%s}\n", (int) strlen(points[j]) - 1, points[j], more);
    }
    fprintf(out,
        "replications: {count: %d, seed: %" PRId64 "}\n"
        "metrics: [cost_usd, p95(cost_usd), \"probability(met_deadline)\"]\n",
        num_runs, seed);
    assert_int_equal(fclose(out), 0);
    return text;
}

/* The point of the study that is a text. */
static inline size_t find_point(const char *study_text, const char *point)
{
    const char *found = strstr(study_text, point);
    size_t point_id = 0;

    assert_non_null(found);
    for (const char *line = strstr(study_text, "\n        - {") + 1;
         line + strlen("        - ") != found; line = strchr(line, '\n') + 1) {
        point_id++;
    }
    return point_id;
}

/* A study of one scenario. The caller frees the text. */
static inline char *scenario_study_text(const char *scenario, int num_runs, int64_t seed)
{
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    fprintf(out, "study: again\nscenario:\n");
    for (const char *line = scenario; *line != '\0';) {
        const size_t length = strcspn(line, "\n");

        fprintf(out, "    %.*s\n", (int) length, line);
        line += length + (line[length] == '\n');
    }
    fprintf(out,
        "replications: {count: %d, seed: %" PRId64 "}\n"
        "metrics: [cost_usd, \"probability(met_deadline)\"]\n",
        num_runs, seed);
    assert_int_equal(fclose(out), 0);
    return text;
}
