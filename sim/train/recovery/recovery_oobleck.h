/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recovery system oobleck: options, mixes of pipelines and state, for a plug-in that takes its
 * place in the list of systems with more options (share/published/recovery_oobleck.c): the options
 * of such a plug-in start with a spot_oobleck_options_t, its state with a spot_oobleck_state_t, its
 * table of options with SPOT_OOBLECK_FIELDS, its table with SPOT_OOBLECK_TABLE, and it calls
 * decide of spot_recovery_oobleck for what it leaves as it is. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/units.h"
#include "models/pipeline_templates.h"
#include "sim/train/recovery/by_instances.h"
#include "sim/train/recovery/members.h"
#include "sim/train/recovery/recovery.h"

typedef enum {
    SPOT_OOBLECK_AT_PREEMPTION,
    SPOT_OOBLECK_BETTER,
    SPOT_OOBLECK_NEVER
} spot_oobleck_growth_t;

/* The pipelines of N instances: how many of each depth. */
typedef struct {
    int64_t groups_start; /* index of its pipelines in groups */
    int32_t num_groups;
    int64_t step_ms; /* 0: too few instances */
    bool is_flat;    /* step_ms comes from a table outside its points */
    bool is_fitted;
    bool lacks_step_time; /* more instances would be used with a known step time */
} spot_oobleck_mix_t;

typedef struct {
    int64_t num_failures; /* f */
    int64_t min_depth;    /* n_min; 0 before settling: derived from memory */
    int growth;           /* spot_oobleck_growth_t */
    double min_gain;
    int64_t detection_ms;
    int64_t regroup_ms;
    int64_t rebuild_ms; /* where members take layers that they did not have */
    double layer_bytes;
    double bandwidth_bytes_per_s;
    double parameter_bytes;
    double activation_bytes;
    double memory_bytes;
    spot_by_instances_t by_n;
    /* Settled: */
    bool is_by_templates;
    int32_t num_layers;
    spot_templates_t templates;
    int64_t num_mixes;
    spot_oobleck_mix_t *mixes; /* [num_mixes] by N */
    size_t num_groups;
    size_t max_groups;
    spot_template_group_t *groups; /* [num_groups] of all mixes */
} spot_oobleck_options_t;

typedef struct {
    spot_members_t members;
    int64_t step_ms; /* under the decision in force */
    bool is_formed;  /* pipelines have formed */
} spot_oobleck_state_t;

#define SPOT_OOBLECK_MAX_BYTES 1e18

/* The words of spot_oobleck_growth_t. */
extern const char *const spot_oobleck_growths[];

