/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/units.h"
#include "tests/unit/base/support.h"
#include "tests/unit/generate/model_text.h"
#include "traces/generate/generate.h"
#include "traces/trace_write.h"

#define HORIZON_MS (INT64_C(355) * SPOT_MS_PER_MIN)

static void make_seed_model(spot_trace_model_t *model, int capacity, int initial, double tick_s)
{
    char text[1024];

    snprintf(text, sizeof(text),
        "spotsim-model: 1\ngenerator: seed\ncapacity: %d\ninitial: %d\ntick_s: %g\n"
        "horizon_s: 1e6\n" SEED_STUDY,
        capacity, initial, tick_s);
    make_model(model, text);
}

static spot_generate_t make_task(uint64_t seed, uint64_t replication, spot_trace_kind_t kind)
{
    const spot_generate_t task = {.seed = seed,
        .replication = replication,
        .horizon_ms = HORIZON_MS,
        .kind = kind,
        .name = "test",
        .version = "1.2"};

    return task;
}

static void generate(const spot_trace_model_t *model, const spot_generate_t *task, const char *path)
{
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(spot_generate(model, task, path, &diag), 0);
    assert_report(&diag, "");
    spot_diag_free(&diag);
}

/* Reads strictly and removes the file. */
static void read_back(spot_trace_t *trace, const char *path)
{
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(spot_trace_read(trace, path, true, &diag), 0);
    assert_report(&diag, "");
    spot_trace_verify(trace);
    spot_diag_free(&diag);
    assert_int_equal(remove(path), 0);
}

static void generate_and_read(
    const spot_trace_model_t *model, const spot_generate_t *task, spot_trace_t *trace)
{
    char path[PATH_BYTES];

    test_path("generated.csv", path);
    generate(model, task, path);
    read_back(trace, path);
}

static char *read_file(const char *path, size_t *num_bytes)
{
    FILE *file = fopen(path, "rb");
    char *bytes = malloc(1 << 20);

    assert_non_null(file);
    assert_non_null(bytes);
    *num_bytes = fread(bytes, 1, 1 << 20, file);
    assert_true(*num_bytes < 1 << 20);
    bytes[*num_bytes] = '\0';
    assert_int_equal(fclose(file), 0);
    assert_int_equal(remove(path), 0);
    return bytes;
}

/* Births are i1, i2, ... in the order of the file; nobody is born twice. */
static void check_names(const spot_trace_t *trace)
{
    int64_t num_births = trace->initial;
    char expected[32];

    for (size_t j = 0; j < trace->num_names; j++) {
        snprintf(expected, sizeof(expected), "i%zu", j + 1);
        assert_string_equal(trace->names[j], expected);
    }
    for (size_t j = 0; j < trace->num_events; j++) {
        num_births += trace->events[j].kind == SPOT_EVENT_ADD ? trace->events[j].count : 0;
    }
    assert_int_equal(num_births, trace->num_names);
}

/* Both kinds of one replication, tick by tick. */
static void check_net_changes(const spot_trace_t *named, const spot_trace_t *counts)
{
    size_t event_id = 0;

    assert_int_equal(named->initial, counts->initial);
    assert_int_equal(named->final, counts->final);
    assert_int_equal(named->end_ms, counts->end_ms);
    for (size_t j = 0; j < named->num_events;) {
        const int64_t time_ms = named->events[j].time_ms;
        int64_t net = 0;

        for (; j < named->num_events && named->events[j].time_ms == time_ms; j++) {
            const spot_event_t *event = &named->events[j];

            net += event->kind == SPOT_EVENT_ADD ? event->count : -event->count;
        }
        if (net != 0) {
            const spot_event_t *event = &counts->events[event_id++];

            assert_true(event_id <= counts->num_events);
            assert_int_equal(event->time_ms, time_ms);
            assert_int_equal(net, event->kind == SPOT_EVENT_ADD ? event->count : -event->count);
            assert_null(event->name_ids);
        }
    }
    assert_int_equal(event_id, counts->num_events);
}

