/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/study/precision.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/stats.h"

/* A round at most multiplies the replications of a point by this: a prediction from few
 * of them is poor. */
#define MAX_GROWTH 2.0

const spot_field_t spot_precision_fields[] = {
    {.name = "metric",
        .type = SPOT_FIELD_TEXT,
        .offset = offsetof(spot_until_t, metric),
        .help = "metric whose mean is to be known"},
    {.name = "half_width",
        .type = SPOT_FIELD_NUMBER,
        .offset = offsetof(spot_until_t, half_width),
        .max = HUGE_VAL,
        .initial = "0",
        .help = "half the width of its confidence interval, in the metric's unit"},
    {.name = "relative_half_width",
        .type = SPOT_FIELD_NUMBER,
        .offset = offsetof(spot_until_t, relative_half_width),
        .max = 1,
        .initial = "0",
        .help = "the same as a fraction of the mean, instead of half_width"},
    {.name = "confidence",
        .type = SPOT_FIELD_NUMBER,
        .offset = offsetof(spot_until_t, confidence),
        .min = 0.5,
        .max = 0.9999,
        .initial = "0.95",
        .help = "confidence of the interval"},
    {.name = NULL},
};

/* A key of replications is only there for some of the ways to say how many. */
static void
check_exclusion(spot_bind_t *bind, const spot_node_t *replications, const char *key,
    const char *problem)
{
    const spot_node_t *node = spot_node_get(replications, key);

    if (node != NULL && problem != NULL) {
        spot_bind_error(bind, node, key, "%s", problem);
    }
}

/* The minimum in whole batches, which depend on neither threads nor shards; at most the
 * maximum, which is kept exactly. Says so where another one was asked for. */
static int64_t
whole_minimum(const spot_study_t *study, spot_bind_t *bind, const spot_node_t *node)
{
    const spot_replications_t *replications = &study->replications;
    const int64_t size = spot_study_batch_size(&study->head);
    const int64_t whole = (replications->min + size - 1) / size * size;
    const int64_t used = whole < replications->max ? whole : replications->max;

    if (node != NULL && replications->min < used) {
        spot_diag_warn(bind->diag, node->file, node->line, node->column,
            "replications.min: %" PRId64 " is not a multiple of %" PRId64
            ", the replications of a batch: each point gets at least %" PRId64,
            replications->min, size, used);
    }
    return used;
}

void
spot_precision_bind(spot_study_t *study, spot_bind_t *bind)
{
    const spot_node_t *node = spot_node_get(study->document.root, "replications");
    spot_replications_t *replications = &study->replications;
    const spot_until_t *until = &replications->until;
    const bool is_until = until->metric != NULL,
               is_race = spot_node_get(study->document.root, "optimise") != NULL;
    const char *const no_limits =
        is_until || is_race ? NULL : "is used with until or optimise only";

    strcpy(bind->path, "replications.");
    check_exclusion(bind, node, "count",
        is_until  ? "is not used with until: use min and max"
        : is_race ? "is not used with optimise: use min and max"
                  : NULL);
    check_exclusion(bind, node, "min", no_limits);
    check_exclusion(bind, node, "max", no_limits);
    check_exclusion(bind, node, "until",
        is_race ? "is not used with optimise: use min and max" : NULL);
    if (is_until && (until->half_width > 0) == (until->relative_half_width > 0)) {
        spot_bind_error(bind, spot_node_get(node, "until"), "until",
            "needs either half_width or relative_half_width, above 0");
    }
    if ((is_until || is_race) && replications->min > replications->max) {
        spot_bind_error(bind, spot_node_place(node, "min"), "min",
            "%" PRId64 " is above max, %" PRId64, replications->min, replications->max);
    }
    bind->path[0] = '\0';
    study->head.until = *until;
    replications->until.metric = NULL;
    study->head.num_replications =
        no_limits == NULL ? replications->max : replications->count;
    study->head.min_replications =
        no_limits == NULL ? whole_minimum(study, bind, spot_node_get(node, "min"))
                          : replications->count;
}

/* What is known of a point. */
typedef struct {
    spot_moments_t moments; /* of the replications [0, num_seen) */
    int64_t num_seen;
    bool is_done;
} knowledge_t;

