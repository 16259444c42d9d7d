/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/catalogue.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "sim/bench/study/study.h"
#include "sim/engines.h"
#include "sim/train/recovery/recovery.h"
#include "traces/generate/generator.h"
#include "traces/generate/model.h"

const char *spot_catalogue_engine_name(size_t j)
{
    return spot_engines[j] == NULL ? NULL : spot_engines[j]->name;
}

int spot_engine_words_init(
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

void spot_engine_words_free(spot_engine_words_t *self)
{
    spot_bound_scenario_free(&self->example);
}

/* ---- Keys of a file ---- */

/* Whether a document is a study, not a scenario. */
static bool is_study(const spot_node_t *root)
{
    static const char *const keys[] = {"study", "sweep", "optimise", "replications"};

    for (size_t j = 0; j < sizeof(keys) / sizeof(keys[0]); j++) {
        if (spot_node_get(root, keys[j]) != NULL) {
            return true;
        }
    }
    return false;
}

static int put_keys(const spot_doc_t *doc, const spot_node_t *root, spot_diag_t *diag)
{
    const spot_experiment_t *experiment;
    const int ret = spot_experiment_choose(&experiment, spot_engines, root, diag);

    if (ret == 0) {
        spot_doc_fields(doc, spot_field_first(experiment->fields), NULL, root, "");
    }
    return ret;
}

/* Of a scenario in a file of its own. */
static int put_keys_of_file(const spot_doc_t *doc, const spot_node_t *path, spot_diag_t *diag)
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

int spot_catalogue_keys(const spot_doc_t *doc, const char *path, spot_diag_t *diag)
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
        spot_doc_fields(doc, spot_field_first(spot_study_fields), NULL, document.root, "");
    }
    spot_yaml_free(&document);
    return ret;
}

/* ---- Topics of help ---- */

#define HEADING_BYTES 128

/* What stands above the items that follow, if there are any. */
static void head(const spot_doc_t *doc, bool is_first, const char *what, const char *name)
{
    snprintf(doc->heading, HEADING_BYTES, "%s%s%s:\n", is_first || doc->grep != NULL ? "" : "\n",
        what, name);
}

static int put_all_metrics(const spot_doc_t *doc, spot_diag_t *diag)
{
    int ret = 0;

    for (size_t j = 0; ret == 0 && spot_engines[j] != NULL; j++) {
        spot_engine_words_t words;

        ret = spot_engine_words_init(&words, spot_engines[j], diag);
        if (ret == 0) {
            head(doc, j == 0, "Metrics of the engine ", spot_engines[j]->name);
            spot_engine_report_metrics(doc, words.outputs->metrics, words.outputs->num_metrics);
        }
        spot_engine_words_free(&words);
    }
    return ret;
}

static int put_all_keys(const spot_doc_t *doc, spot_diag_t *diag)
{
    (void) diag;
    for (size_t j = 0; spot_engines[j] != NULL; j++) {
        head(doc, j == 0, "Keys of the engine ", spot_engines[j]->name);
        spot_doc_fields(doc, spot_field_first(spot_engines[j]->fields), NULL, NULL, "");
    }
    for (size_t j = 0; spot_recovery_systems[j] != NULL; j++) {
        head(doc, false, "Keys of the recovery system ", spot_recovery_systems[j]->name);
        spot_doc_fields(
            doc, spot_field_first(spot_recovery_systems[j]->options), NULL, NULL, "recovery.");
    }
    for (size_t j = 0; spot_generators[j] != NULL; j++) {
        head(doc, false, "Keys of the generator ", spot_generators[j]->name);
        spot_doc_fields(doc, spot_generators[j]->options, spot_model_common_fields, NULL, "trace.");
    }
    head(doc, false, "Keys of every generator", "");
    spot_doc_fields(doc, spot_model_common_fields, NULL, NULL, "trace.");
    head(doc, false, "Keys of a study", "");
    spot_doc_fields(doc, spot_field_first(spot_study_fields), NULL, NULL, "");
    return 0;
}

static int put_units(const spot_doc_t *doc, spot_diag_t *diag)
{
    static const struct {
        const char *what, *help;
        const spot_units_t *units;
    } kinds[] = {
        {"durations", "such as \"88 s\", 1.5h or \"250 ms\"; or in full, \"5 hours\", \"2 weeks\"",
            &spot_units_ms},
        {"short durations", "of engines that count nanoseconds, such as \"20 us\"", &spot_units_ns},
        {"sizes", "such as \"220 kB\" or \"24 GiB\"", &spot_units_bytes},
        {"rates", "such as \"10 Gbit/s\"", &spot_units_bytes_per_s},
        {"prices", "of an instance; a number alone is in USD/h", &spot_units_usd_per_h},
    };
    spot_texts_t texts = {0};

    (void) diag;
    for (size_t j = 0; j < sizeof(kinds) / sizeof(kinds[0]); j++) {
        const char *unit, *list = "";

        for (size_t k = 0; (unit = spot_units_name(kinds[j].units, k)) != NULL; k++) {
            list = spot_texts_add(&texts, "%s%s%s", list, k == 0 ? "" : ", ", unit);
        }
        spot_doc_item(
            doc, kinds[j].what, "", spot_texts_add(&texts, "%s: %s", list, kinds[j].help), 20);
    }
    spot_texts_free(&texts);
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

const char *spot_catalogue_topic_name(size_t j)
{
    return j < sizeof(topics) / sizeof(topics[0]) ? topics[j].name : NULL;
}

int spot_catalogue_topic(const spot_doc_t *doc, const char *topic, spot_diag_t *diag)
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
