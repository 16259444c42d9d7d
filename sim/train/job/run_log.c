/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/job/run_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "sim/train/job/cost.h"

/* The most checkpoints of one episode that get a record each. */
#define MAX_CHECKPOINTS 10000

const char *spot_log_record_name(const spot_log_record_t *record)
{
    static const char *const names[] = {[SPOT_LOG_DURABLE] = "durable",
        [SPOT_LOG_NOTICE] = "notice",
        [SPOT_LOG_ROLLBACK] = "rollback",
        [SPOT_LOG_FLEET] = "fleet",
        [SPOT_LOG_PHASE] = "phase",
        [SPOT_LOG_END] = "end"};

    return record->kind == SPOT_LOG_CHANGE ? spot_event_kind_names[record->values[3]]
                                           : names[record->kind];
}

static void add(spot_train_t *train, int64_t time_ms, spot_log_kind_t kind,
    const int64_t values[SPOT_EVENT_VALUES])
{
    spot_event_log_add(train->log, time_ms, (int32_t) kind, values, NULL);
}

/* The names of instances with blanks between them. The caller frees it. NULL: no
 * memory. */
static char *join_names(const spot_membership_t *membership, const int32_t *slots, int32_t count)
{
    char text[SPOT_INSTANCE_NAME_BYTES];
    size_t num_bytes = 1;
    char *names, *end;

    for (int32_t j = 0; j < count; j++) {
        num_bytes += strlen(spot_membership_name(membership, slots[j], text)) + 1;
    }
    names = malloc(num_bytes);
    end = names;
    for (int32_t j = 0; names != NULL && j < count; j++) {
        const char *name = spot_membership_name(membership, slots[j], text);
        const size_t length = strlen(name);

        memcpy(end, name, length);
        end += length;
        *end++ = ' ';
    }
    if (names != NULL) {
        names[end == names ? 0 : end - names - 1] = '\0';
    }
    return names;
}

/* Appends a record with the names of some instances. */
static void add_named(spot_train_t *train, spot_log_kind_t kind,
    const int64_t values[SPOT_EVENT_VALUES], const int32_t *slots, int32_t count)
{
    char *names = join_names(&train->membership, slots, count);

    if (names == NULL) {
        train->log->has_failed = SPOT_ERR_NO_MEMORY;
        return;
    }
    spot_event_log_add(train->log, train->now_ms, (int32_t) kind, values, names);
    free(names);
}

void spot_run_log_change(spot_train_t *train, const spot_change_t *change)
{
    const int64_t values[SPOT_EVENT_VALUES] = {change->count, change->num_clipped,
        train->membership.population + train->num_on_demand, change->kind};

    add_named(train, SPOT_LOG_CHANGE, values, change->slots, change->count);
    if (train->log->has_failed == 0) {
        train->log->records[train->log->num_records - 1].amount =
            spot_cost_until(train, train->now_ms);
    }
}

void spot_run_log_notice(spot_train_t *train)
{
    const spot_notices_t *notices = &train->notices;
    const int64_t values[SPOT_EVENT_VALUES] = {notices->num_noticed, notices->deadline_ms};

    add_named(train, SPOT_LOG_NOTICE, values, notices->noticed, notices->num_noticed);
}

void spot_run_log_fleet(spot_train_t *train)
{
    const int32_t *counts = train->fleet.counts;
    const int64_t values[SPOT_EVENT_VALUES] = {
        counts[SPOT_PREPPING], counts[SPOT_STANDBY], counts[SPOT_ACTIVE], train->num_pipelines};

    add(train, train->now_ms, SPOT_LOG_FLEET, values);
}

/* Appends a stretch of the episode from start_ms, which ends at now_ms at the latest. */
static void add_phase(
    spot_train_t *train, int64_t start_ms, int64_t share, int64_t length_ms, int64_t stalled_ms)
{
    const int64_t left_ms = train->now_ms - start_ms;
    const int64_t phase_ms = length_ms < left_ms ? length_ms : left_ms;
    const int64_t values[SPOT_EVENT_VALUES] = {
        share, train->episode.world_size, phase_ms, stalled_ms < phase_ms ? stalled_ms : phase_ms};

    if (values[2] > 0) {
        add(train, start_ms, SPOT_LOG_PHASE, values);
    }
}

