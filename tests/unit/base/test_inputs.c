/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The journal of files. The test works in a folder of its own: study/ with what belongs
 * to it, and other/ beside it. */
#define _XOPEN_SOURCE 700 /* realpath() */
#include <limits.h>
#include <sha2.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/canonical.h"
#include "base/csv.h"
#include "base/inputs.h"
#include "base/yaml.h"
#include "tests/unit/base/support.h"

static char folder[PATH_MAX]; /* as much as realpath() may write */
static const char content[] = "a,b\n1,2\n";

static int enter_folder(void **state)
{
    char name[PATH_BYTES];

    (void) state;
    test_path("inputs-XXXXXX", name);
    assert_non_null(mkdtemp(name));
    assert_non_null(realpath(name, folder));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(mkdir("study", 0700), 0);
    assert_int_equal(mkdir("other", 0700), 0);
    write_file("study/p.csv", content, strlen(content));
    write_file("other/p.csv", "other\n", 6);
    return 0;
}

static int leave_folder(void **state)
{
    static const char *const names[] = {"study/p.csv", "other/p.csv", "study/p.csv.gz",
        "study/m.yaml", "study/big.csv", "study", "other"};

    (void) state;
    assert_int_equal(chdir(folder), 0);
    for (size_t j = 0; j < sizeof(names) / sizeof(names[0]); j++) {
        remove(names[j]);
    }
    assert_int_equal(chdir("/"), 0);
    return rmdir(folder);
}

/* Reads the first num_bytes of a file. */
static void read_file(spot_inputs_t *inputs, const char *path, size_t num_bytes)
{
    char buffer[64];
    size_t num_read;
    spot_instream_t stream;
    spot_diag_t diag;

    spot_diag_init(&diag);
    diag.inputs = inputs;
    assert_int_equal(spot_instream_open(&stream, path, &diag), 0);
    assert_int_equal(spot_instream_read(&stream, buffer, num_bytes, &num_read, &diag), 0);
    spot_instream_close(&stream);
    spot_diag_free(&diag);
}

static void assert_hash(const spot_inputs_t *inputs, const char *path, const char *bytes)
{
    char expected[SPOT_SHA256_TEXT_BYTES];

    SHA256Data((const uint8_t *) bytes, strlen(bytes), expected);
    assert_non_null(spot_inputs_find(inputs, path));
    assert_string_equal(spot_inputs_find(inputs, path)->sha256, expected);
}

/* In whole, however much was read; a gzip file counts by what is in it. */
static void test_content_is_hashed(void **state)
{
    spot_inputs_t inputs = {0};
    gzFile gzip = gzopen("study/p.csv.gz", "wb");

    (void) state;
    assert_int_equal(gzwrite(gzip, content, (unsigned) strlen(content)), (int) strlen(content));
    assert_int_equal(gzclose(gzip), Z_OK);
    for (size_t num_bytes = 0; num_bytes < 20; num_bytes++) {
        read_file(&inputs, "study/p.csv", num_bytes);
        read_file(&inputs, "study/p.csv.gz", num_bytes);
        assert_hash(&inputs, "study/p.csv", content);
        assert_hash(&inputs, "study/p.csv.gz", content);
        assert_int_equal(inputs.num_inputs, 2);
        spot_inputs_free(&inputs);
    }
    read_file(NULL, "study/p.csv", 3); /* nobody asks */
}

/* Longer than all buffers, byte by byte the same as its hash in one piece. */
static void test_long_files(void **state)
{
    enum { NUM_BYTES = 300000 };
    char *bytes = malloc(NUM_BYTES + 1);
    spot_inputs_t inputs = {0};
    spot_csv_t *csv = NULL;
    spot_csv_row_t row;
    spot_diag_t diag;

    (void) state;
    for (size_t j = 0; j < NUM_BYTES; j++) {
        bytes[j] = j % 7 == 6 ? '\n' : (char) ('a' + j % 11);
    }
    bytes[NUM_BYTES] = '\0';
    write_file("study/big.csv", bytes, NUM_BYTES);
    spot_diag_init(&diag);
    diag.inputs = &inputs;
    assert_int_equal(spot_csv_open(&csv, "study/big.csv", &diag), 0);
    assert_int_equal(spot_csv_next(csv, &row), 1); /* and no more */
    spot_csv_close(csv);
    assert_hash(&inputs, "study/big.csv", bytes);
    spot_inputs_free(&inputs);
    spot_diag_free(&diag);
    free(bytes);
}

