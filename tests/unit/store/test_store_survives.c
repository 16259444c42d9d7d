/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the store on disk survives: being killed, a full disk, another process, damage.
 */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/bench/analysis/summary.h"
#include "sim/bench/store/sqlite_rows.h"
#include "sim/bench/store/store_sqlite.h"
#include "store_case.h"

#define BATCH_ROWS 64 /* of the study */

#define NUM_KILLS 20
#define NUM_FLIPS 150

static void sleep_us(long time_us)
{
    const struct timespec time = {0, 1000 * time_us};

    nanosleep(&time, NULL);
}

/* The same numbers in each run: xorshift64 of Marsaglia, J. Stat. Software 8(14), 2003.
 */
static uint64_t next_random(uint64_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random;
}

/* Every batch has its rows, all of them, and nothing else is there. */
static void check_whole_batches(const store_case_t *known)
{
    assert_true(case_sql(known, "SELECT integrity_check = 'ok' FROM "
                                "pragma_integrity_check") == 1);
    assert_true(case_sql(known, "SELECT count(*) FROM batch WHERE replications <> (SELECT count(*) "
                                "FROM replication r WHERE r.point = batch.point AND r.replication "
                                "BETWEEN first AND first + replications - 1)") == 0);
    assert_true(case_sql(known, "SELECT (SELECT count(*) FROM replication) = (SELECT "
                                "coalesce(sum(replications), 0) FROM batch)") == 1);
}

/* In a child: fills the store, a little at a time. */
static void fill_slowly(const store_case_t *known)
{
    spot_store_t *store = case_open(known);

    for (int64_t j = 0; j < known->head.num_replications; j += BATCH_ROWS) {
        for (size_t k = 0; k < known->head.num_points; k++) {
            const int64_t num_there = store->num_there(store, k, j);

            case_put(store, k, j + num_there, BATCH_ROWS - num_there);
        }
        sleep_us(300);
    }
    store->close(store);
    _exit(0);
}

static void test_killed_at_random_moments(void **state)
{
    uint64_t random = 20260131;
    double num_before = 0;
    store_case_t known;
    spot_store_t *store;

    (void) state;
    case_init(&known, 64 * 600);
    store = case_open(&known);
    store->close(store);
    for (int j = 0; j < NUM_KILLS; j++) {
        const pid_t child = fork();
        double num_rows;
        int status;

        if (child == 0) {
            fill_slowly(&known);
        }
        assert_true(child > 0);
        sleep_us((long) (next_random(&random) % 250000));
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, &status, 0), child);
        num_rows = case_sql(&known, "SELECT count(*) FROM replication");
        assert_true(num_rows >= num_before);
        num_before = num_rows;
        check_whole_batches(&known);
    }
    store = case_open(&known);
    case_put_all(store);
    store->close(store);
    check_whole_batches(&known);
    store = case_open_reader(&known);
    case_check_all(store);
    store->close(store);
    case_remove(&known);
}

/* Whoever comes first makes the store; the others wait for it. */
static void test_all_make_one_store(void **state)
{
    enum { NUM_PROCESSES = 4, REFUSED = 3 };

    (void) state;
    for (int j = 0; j < 25; j++) {
        pid_t children[NUM_PROCESSES];
        store_case_t known;
        spot_store_t *store;
        int status, num_opened = 0;

        case_init(&known, 64);
        for (int k = 0; k < NUM_PROCESSES; k++) {
            children[k] = fork();
            if (children[k] == 0) {
                spot_diag_t diag;

                spot_diag_init(&diag);
                if (spot_store_open_sqlite(
                        &store, known.path, &known.head, &known.provenance, &diag) != 0) {
                    _exit(diag.num_errors == 1 &&
                                  (strstr(diag.items[0].text, "writes to it") != NULL ||
                                      strstr(diag.items[0].text, "is opening it"))
                              ? REFUSED
                              : 1);
                }
                store->close(store);
                _exit(0);
            }
        }
        for (int k = 0; k < NUM_PROCESSES; k++) {
            assert_int_equal(waitpid(children[k], &status, 0), children[k]);
            assert_true(status == 0 || status == REFUSED << 8);
            num_opened += status == 0;
        }
        assert_true(num_opened >= 1);
        assert_true(case_sql(&known, "SELECT count(*) FROM provenance") == num_opened);
        case_remove(&known);
    }
}

