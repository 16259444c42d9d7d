/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values that are hard on sketches and summaries: point masses, both signs, heavy tails,
 * all magnitudes. */
#pragma once

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stddef.h>

#include "base/integers.h"
#include "base/rng.h"

typedef struct {
    const char *name;
    double (*draw)(spot_rng_t *rng);
} sketch_law_t;

static inline double draw_uniform(spot_rng_t *rng)
{
    return spot_rng_uniform(rng);
}

static inline double draw_normal(spot_rng_t *rng)
{
    return gsl_ran_gaussian_ziggurat(spot_rng_gsl(rng), 1);
}

static inline double draw_far_normal(spot_rng_t *rng)
{
    return -1000 + gsl_ran_gaussian_ziggurat(spot_rng_gsl(rng), 30);
}

static inline double draw_lognormal(spot_rng_t *rng)
{
    return gsl_ran_lognormal(spot_rng_gsl(rng), 0, 3);
}

static inline double draw_pareto(spot_rng_t *rng)
{
    return gsl_ran_pareto(spot_rng_gsl(rng), 0.5, 1);
}

static inline double draw_cauchy(spot_rng_t *rng)
{
    return gsl_ran_cauchy(spot_rng_gsl(rng), 1);
}

static inline double draw_count(spot_rng_t *rng)
{
    return (double) gsl_ran_poisson(spot_rng_gsl(rng), 30);
}

static inline double draw_constant(spot_rng_t *rng)
{
    (void) rng;
    return 0.1;
}

/* Zeros of both signs among other masses, and a part that is continuous. */
static inline double draw_masses(spot_rng_t *rng)
{
    static const double masses[] = {0, -0.0, 0, 1, -2.7, 0.3, 0.3, 1e9};
    const uint64_t mass_id = spot_rng_below(rng, 10);

    return mass_id < 8 ? masses[mass_id] : spot_rng_uniform(rng) - 0.5;
}

/* Whole numbers up to 256 are known exactly. */
static inline double draw_small_integer(spot_rng_t *rng)
{
    return (double) spot_rng_below(rng, 513) - 256;
}

/* All magnitudes from 10^-300 to 10^300, both signs. */
static inline double draw_any_magnitude(spot_rng_t *rng)
{
    const double magnitude = pow(10, 600 * spot_rng_uniform(rng) - 300);

    return spot_rng_below(rng, 2) == 0 ? magnitude : -magnitude;
}

/* All bit patterns of finite values alike. */
static inline double draw_any_double(spot_rng_t *rng)
{
    double value;

    do {
        value = spot_double_from_bits(spot_rng_bits(rng));
    } while (!isfinite(value));
    return value;
}

static inline double draw_subnormal(spot_rng_t *rng)
{
    const double value = spot_double_from_bits(spot_rng_bits(rng) >> 12);

    return spot_rng_below(rng, 2) == 0 ? value : -value;
}

/* 27 decades: too many buckets, but not by much. */
static inline double draw_log_uniform(spot_rng_t *rng)
{
    return exp2(90 * spot_rng_uniform(rng) - 45);
}

static inline double draw_power_of_two(spot_rng_t *rng)
{
    return ldexp(1, (int) spot_rng_below(rng, 2000) - 1000);
}

static const sketch_law_t sketch_laws[] = {
    {"uniform", draw_uniform},
    {"normal", draw_normal},
    {"far normal", draw_far_normal},
    {"lognormal", draw_lognormal},
    {"pareto", draw_pareto},
    {"cauchy", draw_cauchy},
    {"count", draw_count},
    {"constant", draw_constant},
    {"masses", draw_masses},
    {"small integer", draw_small_integer},
    {"any magnitude", draw_any_magnitude},
    {"any double", draw_any_double},
    {"subnormal", draw_subnormal},
    {"log-uniform", draw_log_uniform},
    {"power of two", draw_power_of_two},
};

enum { NUM_LAWS = sizeof(sketch_laws) / sizeof(sketch_laws[0]) };

static inline void draw_values(size_t law_id, double *values, size_t num_values)
{
    spot_rng_t rng;

    spot_rng_seek(&rng, 11, law_id, SPOT_STREAM_GAP, 0);
    for (size_t j = 0; j < num_values; j++) {
        values[j] = sketch_laws[law_id].draw(&rng);
    }
}
