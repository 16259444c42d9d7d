/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The seed generator: preemptions and additions by minutes, in its corrected form and in
 * the two forms of the seed study's notebook.
 *
 * Streams, the same in all forms: SPOT_STREAM_GAP gives one number for each success of a
 * trial; SPOT_STREAM_COUNT one for each size, and in the loop another one for an
 * addition of size 1 that may be a number rounded to 0. Entity 0 is preemption, 1
 * addition. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/integers.h"
#include "base/rng.h"
#include "base/units.h"
#include "traces/generate/generator.h"
#include "traces/laws/law.h"

/* Draws made at once, so that their logarithms overlap and no event waits for one. */
#define NUM_AHEAD 16

/* The two directions are the entities of the random streams. */
enum { PREEMPTION = 0, ADDITION = 1, NUM_DIRECTIONS = 2 };

typedef enum {
    SEED_CORRECTED,
    SEED_CELL42, /* the notebook's trace generator */
    SEED_LOOP,   /* the additions and preemptions of its job loop */
    SEED_NUM_VARIANTS
} variant_t;

/* Defects of the notebook that can be kept, one bit each. */
enum {
    SEED_NO_LIMITS = 1,
    SEED_CAP_BYPASS = 2,
    SEED_NEGATIVE_ADD = 4,
    SEED_OVERDRAW = 8,
    SEED_BIG_SHARE = 16,
    SEED_TICK_SHARE = 32
};

typedef struct {
    unsigned defects;        /* kept */
    bool is_notebook;        /* keep all that fit the variant; while binding only */
    const spot_node_t *node; /* while binding only; NULL: not given */
} compat_t;

typedef struct {
    double p_per_minute; /* of at least one event in a minute */
    spot_size_family_parameters_t count;
    spot_size_big_t big;
    spot_size_law_t law;
    double num_trials, p_of_trials; /* of the gaps: one of so many trials succeeds */
} direction_t;

typedef struct {
    spot_model_common_t common;
    direction_t directions[NUM_DIRECTIONS];
    int variant; /* variant_t */
    compat_t compat;
    int overdraw;                 /* 0: stop, 1: clip */
    bool is_alone;                /* not in a scenario or zone, whose limits would hold */
    double p_one_is_rounded_to_0; /* of an addition of 1, which passes the capacity */
} model_t;

/* The trials of one direction. */
typedef struct {
    int64_t last_tick; /* of the successes drawn so far */
    unsigned num_ticks_used, num_sizes_used;
    int64_t ticks[NUM_AHEAD]; /* of successes */
    int32_t sizes[NUM_AHEAD]; /* of the corrected form */
    const direction_t *direction;
    spot_rng_t gap, count;
    spot_trial_law_t gap_law; /* ticks from one success to the next; here, not in the
                                 model, as it takes longer than to bind a scenario */
} trials_t;

typedef struct {
    const model_t *model;
    int64_t population;
    int64_t last_tick; /* last tick with an event */
    trials_t trials[NUM_DIRECTIONS];
    /* For the notebook's forms: */
    int64_t tick;                    /* the latest tick with a success */
    int32_t waiting[NUM_DIRECTIONS]; /* instances of tick not given yet */
    int64_t stopped_ms;              /* time of an overdraw that ended it; -1 */
} state_t;

/* The tick of the next success. */
static inline int64_t next_tick(const trials_t *self)
{
    return self->ticks[self->num_ticks_used];
}

static void advance(trials_t *self);

/* ---- The notebook's forms: binding ----
 * The two forms in which the seed study's notebook makes preemptions and additions. Each
 * of their defects can be kept or corrected.
 *
 * cell42: a trial of each direction at each minute 0, 1, ...; the preemption comes
 * first. loop: a trial of each direction at each tick 0 s, 5 s, ...; the room for
 * additions is that before the losses of the tick, although these are applied first.
 *
 * negative-add, a negative room above the capacity, is accepted like the other defects,
 * but makes no difference in a trace: nothing is added either way. */

