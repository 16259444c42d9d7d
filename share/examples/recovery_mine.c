/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recovery system of your own, as one file. To use it:
 *
 *     cmake --preset release -DSPOT_EXTRA_RECOVERY=$PWD/share/examples/recovery_mine.c
 *     cmake --build --preset release
 *     spotsim recovery mine
 *     spotsim compare SCENARIO --recovery "checkpoint, {system: mine, spares: 4}"
 *
 * The file FOLDER/recovery_NAME.c must define the table spot_recovery_NAME; that one
 * line registers it, and nothing of spotsim is edited. Help, manual, checks of the
 * options, comparisons, studies and plots know it then as they know the others.
 *
 * What a system is made of (all of it: sim/recovery/recovery.h):
 *
 * - Options: a struct, and a table of its fields with type, limits, default and help.
 * The options are read by all threads at once: never write to them.
 * - decide(): asked when active instances are lost, when instances become ready, and
 * when its own plan wanted to be woken. It reads the view and the change and fills in
 * the plan, which is all zero: "go on as before". The loss of an active instance needs a
 * new plan (is_new). The engine carries it out, charges the time to the ledger and
 * settles what becomes of the work: plan->work. It never touches instances, clock or
 * ledger.
 * - Only if it must remember something from one decision to the next: state_size() and
 *   start(); who holds which stage is in sim/recovery/layout.h. No memory is allocated
 *   while a run goes on. What is computed once from job and options: settle().
 *
 * Decide by sets, not by their order: of instances that are lost at one instant the
 * order says nothing. No static variables: many runs go on at once. What systems must
 * keep to so that they can be compared is tested by tests/unit/train/test_policy_laws.c;
 * this file by tests/unit/train/test_own_recovery.c.
 *
 * This one keeps spares: instances that are ready and that no pipeline uses. As long as
 * they replace what is lost, the pipelines stay, and a short pause is enough. */
#include <math.h>
#include <stddef.h>

#include "base/units.h"
#include "sim/recovery/recovery.h"

typedef struct {
    int64_t num_spares;
    int64_t swap_ms;
} options_t;

/* The pipelines that leave the spares alone. */
static int64_t
pipelines_beside_spares(const options_t *self, const spot_recovery_view_t *view)
{
    const int64_t rest = spot_recovery_num_usable(view) - self->num_spares;

    return spot_job_pipelines(view->job, rest > 0 ? rest : 0);
}

static void
mine_decide(const void *options, void *state, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, spot_recovery_plan_t *plan)
{
    const options_t *self = options;
    const spot_job_t *job = view->job;
    const int64_t num_possible = spot_job_pipelines(job, spot_recovery_num_usable(view));
    int64_t num_pipelines = pipelines_beside_spares(self, view);
    bool is_swap;

    (void) state; /* there is none: no state_size() */
    if (change->num_lost_active == 0 && num_pipelines <= view->num_pipelines) {
        return; /* nothing is gained: go on as before */
    }
    /* Spares are there to be used: the pipelines stay as many as they can. */
    is_swap = view->num_pipelines > 0 && num_possible >= view->num_pipelines &&
              num_pipelines <= view->num_pipelines;
    if (is_swap) {
        num_pipelines = view->num_pipelines;
    }
    plan->is_new = true;
    plan->work = SPOT_WORK_ROLLED_BACK;
    spot_recovery_plan_pipelines(plan, job, num_pipelines);
    plan->reconfiguration_ms = is_swap ? self->swap_ms : job->reconfiguration_ms;
    plan->reload_ms = job->reload_ms;
}

static const spot_field_t mine_options[] = {
    {.name = "spares",
        .type = SPOT_FIELD_INTEGER,
        .offset = offsetof(options_t, num_spares),
        .max = SPOT_MAX_INSTANCES,
        .initial = "2",
        .help = "instances kept ready beside the pipelines"},
    {.name = "swap",
        .type = SPOT_FIELD_DURATION,
        .offset = offsetof(options_t, swap_ms),
        .max = HUGE_VAL,
        .initial = "10 s",
        .help = "pause when spares replace all that is lost, instead of "
                "job.reconfiguration; job.reload is paid all the same"},
    {.name = NULL, .fields = spot_recovery_common_fields},
};

const spot_recovery_t spot_recovery_mine = {
    .name = "mine",
    .doc = "keep spares: what they replace costs a short pause only",
    .source = "an example",
    .options = mine_options,
    .options_size = sizeof(options_t),
    .decide = mine_decide,
};
