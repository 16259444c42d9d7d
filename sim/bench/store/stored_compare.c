/* SPDX-License-Identifier: GPL-3.0-or-later */
/* In what two studies differ, in sentences. Only what changes rows is a difference. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/canonical.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "sim/bench/store/stored_study.h"

/* Keys of a canonical text that the head has too, which is where they are compared. */
static void drop_what_the_head_has(spot_canonical_t *list, const spot_study_head_t *head)
{
    static const char *const keys[] = {"metrics", "replications", "sweep"};

    for (size_t j = 0; j < sizeof(keys) / sizeof(keys[0]); j++) {
        spot_canonical_drop(list, keys[j]);
    }
    for (size_t j = 0; j < head->num_axes; j++) {
        spot_canonical_drop(list, head->axes[j].path);
    }
}

static int compare_canonical(const spot_stored_study_t *self, const spot_study_head_t *head,
    const char *canonical, const char *place, spot_diag_t *diag)
{
    spot_canonical_t was = {0}, is = {0};
    int ret = spot_canonical_parse(&was, place, self->canonical, diag);

    ret = ret == 0 ? spot_canonical_parse(&is, place, canonical, diag) : ret;
    if (ret == 0) {
        drop_what_the_head_has(&was, &self->head);
        drop_what_the_head_has(&was, head); /* what is swept in one of them only */
        drop_what_the_head_has(&is, &self->head);
        drop_what_the_head_has(&is, head);
        spot_canonical_compare(&was, &is, place, diag);
    }
    spot_canonical_free(&was);
    spot_canonical_free(&is);
    return ret;
}

/* Says which metrics of a study another lacks. */
static void miss_metrics(const spot_study_head_t *has, const spot_study_head_t *lacks,
    const char *place, const char *words, spot_diag_t *diag)
{
    char name[SPOT_UTF8_SHOWN_BYTES];

    for (size_t j = 0; j < has->num_metrics; j++) {
        if (spot_study_metric_id(lacks, has->metrics[j].name) == lacks->num_metrics) {
            spot_diag_error(diag, place, 0, 0, "the metric %s %s",
                spot_utf8_shown(has->metrics[j].name, name), words);
        }
    }
}

/* Rows have one column for each metric, so both must have the same in the same order. */
static void compare_metrics(
    const spot_study_head_t *was, const spot_study_head_t *is, const char *place, spot_diag_t *diag)
{
    const size_t num_errors = diag->num_errors;
    char name[SPOT_UTF8_SHOWN_BYTES];

    miss_metrics(was, is, place, "was kept, is not", diag);
    miss_metrics(is, was, place, "was not kept, is", diag);
    for (size_t j = 0; diag->num_errors == num_errors && j < is->num_metrics; j++) {
        if (strcmp(was->metrics[j].name, is->metrics[j].name) != 0) {
            spot_diag_error(diag, place, 0, 0, "metric %zu was %s, is %s: keep them in their order",
                j + 1, was->metrics[j].name, spot_utf8_shown(is->metrics[j].name, name));
        }
    }
}

/* Says which axes of a study another lacks. */
static void miss_axes(const spot_study_head_t *has, const spot_study_head_t *lacks,
    const char *place, const char *words, spot_diag_t *diag)
{
    char path[SPOT_UTF8_SHOWN_BYTES];

    for (size_t j = 0; j < has->num_axes; j++) {
        size_t k = 0;

        while (k < lacks->num_axes && strcmp(lacks->axes[k].path, has->axes[j].path) != 0) {
            k++;
        }
        if (k == lacks->num_axes) {
            spot_diag_error(
                diag, place, 0, 0, "%s %s", spot_utf8_shown(has->axes[j].path, path), words);
        }
    }
}

static bool has_same_warnings(const spot_study_head_t *was, const spot_study_head_t *is)
{
    bool is_same = was->num_warnings == is->num_warnings;

    for (size_t j = 0; is_same && j < is->num_warnings; j++) {
        is_same = strcmp(was->warnings[j].name, is->warnings[j].name) == 0;
    }
    return is_same;
}

/* What of the head rows depend on. */
static void compare_heads(
    const spot_study_head_t *was, const spot_study_head_t *is, const char *place, spot_diag_t *diag)
{
    if (was->seed != is->seed) {
        spot_diag_error(diag, place, 0, 0, "replications.seed was %" PRIu64 ", is %" PRIu64,
            was->seed, is->seed);
    }
    if (was->batch_replications != is->batch_replications) {
        spot_diag_error(diag, place, 0, 0, "batches had %" PRId64 " replications, have %" PRId64,
            was->batch_replications, is->batch_replications);
    }
    miss_axes(was, is, place, "was swept, is not", diag);
    miss_axes(is, was, place, "was not swept, is", diag);
    compare_metrics(was, is, place, diag);
    if (!has_same_warnings(was, is)) {
        spot_diag_error(
            diag, place, 0, 0, "made by another version of spotsim, which knows other warnings");
    }
}

int spot_stored_study_compare(const spot_stored_study_t *self, const spot_study_head_t *head,
    const char *canonical, const char *place, spot_diag_t *diag)
{
    const int ret = compare_canonical(self, head, canonical, place, diag);

    compare_heads(&self->head, head, place, diag);
    return ret;
}

int spot_stored_study_join(
    spot_stored_study_t *self, const char *canonical, const char *place, spot_diag_t *diag)
{
    char sha256[SPOT_SHA256_TEXT_BYTES];
    spot_canonical_t was = {0}, is = {0};
    char *text;
    int ret = spot_canonical_parse(&was, place, self->canonical, diag);

    ret = ret == 0 ? spot_canonical_parse(&is, place, canonical, diag) : ret;
    ret = ret == 0 ? spot_canonical_add_files(&is, &was) : ret;
    ret = ret == 0 ? spot_canonical_hash(&is, sha256) : ret;
    text = ret == 0 ? spot_canonical_text(&is) : NULL;
    ret = ret == 0 && text == NULL ? SPOT_ERR_NO_MEMORY : ret;
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
