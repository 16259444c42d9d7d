/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace model: a generator with its parameters, or a recorded trace, bound from the
 * map "trace:" of a scenario or from a model file.
 *
 * This module owns the binding, the list of generators, the replication on the clock of
 * the run, the recorded trace as a generator ({file: PATH}), and the run under way that
 * goes on with a model. A model is constant after init, so that all threads share it.
 *
 * Use: spot_trace_model_bind() a node or spot_trace_model_read() a file; events come
 * from membership.h, or from spot_trace_model_next() with a state of
 * spot_trace_model_state_bytes(); spot_trace_model_free(). */
#pragma once

#include "traces/generate/generator.h"

typedef struct {
    const spot_generator_t *generator;
    void *model; /* generator->model_size bytes, starts with spot_model_common_t */
    const spot_trace_t *recording; /* NULL for a generator of new traces */
    uint64_t key;                  /* equal only for models of the same document and setting */
} spot_trace_model_t;

/* Binds node, the value of "trace:", which may also name a model file. like:
 * an earlier model of the same thread, whose recordings are shared, or NULL; it may be
 * freed first. setting NULL: node is a model file, which must give capacity and initial
 * and whose tick is 60 s by default. BAD_INPUT, IO, NO_MEMORY with the reasons in the
 * diagnostics of bind; free self even then. */
SPOT_MUST_CHECK int spot_trace_model_init(spot_trace_model_t *self, spot_bind_t *bind,
    const spot_node_t *node, const spot_trace_setting_t *setting, const spot_trace_model_t *like);

/* The same; the path of a trace file is short for {file: PATH}, and without a setting,
 * too, node may name a model file. Zeroed self. */
SPOT_MUST_CHECK int spot_trace_model_bind(spot_trace_model_t *self, spot_bind_t *bind,
    const spot_node_t *node, const spot_trace_setting_t *setting, const spot_trace_model_t *like);

/* Makes the model of a recorded trace in memory, which must outlive self. Its population
 * at time 0 must not exceed its capacity. NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_trace_model_of(spot_trace_model_t *self, const spot_trace_t *trace);

/* The table of options that binds a map, or NULL. */
const spot_field_t *spot_trace_model_table(const spot_node_t *node);

/* The fields of {model: PATH}, which names a model file. */
extern const spot_field_t spot_model_file_fields[];

/* The path of the model file that the value of a "trace:" names: the value itself or
 * that of its key "model". NULL: it names none. */
const spot_node_t *spot_trace_node_model(const spot_node_t *node);

/* Binds a model file: "spotsim-model: 1" and the keys of "trace:". Errors as
 * spot_trace_model_init(), in diag. */
SPOT_MUST_CHECK int spot_trace_model_read(
    spot_trace_model_t *self, const spot_node_t *root, spot_diag_t *diag);

void spot_trace_model_free(spot_trace_model_t *self);

/* Bytes of the state of one replication. */
size_t spot_trace_model_state_bytes(const spot_trace_model_t *self);

/* The common part of the model. */
const spot_model_common_t *spot_trace_model_common(const spot_trace_model_t *self);

/* The zones of the instances; num_zones 0: there are none. */
const spot_zones_t *spot_trace_model_zones(const spot_trace_model_t *self);

/* The first currency that one of its prices says it is in and that is not except; NULL:
 * there is none. */
const char *spot_trace_model_currency(const spot_trace_model_t *self, const char *except);

/* Whether the trace gives the price of every instance, which replaces that of the
 * fleet. */
bool spot_trace_model_has_price(const spot_trace_model_t *self);

/* Sets another horizon, > 0. Not allowed during a replication. */
void spot_trace_model_set_horizon(spot_trace_model_t *self, int64_t horizon_ms);

/* The most instances of a replication at time 0: those of the generator, of the
 * recording, or of the setting. */
int64_t spot_trace_model_initial(const spot_trace_model_t *self);

/* As those of the generator, but on the clock of the run. next: its name_ids are valid
 * until the next call. next_many: several, of a generator whose events name no
 * instances; fewer than max_events: there is no further one. next_until and lose: the
 * generator has them. after_ms: the latest last_ms. */
bool spot_trace_model_next(const spot_trace_model_t *self, void *state, spot_event_t *event);
size_t spot_trace_model_next_many(
    const spot_trace_model_t *self, void *state, size_t max_events, spot_event_t *events);
bool spot_trace_model_next_until(
    const spot_trace_model_t *self, void *state, int64_t last_ms, spot_event_t *event);
const int32_t *spot_trace_model_lose(
    const spot_trace_model_t *self, void *state, double time_s, int64_t after_ms, int32_t num_lost);

/* The instances at time 0 of the replication that state has started. */
int64_t spot_trace_model_initial_of(const spot_trace_model_t *self, const void *state);

/* The time at which the model ends and the last instances stay; 0: it does not end. */
int64_t spot_trace_model_end_ms(const spot_trace_model_t *self);

/* Whether the population may fall below 0 or rise above the capacity (is_unlimited), and
 * whether it may rise above it (is_unbounded): defects of the seed study's notebook. */
bool spot_trace_model_is_unlimited(const spot_trace_model_t *self);
bool spot_trace_model_is_unbounded(const spot_trace_model_t *self);

/* The time at which a loss of more instances than live ended a replication, once that
 * has no next event; -1: none did. */
int64_t spot_trace_model_stopped_ms(const spot_trace_model_t *self, const void *state);

/* Whether the model itself gives the initial instances, so that fleet.initial of a
 * scenario is ignored. Also for a model that could not be bound, if its generator is
 * known. */
bool spot_trace_model_has_initial(const spot_trace_model_t *self);

/* The same for the map of a "trace:" before it is bound; false if unknown. */
bool spot_trace_node_has_initial(const spot_node_t *node);

/* ---- A run that is under way ----
 * The trace of a run that is under way: what was recorded so far, then a model. */

/* Lets a model go on where a recording ends, with the instances that it then has. Takes
 * over model, bound with these as its initial ones, and so_far; where the model starts
 * with others the population jumps to them. Victims after the recording are uniform. The
 * price of the model counts from the start of the recording. Models with zones cannot go
 * on: nobody knows the zones of the instances so far. NO_MEMORY: nothing is taken
 * over. */
SPOT_MUST_CHECK int spot_trace_model_go_on(
    spot_trace_model_t *model, spot_recorded_trace_t *so_far);

/* The model that goes on; model itself if it is none that does. */
const spot_trace_model_t *spot_trace_model_rest(const spot_trace_model_t *model);

/* The recording of so far, or NULL. */
const spot_recorded_trace_t *spot_trace_model_so_far(const spot_trace_model_t *model);
