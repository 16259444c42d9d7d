/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/study/study_metrics.h"

#include <string.h>

#include "base/memory.h"
#include "base/suggest.h"
#include "sim/study/optimise.h"

/* Appends the metric with this name to those kept, or reports it with a suggestion. */
static void
add_metric(spot_study_t *self, spot_bind_t *bind, const char *key,
    const spot_node_t *place, const char *name)
{
    const spot_experiment_t *experiment = self->experiment;
    spot_suggest_t near;

    for (size_t j = 0; j < self->head.num_metrics; j++) {
        if (strcmp(self->head.metrics[j].name, name) == 0) {
            return;
        }
    }
    spot_suggest_init(&near, name);
    for (size_t j = 0; j < experiment->num_metrics; j++) {
        if (strcmp(experiment->metrics[j].name, name) == 0) {
            self->head.metrics[self->head.num_metrics] = experiment->metrics[j];
            self->metric_ids[self->head.num_metrics++] = j;
            return;
        }
        spot_suggest_offer(&near, experiment->metrics[j].name);
    }
    spot_bind_unknown(bind, place, key, "metric", &near, SPOT_SEE_METRICS);
}

static void
add_listed_metrics(spot_study_t *self, spot_bind_t *bind)
{
    const spot_node_t *node = self->metrics_node;
    const bool is_all = node == NULL && self->head.optimise.metric == NULL;

    for (size_t j = 0; is_all && j < self->experiment->num_metrics; j++) {
        add_metric(self, bind, "metrics", NULL, self->experiment->metrics[j].name);
    }
    for (size_t j = 0; node != NULL && j < node->num_children; j++) {
        if (node->children[j]->kind == SPOT_NODE_SCALAR) {
            add_metric(
                self, bind, "metrics", node->children[j], node->children[j]->text);
        }
    }
}

/* The metrics of the plot are kept too. */
static void
add_plot_metrics(spot_study_t *self, spot_bind_t *bind)
{
    const spot_plot_request_t *plot = &self->head.plot;
    const spot_node_t *node = spot_node_get(self->document.root, "plot");
    const spot_node_t *stack = spot_node_get(node, "stack");

    if (plot->y != NULL) {
        add_metric(self, bind, "plot.y", spot_node_get(node, "y"), plot->y);
    }
    if (plot->second_x != NULL) {
        add_metric(self, bind, "plot.second_x", spot_node_get(node, "second_x"),
            plot->second_x);
    }
    for (size_t j = 0; j < plot->num_stack; j++) {
        if (plot->stack[j] != NULL) {
            add_metric(self, bind, "plot.stack", stack->children[j], plot->stack[j]);
        }
    }
}

/* The metric that is to be known is kept too. */
static void
add_until_metric(spot_study_t *self, spot_bind_t *bind)
{
    const char *name = self->head.until.metric;
    const spot_node_t *node =
        spot_node_place(self->document.root, "replications.until.metric");

    if (name != NULL) {
        add_metric(self, bind, "replications.until.metric", node, name);
    }
}

/* The metric by which values of a key are the best is kept and shown. */
static void
add_best_metric(spot_study_t *self, spot_bind_t *bind)
{
    const spot_node_t *node = spot_node_get(self->document.root, "best");
    const char *const key = self->best.maximise != NULL ? "maximise" : "minimise";
    const char *name =
        self->best.maximise != NULL ? self->best.maximise : self->best.minimise;

    if (name != NULL) {
        add_metric(self, bind,
            self->best.maximise != NULL ? "best.maximise" : "best.minimise",
            spot_node_get(node, key), name);
    }
}

/* The metric whose best mean is looked for and those with limits are kept and shown. */
static int
add_optimise_metrics(spot_study_t *self, spot_bind_t *bind)
{
    const spot_optimise_t *optimise = &self->head.optimise;
    const char *key = optimise->is_maximised ? "optimise.maximise" : "optimise.minimise";
    const int ret = spot_optimise_bind_constraints(self, bind->diag);

    if (optimise->metric != NULL) {
        add_metric(self, bind, key, spot_node_place(self->document.root, key),
            optimise->metric);
    }
    for (size_t j = 0; ret == 0 && j < optimise->num_constraints; j++) {
        add_metric(self, bind, NULL, NULL, optimise->constraints[j].metric);
    }
    return ret == SPOT_ERR_NO_MEMORY ? ret : 0; /* others are in diag */
}

static bool
is_kept(const spot_study_t *self, const char *name)
{
    return spot_study_metric_id(&self->head, name) < self->head.num_metrics;
}

/* Of what the experiment has for reports those metrics that are kept; the parts add up
 * only together. */
static void
find_overview(spot_study_t *self)
{
    const spot_experiment_t *experiment = self->experiment;
    spot_study_head_t *head = &self->head;
    spot_overview_t *overview = &head->overview;

    overview->num_parts = experiment->num_parts;
    for (size_t j = 0; j < experiment->num_parts; j++) {
        overview->part_ids[j] = spot_study_metric_id(head, experiment->parts[j]);
        if (overview->part_ids[j] == head->num_metrics) {
            overview->num_parts = 0;
        }
    }
    overview->cost_id = spot_study_metric_id(head, experiment->cost);
    overview->gain_id = spot_study_metric_id(head, experiment->gain);
    head->has_overview = overview->num_parts > 0 ||
                         overview->cost_id < head->num_metrics ||
                         overview->gain_id < head->num_metrics;
}

size_t
spot_study_ledger_names(const spot_study_t *self, const char **names)
{
    const spot_experiment_t *experiment = self->experiment;
    const char *const others[] = {experiment->cost, experiment->gain};
    size_t num_names = 0;

    for (size_t j = 0; self->has_ledger && j < experiment->num_parts + 2; j++) {
        const char *name = j < experiment->num_parts ? experiment->parts[j]
                                                     : others[j - experiment->num_parts];

        if (name != NULL && !is_kept(self, name)) {
            names[num_names++] = name;
        }
    }
    return num_names;
}

void
spot_study_keep_ledger(spot_study_t *self)
{
    const char *names[SPOT_MAX_METRICS];
    const size_t num_names = spot_study_ledger_names(self, names);

    for (size_t j = 0; j < num_names; j++) {
        add_metric(self, NULL, NULL, NULL, names[j]); /* the experiment has it */
    }
    find_overview(self);
}

int
spot_study_choose_metrics(spot_study_t *self, spot_bind_t *bind)
{
    const size_t num_metrics = self->experiment->num_metrics;
    int ret;

    self->head.metrics = spot_calloc(num_metrics, sizeof(*self->head.metrics));
    self->metric_ids = spot_calloc(num_metrics, sizeof(*self->metric_ids));
    if (self->head.metrics == NULL || self->metric_ids == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    add_listed_metrics(self, bind);
    ret = add_optimise_metrics(self, bind);
    add_until_metric(self, bind);
    add_best_metric(self, bind);
    self->head.num_listed = self->head.num_metrics;
    add_plot_metrics(self, bind);
    find_overview(self);
    return ret;
}
