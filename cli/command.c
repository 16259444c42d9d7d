/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/memory.h"
#include "base/memory_limit.h"
#include "base/number.h"
#include "base/provenance.h"
#include "base/units.h"
#include "base/verb/output.h"
#include "base/watch.h"
#include "sim/bench/store/origin.h"
#include "sim/bench/store/store_sqlite.h"
#include "sim/engines.h"
#include "sim/train/experiment.h"
#include "traces/prices/price_history.h"
#include "traces/verbs/trace_verbs.h"

static void command_print_usage(const spot_verb_t *verb, FILE *out);

/* ---- Rows of options ---- */

static void take_max_memory(spot_call_t *call, const spot_option_t *option, const char *text)
{
    const char *problem = "";
    spot_amount_t amount = {.whole = 0};

    if (spot_units_parse(&spot_units_bytes, text, &amount, &problem) != 0 || amount.whole <= 0) {
        spot_usage_error(call, "--%s: expected a size such as \"8 GB\" or \"500 MiB\", got \"%s\"",
            option->name, text);
    }
    spot_memory_limit_set(amount.whole);
}

/* The options that all verbs have, by a letter in min. */
static void take_common(spot_call_t *call, const spot_option_t *option, const char *text)
{
    (void) text;
    if (option->min == 'q') {
        call->is_quiet = true;
        return;
    }
    spot_interrupt_print_rest();
    switch (option->min) {
        case 'h':
            spot_verb_print_help(call->verb, stdout);
            break;
        case 'U':
            command_print_usage(call->verb, stdout);
            break;
        default:
            spot_verb_print_version();
            break;
    }
    exit(spot_verb_close_stdout(SPOT_EXIT_GOOD));
}

#define OF_ALL(name_, letter_, id_, help_)                                                         \
    {                                                                                              \
        .kind = SPOT_OPTION_OWN, .name = (name_), .letter = (letter_), .min = (id_),               \
        .settle = take_common, .help = (help_)                                                     \
    }

static const spot_option_t options_of_all[] = {
    {.kind = SPOT_OPTION_OWN,
        .name = "max-memory",
        .value = "SIZE",
        .settle = take_max_memory,
        .help = "Refuse what would take more memory, before it starts (default: half of the "
                "machine's)",
        .example = "\"8 GB\""},
    OF_ALL("quiet", 'q', 'q', "No warnings, no progress"),
    OF_ALL("help", 'h', 'h', "Print this help"),
    OF_ALL("usage", 0, 'U', "Print the form of the command only"),
    OF_ALL("version", 0, 'V', "Print the version"),
    SPOT_OPTION_END,
};

bool spot_option_is_argument(const spot_option_t *self)
{
    return self->kind == SPOT_OPTION_ARGUMENT || self->kind == SPOT_OPTION_ARGUMENTS;
}

/* ---- Values of options ---- */

/* The option as messages call it: "--seed", "-o". */
static const char *shown_name(spot_call_t *call, const spot_option_t *option)
{
    return spot_option_is_argument(option) ? option->value
           : option->letter != 0 && option->value != NULL
               ? spot_texts_add(&call->texts, "-%c", option->letter)
               : spot_texts_add(&call->texts, "--%s", option->name);
}

static int64_t parse_count(spot_call_t *call, const spot_option_t *option, const char *text)
{
    const bool is_limited = option->max > 0;
    int64_t value = 0;

    if (spot_integer_parse(text, &value) != 0 || value < option->min ||
        (is_limited && value > option->max)) {
        spot_usage_error(call, "--%s: expected an integer from %lld%s, got \"%s\"", option->name,
            (long long) option->min,
            is_limited ? spot_texts_add(&call->texts, " to %lld", (long long) option->max) : "",
            text);
    }
    return value;
}

static double parse_number(const spot_call_t *call, const spot_option_t *option, const char *text)
{
    double value = 0;

    if (spot_number_parse(text, &value) != 0 || value < (double) option->min ||
        value > (double) option->max) {
        spot_usage_error(call, "--%s: expected a number from %lld to %lld, got \"%s\"",
            option->name, (long long) option->min, (long long) option->max, text);
    }
    return value;
}

