/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a command is, and what all commands share: options, help, a call, signals.
 *
 * A command is one const spot_command_t in a file command_*.c, listed in spot_commands: a struct
 * for its arguments, a table of options, and run(). Parsing, --help, the manual page and the
 * completion of shells are made from the table. main() finds a command by spot_command_match();
 * spot_command_call() parses the words into the arguments, runs the command, prints what went
 * wrong and returns the exit code. What a command prints goes through cli/output.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/name_match.h"
#include "cli/output.h"
#include "sim/bench/analysis/race.h"
#include "sim/bench/store/store.h"

/* ---- Options ---- */

/* What the value of an option is, and what is stored of it. */
typedef enum {
    SPOT_OPTION_FLAG,     /* bool, true; there is no value */
    SPOT_OPTION_TEXT,     /* const char *; with words one of these */
    SPOT_OPTION_FILE,     /* const char *, with one of the endings, see spot_option_t */
    SPOT_OPTION_INPUT,    /* the same: no output may replace the file */
    SPOT_OPTION_WRITTEN,  /* the same: the file can be written, as checked before work */
    SPOT_OPTION_FOLDER,   /* const char * */
    SPOT_OPTION_PICTURES, /* the same, of pictures, as checked before work */
    SPOT_OPTION_COUNT,    /* int64_t from min to max */
    SPOT_OPTION_NUMBER,   /* double from min to max */
    SPOT_OPTION_DURATION, /* int64_t ms with a unit, at least min */
    SPOT_OPTION_SECONDS,  /* the same; a number alone is in seconds */
    SPOT_OPTION_CHOICE,   /* int, the index among choices, at least min */
    SPOT_OPTION_CHOICES,  /* unsigned, a bit for each of A,B,... among choices */
    SPOT_OPTION_TEXTS,    /* spot_option_list_t; may be given several times */
    SPOT_OPTION_OWN,      /* nothing is stored: settle takes the text */
    SPOT_OPTION_ARGUMENT, /* no option but a word: const char *, most often of an input;
                             min 1: required */
    SPOT_OPTION_ARGUMENTS /* all words that are left: spot_option_list_t, at least min */
} spot_option_kind_t;

struct spot_call;
struct spot_command;
typedef struct spot_option spot_option_t;

struct spot_option {
    spot_option_kind_t kind;
    const char *name;  /* "seed"; of an argument what it is: "a scenario file" */
    char letter;       /* 'o', or 0 */
    const char *value; /* "FILE"; NULL for flags */
    size_t offset;     /* in the struct of the command's arguments */
    const char *help;
    const char *example; /* a value, for help; or NULL */
    int64_t min, max;    /* max 0: none */
    bool is_real;        /* of a duration: it is stored as double, in seconds */
    /* Of a file: the endings that it may have, such as ".csv or .db"; names with endings
     * of no file format, or without, are good too. "": plain text. NULL: any file. */
    const char *endings;
    const char *const *choices; /* NULL-terminated */
    const char *what;           /* one of the words, for messages: "engine" */
    /* The j-th of the words that a text may be, or NULL behind the last. */
    const char *(*words)(size_t j);
    /* Called when the value is stored: may check it, and store more; or NULL. */
    void (*settle)(struct spot_call *call, const struct spot_option *option, const char *text);
};

/* The struct whose members rows name. A file of several commands defines it again before the
 * table of each. */
#define SPOT_OPTIONS_OF arguments_t

/* A row of the table; member is one of SPOT_OPTIONS_OF. The last argument is the help, and
 * may be followed by designators. */
#define SPOT_OPTION(kind_, name_, letter_, value_, member_, ...)                                   \
    {                                                                                              \
        .kind = SPOT_OPTION_##kind_, .name = (name_), .letter = (letter_), .value = (value_),      \
        .offset = offsetof(SPOT_OPTIONS_OF, member_), .help = __VA_ARGS__                          \
    }
#define SPOT_OPTION_END                                                                            \
    {                                                                                              \
        .name = NULL                                                                               \
    }

/* Rows of several commands. */
#define SPOT_OPTION_SEED(member)                                                                   \
    SPOT_OPTION(COUNT, "seed", 0, "N", member, "Seed of the random streams (default 1)")
#define SPOT_OPTION_JSON(member, help_) SPOT_OPTION(FLAG, "json", 0, NULL, member, help_)
#define SPOT_OPTION_TRACE(member)                                                                  \
    SPOT_OPTION(INPUT, "trace", 0, "FILE", member,                                                 \
        "Run on this trace file (spotsim-trace 1, .csv or .csv.gz) instead of the "                \
        "scenario's trace")
