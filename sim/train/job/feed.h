/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The data that steps of a job are fed with: how long they wait for it, how long the
 * loaders fill anew, and what instances keep in their caches. */
#pragma once

#include <stdbool.h>

#include "models/job.h"

/* What the loaders of a job have read. */
typedef struct {
    bool has_loaded;     /* the job has trained before */
    bool is_filled;      /* the loaders go on: they have batches ready */
    int64_t num_loading; /* instances; 0: the job does not train */
    double share;        /* of the samples that is read locally in this epoch */
    int64_t epoch_steps; /* steps left of it; later ones find the caches warm */
} spot_feed_t;

/* Loaders of a job that has not trained. */
spot_feed_t spot_feed_init(const spot_job_t *job);

/* Other instances load from now on: num_active in num_pipelines, num_new of them for the
 * first time. These have read nothing, unless the job starts with them. */
void spot_feed_change(spot_feed_t *self, const spot_job_t *job, int64_t num_active,
    int64_t num_pipelines, int64_t num_new);

/* Lets the steps of a cycle wait. Returns how long the loaders fill before the first
 * step. */
int64_t spot_feed_cycle(const spot_feed_t *self, const spot_job_t *job,
    const spot_checkpoint_t *checkpoint, spot_cycle_t *cycle);
