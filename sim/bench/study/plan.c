/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/study/plan.h"

#include <assert.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_qrng.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/canonical.h"
#include "base/json.h"
#include "base/keys.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/rng.h"
#include "base/units.h"
#include "base/utf8.h"
#include "sim/bench/analysis/sensitivity.h"
#include "sim/bench/engine/scenario_file.h"

#define RANGE_TEXT_BYTES (32 + SPOT_UNIT_BYTES)

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

/* ---- Values of ranges ---- */

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
    const spot_range_t *self, double value, bool is_drawn, char text[RANGE_TEXT_BYTES])
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
    snprintf(text, RANGE_TEXT_BYTES, "%.*g", is_drawn ? self->num_digits : EXACT_DIGITS, value);
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

/* Writes the value_id-th of the values of a range as YAML and returns what the text
 * means. Both ends are exact. */
static spot_quantity_t range_value(
    const spot_range_t *self, size_t value_id, char text[RANGE_TEXT_BYTES])
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

/* The same for the value of a design at u in (0, 1). It does not depend on other
 * values. */
static spot_quantity_t range_draw(const spot_range_t *self, double u, char text[RANGE_TEXT_BYTES])
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

/* ---- Designs ---- */

#define SOBOL_BITS 30 /* of gsl_qrng_sobol */
#define SOBOL_SCALE 0x1p30
#define POINT_BITS 52 /* of a coordinate; the half that is added takes one bit more */
#define POINT_UNIT 0x1p-52
#define JITTER_BITS 24 /* of 52, so that strata stay apart when rounded */
#define JITTER_UNIT 0x1p-24

int spot_design_latin(size_t num_points, size_t num_dims, uint64_t seed, double *points)
{
    spot_rng_t rng;

    if (num_points > SPOT_DESIGN_MAX_POINTS) {
        return SPOT_ERR_BAD_PARAM;
    }
    for (size_t j = 0; j < num_dims; j++) {
        double *column = points + j;

        spot_rng_seek(&rng, seed, 0, SPOT_STREAM_DESIGN, j);
        for (size_t k = 0; k < num_points; k++) { /* Fisher and Yates, inside out */
            const size_t other = (size_t) spot_rng_below(&rng, k + 1);

            column[k * num_dims] = column[other * num_dims];
            column[other * num_dims] = (double) k;
        }
        for (size_t k = 0; k < num_points; k++) {
            const uint64_t bits = spot_rng_bits(&rng) >> (64 - JITTER_BITS);
            const double jitter = ((double) bits + 0.5) * JITTER_UNIT;

            column[k * num_dims] = (column[k * num_dims] + jitter) / (double) num_points;
        }
    }
    return 0;
}

/* One dimension of the scrambled sequence. */
typedef struct {
    uint64_t columns[SOBOL_BITS]; /* what the bits of gsl's numerator turn over, highest
                                   * first */
    uint32_t numerator;           /* of gsl's latest point */
    uint64_t bits;                /* of the scrambled point, POINT_BITS of them */
} scramble_t;

/* A lower triangular matrix with ones on its diagonal: the leading bits of two points
 * agree before and after, so strata stay strata. */
static void scramble_init(scramble_t *self, uint64_t seed, size_t dim)
{
    spot_rng_t rng;

    spot_rng_seek(&rng, seed, 0, SPOT_STREAM_DESIGN, dim);
    for (unsigned j = 0; j < SOBOL_BITS; j++) {
        const uint64_t diagonal = UINT64_C(1) << (POINT_BITS - 1 - j);
        const uint64_t bits = spot_rng_bits(&rng);

        self->columns[j] = diagonal | (bits & (diagonal - 1));
    }
    self->numerator = 0;
    self->bits = spot_rng_bits(&rng) >> (64 - POINT_BITS);
}

/* The current coordinate, then one step on to that of gsl's next point. In Gray code
 * order a step turns over one of Sobol's direction numbers, and the matrix is linear. */
