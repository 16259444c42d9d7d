/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the metric changes along a key with numbers, and what the other keys do to it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "reports/study_curves.h"
#include "reports/words/answer_internal.h"

#define MAX_KEYS 3 /* other keys that are named */

/* A curve along x: its places with a value, ascending. */
typedef struct {
    const spot_answer_t *answer;
    const spot_curves_t *curves;
    size_t panel_id;
    size_t num_places;
    size_t *point_ids; /* [num_places] */
    size_t low, high;  /* places of the lowest and the highest mean */
} path_t;

/* ---- The curve ---- */

static size_t reference_value(const spot_study_head_t *head, size_t axis_id)
{
    return head->has_baseline && axis_id == head->baseline_axis_id ? head->baseline_value_id : 0;
}

static double mean_of(const spot_answer_t *self, size_t point_id)
{
    return spot_findings_at(&self->findings, point_id)->value;
}

static double mean_at(const path_t *self, size_t place)
{
    return mean_of(self->answer, self->point_ids[place]);
}

/* How many points of a panel have a value. */
static size_t num_defined(const spot_answer_t *self, const spot_curves_t *curves, size_t panel_id)
{
    size_t num = 0;

    for (size_t j = 0; j < spot_curves_num_x(curves, panel_id); j++) {
        num += isfinite(mean_of(self, spot_curves_point(curves, panel_id, j))) ? 1 : 0;
    }
    return num;
}

/* Of the baseline and the first values of the other keys. */
static bool is_reference_panel(const spot_curves_t *curves, size_t panel_id)
{
    const spot_study_head_t *head = curves->head;

    for (size_t j = 0; j < head->num_axes; j++) {
        if (j != curves->axis_id &&
            spot_curves_value_id(curves, panel_id, j) != reference_value(head, j)) {
            return false;
        }
    }
    return true;
}

/* That of the reference where it is a curve, else the one with the most values. */
static size_t choose_panel(const spot_answer_t *self, const spot_curves_t *curves)
{
    size_t found_id = 0, most = 0;

    for (size_t p = 0; p < curves->num_panels && !curves->has_all_in_one; p++) {
        const size_t num = num_defined(self, curves, p);
        const bool is_reference = is_reference_panel(curves, p);

        if (is_reference && num > 1) {
            return p;
        }
        if (num > most || (num == most && is_reference)) {
            found_id = p;
            most = num;
        }
    }
    return found_id;
}

static int path_init(path_t *self, const spot_answer_t *answer, const spot_curves_t *curves)
{
    *self = (path_t){answer, curves, .panel_id = choose_panel(answer, curves)};
    self->point_ids =
        spot_calloc(spot_curves_num_x(curves, self->panel_id), sizeof(*self->point_ids));
    if (self->point_ids == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < spot_curves_num_x(curves, self->panel_id); j++) {
        const size_t point_id = spot_curves_point(curves, self->panel_id, j);
        const double mean = mean_of(answer, point_id);
        const size_t place = self->num_places;

        if (isfinite(mean)) {
            self->point_ids[self->num_places++] = point_id;
            self->low = mean < mean_at(self, self->low) ? place : self->low;
            self->high = mean > mean_at(self, self->high) ? place : self->high;
        }
    }
    return 0;
}

/* ---- Its shape ---- */

/* Whether the lowest and the highest mean have the same words. */
static bool reads_alike(const path_t *self)
{
    const spot_metric_t *metric = self->answer->metric;
    const double low = mean_at(self, self->low), high = mean_at(self, self->high);

    return strcmp(spot_words_value(self->answer->texts, metric, low, high - low),
               spot_words_value(self->answer->texts, metric, high, high - low)) == 0;
}

static const char *x_label(const path_t *self, size_t place)
{
    const spot_study_head_t *head = self->curves->head;
    const size_t axis_id = self->curves->axis_id;

    return spot_answer_label(self->answer, &head->axes[axis_id],
        spot_study_value_id(head, self->point_ids[place], axis_id));
}

/* Of both ends, with as many decimals each: "0.1 to 11.8". */
static void write_ends(const path_t *self)
{
    const spot_metric_t *metric = self->answer->metric;
    const double first = mean_at(self, 0), last = mean_at(self, self->num_places - 1);
    double resolution = fabs(first - last);

    if (first != 0) {
        resolution = fmin(resolution, 10 * fabs(first)); /* which has one digit */
    }
    if (last != 0) {
        resolution = fmin(resolution, 10 * fabs(last));
    }
    fprintf(self->answer->out, "does not surely change: %s to %s",
        spot_words_value(self->answer->texts, metric, first, resolution),
        spot_words_value(self->answer->texts, metric, last, resolution));
}

