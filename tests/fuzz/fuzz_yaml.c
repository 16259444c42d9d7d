/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a YAML document: parsed, bound over every type of field, brought into its
 * canonical form, then edited. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/bind.h"
#include "base/canonical.h"
#include "base/units.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t num_bytes);

typedef struct {
    char *name;
    double share;
} stage_t;

typedef struct {
    int64_t world_size;
    int64_t step_ms;
} step_t;

typedef struct {
    int64_t size, pause_ms, wait_ns, memory_bytes;
    double mean, price_usd_per_h, link_bytes_per_s;
    char *name;
    int mode;
    double share;
    size_t num_items, num_stages, num_steps, num_costs;
    double *items, *costs;
    stage_t *stages;
    step_t *steps;
    int64_t range[2];
    int cost_form;
    double cost;
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

static const spot_field_t stage_fields[] = {
    {.name = "share", .type = SPOT_FIELD_NUMBER, .offset = offsetof(stage_t, share)},
    {.name = NULL},
};

static const spot_field_t number = {.type = SPOT_FIELD_NUMBER};
static const spot_field_t integer = {.type = SPOT_FIELD_INTEGER, .min = 1, .max = 9};
static const spot_field_t stage = {.type = SPOT_FIELD_MAP, .fields = stage_fields};
static const spot_field_t stage_key = {.type = SPOT_FIELD_TEXT};
static const spot_field_t step = {.type = SPOT_FIELD_DURATION, .offset = offsetof(step_t, step_ms)};

static const spot_field_t cost_forms[] = {
    {.name = "", .type = SPOT_FIELD_CHOICE, .offset = SPOT_NOWHERE, .choices = spot_no_yes},
    {.name = "each", .type = SPOT_FIELD_PRICE, .offset = offsetof(settings_t, cost)},
    {.name = "",
        .type = SPOT_FIELD_LIST,
        .offset = offsetof(settings_t, costs),
        .num_offset = offsetof(settings_t, num_costs),
        .item = &number,
        .item_size = sizeof(double),
        .expected = "a list of costs"},
    {.name = NULL},
};

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
    {.name = "wait",
        .type = SPOT_FIELD_DURATION_NS,
        .offset = offsetof(settings_t, wait_ns),
        .initial = "20 ms"},
    {.name = "memory",
        .type = SPOT_FIELD_BYTES,
        .offset = offsetof(settings_t, memory_bytes),
        .initial = "24 GiB"},
    {.name = "link",
        .type = SPOT_FIELD_RATE,
        .offset = offsetof(settings_t, link_bytes_per_s),
        .initial = "10 Gbit/s"},
    {.name = "mean",
        .type = SPOT_FIELD_NUMBER,
        .offset = offsetof(settings_t, mean),
        .initial = "0.5"},
    {.name = "price",
        .type = SPOT_FIELD_PRICE,
        .offset = offsetof(settings_t, price_usd_per_h),
        .initial = "0.91 USD/h"},
    {.name = "name", .type = SPOT_FIELD_TEXT, .offset = offsetof(settings_t, name), .initial = ""},
    {.name = "mode",
        .type = SPOT_FIELD_CHOICE,
        .offset = offsetof(settings_t, mode),
        .choices = modes,
        .initial = "async"},
    {.name = "inner", .type = SPOT_FIELD_MAP, .fields = inner_fields, .initial = ""},
    {.name = "items",
        .type = SPOT_FIELD_LIST,
        .offset = offsetof(settings_t, items),
        .num_offset = offsetof(settings_t, num_items),
        .item = &number,
        .item_size = sizeof(double),
        .initial = "",
        .expected = "a list of numbers"},
    {.name = "range",
        .type = SPOT_FIELD_LIST,
        .offset = offsetof(settings_t, range),
        .is_in_place = true,
        .item = &integer,
        .item_size = sizeof(int64_t),
        .min = 2,
        .max = 2,
        .initial = "[1, 2]",
        .expected = "two digits"},
    {.name = "stages",
        .type = SPOT_FIELD_DICT,
        .offset = offsetof(settings_t, stages),
        .num_offset = offsetof(settings_t, num_stages),
        .key = &stage_key,
        .item = &stage,
        .item_size = sizeof(stage_t),
        .initial = "",
        .expected = "a map of stages"},
    {.name = "steps",
        .type = SPOT_FIELD_DICT,
        .offset = offsetof(settings_t, steps),
        .num_offset = offsetof(settings_t, num_steps),
        .key = &integer,
        .item = &step,
        .item_size = sizeof(step_t),
        .initial = "",
        .expected = "a map of steps"},
    {.name = "cost",
        .type = SPOT_FIELD_ONE_OF,
        .form_offset = offsetof(settings_t, cost_form),
        .has_form = true,
        .fields = cost_forms,
        .what = "cost",
        .initial = "no",
        .expected = "a cost"},
    {.name = NULL},
};

