/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/condition_parse.h"
#include "tests/unit/base/support.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* The names of the tests and their values. */
static const char *const names[] = {"job.depth", "fleet.capacity", "mode", "is_on", "zero", "share",
    "broken", "endless", "reload", "rate", "cost", "any"};
static const spot_condition_value_t name_values[] = {
    {.type = SPOT_CONDITION_NUMBER, .number = 8},
    {.type = SPOT_CONDITION_NUMBER, .number = 64},
    {.type = SPOT_CONDITION_TEXT, .text = "async"},
    {.type = SPOT_CONDITION_TRUTH, .truth = true},
    {.type = SPOT_CONDITION_NUMBER, .number = 0},
    {.type = SPOT_CONDITION_NUMBER, .number = 0.91},
    {.type = SPOT_CONDITION_NUMBER, .number = (double) NAN},
    {.type = SPOT_CONDITION_NUMBER, .number = (double) INFINITY},
    {.type = SPOT_CONDITION_NUMBER, .unit = SPOT_CONDITION_DURATION, .number = 90},
    {.type = SPOT_CONDITION_NUMBER, .unit = SPOT_CONDITION_PRICE, .number = 0.91},
    {.type = SPOT_CONDITION_NUMBER, .unit = "USD", .number = 200},
    {.type = SPOT_CONDITION_NUMBER, .unit = SPOT_CONDITION_ANY_UNIT, .number = 0},
};

typedef struct {
    spot_yaml_t document;
    spot_diag_t diag;
    spot_condition_t condition;
    spot_condition_value_t values[COUNT(names)];
    spot_condition_kind_t kinds[COUNT(names)];
    int ret;
} fixture_t;

/* Parses the condition of a node, and resolves its names. */
static void parse(fixture_t *self, const spot_node_t *node)
{
    size_t ids[COUNT(names)];

    self->ret = spot_condition_parse(&self->condition, node, "where", &self->diag);
    if (self->ret == 0) {
        assert_true(self->condition.num_names <= COUNT(ids));
        self->ret = spot_condition_resolve(
            &self->condition, "key", "", names, COUNT(names), ids, &self->diag);
    }
    for (size_t j = 0; self->ret == 0 && j < self->condition.num_names; j++) {
        self->values[j] = name_values[ids[j]];
        self->kinds[j] =
            (spot_condition_kind_t){name_values[ids[j]].type, name_values[ids[j]].unit};
    }
}

/* The condition of the key "where" of a YAML text. */
static void setup_yaml(fixture_t *self, const char *yaml)
{
    memset(self, 0, sizeof(*self));
    spot_diag_init(&self->diag);
    assert_int_equal(
        spot_yaml_parse(&self->document, "f.yaml", yaml, strlen(yaml), &self->diag), 0);
    parse(self, spot_node_get(self->document.root, "where"));
}

/* The same of an expression that stands alone, so that its columns start at 1. */
static void setup(fixture_t *self, const char *expression)
{
    const spot_node_t place = {.file = "f.yaml", .line = 1, .column = 1};
    spot_node_t *node;

    memset(self, 0, sizeof(*self));
    spot_diag_init(&self->diag);
    node = spot_yaml_new_scalar(&self->document, expression, &place);
    assert_non_null(node);
    node->is_verbatim = true;
    parse(self, node);
}

static void teardown(fixture_t *self)
{
    spot_condition_free(&self->condition);
    spot_yaml_free(&self->document);
    spot_diag_free(&self->diag);
}

static void assert_holds(const char *expression, bool expected)
{
    fixture_t f;
    bool holds = !expected;
    size_t offset;

    setup(&f, expression);
    assert_report(&f.diag, "");
    assert_int_equal(f.ret, 0);
    assert_int_equal(spot_condition_check(&f.condition, f.kinds, &f.diag), 0);
    assert_int_equal(spot_condition_evaluate(&f.condition, f.values, &holds, &offset), 0);
    if (holds != expected) {
        fail_msg("%s: %d", expression, holds);
    }
    teardown(&f);
}

static void assert_true_expressions(const char *const *expressions)
{
    for (size_t j = 0; expressions[j] != NULL; j++) {
        assert_holds(expressions[j], true);
    }
}

static void assert_false_expressions(const char *const *expressions)
{
    for (size_t j = 0; expressions[j] != NULL; j++) {
        assert_holds(expressions[j], false);
    }
}

/* Reading or checking the types must fail, with this report. */
static void assert_bad(const char *expression, const char *expected)
{
    fixture_t f;

    setup(&f, expression);
    if (f.ret == 0) {
        f.ret = spot_condition_check(&f.condition, f.kinds, &f.diag);
    }
    assert_report(&f.diag, expected);
    assert_int_equal(f.ret, SPOT_ERR_BAD_INPUT);
    teardown(&f);
}

