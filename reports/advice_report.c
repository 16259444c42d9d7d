/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/advice_report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/units.h"

#define S_PER_H 3600.0
#define S_PER_D 86400.0

enum { FACTORS_SAID = 2, SCREENED_SAID = 1 }; /* in the short answer */

/* A system that was screened is named below this ratio of costs. */
#define WORTH_SAYING 0.995

/* A cost within this ratio nearly wins; a factor is about known if its interval is wider
 * than this one. */
#define NEARLY 1.05
#define WIDE 2.0

/* ---- Numbers in sentences ---- */

static const char *amount(spot_texts_t *texts, double value)
{
    return spot_texts_add(texts, fabs(value) >= 1000 ? "%.0f" : "%.2f", value);
}

static const char *money(spot_texts_t *texts, const spot_advice_result_t *self, double value)
{
    return !isfinite(value) ? "more than the runs show"
                            : spot_texts_add(texts, "%s %s", amount(texts, value), self->cost_unit);
}

/* The same of a quantile, which has the unit of the mean beside it. */
static const char *quantile(spot_texts_t *texts, const spot_advice_result_t *self, double value)
{
    return isfinite(value) ? amount(texts, value) : money(texts, self, value);
}

/* A share in percent; one that is not quite all is never "100.0 %". */
static const char *percent(spot_texts_t *texts, double share)
{
    int num_digits = 1;

    while (share < 1 && num_digits < 10 && 100 * share + 0.5 * pow(10, -num_digits) >= 100) {
        num_digits++;
    }
    return spot_texts_add(texts, "%.*f %%", num_digits, 100 * share);
}

/* What is asked for, as it was given. */
static const char *asked(spot_texts_t *texts, double share)
{
    return spot_texts_add(texts, "%.10g %%", 100 * share);
}

/* An end of an interval in percent, rounded outwards; with as many digits as it takes to
 * stay on its side of the limit that decides. */
static const char *bound(spot_texts_t *texts, double share, double limit, bool is_low)
{
    double rounded = share;
    int num_digits = 1;

    for (; num_digits < 12; num_digits++) {
        const double unit = pow(10, num_digits + 2);

        rounded = (is_low ? floor(share * unit) : ceil(share * unit)) / unit;
        if ((rounded >= limit) == (share >= limit)) {
            break;
        }
    }
    return spot_texts_add(texts, "%.*f", num_digits, 100 * rounded);
}

/* "99.2 % (98.1 to 99.7)"; without an interval where all runs are the same. */
static const char *share_text(
    spot_texts_t *texts, const spot_probability_t *share, double limit, int64_t num_runs)
{
    return num_runs == 1 ? percent(texts, share->value)
                         : spot_texts_add(texts, "%s (%s to %s)", percent(texts, share->value),
                               bound(texts, share->low, limit, true),
                               bound(texts, share->high, limit, false));
}

static spot_probability_t goal_of(const spot_advice_figures_t *figures)
{
    return (spot_probability_t){figures->p, figures->p_low, figures->p_high};
}

static const char *duration(spot_texts_t *texts, double seconds)
{
    return seconds < S_PER_H       ? spot_texts_add(texts, "%.1f min", seconds / 60)
           : seconds < 2 * S_PER_D ? spot_texts_add(texts, "%.1f h", seconds / S_PER_H)
                                   : spot_texts_add(texts, "%.2f d", seconds / S_PER_D);
}

/* "3.0 times as much", of what the answer costs. */
static const char *ratio_text(spot_texts_t *texts, double ratio)
{
    return !isfinite(ratio) ? "not known"
           : ratio < 1      ? spot_texts_add(texts, "%.1f %% less", 100 * (1 - ratio))
           : ratio < 2      ? spot_texts_add(texts, "%.1f %% more", 100 * (ratio - 1))
                            : spot_texts_add(texts, "%.1f times as much", ratio);
}

static const char *limits(const spot_advice_result_t *self)
{
    return isfinite(self->budget) ? "the goal and the budget" : "the goal";
}

