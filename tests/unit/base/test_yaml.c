/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/yaml.h"
#include "tests/unit/base/support.h"

/* Parses text as the file "f.yaml". */
static int parse(spot_yaml_t *document, spot_diag_t *diag, const char *text)
{
    spot_diag_init(diag);
    return spot_yaml_parse(document, "f.yaml", text, strlen(text), diag);
}

static void assert_bad_bytes(const char *bytes, size_t num_bytes, const char *expected)
{
    spot_yaml_t document;
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(
        spot_yaml_parse(&document, "f.yaml", bytes, num_bytes, &diag), SPOT_ERR_BAD_INPUT);
    assert_report(&diag, expected);
    spot_yaml_free(&document);
    spot_diag_free(&diag);
}

static void assert_bad(const char *text, const char *expected)
{
    assert_bad_bytes(text, strlen(text), expected);
}

/* A text that grows. */
typedef struct {
    char *text;
    size_t num_bytes;
    FILE *stream;
} page_t;

static void page_init(page_t *self)
{
    self->stream = open_memstream(&self->text, &self->num_bytes);
    assert_non_null(self->stream);
}

static void page_repeat(page_t *self, size_t num_times, const char *text)
{
    for (size_t j = 0; j < num_times; j++) {
        fputs(text, self->stream);
    }
}

/* Closes and frees the page; the report must be as expected, "" for good input. It must
 * come soon: the limit is generous, so that only runaway costs fail. */
static void assert_page_is(page_t *self, const char *expected)
{
    struct timespec begin, end;
    spot_yaml_t document;
    spot_diag_t diag;
    int ret;

    assert_int_equal(fclose(self->stream), 0);
    spot_diag_init(&diag);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    ret = spot_yaml_parse(&document, "f.yaml", self->text, self->num_bytes, &diag);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    assert_report(&diag, expected);
    assert_int_equal(ret, *expected == '\0' ? 0 : SPOT_ERR_BAD_INPUT);
    assert_true(
        (double) (end.tv_sec - begin.tv_sec) + 1e-9 * (double) (end.tv_nsec - begin.tv_nsec) <= 2);
    spot_yaml_free(&document);
    spot_diag_free(&diag);
    free(self->text);
}

/* One node a line: key, place, kind or text (in quotes if it was quoted). */
static void dump(FILE *out, const spot_node_t *node, int depth)
{
    const char *quote = node->is_quoted ? "'" : "";

    fprintf(out, "%zu:%zu %s%s%s\n", node->line, node->column, quote,
        node->kind == SPOT_NODE_SCALAR ? node->text
        : node->kind == SPOT_NODE_LIST ? "[]"
                                       : "{}",
        quote);
    for (size_t j = 0; j < node->num_children; j++) {
        fprintf(out, "%*s", 2 * depth + 2, "");
        if (node->kind == SPOT_NODE_MAP) {
            const spot_node_t *key = node->keys[j];

            fprintf(out, "%zu:%zu %s: ", key->line, key->column, key->text);
        }
        dump(out, node->children[j], depth + 1);
    }
}

static void assert_tree(const spot_node_t *root, const char *expected)
{
    page_t page;

    page_init(&page);
    dump(page.stream, root, 0);
    assert_int_equal(fclose(page.stream), 0);
    assert_string_equal(page.text, expected);
    free(page.text);
}

static void assert_good(const char *text, const char *expected)
{
    spot_yaml_t document;
    spot_diag_t diag;

    assert_int_equal(parse(&document, &diag, text), 0);
    assert_report(&diag, "");
    assert_tree(document.root, expected);
    spot_yaml_free(&document);
    spot_diag_free(&diag);
}

static void test_every_node_knows_its_place(void **state)
{
    (void) state;
    assert_good("scenario: seed-64\n"
                "fleet:\n"
                "  price: {spot: 0.91, on_demand: \"3.06\"}\n"
                "  initial:   32   # instances\n"
                "count:\n"
                "- [8,\n"
                "   16]\n"
                "- a: 1\n"
                "  b:\n",
        "1:1 {}\n"
        "  1:1 scenario: 1:11 seed-64\n"
        "  2:1 fleet: 3:3 {}\n"
        "    3:3 price: 3:10 {}\n"
        "      3:11 spot: 3:17 0.91\n"
        "      3:23 on_demand: 3:34 '3.06'\n"
        "    4:3 initial: 4:14 32\n"
        "  5:1 count: 6:1 []\n"
        "    6:3 []\n"
        "      6:4 8\n"
        "      7:4 16\n"
        "    8:3 {}\n"
        "      8:3 a: 8:6 1\n"
        "      9:3 b: 9:5 \n");
}

static void test_columns_count_characters(void **state)
{
    (void) state;
    assert_good("\xc3\xa9t\xc3\xa9 \xe2\x82\xac: 'x'\n",
        "1:1 {}\n  1:1 \xc3\xa9t\xc3\xa9 \xe2\x82\xac: 1:8 'x'\n");
    assert_good("\xef\xbb\xbf"
                "a: 1\n",
        "1:1 {}\n  1:1 a: 1:4 1\n");
    assert_good("a:\r\n  b: 1\r\n", "1:1 {}\n  1:1 a: 2:3 {}\n    2:3 b: 2:6 1\n");
}

/* Which scalars of a list stand in the file as they are, so that a column behind their
 * first can be told. */
