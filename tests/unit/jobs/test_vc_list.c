/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/jobs/log_text.h"

static int read_text(spot_vc_list_t *vcs, const char *text, bool may_be_empty, const char *report)
{
    char path[PATH_BYTES];
    spot_diag_t diag;
    int ret;

    make_file("vcs.csv", text, path);
    spot_diag_init(&diag);
    ret = spot_vc_list_read(vcs, path, may_be_empty, &diag);
    assert_report_of(&diag, path, report);
    spot_diag_free(&diag);
    unlink(path);
    return ret;
}

static void test_both_heads(void **state)
{
    spot_vc_list_t vcs;

    (void) state;
    assert_int_equal(read_text(&vcs, ",num\nb,3\na,1\n", false, ""), 0);
    assert_int_equal(vcs.num_vcs, 2);
    assert_string_equal(vcs.vcs[0].name, "b");
    assert_int_equal(vcs.vcs[0].num_nodes, 3);
    assert_int_equal(vcs.vcs[1].line, 3);
    assert_int_equal(spot_vc_list_find(&vcs, "a"), 1);
    assert_int_equal(spot_vc_list_find(&vcs, "c"), -1);
    spot_vc_list_free(&vcs);
    assert_int_equal(read_text(&vcs, "nodes,vc\n0,x\n", true, ""), 0);
    assert_int_equal(vcs.vcs[0].num_nodes, 0);
    spot_vc_list_free(&vcs);
}

static void test_errors(void **state)
{
    spot_vc_list_t vcs;

    (void) state;
    assert_int_equal(read_text(&vcs, "vc,nodes\na,1\nd,0\n", false,
                         ":3:3: nodes: VC 'd' has none: 0 needs a pool that adds "
                         "nodes\n"),
        SPOT_ERR_BAD_INPUT);
    spot_vc_list_free(&vcs);
    assert_int_equal(read_text(&vcs, "vc,nodes\n", false, ":2:1: expected at least one VC\n"),
        SPOT_ERR_BAD_INPUT);
    spot_vc_list_free(&vcs);
    assert_int_equal(read_text(&vcs, "name,num\na,1\n", false,
                         ":1:1: unknown columns are ignored: name\n:1:1: missing columns: vc\n"),
        SPOT_ERR_BAD_INPUT);
    spot_vc_list_free(&vcs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_heads),
        cmocka_unit_test(test_errors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
