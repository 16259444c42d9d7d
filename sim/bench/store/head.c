/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/store/head.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

const char *const spot_plan_names[] = {
    [SPOT_PLAN_GRID] = "grid",
    [SPOT_PLAN_LIST] = "list",
    [SPOT_PLAN_ZIP] = "zip",
    [SPOT_PLAN_LATIN_HYPERCUBE] = "latin-hypercube",
    [SPOT_PLAN_SOBOL] = "sobol",
    [SPOT_PLAN_SENSITIVITY] = "sensitivity",
    NULL,
};

bool spot_axis_is_numeric(const spot_axis_t *self)
{
    for (size_t j = 0; j < self->num_values; j++) {
        if (!isfinite(self->numbers[j])) {
            return false;
        }
    }
    return true;
}

size_t spot_study_axis_id(const spot_study_head_t *head, const char *path)
{
    size_t axis_id = path == NULL ? head->num_axes : 0;

    while (axis_id < head->num_axes && strcmp(head->axes[axis_id].path, path) != 0) {
        axis_id++;
    }
    return axis_id;
}

size_t spot_study_value_id(const spot_study_head_t *head, size_t point_id, size_t axis_id)
{
    spot_bug_assert(point_id < head->num_points && axis_id < head->num_axes);
    if (head->value_ids != NULL) {
        return head->value_ids[point_id * head->num_axes + axis_id];
    }
    for (size_t j = head->num_axes - 1; j > axis_id; j--) {
        point_id /= head->axes[j].num_values;
    }
    return point_id % head->axes[axis_id].num_values;
}

spot_axis_value_t spot_study_baseline(const spot_study_head_t *head, size_t baseline_id)
{
    return baseline_id > 0 ? head->more_baselines[baseline_id - 1]
                           : (spot_axis_value_t){head->baseline_axis_id, head->baseline_value_id};
}

bool spot_study_is_baseline(const spot_study_head_t *head, size_t point_id)
{
    bool is_baseline = true;

    for (size_t j = 0; is_baseline && j <= head->num_more_baselines; j++) {
        const spot_axis_value_t value = spot_study_baseline(head, j);

        is_baseline = spot_study_value_id(head, point_id, value.axis_id) == value.value_id;
    }
    return is_baseline;
}

/* Whether a metric that another one derives from is there and not derived itself. */
static bool is_source(const spot_study_head_t *self, const char *name, size_t metric_id)
{
    return name == NULL ||
           (metric_id < self->num_metrics && self->metrics[metric_id].numerator == NULL);
}

int spot_study_head_find_sources(spot_study_head_t *self)
{
    free(self->sources);
    self->sources = spot_calloc(self->num_metrics, sizeof(*self->sources));
    if (self->sources == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < self->num_metrics; j++) {
        const spot_metric_t *metric = &self->metrics[j];
        const spot_metric_source_t *source = &self->sources[j];

        self->sources[j] = spot_metric_source(self->metrics, self->num_metrics, j);
        if (!is_source(self, metric->numerator, source->of_id) ||
            !is_source(self, metric->denominator, source->per_id) ||
            !is_source(self, metric->known_if, source->known_id)) {
            return SPOT_ERR_BAD_INPUT;
        }
    }
    return 0;
}

spot_metric_source_t spot_study_source(const spot_study_head_t *head, size_t metric_id)
{
    return head->sources != NULL ? head->sources[metric_id]
                                 : spot_metric_source(head->metrics, head->num_metrics, metric_id);
}

void spot_study_derive(const spot_study_head_t *head, double *metrics)
{
    for (size_t j = 0; j < head->num_metrics; j++) {
        if (head->metrics[j].numerator != NULL) {
            const spot_metric_source_t source = spot_study_source(head, j);

            metrics[j] = spot_metric_value(&head->metrics[j], &source, metrics);
        }
    }
}

/* NULL: one that has all metrics and differing replications. */
static const spot_point_kind_t *kind_of(const spot_study_head_t *head, size_t point_id)
{
    spot_bug_assert(point_id < head->num_points);
    if (head->num_kinds == 0) {
        return NULL;
    }
    return &head->kinds[head->kind_ids == NULL ? 0 : head->kind_ids[point_id]];
}

bool spot_study_has_metric(const spot_study_head_t *head, size_t point_id, size_t metric_id)
{
    const spot_point_kind_t *kind = kind_of(head, point_id);

    spot_bug_assert(metric_id < head->num_metrics);
    return kind == NULL || kind->has_metric == NULL || kind->has_metric[metric_id];
}

bool spot_study_is_ruled(const spot_study_head_t *head, size_t point_id, size_t metric_id)
{
    const spot_point_kind_t *kind = kind_of(head, point_id);

    spot_bug_assert(metric_id < head->num_metrics);
    return kind != NULL &&
           (kind->is_fixed || (kind->is_ruled != NULL && kind->is_ruled[metric_id]));
}

