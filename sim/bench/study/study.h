/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A parameter study: a scenario, the values of its swept keys, and how many replications
 * each point gets. It runs any experiment and puts the rows into a store.
 *
 * A study is read here, from files or from documents in memory; run.h runs it, worker.h
 * runs single replications of it, compare.h makes one of a comparison. */
#pragma once

#include "base/bind.h"
#include "sim/bench/engine/scenario_file.h"
#include "sim/bench/store/origin.h"
#include "sim/bench/study/reading.h"
#include "sim/bench/study/study_state.h"

/* Every key with its help, for parsing and for the manual. */
extern const spot_field_t spot_study_fields[];

/* What --seed, from 0, and --replications, from 1, give of a study; other values: not given. given:
 * [2]. Returns their number. */
size_t spot_study_give(spot_yaml_given_t *given, int64_t seed, int64_t num_replications);

/* Reads a study file and binds every point of it, so that all errors are known before
 * the first run. engines: those that a scenario may name, up to NULL. changes may be NULL. The KEY
 * of a set is a study's own ("replications.count"), a swept one (its values are replaced), or a
 * scenario's; what is given is a study's own. BAD_INPUT, IO, NO_MEMORY with the reasons in diag;
 * free self even then. */
SPOT_MUST_CHECK int spot_study_read(spot_study_t *self, const spot_experiment_t *const *engines,
    const char *path, const spot_scenario_changes_t *changes, spot_diag_t *diag);

/* Documents that were made in memory. */
typedef struct {
    spot_yaml_t *study;
    spot_yaml_t *scenario; /* zeroed unless it is a document of its own */
    const char *path;      /* files are noted relative to its folder */
    bool is_comparison;
    const spot_scenario_changes_t *changes; /* as of spot_study_read() */
} spot_study_source_t;

/* The same for such documents, which the study takes over. */
SPOT_MUST_CHECK int spot_study_init(spot_study_t *self, const spot_experiment_t *const *engines,
    const spot_study_source_t *source, spot_diag_t *diag);

void spot_study_free(spot_study_t *self);

/* The file_id-th file that its scenario was read from, or NULL. */
const char *spot_study_file(const spot_study_t *self, size_t file_id);

/* Before a store in memory is opened: BAD_INPUT with the reason in diag if its rows would
 * take more than spot_memory_limit(). */
SPOT_MUST_CHECK int spot_study_check_memory(const spot_study_t *self, spot_diag_t *diag);

/* The same before a database is opened, which keeps the rows but not the series that are on
 * their way to it: those of a point at a time. */
SPOT_MUST_CHECK int spot_study_check_recordings(const spot_study_t *self, spot_diag_t *diag);

/* ---- What the rows depend on and where they were made ---- */

/* A provenance that owns its texts. */
typedef struct {
    spot_provenance_t provenance;
    char *canonical;
    char sha256[SPOT_SHA256_TEXT_BYTES];
    char *texts; /* the libraries, the machine and the command line */
} spot_study_provenance_t;

/* argv: [argc] the command. The caller fills in threads and shard. NO_MEMORY; free self
 * even then. */
SPOT_MUST_CHECK int spot_study_provenance_init(
    spot_study_provenance_t *self, const spot_study_t *study, int argc, char *const *argv);
void spot_study_provenance_free(spot_study_provenance_t *self);
