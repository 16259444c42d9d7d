/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/study/sweep.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/canonical.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/units.h"
#include "base/utf8.h"
#include "sim/bench/analysis/sensitivity.h"
#include "sim/bench/engine/scenario_file.h"

/* ---- Ranges ---- */

/* Ranges of swept values: {from: 30 s, to: 10 min, points: 12, scale: log}. */

#define EXACT_DIGITS 15      /* hide the rounding of sums */
#define MIN_DIGITS 6         /* of values that are not written in the study */
#define FEWEST_VALUES 50000. /* that the digits of a range must distinguish */

#define MAX_WHOLE 0x1p53 /* whole numbers up to here are exact */

/* A number of steps that is whole up to rounding of decimal fractions. */
#define STEP_TOLERANCE 1e-9

bool spot_quantity_parse(const char *text, spot_quantity_t *quantity)
{
    const char *end, *problem = "";
    int64_t value_ms = 0;

    memset(quantity, 0, sizeof(*quantity));
    if (spot_duration_parse(text, &value_ms, &problem) == 0) {
        quantity->is_duration = true;
        quantity->value = (double) value_ms;
        return true;
    }
    end = spot_number_read(text, &quantity->value);
    if (end == NULL || end >= text + SPOT_NUMBER_TEXT_BYTES || strlen(end) > SPOT_UNIT_BYTES ||
        (*end != '\0' && (*end != ' ' || end[1] == '\0'))) {
        return false;
    }
    strcpy(quantity->unit, end + (*end == ' '));
    quantity->value += 0.0; /* -0 is 0 */
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

/* ---- The key "plan" ---- */

/* The key "plan", and the two forms of a sweep: a map from keys to their values and a
 * list of points. */

typedef struct {
    int64_t points;
    int64_t seed;
} design_keys_t;

/* Finds the plan with a name. Returns false after an error. */
static bool find_kind(spot_bind_t *bind, const spot_node_t *name, spot_plan_kind_t *kind)
{
    spot_suggest_t near;

    spot_suggest_init(&near, name->text);
    for (spot_plan_kind_t j = SPOT_PLAN_GRID; spot_plan_names[j] != NULL; j++) {
        if (strcmp(name->text, spot_plan_names[j]) == 0) {
            *kind = j;
            return true;
        }
        spot_suggest_offer(&near, spot_plan_names[j]);
    }
    spot_bind_unknown(bind, name, "plan", "plan", &near,
        ": there are grid, zip, list, latin-hypercube, sobol and sensitivity");
    return false;
}

/* A Sobol design whose number of points is no power of 2 is valid, but not balanced. */
static void warn_of_imbalance(
    const spot_reading_t *self, const spot_node_t *points, int64_t num_points)
{
    int64_t below = 1;

    while (2 * below < num_points) {
        below *= 2;
    }
    if (2 * below > num_points) {
        spot_diag_warn(self->diag, points->file, points->line, points->column,
            "plan: %" PRId64 " points of a Sobol sequence are not balanced, %" PRId64 " or %" PRId64
            " would be",
            num_points, below, 2 * below);
    }
}

/* {NAME: {points: 64, seed: 1}}. Returns false after an error. */
static bool read_design(spot_reading_t *self, spot_bind_t *bind, const spot_node_t *node)
{
    spot_plan_t *plan = &self->study->head.plan;
    const spot_field_t fields[] = {
        {SPOT_RANGE(INTEGER, "points", design_keys_t, points,
            plan->kind == SPOT_PLAN_SENSITIVITY ? SPOT_SENSITIVITY_MIN_SAMPLES : 2, SPOT_MAX_POINTS,
            NULL, NULL)},
        {SPOT_RANGE(INTEGER, "seed", design_keys_t, seed, 0, HUGE_VAL, "1", NULL)},
        {.name = NULL},
    };
    const size_t num_errors = bind->diag->num_errors;
    design_keys_t keys = {0};

    strcpy(bind->path, "plan.");
    spot_bind_map(bind, fields, node->keys[0]->text, node->children[0], &keys);
    bind->path[0] = '\0';
    if (bind->diag->num_errors > num_errors) {
        return false;
    }
    if (plan->kind != SPOT_PLAN_LATIN_HYPERCUBE) {
        warn_of_imbalance(self, spot_node_get(node->children[0], "points"), keys.points);
    }
    plan->seed = (uint64_t) keys.seed;
    self->request.num_drawn = keys.points;
    return true;
}

/* Reads the kind of plan and its settings. Returns false after an error. */
static bool read_plan(spot_reading_t *self, spot_bind_t *bind, const spot_node_t *node)
{
    const bool is_map = node->kind == SPOT_NODE_MAP;
    spot_plan_t *plan = &self->study->head.plan;

    if (is_map && node->num_children != 1) {
        spot_reading_error(self, "plan", "expected one plan, got %zu", node->num_children);
        return false;
    }
    if (!find_kind(bind, is_map ? node->keys[0] : node, &plan->kind)) {
        return false;
    }
    if (is_map && spot_plan_is_design(plan->kind)) {
        return read_design(self, bind, node);
    }
    if (is_map) {
        spot_reading_error(self, "plan", "%s has no settings: expected plan: %s",
            spot_plan_names[plan->kind], spot_plan_names[plan->kind]);
    } else if (spot_plan_is_design(plan->kind)) {
        spot_reading_error(self, "plan", "how many points? expected {%s: {points: 64, seed: 1}}",
            spot_plan_names[plan->kind]);
    } else {
        return true;
    }
    return false;
}

/* Whether plan and sweep fit each other and the rest of the study. */
static bool check_plan(const spot_reading_t *self)
{
    const spot_node_t *sweep = self->request.sweep;
    const spot_plan_kind_t kind = self->study->head.plan.kind;
    const bool is_list = sweep != NULL && sweep->kind == SPOT_NODE_LIST;

    if (kind == SPOT_PLAN_SENSITIVITY && self->study->head.optimise.metric != NULL) {
        spot_reading_error(self, "plan",
            "a sensitivity plan needs all replications of all points: it is not used "
            "with optimise, which stops those that are worse");
    } else if (is_list && kind != SPOT_PLAN_LIST) {
        spot_reading_error(self, "plan",
            "%s needs a sweep that is a map; this one is a list of points", spot_plan_names[kind]);
    } else if (!is_list && kind == SPOT_PLAN_LIST) {
        spot_reading_error(self, "plan",
            "list needs a sweep that is a list of points such as [{job.pipeline_depth: "
            "8}, {job.pipeline_depth: 16}]");
    } else if (sweep == NULL && kind != SPOT_PLAN_GRID) {
        spot_reading_error(self, "plan", "%s needs a sweep", spot_plan_names[kind]);
    } else {
        return true;
    }
    return false;
}

/* ---- Keys ---- */

/* Reports which keys a point lacks and which the first one does not have. */
static void check_point(spot_bind_t *bind, const spot_node_t *point, const spot_node_t *first)
{
    const spot_field_t field = {
        .name = "sweep", .expected = "a point such as {job.pipeline_depth: 8, fleet.initial: 16}"};
    char key[SPOT_UTF8_SHOWN_BYTES];

    if (point->kind != SPOT_NODE_MAP) {
        spot_bind_unexpected(bind, &field, point, "");
        return;
    }
    if (first->kind != SPOT_NODE_MAP) {
        return; /* reported */
    }
    for (size_t j = 0; j < first->num_children; j++) {
        if (spot_node_get(point, first->keys[j]->text) == NULL) {
            spot_bind_error(bind, point, "sweep", "the point has no %s, which the first one has",
                spot_utf8_shown(first->keys[j]->text, key));
        }
    }
    for (size_t j = 0; j < point->num_children; j++) {
        if (spot_node_get(first, point->keys[j]->text) == NULL) {
            spot_bind_error(bind, point->keys[j], "sweep", "the first point has no %s",
                spot_utf8_shown(point->keys[j]->text, key));
        }
    }
}

/* A swept key must not lie within another one, whose values would hide it. The engine is
 * chosen before there are points. An index must be that of an item. */
static void check_key(const spot_reading_t *self, const spot_node_t *keys, size_t key_id)
{
    const spot_node_t *scenario = self->study->template->scenario.root;
    const spot_node_t *key = keys->keys[key_id];
    char problem[SPOT_YAML_PROBLEM_BYTES];

    for (size_t j = 0; j < keys->num_children; j++) {
        char inner[SPOT_UTF8_SHOWN_BYTES], outer[SPOT_UTF8_SHOWN_BYTES];

        if (j != key_id && spot_canonical_is_within(key->text, keys->keys[j]->text)) {
            spot_node_error(self, key, "sweep", "%s lies within %s, which is swept too",
                spot_utf8_shown(key->text, inner), spot_utf8_shown(keys->keys[j]->text, outer));
        }
    }
    if (strcmp(key->text, "engine") == 0) {
        spot_node_error(self, keys->children[key_id], self->request.sweep_key,
            "engine cannot be swept: one engine runs all points of a study");
    }
    if (spot_yaml_is_path(key->text) && !spot_yaml_has_place(scenario, key->text, problem)) {
        spot_node_error(self, key, self->request.sweep_key, "%s", problem);
    }
}

/* Keeps the values of a key: those at the points of a list, of a list of its own, or a
 * single one. */
static int keep_items(spot_swept_t *swept, const spot_node_t *points, spot_node_t *value)
{
    const bool is_list = value->kind == SPOT_NODE_LIST;

    swept->num_items = points != NULL ? points->num_children : is_list ? value->num_children : 1;
    swept->nodes = spot_calloc(swept->num_items, sizeof(*swept->nodes));
    if (swept->nodes == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < swept->num_items; j++) {
        swept->nodes[j] = points != NULL ? spot_node_get(points->children[j], swept->path)
                          : is_list      ? value->children[j]
                                         : value;
    }
    return 0;
}

/* Reads a key of a map of keys, or of the first of the points of a list. */
static int read_key(spot_reading_t *self, spot_bind_t *bind, const spot_node_t *points,
    const spot_node_t *key, spot_node_t *value)
{
    const bool is_design = spot_plan_is_design(self->study->head.plan.kind);
    spot_template_t *template = self->study->template;
    spot_swept_t *swept = &template->swept[template->num_swept++];
    char shown[SPOT_UTF8_SHOWN_BYTES];

    swept->path = key->text;
    swept->place = value;
    if (!spot_yaml_is_path(swept->path) && points != NULL) {
        spot_bind_error(bind, key, "sweep", "\"%s\" is no key of a scenario",
            spot_utf8_shown(swept->path, shown));
    } else if (!spot_yaml_is_path(swept->path)) {
        spot_bind_error(bind, value, swept->path, "is no key of a scenario");
    } else if (points == NULL && value->kind == SPOT_NODE_MAP) {
        swept->is_spread =
            spot_range_bind(&swept->range, bind, swept->path, value, is_design) && is_design;
        swept->num_items = swept->range.num_values;
    } else if (points == NULL && value->kind == SPOT_NODE_LIST && value->num_children == 0) {
        spot_bind_error(bind, value, swept->path, "expected at least one value");
    } else {
        return keep_items(swept, points, value);
    }
    return bind->is_out_of_memory ? SPOT_ERR_NO_MEMORY : 0;
}

static int read_keys(spot_reading_t *self, spot_bind_t *bind, const spot_node_t *sweep)
{
    const spot_node_t *points = sweep->kind == SPOT_NODE_LIST ? sweep : NULL;
    const spot_node_t *keys = points != NULL ? points->children[0] : sweep;
    const size_t num_errors = bind->diag->num_errors;
    int ret = 0;

    for (size_t j = 0; points != NULL && j < points->num_children; j++) {
        check_point(bind, points->children[j], keys);
    }
    if (bind->diag->num_errors > num_errors) {
        return 0;
    }
    if (keys->num_children == 0) {
        spot_bind_error(bind, keys, self->request.sweep_key, "expected at least one key");
        return 0;
    }
    self->study->template->swept = spot_calloc(keys->num_children, sizeof(spot_swept_t));
    if (self->study->template->swept == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < keys->num_children; j++) {
        check_key(self, keys, j);
    }
    if (points == NULL) {
        sprintf(bind->path, "%s.", self->request.sweep_key);
    }
    for (size_t j = 0; ret == 0 && j < keys->num_children; j++) {
        ret = spot_scenario_spell_file(
            &self->study->template->scenario, keys->keys[j]->text, bind->diag);
        ret = ret == 0 ? read_key(self, bind, points, keys->keys[j], keys->children[j]) : ret;
    }
    return ret;
}

int spot_sweep_read(spot_reading_t *self)
{
    const size_t num_errors = self->diag->num_errors;
    const spot_node_t *sweep = self->request.sweep, *plan = self->request.plan;
    spot_bind_t bind = {.diag = self->diag};
    int ret;

    self->study->head.plan.kind =
        sweep != NULL && sweep->kind == SPOT_NODE_LIST ? SPOT_PLAN_LIST : SPOT_PLAN_GRID;
    if ((plan != NULL && !read_plan(self, &bind, plan)) || !check_plan(self)) {
        return SPOT_ERR_BAD_INPUT;
    }
    ret = sweep != NULL ? read_keys(self, &bind, sweep) : 0;
    return ret == 0 && self->diag->num_errors > num_errors ? SPOT_ERR_BAD_INPUT : ret;
}
