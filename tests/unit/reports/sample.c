/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/number.h"
#include "sim/train/experiment.h"
#include "tests/unit/reports/sample.h"

enum { PREPPING, STANDBY, RECONFIGURING, RELOADING, IDLE, PREEMPTED, USD, NUM_METRICS };

#define SHARE(label_, noun_)                                                                       \
    {                                                                                              \
        .name = label_ "_fraction", .unit = "1", .help = "", .label = label_, .noun = noun_,       \
        .kind = SPOT_METRIC_SHARE                                                                  \
    }

static const spot_metric_t metrics[NUM_METRICS] = {
    [PREPPING] = SHARE("prepping", "prepping time"),
    [STANDBY] = SHARE("standby", "standby time"),
    [RECONFIGURING] = SHARE("reconfiguring", "reconfiguring time"),
    [RELOADING] = SHARE("reloading", "reloading time"),
    [IDLE] = SHARE("idle", "idle time"),
    [PREEMPTED] = {.name = "preempted_per_h",
        .unit = "1/h",
        .help = "",
        .label = "preempted per hour"},
    [USD] = {.name = "usd_per_1000_samples",
        .unit = "USD",
        .help = "",
        .label = "USD per 1000 samples"},
};

static const spot_warning_t warnings[] = {
    {"trace-ended", "the trace ended before the horizon, membership holds beyond it"},
    {"step-time-outside", "world size outside the measured step times"},
};

static char *copy(const char *text)
{
    char *result = spot_text_copy(text, strlen(text));

    assert_non_null(result);
    return result;
}

/* Of the keys whose tables have one. */
static char *label_of(const char *path)
{
    static const char *const labels[][2] = {
        {"trace.preemption.per_minute", "preemption per minute"},
        {"job.pipeline_depth", "pipeline depth"},
    };

    for (size_t j = 0; j < sizeof(labels) / sizeof(labels[0]); j++) {
        if (strcmp(path, labels[j][0]) == 0) {
            return copy(labels[j][1]);
        }
    }
    return NULL;
}

spot_axis_t sample_axis(const char *path, size_t num_values, const double *numbers)
{
    spot_axis_t axis = {
        .path = copy(path), .num_values = num_values, .unit = copy(""), .label = label_of(path)};
    char text[SPOT_NUMBER_TEXT_BYTES];

    axis.texts = spot_calloc(num_values, sizeof(*axis.texts));
    axis.numbers = spot_calloc(num_values, sizeof(*axis.numbers));
    assert_non_null(axis.texts);
    assert_non_null(axis.numbers);
    for (size_t j = 0; j < num_values; j++) {
        spot_number_text(numbers[j], text);
        axis.numbers[j] = numbers[j];
        axis.texts[j] = copy(text);
    }
    return axis;
}

void sample_replace_axis(spot_study_head_t *head, size_t axis_id, spot_axis_t axis)
{
    spot_axis_t *old = &head->axes[axis_id];

    for (size_t j = 0; j < old->num_values; j++) {
        free(old->texts[j]);
    }
    free(old->texts);
    free(old->numbers);
    free(old->path);
    free(old->unit);
    free(old->label);
    head->num_points = head->num_points / old->num_values * axis.num_values;
    *old = axis;
}

void sample_idle_head(spot_study_head_t *head, int64_t num_replications)
{
    static const double probabilities[] = {
        0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5};
    static const double depths[] = {8, 16};

    memset(head, 0, sizeof(*head));
    head->name = copy("idle-vs-preemption");
    head->question = copy("How does idle time grow with the preemption rate?");
    head->seed = 1;
    head->num_replications = num_replications;
    head->num_axes = 2;
    head->axes = spot_calloc(2, sizeof(*head->axes));
    head->metrics = spot_calloc(NUM_METRICS, sizeof(*head->metrics));
    head->plot.stack = spot_calloc(IDLE, sizeof(*head->plot.stack));
    assert_non_null(head->axes);
    assert_non_null(head->metrics);
    assert_non_null(head->plot.stack);
    head->axes[0] = sample_axis("trace.preemption.per_minute", 11, probabilities);
    head->axes[1] = sample_axis("job.pipeline_depth", 2, depths);
    head->num_points = 22;
    head->num_listed = NUM_METRICS;
    head->num_metrics = NUM_METRICS;
    memcpy(head->metrics, metrics, sizeof(metrics));
    head->num_warnings = 2;
    head->warnings = warnings;
    head->colours = spot_train_colours;
    head->plot.x = copy(head->axes[0].path);
    head->plot.y = copy("idle_fraction");
    head->plot.second_x = copy("preempted_per_h");
    head->plot.num_stack = IDLE;
    for (int j = 0; j < IDLE; j++) {
        head->plot.stack[j] = copy(metrics[j].name);
    }
}

