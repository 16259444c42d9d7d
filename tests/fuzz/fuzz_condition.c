/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a condition. No crash, a refusal says why, an answer is the same each
 * time, and a bound says what the condition says. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/condition_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t num_bytes);

enum { MAX_NAMES = SPOT_CONDITION_MAX_BYTES };

/* Types, units and values that differ from name to name and from round to round. */
static void fill(const spot_condition_t *condition, size_t round, spot_condition_kind_t *kinds,
    spot_condition_value_t *values)
{
    static const char *const units[] = {
        NULL, SPOT_CONDITION_DURATION, SPOT_CONDITION_PRICE, "USD", SPOT_CONDITION_ANY_UNIT};
    static const double numbers[] = {0, 1, -2.5, 64, 1e300, (double) NAN};

    for (size_t j = 0; j < condition->num_names; j++) {
        values[j].type = (spot_condition_type_t) (1 + (j + round) % 3);
        values[j].unit = units[(j / 2 + round) % 5];
        kinds[j].type = round % 2 == 0 ? SPOT_CONDITION_ANY : values[j].type;
        kinds[j].unit = round % 2 == 0 ? SPOT_CONDITION_ANY_UNIT : values[j].unit;
        if (values[j].type == SPOT_CONDITION_NUMBER) {
            values[j].number = numbers[(j + round) % 6];
        } else if (values[j].type == SPOT_CONDITION_TEXT) {
            values[j].text = condition->names[j].text;
        } else {
            values[j].truth = j % 2 == 0;
        }
    }
}

/* Types and units that were checked do not mismatch. */
static void evaluate(const spot_condition_t *condition)
{
    static spot_condition_value_t values[MAX_NAMES];
    static spot_condition_kind_t kinds[MAX_NAMES];

    spot_bug_assert(condition->num_names <= MAX_NAMES);
    for (size_t round = 0; round < 6; round++) {
        size_t offset = 0, again_offset = 0;
        bool holds = false, again = false;
        spot_diag_t diag;
        int ret, outcome;

        spot_diag_init(&diag);
        fill(condition, round, kinds, values);
        ret = spot_condition_check(condition, kinds, &diag);
        spot_bug_assert((ret == 0) == (diag.num_errors == 0));
        outcome = spot_condition_evaluate(condition, values, &holds, &offset);
        spot_bug_assert(outcome >= 0 && offset < strlen(condition->node->text));
        spot_bug_assert(ret != 0 || round % 2 == 0 || outcome < SPOT_CONDITION_MISMATCH);
        spot_bug_assert(
            spot_condition_evaluate(condition, values, &again, &again_offset) == outcome &&
            again == holds && again_offset == offset);
        spot_diag_free(&diag);
    }
}

static void bound(const spot_condition_t *condition)
{
    spot_condition_bound_t limit;
    spot_diag_t diag;

    spot_diag_init(&diag);
    if (spot_condition_bound(condition, &limit, &diag) == 0) {
        const double numbers[] = {
            limit.number, nextafter(limit.number, -1e308), nextafter(limit.number, 1e308), 0, 0.05};

        for (size_t j = 0; j < sizeof(numbers) / sizeof(numbers[0]); j++) {
            const spot_condition_value_t value = {.type = SPOT_CONDITION_NUMBER,
                .unit = SPOT_CONDITION_ANY_UNIT,
                .number = numbers[j]};
            bool holds = false;
            size_t offset;

            spot_bug_assert(spot_condition_evaluate(condition, &value, &holds, &offset) == 0);
            spot_bug_assert(
                holds == (limit.is_upper ? numbers[j] <= limit.limit : numbers[j] >= limit.limit));
        }
    } else {
        spot_bug_assert(diag.num_errors > 0);
    }
    spot_diag_free(&diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t num_bytes)
{
    static const char *const candidates[] = {"job.depth", "fleet.capacity", "mode"};
    static size_t ids[MAX_NAMES];
    char text[SPOT_CONDITION_MAX_BYTES + 8] = "";
    spot_node_t node = {.kind = SPOT_NODE_SCALAR,
        .is_quoted = num_bytes % 2 == 0,
        .is_verbatim = num_bytes % 3 == 0,
        .file = "fuzz.yaml",
        .line = 1,
        .column = 1,
        .text = text};
    spot_condition_value_t value;
    spot_condition_t condition;
    spot_diag_t diag;
    int ret;

    memcpy(text, bytes, num_bytes < sizeof(text) ? num_bytes : sizeof(text) - 1);
    spot_diag_init(&diag);
    spot_bug_assert(spot_condition_value_of(&node, &value));
    ret = spot_condition_parse(&condition, &node, "where", &diag);
    spot_bug_assert((ret == 0) == (diag.num_errors == 0));
    if (ret == 0) {
        ret = spot_condition_resolve(&condition, "key", "", candidates, 3, ids, &diag);
        spot_bug_assert((ret == 0) == (diag.num_errors == 0));
        evaluate(&condition);
        bound(&condition);
    }
    spot_condition_free(&condition);
    spot_diag_free(&diag);
    return 0;
}
