/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random true histories, printed as each format has them, must come back; and what was
 * converted once does not change any more. */
#include <inttypes.h>
#include <string.h>

#include "base/rng.h"
#include "tests/unit/base/support.h"
#include "traces/convert/convert.h"
#include "traces/trace_write.h"

enum { NUM_HISTORIES = 100, MAX_TICKS = 40, MAX_NAMES = 512, TICK_S = 20 };

/* Names by number; a loss is of the oldest, as any choice would do. */
typedef struct {
    int num_ticks;               /* changes at 1 ... num_ticks times TICK_S */
    int initial;                 /* at least 1 */
    int num_lost[MAX_TICKS + 1]; /* by tick, before the additions */
    int num_added[MAX_TICKS + 1];
    int num_names; /* in all */
} history_t;

/* What a format makes of it: text in, rows out. */
typedef struct {
    char *bytes;
    size_t num_bytes;
    FILE *stream;
} text_t;

static void open_text(text_t *self)
{
    self->bytes = NULL;
    self->stream = open_memstream(&self->bytes, &self->num_bytes);
    assert_non_null(self->stream);
}

static void make_history(history_t *self, spot_rng_t *rng)
{
    int population;

    memset(self, 0, sizeof(*self));
    self->num_ticks = 1 + (int) spot_rng_below(rng, MAX_TICKS);
    self->initial = 1 + (int) spot_rng_below(rng, 6);
    self->num_names = self->initial;
    population = self->initial;
    for (int j = 1; j <= self->num_ticks; j++) {
        if (spot_rng_below(rng, 3) > 0) {
            self->num_lost[j] = (int) spot_rng_below(rng, (uint64_t) population + 1);
        }
        if (spot_rng_below(rng, 3) > 0) {
            self->num_added[j] = (int) spot_rng_below(rng, 6);
        }
        population += self->num_added[j] - self->num_lost[j];
        self->num_names += self->num_added[j];
    }
    if (self->num_lost[self->num_ticks] + self->num_added[self->num_ticks] == 0) {
        self->num_added[self->num_ticks] = 1; /* named files end at an event */
        self->num_names++;
    }
    assert_true(self->num_names <= MAX_NAMES);
}

static int population_after(const history_t *self, int tick)
{
    int population = self->initial;

    for (int j = 1; j <= tick; j++) {
        population += self->num_added[j] - self->num_lost[j];
    }
    return population;
}

static void put_row(FILE *out, int64_t time_s, const char *event, int count, int first_name)
{
    if (count == 0 && strcmp(event, "init") != 0 && strcmp(event, "end") != 0) {
        return;
    }
    fprintf(out, "%" PRId64 ",%s,%d,", time_s, event, count);
    for (int j = 0; first_name >= 0 && j < count; j++) {
        fprintf(out, "%si%d", j == 0 ? "" : " ", first_name + j);
    }
    fputc('\n', out);
}

/* The canonical rows: with names, or gross, or net. */
static void put_rows(const history_t *self, FILE *out, bool is_named, bool is_net, int64_t end_s)
{
    int num_lost = 0, num_born = self->initial;

    put_row(out, 0, "init", self->initial, is_named ? 0 : -1);
    for (int j = 1; j <= self->num_ticks; j++) {
        const int hidden = !is_net                                  ? 0
                           : self->num_lost[j] < self->num_added[j] ? self->num_lost[j]
                                                                    : self->num_added[j];

        put_row(out, (int64_t) j * TICK_S, "preempt", self->num_lost[j] - hidden,
            is_named ? num_lost : -1);
        put_row(out, (int64_t) j * TICK_S, "add", self->num_added[j] - hidden,
            is_named ? num_born : -1);
        num_lost += self->num_lost[j];
        num_born += self->num_added[j];
    }
    put_row(out, end_s, "end", population_after(self, self->num_ticks), -1);
}

