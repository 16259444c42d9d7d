/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glob.h>
#include <gsl/gsl_rng.h>
#include <string.h>

#include "base/rng.h"
#include "tests/unit/base/shared_data.h"
#include "tests/unit/base/support.h"
#include "traces/trace.h"
#include "traces/trace_write.h"

#define DATA_FOLDER SHARED_DATA "traces/"

static char *read_file(const char *path, size_t *num_bytes)
{
    FILE *file = fopen(path, "rb");
    char *bytes;

    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *num_bytes = (size_t) ftell(file);
    rewind(file);
    bytes = malloc(*num_bytes + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *num_bytes, file), *num_bytes);
    bytes[*num_bytes] = '\0';
    fclose(file);
    return bytes;
}

static void assert_same_files(const char *path, const char *other_path)
{
    size_t num_bytes, num_other_bytes;
    char *bytes = read_file(path, &num_bytes);
    char *other_bytes = read_file(other_path, &num_other_bytes);

    assert_int_equal(num_bytes, num_other_bytes);
    assert_memory_equal(bytes, other_bytes, num_bytes);
    free(bytes);
    free(other_bytes);
}

static void read_trace(spot_trace_t *trace, const char *path)
{
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(spot_trace_read(trace, path, false, &diag), 0);
    assert_int_equal(diag.num_errors, 0);
    spot_trace_verify(trace);
    spot_diag_free(&diag);
}

static void write_trace(const spot_trace_t *trace, const char *path)
{
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(spot_trace_write(trace, path, &diag), 0);
    assert_report(&diag, "");
    spot_diag_free(&diag);
}

/* What was read from path is written as it was, plain and through gzip. */
static void check_identity(const char *path)
{
    char copy[PATH_BYTES], packed[PATH_BYTES];
    spot_trace_t trace;

    test_path("copy.csv", copy);
    test_path("copy.csv.gz", packed);
    read_trace(&trace, path);
    write_trace(&trace, copy);
    assert_same_files(path, copy);
    write_trace(&trace, packed);
    spot_trace_free(&trace);

    read_trace(&trace, packed);
    write_trace(&trace, copy);
    assert_same_files(path, copy);
    spot_trace_free(&trace);
    assert_int_equal(remove(copy), 0);
    assert_int_equal(remove(packed), 0);
}

/* A random walk written as it goes; names run[0..num_run) are up. */
typedef struct {
    spot_trace_writer_t writer;
    gsl_rng *draw;
    bool is_named;
    int64_t time_ms;
    size_t num_run;
    size_t run[64];
    size_t num_names;
} walk_t;

static size_t draw_below(walk_t *self, size_t limit)
{
    return gsl_rng_uniform_int(self->draw, limit);
}

static void write_name(walk_t *self, size_t name_id)
{
    char name[32];

    snprintf(name, sizeof(name), "i-%zx", name_id * 2654435761U % 1000003);
    if (self->is_named) {
        spot_trace_writer_name(&self->writer, name);
    }
}

static void write_change(walk_t *self, const char *event, size_t count)
{
    spot_trace_writer_row(&self->writer, self->time_ms, event, (int64_t) count);
    for (size_t j = 0; j < count; j++) {
        if (strcmp(event, "add") == 0 || strcmp(event, "init") == 0) {
            self->run[self->num_run++] = self->num_names;
            write_name(self, self->num_names++);
        } else {
            const size_t place = draw_below(self, self->num_run);

            write_name(self, self->run[place]);
            self->run[place] = self->run[--self->num_run];
        }
    }
    spot_trace_writer_end_row(&self->writer);
}

