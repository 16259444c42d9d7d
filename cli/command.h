/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a command is, and what all commands share. Arguments in, exit code out. */
#ifndef SPOT_CLI_COMMAND_H
#define SPOT_CLI_COMMAND_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "sim/store/store.h"

enum {
    SPOT_EXIT_GOOD = 0,
    SPOT_EXIT_FAILED = 1,
    SPOT_EXIT_BAD_INPUT = 2, /* usage too */
    SPOT_EXIT_INTERRUPTED = 130
};

typedef struct {
    const char *name;      /* "trace generate" */
    const char *arguments; /* "SCENARIO" */
    const char *summary;   /* one line */
    const char *doc;       /* paragraphs, for --help and the manual */
    const char *examples;  /* one command a line */
    const struct argp_option *options;
    /* The doc of the j-th thing that is listed behind doc, its name in *name, or NULL
     * behind the last; the function may be NULL. */
    const char *(*item)(size_t j, const char **name);
    int (*run)(int argc, char **argv); /* argv[0] is the command's full name */
} spot_command_t;

extern const spot_command_t spot_command_trace_describe;
extern const spot_command_t spot_command_trace_convert;
extern const spot_command_t spot_command_trace_fit;
extern const spot_command_t spot_command_trace_compare;
extern const spot_command_t spot_command_trace_generate;
extern const spot_command_t spot_command_profile;
extern const spot_command_t spot_command_model_fit;
extern const spot_command_t spot_command_run;
extern const spot_command_t spot_command_study;
extern const spot_command_t spot_command_compare;
extern const spot_command_t spot_command_merge;
extern const spot_command_t spot_command_export;
extern const spot_command_t spot_command_report;
extern const spot_command_t spot_command_theory_checkpoint;
extern const spot_command_t spot_command_engine;
extern const spot_command_t spot_command_recovery;
extern const spot_command_t spot_command_help;

/* Every command, in the order of the manual, NULL-terminated. */
extern const spot_command_t *const spot_commands[];

/* Parses the arguments of a command by its options; exits with 2 on a usage error and
 * with 0 after --help. parse gets each option's key and ARGP_KEY_ARG for each argument.
 */
void spot_command_parse(const spot_command_t *command, int argc, char **argv,
    argp_parser_t parse, void *input);

/* Values of options; a wrong one is a usage error. */
int64_t spot_option_integer(
    struct argp_state *state, const char *option, const char *text, int64_t min);
int64_t spot_option_duration_ms(
    struct argp_state *state, const char *option, const char *text);
int64_t spot_option_duration_from_0_ms(
    struct argp_state *state, const char *option, const char *text);

/* The same where a plain number is in seconds. */
int64_t spot_option_seconds_ms(
    struct argp_state *state, const char *option, const char *text);

/* Reports a wrong command line and ends the program; what it quotes is escaped. */
void spot_option_error(struct argp_state *state, const char *format, ...)
    SPOT_PRINTF(2, 3);

/* The file that an option names. An ending of some file format must be among endings,
 * such as ".csv or .db"; "" for plain text. Names with other endings, or none, are good.
 */
const char *spot_option_file(
    struct argp_state *state, const char *option, const char *text, const char *endings);

bool spot_has_suffix(const char *path, const char *suffix);

/* The one argument of a command, e.g. "a scenario file": what parse does with every key
 * that is no option. */
error_t spot_option_argument(struct argp_state *state, int key, const char *text,
    const char **argument, const char *what);

/* The texts of an option that may be given several times. */
typedef struct {
    size_t num_texts;
    size_t max_texts;
    const char **texts; /* [num_texts] borrowed from argv */
} spot_option_list_t;

void spot_option_list_add(spot_option_list_t *self, const char *text);

/* Files of a command, NULLs are passed over; "-" is no file. */
typedef struct {
    size_t num_paths;
    const char *const *paths; /* [num_paths] */
} spot_command_files_t;

/* Before long work: whether every output can be written, and none is one of the inputs,
 * which would be lost, or another output. BAD_INPUT, IO with the reason in diag. */
SPOT_MUST_CHECK int spot_command_check_outputs(
    spot_command_files_t inputs, spot_command_files_t outputs, spot_diag_t *diag);

/* Opens a store for reading only; from now on the first signal stops the reading. Errors
 * of spot_store_open_sqlite_reader(). */
SPOT_MUST_CHECK int spot_command_open_store(
    spot_store_t **store, const char *path, spot_diag_t *diag);

/* Prints and frees the diagnostics and turns an error into an exit code. */
int spot_command_finish(spot_diag_t *diag, int error);

/* The same where only reading was tried: whatever failed is bad input, but for a lack of
 * file descriptors. */
int spot_command_finish_reading(spot_diag_t *diag, int error);

#endif
