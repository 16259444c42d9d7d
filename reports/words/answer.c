/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "reports/doubts.h"
#include "reports/table/text_cell.h"
#include "reports/words/answer_internal.h"
#include "sim/bench/analysis/effects.h"
#include "sim/bench/analysis/race.h"

#define MAX_NAMED 3   /* compared points that are all named */
#define SHORT_VALUE 8 /* bytes of a number that are not rounded */

/* ---- Words of points ---- */

const char *spot_answer_best(bool is_maximised)
{
    return is_maximised ? "highest" : "lowest";
}

const char *spot_answer_value(const spot_answer_t *self, size_t point_id)
{
    const spot_summary_t *summary = spot_findings_at(&self->findings, point_id);

    const double factor = spot_metric_factor(self->metric);
    const char *text = spot_words_one_sided(
        self->texts, summary->value, summary->ci_low, summary->ci_high, factor);

    return text != NULL ? spot_texts_add(self->texts, "%s%s", text, factor == 100 ? " %" : "")
                        : spot_words_interval(
                              self->texts, self->metric, summary->value, summary->half_width);
}

/* Four digits of a number that has more; NULL: it has not. */
static const char *shorten(const spot_answer_t *self, const spot_axis_t *axis, size_t value_id)
{
    const double number = axis->numbers[value_id];
    const char *text;

    if (!isfinite(number) || strlen(axis->texts[value_id]) <= SHORT_VALUE) {
        return NULL;
    }
    text = spot_texts_add(self->texts, fabs(number) < 1e4 ? "%.4g%s%s" : "%.0f%s%s", number,
        axis->unit[0] == '\0' ? "" : " ", axis->unit);
    return strlen(text) < strlen(axis->texts[value_id]) ? text : NULL;
}

const char *spot_answer_label(const spot_answer_t *self, const spot_axis_t *axis, size_t value_id)
{
    const double number = axis->numbers[value_id];
    const char *text = shorten(self, axis, value_id);

    for (size_t j = 0; text != NULL && j < axis->num_values; j++) {
        if (j != value_id && fabs(axis->numbers[j] - number) <= 0.01 * fabs(number)) {
            const char *other = shorten(self, axis, j);

            if (strcmp(text, other != NULL ? other : axis->texts[j]) == 0) {
                text = NULL;
            }
        }
    }
    return text != NULL ? text : spot_words_label(self->texts, axis, value_id);
}

const char *spot_answer_setting(const spot_answer_t *self, size_t axis_id, size_t value_id)
{
    const spot_axis_t *axis = &self->head->axes[axis_id];
    const char *value = spot_answer_label(self, axis, value_id);

    return isnan(axis->numbers[value_id])
               ? value
               : spot_texts_add(self->texts, "%s %s", spot_words_key(self->texts, axis), value);
}

const char *spot_answer_point(const spot_answer_t *self, size_t point_id)
{
    const spot_study_head_t *head = self->head;
    const char *text = "";

    for (size_t j = 0; j < head->num_axes; j++) {
        if (head->axes[j].num_values > 1) {
            text = spot_texts_add(self->texts, "%s%s%s", text, text[0] == '\0' ? "" : ", ",
                spot_answer_setting(self, j, spot_study_value_id(head, point_id, j)));
        }
    }
    return text;
}

/* ---- Points without numbers to go along ---- */

/* The points with the lowest and the highest mean; returns how many have one. */
static size_t find_extremes(const spot_answer_t *self, size_t *low_id, size_t *high_id)
{
    size_t num_defined = 0;

    for (size_t j = 0; j < self->head->num_points; j++) {
        const double mean = spot_findings_at(&self->findings, j)->value;

        if (!isfinite(mean)) {
            continue;
        }
        if (num_defined == 0 || mean < spot_findings_at(&self->findings, *low_id)->value) {
            *low_id = j;
        }
        if (num_defined == 0 || mean > spot_findings_at(&self->findings, *high_id)->value) {
            *high_id = j;
        }
        num_defined++;
    }
    return num_defined;
}