static void test_yaml_is_kept_and_what_fails_is_not(void **state)
{
    spot_inputs_t inputs = {0};
    spot_instream_t stream;
    spot_yaml_t document;
    spot_diag_t diag;

    (void) state;
    write_file("study/m.yaml", "a: 1\n", 5);
    write_file("study/p.csv.gz", "\x1f\x8b\x08\x00 damaged", 12);
    spot_diag_init(&diag);
    diag.inputs = &inputs;
    assert_int_equal(spot_yaml_read(&document, "study/m.yaml", &diag), 0);
    spot_yaml_free(&document);
    assert_hash(&inputs, "study/m.yaml", "a: 1\n");
    assert_int_equal(spot_instream_open(&stream, "study/none.csv", &diag), SPOT_ERR_IO);
    spot_instream_close(&stream);
    assert_int_equal(spot_instream_open(&stream, "study/p.csv.gz", &diag), 0);
    spot_instream_close(&stream);
    assert_int_equal(inputs.num_inputs, 1);
    spot_inputs_free(&inputs);
    spot_diag_free(&diag);
}

static void assert_name(const char *study, const char *path, const char *also, const char *expected)
{
    spot_inputs_t inputs = {0};
    spot_diag_t diag;

    spot_diag_init(&diag);
    read_file(&inputs, path, 1);
    if (also != NULL) {
        read_file(&inputs, also, 1);
    }
    assert_int_equal(spot_inputs_name(&inputs, study, &diag), 0);
    assert_string_equal(spot_inputs_find(&inputs, path)->name, expected);
    spot_inputs_free(&inputs);
    spot_diag_free(&diag);
}

/* The same on every machine that has the same tree. */
static void test_names_hold_anywhere(void **state)
{
    char study[PATH_BYTES + 32], inside[PATH_BYTES + 32], beside[PATH_BYTES + 32],
        outside[PATH_BYTES + 32];

    (void) state;
    snprintf(study, sizeof(study), "%s/study/study.yaml", folder);
    snprintf(inside, sizeof(inside), "%s/study/p.csv", folder);
    snprintf(beside, sizeof(beside), "%s/study/../other/p.csv", folder);
    snprintf(outside, sizeof(outside), "%s/other/p.csv", folder);
    /* as a file names them, or the command line, which is relative to where one is */
    assert_name("study/study.yaml", "study/p.csv", NULL, "p.csv");
    assert_name("study/study.yaml", "study/./p.csv", NULL, "p.csv");
    assert_name("study/study.yaml", "study/../other/p.csv", NULL, "../other/p.csv");
    assert_name("study/study.yaml", "other/p.csv", NULL, "../other/p.csv");
    assert_name("study/study.yaml", inside, NULL, "p.csv");
    assert_name(study, "study/p.csv", NULL, "p.csv");
    assert_name(study, inside, NULL, "p.csv");
    assert_name(study, beside, NULL, "../other/p.csv");
    assert_name("study.yaml", "other/p.csv", NULL, "other/p.csv");
    /* by an absolute path: its end, as much as is needed */
    assert_name("study/study.yaml", outside, NULL, ".../p.csv");
    assert_name("study/study.yaml", outside, "study/p.csv", ".../other/p.csv");
}

static void test_a_change_between_two_readings_is_told(void **state)
{
    spot_inputs_t inputs = {0};
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    read_file(&inputs, "other/p.csv", 1);
    read_file(&inputs, "other/p.csv", 1);
    assert_int_equal(spot_inputs_name(&inputs, "s.yaml", &diag), 0);
    write_file("other/p.csv", "otheR\n", 6);
    read_file(&inputs, "other/p.csv", 1);
    assert_int_equal(spot_inputs_name(&inputs, "s.yaml", &diag), SPOT_ERR_BAD_INPUT);
    assert_report(&diag, "other/p.csv: it has changed while it was being read: start again\n");
    spot_inputs_free(&inputs);
    spot_diag_free(&diag);
}

/* Values that name files name them as the journal does, in every kind of field. */
static void test_canonical_form_has_the_files(void **state)
{
    static const spot_field_t fields[] = {
        {.name = "path", .type = SPOT_FIELD_PATH},
        {.name = "any", .type = SPOT_FIELD_CUSTOM},
        {.name = NULL},
    };
    static const char yaml[] = "{path: ./p.csv, any: {file: ../study/p.csv, b: x.csv}}";
    spot_inputs_t inputs = {0};
    spot_canonical_t list = {0};
    spot_yaml_t document;
    spot_diag_t diag;
    char *text, expected[512];

    (void) state;
    spot_diag_init(&diag);
    read_file(&inputs, "study/./p.csv", 1);
    read_file(&inputs, "study/../study/p.csv", 1);
    assert_int_equal(spot_inputs_name(&inputs, "study/s.yaml", &diag), 0);
    assert_int_equal(spot_yaml_parse(&document, "study/s.yaml", yaml, strlen(yaml), &diag), 0);
    assert_int_equal(spot_canonical_make(&list, fields, document.root, &inputs), 0);
    text = spot_canonical_text(&list);
    snprintf(expected, sizeof(expected),
        "any:\n  b: x.csv\n  file: \"../study/p.csv\"\n"
        "files:\n  \"../study/p.csv\": %s\n  p.csv: %s\npath: p.csv\n",
        inputs.inputs[0].sha256, inputs.inputs[0].sha256);
    assert_string_equal(text, expected);
    free(text);
    spot_canonical_free(&list);
    spot_yaml_free(&document);
    spot_inputs_free(&inputs);
    spot_diag_free(&diag);
}