static void test_every_file_passes_the_reader(void **state)
{
    static const struct {
        int capacity, initial;
        double tick_s;
    } cases[] = {{64, 32, 60}, {64, 32, 5}, {1, 0, 60}, {1, 1, 0.25}, {7, 7, 1}, {1000, 0, 300}};
    spot_trace_t named, counts;
    spot_trace_model_t model;

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        make_seed_model(&model, cases[j].capacity, cases[j].initial, cases[j].tick_s);
        for (uint64_t replication = 0; replication < 8; replication++) {
            spot_generate_t task = make_task(3, replication, SPOT_TRACE_NAMED);

            generate_and_read(&model, &task, &named);
            task.kind = SPOT_TRACE_COUNTS;
            generate_and_read(&model, &task, &counts);
            assert_int_equal(named.kind, SPOT_TRACE_NAMED);
            assert_int_equal(counts.kind, SPOT_TRACE_COUNTS);
            assert_int_equal(named.capacity, cases[j].capacity);
            assert_int_equal(named.initial, cases[j].initial);
            assert_int_equal(named.end_ms, HORIZON_MS);
            assert_int_equal(named.resolution_ms, (int64_t) (1000 * cases[j].tick_s));
            check_names(&named);
            check_net_changes(&named, &counts);
            spot_trace_free(&named);
            spot_trace_free(&counts);
        }
        spot_trace_model_free(&model);
    }
}

/* Each generator with what it can do besides; FILE is a recording of kind named. */
static const char *const every_model[] = {
    MRP_STUDY,
    MRP_STUDY "lifetimes: {law: deadline, zeta: 9, sigma: 2, deadline_s: 7200}\n",
    MRP_STUDY "tick_s: 1\nlifetimes: {family: exponential, mu: 300}\n",
    ("generator: lifetimes\ncapacity: 20\ninitial: 11\n"
     "lifetime: {law: bathtub, w: 0.4, tau1: 900, tau2: 300, limit_s: 4000}\n"
     "refill: {family: weibull, scale: 200, shape: 0.5}\n"),
    ("generator: lifetimes\ncapacity: 3\ninitial: 0\ntick_s: 300\n"
     "lifetime: {family: exponential, mu: 300}\nrefill: {family: exponential, mu: "
     "300}\n"),
    "generator: block\ntrace: FILE\n",
    "generator: block\ntrace: FILE\ncapacity: 22\ninitial: 3\nrestart_every: 2\n",
    "generator: replay\ntrace: FILE\nwrap: true\nstart: random\n",
    "generator: replay\ntrace: FILE\nwrap: true\nfrom_s: 60\nto_s: 900\n",
};

/* A recording out of the lives of 20 instances. */
static void make_recording(const char *path)
{
    spot_generate_t task = make_task(99, 0, SPOT_TRACE_NAMED);
    spot_trace_model_t model;

    make_seed_model(&model, 20, 9, 60);
    task.horizon_ms = 100 * SPOT_MS_PER_MIN;
    generate(&model, &task, path);
    spot_trace_model_free(&model);
}

static void make_every_model(spot_trace_model_t *model, const char *pattern, const char *path)
{
    const char *file = strstr(pattern, "FILE");
    const int head = file == NULL ? (int) strlen(pattern) : (int) (file - pattern);
    char text[2048];

    snprintf(text, sizeof(text), "%.*s%s%shorizon_s: 1e6\n", head, pattern,
        file == NULL ? "" : path, file == NULL ? "" : file + strlen("FILE"));
    make_model(model, text);
}

/* The rows of a replication; the caller frees the bytes. */
static char *generate_rows(const spot_trace_model_t *model, const spot_generate_t *task)
{
    char path[PATH_BYTES];
    size_t num_bytes;
    char *bytes;

    test_path("every.csv", path);
    generate(model, task, path);
    bytes = read_file(path, &num_bytes);
    memmove(bytes, strstr(bytes, "time_s"), strlen(strstr(bytes, "time_s")) + 1);
    return bytes;
}

/* Files that pass the reader strictly, whose kinds agree in every count and whose named
 * one is the same when it is generated again, after others; other dice, other rows. */