static void assert_verbatim(const char *text, const char *expected)
{
    spot_yaml_t document;
    spot_diag_t diag;

    assert_int_equal(parse(&document, &diag, text), 0);
    assert_int_equal(document.root->num_children, strlen(expected));
    for (size_t j = 0; j < document.root->num_children; j++) {
        if (document.root->children[j]->is_verbatim != (expected[j] == 'y')) {
            fail_msg("item %zu: %s", j, document.root->children[j]->text);
        }
    }
    spot_yaml_free(&document);
    spot_diag_free(&diag);
}

static void test_it_is_known_which_scalars_are_verbatim(void **state)
{
    (void) state;
    assert_verbatim(
        "- a <= b\n- 'a'\n- \"a\"\n- \xc3\xa9\n- '\xc3\xa9'\n- ''\n- a # b\n", "yyyyyyy");
    assert_verbatim("[a <= b , 'c', d e ]\n", "yyy");
    assert_verbatim("- 'a''b'\n- \"a\\tb\"\n- \"\\x41\"\n- a\n  b\n- 'a\n  b'\n- |-\n  a\n- "
                    ">-\n  a\n",
        "nnnnnnn");
    assert_verbatim("- &x a\n- *x\n- &y 'a'\n- b\n", "nnny");
}

static void test_only_plain_scalars_are_not_quoted(void **state)
{
    (void) state;
    assert_good("- 7\n- '7'\n- \"7\"\n- |-\n  7\n- >-\n  7\n- two\n  lines\n- ~\n-\n",
        "1:1 []\n"
        "  1:3 7\n"
        "  2:3 '7'\n"
        "  3:3 '7'\n"
        "  4:3 '7'\n"
        "  6:3 '7'\n"
        "  8:3 two lines\n"
        "  10:3 ~\n"
        "  11:2 \n");
}

static void test_a_document_may_be_marked(void **state)
{
    (void) state;
    assert_good("%YAML 1.1\n--- # begin\na: 1\n...\n# end\n", "3:1 {}\n  3:1 a: 3:4 1\n");
    assert_good("just text", "1:1 just text\n");
}

static void test_every_node_names_the_file(void **state)
{
    spot_yaml_t document;
    spot_diag_t diag;

    (void) state;
    assert_int_equal(parse(&document, &diag, "a: [&x {b: 1}, *x]\n"), 0);
    assert_int_equal(document.num_nodes, 9);
    for (size_t j = 0; j < document.num_nodes; j++) {
        assert_string_equal(document.nodes[j]->file, "f.yaml");
    }
    spot_yaml_free(&document);
    spot_diag_free(&diag);
}

/* An alias stands where it is used; what it copies keeps its place. */
static void test_aliases_are_copies(void **state)
{
    (void) state;
    assert_good("a: &x {b: [1, '2']}\nc: *x\nd: [*x, &x 3, *x]\n", "1:1 {}\n"
                                                                   "  1:1 a: 1:4 {}\n"
                                                                   "    1:8 b: 1:11 []\n"
                                                                   "      1:12 1\n"
                                                                   "      1:15 '2'\n"
                                                                   "  2:1 c: 2:4 {}\n"
                                                                   "    1:8 b: 1:11 []\n"
                                                                   "      1:12 1\n"
                                                                   "      1:15 '2'\n"
                                                                   "  3:1 d: 3:4 []\n"
                                                                   "    3:5 {}\n"
                                                                   "      1:8 b: 1:11 []\n"
                                                                   "        1:12 1\n"
                                                                   "        1:15 '2'\n"
                                                                   "    3:9 3\n"
                                                                   "    3:15 3\n");
    assert_good("&k key: 1\nb: *k\n", "1:1 {}\n  1:1 key: 1:9 1\n  2:1 b: 2:4 key\n");
}

static void test_unknown_anchors(void **state)
{
    (void) state;
    assert_bad("a: *x\n", "f.yaml:1:4: unknown anchor \"x\"\n");
    assert_bad("a: &x [1, *x]\n", "f.yaml:1:11: unknown anchor \"x\"\n");
    assert_bad("&x a: {b: *y}\n", "f.yaml:1:11: unknown anchor \"y\"\n");
    assert_bad("a:\n  - *aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n",
        "f.yaml:2:5: unknown anchor \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...\"\n");
}

static void test_repeated_keys_name_the_first_line(void **state)
{
    (void) state;
    assert_bad("a: 1\nb: {c: 1, c: 2}\na: 3\n\"a\": 4\nb: 5\n",
        "f.yaml:2:11: repeated key \"c\", first on line 2\n"
        "f.yaml:3:1: repeated key \"a\", first on line 1\n"
        "f.yaml:4:1: repeated key \"a\", first on line 1\n"
        "f.yaml:5:1: repeated key \"b\", first on line 2\n");
    assert_bad("\"\\e[1m\": 1\n\"\\e[1m\": 2\n",
        "f.yaml:2:1: repeated key \"\\x1b[1m\", first on line 1\n");
    assert_good("a: {a: 1}\nb: {a: 1}\n", "1:1 {}\n  1:1 a: 1:4 {}\n    1:5 a: 1:8 1\n"
                                          "  2:1 b: 2:4 {}\n    2:5 a: 2:8 1\n");
}

