/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of recovery systems, their options from YAML, and what "checkpoint" decides.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/canonical.h"
#include "sim/train/recovery/recovery.h"

static const spot_field_t fields[] = {
    {.name = "recovery",
        .type = SPOT_FIELD_CUSTOM,
        .offset = 0,
        .initial = "{system: checkpoint}",
        .bind = spot_recovery_bind,
        .table = spot_recovery_table,
        .expected = "NAME or {system: NAME}",
        .help = "how the job goes on after a loss"},
    {.name = NULL},
};

static int bind(spot_recovery_choice_t *self, const char *text, spot_diag_t *diag)
{
    spot_yaml_t document;
    int ret;

    memset(self, 0, sizeof(*self));
    spot_diag_init(diag);
    assert_int_equal(spot_yaml_parse(&document, "r.yaml", text, strlen(text), diag), 0);
    ret = spot_bind_document(fields, document.root, diag, self);
    spot_yaml_free(&document);
    return ret;
}

static spot_recovery_choice_t bound(const char *text)
{
    spot_recovery_choice_t choice;
    spot_diag_t diag;

    assert_int_equal(bind(&choice, text, &diag), 0);
    assert_int_equal(diag.num_items, 0);
    spot_diag_free(&diag);
    return choice;
}

static void assert_bind_fails(const char *text, const char *expected)
{
    spot_recovery_choice_t choice;
    spot_diag_t diag;
    char *report = NULL;
    size_t num_bytes = 0;
    FILE *out = open_memstream(&report, &num_bytes);

    assert_non_null(out);
    assert_int_equal(bind(&choice, text, &diag), SPOT_ERR_BAD_INPUT);
    spot_recovery_choice_free(&choice);
    spot_diag_print(&diag, out);
    spot_diag_free(&diag);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(report, expected);
    free(report);
}

/* Every system can be named, tells what it is, and explains its options. */
static void test_systems(void **state)
{
    size_t num_systems = 0;

    (void) state;
    for (; spot_recovery_systems[num_systems] != NULL; num_systems++) {
        const spot_recovery_t *system = spot_recovery_systems[num_systems];
        const spot_field_t *option = system->options;
        bool has_system_key = false;
        char text[256];
        spot_recovery_choice_t choice;

        assert_true(strlen(system->name) > 0 && strlen(system->doc) > 0);
        assert_true(strlen(system->source) > 0);
        assert_non_null(system->decide);
        for (; option != NULL; option = spot_field_next(option)) {
            assert_true(strlen(option->help) > 0);
            assert_true(option->offset < system->options_size || option->offset == SPOT_NOWHERE ||
                        option->type == SPOT_FIELD_SELECTOR);
            has_system_key = has_system_key || strcmp(option->name, "system") == 0;
        }
        assert_true(has_system_key);
        for (size_t j = 0; j < num_systems; j++) {
            assert_string_not_equal(system->name, spot_recovery_systems[j]->name);
        }
        snprintf(text, sizeof(text), "recovery: {system: %s}", system->name);
        choice = bound(text);
        assert_ptr_equal(choice.system, system);
        spot_recovery_choice_free(&choice);
    }
    assert_true(num_systems >= 1);
}

static void test_binding(void **state)
{
    spot_recovery_choice_t choice = bound("{}");

    (void) state;
    assert_ptr_equal(choice.system, &spot_recovery_checkpoint);
    assert_non_null(choice.options);
    spot_recovery_choice_free(&choice);
    assert_null(choice.options);
    spot_recovery_choice_free(&choice);
    assert_bind_fails("recovery: checkpoints\n",
        "r.yaml:1:11: recovery: unknown recovery system \"checkpoints\", did you mean "
        "\"checkpoint\"?\n");
    assert_bind_fails(
        "recovery:\n", "r.yaml:1:10: recovery: expected NAME or {system: NAME}, got nothing\n");
    assert_bind_fails("recovery: [checkpoint]\n",
        "r.yaml:1:11: recovery: expected NAME or {system: NAME}, got a list\n");
    assert_bind_fails("recovery: {system: [checkpoint]}\n",
        "r.yaml:1:20: recovery: expected NAME or {system: NAME}, got a list\n");
    assert_bind_fails("recovery: {system: checkpoints}\n",
        "r.yaml:1:20: recovery.system: unknown recovery system \"checkpoints\", did you "
        "mean "
        "\"checkpoint\"?\n");
    assert_bind_fails("recovery: {system: prayer}\n",
        "r.yaml:1:20: recovery.system: unknown recovery system \"prayer\"\n");
    assert_bind_fails("recovery: {system: checkpoint, detection: -1 s}\n",
        "r.yaml:1:43: recovery.detection: expected a duration from 0 s, got \"-1 s\"\n");
}