/* Puts until the store says that it cannot. */
static void fill_until_full(spot_store_t *store)
{
    double rows[BATCH_ROWS * CASE_METRICS];
    uint32_t warnings[BATCH_ROWS];
    spot_diag_t diag;
    int ret = 0;

    for (int64_t j = 0; ret == 0 && j < store->head->num_replications; j += BATCH_ROWS) {
        for (int64_t k = 0; k < BATCH_ROWS; k++) {
            warnings[k] = case_row(store->head, 0, j + k, &rows[k * CASE_METRICS]);
        }
        ret = store->put(store, &(spot_piece_t){0, j, BATCH_ROWS, rows, warnings});
    }
    assert_true(ret == 0 || ret == SPOT_ERR_IO);
    spot_diag_init(&diag);
    assert_int_equal(store->flush(store, &diag), SPOT_ERR_IO);
    assert_true(diag.num_errors == 1);
    assert_true(case_says(&diag, "what was committed before is safe"));
    spot_diag_free(&diag);
    assert_int_equal(store->put(store, &(spot_piece_t){0, 0, 1, rows, warnings}), SPOT_ERR_IO);
}

static void check_after_full(const store_case_t *known)
{
    spot_store_t *store = case_open(known);

    assert_true(store->num_rows(store, 0) > 0);
    case_check_point(store, 0, store->num_rows(store, 0));
    case_put_all(store);
    store->close(store);
    check_whole_batches(known);
    store = case_open_reader(known);
    case_check_all(store);
    store->close(store);
}

static void test_a_full_disk(void **state)
{
    const spot_sqlite_options_t options = {.max_pages = 100};
    struct rlimit limit, old;
    store_case_t known;
    spot_store_t *store;
    spot_diag_t diag;

    (void) state;
    case_init(&known, 64 * 800);
    spot_diag_init(&diag);
    assert_int_equal(spot_store_open_sqlite_with(
                         &store, known.path, &known.head, &known.provenance, &options, &diag),
        0);
    fill_until_full(store);
    store->close(store);
    assert_true(case_sql(&known, "SELECT count(*) FROM replication") > 0);
    check_after_full(&known);
    case_remove(&known);

    /* The same where the system refuses to write. */
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    limit = (struct rlimit){1000000, old.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    store = case_open(&known);
    fill_until_full(store);
    store->close(store);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, SIG_DFL);
    check_after_full(&known);
    case_remove(&known);
    spot_diag_free(&diag);
}

/* What is read of a damaged store: rows that were written, one after the other. */
typedef struct {
    const spot_study_head_t *head;
    size_t point_id;
    int64_t num_rows;
} damaged_point_t;

static int check_row(void *context, const spot_row_t *row)
{
    damaged_point_t *self = context;
    double metrics[CASE_METRICS];
    const uint32_t warnings = case_row(self->head, self->point_id, row->replication, metrics);

    assert_int_equal(row->replication, self->num_rows++);
    assert_int_equal(row->warnings, warnings);
    for (size_t j = 0; j < CASE_METRICS; j++) {
        assert_true(row->metrics[j] == metrics[j] || (isnan(row->metrics[j]) && isnan(metrics[j])));
    }
    return 0;
}