static void require(bool is_true)
{
    if (!is_true) {
        abort();
    }
}

static void check(const settings_t *self)
{
    require(self->size >= 1 && self->size <= SPOT_MAX_INSTANCES && self->mode >= 0 &&
            self->mode <= 2 && isfinite(self->mean) && isfinite(self->price_usd_per_h) &&
            isfinite(self->link_bytes_per_s) && self->cost_form >= 0 && self->cost_form <= 2 &&
            self->range[0] >= 1 && self->range[1] <= 9);
    for (size_t j = 0; j < self->num_items; j++) {
        require(isfinite(self->items[j]));
    }
    for (size_t j = 0; j < self->num_stages; j++) {
        require(self->stages[j].name != NULL);
    }
    for (size_t j = 1; j < self->num_steps; j++) {
        require(self->steps[j - 1].world_size < self->steps[j].world_size);
    }
}

static int bind(const spot_node_t *root, spot_diag_t *diag)
{
    settings_t settings = {0};
    const int ret = spot_bind_document(fields, root, diag, &settings);

    if (ret == 0) {
        check(&settings);
    }
    for (size_t j = 0; j < settings.num_stages; j++) {
        free(settings.stages[j].name);
    }
    free(settings.name);
    free(settings.items);
    free(settings.costs);
    free(settings.stages);
    free(settings.steps);
    return ret;
}

/* Any map has a canonical form; that of a good document reads back as itself and is a
 * good document. */
static void make_canonical(const spot_node_t *root, bool is_good)
{
    spot_canonical_t list = {0}, again;
    spot_yaml_t document;
    spot_diag_t diag;
    char *text, *text_again;

    spot_diag_init(&diag);
    require(spot_canonical_make(&list, fields, root, NULL) == 0);
    text = spot_canonical_text(&list);
    require(text != NULL);
    if (is_good) {
        require(spot_canonical_parse(&again, "form", text, &diag) == 0);
        text_again = spot_canonical_text(&again);
        require(strcmp(text, text_again) == 0);
        free(text_again);
        spot_canonical_free(&again);
        require(spot_yaml_parse(&document, "form", text, strlen(text), &diag) == 0);
        require(bind(document.root, &diag) == 0);
        spot_yaml_free(&document);
    }
    free(text);
    spot_canonical_free(&list);
    spot_diag_free(&diag);
}

/* A value that is set at a path is found there; without a place nothing is set. */
static void set(spot_yaml_t *document, const char *path)
{
    spot_node_t *value = spot_yaml_new_scalar(document, "0.25", document->root);
    char problem[SPOT_YAML_PROBLEM_BYTES];
    const bool has_place = spot_yaml_has_place(document->root, path, problem);

    require(value != NULL);
    require((spot_yaml_set(document, path, value) == 0) == has_place);
    require(!has_place || spot_node_place(document->root, path) == value ||
            spot_node_get(document->root, path) == value);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t num_bytes)
{
    static const char *const paths[] = {
        "inner.share", "items[1]", "stages.a.share", "items[0].x[0]"};
    spot_yaml_t document;
    spot_diag_t diag;
    int ret;

    spot_diag_init(&diag);
    ret = spot_yaml_parse(&document, "fuzz.yaml", (const char *) bytes, num_bytes, &diag);
    require((ret == 0) == (diag.num_errors == 0));
    if (ret == 0) {
        const bool is_good = bind(document.root, &diag) == 0;

        if (document.root->kind == SPOT_NODE_MAP) {
            make_canonical(document.root, is_good);
        }
        for (size_t j = 0; j < sizeof(paths) / sizeof(paths[0]); j++) {
            set(&document, paths[j]);
        }
        (void) bind(document.root, &diag);
    }
    spot_diag_close_file(&diag);
    spot_yaml_free(&document);
    spot_diag_free(&diag);
    return 0;
}