static void assert_bad_yaml(const char *yaml, const char *expected)
{
    fixture_t f;

    setup_yaml(&f, yaml);
    assert_int_equal(f.ret, SPOT_ERR_BAD_INPUT);
    assert_report(&f.diag, expected);
    teardown(&f);
}

/* The evaluation must not tell: *holds stays as it was. */
static void assert_outcome(const char *expression, int expected, size_t expected_offset)
{
    fixture_t f;
    size_t offset = 99;
    bool holds;

    for (int k = 0; k < 2; k++) {
        holds = k == 1;
        setup(&f, expression);
        assert_report(&f.diag, "");
        assert_int_equal(
            spot_condition_evaluate(&f.condition, f.values, &holds, &offset), expected);
        assert_int_equal(offset, expected_offset);
        assert_int_equal(holds, k == 1);
        teardown(&f);
    }
}

static void test_comparisons(void **state)
{
    static const char *const good[] = {"depth <= capacity", "depth < capacity", "8 <= depth",
        "8 >= depth", "capacity > depth", "depth == 8", "depth != 9", "mode == 'async'",
        "mode == \"async\"", "mode != 'sync'", "mode != ''", "'a b' == 'a b'", "is_on == true",
        "is_on", "true", "not false", "(depth < 9) == is_on", "share <= 0.91",
        "depth\t<=\ncapacity", "0==-0", ".5 < share", "share>.5", "depth / -.5 == -16", NULL};
    static const char *const bad[] = {"depth >= capacity", "depth > capacity", "8 < depth",
        "8 > depth", "depth == 9", "depth != 8", "mode == 'Async'", "mode == 'async '",
        "mode != 'async'", "is_on != true", "not is_on", "false", NULL};

    (void) state;
    assert_true_expressions(good);
    assert_false_expressions(bad);
}

static void test_in_a_row_each_pair_holds(void **state)
{
    static const char *const good[] = {"8 <= depth <= capacity", "1 < 2 < 3 < 4", "4 > 3 >= 3 > 1",
        "1 < 2 > 1", "1 == 1 == 1", "1 != 2 != 1", "3 == 3 > 2", "1 + 1 <= 2 <= 1 * 2",
        "not 1 < 2 < 2", "1 < 2 < 3 and 3 > 2 > 1", NULL};
    static const char *const bad[] = {"9 <= depth <= capacity", "8 <= depth <= 7", "1 < 2 < 2 < 4",
        "1 < 1 < 2 < 4", "1 < 2 < 3 < 3", "2 == 2 == 1", "(3 < 2 < 1) == true", NULL};

    (void) state;
    assert_true_expressions(good);
    assert_false_expressions(bad);
}

static void test_precedence(void **state)
{
    static const char *const good[] = {"1 + 2 * 3 == 7", "(1 + 2) * 3 == 9", "10 - 4 - 3 == 3",
        "10 - (4 - 3) == 9", "64 / 8 / 4 == 2", "64 / (8 / 4) == 32", "7 % 4 * 2 == 6",
        "2 * 7 % 4 == 2", "-2 * 3 == -6", "2 - -3 == 5", "--3 == 3", "-(1 + 2) == -3",
        "-7 % 3 == -1", "7 % -3 == 1", "5.5 % 2 == 1.5", "true or false and false",
        "not false and true", "not (false and true)", "not depth == 9", "not not is_on",
        "false and false or true", "true or true and false", "1 < 2 and 2 < 3 or 1 > 2",
        "1 + 1 < 2 + 1", "false or false or true", "true and true and is_on", NULL};
    static const char *const bad[] = {"(true or false) and false", "not (false or true)",
        "not true or false", "true and true and false", "false or false", NULL};

    (void) state;
    assert_true_expressions(good);
    assert_false_expressions(bad);
}

static void test_functions(void **state)
{
    static const char *const good[] = {"min(3, 1, 2) == 1", "max(3, 1, 2) == 3",
        "min(depth, capacity) == 8", "floor(2.7) == 2", "floor(-2.2) == -3", "ceil(2.2) == 3",
        "ceil(-2.7) == -2", "abs(-5) == 5", "abs ( 5 ) == 5", "max(min(1, 2), min(3, 4)) == 3",
        "min(1 + 1, 1) + 1 == 2", "capacity / floor(capacity / depth) == depth", "min(-1, 1) == -1",
        NULL};

    (void) state;
    assert_true_expressions(good);
}

/* Functions are known by their parenthesis only. */
static void test_words_of_functions_and_units_are_names(void **state)
{
    static const char *const words[] = {
        "min", "max", "floor", "abs", "s", "h", "andy", "nothing", "trues", "a.b_c.2d"};

    (void) state;
    for (size_t j = 0; j < COUNT(words); j++) {
        const spot_node_t place = {.file = "f.yaml", .line = 1, .column = 1};
        spot_yaml_t document = {0};
        spot_condition_t condition;
        spot_diag_t diag;
        char text[64];

        snprintf(text, sizeof(text), "%s <= %s + 1", words[j], words[j]);
        spot_diag_init(&diag);
        assert_int_equal(spot_condition_parse(
                             &condition, spot_yaml_new_scalar(&document, text, &place), "k", &diag),
            0);
        assert_int_equal(condition.num_names, 1);
        assert_string_equal(condition.names[0].text, words[j]);
        assert_int_equal(condition.names[0].offset, 0);
        spot_condition_free(&condition);
        spot_yaml_free(&document);
        spot_diag_free(&diag);
    }
}

