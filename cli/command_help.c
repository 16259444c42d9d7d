/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/manual.h"

enum { OPTION_MAN = 256 };

static const struct argp_option options[] = {
    {"man", OPTION_MAN, "PAGE", 0,
        "Write a manual page in man(7) form: spotsim.1, spotsim-scenario.5 or "
        "spotsim-study.5",
        0},
    {NULL, 0, NULL, 0, NULL, 0},
};

static error_t
parse(int key, char *text, struct argp_state *state)
{
    const char **page = state->input;

    if (key != OPTION_MAN) {
        return ARGP_ERR_UNKNOWN;
    }
    *page = text;
    return 0;
}

static int
run(int argc, char **argv)
{
    const char *page = NULL;

    spot_command_parse(&spot_command_help, argc, argv, parse, &page);
    if (page == NULL) {
        spot_manual_overview(stdout);
        return SPOT_EXIT_GOOD;
    }
    if (spot_manual_page(page, stdout) != 0) {
        fprintf(stderr, "%s: no page \"%s\"\n", argv[0], page);
        return SPOT_EXIT_BAD_INPUT;
    }
    return SPOT_EXIT_GOOD;
}

const spot_command_t spot_command_help = {
    .name = "help",
    .arguments = "",
    .summary = "List the commands, or write a manual page",
    .doc =
        "The pages are made from the tables that parse the command line and the YAML.",
    .examples = "  spotsim help --man=spotsim-scenario.5 | man -l -\n",
    .options = options,
    .run = run,
};
