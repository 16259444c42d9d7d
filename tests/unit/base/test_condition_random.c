/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random expressions, with all that may go wrong, against a twin that walks their tree.
 */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/condition_parse.h"
#include "base/rng.h"
#include "tests/unit/base/support.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

enum { NUM_EXPRESSIONS = 20000, MAX_NODES = 400, MAX_CHILDREN = 4, NUM_NAMES = 6 };

/* From loosest to tightest. */
typedef enum { OR, AND, NOT, ROW, SUM, PRODUCT, MINUS, ATOM } level_t;

typedef enum { LEAF_NUMBER, LEAF_TEXT, LEAF_TRUTH, LEAF_NAME, LEAF_CALL } leaf_t;

typedef struct node {
    level_t level;
    leaf_t leaf; /* of an atom */
    size_t num_children;
    struct node *children[MAX_CHILDREN];
    const char *signs[MAX_CHILDREN]; /* before the child, of ROW, SUM and PRODUCT */
    const char *function;            /* of LEAF_CALL */
    spot_condition_value_t value;
    size_t name_id;
} node_t;

typedef struct {
    spot_rng_t rng;
    size_t num_nodes;
    node_t nodes[MAX_NODES];
    spot_condition_value_t values[NUM_NAMES]; /* of the names a ... f */
} world_t;

static size_t choose(world_t *self, size_t num_choices)
{
    return (size_t) spot_rng_below(&self->rng, num_choices);
}

static spot_condition_value_t random_value(world_t *self, spot_condition_type_t type)
{
    static const double numbers[] = {0, 1, 2, 3, 0.5, 7, 64, 1e200};
    static const char *const texts[] = {"", "x", "y"};
    spot_condition_value_t value = {.type = type};

    if (type == SPOT_CONDITION_NUMBER) {
        value.number = numbers[choose(self, COUNT(numbers))];
        value.unit = value.number == 0 ? SPOT_CONDITION_ANY_UNIT : NULL;
    } else if (type == SPOT_CONDITION_TEXT) {
        value.text = texts[choose(self, COUNT(texts))];
    } else {
        value.truth = choose(self, 2) == 1;
    }
    return value;
}

static node_t *new_node(world_t *self, level_t level)
{
    node_t *node = &self->nodes[self->num_nodes++];

    assert_true(self->num_nodes <= MAX_NODES);
    memset(node, 0, sizeof(*node));
    node->level = level;
    return node;
}

static node_t *random_tree(world_t *self, spot_condition_type_t type, int depth);

/* A constant, or a name of any type: not all expressions make sense. */
static node_t *random_leaf(world_t *self, spot_condition_type_t type)
{
    node_t *node = new_node(self, ATOM);

    if (choose(self, 3) > 0) {
        node->leaf = LEAF_NAME;
        node->name_id = choose(self, NUM_NAMES);
        for (int j = 0; j < 8 && self->values[node->name_id].type != type; j++) {
            node->name_id = choose(self, NUM_NAMES);
        }
        return node;
    }
    node->leaf = type == SPOT_CONDITION_NUMBER ? LEAF_NUMBER
                 : type == SPOT_CONDITION_TEXT ? LEAF_TEXT
                                               : LEAF_TRUTH;
    node->value = random_value(self, type);
    return node;
}

static node_t *random_number_tree(world_t *self, int depth)
{
    static const char *const sums[] = {"+", "-"};
    static const char *const products[] = {"*", "/", "%"};
    static const char *const functions[] = {"min", "max", "floor", "ceil", "abs"};
    const level_t levels[] = {SUM, PRODUCT, MINUS, ATOM};
    node_t *node = new_node(self, levels[choose(self, COUNT(levels))]);

    node->leaf = LEAF_CALL;
    node->function = functions[choose(self, COUNT(functions))];
    node->num_children = 1;
    if (node->level != MINUS && (node->level != ATOM || node->function[0] == 'm')) {
        node->num_children = 2 + choose(self, 2);
    }
    for (size_t j = 0; j < node->num_children; j++) {
        node->signs[j] = node->level == SUM ? sums[choose(self, COUNT(sums))]
                                            : products[choose(self, COUNT(products))];
        node->children[j] = random_tree(self, SPOT_CONDITION_NUMBER, depth - 1);
    }
    return node;
}

