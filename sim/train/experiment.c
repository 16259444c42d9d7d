/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/experiment.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "sim/train/colours.h"
#include "sim/train/metrics.h"
#include "sim/train/run_timeline.h"
#include "sim/train/train.h"

static int
train_bind(void **scenario, const spot_node_t *root, const void *like, spot_diag_t *diag)
{
    *scenario = spot_calloc(1, sizeof(spot_scenario_t));
    if (*scenario == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    return spot_scenario_init(*scenario, root, like, diag);
}

static void
train_free(void *scenario)
{
    if (scenario != NULL) {
        spot_scenario_free(scenario);
        free(scenario);
    }
}

/* A system whose options break the rules that the others keep is compared with none but
 * itself, with and without them. */
static bool
train_is_fair(void *const *scenarios, size_t num_scenarios, spot_misfit_t *misfit)
{
    const spot_scenario_t *first = scenarios[0];
    const spot_recovery_t *other = NULL;
    char broken[SPOT_BROKEN_RULES_BYTES];

    for (size_t j = 1; j < num_scenarios && other == NULL; j++) {
        const spot_scenario_t *scenario = scenarios[j];

        other = scenario->recovery.system == first->recovery.system
                    ? NULL
                    : scenario->recovery.system;
    }
    for (size_t j = 0; j < num_scenarios && other != NULL; j++) {
        const spot_scenario_t *scenario = scenarios[j];
        const spot_recovery_t *system = scenario->recovery.system;

        if (spot_recovery_breaks_rules(&scenario->recovery, broken)) {
            misfit->scenario_id = j;
            misfit->path = "recovery";
            snprintf(misfit->text, sizeof(misfit->text),
                "%s has options that break rules, and stands beside %s: leave them out, "
                "or compare it only with itself",
                system->name,
                system == first->recovery.system ? other->name
                                                 : first->recovery.system->name);
            return false;
        }
    }
    return true;
}

static int
train_open(void **worker, const void *scenario)
{
    *worker = spot_calloc(1, sizeof(spot_train_t));
    if (*worker == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    return spot_train_init(*worker, scenario);
}

static void
train_close(void *worker)
{
    if (worker != NULL) {
        spot_train_free(worker);
        free(worker);
    }
}

static int
train_run(void *worker, uint64_t seed, uint64_t replication, double *metrics,
    unsigned char *warnings)
{
    spot_train_t *train = worker;
    const int ret = spot_train_run(train, seed, replication, NULL);

    if (ret == 0) {
        spot_train_metric_values(train->scenario, &train->result, metrics);
        spot_train_warning_flags(&train->result, warnings);
    }
    return ret;
}

static int
train_timeline(
    void *worker, uint64_t seed, uint64_t replication, spot_timeline_t *timeline)
{
    spot_train_t *train = worker;
    spot_event_log_t log;
    int ret;

    spot_event_log_init(&log);
    ret = spot_train_run(train, seed, replication, &log);
    if (ret == 0) {
        ret = spot_run_timeline(train->scenario, &train->result, &log, timeline);
    }
    spot_event_log_free(&log);
    return ret;
}

/* In the order of the ledger. */
static const char *const parts[] = {"prepping_fraction", "standby_fraction",
    "reconfiguring_fraction", "reloading_fraction", "goodput_fraction", "lost_fraction",
    "unsaved_fraction", "stalled_fraction", "redundant_fraction"};

_Static_assert(
    sizeof(parts) / sizeof(parts[0]) == SPOT_NUM_SHARES, "a metric for each category");

const spot_experiment_t spot_train_experiment = {
    .name = "train",
    .metrics = spot_train_metrics,
    .num_metrics = SPOT_TRAIN_NUM_METRICS,
    .warnings = spot_train_warnings,
    .colours = spot_train_colours,
    .num_parts = SPOT_NUM_SHARES,
    .parts = parts,
    .cost = "usd_per_h",
    .gain = "samples_per_s",
    .fields = spot_scenario_fields,
    .num_warnings = SPOT_TRAIN_NUM_WARNINGS,
    .bind = train_bind,
    .free = train_free,
    .is_fair = train_is_fair,
    .open = train_open,
    .close = train_close,
    .run = train_run,
    .timeline = train_timeline,
};
