/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An engine of your own, as one file engine_NAME.c with a table spot_engine_NAME: here
 * customers queue for servers (M/M/c). docs/engine.md explains its parts. To build, run,
 * sweep and report it:
 *
 *     cmake --preset release -DSPOT_EXTRA_ENGINE=$PWD/share/examples/engine_queue.c
 *     cmake --build --preset release
 *     printf 'scenario: desk\nengine: queue\n' > queue.yaml
 *     spotsim run queue.yaml
 *     spotsim compare queue.yaml --over servers=2,3,4 -o servers.db
 *     spotsim report servers.db -o servers.html
 */
#include <stdlib.h>

#include "base/calendar.h"
#include "base/rng.h"
#include "base/stats.h"
#include "sim/bench/engine/scenario_file.h"

#define MAX_SERVERS 1000
#define NS_PER_S 1000000000

/* A stream of random numbers for each purpose. Customer j takes number j of both, so all
 * points of a study have the same customers. */
#define STREAM_ARRIVALS SPOT_STREAM_OWN
#define STREAM_SERVICES (SPOT_STREAM_OWN + 1)

typedef struct { /* constant once it is bound: all threads share it */
    spot_outputs_t outputs;
    int64_t num_servers, num_measured, num_warm_up;
    double arrivals_per_s, services_per_s;
} scenario_t;

/* The limits keep the end of the longest replication below 2^63 ns. */
static const spot_field_t fields[] = {SPOT_BENCH_FIELDS,
    {"servers", SPOT_FIELD_INTEGER, offsetof(scenario_t, num_servers), 1, MAX_SERVERS, "2",
        .help = "servers of the queue"},
    {"arrivals_per_s", SPOT_FIELD_NUMBER, offsetof(scenario_t, arrivals_per_s), 0.1, 1e5, "1.6",
        .help = "mean rate of arrivals"},
    {"services_per_s", SPOT_FIELD_NUMBER, offsetof(scenario_t, services_per_s), 0.1, 1e5, "1",
        .help = "mean rate of services of a busy server"},
    {"customers", SPOT_FIELD_INTEGER, offsetof(scenario_t, num_measured), 1, 1e8, "100000",
        .help = "customers that are measured"},
    {"warm_up", SPOT_FIELD_INTEGER, offsetof(scenario_t, num_warm_up), 0, 1e8, "10000",
        .help = "customers before them"},
    {.name = NULL}};

enum { WAIT_MEAN, WAIT_P99, UTILISATION, BUSY, NUM_METRICS }; /* BUSY + j: of server j */
static const spot_metric_t metrics[] = {
    {"wait_mean_s", "s", "mean wait for the service", .label = "mean wait",
        .kind = SPOT_METRIC_TIME, .better = SPOT_BETTER_LOWER},
    {"wait_p99_s", "s", "wait that 1 % of the customers exceed", .kind = SPOT_METRIC_TIME,
        .better = SPOT_BETTER_LOWER},
    {"utilisation", "1", "mean share of busy servers", .kind = SPOT_METRIC_SHARE},
    {"busy_fraction.server-{servers}", "1", "share of time it is busy", .kind = SPOT_METRIC_SHARE}};

static const spot_series_column_t columns[] = {
    {.name = "time", .kind = SPOT_COLUMN_INSTANT, .unit = ""},
    {.name = "length", .kind = SPOT_COLUMN_COUNT, .unit = "customers"}};
static const spot_series_kind_t queue_series = {
    "queue", "customers that wait", SPOT_SERIES_LEVELS, NS_PER_S, 2, .columns = columns};

static const spot_outputs_t outputs = {.num_metrics = NUM_METRICS,
    .metrics = metrics,
    .num_series = 1,
    .series = (const spot_series_kind_t *const[]){&queue_series},
    .is_random = true,
    .num_replications = 100,
    .min_replications = 16,
    .batch_replications = 4};

static int queue_bind(void **scenario, const spot_node_t *root, const void *like, spot_diag_t *diag)
{
    (void) like; /* another scenario of the study; there is nothing large to share */
    return spot_plain_bind(scenario, sizeof(scenario_t), fields, &outputs, root, diag);
}

typedef struct { /* the memory of one thread */
    const scenario_t *scenario;
    spot_calendar_t calendar; /* item j: a service of server j ends; last: an arrival */
    spot_rng_t arrivals, services;
    int64_t now_ns, measured_ns, busy_ns[MAX_SERVERS];
    bool is_busy[MAX_SERVERS + 1];
    int64_t num_arrived, num_started; /* the customers between the two wait */
    double time_s[];                  /* by customer: the arrival; once it is served, the wait */
} queue_t;