/* What is asked for, as a condition. */
static const char *condition(spot_texts_t *texts, const spot_advice_result_t *self)
{
    return spot_texts_add(texts, "a probability of %s %s%s", asked(texts, self->sure),
        self->goal_words,
        isfinite(self->budget) ? spot_texts_add(texts, " and costs at most %s in 95 %% of the runs",
                                     money(texts, self, self->budget))
                               : "");
}

/* ---- The answer ---- */

/* The probability, and with a budget that of keeping it, as they decide. */
static const char *chances(
    spot_texts_t *texts, const spot_advice_result_t *self, const spot_advised_t *item)
{
    const spot_advice_figures_t *figures = &item->figures;
    const spot_probability_t goal = goal_of(figures);

    return spot_texts_add(texts, "%s%s, asked %s",
        share_text(texts, &goal, self->sure, figures->num_runs),
        isnan(figures->in_budget.value)
            ? ""
            : spot_texts_add(texts, ", to cost at most %s %s", money(texts, self, self->budget),
                  share_text(
                      texts, &figures->in_budget, SPOT_ADVICE_SURE_OF_BUDGET, figures->num_runs)),
        asked(texts, self->sure));
}

/* What the chances of the answer are said of. */
static void write_chances(
    const spot_advice_result_t *self, const spot_advised_t *item, spot_document_t *document)
{
    spot_document_paragraph(
        document, "Probability %s: %s", self->goal_words, chances(&document->texts, self, item));
}

/* Whether the first doubt stands in the sentence with the verdict. */
static bool is_in_verdict(const spot_advice_result_t *self)
{
    return self->num_urgent > 0 && self->verdict == SPOT_VERDICT_YES &&
           spot_advice_current(self) == NULL;
}

/* What stands beside the verdict. */
static void write_doubts(const spot_advice_result_t *self, spot_document_t *document)
{
    spot_texts_t *texts = &document->texts;

    const spot_advised_t *now = spot_advice_current(self);

    for (size_t j = is_in_verdict(self) ? 1 : 0; j < self->num_urgent; j++) {
        spot_document_paragraph(document, "Mind: %s.", self->urgent[j]);
    }
    if (now != NULL && now->beyond != NULL) {
        spot_document_paragraph(document, "Mind: as it is, this %s.", now->beyond);
    }
    if (self->advised[0].beyond != NULL && !self->advised[0].is_left_out &&
        now != &self->advised[0]) {
        spot_document_paragraph(document, "Mind: this %s.", self->advised[0].beyond);
    }
    for (size_t j = 0; j < self->num_passed_over; j++) {
        const spot_advised_t *item = &self->passed_over[j];

        spot_document_paragraph(document, "Left out: %s (%s) %s.", item->words,
            ratio_text(texts, item->figures.cost / self->advised[0].figures.cost), item->beyond);
    }
    for (size_t j = 0; j < self->num_open && j < 1; j++) {
        const spot_advised_t *item = &self->open[j];

        if (item->figures.cost >= self->advised[0].figures.cost) {
            continue; /* a dearer one is no doubt */
        }
        spot_document_paragraph(document,
            "Open%s: whether %s (%s) would do: %s; --max-replications takes more runs.",
            self->num_open > 1 ? spot_texts_add(texts, ", the first of %zu", self->num_open) : "",
            item->words, ratio_text(texts, item->figures.cost / self->advised[0].figures.cost),
            chances(texts, self, item));
    }
    if (self->worst_trace != NULL && self->worst_p < self->advised[0].figures.p) {
        spot_document_paragraph(document, "The worst of the %zu recordings is %s: probability %s.",
            self->num_traces, self->worst_trace, percent(texts, self->worst_p));
    }
}

