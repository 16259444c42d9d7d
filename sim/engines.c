/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/engines.h"

#include "sim/input/scenario.h"
#include "sim/schedule/experiment.h"
#include "sim/serve/experiment.h"
#include "sim/tasks/rerun.h"
#include "sim/train/experiment.h"

/* An engine of the user's own: the CMake option of that name. */
#ifdef SPOT_EXTRA_ENGINE
extern const spot_experiment_t SPOT_EXTRA_ENGINE;
#endif

const spot_experiment_t *const spot_engines[] = {
    &spot_train_experiment,
    &spot_schedule_experiment,
    &spot_serve_experiment,
    &spot_input_experiment,
    &spot_rerun_experiment,
#ifdef SPOT_EXTRA_ENGINE
    &SPOT_EXTRA_ENGINE,
#endif
    NULL,
};