static const char *const variant_names[] = {"corrected", "cell42", "loop", NULL};
static const char *const overdraw_names[] = {"stop", "clip", NULL};
enum { OVERDRAW_STOP, OVERDRAW_CLIP };

/* A minute has 12 ticks of the loop. */
#define LOOP_TICKS_PER_MIN 12

static const struct {
    const char *text; /* names of its defects */
    unsigned defects;
    int64_t tick_ms;
} variants[SEED_NUM_VARIANTS] = {
    [SEED_CORRECTED] = {"none", 0, 0},
    [SEED_CELL42] = {"no-limits", SEED_NO_LIMITS, SPOT_MS_PER_MIN},
    [SEED_LOOP] = {"cap-bypass, negative-add, overdraw, big-share, tick-share",
        SEED_CAP_BYPASS | SEED_NEGATIVE_ADD | SEED_OVERDRAW | SEED_BIG_SHARE | SEED_TICK_SHARE,
        SPOT_MS_PER_MIN / LOOP_TICKS_PER_MIN},
};

static const struct {
    const char *name;
    unsigned defect;
    const char *problem; /* message for a defect that belongs to no variant */
} defects[] = {
    {"no-limits", SEED_NO_LIMITS, NULL},
    {"cap-bypass", SEED_CAP_BYPASS, NULL},
    {"negative-add", SEED_NEGATIVE_ADD, NULL},
    {"overdraw", SEED_OVERDRAW, NULL},
    {"big-share", SEED_BIG_SHARE, NULL},
    {"tick-share", SEED_TICK_SHARE, NULL},
    {"mttp", 0, "is a figure of \"trace describe --notebook\""},
    {"early-stamp", 0, "is in what the notebook describes, not in what it generates"},
    {"net-adds", 0, "is in what the notebook describes, not in what it generates"},
    {"count: normal", 0, "is a law of sizes: count: {normal: {mean: 2.4, std: 2.1}}"},
};

static void bind_defect(spot_bind_t *bind, const spot_node_t *node, compat_t *self)
{
    spot_suggest_t near;

    spot_suggest_init(&near, node->text);
    for (size_t j = 0; j < sizeof(defects) / sizeof(defects[0]); j++) {
        spot_suggest_offer(&near, defects[j].name);
        if (strcmp(near.text, defects[j].name) == 0) {
            self->defects |= defects[j].defect;
            if (defects[j].problem != NULL) {
                spot_bind_error(bind, node, "compat", "%s %s", defects[j].name, defects[j].problem);
            }
            return;
        }
    }
    spot_bind_unknown(bind, node, "compat", "defect", &near, "");
}

static void bind_compat(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    const bool is_scalar = node->kind == SPOT_NODE_SCALAR;
    compat_t *self = target;

    self->node = node;
    self->is_notebook = is_scalar && strcmp(node->text, "notebook") == 0;
    if (node->kind != SPOT_NODE_LIST && !self->is_notebook &&
        !(is_scalar && strcmp(node->text, "none") == 0)) {
        spot_bind_unexpected(bind, field, node, "");
    }
    for (size_t j = 0; node->kind == SPOT_NODE_LIST && j < node->num_children; j++) {
        if (node->children[j]->kind == SPOT_NODE_SCALAR) {
            bind_defect(bind, node->children[j], self);
        } else {
            spot_bind_unexpected(bind, field, node->children[j], "");
        }
    }
}

/* Whether a choice was read without an error. */
static bool is_read(const spot_node_t *node, const char *const *names, int choice)
{
    return node->kind == SPOT_NODE_SCALAR && strcmp(node->text, names[choice]) == 0;
}

/* The node that names a defect in a list. */
static const spot_node_t *place_of(const compat_t *self, const char *name)
{
    const spot_node_t *node = self->node;

    for (size_t j = 0; j < self->node->num_children; j++) {
        const spot_node_t *child = self->node->children[j];

        if (child->kind == SPOT_NODE_SCALAR && strcmp(child->text, name) == 0) {
            node = child;
        }
    }
    return node;
}

