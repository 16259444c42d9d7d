/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "sim/study/documents.h"
#include "sim/study/reading.h"

#define POINT_BYTES 512      /* of the values of a point in a message */
#define MAX_KEPT_POINTS 4096 /* points whose scenarios are kept */

const char *
spot_study_point_text(
    const spot_study_head_t *head, size_t point_id, char *text, size_t text_bytes)
{
    char shown[SPOT_UTF8_SHOWN_BYTES];
    size_t used = 0;

    text[0] = '\0';
    for (size_t j = 0; j < head->num_axes && used < text_bytes; j++) {
        used += (size_t) snprintf(text + used, text_bytes - used, "%s%s %s",
            j == 0 ? "" : ", ", head->axes[j].path,
            spot_utf8_shown(
                head->axes[j].texts[spot_study_value_id(head, point_id, j)], shown));
    }
    return text;
}

/* ---- One point ---- */

static void
free_scenario(const spot_study_t *self, void *scenario)
{
    if (scenario != NULL && self->experiment->free != NULL) {
        self->experiment->free(scenario);
    }
}

static int
bind_point(const spot_study_t *self, size_t point_id, const void *like, void **scenario,
    spot_diag_t *diag)
{
    const int ret = spot_documents_place_point(self->documents, &self->head, point_id);

    *scenario = NULL;
    return ret == 0 ? self->experiment->bind(
                          scenario, spot_documents_scenario(self->documents), like, diag)
                    : ret;
}

/* The point was bound before: warnings were said then, and an error is about a file that
 * has gone or changed. */
static int
bind_again(const spot_study_t *self, size_t point_id, const void *like, void **scenario,
    spot_diag_t *diag)
{
    spot_diag_t quiet;
    int ret;

    spot_diag_init(&quiet);
    quiet.inputs = self->inputs;
    ret = bind_point(self, point_id, like, scenario, &quiet);
    spot_diag_free(&quiet);
    if (ret == 0) {
        ret = spot_inputs_check(self->inputs, diag);
    } else if (ret == SPOT_ERR_BAD_INPUT && diag != NULL) {
        free_scenario(self, *scenario);
        ret = bind_point(self, point_id, like, scenario, diag);
    }
    if (ret != 0) {
        free_scenario(self, *scenario);
        *scenario = NULL;
    }
    return ret;
}

/* Scenarios share what is large, so that one thread at a time binds and frees them. */
static int
find_scenario(const spot_study_t *self, size_t point_id, const void *like,
    void **scenario, spot_diag_t *diag)
{
    int ret;

    if (self->scenarios != NULL) {
        *scenario = self->scenarios[point_id];
        return 0;
    }
    spot_documents_lock(self->documents);
    ret = bind_again(self, point_id, like == NULL ? self->first : like, scenario, diag);
    spot_documents_unlock(self->documents);
    return ret;
}

static void
release_scenario(const spot_study_t *self, void *scenario)
{
    if (self->scenarios == NULL) {
        spot_documents_lock(self->documents);
        free_scenario(self, scenario);
        spot_documents_unlock(self->documents);
    }
}

/* ---- Workers ---- */

int
spot_study_worker_go(spot_study_worker_t *self, const spot_study_t *study,
    size_t point_id, spot_diag_t *diag)
{
    void *scenario = NULL;
    int ret;

    if (self->worker != NULL && self->point_id == point_id) {
        return 0;
    }
    ret = find_scenario(study, point_id, self->scenario, &scenario, diag);
    spot_study_worker_close(self);
    self->study = study;
    self->point_id = point_id;
    self->scenario = scenario;
    return ret == 0 ? study->experiment->open(&self->worker, scenario) : ret;
}

void
spot_study_worker_close(spot_study_worker_t *self)
{
    if (self->study != NULL) {
        self->study->experiment->close(self->worker);
        release_scenario(self->study, self->scenario);
    }
    memset(self, 0, sizeof(*self));
}

