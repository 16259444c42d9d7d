/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/catalogue.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/units.h"
#include "cli/field_text.h"
#include "reports/study_words.h"
#include "sim/engines.h"
#include "sim/recovery/recovery.h"
#include "sim/study/study.h"
#include "traces/generate/generator.h"
#include "traces/generate/model.h"

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

/* ---- Keys of a file ---- */

/* Whether a document is a study, not a scenario. */
static bool
is_study(const spot_node_t *root)
{
    static const char *const keys[] = {"study", "sweep", "optimise", "replications"};

    for (size_t j = 0; j < sizeof(keys) / sizeof(keys[0]); j++) {
        if (spot_node_get(root, keys[j]) != NULL) {
            return true;
        }
    }
    return false;
}

static int
put_keys(const spot_doc_t *doc, const spot_node_t *root, spot_diag_t *diag)
{
    const spot_experiment_t *experiment;
    const int ret = spot_experiment_choose(&experiment, spot_engines, root, diag);

    if (ret == 0) {
        spot_doc_keys(doc, spot_field_first(experiment->fields), root, "");
    }
    return ret;
}

/* Of a scenario in a file of its own. */
static int
put_keys_of_file(const spot_doc_t *doc, const spot_node_t *path, spot_diag_t *diag)
{
    char *file = spot_node_file_path(path);
    spot_yaml_t document = {.root = NULL};
    int ret = SPOT_ERR_NO_MEMORY;

    if (file != NULL) {
        ret = spot_scenario_read_document(&document, file, NULL, diag);
    }
    if (ret == 0) {
        ret = put_keys(doc, document.root, diag);
    }
    spot_yaml_free(&document);
    free(file);
    return ret;
}

int
spot_catalogue_keys(const spot_doc_t *doc, const char *path, spot_diag_t *diag)
{
    spot_yaml_t document;
    int ret = spot_scenario_read_document(&document, path, NULL, diag);

    if (ret == 0 && !is_study(document.root)) {
        ret = put_keys(doc, document.root, diag);
    } else if (ret == 0) {
        const spot_node_t *scenario = spot_node_get(document.root, "scenario");

        if (scenario != NULL && scenario->kind == SPOT_NODE_MAP) {
            ret = put_keys(doc, scenario, diag);
        } else if (scenario != NULL && scenario->kind == SPOT_NODE_SCALAR) {
            ret = put_keys_of_file(doc, scenario, diag);
        }
        spot_doc_keys(doc, spot_field_first(spot_study_fields), document.root, "");
    }
    spot_yaml_free(&document);
    return ret;
}

/* ---- Topics of help ---- */

#define HEADING_BYTES 128

/* What stands above the items that follow, if there are any. */
static void
head(const spot_doc_t *doc, bool is_first, const char *what, const char *name)
{
    snprintf(doc->heading, HEADING_BYTES, "%s%s%s:\n",
        is_first || doc->grep != NULL ? "" : "\n", what, name);
}

static int
put_all_metrics(const spot_doc_t *doc, spot_diag_t *diag)
{
    int ret = 0;

    for (size_t j = 0; ret == 0 && spot_engines[j] != NULL; j++) {
        spot_engine_words_t words;

        ret = spot_engine_words_init(&words, spot_engines[j], diag);
        if (ret == 0) {
            head(doc, j == 0, "Metrics of the engine ", spot_engines[j]->name);
            spot_catalogue_metrics(
                doc, words.outputs->metrics, words.outputs->num_metrics);
        }
        spot_engine_words_free(&words);
    }
    return ret;
}

static int
put_all_keys(const spot_doc_t *doc, spot_diag_t *diag)
{
    (void) diag;
    for (size_t j = 0; spot_engines[j] != NULL; j++) {
        head(doc, j == 0, "Keys of the engine ", spot_engines[j]->name);
        spot_doc_fields(doc, spot_field_first(spot_engines[j]->fields), NULL, "");
    }
    for (size_t j = 0; spot_recovery_systems[j] != NULL; j++) {
        head(doc, false, "Keys of the recovery system ", spot_recovery_systems[j]->name);
        spot_doc_fields(
            doc, spot_field_first(spot_recovery_systems[j]->options), NULL, "recovery.");
    }
    for (size_t j = 0; spot_generators[j] != NULL; j++) {
        head(doc, false, "Keys of the generator ", spot_generators[j]->name);
        spot_doc_fields(
            doc, spot_generators[j]->options, spot_model_common_fields, "trace.");
    }
    head(doc, false, "Keys of every generator", "");
    spot_doc_fields(doc, spot_model_common_fields, NULL, "trace.");
    head(doc, false, "Keys of a study", "");
    spot_doc_fields(doc, spot_field_first(spot_study_fields), NULL, "");
    return 0;
}

static int
put_units(const spot_doc_t *doc, spot_diag_t *diag)
{
    static const struct {
        const char *what, *help;
        const spot_units_t *units;
    } kinds[] = {
        {"durations", "such as \"88 s\", 1.5h or \"250 ms\"", &spot_units_ms},
        {"short durations", "of engines that count nanoseconds, such as \"20 us\"",
            &spot_units_ns},
        {"sizes", "such as \"220 kB\" or \"24 GiB\"", &spot_units_bytes},
        {"rates", "such as \"10 Gbit/s\"", &spot_units_bytes_per_s},
        {"prices", "of an instance; a number alone is in USD/h", &spot_units_usd_per_h},
    };

    (void) diag;
    for (size_t j = 0; j < sizeof(kinds) / sizeof(kinds[0]); j++) {
        char text[512];
        const char *unit;
        size_t used = 0;

        for (size_t k = 0; (unit = spot_units_name(kinds[j].units, k)) != NULL; k++) {
            used += (size_t) snprintf(
                text + used, sizeof(text) - used, "%s%s", k == 0 ? "" : ", ", unit);
        }
        snprintf(text + used, sizeof(text) - used, ": %s", kinds[j].help);
        spot_doc_item(doc, kinds[j].what, "", text, 20);
    }
    return 0;
}

static const struct {
    const char *name;
    int (*put)(const spot_doc_t *doc, spot_diag_t *diag);
} topics[] = {
    {"metrics", put_all_metrics},
    {"keys", put_all_keys},
    {"units", put_units},
};

const char *
spot_catalogue_topic_name(size_t j)
{
    return j < sizeof(topics) / sizeof(topics[0]) ? topics[j].name : NULL;
}

int
spot_catalogue_topic(const spot_doc_t *doc, const char *topic, spot_diag_t *diag)
{
    char heading[HEADING_BYTES] = "";
    spot_doc_t headed = *doc;
    const char *name;

    headed.heading = heading;
    for (size_t j = 0; (name = spot_catalogue_topic_name(j)) != NULL; j++) {
        if (strcmp(name, topic) == 0) {
            return topics[j].put(&headed, diag);
        }
    }
    return SPOT_ERR_BAD_PARAM;
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
