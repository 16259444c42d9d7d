/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A profile: means of measured step, checkpoint, reload and reconfiguration times, as
 * YAML. spot_profile_measure() makes one from files of times; a scenario uses any of its
 * figures by {profile: FILE} in place of a duration. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/bind.h"
#include "base/diag.h"
#include "models/step_time.h"

#define SPOT_PROFILE_EXPECTED                                                                      \
    "a duration such as \"88 s\", \"1.5 h\" or \"250 ms\", or {profile: FILE}"

/* One measured quantity. */
typedef struct {
    double mean_s; /* >= 0; for a step at least 1 ms after rounding */
    double std_s;  /* with n - 1; NAN for a single value */
    int64_t count; /* values, >= 1 */
} spot_measured_t;

typedef struct {
    int64_t world_size;
    spot_measured_t time;
} spot_measured_step_t;

typedef struct {
    char *source; /* origin of the measurements, or NULL */
    spot_measured_t reconfiguration;
    size_t num_steps;
    size_t max_steps;
    spot_measured_step_t *step_time; /* [num_steps] world_size increasing */
    spot_measured_t checkpoint_write;
    spot_measured_t reload;
} spot_profile_t;

void spot_profile_free(spot_profile_t *self);

/* Reads a profile file. BAD_INPUT, IO, NO_MEMORY with the reasons in diag; free self
 * even then. */
SPOT_MUST_CHECK int spot_profile_read(spot_profile_t *self, const char *path, spot_diag_t *diag);

/* Writes a profile as YAML; doubles read back exactly. */
void spot_profile_write(const spot_profile_t *self, FILE *out);

/* Makes a profile from a folder of measurements in seconds:
 *   reconfig.csv            ws,start,end,elapsed            with a header row
 *   loop_times_0.csv        ws,step,loop start,loop end,train time,start chkpt thread,
 *                           total loop time                 step time = train time by ws
 *   async-checkpoint_0.csv  elapsed
 *   load_times_0.csv        ws,step,elapsed
 * All errors of all four files are reported. BAD_INPUT, IO, NO_MEMORY; free self even
 * then. */
SPOT_MUST_CHECK int spot_profile_measure(
    spot_profile_t *self, const char *folder, spot_diag_t *diag);

/* The forms of a one-of: a duration (int64_t ms) or {profile: FILE}; the settle() of the
 * second form stores the rounded mean of the profile. */
extern const spot_field_t spot_profile_forms[];
void spot_profile_settle_reconfiguration(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target);
void spot_profile_settle_checkpoint_write(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target);
void spot_profile_settle_reload(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target);

/* The step times of {profile: FILE}, rounded to whole ms. */
void spot_profile_settle_step_time(spot_bind_t *bind, const spot_field_t *field,
    const spot_node_t *node, spot_step_time_t *target);