/* A name alone is the system with its defaults: the same options, and the same in a
 * canonical form. */
static void test_names(void **state)
{
    (void) state;
    for (size_t j = 0; spot_recovery_systems[j] != NULL; j++) {
        char *forms[2];

        for (int is_map = 0; is_map < 2; is_map++) {
            spot_canonical_t list = {0};
            spot_yaml_t document;
            spot_diag_t diag;
            char text[128];

            snprintf(text, sizeof(text), is_map ? "recovery: {system: %s}" : "recovery: %s",
                spot_recovery_systems[j]->name);
            spot_diag_init(&diag);
            assert_int_equal(spot_yaml_parse(&document, "r.yaml", text, strlen(text), &diag), 0);
            assert_int_equal(spot_canonical_make(&list, fields, document.root, NULL), 0);
            forms[is_map] = spot_canonical_text(&list);
            assert_non_null(forms[is_map]);
            spot_canonical_free(&list);
            spot_yaml_free(&document);
            spot_diag_free(&diag);
        }
        assert_string_equal(forms[0], forms[1]);
        assert_non_null(strstr(forms[0], spot_recovery_systems[j]->name));
        free(forms[0]);
        free(forms[1]);
    }
}

static void test_options_of_a_name(void **state)
{
    (void) state;
    for (size_t j = 0; spot_recovery_systems[j] != NULL; j++) {
        const spot_recovery_t *system = spot_recovery_systems[j];
        spot_recovery_choice_t name, map;
        char text[128];

        snprintf(text, sizeof(text), "recovery: %s", system->name);
        name = bound(text);
        snprintf(text, sizeof(text), "recovery: {system: %s}", system->name);
        map = bound(text);
        assert_ptr_equal(name.system, system);
        assert_memory_equal(name.options, map.options, system->options_size);
        spot_recovery_choice_free(&name);
        spot_recovery_choice_free(&map);
    }
}

/* ---- Decisions of "checkpoint" ---- */

static spot_step_point_t point = {.world_size = 1, .step_ms = 1000};

#define STEP_TIME .step_time = {.num_points = 1, .points = &point}

static const spot_job_t job = {STEP_TIME, .pipeline_depth = 4, .max_pipelines = 3,
    .reconfiguration_ms = 8000, .reload_ms = 3000};

static spot_recovery_decision_t decide(const spot_recovery_choice_t *choice, int32_t num_active,
    int32_t num_standby, int32_t num_lost_active)
{
    const spot_recovery_view_t view = {.now_ms = 5000,
        .job = &job,
        .num_active = num_active,
        .num_standby = num_standby,
        .num_prepping = 100};
    const spot_recovery_change_t change = {.num_lost_active = num_lost_active};
    spot_recovery_decision_t decision;

    memset(&decision, 0, sizeof(decision));
    choice->system->decide(choice->options, NULL, &view, &change, &decision);
    return decision;
}

/* A decision exactly when an active instance was lost or a pipeline can be gained; as
 * many whole pipelines as there are instances for, up to the limit. */
