/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/condition_parse.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bind.h"
#include "base/memory.h"
#include "base/name_match.h"
#include "base/number.h"
#include "base/units.h"
#include "base/utf8.h"

typedef enum {
    TOKEN_END,
    TOKEN_NUMBER,
    TOKEN_TEXT,
    TOKEN_WORD,
    TOKEN_NAME, /* in backquotes */
    TOKEN_SYMBOL
} token_kind_t;

typedef struct {
    const spot_condition_t *condition; /* for the places of errors */
    spot_diag_t *diag;
    token_kind_t kind;
    const char *start; /* of the token, in the expression */
    const char *end;   /* after the token */
    double number;
    const char *unit;      /* of a plain number, a duration or a price */
    const char *word_unit; /* start of the unit of an amount, up to end; or NULL */
    int ret;               /* the first error; only TOKEN_END follows it */
} tokens_t;

/* ---- Tokens ---- */

/* A longer symbol precedes its own beginning. Symbols of other languages are known for
 * their messages. */
static const struct {
    const char *text;
    const char *instead; /* for the symbol of another language, else NULL */
} symbols[] = {
    {"<=", NULL},
    {">=", NULL},
    {"==", NULL},
    {"!=", NULL},
    {"<>", "!="},
    {"=<", "<="},
    {"=>", ">="},
    {"\u2264", "<="},
    {"\u2265", ">="},
    {"\u2260", "!="},
    {"&&", "and"},
    {"||", "or"},
    {"=", "=="},
    {"&", "and"},
    {"|", "or"},
    {"!", "not"},
    {"<", NULL},
    {">", NULL},
    {"+", NULL},
    {"-", NULL},
    {"*", NULL},
    {"/", NULL},
    {"%", NULL},
    {"(", NULL},
    {")", NULL},
    {",", NULL},
};

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n';
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static bool is_letter(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
}

static const char *word_end(const char *text)
{
    while (is_letter(*text) || is_digit(*text)) {
        text++;
    }
    return text;
}

static const char *skip_blanks(const char *text)
{
    while (is_blank(*text)) {
        text++;
    }
    return text;
}

/* The bytes from start to end as messages show them. */
static const char *shown(const char *start, const char *end, char text[SPOT_UTF8_SHOWN_BYTES])
{
    char copy[SPOT_CONDITION_MAX_BYTES + 1];
    const size_t num_bytes = (size_t) (end - start);

    memcpy(copy, start, num_bytes);
    copy[num_bytes] = '\0';
    return spot_utf8_shown(copy, text);
}

/* Places self before the first token. */
static void start_tokens(tokens_t *self, const spot_condition_t *condition, spot_diag_t *diag)
{
    memset(self, 0, sizeof(*self));
    self->condition = condition;
    self->diag = diag;
    self->start = condition->node->text;
    self->end = self->start;
}

/* Reports at a place of the expression, unless there was an error before. */
SPOT_PRINTF(3, 4)
static void report_at(tokens_t *self, const char *place, const char *format, ...)
{
    char message[1024];
    va_list arguments;

    if (self->ret != 0) {
        return;
    }
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    spot_condition_error(
        self->condition, (size_t) (place - self->condition->node->text), self->diag, "%s", message);
    self->ret = SPOT_ERR_BAD_INPUT;
    self->kind = TOKEN_END;
}

/* Reports that what was expected in place of the token, unless there was an error
 * before. */
static void report_expected(tokens_t *self, const char *what)
{
    char text[SPOT_UTF8_SHOWN_BYTES];

    if (self->kind == TOKEN_END) {
        report_at(self, self->start, "expected %s, got the end of the expression", what);
    } else {
        report_at(self, self->start, "expected %s, got \"%s\"", what,
            shown(self->start, self->end, text));
    }
}

/* Whether the token is this word or symbol. */
static bool token_is(const tokens_t *self, const char *text)
{
    const size_t num_bytes = strlen(text);

    return (self->kind == TOKEN_WORD || self->kind == TOKEN_SYMBOL) &&
           (size_t) (self->end - self->start) == num_bytes &&
           memcmp(self->start, text, num_bytes) == 0;
}

/* Whether the word is a unit of durations. */
static bool is_duration_unit(const char *word, size_t num_bytes)
{
    char text[16] = "1 ";
    const char *problem;
    int64_t duration_ms;

    if (num_bytes + 2 >= sizeof(text)) {
        return false;
    }
    memcpy(text + 2, word, num_bytes);
    return spot_duration_parse(text, &duration_ms, &problem) == 0;
}

