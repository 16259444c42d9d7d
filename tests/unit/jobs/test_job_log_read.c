/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <zlib.h>

#include "tests/unit/jobs/log_text.h"
#include "traces/jobs/job_file.h"
#include "traces/jobs/job_log.h"

#define HEAD "job_id,vc,gpu_num,submit_time,duration\n"

static void assert_rejected(const char *text, const char *report)
{
    spot_vc_list_t vcs = {0};
    spot_job_log_t log;

    assert_int_equal(
        read_log(&log, (spot_job_log_request_t){.vcs = &vcs}, text, report), SPOT_ERR_BAD_INPUT);
    spot_job_log_free(&log);
    spot_vc_list_free(&vcs);
}

static void free_both(spot_job_log_t *log, spot_vc_list_t *vcs)
{
    spot_job_log_free(log);
    spot_vc_list_free(vcs);
}

/* ---- What is read ---- */

static void test_every_column(void **state)
{
    spot_vc_list_t vcs = {0};
    spot_job_log_t log;
    const spot_workload_t *workload;
    const spot_job_terms_row_t *terms;

    (void) state;
    make_log(&log, &vcs,
        "trainer,reconfig_s,restart_s,ckpt_write_s,ckpt_interval_s,scaling,max_gpus,"
        "min_gpus,sharescore,gmem,gmem_util,gpu_util,speed,amp,batchsize,dataset,model,"
        "state,cpu_num,jobname,user,duration,submit_time,gpu_num,vc,job_id\n"
        "core:a,20,60,30,120,4:1.0 8:1.8;16:3.0,16,4,2,5000.5,12.5,50,1000.25,1,64,d,m,"
        "COMPLETED,3,n,u,600,5,8,a,7\n"
        ",,,,,,,,,,,,,,,,,FAILED,,n,v,1,6,1,b,x y\n");
    assert_int_equal(log.num_jobs, 2);
    assert_string_equal(log.jobs[0].id, "7");
    assert_int_equal(log.jobs[0].submit_s, 5);
    assert_int_equal(log.jobs[0].duration_s, 600);
    assert_int_equal(log.jobs[0].gpu_num, 8);
    assert_string_equal(vcs.vcs[log.jobs[0].vc_id].name, "a");
    assert_string_equal(log.users.names[log.jobs[0].user_id], "u");
    assert_string_equal(log.names.names[log.jobs[0].name_id], "n");
    assert_string_equal(log.states.names[log.jobs[0].state_id], "COMPLETED");
    assert_int_equal(log.jobs[0].cpu_num, 3);
    workload = &log.workloads[log.jobs[0].workload_id];
    assert_string_equal(workload->model, "m");
    assert_string_equal(workload->dataset, "d");
    assert_int_equal(workload->batch_size, 64);
    assert_int_equal(workload->amp, 1);
    assert_true(workload->speed_per_s == 1000.25);
    assert_true(workload->gpu_util == 50 && workload->gmem_util == 12.5);
    assert_true(workload->gmem_mib == 5000.5);
    assert_int_equal(workload->share_score, 2);
    terms = &log.terms[log.jobs[0].terms_id];
    assert_int_equal(terms->min_gpus, 4);
    assert_int_equal(terms->max_gpus, 16);
    assert_int_equal(terms->checkpoint_interval_s, 120);
    assert_int_equal(terms->checkpoint_write_s, 30);
    assert_int_equal(terms->restart_s, 60);
    assert_int_equal(terms->reconfiguration_s, 20);
    assert_string_equal(terms->trainer, "core:a");
    assert_int_equal(log.scalings[terms->scaling_id].num_sizes, 3);
    assert_int_equal(log.scalings[terms->scaling_id].sizes[2], 16);
    assert_true(log.scalings[terms->scaling_id].per_s[1] == 1.8);
    assert_string_equal(log.jobs[1].id, "x y");
    assert_int_equal(log.jobs[1].workload_id, -1);
    assert_int_equal(log.jobs[1].terms_id, -1);
    assert_int_equal(log.jobs[1].cpu_num, -1);
    assert_int_equal(log.jobs[1].name_id, log.jobs[0].name_id);
    assert_true(log.clock_zero_s == SPOT_JOB_NO_CLOCK);
    assert_int_equal(log.counts.read, 2);
    assert_int_equal(log.counts.kept, 2);
    free_both(&log, &vcs);
}

