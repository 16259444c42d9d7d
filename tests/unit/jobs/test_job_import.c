/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/jobs/log_text.h"
#include "traces/jobs/job_file.h"

#define HEAD "job_id,vc,gpu_num,submit_time,duration,state\n"

/* Job 2 is the first one that is kept, so second 0, though it is outside the window;
 * jobs 4 and 5 are its edges on that clock. */
static const char helios[] = HEAD "1,vcA,1,2020-03-31 23:59:59,0,x\n"
                                  "2,vcbIW,1,2020-04-01 00:02:31,0,x\n"
                                  "3,vcA,1,2020-09-01 00:02:30,1,x\n"
                                  "4,vcbIW,2,2020-09-01 00:02:31,1,x\n"
                                  "5,vcP2J,1,2020-09-27 00:01:31,7,y\n"
                                  "6,vcA,1,2020-09-27 00:01:32,1,x\n"
                                  "7,vcsBT,1,2020-09-10 00:00:00,1,x\n"
                                  "8,vcA,0,2020-04-01 00:00:00,0,x\n";

static const spot_job_preset_t *preset_of(const char *name)
{
    for (size_t j = 0; spot_job_presets[j].name != NULL; j++) {
        if (strcmp(spot_job_presets[j].name, name) == 0) {
            return &spot_job_presets[j];
        }
    }
    return NULL;
}

static void import(spot_job_log_t *log, spot_vc_list_t *vcs, const char *name, bool is_origin_zero,
    const char *text, const char *report)
{
    const spot_job_preset_t *preset = preset_of(name);
    spot_job_window_t window = {.is_origin_zero = is_origin_zero};
    const spot_job_log_request_t request = {.vcs = vcs,
        .num_vc_rules = preset->num_vc_rules,
        .vc_rules = preset->vc_rules,
        .num_state_rules = preset->num_state_rules,
        .state_rules = preset->state_rules,
        .window = &window};

    assert_null(spot_job_window_set(&window, preset->origin, preset->begin, preset->end));
    assert_int_equal(read_log(log, request, text, report), 0);
}

static void test_helios(void **state)
{
    spot_vc_list_t vcs = {0};
    spot_job_log_t log;

    (void) state;
    import(&log, &vcs, "helios-sept", false, helios, "");
    assert_int_equal(log.num_jobs, 2);
    assert_string_equal(log.jobs[0].id, "4");
    assert_int_equal(log.jobs[0].submit_s, 13219200);
    assert_string_equal(vcs.vcs[log.jobs[0].vc_id].name, "vcvGl");
    assert_string_equal(log.jobs[1].id, "5");
    assert_int_equal(log.jobs[1].submit_s, 13219200 + 26 * 86400 - 60);
    assert_string_equal(vcs.vcs[log.jobs[1].vc_id].name, "vchA3");
    assert_int_equal(log.clock_zero_s, 1585699351);
    assert_int_equal(log.counts.read, 8);
    assert_int_equal(log.counts.without_gpus, 1);
    assert_int_equal(log.counts.dropped_vc, 1);
    assert_int_equal(log.counts.outside, 4);
    assert_int_equal(log.counts.kept, 2);
    spot_job_log_free(&log);
    spot_vc_list_free(&vcs);
}

/* On the clock of the origin the window is that of the calendar. */
static void test_clock_of_origin(void **state)
{
    spot_vc_list_t vcs = {0};
    spot_job_log_t log;

    (void) state;
    import(&log, &vcs, "helios-sept", true, helios, "");
    assert_int_equal(log.num_jobs, 2);
    assert_string_equal(log.jobs[0].id, "3");
    assert_int_equal(log.jobs[0].submit_s, 13219200 + 150);
    assert_string_equal(log.jobs[1].id, "4");
    spot_job_log_free(&log);
    spot_vc_list_free(&vcs);
}

