/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each sample of a log, cut, with bytes changed, and with lines left out or twice: an
 * error that names the file, or a trace that holds all invariants. */
#include <dirent.h>
#include <string.h>

#include "base/rng.h"
#include "tests/unit/base/support.h"
#include "traces/convert/convert.h"
#include "traces/trace.h"

#define LOGS SPOT_SOURCE_DIR "/tests/unit/convert/logs/"

enum { FILE_BYTES = 262144, NUM_DAMAGES = 150 };

/* Options of the samples that need some. */
static const struct {
    const char *sample, *columns, *events;
} mappings[] = {
    {"mapping.csv", "time=Timestamp,instance=node,event=reason,zone=zone",
        "launched=add,terminated=gone,spot*=preempt,*=ignore"},
    {"mapping_lives.jsonl", "start=life.from,end=life.to,instance=id,cause=life.why",
        "evicted=preempt,*=stop"},
    {"mapping_counts.csv", "time=time,count=ready", NULL},
};

static size_t read_sample(const char *name, char bytes[FILE_BYTES])
{
    char path[PATH_BYTES];
    size_t num_bytes;
    FILE *stream;

    snprintf(path, sizeof(path), LOGS "%s", name);
    stream = fopen(path, "rb");
    assert_non_null(stream);
    num_bytes = fread(bytes, 1, FILE_BYTES, stream);
    assert_int_equal(fclose(stream), 0);
    assert_true(num_bytes < FILE_BYTES);
    return num_bytes;
}

/* Converts bytes that are damaged. Returns whether they were accepted. */
static bool convert(const char *name, const char *bytes, size_t num_bytes)
{
    spot_convert_t task = {.kind = -1, .window_ms = -1, .now = "2024-06-07T17:00:00Z"};
    const spot_record_input_t input = {.path = name, .bytes = bytes, .num_bytes = num_bytes};
    spot_convert_report_t report;
    spot_trace_t trace;
    spot_diag_t diag;
    int ret;

    for (size_t j = 0; j < sizeof(mappings) / sizeof(mappings[0]); j++) {
        if (strcmp(mappings[j].sample, name) == 0) {
            task.columns = mappings[j].columns;
            task.events = mappings[j].events;
        }
    }
    spot_diag_init(&diag);
    ret = spot_convert(&task, 1, &input, &trace, &report, &diag);
    assert_true(ret == 0 || ret == SPOT_ERR_BAD_INPUT);
    assert_int_equal(diag.num_errors > 0, ret != 0);
    for (size_t j = 0; j < diag.num_items; j++) {
        const char *text = diag.items[j].text;
        const bool has_place =
            strncmp(text, name, strlen(name)) == 0 || strncmp(text, "--until: ", 9) == 0;

        if (!has_place) {
            fail_msg("no place: %s", text);
        }
    }
    if (ret == 0) {
        spot_trace_verify(&trace);
    }
    spot_convert_report_free(&report);
    spot_trace_free(&trace);
    spot_diag_free(&diag);
    return ret == 0;
}

static size_t below(spot_rng_t *rng, size_t limit)
{
    return (size_t) spot_rng_below(rng, limit);
}

/* Moves the rest of the bytes over a part of them. Returns how many are left. */
static size_t drop(char *bytes, size_t num_bytes, size_t from, size_t to)
{
    memmove(bytes + from, bytes + to, num_bytes - to);
    return num_bytes - (to - from);
}

static size_t damage(char *bytes, size_t num_bytes, size_t kind, spot_rng_t *rng)
{
    const size_t place = below(rng, num_bytes);
    const char *end = memchr(bytes + place, '\n', num_bytes - place);
    size_t start = place;

    while (start > 0 && bytes[start - 1] != '\n') {
        start--;
    }
    switch (kind) {
        case 0:
            return place;
        case 1:
            return drop(bytes, num_bytes, 0, place);
        case 2:
            return drop(
                bytes, num_bytes, start, end == NULL ? num_bytes : (size_t) (end - bytes) + 1);
        case 3:
            bytes[place] = (char) (bytes[place] ^ (1 << below(rng, 8)));
            return num_bytes;
        default:
            bytes[place] = "0123456789{}[]\",:= \n-"[below(rng, 21)];
            return num_bytes;
    }
}

static void damage_sample(const char *name)
{
    static char bytes[FILE_BYTES], damaged[FILE_BYTES];
    const size_t num_bytes = read_sample(name, bytes);
    size_t num_accepted = 0;
    spot_rng_t rng;

    for (size_t j = 0; j < 5 * NUM_DAMAGES; j++) {
        size_t num_left;
        char *exact;

        spot_rng_seek(&rng, 22, j, SPOT_STREAM_COUNT, strlen(name));
        memcpy(damaged, bytes, num_bytes);
        num_left = damage(damaged, num_bytes, j % 5, &rng);
        exact = malloc(num_left + 1); /* so that a sanitizer sees its end */
        assert_non_null(exact);
        memcpy(exact, damaged, num_left);
        num_accepted += convert(name, exact, num_left);
        free(exact);
    }
    /* Neither is everything refused nor nothing. */
    assert_in_range(num_accepted, 1, 5 * NUM_DAMAGES - 1);
}

static void test_damaged(void **state)
{
    DIR *folder = opendir(LOGS);
    const struct dirent *entry;
    size_t num_samples = 0;

    (void) state;
    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] != '.' && strstr(entry->d_name, ".expected.") == NULL) {
            damage_sample(entry->d_name);
            num_samples++;
        }
    }
    assert_int_equal(closedir(folder), 0);
    assert_true(num_samples >= 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_damaged)};

    return cmocka_run_group_tests_name("logs_damaged", tests, NULL, NULL);
}
