/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What tables and pictures call the values of a swept key. "{system: checkpoint,
 * detection: 30 s}" is "checkpoint" where no other value has that system, and
 * "checkpoint, detection: 30 s" beside another checkpoint that has not this detection:
 * the value of the first key, and of the others those that tell it from its namesakes.
 * Where these are too many, what the value lacks is named where that is less:
 * "varuna without fault_one_counter" beside "varuna with all options".
 * CSV, JSON and databases have the whole text. */
#pragma once

#include "base/texts.h"
#include "base/utf8.h"
#include "sim/store/head.h"

/* Of SPOT_UTF8_SHOWN_CHARS characters as spot_utf8_shown() shows them, and a number. */
#define SPOT_VALUE_LABEL_BYTES (SPOT_UTF8_SHOWN_BYTES + 32)

/* Writes the label of a value, and returns it. Different texts have different labels: a
 * value that its options do not tell from another one has its whole text; one that is
 * cut has its place on the axis, from 1, behind it: "{profile: /very/long... (2)".
 * O(values) of the axis. */
const char *spot_value_label(
    const spot_axis_t *axis, size_t value_id, char label[SPOT_VALUE_LABEL_BYTES]);

/* The same for the value of an axis at a point. */
const char *spot_point_label(const spot_study_head_t *head, size_t point_id,
    size_t axis_id, char label[SPOT_VALUE_LABEL_BYTES]);

/* What the label of a value leaves out: "recovery: gemini is {system: gemini, f: 1}".
 * NULL: nothing. */
const char *spot_value_explained(
    const spot_axis_t *axis, size_t value_id, spot_texts_t *texts);
