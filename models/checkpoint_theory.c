/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/checkpoint_theory.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sf_lambert.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/units.h"

static bool is_time(double time_s)
{
    return time_s >= 0 && time_s <= SPOT_THEORY_MAX_S; /* false for NAN */
}

bool spot_theory_is_valid(const spot_theory_t *self)
{
    return is_time(self->mtbf_s) && self->mtbf_s >= SPOT_THEORY_MIN_S && is_time(self->stall_s) &&
           is_time(self->persist_s) && is_time(self->restart_s) &&
           (self->busy == SPOT_BUSY_WAIT || self->busy == SPOT_BUSY_JOIN);
}

double spot_theory_young_s(double mtbf_s, double stall_s)
{
    return sqrt(2 * stall_s * mtbf_s);
}

static double daly_first_s(double mtbf_s, double stall_s)
{
    return spot_theory_young_s(mtbf_s, stall_s) - stall_s;
}

static double daly_higher_s(double mtbf_s, double stall_s)
{
    const double share = stall_s / (2 * mtbf_s);

    if (share >= 1) {
        return mtbf_s;
    }
    return spot_theory_young_s(mtbf_s, stall_s) * (1 + sqrt(share) / 3 + share / 9) - stall_s;
}

/* 1 + W0(-exp(-x - 1)). Near the branch point of W, where rounding of the argument loses
 * x, by the series in p = sqrt(2 (1 - exp(-x))), Corless et al., Advances in
 * Computational Mathematics 5, 1996, eq. 4.22. */
static double lambert_share(double x)
{
    const double p = sqrt(-2 * expm1(-x));
    gsl_sf_result w;

    if (p < 1e-2) {
        return p * (1 + p * (-1.0 / 3 +
                                p * (11.0 / 72 + p * (-43.0 / 540 +
                                                         p * (769.0 / 17280 - p * 221.0 / 8505)))));
    }
    /* If the argument underflows, W is 0. */
    return gsl_sf_lambert_W0_e(-exp(-x - 1), &w) == GSL_SUCCESS ? 1 + w.val : 1;
}

static double exact_s(double mtbf_s, double stall_s)
{
    return mtbf_s * lambert_share(stall_s / mtbf_s);
}

static double best_s(const spot_theory_t *self)
{
    const double bound_s =
        self->busy == SPOT_BUSY_JOIN ? self->persist_s : self->persist_s - self->stall_s;

    return fmax(exact_s(self->mtbf_s, self->stall_s), fmin(bound_s, self->mtbf_s));
}

spot_theory_optima_t spot_theory_optima(const spot_theory_t *self)
{
    return (spot_theory_optima_t){
        .young_s = spot_theory_young_s(self->mtbf_s, self->stall_s),
        .daly_first_s = daly_first_s(self->mtbf_s, self->stall_s),
        .daly_higher_s = daly_higher_s(self->mtbf_s, self->stall_s),
        .exact_s = exact_s(self->mtbf_s, self->stall_s),
        .best_s = best_s(self),
    };
}

int64_t spot_theory_best_steps(const spot_theory_t *self, double step_s)
{
    const double steps = floor(best_s(self) / step_s);
    double more_s;

    if (steps < 1) {
        return 1;
    }
    if (steps >= (double) SPOT_MAX_STEPS) {
        return SPOT_MAX_STEPS;
    }
    more_s = fmin((steps + 1) * step_s, SPOT_THEORY_MAX_S);
    return (int64_t) steps +
           (spot_theory_efficiency(self, more_s) > spot_theory_efficiency(self, steps * step_s));
}

static double period_s(const spot_theory_t *self, double work_s)
{
    return self->busy == SPOT_BUSY_JOIN ? fmax(work_s, self->persist_s) + self->stall_s
                                        : fmax(work_s + self->stall_s, self->persist_s);
}

static spot_theory_life_t life_of_work(const spot_theory_t *self, double work_s)
{
    return (spot_theory_life_t){
        .first_work_s = work_s,
        .first_durable_s = work_s + self->stall_s + self->persist_s,
        .work_s = work_s,
        .period_s = period_s(self, work_s),
    };
}

