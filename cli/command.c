/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/outfile.h"
#include "base/stop.h"
#include "base/units.h"
#include "base/utf8.h"
#include "cli/interrupt.h"
#include "sim/store/store_sqlite.h"

const spot_command_t *const spot_commands[] = {
    &spot_command_run,
    &spot_command_study,
    &spot_command_compare,
    &spot_command_engine,
    &spot_command_recovery,
    &spot_command_merge,
    &spot_command_export,
    &spot_command_report,
    &spot_command_trace_convert,
    &spot_command_trace_describe,
    &spot_command_trace_fit,
    &spot_command_trace_generate,
    &spot_command_trace_compare,
    &spot_command_profile,
    &spot_command_theory_checkpoint,
    &spot_command_model_fit,
    &spot_command_help,
    NULL,
};

/* The text that argp prints: the doc before the options, the examples behind them. */
static char *
join_help(const spot_command_t *command)
{
    char *text = NULL;
    size_t num_bytes;
    FILE *stream = open_memstream(&text, &num_bytes);
    const char *name, *doc;

    if (stream == NULL) {
        return NULL;
    }
    fprintf(stream, "%s\v%s\n", command->summary, command->doc);
    for (size_t j = 0; command->item != NULL && (doc = command->item(j, &name)) != NULL;
         j++) {
        fprintf(stream, "  %-11s %s\n", name, doc);
    }
    fprintf(stream, "\nExamples:\n%s", command->examples);
    if (fclose(stream) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* ---- What getopt prints of a command line ---- */

#define FIRST_LONG 256 /* above all characters */

/* The options of a command and those of argp itself, for getopt. */
typedef struct {
    struct option longs[64];
    size_t num_longs;
    char shorts[128]; /* "ab:c" */
    size_t num_shorts;
} getopt_table_t;

static void
add_option(getopt_table_t *self, const char *name, int key, bool has_value)
{
    spot_bug_assert(self->num_longs + 1 < sizeof(self->longs) / sizeof(*self->longs));
    /* options of one value would not be ambiguous */
    self->longs[self->num_longs] = (struct option){.name = name,
        .has_arg = has_value ? required_argument : no_argument,
        .val = FIRST_LONG + (int) self->num_longs};
    self->num_longs++;
    if (key > ' ' && key <= '~') {
        spot_bug_assert(self->num_shorts + 2 < sizeof(self->shorts));
        self->shorts[self->num_shorts++] = (char) key;
        if (has_value) {
            self->shorts[self->num_shorts++] = ':';
        }
    }
}

/* Whether getopt will complain of the command line. */
static bool
is_refused(const spot_command_t *command, int argc, char **argv)
{
    getopt_table_t table = {.num_longs = 0};
    char **copy = spot_calloc((size_t) argc + 1, sizeof(*copy)); /* getopt sorts it */
    bool is_bad = false;
    int key;

    if (copy == NULL) {
        return false;
    }
    memcpy(copy, argv, (size_t) argc * sizeof(*copy));
    for (const struct argp_option *option = command->options;
         option != NULL && option->name != NULL; option++) {
        add_option(&table, option->name, option->key, option->arg != NULL);
    }
    add_option(&table, "help", '?', false);
    add_option(&table, "usage", 0, false);
    opterr = 0;
    do {
        key = getopt_long(argc, copy, table.shorts, table.longs, NULL);
        is_bad = is_bad || key == '?';
    } while (key != -1);
    free(copy);
    return is_bad;
}

static char *
printed(const char *text)
{
    char *copy = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&copy, &num_bytes);

    if (out != NULL) {
        spot_utf8_print(out, text);
        fclose(out);
    }
    return copy;
}

/* getopt quotes an option that it does not know as it is. The program ends with that, so
 * that nothing else needs the arguments. */
static void
escape_refused(const spot_command_t *command, int argc, char **argv)
{
    if (!is_refused(command, argc, argv)) {
        return;
    }
    for (int j = 1; j < argc; j++) {
        char *text = printed(argv[j]);

        argv[j] = text == NULL ? argv[j] : text;
    }
}

void
spot_command_parse(const spot_command_t *command, int argc, char **argv,
    argp_parser_t parse, void *input)
{
    char *help = join_help(command);
    const struct argp argp = {.options = command->options,
        .parser = parse,
        .args_doc = command->arguments[0] == '\0' ? NULL : command->arguments,
        .doc = help};
    error_t error;

    escape_refused(command, argc, argv);
    argp_err_exit_status = SPOT_EXIT_BAD_INPUT;
    error = argp_parse(&argp, argc, argv, 0, NULL, input);
    free(help);
    if (error != 0) {
        fprintf(stderr, "%s: %s\n", argv[0], strerror(error));
        exit(SPOT_EXIT_FAILED);
    }
}

void
spot_option_error(struct argp_state *state, const char *format, ...)
{
    char *message = NULL, *shown = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&message, &num_bytes);
    va_list arguments;

    if (out != NULL) {
        va_start(arguments, format);
        vfprintf(out, format, arguments);
        va_end(arguments);
        fclose(out);
        shown = printed(message);
    }
    free(message);
    argp_error(state, "%s", shown == NULL ? spot_error_text(SPOT_ERR_NO_MEMORY) : shown);
    free(shown);
}

