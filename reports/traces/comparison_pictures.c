/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/traces/comparison_pictures.h"

#include <math.h>

#include "base/memory.h"
#include "base/texts.h"
#include "base/units.h"
#include "reports/traces/trace_figures.h"
#include "traces/compare/fidelity.h"

/* As many points of a band of instances as a picture can show. */
#define MAX_BAND_POINTS 1600

/* Durations that a band of gaps is known at: every tick, then 3 % apart. */
#define MAX_DURATIONS 512
#define DURATION_FACTOR 1.03

/* A, which is held against B, a trace or its first half. */
typedef struct {
    const spot_comparison_t *comparison;
    const char *folder;
    const char *name; /* of the pictures: NAME-LABEL */
    spot_overlay_t overlay;
    const spot_fidelity_t *a; /* NULL: A is a model */
    const spot_fidelity_t *b;
    spot_diag_t *diag;
    int error; /* the first one; what follows is drawn all the same */
} pair_t;

static void draw_instances(pair_t *self)
{
    self->error = spot_error_first(
        self->error, spot_trace_plot_overlay(&self->overlay, self->folder, self->name, self->diag));
}

/* Of one direction; band: NULL for two traces. */
static void draw_gaps(pair_t *self, int direction, const spot_model_band_t *band)
{
    static const double none = 0; /* no gaps, but no band either */
    const spot_fidelity_sample_t *b = &self->b->gaps_s[direction];
    spot_gap_overlay_t gaps = {
        .kind = direction == SPOT_FIDELITY_PREEMPT ? SPOT_SAMPLE_PREEMPT_GAP : SPOT_SAMPLE_ADD_GAP,
        .is_obtainable = self->comparison->kind == SPOT_TRACE_AVAILABILITY,
        .tick_s = spot_duration_s(self->comparison->recorded.frame.tick_ms),
        .num_b = b->num_values,
        .b_s = b->values,
        .a_label = self->overlay.a_label,
        .b_label = self->overlay.b_label};

    if (band != NULL) {
        gaps.band = *band;
    } else {
        gaps.num_a = self->a->gaps_s[direction].num_values;
        gaps.a_s = gaps.num_a > 0 ? self->a->gaps_s[direction].values : &none;
    }
    self->error = spot_error_first(
        self->error, spot_trace_plot_gap_overlay(&gaps, self->folder, self->name, self->diag));
}

static void draw_pair(pair_t *self)
{
    draw_instances(self);
    for (int j = 0; j < SPOT_FIDELITY_NUM_DIRECTIONS; j++) {
        draw_gaps(self, j, NULL);
    }
}

/* ---- A model ---- */

static spot_model_band_t model_band(const spot_band_t *band, const spot_replicate_t *replicate)
{
    return (spot_model_band_t){.num_replications = (size_t) replicate->num_replications,
        .num_times = band->num_points,
        .time_s = band->time_s,
        .low = band->low,
        .median = band->median,
        .high = band->high};
}

/* Multiples of the tick from 0 to the end: gaps of a recorder are such. */
static size_t choose_durations(const spot_observation_frame_t *frame, double time_s[MAX_DURATIONS])
{
    const double max_ticks = floor(frame->end_ms / (double) frame->tick_ms);
    size_t num_times = 0;

    for (double ticks = 0; ticks <= max_ticks && num_times < MAX_DURATIONS;
         ticks = fmax(ticks + 1, ceil(ticks * DURATION_FACTOR))) {
        time_s[num_times++] = ticks * spot_duration_s(frame->tick_ms);
    }
    return num_times;
}

/* Where its replications lie: instances for direction -1, else gaps. */
static void draw_band(pair_t *self, const spot_replicate_t *replicate, int direction)
{
    double time_s[MAX_DURATIONS];
    spot_band_t band;
    const int ret = direction < 0 ? spot_band_init(&band, replicate, MAX_BAND_POINTS)
                                  : spot_band_init_gaps(&band, replicate, direction,
                                        choose_durations(&replicate->frame, time_s), time_s);
    const spot_model_band_t shown = model_band(&band, replicate);

    self->error = spot_error_first(self->error, ret);
    if (ret == 0 && direction < 0) {
        self->overlay.band = shown;
        draw_instances(self);
    } else if (ret == 0) {
        draw_gaps(self, direction, &shown);
    }
    spot_band_free(&band);
}

/* ---- Another trace ---- */

static void draw_other(pair_t *self, const spot_trace_t *other)
{
    const spot_observation_frame_t *frame = &self->comparison->recorded.frame;
    spot_observation_t observation = {0};
    spot_fidelity_t fidelity = {0};
    int ret = spot_observation_of_trace(&observation, other, frame->tick_ms, frame->is_net);

    if (ret == 0) {
        ret = spot_fidelity_measure(&fidelity, &observation, &self->comparison->fidelity);
    }
    if (ret == 0) {
        pair_t pair = *self;

        pair.overlay.a = other;
        pair.a = &fidelity;
        draw_pair(&pair);
        self->error = pair.error;
    }
    self->error = spot_error_first(self->error, ret);
    spot_fidelity_free(&fidelity);
    spot_observation_free(&observation);
}

