/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by parsing, checking and evaluating conditions: tokens, and operations in
 * postfix order. */
#pragma once

#include <stdint.h>

#include "base/condition.h"

typedef enum {
    SPOT_OP_CONSTANT,
    SPOT_OP_NAME,
    SPOT_OP_NEGATE,
    SPOT_OP_FLOOR,
    SPOT_OP_CEIL,
    SPOT_OP_ABS,
    SPOT_OP_ADD,
    SPOT_OP_SUBTRACT,
    SPOT_OP_MULTIPLY,
    SPOT_OP_DIVIDE,
    SPOT_OP_REMAINDER,
    SPOT_OP_MIN,
    SPOT_OP_MAX,
    SPOT_OP_AT_MOST,
    SPOT_OP_BELOW,
    SPOT_OP_AT_LEAST,
    SPOT_OP_ABOVE,
    SPOT_OP_EQUAL,
    SPOT_OP_UNEQUAL,
    SPOT_OP_NOT,
    SPOT_OP_AND,
    SPOT_OP_OR
} spot_condition_code_t;

/* An operation on the top of a stack of values. A comparison within a chain and the left
 * side of "and" or "or" jump to target_id if they decide, and leave the truth on the
 * stack. If they do not decide, a comparison leaves its right operand and the others
 * leave nothing. The operation after the right side of "and" or "or" only checks for a
 * truth. */
struct spot_condition_op {
    spot_condition_code_t code;
    size_t offset;    /* in bytes of the expression */
    size_t target_id; /* an op, or num_ops; 0: no jump */
    size_t right_id;  /* of a comparison: the first op of its right operand */
    size_t name_id;
    spot_condition_value_t constant;
    size_t num_bytes; /* of a constant, in the expression */
};

/* Sets *unit to the unit of the result of an operation on numbers (meaningless for
 * comparisons). For operations with one operand left and right are the same. Returns
 * false if the units do not fit. */
bool spot_condition_combine_units(
    spot_condition_code_t code, const char *left, const char *right, const char **unit);

/* Whether a unit is that of an amount: no duration, price or plain number. */
bool spot_condition_is_amount(const char *unit);

/* The noun for numbers of a unit, e.g. "a duration"; may be written to words. */
#define SPOT_CONDITION_UNIT_WORDS_BYTES 64
const char *spot_condition_unit_words(
    const char *unit, char words[SPOT_CONDITION_UNIT_WORDS_BYTES]);

/* One level of depth keeps at most four values on the stack: the left sides of a
 * comparison, a sum and a product, and the current result of min() or max(). */
#define SPOT_CONDITION_MAX_STACK (4 * (SPOT_CONDITION_MAX_DEPTH + 1) + 1)

typedef enum {
    SPOT_TOKEN_END,
    SPOT_TOKEN_NUMBER,
    SPOT_TOKEN_TEXT,
    SPOT_TOKEN_WORD,
    SPOT_TOKEN_NAME, /* in backquotes */
    SPOT_TOKEN_SYMBOL
} spot_condition_token_kind_t;

typedef struct {
    const spot_condition_t *condition; /* for the places of errors */
    spot_diag_t *diag;
    spot_condition_token_kind_t kind;
    const char *start; /* of the token, in the expression */
    const char *end;   /* after the token */
    double number;
    const char *unit;      /* of a plain number, a duration or a price */
    const char *word_unit; /* start of the unit of an amount, up to end; or NULL */
    int ret;               /* the first error; only SPOT_TOKEN_END follows it */
} spot_condition_tokens_t;

/* Places self before the first token. */
void spot_condition_tokens_init(
    spot_condition_tokens_t *self, const spot_condition_t *condition, spot_diag_t *diag);

/* Goes to the next token. Reports a part of the expression that is no token. */
void spot_condition_tokens_next(spot_condition_tokens_t *self);

/* Whether the token is this word or symbol. */
bool spot_condition_token_is(const spot_condition_tokens_t *self, const char *text);

/* Reports that what was expected in place of the token, unless there was an error
 * before. */
void spot_condition_tokens_expected(spot_condition_tokens_t *self, const char *what);

/* Reports at a place of the expression, unless there was an error before. */
void spot_condition_tokens_error(
    spot_condition_tokens_t *self, const char *place, const char *format, ...) SPOT_PRINTF(3, 4);
