/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/manual.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/provenance.h"
#include "base/units.h"
#include "cli/command.h"
#include "models/step_time.h"
#include "reports/words.h"
#include "sim/bench/engine/experiment.h"
#include "sim/bench/engine/scenario_file.h"
#include "sim/bench/study/study.h"
#include "sim/engines.h"
#include "sim/train/job/scenario.h"
#include "sim/train/metrics.h"
#include "sim/train/recovery/recovery.h"
#include "traces/describe/describe.h"
#include "traces/generate/generator.h"
#include "traces/generate/model.h"
#include "traces/laws/law.h"

/* An engine and its example, bound. */
typedef struct {
    const spot_experiment_t *experiment;
    spot_bound_scenario_t example;
    const spot_outputs_t *outputs; /* of the example */
} engine_words_t;

/* ---- An engine in words ---- */

/* An engine in words: its keys, and what its example yields. */

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

/* ---- The same on a terminal or a page ---- */

/* A sentence: the help with a full stop. */
static void put_item(const spot_help_t *doc, const char *name, const char *note, const char *help)
{
    spot_texts_t texts = {0};

    spot_help_item(doc, name, note, spot_texts_add(&texts, "%s.", help), SPOT_HELP_BELOW);
    spot_help_texts_free(&texts);
}

/* " (s): time, lower is better; cost_usd / steps_kept". */
static void put_metric(const spot_help_t *doc, const spot_metric_t *metric)
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
    spot_help_texts_free(&texts);
}

/* An item for each metric. */
static void engine_report_metrics(
    const spot_help_t *doc, const spot_metric_t *metrics, size_t num_metrics)
{
    for (size_t j = 0; j < num_metrics; j++) {
        put_metric(doc, &metrics[j]);
    }
}

/* "HELP. Columns: time (instant, ms), steps_durable (number, steps)". */
static void put_series(const spot_help_t *doc, const spot_series_kind_t *kind)
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
    spot_help_texts_free(&texts);
}

/* The values of keys such as policy, with the sources that they follow. */
static void put_rivals(const spot_help_t *doc, const spot_rivals_t *rivals)
{
    for (; rivals != NULL && rivals->key != NULL; rivals++) {
        spot_texts_t texts = {0};

        if (rivals->value != NULL) {
            spot_help_section(doc, spot_texts_add(&texts, "Values of %s", rivals->key));
        }
        for (size_t j = 0; rivals->value != NULL && rivals->value(j).name != NULL; j++) {
            const spot_rival_t rival = rivals->value(j);

            put_item(doc, rival.name, "",
                rival.source == NULL
                    ? rival.doc
                    : spot_texts_add(&texts, "%s. Source: %s", rival.doc, rival.source));
        }
        spot_help_texts_free(&texts);
    }
}

/* Keys, metrics, warnings, series and example, on a terminal or for the page
 * spotsim-engine-NAME(5), and as JSON. outputs: of the example. */
static void engine_report_put(
    const spot_help_t *doc, const spot_experiment_t *experiment, const spot_outputs_t *outputs)
{
    spot_help_text(doc, experiment->doc);
    spot_help_section(doc, "Example");
    spot_help_lines(doc, experiment->example);
    spot_help_section(doc, "Keys");
    spot_help_fields(doc, spot_field_first(experiment->fields), NULL, NULL, "");
    put_rivals(doc, experiment->rivals);
    spot_help_section(doc, "Metrics");
    spot_help_text(doc, "Those of the example; they may depend on the scenario.");
    engine_report_metrics(doc, outputs->metrics, outputs->num_metrics);
    if (experiment->num_warnings > 0) {
        spot_help_section(doc, "Warnings");
    }
    for (size_t j = 0; j < experiment->num_warnings; j++) {
        put_item(doc, experiment->warnings[j].name, "", experiment->warnings[j].text);
    }
    if (outputs->num_series > 0) {
        spot_help_section(doc, "Series");
    }
    for (size_t j = 0; j < outputs->num_series; j++) {
        put_series(doc, outputs->series[j]);
    }
}

/* ---- The same as JSON ---- */

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
    spot_help_texts_free(&texts);
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