static void write_verdict(const spot_advice_result_t *self, spot_document_t *document)
{
    spot_texts_t *texts = &document->texts;
    const spot_advised_t *best = &self->advised[0], *now = spot_advice_current(self);

    if (now != NULL) {
        spot_document_paragraph(document, "%s%s%s.",
            now->verdict == SPOT_VERDICT_YES  ? "Yes, as it is, the job keeps "
            : now->verdict == SPOT_VERDICT_NO ? "No, as it is, the job does not keep "
                                              : "Undecided: as it is, the job may keep ",
            limits(self), now->verdict == SPOT_VERDICT_UNDECIDED ? " or not" : "");
        write_doubts(self, document);
        write_chances(self, now, document);
    }
    if (self->verdict == SPOT_VERDICT_YES) {
        spot_document_paragraph(document, "%s%s.",
            now == NULL && (best->is_left_out || is_in_verdict(self))
                ? spot_texts_add(texts, "Yes, but %s%s%s%s. Rent ",
                      is_in_verdict(self) ? self->urgent[0] : "",
                      is_in_verdict(self) && best->is_left_out ? ", and " : "",
                      best->is_left_out ? "this " : "", best->is_left_out ? best->beyond : "")
            : now == NULL ? "Yes. Rent "
            : now == best ? "Go on as it is"
                          : "The cheapest from now on, if the change is free: ",
            now == best ? "" : best->words);
    } else if (self->verdict == SPOT_VERDICT_UNDECIDED && best->verdict == SPOT_VERDICT_YES) {
        spot_document_paragraph(document, "%s: what is cheapest. Shown to do: %s.",
            now == NULL ? "Undecided" : "From now on undecided", best->words);
    } else if (self->verdict == SPOT_VERDICT_UNDECIDED) {
        spot_document_paragraph(document,
            "%s: the runs do not show whether anything that was searched has %s. Nearest: %s.",
            now == NULL ? "Undecided" : "From now on undecided", condition(texts, self),
            best->words);
    } else {
        spot_document_paragraph(document, "%s nothing that was searched has %s. Nearest: %s%s%s.",
            now == NULL ? "No:" : "From now on no:", condition(texts, self), best->words,
            best->is_left_out ? ", which " : "", best->is_left_out ? best->beyond : "");
    }
    if (now == NULL) {
        write_doubts(self, document);
    }
    if (now != best) {
        write_chances(self, best, document);
    }
}

static void write_cost(const spot_advice_result_t *self, spot_document_t *document)
{
    const spot_advice_figures_t *figures = &self->advised[0].figures;
    spot_texts_t *texts = &document->texts;

    if (figures->cost_low == figures->cost_high) {
        spot_document_item(document, "cost: %s in all runs", money(texts, self, figures->cost));
    } else {
        spot_document_item(document, "cost: mean %s (%s to %s), 50 %%: %s, 95 %%: %s",
            money(texts, self, figures->cost), amount(texts, figures->cost_low),
            amount(texts, figures->cost_high), quantile(texts, self, figures->cost_p50),
            quantile(texts, self, figures->cost_p95));
    }
    if (isnan(figures->time_p50_s)) {
        return;
    }
    if (!isfinite(figures->time_p50_s)) {
        spot_document_item(document, "time: half of the runs or more end before it is done");
    } else if (figures->time_p50_s == figures->time_p95_s) {
        spot_document_item(document, "time: %s in 50 %% and 95 %% of the runs",
            duration(texts, figures->time_p50_s));
    } else {
        spot_document_item(document, "time: 50 %%: %s, 95 %%: %s",
            duration(texts, figures->time_p50_s),
            isfinite(figures->time_p95_s) ? duration(texts, figures->time_p95_s)
                                          : "more than 5 % end before it is done");
    }
}

/* ---- The others ---- */

/* What an alternative does about the limits, unless it is the same as of the answer. */
static const char *standing(
    spot_texts_t *texts, const spot_advice_result_t *self, const spot_advised_t *item)
{
    const char *own = percent(texts, item->figures.p);
    const char *best = percent(texts, self->advised[0].figures.p);
    const char *what = item->verdict == SPOT_VERDICT_YES         ? ""
                       : item->verdict == SPOT_VERDICT_UNDECIDED ? ", open"
                       : item->figures.p_high < self->sure       ? ", too little"
                                                                 : ", above the budget";

    return strcmp(own, best) == 0 && what[0] == '\0'
               ? ""
               : spot_texts_add(texts, ", probability %s%s", own, what);
}