static void test_repeated_keys_of_a_large_map(void **state)
{
    page_t page;

    (void) state;
    page_init(&page);
    for (int j = 0; j < 5000; j++) {
        fprintf(page.stream, "key-%d: 1\n", j);
    }
    fputs("key-0: 2\nkey-4999: 2\nkey-1234: 2\n", page.stream);
    assert_page_is(&page, "f.yaml:5001:1: repeated key \"key-0\", first on line 1\n"
                          "f.yaml:5002:1: repeated key \"key-4999\", first on line 5000\n"
                          "f.yaml:5003:1: repeated key \"key-1234\", first on line 1235\n");
}

static void test_what_is_not_supported(void **state)
{
    (void) state;
    assert_bad("a: &x {b: 1}\nc:\n  <<: *x\n  <<: *x\n!k e: [!l m]\n",
        "f.yaml:3:3: merge keys (<<) are not supported\n"
        "f.yaml:4:3: merge keys (<<) are not supported\n"
        "f.yaml:5:1: tags (!) are not supported\n"
        "f.yaml:5:8: tags (!) are not supported\n");
    assert_bad("{a: 1}: 2\n", "f.yaml:1:1: a key must be plain text\n");
    assert_bad("---\n---\n", "f.yaml:2:1: a second document\n");
    assert_good("\"<<\": 1\n", "1:1 {}\n  1:1 <<: 1:7 1\n");
}

static void test_empty_files(void **state)
{
    (void) state;
    assert_bad("\xef\xbb\xbf", "f.yaml:1:1: file is empty\n");
}

static void test_bytes_that_are_no_text(void **state)
{
    (void) state;
    assert_bad_bytes(
        "a: x\0y", 6, "f.yaml:1:5: not readable as YAML: control characters are not allowed\n");
    assert_bad("a: \"x\\0y\"", "f.yaml:1:4: a NUL byte is not allowed\n");
    assert_bad(
        "a: 1\nb: \xe2\x82z\n", "f.yaml:2:5: not readable as YAML: invalid trailing UTF-8 octet\n");
    assert_bad("\xff\xfe"
               "a",
        "f.yaml:1:1: not readable as YAML: invalid leading UTF-8 octet\n");
    assert_bad(
        "a: \xed\xa0\x80\n", "f.yaml:1:4: not readable as YAML: invalid Unicode character\n");
    assert_bad(
        "a: \xe2\x82", "f.yaml:1:4: not readable as YAML: incomplete UTF-8 octet sequence\n");
}

static void test_syntax_errors(void **state)
{
    (void) state;
    assert_bad(
        "a: b: c\n", "f.yaml:1:5: YAML syntax: mapping values are not allowed in this context\n");
    assert_bad("a: 1\n b: 2\n",
        "f.yaml:2:3: YAML syntax: mapping values are not allowed in this context\n");
    assert_bad("a: [1, 2\nb: 3\n", "f.yaml:2:2: YAML syntax: while parsing a flow "
                                   "sequence did not find expected ',' or ']'\n");
    assert_bad("a: \"\\q\"\n", "f.yaml:1:5: YAML syntax: while parsing a quoted scalar "
                               "found unknown escape character\n");
    assert_bad("- a\nb: 1\n", "f.yaml:2:1: YAML syntax: while parsing a block collection "
                              "did not find expected '-' indicator\n");
    assert_bad(
        "%YAML 2.0\n---\na: 1\n", "f.yaml:1:1: YAML syntax: found incompatible YAML document\n");
}

/* What was found before a syntax error is told, too. */
static void test_errors_before_a_syntax_error_are_kept(void **state)
{
    (void) state;
    assert_bad("a: 1\na: 2\nb: c: d\n",
        "f.yaml:2:1: repeated key \"a\", first on line 1\n"
        "f.yaml:3:5: YAML syntax: mapping values are not allowed in this context\n");
}

static void test_nesting_has_a_limit(void **state)
{
    page_t page;

    (void) state;
    page_init(&page);
    page_repeat(&page, 64, "[");
    page_repeat(&page, 64, "]");
    assert_page_is(&page, "");
    page_init(&page);
    page_repeat(&page, 65, "[");
    page_repeat(&page, 65, "]");
    assert_page_is(&page, "f.yaml:1:65: nested more than 64 levels deep\n");
    page_init(&page);
    page_repeat(&page, 32, "[{a: ");
    fputs("b", page.stream);
    page_repeat(&page, 32, "}]");
    assert_page_is(&page, "");
}

static void test_nesting_too_deep_returns_at_once(void **state)
{
    static const char *const openings[] = {"{a: ", "- ", "? "};
    static const size_t columns[] = {257, 129, 129};

    (void) state;
    for (size_t j = 0; j < sizeof(openings) / sizeof(openings[0]); j++) {
        char expected[80];
        page_t page;

        page_init(&page);
        page_repeat(&page, 100000, openings[j]);
        snprintf(expected, sizeof(expected), "f.yaml:1:%zu: nested more than 64 levels deep\n",
            columns[j]);
        assert_page_is(&page, expected);
    }
}

/* A copy within a copy within a copy. */
static void test_aliases_cannot_nest_deeper(void **state)
{
    page_t page;

    (void) state;
    page_init(&page);
    fputs("- &a [[[1]]]\n- ", page.stream);
    page_repeat(&page, 60, "[");
    fputs("*a", page.stream);
    page_repeat(&page, 60, "]");
    assert_page_is(&page, "");
    page_init(&page);
    fputs("- &a [[[1]]]\n- ", page.stream);
    page_repeat(&page, 61, "[");
    fputs("*a", page.stream);
    page_repeat(&page, 61, "]");
    assert_page_is(&page, "f.yaml:2:64: nested more than 64 levels deep\n");
}

