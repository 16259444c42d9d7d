/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a YAML document: parsed, bound over every type of field, then edited. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/bind.h"
#include "base/units.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t num_bytes);

typedef struct {
    int64_t size;
    int64_t pause_ms;
    double mean;
    double price_usd_per_h;
    char *name;
    int mode;
    double share;
    double total;
} settings_t;

static const char *const modes[] = {"sync", "async", "none", NULL};

static const spot_field_t inner_fields[] = {
    {.name = "share",
        .type = SPOT_FIELD_NUMBER,
        .offset = offsetof(settings_t, share),
        .min = 0,
        .max = 1},
    {.name = NULL},
};

static void
bind_items(
    spot_bind_t *self, const spot_field_t *field, const spot_node_t *node, void *target)
{
    static const spot_field_t weight = {.name = "weight", .type = SPOT_FIELD_NUMBER};
    double *total = target;

    if (node->kind != SPOT_NODE_LIST) {
        spot_bind_error(self, node, field->name, "expected a list");
        return;
    }
    for (size_t j = 0; j < node->num_children; j++) {
        double value = 0;

        spot_bind_field(self, &weight, node->children[j], &value);
        if (!isfinite(value)) {
            abort();
        }
        *total += value;
    }
}

static const spot_field_t fields[] = {
    {.name = "size",
        .type = SPOT_FIELD_INTEGER,
        .offset = offsetof(settings_t, size),
        .min = 1,
        .max = SPOT_MAX_INSTANCES},
    {.name = "pause",
        .type = SPOT_FIELD_DURATION,
        .offset = offsetof(settings_t, pause_ms),
        .min = -HUGE_VAL,
        .max = HUGE_VAL,
        .initial = "88 s"},
    {.name = "mean",
        .type = SPOT_FIELD_NUMBER,
        .offset = offsetof(settings_t, mean),
        .initial = "0.5"},
    {.name = "price",
        .type = SPOT_FIELD_PRICE,
        .offset = offsetof(settings_t, price_usd_per_h),
        .initial = "0.91 USD/h"},
    {.name = "name",
        .type = SPOT_FIELD_TEXT,
        .offset = offsetof(settings_t, name),
        .initial = ""},
    {.name = "mode",
        .type = SPOT_FIELD_CHOICE,
        .offset = offsetof(settings_t, mode),
        .choices = modes,
        .initial = "async"},
    {.name = "inner", .type = SPOT_FIELD_MAP, .fields = inner_fields, .initial = ""},
    {.name = "items",
        .type = SPOT_FIELD_CUSTOM,
        .offset = offsetof(settings_t, total),
        .bind = bind_items,
        .initial = ""},
    {.name = NULL},
};

static void
bind(const spot_yaml_t *document, spot_diag_t *diag)
{
    settings_t settings = {0};
    const int ret = spot_bind_document(fields, document->root, diag, &settings);

    if (ret == 0 &&
        (settings.size < 1 || settings.size > SPOT_MAX_INSTANCES || settings.mode < 0 ||
            settings.mode > 2 || !isfinite(settings.mean) ||
            !isfinite(settings.price_usd_per_h))) {
        abort();
    }
    free(settings.name);
}

/* The value that was set must be found at its path, in steps or whole. */
static void
set(spot_yaml_t *document)
{
    spot_node_t *value = spot_yaml_new_scalar(document, "0.25", document->root);
    const spot_node_t *inner;

    if (value == NULL || spot_yaml_set(document, "inner.share", value) != 0) {
        abort();
    }
    inner = spot_node_get(document->root, "inner");
    if (spot_node_get(inner, "share") != value &&
        spot_node_get(document->root, "inner.share") != value) {
        abort();
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t num_bytes)
{
    spot_yaml_t document;
    spot_diag_t diag;
    int ret;

    spot_diag_init(&diag);
    ret =
        spot_yaml_parse(&document, "fuzz.yaml", (const char *) bytes, num_bytes, &diag);
    if ((ret == 0) != (diag.num_errors == 0)) {
        abort();
    }
    if (ret == 0) {
        bind(&document, &diag);
        set(&document);
        bind(&document, &diag);
    }
    spot_diag_close_file(&diag);
    spot_yaml_free(&document);
    spot_diag_free(&diag);
    return 0;
}
