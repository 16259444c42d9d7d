/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory_limit.h"

/* Before a test sets another. */
static void test_default_is_half_of_what_there_is(void **state)
{
    const int64_t available = spot_memory_available();

    (void) state;
    assert_true(available > 0);
    assert_true(available <= sysconf(_SC_PHYS_PAGES) * (int64_t) sysconf(_SC_PAGESIZE));
    assert_int_equal(spot_memory_limit(), available / 2);
}

static void test_what_fits_has_no_words(void **state)
{
    char text[SPOT_MEMORY_NEED_BYTES] = "before";

    (void) state;
    spot_memory_limit_set(1000);
    assert_true(spot_memory_fits(&(spot_memory_need_t){10, "queries", 1000, false}, text));
    assert_string_equal(text, "");
    assert_false(spot_memory_fits(&(spot_memory_need_t){10, "queries", 1001, false}, text));
}

static void test_words_have_count_need_and_limit(void **state)
{
    char text[SPOT_MEMORY_NEED_BYTES];

    (void) state;
    spot_memory_limit_set(INT64_C(12000000000));
    assert_false(spot_memory_fits(&(spot_memory_need_t){1e9, "queries", 32e9, true}, text));
    assert_string_equal(text, "1e9 queries take 32 GB, more than the 12 GB of --max-memory");
    assert_false(spot_memory_fits(&(spot_memory_need_t){123456, "jobs", 1.5e13, true}, text));
    assert_string_equal(text, "123456 jobs take 15 TB, more than the 12 GB of --max-memory");
    assert_false(
        spot_memory_fits(&(spot_memory_need_t){1e300, "jobs", (double) INFINITY, true}, text));
    assert_string_equal(text, "1e300 jobs take inf PB, more than the 12 GB of --max-memory");
}

static void test_errors_have_the_place(void **state)
{
    const spot_memory_need_t need = {7, "jobs", 2000, false};
    const spot_node_t node = {.file = "a.yaml", .line = 3, .column = 5};
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    spot_memory_limit_set(2000);
    assert_int_equal(spot_memory_check(&need, &diag, &node, "jobs"), 0);
    assert_int_equal(diag.num_items, 0);
    spot_memory_limit_set(1999);
    assert_int_equal(spot_memory_check(&need, &diag, &node, "jobs"), SPOT_ERR_BAD_INPUT);
    assert_int_equal(diag.num_items, 1);
    assert_string_equal(diag.items[0].text,
        "a.yaml:3:5: jobs: 7 jobs take 2 kB, more than the 1.999 kB of --max-memory");
    spot_diag_free(&diag);
}

/* By the largest run that fits; what is needed once, or does not fit, does not count. */
static void test_threads_share_the_limit(void **state)
{
    char text[SPOT_MEMORY_NEED_BYTES];

    (void) state;
    spot_memory_limit_set(INT64_C(1) << 40);
    assert_true(spot_memory_fits(&(spot_memory_need_t){1, "rows", 1e12, false}, text));
    assert_true(spot_memory_max_threads() > 1000000);
    assert_true(spot_memory_fits(&(spot_memory_need_t){1, "jobs", 3e11, true}, text));
    assert_true(spot_memory_fits(&(spot_memory_need_t){1, "jobs", 1e11, true}, text));
    assert_int_equal(spot_memory_max_threads(), 3);
    assert_false(spot_memory_fits(&(spot_memory_need_t){1, "jobs", 1e13, true}, text));
    assert_int_equal(spot_memory_max_threads(), 3);
    spot_memory_limit_set(1000);
    assert_int_equal(spot_memory_max_threads(), 1);
}

static void write_file(const char *folder, const char *name, const char *content)
{
    char path[512];
    FILE *stream;

    assert_true(snprintf(path, sizeof(path), "%s/%s", folder, name) > 0);
    stream = fopen(path, "w");
    assert_non_null(stream);
    fputs(content, stream);
    assert_int_equal(fclose(stream), 0);
}

/* A group inherits the limits of those above it; "max" and numbers near 2^63 are none. */
static void test_least_limit_of_a_group_and_its_parents(void **state)
{
    char root[] = "/tmp/spotsim-groups-XXXXXX", path[256];

    (void) state;
    assert_non_null(mkdtemp(root));
    snprintf(path, sizeof(path), "%s/a", root);
    assert_int_equal(mkdir(path, 0777), 0);
    snprintf(path, sizeof(path), "%s/a/b", root);
    assert_int_equal(mkdir(path, 0777), 0);
    assert_int_equal(spot_memory_group_limit(root, "/a/b", "memory.max"), 0);
    write_file(root, "a/b/memory.max", "max\n");
    write_file(root, "memory.max", "9223372036854771712\n");
    assert_int_equal(spot_memory_group_limit(root, "/a/b", "memory.max"), 0);
    write_file(root, "a/memory.max", "5000\n");
    assert_int_equal(spot_memory_group_limit(root, "/a/b", "memory.max"), 5000);
    write_file(root, "a/b/memory.max", "7000\n");
    assert_int_equal(spot_memory_group_limit(root, "/a/b", "memory.max"), 5000);
    write_file(root, "a/b/memory.max", "3000\n");
    assert_int_equal(spot_memory_group_limit(root, "/a/b", "memory.max"), 3000);
    assert_int_equal(spot_memory_group_limit(root, "/", "memory.max"), 0);
    for (size_t j = 0; j < 3; j++) {
        static const char *const files[] = {"a/b/memory.max", "a/memory.max", "memory.max"};
        static const char *const folders[] = {"a/b", "a", ""};

        snprintf(path, sizeof(path), "%s/%s", root, files[j]);
        assert_int_equal(unlink(path), 0);
        snprintf(path, sizeof(path), "%s/%s", root, folders[j]);
        assert_int_equal(rmdir(path), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_default_is_half_of_what_there_is),
        cmocka_unit_test(test_what_fits_has_no_words),
        cmocka_unit_test(test_words_have_count_need_and_limit),
        cmocka_unit_test(test_errors_have_the_place),
        cmocka_unit_test(test_threads_share_the_limit),
        cmocka_unit_test(test_least_limit_of_a_group_and_its_parents),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
