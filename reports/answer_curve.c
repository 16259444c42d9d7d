/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the metric changes along a key with numbers, and what the other keys do to it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "reports/answer_internal.h"
#include "sim/analysis/point_groups.h"

#define MAX_KEYS 3 /* other keys that are told of */

/* A curve along x: its places with a value, ascending. */
typedef struct {
    const spot_curves_t *curves;
    size_t panel_id;
    size_t num_places;
    size_t *point_ids; /* [num_places] */
    size_t low, high;  /* places of the lowest and the highest mean */
} path_t;

/* Differences of one sign, of those that are sure. */
typedef struct {
    size_t num_sure;
    double least, most; /* their sizes */
    double least_ratio, most_ratio;
} change_t;

enum { LOWERS, RAISES, NUM_SIGNS };

/* What a value of another key does, wherever both it and the reference are. */
typedef struct {
    size_t value_id;
    size_t num_pairs; /* sure or not */
    change_t changes[NUM_SIGNS];
} effect_t;

static size_t
reference_value(const spot_study_head_t *head, size_t axis_id)
{
    return head->has_baseline && axis_id == head->baseline_axis_id
               ? head->baseline_value_id
               : 0;
}

/* How many points of a panel have a value. */
static size_t
num_defined(const spot_answer_t *self, const spot_curves_t *curves, size_t panel_id)
{
    const size_t num_x = spot_curves_num_x(curves, panel_id);
    size_t num = 0;

    for (size_t j = 0; j < num_x; j++) {
        const size_t point_id = spot_curves_point(curves, panel_id, j);

        num += isfinite(spot_answer_at(self, point_id)->value) ? 1 : 0;
    }
    return num;
}

/* Of the baseline and the first values of the other keys. */
static bool
is_reference_panel(const spot_curves_t *curves, size_t panel_id)
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
static size_t
choose_panel(const spot_answer_t *self, const spot_curves_t *curves)
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

static double
mean_at(const spot_answer_t *self, const path_t *path, size_t place)
{
    return spot_answer_at(self, path->point_ids[place])->value;
}

static int
path_init(path_t *path, const spot_answer_t *self, const spot_curves_t *curves)
{
    size_t num_x;

    *path = (path_t){.curves = curves, .panel_id = choose_panel(self, curves)};
    num_x = spot_curves_num_x(curves, path->panel_id);
    path->point_ids = spot_calloc(num_x, sizeof(*path->point_ids));
    if (path->point_ids == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < num_x; j++) {
        const size_t point_id = spot_curves_point(curves, path->panel_id, j);
        const double mean = spot_answer_at(self, point_id)->value;

        if (!isfinite(mean)) {
            continue;
        }
        path->point_ids[path->num_places] = point_id;
        if (mean < mean_at(self, path, path->low)) {
            path->low = path->num_places;
        }
        if (mean > mean_at(self, path, path->high)) {
            path->high = path->num_places;
        }
        path->num_places++;
    }
    return 0;
}

/* 1: the metric is surely higher at place than at base, -1: lower. Any two places may
 * have been chosen for what they show. */
static int
sign_between(
    const spot_answer_t *self, const path_t *path, size_t place, size_t base, int *sign)
{
    const size_t num_looks = path->num_places * (path->num_places - 1) / 2;
    spot_gap_t gap = {0};
    int ret = 0;

    *sign = 0;
    if (place != base) {
        ret = spot_answer_gap(
            self, path->point_ids[place], path->point_ids[base], num_looks, &gap);
        *sign = ret == 0 ? spot_gap_sign(&gap) : 0;
    }
    return ret;
}

/* Whether the extreme stands out from both ends, in the direction of sign. */
static int
is_turn(
    const spot_answer_t *self, const path_t *path, size_t place, int sign, bool *is_one)
{
    int from_first = 0, from_last = 0;
    int ret = sign_between(self, path, place, 0, &from_first);

    if (ret == 0) {
        ret = sign_between(self, path, place, path->num_places - 1, &from_last);
    }
    *is_one = ret == 0 && from_first == sign && from_last == sign;
    return ret;
}

static void
x_label(const path_t *path, size_t place, char text[SPOT_VALUE_LABEL_BYTES])
{
    const spot_study_head_t *head = path->curves->head;
    const size_t axis_id = path->curves->axis_id;

    spot_answer_label(&head->axes[axis_id],
        spot_study_value_id(head, path->point_ids[place], axis_id), text);
}

