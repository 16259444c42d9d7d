/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which defaults of a training scenario have a bearing on its runs. */
#pragma once

#include <stdbool.h>

#include "base/yaml.h"

/* As the experiment has it: scenario is a spot_scenario_t, root its document, which
 * lacks the key. */
bool spot_train_decides(const void *scenario, const spot_node_t *root, const char *key);
