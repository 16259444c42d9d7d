/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace as a comparison sees it: only what a recorder with a common tick writes down.
 * Made of a trace file, of a half of one, or of the events of a generator. */
#ifndef SPOT_COMPARE_RECORDING_H
#define SPOT_COMPARE_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "traces/recorder.h"
#include "traces/trace.h"

/* The finest tick that is compared. */
#define SPOT_COMPARE_TICK_MS 60000

typedef struct {
    double time_ms; /* whole ms; in the second half of a trace also half ones */
    spot_event_kind_t kind;
    int64_t count; /* >= 1 */
} spot_recording_event_t;

/* What is the same for all that are compared with one trace. */
typedef struct {
    int64_t tick_ms;
    bool is_net;      /* only the net change of a tick was seen */
    double end_ms;    /* > 0: when the observation ends */
    int64_t capacity; /* >= 1; of an unbounded trace the most that it ever had */
} spot_recording_frame_t;

/* Zero it to start; a recording that is made again keeps its memory. */
typedef struct {
    spot_recording_frame_t frame;
    int64_t initial; /* instances at time 0, before the events at 0 */
    size_t num_events;
    size_t max_events;
    spot_recording_event_t *events; /* [num_events] by time; preempt, stop, add */
    spot_recorder_t recorder;
} spot_recording_t;

/* The tick of a comparison of traces of these resolutions: the coarsest one counts. */
int64_t spot_recording_tick_ms(int64_t resolution_ms, int64_t other_resolution_ms);

/* Starts a recording. is_unlimited: the population may leave 0 ... capacity, so that
 * losses of more than there is are kept. */
void spot_recording_start(spot_recording_t *self, const spot_recording_frame_t *frame,
    int64_t initial, bool is_unlimited);

/* The next event, times never decreasing. NO_MEMORY. O(1). */
SPOT_MUST_CHECK int spot_recording_take(
    spot_recording_t *self, int64_t time_ms, spot_event_kind_t kind, int64_t count);

/* Ends the recording. NO_MEMORY. */
SPOT_MUST_CHECK int spot_recording_finish(spot_recording_t *self);

/* Records a whole trace. NO_MEMORY; free self even then. O(events). */
SPOT_MUST_CHECK int spot_recording_of_trace(
    spot_recording_t *self, const spot_trace_t *trace, int64_t tick_ms, bool is_net);

/* The first or second half of a recording: with h half its length, that is (0, h] or
 * (h, 2 h], moved to 0. It starts with the population at the last tick up to its
 * beginning. NO_MEMORY; free self even then. O(events). */
SPOT_MUST_CHECK int spot_recording_half(
    spot_recording_t *self, const spot_recording_t *whole, bool is_second);

void spot_recording_free(spot_recording_t *self);

/* Aborts if an invariant does not hold. O(events). */
void spot_recording_verify(const spot_recording_t *self);

#endif