void spot_run_log_pauses(spot_train_t *train)
{
    const spot_episode_t *episode = &train->episode;
    int64_t start_ms = episode->start_ms;

    if (episode->world_size == 0) {
        add_phase(train, start_ms, SPOT_NUM_SHARES, INT64_MAX, 0);
        return;
    }
    add_phase(train, start_ms, SPOT_SHARE_STALLED, episode->flush_ms, episode->flush_ms);
    start_ms += episode->flush_ms;
    add_phase(train, start_ms, SPOT_SHARE_RECONFIGURING, episode->reconfiguration_ms, 0);
    start_ms += episode->reconfiguration_ms;
    add_phase(train, start_ms, SPOT_SHARE_RELOADING, episode->reload_ms, 0);
    if (episode->cycle == NULL) {
        add_phase(train, start_ms + episode->reload_ms, SPOT_SHARE_RECONFIGURING, INT64_MAX, 0);
    }
}

/* Appends the durable checkpoints of the episode; their numbers start at before + 1. */
static void add_checkpoints(
    spot_train_t *train, int64_t num_durable, int64_t before, int64_t steps_before)
{
    const int64_t start_ms = train->episode.training_ms - train->episode.head_ms;
    const int64_t first = num_durable > MAX_CHECKPOINTS ? num_durable - MAX_CHECKPOINTS : 0;

    for (int64_t j = first; j < num_durable; j++) {
        int64_t steps;
        const int64_t time_ms = start_ms + spot_cycle_durable_ms(train->episode.cycle, j, &steps);
        const int64_t values[SPOT_EVENT_VALUES] = {
            before + j + 1, steps_before + steps, j == first ? first + 1 : 1};

        add(train, time_ms, SPOT_LOG_DURABLE, values);
    }
}

/* Appends the number of steps durable without a checkpoint before and after training. */
static void add_kept_steps(spot_train_t *train, int64_t num_steps, int64_t end_ms)
{
    const int64_t before = train->result.steps_executed - train->result.steps_lost;
    const int64_t first[SPOT_EVENT_VALUES] = {0, before, 0};
    const int64_t last[SPOT_EVENT_VALUES] = {0, before + num_steps, 0};

    add(train, train->episode.training_ms, SPOT_LOG_DURABLE, first);
    add(train, end_ms, SPOT_LOG_DURABLE, last);
}

void spot_run_log_training(spot_train_t *train, const spot_progress_t *progress)
{
    const spot_train_result_t *result = &train->result;
    const spot_cycle_t *cycle = train->episode.cycle;
    const int64_t start_ms = train->episode.training_ms;
    int64_t share = SPOT_SHARE_UNSAVED, captured_ms = 0, stalled_ms = 0;

    if (progress->steps > 0) {
        train->first_head = train->first_begun;
        train->first_begun = SIZE_MAX;
    }
    if (progress->durable_steps > 0) {
        const int64_t end_ms = spot_cycle_step_end_ms(cycle, progress->durable_steps);

        captured_ms = end_ms - train->episode.head_ms;
        stalled_ms = end_ms - progress->durable_steps * cycle->step_ms;
        spot_run_log_settle(train, SPOT_SHARE_USEFUL);
        if (progress->durable == 0) {
            add_kept_steps(train, progress->durable_steps, start_ms + captured_ms);
        }
    }
    add_checkpoints(train, progress->durable, result->checkpoints_durable,
        result->steps_executed - result->steps_lost);
    add_phase(train, start_ms, SPOT_SHARE_USEFUL, captured_ms, stalled_ms);
    if (train->now_ms - start_ms - captured_ms == progress->stalled_ms - stalled_ms) {
        share = SPOT_SHARE_STALLED; /* without any work */
    }
    add_phase(train, start_ms + captured_ms, share, INT64_MAX, progress->stalled_ms - stalled_ms);
}

void spot_run_log_lossless(spot_train_t *train, int64_t stalled_ms)
{
    const int64_t values[SPOT_EVENT_VALUES] = {0, train->result.steps_durable, 0};

    add_phase(train, train->episode.training_ms, SPOT_SHARE_USEFUL, INT64_MAX, stalled_ms);
    add(train, train->now_ms, SPOT_LOG_DURABLE, values);
}

void spot_run_log_split(spot_train_t *train, int64_t begun_ms)
{
    const int64_t values[SPOT_EVENT_VALUES] = {
        SPOT_SHARE_UNSAVED, train->episode.world_size, begun_ms, 0};
    spot_log_record_t *last;

    if (begun_ms == 0) {
        return;
    }
    last = &train->log->records[train->log->num_records - 1];
    if (last->kind == SPOT_LOG_PHASE && last->values[2] > begun_ms) {
        last->values[2] -= begun_ms;
        add(train, train->now_ms - begun_ms, SPOT_LOG_PHASE, values);
    }
    if (train->first_begun == SIZE_MAX) {
        train->first_begun = train->log->num_records - 1;
    }
}