static void engine_report_json(
    const spot_experiment_t *experiment, const spot_outputs_t *outputs, FILE *out)
{
    spot_json_t json;

    spot_json_init(&json, out, 2);
    spot_json_open(&json, NULL, '{');
    spot_json_text(&json, "name", experiment->name);
    spot_json_text(&json, "summary", experiment->summary);
    spot_json_text(&json, "doc", experiment->doc);
    spot_help_fields_json(&json, "keys", experiment->fields);
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

/* ---- Examples of engines ---- */

const char *spot_manual_engine_name(size_t j)
{
    return spot_engines[j] == NULL ? NULL : spot_engines[j]->name;
}

/* Errors of binding the example, with the reason in diag; free self even then. */
static int engine_words_init(
    engine_words_t *self, const spot_experiment_t *experiment, spot_diag_t *diag)
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

static void engine_words_free(engine_words_t *self)
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

static int put_keys(const spot_help_t *doc, const spot_node_t *root, spot_diag_t *diag)
{
    const spot_experiment_t *experiment;
    const int ret = spot_experiment_choose(&experiment, spot_engines, root, diag);

    if (ret == 0) {
        spot_help_fields(doc, spot_field_first(experiment->fields), NULL, root, "");
    }
    return ret;
}

/* Of a scenario in a file of its own. */
static int put_keys_of_file(const spot_help_t *doc, const spot_node_t *path, spot_diag_t *diag)
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

int spot_manual_keys(const spot_help_t *doc, const char *path, spot_diag_t *diag)
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
        spot_help_fields(doc, spot_field_first(spot_study_fields), NULL, document.root, "");
    }
    spot_yaml_free(&document);
    return ret;
}

/* ---- Topics of help ---- */

#define HEADING_BYTES 128

/* What stands above the items that follow, if there are any. */
static void head(const spot_help_t *doc, bool is_first, const char *what, const char *name)
{
    snprintf(doc->heading, HEADING_BYTES, "%s%s%s:\n", is_first || doc->grep != NULL ? "" : "\n",
        what, name);
}

static int put_all_metrics(const spot_help_t *doc, spot_diag_t *diag)
{
    int ret = 0;

    for (size_t j = 0; ret == 0 && spot_engines[j] != NULL; j++) {
        engine_words_t words;

        ret = engine_words_init(&words, spot_engines[j], diag);
        if (ret == 0) {
            head(doc, j == 0, "Metrics of the engine ", spot_engines[j]->name);
            engine_report_metrics(doc, words.outputs->metrics, words.outputs->num_metrics);
        }
        engine_words_free(&words);
    }
    return ret;
}

static int put_all_keys(const spot_help_t *doc, spot_diag_t *diag)
{
    (void) diag;
    for (size_t j = 0; spot_engines[j] != NULL; j++) {
        head(doc, j == 0, "Keys of the engine ", spot_engines[j]->name);
        spot_help_fields(doc, spot_field_first(spot_engines[j]->fields), NULL, NULL, "");
    }
    for (size_t j = 0; spot_recovery_systems[j] != NULL; j++) {
        head(doc, false, "Keys of the recovery system ", spot_recovery_systems[j]->name);
        spot_help_fields(
            doc, spot_field_first(spot_recovery_systems[j]->options), NULL, NULL, "recovery.");
    }
    for (size_t j = 0; spot_generators[j] != NULL; j++) {
        head(doc, false, "Keys of the generator ", spot_generators[j]->name);
        spot_help_fields(
            doc, spot_generators[j]->options, spot_model_common_fields, NULL, "trace.");
    }
    head(doc, false, "Keys of every generator", "");
    spot_help_fields(doc, spot_model_common_fields, NULL, NULL, "trace.");
    head(doc, false, "Keys of a study", "");
    spot_help_fields(doc, spot_field_first(spot_study_fields), NULL, NULL, "");
    return 0;
}

static int put_units(const spot_help_t *doc, spot_diag_t *diag)
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
        spot_help_item(
            doc, kinds[j].what, "", spot_texts_add(&texts, "%s: %s", list, kinds[j].help), 20);
    }
    spot_help_texts_free(&texts);
    return 0;
}

static const struct {
    const char *name;
    int (*put)(const spot_help_t *doc, spot_diag_t *diag);
} topics[] = {
    {"metrics", put_all_metrics},
    {"keys", put_all_keys},
    {"units", put_units},
};

const char *spot_manual_topic_name(size_t j)
{
    return j < sizeof(topics) / sizeof(topics[0]) ? topics[j].name : NULL;
}

