/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a recovery system sees of the steps of an episode, and when it is asked next. */
#include "sim/train/job/episode.h"

/* The end of the step under way, or of the next step during the stall of a checkpoint.
 * INT64_MAX: no training. */
static int64_t step_end_ms(const spot_train_t *self)
{
    const spot_episode_t *episode = &self->episode;
    int64_t elapsed_ms = self->now_ms - episode->training_ms + episode->head_ms;
    int64_t steps;

    if (episode->cycle == NULL) {
        return INT64_MAX;
    }
    steps = elapsed_ms <= 0 ? 0 : spot_cycle_progress(episode->cycle, elapsed_ms).steps;
    elapsed_ms = spot_cycle_step_end_ms(episode->cycle, steps + 1);
    return elapsed_ms == INT64_MAX ? INT64_MAX
                                   : episode->training_ms + elapsed_ms - episode->head_ms;
}

SPOT_NOINLINE void spot_episode_view_steps(const spot_train_t *self, spot_recovery_view_t *view)
{
    const spot_episode_t *episode = &self->episode;

    view->step_end_ms = step_end_ms(self);
    view->is_between_steps = false;
    if (episode->cycle != NULL && spot_episode_has_trained(self)) {
        const int64_t elapsed_ms = self->now_ms - episode->training_ms + episode->head_ms;
        const spot_progress_t progress = spot_cycle_progress(episode->cycle, elapsed_ms);

        view->is_between_steps =
            elapsed_ms - progress.stalled_ms == progress.steps * episode->cycle->step_ms;
    }
}

int64_t spot_episode_wake_ms(const spot_train_t *self, const spot_recovery_decision_t *decision)
{
    int64_t wake_ms = decision->wake_ms > 0 ? decision->wake_ms : INT64_MAX;

    if (decision->wakes_at_step_end) {
        const bool expects_training =
            decision->is_new &&
            (self->now_ms == 0 ||
                decision->flush_ms + decision->reconfiguration_ms + decision->reload_ms == 0);
        const int64_t training_ms = self->episode.training_ms;
        /* The decision does not know that loaders fill first: ask again then. */
        const int64_t end_ms =
            expects_training && training_ms > self->now_ms ? training_ms : step_end_ms(self);

        wake_ms = end_ms < wake_ms ? end_ms : wake_ms;
    }
    spot_bug_assert(wake_ms > self->now_ms);
    return wake_ms;
}
