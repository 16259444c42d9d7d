/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/traces/comparison_table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "reports/table/document.h"
#include "reports/words.h"
#include "traces/compare/fidelity.h"

/* Unit of a metric; instances are obtainable in a trace of kind availability. */
static const char *unit_of(const spot_comparison_t *self, int metric_id)
{
    const char *unit = spot_fidelity_metrics[metric_id].unit;

    return self->kind == SPOT_TRACE_AVAILABILITY && strcmp(unit, "instances") == 0 ? "obtainable"
           : strcmp(unit, "1") == 0                                                ? ""
                                                                                   : unit;
}

static const char *number_text(spot_texts_t *texts, double value, int num_digits)
{
    return isnan(value)                         ? "-"
           : fabs(value) >= pow(10, num_digits) ? spot_texts_add(texts, "%.0f", value)
                                                : spot_texts_add(texts, "%.*g", num_digits, value);
}

/* "0.184"; of a model "0.0821 (0.0274)", with a reference "0.0821 (0.0274) z   0.4". */
static const char *cell_text(
    spot_texts_t *texts, const spot_comparison_column_t *column, int metric_id)
{
    const bool is_itself = column->kind == SPOT_COMPARISON_COLUMN_RECORDED ||
                           column->kind == SPOT_COMPARISON_COLUMN_HALF;
    const bool is_known = !is_itself || metric_id < SPOT_FIDELITY_NUM_FIGURES;
    const char *text = number_text(texts, is_known ? column->means[metric_id] : (double) NAN, 4);

    if (column->kind == SPOT_COMPARISON_COLUMN_MODEL) {
        text =
            spot_texts_add(texts, "%s (%s)", text, number_text(texts, column->sds[metric_id], 3));
    }
    if (column->has_reference && !isnan(column->zs[metric_id])) {
        text = spot_texts_add(texts, "%s z %5.1f", text, column->zs[metric_id]);
    }
    return text;
}

static void write_head(const spot_comparison_t *self, spot_document_t *document)
{
    const spot_observation_frame_t *frame = &self->recorded.frame;
    const spot_comparison_column_t *last = &self->columns[self->num_columns - 1];
    char resolution[SPOT_NUMBER_TEXT_BYTES], tick[SPOT_NUMBER_TEXT_BYTES];
    bool has_reference = false;

    spot_number_text(self->resolution_s, resolution);
    spot_number_text((double) frame->tick_ms / (double) SPOT_MS_PER_S, tick);
    spot_document_paragraph(document, "%s   %s%s, resolution %s s, %.2f h, capacity %s%" PRId64,
        spot_words_shown(&document->texts, self->name), spot_trace_kind_names[self->kind],
        self->kind == SPOT_TRACE_AVAILABILITY ? " (obtainable; nothing ran)" : "", resolution,
        frame->end_ms / (double) SPOT_MS_PER_H, self->is_unbounded ? "unbounded, taken as " : "",
        frame->capacity);
    spot_document_paragraph(document, "all recorded at a tick of %s s, %s", tick,
        frame->is_net ? "only the net change of a tick" : "both directions of a tick");
    for (size_t j = 0; j < self->num_columns; j++) {
        has_reference = has_reference || self->columns[j].has_reference;
    }
    if (last->kind == SPOT_COMPARISON_COLUMN_MODEL) {
        spot_document_paragraph(document,
            "models: mean (standard deviation%s) of %" PRId64 " replications, seed %" PRIu64,
            has_reference ? "; z: of the mean against the reference" : "", last->num_replications,
            self->seed);
    }
}

static void write_metrics(const spot_comparison_t *self, spot_document_t *document)
{
    spot_table_t table = {.name = "figures"};

    spot_table_add_column(
        &table, (spot_table_column_t){.name = "figure", .kind = SPOT_TABLE_TEXT, .is_key = true});
    spot_table_add_column(
        &table, (spot_table_column_t){.name = "unit", .kind = SPOT_TABLE_TEXT, .is_key = true});
    for (size_t j = 0; j < self->num_columns; j++) {
        spot_table_add_column(&table, (spot_table_column_t){.name = self->columns[j].label});
    }
    for (int j = 0; j < SPOT_FIDELITY_NUM_METRICS; j++) {
        if (j == SPOT_FIDELITY_NUM_FIGURES) {
            spot_table_add_heading(&table, "distance to the recorded trace, 0 = the same");
        }
        spot_table_add_row(&table);
        spot_table_add_text(&table, spot_fidelity_metrics[j].name);
        spot_table_add_text(&table, unit_of(self, j));
        for (size_t k = 0; k < self->num_columns; k++) {
            spot_table_add_text(&table, cell_text(&document->texts, &self->columns[k], j));
        }
    }
    spot_document_gap(document);
    spot_document_table(document, "figures", &table);
}