static int queue_open(void **worker, const void *scenario)
{
    const scenario_t *bound = scenario;
    const size_t num_customers = (size_t) (bound->num_warm_up + bound->num_measured);
    const size_t calendar_bytes = spot_calendar_bytes((size_t) bound->num_servers + 1);
    queue_t *self = *worker =
        calloc(1, sizeof(*self) + num_customers * sizeof(double) + calendar_bytes);

    if (self != NULL) {
        self->scenario = bound;
    }
    return self == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

/* An item of the calendar is due after an exponential time. */
static void plan(queue_t *self, int32_t item, spot_rng_t *rng, double per_s)
{
    const double gap_ns = spot_rng_exponential(rng, NS_PER_S / per_s);

    spot_calendar_move(&self->calendar, item, self->now_ns + (int64_t) gap_ns);
}

/* Moves the clock to the next event, the end of a service or an arrival. */
static void step(queue_t *self)
{
    const scenario_t *scenario = self->scenario;
    const spot_due_t event = *spot_calendar_first(&self->calendar);
    const bool is_measured = self->num_arrived > scenario->num_warm_up;
    const int64_t elapsed_ns = is_measured ? event.tick - self->now_ns : 0;

    self->measured_ns += elapsed_ns;
    for (int32_t j = 0; j < scenario->num_servers; j++) {
        self->busy_ns[j] += self->is_busy[j] ? elapsed_ns : 0;
    }
    self->now_ns = event.tick;
    self->is_busy[event.handle] = false;
    spot_calendar_move(&self->calendar, event.handle, INT64_MAX);
    if (event.handle == scenario->num_servers) {
        self->time_s[self->num_arrived++] = (double) self->now_ns / NS_PER_S;
        if (self->num_arrived < scenario->num_warm_up + scenario->num_measured) {
            plan(self, event.handle, &self->arrivals, scenario->arrivals_per_s);
        }
    }
    for (int32_t j = 0; j < scenario->num_servers; j++) {
        if (self->num_started < self->num_arrived && !self->is_busy[j]) {
            double *time_s = &self->time_s[self->num_started++];

            *time_s = (double) self->now_ns / NS_PER_S - *time_s;
            self->is_busy[j] = true;
            plan(self, j, &self->services, scenario->services_per_s);
        }
    }
}

static int queue_run(void *worker, const spot_replication_t *wanted, double *values,
    unsigned char *warnings, spot_recording_t *recording)
{
    queue_t *self = worker;
    const scenario_t *scenario = self->scenario;
    const size_t num_servers = (size_t) scenario->num_servers;
    const size_t num_waits = (size_t) scenario->num_measured;
    double *wait_s = self->time_s + scenario->num_warm_up, *end = wait_s + num_waits;
    int64_t length = -1;
    int ret = 0;

    (void) warnings; /* there are none */
    *self = (queue_t){.scenario = scenario};
    spot_calendar_init_in(&self->calendar, end, num_servers + 1, INT64_MAX);
    spot_replication_seek(wanted, &self->arrivals, STREAM_ARRIVALS, 0);
    spot_replication_seek(wanted, &self->services, STREAM_SERVICES, 0);
    spot_calendar_move(&self->calendar, (int32_t) num_servers, 0);
    while (ret == 0 && self->num_started < end - self->time_s) {
        if (spot_replication_is_stopped(wanted)) {
            return SPOT_ERR_INTERRUPTED;
        }
        step(self);
        if (recording != NULL && length != self->num_arrived - self->num_started) {
            length = self->num_arrived - self->num_started;
            ret = spot_series_add(recording->series,
                (const spot_cell_t[]){{.integer = self->now_ns}, {.integer = length}});
        }
    }
    if (recording != NULL) {
        recording->end_ticks = self->now_ns;
    }
    values[WAIT_MEAN] = spot_moments_of(wait_s, num_waits).mean;
    spot_quantiles(wait_s, num_waits, 1, (const double[]){0.99}, &values[WAIT_P99]);
    for (size_t j = 0; j < num_servers; j++) {
        values[BUSY + j] = (double) self->busy_ns[j] / (double) self->measured_ns;
    }
    values[UTILISATION] = spot_moments_of(values + BUSY, num_servers).mean;
    return ret;
}

const spot_experiment_t spot_engine_queue = {
    .name = "queue",
    .summary = "Customers who queue for servers",
    .doc = "Poisson arrivals, exponential services, first come first served (M/M/c).",
    .example = "scenario: desk\nengine: queue\n",
    .fields = fields,
    .bind = queue_bind,
    .free = free,
    .outputs = spot_plain_outputs,
    .open = queue_open,
    .close = free,
    .run = queue_run,
};