/* Completes the defects and refuses those of another variant. */
static void settle_compat(model_t *self, spot_bind_t *bind)
{
    const int variant = self->variant;
    compat_t *compat = &self->compat;

    if (compat->is_notebook) {
        compat->defects = variants[variant].defects;
    }
    if (compat->is_notebook && compat->defects == 0) {
        spot_bind_error(bind, compat->node, "compat",
            "variant corrected has no defect of the notebook: expected variant: cell42 "
            "or variant: loop");
    }
    for (size_t j = 0; j < sizeof(defects) / sizeof(defects[0]); j++) {
        if ((compat->defects & defects[j].defect & ~variants[variant].defects) != 0) {
            spot_bind_error(bind, place_of(compat, defects[j].name), "compat",
                "%s does not fit variant %s, whose defects are: %s", defects[j].name,
                variant_names[variant], variants[variant].text);
        }
    }
}

/* Checks overdraw. cell42 does not stop: losses of more than live count in full or are
 * clipped. */
static void settle_overdraw(model_t *self, spot_bind_t *bind, const spot_node_t *node)
{
    if (node == NULL || !is_read(node, overdraw_names, self->overdraw)) {
        return;
    }
    if (self->variant == SEED_CORRECTED) {
        spot_bind_error(
            bind, node, "overdraw", "it is a matter of variant: cell42 and variant: loop only");
    } else if (self->overdraw == OVERDRAW_STOP && self->variant == SEED_CELL42) {
        spot_bind_error(
            bind, node, "overdraw", "cell42 never stops: expected clip, or leave overdraw out");
    } else if (self->overdraw == OVERDRAW_STOP && (self->compat.defects & SEED_OVERDRAW) == 0) {
        spot_bind_error(bind, node, "overdraw",
            "stop is a defect of the notebook: expected "
            "compat: notebook or compat: [overdraw]");
    }
}

static void settle_tick(model_t *self, spot_bind_t *bind, const spot_node_t *node)
{
    const int64_t tick_ms = variants[self->variant].tick_ms;
    int64_t given_ms = tick_ms;

    if (tick_ms == 0) {
        return;
    }
    if (self->common.tick_s != 0 &&
        (spot_duration_from_s(self->common.tick_s, &given_ms) != 0 || given_ms != tick_ms)) {
        spot_bind_error(bind, node, "variant", "the ticks of %s have %d s: leave tick_s out",
            variant_names[self->variant], (int) (tick_ms / SPOT_MS_PER_S));
    }
    self->common.tick_ms = tick_ms;
}

static void warn_of_limits(
    const model_t *self, spot_bind_t *bind, const spot_trace_setting_t *setting)
{
    const unsigned leaving = SEED_NO_LIMITS | SEED_CAP_BYPASS;
    const spot_node_t *node = self->compat.node;

    if (setting != NULL && (self->compat.defects & leaving) != 0) {
        spot_diag_warn(bind->diag, node->file, node->line, node->column,
            "%scompat: the notebook keeps no limits of the population here; what leaves "
            "0 to the capacity is clipped",
            bind->path);
    }
}

/* Checks and completes the three keys, and sets the tick of the notebook's forms. */
static void seed_notebook_bind(
    model_t *self, spot_bind_t *bind, const spot_node_t *node, const spot_trace_setting_t *setting)
{
    const spot_node_t *variant = spot_node_get(node, "variant");

    if (variant == NULL || is_read(variant, variant_names, self->variant)) {
        settle_compat(self, bind);
        settle_overdraw(self, bind, spot_node_get(node, "overdraw"));
        settle_tick(self, bind, variant);
        warn_of_limits(self, bind, setting);
    }
    self->is_alone = setting == NULL;
    self->compat.node = NULL;
}