static void test_more_than_4_mib_is_refused(void **state)
{
    page_t page;

    (void) state;
    page_init(&page);
    page_repeat(&page, SPOT_YAML_MAX_BYTES / 4 - 1, "#ab\n");
    fputs("a: b", page.stream);
    assert_page_is(&page, "");
    page_init(&page);
    page_repeat(&page, SPOT_YAML_MAX_BYTES / 4, "#ab\n");
    fputs("a", page.stream);
    assert_page_is(&page, "f.yaml: larger than 4 MiB\n");
}

static void test_values_have_a_limit(void **state)
{
    page_t page;

    (void) state;
    page_init(&page);
    fputs("[", page.stream);
    page_repeat(&page, SPOT_YAML_MAX_NODES, "1,");
    fputs("]", page.stream);
    assert_page_is(&page, "f.yaml:1:400000: more than 200000 values, aliases expanded\n");
}

/* A long text, named once and used three thousand times. */
static void test_aliases_cannot_multiply_text(void **state)
{
    page_t page;

    (void) state;
    page_init(&page);
    fputs("- &a ", page.stream);
    page_repeat(&page, 1 << 20, "x");
    fputs("\n", page.stream);
    page_repeat(&page, 3000, "- *a\n");
    assert_page_is(&page, "f.yaml:6:3: aliases repeat more than 4 MiB of text\n");
}

static void write_keys(page_t *page, int num_keys)
{
    page_init(page);
    for (int j = 0; j < num_keys; j++) {
        fprintf(page->stream, "a-key-with-a-long-name-%d: 1\n", j);
    }
}

static void test_keys_of_a_map_have_a_limit(void **state)
{
    page_t page;

    (void) state;
    write_keys(&page, 10000);
    assert_page_is(&page, "");
    write_keys(&page, 10001);
    assert_page_is(&page, "f.yaml:10001:1: more than 10000 keys in one map\n");
}

/* Each key is held against the others of its map: that must not be quadratic. */
static void test_many_large_maps_are_cheap(void **state)
{
    page_t page;

    (void) state;
    page_init(&page);
    for (int j = 0; j < 4; j++) {
        fprintf(page.stream, "map-%d:\n", j);
        for (int k = 0; k < 10000; k++) {
            fprintf(page.stream, "  a-long-common-start-of-%d: 1\n", k);
        }
    }
    assert_page_is(&page, "");
}

static void test_anchors_have_a_limit(void **state)
{
    page_t page;

    (void) state;
    page_init(&page);
    for (int j = 0; j < SPOT_YAML_MAX_ANCHORS; j++) {
        fprintf(page.stream, "- &a%d x\n", j);
    }
    page_repeat(&page, 50000, "- *a0\n");
    assert_page_is(&page, "");
    page_init(&page);
    page_repeat(&page, SPOT_YAML_MAX_ANCHORS + 1, "- &a x\n");
    assert_page_is(&page, "f.yaml:101:3: more than 100 anchors\n");
}

/* libyaml alone takes minutes for these. */
static void test_tag_directives_have_a_limit(void **state)
{
    page_t page;

    (void) state;
    page_init(&page);
    for (int j = 0; j < 100000; j++) {
        fprintf(page.stream, "%%TAG !%d! x\n", j);
    }
    assert_page_is(&page, "f.yaml: more than 100 %TAG directives\n");
}

static void test_reading_a_file(void **state)
{
    static const char text[] = "a: 1\na: 2\n";
    char path[PATH_BYTES], expected[2 * PATH_BYTES];
    spot_yaml_t document;
    spot_diag_t diag;

    (void) state;
    test_path("read.yaml", path);
    write_file(path, text, 5);
    spot_diag_init(&diag);
    assert_int_equal(spot_yaml_read(&document, path, &diag), 0);
    assert_string_equal(spot_node_get(document.root, "a")->text, "1");
    assert_string_equal(document.root->file, path);
    spot_yaml_free(&document);
    write_file(path, text, sizeof(text) - 1);
    assert_int_equal(spot_yaml_read(&document, path, &diag), SPOT_ERR_BAD_INPUT);
    spot_yaml_free(&document);
    snprintf(expected, sizeof(expected), "%s:2:1: repeated key \"a\", first on line 1\n", path);
    assert_report(&diag, expected);
    spot_diag_free(&diag);
    unlink(path);
}

static void assert_unreadable(const char *path, const char *reason)
{
    char expected[2 * PATH_BYTES];
    spot_yaml_t document;
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(spot_yaml_read(&document, path, &diag), SPOT_ERR_IO);
    snprintf(expected, sizeof(expected), "%s: cannot open: %s\n", path, reason);
    assert_report(&diag, expected);
    spot_yaml_free(&document);
    spot_diag_free(&diag);
}

static void test_files_that_cannot_be_read(void **state)
{
    char path[PATH_BYTES];

    (void) state;
    test_path("none.yaml", path);
    assert_unreadable(path, "No such file or directory");
    assert_unreadable("/", "Is a directory");
    if (geteuid() != 0) {
        write_file(path, "a: 1\n", 5);
        assert_int_equal(chmod(path, 0), 0);
        assert_unreadable(path, "Permission denied");
        unlink(path);
    }
}

