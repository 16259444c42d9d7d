/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/verb/table.h"
#include "reports/table/document.h"
#include "reports/table/table_paper.h"

static const spot_terminal_t wide = {80, false, true};

/* All that cells can hold, and text from outside. */
static spot_table_t sample(void)
{
    spot_table_t table = {.name = "sample"};
    FILE *caption = spot_table_begin_text(&table);

    assert_non_null(caption);
    fputs("Runs <of> a", caption);
    fputs(" study", caption);
    spot_table_end_caption(&table, caption);
    spot_table_add_column(
        &table, (spot_table_column_t){.name = "recovery", .kind = SPOT_TABLE_TEXT, .is_key = true});
    spot_table_add_column(&table, (spot_table_column_t){.name = "runs"});
    spot_table_add_column(
        &table, (spot_table_column_t){.name = "time_s", .unit = "h", .factor = 1 / 3600.0});
    spot_table_add_column(&table, (spot_table_column_t){.name = "change",
                                      .unit = "%",
                                      .has_sign = true,
                                      .is_fixed = true,
                                      .num_decimals = 1,
                                      .factor = 100});
    spot_table_add_row(&table);
    spot_table_add_text(&table, "a|b, \"c\"");
    spot_table_add_count(&table, 1000);
    spot_table_add_estimate(&table, 7200, 360);
    spot_table_set_remark(&table, "(563 of 1000)");
    spot_table_add_marks(&table, "*");
    spot_table_add_number(&table, 0.125);
    spot_table_add_row(&table);
    spot_table_add_text(&table, "<b>\033[31m&\n");
    spot_table_add_count(&table, 3);
    spot_table_add_above(&table, 36000);
    spot_table_add_number(&table, (double) NAN);
    spot_table_add_heading(&table, "others");
    spot_table_add_row(&table);
    spot_table_add_text(&table, "none");
    spot_table_add_empty(&table);
    spot_table_add_estimate(&table, -1e-9, (double) INFINITY);
    spot_table_add_number(&table, -0.5);
    spot_table_add_row(&table);
    spot_table_add_text(&table, "never");
    spot_table_add_rest(&table, "cannot run: too few");
    spot_table_add_note(&table, "*", "0 is outside <of> the interval");
    return table;
}

typedef int (*printer_t)(const spot_table_t *table, FILE *out);

static int print_text(const spot_table_t *table, FILE *out)
{
    return spot_table_write_terminal(table, &wide, out);
}

static int print_narrow(const spot_table_t *table, FILE *out)
{
    const spot_terminal_t narrow = {24, false, true};

    return spot_table_write_terminal(table, &narrow, out);
}

static int print_json(const spot_table_t *table, FILE *out)
{
    spot_json_t json;
    int ret;

    spot_json_init(&json, out, 0);
    spot_json_open(&json, NULL, '[');
    ret = spot_table_write_json(table, &json);
    spot_json_close(&json, ']');
    return ret;
}

static int print_html(const spot_table_t *table, FILE *out)
{
    return spot_table_write_html(table, "t", out);
}

static int print_markdown(const spot_table_t *table, FILE *out)
{
    return spot_table_write_paper(table, &spot_table_markdown, out);
}

static int print_latex(const spot_table_t *table, FILE *out)
{
    return spot_table_write_paper(table, &spot_table_latex, out);
}

static void assert_printed(spot_table_t table, printer_t printer, const char *expected)
{
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    assert_int_equal(printer(&table, out), 0);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, expected);
    free(text);
    spot_table_free(&table);
}

/* Control characters are shown, not obeyed. */
static void test_terminal(void **state)
{
    (void) state;
    assert_printed(sample(), print_text,
        "Runs <of> a study\n"
        "\n"
        "recovery                         runs                     time_s  change\n"
        "                                                               h       %\n"
        "a|b, \"c\"                         1000  2.00 ±0.10* (563 of 1000)   +12.5\n"
        "<b>\\x1b[31m&\\x0a                    3  > 10                            -\n"
        "\n"
        "others\n"
        "none                                   0.00 ±   ?                  -50.0\n"
        "never             cannot run: too few\n"
        "\n"
        "*: 0 is outside <of> the interval\n");
}

