/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The checker of pages itself, and what text from outside becomes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reports/markup/html.h"
#include "reports/table/document.h"
#include "tests/unit/page/page_case.h"

static void test_what_is_well_formed(void **state)
{
    (void) state;
    assert_null(page_problem(""));
    assert_null(page_problem("<p>a &amp; b</p>\n<p id=\"x\">c<br></p>"));
    assert_null(page_problem("<!DOCTYPE html>\n<html lang=\"en\"><script>a < b && "
                             "c</script></html>"));
    assert_null(page_problem("<svg><path d=\"M 0 0\"/></svg>"));
    assert_null(page_problem("<table><caption>c</caption><tr><th "
                             "scope=\"row\">a</th><td></td></tr></table>"));
    assert_null(page_problem("<h2>a</h2><h3>b</h3><h2>c</h2>"));
}

static void test_what_is_not(void **state)
{
    static const char *const bad[] = {
        "<p>",
        "</p>",
        "<b><i></b></i>",
        "a < b",
        "a > b",
        "a & b",
        "<p class=x>a</p>",
        "<p class=\"x>a</p>",
        "<p \"x\">a</p>",
        "<p id=\"x\"></p><p id=\"x\"></p>",
        "<table><tr><td>a</td></tr></table>",
        "<table><caption>c</caption><tr><th>a</th></tr></table>",
        "<h2>a</h2><h4>b</h4>",
        "<p",
    };

    (void) state;
    for (size_t j = 0; j < sizeof(bad) / sizeof(bad[0]); j++) {
        assert_non_null(page_problem(bad[j]));
    }
    assert_non_null(page_problem(page_hostile));
}

static void test_text_is_no_markup(void **state)
{
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    (void) state;
    assert_non_null(out);
    fputs("<p title=\"", out);
    spot_html_text(out, page_hostile);
    fputs("\">", out);
    spot_html_element(out, "code class=\"x\"", page_hostile);
    fputs("</p>", out);
    assert_int_equal(fclose(out), 0);
    page_check(text);
    assert_null(strstr(text, "<script"));
    assert_non_null(strstr(text, "\xef\xbf\xbd\xef\xbf\xbd 量 مرحبا</code></p>"));
    free(text);
}

/* A paragraph and the end close a list. */
static void test_lists(void **state)
{
    spot_document_t document;
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    (void) state;
    assert_non_null(out);
    spot_document_to_page(&document, out);
    spot_document_paragraph(&document, "a < %s", "b");
    spot_document_item(&document, "b");
    spot_document_item(&document, "c");
    spot_document_paragraph(&document, "d");
    spot_document_item(&document, "e");
    assert_int_equal(spot_document_end(&document), 0);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, "<p>a &lt; b</p>\n<ul>\n<li>b</li>\n<li>c</li>\n</ul>\n"
                              "<p>d</p>\n<ul>\n<li>e</li>\n</ul>\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_well_formed),
        cmocka_unit_test(test_what_is_not),
        cmocka_unit_test(test_text_is_no_markup),
        cmocka_unit_test(test_lists),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
