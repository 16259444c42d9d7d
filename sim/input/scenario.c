/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/input/scenario.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "traces/laws/law.h"

typedef spot_input_scenario_t scenario_t;

/* A model file needs no name. */
#define NAME_FIELD                                                                                 \
    {                                                                                              \
        .name = "scenario", .type = SPOT_FIELD_TEXT, .offset = SPOT_NOWHERE, .initial = "",        \
        .help = "name of the scenario"                                                             \
    }

/* ---- Laws ---- */

enum { CONSTANT, LOGNORMAL, GAMMA, MEASURED };
static const char *const constant_names[] = {"constant", NULL};

static const spot_field_t cv_fields[] = {
    {SPOT_WITHIN(NUMBER, "cv", spot_input_law_t, cv, 1e-6, 10, NULL, "coefficient of variation",
        "standard deviation / mean")},
    {.name = NULL},
};

/* By kind. */
static const spot_field_t law_forms[] = {
    [CONSTANT] = {SPOT_CHOICE("", spot_input_law_t, kind, constant_names, NULL, NULL)},
    [LOGNORMAL] = {SPOT_GROUP("lognormal", cv_fields, NULL, "a lognormal law")},
    [GAMMA] = {SPOT_GROUP("gamma", cv_fields, NULL, "a gamma law")},
    [MEASURED] = {SPOT_VALUE(PATH, "measured", spot_input_law_t, file, NULL,
        "a .npy file of times that are drawn again, whatever their mean is")},
    {.name = NULL},
};

static void settle_law(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    spot_input_law_t *self = target;
    double mean;

    self->sigma = sqrt(log1p(self->cv * self->cv));
    if (self->kind != MEASURED) {
        return;
    }
    if (spot_npy_read(&self->measured, self->file, bind->diag) == SPOT_ERR_NO_MEMORY) {
        bind->is_out_of_memory = true;
    }
    mean = spot_moments_of(self->measured.values, self->measured.num).mean;
    if (mean <= 0 && bind->diag->num_errors == 0) {
        spot_bind_error(bind, node, field->name, "all times of %s are 0", self->file);
    }
    for (size_t j = 0; j < self->measured.num; j++) {
        self->measured.values[j] /= mean;
    }
}

double spot_input_law_draw(const spot_input_law_t *self, spot_rng_t *rng)
{
    const double square = self->cv * self->cv, shape_and_scale[] = {1 / square, square};

    switch (self->kind) {
        case LOGNORMAL: /* by another method than spot_family_lognormal: other numbers */
            return exp(
                self->sigma * (gsl_ran_gaussian_ziggurat(spot_rng_gsl(rng), 1) - self->sigma / 2));
        case GAMMA:
            return spot_family_gamma.draw(shape_and_scale, rng);
        case MEASURED:
            return self->measured.values[spot_rng_below(rng, self->measured.num)];
        default:
            return 1;
    }
}

#define LAW(key, member_, text)                                                                    \
    {                                                                                              \
        SPOT_FIELDS(ONE_OF, key, scenario_t, member_, law_forms, "constant",                       \
            "law of " text " times", "how " text " times spread about their mean"),                \
            .has_form = true, .form_offset = offsetof(scenario_t, member_.kind),                   \
            .settle = settle_law, .what = "law",                                                   \
            .expected = "constant, {lognormal: {cv: C}}, {gamma: {cv: C}}, {measured: F}",         \
            SPOT_DECIDES                                                                           \
    }

static const spot_field_t spread_fields[] = {
    LAW("read", read, "reading"),
    LAW("decode", decode, "decoding"),
    {.name = NULL},
};

/* ---- Scenarios ---- */

const spot_field_t spot_input_fields[] = {
    NAME_FIELD,
    SPOT_ENGINE_FIELD,
    {SPOT_FIELDS(MAP, "input", scenario_t, loader, spot_loader_fields, NULL, "input pipeline",
         "the loader: its processes, what it costs, where data is"),
        .settle = spot_loader_settle},
    {SPOT_WITHIN(INTEGER, "batch", scenario_t, batch, 1, SPOT_LOADER_MAX_SAMPLES, "512", "batch",
         "samples of a batch"),
        SPOT_DECIDES},
    {SPOT_WITHIN(DURATION_NS, "compute", scenario_t, compute_ns, 0, SPOT_LOADER_MAX_NS, "",
        "compute time", "time of a batch in the training loop, without waiting")},
    {SPOT_GROUP(
        "spread", spread_fields, "{}", "laws of the times of which input.cost says the mean")},
    {SPOT_FIELDS(MAP, "fitted", scenario_t, fitted, spot_loader_range_fields, "{}",
        "the range of settings that the costs were fitted to")},
    {.name = NULL},
};

bool spot_input_decides(const void *scenario, const spot_node_t *root, const char *key)
{
    static const char input[] = "input.";
    const scenario_t *self = scenario;

    (void) root;
    return strncmp(key, input, sizeof(input) - 1) != 0 ||
           spot_loader_decides(&self->loader, key + sizeof(input) - 1, false);
}

int spot_input_scenario_init(
    spot_input_scenario_t *self, const spot_node_t *root, spot_diag_t *diag)
{
    const bool is_bare = root->kind == SPOT_NODE_MAP && spot_node_get(root, "input") == NULL &&
                         spot_node_get(root, "cost") != NULL;
    static const spot_field_t bare[] = {
        NAME_FIELD, SPOT_ENGINE_FIELD, {.name = NULL, .fields = spot_loader_fields}};

    memset(self, 0, sizeof(*self));
    self->compute_ns = -1;
    if (is_bare) {
        spot_bind_t bind = {.diag = diag};
        int ret = spot_bind_document(bare, root, diag, &self->loader);

        if (ret == 0) {
            spot_loader_settle(&bind, NULL, root, &self->loader);
            ret = diag->num_errors > 0 ? SPOT_ERR_BAD_INPUT : 0;
        }
        self->batch = self->loader.cost.collate_batch;
        return ret;
    }
    return spot_bind_document(spot_input_fields, root, diag, self);
}

void spot_input_scenario_free(spot_input_scenario_t *self)
{
    free(self->read.file);
    free(self->decode.file);
    spot_npy_free(&self->read.measured);
    spot_npy_free(&self->decode.measured);
    memset(self, 0, sizeof(*self));
}

spot_loader_work_t spot_input_scenario_work(const spot_input_scenario_t *self)
{
    return (spot_loader_work_t){.batch = self->batch,
        .samples = self->loader.samples,
        .compute_s = (double) self->compute_ns * 1e-9};
}
