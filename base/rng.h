/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random streams: Philox4x64-10 behind a gsl_rng_type, so that all of gsl_ran_* works on
 * it.
 *
 * A stream is named, not seeded: key = (study seed, replication), counter = (block,
 * purpose, entity, 0). Any replication starts alone on any thread, and two points of a
 * sweep that share a seed meet the same dice. Source: Salmon, Moraes, Dror, Shaw,
 * "Parallel random numbers: as easy as 1, 2, 3", SC'11; the implementation is Random123.
 */
#ifndef SPOT_BASE_RNG_H
#define SPOT_BASE_RNG_H

#include <gsl/gsl_rng.h>
#include <stdint.h>

/* What the numbers of a stream are for. Append only: the values are part of the results.
 */
typedef enum {
    SPOT_STREAM_TYPE = 1,      /* which kind of event comes next */
    SPOT_STREAM_GAP = 2,       /* time to the next event */
    SPOT_STREAM_COUNT = 3,     /* instances in one event */
    SPOT_STREAM_VICTIM = 4,    /* which instances are preempted */
    SPOT_STREAM_LIFETIME = 5,  /* life of one instance */
    SPOT_STREAM_RESTART = 6,   /* restarts of the block generator */
    SPOT_STREAM_BOOTSTRAP = 7, /* parametric bootstrap */
    SPOT_STREAM_REFILL = 8,    /* time until a lost instance is replaced */
    SPOT_STREAM_SHOCK = 9,     /* losses that zones have in common */
    SPOT_STREAM_DESIGN = 10,   /* points of a design, by dimension */
    SPOT_STREAM_RESAMPLE = 11, /* bootstrap over base samples of a sensitivity report */
    SPOT_STREAM_RECOVERY = 12, /* a recovery system's own dice */
    SPOT_STREAM_RATE = 13      /* probabilities of a generator that are drawn */
} spot_stream_t;

/* What the gsl_rng type keeps. */
/* Numbers that are made at once: two blocks, whose chains of multiplications overlap. */
#define SPOT_PHILOX_NUMBERS 8

typedef struct {
    uint64_t key[2];                       /* study seed, replication */
    uint64_t counter[4];                   /* next block, purpose, entity, 0 */
    uint64_t numbers[SPOT_PHILOX_NUMBERS]; /* of the latest blocks */
    unsigned num_used;                     /* of numbers; all of them: none is left */
} spot_philox_t;

/* A stream of its own, without allocation. The gsl_rng points into this struct: do not
 * copy it, and call spot_rng_seek() before the first draw. */
typedef struct {
    gsl_rng gsl;
    spot_philox_t state;
} spot_rng_t;

/* Puts the stream at its first number. */
void spot_rng_seek(spot_rng_t *self, uint64_t seed, uint64_t replication,
    spot_stream_t purpose, uint64_t entity);

/* How many numbers of the stream were used since spot_rng_seek(); and going on behind so
 * many of them, so that a stream can be kept as one number. O(1). */
uint64_t spot_rng_position(const spot_rng_t *self);
void spot_rng_skip_to(spot_rng_t *self, uint64_t position);

/* The gsl_rng to hand to gsl_ran_*: 64-bit integers, doubles (x >> 11) * 2^-53 in [0,
 * 1). gsl_rng_set() on it seeds key[0] and starts at purpose 0, entity 0. */
gsl_rng *spot_rng_gsl(spot_rng_t *self);

/* The type itself, for gsl_rng_alloc(). */
extern const gsl_rng_type spot_rng_philox4x64;

/* The next 64 random bits and the next double in [0, 1), without the detour over gsl. */
uint64_t spot_rng_bits(spot_rng_t *self);
double spot_rng_uniform(spot_rng_t *self);

/* An integer uniform on 0 ... limit - 1, without bias. limit > 0. */
uint64_t spot_rng_below(spot_rng_t *self, uint64_t limit);

#endif
