/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/traces/comparison_table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "base/utf8.h"
#include "reports/table/table_terminal.h"

#define CELL_BYTES 96

/* Unit of a metric; instances are obtainable in a trace of kind availability. */
static const char *
unit_of(const spot_comparison_t *self, int metric_id)
{
    const char *unit = spot_fidelity_metrics[metric_id].unit;

    return self->kind == SPOT_TRACE_AVAILABILITY && strcmp(unit, "instances") == 0
               ? "obtainable"
           : strcmp(unit, "1") == 0 ? ""
                                    : unit;
}

static void
number_text(double value, int num_digits, char *text, size_t num_bytes)
{
    if (isnan(value)) {
        snprintf(text, num_bytes, "-");
    } else if (fabs(value) >= pow(10, num_digits)) {
        snprintf(text, num_bytes, "%.0f", value);
    } else {
        snprintf(text, num_bytes, "%.*g", num_digits, value);
    }
}

/* Writes "0.184"; for a model "0.0821 (0.0274)", with a reference "0.0821 (0.0274) z
 * 0.4". */
static void
cell_text(const spot_comparison_column_t *column, int metric_id, char text[CELL_BYTES])
{
    char mean[SPOT_NUMBER_TEXT_BYTES], sd[SPOT_NUMBER_TEXT_BYTES];
    const bool is_distance = metric_id >= SPOT_FIDELITY_NUM_FIGURES;
    const bool is_itself = column->kind == SPOT_COMPARISON_COLUMN_RECORDED ||
                           column->kind == SPOT_COMPARISON_COLUMN_HALF;
    size_t num_bytes;

    number_text(is_itself && is_distance ? (double) NAN : column->means[metric_id], 4,
        mean, sizeof(mean));
    num_bytes = (size_t) snprintf(text, CELL_BYTES, "%s", mean);
    if (column->kind == SPOT_COMPARISON_COLUMN_MODEL) {
        number_text(column->sds[metric_id], 3, sd, sizeof(sd));
        num_bytes +=
            (size_t) snprintf(text + num_bytes, CELL_BYTES - num_bytes, " (%s)", sd);
    }
    if (column->has_reference && !isnan(column->zs[metric_id])) {
        snprintf(
            text + num_bytes, CELL_BYTES - num_bytes, " z %5.1f", column->zs[metric_id]);
    }
}

static void
print_head(const spot_comparison_t *self, FILE *out)
{
    const spot_observation_frame_t *frame = &self->recorded.frame;
    char name[SPOT_UTF8_SHOWN_BYTES], resolution[SPOT_NUMBER_TEXT_BYTES];
    char tick[SPOT_NUMBER_TEXT_BYTES];

    spot_number_text(self->resolution_s, resolution);
    spot_number_text((double) frame->tick_ms / (double) SPOT_MS_PER_S, tick);
    fprintf(out, "%s   %s%s, resolution %s s, %.2f h, capacity %s%" PRId64 "\n",
        spot_utf8_shown(self->name, name), spot_trace_kind_names[self->kind],
        self->kind == SPOT_TRACE_AVAILABILITY ? " (obtainable; nothing ran)" : "",
        resolution, frame->end_ms / (double) SPOT_MS_PER_H,
        self->is_unbounded ? "unbounded, taken as " : "", frame->capacity);
    fprintf(out, "all recorded at a tick of %s s, %s\n", tick,
        frame->is_net ? "only the net change of a tick" : "both directions of a tick");
}

static void
print_models_head(const spot_comparison_t *self, FILE *out)
{
    const spot_comparison_column_t *last = &self->columns[self->num_columns - 1];
    bool has_reference = false;

    for (size_t j = 0; j < self->num_columns; j++) {
        has_reference = has_reference || self->columns[j].has_reference;
    }
    if (last->kind == SPOT_COMPARISON_COLUMN_MODEL) {
        fprintf(out,
            "models: mean (standard deviation%s) of %" PRId64
            " replications, seed %" PRIu64 "\n",
            has_reference ? "; z: of the mean against the reference" : "",
            last->num_replications, self->seed);
    }
}

static void
add_row(const spot_comparison_t *self, int metric_id, spot_table_t *table)
{
    char text[CELL_BYTES];

    spot_table_add_row(table);
    spot_table_add_text(table, spot_fidelity_metrics[metric_id].name);
    spot_table_add_text(table, unit_of(self, metric_id));
    for (size_t j = 0; j < self->num_columns; j++) {
        cell_text(&self->columns[j], metric_id, text);
        spot_table_add_text(table, text);
    }
}

static int
print_metrics(const spot_comparison_t *self, const spot_terminal_t *terminal, FILE *out)
{
    spot_table_t table = {.name = "figures"};
    int ret;

    spot_table_add_column(
        &table, (spot_table_column_t){
                    .name = "figure", .kind = SPOT_TABLE_TEXT, .is_key = true});
    spot_table_add_column(&table,
        (spot_table_column_t){.name = "unit", .kind = SPOT_TABLE_TEXT, .is_key = true});
    for (size_t j = 0; j < self->num_columns; j++) {
        spot_table_add_column(
            &table, (spot_table_column_t){.name = self->columns[j].label});
    }
    for (int j = 0; j < SPOT_FIDELITY_NUM_METRICS; j++) {
        if (j == SPOT_FIDELITY_NUM_FIGURES) {
            spot_table_add_heading(
                &table, "distance to the recorded trace, 0 = the same");
        }
        add_row(self, j, &table);
    }
    fputc('\n', out);
    ret = spot_table_write_terminal(&table, terminal, out);
    spot_table_free(&table);
    return ret;
}

