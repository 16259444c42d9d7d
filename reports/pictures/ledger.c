/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "reports/palette.h"
#include "reports/picture_csv.h"
#include "reports/pictures/bar_rows.h"
#include "reports/pictures/parts.h"

#define DESCRIBED_CHARS 42 /* of the name of a point */

typedef struct {
    const spot_report_t *report;
    const spot_study_head_t *head;
    spot_bar_rows_t rows; /* drawn */
    size_t num_parts;
    size_t *part_ids;        /* [num_parts] metrics, from the left */
    size_t side_id;          /* num_metrics: none */
    spot_shown_unit_t shown; /* of the parts: factor 100 for percent */
    spot_shown_unit_t side;
} ledger_t;

static bool
is_of_overview(const spot_study_head_t *head)
{
    return head->has_overview && head->overview.num_parts > 0;
}

/* Of a part that the point lacks 0: nothing is drawn of it. */
static double
mean_at(const ledger_t *self, size_t point_id, size_t part_id)
{
    const size_t metric_id = self->part_ids[part_id];

    return spot_study_has_metric(self->head, point_id, metric_id)
               ? self->shown.factor *
                     spot_report_summary(self->report, point_id, metric_id)->value
               : 0;
}

/* All parts of a bar together; NAN where one of them is undefined. */
static double
length_of(const ledger_t *self, size_t point_id)
{
    double length = 0;

    for (size_t k = 0; k < self->num_parts; k++) {
        length += mean_at(self, point_id, k);
    }
    return length;
}

