/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The event log of a run: one run's lines by hand, and over random cases that every line
 * is JSON, that the phases tile the run, and that the log adds up to the result. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compare.h"
#include "fixture.h"
#include "random_case.h"
#include "sim/train/job/run_log.h"

#define NUM_CASES 600

/* ---- A strict reader of JSON, for objects on one line with integers only ---- */

/* Each returns the place behind what it read, or NULL. */
static const char *read_value(const char *text);

static const char *read_text(const char *text)
{
    if (*text != '"') {
        return NULL;
    }
    for (text++; *text != '"'; text++) {
        if ((unsigned char) *text < 0x20) {
            return NULL;
        }
        if (*text == '\\') {
            text++;
            if (*text == '\0' || strchr("\"\\/bfnrt", *text) == NULL) {
                return NULL;
            }
        }
    }
    return text + 1;
}

static const char *read_integer(const char *text)
{
    const char *digits = text + (*text == '-');
    const size_t length = strspn(digits, "0123456789");

    return length == 0 || (length > 1 && *digits == '0') ? NULL : digits + length;
}

static const char *read_item(const char *text, bool has_key)
{
    if (has_key) {
        text = read_text(text);
        if (text == NULL || strncmp(text, ": ", 2) != 0) {
            return NULL;
        }
        text += 2;
    }
    return read_value(text);
}

/* Behind an opening bracket: items with commas between, and the closing bracket. */
static const char *read_items(const char *text, char closing)
{
    if (*text == closing) {
        return text + 1;
    }
    for (;;) {
        text = read_item(text, closing == '}');
        if (text == NULL || (*text != closing && strncmp(text, ", ", 2) != 0)) {
            return NULL;
        }
        if (*text == closing) {
            return text + 1;
        }
        text += 2;
    }
}

static const char *read_value(const char *text)
{
    switch (*text) {
        case '{':
            return read_items(text + 1, '}');
        case '[':
            return read_items(text + 1, ']');
        case '"':
            return read_text(text);
        default:
            return read_integer(text);
    }
}

static void assert_json_lines(const char *lines, size_t num_lines)
{
    for (size_t j = 0; j < num_lines; j++) {
        const char *end = *lines == '{' ? read_value(lines) : NULL;

        assert_non_null(end);
        assert_int_equal(*end, '\n');
        lines = end + 1;
    }
    assert_int_equal(*lines, '\0');
}

/* The caller frees the text. */
static char *lines_of(const spot_event_log_t *log)
{
    char *text = NULL;
    size_t num_bytes = 0;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    spot_run_log_write(log, out);
    assert_int_equal(fclose(out), 0);
    return text;
}

/* ---- One run by hand ---- */

/* The caller frees log and lines. */
static char *run_rows(const char *rows, const char *rest, spot_event_log_t *log)
{
    char path[PATH_BYTES], text[2048];
    spot_scenario_t scenario;

    temporary_path("log.csv", path);
    snprintf(text, sizeof(text),
        "# spotsim-trace: 1\n# name: test\n# start: unknown\n# resolution_s: 1\n"
        "# kind: named\n# capacity: unbounded\ntime_s,event,count,instances\n%s",
        rows);
    write_file(path, text);
    snprintf(text, sizeof(text), "scenario: test\n%s\ntrace: {file: %s}\n", rest, path);
    bind_good_scenario(&scenario, text);
    remove(path);
    spot_event_log_init(log);
    (void) run_scenario(&scenario, 0, log);
    spot_scenario_free(&scenario);
    return lines_of(log);
}

#define EVENT(time, name) "{\"time_ms\": " #time ", \"event\": \"" name "\", "
#define PHASE(time, name, world, length, stalled)                                                  \
    EVENT(time, "phase")                                                                           \
    "\"phase\": \"" name "\", \"world_size\": " #world ", \"length_ms\": " #length                 \
    ", \"stalled_ms\": " #stalled "}\n"
