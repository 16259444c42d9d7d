/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/race_text.h"

#include <inttypes.h>
#include <math.h>

#include "base/utf8.h"
#include "reports/shown_unit.h"
#include "reports/table/decimals.h"
#include "reports/table/interval_text.h"
#include "reports/value_label.h"
#include "sim/analysis/summary.h"

/* Room for the text of a call, up to the end of the block. */
#define ROOM ((char[SPOT_VALUE_LABEL_BYTES]){""})
_Static_assert(SPOT_INTERVAL_BYTES <= SPOT_VALUE_LABEL_BYTES, "an interval has room");

const char *
spot_race_outcome(const spot_race_answer_t *answer)
{
    const spot_race_t *race = &answer->race;

    return !race->is_over         ? "unfinished"
           : race->has_best       ? spot_race_is_decided(race) ? "decided" : "undecided"
           : race->num_racing > 0 ? "unknown"
           : answer->num_points[SPOT_FATE_UNDEFINED] > 0 ? "undefined"
                                                         : "infeasible";
}

static void
write_point(const spot_study_head_t *head, size_t point_id, FILE *out)
{
    for (size_t j = 0; j < head->num_axes; j++) {
        fprintf(out, "%s%s = %s", j == 0 ? "" : ", ", head->axes[j].path,
            spot_point_label(head, point_id, j, ROOM));
    }
    fputc('\n', out);
}

/* Every constraint, as it was given. */
static void
write_constraints(const spot_optimise_t *optimise, const char *between, FILE *out)
{
    for (size_t j = 0; j < optimise->num_constraints; j++) {
        fprintf(out, "%s%s", j == 0 ? "" : between,
            spot_utf8_shown(optimise->constraints[j].text, ROOM));
    }
}

/* ---- The best point ---- */

/* "usd_per_1000_samples 0.3071 ±0.0018 USD"; of a fixed point no interval. */
static void
write_estimate(const spot_race_t *race, size_t metric_id,
    const spot_estimate_t *estimate, size_t point_id, FILE *out)
{
    const spot_metric_t *metric = &race->head->metrics[metric_id];
    const double value = spot_estimate_value(estimate);
    const double known = isinf(value) ? spot_estimate_least(estimate) : value;
    const spot_shown_unit_t shown = spot_shown_unit(metric, fabs(known));
    const double half_width = spot_study_is_fixed(race->head, point_id)
                                  ? 0
                                  : spot_estimate_half_width(estimate, SPOT_CONFIDENCE);

    if (isinf(value)) {
        fprintf(out, "%s > %.6g", metric->name, shown.factor * known);
    } else {
        fprintf(out, "%s %s", metric->name,
            spot_interval_text(shown.factor * value,
                isfinite(half_width) ? shown.factor * half_width : 0, ROOM));
    }
    fprintf(out, "%s%s", shown.unit[0] == '\0' ? "" : " ", shown.unit);
}

/* The metric of a constraint at a point, and the constraint. */
static void
write_constrained(
    const spot_race_t *race, size_t constraint_id, size_t point_id, FILE *out)
{
    write_estimate(race, race->constraint_ids[constraint_id],
        &race->runners[point_id].constrained[constraint_id], point_id, out);
    fprintf(out, "; %s\n",
        spot_utf8_shown(race->head->optimise.constraints[constraint_id].text, ROOM));
}

/* How often it is the best of those that are left, which is no more than the resamples
 * show; nothing where all are it equally often, as where they do not differ. */
static void
write_sureness(const spot_race_answer_t *answer, FILE *out)
{
    const size_t num_rivals = answer->race.num_racing - answer->num_undecided;
    const double num = answer->num_resamples;
    const double highest = floor(1000 * (num - 1) / num) / 10;
    const double percent = fmin(100 * answer->sureness, highest);

    if (num_rivals < 2 || fabs((double) num_rivals * answer->sureness - 1) < 1e-9) {
        return;
    }
    fprintf(out,
        "  of the %zu points left it is the best in %s%.*f %% of bootstrap "
        "resamples%s\n",
        num_rivals, 100 * answer->sureness > highest ? "> " : "", percent > 98 ? 1 : 0,
        percent,
        answer->race.is_over && !spot_race_is_decided(&answer->race)
            ? ", not corrected for having chosen the best"
            : "");
}

