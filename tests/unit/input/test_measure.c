/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands that measure, with all that can go wrong, and tables of measured points. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/watch.h"
#include "sim/input/search.h"

#define FAILED ((double) INFINITY)
#define UNKNOWN ((double) NAN)

typedef struct {
    spot_measure_t measure;
    spot_texts_t texts;
    spot_diag_t diag;
    char path[64];
} fixture_t;

static void begin(fixture_t *self, const char *command, const char *text)
{
    memset(self, 0, sizeof(*self));
    spot_diag_init(&self->diag);
    self->measure = (spot_measure_t){
        .command = command, .timeout_ms = 20000, .texts = &self->texts, .diag = &self->diag};
    if (text != NULL) {
        int file;

        strcpy(self->path, "measure-XXXXXX");
        file = mkstemp(self->path);
        assert_true(file >= 0);
        assert_int_equal(write(file, text, strlen(text)), strlen(text));
        close(file);
        self->measure.path = self->path;
    }
}

static void end(fixture_t *self)
{
    if (self->path[0] != '\0') {
        unlink(self->path);
    }
    free(self->measure.points);
    spot_texts_free(&self->texts);
    spot_diag_free(&self->diag);
}

static spot_search_point_t measure(fixture_t *self, int64_t threads, int64_t block, int expected)
{
    spot_search_point_t point = {.threads = threads, .block = block, .stall_share = UNKNOWN};

    assert_int_equal(spot_measure_point(&self->measure, &point), expected);
    return point;
}

/* ---- Commands ---- */

static void test_lines(void **state)
{
    static const struct {
        const char *command;
        double seconds, stall_share;
        const char *reason; /* a part of it */
    } cases[] = {
        {"echo 99; echo $(( {threads} * 10 + {block} )).5 s", 37.5, UNKNOWN, NULL},
        {"echo 'epoch7: 0.25 s, stall 0.4'; echo; echo", .25, .4, NULL},
        {"printf '1e-2 1'", .01, 1, NULL},
        {"echo {other} 3 {block}{block} >/dev/null; echo 4", 4, UNKNOWN, NULL},
        {"cat; echo 2", 2, UNKNOWN, NULL}, /* there is no input */
        {"sleep 100 & echo 5", 5, UNKNOWN, NULL},
        {"yes x | head -c 300000; echo; echo 6", 6, UNKNOWN, NULL},
        {"echo 1; exit 3", FAILED, UNKNOWN, "exit code 3"},
        {"no-such-loader-at-all 2>/dev/null", FAILED, UNKNOWN, "exit code 127"},
        {"echo 1; kill -9 $$", FAILED, UNKNOWN, "signal 9"},
        {"echo no idea", FAILED, UNKNOWN, "no idea"},
        {"true", FAILED, UNKNOWN, "no time"},
        {"echo 0", FAILED, UNKNOWN, "no time"},
        {"echo -1.5", FAILED, UNKNOWN, "no time"},
        {"echo nan", FAILED, UNKNOWN, "no time"},
        {"echo 1e999", FAILED, UNKNOWN, "no time"},
        {"echo 0.5 in 12 batches", FAILED, UNKNOWN, "12 batches"},
        {"printf '\\033\\001\\200'", FAILED, UNKNOWN, "\\x1B\\x01\\x80"},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        fixture_t self;
        spot_search_point_t point;

        begin(&self, cases[j].command, NULL);
        point = measure(&self, 3, 7, 0);
        if (isinf(cases[j].seconds)) {
            assert_true(isinf(point.seconds));
            assert_non_null(strstr(point.reason, cases[j].reason));
        } else {
            assert_null(point.reason);
            assert_float_equal(point.seconds, cases[j].seconds, 1e-12);
        }
        assert_true(isnan(cases[j].stall_share)
                        ? isnan(point.stall_share)
                        : fabs(point.stall_share - cases[j].stall_share) < 1e-12);
        end(&self);
    }
}

