/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gsl/gsl_errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "base/verb/verb.h"
#include "cli/command.h"
#include "cli/manual.h"
#include "reports/chart/svg.h"
#include "reports/page/page_timeline.h"
#include "reports/table/document.h"

#define NAME_COLUMNS 14 /* of names in lists */

/* ---- Completion of words ---- */

/* Completion of command lines in shells, whose scripts are in cli/completion/. */

/* The command line up to the word that is completed. */
typedef struct {
    int num_words; /* before it */
    char *const *words;
    const char *prefix; /* what is typed of it */
} line_t;

static void offer(const line_t *line, const char *word, const char *help)
{
    if (strncmp(word, line->prefix, strlen(line->prefix)) == 0) {
        printf("%s%s%s\n", word, help == NULL ? "" : "\t", help == NULL ? "" : help);
    }
}

/* The j-th word of verbs: 0 the first of all, 1 the second of those that start as the
 * line does. */
static void offer_verbs(const line_t *line, int j)
{
    char before[64] = "";

    for (size_t k = 0; spot_verb_at(k) != NULL; k++) {
        const char *name = spot_verb_at(k)->name;
        const size_t num_bytes = strcspn(name, " ");
        const bool is_group = name[num_bytes] == ' ';
        char word[64];

        snprintf(word, sizeof(word), "%.*s", (int) num_bytes, name);
        if (j == 0 && strcmp(word, before) != 0) {
            offer(line, word, is_group ? NULL : spot_verb_at(k)->summary);
        } else if (j == 1 && is_group && strcmp(word, line->words[0]) == 0) {
            offer(line, name + num_bytes + 1, spot_verb_at(k)->summary);
        }
        snprintf(before, sizeof(before), "%s", word);
    }
}

/* The option that a word is, "--seed" or "-o", or NULL. */
static const spot_option_t *find_option(const spot_verb_t *verb, const char *word)
{
    const spot_option_t *option;

    for (size_t j = 0; (option = spot_option_at(verb, j)) != NULL; j++) {
        if (strncmp(word, "--", 2) == 0
                ? strcmp(word + 2, option->name) == 0
                : word[0] == '-' && word[1] == option->letter && word[1] != '\0') {
            return option;
        }
    }
    return NULL;
}

static void offer_options(const line_t *line, const spot_verb_t *verb)
{
    const spot_option_t *option;

    for (size_t j = 0; (option = spot_option_at(verb, j)) != NULL; j++) {
        char word[64];

        snprintf(word, sizeof(word), "--%s", option->name);
        offer(line, word, option->help);
    }
}

/* The keys of the scenario or study that the line names, each with "=". */
static void offer_keys(const line_t *line)
{
    for (int j = line->num_words - 1; j > 0; j--) {
        if (spot_has_suffix(line->words[j], ".yaml") || spot_has_suffix(line->words[j], ".yml")) {
            const spot_help_t doc = {.out = stdout, .prefix = line->prefix};
            spot_diag_t diag;

            spot_diag_init(&diag);
            (void) !spot_manual_keys(&doc, line->words[j], &diag);
            spot_diag_free(&diag);
            return;
        }
    }
}

static void offer_values(const line_t *line, const spot_option_t *option)
{
    const char *word;

    if (option->choices != NULL || option->words != NULL) {
        for (size_t j = 0; (word = spot_option_word(option, j)) != NULL; j++) {
            offer(line, word, NULL);
        }
    } else if (option->value != NULL && strncmp(option->value, "KEY=", 4) == 0) {
        offer_keys(line);
    } else if (option->kind == SPOT_OPTION_FOLDER || option->kind == SPOT_OPTION_PICTURES) {
        puts(":folders");
    } else if (option->kind == SPOT_OPTION_FILE || option->kind == SPOT_OPTION_INPUT ||
               option->kind == SPOT_OPTION_WRITTEN || spot_option_is_argument(option)) {
        printf(":files%s%s\n", option->endings == NULL ? "" : " ",
            option->endings == NULL ? "" : option->endings);
    }
}

/* The row of the argument that the word is. */
static const spot_option_t *argument_of(const line_t *line, const spot_verb_t *verb, int first)
{
    const char *noun;
    size_t num_before = 0;

    for (int j = first; j < line->num_words; j++) {
        const spot_option_t *option = find_option(verb, line->words[j]);

        num_before += option == NULL && line->words[j][0] != '-';
        j += option != NULL && option->value != NULL;
    }
    return spot_option_argument(verb, num_before, &noun);
}

/* What `spotsim help` takes: verbs and topics. */
static void offer_help(const line_t *line)
{
    const line_t rest = {line->num_words - 1, line->words + 1, line->prefix};
    const char *word;

    offer_verbs(&rest, rest.num_words);
    for (size_t j = 0; rest.num_words == 0 && (word = spot_manual_topic_name(j)) != NULL; j++) {
        offer(line, word, NULL);
    }
}

static void complete_verb(line_t *line, const spot_verb_t *verb, int first)
{
    const char *last = line->num_words > first ? line->words[line->num_words - 1] : "";
    const spot_option_t *option = find_option(verb, last);
    const char *equals = strchr(line->prefix, '=');
    char name[64];

    if (strncmp(line->prefix, "--", 2) == 0 && equals != NULL) {
        snprintf(name, sizeof(name), "%.*s", (int) (equals - line->prefix), line->prefix);
        option = find_option(verb, name);
        line->prefix = equals + 1;
    }
    if (option != NULL && option->value != NULL) {
        offer_values(line, option);
    } else if (line->prefix[0] == '-') {
        offer_options(line, verb);
    } else if (verb == &spot_verb_help) {
        offer_help(line);
    } else if ((option = argument_of(line, verb, first)) != NULL) {
        offer_values(line, option);
    }
}

