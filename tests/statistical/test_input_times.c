/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Epochs of the engine input against theory. One process far ahead of a loop that takes
 * no time needs the sum of its times: their means are those of the model, whatever the
 * law, and their variance follows from the number of draws, one for each block that is
 * read and one for each sample that is decoded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/statistical/statistics.h"
#include "tests/unit/input/input_case.h"

#define NPY "test_input_times.npy"
#define NUM_REPLICATIONS 4000
#define NUM_SAMPLES 400
#define READ_S 0.003
#define OPEN_S 0.010
#define DECODE_S 0.002

typedef struct {
    const char *read, *decode; /* laws */
    int block;
    double read_cv, decode_cv;
} law_case_t;

/* The mean and variance of an epoch whose blocks are all full. */
static void check_epochs(const law_case_t *laws)
{
    const double num_blocks = (double) NUM_SAMPLES / laws->block;
    const double block_s = OPEN_S + READ_S * laws->block;
    const double truth_s = num_blocks * block_s + NUM_SAMPLES * DECODE_S + 0.5 + 1;
    const double variance = num_blocks * pow(block_s * laws->read_cv, 2) +
                            NUM_SAMPLES * pow(DECODE_S * laws->decode_cv, 2);
    spot_moments_t epochs = {0}, squares = {0};
    input_case_t self;
    char text[1000];

    snprintf(text, sizeof(text),
        "engine: input\nscenario: case\ncompute: 0 ms\nbatch: 20\n"
        "input: {samples: %d, loader: {processes: 1, prefetch: 100, block: %d}, cost: "
        "{decode: 2 ms, read: {local: 3 ms}, open: {local: 10 ms}, start: 0.5 s, "
        "collate: {time: 50 ms, batch: 20}}}\nspread: {read: %s, decode: %s}\n",
        NUM_SAMPLES, laws->block, laws->read, laws->decode);
    input_case_open(&self, text);
    for (uint64_t j = 0; j < NUM_REPLICATIONS; j++) {
        double epoch_s;

        input_case_run(&self, j, NULL);
        epoch_s = input_case_value(&self, "epoch_s");
        spot_moments_add(&epochs, epoch_s);
        spot_moments_add(&squares, pow(epoch_s - truth_s, 2));
    }
    input_case_close(&self);
    assert_mean("epoch (s)", &epochs, truth_s, 0.01 * truth_s);
    assert_mean("variance (s2)", &squares, variance, 0.4 * variance);
}

static void test_epochs(void **state)
{
    static const double values[] = {1, 1, 1, 5}; /* mean 2, standard deviation sqrt 3 */
    static const law_case_t cases[] = {
        {"{lognormal: {cv: 0.5}}", "constant", 1, 0.5, 0},
        {"constant", "{lognormal: {cv: 1}}", 1, 0, 1},
        {"{gamma: {cv: 0.6}}", "{gamma: {cv: 1.2}}", 4, 0.6, 1.2},
        {"{lognormal: {cv: 0.4}}", "{gamma: {cv: 0.3}}", 50, 0.4, 0.3},
        {"{measured: " NPY "}", "constant", 8, 0.8660254037844386, 0},
        {"{measured: " NPY "}", "{measured: " NPY "}", 1, 0.8660254037844386, 0.8660254037844386},
    };

    (void) state;
    input_case_write(NPY, 4, values);
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        check_epochs(&cases[j]);
    }
    remove(NPY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_epochs)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
