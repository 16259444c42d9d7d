/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/schedule/policy.h"

/* A policy of the user's own: the CMake option of that name. */
#ifdef SPOT_EXTRA_POLICY
extern const spot_policy_t SPOT_EXTRA_POLICY;
#endif

const spot_policy_t *const spot_policies[] = {
    &spot_policy_fifo,
    &spot_policy_sjf,
    &spot_policy_srtf,
    &spot_policy_tiresias,
    &spot_policy_qssf,
    &spot_policy_lucid,
    &spot_policy_efs,
    &spot_policy_gain,
#ifdef SPOT_EXTRA_POLICY
    &SPOT_EXTRA_POLICY,
#endif
    NULL,
};
