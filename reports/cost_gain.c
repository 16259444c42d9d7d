/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/cost_gain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv_field.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "reports/picture_csv.h"
#include "reports/series_look.h"
#include "reports/study_words.h"
#include "reports/value_label.h"

#define DESCRIBED_CHARS 80 /* of the name of a point */
#define MAX_DESCRIBED 100  /* values that are counted */

/* Whether a key says what happens, as that of traces does, and not what is chosen. */
static bool
is_circumstance(const spot_axis_t *axis)
{
    return strcmp(axis->path, "trace") == 0 || strncmp(axis->path, "trace.", 6) == 0;
}

/* ---- Groups ---- */

/* A point with what it is sorted by. */
typedef struct {
    size_t group_id;
    double cost;
    size_t point_id;
} place_t;

static int
compare_places(const void *a, const void *b)
{
    const place_t *left = a, *right = b;

    if (left->group_id != right->group_id) {
        return left->group_id < right->group_id ? -1 : 1;
    }
    if (left->cost < right->cost || left->cost > right->cost) { /* not of NAN */
        return left->cost < right->cost ? -1 : 1;
    }
    return (left->point_id > right->point_id) - (left->point_id < right->point_id);
}

/* Splits groups of sorted places by the values of an axis; returns their number. */
static size_t
split_groups(const spot_study_head_t *head, size_t axis_id, place_t *places)
{
    size_t num_groups = 0;

    for (size_t j = 0; j < head->num_points; j++) {
        places[j].group_id = places[j].group_id * head->axes[axis_id].num_values +
                             spot_study_value_id(head, places[j].point_id, axis_id);
    }
    qsort(places, head->num_points, sizeof(*places), compare_places);
    for (size_t j = 0, last = SIZE_MAX; j < head->num_points; j++) {
        num_groups += places[j].group_id != last;
        last = places[j].group_id;
        places[j].group_id = num_groups - 1;
    }
    return num_groups;
}

/* Undefined costs come last, so that all can be compared. */
static double
sorted_cost(const spot_choice_t *choice)
{
    return isnan(choice->cost) ? HUGE_VAL : choice->cost;
}

static void
sort_places(spot_cost_gain_t *self, place_t *places)
{
    const spot_study_head_t *head = self->head;
    bool is_split = false;

    for (size_t j = 0; j < head->num_points; j++) {
        places[j] = (place_t){.cost = sorted_cost(&self->choices[j]), .point_id = j};
    }
    self->num_groups = 1;
    for (size_t j = 0; j < head->num_axes; j++) {
        if (is_circumstance(&head->axes[j])) {
            self->num_groups = split_groups(head, j, places);
            is_split = true;
        }
    }
    if (is_split && self->num_groups == head->num_points) {
        self->is_over_traces = head->num_points > 1;
        self->num_groups = 1;
    }
    for (size_t j = 0; j < head->num_points; j++) {
        places[j].group_id = self->num_groups == 1 ? 0 : places[j].group_id;
    }
    qsort(places, head->num_points, sizeof(*places), compare_places);
}

