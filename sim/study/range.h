/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranges of swept values: {from: 30 s, to: 10 min, points: 12, scale: log}. Numbers with
 * units in, texts as in YAML out. Internal to sim/study. */
#ifndef SPOT_SIM_STUDY_RANGE_H
#define SPOT_SIM_STUDY_RANGE_H

#include "base/bind.h"
#include "sim/study/design.h"

#define SPOT_UNIT_BYTES 16

/* A number and what it counts. */
typedef struct {
    double value; /* durations in ms */
    bool is_duration;
    char unit[SPOT_UNIT_BYTES]; /* as behind the number: "steps"; "" for durations */
} spot_quantity_t;

/* false: the text is no number, duration, or number with a blank and a unit. */
bool spot_quantity_parse(const char *text, spot_quantity_t *quantity);

typedef struct {
    spot_design_axis_t axis; /* the ends; from > to only where there are points */
    spot_quantity_t unit;    /* of the ends */
    int64_t num_values;      /* 0: a design spreads them */
    bool has_points;         /* spread evenly, else by steps */
    int num_digits;          /* of values that are no ends and on no step */
} spot_range_t;

/* Reads a map. With a design, values have no number; else at most max_values. What is
 * wrong is told through bind. NO_MEMORY is bind's. */
void spot_range_bind(spot_range_t *self, spot_bind_t *bind, const char *path,
    const spot_node_t *node, bool is_design, int64_t max_values);

/* The value_id-th of num_values as YAML has it; both ends are exact. */
#define SPOT_RANGE_TEXT_BYTES (32 + SPOT_UNIT_BYTES)
void spot_range_text(
    const spot_range_t *self, int64_t value_id, char text[SPOT_RANGE_TEXT_BYTES]);

/* The value of a design at u in (0, 1). What it is does not depend on other values. */
void spot_range_text_at(
    const spot_range_t *self, double u, char text[SPOT_RANGE_TEXT_BYTES]);

#endif