/* The lowest and the highest of several points; of one replication each, which has no
 * interval, as they are. */
static int write_range(const spot_answer_t *self, size_t low_id, size_t high_id)
{
    const size_t num_points = self->head->num_points;
    const double lowest = spot_findings_at(&self->findings, low_id)->value,
                 highest = spot_findings_at(&self->findings, high_id)->value;
    const bool is_single = self->report->max_rows == 1 && lowest < highest;
    spot_gap_t gap;
    int ret = spot_findings_gap(
        &self->findings, high_id, low_id, num_points * (num_points - 1) / 2, &gap);
    const char *high = spot_words_value(self->texts, self->metric, highest, highest - lowest);

    if (is_single || gap.sign > 0) {
        fprintf(self->out, "%sthe lowest %s is %s with %s\nthe highest %s is %s with %s\n",
            is_single ? "in one replication of each point " : "", self->noun,
            spot_words_value(self->texts, self->metric, lowest, highest - lowest),
            spot_answer_point(self, low_id), self->noun, high, spot_answer_point(self, high_id));
    } else {
        fprintf(self->out, "%s does not surely differ between the %zu points: %s to %s\n",
            self->noun, num_points,
            spot_words_value_before(self->texts, self->metric, lowest, highest), high);
    }
    return ret;
}

static int write_points(const spot_answer_t *self)
{
    size_t low_id = 0, high_id = 0;
    const size_t num_defined = find_extremes(self, &low_id, &high_id);

    if (num_defined > 1) {
        return write_range(self, low_id, high_id);
    }
    if (num_defined == 0) {
        spot_answer_nowhere(self);
    } else {
        fprintf(self->out, "%s is %s\n", self->noun, spot_answer_value(self, low_id));
    }
    return 0;
}

/* ---- Differences to a baseline ---- */

/* "checkpoint", or "checkpoint, fleet capacity 32". */
static const char *baseline_words(const spot_answer_t *self)
{
    const spot_study_head_t *head = self->head;
    const char *text =
        spot_answer_label(self, &head->axes[head->baseline_axis_id], head->baseline_value_id);

    for (size_t j = 0; j < head->num_more_baselines; j++) {
        const spot_axis_value_t *more = &head->more_baselines[j];

        text = spot_texts_add(
            self->texts, "%s, %s", text, spot_answer_setting(self, more->axis_id, more->value_id));
    }
    return text;
}

static void write_compared(
    const spot_answer_t *self, const spot_contrast_t *sure, size_t num_sure, size_t num_compared)
{
    const spot_study_head_t *head = self->head;
    const size_t num_named = num_sure < MAX_NAMED ? num_sure : MAX_NAMED;
    const size_t num_same = num_compared - num_sure;

    if (num_sure == 0) {
        fprintf(self->out, "%s does not surely differ from that with %s\n", self->noun,
            baseline_words(self));
        return;
    }
    fprintf(self->out, "compared with %s", baseline_words(self));
    if (head->num_axes == 1) {
        fprintf(self->out, " (%s)",
            spot_words_value(self->texts, self->metric,
                spot_findings_at(&self->findings, sure[0].base_id)->value, fabs(sure[0].gap.mean)));
    }
    for (size_t j = 0; j < num_named; j++) {
        const double size = fabs(sure[j].gap.mean);

        fprintf(self->out, "%s%s%s%s %s with %s", j > 0 && j == num_named - 1 ? " and " : ", ",
            j == 0 ? self->noun : "", j == 0 ? " is " : "",
            spot_words_change(self->texts, self->metric, size, size),
            sure[j].gap.mean > 0 ? "higher" : "lower", spot_answer_point(self, sure[j].point_id));
    }
    fputc('\n', self->out);
    if (num_sure > num_named) {
        fprintf(self->out, "%zu more differ by less\n", num_sure - num_named);
    }
    if (num_same > 0) {
        fprintf(self->out, "%zu of %zu do%s not surely differ\n", num_same, num_compared,
            num_same == 1 ? "es" : "");
    }
}