int64_t
spot_option_integer(
    struct argp_state *state, const char *option, const char *text, int64_t min)
{
    int64_t value = 0;

    if (spot_integer_parse(text, &value) != 0 || value < min) {
        spot_option_error(state, "%s: expected an integer from %lld, got \"%s\"", option,
            (long long) min, text);
    }
    return value;
}

static int64_t
duration_ms_from(struct argp_state *state, const char *option, const char *text,
    int64_t min_ms, const char *range)
{
    const char *problem = "";
    int64_t duration_ms = 0;

    if (spot_duration_parse(text, &duration_ms, &problem) != 0 || duration_ms < min_ms) {
        spot_option_error(state,
            "%s: expected a duration %s 0 such as \"355 min\", got \"%s\"", option,
            range, text);
    }
    return duration_ms;
}

int64_t
spot_option_duration_ms(struct argp_state *state, const char *option, const char *text)
{
    return duration_ms_from(state, option, text, 1, "above");
}

int64_t
spot_option_duration_from_0_ms(
    struct argp_state *state, const char *option, const char *text)
{
    return duration_ms_from(state, option, text, 0, "from");
}

int64_t
spot_option_seconds_ms(struct argp_state *state, const char *option, const char *text)
{
    const char *problem = "";
    int64_t duration_ms = 0;
    double duration_s;
    const int ret = spot_number_parse(text, &duration_s) == 0
                        ? spot_duration_from_s(duration_s, &duration_ms)
                        : spot_duration_parse(text, &duration_ms, &problem);

    if (ret != 0 || duration_ms <= 0) {
        spot_option_error(
            state, "%s: expected seconds above 0 such as 600, got \"%s\"", option, text);
    }
    return duration_ms;
}

bool
spot_has_suffix(const char *path, const char *suffix)
{
    const size_t num_bytes = strlen(path), length = strlen(suffix);

    return num_bytes >= length && strcmp(path + num_bytes - length, suffix) == 0;
}

/* Whether a word of a list such as ".svg or .html" is the text, in any case. */
static bool
is_among(const char *text, const char *words)
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

const char *
spot_option_file(
    struct argp_state *state, const char *option, const char *text, const char *endings)
{
    static const char formats[] =
        ".csv .tsv .json .jsonl .ndjson .yaml .yml .html .htm .svg .png .pdf .jpg .jpeg "
        ".gif .webp .eps .ps .tex .md .db .sqlite .sqlite3 .xls .xlsx .ods .parquet "
        ".feather .xml .gz .bz2 .xz .zst .zip .tar";
    const char *slash = strrchr(text, '/');
    const char *dot = strrchr(slash == NULL ? text : slash, '.');

    if (dot == NULL || !is_among(dot, formats) || is_among(dot, endings)) {
        return text;
    }
    if (endings[0] == '\0') {
        spot_option_error(state, "%s: expected a text file, got \"%s\"", option, text);
    } else {
        spot_option_error(state, "%s: expected a file that ends in %s, got \"%s\"",
            option, endings, text);
    }
    return text;
}

error_t
spot_option_argument(struct argp_state *state, int key, const char *text,
    const char **argument, const char *what)
{
    switch (key) {
        case ARGP_KEY_ARG:
            if (*argument != NULL) {
                spot_option_error(state, "expected %s, got \"%s\" too", what, text);
            }
            *argument = text;
            return 0;
        case ARGP_KEY_END:
            if (*argument == NULL) {
                spot_option_error(state, "expected %s", what);
            }
            return 0;
        default:
            return ARGP_ERR_UNKNOWN;
    }
}