#define SPOT_OPTION_OUTPUT(member, endings_)                                                       \
    SPOT_OPTION(WRITTEN, "output", 'o', "FILE", member,                                            \
        "Write to FILE (default: standard output)", .endings = (endings_))

/* The texts of an option or argument that may be given several times. */
typedef struct {
    size_t num_texts;
    size_t max_texts;
    const char **texts; /* [num_texts] borrowed from argv */
} spot_option_list_t;

/* Both end the program with exit code 1 if there is no memory; the first is
 * spot_array_reserve(). */
void spot_option_reserve(void *items, size_t *max_items, size_t num_items, size_t item_bytes);
void spot_option_list_add(spot_option_list_t *self, const char *text);

/* The j-th option of a command, its own first, then --max-memory, --quiet,
 * --help, --usage and --version, which all have; NULL behind the last. */
const spot_option_t *spot_option_at(const struct spot_command *command, size_t j);

/* The j-th word or choice that the value may be, or NULL behind the last. */
const char *spot_option_word(const spot_option_t *self, size_t j);

/* Whether a row is a word of the command line, not an option. */
bool spot_option_is_argument(const spot_option_t *self);

/* The row of the argument_id-th word that is no option, or NULL. *noun: what it is, or
 * what is expected in its place. */
const spot_option_t *spot_option_argument(
    const struct spot_command *command, size_t argument_id, const char **noun);

/* Reports a wrong command line and ends the program with exit code 2; what it quotes is
 * escaped. */
SPOT_NORETURN void spot_usage_error(const struct spot_call *call, const char *format, ...)
    SPOT_PRINTF(2, 3);

/* For settle and check: a usage error if the options go against a rule. */
void spot_usage_refuse(const struct spot_call *call, bool is_wrong, const char *message);

/* For settle and check: a usage error unless a file, which may be NULL, has one of the
 * endings. */
void spot_option_check_ending(
    const struct spot_call *call, const char *option, const char *path, const char *endings);

/* ", did you mean "NAME"?", or "" where no name is near. */
const char *spot_option_hint(struct spot_call *call, const spot_suggest_t *near);

/* ---- Commands ---- */

enum {
    SPOT_EXIT_GOOD = 0,
    SPOT_EXIT_FAILED = 1,
    SPOT_EXIT_BAD_INPUT = 2, /* usage too */
    SPOT_EXIT_LOST = 3,      /* the goal of a job that runs is lost */
    SPOT_EXIT_UNDECIDED = 4, /* the runs do not show whether it is yes or no */
    SPOT_EXIT_INTERRUPTED = 130
};

static inline int spot_exit_of_verdict(spot_verdict_t verdict)
{
    return verdict == SPOT_VERDICT_YES  ? SPOT_EXIT_GOOD
           : verdict == SPOT_VERDICT_NO ? SPOT_EXIT_FAILED
                                        : SPOT_EXIT_UNDECIDED;
}

typedef struct spot_command spot_command_t;

/* A command at work. */
typedef struct spot_call {
    const spot_command_t *command;
    int argc; /* of the command line, for databases to note */
    char **argv;
    void *arguments; /* the struct that the options are stored in */
    bool is_quiet;   /* -q: warnings are dropped at the end */
    bool is_reading; /* set at first: what cannot be read now is bad input. The command
                        clears it when all is read */
    spot_diag_t diag;
    spot_texts_t texts; /* that live as long as the call */
} spot_call_t;

struct spot_command {
    const char *name;      /* "trace generate" */
    const char *arguments; /* "SCENARIO" */
    const char *summary;   /* one line */
    const char *doc;       /* paragraphs, for --help and the manual */
    const char *examples;  /* one command a line, up to 80 columns */
    const spot_option_t *options;
    const char *quiet; /* what -q leaves out, if not warnings and progress */
    /* The doc of the j-th thing that is listed behind doc, its name in *name, or NULL
     * behind the last; the function may be NULL. */
    const char *(*item)(size_t j, const char **name);
    size_t arguments_bytes;           /* of the struct that the options are stored in */
    const void *initial;              /* what it has before; NULL: zeros */
    void (*check)(spot_call_t *call); /* the options together; may be NULL */
    /* Returns an error, with its reason in the call's diag, 0, or an exit code above
     * 0. */
    int (*run)(spot_call_t *call);
};