int
spot_study_worker_record(spot_study_worker_t *self, int64_t replication,
    const atomic_int *stop, spot_recording_t *recording)
{
    const spot_experiment_t *experiment = self->study->experiment;
    const spot_outputs_t *outputs = experiment->outputs(self->scenario);
    const spot_replication_t wanted = {
        self->study->head.seed, (uint64_t) replication, stop};
    double *metrics = spot_calloc(outputs->num_metrics, sizeof(*metrics));
    unsigned char warnings[SPOT_MAX_WARNINGS] = {0};
    int ret = spot_recording_init(recording, outputs->num_series, outputs->series);

    if (ret == 0 && metrics == NULL) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    if (ret == 0) {
        ret = experiment->run(self->worker, &wanted, metrics, warnings, recording);
    }
    if (ret == 0) {
        ret = spot_recording_name(
            recording, self->study->head.name, wanted.seed, wanted.replication);
    }
    free(metrics);
    return ret;
}

void
spot_points_free(spot_study_t *self)
{
    for (size_t j = 0; self->scenarios != NULL && j < self->head.num_points; j++) {
        free_scenario(self, self->scenarios[j]);
    }
    free(self->scenarios);
    free_scenario(self, self->first);
    spot_yield_free(&self->yield);
}

/* ---- What is wrong with a point ---- */

/* After a point was refused: the range of a key that takes whole numbers lacks a step.
 */
static void
hint_step(const spot_reading_t *self, size_t point_id)
{
    const spot_study_head_t *head = &self->study->head;
    const spot_node_t *root = spot_documents_scenario(self->study->documents);

    for (size_t j = 0; j < head->num_axes; j++) {
        const spot_swept_t *swept = &self->request.swept[j];
        const double number =
            head->axes[j].numbers[spot_study_value_id(head, point_id, j)];
        const spot_field_t *field;

        if (swept->drawn == NULL || swept->range.axis.step > 0 ||
            number == nearbyint(number)) {
            continue;
        }
        field = spot_field_at(self->study->experiment->fields, root, swept->path);
        if (field != NULL && field->type == SPOT_FIELD_INTEGER) {
            spot_word_error(self, &swept->place, NULL,
                "%s.%s: add step: 1 to the range, for whole numbers",
                self->request.sweep, swept->path);
        }
    }
}

/* A metric that counts something else at a point than at the first one that has it. */
static void
report_units(const spot_reading_t *self, size_t point_id, const spot_outputs_t *outputs,
    size_t metric_id)
{
    const spot_study_t *study = self->study;
    const spot_metric_t *metric = &study->yield.metrics[metric_id];
    const char *unit =
        outputs->metrics[spot_outputs_metric_id(outputs, metric->name)].unit;
    char here[POINT_BYTES], there[POINT_BYTES];

    spot_word_error(self, spot_documents_scenario(study->documents), NULL,
        "metric %s has the unit \"%s\" at %s, and \"%s\" at %s", metric->name,
        metric->unit,
        spot_study_point_text(
            &study->head, study->yield.first_points[metric_id], there, sizeof(there)),
        unit, spot_study_point_text(&study->head, point_id, here, sizeof(here)));
}

/* ---- How points stand beside each other ---- */

/* Of those that were bound so far. */
typedef struct {
    const char *first, *other; /* sides; NULL: there is none */
    spot_standing_t breaker;   /* of the first point with a fault; path NULL: none */
    size_t breaker_id;
} standings_t;

static void
note_standing(
    const spot_study_t *self, size_t point_id, const void *scenario, standings_t *noted)
{
    spot_standing_t standing;

    if (self->experiment->standing == NULL) {
        return;
    }
    standing = self->experiment->standing(scenario);
    noted->first = noted->first == NULL ? standing.side : noted->first;
    if (noted->other == NULL && strcmp(noted->first, standing.side) != 0) {
        noted->other = standing.side;
    }
    if (noted->breaker.path == NULL && standing.path != NULL) {
        noted->breaker = standing;
        noted->breaker_id = point_id;
    }
}

/* A side whose options break rules that the others keep is compared with none but
 * itself. */
static int
check_standings(spot_reading_t *self, const standings_t *noted)
{
    const spot_standing_t *breaker = &noted->breaker;
    spot_study_t *study = self->study;
    int ret;

    if (noted->other == NULL || breaker->path == NULL) {
        return 0;
    }
    ret = spot_documents_place_point(study->documents, &study->head, noted->breaker_id);
    if (ret != 0) {
        return ret;
    }
    spot_word_error(self,
        spot_node_place(spot_documents_scenario(study->documents), breaker->path),
        breaker->path,
        "%s has options that break rules, and stands beside %s: leave them out, or "
        "compare it only with itself",
        breaker->side,
        strcmp(breaker->side, noted->first) == 0 ? noted->other : noted->first);
    return SPOT_ERR_BAD_INPUT;
}

