/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/study/toy_experiment.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>

#include "base/bind.h"
#include "base/rng.h"

static const spot_metric_t metrics[TOY_NUM_METRICS] = {
    [TOY_NORMAL] = {.name = "normal", .unit = "s", .help = ""},
    [TOY_EXPONENTIAL] = {.name = "exponential", .unit = "1", .help = ""},
    [TOY_RARE] = {.name = "rare", .unit = "1", .help = ""},
    [TOY_CONSTANT] = {.name = "constant", .unit = "1", .help = ""},
    [TOY_NEVER] = {.name = "never", .unit = "1", .help = ""},
    [TOY_SELDOM] = {.name = "seldom", .unit = "1", .help = ""},
};

typedef struct {
    double shift;
    double spread;
    int64_t stream;
} toy_t;

static const spot_field_t fields[] = {
    {.name = "shift",
        .type = SPOT_FIELD_NUMBER,
        .offset = offsetof(toy_t, shift),
        .min = -1e6,
        .max = 1e6,
        .initial = "0"},
    {.name = "spread",
        .type = SPOT_FIELD_NUMBER,
        .offset = offsetof(toy_t, spread),
        .max = 1e6,
        .initial = "2"},
    {.name = "stream",
        .type = SPOT_FIELD_INTEGER,
        .offset = offsetof(toy_t, stream),
        .max = 1e6,
        .initial = "0"},
    {.name = NULL},
};

static int bind_toy(void **scenario, const spot_node_t *root, const void *like, spot_diag_t *diag)
{
    (void) like;
    *scenario = calloc(1, sizeof(toy_t));
    return *scenario == NULL ? SPOT_ERR_NO_MEMORY
                             : spot_bind_document(fields, root, diag, *scenario);
}

typedef struct {
    const toy_t *toy;
    spot_rng_t rng;
} worker_t;

static int open_toy(void **worker, const void *scenario)
{
    worker_t *self = calloc(1, sizeof(*self));

    *worker = self;
    if (self == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->toy = scenario;
    return 0;
}

/* The numbers of a replication are the same at all points of a stream; shift does not
 * change them. */
static int run_toy(void *worker, const spot_replication_t *wanted, double *values,
    unsigned char *warnings, spot_recording_t *recording)
{
    worker_t *self = worker;
    gsl_rng *rng = spot_rng_gsl(&self->rng);
    const double shift = self->toy->shift, spread = self->toy->spread;
    double value;

    (void) warnings;
    (void) recording;
    spot_rng_seek(&self->rng, wanted->seed, wanted->replication, SPOT_STREAM_TYPE,
        (uint64_t) self->toy->stream);
    values[TOY_NORMAL] = 10 + shift + gsl_ran_gaussian(rng, spread);
    value = gsl_ran_exponential(rng, 1);
    values[TOY_EXPONENTIAL] = shift + value + (spread / 2 - 1) * (value - 1);
    values[TOY_RARE] = shift + (gsl_rng_uniform(rng) < 0.2);
    values[TOY_CONSTANT] = 3 + shift;
    values[TOY_NEVER] = (double) NAN;
    values[TOY_SELDOM] = wanted->replication % 2 == 0 ? (double) NAN : values[TOY_NORMAL];
    return 0;
}

static const spot_outputs_t outputs = {
    .num_metrics = TOY_NUM_METRICS,
    .metrics = metrics,
    .is_random = true,
    .num_replications = 1000,
    .min_replications = 256,
    .batch_replications = 64,
};

static const spot_outputs_t *outputs_of_toy(const void *scenario)
{
    (void) scenario;
    return &outputs;
}

const spot_experiment_t toy_experiment = {
    .name = "toy",
    .fields = fields,
    .bind = bind_toy,
    .free = free,
    .outputs = outputs_of_toy,
    .open = open_toy,
    .close = free,
    .run = run_toy,
};

const spot_experiment_t *const toy_engines[] = {&toy_experiment, NULL};
