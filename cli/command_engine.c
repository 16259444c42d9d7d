/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json.h"
#include "cli/catalogue.h"
#include "cli/command.h"
#include "sim/engines.h"

typedef struct {
    const char *name; /* NULL: all engines */
    spot_target_t target;
    bool is_example;
} arguments_t;

static const spot_option_t options[] = {
    SPOT_OPTION(ARGUMENT, "one engine", 0, "NAME", name, NULL, .what = "engine",
        .words = spot_catalogue_engine_name),
    SPOT_OPTION_JSON(target.is_json, "Print JSON instead of text"),
    SPOT_OPTION(FLAG, "example", 0, NULL, is_example,
        "Write the example alone: a scenario that runs as it is"),
    SPOT_OPTION_OUTPUT(target.path, NULL),
    SPOT_OPTION_END,
};

static void write_list(FILE *out, bool is_json)
{
    const spot_doc_t doc = spot_doc_of_terminal(out);
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
            spot_doc_item(&doc, spot_engines[j]->name, "", spot_engines[j]->summary, 14);
        }
    }
    if (is_json) {
        spot_json_close(&json, ']');
    }
}

static void write_engine(const spot_engine_words_t *words, const arguments_t *arguments, FILE *out)
{
    const spot_doc_t doc = spot_doc_of_terminal(out);

    if (arguments->is_example) {
        fputs(words->experiment->example, out);
    } else if (arguments->target.is_json) {
        spot_engine_report_json(words->experiment, words->outputs, out);
    } else {
        fprintf(out, "%s: %s.\n", words->experiment->name, words->experiment->summary);
        spot_engine_report_put(&doc, words->experiment, words->outputs);
    }
}

static void check(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;

    spot_usage_refuse(call,
        arguments->is_example && (arguments->name == NULL || arguments->target.is_json),
        "--example is of one engine, as YAML");
}

static int run(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;
    spot_target_t target = arguments->target;
    spot_suggest_t near; /* the name is one of an engine */
    spot_engine_words_t words = {.experiment = NULL};
    spot_output_t output;
    FILE *out;
    int ret = 0;

    call->is_reading = false;
    if (arguments->name != NULL) {
        ret = spot_engine_words_init(
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
    spot_engine_words_free(&words);
    return ret;
}

const spot_command_t spot_command_engine = {
    .name = "engine",
    .arguments = "[NAME]",
    .summary = "List the engines, or the keys, metrics and series of one",
    .doc = "An engine runs a scenario, which names it as engine: NAME (default train). "
           "Each has a manual page, spotsim-engine-NAME(5).",
    .examples = "  spotsim engine\n"
                "  spotsim engine train --json\n"
                "  spotsim engine train --example -o first.yaml\n",
    .options = options,
    .arguments_bytes = sizeof(arguments_t),
    .check = check,
    .run = run,
};