/* Rows with the same columns share a workload and terms, whatever is between. */
static void test_shared_rows(void **state)
{
    spot_vc_list_t vcs = {0};
    spot_job_log_t log;

    (void) state;
    make_log(&log, &vcs,
        "job_id,vc,gpu_num,submit_time,duration,model,gmem,restart_s\n"
        "1,a,1,0,1,m,5,60\n2,a,1,0,1,m,6,60\n3,a,1,0,1,m,5.0,\n4,a,1,0,1,m,,60\n"
        "5,a,1,0,1,m,,61\n");
    assert_int_equal(log.num_workloads, 3);
    assert_int_equal(log.jobs[2].workload_id, log.jobs[0].workload_id);
    assert_int_equal(log.jobs[4].workload_id, log.jobs[3].workload_id);
    assert_true(isnan(log.workloads[log.jobs[3].workload_id].gmem_mib));
    assert_true(isnan(log.workloads[0].speed_per_s));
    assert_int_equal(log.workloads[0].share_score, -1);
    assert_int_equal(log.num_terms, 2);
    assert_int_equal(log.jobs[3].terms_id, log.jobs[0].terms_id);
    assert_int_equal(log.jobs[2].terms_id, -1);
    free_both(&log, &vcs);
}

/* The order of the file decides ties. */
static void test_order(void **state)
{
    static const char *const ids[] = {"e", "b", "c", "a", "d"};
    spot_vc_list_t vcs = {0};
    spot_job_log_t log;

    (void) state;
    assert_int_equal(read_log(&log, (spot_job_log_request_t){.vcs = &vcs},
                         HEAD "a,v,1,20,1\nb,v,1,10,1\nc,v,1,10,1\nd,v,1,20,1\n"
                              "e,v,1,0,1\n",
                         "warning: x: 2 rows are submitted before the row above: the "
                         "log is sorted\n"),
        0);
    for (size_t j = 0; j < 5; j++) {
        assert_string_equal(log.jobs[j].id, ids[j]);
    }
    free_both(&log, &vcs);
}

static void test_dates(void **state)
{
    spot_vc_list_t vcs = {0};
    spot_job_log_t log;

    (void) state;
    make_log(&log, &vcs, HEAD "1,a,1,2020-02-29 23:59:59,1\n2,a,1,2020-03-01T00:00:10,1\n");
    assert_int_equal(log.jobs[0].submit_s, 0);
    assert_int_equal(log.jobs[1].submit_s, 11);
    assert_int_equal(log.clock_zero_s, 1583020799);
    free_both(&log, &vcs);
}

/* A file, gzip, with LF or CRLF, and the warnings that are counted. */
static void test_file(void **state)
{
    static const char text[] = "job_id,vc,gpu_num,submit_time,duration,color,smell\r\n"
                               "1,a,1,0,1,red,\r\n2,b,0,0,0,,\r\n3,c,1,9,2,,\n";
    spot_vc_list_t vcs = {0};
    spot_job_log_t log;
    spot_job_log_request_t request = {.vcs = &vcs};
    char path[PATH_BYTES], report[3 * PATH_BYTES];
    spot_diag_t diag;
    gzFile stream;

    (void) state;
    test_path("log.csv.gz", path);
    stream = gzopen(path, "wb");
    assert_int_equal(gzwrite(stream, text, sizeof(text) - 1), sizeof(text) - 1);
    assert_int_equal(gzclose(stream), Z_OK);
    assert_int_equal(spot_vc_list_add(&vcs, "a", 1, 0), 0);
    request.log = path;
    spot_diag_init(&diag);
    assert_int_equal(spot_job_log_read(&log, &request, &diag), 0);
    snprintf(report, sizeof(report),
        "warning: %s:1:40: unknown columns are ignored: color, smell\n"
        "warning: %s: 2 of 3 rows dropped: 1 without GPUs, 1 of unknown VCs\n"
        "warning: %s: 3 lines end in CR LF\n",
        path, path, path);
    assert_report(&diag, report);
    assert_int_equal(log.num_jobs, 1);
    assert_int_equal(log.counts.without_gpus, 1);
    assert_int_equal(log.counts.unknown_vc, 1);
    spot_diag_free(&diag);
    free_both(&log, &vcs);
    unlink(path);
}

/* ---- Rules ---- */