static void test_philly(void **state)
{
    spot_vc_list_t vcs = {0};
    spot_job_log_t log;

    (void) state;
    import(&log, &vcs, "philly-week", false,
        "jobid,vc,gpu_num,submitted_time,duration,status\n"
        "application_1,6214e9,1,2017-10-01 00:00:05,30,Pass\n"
        "application_2,795a4c,1,2017-10-01 00:00:06,30,Pass\n"
        "application_3,6214e9,1,2017-10-01 00:00:07,30,Killed\n"
        "application_4,6214e9,1,2017-10-01 00:00:08,30,Odd\n",
        "");
    assert_int_equal(log.num_jobs, 3);
    assert_int_equal(log.jobs[1].submit_s, 2);
    assert_string_equal(log.states.names[log.jobs[0].state_id], "COMPLETED");
    assert_string_equal(log.states.names[log.jobs[1].state_id], "CANCELLED");
    assert_string_equal(log.states.names[log.jobs[2].state_id], "Odd");
    spot_job_log_free(&log);
    spot_vc_list_free(&vcs);
}

/* A window in seconds, without an origin: its bounds are those of the log's times that
 * count from the first job. */
static void test_seconds(void **state)
{
    spot_vc_list_t vcs = {0};
    spot_job_log_t log;
    spot_job_window_t window = {.is_origin_zero = false};
    spot_job_log_request_t request = {.vcs = &vcs, .window = &window};

    (void) state;
    assert_null(spot_job_window_set(&window, NULL, "110", "120"));
    assert_int_equal(
        read_log(&log, request, HEAD "1,a,1,100,1,\n2,a,1,110,1,\n3,a,1,120,0,\n4,a,1,121,0,\n",
            "x:4:11: duration: expected at least 1 s, got '0'; the rules "
            "for short jobs are clamp and drop\n"),
        SPOT_ERR_BAD_INPUT);
    spot_job_log_free(&log);
    request.short_rule = SPOT_SHORT_CLAMP;
    assert_int_equal(
        read_log(&log, request, HEAD "1,a,1,100,1,\n2,a,1,110,1,\n3,a,1,120,0,\n4,a,1,121,0,\n",
            "warning: x: 1 duration below 1 s raised to 1 s\n"),
        0);
    assert_int_equal(log.num_jobs, 2);
    assert_int_equal(log.jobs[0].submit_s, 10);
    assert_int_equal(log.jobs[1].duration_s, 1);
    spot_job_log_free(&log);
    assert_int_equal(read_log(&log, request, HEAD "1,a,1,2020-01-01 00:00:00,1,\n",
                         "x:2:7: submit_time: expected integer seconds, as those of the "
                         "window, got '2020-01-01 00:00:00'\n"),
        SPOT_ERR_BAD_INPUT);
    spot_job_log_free(&log);
    assert_int_equal(read_log(&log, request, HEAD "1,a,1,0,1,\n2,a,0,9,1,\n",
                         "x: no job is left of 2 rows: 1 without GPUs, 1 outside the window\n"),
        SPOT_ERR_BAD_INPUT);
    spot_job_log_free(&log);
    spot_vc_list_free(&vcs);
}

static void test_window_texts(void **state)
{
    spot_job_window_t window;

    (void) state;
    assert_string_equal(spot_job_window_set(&window, "2020-01-01", NULL, NULL),
        "expected integer seconds or YYYY-MM-DD hh:mm:ss");
    assert_string_equal(spot_job_window_set(&window, "2020-01-01 00:00:00", "5", NULL),
        "either all are dates, or all are seconds");
    assert_string_equal(
        spot_job_window_set(&window, "5", "4", NULL), "the begin is before the origin");
    assert_null(spot_job_window_set(&window, NULL, NULL, NULL));
    assert_false(window.is_given);
    for (size_t j = 0; spot_job_presets[j].name != NULL; j++) {
        assert_null(spot_job_window_set(&window, spot_job_presets[j].origin,
            spot_job_presets[j].begin, spot_job_presets[j].end));
        assert_true(window.is_given && window.has_dates);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_helios),
        cmocka_unit_test(test_clock_of_origin),
        cmocka_unit_test(test_philly),
        cmocka_unit_test(test_seconds),
        cmocka_unit_test(test_window_texts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