static void check_generator(const spot_trace_model_t *model, bool has_dice)
{
    spot_trace_t named, counts;

    for (uint64_t replication = 0; replication < 6; replication++) {
        spot_generate_t task = make_task(3, 5 - replication, SPOT_TRACE_NAMED);
        char *rows = generate_rows(model, &task), *other;

        generate_and_read(model, &task, &named);
        task.kind = SPOT_TRACE_COUNTS;
        generate_and_read(model, &task, &counts);
        check_net_changes(&named, &counts);
        spot_trace_free(&named);
        spot_trace_free(&counts);
        task.kind = SPOT_TRACE_NAMED;
        for (uint64_t seed = 4; seed >= 3; seed--) {
            task.seed = seed;
            other = generate_rows(model, &task);
            assert_int_equal(strcmp(rows, other) == 0, seed == 3 || !has_dice);
            free(other);
        }
        free(rows);
    }
}

static void test_every_generator(void **state)
{
    char path[PATH_BYTES];
    spot_trace_model_t model;

    (void) state;
    test_path("recording.csv", path);
    make_recording(path);
    for (size_t j = 0; j < sizeof(every_model) / sizeof(every_model[0]); j++) {
        make_every_model(&model, every_model[j], path);
        check_generator(&model, strstr(every_model[j], "from_s") == NULL);
        spot_trace_model_free(&model);
    }
    assert_int_equal(remove(path), 0);
}

static void test_header(void **state)
{
    const spot_generate_t task = make_task(UINT64_MAX, UINT64_MAX - 1, SPOT_TRACE_COUNTS);
    spot_trace_model_t model;
    spot_trace_t trace;

    (void) state;
    make_seed_model(&model, 9, 4, 0.001);
    generate_and_read(&model, &task, &trace);
    assert_string_equal(spot_trace_key(&trace, "name"), "test");
    assert_string_equal(spot_trace_key(&trace, "start"), "unknown");
    assert_string_equal(spot_trace_key(&trace, "resolution_s"), "0.001");
    assert_string_equal(spot_trace_key(&trace, "kind"), "counts");
    assert_string_equal(spot_trace_key(&trace, "capacity"), "9");
    assert_string_equal(spot_trace_key(&trace, "note"),
        "generated by spotsim 1.2: generator seed; seed 18446744073709551615; "
        "replication 18446744073709551614");
    spot_trace_free(&trace);
    spot_trace_model_free(&model);
}

/* Small enough to be written down: what a file looks like. */
static void test_bytes(void **state)
{
    static const char expected[] =
        "# spotsim-trace: 1\n# name: test\n# start: unknown\n# resolution_s: 60\n"
        "# kind: named\n# capacity: 2\n"
        "# note: generated by spotsim 1.2: generator seed; seed 1; replication 0\n"
        "time_s,event,count,instances\n"
        "0,init,1,i1\n"
        "60,preempt,1,i1\n"
        "60,add,2,i2 i3\n"
        "120,preempt,2,i3 i2\n"
        "120,add,2,i4 i5\n"
        "150.5,end,2,\n";
    spot_generate_t task = make_task(1, 0, SPOT_TRACE_NAMED);
    spot_trace_model_t model;
    char path[PATH_BYTES];
    size_t num_bytes;
    char *bytes;

    (void) state;
    make_model(&model, "generator: seed\ncapacity: 2\ninitial: 1\nhorizon_s: 1000\n"
                       "preemption: {per_minute: 1, count: {fixed: 3}}\n"
                       "addition: {per_minute: 1, count: {fixed: 3}}\n");
    test_path("bytes.csv", path);
    task.horizon_ms = 150500;
    generate(&model, &task, path);
    bytes = read_file(path, &num_bytes);
    assert_string_equal(bytes, expected);
    free(bytes);

    task.kind = SPOT_TRACE_COUNTS;
    task.horizon_ms = 120000;
    generate(&model, &task, path);
    bytes = read_file(path, &num_bytes);
    assert_string_equal(strstr(bytes, "time_s"),
        "time_s,event,count,instances\n0,init,1,\n60,add,1,\n120,end,2,\n");
    free(bytes);
    spot_trace_model_free(&model);
}