/* "8 %" and "41 %" for places. */
static void
two_values(const spot_answer_t *self, const path_t *path, size_t a, size_t b,
    char texts[2][SPOT_WORDS_BYTES])
{
    spot_metric_pair_words(self->metric, mean_at(self, path, a), mean_at(self, path, b),
        texts[0], texts[1]);
}

/* Of both ends, with as many decimals each: "0.1 to 11.8". */
static void
write_ends(const spot_answer_t *self, const path_t *path)
{
    const double first = mean_at(self, path, 0);
    const double last = mean_at(self, path, path->num_places - 1);
    double resolution = fabs(first - last);
    char texts[2][SPOT_WORDS_BYTES];

    if (first != 0) {
        resolution = fmin(resolution, 10 * fabs(first)); /* which has one digit */
    }
    if (last != 0) {
        resolution = fmin(resolution, 10 * fabs(last));
    }
    spot_metric_value_words(self->metric, first, resolution, texts[0]);
    spot_metric_value_words(self->metric, last, resolution, texts[1]);
    fprintf(self->out, "%s %s not surely change: %s to %s", self->subject,
        spot_answer_word(self, "does", "do"), texts[0], texts[1]);
}

/* "falls from 4 % to a minimum of 1 % at 120 s and rises to 7 %". */
static void
write_turn(const spot_answer_t *self, const path_t *path, size_t place, bool is_top)
{
    char first[2][SPOT_WORDS_BYTES], last[2][SPOT_WORDS_BYTES];
    char at[SPOT_VALUE_LABEL_BYTES];
    const char *up = spot_answer_word(self, "rises", "rise");
    const char *down = spot_answer_word(self, "falls", "fall");

    two_values(self, path, 0, place, first);
    two_values(self, path, place, path->num_places - 1, last);
    x_label(path, place, at);
    fprintf(self->out, "%s %s from %s to a %s of %s at %s and %s to %s", self->subject,
        is_top ? up : down, first[0], is_top ? "maximum" : "minimum", first[1], at,
        is_top ? down : up, last[1]);
}

/* A curve that does not turn, or turns more than once. */
static int
write_trend(const spot_answer_t *self, const path_t *path, bool has_turns)
{
    const size_t last = path->num_places - 1;
    char values[2][SPOT_WORDS_BYTES], at[2][SPOT_VALUE_LABEL_BYTES];
    int trend, span = 0;
    int ret = sign_between(self, path, last, 0, &trend);

    if (ret == 0) {
        ret = sign_between(self, path, path->high, path->low, &span);
    }
    if (ret == 0 && trend != 0 && !has_turns) {
        two_values(self, path, 0, last, values);
        fprintf(self->out, "%s %s from %s to %s", self->subject,
            trend > 0 ? spot_answer_word(self, "grows", "grow")
                      : spot_answer_word(self, "falls", "fall"),
            values[0], values[1]);
        return 0;
    }
    two_values(self, path, path->low, path->high, values);
    if (span > 0) {
        x_label(path, path->low, at[0]);
        x_label(path, path->high, at[1]);
        fprintf(self->out, "%s %s between %s at %s and %s at %s", self->subject,
            spot_answer_word(self, "varies", "vary"), values[0], at[0], values[1],
            at[1]);
    } else if (strcmp(values[0], values[1]) == 0) {
        fprintf(self->out, "%s %s at %s", self->subject,
            spot_answer_word(self, "stays", "stay"), values[0]);
    } else {
        write_ends(self, path);
    }
    return ret;
}

static int
write_shape(const spot_answer_t *self, const path_t *path)
{
    bool has_top = false, has_bottom = false;
    int ret = is_turn(self, path, path->high, 1, &has_top);

    if (ret == 0) {
        ret = is_turn(self, path, path->low, -1, &has_bottom);
    }
    if (ret == 0 && has_top != has_bottom) {
        write_turn(self, path, has_top ? path->high : path->low, has_top);
        return 0;
    }
    return ret == 0 ? write_trend(self, path, has_top && has_bottom) : ret;
}

