/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "base/csv.h"
#include "base/json.h"
#include "base/units.h"
#include "traces/compare/comparison.h"

#define INDENT 2

static const char *const column_kinds[] = {"recorded", "half", "halves", "trace", "model"};

static void write_values(spot_json_t *json, const char *key, const double *values)
{
    spot_json_open(json, key, '{');
    for (int j = 0; j < SPOT_FIDELITY_NUM_METRICS; j++) {
        spot_json_number(json, spot_fidelity_metrics[j].name, values[j]);
    }
    spot_json_close(json, '}');
}

static void write_trace(spot_json_t *json, const spot_comparison_t *self)
{
    const spot_observation_frame_t *frame = &self->recorded.frame;

    spot_json_open(json, "trace", '{');
    spot_json_text(json, "name", self->name);
    spot_json_text(json, "kind", spot_trace_kind_names[self->kind]);
    spot_json_text(
        json, "population", self->kind == SPOT_TRACE_AVAILABILITY ? "obtainable" : "running");
    spot_json_number(json, "resolution_s", self->resolution_s);
    spot_json_number(json, "span_s", frame->end_ms / (double) SPOT_MS_PER_S);
    if (self->is_unbounded) {
        spot_json_text(json, "capacity", "unbounded");
    } else {
        spot_json_integer(json, "capacity", frame->capacity);
    }
    spot_json_integer(json, "initial", self->recorded.initial);
    spot_json_close(json, '}');
}

static void write_column(spot_json_t *json, const spot_comparison_column_t *column)
{
    spot_json_open(json, NULL, '{');
    spot_json_text(json, "label", column->label);
    spot_json_text(json, "kind", column_kinds[column->kind]);
    if (column->kind == SPOT_COMPARISON_COLUMN_MODEL) {
        spot_json_text(json, "model", column->model);
        spot_json_integer(json, "replications", column->num_replications);
        write_values(json, "mean", column->means);
        write_values(json, "sd", column->sds);
    } else {
        write_values(json, "value", column->means);
    }
    if (column->has_reference) {
        write_values(json, "z", column->zs);
    }
    spot_json_close(json, '}');
}

/* Writes one object per error of a model, relative to the seed model. */
static void write_gains(
    spot_json_t *json, const spot_comparison_t *self, const spot_comparison_column_t *seed)
{
    static const char *const words[] = {"better", "alike", "worse", NULL};

    spot_json_open(json, "gains", '[');
    for (size_t j = SPOT_COMPARISON_FIRST; j < self->num_columns; j++) {
        for (int k = 0; &self->columns[j] != seed && k < SPOT_NUM_ERRORS; k++) {
            double error, stderr_error, ratio;
            const spot_relation_t relation =
                spot_comparison_relate(self, &self->columns[j], seed, k, &ratio);

            spot_comparison_error(self, &self->columns[j], k, &error, &stderr_error);
            spot_json_open(json, NULL, '{');
            spot_json_text(json, "label", self->columns[j].label);
            spot_json_text(json, "than", seed->label);
            spot_json_text(json, "error", spot_error_name(k));
            spot_json_number(json, "value", error);
            spot_json_number(json, "stderr", stderr_error);
            spot_json_number(json, "ratio", ratio);
            spot_json_text(json, "relation", words[relation]);
            spot_json_close(json, '}');
        }
    }
    spot_json_close(json, ']');
}

void spot_comparison_json_write(const spot_comparison_t *self, FILE *out)
{
    const spot_observation_frame_t *frame = &self->recorded.frame;
    const spot_comparison_column_t *seed = spot_comparison_seed(self);
    spot_json_t json;

    spot_json_init(&json, out, INDENT);
    spot_json_open(&json, NULL, '{');
    write_trace(&json, self);
    spot_json_number(&json, "tick_s", (double) frame->tick_ms / (double) SPOT_MS_PER_S);
    spot_json_text(&json, "recorded_changes", frame->is_net ? "net" : "both");
    spot_json_unsigned(&json, "seed", self->seed);
    spot_json_open(&json, "metrics", '{');
    for (int j = 0; j < SPOT_FIDELITY_NUM_METRICS; j++) {
        spot_json_open(&json, spot_fidelity_metrics[j].name, '{');
        spot_json_text(&json, "unit", spot_fidelity_metrics[j].unit);
        spot_json_text(&json, "help", spot_fidelity_metrics[j].help);
        spot_json_close(&json, '}');
    }
    spot_json_close(&json, '}');
    spot_json_open(&json, "columns", '[');
    for (size_t j = 0; j < self->num_columns; j++) {
        write_column(&json, &self->columns[j]);
    }
    spot_json_close(&json, ']');
    if (seed != NULL) {
        write_gains(&json, self, seed);
    }
    spot_json_close(&json, '}');
    fputc('\n', out);
}

void spot_comparison_csv_write(const spot_comparison_t *self, FILE *out)
{
    fputs("trace,model,replicates", out);
    for (int j = 0; j < 2 * SPOT_FIDELITY_NUM_METRICS; j++) {
        const bool is_sd = j >= SPOT_FIDELITY_NUM_METRICS;

        fprintf(out, ",%s%s", is_sd ? "sd_" : "",
            spot_fidelity_metrics[j % SPOT_FIDELITY_NUM_METRICS].name);
    }
    fputc('\n', out);
    for (size_t j = 0; j < self->num_columns; j++) {
        const spot_comparison_column_t *column = &self->columns[j];

        /* Neither the name of a trace nor a label has a comma or a quote. */
        fprintf(out, "%s,%s,%" PRId64, self->name, column->label, column->num_replications);
        for (int k = 0; k < SPOT_FIDELITY_NUM_METRICS; k++) {
            spot_csv_field_number(out, column->means[k]);
        }
        for (int k = 0; k < SPOT_FIDELITY_NUM_METRICS; k++) {
            spot_csv_field_number(out, column->sds[k]);
        }
        fputc('\n', out);
    }
}
