/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions on the unit cube whose Sobol indices are known in closed form. */
#pragma once

#include <math.h>
#include <stddef.h>

#define MAX_INPUTS 8
#define PI 3.14159265358979323846

typedef struct {
    const char *name;
    size_t num_inputs;
    double (*function)(const double *u);
    double mean;
    double variance;
    double first[MAX_INPUTS];
    double total[MAX_INPUTS];
} known_case_t;

/* Ishigami and Homma, ISUMA'90, 1990, with a = 7 and b = 0.1. */
static double ishigami(const double *u)
{
    const double x = PI * (2 * u[0] - 1), y = PI * (2 * u[1] - 1);
    const double z = PI * (2 * u[2] - 1);

    return sin(x) + 7 * sin(y) * sin(y) + 0.1 * z * z * z * z * sin(x);
}

/* Sobol's G: 0 matters most, the last four hardly. */
static const double g_weights[] = {0, 1, 4.5, 9, 99, 99, 99, 99};

static double sobol_g(const double *u)
{
    double value = 1;

    for (size_t i = 0; i < 8; i++) {
        value *= (fabs(4 * u[i] - 2) + g_weights[i]) / (1 + g_weights[i]);
    }
    return value;
}

/* Far from 0, as a real metric may be. */
static double additive(const double *u)
{
    return 100 + u[0] + 2 * u[1] + 3 * u[2] + 4 * u[3];
}

static double plain_product(const double *u)
{
    return (0.5 + u[0]) * (0.5 + u[1]) * (0.5 + u[2]) * (0.5 + u[3]) * (0.5 + u[4]);
}

/* A product of independent factors with mean 1 and these variances. */
static inline void fill_product(known_case_t *self, const double *variances)
{
    double square = 1;

    for (size_t i = 0; i < self->num_inputs; i++) {
        square *= 1 + variances[i];
    }
    self->mean = 1;
    self->variance = square - 1;
    for (size_t i = 0; i < self->num_inputs; i++) {
        self->first[i] = variances[i] / self->variance;
        self->total[i] = variances[i] * square / (1 + variances[i]) / self->variance;
    }
}

static inline known_case_t ishigami_case(void)
{
    const double alone = pow(1 + 0.1 * pow(PI, 4) / 5, 2) / 2;
    const double second = 49 / 8.0;
    const double both = 8 * 0.01 * pow(PI, 8) / 225;
    const double all = alone + second + both;

    return (known_case_t){.name = "Ishigami",
        .num_inputs = 3,
        .function = ishigami,
        .mean = 3.5,
        .variance = all,
        .first = {alone / all, second / all, 0},
        .total = {(alone + both) / all, second / all, both / all}};
}

static inline known_case_t g_case(void)
{
    known_case_t self = {.name = "Sobol's G", .num_inputs = 8, .function = sobol_g};
    double variances[MAX_INPUTS];

    for (size_t i = 0; i < self.num_inputs; i++) {
        variances[i] = 1 / (3 * (1 + g_weights[i]) * (1 + g_weights[i]));
    }
    fill_product(&self, variances);
    return self;
}

static inline known_case_t additive_case(void)
{
    return (known_case_t){.name = "additive",
        .num_inputs = 4,
        .function = additive,
        .mean = 105,
        .variance = 30 / 12.0,
        .first = {1 / 30.0, 4 / 30.0, 9 / 30.0, 16 / 30.0},
        .total = {1 / 30.0, 4 / 30.0, 9 / 30.0, 16 / 30.0}};
}

static inline known_case_t product_case(void)
{
    static const double variances[] = {1 / 12.0, 1 / 12.0, 1 / 12.0, 1 / 12.0, 1 / 12.0};
    known_case_t self = {.name = "product", .num_inputs = 5, .function = plain_product};

    fill_product(&self, variances);
    return self;
}
