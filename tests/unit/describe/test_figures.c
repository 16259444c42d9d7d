/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The written forms of the figures, and all of them against the reference tables. */
#include <math.h>

#include "tests/unit/base/shared_data.h"
#include "tests/unit/describe/trace_text.h"
#include "traces/describe/describe.h"
#include "traces/trace.h"

#define REFERENCE_FOLDER DATA_FOLDER "reference/"

/* Collects what is written to a stream; take() ends it and gives the text. */
typedef struct {
    char *text;
    size_t num_bytes;
    FILE *stream;
} sink_t;

static void open_sink(sink_t *self)
{
    self->stream = open_memstream(&self->text, &self->num_bytes);
    assert_non_null(self->stream);
}

static void assert_written(sink_t *self, const char *expected)
{
    assert_int_equal(fclose(self->stream), 0);
    assert_string_equal(self->text, expected);
    free(self->text);
}

/* The reference counts its seconds in doubles from the start of the trace, up to 4e6. */
#define REFERENCE_ERROR_S 1e-9

static void assert_cell(
    const char *trace, const spot_describe_figure_t *figure, double value, const char *cell)
{
    const double expected = cell[0] == '\0' ? (double) NAN : strtod(cell, NULL);
    const double error = fabs(value - expected);

    if (!(error <= 1e-7 * fabs(expected) || value == expected ||
            (isnan(value) && isnan(expected)) ||
            (strcmp(figure->unit, "s") == 0 && error <= REFERENCE_ERROR_S))) {
        fail_msg("%s, %s: %.10g instead of %s", trace, figure->name, value, cell);
    }
}

/* Ends the field at its comma; the next one, or NULL. */
static char *next_field(char *field)
{
    char *comma = strpbrk(field, ",\n");
    const bool is_last = comma == NULL || *comma == '\n';

    if (comma != NULL) {
        *comma = '\0';
    }
    return is_last ? NULL : comma + 1;
}

static void check_reference_row(char *line)
{
    char *kind = next_field(line), *cell = next_field(kind);
    spot_describe_t describe;
    spot_trace_t trace;

    read_recorded(&trace, line);
    assert_int_equal(spot_describe_init(&describe, &trace), 0);
    assert_string_equal(describe.name, line);
    assert_string_equal(spot_describe_kind(&describe), kind);
    for (size_t j = 0; j < SPOT_NUM_DESCRIBE_FIGURES; j++) {
        char *next;

        assert_non_null(cell);
        next = next_field(cell);
        assert_cell(line, &spot_describe_figures[j],
            spot_describe_figure_value(&describe, &spot_describe_figures[j]), cell);
        cell = next;
    }
    assert_null(cell);
    spot_describe_free(&describe);
    spot_trace_free(&trace);
}

static FILE *open_reference(const char *path)
{
    FILE *file = fopen(path, "r");

    if (file == NULL) {
        skip_without_data();
    }
    return file;
}

static void test_reference(void **state)
{
    FILE *file = open_reference(REFERENCE_FOLDER "describe.csv");
    char line[4096];
    size_t num_rows = 0;
    sink_t sink;

    (void) state;
    assert_non_null(fgets(line, sizeof(line), file));
    open_sink(&sink);
    spot_describe_write_csv_head(sink.stream);
    assert_written(&sink, line);
    for (; fgets(line, sizeof(line), file) != NULL; num_rows++) {
        check_reference_row(line);
    }
    assert_int_equal(num_rows, 11);
    fclose(file);
}

/* What coarser recorders would have seen of one trace. */
static void test_recorder_reference(void **state)
{
    FILE *file = open_reference(REFERENCE_FOLDER "recorder_p3.csv");
    static const char *const names[] = {"preempt_events", "preempted", "add_events", "added",
        "preempt_gap_mean_s", "preempt_gap_cv", "preempt_count_mean"};
    char line[512];
    size_t num_rows = 0;
    spot_trace_t trace;

    (void) state;
    read_recorded(&trace, "bamboo-p3-2xlarge-32");
    assert_non_null(fgets(line, sizeof(line), file));
    for (; fgets(line, sizeof(line), file) != NULL; num_rows++) {
        char *tick = next_field(line), *cell = next_field(tick);
        spot_describe_t describe;
        spot_trace_t recorded;

        assert_int_equal(spot_recorder_trace(&trace, 1000 * strtol(tick, NULL, 10),
                             strcmp(line, "net") == 0, &recorded),
            0);
        spot_trace_verify(&recorded);
        assert_int_equal(spot_describe_init(&describe, &recorded), 0);
        for (size_t j = 0; j < sizeof(names) / sizeof(names[0]); j++) {
            char *next = next_field(cell);

            for (size_t k = 0; k < SPOT_NUM_DESCRIBE_FIGURES; k++) {
                if (strcmp(spot_describe_figures[k].name, names[j]) == 0) {
                    assert_cell(tick, &spot_describe_figures[k],
                        spot_describe_figure_value(&describe, &spot_describe_figures[k]), cell);
                }
            }
            cell = next;
        }
        spot_describe_free(&describe);
        spot_trace_free(&recorded);
    }
    assert_int_equal(num_rows, 10);
    spot_trace_free(&trace);
    fclose(file);
}

/* Undefined is empty and null, infinite is inf, integers are exact. */
static void test_csv_and_json(void **state)
{
    spot_life_t lives[] = {
        {.duration_ms = 1500, .is_preempted = true}, {.duration_ms = 4500}, {.duration_ms = 6000}};
    const spot_lifetimes_t lifetimes = {.num_lives = 3, .lives = lives};
    spot_describe_t describe;
    spot_json_t json;
    char *key;
    sink_t sink;

    (void) state;
    assert_int_equal(spot_describe_init_lifetimes(&describe, &lifetimes, "a,b"), 0);
    describe.preempted = 1234567890;
    open_sink(&sink);
    spot_describe_write_csv(&describe, sink.stream);
    assert_written(&sink, "a?b,lifetimes,,,,,,,,,,1234567890,,,,,,,,,,,,,,,,,,,,,,,,,,,"
                          ",,,,,,,,,,,,,,,,,,,,3,1,2,1.5,,inf,4.5,0.083333333,,,,,,,,,,,,\n");
    open_sink(&sink);
    spot_json_init(&json, sink.stream, 0);
    spot_describe_write_json(&describe, &json, NULL);
    assert_int_equal(fclose(sink.stream), 0);
    assert_memory_equal(sink.text,
        "{\"trace\": \"a?b\", \"kind\": \"lifetimes\", \"n_is\": null, "
        "\"resolution_s\": null, ",
        60);
    key = strstr(sink.text, "\"life_sd_observed_s\": null");
    assert_non_null(key);
    assert_non_null(strstr(key, "\"life_km_median_s\": \"inf\", "
                                "\"life_restricted_mean_s\": 4.5, "
                                "\"life_deaths_per_s\": 0.08333333333333333, "));
    free(sink.text);
    spot_describe_free(&describe);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference),
        cmocka_unit_test(test_recorder_reference),
        cmocka_unit_test(test_csv_and_json),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
