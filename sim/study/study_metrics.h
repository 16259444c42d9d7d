/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which metrics of its experiment a study keeps. Internal to sim/study. */
#ifndef SPOT_SIM_STUDY_STUDY_METRICS_H
#define SPOT_SIM_STUDY_STUDY_METRICS_H

#include "sim/study/study.h"

/* Fills the metrics of the head and their ids: those that are listed, or all, then those
 * that the study needs otherwise, the plot's last. An unknown one is told through bind.
 * NO_MEMORY. */
SPOT_MUST_CHECK int spot_study_choose_metrics(spot_study_t *self, spot_bind_t *bind);

#endif
