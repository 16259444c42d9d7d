/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a log of markers says: durations between its own stages, microtraces, phases of
 * the controller. */
#pragma once

#include "traces/tasks/task_analysis.h"

enum { SPOT_MARKED_TASK_SPANS = 8, SPOT_MARKED_TRANSMIT_SPANS = 6 };

typedef struct {
    size_t num_microtraces, num_phases;
    spot_task_group_t *microtraces; /* [num_microtraces] */
    spot_task_group_t *phases;      /* [num_phases] up to the next mark; the last one 0 */
    spot_task_group_t task[SPOT_MARKED_TASK_SPANS];
    spot_task_group_t transmit[SPOT_MARKED_TRANSMIT_SPANS];
    int64_t attempts; /* of transmits */
    int64_t mode_counts[SPOT_NUM_MODES];
    spot_arena_t arena;
} spot_task_markers_t;

/* Of a sealed log of markers. Errors as spot_attempts_init(); free self even then. */
SPOT_MUST_CHECK int spot_task_markers_init(spot_task_markers_t *self, const spot_task_log_t *log,
    spot_task_dup_t dup, const char *file, spot_diag_t *diag);
void spot_task_markers_free(spot_task_markers_t *self);

/* One object: microtraces, tasks, transmits, controller. */
void spot_task_markers_json(const spot_task_markers_t *self, spot_json_t *json);
