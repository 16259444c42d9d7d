/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "reports/draw.h"
#include "reports/pictures/parts.h"

typedef struct {
    spot_view_t view; /* of the parts */
    const spot_report_t *report;
    const spot_study_head_t *head;
    size_t num_parts;
    size_t *part_ids; /* [num_parts] metrics, from the left */
    size_t side_id;   /* num_metrics: none */
    spot_shown_unit_t side;
    spot_bar_rows_t rows; /* drawn */
    spot_chart_t *chart;
} ledger_t;

static bool is_of_overview(const spot_study_head_t *head)
{
    return head->has_overview && head->overview.num_parts > 0;
}

/* Of a part that the point lacks 0: nothing is drawn of it. */
static double mean_at(const ledger_t *self, size_t point_id, size_t part_id)
{
    const size_t metric_id = self->part_ids[part_id];

    return spot_study_has_metric(self->head, point_id, metric_id)
               ? spot_report_summary(self->report, point_id, metric_id)->value
               : 0;
}

/* All parts of a bar together; NAN where one of them is undefined. */
static double length_of(const ledger_t *self, size_t point_id)
{
    double length = 0;

    for (size_t k = 0; k < self->num_parts; k++) {
        length += mean_at(self, point_id, k);
    }
    return length;
}

/* The overview's parts add up to the whole; those of the plot may be some of them.
 * BAD_PARAM: there is no stack. Free part_ids even then. */
static int init(ledger_t *self, const spot_report_t *report, spot_texts_t *texts)
{
    const spot_study_head_t *head = report->head;
    const bool is_whole = is_of_overview(head);
    const size_t num_wanted = is_whole ? head->overview.num_parts : head->plot.num_stack;
    double largest = 0;

    *self = (ledger_t){.report = report,
        .head = head,
        .part_ids = spot_calloc(num_wanted, sizeof(*self->part_ids)),
        .side_id = spot_study_metric_id(head, head->plot.second_x)};
    for (size_t j = 0; self->part_ids != NULL && j < num_wanted; j++) {
        const size_t metric_id =
            is_whole ? head->overview.part_ids[j] : spot_study_metric_id(head, head->plot.stack[j]);

        if (metric_id < head->num_metrics) {
            self->part_ids[self->num_parts++] = metric_id;
            largest = fmax(largest, spot_report_largest(report, metric_id));
        }
    }
    if (self->num_parts == 0) {
        return self->part_ids == NULL ? SPOT_ERR_NO_MEMORY : SPOT_ERR_BAD_PARAM;
    }
    self->view = (spot_view_t){report, head, texts, self->part_ids[0],
        spot_metric_shown(&head->metrics[self->part_ids[0]], largest)};
    if (self->side_id < head->num_metrics) {
        self->side = spot_second_shown(report, self->side_id);
    }
    return 0;
}

/* ---- Words ---- */

/* The part with the largest mean over the points that have all parts; *mean is NAN where
 * no point has. */
static size_t largest_part(const ledger_t *self, double *mean)
{
    size_t largest_id = 0;

    *mean = (double) NAN;
    for (size_t k = 0; k < self->num_parts; k++) {
        double sum = 0;
        size_t num_points = 0;

        for (size_t j = 0; j < self->head->num_points; j++) {
            if (isfinite(length_of(self, j))) {
                sum += mean_at(self, j, k);
                num_points++;
            }
        }
        if (num_points > 0 && !(sum / (double) num_points <= *mean)) {
            *mean = sum / (double) num_points;
            largest_id = k;
        }
    }
    return largest_id;
}

/* The part that the rest takes from: named for goodput or useful time; else part_id. */
static size_t useful_part(const ledger_t *self, size_t part_id)
{
    for (size_t k = 0; k < self->num_parts; k++) {
        const char *name = self->head->metrics[self->part_ids[k]].name;

        if (strncmp(name, "goodput", 7) == 0 || strncmp(name, "useful", 6) == 0) {
            return k;
        }
    }
    return part_id;
}

static const char *describe(const ledger_t *self)
{
    double mean;
    const size_t largest_id = largest_part(self, &mean);
    const size_t useful_id = useful_part(self, largest_id);
    spot_texts_t *texts = self->view.texts;
    spot_view_t useful = self->view;
    const char *parts = "";

    if (isfinite(mean)) {
        useful.metric_id = self->part_ids[useful_id];
        parts =
            spot_texts_add(texts, ". The largest is %s, %s on average over the points; %s is %s",
                spot_view_metric(&self->view, self->part_ids[largest_id]),
                spot_view_value(&self->view, mean), spot_view_metric(&self->view, useful.metric_id),
                spot_view_range(&useful, NULL));
    }
    return spot_texts_add(texts, "Where the %stime of each point goes, as a bar of %zu parts%s.",
        is_of_overview(self->head) ? "paid " : "", self->num_parts, parts);
}

static void declare_head(const ledger_t *self)
{
    const spot_study_head_t *head = self->head;
    const size_t num_rows = self->rows.num_rows;
    spot_texts_t *texts = self->view.texts;
    const char *cut = spot_words_cut(texts, num_rows, head->num_points, "points");
    const char *estimate = "";

    if (self->report->max_rows > 1) {
        estimate =
            spot_texts_add(texts, " · %s", spot_estimate_words(&head->metrics[self->part_ids[0]]));
    }
    if (self->rows.is_spread) {
        cut = spot_texts_add(
            texts, " · %zu of %zu points, spread evenly", num_rows, head->num_points);
    }
    spot_view_head(&self->view, self->chart,
        is_of_overview(head) ? "Where the paid time goes" : "Where the time goes", describe(self),
        spot_texts_add(texts, "%s%s", estimate, cut));
}

