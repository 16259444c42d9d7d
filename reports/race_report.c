/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/verb/table.h"
#include "reports/plan_report.h"
#include "reports/race_report.h"
#include "reports/words.h"

#define MAX_RIVALS 50 /* that have a row */

/* How the search for the best point ended or that it did not, whatever the verdict on the
 * limits: "decided", "open" (the maximum of replications is reached with several points
 * that matter), "infeasible" (no point keeps the constraints), "unknown" (none is known
 * to), "undefined" (the metric is null too often at all points that keep the
 * constraints), "unfinished". */
static const char *race_outcome(const spot_race_answer_t *answer)
{
    const spot_race_t *race = &answer->race;

    return !race->is_over         ? "unfinished"
           : race->has_best       ? spot_race_is_decided(race) ? "decided" : "open"
           : race->num_racing > 0 ? "unknown"
           : answer->num_points[SPOT_FATE_UNDEFINED] > 0 ? "undefined"
                                                         : "infeasible";
}

/* ---- The best point ---- */

/* Every constraint, as it was given. */
static const char *limits_of(
    const spot_optimise_t *optimise, const char *between, spot_texts_t *texts)
{
    const char *text = "";

    for (size_t j = 0; j < optimise->num_constraints; j++) {
        text = spot_texts_join(
            texts, text, between, spot_words_shown(texts, optimise->constraints[j].text));
    }
    return text;
}

/* "usd_per_1000_samples 0.3071 ±0.0018 USD"; of a fixed point no interval. */
static const char *estimate_of(const spot_race_t *race, size_t metric_id,
    const spot_estimate_t *estimate, size_t point_id, spot_texts_t *texts)
{
    const spot_metric_t *metric = &race->head->metrics[metric_id];
    const double value = spot_estimate_value(estimate);
    const double known = isinf(value) ? spot_estimate_least(estimate) : value;
    const spot_shown_unit_t shown = spot_shown_unit(metric, fabs(known));
    const double half_width = spot_study_is_fixed(race->head, point_id)
                                  ? 0
                                  : spot_estimate_half_width(estimate, SPOT_CONFIDENCE);
    const char *blank = shown.unit[0] == '\0' ? "" : " ";
    const char *one_sided;
    double low, high;

    spot_estimate_bounds(estimate, SPOT_CONFIDENCE, &low, &high);
    one_sided = spot_words_one_sided(texts, value, low, high, shown.factor);
    if (one_sided != NULL && !spot_study_is_fixed(race->head, point_id)) {
        return spot_texts_add(texts, "%s %s%s%s", metric->name, one_sided, blank, shown.unit);
    }
    if (!isinf(value) && isfinite(half_width) && half_width > 0) {
        const int num_decimals = spot_decimals_for(shown.factor * half_width);

        return spot_texts_add(texts, "%s %.*f ±%.*f%s%s", metric->name, num_decimals,
            shown.factor * value, num_decimals, shown.factor * half_width, blank, shown.unit);
    }
    return spot_texts_add(texts, "%s %s%.6g%s%s", metric->name, isinf(value) ? "> " : "",
        shown.factor * known, blank, shown.unit);
}

/* The metric of a constraint at a point, and the constraint. */
static const char *constrained_of(
    const spot_race_t *race, size_t constraint_id, size_t point_id, spot_texts_t *texts)
{
    return spot_texts_add(texts, "%s; %s",
        estimate_of(race, race->constraint_ids[constraint_id],
            &race->runners[point_id].constrained[constraint_id], point_id, texts),
        spot_words_shown(texts, race->head->optimise.constraints[constraint_id].text));
}

/* " by more than 0.05 h (0.5 %)": what another point may be better by. */
static const char *regret_of(const spot_race_answer_t *answer, spot_texts_t *texts)
{
    const spot_race_t *race = &answer->race;
    const spot_metric_t *metric = &race->head->metrics[race->metric_id];
    const double mean = spot_estimate_value(&race->runners[race->best_id].estimate);
    const spot_shown_unit_t shown = spot_shown_unit(metric, answer->regret);
    const bool has_unit = metric->kind == SPOT_METRIC_TIME; /* maybe another one */
    const char *text;

    if (race->num_racing < 2 || isinf(answer->regret)) {
        return race->num_racing < 2 ? "" : " by more than is known";
    }
    text = spot_texts_add(texts, " by more than %.2g%s%s", shown.factor * answer->regret,
        has_unit ? " " : "", has_unit ? shown.unit : "");
    return mean == 0
               ? text
               : spot_texts_add(texts, "%s (%.2g %%)", text, 100 * answer->regret / fabs(mean));
}

