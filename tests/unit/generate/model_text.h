/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tests of generated traces share: models from YAML text and the events of a
 * replication. Include after cmocka.h. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/memory.h"
#include "base/yaml.h"
#include "traces/generate/model.h"

/* The fitted parameters of the seed study; p and sizes in the same order. */
#define SEED_STUDY                                                                                 \
    "preemption: {per_minute: 0.16338028169014085, count: {moments: {mean: "                       \
    "2.413793103448276, std: 2.086165648825032}}}\n"                                               \
    "addition: {per_minute: 0.14366197183098592, count: {moments: {mean: "                         \
    "2.5416666666666665, std: 1.9456261184790364}}, "                                              \
    "big: {probability: 0.058823529411764705, range: [11, 31]}}\n"

/* A renewal process with every kind of gap. */
#define MRP_STUDY                                                                                  \
    "generator: mrp\ncapacity: 32\ninitial: 18\n"                                                  \
    "p_preempt_after: {preempt: 0.58, add: 0.24}\n"                                                \
    "gaps_s: {preempt_preempt: {family: hyperexp2, p1: 0.95, mu1: 110, mu2: 1700}, "               \
    "preempt_add: {family: exponential, mu: 290}, add_preempt: {family: exponential, "             \
    "mu: 250}, add_add: {family: gamma, shape: 0.5, scale: 240}, full: {family: "                  \
    "exponential, mu: 420}, empty: {family: exponential, mu: 250}}\n"                              \
    "bulk: {preempt: {law: all-or-geometric, pi_all: 0, p: 0.47}, add: {law: "                     \
    "all-or-geometric, pi_all: 0.1, p: 0.44}}\n"

/* Binds a model file given as text; free the model even if it fails. */
static inline int parse_model(spot_trace_model_t *model, const char *text, spot_diag_t *diag)
{
    spot_yaml_t document;
    int ret;

    memset(model, 0, sizeof(*model));
    ret = spot_yaml_parse(&document, "model.yaml", text, strlen(text), diag);
    if (ret == 0) {
        ret = spot_trace_model_read(model, document.root, diag);
    }
    spot_yaml_free(&document);
    return ret;
}

/* The same for a model that has no faults. */
static inline void make_model(spot_trace_model_t *model, const char *text)
{
    spot_diag_t diag;
    int ret;

    spot_diag_init(&diag);
    ret = parse_model(model, text, &diag);
    spot_diag_print(&diag, stderr);
    assert_int_equal(ret, 0);
    assert_int_equal(diag.num_errors, 0);
    spot_diag_free(&diag);
}

/* A replication of a model under way. */
typedef struct {
    const spot_trace_model_t *model;
    void *state;
} events_t;

static inline void events_init(events_t *self, const spot_trace_model_t *model)
{
    self->model = model;
    self->state = spot_calloc(1, spot_trace_model_state_bytes(model));
    assert_non_null(self->state);
}

static inline void events_start(events_t *self, uint64_t seed, uint64_t replication)
{
    const spot_dice_t dice = {.seed = seed, .replication = replication};

    self->model->generator->start(self->state, self->model->model, &dice);
}

static inline bool events_next(events_t *self, spot_event_t *event)
{
    return self->model->generator->next(self->state, event);
}

static inline void events_free(events_t *self)
{
    free(self->state);
}
