/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random cases for the engine serve: any graph of stages and joins, tables of a few ns,
 * arrivals with many ties, outages with equal instants, all settings. */
#pragma once

#include "base/rng.h"
#include "tests/unit/serve/serve_case.h"

/* Opens a case; the same seed gives the same one. */
void serve_random_open(serve_case_t *self, uint64_t seed);

/* Prints all of a case to standard error. */
void serve_random_print(const serve_case_t *self, uint64_t seed);