/* The end of the unit at text, or NULL. The operators "and" and "or" are no units. */
static const char *unit_end(const char *text)
{
    const char *end = word_end(text);
    const size_t num_bytes = (size_t) (end - text);

    if (!is_letter(*text) || (num_bytes == 3 && memcmp(text, "and", 3) == 0) ||
        (num_bytes == 2 && memcmp(text, "or", 2) == 0)) {
        return NULL;
    }
    if (*end == '/' && is_letter(end[1]) && !is_duration_unit(text, num_bytes)) {
        end = word_end(end + 1); /* "USD/h", "samples/s" */
    }
    return end;
}

/* Reads the number alone; bytes after number_end do not matter. */
static void read_plain(tokens_t *self, const char *number_end)
{
    char number[SPOT_CONDITION_MAX_BYTES + 1], text[SPOT_UTF8_SHOWN_BYTES];

    memcpy(number, self->start, (size_t) (number_end - self->start));
    number[number_end - self->start] = '\0';
    if (spot_number_parse(number, &self->number) != 0) {
        report_at(self, self->start, "\"%s\" is too large", shown(self->start, self->end, text));
    }
}

/* Reads a number that ends at number_end with a unit that ends at self->end: a duration,
 * a price, or an amount in the unit of a name. */
static void read_quantity(tokens_t *self, const char *number_end, const char *unit_start)
{
    const size_t number_bytes = (size_t) (number_end - self->start);
    const size_t unit_bytes = (size_t) (self->end - unit_start);
    char quantity[SPOT_CONDITION_MAX_BYTES + 1], text[SPOT_UTF8_SHOWN_BYTES];
    const char *problem = "", *price_problem = "";
    int64_t duration_ms = 0;

    memcpy(quantity, self->start, number_bytes);
    memcpy(quantity + number_bytes, unit_start, unit_bytes);
    quantity[number_bytes + unit_bytes] = '\0';
    if (spot_duration_parse(quantity, &duration_ms, &problem) == 0) {
        self->number = (double) duration_ms / (double) SPOT_MS_PER_S;
        self->unit = SPOT_CONDITION_DURATION;
    } else if (spot_price_parse(quantity, &self->number, &price_problem) == 0) {
        self->unit = SPOT_CONDITION_PRICE;
    } else if (!is_duration_unit(unit_start, unit_bytes)) {
        self->word_unit = unit_start;
        read_plain(self, number_end);
    } else {
        report_at(self, self->start,
            "\"%s\" is no duration such as \"300 s\" and no price such as \"0.91 "
            "USD/h\": %s",
            shown(self->start, self->end, text), problem);
    }
}

static void read_number(tokens_t *self)
{
    char text[SPOT_UTF8_SHOWN_BYTES];
    const char *end = spot_number_end(self->start), *unit;

    self->kind = TOKEN_NUMBER;
    self->unit = NULL;
    self->word_unit = NULL;
    if (end == NULL || *end == '.') {
        end = self->start + strspn(self->start, "0123456789.");
        report_at(self, self->start, "\"%s\" is no number", shown(self->start, end, text));
        return;
    }
    unit = skip_blanks(end);
    self->end = unit_end(unit);
    if (self->end != NULL) {
        read_quantity(self, end, unit);
        return;
    }
    self->end = end;
    read_plain(self, end);
    if (self->number == 0) {
        self->unit = SPOT_CONDITION_ANY_UNIT;
    }
}

/* A text in quotes, or a name in backquotes. */
static void read_quoted(tokens_t *self, token_kind_t kind)
{
    const char *quote = strchr(self->start + 1, *self->start);

    self->kind = kind;
    if (quote == NULL) {
        report_at(self, self->start, "a %s starts here that has no second %c",
            kind == TOKEN_NAME ? "name" : "text", *self->start);
    } else if (kind == TOKEN_NAME && quote == self->start + 1) {
        report_at(self, self->start, "there is no name between the backquotes");
    } else {
        self->end = quote + 1;
    }
}

spot_estimate_kind_t spot_condition_estimate(const char *word, size_t num_bytes, double *percent)
{
    char number[16];

    if (num_bytes == 4 && memcmp(word, "mean", 4) == 0) {
        return SPOT_ESTIMATE_MEAN;
    }
    if (num_bytes == 11 && memcmp(word, "probability", 11) == 0) {
        return SPOT_ESTIMATE_PROBABILITY;
    }
    if (num_bytes < 2 || num_bytes > sizeof(number) || word[0] != 'p') {
        return SPOT_ESTIMATE_NONE;
    }
    memcpy(number, word + 1, num_bytes - 1);
    number[num_bytes - 1] = '\0';
    return spot_number_parse(number, percent) == 0 ? SPOT_ESTIMATE_QUANTILE : SPOT_ESTIMATE_NONE;
}