/* Spread evenly over (-1, 1), another order for each point and metric. */
static double noise(size_t point_id, uint64_t replication, int metric)
{
    const uint64_t mixed =
        (replication + 1) * 7919 + point_id * 104729 + (uint64_t) metric * 1299709;

    return (double) (mixed % 1009) / 504.5 - 1;
}

static void fill_row(
    const spot_study_head_t *head, size_t point_id, uint64_t replication, double row[NUM_METRICS])
{
    const double p = head->axes[0].numbers[spot_study_value_id(head, point_id, 0)];
    const double depth = head->axes[1].numbers[spot_study_value_id(head, point_id, 1)];

    row[PREPPING] = 0.12 * p / (p + 0.35);
    row[STANDBY] = 0.004 * depth + 0.1 * p * depth / 16;
    row[RECONFIGURING] = 0.5 * p / (p + 0.6) * (1.2 - depth / 80);
    row[RELOADING] = row[RECONFIGURING] * 47 / 88;
    row[PREEMPTED] = p * 60 * 2.9;
    row[IDLE] = 0;
    for (int j = 0; j < IDLE; j++) {
        row[j] *= 1 + 0.6 * noise(point_id, replication, j);
        row[IDLE] += row[j];
    }
    row[PREEMPTED] *= 1 + 0.2 * noise(point_id, replication, PREEMPTED);
    row[USD] = replication % 5 == 3 && p > 0.4 ? (double) NAN : 0.31 / (1 - row[IDLE]);
}

spot_store_t *sample_idle_store(const spot_study_head_t *head)
{
    spot_store_t *store;

    assert_int_equal(spot_store_open_memory(&store, head), 0);
    for (size_t point_id = 0; point_id < head->num_points; point_id++) {
        for (int64_t j = 0; j < head->num_replications; j++) {
            const uint32_t warned = point_id == 21 && j < 3;
            double row[NUM_METRICS];

            fill_row(head, point_id, (uint64_t) j, row);
            assert_int_equal(store->put(store, &(spot_piece_t){point_id, j, 1, row, &warned}), 0);
        }
    }
    return store;
}

void sample_plain_head(spot_study_head_t *head, int64_t num_replications)
{
    static const spot_metric_t wait = {.name = "wait_s", .unit = "s", .help = "", .label = "wait"};

    memset(head, 0, sizeof(*head));
    head->name = copy("plain");
    head->seed = 7;
    head->num_replications = num_replications;
    head->num_points = 1;
    head->num_listed = 1;
    head->num_metrics = 1;
    head->metrics = spot_calloc(1, sizeof(*head->metrics));
    assert_non_null(head->metrics);
    head->metrics[0] = wait;
}

spot_store_t *sample_plain_store(
    const spot_study_head_t *head, size_t num_values, const double *values)
{
    spot_store_t *store;

    assert_int_equal(spot_store_open_memory(&store, head), 0);
    assert_int_equal(store->put(store, &(spot_piece_t){0, 0, num_values, values, NULL}), 0);
    return store;
}

enum { M_LATE, M_WAIT, M_LOSS, M_TAIL, M_FINISHED, M_NUM_METRICS };

#define M_REPLICATIONS 40

