/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glob.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "fixture.h"
#include "models/loader/npy.h"
#include "tests/unit/base/shared_data.h"

/* ---- Npy ---- */

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

/* ---- Memory rows ---- */

#define MAX_PICKLE_BYTES 8192

/* Pieces of pickles; a text constant may have NULs, so its size counts. */
#define PIECE(self, text) add_bytes(self, text, sizeof(text) - 1)

typedef struct {
    size_t num;
    char bytes[MAX_PICKLE_BYTES];
} pickle_t;

static void add_bytes(pickle_t *self, const char *bytes, size_t num)
{
    assert_true(self->num + num <= MAX_PICKLE_BYTES);
    memcpy(self->bytes + self->num, bytes, num);
    self->num += num;
}

static pickle_t start_pickle(const char *shape)
{
    pickle_t self = {0};
    char text[128];

    PIECE(&self, "\x93NUMPY\1\0\x3b\0");
    snprintf(text, sizeof(text), "{'descr': '|O', 'fortran_order': False, 'shape': %s}", shape);
    snprintf(self.bytes + self.num, 60, "%-58s\n", text);
    self.num += 59;
    return self;
}

#define START_BYTES "69" /* of the file before the pickle */

/* What stands before the list of dictionaries, as NumPy writes it with protocol 3; and
 * behind it. */
static void add_front(pickle_t *self)
{
    PIECE(self, "\x80\3cnumpy.core.multiarray\n_reconstruct\nq\0cnumpy\nndarray\nq\1K\0\x85"
                "q\2C\1bq\3\x87q\4Rq\5(K\1K\2\x85q\6cnumpy\ndtype\nq\7X\2\0\0\0O8q\10\x89\x88"
                "\x87q\11Rq\12(K\3X\1\0\0\0|q\13NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xff"
                "K\x3ftq\14b\x89");
}

static void add_back(pickle_t *self)
{
    PIECE(self, "tq\x0f"
                "b.");
}

static int parse(spot_memory_rows_t *self, const pickle_t *pickle, spot_diag_t *diag)
{
    return spot_memory_rows_parse(self, pickle->bytes, pickle->num, "memory.npy", diag);
}

static void assert_rows(const pickle_t *pickle, size_t num, const spot_memory_row_t *expected)
{
    spot_memory_rows_t self;
    spot_diag_t diag;
    int ret;

    spot_diag_init(&diag);
    ret = parse(&self, pickle, &diag);
    assert_int_equal(diag.num_items, 0);
    assert_int_equal(ret, 0);
    assert_int_equal(self.num_rows, num);
    for (size_t j = 0; j < num; j++) {
        assert_int_equal(self.rows[j].num_containers, expected[j].num_containers);
        assert_true(self.rows[j].sum_bytes == expected[j].sum_bytes);
    }
    spot_memory_rows_free(&self);
    spot_memory_rows_free(&self);
    spot_diag_free(&diag);
}

static void assert_pickle_refused(const pickle_t *pickle, const char *message)
{
    char expected[512];
    spot_memory_rows_t self;
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(parse(&self, pickle, &diag), SPOT_ERR_BAD_INPUT);
    snprintf(expected, sizeof(expected), "memory.npy: byte %s\n", message);
    assert_diagnostics(&diag, expected);
    spot_memory_rows_free(&self);
    spot_diag_free(&diag);
}

/* Two rows whose second one has two containers, its names from the memo. */
static pickle_t two_rows(void)
{
    pickle_t self = start_pickle("(2,)");

    add_front(&self);
    PIECE(&self, "]q\15(}q\16X\1\0\0\0aq\17X\3\0\0\0"
                 "120q\20s"
                 "}q\21(h\17X\2\0\0\0"
                 "17q\22X\1\0\0\0bh\20ue");
    add_back(&self);
    return self;
}

static void test_protocol_3(void **state)
{
    static const spot_memory_row_t expected[] = {{1, 120}, {2, 137}};
    pickle_t pickle = two_rows();

    (void) state;
    assert_rows(&pickle, 2, expected);
    pickle.bytes[70] = 2;
    assert_rows(&pickle, 2, expected);
}