/* ---- Halves ---- */

/* A trace of the numbers that an observation saw: enough to draw. Half ms are cut. */
static int to_trace(
    spot_trace_t *self, const spot_observation_t *observation, const spot_comparison_t *comparison)
{
    const spot_observation_frame_t *frame = &observation->frame;
    int64_t population = observation->initial;

    spot_trace_init(self);
    self->kind =
        comparison->kind == SPOT_TRACE_AVAILABILITY ? SPOT_TRACE_AVAILABILITY : SPOT_TRACE_COUNTS;
    self->capacity = comparison->is_unbounded ? SPOT_UNBOUNDED : (int32_t) frame->capacity;
    self->resolution_ms = frame->tick_ms;
    self->initial = (int32_t) population;
    self->end_ms = (int64_t) frame->end_ms;
    if (SPOT_ARRAY_ROOM(self, events, observation->num_events) != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < observation->num_events; j++) {
        const spot_observation_event_t *event = &observation->events[j];

        self->events[self->num_events++] = (spot_event_t){.time_ms = (int64_t) event->time_ms,
            .kind = event->kind,
            .count = (int32_t) event->count};
        population += event->kind == SPOT_EVENT_ADD ? event->count : -event->count;
    }
    self->final = (int32_t) population;
    return 0;
}

typedef struct {
    spot_observation_t observation;
    spot_fidelity_t fidelity;
    spot_trace_t trace;
} half_t;

/* against: NULL for the first half. */
static int half_init(half_t *self, const spot_comparison_t *comparison, const half_t *against)
{
    int ret = spot_observation_half(&self->observation, &comparison->recorded, against != NULL);

    if (ret == 0) {
        ret = spot_fidelity_measure(
            &self->fidelity, &self->observation, against != NULL ? &against->fidelity : NULL);
    }
    return ret == 0 ? to_trace(&self->trace, &self->observation, comparison) : ret;
}

static void half_free(half_t *self)
{
    spot_observation_free(&self->observation);
    spot_fidelity_free(&self->fidelity);
    spot_trace_free(&self->trace);
}

static void draw_halves(pair_t *self)
{
    half_t first = {0}, second = {0};
    int ret = half_init(&first, self->comparison, NULL);

    if (ret == 0) {
        ret = half_init(&second, self->comparison, &first);
    }
    if (ret == 0) {
        pair_t pair = *self;

        pair.overlay = (spot_overlay_t){.a = &second.trace,
            .b = &first.trace,
            .a_label = "second half",
            .b_label = "first half"};
        pair.a = &second.fidelity;
        pair.b = &first.fidelity;
        draw_pair(&pair);
        self->error = pair.error;
    }
    self->error = spot_error_first(self->error, ret);
    half_free(&first);
    half_free(&second);
}

/* ---- All of a comparison ---- */

int spot_pictures_of_comparison(const spot_comparison_t *comparison,
    const spot_comparison_request_t *request, const spot_comparison_inputs_t *inputs,
    const char *folder, const char *name, const spot_watch_t *watch, spot_diag_t *diag)
{
    const spot_comparison_column_t *columns = comparison->columns + SPOT_COMPARISON_FIRST;
    const size_t num_pairs = inputs->num_models + (request->is_halves || inputs->has_other ? 1 : 0);
    int error = spot_trace_plot_distances(comparison, folder, name, diag);

    error = spot_error_first(error, spot_trace_plot_reference(comparison, folder, name, diag));
    for (size_t j = 0; j < num_pairs && error != SPOT_ERR_INTERRUPTED; j++) {
        const char *label = request->is_halves ? "halves" : columns[j].label;
        spot_texts_t texts = {0};
        pair_t pair = {.comparison = comparison,
            .folder = folder,
            .name = spot_texts_add(&texts, "%s-%s", name, label),
            .overlay = {.b = &inputs->trace, .a_label = label, .b_label = name},
            .b = &comparison->fidelity,
            .diag = diag};

        if (texts.error != 0) {
            return texts.error;
        }
        if (request->is_halves) {
            draw_halves(&pair);
        } else if (inputs->has_other) {
            draw_other(&pair, &inputs->other);
        } else {
            const spot_replicate_t replicate = spot_comparison_replicate(
                comparison, &inputs->models[j].model, request->num_replications, watch);

            for (int k = -1; k < SPOT_FIDELITY_NUM_DIRECTIONS; k++) {
                draw_band(&pair, &replicate, k);
            }
        }
        error = spot_error_first(error, pair.error);
        spot_texts_free(&texts);
    }
    return error;
}