static void test_numbers_and_units(void **state)
{
    static const char *const good[] = {"300 s == 5 min", "5min == 300 s", "1.5 h == 5400 s",
        "250 ms / 1 s == 0.25", "2 d == 172800 s", "-5 min == -300 s", "1 min + 1 s == 61 s",
        "2 * 1 h == 120 min", "1e3 == 1000", "1E-3 == 0.001", "15 s == 1.5e+1 s", "010 == 10",
        "5 == 5and true", "5 == 5 or false", "0.91 USD/h == rate", "true or 5 s/zero > 0",
        "abs(21.84 USD/d - rate) < 1e-15 USD/h", "abs(0.015 USD/min - 0.9 USD/h) < 1e-15 USD/h",
        "6 USD/h / 2 == 3 USD/h", "1 min >= 60 s >= 1 s", NULL};

    (void) state;
    assert_true_expressions(good);
}

/* Numbers that count the same, 0, and all that products make of them. */
static void test_units_that_fit(void **state)
{
    static const char *const good[] = {"reload < 100 s", "1 min < reload <= 90 s", "reload > 0",
        "0 < reload", "reload > any", "rate > any", "rate >= 0", "reload / 1 min == 1.5",
        "reload * depth == 12 min", "2 * reload == 3 min", "reload / 3 == 30 s",
        "rate * reload > 1", "1 / reload < 1", "reload % 60 s == 30 s",
        "max(reload, 2 min) == 120 s", "-reload == -90 s", "abs(reload - 100 s) == 10 s",
        "floor(reload) == 90 s", "reload - 0 == 90 s", "0 + reload == 90 s", "cost <= 200 USD",
        "cost <= 200", "cost + 1 == 201 USD", "cost / 2 USD == 100",
        "cost / 100 USD < 3 and depth < 9", "reload / 2 s * 1 s == 45 s", NULL};

    (void) state;
    assert_true_expressions(good);
}

/* What decides alone hides what stands behind, nothing else does. */
static void test_what_is_not_looked_at_cannot_fail(void **state)
{
    static const char *const good[] = {"zero == 0 or 1 / zero > 1",
        "not (zero != 0 and 1 / zero > 1)", "not 2 < 1 < 1 / zero",
        "true or true and 1 / zero == 1", "zero == 0 or broken > 1", NULL};

    (void) state;
    assert_true_expressions(good);
    assert_outcome("zero == 0 and 1 / zero > 1", SPOT_CONDITION_DIVIDED_BY_ZERO, 16);
    assert_outcome("1 / zero > 1 or true", SPOT_CONDITION_DIVIDED_BY_ZERO, 2);
    assert_outcome("1 < 2 < 1 / zero", SPOT_CONDITION_DIVIDED_BY_ZERO, 10);
}

static void test_outcomes(void **state)
{
    (void) state;
    assert_outcome("depth % zero == 0", SPOT_CONDITION_DIVIDED_BY_ZERO, 6);
    assert_outcome("0 / zero == 0", SPOT_CONDITION_DIVIDED_BY_ZERO, 2);
    assert_outcome("1 / -zero < 0", SPOT_CONDITION_DIVIDED_BY_ZERO, 2);
    assert_outcome("1e308 * 10 > 0", SPOT_CONDITION_NOT_FINITE, 6);
    assert_outcome("1e308 / 1e-10 > 0", SPOT_CONDITION_NOT_FINITE, 6);
    assert_outcome("1 < broken", SPOT_CONDITION_NOT_FINITE, 4);
    assert_outcome("endless > 1", SPOT_CONDITION_NOT_FINITE, 0);
    assert_outcome("not (1 > broken)", SPOT_CONDITION_NOT_FINITE, 9);
    /* Without spot_condition_check(): types that only the values show. */
    assert_outcome("mode < 3", SPOT_CONDITION_MISMATCH, 5);
    assert_outcome("3 + mode == 3", SPOT_CONDITION_MISMATCH, 2);
    assert_outcome("mode == depth", SPOT_CONDITION_MISMATCH, 5);
    assert_outcome("mode != is_on", SPOT_CONDITION_MISMATCH, 5);
    assert_outcome("not mode", SPOT_CONDITION_MISMATCH, 0);
    assert_outcome("depth", SPOT_CONDITION_MISMATCH, 0);
    assert_outcome("true and depth", SPOT_CONDITION_MISMATCH, 5);
    assert_outcome("depth or true", SPOT_CONDITION_MISMATCH, 6);
    assert_string_equal(
        spot_condition_outcome_text(SPOT_CONDITION_DIVIDED_BY_ZERO), "division by zero");
    assert_string_equal(
        spot_condition_outcome_text(SPOT_CONDITION_NOT_FINITE), "not a finite number");
    assert_string_equal(spot_condition_outcome_text(SPOT_CONDITION_MISMATCH),
        "a value of another type than is needed here");
}

