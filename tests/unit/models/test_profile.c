/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "fixture.h"
#include "models/profile.h"

static const char *const table_names[] = {
    "reconfig.csv", "loop_times_0.csv", "async-checkpoint_0.csv", "load_times_0.csv"};

/* A folder of measurements; a text that is NULL is a file that is not there. */
static void make_folder(char folder[512], const char *const texts[4])
{
    char path[600];

    snprintf(folder, 512, "%s/measured", temporary_folder());
    (void) mkdir(folder, 0777);
    for (size_t j = 0; j < 4; j++) {
        snprintf(path, sizeof(path), "%s/%s", folder, table_names[j]);
        (void) unlink(path);
        if (texts[j] != NULL) {
            write_file(path, texts[j]);
        }
    }
}

static void assert_measure_fails(const char *const texts[4], int error, const char *expected)
{
    spot_profile_t profile;
    spot_diag_t diag;
    char folder[512];

    make_folder(folder, texts);
    spot_diag_init(&diag);
    assert_int_equal(spot_profile_measure(&profile, folder, &diag), error);
    spot_profile_free(&profile);
    assert_diagnostics(&diag, expected);
}

static void assert_read_fails(const char *text, const char *expected)
{
    spot_profile_t profile;
    spot_diag_t diag;
    char path[512];

    snprintf(path, sizeof(path), "%s/profile.yaml", temporary_folder());
    write_file(path, text);
    spot_diag_init(&diag);
    assert_int_equal(spot_profile_read(&profile, path, &diag), SPOT_ERR_BAD_INPUT);
    spot_profile_free(&profile);
    assert_diagnostics(&diag, expected);
}

static void assert_same(const spot_measured_t *a, const spot_measured_t *b)
{
    assert_true(a->mean_s == b->mean_s);
    assert_true(a->std_s == b->std_s || (isnan(a->std_s) && isnan(b->std_s)));
    assert_int_equal(a->count, b->count);
}

/* Writes a profile, reads it again and compares every bit. */
static void assert_reads_back(const spot_profile_t *written)
{
    spot_profile_t read;
    spot_diag_t diag;
    char path[512];
    FILE *out;

    snprintf(path, sizeof(path), "%s/written.yaml", temporary_folder());
    out = fopen(path, "w");
    assert_non_null(out);
    spot_profile_write(written, out);
    assert_int_equal(fclose(out), 0);
    spot_diag_init(&diag);
    assert_int_equal(spot_profile_read(&read, path, &diag), 0);
    if (written->source == NULL) {
        assert_null(read.source);
    } else {
        assert_string_equal(read.source, written->source);
    }
    assert_same(&read.reconfiguration, &written->reconfiguration);
    assert_same(&read.checkpoint_write, &written->checkpoint_write);
    assert_same(&read.reload, &written->reload);
    assert_int_equal(read.num_steps, written->num_steps);
    for (size_t j = 0; j < read.num_steps; j++) {
        assert_int_equal(read.step_time[j].world_size, written->step_time[j].world_size);
        assert_same(&read.step_time[j].time, &written->step_time[j].time);
    }
    spot_profile_free(&read);
    spot_diag_free(&diag);
}

static void test_sample_has_the_means_of_the_seed_study(void **state)
{
    static const double step_s[] = {
        17.994171783779606, 11.380824764730477, 9.318327348709106, 8.282614257155346};
    spot_profile_t profile;
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    assert_int_equal(spot_profile_measure(&profile, SAMPLE_FOLDER, &diag), 0);
    assert_int_equal(diag.num_items, 0);
    assert_string_equal(profile.source, SAMPLE_FOLDER);
    assert_true(profile.reconfiguration.mean_s == 87.87109575271606);
    assert_true(profile.checkpoint_write.mean_s == 88.99610565625704);
    assert_true(profile.reload.mean_s == 46.83130866289139);
    assert_int_equal(profile.reconfiguration.count, 16);
    assert_int_equal(profile.num_steps, 4);
    for (size_t j = 0; j < 4; j++) {
        assert_int_equal(profile.step_time[j].world_size, 16 * (j + 1));
        assert_true(profile.step_time[j].time.mean_s == step_s[j]);
        assert_int_equal(profile.step_time[j].time.count, 16);
        assert_true(profile.step_time[j].time.std_s > 0);
    }
    assert_reads_back(&profile);
    spot_profile_free(&profile);
    spot_diag_free(&diag);
}

