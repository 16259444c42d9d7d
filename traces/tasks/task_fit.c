/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/tasks/task_fit.h"

#include <math.h>
#include <stdlib.h>

#include "base/provenance.h"
#include "base/stats.h"
#include "traces/fit/fit_law.h"
#include "traces/fit/fit_model.h"

#define S_PER_NS 1e-9
#define LEAST_VALUES 5
#define MAX_SHIFT 0.05 /* share by which a law may move the mean */

typedef struct {
    FILE *out;
    const char *model_path;
    spot_maximiser_t maximiser;
    size_t num_values, max_values;
    double *values; /* [num_values] of a sample, in s */
    int error;
} fit_t;

static void put_name(const fit_t *self, const char *before, const char *name)
{
    fputs(before, self->out);
    spot_json_quote(self->out, name, true);
}

static void put_path(fit_t *self, const char *before, const char *path)
{
    char *seen = spot_fit_path_from_model(path, self->model_path);

    put_name(self, before, seen == NULL ? path : seen);
    self->error = seen == NULL ? SPOT_ERR_NO_MEMORY : self->error;
    free(seen);
}

/* The best law of the sample by AIC of those that keep the mean, on which the makespan
 * depends. NULL: few values, or all are equal. */
static const spot_fit_t *choose(fit_t *self, spot_fit_ranking_t *ranking)
{
    const spot_fit_t *best = NULL;
    spot_fit_durations_t sample;

    if (spot_fit_durations_init(&sample, self->values, NULL, self->num_values, 0, S_PER_NS) != 0) {
        self->error = SPOT_ERR_NO_MEMORY;
    } else if (self->error == 0 && self->num_values >= LEAST_VALUES && !sample.is_one_value) {
        spot_fit_rank(ranking, &self->maximiser, &sample, NULL, (double) NAN);
        best = ranking->best_mean_id < 0 ? NULL : &ranking->fits[ranking->best_mean_id];
        for (size_t j = ranking->num_fits; j-- > 0;) {
            const spot_fit_t *fit = &ranking->fits[j];

            best = fit->converged && fabs(fit->mean_ratio - 1) <= MAX_SHIFT ? fit : best;
        }
    }
    spot_fit_durations_free(&sample);
    return best;
}

/* Writes the law of the sample, which starts anew. */
static void put_law(fit_t *self, const char *name)
{
    const size_t num = self->num_values;
    const double mean_s = num == 0 ? 0 : spot_moments_of(self->values, num).mean;
    spot_fit_ranking_t ranking;
    const spot_fit_t *fit = mean_s > 0 ? choose(self, &ranking) : NULL;

    put_name(self,
        mean_s <= 0     ? "  # nothing above 0: "
        : *name == '\0' ? "  # as recorded, a key needs a name: "
                        : "  ",
        name);
    if (fit != NULL) {
        fputs(": ", self->out);
        spot_fit_write_law(self->out, "family", &fit->law);
        fprintf(self->out, ", # KS distance %.3f, ", fit->ks);
    } else if (mean_s > 0) {
        fprintf(self->out, ": %.9f s, # without spread, ", mean_s);
    }
    if (mean_s > 0) {
        spot_sort(self->values, num);
        fprintf(self->out, "n %zu, mean %.4g s, p50 %.4g s, p90 %.4g s", num, mean_s,
            spot_quantile(self->values, num, 0.5), spot_quantile(self->values, num, 0.9));
    }
    fputc('\n', self->out);
    self->num_values = 0;
}

/* Writes the law of the attempts of a class or, without classes, of a mode. */
static void put_attempts(fit_t *self, const char *name, const spot_attempts_t *attempts,
    const spot_task_span_t *span, const int32_t *class_of, size_t which)
{
    int64_t ns;

    for (size_t j = 0; j < attempts->num_attempts; j++) {
        const spot_attempt_t *task = &attempts->attempts[j];

        if ((size_t) (class_of == NULL ? task->mode : class_of[task->id]) == which &&
            spot_attempt_between(task, span->from, span->to, &ns) && ns >= 0) {
            SPOT_ARRAY_PUSH(self, values, (double) ns * S_PER_NS);
        }
    }
    put_law(self, name);
}