const char *spot_race_beyond_text(const spot_race_t *race, spot_texts_t *texts)
{
    const char *beyond = spot_race_beyond(race, race->best_id);

    if (beyond == NULL) {
        return "";
    }
    return spot_texts_add(texts, "the best point %s%s", beyond,
        spot_study_beyond(race->head, race->best_id).only_warns ? ""
        : race->head->optimise.num_constraints > 0
            ? "; no point without them is known to keep the limits"
            : "; there is no point without them");
}

/* The only one that is left. */
static void write_best(const spot_race_answer_t *answer, spot_document_t *document)
{
    const spot_race_t *race = &answer->race;
    const spot_optimise_t *optimise = &race->head->optimise;
    spot_texts_t *texts = &document->texts;
    const char *beyond = spot_race_beyond_text(race, texts);

    if (beyond[0] != '\0') {
        spot_document_paragraph(document, "%s", beyond);
    }
    spot_document_paragraph(document, "best%s: %s", race->is_over ? "" : " so far",
        spot_words_setting(texts, race->head, race->best_id));
    spot_document_item(document, "%s",
        estimate_of(
            race, race->metric_id, &race->runners[race->best_id].estimate, race->best_id, texts));
    for (size_t j = 0; j < optimise->num_constraints; j++) {
        spot_document_item(document, "%s", constrained_of(race, j, race->best_id, texts));
    }
    spot_document_item(document, "with %g %% confidence no point of the plan%s is better",
        100 * optimise->confidence, optimise->num_constraints > 0 ? " that keeps the limits" : "");
}

/* Whether a point rests less on what was measured than another one. */
static bool is_less_measured(const spot_runner_t *self, const spot_runner_t *other)
{
    return (!self->is_measured && other->is_measured) || (self->is_beyond && !other->is_beyond);
}

/* Whether a point that is left has a better estimate than the one that leads: it is not
 * known to keep the limits, or, is_kept, it is, but rests on what was not measured. */
static bool has_better_open(const spot_race_t *race, bool *is_kept)
{
    const double sign = race->head->optimise.is_maximised ? -1 : 1;
    const spot_runner_t *leader = &race->runners[race->best_id];
    const double best = sign * spot_estimate_value(&leader->estimate);
    bool is_open = false;

    *is_kept = false;
    for (size_t j = 0; j < race->head->num_points; j++) {
        const spot_runner_t *runner = &race->runners[j];

        if (runner->fate == SPOT_FATE_RACING &&
            sign * spot_estimate_value(&runner->estimate) < best) {
            is_open = is_open || !runner->is_feasible;
            *is_kept = *is_kept || (runner->is_feasible && is_less_measured(runner, leader));
        }
    }
    return is_open || *is_kept;
}

const char *spot_race_leader(const spot_race_t *race, const char *which, spot_texts_t *texts)
{
    bool is_kept;

    if (!has_better_open(race, &is_kept)) {
        return spot_texts_add(texts, "the %s estimate", which);
    }
    return spot_texts_add(texts, "the %s estimate of those %s%s%s", which,
        race->head->optimise.num_constraints > 0 ? "shown to keep the limits" : "",
        race->head->optimise.num_constraints > 0 && is_kept ? " and " : "",
        is_kept ? "that rest on what was measured" : "");
}

/* Of several none is the best: the table lists them with their intervals. How far the
 * estimate that leads may be off is what the choice can cost. */