#define W(column) "f.yaml:1:" column ": where: "
#define OPERAND "expected a number, a text, a name or \"(\", got "
#define END "the end of the expression\n"
#define UNIT " is no duration such as \"300 s\" and no price such as \"0.91 USD/h\": "

static void test_syntax_errors(void **state)
{
    static const char *const cases[][2] = {
        {" ", W("2") OPERAND END},
        {"depth <=", W("9") OPERAND END},
        {"<= depth", W("1") OPERAND "\"<=\"\n"},
        {"depth capacity", W("7") "expected an operator, got \"capacity\"\n"},
        {"depth 'x'", W("7") "expected an operator, got \"'x'\"\n"},
        {"(depth < 1", W("11") "expected an operator or \")\", got " END},
        {"depth < 1)", W("10") "expected an operator, got \")\"\n"},
        {"()", W("2") OPERAND "\")\"\n"},
        {"depth and and 1", W("11") OPERAND "\"and\"\n"},
        {"depth == not 1", W("10") OPERAND "\"not\"\n"},
        {"depth < +1", W("9") OPERAND "\"+\"\n"},
        {"depth, capacity", W("6") "expected an operator, got \",\"\n"},
        {"min(1) == 1", W("6") "expected an operator or \",\", got \")\"\n"},
        {"min() == 1", W("5") OPERAND "\")\"\n"},
        {"abs(1, 2) == 1", W("6") "expected an operator or \")\", got \",\"\n"},
        {"max(1, 2 3) == 1", W("10") "expected an operator, \",\" or \")\", got \"3\"\n"},
        {"min(a", W("6") "expected an operator or \",\", got the end of the expression; in "
                         "a list, one with a comma needs quotes around it\n"},
        {"mim(1, 2) == 1", W("1") "unknown function \"mim\", did you mean \"min\"?\n"},
        {"cosine(1) == 1", W("1") "unknown function \"cosine\", there are min, max, floor, "
                                  "ceil and abs\n"},
        {"depth = 1", W("7") "\"=\" is not known here, write \"==\"\n"},
        {"depth =< 1", W("7") "\"=<\" is not known here, write \"<=\"\n"},
        {"depth => 1", W("7") "\"=>\" is not known here, write \">=\"\n"},
        {"depth <> 1", W("7") "\"<>\" is not known here, write \"!=\"\n"},
        {"depth && 1", W("7") "\"&&\" is not known here, write \"and\"\n"},
        {"depth || 1", W("7") "\"||\" is not known here, write \"or\"\n"},
        {"!is_on", W("1") "\"!\" is not known here, write \"not\"\n"},
        {"depth \u2264 1", W("7") "\"\u2264\" is not known here, write \"<=\"\n"},
        {"'\u00e4' == \u00e4", W("8") "\"\u00e4\" has no meaning here\n"},
        {"depth < #1", W("9") "\"#\" has no meaning here\n"},
        {"depth < \x01", W("9") "\"\\x01\" has no meaning here\n"},
        {"depth < 1.", W("9") "\"1.\" is no number\n"},
        {"depth < 1.2.3", W("9") "\"1.2.3\" is no number\n"},
        {"depth < .", W("9") "\".\" has no meaning here\n"},
        {"depth < 1e999", W("9") "\"1e999\" is too large\n"},
        {"depth < 5 sec", W("9") "\"5 sec\"" UNIT "unknown unit\n"},
        {"depth < 0x10", W("9") "\"0x10\"" UNIT "unknown unit\n"},
        {"depth < 1e999 s", W("9") "\"1e999 s\"" UNIT "the number is too large\n"},
        {"depth < 40000 d", W("9") "\"40000 d\"" UNIT "more than 100 years\n"},
        {"mode == 'x", W("9") "a text starts here that has no second '\n"},
        {"mode == \"x'", W("9") "a text starts here that has no second \"\n"},
        {"`depth < 1", W("1") "a name starts here that has no second `\n"},
        {"1 > ``", W("5") "there is no name between the backquotes\n"},
        {"1 > `dpth`", W("6") "unknown key \"dpth\", did you mean \"job.depth\"?\n"},
        {"job. < 1", W("1") "\"job.\" is no name: a word is missing behind the dot\n"},
        {"job..a < 1", W("1") "\"job.\" is no name: a word is missing behind the dot\n"},
    };

    (void) state;
    for (size_t j = 0; j < COUNT(cases); j++) {
        assert_bad(cases[j][0], cases[j][1]);
    }
}

