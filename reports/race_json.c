/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/race_json.h"

#include <math.h>

#include "reports/race_text.h"

static void
write_value(
    spot_json_t *json, const char *name, const spot_axis_t *axis, size_t value_id)
{
    spot_json_text(json, name, value_id == SPOT_NO_VALUE ? NULL : axis->texts[value_id]);
}

static void
write_question(const spot_optimise_t *optimise, spot_json_t *json)
{
    spot_json_text(
        json, optimise->is_maximised ? "maximise" : "minimise", optimise->metric);
    spot_json_open(json, "subject_to", '[');
    for (size_t j = 0; j < optimise->num_constraints; j++) {
        spot_json_text(json, NULL, optimise->constraints[j].text);
    }
    spot_json_close(json, ']');
    spot_json_number(json, "confidence", optimise->confidence);
    spot_json_number(json, "indifference", optimise->indifference);
}

static void
write_best(const spot_race_answer_t *answer, spot_json_t *json)
{
    const spot_race_t *race = &answer->race;
    const spot_study_head_t *head = race->head;

    if (!race->has_best) {
        spot_json_text(json, "best", NULL);
        return;
    }
    spot_json_open(json, "best", '{');
    spot_json_unsigned(json, "point", race->best_id);
    for (size_t j = 0; j < head->num_axes; j++) {
        write_value(json, head->axes[j].path, &head->axes[j],
            spot_study_value_id(head, race->best_id, j));
    }
    spot_json_close(json, '}');
}

static void
write_ranges(const spot_race_answer_t *answer, spot_json_t *json)
{
    const spot_study_head_t *head = answer->race.head;

    spot_json_open(json, "may_be_best", '{');
    for (size_t j = 0; j < head->num_axes; j++) {
        const spot_race_range_t *range = &answer->ranges[j];

        spot_json_open(json, head->axes[j].path, '{');
        spot_json_unsigned(json, "num_values", range->num_racing);
        write_value(json, "lowest", &head->axes[j], range->low_id);
        write_value(json, "highest", &head->axes[j], range->high_id);
        write_value(json, "out_below", &head->axes[j], range->below_id);
        write_value(json, "out_above", &head->axes[j], range->above_id);
        spot_json_close(json, '}');
    }
    spot_json_close(json, '}');
}

void
spot_race_json_write(const spot_race_answer_t *answer, spot_json_t *json)
{
    const spot_race_t *race = &answer->race;

    spot_json_open(json, "optimise", '{');
    write_question(&race->head->optimise, json);
    spot_json_text(json, "outcome", spot_race_outcome(answer));
    write_best(answer, json);
    spot_json_number(json, "regret", answer->regret);
    spot_json_number(json, "best_in_resamples", answer->sureness);
    spot_json_open(json, "points", '{');
    for (int j = 0; j < SPOT_NUM_FATES; j++) {
        spot_json_unsigned(json, spot_fate_names[j], answer->num_points[j]);
    }
    spot_json_close(json, '}');
    spot_json_unsigned(json, "constant_points", answer->num_constant);
    write_ranges(answer, json);
    spot_json_integer(json, "runs", answer->num_runs);
    spot_json_integer(json, "runs_of_full_grid", answer->num_runs_of_grid);
    spot_json_integer(json, "runs_of_whole_plan", answer->num_runs_of_plan);
    spot_json_close(json, '}');
}
