/* SPDX-License-Identifier: GPL-3.0-or-later */
/* In what two studies differ, in sentences. Only what changes rows is a difference. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/canonical.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "sim/store/stored_study.h"

/* Keys of a canonical text that the head has too, which is where they are compared. */
static void
drop_what_the_head_has(spot_canonical_t *list, const spot_study_head_t *head)
{
    static const char *const keys[] = {"metrics", "replications", "sweep"};

    for (size_t j = 0; j < sizeof(keys) / sizeof(keys[0]); j++) {
        spot_canonical_drop(list, keys[j]);
    }
    for (size_t j = 0; j < head->num_axes; j++) {
        spot_canonical_drop(list, head->axes[j].path);
    }
}

static int
compare_canonical(const spot_stored_study_t *self, const spot_study_head_t *head,
    const char *canonical, const char *place, spot_diag_t *diag, size_t *num_lines)
{
    spot_canonical_t was = {0}, is = {0};
    int ret = spot_canonical_parse(&was, place, self->canonical, diag);

    ret = ret == 0 ? spot_canonical_parse(&is, place, canonical, diag) : ret;
    if (ret == 0) {
        drop_what_the_head_has(&was, &self->head);
        drop_what_the_head_has(&was, head); /* what is swept in one of them only */
        drop_what_the_head_has(&is, &self->head);
        drop_what_the_head_has(&is, head);
        *num_lines += spot_canonical_compare(&was, &is, place, diag);
    }
    spot_canonical_free(&was);
    spot_canonical_free(&is);
    return ret;
}

/* Whether rows have the same columns in the same order: there is one for each metric. */
static size_t
compare_metrics(const spot_study_head_t *was, const spot_study_head_t *is,
    const char *place, spot_diag_t *diag)
{
    char name[SPOT_UTF8_SHOWN_BYTES];
    size_t num_lines = 0;

    for (size_t j = 0; j < was->num_metrics; j++) {
        if (spot_study_metric_id(is, was->metrics[j].name) == is->num_metrics) {
            spot_diag_error(diag, place, 0, 0, "the metric %s was kept, is not",
                spot_utf8_shown(was->metrics[j].name, name));
            num_lines++;
        }
    }
    for (size_t j = 0; j < is->num_metrics; j++) {
        if (spot_study_metric_id(was, is->metrics[j].name) == was->num_metrics) {
            spot_diag_error(diag, place, 0, 0, "the metric %s was not kept, is",
                spot_utf8_shown(is->metrics[j].name, name));
            num_lines++;
        }
    }
    for (size_t j = 0; num_lines == 0 && j < is->num_metrics; j++) {
        if (strcmp(was->metrics[j].name, is->metrics[j].name) != 0) {
            spot_diag_error(diag, place, 0, 0,
                "metric %zu was %s, is %s: keep them in their order", j + 1,
                was->metrics[j].name, spot_utf8_shown(is->metrics[j].name, name));
            num_lines++;
        }
    }
    return num_lines;
}

/* Says which axes of a study another lacks. */
static size_t
miss_axes(const spot_study_head_t *has, const spot_study_head_t *lacks,
    const char *place, const char *words, spot_diag_t *diag)
{
    char path[SPOT_UTF8_SHOWN_BYTES];
    size_t num_lines = 0;

    for (size_t j = 0; j < has->num_axes; j++) {
        bool is_there = false;

        for (size_t k = 0; k < lacks->num_axes; k++) {
            is_there = is_there || strcmp(lacks->axes[k].path, has->axes[j].path) == 0;
        }
        if (!is_there) {
            spot_diag_error(diag, place, 0, 0, "%s %s",
                spot_utf8_shown(has->axes[j].path, path), words);
            num_lines++;
        }
    }
    return num_lines;
}

static size_t
compare_warnings(const spot_study_head_t *was, const spot_study_head_t *is,
    const char *place, spot_diag_t *diag)
{
    bool is_same = was->num_warnings == is->num_warnings;

    for (size_t j = 0; is_same && j < is->num_warnings; j++) {
        is_same = strcmp(was->warnings[j].name, is->warnings[j].name) == 0;
    }
    if (!is_same) {
        spot_diag_error(diag, place, 0, 0,
            "made by another version of spotsim, which knows other warnings");
    }
    return !is_same;
}

/* What of the head rows depend on. */
static size_t
compare_heads(const spot_study_head_t *was, const spot_study_head_t *is,
    const char *place, spot_diag_t *diag)
{
    size_t num_lines = 0;

    if (was->seed != is->seed) {
        spot_diag_error(diag, place, 0, 0,
            "replications.seed was %" PRIu64 ", is %" PRIu64, was->seed, is->seed);
        num_lines++;
    }
    if (was->batch_replications != is->batch_replications) {
        spot_diag_error(diag, place, 0, 0,
            "batches had %" PRId64 " replications, have %" PRId64,
            was->batch_replications, is->batch_replications);
        num_lines++;
    }
    num_lines += miss_axes(was, is, place, "was swept, is not", diag);
    num_lines += miss_axes(is, was, place, "was not swept, is", diag);
    num_lines += compare_metrics(was, is, place, diag);
    return num_lines + compare_warnings(was, is, place, diag);
}

int
spot_stored_study_compare(const spot_stored_study_t *self, const spot_study_head_t *head,
    const char *canonical, const char *place, spot_diag_t *diag, size_t *num_lines)
{
    int ret;

    *num_lines = 0;
    ret = compare_canonical(self, head, canonical, place, diag, num_lines);
    *num_lines += compare_heads(&self->head, head, place, diag);
    return ret;
}

int
spot_stored_study_join(spot_stored_study_t *self, const char *canonical,
    const char *place, spot_diag_t *diag)
{
    char sha256[SPOT_SHA256_TEXT_BYTES];
    spot_canonical_t was = {0}, is = {0};
    char *text = NULL;
    int ret = spot_canonical_parse(&was, place, self->canonical, diag);

    ret = ret == 0 ? spot_canonical_parse(&is, place, canonical, diag) : ret;
    ret = ret == 0 ? spot_canonical_add_files(&is, &was) : ret;
    ret = ret == 0 ? spot_canonical_hash(&is, sha256) : ret;
    if (ret == 0) {
        text = spot_canonical_text(&is);
        ret = text == NULL ? SPOT_ERR_NO_MEMORY : 0;
    }
    if (ret == 0) {
        free(self->canonical);
        self->canonical = text;
        free(self->canonical_sha256);
        self->canonical_sha256 = spot_text_copy(sha256, strlen(sha256));
        ret = self->canonical_sha256 == NULL ? SPOT_ERR_NO_MEMORY : 0;
    }
    spot_canonical_free(&was);
    spot_canonical_free(&is);
    return ret;
}
