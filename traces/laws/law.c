/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/laws/law.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

const spot_family_t *const spot_families[] = {
    &spot_family_exponential,
    &spot_family_weibull,
    &spot_family_gamma,
    &spot_family_lognormal,
    &spot_family_loglogistic,
    &spot_family_hyperexp2,
    &spot_family_bathtub,
    &spot_family_deadline,
    NULL,
};

const char spot_law_expected[] =
    "{family: exponential|weibull|gamma|lognormal|loglogistic|hyperexp2|bathtub|"
    "deadline, PARAMETER: NUMBER, ...}";

const spot_family_t *spot_family_find(const char *name)
{
    for (size_t j = 0; spot_families[j] != NULL; j++) {
        if (strcmp(spot_families[j]->name, name) == 0) {
            return spot_families[j];
        }
    }
    return NULL;
}

/* The name of a law's family: gaps have families, lifetimes laws. */
static const spot_node_t *name_node(const spot_node_t *node)
{
    const spot_node_t *family = spot_node_get(node, "family");

    return family != NULL ? family : spot_node_get(node, "law");
}

const spot_field_t *spot_law_table(const spot_node_t *node)
{
    const spot_node_t *name = name_node(node);
    const spot_family_t *family =
        name == NULL || name->kind != SPOT_NODE_SCALAR ? NULL : spot_family_find(name->text);

    return family == NULL ? NULL : family->fields;
}

void spot_law_bind(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    const spot_node_t *name = name_node(node);
    spot_law_t *self = target;
    spot_suggest_t near;

    if (name == NULL || name->kind != SPOT_NODE_SCALAR) {
        spot_bind_unexpected(bind, field, node, "");
        return;
    }
    if (spot_node_get(node, "family") != NULL && spot_node_get(node, "law") != NULL) {
        spot_bind_unexpected(bind, field, node, "both family and law are given");
        return;
    }
    self->family = spot_family_find(name->text);
    if (self->family != NULL) {
        spot_bind_map(bind, self->family->fields, field->name, node, self->parameters);
        return;
    }
    spot_suggest_init(&near, name->text);
    for (size_t j = 0; spot_families[j] != NULL; j++) {
        spot_suggest_offer(&near, spot_families[j]->name);
    }
    spot_bind_unknown(bind, name, field->name, "family", &near, "");
}

double spot_law_cv(const spot_law_t *self)
{
    const double mean = self->family->moment(self->parameters, 1);
    const double mean_square = self->family->moment(self->parameters, 2);

    return isfinite(mean) && isfinite(mean_square) ? sqrt(fmax(0, mean_square / (mean * mean) - 1))
                                                   : (double) INFINITY;
}

/* Bisection over ln t: survival is monotone in every family, and no start is needed. */
double spot_law_quantile(const spot_law_t *self, double p)
{
    const double target = log1p(-p);
    double low = -745, high = 709; /* all positive doubles */

    spot_bug_assert(p >= 0 && p < 1);
    if (p == 0) {
        return 0;
    }
    while (high - low > 1e-13) {
        const double middle = low + (high - low) / 2;
        const bool is_beyond = self->family->log_survival(self->parameters, exp(middle)) <= target;

        if (middle <= low || middle >= high) {
            break;
        }
        *(is_beyond ? &high : &low) = middle;
    }
    return exp(high);
}
