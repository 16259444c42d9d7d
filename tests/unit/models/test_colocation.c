/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs that share GPUs: those of a table, those of a rule, those of heavy families, and
 * tables that are refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "fixture.h"
#include "models/colocation.h"
#include "tests/unit/base/shared_data.h"

#define PUBLISHED SHARED_DATA "jobs/slab-noncommercial/colocate_info.csv.gz"
#define HEADER                                                                                     \
    ",model1,dataset1,gpu_num1,batchsize1,amp1,speed1,model2,dataset2,gpu_num2,"                   \
    "batchsize2,amp2,speed2,gpu_util,gmem_util,gmem\n"

enum { X, Y, Z, HEAVY, TINY, NAMELESS, NUM_WORKLOADS };

/* Y has blanks around its name, which do not count. */
static const spot_colocated_t workloads[NUM_WORKLOADS] = {
    [X] = {"X", "d", 32, 0, 50, 10, 5000},
    [Y] = {" Y ", "d", 64, 1, 20, 5, 3000},
    [Z] = {"Z", "d", 32, 0, 90, 95, 9000},
    [HEAVY] = {"NeuMF", "MovieLens", 64, 0, 10, 2, 2050},
    [TINY] = {"BERT", "d", 1, 0, 0.25, 1, 100},
    [NAMELESS] = {"", "", 0, 0, (double) NAN, (double) NAN, (double) NAN},
};

static const char table[] =
    HEADER "0,X,d,1,32,0,0.9,Y,d,1,64,1,0.8,61.5,12,7777\n"
           "1,X,d,1,32,0,0.7,X,d,1,32,0,0.6,88,20,9999\n"
           "2,NeuMF,MovieLens,1,64,0,0.98,NeuMF,MovieLens,1,64,0,0.97,20,4,4122\n"
           "3,\" X\",d,1,32,0,0.9,Y ,d,1,64,1,0.8,1,1,1\n";

static int read_text(spot_colocation_t *self, const char *text, spot_unknown_pair_t rule,
    bool has_heavy, spot_diag_t *diag)
{
    char path[512];
    int ret;

    snprintf(path, sizeof(path), "%s/pairs-%ld.csv", temporary_folder(), (long) getpid());
    if (text != NULL) {
        write_file(path, text);
    }
    spot_diag_init(diag);
    ret = spot_colocation_init(
        self, text == NULL ? NULL : path, rule, has_heavy, NUM_WORKLOADS, workloads, diag);
    remove(path);
    return ret;
}

static spot_colocation_t must_read(const char *text, spot_unknown_pair_t rule, bool has_heavy)
{
    spot_colocation_t pairs;
    spot_diag_t diag;

    assert_int_equal(read_text(&pairs, text, rule, has_heavy, &diag), 0);
    assert_int_equal(diag.num_items, 0);
    spot_diag_free(&diag);
    return pairs;
}

static void assert_pair(spot_colocation_pair_t pair, double guest_speed, double host_speed,
    double gpu_util, double gmem_mib)
{
    assert_true(pair.can_share);
    assert_true(pair.guest_speed == guest_speed);
    assert_true(pair.host_speed == host_speed);
    assert_true(pair.gpu_util == gpu_util);
    assert_true(pair.gmem_mib == gmem_mib);
}

static void test_table_in_both_orders(void **state)
{
    spot_colocation_t pairs = must_read(table, SPOT_PAIR_REFUSE, false);

    (void) state;
    assert_int_equal(pairs.num_measured, 3); /* the last row repeats the first */
    assert_pair(spot_colocation_pair(&pairs, X, Y), 0.9, 0.8, 61.5, 7777);
    assert_pair(spot_colocation_pair(&pairs, Y, X), 0.8, 0.9, 61.5, 7777);
    assert_pair(spot_colocation_pair(&pairs, X, X), 0.7, 0.6, 88, 9999);
    /* a heavy family follows the rule, though the table has the pair */
    assert_false(spot_colocation_pair(&pairs, HEAVY, HEAVY).can_share);
    assert_false(spot_colocation_pair(&pairs, X, Z).can_share);
    assert_false(spot_colocation_pair(&pairs, HEAVY, X).can_share);
    assert_false(spot_colocation_pair(&pairs, NAMELESS, NAMELESS).can_share);
    spot_colocation_free(&pairs);
}

/* A pair that is listed in both orders is looked up as guest and host. */
static void test_own_order_first(void **state)
{
    spot_colocation_t pairs = must_read(HEADER "0,X,d,1,32,0,0.9,Y,d,1,64,1,0.8,61,12,7777\n"
                                               "1,Y,d,1,64,1,0.5,X,d,1,32,0,0.6,62,12,8888\n",
        SPOT_PAIR_REFUSE, false);

    (void) state;
    assert_pair(spot_colocation_pair(&pairs, X, Y), 0.9, 0.8, 61, 7777);
    assert_pair(spot_colocation_pair(&pairs, Y, X), 0.5, 0.6, 62, 8888);
    spot_colocation_free(&pairs);
}

static void test_rules_of_unknown_pairs(void **state)
{
    spot_colocation_t pairs = must_read(table, SPOT_PAIR_PROPORTIONAL, false);
    spot_colocation_pair_t pair = spot_colocation_pair(&pairs, X, Z);

    (void) state;
    assert_pair(pair, 100.0 / 140, 100.0 / 140, 100, 14000);
    assert_true(pair.gmem_util == 100);
    assert_pair(spot_colocation_pair(&pairs, Y, HEAVY), 1, 1, 30, 5050);
    assert_pair(spot_colocation_pair(&pairs, Y, NAMELESS), 100.0 / 120, 100.0 / 120, 100, 3000);
    spot_colocation_free(&pairs);

    pairs = must_read(table, SPOT_PAIR_ONE, false);
    assert_pair(spot_colocation_pair(&pairs, X, Z), 1, 1, 100, 14000);
    assert_pair(spot_colocation_pair(&pairs, X, Y), 0.9, 0.8, 61.5, 7777);
    spot_colocation_free(&pairs);
}

