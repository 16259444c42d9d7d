/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Queues with Poisson arrivals and constant services, seen where a service starts. The
 * chain is that of Crommelin ("Delay probability formulae when the holding times are
 * constant", Post Office Electrical Engineers' Journal 25, 1932). Include after
 * cmocka.h. */
#pragma once

#include <math.h>
#include <stddef.h>

#define MAX_CUSTOMERS 600
#define MAX_ARRIVALS 120
#define MAX_SERVED 32

/* The stationary law of the number of customers N, which becomes max(N - c, 0) +
 * Poisson: at most c of them are served, and others come meanwhile. num_arriving: [c +
 * 1] the mean number of those, by the number that is served. law: [MAX_CUSTOMERS]. */
static inline void stationary_law(int c, const double *num_arriving, double *law)
{
    static double poisson[MAX_SERVED + 1][MAX_ARRIVALS];
    double change = 1;

    assert_true(c <= MAX_SERVED);
    for (int n = 0; n <= c; n++) {
        for (int j = 0; j < MAX_ARRIVALS; j++) {
            poisson[n][j] = exp(j * log(num_arriving[n]) - num_arriving[n] - lgamma(j + 1.0));
        }
    }
    for (int n = 0; n < MAX_CUSTOMERS; n++) {
        law[n] = n == 0;
    }
    while (change > 1e-13) {
        double next[MAX_CUSTOMERS] = {0};

        for (int n = 0; n < MAX_CUSTOMERS; n++) {
            const int rest = n > c ? n - c : 0;

            for (int j = 0; j < MAX_ARRIVALS && law[n] > 0; j++) {
                next[rest + j < MAX_CUSTOMERS ? rest + j : MAX_CUSTOMERS - 1] +=
                    law[n] * poisson[n < c ? n : c][j];
            }
        }
        change = 0;
        for (int n = 0; n < MAX_CUSTOMERS; n++) {
            change += fabs(next[n] - law[n]);
            law[n] = next[n];
        }
    }
    assert_true(law[MAX_CUSTOMERS - 1] < 1e-12);
}

/* The mean wait of M/D/c in services. Of the customers at some time, the c that are
 * served have gone one service later, and nobody else has; Little's law gives the wait.
 */
static inline double constant_wait(int num_servers, double load)
{
    const double offered = load * num_servers;
    double num_arriving[MAX_SERVED + 1], law[MAX_CUSTOMERS], queued = 0;

    for (int n = 0; n <= num_servers; n++) {
        num_arriving[n] = offered;
    }
    stationary_law(num_servers, num_arriving, law);
    for (int n = num_servers; n < MAX_CUSTOMERS; n++) {
        queued += (n - num_servers) * law[n];
    }
    return queued / offered;
}
