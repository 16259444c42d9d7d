/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/unable.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "reports/study_words.h"
#include "reports/value_label.h"
#include "sim/analysis/completeness.h"

#define SHARE_BYTES 16

/* ---- Points that cannot run ---- */

static size_t
kind_of(const spot_study_head_t *head, size_t point_id)
{
    return head->kind_ids == NULL ? 0 : head->kind_ids[point_id];
}

/* Whether all points of a kind have one value of an axis; *point_id is one of them. */
static bool
is_common(
    const spot_study_head_t *head, size_t kind_id, size_t axis_id, size_t *point_id)
{
    *point_id = SPOT_NO_POINT;
    for (size_t j = 0; j < head->num_points; j++) {
        if (kind_of(head, j) != kind_id) {
            continue;
        }
        if (*point_id != SPOT_NO_POINT &&
            spot_study_value_id(head, j, axis_id) !=
                spot_study_value_id(head, *point_id, axis_id)) {
            return false;
        }
        *point_id = j;
    }
    return *point_id != SPOT_NO_POINT;
}

bool
spot_unable_next(
    const spot_study_head_t *head, size_t *kind_id, char text[SPOT_UNABLE_BYTES])
{
    char common[SPOT_POINT_BYTES] = "", label[SPOT_VALUE_LABEL_BYTES];
    size_t num_points = 0, used = 0, point_id;

    while (*kind_id < head->num_kinds && head->kinds[*kind_id].cannot_run == NULL) {
        ++*kind_id;
    }
    if (*kind_id >= head->num_kinds) {
        return false;
    }
    for (size_t j = 0; j < head->num_points; j++) {
        num_points += kind_of(head, j) == *kind_id;
    }
    for (size_t j = 0; j < head->num_axes && used + 2 < SPOT_POINT_BYTES; j++) {
        if (head->axes[j].num_values > 1 && is_common(head, *kind_id, j, &point_id)) {
            used += (size_t) snprintf(common + used, SPOT_POINT_BYTES - 1 - used,
                "%s%s %s", used == 0 ? " (" : ", ", head->axes[j].path,
                spot_point_label(head, point_id, j, label));
        }
    }
    if (used > 0 && used + 2 < SPOT_POINT_BYTES) {
        strcat(common, ")");
    }
    snprintf(text, SPOT_UNABLE_BYTES, "%zu of %zu points%s cannot run: %s", num_points,
        head->num_points, common, head->kinds[*kind_id].cannot_run);
    ++*kind_id;
    return true;
}

/* ---- The list ---- */

static int add(spot_doubts_t *self, const spot_study_doubt_t *like, const char *format,
    ...) SPOT_PRINTF(3, 4);