static void test_a_file_that_is_too_large(void **state)
{
    char path[PATH_BYTES], expected[2 * PATH_BYTES];
    char *bytes = calloc(1, SPOT_YAML_MAX_BYTES + 2);
    spot_yaml_t document;
    spot_diag_t diag;

    (void) state;
    assert_non_null(bytes);
    test_path("large.yaml", path);
    write_file(path, bytes, SPOT_YAML_MAX_BYTES + 2);
    free(bytes);
    spot_diag_init(&diag);
    assert_int_equal(spot_yaml_read(&document, path, &diag), SPOT_ERR_BAD_INPUT);
    unlink(path);
    snprintf(expected, sizeof(expected), "%s: larger than 4 MiB\n", path);
    assert_report(&diag, expected);
    spot_yaml_free(&document);
    spot_diag_free(&diag);
}

static void test_get_finds_values_of_maps_only(void **state)
{
    spot_yaml_t document;
    spot_diag_t diag;

    (void) state;
    assert_int_equal(parse(&document, &diag, "a: 1\nab: [2]\n\"\": 3\n"), 0);
    assert_string_equal(spot_node_get(document.root, "a")->text, "1");
    assert_int_equal(spot_node_get(document.root, "ab")->kind, SPOT_NODE_LIST);
    assert_string_equal(spot_node_get(document.root, "")->text, "3");
    assert_null(spot_node_get(document.root, "abc"));
    assert_null(spot_node_get(document.root, "A"));
    assert_null(spot_node_get(spot_node_get(document.root, "a"), "a"));
    assert_null(spot_node_get(spot_node_get(document.root, "ab"), "a"));
    assert_null(spot_node_get(NULL, "a"));
    spot_yaml_free(&document);
    spot_diag_free(&diag);
}

/* So that what else is wrong is found in the same pass. */
static void test_the_document_stays_without_bad_keys(void **state)
{
    spot_yaml_t document;
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    assert_int_equal(
        parse(&document, &diag, "a: 1\na: 2\n<<: 3\nb: {c: 4, c: 5}\n"), SPOT_ERR_BAD_INPUT);
    assert_int_equal(diag.num_errors, 3);
    assert_tree(document.root, "1:1 {}\n  1:1 a: 1:4 1\n  4:1 b: 4:4 {}\n"
                               "    4:5 c: 4:8 4\n");
    spot_yaml_free(&document);
    spot_diag_free(&diag);
    assert_int_equal(parse(&document, &diag, "a: 1\nb: [\n"), SPOT_ERR_BAD_INPUT);
    assert_null(document.root);
    spot_yaml_free(&document);
    spot_diag_free(&diag);
}

/* Parses text, sets path to 9 (which stands at the root's place), compares the tree. */
static void assert_set(const char *text, const char *path, const char *expected)
{
    spot_yaml_t document;
    spot_diag_t diag;
    spot_node_t *value;

    assert_int_equal(parse(&document, &diag, text), 0);
    value = spot_yaml_new_scalar(&document, "9", document.root);
    assert_non_null(value);
    assert_int_equal(spot_yaml_set(&document, path, value), 0);
    assert_tree(document.root, expected);
    spot_yaml_free(&document);
    spot_diag_free(&diag);
}

static void test_set_replaces_values(void **state)
{
    (void) state;
    assert_set("a: 1\nb: 2\n", "b", "1:1 {}\n  1:1 a: 1:4 1\n  2:1 b: 1:1 9\n");
    assert_set("a: {b: 1, c: 2}\n", "a.c",
        "1:1 {}\n  1:1 a: 1:4 {}\n    1:5 b: 1:8 1\n    1:11 c: 1:1 9\n");
    assert_set("a: {b: 1}\n", "a", "1:1 {}\n  1:1 a: 1:1 9\n");
}

static void test_set_makes_the_maps_on_the_way(void **state)
{
    (void) state;
    assert_set("a: 1\n", "b", "1:1 {}\n  1:1 a: 1:4 1\n  1:1 b: 1:1 9\n");
    assert_set("a: 1\n", "trace.preemption.per_minute",
        "1:1 {}\n"
        "  1:1 a: 1:4 1\n"
        "  1:1 trace: 1:1 {}\n"
        "    1:1 preemption: 1:1 {}\n"
        "      1:1 per_minute: 1:1 9\n");
    assert_set(
        "a: {}\n", "a.b.c", "1:1 {}\n  1:1 a: 1:4 {}\n    1:1 b: 1:1 {}\n      1:1 c: 1:1 9\n");
}

/* Values of options are no YAML, and their place is the option. */
static void test_give(void **state)
{
    const spot_yaml_given_t path = {"--trace", "a.file", .text = "it's, {a}: #name"};
    const spot_yaml_given_t number = {"--seed", "b[1]", .number = INT64_MIN};
    spot_yaml_t document;
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    assert_int_equal(spot_yaml_parse(&document, "d", "a: {}\nb: [2, 3]\n", 16, &diag), 0);
    assert_int_equal(spot_yaml_give(&document, &path), 0);
    assert_int_equal(spot_yaml_give(&document, &number), 0);
    assert_string_equal(spot_node_at(document.root, "a.file")->text, path.text);
    assert_string_equal(spot_node_at(document.root, "a.file")->file, "--trace");
    assert_string_equal(spot_node_at(document.root, "b[1]")->text, "-9223372036854775808");
    spot_yaml_free(&document);
    spot_diag_free(&diag);
}