static node_t *random_truth_tree(world_t *self, int depth)
{
    static const char *const signs[] = {"==", "!=", "<", "<=", ">", ">="};
    const level_t levels[] = {OR, AND, NOT, ROW, ROW, ROW};
    node_t *node = new_node(self, levels[choose(self, COUNT(levels))]);
    spot_condition_type_t type = SPOT_CONDITION_TRUTH;

    node->num_children = node->level == NOT ? 1 : 2 + choose(self, 3);
    if (node->level == ROW) {
        type = choose(self, 4) > 0   ? SPOT_CONDITION_NUMBER
               : choose(self, 2) > 0 ? SPOT_CONDITION_TEXT
                                     : SPOT_CONDITION_TRUTH;
    }
    for (size_t j = 0; j < node->num_children; j++) {
        node->signs[j] = signs[choose(self, type == SPOT_CONDITION_NUMBER ? COUNT(signs) : 2)];
        node->children[j] = random_tree(self, type, depth - 1);
    }
    return node;
}

static node_t *random_tree(world_t *self, spot_condition_type_t type, int depth)
{
    if (depth <= 0 || type == SPOT_CONDITION_TEXT || choose(self, 6) == 0) {
        return random_leaf(self, type);
    }
    return type == SPOT_CONDITION_NUMBER ? random_number_tree(self, depth)
                                         : random_truth_tree(self, depth);
}

static void blank(world_t *self, FILE *out)
{
    fputs(choose(self, 3) == 0 ? "  " : " ", out);
}

static void print(world_t *self, const node_t *node, level_t loosest, FILE *out);

static void print_atom(world_t *self, const node_t *node, FILE *out)
{
    switch (node->leaf) {
        case LEAF_NUMBER:
            fprintf(out, "%.17g", node->value.number);
            break;
        case LEAF_TEXT:
            fprintf(out, choose(self, 2) == 0 ? "'%s'" : "\"%s\"", node->value.text);
            break;
        case LEAF_TRUTH:
            fputs(node->value.truth ? "true" : "false", out);
            break;
        case LEAF_NAME:
            fputc("abcdef"[node->name_id], out);
            break;
        case LEAF_CALL:
            fprintf(out, "%s(", node->function);
            for (size_t j = 0; j < node->num_children; j++) {
                fputs(j == 0 ? "" : ", ", out);
                print(self, node->children[j], OR, out);
            }
            fputc(')', out);
            break;
    }
}

/* With a parenthesis where it is needed, and now and then where it is not. */
static void print(world_t *self, const node_t *node, level_t loosest, FILE *out)
{
    const bool is_enclosed = node->level < loosest || choose(self, 8) == 0;

    fputs(is_enclosed ? "(" : "", out);
    if (node->level == ATOM) {
        print_atom(self, node, out);
    } else if (node->level == NOT || node->level == MINUS) {
        fputs(node->level == NOT ? "not " : "-", out);
        print(self, node->children[0], node->level, out);
    } else {
        for (size_t j = 0; j < node->num_children; j++) {
            if (j > 0) {
                blank(self, out);
                fputs(node->level == OR ? "or" : node->level == AND ? "and" : node->signs[j], out);
                blank(self, out);
            }
            /* Rows go from left to right: the same level again needs a parenthesis. */
            print(self, node->children[j], node->level + 1, out);
        }
    }
    fputs(is_enclosed ? ")" : "", out);
}

static int twin(const world_t *self, const node_t *node, spot_condition_value_t *result);

static int number_outcome(const spot_condition_value_t *value)
{
    return value->type == SPOT_CONDITION_NUMBER && !isfinite(value->number)
               ? SPOT_CONDITION_NOT_FINITE
               : 0;
}

static bool has_unit(const spot_condition_value_t *value, const char *unit)
{
    return value->unit != NULL && strcmp(value->unit, unit) == 0;
}

/* Whether two numbers count the same: of one unit, or one of them 0. */
static bool is_like(const spot_condition_value_t *left, const spot_condition_value_t *right)
{
    if (has_unit(left, SPOT_CONDITION_ANY_UNIT) || has_unit(right, SPOT_CONDITION_ANY_UNIT)) {
        return true;
    }
    return has_unit(left, SPOT_CONDITION_DURATION) == has_unit(right, SPOT_CONDITION_DURATION);
}

