/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/duration_history.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Which parts of a key must be equal, the closest first. */
static const struct {
    bool has_user, has_gpus, has_model;
} levels[] = {
    {true, true, true},
    {true, false, true},
    {true, true, false},
    {true, false, false},
    {false, false, false},
};
enum { NUM_LEVELS = sizeof(levels) / sizeof(levels[0]), MIN_PLACES = 64 };

struct spot_duration_mean {
    spot_duration_key_t key; /* parts that the level leaves out are 0 */
    int32_t level;
    int64_t num_jobs; /* 0: the place is free */
    int64_t sum_s;
};

static struct spot_duration_mean
at_level(spot_duration_key_t key, int32_t level)
{
    const struct spot_duration_mean mean = {
        .key = {levels[level].has_user ? key.user_id : 0,
            levels[level].has_gpus ? key.gpu_num : 0,
            levels[level].has_model ? key.model_id : 0},
        .level = level};

    return mean;
}

static bool
is_same(const struct spot_duration_mean *first, const struct spot_duration_mean *second)
{
    return first->level == second->level && first->key.user_id == second->key.user_id &&
           first->key.gpu_num == second->key.gpu_num &&
           first->key.model_id == second->key.model_id;
}

/* The finaliser of SplitMix64 (Steele, Lea, Flood 2014) over the parts of a key. */
static uint64_t
mix(uint64_t number)
{
    number += UINT64_C(0x9e3779b97f4a7c15);
    number = (number ^ (number >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    number = (number ^ (number >> 27)) * UINT64_C(0x94d049bb133111eb);
    return number ^ (number >> 31);
}

/* The place of a mean, or the free one where it belongs. There is a free one. */
static struct spot_duration_mean *
place_of(const spot_duration_history_t *self, const struct spot_duration_mean *wanted)
{
    const uint64_t user_gpus =
        (uint64_t) (uint32_t) wanted->key.user_id << 32 | (uint32_t) wanted->key.gpu_num;
    const uint64_t model_level =
        (uint64_t) (uint32_t) wanted->key.model_id << 32 | (uint32_t) wanted->level;
    size_t j = (size_t) mix(mix(user_gpus) ^ model_level) & (self->num_places - 1);

    while (self->places[j].num_jobs > 0 && !is_same(&self->places[j], wanted)) {
        j = (j + 1) & (self->num_places - 1);
    }
    return &self->places[j];
}

/* Keeps half of the places free. */
static int
make_room(spot_duration_history_t *self, size_t num_more)
{
    spot_duration_history_t grown = *self;

    if (2 * (self->num_means + num_more) <= self->num_places) {
        return 0;
    }
    grown.num_places = self->num_places == 0 ? MIN_PLACES : 2 * self->num_places;
    grown.places = spot_calloc(grown.num_places, sizeof(*grown.places));
    if (grown.places == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < self->num_places; j++) {
        if (self->places[j].num_jobs > 0) {
            *place_of(&grown, &self->places[j]) = self->places[j];
        }
    }
    free(self->places);
    *self = grown;
    return 0;
}

int
spot_duration_history_add(
    spot_duration_history_t *self, spot_duration_key_t key, int64_t duration_s)
{
    if (make_room(self, NUM_LEVELS) != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (int32_t level = 0; level < NUM_LEVELS; level++) {
        const struct spot_duration_mean wanted = at_level(key, level);
        struct spot_duration_mean *mean = place_of(self, &wanted);

        if (mean->num_jobs == 0) {
            *mean = wanted;
            self->num_means++;
        }
        mean->num_jobs++;
        mean->sum_s += duration_s;
    }
    return 0;
}

int64_t
spot_duration_history_estimate(
    const spot_duration_history_t *self, spot_duration_key_t key)
{
    for (int32_t level = 0; level < NUM_LEVELS && self->num_places > 0; level++) {
        const struct spot_duration_mean wanted = at_level(key, level);
        const struct spot_duration_mean *mean = place_of(self, &wanted);

        if (mean->num_jobs > 0) {
            return mean->sum_s / mean->num_jobs;
        }
    }
    return SPOT_DURATION_UNKNOWN_S;
}

void
spot_duration_history_free(spot_duration_history_t *self)
{
    free(self->places);
    memset(self, 0, sizeof(*self));
}

void
spot_duration_history_verify(const spot_duration_history_t *self)
{
    int64_t num_jobs[NUM_LEVELS] = {0};
    size_t num_means = 0;

    spot_bug_assert((self->num_places & (self->num_places - 1)) == 0);
    for (size_t j = 0; j < self->num_places; j++) {
        const struct spot_duration_mean *mean = &self->places[j];

        if (mean->num_jobs > 0) {
            spot_bug_assert(place_of(self, mean) == mean);
            num_jobs[mean->level] += mean->num_jobs;
            num_means++;
        }
    }
    spot_bug_assert(num_means == self->num_means && 2 * num_means <= self->num_places);
    for (size_t level = 1; level < NUM_LEVELS; level++) {
        spot_bug_assert(num_jobs[level] == num_jobs[0]);
    }
}
