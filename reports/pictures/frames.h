/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which curves of a study share a panel: those that differ in the value of one key only.
 * Internal to the pictures. */
#pragma once

#include "reports/study_curves.h"
#include "reports/study_words.h"

#define SPOT_MAX_FRAME_CURVES 30

/* curves->num_panels curves, as one of these is one here. */
typedef struct {
    const spot_curves_t *curves;
    size_t axis_id;    /* in whose values the curves of a frame differ; SIZE_MAX: a frame
                          has one */
    size_t num_frames; /* drawn */
    size_t num_drawn;  /* curves in them */
    bool is_cut;       /* some frames are not drawn */
    size_t *frame_ids; /* [curves->num_panels]; SIZE_MAX: not drawn */
} spot_frames_t;

/* At most max_frames with SPOT_MAX_FRAME_CURVES each; a curve with the value left_out_id
 * of the axis has none (SIZE_MAX: all have). curves must outlive self. NO_MEMORY; free
 * self even then. O(curves * frames * axes). */
SPOT_MUST_CHECK int spot_frames_init(spot_frames_t *self, const spot_curves_t *curves,
    size_t axis_id, size_t left_out_id, size_t max_frames);
void spot_frames_free(spot_frames_t *self);

/* The value of the axis of the frames on a curve. */
size_t spot_frames_value(const spot_frames_t *self, size_t curve_id);

/* "pipeline depth 8, mode async": what the curves of a frame have in common, or
 * "together with pipeline depth" where a curve has all points; "" where no other key is
 * swept. */
void spot_frame_words(
    const spot_frames_t *self, size_t frame_id, char text[SPOT_POINT_BYTES]);