/* Reads whatever there is: the right rows, all of them, or an error with its reason. */
static bool read_damaged(const store_case_t *known)
{
    spot_summary_t *summaries = NULL;
    spot_store_t *store;
    spot_diag_t diag;
    bool is_good = true;

    spot_diag_init(&diag);
    if (spot_store_open_sqlite_reader(&store, known->path, &diag) != 0) {
        assert_true(diag.num_errors > 0);
        spot_diag_free(&diag);
        return false;
    }
    assert_int_equal(store->head->num_points, known->head.num_points);
    for (size_t j = 0; j < store->head->num_points; j++) {
        damaged_point_t point = {&known->head, j, 0};

        if (store->read(store, j, 0, check_row, &point) != 0) {
            is_good = false;
        } else {
            assert_int_equal(point.num_rows, known->head.num_replications);
            assert_int_equal(store->num_rows(store, j), point.num_rows);
        }
    }
    if (spot_summarise_all(store, &summaries) != 0) {
        is_good = false;
    }
    free(summaries);
    assert_true(is_good == (store->flush(store, &diag) == 0));
    assert_true(is_good || diag.num_errors > 0);
    store->close(store);
    spot_diag_free(&diag);
    return is_good;
}

/* Goes on with it, unless it is refused. */
static void write_damaged(const store_case_t *known)
{
    static const double rows[64 * CASE_METRICS];
    spot_store_t *store;
    spot_diag_t diag;

    spot_diag_init(&diag);
    if (spot_store_open_sqlite(&store, known->path, &known->head, &known->provenance, &diag) == 0) {
        for (size_t j = 0; j < known->head.num_points; j++) {
            (void) store->put(store, &(spot_piece_t){j, 0, 64, rows, NULL});
        }
        (void) store->flush(store, &diag);
        store->close(store);
    } else {
        assert_true(diag.num_errors > 0);
    }
    spot_diag_free(&diag);
}

static void write_bytes(const char *path, const char *bytes, size_t num_bytes)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, num_bytes, file), num_bytes);
    assert_int_equal(fclose(file), 0);
}

/* A closed store, as bytes. */
static size_t make_whole(store_case_t *known, char *bytes, size_t max_bytes)
{
    spot_store_t *store;
    size_t num_bytes;
    FILE *file;

    case_init(known, 300);
    store = case_open(known);
    case_put_all(store);
    store->close(store);
    file = fopen(known->path, "rb");
    assert_non_null(file);
    num_bytes = fread(bytes, 1, max_bytes, file);
    assert_true(num_bytes > 4096 && num_bytes < max_bytes);
    fclose(file);
    return num_bytes;
}

/* A flipped bit, some of them, a burst of noise, or an end too soon: the rows are those
 * that were written, or the store is called damaged. */
static void test_damage_is_seen(void **state)
{
    static char bytes[1 << 20], damaged[1 << 20];
    const int num_flips = getenv("SPOT_FLIPS") == NULL ? NUM_FLIPS : atoi(getenv("SPOT_FLIPS"));
    uint64_t random = 4;
    int num_good = 0;
    store_case_t known;
    size_t num_bytes;

    (void) state;
    num_bytes = make_whole(&known, bytes, sizeof(bytes));
    for (int k = 0; k < num_flips; k++) {
        const uint64_t place = next_random(&random) % num_bytes;
        const uint64_t num_noise = k % 5 == 4 ? next_random(&random) % 200 : 0;

        memcpy(damaged, bytes, num_bytes);
        damaged[place] ^= (char) (1 << next_random(&random) % 8);
        for (uint64_t l = place; l < num_bytes && l < place + num_noise; l++) {
            damaged[l] = (char) next_random(&random);
        }
        case_remove(&known);
        write_bytes(
            known.path, damaged, k % 10 == 9 ? next_random(&random) % num_bytes : num_bytes);
        num_good += read_damaged(&known);
        write_damaged(&known);
    }
    printf("%d of %d files were read all the same\n", num_good, num_flips);
    assert_in_range(num_good, 1, num_flips - 1);
    case_remove(&known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_killed_at_random_moments),
        cmocka_unit_test(test_all_make_one_store),
        cmocka_unit_test(test_a_full_disk),
        cmocka_unit_test(test_damage_is_seen),
    };

    return cmocka_run_group_tests(tests, NULL, case_end);
}