/* An option does not hide a value that is wrong. */
static void test_give_leaves_what_is_no_map(void **state)
{
    static const char *const paths[] = {"a.file", "b.file", "c.d.file"};
    spot_yaml_t document;
    spot_diag_t diag;

    (void) state;
    assert_int_equal(parse(&document, &diag, "a: 1\nb: [2]\nc: {d: 3}\n"), 0);
    for (size_t j = 0; j < sizeof(paths) / sizeof(paths[0]); j++) {
        const spot_yaml_given_t given = {"--trace", paths[j], .text = "x"};

        assert_int_equal(spot_yaml_give(&document, &given), 0);
    }
    assert_tree(document.root, "1:1 {}\n  1:1 a: 1:4 1\n  2:1 b: 2:4 []\n    2:5 2\n"
                               "  3:1 c: 3:4 {}\n    3:5 d: 3:8 3\n");
    spot_yaml_free(&document);
    spot_diag_free(&diag);
}

static void test_set_replaces_scalars_and_lists_on_the_way(void **state)
{
    static const char expected[] = "1:1 {}\n  1:1 a: 1:1 {}\n    1:1 b: 1:1 9\n";

    (void) state;
    assert_set("a: 1\n", "a.b", expected);
    assert_set("a: [1, 2]\n", "a.b", expected);
    assert_set("a:\n", "a.b", expected);
    assert_set("[1]\n", "a.b", expected);
}

static void test_set_refuses_empty_keys(void **state)
{
    static const char *const paths[] = {"", ".", ".b", "b.", "b..c", "[0]", "a[0", "a[]", "a[x]",
        "a[-1]", "a[0]b", "a[0].", "a.[0]", "a[1234567890]"};
    spot_yaml_t document;
    spot_diag_t diag;

    (void) state;
    assert_int_equal(parse(&document, &diag, "a: 1\n"), 0);
    for (size_t j = 0; j < sizeof(paths) / sizeof(paths[0]); j++) {
        assert_int_equal(spot_yaml_set(&document, paths[j], document.root), SPOT_ERR_BAD_PARAM);
    }
    assert_tree(document.root, "1:1 {}\n  1:1 a: 1:4 1\n");
    spot_yaml_free(&document);
    spot_diag_free(&diag);
}

static void test_set_goes_into_lists(void **state)
{
    static const char text[] = "a:\n- {b: 1}\n- [2, 3]\n";

    (void) state;
    assert_set("a: [1, 2]\n", "a[1]", "1:1 {}\n  1:1 a: 1:4 []\n    1:5 1\n    1:1 9\n");
    assert_set(text, "a[0].b",
        "1:1 {}\n  1:1 a: 2:1 []\n    2:3 {}\n      2:4 b: 1:1 9\n"
        "    3:3 []\n      3:4 2\n      3:7 3\n");
    assert_set(text, "a[0].c.d",
        "1:1 {}\n  1:1 a: 2:1 []\n    2:3 {}\n      2:4 b: 2:7 1\n"
        "      1:1 c: 1:1 {}\n        1:1 d: 1:1 9\n"
        "    3:3 []\n      3:4 2\n      3:7 3\n");
    assert_set(text, "a[1][0]",
        "1:1 {}\n  1:1 a: 2:1 []\n    2:3 {}\n      2:4 b: 2:7 1\n"
        "    3:3 []\n      1:1 9\n      3:7 3\n");
    assert_set(text, "a[1].b", /* no map: replaced by one, as elsewhere */
        "1:1 {}\n  1:1 a: 2:1 []\n    2:3 {}\n      2:4 b: 2:7 1\n"
        "    1:1 {}\n      1:1 b: 1:1 9\n");
}

static void test_places_of_paths(void **state)
{
    static const struct {
        const char *path;
        size_t line;
    } cases[] = {{"a", 2}, {"a[0]", 2}, {"a[1]", 3}, {"a[1].b", 3}, {"a[2]", 5}, {"a[2][1].x", 6},
        {"a[3]", 2}, {"a[2][9]", 5}, {"a.b", 2}, {"c", 1}, {"c[0]", 1}};
    spot_yaml_t document;
    spot_diag_t diag;

    (void) state;
    assert_int_equal(parse(&document, &diag, "a:\n- 1\n- b: 1\n-\n  - 2\n  - x: 3\n"), 0);
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        const size_t line = spot_node_place(document.root, cases[j].path)->line;

        if (line != cases[j].line) {
            fail_msg("%s: line %zu", cases[j].path, line);
        }
    }
    spot_yaml_free(&document);
    spot_diag_free(&diag);
}

static void test_set_finds_keys_with_dots_where_they_are_whole(void **state)
{
    (void) state;
    assert_set("sweep: {\"a[0]\": 1, a: [2]}\n", "sweep.a[0]",
        "1:1 {}\n"
        "  1:1 sweep: 1:8 {}\n"
        "    1:9 a[0]: 1:1 9\n"
        "    1:20 a: 1:23 []\n"
        "      1:24 2\n");
    assert_set("sweep: {a.b: 1, a: {b: 2}}\n", "sweep.a.b",
        "1:1 {}\n"
        "  1:1 sweep: 1:8 {}\n"
        "    1:9 a.b: 1:1 9\n"
        "    1:17 a: 1:20 {}\n"
        "      1:21 b: 1:24 2\n");
}