static void test_protocol_4(void **state)
{
    static const spot_memory_row_t expected[] = {{2, 1099511627783.0}, {0, 0}, {1, 7}};
    pickle_t pickle = start_pickle("(3,)");

    (void) state;
    PIECE(&pickle, "\x80\5\x95\x10\0\0\0\0\0\0\0\x8c\x16numpy._core.multiarray\x94\x8c\14_"
                   "reconstruct"
                   "\x94\x93\x94\x8c\5numpy\x94\x8c\7ndarray\x94\x93\x94K\0\x85\x94"
                   "C\1b\x94\x87\x94R\x94"
                   "(K\1M\3\0\x85\x94h\3\x8c\5dtype\x94\x93\x94\x8c\2O8\x94\x89\x88\x87\x94R\x94"
                   "(K\3\x8c\1|\x94NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x3ft\x94"
                   "b\x89]\x94(");
    PIECE(&pickle, "}\x94(\x8c\1a\x8c\15"
                   "1099511627776\x8c\1b\x8c\1"
                   "7\x94u}}\x8c\1cr"
                   "\xc8\0\0\0j\x14\0\0\0setb.");
    assert_rows(&pickle, 3, expected);
}

/* The same dictionary in two places, and filled after it joined the list. */
static void test_shared_dictionary(void **state)
{
    static const spot_memory_row_t expected[] = {{1, 5}, {1, 5}};
    pickle_t pickle = start_pickle("(2,)");

    (void) state;
    add_front(&pickle);
    PIECE(&pickle, "]q\15}q\16ah\16X\1\0\0\0aX\1\0\0\0"
                   "5sa");
    add_back(&pickle);
    assert_rows(&pickle, 2, expected);
}

/* A list of more rows than a count of one byte has. */
static void test_many_rows(void **state)
{
    enum { NUM_ROWS = 1000 };
    spot_memory_row_t expected[NUM_ROWS];
    pickle_t pickle = start_pickle("(1000,)");

    (void) state;
    add_front(&pickle);
    PIECE(&pickle, "](");
    for (size_t j = 0; j < NUM_ROWS; j++) {
        PIECE(&pickle, "}q\1");
        expected[j] = (spot_memory_row_t){0, 0};
    }
    PIECE(&pickle, "e");
    add_back(&pickle);
    assert_rows(&pickle, NUM_ROWS, expected);
}

/* A bad list behind the front; offset: of the opcode at fault. */
static void assert_list_refused(const char *list, size_t num, size_t offset, const char *problem)
{
    pickle_t pickle = start_pickle("(1,)");
    char message[256];

    add_front(&pickle);
    snprintf(message, sizeof(message), "%zu, opcode 0x%02x: %s", pickle.num + offset,
        (unsigned char) list[offset], problem);
    add_bytes(&pickle, list, num);
    assert_pickle_refused(&pickle, message);
}

#define REFUSED(list, offset, problem) assert_list_refused(list, sizeof(list) - 1, offset, problem)

static void test_bad_opcodes(void **state)
{
    (void) state;
    for (int code = 0; code < 256; code++) {
        static const char known[] = "\x80\x95"
                                    "cqrhjJKMN(]}CXtsuaeRb.\x88\x89\x85\x87\x8c\x93\x94";
        pickle_t pickle = start_pickle("(1,)");
        const char byte = (char) code;
        char message[128];

        if (code != 0 && strchr(known, byte) != NULL) {
            continue;
        }
        add_front(&pickle);
        add_bytes(&pickle, &byte, 1);
        snprintf(message, sizeof(message),
            "%zu, opcode 0x%02x: an opcode that no array "
            "of dictionaries needs",
            pickle.num - 1, (unsigned) code);
        assert_pickle_refused(&pickle, message);
    }
}