extern const spot_command_t spot_command_trace_describe;
extern const spot_command_t spot_command_price_convert;
extern const spot_command_t spot_command_price_describe;
extern const spot_command_t spot_command_trace_convert;
extern const spot_command_t spot_command_trace_fit;
extern const spot_command_t spot_command_trace_compare;
extern const spot_command_t spot_command_trace_generate;
extern const spot_command_t spot_command_tasks;
extern const spot_command_t spot_command_profile;
extern const spot_command_t spot_command_model_fit;
extern const spot_command_t spot_command_model_estimate;
extern const spot_command_t spot_command_model_presets;
extern const spot_command_t spot_command_schedule_import;
extern const spot_command_t spot_command_schedule_assign;
extern const spot_command_t spot_command_schedule_check;
extern const spot_command_t spot_command_schedule_estimate;
extern const spot_command_t spot_command_schedule_forecast;
extern const spot_command_t spot_command_schedule_pack_train;
extern const spot_command_t spot_command_schedule_fit;
extern const spot_command_t spot_command_schedule_generate;
extern const spot_command_t spot_command_serve_plan;
extern const spot_command_t spot_command_serve_rate;
extern const spot_command_t spot_command_serve_frontier;
extern const spot_command_t spot_command_serve_check;
extern const spot_command_t spot_command_serve_compare;
extern const spot_command_t spot_command_serve_gen;
extern const spot_command_t spot_command_serve_fit;
extern const spot_command_t spot_command_input_table;
extern const spot_command_t spot_command_input_place;
extern const spot_command_t spot_command_input_search;
extern const spot_command_t spot_command_input_fit;
extern const spot_command_t spot_command_input_predict;
extern const spot_command_t spot_command_tasks_fit;
extern const spot_command_t spot_command_run;
extern const spot_command_t spot_command_study;
extern const spot_command_t spot_command_compare;
extern const spot_command_t spot_command_merge;
extern const spot_command_t spot_command_export;
extern const spot_command_t spot_command_report;
extern const spot_command_t spot_command_advise;
extern const spot_command_t spot_command_theory_checkpoint;
extern const spot_command_t spot_command_init;
extern const spot_command_t spot_command_check;
extern const spot_command_t spot_command_engine;
extern const spot_command_t spot_command_recovery;
extern const spot_command_t spot_command_keys;
extern const spot_command_t spot_command_completion;
extern const spot_command_t spot_command_help;

/* Every command, in the order of the manual, NULL-terminated. */
extern const spot_command_t *const spot_commands[];

/* The command with this name, or NULL. */
const spot_command_t *spot_command_find(const char *name);

/* Starts a search for the name nearest to name, among those of all commands. */
void spot_command_suggest(spot_suggest_t *near, const char *name);

/* The command that the first one or two words name, and how many these are, or NULL. */
const spot_command_t *spot_command_match(int num_words, char *const *words, int *num_used);

/* Parses, runs and prints what went wrong. argv[0] is replaced by "spotsim NAME".
 * Returns the exit code. */
int spot_command_call(const spot_command_t *command, int argc, char **argv);

/* What "spotsim COMMAND --help" prints. */
void spot_command_print_help(const spot_command_t *command, FILE *out);

/* Its options, those of all commands, and what else is listed, for help and the manual. */
void spot_command_put_lists(const spot_help_t *doc, const spot_command_t *command);

/* What "spotsim --version" prints; its first line is for programs: "spotsim VERSION
 * (COMMIT)". */
void spot_command_print_version(void);

/* Before the program ends: what went well may still be stuck on its way out. Returns the
 * exit code. A reader that has seen enough, such as head, is no failure: the program
 * ends by SIGPIPE then, as others do. */
int spot_command_close_stdout(int exit_code);

/* Opens a store for reading only: later a signal may end the program, and no file of SQLite stays
 * beside it. What is printed ends with the reading, which looks at spot_stop. INTERRUPTED; errors
 * of spot_store_open_sqlite_reader(). */
SPOT_MUST_CHECK int spot_command_open_store(
    spot_store_t **store, const char *path, spot_diag_t *diag);

/* Closes a store that may be NULL. Returns why it could not be read or written, else
 * error. */
SPOT_MUST_CHECK int spot_command_close_store(spot_store_t *store, int error, spot_diag_t *diag);

/* ---- INT, TERM and HUP ----
 *
 * They end the program within a second with exit code 130, and without a trace of the files
 * under way. Work that has nothing to save ends at once. The first signal only sets spot_stop
 *
 * - while work is watched that can stop at a good place, such as a batch of a database, and
 *   that looks at spot_stop at least five times a second;
 * - while an open spot_outfile_t is standard output, or only printing is left, so that what is
 *   printed ends with a line, unless its reader does not read.
 *
 * The second one ends the program at once. */

/* Installs the handlers. An ignored HUP stays ignored (nohup). */
void spot_interrupt_start(void);

/* From now on all that is left is to print, on standard output, what is there. */
void spot_interrupt_print_rest(void);

/* From now on, up to as many calls of unwatch, the first signal sets spot_stop. */
void spot_interrupt_watch(void);
void spot_interrupt_unwatch(void);
