/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Outputs must not replace inputs, databases or each other. */
#include <string.h>
#include <sys/stat.h>

#include "base/files.h"
#include "tests/unit/base/support.h"

/* A folder with a text file and a database of SQLite, and paths in it. */
typedef struct {
    char folder[PATH_BYTES];
    char text[PATH_BYTES + 16], database[PATH_BYTES + 16], new[PATH_BYTES + 16];
    char linked[PATH_BYTES + 16];
} fixture_t;

static void put(const char *path, const char *bytes, size_t num_bytes)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, num_bytes, file), num_bytes);
    assert_int_equal(fclose(file), 0);
}

static int setup(void **state)
{
    fixture_t *self = calloc(1, sizeof(*self));

    *state = self;
    if (self == NULL) {
        return -1;
    }
    test_path("files", self->folder);
    snprintf(self->text, sizeof(self->text), "%s/a.csv", self->folder);
    snprintf(self->linked, sizeof(self->linked), "%s/b.csv", self->folder);
    snprintf(self->database, sizeof(self->database), "%s/a.db", self->folder);
    snprintf(self->new, sizeof(self->new), "%s/new.csv", self->folder);
    if (mkdir(self->folder, 0700) != 0) {
        return -1;
    }
    put(self->text, "a,b\n", 4);
    put(self->database, "SQLite format 3", 16);
    return link(self->text, self->linked);
}

static int teardown(void **state)
{
    fixture_t *self = *state;

    unlink(self->text);
    unlink(self->linked);
    unlink(self->database);
    if (rmdir(self->folder) != 0) {
        return -1; /* a check left a file behind */
    }
    free(self);
    return 0;
}

/* reason NULL: the outputs are good. */
static void assert_outputs(
    const char *input, const char *first, const char *second, const char *named, const char *reason)
{
    spot_diag_t diag;
    char message[2 * PATH_BYTES];
    int ret;

    spot_diag_init(&diag);
    ret = spot_files_check((spot_files_t){2, (const char *[]){NULL, input}},
        (spot_files_t){2, (const char *[]){first, second}}, &diag);
    assert_int_equal(ret, reason == NULL ? 0 : SPOT_ERR_BAD_INPUT);
    if (reason != NULL) {
        snprintf(message, sizeof(message), "%s: %s", named, reason);
        assert_int_equal(diag.num_items, 1);
        assert_string_equal(diag.items[0].text, message);
    }
    spot_diag_free(&diag);
}

static void test_an_input_stays(void **state)
{
    static const char is_input[] =
        "is an input, which the output would replace: expected another file";
    const fixture_t *self = *state;

    assert_outputs(self->text, self->new, NULL, NULL, NULL);
    assert_outputs(self->text, self->text, NULL, self->text, is_input);
    assert_outputs(self->text, NULL, self->linked, self->linked, is_input);
    assert_outputs(self->new, self->new, NULL, self->new, is_input); /* not there */
}

static void test_a_database_stays(void **state)
{
    const fixture_t *self = *state;

    assert_outputs(NULL, self->database, NULL, self->database,
        "is a database, which the output would replace: expected another file");
}

static void test_outputs_are_apart(void **state)
{
    const fixture_t *self = *state;

    assert_outputs(NULL, self->new, self->text, NULL, NULL);
    assert_outputs(NULL, self->new, self->new, self->new, "two outputs cannot go to one file");
    assert_outputs("-", "-", NULL, NULL, NULL); /* "-" is no file */
    assert_outputs(NULL, "-", "-", "-", "two outputs cannot both go to standard output");
    assert_outputs(NULL, "/dev/null", "/dev/null", NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_an_input_stays, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_database_stays, setup, teardown),
        cmocka_unit_test_setup_teardown(test_outputs_are_apart, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
