/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/doubts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "reports/words.h"
#include "sim/bench/analysis/point_groups.h"

#define MAX_NAMED 5 /* points, those with the most of what is wrong first */
#define GO_ON "Run the same command again: it runs what is missing."

_Static_assert(SPOT_MAX_WARNINGS <= 26, "a letter for each warning");

static void add(spot_doubts_t *self, spot_study_doubt_t doubt, const char *format, ...)
    SPOT_PRINTF(3, 4);

static void add(spot_doubts_t *self, spot_study_doubt_t doubt, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    doubt.text = spot_texts_vadd(&self->texts, format, values);
    va_end(values);
    doubt.places = doubt.places == NULL ? "" : doubt.places;
    if (SPOT_ARRAY_APPEND(self, items, doubt) != 0) {
        self->texts.error = SPOT_ERR_NO_MEMORY;
    }
}

/* ---- Points that cannot run ---- */

/* Whether all points of a kind have one value of an axis. */
static bool is_common(const spot_study_head_t *head, size_t kind_id, size_t axis_id)
{
    size_t first_id = SPOT_NO_POINT;

    for (size_t j = 0; j < head->num_points; j++) {
        if (head->kind_ids == NULL || head->kind_ids[j] == kind_id) {
            first_id = first_id == SPOT_NO_POINT ? j : first_id;
            if (spot_study_value_id(head, j, axis_id) !=
                spot_study_value_id(head, first_id, axis_id)) {
                return false;
            }
        }
    }
    return head->axes[axis_id].num_values > 1;
}

/* "12 of 120 points (recovery bamboo) cannot run: ...", for each reason.
 * O(points * axes). */
static void add_unable(spot_doubts_t *self, size_t kind_id)
{
    const spot_study_head_t *head = self->report->head;
    const char *common = "";
    size_t num_points = 0, last_id = 0;

    for (size_t j = 0; j < head->num_points; j++) {
        if (head->kind_ids == NULL || head->kind_ids[j] == kind_id) {
            num_points++;
            last_id = j;
        }
    }
    for (size_t j = 0; j < head->num_axes; j++) {
        if (is_common(head, kind_id, j)) {
            common = spot_texts_join(&self->texts, common, ", ",
                spot_texts_add(&self->texts, "%s %s", head->axes[j].path,
                    spot_words_point_label(&self->texts, head, last_id, j)));
        }
    }
    add(self, (spot_study_doubt_t){.kind = SPOT_DOUBT_UNABLE},
        "%zu of %zu points%s%s%s cannot run: %s.", num_points, head->num_points,
        common[0] == '\0' ? "" : " (", common, common[0] == '\0' ? "" : ")",
        head->kinds[kind_id].cannot_run);
}

/* ---- Replications ---- */

/* How many replications of a point a doubt is about. */
static int64_t count(const spot_report_t *report, const spot_study_doubt_t *doubt, size_t point_id)
{
    const spot_study_head_t *head = report->head;
    const spot_store_t *store = report->store;

    switch (doubt->kind) {
        case SPOT_DOUBT_UNFINISHED:
            return spot_study_point_replications(head, point_id) - store->num_rows(store, point_id);
        case SPOT_DOUBT_WARNING:
            return store->num_warned(store, point_id, doubt->id);
        default:
            return spot_report_summary(report, point_id, doubt->id)->num_nulls;
    }
}

static int64_t count_all(const spot_report_t *report, const spot_study_doubt_t *doubt)
{
    int64_t num_bad = 0;

    for (size_t j = 0; j < report->head->num_points; j++) {
        num_bad += count(report, doubt, j);
    }
    return num_bad;
}

/* " With recovery = bamboo (12); ideal (3).", by what is compared. */
static const char *compared_of(spot_doubts_t *self, const spot_study_doubt_t *doubt)
{
    const spot_study_head_t *head = self->report->head;
    const spot_axis_t *axis = &head->axes[head->baseline_axis_id];
    const char *text = "";

    for (size_t j = 0; j < axis->num_values; j++) {
        int64_t num_bad = 0;

        for (size_t k = 0; k < head->num_points; k++) {
            if (spot_study_value_id(head, k, head->baseline_axis_id) == j) {
                num_bad += count(self->report, doubt, k);
            }
        }
        if (num_bad > 0) {
            text = spot_texts_add(&self->texts, "%s%s%s (%" PRId64 ")", text,
                text[0] == '\0' ? "" : "; ", spot_words_label(&self->texts, axis, j), num_bad);
        }
    }
    return spot_texts_add(&self->texts, " With %s = %s.", axis->path, text);
}