static void test_type_errors(void **state)
{
    static const char *const cases[][2] = {
        {"1", W("1") "expected a condition such as \"depth <= capacity\", got a number\n"},
        {"2 + depth", W("1") "expected a condition such as \"depth <= capacity\", got a number\n"},
        {"'x'", W("1") "expected a condition such as \"depth <= capacity\", got a text\n"},
        {"depth", W("1") "expected a condition such as \"depth <= capacity\", got a number\n"},
        {"1 < 'x'", W("5") "\"<\" needs a number, got a text\n"},
        {"'x' < 'y'", W("1") "\"<\" needs a number, got a text\n" W(
                          "7") "\"<\" needs a number, got a text\n"},
        {"1 == 'x'", W("3") "\"==\" compares a number with a text\n"},
        {"1 != true", W("3") "\"!=\" compares a number with true or false\n"},
        {"1 and true", W("1") "\"and\" needs true or false, got a number\n"},
        {"true or 1 + 2", W("9") "\"or\" needs true or false, got a number\n"},
        {"not 3", W("5") "\"not\" needs true or false, got a number\n"},
        {"-'x' < 1", W("2") "\"-\" needs a number, got a text\n"},
        {"(1 < 2) + 1 < 3", W("2") "\"+\" needs a number, got true or false\n"},
        {"min(1, 'x') < 1", W("8") "\"min\" needs a number, got a text\n"},
        {"floor(true) < 1", W("7") "\"floor\" needs a number, got true or false\n"},
        {"1 < 2 < 'x'", W("9") "\"<\" needs a number, got a text\n"},
        {"mode < 3", W("1") "\"<\" needs a number, got a text\n"},
        {"depth == mode", W("7") "\"==\" compares a number with a text\n"},
        {"mode == is_on == true", W("6") "\"==\" compares a text with true or false\n"},
        {"depth or is_on", W("1") "\"or\" needs true or false, got a number\n"},
        {"not (is_on and depth)", W("16") "\"and\" needs true or false, got a number\n"},
    };

    (void) state;
    for (size_t j = 0; j < COUNT(cases); j++) {
        assert_bad(cases[j][0], cases[j][1]);
    }
}

/* What the text alone shows is told when it is read, the rest when names are known. */
static void test_units_that_do_not_fit(void **state)
{
    static const char *const cases[][2] = {
        {"reload < 60", W("8") "a duration is compared with a plain number: write 60 s\n"},
        {"0.5 <= reload", W("5") "a plain number is compared with a duration: write 0.5 s\n"},
        {"depth < 10 s", W("7") "a plain number is compared with a duration\n"},
        {"rate <= 2", W("6") "a price is compared with a plain number: write 2 USD/h\n"},
        {"rate < 1 min", W("6") "a price is compared with a duration\n"},
        {"cost <= 1 ms", W("6") "a number of USD is compared with a duration\n"},
        {"cost < 1 USD/h", W("6") "a number of USD is compared with a price\n"},
        {"1 < 2 < 3 s", W("7") "a plain number is compared with a duration: write 2 s\n"},
        {"reload == 90", W("8") "a duration is compared with a plain number: write 90 s\n"},
        {"reload + 1 > 0", W("8") "\"+\" needs numbers of one unit, got a duration "
                                  "and a plain number: write 1 s\n"},
        {"max(reload, depth) > 1 s", W("1") "\"max\" needs numbers of one unit, got a "
                                            "duration and a plain number\n"},
        {"reload % 60 == 0", W("8") "\"%\" needs numbers of one unit, got a duration and "
                                    "a plain number: write 60 s\n"},
        {"2 * reload < 3", W("12") "a duration is compared with a plain number: write 3 s\n"},
        {"reload / 1 s < 3 s", W("14") "a plain number is compared with a duration\n"},
        {"reload * reload < 3 s", W("17") "a plain number is compared with a duration\n"},
        {"cost <= 5 steps", W("9") "\"5 steps\"" UNIT "unknown unit\n"},
        {"share <= 5 USD", W("10") "\"5 USD\"" UNIT "unknown unit\n"},
        {"share <= 5 %", W("12") "there is no unit %: write 0.05\n"},
        {"5% >= share and true", W("2") "there is no unit %: write 0.05\n"},
    };

    (void) state;
    for (size_t j = 0; j < COUNT(cases); j++) {
        assert_bad(cases[j][0], cases[j][1]);
    }
    /* Where only the values show it. */
    assert_outcome("reload < depth", SPOT_CONDITION_UNIT_MISMATCH, 7);
    assert_outcome("1 / (reload + depth) > 0", SPOT_CONDITION_UNIT_MISMATCH, 12);
}

static void test_all_names_that_mean_nothing_are_told(void **state)
{
    (void) state;
    assert_bad(
        "dpth <= cpacity", W("1") "unknown key \"dpth\", did you mean \"job.depth\"?\n" W(
                               "9") "unknown key \"cpacity\", did you mean \"fleet.capacity\"?\n");
    assert_bad("mode == async", W("9") "unknown key \"async\" (a text needs quotes)\n");
    assert_bad("mode + async > 0", W("8") "unknown key \"async\"\n");
    assert_bad("async > 0 or async < 1", W("1") "unknown key \"async\"\n");
}

