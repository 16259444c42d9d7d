/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/traces/fitted_sample.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"

/* Where instances ran, and where they were only obtainable. */
static const char *const nouns[][2] = {
    [SPOT_SAMPLE_PREEMPT_GAP] = {"Gaps between preemption events",
        "Gaps between events of fewer obtainable"},
    [SPOT_SAMPLE_ADD_GAP] = {"Gaps between addition events",
        "Gaps between events of more obtainable"},
    [SPOT_SAMPLE_CHANGE_GAP] = {"Gaps between changes", "Gaps between changes"},
    [SPOT_SAMPLE_UP_SPELL] = {"Up spells", "Obtainable spells"},
    [SPOT_SAMPLE_DOWN_SPELL] = {"Down spells", "Unobtainable spells"},
    [SPOT_SAMPLE_LIFETIME] = {"Lifetimes", "Lifetimes"},
};

int
spot_sample_figure_init(
    spot_sample_figure_t *self, const spot_fitted_sample_t *fitted, const char *name)
{
    const spot_sample_t *sample = fitted->sample;

    spot_bug_assert(nouns[fitted->kind][0] != NULL); /* sizes are no durations */
    memset(self, 0, sizeof(*self));
    self->fitted = fitted;
    self->name = name;
    self->low_s = (double) NAN;
    for (size_t j = 0; j < sample->num_values; j++) {
        if (sample->is_censored[j]) {
            continue;
        }
        if (sample->values[j] > 0) {
            self->low_s = fmin(self->low_s, sample->values[j]); /* not NAN, if it can */
        } else {
            self->num_zeros++;
        }
    }
    return spot_kaplan_meier_init(
        &self->kaplan_meier, sample->values, sample->is_censored, sample->num_values);
}

void
spot_sample_figure_free(spot_sample_figure_t *self)
{
    spot_kaplan_meier_free(&self->kaplan_meier);
    memset(self, 0, sizeof(*self));
}

const char *
spot_sample_figure_problem(const spot_sample_figure_t *self)
{
    if (self->fitted->sample->num_values < 2) {
        return "fewer than 2 values";
    }
    return isnan(self->low_s) ? "no complete value above 0 s" : NULL;
}

const char *
spot_sample_figure_noun(spot_sample_kind_t kind, bool is_obtainable)
{
    return nouns[kind][is_obtainable];
}

void
spot_sample_figure_note(
    const spot_sample_figure_t *self, const char *more, spot_chart_t *chart)
{
    const spot_kaplan_meier_t *kaplan_meier = &self->kaplan_meier;
    const size_t num_censored = kaplan_meier->num_values - kaplan_meier->num_deaths;
    char name[SPOT_UTF8_SHOWN_BYTES], censored[64] = "", ticks[64] = "";

    if (num_censored > 0) {
        snprintf(censored, sizeof(censored), ", of which %zu censored (Kaplan-Meier)",
            num_censored);
    }
    if (self->fitted->tick_s > 0) {
        snprintf(ticks, sizeof(ticks), " · ticks of %.6g s", self->fitted->tick_s);
    }
    spot_chart_note(chart, "%s · n = %zu%s%s%s", spot_utf8_shown(self->name, name),
        kaplan_meier->num_values, censored, ticks, more);
}

const char *
spot_sample_figure_colour(size_t law_id)
{
    static const char *const best[SPOT_NUM_BEST] = {SPOT_INK_ACCENT, SPOT_INK_LOSS};

    return law_id < SPOT_NUM_BEST ? best[law_id] : SPOT_INK_OTHER;
}
