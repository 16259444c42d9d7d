/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Running a study that was read: the store, the progress, an interrupt and the results.
 * What `spotsim study` and `spotsim compare` share. */
#ifndef SPOT_CLI_STUDY_TASK_H
#define SPOT_CLI_STUDY_TASK_H

#include <argp.h>

#include "cli/study_progress.h"
#include "cli/study_results.h"
#include "sim/study/study.h"

typedef struct {
    const char *input_path; /* that the study was read from: no output may replace it */
    const char *store_path; /* a database; NULL: results are kept in memory */
    spot_study_results_t results;
    const char *progress_path; /* picture of the first replications; may be NULL */
    int64_t num_threads;
    const char *shard; /* "I/N", or "" */
    int64_t shard_id;
    int64_t num_shards;
    spot_progress_form_t progress;
    int argc; /* the command, for the database to note */
    char **argv;
} spot_study_task_t;

/* All processors, no outputs. */
void spot_study_task_init(spot_study_task_t *self, int argc, char **argv);

/* A name that says it is a database; path may be NULL. */
bool spot_study_task_is_store(const char *path);

/* Values of --threads and --progress; a wrong one is a usage error. */
void spot_study_task_threads(
    spot_study_task_t *self, struct argp_state *state, const char *text);
void spot_study_task_progress(
    spot_study_task_t *self, struct argp_state *state, const char *text);

/* JSON and CSV cannot both go to standard output: a usage error that names the option of
 * the CSV. */
void spot_study_task_check_json(
    const spot_study_task_t *self, struct argp_state *state, const char *csv_option);

/* Before the two below: with a database the study keeps its ledger too, unless the
 * database was begun without it. NO_MEMORY. */
SPOT_MUST_CHECK int spot_study_task_keep_ledger(
    const spot_study_task_t *self, spot_study_t *study);

/* Checks the outputs, runs what is missing in the store and writes the results. Errors
 * of spot_study_run() and of writing, with the reasons in diag. */
SPOT_MUST_CHECK int spot_study_task_run(
    const spot_study_task_t *self, const spot_study_t *study, spot_diag_t *diag);

/* Prints the runs of a study and, with a database, how many of them it has. Errors of
 * reading it, with the reasons in diag. */
SPOT_MUST_CHECK int spot_study_task_plan(
    const spot_study_task_t *self, const spot_study_t *study, spot_diag_t *diag);

#endif
