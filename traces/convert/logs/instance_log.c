/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/convert/logs/instance_log.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/datetime.h"
#include "base/memory.h"
#include "base/units.h"

typedef enum { LIFE_NONE, LIFE_RUNS, LIFE_ENDED } life_t;

/* An instance while the records pass. */
typedef struct {
    life_t life;
    bool has_notice;   /* in this life */
    bool has_advice;   /* the same */
    int64_t notice_ms; /* when */
    int64_t advice_ms; /* the latest */
    int64_t first_ms;  /* the earliest record of it */
    int64_t seen_ms;   /* the latest one */
    int64_t start_ms;  /* of this life, where has_start */
    bool has_start;
    size_t loss_id; /* of the changes, in LIFE_ENDED */
} instance_t;

typedef struct {
    spot_instance_log_t *log;
    instance_t *instances; /* [names.num_names] */
    size_t num_changes;
    size_t max_changes;
    spot_instance_record_t *changes; /* [num_changes] of the fleet; SPOT_SAYS_GONE: lost
                                        and the cause is not known */
    size_t num_initial;
    int32_t *initial; /* [num_initial] names that run from the begin, in order */
    int64_t num_notices, num_advised, num_repeated;
    int64_t num_losses;
    int64_t num_explained; /* losses that a notice explains */
    int64_t num_assumed;   /* losses by --notice */
    int64_t num_restarted; /* starts after a notice, or a recommendation that counts as one:
                              losses in between */
    int64_t num_returned;  /* starts after a mere recommendation: ends without a cause in
                              between */
    bool is_by_advice;     /* no record is a notice or a loss: recommendations count as
                              notices */
    int64_t num_open;      /* notices that no loss follows, nor --notice counts; without
                              notices and losses recommendations */
    int64_t num_unknown;   /* losses without a cause */
    int64_t num_replacing; /* instances that --initial takes to have come later */
    int64_t num_unnamed;   /* instances of --initial that the log does not name */
    size_t last_unnamed;   /* the number in the name of the last one */
    int error;             /* NO_MEMORY */
} judge_t;

int spot_instance_log_init(spot_instance_log_t *self, spot_import_t *import)
{
    const char *now = import->task->now;

    memset(self, 0, sizeof(*self));
    self->import = import;
    self->now_ms = INT64_MIN;
    self->first_ms = INT64_MAX;
    self->last_ms = INT64_MIN;
    self->is_zoned = true;
    import->trace->kind = SPOT_TRACE_NAMED;
    if (now != NULL) {
        if (!spot_moment_parse(now, &self->now_ms, &self->has_now_zone)) {
            return spot_diag_error(import->diag, spot_convert_until(import->task), 0, 0,
                "expected a time such as 2024-06-07T17:00:00Z, got \"%s\"", now);
        }
    }
    return 0;
}

void spot_instance_log_free(spot_instance_log_t *self)
{
    spot_names_free(&self->names);
    free(self->records);
    memset(self, 0, sizeof(*self));
}

int spot_instance_log_expected(const spot_instance_log_t *self, const spot_log_place_t *place,
    const char *field, const char *expected, const char *text)
{
    const char *file = self->import->inputs[place->input_id].path;
    char shown[SPOT_CSV_SHOWN_BYTES];

    if (*text == '\0') {
        return spot_diag_error(self->import->diag, file, place->line, place->column,
            "%s: missing, expected %s", field, expected);
    }
    return spot_diag_error(self->import->diag, file, place->line, place->column,
        "%s: expected %s, got '%s'", field, expected, spot_csv_shown(text, shown));
}

int spot_instance_log_time(spot_instance_log_t *self, const spot_log_place_t *place,
    const char *field, const char *text, int64_t *time_ms)
{
    bool has_zone;

    if (!spot_instant_parse(text, time_ms, &has_zone)) {
        return spot_instance_log_expected(
            self, place, field, "a time such as 2024-06-07T17:00:00Z", text);
    }
    spot_instance_log_zone(self, text, has_zone);
    return 0;
}