/* What `spotsim help TOPIC` lists: "metrics" and "keys" of all engines, "units".
 * BAD_PARAM: another topic; NO_MEMORY. */
static int put_topic(const spot_help_t *doc, const char *topic, spot_diag_t *diag)
{
    char heading[HEADING_BYTES] = "";
    spot_help_t headed = *doc;
    const char *name;

    headed.heading = heading;
    for (size_t j = 0; (name = spot_manual_topic_name(j)) != NULL; j++) {
        if (strcmp(name, topic) == 0) {
            return topics[j].put(&headed, diag);
        }
    }
    return SPOT_ERR_BAD_PARAM;
}

/* ---- Exit codes ---- */

static const struct {
    int code;
    const char *text;
} exit_codes[] = {
    {SPOT_EXIT_GOOD, "good; of a question: yes"},
    {SPOT_EXIT_FAILED, "failed; of a question: no"},
    {SPOT_EXIT_BAD_INPUT, "usage or bad input"},
    {SPOT_EXIT_LOST, "advise --now: the job, as it is, does not keep its goal"},
    {SPOT_EXIT_UNDECIDED, "advise, study: undecided, the runs show neither yes nor no"},
    {SPOT_EXIT_INTERRUPTED, "interrupted"},
};

static void put_exit_codes(const spot_help_t *doc)
{
    for (size_t j = 0; j < sizeof(exit_codes) / sizeof(exit_codes[0]); j++) {
        char code[16];

        snprintf(code, sizeof(code), "%d", exit_codes[j].code);
        spot_help_item(doc, code, "", exit_codes[j].text, 7);
    }
}

/* ---- Help on the terminal ---- */

static bool is_of_group(const spot_verb_t *verb, const char *word)
{
    const size_t num_bytes = word == NULL ? 0 : strlen(word);

    return word == NULL ||
           (strncmp(verb->name, word, num_bytes) == 0 && verb->name[num_bytes] == ' ');
}

/* Verbs whose first word is that, or all. */
static bool list_verbs(const spot_help_t *doc, const char *word)
{
    bool has_any = false;

    for (size_t j = 0; spot_verb_at(j) != NULL; j++) {
        if (is_of_group(spot_verb_at(j), word)) {
            fputs(has_any ? "" : "Commands:\n", doc->out);
            spot_help_item(doc, spot_verb_at(j)->name, "", spot_verb_at(j)->summary, 21);
            has_any = true;
        }
    }
    return has_any;
}

void spot_manual_overview(FILE *out)
{
    const spot_help_t doc = spot_help_of_terminal(out);

    fputs("Usage: spotsim COMMAND ...\n\n", out);
    spot_help_text(&doc, "Simulates elastic training on preemptible (spot) instances.");
    putc('\n', out);
    list_verbs(&doc, NULL);
    fputs("\nExit codes:\n", out);
    put_exit_codes(&doc);
    fputs("\n'spotsim COMMAND --help' has more, with examples. First try, anywhere:\n"
          "  spotsim engine train --example -o first.yaml\n"
          "  spotsim run first.yaml\n"
          "  spotsim compare first.yaml --recovery checkpoint,ideal\n",
        out);
}

bool spot_manual_group(const char *word, FILE *out)
{
    const spot_help_t doc = spot_help_of_terminal(out);
    const bool is_group = list_verbs(&doc, word);

    fputs(is_group ? "\n'spotsim COMMAND --help' has more, with examples.\n" : "", out);
    return is_group;
}

/* ---- Parts of pages that are made from tables ---- */

static void put_commands(const spot_help_t *doc)
{
    for (size_t j = 0; spot_verb_at(j) != NULL; j++) {
        const spot_verb_t *verb = spot_verb_at(j);

        fprintf(doc->out, ".SS spotsim %s [OPTION...]%s", verb->name,
            verb->arguments[0] == '\0' ? "" : " ");
        for (const char *byte = verb->arguments; *byte != '\0'; byte++) {
            fputs(*byte == '\n' ? " | " : (char[]){*byte, '\0'}, doc->out);
        }
        putc('\n', doc->out);
        spot_help_text(doc, verb->summary);
        fputs(".PP\n", doc->out);
        spot_help_text(doc, verb->doc);
        spot_verb_put_lists(doc, verb);
        fputs(".PP\nExamples:\n", doc->out);
        spot_help_lines(doc, verb->examples);
    }
}

