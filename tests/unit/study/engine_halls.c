/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/study/engine_halls.h"

#include <gsl/gsl_randist.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bind.h"
#include "base/rng.h"

#define NAME_BYTES 48

atomic_llong halls_num_runs;
atomic_llong halls_num_bound;

typedef struct {
    char *name;
    int64_t servers;
    double load;
    int chance;
    int64_t batch;
    char *unit;
    char *closed;
    char (*names)[NAME_BYTES]; /* [servers] */
    spot_metric_t *metrics;    /* [1 + servers] */
    spot_outputs_t outputs;
} halls_t;

static const spot_field_t fields[] = {
    {.name = "scenario",
        .type = SPOT_FIELD_TEXT,
        .offset = offsetof(halls_t, name),
        .initial = "halls",
        .help = "name of the scenario"},
    SPOT_ENGINE_FIELD,
    {.name = "servers",
        .type = SPOT_FIELD_INTEGER,
        .offset = offsetof(halls_t, servers),
        .min = 1,
        .max = 1000,
        .initial = "1",
        .help = "servers of the hall"},
    {.name = "load",
        .type = SPOT_FIELD_NUMBER,
        .offset = offsetof(halls_t, load),
        .max = 1,
        .initial = "0.5",
        .help = "share of the time in which servers are busy"},
    {.name = "chance",
        .type = SPOT_FIELD_CHOICE,
        .offset = offsetof(halls_t, chance),
        .choices = spot_no_yes,
        .initial = "yes",
        .help = "whether replications differ"},
    {.name = "batch",
        .type = SPOT_FIELD_INTEGER,
        .offset = offsetof(halls_t, batch),
        .min = 1,
        .max = 1000,
        .initial = "64",
        .help = "replications in a unit of work"},
    {.name = "unit",
        .type = SPOT_FIELD_TEXT,
        .offset = offsetof(halls_t, unit),
        .initial = "s",
        .help = "what wait_mean_s counts"},
    {.name = "closed",
        .type = SPOT_FIELD_TEXT,
        .offset = offsetof(halls_t, closed),
        .initial = "no",
        .help = "no, or why the hall cannot open"},
    {.name = NULL},
};

/* ---- Scenarios ---- */

static int make_metrics(halls_t *self)
{
    self->names = calloc((size_t) self->servers, sizeof(*self->names));
    self->metrics = calloc(1 + (size_t) self->servers, sizeof(*self->metrics));
    if (self->names == NULL || self->metrics == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->metrics[0] = (spot_metric_t){.name = "wait_mean_s",
        .unit = self->unit,
        .help = "mean wait",
        .kind = SPOT_METRIC_TIME,
        .better = SPOT_BETTER_LOWER};
    for (int64_t j = 0; j < self->servers; j++) {
        snprintf(self->names[j], NAME_BYTES, "busy_fraction.server-%lld", (long long) j + 1);
        self->metrics[1 + j] = (spot_metric_t){.name = self->names[j],
            .unit = "1",
            .help = "share of the time in which the server is busy",
            .kind = SPOT_METRIC_SHARE};
    }
    self->outputs = (spot_outputs_t){.num_metrics = 1 + (size_t) self->servers,
        .metrics = self->metrics,
        .is_random = self->chance == 1,
        .num_replications = 30,
        .min_replications = 10,
        .batch_replications = self->batch};
    return 0;
}

/* A hall that is closed cannot run. */
static int check_open(halls_t *self, const spot_node_t *root, spot_diag_t *diag)
{
    const spot_node_t *node = spot_node_get(root, "closed");

    if (strcmp(self->closed, "no") == 0) {
        return 0;
    }
    self->outputs.cannot_run = self->closed;
    spot_diag_error(diag, node->file, node->line, node->column, "closed: %s", self->closed);
    return SPOT_ERR_CANNOT_RUN;
}

static int bind_halls(void **scenario, const spot_node_t *root, const void *like, spot_diag_t *diag)
{
    halls_t *self = calloc(1, sizeof(*self));
    int ret;

    (void) like;
    *scenario = self;
    if (self == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    atomic_fetch_add(&halls_num_bound, 1);
    ret = spot_bind_document(fields, root, diag, self);
    ret = ret == 0 ? make_metrics(self) : ret;
    return ret == 0 ? check_open(self, root, diag) : ret;
}

static void free_halls(void *scenario)
{
    halls_t *self = scenario;

    if (self != NULL) {
        atomic_fetch_add(&halls_num_bound, -1);
        free(self->name);
        free(self->unit);
        free(self->closed);
        free(self->names);
        free(self->metrics);
    }
    free(self);
}

static const spot_outputs_t *outputs_of_halls(const void *scenario)
{
    return &((const halls_t *) scenario)->outputs;
}

/* ---- Runs ---- */

typedef struct {
    const halls_t *halls;
    spot_rng_t rng;
} worker_t;

static int open_halls(void **worker, const void *scenario)
{
    worker_t *self = calloc(1, sizeof(*self));

    *worker = self;
    if (self == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->halls = scenario;
    return 0;
}

static int run_halls(void *worker, const spot_replication_t *wanted, double *values,
    unsigned char *warnings, spot_recording_t *recording)
{
    worker_t *self = worker;
    const halls_t *halls = self->halls;
    double noise;

    (void) warnings;
    (void) recording;
    atomic_fetch_add(&halls_num_runs, 1);
    spot_rng_seek(&self->rng, wanted->seed, wanted->replication, SPOT_STREAM_TYPE, 0);
    noise = halls->chance == 1 ? gsl_ran_gaussian(spot_rng_gsl(&self->rng), 1) : 0;
    values[0] = 10 * halls->load + noise;
    for (int64_t j = 0; j < halls->servers; j++) {
        values[1 + j] = (halls->load + 0.01 * noise) / (double) (j + 2);
    }
    return 0;
}

const spot_experiment_t spot_engine_halls = {
    .name = "halls",
    .summary = "Halls of servers, made up for tests",
    .doc = "Each server is busy for a part of the time.",
    .fields = fields,
    .bind = bind_halls,
    .free = free_halls,
    .outputs = outputs_of_halls,
    .open = open_halls,
    .close = free,
    .run = run_halls,
};

const spot_experiment_t *const halls_engines[] = {&spot_engine_halls, NULL};
