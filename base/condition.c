/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/condition.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bind.h"
#include "base/condition_internal.h"
#include "base/memory.h"
#include "base/name_match.h"
#include "base/suggest.h"
#include "base/units.h"
#include "base/utf8.h"

typedef struct {
    spot_condition_t *condition;
    spot_condition_tokens_t tokens;
    size_t depth;
} parser_t;

static const struct {
    const char *name;
    spot_condition_code_t code;
    bool is_fold; /* of two or more, else of one */
} functions[] = {
    {"min", SPOT_OP_MIN, true},
    {"max", SPOT_OP_MAX, true},
    {"floor", SPOT_OP_FLOOR, false},
    {"ceil", SPOT_OP_CEIL, false},
    {"abs", SPOT_OP_ABS, false},
};

#define NUM_FUNCTIONS (sizeof(functions) / sizeof(functions[0]))

typedef struct {
    const char *symbol;
    spot_condition_code_t code;
} operator_t;

static const operator_t comparisons[] = {
    {"<=", SPOT_OP_AT_MOST},
    {"<", SPOT_OP_BELOW},
    {">=", SPOT_OP_AT_LEAST},
    {">", SPOT_OP_ABOVE},
    {"==", SPOT_OP_EQUAL},
    {"!=", SPOT_OP_UNEQUAL},
    {NULL, SPOT_OP_CONSTANT},
};

static const operator_t sums[] = {
    {"+", SPOT_OP_ADD},
    {"-", SPOT_OP_SUBTRACT},
    {NULL, SPOT_OP_CONSTANT},
};

static const operator_t products[] = {
    {"*", SPOT_OP_MULTIPLY},
    {"/", SPOT_OP_DIVIDE},
    {"%", SPOT_OP_REMAINDER},
    {NULL, SPOT_OP_CONSTANT},
};

static const char expected_operand[] = "a number, a text, a name or \"(\"";

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

static size_t offset_of(const parser_t *self, const char *place)
{
    return (size_t) (place - self->condition->node->text);
}

/* Appends an operation at a place of the expression; NULL after an error. */
static spot_condition_op_t *emit(parser_t *self, spot_condition_code_t code, const char *place)
{
    spot_condition_t *condition = self->condition;
    spot_condition_op_t *op;

    if (self->tokens.ret == 0) {
        self->tokens.ret = SPOT_ARRAY_ROOM(condition, ops, condition->num_ops + 1);
    }
    if (self->tokens.ret != 0) {
        return NULL;
    }
    op = &condition->ops[condition->num_ops++];
    memset(op, 0, sizeof(*op));
    op->code = code;
    op->offset = offset_of(self, place);
    return op;
}

/* Copies a word and ends it with a NUL. words has room for every byte of the expression
 * twice. */
static const char *keep_word(spot_condition_t *self, const char *text, size_t num_bytes)
{
    char *word = self->words + self->num_word_bytes;

    memcpy(word, text, num_bytes);
    word[num_bytes] = '\0';
    self->num_word_bytes += num_bytes + 1;
    return word;
}

/* Goes one level deeper and to the next token. */
static void enter(parser_t *self)
{
    if (++self->depth > SPOT_CONDITION_MAX_DEPTH) {
        spot_condition_tokens_error(&self->tokens, self->tokens.start,
            "nested more than %d levels deep", SPOT_CONDITION_MAX_DEPTH);
    }
    spot_condition_tokens_next(&self->tokens);
}

static void leave(parser_t *self)
{
    self->depth--;
}

static void parse_logic(parser_t *self, spot_condition_code_t code);

/* The operator of a table at the current token, or NULL. */
static const operator_t *operator_here(const parser_t *self, const operator_t *operators)
{
    while (
        operators->symbol != NULL && !spot_condition_token_is(&self->tokens, operators->symbol)) {
        operators++;
    }
    return operators->symbol == NULL ? NULL : operators;
}

