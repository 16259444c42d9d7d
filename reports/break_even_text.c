/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/break_even_text.h"

#include <math.h>

#include "base/utf8.h"
#include "reports/shown_unit.h"
#include "reports/value_label.h"

#define VALUE_BYTES 64

/* Values of one sentence, in the unit of the winner's. */
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
    fprintf(self->out, fabs(value) < 1000 ? "%.3g" : "%.0f", value);
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

/* The values that were tried without finding one. */
static void
write_reach(const scale_t *self, const spot_break_even_t *item)
{
    const double below = item->sides[SPOT_BREAK_EVEN_BELOW].reach;
    const double above = item->sides[SPOT_BREAK_EVEN_ABOVE].reach;

    if (isnan(below) && isnan(above)) {
        fputs("; no other value of it can be run", self->out);
        return;
    }
    fputs("; tried from ", self->out);
    write_value(self, isnan(below) ? item->number : below);
    fputs(" to ", self->out);
    write_value(self, isnan(above) ? item->number : above);
    write_unit(self);
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
    fprintf(out, " of %s ",
        spot_point_label(head, item->next_id, head->best.axis_id, label));
    if (!is_below && !is_above) {
        fprintf(out, "whatever %s is (it is ", key);
    } else {
        fprintf(out, "while %s is ", key);
        if (is_above) {
            write_side(&scale, item, SPOT_BREAK_EVEN_BELOW);
        }
        fputs(is_above && is_below ? " and " : "", out);
        if (is_below) {
            write_side(&scale, item, SPOT_BREAK_EVEN_ABOVE);
        }
        fputs("; it is ", out);
    }
    write_value(&scale, item->number);
    write_unit(&scale);
    if (!is_below && !is_above) {
        write_reach(&scale, item);
        fputc(')', out);
    }
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

void
spot_break_evens_write(const spot_winners_t *winners, const char *before, FILE *out)
{
    const size_t num_keys = winners->head->best.num_keys;
    bool has_any = false, has_next = false;

    for (size_t j = 0; j < winners->groups.num_groups; j++) {
        const spot_winner_t *winner = &winners->winners[j];

        has_next = has_next || winner->next_id != SPOT_NO_POINT;
        for (size_t k = 0; k < num_keys; k++) {
            const spot_break_even_t *item = spot_winners_break_even(winners, winner, k);

            if (item != NULL) {
                has_any = true;
                fputs(before, out);
                spot_break_even_write(winners, item, out);
                fputc('\n', out);
            }
        }
    }
    if (num_keys > 0 && has_next && !has_any) {
        fprintf(out,
            "%sthe break-evens are not there for these rows: run the whole study again "
            "into this database\n",
            before);
    }
}
