/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/break_even_text.h"

#include <math.h>

#include "base/utf8.h"
#include "reports/shown_unit.h"
#include "reports/value_label.h"

#define VALUE_BYTES 64

/* Values of one sentence, in the unit of the least of them. */
typedef struct {
    spot_shown_unit_t unit;
    FILE *out;
} scale_t;

static scale_t
scale_of(const spot_break_even_t *item, FILE *out)
{
    const spot_metric_t metric = {
        .unit = item->unit[0] == '\0' ? "1" : item->unit, .kind = SPOT_METRIC_TIME};
    const double number =
        item->number != 0 ? item->number : item->sides[SPOT_BREAK_EVEN_ABOVE].at;

    return (scale_t){spot_shown_unit(&metric, fabs(number)), out};
}

static void
write_unit(const scale_t *self)
{
    fprintf(self->out, "%s%s", self->unit.unit[0] == '\0' ? "" : " ", self->unit.unit);
}

static void
write_value(const scale_t *self, double value)
{
    value *= self->unit.factor;
    fprintf(
        self->out, fabs(value) < 999.5 || fabs(value) >= 1e7 ? "%.3g" : "%.0f", value);
}

/* "(121 to 124 s)", from low to high; what is not known is open. */
static void
write_interval(const scale_t *self, const spot_break_even_side_t *side, int side_id)
{
    const bool is_above = side_id == SPOT_BREAK_EVEN_ABOVE;

    fputs(" (", self->out);
    if (isnan(side->far)) {
        fputs(is_above ? "from " : "up to ", self->out);
        write_value(self, side->near);
        fputs(is_above ? " on" : "", self->out);
    } else {
        write_value(self, is_above ? side->near : side->far);
        fputs(" to ", self->out);
        write_value(self, is_above ? side->far : side->near);
    }
    fputc(')', self->out);
}

static void
write_side(const scale_t *self, const spot_break_even_t *item, int side_id)
{
    const spot_break_even_side_t *side = &item->sides[side_id];

    fputs(side_id == SPOT_BREAK_EVEN_ABOVE ? "below " : "above ", self->out);
    write_value(self, side->at);
    write_unit(self);
    write_interval(self, side, side_id);
}

/* The values that were tried without finding one, and from where on it is not sure. */
static void
write_reach(const scale_t *self, const spot_break_even_t *item, const char *key)
{
    const double below = item->sides[SPOT_BREAK_EVEN_BELOW].reach;
    const double above = item->sides[SPOT_BREAK_EVEN_ABOVE].reach;

    if (isnan(below) && isnan(above)) {
        fprintf(self->out, "; no other value of %s could be tried", key);
        return;
    }
    fprintf(self->out, " at every %s tried, from ", key);
    write_value(self, isnan(below) ? item->number : below);
    fputs(" to ", self->out);
    write_value(self, isnan(above) ? item->number : above);
    write_unit(self);
    for (int j = 0; j < SPOT_NUM_BREAK_EVEN_SIDES; j++) {
        if (!isnan(item->sides[j].near)) {
            fprintf(self->out, ", not surely %s ",
                j == SPOT_BREAK_EVEN_ABOVE ? "from" : "up to");
            write_value(self, item->sides[j].near);
            fputs(j == SPOT_BREAK_EVEN_ABOVE ? " on" : "", self->out);
        }
    }
}

void
spot_break_even_write(
    const spot_winners_t *winners, const spot_break_even_t *item, FILE *out)
{
    const spot_study_head_t *head = winners->head;
    const spot_break_even_side_t *sides = item->sides;
    const scale_t scale = scale_of(item, out);
    const bool is_below = !isnan(sides[SPOT_BREAK_EVEN_ABOVE].at);
    const bool is_above = !isnan(sides[SPOT_BREAK_EVEN_BELOW].at);
    char label[SPOT_VALUE_LABEL_BYTES], key[SPOT_UTF8_SHOWN_BYTES];
    const char *before = "";

    spot_utf8_shown(head->best.keys[item->key_id], key);
    for (size_t j = 0; j < head->num_axes; j++) {
        if (j != head->best.axis_id) {
            fprintf(out, "%s%s = %s", before, head->axes[j].path,
                spot_point_label(head, item->best_id, j, label));
            before = ", ";
        }
    }
    fprintf(out, "%s%s stays ahead", before[0] == '\0' ? "" : ": ",
        spot_point_label(head, item->best_id, head->best.axis_id, label));
    fprintf(
        out, " of %s", spot_point_label(head, item->next_id, head->best.axis_id, label));
    if (!is_below && !is_above) {
        write_reach(&scale, item, key);
    } else {
        fprintf(out, " while %s is ", key);
        if (is_above) {
            write_side(&scale, item, SPOT_BREAK_EVEN_BELOW);
        }
        fputs(is_above && is_below ? " and " : "", out);
        if (is_below) {
            write_side(&scale, item, SPOT_BREAK_EVEN_ABOVE);
        }
    }
    fputs("; it is ", out);
    write_value(&scale, item->number);
    write_unit(&scale);
}

