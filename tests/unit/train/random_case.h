/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random cases for the engine and its twin: a job and the lives of its instances, as
 * numbers and as the files that the engine reads. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "twin.h"

#define MAX_LIVES 160

#define STAYS INT64_MAX

typedef struct {
    int name;
    int64_t birth_ms; /* -1: one of the initial instances */
    int64_t death_ms; /* STAYS: to the end */
    bool is_stopped;  /* not preempted */
} life_t;

typedef struct {
    uint64_t seed;
    twin_setting_t setting;
    bool is_until_inside;     /* horizon: {until: ...} */
    bool has_joined_rows;     /* one row for all instances of an instant */
    bool has_reversed_losses; /* the same losses of an instant, last one first */
    const char *recovery;     /* "NAME" or "{system: NAME, ...}"; NULL: the setting's */
    const char *step_time;    /* "{table: PATH}" and the like; NULL: the setting's */
    const char *trace;        /* "{generator: ...}" and the like; NULL: the lives */
    int64_t trace_end_ms;
    size_t num_lives;
    life_t lives[MAX_LIVES];
} case_t;

/* The same seed draws the same case, everywhere. */
void draw_case(case_t *self, uint64_t seed);

/* Further cases, of which half have a data loader. */
void draw_input_case(case_t *self, uint64_t seed);

/* The trace as canonical CSV, and the scenario that names it. */
void write_trace(FILE *out, const case_t *self);
void write_scenario(FILE *out, const case_t *self, const char *trace_path);
#define CASE_TEXT_BYTES 32768 /* are enough for both */

/* The scenario as the engine reads it, from a trace file and YAML. */
void bind_case(const case_t *self, spot_scenario_t *scenario);