#define FLEET(time, prepping, standby, active, pipelines)                                          \
    EVENT(time, "fleet")                                                                           \
    "\"prepping\": " #prepping ", \"standby\": " #standby ", \"active\": " #active                 \
    ", \"pipelines\": " #pipelines "}\n"
#define CHANGE(time, kind, count, clipped, population, names)                                      \
    EVENT(time, kind)                                                                              \
    "\"count\": " #count ", \"clipped\": " #clipped ", \"population\": " #population               \
    ", \"instances\": [" names "]}\n"
#define ROLLBACK(time, steps, durable, lost, aborted)                                              \
    EVENT(time, "rollback")                                                                        \
    "\"steps_lost\": " #steps ", \"steps_durable\": " #durable ", \"lost_ms\": " #lost             \
    ", \"checkpoints_aborted\": " #aborted "}\n"
#define DURABLE(time, number, steps)                                                               \
    EVENT(time, "durable")                                                                         \
    "\"checkpoint\": " #number ", \"steps_durable\": " #steps ", \"checkpoints\": 1}\n"
#define END(time, kept, durable)                                                                   \
    EVENT(time, "end") "\"steps_kept\": " #kept ", \"steps_durable\": " #durable "}\n"

/* expected: NULL-terminated. */
static void assert_lines(const char *rows, const char *rest, const char *const *expected)
{
    spot_event_log_t log;
    char *lines = run_rows(rows, rest, &log);
    const char *place = lines;

    assert_json_lines(lines, log.num_records);
    for (; *expected != NULL; expected++) {
        const size_t num_bytes = strlen(*expected);

        if (strncmp(place, *expected, num_bytes) != 0) {
            fail_msg("expected %sbut got\n%.*s", *expected, (int) strcspn(place, "\n"), place);
        }
        place += num_bytes;
    }
    assert_string_equal(place, "");
    free(lines);
    spot_event_log_free(&log);
}

/* The timeline of test_train.c, with a name that JSON must escape. */
static void test_lines_of_a_timeline(void **state)
{
    static const char *const expected[] = {
        FLEET(0, 0, 0, 4, 2),
        PHASE(0, "useful", 4, 18000, 0),
        DURABLE(16000, 1, 1),
        PHASE(18000, "lost", 4, 17000, 0),
        DURABLE(28000, 2, 3),
        CHANGE(35000, "preempt", 1, 0, 3, "\"b\\\\\""),
        ROLLBACK(35000, 2, 3, 17000, 1),
        FLEET(35000, 0, 1, 2, 1),
        PHASE(35000, "reconfiguring", 2, 8000, 0),
        PHASE(43000, "reloading", 2, 4000, 0),
        CHANGE(45000, "add", 1, 0, 4, "\"e\""),
        FLEET(45000, 1, 1, 2, 1),
        PHASE(47000, "lost", 2, 8000, 0),
        ROLLBACK(55000, 0, 3, 8000, 0),
        FLEET(55000, 0, 0, 4, 2),
        PHASE(55000, "reconfiguring", 4, 8000, 0),
        PHASE(63000, "reloading", 4, 4000, 0),
        PHASE(67000, "useful", 4, 18000, 0),
        DURABLE(83000, 3, 4),
        PHASE(85000, "unsaved", 4, 15000, 0),
        DURABLE(95000, 4, 6),
        END(100000, 8, 6),
        NULL,
    };

    (void) state;
    assert_lines("0,init,4,a b\\ c d\n33,preempt,1,b\\\n41,add,1,e\n100,end,4,\n",
        "fleet: {capacity: 8, preparation: 7 s}\n"
        "job: {pipeline_depth: 2, step_time: {2: 10 s, 4: 6 s},\n"
        "  checkpoint: {write: 10 s}, reconfiguration: 8 s, reload: 4 s}",
        expected);
}

/* The preemption of "a" is announced at 15 s: five more steps end, and the checkpoint
 * just fits; the instance on demand goes on alone. */
