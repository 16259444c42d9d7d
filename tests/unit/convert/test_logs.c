/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sample of each form of log, which no other form takes for its own, against its
 * canonical trace, byte by byte. */
#include <string.h>
#include <zlib.h>

#include "tests/unit/base/support.h"
#include "traces/convert/convert.h"
#include "traces/trace_write.h"

#define LOGS SPOT_SOURCE_DIR "/tests/unit/convert/logs/"

enum { FILE_BYTES = 262144 };

/* A form, a sample of it, its canonical trace, and the options that make it. */
typedef struct {
    const char *form;
    const char *sample, *expected;      /* files of logs/ */
    const char *now, *columns, *events; /* NULL: not given */
} sample_t;

static const sample_t samples[] = {
    {"ec2", "ec2_instances.json", "ec2_instances.expected.csv", "2024-06-03T11:00:00Z", NULL, NULL},
    {"ec2", "ec2_requests.json", "ec2_requests.expected.csv", "2024-06-03T11:30:10Z", NULL, NULL},
    {"eventbridge", "eventbridge.jsonl", "eventbridge.expected.csv", "2024-06-03T14:00:00Z", NULL,
        NULL},
    {"autoscaler", "autoscaler.txt", "autoscaler.expected.csv", "2024-06-03T11:00:00Z", NULL, NULL},
    {"gcloud-operations", "gcloud-operations.txt", "gcloud-operations.txt.expected.csv",
        "2024-06-03T18:00:00Z", NULL, NULL},
    {"gcloud-operations", "gcloud-operations.csv", "gcloud-operations.csv.expected.csv",
        "2024-06-03T18:00:00Z", NULL, NULL},
    {"gcloud-operations", "gcloud-operations.json", "gcloud-operations.json.expected.csv",
        "2024-06-03T18:00:00Z", NULL, NULL},
    {"gcloud-operations", "gcloud-audit.json", "gcloud-audit.expected.csv", "2024-06-03T18:00:00Z",
        NULL, NULL},
    {"azure-events", "azure-events.jsonl", "azure-events.expected.csv", "2024-06-03T18:00:00Z",
        NULL, NULL},
    {"kubernetes", "kubernetes_events.json", "kubernetes_events.expected.csv",
        "2024-06-03T10:00:00Z", NULL, NULL},
    {"kubernetes", "kubernetes_events.txt", "kubernetes_events_table.expected.csv",
        "2024-06-03T09:00:00Z", NULL, NULL},
    {"kubernetes", "kubernetes_nodes.json", "kubernetes_nodes.expected.csv", "2024-06-03T10:00:00Z",
        NULL, NULL},
    {"kubernetes", "kubernetes_nodes.txt", "kubernetes_nodes_table.expected.csv",
        "2024-06-03T10:00:00Z", NULL, NULL},
    {"kubernetes", "kubernetes_karpenter.jsonl", "kubernetes_karpenter.expected.csv",
        "2024-06-03T10:00:00Z", NULL, NULL},
    {"kubernetes", "kubernetes_console.txt", "kubernetes_console.expected.csv",
        "2024-06-03T10:00:00Z", NULL, NULL},
    {"mapping", "mapping.csv", "mapping.expected.csv", NULL,
        "time=Timestamp,instance=node,event=reason,zone=zone",
        "launched=add,terminated=gone,spot*=preempt,spot warning=notice,scaled "
        "down=stop,"
        "rebalance=advice,*=ignore"},
    {"mapping", "mapping_lives.jsonl", "mapping_lives.expected.csv", "2024-06-03T12:00:00Z",
        "start=life.from,end=life.to,instance=id,cause=life.why,type=machine",
        "evicted=preempt,completed=stop,shutdown=stop,*Lost=gone"},
    {"mapping", "mapping_counts.csv", "mapping_counts.expected.csv", NULL, "time=time,count=ready",
        NULL},
    {"prometheus", "prometheus.json", "prometheus.expected.csv", NULL, NULL, NULL},
    {"prometheus", "prometheus_up.csv", "prometheus_up.expected.csv", NULL, NULL, NULL},
    {"prometheus", "prometheus_count.csv", "prometheus_count.expected.csv", NULL, NULL, NULL},
    {"skypilot-jobs", "skypilot_jobs.txt", "skypilot_jobs.expected.csv", "2025-01-02T03:00:00Z",
        NULL, NULL},
    {"slurm", "slurm_events.txt", "slurm_events.expected.csv", "2024-06-03T15:00:00Z", NULL, NULL},
    {"slurm", "slurm_jobs.txt", "slurm_jobs.expected.csv", "2024-06-03T15:00:00Z", NULL, NULL},
    {"slurm", "slurm_nodes.txt", "slurm_nodes.expected.csv", "2024-06-03T15:00:00Z", NULL, NULL},
};

enum { NUM_SAMPLES = sizeof(samples) / sizeof(samples[0]) };