/* " At 5 of 12 points: x = 3 (5); x = 2 (4); x = 4 (1); and 2 more.", the worst first.
 */
static const char *places_of(spot_doubts_t *self, const spot_study_doubt_t *doubt)
{
    const spot_study_head_t *head = self->report->head;
    size_t num_places = 0, last_id = 0;
    int64_t last = INT64_MAX;
    const char *text = "";

    for (size_t j = 0; j < head->num_points; j++) {
        num_places += count(self->report, doubt, j) > 0;
    }
    for (size_t k = 0; k < num_places && k < MAX_NAMED; k++) {
        int64_t most = 0;
        size_t most_id = 0;

        for (size_t j = 0; j < head->num_points; j++) {
            const int64_t num = count(self->report, doubt, j);

            if (num > most && (num < last || (num == last && j > last_id))) {
                most = num;
                most_id = j;
            }
        }
        text = spot_texts_join(&self->texts, text, "; ",
            spot_texts_add(&self->texts, "%s (%" PRId64 ")",
                spot_words_setting(&self->texts, head, most_id), most));
        last = most;
        last_id = most_id;
    }
    if (num_places == 0 || head->num_axes == 0) {
        return "";
    }
    if (num_places > MAX_NAMED) {
        text = spot_texts_add(&self->texts, "%s; and %zu more", text, num_places - MAX_NAMED);
    }
    return spot_texts_add(&self->texts, " At %zu of %s: %s.%s", num_places,
        spot_words_count(&self->texts, (int64_t) head->num_points, "point"), text,
        head->has_baseline && num_places > 1 && (head->num_axes > 1 || num_places > MAX_NAMED)
            ? compared_of(self, doubt)
            : "");
}

static void add_unfinished(spot_doubts_t *self)
{
    const spot_completeness_t *completeness = &self->completeness;
    spot_study_doubt_t doubt = {.kind = SPOT_DOUBT_UNFINISHED, .is_severe = true};
    const spot_study_head_t *head = self->report->head;
    const size_t num = completeness->num_unfinished;

    if (num == 0) {
        return;
    }
    if (head->optimise.metric != NULL) {
        add(self, doubt,
            "The study is not finished: its race is not over, %s may still win. " GO_ON,
            spot_words_count(&self->texts, (int64_t) num, "point"));
    } else if (head->until.metric != NULL) {
        add(self, doubt,
            "The study is not finished: %zu of %zu points need more "
            "replications. " GO_ON,
            num, head->num_points);
    } else {
        doubt.places = completeness->num_rows == 0 ? "" : places_of(self, &doubt);
        add(self, doubt,
            "The study is not finished: %" PRId64 " of %" PRId64 " replications are there. " GO_ON,
            completeness->num_rows, spot_study_runs(head, head->num_replications));
    }
}

/* Where the rows decide how many are enough, and they are not or may not be. */
static void add_precision(spot_doubts_t *self)
{
    const spot_completeness_t *completeness = &self->completeness;
    const spot_study_head_t *head = self->report->head;
    const int64_t rarest = completeness->fewest_constant / 3;

    if (completeness->num_imprecise > 0) {
        add(self, (spot_study_doubt_t){.kind = SPOT_DOUBT_IMPRECISE, .is_severe = true},
            "The precision that was asked for is not reached at %zu of %zu points, "
            "which have %" PRId64 " replications, the maximum: %s is known less well "
            "there. Raise replications.max.",
            completeness->num_imprecise, head->num_points, head->num_replications,
            head->until.metric);
    }
    if (completeness->num_constant > 0) {
        add(self, (spot_study_doubt_t){.kind = SPOT_DOUBT_CONSTANT},
            "At %zu of %zu points %s is the same in all replications: what is rarer "
            "than 1 in %" PRId64 " may be missing there. Raise replications.min.",
            completeness->num_constant, head->num_points, head->until.metric,
            rarest < 1 ? 1 : rarest);
    }
    if (completeness->num_rows > 0 && completeness->most < 2) {
        add(self, (spot_study_doubt_t){.kind = SPOT_DOUBT_NO_INTERVALS},
            "There are no intervals: they take two replications of a point. How much "
            "chance there is in the numbers is not known.");
    }
}

