/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/engine_report.h"

#include <string.h>

#include "reports/words.h"

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

/* ---- On a terminal or a page ---- */

/* A sentence: the help with a full stop. */
static void put_item(const spot_doc_t *doc, const char *name, const char *note, const char *help)
{
    spot_texts_t texts = {0};

    spot_doc_item(doc, name, note, spot_texts_add(&texts, "%s.", help), SPOT_DOC_BELOW);
    spot_texts_free(&texts);
}

/* " (s): time, lower is better; cost_usd / steps_kept". */
static void put_metric(const spot_doc_t *doc, const spot_metric_t *metric)
{
    const bool has_unit = strcmp(metric->unit, "1") != 0;
    const char *better = better_names[metric->better];
    spot_texts_t texts = {0};
    const char *ratio = metric->numerator == NULL ? ""
                                                  : spot_texts_add(&texts, "; %s / %s",
                                                        metric->numerator, metric->denominator);

    put_item(doc, metric->name,
        spot_texts_add(&texts, "%s%s%s: %s%s%s%s%s", has_unit ? " (" : "",
            has_unit ? metric->unit : "", has_unit ? ")" : "", kind_names[metric->kind],
            better == NULL ? "" : ", ", better == NULL ? "" : better,
            better == NULL ? "" : " is better", ratio),
        metric->help);
    spot_texts_free(&texts);
}

void spot_engine_report_metrics(
    const spot_doc_t *doc, const spot_metric_t *metrics, size_t num_metrics)
{
    for (size_t j = 0; j < num_metrics; j++) {
        put_metric(doc, &metrics[j]);
    }
}

/* "HELP. Columns: time (instant, ms), steps_durable (number, steps)". */
static void put_series(const spot_doc_t *doc, const spot_series_kind_t *kind)
{
    spot_texts_t texts = {0};
    const char *text = spot_texts_add(&texts, "%s. Columns: ", kind->help);

    for (size_t k = 0; k < kind->num_columns; k++) {
        const spot_series_column_t *column = &kind->columns[k];
        const char *unit = spot_series_column_unit(kind, column);
        const bool has_unit = unit[0] != '\0' && strcmp(unit, "1") != 0;

        text = spot_texts_add(&texts, "%s%s%s (%s%s%s)", text, k == 0 ? "" : ", ", column->name,
            spot_column_kind_names[column->kind], has_unit ? ", " : "", has_unit ? unit : "");
    }
    put_item(doc, kind->name, spot_texts_add(&texts, ": %s", spot_series_shape_names[kind->shape]),
        text);
    spot_texts_free(&texts);
}

/* The values of keys such as policy, with the sources that they follow. */
static void put_rivals(const spot_doc_t *doc, const spot_rivals_t *rivals)
{
    for (; rivals != NULL && rivals->key != NULL; rivals++) {
        spot_texts_t texts = {0};

        if (rivals->value != NULL) {
            spot_doc_section(doc, spot_texts_add(&texts, "Values of %s", rivals->key));
        }
        for (size_t j = 0; rivals->value != NULL && rivals->value(j).name != NULL; j++) {
            const spot_rival_t rival = rivals->value(j);

            put_item(doc, rival.name, "",
                rival.source == NULL
                    ? rival.doc
                    : spot_texts_add(&texts, "%s. Source: %s", rival.doc, rival.source));
        }
        spot_texts_free(&texts);
    }
}

void spot_engine_report_put(
    const spot_doc_t *doc, const spot_experiment_t *experiment, const spot_outputs_t *outputs)
{
    spot_doc_text(doc, experiment->doc);
    spot_doc_section(doc, "Example");
    spot_doc_lines(doc, experiment->example);
    spot_doc_section(doc, "Keys");
    spot_doc_fields(doc, spot_field_first(experiment->fields), NULL, NULL, "");
    put_rivals(doc, experiment->rivals);
    spot_doc_section(doc, "Metrics");
    spot_doc_text(doc, "Those of the example; they may depend on the scenario.");
    spot_engine_report_metrics(doc, outputs->metrics, outputs->num_metrics);
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

static void put_metric_json(spot_json_t *json, const spot_metric_t *metric)
{
    spot_texts_t texts = {0};

    spot_json_open(json, NULL, '{');
    spot_json_text(json, "name", metric->name);
    spot_json_text(json, "unit", metric->unit);
    spot_json_text(json, "kind", kind_names[metric->kind]);
    spot_json_text(json, "better", better_names[metric->better]);
    spot_json_text(json, "label", spot_words_metric(&texts, metric, NULL));
    spot_json_text(json, "noun", spot_words_subject(&texts, metric));
    spot_json_text(json, "numerator", metric->numerator);
    spot_json_text(json, "denominator", metric->denominator);
    spot_json_text(json, "help", metric->help);
    spot_json_close(json, '}');
    spot_texts_free(&texts);
}

static void put_series_json(spot_json_t *json, const spot_series_kind_t *kind)
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

static void put_rivals_json(spot_json_t *json, const spot_rivals_t *rivals)
{
    spot_json_open(json, "rivals", '[');
    for (; rivals != NULL && rivals->key != NULL; rivals++) {
        for (size_t j = 0; rivals->value != NULL && rivals->value(j).name != NULL; j++) {
            const spot_rival_t rival = rivals->value(j);

            spot_json_open(json, NULL, '{');
            spot_json_text(json, "key", rivals->key);
            spot_json_text(json, "name", rival.name);
            spot_json_text(json, "doc", rival.doc);
            spot_json_text(json, "source", rival.source);
            spot_json_close(json, '}');
        }
    }
    spot_json_close(json, ']');
}

void spot_engine_report_json(
    const spot_experiment_t *experiment, const spot_outputs_t *outputs, FILE *out)
{
    spot_json_t json;

    spot_json_init(&json, out, 2);
    spot_json_open(&json, NULL, '{');
    spot_json_text(&json, "name", experiment->name);
    spot_json_text(&json, "summary", experiment->summary);
    spot_json_text(&json, "doc", experiment->doc);
    spot_doc_fields_json(&json, "keys", experiment->fields);
    put_rivals_json(&json, experiment->rivals);
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
}