static void test_vc_rules(void **state)
{
    static const spot_vc_rule_t rules[] = {{"*", "c"}, {"a", "b"}, {"x", ""}};
    static const char text[] = HEAD "1,a,1,0,1\n2,b,1,1,1\n3,x,1,2,1\n4,z,1,3,1\n5,a,1,4,1\n";
    spot_vc_list_t vcs = {0};
    spot_job_log_t log;
    spot_job_log_request_t request = {.vcs = &vcs, .num_vc_rules = 3, .vc_rules = rules};

    (void) state;
    assert_int_equal(
        read_log(&log, request, text, "warning: x: 1 of 5 rows dropped: 1 of dropped VCs\n"), 0);
    assert_int_equal(vcs.num_vcs, 2);
    assert_string_equal(vcs.vcs[0].name, "b");
    assert_string_equal(vcs.vcs[1].name, "c");
    assert_int_equal(log.jobs[1].vc_id, 1);
    assert_int_equal(log.jobs[2].vc_id, 1);
    assert_int_equal(log.jobs[3].vc_id, 0);
    assert_int_equal(log.counts.dropped_vc, 1);
    free_both(&log, &vcs);
}

static void test_short_rule(void **state)
{
    static const char text[] = HEAD "1,a,1,0,0\n2,a,1,1,5\n3,a,1,2,-3\n";
    spot_vc_list_t vcs = {0};
    spot_job_log_t log;
    spot_job_log_request_t request = {.vcs = &vcs, .adds_vcs = true};

    (void) state;
    request.short_rule = SPOT_SHORT_CLAMP;
    assert_int_equal(
        read_log(&log, request, text, "warning: x: 2 durations below 1 s raised to 1 s\n"), 0);
    assert_int_equal(log.num_jobs, 3);
    assert_int_equal(log.jobs[2].duration_s, 1);
    assert_int_equal(log.counts.too_short, 2);
    spot_job_log_free(&log);
    request.short_rule = SPOT_SHORT_DROP;
    assert_int_equal(
        read_log(&log, request, text, "warning: x: 2 of 3 rows dropped: 2 below 1 s\n"), 0);
    assert_int_equal(log.num_jobs, 1);
    assert_string_equal(log.jobs[0].id, "2");
    free_both(&log, &vcs);
}

/* ---- Joining ---- */

#define PLAIN HEAD "1,a,1,9,1\n2,a,1,5,1\n3,a,4,7,1\n"
#define SORTED "warning: x: 1 row is submitted before the row above: the log is sorted\n"

/* %s in the report: the path of the other file. */
static int join(spot_job_log_t *log, spot_vc_list_t *vcs, const char *text, const char *other,
    const char *format)
{
    spot_job_log_request_t request = {.vcs = vcs};
    char path[PATH_BYTES], report[4 * PATH_BYTES] = "";
    size_t length = 0;
    int ret;

    make_file("work.csv", other, path);
    for (const char *at = format; *at != '\0'; at++) {
        if (at[0] == '%') {
            length += (size_t) snprintf(report + length, sizeof(report) - length, "%s", path);
        } else {
            report[length++] = *at;
            report[length] = '\0';
        }
    }
    request.workload = path;
    ret = read_log(log, request, text, report);
    unlink(path);
    return ret;
}

static void test_join(void **state)
{
    spot_vc_list_t vcs = {0};
    spot_job_log_t log;

    (void) state;
    assert_int_equal(join(&log, &vcs, PLAIN,
                         "gmem,job_id,model,min_gpus,max_gpus,scaling,user\n"
                         "30,3,m,2,4,2:1 4:1.5,u\n10,1,m,,,,v\n40,4,m,,,,w\n"
                         "10,2,m,,,,u\n",
                         SORTED),
        0);
    assert_int_equal(log.num_jobs, 3);
    assert_string_equal(log.jobs[0].id, "2");
    assert_true(log.workloads[log.jobs[0].workload_id].gmem_mib == 10);
    assert_true(log.workloads[log.jobs[1].workload_id].gmem_mib == 30);
    assert_int_equal(log.jobs[0].workload_id, log.jobs[2].workload_id);
    assert_int_equal(log.terms[log.jobs[1].terms_id].min_gpus, 2);
    assert_int_equal(log.jobs[0].terms_id, -1);
    assert_int_equal(log.num_workloads, 2);
    assert_string_equal(log.users.names[log.jobs[2].user_id], "v");
    free_both(&log, &vcs);
}

/* A workload may be in two files. */
static void test_join_of_halves(void **state)
{
    spot_vc_list_t vcs = {0};
    spot_job_log_t log;

    (void) state;
    assert_int_equal(
        join(&log, &vcs, "job_id,vc,gpu_num,submit_time,duration,model\n1,a,1,0,1,m\n2,a,1,0,1,n\n",
            "job_id,gmem\n2,7\n1,\n", ""),
        0);
    assert_string_equal(log.workloads[log.jobs[1].workload_id].model, "n");
    assert_true(log.workloads[log.jobs[1].workload_id].gmem_mib == 7);
    assert_string_equal(log.workloads[log.jobs[0].workload_id].model, "m");
    free_both(&log, &vcs);
}

