/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine at work on the points of a study, one worker a thread. */
#include "sim/bench/study/worker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/bench/study/metrics.h"
#include "sim/bench/study/points.h"

/* Binds a point a second time: its warnings were reported the first time, and an error
 * means that a file is gone or changed. */
static int bind_again(
    const spot_study_t *self, size_t point_id, const void *like, void **scenario, spot_diag_t *diag)
{
    spot_diag_t quiet;
    int ret;

    spot_diag_init(&quiet);
    quiet.inputs = self->inputs;
    ret = spot_points_bind_one(self, point_id, like, scenario, &quiet);
    spot_diag_free(&quiet);
    if (ret == 0) {
        ret = spot_inputs_check(self->inputs, diag);
    } else if (ret == SPOT_ERR_BAD_INPUT && diag != NULL) {
        self->experiment->free(*scenario);
        ret = spot_points_bind_one(self, point_id, like, scenario, diag);
    }
    if (ret != 0) {
        self->experiment->free(*scenario);
        *scenario = NULL;
    }
    return ret;
}

/* Scenarios share large parts, so one thread at a time binds and frees them. */
static int find_scenario(
    const spot_study_t *self, size_t point_id, const void *like, void **scenario, spot_diag_t *diag)
{
    int ret = 0;

    *scenario = self->scenarios[point_id];
    if (*scenario == NULL) {
        pthread_mutex_lock(&self->template->lock);
        ret = bind_again(self, point_id, like == NULL ? self->scenarios[0] : like, scenario, diag);
        pthread_mutex_unlock(&self->template->lock);
    }
    return ret;
}

/* Goes from one scenario to another, which the worker takes over. */
static int take_scenario(
    spot_study_worker_t *self, const spot_study_t *study, size_t point_id, void *scenario)
{
    spot_study_worker_close(self);
    self->study = study;
    self->point_id = point_id;
    self->scenario = scenario;
    self->metrics = spot_calloc(study->yield.outputs.num_metrics, sizeof(*self->metrics));
    return self->metrics == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

int spot_study_worker_go(
    spot_study_worker_t *self, const spot_study_t *study, size_t point_id, spot_diag_t *diag)
{
    void *scenario = NULL;
    int ret, taken;

    if (self->worker != NULL && self->point_id == point_id && !self->is_changed) {
        return 0;
    }
    ret = find_scenario(study, point_id, self->scenario, &scenario, diag);
    taken = take_scenario(self, study, point_id, scenario);
    ret = ret == 0 ? taken : ret;
    return ret == 0 ? study->experiment->open(&self->worker, scenario) : ret;
}

/* Binds the point with the other value, which is then taken out again. */
static int bind_changed(
    const spot_study_t *self, size_t point_id, const char *path, const char *text, void **scenario)
{
    spot_node_t *scalar = NULL;
    spot_diag_t quiet;
    char *was;
    int ret = spot_points_find(self, point_id, path, &scalar);

    *scenario = NULL;
    if (ret != 0 || scalar == NULL) {
        return ret != 0 ? ret : SPOT_ERR_BAD_INPUT;
    }
    spot_diag_init(&quiet);
    quiet.memory = self->inputs->memory;
    was = scalar->text;
    scalar->text = (char *) (uintptr_t) text;
    ret =
        self->experiment->bind(scenario, self->template->scenario.root, self->scenarios[0], &quiet);
    scalar->text = was;
    spot_diag_free(&quiet);
    if (ret == 0 && !spot_points_are_alike(self->experiment->outputs(*scenario),
                        self->yield.layouts[self->yield.layout_ids[point_id]].outputs)) {
        ret = SPOT_ERR_BAD_INPUT;
    }
    if (ret != 0) {
        self->experiment->free(*scenario);
        *scenario = NULL;
    }
    return ret == SPOT_ERR_CANNOT_RUN ? SPOT_ERR_BAD_INPUT : ret;
}

int spot_study_worker_change(spot_study_worker_t *self, const spot_study_t *study, size_t point_id,
    const char *path, const char *text)
{
    void *scenario;
    int ret, taken;

    pthread_mutex_lock(&study->template->lock);
    ret = bind_changed(study, point_id, path, text, &scenario);
    pthread_mutex_unlock(&study->template->lock);
    taken = take_scenario(self, study, point_id, scenario);
    self->is_changed = true;
    ret = ret == 0 ? taken : ret;
    return ret == 0 ? study->experiment->open(&self->worker, scenario) : ret;
}

void spot_study_worker_close(spot_study_worker_t *self)
{
    if (self->study != NULL) {
        self->study->experiment->close(self->worker);
        spot_points_release(self->study, self->point_id, self->scenario);
    }
    free(self->metrics);
    *self = (spot_study_worker_t){.tapes = self->tapes};
}

int spot_study_worker_run(spot_study_worker_t *self, int64_t replication, const atomic_int *stop,
    spot_recording_t *recording)
{
    const spot_replication_t wanted = {.seed = self->study->head.seed,
        .replication = (uint64_t) replication,
        .stop = stop,
        .tapes = recording == NULL ? self->tapes : NULL};

    memset(self->warnings, 0, sizeof(self->warnings));
    return self->study->experiment->run(
        self->worker, &wanted, self->metrics, self->warnings, recording);
}

int spot_study_worker_row(spot_study_worker_t *self, int64_t replication, const atomic_int *stop,
    double *row, uint32_t *warnings)
{
    const spot_study_t *study = self->study;
    const spot_metric_layout_t *layout =
        &study->yield.layouts[study->yield.layout_ids[self->point_id]];
    int ret = spot_study_worker_run(self, replication, stop, NULL);

    for (size_t j = 0; j < study->head.num_metrics; j++) {
        row[j] = (double) NAN;
    }
    for (size_t j = 0; ret == 0 && j < layout->outputs->num_metrics; j++) {
        if (layout->columns[j] >= 0) {
            row[layout->columns[j]] = self->metrics[j] + 0.0; /* -0 becomes 0 */
        }
    }
    if (ret == 0) {
        spot_study_derive(&study->head, row);
        ret = spot_forms_evaluate(study, row);
    }
    *warnings = 0;
    for (size_t j = 0; j < study->experiment->num_warnings; j++) {
        *warnings |= (uint32_t) (self->warnings[j] != 0) << j;
    }
    return ret;
}

int spot_study_worker_record(spot_study_worker_t *self, int64_t replication, const atomic_int *stop,
    spot_recording_t *recording)
{
    const spot_outputs_t *outputs = self->study->experiment->outputs(self->scenario);
    const spot_study_head_t *head = &self->study->head;
    int ret = spot_recording_init(recording, outputs->num_series, outputs->series);

    ret = ret == 0 ? spot_study_worker_run(self, replication, stop, recording) : ret;
    return ret == 0 ? spot_recording_name(recording, head->name, head->seed, (uint64_t) replication)
                    : ret;
}
