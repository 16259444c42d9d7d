/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The supported interface of libspotsim: read a scenario, run replications of it, read
 * the exact result and the metrics. Everything else may change without notice.
 *
 *   spot_diag_t diag;
 *   spot_scenario_t scenario;
 *   spot_train_t train;
 *
 *   spot_diag_init(&diag);
 *   if (spot_scenario_read(&scenario, "seed-64.yaml", NULL, &diag) == 0) {
 *       if (spot_train_init(&train, &scenario) == 0 &&
 *           spot_train_run(&train, seed, replication, NULL) == 0) {
 *           idle = spot_train_metric(&scenario, &train.result, "idle_fraction");
 *       }
 *       spot_train_free(&train);
 *   }
 *   spot_diag_print(&diag, stderr);
 *   spot_scenario_free(&scenario);
 *   spot_diag_free(&diag);
 *
 * An _init or _read sets the whole struct, so that its _free may follow even where it
 * failed; a struct that no _init has seen may not be freed. C++ includes this header as
 * it is. */
#ifndef SPOTSIM_H
#define SPOTSIM_H

/* Headers of the system first: C++ does not allow them within extern "C". */
#include <assert.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/watch.h"

#ifdef __cplusplus
extern "C" {
#endif

#include "base/diag.h"
#include "base/error.h"
#include "sim/train/job/scenario.h"
#include "sim/train/job/train.h"
#include "sim/train/metrics.h"

#ifdef __cplusplus
}
#endif

#endif
