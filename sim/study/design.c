/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/study/design.h"

#include <assert.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_qrng.h>
#include <math.h>

#include "base/rng.h"

#define SOBOL_BITS 30 /* of gsl_qrng_sobol */
#define SOBOL_SCALE 0x1p30
#define POINT_BITS 52 /* of a coordinate; the half that is added takes one bit more */
#define POINT_UNIT 0x1p-52
#define JITTER_BITS 24 /* of 52, so that strata stay apart when rounded */
#define JITTER_UNIT 0x1p-24

/* Whole numbers up to here are exact. */
#define MAX_WHOLE 0x1p53

/* A number of steps that is whole up to rounding of decimal fractions. */
#define STEP_TOLERANCE 1e-9

int
spot_design_latin(size_t num_points, size_t num_dims, uint64_t seed, double *points)
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

typedef struct {
    gsl_qrng *qrng;
    size_t num_dims;
    scramble_t dims[SPOT_DESIGN_SOBOL_DIMS];
} sobol_t;

/* A lower triangular matrix with ones on its diagonal: the leading bits of two points
 * agree before and after, so strata stay strata. */
static void
scramble_init(scramble_t *self, uint64_t seed, size_t dim)
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

static int
sobol_init(sobol_t *self, size_t num_points, size_t num_dims, uint64_t seed)
{
    self->qrng = NULL;
    self->num_dims = num_dims;
    if (num_dims == 0 || num_dims > SPOT_DESIGN_SOBOL_DIMS ||
        num_points > SPOT_DESIGN_MAX_POINTS) {
        return SPOT_ERR_BAD_PARAM; /* gsl would call its error handler */
    }
    for (size_t j = 0; j < num_dims; j++) {
        scramble_init(&self->dims[j], seed, j);
    }
    self->qrng = gsl_qrng_alloc(gsl_qrng_sobol, (unsigned) num_dims);
    return self->qrng == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

static void
sobol_free(sobol_t *self)
{
    if (self->qrng != NULL) {
        gsl_qrng_free(self->qrng);
    }
}

/* The current point, then one step on. In Gray code order a step turns over one of
 * Sobol's direction numbers, and the matrix is linear. */
static void
sobol_next(sobol_t *self, double *point)
{
    double raw[SPOT_DESIGN_SOBOL_DIMS];
    const int status = gsl_qrng_get(self->qrng, raw);

    spot_bug_assert(status == GSL_SUCCESS);
    for (size_t j = 0; j < self->num_dims; j++) {
        scramble_t *dim = &self->dims[j];
        const uint32_t numerator = (uint32_t) (raw[j] * SOBOL_SCALE);
        const uint32_t turned = numerator ^ dim->numerator;

        point[j] = ((double) dim->bits + 0.5) * POINT_UNIT;
        dim->numerator = numerator;
        for (unsigned k = 0; k < SOBOL_BITS; k++) {
            if ((turned >> (SOBOL_BITS - 1 - k) & 1) != 0) {
                dim->bits ^= dim->columns[k];
            }
        }
    }
}

int
spot_design_sobol(size_t num_points, size_t num_dims, uint64_t seed, double *points)
{
    sobol_t sobol;
    int ret = sobol_init(&sobol, num_points, num_dims, seed);

    for (size_t k = 0; ret == 0 && k < num_points; k++) {
        sobol_next(&sobol, &points[k * num_dims]);
    }
    sobol_free(&sobol);
    return ret;
}

bool
spot_design_is_balanced(size_t num_points)
{
    return num_points > 0 && (num_points & (num_points - 1)) == 0;
}

int
spot_design_saltelli(
    size_t num_samples, size_t num_inputs, uint64_t seed, double *points)
{
    double pair[SPOT_DESIGN_SOBOL_DIMS]; /* A_k, B_k */
    sobol_t sobol;
    int ret;

    if (num_inputs > SPOT_DESIGN_SALTELLI_INPUTS) {
        return SPOT_ERR_BAD_PARAM;
    }
    ret = sobol_init(&sobol, num_samples, 2 * num_inputs, seed);
    for (size_t k = 0; ret == 0 && k < num_samples; k++) {
        sobol_next(&sobol, pair);
        for (size_t j = 0; j < num_inputs + 2; j++) {
            for (size_t i = 0; i < num_inputs; i++) {
                const bool is_of_b = j == 1 || j == i + 2;

                *points++ = pair[is_of_b ? num_inputs + i : i];
            }
        }
    }
    sobol_free(&sobol);
    return ret;
}

/* The step between values, 0 where they are continuous. */
static double
axis_step(const spot_design_axis_t *self)
{
    return self->step == 0 && self->kind == SPOT_DESIGN_DURATION ? 1 : self->step;
}

static bool
is_whole(double value)
{
    return value == floor(value) && fabs(value) <= MAX_WHOLE;
}

static const char *
range_problem(const spot_design_axis_t *self)
{
    const double range = self->to - self->from, step = axis_step(self);
    const double num_steps = nearbyint(range / step); /* not read where step is 0 */

    if (!isfinite(self->from) || !isfinite(self->to) || !isfinite(range) ||
        !isfinite(self->step)) {
        return "from, to and step must be finite";
    }
    if (!(range > 0)) {
        return "from must be less than to";
    }
    if (self->is_log && !(self->from > 0)) {
        return "a logarithmic range needs from > 0";
    }
    if (self->step < 0) {
        return "step must be positive";
    }
    if (self->kind == SPOT_DESIGN_DURATION &&
        !(is_whole(self->from) && is_whole(self->to) && is_whole(self->step))) {
        return "from, to and step must be whole milliseconds";
    }
    if (step > 0 && !(num_steps >= 1 && num_steps < MAX_WHOLE &&
                        fabs(range / step - num_steps) <= STEP_TOLERANCE * num_steps)) {
        return "to must be a whole number of steps from from";
    }
    return NULL;
}

int
spot_design_axis_check(const spot_design_axis_t *self, const char **problem)
{
    if (self->kind == SPOT_DESIGN_CHOICE) {
        *problem = self->num_choices > 0 ? NULL : "expected at least one choice";
    } else {
        *problem = range_problem(self);
    }
    return *problem == NULL ? 0 : SPOT_ERR_BAD_INPUT;
}

/* The index of the cell that u is in, of num_cells equal cells. */
static double
cell_of(double u, double num_cells)
{
    return fmin(floor(u * num_cells), num_cells - 1);
}

/* A value that is uniform in itself or in its logarithm; rounding does not leave the
 * range. */
static double
between(double from, double to, bool is_log, double u)
{
    double value = from + (to - from) * u;

    if (is_log) {
        value = exp(log(from) + (log(to) - log(from)) * u);
    }
    return fmin(fmax(value, from), to);
}

double
spot_design_value(const spot_design_axis_t *self, double u)
{
    const double step = axis_step(self);
    double num_steps, step_id;

    assert(u > 0 && u < 1);
    if (self->kind == SPOT_DESIGN_CHOICE) {
        return cell_of(u, (double) self->num_choices);
    }
    if (step == 0) {
        return between(self->from, self->to, self->is_log, u);
    }
    num_steps = nearbyint((self->to - self->from) / step);
    if (self->is_log) {
        const double value = between(self->from, self->to + step, true, u);

        step_id = fmin(floor((value - self->from) / step), num_steps);
    } else {
        step_id = cell_of(u, num_steps + 1);
    }
    if (step_id == num_steps) {
        return self->to;
    }
    if (self->kind == SPOT_DESIGN_DURATION) {
        return self->from + step_id * step;
    }
    /* So that 0.3 is on the way from 0 to 1 in steps of 0.1. */
    return self->from + (self->to - self->from) * step_id / num_steps;
}
