/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/options.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/files.h"
#include "base/memory.h"
#include "base/memory_limit.h"
#include "base/units.h"
#include "base/utf8.h"
#include "cli/command.h"
#include "cli/manual.h"
#include "reports/traces/trace_pictures.h"

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

/* The options that all commands have, by a letter in min. */
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
            spot_manual_help(call->command, stdout);
            break;
        case 'U':
            spot_manual_usage(call->command, stdout);
            break;
        default:
            spot_command_print_version();
            break;
    }
    exit(spot_command_close_stdout(SPOT_EXIT_GOOD));
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

void spot_usage_error(const spot_call_t *call, const char *format, ...)
{
    spot_texts_t texts = {0};
    va_list arguments;

    fprintf(stderr, "spotsim %s: ", call->command->name);
    va_start(arguments, format);
    spot_utf8_print(stderr, spot_texts_vadd(&texts, format, arguments));
    va_end(arguments);
    fprintf(stderr, "\nTry 'spotsim %s --help'.\n", call->command->name);
    spot_texts_free(&texts);
    exit(SPOT_EXIT_BAD_INPUT);
}

void spot_usage_refuse(const spot_call_t *call, bool is_wrong, const char *message)
{
    if (is_wrong) {
        spot_usage_error(call, "%s", message);
    }
}

void spot_option_reserve(void *items, size_t *max_items, size_t num_items, size_t item_bytes)
{
    if (spot_array_reserve(items, max_items, num_items, item_bytes) != 0) {
        char shortage[SPOT_MEMORY_TEXT_BYTES];

        fprintf(stderr, "spotsim: out of memory%s\n", spot_memory_shortage(shortage));
        exit(SPOT_EXIT_FAILED);
    }
}

void spot_option_list_add(spot_option_list_t *self, const char *text)
{
    spot_option_reserve(&self->texts, &self->max_texts, self->num_texts + 1, sizeof(*self->texts));
    self->texts[self->num_texts++] = text;
}

bool spot_option_is_argument(const spot_option_t *self)
{
    return self->kind == SPOT_OPTION_ARGUMENT || self->kind == SPOT_OPTION_ARGUMENTS;
}

/* ---- Values ---- */

bool spot_has_suffix(const char *path, const char *suffix)
{
    const size_t num_bytes = strlen(path), length = strlen(suffix);

    return num_bytes >= length && strcmp(path + num_bytes - length, suffix) == 0;
}

/* Whether a word of a list such as ".svg or .html" is the text, in any case. */
static bool is_among(const char *text, const char *words)
{
    const size_t length = strlen(text);

    while (*words != '\0') {
        const size_t num_bytes = strcspn(words, " ");

        if (num_bytes == length && strncasecmp(words, text, length) == 0) {
            return true;
        }
        words += num_bytes + strspn(words + num_bytes, " ");
    }
    return false;
}

void spot_option_check_ending(
    const spot_call_t *call, const char *option, const char *path, const char *endings)
{
    static const char formats[] =
        ".csv .tsv .json .jsonl .ndjson .yaml .yml .html .htm .svg .png .pdf .jpg .jpeg "
        ".gif .webp .eps .ps .tex .md .db .sqlite .sqlite3 .xls .xlsx .ods .parquet "
        ".feather .xml .gz .bz2 .xz .zst .zip .tar";
    const char *slash = path == NULL ? NULL : strrchr(path, '/');
    const char *dot = path == NULL ? NULL : strrchr(slash == NULL ? path : slash, '.');

    if (dot == NULL || !is_among(dot, formats) || is_among(dot, endings)) {
        return;
    }
    if (endings[0] == '\0') {
        spot_usage_error(call, "%s: expected a text file, got \"%s\"", option, path);
    }
    spot_usage_error(
        call, "%s: expected a file that ends in %s, got \"%s\"", option, endings, path);
}

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

const char *spot_option_hint(spot_call_t *call, const spot_suggest_t *near)
{
    return near->nearest == NULL
               ? ""
               : spot_texts_add(&call->texts, ", did you mean \"%s\"?", near->nearest);
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

const spot_option_t *spot_option_at(const spot_command_t *command, size_t j)
{
    for (const spot_option_t *option = command->options; option->name != NULL; option++) {
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
    for (size_t j = 0; (option = spot_option_at(call->command, j)) != NULL; j++) {
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

    for (size_t j = 0; (option = spot_option_at(call->command, j)) != NULL; j++) {
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

        while ((option = spot_option_at(call->command, j)) != NULL && option->letter != wanted) {
            j++;
        }
        if (option == NULL) {
            spot_usage_error(call, "invalid option -- '%c'", *letter);
        }
        if (option->value == NULL) {
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
    const spot_command_t *command, size_t argument_id, const char **noun)
{
    *noun = "options only";
    for (const spot_option_t *option = command->options; option->name != NULL; option++) {
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
    const spot_option_t *option = spot_option_argument(call->command, argument_id, &noun);

    if (option == NULL) {
        spot_usage_error(
            call, "expected %s, got \"%s\"%s", noun, text, argument_id > 0 ? " too" : "");
    }
    store(call, option, text);
}

static void check_arguments(const spot_call_t *call, size_t num_given)
{
    for (const spot_option_t *option = call->command->options; option->name != NULL; option++) {
        if (spot_option_is_argument(option)) {
            if ((int64_t) num_given < option->min) {
                spot_usage_error(call, "expected %s", option->name);
            }
            num_given -= num_given > 0;
        }
    }
}

void spot_options_parse(spot_call_t *call)
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
    if (call->command->check != NULL) {
        call->command->check(call);
    }
}

/* ---- Files ---- */

/* Adds the files that rows of a kind name. */
static void list_files(const spot_call_t *call, spot_option_kind_t kind, spot_option_list_t *files)
{
    for (const spot_option_t *row = call->command->options; row->name != NULL; row++) {
        const void *target = (const char *) call->arguments + row->offset;
        const bool is_list = kind == SPOT_OPTION_ARGUMENTS;
        const spot_option_list_t *list = target;

        for (size_t j = 0;
             row->kind == kind && row->words == NULL && j < (is_list ? list->num_texts : 1); j++) {
            spot_option_list_add(files, is_list ? list->texts[j] : *(const char *const *) target);
        }
    }
}

int spot_options_check_files(spot_call_t *call)
{
    spot_option_list_t inputs = {0}, outputs = {0};
    int ret;

    list_files(call, SPOT_OPTION_ARGUMENT, &inputs);
    list_files(call, SPOT_OPTION_ARGUMENTS, &inputs);
    list_files(call, SPOT_OPTION_INPUT, &inputs);
    list_files(call, SPOT_OPTION_WRITTEN, &outputs);
    ret = spot_files_check((spot_files_t){inputs.num_texts, inputs.texts},
        (spot_files_t){outputs.num_texts, outputs.texts}, &call->diag);
    for (const spot_option_t *row = call->command->options; row->name != NULL; row++) {
        if (row->kind == SPOT_OPTION_PICTURES) {
            const char *folder = *(const char *const *) ((char *) call->arguments + row->offset);

            ret = ret != 0 ? ret : spot_pictures_check(shown_name(call, row), folder, &call->diag);
        }
    }
    free(inputs.texts);
    free(outputs.texts);
    return ret;
}
