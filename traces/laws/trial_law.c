/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/laws/trial_law.h"

#include <math.h>

/* Bits of a number: the first ones are the cell, the next ones the place in it. */
#define NUMBER_DIGITS 53
#define CELL_DIGITS 9
#define PLACE_DIGITS 32
#define REST_DIGITS (NUMBER_DIGITS - CELL_DIGITS - PLACE_DIGITS)

#define NUM_PLACES (UINT64_C(1) << PLACE_DIGITS)

_Static_assert(1 << CELL_DIGITS == SPOT_TRIAL_CELLS, "the first digits are the cell");

/* The number of failures for a number. It is infinite or NAN if p is 0. 1 - u is exact;
 * it is 0 only after the last number, so that the last cell keeps the formula. */
static int64_t
count_failures(const spot_trial_law_t *self, uint64_t number)
{
    const double u = (double) number * 0x1p-53;
    const double num_failures = log(1 - u) * self->failures_per_log;

    return num_failures < (double) SPOT_TRIALS_NEVER ? (int64_t) num_failures
                                                     : SPOT_TRIALS_NEVER - 1;
}

/* The first number at a place of a cell, place <= 2^32. */
static uint64_t
number_at(uint64_t cell_id, uint64_t place)
{
    return ((cell_id << PLACE_DIGITS) + place) << REST_DIGITS;
}

/* Finds the place of a cell at which there is one failure more; only numbers at this
 * place need the logarithm. The inverse gives the place up to rounding; bisection does
 * the rest. */
static uint32_t
find_limit(const spot_trial_law_t *self, uint64_t cell_id, int64_t num_failures)
{
    const double u = -expm1((double) (num_failures + 1) / self->failures_per_log);
    const double place = (u * SPOT_TRIAL_CELLS - (double) cell_id) * (double) NUM_PLACES;
    uint64_t low = place > 2 && place < (double) NUM_PLACES ? (uint64_t) place - 2 : 0;
    uint64_t high = low < NUM_PLACES - 4 ? low + 4 : NUM_PLACES;

    low = count_failures(self, number_at(cell_id, low)) == num_failures ? low : 0;
    high = count_failures(self, number_at(cell_id, high)) > num_failures ? high
                                                                         : NUM_PLACES;
    while (high - low > 1) {
        const uint64_t middle = (low + high) / 2;

        if (count_failures(self, number_at(cell_id, middle)) == num_failures) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (uint32_t) low;
}

void
spot_trial_law_init(spot_trial_law_t *self, double num_trials, double p)
{
    int64_t first, next;

    self->failures_per_log = num_trials / log1p(-p);
    next = count_failures(self, 0);
    for (uint64_t j = 0; j < SPOT_TRIAL_CELLS; j++) {
        spot_trial_cell_t *cell = &self->cells[j];

        first = next;
        next = count_failures(self, number_at(j + 1, 0));
        cell->num_failures = UINT32_MAX;
        cell->limit = UINT32_MAX;
        if (next <= first + 1 && next < UINT32_MAX) {
            cell->num_failures = (uint32_t) first;
        }
        if (next == first + 1) {
            cell->limit = find_limit(self, j, first);
        }
    }
}

int64_t
spot_trial_law_invert(const spot_trial_law_t *self, uint64_t number)
{
    const spot_trial_cell_t *cell = &self->cells[number >> (PLACE_DIGITS + REST_DIGITS)];
    const uint32_t place = (uint32_t) (number >> REST_DIGITS);

    if (cell->num_failures == UINT32_MAX || place == cell->limit) {
        return 1 + count_failures(self, number);
    }
    return 1 + (int64_t) cell->num_failures + (place > cell->limit);
}

int64_t
spot_trial_law_draw(const spot_trial_law_t *self, spot_rng_t *rng)
{
    return spot_trial_law_invert(self, spot_rng_bits(rng) >> 11);
}
