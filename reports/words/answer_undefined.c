/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the metric of an answer has no value. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "reports/words/answer_internal.h"

#define MAX_NAMED 3     /* values of a key that are named */
#define MANY_NULLS 0.10 /* of the replications at a point: worth telling */

/* Points that are undefined in all replications. */
typedef struct {
    const spot_answer_t *answer;
    bool *is_left; /* [num_points] and not yet named */
    size_t num_left, num_told;
} gone_t;

static bool is_gone(const spot_answer_t *self, size_t point_id)
{
    const spot_summary_t *summary = spot_findings_at(&self->findings, point_id);

    return summary->num_values == 0 && summary->num_nulls > 0;
}

void spot_answer_nowhere(const spot_answer_t *self)
{
    fprintf(self->out, "%s is undefined in all replications\n", self->noun);
}

/* Goes before each place. */
static void begin_place(gone_t *self)
{
    const spot_answer_t *answer = self->answer;

    if (self->num_told++ > 0) {
        fputs(" and", answer->out);
    } else {
        fprintf(answer->out, "%s is undefined in all replications", answer->noun);
    }
}

/* Whether a value of a key has points left and no point with a value of the metric. */
static bool is_all_gone(const gone_t *self, size_t axis_id, size_t value_id)
{
    const spot_answer_t *answer = self->answer;
    bool has_left = false;

    for (size_t j = 0; j < answer->head->num_points; j++) {
        if (spot_study_value_id(answer->head, j, axis_id) == value_id) {
            if (!is_gone(answer, j)) {
                return false;
            }
            has_left = has_left || self->is_left[j];
        }
    }
    return has_left;
}

/* " with pipeline depth 64, 128 and 2 more". O(values * points). */
static void tell_values(gone_t *self, size_t axis_id)
{
    const spot_study_head_t *head = self->answer->head;
    const spot_axis_t *axis = &head->axes[axis_id];
    FILE *out = self->answer->out;
    size_t num = 0;

    for (size_t j = 0; axis->num_values > 1 && self->num_left > 0 && j < axis->num_values; j++) {
        if (!is_all_gone(self, axis_id, j)) {
            continue;
        }
        if (num++ == 0) {
            begin_place(self);
            fprintf(out, " with %s", spot_answer_setting(self->answer, axis_id, j));
        } else if (num <= MAX_NAMED) {
            fprintf(out, ", %s", spot_answer_label(self->answer, axis, j));
        }
        for (size_t k = 0; k < head->num_points; k++) {
            if (self->is_left[k] && spot_study_value_id(head, k, axis_id) == j) {
                self->is_left[k] = false;
                self->num_left--;
            }
        }
    }
    if (num > MAX_NAMED) {
        fprintf(out, " and %zu more", num - MAX_NAMED);
    }
}

/* Those that no value of a key names. */
static void tell_left(gone_t *self)
{
    const spot_study_head_t *head = self->answer->head;

    if (self->num_left > 1) {
        begin_place(self);
        fprintf(self->answer->out, " at %zu of %zu points", self->num_left, head->num_points);
    }
    for (size_t j = 0; j < head->num_points && self->num_left == 1; j++) {
        if (self->is_left[j]) {
            begin_place(self);
            fprintf(self->answer->out, " with %s", spot_answer_point(self->answer, j));
        }
    }
    fputs(self->num_told > 0 ? "\n" : "", self->answer->out);
}

/* Where means are of few of the replications. */
static void tell_partly(const spot_answer_t *self)
{
    const spot_summary_t *last = NULL;
    size_t num = 0, last_id = 0;

    for (size_t j = 0; j < self->head->num_points; j++) {
        const spot_summary_t *summary = spot_findings_at(&self->findings, j);
        const double num_rows = (double) (summary->num_values + summary->num_nulls);

        if (summary->num_values > 0 && (double) summary->num_nulls >= MANY_NULLS * num_rows) {
            last = summary;
            last_id = j;
            num++;
        }
    }
    if (num > 1) {
        fprintf(self->out, "%s is undefined in part of the replications at %zu of %zu points\n",
            self->noun, num, self->head->num_points);
    } else if (last != NULL) {
        const char *point = spot_answer_point(self, last_id);

        fprintf(self->out, "%s is undefined in %" PRId64 " of %" PRId64 " replications%s%s\n",
            self->noun, last->num_nulls, last->num_values + last->num_nulls,
            point[0] == '\0' ? "" : " with ", point);
    }
}

int spot_answer_of_undefined(const spot_answer_t *self)
{
    const spot_study_head_t *head = self->head;
    gone_t gone = {.answer = self};
    bool is_anywhere = false;

    gone.is_left = spot_calloc(head->num_points, sizeof(*gone.is_left));
    if (gone.is_left == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < head->num_points; j++) {
        is_anywhere = is_anywhere || isfinite(spot_findings_at(&self->findings, j)->value);
        gone.is_left[j] = is_gone(self, j);
        gone.num_left += gone.is_left[j];
    }
    if (is_anywhere) {
        for (size_t j = 0; j < head->num_axes; j++) {
            tell_values(&gone, j);
        }
        tell_left(&gone);
        tell_partly(self);
    }
    free(gone.is_left);
    return 0;
}
