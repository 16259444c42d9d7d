/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which points of two studies are the same: those with the same values of all keys that
 * one of the two sweeps, whatever the order of points, keys and values. Values are the
 * same as what they mean: 60 s is 1 min, {a: 1, b: 2} is {b: 2, a: 1.0}. */
#pragma once

#include "base/canonical.h"
#include "base/texts.h"
#include "sim/store/head.h"

enum { SPOT_BEFORE, SPOT_AFTER, SPOT_NUM_SIDES };

/* What is known of a study. */
typedef struct {
    const spot_study_head_t *head;
    const char *canonical; /* see sim/store/origin.h, or NULL: not known */
} spot_match_side_t;

#define SPOT_NO_AXIS SIZE_MAX

/* A key that one of the two sweeps, or both. */
typedef struct {
    const char *path;                /* borrowed from a head */
    size_t axis_ids[SPOT_NUM_SIDES]; /* SPOT_NO_AXIS: not swept there, but has */
    const char *fixed;               /* this value, or NULL: not known */
} spot_match_key_t;

typedef struct {
    size_t num_keys;
    spot_match_key_t *keys; /* [num_keys] those of the first study first */
    bool lacks_value; /* of a key in the study that does not sweep it: no points are
                         matched */
    size_t num_pairs;
    size_t *point_ids[SPOT_NUM_SIDES]; /* [num_pairs] in the order of the first study */
    size_t num_alone[SPOT_NUM_SIDES];
    size_t *alone_ids[SPOT_NUM_SIDES];      /* [num_alone] ascending */
    spot_canonical_t lists[SPOT_NUM_SIDES]; /* of canonical, where that is known */
    spot_texts_t texts;
} spot_point_match_t;

/* Every point is in one pair or alone: of several with the same values the first go with
 * the first. The heads must outlive self. NO_MEMORY; BAD_INPUT: a canonical text is
 * none; free self even then. O(n keys) for n points and values. */
SPOT_MUST_CHECK int spot_point_match_init(
    spot_point_match_t *self, const spot_match_side_t sides[SPOT_NUM_SIDES]);
void spot_point_match_free(spot_point_match_t *self);

/* A value as YAML as one text that is the same for all ways to write it. */
const char *spot_match_value(spot_texts_t *texts, const char *text);
