/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/advise/advise.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/watch.h"
#include "sim/bench/advise/choose.h"
#include "sim/bench/engine/scenario_file.h"
#include "sim/bench/store/head.h"
#include "sim/bench/study/run.h"

/* ---- The question ---- */

/* Reads the scenario, puts the question into it and binds it. */
static int pose(spot_advising_t *self)
{
    const spot_advise_request_t *request = self->request;
    const spot_scenario_changes_t changes = {.num_sets = request->num_sets, .sets = request->sets};
    int ret = spot_scenario_read_document(&self->document, request->path, &changes, self->diag);

    if (ret == 0 && spot_node_get(self->document.root, "study") != NULL) {
        ret = spot_diag_error(self->diag, request->path, 0, 0,
            "this is a study: expected a scenario, the job that is asked about");
    } else if (ret == 0 && spot_node_get(self->document.root, "scenario") == NULL) {
        ret = spot_diag_error(self->diag, request->path, 0, 0,
            "this is no scenario, which has the key \"scenario\": expected the job that "
            "is asked about, such as `spotsim init` writes");
    }
    ret = ret != 0 ? ret
                   : spot_experiment_choose(
                         &self->experiment, request->engines, self->document.root, self->diag);
    if (ret == 0 && self->experiment->advice == NULL) {
        ret = spot_diag_error(self->diag, request->path, 0, 0,
            "engine %s has nothing that advice could choose", self->experiment->name);
    }
    if (ret == 0) {
        self->advice = self->experiment->advice;
        ret = self->advice->pose(&request->question, &self->document, self->diag);
    }
    if (ret == 0) {
        ret = self->experiment->bind(&self->scenario, self->document.root, NULL, self->diag);
        ret = ret == SPOT_ERR_CANNOT_RUN ? SPOT_ERR_BAD_INPUT : ret;
    }
    return ret;
}

const char *spot_advice_beside(spot_texts_t *texts, const char *path, const char *ending)
{
    const char *dot = strrchr(path, '.');
    const size_t num_bytes =
        dot == NULL || strchr(dot, '/') != NULL ? strlen(path) : (size_t) (dot - path);

    return spot_texts_add(texts, "%.*s%s", (int) num_bytes, path, ending);
}

/* ---- Alternatives ---- */

/* Notes why something is not considered, once for each first word, which is what it
 * is. */
static int leave_out(spot_advising_t *self, const char *text)
{
    spot_advice_result_t *result = self->result;
    const size_t num_bytes = strcspn(text, " :");

    for (size_t j = 0; j < result->num_left_out; j++) {
        if (strncmp(result->left_out[j], text, num_bytes) == 0 &&
            strchr(" :", result->left_out[j][num_bytes]) != NULL) {
            return 0;
        }
    }
    return SPOT_ARRAY_APPEND(result, left_out, spot_texts_add(&result->texts, "%s", text));
}

/* Keeps the alternatives that compete, and that of a job as it is, and behind them those that are
 * screened only. */
static int sift(spot_advising_t *self)
{
    spot_alternatives_t *all = &self->alternatives;
    spot_alternative_t *kept = spot_calloc(all->num_items + 1, sizeof(*kept));
    size_t num_kept = 0;
    int ret = kept == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (size_t j = 0; ret == 0 && j < all->num_items; j++) {
        const char *why = NULL;

        if (all->items[j].screened == NULL) {
            const bool is_current = strcmp(all->items[j].kind, SPOT_ADVICE_AS_IT_IS) == 0;
            bool can_run;

            ret = spot_advising_look(self, &all->items[j], &why, &can_run);
            if (ret == 0 && is_current && !can_run) {
                ret = spot_diag_error(self->diag, self->request->path, 0, 0,
                    "the job as it is cannot be simulated: %s", why);
            } else if (ret == 0 && (why == NULL || is_current)) {
                kept[num_kept++] = all->items[j];
            } else if (ret == 0) {
                ret = leave_out(self, why);
            }
        }
    }
    self->num_searched = num_kept;
    for (size_t j = 0; ret == 0 && j < all->num_items; j++) {
        if (all->items[j].screened != NULL) {
            kept[num_kept++] = all->items[j];
        }
    }
    if (ret == 0) {
        all->num_items = num_kept;
        for (size_t j = 0; j < num_kept; j++) {
            all->items[j] = kept[j];
        }
    }
    free(kept);
    return ret;
}

/* The study of all alternatives, in texts of the result. */
static int read_study(spot_advising_t *self, spot_study_t *study)
{
    const spot_alternatives_t *all = &self->alternatives;
    const char **points = spot_calloc(self->num_searched, sizeof(*points));
    int ret = SPOT_ERR_NO_MEMORY;

    for (size_t j = 0; points != NULL && j < self->num_searched; j++) {
        points[j] = all->items[j].point;
    }
    if (points != NULL) {
        self->result->study_text = spot_advising_study_text(
            self, &self->result->texts, self->num_searched, points, NULL, 0, self->request->seed);
        ret = self->result->texts.error;
    }
    free(points);
    return ret == 0 ? spot_advising_study(self, self->result->study_text, study) : ret;
}