int spot_instance_log_time_of_year(
    spot_instance_log_t *self, const spot_log_place_t *place, const char *text, int64_t *time_ms)
{
    enum { MAX_YEARS = 8 }; /* from one 29 February to the next */
    char now[SPOT_DATETIME_BYTES], stamp[64];
    bool has_zone;

    if (self->now_ms == INT64_MIN) {
        if (!self->is_yearless) {
            (void) spot_instance_log_expected(
                self, place, "year", "--until, or lines of kubectl logs --timestamps", "");
        }
        self->is_yearless = true;
        return SPOT_ERR_BAD_INPUT;
    }
    spot_instant_text(self->now_ms, now);
    for (int j = 0; j <= MAX_YEARS; j++) {
        snprintf(stamp, sizeof(stamp), "%04d-%s", atoi(now) - j, text);
        if (spot_instant_parse(stamp, time_ms, &has_zone) &&
            *time_ms <= self->now_ms + SPOT_MS_PER_D) {
            spot_instance_log_zone(self, stamp, has_zone);
            return 0;
        }
    }
    return spot_instance_log_expected(
        self, place, "time", "a month, day and time such as 06-07 17:00:00", text);
}

void spot_instance_log_zone(spot_instance_log_t *self, const char *text, bool has_zone)
{
    self->is_local |= spot_instant_is_local(text);
    if (!has_zone && self->is_zoned) {
        SPOT_IMPORT_REMARK(self->import, SPOT_REMARK_UNCERTAIN, "no_zone", 0,
            "times without a zone are taken as UTC");
    }
    self->is_zoned &= has_zone;
}

static int append(spot_instance_log_t *self, int64_t time_ms, spot_says_t says, const char *name)
{
    spot_instance_record_t record = {
        .time_ms = time_ms, .order = (uint32_t) self->num_records, .says = says};
    const int ret = spot_names_add(&self->names, name, strlen(name), &record.name_id);

    return ret == 0 ? SPOT_ARRAY_APPEND(self, records, record) : ret;
}

int spot_instance_log_add(spot_instance_log_t *self, const spot_log_place_t *place, int64_t time_ms,
    spot_says_t says, const char *name)
{
    const char *only = self->import->task->only;

    if (!spot_trace_is_name(name, strlen(name))) {
        return spot_instance_log_expected(self, place, "instance",
            "a name of 1 to 63 bytes without blank, comma and quote", name);
    }
    if (only != NULL && fnmatch(only, name, 0) != 0) {
        self->num_other++;
        return 0;
    }
    return append(self, time_ms, says, name);
}

int spot_instance_log_resize(
    spot_instance_log_t *self, int64_t time_ms, int64_t size, spot_says_t loss)
{
    int ret = 0;

    self->import->trace->kind = SPOT_TRACE_COUNTS;
    self->first_ms = time_ms < self->first_ms ? time_ms : self->first_ms;
    self->last_ms = time_ms > self->last_ms ? time_ms : self->last_ms;
    for (; ret == 0 && self->size != size; self->size += self->size < size ? 1 : -1) {
        const bool is_more = self->size < size;
        char name[24];

        snprintf(name, sizeof(name), "%" PRId64, self->size + is_more);
        ret = self->num_records < SPOT_MAX_INSTANCES
                  ? append(self, time_ms, is_more ? SPOT_SAYS_RUNS : loss, name)
                  : spot_diag_error(self->import->diag, self->import->inputs[0].path, 0, 0,
                        "more than %d instances come and go", SPOT_MAX_INSTANCES);
    }
    return ret;
}

void spot_instance_log_label(spot_instance_log_t *self, spot_log_label_t label, const char *value)
{
    static const char *const keys[] = {"zone", "instance_type"};
    const char *known = spot_trace_key(self->import->trace, keys[label]);

    if (self->has_several[label] || !spot_trace_is_name(value, strlen(value))) {
        return;
    }
    if (known == NULL) {
        spot_import_key(self->import, keys[label], value);
    } else if (strcmp(known, value) != 0) {
        spot_keys_drop(&self->import->trace->header, keys[label]);
        self->has_several[label] = true;
    }
}

