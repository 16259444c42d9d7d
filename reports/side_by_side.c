/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/side_by_side.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "reports/side_by_side_internal.h"
#include "reports/study_words.h"

static const spot_study_head_t *
head_of(const spot_side_by_side_t *self, int side)
{
    return self->sides[side].report->head;
}

/* Whether the same replication of both may be compared. */
static bool
can_pair(const spot_side_by_side_t *self)
{
    const spot_study_head_t *before = head_of(self, SPOT_BEFORE),
                            *after = head_of(self, SPOT_AFTER);

    return before->seed == after->seed;
}

static int
choose_metrics(spot_side_by_side_t *self)
{
    const spot_study_head_t *before = head_of(self, SPOT_BEFORE),
                            *after = head_of(self, SPOT_AFTER);

    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        self->metric_ids[side] =
            spot_calloc(before->num_metrics, sizeof(*self->metric_ids[side]));
        if (self->metric_ids[side] == NULL) {
            return SPOT_ERR_NO_MEMORY;
        }
    }
    for (size_t j = 0; j < before->num_metrics; j++) {
        const spot_metric_t *metric = &before->metrics[j];
        const size_t after_id = spot_study_metric_id(after, metric->name);

        if (after_id == after->num_metrics ||
            (j >= before->num_listed && after_id >= after->num_listed) ||
            strcmp(metric->unit, after->metrics[after_id].unit) != 0) {
            continue;
        }
        if (j == spot_main_metric(before)) {
            self->main_id = self->num_metrics;
        }
        self->metric_ids[SPOT_BEFORE][self->num_metrics] = j;
        self->metric_ids[SPOT_AFTER][self->num_metrics++] = after_id;
    }
    return 0;
}

/* Before, after and difference are of the same replications; of all of them where the
 * sides have none in common. */
static void
fill_change(spot_metric_change_t *change, const spot_metric_t *metric,
    const spot_summary_t *before, const spot_summary_t *after, const spot_paired_t *pair)
{
    const spot_summary_t *summaries[SPOT_NUM_SIDES] = {
        [SPOT_BEFORE] = before, [SPOT_AFTER] = after};
    const bool is_paired = pair->difference.num_values > 1 ||
                           (pair->difference.num_values == 1 &&
                               (before->num_values < 2 || after->num_values < 2));
    const spot_moments_t *sides[SPOT_NUM_SIDES] = {
        [SPOT_BEFORE] = is_paired ? &pair->y : &before->moments,
        [SPOT_AFTER] = is_paired ? &pair->x : &after->moments};

    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        change->means[side] = spot_moments_mean(sides[side]);
        change->half_widths[side] =
            spot_moments_half_width(sides[side], SPOT_CONFIDENCE);
        if (spot_metric_estimator(metric) >= SPOT_ESTIMATOR_PROBABILITY) {
            change->means[side] = summaries[side]->value;
            change->half_widths[side] = summaries[side]->half_width;
        }
    }
    if (is_paired) {
        change->difference = spot_paired_mean(pair);
        change->half_width = spot_paired_half_width(pair, SPOT_CONFIDENCE);
        change->num_pairs = pair->difference.num_values;
    } else {
        change->difference = change->means[SPOT_AFTER] - change->means[SPOT_BEFORE];
        change->half_width =
            spot_welch_half_width(&after->moments, &before->moments, SPOT_CONFIDENCE);
    }
    change->ratio = change->means[SPOT_BEFORE] == 0
                        ? (double) NAN
                        : change->difference / fabs(change->means[SPOT_BEFORE]);
    change->is_marked = fabs(change->difference) > change->half_width;
}

/* pairs: [num_metrics] to work in. */
static int
compare_pair(spot_side_by_side_t *self, size_t pair_id, spot_paired_t *pairs)
{
    spot_compared_t compared[SPOT_NUM_SIDES];
    int ret = 0;

    memset(pairs, 0, self->num_metrics * sizeof(*pairs));
    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        compared[side] = (spot_compared_t){self->sides[side].report->store,
            self->match.point_ids[side][pair_id], self->metric_ids[side]};
    }
    if (can_pair(self)) {
        ret = spot_store_difference_between(
            &compared[SPOT_AFTER], &compared[SPOT_BEFORE], self->num_metrics, pairs);
    }
    for (size_t j = 0; ret == 0 && j < self->num_metrics; j++) {
        const spot_summary_t *summaries[SPOT_NUM_SIDES];

        for (int side = 0; side < SPOT_NUM_SIDES; side++) {
            summaries[side] = spot_report_summary(self->sides[side].report,
                compared[side].point_id, self->metric_ids[side][j]);
        }
        fill_change(&self->changes[pair_id * self->num_metrics + j],
            spot_side_by_side_metric(self, j), summaries[SPOT_BEFORE],
            summaries[SPOT_AFTER], &pairs[j]);
    }
    return ret;
}