static void test_places_in_the_file(void **state)
{
    (void) state;
    assert_bad_yaml("a: 1\nwhere: depth < \n", "f.yaml:2:15: where: " OPERAND END);
    assert_bad_yaml("where: 'depth < #'\n", "f.yaml:1:17: where: \"#\" has no meaning here\n");
    assert_bad_yaml(
        "where: \"'\u00e4\u00e4' < #\"\n", "f.yaml:1:16: where: \"#\" has no meaning here\n");
    assert_bad_yaml("where:\n  depth <\n  1 2\n",
        "f.yaml:2:3: where: character 11: expected an operator, got \"2\"\n");
    assert_bad_yaml("where: >-\n  depth <\n  1 2\n",
        "f.yaml:1:8: where: character 11: expected an operator, got \"2\"\n");
    assert_bad_yaml("where: 'mode == ''x'' 2'\n",
        "f.yaml:1:8: where: character 13: expected an operator, got \"2\"\n");
    assert_bad_yaml("a: &x depth < 1 2\nwhere: *x\n",
        "f.yaml:2:8: where: character 11: expected an operator, got \"2\"\n");
    assert_bad_yaml("where: &x depth < 1 2\n",
        "f.yaml:1:8: where: character 11: expected an operator, got \"2\"\n");
}

static void test_what_is_no_expression(void **state)
{
    char expected[] = W("8") "expected a condition such as \"depth <= capacity\", got ";
    char text[256];

    (void) state;
    snprintf(text, sizeof(text), "%sa list\n", expected);
    assert_bad_yaml("where: [a < b]\n", text);
    snprintf(text, sizeof(text), "%sa map\n", expected);
    assert_bad_yaml("where: {a: b}\n", text);
    snprintf(text, sizeof(text), "%s\"\"\n", expected);
    assert_bad_yaml("where: ''\n", text);
    assert_bad_yaml("where: # none\n",
        W("7") "expected a condition such as \"depth <= capacity\", got nothing\n");
}

/* num_times the start, the middle, num_times the end. */
static void nest(
    char *text, size_t num_times, const char *start, const char *middle, const char *end)
{
    *text = '\0';
    for (size_t j = 0; j < num_times; j++) {
        text += sprintf(text, "%s", start);
    }
    text += sprintf(text, "%s", middle);
    for (size_t j = 0; j < num_times; j++) {
        text += sprintf(text, "%s", end);
    }
}

static void test_depth_is_limited(void **state)
{
    static const char *const cases[][3] = {
        {"(", "is_on", ")"},
        {"not ", "is_on", ""},
    };
    char text[SPOT_CONDITION_MAX_BYTES], expected[128];

    (void) state;
    for (size_t j = 0; j < COUNT(cases); j++) {
        nest(text, SPOT_CONDITION_MAX_DEPTH, cases[j][0], cases[j][1], cases[j][2]);
        assert_holds(text, true);
        nest(text, SPOT_CONDITION_MAX_DEPTH + 1, cases[j][0], cases[j][1], cases[j][2]);
        snprintf(expected, sizeof(expected),
            "f.yaml:1:%zu: where: nested more than 64 levels deep\n",
            strlen(cases[j][0]) * SPOT_CONDITION_MAX_DEPTH + 1);
        assert_bad(text, expected);
    }
    nest(text, SPOT_CONDITION_MAX_DEPTH, "1 + 2 * max(1, ", "3", ")");
    strcat(text, " > 0");
    assert_holds(text, true);
    nest(text, SPOT_CONDITION_MAX_DEPTH / 2, "true == (1 + 1 * 2 < 4) == (", "true", ")");
    assert_holds(text, true);
}

static void test_bytes_are_limited(void **state)
{
    char text[SPOT_CONDITION_MAX_BYTES + 2];

    (void) state;
    memset(text, ' ', sizeof(text));
    memcpy(text, "true", 4);
    text[SPOT_CONDITION_MAX_BYTES + 1] = '\0';
    assert_bad(text, W("1") "an expression of more than 4096 bytes\n");
    text[SPOT_CONDITION_MAX_BYTES] = '\0';
    assert_holds(text, true);
    memset(text, '1', SPOT_CONDITION_MAX_BYTES);
    assert_bad(text, W("1") "\"1111111111111111111111111111111111111111...\" is too "
                            "large\n");
    /* Rows are no depth, and need no stack. */
    nest(text, 1023, "1 < ", "2", "");
    assert_holds(text, false);
    nest(text, 1000, "1 + ", "1 > 1000", "");
    assert_holds(text, true);
    nest(text, 400, "is_on and ", "true", "");
    assert_holds(text, true);
}

