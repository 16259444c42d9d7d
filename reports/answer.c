/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/answer_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "reports/text_cell.h"
#include "reports/unable.h"
#include "sim/analysis/completeness.h"
#include "sim/analysis/point_groups.h"
#include "sim/analysis/study_effects.h"

#define MAX_NAMED 3   /* compared points that are all named */
#define SHORT_VALUE 8 /* bytes of a number that are not rounded */

const spot_summary_t *
spot_answer_at(const spot_answer_t *self, size_t point_id)
{
    return spot_report_summary(self->report, point_id, self->metric_id);
}

void
spot_answer_value(const spot_answer_t *self, size_t point_id, double resolution,
    char text[SPOT_WORDS_BYTES])
{
    spot_metric_value_words(
        self->metric, spot_answer_at(self, point_id)->value, resolution, text);
}

/* Four digits of a number that has more; false: it has not. */
static bool
shorten(const spot_axis_t *axis, size_t value_id, char text[SPOT_VALUE_LABEL_BYTES])
{
    const double number = axis->numbers[value_id];

    if (!isfinite(number) || strlen(axis->texts[value_id]) <= SHORT_VALUE) {
        return false;
    }
    snprintf(text, SPOT_VALUE_LABEL_BYTES, fabs(number) < 1e4 ? "%.4g%s%s" : "%.0f%s%s",
        number, axis->unit[0] == '\0' ? "" : " ", axis->unit);
    return strlen(text) < strlen(axis->texts[value_id]);
}

void
spot_answer_label(
    const spot_axis_t *axis, size_t value_id, char text[SPOT_VALUE_LABEL_BYTES])
{
    const double number = axis->numbers[value_id];
    char other[SPOT_VALUE_LABEL_BYTES];
    bool is_short = shorten(axis, value_id, text);

    for (size_t j = 0; is_short && j < axis->num_values; j++) {
        if (j != value_id && fabs(axis->numbers[j] - number) <= 0.01 * fabs(number)) {
            is_short =
                strcmp(text, shorten(axis, j, other) ? other : axis->texts[j]) != 0;
        }
    }
    if (!is_short) {
        (void) spot_value_label(axis, value_id, text);
    }
}

void
spot_answer_setting(const spot_study_head_t *head, size_t axis_id, size_t value_id,
    char text[SPOT_POINT_BYTES])
{
    const spot_axis_t *axis = &head->axes[axis_id];
    char words[SPOT_WORDS_BYTES], value[SPOT_VALUE_LABEL_BYTES];

    spot_key_words(axis, words);
    spot_answer_label(axis, value_id, value);
    if (isnan(axis->numbers[value_id])) {
        snprintf(text, SPOT_POINT_BYTES, "%s", value);
    } else {
        snprintf(text, SPOT_POINT_BYTES, "%s %s", words, value);
    }
}

void
spot_answer_point(
    const spot_study_head_t *head, size_t point_id, char text[SPOT_POINT_BYTES])
{
    char setting[SPOT_POINT_BYTES];
    size_t used = 0;

    text[0] = '\0';
    for (size_t j = 0; j < head->num_axes; j++) {
        if (head->axes[j].num_values > 1) {
            spot_answer_setting(
                head, j, spot_study_value_id(head, point_id, j), setting);
            if (used + strlen(setting) + 3 > SPOT_POINT_BYTES) {
                return;
            }
            used += (size_t) snprintf(text + used, SPOT_POINT_BYTES - used, "%s%s",
                used == 0 ? "" : ", ", setting);
        }
    }
}

int
spot_gap_sign(const spot_gap_t *gap)
{
    return (gap->low > 0) - (gap->high < 0);
}

/* Replication by replication. */
static int
paired_half_width(const spot_answer_t *self, size_t x_id, size_t y_id, double confidence,
    double *half_width)
{
    spot_paired_t *pairs = spot_calloc(self->head->num_metrics, sizeof(*pairs));
    int ret = pairs == NULL
                  ? SPOT_ERR_NO_MEMORY
                  : spot_store_difference(self->report->store, x_id, y_id, pairs);

    if (ret == 0) {
        *half_width = spot_paired_half_width(&pairs[self->metric_id], confidence);
    }
    free(pairs);
    return ret;
}

