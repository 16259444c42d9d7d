/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The journal of files. The test works in a folder of its own: study/ with what belongs
 * to it, and other/ beside it. */
#define _XOPEN_SOURCE 700 /* realpath() */
#include <limits.h>
#include <lzma.h>
#include <sha2.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>
#include <zstd.h>

#include "base/canonical.h"
#include "base/csv.h"
#include "base/inputs.h"
#include "base/rng.h"
#include "base/utf8.h"
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
        "study/m.yaml", "study/big.csv", "study/packed", "study", "other"};

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

/* ---- What a file is packed by, and written in ---- */

enum { MOST_BYTES = 1 << 18 };

/* A text in several forms; each returns its bytes. */
static size_t as_zstd(const char *text, size_t num_bytes, char *packed)
{
    return ZSTD_compress(packed, MOST_BYTES, text, num_bytes, 3);
}

/* Two frames, one behind the other. */
static size_t as_frames(const char *text, size_t num_bytes, char *packed)
{
    const size_t first = as_zstd(text, num_bytes / 2, packed);

    return first + ZSTD_compress(packed + first, MOST_BYTES - first, text + num_bytes / 2,
                       num_bytes - num_bytes / 2, 3);
}

static size_t as_xz(const char *text, size_t num_bytes, char *packed)
{
    size_t at = 0;

    assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, (const uint8_t *) text,
                         num_bytes, (uint8_t *) packed, &at, MOST_BYTES),
        LZMA_OK);
    return at;
}

static size_t as_gzip(const char *text, size_t num_bytes, char *packed)
{
    z_stream stream = {.next_in = (z_const Bytef *) (uintptr_t) text,
        .avail_in = (uInt) num_bytes,
        .next_out = (Bytef *) packed,
        .avail_out = MOST_BYTES};

    assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    deflateEnd(&stream);
    return stream.total_out;
}

/* A byte order mark, then units of two bytes, high_first of them. */
static size_t as_units(const char *text, size_t num_bytes, char *packed, bool high_first)
{
    size_t at = 0;

    for (size_t j = 0, length; j <= num_bytes; j += length) {
        unsigned units[2], point = 0xfeff;
        size_t num_units = 1;

        length = j == num_bytes ? 1 : spot_utf8_length(text + j, num_bytes - j);
        point = j == 0 && at == 0 ? 0xfeff : spot_utf8_code_point(text + j, length);
        length = at == 0 ? 0 : length;
        if (j == num_bytes) {
            break;
        }
        units[0] = point;
        if (point > 0xffff) {
            num_units = 2;
            units[0] = 0xd800 + ((point - 0x10000) >> 10);
            units[1] = 0xdc00 + ((point - 0x10000) & 0x3ff);
        }
        for (size_t k = 0; k < num_units; k++) {
            packed[at++] = (char) (high_first ? units[k] >> 8 : units[k] & 0xff);
            packed[at++] = (char) (high_first ? units[k] & 0xff : units[k] >> 8);
        }
    }
    return at;
}

static size_t as_little(const char *text, size_t num_bytes, char *packed)
{
    return as_units(text, num_bytes, packed, false);
}

static size_t as_big(const char *text, size_t num_bytes, char *packed)
{
    return as_units(text, num_bytes, packed, true);
}

static size_t as_marked(const char *text, size_t num_bytes, char *packed)
{
    memcpy(packed, "\xef\xbb\xbf", 3);
    memcpy(packed + 3, text, num_bytes);
    return num_bytes + 3;
}

static size_t as_little_in_xz(const char *text, size_t num_bytes, char *packed)
{
    static char units[MOST_BYTES];

    return as_xz(units, as_little(text, num_bytes, units), packed);
}

static size_t as_zstd_in_gzip(const char *text, size_t num_bytes, char *packed)
{
    static char inner[MOST_BYTES];

    return as_gzip(inner, as_zstd(text, num_bytes, inner), packed);
}

typedef size_t form_t(const char *text, size_t num_bytes, char *packed);

static form_t *const forms[] = {as_gzip, as_zstd, as_frames, as_xz, as_little, as_big, as_marked,
    as_little_in_xz, as_zstd_in_gzip};

#define NUM_FORMS (sizeof(forms) / sizeof(forms[0]))

/* Reads the file "study/packed" in pieces of a size into bytes. Returns the error. */
static int read_pieces(size_t piece_bytes, char *bytes, size_t *num_bytes, char *message)
{
    spot_instream_t stream;
    spot_diag_t diag;
    size_t num_read = piece_bytes;
    int ret;

    spot_diag_init(&diag);
    *num_bytes = 0;
    ret = spot_instream_open(&stream, "study/packed", &diag);
    while (ret == 0 && num_read == piece_bytes) {
        ret = spot_instream_read(&stream, bytes + *num_bytes, piece_bytes, &num_read, &diag);
        *num_bytes += ret == 0 ? num_read : 0;
    }
    strcpy(message, diag.num_items == 0 ? "" : diag.items[0].text);
    spot_instream_close(&stream);
    spot_diag_free(&diag);
    return ret;
}