static void write_walk(walk_t *self, size_t num_steps, const char *path)
{
    static const int64_t units_ms[] = {1, 10, 100, 1000, 60000};
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(spot_trace_writer_init(&self->writer, path, &diag), 0);
    spot_trace_writer_key(&self->writer, "name", "walk");
    spot_trace_writer_key(&self->writer, "start", "unknown");
    spot_trace_writer_key(&self->writer, "resolution_s", "0.001");
    spot_trace_writer_key(&self->writer, "kind", self->is_named ? "named" : "counts");
    spot_trace_writer_key(&self->writer, "capacity", "64");
    write_change(self, "init", draw_below(self, 65));
    for (size_t j = 0; j < num_steps; j++) {
        self->time_ms += (int64_t) (1 + draw_below(self, 1000)) * units_ms[j % 5];
        if (self->num_run > 0) {
            write_change(
                self, j % 7 == 0 ? "stop" : "preempt", 1 + draw_below(self, self->num_run));
        }
        if (self->num_run < 64 && draw_below(self, 3) > 0) {
            write_change(self, "add", 1 + draw_below(self, 64 - self->num_run));
        }
    }
    self->time_ms++;
    spot_trace_writer_row(&self->writer, self->time_ms, "end", (int64_t) self->num_run);
    spot_trace_writer_end_row(&self->writer);
    assert_int_equal(spot_trace_writer_commit(&self->writer, &diag), 0);
    spot_trace_writer_free(&self->writer);
    assert_report(&diag, "");
    spot_diag_free(&diag);
}

static void test_random_traces(void **state)
{
    char path[PATH_BYTES];
    spot_rng_t rng;

    (void) state;
    test_path("walk.csv", path);
    for (size_t trial = 0; trial < 60; trial++) {
        walk_t walk = {.is_named = trial % 2 == 0};
        spot_trace_t trace;

        spot_rng_seek(&rng, 1, trial, SPOT_STREAM_COUNT, 0);
        walk.draw = spot_rng_gsl(&rng);
        write_walk(&walk, trial * trial / 4, path);
        read_trace(&trace, path);
        assert_int_equal(trace.end_ms, walk.time_ms);
        assert_int_equal(trace.final, walk.num_run);
        assert_int_equal(trace.num_names, walk.is_named ? walk.num_names : 0);
        spot_trace_free(&trace);
        check_identity(path);
    }
    assert_int_equal(remove(path), 0);
}

/* The same bytes on every writing, so no time of writing in the gzip header. */
static void test_gzip_is_reproducible(void **state)
{
    char path[PATH_BYTES], packed[PATH_BYTES];
    size_t num_bytes;
    spot_trace_t trace;
    spot_rng_t rng;
    walk_t walk = {.is_named = true};
    char *bytes;

    (void) state;
    test_path("walk.csv", path);
    test_path("walk.csv.gz", packed);
    spot_rng_seek(&rng, 1, 1, SPOT_STREAM_COUNT, 0);
    walk.draw = spot_rng_gsl(&rng);
    write_walk(&walk, 100, path);
    read_trace(&trace, path);
    write_trace(&trace, packed);
    spot_trace_free(&trace);
    bytes = read_file(packed, &num_bytes);
    assert_memory_equal(bytes, "\x1f\x8b\x08\0\0\0\0\0", 8);
    free(bytes);
    assert_int_equal(remove(path), 0);
    assert_int_equal(remove(packed), 0);
}

static void test_header_bytes(void **state)
{
    char path[PATH_BYTES];
    size_t num_bytes;
    spot_trace_writer_t writer;
    spot_diag_t diag;
    char *bytes;

    (void) state;
    test_path("header.csv", path);
    spot_diag_init(&diag);
    assert_int_equal(spot_trace_writer_init(&writer, path, &diag), 0);
    spot_trace_writer_key(&writer, "note", "a, \"b\"\n\xc3\xa9\xff#");
    spot_trace_writer_row(&writer, 1500, "preempt", 3);
    spot_trace_writer_name(&writer, "x");
    spot_trace_writer_name(&writer, "y");
    spot_trace_writer_end_row(&writer);
    assert_int_equal(spot_trace_writer_commit(&writer, &diag), 0);
    spot_trace_writer_free(&writer);
    bytes = read_file(path, &num_bytes);
    assert_string_equal(bytes, "# spotsim-trace: 1\n# note: a; 'b'?\xc3\xa9?#\n"
                               "time_s,event,count,instances\n1.5,preempt,3,x y\n");
    free(bytes);
    spot_diag_free(&diag);
    assert_int_equal(remove(path), 0);
}

