/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/tasks/task_fit.h"

#include <math.h>
#include <stdlib.h>

#include "base/build_info.h"
#include "base/stats.h"
#include "traces/fit/fit_law.h"
#include "traces/fit/fit_model.h"

#define S_PER_NS 1e-9
#define LEAST_VALUES 5
#define MAX_SHIFT 0.05 /* share by which a law may move the mean */

typedef struct {
    FILE *out;
    spot_maximiser_t maximiser;
    size_t num_values, max_values;
    double *values; /* [num_values] of a sample, in s */
    int error;
} fit_t;

static void
put_quoted(const fit_t *self, const char *before, const char *text)
{
    fputs(before, self->out);
    spot_json_quote(self->out, text, true);
}

static void
put_path(fit_t *self, const char *key, const char *path, const char *model_path)
{
    char *seen = spot_fit_path_from_model(path, model_path);

    put_quoted(self, key, seen == NULL ? path : seen);
    self->error = seen == NULL ? SPOT_ERR_NO_MEMORY : self->error;
    free(seen);
}

/* The best law of the sample by AIC of those that keep the mean, on which the makespan
 * depends. NULL: few values, or all are equal. */
static const spot_fit_t *
choose(fit_t *self, spot_fit_ranking_t *ranking)
{
    const spot_fit_t *best = NULL;
    spot_fit_durations_t sample;
    const int ret = spot_fit_durations_init(
        &sample, self->values, NULL, self->num_values, 0, S_PER_NS);

    if (ret == 0 && self->num_values >= LEAST_VALUES && !sample.is_one_value) {
        spot_fit_rank(ranking, &self->maximiser, &sample, NULL, (double) NAN);
        best = ranking->best_mean_id < 0 ? NULL : &ranking->fits[ranking->best_mean_id];
        for (size_t j = ranking->num_fits; j-- > 0;) {
            const spot_fit_t *fit = &ranking->fits[j];

            best = fit->converged && fabs(fit->mean_ratio - 1) <= MAX_SHIFT ? fit : best;
        }
    }
    spot_fit_durations_free(&sample);
    self->error = spot_error_first(self->error, ret);
    return best;
}

/* Writes the law of the sample, which starts anew. */
static void
put_law(fit_t *self, const char *name)
{
    const size_t num = self->num_values;
    const double mean_s = spot_moments_of(self->values, num).mean;
    spot_fit_ranking_t ranking;

    put_quoted(self, mean_s > 0 ? "  " : "  # nothing above 0: ", name);
    if (mean_s > 0) {
        const spot_fit_t *fit = choose(self, &ranking);

        fputs(": ", self->out);
        if (fit == NULL) {
            fprintf(self->out, "%.9f s, # without spread", mean_s);
        } else {
            spot_fit_write_law(self->out, "family", &fit->law);
            fprintf(self->out, ", # KS distance %.3f", fit->ks);
        }
        spot_sort(self->values, num);
        fprintf(self->out, ", n %zu, mean %.4g s, p50 %.4g s, p90 %.4g s", num, mean_s,
            spot_quantile(self->values, num, 0.5),
            spot_quantile(self->values, num, 0.9));
    }
    fputc('\n', self->out);
    self->num_values = 0;
}

