/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/catalogue.h"

#include <string.h>

#include "base/json.h"
#include "cli/field_text.h"
#include "reports/study_words.h"

int
spot_engine_words_init(
    spot_engine_words_t *self, const spot_experiment_t *experiment, spot_diag_t *diag)
{
    int ret;

    memset(self, 0, sizeof(*self));
    self->experiment = experiment;
    ret = spot_bound_scenario_example(&self->example, experiment, diag);
    if (ret == 0) {
        self->outputs = experiment->outputs(self->example.scenario);
    }
    return ret;
}

void
spot_engine_words_free(spot_engine_words_t *self)
{
    spot_bound_scenario_free(&self->example);
}

/* ---- Words ---- */

#define NOTE_BYTES 256
#define COLUMN_BYTES 128

static const char *const kind_names[] = {
    [SPOT_METRIC_PLAIN] = "number",
    [SPOT_METRIC_SHARE] = "share",
    [SPOT_METRIC_COST] = "cost",
    [SPOT_METRIC_GAIN] = "gain",
    [SPOT_METRIC_TIME] = "time",
    [SPOT_METRIC_PROBABILITY] = "probability",
};

static const char *const better_names[] = {
    [SPOT_BETTER_NEITHER] = NULL,
    [SPOT_BETTER_LOWER] = "lower",
    [SPOT_BETTER_HIGHER] = "higher",
};

/* " (s): time, lower is better; cost_usd / steps_kept". */
static void
metric_note(const spot_metric_t *metric, char note[NOTE_BYTES])
{
    const bool has_unit = strcmp(metric->unit, "1") != 0;
    const bool has_better = metric->better != SPOT_BETTER_NEITHER;
    const int used = snprintf(note, NOTE_BYTES, "%s%.16s%s: %s%s%s%s",
        has_unit ? " (" : "", has_unit ? metric->unit : "", has_unit ? ")" : "",
        kind_names[metric->kind], has_better ? ", " : "",
        has_better ? better_names[metric->better] : "", has_better ? " is better" : "");

    if (metric->numerator != NULL) {
        snprintf(note + used, NOTE_BYTES - (size_t) used, "; %s / %s", metric->numerator,
            metric->denominator);
    }
}

/* "time (instant, ms)", "steps_durable (number, steps)". */
static void
column_words(const spot_series_kind_t *kind, const spot_series_column_t *column,
    char words[COLUMN_BYTES])
{
    const char *unit = spot_series_column_unit(kind, column);
    const bool has_unit = unit[0] != '\0' && strcmp(unit, "1") != 0;

    snprintf(words, COLUMN_BYTES, "%s (%s%s%s)", column->name,
        spot_column_kind_names[column->kind], has_unit ? ", " : "",
        has_unit ? unit : "");
}

/* ---- On a terminal or a page ---- */

/* A sentence: the help with a full stop. */
static void
put_item(const spot_doc_t *doc, const char *name, const char *note, const char *help)
{
    char text[1024];

    snprintf(text, sizeof(text), "%s.", help);
    spot_doc_item(doc, name, note, text, SPOT_DOC_BELOW);
}

void
spot_catalogue_metrics(
    const spot_doc_t *doc, const spot_metric_t *metrics, size_t num_metrics)
{
    for (size_t j = 0; j < num_metrics; j++) {
        char note[NOTE_BYTES];

        metric_note(&metrics[j], note);
        put_item(doc, metrics[j].name, note, metrics[j].help);
    }
}

static void
put_series(const spot_doc_t *doc, const spot_series_kind_t *kind)
{
    char words[COLUMN_BYTES], text[2048];
    size_t used;

    snprintf(text, sizeof(text), "%s. Columns: ", kind->help);
    for (size_t k = 0; k < kind->num_columns; k++) {
        used = strlen(text);
        column_words(kind, &kind->columns[k], words);
        snprintf(text + used, sizeof(text) - used, "%s%s", k == 0 ? "" : ", ", words);
    }
    snprintf(words, sizeof(words), ": %s", spot_series_shape_names[kind->shape]);
    put_item(doc, kind->name, words, text);
}

