/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conditions as people write them in YAML: "8 <= depth <= capacity and mode == 'async'".
 * base/condition_parse.h makes one from its text; then its names are resolved once, and it
 * is checked and evaluated any number of times. This module knows its operations and what
 * types, units and values they take.
 *
 * Operators from loosest to tightest, those of one line from left to right:
 *
 *     or                        at least one of two conditions
 *     and                       both; the right side of "and" and "or" is evaluated only
 *                               if the left side does not decide
 *     not                       the opposite
 *     <= < >= > == !=           two numbers; == and != also two texts or two truths;
 *                               a < b < c is a < b and b < c
 *     + -                       numbers
 *     * / %                     numbers; a % b has the sign of a, as fmod() in C
 *     -                         before a number
 *     min(a, b, ...) max(a, b, ...) floor(a) ceil(a) abs(a) (a)
 *
 * Operands:
 *
 *     number                    12, 0.5 or 1e-3
 *     duration                  a number with ms, s, min, h or d; in s
 *     price                     a number with USD/h, USD/d, USD/min or USD/s; in USD/h
 *     amount                    a number with the unit of a name; fits amounts of that
 *                               unit and plain numbers
 *     text                      'x' or "x"
 *     truth                     true or false
 *     name                      all else: words of letters, digits and "_" with dots
 *                               between them, an estimate of a metric such as
 *                               p95(cost_usd), mean(M) or probability(C), or anything in
 *                               backquotes: `busy_fraction.server-3`
 *
 * Comparisons, + - % min() and max() need durations with durations and prices with
 * prices; 0 fits any unit. A duration divided by a duration is a plain number. A
 * duration times or divided by a plain number is a duration. The same holds for prices
 * and amounts. Any other product or quotient is a plain number.
 *
 * Bytes and depth are limited, so no input is expensive. Numbers are doubles and compare
 * exactly. A division by zero, a number that is not finite, and types or units that do
 * not fit are errors, never false. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "base/error.h"
#include "base/yaml.h"

#define SPOT_CONDITION_MAX_DEPTH 64 /* of parentheses, calls, "not" and "-" together */

typedef enum {
    SPOT_CONDITION_ANY, /* of a name: unknown before it has a value */
    SPOT_CONDITION_NUMBER,
    SPOT_CONDITION_TEXT,
    SPOT_CONDITION_TRUTH
} spot_condition_type_t;

/* The special units of numbers. A plain number has NULL; any other text is the unit of
 * an amount. */
#define SPOT_CONDITION_DURATION "s"
#define SPOT_CONDITION_PRICE "USD/h"
#define SPOT_CONDITION_ANY_UNIT "any" /* of 0, or of a name whose unit is unknown */

/* Type and unit of a value before it is evaluated. */
typedef struct {
    spot_condition_type_t type;
    const char *unit; /* of a number; borrowed */
} spot_condition_kind_t;

typedef struct {
    spot_condition_type_t type; /* not ANY */
    const char *unit;           /* of a number; borrowed */
    union {
        double number; /* durations in s, prices in USD/h */
        const char *text;
        bool truth;
    };
} spot_condition_value_t;

/* Outcomes of an evaluation that gives neither true nor false. */
enum {
    SPOT_CONDITION_DIVIDED_BY_ZERO = 1,
    SPOT_CONDITION_NOT_FINITE = 2,
    SPOT_CONDITION_MISMATCH = 3, /* the type of a value does not fit */
    SPOT_CONDITION_UNIT_MISMATCH = 4
};

typedef struct {
    const char *text;
    size_t offset; /* of its first use, in bytes of the expression */
} spot_condition_name_t;

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
typedef struct {
    spot_condition_code_t code;
    size_t offset;    /* in bytes of the expression */
    size_t target_id; /* an op, or num_ops; 0: no jump */
    size_t right_id;  /* of a comparison: the first op of its right operand */
    size_t name_id;
    spot_condition_value_t constant;
    size_t num_bytes; /* of a constant, in the expression */
} spot_condition_op_t;

/* Constant after parsing: any number of threads may evaluate it. */
typedef struct {
    const spot_node_t *node; /* must outlive self */
    const char *key;         /* the name in messages */
    size_t num_names;
    size_t max_names;
    spot_condition_name_t *names; /* [num_names] distinct, in order of first use */
    size_t num_ops;
    size_t max_ops;
    spot_condition_op_t *ops; /* [num_ops] in the order of evaluation */
    char *words;              /* key, names and texts */
    size_t num_word_bytes;
} spot_condition_t;

void spot_condition_free(spot_condition_t *self);

/* Resolves every name by spot_name_match(): candidate_ids is [num_names]. BAD_INPUT with
 * all names in diag that match no candidate or several. what is the noun for a candidate
 * in messages, e.g. "metric"; otherwise ends the message about a name that is similar to
 * no candidate. */
SPOT_MUST_CHECK int spot_condition_resolve(const spot_condition_t *self, const char *what,
    const char *otherwise, const char *const *candidates, size_t num_candidates,
    size_t *candidate_ids, spot_diag_t *diag);

/* Checks that all types and units fit, given those of the names (kinds[num_names], ANY
 * and ANY_UNIT if unknown; NULL: all unknown), and that each unit of an amount is the
 * unit of a name. BAD_INPUT with the places in diag. */
SPOT_MUST_CHECK int spot_condition_check(
    const spot_condition_t *self, const spot_condition_kind_t *kinds, spot_diag_t *diag);

/* Evaluates the condition for values[num_names]. Returns 0 with *holds set, or an
 * outcome with *offset, the byte of the expression that caused it. The number of a name
 * may be infinite or NAN: that is an outcome only if the name is evaluated. O(bytes of
 * the expression), no allocation. */
SPOT_MUST_CHECK int spot_condition_evaluate(const spot_condition_t *self,
    const spot_condition_value_t *values, bool *holds, size_t *offset);

/* An outcome in words, e.g. "division by zero". */
const char *spot_condition_outcome_text(int outcome);

/* Reports "file:line:column: key: message" at a byte of the expression. */
void spot_condition_error(const spot_condition_t *self, size_t offset, spot_diag_t *diag,
    const char *format, ...) SPOT_PRINTF(4, 5);

/* Reads a scalar as a value of conditions: a plain number (0 has ANY_UNIT), a duration
 * or price (quoted or not), true or false, else a text (borrowed). Returns false if the
 * node is no scalar. */
bool spot_condition_value_of(const spot_node_t *node, spot_condition_value_t *value);

/* A condition of the form "name <= number": a limit with a distance to it. */
typedef struct {
    double number; /* as written */
    double limit;  /* the last allowed double: for < and > the neighbour of number */
    bool is_upper; /* else values must be >= limit */
} spot_condition_bound_t;

/* Sets *bound to the bound of self (checked) on its only name: one <=, <, >= or >
 * between the name and an expression without names. BAD_INPUT with the reason in
 * diag. */
SPOT_MUST_CHECK int spot_condition_bound(
    const spot_condition_t *self, spot_condition_bound_t *bound, spot_diag_t *diag);