int spot_instance_log_read(spot_instance_log_t *self, size_t input_id, const char *const *lists,
    int (*take_record)(void *state, const spot_json_value_t *record), bool is_split,
    int (*take_row)(void *state, const spot_csv_row_t *row), void *state)
{
    const spot_record_input_t *input = &self->import->inputs[input_id];
    char line[SPOT_RECORD_LINE_BYTES], text[SPOT_RECORD_HEAD_BYTES];
    const int ret = spot_record_input_head(input, text, line, self->import->diag);

    if (ret != 0) {
        return ret;
    }
    return *line == '{' || *line == '['
               ? spot_json_records(input, lists, take_record, state, self->import->diag)
           : is_split ? spot_import_rows(self->import, input_id, take_row, state)
                      : spot_import_lines(self->import, input_id, take_row, state);
}

/* ---- What happened ---- */

static int compare_records(const void *left, const void *right)
{
    const spot_instance_record_t *a = left;
    const spot_instance_record_t *b = right;

    return a->time_ms != b->time_ms ? (a->time_ms > b->time_ms) - (a->time_ms < b->time_ms)
                                    : (a->order > b->order) - (a->order < b->order);
}

static void change(judge_t *self, int64_t time_ms, int32_t name_id, spot_says_t says)
{
    const spot_instance_record_t item = {time_ms, (uint32_t) self->num_changes, name_id, says};

    (void) SPOT_ARRAY_PUSH(self, changes, item);
}

/* An instance is there; one that no record has started runs from the begin. */
static void be_there(judge_t *self, instance_t *instance, const spot_instance_record_t *record)
{
    instance->seen_ms = record->time_ms;
    if (instance->life == LIFE_NONE) {
        instance->first_ms = record->time_ms;
        self->initial[self->num_initial++] = record->name_id;
        instance->life = LIFE_RUNS;
    }
}

/* Whether a start proves that an instance which was warned, or was recommended to be replaced,
 * has ended. What says soon after a start that it runs, as running after pending does, is of
 * that start. */
static bool is_restart(
    const judge_t *self, const instance_t *instance, const spot_instance_record_t *record)
{
    return self->log->has_starts && (instance->has_notice || instance->has_advice) &&
           (!instance->has_start || record->time_ms - instance->start_ms > SPOT_START_LIFE_MS);
}

/* The loss before a start: --notice after the notice, not before it was last seen. A mere
 * recommendation announces nothing: when the instance ended, at the latest at the start, and
 * why, is not known. */
static void lose_before(
    judge_t *self, const instance_t *instance, const spot_instance_record_t *record)
{
    const bool is_warned = instance->has_notice || self->is_by_advice;
    const int64_t warned_ms = instance->has_notice ? instance->notice_ms : instance->advice_ms;
    int64_t time_ms = warned_ms + self->log->import->task->notice_ms;

    time_ms = time_ms > instance->seen_ms ? time_ms : instance->seen_ms;
    time_ms = is_warned && time_ms < record->time_ms ? time_ms : record->time_ms;
    change(self, time_ms, record->name_id, is_warned ? SPOT_SAYS_PREEMPTED : SPOT_SAYS_GONE);
    *(is_warned ? &self->num_restarted : &self->num_returned) += 1;
}

static void take_start(judge_t *self, instance_t *instance, const spot_instance_record_t *record)
{
    if (instance->life == LIFE_RUNS && is_restart(self, instance, record)) {
        lose_before(self, instance, record);
        instance->life = LIFE_ENDED;
    }
    instance->seen_ms = record->time_ms;
    if (instance->life == LIFE_RUNS) {
        self->num_repeated++;
        return;
    }
    instance->has_start = true;
    instance->start_ms = record->time_ms;
    instance->has_notice = false;
    instance->has_advice = false;
    if (instance->life == LIFE_NONE && record->time_ms == self->log->first_ms) {
        instance->first_ms = record->time_ms;
        self->initial[self->num_initial++] = record->name_id;
    } else {
        change(self, record->time_ms, record->name_id, SPOT_SAYS_RUNS);
    }
    instance->life = LIFE_RUNS;
}

