/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrays of times: every type, version and order of keys, each way to be bad, and the
 * measured runs where they are present. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <glob.h>
#include <math.h>

#include "fixture.h"
#include "models/loader/npy.h"
#include "tests/unit/base/shared_data.h"

#define MAX_FILE_BYTES 20000

/* A file in the making. */
typedef struct {
    size_t num;
    unsigned char bytes[MAX_FILE_BYTES];
} file_t;

static void add(file_t *self, const void *bytes, size_t num)
{
    assert_true(self->num + num <= MAX_FILE_BYTES);
    memcpy(self->bytes + self->num, bytes, num);
    self->num += num;
}

/* The low num bytes of a number, the highest first if is_big. */
static void add_number(file_t *self, uint64_t number, size_t num, bool is_big)
{
    for (size_t j = 0; j < num; j++) {
        const size_t shift = 8 * (is_big ? num - 1 - j : j);
        const unsigned char byte = (unsigned char) (number >> shift & 0xff);

        add(self, &byte, 1);
    }
}

static void add_double(file_t *self, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    add_number(self, bits, 8, false);
}

static file_t start(int version, const char *dictionary)
{
    const unsigned char head[] = {0x93, 'N', 'U', 'M', 'P', 'Y', (unsigned char) version, 0};
    file_t self = {0};

    add(&self, head, sizeof(head));
    add_number(&self, strlen(dictionary), version == 1 ? 2 : 4, false);
    add(&self, dictionary, strlen(dictionary));
    return self;
}

static int read_file(spot_npy_t *self, const file_t *file, spot_diag_t *diag)
{
    char path[512];
    FILE *out;
    int ret;

    snprintf(path, sizeof(path), "%s/times.npy", temporary_folder());
    out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(file->bytes, 1, file->num, out), file->num);
    assert_int_equal(fclose(out), 0);
    ret = spot_npy_read(self, path, diag);
    remove(path);
    return ret;
}

static void assert_values(const file_t *file, size_t num, const double *expected)
{
    spot_npy_t self;
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(read_file(&self, file, &diag), 0);
    assert_int_equal(diag.num_items, 0);
    assert_int_equal(self.num, num);
    for (size_t j = 0; j < num; j++) {
        assert_true(self.values[j] == expected[j]);
    }
    spot_npy_free(&self);
    spot_npy_free(&self);
    spot_diag_free(&diag);
}

static void assert_refused(const file_t *file, const char *message)
{
    char expected[1024];
    spot_npy_t self;
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(read_file(&self, file, &diag), SPOT_ERR_BAD_INPUT);
    snprintf(expected, sizeof(expected), "times.npy: byte %s\n", message);
    assert_diagnostics(&diag, expected);
    spot_npy_free(&self);
    spot_diag_free(&diag);
}

static void test_types(void **state)
{
    static const double expected[] = {0, 0.5, 3, 70000};
    static const double wholes[] = {0, 1, 3, 70000};

    (void) state;
    for (int version = 1; version <= 3; version++) {
        for (int is_big = 0; is_big <= 1; is_big++) {
            for (int type = 0; type < 4; type++) {
                const size_t size = type % 2 == 0 ? 8 : 4;
                char dictionary[128];
                file_t file;

                snprintf(dictionary, sizeof(dictionary),
                    "{'descr': '%c%c%zu', 'fortran_order': False, 'shape': (4,), }   \n",
                    is_big ? '>' : '<', type < 2 ? 'f' : 'i', size);
                file = start(version, dictionary);
                for (size_t j = 0; j < 4; j++) {
                    const float single = (float) expected[j];
                    uint64_t bits = (uint64_t) wholes[j];
                    uint32_t half;

                    if (type == 0) {
                        memcpy(&bits, &expected[j], sizeof(bits));
                    } else if (type == 1) {
                        memcpy(&half, &single, sizeof(half));
                        bits = half;
                    }
                    add_number(&file, bits, size, is_big);
                }
                assert_values(&file, 4, type < 2 ? expected : wholes);
            }
        }
    }
}

/* All are dictionaries of Python with the same content. */
static void test_dictionaries(void **state)
{
    static const char *const dictionaries[] = {
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }\n",
        "{'shape':(2,),'fortran_order':True,'descr':'<f8'}",
        "  {\"fortran_order\" : False ,\n \"descr\" : \"<f8\" , 'shape' : ( 2 , ) }  \n",
    };
    static const double expected[] = {0.25, 1e-300};

    (void) state;
    for (size_t j = 0; j < sizeof(dictionaries) / sizeof(dictionaries[0]); j++) {
        file_t file = start(1, dictionaries[j]);

        add_double(&file, 0.25);
        add_double(&file, 1e-300);
        assert_values(&file, 2, expected);
    }
}

static void test_bad_headers(void **state)
{
    static const char *const bad[] = {
        "",
        "{}",
        "{,}",
        "'descr': '<f8', 'fortran_order': False, 'shape': (2,)",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2,)",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2,)} x",
        "{'descr': '<f8', 'fortran_order': False 'shape': (2,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), 'more': 1}",
        "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '<f8', 'fortran_order': False}",
        "{'descr': '<f8', 'shape': (2,)}",
        "{'fortran_order': False, 'shape': (2,)}",
        "{'descr': '<f8', 'fortran_order': None, 'shape': (2,)}",
        "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': ()}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-2,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2.,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,)}",
    };

    (void) state;
    for (size_t j = 0; j < sizeof(bad) / sizeof(bad[0]); j++) {
        file_t file = start(1, bad[j]);

        add_double(&file, 1);
        add_double(&file, 2);
        assert_refused(&file,
            "10: bad header, expected {'descr': '<f8', 'fortran_order': False, 'shape': "
            "(56,)}, of one axis");
    }
}

