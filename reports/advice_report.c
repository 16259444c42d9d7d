/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/advice_report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/units.h"

#define S_PER_H 3600.0
#define S_PER_D 86400.0
enum { ENOUGH_RUNS = 512, ENOUGH_AT_FACTOR = 64 }; /* fewer runs are said */

/* ---- Numbers in sentences ---- */

static const char *money(spot_texts_t *texts, const spot_advice_result_t *self, double amount)
{
    if (!isfinite(amount)) {
        return "more than the runs show";
    }
    return fabs(amount) >= 1000 ? spot_texts_add(texts, "%.0f %s", amount, self->cost_unit)
                                : spot_texts_add(texts, "%.2f %s", amount, self->cost_unit);
}

static const char *percent(spot_texts_t *texts, double share)
{
    return spot_texts_add(texts, share > 0.9995 && share < 1 ? "%.2f %%" : "%.1f %%", 100 * share);
}

static const char *duration(spot_texts_t *texts, double seconds)
{
    return seconds < S_PER_H       ? spot_texts_add(texts, "%.1f min", seconds / 60)
           : seconds < 2 * S_PER_D ? spot_texts_add(texts, "%.1f h", seconds / S_PER_H)
                                   : spot_texts_add(texts, "%.2f d", seconds / S_PER_D);
}

/* "; done within 3.1 d in half of the runs and within 4.4 d in 95 %". */
static const char *times(spot_texts_t *texts, const spot_advice_figures_t *figures)
{
    if (isnan(figures->time_p50_s)) {
        return "";
    }
    if (!isfinite(figures->time_p50_s)) {
        return "; half of the runs or more end before it is done";
    }
    if (!isfinite(figures->time_p95_s)) {
        return spot_texts_add(texts,
            "; done within %s in half of the runs, but more than 5 %% end before it is "
            "done",
            duration(texts, figures->time_p50_s));
    }
    return spot_texts_add(texts, "; done within %s in half of the runs and %s in 95 %%",
        duration(texts, figures->time_p50_s), duration(texts, figures->time_p95_s));
}

/* All figures with their intervals. */
static const char *figures_text(
    spot_texts_t *texts, const spot_advice_result_t *self, const spot_advice_figures_t *figures)
{
    return spot_texts_add(texts,
        "probability %s %s (%s to %s%s); mean cost %s (%s to %s), at most %s in half of "
        "the runs and %s in 95 %%%s",
        self->goal_words, percent(texts, figures->p), percent(texts, figures->p_low),
        percent(texts, figures->p_high),
        figures->p_low < self->sure && figures->p_high > self->sure
            ? spot_texts_add(texts, ", on both sides of %s", percent(texts, self->sure))
            : "",
        money(texts, self, figures->cost), money(texts, self, figures->cost_low),
        money(texts, self, figures->cost_high), money(texts, self, figures->cost_p50),
        money(texts, self, figures->cost_p95), times(texts, figures));
}

/* ---- The parts of the answer ---- */

static void write_answer(const spot_advice_result_t *self, spot_document_t *document)
{
    spot_texts_t *texts = &document->texts;
    const spot_advised_t *best = &self->advised[0], *now = spot_advice_current(self);

    if (now != NULL) {
        spot_document_paragraph(document, "As it is, the job %s the goal: %s.",
            now->is_met ? "keeps" : "does not keep", figures_text(texts, self, &now->figures));
    }
    if (self->is_yes && now == best) {
        spot_document_paragraph(document, "Go on as it is.");
    } else if (self->is_yes) {
        spot_document_paragraph(document, "%s %s: %s.",
            now == NULL ? "Rent" : "The cheapest from now on, if the change is free:", best->words,
            figures_text(texts, self, &best->figures));
    } else {
        spot_document_paragraph(document,
            "No: nothing that was searched has a probability of %s %s%s. What comes "
            "nearest is %s: %s.",
            percent(texts, self->sure), self->goal_words,
            isfinite(self->budget)
                ? spot_texts_add(texts, " and costs at most %s in 95 %% of the runs",
                      money(texts, self, self->budget))
                : "",
            best->words, figures_text(texts, self, &best->figures));
    }
    if (best->assumed != NULL) {
        spot_document_paragraph(document, "Assumed: %s.", best->assumed);
    }
}