static void take_loss(judge_t *self, instance_t *instance, const spot_instance_record_t *record)
{
    const bool is_explained = record->says == SPOT_SAYS_GONE && instance->has_notice &&
                              record->time_ms - instance->notice_ms <= SPOT_NOTICE_LIFE_MS;
    const spot_says_t says = is_explained ? SPOT_SAYS_PREEMPTED : record->says;

    be_there(self, instance, record);
    if (instance->life == LIFE_RUNS) {
        instance->life = LIFE_ENDED;
        instance->loss_id = self->num_changes;
        self->num_losses++;
        self->num_explained += is_explained;
        change(self, record->time_ms, record->name_id, says);
        return;
    }
    self->num_repeated++;
    if (self->error == 0 && self->changes[instance->loss_id].says == SPOT_SAYS_GONE) {
        self->changes[instance->loss_id].says = record->says;
    }
}

static void take_record(judge_t *self, const spot_instance_record_t *record)
{
    instance_t *instance = &self->instances[record->name_id];

    switch (record->says) {
        case SPOT_SAYS_RUNS:
            take_start(self, instance, record);
            break;
        case SPOT_SAYS_ADVICE:
            self->num_advised++;
            be_there(self, instance, record);
            instance->has_advice = instance->life == LIFE_RUNS;
            instance->advice_ms = record->time_ms;
            break;
        case SPOT_SAYS_NOTICE:
            be_there(self, instance, record);
            if (instance->life == LIFE_RUNS) {
                self->num_notices += !instance->has_notice;
                instance->has_notice = true;
                instance->notice_ms = record->time_ms;
            }
            break;
        default:
            take_loss(self, instance, record);
            break;
    }
}

/* Whether a log has neither a notice nor a loss. */
static bool find_by_advice(const spot_instance_log_t *log)
{
    for (size_t j = 0; j < log->num_records; j++) {
        if (log->records[j].says != SPOT_SAYS_RUNS && log->records[j].says != SPOT_SAYS_ADVICE) {
            return false;
        }
    }
    return log->num_notices == 0;
}

/* Ends what was noticed and is not known to have ended, if that is asked for. Without --until the
 * log then lasts until the latest of these ends. */
static void assume_losses(judge_t *self, int64_t *end_ms)
{
    const int64_t notice_ms = self->log->import->task->notice_ms;
    const bool may_last = self->log->now_ms == INT64_MIN;

    for (size_t j = 0; j < self->log->names.num_names; j++) {
        const instance_t *instance = &self->instances[j];
        const bool is_warned = instance->has_notice || (self->is_by_advice && instance->has_advice);
        const int64_t warned_ms = instance->has_notice ? instance->notice_ms : instance->advice_ms;
        const int64_t time_ms = warned_ms + notice_ms;

        if (instance->life != LIFE_RUNS || !is_warned) {
            continue;
        }
        if (notice_ms > 0 && (may_last || time_ms <= *end_ms) && time_ms >= instance->seen_ms) {
            change(self, time_ms, (int32_t) j, SPOT_SAYS_PREEMPTED);
            self->num_assumed++;
            *end_ms = time_ms > *end_ms ? time_ms : *end_ms;
        } else if (instance->seen_ms - warned_ms <= SPOT_NOTICE_LIFE_MS) {
            self->num_open++; /* later it is known to run */
        }
    }
}

/* A way out of a log that lacks losses. A log that counts instances does not say which
 * one a notice is about. */
#define WAY_OUT                                                                                    \
    "--notice 120s --initial 24 (options of `spotsim trace convert` and `spotsim advise`): each "  \
    "then counts as the end of its instance 120 s later, and 24 instances ran when the log starts"
#define WAY_OUT_OF_COUNTS                                                                          \
    "their word as that of a preemption (--events WORD=preempt): each then counts as an end at "   \
    "its time"

/* A log that warns and never says that an instance has ended, or none before it starts
 * again, lacks what became of them: taken as it is, nothing would ever be lost. */
