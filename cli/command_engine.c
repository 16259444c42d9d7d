/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json.h"
#include "cli/catalogue.h"
#include "cli/command.h"
#include "cli/report_terminal.h"
#include "sim/engines.h"

typedef struct {
    const char *name; /* NULL: all engines */
    const char *output_path;
    bool is_json;
    bool is_example;
} arguments_t;

static const char *
engine_name(size_t j)
{
    return spot_engines[j] == NULL ? NULL : spot_engines[j]->name;
}

static const spot_option_t options[] = {
    SPOT_OPTION(ARGUMENT, "one engine", 0, "NAME", name, NULL, .what = "engine",
        .words = engine_name),
    SPOT_OPTION_JSON(is_json, "Print JSON instead of text"),
    SPOT_OPTION(FLAG, "example", 0, NULL, is_example,
        "Write the example alone: a scenario that runs as it is"),
    SPOT_OPTION_OUTPUT(output_path, NULL),
    SPOT_OPTION_END,
};

static int
write_list(const void *context, FILE *out)
{
    const spot_doc_t doc = spot_doc_of_terminal(out);

    (void) context;
    for (size_t j = 0; spot_engines[j] != NULL; j++) {
        spot_doc_item(&doc, spot_engines[j]->name, "", spot_engines[j]->summary, 14);
    }
    return 0;
}

static int
write_list_json(const void *context, FILE *out)
{
    spot_json_t json;

    (void) context;
    spot_json_init(&json, out, 2);
    spot_json_open(&json, NULL, '[');
    for (size_t j = 0; spot_engines[j] != NULL; j++) {
        spot_json_open(&json, NULL, '{');
        spot_json_text(&json, "name", spot_engines[j]->name);
        spot_json_text(&json, "summary", spot_engines[j]->summary);
        spot_json_close(&json, '}');
    }
    spot_json_close(&json, ']');
    return 0;
}

static int
write_engine(const void *context, FILE *out)
{
    const spot_engine_words_t *words = context;
    const spot_doc_t doc = spot_doc_of_terminal(out);

    fprintf(out, "%s: %s.\n", words->experiment->name, words->experiment->summary);
    spot_engine_words_put(words, &doc);
    return 0;
}

static int
write_example(const void *context, FILE *out)
{
    const spot_engine_words_t *words = context;

    fputs(words->experiment->example, out);
    return 0;
}

static int
write_engine_json(const void *context, FILE *out)
{
    return spot_engine_words_json(context, out);
}

static void
check(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;

    if (arguments->is_example && (arguments->name == NULL || arguments->is_json)) {
        spot_usage_error(call, "--example is of one engine, as YAML");
    }
}

static int
run(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;
    spot_suggest_t near; /* the name is one of an engine */
    spot_engine_words_t words;
    int ret;

    call->is_reading = false;
    if (arguments->name == NULL) {
        return (arguments->is_json ? spot_command_write : spot_command_print)(
            arguments->output_path, arguments->is_json ? write_list_json : write_list,
            NULL, &call->diag);
    }
    ret = spot_engine_words_init(
        &words, spot_experiment_find(spot_engines, arguments->name, &near), &call->diag);
    if (ret == 0) {
        ret = (arguments->is_json || arguments->is_example
                   ? spot_command_write
                   : spot_command_print)(arguments->output_path,
            arguments->is_example ? write_example
            : arguments->is_json  ? write_engine_json
                                  : write_engine,
            &words, &call->diag);
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