static double scramble_next(scramble_t *self, double raw)
{
    const double coordinate = ((double) self->bits + 0.5) * POINT_UNIT;
    const uint32_t numerator = (uint32_t) (raw * SOBOL_SCALE);
    const uint32_t turned = numerator ^ self->numerator;

    self->numerator = numerator;
    for (unsigned k = 0; k < SOBOL_BITS; k++) {
        if ((turned >> (SOBOL_BITS - 1 - k) & 1) != 0) {
            self->bits ^= self->columns[k];
        }
    }
    return coordinate;
}

int spot_design_sobol(size_t num_points, size_t num_dims, uint64_t seed, double *points)
{
    scramble_t dims[SPOT_DESIGN_SOBOL_DIMS];
    double raw[SPOT_DESIGN_SOBOL_DIMS];
    gsl_qrng *qrng;

    if (num_dims == 0 || num_dims > SPOT_DESIGN_SOBOL_DIMS || num_points > SPOT_DESIGN_MAX_POINTS) {
        return SPOT_ERR_BAD_PARAM; /* gsl would call its error handler */
    }
    qrng = gsl_qrng_alloc(gsl_qrng_sobol, (unsigned) num_dims);
    if (qrng == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < num_dims; j++) {
        scramble_init(&dims[j], seed, j);
    }
    for (size_t k = 0; k < num_points; k++) {
        const int status = gsl_qrng_get(qrng, raw);

        spot_bug_assert(status == GSL_SUCCESS);
        for (size_t j = 0; j < num_dims; j++) {
            points[k * num_dims + j] = scramble_next(&dims[j], raw[j]);
        }
    }
    gsl_qrng_free(qrng);
    return 0;
}

int spot_design_saltelli(size_t num_samples, size_t num_inputs, uint64_t seed, double *points)
{
    double *pairs; /* A_k, B_k */
    int ret;

    if (num_inputs > SPOT_DESIGN_SALTELLI_INPUTS || num_samples > SPOT_DESIGN_MAX_POINTS) {
        return SPOT_ERR_BAD_PARAM;
    }
    pairs = spot_calloc(num_samples, 2 * num_inputs * sizeof(*pairs));
    ret = pairs == NULL ? SPOT_ERR_NO_MEMORY
                        : spot_design_sobol(num_samples, 2 * num_inputs, seed, pairs);
    for (size_t k = 0; ret == 0 && k < num_samples; k++) {
        const double *pair = &pairs[k * 2 * num_inputs];

        for (size_t j = 0; j < num_inputs + 2; j++) {
            for (size_t i = 0; i < num_inputs; i++) {
                const size_t half = j == 1 || j == i + 2 ? num_inputs : 0;

                *points++ = pair[half + i];
            }
        }
    }
    free(pairs);
    return ret;
}

/* ---- Axes and points ---- */

#define LABEL_BYTES 128

typedef struct {
    spot_reading_t *reading;
    spot_study_head_t *head;
    size_t num_swept;
    spot_swept_t *swept; /* [num_swept] */
    size_t num_rows;     /* points as they are planned, none for a grid */
    uint32_t *rows;      /* [num_rows][num_swept] value ids */
    double *u;           /* [num_rows][num_swept] coordinates of a design, else NULL */
} planner_t;

/* ---- Things that occur once or more ---- */

/* The distinct ones of many things. */
typedef struct {
    uint32_t *ids; /* [num_things] the distinct ones, counted as they occur */
    uint32_t num_distinct;
    size_t first_repeated; /* the first thing that occurs again, or num_things */
} distinct_t;

typedef spot_key_t (*key_function_t)(void *things, size_t thing_id);

/* Compares the keys of all things. NO_MEMORY; the caller frees the ids even then. */
static int find_distinct(distinct_t *self, void *things, size_t num_things, key_function_t key_of)
{
    spot_key_t *keys = spot_calloc(num_things, sizeof(*keys));
    size_t *first_ids = spot_calloc(num_things, sizeof(*first_ids));
    int ret = SPOT_ERR_NO_MEMORY;

    self->num_distinct = 0;
    self->ids = spot_calloc(num_things, sizeof(*self->ids));
    self->first_repeated = num_things;
    if (keys != NULL && first_ids != NULL && self->ids != NULL) {
        for (size_t j = 0; j < num_things; j++) {
            keys[j] = key_of(things, j);
        }
        ret = spot_group_equal(keys, num_things, first_ids);
    }
    for (size_t j = 0; ret == 0 && j < num_things; j++) {
        const bool is_new = first_ids[j] == j;

        self->ids[j] = is_new ? self->num_distinct++ : self->ids[first_ids[j]];
        if (!is_new && self->first_repeated == num_things) {
            self->first_repeated = j;
        }
    }
    free(first_ids);
    free(keys);
    return ret;
}