/* The ratio of an error of the seed model to that of each other model. */
static void
add_gain_row(const spot_comparison_t *self, const spot_comparison_column_t *seed,
    int error_id, spot_table_t *table)
{
    static const char marks[] = {'+', '=', '-', ' '};
    char number[SPOT_NUMBER_TEXT_BYTES], text[CELL_BYTES];

    spot_table_add_row(table);
    spot_table_add_text(table, spot_error_name(error_id));
    for (size_t j = SPOT_COMPARISON_FIRST; j < self->num_columns; j++) {
        if (&self->columns[j] != seed) {
            double ratio;
            const spot_relation_t relation =
                spot_comparison_relate(self, &self->columns[j], seed, error_id, &ratio);

            number_text(ratio, 3, number, sizeof(number));
            snprintf(text, sizeof(text), "%s %c", number, marks[relation]);
            spot_table_add_text(table, text);
        }
    }
}

static int
print_gains(const spot_comparison_t *self, const spot_comparison_column_t *seed,
    const spot_terminal_t *terminal, FILE *out)
{
    spot_table_t table = {.name = "errors"};
    char label[SPOT_UTF8_SHOWN_BYTES];
    int ret;

    fprintf(out, "\nerror of %s / error of the model: above 1 the model is better\n",
        spot_utf8_shown(seed->label, label));
    fprintf(out, "(+ better, - worse, = within two standard errors)\n\n");
    spot_table_add_column(
        &table, (spot_table_column_t){.name = "error", .kind = SPOT_TABLE_TEXT});
    for (size_t j = SPOT_COMPARISON_FIRST; j < self->num_columns; j++) {
        if (&self->columns[j] != seed) {
            spot_table_add_column(
                &table, (spot_table_column_t){.name = self->columns[j].label});
        }
    }
    for (int error_id = 0; error_id < SPOT_NUM_ERRORS; error_id++) {
        add_gain_row(self, seed, error_id, &table);
    }
    ret = spot_table_write_terminal(&table, terminal, out);
    spot_table_free(&table);
    fputc('\n', out);
    return ret;
}

/* Prints "block beats seed-corrected in 11 of 13 errors, is worse in 1; most in acf_n:
 * 3.2 times smaller". */
static void
print_gain_sentence(const spot_comparison_t *self,
    const spot_comparison_column_t *column, const spot_comparison_column_t *seed,
    FILE *out)
{
    char label[SPOT_UTF8_SHOWN_BYTES], other[SPOT_UTF8_SHOWN_BYTES];
    int num[SPOT_UNDEFINED + 1] = {0}, best_id = -1;
    double best = 0, ratio;

    for (int j = 0; j < SPOT_NUM_ERRORS; j++) {
        const spot_relation_t relation =
            spot_comparison_relate(self, column, seed, j, &ratio);

        num[relation]++;
        if (relation == SPOT_BETTER && ratio > best) {
            best = ratio;
            best_id = j;
        }
    }
    fprintf(out, "%s beats %s in %d of %d errors, is worse in %d",
        spot_utf8_shown(column->label, label), spot_utf8_shown(seed->label, other),
        num[SPOT_BETTER], SPOT_NUM_ERRORS - num[SPOT_UNDEFINED], num[SPOT_WORSE]);
    if (best_id >= 0) {
        fprintf(out, "; most in %s: %.3g times smaller", spot_error_name(best_id), best);
    }
    fputc('\n', out);
}

static int
print_all_gains(
    const spot_comparison_t *self, const spot_terminal_t *terminal, FILE *out)
{
    const spot_comparison_column_t *seed = spot_comparison_seed(self);
    int ret;

    if (seed == NULL || self->num_columns < SPOT_COMPARISON_FIRST + 2) {
        return 0;
    }
    ret = print_gains(self, seed, terminal, out);
    for (size_t j = SPOT_COMPARISON_FIRST; j < self->num_columns; j++) {
        if (&self->columns[j] != seed) {
            print_gain_sentence(self, &self->columns[j], seed, out);
        }
    }
    return ret;
}

int
spot_comparison_table_write(
    const spot_comparison_t *self, const spot_terminal_t *terminal, FILE *out)
{
    int ret;

    print_head(self, out);
    print_models_head(self, out);
    ret = print_metrics(self, terminal, out);
    if (ret == 0) {
        ret = print_all_gains(self, terminal, out);
    }
    fprintf(out,
        "\nhalf2-vs-half1 is the floor: the trace differs so much from itself, and no "
        "model should be tuned below it. On held-out halves all models come close "
        "together.\n");
    return ret;
}