/* Of duration and plain numbers: how often the duration is a factor tells. */
static const char *twin_unit(
    char sign, const spot_condition_value_t *left, const spot_condition_value_t *right)
{
    const int power = has_unit(left, SPOT_CONDITION_DURATION) +
                      (sign == '/' ? -1 : 1) * has_unit(right, SPOT_CONDITION_DURATION);

    if (sign != '*' && sign != '/') {
        return has_unit(left, SPOT_CONDITION_ANY_UNIT) ? right->unit : left->unit;
    }
    if (has_unit(left, SPOT_CONDITION_ANY_UNIT) || has_unit(right, SPOT_CONDITION_ANY_UNIT)) {
        return SPOT_CONDITION_ANY_UNIT;
    }
    return power == 1 ? SPOT_CONDITION_DURATION : NULL;
}

/* left sign right of numbers, into *left. */
static int twin_number(
    const char *sign, spot_condition_value_t *left, const spot_condition_value_t *right_value)
{
    const double before = left->number, right = right_value->number;

    if (*sign != '*' && *sign != '/' && !is_like(left, right_value)) {
        return SPOT_CONDITION_UNIT_MISMATCH;
    }
    left->unit = twin_unit(*sign, left, right_value);
    if ((*sign == '/' || *sign == '%') && right == 0) {
        return SPOT_CONDITION_DIVIDED_BY_ZERO;
    }
    left->number = *sign == '+'               ? before + right
                   : *sign == '-'             ? before - right
                   : *sign == '*'             ? before * right
                   : *sign == '/'             ? before / right
                   : *sign == '%'             ? fmod(before, right)
                   : strcmp(sign, "min") == 0 ? fmin(before, right)
                                              : fmax(before, right);
    return number_outcome(left);
}

static int twin_arithmetic(const world_t *self, const node_t *node, spot_condition_value_t *result)
{
    int outcome = twin(self, node->children[0], result);

    if (outcome != 0 || (node->num_children == 1 && result->type != SPOT_CONDITION_NUMBER)) {
        return outcome != 0 ? outcome : SPOT_CONDITION_MISMATCH;
    }
    if (node->num_children == 1) {
        const double number = result->number;

        result->number = node->level == MINUS                   ? -number
                         : strcmp(node->function, "floor") == 0 ? floor(number)
                         : strcmp(node->function, "ceil") == 0  ? ceil(number)
                                                                : fabs(number);
    }
    for (size_t j = 1; outcome == 0 && j < node->num_children; j++) {
        spot_condition_value_t right;

        outcome = twin(self, node->children[j], &right);
        if (outcome == 0 &&
            (result->type != SPOT_CONDITION_NUMBER || right.type != SPOT_CONDITION_NUMBER)) {
            outcome = SPOT_CONDITION_MISMATCH;
        }
        if (outcome == 0) {
            outcome =
                twin_number(node->level == ATOM ? node->function : node->signs[j], result, &right);
        }
    }
    return outcome;
}

/* -1, 0 or 1 of two values of a type, or 2: they cannot be compared so. */
static int twin_order(const spot_condition_value_t *left, const spot_condition_value_t *right)
{
    if (left->type != right->type) {
        return 2;
    }
    if (left->type == SPOT_CONDITION_TEXT) {
        return strcmp(left->text, right->text) == 0 ? 0 : 1;
    }
    if (left->type == SPOT_CONDITION_TRUTH) {
        return left->truth == right->truth ? 0 : 1;
    }
    return (left->number > right->number) - (left->number < right->number);
}

static int twin_row(const world_t *self, const node_t *node, spot_condition_value_t *result)
{
    spot_condition_value_t left, right;
    bool holds = true;
    int outcome = twin(self, node->children[0], &left);

    for (size_t j = 1; outcome == 0 && holds && j < node->num_children; j++) {
        const char *sign = node->signs[j];

        outcome = twin(self, node->children[j], &right);
        if (outcome == 0) {
            const bool is_equality = strcmp(sign, "==") == 0 || strcmp(sign, "!=") == 0;
            const int order = twin_order(&left, &right);

            if (order == 2 || (!is_equality && left.type != SPOT_CONDITION_NUMBER)) {
                return SPOT_CONDITION_MISMATCH;
            }
            if (left.type == SPOT_CONDITION_NUMBER && !is_like(&left, &right)) {
                return SPOT_CONDITION_UNIT_MISMATCH;
            }
            holds = (order == 0 && sign[1] == '=' && *sign != '!') ||
                    (order != 0 && *sign == '!') || (order < 0 && *sign == '<') ||
                    (order > 0 && *sign == '>');
            left = right;
        }
    }
    result->type = SPOT_CONDITION_TRUTH;
    result->truth = holds;
    return outcome;
}