void
spot_option_list_add(spot_option_list_t *self, const char *text)
{

    if (spot_array_reserve(&self->texts, &self->max_texts, self->num_texts + 1,
            sizeof(*self->texts)) != 0) {
        fprintf(stderr, "spotsim: out of memory\n");
        exit(SPOT_EXIT_FAILED);
    }
    self->texts[self->num_texts++] = text;
}

static bool
is_file(const char *path)
{
    return path != NULL && strcmp(path, "-") != 0;
}

static bool
is_same_file(const char *path, const char *other)
{
    struct stat a, b;

    return is_file(path) && is_file(other) && stat(path, &a) == 0 &&
           stat(other, &b) == 0 && S_ISREG(a.st_mode) && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

/* Results may lie in it that took days. */
static bool
is_database(const char *path)
{
    static const char magic[] = "SQLite format 3";
    FILE *stream = is_file(path) ? fopen(path, "rb") : NULL;
    char bytes[sizeof(magic)] = "";
    size_t num_bytes = 0;

    if (stream != NULL) {
        num_bytes = fread(bytes, 1, sizeof(bytes), stream);
        fclose(stream);
    }
    return num_bytes == sizeof(magic) && memcmp(bytes, magic, sizeof(magic)) == 0;
}

/* NULL: nothing. */
static const char *
why_not_there(spot_command_files_t inputs, spot_command_files_t outputs, size_t id)
{
    const char *path = outputs.paths[id];

    for (size_t j = 0; j < inputs.num_paths; j++) {
        if (is_same_file(path, inputs.paths[j]) ||
            (is_file(path) && is_file(inputs.paths[j]) &&
                strcmp(path, inputs.paths[j]) == 0)) {
            return "is an input, which the output would replace: expected another file";
        }
    }
    if (is_database(path)) {
        return "is a database, which the output would replace: expected another file";
    }
    for (size_t j = 0; j < id; j++) {
        if (is_file(path) && outputs.paths[j] != NULL &&
            strcmp(path, outputs.paths[j]) == 0 && strncmp(path, "/dev/", 5) != 0) {
            return "two outputs cannot go to one file";
        }
    }
    return NULL;
}

int
spot_command_check_outputs(
    spot_command_files_t inputs, spot_command_files_t outputs, spot_diag_t *diag)
{
    int ret = 0;

    for (size_t j = 0; j < outputs.num_paths && ret == 0; j++) {
        const char *reason = why_not_there(inputs, outputs, j);

        if (reason != NULL) {
            spot_diag_error(diag, outputs.paths[j], 0, 0, "%s", reason);
            ret = SPOT_ERR_BAD_INPUT;
        } else if (is_file(outputs.paths[j])) {
            ret = spot_outfile_check(outputs.paths[j], diag);
        }
    }
    return ret;
}

int
spot_command_open_store(spot_store_t **store, const char *path, spot_diag_t *diag)
{
    int ret;

    spot_interrupt_watch();
    ret = spot_store_open_sqlite_reader(store, path, diag);
    if (ret == 0) {
        atomic_store(&(*store)->stop, &spot_stop);
    }
    return ret;
}

int
spot_command_finish(spot_diag_t *diag, int error)
{
    const bool is_explained = diag->num_errors > 0;

    spot_diag_close_file(diag);
    spot_diag_print(diag, stderr);
    spot_diag_free(diag);
    switch (error) {
        case 0:
            return SPOT_EXIT_GOOD;
        case SPOT_ERR_BAD_INPUT:
        case SPOT_ERR_CANNOT_RUN:
            return SPOT_EXIT_BAD_INPUT;
        case SPOT_ERR_INTERRUPTED:
            fprintf(stderr, "spotsim: interrupted\n");
            return SPOT_EXIT_INTERRUPTED;
        default:
            if (!is_explained) {
                fprintf(stderr, "spotsim: %s\n", spot_error_text(error));
            }
            return SPOT_EXIT_FAILED;
    }
}

int
spot_command_finish_reading(spot_diag_t *diag, int error)
{
    const bool is_bad = error == SPOT_ERR_IO && !diag->out_of_descriptors;

    return spot_command_finish(diag, is_bad ? SPOT_ERR_BAD_INPUT : error);
}
