/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Model and state of the seed generator, shared by its corrected form and the two forms
 * of the seed study's notebook. Internal to the seed generator.
 *
 * Streams, the same in all forms: SPOT_STREAM_GAP gives one number for each success of a
 * trial; SPOT_STREAM_COUNT one for each size, and in the loop another one for an
 * addition of size 1 that may be a number rounded to 0. Entity 0 is preemption, 1
 * addition. */
#pragma once

#include "base/rng.h"
#include "traces/generate/generator.h"
#include "traces/laws/law.h"

/* The two directions are the entities of the random streams. */
enum { SPOT_SEED_PREEMPTION = 0, SPOT_SEED_ADDITION = 1, SPOT_SEED_NUM_DIRECTIONS = 2 };

typedef enum {
    SPOT_SEED_CORRECTED,
    SPOT_SEED_CELL42, /* the notebook's trace generator */
    SPOT_SEED_LOOP,   /* the additions and preemptions of its job loop */
    SPOT_SEED_NUM_VARIANTS
} spot_seed_variant_t;

/* Defects of the notebook that can be kept, one bit each. */
enum {
    SPOT_SEED_NO_LIMITS = 1,
    SPOT_SEED_CAP_BYPASS = 2,
    SPOT_SEED_NEGATIVE_ADD = 4,
    SPOT_SEED_OVERDRAW = 8,
    SPOT_SEED_BIG_SHARE = 16,
    SPOT_SEED_TICK_SHARE = 32
};

typedef struct {
    unsigned defects;        /* kept */
    bool is_notebook;        /* keep all that fit the variant; while binding only */
    const spot_node_t *node; /* while binding only; NULL: not given */
} spot_seed_compat_t;

typedef struct {
    double p_per_minute; /* of at least one event in a minute */
    spot_size_family_parameters_t count;
    spot_size_big_t big;
    spot_size_law_t law;
    double num_trials, p_of_trials; /* of the gaps: one of so many trials succeeds */
} spot_seed_direction_t;

typedef struct {
    spot_model_common_t common;
    spot_seed_direction_t directions[SPOT_SEED_NUM_DIRECTIONS];
    int variant; /* spot_seed_variant_t */
    spot_seed_compat_t compat;
    int overdraw;                 /* 0: stop, 1: clip */
    bool is_alone;                /* not in a scenario or zone, whose limits would hold */
    double p_one_is_rounded_to_0; /* of an addition of 1, which passes the capacity */
} spot_seed_model_t;

/* Draws made at once, so that their logarithms overlap and no event waits for one. */
#define SPOT_SEED_NUM_AHEAD 16

/* The trials of one direction. */
typedef struct {
    int64_t last_tick; /* of the successes drawn so far */
    unsigned num_ticks_used, num_sizes_used;
    int64_t ticks[SPOT_SEED_NUM_AHEAD]; /* of successes */
    int32_t sizes[SPOT_SEED_NUM_AHEAD]; /* of the corrected form */
    const spot_seed_direction_t *direction;
    spot_rng_t gap, count;
    spot_trial_law_t gap_law; /* ticks from one success to the next; here, not in the
                                 model, as it takes longer than to bind a scenario */
} spot_seed_trials_t;

typedef struct {
    const spot_seed_model_t *model;
    int64_t population;
    int64_t last_tick; /* last tick with an event */
    spot_seed_trials_t trials[SPOT_SEED_NUM_DIRECTIONS];
    /* For the notebook's forms: */
    int64_t tick;                              /* the latest tick with a success */
    int32_t waiting[SPOT_SEED_NUM_DIRECTIONS]; /* instances of tick not given yet */
    int64_t stopped_ms;                        /* time of an overdraw that ended it; -1 */
} spot_seed_state_t;

/* The keys variant, compat and overdraw; continues with the common fields. */
extern const spot_field_t spot_seed_notebook_fields[];

/* Checks and completes the three keys, and sets the tick of the notebook's forms. */
void spot_seed_notebook_bind(spot_seed_model_t *self, spot_bind_t *bind, const spot_node_t *node,
    const spot_trace_setting_t *setting);

/* Set the parameters that defects change: _set_big before the laws are tabulated,
 * _prepare afterwards. */
void spot_seed_notebook_set_big(spot_seed_model_t *self);
void spot_seed_notebook_prepare(spot_seed_model_t *self);

/* Whether losses of more instances than live count in full. */
bool spot_seed_notebook_may_fall_below_0(const spot_seed_model_t *self);

/* Writes a text such as " variant loop compat overdraw"; nothing if corrected. */
void spot_seed_notebook_form(const spot_seed_model_t *self, char text[SPOT_FORM_BYTES]);

/* Number of ticks 0, 1, ... of the notebook's forms up to last_ms. */
int64_t spot_seed_notebook_num_ticks(const spot_seed_model_t *self, int64_t last_ms);

/* Sets event to the next event of the notebook's forms up to a tick; false: there is
 * none. Inlining it would cost the corrected form 7 % more instructions. */
SPOT_NOINLINE bool spot_seed_notebook_next(
    spot_seed_state_t *self, int64_t last_tick, spot_event_t *event);

/* The tick of the next success. */
static inline int64_t spot_seed_next_tick(const spot_seed_trials_t *self)
{
    return self->ticks[self->num_ticks_used];
}

/* Moves to the success after it. */
void spot_seed_advance(spot_seed_trials_t *self);