/* Reads a whole file. Returns its bytes, with a NUL behind; the caller frees them. */
static char *read_file(const char *path, size_t *num_bytes)
{
    char *bytes = calloc(FILE_BYTES, 1);
    FILE *stream = fopen(path, "rb");

    assert_non_null(bytes);
    assert_non_null(stream);
    *num_bytes = fread(bytes, 1, FILE_BYTES - 1, stream);
    assert_true(feof(stream));
    assert_int_equal(fclose(stream), 0);
    return bytes;
}

static spot_convert_t task_of(const sample_t *sample)
{
    return (spot_convert_t){.kind = -1,
        .window_ms = -1,
        .now = sample->now,
        .columns = sample->columns,
        .events = sample->events};
}

/* Converts an input of a sample, which must be recognised. Returns the file of the
 * trace, which the caller frees. */
static char *convert(const sample_t *sample, const spot_record_input_t *input)
{
    const spot_convert_t task = task_of(sample);
    spot_convert_report_t report;
    spot_trace_t trace;
    char path[PATH_BYTES], *written;
    size_t num_bytes;
    spot_diag_t diag;
    int ret;

    spot_diag_init(&diag);
    ret = spot_convert(&task, 1, input, &trace, &report, &diag);
    assert_report(&diag, "");
    assert_int_equal(ret, 0);
    assert_string_equal(report.format, sample->form);
    test_path("log.csv", path);
    assert_int_equal(spot_trace_write(&trace, path, &diag), 0);
    written = read_file(path, &num_bytes);
    remove(path);
    spot_convert_report_free(&report);
    spot_trace_free(&trace);
    spot_diag_free(&diag);
    return written;
}

static void read_sample(const char *name, char **bytes, size_t *num_bytes)
{
    char path[PATH_BYTES];

    snprintf(path, sizeof(path), LOGS "%s", name);
    *bytes = read_file(path, num_bytes);
}

static void test_samples(void **state)
{
    (void) state;
    for (size_t j = 0; j < NUM_SAMPLES; j++) {
        const sample_t *sample = &samples[j];
        spot_record_input_t input = {.path = sample->sample};
        char *bytes, *expected, *written;
        size_t num_expected;

        read_sample(sample->sample, &bytes, &input.num_bytes);
        read_sample(sample->expected, &expected, &num_expected);
        input.bytes = bytes;
        written = convert(sample, &input);
        assert_string_equal(written, expected);
        free(written);
        free(expected);
        free(bytes);
    }
}

/* What an export stores compressed has the same rows. */
static void test_compressed(void **state)
{
    (void) state;
    for (size_t j = 0; j < NUM_SAMPLES; j++) {
        const char *columns = "\ntime_s,event,count,instances\n";
        char *bytes, *expected, *written, path[PATH_BYTES];
        size_t num_bytes, num_expected;
        gzFile stream;

        test_path("log.gz", path);
        read_sample(samples[j].sample, &bytes, &num_bytes);
        read_sample(samples[j].expected, &expected, &num_expected);
        stream = gzopen(path, "wb");
        assert_non_null(stream);
        assert_int_equal(gzwrite(stream, bytes, (unsigned) num_bytes), num_bytes);
        assert_int_equal(gzclose(stream), Z_OK);
        written = convert(&samples[j], &(spot_record_input_t){.path = path});
        assert_string_equal(strstr(written, columns), strstr(expected, columns));
        remove(path);
        free(written);
        free(expected);
        free(bytes);
    }
}

/* One form fits each sample, and the table has a sample of each form of log. */
static void test_no_other_form(void **state)
{
    static char text[SPOT_RECORD_HEAD_BYTES];
    char line[SPOT_RECORD_LINE_BYTES];

    (void) state;
    for (size_t j = 0; j < NUM_SAMPLES; j++) {
        const spot_convert_t task = task_of(&samples[j]);
        const spot_convert_head_t head = {.line = line, .text = text, .task = &task};
        char path[PATH_BYTES];
        spot_diag_t diag;

        snprintf(path, sizeof(path), LOGS "%s", samples[j].sample);
        spot_diag_init(&diag);
        assert_int_equal(
            spot_record_input_head(&(spot_record_input_t){.path = path}, text, line, &diag), 0);
        for (size_t k = 0; spot_importers[k] != NULL; k++) {
            const bool is_own = strcmp(spot_importers[k]->name, samples[j].form) == 0;

            if (spot_importers[k]->sniff(&head) != is_own) {
                fail_msg("%s and the form %s", samples[j].sample, spot_importers[k]->name);
            }
        }
        spot_diag_free(&diag);
    }
    for (size_t k = 0; spot_importers[k] != NULL; k++) {
        bool has_sample = !(spot_importers[k]->takes & SPOT_TAKES_LOG);

        for (size_t j = 0; j < NUM_SAMPLES; j++) {
            has_sample |= strcmp(spot_importers[k]->name, samples[j].form) == 0;
        }
        if (!has_sample) {
            fail_msg("no sample of %s", spot_importers[k]->name);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_compressed),
        cmocka_unit_test(test_no_other_form),
    };

    return cmocka_run_group_tests_name("logs", tests, NULL, NULL);
}