/* Which limit an alternative does not keep. */
static const char *shortfall(const spot_advice_result_t *self, const spot_advised_t *item)
{
    return item->is_met                   ? ""
           : item->figures.p < self->sure ? " (too little)"
                                          : " (but above the budget)";
}

static void write_rival(
    const spot_advice_result_t *self, size_t advised_id, spot_document_t *document)
{
    spot_texts_t *texts = &document->texts;
    const spot_advised_t *best = &self->advised[0], *rival = &self->advised[advised_id];
    const double ratio = rival->figures.cost / best->figures.cost;
    const char *price = !isfinite(ratio) ? "not known"
                        : ratio < 1      ? spot_texts_add(texts, "%.1f %% less", 100 * (1 - ratio))
                        : ratio < 2      ? spot_texts_add(texts, "%.1f %% more", 100 * (ratio - 1))
                                         : spot_texts_add(texts, "%.1f times as much", ratio);

    spot_document_item(document, "%s%s: probability %s%s%s, mean cost %s (%s), %s in 95 %%%s%s%s",
        advised_id == self->runner_up_id ? "nearly wins: "
                                         : spot_texts_add(texts, "%s: ", rival->kind),
        rival->words, percent(texts, rival->figures.p),
        rival->figures.num_runs > 1 && rival->figures.num_runs < ENOUGH_RUNS
            ? spot_texts_add(texts, " of %" PRId64 " runs", rival->figures.num_runs)
            : "",
        shortfall(self, rival), money(texts, self, rival->figures.cost), price,
        money(texts, self, rival->figures.cost_p95), times(texts, &rival->figures),
        rival->assumed == NULL ? "" : "; assumed: ", rival->assumed == NULL ? "" : rival->assumed);
}

static void write_larger(const spot_advice_result_t *self, spot_document_t *document)
{
    for (size_t j = 0; j < self->num_larger; j++) {
        const spot_advised_t *item = &self->larger[j];
        spot_texts_t *texts = &document->texts;

        spot_document_item(document, "with %" PRId64 " instances: %s%s (%s; mean cost %s)%s%s",
            item->size, percent(texts, item->figures.p), shortfall(self, item), item->words,
            money(texts, self, item->figures.cost),
            item->assumed == NULL ? "" : "; assumed: ", item->assumed == NULL ? "" : item->assumed);
    }
}

static void write_break_evens(const spot_advice_result_t *self, spot_document_t *document)
{
    for (size_t j = 0; j < self->num_break_evens; j++) {
        const spot_advice_break_even_t *item = &self->break_evens[j];

        if (isfinite(item->factor) && item->num_runs < ENOUGH_AT_FACTOR) {
            spot_document_item(document, "%s between %.3g and %.3g %s: then %s", item->noun,
                item->low, item->high, item->words, item->why);
        } else if (isfinite(item->factor)) {
            spot_document_item(document, "%s about %.3g %s: then %s", item->noun, item->factor,
                item->words, item->why);
        } else {
            spot_document_item(
                document, "%s: the answer stays up to %g %s", item->noun, item->most, item->words);
        }
    }
}

/* What the race has shown with its confidence. */
static const char *certainty(spot_texts_t *texts, const spot_advice_result_t *self)
{
    const char *limits = isfinite(self->budget) ? "the goal and the budget" : "the goal";

    if (!self->is_yes) {
        return self->num_undecided > 0
                   ? spot_texts_add(texts, "Of %zu it is not certain that they do not keep %s.",
                         self->num_undecided, limits)
                   : spot_texts_add(texts, "With 95 %% confidence none of them keeps %s.", limits);
    }
    return !isfinite(self->regret)
               ? "Another one may be cheaper."
               : spot_texts_add(texts,
                     "With 95 %% confidence no other one that keeps %s is cheaper%s%s.", limits,
                     self->regret > 0 ? " by more than " : "",
                     self->regret > 0 ? money(texts, self, self->regret) : "");
}

