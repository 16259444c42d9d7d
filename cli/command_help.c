/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "cli/catalogue.h"
#include "cli/command.h"
#include "cli/manual.h"

typedef struct {
    const char *page;
    const char *grep;
    spot_option_list_t words;
} arguments_t;

static const spot_option_t options[] = {
    SPOT_OPTION(ARGUMENTS, "a command", 0, "COMMAND", words, NULL),
    SPOT_OPTION(TEXT, "man", 0, "PAGE", page,
        "Write a manual page in man(7) form: spotsim.1, spotsim-scenario.5, "
        "spotsim-study.5, spotsim-trace.5, or spotsim-engine-NAME.5 of an engine; list: "
        "their names"),
    SPOT_OPTION(TEXT, "grep", 0, "TEXT", grep,
        "Of metrics and keys, only those with this text in their name or help"),
    SPOT_OPTION_END,
};

/* A topic, a command, or the first word of several. There is a command keys too, whose
 * help is that of `spotsim keys --help`. */
static int help_about(spot_call_t *call, const char *name)
{
    const arguments_t *arguments = call->arguments;
    const spot_command_t *command = spot_command_find(name);
    spot_doc_t doc = spot_doc_of_terminal(stdout);
    const char *word;
    spot_suggest_t near;
    int ret;

    doc.grep = arguments->grep;
    ret = spot_catalogue_topic(&doc, name, &call->diag);
    if (ret != SPOT_ERR_BAD_PARAM) {
        return ret;
    }
    if (command != NULL) {
        spot_manual_help(command, stdout);
        return 0;
    }
    if (spot_manual_group(name, stdout)) {
        return 0;
    }
    spot_command_suggest(&near, name);
    for (size_t j = 0; (word = spot_catalogue_topic_name(j)) != NULL; j++) {
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
        for (size_t j = 0; (name = spot_manual_page_name(j)) != NULL; j++) {
            puts(name);
        }
        return 0;
    }
    ret = spot_manual_page(page, stdout, &call->diag);
    if (ret == SPOT_ERR_BAD_PARAM) {
        spot_usage_error(call, "no page \"%s\"; --man=list lists them", page);
    }
    return ret;
}

static int run(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;
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

const spot_command_t spot_command_help = {
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
    .options = options,
    .arguments_bytes = sizeof(arguments_t),
    .run = run,
};