/* ---- Values ---- */

/* What a text means. Equal quantities are equal however they are written; a number in
 * quotes is a text. */
typedef struct {
    char *text;
    spot_quantity_t quantity; /* of the text; without one the value is NAN */
    bool is_quantity;         /* the quantity is the meaning, not the text */
} meaning_t;

static meaning_t meaning_of(char *text, bool is_quoted)
{
    meaning_t meaning = {.text = text};

    if (!spot_quantity_parse(text, &meaning.quantity)) {
        meaning.quantity = (spot_quantity_t){.value = (double) NAN};
        return meaning;
    }
    meaning.is_quantity = !is_quoted || meaning.quantity.is_duration;
    return meaning;
}

/* Without padding at the end. */
#define QUANTITY_BYTES (offsetof(spot_quantity_t, unit) + SPOT_UNIT_BYTES)

static spot_key_t key_of_meaning(void *meanings, size_t meaning_id)
{
    meaning_t *meaning = (meaning_t *) meanings + meaning_id;

    meaning->quantity.value += 0.0; /* -0 is 0 */
    return meaning->is_quantity ? (spot_key_t){&meaning->quantity, QUANTITY_BYTES}
                                : (spot_key_t){meaning->text, strlen(meaning->text)};
}

/* A scalar within a list or map stands in quotes if it has brackets, commas or quotes.
 */
static void write_node(const spot_node_t *node, bool is_within, FILE *out)
{
    const bool is_map = node->kind == SPOT_NODE_MAP;

    if (node->kind == SPOT_NODE_SCALAR) {
        if (is_within && strpbrk(node->text, ",[]{}\"") != NULL) {
            spot_json_quote(out, node->text, true);
        } else {
            fputs(node->text, out);
        }
        return;
    }
    fputc(is_map ? '{' : '[', out);
    for (size_t j = 0; j < node->num_children; j++) {
        fprintf(out, "%s%s%s", j == 0 ? "" : ", ", is_map ? node->keys[j]->text : "",
            is_map ? ": " : "");
        write_node(node->children[j], true, out);
    }
    fputc(is_map ? '}' : ']', out);
}