static void test_every_small_decision(void **state)
{
    spot_recovery_choice_t choice = bound("recovery: {system: checkpoint, detection: 60 s}");

    (void) state;
    for (int32_t num_active = 0; num_active <= 12; num_active++) {
        for (int32_t num_standby = 0; num_standby <= 20; num_standby++) {
            for (int32_t num_lost = 0; num_lost <= 2; num_lost++) {
                const spot_recovery_decision_t decision =
                    decide(&choice, num_active, num_standby, num_lost);
                int32_t num_pipelines = (num_active + num_standby) / 4;

                if (num_lost == 0 && num_active % 4 != 0) {
                    continue; /* without a loss pipelines are whole */
                }
                num_pipelines = num_pipelines > 3 ? 3 : num_pipelines;
                if (num_lost == 0 && 4 * num_pipelines <= num_active) {
                    assert_false(decision.is_new);
                    continue;
                }
                assert_true(decision.is_new && decision.work == SPOT_WORK_ROLLED_BACK);
                assert_int_equal(decision.num_pipelines, num_pipelines);
                assert_int_equal(decision.num_active, 4 * num_pipelines);
                assert_int_equal(decision.reconfiguration_ms, 8000 + (num_lost > 0 ? 60000 : 0));
                assert_int_equal(decision.reload_ms, 3000);
            }
        }
    }
    spot_recovery_choice_free(&choice);
}

/* ---- Options of "checkpoint", by hand ---- */

/* 1, 2, 3 and 4 pipelines of 4: steps of 1000, 800, 800 and 727 ms. */
static spot_step_point_t speeds[] = {{4, 1000}, {8, 800}, {12, 800}, {16, 727}};

static const spot_job_t growing = {
    .step_time = {.num_points = 4, .points = speeds},
    .pipeline_depth = 4,
    .max_pipelines = 4,
    .checkpoint = {.write_ms = 600, .snapshot_ms = 30},
    .reconfiguration_ms = 8000,
    .reload_ms = 3000,
};

/* So many pipelines form after a change with whole pipelines before it; -1: none do. */
static int formed(
    const char *options, int before, int32_t num_active, int32_t num_standby, int32_t num_lost)
{
    char text[128];
    spot_recovery_choice_t choice;
    const spot_recovery_view_t view = {.now_ms = 5000,
        .job = &growing,
        .num_pipelines = before,
        .num_active = num_active,
        .num_standby = num_standby};
    const spot_recovery_change_t change = {.num_lost_active = num_lost};
    spot_recovery_decision_t decision = {0};

    snprintf(text, sizeof(text), "recovery: {system: checkpoint, %s}", options);
    choice = bound(text);
    choice.system->decide(choice.options, NULL, &view, &change, &decision);
    spot_recovery_choice_free(&choice);
    assert_true(!decision.is_new || decision.num_active == 4 * decision.num_pipelines);
    return decision.is_new ? decision.num_pipelines : -1;
}

static void test_growth(void **state)
{
    (void) state;
    assert_int_equal(formed("growth: pipeline", 2, 8, 4, 0), 3);
    assert_int_equal(formed("growth: pipeline", 2, 8, 3, 0), -1);
    assert_int_equal(formed("growth: never", 2, 8, 8, 0), -1);
    assert_int_equal(formed("growth: never", 2, 7, 8, 1), 2); /* but in its place */
    assert_int_equal(formed("growth: never", 2, 7, 0, 1), 1);
    assert_int_equal(formed("growth: never", 0, 0, 12, 0), 3);
    assert_int_equal(formed("growth: at_preemption", 2, 8, 8, 0), -1);
    assert_int_equal(formed("growth: at_preemption", 2, 7, 9, 1), 4);
    assert_int_equal(formed("growth: at_preemption", 0, 0, 4, 0), 1);
    assert_int_equal(formed("growth: better", 1, 4, 4, 0), 2);
    assert_int_equal(formed("growth: better", 2, 8, 4, 0), -1); /* as fast */
    assert_int_equal(formed("growth: better", 2, 8, 8, 0), 4);
    /* 1000 ms are 25 % more than 800 ms: a gain of exactly a quarter */
    assert_int_equal(formed("growth: better, min_gain: 0.25", 1, 4, 4, 0), 2);
    assert_int_equal(formed("growth: better, min_gain: 0.26", 1, 4, 4, 0), -1);
    assert_int_equal(formed("growth: better, min_gain: 0.26", 1, 3, 5, 1), 2);
}

