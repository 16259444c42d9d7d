/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "base/files.h"
#include "base/rng.h"
#include "base/utf8.h"
#include "tests/unit/base/support.h"

/* ---- File names ---- */

static void test_file_names(void **state)
{
    static const char *const cases[][2] = {
        {"plain-1.csv", "plain-1.csv"},
        {"", "_"},
        {"../../etc/passwd", "_._.._etc_passwd"},
        {"-o", "_o"},
        {".hidden", "_hidden"},
        {"a b'c\"d`e$f<g>&h\\i\n", "a_b_c_d_e_f_g__h_i_"},
        {"漢字é", "漢字é"},
        {"bad\xff\xc3", "bad__"},
        {"a\xe2\x80\xae\xe2\x80\x8f\xe2\x80\xaf\xd8\x9cz", "a____z"},
    };
    char file_name[SPOT_FILE_NAME_BYTES], name[600], cut[SPOT_FILE_NAME_BYTES];

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        spot_file_name(cases[j][0], file_name);
        assert_string_equal(file_name, cases[j][1]);
    }
    for (size_t j = 0; j < sizeof(name) - 3; j += 3) {
        memcpy(name + j, "漢", 4);
    }
    spot_file_name(name, file_name);
    memset(cut, 0, sizeof(cut));
    memcpy(cut, name, 126);
    assert_string_equal(file_name, cut);
}

/* Of whatever bytes: a name that is in one folder and shows as what it is. */
static void test_any_bytes(void **state)
{
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 3, 0, 0, 0);
    for (int j = 0; j < 20000; j++) {
        char name[200], file_name[SPOT_FILE_NAME_BYTES], again[SPOT_FILE_NAME_BYTES];
        const size_t num_bytes = spot_rng_bits(&rng) % sizeof(name);

        for (size_t k = 0; k < num_bytes; k++) {
            const uint64_t bits = spot_rng_bits(&rng);

            name[k] = (char) (bits % 4 == 0 ? 0xe2 : bits % 4 == 1 ? 0x80 : bits >> 8);
        }
        name[num_bytes] = '\0';
        spot_file_name(name, file_name);
        assert_in_range(strlen(file_name), 1, SPOT_FILE_NAME_BYTES - 1);
        assert_true(file_name[0] != '.' && file_name[0] != '-');
        assert_null(strpbrk(file_name, "/\\\"'`$&|;<>()*?[]{}!# \n\t\r\x7f"));
        for (size_t k = 0; file_name[k] != '\0';) {
            const size_t length = spot_utf8_length(file_name + k, strlen(file_name + k));

            assert_true(length > 0);
            assert_true((unsigned char) file_name[k] >= 0x20);
            k += length;
        }
        assert_null(strstr(file_name, "\xe2\x80\xae")); /* text from right to left */
        assert_null(strstr(file_name, "\xe2\x80\x8b")); /* a blank without width */
        spot_file_name(file_name, again);
        assert_string_equal(again, file_name);
    }
}

/* Data that give one file name, on file systems that do not tell capitals apart either. */
static void test_names_of_a_folder_are_different(void **state)
{
    static const char *const cases[][2] = {
        {"a b", "a_b"},
        {"a_b", "a_b_"},
        {"a/b", "a_b__"},
        {"A_B", "A_B___"},
        {"a_b_", "a_b____"}, /* behind all that begin so */
        {"../x", "_._x"},
        {"", "_"},
        {".", "__"},
        {"..", "_."},
        {"\xc3\x84rger", "\xc3\x84rger"},
        {"\xc3\xa4rger", "\xc3\xa4rger_"},
        {"\xce\x9f\xce\x94\xce\x9f\xce\xa3", "\xce\x9f\xce\x94\xce\x9f\xce\xa3"},
        {"\xce\xbf\xce\xb4\xce\xbf\xcf\x82", "\xce\xbf\xce\xb4\xce\xbf\xcf\x82_"},
        {"\xd0\x96", "\xd0\x96"},
        {"\xd0\xb6", "\xd0\xb6_"},
        {"\xc4\x80", "\xc4\x80"},
        {"\xc4\x81", "\xc4\x81_"},
        {"\xc4\x82", "\xc4\x82"},
    };
    spot_file_names_t names = {.folded = {0}};

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        assert_string_equal(spot_file_names_add(&names, cases[j][0]), cases[j][1]);
    }
    spot_file_names_free(&names);
    spot_file_names_free(&names);
}

/* Names that are cut, so many that underscores alone would not fit. */
static void test_many_long_names_are_different(void **state)
{
    enum { NUM_NAMES = 300 };
    spot_file_names_t names = {.folded = {0}}, again = {.folded = {0}};
    char name[400];

    (void) state;
    memset(name, 'n', sizeof(name));
    for (size_t j = 0; j < NUM_NAMES; j++) {
        const char *own;

        snprintf(name + 300, sizeof(name) - 300, "%zu", j);
        own = spot_file_names_add(&names, name);
        assert_non_null(own);
        assert_in_range(strlen(own), 1, SPOT_FILE_NAME_BYTES - 1);
        assert_string_equal(spot_file_names_add(&again, own), own); /* it was none before */
    }
    assert_string_equal(spot_file_names_add(&names, "short"), "short");
    spot_file_names_free(&names);
    spot_file_names_free(&again);
}

/* Also where a link leads; once it is there it is not made again. */
static void test_folders(void **state)
{
    char folder[PATH_BYTES], link[PATH_BYTES], file[PATH_BYTES], expected[4 * PATH_BYTES];
    spot_diag_t diag;
    bool is_made = false;

    (void) state;
    spot_diag_init(&diag);
    test_path("folder", folder);
    test_path("link", link);
    test_path("file", file);
    assert_int_equal(symlink(strrchr(folder, '/') + 1, link), 0);
    assert_int_equal(spot_folder_make(link, &is_made, &diag), 0);
    assert_true(is_made);
    assert_int_equal(spot_folder_make(link, &is_made, &diag), 0);
    assert_false(is_made);
    assert_int_equal(spot_folder_make(folder, NULL, &diag), 0);
    assert_int_equal(unlink(link), 0);
    assert_int_equal(symlink(link, link), 0);
    write_file(file, "x", 1);
    assert_int_equal(spot_folder_make(file, NULL, &diag), SPOT_ERR_IO);
    assert_int_equal(spot_folder_make(link, NULL, &diag), SPOT_ERR_IO);
    assert_int_equal(rmdir(folder), 0);
    snprintf(folder + strlen(folder), 8, "/in");
    assert_int_equal(spot_folder_make(folder, &is_made, &diag), SPOT_ERR_IO);
    assert_false(is_made);
    snprintf(expected, sizeof(expected),
        "%s: expected a folder, but this is none\n"
        "%s: cannot make this folder: Too many levels of symbolic links\n"
        "%s: cannot make this folder: No such file or directory\n",
        file, link, folder);
    assert_report(&diag, expected);
    spot_diag_free(&diag);
    unlink(link);
    unlink(file);
}

/* ---- Files ---- */

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
        cmocka_unit_test(test_file_names),
        cmocka_unit_test(test_any_bytes),
        cmocka_unit_test(test_names_of_a_folder_are_different),
        cmocka_unit_test(test_many_long_names_are_different),
        cmocka_unit_test(test_folders),
        cmocka_unit_test_setup_teardown(test_an_input_stays, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_database_stays, setup, teardown),
        cmocka_unit_test_setup_teardown(test_outputs_are_apart, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