/* How far a side is from the value of the winner: 0 where it is the same. */
static double
distance(const spot_break_even_t *item, int side_id)
{
    const double ratio = item->sides[side_id].at / item->number;

    return isnan(item->sides[side_id].at) || !(ratio > 0) ? HUGE_VAL : fabs(log(ratio));
}

const spot_break_even_t *
spot_break_even_nearest(const spot_winners_t *winners)
{
    const spot_break_even_t *nearest = NULL;
    double least = HUGE_VAL;

    for (size_t j = 0; j < winners->groups.num_groups; j++) {
        for (size_t k = 0; k < winners->head->best.num_keys; k++) {
            const spot_break_even_t *item =
                spot_winners_break_even(winners, &winners->winners[j], k);

            for (int side_id = 0; item != NULL && side_id < SPOT_NUM_BREAK_EVEN_SIDES;
                 side_id++) {
                if (distance(item, side_id) < least) {
                    least = distance(item, side_id);
                    nearest = item;
                }
            }
        }
    }
    return nearest;
}

/* Whether the key of a break-even is not given for the winner, or for the next one. */
static bool
is_not_given(const spot_winners_t *winners, size_t group_id, size_t key_id)
{
    const spot_break_even_t *item =
        spot_winners_break_even(winners, &winners->winners[group_id], key_id);

    return item != NULL && isnan(item->number);
}

/* The winners without a value of a key, each once. */
static void
write_not_given(
    const spot_winners_t *winners, size_t key_id, const char *before, FILE *out)
{
    const spot_study_head_t *head = winners->head;
    const spot_axis_t *axis = &head->axes[head->best.axis_id];
    char label[SPOT_VALUE_LABEL_BYTES], key[SPOT_UTF8_SHOWN_BYTES];
    bool has_any = false;

    for (size_t value_id = 0; value_id < axis->num_values; value_id++) {
        bool is_one = false;

        for (size_t j = 0; !is_one && j < winners->groups.num_groups; j++) {
            is_one = is_not_given(winners, j, key_id) &&
                     spot_study_value_id(head, winners->winners[j].best_id,
                         head->best.axis_id) == value_id;
        }
        if (is_one) {
            fprintf(out, "%s%s%s%s", has_any ? ", " : before,
                has_any ? "" : spot_utf8_shown(head->best.keys[key_id], key),
                has_any ? "" : " is not given where this wins: ",
                spot_value_label(axis, value_id, label));
            has_any = true;
        }
    }
    fputs(has_any ? "\n" : "", out);
}

void
spot_break_evens_write(const spot_winners_t *winners, const char *before, FILE *out)
{
    const size_t num_keys = winners->head->best.num_keys;
    bool has_all = true;

    for (size_t j = 0; j < winners->groups.num_groups * num_keys; j++) {
        const spot_winner_t *winner = &winners->winners[j / num_keys];
        const spot_break_even_t *item =
            spot_winners_break_even(winners, winner, j % num_keys);

        if (item != NULL && !isnan(item->number)) {
            fputs(before, out);
            spot_break_even_write(winners, item, out);
            fputc('\n', out);
        } else if (item == NULL) {
            has_all = has_all && !spot_winner_is_ahead(winner, &winners->head->best);
        }
    }
    for (size_t k = 0; k < num_keys; k++) {
        write_not_given(winners, k, before, out);
    }
    if (!has_all) {
        fprintf(out,
            "%snot all break-evens are there for these rows: run the whole study again "
            "into this database\n",
            before);
    }
}