static void test_plan(void **state)
{
    (void) state;
    assert_int_equal(formed("plan: fixed", 0, 0, 15, 0), 3);
    assert_int_equal(formed("plan: best", 0, 0, 15, 0), 2); /* as fast as 3 */
    assert_int_equal(formed("plan: best", 0, 0, 16, 0), 4);
    assert_int_equal(formed("plan: best", 2, 8, 4, 0), -1);
    assert_int_equal(formed("plan: best", 3, 11, 3, 1), 2);
}

/* A complete checkpoint: 30 ms of snapshot and 600 ms of write. */
static void test_grow_flush(void **state)
{
    static const spot_recovery_change_t ready = {.num_ready = 4}, loss = {.num_lost_active = 1};
    spot_recovery_choice_t choice = bound("recovery: {system: checkpoint, grow_flush: yes}");
    void *memory = calloc(1, choice.system->state_size(choice.options, &growing, 16));
    spot_recovery_view_t view = {.now_ms = 5000,
        .job = &growing,
        .num_pipelines = 1,
        .num_active = 4,
        .num_standby = 4,
        .training_ms = 1000};
    spot_recovery_decision_t decision = {0};

    (void) state;
    choice.system->decide(choice.options, memory, &view, &ready, &decision);
    assert_true(decision.is_new && decision.work == SPOT_WORK_STEPS_KEPT);
    assert_int_equal(decision.flush_ms, 630);
    assert_int_equal(decision.reconfiguration_ms, 8000);
    /* at 5629 ms it is not durable and has to be written again; at 5630 ms it is */
    for (int j = 0; j < 2; j++) {
        view = (spot_recovery_view_t){.now_ms = j == 0 ? 5629 : 6259,
            .job = &growing,
            .num_pipelines = 2 + j,
            .num_active = 8 + 4 * j,
            .num_standby = 4,
            .training_ms = 17259};
        decision = (spot_recovery_decision_t){0};
        choice.system->decide(choice.options, memory, &view, &ready, &decision);
        assert_int_equal(decision.work, SPOT_WORK_STEPS_KEPT);
        assert_int_equal(decision.flush_ms, j == 0 ? 630 : 0);
    }
    decision = (spot_recovery_decision_t){0};
    choice.system->decide(choice.options, memory, &view, &loss, &decision);
    assert_int_equal(decision.work, SPOT_WORK_ROLLED_BACK);
    assert_int_equal(decision.flush_ms, 0);
    free(memory);
    spot_recovery_choice_free(&choice);
}

/* Numbers at the limits of a fleet do not overflow. */
static void test_large_decisions(void **state)
{
    static const spot_job_t deep = {STEP_TIME, .pipeline_depth = 1000000, .max_pipelines = 1000000};
    static const spot_job_t flat = {STEP_TIME, .pipeline_depth = 1, .max_pipelines = 1000000};
    const spot_recovery_change_t change = {.kind = SPOT_CHANGE_MEMBERSHIP};
    spot_recovery_view_t view = {.job = &deep, .num_standby = 1000000};
    spot_recovery_decision_t decision = {0};
    spot_recovery_choice_t choice = bound("{}");

    (void) state;
    choice.system->decide(choice.options, NULL, &view, &change, &decision);
    assert_true(decision.is_new);
    assert_int_equal(decision.num_pipelines, 1);
    assert_int_equal(decision.reconfiguration_ms, 0);
    view.job = &flat;
    choice.system->decide(choice.options, NULL, &view, &change, &decision);
    assert_int_equal(decision.num_pipelines, 1000000);
    spot_recovery_choice_free(&choice);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_systems),
        cmocka_unit_test(test_binding),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_options_of_a_name),
        cmocka_unit_test(test_every_small_decision),
        cmocka_unit_test(test_growth),
        cmocka_unit_test(test_plan),
        cmocka_unit_test(test_grow_flush),
        cmocka_unit_test(test_large_decisions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