bool spot_study_is_fixed(const spot_study_head_t *head, size_t point_id)
{
    const spot_point_kind_t *kind = kind_of(head, point_id);

    return kind != NULL && kind->is_fixed;
}

const char *spot_study_cannot_run(const spot_study_head_t *head, size_t point_id)
{
    const spot_point_kind_t *kind = kind_of(head, point_id);

    return kind == NULL ? NULL : kind->cannot_run;
}

const char *spot_study_unmeasured(const spot_study_head_t *head, size_t point_id)
{
    const spot_point_kind_t *kind = kind_of(head, point_id);

    return kind == NULL ? NULL : kind->unmeasured;
}

spot_beyond_t spot_study_beyond(const spot_study_head_t *head, size_t point_id)
{
    const spot_point_kind_t *kind = kind_of(head, point_id);
    spot_beyond_t beyond = {.metric = NULL};

    if (kind != NULL) {
        beyond.metric = kind->beyond_metric;
        beyond.most = kind->beyond_most;
        beyond.words = kind->beyond_words;
        beyond.only_warns = kind->beyond_warns;
    }
    return beyond;
}

bool spot_study_competes(const spot_study_head_t *head, size_t point_id)
{
    const spot_best_t *best = &head->best;

    return spot_study_cannot_run(head, point_id) == NULL &&
           spot_study_unmeasured(head, point_id) == NULL &&
           !best->is_left_out[spot_study_value_id(head, point_id, best->axis_id)];
}

bool spot_study_value_competes(const spot_study_head_t *head, size_t value_id)
{
    for (size_t j = 0; j < head->num_points; j++) {
        if (spot_study_value_id(head, j, head->best.axis_id) == value_id &&
            spot_study_competes(head, j)) {
            return true;
        }
    }
    return false;
}

/* Of a point, where one that is neither fixed nor unable to run has num_replications. */
static int64_t replications_of(
    const spot_study_head_t *head, size_t point_id, int64_t num_replications)
{
    if (spot_study_cannot_run(head, point_id) != NULL) {
        return 0;
    }
    return spot_study_is_fixed(head, point_id) ? 1 : num_replications;
}

int64_t spot_study_point_replications(const spot_study_head_t *head, size_t point_id)
{
    return replications_of(head, point_id, head->num_replications);
}

int64_t spot_study_runs(const spot_study_head_t *head, int64_t num_replications)
{
    int64_t num = (int64_t) head->num_points * num_replications;

    for (size_t j = 0; head->num_kinds > 0 && j < head->num_points; j++) {
        num -= num_replications - replications_of(head, j, num_replications);
    }
    return num;
}

/* ---- Remarks and kinds of points ---- */

/* More remarks than these are not kept: each point of a study may have its own. */
enum { MAX_REMARKS = 20 };

int spot_study_head_remark(spot_study_head_t *self, const char *text)
{
    char *copy;
    int ret;

    for (size_t j = strcspn(text, " "); j > 0; j--) { /* the folder of the file */
        if (text[j - 1] == '/') {
            text += j;
            break;
        }
    }
    for (size_t j = 0; j < self->num_remarks; j++) {
        if (strcmp(self->remarks[j], text) == 0) {
            return 0;
        }
    }
    if (self->num_remarks > MAX_REMARKS) {
        return 0;
    }
    text = self->num_remarks == MAX_REMARKS ? "more warnings were printed and are not kept" : text;
    copy = spot_text_copy(text, strlen(text));
    ret = copy == NULL ? SPOT_ERR_NO_MEMORY : SPOT_ARRAY_APPEND(self, remarks, copy);
    if (ret != 0) {
        free(copy);
    }
    return ret;
}

void spot_study_head_free_remarks(spot_study_head_t *self)
{
    for (size_t j = 0; j < self->num_remarks; j++) {
        free(self->remarks[j]);
    }
    free(self->remarks);
    self->num_remarks = self->max_remarks = 0;
    self->remarks = NULL;
}

void spot_study_head_free_kinds(spot_study_head_t *self)
{
    for (size_t j = 0; self->kinds != NULL && j < self->num_kinds; j++) {
        free(self->kinds[j].has_metric);
        free(self->kinds[j].is_ruled);
        free(self->kinds[j].cannot_run);
        free(self->kinds[j].unmeasured);
        free(self->kinds[j].beyond_metric);
        free(self->kinds[j].beyond_words);
    }
    free(self->kinds);
    free(self->kind_ids);
    self->num_kinds = 0;
    self->kinds = NULL;
    self->kind_ids = NULL;
}