/* In backquotes anything is a name, words of the language too. */
static void test_names_in_backquotes(void **state)
{
    const spot_node_t place = {.file = "f.yaml", .line = 1, .column = 1};
    spot_yaml_t document = {0};
    spot_condition_t condition;
    spot_diag_t diag;

    (void) state;
    assert_holds("`job.depth` == depth and 2 * `capacity` > `zero`", true);
    spot_diag_init(&diag);
    assert_int_equal(
        spot_condition_parse(&condition,
            spot_yaml_new_scalar(&document,
                "`busy_fraction.server-3` <= 0.9 and `and` < `a 'b'` + and_more", &place),
            "k", &diag),
        0);
    assert_int_equal(condition.num_names, 4);
    assert_string_equal(condition.names[0].text, "busy_fraction.server-3");
    assert_int_equal(condition.names[0].offset, 1);
    assert_string_equal(condition.names[1].text, "and");
    assert_string_equal(condition.names[2].text, "a 'b'");
    assert_string_equal(condition.names[3].text, "and_more");
    spot_condition_free(&condition);
    spot_yaml_free(&document);
    spot_diag_free(&diag);
}

static void test_names_are_listed_once_with_their_places(void **state)
{
    fixture_t f;

    (void) state;
    setup(&f, "job.depth < capacity and capacity > zero");
    assert_int_equal(f.ret, 0);
    assert_int_equal(f.condition.num_names, 3);
    assert_string_equal(f.condition.names[0].text, "job.depth");
    assert_string_equal(f.condition.names[1].text, "capacity");
    assert_string_equal(f.condition.names[2].text, "zero");
    assert_int_equal(f.condition.names[0].offset, 0);
    assert_int_equal(f.condition.names[1].offset, 12);
    assert_int_equal(f.condition.names[2].offset, 36);
    teardown(&f);
}

static bool is_within(const spot_condition_bound_t *bound, double value)
{
    return bound->is_upper ? value <= bound->limit : value >= bound->limit;
}

static void assert_bound(const char *expression, double number, bool is_upper, bool is_strict)
{
    spot_condition_bound_t bound;
    const double below = nextafter(number, -(double) INFINITY);
    const double above = nextafter(number, (double) INFINITY);
    fixture_t f;

    setup(&f, expression);
    assert_int_equal(f.ret, 0);
    assert_int_equal(spot_condition_bound(&f.condition, &bound, &f.diag), 0);
    assert_true(bound.number == number);
    assert_true(bound.is_upper == is_upper);
    assert_int_equal(is_within(&bound, number), !is_strict);
    assert_int_equal(is_within(&bound, below), is_upper);
    assert_int_equal(is_within(&bound, above), !is_upper);
    teardown(&f);
}

static void test_bounds(void **state)
{
    static const char refused[] = W("1") "expected one name and one number with <=, <, "
                                         ">= or > between them, such as "
                                         "\"lost_fraction <= 0.05\"\n";
    static const char *const bad[] = {"share == 1", "share != 1", "1 <= share <= 2",
        "0 <= 1 <= share", "2 <= 1 <= share", "share <= 1 <= 2", "share <= depth", "share <= share",
        "2 * share <= 1", "share + 1 <= 2", "1 <= -share", "1 <= 2", "not share <= 1",
        "share <= 1 and true", "share <= 1 and share >= 2", "true", "is_on", "1 + share <= 2",
        NULL};
    spot_condition_bound_t bound;
    fixture_t f;

    (void) state;
    assert_bound("share <= 0.05", 0.05, true, false);
    assert_bound("share < 0.05", 0.05, true, true);
    assert_bound("share >= 0.05", 0.05, false, false);
    assert_bound("share > 0.05", 0.05, false, true);
    assert_bound("0.05 >= share", 0.05, true, false);
    assert_bound("0.05 > share", 0.05, true, true);
    assert_bound("0.05 <= share", 0.05, false, false);
    assert_bound("0.05 < share", 0.05, false, true);
    assert_bound("(share) <= -2 * (3 + 1)", -8, true, false);
    assert_bound("max(5 min, 2 s) > reload", 300, true, true);
    assert_bound("share < 0", 0, true, true);
    for (size_t j = 0; bad[j] != NULL; j++) {
        setup(&f, bad[j]);
        assert_int_equal(f.ret, 0);
        assert_int_equal(spot_condition_bound(&f.condition, &bound, &f.diag), SPOT_ERR_BAD_INPUT);
        assert_report(&f.diag, refused);
        teardown(&f);
    }
    setup(&f, "share <= 1 / 0");
    assert_int_equal(spot_condition_bound(&f.condition, &bound, &f.diag), SPOT_ERR_BAD_INPUT);
    assert_report(&f.diag, W("12") "division by zero\n");
    teardown(&f);
}

