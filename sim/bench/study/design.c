/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/study/design.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_qrng.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/rng.h"

#define SOBOL_BITS 30 /* of gsl_qrng_sobol */
#define SOBOL_SCALE 0x1p30
#define POINT_BITS 52 /* of a coordinate; the half that is added takes one bit more */
#define POINT_UNIT 0x1p-52
#define JITTER_BITS 24 /* of 52, so that strata stay apart when rounded */
#define JITTER_UNIT 0x1p-24

int spot_design_latin(size_t num_points, size_t num_dims, uint64_t seed, double *points)
{
    spot_rng_t rng;

    if (num_points > SPOT_DESIGN_MAX_POINTS) {
        return SPOT_ERR_BAD_PARAM;
    }
    for (size_t j = 0; j < num_dims; j++) {
        double *column = points + j;

        spot_rng_seek(&rng, seed, 0, SPOT_STREAM_DESIGN, j);
        for (size_t k = 0; k < num_points; k++) { /* Fisher and Yates, inside out */
            const size_t other = (size_t) spot_rng_below(&rng, k + 1);

            column[k * num_dims] = column[other * num_dims];
            column[other * num_dims] = (double) k;
        }
        for (size_t k = 0; k < num_points; k++) {
            const uint64_t bits = spot_rng_bits(&rng) >> (64 - JITTER_BITS);
            const double jitter = ((double) bits + 0.5) * JITTER_UNIT;

            column[k * num_dims] = (column[k * num_dims] + jitter) / (double) num_points;
        }
    }
    return 0;
}

/* One dimension of the scrambled sequence. */
typedef struct {
    uint64_t columns[SOBOL_BITS]; /* what the bits of gsl's numerator turn over, highest
                                   * first */
    uint32_t numerator;           /* of gsl's latest point */
    uint64_t bits;                /* of the scrambled point, POINT_BITS of them */
} scramble_t;

/* A lower triangular matrix with ones on its diagonal: the leading bits of two points
 * agree before and after, so strata stay strata. */
static void scramble_init(scramble_t *self, uint64_t seed, size_t dim)
{
    spot_rng_t rng;

    spot_rng_seek(&rng, seed, 0, SPOT_STREAM_DESIGN, dim);
    for (unsigned j = 0; j < SOBOL_BITS; j++) {
        const uint64_t diagonal = UINT64_C(1) << (POINT_BITS - 1 - j);
        const uint64_t bits = spot_rng_bits(&rng);

        self->columns[j] = diagonal | (bits & (diagonal - 1));
    }
    self->numerator = 0;
    self->bits = spot_rng_bits(&rng) >> (64 - POINT_BITS);
}

/* The current coordinate, then one step on to that of gsl's next point. In Gray code
 * order a step turns over one of Sobol's direction numbers, and the matrix is linear. */
static double scramble_next(scramble_t *self, double raw)
{
    const double coordinate = ((double) self->bits + 0.5) * POINT_UNIT;
    const uint32_t numerator = (uint32_t) (raw * SOBOL_SCALE);
    const uint32_t turned = numerator ^ self->numerator;

    self->numerator = numerator;
    for (unsigned k = 0; k < SOBOL_BITS; k++) {
        if ((turned >> (SOBOL_BITS - 1 - k) & 1) != 0) {
            self->bits ^= self->columns[k];
        }
    }
    return coordinate;
}

int spot_design_sobol(size_t num_points, size_t num_dims, uint64_t seed, double *points)
{
    scramble_t dims[SPOT_DESIGN_SOBOL_DIMS];
    double raw[SPOT_DESIGN_SOBOL_DIMS];
    gsl_qrng *qrng;

    if (num_dims == 0 || num_dims > SPOT_DESIGN_SOBOL_DIMS || num_points > SPOT_DESIGN_MAX_POINTS) {
        return SPOT_ERR_BAD_PARAM; /* gsl would call its error handler */
    }
    qrng = gsl_qrng_alloc(gsl_qrng_sobol, (unsigned) num_dims);
    if (qrng == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < num_dims; j++) {
        scramble_init(&dims[j], seed, j);
    }
    for (size_t k = 0; k < num_points; k++) {
        const int status = gsl_qrng_get(qrng, raw);

        spot_bug_assert(status == GSL_SUCCESS);
        for (size_t j = 0; j < num_dims; j++) {
            points[k * num_dims + j] = scramble_next(&dims[j], raw[j]);
        }
    }
    gsl_qrng_free(qrng);
    return 0;
}

int spot_design_saltelli(size_t num_samples, size_t num_inputs, uint64_t seed, double *points)
{
    double *pairs; /* A_k, B_k */
    int ret;

    if (num_inputs > SPOT_DESIGN_SALTELLI_INPUTS || num_samples > SPOT_DESIGN_MAX_POINTS) {
        return SPOT_ERR_BAD_PARAM;
    }
    pairs = spot_calloc(num_samples, 2 * num_inputs * sizeof(*pairs));
    ret = pairs == NULL ? SPOT_ERR_NO_MEMORY
                        : spot_design_sobol(num_samples, 2 * num_inputs, seed, pairs);
    for (size_t k = 0; ret == 0 && k < num_samples; k++) {
        const double *pair = &pairs[k * 2 * num_inputs];

        for (size_t j = 0; j < num_inputs + 2; j++) {
            for (size_t i = 0; i < num_inputs; i++) {
                const size_t half = j == 1 || j == i + 2 ? num_inputs : 0;

                *points++ = pair[half + i];
            }
        }
    }
    free(pairs);
    return ret;
}
