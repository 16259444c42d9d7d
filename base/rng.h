/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random streams: Philox4x64-10 behind a gsl_rng_type, so that all gsl_ran_* work on it.
 *
 * A stream is named, not seeded: key = (study seed, replication), counter = (block,
 * purpose, entity, 0). Any replication starts alone on any thread, and two points of a
 * sweep with the same seed draw the same numbers. Source: Salmon, Moraes, Dror, Shaw,
 * "Parallel random numbers: as easy as 1, 2, 3", SC'11; the implementation is Random123.
 *
 * spot_rng_seek() moves a spot_rng_t to the first number of a stream; then gsl_ran_*()
 * draw from spot_rng_gsl(). Draws that GSL lacks or has slower are here. */
#pragma once

#include <gsl/gsl_rng.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Purposes of streams. Append only: results depend on the values. */
typedef enum {
    SPOT_STREAM_TYPE = 1,          /* kind of the next event */
    SPOT_STREAM_GAP = 2,           /* time to the next event */
    SPOT_STREAM_COUNT = 3,         /* instances in one event */
    SPOT_STREAM_VICTIM = 4,        /* which instances are preempted */
    SPOT_STREAM_LIFETIME = 5,      /* life of one instance */
    SPOT_STREAM_RESTART = 6,       /* restarts of the block generator */
    SPOT_STREAM_BOOTSTRAP = 7,     /* parametric bootstrap */
    SPOT_STREAM_REFILL = 8,        /* time until a lost instance is replaced */
    SPOT_STREAM_SHOCK = 9,         /* losses common to several zones */
    SPOT_STREAM_DESIGN = 10,       /* points of a design, by dimension */
    SPOT_STREAM_RESAMPLE = 11,     /* bootstrap over base samples of a sensitivity report */
    SPOT_STREAM_RECOVERY = 12,     /* draws of a recovery system */
    SPOT_STREAM_RATE = 13,         /* random probabilities of a generator */
    SPOT_STREAM_JOB_GAP = 20,      /* time to the next job of a drawn log */
    SPOT_STREAM_JOB_SIZE = 21,     /* its number of GPUs */
    SPOT_STREAM_JOB_VC = 22,       /* its virtual cluster */
    SPOT_STREAM_JOB_USER = 23,     /* whose it is */
    SPOT_STREAM_JOB_DURATION = 24, /* how long it takes, by job */
    SPOT_STREAM_JOB_JITTER = 25,   /* shift of its submit, by job */
    SPOT_STREAM_JOB_WORKLOAD = 26, /* the row of a table that it gets, by job */
    SPOT_STREAM_JOB_ELASTIC = 27,  /* whether its number of GPUs may change */
    SPOT_STREAM_HOLD_OUT = 30,     /* rows that a bag of a learned model does not see */
    SPOT_STREAM_GUESS = 31,        /* error of an estimated duration, by job */
    SPOT_STREAM_ARRIVAL = 32,      /* times between queries */
    SPOT_STREAM_OUTAGE = 33,       /* ups and outs of a slot for a replica */
    SPOT_STREAM_ZONE_OUTAGE = 34,  /* the same of a zone */
    SPOT_STREAM_SEARCH = 35,       /* points of a random search */
    SPOT_STREAM_READ = 36,         /* reading times of a loader's process */
    SPOT_STREAM_DECODE = 37,       /* decoding times of the same */
    SPOT_STREAM_TASK_RUN = 38,     /* run times of a task graph, by task and try */
    SPOT_STREAM_TASK_DELAY = 40,   /* its delays, one purpose for each kind, up to 44 */
    SPOT_STREAM_FLEET = 45,        /* what a fleet gets of the events of a recording */
    SPOT_STREAM_OWN = 1000         /* the first purpose of an engine of a user's own */
} spot_stream_t;

/* Numbers made at once: two blocks. */
#define SPOT_PHILOX_NUMBERS 8

/* State of the gsl_rng type. */
typedef struct {
    uint64_t key[2];                       /* study seed, replication */
    uint64_t counter[4];                   /* next block, purpose, entity, 0 */
    uint64_t numbers[SPOT_PHILOX_NUMBERS]; /* of the latest blocks */
    size_t num_used;                       /* of numbers */
} spot_philox_t;

/* One stream, without allocation. gsl points into this struct: do not copy it, and call
 * spot_rng_seek() before the first draw. */
typedef struct {
    gsl_rng gsl;
    spot_philox_t state;
} spot_rng_t;

/* Moves the stream to its first number. */
void spot_rng_seek(
    spot_rng_t *self, uint64_t seed, uint64_t replication, spot_stream_t purpose, uint64_t entity);

/* The number of draws since spot_rng_seek(), and a jump to such a position, so that one
 * number stores a stream. O(1). */
uint64_t spot_rng_position(const spot_rng_t *self);
void spot_rng_skip_to(spot_rng_t *self, uint64_t position);

/* The gsl_rng for gsl_ran_*: 64-bit integers x, doubles (x >> 11) * 2^-53 in [0, 1).
 * gsl_rng_set() on it seeds key[0] and starts at purpose 0, entity 0. */
gsl_rng *spot_rng_gsl(spot_rng_t *self);

/* The type, for gsl_rng_alloc(). */
extern const gsl_rng_type spot_rng_philox4x64;

/* The next 64 random bits, and the next double in [0, 1), without a call of gsl. */
uint64_t spot_rng_bits(spot_rng_t *self);
double spot_rng_uniform(spot_rng_t *self);

/* The same as so many calls of spot_rng_bits(), faster for many. */
void spot_rng_fill(spot_rng_t *self, uint64_t *numbers, size_t num_numbers);

/* The double in [0, 1) of 64 random bits. */
double spot_rng_double(uint64_t bits);

/* An exponential number, from one double of the stream. */
double spot_rng_exponential(spot_rng_t *self, double mean);

/* An integer uniform on 0 ... limit - 1, without bias. limit > 0. */
uint64_t spot_rng_below(spot_rng_t *self, uint64_t limit);

/* ---- Parts ---- */

/* Parts of a whole, one of which is drawn by weight. Part j has the numbers from
 * until[j - 1] to until[j]. Zero it to start. */
typedef struct {
    size_t num_until;
    size_t max_until;
    double *until; /* [num_until] sums of the weights */
} spot_parts_t;

/* Appends a part. weight >= 0. NO_MEMORY. */
SPOT_MUST_CHECK int spot_parts_add(spot_parts_t *self, double weight);

/* The sum of the weights. */
double spot_parts_sum(const spot_parts_t *self);

/* A part, where the sum is above 0. O(log parts). */
size_t spot_parts_draw(const spot_parts_t *self, spot_rng_t *rng);