static void write_search(const spot_advice_result_t *self, spot_document_t *document)
{
    spot_document_note(document,
        "%zu alternatives in %" PRId64 " runs, and %" PRId64
        " runs for the break-evens and, with other seeds, for the figures: %.1f s. %s",
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

void spot_advice_document(const spot_advice_result_t *self, spot_document_t *document)
{
    spot_texts_t *texts = &document->texts;

    write_answer(self, document);
    if (self->worst_trace != NULL && self->worst_p == self->advised[0].figures.p) {
        spot_document_paragraph(
            document, "The probability is the same in all %zu recordings.", self->num_traces);
    } else if (self->worst_trace != NULL) {
        spot_document_paragraph(document, "The worst of the %zu recordings is %s: probability %s.",
            self->num_traces, self->worst_trace, percent(texts, self->worst_p));
    }
    if (self->num_larger > 0) {
        spot_document_heading(document, "Larger fleets");
        write_larger(self, document);
    }
    if (self->num_advised > 1) {
        spot_document_heading(document, "The others");
        for (size_t j = 1; j < self->num_advised; j++) {
            write_rival(self, j, document);
        }
    }
    if (self->num_break_evens > 0) {
        spot_document_heading(document,
            spot_texts_add(texts, "What would change the answer (%" PRId64 " runs at each factor)",
                self->break_evens[0].num_runs));
        write_break_evens(self, document);
    }
    spot_document_heading(document, "The search");
    write_search(self, document);
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
    spot_json_boolean(json, "keeps_goal", item->is_met);
    spot_json_text(json, "assumed", item->assumed);
    spot_json_integer(json, "runs", figures->num_runs);
    spot_json_number(json, "probability", figures->p);
    spot_json_number(json, "probability_low", figures->p_low);
    spot_json_number(json, "probability_high", figures->p_high);
    spot_json_number(json, "mean_cost", figures->cost);
    spot_json_number(json, "mean_cost_low", figures->cost_low);
    spot_json_number(json, "mean_cost_high", figures->cost_high);
    spot_json_number(json, "p50_cost", figures->cost_p50);
    spot_json_number(json, "p95_cost", figures->cost_p95);
    spot_json_number(json, "p50_time_s", figures->time_p50_s);
    spot_json_number(json, "p95_time_s", figures->time_p95_s);
    spot_json_close(json, '}');
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
        spot_json_number(json, "factor", item->factor);
        spot_json_number(json, "factor_low", item->low);
        spot_json_number(json, "factor_high", item->high);
        spot_json_number(json, "looked_up_to", item->most);
        spot_json_text(json, "then", item->why);
        spot_json_close(json, '}');
    }
    spot_json_close(json, ']');
}

void spot_advice_json(const spot_advice_result_t *self, FILE *out)
{
    spot_json_t json;

    spot_json_init(&json, out, 2);
    spot_json_open(&json, NULL, '{');
    spot_json_text(&json, "question", self->question);
    spot_json_boolean(&json, "answer", self->is_yes);
    spot_json_boolean(&json, "proven", self->is_yes && self->regret == 0);
    spot_json_number(&json, "cheaper_by_at_most", self->regret);
    spot_json_number(&json, "sure", self->sure);
    spot_json_number(&json, "budget", self->budget);
    spot_json_text(&json, "currency", self->cost_unit);
    write_advised(&json, "best", &self->advised[0]);
    spot_json_open(&json, "others", '[');
    for (size_t j = 1; j < self->num_advised; j++) {
        write_advised(&json, NULL, &self->advised[j]);
    }
    spot_json_close(&json, ']');
    spot_json_open(&json, "larger", '[');
    for (size_t j = 0; j < self->num_larger; j++) {
        write_advised(&json, NULL, &self->larger[j]);
    }
    spot_json_close(&json, ']');
    write_break_evens_json(&json, self);
    spot_json_text(&json, "worst_trace", self->worst_trace);
    if (self->worst_trace != NULL) {
        spot_json_number(&json, "worst_probability", self->worst_p);
    }
    spot_json_integer(&json, "alternatives", (int64_t) self->num_points);
    spot_json_integer(&json, "search_runs", self->num_runs);
    spot_json_integer(&json, "other_runs", self->num_other_runs);
    write_texts(&json, "left_out", self->num_left_out, self->left_out);
    write_texts(&json, "notes", self->num_notes, self->notes);
    spot_json_close(&json, '}');
    fputc('\n', out);
}
