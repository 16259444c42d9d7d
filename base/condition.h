/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conditions as people write them in YAML: "8 <= depth <= capacity and mode == 'async'".
 * Parsed once, its names resolved once, then evaluated any number of times.
 *
 * From loosest to tightest; equal ones from left to right:
 *
 *     or                        at least one of two conditions
 *     and                       both; what stands behind is not looked at where what
 *                               stands before decides (the same for or)
 *     not                       the opposite
 *     <= < >= > == !=           two numbers; == and != also two texts or two truths. In
 * a row each neighbouring pair holds: a < b < c is a < b and b < c
 *     + -                       numbers
 *     * / %                     numbers; a % b has the sign of a, as fmod() in C
 *     -                         before a number
 *     min(a, b, ...) max(a, b, ...) floor(a) ceil(a) abs(a) (a)
 *
 * A number is 12, 0.5 or 1e-3; with a unit (ms, s, min, h, d) it is a duration, in s;
 * with USD/h, USD/d, USD/min or USD/s a price, in USD/h; with the unit of a name an
 * amount in that, as a plain number is. Durations and prices are compared with, added to
 * and subtracted from their like only, in min(), max() and %, too, and 0 is of any unit.
 * A duration by a duration is a plain number, times or by a plain number a duration,
 * prices alike; any other product or quotient is a plain number. A text is 'x' or "x". A
 * truth is true or false. All else is a name: words of letters, digits and "_" with dots
 * between. In bytes and depth limited, so that no input is expensive. Numbers are
 * doubles and compare exactly. What cannot be told - a division by zero, a number that
 * is not finite, types or units that do not fit - is an error, never false. */
#ifndef SPOT_BASE_CONDITION_H
#define SPOT_BASE_CONDITION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "base/error.h"
#include "base/yaml.h"

#define SPOT_CONDITION_MAX_BYTES 4096
#define SPOT_CONDITION_MAX_DEPTH 64 /* of parentheses, calls, "not" and "-" together */

typedef enum {
    SPOT_CONDITION_ANY, /* of a name: not known before it has a value */
    SPOT_CONDITION_NUMBER,
    SPOT_CONDITION_TEXT,
    SPOT_CONDITION_TRUTH
} spot_condition_type_t;

/* Units of numbers: those with a meaning of their own, and what fits each. A plain
 * number has NULL; any other text is the unit of an amount. */
#define SPOT_CONDITION_DURATION "s"
#define SPOT_CONDITION_PRICE "USD/h"
#define SPOT_CONDITION_ANY_UNIT "any" /* of 0, or of a name: not known */

/* What is known of a value before it is there. */
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

/* Outcomes of an evaluation that cannot tell. */
enum {
    SPOT_CONDITION_DIVIDED_BY_ZERO = 1,
    SPOT_CONDITION_NOT_FINITE = 2,
    SPOT_CONDITION_MISMATCH = 3, /* a value's type does not fit */
    SPOT_CONDITION_UNIT_MISMATCH = 4
};

typedef struct {
    const char *text;
    size_t offset; /* of its first use, in bytes of the expression */
} spot_condition_name_t;

typedef struct spot_condition_op spot_condition_op_t;

/* Constant once it is parsed: any number of threads may evaluate it. */
typedef struct {
    const spot_node_t *node; /* must outlive self */
    const char *key;         /* how messages name it */
    size_t num_names;
    size_t max_names;
    spot_condition_name_t *names; /* [num_names] distinct, in order of first use */
    size_t num_ops;
    size_t max_ops;
    spot_condition_op_t *ops; /* [num_ops] in the order of evaluation */
    char *words;              /* key, names and texts */
    size_t num_word_bytes;
} spot_condition_t;

/* Reads the expression of a scalar. key (copied) stands in messages, e.g. "where".
 * BAD_INPUT with the reason in diag at its place in the file (or, where the YAML folds
 * or escapes the text, at the scalar with the number of the character), NO_MEMORY; free
 * self even then. O(bytes), and names^2 to find those that repeat. */
SPOT_MUST_CHECK int spot_condition_parse(
    spot_condition_t *self, const spot_node_t *node, const char *key, spot_diag_t *diag);

void spot_condition_free(spot_condition_t *self);

/* Resolves every name by spot_name_match(): candidate_ids is [num_names]. BAD_INPUT with
 * all names in diag that mean no candidate or several; what says what a candidate is,
 * e.g. "metric"; otherwise ends what is said of a name that is like none. */
SPOT_MUST_CHECK int spot_condition_resolve(const spot_condition_t *self,
    const char *what, const char *otherwise, const char *const *candidates,
    size_t num_candidates, size_t *candidate_ids, spot_diag_t *diag);

/* Checks that all types and units fit, given those of the names ([num_names], ANY and
 * ANY_UNIT where not known), and that other units than those of time and price are those
 * of names. BAD_INPUT with the places in diag. */
SPOT_MUST_CHECK int spot_condition_check(
    const spot_condition_t *self, const spot_condition_kind_t *kinds, spot_diag_t *diag);

/* Whether the condition holds for values ([num_names]). Returns 0 with *holds set, or an
 * outcome with *offset, the byte of the expression where it arose. A name's number that
 * is not finite is an outcome where it is used. O(bytes of the expression), no
 * allocation. */
SPOT_MUST_CHECK int spot_condition_evaluate(const spot_condition_t *self,
    const spot_condition_value_t *values, bool *holds, size_t *offset);

/* An outcome in words, e.g. "division by zero". */
const char *spot_condition_outcome_text(int outcome);

/* Reports "file:line:column: key: message" at a byte of the expression. */
void spot_condition_error(const spot_condition_t *self, size_t offset, spot_diag_t *diag,
    const char *format, ...) SPOT_PRINTF(4, 5);

/* The value of a scalar as a condition sees it: plain numbers (0 has ANY_UNIT),
 * durations and prices (quoted or not), true and false, else text (borrowed). false: it
 * is no scalar. */
bool spot_condition_value_of(const spot_node_t *node, spot_condition_value_t *value);

/* A condition of the form "name <= number": a limit with a distance to it. */
typedef struct {
    double number; /* as it is written */
    double
        limit; /* the last double that is allowed: for < and > the one next to number */
    bool is_upper; /* else values must be >= limit */
} spot_condition_bound_t;

/* self, checked, as a bound on its only name: one <=, <, >= or > with the name on one
 * side and an expression without names on the other. BAD_INPUT with the reason in diag.
 */
SPOT_MUST_CHECK int spot_condition_bound(
    const spot_condition_t *self, spot_condition_bound_t *bound, spot_diag_t *diag);

/* How far value is inside the bound: >= 0 if and only if it is allowed, NAN for NAN. */
double spot_condition_margin(const spot_condition_bound_t *bound, double value);

#endif
