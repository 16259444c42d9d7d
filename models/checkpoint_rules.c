/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/checkpoint_rules.h"

#include <math.h>

#include "base/units.h"

const spot_checkpoint_rule_t spot_checkpoint_rules[SPOT_NUM_RULES] = {
    [SPOT_RULE_YOUNG] = {"young", "Young"},
    [SPOT_RULE_DALY_FIRST] = {"daly_first_order", "Daly, first order"},
    [SPOT_RULE_DALY_HIGHER] = {"daly_higher_order", "Daly, higher order"},
    [SPOT_RULE_EXACT] = {"exact", "exact optimum"},
    [SPOT_RULE_BEST] = {"best", "best with one write at a time"},
    [SPOT_RULE_GIVEN] = {"given", "--interval"},
};

static int64_t nearest_steps(double interval_s, double step_s)
{
    const double steps = round(interval_s / step_s);

    return steps < 1 ? 1 : (int64_t) fmin(steps, (double) SPOT_MAX_STEPS);
}

static void add_row(spot_checkpoint_answer_t *self, const spot_theory_question_t *question,
    int rule, double interval_s)
{
    static const spot_theory_memory_t none = {0};
    const spot_theory_t *theory = &self->theory;
    const double step_s = spot_duration_s(question->step_ms);
    spot_checkpoint_row_t *row = &self->rows[self->num_rows++];

    *row = (spot_checkpoint_row_t){rule, (double) NAN, (double) NAN, (double) NAN, (double) NAN,
        (double) NAN, (double) NAN, (double) NAN, (double) NAN, 0, (double) NAN, (double) NAN,
        (double) NAN};
    if (interval_s < 0) {
        return;
    }
    row->interval_s = interval_s;
    row->period_s = spot_theory_period_s(theory, interval_s);
    row->efficiency = spot_theory_efficiency(theory, interval_s);
    row->run_ratio = 1 / row->efficiency;
    row->expected_s = spot_theory_segment_s(theory, interval_s);
    row->expected_immune_s = spot_theory_segment_immune_s(theory, interval_s);
    row->efficiency_immune = spot_theory_efficiency_immune(theory, interval_s);
    row->waste = spot_theory_waste(theory, interval_s);
    if (step_s > 0) {
        row->steps = nearest_steps(interval_s, step_s);
        row->steps_efficiency = spot_theory_efficiency(theory, (double) row->steps * step_s);
    }
    if (question->has_memory) {
        row->memory_loss = spot_theory_memory_loss(theory, &question->memory, interval_s);
        row->memory_loss_without = spot_theory_memory_loss(theory, &none, interval_s);
    }
}

void spot_checkpoint_answer(spot_checkpoint_answer_t *self, const spot_theory_question_t *question)
{
    const double mtbf_s = spot_duration_s(question->mtbf_ms);
    const double stall_s =
        spot_duration_s(question->is_async ? question->snapshot_ms : question->write_ms);
    const double step_s = spot_duration_s(question->step_ms);

    *self = (spot_checkpoint_answer_t){
        .theory = {
            .mtbf_s = mtbf_s,
            .stall_s = stall_s,
            .persist_s = question->is_async ? spot_duration_s(question->write_ms) : 0,
            .restart_s = spot_duration_s(question->restart_ms),
            .busy = question->is_async ? question->busy : SPOT_BUSY_WAIT,
        }};
    spot_bug_assert(spot_theory_is_valid(&self->theory));
    add_row(self, question, SPOT_RULE_YOUNG, spot_theory_young_s(mtbf_s, stall_s));
    add_row(self, question, SPOT_RULE_DALY_FIRST, spot_theory_daly_first_s(mtbf_s, stall_s));
    add_row(self, question, SPOT_RULE_DALY_HIGHER, spot_theory_daly_higher_s(mtbf_s, stall_s));
    add_row(self, question, SPOT_RULE_EXACT, spot_theory_exact_s(mtbf_s, stall_s));
    add_row(self, question, SPOT_RULE_BEST, spot_theory_best_s(&self->theory));
    if (question->interval_ms > 0) {
        add_row(self, question, SPOT_RULE_GIVEN, spot_duration_s(question->interval_ms));
    }
    if (step_s > 0) {
        self->best_steps = spot_theory_best_steps(&self->theory, step_s);
        self->best_steps_s = (double) self->best_steps * step_s;
        self->best_efficiency = spot_theory_efficiency(&self->theory, self->best_steps_s);
    }
}