/* Gives pending work among the records [first, end) its category. */
static void settle_records(spot_train_t *train, size_t first, size_t end, spot_share_t share)
{
    for (size_t j = first; j < end; j++) {
        spot_log_record_t *record = &train->log->records[j];

        if (record->kind == SPOT_LOG_PHASE && record->values[0] == SPOT_SHARE_UNSAVED) {
            record->values[0] = (int64_t) share;
        }
    }
}

void spot_run_log_settle(spot_train_t *train, spot_share_t share)
{
    settle_records(train, train->first_pending, train->log->num_records, share);
    train->first_pending = train->log->num_records;
    train->first_begun = SIZE_MAX;
}

void spot_run_log_saved(spot_train_t *train, int64_t time_ms)
{
    const spot_train_result_t *result = &train->result;
    const int64_t values[SPOT_EVENT_VALUES] = {
        result->checkpoints_durable, result->steps_durable, 1};
    const size_t end =
        train->first_begun < train->log->num_records ? train->first_begun : train->log->num_records;

    settle_records(train, train->first_pending, end, SPOT_SHARE_USEFUL);
    train->first_pending = end;
    add(train, time_ms, SPOT_LOG_DURABLE, values);
}

void spot_run_log_lose_begun(spot_train_t *train)
{
    settle_records(train, train->first_begun, train->log->num_records, SPOT_SHARE_LOST);
    train->first_begun = SIZE_MAX;
}

void spot_run_log_rollback(
    spot_train_t *train, int64_t steps_lost, int64_t lost_ms, int64_t num_aborted)
{
    const spot_train_result_t *result = &train->result;
    const int64_t values[SPOT_EVENT_VALUES] = {
        steps_lost, result->steps_durable, lost_ms, num_aborted};

    spot_run_log_settle(train, SPOT_SHARE_LOST);
    add(train, train->now_ms, SPOT_LOG_ROLLBACK, values);
}

void spot_run_log_end(spot_train_t *train)
{
    const spot_train_result_t *result = &train->result;
    const int64_t values[SPOT_EVENT_VALUES] = {
        result->steps_executed - result->steps_lost, result->steps_durable};

    add(train, train->now_ms, SPOT_LOG_END, values);
    spot_event_log_sort(train->log);
}

/* Writes the names of instances as a JSON array. */
static void write_names(spot_json_t *json, const char *names)
{
    char name[128];

    spot_json_open(json, "instances", '[');
    while (*names != '\0') {
        const size_t length = strcspn(names, " ");

        snprintf(name, sizeof(name), "%.*s", (int) length, names);
        spot_json_text(json, NULL, name);
        names += length + (names[length] == ' ');
    }
    spot_json_close(json, ']');
}

static void write_record(
    spot_json_t *json, const spot_event_log_t *log, const spot_log_record_t *record)
{
    static const char *const keys[][SPOT_EVENT_VALUES] = {
        [SPOT_LOG_DURABLE] = {"checkpoint", "steps_durable", "checkpoints"},
        [SPOT_LOG_CHANGE] = {"count", "clipped", "population"},
        [SPOT_LOG_NOTICE] = {"count", "deadline_ms"},
        [SPOT_LOG_ROLLBACK] = {"steps_lost", "steps_durable", "lost_ms", "checkpoints_aborted"},
        [SPOT_LOG_FLEET] = {"prepping", "standby", "active", "pipelines"},
        [SPOT_LOG_PHASE] = {NULL, "world_size", "length_ms", "stalled_ms"},
        [SPOT_LOG_END] = {"steps_kept", "steps_durable"},
    };
    const char *names = spot_event_log_text(log, record);

    spot_json_open(json, NULL, '{');
    spot_json_integer(json, "time_ms", record->time_ms);
    spot_json_text(json, "event", spot_log_record_name(record));
    if (record->kind == SPOT_LOG_PHASE) {
        spot_json_text(json, "phase",
            record->values[0] == SPOT_NUM_SHARES ? "waiting" : spot_share_names[record->values[0]]);
    }
    for (int j = 0; j < SPOT_EVENT_VALUES; j++) {
        if (keys[record->kind][j] != NULL) {
            spot_json_integer(json, keys[record->kind][j], record->values[j]);
        }
    }
    if (names != NULL) {
        write_names(json, names);
    }
    spot_json_close(json, '}');
}

void spot_run_log_write(const spot_event_log_t *log, FILE *out)
{
    spot_json_t json;

    for (size_t j = 0; j < log->num_records; j++) {
        spot_json_init(&json, out, 0);
        write_record(&json, log, &log->records[j]);
    }
}