static int64_t parse_duration(
    const spot_call_t *call, const spot_option_t *option, const char *text)
{
    const bool may_be_plain = option->kind == SPOT_OPTION_SECONDS;
    const char *problem = "";
    int64_t duration_ms = 0;
    double duration_s;
    const int ret = may_be_plain && spot_number_parse(text, &duration_s) == 0
                        ? spot_duration_from_s(duration_s, &duration_ms)
                        : spot_duration_parse(text, &duration_ms, &problem);

    if (ret != 0 || duration_ms < option->min) {
        spot_usage_error(call, "--%s: expected a duration %s 0 such as %s, got \"%s\"",
            option->name, option->min > 0 ? "above" : "from",
            may_be_plain ? "\"60 s\" or 60" : "\"355 min\"", text);
    }
    return duration_ms;
}

const char *spot_option_word(const spot_option_t *self, size_t j)
{
    return self->choices == NULL ? self->words(j) : self->choices[j + (size_t) self->min];
}

/* The index of a text that must be one of the words or choices. */
static int find_word(spot_call_t *call, const spot_option_t *option, const char *text)
{
    const bool is_choice = option->choices != NULL;
    const char *word, *hint, *list = "";
    spot_suggest_t near;

    spot_suggest_init(&near, text);
    for (size_t j = 0; (word = spot_option_word(option, j)) != NULL; j++) {
        const bool is_last = spot_option_word(option, j + 1) == NULL;

        if (strcmp(word, text) == 0) {
            return (int) j + (is_choice ? (int) option->min : 0);
        }
        spot_suggest_offer(&near, word);
        list = spot_texts_add(&call->texts, "%s%s%s", list,
            j == 0                 ? ""
            : is_last && is_choice ? " or "
                                   : ", ",
            word);
    }
    hint = spot_option_hint(call, &near);
    if (is_choice) {
        spot_usage_error(call, "--%s: expected %s, got \"%s\"%s", option->name, list, text, hint);
    }
    spot_usage_error(call, "%s%sunknown %s \"%s\"%s%s",
        spot_option_is_argument(option) ? "" : shown_name(call, option),
        spot_option_is_argument(option) ? "" : ": ", option->what, text,
        near.nearest == NULL ? "; known: " : hint, near.nearest == NULL ? list : "");
}

/* The bits of words with commas between. */
static unsigned find_words(spot_call_t *call, const spot_option_t *option, const char *text)
{
    const size_t length = strcspn(text, ",");
    const char *word = spot_texts_add(&call->texts, "%.*s", (int) length, text);
    const unsigned bit = 1U << find_word(call, option, word);

    return text[length] == '\0' ? bit : bit | find_words(call, option, text + length + 1);
}

/* Stores the value of an option or argument; NULL for a flag. */
static void store(spot_call_t *call, const spot_option_t *option, const char *text)
{
    void *target = (char *) call->arguments + option->offset;

    if (option->words != NULL) {
        (void) find_word(call, option, text);
    }
    if (option->endings != NULL && option->kind != SPOT_OPTION_ARGUMENTS) {
        spot_option_check_ending(call, shown_name(call, option), text, option->endings);
    }
    if ((option->kind == SPOT_OPTION_FOLDER || option->kind == SPOT_OPTION_PICTURES) &&
        spot_files_is_dash(text)) {
        spot_usage_error(call, "%s: expected a folder, \"-\" is standard output; \"./-\" is one",
            shown_name(call, option));
    }
    switch (option->kind) {
        case SPOT_OPTION_FLAG:
            *(bool *) target = true;
            break;
        case SPOT_OPTION_COUNT:
            *(int64_t *) target = parse_count(call, option, text);
            break;
        case SPOT_OPTION_NUMBER:
            *(double *) target = parse_number(call, option, text);
            break;
        case SPOT_OPTION_DURATION:
        case SPOT_OPTION_SECONDS:
            if (option->is_real) {
                *(double *) target = spot_duration_s(parse_duration(call, option, text));
            } else {
                *(int64_t *) target = parse_duration(call, option, text);
            }
            break;
        case SPOT_OPTION_CHOICE:
            *(int *) target = find_word(call, option, text);
            break;
        case SPOT_OPTION_CHOICES:
            *(unsigned *) target = find_words(call, option, text);
            break;
        case SPOT_OPTION_TEXTS:
        case SPOT_OPTION_ARGUMENTS:
            spot_option_list_add(target, text);
            break;
        case SPOT_OPTION_OWN:
            break;
        default:
            *(const char **) target = text;
            break;
    }
    if (option->settle != NULL) {
        option->settle(call, option, text);
    }
}