static void
write_certainty(const spot_race_answer_t *answer, FILE *out)
{
    const spot_race_t *race = &answer->race;
    const spot_metric_t *metric = &race->head->metrics[race->metric_id];
    const double mean = spot_estimate_value(&race->runners[race->best_id].estimate);
    const spot_shown_unit_t shown = spot_shown_unit(metric, answer->regret);
    const bool has_unit = metric->kind == SPOT_METRIC_TIME; /* maybe another one */

    fprintf(out, "  with %g %% confidence no point of the plan%s is better",
        100 * race->head->optimise.confidence,
        race->head->optimise.num_constraints > 0 ? " that keeps the limits" : "");
    if (race->num_racing > 1 && isinf(answer->regret)) {
        fputs(" by more than is known", out);
    } else if (race->num_racing > 1) {
        fprintf(out, " by more than %.2g%s%s", shown.factor * answer->regret,
            has_unit ? " " : "", has_unit ? shown.unit : "");
    }
    if (race->num_racing > 1 && mean != 0 && isfinite(answer->regret)) {
        fprintf(out, " (%.2g %%)", 100 * answer->regret / fabs(mean));
    }
    fputc('\n', out);
    write_sureness(answer, out);
}

static void
write_best(const spot_race_answer_t *answer, FILE *out)
{
    const spot_race_t *race = &answer->race;

    fputs(race->is_over ? "best: " : "best so far: ", out);
    write_point(race->head, race->best_id, out);
    fputs("  ", out);
    write_estimate(race, race->metric_id, &race->runners[race->best_id].estimate,
        race->best_id, out);
    fputc('\n', out);
    for (size_t j = 0; j < race->head->optimise.num_constraints; j++) {
        fputs("  ", out);
        write_constrained(race, j, race->best_id, out);
    }
    write_certainty(answer, out);
}

/* ---- No best point ---- */

/* Where each constraint is kept best, or broken least. */
static void
write_nearest(const spot_race_t *race, FILE *out)
{
    for (size_t j = 0; j < race->head->optimise.num_constraints; j++) {
        const double sign = race->head->optimise.constraints[j].is_upper ? 1 : -1;
        size_t nearest_id = 0;
        double nearest = (double) NAN;

        for (size_t k = 0; k < race->head->num_points; k++) {
            const spot_estimate_t *estimate = &race->runners[k].constrained[j];
            const double value = spot_estimate_value(estimate);
            const double cost =
                sign * (isinf(value) ? spot_estimate_least(estimate) : value);

            if (!isfinite(nearest) || cost < nearest) {
                nearest = cost;
                nearest_id = k;
            }
        }
        fputs("  nearest: ", out);
        write_constrained(race, j, nearest_id, out);
        fputs("    at ", out);
        write_point(race->head, nearest_id, out);
    }
}

static void
write_no_best(const spot_race_answer_t *answer, FILE *out)
{
    const spot_race_t *race = &answer->race;
    const spot_optimise_t *optimise = &race->head->optimise;
    const size_t num_undefined = answer->num_points[SPOT_FATE_UNDEFINED];
    const char *before = "no answer: no point keeps ";

    if (race->num_racing > 0 && optimise->num_constraints == 0) {
        fprintf(out, "no point is known to have %s often enough\n", optimise->metric);
        return;
    }
    if (race->num_racing > 0) {
        before = "no point is known to keep ";
    } else if (num_undefined > 0) {
        fprintf(out, "no answer: a metric is null too often at %zu point%s",
            num_undefined, num_undefined == 1 ? "" : "s");
        before = ", the others do not keep ";
    }
    if (num_undefined < race->head->num_points) {
        fputs(before, out);
        write_constraints(optimise, " and ", out);
    }
    fputs(race->num_racing > 0
              ? ": those left are too near the limit; raise replications.max\n"
              : "\n",
        out);
    write_nearest(race, out);
}

/* ---- What else may be the best ---- */

/* "2 of 12 points may be the best, 10 are out: 2 dominated, 8 infeasible". */
static void
write_fates(const spot_race_answer_t *answer, FILE *out)
{
    const size_t num_points = answer->race.head->num_points;
    const size_t num_out = num_points - answer->race.num_racing;
    const char *before = ": ";

    fprintf(out, "%zu of %zu point%s may be the best", answer->race.num_racing,
        num_points, num_points == 1 ? "" : "s");
    if (answer->num_undecided > 0 && answer->race.has_best) {
        fprintf(
            out, " (%zu of them if the constraints hold there)", answer->num_undecided);
    }
    fprintf(out, ", %zu %s out", num_out, num_out == 1 ? "is" : "are");
    for (int j = SPOT_FATE_RACING + 1; j < SPOT_NUM_FATES; j++) {
        if (answer->num_points[j] > 0) {
            fprintf(out, "%s%zu %s", before, answer->num_points[j], spot_fate_names[j]);
            before = ", ";
        }
    }
    fputc('\n', out);
}

/* The values of a key that the best point may have, and where the optimum of a curve
 * through them lies. */
