/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The best point of a study that looks for it, and what else may be the best. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "reports/interval_text.h"
#include "reports/page/page_cells.h"
#include "reports/page/page_internal.h"
#include "reports/race_text.h"
#include "reports/study_words.h"
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
write_estimate_cell(
    FILE *out, const spot_estimate_t *estimate, bool is_fixed, double factor)
{
    const double half_width =
        is_fixed ? 0 : spot_estimate_half_width(estimate, SPOT_CONFIDENCE);
    const double value = factor * spot_estimate_value(estimate);
    char text[SPOT_INTERVAL_BYTES];

    if (isinf(value)) {
        const double least = factor * spot_estimate_least(estimate);

        snprintf(text, sizeof(text), "> %.6g", least);
        spot_page_number_cell(out, least, text);
    } else {
        spot_page_number_cell(out, value,
            spot_interval_text(
                value, isfinite(half_width) ? factor * half_width : 0, text));
    }
}

/* What a rival may be better by than the best, at most. */
static void
write_gain_cell(const spot_race_t *race, size_t point_id, double factor, FILE *out)
{
    const double gain = factor * race->runners[point_id].gain;
    char text[SPOT_LABEL_BYTES];

    if (race->has_best && point_id == race->best_id) {
        fputs("<td>the best</td>", out);
    } else if (!isfinite(gain)) {
        fputs("<td>not known</td>", out);
    } else {
        snprintf(text, sizeof(text), "%.2g", gain);
        spot_page_number_cell(out, gain, text);
    }
}

/* The unit of the metric of the race; limits are told as they were given. */
static spot_shown_unit_t
shown_unit(const spot_page_t *page, const spot_race_t *race)
{
    return spot_shown_unit(&page->head->metrics[race->metric_id],
        spot_report_largest(page->report, race->metric_id));
}

static void
write_row(const spot_page_t *page, const spot_race_t *race, size_t point_id)
{
    const spot_runner_t *runner = &race->runners[point_id];
    const bool is_fixed = spot_study_is_fixed(page->head, point_id);
    const double factor = shown_unit(page, race).factor;

    fputs("<tr>", page->out);
    spot_page_key_cells(page->out, page->head, point_id);
    write_estimate_cell(page->out, &runner->estimate, is_fixed, factor);
    write_gain_cell(race, point_id, factor, page->out);
    for (size_t j = 0; j < page->head->optimise.num_constraints; j++) {
        write_estimate_cell(page->out, &runner->constrained[j], is_fixed, 1);
    }
    spot_html_element(page->out, "td", runner->is_feasible ? "yes" : "not known");
    fputs("</tr>\n", page->out);
}

static void
write_head(const spot_page_t *page, const spot_race_t *race)
{
    const spot_study_head_t *head = page->head;
    FILE *out = page->out;
    char words[SPOT_WORDS_BYTES];

    fputs("<thead><tr>", out);
    spot_page_key_heads(out, head);
    spot_metric_words_in(
        &head->metrics[race->metric_id], shown_unit(page, race).unit, words);
    spot_html_element(out, "th scope=\"col\"", words);
    fputs("<th scope=\"col\">better by at most</th>", out);
    for (size_t j = 0; j < head->optimise.num_constraints; j++) {
        spot_html_element(out, "th scope=\"col\"", head->optimise.constraints[j].text);
    }
    fputs("<th scope=\"col\">keeps the limits</th></tr></thead>\n", out);
}

static int
write_rivals(const spot_page_t *page, const spot_race_t *race)
{
    FILE *out = page->out;
    rival_t *rivals = spot_calloc(page->head->num_points, sizeof(*rivals));
    size_t num_rivals;

    if (rivals == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    num_rivals = sort_rivals(race, rivals);
    if (num_rivals > 0) {
        spot_page_table_open(out, "race-table", "Points that may be the best");
        write_head(page, race);
        fputs("<tbody>\n", out);
        for (size_t j = 0; j < num_rivals && j < MAX_ROWS; j++) {
            write_row(page, race, rivals[j].point_id);
        }
        fputs("</tbody>\n", out);
        spot_page_table_close(out);
    }
    if (num_rivals > MAX_ROWS) {
        fprintf(out, "<p class=\"note\">The first %d of %zu points.</p>\n", MAX_ROWS,
            num_rivals);
    }
    free(rivals);
    return 0;
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