static void put_figure(const spot_help_t *doc, const char *name, const char *unit, const char *help)
{
    spot_texts_t texts = {0};

    spot_help_item(doc, name, unit[0] == '\0' ? "" : spot_texts_add(&texts, " (%s)", unit), help,
        SPOT_HELP_BELOW);
    spot_help_texts_free(&texts);
}

static void put_figures(const spot_help_t *doc)
{
    for (size_t j = 0; j < SPOT_NUM_DESCRIBE_FIGURES; j++) {
        const spot_describe_figure_t *figure = &spot_describe_figures[j];

        put_figure(doc, figure->name, figure->unit, figure->help);
    }
}

static void put_notebook_figures(const spot_help_t *doc)
{
    for (size_t j = 0; j < SPOT_NOTEBOOK_FIGURES; j++) {
        const spot_notebook_figure_t *figure = &spot_notebook_figures[j];

        put_figure(doc, figure->name, figure->unit, figure->help);
    }
}

static void put_train_metrics(const spot_help_t *doc)
{
    engine_report_metrics(doc, spot_train_metrics + SPOT_TRAIN_NUM_INPUT,
        SPOT_TRAIN_NUM_METRICS - SPOT_TRAIN_NUM_INPUT);
    fputs(".PP\nWith job.input, too:\n", doc->out);
    engine_report_metrics(doc, spot_train_metrics, SPOT_TRAIN_NUM_INPUT);
}

static void put_recovery_systems(const spot_help_t *doc)
{
    for (size_t j = 0; spot_recovery_systems[j] != NULL; j++) {
        const spot_recovery_t *system = spot_recovery_systems[j];

        fprintf(doc->out, ".SS system: %s\n", system->name);
        spot_help_text(doc, system->doc);
        if (system->published != NULL) {
            fputs(".PP\nPublished defaults:\n", doc->out);
            spot_help_text(doc, system->published);
        }
        spot_help_fields(doc, spot_field_first(system->options), NULL, NULL, "recovery.");
    }
}

/* Every key of a trace's model, a recorded trace last. */
static void put_generators(const spot_help_t *doc)
{
    for (size_t j = 0; spot_generators[j] != NULL; j++) {
        fprintf(doc->out, ".SS generator: %s\n", spot_generators[j]->name);
        spot_help_text(doc, spot_generators[j]->doc);
        spot_help_fields(doc, spot_generators[j]->options, spot_model_common_fields, NULL, "");
    }
    fputs(".SS every generator\n", doc->out);
    spot_help_fields(doc, spot_model_common_fields, NULL, NULL, "");
    fputs(".SS a recorded trace, in a scenario only\n", doc->out);
    spot_help_fields(doc, spot_generator_file.options, NULL, NULL, "");
    fputs(".SS a model file, in a scenario only\n", doc->out);
    spot_help_fields(doc, spot_model_file_fields, NULL, NULL, "");
}

static void put_laws(const spot_help_t *doc)
{
    for (size_t j = 0; spot_families[j] != NULL; j++) {
        const spot_family_t *family = spot_families[j];
        const int num_fields = family->num_parameters + family->num_settings;

        fprintf(doc->out, ".SS family: %s\n", family->name);
        spot_help_text(doc, family->doc);
        spot_help_fields(
            doc, family->fields, spot_field_next(&family->fields[num_fields - 1]), NULL, "");
    }
}

/* A part: keys of a table behind a path, or what put writes. */
static const struct {
    const char *name;
    const spot_field_t *fields;
    const char *path;
    void (*put)(const spot_help_t *doc);
} parts[] = {
    {"commands", NULL, NULL, put_commands},
    {"figures", NULL, NULL, put_figures},
    {"exit-codes", NULL, NULL, put_exit_codes},
    {"notebook-figures", NULL, NULL, put_notebook_figures},
    {"train-keys", spot_scenario_fields, "", NULL},
    {"pipeline-keys", spot_step_pipeline_fields, "job.step_time.pipeline.", NULL},
    {"train-metrics", NULL, NULL, put_train_metrics},
    {"study-keys", spot_study_fields, "", NULL},
    {"recovery-systems", NULL, NULL, put_recovery_systems},
    {"generators", NULL, NULL, put_generators},
    {"laws", NULL, NULL, put_laws},
};

/* ---- Pages ---- */