/* Of the others the one that is named first, or num_advised: the runner-up if it nearly
 * wins, else the cheapest of another market but those on demand. */
static size_t find_next(const spot_advice_result_t *self, size_t on_demand_id)
{
    const double cost = self->advised[0].figures.cost;
    size_t next_id = self->num_advised;

    if (self->runner_up_id > 0 && self->advised[self->runner_up_id].figures.cost <= NEARLY * cost) {
        return self->runner_up_id;
    }
    for (size_t j = 1; j < self->num_advised; j++) {
        const spot_advised_t *item = &self->advised[j];

        if (j != on_demand_id && strcmp(item->kind, SPOT_ADVICE_AS_IT_IS) != 0 &&
            (next_id == self->num_advised ||
                item->figures.cost < self->advised[next_id].figures.cost)) {
            next_id = j;
        }
    }
    return next_id;
}

static void write_rival(
    const spot_advice_result_t *self, size_t advised_id, bool is_whole, spot_document_t *document)
{
    spot_texts_t *texts = &document->texts;
    const spot_advised_t *best = &self->advised[0], *rival = &self->advised[advised_id];
    const double ratio = rival->figures.cost / best->figures.cost;
    const bool nearly_wins =
        advised_id == self->runner_up_id && ratio <= NEARLY && rival->verdict != SPOT_VERDICT_NO;
    const char *more = "";

    if (is_whole && rival->figures.cost_low < rival->figures.cost_high) {
        more = spot_texts_add(texts, ", at most %s in 95 %%%s%s",
            money(texts, self, rival->figures.cost_p95),
            isfinite(rival->figures.time_p95_s) ? ", done within " : "",
            isfinite(rival->figures.time_p95_s) ? duration(texts, rival->figures.time_p95_s) : "");
    }
    spot_document_item(document, "%s: %s: %s (%s)%s%s%s%s",
        nearly_wins                            ? "nearly wins"
        : strcmp(rival->kind, best->kind) == 0 ? "next"
                                               : rival->kind,
        rival->words, money(texts, self, rival->figures.cost), ratio_text(texts, ratio),
        standing(texts, self, rival), more, is_whole && rival->assumed != NULL ? "; assumed: " : "",
        is_whole && rival->assumed != NULL ? rival->assumed : "");
}

static void write_larger(const spot_advice_result_t *self, spot_document_t *document)
{
    for (size_t j = 0; j < self->num_larger; j++) {
        const spot_advised_t *item = &self->larger[j];
        spot_texts_t *texts = &document->texts;

        spot_document_item(document, "with %" PRId64 " instances: %s: %s%s%s%s", item->size,
            item->words, money(texts, self, item->figures.cost), standing(texts, self, item),
            item->assumed == NULL ? "" : "; assumed: ", item->assumed == NULL ? "" : item->assumed);
    }
    if (self->why_not_larger != NULL) {
        spot_document_item(document, "%s", self->why_not_larger);
    }
}

/* ---- What would change it ---- */

/* How far a factor is from 1, by its logarithm; INFINITY: the answer stays. */
static double distance(const spot_advice_break_even_t *item)
{
    return item->why == NULL ? HUGE_VAL : fabs(log(item->near));
}