/* With a header and without, comments, blank lines, a slash behind the folder. */
static void test_measure_by_hand(void **state)
{
    static const char loop_times[] =
        "64,0,0,0,2,,2.5\n16,1,0,0,5,0.25,6\n# comment\n\n64,2,0,0,4,x,5\n"
        "64,3,0,0,6,,7\n";
    static const char *const texts[4] = {"ws,start,end,elapsed\n32,0,1,2\n64,-5,1e3,4\n16,0,0,9\n",
        loop_times, "elapsed\n\"7.5\"\n", "ws,step,elapsed\n16,0,1\n16,9,2\n"};
    spot_profile_t profile;
    spot_diag_t diag;
    char folder[512], with_slash[600];

    (void) state;
    make_folder(folder, texts);
    snprintf(with_slash, sizeof(with_slash), "%s/", folder);
    spot_diag_init(&diag);
    assert_int_equal(spot_profile_measure(&profile, with_slash, &diag), 0);
    assert_same(
        &profile.reconfiguration, &(spot_measured_t){.mean_s = 5, .std_s = sqrt(13), .count = 3});
    assert_same(&profile.checkpoint_write,
        &(spot_measured_t){.mean_s = 7.5, .std_s = (double) NAN, .count = 1});
    assert_same(&profile.reload, &(spot_measured_t){.mean_s = 1.5, .std_s = sqrt(0.5), .count = 2});
    assert_int_equal(profile.num_steps, 2);
    assert_int_equal(profile.step_time[0].world_size, 16);
    assert_same(&profile.step_time[0].time,
        &(spot_measured_t){.mean_s = 5, .std_s = (double) NAN, .count = 1});
    assert_int_equal(profile.step_time[1].world_size, 64);
    assert_same(
        &profile.step_time[1].time, &(spot_measured_t){.mean_s = 4, .std_s = 2, .count = 3});
    assert_reads_back(&profile);
    spot_profile_free(&profile);
    spot_diag_free(&diag);
}

static void test_all_errors_of_all_files(void **state)
{
    static const char loop_times[] =
        "ws,step,loop start,loop end,train time,start chkpt thread,total loop time\n"
        "16.5,,0,0,-1,,1e300\n16,1,inf,0,1,,1\n";
    static const char *const texts[4] = {
        "ws,start,end,elapsed\n16,a,1,abc\n16,1,nan,1\n", loop_times, "time\n1\n", "16,1,\n"};

    (void) state;
    assert_measure_fails(texts, SPOT_ERR_BAD_INPUT,
        "measured/reconfig.csv:2:4: start: expected a number, got 'a'\n"
        "measured/reconfig.csv:2:8: elapsed: expected seconds above 0, got 'abc'\n"
        "measured/reconfig.csv:3:6: end: expected a number, got 'nan'\n"
        "measured/loop_times_0.csv:2:1: ws: expected a world size from 1 to 1000000, "
        "got '16.5'\n"
        "measured/loop_times_0.csv:2:6: step: expected a number, got ''\n"
        "measured/loop_times_0.csv:2:11: train time: expected seconds above 0, got "
        "'-1'\n"
        "measured/loop_times_0.csv:2:15: total loop time: expected at most 100 years in "
        "seconds, got '1e300'\n"
        "measured/loop_times_0.csv:3:6: loop start: expected a number, got 'inf'\n"
        "measured/async-checkpoint_0.csv:1:1: elapsed: expected seconds above 0, got "
        "'time'\n"
        "measured/load_times_0.csv:1:6: elapsed: expected seconds above 0, got ''\n");
}

static void test_missing_and_empty_files(void **state)
{
    static const char *const one_file[4] = {
        "ws,start,end,elapsed\n", "", NULL, "ws,step,elapsed\n\n# none\n"};

    (void) state;
    assert_measure_fails(one_file, SPOT_ERR_IO,
        "measured/reconfig.csv: no measurements\n"
        "measured/loop_times_0.csv: no measurements\n"
        "measured/async-checkpoint_0.csv: cannot open: No such file or directory\n"
        "measured/load_times_0.csv: no measurements\n");
}

static void test_steps_too_short(void **state)
{
    static const char *const texts[4] = {
        "1,0,0,1\n", "16,0,0,0,0.0005,,1\n32,0,0,0,0.00051,,1\n", "1\n", "16,0,0.0001\n"};

    (void) state;
    assert_measure_fails(texts, SPOT_ERR_BAD_INPUT,
        "measured/loop_times_0.csv: train time: the mean of world size 16 rounds to "
        "less than 1 ms\n");
}

