/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replications of share/examples/engine_queue.c, for its tests. Include after cmocka.h.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/yaml.h"
#include "sim/bench/engine/experiment.h"

extern const spot_experiment_t spot_engine_queue;

/* Metrics of the engine; from QUEUE_BUSY on one for each server. */
enum { QUEUE_WAIT_MEAN, QUEUE_WAIT_P99, QUEUE_UTILISATION, QUEUE_BUSY };

/* A bound scenario with a worker. */
typedef struct {
    void *scenario;
    void *worker;
    const spot_outputs_t *outputs;
    double *metrics; /* [outputs->num_metrics] of the last replication */
} queue_case_t;

/* keys: the scenario without its name and its engine, "servers: 2\n". */
static inline int queue_case_bind(queue_case_t *self, const char *keys, spot_diag_t *diag)
{
    char text[512];
    spot_yaml_t document;
    int ret;

    memset(self, 0, sizeof(*self));
    snprintf(text, sizeof(text), "scenario: desk\nengine: queue\n%s", keys);
    assert_int_equal(spot_yaml_parse(&document, "queue.yaml", text, strlen(text), diag), 0);
    ret = spot_engine_queue.bind(&self->scenario, document.root, NULL, diag);
    spot_yaml_free(&document);
    return ret;
}

static inline void queue_case_open(queue_case_t *self, const char *keys)
{
    spot_diag_t diag;

    spot_diag_init(&diag);
    if (queue_case_bind(self, keys, &diag) != 0) {
        spot_diag_print(&diag, stderr);
        fail_msg("%s", keys);
    }
    spot_diag_free(&diag);
    self->outputs = spot_engine_queue.outputs(self->scenario);
    self->metrics = calloc(self->outputs->num_metrics, sizeof(*self->metrics));
    assert_non_null(self->metrics);
    assert_int_equal(spot_engine_queue.open(&self->worker, self->scenario), 0);
}

static inline void queue_case_run(
    queue_case_t *self, uint64_t replication, spot_recording_t *recording)
{
    const spot_replication_t wanted = {.seed = 1, .replication = replication};

    assert_int_equal(
        spot_engine_queue.run(self->worker, &wanted, self->metrics, NULL, recording), 0);
}

static inline void queue_case_close(queue_case_t *self)
{
    spot_engine_queue.close(self->worker);
    spot_engine_queue.free(self->scenario);
    free(self->metrics);
}
