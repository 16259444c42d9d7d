/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A scenario of the engine input with a worker, for tests. Include after cmocka.h. */
#pragma once

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/input/scenario.h"

#define MAX_METRICS 40

typedef struct {
    spot_yaml_t document;
    void *scenario, *worker;
    const spot_outputs_t *outputs;
    double values[MAX_METRICS];
    unsigned char warnings[SPOT_MAX_WARNINGS];
} input_case_t;

static inline void input_case_open(input_case_t *self, const char *text)
{
    const spot_experiment_t *engine = &spot_input_experiment;
    spot_diag_t diag;

    memset(self, 0, sizeof(*self));
    spot_diag_init(&diag);
    if (spot_yaml_parse(&self->document, "case", text, strlen(text), &diag) != 0 ||
        engine->bind(&self->scenario, self->document.root, NULL, &diag) != 0) {
        spot_diag_print(&diag, stderr);
        fail_msg("%s", text);
    }
    spot_diag_free(&diag);
    self->outputs = engine->outputs(self->scenario);
    assert_true(self->outputs->num_metrics <= MAX_METRICS);
    assert_int_equal(engine->open(&self->worker, self->scenario), 0);
}

static inline void input_case_close(input_case_t *self)
{
    spot_input_experiment.close(self->worker);
    spot_input_experiment.free(self->scenario);
    spot_yaml_free(&self->document);
}

static inline void input_case_run(
    input_case_t *self, uint64_t replication, spot_recording_t *recording)
{
    const spot_replication_t wanted = {.seed = 7, .replication = replication};

    memset(self->warnings, 0, sizeof(self->warnings));
    assert_int_equal(
        spot_input_experiment.run(self->worker, &wanted, self->values, self->warnings, recording),
        0);
    spot_metrics_derive(self->outputs->metrics, self->outputs->num_metrics, self->values);
}

static inline double input_case_value(const input_case_t *self, const char *name)
{
    const size_t id = spot_outputs_metric_id(self->outputs, name);

    assert_true(id < self->outputs->num_metrics);
    return self->values[id];
}

/* Writes a .npy file of values. */
static inline void input_case_write(const char *path, size_t num, const double *values)
{
    FILE *file = fopen(path, "wb");
    char header[118];

    assert_non_null(file);
    memset(header, ' ', sizeof(header));
    header[snprintf(header, sizeof(header),
        "{'descr': '<f8', 'fortran_order': False, 'shape': (%zu,), }", num)] = ' ';
    header[sizeof(header) - 1] = '\n';
    fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, file);
    fwrite(header, 1, sizeof(header), file);
    fwrite(values, sizeof(*values), num, file);
    assert_int_equal(fclose(file), 0);
}
