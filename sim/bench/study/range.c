/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranges of swept values: {from: 30 s, to: 10 min, points: 12, scale: log}. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "base/utf8.h"
#include "sim/bench/study/reading.h"

#define EXACT_DIGITS 15      /* hide the rounding of sums */
#define MIN_DIGITS 6         /* of values that are not written in the study */
#define FEWEST_VALUES 50000. /* that the digits of a range must distinguish */

#define MAX_WHOLE 0x1p53 /* whole numbers up to here are exact */

/* A number of steps that is whole up to rounding of decimal fractions. */
#define STEP_TOLERANCE 1e-9

bool spot_quantity_parse(const char *text, spot_quantity_t *quantity)
{
    const char *end = spot_number_end(text), *problem = "";
    int64_t value_ms = 0;

    memset(quantity, 0, sizeof(*quantity));
    if (spot_duration_parse(text, &value_ms, &problem) == 0) {
        quantity->is_duration = true;
        quantity->value = (double) value_ms;
        return true;
    }
    if (end == NULL || end >= text + SPOT_NUMBER_TEXT_BYTES || strlen(end) > SPOT_UNIT_BYTES ||
        (*end != '\0' && (*end != ' ' || end[1] == '\0'))) {
        return false;
    }
    strcpy(quantity->unit, end + (*end == ' '));
    quantity->value = strtod(text, NULL) + 0.0; /* -0 is 0 */
    return isfinite(quantity->value);
}

/* The keys of a range. */
typedef struct {
    char *from;
    char *to;
    char *step;     /* or NULL */
    int64_t points; /* or 0 */
    int scale;
} range_keys_t;

#define QUANTITY(member)                                                                           \
    .type = SPOT_FIELD_TEXT, .offset = offsetof(range_keys_t, member),                             \
    .expected = "a number or a duration"

static const spot_field_t range_fields[] = {
    {.name = "from", QUANTITY(from)},
    {.name = "to", QUANTITY(to)},
    {.name = "step", QUANTITY(step), .initial = ""},
    {SPOT_RANGE(INTEGER, "points", range_keys_t, points, 2, SPOT_MAX_POINTS, "", NULL)},
    {.name = "scale",
        .type = SPOT_FIELD_CHOICE,
        .offset = offsetof(range_keys_t, scale),
        .choices = (const char *const[]){"linear", "log", NULL},
        .initial = "linear"},
    {.name = NULL},
};

static bool is_same_unit(const spot_quantity_t *a, const spot_quantity_t *b)
{
    return a->is_duration == b->is_duration && strcmp(a->unit, b->unit) == 0;
}

/* The ends and the step; false: they do not fit, which is reported. */
static bool read_quantities(spot_range_t *self, spot_bind_t *bind, const char *path,
    const spot_node_t *node, const range_keys_t *keys)
{
    char from_text[SPOT_UTF8_SHOWN_BYTES], to_text[SPOT_UTF8_SHOWN_BYTES];
    spot_quantity_t to, step = {0};

    if (!spot_quantity_parse(keys->from, &self->unit) || !spot_quantity_parse(keys->to, &to) ||
        !is_same_unit(&self->unit, &to)) {
        spot_bind_error(bind, node, path,
            "from and to must be two numbers, two durations or two of one unit, got "
            "\"%s\" and \"%s\"",
            spot_utf8_shown(keys->from, from_text), spot_utf8_shown(keys->to, to_text));
        return false;
    }
    if (keys->step != NULL && (!spot_quantity_parse(keys->step, &step) ||
                                  !is_same_unit(&self->unit, &step) || !(step.value > 0))) {
        spot_bind_error(bind, spot_node_get(node, "step"), path,
            "step must be above 0 and count what from and to do, got \"%s\"",
            spot_utf8_shown(keys->step, to_text));
        return false;
    }
    self->is_log = keys->scale == 1;
    self->from = self->unit.value;
    self->to = to.value;
    self->step = step.value;
    self->spacing = self->unit.is_duration ? fmax(step.value, 1) : step.value;
    self->num_steps = nearbyint((to.value - self->unit.value) / self->spacing);
    self->has_points = keys->points > 0;
    return true;
}

/* Why the ends and the step make no range; NULL: they do. */
static const char *range_problem(const spot_range_t *self, bool is_design)
{
    const double range = self->to - self->from, num_steps = self->num_steps;

    if (self->is_log && !(self->from > 0 && self->to > 0)) {
        return "a logarithmic range needs from and to above 0";
    }
    if (self->is_log && !self->has_points && !is_design) {
        return "a logarithmic range needs points";
    }
    if (self->step > 0 && !(self->from < self->to)) {
        return "with step, from must be below to";
    }
    if (self->has_points && self->step == 0) { /* from may be above to */
        return isfinite(range) ? NULL : "from and to are too far apart";
    }
    if (!isfinite(range)) {
        return "from, to and step must be finite";
    }
    if (!(range > 0)) {
        return "from must be less than to";
    }
    if (self->step > 0 && !(num_steps >= 1 && num_steps < MAX_WHOLE &&
                              fabs(range / self->step - num_steps) <= STEP_TOLERANCE * num_steps)) {
        return "to must be a whole number of steps from from";
    }
    return NULL;
}

/* The number of digits that distinguishes enough values of the range. */
static int digits_for(const spot_range_t *self)
{
    const double largest = fmax(fabs(self->from), fabs(self->to));
    const double range = fabs(self->to - self->from);
    int num_digits = MIN_DIGITS;

    while (num_digits < EXACT_DIGITS &&
           pow(10, floor(log10(largest)) + 1 - num_digits) > range / FEWEST_VALUES) {
        num_digits++;
    }
    return num_digits;
}

