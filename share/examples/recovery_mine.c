/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recovery system of your own, as one file. To use it:
 *
 *     cmake --preset release -DSPOT_EXTRA_RECOVERY=$PWD/share/examples/recovery_mine.c
 *     cmake --build --preset release
 *     spotsim recovery mine
 *     spotsim compare SCENARIO --recovery "checkpoint, {system: mine, spares: 4}"
 *
 * The file FOLDER/recovery_NAME.c must define the table spot_recovery_NAME; the option
 * registers it, and no source of spotsim is edited. Help, manual, option checks,
 * comparisons, studies and plots then include the system.
 *
 * The parts of a system (all of them: sim/train/recovery/recovery.h):
 *
 * - Options: a struct and a table of its fields with type, limits, default and help. All
 *   threads read the options at once: never write to them.
 * - decide(): called when active instances are lost, when instances become ready, and at
 *   the wake that its own decision asked for. It reads the view and the change and fills
 *   in the decision, which starts as all zero: "go on as before". The loss of an active
 *   instance needs a new decision (is_new). The engine carries it out, charges the time
 *   to the ledger and settles the work (decision->work). The system never touches
 *   instances, clock or ledger.
 * - state_size() and start(): only with memory between decisions.
 * sim/train/recovery/layout.h keeps the holders of the stages. A run allocates no
 * memory.
 * - traits: what the engine does otherwise than for most systems, such as to give the
 * future. This system has none.
 * - settle(): for values computed once from job and options. sim/train/recovery/recovery.h
 * has the figures of the job, and reports what the scenario lacks.
 *
 * Decide by sets, not by their order: the order of instances lost at one instant means
 * nothing. No static variables: many runs go on at once. Rules that make systems
 * comparable are tested by tests/unit/train/test_policy_laws.c, this file by
 * tests/unit/train/test_own_recovery.c.
 *
 * This system keeps spares: ready instances outside of all pipelines. As long as they
 * replace the lost instances, the pipelines stay and a short pause is enough. */
#include <math.h>
#include <stddef.h>

#include "base/units.h"
#include "sim/train/recovery/recovery.h"

typedef struct {
    int64_t num_spares;
    int64_t swap_ms;
} options_t;

/* The number of pipelines without the spares. */
static int64_t pipelines_beside_spares(const options_t *self, const spot_recovery_view_t *view)
{
    const int64_t rest = spot_recovery_num_usable(view) - self->num_spares;

    return spot_job_pipelines(view->job, rest > 0 ? rest : 0);
}

static void mine_decide(const void *options, void *state, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, spot_recovery_decision_t *decision)
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
    decision->is_new = true;
    decision->work = SPOT_WORK_ROLLED_BACK;
    spot_recovery_decision_set_pipelines(decision, job, num_pipelines);
    decision->reconfiguration_ms = is_swap ? self->swap_ms : job->reconfiguration_ms;
    if (change->num_lost_active > 0) {
        decision->reconfiguration_ms += job->detection_ms;
    }
    decision->reload_ms = job->reload_ms;
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