static bool has_defect(const model_t *self, unsigned defect)
{
    return (self->compat.defects & defect) != 0;
}

/* Whether losses of more instances than live count in full. */
static bool seed_notebook_may_fall_below_0(const model_t *self)
{
    return has_defect(self, SEED_NO_LIMITS) && self->overdraw != OVERDRAW_CLIP;
}

/* Set the parameters that defects change: _set_big before the laws are tabulated,
 * _prepare afterwards. */
static void seed_notebook_set_big(model_t *self)
{
    static const spot_size_big_t big = {.probability = 0.05, .low = 11, .high = 31};

    if (has_defect(self, SEED_BIG_SHARE)) {
        self->directions[ADDITION].big = big;
    }
}

static void seed_notebook_prepare(model_t *self)
{
    const direction_t *addition = &self->directions[ADDITION];

    for (int j = 0; has_defect(self, SEED_TICK_SHARE) && j < NUM_DIRECTIONS; j++) {
        direction_t *direction = &self->directions[j];

        direction->num_trials = 1;
        direction->p_of_trials = direction->p_per_minute / LOOP_TICKS_PER_MIN;
    }
    if (has_defect(self, SEED_CAP_BYPASS)) {
        self->p_one_is_rounded_to_0 =
            spot_size_law_p_rounded_to_0(&addition->law, &addition->count, &addition->big);
    }
}

/* Writes a text such as " variant loop compat overdraw"; nothing if corrected. */
/* Writes the form of the model for the note in a trace. The list of defects has blanks,
 * as a header line must not have commas. */
static void seed_notebook_form(const model_t *self, char text[SPOT_FORM_BYTES])
{
    const unsigned kept = self->compat.defects;
    size_t length;

    if (self->variant == SEED_CORRECTED) {
        return;
    }
    length = (size_t) snprintf(text, SPOT_FORM_BYTES, " variant %s compat%s",
        variant_names[self->variant], kept == 0 ? " none" : "");
    for (size_t j = 0; j < sizeof(defects) / sizeof(defects[0]); j++) {
        if ((kept & defects[j].defect) != 0) {
            length +=
                (size_t) snprintf(text + length, SPOT_FORM_BYTES - length, " %s", defects[j].name);
        }
    }
    if (self->overdraw == OVERDRAW_CLIP) {
        snprintf(text + length, SPOT_FORM_BYTES - length, " overdraw clip");
    }
}

/* ---- The notebook's forms: a replication ---- */

/* Number of ticks 0, 1, ... of the notebook's forms up to last_ms. */
static int64_t seed_notebook_num_ticks(const model_t *self, int64_t last_ms)
{
    const int64_t tick_ms = self->common.tick_ms;

    return self->variant == SEED_CELL42 ? last_ms / tick_ms : (last_ms + tick_ms - 1) / tick_ms;
}

static int32_t draw_size(state_t *self, int direction_id)
{
    return spot_size_law_draw(
        &self->model->directions[direction_id].law, &self->trials[direction_id].count);
}

/* Draws the number of instances lost: 0 if none live, unless the population may fall
 * below 0. */
static int32_t draw_loss(state_t *self)
{
    const model_t *model = self->model;
    int32_t size;

    if (seed_notebook_may_fall_below_0(model)) {
        return draw_size(self, PREEMPTION);
    }
    if (self->population == 0) {
        return 0;
    }
    size = draw_size(self, PREEMPTION);
    if (size <= self->population) {
        return size;
    }
    if (has_defect(model, SEED_OVERDRAW) && model->overdraw == OVERDRAW_STOP) {
        self->stopped_ms = self->tick * model->common.tick_ms;
    }
    return (int32_t) self->population;
}

/* Draws the number of instances added, given the room. A number rounded to 0 becomes 1
 * after the loop has tested the room. */