static void test_bad_globals(void **state)
{
    static const char problem[] = "a global that no array of dictionaries needs";

    (void) state;
    REFUSED("cos\nsystem\n", 0, problem);
    REFUSED("cnumpy\nndarrays\n", 0, problem);
    REFUSED("cnumpy\nload\n", 0, problem);
    REFUSED("cnumpy.core.multiarray\nscalar\n", 0, problem);
    REFUSED("cnumpy", 0, problem);
    REFUSED("c", 0, problem);
    REFUSED("\x8c\2os\x8c\6system\x93", 12, problem);
    REFUSED("\x8c\5numpy\x8c\4load\x93", 13, problem);
    REFUSED("\x8c\21numpy\nndarray\nxxx\x8c\0\x93", 21, problem);
    REFUSED("(\x8c\1"
            "a\x93",
        4, "the values that it takes are not there");
    REFUSED("(]\x8c\1"
            "a\x93",
        5, "a value of a type that no array of dictionaries has here");
}

static void test_bad_memo(void **state)
{
    static const char problem[] = "no such place in the memo";

    (void) state;
    REFUSED("h\15", 0, problem);
    REFUSED("h\xff", 0, problem);
    REFUSED("j\xff\xff\xff\xff", 0, problem);
    REFUSED("]r\xff\xff\xff\xff", 1, problem);
    REFUSED("]r\xff\xff\xff\x7f", 1, problem);
    REFUSED("](q\1", 2, problem);
    REFUSED("]q\x80h\x70", 3, problem); /* a gap */
}

static void test_bad_nesting(void **state)
{
    (void) state;
    REFUSED("((((((((((((((((", 15, "nesting deeper than 16");
    REFUSED("N\x85\x85\x85\x85\x85\x85\x85\x85\x85\x85\x85\x85\x85\x85\x85\x85\x85", 17,
        "nesting deeper than 16");
    REFUSED("N\x85\x85\x85\x85\x85\x85\x85\x85\x85\x85\x85\x85\x85\x85\x85\x85x", 17,
        "an opcode that no array of dictionaries needs");
}

static void test_bad_types(void **state)
{
    static const char type[] = "a value of a type that no array of dictionaries has here";
    static const char none[] = "the values that it takes are not there";

    (void) state;
    REFUSED("]q\1h\1a", 5, type); /* a list in itself */
    REFUSED("]Na", 2, type);
    REFUSED("](}Ne", 4, type);
    REFUSED("}X\1\0\0\0aK\5s", 9, type); /* an integer */
    REFUSED("}NX\1\0\0\0"
            "5s",
        8, type);
    REFUSED("}X\1\0\0\0aX\1\0\0\0"
            "5sa",
        14, none); /* no list */
    REFUSED("]X\1\0\0\0aX\1\0\0\0"
            "5s",
        13, none); /* no dictionary */
    REFUSED("}s", 1, type);
    REFUSED("e", 0, "a value of a type that no array of dictionaries has here");
    REFUSED("cnumpy\nndarray\nNR", 16, type);
    REFUSED("]N\x85R", 3, none);
    REFUSED("]N\x85"
            "b",
        3, none);
    REFUSED("]]", 1, "a second list");
    REFUSED("(\x87", 1, none);
    REFUSED("]tbR", 3, type);
}

static void test_bad_values(void **state)
{
    static const char problem[] = "the bytes of a container must be decimal digits";

    (void) state;
    REFUSED("]}X\1\0\0\0aX\0\0\0\0sa", 13, problem);
    REFUSED("]}X\1\0\0\0aX\2\0\0\0-5sa", 15, problem);
    REFUSED("]}X\1\0\0\0aX\2\0\0\0"
            "5.sa",
        15, problem);
    REFUSED("]}X\1\0\0\0aX\2\0\0\0 5sa", 15, problem);
    REFUSED("]}X\1\0\0\0aX\3\0\0\0"
            "1e3sa",
        16, problem);
    REFUSED("]}X\1\0\0\0aX\3\0\0\0nansa", 16, problem);
    REFUSED("]}X\1\0\0\0aX\2\0\0\0"
            "5\0sa",
        15, problem);
    REFUSED("]}(X\1\0\0\0aua", 9, problem);
}

