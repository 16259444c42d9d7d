/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The points of a study: which of them are there, what they yield, and their scenarios.
 * Internal to sim/bench/study, but for spot_study_point_text(). */
#pragma once

#include "sim/bench/study/reading.h"

/* Writes the values of a point: "job.reload 10 s, fleet.capacity 32", cut to text_bytes.
 * Returns text. */
const char *spot_study_point_text(
    const spot_study_head_t *head, size_t point_id, char *text, size_t text_bytes);

/* Drops the points of the head for which a condition does not hold. Names are keys of
 * the scenario with their values at a point, defaults included; nothing is bound yet, so
 * that combinations that cannot be bound may be excluded. BAD_INPUT: a condition is
 * wrong, or no point is left; NO_MEMORY. O(points * bytes of the conditions). */
SPOT_MUST_CHECK int spot_where_apply(spot_reading_t *self);

/* Binds every point, so that all errors are known, and collects what they yield. Keeps
 * the scenarios of a study of few points. BAD_INPUT, NO_MEMORY. */
SPOT_MUST_CHECK int spot_points_bind(spot_reading_t *self);

/* Collects what the scenario yields without a sweep, which is faulty. */
SPOT_MUST_CHECK int spot_points_bind_unswept(spot_reading_t *self);

/* Puts the values of a point into the scenario and binds it; with the template's lock
 * held once points are bound. like: as in spot_experiment_t; *scenario needs release
 * even after an error. */
SPOT_MUST_CHECK int spot_points_bind_one(const spot_study_t *self, size_t point_id,
    const void *like, void **scenario, spot_diag_t *diag);

/* Whether points with these outputs have one layout. O(metrics) unless they share them.
 */
bool spot_points_are_alike(const spot_outputs_t *a, const spot_outputs_t *b);

/* Puts the values of a point into the scenario and finds the scalar at a path; NULL: it
 * is not given there. With the lock held as above. NO_MEMORY. */
SPOT_MUST_CHECK int spot_points_find(
    const spot_study_t *self, size_t point_id, const char *path, spot_node_t **scalar);

/* Frees the scenario of a point unless the study keeps it. */
void spot_points_release(const spot_study_t *self, size_t point_id, void *scenario);

void spot_points_free(spot_study_t *self);