/* ---- The command line ---- */

const spot_option_t *spot_option_at(const spot_verb_t *verb, size_t j)
{
    for (const spot_option_t *option = verb->options; option->name != NULL; option++) {
        if (!spot_option_is_argument(option) && j-- == 0) {
            return option;
        }
    }
    return options_of_all[j].name == NULL ? NULL : &options_of_all[j];
}

SPOT_NORETURN static void refuse_long(
    spot_call_t *call, const char *word, size_t num_bytes, int num_options)
{
    const spot_option_t *option;
    const char *list = "";
    spot_suggest_t near;

    spot_suggest_init(&near, spot_texts_add(&call->texts, "%.*s", (int) num_bytes, word));
    for (size_t j = 0; (option = spot_option_at(call->verb, j)) != NULL; j++) {
        spot_suggest_offer(&near, option->name);
        if (strncmp(option->name, word, num_bytes) == 0) {
            list = spot_texts_add(&call->texts, "%s '--%s'", list, option->name);
        }
    }
    if (num_options > 1) {
        spot_usage_error(call, "option '--%s' is ambiguous; possibilities:%s", word, list);
    }
    spot_usage_error(call, "unrecognized option '--%s'%s%s%s", word,
        near.nearest == NULL ? "" : ", did you mean '--", near.nearest == NULL ? "" : near.nearest,
        near.nearest == NULL ? "" : "'?");
}

/* The option that a word behind "--" names, whole or as its only beginning. */
static const spot_option_t *find_long(spot_call_t *call, const char *word, size_t num_bytes)
{
    const spot_option_t *option, *found = NULL;
    int num_found = 0;

    for (size_t j = 0; (option = spot_option_at(call->verb, j)) != NULL; j++) {
        if (strncmp(option->name, word, num_bytes) == 0) {
            if (option->name[num_bytes] == '\0') {
                return option;
            }
            found = option;
            num_found++;
        }
    }
    if (num_found != 1) {
        refuse_long(call, word, num_bytes, num_found);
    }
    return found;
}

/* "--name", "--name=value" or "--name value". Returns the index of the last word. */
static int take_long(spot_call_t *call, int word_id)
{
    const char *word = call->argv[word_id] + 2;
    const size_t num_bytes = strcspn(word, "=");
    const spot_option_t *option = find_long(call, word, num_bytes);
    const bool is_given = word[num_bytes] == '=';

    if (option->value == NULL) {
        if (is_given) {
            spot_usage_error(call, "option '--%s' doesn't allow an argument", option->name);
        }
        store(call, option, NULL);
        return word_id;
    }
    if (!is_given && word_id + 1 == call->argc) {
        spot_usage_error(call, "option '--%s' requires an argument", option->name);
    }
    store(call, option, is_given ? word + num_bytes + 1 : call->argv[word_id + 1]);
    return is_given ? word_id : word_id + 1;
}

/* "-q", "-o FILE", "-oFILE", "-qo FILE". Returns the index of the last word. */
static int take_letters(spot_call_t *call, int word_id)
{
    for (const char *letter = call->argv[word_id] + 1; *letter != '\0'; letter++) {
        const char wanted = *letter == '?' ? 'h' : *letter;
        const spot_option_t *option;
        size_t j = 0;

        while ((option = spot_option_at(call->verb, j)) != NULL && option->letter != wanted) {
            j++;
        }
        if (option == NULL) {
            spot_usage_error(call, "invalid option -- '%c'", *letter);
        } else if (option->value == NULL) {
            store(call, option, NULL);
        } else if (letter[1] != '\0') {
            store(call, option, letter + 1);
            return word_id;
        } else if (word_id + 1 == call->argc) {
            spot_usage_error(call, "option requires an argument -- '%c'", *letter);
        } else {
            store(call, option, call->argv[word_id + 1]);
            return word_id + 1;
        }
    }
    return word_id;
}