static void test_bad_ends(void **state)
{
    static const char end[] = "expected the end of an array of dictionaries and of the file";
    pickle_t good = two_rows(), pickle = good;

    (void) state;
    for (pickle.num = 70; pickle.num < good.num; pickle.num++) {
        spot_memory_rows_t self;
        spot_diag_t diag;

        spot_diag_init(&diag);
        assert_int_equal(parse(&self, &pickle, &diag), SPOT_ERR_BAD_INPUT);
        assert_int_equal(diag.num_errors, 1);
        spot_memory_rows_free(&self);
        spot_diag_free(&diag);
    }
    pickle = good;
    pickle.num--;
    assert_pickle_refused(&pickle, "268, opcode 0x00: the file ends too early");
    pickle = good;
    PIECE(&pickle, "N");
    assert_pickle_refused(&pickle, "268, opcode 0x2e: expected the end of an array of "
                                   "dictionaries and of the file");
    REFUSED("Ntb.", 3, end);
    REFUSED("NtbN.", 4, "a value of a type that no array of dictionaries has here");
    REFUSED("X\xff\xff\xff\xffxx", 0, "the file ends too early");
    REFUSED("\x95\xff\0\0\0\0\0\0\0", 0, "the file ends too early");
    REFUSED("\x80\6", 0, "expected protocol 2 to 5");
    REFUSED("\x80\1", 0, "expected protocol 2 to 5");
    pickle = start_pickle("(1,)");
    PIECE(&pickle, "(lp0\n.");
    assert_pickle_refused(
        &pickle, "70, opcode 0x6c: an opcode that no array of dictionaries needs");
    pickle = start_pickle("(1,)");
    assert_pickle_refused(&pickle, START_BYTES ", opcode 0x00: the file ends too early");
    memcpy(good.bytes, start_pickle("(3,)").bytes, 69);
    assert_pickle_refused(
        &good, "268, opcode 0x2e: as many dictionaries as the shape says are not there");
}

static void test_memory_rows_bad_headers(void **state)
{
    pickle_t pickle = start_pickle("(0,)");

    (void) state;
    assert_pickle_refused(&pickle, "10: 0 entries, expected 1 to 100000000");
    pickle = start_pickle("(1,)");
    memcpy(strstr(pickle.bytes + 10, "|O"), "|S", 2);
    assert_pickle_refused(&pickle, "10: descr is '|S', expected '|O'");
}

/* Texts from the memo cost nothing, so that this is over in a moment. */
static void test_memo_is_cheap(void **state)
{
    enum { TEXT_BYTES = 1 << 20, NUM_PAIRS = 1 << 20 };
    const size_t max_bytes = TEXT_BYTES + 6 * NUM_PAIRS + 1024;
    char *bytes = calloc(1, max_bytes);
    pickle_t front = start_pickle("(1,)");
    spot_memory_rows_t self;
    spot_diag_t diag;
    size_t num;

    (void) state;
    assert_non_null(bytes);
    add_front(&front);
    PIECE(&front, "]}(X\0\0\x10\0");
    num = front.num;
    memcpy(bytes, front.bytes, num);
    memset(bytes + num, '7', TEXT_BYTES);
    num += TEXT_BYTES;
    memcpy(bytes + num,
        "q\xc8X\1\0\0\0"
        "7q\xc9",
        10);
    num += 10;
    for (size_t j = 0; j < NUM_PAIRS; j++) {
        memcpy(bytes + num, "h\xc8h\xc9", 4);
        num += 4;
    }
    memcpy(bytes + num, "uatb.", 5);
    spot_diag_init(&diag);
    assert_int_equal(spot_memory_rows_parse(&self, bytes, num + 5, "memory.npy", &diag), 0);
    assert_int_equal(self.num_rows, 1);
    assert_int_equal(self.rows[0].num_containers, NUM_PAIRS + 1);
    spot_memory_rows_free(&self);
    spot_diag_free(&diag);
    free(bytes);
}

static int read_lines(spot_memory_rows_t *self, const char *text, spot_diag_t *diag)
{
    char path[512];
    int ret;

    snprintf(path, sizeof(path), "%s/memory.jsonl", temporary_folder());
    write_file(path, text);
    ret = spot_memory_rows_read(self, path, diag);
    remove(path);
    return ret;
}