static void test_same_dice_same_bytes(void **state)
{
    static const char *const names[] = {"a.csv", "a.csv.gz"};
    char path[PATH_BYTES], other_path[PATH_BYTES];
    spot_trace_model_t model;

    (void) state;
    make_seed_model(&model, 64, 32, 60);
    for (size_t j = 0; j < 2; j++) {
        spot_generate_t task = make_task(5, 2, SPOT_TRACE_NAMED);
        size_t num_bytes, num_other_bytes;
        char *bytes, *other;

        test_path(names[j], path);
        test_path(j == 0 ? "b.csv" : "b.csv.gz", other_path);
        generate(&model, &task, path);
        bytes = read_file(path, &num_bytes);
        generate(&model, &task, other_path);
        other = read_file(other_path, &num_other_bytes);
        assert_int_equal(num_bytes, num_other_bytes);
        assert_memory_equal(bytes, other, num_bytes);
        free(other);
        for (int k = 0; k < 2; k++) { /* another replication, another seed */
            task.replication = k == 0 ? 3 : 2;
            task.seed = k == 0 ? 5 : 6;
            generate(&model, &task, other_path);
            other = read_file(other_path, &num_other_bytes);
            assert_true(num_bytes != num_other_bytes || memcmp(bytes, other, num_bytes) != 0);
            free(other);
        }
        free(bytes);
    }
    spot_trace_model_free(&model);
}

/* What is compressed is the plain file; reading and writing it changes nothing. */
static void test_gzip(void **state)
{
    const spot_generate_t task = make_task(5, 2, SPOT_TRACE_NAMED);
    char plain[PATH_BYTES], packed[PATH_BYTES];
    size_t num_bytes, num_other_bytes;
    spot_trace_model_t model;
    char *bytes, *other;
    spot_trace_t trace;
    spot_diag_t diag;

    (void) state;
    test_path("plain.csv", plain);
    test_path("packed.csv.gz", packed);
    make_seed_model(&model, 64, 32, 60);
    generate(&model, &task, packed);
    read_back(&trace, packed);
    spot_diag_init(&diag);
    assert_int_equal(spot_trace_write(&trace, plain, &diag), 0);
    spot_diag_free(&diag);
    spot_trace_free(&trace);
    bytes = read_file(plain, &num_bytes);
    generate(&model, &task, plain);
    other = read_file(plain, &num_other_bytes);
    assert_int_equal(num_bytes, num_other_bytes);
    assert_memory_equal(bytes, other, num_bytes);
    free(bytes);
    free(other);
    spot_trace_model_free(&model);
}

/* A shorter trace is the beginning of a longer one; an event at the horizon belongs to
 * it. A horizon off the ticks stays where it is. */
static void test_horizon(void **state)
{
    spot_generate_t task = make_task(8, 1, SPOT_TRACE_NAMED);
    spot_trace_t whole, part;
    spot_trace_model_t model;
    char path[PATH_BYTES];

    (void) state;
    test_path("horizon.csv", path);
    make_seed_model(&model, 64, 32, 60);
    generate_and_read(&model, &task, &whole);
    assert_true(whole.num_events > 50);
    for (size_t j = 0; j < whole.num_events; j += 7) {
        for (int64_t after_ms = -1; after_ms <= 1; after_ms++) {
            const int64_t horizon_ms = whole.events[j].time_ms + after_ms;
            size_t num_events = 0;
            spot_diag_t diag;

            spot_diag_init(&diag);
            task.horizon_ms = horizon_ms;
            generate(&model, &task, path);
            assert_int_equal(spot_trace_read(&part, path, after_ms == 0, &diag), 0);
            assert_int_equal(part.end_ms, horizon_ms);
            while (
                num_events < whole.num_events && whole.events[num_events].time_ms <= horizon_ms) {
                num_events++;
            }
            assert_int_equal(part.num_events, num_events);
            for (size_t k = 0; k < num_events; k++) {
                assert_int_equal(part.events[k].time_ms, whole.events[k].time_ms);
                assert_int_equal(part.events[k].count, whole.events[k].count);
            }
            spot_trace_free(&part);
            spot_diag_free(&diag);
        }
    }
    assert_int_equal(remove(path), 0);
    spot_trace_free(&whole);
    spot_trace_model_free(&model);
}

