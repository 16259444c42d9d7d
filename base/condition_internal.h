/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What reading, checking and evaluating a condition share: its operations, in postfix
 * order, and its tokens. */
#ifndef SPOT_BASE_CONDITION_INTERNAL_H
#define SPOT_BASE_CONDITION_INTERNAL_H

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

/* An operation on the top of a stack of values. Comparisons in a row and the left sides
 * of "and" and "or" jump to target_id where they decide, and leave the truth there; if
 * they do not, a comparison leaves its right operand and the others leave nothing. The
 * right sides of "and" and "or" only must be truths. */
struct spot_condition_op {
    spot_condition_code_t code;
    size_t offset;    /* in bytes of the expression */
    size_t target_id; /* an op, or num_ops; 0: no jump */
    size_t right_id;  /* of a comparison: the first op of its right operand */
    size_t name_id;
    spot_condition_value_t constant;
    size_t num_bytes; /* of a constant, in the expression */
};

/* The unit of what a binary operation on numbers yields (of a comparison: whatever); for
 * others left and right are the same. false: the units do not fit. */
bool spot_condition_combine_units(
    spot_condition_code_t code, const char *left, const char *right, const char **unit);

/* Whether a unit is no duration, price or plain number, but one of some name. */
bool spot_condition_is_amount(const char *unit);

/* A number of a unit in words, e.g. "a duration". */
#define SPOT_CONDITION_UNIT_WORDS_BYTES 64
const char *spot_condition_unit_words(
    const char *unit, char words[SPOT_CONDITION_UNIT_WORDS_BYTES]);

/* Values that wait at one level of depth: the left sides of a comparison, a sum and a
 * product, and what a min() or max() has so far. */
#define SPOT_CONDITION_MAX_STACK (4 * (SPOT_CONDITION_MAX_DEPTH + 1) + 1)

typedef enum {
    SPOT_TOKEN_END,
    SPOT_TOKEN_NUMBER,
    SPOT_TOKEN_TEXT,
    SPOT_TOKEN_WORD,
    SPOT_TOKEN_SYMBOL
} spot_condition_token_kind_t;

typedef struct {
    const spot_condition_t *condition; /* for the places of errors */
    spot_diag_t *diag;
    spot_condition_token_kind_t kind;
    const char *start; /* of the token, in the expression */
    const char *end;   /* behind it */
    double number;
    const char *unit; /* of a number that is plain, a duration or a price */
    const char
        *word_unit; /* of another one: where its unit starts, up to end; or NULL */
    int ret;        /* the first error; only SPOT_TOKEN_END comes then */
} spot_condition_tokens_t;

/* Before the first token. */
void spot_condition_tokens_init(
    spot_condition_tokens_t *self, const spot_condition_t *condition, spot_diag_t *diag);

/* Goes to the next token. What is no token is reported. */
void spot_condition_tokens_next(spot_condition_tokens_t *self);

/* Whether the token is this word or symbol. */
bool spot_condition_token_is(const spot_condition_tokens_t *self, const char *text);

/* Reports that something else was expected at the token, unless there was an error. */
void spot_condition_tokens_expected(spot_condition_tokens_t *self, const char *what);

/* Reports at a place of the expression, unless there was an error before. */
void spot_condition_tokens_error(spot_condition_tokens_t *self, const char *place,
    const char *format, ...) SPOT_PRINTF(3, 4);

#endif
