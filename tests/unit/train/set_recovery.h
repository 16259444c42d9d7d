/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scenarios that change their recovery system or their step times. Include after
 * cmocka.h. */
#pragma once

#include <stdint.h>

#include "fixture.h"

/* The system of a scenario and its options, from text such as "{system: ideal}". */
static inline void set_recovery(spot_scenario_t *scenario, const char *text)
{
    static const spot_field_t fields[] = {
        {.name = "recovery", .type = SPOT_FIELD_CUSTOM, .bind = spot_recovery_bind},
        {.name = NULL},
    };
    char document_text[512];
    spot_yaml_t document;
    spot_diag_t diag;
    spot_bind_t bind = {.diag = &diag};

    spot_diag_init(&diag);
    snprintf(document_text, sizeof(document_text), "recovery: %s\n", text);
    assert_int_equal(
        spot_yaml_parse(&document, "test", document_text, strlen(document_text), &diag), 0);
    spot_recovery_choice_free(&scenario->recovery);
    assert_int_equal(spot_bind_document(fields, document.root, &diag, &scenario->recovery), 0);
    assert_int_equal(spot_recovery_settle(&scenario->recovery, &bind, document.root, &scenario->job,
                         scenario->fleet.capacity),
        0);
    assert_int_equal(diag.num_errors, 0);
    spot_yaml_free(&document);
    spot_diag_free(&diag);
}

/* Numbers below num_values from a seed and a place, for what a random case lacks. */
static inline uint64_t mixed(uint64_t seed, uint64_t place, uint64_t num_values)
{
    uint64_t z = seed * UINT64_C(0x9e3779b97f4a7c15) + place;

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (z ^ (z >> 31)) % num_values;
}

/* Step times by (D,P) instead of those of the scenario, about as long: some pairs are
 * missing, and steps are not shorter with more instances always. */
static inline void set_random_table(spot_scenario_t *scenario, uint64_t seed)
{
    spot_step_time_t *step_time = &scenario->job.step_time;
    const int64_t step_ms = step_time->points[0].step_ms;
    spot_step_grid_t grid = {0};
    uint64_t place = 0;

    for (int32_t depth = 1; depth <= scenario->fleet.capacity; depth++) {
        for (int32_t d = 1; d * depth <= scenario->fleet.capacity; d++) {
            const double ms = (double) step_ms * (0.5 + (double) mixed(seed, ++place, 8) / 8) + 0.4;

            if (mixed(seed, ++place, 3) > 0) {
                assert_int_equal(
                    spot_step_grid_add(&grid,
                        &(spot_step_pair_t){.num_pipelines = d, .depth = depth, .step_ms = ms}),
                    0);
            }
        }
    }
    assert_int_equal(spot_step_grid_seal(&grid, NULL, NULL), 0);
    assert_int_equal(spot_step_grid_limit(&grid, scenario->job.max_pipelines), 0);
    spot_step_time_free(step_time);
    step_time->grid = grid;
    step_time->table_path = strdup("table.csv");
    assert_non_null(step_time->table_path);
}
