/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/traces/comparison_pictures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "reports/traces/trace_figures.h"

/* As many points of a band of instances as a picture can show. */
#define MAX_BAND_POINTS 1600

/* Durations that a band of gaps is known at: every tick, then 3 % apart. */
#define MAX_DURATIONS 512
#define DURATION_FACTOR 1.03

/* NAME-LABEL; NULL: no memory. The caller frees it. */
static char *
full_name(const spot_picture_place_t *place)
{
    const size_t num_bytes = strlen(place->name) + strlen(place->label) + 2;
    char *name = spot_calloc(num_bytes, 1);

    if (name != NULL) {
        snprintf(name, num_bytes, "%s-%s", place->name, place->label);
    }
    return name;
}

/* ---- Gaps ---- */

static const spot_sample_kind_t gap_kinds[SPOT_FIDELITY_NUM_DIRECTIONS] = {
    [SPOT_FIDELITY_PREEMPT] = SPOT_SAMPLE_PREEMPT_GAP,
    [SPOT_FIDELITY_ADD] = SPOT_SAMPLE_ADD_GAP};

/* What the pictures of gaps of one comparison share; fidelity is of B. */
static spot_gap_overlay_t
gap_overlay(const spot_comparison_t *comparison, const spot_fidelity_t *fidelity,
    int direction, const char *a_label, const char *b_label)
{
    return (spot_gap_overlay_t){.kind = gap_kinds[direction],
        .is_obtainable = comparison->kind == SPOT_TRACE_AVAILABILITY,
        .tick_s = spot_duration_s(comparison->recorded.frame.tick_ms),
        .num_b = fidelity->gaps_s[direction].num_values,
        .b_s = fidelity->gaps_s[direction].values,
        .a_label = a_label,
        .b_label = b_label};
}

/* Of two observations, both directions. */
static int
draw_gaps(const spot_comparison_t *comparison, const spot_fidelity_t *a,
    const spot_fidelity_t *b, const char *const labels[2], const char *folder,
    const char *name, spot_diag_t *diag)
{
    int error = 0;

    for (int j = 0; j < SPOT_FIDELITY_NUM_DIRECTIONS; j++) {
        static const double none = 0; /* no gaps, but no band either */
        spot_gap_overlay_t overlay = gap_overlay(comparison, b, j, labels[0], labels[1]);

        overlay.num_a = a->gaps_s[j].num_values;
        overlay.a_s = overlay.num_a > 0 ? a->gaps_s[j].values : &none;
        error = spot_error_first(
            error, spot_trace_plot_gap_overlay(&overlay, folder, name, diag));
    }
    return error;
}

/* Multiples of the tick from 0 to the end: gaps of a recorder are such. */
static size_t
choose_durations(const spot_observation_frame_t *frame, double time_s[MAX_DURATIONS])
{
    const double max_ticks = floor(frame->end_ms / (double) frame->tick_ms);
    size_t num_times = 0;

    for (double ticks = 0; ticks <= max_ticks && num_times < MAX_DURATIONS;
         ticks = fmax(ticks + 1, ceil(ticks * DURATION_FACTOR))) {
        time_s[num_times++] = ticks * spot_duration_s(frame->tick_ms);
    }
    return num_times;
}

static spot_model_band_t
model_band(const spot_band_t *band, const spot_replicate_t *replicate)
{
    return (spot_model_band_t){.num_replications = (size_t) replicate->num_replications,
        .num_times = band->num_points,
        .time_s = band->time_s,
        .low = band->low,
        .median = band->median,
        .high = band->high};
}

static int
draw_gap_band(const spot_comparison_t *comparison, const spot_replicate_t *replicate,
    int direction, const spot_picture_place_t *place, const char *name,
    spot_diag_t *diag)
{
    spot_gap_overlay_t overlay = gap_overlay(
        comparison, &comparison->fidelity, direction, place->label, place->name);
    double time_s[MAX_DURATIONS];
    spot_band_t band;
    int ret = spot_band_init_gaps(&band, replicate, direction,
        choose_durations(&replicate->frame, time_s), time_s);

    if (ret == 0) {
        overlay.band = model_band(&band, replicate);
        ret = spot_trace_plot_gap_overlay(&overlay, place->folder, name, diag);
    }
    spot_band_free(&band);
    return ret;
}

/* ---- What is held against the trace ---- */

static int
draw_instances_band(const spot_replicate_t *replicate, const spot_trace_t *trace,
    const spot_picture_place_t *place, const char *name, spot_diag_t *diag)
{
    spot_band_t band;
    int ret = spot_band_init(&band, replicate, MAX_BAND_POINTS);

    if (ret == 0) {
        ret = spot_trace_plot_overlay(&(spot_overlay_t){.b = trace,
                                          .a_label = place->label,
                                          .b_label = place->name,
                                          .band = model_band(&band, replicate)},
            place->folder, name, diag);
    }
    spot_band_free(&band);
    return ret;
}

