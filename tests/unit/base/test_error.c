/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"

/* Codes and texts are what users of the library may rely on. */
static void test_codes_and_texts_are_stable(void **state)
{
    (void) state;
    assert_string_equal(spot_error_text(0), "no error");
    assert_string_equal(spot_error_text(-1), "out of memory");
    assert_string_equal(spot_error_text(-2), "bad parameter");
    assert_string_equal(spot_error_text(-3), "bad input, see the diagnostics");
    assert_string_equal(spot_error_text(-4), "reading or writing failed");
    assert_string_equal(spot_error_text(-5), "call in the wrong order");
    assert_string_equal(spot_error_text(-6), "interrupted");
    assert_string_equal(spot_error_text(-7), "a helper program failed");
    assert_string_equal(spot_error_text(1), "unknown error");
    assert_string_equal(spot_error_text(-1000), "unknown error");
    assert_int_equal(SPOT_ERR_CHILD, -7);
}

static void fail_an_assertion(int descriptor)
{
    const int one = 1;

    dup2(descriptor, STDERR_FILENO);
    signal(SIGABRT, SIG_DFL);
    spot_bug_assert(one == 1);
    spot_bug_assert(one == 2);
    _exit(0);
}

static void test_bug_assert_says_where_and_aborts(void **state)
{
    char text[512] = "";
    int ends[2], status = 0;
    ssize_t num_bytes;
    pid_t child;

    (void) state;
    assert_int_equal(pipe(ends), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        fail_an_assertion(ends[1]);
    }
    close(ends[1]);
    num_bytes = read(ends[0], text, sizeof(text) - 1);
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
    assert_true(num_bytes > 0);
    assert_non_null(strstr(text, "spotsim: bug: "));
    assert_non_null(strstr(text, "test_error.c:"));
    assert_non_null(strstr(text, "\"one == 2\" does not hold."));
    assert_non_null(strstr(text, "Please report"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_codes_and_texts_are_stable),
        cmocka_unit_test(test_bug_assert_says_where_and_aborts),
    };

    return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