static void write_several(const spot_race_answer_t *answer, spot_document_t *document)
{
    const spot_race_t *race = &answer->race;
    const spot_optimise_t *optimise = &race->head->optimise;
    const char *which = optimise->is_maximised ? "highest" : "lowest";
    spot_texts_t *texts = &document->texts;
    bool is_kept;

    spot_document_paragraph(document, "%zu points may be the best%s: %s%s is %s, at %s",
        race->num_racing, race->is_over ? "" : " so far", spot_race_leader(race, which, texts),
        has_better_open(race, &is_kept) ? "" : " of them",
        estimate_of(
            race, race->metric_id, &race->runners[race->best_id].estimate, race->best_id, texts),
        spot_words_setting(texts, race->head, race->best_id));
    spot_document_item(document, "with %g %% confidence no point of the plan%s is better%s",
        100 * optimise->confidence, optimise->num_constraints > 0 ? " that keeps the limits" : "",
        regret_of(answer, texts));
}

/* ---- No best point ---- */

/* The point where a constraint is kept best, or broken least. */
static size_t nearest_to(const spot_race_t *race, size_t constraint_id)
{
    const double sign = race->head->optimise.constraints[constraint_id].is_upper ? 1 : -1;
    size_t nearest_id = 0;
    double nearest = (double) NAN;

    for (size_t j = 0; j < race->head->num_points; j++) {
        const spot_estimate_t *estimate = &race->runners[j].constrained[constraint_id];
        const double value = spot_estimate_value(estimate);
        const double cost = sign * (isinf(value) ? spot_estimate_least(estimate) : value);

        if (!isfinite(nearest) || cost < nearest) {
            nearest = cost;
            nearest_id = j;
        }
    }
    return nearest_id;
}

static void write_no_best(const spot_race_answer_t *answer, spot_document_t *document)
{
    const spot_race_t *race = &answer->race;
    const spot_optimise_t *optimise = &race->head->optimise;
    const size_t num_undefined = answer->num_points[SPOT_FATE_UNDEFINED];
    spot_texts_t *texts = &document->texts;

    if (race->num_racing > 0 && optimise->num_constraints == 0) {
        spot_document_paragraph(
            document, "no point is known to have %s often enough", optimise->metric);
        return;
    }
    if (optimise->num_constraints == 0) {
        spot_document_paragraph(document, "no answer: a metric is null too often at %s",
            spot_words_count(texts, (int64_t) num_undefined, "point"));
    }
    for (size_t j = 0; j < optimise->num_constraints; j++) {
        const size_t nearest_id = nearest_to(race, j);

        spot_document_item(document, "nearest: %s, at %s",
            constrained_of(race, j, nearest_id, texts),
            spot_words_setting(texts, race->head, nearest_id));
    }
}

/* ---- Whether the limits can be kept ---- */

static void write_verdict(const spot_race_answer_t *answer, spot_document_t *document)
{
    const spot_race_t *race = &answer->race;
    const spot_optimise_t *optimise = &race->head->optimise;
    const size_t num_undefined = answer->num_points[SPOT_FATE_UNDEFINED];
    const size_t num_points = race->head->num_points;
    const spot_verdict_t verdict = spot_race_verdict(race);
    const char *name = spot_verdict_names[verdict];
    spot_texts_t *texts = &document->texts;
    const char *limits = limits_of(optimise, " and ", texts);

    if (optimise->num_constraints == 0) {
        return;
    }
    if (verdict == SPOT_VERDICT_YES) {
        const size_t num = spot_race_num_feasible(race);

        spot_document_paragraph(document, "%s: %zu of %s %s shown to keep %s", name, num,
            spot_words_count(texts, (int64_t) num_points, "point"), num == 1 ? "is" : "are",
            limits);
    } else if (verdict == SPOT_VERDICT_UNDECIDED) {
        spot_document_paragraph(document, "%s: no point is shown to keep %s, %zu may: %s", name,
            limits, race->num_racing,
            !race->is_over ? "the race is not over"
            : answer->num_doubtful > 0
                ? "a limit depends on events that the replications hardly show; raise "
                  "replications.max"
                : "those left are too near the limit; raise replications.max");
    } else if (num_undefined > 0) {
        spot_document_paragraph(document, "%s: a metric is null too often at %s%s%s", name,
            spot_words_count(texts, (int64_t) num_undefined, "point"),
            num_undefined < num_points ? ", the others do not keep " : "",
            num_undefined < num_points ? limits : "");
    } else {
        spot_document_paragraph(document, "%s: no point keeps %s", name, limits);
    }
}

/* ---- What else may be the best ---- */