static int32_t draw_addition(state_t *self, int64_t room)
{
    const model_t *model = self->model;
    const int32_t size = draw_size(self, ADDITION);

    if (has_defect(model, SEED_NO_LIMITS)) {
        return size;
    }
    if (size == 1 && model->p_one_is_rounded_to_0 > 0) {
        const double u = spot_rng_uniform(&self->trials[ADDITION].count);

        if (u < model->p_one_is_rounded_to_0) {
            return 1;
        }
    }
    if (room <= 0) {
        return 0;
    }
    return size < room ? size : (int32_t) room;
}

/* Draws the events at the tick of the next success; false: there is none up to
 * last_tick. */
static bool walk_to_next_success(state_t *self, int64_t last_tick)
{
    const int64_t loss_tick = next_tick(&self->trials[PREEMPTION]);
    const int64_t add_tick = next_tick(&self->trials[ADDITION]);
    const bool is_loop = self->model->variant == SEED_LOOP;
    int32_t *waiting = self->waiting;
    int64_t room;

    self->tick = loss_tick < add_tick ? loss_tick : add_tick;
    if (self->tick > last_tick || self->tick > self->last_tick) {
        return false;
    }
    if (loss_tick == self->tick) {
        advance(&self->trials[PREEMPTION]);
        waiting[PREEMPTION] = draw_loss(self);
    }
    room = self->model->common.capacity - self->population + (is_loop ? 0 : waiting[PREEMPTION]);
    if (add_tick == self->tick) {
        advance(&self->trials[ADDITION]);
        waiting[ADDITION] = draw_addition(self, room);
    }
    return self->stopped_ms < 0;
}

/* Gives the waiting instances of one direction as an event. A fleet or zone around the
 * model clips additions above the capacity, so that they do not count here. */
static bool give(state_t *self, int direction_id, spot_event_t *event)
{
    const model_t *model = self->model;
    const int32_t count = self->waiting[direction_id];
    const bool is_loss = direction_id == PREEMPTION;

    if (count == 0) {
        return false;
    }
    self->waiting[direction_id] = 0;
    self->population += is_loss ? -count : count;
    if (!model->is_alone && self->population > model->common.capacity) {
        self->population = model->common.capacity;
    }
    *event = (spot_event_t){.time_ms = self->tick * model->common.tick_ms,
        .kind = is_loss ? SPOT_EVENT_PREEMPT : SPOT_EVENT_ADD,
        .count = count};
    return true;
}

/* Sets event to the next event of the notebook's forms up to a tick; false: there is
 * none. Inlining it would cost the corrected form 7 % more instructions. */
static SPOT_NOINLINE bool seed_notebook_next(state_t *self, int64_t last_tick, spot_event_t *event)
{
    if (self->stopped_ms >= 0) {
        return false;
    }
    while (!give(self, PREEMPTION, event) && !give(self, ADDITION, event)) {
        if (!walk_to_next_success(self, last_tick)) {
            return false;
        }
    }
    return true;
}

static const char *const compat_words[] = {"none", "notebook", NULL};
static const spot_field_t compat_item = {.type = SPOT_FIELD_TEXT};
static const spot_field_t compat_forms[] = {
    {.name = "", .type = SPOT_FIELD_CHOICE, .choices = compat_words},
    {.name = "", .type = SPOT_FIELD_LIST, .item = &compat_item},
    {.name = NULL},
};

