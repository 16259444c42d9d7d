/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keys of the map arrivals and their checks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory_limit.h"
#include "base/units.h"
#include "traces/queries/query_files.h"

#define SETTING spot_arrivals_setting_t
#define MIN_QPS 1e-6
#define MAX_QPS 1e9
#define MAX_COUNT 1e9
#define MAX_SCV 1e6
#define MAX_DURATION_NS (1e6 * (double) SPOT_MAX_DURATION_MS)

#define RATE                                                                                       \
    {                                                                                              \
        SPOT_WITHIN(NUMBER, "rate_qps", SETTING, rate_qps, MIN_QPS, MAX_QPS, NULL,                 \
            "query rate per second", "mean rate, queries a second")                                \
    }
#define COUNT                                                                                      \
    {                                                                                              \
        SPOT_WITHIN(INTEGER, "count", SETTING, count, 0, MAX_COUNT, NULL, "queries",               \
            "times between queries: there is one query more")                                      \
    }
#define OF_FILE(text)                                                                              \
    {SPOT_VALUE(PATH, "file", SETTING, file, NULL, text)},                                         \
        {SPOT_WITHIN(INTEGER, "count", SETTING, count, 1, MAX_COUNT, "", "queries",                \
            "only so many times between queries (default: all)")},                                 \
    {                                                                                              \
        SPOT_WITHIN(NUMBER, "rescale_qps", SETTING, rescale_qps, MIN_QPS, MAX_QPS, "",             \
            "query rate per second",                                                               \
            "mean rate to which they are stretched (default: as they are)")                        \
    }

static const spot_field_t rate_fields[] = {RATE, COUNT, {.name = NULL}};

static const spot_field_t gamma_fields[] = {
    RATE,
    {SPOT_WITHIN(NUMBER, "cv", SETTING, cv, 0, 1e3, "", "CV of arrivals",
        "coefficient of variation of the times between queries; or give scv")},
    {SPOT_WITHIN(NUMBER, "scv", SETTING, scv, 0, MAX_SCV, "", "SCV of arrivals",
        "its square: 1 is Poisson, more is burstier, 0 constant")},
    COUNT,
    {SPOT_WITHIN(DURATION_NS, "clip", SETTING, clip_ns, 0, MAX_DURATION_NS, "0 ms",
        "no time between queries is shorter")},
    {.name = NULL},
};

static const spot_field_t deltas_fields[] = {
    OF_FILE("a line for each time between queries, ms"),
    {.name = NULL},
};

static const spot_field_t trace_fields[] = {
    OF_FILE("CSV with a column time_s, time_ms or time_ns"),
    {.name = NULL},
};

static const spot_field_t varying_fields[] = {
    {SPOT_VALUE(PATH, "file", SETTING, file, NULL,
        "CSV with the columns minute, from 0, and requests_per_minute from then on")},
    {.name = NULL},
};

static const spot_field_t daily_fields[] = {
    {SPOT_WITHIN(NUMBER, "peak_qps", SETTING, peak_qps, MIN_QPS, MAX_QPS, NULL,
        "peak query rate per second", "highest rate of the day, queries a second")},
    {SPOT_WITHIN(NUMBER, "low_qps", SETTING, low_qps, 0, MAX_QPS, NULL, "low query rate per second",
        "lowest rate, 12 h from the highest one")},
    {SPOT_WITHIN(DURATION_NS, "peak_at", SETTING, peak_at_ns, 0, 8.64e13, "14 h",
         "time of the peak", "time of the highest rate, from the start of the run"),
        SPOT_DECIDES},
    {SPOT_WITHIN(INTEGER, "days", SETTING, days, 1, 3650, "1", "days", "length of the run"),
        SPOT_DECIDES},
    {.name = NULL},
};

