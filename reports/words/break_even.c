/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/break_even.h"

#include <math.h>

#include "base/utf8.h"
#include "reports/shown_unit.h"
#include "reports/value_label.h"

#define VALUE_BYTES 32
#define ROOM ((char[VALUE_BYTES]){""})
#define LABEL_ROOM ((char[SPOT_VALUE_LABEL_BYTES]){""})

/* Values are in the unit of the least of them. */
static spot_shown_unit_t
unit_of(const spot_break_even_t *item)
{
    const spot_metric_t metric = {
        .unit = item->unit[0] == '\0' ? "1" : item->unit, .kind = SPOT_METRIC_TIME};
    const double number =
        item->number != 0 ? item->number : item->sides[SPOT_BREAK_EVEN_ABOVE].at;

    return spot_shown_unit(&metric, fabs(number));
}

static const char *
value_text(const spot_shown_unit_t *unit, double value, char text[VALUE_BYTES])
{
    value *= unit->factor;
    snprintf(text, VALUE_BYTES,
        fabs(value) < 999.5 || fabs(value) >= 1e7 ? "%.3g" : "%.0f", value);
    return text;
}

/* " s", or nothing. */
static const char *
unit_text(const spot_shown_unit_t *unit, char text[VALUE_BYTES])
{
    snprintf(text, VALUE_BYTES, "%s%s", unit->unit[0] == '\0' ? "" : " ", unit->unit);
    return text;
}

/* "below 77 s (75.7 to 78.9)"; an end of the interval that is not known is open. */
static void
write_side(
    const spot_shown_unit_t *unit, const spot_break_even_t *item, int side_id, FILE *out)
{
    const spot_break_even_side_t *side = &item->sides[side_id];
    const bool is_above = side_id == SPOT_BREAK_EVEN_ABOVE;
    const char *near = value_text(unit, side->near, ROOM);
    const char *far = value_text(unit, side->far, ROOM);

    fprintf(out, "%s %s%s (", is_above ? "below" : "above",
        value_text(unit, side->at, ROOM), unit_text(unit, ROOM));
    if (isnan(side->far)) {
        fprintf(out, is_above ? "from %s on)" : "up to %s)", near);
    } else {
        fprintf(out, "%s to %s)", is_above ? near : far, is_above ? far : near);
    }
}

/* The values that were tried without finding one, and from where on it is not sure. */
static void
write_reach(const spot_shown_unit_t *unit, const spot_break_even_t *item,
    const char *key, FILE *out)
{
    const double below = item->sides[SPOT_BREAK_EVEN_BELOW].reach;
    const double above = item->sides[SPOT_BREAK_EVEN_ABOVE].reach;

    if (isnan(below) && isnan(above)) {
        fprintf(out, "; no other value of %s could be tried", key);
        return;
    }
    fprintf(out, " at every %s tried, from %s to %s%s", key,
        value_text(unit, isnan(below) ? item->number : below, ROOM),
        value_text(unit, isnan(above) ? item->number : above, ROOM),
        unit_text(unit, ROOM));
    for (int j = 0; j < SPOT_NUM_BREAK_EVEN_SIDES; j++) {
        if (!isnan(item->sides[j].near)) {
            fprintf(out,
                j == SPOT_BREAK_EVEN_ABOVE ? ", not surely from %s on"
                                           : ", not surely up to %s",
                value_text(unit, item->sides[j].near, ROOM));
        }
    }
}

void
spot_break_even_write(
    const spot_winners_t *winners, const spot_break_even_t *item, FILE *out)
{
    const spot_study_head_t *head = winners->head;
    const size_t axis_id = head->best.axis_id;
    const bool is_below = !isnan(item->sides[SPOT_BREAK_EVEN_ABOVE].at);
    const bool is_above = !isnan(item->sides[SPOT_BREAK_EVEN_BELOW].at);
    const spot_shown_unit_t unit = unit_of(item);
    char key[SPOT_UTF8_SHOWN_BYTES];
    const char *before = "";

    spot_utf8_shown(head->best.keys[item->key_id], key);
    for (size_t j = 0; j < head->num_axes; j++) {
        if (j != axis_id) {
            fprintf(out, "%s%s = %s", before, head->axes[j].path,
                spot_point_label(head, item->best_id, j, LABEL_ROOM));
            before = ", ";
        }
    }
    fprintf(out, "%s%s stays ahead of %s", before[0] == '\0' ? "" : ": ",
        spot_point_label(head, item->best_id, axis_id, LABEL_ROOM),
        spot_point_label(head, item->next_id, axis_id, LABEL_ROOM));
    if (!is_below && !is_above) {
        write_reach(&unit, item, key, out);
    } else {
        fprintf(out, " while %s is ", key);
    }
    if (is_above) {
        write_side(&unit, item, SPOT_BREAK_EVEN_BELOW, out);
    }
    fputs(is_above && is_below ? " and " : "", out);
    if (is_below) {
        write_side(&unit, item, SPOT_BREAK_EVEN_ABOVE, out);
    }
    fprintf(out, "; it is %s%s", value_text(&unit, item->number, ROOM),
        unit_text(&unit, ROOM));
}

const spot_break_even_t *
spot_break_even_nearest(const spot_winners_t *winners)
{
    const size_t num_keys = winners->head->best.num_keys;
    const spot_break_even_t *nearest = NULL;
    double least = HUGE_VAL;

    for (size_t j = 0; j < winners->groups.num_groups * num_keys; j++) {
        const spot_break_even_t *item = spot_winners_break_even(
            winners, &winners->winners[j / num_keys], j % num_keys);

        for (int side_id = 0; item != NULL && side_id < SPOT_NUM_BREAK_EVEN_SIDES;
             side_id++) {
            const double ratio = item->sides[side_id].at / item->number;

            if (ratio > 0 && fabs(log(ratio)) < least) {
                least = fabs(log(ratio));
                nearest = item;
            }
        }
    }
    return nearest;
}

/* The winners for which, or for whose next one, a key is not given; each once. */
static void
write_not_given(
    const spot_winners_t *winners, size_t key_id, const char *before, FILE *out)
{
    const spot_study_head_t *head = winners->head;
    const spot_axis_t *axis = &head->axes[head->best.axis_id];
    bool has_any = false;

    for (size_t value_id = 0; value_id < axis->num_values; value_id++) {
        bool is_one = false;

        for (size_t j = 0; !is_one && j < winners->groups.num_groups; j++) {
            const spot_winner_t *winner = &winners->winners[j];
            const spot_break_even_t *item =
                spot_winners_break_even(winners, winner, key_id);

            is_one = item != NULL && isnan(item->number) &&
                     spot_study_value_id(head, winner->best_id, head->best.axis_id) ==
                         value_id;
        }
        if (is_one && !has_any) {
            fprintf(out, "%s%s is not given where this wins: ", before,
                spot_utf8_shown(head->best.keys[key_id], LABEL_ROOM));
        }
        if (is_one) {
            fprintf(out, "%s%s", has_any ? ", " : "",
                spot_value_label(axis, value_id, LABEL_ROOM));
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