/* Its own options, rows of a table of options. */
#define SPOT_OOBLECK_FIELDS                                                                        \
    {SPOT_RANGE(INTEGER, "f", spot_oobleck_options_t, num_failures, 0, 1000, "3",                  \
         "tolerated losses",                                                                       \
         "instances that can be lost at once without a loss of state: there are f+1 "              \
         "pipelines at least, and the job starts with (f+1) n_min instances"),                     \
        SPOT_DECIDES},                                                                             \
        {SPOT_RANGE(INTEGER, "n_min", spot_oobleck_options_t, min_depth, 0, SPOT_MAX_INSTANCES,    \
             "0", "smallest pipeline",                                                             \
             "instances of the smallest pipeline; 0: ceil((6 parameter_bytes + "                   \
             "activation_bytes)/memory_bytes); without memory_bytes by "                           \
             "job.step_time.pipeline.memory, or 1. Where job.step_time is a table there are "      \
             "no templates: all pipelines have job.pipeline_depth stages, with a warning, "        \
             "and n_min is that, as with a table by n"),                                           \
            .otherwise = "1", SPOT_DECIDES},                                                       \
        {SPOT_CHOICE("growth", spot_oobleck_options_t, growth, spot_oobleck_growths,               \
            "at_preemption", "growth",                                                             \
            "when new instances are used: at_preemption, with the next loss; better: as "          \
            "soon as steps get faster by it; never: not before those in use are too few")},        \
        {SPOT_RANGE(NUMBER, "min_gain", spot_oobleck_options_t, min_gain, 0, 1e6, "0",             \
            "least gain of growth",                                                                \
            "growth better: how much more throughput is worth a pause; 0.1: 10 %")},               \
        {SPOT_RANGE(DURATION, "detection", spot_oobleck_options_t, detection_ms, 0, HUGE_VAL, "",  \
            "detection time",                                                                      \
            "time to detect a loss, in the pause after one; job.detection if not given")},         \
        {SPOT_RANGE(DURATION, "regroup", spot_oobleck_options_t, regroup_ms, 0, HUGE_VAL, "",      \
            "regroup pause",                                                                       \
            "pause to form pipelines; that of the table or job.regroup if not given; "             \
            "without a table instances that take layers which they did not have need "             \
            "job.rebuild and the copying besides; published: 2 s, of BERT-large and GPT-2, "       \
            "and no rebuild")},                                                                    \
        {SPOT_RANGE(NUMBER, "layer_bytes", spot_oobleck_options_t, layer_bytes, 0,                 \
            SPOT_OOBLECK_MAX_BYTES, "", "state of a layer",                                        \
            "state of one layer, copied to instances that lack it (of one stage where "            \
            "job.step_time is a table); if not given the state of job.model over its "             \
            "layers, or job.step_time.pipeline.memory.state_bytes; needed without a table; "       \
            "published: without the latter no time is taken")},                                    \
        {SPOT_RANGE(NUMBER, "bandwidth_bytes_per_s", spot_oobleck_options_t,                       \
            bandwidth_bytes_per_s, 1, SPOT_OOBLECK_MAX_BYTES, "", "copy bandwidth",                \
            "of such a copy, bytes per second; fleet.network if not given; published: "            \
            "1.25e9, a link of 10 Gbit/s")},                                                       \
        {SPOT_RANGE(NUMBER, "parameter_bytes", spot_oobleck_options_t, parameter_bytes, 0,         \
            SPOT_OOBLECK_MAX_BYTES, "0", "parameters of the whole model, for n_min")},             \
        {SPOT_RANGE(NUMBER, "activation_bytes", spot_oobleck_options_t, activation_bytes, 0,       \
            SPOT_OOBLECK_MAX_BYTES, "0", "largest activations of a layer, for n_min")},            \
        {SPOT_RANGE(NUMBER, "memory_bytes", spot_oobleck_options_t, memory_bytes, 0,               \
            SPOT_OOBLECK_MAX_BYTES, "0", "memory of an instance",                                  \
            "memory of the GPUs of an instance, for n_min; 0: not given")},                        \
        SPOT_BY_INSTANCES_FIELDS(offsetof(spot_oobleck_options_t, by_n))

/* What such a table has as the system has it. */
#define SPOT_OOBLECK_TABLE                                                                         \
    .name = "oobleck",                                                                             \
    .doc = "pipelines of different depths by templates; what a pipeline loses is copied "          \
           "from the others, and only the step under way is lost",                                 \
    .source = "Jang, Yang, Zhang, Jin, Chowdhury, Oobleck, SOSP'23",                               \
    .published = "Oobleck (SOSP'23) for BERT-large and GPT-2: 2 s to regroup, 10 Gbit/s",          \
    .traits = {.has_own_step_time = true, .flushes = SPOT_FLUSHES_NEVER},                          \
    .release = spot_oobleck_release, .uses = spot_recovery_uses_no_notice

/* The two parts of settle: reads and checks the table by n, if one is given; then, only
 * where that reports no error, makes the mixes. */
SPOT_MUST_CHECK int spot_oobleck_settle_table(spot_oobleck_options_t *self, spot_terms_t *terms);
SPOT_MUST_CHECK int spot_oobleck_settle_mixes(spot_oobleck_options_t *self, spot_terms_t *terms);

/* Frees what the options hold. */
void spot_oobleck_release(void *options);

/* The mix of num_instances instances when pipelines form anew. */
const spot_oobleck_mix_t *spot_oobleck_mix_of(
    const spot_oobleck_options_t *self, int64_t num_instances);

/* Whether num_instances instances are enough to start. */
bool spot_oobleck_can_start(const spot_oobleck_options_t *self, int64_t num_instances);

/* Forms the pipelines of num_instances instances anew, active ones first. Sets the step
 * time of the decision, not its pauses. */
void spot_oobleck_form(const spot_oobleck_options_t *self, spot_oobleck_state_t *state,
    const spot_recovery_view_t *view, int64_t num_instances, spot_recovery_decision_t *decision);