/* Nothing is measured: a rule that refuses what was not measured packs nothing. */
static void test_no_table(void **state)
{
    spot_colocation_t pairs = must_read(NULL, SPOT_PAIR_REFUSE, false);

    (void) state;
    assert_int_equal(pairs.num_measured, 0);
    assert_pair(spot_colocation_pair(&pairs, X, Z), 100.0 / 140, 100.0 / 140, 100, 14000);
    spot_colocation_free(&pairs);
    pairs = must_read(NULL, SPOT_PAIR_ONE, false);
    assert_pair(spot_colocation_pair(&pairs, X, Z), 1, 1, 100, 14000);
    spot_colocation_free(&pairs);
}

/* As published: percent are taken for a fraction, and rows of the table are not used. */
static void test_heavy_families(void **state)
{
    spot_colocation_t pairs = must_read(table, SPOT_PAIR_REFUSE, true);

    (void) state;
    assert_pair(spot_colocation_pair(&pairs, HEAVY, HEAVY), 1, 1, 1, 4100);
    assert_pair(spot_colocation_pair(&pairs, HEAVY, Z), 1, 1, 1, 11050);
    assert_pair(spot_colocation_pair(&pairs, Z, HEAVY), 1, 1, 1, 11050);
    assert_pair(spot_colocation_pair(&pairs, TINY, TINY), 1, 1, 0.5, 200);
    assert_pair(spot_colocation_pair(&pairs, X, Y), 0.9, 0.8, 61.5, 7777);
    assert_false(spot_colocation_pair(&pairs, X, Z).can_share);
    spot_colocation_free(&pairs);
}

static void assert_refused(const char *text, const char *expected)
{
    spot_colocation_t pairs;
    spot_diag_t diag;
    char wanted[1024], *at = wanted;

    assert_int_equal(read_text(&pairs, text, SPOT_PAIR_REFUSE, false, &diag), SPOT_ERR_BAD_INPUT);
    spot_colocation_free(&pairs);
    while (*expected != '\0') { /* @ is the name of the file */
        at += *expected != '@' ? (*at = *expected, 1)
                               : snprintf(at, 64, "pairs-%ld.csv", (long) getpid());
        expected++;
    }
    *at = '\0';
    assert_diagnostics(&diag, wanted);
}

static void test_bad_tables(void **state)
{
    (void) state;
    assert_refused("", "@:1:1: no pairs\n");
    assert_refused("model1,dataset1,batchsize1,amp1,speed1,model2,dataset2,batchsize2,"
                   "amp2,gpu_util,gmem_util\n",
        "@:1:1: missing columns: speed2, gmem\n");
    assert_refused("model1,model1\n", "@:1:8: repeated column 'model1'\n");
    assert_refused(HEADER "0,X,d,1,32,0,1,Y,d,1,64,1,2.001,61,12,7777\n"
                          "0,X,d,1,32,2,1,Y,d,1,x,1,nan,101,12\n"
                          "0,X,d,1,32,2,1,Y,d,1,x,1,1,101,12,-1\n",
        "@:2:27: speed2: expected a speed above 0 and at most 2, got '2.001'\n"
        "@:3:1: expected 16 columns, got 15\n"
        "@:4:12: amp1: expected an integer from 0 to 1, got '2'\n"
        "@:4:22: batchsize2: expected an integer from 0 to 2147483647, got 'x'\n"
        "@:4:28: gpu_util: expected % from 0 to 100, got '101'\n"
        "@:4:35: gmem: expected MiB from 0 to 1e9, got '-1'\n");
}

static void test_unknown_columns_warn(void **state)
{
    spot_colocation_t pairs;
    spot_diag_t diag;

    (void) state;
    assert_int_equal(read_text(&pairs,
                         "model1,dataset1,batchsize1,amp1,speed1,model2,dataset2,batchsize2,amp2,"
                         "speed2,gpu_util,gmem_util,gmem,extra\nX,d,32,0,1,Y,d,64,1,1,1,1,1,e\n",
                         SPOT_PAIR_REFUSE, false, &diag),
        0);
    assert_int_equal(diag.num_warnings, 1);
    assert_non_null(strstr(diag.items[0].text, ":1:1: unknown columns are ignored: extra"));
    spot_colocation_free(&pairs);
    spot_diag_free(&diag);
}

static void test_published_table(void **state)
{
    spot_colocation_t pairs;
    spot_diag_t diag;

    (void) state;
    need_data(PUBLISHED);
    spot_diag_init(&diag);
    assert_int_equal(
        spot_colocation_init(&pairs, PUBLISHED, SPOT_PAIR_REFUSE, false, 0, NULL, &diag), 0);
    assert_int_equal(diag.num_items, 0);
    assert_int_equal(pairs.num_measured, 1388);
    spot_colocation_free(&pairs);
    spot_diag_free(&diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_in_both_orders),
        cmocka_unit_test(test_own_order_first),
        cmocka_unit_test(test_rules_of_unknown_pairs),
        cmocka_unit_test(test_no_table),
        cmocka_unit_test(test_heavy_families),
        cmocka_unit_test(test_bad_tables),
        cmocka_unit_test(test_unknown_columns_warn),
        cmocka_unit_test(test_published_table),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