int
spot_answer_gap(const spot_answer_t *self, size_t x_id, size_t y_id, size_t num_looks,
    spot_gap_t *gap)
{
    const spot_summary_t *x = spot_answer_at(self, x_id),
                         *y = spot_answer_at(self, y_id);
    const double confidence = 1 - (1 - SPOT_CONFIDENCE) / (double) num_looks;
    const bool is_whole =
        x->num_values == y->num_values && x->num_nulls == 0 && y->num_nulls == 0;
    double half_width = (double) NAN;
    int ret = 0;

    if (is_whole && self->report->num_rows <= SPOT_ANSWER_PAIRED_ROWS) {
        ret = paired_half_width(self, x_id, y_id, confidence, &half_width);
    } else { /* the sum is wide enough however the two are correlated */
        half_width = spot_moments_half_width(&x->moments, confidence) +
                     spot_moments_half_width(&y->moments, confidence);
    }
    gap->mean = x->value - y->value;
    gap->low = isfinite(half_width) ? gap->mean - half_width : -HUGE_VAL;
    gap->high = isfinite(half_width) ? gap->mean + half_width : HUGE_VAL;
    return ret;
}

/* ---- Points without numbers to go along ---- */

/* The points with the lowest and the highest mean; returns how many have one. */
static size_t
find_extremes(const spot_answer_t *self, size_t *low_id, size_t *high_id)
{
    size_t num_defined = 0;

    for (size_t j = 0; j < self->head->num_points; j++) {
        const double mean = spot_answer_at(self, j)->value;

        if (!isfinite(mean)) {
            continue;
        }
        if (num_defined == 0 || mean < spot_answer_at(self, *low_id)->value) {
            *low_id = j;
        }
        if (num_defined == 0 || mean > spot_answer_at(self, *high_id)->value) {
            *high_id = j;
        }
        num_defined++;
    }
    return num_defined;
}

static void
write_single(spot_answer_t *self, size_t point_id)
{
    const spot_summary_t *summary = spot_answer_at(self, point_id);
    char value[SPOT_WORDS_BYTES];

    spot_metric_interval_words(self->metric, summary->value, summary->half_width, value);
    fprintf(self->out, "%s %s %s", self->subject, spot_answer_word(self, "is", "are"),
        value);
}

/* The lowest and the highest of several points; of one replication each, which has no
 * interval, as they are. */
static int
write_range(spot_answer_t *self, size_t low_id, size_t high_id)
{
    const size_t num_points = self->head->num_points;
    const bool is_single =
        self->report->max_rows == 1 &&
        spot_answer_at(self, low_id)->value < spot_answer_at(self, high_id)->value;
    char low[SPOT_WORDS_BYTES], high[SPOT_WORDS_BYTES], point[SPOT_POINT_BYTES];
    spot_gap_t gap;
    int ret =
        spot_answer_gap(self, high_id, low_id, num_points * (num_points - 1) / 2, &gap);

    spot_metric_pair_words(self->metric, spot_answer_at(self, low_id)->value,
        spot_answer_at(self, high_id)->value, low, high);
    if (is_single || spot_gap_sign(&gap) > 0) {
        spot_answer_point(self->head, low_id, point);
        fprintf(self->out, "the lowest %s, %s, %s of %s", self->subject, low,
            spot_answer_word(self, "is that", "are those"), point);
        spot_answer_point(self->head, high_id, point);
        fprintf(self->out, "; the highest, %s, %s of %s%s", high,
            spot_answer_word(self, "that", "those"), point,
            is_single ? ", in one replication each" : "");
    } else {
        fprintf(self->out, "%s %s not surely differ between the %zu points: %s to %s",
            self->subject, spot_answer_word(self, "does", "do"), num_points, low, high);
    }
    return ret;
}

static int
write_points(spot_answer_t *self)
{
    size_t low_id = 0, high_id = 0;
    const size_t num_defined = find_extremes(self, &low_id, &high_id);

    if (num_defined == 0) {
        spot_answer_nowhere(self);
        return 0;
    }
    if (num_defined == 1) {
        write_single(self, low_id);
        return 0;
    }
    return write_range(self, low_id, high_id);
}