static int refuse_lossless(const judge_t *self)
{
    const spot_import_t *import = self->log->import;
    const bool is_notice = self->num_notices > 0;

    if (self->num_restarted > 0 && import->task->notice_ms == 0) {
        return spot_diag_error(import->diag, import->inputs[0].path, 0, 0,
            "%" PRId64 " instance%s after a %s and no record of an end in between: the log lacks "
            "losses; expected the records of ends too, or --notice 120s: each then ended 120 s "
            "after the %s, at the latest when it started",
            self->num_restarted, self->num_restarted == 1 ? " starts" : "s start",
            self->is_by_advice ? "recommendation to rebalance" : "notice of a preemption",
            self->is_by_advice ? "recommendation" : "notice");
    }
    if (self->num_open == 0 || self->num_losses > 0 || import->task->notice_ms > 0) {
        return 0;
    }
    return spot_diag_error(import->diag, import->inputs[0].path, 0, 0,
        "%" PRId64 " %s%s %s and not one end of an instance: the log lacks its losses; expected "
        "the records of ends too, or %s",
        self->num_open, is_notice ? "notice" : "recommendation", self->num_open == 1 ? "" : "s",
        is_notice ? "of a preemption" : "to rebalance",
        import->trace->kind == SPOT_TRACE_NAMED ? WAY_OUT : WAY_OUT_OF_COUNTS);
}

/* Gives losses without a cause one. */
static void settle_causes(judge_t *self)
{
    const spot_convert_t *task = self->log->import->task;

    for (size_t j = 0; self->error == 0 && j < self->num_changes; j++) {
        spot_instance_record_t *loss = &self->changes[j];

        if (loss->says == SPOT_SAYS_GONE) {
            loss->says =
                task->unknown == SPOT_UNKNOWN_PREEMPT ? SPOT_SAYS_PREEMPTED : SPOT_SAYS_STOPPED;
            self->num_unknown++;
        }
    }
}

/* ---- Those that run when the log starts ---- */

static int compare_times(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *) left;
    const int64_t b = *(const int64_t *) right;

    return (a > b) - (a < b);
}

/* A new instance that the log does not name. */
static int add_unnamed(judge_t *self, int32_t *name_id)
{
    spot_names_t *names = &self->log->names;
    const size_t num_names = names->num_names;
    int ret = 0;

    while (ret == 0 && names->num_names == num_names) { /* the log may have such a name */
        char name[32];

        snprintf(name, sizeof(name), "unnamed-%zu", ++self->last_unnamed);
        ret = spot_names_add(names, name, strlen(name), name_id);
    }
    self->num_unnamed += ret == 0;
    return ret;
}

/* Fewer instances are there without a start than --initial says. */
static int fill_up(judge_t *self, size_t num_wanted)
{
    int32_t *initial = realloc(self->initial, num_wanted * sizeof(*initial));
    int ret = initial == NULL ? SPOT_ERR_NO_MEMORY : 0;

    self->initial = initial == NULL ? self->initial : initial;
    while (ret == 0 && self->num_initial < num_wanted) {
        ret = add_unnamed(self, &initial[self->num_initial]);
        self->num_initial += ret == 0;
    }
    return ret;
}

/* The times of all losses, in order; NULL: no memory. The caller frees it. */
static int64_t *list_losses(const judge_t *self, size_t *num_lost)
{
    int64_t *lost_ms = spot_calloc(self->num_changes + 1, sizeof(*lost_ms));

    *num_lost = 0;
    for (size_t j = 0; lost_ms != NULL && j < self->num_changes; j++) {
        if (self->changes[j].says != SPOT_SAYS_RUNS) {
            lost_ms[(*num_lost)++] = self->changes[j].time_ms;
        }
    }
    if (lost_ms != NULL) {
        qsort(lost_ms, *num_lost, sizeof(*lost_ms), compare_times);
    }
    return lost_ms;
}

/* More instances are there without a start than --initial says: the j-th that is named
 * too much has come in place of the j-th that was lost. So the log has no starts, or
 * lacks some; where it has none at all, those in place of the last that were lost are
 * not named. BAD_INPUT: too few were lost by then. */
