/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/colours.h"

#include <stddef.h>

const spot_colour_t spot_train_colours[] = {
    {"useful", "#5fb89a"},
    {"goodput", "#5fb89a"},
    {"training", "#5fb89a"},
    {"unsaved", "#b5dccd"},
    {"redundant", "#7d9cc9"},
    {"lost", "#d55e00"},
    {"stalled", "#cc79a7"},
    {"reloading", "#f4df7d"},
    {"reconfiguring", "#e8a735"},
    {"standby", "#bcc3cb"},
    {"prepping", "#68b9ea"},
    {"waiting", "#8b949e"},
    {"preempted", "#d55e00"},
    {"added", "#0072b2"},
    {"stopped", "#8b949e"},
    {"rolled back", "#57606a"},
    {"checkpoint", "#2f9e77"},
    {NULL, NULL},
};