int
spot_side_by_side_init(spot_side_by_side_t *self, const spot_side_t *sides)
{
    spot_match_side_t matched[SPOT_NUM_SIDES];
    spot_paired_t *pairs = NULL;
    int ret;

    memset(self, 0, sizeof(*self));
    self->sides = sides;
    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        matched[side] = (spot_match_side_t){head_of(self, side), sides[side].canonical};
    }
    ret = choose_metrics(self);
    if (ret == 0) {
        ret = spot_point_match_init(&self->match, matched);
    }
    if (ret == 0) {
        self->changes = spot_calloc(
            self->match.num_pairs * self->num_metrics, sizeof(*self->changes));
        pairs = spot_calloc(self->num_metrics, sizeof(*pairs));
        ret = self->changes == NULL || pairs == NULL ? SPOT_ERR_NO_MEMORY : 0;
    }
    for (size_t j = 0; ret == 0 && j < self->match.num_pairs; j++) {
        ret = compare_pair(self, j, pairs);
    }
    free(pairs);
    return ret == 0 ? spot_side_by_side_tell(self) : ret;
}

void
spot_side_by_side_free(spot_side_by_side_t *self)
{
    for (size_t j = 0; j < self->num_sentences; j++) {
        free(self->sentences[j]);
    }
    free(self->sentences);
    free(self->changes);
    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        free(self->metric_ids[side]);
    }
    spot_point_match_free(&self->match);
    memset(self, 0, sizeof(*self));
}

const spot_metric_t *
spot_side_by_side_metric(const spot_side_by_side_t *self, size_t metric_id)
{
    return &head_of(self, SPOT_BEFORE)
                ->metrics[self->metric_ids[SPOT_BEFORE][metric_id]];
}

size_t
spot_side_by_side_num_marked(const spot_side_by_side_t *self, size_t metric_id)
{
    size_t num_marked = 0;

    for (size_t j = 0; j < self->match.num_pairs; j++) {
        num_marked += self->changes[j * self->num_metrics + metric_id].is_marked;
    }
    return num_marked;
}

/* Differences that are defined, and what they rest on. */
typedef struct {
    size_t num_defined, num_unpaired;
    int64_t fewest, most; /* pairs, of those that have any; most 0: none has */
} rest_t;

static rest_t
rest_of(const spot_side_by_side_t *self)
{
    rest_t rest = {.fewest = INT64_MAX};

    for (size_t j = 0; j < self->match.num_pairs * self->num_metrics; j++) {
        const int64_t num_pairs = self->changes[j].num_pairs;

        if (!isfinite(self->changes[j].difference)) {
            continue;
        }
        rest.num_defined++;
        rest.num_unpaired += num_pairs == 0;
        rest.fewest = num_pairs > 0 && num_pairs < rest.fewest ? num_pairs : rest.fewest;
        rest.most = num_pairs > rest.most ? num_pairs : rest.most;
    }
    return rest;
}

/* Why no difference is one of pairs. */
static const char *
unpaired_reason(const spot_side_by_side_t *self)
{
    return head_of(self, SPOT_BEFORE)->seed == head_of(self, SPOT_AFTER)->seed
               ? "no two replications are the same"
               : "the seeds differ";
}

void
spot_side_by_side_basis(const spot_side_by_side_t *self, char text[SPOT_BASIS_BYTES])
{
    const rest_t rest = rest_of(self);
    const char *others = rest.num_unpaired > 0 ? ", some of independent samples" : "";

    if (rest.num_defined == 0) {
        snprintf(text, SPOT_BASIS_BYTES, "no metric has a value in both at any point");
    } else if (rest.most == 0) {
        snprintf(text, SPOT_BASIS_BYTES, "differences of independent samples: %s",
            unpaired_reason(self));
    } else if (rest.fewest < rest.most) {
        snprintf(text, SPOT_BASIS_BYTES,
            "differences within %" PRId64 " to %" PRId64 " pairs of replications%s",
            rest.fewest, rest.most, others);
    } else {
        snprintf(text, SPOT_BASIS_BYTES,
            "differences within %" PRId64 " pair%s of replications%s", rest.most,
            rest.most == 1 ? "" : "s", others);
    }
}
