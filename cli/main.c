/* SPDX-License-Identifier: GPL-3.0-or-later */
/* spotsim: a simulator of elastic training on preemptible instances. */
#include <gsl/gsl_errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "cli/command.h"
#include "cli/complete.h"
#include "cli/manual.h"

/* Behind the first word of a command of two, such as "trace generate", the second word
 * is at fault. */
static int unknown_command(int argc, char **argv)
{
    const size_t num_bytes = strlen(argv[1]);
    const char *same_word = NULL;
    spot_texts_t texts = {0};
    const char *name = argv[1];
    spot_suggest_t near;

    for (size_t j = 0; spot_commands[j] != NULL && same_word == NULL; j++) {
        const char *other = spot_commands[j]->name;

        if (strncmp(other, argv[1], num_bytes) == 0 && num_bytes == strcspn(other, " ")) {
            same_word = other;
        }
    }
    if (same_word != NULL && argc > 2) {
        name = spot_texts_add(&texts, "%s %s", argv[1], argv[2]);
    }
    spot_command_suggest(&near, name);
    near.nearest = near.nearest == NULL ? same_word : near.nearest;
    fputs("spotsim: unknown command \"", stderr);
    spot_utf8_print(stderr, name);
    fputs("\"", stderr);
    if (near.nearest != NULL) {
        fprintf(stderr, ", did you mean \"%s\"?", near.nearest);
    }
    fprintf(stderr, "\nTry 'spotsim --help'.\n");
    spot_texts_free(&texts);
    return SPOT_EXIT_BAD_INPUT;
}

/* "--help" or "-?" behind the first word of commands of two. */
static bool asks_for_help(int argc, char **argv)
{
    return argc > 2 && (strcmp(argv[2], "--help") == 0 || strcmp(argv[2], "-?") == 0 ||
                           strcmp(argv[2], "-h") == 0);
}

static int run_words(int argc, char **argv)
{
    const spot_command_t *command;
    int num_words;

    if (argc < 2) {
        spot_manual_overview(stderr);
        return SPOT_EXIT_BAD_INPUT;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        spot_interrupt_print_rest();
        spot_manual_overview(stdout);
        return SPOT_EXIT_GOOD;
    }
    if (strcmp(argv[1], "--version") == 0) {
        spot_interrupt_print_rest();
        spot_command_print_version();
        return SPOT_EXIT_GOOD;
    }
    if (strcmp(argv[1], "--complete") == 0 && argc > 2) {
        spot_interrupt_print_rest();
        spot_complete(argc - 2, argv + 2);
        return SPOT_EXIT_GOOD;
    }
    command = spot_command_match(argc - 1, argv + 1, &num_words);
    if (command != NULL) {
        return spot_command_call(command, argc - num_words, argv + num_words);
    }
    if (asks_for_help(argc, argv)) {
        spot_interrupt_print_rest();
        if (spot_manual_group(argv[1], stdout)) {
            return SPOT_EXIT_GOOD;
        }
    }
    if (argc == 2 && spot_manual_group(argv[1], stderr)) {
        return SPOT_EXIT_BAD_INPUT;
    }
    return unknown_command(argc, argv);
}

int main(int argc, char **argv)
{
    gsl_set_error_handler_off();
    spot_interrupt_start();
    signal(SIGPIPE, SIG_IGN); /* writing says so itself: a closed pipe, */
    signal(SIGXFSZ, SIG_IGN); /* and a file that may not grow */
    return spot_command_close_stdout(run_words(argc, argv));
}
