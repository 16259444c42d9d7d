/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/study/study.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/study/reading.h"

/* Drops points, binds the others, notes the files that they read, and chooses from what
 * they yield. */
static int
read_points(spot_reading_t *self)
{
    int ret;

    self->diag->inputs = self->study->inputs;
    ret = spot_where_apply(self);
    ret = ret == 0 ? spot_views_find_baseline(self) : ret;
    ret = ret == 0 ? spot_points_bind(self) : ret;
    self->diag->inputs = NULL;
    ret = ret == 0 ? spot_metrics_choose(self) : ret;
    return ret == 0 ? spot_views_choose(self) : ret;
}

/* Reads all of the study. After an error in the plan the scenario alone may still say
 * which metrics there are. */
static int
read_all(spot_reading_t *self)
{
    const size_t num_errors = self->diag->num_errors;
    int ret = spot_request_read(self);
    const bool has_scenario = self->request.scenario != NULL &&
                              spot_template_scenario(self->study->template) != NULL;

    ret = ret == 0 ? spot_sweep_read(self) : ret;
    ret = ret == 0 ? spot_plan_make(self) : ret;
    if (ret == 0 && has_scenario) {
        ret = read_points(self);
    } else if (ret == SPOT_ERR_BAD_INPUT && has_scenario &&
               spot_points_bind_unswept(self) == 0) {
        ret = spot_metrics_choose(self);
    }
    return ret == 0 && self->diag->num_errors > num_errors ? SPOT_ERR_BAD_INPUT : ret;
}

int
spot_study_init(spot_study_t *self, const spot_experiment_t *const *engines,
    const spot_study_source_t *source, spot_diag_t *diag)
{
    spot_reading_t reading = {.study = self, .diag = diag};
    int error;

    memset(self, 0, sizeof(*self));
    self->experiment = engines[0]; /* freeing needs it */
    self->is_comparison = source->is_comparison;
    error = spot_template_open(&self->template, source->study, source->scenario);
    self->inputs = spot_calloc(1, sizeof(*self->inputs));
    if (error != 0 || self->inputs == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    error = spot_template_change(self->template, engines, source->sets, source->num_sets,
        &self->experiment, diag);
    error = spot_error_first(error, read_all(&reading));
    self->head.seed = (uint64_t) reading.request.seed;
    self->has_ledger = reading.request.has_ledger;
    spot_request_free(&reading.request);
    self->head.num_warnings = self->experiment->num_warnings;
    self->head.warnings = self->experiment->warnings;
    self->head.colours = self->experiment->colours;
    self->head.engine =
        spot_text_copy(self->experiment->name, strlen(self->experiment->name));
    error = self->head.engine == NULL ? SPOT_ERR_NO_MEMORY : error;
    return error != 0 ? error : spot_inputs_name(self->inputs, source->path, diag);
}

/* Whether a document has none of the keys of a study, so that it is probably a scenario.
 */
static bool
is_no_study(const spot_node_t *root)
{
    static const char *const keys[] = {
        "study", "sweep", "optimise", "replications", "metrics"};

    for (size_t j = 0; j < sizeof(keys) / sizeof(keys[0]); j++) {
        if (spot_node_get(root, keys[j]) != NULL) {
            return false;
        }
    }
    return spot_node_get(root, "scenario") != NULL && root->num_children > 1;
}

int
spot_study_read(spot_study_t *self, const spot_experiment_t *const *engines,
    const char *path, const char *const *sets, size_t num_sets, spot_diag_t *diag)
{
    spot_yaml_t study, scenario = {0};
    const spot_study_source_t source = {&study, &scenario, path, false, num_sets, sets};
    int error = spot_yaml_read(&study, path, diag);

    memset(self, 0, sizeof(*self));
    if (study.root != NULL && is_no_study(study.root)) {
        spot_diag_error(diag, path, 0, 0, "this is a scenario, not a study");
        error = SPOT_ERR_BAD_INPUT;
    } else if (study.root != NULL) {
        error = spot_error_first(error, spot_study_init(self, engines, &source, diag));
    }
    spot_yaml_free(&study);
    return error;
}

void
spot_study_free(spot_study_t *self)
{
    spot_points_free(self);
    free(self->series);
    spot_study_head_free(&self->head);
    if (self->inputs != NULL) {
        spot_inputs_free(self->inputs);
    }
    free(self->inputs);
    spot_template_close(self->template);
    memset(self, 0, sizeof(*self));
}

const char *
spot_study_file(const spot_study_t *self, size_t file_id)
{
    const spot_yaml_t *scenario = &self->template->scenario;

    return file_id < scenario->num_files ? scenario->files[file_id] : NULL;
}

int
spot_study_check_shards(const spot_study_t *self, int64_t num_shards, spot_diag_t *diag)
{
    const spot_node_t *place;

    if (self->head.optimise.metric == NULL || num_shards <= 1) {
        return 0;
    }
    place = spot_node_place(self->template->study.root, "optimise");
    spot_diag_error(diag, place->file, place->line, place->column,
        "optimise: compares all points with each other: run it without --shard");
    return SPOT_ERR_BAD_INPUT;
}