/* The keys variant, compat and overdraw; continues with the common fields. */
static const spot_field_t seed_notebook_fields[] = {
    {SPOT_CHOICE("variant", model_t, variant, variant_names, "",
         "corrected (the default), or one of the two forms of the seed study's "
         "notebook: cell42 with a trial at each minute from 0 on, loop with a trial at "
         "each 5 s from 0 on, whose capacity is tested before the losses of the tick. "
         "Their ticks stay, whatever the scenario's tick"),
        .expected = "corrected, cell42 or loop"},
    {.name = "compat",
        .type = SPOT_FIELD_ONE_OF,
        .offset = offsetof(model_t, compat),
        .initial = "",
        .fields = compat_forms,
        .bind = bind_compat, /* to name each defect that it does not know */
        .expected = "none, notebook or a list of no-limits, cap-bypass, negative-add, "
                    "overdraw, big-share, tick-share",
        .help = "defects of the notebook to keep: none (the default), all that fit the "
                "variant, or those named. cell42: no-limits (no population is kept; a trace "
                "that falls below 0 cannot be written, see overdraw). loop: cap-bypass (a "
                "size rounded to 0 adds 1 above the capacity), negative-add (of no effect "
                "in a trace), overdraw, big-share (5 % of 11 to 31), tick-share (a twelfth "
                "of the probability per minute at each 5 s). A generated trace that may "
                "pass the capacity is marked as unbounded; a scenario and zones clip"},
    {SPOT_CHOICE("overdraw", model_t, overdraw, overdraw_names, "",
         "what happens if more instances are preempted than live. clip takes those that "
         "live. loop: stop ends the trace in failure (the default if compat has "
         "overdraw). cell42 with no-limits: without clip all of them count"),
        .expected = "stop or clip"},
    {.name = NULL, .fields = spot_model_common_fields},
};

/* ---- The corrected form, and the table ----
 * The corrected seed generator: independent Bernoulli trials per tick for a preemption
 * and an addition event, sizes from a law, and a population within 0 and the capacity.
 * Geometric gaps skip the ticks without an event, which is the same law. The forms that
 * keep defects of the notebook are above. */

static bool has_same_sizes(const model_t *a, const model_t *b, int direction_id)
{
    const direction_t *left = &a->directions[direction_id];
    const direction_t *right = &b->directions[direction_id];

    return a->variant == b->variant && a->common.capacity == b->common.capacity &&
           left->count.family == right->count.family && left->count.a == right->count.a &&
           left->count.b == right->count.b && left->big.probability == right->big.probability &&
           left->big.low == right->big.low && left->big.high == right->big.high;
}

static int init_size_law(model_t *self, int direction_id, const model_t *like)
{
    direction_t *direction = &self->directions[direction_id];

    if (like != NULL && has_same_sizes(self, like, direction_id)) {
        return spot_size_law_copy(&direction->law, &like->directions[direction_id].law);
    }
    return spot_size_law_init(&direction->law, &direction->count, &direction->big,
        self->variant == SEED_CORRECTED ? self->common.capacity : SPOT_MAX_INSTANCES);
}

static int seed_prepare(void *model, const void *like, spot_diag_t *diag)
{
    model_t *self = model;
    const double ticks_per_minute = (double) SPOT_MS_PER_MIN / (double) self->common.tick_ms;
    int ret = 0;

    (void) diag;
    seed_notebook_set_big(self);
    for (int j = 0; j < NUM_DIRECTIONS && ret == 0; j++) {
        direction_t *direction = &self->directions[j];

        direction->num_trials = ticks_per_minute;
        direction->p_of_trials = direction->p_per_minute;
        ret = init_size_law(self, j, like);
    }
    if (ret == 0) {
        seed_notebook_prepare(self);
    }
    return ret;
}

static void seed_bind_parts(void *model, spot_bind_t *bind, const spot_node_t *node,
    const spot_trace_setting_t *setting, const void *like)
{
    (void) like;
    seed_notebook_bind(model, bind, node, setting);
}

static void seed_free(void *model)
{
    model_t *self = model;

    for (int j = 0; j < NUM_DIRECTIONS; j++) {
        spot_size_law_free(&self->directions[j].law);
    }
}

static SPOT_NOINLINE void draw_ticks(trials_t *self)
{
    uint64_t numbers[NUM_AHEAD];

    spot_rng_fill(&self->gap, numbers, NUM_AHEAD);
    for (int j = 0; j < NUM_AHEAD; j++) {
        self->last_tick += spot_trial_law_invert(&self->gap_law, numbers[j] >> 11);
        self->ticks[j] = self->last_tick;
    }
    self->num_ticks_used = 0;
}

