/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inks of pictures: what has no colour of its own; and their counterparts in the
 * dark. */
#pragma once

#define SPOT_INK "#1f2328"       /* titles, curves */
#define SPOT_INK_LABEL "#3d444d" /* labels */
#define SPOT_INK_QUIET "#6e7781" /* notes, second rows */
#define SPOT_INK_AXIS "#c4c9cf"  /* axes and leaders */
#define SPOT_INK_GRID "#e9ebee"
#define SPOT_INK_ACCENT "#0072b2" /* a curve that stands alone */
#define SPOT_INK_LOSS "#d55e00"   /* what was lost, the second of two curves */
#define SPOT_INK_BAND "#d6e6f2"   /* behind curves */
#define SPOT_INK_OTHER "#aab1b8"  /* curves that are not the point */

#define SPOT_DARK_INK "#e8eaed"
#define SPOT_DARK_INK_LABEL "#c9ced6"
#define SPOT_DARK_INK_QUIET "#9aa4af"
#define SPOT_DARK_INK_AXIS "#4b535c"
#define SPOT_DARK_INK_GRID "#2b3138"