static void test_written_text(void **state)
{
    char source[] = "my \"folder\"";
    spot_measured_step_t steps[] = {{16, {.mean_s = 18, .std_s = 0.25, .count = 12}},
        {32, {.mean_s = 1.0 / 3, .std_s = (double) NAN, .count = 1}}};
    const spot_profile_t profile = {.source = source,
        .reconfiguration = {.mean_s = 87.87109575271606, .std_s = 1.5, .count = 12},
        .num_steps = 2,
        .step_time = steps,
        .checkpoint_write = {.mean_s = 89, .std_s = 0, .count = 2},
        .reload = {.mean_s = 1e-7, .std_s = (double) NAN, .count = 1}};
    char text[1024];
    FILE *out = fmemopen(text, sizeof(text), "w");

    (void) state;
    assert_non_null(out);
    spot_profile_write(&profile, out);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text,
        "# Measured times: mean, standard deviation (n - 1), number of values.\n"
        "spotsim-profile: 1\n"
        "source: \"my \\\"folder\\\"\"\n"
        "reconfiguration: {mean_s: 87.87109575271606, std_s: 1.5, count: 12}\n"
        "step_time:\n"
        "  16: {mean_s: 18, std_s: 0.25, count: 12}\n"
        "  32: {mean_s: 0.3333333333333333, std_s: null, count: 1}\n"
        "checkpoint_write: {mean_s: 89, std_s: 0, count: 2}\n"
        "reload: {mean_s: 1e-07, std_s: null, count: 1}\n");
    assert_reads_back(&profile);
}

/* Texts that need escapes. */
static void test_any_source_reads_back(void **state)
{
    static const char *const sources[] = {
        "a: b # c", "null", "[", "tab\tand\nline", "back\\slash/", "\x01\x7f", "na\xc3\xafve"};
    char source[64];
    spot_measured_t measured = {.mean_s = 0, .std_s = (double) NAN, .count = 1};
    spot_measured_step_t step = {1, {.mean_s = 0.001, .std_s = 0.1 + 0.2, .count = 2}};
    spot_profile_t profile = {.num_steps = 1,
        .step_time = &step,
        .reconfiguration = measured,
        .checkpoint_write = measured,
        .reload = measured};

    (void) state;
    assert_reads_back(&profile);
    profile.source = source;
    for (size_t j = 0; j < sizeof(sources) / sizeof(sources[0]); j++) {
        snprintf(source, sizeof(source), "%s", sources[j]);
        assert_reads_back(&profile);
    }
}

/* Written by hand: another order, no std_s. */
static void test_read_by_hand(void **state)
{
    spot_profile_t profile;
    spot_diag_t diag;
    char path[512];

    (void) state;
    snprintf(path, sizeof(path), "%s/profile.yaml", temporary_folder());
    write_file(path, "spotsim-profile: 1\n"
                     "reload: {count: 1, mean_s: 47}\n"
                     "step_time: {64: {mean_s: 8, count: 1}, 16: {mean_s: 18, count: 3, "
                     "std_s: 2}}\n"
                     "checkpoint_write: {mean_s: 89, count: 1, std_s: null}\n"
                     "reconfiguration: {mean_s: 0, count: 1}\n");
    spot_diag_init(&diag);
    assert_int_equal(spot_profile_read(&profile, path, &diag), 0);
    assert_null(profile.source);
    assert_true(profile.reload.mean_s == 47);
    assert_true(isnan(profile.reload.std_s));
    assert_int_equal(profile.num_steps, 2);
    assert_int_equal(profile.step_time[0].world_size, 16);
    assert_true(profile.step_time[0].time.std_s == 2);
    assert_int_equal(profile.step_time[1].world_size, 64);
    spot_profile_free(&profile);
    spot_diag_free(&diag);
}

static void test_not_a_profile(void **state)
{
    spot_profile_t profile;
    spot_diag_t diag;

    (void) state;
    assert_read_fails("[1, 2]\n",
        "profile.yaml:1:1: not a profile: expected \"spotsim-profile: 1\" as the first "
        "key\n");
    assert_read_fails("source: x\nspotsim-profile: 1\n",
        "profile.yaml:1:1: not a profile: expected \"spotsim-profile: 1\" as the first "
        "key\n");
    assert_read_fails("", "profile.yaml:1:1: file is empty\n");
    spot_diag_init(&diag);
    assert_int_equal(spot_profile_read(&profile, "/no/such.yaml", &diag), SPOT_ERR_IO);
    assert_diagnostics(&diag, "/no/such.yaml: cannot open: No such file or directory\n");
}

