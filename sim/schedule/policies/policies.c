/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/schedule/policy.h"

const spot_policy_t *const spot_policies[] = {
    &spot_policy_fifo,
    &spot_policy_sjf,
    &spot_policy_srtf,
    &spot_policy_tiresias,
    &spot_policy_qssf,
    &spot_policy_lucid,
    NULL,
};