static void test_interrupt(void **state)
{
    atomic_int stop = 1;
    spot_generate_t task = make_task(1, 0, SPOT_TRACE_NAMED);
    spot_trace_model_t model;
    char path[PATH_BYTES];
    spot_diag_t diag;

    (void) state;
    test_path("stopped.csv", path);
    make_seed_model(&model, 64, 32, 60);
    task.watch.stop = &stop;
    spot_diag_init(&diag);
    assert_int_equal(spot_generate(&model, &task, path, &diag), SPOT_ERR_INTERRUPTED);
    assert_null(fopen(path, "r"));
    stop = 0;
    assert_int_equal(spot_generate(&model, &task, path, &diag), 0);
    assert_int_equal(remove(path), 0);
    assert_report(&diag, "");
    spot_diag_free(&diag);
    spot_trace_model_free(&model);
}

/* Stops after the second of five traces; what was written is left. */
static void stop_after_two(void *context, int64_t num_done, int64_t num_total)
{
    assert_int_equal(num_total, 5);
    atomic_store((atomic_int *) context, num_done == 2 ? 1 : 0);
}

static void test_watch_of_several(void **state)
{
    atomic_int stop = 0;
    spot_generate_t task = make_task(1, 0, SPOT_TRACE_COUNTS);
    spot_trace_model_t model;
    char folder[PATH_BYTES], path[2 * PATH_BYTES];
    spot_diag_t diag;

    (void) state;
    test_path("watched", folder);
    make_seed_model(&model, 64, 32, 60);
    task.watch = (spot_watch_t){&stop, stop_after_two, &stop};
    spot_diag_init(&diag);
    assert_int_equal(spot_generate_several(&model, &task, 5, folder, &diag), SPOT_ERR_INTERRUPTED);
    for (int j = 0; j < 5; j++) {
        snprintf(path, sizeof(path), "%s/%s.%04d.csv", folder, task.name, j);
        assert_int_equal(remove(path), j < 2 ? 0 : -1);
    }
    assert_int_equal(remove(folder), 0);
    assert_report(&diag, "");
    spot_diag_free(&diag);
    spot_trace_model_free(&model);
}

static void test_no_such_folder(void **state)
{
    const spot_generate_t task = make_task(1, 0, SPOT_TRACE_NAMED);
    spot_trace_model_t model;
    spot_diag_t diag;

    (void) state;
    make_seed_model(&model, 64, 32, 60);
    spot_diag_init(&diag);
    assert_int_equal(spot_generate(&model, &task, "/nonexistent/x.csv", &diag), SPOT_ERR_IO);
    assert_int_equal(diag.num_errors, 1);
    spot_diag_free(&diag);
    spot_trace_model_free(&model);
}

/* More names than a line may hold are refused: nobody could read that file. */
static void test_large_fleets(void **state)
{
    spot_generate_t task = make_task(1, 0, SPOT_TRACE_NAMED);
    char path[PATH_BYTES], expected[PATH_BYTES + 128];
    spot_trace_model_t model;
    spot_trace_t trace;
    spot_diag_t diag;

    (void) state;
    test_path("large.csv", path);
    make_seed_model(&model, 200000, 200000, 60);
    task.horizon_ms = SPOT_MS_PER_H;
    spot_diag_init(&diag);
    assert_int_equal(spot_generate(&model, &task, path, &diag), SPOT_ERR_BAD_PARAM);
    snprintf(expected, sizeof(expected),
        "%s: cannot write: more instance names in a row than a line of 1048576 bytes "
        "holds; kind counts has none\n",
        path);
    assert_report(&diag, expected);
    spot_diag_free(&diag);
    assert_null(fopen(path, "r"));
    task.kind = SPOT_TRACE_COUNTS;
    generate_and_read(&model, &task, &trace);
    spot_trace_free(&trace);
    spot_trace_model_free(&model);

    make_seed_model(&model, 140000, 140000, 60);
    task.kind = SPOT_TRACE_NAMED;
    generate_and_read(&model, &task, &trace);
    assert_int_equal(trace.initial, 140000);
    spot_trace_free(&trace);
    spot_trace_model_free(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_file_passes_the_reader),
        cmocka_unit_test(test_every_generator),
        cmocka_unit_test(test_header),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_same_dice_same_bytes),
        cmocka_unit_test(test_gzip),
        cmocka_unit_test(test_horizon),
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_watch_of_several),
        cmocka_unit_test(test_no_such_folder),
        cmocka_unit_test(test_large_fleets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