static void test_bad_types_and_sizes(void **state)
{
    static const struct {
        const char *descr;
        const char *shape;
        const char *message;
    } cases[] = {
        {"<f2", "1",
            "10: unsupported descr '<f2', expected one of <f8 <f4 <i8 <i4 >f8 "
            ">f4 >i8 >i4"},
        {"|O", "1",
            "10: unsupported descr '|O', expected one of <f8 <f4 <i8 <i4 >f8 "
            ">f4 >i8 >i4"},
        {"f8>", "1",
            "10: unsupported descr 'f8>', expected one of <f8 <f4 <i8 <i4 >f8 "
            ">f4 >i8 >i4"},
        {"<f8", "0", "10: 0 entries, expected 1 to 100000000"},
        {"<f8", "100000001", "10: 100000001 entries, expected 1 to 100000000"},
        {"<f8", "2", "76: the file ends here, its shape (2,) at byte 84"},
        {"<f4", "1", "76: the file ends here, its shape (1,) at byte 72"},
        {"<i8", "100000000", "84: the file ends here, its shape (100000000,) at byte 800000076"},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        char text[128];
        file_t file;

        snprintf(text, sizeof(text), "{'descr': '%s', 'fortran_order': False, 'shape': (%s,), }\n",
            cases[j].descr, cases[j].shape);
        file = start(1, text);
        add_double(&file, 1);
        assert_refused(&file, cases[j].message);
    }
}

static void test_bad_starts(void **state)
{
    static const char good[] = "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)}";
    static const char magic[] = "0: bad magic, a .npy file starts with \\x93NUMPY";
    file_t file = start(1, good);

    (void) state;
    for (file.num = 0; file.num < 10; file.num++) {
        assert_refused(&file, magic);
    }
    file.bytes[3] = 'X';
    assert_refused(&file, magic);
    file = start(4, good);
    assert_refused(&file, "6: version 4.0, expected 1.0, 2.0 or 3.0");
    file = start(1, good);
    file.bytes[6] = 0;
    assert_refused(&file, "6: version 0.0, expected 1.0, 2.0 or 3.0");
    file.bytes[6] = 1;
    file.bytes[7] = 1;
    assert_refused(&file, "6: version 1.1, expected 1.0, 2.0 or 3.0");
    file = start(1, good);
    file.num--;
    assert_refused(&file, "8: a header of 55 bytes, expected at most 10000, and in the file");
    file = start(2, good);
    memset(file.bytes + 8, 0xff, 4);
    assert_refused(
        &file, "8: a header of 4294967295 bytes, expected at most 10000, and in the file");
    file = start(1, good);
    file.bytes[20] = '\0';
    add_double(&file, 1);
    assert_refused(&file,
        "10: bad header, expected {'descr': '<f8', 'fortran_order': False, 'shape': "
        "(56,)}, of one axis");
}

static void test_bad_entries(void **state)
{
    file_t file = start(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (5,)}");

    (void) state;
    add_double(&file, -1e-9);
    add_double(&file, (double) NAN);
    add_double(&file, 0.5);
    add_double(&file, (double) INFINITY);
    add_double(&file, -0.0);
    assert_refused(&file, "65: entry 0 is -1e-09, expected a time >= 0\n"
                          "times.npy: byte 73: entry 1 is nan, expected a time >= 0\n"
                          "times.npy: byte 89: entry 3 is inf, expected a time >= 0");
    file = start(1, "{'descr': '>i4', 'fortran_order': False, 'shape': (1,)}");
    add_number(&file, 0xfffffffe, 4, true);
    assert_refused(&file, "65: entry 0 is -2, expected a time >= 0");
}

static void test_no_file(void **state)
{
    spot_npy_t self;
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    assert_int_equal(spot_npy_read(&self, "none/times.npy", &diag), SPOT_ERR_IO);
    assert_diagnostics(&diag, "none/times.npy: cannot open: No such file or directory\n");
    spot_npy_free(&self);
    spot_diag_free(&diag);
}

/* All arrays of times of the measured runs. */
static void test_measured_runs(void **state)
{
    size_t num_files = 0;
    spot_diag_t diag;
    glob_t files;

    (void) state;
    if (glob(SHARED_DATA "input/librispeech_remote/*/*/*/*/*/*_time.npy", 0, NULL, &files) != 0) {
        skip_without_data();
    }
    spot_diag_init(&diag);
    for (size_t j = 0; j < files.gl_pathc; j++) {
        spot_npy_t self;

        assert_int_equal(spot_npy_read(&self, files.gl_pathv[j], &diag), 0);
        assert_true(self.num >= 1);
        spot_npy_free(&self);
        num_files++;
    }
    assert_int_equal(num_files, 120);
    assert_int_equal(diag.num_items, 0);
    spot_diag_free(&diag);
    globfree(&files);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_dictionaries),
        cmocka_unit_test(test_bad_headers),
        cmocka_unit_test(test_bad_types_and_sizes),
        cmocka_unit_test(test_bad_starts),
        cmocka_unit_test(test_bad_entries),
        cmocka_unit_test(test_no_file),
        cmocka_unit_test(test_measured_runs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