static int
add(spot_doubts_t *self, const spot_study_doubt_t *like, const char *format, ...)
{
    void *items = self->items;
    spot_study_doubt_t *item;
    va_list list;

    if (spot_array_reserve(
            &items, &self->max_items, self->num_items + 1, sizeof(*self->items)) != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->items = items;
    item = &self->items[self->num_items++];
    *item = *like;
    va_start(list, format);
    vsnprintf(item->text, sizeof(item->text), format, list);
    va_end(list);
    return 0;
}

static int
add_unable(spot_doubts_t *self)
{
    const spot_study_doubt_t like = {.kind = SPOT_DOUBT_UNABLE};
    char text[SPOT_UNABLE_BYTES];
    int ret = 0;

    for (size_t kind_id = 0;
         ret == 0 && spot_unable_next(self->store->head, &kind_id, text);) {
        ret = add(self, &like, "%s.", text);
    }
    return ret;
}

static int
add_unfinished(spot_doubts_t *self, const spot_completeness_t *completeness)
{
    static const spot_study_doubt_t like = {
        .kind = SPOT_DOUBT_UNFINISHED, .is_severe = true};
    const spot_study_head_t *head = self->store->head;
    const size_t num = completeness->num_unfinished;

    if (head->optimise.metric != NULL) {
        return add(self, &like,
            "The study is not finished: its race is not over, %zu point%s may still "
            "win. Run the same command again: it runs what is missing.",
            num, num == 1 ? "" : "s");
    }
    if (head->until.metric != NULL) {
        return add(self, &like,
            "The study is not finished: %zu of %zu points need more replications. Run "
            "the same command again: it runs what is missing.",
            num, head->num_points);
    }
    return add(self, &like,
        "The study is not finished: %" PRId64 " of %" PRId64
        " replications are there. Run the same command again: it runs what is missing.",
        completeness->num_rows, spot_study_runs(head, head->num_replications));
}

/* Where the rows decide how many are enough, and they are not or may not be. */
static int
add_precision(spot_doubts_t *self, const spot_completeness_t *completeness)
{
    const spot_study_head_t *head = self->store->head;
    const spot_study_doubt_t imprecise = {
        .kind = SPOT_DOUBT_IMPRECISE, .is_severe = true};
    const spot_study_doubt_t constant = {.kind = SPOT_DOUBT_CONSTANT};
    const int64_t rarest = completeness->fewest_constant / 3;
    int ret = 0;

    if (completeness->num_imprecise > 0) {
        ret = add(self, &imprecise,
            "The precision that was asked for is not reached at %zu of %zu points, "
            "which "
            "have %" PRId64 " replications, the maximum: %s is known less well there. "
            "Raise replications.max.",
            completeness->num_imprecise, head->num_points, head->num_replications,
            head->until.metric);
    }
    if (ret == 0 && completeness->num_constant > 0) {
        ret = add(self, &constant,
            "At %zu of %zu points %s is the same in all replications: what is rarer "
            "than "
            "1 in %" PRId64 " may be missing there. Raise replications.min.",
            completeness->num_constant, head->num_points, head->until.metric,
            rarest < 1 ? 1 : rarest);
    }
    return ret;
}

/* How many replications of a point a doubt is about. */
static int64_t
count(const spot_doubts_t *self, spot_doubt_kind_t kind, size_t id, size_t point_id)
{
    const spot_study_head_t *head = self->store->head;

    switch (kind) {
        case SPOT_DOUBT_UNFINISHED:
            return head->until.metric != NULL || head->optimise.metric != NULL
                       ? 0 /* the rows decide, so it is not known */
                       : spot_study_point_replications(head, point_id) -
                             self->store->num_rows(self->store, point_id);
        case SPOT_DOUBT_WARNING:
            return self->store->num_warned(self->store, point_id, id);
        case SPOT_DOUBT_UNDEFINED:
            return self->summaries[point_id * head->num_metrics + id].num_nulls;
        default:
            return 0;
    }
}

static int64_t
count_all(const spot_doubts_t *self, spot_doubt_kind_t kind, size_t id)
{
    int64_t num_bad = 0;

    for (size_t j = 0; j < self->store->head->num_points; j++) {
        num_bad += count(self, kind, id, j);
    }
    return num_bad;
}

/* Of the warnings, then of the metrics that were asked for. */
static int
add_counted(spot_doubts_t *self, int64_t num_rows)
{
    const spot_study_head_t *head = self->store->head;
    const size_t num_all = head->num_warnings + head->num_listed;
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < num_all; j++) {
        const bool is_warning = j < head->num_warnings;
        const size_t id = is_warning ? j : j - head->num_warnings;
        spot_study_doubt_t like = {.id = id};
        char share[SHARE_BYTES];
        double percent;

        like.kind = is_warning ? SPOT_DOUBT_WARNING : SPOT_DOUBT_UNDEFINED;
        like.num_bad = count_all(self, like.kind, id);
        percent = 100 * (double) like.num_bad / (double) num_rows;
        snprintf(share, sizeof(share), percent < 9.95 ? "%.2g %%" : "%.0f %%", percent);
        like.is_severe = !is_warning && 10 * like.num_bad >= num_rows;
        if (like.num_bad > 0 && is_warning) {
            ret = add(self, &like,
                "In %" PRId64 " of %" PRId64 " replications (%s): %s (%s).",
                like.num_bad, num_rows, share, head->warnings[id].text,
                head->warnings[id].name);
        } else if (like.num_bad > 0) {
            ret = add(self, &like,
                "In %" PRId64 " of %" PRId64
                " replications (%s) %s is undefined: its means cover the others only, "
                "which may be the lucky ones.",
                like.num_bad, num_rows, share, spot_metric_noun(&head->metrics[id]));
        }
    }
    return ret;
}

int
spot_doubts_init(
    spot_doubts_t *self, const spot_store_t *store, const spot_summary_t *summaries)
{
    static const spot_study_doubt_t single = {.kind = SPOT_DOUBT_NO_INTERVALS};
    const spot_completeness_t completeness = spot_store_completeness(store, summaries);
    int ret;

    *self = (spot_doubts_t){.store = store, .summaries = summaries};
    ret = add_unable(self);
    if (ret == 0 && completeness.num_unfinished > 0) {
        ret = add_unfinished(self, &completeness);
    }
    if (ret == 0) {
        ret = add_precision(self, &completeness);
    }
    if (ret == 0 && completeness.num_rows > 0 && completeness.most < 2) {
        ret = add(self, &single,
            "There are no intervals: they take two replications of a point. How much "
            "chance there is in the numbers is not known.");
    }
    return ret == 0 ? add_counted(self, completeness.num_rows) : ret;
}

void
spot_doubts_free(spot_doubts_t *self)
{
    free(self->items);
    memset(self, 0, sizeof(*self));
}

static int
compare_places(const void *a, const void *b)
{
    const spot_doubt_place_t *x = a, *y = b;

    if (x->num_bad != y->num_bad) {
        return x->num_bad < y->num_bad ? 1 : -1;
    }
    return (x->point_id > y->point_id) - (x->point_id < y->point_id);
}

size_t
spot_doubt_places(const spot_doubts_t *self, const spot_study_doubt_t *doubt,
    spot_doubt_place_t *places)
{
    size_t num_places = 0;

    for (size_t j = 0; j < self->store->head->num_points; j++) {
        const int64_t num_bad = count(self, doubt->kind, doubt->id, j);

        if (num_bad > 0) {
            places[num_places++] = (spot_doubt_place_t){j, num_bad};
        }
    }
    qsort(places, num_places, sizeof(*places), compare_places);
    return num_places;
}
