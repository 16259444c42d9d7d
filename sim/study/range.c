/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranges of swept values: {from: 30 s, to: 10 min, points: 12, scale: log}. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "base/utf8.h"
#include "sim/study/reading.h"

#define EXACT_DIGITS 15      /* hide the rounding of sums */
#define MIN_DIGITS 6         /* of values that are not written in the study */
#define FEWEST_VALUES 50000. /* that the digits of a range must distinguish */

bool
spot_quantity_parse(const char *text, spot_quantity_t *quantity)
{
    const size_t length = strcspn(text, " ");
    const char *unit = text[length] == '\0' ? "" : text + length + 1;
    const char *problem = "";
    char number[SPOT_NUMBER_TEXT_BYTES];
    int64_t value_ms = 0;

    memset(quantity, 0, sizeof(*quantity));
    if (spot_duration_parse(text, &value_ms, &problem) == 0) {
        quantity->is_duration = true;
        quantity->value = (double) value_ms;
        return true;
    }
    if (length >= sizeof(number) || strlen(unit) >= sizeof(quantity->unit) ||
        (text[length] != '\0' && unit[0] == '\0')) {
        return false;
    }
    memcpy(number, text, length);
    number[length] = '\0';
    strcpy(quantity->unit, unit);
    return spot_number_parse(number, &quantity->value) == 0;
}

/* The keys of a range. */
typedef struct {
    char *from;
    char *to;
    char *step;     /* or NULL */
    int64_t points; /* or 0 */
    int scale;
} range_keys_t;

static const char *const scales[] = {"linear", "log", NULL};

#define QUANTITY(member)                                                                \
    .type = SPOT_FIELD_TEXT, .offset = offsetof(range_keys_t, member),                  \
    .expected = "a number or a duration"

static const spot_field_t range_fields[] = {
    {.name = "from", QUANTITY(from)},
    {.name = "to", QUANTITY(to)},
    {.name = "step", QUANTITY(step), .initial = ""},
    {.name = "points",
        .type = SPOT_FIELD_INTEGER,
        .offset = offsetof(range_keys_t, points),
        .min = 2,
        .max = SPOT_MAX_POINTS,
        .initial = ""},
    {.name = "scale",
        .type = SPOT_FIELD_CHOICE,
        .offset = offsetof(range_keys_t, scale),
        .choices = scales,
        .initial = "linear"},
    {.name = NULL},
};

static bool
is_same_unit(const spot_quantity_t *a, const spot_quantity_t *b)
{
    return a->is_duration == b->is_duration && strcmp(a->unit, b->unit) == 0;
}

/* The ends and the step; false: they do not fit, which is reported. */
static bool
read_quantities(spot_range_t *self, spot_bind_t *bind, const char *path,
    const spot_node_t *node, const range_keys_t *keys)
{
    char from_text[SPOT_UTF8_SHOWN_BYTES], to_text[SPOT_UTF8_SHOWN_BYTES];
    spot_quantity_t to, step;

    if (!spot_quantity_parse(keys->from, &self->unit) ||
        !spot_quantity_parse(keys->to, &to) || !is_same_unit(&self->unit, &to)) {
        spot_bind_error(bind, node, path,
            "from and to must be two numbers, two durations or two of one unit, got "
            "\"%s\" and \"%s\"",
            spot_utf8_shown(keys->from, from_text), spot_utf8_shown(keys->to, to_text));
        return false;
    }
    self->axis = (spot_design_axis_t){
        .kind = self->unit.is_duration ? SPOT_DESIGN_DURATION : SPOT_DESIGN_NUMBER,
        .is_log = keys->scale == 1,
        .from = self->unit.value,
        .to = to.value,
    };
    if (keys->step == NULL) {
        return true;
    }
    if (!spot_quantity_parse(keys->step, &step) || !is_same_unit(&self->unit, &step) ||
        !(step.value > 0)) {
        spot_bind_error(bind, spot_node_get(node, "step"), path,
            "step must be above 0 and count what from and to do, got \"%s\"",
            spot_utf8_shown(keys->step, to_text));
        return false;
    }
    self->axis.step = step.value;
    return true;
}

/* Why the ends and the step make no range; NULL: they do. */
static const char *
range_problem(const spot_range_t *self, bool is_design)
{
    const spot_design_axis_t *axis = &self->axis;
    const char *problem = NULL;

    if (axis->is_log && !(axis->from > 0 && axis->to > 0)) {
        return "a logarithmic range needs from and to above 0";
    }
    if (axis->is_log && !self->has_points && !is_design) {
        return "a logarithmic range needs points";
    }
    if (axis->step > 0 && !(axis->from < axis->to)) {
        return "with step, from must be below to";
    }
    if (self->has_points && axis->step == 0) { /* from may be above to */
        return isfinite(axis->to - axis->from) ? NULL : "from and to are too far apart";
    }
    return spot_design_axis_check(axis, &problem) == 0 ? NULL : problem;
}

/* The number of digits that distinguishes enough values of the range. */
static int
digits_for(const spot_design_axis_t *axis)
{
    const double largest = fmax(fabs(axis->from), fabs(axis->to));
    const double range = fabs(axis->to - axis->from);
    int num_digits = MIN_DIGITS;

    while (num_digits < EXACT_DIGITS &&
           pow(10, floor(log10(largest)) + 1 - num_digits) > range / FEWEST_VALUES) {
        num_digits++;
    }
    return num_digits;
}