/* Reads the rest of "p95(cost_usd)" from its parenthesis on, which is one name. */
static void read_estimate(tokens_t *self)
{
    const char *end = self->end;
    int depth = 0;

    do {
        depth += (*end == '(') - (*end == ')');
    } while (*end++ != '\0' && depth > 0);
    if (depth > 0) {
        report_at(self, self->end, "a parenthesis starts here that has no second one");
    } else {
        self->end = end;
    }
}

static void read_word(tokens_t *self)
{
    char text[SPOT_UTF8_SHOWN_BYTES];
    double percent;

    self->kind = TOKEN_WORD;
    self->end = word_end(self->start);
    while (*self->end == '.' && word_end(self->end + 1) != self->end + 1) {
        self->end = word_end(self->end + 1);
    }
    if (*self->end == '.') {
        report_at(self, self->start, "\"%s\" is no name: a word is missing behind the dot",
            shown(self->start, self->end + 1, text));
    } else if (*self->end == '(' &&
               spot_condition_estimate(self->start, (size_t) (self->end - self->start), &percent) !=
                   SPOT_ESTIMATE_NONE) {
        read_estimate(self);
    }
}

static void read_symbol(tokens_t *self)
{
    const size_t length = spot_utf8_length(self->start, strlen(self->start));
    char text[SPOT_UTF8_SHOWN_BYTES];

    self->kind = TOKEN_SYMBOL;
    for (size_t j = 0; j < sizeof(symbols) / sizeof(symbols[0]); j++) {
        const size_t num_bytes = strlen(symbols[j].text);

        if (strncmp(self->start, symbols[j].text, num_bytes) == 0) {
            self->end = self->start + num_bytes;
            if (symbols[j].instead != NULL) {
                report_at(self, self->start, "\"%s\" is not known here, write \"%s\"",
                    symbols[j].text, symbols[j].instead);
            }
            return;
        }
    }
    report_at(self, self->start, "\"%s\" has no meaning here",
        shown(self->start, self->start + (length == 0 ? 1 : length), text));
}

/* Goes to the next token. Reports a part of the expression that is no token. */
static void next_token(tokens_t *self)
{
    if (self->ret != 0) {
        self->kind = TOKEN_END;
        return;
    }
    self->start = skip_blanks(self->end);
    self->end = self->start;
    if (*self->start == '\0') {
        self->kind = TOKEN_END;
    } else if (is_digit(*self->start) || (*self->start == '.' && is_digit(self->start[1]))) {
        read_number(self);
    } else if (is_letter(*self->start)) {
        read_word(self);
    } else if (*self->start == '\'' || *self->start == '"') {
        read_quoted(self, TOKEN_TEXT);
    } else if (*self->start == '`') {
        read_quoted(self, TOKEN_NAME);
    } else {
        read_symbol(self);
    }
}

/* ---- Grammar ---- */

typedef struct {
    spot_condition_t *condition;
    tokens_t tokens;
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
        report_at(&self->tokens, self->tokens.start, "nested more than %d levels deep",
            SPOT_CONDITION_MAX_DEPTH);
    }
    next_token(&self->tokens);
}

static void leave(parser_t *self)
{
    self->depth--;
}

static void parse_logic(parser_t *self, spot_condition_code_t code);

/* The operator of a table at the current token, or NULL. */
static const operator_t *operator_here(const parser_t *self, const operator_t *operators)
{
    while (operators->symbol != NULL && !token_is(&self->tokens, operators->symbol)) {
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
        report_at(&self->tokens, start, "unknown function \"%s\", did you mean \"%s\"?", text,
            near.nearest);
    } else {
        report_at(&self->tokens, start,
            "unknown function \"%s\", there are min, max, floor, ceil and abs", text);
    }
}

