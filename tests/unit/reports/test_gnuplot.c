/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each test has a folder of its own, so that it sees everything that is left behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "reports/gnuplot.h"
#include "tests/unit/reports/sample.h"

typedef struct {
    char folder[512];
    char path[540]; /* "picture.svg" in it */
    spot_diag_t diag;
} fixture_t;

static int
setup(void **state)
{
    fixture_t *self = calloc(1, sizeof(*self));

    *state = self;
    if (self == NULL) {
        return -1;
    }
    snprintf(self->folder, sizeof(self->folder), "%s", sample_path("gnuplot"));
    snprintf(self->path, sizeof(self->path), "%s/picture.svg", self->folder);
    spot_diag_init(&self->diag);
    return mkdir(self->folder, 0700);
}

static int
teardown(void **state)
{
    fixture_t *self = *state;

    spot_diag_free(&self->diag);
    if (rmdir(self->folder) != 0) {
        return -1; /* something was left behind */
    }
    free(self);
    return 0;
}

/* context: the text of the script. */
static int
write_text(const void *context, const char *picture_path, FILE *out)
{
    const char *text = context;

    assert_null(picture_path);
    return fputs(text, out) < 0 ? SPOT_ERR_IO : 0;
}

static int
refuse(const void *context, const char *picture_path, FILE *out)
{
    (void) context;
    (void) picture_path;
    (void) out;
    return SPOT_ERR_NO_MEMORY;
}

/* Runs a script that must fail, with that in the only message. */
static void
assert_failure(fixture_t *self, const char *script, int expected, const char *message)
{
    assert_int_equal(
        spot_gnuplot_run(write_text, script, self->path, &self->diag), expected);
    assert_int_equal(self->diag.num_items, 1);
    if (strstr(self->diag.items[0].text, message) == NULL) {
        fail_msg("%s", self->diag.items[0].text);
    }
    assert_int_equal(
        strncmp(self->diag.items[0].text, self->path, strlen(self->path)), 0);
}

static void
test_a_picture_appears(void **state)
{
    fixture_t *self = *state;

    sample_need_gnuplot();
    assert_int_equal(spot_gnuplot_run(write_text, "set terminal svg\nplot x\n",
                         self->path, &self->diag),
        0);
    assert_int_equal(self->diag.num_items, 0);
    sample_assert_svg(self->path);
}

/* gnuplot takes no notice of what it cannot write. */
static void
test_a_full_device_says_so(void **state)
{
    fixture_t *self = *state;

    sample_need_gnuplot();
    assert_int_equal(spot_gnuplot_run(write_text, "set terminal svg\nplot x\n",
                         "/dev/full", &self->diag),
        SPOT_ERR_IO);
    assert_int_equal(self->diag.num_items, 1);
    assert_string_equal(
        self->diag.items[0].text, "/dev/full: cannot write: No space left on device");
}

static void
test_a_picture_that_is_not_whole_is_refused(void **state)
{
    fixture_t *self = *state;

    sample_need_gnuplot();
    assert_failure(self, "set terminal dumb\nplot x\n", SPOT_ERR_CHILD,
        "gnuplot drew no whole picture");
    assert_int_not_equal(access(self->path, F_OK), 0);
}

static void
test_a_failing_script_leaves_no_file(void **state)
{
    fixture_t *self = *state;

    sample_need_gnuplot();
    assert_failure(self, "set terminal svg\nplot x\nplot nonsense(x)\n", SPOT_ERR_CHILD,
        "gnuplot failed: undefined function: nonsense");
    assert_int_not_equal(access(self->path, F_OK), 0);
}

static void
test_a_failing_script_keeps_the_old_picture(void **state)
{
    fixture_t *self = *state;
    FILE *file;
    char *text;

    sample_need_gnuplot();
    file = fopen(self->path, "w");
    assert_non_null(file);
    fputs("old", file);
    fclose(file);
    assert_failure(
        self, "exit status 3\n", SPOT_ERR_CHILD, "gnuplot failed: it gives no reason");
    text = sample_read(self->path);
    assert_string_equal(text, "old");
    free(text);
    assert_int_equal(unlink(self->path), 0);
}

/* More script than gnuplot reads: with a pipe this would raise SIGPIPE. */
static void
test_gnuplot_that_stops_reading(void **state)
{
    fixture_t *self = *state;
    char *script;

    sample_need_gnuplot();
    script = malloc(1 << 20);
    assert_non_null(script);
    memset(script, '\n', 1 << 20);
    memcpy(script, "exit status 1\n", 14);
    script[(1 << 20) - 1] = '\0';
    assert_failure(self, script, SPOT_ERR_CHILD, "gnuplot failed");
    free(script);
}

static void
test_gnuplot_is_missing(void **state)
{
    fixture_t *self = *state;
    const char *path = getenv("PATH");
    char *kept = strdup(path == NULL ? "" : path);

    assert_non_null(kept);
    assert_int_equal(setenv("PATH", self->folder, 1), 0);
    assert_failure(self, "plot x\n", SPOT_ERR_CHILD,
        "gnuplot is not installed: install the package gnuplot-nox");
    assert_int_equal(setenv("PATH", kept, 1), 0);
    free(kept);
}

static void
test_a_folder_that_does_not_exist(void **state)
{
    fixture_t *self = *state;

    snprintf(self->path, sizeof(self->path), "%s/none/picture.svg", self->folder);
    assert_failure(self, "plot x\n", SPOT_ERR_IO, "cannot write: No such file");
}

static void
test_errors_of_the_script_writer(void **state)
{
    fixture_t *self = *state;

    assert_int_equal(
        spot_gnuplot_run(refuse, NULL, self->path, &self->diag), SPOT_ERR_NO_MEMORY);
    assert_int_not_equal(access(self->path, F_OK), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_picture_appears),
        TEST(test_a_full_device_says_so),
        TEST(test_a_picture_that_is_not_whole_is_refused),
        TEST(test_a_failing_script_leaves_no_file),
        TEST(test_a_failing_script_keeps_the_old_picture),
        TEST(test_gnuplot_that_stops_reading),
        TEST(test_gnuplot_is_missing),
        TEST(test_a_folder_that_does_not_exist),
        TEST(test_errors_of_the_script_writer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
