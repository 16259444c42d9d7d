/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The two forms in which the seed study's notebook makes preemptions and additions, each
 * defect of which can be kept or corrected:
 *
 * cell42: a trial of each direction at each minute 0, 1, ...; the preemption comes
 * first. loop: a trial of each direction at each tick 0 s, 5 s, ...; what is added is
 * found with the instances before the losses of the tick, which are applied first.
 *
 * negative-add, the room above the capacity, is accepted as the other defects are, but
 * makes no difference in a trace: nothing is added to a negative room, as to none. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "traces/generate/generator_seed.h"

typedef spot_seed_model_t model_t;
typedef spot_seed_state_t state_t;

/* ---- Binding ---- */

static const char *const variant_names[] = {"corrected", "cell42", "loop", NULL};
static const char *const overdraw_names[] = {"stop", "clip", NULL};
enum { OVERDRAW_STOP, OVERDRAW_CLIP };

/* A minute has 12 ticks of the loop. */
#define LOOP_TICKS_PER_MIN 12

static const struct {
    const char *text; /* its defects, as told to users */
    unsigned defects;
    int64_t tick_ms;
} variants[SPOT_SEED_NUM_VARIANTS] = {
    [SPOT_SEED_CORRECTED] = {"none", 0, 0},
    [SPOT_SEED_CELL42] = {"no-limits", SPOT_SEED_NO_LIMITS, SPOT_MS_PER_MIN},
    [SPOT_SEED_LOOP] = {"cap-bypass, negative-add, overdraw, big-share, tick-share",
        SPOT_SEED_CAP_BYPASS | SPOT_SEED_NEGATIVE_ADD | SPOT_SEED_OVERDRAW |
            SPOT_SEED_BIG_SHARE | SPOT_SEED_TICK_SHARE,
        SPOT_MS_PER_MIN / LOOP_TICKS_PER_MIN},
};