/* A gamma law has one of cv and scv; scv is made of cv. */
static void settle_gamma(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    spot_arrivals_setting_t *self = target;
    const spot_node_t *cv = spot_node_get(node, "cv");
    const spot_node_t *scv = spot_node_get(node, "scv");

    (void) field;
    if (cv != NULL && scv != NULL) {
        spot_bind_error(bind, scv, NULL, "give cv or scv, not both (scv is the square of cv)");
    } else if (cv == NULL && scv == NULL) {
        spot_bind_error(bind, node, NULL, "give cv or scv (scv is the square of cv)");
    } else if (cv != NULL) {
        self->scv = self->cv * self->cv;
    }
}

/* The end of daily arrivals. */
static void settle_daily(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    spot_arrivals_setting_t *self = target;

    (void) field;
    self->rates_end_ns = self->days * SPOT_MS_PER_D * 1000000;
    if (self->low_qps > self->peak_qps) {
        spot_bind_error(bind, spot_node_get(node, "low_qps"), NULL,
            "low_qps: %.15g is above peak_qps", self->low_qps);
    }
}

/* Checks a delta of the scenario. */
static void settle_delta(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    (void) field;
    if (*(double *) target < 0) {
        spot_bind_error(bind, node, NULL, "negative delta %s", node->text);
        *(double *) target = 0;
    }
}

static const spot_field_t delta_item = {.type = SPOT_FIELD_NUMBER, .settle = settle_delta};

const spot_field_t spot_arrivals_fields[] = {
    {SPOT_GROUP("poisson", rate_fields, "", "queries at random, at a rate")},
    {SPOT_GROUP("gamma", gamma_fields, "",
         "times between queries from a gamma law: burstier, or smoother"),
        .settle = settle_gamma},
    {SPOT_GROUP("constant", rate_fields, "", "equal times between queries")},
    {SPOT_GROUP("deltas", deltas_fields, "", "times between queries from a file")},
    {SPOT_ITEMS(LIST, "deltas_ms", SETTING, deltas_ms, num_deltas, delta_item, 0, HUGE_VAL, "",
        "a list of times such as [1.5, 20]", "times between queries, ms")},
    {SPOT_GROUP("trace", trace_fields, "", "times of queries from a file")},
    {SPOT_GROUP("varying", varying_fields, "",
        "queries at random, at a rate that a file gives for each minute")},
    {SPOT_GROUP(
         "daily", daily_fields, "", "queries at random, at a rate that rises and falls each day"),
        .settle = settle_daily},
    {.name = NULL},
};

/* ---- Checks ---- */

static int read_file(spot_arrivals_setting_t *self, spot_bind_t *bind, const spot_node_t *node)
{
    const size_t num_errors = bind->diag->num_errors;
    const bool is_trace = self->kind == SPOT_ARRIVALS_TRACE;
    const int64_t num_deltas = self->count;
    int ret;

    if (self->kind == SPOT_ARRIVALS_VARYING) {
        return spot_query_rates_read(self, self->file, bind->diag);
    }
    ret = is_trace ? spot_query_trace_read(self, self->file, num_deltas, bind->diag)
                   : spot_query_deltas_read(self, self->file, num_deltas, bind->diag);
    if (bind->diag->num_errors == num_errors && num_deltas > 0 &&
        (int64_t) self->num_deltas < num_deltas) {
        spot_bind_error(bind, spot_node_get(node, "count"), NULL,
            "count %lld, but the file has %zu deltas", (long long) num_deltas, self->num_deltas);
    }
    return ret;
}

/* Checks the number of drawn queries, and their length by the mean. */
static void check_drawn(
    const spot_arrivals_setting_t *self, spot_bind_t *bind, const spot_node_t *node)
{
    const double gap_ns = fmax(1e9 / self->rate_qps, (double) self->clip_ns);

    if (self->peak_qps * (double) self->rates_end_ns > MAX_COUNT * 1e9) {
        spot_bind_error(
            bind, node, NULL, "the highest rate gives more than %.0f queries", MAX_COUNT);
    } else if (self->rate_qps > 0 &&
               (double) self->count * gap_ns > (double) SPOT_MAX_ARRIVALS_NS) {
        spot_bind_error(bind, node, NULL, "arrivals last longer than 2^62 ns");
    }
}