static void test_all_errors_of_a_profile(void **state)
{
    (void) state;
    assert_read_fails("spotsim-profile: 2\n"
                      "source: [a]\n"
                      "reconfiguration: 88 s\n"
                      "step_time: 18 s\n"
                      "checkpoint_write: {mean_s: 89, std: 1, count: 0}\n"
                      "relaod: {mean_s: 4}\n",
        "profile.yaml:1:18: spotsim-profile: expected 1, got \"2\"\n"
        "profile.yaml:2:9: source: expected a text, got a list\n"
        "profile.yaml:3:18: reconfiguration: expected a map of keys, got \"88 s\"\n"
        "profile.yaml:4:12: step_time: expected a map from world size to measured such "
        "as {16: {mean_s: 18, std_s: 0.2, count: 12}}, got \"18 s\"\n"
        "profile.yaml:5:32: unknown key \"std\", did you mean \"std_s\"?\n"
        "profile.yaml:5:47: checkpoint_write.count: expected an integer from 1, got "
        "\"0\"\n"
        "profile.yaml:6:1: unknown key \"relaod\", did you mean \"reload\"?\n"
        "profile.yaml:1:1: missing key \"reload\"\n");
}

static void test_errors_of_steps_and_deviations(void **state)
{
    (void) state;
    assert_read_fails("spotsim-profile: 1\n"
                      "reconfiguration: {mean_s: 1, count: 2}\n"
                      "checkpoint_write: {mean_s: 1, std_s: 2, count: 1}\n"
                      "reload: {mean_s: -1, std_s: -1, count: 2}\n"
                      "step_time:\n"
                      "  0: {mean_s: 18, count: 1}\n"
                      "  16: {mean_s: 0.0005, count: 1}\n"
                      "  17: {mean_s: 0.00051, count: 1}\n"
                      "  32: {mean_s: 11, count: 1}\n"
                      "  +32: {mean_s: 11, count: 1}\n"
                      "  48: {mean_s: .nan, std_s: \"null\", count: 1}\n"
                      "  1000001: {}\n",
        "profile.yaml:2:18: reconfiguration: more than one value needs std_s\n"
        "profile.yaml:3:19: checkpoint_write: one value has no std_s\n"
        "profile.yaml:4:18: reload.mean_s: expected a number from 0 to 3155760000, got "
        "\"-1\"\n"
        "profile.yaml:4:29: reload.std_s: expected a number from 0, got \"-1\"\n"
        "profile.yaml:6:3: step_time: expected a world size from 1 to 1000000, got "
        "\"0\"\n"
        "profile.yaml:7:7: step_time.16: the mean must round to at least 1 ms\n"
        "profile.yaml:10:3: step_time.32: repeated world size\n"
        "profile.yaml:11:16: step_time.48.mean_s: expected a number from 0 to "
        "3155760000, got \".nan\"\n"
        "profile.yaml:11:29: step_time.48.std_s: expected a number from 0, got "
        "\"null\": a text, since it is quoted\n"
        "profile.yaml:12:3: step_time: expected a world size from 1 to 1000000, got "
        "\"1000001\"\n");
    assert_read_fails("spotsim-profile: 1\n"
                      "step_time: {}\n"
                      "reconfiguration: {}\n",
        "profile.yaml:2:12: step_time: expected a map from world size to measured such "
        "as {16: {mean_s: 18, std_s: 0.2, count: 12}}, got an empty map\n"
        "profile.yaml:3:18: missing key \"reconfiguration.mean_s\"\n"
        "profile.yaml:3:18: missing key \"reconfiguration.count\"\n"
        "profile.yaml:1:1: missing key \"checkpoint_write\"\n"
        "profile.yaml:1:1: missing key \"reload\"\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sample_has_the_means_of_the_seed_study),
        cmocka_unit_test(test_measure_by_hand),
        cmocka_unit_test(test_all_errors_of_all_files),
        cmocka_unit_test(test_missing_and_empty_files),
        cmocka_unit_test(test_steps_too_short),
        cmocka_unit_test(test_written_text),
        cmocka_unit_test(test_any_source_reads_back),
        cmocka_unit_test(test_read_by_hand),
        cmocka_unit_test(test_not_a_profile),
        cmocka_unit_test(test_all_errors_of_a_profile),
        cmocka_unit_test(test_errors_of_steps_and_deviations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
