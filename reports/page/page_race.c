/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The best point of a study that looks for it, and what else may be the best. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "reports/page/page_cells.h"
#include "reports/page/page_internal.h"
#include "reports/race_text.h"
#include "reports/study_words.h"
#include "reports/table/table_html.h"
#include "reports/value_label.h"
#include "sim/analysis/summary.h"

#define MAX_ROWS 50

static const char *
problem(const spot_page_t *page)
{
    return page->head->optimise.metric != NULL ? NULL
                                               : "the study does not look for the best";
}

static int
write_answer(const spot_page_t *page, const spot_race_answer_t *answer)
{
    spot_page_text_t text;
    const int ret = spot_page_text_begin(&text);

    if (ret != 0) {
        return ret;
    }
    spot_race_text_write(answer, text.stream);
    return spot_page_text_lines(&text, page->out);
}

/* A racing point; cost is less for those that are better. */
typedef struct {
    size_t point_id;
    double cost;
} rival_t;

static int
compare_rivals(const void *a, const void *b)
{
    const rival_t *x = a, *y = b;

    if (x->cost != y->cost) {
        return x->cost < y->cost ? -1 : 1;
    }
    return x->point_id < y->point_id ? -1 : x->point_id > y->point_id;
}

/* rivals: [num_points]. Returns how many there are, sorted, the best first. */
static size_t
sort_rivals(const spot_race_t *race, rival_t *rivals)
{
    size_t num_rivals = 0;

    for (size_t j = 0; j < race->head->num_points; j++) {
        const double mean = spot_estimate_value(&race->runners[j].estimate);

        if (race->runners[j].fate == SPOT_FATE_RACING && isfinite(mean)) {
            rivals[num_rivals++] =
                (rival_t){j, race->head->optimise.is_maximised ? -mean : mean};
        }
    }
    qsort(rivals, num_rivals, sizeof(*rivals), compare_rivals);
    return num_rivals;
}

/* A fixed point has no interval, and what is above all that is known, a bound. */
static void
add_estimate(const spot_estimate_t *estimate, bool is_fixed, spot_table_t *table)
{
    const double half_width = spot_estimate_half_width(estimate, SPOT_CONFIDENCE);
    const double value = spot_estimate_value(estimate);

    if (isinf(value)) {
        spot_table_add_above(table, spot_estimate_least(estimate));
    } else {
        spot_table_add_estimate(
            table, value, is_fixed || !isfinite(half_width) ? (double) NAN : half_width);
    }
}

/* What a rival may be better by than the best, at most. */
static void
add_gain(const spot_race_t *race, size_t point_id, spot_table_t *table)
{
    if (race->has_best && point_id == race->best_id) {
        spot_table_add_text(table, "the best");
    } else if (!isfinite(race->runners[point_id].gain)) {
        spot_table_add_text(table, "not known");
    } else {
        spot_table_add_number(table, race->runners[point_id].gain);
    }
}

static void
add_row(const spot_race_t *race, size_t point_id, spot_table_t *table)
{
    const spot_runner_t *runner = &race->runners[point_id];
    const bool is_fixed = spot_study_is_fixed(race->head, point_id);
    char label[SPOT_VALUE_LABEL_BYTES];

    spot_table_add_row(table);
    for (size_t j = 0; j < race->head->num_axes; j++) {
        spot_table_add_text(table, spot_point_label(race->head, point_id, j, label));
    }
    add_estimate(&runner->estimate, is_fixed, table);
    add_gain(race, point_id, table);
    for (size_t j = 0; j < race->head->optimise.num_constraints; j++) {
        add_estimate(&runner->constrained[j], is_fixed, table);
    }
    spot_table_add_text(table, runner->is_feasible ? "yes" : "not known");
}

/* The metric in the unit of people; limits are told as they were given. */
static void
add_columns(const spot_page_t *page, const spot_race_t *race, spot_table_t *table)
{
    const spot_study_head_t *head = page->head;
    const spot_metric_t *metric = &head->metrics[race->metric_id];
    const spot_shown_unit_t shown =
        spot_shown_unit(metric, spot_report_largest(page->report, race->metric_id));
    char words[SPOT_WORDS_BYTES];

    for (size_t j = 0; j < head->num_axes; j++) {
        spot_axis_words(&head->axes[j], words);
        spot_table_add_column(
            table, (spot_table_column_t){.name = words, .is_key = true});
    }
    spot_metric_words_in(metric, shown.unit, words);
    spot_table_add_column(
        table, (spot_table_column_t){.name = words, .factor = shown.factor});
    spot_table_add_column(table,
        (spot_table_column_t){
            .name = "better by at most", .num_digits = 2, .factor = shown.factor});
    for (size_t j = 0; j < head->optimise.num_constraints; j++) {
        spot_table_add_column(
            table, (spot_table_column_t){.name = head->optimise.constraints[j].text});
    }
    spot_table_add_column(table,
        (spot_table_column_t){.name = "keeps the limits", .kind = SPOT_TABLE_TEXT});
}

static int
write_rivals(const spot_page_t *page, const spot_race_t *race)
{
    rival_t *rivals = spot_calloc(page->head->num_points, sizeof(*rivals));
    const size_t num_rivals = rivals == NULL ? 0 : sort_rivals(race, rivals);
    spot_table_t table = {.name = "race"};
    FILE *caption = spot_table_begin_text(&table);
    int ret = rivals == NULL ? SPOT_ERR_NO_MEMORY : 0;

    if (caption != NULL) {
        fputs("Points that may be the best", caption);
    }
    spot_table_end_caption(&table, caption);
    add_columns(page, race, &table);
    for (size_t j = 0; j < num_rivals && j < MAX_ROWS; j++) {
        add_row(race, rivals[j].point_id, &table);
    }
    if (ret == 0 && num_rivals > 0) {
        ret = spot_table_write_html(&table, "race-table", page->out);
    }
    if (num_rivals > MAX_ROWS) {
        fprintf(page->out, "<p class=\"note\">The first %d of %zu points.</p>\n",
            MAX_ROWS, num_rivals);
    }
    spot_table_free(&table);
    free(rivals);
    return ret;
}

static int
write(const spot_page_t *page)
{
    spot_race_answer_t answer;
    int ret = spot_race_answer_init(&answer, page->report->store);

    if (ret == 0) {
        ret = write_answer(page, &answer);
    }
    if (ret == 0) {
        ret = write_rivals(page, &answer.race);
    }
    spot_race_answer_free(&answer);
    return ret;
}

const spot_page_part_t spot_page_race = {"race", "The best point", problem, write};