/* base_s: M exp(R/M), or M + R if restarts do not fail. */
static double segment_s(const spot_theory_t *self, double work_s, double base_s)
{
    const spot_theory_life_t life = life_of_work(self, work_s);
    const double late_s = life.first_durable_s - life.period_s;
    const double periods = life.period_s / self->mtbf_s;

    /* Avoids INFINITY times 0, as base_s may overflow. */
    return periods == 0 ? 0 : base_s * exp(late_s / self->mtbf_s) * expm1(periods);
}

static double segment_failing_s(const spot_theory_t *self, double work_s)
{
    return segment_s(self, work_s, self->mtbf_s * exp(self->restart_s / self->mtbf_s));
}

static double segment_immune_s(const spot_theory_t *self, double work_s)
{
    return segment_s(self, work_s, self->mtbf_s + self->restart_s);
}

double spot_theory_efficiency(const spot_theory_t *self, double work_s)
{
    const spot_theory_life_t life = life_of_work(self, work_s);

    return spot_theory_life_efficiency(&life, self->mtbf_s, self->restart_s);
}

/* A life is the restart plus an exponential time. */
static double efficiency_immune(const spot_theory_t *self, double work_s)
{
    const spot_theory_life_t life = life_of_work(self, work_s);

    return spot_theory_life_efficiency(&life, self->mtbf_s, 0) * self->mtbf_s /
           (self->mtbf_s + self->restart_s);
}

static double first_order_waste(const spot_theory_t *self, double work_s)
{
    const double rest = (work_s / 2 + self->persist_s + self->restart_s) / self->mtbf_s;

    return self->stall_s == 0 ? rest : self->stall_s / work_s + rest;
}

spot_theory_worth_t spot_theory_worth(const spot_theory_t *self, double work_s)
{
    return (spot_theory_worth_t){
        .period_s = period_s(self, work_s),
        .segment_s = segment_failing_s(self, work_s),
        .segment_immune_s = segment_immune_s(self, work_s),
        .efficiency = spot_theory_efficiency(self, work_s),
        .efficiency_immune = efficiency_immune(self, work_s),
        .waste = first_order_waste(self, work_s),
    };
}

double spot_theory_memory_loss(
    const spot_theory_t *self, const spot_theory_memory_t *memory, double work_s)
{
    const double from_memory_s = memory->every_s / 2 + memory->fetch_s;
    const double from_storage_s = work_s / 2 + self->persist_s + self->restart_s;

    return (memory->share * from_memory_s + (1 - memory->share) * from_storage_s) / self->mtbf_s;
}

spot_theory_life_t spot_theory_life_of(const spot_cycle_t *cycle)
{
    const double ms = (double) SPOT_MS_PER_S;
    const int64_t first_ms = cycle->first_steps * cycle->step_ms;

    return (spot_theory_life_t){
        .first_work_s = (double) first_ms / ms,
        .first_durable_s = (double) (first_ms + cycle->snapshot_ms + cycle->write_ms) / ms,
        .work_s = (double) (cycle->cycle_steps * cycle->step_ms) / ms,
        .period_s = (double) cycle->cycle_ms / ms,
    };
}

/* The n-th checkpoint of a life becomes durable with probability exp(-(R + first + (n -
 * 1) T)/M) and then adds its work. The sum is geometric. */
double spot_theory_life_efficiency(const spot_theory_life_t *life, double mtbf_s, double restart_s)
{
    const double p_first = exp(-(restart_s + life->first_durable_s) / mtbf_s);
    const double periods = life->period_s / mtbf_s;
    /* x / (exp(x) - 1), which is 1 at 0 */
    const double share = periods == 0 ? 1 : periods / expm1(periods);
    const double work_of_period = life->period_s == 0 ? 1 : life->work_s / life->period_s;

    return p_first * (life->first_work_s / mtbf_s + work_of_period * share);
}

