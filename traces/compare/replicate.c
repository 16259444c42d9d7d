/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/compare/replicate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"

/* Called for each replication. */
typedef int (*visit_t)(void *context, int64_t replication, const spot_observation_t *observation);

static int record(
    const spot_replicate_t *self, void *state, int64_t replication, spot_observation_t *observation)
{
    const spot_dice_t dice = {self->seed, (uint64_t) replication, 0};
    spot_event_t event;
    int ret = 0;

    self->model->generator->start(state, self->model->model, &dice);
    spot_observation_start(observation, &self->frame,
        spot_trace_model_initial_of(self->model, state),
        spot_trace_model_is_unlimited(self->model));
    while (ret == 0 && spot_trace_model_next(self->model, state, &event) &&
           (double) event.time_ms <= self->frame.end_ms) {
        ret = spot_observation_take(observation, event.time_ms, event.kind, event.count);
    }
    if (ret == 0 && spot_trace_model_stopped_ms(self->model, state) >= 0) {
        ret = SPOT_ERR_OVERDRAW; /* the rest of the replication is missing */
    }
    return ret == 0 ? spot_observation_finish(observation) : ret;
}

static int visit_all(const spot_replicate_t *self, visit_t visit, void *context)
{
    void *state = spot_calloc(1, spot_trace_model_state_bytes(self->model));
    spot_observation_t observation = {0};
    int ret = state == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (int64_t j = 0; ret == 0 && j < self->num_replications; j++) {
        ret = spot_watch_is_stopped(&self->watch) ? SPOT_ERR_INTERRUPTED
                                                  : record(self, state, j, &observation);
        if (ret == 0) {
            ret = visit(context, j, &observation);
            spot_watch_report(&self->watch, j + 1, self->num_replications);
        }
    }
    spot_observation_free(&observation);
    free(state);
    return ret;
}

typedef struct {
    const spot_fidelity_t *against;
    spot_fidelity_t fidelity;
    spot_moments_t *moments; /* [SPOT_FIDELITY_NUM_METRICS] */
} measuring_t;

static int measure(void *context, int64_t replication, const spot_observation_t *observation)
{
    measuring_t *self = context;
    double metrics[SPOT_FIDELITY_NUM_METRICS];
    const int ret = spot_fidelity_measure(&self->fidelity, observation, self->against);

    (void) replication;
    if (ret != 0) {
        return ret;
    }
    spot_fidelity_compare(&self->fidelity, self->against, metrics);
    for (int j = 0; j < SPOT_FIDELITY_NUM_METRICS; j++) {
        if (isfinite(metrics[j])) {
            spot_moments_add(&self->moments[j], metrics[j]);
        }
    }
    return 0;
}

int spot_replicate_fidelity(const spot_replicate_t *self, const spot_fidelity_t *against,
    spot_moments_t moments[SPOT_FIDELITY_NUM_METRICS])
{
    measuring_t measuring = {.against = against, .moments = moments};
    int ret;

    memset(moments, 0, SPOT_FIDELITY_NUM_METRICS * sizeof(*moments));
    ret = visit_all(self, measure, &measuring);
    spot_fidelity_free(&measuring.fidelity);
    return ret;
}

/* State of sampling the replications. */
typedef struct {
    const spot_band_t *band;
    size_t stride; /* ticks from point to point of a population */
    int direction; /* of gaps */
    int64_t num_replications;
    double *values; /* [points][num_replications]; NAN: none */
    spot_counts_t ticks;
    spot_fidelity_t fidelity;
} sampling_t;

static double *value_at(const sampling_t *self, size_t point_id, int64_t replication)
{
    return &self->values[point_id * (size_t) self->num_replications + (size_t) replication];
}

static int sample_population(
    void *context, int64_t replication, const spot_observation_t *observation)
{
    sampling_t *self = context;
    const int ret = spot_counts_of_population(&self->ticks, observation);
    const spot_counts_run_t *run = self->ticks.runs;
    size_t num_before = 0; /* ticks of earlier runs */

    for (size_t j = 0; ret == 0 && j < self->band->num_points; j++) {
        while (num_before + (size_t) run->num_values <= j * self->stride) {
            num_before += (size_t) run->num_values;
            run++;
        }
        *value_at(self, j, replication) = (double) run->value;
    }
    return ret;
}