const spot_option_t *spot_option_argument(
    const spot_verb_t *verb, size_t argument_id, const char **noun)
{
    *noun = "options only";
    for (const spot_option_t *option = verb->options; option->name != NULL; option++) {
        if (spot_option_is_argument(option)) {
            *noun = option->name;
            if (argument_id == 0 || option->kind == SPOT_OPTION_ARGUMENTS) {
                return option;
            }
            argument_id--;
        }
    }
    return NULL;
}

static void take_argument(spot_call_t *call, size_t argument_id, const char *text)
{
    const char *noun;
    const spot_option_t *option = spot_option_argument(call->verb, argument_id, &noun);

    if (option == NULL) {
        spot_usage_error(
            call, "expected %s, got \"%s\"%s", noun, text, argument_id > 0 ? " too" : "");
    } else {
        store(call, option, text);
    }
}

static void check_arguments(const spot_call_t *call, size_t num_given)
{
    for (const spot_option_t *option = call->verb->options; option->name != NULL; option++) {
        if (spot_option_is_argument(option)) {
            if ((int64_t) num_given < option->min) {
                spot_usage_error(call, "expected %s", option->name);
            }
            num_given -= num_given > 0;
        }
    }
}

/* Parses the words of a call by the table of its verb into its arguments. Ends the
 * program with exit code 2 after a usage error, with 0 after --help. */
static void options_parse(spot_call_t *call)
{
    size_t num_arguments = 0;
    bool is_over = false; /* behind "--" */

    for (int j = 1; j < call->argc; j++) {
        const char *word = call->argv[j];

        if (is_over || word[0] != '-' || word[1] == '\0') {
            take_argument(call, num_arguments++, word);
        } else if (strcmp(word, "--") == 0) {
            is_over = true;
        } else {
            j = (word[1] == '-' ? take_long : take_letters)(call, j);
        }
    }
    check_arguments(call, num_arguments);
    if (call->verb->check != NULL) {
        call->verb->check(call);
    }
}

/* ---- Files that options name ---- */

/* Adds the files that rows of a kind name. */
static void list_files(const spot_call_t *call, spot_option_kind_t kind, spot_option_list_t *files)
{
    for (const spot_option_t *row = call->verb->options; row->name != NULL; row++) {
        const void *target = (const char *) call->arguments + row->offset;
        const bool is_list = kind == SPOT_OPTION_ARGUMENTS;
        const spot_option_list_t *list = target;

        for (size_t j = 0;
             row->kind == kind && row->words == NULL && j < (is_list ? list->num_texts : 1); j++) {
            spot_option_list_add(files, is_list ? list->texts[j] : *(const char *const *) target);
        }
    }
}

/* shown: as the user wrote it, behind option. */
static int check_folder(
    const char *folder, const char *option, const char *shown, spot_diag_t *diag)
{
    struct stat status;
    int reason = 0;

    if (stat(folder, &status) != 0) {
        reason = errno;
    } else if (!S_ISDIR(status.st_mode)) {
        reason = ENOTDIR;
    } else if (access(folder, W_OK | X_OK) != 0) {
        reason = errno;
    }
    if (reason != 0) {
        spot_diag_error(diag, shown, 0, 0, "%s: expected a folder to write pictures to: %s", option,
            strerror(reason));
        return SPOT_ERR_BAD_INPUT;
    }
    return 0;
}

/* Checks before long work that pictures can be written to the folder of an option such
 * as "--svg", or that the folder can be made. folder NULL: there are no pictures.
 * BAD_INPUT with the reason in diag, NO_MEMORY. */