static SPOT_NOINLINE void draw_sizes(trials_t *self)
{
    uint64_t numbers[NUM_AHEAD];

    spot_rng_fill(&self->count, numbers, NUM_AHEAD);
    for (int j = 0; j < NUM_AHEAD; j++) {
        self->sizes[j] = spot_size_law_invert(&self->direction->law, spot_rng_double(numbers[j]));
    }
    self->num_sizes_used = 0;
}

/* Moves to the success after it. */
static void advance(trials_t *self)
{
    if (++self->num_ticks_used == NUM_AHEAD) {
        draw_ticks(self);
    }
}

/* A state belongs to one model. */
static void make_gap_laws(state_t *self, const model_t *model)
{
    if (self->model == model) {
        return;
    }
    for (int j = 0; j < NUM_DIRECTIONS; j++) {
        const direction_t *direction = &model->directions[j];

        spot_trial_law_init(
            &self->trials[j].gap_law, direction->num_trials, direction->p_of_trials);
    }
}

/* The first trial is at tick 1; in the notebook's forms at tick 0. */
static void seed_start(void *state, const void *model, const spot_dice_t *dice)
{
    state_t *self = state;
    const model_t *seed = model;
    const int64_t last_ms = spot_model_last_ms(&seed->common);
    const bool is_corrected = seed->variant == SEED_CORRECTED;

    make_gap_laws(self, seed);
    self->model = seed;
    self->population = seed->common.initial;
    self->last_tick =
        is_corrected ? last_ms / seed->common.tick_ms : seed_notebook_num_ticks(seed, last_ms) - 1;
    self->stopped_ms = -1;
    for (int j = 0; j < NUM_DIRECTIONS; j++) {
        trials_t *trials = &self->trials[j];

        trials->direction = &seed->directions[j];
        spot_dice_seek(dice, &trials->gap, SPOT_STREAM_GAP, (uint64_t) j);
        spot_dice_seek(dice, &trials->count, SPOT_STREAM_COUNT, (uint64_t) j);
        trials->last_tick = is_corrected ? 0 : -1;
        trials->num_sizes_used = NUM_AHEAD;
        self->waiting[j] = 0;
        draw_ticks(trials);
    }
}

static int32_t next_size(trials_t *self)
{
    if (self->num_sizes_used == NUM_AHEAD) {
        draw_sizes(self);
    }
    return self->sizes[self->num_sizes_used];
}

/* The next events up to a tick, fewer than max_events if there are no more. An event
 * without effect (no instance left, or no room) is dropped. */
static size_t next_up_to_tick(
    state_t *self, int64_t last_tick, size_t max_events, spot_event_t *events)
{
    const int64_t capacity = self->model->common.capacity;
    const int64_t tick_ms = self->model->common.tick_ms;
    trials_t *losses = &self->trials[PREEMPTION];
    trials_t *additions = &self->trials[ADDITION];
    int64_t population = self->population;
    size_t num_events = 0;

    while (num_events < max_events) {
        const int64_t loss_tick = next_tick(losses);
        const int64_t addition_tick = next_tick(additions);
        const bool is_addition = addition_tick < loss_tick;
        const int64_t tick = spot_smaller(addition_tick, loss_tick);
        spot_event_t *event = &events[num_events];
        int64_t size;

        if (tick > last_tick) {
            break;
        }
        if (is_addition) {
            size = spot_smaller(next_size(additions), capacity - population);
            additions->num_sizes_used += size > 0;
            advance(additions);
            population += size;
        } else {
            size = spot_smaller(next_size(losses), population);
            losses->num_sizes_used += size > 0;
            advance(losses);
            population -= size;
        }
        event->time_ms = tick * tick_ms;
        event->kind = is_addition ? SPOT_EVENT_ADD : SPOT_EVENT_PREEMPT;
        event->count = (int32_t) size;
        event->name_ids = NULL;
        num_events += size > 0;
    }
    self->population = population;
    return num_events;
}

