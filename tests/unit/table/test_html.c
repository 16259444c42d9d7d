/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "reports/markup/html.h"

static void assert_cut(const char *text, size_t max_chars, const char *wanted, bool is_cut)
{
    char *written = NULL;
    size_t num_bytes;
    FILE *stream = open_memstream(&written, &num_bytes);
    bool was_cut;

    assert_non_null(stream);
    was_cut = spot_html_cut(stream, text, max_chars);
    assert_int_equal(fclose(stream), 0);
    assert_string_equal(written, wanted);
    assert_int_equal(was_cut, is_cut);
    free(written);
}

static void markup_becomes_text(void **state)
{
    (void) state;
    assert_cut("<b a=\"1\" c='2'>&amp;</b>", 100,
        "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;&lt;/b&gt;", false);
}

static void what_is_no_text_is_replaced(void **state)
{
    (void) state;
    assert_cut("a\x01\x1b\x7f"
               "b\n\tc",
        100,
        "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
        "b\n\tc",
        false);
    assert_cut("\xff\xc3", 100, "\xef\xbf\xbd\xef\xbf\xbd", false);
    assert_cut("\xef\xbf\xbe\xef\xbf\xbf", 100, "\xef\xbf\xbd\xef\xbf\xbd", false);
}

/* A name could turn around what stands behind it, or look like another one. */
static void what_is_not_seen_is_numbered(void **state)
{
    (void) state;
    assert_cut("a\xe2\x80\xae"
               "b\xe2\x81\xa9\xd8\x9c\xc2\x9b\xc2\xad\xe2\x80\x8b"
               "\xef\xbb\xbf\xf3\xa0\x80\xa1.",
        100, "a\\u202eb\\u2069\\u061c\\u009b\\u00ad\\u200b\\ufeff\\ue0021.", false);
    assert_cut("\xe2\x80\xae<b", 2, "\\u202e&lt;…", true);
}

/* "coût ?" with its narrow blank, and the word of two parts of Persian. */
static void other_scripts_are_whole(void **state)
{
    static const char text[] = "coût\xc2\xa0?\xe2\x80\xaf! می\xe2\x80\x8cشود "
                               "\xe2\x80\x89\xe2\x80\x8d";

    (void) state;
    assert_cut(text, 100, text, false);
}

static void characters_are_cut_not_bytes(void **state)
{
    (void) state;
    assert_cut("中文<", 3, "中文&lt;", false);
    assert_cut("中文<", 2, "中文…", true);
    assert_cut("<<", 1, "&lt;…", true);
    assert_cut("a", 0, "…", true);
    assert_cut("", 0, "", false);
}

static void an_element_ends_with_its_name(void **state)
{
    char *written = NULL;
    size_t num_bytes;
    FILE *stream = open_memstream(&written, &num_bytes);

    (void) state;
    assert_non_null(stream);
    spot_html_element(stream, "th scope=\"row\"", "</th>");
    assert_int_equal(fclose(stream), 0);
    assert_string_equal(written, "<th scope=\"row\">&lt;/th&gt;</th>");
    free(written);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(markup_becomes_text),
        cmocka_unit_test(what_is_no_text_is_replaced),
        cmocka_unit_test(what_is_not_seen_is_numbered),
        cmocka_unit_test(other_scripts_are_whole),
        cmocka_unit_test(characters_are_cut_not_bytes),
        cmocka_unit_test(an_element_ends_with_its_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