void
spot_engine_words_put(const spot_engine_words_t *self, const spot_doc_t *doc)
{
    const spot_experiment_t *experiment = self->experiment;
    const spot_outputs_t *outputs = self->outputs;

    spot_doc_text(doc, experiment->doc);
    spot_doc_section(doc, "Example");
    spot_doc_lines(doc, experiment->example);
    spot_doc_section(doc, "Keys");
    spot_doc_fields(doc, spot_field_first(experiment->fields), NULL, "");
    spot_doc_section(doc, "Metrics");
    spot_doc_text(doc, "Those of the example; they may depend on the scenario.");
    spot_catalogue_metrics(doc, outputs->metrics, outputs->num_metrics);
    if (experiment->num_warnings > 0) {
        spot_doc_section(doc, "Warnings");
    }
    for (size_t j = 0; j < experiment->num_warnings; j++) {
        put_item(doc, experiment->warnings[j].name, "", experiment->warnings[j].text);
    }
    if (outputs->num_series > 0) {
        spot_doc_section(doc, "Series");
    }
    for (size_t j = 0; j < outputs->num_series; j++) {
        put_series(doc, outputs->series[j]);
    }
}

/* ---- JSON ---- */

static void
put_metric_json(spot_json_t *json, const spot_metric_t *metric)
{
    char words[SPOT_WORDS_BYTES];

    spot_json_open(json, NULL, '{');
    spot_json_text(json, "name", metric->name);
    spot_json_text(json, "unit", metric->unit);
    spot_json_text(json, "kind", kind_names[metric->kind]);
    spot_json_text(json, "better", better_names[metric->better]);
    spot_metric_words(metric, words);
    spot_json_text(json, "label", words);
    spot_metric_subject(metric, words);
    spot_json_text(json, "noun", words);
    spot_json_text(json, "numerator", metric->numerator);
    spot_json_text(json, "denominator", metric->denominator);
    spot_json_text(json, "help", metric->help);
    spot_json_close(json, '}');
}

static void
put_series_json(spot_json_t *json, const spot_series_kind_t *kind)
{
    spot_json_open(json, NULL, '{');
    spot_json_text(json, "name", kind->name);
    spot_json_text(json, "shape", spot_series_shape_names[kind->shape]);
    spot_json_integer(json, "ticks_per_s", kind->ticks_per_s);
    spot_json_open(json, "columns", '[');
    for (size_t k = 0; k < kind->num_columns; k++) {
        spot_json_open(json, NULL, '{');
        spot_json_text(json, "name", kind->columns[k].name);
        spot_json_text(json, "kind", spot_column_kind_names[kind->columns[k].kind]);
        spot_json_text(json, "unit", spot_series_column_unit(kind, &kind->columns[k]));
        spot_json_close(json, '}');
    }
    spot_json_close(json, ']');
    spot_json_text(json, "help", kind->help);
    spot_json_close(json, '}');
}

int
spot_engine_words_json(const spot_engine_words_t *self, FILE *out)
{
    const spot_experiment_t *experiment = self->experiment;
    const spot_outputs_t *outputs = self->outputs;
    spot_json_t json;
    int ret;

    spot_json_init(&json, out, 2);
    spot_json_open(&json, NULL, '{');
    spot_json_text(&json, "name", experiment->name);
    spot_json_text(&json, "summary", experiment->summary);
    spot_json_text(&json, "doc", experiment->doc);
    ret = spot_fields_write_json(&json, "keys", experiment->fields);
    spot_json_open(&json, "metrics", '[');
    for (size_t j = 0; j < outputs->num_metrics; j++) {
        put_metric_json(&json, &outputs->metrics[j]);
    }
    spot_json_close(&json, ']');
    spot_json_open(&json, "warnings", '[');
    for (size_t j = 0; j < experiment->num_warnings; j++) {
        spot_json_open(&json, NULL, '{');
        spot_json_text(&json, "name", experiment->warnings[j].name);
        spot_json_text(&json, "text", experiment->warnings[j].text);
        spot_json_close(&json, '}');
    }
    spot_json_close(&json, ']');
    spot_json_open(&json, "series", '[');
    for (size_t j = 0; j < outputs->num_series; j++) {
        put_series_json(&json, outputs->series[j]);
    }
    spot_json_close(&json, ']');
    spot_json_boolean(&json, "is_random", outputs->is_random);
    spot_json_integer(&json, "batch_replications", outputs->batch_replications);
    spot_json_text(&json, "example", experiment->example);
    spot_json_close(&json, '}');
    return ret;
}
