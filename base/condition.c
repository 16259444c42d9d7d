/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/condition.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/name_match.h"
#include "base/number.h"
#include "base/units.h"
#include "base/utf8.h"

/* The noun for numbers of a unit, e.g. "a duration"; may be written to words. */
#define UNIT_WORDS_BYTES 64

/* One level of depth keeps at most four values on the stack: the left sides of a
 * comparison, a sum and a product, and the current result of min() or max(). */
#define MAX_STACK (4 * (SPOT_CONDITION_MAX_DEPTH + 1) + 1)

/* ---- Units ---- */

static bool is_unit(const char *unit, const char *other)
{
    return unit == other || (unit != NULL && other != NULL && strcmp(unit, other) == 0);
}

/* Whether a unit is that of an amount: no duration, price or plain number. */
static bool is_amount(const char *unit)
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

/* Sets *unit to the unit of the result of an operation on numbers (meaningless for
 * comparisons). For operations with one operand left and right are the same. Returns
 * false if the units do not fit. */
static bool combine_units(
    spot_condition_code_t code, const char *left, const char *right, const char **unit)
{
    if (code == SPOT_OP_MULTIPLY || code == SPOT_OP_DIVIDE) {
        *unit = unit_of_product(code, left, right);
        return true;
    }
    *unit = left;
    if (is_unit(left, SPOT_CONDITION_ANY_UNIT) || (left == NULL && is_amount(right))) {
        *unit = right;
        return true;
    }
    return is_unit(left, right) || is_unit(right, SPOT_CONDITION_ANY_UNIT) ||
           (right == NULL && is_amount(left));
}

static const char *unit_words(const char *unit, char words[UNIT_WORDS_BYTES])
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
    snprintf(words, UNIT_WORDS_BYTES, "a number of %s", unit);
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

/* ---- Names ---- */