static void test_values_of_scalars(void **state)
{
    static const struct {
        const char *text;
        bool is_quoted;
        spot_condition_type_t type;
        double number;
        const char *unit;
    } cases[] = {
        {"7", false, SPOT_CONDITION_NUMBER, 7, NULL},
        {"-1e-3", false, SPOT_CONDITION_NUMBER, -0.001, NULL},
        {"7", true, SPOT_CONDITION_TEXT, 0, NULL},
        {"47 s", false, SPOT_CONDITION_NUMBER, 47, SPOT_CONDITION_DURATION},
        {"1.5 h", true, SPOT_CONDITION_NUMBER, 5400, SPOT_CONDITION_DURATION},
        {"22 USD/d", false, SPOT_CONDITION_NUMBER, 22 * (1.0 / 24), SPOT_CONDITION_PRICE},
        {"0", false, SPOT_CONDITION_NUMBER, 0, SPOT_CONDITION_ANY_UNIT},
        {"0 s", false, SPOT_CONDITION_NUMBER, 0, SPOT_CONDITION_DURATION},
        {"true", false, SPOT_CONDITION_TRUTH, 1, NULL},
        {"false", false, SPOT_CONDITION_TRUTH, 0, NULL},
        {"true", true, SPOT_CONDITION_TEXT, 0, NULL},
        {"async", false, SPOT_CONDITION_TEXT, 0, NULL},
        {"1e999", false, SPOT_CONDITION_TEXT, 0, NULL},
        {"", false, SPOT_CONDITION_TEXT, 0, NULL},
    };

    (void) state;
    for (size_t j = 0; j < COUNT(cases); j++) {
        char text[32];
        spot_node_t node = {
            .kind = SPOT_NODE_SCALAR, .is_quoted = cases[j].is_quoted, .text = text};
        spot_condition_value_t value;

        snprintf(text, sizeof(text), "%s", cases[j].text);
        assert_true(spot_condition_value_of(&node, &value));
        assert_int_equal(value.type, cases[j].type);
        if (value.type == SPOT_CONDITION_NUMBER) {
            assert_true(value.number == cases[j].number);
            assert_int_equal(value.unit == NULL, cases[j].unit == NULL);
            assert_true(value.unit == NULL || strcmp(value.unit, cases[j].unit) == 0);
        } else if (value.type == SPOT_CONDITION_TRUTH) {
            assert_int_equal(value.truth, cases[j].number == 1);
        } else {
            assert_ptr_equal(value.text, text);
        }
        node.kind = SPOT_NODE_LIST;
        assert_false(spot_condition_value_of(&node, &value));
    }
}

/* ---- Estimates ---- */

static void test_words_of_estimates(void **state)
{
    static const struct {
        const char *word;
        spot_estimate_kind_t kind;
        double percent;
    } cases[] = {
        {"mean", SPOT_ESTIMATE_MEAN, -1},
        {"probability", SPOT_ESTIMATE_PROBABILITY, -1},
        {"p95", SPOT_ESTIMATE_QUANTILE, 95},
        {"p99.9", SPOT_ESTIMATE_QUANTILE, 99.9},
        {"p0", SPOT_ESTIMATE_QUANTILE, 0},
        {"p100.5", SPOT_ESTIMATE_QUANTILE, 100.5},
        {"p", SPOT_ESTIMATE_NONE, -1},
        {"p9.5.5", SPOT_ESTIMATE_NONE, -1},
        {"p000000000000000095", SPOT_ESTIMATE_NONE, -1},
        {"means", SPOT_ESTIMATE_NONE, -1},
        {"Mean", SPOT_ESTIMATE_NONE, -1},
        {"max", SPOT_ESTIMATE_NONE, -1},
        {"", SPOT_ESTIMATE_NONE, -1},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        double percent = -1;

        assert_int_equal(
            spot_condition_estimate(cases[j].word, strlen(cases[j].word), &percent), cases[j].kind);
        assert_true(percent == cases[j].percent);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_comparisons),
        cmocka_unit_test(test_in_a_row_each_pair_holds),
        cmocka_unit_test(test_precedence),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_words_of_functions_and_units_are_names),
        cmocka_unit_test(test_numbers_and_units),
        cmocka_unit_test(test_units_that_fit),
        cmocka_unit_test(test_units_that_do_not_fit),
        cmocka_unit_test(test_what_is_not_looked_at_cannot_fail),
        cmocka_unit_test(test_outcomes),
        cmocka_unit_test(test_syntax_errors),
        cmocka_unit_test(test_type_errors),
        cmocka_unit_test(test_all_names_that_mean_nothing_are_told),
        cmocka_unit_test(test_places_in_the_file),
        cmocka_unit_test(test_what_is_no_expression),
        cmocka_unit_test(test_depth_is_limited),
        cmocka_unit_test(test_bytes_are_limited),
        cmocka_unit_test(test_names_in_backquotes),
        cmocka_unit_test(test_names_are_listed_once_with_their_places),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_values_of_scalars),
        cmocka_unit_test(test_words_of_estimates),
    };

    return cmocka_run_group_tests_name("condition", tests, NULL, NULL);
}
