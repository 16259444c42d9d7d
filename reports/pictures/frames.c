/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/pictures/frames.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "reports/value_label.h"

/* Whether two curves have the same values of all keys but that of the frames. */
static bool
is_same_frame(const spot_frames_t *self, size_t a, size_t b)
{
    const spot_curves_t *curves = self->curves;

    for (size_t j = 0; j < curves->head->num_axes; j++) {
        if (j != curves->axis_id && j != self->axis_id &&
            spot_curves_value_id(curves, a, j) != spot_curves_value_id(curves, b, j)) {
            return false;
        }
    }
    return self->axis_id != SIZE_MAX;
}

/* The frame of a curve among those that have a first one; num_frames: a new one. */
static size_t
find_frame(const spot_frames_t *self, const size_t *first_ids, size_t curve_id)
{
    size_t frame_id = 0;

    while (frame_id < self->num_frames &&
           !is_same_frame(self, first_ids[frame_id], curve_id)) {
        frame_id++;
    }
    return frame_id;
}

int
spot_frames_init(spot_frames_t *self, const spot_curves_t *curves, size_t axis_id,
    size_t left_out_id, size_t max_frames)
{
    size_t *first_ids = spot_calloc(max_frames, sizeof(*first_ids));
    size_t *num_curves = spot_calloc(max_frames, sizeof(*num_curves));

    *self = (spot_frames_t){.curves = curves, .axis_id = axis_id};
    self->frame_ids = spot_calloc(curves->num_panels, sizeof(*self->frame_ids));
    if (first_ids != NULL && num_curves != NULL && self->frame_ids != NULL) {
        for (size_t j = 0; j < curves->num_panels; j++) {
            const bool is_left_out =
                axis_id != SIZE_MAX && spot_frames_value(self, j) == left_out_id;
            const size_t frame_id =
                is_left_out ? SIZE_MAX : find_frame(self, first_ids, j);

            self->frame_ids[j] = SIZE_MAX;
            if (frame_id == self->num_frames && frame_id < max_frames) {
                first_ids[self->num_frames++] = j;
            }
            self->is_cut = self->is_cut || (!is_left_out && frame_id == max_frames);
            if (frame_id < max_frames && num_curves[frame_id] < SPOT_MAX_FRAME_CURVES) {
                num_curves[frame_id]++;
                self->frame_ids[j] = frame_id;
                self->num_drawn++;
            }
        }
    }
    free(num_curves);
    free(first_ids);
    return first_ids == NULL || num_curves == NULL || self->frame_ids == NULL
               ? SPOT_ERR_NO_MEMORY
               : 0;
}

void
spot_frames_free(spot_frames_t *self)
{
    free(self->frame_ids);
    self->frame_ids = NULL;
}

size_t
spot_frames_value(const spot_frames_t *self, size_t curve_id)
{
    return spot_curves_value_id(self->curves, curve_id, self->axis_id);
}

void
spot_frame_words(const spot_frames_t *self, size_t frame_id, char text[SPOT_POINT_BYTES])
{
    const spot_curves_t *curves = self->curves;
    const bool is_varied = curves->has_all_in_one;
    char words[SPOT_WORDS_BYTES], label[SPOT_VALUE_LABEL_BYTES] = "";
    size_t curve_id = 0, used = 0;

    while (self->frame_ids[curve_id] != frame_id) {
        curve_id++;
    }
    text[0] = '\0';
    for (size_t j = 0; j < curves->head->num_axes && used < SPOT_POINT_BYTES; j++) {
        const spot_axis_t *axis = &curves->head->axes[j];

        if (j == curves->axis_id || j == self->axis_id) {
            continue;
        }
        spot_key_words(axis, words);
        if (!is_varied) {
            (void) spot_value_label(
                axis, spot_curves_value_id(curves, curve_id, j), label);
        }
        used += (size_t) snprintf(text + used, SPOT_POINT_BYTES - used, "%s%s%s%s",
            used > 0    ? ", "
            : is_varied ? "together with "
                        : "",
            words, is_varied ? "" : " ", label);
    }
}