void sample_marked_head(spot_study_head_t *head)
{
    static const double x[] = {1, 2};
    static const spot_metric_t marked[M_NUM_METRICS] = {
        [M_LATE] = {.name = "p50(late_s)",
            .unit = "s",
            .label = "p50 of late",
            .help = "",
            .kind = SPOT_METRIC_TIME,
            .known_if = "finished",
            .estimator = SPOT_ESTIMATOR_QUANTILE,
            .p = 0.5},
        [M_WAIT] =
            {.name = "wait_s", .unit = "s", .help = "", .label = "wait", .kind = SPOT_METRIC_TIME},
        [M_LOSS] = {.name = "loss_usd", .unit = "USD", .help = "", .label = "loss"},
        [M_TAIL] = {.name = "p95(wait_s)",
            .unit = "s",
            .label = "p95 of wait",
            .help = "",
            .kind = SPOT_METRIC_TIME,
            .estimator = SPOT_ESTIMATOR_QUANTILE,
            .p = 0.95},
        [M_FINISHED] = {.name = "finished",
            .unit = "1",
            .help = "",
            .kind = SPOT_METRIC_PROBABILITY},
    };

    sample_plain_head(head, M_REPLICATIONS);
    free(head->metrics);
    head->metrics = spot_calloc(M_NUM_METRICS, sizeof(*head->metrics));
    head->axes = spot_calloc(1, sizeof(*head->axes));
    assert_non_null(head->metrics);
    assert_non_null(head->axes);
    memcpy(head->metrics, marked, sizeof(marked));
    head->axes[0] = sample_axis("x", 2, x);
    head->num_axes = 1;
    head->num_points = 2;
    head->num_metrics = M_NUM_METRICS;
    head->num_listed = M_NUM_METRICS;
    head->has_baseline = true;
}

/* Every second run of the first point finishes, and every third one of the other. */
spot_store_t *sample_marked_store(const spot_study_head_t *head)
{
    spot_store_t *store;

    assert_int_equal(spot_store_open_memory(&store, head), 0);
    for (size_t point_id = 0; point_id < 2; point_id++) {
        for (int64_t j = 0; j < M_REPLICATIONS; j++) {
            const bool is_finished = j % (2 + (int64_t) point_id) == 0;
            const double row[M_NUM_METRICS] = {
                [M_LATE] = is_finished ? 90000 : 432000,
                [M_WAIT] =
                    is_finished ? 7000 + 3600 * (double) point_id + 10 * (double) j : (double) NAN,
                [M_LOSS] = j == 7 ? 1000 + 1000 * (double) point_id : 0,
                [M_TAIL] = 7200 + 10 * (double) j,
                [M_FINISHED] = is_finished,
            };

            assert_int_equal(store->put(store, &(spot_piece_t){point_id, j, 1, row, NULL}), 0);
        }
    }
    return store;
}

/* Numbers between 0 and limit - 1 that look random. */
static int64_t next_number(uint64_t *state, int64_t limit)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int64_t) ((*state >> 33) % (uint64_t) limit);
}

enum { T_PREPPING, T_STANDBY, T_RECONFIGURING, T_RELOADING, T_USEFUL, T_LOST };

enum { SERIES_LEVELS, SERIES_MARKS, SERIES_CURVE };

static spot_series_column_t column(const char *name, const char *unit, spot_column_kind_t kind)
{
    return (spot_series_column_t){.name = name, .unit = unit, .kind = kind};
}

/* A kind whose first column is the time. */
static spot_series_kind_t *make_kind(spot_recording_t *recording, const char *name,
    spot_series_shape_t shape, const spot_series_column_t *columns, size_t num_columns)
{
    spot_series_kind_t *kind = spot_arena_take(&recording->kept, 1, sizeof(*kind));
    spot_series_column_t *all = spot_arena_take(&recording->kept, num_columns + 1, sizeof(*all));

    assert_non_null(kind);
    assert_non_null(all);
    all[0] = column("time", "", SPOT_COLUMN_INSTANT);
    memcpy(all + 1, columns, num_columns * sizeof(*all));
    *kind = (spot_series_kind_t){name, name, shape, 1000, num_columns + 1, .columns = all};
    return kind;
}

