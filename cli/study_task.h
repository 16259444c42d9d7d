/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Running a study that was read: the store, the progress, an interrupt and the results.
 * What `spotsim study` and `spotsim compare` share. */
#pragma once

#include "cli/command.h"
#include "cli/progress.h"

typedef struct {
    const char *input_path;       /* that the study was read from: no output may replace it */
    const char *store_path;       /* a database; NULL: results are kept in memory */
    bool is_json;                 /* the results, instead of the table */
    const char *csv_path;         /* "-": standard output, instead of the table; NULL: none */
    const char *plot_path;        /* pictures: of the results, may be NULL */
    const char *bars_path;        /* of what each point is made of; the same */
    const char *progress_path;    /* of the first replications; the same */
    const char *cdf_path;         /* of their distributions; the same */
    const char *sensitivity_path; /* indices as CSV; the same */
    int64_t num_threads;
    const char *shard; /* "I/N", or NULL */
    int64_t shard_id;
    int64_t num_shards;
    int progress; /* spot_progress_form_t */
    spot_call_t *call;
} spot_study_task_t;

/* Takes from a call what is common to all: by default all processors. */
void spot_study_task_init(spot_study_task_t *self, spot_call_t *call);

/* A name that says it is a database; path may be NULL. */
bool spot_study_task_is_store(const char *path);

/* JSON and CSV cannot both go to standard output: a usage error that names the option of
 * the CSV. */
void spot_study_task_check_json(
    const spot_study_task_t *self, const spot_call_t *call, const char *csv_option);

/* The rows of options that both commands have; the task is a member of arguments_t. */
#define SPOT_OPTION_THREADS                                                                        \
    SPOT_OPTION(COUNT, "threads", 0, "N", task.num_threads,                                        \
        "Threads to run on (default: all processors); the results are the same", .min = 1,         \
        .max = 1024)
#define SPOT_OPTION_PROGRESS                                                                       \
    SPOT_OPTION(CHOICE, "progress", 0, "FORM", task.progress,                                      \
        "The form of the progress on standard error: auto (default: line on a "                    \
        "terminal, else lines), line, lines (every 10 s), json (an object a line, "                \
        "every s), none",                                                                          \
        .choices = spot_progress_form_names)

/* The exit code of a study with conditions by what its race says of them: GOOD where a
 * point is shown to keep them, FAILED where none can, UNDECIDED where that is open. GOOD
 * without conditions. Errors of reading. */
SPOT_MUST_CHECK int spot_study_task_verdict(const spot_store_t *store);

/* Checks the outputs, runs what is missing in the store and writes the results. With a
 * database the study keeps its ledger too, unless the database was begun without it.
 * An exit code above 0 of the verdict. Errors of spot_study_run() and of writing, with the reasons
 * in the diag of the call.
 */
SPOT_MUST_CHECK int spot_study_task_run(const spot_study_task_t *self, spot_study_t *study);

/* Prints the runs of a study and, with a database, how many of them it has. Errors of
 * reading it, with the reasons in the diag of the call. */
SPOT_MUST_CHECK int spot_study_task_plan(const spot_study_task_t *self, spot_study_t *study);
