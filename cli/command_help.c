/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "cli/command.h"
#include "cli/manual.h"

enum { OPTION_MAN = 256 };

static const struct argp_option options[] = {
    {"man", OPTION_MAN, "PAGE", 0,
        "Write a manual page in man(7) form: spotsim.1, spotsim-scenario.5, "
        "spotsim-study.5, spotsim-trace.5, or spotsim-engine-NAME.5 of an engine; list: "
        "their names",
        0},
    {NULL, 0, NULL, 0, NULL, 0},
};

typedef struct {
    const char *page;
    char command[64]; /* the words behind "help", with blanks between */
} arguments_t;

static error_t
parse(int key, char *text, struct argp_state *state)
{
    arguments_t *arguments = state->input;
    const size_t length = strlen(arguments->command);

    switch (key) {
        case OPTION_MAN:
            arguments->page = text;
            return 0;
        case ARGP_KEY_ARG:
            snprintf(arguments->command + length, sizeof(arguments->command) - length,
                "%s%s", length == 0 ? "" : " ", text);
            return 0;
        default:
            return ARGP_ERR_UNKNOWN;
    }
}

/* What "spotsim COMMAND --help" prints. */
static int
help_command(const char *name)
{
    for (size_t j = 0; spot_commands[j] != NULL; j++) {
        if (strcmp(spot_commands[j]->name, name) == 0) {
            char program[80], option[] = "--help";
            char *arguments[] = {program, option, NULL};

            snprintf(program, sizeof(program), "spotsim %s", name);
            return spot_commands[j]->run(2, arguments);
        }
    }
    if (spot_manual_group(name, stdout)) {
        return SPOT_EXIT_GOOD;
    }
    fputs("spotsim help: unknown command \"", stderr);
    spot_utf8_print(stderr, name);
    fputs("\"\n", stderr);
    return SPOT_EXIT_BAD_INPUT;
}

static int
run(int argc, char **argv)
{
    arguments_t arguments = {0};
    spot_diag_t diag;
    int ret;

    spot_command_parse(&spot_command_help, argc, argv, parse, &arguments);
    if (arguments.page == NULL && arguments.command[0] != '\0') {
        return help_command(arguments.command);
    }
    if (arguments.page == NULL) {
        spot_manual_overview(stdout);
        return SPOT_EXIT_GOOD;
    }
    spot_diag_init(&diag);
    ret = spot_manual_page(arguments.page, stdout, &diag);
    if (ret == SPOT_ERR_BAD_PARAM) {
        fprintf(stderr, "%s: no page \"%s\"\n", argv[0], arguments.page);
        ret = SPOT_ERR_BAD_INPUT;
    }
    return spot_command_finish(&diag, ret);
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
    .run = run,
};