static void write_break_even(const spot_advice_break_even_t *item, spot_document_t *document)
{
    const double low = item->is_less ? item->far : item->near;
    const double high = item->is_less ? item->near : item->far;

    if (item->why == NULL) {
        spot_document_item(document, "%s: the answer stays %s to %.3g %s", item->noun,
            item->is_less ? "down" : "up", item->most, item->words);
    } else if (isinf(high) || low == 0) {
        spot_document_item(document, "%s %.3g to %.3g %s: open whether %s", item->noun, item->near,
            item->most, item->words, item->why);
    } else if (high > WIDE * low) {
        spot_document_item(document, "%s about %.2g (%.2g to %.2g) %s: then %s", item->noun,
            sqrt(low * high), low, high, item->words, item->why);
    } else {
        spot_document_item(
            document, "%s %.3g to %.3g %s: then %s", item->noun, low, high, item->words, item->why);
    }
}

/* What is nearer, or was looked at first, of items of one list. */
static bool comes_before(const spot_advice_break_even_t *a, const spot_advice_break_even_t *b)
{
    return distance(a) != distance(b) ? distance(a) < distance(b) : a < b;
}

/* The nearest ones that change the answer. */
static void write_nearest(const spot_advice_result_t *self, spot_document_t *document)
{
    const spot_advice_break_even_t *last = NULL;

    for (int k = 0; k < FACTORS_SAID; k++) {
        const spot_advice_break_even_t *next = NULL;

        for (size_t j = 0; j < self->num_break_evens; j++) {
            const spot_advice_break_even_t *item = &self->break_evens[j];

            if ((last == NULL || comes_before(last, item)) &&
                (next == NULL || comes_before(item, next))) {
                next = item;
            }
        }
        if (next == NULL || next->why == NULL) {
            break;
        }
        write_break_even(next, document);
        last = next;
    }
    if (last == NULL && self->num_break_evens > 0) {
        spot_document_item(document,
            "nothing that was looked at changes the answer, up to %.3g times",
            self->break_evens[0].most);
    }
}

/* ---- What else there is ---- */

static void write_screened(const spot_advice_result_t *self, spot_document_t *document)
{
    spot_texts_t *texts = &document->texts;
    const char *list = "";

    for (size_t j = 0; j < self->num_screened && j < SCREENED_SAID; j++) {
        const spot_advice_screened_t *item = &self->screened[j];

        if (item->ratio < WORTH_SAYING) {
            list = spot_texts_join(texts, list, "; ",
                spot_texts_add(
                    texts, "%s, about %.0f %% less", item->words, 100 * (1 - item->ratio)));
        }
    }
    if (list[0] != '\0') {
        spot_document_item(document, "not searched: %s (--recovery all)", list);
    }
}

/* What the race has shown with its confidence. */
static const char *certainty(spot_texts_t *texts, const spot_advice_result_t *self)
{
    if (self->verdict != SPOT_VERDICT_YES) {
        return "";
    }
    return !isfinite(self->regret)
               ? " Another one may be cheaper."
               : spot_texts_add(texts,
                     " With 95 %% confidence no other one that keeps %s is cheaper%s%s.",
                     limits(self), self->regret > 0 ? " by more than " : "",
                     self->regret > 0 ? money(texts, self, self->regret) : "");
}

static void write_search(const spot_advice_result_t *self, spot_document_t *document)
{
    spot_document_note(document,
        "%zu alternatives in %" PRId64 " runs, and %" PRId64
        " runs with other seeds for the verdict and the break-evens: %.1f s.%s",
        self->num_points, self->num_runs, self->num_other_runs, self->passed_s,
        certainty(&document->texts, self));
    for (size_t j = 0; j < self->num_left_out; j++) {
        const char *text = self->left_out[j];
        const char *end = strstr(text, ": give "); /* what is to be given is in JSON */
        const int length = (int) (end == NULL ? strlen(text) : (size_t) (end - text));

        spot_document_item(document, "not considered: %.*s", length, text);
    }
    for (size_t j = 0; j < self->num_notes; j++) {
        spot_document_item(document, "%s", self->notes[j]);
    }
}