/* ---- All points ---- */

static int
add_yield(spot_reading_t *self, size_t point_id, const void *scenario, const void *like)
{
    const spot_experiment_t *experiment = self->study->experiment;
    const spot_outputs_t *outputs = experiment->outputs(scenario);
    size_t metric_id;
    const int ret = spot_yield_add(&self->study->yield, point_id, outputs,
        like == NULL ? NULL : experiment->outputs(like), &metric_id);

    if (ret == SPOT_ERR_BAD_INPUT) {
        report_units(self, point_id, outputs, metric_id);
    }
    return ret;
}

/* Swept keys that do not have their first value. */
static size_t
num_moved(const spot_study_head_t *head, size_t point_id)
{
    size_t num = 0;

    for (size_t j = 0; j < head->num_axes; j++) {
        num += spot_study_value_id(head, point_id, j) != 0;
    }
    return num;
}

/* Keeps a scenario, or frees it once the next point is bound. */
static void
keep_scenario(spot_study_t *self, size_t point_id, void *scenario, void **last)
{
    if (self->scenarios != NULL) {
        self->scenarios[point_id] = scenario;
    } else if (self->first == NULL) {
        self->first = scenario;
    } else {
        if (*last != self->first) {
            free_scenario(self, *last);
        }
    }
    *last = scenario;
}

/* The first point shows what is wrong with the scenario. In a grid those with one key
 * moved show what is wrong with a swept value, and what is wrong there is wrong in every
 * combination, so the others are left then. In a list or zip all points are tried; a
 * design has too many to tell of more than one. */
static int
bind_all(spot_reading_t *self, standings_t *noted)
{
    spot_study_t *study = self->study;
    const spot_plan_kind_t kind = study->head.plan.kind;
    void *last = NULL;
    int error = 0;

    for (size_t j = 0; j < study->head.num_points; j++) {
        void *scenario;
        int ret;

        if (error != 0 && kind == SPOT_PLAN_GRID && num_moved(&study->head, j) != 1) {
            continue;
        }
        ret = bind_point(study, j, last, &scenario, self->diag);
        if (ret == 0 && error == 0) {
            ret = add_yield(self, j, scenario, last);
            note_standing(study, j, scenario, noted);
        } else if (ret == SPOT_ERR_BAD_INPUT) {
            hint_step(self, j);
        }
        if (ret == 0) {
            keep_scenario(study, j, scenario, &last);
        } else {
            free_scenario(study, scenario);
        }
        error = ret != 0 ? ret : error;
        if (ret == SPOT_ERR_NO_MEMORY ||
            (ret != 0 && j == 0 && kind == SPOT_PLAN_GRID) ||
            (ret != 0 && spot_plan_is_design(kind))) {
            break;
        }
    }
    if (study->scenarios == NULL && last != study->first) {
        free_scenario(study, last);
    }
    return error;
}

int
spot_points_bind(spot_reading_t *self)
{
    spot_study_t *study = self->study;
    const size_t num_points = study->head.num_points;
    standings_t noted = {.first = NULL};
    int ret;

    if (num_points <= MAX_KEPT_POINTS) {
        study->scenarios = spot_calloc(num_points, sizeof(*study->scenarios));
        if (study->scenarios == NULL) {
            return SPOT_ERR_NO_MEMORY;
        }
    }
    ret = bind_all(self, &noted);
    return ret == 0 ? check_standings(self, &noted) : ret;
}

/* Faults of the names of metrics are found in the same pass. */
int
spot_points_bind_unswept(spot_reading_t *self)
{
    spot_study_t *study = self->study;
    void *scenario = NULL;
    spot_diag_t quiet;
    size_t metric_id;
    int ret;

    spot_diag_init(&quiet);
    ret = study->experiment->bind(
        &scenario, spot_documents_scenario(study->documents), NULL, &quiet);
    if (ret == 0) {
        ret = spot_yield_add(
            &study->yield, 0, study->experiment->outputs(scenario), NULL, &metric_id);
    }
    free_scenario(study, scenario);
    spot_diag_free(&quiet);
    return ret;
}