static int replace_lost(judge_t *self, size_t num_wanted)
{
    const spot_import_t *import = self->log->import;
    const size_t num_more = self->num_initial - num_wanted, num_changes = self->num_changes;
    size_t num_lost;
    int64_t *lost_ms = list_losses(self, &num_lost);
    int ret = lost_ms == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (size_t j = 0; ret == 0 && j < num_more; j++) {
        const int32_t name_id = self->initial[num_wanted + j];
        const int64_t first_ms = self->instances[name_id].first_ms;

        if (j >= num_lost || lost_ms[j] > first_ms) {
            char first[SPOT_DATETIME_BYTES];

            spot_instant_text(first_ms, first);
            ret = spot_diag_error(import->diag, import->inputs[0].path, 0, 0,
                "--initial %zu: at %s the log has named %zu instances without a start, and "
                "%zu have ended: expected %zu or more",
                num_wanted, first, num_wanted + j + 1, j < num_lost ? j : num_lost, num_wanted + 1);
        } else {
            change(self, lost_ms[j], name_id, SPOT_SAYS_RUNS);
        }
    }
    for (size_t j = num_more; ret == 0 && num_lost == num_changes && j < num_lost; j++) {
        int32_t name_id = 0;

        ret = add_unnamed(self, &name_id);
        change(self, lost_ms[j], name_id, SPOT_SAYS_RUNS);
    }
    self->num_initial = num_wanted;
    self->num_replacing = (int64_t) num_more;
    free(lost_ms);
    return ret;
}

/* Lets as many instances run from the begin as --initial says. */
static int settle_initial(judge_t *self)
{
    const spot_import_t *import = self->log->import;
    const size_t num_wanted = (size_t) import->task->initial;

    if (num_wanted == 0) {
        return 0;
    }
    if (import->trace->kind != SPOT_TRACE_NAMED) {
        return spot_diag_error(import->diag, import->inputs[0].path, 0, 0,
            "--initial is for logs that name instances: this one counts them");
    }
    return num_wanted < self->num_initial   ? replace_lost(self, num_wanted)
           : num_wanted > self->num_initial ? fill_up(self, num_wanted)
                                            : 0;
}

/* ---- The trace ---- */

static int write_changes(judge_t *self, int64_t start_ms)
{
    spot_import_t *import = self->log->import;
    char *const *names = self->log->names.names;
    int ret = 0;

    for (size_t j = 0; j < self->num_initial && ret == 0; j++) {
        const char *name = names[self->initial[j]];

        ret = spot_import_arrive(import, 1, 1, name, strlen(name));
    }
    ret = ret == 0 ? spot_import_arrivals(import, 0, true) : ret;
    for (size_t j = 0; j < self->num_changes && ret == 0; j++) {
        const spot_instance_record_t *item = &self->changes[j];
        const char *name = names[item->name_id];
        const int64_t time_ms = item->time_ms - start_ms;

        spot_import_note_time(import, time_ms);
        ret = item->says == SPOT_SAYS_RUNS
                  ? spot_import_arrive(import, 1, 1, name, strlen(name))
                  : spot_import_leave(import, time_ms,
                        item->says == SPOT_SAYS_PREEMPTED ? SPOT_EVENT_PREEMPT : SPOT_EVENT_STOP, 1,
                        1, name, strlen(name));
        if (ret == 0 &&
            (j + 1 == self->num_changes || self->changes[j + 1].time_ms != item->time_ms)) {
            ret = spot_import_arrivals(import, time_ms, false);
        }
    }
    return ret;
}

void spot_instance_log_remark(spot_instance_log_t *self, spot_remark_kind_t kind, const char *key,
    int64_t count, const char *one, const char *many)
{
    if (count > 0) {
        SPOT_IMPORT_REMARK(
            self->import, kind, key, count, "%" PRId64 " %s", count, count == 1 ? one : many);
    }
}