static void
write_range(const spot_race_answer_t *answer, size_t axis_id, FILE *out)
{
    const spot_race_range_t *range = &answer->ranges[axis_id];
    const spot_axis_t *axis = &answer->race.head->axes[axis_id];
    const bool has_below = range->below_id != SPOT_NO_VALUE,
               has_above = range->above_id != SPOT_NO_VALUE;

    fprintf(out, "  %s: ", axis->path);
    if (range->num_values == 1) {
        fprintf(out, "%s\n", spot_value_label(axis, 0, ROOM));
        return;
    }
    if (!range->is_numeric || range->num_racing == range->num_values) {
        fprintf(out, "%zu of %zu values\n", range->num_racing, range->num_values);
        return;
    }
    fputs(spot_value_label(axis, range->low_id, ROOM), out);
    if (range->num_racing > 1) {
        fprintf(out, " to %s", spot_value_label(axis, range->high_id, ROOM));
    }
    if (has_below && has_above) {
        fprintf(out, "; between %s and %s if the curve has one optimum",
            spot_value_label(axis, range->below_id, ROOM),
            spot_value_label(axis, range->above_id, ROOM));
    } else if (has_below || has_above) {
        fprintf(out, "; %s %s, perhaps beyond the plan, if the curve has one optimum",
            has_below ? "above" : "below",
            spot_value_label(axis, has_below ? range->below_id : range->above_id, ROOM));
    } else if (range->is_limited) {
        fputs("; limited by ", out);
        write_constraints(&answer->race.head->optimise, " or ", out);
    }
    fputc('\n', out);
}

/* ---- How it went ---- */

/* Values without spread bound nothing: what has a chance of 3/n is missing from n
 * replications with a chance of 5 %. */
static void
write_constant(const spot_race_answer_t *answer, FILE *out)
{
    const int64_t num_rows = answer->race.num_rows;

    if (answer->num_constant > 0) {
        fprintf(out,
            "%zu of the points left had the same value, or difference to the best, in "
            "all %" PRId64 " replications: what is rarer than 1 in %" PRId64
            " may be missing; raise replications.min\n",
            answer->num_constant, num_rows, num_rows < 3 ? 1 : num_rows / 3);
    }
}

/* How the race ended, where that is not as one would wish. */
static void
write_end(const spot_race_answer_t *answer, FILE *out)
{
    const spot_race_t *race = &answer->race;
    const bool is_one = race->num_racing == 1;

    if (!race->is_over) {
        fprintf(out,
            "unfinished: the race is not over; %zu point%s need%s more replications\n",
            race->num_racing, is_one ? "" : "s", is_one ? "s" : "");
    } else if (race->has_best && !spot_race_is_decided(race)) {
        fprintf(out,
            "undecided: %" PRId64 " replications, the maximum, do not tell these points "
            "apart to %g %%; raise replications.max or optimise.indifference\n",
            race->num_rows, 100 * race->head->optimise.indifference);
    }
}

/* "1536 runs, 6.1 % of ...", without an exponent. */
static void
write_percent(int64_t num_runs, int64_t num_all, FILE *out)
{
    const double percent = 100 * (double) num_runs / (double) num_all;

    fprintf(
        out, "%.*f %% of ", percent < 9.95 ? spot_decimals_for(percent) : 0, percent);
}

/* What the race took, and what it spared. */
static void
write_runs(const spot_race_answer_t *answer, FILE *out)
{
    const int64_t num_rows = answer->race.num_rows;
    const int64_t max_rows = answer->race.head->num_replications;

    fprintf(out, "%" PRId64 " runs", answer->num_runs);
    if (num_rows > 0) {
        fputs(", ", out);
        write_percent(answer->num_runs, answer->num_runs_of_grid, out);
        fprintf(out, "a full grid with %" PRId64 " replications each", num_rows);
    }
    if (num_rows > 0 && num_rows < max_rows) {
        fputs(" (", out);
        write_percent(answer->num_runs, answer->num_runs_of_plan, out);
        fprintf(out, "one with the maximum, %" PRId64 ")", max_rows);
    }
    fputc('\n', out);
}

void
spot_race_text_write(const spot_race_answer_t *answer, FILE *out)
{
    const spot_race_t *race = &answer->race;

    fputc('\n', out);
    if (race->has_best) {
        write_best(answer, out);
    } else if (race->is_over) {
        write_no_best(answer, out);
    }
    write_fates(answer, out);
    for (size_t j = 0; race->num_racing > 0 && j < race->head->num_axes; j++) {
        write_range(answer, j, out);
    }
    write_constant(answer, out);
    write_end(answer, out);
    write_runs(answer, out);
}