static void test_narrow_terminal(void **state)
{
    (void) state;
    assert_printed(sample(), print_narrow,
        "Runs <of> a study\n"
        "\n"
        "recovery  a|b, \"c\"\n"
        "runs      1000\n"
        "time_s\n"
        "  2.00 ±0.10* (563 of\n"
        "  1000) h\n"
        "change    +12.5 %\n"
        "\n"
        "recovery\n"
        "  <b>\\x1b[31m&\\x0a\n"
        "runs      3\n"
        "time_s    > 10 h\n"
        "change    -\n"
        "\n"
        "others\n"
        "recovery  none\n"
        "time_s    0.00 ±? h\n"
        "change    -50.0 %\n"
        "\n"
        "recovery  never\n"
        "cannot run: too few\n"
        "\n"
        "*: 0 is outside <of> the\n"
        "   interval\n");
}

static void test_csv(void **state)
{
    (void) state;
    assert_printed(sample(), spot_table_write_csv,
        "recovery,runs,time_s,change\n"
        "\"a|b, \"\"c\"\"\",1000,7200,0.125\n"
        "\"<b>\033[31m&\n"
        "\",3,,\n"
        "none,,-1e-09,-0.5\n"
        "never,cannot run: too few,,\n");
}

static void test_json(void **state)
{
    (void) state;
    assert_printed(sample(), print_json,
        "[{\"recovery\": \"a|b, \\\"c\\\"\", \"runs\": 1000, \"time_s\": 7200, "
        "\"change\": 0.125}, {\"recovery\": \"<b>\\u001b[31m&\\u000a\", \"runs\": 3, "
        "\"time_s\": null, \"change\": null}, {\"recovery\": \"none\", \"time_s\": "
        "-1e-09, \"change\": -0.5}, {\"recovery\": \"never\", \"runs\": \"cannot run: "
        "too few\"}]\n");
}

static spot_table_t lists(void)
{
    static const char *const items[] = {"a, b", "\"c\""};
    spot_table_t table = {0};

    spot_table_add_column(&table, (spot_table_column_t){.name = "of", .kind = SPOT_TABLE_PROSE});
    for (size_t j = 0; j < 3; j++) {
        spot_table_add_row(&table);
        spot_table_add_list(&table, j, items);
    }
    return table;
}

static void test_lists(void **state)
{
    (void) state;
    assert_printed(lists(), print_json,
        "[{\"of\": []}, {\"of\": [\"a, b\"]}, {\"of\": [\"a, b\", \"\\\"c\\\"\"]}]\n");
    assert_printed(lists(), spot_table_write_csv, "of\n\n\"a, b\"\n\"a, b, \"\"c\"\"\"\n");
}

static void test_html(void **state)
{
    (void) state;
    assert_printed(sample(), print_html,
        "<div class=\"scroll\" tabindex=\"0\" role=\"group\" "
        "aria-labelledby=\"t-caption\">\n"
        "<table id=\"t\">\n"
        "<caption id=\"t-caption\">Runs &lt;of&gt; a study</caption>\n"
        "<thead>\n"
        "<tr><th scope=\"col\">recovery</th><th scope=\"col\" "
        "class=\"number\">runs</th><th scope=\"col\" class=\"number\">time_s "
        "(h)</th><th "
        "scope=\"col\" class=\"number\">change (%)</th></tr>\n"
        "</thead>\n"
        "<tbody>\n"
        "<tr><th scope=\"row\">a|b, &quot;c&quot;</th><td "
        "data-value=\"1000\">1000</td><td class=\"marked\" data-value=\"7200\">2.00 "
        "±0.10 <small>(563 of 1000)</small><sup>*</sup></td><td "
        "data-value=\"0.125\">+12.5</td></tr>\n"
        "<tr><th scope=\"row\">&lt;b&gt;�[31m&amp;\n"
        "</th><td data-value=\"3\">3</td><td data-value=\"36000\">&gt; 10</td><td "
        "class=\"none\">–</td></tr>\n"
        "<tr><th scope=\"rowgroup\" colspan=\"4\">others</th></tr>\n"
        "<tr><th scope=\"row\">none</th><td></td><td data-value=\"-1e-09\">-2.77778e-13 "
        "±?</td><td data-value=\"-0.5\">-50.0</td></tr>\n"
        "<tr><th scope=\"row\">never</th><td colspan=\"3\">cannot run: too "
        "few</td></tr>\n"
        "</tbody>\n"
        "</table>\n"
        "</div>\n"
        "<p class=\"note\"><sup>*</sup> 0 is outside &lt;of&gt; the interval</p>\n");
}