/* A design says how many points there are; else a range needs points or a step. */
static bool
check_points(
    spot_bind_t *bind, const char *path, const spot_node_t *node, bool is_design)
{
    const spot_node_t *points = spot_node_get(node, "points");

    if (is_design && points != NULL) {
        spot_bind_error(bind, points, path,
            "the plan says how many points there are: leave points out here");
        return false;
    }
    if (!is_design && points == NULL && spot_node_get(node, "step") == NULL) {
        spot_bind_error(bind, node, path, "expected points or a step");
        return false;
    }
    return true;
}

/* The number of values of a range that a grid or zip takes as they are; 0: too many. */
static size_t
count_values(const spot_range_t *self, const range_keys_t *keys)
{
    const double num_steps = (self->axis.to - self->axis.from) / self->axis.step;

    if (self->has_points) {
        return (size_t) keys->points;
    }
    return num_steps < SPOT_MAX_POINTS ? (size_t) nearbyint(num_steps) + 1 : 0;
}

static void
settle_range(spot_range_t *self, spot_bind_t *bind, const char *path,
    const spot_node_t *node, const range_keys_t *keys, bool is_design)
{
    const char *problem;

    if (!read_quantities(self, bind, path, node, keys)) {
        return;
    }
    self->has_points = keys->points > 0;
    problem = range_problem(self, is_design);
    if (problem != NULL) {
        spot_bind_error(bind, node, path, "%s", problem);
        return;
    }
    self->num_digits = digits_for(&self->axis);
    self->num_values = is_design ? 0 : count_values(self, keys);
    if (!is_design && self->num_values == 0) {
        spot_bind_error(bind, node, path, "more than %d points in all", SPOT_MAX_POINTS);
    }
}

bool
spot_range_bind(spot_range_t *self, spot_bind_t *bind, const char *path,
    const spot_node_t *node, bool is_design)
{
    const size_t num_errors = bind->diag->num_errors;
    range_keys_t keys = {0};

    spot_bind_map(bind, range_fields, path, node, &keys);
    if (check_points(bind, path, node, is_design) && !bind->is_out_of_memory &&
        bind->diag->num_errors == num_errors) {
        settle_range(self, bind, path, node, &keys, is_design);
    }
    free(keys.from);
    free(keys.to);
    free(keys.step);
    return bind->diag->num_errors == num_errors;
}

/* A duration that is not written in the study: from 1 s on in s, with all its ms. */
static void
write_duration(int64_t value_ms, char text[SPOT_RANGE_TEXT_BYTES])
{
    char number[SPOT_NUMBER_TEXT_BYTES];

    spot_duration_text(value_ms, text);
    if (llabs(value_ms) >= SPOT_MS_PER_S && strstr(text, "ms") != NULL) {
        spot_number_text((double) value_ms / (double) SPOT_MS_PER_S, number);
        snprintf(text, SPOT_RANGE_TEXT_BYTES, "%s s", number);
    }
}

/* is_drawn: the value is neither an end nor on a step. */
static void
write_text(const spot_range_t *self, double value, bool is_drawn,
    char text[SPOT_RANGE_TEXT_BYTES])
{
    const double low = fmin(self->axis.from, self->axis.to);
    const double high = fmax(self->axis.from, self->axis.to);
    const int64_t value_ms = (int64_t) nearbyint(value);
    char number[SPOT_NUMBER_TEXT_BYTES];
    double rounded = 0;

    if (self->unit.is_duration) {
        (is_drawn ? write_duration : spot_duration_text)(value_ms, text);
        return;
    }
    snprintf(number, sizeof(number), "%.*g", is_drawn ? self->num_digits : EXACT_DIGITS,
        value);
    spot_bug_assert(spot_number_parse(number, &rounded) == 0);
    if (value == low || rounded < low) { /* rounding does not leave the range */
        spot_number_text(low, number);
    } else if (value == high || rounded > high) {
        spot_number_text(high, number);
    }
    snprintf(text, SPOT_RANGE_TEXT_BYTES, "%s%s%s", number,
        self->unit.unit[0] == '\0' ? "" : " ", self->unit.unit);
}

/* The multiple of the step that is nearest to a value. */
static double
on_step(const spot_design_axis_t *axis, double value)
{
    const double num_steps = nearbyint((axis->to - axis->from) / axis->step);
    const double step_id = nearbyint((value - axis->from) / axis->step);

    return axis->from + (axis->to - axis->from) * fmin(step_id, num_steps) / num_steps;
}

void
spot_range_text(
    const spot_range_t *self, size_t value_id, char text[SPOT_RANGE_TEXT_BYTES])
{
    const spot_design_axis_t *axis = &self->axis;
    const double share = (double) value_id / (double) (self->num_values - 1);
    double value = axis->from + (axis->to - axis->from) * share;
    bool is_drawn = false;

    if (value_id == self->num_values - 1) {
        value = axis->to;
    } else if (axis->is_log && value_id > 0) {
        value = exp(log(axis->from) + (log(axis->to) - log(axis->from)) * share);
        is_drawn = true;
    }
    if (axis->step > 0) {
        value = on_step(axis, value);
        is_drawn = false;
    }
    write_text(self, value, is_drawn, text);
}

void
spot_range_draw(const spot_range_t *self, double u, char text[SPOT_RANGE_TEXT_BYTES])
{
    write_text(self, spot_design_value(&self->axis, u), self->axis.step == 0, text);
}
