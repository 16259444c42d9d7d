/* SPDX-License-Identifier: GPL-3.0-or-later */
/* In what two studies differ, in sentences. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/canonical.h"
#include "base/memory.h"
#include "reports/side_by_side_internal.h"
#include "reports/study_words.h"

/* Stands before each difference that is found in canonical texts. */
#define PLACE "B"

static const char *const side_names[] = {"A", "B"};

static int tell(spot_side_by_side_t *self, const char *format, ...) SPOT_PRINTF(2, 3);

static int
tell(spot_side_by_side_t *self, const char *format, ...)
{
    void *sentences = self->sentences;
    char *text = NULL;
    size_t num_bytes;
    FILE *stream = open_memstream(&text, &num_bytes);
    int ret = spot_array_reserve(&sentences, &self->max_sentences,
        self->num_sentences + 1, sizeof(*self->sentences));
    va_list list;

    self->sentences = sentences;
    if (stream == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    va_start(list, format);
    vfprintf(stream, format, list);
    va_end(list);
    if (fclose(stream) != 0 && ret == 0) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    if (ret != 0) {
        free(text);
        return ret;
    }
    self->sentences[self->num_sentences++] = text;
    return 0;
}

/* What is swept is told of points; what the heads have, of the heads. */
static void
drop_others(spot_canonical_t *list, const spot_side_by_side_t *self)
{
    static const char *const keys[] = {"keep", "metrics", "replications", "sweep"};

    for (size_t j = 0; j < sizeof(keys) / sizeof(keys[0]); j++) {
        spot_canonical_drop(list, keys[j]);
    }
    for (size_t j = 0; j < self->match.num_keys; j++) {
        spot_canonical_drop(list, self->match.keys[j].path);
    }
}

static int
tell_scenarios(spot_side_by_side_t *self)
{
    spot_canonical_t lists[SPOT_NUM_SIDES] = {{0}};
    spot_diag_t diag;
    int ret = 0;

    if (self->sides[0].canonical == NULL || self->sides[1].canonical == NULL) {
        return tell(self, "what their scenarios say, which is not known of both");
    }
    spot_diag_init(&diag);
    for (int side = 0; ret == 0 && side < SPOT_NUM_SIDES; side++) {
        ret = spot_canonical_parse(
            &lists[side], PLACE, self->sides[side].canonical, &diag);
        drop_others(&lists[side], self);
    }
    if (ret == 0) {
        spot_canonical_compare(&lists[SPOT_BEFORE], &lists[SPOT_AFTER], PLACE, &diag);
        ret = diag.out_of_memory ? SPOT_ERR_NO_MEMORY : 0;
    }
    for (size_t j = 0; ret == 0 && j < diag.num_items; j++) {
        ret = tell(self, "%s", diag.items[j].text + strlen(PLACE ": "));
    }
    if (ret == 0 && diag.num_errors > diag.num_items) {
        ret = tell(self, "%zu more keys", diag.num_errors - diag.num_items);
    }
    spot_diag_free(&diag);
    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        spot_canonical_free(&lists[side]);
    }
    return ret;
}

static int
tell_keys(spot_side_by_side_t *self)
{
    const spot_point_match_t *match = &self->match;
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < match->num_keys; j++) {
        const spot_match_key_t *key = &match->keys[j];
        const bool is_before = key->axis_ids[SPOT_BEFORE] != SPOT_NO_AXIS;
        const char *swept = side_names[is_before ? SPOT_BEFORE : SPOT_AFTER];
        const char *other = side_names[is_before ? SPOT_AFTER : SPOT_BEFORE];

        if (is_before && key->axis_ids[SPOT_AFTER] != SPOT_NO_AXIS) {
            continue;
        }
        ret = key->fixed == NULL
                  ? tell(self,
                        "%s is swept in %s only and %s does not tell its value: no "
                        "points are matched",
                        key->path, swept, other)
                  : tell(self, "%s is swept in %s only, is %s in %s", key->path, swept,
                        key->fixed, other);
    }
    return ret;
}

/* The metrics of a side that the other has not, or has in another unit. */
static int
tell_metrics(spot_side_by_side_t *self)
{
    const spot_study_head_t *heads[] = {
        self->sides[SPOT_BEFORE].report->head, self->sides[SPOT_AFTER].report->head};
    const size_t num_before = heads[SPOT_BEFORE]->num_listed;
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < num_before + heads[SPOT_AFTER]->num_listed; j++) {
        const int side = j < num_before ? SPOT_BEFORE : SPOT_AFTER;
        const spot_study_head_t *other = heads[1 - side];
        const spot_metric_t *metric =
            &heads[side]->metrics[side == SPOT_BEFORE ? j : j - num_before];
        const size_t other_id = spot_study_metric_id(other, metric->name);

        if (other_id == other->num_metrics) {
            ret = tell(self, "%s is kept in %s only", metric->name, side_names[side]);
        } else if (side == SPOT_BEFORE &&
                   strcmp(metric->unit, other->metrics[other_id].unit) != 0) {
            ret = tell(self, "%s was in %s, is in %s: not compared", metric->name,
                metric->unit, other->metrics[other_id].unit);
        }
    }
    return ret;
}

static int
tell_replications(spot_side_by_side_t *self)
{
    const spot_report_t *before = self->sides[SPOT_BEFORE].report,
                        *after = self->sides[SPOT_AFTER].report;
    char was[SPOT_WORDS_BYTES], is[SPOT_WORDS_BYTES];
    int ret = 0;

    if (before->head->seed != after->head->seed) {
        ret = tell(self, "replications.seed was %" PRIu64 ", is %" PRIu64,
            before->head->seed, after->head->seed);
    }
    if (before->num_rows == 0 || after->num_rows == 0) {
        return ret; /* that nothing can be compared is said in place of it */
    }
    spot_replications_words(before->head, before->min_rows, before->max_rows, was);
    spot_replications_words(after->head, after->min_rows, after->max_rows, is);
    if (ret == 0 && strcmp(was, is) != 0) {
        ret = tell(self, "%s were there, %s are", was, is);
    }
    return ret;
}

static int
tell_points(spot_side_by_side_t *self)
{
    int ret = 0;

    for (int side = 0; ret == 0 && side < SPOT_NUM_SIDES; side++) {
        const size_t num_alone = self->match.num_alone[side];

        if (num_alone > 0) {
            ret = tell(self, "%zu point%s only in %s", num_alone,
                num_alone == 1 ? "" : "s", side_names[side]);
        }
    }
    return ret;
}

int
spot_side_by_side_tell(spot_side_by_side_t *self)
{
    static int (*const parts[])(spot_side_by_side_t *) = {
        tell_scenarios, tell_keys, tell_replications, tell_metrics, tell_points};
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < sizeof(parts) / sizeof(parts[0]); j++) {
        ret = parts[j](self);
    }
    return ret;
}
