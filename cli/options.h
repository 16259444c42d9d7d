/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of a command as a table. Parsing, --help, the manual page and the
 * completion of shells are made from it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/name_match.h"

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

/* A row of the table; member is one of arguments_t. The last argument is the help, and
 * may be followed by designators. */
#define SPOT_OPTION(kind_, name_, letter_, value_, member_, ...)                                   \
    {                                                                                              \
        .kind = SPOT_OPTION_##kind_, .name = (name_), .letter = (letter_), .value = (value_),      \
        .offset = offsetof(arguments_t, member_), .help = __VA_ARGS__                              \
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

/* Parses the words of a call by the table of its command into its arguments. Ends the
 * program with exit code 2 after a usage error, with 0 after --help. */
void spot_options_parse(struct spot_call *call);

/* Reports a wrong command line and ends the program with exit code 2; what it quotes is
 * escaped. */
SPOT_NORETURN void spot_usage_error(const struct spot_call *call, const char *format, ...)
    SPOT_PRINTF(2, 3);

/* For settle and check: a usage error if the options go against a rule. */
void spot_usage_refuse(const struct spot_call *call, bool is_wrong, const char *message);

/* Before work: whether the files that the options name can be written, and replace no
 * input. Errors of spot_files_check() and spot_pictures_check(). */
SPOT_MUST_CHECK int spot_options_check_files(struct spot_call *call);

/* For settle and check: a usage error unless a file, which may be NULL, has one of the
 * endings. */
void spot_option_check_ending(
    const struct spot_call *call, const char *option, const char *path, const char *endings);

/* ", did you mean "NAME"?", or "" where no name is near. */
const char *spot_option_hint(struct spot_call *call, const spot_suggest_t *near);

bool spot_has_suffix(const char *path, const char *suffix);