typedef struct {
    const spot_study_t *study;
    size_t metric_id;       /* in the head */
    knowledge_t *knowledge; /* [num_points] */
} precision_t;

typedef struct {
    spot_moments_t *moments;
    size_t metric_id;
    int64_t end; /* replication behind the last one that is read */
} reader_t;

enum { READ_ALL = 1 };

static int
read_row(void *context, const spot_row_t *row)
{
    const reader_t *self = context;

    if (row->replication >= self->end) {
        return READ_ALL;
    }
    if (isfinite(row->metrics[0])) {
        spot_moments_add(self->moments, row->metrics[0]);
    }
    return 0;
}

/* The same of whole batches, of which targets are made. */
static int
read_batch(void *context, int64_t first_replication, int64_t num_rows,
    const spot_column_summary_t *columns)
{
    const reader_t *self = context;

    (void) num_rows;
    if (first_replication >= self->end) {
        return READ_ALL;
    }
    spot_moments_merge(self->moments, &columns[self->metric_id].moments);
    return 0;
}

/* The replications that should do, in whole batches. */
static int64_t
next_target(const precision_t *self, const knowledge_t *point)
{
    const spot_study_head_t *head = &self->study->head;
    const int64_t size = spot_study_batch_size(head);
    const double excess = spot_until_excess(&head->until, &point->moments);
    double wanted = (double) head->min_replications;

    if (point->num_seen > 0) {
        wanted = (double) point->num_seen * fmin(excess * excess, MAX_GROWTH);
        wanted = fmax(wanted, (double) (point->num_seen + 1));
    }
    wanted = ceil(wanted / (double) size) * (double) size;
    return (int64_t) fmin(wanted, (double) head->num_replications);
}

/* Takes note of the replications of a point up to its target, and of no others that are
 * there: a decision depends on those alone. */
static int
read_round(precision_t *self, const spot_store_t *store, size_t point_id, int64_t target)
{
    knowledge_t *point = &self->knowledge[point_id];
    reader_t reader = {&point->moments, self->metric_id, target};
    const spot_wanted_rows_t wanted = {.point_id = point_id,
        .first_replication = point->num_seen,
        .first_metric = self->metric_id,
        .num_metrics = 1};
    const int ret = store->head->keep == SPOT_KEEP_ROWS
                        ? store->read_metrics(store, &wanted, read_row, &reader)
                        : store->read_summaries(
                              store, point_id, point->num_seen, read_batch, &reader);

    point->num_seen = target;
    point->is_done = spot_until_excess(&self->study->head.until, &point->moments) <= 1 ||
                     target >= self->study->head.num_replications;
    return ret == READ_ALL ? 0 : ret;
}

static int
next_round(void *state, const spot_store_t *store, int64_t *targets, bool *is_more)
{
    precision_t *self = state;
    int ret = 0;

    *is_more = false;
    for (size_t j = 0; ret == 0 && j < store->head->num_points; j++) {
        if (!self->knowledge[j].is_done && targets[j] > 0) {
            ret = read_round(self, store, j, targets[j]);
        }
        if (!self->knowledge[j].is_done) {
            targets[j] = next_target(self, &self->knowledge[j]);
            *is_more = true;
        }
    }
    return ret;
}

static void
free_state(void *state)
{
    precision_t *self = state;

    if (self != NULL) {
        free(self->knowledge);
        free(self);
    }
}

int
spot_precision_policy(
    spot_policy_t *self, const spot_study_t *study, int64_t shard_id, int64_t num_shards)
{
    const spot_study_head_t *head = &study->head;
    precision_t *state = spot_calloc(1, sizeof(*state));

    *self = (spot_policy_t){.state = state,
        .next = next_round,
        .free = free_state,
        .needs_whole_points = true};
    if (state == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    state->study = study;
    state->metric_id = spot_study_watched_metric(head);
    state->knowledge = spot_calloc(head->num_points, sizeof(*state->knowledge));
    if (state->knowledge == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < head->num_points; j++) {
        state->knowledge[j].is_done = (int64_t) j % num_shards != shard_id;
    }
    return 0;
}