static int pictures_check(const char *option, const char *folder, spot_diag_t *diag)
{
    struct stat status;
    const char *slash;
    size_t num_bytes;
    char *parent;
    int ret;

    if (folder == NULL || stat(folder, &status) == 0) {
        return folder == NULL ? 0 : check_folder(folder, option, folder, diag);
    }
    if (folder[0] == '\0') {
        spot_diag_error(diag, option, 0, 0, "expected the name of a folder");
        return SPOT_ERR_BAD_INPUT;
    }
    num_bytes = strlen(folder);
    while (num_bytes > 1 && folder[num_bytes - 1] == '/') {
        num_bytes--;
    }
    parent = spot_text_copy(folder, num_bytes);
    if (parent == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    slash = strrchr(parent, '/');
    parent[slash == NULL ? 0 : slash == parent ? 1 : slash - parent] = '\0';
    ret = check_folder(parent[0] == '\0' ? "." : parent, option, folder, diag);
    free(parent);
    return ret;
}

/* Before work: whether the files that the options name can be written, and replace no
 * input. Errors of spot_files_check() and pictures_check(). */
static int options_check_files(spot_call_t *call)
{
    spot_option_list_t inputs = {0}, outputs = {0};
    int ret;

    list_files(call, SPOT_OPTION_ARGUMENT, &inputs);
    list_files(call, SPOT_OPTION_ARGUMENTS, &inputs);
    list_files(call, SPOT_OPTION_INPUT, &inputs);
    list_files(call, SPOT_OPTION_WRITTEN, &outputs);
    ret = spot_files_check((spot_files_t){inputs.num_texts, inputs.texts},
        (spot_files_t){outputs.num_texts, outputs.texts}, &call->diag);
    for (const spot_option_t *row = call->verb->options; row->name != NULL; row++) {
        if (row->kind == SPOT_OPTION_PICTURES) {
            const char *folder = *(const char *const *) ((char *) call->arguments + row->offset);

            ret = ret != 0 ? ret : pictures_check(shown_name(call, row), folder, &call->diag);
        }
    }
    free(inputs.texts);
    free(outputs.texts);
    return ret;
}

/* ---- The list of verbs ---- */

static const spot_verb_t *const first_verbs[] = {&spot_verb_run, &spot_verb_study,
    &spot_verb_compare, &spot_verb_init, &spot_verb_check, &spot_verb_engine, &spot_verb_recovery,
    &spot_verb_keys, &spot_verb_merge, &spot_verb_export, &spot_verb_report, &spot_verb_advise,
    NULL};

static const spot_verb_t *const trace_verbs[] = {&spot_verb_trace_convert,
    &spot_verb_trace_describe, &spot_verb_trace_fit, &spot_verb_trace_generate,
    &spot_verb_trace_compare, NULL};

static const spot_verb_t *const last_verbs[] = {&spot_verb_completion, &spot_verb_help, NULL};

static const spot_verb_t *const *engine_verbs(const spot_experiment_t *engine)
{
    static const spot_verb_t *const none[] = {NULL};

    return engine->verbs == NULL ? none : engine->verbs;
}

/* The j-th list: the program's own verbs, those of the rooms of traces, of the engines, the first
 * one of these last, since its verbs are about what others rest on. NULL behind the last. */
static const spot_verb_t *const *list_at(size_t j)
{
    size_t num_engines = 0;

    while (spot_engines[num_engines] != NULL) {
        num_engines++;
    }
    return j == 0                 ? first_verbs
           : j == 1               ? trace_verbs
           : j == 2               ? spot_price_verbs
           : j < num_engines + 2  ? engine_verbs(spot_engines[j - 2])
           : j == num_engines + 2 ? engine_verbs(spot_engines[0])
           : j == num_engines + 3 ? last_verbs
                                  : NULL;
}

const spot_verb_t *spot_verb_at(size_t verb_id)
{
    const spot_verb_t *const *verbs;

    for (size_t j = 0; (verbs = list_at(j)) != NULL; j++) {
        for (; *verbs != NULL; verbs++) {
            if (verb_id-- == 0) {
                return *verbs;
            }
        }
    }
    return NULL;
}

const spot_verb_t *spot_verb_find(const char *name)
{
    for (size_t j = 0; spot_verb_at(j) != NULL; j++) {
        if (strcmp(spot_verb_at(j)->name, name) == 0) {
            return spot_verb_at(j);
        }
    }
    return NULL;
}

void spot_verb_suggest(spot_suggest_t *near, const char *name)
{
    spot_suggest_init(near, name);
    for (size_t j = 0; spot_verb_at(j) != NULL; j++) {
        spot_suggest_offer(near, spot_verb_at(j)->name);
    }
}

/* before: what stands before the first of them. */
static void print_libraries(const char *before, const spot_library_t *libraries)
{
    for (const spot_library_t *library = libraries; library->name != NULL; library++) {
        printf("%s%s %s", library == libraries ? before : ", ", library->name, library->version());
    }
}

void spot_verb_print_version(void)
{
    printf("spotsim %s (%s)\n", spot_build_info.version, spot_build_info.commit);
    printf("built with %s, %s\nruns with", spot_build_info.compiler, spot_build_info.build);
    print_libraries(" ", spot_base_libraries);
    print_libraries(", ", spot_store_libraries);
    putchar('\n');
}

/* ---- Help with a verb ---- */

#define OPTION_COLUMN 26

static void command_print_usage(const spot_verb_t *verb, FILE *out)
{
    const char *form = verb->arguments;

    for (int j = 0; j == 0 || *form != '\0'; j++) {
        const size_t num_bytes = strcspn(form, "\n");

        fprintf(out, "%s spotsim %s [OPTION...] %.*s\n", j == 0 ? "Usage:" : "  or: ", verb->name,
            (int) num_bytes, form);
        form += num_bytes + (form[num_bytes] == '\n');
    }
}

static void put_option(const spot_help_t *doc, const spot_option_t *option, const char *help)
{
    const char *indent = doc->width == 0 ? "" : "    ";
    spot_texts_t texts = {0};
    const char *name = option->letter != 0
                           ? spot_texts_add(&texts, "-%c, --%s", option->letter, option->name)
                           : spot_texts_add(&texts, "%s--%s", indent, option->name);

    spot_help_item(doc, name,
        option->value == NULL ? "" : spot_texts_add(&texts, "=%s", option->value),
        option->example == NULL ? help
                                : spot_texts_add(&texts, "%s (e.g. %s)", help, option->example),
        OPTION_COLUMN);
    spot_help_texts_free(&texts);
}

void spot_verb_put_lists(const spot_help_t *doc, const spot_verb_t *verb)
{
    const spot_option_t *option;
    const char *name, *text;

    for (size_t j = 0; verb->item != NULL && (text = verb->item(j, &name)) != NULL; j++) {
        spot_help_item(doc, name, "", text, 14);
    }
    fputs(doc->width > 0 ? "\nOptions:\n" : "", doc->out);
    for (size_t j = 0; (option = spot_option_at(verb, j)) != NULL; j++) {
        put_option(
            doc, option, option->letter == 'q' && verb->quiet != NULL ? verb->quiet : option->help);
    }
}

void spot_verb_print_help(const spot_verb_t *verb, FILE *out)
{
    const spot_help_t doc = spot_help_of_terminal(out);

    command_print_usage(verb, out);
    putc('\n', out);
    spot_help_text(&doc, verb->summary);
    putc('\n', out);
    spot_help_text(&doc, verb->doc);
    spot_verb_put_lists(&doc, verb);
    spot_help_section(&doc, "Examples");
    spot_help_lines(&doc, verb->examples);
}

/* ---- Calls ---- */

/* Whether all that went wrong is that the reader of standard output, such as head, has
 * seen enough. */
static bool is_reader_gone(const spot_diag_t *diag)
{
    char text[128];
    bool is_gone = diag->num_errors > 0 && diag->num_items > 0;

    snprintf(text, sizeof(text), "standard output: cannot write: %s", strerror(EPIPE));
    for (size_t j = 0; j < diag->num_items && is_gone; j++) {
        is_gone = !diag->items[j].is_error || strcmp(diag->items[j].text, text) == 0;
    }
    return is_gone;
}

/* As others end when the reader of their output has gone. */
static void end_by_pipe(void)
{
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
}

int spot_verb_close_stdout(int exit_code)
{
    const bool is_flushed = fflush(stdout) == 0;
    char shortage[SPOT_MEMORY_TEXT_BYTES];
    const int error = is_flushed ? 0 : errno;
    struct pollfd closed = {.fd = STDOUT_FILENO};

    if ((!is_flushed || ferror(stdout)) && poll(&closed, 1, 0) == 1 &&
        (closed.revents & POLLERR) != 0) {
        end_by_pipe();
    }
    if (exit_code == SPOT_EXIT_GOOD && !spot_help_is_whole()) {
        fprintf(stderr, "spotsim: out of memory%s\n", spot_memory_shortage(shortage));
        return SPOT_EXIT_FAILED;
    }
    if (exit_code != SPOT_EXIT_GOOD || (is_flushed && !ferror(stdout))) {
        return exit_code;
    }
    /* The reason of an earlier failure is no longer known. */
    fprintf(stderr, "standard output: cannot write%s%s\n", is_flushed ? "" : ": ",
        is_flushed ? "" : strerror(error));
    return SPOT_EXIT_FAILED;
}

/* Prints the diagnostics and turns an error into an exit code. */
static int finish(spot_call_t *self, int error)
{
    spot_diag_t *diag = &self->diag;
    const bool is_explained = diag->num_errors > 0;
    char shortage[SPOT_MEMORY_TEXT_BYTES];
    const bool is_unreadable =
        self->is_reading && error == SPOT_ERR_IO && !diag->out_of_descriptors;

    if (is_reader_gone(diag)) {
        end_by_pipe();
    }
    if (self->is_quiet) {
        spot_diag_drop_warnings(diag);
    }
    spot_diag_close_file(diag);
    spot_diag_print(diag, stderr);
    switch (is_unreadable ? SPOT_ERR_BAD_INPUT : error) {
        case SPOT_ERR_BAD_INPUT:
        case SPOT_ERR_CANNOT_RUN:
            return SPOT_EXIT_BAD_INPUT;
        case SPOT_ERR_INTERRUPTED:
            fprintf(stderr, "spotsim: interrupted\n");
            return SPOT_EXIT_INTERRUPTED;
        default:
            /* what is said of input that did not fit into memory may be wrong */
            if (error < 0 && (!is_explained || error == SPOT_ERR_NO_MEMORY)) {
                fprintf(stderr, "spotsim: %s%s\n", spot_error_text(error),
                    error == SPOT_ERR_NO_MEMORY ? spot_memory_shortage(shortage) : "");
            }
            return error < 0 ? SPOT_EXIT_FAILED : error;
    }
}

/* The lists that options were stored in. */
static void free_lists(spot_call_t *self)
{
    for (const spot_option_t *option = self->verb->options; option->name != NULL; option++) {
        if (option->kind == SPOT_OPTION_TEXTS || option->kind == SPOT_OPTION_ARGUMENTS) {
            spot_option_list_t *list = (void *) ((char *) self->arguments + option->offset);

            free(list->texts);
            *list = (spot_option_list_t){0};
        }
    }
}

int spot_verb_call(const spot_verb_t *verb, int argc, char **argv)
{
    spot_call_t call = {.verb = verb, .argc = argc, .argv = argv};
    char name[64];
    int ret = SPOT_ERR_NO_MEMORY;

    snprintf(name, sizeof(name), "spotsim %s", verb->name);
    argv[0] = name; /* for what notes the command line */
    spot_diag_init(&call.diag);
    call.arguments = spot_calloc(1, verb->arguments_bytes);
    if (call.arguments != NULL) {
        if (verb->initial != NULL) {
            memcpy(call.arguments, verb->initial, verb->arguments_bytes);
        }
        options_parse(&call);
        spot_memory_limit_enforce();
        call.is_reading = false;
        ret = options_check_files(&call);
        if (ret == 0) {
            call.is_reading = true;
            ret = verb->run(&call);
        }
        free_lists(&call);
    }
    ret = ret != 0 ? ret : call.texts.error;
    spot_texts_free(&call.texts);
    free(call.arguments);
    ret = finish(&call, ret);
    spot_diag_free(&call.diag);
    return ret;
}

/* ---- Stores ---- */

int spot_verb_open_store(spot_store_t **store, const char *path, spot_diag_t *diag)
{
    int ret;

    spot_interrupt_watch();
    ret = spot_store_open_sqlite_reader(store, path, diag);
    spot_interrupt_unwatch();
    if (ret == 0) {
        atomic_store(&(*store)->stop, &spot_stop);
        if (atomic_load(&spot_stop) != 0) {
            (*store)->close(*store);
            *store = NULL;
            ret = SPOT_ERR_INTERRUPTED;
        }
    }
    return ret;
}

int spot_verb_close_store(spot_store_t *store, int error, spot_diag_t *diag)
{
    int flushed = 0;

    if (store != NULL) {
        flushed = store->flush(store, diag);
        store->close(store);
    }
    return flushed != 0 ? flushed : error;
}

/* ---- Help on a terminal ---- */

spot_help_t spot_help_of_terminal(FILE *out)
{
    return (spot_help_t){.out = out, .width = spot_terminal_of_output(true).width};
}
