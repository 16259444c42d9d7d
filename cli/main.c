/* SPDX-License-Identifier: GPL-3.0-or-later */
/* spotsim: a simulator of elastic training on preemptible instances. */
#include <gsl/gsl_errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "cli/command.h"
#include "cli/manual.h"

static int
unknown_command(const char *name)
{
    spot_suggest_t near;

    spot_suggest_init(&near, name);
    for (size_t j = 0; spot_commands[j] != NULL; j++) {
        spot_suggest_offer(&near, spot_commands[j]->name);
    }
    fprintf(stderr, "spotsim: unknown command \"%s\"", name);
    if (near.nearest != NULL) {
        fprintf(stderr, ", did you mean \"%s\"?", near.nearest);
    }
    fprintf(stderr, "\nTry 'spotsim --help'.\n");
    return SPOT_EXIT_BAD_INPUT;
}

/* Words of the command line that make up the command's name; 0: another command. */
static int
words_matched(const spot_command_t *command, int argc, char **argv)
{
    const char *space = strchr(command->name, ' ');
    const size_t length =
        space == NULL ? strlen(command->name) : (size_t) (space - command->name);

    if (strlen(argv[1]) != length || strncmp(argv[1], command->name, length) != 0) {
        return 0;
    }
    if (space == NULL) {
        return 1;
    }
    return argc > 2 && strcmp(argv[2], space + 1) == 0 ? 2 : 0;
}

static int
run_command(const spot_command_t *command, int num_words, int argc, char **argv)
{
    char name[64];

    snprintf(name, sizeof(name), "spotsim %s", command->name);
    argv[num_words] = name;
    return command->run(argc - num_words, argv + num_words);
}

int
main(int argc, char **argv)
{
    gsl_set_error_handler_off();
    signal(SIGPIPE, SIG_IGN);
    if (argc < 2) {
        spot_manual_overview(stderr);
        return SPOT_EXIT_BAD_INPUT;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        spot_manual_overview(stdout);
        return SPOT_EXIT_GOOD;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("spotsim " SPOT_VERSION);
        return SPOT_EXIT_GOOD;
    }
    for (size_t j = 0; spot_commands[j] != NULL; j++) {
        const int num_words = words_matched(spot_commands[j], argc, argv);

        if (num_words > 0) {
            return run_command(spot_commands[j], num_words, argc, argv);
        }
    }
    return unknown_command(argv[1]);
}