/* ---- How many runs ---- */

/* Of all runs, those of the search; and of these the first round, of two for each at least. */
#define SEARCH_SHARE 0.2
#define FIRST_SHARE 0.5
enum { LEAST_FIRST_RUNS = 2 };

/* By the work of a run of what has been proposed. */
static void limit_runs(spot_advising_t *self)
{
    const double run_work = self->alternatives.run_work;

    self->max_runs = self->request->max_runs > 0 ? self->request->max_runs
                     : run_work > SPOT_ADVICE_WORK / (double) INT32_MAX
                         ? (int64_t) (SPOT_ADVICE_WORK / run_work)
                         : INT32_MAX;
}

/* What an answer with fewer runs than usual leaves open. */
static int note_short(spot_advising_t *self)
{
    spot_advice_result_t *result = self->result;
    const char *text = spot_texts_add(&result->texts,
        "%" PRId64 " runs in all%s: intervals are wide, and what would take more was not looked "
        "at; --max-runs allows more",
        result->num_runs + result->num_other_runs,
        self->request->max_runs > 0 ? "" : ", as each takes long");

    if (!self->is_short || self->max_runs == INT32_MAX) {
        return 0;
    }
    return result->verdict == SPOT_VERDICT_UNDECIDED ? SPOT_ARRAY_APPEND(result, urgent, text)
                                                     : SPOT_ARRAY_APPEND(result, notes, text);
}

/* ---- The study ---- */

/* Asks the engine what may be chosen, and makes a study of what competes. */
static int propose(spot_advising_t *self, spot_study_t *study)
{
    spot_alternatives_t *all = &self->alternatives;
    size_t num_left_out;
    int ret = self->advice->propose(
        &self->request->question, self->scenario, self->document.root, all, self->diag);

    ret = ret == 0 ? spot_error_first(all->error, all->texts.error) : ret;
    if (ret != 0) {
        return ret;
    }
    self->result->question = spot_texts_add(
        &self->result->texts, "What to rent %s at the least mean cost?", all->goal_words);
    self->result->goal_words = spot_texts_add(&self->result->texts, "%s", all->goal_words);
    self->result->goal_from =
        all->goal_from == NULL ? NULL : spot_texts_add(&self->result->texts, "%s", all->goal_from);
    for (size_t j = 0; ret == 0 && j < all->num_left_out; j++) {
        ret = leave_out(self, all->left_out[j]);
    }
    for (size_t j = 0; ret == 0 && j < all->num_notes; j++) {
        ret = SPOT_ARRAY_APPEND(
            self->result, notes, spot_texts_add(&self->result->texts, "%s", all->notes[j]));
    }
    for (size_t j = 0; ret == 0 && j < all->num_urgent; j++) {
        ret = SPOT_ARRAY_APPEND(
            self->result, urgent, spot_texts_add(&self->result->texts, "%s", all->urgent[j]));
    }
    num_left_out = self->result->num_left_out;
    ret = ret == 0 ? sift(self) : ret;
    if (ret == 0 && self->num_searched == 0) {
        return spot_diag_error(self->diag, self->request->path, 0, 0,
            "there is nothing to choose from: %s",
            self->result->num_left_out > num_left_out ? self->result->left_out[num_left_out]
                                                      : "the fleet has no room for a pipeline");
    }
    limit_runs(self);
    self->first_runs = spot_advising_afford(self, SPOT_ADVICE_SEARCH_RUNS,
        FIRST_SHARE * SEARCH_SHARE / (double) self->num_searched, LEAST_FIRST_RUNS);
    ret = ret == 0 ? read_study(self, study) : ret;
    self->result->num_points = self->num_searched;
    if (ret == 0) {
        const spot_outputs_t *outputs = &study->yield.outputs;

        const char *unit =
            outputs->metrics[spot_outputs_metric_id(outputs, self->advice->cost)].unit;

        self->max_runs = outputs->is_random ? self->max_runs : INT32_MAX; /* one each is enough */
        self->result->cost_unit = spot_texts_add(&self->result->texts, "%s",
            self->advice->cost_unit == NULL ? unit : self->advice->cost_unit);
        if (!outputs->is_random) {
            ret = SPOT_ARRAY_APPEND(self->result, notes,
                "nothing is left to chance: all runs of an alternative are the same");
        }
    }
    return ret;
}

/* ---- The search ---- */

/* Ends the search before the round that would be too much. Rounds depend on rows alone,
 * so the answer does not depend on when the round is stopped. */
typedef struct {
    const spot_advising_t *advising;
    atomic_int stop;
    int64_t budget;
    bool is_spent;
} watch_t;

static void watch(void *context, const spot_study_progress_t *progress)
{
    watch_t *self = context;
    const spot_advise_request_t *request = self->advising->request;

    if (progress->num_wanted > self->budget) {
        self->is_spent = true;
        atomic_store(&self->stop, 1);
    } else if (request->progress != NULL) {
        request->progress(request->context, progress);
    }
    if (request->stop != NULL && atomic_load(request->stop) != 0) {
        atomic_store(&self->stop, 1);
    }
}