/* Texts in man(7) form; a line "@PART" is one of the parts. */
extern const char spot_manual_spotsim[], spot_manual_scenario[], spot_manual_study[],
    spot_manual_trace[], spot_manual_engine[];

static const struct {
    const char *name; /* with its section */
    const char *summary;
    const char *text;
} pages[] = {
    {"spotsim.1", "simulate elastic training on preemptible instances", spot_manual_spotsim},
    {"spotsim-scenario.5", "one training job on one fleet of spot instances", spot_manual_scenario},
    {"spotsim-study.5", "a parameter study over a scenario", spot_manual_study},
    {"spotsim-trace.5", "recorded traces of spot instances, and models of them", spot_manual_trace},
};

#define NUM_PAGES (sizeof(pages) / sizeof(pages[0]))
#define ENGINE_PAGE "spotsim-engine-%.40s.5"

/* The name of the j-th page, "spotsim.1" to "spotsim-engine-NAME.5" of each engine, or
 * NULL behind the last. */
static const char *manual_page_name(size_t j)
{
    static char name[96];

    if (j < NUM_PAGES) {
        return pages[j].name;
    }
    for (size_t k = 0; spot_engines[k] != NULL; k++) {
        if (k == j - NUM_PAGES) {
            snprintf(name, sizeof(name), ENGINE_PAGE, spot_engines[k]->name);
            return name;
        }
    }
    return NULL;
}

static void put_head(FILE *out, const char *page, const char *summary)
{
    const int num_bytes = (int) strlen(page) - 2;

    fputs(".TH \"", out);
    for (int j = 0; j < num_bytes; j++) {
        putc(toupper((unsigned char) page[j]), out);
    }
    fprintf(out, "\" \"%s\" \"\" \"spotsim %s\" \"spotsim manual\"\n.SH NAME\n%.*s \\- %s\n",
        page + num_bytes + 1, spot_build_info.version, num_bytes, page, summary);
}

/* engine: of the part "engine". */
static void put_part(
    const spot_help_t *doc, const char *line, size_t num_bytes, const engine_words_t *engine)
{
    for (size_t j = 0; j < sizeof(parts) / sizeof(parts[0]); j++) {
        if (strlen(parts[j].name) == num_bytes && strncmp(parts[j].name, line, num_bytes) == 0) {
            if (parts[j].put != NULL) {
                parts[j].put(doc);
            } else {
                spot_help_fields(doc, spot_field_first(parts[j].fields), NULL, NULL, parts[j].path);
            }
        }
    }
    if (engine != NULL && num_bytes == strlen("engine")) {
        engine_report_put(doc, engine->experiment, engine->outputs);
    }
}

static void put_page(const char *text, const engine_words_t *engine, FILE *out)
{
    const spot_help_t doc = {.out = out};

    while (*text != '\0') {
        const size_t num_bytes = strcspn(text, "\n");

        if (*text == '@') {
            put_part(&doc, text + 1, num_bytes - 1, engine);
        } else {
            fwrite(text, 1, num_bytes + 1, out);
        }
        text += num_bytes + 1;
    }
}

/* Writes a page in man(7) form. BAD_PARAM: there is none of that name; errors of binding
 * an engine's example, with the reason in diag. */
static int manual_page(const char *page, FILE *out, spot_diag_t *diag)
{
    engine_words_t words;
    const char *name;
    size_t j = 0;
    int ret;

    while ((name = manual_page_name(j)) != NULL && strcmp(name, page) != 0) {
        j++;
    }
    if (name == NULL) {
        return SPOT_ERR_BAD_PARAM;
    }
    if (j < NUM_PAGES) {
        put_head(out, page, pages[j].summary);
        put_page(pages[j].text, NULL, out);
        return 0;
    }
    ret = engine_words_init(&words, spot_engines[j - NUM_PAGES], diag);
    if (ret == 0) {
        put_head(out, page, words.experiment->summary);
        put_page(spot_manual_engine, &words, out);
    }
    engine_words_free(&words);
    return ret;
}

/* ---- spotsim keys ---- */

typedef struct {
    const char *path;
    const char *grep;
} keys_arguments_t;

#undef SPOT_OPTIONS_OF
#define SPOT_OPTIONS_OF keys_arguments_t

static const spot_option_t keys_options[] = {
    SPOT_OPTION(ARGUMENT, "a scenario or study file", 0, "SCENARIO", path, NULL, .min = 1),
    SPOT_OPTION(TEXT, "grep", 0, "TEXT", grep, "Only keys with this text in their name or help"),
    SPOT_OPTION_END,
};

