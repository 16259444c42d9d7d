/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The two forms in which the seed study's notebook makes preemptions and additions. Each
 * of their defects can be kept or corrected.
 *
 * cell42: a trial of each direction at each minute 0, 1, ...; the preemption comes
 * first. loop: a trial of each direction at each tick 0 s, 5 s, ...; the room for
 * additions is that before the losses of the tick, although these are applied first.
 *
 * negative-add, a negative room above the capacity, is accepted like the other defects,
 * but makes no difference in a trace: nothing is added either way. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "traces/generate/seed/generator_seed.h"

typedef spot_seed_model_t model_t;
typedef spot_seed_state_t state_t;

/* ---- Binding ---- */

static const char *const variant_names[] = {"corrected", "cell42", "loop", NULL};
static const char *const overdraw_names[] = {"stop", "clip", NULL};
enum { OVERDRAW_STOP, OVERDRAW_CLIP };

/* A minute has 12 ticks of the loop. */
#define LOOP_TICKS_PER_MIN 12

static const struct {
    const char *text; /* names of its defects */
    unsigned defects;
    int64_t tick_ms;
} variants[SPOT_SEED_NUM_VARIANTS] = {
    [SPOT_SEED_CORRECTED] = {"none", 0, 0},
    [SPOT_SEED_CELL42] = {"no-limits", SPOT_SEED_NO_LIMITS, SPOT_MS_PER_MIN},
    [SPOT_SEED_LOOP] = {"cap-bypass, negative-add, overdraw, big-share, tick-share",
        SPOT_SEED_CAP_BYPASS | SPOT_SEED_NEGATIVE_ADD | SPOT_SEED_OVERDRAW | SPOT_SEED_BIG_SHARE |
            SPOT_SEED_TICK_SHARE,
        SPOT_MS_PER_MIN / LOOP_TICKS_PER_MIN},
};

static const struct {
    const char *name;
    unsigned defect;
    const char *problem; /* message for a defect that belongs to no variant */
} defects[] = {
    {"no-limits", SPOT_SEED_NO_LIMITS, NULL},
    {"cap-bypass", SPOT_SEED_CAP_BYPASS, NULL},
    {"negative-add", SPOT_SEED_NEGATIVE_ADD, NULL},
    {"overdraw", SPOT_SEED_OVERDRAW, NULL},
    {"big-share", SPOT_SEED_BIG_SHARE, NULL},
    {"tick-share", SPOT_SEED_TICK_SHARE, NULL},
    {"mttp", 0, "is a figure of \"trace describe --notebook\""},
    {"early-stamp", 0, "is in what the notebook describes, not in what it generates"},
    {"net-adds", 0, "is in what the notebook describes, not in what it generates"},
    {"count: normal", 0, "is a law of sizes: count: {normal: {mean: 2.4, std: 2.1}}"},
};

static void bind_defect(spot_bind_t *bind, const spot_node_t *node, spot_seed_compat_t *self)
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
    spot_seed_compat_t *self = target;

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
static const spot_node_t *place_of(const spot_seed_compat_t *self, const char *name)
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
    spot_seed_compat_t *compat = &self->compat;

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
    if (self->variant == SPOT_SEED_CORRECTED) {
        spot_bind_error(
            bind, node, "overdraw", "it is a matter of variant: cell42 and variant: loop only");
    } else if (self->overdraw == OVERDRAW_STOP && self->variant == SPOT_SEED_CELL42) {
        spot_bind_error(
            bind, node, "overdraw", "cell42 never stops: expected clip, or leave overdraw out");
    } else if (self->overdraw == OVERDRAW_STOP &&
               (self->compat.defects & SPOT_SEED_OVERDRAW) == 0) {
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
    const unsigned leaving = SPOT_SEED_NO_LIMITS | SPOT_SEED_CAP_BYPASS;
    const spot_node_t *node = self->compat.node;

    if (setting != NULL && (self->compat.defects & leaving) != 0) {
        spot_diag_warn(bind->diag, node->file, node->line, node->column,
            "%scompat: the notebook keeps no limits of the population here; what leaves "
            "0 to the capacity is clipped",
            bind->path);
    }
}

