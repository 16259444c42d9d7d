/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"

/* The scripts, as bytes of the program. */
extern const char spot_completion_bash[], spot_completion_zsh[], spot_completion_fish[];

typedef struct {
    const char *shell;
} arguments_t;

static const struct {
    const char *shell, *script;
} scripts[] = {
    {"bash", spot_completion_bash},
    {"zsh", spot_completion_zsh},
    {"fish", spot_completion_fish},
};

#define NUM_SHELLS (sizeof(scripts) / sizeof(scripts[0]))

static const char *
shell_name(size_t j)
{
    return j < NUM_SHELLS ? scripts[j].shell : NULL;
}

static const spot_option_t options[] = {
    SPOT_OPTION(ARGUMENT, "one shell", 0, "SHELL", shell, NULL, .min = 1,
        .what = "shell", .words = shell_name),
    SPOT_OPTION_END,
};

static int
run(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;

    for (size_t j = 0; j < NUM_SHELLS; j++) {
        if (strcmp(scripts[j].shell, arguments->shell) == 0) {
            fputs(scripts[j].script, stdout);
        }
    }
    return 0;
}

const spot_command_t spot_command_completion = {
    .name = "completion",
    .arguments = "bash|zsh|fish",
    .summary = "Print the script that completes command lines in a shell",
    .doc = "Commands, options, their values, files, and the keys of the scenario behind "
           "--set are completed. Packages install the scripts; where there is none, a "
           "shell reads it from here.",
    .examples = "  source <(spotsim completion bash)\n"
                "  spotsim completion zsh > ~/.zfunc/_spotsim\n"
                "  spotsim completion fish > ~/.config/fish/completions/spotsim.fish\n",
    .options = options,
    .arguments_bytes = sizeof(arguments_t),
    .run = run,
};
