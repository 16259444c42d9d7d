/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trainers: scenarios of the training engine that jobs of a log may name, as the key
 * trainers gives them, and the state of a job that one of them simulates. vc_core.h has
 * what a virtual cluster does with such a job. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bind.h"
#include "sim/train/job/train.h"

/* An entry of the key trainers: a scenario of the training engine, whose trace, fleet
 * and prices are those of the scheduler. */
typedef struct {
    char *name;
    char *path;
    spot_scenario_t *training;
} spot_trainer_t;

typedef struct {
    size_t num_trainers;
    spot_trainer_t *trainers; /* [num_trainers] */
} spot_trainers_t;

/* The field of a member of type spot_trainers_t. */
extern const spot_field_t spot_trainer_name, spot_trainer_path;
#define SPOT_TRAINERS_FIELD(owner, member)                                                         \
    .name = "trainers", .type = SPOT_FIELD_DICT, .offset = offsetof(owner, member.trainers),       \
    .num_offset = offsetof(owner, member.num_trainers), .item_size = sizeof(spot_trainer_t),       \
    .key = &spot_trainer_name, .item = &spot_trainer_path, .initial = "{}", .max = 1000,           \
    .expected = "a map such as {gpt: gpt.yaml}",                                                   \
    .help = "scenarios of the training engine, by the name that the column trainer of "            \
            "the log gives: core:NAME"

/* Reads the scenarios. BAD_INPUT, IO, NO_MEMORY with the reasons in diag; free self even
 * then. */
SPOT_MUST_CHECK int spot_trainers_read(spot_trainers_t *self, spot_diag_t *diag);
void spot_trainers_free(spot_trainers_t *self);

/* The trainer that "core:NAME" names, or NULL; text may be NULL. O(trainers). */
const spot_trainer_t *spot_trainers_find(const spot_trainers_t *self, const char *text);

/* Whether the default of a key that decides (SPOT_DECIDES), such as "llm: job.reload" of
 * the scenario of the trainer llm, has a bearing on its jobs. prepares: nodes of a pool
 * are prepared by the training engine. */
bool spot_trainers_decide(const spot_trainers_t *self, const char *key, bool prepares);

/* A node comes or goes, on the clock of the job. */
typedef struct {
    int64_t time_ms;
    int32_t node_id;
    spot_event_kind_t kind;
    bool is_held; /* an addition: the job still has the node */
} spot_core_event_t;

typedef struct {
    const spot_trainer_t *trainer;
    bool is_prepared; /* nodes come ready; else the training engine prepares them */
    int64_t start_s;  /* of its clock; -1: it has not started */
    size_t num_initial;
    size_t num_events;
    size_t max_events;
    spot_core_event_t *events; /* [num_events] by time, first the num_initial nodes with
                                  which it starts */
    spot_train_result_t result;
    int error; /* NO_MEMORY */
} spot_core_job_t;
