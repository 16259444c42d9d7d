/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A scenario of an input pipeline: a loader, the batches it feeds, and how its times
 * spread. It is also the model file of the commands `spotsim input`, for which the key
 * input alone is enough. Constant after reading. */
#pragma once

#include "base/rng.h"
#include "models/loader/loader.h"
#include "models/loader/npy.h"
#include "sim/bench/engine/experiment.h"

#define SPOT_INPUT_MAX_BATCHES 10000000 /* of an epoch */

/* How times spread about their mean: the law of time / mean, whose mean is 1. */
typedef struct {
    int kind;     /* 0: constant */
    double cv;    /* standard deviation / mean of lognormal and gamma */
    double sigma; /* of the logarithm of lognormal */
    char *file;
    spot_npy_t measured; /* times of the file / their mean, which are drawn again */
} spot_input_law_t;

typedef struct {
    spot_outputs_t outputs; /* of the engine; first, see spot_plain_outputs() */
    spot_loader_t loader;
    int64_t batch;      /* samples */
    int64_t compute_ns; /* of a batch in the training loop; -1: not given */
    spot_loader_range_t fitted;
    spot_input_law_t read, decode; /* the key spread */
} spot_input_scenario_t;

/* Every key with its default and its help. */
extern const spot_field_t spot_input_fields[];

/* As the experiment has it: whether the default of a key has a bearing. */
bool spot_input_decides(const void *scenario, const spot_node_t *root, const char *key);

/* Binds a document: with the key input, or its content at the top. BAD_INPUT with the
 * reasons in diag, NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_input_scenario_init(
    spot_input_scenario_t *self, const spot_node_t *root, spot_diag_t *diag);
void spot_input_scenario_free(spot_input_scenario_t *self);

/* A draw of time / mean. */
double spot_input_law_draw(const spot_input_law_t *self, spot_rng_t *rng);

/* The epoch of a scenario with samples and compute. */
spot_loader_work_t spot_input_scenario_work(const spot_input_scenario_t *self);

extern const spot_experiment_t spot_input_experiment;

/* Its verbs. */
extern const struct spot_verb spot_verb_input_table, spot_verb_input_place, spot_verb_input_search,
    spot_verb_input_fit, spot_verb_input_predict;
