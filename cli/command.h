/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program's loop over verbs (base/verb/verb.h): which there are, options, help, a call.
 *
 * main() finds a verb; spot_verb_call() parses the words into the arguments, runs the verb, prints
 * what went wrong and returns the exit code. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/error.h"
#include "base/name_match.h"
#include "base/verb/verb.h"
#include "reports/help.h"
#include "sim/bench/analysis/race.h"
#include "sim/bench/store/store.h"

/* ---- Options ---- */

/* The j-th option of a verb, its own first, then --max-memory, --quiet,
 * --help, --usage and --version, which all have; NULL behind the last. */
const spot_option_t *spot_option_at(const struct spot_verb *verb, size_t j);

/* The j-th word or choice that the value may be, or NULL behind the last. */
const char *spot_option_word(const spot_option_t *self, size_t j);

/* Whether a row is a word of the command line, not an option. */
bool spot_option_is_argument(const spot_option_t *self);

/* The row of the argument_id-th word that is no option, or NULL. *noun: what it is, or
 * what is expected in its place. */
const spot_option_t *spot_option_argument(
    const struct spot_verb *verb, size_t argument_id, const char **noun);

/* ---- Verbs ---- */

static inline int spot_exit_of_verdict(spot_verdict_t verdict)
{
    return verdict == SPOT_VERDICT_YES  ? SPOT_EXIT_GOOD
           : verdict == SPOT_VERDICT_NO ? SPOT_EXIT_FAILED
                                        : SPOT_EXIT_UNDECIDED;
}

extern const spot_verb_t spot_verb_run;
extern const spot_verb_t spot_verb_study;
extern const spot_verb_t spot_verb_compare;
extern const spot_verb_t spot_verb_merge;
extern const spot_verb_t spot_verb_export;
extern const spot_verb_t spot_verb_report;
extern const spot_verb_t spot_verb_advise;
extern const spot_verb_t spot_verb_init;
extern const spot_verb_t spot_verb_check;
extern const spot_verb_t spot_verb_engine;
extern const spot_verb_t spot_verb_recovery;
extern const spot_verb_t spot_verb_keys;
extern const spot_verb_t spot_verb_completion;
extern const spot_verb_t spot_verb_help;

/* The verb with this number in the order of the manual, or NULL behind the last. O(verbs). */
const spot_verb_t *spot_verb_at(size_t verb_id);

/* The verb with this name, or NULL. */
const spot_verb_t *spot_verb_find(const char *name);

/* Starts a search for the name nearest to name, among those of all verbs. */
void spot_verb_suggest(spot_suggest_t *near, const char *name);

/* Parses, runs and prints what went wrong. argv[0] is replaced by "spotsim NAME".
 * Returns the exit code. */
int spot_verb_call(const spot_verb_t *verb, int argc, char **argv);

/* What "spotsim COMMAND --help" prints. */
void spot_verb_print_help(const spot_verb_t *verb, FILE *out);

/* Its options, those of all verbs, and what else is listed, for help and the manual. */
void spot_verb_put_lists(const spot_help_t *doc, const spot_verb_t *verb);

/* A document for the terminal that standard output is. */
spot_help_t spot_help_of_terminal(FILE *out);

/* What "spotsim --version" prints; its first line is for programs: "spotsim VERSION
 * (COMMIT)". */
void spot_verb_print_version(void);

/* Before the program ends: what went well may still be stuck on its way out. Returns the
 * exit code. A reader that has seen enough, such as head, is no failure: the program
 * ends by SIGPIPE then, as others do. */
int spot_verb_close_stdout(int exit_code);

/* Opens a store for reading only: later a signal may end the program, and no file of SQLite stays
 * beside it. What is printed ends with the reading, which looks at spot_stop. INTERRUPTED; errors
 * of spot_store_open_sqlite_reader(). */
SPOT_MUST_CHECK int spot_verb_open_store(spot_store_t **store, const char *path, spot_diag_t *diag);

/* Closes a store that may be NULL. Returns why it could not be read or written, else
 * error. */
SPOT_MUST_CHECK int spot_verb_close_store(spot_store_t *store, int error, spot_diag_t *diag);