/* " (at pipeline depth 16)" where other keys are swept too. */
static void
write_reference(const spot_answer_t *self, const path_t *path)
{
    const char *before = " with ";
    char setting[SPOT_POINT_BYTES];

    if (path->curves->has_all_in_one) {
        if (self->head->num_axes > 1) {
            fputs(" (other keys move with it)", self->out);
        }
        return;
    }
    for (size_t j = 0; j < self->head->num_axes; j++) {
        if (j != path->curves->axis_id && self->head->axes[j].num_values > 1) {
            spot_answer_setting(self->head, j,
                spot_curves_value_id(path->curves, path->panel_id, j), setting);
            fprintf(self->out, "%s%s", before, setting);
            before = ", ";
        }
    }
}

static int
write_path(const spot_answer_t *self, const path_t *path)
{
    const spot_study_head_t *head = self->head;
    char low[SPOT_VALUE_LABEL_BYTES], high[SPOT_VALUE_LABEL_BYTES];
    char words[SPOT_WORDS_BYTES], value[SPOT_WORDS_BYTES];
    int ret = 0;

    if (path->num_places == 0) {
        spot_answer_nowhere(self);
        return 0;
    }
    if (path->num_places == 1) {
        const spot_summary_t *summary = spot_answer_at(self, path->point_ids[0]);

        x_label(path, 0, low);
        spot_key_words(&head->axes[path->curves->axis_id], words);
        spot_metric_interval_words(
            self->metric, summary->value, summary->half_width, value);
        fprintf(self->out, "%s %s %s at %s %s", self->subject,
            spot_answer_word(self, "is", "are"), value, words, low);
    } else {
        spot_x_subject(head, path->curves->axis_id, words);
        x_label(path, 0, low);
        x_label(path, path->num_places - 1, high);
        fprintf(self->out, "as %s goes from %s to %s, ", words, low, high);
        ret = write_shape(self, path);
    }
    write_reference(self, path);
    return ret;
}

/* ---- Other keys ---- */

static void
add_to_effect(effect_t *self, const spot_gap_t *gap, double base)
{
    const double ratio = (gap->mean + base) / base, size = fabs(gap->mean);
    const int sign = spot_gap_sign(gap);
    change_t *change = &self->changes[sign < 0 ? LOWERS : RAISES];
    const bool is_first = change->num_sure == 0;

    self->num_pairs++;
    if (sign == 0) {
        return;
    }
    change->num_sure++;
    change->least = is_first ? size : fmin(change->least, size);
    change->most = is_first ? size : fmax(change->most, size);
    change->least_ratio = is_first ? ratio : fmin(change->least_ratio, ratio);
    change->most_ratio = is_first ? ratio : fmax(change->most_ratio, ratio);
}

/* Of all values beside the reference. effects: [num_values] of the axis. */
static int
find_effects(
    const spot_answer_t *self, size_t axis_id, size_t reference, effect_t *effects)
{
    const spot_study_head_t *head = self->head;
    spot_point_groups_t groups;
    size_t *base_ids = spot_calloc(head->num_points, sizeof(*base_ids));
    int ret = spot_point_groups_init(&groups, head, axis_id);

    ret = ret == 0 && base_ids == NULL ? SPOT_ERR_NO_MEMORY : ret;
    for (size_t j = 0; ret == 0 && j < head->num_points; j++) {
        base_ids[j] = SPOT_NO_POINT;
    }
    for (size_t j = 0; ret == 0 && j < head->num_points; j++) {
        if (spot_study_value_id(head, j, axis_id) == reference) {
            base_ids[groups.group_ids[j]] = j;
        }
    }
    for (size_t j = 0; ret == 0 && j < head->num_points; j++) {
        const size_t value_id = spot_study_value_id(head, j, axis_id);
        const size_t base_id = base_ids[groups.group_ids[j]];
        spot_gap_t gap;

        if (value_id == reference || base_id == SPOT_NO_POINT) {
            continue;
        }
        ret = spot_answer_gap(self, j, base_id, head->num_points, &gap);
        if (ret == 0 && isfinite(gap.mean)) {
            add_to_effect(
                &effects[value_id], &gap, spot_answer_at(self, base_id)->value);
        }
    }
    free(base_ids);
    spot_point_groups_free(&groups);
    return ret;
}

/* The value that surely lowers or raises the metric most somewhere; NULL: none does. */
static const effect_t *
strongest(const effect_t *effects, size_t num_values, int sign_id)
{
    const effect_t *found = NULL;

    for (size_t j = 0; j < num_values; j++) {
        const change_t *change = &effects[j].changes[sign_id];

        if (change->num_sure > 0 &&
            (found == NULL || change->most > found->changes[sign_id].most)) {
            found = &effects[j];
        }
    }
    return found;
}

