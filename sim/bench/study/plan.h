/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plan of a study: its swept keys, the values of the axes, the points; and designs,
 * which draw them. Internal to sim/bench/study, but for designs. */
#pragma once

#include "sim/bench/study/reading.h"

/* ---- The plan and the swept keys, with their values: lists and ranges ---- */

/* Reads the plan and the swept keys. BAD_INPUT: there are no points to plan. */
SPOT_MUST_CHECK int spot_sweep_read(spot_reading_t *self);

/* A number, a duration, or a number with a blank and a unit. Returns false if the text
 * is none of these. */
bool spot_quantity_parse(const char *text, spot_quantity_t *quantity);

/* Reads a map; with a design a range has no number of values. Returns false after an
 * error, which is reported through bind. */
bool spot_range_bind(spot_range_t *self, spot_bind_t *bind, const char *path,
    const spot_node_t *node, bool is_design);

/* The value at u in (0, 1), all its digits. Never falls with u. Values on steps, both ends
 * included, are equally likely; with is_log the probability of a value is proportional to log(1 +
 * step / value). */
double spot_range_at(const spot_range_t *self, double u);

/* ---- Axes and points ---- */

/* Fills the axes and the points of the head. More values of a list or points of a Sobol
 * sequence keep the points that are there; more points of a Latin hypercube are another
 * plan. BAD_INPUT, NO_MEMORY. */
SPOT_MUST_CHECK int spot_plan_make(spot_reading_t *self);

/* The value of an axis that means the same as a node, or num_values. NO_MEMORY. */
SPOT_MUST_CHECK int spot_plan_find_value(
    const spot_reading_t *self, size_t axis_id, const spot_node_t *node, size_t *value_id);

/* ---- Designs ----
 *
 * Points in the open unit cube. A coordinate depends on (seed, point, dimension) and, for the
 * Latin hypercube, on the number of points, never on the number of dimensions. */

/* Of gsl_qrng_sobol; a Saltelli design takes two for each input. */
#define SPOT_DESIGN_SOBOL_DIMS 40
#define SPOT_DESIGN_SALTELLI_INPUTS (SPOT_DESIGN_SOBOL_DIMS / 2)

/* Of the Sobol sequence, and of Latin strata that stay apart in a double. */
#define SPOT_DESIGN_MAX_POINTS (1 << 27)

/* Latin hypercube, jittered: each of the num_points strata of each dimension holds
 * exactly one point, uniform within it, so that means are unbiased. More points are
 * another design: it has no prefix. points: [num_points][num_dims] in (0, 1). BAD_PARAM:
 * more than SPOT_DESIGN_MAX_POINTS. Source: McKay, Beckman, Conover, Technometrics
 * 21(2), 1979. */
SPOT_MUST_CHECK int spot_design_latin(
    size_t num_points, size_t num_dims, uint64_t seed, double *points);

/* Sobol sequence with a random linear scramble and a digital shift by the seed. It
 * begins with the point that is the origin before scrambling: gsl leaves it out, but
 * without it 2^m points are no net and converge more slowly. More points keep those that
 * are there. points: [num_points][num_dims] in (0, 1). BAD_PARAM: no dimension, or more
 * than SPOT_DESIGN_SOBOL_DIMS or SPOT_DESIGN_MAX_POINTS; NO_MEMORY. Sources: Bratley and
 * Fox, ACM TOMS 14(1), 1988; Matousek, Journal of Complexity 14(4), 1998; Owen, "On
 * dropping the first Sobol' point", arXiv:2008.08051, 2020. */
SPOT_MUST_CHECK int spot_design_sobol(
    size_t num_points, size_t num_dims, uint64_t seed, double *points);

/* The points of base sample k for spot_sensitivity_init(): A_k, B_k, then for each input
 * i A_k with input i of B_k. A and B are the halves of a Sobol sequence of 2 num_inputs
 * dimensions. More base samples keep those that are there. points:
 * [num_samples][num_inputs + 2][num_inputs]. BAD_PARAM as spot_design_sobol(),
 * NO_MEMORY. Source: Saltelli et al., Computer Physics Communications 181(2), 2010. */
SPOT_MUST_CHECK int spot_design_saltelli(
    size_t num_samples, size_t num_inputs, uint64_t seed, double *points);