static int keys_run(spot_call_t *call)
{
    const keys_arguments_t *arguments = call->arguments;
    FILE *out = spot_texts_begin(&call->texts);
    spot_help_t doc = spot_help_of_terminal(out);
    const char *text;
    int ret = SPOT_ERR_NO_MEMORY;

    doc.grep = arguments->grep;
    if (out != NULL) {
        ret = spot_manual_keys(&doc, arguments->path, &call->diag);
    }
    text = spot_texts_end(&call->texts, out);
    spot_interrupt_print_rest();
    if (ret == 0) {
        fputs(text, stdout);
    }
    return ret;
}

const spot_verb_t spot_verb_keys = {
    .name = "keys",
    .arguments = "SCENARIO",
    .summary = "List the keys of a scenario: what they are, and their values there",
    .doc = "The keys are those of its engine, and of the recovery system, trace and laws "
           "that it names: what --set and a sweep may change. Of a study: its scenario, "
           "then its own keys. `spotsim help keys` lists those of all.",
    .examples = "  spotsim keys seed-64.yaml --grep checkpoint\n",
    .options = keys_options,
    .arguments_bytes = sizeof(keys_arguments_t),
    .run = keys_run,
};

/* ---- spotsim engine ---- */

typedef struct {
    const char *name; /* NULL: all engines */
    spot_target_t target;
    bool is_example;
} engine_arguments_t;

#undef SPOT_OPTIONS_OF
#define SPOT_OPTIONS_OF engine_arguments_t

static const spot_option_t engine_options[] = {
    SPOT_OPTION(ARGUMENT, "one engine", 0, "NAME", name, NULL, .what = "engine",
        .words = spot_manual_engine_name),
    SPOT_OPTION_JSON(target.is_json, "Print JSON instead of text"),
    SPOT_OPTION(FLAG, "example", 0, NULL, is_example,
        "Write the example alone: a scenario that runs as it is"),
    SPOT_OPTION_OUTPUT(target.path, NULL),
    SPOT_OPTION_END,
};

static void write_list(FILE *out, bool is_json)
{
    const spot_help_t doc = spot_help_of_terminal(out);
    spot_json_t json;

    spot_json_init(&json, out, 2);
    if (is_json) {
        spot_json_open(&json, NULL, '[');
    }
    for (size_t j = 0; spot_engines[j] != NULL; j++) {
        if (is_json) {
            spot_json_open(&json, NULL, '{');
            spot_json_text(&json, "name", spot_engines[j]->name);
            spot_json_text(&json, "summary", spot_engines[j]->summary);
            spot_json_close(&json, '}');
        } else {
            spot_help_item(&doc, spot_engines[j]->name, "", spot_engines[j]->summary, 14);
        }
    }
    if (is_json) {
        spot_json_close(&json, ']');
    }
}

static void write_engine(
    const engine_words_t *words, const engine_arguments_t *arguments, FILE *out)
{
    const spot_help_t doc = spot_help_of_terminal(out);

    if (arguments->is_example) {
        fputs(words->experiment->example, out);
    } else if (arguments->target.is_json) {
        engine_report_json(words->experiment, words->outputs, out);
    } else {
        fprintf(out, "%s: %s.\n", words->experiment->name, words->experiment->summary);
        engine_report_put(&doc, words->experiment, words->outputs);
    }
}

static void engine_check(spot_call_t *call)
{
    const engine_arguments_t *arguments = call->arguments;

    spot_usage_refuse(call,
        arguments->is_example && (arguments->name == NULL || arguments->target.is_json),
        "--example is of one engine, as YAML");
}

static int engine_run(spot_call_t *call)
{
    const engine_arguments_t *arguments = call->arguments;
    spot_target_t target = arguments->target;
    spot_suggest_t near; /* the name is one of an engine */
    engine_words_t words = {.experiment = NULL};
    spot_output_t output;
    FILE *out;
    int ret = 0;

    call->is_reading = false;
    if (arguments->name != NULL) {
        ret = engine_words_init(
            &words, spot_experiment_find(spot_engines, arguments->name, &near), &call->diag);
    }
    if (ret == 0) {
        target.is_json = target.is_json || arguments->is_example;
        out = spot_output_begin(&output, &target, &call->diag);
        if (out != NULL && arguments->name == NULL) {
            write_list(out, target.is_json);
        } else if (out != NULL) {
            write_engine(&words, arguments, out);
        }
        ret = spot_output_end(&output, ret);
    }
    engine_words_free(&words);
    return ret;
}