/* Reports that a call lacks its end. In a YAML list a comma ends the item. */
static void report_open_call(parser_t *self, const char *expected)
{
    const bool is_cut = self->tokens.kind == TOKEN_END && self->tokens.ret == 0 &&
                        !self->condition->node->is_quoted;

    if (is_cut) {
        report_at(&self->tokens, self->tokens.start,
            "expected %s, got the end of the expression; in a list, one with a comma "
            "needs quotes around it",
            expected);
    } else {
        report_expected(&self->tokens, expected);
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
    while (functions[id].is_fold && token_is(&self->tokens, ",")) {
        next_token(&self->tokens);
        parse_logic(self, SPOT_OP_OR);
        (void) emit(self, functions[id].code, start);
        num_arguments++;
    }
    if (num_arguments < num_needed || !token_is(&self->tokens, ")")) {
        report_open_call(self, num_needed == 1      ? "an operator or \")\""
                               : num_arguments == 1 ? "an operator or \",\""
                                                    : "an operator, \",\" or \")\"");
    }
    if (!functions[id].is_fold) {
        (void) emit(self, functions[id].code, start);
    }
    next_token(&self->tokens);
    leave(self);
}

static void parse_word(parser_t *self)
{
    const char *start = self->tokens.start;
    const size_t num_bytes = (size_t) (self->tokens.end - start);
    const bool is_true = token_is(&self->tokens, "true");
    const bool is_false = token_is(&self->tokens, "false");
    spot_condition_op_t *op;

    if (token_is(&self->tokens, "and") || token_is(&self->tokens, "or") ||
        token_is(&self->tokens, "not")) {
        report_expected(&self->tokens, expected_operand);
        return;
    }
    next_token(&self->tokens);
    if (token_is(&self->tokens, "(")) {
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
    const tokens_t *tokens = &self->tokens;
    spot_condition_op_t *op = emit(self, SPOT_OP_CONSTANT, tokens->start);

    if (op != NULL && tokens->kind == TOKEN_NUMBER) {
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
    next_token(&self->tokens);
}

static void parse_operand(parser_t *self)
{
    const char *start = self->tokens.start;

    if (token_is(&self->tokens, "-")) {
        enter(self);
        parse_operand(self);
        (void) emit(self, SPOT_OP_NEGATE, start);
        leave(self);
    } else if (token_is(&self->tokens, "(")) {
        enter(self);
        parse_logic(self, SPOT_OP_OR);
        if (!token_is(&self->tokens, ")")) {
            report_expected(&self->tokens, "an operator or \")\"");
        }
        next_token(&self->tokens);
        leave(self);
    } else if (self->tokens.kind == TOKEN_WORD) {
        parse_word(self);
    } else if (self->tokens.kind == TOKEN_NAME) {
        parse_name(self, start + 1, (size_t) (self->tokens.end - start) - 2);
        next_token(&self->tokens);
    } else if (self->tokens.kind == TOKEN_NUMBER || self->tokens.kind == TOKEN_TEXT) {
        parse_constant(self);
    } else {
        report_expected(&self->tokens, expected_operand);
    }
}

/* Reports "5 %", a remainder without a right side: the unit % does not exist. */
static void report_percent(parser_t *self, const char *place)
{
    const spot_condition_t *condition = self->condition;
    const spot_condition_op_t *op =
        condition->num_ops == 0 ? NULL : &condition->ops[condition->num_ops - 1];
    const bool has_operand = self->tokens.kind != TOKEN_END &&
                             operator_here(self, comparisons) == NULL &&
                             !token_is(&self->tokens, "and") && !token_is(&self->tokens, "or") &&
                             !token_is(&self->tokens, ")") && !token_is(&self->tokens, ",");
    char number[SPOT_NUMBER_TEXT_BYTES];

    if (*place == '%' && !has_operand && op != NULL && op->code == SPOT_OP_CONSTANT &&
        op->constant.type == SPOT_CONDITION_NUMBER) {
        spot_number_text(op->constant.number / 100, number);
        report_at(&self->tokens, place, "there is no unit %%: write %s", number);
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

        next_token(&self->tokens);
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

        next_token(&self->tokens);
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

    if (token_is(&self->tokens, "not")) {
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
    while (token_is(&self->tokens, code == SPOT_OP_OR ? "or" : "and")) {
        const char *place = self->tokens.start;
        const size_t jump_id = self->condition->num_ops;

        (void) emit(self, code, place);
        next_token(&self->tokens);
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
    start_tokens(&parser.tokens, self, diag);
    next_token(&parser.tokens);
    parse_logic(&parser, SPOT_OP_OR);
    if (parser.tokens.kind != TOKEN_END) {
        report_expected(&parser.tokens, "an operator");
    }
    return parser.tokens.ret != 0 ? parser.tokens.ret : spot_condition_check(self, NULL, diag);
}
