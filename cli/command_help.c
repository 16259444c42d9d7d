/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/manual.h"

typedef struct {
    const char *page;
    spot_option_list_t words;
} arguments_t;

static const spot_option_t options[] = {
    SPOT_OPTION(ARGUMENTS, "a command", 0, "COMMAND", words, NULL),
    SPOT_OPTION(TEXT, "man", 0, "PAGE", page,
        "Write a manual page in man(7) form: spotsim.1, spotsim-scenario.5, "
        "spotsim-study.5, spotsim-trace.5, or spotsim-engine-NAME.5 of an engine; list: "
        "their names"),
    SPOT_OPTION_END,
};

static int
help_command(spot_call_t *call, const char *name)
{
    const spot_command_t *command = spot_command_find(name);

    if (command != NULL) {
        spot_manual_help(command, stdout);
    } else if (!spot_manual_group(name, stdout)) {
        spot_diag_error(
            &call->diag, "spotsim help", 0, 0, "unknown command \"%s\"", name);
        return SPOT_ERR_BAD_INPUT;
    }
    return 0;
}

static int
write_page(spot_call_t *call, const char *page)
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
        spot_diag_error(&call->diag, "spotsim help", 0, 0, "no page \"%s\"", page);
        return SPOT_ERR_BAD_INPUT;
    }
    return ret;
}

static int
run(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;
    char name[64] = "";

    call->is_reading = false;
    for (size_t j = 0; j < arguments->words.num_texts; j++) {
        const size_t used = strlen(name);

        snprintf(name + used, sizeof(name) - used, "%s%s", j == 0 ? "" : " ",
            arguments->words.texts[j]);
    }
    if (arguments->page != NULL) {
        return write_page(call, arguments->page);
    }
    if (name[0] != '\0') {
        return help_command(call, name);
    }
    spot_manual_overview(stdout);
    return 0;
}

const spot_command_t spot_command_help = {
    .name = "help",
    .arguments = "[COMMAND]",
    .summary = "List the commands, help with one, or write a manual page",
    .doc =
        "The pages are made from the tables that parse the command line and the YAML.",
    .examples = "  spotsim help trace generate\n"
                "  spotsim help --man=spotsim-scenario.5 | man -l -\n",
    .options = options,
    .arguments_bytes = sizeof(arguments_t),
    .run = run,
};