static int twin_logic(const world_t *self, const node_t *node, spot_condition_value_t *result)
{
    for (size_t j = 0; j < node->num_children; j++) {
        const int outcome = twin(self, node->children[j], result);

        if (outcome != 0) {
            return outcome;
        }
        if (result->type != SPOT_CONDITION_TRUTH) {
            return SPOT_CONDITION_MISMATCH;
        }
        if (node->level != NOT && result->truth == (node->level == OR)) {
            return 0;
        }
    }
    result->truth = node->level == NOT ? !result->truth : result->truth;
    return 0;
}

static int twin(const world_t *self, const node_t *node, spot_condition_value_t *result)
{
    if (node->level == ATOM && node->leaf != LEAF_CALL) {
        *result = node->leaf == LEAF_NAME ? self->values[node->name_id] : node->value;
        return number_outcome(result);
    }
    if (node->level == ROW) {
        return twin_row(self, node, result);
    }
    return node->level < ROW ? twin_logic(self, node, result) : twin_arithmetic(self, node, result);
}

/* The outcome of the real one; 0 with *holds set. */
static int evaluate(const world_t *self, const char *text, bool *holds)
{
    const spot_node_t place = {.file = "f.yaml", .line = 1, .column = 1};
    spot_condition_value_t values[NUM_NAMES];
    spot_yaml_t document = {0};
    spot_condition_t condition;
    spot_diag_t diag;
    size_t offset = 0;
    int ret;

    spot_diag_init(&diag);
    ret = spot_condition_parse(
        &condition, spot_yaml_new_scalar(&document, text, &place), "where", &diag);
    if (ret == 0) {
        for (size_t j = 0; j < condition.num_names; j++) {
            values[j] = self->values[condition.names[j].text[0] - 'a'];
        }
        ret = spot_condition_evaluate(&condition, values, holds, &offset);
        assert_true(offset < strlen(text));
    }
    spot_condition_free(&condition);
    spot_yaml_free(&document);
    spot_diag_free(&diag);
    return ret;
}

/* Constants of the wrong type or unit cannot come up: only names have any. */
static void test_random_expressions_agree_with_their_twin(void **state)
{
    static const spot_condition_type_t types[] = {
        SPOT_CONDITION_NUMBER, SPOT_CONDITION_TEXT, SPOT_CONDITION_TRUTH};
    static world_t world;
    size_t num_outcomes[5] = {0}, num_true = 0, num_false = 0;

    (void) state;
    for (uint64_t j = 0; j < NUM_EXPRESSIONS; j++) {
        spot_condition_value_t expected;
        size_t num_bytes = 0;
        char *text = NULL;
        FILE *out = open_memstream(&text, &num_bytes);
        bool holds = false;
        int outcome, ret;

        assert_non_null(out);
        spot_rng_seek(&world.rng, 20240501, j, SPOT_STREAM_TYPE, 0);
        world.num_nodes = 0;
        for (size_t k = 0; k < NUM_NAMES; k++) {
            world.values[k] = random_value(&world, types[k < 3 ? k : choose(&world, COUNT(types))]);
            if (world.values[k].type == SPOT_CONDITION_NUMBER && choose(&world, 6) == 0) {
                world.values[k].unit = SPOT_CONDITION_DURATION;
            }
        }
        print(&world, random_tree(&world, SPOT_CONDITION_TRUTH, 4), OR, out);
        assert_int_equal(fclose(out), 0);
        outcome = twin(&world, &world.nodes[0], &expected);
        if (outcome == 0 && expected.type != SPOT_CONDITION_TRUTH) {
            outcome = SPOT_CONDITION_MISMATCH;
        }
        ret = evaluate(&world, text, &holds);
        if (ret != outcome || (ret == 0 && holds != expected.truth)) {
            fail_msg("%s: %d %d, twin %d", text, ret, holds, outcome);
        }
        num_outcomes[outcome]++;
        num_true += outcome == 0 && holds;
        num_false += outcome == 0 && !holds;
        free(text);
    }
    /* All that can happen did, often. */
    assert_true(num_true > NUM_EXPRESSIONS / 10 && num_false > NUM_EXPRESSIONS / 10);
    for (size_t j = 1; j < COUNT(num_outcomes); j++) {
        assert_true(num_outcomes[j] > NUM_EXPRESSIONS / 200);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_expressions_agree_with_their_twin),
    };

    return cmocka_run_group_tests_name("condition_random", tests, NULL, NULL);
}