static void put_contention(const fit_t *self, const spot_task_comparison_t *comparison)
{
    fprintf(self->out, "contention:\n  scope: %s\n  beta: {\n",
        spot_task_scope_names[comparison->scope]);
    for (size_t j = 0; j < comparison->num_classes; j++) {
        const spot_task_class_pair_t *class = &comparison->classes[j];
        const bool has_beta = isfinite(class->beta) && *class->name != '\0';

        put_name(self, has_beta ? "    " : "    # not identifiable: ", class->name);
        fprintf(self->out, ": %.6g, # n %lld\n", has_beta ? class->beta : 0,
            (long long) class->num_runs);
    }
    fputs("    }\n", self->out);
}

static void put_delays(fit_t *self, const spot_task_analysis_t *run)
{
    const spot_task_span_t *sent = &spot_transmit_spans[SPOT_TRANSMIT_TOTAL];

    fputs("delays: {\n", self->out);
    for (size_t j = 0; j < run->graph.num_decisions; j++) {
        SPOT_ARRAY_PUSH(self, values, (double) run->graph.decisions[j] * S_PER_NS);
    }
    put_law(self, "decision");
    put_attempts(self, "comm", &run->tasks, &spot_task_spans[SPOT_TASK_COMM], NULL, 0);
    put_attempts(self, "queue", &run->tasks, &spot_task_spans[SPOT_TASK_QUEUE], NULL, 0);
    put_attempts(self, "local", &run->transmits, sent, NULL, SPOT_MODE_LOCAL);
    put_attempts(self, "remote", &run->transmits, sent, NULL, SPOT_MODE_REMOTE);
    fputs("  }\n", self->out);
}

int spot_task_fit(const spot_task_run_t *run, const char *edges_path, const spot_task_run_t *solo,
    const spot_task_comparison_t *comparison, const char *model_path, FILE *out, spot_diag_t *diag)
{
    const spot_task_analysis_t *from = (comparison == NULL ? run : solo)->analysis;
    const size_t num_workers = run->log->num_workers;
    fit_t self = {.out = out, .model_path = model_path};

    if (run->analysis->task[SPOT_TASK_RUN].count == 0) {
        return spot_diag_error(diag, run->file, 0, 0, "no task ran to its end");
    }
    if (run->log->num_edges == 0 && edges_path == NULL) {
        spot_diag_warn(
            diag, run->file, 0, 0, "no taskInputs: the model runs once its graph has edges");
    }
    if (comparison == NULL && num_workers > 1) {
        spot_diag_warn(diag, run->file, 0, 0,
            "laws of run hold the contention of %zu workers: expected --solo", num_workers);
    }
    self.error = spot_maximiser_init(&self.maximiser);
    fprintf(out,
        "# Fitted by spotsim %s to %lld tasks; %lld attempts without an end are left "
        "out.\nscenario: tasks\nengine: tasks\n",
        spot_build_info.version, (long long) run->analysis->distinct,
        (long long) run->analysis->incomplete);
    put_path(&self, "graph: {log: ", run->file);
    if (edges_path != NULL) {
        put_path(&self, ", edges: ", edges_path);
    }
    fprintf(out, "}\nworkers: %zu\nhosts: %zu\nrun: { # others as recorded\n", num_workers,
        run->log->num_hosts);
    for (size_t j = 0; j < from->num_classes; j++) {
        if (comparison == NULL || comparison->classes[j].num_runs > 0) {
            put_attempts(&self, from->per_class[j].name, &from->tasks,
                &spot_task_spans[SPOT_TASK_RUN], from->class_of, j);
        }
    }
    fputs("  }\n", out);
    if (comparison != NULL) {
        put_contention(&self, comparison);
    }
    put_delays(&self, run->analysis);
    free(self.values);
    spot_maximiser_free(&self.maximiser);
    return self.error;
}