/* "2 of 12 points may be the best, 10 are out: 2 dominated, 8 infeasible". */
static void write_fates(const spot_race_answer_t *answer, spot_document_t *document)
{
    const size_t num_points = answer->race.head->num_points;
    const size_t num_out = num_points - answer->race.num_racing;
    spot_texts_t *texts = &document->texts;
    const char *fates = "", *undecided = "";

    for (int j = SPOT_FATE_RACING + 1; j < SPOT_NUM_FATES; j++) {
        if (answer->num_points[j] > 0) {
            fates = spot_texts_join(texts, fates, ", ",
                spot_texts_add(texts, "%zu %s", answer->num_points[j], spot_fate_names[j]));
        }
    }
    if (answer->num_undecided > 0 && answer->race.has_best) {
        undecided = spot_texts_add(
            texts, " (%zu of them if the constraints hold there)", answer->num_undecided);
    }
    spot_document_paragraph(document, "%zu of %s may be the best%s, %zu %s out%s%s",
        answer->race.num_racing, spot_words_count(texts, (int64_t) num_points, "point"), undecided,
        num_out, num_out == 1 ? "is" : "are", num_out == 0 ? "" : ": ", fates);
    for (size_t j = 0; answer->num_points[SPOT_FATE_UNMEASURED] > 0 && j < num_points; j++) {
        if (answer->race.runners[j].fate == SPOT_FATE_UNMEASURED) {
            spot_document_item(document, "unmeasured: %s %s",
                spot_words_setting(texts, answer->race.head, j),
                spot_study_beyond(answer->race.head, j).words);
            break; /* the others are likewise */
        }
    }
}

/* Where the optimum of a curve through the values of a key lies, which need not be one
 * of them. */
static const char *optimum_of(const spot_race_answer_t *answer, const spot_race_range_t *range,
    size_t axis_id, spot_texts_t *texts)
{
    const spot_axis_t *axis = &answer->race.head->axes[axis_id];
    const bool has_below = range->below_id != SPOT_NO_VALUE,
               has_above = range->above_id != SPOT_NO_VALUE;
    const char *below = has_below ? spot_words_label(texts, axis, range->below_id) : "";
    const char *above = has_above ? spot_words_label(texts, axis, range->above_id) : "";

    if (has_below && has_above) {
        return spot_texts_add(
            texts, "; between %s and %s if the curve has one optimum", below, above);
    }
    if (has_below || has_above) {
        return spot_texts_add(texts,
            "; %s %s%s, perhaps beyond the plan, if the curve has one optimum",
            has_below ? "above" : "below", below, above);
    }
    return range->is_limited ? spot_texts_add(texts, "; limited by %s",
                                   limits_of(&answer->race.head->optimise, " or ", texts))
                             : "";
}

/* The values of a key that the best point may have. */
static void write_range(const spot_race_answer_t *answer, size_t axis_id, spot_document_t *document)
{
    const spot_race_range_t *range = &answer->ranges[axis_id];
    const spot_axis_t *axis = &answer->race.head->axes[axis_id];
    spot_texts_t *texts = &document->texts;

    if (range->num_values == 1) {
        spot_document_item(document, "%s: %s", axis->path, spot_words_label(texts, axis, 0));
    } else if (!range->is_numeric || range->num_racing == range->num_values) {
        spot_document_item(
            document, "%s: %zu of %zu values", axis->path, range->num_racing, range->num_values);
    } else {
        spot_document_item(document, "%s: %s%s%s%s", axis->path,
            spot_words_label(texts, axis, range->low_id), range->num_racing > 1 ? " to " : "",
            range->num_racing > 1 ? spot_words_label(texts, axis, range->high_id) : "",
            optimum_of(answer, range, axis_id, texts));
    }
}

/* ---- How it went ---- */

/* "6.1 %", without an exponent. */
static const char *percent_of(int64_t num_runs, int64_t num_all, spot_texts_t *texts)
{
    const double percent = 100 * (double) num_runs / (double) num_all;

    return spot_texts_add(
        texts, "%.*f %%", percent < 9.95 ? spot_decimals_for(percent) : 0, percent);
}

