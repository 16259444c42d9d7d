/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/run_timeline.h"

#include <inttypes.h>
#include <stdio.h>

#include "sim/train/colours.h"
#include "sim/train/run_log.h"

static const char *const mark_names[] = {
    "preempted", "added", "stopped", "rolled back", "checkpoint"};

enum {
    MARK_PREEMPTED,
    MARK_ADDED,
    MARK_STOPPED,
    MARK_ROLLBACK,
    MARK_CHECKPOINT,
    NUM_MARKS
};

typedef struct {
    spot_timeline_t *timeline;
    double outside[2];       /* prepping, standby */
    double inside;           /* active */
    int64_t share;           /* what the active ones do */
    double stalled_fraction; /* of their time */
    bool is_lossless;        /* what is done is durable at once: */
    double durable;          /* steps so far */
} builder_t;

/* The heights that hold from time_ms on. */
static int
add_segment(const builder_t *self, int64_t time_ms)
{
    spot_timeline_segment_t segment = {.start_ms = time_ms};

    segment.heights[SPOT_SHARE_PREPPING] = self->outside[0];
    segment.heights[SPOT_SHARE_STANDBY] = self->outside[1];
    if (self->share < SPOT_NUM_SHARES) {
        segment.heights[self->share] = self->inside * (1 - self->stalled_fraction);
        segment.heights[SPOT_SHARE_STALLED] += self->inside * self->stalled_fraction;
    }
    return spot_timeline_add_segment(self->timeline, &segment);
}

/* Steps that are durable at once grow from the start of training on, not before. */
static int
add_phase(const builder_t *self, int64_t time_ms)
{
    const int ret = self->is_lossless ? spot_timeline_add_progress(
                                            self->timeline, time_ms, self->durable)
                                      : 0;

    return ret == 0 ? add_segment(self, time_ms) : ret;
}

/* Of both kinds: the steps that are durable. Some are without a checkpoint. */
static int
add_durable(builder_t *self, const spot_log_record_t *record)
{
    const int64_t *values = record->values;
    int ret;

    self->durable = (double) values[1];
    ret = spot_timeline_add_progress(self->timeline, record->time_ms, self->durable);
    return ret == 0 && record->kind == SPOT_LOG_DURABLE && values[2] > 0
               ? spot_timeline_add_mark(
                     self->timeline, record->time_ms, MARK_CHECKPOINT, values[2])
               : ret;
}

static int
add_record(builder_t *self, const spot_log_record_t *record)
{
    static const int marks[] = {[SPOT_EVENT_PREEMPT] = MARK_PREEMPTED,
        [SPOT_EVENT_ADD] = MARK_ADDED,
        [SPOT_EVENT_STOP] = MARK_STOPPED};
    const int64_t *values = record->values;

    switch ((spot_log_kind_t) record->kind) {
        case SPOT_LOG_CHANGE:
            if (values[0] == 0) { /* all clipped */
                return 0;
            }
            return spot_timeline_add_mark(
                self->timeline, record->time_ms, marks[values[3]], values[0]);
        case SPOT_LOG_NOTICE:
            return 0;
        case SPOT_LOG_ROLLBACK:
            return spot_timeline_add_mark(
                self->timeline, record->time_ms, MARK_ROLLBACK, values[0]);
        case SPOT_LOG_FLEET:
            self->outside[0] = (double) values[0];
            self->outside[1] = (double) values[1];
            self->inside = (double) values[2];
            return add_segment(self, record->time_ms);
        case SPOT_LOG_PHASE:
            self->share = values[0];
            self->stalled_fraction = (double) values[3] / (double) values[2];
            return add_phase(self, record->time_ms);
        case SPOT_LOG_DURABLE:
        case SPOT_LOG_END:
            break;
    }
    return add_durable(self, record);
}

int
spot_run_timeline(const spot_scenario_t *scenario, const spot_train_result_t *result,
    const spot_event_log_t *log, spot_timeline_t *timeline)
{
    builder_t self = {.timeline = timeline,
        .share = SPOT_NUM_SHARES,
        .is_lossless = scenario->recovery.system->is_lossless};
    const spot_trace_t *recording = scenario->trace.recording;
    const char *trace = recording == NULL ? NULL : spot_trace_key(recording, "name");
    int ret = spot_timeline_add_progress(timeline, 0, 0);

    snprintf(timeline->note, sizeof(timeline->note),
        "recovery %s · %s %.60s · seed %" PRIu64 ", replication %" PRIu64,
        scenario->recovery.system->name, trace == NULL ? "generator" : "trace",
        trace == NULL ? scenario->trace.generator->name : trace, result->seed,
        result->replication);
    timeline->title = scenario->name;
    timeline->colours = spot_train_colours;
    timeline->height_label = "instances";
    timeline->progress_label = "steps durable";
    timeline->num_categories = SPOT_NUM_SHARES;
    timeline->category_names = spot_share_names;
    timeline->num_mark_kinds = NUM_MARKS;
    timeline->mark_names = mark_names;
    for (size_t j = 0; ret == 0 && j < log->num_records; j++) {
        ret = add_record(&self, &log->records[j]);
        timeline->end_ms = log->records[j].time_ms;
    }
    return ret;
}