static int
choose_groups(spot_cost_gain_t *self)
{
    const size_t num_points = self->head->num_points;
    place_t *places = spot_calloc(num_points, sizeof(*places));

    if (places == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    sort_places(self, places);
    self->groups = spot_calloc(self->num_groups, sizeof(*self->groups));
    if (self->groups != NULL) {
        for (size_t j = 0; j < num_points; j++) {
            spot_cost_group_t *group = &self->groups[places[j].group_id];

            self->point_ids[j] = places[j].point_id;
            group->first = group->end == 0 ? j : group->first;
            group->end = j + 1;
        }
    }
    free(places);
    return self->groups == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

/* ---- Choices and their fates ---- */

/* A bound does not compete. */
static bool
is_bound(const spot_study_head_t *head, size_t point_id)
{
    const size_t axis_id = head->best.axis_id;

    return head->best.is_asked && spot_series_is_bound(head, axis_id,
                                      spot_study_value_id(head, point_id, axis_id));
}

static void
fill_choices(spot_cost_gain_t *self)
{
    for (size_t j = 0; j < self->head->num_points; j++) {
        const spot_summary_t *cost = spot_report_summary(self->report, j, self->cost_id);
        const spot_summary_t *gain = spot_report_summary(self->report, j, self->gain_id);

        self->choices[j] = (spot_choice_t){cost->value, gain->value, cost->ci_low,
            cost->ci_high, gain->ci_low, gain->ci_high};
    }
}

/* The first replications of a point, those that all points have. */
typedef struct {
    int64_t end;
    spot_estimate_t estimates[2];
} common_t;

static int
add_common(void *context, const spot_row_t *row)
{
    common_t *self = context;
    int ret = 0;

    if (row->replication >= self->end) {
        return 1; /* enough */
    }
    for (size_t j = 0; ret == 0 && j < 2; j++) {
        ret = spot_estimate_add(&self->estimates[j], row->metrics);
    }
    return ret;
}

static int
fill_common_choices(spot_cost_gain_t *self)
{
    const spot_store_t *store = self->report->store;
    int ret = 0;

    fill_choices(self);
    self->num_common = self->report->min_rows;
    for (size_t j = 0; ret >= 0 && j < self->head->num_points; j++) {
        common_t common = {.end = self->num_common};
        spot_choice_t *choice = &self->choices[j];

        if (spot_study_is_fixed(self->head, j)) {
            continue; /* it has the same in all of them */
        }
        spot_estimate_init(&common.estimates[0], self->head, self->cost_id);
        spot_estimate_init(&common.estimates[1], self->head, self->gain_id);
        ret = store->read(store, j, 0, add_common, &common);
        choice->cost = spot_estimate_value(&common.estimates[0]);
        choice->gain = spot_estimate_value(&common.estimates[1]);
        spot_estimate_bounds(&common.estimates[0], SPOT_CONFIDENCE, &choice->cost_low,
            &choice->cost_high);
        spot_estimate_bounds(&common.estimates[1], SPOT_CONFIDENCE, &choice->gain_low,
            &choice->gain_high);
        spot_estimate_free(&common.estimates[0]);
        spot_estimate_free(&common.estimates[1]);
    }
    return ret < 0 ? ret : 0;
}

/* rivals and fates: [num_points] to work in. */
static int
judge_group(spot_cost_gain_t *self, const spot_cost_group_t *group,
    spot_choice_t *rivals, spot_choice_fate_t *fates)
{
    const size_t *point_ids = &self->point_ids[group->first];
    const size_t num_rivals = group->end - group->first;
    int ret;

    for (size_t j = 0; j < num_rivals; j++) {
        rivals[j] = self->choices[point_ids[j]];
        if (is_bound(self->head, point_ids[j])) {
            rivals[j].cost = (double) NAN;
        }
    }
    ret = spot_pareto_find(rivals, num_rivals, fates);
    for (size_t j = 0; ret == 0 && j < num_rivals; j++) {
        self->fates[point_ids[j]] = fates[j];
        self->num_fates[fates[j]]++;
    }
    return ret;
}

static int
judge_groups(spot_cost_gain_t *self)
{
    const size_t num_points = self->head->num_points;
    spot_choice_t *rivals = spot_calloc(num_points, sizeof(*rivals));
    spot_choice_fate_t *fates = spot_calloc(num_points, sizeof(*fates));
    int ret = rivals == NULL || fates == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (size_t j = 0; ret == 0 && j < self->num_groups; j++) {
        ret = judge_group(self, &self->groups[j], rivals, fates);
    }
    free(rivals);
    free(fates);
    return ret;
}

const char *
spot_cost_gain_problem(const spot_report_t *report)
{
    const spot_study_head_t *head = report->head;
    const spot_overview_t *overview = &head->overview;

    if (!head->has_overview || overview->cost_id >= head->num_metrics ||
        overview->gain_id >= head->num_metrics) {
        return "the study kept no cost and no gain of its points: run it again with "
               "ledger: yes";
    }
    for (size_t j = 0; j < head->num_points; j++) {
        if (isfinite(spot_report_summary(report, j, overview->cost_id)->value) &&
            isfinite(spot_report_summary(report, j, overview->gain_id)->value)) {
            return NULL;
        }
    }
    return "no point has both a cost and a gain yet";
}

int
spot_cost_gain_init(spot_cost_gain_t *self, const spot_report_t *report)
{
    const size_t num_points = report->head->num_points;
    int ret;

    memset(self, 0, sizeof(*self));
    self->report = report;
    self->head = report->head;
    self->cost_id = report->head->overview.cost_id;
    self->gain_id = report->head->overview.gain_id;
    self->choices = spot_calloc(num_points, sizeof(*self->choices));
    self->fates = spot_calloc(num_points, sizeof(*self->fates));
    self->point_ids = spot_calloc(num_points, sizeof(*self->point_ids));
    if (self->choices == NULL || self->fates == NULL || self->point_ids == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    ret = 0;
    if (report->min_rows > 1 && report->min_rows < report->max_rows) {
        ret = fill_common_choices(self);
    } else {
        fill_choices(self);
    }
    if (ret == 0) {
        ret = choose_groups(self);
    }
    return ret == 0 ? judge_groups(self) : ret;
}

void
spot_cost_gain_free(spot_cost_gain_t *self)
{
    free(self->choices);
    free(self->fates);
    free(self->groups);
    free(self->point_ids);
    memset(self, 0, sizeof(*self));
}

/* ---- Words ---- */

void
spot_cost_group_words(
    const spot_cost_gain_t *self, size_t group_id, size_t max_chars, char *text)
{
    const spot_study_head_t *head = self->head;
    const size_t point_id = self->point_ids[self->groups[group_id].first];
    char words[SPOT_WORDS_BYTES], label[SPOT_VALUE_LABEL_BYTES];
    size_t used = 0;

    text[0] = '\0';
    for (size_t j = 0; j < head->num_axes && used + 8 < SPOT_POINT_BYTES; j++) {
        if (is_circumstance(&head->axes[j]) && self->num_groups > 1) {
            spot_key_words(&head->axes[j], words);
            used += (size_t) snprintf(text + used, SPOT_POINT_BYTES - 4 - used,
                "%s%s %s", used == 0 ? "" : ", ", words,
                spot_point_label(head, point_id, j, label));
        }
    }
    spot_utf8_cut(text, max_chars);
}

int
spot_cost_gain_csv_write(const spot_report_t *report, FILE *out)
{
    static const char *const fates[] = {
        "left out", "front", "dominated", "surely worse"};
    const spot_study_head_t *head = report->head;
    spot_cost_gain_t self;
    int ret = spot_cost_gain_init(&self, report);

    if (ret == 0) {
        spot_picture_csv_point_names(head, out);
        spot_picture_csv_estimate_names(head, self.cost_id, "", out);
        spot_picture_csv_estimate_names(head, self.gain_id, "", out);
        fputs(",front\n", out);
    }
    for (size_t j = 0; ret == 0 && j < head->num_points; j++) {
        const spot_choice_t *choice = &self.choices[j];
        const double numbers[] = {choice->cost, choice->cost_low, choice->cost_high,
            choice->gain, choice->gain_low, choice->gain_high};

        spot_picture_csv_point(head, j, out);
        for (size_t k = 0; k < sizeof(numbers) / sizeof(numbers[0]); k++) {
            spot_csv_field_number(out, numbers[k]);
        }
        fprintf(out, ",%s\n", fates[self.fates[j]]);
    }
    spot_cost_gain_free(&self);
    return ret == 0 && ferror(out) ? SPOT_ERR_IO : ret;
}

/* "checkpoint, per minute 0.05 (0.31 for 1.02)". */
static void
describe_point(const spot_cost_gain_t *self, size_t point_id, FILE *out)
{
    const spot_choice_t *choice = &self->choices[point_id];
    const spot_shown_unit_t cost_shown = spot_report_shown(self->report, self->cost_id);
    const spot_shown_unit_t gain_shown = spot_report_shown(self->report, self->gain_id);
    char point[SPOT_POINT_BYTES], cost[SPOT_LABEL_BYTES], gain[SPOT_LABEL_BYTES];

    spot_point_words(self->head, point_id, DESCRIBED_CHARS, point);
    spot_value_words(&cost_shown, choice->cost, cost);
    spot_value_words(&gain_shown, choice->gain, gain);
    fprintf(out, "%s%s(%s for %s)", point, point[0] == '\0' ? "" : " ", gain, cost);
}

/* " One front, from ... to ...": its ends have the lowest cost and the highest gain. */
static void
describe_front(const spot_cost_gain_t *self, FILE *out)
{
    size_t first_id = SIZE_MAX, last_id = 0;

    for (size_t j = 0; j < self->head->num_points; j++) {
        if (self->fates[self->point_ids[j]] == SPOT_CHOICE_FRONT) {
            first_id = first_id == SIZE_MAX ? self->point_ids[j] : first_id;
            last_id = self->point_ids[j];
        }
    }
    if (first_id == SIZE_MAX) {
        return;
    }
    fputs(first_id == last_id ? ": " : ", from ", out);
    describe_point(self, first_id, out);
    if (first_id != last_id) {
        fputs(" to ", out);
        describe_point(self, last_id, out);
    }
}

/* Groups in which a value of the series axis is on the front. */
static size_t
count_fronts(const spot_cost_gain_t *self, size_t axis_id, size_t value_id)
{
    size_t num_fronts = 0;

    for (size_t j = 0; j < self->num_groups; j++) {
        bool is_there = false;

        for (size_t k = self->groups[j].first; k < self->groups[j].end; k++) {
            const size_t point_id = self->point_ids[k];

            is_there = is_there || (self->fates[point_id] == SPOT_CHOICE_FRONT &&
                                       spot_study_value_id(
                                           self->head, point_id, axis_id) == value_id);
        }
        num_fronts += is_there;
    }
    return num_fronts;
}

/* ", most often parcae, at 8 of 12": the value of the series axis. */
static void
describe_groups(const spot_cost_gain_t *self, FILE *out)
{
    const size_t axis_id = spot_series_axis(self->head);
    size_t most = 0, best_id = 0;
    char label[SPOT_VALUE_LABEL_BYTES];

    if (axis_id == self->head->num_axes ||
        self->head->axes[axis_id].num_values > MAX_DESCRIBED) {
        return;
    }
    for (size_t j = 0; j < self->head->axes[axis_id].num_values; j++) {
        const size_t num_fronts = count_fronts(self, axis_id, j);

        best_id = num_fronts > most ? j : best_id;
        most = num_fronts > most ? num_fronts : most;
    }
    fprintf(out, ", most often %s: at %zu of %zu",
        spot_value_label(&self->head->axes[axis_id], best_id, label), most,
        self->num_groups);
}

void
spot_cost_gain_describe(const spot_report_t *report, FILE *out)
{
    const spot_study_head_t *head = report->head;
    char cost[SPOT_WORDS_BYTES], gain[SPOT_WORDS_BYTES];
    spot_cost_gain_t self;

    if (spot_cost_gain_init(&self, report) == 0) {
        const spot_shown_unit_t cost_shown = spot_report_shown(report, self.cost_id);
        const spot_shown_unit_t gain_shown = spot_report_shown(report, self.gain_id);

        (void) spot_fraction_words_in(
            &head->metrics[self.cost_id], cost_shown.unit, cost);
        (void) spot_fraction_words_in(
            &head->metrics[self.gain_id], gain_shown.unit, gain);
        fprintf(out, "What more %s costs, in %s. ", gain, cost);
        if (self.num_groups > 1) {
            fprintf(out, "Compared at each of %zu traces, ", self.num_groups);
        }
        fprintf(out,
            "%zu of %zu points %s on the Pareto front, where nothing gains "
            "more for less",
            self.num_fates[SPOT_CHOICE_FRONT], head->num_points,
            self.num_fates[SPOT_CHOICE_FRONT] == 1 ? "is" : "are");
        if (self.num_groups > 1) {
            describe_groups(&self, out);
        } else {
            describe_front(&self, out);
        }
        fprintf(out, "; %zu %s worse than another one by more than the intervals.",
            self.num_fates[SPOT_CHOICE_SURELY_WORSE],
            self.num_fates[SPOT_CHOICE_SURELY_WORSE] == 1 ? "is" : "are");
    }
    spot_cost_gain_free(&self);
}