static void write_short(const spot_advice_result_t *self, spot_document_t *document)
{
    size_t on_demand_id = self->num_advised, next_id;

    for (size_t j = 1; j < self->num_advised; j++) {
        on_demand_id = strcmp(self->advised[j].kind, "on demand") == 0 ||
                               strcmp(self->advised[j].kind, "reserved") == 0
                           ? j
                           : on_demand_id;
    }
    next_id = find_next(self, on_demand_id);
    write_larger(self, document);
    if (on_demand_id < self->num_advised) {
        write_rival(self, on_demand_id, false, document);
    }
    if (next_id < self->num_advised && next_id != on_demand_id) {
        write_rival(self, next_id, false, document);
    }
    write_nearest(self, document);
    write_screened(self, document);
    for (size_t j = 0; self->is_asked && j < self->num_left_out; j++) {
        spot_document_item(document, "not considered: %s", self->left_out[j]);
    }
    if (self->advised[0].assumed != NULL) {
        spot_document_item(document, "assumed: %s", self->advised[0].assumed);
    }
    spot_document_note(document,
        "%zu alternatives in %.1f s, 95 %% confidence of intervals; --verbose says more",
        self->num_points, self->passed_s);
}

static void write_rest(const spot_advice_result_t *self, spot_document_t *document)
{
    if (self->advised[0].assumed != NULL) {
        spot_document_item(document, "assumed: %s", self->advised[0].assumed);
    }
    if (self->num_larger > 0 || self->why_not_larger != NULL) {
        spot_document_heading(document, "Larger fleets");
        write_larger(self, document);
    }
    if (self->num_advised > 1) {
        spot_document_heading(document, "The others");
        for (size_t j = 1; j < self->num_advised; j++) {
            write_rival(self, j, true, document);
        }
    }
    write_screened(self, document);
    if (self->num_break_evens > 0) {
        spot_document_heading(document, "What would change the answer");
        for (size_t j = 0; j < self->num_break_evens; j++) {
            write_break_even(&self->break_evens[j], document);
        }
    }
    spot_document_heading(document, "The search");
    write_search(self, document);
}

void spot_advice_document(
    const spot_advice_result_t *self, bool is_whole, spot_document_t *document)
{
    write_verdict(self, document);
    write_cost(self, document);
    (is_whole ? write_rest : write_short)(self, document);
}

/* ---- JSON ---- */

static void write_advised(spot_json_t *json, const char *key, const spot_advised_t *item)
{
    const spot_advice_figures_t *figures = &item->figures;

    spot_json_open(json, key, '{');
    spot_json_text(json, "what", item->words);
    spot_json_text(json, "market", item->kind);
    spot_json_text(json, "point", item->point);
    spot_json_integer(json, "instances", item->size);
    spot_json_text(json, "keeps_goal", spot_verdict_names[item->verdict]);
    spot_json_text(json, "assumed", item->assumed);
    spot_json_text(json, "unmeasured", item->beyond);
    spot_json_integer(json, "runs", figures->num_runs);
    spot_json_number(json, "probability", figures->p);
    spot_json_number(json, "probability_low", figures->p_low);
    spot_json_number(json, "probability_high", figures->p_high);
    spot_json_number(json, "in_budget", figures->in_budget.value);
    spot_json_number(json, "in_budget_low", figures->in_budget.low);
    spot_json_number(json, "in_budget_high", figures->in_budget.high);
    spot_json_number(json, "mean_cost", figures->cost);
    spot_json_number(json, "mean_cost_low", figures->cost_low);
    spot_json_number(json, "mean_cost_high", figures->cost_high);
    spot_json_number(json, "p50_cost", figures->cost_p50);
    spot_json_number(json, "p95_cost", figures->cost_p95);
    spot_json_number(json, "p50_time_s", figures->time_p50_s);
    spot_json_number(json, "p95_time_s", figures->time_p95_s);
    spot_json_close(json, '}');
}

static void write_list(
    spot_json_t *json, const char *key, size_t num_items, const spot_advised_t *items)
{
    spot_json_open(json, key, '[');
    for (size_t j = 0; j < num_items; j++) {
        write_advised(json, NULL, &items[j]);
    }
    spot_json_close(json, ']');
}

