/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A scenario of the engine schedule as a user writes it, YAML with files beside it, and
 * replications of it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sim/schedule/experiment.h"
#include "sim/schedule/policy.h"
#include "sim/schedule/run_recorder.h"
#include "sim/schedule/schedule.h"

/* Set-up and tear-down of a group of tests: a folder for their files. */
int schedule_folder_make(void **state);
int schedule_folder_remove(void **state);

/* Writes a file into the folder and returns its path, which is valid until the next
 * call but seven. */
const char *schedule_file(const char *name, const char *text);

typedef struct {
    void *bound;                              /* by the experiment */
    const spot_schedule_scenario_t *scenario; /* the same */
    spot_schedule_t schedule;
    spot_summaries_t summaries;
    spot_run_recorder_t recorder;
    spot_recording_t recording; /* of the latest run, if it was recorded */
    bool is_recorded;
} schedule_run_t;

/* Binds a document without its first two lines, scenario and engine. */
void schedule_run_open(schedule_run_t *self, const char *keys);
void schedule_run_close(schedule_run_t *self);

/* The messages of a document that cannot be bound; the caller frees them. */
char *schedule_run_refused(const char *keys);

/* Runs a replication and verifies all VCs. */
void schedule_run_once(schedule_run_t *self, uint64_t replication, bool is_recorded);

/* What became of the job with this id. */
spot_job_result_t schedule_run_result(const schedule_run_t *self, const char *id);

/* The summary of a VC, or of all for NULL. */
const spot_job_summary_t *schedule_run_summary(const schedule_run_t *self, const char *vc);

/* A metric of the latest run by its name, without derived ones. */
double schedule_run_metric(const schedule_run_t *self, const char *name);

/* A series of the latest run as CSV; the caller frees it. */
char *schedule_run_series(const schedule_run_t *self, const char *name);

/* All series of the latest run as CSV, which another mode of stepping must give too. */
char *schedule_run_all_series(const schedule_run_t *self);
