/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers to be timed with: the same for C and C++. */
#pragma once

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { NUM_NUMBERS = 4096, NUM_ROUNDS = 500, NUM_SETS = 4, TEXT_BYTES = 32 };

/* Of the process, for others may use the machine. */
static double numbers_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

/* splitmix64 */
static uint64_t numbers_bits(uint64_t *state)
{
    uint64_t bits = *state += UINT64_C(0x9e3779b97f4a7c15);

    bits = (bits ^ bits >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ bits >> 27) * UINT64_C(0x94d049bb133111eb);
    return bits ^ bits >> 31;
}

static double numbers_draw(int set, uint64_t *state)
{
    double value = (double) (numbers_bits(state) >> 11) * 0x1p-53;

    if (set == 1) {
        return 1e6 * value; /* a mean of many */
    }
    if (set == 2) {
        return floor(1e7 * value) / 1e3; /* milliseconds in seconds */
    }
    if (set == 3) {
        return floor(1e6 * value);
    }
    do {
        const uint64_t bits = numbers_bits(state);

        memcpy(&value, &bits, sizeof(value));
    } while (!isnormal(value));
    return value;
}

/* Prints the least time a number of some rounds: written, and read. */
static void bench_numbers(
    const char *name, size_t (*write)(double value, char *text), double (*read)(const char *text))
{
    static const char *const sets[] = {"random bits", "means", "3 decimals", "integers"};
    static char texts[NUM_NUMBERS][TEXT_BYTES];
    static double values[NUM_NUMBERS];
    uint64_t state = 1;

    printf("%s\n", name);
    for (int set = 0; set < NUM_SETS; set++) {
        double best_s[2] = {1e9, 1e9}, sum = 0;

        for (int j = 0; j < NUM_NUMBERS; j++) {
            values[j] = numbers_draw(set, &state);
        }
        for (int round = 0; round < NUM_ROUNDS; round++) {
            double start_s = numbers_s();

            for (int j = 0; j < NUM_NUMBERS; j++) {
                sum += (double) write(values[j], texts[j]);
            }
            best_s[0] = fmin(best_s[0], numbers_s() - start_s);
            start_s = numbers_s();
            for (int j = 0; j < NUM_NUMBERS; j++) {
                sum += read(texts[j]);
            }
            best_s[1] = fmin(best_s[1], numbers_s() - start_s);
        }
        printf("  %-12s  written %6.1f ns  read %6.1f ns  (%g)\n", sets[set],
            best_s[0] * 1e9 / NUM_NUMBERS, best_s[1] * 1e9 / NUM_NUMBERS, sum);
    }
}