/* "In 21 of 252 replications (8.3 %): a model was used outside ... (clipped)." */
static void add_counted(spot_doubts_t *self, spot_study_doubt_t doubt, int64_t num_rows)
{
    const spot_study_head_t *head = self->report->head;
    const int64_t num_bad = count_all(self->report, &doubt);
    const double percent = 100 * (double) num_bad / (double) num_rows;
    const char *share = spot_texts_add(&self->texts, percent < 9.95 ? "%.2g" : "%.0f", percent);

    if (num_bad == 0) {
        return;
    }
    doubt.places = places_of(self, &doubt);
    if (doubt.kind == SPOT_DOUBT_WARNING) {
        add(self, doubt, "In %" PRId64 " of %" PRId64 " replications (%s %%): %s (%s).", num_bad,
            num_rows, share, head->warnings[doubt.id].text, head->warnings[doubt.id].name);
    } else {
        doubt.is_severe = 10 * num_bad >= num_rows;
        add(self, doubt,
            "In %" PRId64 " of %" PRId64 " replications (%s %%): %s is undefined "
            "(%s)%s.",
            num_bad, num_rows, share, spot_metric_noun(&head->metrics[doubt.id]),
            head->metrics[doubt.id].name,
            num_bad == num_rows ? ""
                                : "; its figures are of the others, which may be the "
                                  "lucky ones");
    }
}

/* ---- The list ---- */

static int find(spot_doubts_t *self, const spot_report_t *report)
{
    const spot_study_head_t *head = report->head;
    char letter = 'a';
    int ret;

    *self = (spot_doubts_t){.report = report};
    ret = spot_store_completeness(report->store, report->summaries, &self->completeness);
    if (ret != 0) {
        return ret;
    }
    add_unfinished(self);
    add_precision(self);
    for (size_t j = 0; j < head->num_kinds; j++) {
        if (head->kinds[j].cannot_run != NULL) {
            add_unable(self, j);
        }
    }
    for (size_t j = 0; j < head->num_warnings; j++) {
        const size_t num_before = self->num_items;

        add_counted(self,
            (spot_study_doubt_t){.kind = SPOT_DOUBT_WARNING, .id = j, .letter = {letter}},
            self->completeness.num_rows);
        letter = (char) (letter + (self->num_items > num_before));
    }
    for (size_t j = 0; j < head->num_listed; j++) {
        add_counted(self, (spot_study_doubt_t){.kind = SPOT_DOUBT_UNDEFINED, .id = j},
            self->completeness.num_rows);
    }
    for (size_t j = 0; j < head->num_remarks; j++) {
        add(self, (spot_study_doubt_t){.kind = SPOT_DOUBT_INPUT, .id = j}, "Warning: %s",
            head->remarks[j]);
    }
    return self->texts.error;
}

static void free_doubts(void *thing)
{
    spot_doubts_t *self = thing;

    free(self->items);
    spot_texts_free(&self->texts);
    free(self);
}

int spot_report_doubts(const spot_report_t *report, const spot_doubts_t **doubts)
{
    spot_report_kept_t *kept = spot_report_kept_doubts(report);

    if (!kept->is_found) {
        spot_doubts_t *self = spot_calloc(1, sizeof(*self));

        *kept = (spot_report_kept_t){.is_found = true, .thing = self, .free_thing = free_doubts};
        kept->error = self == NULL ? SPOT_ERR_NO_MEMORY : find(self, report);
    }
    *doubts = kept->thing;
    return kept->error;
}

const char *spot_words_letters(spot_texts_t *texts, const spot_doubts_t *self, size_t point_id)
{
    const char *letters = "";

    for (size_t j = 0; j < self->num_items; j++) {
        const spot_study_doubt_t *doubt = &self->items[j];

        if (doubt->letter[0] != '\0' && count(self->report, doubt, point_id) > 0) {
            letters = spot_texts_join(texts, letters, "", doubt->letter);
        }
    }
    return letters;
}

const char *spot_words_remark(spot_texts_t *texts, const spot_summary_t *summary)
{
    const char *text = "";

    if (summary->num_nulls > 0 && summary->num_values > 0) {
        text = spot_texts_add(texts, "of %" PRId64 " of %" PRId64, summary->num_values,
            summary->num_values + summary->num_nulls);
    }
    if (summary->num_cut_off > 0) {
        text = spot_texts_join(texts, text, "; ",
            spot_texts_add(texts, "%" PRId64 " of %" PRId64 " cut off", summary->num_cut_off,
                summary->num_values));
    }
    if (isinf(summary->value)) {
        text = spot_texts_join(texts, text, "; ", spot_texts_add(texts, "> %.17g", summary->least));
    }
    if (summary->is_constant && isinf(summary->half_width)) {
        text = spot_texts_join(texts, text, "; ", "the same in all runs, maybe by luck");
    }
    return summary->is_heavy ? spot_texts_join(texts, text, "; ", "heavy tail") : text;
}