static void remark_notices(const judge_t *self)
{
    spot_instance_log_t *log = self->log;

    spot_instance_log_remark(log, SPOT_REMARK_READ, "notices", self->num_notices,
        "notice of a preemption; a notice is no loss",
        "notices of a preemption; a notice is no loss");
    spot_instance_log_remark(log, SPOT_REMARK_READ, "advice", self->num_advised,
        "recommendation to rebalance, which is no loss",
        "recommendations to rebalance, which are no losses");
    spot_instance_log_remark(log, SPOT_REMARK_UNCERTAIN, "explained_by_notice", self->num_explained,
        "loss without a cause follows a notice within 10 min and counts as a preemption",
        "losses without a cause follow a notice within 10 min and count as preemptions");
    if (self->is_by_advice) {
        spot_instance_log_remark(log, SPOT_REMARK_UNCERTAIN, "restarted", self->num_restarted,
            "instance starts again after a recommendation without an end in between, which counts "
            "as a preemption (--notice)",
            "instances start again after a recommendation without an end in between, which "
            "counts as a preemption of each (--notice)");
    } else {
        spot_instance_log_remark(log, SPOT_REMARK_UNCERTAIN, "restarted", self->num_restarted,
            "instance starts again after a notice without an end in between, which counts as a "
            "preemption (--notice)",
            "instances start again after a notice without an end in between, which counts as a "
            "preemption of each (--notice)");
    }
    spot_instance_log_remark(log, SPOT_REMARK_UNCERTAIN, "returned", self->num_returned,
        "instance starts again after a recommendation without an end in between: it ended when it "
        "started at the latest, and the log does not say why",
        "instances start again after a recommendation without an end in between: they ended when "
        "they started at the latest, and the log does not say why");
    spot_instance_log_remark(log, SPOT_REMARK_UNCERTAIN, "notices_without_end",
        self->num_notices > 0 ? self->num_open : 0,
        "notice that no end of its instance follows: it counts as no loss, unless --notice "
        "says so",
        "notices that no end of their instance follows: they count as no losses, unless "
        "--notice says so");
    if (self->num_notices > 0) {
        spot_instance_log_remark(log, SPOT_REMARK_UNCERTAIN, "assumed_from_notice",
            self->num_assumed, "notice without a loss counts as a preemption (--notice)",
            "notices without a loss count as preemptions (--notice)");
    } else {
        spot_instance_log_remark(log, SPOT_REMARK_UNCERTAIN, "assumed_from_advice",
            self->num_assumed,
            "recommendation to rebalance counts as a preemption (--notice), as the log has "
            "neither notices nor losses",
            "recommendations to rebalance count as preemptions (--notice), as the log has "
            "neither notices nor losses");
    }
}

static void remark_log(const judge_t *self)
{
    spot_instance_log_t *log = self->log;

    spot_instance_log_remark(log, SPOT_REMARK_UNCERTAIN, "unknown_cause", self->num_unknown,
        "instance ended and the log does not say why: written as --cause has it, by "
        "default as a stop, which is no preemption",
        "instances ended and the log does not say why: written as --cause has it, by "
        "default as stops, which are no preemptions");
    if (log->import->task->initial == 0) {
        spot_instance_log_remark(log, SPOT_REMARK_UNCERTAIN, "initial",
            log->import->trace->kind == SPOT_TRACE_NAMED ? (int64_t) self->num_initial : 0,
            "instance runs from the begin of the log; instances that it never names are "
            "not in the trace",
            "instances run from the begin of the log; instances that it never names are "
            "not in the trace");
    }
    if (self->num_replacing == 0) {
        spot_instance_log_remark(log, SPOT_REMARK_UNCERTAIN, "unnamed", self->num_unnamed,
            "instance that the log does not name runs from its begin to its end (--initial)",
            "instances that the log does not name run from its begin to its end (--initial)");
    } else {
        spot_instance_log_remark(log, SPOT_REMARK_UNCERTAIN, "replacing",
            self->num_replacing + self->num_unnamed,
            "instance is taken to have come at once where an earlier one ended, as the log "
            "does not say when it started (--initial)",
            "instances are taken to have come at once where earlier ones ended, as the log "
            "does not say when they started (--initial)");
    }
    spot_instance_log_remark(log, SPOT_REMARK_READ, "repeated", self->num_repeated,
        "record says what an earlier one said", "records say what earlier ones said");
    spot_instance_log_remark(log, SPOT_REMARK_READ, "other_records", log->num_other,
        "record is about something else", "records are about something else");
}

