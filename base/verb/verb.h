/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a verb is: one thing that the program does, such as `serve plan`, as a table of the room
 * that knows it.
 *
 * A verb is one const spot_verb_t: a struct for its arguments, a table of options, and run(). The
 * room lists its verbs, the program lists the rooms (cli/command.h): it parses the words into the
 * arguments, makes --help, the manual page and the completion of shells of the table, runs the
 * verb, prints what went wrong and returns the exit code. What a verb has to say are tables,
 * pictures and text (base/verb/output.h): the forms that these are printed in belong to the
 * program.
 *
 * The module owns what verbs share: wrong command lines, lists of texts, the line of progress of
 * work that counts units, and INT, TERM and HUP. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/name_match.h"
#include "base/verb/output.h"
#include "base/watch.h"

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
struct spot_verb;
typedef struct spot_option spot_option_t;

struct spot_option {
    spot_option_kind_t kind;
    const char *name;  /* "seed"; of an argument what it is: "a scenario file" */
    char letter;       /* 'o', or 0 */
    const char *value; /* "FILE"; NULL for flags */
    size_t offset;     /* in the struct of the verb's arguments */
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

/* The struct whose members rows name. A file of several verbs defines it again before the
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

/* Rows of several verbs. */
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

/* ---- Verbs ---- */

enum {
    SPOT_EXIT_GOOD = 0,
    SPOT_EXIT_FAILED = 1,
    SPOT_EXIT_BAD_INPUT = 2, /* usage too */
    SPOT_EXIT_LOST = 3,      /* the goal of a job that runs is lost */
    SPOT_EXIT_UNDECIDED = 4, /* the runs do not show whether it is yes or no */
    SPOT_EXIT_INTERRUPTED = 130
};

typedef struct spot_verb spot_verb_t;

/* A verb at work. */
typedef struct spot_call {
    const spot_verb_t *verb;
    int argc; /* of the command line, for databases to note */
    char **argv;
    void *arguments; /* the struct that the options are stored in */
    bool is_quiet;   /* -q: warnings are dropped at the end */
    bool is_reading; /* set at first: what cannot be read now is bad input. The verb
                        clears it when all is read */
    spot_diag_t diag;
    spot_texts_t texts; /* that live as long as the call */
} spot_call_t;

struct spot_verb {
    const char *name;      /* "trace generate" */
    const char *arguments; /* "SCENARIO" */
    const char *summary;   /* one line */
    const char *doc;       /* paragraphs, for --help and the manual */
    const char *examples;  /* one command line each, up to 80 columns */
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

/* ---- Progress ---- */

/* How far work is that counts units, on standard error: a line that is written over and over. */
typedef struct {
    const char *unit; /* what is counted: "traces" */
    double started_s;
    double told_s;
    bool is_shown; /* it is to be cleared */
} spot_counter_t;

/* Starts the clock. A line on a terminal, nothing elsewhere or if is_quiet. The watch stops the
 * work after Ctrl-C. self must not move. */
spot_watch_t spot_counter_watch(spot_counter_t *self, const char *unit, bool is_quiet);

/* Clears the line. */
void spot_counter_finish(spot_counter_t *self);

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