static void test_lines_of_a_notice(void **state)
{
    static const char *const expected[] = {
        FLEET(0, 0, 0, 2, 2),
        PHASE(0, "useful", 2, 32000, 0),
        EVENT(15000, "notice") "\"count\": 1, \"deadline_ms\": 35000, \"instances\": [\"a\"]}\n",
        FLEET(15000, 0, 0, 2, 2),
        FLEET(16000, 0, 0, 2, 2), /* asked at the end of each step */
        FLEET(20000, 0, 0, 2, 2),
        FLEET(24000, 0, 0, 2, 2),
        FLEET(28000, 0, 0, 2, 2),
        FLEET(32000, 0, 0, 2, 0),
        PHASE(32000, "stalled", 2, 3000, 3000),
        DURABLE(35000, 1, 8),
        CHANGE(35000, "preempt", 1, 0, 1, "\"a\""),
        FLEET(35000, 0, 0, 1, 1),
        PHASE(35000, "reconfiguring", 1, 8000, 0),
        PHASE(43000, "reloading", 1, 4000, 0),
        PHASE(47000, "unsaved", 1, 13000, 0),
        END(60000, 10, 8),
        NULL,
    };

    (void) state;
    assert_lines("0,init,1,a\n33,preempt,1,a\n100,end,0,\n",
        "horizon: 60 s\nfleet: {capacity: 1, on_demand: 1, notice: 20 s}\n"
        "recovery: {system: checkpoint, notice: checkpoint}\n"
        "job: {pipeline_depth: 1, step_time: {1: 6 s, 2: 4 s},\n"
        "  checkpoint: {mode: sync, every: 100 steps, write: 3 s},\n"
        "  reconfiguration: 8 s, reload: 4 s}",
        expected);
}

/* Stalls, clipped changes, a stop, waiting, the end of the job. */
static void test_lines_of_stalls_and_waiting(void **state)
{
    static const char *const expected[] = {
        FLEET(0, 0, 0, 1, 1),
        PHASE(0, "useful", 1, 8000, 2000),
        DURABLE(5000, 1, 1),
        PHASE(8000, "stalled", 1, 2000, 2000),
        DURABLE(10000, 2, 2),
        CHANGE(10000, "stop", 1, 0, 0, "\"a\""),
        ROLLBACK(10000, 0, 2, 0, 0),
        FLEET(10000, 0, 0, 0, 0),
        PHASE(10000, "waiting", 0, 10000, 0),
        CHANGE(15000, "add", 1, 1, 1, "\"b\""),
        FLEET(15000, 1, 0, 0, 0),
        CHANGE(20000, "preempt", 0, 1, 1, ""),
        FLEET(20000, 0, 0, 1, 1),
        PHASE(20000, "reconfiguring", 1, 1000, 0),
        PHASE(21000, "useful", 1, 3000, 0),
        END(24000, 3, 2),
        NULL,
    };

    (void) state;
    assert_lines("0,init,1,a\n8,stop,1,a\n12,add,2,b c\n17,preempt,1,c\n100,end,1,\n",
        "until: {steps: 3}\nfleet: {capacity: 1, preparation: 0 s}\n"
        "job: {pipeline_depth: 1, step_time: {1: 3 s}, reconfiguration: 1 s,\n"
        "  reload: 0 s, checkpoint: {mode: sync, every: 1 step, write: 2 s}}",
        expected);
}

/* ---- Over random cases ---- */

/* What a log adds up to. */
typedef struct {
    spot_train_result_t sum;
    int64_t time_ms; /* of the latest record */
    int32_t kind;
    int64_t phase_end_ms;
    int64_t population;
    int64_t fleet_ms; /* of the latest fleet record */
    int64_t prepping;
    int64_t standby;
} reading_t;