/* A file in memory is read in place of the one that is there, under its path as given or
 * absolute, by lists that are made from another one too; others are read as before. */
static void test_memory(void **state)
{
    static const char made[] = "made,up\n";
    spot_memory_files_t files = {0};
    spot_inputs_t inputs = {0};
    spot_diag_t diag, like;
    spot_instream_t stream;
    char buffer[64], absolute[2 * PATH_BYTES];
    const char *paths[] = {"study/p.csv", absolute, "no/file.csv", "other/p.csv"};

    (void) state;
    write_file("other/p.csv", "other\n", 6);
    snprintf(absolute, sizeof(absolute), "%s/study/p.csv", folder);
    assert_int_equal(spot_memory_files_add(&files, "study/p.csv", made, strlen(made)), 0);
    assert_int_equal(spot_memory_files_add(&files, "no/file.csv", made, strlen(made)), 0);
    spot_diag_init(&diag);
    diag.memory = &files;
    spot_diag_init_like(&like, &diag);
    like.inputs = &inputs;
    for (size_t j = 0; j < sizeof(paths) / sizeof(paths[0]); j++) {
        const char *expected = j == 3 ? "other\n" : made;
        size_t num_read;

        assert_int_equal(spot_instream_open(&stream, paths[j], &like), 0);
        assert_int_equal(
            spot_instream_read(&stream, buffer, sizeof(buffer) - 1, &num_read, &like), 0);
        spot_instream_close(&stream);
        buffer[num_read] = '\0';
        assert_string_equal(buffer, expected);
        assert_hash(&inputs, paths[j], expected);
    }
    /* A study reads again with its journal alone. */
    spot_diag_free(&like);
    spot_diag_init(&like);
    inputs.memory = &files;
    like.inputs = &inputs;
    assert_int_equal(spot_instream_open(&stream, "no/file.csv", &like), 0);
    spot_instream_close(&stream);
    assert_int_equal(spot_inputs_check(&inputs, &diag), 0);
    spot_diag_free(&like);
    spot_diag_free(&diag);
    spot_inputs_free(&inputs);
    spot_memory_files_free(&files);
}

static void assert_moved(const char *file, const char *to, const char *text, const char *expected)
{
    static const spot_moved_file_t moved[] = {{"study/log.jsonl", "log.csv"}};
    spot_inputs_t inputs = {0};
    spot_texts_t texts = {.open = NULL};
    const spot_yaml_move_t move = {
        .file = file, .inputs = &inputs, .folder = to, .num_moved = 1, .moved = moved};
    const char *written;
    spot_diag_t diag;

    spot_diag_init(&diag);
    read_file(&inputs, "study/p.csv", 1);
    read_file(&inputs, "study/../other/p.csv", 1);
    written = spot_yaml_moved(&move, text, &texts, &diag);
    assert_non_null(written);
    assert_string_equal(written, expected);
    spot_texts_free(&texts);
    spot_inputs_free(&inputs);
    spot_diag_free(&diag);
}

/* Paths of files that were read hold in another folder; the rest stays. */
static void test_documents_move(void **state)
{
    (void) state;
    assert_moved("study/s.yaml", "other",
        "# p.csv\na: p.csv # ö\nb: [{x: \"ö\", y: p.csv, p.csv: 'p.csv'}, \"../other/p.csv\"]\n"
        "c: log.jsonl\nd: pp.csv\n",
        "# p.csv\na: \"../study/p.csv\" # ö\nb: [{x: \"ö\", y: \"../study/p.csv\", p.csv: "
        "\"../study/p.csv\"}, \"p.csv\"]\nc: \"log.csv\"\nd: pp.csv\n");
    /* In the folder where it was only what has another name is changed. */
    assert_moved("study/s.yaml", "study/../study/", "a: p.csv\nb: {c: log.jsonl}\n",
        "a: p.csv\nb: {c: \"log.csv\"}\n");
    assert_moved("study/s.yaml", ".", "a: 'p.csv'", "a: \"study/p.csv\"");
    assert_moved("study/s.yaml", ".", "scenario: none\n", "scenario: none\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_content_is_hashed),
        cmocka_unit_test(test_long_files),
        cmocka_unit_test(test_yaml_is_kept_and_what_fails_is_not),
        cmocka_unit_test(test_names_hold_anywhere),
        cmocka_unit_test(test_canonical_form_has_the_files),
        cmocka_unit_test(test_a_change_between_two_readings_is_told),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_documents_move),
    };

    return cmocka_run_group_tests_name("inputs", tests, enter_folder, leave_folder);
}
