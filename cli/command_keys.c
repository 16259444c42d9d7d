/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/catalogue.h"
#include "cli/command.h"

typedef struct {
    const char *path;
    const char *grep;
} arguments_t;

static const spot_option_t options[] = {
    SPOT_OPTION(ARGUMENT, "a scenario or study file", 0, "SCENARIO", path, NULL, .min = 1),
    SPOT_OPTION(TEXT, "grep", 0, "TEXT", grep, "Only keys with this text in their name or help"),
    SPOT_OPTION_END,
};

static int run(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;
    FILE *out = spot_texts_begin(&call->texts);
    spot_doc_t doc = spot_doc_of_terminal(out);
    const char *text;
    int ret = SPOT_ERR_NO_MEMORY;

    doc.grep = arguments->grep;
    if (out != NULL) {
        ret = spot_catalogue_keys(&doc, arguments->path, &call->diag);
    }
    text = spot_texts_end(&call->texts, out);
    spot_interrupt_print_rest();
    if (ret == 0) {
        fputs(text, stdout);
    }
    return ret;
}

const spot_command_t spot_command_keys = {
    .name = "keys",
    .arguments = "SCENARIO",
    .summary = "List the keys of a scenario: what they are, and their values there",
    .doc = "The keys are those of its engine, and of the recovery system, trace and laws "
           "that it names: what --set and a sweep may change. Of a study: its scenario, "
           "then its own keys. `spotsim help keys` lists those of all.",
    .examples = "  spotsim keys seed-64.yaml --grep checkpoint\n",
    .options = options,
    .arguments_bytes = sizeof(arguments_t),
    .run = run,
};
