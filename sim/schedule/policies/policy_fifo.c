/* SPDX-License-Identifier: GPL-3.0-or-later */
/* FIFO and shortest job first: the queue in order of a key that never changes. */
#include "sim/schedule/policy.h"

static void start_from_head(spot_vc_t *vc)
{
    spot_vc_sort_queue(vc, false);
    spot_vc_start_head(vc);
}

static void fifo_on_arrive(spot_vc_t *vc, int32_t job)
{
    vc->jobs[job].key = (double) vc->jobs[job].enter_s;
}

const spot_policy_t spot_policy_fifo = {
    .name = "fifo",
    .never_stops = true,
    .never_resizes = true,
    .doc = "First in, first out: the job that was submitted first starts first, and "
           "nothing overtakes it",
    .on_arrive = fifo_on_arrive,
    .decide = start_from_head,
};

static void sjf_on_arrive(spot_vc_t *vc, int32_t job)
{
    vc->jobs[job].key = (double) spot_vc_row(vc, job)->duration_s;
}

const spot_policy_t spot_policy_sjf = {
    .name = "sjf",
    .never_stops = true,
    .never_resizes = true,
    .doc = "Shortest job first, by the true duration; nothing overtakes the shortest",
    .on_arrive = sjf_on_arrive,
    .decide = start_from_head,
};