/* ---- Against the seed model ---- */

/* The ratio of each error of the seed model to that of each other model. */
static void write_gains(
    const spot_comparison_t *self, const spot_comparison_column_t *seed, spot_document_t *document)
{
    static const char marks[] = {'+', '=', '-', ' '};
    spot_table_t table = {.name = "errors"};

    spot_document_gap(document);
    spot_document_paragraph(document,
        "error of %s / error of the model: above 1 the model is better",
        spot_words_shown(&document->texts, seed->label));
    spot_document_paragraph(document, "(+ better, - worse, = within two standard errors)");
    spot_document_gap(document);
    spot_table_add_column(&table, (spot_table_column_t){.name = "error", .kind = SPOT_TABLE_TEXT});
    for (size_t j = SPOT_COMPARISON_FIRST; j < self->num_columns; j++) {
        if (&self->columns[j] != seed) {
            spot_table_add_column(&table, (spot_table_column_t){.name = self->columns[j].label});
        }
    }
    for (int k = 0; k < SPOT_NUM_ERRORS; k++) {
        spot_table_add_row(&table);
        spot_table_add_text(&table, spot_error_name(k));
        for (size_t j = SPOT_COMPARISON_FIRST; j < self->num_columns; j++) {
            double ratio;
            const spot_relation_t relation =
                spot_comparison_relate(self, &self->columns[j], seed, k, &ratio);

            if (&self->columns[j] != seed) {
                spot_table_add_format(
                    &table, "%s %c", number_text(&document->texts, ratio, 3), marks[relation]);
            }
        }
    }
    spot_document_table(document, "errors", &table);
    spot_document_gap(document);
}

/* "block beats seed-corrected in 11 of 13 errors, is worse in 1; most in acf_n: 3.2
 * times smaller". */
static void write_gain_sentence(const spot_comparison_t *self,
    const spot_comparison_column_t *column, const spot_comparison_column_t *seed,
    spot_document_t *document)
{
    spot_texts_t *texts = &document->texts;
    int num[SPOT_UNDEFINED + 1] = {0}, best_id = -1;
    double best = 0, ratio;

    for (int j = 0; j < SPOT_NUM_ERRORS; j++) {
        const spot_relation_t relation = spot_comparison_relate(self, column, seed, j, &ratio);

        num[relation]++;
        if (relation == SPOT_BETTER && ratio > best) {
            best = ratio;
            best_id = j;
        }
    }
    spot_document_paragraph(document, "%s beats %s in %d of %d errors, is worse in %d%s",
        spot_words_shown(texts, column->label), spot_words_shown(texts, seed->label),
        num[SPOT_BETTER], SPOT_NUM_ERRORS - num[SPOT_UNDEFINED], num[SPOT_WORSE],
        best_id < 0 ? ""
                    : spot_texts_add(texts, "; most in %s: %.3g times smaller",
                          spot_error_name(best_id), best));
}

int spot_comparison_table_write(
    const spot_comparison_t *self, const spot_terminal_t *terminal, FILE *out)
{
    const spot_comparison_column_t *seed = spot_comparison_seed(self);
    spot_document_t document;

    spot_document_to_terminal(&document, terminal, out);
    write_head(self, &document);
    write_metrics(self, &document);
    if (seed != NULL && self->num_columns >= SPOT_COMPARISON_FIRST + 2) {
        write_gains(self, seed, &document);
        for (size_t j = SPOT_COMPARISON_FIRST; j < self->num_columns; j++) {
            if (&self->columns[j] != seed) {
                write_gain_sentence(self, &self->columns[j], seed, &document);
            }
        }
    }
    spot_document_gap(&document);
    spot_document_note(&document,
        "half2-vs-half1 is the floor: the trace differs so much from itself, and no "
        "model should be tuned below it. On held-out halves all models come close "
        "together.");
    return spot_document_end(&document);
}
