/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a command is, and what all commands share. Arguments in, exit code out. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/memory.h"
#include "cli/options.h"
#include "cli/output.h"
#include "sim/bench/analysis/race.h"
#include "sim/bench/store/store.h"

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

/* Settles --pipelines or --depths of a spot_step_range_t: "4-32", or "8" for "8-8". */
void spot_model_take_range(spot_call_t *call, const spot_option_t *option, const char *text);

/* Starts a search for the name nearest to name, among those of all commands. */
void spot_command_suggest(spot_suggest_t *near, const char *name);

/* The command that the first one or two words name, and how many these are, or NULL. */
const spot_command_t *spot_command_match(int num_words, char *const *words, int *num_used);

/* Parses, runs and prints what went wrong. argv[0] is replaced by "spotsim NAME".
 * Returns the exit code. */
int spot_command_call(const spot_command_t *command, int argc, char **argv);

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
