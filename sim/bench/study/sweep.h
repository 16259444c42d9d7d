/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plan of a study and its swept keys, with their values: lists and ranges.
 * Internal to sim/bench/study. */
#pragma once

#include "sim/bench/study/reading.h"

/* Reads the plan and the swept keys. BAD_INPUT: there are no points to plan. */
SPOT_MUST_CHECK int spot_sweep_read(spot_reading_t *self);

/* A number, a duration, or a number with a blank and a unit. Returns false if the text
 * is none of these. */
bool spot_quantity_parse(const char *text, spot_quantity_t *quantity);

/* Reads a map; with a design a range has no number of values. Returns false after an
 * error, which is reported through bind. */
bool spot_range_bind(spot_range_t *self, spot_bind_t *bind, const char *path,
    const spot_node_t *node, bool is_design);

/* Writes the value_id-th of the values of a range as YAML and returns what the text
 * means. Both ends are exact. */
#define SPOT_RANGE_TEXT_BYTES (32 + SPOT_UNIT_BYTES)
spot_quantity_t spot_range_value(
    const spot_range_t *self, size_t value_id, char text[SPOT_RANGE_TEXT_BYTES]);

/* The same for the value of a design at u in (0, 1). It does not depend on other
 * values. */
spot_quantity_t spot_range_draw(
    const spot_range_t *self, double u, char text[SPOT_RANGE_TEXT_BYTES]);

/* That value, all its digits. Never falls with u. Values on steps, both ends included,
 * are equally likely; with is_log the probability of a value is proportional to
 * log(1 + step / value). */
double spot_range_at(const spot_range_t *self, double u);
