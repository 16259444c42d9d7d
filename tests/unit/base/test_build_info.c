/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>
#include <sys/utsname.h>
#include <zlib.h>

#include "base/provenance.h"
#include "tests/unit/base/support.h"

static void test_facts_are_there(void **state)
{
    (void) state;
    assert_true(spot_build_info.version[0] >= '0' && spot_build_info.version[0] <= '9');
    assert_non_null(strchr(spot_build_info.compiler, ' '));
    assert_true(strlen(spot_build_info.build) > 0);
    assert_true(strlen(spot_build_info.commit) > 0); /* tests/structure/commit.sh */
}

static void test_libraries_tell_their_versions(void **state)
{
    const spot_library_t *zlib = NULL, *csv = NULL, *library = spot_base_libraries;

    (void) state;
    for (; library->name != NULL; library++) {
        const char *version = library->version();

        assert_true(version[0] >= '0' && version[0] <= '9');
        zlib = strcmp(library->name, "zlib") == 0 ? library : zlib;
        csv = strcmp(library->name, "libcsv") == 0 ? library : csv;
    }
    assert_non_null(zlib);
    assert_string_equal(zlib->version(), zlibVersion());
    assert_non_null(csv);
    assert_null(strstr(csv->version(), "CSV")); /* numbers, not names of macros */
}

static void test_machine_is_this_one(void **state)
{
    spot_machine_t machine;
    struct utsname system;

    (void) state;
    spot_machine_read(&machine);
    assert_int_equal(uname(&system), 0);
    assert_string_equal(machine.host, system.nodename);
    assert_string_equal(machine.architecture, system.machine);
    assert_true(machine.num_processors >= 1);
    assert_true(machine.memory_bytes > 1 << 20);
    assert_null(strchr(machine.processor, '\n'));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_facts_are_there),
        cmocka_unit_test(test_libraries_tell_their_versions),
        cmocka_unit_test(test_machine_is_this_one),
    };

    return cmocka_run_group_tests_name("build_info", tests, NULL, NULL);
}
