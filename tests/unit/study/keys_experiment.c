/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/study/keys_experiment.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>

#include "base/bind.h"
#include "base/rng.h"

static const spot_metric_t metrics[KEYS_NUM_METRICS] = {
    [KEYS_SUM] = {.name = "sum", .unit = "1", .help = ""},
    [KEYS_SELDOM] = {.name = "seldom", .unit = "1", .help = ""}, /* null where first < 0.1 */
    [KEYS_CONSTANT] = {.name = "constant", .unit = "1", .help = ""},
};

static const char *const modes[] = {"sync", "async", NULL};

static const spot_field_t box_fields[] = {
    {.name = "size",
        .type = SPOT_FIELD_INTEGER,
        .offset = offsetof(keys_scenario_t, box.size),
        .initial = "3"},
    {.name = NULL},
};

static const spot_field_t fields[] = {
    {.name = "first",
        .type = SPOT_FIELD_NUMBER,
        .offset = offsetof(keys_scenario_t, first),
        .initial = "0"},
    {.name = "second",
        .type = SPOT_FIELD_NUMBER,
        .offset = offsetof(keys_scenario_t, second),
        .initial = "0"},
    {.name = "depth",
        .type = SPOT_FIELD_INTEGER,
        .offset = offsetof(keys_scenario_t, depth),
        .min = 1,
        .max = 1e6,
        .initial = "4"},
    {.name = "limit",
        .type = SPOT_FIELD_INTEGER,
        .offset = offsetof(keys_scenario_t, limit),
        .initial = "10"},
    {.name = "pause",
        .type = SPOT_FIELD_DURATION,
        .offset = offsetof(keys_scenario_t, pause_ms),
        .initial = "30 s"},
    {.name = "every",
        .type = SPOT_FIELD_TEXT,
        .offset = offsetof(keys_scenario_t, every),
        .initial = "1 steps"},
    {.name = "mode",
        .type = SPOT_FIELD_CHOICE,
        .offset = offsetof(keys_scenario_t, mode),
        .choices = modes,
        .initial = "async"},
    {.name = "box", .type = SPOT_FIELD_MAP, .offset = 0, .fields = box_fields, .initial = "{}"},
    {.name = NULL},
};

static int bind_keys(void **scenario, const spot_node_t *root, const void *like, spot_diag_t *diag)
{
    keys_scenario_t *self = calloc(1, sizeof(*self));
    int ret;

    (void) like;
    *scenario = self;
    if (self == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    ret = spot_bind_document(fields, root, diag, self);
    if (ret == 0 && self->depth > self->limit) {
        spot_diag_error(diag, root->file, root->line, root->column, "depth is above limit");
        ret = SPOT_ERR_BAD_INPUT;
    }
    return ret;
}

static void free_keys(void *scenario)
{
    keys_scenario_t *self = scenario;

    if (self != NULL) {
        free(self->every);
    }
    free(self);
}

typedef struct {
    const keys_scenario_t *scenario;
    spot_rng_t rng;
} worker_t;

static int open_keys(void **worker, const void *scenario)
{
    worker_t *self = calloc(1, sizeof(*self));

    *worker = self;
    if (self == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->scenario = scenario;
    return 0;
}

static int run_keys(void *worker, const spot_replication_t *wanted, double *values,
    unsigned char *warnings, spot_recording_t *recording)
{
    worker_t *self = worker;
    gsl_rng *rng = spot_rng_gsl(&self->rng);

    (void) warnings;
    (void) recording;
    spot_rng_seek(&self->rng, wanted->seed, wanted->replication, SPOT_STREAM_TYPE, 0);
    values[KEYS_SUM] =
        self->scenario->first + 2 * self->scenario->second + gsl_ran_gaussian(rng, 0.5);
    values[KEYS_SELDOM] = self->scenario->first < 0.1 ? (double) NAN : self->scenario->first;
    values[KEYS_CONSTANT] = 3;
    return 0;
}

static const spot_outputs_t outputs = {
    .num_metrics = KEYS_NUM_METRICS,
    .metrics = metrics,
    .is_random = true,
    .num_replications = 1000,
    .min_replications = 256,
    .batch_replications = 64,
};

static const spot_outputs_t *outputs_of_keys(const void *scenario)
{
    (void) scenario;
    return &outputs;
}

const spot_experiment_t keys_experiment = {
    .name = "keys",
    .fields = fields,
    .bind = bind_keys,
    .free = free_keys,
    .outputs = outputs_of_keys,
    .open = open_keys,
    .close = free,
    .run = run_keys,
};

const spot_experiment_t *const keys_engines[] = {&keys_experiment, NULL};
