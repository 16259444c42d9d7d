/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far winners are from losing. */
#include <math.h>

#include "reports/words.h"

/* Values are in the unit of the least of them. */
static spot_shown_unit_t unit_of(const spot_break_even_t *item)
{
    const spot_metric_t metric = {
        .unit = item->unit[0] == '\0' ? "1" : item->unit, .kind = SPOT_METRIC_TIME};
    const double number = item->number != 0 ? item->number : item->sides[SPOT_BREAK_EVEN_ABOVE].at;

    return spot_shown_unit(&metric, fabs(number));
}

static const char *value_text(spot_texts_t *texts, const spot_shown_unit_t *unit, double value)
{
    value *= unit->factor;
    return spot_texts_add(
        texts, fabs(value) < 999.5 || fabs(value) >= 1e7 ? "%.3g" : "%.0f", value);
}

static const char *with_unit(spot_texts_t *texts, const spot_shown_unit_t *unit, double value)
{
    return spot_texts_add(texts, "%s%s%s", value_text(texts, unit, value),
        unit->unit[0] == '\0' ? "" : " ", unit->unit);
}

/* "below 77 s (75.7 to 78.9)"; an end of the interval that is not known is open. */
static const char *side_text(
    spot_texts_t *texts, const spot_shown_unit_t *unit, const spot_break_even_t *item, int side_id)
{
    const spot_break_even_side_t *side = &item->sides[side_id];
    const bool is_above = side_id == SPOT_BREAK_EVEN_ABOVE;
    const char *near = value_text(texts, unit, side->near);
    const char *far = value_text(texts, unit, side->far);
    const char *at = spot_texts_add(
        texts, "%s %s", is_above ? "below" : "above", with_unit(texts, unit, side->at));

    return isnan(side->far)
               ? spot_texts_add(texts, is_above ? "%s (from %s on)" : "%s (up to %s)", at, near)
               : spot_texts_add(
                     texts, "%s (%s to %s)", at, is_above ? near : far, is_above ? far : near);
}

/* The values that were tried without finding one, and from where on it is not sure. */
static const char *reach_text(spot_texts_t *texts, const spot_shown_unit_t *unit,
    const spot_break_even_t *item, const char *key)
{
    const double below = item->sides[SPOT_BREAK_EVEN_BELOW].reach;
    const double above = item->sides[SPOT_BREAK_EVEN_ABOVE].reach;
    const char *text;

    if (isnan(below) && isnan(above)) {
        return spot_texts_add(texts, "; no other value of %s could be tried", key);
    }
    text = spot_texts_add(texts, " at every %s tried, from %s to %s", key,
        value_text(texts, unit, isnan(below) ? item->number : below),
        with_unit(texts, unit, isnan(above) ? item->number : above));
    for (int j = 0; j < SPOT_NUM_BREAK_EVEN_SIDES; j++) {
        if (!isnan(item->sides[j].near)) {
            text = spot_texts_add(texts,
                j == SPOT_BREAK_EVEN_ABOVE ? "%s, not surely from %s on"
                                           : "%s, not surely up to %s",
                text, value_text(texts, unit, item->sides[j].near));
        }
    }
    return text;
}

/* "trace.frequency = 8: oobleck stays ahead of varuna". */
static const char *pair_text(
    spot_texts_t *texts, const spot_study_head_t *head, const spot_break_even_t *item)
{
    const size_t axis_id = head->best.axis_id;
    const char *text = "";

    for (size_t j = 0; j < head->num_axes; j++) {
        if (j != axis_id) {
            text = spot_texts_add(texts, "%s%s%s = %s", text, text[0] == '\0' ? "" : ", ",
                head->axes[j].path, spot_words_point_label(texts, head, item->best_id, j));
        }
    }
    return spot_texts_add(texts, "%s%s%s stays ahead of %s", text, text[0] == '\0' ? "" : ": ",
        spot_words_point_label(texts, head, item->best_id, axis_id),
        spot_words_point_label(texts, head, item->next_id, axis_id));
}