/* ---- Rules side by side ---- */

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
    spot_theory_worth_t worth;

    *row = (spot_checkpoint_row_t){rule, (double) NAN, (double) NAN, (double) NAN, (double) NAN,
        (double) NAN, (double) NAN, (double) NAN, (double) NAN, 0, (double) NAN, (double) NAN,
        (double) NAN};
    if (interval_s < 0) {
        return;
    }
    worth = spot_theory_worth(theory, interval_s);
    row->interval_s = interval_s;
    row->period_s = worth.period_s;
    row->efficiency = worth.efficiency;
    row->run_ratio = 1 / worth.efficiency;
    row->expected_s = worth.segment_s;
    row->expected_immune_s = worth.segment_immune_s;
    row->efficiency_immune = worth.efficiency_immune;
    row->waste = worth.waste;
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
    spot_theory_optima_t optima;

    *self = (spot_checkpoint_answer_t){
        .theory = {
            .mtbf_s = mtbf_s,
            .stall_s = stall_s,
            .persist_s = question->is_async ? spot_duration_s(question->write_ms) : 0,
            .restart_s = spot_duration_s(question->restart_ms),
            .busy = question->is_async ? question->busy : SPOT_BUSY_WAIT,
        }};
    spot_bug_assert(spot_theory_is_valid(&self->theory));
    optima = spot_theory_optima(&self->theory);
    add_row(self, question, SPOT_RULE_YOUNG, optima.young_s);
    add_row(self, question, SPOT_RULE_DALY_FIRST, optima.daly_first_s);
    add_row(self, question, SPOT_RULE_DALY_HIGHER, optima.daly_higher_s);
    add_row(self, question, SPOT_RULE_EXACT, optima.exact_s);
    add_row(self, question, SPOT_RULE_BEST, optima.best_s);
    if (question->interval_ms > 0) {
        add_row(self, question, SPOT_RULE_GIVEN, spot_duration_s(question->interval_ms));
    }
    if (step_s > 0) {
        self->best_steps = spot_theory_best_steps(&self->theory, step_s);
        self->best_steps_s = (double) self->best_steps * step_s;
        self->best_efficiency = spot_theory_efficiency(&self->theory, self->best_steps_s);
    }
}

/* ---- Groups of peers ---- */

int64_t spot_peer_groups(int64_t num_instances, int64_t group_size)
{
    return num_instances < group_size ? 1 : num_instances / group_size;
}

int64_t spot_peer_group_of(int64_t num_instances, int64_t group_size, int64_t instance)
{
    const int64_t last = spot_peer_groups(num_instances, group_size) - 1;
    const int64_t group = instance / group_size;

    return group < last ? group : last;
}

/* Adds a group of size instances: chances[r] is the probability that all groups keep a
 * survivor when r of their instances are lost, before for num_before instances. */
static void join_group(double *chances, int64_t num_before, int64_t size, int64_t max_lost)
{
    const int64_t num_all = num_before + size;

    for (int64_t r = max_lost < num_all ? max_lost : num_all; r >= 0; r--) {
        const int64_t fewest = r > num_before ? r - num_before : 0;
        double chance = 0;

        for (int64_t l = fewest; l < size && l <= r; l++) { /* lost of the new group */
            chance +=
                chances[r - l] * gsl_ran_hypergeometric_pdf((unsigned int) l, (unsigned int) size,
                                     (unsigned int) num_before, (unsigned int) r);
        }
        chances[r] = chance;
    }
}

int spot_peer_recovery_probability(
    int64_t num_instances, int64_t group_size, int64_t num_lost, double *probability)
{
    const int64_t num_groups = spot_peer_groups(num_instances, group_size);
    double *chances;

    spot_bug_assert(num_instances >= 1 && num_instances <= SPOT_MAX_INSTANCES);
    spot_bug_assert(group_size >= 1);
    spot_bug_assert(num_lost >= 0 && num_lost <= num_instances);
    chances = spot_calloc((size_t) num_lost + 1, sizeof(*chances));
    if (chances == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    chances[0] = 1;
    for (int64_t j = 0; j < num_groups; j++) {
        const int64_t before = j * group_size;
        const int64_t size = j == num_groups - 1 ? num_instances - before : group_size;

        join_group(chances, before, size, num_lost);
    }
    *probability = chances[num_lost];
    free(chances);
    return 0;
}