static void put_bamboo(const history_t *self, FILE *out, FILE *unused)
{
    int num_lost = 0, num_born = self->initial;

    (void) unused;
    for (int j = 0; j < self->initial; j++) {
        fprintf(out, "0,add,i%d\r\n", j);
    }
    for (int j = 1; j <= self->num_ticks; j++) {
        for (int k = 0; k < self->num_added[j]; k++) {
            fprintf(out, "%d,add,i%d\r\n", j * TICK_S * 1000, num_born++);
        }
        for (int k = 0; k < self->num_lost[j]; k++) {
            fprintf(out, "%d,remove,i%d\r\n", j * TICK_S * 1000, num_lost++);
        }
    }
}

static void put_nodes(FILE *out, int first, int count)
{
    for (int j = 0; j < count; j++) {
        fprintf(out, "%s\"i%d\"", j == 0 ? "" : ", ", first + j);
    }
}

static void put_parcae(const history_t *self, FILE *out, FILE *unused)
{
    int num_lost = 0, num_born = self->initial;

    (void) unused;
    fprintf(out, "[7000, \"add\", {\"nodes\": [");
    put_nodes(out, 0, self->initial);
    fprintf(out, "], \"duration\": 1}]\n");
    for (int j = 1; j <= self->num_ticks; j++) {
        const int time_ms = 7000 + j * TICK_S * 1000;

        fprintf(out, "[%d, \"remove\", {\"nodes\": [", time_ms);
        put_nodes(out, num_lost, self->num_lost[j]);
        fprintf(out, "], \"duration\": 1}]\n[%d,\"no-op\",{}]\n", time_ms);
        fprintf(out, "[%d, \"add\", {\"nodes\": [", time_ms);
        put_nodes(out, num_born, self->num_added[j]);
        fprintf(out, "], \"duration\": 20000}]\n");
        num_lost += self->num_lost[j];
        num_born += self->num_added[j];
    }
}

static void put_gcloud(const history_t *self, FILE *out, FILE *unused)
{
    (void) unused;
    for (int j = 0; j <= self->num_ticks; j++) {
        const int time_s = 86390 + j * TICK_S;

        fprintf(out, "2023-12-%d, %02d:%02d:%02d, %d\n", 30 + time_s / 86400, time_s % 86400 / 3600,
            time_s % 3600 / 60, time_s % 60, population_after(self, j));
    }
}

static void put_step(const history_t *self, FILE *out, FILE *unused)
{
    (void) unused;
    fprintf(out, "100.5,%d\n", self->initial);
    for (int j = 1; j <= self->num_ticks; j++) {
        fprintf(out, "%d.5,%d\n", 100 + j * TICK_S, population_after(self, j - 1));
        fprintf(out, "%d.5,%d\n", 100 + j * TICK_S, population_after(self, j));
    }
}

static void put_skypilot(const history_t *self, FILE *out, FILE *unused)
{
    (void) unused;
    fprintf(out, "{\"data\":[%d", self->initial);
    for (int j = 1; j <= self->num_ticks; j++) {
        fprintf(out, ",\n %d", population_after(self, j));
    }
    fprintf(out, "],\"metadata\":{\"gap_seconds\":%d}}", TICK_S);
}

static void put_node_count(const history_t *self, FILE *out, FILE *terms)
{
    fprintf(out, "timestamp,count\n");
    fprintf(terms, "number,timestamp,number\n");
    for (int j = 0; j <= self->num_ticks; j++) {
        const int time_s = 3600 + j * TICK_S;

        fprintf(out, "2020-02-29T%02d:%02d:%02dZ,%d\n", time_s / 3600, time_s % 3600 / 60,
            time_s % 60, population_after(self, j));
        fprintf(terms, "%d,2020-02-29T%02d:%02d:%02dZ,%d\n", j, time_s / 3600, time_s % 3600 / 60,
            time_s % 60, self->num_lost[j]);
    }
}

