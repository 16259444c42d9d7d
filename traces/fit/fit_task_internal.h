/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of a fit task share. Internal to the room. */
#pragma once

#include "traces/fit/fit_task.h"

/* Of the recorder in s, 0: a lifetimes file. */
double spot_fit_task_resolution_s(const spot_fit_task_t *self);

/* The fits of all samples that are wanted, to the sink. */
SPOT_MUST_CHECK int spot_fit_task_samples(spot_fit_task_t *self);

/* The law of the lives to generate from. */
typedef struct {
    spot_law_t law; /* family NULL: there is none */
    double ks;      /* of its fit */
    spot_fit_cut_t cut;
} spot_fit_lifetime_t;

/* Behind a cut with deaths a deadline; else the best law if it has a limit, else the
 * best one that keeps the mean. */
SPOT_MUST_CHECK int spot_fit_task_lifetime(
    spot_fit_task_t *self, spot_fit_lifetime_t *lifetime);

/* Rates by hour of day. BAD_INPUT: the hour of the start is not known. */
SPOT_MUST_CHECK int spot_fit_task_hours(
    spot_fit_task_t *self, spot_fit_hourly_t *hourly);

/* Writes the generator model that is asked for, or mrp. */
SPOT_MUST_CHECK int spot_fit_task_emit(spot_fit_task_t *self);