int
spot_pictures_of_model(const spot_comparison_t *comparison,
    const spot_replicate_t *replicate, const spot_trace_t *trace,
    const spot_picture_place_t *place, spot_diag_t *diag)
{
    char *name = full_name(place);
    int error = SPOT_ERR_NO_MEMORY;

    if (name != NULL) {
        error = draw_instances_band(replicate, trace, place, name, diag);
        for (int j = 0; j < SPOT_FIDELITY_NUM_DIRECTIONS; j++) {
            error = spot_error_first(
                error, draw_gap_band(comparison, replicate, j, place, name, diag));
        }
    }
    free(name);
    return error;
}

int
spot_pictures_of_other(const spot_comparison_t *comparison, const spot_trace_t *trace,
    const spot_trace_t *other, const spot_picture_place_t *place, spot_diag_t *diag)
{
    const spot_observation_frame_t *frame = &comparison->recorded.frame;
    const char *const labels[] = {place->label, place->name};
    char *name = full_name(place);
    spot_observation_t observation = {0};
    spot_fidelity_t fidelity = {0};
    int error = SPOT_ERR_NO_MEMORY, ret;

    if (name == NULL) {
        return error;
    }
    error = spot_trace_plot_overlay(
        &(spot_overlay_t){
            .a = other, .b = trace, .a_label = place->label, .b_label = place->name},
        place->folder, name, diag);
    ret = spot_observation_of_trace(&observation, other, frame->tick_ms, frame->is_net);
    if (ret == 0) {
        ret = spot_fidelity_measure(&fidelity, &observation, &comparison->fidelity);
    }
    if (ret == 0) {
        ret = draw_gaps(comparison, &fidelity, &comparison->fidelity, labels,
            place->folder, name, diag);
    }
    spot_fidelity_free(&fidelity);
    spot_observation_free(&observation);
    free(name);
    return spot_error_first(error, ret);
}

/* ---- Halves ---- */

/* A trace of the numbers that an observation saw: enough to draw. Half ms are cut. */
static int
to_trace(spot_trace_t *self, const spot_observation_t *observation,
    const spot_comparison_t *comparison)
{
    const spot_observation_frame_t *frame = &observation->frame;
    int64_t population = observation->initial;

    spot_trace_init(self);
    self->kind = comparison->kind == SPOT_TRACE_AVAILABILITY ? SPOT_TRACE_AVAILABILITY
                                                             : SPOT_TRACE_COUNTS;
    self->capacity =
        comparison->is_unbounded ? SPOT_UNBOUNDED : (int32_t) frame->capacity;
    self->resolution_ms = frame->tick_ms;
    self->initial = (int32_t) population;
    self->end_ms = (int64_t) frame->end_ms;
    if (spot_array_reserve(&self->events, &self->max_events, observation->num_events,
            sizeof(*self->events)) != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < observation->num_events; j++) {
        const spot_observation_event_t *event = &observation->events[j];

        self->events[self->num_events++] =
            (spot_event_t){.time_ms = (int64_t) event->time_ms,
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
static int
half_init(half_t *self, const spot_comparison_t *comparison, const half_t *against)
{
    int ret = spot_observation_half(
        &self->observation, &comparison->recorded, against != NULL);

    if (ret == 0) {
        ret = spot_fidelity_measure(&self->fidelity, &self->observation,
            against != NULL ? &against->fidelity : NULL);
    }
    return ret == 0 ? to_trace(&self->trace, &self->observation, comparison) : ret;
}

static void
half_free(half_t *self)
{
    spot_observation_free(&self->observation);
    spot_fidelity_free(&self->fidelity);
    spot_trace_free(&self->trace);
}

int
spot_pictures_of_halves(const spot_comparison_t *comparison, const char *folder,
    const char *name, spot_diag_t *diag)
{
    static const char *const labels[] = {"second half", "first half"};
    char *picture_name = full_name(&(spot_picture_place_t){folder, name, "halves"});
    half_t first = {0}, second = {0};
    int error = picture_name == NULL ? SPOT_ERR_NO_MEMORY : 0;

    if (error == 0) {
        error = half_init(&first, comparison, NULL);
    }
    if (error == 0) {
        error = half_init(&second, comparison, &first);
    }
    if (error == 0) {
        error = spot_trace_plot_overlay(&(spot_overlay_t){.a = &second.trace,
                                            .b = &first.trace,
                                            .a_label = labels[0],
                                            .b_label = labels[1]},
            folder, picture_name, diag);
        error = spot_error_first(
            error, draw_gaps(comparison, &second.fidelity, &first.fidelity, labels,
                       folder, picture_name, diag));
    }
    half_free(&first);
    half_free(&second);
    free(picture_name);
    return error;
}

int
spot_pictures_of_comparison(const spot_comparison_t *comparison, const char *folder,
    const char *name, spot_diag_t *diag)
{
    const int error = spot_trace_plot_distances(comparison, folder, name, diag);

    return spot_error_first(
        error, spot_trace_plot_reference(comparison, folder, name, diag));
}