const spot_verb_t spot_verb_engine = {
    .name = "engine",
    .arguments = "[NAME]",
    .summary = "List the engines, or the keys, metrics and series of one",
    .doc = "An engine runs a scenario, which names it as engine: NAME (default train). "
           "Each has a manual page, spotsim-engine-NAME(5).",
    .examples = "  spotsim engine\n"
                "  spotsim engine train --json\n"
                "  spotsim engine train --example -o first.yaml\n",
    .options = engine_options,
    .arguments_bytes = sizeof(engine_arguments_t),
    .check = engine_check,
    .run = engine_run,
};

/* ---- spotsim recovery ---- */

typedef struct {
    const char *name; /* NULL: all systems */
    spot_target_t target;
} recovery_arguments_t;

static const char *system_name(size_t j)
{
    return spot_recovery_systems[j] == NULL ? NULL : spot_recovery_systems[j]->name;
}

#undef SPOT_OPTIONS_OF
#define SPOT_OPTIONS_OF recovery_arguments_t

static const spot_option_t recovery_options[] = {
    SPOT_OPTION(ARGUMENT, "one recovery system", 0, "NAME", name, NULL, .what = "recovery system",
        .words = system_name),
    SPOT_OPTION_JSON(target.is_json, "Print JSON instead of text"),
    SPOT_OPTION_OUTPUT(target.path, NULL),
    SPOT_OPTION_END,
};

static void write_recovery_list(FILE *out, spot_texts_t *texts)
{
    const spot_help_t doc = spot_help_of_terminal(out);

    for (size_t j = 0; spot_recovery_systems[j] != NULL; j++) {
        const spot_recovery_t *system = spot_recovery_systems[j];

        spot_help_item(&doc, system->name, "",
            spot_texts_add(texts, "%s\n\nsource: %s", system->doc, system->source), 21);
    }
}

static void write_system(const spot_recovery_t *system, FILE *out, spot_texts_t *texts)
{
    const spot_help_t doc = spot_help_of_terminal(out);

    fprintf(out, "%s: ", system->name);
    spot_help_text(&doc, system->doc);
    spot_help_text(&doc, spot_texts_add(texts, "source: %s", system->source));
    if (system->published != NULL) {
        spot_help_text(&doc, spot_texts_add(texts, "published defaults: %s", system->published));
    }
    spot_help_section(&doc, "Options");
    spot_help_fields(&doc, spot_field_first(system->options), NULL, NULL, "");
}

static void write_system_json(spot_json_t *json, const spot_recovery_t *system)
{
    spot_json_open(json, NULL, '{');
    spot_json_text(json, "name", system->name);
    spot_json_text(json, "doc", system->doc);
    spot_json_text(json, "source", system->source);
    spot_json_text(json, "published_defaults", system->published);
    spot_help_fields_json(json, "options", system->options);
    spot_json_close(json, '}');
}

static void write_json(const spot_recovery_t *system, FILE *out)
{
    spot_json_t json;

    spot_json_init(&json, out, 2);
    if (system != NULL) {
        write_system_json(&json, system);
        return;
    }
    spot_json_open(&json, NULL, '[');
    for (size_t j = 0; spot_recovery_systems[j] != NULL; j++) {
        write_system_json(&json, spot_recovery_systems[j]);
    }
    spot_json_close(&json, ']');
}

static int recovery_run(spot_call_t *call)
{
    const recovery_arguments_t *arguments = call->arguments;
    const spot_recovery_t *system =
        arguments->name == NULL ? NULL : spot_recovery_find(arguments->name, NULL);
    spot_output_t output;
    FILE *out;

    call->is_reading = false;
    out = spot_output_begin(&output, &arguments->target, &call->diag);
    if (out != NULL && arguments->target.is_json) {
        write_json(system, out);
    } else if (out != NULL && system != NULL) {
        write_system(system, out, &call->texts);
    } else if (out != NULL) {
        write_recovery_list(out, &call->texts);
    }
    return spot_output_end(&output, 0);
}