/* The overview's parts add up to the whole; those of the plot may be some of them. */
static int
choose_parts(const spot_study_head_t *head, size_t **part_ids, size_t *num_parts)
{
    const bool is_whole = is_of_overview(head);
    const size_t num_wanted = is_whole ? head->overview.num_parts : head->plot.num_stack;

    *num_parts = 0;
    *part_ids = spot_calloc(num_wanted, sizeof(**part_ids));
    for (size_t j = 0; *part_ids != NULL && j < num_wanted; j++) {
        const size_t metric_id = is_whole
                                     ? head->overview.part_ids[j]
                                     : spot_study_metric_id(head, head->plot.stack[j]);

        if (metric_id < head->num_metrics) {
            (*part_ids)[(*num_parts)++] = metric_id;
        }
    }
    return *part_ids == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

/* BAD_PARAM: there is no stack. The caller frees the part_ids. */
static int
init(ledger_t *self, const spot_report_t *report)
{
    const spot_study_head_t *head = report->head;
    double largest = 0;
    int ret;

    *self = (ledger_t){.report = report, .head = head};
    self->side_id = spot_study_metric_id(head, head->plot.second_x);
    ret = choose_parts(head, &self->part_ids, &self->num_parts);
    if (ret != 0 || self->num_parts == 0) {
        return ret != 0 ? ret : SPOT_ERR_BAD_PARAM;
    }
    for (size_t k = 0; k < self->num_parts; k++) {
        largest = fmax(largest, spot_report_largest(report, self->part_ids[k]));
    }
    self->shown = spot_metric_shown(&head->metrics[self->part_ids[0]], largest);
    if (self->side_id < head->num_metrics) {
        self->side = spot_second_shown(report, self->side_id);
    }
    return 0;
}

/* ---- The picture ---- */

static void
declare_head(const ledger_t *self, spot_chart_t *chart)
{
    const spot_study_head_t *head = self->head;
    char more[SPOT_NOTE_BYTES] = "";
    size_t used = 0;

    if (self->report->max_rows > 1) {
        used = (size_t) snprintf(more, sizeof(more), " · %s",
            spot_estimate_words(&head->metrics[self->part_ids[0]]));
    }
    if (self->rows.num_rows < head->num_points) {
        snprintf(more + used, sizeof(more) - used,
            self->rows.is_spread ? " · %zu of %zu points, spread evenly"
                                 : " · the first %zu of %zu points",
            self->rows.num_rows, head->num_points);
    }
    spot_picture_head(chart, &spot_picture_ledger, self->report,
        is_of_overview(head) ? "Where the paid time goes" : "Where the time goes", more);
}

/* What the bars are parts of, and whether they are all of it: from the shortest and the
 * longest one. */
static const char *
axis_words(const ledger_t *self, double low, double high)
{
    if (self->shown.factor != 100) {
        return "the parts one after the other";
    }
    if (!(low > 99.9 && high < 100.1)) {
        return "share; what is not shown makes up the rest";
    }
    return is_of_overview(self->head) ? "share of the paid instance time"
                                      : "share of the whole";
}

static void
declare_panel(const ledger_t *self, spot_chart_t *chart)
{
    const bool has_side = self->side_id < self->head->num_metrics;
    double low = HUGE_VAL, high = 0;
    char side[SPOT_WORDS_BYTES] = "";

    for (size_t j = 0; j < self->rows.num_rows; j++) {
        const double length = length_of(self, self->rows.rows[j].point_id);

        low = fmin(low, length); /* skips NAN */
        high = fmax(high, length);
    }
    if (has_side) {
        spot_second_words(self->head, self->side_id, self->side.unit, side);
    }
    spot_chart_panel(
        chart, &(spot_chart_panel_t){
                   .x = {.name = axis_words(self, low, high),
                       .unit = spot_picture_unit(&self->shown),
                       /* shares add up to the whole but for rounding */
                       .high = self->shown.factor == 100 && high < 100.001 ? 100 : 0,
                       .has_zero = true},
                   .y = {.kind = SPOT_CHART_ROWS},
                   .side_names = {has_side ? side : NULL},
               });
}

static void
declare_row(const ledger_t *self, spot_chart_t *chart, size_t row_id)
{
    const size_t point_id = self->rows.rows[row_id].point_id;
    char name[SPOT_POINT_BYTES], heading[SPOT_POINT_BYTES], side[SPOT_LABEL_BYTES] = "";

    spot_bar_row_words(&self->rows, row_id, name);
    spot_bar_group_words(&self->rows, row_id, heading);
    if (self->side_id < self->head->num_metrics) {
        (void) spot_short_number(
            self->side.factor *
                spot_report_summary(self->report, point_id, self->side_id)->value,
            side);
    }
    (void) spot_chart_row(
        chart, &(spot_chart_row_t){
                   .name = name,
                   .heading = self->rows.rows[row_id].is_first ? heading : NULL,
                   .empty = isfinite(length_of(self, point_id))
                                ? NULL
                                : "undefined in all replications",
                   .sides = {side[0] == '\0' ? NULL : side},
               });
}

/* A part of all bars, with its share where there is room; none where no bar has it. */
static void
declare_part(const ledger_t *self, spot_chart_t *chart, size_t part_id)
{
    const spot_metric_t *metric = &self->head->metrics[self->part_ids[part_id]];
    bool is_declared = false;
    char words[SPOT_WORDS_BYTES];

    (void) spot_fraction_words_in(metric, self->shown.unit, words);
    for (size_t j = 0; j < self->rows.num_rows; j++) {
        const size_t point_id = self->rows.rows[j].point_id;
        const double share = mean_at(self, point_id, part_id);
        char label[SPOT_LABEL_BYTES];

        if (!isfinite(length_of(self, point_id)) || !(share > 0)) {
            continue;
        }
        if (!is_declared) {
            spot_chart_series(chart, &(spot_chart_series_t){
                                         .kind = SPOT_CHART_BARS,
                                         .name = words,
                                         .name_at = SPOT_CHART_NAME_LEGEND,
                                         .colour = spot_palette_colour(
                                             self->head->colours, metric->name, part_id),
                                     });
            is_declared = true;
        }
        if (self->shown.factor == 100) {
            snprintf(label, sizeof(label), "%.0f %%", share);
        } else {
            (void) spot_short_number(share, label);
        }
        spot_chart_add(
            chart, &(spot_chart_datum_t){.x = share, .y = (double) j, .label = label});
    }
}

static int
declare(spot_chart_t *chart, const void *context)
{
    ledger_t self;
    int ret = init(&self, context);

    if (ret == 0) {
        ret = spot_bar_rows_init(&self.rows, self.head);
    }
    if (ret == 0) {
        declare_head(&self, chart);
        declare_panel(&self, chart);
        for (size_t j = 0; j < self.rows.num_rows; j++) {
            declare_row(&self, chart, j);
        }
        for (size_t k = 0; k < self.num_parts; k++) {
            declare_part(&self, chart, k);
        }
        ret = spot_chart_error(chart);
    }
    free(self.part_ids);
    return ret;
}

static const char *
find_problem(const spot_report_t *report)
{
    const char *problem = "the study kept no metrics that add up to a whole";
    size_t *part_ids, num_parts;

    if (choose_parts(report->head, &part_ids, &num_parts) == 0 && num_parts > 0) {
        problem = spot_metrics_problem(report, num_parts, part_ids);
    }
    free(part_ids);
    return problem;
}

/* ---- CSV, words ---- */

static int
write_csv(const spot_report_t *report, FILE *out)
{
    size_t *part_ids, num_parts;
    int ret = choose_parts(report->head, &part_ids, &num_parts);

    if (ret == 0) {
        ret = spot_picture_csv_write(report, num_parts, part_ids, out);
    }
    free(part_ids);
    return ret;
}

/* The mean of a part over the points that have all parts. */
static double
mean_share(const ledger_t *self, size_t part_id)
{
    double sum = 0;
    size_t num_points = 0;

    for (size_t j = 0; j < self->head->num_points; j++) {
        if (isfinite(length_of(self, j))) {
            sum += mean_at(self, j, part_id) / self->shown.factor;
            num_points++;
        }
    }
    return num_points > 0 ? sum / (double) num_points : (double) NAN;
}

/* The part that the rest takes from: named for goodput or useful time. */
static size_t
useful_part(const ledger_t *self)
{
    for (size_t k = 0; k < self->num_parts; k++) {
        const char *name = self->head->metrics[self->part_ids[k]].name;

        if (strncmp(name, "goodput", 7) == 0 || strncmp(name, "useful", 6) == 0) {
            return k;
        }
    }
    return self->num_parts;
}

/* "12.0 % at checkpoint, per minute 0.5": where a part has the lowest or the highest
 * mean. */
static void
describe_end(const ledger_t *self, size_t part_id, bool is_high, FILE *out)
{
    const double sign = is_high ? 1 : -1;
    size_t found_id = SIZE_MAX;
    char value[SPOT_LABEL_BYTES], point[SPOT_POINT_BYTES];

    for (size_t j = 0; j < self->head->num_points; j++) {
        if (isfinite(length_of(self, j)) &&
            (found_id == SIZE_MAX || sign * mean_at(self, j, part_id) >
                                         sign * mean_at(self, found_id, part_id))) {
            found_id = j;
        }
    }
    spot_point_words(self->head, found_id, DESCRIBED_CHARS, point);
    spot_value_words(
        &self->shown, mean_at(self, found_id, part_id) / self->shown.factor, value);
    fprintf(out, "%s%s%s", value, point[0] != '\0' ? " at " : "", point);
}

/* ". The largest is standby, 20.3 % on average; goodput is from 12.0 % at ... to ...".
 */
static void
describe_parts(const ledger_t *self, size_t largest_id, FILE *out)
{
    const size_t useful_id = useful_part(self);
    const size_t told_id = useful_id < self->num_parts ? useful_id : largest_id;
    char words[SPOT_WORDS_BYTES], value[SPOT_LABEL_BYTES];

    (void) spot_fraction_words_in(
        &self->head->metrics[self->part_ids[largest_id]], self->shown.unit, words);
    spot_value_words(&self->shown, mean_share(self, largest_id), value);
    fprintf(out, ". The largest is %s, %s on average over the points", words, value);
    (void) spot_fraction_words_in(
        &self->head->metrics[self->part_ids[told_id]], self->shown.unit, words);
    fprintf(out, "; %s is from ", words);
    describe_end(self, told_id, false, out);
    fputs(" to ", out);
    describe_end(self, told_id, true, out);
}

static void
describe(const spot_report_t *report, FILE *out)
{
    ledger_t self;
    size_t largest_id = 0;

    if (init(&self, report) == 0) {
        for (size_t k = 1; k < self.num_parts; k++) {
            largest_id =
                mean_share(&self, k) > mean_share(&self, largest_id) ? k : largest_id;
        }
        fprintf(out, "Where the %stime of each point goes, as a bar of %zu parts",
            is_of_overview(self.head) ? "paid " : "", self.num_parts);
        if (isfinite(mean_share(&self, largest_id))) {
            describe_parts(&self, largest_id, out);
        }
        fputc('.', out);
    }
    free(self.part_ids);
}

const spot_study_picture_t spot_picture_ledger = {
    "ledger", "Where the time goes", find_problem, declare, write_csv, describe};
