/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The key lucid of a scenario: profiler, packing and their files. */
#pragma once

#include "base/bind.h"
#include "base/diag.h"
#include "base/yaml.h"
#include "sim/schedule/scenario.h"

/* Bind a spot_lucid_setting_t, whose times are in ms until it is opened. */
extern const spot_field_t spot_lucid_fields[];

/* Checks scenario->lucid against the VCs and the log, which have been read, and reads
 * the forecast and the co-location table, if the policy is Lucid. root: the scenario.
 * BAD_INPUT with the reasons in the diag of bind, IO, NO_MEMORY; free scenario->lucid
 * even then. */
SPOT_MUST_CHECK int spot_lucid_setting_open(
    spot_schedule_scenario_t *scenario, spot_bind_t *bind, const spot_node_t *root);
void spot_lucid_setting_free(spot_lucid_setting_t *self);
