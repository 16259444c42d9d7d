/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a model file. No crash, a refusal says why, and a model that is accepted
 * gives a valid trace, the same one each time. Recordings are looked for in ./model,
 * where the corpus has one. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/diag.h"
#include "base/yaml.h"
#include "traces/generate/membership.h"
#include "traces/generate/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t num_bytes);

enum { MAX_CHANGES = 2000, MAX_CAPACITY = 10000, MAX_TICKS = 1000000 };

/* FNV-1a */
static uint64_t mix(uint64_t hash, int64_t value)
{
    return (hash ^ (uint64_t) value) * 1099511628211U;
}

/* A digest of the first changes of a replication, each of them checked. */
static uint64_t generate(spot_membership_t *membership, const spot_trace_model_t *model)
{
    const int64_t last_ms = spot_model_last_ms(spot_trace_model_common(model));
    uint64_t hash = 14695981039346656037U;
    int64_t previous_ms = 0;
    spot_change_t change;

    spot_membership_start(membership, 1, 0);
    for (int j = 0; j < MAX_CHANGES && spot_membership_next(membership, &change); j++) {
        spot_bug_assert(change.time_ms >= previous_ms && change.time_ms <= last_ms);
        previous_ms = change.time_ms;
        hash = mix(mix(mix(hash, change.time_ms), (int64_t) change.kind), change.count);
        for (int32_t k = 0; k < change.count; k++) {
            hash = mix(hash, change.slots[k]);
        }
        if (j % 64 == 0) {
            spot_membership_verify(membership);
        }
    }
    spot_membership_verify(membership);
    return hash;
}

/* What takes no time to generate. */
static bool is_small(const spot_trace_model_t *model)
{
    const spot_model_common_t *common = spot_trace_model_common(model);

    return common->capacity <= MAX_CAPACITY &&
           spot_model_last_ms(common) / common->tick_ms <= MAX_TICKS;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t num_bytes)
{
    spot_trace_model_t model = {0};
    spot_membership_t membership = {0};
    spot_yaml_t document;
    spot_diag_t diag;
    int ret;

    spot_diag_init(&diag);
    ret = spot_yaml_parse(&document, "model/fuzz.yaml", (const char *) bytes, num_bytes, &diag);
    if (ret == 0) {
        ret = spot_trace_model_read(&model, document.root, &diag);
    }
    spot_bug_assert((ret == 0) == (diag.num_errors == 0));
    if (ret == 0 && is_small(&model) &&
        spot_membership_init(&membership, &model, spot_trace_model_common(&model)->capacity) == 0) {
        const uint64_t first = generate(&membership, &model);

        spot_bug_assert(generate(&membership, &model) == first);
    }
    spot_membership_free(&membership);
    spot_trace_model_free(&model);
    spot_diag_close_file(&diag);
    spot_yaml_free(&document);
    spot_diag_free(&diag);
    return 0;
}