static const struct {
    const char *name;
    unsigned defect;
    const char *problem; /* of a defect that is no matter of a variant */
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

static void
bind_choice(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    const spot_field_t choice = {
        .name = field->name, .type = SPOT_FIELD_CHOICE, .choices = field->choices};
    spot_seed_choice_t *self = target;

    self->node = node;
    self->value = -1;
    spot_bind_field(bind, &choice, node, &self->value);
}

static void
bind_defect(spot_bind_t *bind, const spot_node_t *node, spot_seed_compat_t *self)
{
    spot_suggest_t near;

    spot_suggest_init(&near, node->text);
    for (size_t j = 0; j < sizeof(defects) / sizeof(defects[0]); j++) {
        spot_suggest_offer(&near, defects[j].name);
        if (strcmp(near.text, defects[j].name) == 0) {
            self->defects |= defects[j].defect;
            if (defects[j].problem != NULL) {
                spot_bind_error(
                    bind, node, "compat", "%s %s", defects[j].name, defects[j].problem);
            }
            return;
        }
    }
    spot_bind_unknown(bind, node, "compat", "defect", &near, "");
}

static void
bind_compat(
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

/* Where a list names a defect. */
static const spot_node_t *
place_of(const spot_seed_compat_t *self, const char *name)
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

/* The defects of another variant are refused: what is asked for would be missing. */
static void
settle_compat(model_t *self, spot_bind_t *bind)
{
    const int variant = self->variant.value;
    spot_seed_compat_t *compat = &self->compat;

    if (compat->is_notebook) {
        compat->defects = variants[variant].defects;
    }
    if (compat->is_notebook && compat->defects == 0) {
        spot_bind_error(bind, compat->node, "compat",
            "variant corrected has no defect of the notebook: expected variant: cell42 "
            "or "
            "variant: loop");
    }
    for (size_t j = 0; j < sizeof(defects) / sizeof(defects[0]); j++) {
        if ((compat->defects & defects[j].defect & ~variants[variant].defects) != 0) {
            spot_bind_error(bind, place_of(compat, defects[j].name), "compat",
                "%s does not fit variant %s, whose defects are: %s", defects[j].name,
                variant_names[variant], variants[variant].text);
        }
    }
}

/* cell42 knows no overdraw: what it takes from nobody either counts or is clipped. */
static void
settle_overdraw(model_t *self, spot_bind_t *bind)
{
    const spot_seed_choice_t *overdraw = &self->overdraw;

    if (overdraw->node == NULL || overdraw->value < 0) {
        return;
    }
    if (self->variant.value == SPOT_SEED_CORRECTED) {
        spot_bind_error(bind, overdraw->node, "overdraw",
            "it is a matter of variant: cell42 and variant: loop only");
    } else if (overdraw->value == OVERDRAW_STOP &&
               self->variant.value == SPOT_SEED_CELL42) {
        spot_bind_error(bind, overdraw->node, "overdraw",
            "cell42 never stops: expected clip, or leave overdraw out");
    } else if (overdraw->value == OVERDRAW_STOP &&
               (self->compat.defects & SPOT_SEED_OVERDRAW) == 0) {
        spot_bind_error(bind, overdraw->node, "overdraw",
            "stop is a defect of the notebook: expected compat: notebook or compat: "
            "[overdraw]");
    }
}

static void
settle_tick(model_t *self, spot_bind_t *bind)
{
    const int64_t tick_ms = variants[self->variant.value].tick_ms;
    int64_t given_ms = tick_ms;

    if (tick_ms == 0) {
        return;
    }
    if (self->common.tick_s != 0 &&
        (spot_duration_from_s(self->common.tick_s, &given_ms) != 0 ||
            given_ms != tick_ms)) {
        spot_bind_error(bind, self->variant.node, "variant",
            "the ticks of %s have %d s: leave tick_s out",
            variant_names[self->variant.value], (int) (tick_ms / SPOT_MS_PER_S));
    }
    self->common.tick_ms = tick_ms;
}

static void
warn_of_limits(
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

void
spot_seed_notebook_bind(
    model_t *self, spot_bind_t *bind, const spot_trace_setting_t *setting)
{
    if (self->variant.value >= 0) {
        settle_compat(self, bind);
        settle_overdraw(self, bind);
        settle_tick(self, bind);
        warn_of_limits(self, bind, setting);
    }
    self->is_alone = setting == NULL;
    self->variant.node = self->compat.node = self->overdraw.node = NULL;
}

static bool
has_defect(const model_t *self, unsigned defect)
{
    return (self->compat.defects & defect) != 0;
}

bool
spot_seed_notebook_may_fall_below_0(const model_t *self)
{
    return has_defect(self, SPOT_SEED_NO_LIMITS) &&
           self->overdraw.value != OVERDRAW_CLIP;
}

void
spot_seed_notebook_set_big(model_t *self)
{
    static const spot_size_big_t big = {.probability = 0.05, .low = 11, .high = 31};

    if (has_defect(self, SPOT_SEED_BIG_SHARE)) {
        self->directions[SPOT_SEED_ADDITION].big = big;
    }
}

void
spot_seed_notebook_prepare(model_t *self)
{
    const spot_seed_direction_t *addition = &self->directions[SPOT_SEED_ADDITION];

    for (int j = 0;
         has_defect(self, SPOT_SEED_TICK_SHARE) && j < SPOT_SEED_NUM_DIRECTIONS; j++) {
        spot_seed_direction_t *direction = &self->directions[j];

        spot_trial_law_init(
            &direction->gap, 1, direction->p_per_minute / LOOP_TICKS_PER_MIN);
    }
    if (has_defect(self, SPOT_SEED_CAP_BYPASS)) {
        self->p_one_is_rounded_to_0 = spot_size_law_p_rounded_to_0(
            &addition->law, &addition->count, &addition->big);
    }
}

/* A trace keeps its origin: which defects are in it. Their list has blanks for commas,
 * which a header line must not have. */
void
spot_seed_notebook_form(const model_t *self, char text[SPOT_FORM_BYTES])
{
    const unsigned kept = self->compat.defects;
    size_t length;

    if (self->variant.value == SPOT_SEED_CORRECTED) {
        return;
    }
    length = (size_t) snprintf(text, SPOT_FORM_BYTES, " variant %s compat%s",
        variant_names[self->variant.value], kept == 0 ? " none" : "");
    for (size_t j = 0; j < sizeof(defects) / sizeof(defects[0]); j++) {
        if ((kept & defects[j].defect) != 0) {
            length += (size_t) snprintf(
                text + length, SPOT_FORM_BYTES - length, " %s", defects[j].name);
        }
    }
    if (self->overdraw.value == OVERDRAW_CLIP) {
        snprintf(text + length, SPOT_FORM_BYTES - length, " overdraw clip");
    }
}

/* ---- A replication ---- */

int64_t
spot_seed_notebook_num_ticks(const model_t *self, int64_t last_ms)
{
    const int64_t tick_ms = self->common.tick_ms;

    return self->variant.value == SPOT_SEED_CELL42 ? last_ms / tick_ms
                                                   : (last_ms + tick_ms - 1) / tick_ms;
}

static int32_t
draw_size(state_t *self, int direction_id)
{
    return spot_size_law_draw(
        &self->model->directions[direction_id].law, &self->trials[direction_id].count);
}

/* Instances lost; nothing happens where nobody lives, unless no population is kept. */
static int32_t
draw_loss(state_t *self)
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
    if (has_defect(model, SPOT_SEED_OVERDRAW) &&
        model->overdraw.value == OVERDRAW_STOP) {
        self->stopped_ms = self->tick * model->common.tick_ms;
    }
    return (int32_t) self->population;
}

/* Instances added where there is room for so many: a number rounded to 0 is made a 1
 * after the loop has looked at the room. */
static int32_t
draw_addition(state_t *self, int64_t room)
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

/* What happens at the tick of the next success; false: there is none up to last_tick. */
static bool
walk_to_next_success(state_t *self, int64_t last_tick)
{
    const int64_t loss_tick = self->trials[SPOT_SEED_PREEMPTION].next_tick;
    const int64_t add_tick = self->trials[SPOT_SEED_ADDITION].next_tick;
    const bool is_loop = self->model->variant.value == SPOT_SEED_LOOP;
    int32_t *waiting = self->waiting;
    int64_t room;

    self->tick = loss_tick < add_tick ? loss_tick : add_tick;
    if (self->tick > last_tick || self->tick > self->last_tick) {
        return false;
    }
    if (loss_tick == self->tick) {
        spot_seed_advance(&self->trials[SPOT_SEED_PREEMPTION], self->tick);
        waiting[SPOT_SEED_PREEMPTION] = draw_loss(self);
    }
    room = self->model->common.capacity - self->population +
           (is_loop ? 0 : waiting[SPOT_SEED_PREEMPTION]);
    if (add_tick == self->tick) {
        spot_seed_advance(&self->trials[SPOT_SEED_ADDITION], self->tick);
        waiting[SPOT_SEED_ADDITION] = draw_addition(self, room);
    }
    return self->stopped_ms < 0;
}

/* A fleet or a zone around the model clips what is above the capacity: it never came. */
static bool
give(state_t *self, int direction_id, spot_event_t *event)
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

bool
spot_seed_notebook_next(state_t *self, int64_t last_tick, spot_event_t *event)
{
    if (self->stopped_ms >= 0) {
        return false;
    }
    while (!give(self, SPOT_SEED_PREEMPTION, event) &&
           !give(self, SPOT_SEED_ADDITION, event)) {
        if (!walk_to_next_success(self, last_tick)) {
            return false;
        }
    }
    return true;
}

const spot_field_t spot_seed_notebook_fields[] = {
    {.name = "variant",
        .type = SPOT_FIELD_CUSTOM,
        .offset = offsetof(model_t, variant),
        .initial = "",
        .choices = variant_names,
        .bind = bind_choice,
        .expected = "corrected, cell42 or loop",
        .help =
            "corrected (the default), or one of the two forms of the seed study's "
            "notebook: cell42 with a trial at each minute from 0 on, loop with a "
            "trial at each 5 s from 0 on, whose capacity is tested before the losses "
            "of the tick. Their ticks stay, whatever the scenario's tick"},
    {.name = "compat",
        .type = SPOT_FIELD_CUSTOM,
        .offset = offsetof(model_t, compat),
        .initial = "",
        .bind = bind_compat,
        .expected = "none, notebook or a list of no-limits, cap-bypass, negative-add, "
                    "overdraw, big-share, tick-share",
        .help =
            "defects of the notebook to keep: none (the default), all that fit the "
            "variant, or those named. cell42: no-limits (no population is kept; a trace "
            "that falls below 0 cannot be written, see overdraw). loop: cap-bypass (a "
            "size rounded to "
            "0 adds 1 above the capacity), negative-add (of no effect in a trace), "
            "overdraw, big-share (5 % of 11 to 31), tick-share (a twelfth of the "
            "probability per minute at each 5 s). A generated trace that may pass the "
            "capacity is marked as unbounded; a scenario and zones clip"},
    {.name = "overdraw",
        .type = SPOT_FIELD_CUSTOM,
        .offset = offsetof(model_t, overdraw),
        .initial = "",
        .choices = overdraw_names,
        .bind = bind_choice,
        .expected = "stop or clip",
        .help =
            "what happens where more are preempted than live. clip takes those that "
            "live. loop: stop ends the trace in failure (the default where compat has "
            "overdraw). cell42 with no-limits: without clip they count all the same"},
    {.name = NULL, .fields = spot_model_common_fields},
};