/* "halves it", "lowers it by 1.9 to 4.2 percentage points". */
static void
write_effect(const spot_answer_t *self, const effect_t *effect, int sign_id)
{
    const change_t *change = &effect->changes[sign_id];
    const char *verb = sign_id == LOWERS ? "lowers" : "raises";
    const char *object = spot_answer_word(self, "it", "them");
    const bool is_everywhere = change->num_sure == effect->num_pairs;
    char words[SPOT_WORDS_BYTES];

    if (is_everywhere && change->least_ratio >= 0.45 && change->most_ratio <= 0.55) {
        fprintf(self->out, " halves %s", object);
    } else if (is_everywhere && change->least_ratio >= 1.8 &&
               change->most_ratio <= 2.2) {
        fprintf(self->out, " doubles %s", object);
    } else if (is_everywhere) {
        spot_metric_change_words(self->metric, change->least, change->most, words);
        fprintf(self->out, " %s %s by %s", verb, object, words);
    } else {
        spot_metric_change_words(self->metric, change->most, change->most, words);
        fprintf(self->out, " %s %s by up to %s", verb, object, words);
    }
}

/* Nothing where there is nothing to compare. */
static void
write_no_effect(const spot_answer_t *self, size_t axis_id, const effect_t *effects)
{
    const spot_axis_t *axis = &self->head->axes[axis_id];
    size_t num_pairs = 0;
    char words[SPOT_WORDS_BYTES];

    for (size_t j = 0; j < axis->num_values; j++) {
        num_pairs += effects[j].num_pairs;
    }
    if (num_pairs > 0) {
        spot_key_words(axis, words);
        fprintf(self->out, "; %s makes no sure difference", words);
    }
}

static void
write_key(const spot_answer_t *self, size_t axis_id, const effect_t *effects)
{
    const spot_study_head_t *head = self->head;
    const spot_axis_t *axis = &head->axes[axis_id];
    const effect_t *lower = strongest(effects, axis->num_values, LOWERS);
    const effect_t *higher = strongest(effects, axis->num_values, RAISES);
    char setting[SPOT_POINT_BYTES];

    if (lower == NULL && higher == NULL) {
        write_no_effect(self, axis_id, effects);
    }
    if (lower != NULL) {
        spot_answer_setting(head, axis_id, lower->value_id, setting);
        fprintf(self->out, "; %s", setting);
        write_effect(self, lower, LOWERS);
    }
    if (higher == NULL) {
        return;
    }
    if (higher == lower) {
        fputs(", and elsewhere", self->out);
    } else {
        spot_answer_setting(head, axis_id, higher->value_id, setting);
        fprintf(self->out, "%s %s", lower == NULL ? ";" : ",", setting);
    }
    write_effect(self, higher, RAISES);
}

static int
write_keys(const spot_answer_t *self, const path_t *path)
{
    const spot_study_head_t *head = self->head;
    size_t num_written = 0;
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < head->num_axes && num_written < MAX_KEYS; j++) {
        effect_t *effects;

        if (j == path->curves->axis_id || head->axes[j].num_values < 2) {
            continue;
        }
        effects = spot_calloc(head->axes[j].num_values, sizeof(*effects));
        if (effects == NULL) {
            return SPOT_ERR_NO_MEMORY;
        }
        for (size_t k = 0; k < head->axes[j].num_values; k++) {
            effects[k].value_id = k;
        }
        ret = find_effects(
            self, j, spot_curves_value_id(path->curves, path->panel_id, j), effects);
        if (ret == 0) {
            write_key(self, j, effects);
        }
        free(effects);
        num_written++;
    }
    return ret;
}

int
spot_answer_of_curve(spot_answer_t *self, bool *is_written)
{
    const char *problem = NULL;
    spot_curves_t curves;
    path_t path = {0};
    int ret = spot_curves_init(&curves, self->report, &problem);

    *is_written = ret == 0 && !curves.is_scattered;
    if (*is_written) {
        ret = path_init(&path, self, &curves);
        if (ret == 0) {
            ret = write_path(self, &path);
        }
        if (ret == 0 && path.num_places > 0 && !curves.has_all_in_one) {
            ret = write_keys(self, &path);
        }
    }
    free(path.point_ids);
    spot_curves_free(&curves);
    return problem == NULL ? ret : 0; /* there is nothing to go along */
}
