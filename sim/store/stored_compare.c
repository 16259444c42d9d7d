/* SPDX-License-Identifier: GPL-3.0-or-later */
/* In what two studies differ, in sentences. Only what changes rows is a difference. */
#include <inttypes.h>
#include <string.h>

#include "base/utf8.h"
#include "sim/store/stored_study.h"

/* A line "path: value" of a canonical text. */
typedef struct {
    const char *start;
    size_t path_length;
    const char *value;
    size_t value_length;
    const char *next;
} line_t;

static line_t
line_at(const char *text)
{
    const size_t length = strcspn(text, "\n");
    const char *colon = memchr(text, ':', length);
    line_t line = {.start = text, .path_length = length, .value = text + length};

    line.next = text + length + (text[length] == '\n');
    while (colon != NULL && colon + 1 < text + length && colon[1] != ' ') {
        colon = memchr(colon + 1, ':', (size_t) (text + length - colon - 1));
    }
    if (colon != NULL) {
        line.path_length = (size_t) (colon - text);
        line.value = colon + 1 + strspn(colon + 1, " ");
        line.value_length = (size_t) (text + length - line.value);
    }
    return line;
}

/* As strcmp() of the paths; the end of a text comes last. */
static int
compare_paths(const line_t *a, const line_t *b)
{
    const size_t shorter =
        a->path_length < b->path_length ? a->path_length : b->path_length;
    const int order = memcmp(a->start, b->start, shorter);

    if (*a->start == '\0' || *b->start == '\0') {
        return (*a->start == '\0') - (*b->start == '\0');
    }
    return order != 0
               ? order
               : (a->path_length > b->path_length) - (a->path_length < b->path_length);
}

static bool
is_same_value(const line_t *a, const line_t *b)
{
    return a->value_length == b->value_length &&
           memcmp(a->value, b->value, a->value_length) == 0;
}

/* The lines of two canonical texts that differ, as errors. Returns their number. */
static size_t
compare_canonical(const char *was, const char *is, const char *place, spot_diag_t *diag)
{
    size_t num_lines = 0;

    while (*was != '\0' || *is != '\0') {
        const line_t a = line_at(was);
        const line_t b = line_at(is);
        const int order = compare_paths(&a, &b);

        if (order < 0) {
            spot_diag_error(diag, place, 0, 0, "%.*s was %.*s, is not set now",
                (int) a.path_length, a.start, (int) a.value_length, a.value);
        } else if (order > 0) {
            spot_diag_error(diag, place, 0, 0, "%.*s was not set, is %.*s",
                (int) b.path_length, b.start, (int) b.value_length, b.value);
        } else if (!is_same_value(&a, &b)) {
            spot_diag_error(diag, place, 0, 0, "%.*s was %.*s, is %.*s",
                (int) a.path_length, a.start, (int) a.value_length, a.value,
                (int) b.value_length, b.value);
        }
        num_lines += order != 0 || !is_same_value(&a, &b);
        was = order <= 0 ? a.next : was;
        is = order >= 0 ? b.next : is;
    }
    return num_lines;
}

static bool
has_metric(const spot_study_head_t *head, const char *name)
{
    for (size_t j = 0; j < head->num_metrics; j++) {
        if (strcmp(head->metrics[j].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Rows have a column for each metric, so all must be the same. */
static size_t
compare_metrics(const spot_study_head_t *was, const spot_study_head_t *is,
    const char *place, spot_diag_t *diag)
{
    char name[SPOT_UTF8_SHOWN_BYTES];
    size_t num_lines = 0;

    for (size_t j = 0; j < was->num_metrics; j++) {
        if (!has_metric(is, was->metrics[j].name)) {
            spot_diag_error(diag, place, 0, 0, "the metric %s was kept, is not",
                spot_utf8_shown(was->metrics[j].name, name));
            num_lines++;
        }
    }
    for (size_t j = 0; j < is->num_metrics; j++) {
        if (!has_metric(was, is->metrics[j].name)) {
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

static bool
has_axis(const spot_study_head_t *head, const char *path)
{
    for (size_t j = 0; j < head->num_axes; j++) {
        if (strcmp(head->axes[j].path, path) == 0) {
            return true;
        }
    }
    return false;
}

static size_t
compare_axes(const spot_study_head_t *was, const spot_study_head_t *is,
    const char *place, spot_diag_t *diag)
{
    char path[SPOT_UTF8_SHOWN_BYTES];
    size_t num_lines = 0;

    for (size_t j = 0; j < was->num_axes; j++) {
        if (!has_axis(is, was->axes[j].path)) {
            spot_diag_error(diag, place, 0, 0, "%s was swept, is not",
                spot_utf8_shown(was->axes[j].path, path));
            num_lines++;
        }
    }
    for (size_t j = 0; j < is->num_axes; j++) {
        if (!has_axis(was, is->axes[j].path)) {
            spot_diag_error(diag, place, 0, 0, "%s was not swept, is",
                spot_utf8_shown(is->axes[j].path, path));
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

size_t
spot_stored_study_compare(const spot_stored_study_t *self, const spot_study_head_t *head,
    const char *canonical, const char *place, spot_diag_t *diag)
{
    static const char *const keep[] = {"rows", "summaries"};
    const spot_study_head_t *was = &self->head;
    size_t num_lines = compare_canonical(self->canonical, canonical, place, diag);

    if (was->seed != head->seed) {
        spot_diag_error(diag, place, 0, 0,
            "replications.seed was %" PRIu64 ", is %" PRIu64, was->seed, head->seed);
        num_lines++;
    }
    if (was->keep != head->keep) {
        spot_diag_error(
            diag, place, 0, 0, "keep was %s, is %s", keep[was->keep], keep[head->keep]);
        num_lines++;
    }
    num_lines += compare_axes(was, head, place, diag);
    num_lines += compare_metrics(was, head, place, diag);
    return num_lines + compare_warnings(was, head, place, diag);
}