/* So many runs for each alternative in the mean, of which it counts at least so many, and
 * the first round at least. */
enum { MEAN_RUNS = 333, LEAST_POINTS = 9 };

static int search(spot_advising_t *self, const spot_study_t *study, spot_store_t *store)
{
    const size_t num_points = study->head.num_points;
    const int64_t mean_runs = self->advice->mean_runs > 0 ? self->advice->mean_runs : MEAN_RUNS;
    const int64_t batch_size = spot_study_batch_size(&study->head);
    const int64_t first_runs = (self->first_runs + batch_size - 1) / batch_size * batch_size;
    watch_t watcher = {.advising = self,
        .budget = spot_advising_afford(self,
            (int64_t) fmax((double) mean_runs * fmax((double) num_points, LEAST_POINTS),
                (double) (SPOT_ADVICE_SEARCH_RUNS * num_points)),
            SEARCH_SHARE, first_runs * (int64_t) num_points)};
    const spot_study_run_t run = {.num_threads = (int) self->request->num_threads,
        .stop = &watcher.stop,
        .progress = watch,
        .context = &watcher};
    int ret = spot_study_run(study, store, &run, &self->quiet);

    if (ret == SPOT_ERR_INTERRUPTED && watcher.is_spent &&
        (self->request->stop == NULL || atomic_load(self->request->stop) == 0)) {
        ret = 0;
    }
    return ret;
}

/* Errors of the studies are for the user too: they name a file that is not there, but
 * say what the engine refused. */
static void report_errors(const spot_advising_t *self)
{
    for (size_t j = 0; j < self->quiet.num_items; j++) {
        if (self->quiet.items[j].is_error) {
            spot_diag_error(self->diag, self->request->path, 0, 0, "%s", self->quiet.items[j].text);
        }
    }
}

/* Keeps what was remarked of the inputs with the answer: standard error is gone when a page or
 * JSON is read. The study has the same warnings, at places in a file that is not there. */
static int note_remarks(spot_advising_t *self, spot_study_t *study)
{
    const spot_advise_request_t *request = self->request;
    spot_advice_result_t *result = self->result;
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < request->num_remarks; j++) {
        ret = SPOT_ARRAY_APPEND(
            result, notes, spot_texts_add(&result->texts, "%s", request->remarks[j]));
        result->num_remarks++;
    }
    for (size_t j = 0; ret == 0 && j < self->diag->num_items; j++) {
        if (!self->diag->items[j].is_error) {
            ret = SPOT_ARRAY_APPEND(result, notes,
                spot_texts_add(&result->texts, "warning: %s", self->diag->items[j].text));
            result->num_remarks++;
        }
    }
    spot_study_head_free_remarks(&study->head);
    return ret;
}

int spot_advise(const spot_advise_request_t *request, spot_advice_result_t *result,
    spot_study_t *study, spot_store_t **store, spot_diag_t *diag)
{
    spot_advising_t self = {.request = request, .result = result, .diag = diag};
    const double started_s = spot_clock_s();
    int ret;

    memset(result, 0, sizeof(*result));
    memset(study, 0, sizeof(*study));
    *store = NULL;
    result->sure = request->question.sure;
    result->budget = request->question.budget;
    result->is_asked =
        request->question.recovery != NULL && strcmp(request->question.recovery, "all") != 0;
    result->num_traces = request->question.num_traces;
    spot_diag_init_like(&self.quiet, diag);
    self.study_path = spot_advice_beside(&result->texts, request->path, SPOT_ADVICE_STUDY_ENDING);
    ret = result->texts.error == 0 ? pose(&self) : result->texts.error;
    ret = ret == 0 ? propose(&self, study) : ret;
    ret = ret == 0 ? spot_store_open_memory(store, &study->head) : ret;
    ret = ret == 0 ? search(&self, study, *store) : ret;
    ret = ret == 0 ? spot_advising_choose(&self, study, *store) : ret;
    ret = ret == 0 ? result->texts.error : ret; /* names of the answer */
    ret = ret == 0 && result->advised[0].verdict == SPOT_VERDICT_YES ? spot_advising_doubt(&self)
                                                                     : ret;
    if (ret == 0) {
        result->scenario_text =
            spot_advising_scenario_text(&self, &result->texts, result->advised[0].point);
        result->passed_s = spot_clock_s() - started_s;
        ret = spot_error_first(note_short(&self), note_remarks(&self, study));
        ret = spot_error_first(ret, result->texts.error);
    }
    if (ret != 0) {
        report_errors(&self);
    }
    spot_diag_free(&self.quiet);
    if (self.experiment != NULL) {
        self.experiment->free(self.scenario);
    }
    spot_alternatives_free(&self.alternatives);
    spot_yaml_free(&self.document);
    return ret;
}