const spot_verb_t spot_verb_recovery = {
    .name = "recovery",
    .arguments = "[NAME]",
    .summary = "List the recovery systems, or all options of one",
    .doc = "A recovery system is how a job goes on after a loss. A scenario names it as "
           "recovery: NAME, or with options as recovery: {system: NAME, OPTION: VALUE}; "
           "`spotsim compare` runs several of them side by side.",
    .examples = "  spotsim recovery\n"
                "  spotsim recovery checkpoint --json\n",
    .options = recovery_options,
    .arguments_bytes = sizeof(recovery_arguments_t),
    .run = recovery_run,
};

/* ---- spotsim help ---- */

typedef struct {
    const char *page;
    const char *grep;
    spot_option_list_t words;
} help_arguments_t;

#undef SPOT_OPTIONS_OF
#define SPOT_OPTIONS_OF help_arguments_t

static const spot_option_t help_options[] = {
    SPOT_OPTION(ARGUMENTS, "a command", 0, "COMMAND", words, NULL),
    SPOT_OPTION(TEXT, "man", 0, "PAGE", page,
        "Write a manual page in man(7) form: spotsim.1, spotsim-scenario.5, "
        "spotsim-study.5, spotsim-trace.5, or spotsim-engine-NAME.5 of an engine; list: "
        "their names"),
    SPOT_OPTION(TEXT, "grep", 0, "TEXT", grep,
        "Of metrics and keys, only those with this text in their name or help"),
    SPOT_OPTION_END,
};

/* A topic, a verb, or the first word of several. There is a verb keys too, whose
 * help is that of `spotsim keys --help`. */
static int help_about(spot_call_t *call, const char *name)
{
    const help_arguments_t *arguments = call->arguments;
    const spot_verb_t *verb = spot_verb_find(name);
    spot_help_t doc = spot_help_of_terminal(stdout);
    const char *word;
    spot_suggest_t near;
    int ret;

    doc.grep = arguments->grep;
    ret = put_topic(&doc, name, &call->diag);
    if (ret != SPOT_ERR_BAD_PARAM) {
        return ret;
    }
    if (verb != NULL) {
        spot_verb_print_help(verb, stdout);
        return 0;
    }
    if (spot_manual_group(name, stdout)) {
        return 0;
    }
    spot_verb_suggest(&near, name);
    for (size_t j = 0; (word = spot_manual_topic_name(j)) != NULL; j++) {
        spot_suggest_offer(&near, word);
    }
    spot_usage_error(
        call, "unknown command or topic \"%s\"%s", name, spot_option_hint(call, &near));
}

static int write_page(spot_call_t *call, const char *page)
{
    const char *name;
    int ret;

    if (strcmp(page, "list") == 0) {
        for (size_t j = 0; (name = manual_page_name(j)) != NULL; j++) {
            puts(name);
        }
        return 0;
    }
    ret = manual_page(page, stdout, &call->diag);
    if (ret == SPOT_ERR_BAD_PARAM) {
        spot_usage_error(call, "no page \"%s\"; --man=list lists them", page);
    }
    return ret;
}

static int help_run(spot_call_t *call)
{
    const help_arguments_t *arguments = call->arguments;
    const char *name = "";

    call->is_reading = false;
    spot_interrupt_print_rest();
    for (size_t j = 0; j < arguments->words.num_texts; j++) {
        name = spot_texts_add(
            &call->texts, "%s%s%s", name, j == 0 ? "" : " ", arguments->words.texts[j]);
    }
    if (arguments->page != NULL) {
        return write_page(call, arguments->page);
    }
    if (name[0] != '\0') {
        return help_about(call, name);
    }
    spot_manual_overview(stdout);
    return 0;
}

const spot_verb_t spot_verb_help = {
    .name = "help",
    .arguments = "[COMMAND]\nmetrics|keys|units",
    .summary = "List commands, metrics, keys or units; help with a command; manual pages",
    .doc = "metrics are those of all engines with their units; keys those of scenarios, "
           "recovery systems, generators and studies; units those that values may have. "
           "All "
           "is made from the tables that parse the command line and the YAML.",
    .examples = "  spotsim help trace generate\n"
                "  spotsim help keys --grep checkpoint\n"
                "  spotsim help --man=spotsim-scenario.5 | man -l -\n",
    .options = help_options,
    .arguments_bytes = sizeof(help_arguments_t),
    .run = help_run,
};