/* A node as YAML on one line. The caller frees it. NULL: no memory. */
static char *node_line(const spot_node_t *node)
{
    char *text = NULL;
    size_t num_bytes = 0;
    FILE *stream = open_memstream(&text, &num_bytes);

    if (stream == NULL) {
        return NULL;
    }
    write_node(node, false, stream);
    if (fclose(stream) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* An item as YAML on one line, which the caller frees, and what it means. text NULL: no
 * memory. */
static meaning_t read_item(const planner_t *self, size_t axis_id, size_t item_id)
{
    const spot_swept_t *swept = &self->swept[axis_id];
    const size_t u_id = item_id * self->num_swept + axis_id;
    meaning_t item = {.is_quantity = true};
    char number[RANGE_TEXT_BYTES];

    if (swept->nodes != NULL) {
        item.text = node_line(swept->nodes[item_id]);
        return item.text == NULL ? item : meaning_of(item.text, swept->nodes[item_id]->is_quoted);
    }
    item.quantity = swept->is_spread ? range_draw(&swept->range, self->u[u_id], number)
                                     : range_value(&swept->range, item_id, number);
    item.text = spot_text_copy(number, strlen(number));
    return item;
}

/* The unit of a quantity as a number of an axis. */
static const char *unit_of(const spot_quantity_t *quantity)
{
    return quantity->is_duration ? "s" : quantity->unit;
}

/* Moves the distinct items to an axis, in their order, with numbers where they have the
 * unit of the first one. */
static int keep_values(
    spot_axis_t *axis, spot_swept_t *swept, meaning_t *items, const distinct_t *values)
{
    const char *unit = unit_of(&items[0].quantity);

    axis->path = spot_text_copy(swept->path, strlen(swept->path));
    axis->unit = spot_text_copy(unit, strlen(unit));
    axis->texts = spot_calloc(values->num_distinct, sizeof(*axis->texts));
    axis->numbers = spot_calloc(values->num_distinct, sizeof(*axis->numbers));
    if (axis->path == NULL || axis->unit == NULL || axis->texts == NULL || axis->numbers == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < swept->num_items; j++) {
        const spot_quantity_t *quantity = &items[j].quantity;
        const size_t value_id = axis->num_values;

        if (values->ids[j] < value_id) {
            continue;
        }
        axis->texts[value_id] = items[j].text;
        items[j].text = NULL;
        axis->numbers[value_id] = strcmp(unit, unit_of(quantity)) != 0 ? (double) NAN
                                  : quantity->is_duration ? quantity->value / (double) SPOT_MS_PER_S
                                                          : quantity->value;
        if (swept->nodes != NULL) {
            swept->nodes[value_id] = swept->nodes[j];
        }
        axis->num_values++;
    }
    return 0;
}

/* Makes the distinct items of a key the values of its axis. values: which value each
 * item is; the caller frees its ids. */
static int plan_axis(planner_t *self, size_t axis_id, distinct_t *values)
{
    spot_swept_t *swept = &self->swept[axis_id];
    spot_axis_t *axis = &self->head->axes[axis_id];
    meaning_t *items = spot_calloc(swept->num_items, sizeof(*items));
    int ret = items == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (size_t j = 0; ret == 0 && j < swept->num_items; j++) {
        items[j] = read_item(self, axis_id, j);
        ret = items[j].text == NULL ? SPOT_ERR_NO_MEMORY : 0;
    }
    ret = ret == 0 ? find_distinct(values, items, swept->num_items, key_of_meaning) : ret;
    ret = ret == 0 ? keep_values(axis, swept, items, values) : ret;
    for (size_t j = 0; items != NULL && j < swept->num_items; j++) {
        free(items[j].text);
    }
    free(items);
    return ret;
}

int spot_plan_find_value(
    const spot_reading_t *self, size_t axis_id, const spot_node_t *node, size_t *value_id)
{
    const spot_axis_t *axis = &self->study->head.axes[axis_id];
    spot_node_t *const *nodes = self->study->template->swept[axis_id].nodes;
    meaning_t *items = spot_calloc(axis->num_values + 1, sizeof(*items));
    char *text = node_line(node);
    distinct_t values = {.ids = NULL};
    int ret = items == NULL || text == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (size_t j = 0; ret == 0 && j < axis->num_values; j++) {
        items[j] = meaning_of(axis->texts[j], nodes != NULL && nodes[j]->is_quoted);
    }
    if (ret == 0) {
        items[axis->num_values] = meaning_of(text, node->is_quoted);
        ret = find_distinct(&values, items, axis->num_values + 1, key_of_meaning);
    }
    *value_id = ret == 0 ? values.ids[axis->num_values] : axis->num_values;
    free(values.ids);
    free(text);
    free(items);
    return ret;
}

/* ---- Rows ---- */

static const spot_node_t *item_place(const spot_swept_t *swept, size_t item_id)
{
    return swept->place->kind == SPOT_NODE_LIST ? swept->place->children[item_id] : swept->place;
}

/* What reports call the key of an axis; nothing where its table has no label. */
static int keep_label(const spot_reading_t *self, spot_axis_t *axis)
{
    const spot_study_t *study = self->study;
    char label[LABEL_BYTES];

    if (spot_field_label(study->experiment->fields, study->template->scenario.root, axis->path,
            label, sizeof(label))) {
        return spot_reading_copy(&axis->label, label);
    }
    return 0;
}

/* Fills an axis and its column of the rows. */
static int fill_column(planner_t *self, size_t axis_id)
{
    spot_swept_t *swept = &self->swept[axis_id];
    const bool is_choice = self->u != NULL && !swept->is_spread;
    distinct_t values = {.ids = NULL};
    int ret;

    swept->num_items = swept->is_spread ? self->num_rows : swept->num_items;
    ret = plan_axis(self, axis_id, &values);
    ret = ret == 0 ? keep_label(self->reading, &self->head->axes[axis_id]) : ret;
    if (ret == 0 && (is_choice || self->head->plan.kind == SPOT_PLAN_GRID) &&
        values.first_repeated < swept->num_items) { /* points would be repeated */
        spot_node_error(self->reading, item_place(swept, values.first_repeated), NULL,
            "%s.%s: the value %s stands twice", self->reading->request.sweep_key, swept->path,
            self->head->axes[axis_id].texts[values.ids[values.first_repeated]]);
    }
    for (size_t j = 0; ret == 0 && j < self->num_rows; j++) {
        const size_t cell_id = j * self->num_swept + axis_id;
        size_t item_id = j;

        if (is_choice) { /* rounding does not leave the list */
            item_id = (size_t) (self->u[cell_id] * (double) swept->num_items);
            item_id = item_id < swept->num_items ? item_id : swept->num_items - 1;
        }
        self->rows[cell_id] = values.ids[item_id];
    }
    free(values.ids);
    return ret;
}

/* A repeated point is an error in a list; in a design it is chance. */
static void report_repeated_row(const planner_t *self, const distinct_t *points)
{
    const size_t row_id = points->first_repeated;
    const spot_node_t *place = self->head->plan.kind == SPOT_PLAN_LIST
                                   ? self->reading->request.sweep->children[row_id]
                                   : item_place(&self->swept[0], row_id);

    spot_node_error(self->reading, place, "sweep", "point %zu has the same values as point %zu",
        row_id + 1, (size_t) points->ids[row_id] + 1); /* all rows before it are distinct */
}

static spot_key_t key_of_row(void *planner, size_t row_id)
{
    const planner_t *self = planner;

    return (spot_key_t){
        &self->rows[row_id * self->num_swept], self->num_swept * sizeof(*self->rows)};
}

/* Makes the distinct rows the points of the head. */
static int keep_points(planner_t *self)
{
    spot_study_head_t *head = self->head;
    distinct_t points;
    int ret = find_distinct(&points, self, self->num_rows, key_of_row);

    if (ret != 0) {
        free(points.ids);
        return ret;
    }
    if (!spot_plan_is_design(head->plan.kind) && points.first_repeated < self->num_rows) {
        report_repeated_row(self, &points);
    }
    head->num_points = 0;
    for (size_t j = 0; j < self->num_rows; j++) {
        if (points.ids[j] == head->num_points) {
            memmove(&self->rows[head->num_points++ * self->num_swept],
                &self->rows[j * self->num_swept], self->num_swept * sizeof(*self->rows));
        }
    }
    head->value_ids = self->rows;
    self->rows = NULL;
    head->plan.num_merged = self->num_rows - head->num_points;
    if (head->plan.kind == SPOT_PLAN_SENSITIVITY) {
        head->plan.num_samples = (size_t) self->reading->request.num_drawn;
        head->plan.sample_points = points.ids;
    } else {
        free(points.ids);
    }
    return 0;
}

/* ---- Plans ---- */

/* Keys that move together need equal numbers of values, the number of rows. */
static bool count_listed(planner_t *self)
{
    const spot_swept_t *first = &self->swept[0];
    bool is_same = true;

    for (size_t j = 1; j < self->num_swept; j++) {
        const spot_swept_t *swept = &self->swept[j];

        if (swept->num_items != first->num_items) {
            is_same = false;
            spot_node_error(self->reading, swept->place, NULL,
                "%s.%s: %zu values, but %s (line %zu) has %zu: a zip needs as many of "
                "each",
                self->reading->request.sweep_key, swept->path, swept->num_items, first->path,
                first->place->line, first->num_items);
        }
    }
    self->num_rows = first->num_items;
    return is_same;
}

/* The number of rows of a design; false: too many keys or rows. */
static bool count_drawn(planner_t *self)
{
    const spot_plan_kind_t kind = self->head->plan.kind;
    const bool is_sensitivity = kind == SPOT_PLAN_SENSITIVITY;
    const size_t max_keys = is_sensitivity ? SPOT_DESIGN_SALTELLI_INPUTS : SPOT_DESIGN_SOBOL_DIMS;
    const size_t num_drawn = (size_t) self->reading->request.num_drawn;

    if (kind != SPOT_PLAN_LATIN_HYPERCUBE && self->num_swept > max_keys) {
        spot_reading_error(self->reading, "plan", "%s sweeps at most %zu keys, not %zu",
            spot_plan_names[kind], max_keys, self->num_swept);
        return false;
    }
    self->num_rows = is_sensitivity ? num_drawn * (self->num_swept + 2) : num_drawn;
    if (self->num_rows > SPOT_MAX_POINTS) {
        spot_reading_error(self->reading, "plan",
            "%zu base samples of %zu keys are more than %d points", num_drawn, self->num_swept,
            SPOT_MAX_POINTS);
    }
    return self->num_rows <= SPOT_MAX_POINTS;
}

static int (*const designs[])(size_t num_points, size_t num_dims, uint64_t seed, double *points) = {
    [SPOT_PLAN_LATIN_HYPERCUBE] = spot_design_latin,
    [SPOT_PLAN_SOBOL] = spot_design_sobol,
    [SPOT_PLAN_SENSITIVITY] = spot_design_saltelli,
};

/* Makes the rows, and draws the coordinates of a design. */
static int make_rows(planner_t *self)
{
    const spot_plan_kind_t kind = self->head->plan.kind;
    size_t num_ids;

    if (kind != SPOT_PLAN_GRID &&
        !(spot_plan_is_design(kind) ? count_drawn(self) : count_listed(self))) {
        return SPOT_ERR_BAD_INPUT;
    }
    num_ids = self->num_rows * self->num_swept;
    self->rows = spot_calloc(num_ids, sizeof(*self->rows));
    if (self->rows == NULL || !spot_plan_is_design(kind)) {
        return self->rows == NULL ? SPOT_ERR_NO_MEMORY : 0;
    }
    self->u = spot_calloc(num_ids, sizeof(*self->u));
    return self->u == NULL ? SPOT_ERR_NO_MEMORY
                           : designs[kind]((size_t) self->reading->request.num_drawn,
                                 self->num_swept, self->head->plan.seed, self->u);
}

/* The points of a grid are all combinations. */
static int count_points(const planner_t *self)
{
    spot_study_head_t *head = self->head;

    for (size_t j = 0; j < self->num_swept; j++) {
        if (head->axes[j].num_values > SPOT_MAX_POINTS / head->num_points) {
            spot_node_error(self->reading, self->swept[j].place, NULL,
                "%s.%s: more than %d points in all", self->reading->request.sweep_key,
                self->swept[j].path, SPOT_MAX_POINTS);
            return SPOT_ERR_BAD_INPUT;
        }
        head->num_points *= head->axes[j].num_values;
    }
    return 0;
}

int spot_plan_make(spot_reading_t *self)
{
    const size_t num_errors = self->diag->num_errors;
    spot_study_head_t *head = &self->study->head;
    planner_t planner = {.reading = self,
        .head = head,
        .num_swept = self->study->template->num_swept,
        .swept = self->study->template->swept};
    int ret;

    head->num_points = 1;
    if (planner.num_swept == 0) {
        return 0;
    }
    head->axes = spot_calloc(planner.num_swept, sizeof(*head->axes));
    if (head->axes == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    head->num_axes = planner.num_swept;
    ret = make_rows(&planner);
    for (size_t j = 0; ret == 0 && j < planner.num_swept; j++) {
        ret = fill_column(&planner, j);
    }
    free(planner.u); /* the keys of all rows need memory */
    if (ret == 0) {
        ret = head->plan.kind == SPOT_PLAN_GRID ? count_points(&planner) : keep_points(&planner);
    }
    free(planner.rows);
    return ret == 0 && self->diag->num_errors > num_errors ? SPOT_ERR_BAD_INPUT : ret;
}