static void parse_name(parser_t *self, const char *start, size_t num_bytes)
{
    spot_condition_t *condition = self->condition;
    spot_condition_op_t *op = emit(self, SPOT_OP_NAME, start);
    size_t id = 0;

    while (
        id < condition->num_names && (strncmp(condition->names[id].text, start, num_bytes) != 0 ||
                                         condition->names[id].text[num_bytes] != '\0')) {
        id++;
    }
    if (op == NULL) {
        return;
    }
    op->name_id = id;
    if (id == condition->num_names) {
        self->tokens.ret = SPOT_ARRAY_ROOM(condition, names, id + 1);
        if (self->tokens.ret != 0) {
            return;
        }
        condition->names[id].text = keep_word(condition, start, num_bytes);
        condition->names[id].offset = op->offset;
        condition->num_names++;
    }
}

static void report_unknown_function(parser_t *self, const char *start, size_t num_bytes)
{
    const char *name = keep_word(self->condition, start, num_bytes);
    char text[SPOT_UTF8_SHOWN_BYTES];
    spot_suggest_t near;

    spot_suggest_init(&near, name);
    for (size_t j = 0; j < NUM_FUNCTIONS; j++) {
        spot_suggest_offer(&near, functions[j].name);
    }
    spot_utf8_shown(name, text);
    if (near.nearest != NULL) {
        spot_condition_tokens_error(&self->tokens, start,
            "unknown function \"%s\", did you mean \"%s\"?", text, near.nearest);
    } else {
        spot_condition_tokens_error(&self->tokens, start,
            "unknown function \"%s\", there are min, max, floor, ceil and abs", text);
    }
}

/* Reports that a call lacks its end. In a YAML list a comma ends the item. */
static void report_open_call(parser_t *self, const char *expected)
{
    const bool is_cut = self->tokens.kind == SPOT_TOKEN_END && self->tokens.ret == 0 &&
                        !self->condition->node->is_quoted;

    if (is_cut) {
        spot_condition_tokens_error(&self->tokens, self->tokens.start,
            "expected %s, got the end of the expression; in a list, one with a comma "
            "needs quotes around it",
            expected);
    } else {
        spot_condition_tokens_expected(&self->tokens, expected);
    }
}

/* Parses a call from the parenthesis after the name of the function, which is at
 * start. */
static void parse_call(parser_t *self, const char *start, size_t num_bytes)
{
    size_t id = 0, num_arguments = 1, num_needed;

    while (id < NUM_FUNCTIONS && (strlen(functions[id].name) != num_bytes ||
                                     memcmp(functions[id].name, start, num_bytes) != 0)) {
        id++;
    }
    if (id == NUM_FUNCTIONS) {
        report_unknown_function(self, start, num_bytes);
        return;
    }
    num_needed = functions[id].is_fold ? 2 : 1;
    enter(self);
    parse_logic(self, SPOT_OP_OR);
    while (functions[id].is_fold && spot_condition_token_is(&self->tokens, ",")) {
        spot_condition_tokens_next(&self->tokens);
        parse_logic(self, SPOT_OP_OR);
        (void) emit(self, functions[id].code, start);
        num_arguments++;
    }
    if (num_arguments < num_needed || !spot_condition_token_is(&self->tokens, ")")) {
        report_open_call(self, num_needed == 1      ? "an operator or \")\""
                               : num_arguments == 1 ? "an operator or \",\""
                                                    : "an operator, \",\" or \")\"");
    }
    if (!functions[id].is_fold) {
        (void) emit(self, functions[id].code, start);
    }
    spot_condition_tokens_next(&self->tokens);
    leave(self);
}

static void parse_word(parser_t *self)
{
    const char *start = self->tokens.start;
    const size_t num_bytes = (size_t) (self->tokens.end - start);
    const bool is_true = spot_condition_token_is(&self->tokens, "true");
    const bool is_false = spot_condition_token_is(&self->tokens, "false");
    spot_condition_op_t *op;

    if (spot_condition_token_is(&self->tokens, "and") ||
        spot_condition_token_is(&self->tokens, "or") ||
        spot_condition_token_is(&self->tokens, "not")) {
        spot_condition_tokens_expected(&self->tokens, expected_operand);
        return;
    }
    spot_condition_tokens_next(&self->tokens);
    if (spot_condition_token_is(&self->tokens, "(")) {
        parse_call(self, start, num_bytes);
    } else if (is_true || is_false) {
        op = emit(self, SPOT_OP_CONSTANT, start);
        if (op != NULL) {
            op->constant.type = SPOT_CONDITION_TRUTH;
            op->constant.truth = is_true;
        }
    } else {
        parse_name(self, start, num_bytes);
    }
}