/* "falls from 4 % to a minimum of 1 % at 120 s and rises to 7 %". */
static void write_shape(const path_t *self, spot_shape_t shape)
{
    const bool is_top = shape == SPOT_SHAPE_TOP;
    const bool is_turn = is_top || shape == SPOT_SHAPE_BOTTOM;
    const size_t last = self->num_places - 1, turn = is_top ? self->high : self->low;
    const bool is_trend = shape == SPOT_SHAPE_GROWS || shape == SPOT_SHAPE_FALLS;
    const size_t from = is_turn || is_trend ? 0 : self->low;
    const size_t to = is_turn ? turn : is_trend ? last : self->high;
    const spot_metric_t *metric = self->answer->metric;
    const double start = mean_at(self, from), end = mean_at(self, to), rest = mean_at(self, last);
    spot_texts_t *texts = self->answer->texts;
    const char *a = spot_words_value_before(texts, metric, start, end);
    const char *b = spot_words_value(texts, metric, end, fabs(start - end));
    FILE *out = self->answer->out;

    switch (shape) {
        case SPOT_SHAPE_TOP:
        case SPOT_SHAPE_BOTTOM:
            fprintf(out, "%s from %s to a %s of %s at %s and %s to %s", is_top ? "rises" : "falls",
                a, is_top ? "maximum" : "minimum", b, x_label(self, turn),
                is_top ? "falls" : "rises",
                spot_words_value(texts, metric, rest, fabs(end - rest)));
            break;
        case SPOT_SHAPE_GROWS:
        case SPOT_SHAPE_FALLS:
            fprintf(out, "%s from %s to %s", shape == SPOT_SHAPE_GROWS ? "grows" : "falls", a, b);
            break;
        case SPOT_SHAPE_VARIES:
            fprintf(out, "varies between %s at %s and %s at %s", a, x_label(self, self->low), b,
                x_label(self, self->high));
            break;
        default:
            if (reads_alike(self)) {
                fprintf(out, "stays at %s", b);
            } else {
                write_ends(self);
            }
    }
}

/* " with pipeline depth 16" where other keys are swept too. */
static void write_reference(const path_t *self)
{
    const spot_study_head_t *head = self->answer->head;
    const char *before = " with ";

    for (size_t j = 0; !self->curves->has_all_in_one && j < head->num_axes; j++) {
        if (j != self->curves->axis_id && head->axes[j].num_values > 1) {
            fprintf(self->answer->out, "%s%s", before,
                spot_answer_setting(
                    self->answer, j, spot_curves_value_id(self->curves, self->panel_id, j)));
            before = ", ";
        }
    }
    if (self->curves->has_all_in_one && head->num_axes > 1) {
        fputs(" (other keys move with it)", self->answer->out);
    }
    fputc('\n', self->answer->out);
}

static int write_path(const path_t *self)
{
    const spot_answer_t *answer = self->answer;
    spot_shape_t shape = SPOT_SHAPE_UNSURE;
    int ret = 0;

    if (self->num_places == 0) {
        spot_answer_nowhere(answer);
        return 0;
    }
    if (self->num_places == 1) {
        fprintf(answer->out, "%s is %s at %s %s", answer->noun,
            spot_answer_value(answer, self->point_ids[0]),
            spot_words_key(answer->texts, &answer->head->axes[self->curves->axis_id]),
            x_label(self, 0));
    } else {
        fprintf(answer->out, "as %s goes from %s to %s, %s ",
            spot_words_x_subject(answer->texts, answer->head, self->curves->axis_id),
            x_label(self, 0), x_label(self, self->num_places - 1), answer->noun);
        ret = spot_findings_shape(
            &answer->findings, self->point_ids, self->num_places, self->low, self->high, &shape);
        write_shape(self, shape);
    }
    write_reference(self);
    return ret;
}

/* ---- Other keys ---- */

