/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random logs, clusters, pools and policies. The same seed draws the same case. */
#pragma once

#include "schedule_case.h"

void draw_case(schedule_case_t *self, uint64_t seed);

/* The same with the VCs the other way round, or without pools. */
void draw_case_with(schedule_case_t *self, uint64_t seed, bool is_reversed, bool is_static);