/* What the race took, and what it spared. */
static void write_runs(const spot_race_answer_t *answer, spot_document_t *document)
{
    const int64_t num_rows = answer->race.num_rows;
    const int64_t max_rows = answer->race.head->num_replications;
    spot_texts_t *texts = &document->texts;
    const char *of_grid = "", *of_plan = "";

    if (num_rows > 0) {
        of_grid = spot_texts_add(texts, ", %s of a full grid with %" PRId64 " replications each",
            percent_of(answer->num_runs, answer->num_runs_of_grid, texts), num_rows);
    }
    if (num_rows > 0 && num_rows < max_rows) {
        of_plan = spot_texts_add(texts, " (%s of one with the maximum, %" PRId64 ")",
            percent_of(answer->num_runs, answer->num_runs_of_plan, texts), max_rows);
    }
    spot_document_paragraph(document, "%" PRId64 " runs%s%s", answer->num_runs, of_grid, of_plan);
}

/* Where the race did not end as one would wish. Values without spread bound nothing:
 * what has a chance of 3/n is missing from n replications with a chance of 5 %. */
static void write_doubts(const spot_race_answer_t *answer, spot_document_t *document)
{
    const spot_race_t *race = &answer->race;

    if (answer->num_constant > 0) {
        spot_document_paragraph(document,
            "%zu of the points left had the same value, or difference to the best, in "
            "all %" PRId64 " replications: what is rarer than 1 in %" PRId64
            " may be missing; raise replications.min",
            answer->num_constant, race->num_rows, race->num_rows < 3 ? 1 : race->num_rows / 3);
    }
    if (answer->num_doubtful > 0) {
        spot_document_paragraph(document,
            "%zu of the points left would keep or break a limit by values that are all the same, "
            "or whose tail is too heavy for %" PRId64 " replications: that shows nothing of rare "
            "events, so it counts as open",
            answer->num_doubtful, race->num_rows);
    }
    if (race->is_over && race->has_best && !spot_race_is_decided(race)) {
        spot_document_paragraph(document,
            "%" PRId64 " replications, the maximum, do not tell the points that may be the best "
            "apart to %g %%; raise replications.max or optimise.indifference",
            race->num_rows, 100 * race->head->optimise.indifference);
    }
}

void spot_race_text_write(const spot_race_answer_t *answer, spot_document_t *document)
{
    const spot_race_t *race = &answer->race;

    write_verdict(answer, document);
    write_doubts(answer, document);
    if (spot_race_has_winner(race)) {
        write_best(answer, document);
    } else if (race->has_best) {
        write_several(answer, document);
    } else if (race->is_over) {
        write_no_best(answer, document);
    }
    write_fates(answer, document);
    for (size_t j = 0; race->num_racing > 0 && j < race->head->num_axes; j++) {
        write_range(answer, j, document);
    }
    write_runs(answer, document);
}

/* ---- The points that may be the best ---- */

/* The racing point that comes after the one before it, best first; num_points: none. */
static size_t next_rival(const spot_race_t *race, size_t before_id)
{
    const size_t num_points = race->head->num_points;
    const double sign = race->head->optimise.is_maximised ? -1 : 1;
    const double before = before_id == num_points
                              ? -HUGE_VAL
                              : sign * spot_estimate_value(&race->runners[before_id].estimate);
    double least = HUGE_VAL;
    size_t next_id = num_points;

    for (size_t j = 0; j < num_points; j++) {
        const double cost = sign * spot_estimate_value(&race->runners[j].estimate);

        if (race->runners[j].fate == SPOT_FATE_RACING && isfinite(cost) && cost < least &&
            (cost > before || (cost == before && j > before_id))) {
            least = cost;
            next_id = j;
        }
    }
    return next_id;
}

/* A fixed point has no interval, and what is above all that is known, a bound. */
static void add_estimate(const spot_estimate_t *estimate, bool is_fixed, spot_table_t *table)
{
    const double half_width = spot_estimate_half_width(estimate, SPOT_CONFIDENCE);
    const double value = spot_estimate_value(estimate);
    const char *one_sided;
    double low, high;

    spot_estimate_bounds(estimate, SPOT_CONFIDENCE, &low, &high);
    one_sided =
        spot_words_one_sided(&table->texts, value, low, high, spot_table_next_factor(table));
    if (one_sided != NULL && !is_fixed) {
        spot_table_add_text(table, one_sided);
        spot_table_set_value(table, value);
    } else if (isinf(value)) {
        spot_table_add_above(table, spot_estimate_least(estimate));
    } else {
        spot_table_add_estimate(
            table, value, is_fixed || !isfinite(half_width) ? (double) NAN : half_width);
    }
}