/* ---- Differences to a baseline ---- */

/* What a point is compared with, and the difference; base_id is SPOT_NO_POINT where it
 * is not compared. */
typedef struct {
    size_t point_id, base_id;
    spot_gap_t gap;
} compared_t;

static int
compare_gaps(const void *a, const void *b)
{
    const double x = fabs(((const compared_t *) a)->gap.mean);
    const double y = fabs(((const compared_t *) b)->gap.mean);

    return (x < y) - (x > y);
}

/* Those that surely differ, the largest difference first, and how many were compared. */
static int
find_compared(
    const spot_answer_t *self, compared_t *sure, size_t *num_sure, size_t *num_compared)
{
    const size_t num_points = self->head->num_points;
    size_t *base_ids;
    int ret = spot_baseline_points(self->head, &base_ids);

    *num_sure = *num_compared = 0;
    for (size_t j = 0; ret == 0 && j < num_points; j++) {
        *num_compared += base_ids[j] != SPOT_NO_POINT && base_ids[j] != j;
    }
    for (size_t j = 0; ret == 0 && j < num_points; j++) {
        compared_t compared = {.point_id = j, .base_id = base_ids[j]};

        if (base_ids[j] == SPOT_NO_POINT || base_ids[j] == j) {
            continue;
        }
        ret = spot_answer_gap(self, j, base_ids[j], *num_compared, &compared.gap);
        if (ret == 0 && spot_gap_sign(&compared.gap) != 0) {
            sure[(*num_sure)++] = compared;
        }
    }
    free(base_ids);
    qsort(sure, *num_sure, sizeof(*sure), compare_gaps);
    return ret;
}

/* "5.9 percentage points higher with seed.yaml". */
static void
write_compared(const spot_answer_t *self, const compared_t *compared, const char *before)
{
    const double size = fabs(compared->gap.mean);
    char change[SPOT_WORDS_BYTES], point[SPOT_POINT_BYTES];

    spot_metric_change_words(self->metric, size, size, change);
    spot_answer_point(self->head, compared->point_id, point);
    fprintf(self->out, "%s%s %s with %s", before, change,
        compared->gap.mean > 0 ? "higher" : "lower", point);
}

/* "checkpoint", or "checkpoint, fleet capacity 32". */
static void
baseline_words(const spot_study_head_t *head, char text[SPOT_POINT_BYTES])
{
    char label[SPOT_VALUE_LABEL_BYTES], setting[SPOT_POINT_BYTES];
    size_t used;

    spot_answer_label(
        &head->axes[head->baseline_axis_id], head->baseline_value_id, label);
    used = (size_t) snprintf(text, SPOT_POINT_BYTES, "%s", label);
    for (size_t j = 0; j < head->num_more_baselines && used < SPOT_POINT_BYTES; j++) {
        const spot_axis_value_t *more = &head->more_baselines[j];

        spot_answer_setting(head, more->axis_id, more->value_id, setting);
        used += (size_t) snprintf(text + used, SPOT_POINT_BYTES - used, ", %s", setting);
    }
}

static void
write_all_compared(
    spot_answer_t *self, const compared_t *sure, size_t num_sure, size_t num_compared)
{
    const spot_study_head_t *head = self->head;
    const size_t num_named = num_sure < MAX_NAMED ? num_sure : MAX_NAMED;
    char base[SPOT_POINT_BYTES], value[SPOT_WORDS_BYTES];

    baseline_words(head, base);
    if (num_sure == 0) {
        fprintf(self->out, "%s %s with %s", self->subject,
            spot_answer_word(self, "does not surely differ from that",
                "do not surely differ from those"),
            base);
        return;
    }
    fprintf(self->out, "compared with %s", base);
    if (head->num_axes == 1) {
        spot_answer_value(self, sure[0].base_id, fabs(sure[0].gap.mean), value);
        fprintf(self->out, " (%s)", value);
    }
    fprintf(self->out, ", %s %s ", self->subject, spot_answer_word(self, "is", "are"));
    for (size_t j = 0; j < num_named; j++) {
        write_compared(self, &sure[j],
            j == 0               ? ""
            : j == num_named - 1 ? " and "
                                 : ", ");
    }
    if (num_sure > num_named) {
        fprintf(self->out, "; %zu more differ by less", num_sure - num_named);
    }
    if (num_sure < num_compared) {
        fprintf(self->out, "; %zu of %zu do%s not surely differ",
            num_compared - num_sure, num_compared,
            num_compared - num_sure == 1 ? "es" : "");
    }
}