static void test_lines(void **state)
{
    spot_memory_rows_t self;
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    assert_int_equal(
        read_lines(&self, "{\"a\": \"5\"}\r\n{}\n { \"a\\n\" : \"6\",\"b\":\"007\"} ", &diag), 0);
    assert_int_equal(diag.num_items, 0);
    assert_int_equal(self.num_rows, 3);
    assert_int_equal(self.rows[0].num_containers, 1);
    assert_int_equal(self.rows[1].num_containers, 0);
    assert_int_equal(self.rows[2].num_containers, 2);
    assert_true(self.rows[2].sum_bytes == 13);
    spot_memory_rows_free(&self);
    spot_diag_free(&diag);
}

static void test_bad_lines(void **state)
{
    static const struct {
        const char *text;
        const char *message;
    } cases[] = {
        {"{\"a\": \"5\"}\n[]\n", "2: expected an object"},
        {"{\"a\": \"5\"\n", "1: expected an object"},
        {"{\"a\": \"5\"} x\n", "1: expected an object"},
        {"{}\n\n{}\n", "2: expected an object"},
        {"{\"a\": \"5k\", \"b\": \"5\"}\n", "1: the bytes of a container must be decimal digits"},
        {"{}\n{\"a\": -5}\n", "2: the bytes of a container must be decimal digits"},
        {"{\"a\": null}\n", "1: the bytes of a container must be decimal digits"},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        spot_memory_rows_t self;
        char expected[256];
        spot_diag_t diag;

        spot_diag_init(&diag);
        assert_int_equal(read_lines(&self, cases[j].text, &diag), SPOT_ERR_BAD_INPUT);
        snprintf(expected, sizeof(expected), "memory.jsonl:%s\n", cases[j].message);
        assert_diagnostics(&diag, expected);
        spot_memory_rows_free(&self);
        spot_diag_free(&diag);
    }
}

static void test_large_file(void **state)
{
    spot_memory_rows_t self;
    spot_diag_t diag;
    char path[512];

    (void) state;
    snprintf(path, sizeof(path), "%s/memory.npy", temporary_folder());
    write_file(path, "x");
    assert_int_equal(truncate(path, SPOT_MEMORY_ROWS_MAX_BYTES + 1), 0);
    spot_diag_init(&diag);
    assert_int_equal(spot_memory_rows_read(&self, path, &diag), SPOT_ERR_BAD_INPUT);
    assert_diagnostics(&diag, "memory.npy: byte 67108864: the file is longer than that\n");
    spot_memory_rows_free(&self);
    spot_diag_free(&diag);
    remove(path);
}

static void test_memory_rows_measured_runs(void **state)
{
    spot_diag_t diag;
    glob_t files;

    (void) state;
    if (glob(SHARED_DATA "input/librispeech_remote/*/*/*/*/*/memory.npy", 0, NULL, &files) != 0) {
        skip_without_data();
    }
    spot_diag_init(&diag);
    for (size_t j = 0; j < files.gl_pathc; j++) {
        spot_memory_rows_t self;
        size_t num_pairs = 0;

        assert_int_equal(spot_memory_rows_read(&self, files.gl_pathv[j], &diag), 0);
        for (size_t k = 0; k < self.num_rows; k++) {
            num_pairs += self.rows[k].num_containers >= 2;
        }
        assert_true(num_pairs > 0);
        spot_memory_rows_free(&self);
    }
    assert_int_equal(files.gl_pathc, 30);
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
        cmocka_unit_test(test_protocol_3),
        cmocka_unit_test(test_protocol_4),
        cmocka_unit_test(test_shared_dictionary),
        cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_bad_opcodes),
        cmocka_unit_test(test_bad_globals),
        cmocka_unit_test(test_bad_memo),
        cmocka_unit_test(test_bad_nesting),
        cmocka_unit_test(test_bad_types),
        cmocka_unit_test(test_bad_values),
        cmocka_unit_test(test_bad_ends),
        cmocka_unit_test(test_memory_rows_bad_headers),
        cmocka_unit_test(test_memo_is_cheap),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_bad_lines),
        cmocka_unit_test(test_large_file),
        cmocka_unit_test(test_memory_rows_measured_runs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
