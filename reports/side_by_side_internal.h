/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of two stores side by side. Internal to reports. */
#pragma once

#include "reports/side_by_side.h"

/* Fills the sentences; points are matched and metrics chosen. NO_MEMORY. */
SPOT_MUST_CHECK int spot_side_by_side_tell(spot_side_by_side_t *self);