void sample_run_begin(sample_run_t *self, const sample_words_t *words)
{
    spot_recording_t *recording = &self->recording;
    spot_series_column_t marks[] = {
        column("mark", "", SPOT_COLUMN_CATEGORY), column("count", "1", SPOT_COLUMN_COUNT)};
    spot_series_column_t curve = column("curve", "1", SPOT_COLUMN_NUMBER);
    spot_series_column_t levels[16];

    memset(self, 0, sizeof(*self));
    assert_int_equal(
        spot_recording_init(recording, 3, (const spot_series_kind_t *const[3]){NULL}), 0);
    for (size_t j = 0; j < words->num_levels; j++) {
        levels[j] = column(words->levels[j], words->unit, SPOT_COLUMN_NUMBER);
    }
    marks[0].categories = words->marks;
    marks[0].signs = words->signs;
    curve.label = words->curve;
    recording->series[SERIES_LEVELS].kind = make_kind(recording, "levels",
        words->num_levels == 0 ? SPOT_SERIES_TABLE : SPOT_SERIES_LEVELS, levels, words->num_levels);
    recording->series[SERIES_MARKS].kind = make_kind(recording, "marks",
        words->marks == NULL ? SPOT_SERIES_TABLE : SPOT_SERIES_EVENTS, marks, 2);
    recording->series[SERIES_CURVE].kind = make_kind(recording, "curve",
        words->curve == NULL ? SPOT_SERIES_TABLE : SPOT_SERIES_CURVE, &curve, 1);
    recording->title = words->title == NULL ? NULL : strdup(words->title);
}

void sample_run_level(sample_run_t *self, int64_t time_ms, const double *heights)
{
    spot_series_t *series = &self->recording.series[SERIES_LEVELS];
    const size_t num_columns = series->kind->num_columns;
    spot_cell_t cells[17] = {{.integer = time_ms}};

    for (size_t j = 1; j < num_columns; j++) {
        cells[j].number = heights[j - 1];
    }
    if (series->num_rows > 0 &&
        series->cells[(series->num_rows - 1) * num_columns].integer == time_ms) {
        series->num_rows--;
    }
    assert_int_equal(spot_series_add(series, cells), 0);
}

void sample_run_mark(sample_run_t *self, int64_t time_ms, const char *mark, int64_t count)
{
    assert_int_equal(
        spot_series_add(&self->recording.series[SERIES_MARKS],
            (const spot_cell_t[]){{.integer = time_ms}, {.text = mark}, {.integer = count}}),
        0);
}

void sample_run_point(sample_run_t *self, int64_t time_ms, double value)
{
    assert_int_equal(spot_series_add(&self->recording.series[SERIES_CURVE],
                         (const spot_cell_t[]){{.integer = time_ms}, {.number = value}}),
        0);
}

void sample_run_end(sample_run_t *self, int64_t end_ms, const spot_colour_t *colours)
{
    self->recording.end_ticks = end_ms;
    assert_int_equal(spot_run_series_init(&self->run, &self->recording, colours), 0);
}

void sample_run_free(sample_run_t *self)
{
    spot_run_series_free(&self->run);
    spot_recording_free(&self->recording);
}

static void add_phase(
    sample_run_t *self, int64_t start_ms, int64_t population, int64_t num_prepping, int phase)
{
    const int64_t num_active = (population - num_prepping) / 16 * 16;
    double heights[6] = {0};

    heights[T_PREPPING] = (double) num_prepping;
    heights[T_STANDBY] = (double) (population - num_prepping - num_active);
    heights[phase] += (double) num_active;
    sample_run_level(self, start_ms, heights);
}

spot_report_t sample_report(const spot_store_t *store)
{
    spot_report_t report;

    assert_int_equal(spot_report_init(&report, store), 0);
    return report;
}

