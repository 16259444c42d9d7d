/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/rng.h"

#include <Random123/philox.h>
#include <assert.h>
#include <math.h>

#include "base/memory.h"

/* ---- Rng ---- */

__extension__ typedef unsigned __int128 wide_t;

#define BLOCK_NUMBERS 4

/* Makes the numbers of the next blocks. One block after another needs no memory for what
 * is between; processors overlap them. */
SPOT_NOINLINE static void make_blocks(spot_philox_t *state, uint64_t *numbers, size_t num_blocks)
{
    const philox4x64_key_t key = {{state->key[0], state->key[1]}};
    philox4x64_ctr_t counter = {
        {state->counter[0], state->counter[1], state->counter[2], state->counter[3]}};

    for (size_t j = 0; j < num_blocks; j++) {
        const philox4x64_ctr_t block = philox4x64(counter, key);

        for (int k = 0; k < BLOCK_NUMBERS; k++) {
            *numbers++ = block.v[k];
        }
        counter.v[0]++;
    }
    state->counter[0] = counter.v[0];
}

static void refill(spot_philox_t *state)
{
    make_blocks(state, state->numbers, SPOT_PHILOX_NUMBERS / BLOCK_NUMBERS);
    state->num_used = 0;
}

double spot_rng_double(uint64_t bits)
{
    return (double) (bits >> 11) * 0x1p-53;
}

static inline uint64_t next_bits(spot_philox_t *state)
{
    if (state->num_used == SPOT_PHILOX_NUMBERS) {
        refill(state);
    }
    return state->numbers[state->num_used++];
}

static void start(
    spot_philox_t *state, uint64_t seed, uint64_t replication, uint64_t purpose, uint64_t entity)
{
    state->key[0] = seed;
    state->key[1] = replication;
    state->counter[0] = 0;
    state->counter[1] = purpose;
    state->counter[2] = entity;
    state->counter[3] = 0;
    state->num_used = SPOT_PHILOX_NUMBERS;
}

static void philox_set(void *state, unsigned long seed)
{
    start(state, seed, 0, 0, 0);
}

static unsigned long philox_get(void *state)
{
    return next_bits(state);
}

static double philox_get_double(void *state)
{
    return spot_rng_double(next_bits(state));
}

const gsl_rng_type spot_rng_philox4x64 = {
    .name = "spot_philox4x64",
    .max = UINT64_MAX,
    .min = 0,
    .size = sizeof(spot_philox_t),
    .set = philox_set,
    .get = philox_get,
    .get_double = philox_get_double,
};

void spot_rng_seek(
    spot_rng_t *self, uint64_t seed, uint64_t replication, spot_stream_t purpose, uint64_t entity)
{
    self->gsl.type = &spot_rng_philox4x64;
    self->gsl.state = &self->state;
    start(&self->state, seed, replication, (uint64_t) purpose, entity);
}

/* The counter is already past the numbers made. */
uint64_t spot_rng_position(const spot_rng_t *self)
{
    return BLOCK_NUMBERS * self->state.counter[0] + self->state.num_used - SPOT_PHILOX_NUMBERS;
}

/* Makes two blocks from that of the next number on, enough for few draws. */
void spot_rng_skip_to(spot_rng_t *self, uint64_t position)
{
    self->state.counter[0] = position / BLOCK_NUMBERS;
    refill(&self->state);
    self->state.num_used = position % BLOCK_NUMBERS;
}

gsl_rng *spot_rng_gsl(spot_rng_t *self)
{
    return &self->gsl;
}

uint64_t spot_rng_bits(spot_rng_t *self)
{
    return next_bits(&self->state);
}

void spot_rng_fill(spot_rng_t *self, uint64_t *numbers, size_t num_numbers)
{
    spot_philox_t *state = &self->state;
    size_t j = 0, num_whole;

    while (j < num_numbers && state->num_used < SPOT_PHILOX_NUMBERS) {
        numbers[j++] = next_bits(state);
    }
    num_whole = (num_numbers - j) / BLOCK_NUMBERS;
    make_blocks(state, &numbers[j], num_whole);
    for (j += num_whole * BLOCK_NUMBERS; j < num_numbers; j++) {
        numbers[j] = next_bits(state);
    }
}

double spot_rng_uniform(spot_rng_t *self)
{
    return spot_rng_double(next_bits(&self->state));
}

/* The same law and draws as gsl_ran_exponential(): 1 - u is exact and never 0, and its
 * logarithm costs half as much as log1p(-u). */
double spot_rng_exponential(spot_rng_t *self, double mean)
{
    return -mean * log(1 - spot_rng_uniform(self));
}

/* Lemire, "Fast random integer generation in an interval", ACM TOMACS 29(1), 2019. */
uint64_t spot_rng_below(spot_rng_t *self, uint64_t limit)
{
    wide_t product = (wide_t) next_bits(&self->state) * limit;

    assert(limit > 0);
    if ((uint64_t) product < limit) {
        const uint64_t threshold = -limit % limit;

        while ((uint64_t) product < threshold) {
            product = (wide_t) next_bits(&self->state) * limit;
        }
    }
    return (uint64_t) (product >> 64);
}

/* ---- Parts ---- */

int spot_parts_add(spot_parts_t *self, double weight)
{
    const double sum = spot_parts_sum(self) + weight;

    return SPOT_ARRAY_APPEND(self, until, sum);
}

double spot_parts_sum(const spot_parts_t *self)
{
    return self->num_until == 0 ? 0 : self->until[self->num_until - 1];
}

size_t spot_parts_draw(const spot_parts_t *self, spot_rng_t *rng)
{
    const double at = spot_rng_uniform(rng) * spot_parts_sum(self);
    size_t low = 0, high = self->num_until - 1;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (at < self->until[middle]) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}