static void test_join_errors(void **state)
{
    spot_vc_list_t vcs = {0};
    spot_job_log_t log;

    (void) state;
    assert_int_equal(join(&log, &vcs, PLAIN, "job_id,vc\n1,a\n2,a\n3,a\n",
                         "%:1:8: column 'vc' is in x too\n" SORTED),
        SPOT_ERR_BAD_INPUT);
    free_both(&log, &vcs);
}

/* ---- Errors ---- */

static void test_row_errors(void **state)
{
    (void) state;
    assert_rejected(HEAD "4,,1,0,1\n5,a,x,0,1\n6,a,2000000,0,1\n"
                         "7,a,1,-1,1\n8,a,1,1.5,1\n9,a,1,0,1.5\n\n10,a,1,0,9999999999\n",
        "x:2:3: vc: expected a name of up to 64 bytes, got ''\n"
        "x:3:5: gpu_num: expected an integer from 1 to 1000000, got 'x'\n"
        "x:4:5: gpu_num: expected an integer from 1 to 1000000, got '2000000'\n"
        "x:5:7: submit_time: expected integer seconds from 0 to 3162240000, or "
        "YYYY-MM-DD hh:mm:ss, got '-1'\n"
        "x:6:7: submit_time: expected integer seconds from 0 to 3162240000, or "
        "YYYY-MM-DD hh:mm:ss, got '1.5'\n"
        "x:7:9: duration: expected an integer from 1 to 3162240000, got "
        "'1.5'\n"
        "x:8:1: empty line\n"
        "x:9:10: duration: expected an integer from 1 to 3162240000, got "
        "'9999999999'\n");
    assert_rejected(HEAD "1,a,1,2020-02-30 00:00:00,1\n2,a,1,2020-02-28 00:00:00,1\n"
                         "3,a,1,2020-02-28 24:00:00,1\n4,a,1,5,1\n5,a,1,2020-02-28,1\n",
        "x:2:7: submit_time: expected a date and time YYYY-MM-DD hh:mm:ss from 1970 to "
        "2069, got '2020-02-30 00:00:00'\n"
        "x:4:7: submit_time: expected a date and time YYYY-MM-DD hh:mm:ss from 1970 to "
        "2069, got '2020-02-28 24:00:00'\n"
        "x:5:7: submit_time: expected YYYY-MM-DD hh:mm:ss as in line 3, got '5'\n"
        "x:6:7: submit_time: expected a date and time YYYY-MM-DD hh:mm:ss from 1970 to "
        "2069, got '2020-02-28'\n");
    assert_rejected(HEAD "1,a,1,0,1\n2,a,1,0,1\n1,a,1,0,1\n1,a,1,0,1\n",
        "x:4:1: job_id: '1' is in line 2 too\nx:5:1: job_id: '1' is in line 2 too\n");
}

static void test_file_errors(void **state)
{
    (void) state;
    assert_rejected("job_id,vc,gpu_num,job_id\n",
        "x:1:19: repeated column 'job_id'\n"
        "x:1:1: missing columns: submit_time, duration\n");
    assert_rejected(HEAD "1,a,1,0,1\n3,a\x01,1,0,1\n", "x:3:4: byte 0x01 is not allowed\n");
}

static void test_optional_errors(void **state)
{
    (void) state;
    assert_rejected("job_id,vc,gpu_num,submit_time,duration,gpu_util,"
                    "cpu_num,speed,trainer\n1,a,1,0,1,101,-1,nan,mine\n",
        "x:2:11: gpu_util: expected a number from 0 to 100, got '101'\n"
        "x:2:15: cpu_num: expected an integer from 0 to 1000000, got '-1'\n"
        "x:2:18: speed: expected a number from 0 to 1000000000000, got 'nan'\n"
        "x:2:22: trainer: expected core:NAME, got 'mine'\n");
}

#define ELASTIC "job_id,vc,gpu_num,submit_time,duration,min_gpus,max_gpus,scaling\n"