static void write_texts(spot_json_t *json, const char *key, size_t num, const char *const *texts)
{
    spot_json_open(json, key, '[');
    for (size_t j = 0; j < num; j++) {
        spot_json_text(json, NULL, texts[j]);
    }
    spot_json_close(json, ']');
}

static void write_break_evens_json(spot_json_t *json, const spot_advice_result_t *self)
{
    spot_json_open(json, "break_evens", '[');
    for (size_t j = 0; j < self->num_break_evens; j++) {
        const spot_advice_break_even_t *item = &self->break_evens[j];

        spot_json_open(json, NULL, '{');
        spot_json_text(json, "of", item->noun);
        spot_json_number(json, "looked_up_to", item->most);
        spot_json_number(json, "stays_up_to", item->why == NULL ? item->most : item->near);
        spot_json_number(
            json, "changed_at", item->why == NULL || item->far == 0 ? (double) NAN : item->far);
        spot_json_text(json, "words", item->words);
        spot_json_integer(json, "runs", item->num_runs);
        spot_json_text(json, "then", item->why);
        spot_json_close(json, '}');
    }
    spot_json_close(json, ']');
}

static void write_screened_json(spot_json_t *json, const spot_advice_result_t *self)
{
    spot_json_open(json, "screened", '[');
    for (size_t j = 0; j < self->num_screened; j++) {
        const spot_advice_screened_t *item = &self->screened[j];

        spot_json_open(json, NULL, '{');
        spot_json_text(json, "system", item->system);
        spot_json_number(json, "cost_ratio", item->ratio);
        spot_json_number(json, "probability", item->p);
        spot_json_integer(json, "runs", item->num_runs);
        spot_json_close(json, '}');
    }
    spot_json_close(json, ']');
}

void spot_advice_json(const spot_advice_result_t *self, const spot_assumed_t *assumed, FILE *out)
{
    spot_json_t json;

    spot_json_init(&json, out, 2);
    spot_json_open(&json, NULL, '{');
    spot_json_text(&json, "question", self->question);
    if (spot_advice_current(self) == NULL) {
        spot_json_text(&json, "verdict", spot_verdict_names[self->verdict]);
    } else {
        spot_json_text(&json, "verdict", spot_verdict_names[spot_advice_current(self)->verdict]);
        spot_json_text(&json, "from_now_on", spot_verdict_names[self->verdict]);
    }
    spot_json_boolean(&json, "proven", self->verdict == SPOT_VERDICT_YES && self->regret == 0);
    spot_json_number(&json, "cheaper_by_at_most", self->regret);
    spot_json_number(&json, "sure", self->sure);
    spot_json_number(&json, "budget", self->budget);
    spot_json_text(&json, "currency", self->cost_unit);
    write_advised(&json, "best", &self->advised[0]);
    write_list(&json, "others", self->num_advised - 1, self->advised + 1);
    write_list(&json, "open", self->num_open, self->open);
    write_list(&json, "passed_over", self->num_passed_over, self->passed_over);
    write_list(&json, "larger", self->num_larger, self->larger);
    spot_json_text(&json, "why_not_larger", self->why_not_larger);
    write_break_evens_json(&json, self);
    write_screened_json(&json, self);
    spot_json_text(&json, "worst_trace", self->worst_trace);
    if (self->worst_trace != NULL) {
        spot_json_number(&json, "worst_probability", self->worst_p);
    }
    spot_json_integer(&json, "alternatives", (int64_t) self->num_points);
    spot_json_integer(&json, "search_runs", self->num_runs);
    spot_json_integer(&json, "other_runs", self->num_other_runs);
    spot_assumed_json(assumed, &json);
    write_texts(&json, "urgent", self->num_urgent, self->urgent);
    write_texts(&json, "left_out", self->num_left_out, self->left_out);
    write_texts(&json, "notes", self->num_notes, self->notes);
    spot_json_close(&json, '}');
    fputc('\n', out);
}