/* What the bars are parts of, and whether they are all of it: from the shortest and the
 * longest one. */
static const char *axis_words(const ledger_t *self, double low, double high)
{
    if (self->view.shown.factor != 100) {
        return "the parts one after the other";
    }
    if (!(low > 99.9 && high < 100.1)) {
        return "share; what is not shown makes up the rest";
    }
    return is_of_overview(self->head) ? "share of the paid time" : "share of the whole";
}

/* ---- The picture ---- */

static void declare_panel(const ledger_t *self)
{
    const double factor = self->view.shown.factor;
    double low = HUGE_VAL, high = 0;
    const char *side = NULL;

    for (size_t j = 0; j < self->rows.num_rows; j++) {
        const double length = factor * length_of(self, self->rows.rows[j].point_id);

        low = fmin(low, length); /* skips NAN */
        high = fmax(high, length);
    }
    if (self->side_id < self->head->num_metrics) {
        side = spot_words_second(self->view.texts, self->head, self->side_id, self->side.unit);
    }
    const spot_chart_panel_t panel = {
        .x = {.name = axis_words(self, low, high),
            .unit = spot_picture_unit(&self->view.shown),
            /* shares add up to the whole but for rounding */
            .high = factor == 100 && high < 100.001 ? 100 : 0,
            .has_zero = true},
        .y = {.kind = SPOT_CHART_ROWS},
        .side_names = {side},
    };

    spot_chart_panel(self->chart, &panel);
}

static void declare_row(const ledger_t *self, size_t row_id)
{
    const size_t point_id = self->rows.rows[row_id].point_id;
    spot_texts_t *texts = self->view.texts;
    const char *side = "";

    if (self->side_id < self->head->num_metrics) {
        side = spot_words_number(texts,
            self->side.factor * spot_report_summary(self->report, point_id, self->side_id)->value);
    }
    const spot_chart_row_t row = {
        .name = spot_bar_row_words(&self->rows, row_id, texts),
        .heading = self->rows.rows[row_id].is_first
                       ? spot_bar_group_words(&self->rows, row_id, texts)
                       : NULL,
        .empty = isfinite(length_of(self, point_id)) ? NULL : "undefined in all replications",
        .sides = {side[0] == '\0' ? NULL : side},
    };

    (void) spot_chart_row(self->chart, &row);
}

/* A part of all bars, with its share where there is room; none where no bar has it. */
static void declare_part(const ledger_t *self, size_t part_id)
{
    const size_t metric_id = self->part_ids[part_id];
    const bool is_share = self->view.shown.factor == 100;
    const spot_chart_series_t series = {.kind = SPOT_CHART_BARS,
        .name = spot_view_metric(&self->view, metric_id),
        .name_at = SPOT_CHART_NAME_LEGEND,
        .colour =
            spot_palette_colour(self->head->colours, self->head->metrics[metric_id].name, part_id)};
    bool is_declared = false;

    for (size_t j = 0; j < self->rows.num_rows; j++) {
        const size_t point_id = self->rows.rows[j].point_id;
        const double part = self->view.shown.factor * mean_at(self, point_id, part_id);

        if (!isfinite(length_of(self, point_id)) || !(part > 0)) {
            continue;
        }
        if (!is_declared) {
            spot_chart_series(self->chart, &series);
            is_declared = true;
        }
        const spot_chart_datum_t datum = {.x = part,
            .y = (double) j,
            .label = is_share ? spot_texts_add(self->view.texts, "%.0f %%", part)
                              : spot_words_number(self->view.texts, part)};

        spot_chart_add(self->chart, &datum);
    }
}

static int declare(spot_chart_t *chart, const void *context)
{
    ledger_t self;
    spot_texts_t texts = {0};
    int ret = init(&self, context, &texts);

    self.chart = chart;
    if (ret == 0) {
        ret = spot_bar_rows_init(&self.rows, self.head);
    }
    if (ret == 0) {
        declare_head(&self);
        declare_panel(&self);
        for (size_t j = 0; j < self.rows.num_rows; j++) {
            declare_row(&self, j);
        }
        for (size_t k = 0; k < self.num_parts; k++) {
            declare_part(&self, k);
        }
        ret = texts.error;
    }
    free(self.part_ids);
    spot_texts_free(&texts);
    return ret == 0 ? spot_chart_error(chart) : ret;
}

static const char *find_problem(const spot_report_t *report)
{
    const char *problem = "the study kept no metrics that add up to a whole";
    ledger_t self;

    if (init(&self, report, NULL) == 0) {
        problem = spot_metrics_problem(report, self.num_parts, self.part_ids);
    }
    free(self.part_ids);
    return problem;
}

static int fill(const spot_report_t *report, spot_table_t *table)
{
    ledger_t self;
    const int ret = init(&self, report, NULL);

    if (ret == 0) {
        spot_picture_fill_metrics(table, report, self.num_parts, self.part_ids);
    }
    free(self.part_ids);
    return ret;
}

const spot_study_picture_t spot_picture_ledger = {.name = "ledger",
    .title = "Where the time goes",
    .problem = find_problem,
    .declare = declare,
    .fill = fill};
