/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/jobs/job_jitter.h"

#include <string.h>

#include "base/rng.h"

#define DIGIT_BITS 11
#define NUM_DIGITS (1 << DIGIT_BITS)

/* Sorts by one digit of the submits after first_s, from order to sorted; stable. */
static void
sort_by_digit(const int64_t *submit_s, int64_t first_s, int shift, size_t num_jobs,
    const int32_t *order, int32_t *sorted)
{
    int32_t starts[NUM_DIGITS + 1] = {0};

    for (size_t j = 0; j < num_jobs; j++) {
        starts[((submit_s[j] - first_s) >> shift) % NUM_DIGITS + 1]++;
    }
    for (size_t j = 0; j < NUM_DIGITS; j++) {
        starts[j + 1] += starts[j];
    }
    for (size_t j = 0; j < num_jobs; j++) {
        sorted[starts[((submit_s[order[j]] - first_s) >> shift) % NUM_DIGITS]++] =
            order[j];
    }
}

void
spot_job_order(
    const int64_t *submit_s, size_t num_jobs, int32_t *order, int32_t *scratch)
{
    int64_t first_s = INT64_MAX, last_s = INT64_MIN;
    int32_t *from = order, *to = scratch;

    for (size_t j = 0; j < num_jobs; j++) {
        first_s = submit_s[j] < first_s ? submit_s[j] : first_s;
        last_s = submit_s[j] > last_s ? submit_s[j] : last_s;
        order[j] = (int32_t) j;
    }
    for (int shift = 0; num_jobs > 0 && (last_s - first_s) >> shift > 0;
         shift += DIGIT_BITS) {
        int32_t *sorted = to;

        sort_by_digit(submit_s, first_s, shift, num_jobs, from, to);
        to = from;
        from = sorted;
    }
    if (from != order) {
        memcpy(order, from, num_jobs * sizeof(*order));
    }
}

void
spot_job_jitter(const spot_job_log_t *log, int64_t jitter_s, uint64_t seed,
    uint64_t replication, int64_t *submit_s, int32_t *order, int32_t *scratch)
{
    spot_rng_t rng;

    for (size_t j = 0; j < log->num_jobs; j++) {
        spot_rng_seek(&rng, seed, replication, SPOT_STREAM_JOB_JITTER, j);
        submit_s[j] = log->jobs[j].submit_s +
                      (int64_t) spot_rng_below(&rng, (uint64_t) jitter_s + 1);
    }
    spot_job_order(submit_s, log->num_jobs, order, scratch);
}