static long num_bytes(const char *path)
{
    FILE *file = fopen(path, "r");
    long num;

    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    num = ftell(file);
    fclose(file);
    return num;
}

/* Its children write no more. */
static void test_a_hanging_group_is_killed(void **state)
{
    const double started_s = spot_clock_s();
    fixture_t self;
    spot_search_point_t point;
    long num;

    (void) state;
    begin(&self,
        "(while :; do echo x >>measure-child; sleep 0.02; done) & trap '' TERM; sleep "
        "100; "
        "echo 1",
        NULL);
    self.measure.timeout_ms = 300;
    point = measure(&self, 1, 1, 0);
    assert_true(isinf(point.seconds));
    assert_non_null(strstr(point.reason, "0.3 s"));
    assert_true(spot_clock_s() - started_s < 20);
    num = num_bytes("measure-child");
    nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
    assert_int_equal(num_bytes("measure-child"), num);
    unlink("measure-child");
    end(&self);
}

static void on_alarm(int number)
{
    atomic_store(&spot_stop, number);
}

/* The point under way is not kept. */
static void test_interrupted(void **state)
{
    const double started_s = spot_clock_s();
    spot_search_t search = {
        .blocks = {true, 3, {2, 3, 4}}, .threads = {true, 1, {1}}, .measure = spot_measure_point};
    spot_arena_t memory = {0};
    fixture_t self;

    (void) state;
    begin(&self, "echo x >>measure-runs; [ {block} = 3 ] && sleep $NAP; echo {block}", "");
    unlink(self.path);
    search.context = &self.measure;
    setenv("NAP", "100", 1);
    signal(SIGALRM, on_alarm);
    alarm(1);
    assert_int_equal(spot_search_run(&search, &spot_search_grid, &memory), SPOT_ERR_INTERRUPTED);
    assert_true(spot_clock_s() - started_s < 20);
    assert_int_equal(search.num_points, 2);
    atomic_store(&spot_stop, 0);
    setenv("NAP", "0", 1);
    end(&self);
    unlink("measure-runs");
    spot_arena_free(&memory);
}

/* ---- Logs ---- */

static size_t num_lines(const char *path)
{
    FILE *file = fopen(path, "r");
    size_t num = 0;
    int byte;

    while (file != NULL && (byte = getc(file)) != EOF) {
        num += byte == '\n';
    }
    if (file != NULL) {
        fclose(file);
    }
    return num;
}

/* A search that goes on measures only what the log lacks. */
static void test_log(void **state)
{
    static const char command[] = "echo {block} >>measure-runs; [ {block} = 4 ] && exit 9; "
                                  "echo 0.{block}25 0.5";

    (void) state;
    unlink("measure-log");
    unlink("measure-runs");
    for (size_t num_blocks = 2; num_blocks <= 4; num_blocks++) {
        spot_search_t search = {.blocks = {true, num_blocks, {2, 3, 4, 5}},
            .threads = {true, 1, {1}},
            .measure = spot_measure_point};
        spot_arena_t memory = {0};
        fixture_t self;

        begin(&self, command, NULL);
        self.measure.path = "measure-log";
        search.context = &self.measure;
        assert_int_equal(spot_measure_read(&self.measure, &search), 0);
        assert_int_equal(search.blocks.num_values, num_blocks);
        assert_int_equal(spot_search_run(&search, &spot_search_grid, &memory), 0);
        assert_int_equal(num_lines("measure-runs"), num_blocks + 1);
        assert_int_equal(num_lines("measure-log"), num_blocks + 2);
        assert_float_equal(search.points[2].seconds, .325, 1e-12);
        assert_float_equal(search.points[2].stall_share, .5, 1e-12);
        if (num_blocks > 2) {
            assert_true(isinf(search.points[3].seconds));
            assert_string_equal(search.points[3].reason, "exit code 9");
        }
        assert_int_equal(search.best->block, 1);
        spot_arena_free(&memory);
        end(&self);
    }
    unlink("measure-log");
    unlink("measure-runs");
}

