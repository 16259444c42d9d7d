/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An episode: from one decision to the next the job waits, or pauses and then trains.
 * Its time is charged at its end, in closed form. */
#pragma once

#include <stdbool.h>

#include "sim/train/job/train_state.h"

/* Ends the episode under way at self->now_ms and starts that of the decision: charges
 * the time, counts, and makes instances active. The decision at time 0 has no pauses. */
void spot_episode_begin(spot_train_t *self, const spot_recovery_decision_t *decision);

/* Charges the episode under way up to self->now_ms; work that is not durable becomes
 * pending. */
void spot_episode_end(spot_train_t *self);

/* From self->now_ms on the run ends with so many more kept steps. */
void spot_episode_set_goal(spot_train_t *self, int64_t num_steps);

/* The time of the next question to the recovery system by the decision, which started or
 * keeps the episode under way; INT64_MAX: never. */
int64_t spot_episode_wake_ms(const spot_train_t *self, const spot_recovery_decision_t *decision);

/* Sets the end of the step under way and is_between_steps of the view, for notices. */
void spot_episode_view_steps(const spot_train_t *self, spot_recovery_view_t *view);

/* At the end of the run: pending work is unsaved, or useful if the job is finished. */
void spot_pending_end(spot_train_t *self);
