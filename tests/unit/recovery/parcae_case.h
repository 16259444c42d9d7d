/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of a Parcae system as a scenario gives them, settled for a job. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/train/recovery/parcae/parcae.h"
#include "tests/unit/base/shared_data.h"

typedef struct {
    spot_job_t job;
    spot_recovery_choice_t recovery;
} parcae_case_t;

static const spot_field_t parcae_case_fields[] = {
    {.name = "job",
        .type = SPOT_FIELD_MAP,
        .offset = offsetof(parcae_case_t, job),
        .initial = "{}",
        .fields = spot_job_fields,
        .help = "the job"},
    {.name = "recovery",
        .type = SPOT_FIELD_CUSTOM,
        .offset = offsetof(parcae_case_t, recovery),
        .initial = "parcae",
        .bind = spot_recovery_bind,
        .help = "the system"},
    {.name = NULL},
};

/* From YAML; what is wrong is printed and told. */
static inline int bind_parcae_case(parcae_case_t *self, const char *text, int64_t capacity)
{
    spot_diag_t diag;
    spot_bind_t bind = {.diag = &diag};
    spot_yaml_t document;
    int ret;

    memset(self, 0, sizeof(*self));
    spot_diag_init(&diag);
    assert_int_equal(spot_yaml_parse(&document, "p.yaml", text, strlen(text), &diag), 0);
    ret = spot_bind_document(parcae_case_fields, document.root, &diag, self);
    if (ret == 0) {
        spot_job_settle(&self->job, &bind, document.root, capacity);
        assert_int_equal(
            spot_recovery_settle(&self->recovery, &bind, document.root, &self->job, capacity), 0);
    }
    ret = diag.num_errors > 0 ? SPOT_ERR_BAD_INPUT : ret;
    if (ret != 0) {
        spot_diag_print(&diag, stdout);
    }
    spot_diag_free(&diag);
    spot_yaml_free(&document);
    return ret;
}

static inline const spot_parcae_t *parcae_of(const parcae_case_t *self)
{
    return self->recovery.options;
}

static inline void free_parcae_case(parcae_case_t *self)
{
    spot_recovery_choice_free(&self->recovery);
    spot_job_free(&self->job);
}

/* GPT-1.5B with its measured tables: false where they are absent. */
static inline bool bind_gpt(
    parcae_case_t *self, const char *system, const char *options, int64_t capacity)
{
    const char *root = SHARED_DATA "profiles/";
    char text[2048];

    snprintf(text, sizeof(text), "%sparcae_gpt-1.5b_dp.csv", root);
    if (access(text, R_OK) != 0) {
        printf("skipped: no %s\n", text);
        return false;
    }
    snprintf(text, sizeof(text),
        "job:\n"
        "  samples_per_step: 128\n"
        "  pipeline_depth: 8\n"
        "  step_time: {table: %sparcae_gpt-1.5b_dp.csv}\n"
        "recovery:\n"
        "  system: %s\n"
        "  published_defaults: yes\n"
        "  transfer: %sparcae_p2p_10gbps.csv\n"
        "  build: %sparcae_gpt-1.5b_build.csv\n"
        "%s",
        root, system, root, root, options);
    assert_int_equal(bind_parcae_case(self, text, capacity), 0);
    return true;
}
