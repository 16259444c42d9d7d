/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/study/yield.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void
free_layout(spot_metric_layout_t *layout)
{
    free(layout->metric_ids);
    free(layout->columns);
}

void
spot_yield_free(spot_yield_t *self)
{
    for (size_t j = 0; j < self->num_layouts; j++) {
        free_layout(&self->layouts[j]);
    }
    for (size_t j = 0; j < self->num_texts; j++) {
        free(self->texts[j]);
    }
    free(self->layouts);
    free(self->layout_ids);
    free(self->texts);
    free(self->metrics);
    free(self->first_points);
    free(self->parts);
    free(self->bars);
    free(self->compared);
    memset(self, 0, sizeof(*self));
}

/* ---- The union ---- */

/* Replaces a borrowed text by a copy that self owns. NULL stays. */
static int
own_text(spot_yield_t *self, const char **text)
{
    void *texts = self->texts;
    char *copy;

    if (*text == NULL) {
        return 0;
    }
    if (spot_array_reserve(
            &texts, &self->max_texts, self->num_texts + 1, sizeof(*self->texts)) != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->texts = texts;
    copy = spot_text_copy(*text, strlen(*text));
    if (copy == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->texts[self->num_texts++] = copy;
    *text = copy;
    return 0;
}

static int
append_metric(spot_yield_t *self, const spot_metric_t *metric, size_t point_id)
{
    const size_t metric_id = self->outputs.num_metrics;
    void *metrics = self->metrics, *points = self->first_points;
    size_t max_points = self->max_metrics;
    spot_metric_t copy = *metric;
    const char **texts[] = {&copy.name, &copy.unit, &copy.help, &copy.label, &copy.noun,
        &copy.numerator, &copy.denominator};
    int ret = spot_array_reserve(
        &metrics, &self->max_metrics, metric_id + 1, sizeof(*self->metrics));

    self->metrics = metrics;
    self->outputs.metrics = metrics;
    if (ret == 0) {
        ret = spot_array_reserve(
            &points, &max_points, metric_id + 1, sizeof(*self->first_points));
        self->first_points = points;
    }
    for (size_t j = 0; ret == 0 && j < sizeof(texts) / sizeof(texts[0]); j++) {
        ret = own_text(self, texts[j]);
    }
    if (ret == 0) {
        self->metrics[metric_id] = copy;
        self->first_points[metric_id] = point_id;
        self->outputs.num_metrics++;
    }
    return ret;
}

/* Appends the names that the list of the union lacks. */
static int
join_names(spot_yield_t *self, size_t *num_names, const char ***names, size_t num_more,
    const char *const *more)
{
    const char **list = realloc(*names, (*num_names + num_more + 1) * sizeof(*list));
    int ret = list == NULL ? SPOT_ERR_NO_MEMORY : 0;

    *names = list == NULL ? *names : list;
    for (size_t j = 0; ret == 0 && j < num_more; j++) {
        const char *name = more[j];
        size_t k = 0;

        while (k < *num_names && strcmp(list[k], name) != 0) {
            k++;
        }
        if (k == *num_names) {
            ret = own_text(self, &name);
            list[*num_names] = name;
            *num_names += ret == 0;
        }
    }
    return ret;
}

/* Copies a text that no point before has. */
static int
join_text(spot_yield_t *self, const char **text, const char *more)
{
    if (*text == NULL) {
        *text = more;
        return own_text(self, text);
    }
    return 0;
}

/* What reports and comparisons show. */
static int
join_views(spot_yield_t *self, const spot_outputs_t *outputs)
{
    spot_outputs_t *all = &self->outputs;
    const char *const *bars = outputs->bars == NULL ? outputs->parts : outputs->bars;
    size_t num_bars = all->num_parts;
    int ret = join_text(self, &all->cost, outputs->cost);

    if (ret == 0) {
        ret = join_text(self, &all->gain, outputs->gain);
    }
    if (ret == 0) {
        ret = join_text(self, &all->whole, outputs->whole);
    }
    if (ret == 0) {
        ret = join_text(self, &all->why_fixed, outputs->why_fixed);
    }
    if (ret == 0) {
        ret = join_names(self, &num_bars, &self->bars, outputs->num_parts, bars);
        all->bars = self->bars;
    }
    if (ret == 0) {
        ret = join_names(
            self, &all->num_parts, &self->parts, outputs->num_parts, outputs->parts);
        all->parts = self->parts;
    }
    if (ret == 0) {
        ret = join_names(self, &all->num_compared, &self->compared,
            outputs->num_compared, outputs->compared);
        all->compared = self->compared;
    }
    return ret;
}

/* ---- Layouts ---- */

/* The metrics of a point in the union, which gets those that are new. guess: a layout
 * that may be the same, or NULL. */
static int
find_metrics(spot_yield_t *self, size_t point_id, const spot_outputs_t *outputs,
    const spot_metric_layout_t *guess, spot_metric_layout_t *layout, size_t *bad_id)
{
    int ret = 0;

    layout->metric_ids = spot_calloc(outputs->num_metrics, sizeof(*layout->metric_ids));
    if (layout->metric_ids == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; ret == 0 && j < outputs->num_metrics; j++) {
        const spot_metric_t *metric = &outputs->metrics[j];
        size_t metric_id = guess != NULL && j < guess->num_metrics
                               ? guess->metric_ids[j]
                               : self->outputs.num_metrics;

        if (metric_id == self->outputs.num_metrics ||
            strcmp(self->metrics[metric_id].name, metric->name) != 0) {
            metric_id = spot_outputs_metric_id(&self->outputs, metric->name);
        }
        if (metric_id == self->outputs.num_metrics) {
            ret = append_metric(self, metric, point_id);
        } else if (strcmp(self->metrics[metric_id].unit, metric->unit) != 0) {
            *bad_id = metric_id;
            ret = SPOT_ERR_BAD_INPUT;
        }
        layout->metric_ids[layout->num_metrics++] = metric_id;
    }
    return ret;
}

static bool
is_same_layout(const spot_metric_layout_t *a, const spot_metric_layout_t *b)
{
    return a->is_random == b->is_random && a->num_metrics == b->num_metrics &&
           memcmp(a->metric_ids, b->metric_ids,
               a->num_metrics * sizeof(*a->metric_ids)) == 0;
}

static int
set_layout(spot_yield_t *self, size_t point_id, size_t layout_id)
{
    void *ids = self->layout_ids;

    if (layout_id == 0 && self->layout_ids == NULL) {
        return 0;
    }
    if (spot_array_reserve(
            &ids, &self->max_points, point_id + 1, sizeof(*self->layout_ids)) != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    if (self->layout_ids == NULL) { /* all before have the first layout */
        memset(ids, 0, point_id * sizeof(*self->layout_ids));
    }
    self->layout_ids = ids;
    self->layout_ids[point_id] = (uint32_t) layout_id;
    return 0;
}

/* Takes over a layout that no point before has, and what its scenario says besides. */
static int
add_layout(
    spot_yield_t *self, const spot_outputs_t *outputs, spot_metric_layout_t *layout)
{
    void *layouts = self->layouts;
    int ret = spot_array_reserve(
        &layouts, &self->max_layouts, self->num_layouts + 1, sizeof(*self->layouts));

    self->layouts = layouts;
    if (ret != 0) {
        return ret;
    }
    self->layouts[self->num_layouts++] = *layout;
    layout->metric_ids = NULL;
    self->outputs.is_random = self->outputs.is_random || outputs->is_random;
    if (outputs->num_series > self->outputs.num_series) {
        self->outputs.num_series = outputs->num_series;
    }
    return join_views(self, outputs);
}

static bool
is_alike(const spot_outputs_t *outputs, const spot_outputs_t *like)
{
    return like != NULL && outputs->metrics == like->metrics &&
           outputs->num_metrics == like->num_metrics &&
           outputs->is_random == like->is_random;
}

int
spot_yield_add(spot_yield_t *self, size_t point_id, const spot_outputs_t *outputs,
    const spot_outputs_t *like, size_t *metric_id)
{
    const size_t last_id =
        self->layout_ids == NULL || point_id == 0 ? 0 : self->layout_ids[point_id - 1];
    const spot_metric_layout_t *last =
        self->num_layouts == 0 ? NULL : &self->layouts[last_id];
    spot_metric_layout_t layout = {.is_random = outputs->is_random};
    size_t layout_id = 0;
    int ret;

    if (point_id == 0) {
        self->outputs.num_replications = outputs->num_replications;
        self->outputs.min_replications = outputs->min_replications;
        self->outputs.batch_replications = outputs->batch_replications;
    } else if (is_alike(outputs, like)) {
        return set_layout(self, point_id, last_id);
    }
    ret = find_metrics(self, point_id, outputs, last, &layout, metric_id);
    if (ret == 0 && last != NULL && is_same_layout(last, &layout)) {
        layout_id = last_id;
    } else {
        while (ret == 0 && layout_id < self->num_layouts &&
               !is_same_layout(&self->layouts[layout_id], &layout)) {
            layout_id++;
        }
    }
    if (ret == 0 && layout_id == self->num_layouts) {
        ret = add_layout(self, outputs, &layout);
    }
    free_layout(&layout);
    return ret == 0 ? set_layout(self, point_id, layout_id) : ret;
}

const spot_metric_layout_t *
spot_yield_layout(const spot_yield_t *self, size_t point_id)
{
    return &self->layouts[self->layout_ids == NULL ? 0 : self->layout_ids[point_id]];
}

bool
spot_yield_has(const spot_yield_t *self, size_t point_id, size_t metric_id)
{
    const spot_metric_layout_t *layout = spot_yield_layout(self, point_id);

    for (size_t j = 0; j < layout->num_metrics; j++) {
        if (layout->metric_ids[j] == metric_id) {
            return true;
        }
    }
    return false;
}

/* ---- Kinds of points ---- */

/* columns: [metrics of the union] of the head, or -1. */
static int
find_columns(spot_metric_layout_t *layout, const int32_t *columns)
{
    if (layout->columns == NULL) {
        layout->columns = spot_calloc(layout->num_metrics, sizeof(*layout->columns));
    }
    for (size_t j = 0; layout->columns != NULL && j < layout->num_metrics; j++) {
        layout->columns[j] = columns[layout->metric_ids[j]];
    }
    return layout->columns == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

/* Points are fixed beside others only: a study without chance runs what is asked. */
static int
fill_kind(const spot_yield_t *self, const spot_metric_layout_t *layout,
    const spot_study_head_t *head, spot_point_kind_t *kind, bool *is_special)
{
    size_t num_kept = 0;

    kind->is_fixed = self->outputs.is_random && !layout->is_random;
    kind->has_metric = spot_calloc(head->num_metrics, sizeof(*kind->has_metric));
    if (kind->has_metric == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < layout->num_metrics; j++) {
        if (layout->columns[j] >= 0) {
            kind->has_metric[layout->columns[j]] = true;
            num_kept++;
        }
    }
    *is_special = *is_special || kind->is_fixed || num_kept < head->num_metrics;
    return 0;
}

static int
fill_kinds(const spot_yield_t *self, spot_study_head_t *head)
{
    bool is_special = false;
    int ret = 0;

    spot_study_head_free_kinds(head);
    head->kinds = spot_calloc(self->num_layouts, sizeof(*head->kinds));
    if (head->kinds == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    head->num_kinds = self->num_layouts;
    for (size_t j = 0; ret == 0 && j < self->num_layouts; j++) {
        ret = fill_kind(self, &self->layouts[j], head, &head->kinds[j], &is_special);
    }
    if (ret != 0 || !is_special) {
        spot_study_head_free_kinds(head);
        return ret;
    }
    if (self->layout_ids != NULL) {
        head->kind_ids = spot_calloc(head->num_points, sizeof(*head->kind_ids));
        if (head->kind_ids == NULL) {
            return SPOT_ERR_NO_MEMORY;
        }
        memcpy(head->kind_ids, self->layout_ids,
            head->num_points * sizeof(*head->kind_ids));
    }
    return 0;
}

int
spot_yield_settle(spot_yield_t *self, spot_study_head_t *head, const size_t *metric_ids)
{
    int32_t *columns = spot_calloc(self->outputs.num_metrics, sizeof(*columns));
    int ret = columns == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (size_t j = 0; ret == 0 && j < self->outputs.num_metrics; j++) {
        columns[j] = -1;
    }
    for (size_t j = 0; ret == 0 && j < head->num_metrics; j++) {
        columns[metric_ids[j]] = (int32_t) j;
    }
    for (size_t j = 0; ret == 0 && j < self->num_layouts; j++) {
        ret = find_columns(&self->layouts[j], columns);
    }
    free(columns);
    return ret == 0 ? fill_kinds(self, head) : ret;
}