static void test_terms_errors(void **state)
{
    (void) state;
    assert_rejected(ELASTIC "2,a,4,0,1,1,2,4:1\n3,a,4,0,1,1,8,2:1 8:2\n5,a,4,0,1,,4,4:1\n",
        "x:2:1: job 2: gpu_num 4 is above max_gpus 2\n"
        "x:3:1: job 3: gpu_num 4 is not a size of its scaling table '2:1 8:2'\n"
        "x:4:1: job 5: max_gpus needs min_gpus as well\n");
    assert_rejected(ELASTIC "1,a,4,0,1,1,8,4:1 2:1\n3,a,4,0,1,1,8,4\n"
                            "4,a,4,0,1,1,8,0:1\n5,a,4,0,1,1,8,/nowhere/s.csv\n",
        "x:2:15: scaling: expected increasing sizes, got '4:1 2:1'\n"
        "x:3:15: scaling: expected SIZE:THROUGHPUT, such as 4:1.0 8:1.8, got '4'\n"
        "x:4:15: scaling: expected a size from 1 to 1000000 GPUs, got '0:1'\n"
        "/nowhere/s.csv: cannot open: No such file or directory\n"
        "x:5:15: scaling: expected sizes such as 4:1.0 8:1.8, or a CSV file, got "
        "'/nowhere/s.csv'\n");
}

/* The file of a scaling table is relative to the log. */
static void test_scaling_file(void **state)
{
    char log_path[PATH_BYTES], scaling_path[PATH_BYTES], text[2 * PATH_BYTES];
    spot_vc_list_t vcs = {0};
    spot_job_log_t log;
    spot_job_log_request_t request = {.vcs = &vcs, .adds_vcs = true};
    spot_diag_t diag;

    (void) state;
    make_file("scaling.csv", "throughput,size\n1,2\n1.5,4\n", scaling_path);
    snprintf(text, sizeof(text), ELASTIC "1,a,4,0,1,1,8,%s\n2,a,2,0,1,1,8,%s\n",
        strrchr(scaling_path, '/') + 1, strrchr(scaling_path, '/') + 1);
    make_file("elastic.csv", text, log_path);
    request.log = log_path;
    spot_diag_init(&diag);
    assert_int_equal(spot_job_log_read(&log, &request, &diag), 0);
    assert_report(&diag, "");
    assert_int_equal(log.num_scalings, 1);
    assert_int_equal(log.scalings[0].num_sizes, 2);
    assert_true(log.scalings[0].per_s[1] == 1.5);
    spot_job_log_free(&log);

    make_file("scaling.csv", "throughput,size\n1,2\n1,2\n0,3\n", scaling_path);
    assert_int_equal(spot_job_log_read(&log, &request, &diag), SPOT_ERR_BAD_INPUT);
    snprintf(text, sizeof(text),
        "%s:3:3: expected increasing sizes\n%s:4:1: expected a throughput above 0\n", scaling_path,
        scaling_path);
    assert_report(&diag, text);
    spot_diag_free(&diag);
    free_both(&log, &vcs);
    unlink(log_path);
    unlink(scaling_path);
}

/* ---- Writing ---- */

static void assert_written(const char *text, const char *expected)
{
    spot_vc_list_t vcs = {0};
    spot_job_log_t log;
    char *written = NULL;
    size_t num_bytes = 0;
    FILE *out = open_memstream(&written, &num_bytes);

    make_log(&log, &vcs, text);
    spot_job_log_write(&log, &vcs, out);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(written, expected);
    free(written);
    free_both(&log, &vcs);
}

static void test_write(void **state)
{
    static const char all[] =
        "job_id,user,vc,jobname,gpu_num,cpu_num,state,submit_time,duration,model,"
        "dataset,"
        "batchsize,amp,speed,gpu_util,gmem_util,gmem,sharescore,min_gpus,max_gpus,"
        "scaling,ckpt_interval_s,ckpt_write_s,restart_s,reconfig_s,trainer\n"
        "7,u,a,\"n, o\",8,3,COMPLETED,5,600,m,d,64,1,0.1,50,12.5,5000.125,0,4,16,"
        "4:1.0 8:1.8,120,30,0,20,core:a\n"
        "x,,b,,1,,,5,1,,,,,,,,,,,,,,,,,\n";

    (void) state;
    assert_written(all, all);
    assert_written("duration,submit_time,gpu_num,vc,job_id\n1,3,2,a,9\n",
        "job_id,vc,gpu_num,submit_time,duration\n9,a,2,3,1\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_column),
        cmocka_unit_test(test_shared_rows),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_dates),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_vc_rules),
        cmocka_unit_test(test_short_rule),
        cmocka_unit_test(test_join),
        cmocka_unit_test(test_join_of_halves),
        cmocka_unit_test(test_join_errors),
        cmocka_unit_test(test_row_errors),
        cmocka_unit_test(test_file_errors),
        cmocka_unit_test(test_optional_errors),
        cmocka_unit_test(test_terms_errors),
        cmocka_unit_test(test_scaling_file),
        cmocka_unit_test(test_write),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
