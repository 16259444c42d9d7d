/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A scheduling policy of your own, as one file. To use it:
 *
 *     cmake --preset release -DSPOT_EXTRA_POLICY=$PWD/share/examples/policy_mine.c
 *     cmake --build --preset release
 *     spotsim compare SCENARIO --over policy=fifo,mine
 *
 * The file FOLDER/policy_NAME.c must define the table spot_policy_NAME; the option
 * registers it, and no source of spotsim is edited. Runs, comparisons, studies and
 * reports then include the policy, on reserved and on spot nodes.
 *
 * The parts of a policy (all of them: sim/schedule/policy.h):
 *
 * - on_arrive(): a job joins the queue of its virtual cluster (VC), for the first time
 *   or again after a stop. It sets the key of the job: the queue is in order of key.
 * - decide(): called in each second in which a job has arrived or ended or a node has
 *   changed. It reads the VC (sim/schedule/vc.h), then starts, stops or resizes jobs by
 *   the calls there. The engine places them, keeps their work, and charges the time. The
 *   policy never touches nodes, clocks or ledger.
 * - next_due_s(): only if decide() may act though nothing has changed, for instance
 * every minute. Between two changes it is called at these seconds only.
 * - state_size and free_state(): only with memory between decisions; VCs have one each.
 * - estimator(): only if it needs durations. spot_vc_row(vc, job)->duration_s is the
 * true one, which no real scheduler knows; spot_vc_estimate_s() is what it would know.
 *
 * No static variables: many runs go on at once. Decide by the VC alone, so that results
 * do not depend on the number of threads. tests/golden/own_policy.sh tests this file,
 * and that "stepping: every-second", which calls decide() every second, changes no
 * result.
 *
 * This policy lets jobs overtake. They start in order of submission, but a job that
 * cannot be placed does not hold up those behind it, until it has waited for PATIENCE_S.
 * From then on nothing overtakes it, so that large jobs do not starve. */
#include "sim/schedule/policy.h"

#define PATIENCE_S 3600

static void mine_on_arrive(spot_vc_t *vc, int32_t job)
{
    vc->jobs[job].key = (double) vc->jobs[job].enter_s;
}

/* A wait that ends makes nothing possible: no next_due_s() is needed. */
static void mine_decide(spot_vc_t *vc)
{
    spot_queue_place_t place = {0};
    bool may_overtake = true;
    int32_t job;

    spot_vc_sort_queue(vc, false);
    while (may_overtake && (job = spot_vc_next_queued(vc, &place)) >= 0) {
        if (!spot_vc_start(vc, job)) {
            may_overtake = vc->now_s - vc->jobs[job].enter_s < PATIENCE_S;
        }
    }
}

const spot_policy_t spot_policy_mine = {
    .name = "mine",
    .doc = "First in, first out, but jobs overtake one that cannot be placed, until it "
           "has waited for an hour",
    .source = "an example",
    .on_arrive = mine_on_arrive,
    .decide = mine_decide,
};