void spot_seed_notebook_bind(
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

bool spot_seed_notebook_may_fall_below_0(const model_t *self)
{
    return has_defect(self, SPOT_SEED_NO_LIMITS) && self->overdraw != OVERDRAW_CLIP;
}

void spot_seed_notebook_set_big(model_t *self)
{
    static const spot_size_big_t big = {.probability = 0.05, .low = 11, .high = 31};

    if (has_defect(self, SPOT_SEED_BIG_SHARE)) {
        self->directions[SPOT_SEED_ADDITION].big = big;
    }
}

void spot_seed_notebook_prepare(model_t *self)
{
    const spot_seed_direction_t *addition = &self->directions[SPOT_SEED_ADDITION];

    for (int j = 0; has_defect(self, SPOT_SEED_TICK_SHARE) && j < SPOT_SEED_NUM_DIRECTIONS; j++) {
        spot_seed_direction_t *direction = &self->directions[j];

        direction->num_trials = 1;
        direction->p_of_trials = direction->p_per_minute / LOOP_TICKS_PER_MIN;
    }
    if (has_defect(self, SPOT_SEED_CAP_BYPASS)) {
        self->p_one_is_rounded_to_0 =
            spot_size_law_p_rounded_to_0(&addition->law, &addition->count, &addition->big);
    }
}

/* Writes the form of the model for the note in a trace. The list of defects has blanks,
 * as a header line must not have commas. */
void spot_seed_notebook_form(const model_t *self, char text[SPOT_FORM_BYTES])
{
    const unsigned kept = self->compat.defects;
    size_t length;

    if (self->variant == SPOT_SEED_CORRECTED) {
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

/* ---- A replication ---- */

int64_t spot_seed_notebook_num_ticks(const model_t *self, int64_t last_ms)
{
    const int64_t tick_ms = self->common.tick_ms;

    return self->variant == SPOT_SEED_CELL42 ? last_ms / tick_ms
                                             : (last_ms + tick_ms - 1) / tick_ms;
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

    if (spot_seed_notebook_may_fall_below_0(model)) {
        return draw_size(self, SPOT_SEED_PREEMPTION);
    }
    if (self->population == 0) {
        return 0;
    }
    size = draw_size(self, SPOT_SEED_PREEMPTION);
    if (size <= self->population) {
        return size;
    }
    if (has_defect(model, SPOT_SEED_OVERDRAW) && model->overdraw == OVERDRAW_STOP) {
        self->stopped_ms = self->tick * model->common.tick_ms;
    }
    return (int32_t) self->population;
}

/* Draws the number of instances added, given the room. A number rounded to 0 becomes 1
 * after the loop has tested the room. */
static int32_t draw_addition(state_t *self, int64_t room)
{
    const model_t *model = self->model;
    const int32_t size = draw_size(self, SPOT_SEED_ADDITION);

    if (has_defect(model, SPOT_SEED_NO_LIMITS)) {
        return size;
    }
    if (size == 1 && model->p_one_is_rounded_to_0 > 0) {
        const double u = spot_rng_uniform(&self->trials[SPOT_SEED_ADDITION].count);

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
    const int64_t loss_tick = spot_seed_next_tick(&self->trials[SPOT_SEED_PREEMPTION]);
    const int64_t add_tick = spot_seed_next_tick(&self->trials[SPOT_SEED_ADDITION]);
    const bool is_loop = self->model->variant == SPOT_SEED_LOOP;
    int32_t *waiting = self->waiting;
    int64_t room;

    self->tick = loss_tick < add_tick ? loss_tick : add_tick;
    if (self->tick > last_tick || self->tick > self->last_tick) {
        return false;
    }
    if (loss_tick == self->tick) {
        spot_seed_advance(&self->trials[SPOT_SEED_PREEMPTION]);
        waiting[SPOT_SEED_PREEMPTION] = draw_loss(self);
    }
    room = self->model->common.capacity - self->population +
           (is_loop ? 0 : waiting[SPOT_SEED_PREEMPTION]);
    if (add_tick == self->tick) {
        spot_seed_advance(&self->trials[SPOT_SEED_ADDITION]);
        waiting[SPOT_SEED_ADDITION] = draw_addition(self, room);
    }
    return self->stopped_ms < 0;
}

/* Gives the waiting instances of one direction as an event. A fleet or zone around the
 * model clips additions above the capacity, so that they do not count here. */
static bool give(state_t *self, int direction_id, spot_event_t *event)
{
    const model_t *model = self->model;
    const int32_t count = self->waiting[direction_id];
    const bool is_loss = direction_id == SPOT_SEED_PREEMPTION;

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

bool spot_seed_notebook_next(state_t *self, int64_t last_tick, spot_event_t *event)
{
    if (self->stopped_ms >= 0) {
        return false;
    }
    while (!give(self, SPOT_SEED_PREEMPTION, event) && !give(self, SPOT_SEED_ADDITION, event)) {
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

const spot_field_t spot_seed_notebook_fields[] = {
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