static void test_log_that_cannot_be_written(void **state)
{
    fixture_t self;

    (void) state;
    begin(&self, "echo 1", NULL);
    self.measure.path = "no-folder/log.csv";
    measure(&self, 1, 1, SPOT_ERR_IO);
    assert_int_equal(self.diag.num_errors, 1);
    end(&self);
}

/* An empty log is begun; rows are not appended to what is no log, or to half a line. */
static void test_other_logs(void **state)
{
    static const char *const texts[] = {"", "threads,block,seconds,stall_share,reason\n1,1,0.5,,\n",
        "threads,block,seconds,stall_share,reason\n1,1,0.5,,",
        "block_size,batch_completion_time\n1,0.5\n"};

    (void) state;
    for (size_t j = 0; j < sizeof(texts) / sizeof(texts[0]); j++) {
        spot_search_t search = {.blocks = {true, 1, {2}}};
        fixture_t self;

        begin(&self, "echo 2", texts[j]);
        assert_int_equal(spot_measure_read(&self.measure, &search), j < 2 ? 0 : SPOT_ERR_BAD_INPUT);
        assert_int_equal(self.diag.num_errors, j < 2 ? 0 : 1);
        if (j < 2) {
            measure(&self, 1, 2, 0);
            assert_int_equal(num_lines(self.path), 2 + j);
        }
        end(&self);
    }
}

/* ---- Tables ---- */

static void test_table(void **state)
{
    spot_search_t search = {0};
    fixture_t self;

    (void) state;
    begin(&self, NULL,
        "threadpool_size,block_size,batch_completion_time\n4,20,0.5\n2,60,0.25\n2,20,1\n"
        "2,60,7\n");
    assert_int_equal(spot_measure_read(&self.measure, &search), 0);
    assert_int_equal(search.threads.num_values, 2);
    assert_int_equal(search.threads.values[0], 2);
    assert_int_equal(search.blocks.num_values, 2);
    assert_int_equal(search.blocks.values[1], 60);
    assert_float_equal(measure(&self, 2, 60, 0).seconds, .25, 0);
    assert_true(isnan(measure(&self, 2, 60, 0).stall_share));
    measure(&self, 1, 1, SPOT_SEARCH_UNKNOWN);
    measure(&self, 4, 60, SPOT_ERR_BAD_INPUT);
    assert_non_null(strstr(self.diag.items[0].text, "threads 4, block 60"));
    self.measure.is_nearest = true;
    assert_float_equal(measure(&self, 4, 60, 0).seconds, .25, 0);
    assert_float_equal(measure(&self, 8, 22, 0).seconds, .5, 0);
    measure(&self, 1, 1, SPOT_SEARCH_UNKNOWN);
    end(&self);
}

static void test_bad_tables(void **state)
{
    static const char *const texts[] = {
        "",
        "block_size,batch_completion_time\n",
        "block_size,time\n1,2\n",
        "block_size,batch_completion_time\n0,1\n",
        "block_size,batch_completion_time\n1,0\n",
        "block_size,batch_completion_time\n1,-1\n",
        "block_size,batch_completion_time\n1,nan\n",
        "block_size,batch_completion_time\n1,1,1\n",
        "block_size,batch_completion_time\n1.5,1\n",
        "threadpool_size,block_size,batch_completion_time\n0,1,1\n",
        "threads,block,seconds,stall_share,reason\n1,1,1,1.5,\n",
    };

    (void) state;
    for (size_t j = 0; j < sizeof(texts) / sizeof(texts[0]); j++) {
        spot_search_t search = {0};
        fixture_t self;

        begin(&self, NULL, texts[j]);
        assert_int_equal(spot_measure_read(&self.measure, &search), SPOT_ERR_BAD_INPUT);
        assert_true(self.diag.num_errors > 0);
        end(&self);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_a_hanging_group_is_killed),
        cmocka_unit_test(test_interrupted),
        cmocka_unit_test(test_log),
        cmocka_unit_test(test_log_that_cannot_be_written),
        cmocka_unit_test(test_other_logs),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_bad_tables),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
