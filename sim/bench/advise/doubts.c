/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Up to which factor of what may be otherwise the answer stays: the largest factor is
 * looked at first, then the logarithm of the interval in which the answer changes is
 * halved. All runs meet the same events. */
#include <math.h>
#include <string.h>

#include "sim/bench/advise/advise_internal.h"

enum { NUM_HALVINGS = 6, MAX_COMPARED = 4, LEAST_RUNS = 8 };
#define MAX_LOOKS (1 + 3 * (1 + NUM_HALVINGS)) /* at the answer and at three doubts */

typedef struct {
    spot_advising_t *advising;
    const spot_advice_doubt_t *doubt;
    int64_t num_runs; /* at each factor */
    size_t num_points;
    const char *points[MAX_COMPARED]; /* the answer, and rivals of other markets that
                                         keep the limits */
    const spot_advised_t *advised[MAX_COMPARED];
    spot_advice_figures_t plain[MAX_COMPARED]; /* of the same runs at factor 1 */
} search_t;

/* The key with its value at a factor; NULL: the scenario has no such thing, or no
 * memory. */
static const char *text_at(const search_t *self, double factor)
{
    const spot_advising_t *advising = self->advising;
    spot_texts_t *texts = &advising->result->texts;
    FILE *out = spot_texts_begin(texts);
    const spot_node_t *root = advising->document.root;
    const bool is_there =
        out != NULL &&
        (self->doubt->change == NULL ? spot_advice_scale(root, self->doubt->numbers, factor, out)
                                     : self->doubt->change(advising->scenario, root, factor, out));
    const char *text = spot_texts_end(texts, out);

    return is_there && texts->error == 0 ? text : NULL;
}

/* Runs the points; more: what is otherwise, NULL: nothing. */
static int measure(search_t *self, const char *more, spot_advice_figures_t *figures)
{
    return spot_advising_measure(self->advising, self->num_points, self->points, more,
        self->num_runs, self->advising->request->seed, figures, NULL);
}

/* The promised figures, moved as far as a change has moved those of the few runs: so the
 * noise of these changes no answer at factor 1. */
static spot_advice_figures_t move(
    const search_t *self, size_t compared_id, spot_advice_figures_t figures)
{
    const spot_advice_question_t *question = &self->advising->request->question;
    const spot_advice_figures_t *plain = &self->plain[compared_id];
    const spot_advice_figures_t *promised = &self->advised[compared_id]->figures;

    figures.p = fmax(promised->p, question->sure) + (figures.p - plain->p);
    figures.cost = promised->cost + (figures.cost - plain->cost);
    if (isfinite(plain->cost_p95)) {
        figures.cost_p95 =
            fmin(promised->cost_p95, question->budget) + (figures.cost_p95 - plain->cost_p95);
    }
    return figures;
}

/* Why the answer is another one at a factor; NULL: it stays. The interval of item gets
 * narrower where p is off the limit by more than two standard errors of its change. */
static int look(search_t *self, double factor, spot_advice_break_even_t *item, const char **why)
{
    spot_advising_t *advising = self->advising;
    spot_texts_t *texts = &advising->result->texts;
    const double sure = advising->request->question.sure;
    spot_advice_figures_t figures[MAX_COMPARED];
    const char *more = text_at(self, factor);
    int ret = more == NULL ? SPOT_ERR_NO_MEMORY : measure(self, more, figures);
    double noise = 0;

    *why = NULL;
    if (ret == 0 && figures[0].time_p50_s != self->plain[0].time_p50_s) {
        noise = fabs(figures[0].p - self->plain[0].p) / (double) self->num_runs;
        noise = fmax(2 * sqrt(noise), 3 / (double) self->num_runs);
    }
    for (size_t j = 0; ret == 0 && j < self->num_points; j++) {
        figures[j] = move(self, j, figures[j]);
    }
    if (ret == 0 && !spot_advising_is_met(advising, &figures[0])) {
        *why = figures[0].p < sure ? spot_texts_add(texts, "the probability %s is below %g %%",
                                         advising->result->goal_words, 100 * sure)
                                   : spot_texts_add(texts, "it is above the budget");
    }
    for (size_t j = 1; ret == 0 && *why == NULL && j < self->num_points; j++) {
        if (figures[j].cost < figures[0].cost && spot_advising_is_met(advising, &figures[j])) {
            *why = spot_texts_add(texts, "%s is cheaper", self->advised[j]->words);
        }
    }
    if (ret == 0 && fabs(figures[0].p - sure) >= noise) {
        *(*why == NULL ? &item->low : &item->high) = factor;
    }
    return ret;
}

static int find(search_t *self)
{
    spot_advice_result_t *result = self->advising->result;
    spot_advice_break_even_t item = {.noun = self->doubt->noun,
        .words = self->doubt->words,
        .factor = HUGE_VAL,
        .low = 1,
        .high = self->doubt->most,
        .num_runs = self->num_runs,
        .most = self->doubt->most};
    double low = 1, high = item.most;
    int ret = look(self, high, &item, &item.why);

    for (int j = 0; ret == 0 && item.why != NULL && j < NUM_HALVINGS; j++) {
        const double middle = sqrt(low * high);
        const char *why;

        ret = look(self, middle, &item, &why);
        if (ret == 0 && why != NULL) {
            high = middle;
            item.why = why;
        } else {
            low = middle;
        }
    }
    if (ret == 0 && item.why != NULL) {
        item.factor = sqrt(low * high);
    }
    if (ret == SPOT_ERR_BAD_INPUT) { /* the engine does not take it */
        return 0;
    }
    return ret == 0 ? SPOT_ARRAY_APPEND(result, break_evens, item) : ret;
}

int spot_advising_doubt(spot_advising_t *self)
{
    spot_advice_result_t *result = self->result;
    search_t search = {.advising = self};
    int64_t num_random = 1; /* points with more than one run */
    int ret = 0;

    for (size_t j = 0; j < result->num_advised && search.num_points < MAX_COMPARED; j++) {
        const spot_advised_t *advised = &result->advised[j];

        if (j == 0 ||
            (advised->is_met && advised->figures.cost >= result->advised[0].figures.cost &&
                strcmp(advised->kind, result->advised[0].kind) != 0)) {
            num_random += j > 0 && advised->figures.num_runs > 1;
            search.points[search.num_points] = advised->point;
            search.advised[search.num_points++] = advised;
        }
    }
    search.num_runs = spot_advising_left(self) / MAX_LOOKS - MAX_COMPARED;
    search.num_runs =
        (int64_t) fmin((double) (search.num_runs / num_random), SPOT_ADVICE_PROBE_RUNS);
    if (search.num_runs < LEAST_RUNS) {
        return SPOT_ARRAY_APPEND(
            result, notes, "few alternatives leave no runs for what would change the answer");
    }
    ret = measure(&search, NULL, search.plain);
    for (const spot_advice_doubt_t *doubt = self->advice->doubts;
         ret == 0 && doubt != NULL && doubt->noun != NULL; doubt++) {
        search.doubt = doubt;
        ret = text_at(&search, doubt->most) ? find(&search) : result->texts.error;
    }
    return ret;
}