static void parse_constant(parser_t *self)
{
    const spot_condition_tokens_t *tokens = &self->tokens;
    spot_condition_op_t *op = emit(self, SPOT_OP_CONSTANT, tokens->start);

    if (op != NULL && tokens->kind == SPOT_TOKEN_NUMBER) {
        op->constant.type = SPOT_CONDITION_NUMBER;
        op->constant.number = tokens->number;
        op->constant.unit = tokens->word_unit == NULL
                                ? tokens->unit
                                : keep_word(self->condition, tokens->word_unit,
                                      (size_t) (tokens->end - tokens->word_unit));
        op->num_bytes = (size_t) (tokens->end - tokens->start);
    } else if (op != NULL) {
        op->constant.type = SPOT_CONDITION_TEXT;
        op->constant.text = keep_word(
            self->condition, tokens->start + 1, (size_t) (tokens->end - tokens->start) - 2);
    }
    spot_condition_tokens_next(&self->tokens);
}

static void parse_operand(parser_t *self)
{
    const char *start = self->tokens.start;

    if (spot_condition_token_is(&self->tokens, "-")) {
        enter(self);
        parse_operand(self);
        (void) emit(self, SPOT_OP_NEGATE, start);
        leave(self);
    } else if (spot_condition_token_is(&self->tokens, "(")) {
        enter(self);
        parse_logic(self, SPOT_OP_OR);
        if (!spot_condition_token_is(&self->tokens, ")")) {
            spot_condition_tokens_expected(&self->tokens, "an operator or \")\"");
        }
        spot_condition_tokens_next(&self->tokens);
        leave(self);
    } else if (self->tokens.kind == SPOT_TOKEN_WORD) {
        parse_word(self);
    } else if (self->tokens.kind == SPOT_TOKEN_NAME) {
        parse_name(self, start + 1, (size_t) (self->tokens.end - start) - 2);
        spot_condition_tokens_next(&self->tokens);
    } else if (self->tokens.kind == SPOT_TOKEN_NUMBER || self->tokens.kind == SPOT_TOKEN_TEXT) {
        parse_constant(self);
    } else {
        spot_condition_tokens_expected(&self->tokens, expected_operand);
    }
}

/* Reports "5 %", a remainder without a right side: the unit % does not exist. */
static void report_percent(parser_t *self, const char *place)
{
    const spot_condition_t *condition = self->condition;
    const spot_condition_op_t *op =
        condition->num_ops == 0 ? NULL : &condition->ops[condition->num_ops - 1];
    const bool has_operand = self->tokens.kind != SPOT_TOKEN_END &&
                             operator_here(self, comparisons) == NULL &&
                             !spot_condition_token_is(&self->tokens, "and") &&
                             !spot_condition_token_is(&self->tokens, "or") &&
                             !spot_condition_token_is(&self->tokens, ")") &&
                             !spot_condition_token_is(&self->tokens, ",");
    char number[SPOT_NUMBER_TEXT_BYTES];

    if (*place == '%' && !has_operand && op != NULL && op->code == SPOT_OP_CONSTANT &&
        op->constant.type == SPOT_CONDITION_NUMBER) {
        spot_number_text(op->constant.number / 100, number);
        spot_condition_tokens_error(&self->tokens, place, "there is no unit %%: write %s", number);
    }
}

/* Parses operands with the operators of one table between them. */
static void parse_row(
    parser_t *self, const operator_t *operators, void (*parse_inner)(parser_t *self))
{
    const operator_t *found;

    parse_inner(self);
    while ((found = operator_here(self, operators)) != NULL) {
        const char *place = self->tokens.start;

        spot_condition_tokens_next(&self->tokens);
        report_percent(self, place);
        parse_inner(self);
        (void) emit(self, found->code, place);
    }
}