static void read_phase(reading_t *self, const spot_log_record_t *record)
{
    static const spot_job_phase_t phases[] = {
        [SPOT_SHARE_RECONFIGURING] = SPOT_JOB_RECONFIGURING,
        [SPOT_SHARE_RELOADING] = SPOT_JOB_RELOADING,
        [SPOT_SHARE_USEFUL] = SPOT_JOB_TRAINING,
        [SPOT_SHARE_LOST] = SPOT_JOB_TRAINING,
        [SPOT_SHARE_UNSAVED] = SPOT_JOB_TRAINING,
        [SPOT_SHARE_STALLED] = SPOT_JOB_TRAINING,
        [SPOT_NUM_SHARES] = SPOT_JOB_WAITING,
    };
    const int64_t share = record->values[0], world_size = record->values[1];
    const int64_t length_ms = record->values[2], stalled_ms = record->values[3];

    assert_int_equal(record->time_ms, self->phase_end_ms);
    assert_true(length_ms > 0 && stalled_ms >= 0 && stalled_ms <= length_ms);
    self->phase_end_ms += length_ms;
    self->sum.job_ms[phases[share]] += length_ms;
    self->sum.stalled_ms += stalled_ms;
    if (share == SPOT_NUM_SHARES) {
        assert_int_equal(world_size, 0);
        return;
    }
    self->sum.ledger.instance_ms[share] += world_size * (length_ms - stalled_ms);
    self->sum.ledger.instance_ms[SPOT_SHARE_STALLED] += world_size * stalled_ms;
}

static size_t count_names(const char *names)
{
    size_t num_names = *names != '\0';

    for (; *names != '\0'; names++) {
        num_names += *names == ' ';
    }
    return num_names;
}

static void read_change(
    reading_t *self, const spot_event_log_t *log, const spot_log_record_t *record)
{
    const int64_t count = record->values[0];

    assert_int_equal(count_names(spot_event_log_text(log, record)), count);
    self->sum.clipped += record->values[1];
    switch (record->values[3]) {
        case SPOT_EVENT_PREEMPT:
            self->sum.preempted += count;
            break;
        case SPOT_EVENT_STOP:
            self->sum.stopped += count;
            break;
        default:
            self->sum.added += count;
    }
    self->population += record->values[3] == SPOT_EVENT_ADD ? count : -count;
    assert_int_equal(record->values[2], self->population);
}

/* Prepping and standby hold from one fleet record to the next. */
static void pass_fleet(reading_t *self, int64_t time_ms)
{
    int64_t *instance_ms = self->sum.ledger.instance_ms;

    instance_ms[SPOT_SHARE_PREPPING] += self->prepping * (time_ms - self->fleet_ms);
    instance_ms[SPOT_SHARE_STANDBY] += self->standby * (time_ms - self->fleet_ms);
    self->fleet_ms = time_ms;
}

static void read_fleet(reading_t *self, const spot_log_record_t *record, int64_t depth)
{
    pass_fleet(self, record->time_ms);
    self->prepping = record->values[0];
    self->standby = record->values[1];
    assert_int_equal(self->prepping + self->standby + record->values[2], self->population);
    assert_int_equal(record->values[2], record->values[3] * depth);
    if (self->population > self->sum.peak_instances) {
        self->sum.peak_instances = self->population;
    }
}