static void add_row(
    const spot_race_t *race, size_t point_id, spot_point_voice_t voice, spot_table_t *table)
{
    const spot_runner_t *runner = &race->runners[point_id];
    const bool is_fixed = spot_study_is_fixed(race->head, point_id);

    spot_table_add_row(table);
    spot_table_add_point(table, race->head, point_id, SIZE_MAX, voice);
    add_estimate(&runner->estimate, is_fixed, table);
    if (spot_race_has_winner(race)) {
        spot_table_add_text(table, "the best");
    } else if (race->has_best && point_id == race->best_id) {
        bool is_kept;
        const char *which = race->head->optimise.is_maximised ? "highest" : "lowest";

        spot_table_add_text(table, has_better_open(race, &is_kept)
                                       ? spot_texts_add(&table->texts, "%s of those shown", which)
                                       : which);
    } else if (race->has_best && isfinite(runner->gain)) {
        spot_table_add_number(table, runner->gain);
    } else {
        spot_table_add_text(table, "not known");
    }
    for (size_t j = 0; j < race->head->optimise.num_constraints; j++) {
        add_estimate(&runner->constrained[j], is_fixed, table);
    }
    spot_table_add_text(table, runner->is_feasible ? "yes" : "not known");
}

/* The metric in the unit of people; limits stand as they were given. */
static void add_columns(const spot_report_t *report, const spot_race_t *race,
    spot_document_t *document, spot_table_t *table)
{
    const spot_study_head_t *head = report->head;
    const spot_metric_t *metric = &head->metrics[race->metric_id];
    const spot_shown_unit_t shown =
        spot_shown_unit(metric, spot_report_largest(report, race->metric_id));

    spot_table_add_keys(table, head, SIZE_MAX, spot_document_voice(document));
    spot_table_add_column(table,
        (spot_table_column_t){.name = spot_words_metric(&document->texts, metric, shown.unit),
            .factor = shown.factor});
    spot_table_add_column(
        table, (spot_table_column_t){
                   .name = "better by at most", .num_digits = 2, .factor = shown.factor});
    for (size_t j = 0; j < head->optimise.num_constraints; j++) {
        spot_table_add_column(
            table, (spot_table_column_t){.name = head->optimise.constraints[j].text});
    }
    spot_table_add_column(
        table, (spot_table_column_t){.name = "keeps the limits", .kind = SPOT_TABLE_TEXT});
}

static void write_rivals(
    const spot_report_t *report, const spot_race_t *race, spot_document_t *document)
{
    spot_table_t table = {.name = "race", .caption = "Points that may be the best"};
    size_t rival_id = next_rival(race, race->head->num_points);

    add_columns(report, race, document, &table);
    while (rival_id < race->head->num_points && table.num_rows < MAX_RIVALS) {
        add_row(race, rival_id, spot_document_voice(document), &table);
        rival_id = next_rival(race, rival_id);
    }
    if (table.num_rows > 0) {
        spot_document_gap(document);
        spot_document_table(document, "race-table", &table);
    }
    spot_document_fail(document, table.error); /* it may have no row for that reason */
    spot_table_free(&table);
    if (rival_id < race->head->num_points) {
        spot_document_note(document, "The first %d of %zu points.", MAX_RIVALS, race->num_racing);
    }
}

void spot_race_write(const spot_report_t *report, spot_document_t *document)
{
    const spot_race_answer_t *answer;
    const int ret = spot_report_race(report, &answer);

    spot_document_fail(document, ret);
    if (ret == 0) {
        spot_race_text_write(answer, document);
        write_rivals(report, &answer->race, document);
    }
}

/* ---- JSON ---- */

static void json_value(
    spot_json_t *json, const char *name, const spot_axis_t *axis, size_t value_id)
{
    spot_json_text(json, name, value_id == SPOT_NO_VALUE ? NULL : axis->texts[value_id]);
}

