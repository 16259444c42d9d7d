/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace model: a generator with its parameters, or a recorded trace, bound from the
 * "trace:" mapping of a scenario or from a model file of its own. Constant after init,
 * so that all threads share it. */
#ifndef SPOT_TRACES_GENERATE_MODEL_H
#define SPOT_TRACES_GENERATE_MODEL_H

#include "traces/generate/generator.h"

typedef struct {
    const spot_generator_t *generator;
    void *model; /* generator->model_size bytes, starts with spot_model_common_t */
    const spot_trace_t *recording; /* NULL for a generator of new traces */
} spot_trace_model_t;

/* Binds node, the value of "trace:", which may also be the path of a model file. like: a
 * model bound before, by the same thread, whose recordings are shared, or NULL; it may
 * be freed first. setting NULL: a model file, which must bring its own capacity and
 * initial, and whose tick is 60 s unless it says otherwise. BAD_INPUT, IO, NO_MEMORY
 * with the reasons in the diagnostics of bind; free self even then. */
SPOT_MUST_CHECK int spot_trace_model_init(spot_trace_model_t *self, spot_bind_t *bind,
    const spot_node_t *node, const spot_trace_setting_t *setting,
    const spot_trace_model_t *like);

/* The options by which a map is bound, or NULL. */
const spot_field_t *spot_trace_model_table(const spot_node_t *node);

/* Binds a model file of its own: "spotsim-model: 1" and the keys of "trace:". */
SPOT_MUST_CHECK int spot_trace_model_read(
    spot_trace_model_t *self, const spot_node_t *root, spot_diag_t *diag);

void spot_trace_model_free(spot_trace_model_t *self);

/* Memory of one replication's state. */
size_t spot_trace_model_state_bytes(const spot_trace_model_t *self);

/* The part that all models have. */
const spot_model_common_t *spot_trace_model_common(const spot_trace_model_t *self);

/* The zones of its instances; num_zones 0: they are all alike. */
const spot_zones_t *spot_trace_model_zones(const spot_trace_model_t *self);

/* Whether the trace says what every instance costs, so that the fleet's price does not
 * count. */
bool spot_trace_model_has_price(const spot_trace_model_t *self);

/* Another horizon than that of the model; > 0. Not while a replication is under way. */
void spot_trace_model_set_horizon(spot_trace_model_t *self, int64_t horizon_ms);

/* The most instances that a replication has at time 0: the recording's own, the
 * setting's, or what the generator says. */
int64_t spot_trace_model_initial(const spot_trace_model_t *self);

/* When the model ends, so that the last instances stay; 0: never. */
int64_t spot_trace_model_end_ms(const spot_trace_model_t *self);

/* Whether the population may fall below 0 or rise above the capacity, and whether it may
 * do the second: defects of the seed study's notebook. */
bool spot_trace_model_is_unlimited(const spot_trace_model_t *self);
bool spot_trace_model_is_unbounded(const spot_trace_model_t *self);

/* When a loss of more instances than there are ended a replication that has no next
 * event; -1: it did not. */
int64_t spot_trace_model_stopped_ms(const spot_trace_model_t *self, const void *state);

/* Whether the model itself says it, so that a scenario's fleet.initial does not count;
 * also of a model that could not be bound, as far as it is known. */
bool spot_trace_model_has_initial(const spot_trace_model_t *self);

/* The same of the map of a "trace:", before it is bound; false where it cannot be said.
 */
bool spot_trace_node_has_initial(const spot_node_t *node);

#endif
