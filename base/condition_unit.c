/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "base/condition_internal.h"
#include "base/units.h"

static bool is_unit(const char *unit, const char *other)
{
    return unit == other || (unit != NULL && other != NULL && strcmp(unit, other) == 0);
}

bool spot_condition_is_amount(const char *unit)
{
    return unit != NULL && !is_unit(unit, SPOT_CONDITION_DURATION) &&
           !is_unit(unit, SPOT_CONDITION_PRICE) && !is_unit(unit, SPOT_CONDITION_ANY_UNIT);
}

/* The unit of a product or quotient. */
static const char *unit_of_product(spot_condition_code_t code, const char *left, const char *right)
{
    if (is_unit(left, SPOT_CONDITION_ANY_UNIT) || is_unit(right, SPOT_CONDITION_ANY_UNIT)) {
        return SPOT_CONDITION_ANY_UNIT;
    }
    if (right == NULL) {
        return left;
    }
    return left == NULL && code == SPOT_OP_MULTIPLY ? right : NULL;
}

bool spot_condition_combine_units(
    spot_condition_code_t code, const char *left, const char *right, const char **unit)
{
    if (code == SPOT_OP_MULTIPLY || code == SPOT_OP_DIVIDE) {
        *unit = unit_of_product(code, left, right);
        return true;
    }
    *unit = left;
    if (is_unit(left, SPOT_CONDITION_ANY_UNIT) ||
        (left == NULL && spot_condition_is_amount(right))) {
        *unit = right;
        return true;
    }
    return is_unit(left, right) || is_unit(right, SPOT_CONDITION_ANY_UNIT) ||
           (right == NULL && spot_condition_is_amount(left));
}

const char *spot_condition_unit_words(const char *unit, char words[SPOT_CONDITION_UNIT_WORDS_BYTES])
{
    if (unit == NULL) {
        return "a plain number";
    }
    if (is_unit(unit, SPOT_CONDITION_DURATION)) {
        return "a duration";
    }
    if (is_unit(unit, SPOT_CONDITION_PRICE)) {
        return "a price";
    }
    snprintf(words, SPOT_CONDITION_UNIT_WORDS_BYTES, "a number of %s", unit);
    return words;
}

bool spot_condition_value_of(const spot_node_t *node, spot_condition_value_t *value)
{
    const char *problem = "";
    double number = 0;
    int64_t duration_ms = 0;

    if (node->kind != SPOT_NODE_SCALAR) {
        return false;
    }
    value->type = SPOT_CONDITION_NUMBER;
    value->unit = NULL;
    if (spot_number_parse(node->text, &number) == 0) {
        /* As for a field of a number: a quoted 7 is a text. */
        value->type = node->is_quoted ? SPOT_CONDITION_TEXT : SPOT_CONDITION_NUMBER;
        value->unit = number == 0 ? SPOT_CONDITION_ANY_UNIT : NULL;
    } else if (spot_duration_parse(node->text, &duration_ms, &problem) == 0) {
        number = (double) duration_ms / (double) SPOT_MS_PER_S;
        value->unit = SPOT_CONDITION_DURATION;
    } else if (spot_price_parse(node->text, &number, &problem) == 0) {
        value->unit = SPOT_CONDITION_PRICE;
    } else {
        value->type = SPOT_CONDITION_TEXT;
    }
    if (value->type == SPOT_CONDITION_NUMBER) {
        value->number = number;
    } else if (!node->is_quoted &&
               (strcmp(node->text, "true") == 0 || strcmp(node->text, "false") == 0)) {
        value->type = SPOT_CONDITION_TRUTH;
        value->truth = node->text[0] == 't';
    } else {
        value->text = node->text;
    }
    return true;
}