static void test_markdown(void **state)
{
    (void) state;
    assert_printed(sample(), print_markdown,
        "Table: Runs &lt;of&gt; a study\n"
        "\n"
        "| recovery | runs | time\\_s (h) | change (%) |\n"
        "| :--- | ---: | ---: | ---: |\n"
        "| a&#124;b, &quot;c&quot; | 1000 | 2.00 ± 0.10 (563 of 1000)<sup>\\*</sup> | "
        "+12.5 |\n"
        "| &lt;b&gt; \\[31m&amp;  | 3 | &gt; 10 | – |\n"
        "| others | | | |\n"
        "| none |  | -2.77778·10<sup>-13</sup> ± ? | -50.0 |\n"
        "| never | cannot run: too few | | |\n"
        "\n"
        "- <sup>\\*</sup> 0 is outside &lt;of&gt; the interval\n");
}

static void test_latex(void **state)
{
    (void) state;
    assert_printed(sample(), print_latex,
        "\\begin{table}[htbp]\n"
        "\\centering\n"
        "\\caption{Runs \\textless{}of\\textgreater{} a study}\\label{tab:sample}\n"
        "\\begin{tabular}{lrr}\n"
        "\\toprule\n"
        "recovery & runs & \\shortstack[r]{time\\_s\\\\(h)} \\\\\n"
        "\\midrule\n"
        "a\\textbar{}b, {''}c{''} & $1000$ & $2.00 \\pm 0.10$ (563 of "
        "1000)\\textsuperscript{{*}} \\\\\n"
        "\\textless{}b\\textgreater{} {[}31m\\&  & $3$ & $> 10$ \\\\\n"
        "\\multicolumn{3}{l}{others} \\\\\n"
        "none &  & $-2.77778 \\times 10^{-13} \\pm ?$ \\\\\n"
        "never & \\multicolumn{2}{l}{cannot run: too few} \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n"
        "\n"
        "\\medskip\n"
        "\\begin{tabular}{lr}\n"
        "\\toprule\n"
        "recovery & \\shortstack[r]{change\\\\(\\%)} \\\\\n"
        "\\midrule\n"
        "a\\textbar{}b, {''}c{''} & $+12.5$ \\\\\n"
        "\\textless{}b\\textgreater{} {[}31m\\&  & \\textendash{} \\\\\n"
        "\\multicolumn{2}{l}{others} \\\\\n"
        "none & $-50.0$ \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n"
        "\n"
        "\\smallskip\n"
        "{\\footnotesize \\textsuperscript{{*}} 0 is outside "
        "\\textless{}of\\textgreater{} the interval\\par}\n"
        "\\end{table}\n");
}

static spot_table_t prose(void)
{
    spot_table_t table = {.name = "prose"};

    spot_table_add_column(&table, (spot_table_column_t){.name = "name", .kind = SPOT_TABLE_TEXT});
    spot_table_add_column(
        &table, (spot_table_column_t){.name = "what it does", .kind = SPOT_TABLE_PROSE});
    spot_table_add_row(&table);
    spot_table_add_text(&table, "checkpoint");
    spot_table_add_text(&table, "roll back to the last durable checkpoint, go on with "
                                "what is left of the fleet");
    spot_table_add_row(&table);
    spot_table_add_text(&table, "ideal");
    spot_table_add_text(&table, "lose nothing");
    return table;
}

static void test_prose_goes_on_below_itself(void **state)
{
    (void) state;
    assert_printed(prose(), print_text,
        "name        what it does\n"
        "checkpoint  roll back to the last durable checkpoint, go on with what is left "
        "of\n"
        "            the fleet\n"
        "ideal       lose nothing\n");
}

static void test_no_rows(void **state)
{
    spot_table_t table = {.name = "empty"};

    (void) state;
    spot_table_add_column(&table, (spot_table_column_t){.name = "x"});
    assert_printed(table, print_text, "x\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_terminal),
        cmocka_unit_test(test_narrow_terminal),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_html),
        cmocka_unit_test(test_markdown),
        cmocka_unit_test(test_latex),
        cmocka_unit_test(test_prose_goes_on_below_itself),
        cmocka_unit_test(test_no_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
