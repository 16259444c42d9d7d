/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/bench/engine/scenario_file.h"
#include "tests/unit/base/support.h"

#define LAWS "per_hour: 5\ncheckpoint: {every: 1 h, write: 10 s}\n"

/* Carries out one change of a document whose jobs come from a file of laws. */
static void change(
    spot_yaml_t *document, const char *path, const char *set, int expected, spot_diag_t *diag)
{
    const spot_scenario_changes_t changes = {.num_sets = 1, .sets = &set};
    char text[1024];

    snprintf(text, sizeof(text), "jobs: {generate: \"%s\", jitter: 30 s}\n", path);
    spot_diag_init(diag);
    assert_int_equal(spot_yaml_parse(document, "s.yaml", text, strlen(text), diag), 0);
    assert_int_equal(spot_scenario_change(document, &changes, diag), expected);
}

static void assert_text(const spot_yaml_t *document, const char *path, const char *text)
{
    const spot_node_t *node = spot_node_at(document->root, path);

    assert_non_null(node);
    assert_string_equal(node->text, text);
}

/* A key below the path of a file changes only that key of its content. */
static void test_key_of_a_file(void **state)
{
    spot_yaml_t document;
    spot_diag_t diag;
    char path[PATH_BYTES];

    (void) state;
    test_path("laws.yaml", path);
    write_file(path, LAWS, strlen(LAWS));
    change(&document, path, "jobs.generate.checkpoint.every=2 h", 0, &diag);
    assert_text(&document, "jobs.generate.per_hour", "5");
    assert_text(&document, "jobs.generate.checkpoint.every", "2 h");
    assert_text(&document, "jobs.generate.checkpoint.write", "10 s");
    assert_text(&document, "jobs.jitter", "30 s");
    assert_string_equal(spot_node_at(document.root, "jobs.generate.per_hour")->file, path);
    spot_yaml_free(&document);
    spot_diag_free(&diag);
    assert_int_equal(unlink(path), 0);
}

/* Other keys leave the path as it is, and another value replaces it. */
static void test_other_keys(void **state)
{
    static const char *const sets[] = {
        "jobs.jitter=1 s", "jobs.generate=other.yaml", "jobs.generates.per_hour=1"};
    static const char *const values[] = {"no_such.yaml", "other.yaml", "no_such.yaml"};

    (void) state;
    for (size_t j = 0; j < sizeof(sets) / sizeof(sets[0]); j++) {
        spot_yaml_t document;
        spot_diag_t diag;

        change(&document, "no_such.yaml", sets[j], 0, &diag);
        assert_text(&document, "jobs.generate", values[j]);
        spot_yaml_free(&document);
        spot_diag_free(&diag);
    }
}

static void test_no_file(void **state)
{
    spot_yaml_t document;
    spot_diag_t diag;

    (void) state;
    change(&document, "no_such.yaml", "jobs.generate.per_hour=1", SPOT_ERR_IO, &diag);
    assert_report(&diag, "no_such.yaml: cannot open: No such file or directory\n");
    spot_yaml_free(&document);
    spot_diag_free(&diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_key_of_a_file),
        cmocka_unit_test(test_other_keys),
        cmocka_unit_test(test_no_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