static void read_record(
    reading_t *self, const spot_event_log_t *log, const spot_log_record_t *record, int64_t depth)
{
    assert_true(record->time_ms > self->time_ms ||
                (record->time_ms == self->time_ms && record->kind >= self->kind));
    self->time_ms = record->time_ms;
    self->kind = record->kind;
    switch (record->kind) {
        case SPOT_LOG_DURABLE:
            self->sum.checkpoints_durable++;
            assert_int_equal(record->values[0], self->sum.checkpoints_durable);
            assert_true(record->values[1] > self->sum.steps_durable);
            self->sum.steps_durable = record->values[1];
            break;
        case SPOT_LOG_ROLLBACK:
            self->sum.rollbacks++;
            self->sum.steps_lost += record->values[0];
            assert_int_equal(record->values[1], self->sum.steps_durable);
            self->sum.lost_ms += record->values[2];
            self->sum.checkpoints_aborted += record->values[3];
            break;
        case SPOT_LOG_FLEET:
            read_fleet(self, record, depth);
            break;
        case SPOT_LOG_PHASE:
            read_phase(self, record);
            break;
        case SPOT_LOG_END:
            pass_fleet(self, record->time_ms);
            self->sum.horizon_ms = record->time_ms;
            self->sum.steps_executed = record->values[0] + self->sum.steps_lost;
            assert_int_equal(record->values[1], self->sum.steps_durable);
            break;
        default:
            read_change(self, log, record);
    }
}

static void check_log(
    const case_t *self, const spot_event_log_t *log, const spot_train_result_t *result)
{
    reading_t reading = {.time_ms = -1, .population = result->initial};

    for (size_t j = 0; j < log->num_records; j++) {
        const spot_log_record_t *record = &log->records[j];

        assert_int_equal(record->kind == SPOT_LOG_END, j + 1 == log->num_records);
        read_record(&reading, log, record, self->setting.pipeline_depth);
    }
    assert_int_equal(reading.phase_end_ms, result->horizon_ms);
    reading.sum.initial = result->initial; /* what a log does not tell */
    reading.sum.reconfigurations = result->reconfigurations;
    reading.sum.preemption_events = result->preemption_events;
    reading.sum.first_preemption_ms = result->first_preemption_ms;
    reading.sum.last_preemption_ms = result->last_preemption_ms;
    reading.sum.unmeasured_ms = result->unmeasured_ms;
    reading.sum.input_stalled_ms = result->input_stalled_ms;
    reading.sum.input_stalled_instance_ms = result->input_stalled_instance_ms;
    reading.sum.is_finished = result->is_finished;
    reading.sum.has_flat_step_time = result->has_flat_step_time;
    reading.sum.is_past_trace_end = result->is_past_trace_end;
    reading.sum.ledger.population_ms = spot_ledger_total(&reading.sum.ledger);
    assert_null(result_difference(&reading.sum, result));
}

static void test_log_adds_up(void **state)
{
    spot_event_log_t log;
    case_t self;

    (void) state;
    spot_event_log_init(&log);
    for (uint64_t seed = 1; seed <= 2 * NUM_CASES; seed++) {
        spot_scenario_t scenario;
        spot_train_result_t result;
        char *lines;

        (seed <= NUM_CASES ? draw_case : draw_input_case)(&self, seed);
        bind_case(&self, &scenario);
        result = run_scenario(&scenario, 0, &log);
        check_log(&self, &log, &result);
        lines = lines_of(&log);
        assert_json_lines(lines, log.num_records);
        free(lines);
        spot_scenario_free(&scenario);
    }
    spot_event_log_free(&log);
}

static void test_record_names(void **state)
{
    static const char *const names[] = {
        "durable", "stop", "notice", "rollback", "fleet", "phase", "end"};

    (void) state;
    for (int kind = 0; kind <= SPOT_LOG_END; kind++) {
        static const int64_t values[SPOT_EVENT_VALUES] = {0, 0, 0, SPOT_EVENT_STOP};
        spot_event_log_t log = {0};
        char expected[64], *lines;

        spot_event_log_add(&log, 0, kind, values, NULL);
        lines = lines_of(&log);
        snprintf(expected, sizeof(expected), "\"event\": \"%s\"", names[kind]);
        assert_non_null(strstr(lines, expected));
        free(lines);
        spot_event_log_free(&log);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_of_a_timeline),
        cmocka_unit_test(test_lines_of_a_notice),
        cmocka_unit_test(test_lines_of_stalls_and_waiting),
        cmocka_unit_test(test_log_adds_up),
        cmocka_unit_test(test_record_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
