/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The data loader of a random case. */
#pragma once

#include <stdio.h>

#include "random_dice.h"
#include "twin.h"

/* For a job whose step times are drawn, and which become shorter. */
void draw_input(draw_t *draw, twin_setting_t *setting);

/* As keys of a job; nothing without a loader. */
void write_input(FILE *out, const twin_setting_t *setting);
