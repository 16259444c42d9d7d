/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Up to which factor of what may be otherwise the answer stays: the largest factor is
 * looked at first, then the logarithm of the interval in which the answer changes is
 * halved. All runs meet the same events. */
#include <math.h>
#include <string.h>

#include "sim/advise/advise_internal.h"

enum { NUM_HALVINGS = 6, MAX_COMPARED = 4 };

typedef struct {
    spot_advising_t *advising;
    const spot_advice_doubt_t *doubt;
    size_t num_points;
    const char *points[MAX_COMPARED]; /* the answer, and rivals of other markets that
                                         keep the limits */
    const spot_advised_t *advised[MAX_COMPARED];
} search_t;

/* The key with its value at a factor; NULL: the scenario has no such thing, or no
 * memory. */
static const char *
text_at(const search_t *self, double factor)
{
    const spot_advising_t *advising = self->advising;
    spot_texts_t *texts = &advising->result->texts;
    FILE *out = spot_texts_begin(texts);
    const spot_node_t *root = advising->document.root;
    const bool is_there =
        out != NULL &&
        (self->doubt->change == NULL
                ? spot_advice_scale(root, self->doubt->numbers, factor, out)
                : self->doubt->change(advising->scenario, root, factor, out));
    const char *text = spot_texts_end(texts, out);

    return is_there && texts->error == 0 ? text : NULL;
}

/* Why the answer is another one at a factor; NULL: it stays. */
static int
look(search_t *self, double factor, const char **why)
{
    spot_advising_t *advising = self->advising;
    spot_texts_t *texts = &advising->result->texts;
    spot_advice_figures_t figures[MAX_COMPARED];
    const char *more = text_at(self, factor);
    int ret = more == NULL
                  ? SPOT_ERR_NO_MEMORY
                  : spot_advising_measure(advising, self->num_points, self->points, more,
                        SPOT_ADVICE_PROBE_RUNS, advising->request->seed, figures, NULL);

    *why = NULL;
    if (ret == 0 && !spot_advising_is_met(advising, &figures[0])) {
        *why = figures[0].p < advising->request->question.sure
                   ? spot_texts_add(texts, "the probability %s is below %g %%",
                         advising->result->goal_words,
                         100 * advising->request->question.sure)
                   : spot_texts_add(texts, "it is above the budget");
    }
    for (size_t j = 1; ret == 0 && *why == NULL && j < self->num_points; j++) {
        if (figures[j].cost < figures[0].cost &&
            spot_advising_is_met(advising, &figures[j])) {
            *why = spot_texts_add(texts, "%s is cheaper", self->advised[j]->words);
        }
    }
    return ret;
}

static int
find(search_t *self)
{
    spot_advice_result_t *result = self->advising->result;
    spot_advice_break_even_t item = {.noun = self->doubt->noun,
        .words = self->doubt->words,
        .factor = INFINITY,
        .most = self->doubt->most};
    double low = 1, high = item.most;
    int ret = look(self, high, &item.why);

    for (int j = 0; ret == 0 && item.why != NULL && j < NUM_HALVINGS; j++) {
        const double middle = sqrt(low * high);
        const char *why;

        ret = look(self, middle, &why);
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

int
spot_advising_doubt(spot_advising_t *self)
{
    const spot_advice_result_t *result = self->result;
    search_t search = {.advising = self};
    int ret = 0;

    for (size_t j = 0; j < result->num_advised && search.num_points < MAX_COMPARED;
         j++) {
        if (j == 0 || (result->advised[j].is_met && strcmp(result->advised[j].kind,
                                                        result->advised[0].kind) != 0)) {
            search.points[search.num_points] = result->advised[j].point;
            search.advised[search.num_points++] = &result->advised[j];
        }
    }
    for (const spot_advice_doubt_t *doubt = self->advice->doubts;
         ret == 0 && doubt != NULL && doubt->noun != NULL; doubt++) {
        const char *text;

        search.doubt = doubt;
        text = text_at(&search, doubt->most);
        ret = text == NULL ? self->result->texts.error : find(&search);
    }
    return ret;
}
