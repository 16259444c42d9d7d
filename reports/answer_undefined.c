/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the metric of an answer has no value. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "reports/answer_internal.h"

#define MAX_NAMED 3     /* values of a key that are named */
#define MANY_NULLS 0.10 /* of the replications at a point: worth telling */

typedef struct {
    const spot_answer_t *answer;
    bool *is_left; /* [num_points] undefined in all replications, and not yet told of */
    size_t num_left;
    size_t num_told; /* parts of the sentence */
} gone_t;

static bool
is_gone(const spot_answer_t *self, size_t point_id)
{
    const spot_summary_t *summary = spot_answer_at(self, point_id);

    return summary->num_values == 0 && summary->num_nulls > 0;
}

/* Of each value of an axis: its points with a value of the metric, and those left to be
 * told of. tallies: [num_values] zeros. O(points). */
typedef struct {
    size_t num_here, num_left;
} tally_t;

static void
count_values(const gone_t *self, size_t axis_id, tally_t *tallies)
{
    const spot_answer_t *answer = self->answer;

    for (size_t j = 0; j < answer->head->num_points; j++) {
        tally_t *tally = &tallies[spot_study_value_id(answer->head, j, axis_id)];

        tally->num_here += !is_gone(answer, j);
        tally->num_left += self->is_left[j];
    }
}

static bool
is_told(const tally_t *tally)
{
    return tally->num_here == 0 && tally->num_left > 0;
}

static void
forget_points(gone_t *self, size_t axis_id, const tally_t *tallies)
{
    for (size_t j = 0; j < self->answer->head->num_points; j++) {
        if (self->is_left[j] &&
            is_told(&tallies[spot_study_value_id(self->answer->head, j, axis_id)])) {
            self->is_left[j] = false;
            self->num_left--;
        }
    }
}

/* "idle time is undefined". */
static void
write_undefined(const spot_answer_t *answer)
{
    fprintf(answer->out, "%s %s undefined", answer->subject,
        spot_answer_word(answer, "is", "are"));
}

static void
begin(const spot_answer_t *answer)
{
    fputs("; ", answer->out);
    write_undefined(answer);
}

static void
begin_part(gone_t *self)
{
    if (self->num_told++ > 0) {
        fputs(" and", self->answer->out);
    } else {
        begin(self->answer);
        fputs(" in all replications", self->answer->out);
    }
}

/* " with pipeline depth 64, 128 and 2 more". */
static void
write_values(gone_t *self, size_t axis_id, const tally_t *tallies)
{
    const spot_axis_t *axis = &self->answer->head->axes[axis_id];
    FILE *out = self->answer->out;
    char setting[SPOT_POINT_BYTES], label[SPOT_VALUE_LABEL_BYTES];
    size_t num = 0;

    for (size_t j = 0; j < axis->num_values; j++) {
        if (!is_told(&tallies[j])) {
            continue;
        }
        num++;
        if (num == 1) {
            spot_answer_setting(self->answer->head, axis_id, j, setting);
            begin_part(self);
            fprintf(out, " with %s", setting);
        } else if (num <= MAX_NAMED) {
            spot_answer_label(axis, j, label);
            fprintf(out, ", %s", label);
        }
    }
    if (num > MAX_NAMED) {
        fprintf(out, " and %zu more", num - MAX_NAMED);
    }
}

static int
tell_values(gone_t *self, size_t axis_id)
{
    const size_t num_values = self->answer->head->axes[axis_id].num_values;
    tally_t *tallies;

    if (num_values < 2 || self->num_left == 0) {
        return 0;
    }
    tallies = spot_calloc(num_values, sizeof(*tallies));
    if (tallies == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    count_values(self, axis_id, tallies);
    write_values(self, axis_id, tallies);
    forget_points(self, axis_id, tallies);
    free(tallies);
    return 0;
}

/* Those that no value of a key tells of. */
static void
write_left(gone_t *self)
{
    const spot_study_head_t *head = self->answer->head;
    char point[SPOT_POINT_BYTES];

    if (self->num_left > 1) {
        begin_part(self);
        fprintf(self->answer->out, " at %zu of %zu points", self->num_left,
            head->num_points);
    }
    for (size_t j = 0; j < head->num_points && self->num_left == 1; j++) {
        if (self->is_left[j]) {
            spot_answer_point(head, j, point);
            begin_part(self);
            fprintf(self->answer->out, " with %s", point);
        }
    }
}

/* Where means are of few of the replications. */
static void
write_partly(const spot_answer_t *self, size_t num_told)
{
    size_t num = 0, last_id = 0;
    char point[SPOT_POINT_BYTES];

    for (size_t j = 0; j < self->head->num_points; j++) {
        const spot_summary_t *summary = spot_answer_at(self, j);
        const double num_rows = (double) (summary->num_values + summary->num_nulls);

        if (summary->num_values > 0 &&
            (double) summary->num_nulls >= MANY_NULLS * num_rows) {
            last_id = j;
            num++;
        }
    }
    if (num > 0 && num_told > 0) {
        fputs(", and", self->out);
    } else if (num > 0) {
        begin(self);
    }
    if (num == 1) {
        const spot_summary_t *summary = spot_answer_at(self, last_id);

        spot_answer_point(self->head, last_id, point);
        fprintf(self->out, " in %" PRId64 " of %" PRId64 " replications%s%s",
            summary->num_nulls, summary->num_values + summary->num_nulls,
            point[0] == '\0' ? "" : " with ", point);
    } else if (num > 1) {
        fprintf(self->out, " in part of the replications at %zu of %zu points", num,
            self->head->num_points);
    }
}

void
spot_answer_nowhere(const spot_answer_t *self)
{
    write_undefined(self);
    fputs(" in all replications", self->out);
}

int
spot_answer_of_undefined(const spot_answer_t *self)
{
    const spot_study_head_t *head = self->head;
    gone_t gone = {.answer = self};
    size_t num_defined = 0;
    int ret = 0;

    gone.is_left = spot_calloc(head->num_points, sizeof(*gone.is_left));
    if (gone.is_left == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < head->num_points; j++) {
        num_defined += isfinite(spot_answer_at(self, j)->value) ? 1 : 0;
        gone.is_left[j] = is_gone(self, j);
        gone.num_left += gone.is_left[j];
    }
    for (size_t j = 0; ret == 0 && num_defined > 0 && j < head->num_axes; j++) {
        ret = tell_values(&gone, j);
    }
    if (ret == 0 && num_defined > 0) {
        write_left(&gone);
        write_partly(self, gone.num_told);
    }
    free(gone.is_left);
    return ret;
}