/* Settles a range whose keys are good, each by itself. */
static void settle_range(spot_range_t *self, spot_bind_t *bind, const char *path,
    const spot_node_t *node, const range_keys_t *keys, bool is_design)
{
    const char *problem = range_problem(self, is_design);

    self->num_digits = digits_for(self);
    if (problem != NULL) {
        spot_bind_error(bind, node, path, "%s", problem);
    } else if (!is_design && !self->has_points && self->num_steps >= SPOT_MAX_POINTS) {
        spot_bind_error(bind, node, path, "more than %d points in all", SPOT_MAX_POINTS);
    } else if (!is_design) {
        self->num_values = self->has_points ? (size_t) keys->points : (size_t) self->num_steps + 1;
    }
}

bool spot_range_bind(spot_range_t *self, spot_bind_t *bind, const char *path,
    const spot_node_t *node, bool is_design)
{
    const spot_node_t *points = spot_node_get(node, "points");
    const size_t num_errors = bind->diag->num_errors;
    range_keys_t keys = {0};

    spot_bind_map(bind, range_fields, path, node, &keys);
    if (is_design && points != NULL) {
        spot_bind_error(
            bind, points, path, "the plan says how many points there are: leave points out here");
    } else if (!is_design && points == NULL && spot_node_get(node, "step") == NULL) {
        spot_bind_error(bind, node, path, "expected points or a step");
    } else if (!bind->is_out_of_memory && bind->diag->num_errors == num_errors &&
               read_quantities(self, bind, path, node, &keys)) {
        settle_range(self, bind, path, node, &keys, is_design);
    }
    free(keys.from);
    free(keys.to);
    free(keys.step);
    return bind->diag->num_errors == num_errors;
}

/* ---- Values ---- */

/* A share of the way from one end to the other, in the value or in its logarithm;
 * rounding does not leave the range. */
static double between(double from, double to, bool is_log, double share)
{
    const double value =
        is_log ? exp(log(from) + (log(to) - log(from)) * share) : from + (to - from) * share;

    return fmin(fmax(value, fmin(from, to)), fmax(from, to));
}

/* Whole ms stay whole, and 0.3 is on the way from 0 to 1 in steps of 0.1. */
static double on_step(const spot_range_t *self, double step_id)
{
    if (step_id >= self->num_steps) {
        return self->to;
    }
    return self->unit.is_duration
               ? self->from + step_id * self->spacing
               : self->from + (self->to - self->from) * step_id / self->num_steps;
}

double spot_range_at(const spot_range_t *self, double u)
{
    assert(u > 0 && u < 1);
    if (self->spacing == 0) {
        return between(self->from, self->to, self->is_log, u);
    }
    if (self->is_log) {
        const double value = between(self->from, self->to + self->spacing, true, u);

        return on_step(self, floor((value - self->from) / self->spacing));
    }
    return on_step(self, floor(u * (self->num_steps + 1)));
}

/* Writes a value and returns what the text means. is_drawn: the value is neither an end
 * nor on a step; then a duration is in s from 1 s on, with all its ms. */
static spot_quantity_t write_value(
    const spot_range_t *self, double value, bool is_drawn, char text[SPOT_RANGE_TEXT_BYTES])
{
    const double low = fmin(self->from, self->to);
    const double high = fmax(self->from, self->to);
    spot_quantity_t shown = self->unit;

    if (shown.is_duration) {
        const int64_t value_ms = (int64_t) nearbyint(value);
        const int rest_ms = (int) (llabs(value_ms) % SPOT_MS_PER_S);

        shown.value = (double) value_ms;
        if (is_drawn && rest_ms > 0 && llabs(value_ms) > SPOT_MS_PER_S) {
            int length = sprintf(text, "%" PRId64 ".%03d", value_ms / SPOT_MS_PER_S, rest_ms);

            while (text[length - 1] == '0') {
                length--;
            }
            strcpy(&text[length], " s");
        } else {
            spot_duration_text(value_ms, text);
        }
        return shown;
    }
    snprintf(
        text, SPOT_RANGE_TEXT_BYTES, "%.*g", is_drawn ? self->num_digits : EXACT_DIGITS, value);
    spot_bug_assert(spot_number_parse(text, &shown.value) == 0);
    if (value == low || shown.value < low) { /* rounding does not leave the range */
        shown.value = low;
        spot_number_text(low, text);
    } else if (value == high || shown.value > high) {
        shown.value = high;
        spot_number_text(high, text);
    }
    spot_unit_append(text, shown.unit);
    return shown;
}

spot_quantity_t spot_range_value(
    const spot_range_t *self, size_t value_id, char text[SPOT_RANGE_TEXT_BYTES])
{
    const size_t last_id = self->num_values - 1;
    const bool is_end = value_id == 0 || value_id == last_id;
    double value = value_id == 0 ? self->from : self->to;

    if (!is_end) {
        value = between(self->from, self->to, self->is_log, (double) value_id / (double) last_id);
    }
    if (self->step > 0) {
        value = on_step(self, nearbyint((value - self->from) / self->step));
    }
    return write_value(self, value, self->is_log && !is_end && self->step == 0, text);
}

spot_quantity_t spot_range_draw(
    const spot_range_t *self, double u, char text[SPOT_RANGE_TEXT_BYTES])
{
    return write_value(self, spot_range_at(self, u), self->step == 0, text);
}