/* A text of letters of one to four bytes, of any length. */
static size_t make_text(spot_rng_t *rng, size_t num_letters, char *text)
{
    static const char *const letters[] = {
        "a", ",", "\n", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x9a\x80"};
    size_t at = 0;

    for (size_t j = 0; j < num_letters; j++) {
        const char *letter = letters[spot_rng_below(rng, 6)];

        memcpy(text + at, letter, strlen(letter));
        at += strlen(letter);
    }
    return at;
}

static void test_forms(void **state)
{
    static const size_t pieces[] = {1, 3, 4096, 70000};
    static char text[MOST_BYTES], packed[MOST_BYTES], back[MOST_BYTES + 70000];
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 1, 0, SPOT_STREAM_COUNT, 0);
    for (size_t j = 0; j < 40 * NUM_FORMS; j++) {
        const size_t num_letters = j < NUM_FORMS ? 40000 : (size_t) spot_rng_below(&rng, 300);
        const size_t num_text = make_text(&rng, num_letters, text);
        const size_t num_packed = forms[j % NUM_FORMS](text, num_text, packed);
        size_t num_back;
        char message[200];

        write_file("study/packed", packed, num_packed);
        if (read_pieces(pieces[j % 4], back, &num_back, message) != 0) {
            fail_msg("%zu: %s", j, message);
        }
        assert_int_equal(num_back, num_text);
        assert_memory_equal(back, text, num_text);
    }
}

/* A file that is cut is never read as a whole one, but for plain text. */
static void test_cut_forms(void **state)
{
    static char text[MOST_BYTES], packed[MOST_BYTES], back[MOST_BYTES + 70000];
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 2, 0, SPOT_STREAM_COUNT, 0);
    for (size_t j = 0; j < 30 * NUM_FORMS; j++) {
        const size_t form_id = j % NUM_FORMS;
        const size_t num_text = make_text(&rng, 200, text);
        const size_t num_packed = forms[form_id](text, num_text, packed);
        const size_t least = form_id == 4 || form_id == 5 ? 2 : 6; /* its form is to be seen */
        const size_t num_kept = least + (size_t) spot_rng_below(&rng, num_packed - least);
        size_t num_back;
        char message[200];
        int ret;

        write_file("study/packed", packed, num_kept);
        ret = read_pieces(4096, back, &num_back, message);
        if (ret == 0) { /* at the end of a frame, or of a character */
            assert_true(form_id == 2 || form_id == 4 || form_id == 5 || form_id == 6);
            assert_true(num_back < num_text);
            assert_memory_equal(back, text, num_back);
        } else {
            assert_int_equal(ret, SPOT_ERR_IO);
            assert_non_null(strstr(message, "study/packed: cannot read: "));
        }
    }
}

/* A byte that is another one is an error, or text that is the same, or differs: it never ends the
 * program. */
static void test_damaged_forms(void **state)
{
    static char text[MOST_BYTES], packed[MOST_BYTES], back[MOST_BYTES + 70000];
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 3, 0, SPOT_STREAM_COUNT, 0);
    for (size_t j = 0; j < 60 * NUM_FORMS; j++) {
        const size_t num_text = make_text(&rng, 200, text);
        const size_t num_packed = forms[j % NUM_FORMS](text, num_text, packed);
        size_t num_back;
        char message[200];
        int ret;

        packed[spot_rng_below(&rng, num_packed)] ^= (char) (1 + spot_rng_below(&rng, 255));
        write_file("study/packed", packed, num_packed);
        ret = read_pieces(4096, back, &num_back, message);
        assert_true(ret == 0 || (ret == SPOT_ERR_IO && strstr(message, "cannot read: ") != NULL));
    }
}

/* By the text that is in it, not by what it is packed by; not at all if it is given up. */
static void test_journal_of_forms(void **state)
{
    static char packed[MOST_BYTES];
    spot_inputs_t inputs = {0};
    spot_instream_t stream;
    spot_diag_t diag;

    (void) state;
    write_file("study/packed", packed, as_xz(content, strlen(content), packed));
    read_file(&inputs, "study/packed", 3);
    assert_hash(&inputs, "study/packed", content);
    spot_inputs_free(&inputs);
    spot_diag_init(&diag);
    diag.inputs = &inputs;
    assert_int_equal(spot_instream_open(&stream, "study/packed", &diag), 0);
    spot_instream_give_up(&stream);
    spot_instream_close(&stream);
    assert_null(spot_inputs_find(&inputs, "study/packed"));
    spot_diag_free(&diag);
    spot_inputs_free(&inputs);
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
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_cut_forms),
        cmocka_unit_test(test_damaged_forms),
        cmocka_unit_test(test_journal_of_forms),
    };

    return cmocka_run_group_tests_name("inputs", tests, enter_folder, leave_folder);
}