/* The verb that the first one or two words name, and how many these are, or NULL. */
static const spot_verb_t *verb_match(int num_words, char *const *words, int *num_used)
{
    for (*num_used = num_words < 2 ? num_words : 2; *num_used > 0; --*num_used) {
        const spot_verb_t *verb;
        char name[128];

        snprintf(name, sizeof(name), "%s%s%s", words[0], *num_used == 2 ? " " : "",
            *num_used == 2 ? words[1] : "");
        verb = spot_verb_find(name);
        if (verb != NULL) {
            return verb;
        }
    }
    return NULL;
}

/* words: [num_words] behind "spotsim", at least one, the last one as far as it is typed.
 * bash splits "--NAME=VALUE" into three words. Prints what the last one may be, a line
 * each, behind a tab what that is; or ":files", with the endings that count, or
 * ":folders". */
static void complete(int num_words, char *const *words)
{
    line_t line = {num_words - 1, words, words[num_words - 1]};
    const spot_verb_t *verb;
    int first;

    /* "--NAME", "=" and "VALUE" of bash: "=" is no word. */
    if (strcmp(line.prefix, "=") == 0) {
        line.prefix = "";
    } else if (line.num_words > 1 && strcmp(words[line.num_words - 1], "=") == 0) {
        line.num_words--;
    }
    verb = verb_match(line.num_words, words, &first);
    if (verb != NULL) {
        complete_verb(&line, verb, first);
    } else if (line.num_words <= 1) {
        offer_verbs(&line, line.num_words);
    }
    if (line.num_words == 0) {
        offer(&line, "--help", "Print this help");
        offer(&line, "--version", "Print the version");
    }
}

/* ---- The scripts of shells ---- */

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

static const char *shell_name(size_t j)
{
    return j < NUM_SHELLS ? scripts[j].shell : NULL;
}

static const spot_option_t options[] = {
    SPOT_OPTION(ARGUMENT, "one shell", 0, "SHELL", shell, NULL, .min = 1, .what = "shell",
        .words = shell_name),
    SPOT_OPTION_END,
};

static int run(spot_call_t *call)
{
    const arguments_t *arguments = call->arguments;

    for (size_t j = 0; j < NUM_SHELLS; j++) {
        if (strcmp(scripts[j].shell, arguments->shell) == 0) {
            fputs(scripts[j].script, stdout);
        }
    }
    return 0;
}

const spot_verb_t spot_verb_completion = {
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

/* ---- The program ---- */

/* Behind the first word of a verb of two, such as "trace generate", the second word
 * is at fault. */
static int unknown_command(int argc, char **argv)
{
    const size_t num_bytes = strlen(argv[1]);
    const char *same_word = NULL;
    spot_texts_t texts = {0};
    const char *name = argv[1];
    spot_suggest_t near;

    for (size_t j = 0; spot_verb_at(j) != NULL && same_word == NULL; j++) {
        const char *other = spot_verb_at(j)->name;

        if (strncmp(other, argv[1], num_bytes) == 0 && num_bytes == strcspn(other, " ")) {
            same_word = other;
        }
    }
    if (same_word != NULL && argc > 2) {
        name = spot_texts_add(&texts, "%s %s", argv[1], argv[2]);
    }
    spot_verb_suggest(&near, name);
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

/* "--help" or "-?" behind the first word of verbs of two. */
static bool asks_for_help(int argc, char **argv)
{
    return argc > 2 && (strcmp(argv[2], "--help") == 0 || strcmp(argv[2], "-?") == 0 ||
                           strcmp(argv[2], "-h") == 0);
}

static int run_words(int argc, char **argv)
{
    const spot_verb_t *verb;
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
        spot_verb_print_version();
        return SPOT_EXIT_GOOD;
    }
    if (strcmp(argv[1], "--complete") == 0 && argc > 2) {
        spot_interrupt_print_rest();
        complete(argc - 2, argv + 2);
        return SPOT_EXIT_GOOD;
    }
    verb = verb_match(argc - 1, argv + 1, &num_words);
    if (verb != NULL) {
        return spot_verb_call(verb, argc - num_words, argv + num_words);
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

static int write_svg(spot_chart_t *chart, FILE *out)
{
    return spot_chart_svg(chart, SPOT_CHART_WIDE_PX, out);
}

static void put_item(const char *name, const char *text, FILE *out)
{
    const spot_help_t doc = spot_help_of_terminal(out);

    spot_help_item(&doc, name, "", text, NAME_COLUMNS);
}

int main(int argc, char **argv)
{
    static const spot_dialects_t dialects = {spot_table_write_terminal, spot_document_to_terminal,
        write_svg, spot_recording_draw, put_item};

    gsl_set_error_handler_off();
    spot_output_set_dialects(&dialects);
    spot_interrupt_start();
    signal(SIGPIPE, SIG_IGN); /* writing says so itself: a closed pipe, */
    signal(SIGXFSZ, SIG_IGN); /* and a file that may not grow */
    return spot_verb_close_stdout(run_words(argc, argv));
}