/* Checks the length of given arrivals, and that they can be rescaled. NO_MEMORY. */
static int check_given(
    const spot_arrivals_setting_t *self, spot_bind_t *bind, const spot_node_t *node)
{
    spot_arrivals_t arrivals = {0};
    int ret = spot_arrivals_draw(&arrivals, self, 0, 0);

    if (ret == SPOT_ERR_BAD_PARAM) {
        spot_bind_error(bind, node, NULL, "arrivals last longer than 2^62 ns");
        ret = 0;
    } else if (ret == 0 && self->rescale_qps > 0 && isnan(arrivals.base_qps)) {
        spot_bind_error(
            bind, spot_node_get(node, "rescale_qps"), NULL, "no arrival rate: all deltas are 0");
    }
    spot_arrivals_free(&arrivals);
    return ret;
}

/* Sets the kind. Reports none, and more than one; an unknown key alone is reported
 * already. */
static const spot_node_t *find_kind(
    spot_arrivals_setting_t *self, spot_bind_t *bind, const spot_node_t *root)
{
    const spot_node_t *found = NULL;

    if (root->kind == SPOT_NODE_MAP && root->num_children != 1) {
        spot_bind_error(bind, root, NULL,
            "arrivals: exactly one of poisson, gamma, constant, deltas, deltas_ms, "
            "trace, varying, daily");
        return NULL;
    }
    for (int kind = 0; kind < SPOT_NUM_ARRIVALS && found == NULL; kind++) {
        found = spot_node_get(root, spot_arrivals_kind_names[kind]);
        self->kind = (spot_arrivals_kind_t) kind;
    }
    return found;
}

int spot_arrivals_open(spot_arrivals_setting_t *self, spot_bind_t *bind, const spot_node_t *root)
{
    const size_t num_errors = bind->diag->num_errors;
    const spot_node_t *node = find_kind(self, bind, root);
    const bool is_given = self->kind == SPOT_ARRIVALS_DELTAS ||
                          self->kind == SPOT_ARRIVALS_DELTAS_MS ||
                          self->kind == SPOT_ARRIVALS_TRACE;
    int ret = 0;

    if (node == NULL) {
        return SPOT_ERR_BAD_INPUT;
    }
    if (self->file != NULL) {
        ret = read_file(self, bind, node);
    }
    if (ret == 0 && bind->diag->num_errors == num_errors) {
        if (is_given) {
            ret = check_given(self, bind, node);
        } else {
            check_drawn(self, bind, node);
        }
    }
    return ret == 0 && bind->diag->num_errors > num_errors ? SPOT_ERR_BAD_INPUT : ret;
}

int spot_arrivals_check_memory(const spot_arrivals_setting_t *self, spot_diag_t *diag,
    const spot_node_t *root, double more_bytes)
{
    const spot_arrivals_t *arrivals = NULL;
    const double num_queries = spot_arrivals_mean_queries(self);
    const spot_memory_need_t need = {num_queries, "queries",
        spot_array_bytes(num_queries, sizeof(*arrivals->source_ns)) +
            spot_array_bytes(num_queries - 1, sizeof(*arrivals->deltas_ms)) + more_bytes,
        true};
    const spot_node_t *node =
        root->kind == SPOT_NODE_MAP && root->num_children > 0 ? root->children[0] : root;

    return spot_memory_check(&need, diag,
        spot_node_has(node, "count") ? spot_node_get(node, "count") : node, "arrivals");
}

void spot_arrivals_setting_free(spot_arrivals_setting_t *self)
{
    free(self->file);
    free(self->deltas_ms);
    free(self->times_ns);
    free(self->rates);
    *self = (spot_arrivals_setting_t){0};
}