/* Parses text, carries out the assignment, compares the tree or, if it is bad, both. */
static void assert_assigned(
    const char *text, const char *assignment, const char *tree, const char *report)
{
    spot_yaml_t document;
    spot_diag_t diag;

    assert_int_equal(parse(&document, &diag, text), 0);
    assert_int_equal(spot_yaml_assign(&document, "--set", assignment, &diag),
        *report == '\0' ? 0 : SPOT_ERR_BAD_INPUT);
    assert_report(&diag, report);
    assert_tree(document.root, tree);
    spot_yaml_free(&document);
    spot_diag_free(&diag);
}

static void test_assignments_of_the_command_line(void **state)
{
    (void) state;
    assert_assigned("a: {b: 1}\n", "a.b=[2, '3']",
        "1:1 {}\n  1:1 a: 1:4 {}\n    1:5 b: 1:1 []\n      1:2 2\n      1:5 '3'\n", "");
    assert_assigned("a: {b: 1}\n", "c.d=x=y",
        "1:1 {}\n  1:1 a: 1:4 {}\n    1:5 b: 1:8 1\n  1:1 c: 1:1 {}\n    1:1 d: 1:1 "
        "x=y\n",
        "");
}

static void test_bad_assignments_change_nothing(void **state)
{
    static const char tree[] = "1:1 {}\n  1:1 a: 1:4 1\n";

    (void) state;
    assert_assigned("a: 1\n", "a", tree, "--set: expected KEY=VALUE, got \"a\"\n");
    assert_assigned("a: 1\n", "=2", tree, "--set: expected KEY=VALUE, got \"=2\"\n");
    assert_assigned("a: 1\n", "", tree, "--set: expected KEY=VALUE, got \"\"\n");
    assert_assigned("a: 1\n", "b..c=2", tree, "--set: \"b..c\" is no key\n");
    assert_assigned(
        "a: 1\n", "a[0]=2", tree, "--set: \"a[0]\": there is no [0], this is no list\n");
    assert_assigned(
        "a: 1\n", "b.c[0].d=2", tree, "--set: \"b.c[0].d\": there is no [0], this is no list\n");
    assert_assigned("a: 1\n", "a=", tree, "--set: expected KEY=VALUE, got \"a=\"\n");
    assert_assigned("a: 1\n", "a= ", tree, "--set a:1:1: file is empty\n");
    assert_assigned("a: 1\n", "a=[2", tree,
        "--set a:2:1: YAML syntax: while parsing a flow sequence did not find expected "
        "',' or ']'\n");
    assert_assigned(
        "a: 1\n", "a={b: 1, b: 2}", tree, "--set a:1:8: repeated key \"b\", first on line 1\n");
}

static void test_items_that_are_not_there(void **state)
{
    static const char tree[] =
        "1:1 {}\n  1:1 a: 1:4 []\n    1:5 1\n    1:8 []\n      1:9 2\n  2:1 b: 2:4 []\n";

    (void) state;
    assert_assigned("a: [1, [2]]\nb: []\n", "a[2]=3", tree,
        "--set: \"a[2]\": there is no [2], the list has 2 items\n");
    assert_assigned("a: [1, [2]]\nb: []\n", "a[1][1].x=3", tree,
        "--set: \"a[1][1].x\": there is no [1], the list has 1 item\n");
    assert_assigned("a: [1, [2]]\nb: []\n", "a[0][0]=3", tree,
        "--set: \"a[0][0]\": there is no [0], this is no list\n");
    assert_assigned("a: [1, [2]]\nb: []\n", "b[0]=3", tree,
        "--set: \"b[0]\": there is no [0], the list has 0 items\n");
}

/* What an assignment brings stays valid with the document, and knows whence it came. */
static void test_assigned_values_name_their_option(void **state)
{
    spot_yaml_t document;
    spot_diag_t diag;

    (void) state;
    assert_int_equal(parse(&document, &diag, "a: 1\n"), 0);
    for (int j = 0; j < 100; j++) {
        assert_int_equal(spot_yaml_assign(&document, "--set", "b.c={d: [1, 2]}", &diag), 0);
    }
    assert_string_equal(document.root->file, "f.yaml");
    assert_string_equal(spot_node_get(spot_node_get(document.root, "b"), "c")->file, "--set b.c");
    spot_yaml_free(&document);
    spot_diag_free(&diag);
}

static void test_setting_in_a_copy_leaves_the_original(void **state)
{
    (void) state;
    assert_set("a: &x {b: 1}\nc: *x\n", "c.b",
        "1:1 {}\n  1:1 a: 1:4 {}\n    1:8 b: 1:11 1\n"
        "  2:1 c: 2:4 {}\n    1:8 b: 1:1 9\n");
    assert_set("a: &x {b: 1}\nc: *x\n", "a.b",
        "1:1 {}\n  1:1 a: 1:4 {}\n    1:8 b: 1:1 9\n"
        "  2:1 c: 2:4 {}\n    1:8 b: 1:11 1\n");
}