static const struct {
    const char *format;
    void (*put)(const history_t *self, FILE *out, FILE *second);
    bool is_named, is_net, has_second;
    int after_end_s;
} formats[] = {
    {"bamboo", put_bamboo, true, false, false, 0},
    {"parcae", put_parcae, true, false, false, TICK_S},
    {"gcloud", put_gcloud, false, true, false, 0},
    {"step", put_step, false, true, false, 0},
    {"skypilot", put_skypilot, false, true, false, TICK_S},
    {"node-count", put_node_count, false, false, true, 0},
};

/* The file of a trace, in memory. */
static void read_back(const spot_trace_t *trace, char **bytes, size_t *num_bytes)
{
    char path[PATH_BYTES];
    spot_diag_t diag;
    FILE *stream;
    long length;

    test_path("random.csv", path);
    spot_diag_init(&diag);
    assert_int_equal(spot_trace_write(trace, path, &diag), 0);
    spot_diag_free(&diag);
    stream = fopen(path, "rb");
    assert_non_null(stream);
    assert_int_equal(fseek(stream, 0, SEEK_END), 0);
    length = ftell(stream);
    rewind(stream);
    *bytes = calloc(1, (size_t) length + 1);
    assert_non_null(*bytes);
    *num_bytes = fread(*bytes, 1, (size_t) length, stream);
    assert_int_equal(*num_bytes, length);
    assert_int_equal(fclose(stream), 0);
    remove(path);
}

static void convert(const spot_record_input_t *inputs, size_t num_inputs, const char *format,
    char **bytes, size_t *num_bytes)
{
    const spot_convert_t task = {.kind = -1, .window_ms = -1};
    spot_convert_report_t report;
    spot_trace_t trace;
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(spot_convert(&task, num_inputs, inputs, &trace, &report, &diag), 0);
    assert_report(&diag, "");
    assert_string_equal(report.format, format);
    read_back(&trace, bytes, num_bytes);
    spot_convert_report_free(&report);
    spot_trace_free(&trace);
    spot_diag_free(&diag);
}

static void check_format(size_t format_id, const history_t *history)
{
    const int64_t end_s = (int64_t) history->num_ticks * TICK_S + formats[format_id].after_end_s;
    text_t text, second, rows;
    spot_record_input_t inputs[2] = {{.path = "first"}, {.path = "second"}}, again;
    char *once, *twice;
    size_t num_once, num_twice;

    open_text(&text);
    open_text(&second);
    open_text(&rows);
    formats[format_id].put(history, text.stream, second.stream);
    put_rows(history, rows.stream, formats[format_id].is_named, formats[format_id].is_net, end_s);
    fclose(text.stream);
    fclose(second.stream);
    fclose(rows.stream);
    inputs[0].bytes = text.bytes;
    inputs[0].num_bytes = text.num_bytes;
    inputs[1].bytes = second.bytes;
    inputs[1].num_bytes = second.num_bytes;
    convert(
        inputs, formats[format_id].has_second ? 2 : 1, formats[format_id].format, &once, &num_once);
    assert_string_equal(strstr(once, ",instances\n") + strlen(",instances\n"), rows.bytes);
    again = (spot_record_input_t){"again", once, num_once};
    convert(&again, 1, "spotsim", &twice, &num_twice);
    assert_string_equal(twice, once);
    free(once);
    free(twice);
    free(text.bytes);
    free(second.bytes);
    free(rows.bytes);
}

static void test_histories(void **state)
{
    history_t history;
    spot_rng_t rng;

    (void) state;
    for (uint64_t j = 0; j < NUM_HISTORIES; j++) {
        spot_rng_seek(&rng, 3, j, SPOT_STREAM_COUNT, 0);
        make_history(&history, &rng);
        for (size_t k = 0; k < sizeof(formats) / sizeof(formats[0]); k++) {
            check_format(k, &history);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_histories)};

    return cmocka_run_group_tests_name("convert_random", tests, NULL, NULL);
}
