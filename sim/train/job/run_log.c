/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/job/run_log.h"

#include <string.h>

#include "base/json.h"

/* The name of a record in JSON; that of a change is its kind of event. */
static const char *record_name(const spot_log_record_t *record)
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
    spot_json_text(json, "event", record_name(record));
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