/* What is adopted outlives the document that it comes from. */
static void test_adopt(void **state)
{
    spot_yaml_t study, list;
    spot_diag_t diag, list_diag;
    spot_node_t *root;

    (void) state;
    assert_int_equal(parse(&study, &diag, "a: 1\n"), 0);
    assert_int_equal(parse(&list, &list_diag, "[x, {y: 2}]"), 0);
    root = list.root;
    assert_int_equal(spot_yaml_adopt(&study, &list), 0);
    spot_yaml_free(&list);
    assert_int_equal(spot_yaml_set(&study, "b", root), 0);
    assert_tree(study.root, "1:1 {}\n"
                            "  1:1 a: 1:4 1\n"
                            "  1:1 b: 1:1 []\n"
                            "    1:2 x\n"
                            "    1:5 {}\n"
                            "      1:6 y: 1:9 2\n");
    spot_yaml_free(&study);
    spot_diag_free(&diag);
    spot_diag_free(&list_diag);
}

/* A sweep sets whole maps of another document. */
static void test_set_borrows_from_another_document(void **state)
{
    spot_yaml_t scenario, study;
    spot_diag_t diag, study_diag;

    (void) state;
    assert_int_equal(parse(&scenario, &diag, "a: 1\n"), 0);
    assert_int_equal(parse(&study, &study_diag, "\n\nx: {y: 2}\n"), 0);
    assert_int_equal(spot_yaml_set(&scenario, "b.c", spot_node_get(study.root, "x")), 0);
    assert_tree(scenario.root, "1:1 {}\n"
                               "  1:1 a: 1:4 1\n"
                               "  3:4 b: 3:4 {}\n"
                               "    3:4 c: 3:4 {}\n"
                               "      3:5 y: 3:8 2\n");
    spot_yaml_free(&scenario);
    assert_tree(study.root, "3:1 {}\n  3:1 x: 3:4 {}\n    3:5 y: 3:8 2\n");
    spot_yaml_free(&study);
    spot_diag_free(&diag);
    spot_diag_free(&study_diag);
}

static void test_free_twice_is_harmless(void **state)
{
    spot_yaml_t document;
    spot_diag_t diag;

    (void) state;
    assert_int_equal(parse(&document, &diag, "a: 1\n"), 0);
    spot_yaml_free(&document);
    assert_null(document.root);
    spot_yaml_free(&document);
    spot_diag_free(&diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_node_knows_its_place),
        cmocka_unit_test(test_columns_count_characters),
        cmocka_unit_test(test_it_is_known_which_scalars_are_verbatim),
        cmocka_unit_test(test_only_plain_scalars_are_not_quoted),
        cmocka_unit_test(test_a_document_may_be_marked),
        cmocka_unit_test(test_every_node_names_the_file),
        cmocka_unit_test(test_aliases_are_copies),
        cmocka_unit_test(test_unknown_anchors),
        cmocka_unit_test(test_repeated_keys_name_the_first_line),
        cmocka_unit_test(test_repeated_keys_of_a_large_map),
        cmocka_unit_test(test_what_is_not_supported),
        cmocka_unit_test(test_empty_files),
        cmocka_unit_test(test_bytes_that_are_no_text),
        cmocka_unit_test(test_syntax_errors),
        cmocka_unit_test(test_errors_before_a_syntax_error_are_kept),
        cmocka_unit_test(test_nesting_has_a_limit),
        cmocka_unit_test(test_nesting_too_deep_returns_at_once),
        cmocka_unit_test(test_aliases_cannot_nest_deeper),
        cmocka_unit_test(test_more_than_4_mib_is_refused),
        cmocka_unit_test(test_values_have_a_limit),
        cmocka_unit_test(test_aliases_cannot_multiply_text),
        cmocka_unit_test(test_keys_of_a_map_have_a_limit),
        cmocka_unit_test(test_many_large_maps_are_cheap),
        cmocka_unit_test(test_anchors_have_a_limit),
        cmocka_unit_test(test_tag_directives_have_a_limit),
        cmocka_unit_test(test_reading_a_file),
        cmocka_unit_test(test_files_that_cannot_be_read),
        cmocka_unit_test(test_a_file_that_is_too_large),
        cmocka_unit_test(test_get_finds_values_of_maps_only),
        cmocka_unit_test(test_set_replaces_values),
        cmocka_unit_test(test_set_makes_the_maps_on_the_way),
        cmocka_unit_test(test_set_replaces_scalars_and_lists_on_the_way),
        cmocka_unit_test(test_give),
        cmocka_unit_test(test_give_leaves_what_is_no_map),
        cmocka_unit_test(test_set_refuses_empty_keys),
        cmocka_unit_test(test_set_goes_into_lists),
        cmocka_unit_test(test_places_of_paths),
        cmocka_unit_test(test_set_finds_keys_with_dots_where_they_are_whole),
        cmocka_unit_test(test_assignments_of_the_command_line),
        cmocka_unit_test(test_the_document_stays_without_bad_keys),
        cmocka_unit_test(test_bad_assignments_change_nothing),
        cmocka_unit_test(test_items_that_are_not_there),
        cmocka_unit_test(test_assigned_values_name_their_option),
        cmocka_unit_test(test_setting_in_a_copy_leaves_the_original),
        cmocka_unit_test(test_adopt),
        cmocka_unit_test(test_set_borrows_from_another_document),
        cmocka_unit_test(test_free_twice_is_harmless),
    };

    return cmocka_run_group_tests_name("yaml", tests, NULL, NULL);
}