/* Writes the law of the attempts of a class or, without classes, of a mode. */
static void
put_attempts(fit_t *self, const char *name, const spot_attempts_t *attempts,
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

static void
put_contention(fit_t *self, const spot_task_comparison_t *comparison)
{
    fprintf(self->out, "contention:\n  scope: %s\n  beta: {\n",
        spot_task_scope_names[comparison->scope]);
    for (size_t j = 0; j < comparison->num_classes; j++) {
        const spot_task_class_pair_t *class = &comparison->classes[j];

        put_quoted(self,
            isfinite(class->beta) ? "    " : "    # not identifiable: ", class->name);
        fprintf(self->out, ": %.6g, # n %lld, %.3g at once\n", class->beta,
            (long long) class->num_runs, class->mean_concurrency);
    }
    fputs("    }\n", self->out);
}

static void
put_delays(fit_t *self, const spot_task_analysis_t *run)
{
    const spot_task_span_t *sent = &spot_transmit_spans[SPOT_TRANSMIT_TOTAL];
    const int64_t *decisions = run->graph.decisions;

    fputs("delays: {\n", self->out);
    for (size_t j = 0; j < (size_t) run->graph.tasks; j++) {
        if (decisions[j] >= 0) {
            SPOT_ARRAY_PUSH(self, values, (double) decisions[j] * S_PER_NS);
        }
    }
    put_law(self, "decision");
    put_attempts(self, "comm", &run->tasks, &spot_task_spans[SPOT_TASK_COMM], NULL, 0);
    put_attempts(self, "queue", &run->tasks, &spot_task_spans[SPOT_TASK_QUEUE], NULL, 0);
    put_attempts(self, "local", &run->transmits, sent, NULL, SPOT_MODE_LOCAL);
    put_attempts(self, "remote", &run->transmits, sent, NULL, SPOT_MODE_REMOTE);
    fputs("  }\n", self->out);
}

/* Writes the scenario. solo: NULL for none; comparison: its own, or empty. */
static void
put_scenario(fit_t *self, const spot_task_run_t *run, const char *edges_path,
    const char *model_path, const spot_task_analysis_t *solo,
    const spot_task_comparison_t *comparison)
{
    const spot_task_analysis_t *from = solo == NULL ? run->analysis : solo;

    fprintf(self->out,
        "# Fitted by spotsim %s to %lld tasks; %lld attempts without an end are left "
        "out.\nscenario: tasks\nengine: tasks\n",
        spot_build_info.version, (long long) run->analysis->distinct,
        (long long) run->analysis->incomplete);
    put_path(self, "graph: {log: ", run->file, model_path);
    if (edges_path != NULL) {
        put_path(self, ", edges: ", edges_path, model_path);
    }
    fprintf(self->out, "}\nworkers: %zu\nhosts: %zu\nrun: { # others as recorded\n",
        run->log->num_workers, run->log->num_hosts);
    for (size_t j = 0; j < from->num_classes; j++) {
        if (solo == NULL || comparison->classes[j].num_runs > 0) {
            put_attempts(self, from->per_class[j].name, &from->tasks,
                &spot_task_spans[SPOT_TASK_RUN], from->class_of, j);
        }
    }
    fputs("  }\n", self->out);
    if (solo != NULL) {
        put_contention(self, comparison);
    }
    put_delays(self, run->analysis);
}

int
spot_task_fit(const spot_task_run_t *run, const char *edges_path,
    const spot_task_run_t *solo, spot_task_scope_t scope, const char *model_path,
    FILE *out, spot_diag_t *diag)
{
    spot_task_comparison_t comparison = {0};
    fit_t self = {.out = out};

    if (run->analysis->task[SPOT_TASK_RUN].count == 0) {
        self.error = spot_diag_error(diag, run->file, 0, 0, "no task ran to its end");
    } else if (solo != NULL) {
        self.error = spot_task_comparison_init(&comparison, solo, run, scope, diag);
    } else if (run->log->num_workers > 1) {
        spot_diag_warn(diag, run->file, 0, 0,
            "laws of run hold the contention of %zu workers: expected --solo",
            run->log->num_workers);
    }
    self.error = self.error == 0 ? spot_maximiser_init(&self.maximiser) : self.error;
    if (self.error == 0) {
        put_scenario(&self, run, edges_path, model_path,
            solo == NULL ? NULL : solo->analysis, &comparison);
    }
    free(self.values);
    spot_maximiser_free(&self.maximiser);
    spot_task_comparison_free(&comparison);
    return self.error;
}