const char *spot_words_break_even(
    spot_texts_t *texts, const spot_winners_t *winners, const spot_break_even_t *item)
{
    const bool is_below = !isnan(item->sides[SPOT_BREAK_EVEN_ABOVE].at);
    const bool is_above = !isnan(item->sides[SPOT_BREAK_EVEN_BELOW].at);
    const spot_shown_unit_t unit = unit_of(item);
    const char *key = spot_words_shown(texts, winners->head->best.keys[item->key_id]);
    const char *range =
        is_below || is_above
            ? spot_texts_add(texts, " while %s is %s%s%s", key,
                  is_above ? side_text(texts, &unit, item, SPOT_BREAK_EVEN_BELOW) : "",
                  is_above && is_below ? " and " : "",
                  is_below ? side_text(texts, &unit, item, SPOT_BREAK_EVEN_ABOVE) : "")
            : reach_text(texts, &unit, item, key);

    return spot_texts_add(texts, "%s%s; it is %s", pair_text(texts, winners->head, item), range,
        with_unit(texts, &unit, item->number));
}

const spot_break_even_t *spot_break_even_nearest(const spot_winners_t *winners)
{
    const size_t num_keys = winners->head->best.num_keys;
    const spot_break_even_t *nearest = NULL;
    double least = HUGE_VAL;

    for (size_t j = 0; j < winners->groups.num_groups * num_keys; j++) {
        const spot_break_even_t *item =
            spot_winners_break_even(winners, &winners->winners[j / num_keys], j % num_keys);

        for (int side_id = 0; item != NULL && side_id < SPOT_NUM_BREAK_EVEN_SIDES; side_id++) {
            const double ratio = item->sides[side_id].at / item->number;

            if (ratio > 0 && fabs(log(ratio)) < least) {
                least = fabs(log(ratio));
                nearest = item;
            }
        }
    }
    return nearest;
}

/* Whether a value wins in a group where, or where for the next one, a key is not given.
 */
static bool lacks_key(const spot_winners_t *winners, size_t value_id, size_t key_id)
{
    const spot_study_head_t *head = winners->head;

    for (size_t j = 0; j < winners->groups.num_groups; j++) {
        const spot_winner_t *winner = &winners->winners[j];
        const spot_break_even_t *item = spot_winners_break_even(winners, winner, key_id);

        if (item != NULL && isnan(item->number) &&
            spot_study_value_id(head, winner->best_id, head->best.axis_id) == value_id) {
            return true;
        }
    }
    return false;
}

static void write_not_given(const spot_winners_t *winners, size_t key_id, spot_document_t *document)
{
    const spot_study_head_t *head = winners->head;
    const spot_axis_t *axis = &head->axes[head->best.axis_id];
    spot_texts_t *texts = &document->texts;
    const char *values = "";

    for (size_t value_id = 0; value_id < axis->num_values; value_id++) {
        if (lacks_key(winners, value_id, key_id)) {
            values = spot_texts_add(texts, "%s%s%s", values, values[0] == '\0' ? "" : ", ",
                spot_words_label(texts, axis, value_id));
        }
    }
    if (values[0] != '\0') {
        spot_document_item(document, "%s is not given where this wins: %s",
            spot_words_shown(texts, head->best.keys[key_id]), values);
    }
}

void spot_break_evens_write(const spot_winners_t *winners, spot_document_t *document)
{
    const size_t num_keys = winners->head->best.num_keys;
    bool has_all = true;

    for (size_t j = 0; j < winners->groups.num_groups * num_keys; j++) {
        const spot_winner_t *winner = &winners->winners[j / num_keys];
        const spot_break_even_t *item = spot_winners_break_even(winners, winner, j % num_keys);

        if (item != NULL && !isnan(item->number)) {
            spot_document_item(
                document, "%s", spot_words_break_even(&document->texts, winners, item));
        } else if (item == NULL) {
            has_all = has_all && !spot_winner_is_ahead(winner, &winners->head->best);
        }
    }
    for (size_t k = 0; k < num_keys; k++) {
        write_not_given(winners, k, document);
    }
    if (!has_all) {
        spot_document_item(document, "not all break-evens are there for these rows: run "
                                     "the whole study again into "
                                     "this database");
    }
}