static SPOT_FLATTEN size_t seed_next_many(void *state, size_t max_events, spot_event_t *events)
{
    state_t *self = state;
    size_t num_events = 0;

    if (self->model->variant == SEED_CORRECTED) {
        return next_up_to_tick(self, self->last_tick, max_events, events);
    }
    while (
        num_events < max_events && seed_notebook_next(self, self->last_tick, &events[num_events])) {
        num_events++;
    }
    return num_events;
}

static bool seed_next(void *state, spot_event_t *event)
{
    return seed_next_many(state, 1, event) == 1;
}

static bool seed_next_until(void *state, int64_t last_ms, spot_event_t *event)
{
    state_t *self = state;
    const int64_t last_tick = last_ms / self->model->common.tick_ms;

    return self->model->variant == SEED_CORRECTED ? next_up_to_tick(self, last_tick, 1, event) == 1
                                                  : seed_notebook_next(self, last_tick, event);
}

/* The trials do not depend on the population, which only limits the sizes. */
static const int32_t *seed_lose(void *state, double time_s, int32_t num_lost)
{
    state_t *self = state;

    (void) time_s;
    self->population -= num_lost;
    return NULL;
}

static bool seed_is_unlimited(const void *model)
{
    const model_t *self = model;

    return self->is_alone && seed_notebook_may_fall_below_0(self);
}

static bool seed_is_unbounded(const void *model)
{
    const model_t *self = model;

    return self->is_alone && (self->compat.defects & (SEED_NO_LIMITS | SEED_CAP_BYPASS)) != 0;
}

static void seed_form(const void *model, char text[SPOT_FORM_BYTES])
{
    seed_notebook_form(model, text);
}

static int64_t seed_stopped_ms(const void *state)
{
    return ((const state_t *) state)->stopped_ms;
}

static const spot_field_t direction_fields[] = {
    {SPOT_RANGE(NUMBER, "per_minute", direction_t, p_per_minute, 0, 1, NULL, " per minute",
        "probability of at least one event in a minute")},
    {.name = "count",
        .type = SPOT_FIELD_ONE_OF,
        SPOT_SIZE_FAMILY_FIELD(direction_t, count),
        .help = "instances in one event: normal is max(1, |round N(mean, std)|), moments "
                "has exactly this mean and std"},
    {SPOT_FIELDS(MAP, "big", direction_t, big, spot_size_big_fields, "", "a share of big events")},
    {.name = NULL},
};

static const spot_field_t seed_options[] = {
    {SPOT_FIELDS(MAP, "preemption", model_t, directions[PREEMPTION], direction_fields, NULL,
        "preemption", "events in which instances are preempted")},
    {SPOT_FIELDS(MAP, "addition", model_t, directions[ADDITION], direction_fields, NULL, "addition",
        "events in which instances arrive")},
    {.name = NULL, .fields = seed_notebook_fields},
};

static const spot_generator_members_t members = {
    .next_until = seed_next_until,
    .lose = seed_lose,
};

static const spot_generator_population_t population = {
    .is_unlimited = seed_is_unlimited,
    .is_unbounded = seed_is_unbounded,
    .stopped_ms = seed_stopped_ms,
};

const spot_generator_t spot_generator_seed = {
    .name = "seed",
    .doc = "independent preemption and addition events with fixed probabilities per "
           "minute, tick by tick",
    .source = "the seed study's notebook, with its defects "
              "corrected unless they are asked for",
    .options = seed_options,
    .model_size = sizeof(model_t),
    .state_size = sizeof(state_t),
    .bind_parts = seed_bind_parts,
    .prepare = seed_prepare,
    .free = seed_free,
    .start = seed_start,
    .form = seed_form,
    .next = seed_next,
    .next_many = seed_next_many,
    .members = &members,
    .population = &population,
};