void sample_run(sample_run_t *self, int64_t end_ms, int num_events)
{
    static const char *const levels[] = {
        "prepping", "standby", "reconfiguring", "reloading", "useful", "lost"};
    static const char *const marks[] = {"preempted", "added", "stopped", "rolled back", NULL};
    const int64_t gap_ms = end_ms / (num_events + 1);
    int64_t population = 32, durable = 0;
    uint64_t state = 1;

    sample_run_begin(self, &(sample_words_t){.title = "seed-64",
                               .num_levels = 6,
                               .levels = levels,
                               .unit = "instances",
                               .marks = marks,
                               .signs = "-+-.",
                               .curve = "steps durable"});
    add_phase(self, 0, population, 0, T_USEFUL);
    sample_run_point(self, 0, 0);
    for (int j = 0; j < num_events; j++) {
        const int64_t time_ms = (j + 1) * gap_ms + next_number(&state, gap_ms / 4);
        const bool is_loss = population > 60 || (population > 20 && next_number(&state, 100) < 52);
        const int64_t count = 1 + next_number(&state, 5);

        if (is_loss) {
            add_phase(self, time_ms - gap_ms / 9, population, 0, T_LOST);
            sample_run_mark(self, time_ms, marks[3], 2);
        }
        population += is_loss ? -count : count;
        sample_run_mark(self, time_ms, marks[is_loss ? 0 : 1], count);
        sample_run_point(self, time_ms, (double) durable);
        add_phase(self, time_ms, population, is_loss ? 0 : count, T_RECONFIGURING);
        add_phase(self, time_ms + gap_ms / 10, population, is_loss ? 0 : count, T_RELOADING);
        add_phase(self, time_ms + gap_ms / 6, population, 0, T_USEFUL);
        sample_run_point(self, time_ms + gap_ms / 6, (double) durable);
        durable += gap_ms / 2 / 11000 * population / 32;
    }
    sample_run_point(self, end_ms, (double) durable);
    sample_run_end(self, end_ms, spot_train_colours);
}

const char *sample_path(const char *name)
{
    static char path[512];
    const char *folder = getenv("SPOT_TEST_TMP");

    snprintf(path, sizeof(path), "%s/spot-%ld-%s", folder == NULL ? "/tmp" : folder,
        (long) getpid(), name);
    return path;
}

char *sample_read(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL, bytes[4096];
    size_t num_bytes, size = 0;
    FILE *memory;

    if (file == NULL) {
        return NULL;
    }
    memory = open_memstream(&text, &size);
    assert_non_null(memory);
    do {
        num_bytes = fread(bytes, 1, sizeof(bytes), file);
        assert_int_equal(fwrite(bytes, 1, num_bytes, memory), num_bytes);
    } while (num_bytes > 0);
    fclose(file);
    assert_int_equal(fclose(memory), 0);
    return text;
}

void sample_assert_golden(const char *name, const char *text)
{
    char path[512];
    char *expected;
    bool is_same;
    FILE *file;

    snprintf(path, sizeof(path), "%s/tests/golden/reports/%s", SPOT_SOURCE_DIR, name);
    expected = sample_read(path);
    is_same = expected != NULL && strcmp(expected, text) == 0;
    free(expected);
    if (!is_same) {
        file = fopen(sample_path(name), "w");
        assert_non_null(file);
        fputs(text, file);
        fclose(file);
        fail_msg("%s is different: compare it with %s", path, sample_path(name));
    }
}

void sample_assert_svg(const char *path)
{
    char *text = sample_read(path);

    assert_non_null(text);
    assert_int_equal(strncmp(text, "<?xml", 5), 0);
    assert_non_null(strstr(text, "<svg"));
    assert_non_null(strstr(text, "</svg>"));
    free(text);
    assert_int_equal(unlink(path), 0);
}

void sample_assert_drawn(int ret, spot_diag_t *diag, const char *path)
{
    if (ret != 0) {
        spot_diag_print(diag, stderr);
    }
    assert_int_equal(ret, 0);
    assert_int_equal(diag->num_items, 0);
    sample_assert_svg(path);
    spot_diag_free(diag);
}

size_t sample_count(const char *text, const char *word)
{
    size_t num_found = 0;

    for (text = strstr(text, word); text != NULL; text = strstr(text + 1, word)) {
        num_found++;
    }
    return num_found;
}