/* Sets start and end. */
static int settle_span(spot_instance_log_t *self, int64_t *end_ms)
{
    spot_import_t *import = self->import;
    const int64_t first_ms = self->records[0].time_ms;
    const int64_t last_ms = self->records[self->num_records - 1].time_ms;
    char start[SPOT_DATETIME_BYTES];

    self->first_ms = first_ms < self->first_ms ? first_ms : self->first_ms;
    self->last_ms = last_ms > self->last_ms ? last_ms : self->last_ms;
    *end_ms = self->now_ms == INT64_MIN ? self->last_ms : self->now_ms;
    spot_instant_text(self->first_ms, start);
    spot_import_key(import, "start", start);
    if (self->now_ms == INT64_MIN) {
        spot_import_key(import, "note", "the end is the last record; the true end is unknown");
        SPOT_IMPORT_REMARK(import, SPOT_REMARK_UNCERTAIN, "end", 0,
            "the trace ends at the last record: --until says until when it was watched");
    } else if (self->last_ms > self->now_ms) {
        char last[SPOT_DATETIME_BYTES];

        spot_instant_text(self->last_ms, last);
        return spot_diag_error(import->diag, import->inputs[0].path, 0, 0,
            "the last record, at %s, is after %s", last, spot_convert_until(import->task));
    }
    if (import->task->now != NULL && !self->has_now_zone && self->is_local) {
        return spot_diag_error(import->diag, spot_convert_until(import->task), 0, 0,
            "expected a zone, such as %s+02:00: the log has times of other zones than UTC",
            import->task->now);
    }
    return 0;
}

int spot_instance_log_finish(spot_instance_log_t *self)
{
    spot_import_t *import = self->import;
    judge_t judge = {.log = self};
    int64_t end_ms = 0;
    int ret;

    import->report->num_records = (int64_t) self->num_records + self->num_other;
    judge.num_notices = self->num_notices;
    judge.num_advised = self->num_advised;
    judge.num_open = self->num_notices > 0 ? self->num_notices : self->num_advised;
    if (self->num_records == 0 && judge.num_open > 0) {
        return refuse_lossless(&judge);
    }
    if (self->num_records == 0) {
        return spot_diag_error(import->diag, import->inputs[0].path, 0, 0,
            "no record says that an instance came or went");
    }
    qsort(self->records, self->num_records, sizeof(*self->records), compare_records);
    ret = settle_span(self, &end_ms);
    judge.instances = spot_calloc(self->names.num_names, sizeof(*judge.instances));
    judge.initial = spot_calloc(self->names.num_names, sizeof(*judge.initial));
    if (judge.instances == NULL || judge.initial == NULL) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    judge.is_by_advice = find_by_advice(self);
    for (size_t j = 0; ret == 0 && j < self->num_records; j++) {
        take_record(&judge, &self->records[j]);
    }
    if (ret == 0) {
        assume_losses(&judge, &end_ms);
        ret = refuse_lossless(&judge);
    }
    if (ret == 0) {
        judge.num_open = import->trace->kind == SPOT_TRACE_NAMED ? judge.num_open : 0;
        settle_causes(&judge);
        ret = settle_initial(&judge);
        ret = ret == 0 ? judge.error : ret;
    }
    if (ret == 0 && judge.num_changes > 0) {
        qsort(judge.changes, judge.num_changes, sizeof(*judge.changes), compare_records);
    }
    spot_import_note_time(import, end_ms - self->first_ms);
    import->trace->end_ms = end_ms - self->first_ms;
    ret = ret == 0 ? write_changes(&judge, self->first_ms) : ret;
    if (ret == 0) {
        spot_import_take_gcd(import);
        remark_notices(&judge);
        remark_log(&judge);
    }
    free(judge.instances);
    free(judge.initial);
    free(judge.changes);
    return ret;
}