static void write_something(spot_trace_writer_t *writer, size_t num_rows)
{
    for (size_t j = 0; j < num_rows; j++) {
        spot_trace_writer_row(writer, (int64_t) j, "add", (int64_t) j);
        spot_trace_writer_end_row(writer);
    }
}

/* Nothing appears under the final name before the commit, nor stays behind without. */
static void test_not_committed(void **state)
{
    char path[PATH_BYTES], pattern[PATH_BYTES + 2];
    spot_trace_writer_t writer;
    spot_diag_t diag;
    glob_t found;

    (void) state;
    spot_diag_init(&diag);
    for (int j = 0; j < 2; j++) {
        test_path(j == 0 ? "half.csv" : "half.csv.gz", path);
        assert_int_equal(spot_trace_writer_init(&writer, path, &diag), 0);
        write_something(&writer, 10000);
        assert_int_not_equal(access(path, F_OK), 0);
        spot_trace_writer_free(&writer);
        snprintf(pattern, sizeof(pattern), "%s*", path);
        assert_int_equal(glob(pattern, 0, NULL, &found), GLOB_NOMATCH);
    }
    spot_trace_writer_free(&writer);
    assert_report(&diag, "");
    spot_diag_free(&diag);
}

static void test_writing_fails(void **state)
{
    static const size_t num_rows[] = {1, 100000};
    spot_trace_writer_t writer;
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    assert_int_equal(spot_trace_writer_init(&writer, "/nonexistent/x.csv.gz", &diag), SPOT_ERR_IO);
    spot_trace_writer_free(&writer);
    assert_report(&diag, "/nonexistent/x.csv.gz: cannot write: No such file or directory\n");
    spot_diag_free(&diag);
    if (access("/dev/full", W_OK) != 0) {
        print_message("no /dev/full here\n");
        skip();
    }
    for (size_t j = 0; j < 2; j++) {
        assert_int_equal(spot_trace_writer_init(&writer, "/dev/full", &diag), 0);
        write_something(&writer, num_rows[j]);
        assert_int_equal(spot_trace_writer_commit(&writer, &diag), SPOT_ERR_IO);
        spot_trace_writer_free(&writer);
        assert_report(&diag, "/dev/full: cannot write: No space left on device\n");
        spot_diag_free(&diag);
    }
}

/* Recorded traces that do not belong to the repository. */
static void test_recorded_traces(void **state)
{
    static const char *const patterns[] = {"bamboo*.csv", "parcae*.csv", "skypilot*.csv",
        "kadupitiya-gcp*.csv", "seed64-surrogate.csv"};
    size_t num_files = 0;

    (void) state;
    for (size_t j = 0; j < sizeof(patterns) / sizeof(patterns[0]); j++) {
        char pattern[PATH_BYTES];
        glob_t found;

        snprintf(pattern, sizeof(pattern), "%s%s", DATA_FOLDER, patterns[j]);
        if (glob(pattern, 0, NULL, &found) == 0) {
            for (size_t k = 0; k < found.gl_pathc; k++) {
                check_identity(found.gl_pathv[k]);
                num_files++;
            }
            globfree(&found);
        }
    }
    if (num_files == 0) {
        skip_without_data();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_traces),
        cmocka_unit_test(test_gzip_is_reproducible),
        cmocka_unit_test(test_header_bytes),
        cmocka_unit_test(test_not_committed),
        cmocka_unit_test(test_writing_fails),
        cmocka_unit_test(test_recorded_traces),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