static void json_question(spot_json_t *json, const spot_optimise_t *optimise)
{
    spot_json_text(json, optimise->is_maximised ? "maximise" : "minimise", optimise->metric);
    spot_json_open(json, "subject_to", '[');
    for (size_t j = 0; j < optimise->num_constraints; j++) {
        spot_json_text(json, NULL, optimise->constraints[j].text);
    }
    spot_json_close(json, ']');
    spot_json_number(json, "confidence", optimise->confidence);
    spot_json_number(json, "indifference", optimise->indifference);
}

static void json_best(spot_json_t *json, const spot_race_t *race)
{
    if (!spot_race_has_winner(race)) {
        spot_json_text(json, "best", NULL);
        return;
    }
    spot_json_open(json, "best", '{');
    spot_json_unsigned(json, "point", race->best_id);
    for (size_t j = 0; j < race->head->num_axes; j++) {
        json_value(json, race->head->axes[j].path, &race->head->axes[j],
            spot_study_value_id(race->head, race->best_id, j));
    }
    if (spot_race_beyond(race, race->best_id) != NULL) {
        spot_json_text(json, "doubt", spot_race_beyond(race, race->best_id));
    }
    spot_json_close(json, '}');
}

/* The points that may be the best, the best estimate first. */
static void json_candidates(spot_json_t *json, const spot_race_t *race)
{
    const size_t num_points = race->head->num_points;

    spot_json_open(json, "candidates", '[');
    for (size_t j = next_rival(race, num_points); j < num_points; j = next_rival(race, j)) {
        const spot_runner_t *runner = &race->runners[j];
        const bool is_fixed = spot_study_is_fixed(race->head, j);
        const double value = spot_estimate_value(&runner->estimate);
        double low, high;

        spot_estimate_bounds(&runner->estimate, SPOT_CONFIDENCE, &low, &high);
        spot_json_open(json, NULL, '{');
        spot_json_unsigned(json, "point", j);
        spot_json_number(json, "mean", value);
        spot_json_number(json, "ci95_low", is_fixed ? value : low);
        spot_json_number(json, "ci95_high", is_fixed ? value : high);
        spot_json_number(
            json, "better_by_at_most", race->has_best ? runner->gain : (double) INFINITY);
        spot_json_boolean(json, "keeps_limits", runner->is_feasible);
        spot_json_close(json, '}');
    }
    spot_json_close(json, ']');
}

void spot_race_json_write(const spot_race_answer_t *answer, spot_json_t *json)
{
    const spot_study_head_t *head = answer->race.head;

    spot_json_open(json, "optimise", '{');
    json_question(json, &head->optimise);
    spot_json_text(json, "outcome", race_outcome(answer));
    json_best(json, &answer->race);
    json_candidates(json, &answer->race);
    spot_json_number(json, "regret", answer->regret);
    spot_json_number(json, "best_in_resamples", answer->sureness);
    spot_json_open(json, "points", '{');
    for (int j = 0; j < SPOT_NUM_FATES; j++) {
        spot_json_unsigned(json, spot_fate_names[j], answer->num_points[j]);
    }
    spot_json_close(json, '}');
    spot_json_unsigned(json, "constant_points", answer->num_constant);
    spot_json_unsigned(json, "doubtful_points", answer->num_doubtful);
    spot_json_open(json, "may_be_best", '{');
    for (size_t j = 0; j < head->num_axes; j++) {
        const spot_race_range_t *range = &answer->ranges[j];

        spot_json_open(json, head->axes[j].path, '{');
        spot_json_unsigned(json, "num_values", range->num_racing);
        json_value(json, "lowest", &head->axes[j], range->low_id);
        json_value(json, "highest", &head->axes[j], range->high_id);
        json_value(json, "out_below", &head->axes[j], range->below_id);
        json_value(json, "out_above", &head->axes[j], range->above_id);
        spot_json_close(json, '}');
    }
    spot_json_close(json, '}');
    spot_json_integer(json, "runs", answer->num_runs);
    spot_json_integer(json, "runs_of_full_grid", answer->num_runs_of_grid);
    spot_json_integer(json, "runs_of_whole_plan", answer->num_runs_of_plan);
    spot_json_close(json, '}');
}