static int write_differences(const spot_answer_t *self)
{
    spot_contrast_t *sure = spot_calloc(self->head->num_points, sizeof(*sure));
    size_t num_sure, num_compared;
    int ret = sure == NULL
                  ? SPOT_ERR_NO_MEMORY
                  : spot_findings_contrast(&self->findings, sure, &num_sure, &num_compared);

    if (ret == 0) {
        write_compared(self, sure, num_sure, num_compared);
    }
    free(sure);
    return ret;
}

/* ---- All of it ---- */

static int write_sentences(const spot_answer_t *self)
{
    const spot_study_head_t *head = self->head;
    bool is_written = false;
    int ret;

    if (head->optimise.metric != NULL) {
        return spot_answer_of_race(self);
    }
    if (!head->best.is_asked && spot_plan_is_design(head->plan.kind) &&
        spot_study_effects_problem(head) == NULL && self->report->min_rows > 0) {
        return spot_answer_of_effects(self);
    }
    if (head->best.is_asked) {
        ret = spot_answer_of_winners(self);
    } else {
        ret = spot_answer_of_curve(self, &is_written);
        if (ret == 0 && !is_written) {
            ret = head->has_baseline ? write_differences(self) : write_points(self);
        }
    }
    return ret == 0 ? spot_answer_of_undefined(self) : ret;
}

/* How much of what was asked for it rests on, where that is not all. */
static void write_missing(const spot_answer_t *self)
{
    const spot_report_t *report = self->report;
    const bool is_open =
        report->head->until.metric != NULL || report->head->optimise.metric != NULL;

    if (spot_store_completeness(report->store, report->summaries).num_unfinished > 0) {
        fprintf(self->out, "this is what %" PRId64, report->min_rows);
        if (report->min_rows < report->max_rows) {
            fprintf(self->out, " to %" PRId64, report->max_rows);
        }
        fprintf(self->out, " of %s%" PRId64 " replications at each point say so far\n",
            is_open ? "up to " : "", report->head->num_replications);
    }
}

/* Lines become sentences: a capital, and a full stop and a blank between them. */
static void write_plain(const char *lines, spot_texts_t *texts, FILE *out)
{
    FILE *stream = spot_texts_begin(texts);

    for (bool is_start = true; stream != NULL && *lines != '\0'; lines++) {
        if (*lines != '\n') {
            fputc(is_start ? toupper((unsigned char) *lines) : *lines, stream);
        } else if (lines[1] != '\0') {
            fputs(". ", stream);
        }
        is_start = *lines == '\n';
    }
    spot_text_write_cut(out, spot_texts_end(texts, stream), SPOT_ANSWER_CHARS);
    fputc('.', out);
}

int spot_answer_write(const spot_report_t *report, FILE *out)
{
    const spot_study_head_t *head = report->head;
    spot_texts_t texts = {0};
    spot_answer_t self = {.report = report,
        .head = head,
        .findings = {report->store, head, report->summaries, report->num_rows,
            spot_main_metric(head)},
        .texts = &texts};
    const spot_doubts_t *doubts;
    int ret;

    if (report->num_rows == 0) {
        fputs("No replication is there yet: run the same spotsim study command again, "
              "or merge the parts of other machines.",
            out);
        return 0;
    }
    self.metric = &head->metrics[self.findings.metric_id];
    self.noun = spot_metric_noun(self.metric);
    self.out = spot_texts_begin(&texts);
    ret = self.out == NULL ? SPOT_ERR_NO_MEMORY : write_sentences(&self);
    if (ret == 0) {
        write_missing(&self);
        write_plain(spot_texts_end(&texts, self.out), &texts, out);
        ret = spot_report_doubts(report, &doubts);
        for (size_t j = 0; j < doubts->num_items; j++) {
            if (doubts->items[j].kind == SPOT_DOUBT_UNABLE) {
                fprintf(out, " %s", doubts->items[j].text);
            }
        }
        ret = spot_error_first(ret, texts.error);
    }
    spot_texts_free(&texts);
    return ret;
}
