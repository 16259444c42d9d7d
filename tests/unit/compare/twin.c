/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/compare/twin.h"

#include <math.h>
#include <stdlib.h>

#define MAX_VALUES 20000

typedef struct {
    int n;
    double v[MAX_VALUES];
} list_t;

static double population_at(const spot_observation_t *r, double time_ms)
{
    double population = (double) r->initial;

    for (size_t j = 0; j < r->num_events; j++) {
        if (r->events[j].time_ms <= time_ms) {
            population += (double) (r->events[j].kind == SPOT_EVENT_ADD ? r->events[j].count
                                                                        : -r->events[j].count);
        }
    }
    return population;
}

static void list_population(const spot_observation_t *r, list_t *x)
{
    x->n = 0;
    for (double t = 0; t <= r->frame.end_ms; t += (double) r->frame.tick_ms) {
        x->v[x->n++] = population_at(r, t);
    }
}

static void list_gaps(const spot_observation_t *r, spot_event_kind_t kind, list_t *gaps)
{
    double last = -1;

    gaps->n = 0;
    for (size_t j = 0; j < r->num_events; j++) {
        if (r->events[j].kind == kind) {
            if (last >= 0) {
                gaps->v[gaps->n++] = (r->events[j].time_ms - last) / 1000;
            }
            last = r->events[j].time_ms;
        }
    }
}

static void list_counts(const spot_observation_t *r, spot_event_kind_t kind, list_t *counts)
{
    counts->n = 0;
    for (size_t j = 0; j < r->num_events; j++) {
        if (r->events[j].kind == kind) {
            counts->v[counts->n++] = (double) r->events[j].count;
        }
    }
}

/* Per window [k W, (k + 1) W), the last one closed: events, or instances preempted. */
static void list_windows(const spot_observation_t *r, double window_ms, int is_preempted, list_t *w)
{
    w->n = 0;
    for (int k = 0; (k + 1) * window_ms <= r->frame.end_ms; k++) {
        const int is_last = (k + 2) * window_ms > r->frame.end_ms;

        w->v[w->n] = 0;
        for (size_t j = 0; j < r->num_events; j++) {
            const spot_observation_event_t *e = &r->events[j];
            const int is_in =
                e->time_ms >= k * window_ms && (e->time_ms < (k + 1) * window_ms ||
                                                   (is_last && e->time_ms == (k + 1) * window_ms));

            if (is_in && is_preempted && e->kind == SPOT_EVENT_PREEMPT) {
                w->v[w->n] += (double) e->count;
            } else if (is_in && !is_preempted && e->kind != SPOT_EVENT_STOP) {
                w->v[w->n] += 1;
            }
        }
        w->n++;
    }
}

static double mean_of(const list_t *l)
{
    long double sum = 0;

    for (int j = 0; j < l->n; j++) {
        sum += (long double) l->v[j];
    }
    return (double) (sum / l->n);
}

static double variance_of(const list_t *l)
{
    const double mean = mean_of(l);
    long double sum = 0;

    for (int j = 0; j < l->n; j++) {
        sum += (long double) ((l->v[j] - mean) * (l->v[j] - mean));
    }
    return (double) (sum / (l->n - 1));
}

static double acf_of(const list_t *l, int lag)
{
    const double mean = mean_of(l);
    long double over = 0, under = 0;

    for (int j = 0; j < l->n; j++) {
        under += (long double) ((l->v[j] - mean) * (l->v[j] - mean));
        if (j + lag < l->n) {
            over += (long double) ((l->v[j] - mean) * (l->v[j + lag] - mean));
        }
    }
    return under == 0 ? 0 : (double) (over / under);
}

static double ecdf(const list_t *l, double at)
{
    int n = 0;

    for (int j = 0; j < l->n; j++) {
        n += l->v[j] <= at;
    }
    return (double) n / l->n;
}

/* power 0: sup |F - H|; 1, 2: integrals of |F - H|, (F - H)^2. All values are whole, so
 * both functions are constant from each whole number to the next. */
static double distance(const list_t *a, const list_t *b, int power)
{
    double low = a->v[0], high = a->v[0], sum = 0, most = 0;

    for (int j = 0; j < a->n + b->n; j++) {
        const double value = j < a->n ? a->v[j] : b->v[j - a->n];

        low = fmin(low, value);
        high = fmax(high, value);
    }
    for (double at = low; at < high; at++) {
        const double difference = fabs(ecdf(a, at) - ecdf(b, at));

        most = fmax(most, difference);
        sum += power == 1 ? difference : difference * difference;
    }
    return power == 0 ? most : sum;
}

static double acf_distance(const list_t *a, const list_t *b, int num_lags)
{
    double sum = 0;

    for (int k = 1; k <= num_lags; k++) {
        sum += pow(acf_of(a, k) - acf_of(b, k), 2);
    }
    return num_lags > 0 ? sqrt(sum / num_lags) : (double) NAN;
}

static double share(const list_t *l, double low, double high)
{
    int n = 0;

    for (int j = 0; j < l->n; j++) {
        n += l->v[j] >= low && l->v[j] <= high;
    }
    return (double) n / l->n;
}