void spot_condition_error(
    const spot_condition_t *self, size_t offset, spot_diag_t *diag, const char *format, ...)
{
    const spot_node_t *node = self->node;
    const size_t num_before = spot_utf8_count(node->text, offset);
    char message[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    if (node->is_verbatim) {
        spot_diag_error(diag, node->file, node->line,
            node->column + (node->is_quoted ? 1 : 0) + num_before, "%s: %s", self->key, message);
    } else {
        spot_diag_error(diag, node->file, node->line, node->column, "%s: character %zu: %s",
            self->key, num_before + 1, message);
    }
}

void spot_condition_free(spot_condition_t *self)
{
    free(self->names);
    free(self->ops);
    free(self->words);
    memset(self, 0, sizeof(*self));
}

/* Whether a name is the whole right side of "==" or "!=": it may be meant as a text. */
static bool is_compared(const spot_condition_t *self, size_t name_id)
{
    for (size_t j = 1; j < self->num_ops; j++) {
        const spot_condition_op_t *op = &self->ops[j], *right = &self->ops[j - 1];

        if ((op->code == SPOT_OP_EQUAL || op->code == SPOT_OP_UNEQUAL) && op->right_id == j - 1 &&
            right->code == SPOT_OP_NAME && right->name_id == name_id) {
            return true;
        }
    }
    return false;
}

int spot_condition_resolve(const spot_condition_t *self, const char *what, const char *otherwise,
    const char *const *candidates, size_t num_candidates, size_t *candidate_ids, spot_diag_t *diag)
{
    int ret = 0;

    for (size_t j = 0; j < self->num_names; j++) {
        const spot_condition_name_t *name = &self->names[j];
        char text[SPOT_NAME_PROBLEM_BYTES];
        int outcome;

        outcome = spot_name_match(name->text, candidates, num_candidates, &candidate_ids[j]);
        if (outcome != 0) {
            const bool is_text = outcome == SPOT_NAME_UNKNOWN && is_compared(self, j);

            spot_condition_error(self, name->offset, diag, "%s%s",
                spot_name_problem(
                    name->text, what, is_text ? "" : otherwise, candidates, num_candidates, text),
                is_text ? " (a text needs quotes)" : "");
            ret = SPOT_ERR_BAD_INPUT;
        }
    }
    return ret;
}

/* ---- Checking and evaluating ---- */

#define MAX_SHOWN 40 /* bytes of a constant in a message */

/* Operands and types of each operation. ANY: both operands have the same type. */
static const struct {
    const char *symbol;
    size_t num_operands;
    spot_condition_type_t operand;
    spot_condition_type_t result;
} signatures[] = {
    [SPOT_OP_CONSTANT] = {"", 0, SPOT_CONDITION_ANY, SPOT_CONDITION_ANY},
    [SPOT_OP_NAME] = {"", 0, SPOT_CONDITION_ANY, SPOT_CONDITION_ANY},
    [SPOT_OP_NEGATE] = {"-", 1, SPOT_CONDITION_NUMBER, SPOT_CONDITION_NUMBER},
    [SPOT_OP_FLOOR] = {"floor", 1, SPOT_CONDITION_NUMBER, SPOT_CONDITION_NUMBER},
    [SPOT_OP_CEIL] = {"ceil", 1, SPOT_CONDITION_NUMBER, SPOT_CONDITION_NUMBER},
    [SPOT_OP_ABS] = {"abs", 1, SPOT_CONDITION_NUMBER, SPOT_CONDITION_NUMBER},
    [SPOT_OP_ADD] = {"+", 2, SPOT_CONDITION_NUMBER, SPOT_CONDITION_NUMBER},
    [SPOT_OP_SUBTRACT] = {"-", 2, SPOT_CONDITION_NUMBER, SPOT_CONDITION_NUMBER},
    [SPOT_OP_MULTIPLY] = {"*", 2, SPOT_CONDITION_NUMBER, SPOT_CONDITION_NUMBER},
    [SPOT_OP_DIVIDE] = {"/", 2, SPOT_CONDITION_NUMBER, SPOT_CONDITION_NUMBER},
    [SPOT_OP_REMAINDER] = {"%", 2, SPOT_CONDITION_NUMBER, SPOT_CONDITION_NUMBER},
    [SPOT_OP_MIN] = {"min", 2, SPOT_CONDITION_NUMBER, SPOT_CONDITION_NUMBER},
    [SPOT_OP_MAX] = {"max", 2, SPOT_CONDITION_NUMBER, SPOT_CONDITION_NUMBER},
    [SPOT_OP_AT_MOST] = {"<=", 2, SPOT_CONDITION_NUMBER, SPOT_CONDITION_TRUTH},
    [SPOT_OP_BELOW] = {"<", 2, SPOT_CONDITION_NUMBER, SPOT_CONDITION_TRUTH},
    [SPOT_OP_AT_LEAST] = {">=", 2, SPOT_CONDITION_NUMBER, SPOT_CONDITION_TRUTH},
    [SPOT_OP_ABOVE] = {">", 2, SPOT_CONDITION_NUMBER, SPOT_CONDITION_TRUTH},
    [SPOT_OP_EQUAL] = {"==", 2, SPOT_CONDITION_ANY, SPOT_CONDITION_TRUTH},
    [SPOT_OP_UNEQUAL] = {"!=", 2, SPOT_CONDITION_ANY, SPOT_CONDITION_TRUTH},
    [SPOT_OP_NOT] = {"not", 1, SPOT_CONDITION_TRUTH, SPOT_CONDITION_TRUTH},
    [SPOT_OP_AND] = {"and", 1, SPOT_CONDITION_TRUTH, SPOT_CONDITION_TRUTH},
    [SPOT_OP_OR] = {"or", 1, SPOT_CONDITION_TRUTH, SPOT_CONDITION_TRUTH},
};

static const char *const type_words[] = {
    [SPOT_CONDITION_ANY] = "a value",
    [SPOT_CONDITION_NUMBER] = "a number",
    [SPOT_CONDITION_TEXT] = "a text",
    [SPOT_CONDITION_TRUTH] = "true or false",
};

/* A value on the stack during the check. */
typedef struct {
    spot_condition_kind_t kind;
    size_t offset;                          /* its start, in bytes of the expression */
    const spot_condition_value_t *constant; /* or NULL */
} known_t;

static bool may_be(spot_condition_type_t type, spot_condition_type_t other)
{
    return type == other || type == SPOT_CONDITION_ANY || other == SPOT_CONDITION_ANY;
}

/* ": write 60 s" if one operand is a constant without the unit of the other, else "". */
static const char *unit_hint(const known_t *operands, char *text, size_t text_bytes)
{
    for (size_t j = 0; j < 2; j++) {
        const spot_condition_value_t *constant = operands[j].constant;
        char number[SPOT_NUMBER_TEXT_BYTES];

        if (constant != NULL && operands[j].kind.unit == NULL) {
            spot_number_text(constant->number, number);
            snprintf(text, text_bytes, ": write %s %s", number, operands[1 - j].kind.unit);
            return text;
        }
    }
    return "";
}

/* Reports two operands whose units do not fit. */
static bool check_units(const spot_condition_t *self, const spot_condition_op_t *op,
    const known_t *operands, spot_diag_t *diag)
{
    char left_words[UNIT_WORDS_BYTES];
    char right_words[UNIT_WORDS_BYTES];
    char text[SPOT_NUMBER_TEXT_BYTES + UNIT_WORDS_BYTES];
    const char *unit, *left, *right, *hint;

    if (operands[0].kind.type != SPOT_CONDITION_NUMBER ||
        operands[1].kind.type != SPOT_CONDITION_NUMBER ||
        combine_units(op->code, operands[0].kind.unit, operands[1].kind.unit, &unit)) {
        return true;
    }
    left = unit_words(operands[0].kind.unit, left_words);
    right = unit_words(operands[1].kind.unit, right_words);
    hint = unit_hint(operands, text, sizeof(text));
    if (signatures[op->code].result == SPOT_CONDITION_TRUTH) {
        spot_condition_error(self, op->offset, diag, "%s is compared with %s%s", left, right, hint);
    } else {
        spot_condition_error(self, op->offset, diag,
            "\"%s\" needs numbers of one unit, got %s and %s%s", signatures[op->code].symbol, left,
            right, hint);
    }
    return false;
}

/* Reports operands whose types or units do not fit. */
static bool check_operands(const spot_condition_t *self, const spot_condition_op_t *op,
    const known_t *operands, spot_diag_t *diag)
{
    const size_t num_operands = signatures[op->code].num_operands;
    const spot_condition_type_t wanted = signatures[op->code].operand;
    bool is_good = true;

    for (size_t j = 0; j < num_operands; j++) {
        if (!may_be(operands[j].kind.type, wanted)) {
            spot_condition_error(self, operands[j].offset, diag, "\"%s\" needs %s, got %s",
                signatures[op->code].symbol, type_words[wanted], type_words[operands[j].kind.type]);
            is_good = false;
        }
    }
    if (num_operands == 2 && wanted == SPOT_CONDITION_ANY &&
        !may_be(operands[0].kind.type, operands[1].kind.type)) {
        spot_condition_error(self, op->offset, diag, "\"%s\" compares %s with %s",
            signatures[op->code].symbol, type_words[operands[0].kind.type],
            type_words[operands[1].kind.type]);
        is_good = false;
    }
    return is_good && (num_operands < 2 || check_units(self, op, operands, diag));
}

/* Sets *result to the value that an operation leaves if it does not jump. Returns the
 * number of such values, 0 or 1. */
static size_t known_result(const spot_condition_op_t *op, const spot_condition_kind_t *kinds,
    const known_t *operands, known_t *result)
{
    const size_t num_operands = signatures[op->code].num_operands;

    if (op->target_id != 0 && num_operands == 1) {
        return 0;
    }
    if (op->target_id != 0) {
        *result = operands[1];
        return 1;
    }
    result->offset = op->offset;
    if (op->code == SPOT_OP_CONSTANT) {
        result->kind = (spot_condition_kind_t){op->constant.type, op->constant.unit};
        result->constant = &op->constant;
    } else if (op->code == SPOT_OP_NAME && kinds != NULL) {
        result->kind = kinds[op->name_id];
    } else if (num_operands > 0) {
        result->kind.type = signatures[op->code].result;
        (void) combine_units(op->code, operands[0].kind.unit, operands[num_operands - 1].kind.unit,
            &result->kind.unit);
        if (operands[0].offset < op->offset) {
            result->offset = operands[0].offset;
        }
    }
    return 1;
}

/* Reports a constant whose unit no name has. */
static bool check_constant(const spot_condition_t *self, const spot_condition_op_t *op,
    const spot_condition_kind_t *kinds, spot_diag_t *diag)
{
    const char *text = self->node->text + op->offset;

    if (op->code != SPOT_OP_CONSTANT || kinds == NULL ||
        op->constant.type != SPOT_CONDITION_NUMBER || !is_amount(op->constant.unit)) {
        return true;
    }
    for (size_t j = 0; j < self->num_names; j++) {
        if (kinds[j].unit != NULL && strcmp(kinds[j].unit, op->constant.unit) == 0) {
            return true;
        }
    }
    spot_condition_error(self, op->offset, diag,
        "\"%.*s\" is no duration such as \"300 s\" and no price such as \"0.91 USD/h\": "
        "unknown unit",
        op->num_bytes < MAX_SHOWN ? (int) op->num_bytes : MAX_SHOWN, text);
    return false;
}

/* Both ways to the target of a jump leave a truth, so one pass suffices. */
int spot_condition_check(
    const spot_condition_t *self, const spot_condition_kind_t *kinds, spot_diag_t *diag)
{
    known_t stack[MAX_STACK];
    size_t num_values = 0;
    bool is_good = true;

    for (size_t j = 0; j < self->num_ops; j++) {
        const spot_condition_op_t *op = &self->ops[j];
        known_t result = {{SPOT_CONDITION_ANY, SPOT_CONDITION_ANY_UNIT}, 0, NULL};

        spot_bug_assert(num_values >= signatures[op->code].num_operands);
        num_values -= signatures[op->code].num_operands;
        is_good = check_operands(self, op, &stack[num_values], diag) && is_good;
        if (known_result(op, kinds, &stack[num_values], &result) == 1) {
            spot_bug_assert(num_values < MAX_STACK);
            stack[num_values++] = result;
        }
        if (!check_constant(self, op, kinds, diag)) {
            stack[num_values - 1].kind.unit = SPOT_CONDITION_ANY_UNIT; /* reported */
            is_good = false;
        }
    }
    spot_bug_assert(num_values == 1);
    if (!may_be(stack[0].kind.type, SPOT_CONDITION_TRUTH)) {
        spot_condition_error(self, stack[0].offset, diag,
            "expected a condition such as \"depth <= capacity\", got %s",
            type_words[stack[0].kind.type]);
        is_good = false;
    }
    return is_good ? 0 : SPOT_ERR_BAD_INPUT;
}

static double calculate(spot_condition_code_t code, double left, double right)
{
    switch (code) {
        case SPOT_OP_NEGATE:
            return -left;
        case SPOT_OP_FLOOR:
            return floor(left);
        case SPOT_OP_CEIL:
            return ceil(left);
        case SPOT_OP_ABS:
            return fabs(left);
        case SPOT_OP_ADD:
            return left + right;
        case SPOT_OP_SUBTRACT:
            return left - right;
        case SPOT_OP_MULTIPLY:
            return left * right;
        case SPOT_OP_DIVIDE:
            return left / right;
        case SPOT_OP_REMAINDER:
            return fmod(left, right);
        case SPOT_OP_MIN:
            return right < left ? right : left;
        case SPOT_OP_MAX:
            return right > left ? right : left;
        default:
            spot_bug_assert(false);
            return (double) NAN;
    }
}

static bool is_equal(const spot_condition_value_t *left, const spot_condition_value_t *right)
{
    switch (left->type) {
        case SPOT_CONDITION_NUMBER:
            return left->number == right->number;
        case SPOT_CONDITION_TEXT:
            return strcmp(left->text, right->text) == 0;
        default:
            return left->truth == right->truth;
    }
}

static bool compare(spot_condition_code_t code, const spot_condition_value_t *left,
    const spot_condition_value_t *right)
{
    switch (code) {
        case SPOT_OP_AT_MOST:
            return left->number <= right->number;
        case SPOT_OP_BELOW:
            return left->number < right->number;
        case SPOT_OP_AT_LEAST:
            return left->number >= right->number;
        case SPOT_OP_ABOVE:
            return left->number > right->number;
        case SPOT_OP_EQUAL:
            return is_equal(left, right);
        case SPOT_OP_UNEQUAL:
            return !is_equal(left, right);
        default:
            spot_bug_assert(false);
            return false;
    }
}

/* Sets *result to the result of an operation. "and" and "or" keep the truth of their
 * right side. */
static int apply(const spot_condition_op_t *op, const spot_condition_value_t *operands,
    spot_condition_value_t *result)
{
    const size_t num_operands = signatures[op->code].num_operands;
    const spot_condition_type_t wanted = signatures[op->code].operand;
    const spot_condition_value_t *left = &operands[0];
    const spot_condition_value_t *right = &operands[num_operands - 1];
    spot_condition_value_t value = {.type = signatures[op->code].result};

    if (left->type != (wanted == SPOT_CONDITION_ANY ? right->type : wanted) ||
        left->type != right->type) {
        return SPOT_CONDITION_MISMATCH;
    }
    if (left->type == SPOT_CONDITION_NUMBER &&
        !combine_units(op->code, left->unit, right->unit, &value.unit)) {
        return SPOT_CONDITION_UNIT_MISMATCH;
    }
    if ((op->code == SPOT_OP_DIVIDE || op->code == SPOT_OP_REMAINDER) && right->number == 0) {
        return SPOT_CONDITION_DIVIDED_BY_ZERO;
    }
    if (value.type == SPOT_CONDITION_NUMBER) {
        value.number = calculate(op->code, left->number, right->number);
    } else if (num_operands == 2) {
        value.truth = compare(op->code, left, right);
    } else {
        value.truth = op->code == SPOT_OP_NOT ? !left->truth : left->truth;
    }
    *result = value;
    return value.type == SPOT_CONDITION_NUMBER && !isfinite(value.number)
               ? SPOT_CONDITION_NOT_FINITE
               : 0;
}

typedef struct {
    spot_condition_value_t stack[MAX_STACK];
    size_t num_values;
    size_t next_id;
} machine_t;

static int push(machine_t *self, const spot_condition_value_t *value)
{
    spot_bug_assert(self->num_values < MAX_STACK);
    self->stack[self->num_values++] = *value;
    return value->type == SPOT_CONDITION_NUMBER && !isfinite(value->number)
               ? SPOT_CONDITION_NOT_FINITE
               : 0;
}

static int step(
    machine_t *self, const spot_condition_op_t *op, const spot_condition_value_t *values)
{
    const size_t num_operands = signatures[op->code].num_operands;
    spot_condition_value_t *operands, result;
    int outcome;

    self->next_id++;
    if (num_operands == 0) {
        return push(self, op->code == SPOT_OP_NAME ? &values[op->name_id] : &op->constant);
    }
    self->num_values -= num_operands;
    operands = &self->stack[self->num_values];
    outcome = apply(op, operands, &result);
    if (outcome != 0) {
        return outcome;
    }
    if (op->target_id != 0 && result.truth == (op->code == SPOT_OP_OR)) {
        self->next_id = op->target_id;
    } else if (op->target_id != 0 && num_operands == 1) {
        return 0;
    } else if (op->target_id != 0) {
        result = operands[1];
    }
    return push(self, &result);
}

/* Runs the operations [first_id, end_id), which leave one value. */
static int run(const spot_condition_t *self, size_t first_id, size_t end_id,
    const spot_condition_value_t *values, spot_condition_value_t *result, size_t *offset)
{
    machine_t machine;
    int outcome = 0;

    machine.num_values = 0;
    machine.next_id = first_id;
    while (outcome == 0 && machine.next_id < end_id) {
        const spot_condition_op_t *op = &self->ops[machine.next_id];

        outcome = step(&machine, op, values);
        *offset = op->offset;
    }
    if (outcome == 0) {
        spot_bug_assert(machine.num_values == 1);
        *result = machine.stack[0];
    }
    return outcome;
}

int spot_condition_evaluate(
    const spot_condition_t *self, const spot_condition_value_t *values, bool *holds, size_t *offset)
{
    spot_condition_value_t result = {.type = SPOT_CONDITION_ANY};
    const int outcome = run(self, 0, self->num_ops, values, &result, offset);

    if (outcome != 0) {
        return outcome;
    }
    if (result.type != SPOT_CONDITION_TRUTH) {
        *offset = 0;
        return SPOT_CONDITION_MISMATCH;
    }
    *holds = result.truth;
    return 0;
}

const char *spot_condition_outcome_text(int outcome)
{
    switch (outcome) {
        case SPOT_CONDITION_DIVIDED_BY_ZERO:
            return "division by zero";
        case SPOT_CONDITION_NOT_FINITE:
            return "not a finite number";
        case SPOT_CONDITION_MISMATCH:
            return "a value of another type than is needed here";
        case SPOT_CONDITION_UNIT_MISMATCH:
            return "numbers of different units";
        default:
            return "no error";
    }
}

int spot_condition_bound(
    const spot_condition_t *self, spot_condition_bound_t *bound, spot_diag_t *diag)
{
    const size_t last_id = self->num_ops - 1;
    const spot_condition_op_t *last = &self->ops[last_id];
    const bool is_limit = last->code >= SPOT_OP_AT_MOST && last->code <= SPOT_OP_ABOVE;
    const bool is_left = last->right_id == 1 && self->ops[0].code == SPOT_OP_NAME;
    const bool is_right =
        last->right_id + 1 == last_id && self->ops[last_id - 1].code == SPOT_OP_NAME;
    const size_t first_id = is_left ? 1 : 0, end_id = is_left ? last_id : last->right_id;
    spot_condition_value_t result = {.type = SPOT_CONDITION_ANY};
    size_t num_used = 0, num_jumps = 0, offset = 0;
    int outcome;

    for (size_t j = 0; j < self->num_ops; j++) {
        num_used += self->ops[j].code == SPOT_OP_NAME;
        num_jumps += self->ops[j].target_id != 0;
    }
    if (!is_limit || num_used != 1 || num_jumps != 0 || !(is_left || is_right)) {
        spot_condition_error(self, 0, diag,
            "expected one name and one number with <=, <, >= or > between them, such as "
            "\"lost_fraction <= 0.05\"");
        return SPOT_ERR_BAD_INPUT;
    }
    outcome = run(self, first_id, end_id, NULL, &result, &offset);
    if (outcome != 0) {
        spot_condition_error(self, offset, diag, "%s", spot_condition_outcome_text(outcome));
        return SPOT_ERR_BAD_INPUT;
    }
    bound->number = result.number;
    bound->limit = result.number;
    bound->is_upper = is_left == (last->code == SPOT_OP_AT_MOST || last->code == SPOT_OP_BELOW);
    if (last->code == SPOT_OP_BELOW || last->code == SPOT_OP_ABOVE) {
        bound->limit =
            nextafter(result.number, bound->is_upper ? -(double) INFINITY : (double) INFINITY);
    }
    return 0;
}