static void parse_product(parser_t *self)
{
    parse_row(self, products, parse_operand);
}

static void parse_sum(parser_t *self)
{
    parse_row(self, sums, parse_product);
}

/* All comparisons of a chain except the last jump to its end if they are false. Until
 * that end is known, target_id links them in a list. */
static void parse_comparison(parser_t *self)
{
    spot_condition_op_t *op = NULL;
    const operator_t *found;
    size_t pending_id = 0;

    parse_sum(self);
    while ((found = operator_here(self, comparisons)) != NULL) {
        const char *place = self->tokens.start;
        const size_t right_id = self->condition->num_ops;

        spot_condition_tokens_next(&self->tokens);
        parse_sum(self);
        op = emit(self, found->code, place);
        if (op == NULL) {
            return;
        }
        op->right_id = right_id;
        if (operator_here(self, comparisons) != NULL) {
            op->target_id = pending_id;
            pending_id = self->condition->num_ops - 1;
        }
    }
    while (self->tokens.ret == 0 && pending_id != 0) {
        op = &self->condition->ops[pending_id];
        pending_id = op->target_id;
        op->target_id = self->condition->num_ops;
    }
}

static void parse_not(parser_t *self)
{
    const char *place = self->tokens.start;

    if (spot_condition_token_is(&self->tokens, "not")) {
        enter(self);
        parse_not(self);
        (void) emit(self, SPOT_OP_NOT, place);
        leave(self);
    } else {
        parse_comparison(self);
    }
}

static void parse_logic_operand(parser_t *self, spot_condition_code_t code)
{
    if (code == SPOT_OP_OR) {
        parse_logic(self, SPOT_OP_AND);
    } else {
        parse_not(self);
    }
}

/* Emits the left side, a jump past the right side if the left one decides, the right
 * side and a check of its type. */
static void parse_logic(parser_t *self, spot_condition_code_t code)
{
    parse_logic_operand(self, code);
    while (spot_condition_token_is(&self->tokens, code == SPOT_OP_OR ? "or" : "and")) {
        const char *place = self->tokens.start;
        const size_t jump_id = self->condition->num_ops;

        (void) emit(self, code, place);
        spot_condition_tokens_next(&self->tokens);
        parse_logic_operand(self, code);
        if (emit(self, code, place) != NULL) {
            self->condition->ops[jump_id].target_id = self->condition->num_ops;
        }
    }
}

/* Whether the node is a scalar of a possible length; reports it if not. */
static bool is_expression(const spot_node_t *node, const char *key, spot_diag_t *diag)
{
    const spot_field_t field = {
        .name = key, .expected = "a condition such as \"depth <= capacity\""};
    spot_bind_t bind = {.diag = diag};

    if (node->kind != SPOT_NODE_SCALAR || node->text[0] == '\0') {
        spot_bind_unexpected(&bind, &field, node, "");
        return false;
    }
    if (strlen(node->text) > SPOT_CONDITION_MAX_BYTES) {
        spot_bind_error(
            &bind, node, key, "an expression of more than %d bytes", SPOT_CONDITION_MAX_BYTES);
        return false;
    }
    return true;
}

int spot_condition_parse(
    spot_condition_t *self, const spot_node_t *node, const char *key, spot_diag_t *diag)
{
    parser_t parser = {.condition = self};

    memset(self, 0, sizeof(*self));
    if (!is_expression(node, key, diag)) {
        return SPOT_ERR_BAD_INPUT;
    }
    self->node = node;
    self->words = spot_calloc(strlen(key) + 1 + 2 * strlen(node->text), 1);
    if (self->words == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->key = keep_word(self, key, strlen(key));
    spot_condition_tokens_init(&parser.tokens, self, diag);
    spot_condition_tokens_next(&parser.tokens);
    parse_logic(&parser, SPOT_OP_OR);
    if (parser.tokens.kind != SPOT_TOKEN_END) {
        spot_condition_tokens_expected(&parser.tokens, "an operator");
    }
    return parser.tokens.ret != 0 ? parser.tokens.ret : spot_condition_check(self, NULL, diag);
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