static void fill_figures(const spot_observation_t *a, list_t *l, double *m)
{
    const double capacity = (double) a->frame.capacity;

    list_counts(a, SPOT_EVENT_PREEMPT, l);
    m[SPOT_FIDELITY_PREEMPT_EVENTS] = l->n;
    m[SPOT_FIDELITY_PREEMPTED] = l->n == 0 ? 0 : mean_of(l) * l->n;
    m[SPOT_FIDELITY_PREEMPT_COUNT_MEAN] = mean_of(l);
    m[SPOT_FIDELITY_PREEMPT_COUNT_VMR] = l->n < 2 ? (double) NAN : variance_of(l) / mean_of(l);
    list_counts(a, SPOT_EVENT_ADD, l);
    m[SPOT_FIDELITY_ADD_EVENTS] = l->n;
    m[SPOT_FIDELITY_ADDED] = l->n == 0 ? 0 : mean_of(l) * l->n;
    m[SPOT_FIDELITY_ADD_COUNT_MEAN] = mean_of(l);
    list_gaps(a, SPOT_EVENT_PREEMPT, l);
    m[SPOT_FIDELITY_MTBP_S] = mean_of(l);
    m[SPOT_FIDELITY_GAP_SD_S] = l->n < 2 ? (double) NAN : sqrt(variance_of(l));
    m[SPOT_FIDELITY_GAP_CV] = m[SPOT_FIDELITY_GAP_SD_S] / m[SPOT_FIDELITY_MTBP_S];
    m[SPOT_FIDELITY_GAP_ACF1] = l->n < 2 ? (double) NAN : acf_of(l, 1);
    list_population(a, l);
    m[SPOT_FIDELITY_MEAN_N] = mean_of(l);
    m[SPOT_FIDELITY_MIN_N] = m[SPOT_FIDELITY_MAX_N] = l->v[0];
    for (int j = 0; j < l->n; j++) {
        m[SPOT_FIDELITY_MIN_N] = fmin(m[SPOT_FIDELITY_MIN_N], l->v[j]);
        m[SPOT_FIDELITY_MAX_N] = fmax(m[SPOT_FIDELITY_MAX_N], l->v[j]);
    }
    m[SPOT_FIDELITY_FRAC_FULL] = share(l, capacity, HUGE_VAL);
    m[SPOT_FIDELITY_FRAC_EMPTY] = share(l, -HUGE_VAL, 0);
    list_windows(a, 3600000, 1, l);
    m[SPOT_FIDELITY_FANO_1H] =
        l->n < 8 || mean_of(l) == 0 ? (double) NAN : variance_of(l) / mean_of(l);
}

static void fill_distances(
    const spot_observation_t *a, const spot_observation_t *b, list_t *l, list_t *k, double *m)
{
    static const spot_event_kind_t kinds[] = {SPOT_EVENT_PREEMPT, SPOT_EVENT_ADD};
    const double capacity = (double) b->frame.capacity;
    const int tick_s = (int) (b->frame.tick_ms / 1000);
    const int window_s = 2 * tick_s > 600 ? 2 * tick_s : 600;
    const int reach = 7200 / tick_s > 12 ? 7200 / tick_s : 12;

    for (int j = 0; j < 2; j++) {
        double *ks = &m[SPOT_FIDELITY_KS_PREEMPT_GAP + 2 * j];

        list_gaps(a, kinds[j], l);
        list_gaps(b, kinds[j], k);
        ks[0] = l->n < 3 || k->n < 3 ? 1 : distance(l, k, 0);
        ks[1] = l->n < 3 || k->n < 3 ? 1 : distance(l, k, 1) / mean_of(k);
    }
    list_counts(a, SPOT_EVENT_PREEMPT, l);
    list_counts(b, SPOT_EVENT_PREEMPT, k);
    m[SPOT_FIDELITY_KS_PREEMPT_COUNT] = l->n < 3 || k->n < 3 ? 1 : distance(l, k, 0);
    list_population(a, l);
    list_population(b, k);
    m[SPOT_FIDELITY_D_MEAN_N] = fabs(mean_of(l) - mean_of(k)) / capacity;
    m[SPOT_FIDELITY_W1_N] = distance(l, k, 1) / capacity;
    m[SPOT_FIDELITY_ENERGY_N] = sqrt(2 * distance(l, k, 2)) / sqrt(capacity);
    m[SPOT_FIDELITY_ACF_N] = acf_distance(l, k, k->n / 4 < reach ? k->n / 4 : reach);
    list_windows(a, 1000.0 * window_s, 0, l);
    list_windows(b, 1000.0 * window_s, 0, k);
    m[SPOT_FIDELITY_ACF_EVENTS] = acf_distance(l, k, k->n / 4 < 12 ? k->n / 4 : 12);
}

void twin_compare(const spot_observation_t *a, const spot_observation_t *b,
    double metrics[SPOT_FIDELITY_NUM_METRICS])
{
    list_t *lists = malloc(2 * sizeof(*lists));

    if (lists == NULL) {
        abort();
    }
    fill_figures(a, &lists[0], metrics);
    fill_distances(a, b, &lists[0], &lists[1], metrics);
    free(lists);
}