/* "it is half as high", "it is 1.9 to 4.2 percentage points lower". */
static void write_effect(const spot_answer_t *self, const spot_value_effect_t *effect, int sign_id)
{
    const double least = effect->changes[sign_id].least, most = effect->changes[sign_id].most;
    const bool is_everywhere = effect->changes[sign_id].num_sure == effect->num_pairs;

    if (is_everywhere && effect->changes[sign_id].least_ratio >= 0.45 &&
        effect->changes[sign_id].most_ratio <= 0.55) {
        fputs("half as high", self->out);
    } else if (is_everywhere && effect->changes[sign_id].least_ratio >= 1.8 &&
               effect->changes[sign_id].most_ratio <= 2.2) {
        fputs("twice as high", self->out);
    } else {
        fprintf(self->out, "%s%s %s", is_everywhere ? "" : "up to ",
            spot_words_change(self->texts, self->metric, is_everywhere ? least : most, most),
            sign_id == SPOT_LOWERS ? "lower" : "higher");
    }
}

/* Smaller changes, relative to what they change, are not worth a sentence, and other seeds
 * would not show them. */
#define SMALL_EFFECT 1e-3

static bool is_small(const spot_value_effect_t *effect, int sign_id)
{
    return fabs(effect->changes[sign_id].least_ratio - 1) < SMALL_EFFECT &&
           fabs(effect->changes[sign_id].most_ratio - 1) < SMALL_EFFECT;
}

/* "with pipeline depth 8 it is 2 percentage points lower, with pipeline depth 32 up to 3
 * percentage points higher"; nothing where there is nothing to compare. */
static void write_key(const spot_answer_t *self, size_t axis_id, const spot_value_effect_t *effects)
{
    const spot_axis_t *axis = &self->head->axes[axis_id];
    size_t last_id = axis->num_values, num_pairs = 0;
    bool has_small = false;

    for (int sign_id = 0; sign_id < SPOT_NUM_SIGNS; sign_id++) {
        const size_t value_id = spot_strongest_effect(effects, axis->num_values, sign_id);
        const bool is_first = last_id == axis->num_values;

        if (value_id == axis->num_values || is_small(&effects[value_id], sign_id)) {
            has_small = has_small || value_id < axis->num_values;
            continue;
        }
        if (value_id == last_id) {
            fputs(" and elsewhere ", self->out);
        } else {
            fprintf(self->out, "%swith %s%s", is_first ? "" : ", ",
                spot_answer_setting(self, axis_id, value_id), is_first ? " it is " : " ");
        }
        write_effect(self, &effects[value_id], sign_id);
        last_id = value_id;
    }
    for (size_t j = 0; j < axis->num_values; j++) {
        num_pairs += effects[j].num_pairs;
    }
    if (last_id < axis->num_values) {
        fputc('\n', self->out);
    } else if (has_small) {
        fprintf(
            self->out, "%s changes it by less than 0.1 %%\n", spot_words_key(self->texts, axis));
    } else if (num_pairs > 0) {
        fprintf(
            self->out, "%s makes no sure difference to it\n", spot_words_key(self->texts, axis));
    }
}

static int write_keys(const path_t *self)
{
    const spot_answer_t *answer = self->answer;
    size_t num_written = 0;
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < answer->head->num_axes && num_written < MAX_KEYS; j++) {
        const size_t num_values = answer->head->axes[j].num_values;
        spot_value_effect_t *effects;

        if (j == self->curves->axis_id || num_values < 2) {
            continue;
        }
        effects = spot_calloc(num_values, sizeof(*effects));
        ret = effects == NULL ? SPOT_ERR_NO_MEMORY
                              : spot_findings_effects(&answer->findings, j,
                                    spot_curves_value_id(self->curves, self->panel_id, j), effects);
        if (ret == 0) {
            write_key(answer, j, effects);
        }
        free(effects);
        num_written++;
    }
    return ret;
}

int spot_answer_of_curve(const spot_answer_t *self, bool *is_written)
{
    const char *problem = NULL;
    spot_curves_t curves;
    path_t path = {.point_ids = NULL};
    int ret = spot_curves_init(&curves, self->report, &problem);

    *is_written = ret == 0 && !curves.is_scattered;
    if (*is_written) {
        ret = path_init(&path, self, &curves);
        ret = ret == 0 ? write_path(&path) : ret;
        if (ret == 0 && path.num_places > 0 && !curves.has_all_in_one) {
            ret = write_keys(&path);
        }
    }
    free(path.point_ids);
    spot_curves_free(&curves);
    return problem == NULL ? ret : 0; /* there is nothing to go along */
}
