/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An episode: what the job does from one plan to the next - wait, or pause and then
 * train. Its time is charged when it ends, in closed form. */
#ifndef SPOT_SIM_TRAIN_EPISODE_H
#define SPOT_SIM_TRAIN_EPISODE_H

#include <stdbool.h>

#include "sim/train/train.h"

/* Ends the episode under way at self->now_ms and starts the one that the plan asks for:
 * makes instances active, counts and charges. The plan at time 0 is free of pauses. */
void spot_episode_begin(spot_train_t *self, const spot_recovery_plan_t *plan);

/* Charges the episode under way up to self->now_ms; work that is not durable becomes
 * pending. */
void spot_episode_end(spot_train_t *self);

/* When the plan, which the episode under way is of or goes on under, wants the recovery
 * system to be asked; INT64_MAX: never. */
int64_t spot_episode_wake_ms(const spot_train_t *self, const spot_recovery_plan_t *plan);

/* Tells where the episode under way is in its steps, as is said with notices. */
void spot_episode_view_steps(const spot_train_t *self, spot_recovery_view_t *view);

/* The run ends: what is pending is unsaved, or useful if the job is finished. */
void spot_pending_end(spot_train_t *self);

#endif
