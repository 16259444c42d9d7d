/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "base/condition_internal.h"

static bool
is_unit(const char *unit, const char *other)
{
    return unit == other || (unit != NULL && other != NULL && strcmp(unit, other) == 0);
}

bool
spot_condition_is_amount(const char *unit)
{
    return unit != NULL && !is_unit(unit, SPOT_CONDITION_DURATION) &&
           !is_unit(unit, SPOT_CONDITION_PRICE) &&
           !is_unit(unit, SPOT_CONDITION_ANY_UNIT);
}

/* Of a product or quotient. */
static const char *
unit_of_product(spot_condition_code_t code, const char *left, const char *right)
{
    if (is_unit(left, SPOT_CONDITION_ANY_UNIT) ||
        is_unit(right, SPOT_CONDITION_ANY_UNIT)) {
        return SPOT_CONDITION_ANY_UNIT;
    }
    if (right == NULL) {
        return left;
    }
    return left == NULL && code == SPOT_OP_MULTIPLY ? right : NULL;
}

bool
spot_condition_combine_units(
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

const char *
spot_condition_unit_words(const char *unit, char words[SPOT_CONDITION_UNIT_WORDS_BYTES])
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