static int
write_differences(spot_answer_t *self)
{
    compared_t *sure = spot_calloc(self->head->num_points, sizeof(*sure));
    size_t num_sure, num_compared;
    int ret = sure == NULL ? SPOT_ERR_NO_MEMORY
                           : find_compared(self, sure, &num_sure, &num_compared);

    if (ret == 0) {
        write_all_compared(self, sure, num_sure, num_compared);
    }
    free(sure);
    return ret;
}

/* ---- All of it ---- */

/* What the intervals of the means say. */
static int
write_means(spot_answer_t *self)
{
    bool is_written = false;
    int ret;

    if (self->head->best.is_asked) {
        ret = spot_answer_of_winners(self);
    } else {
        ret = spot_answer_of_curve(self, &is_written);
        if (ret == 0 && !is_written) {
            ret =
                self->head->has_baseline ? write_differences(self) : write_points(self);
        }
    }
    return ret == 0 ? spot_answer_of_undefined(self) : ret;
}

static int
write_sentence(spot_answer_t *self)
{
    const spot_study_head_t *head = self->head;

    if (head->optimise.metric != NULL) {
        return spot_answer_of_race(self);
    }
    if (!head->best.is_asked && spot_plan_is_design(head->plan.kind) &&
        spot_study_effects_problem(head) == NULL && self->report->min_rows > 0) {
        return spot_answer_of_effects(self);
    }
    return write_means(self);
}

/* How much of what was asked for it rests on, where that is not all. */
static void
write_missing(const spot_answer_t *self)
{
    const spot_report_t *report = self->report;
    const spot_completeness_t completeness =
        spot_store_completeness(report->store, report->summaries);

    if (completeness.num_unfinished == 0) {
        return;
    }
    fprintf(self->out, ". This is what %" PRId64, report->min_rows);
    if (report->min_rows < report->max_rows) {
        fprintf(self->out, " to %" PRId64, report->max_rows);
    }
    fprintf(self->out, " of %s%" PRId64 " replications at each point say so far",
        report->head->until.metric != NULL || report->head->optimise.metric != NULL
            ? "up to "
            : "",
        report->head->num_replications);
}

/* With a capital, at its full length. */
static void
write_plain(char *text, FILE *out)
{
    if (text[0] >= 'a' && text[0] <= 'z') {
        text[0] = (char) (text[0] - 'a' + 'A');
    }
    spot_text_write_cut(out, text, SPOT_ANSWER_CHARS);
    fputc('.', out);
}

/* What the answer leaves out, as it could not run. */
static void
write_unable(const spot_study_head_t *head, FILE *out)
{
    char text[SPOT_UNABLE_BYTES];

    for (size_t kind_id = 0; spot_unable_next(head, &kind_id, text);) {
        fprintf(out, " %s.", text);
    }
}

int
spot_answer_write(const spot_report_t *report, FILE *out)
{
    const spot_study_head_t *head = report->head;
    spot_answer_t self = {
        .report = report, .head = head, .metric_id = spot_main_metric(head)};
    char *text = NULL;
    size_t size = 0;
    int ret = 0;

    if (report->num_rows == 0) {
        fputs("No replication is there yet: run the same spotsim study command again, "
              "or merge the parts of other machines.",
            out);
        return 0;
    }
    self.metric = &head->metrics[self.metric_id];
    spot_metric_subject(self.metric, self.subject);
    self.is_plural = false;
    self.out = open_memstream(&text, &size);
    if (self.out == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    ret = write_sentence(&self);
    if (ret == 0) {
        write_missing(&self);
    }
    if (fclose(self.out) != 0 && ret == 0) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    if (ret == 0) {
        write_plain(text, out);
        write_unable(head, out);
    }
    free(text);
    return ret;
}