static int sample_gaps(void *context, int64_t replication, const spot_observation_t *observation)
{
    sampling_t *self = context;
    const int ret = spot_fidelity_take_figures(&self->fidelity, observation);
    const spot_fidelity_sample_t *gaps_s = &self->fidelity.gaps_s[self->direction];
    const double num_gaps = (double) gaps_s->num_values;
    size_t num_up_to = 0;

    for (size_t j = 0; ret == 0 && j < self->band->num_points; j++) {
        while (
            num_up_to < gaps_s->num_values && gaps_s->values[num_up_to] <= self->band->time_s[j]) {
            num_up_to++;
        }
        *value_at(self, j, replication) =
            num_gaps > 0 ? 1 - (double) num_up_to / num_gaps : (double) NAN;
    }
    return ret;
}

static void take_quantiles(spot_band_t *self, const sampling_t *sampling, double *sorted)
{
    for (size_t j = 0; j < self->num_points; j++) {
        size_t num_values = 0;

        for (int64_t k = 0; k < sampling->num_replications; k++) {
            const double value = *value_at(sampling, j, k);

            if (!isnan(value)) {
                sorted[num_values++] = value;
            }
        }
        spot_sort(sorted, num_values);
        self->low[j] = spot_quantile(sorted, num_values, 0.05);
        self->median[j] = spot_quantile(sorted, num_values, 0.5);
        self->high[j] = spot_quantile(sorted, num_values, 0.95);
    }
}

static int allocate(spot_band_t *self, size_t num_points)
{
    memset(self, 0, sizeof(*self));
    self->num_points = num_points;
    SPOT_ARENA_ARRAY(&self->memory, self->time_s, num_points);
    SPOT_ARENA_ARRAY(&self->memory, self->low, num_points);
    SPOT_ARENA_ARRAY(&self->memory, self->median, num_points);
    SPOT_ARENA_ARRAY(&self->memory, self->high, num_points);
    return self->memory.error;
}

/* Fills a band whose times are set. */
static int fill(
    spot_band_t *self, const spot_replicate_t *replicate, sampling_t *sampling, visit_t visit)
{
    const size_t num_replications = (size_t) replicate->num_replications;
    double *sorted = spot_calloc(num_replications, sizeof(*sorted));
    int ret = SPOT_ERR_NO_MEMORY;

    sampling->band = self;
    sampling->num_replications = replicate->num_replications;
    sampling->values = spot_calloc(self->num_points, num_replications * sizeof(*sampling->values));
    if (sorted != NULL && sampling->values != NULL) {
        ret = visit_all(replicate, visit, sampling);
    }
    if (ret == 0) {
        take_quantiles(self, sampling, sorted);
    }
    spot_counts_free(&sampling->ticks);
    spot_fidelity_free(&sampling->fidelity);
    free(sampling->values);
    free(sorted);
    return ret;
}

int spot_band_init(spot_band_t *self, const spot_replicate_t *replicate, size_t max_points)
{
    const double tick_ms = (double) replicate->frame.tick_ms;
    const size_t num_ticks = (size_t) floor(replicate->frame.end_ms / tick_ms) + 1;
    sampling_t sampling = {0};
    int ret;

    spot_bug_assert(max_points > 0 && replicate->num_replications > 0);
    sampling.stride = (num_ticks + max_points - 1) / max_points;
    ret = allocate(self, (num_ticks + sampling.stride - 1) / sampling.stride);
    for (size_t j = 0; ret == 0 && j < self->num_points; j++) {
        self->time_s[j] = (double) (j * sampling.stride) * tick_ms / (double) SPOT_MS_PER_S;
    }
    return ret == 0 ? fill(self, replicate, &sampling, sample_population) : ret;
}

int spot_band_init_gaps(spot_band_t *self, const spot_replicate_t *replicate, int direction,
    size_t num_points, const double *time_s)
{
    sampling_t sampling = {.direction = direction};
    int ret;

    spot_bug_assert(num_points > 0 && replicate->num_replications > 0);
    ret = allocate(self, num_points);
    if (ret == 0) {
        memcpy(self->time_s, time_s, num_points * sizeof(*time_s));
        ret = fill(self, replicate, &sampling, sample_gaps);
    }
    return ret;
}

void spot_band_free(spot_band_t *self)
{
    spot_arena_free(&self->memory);
    memset(self, 0, sizeof(*self));
}
