/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/recovery/bamboo/bamboo.h"

#include <math.h>
#include <stddef.h>

#include "base/units.h"

/* Of BERT and GPT-2, where steps with redundancy are the only ones that are known. */
#define PUBLISHED_LOCAL_PAUSE_MS (20 * SPOT_MS_PER_S)
#define PUBLISHED_GLOBAL_PAUSE_MS (30 * SPOT_MS_PER_S)
#define PUBLISHED_SLOWDOWN 1.5
#define PUBLISHED_STEP_FACTOR 1

/* ---- Figures of the job, or as published ---- */

/* Time for new holders to copy their stages, all at once: as long as it takes to read
 * the state back if the bandwidth is not known. */
static int64_t stage_ms(spot_terms_t *terms)
{
    const spot_job_t *job = terms->job;

    return spot_terms_can_copy(terms, NULL, NULL)
               ? spot_terms_copy_ms(job, 1.0 / (double) job->pipeline_depth)
               : job->reload_ms;
}

/* Pauses that are given, published or of a table hold the copies. */
static void settle_pauses(spot_bamboo_options_t *self, spot_terms_t *terms)
{
    const int64_t detection_ms = terms->job->detection_ms;
    const int64_t pause_ms = terms->job->reconfiguration_ms > 0
                                 ? terms->job->reconfiguration_ms
                                 : 1; /* as a timer must be due later */
    const bool has_pauses = spot_terms_has(terms, "local_pause") ||
                            spot_terms_has(terms, "global_pause") || self->by_n.path != NULL ||
                            terms->is_published;

    self->detection_ms = spot_terms_ms(terms, "detection", self->detection_ms, 0, detection_ms);
    self->local_pause_ms = spot_terms_ms(
        terms, "local_pause", self->local_pause_ms, PUBLISHED_LOCAL_PAUSE_MS, pause_ms);
    self->global_pause_ms = spot_terms_ms(terms, "global_pause", self->global_pause_ms,
        PUBLISHED_GLOBAL_PAUSE_MS, pause_ms + self->detection_ms);
    self->copy_ms = has_pauses ? 0 : stage_ms(terms);
}

/* A table has its own step times, redundancy included. */
static void settle_steps(spot_bamboo_options_t *self, spot_terms_t *terms)
{
    const bool has_table = self->by_n.path != NULL;

    if (!has_table && !terms->is_published && !spot_terms_has(terms, "step_factor")) {
        spot_terms_lack(terms, "the time of a step with redundancy against a plain one: give "
                               "recovery.step_factor, e.g. {system: bamboo, step_factor: 1.5}, or "
                               "recovery.table with its own step times");
    }
    terms->unmeasured = has_table ? NULL : "steps follow from step_factor";
    self->step_factor =
        spot_terms_number(terms, "step_factor", self->step_factor, PUBLISHED_STEP_FACTOR, 1);
    self->slowdown = spot_terms_number(
        terms, "slowdown", self->slowdown, PUBLISHED_SLOWDOWN, fmax(1, 2 / self->step_factor));
}

int spot_bamboo_settle(void *options, spot_terms_t *terms)
{
    spot_bamboo_options_t *self = options;
    const int ret = spot_by_instances_settle(&self->by_n, terms);

    spot_by_instances_yield(&self->by_n, terms, "local_pause", SPOT_BY_N_LOCAL_PAUSE_MS);
    spot_by_instances_yield(&self->by_n, terms, "global_pause", SPOT_BY_N_GLOBAL_PAUSE_MS);
    settle_pauses(self, terms);
    settle_steps(self, terms);
    return ret;
}

/* ---- Options ---- */

static const char *const fallbacks[] = {"storage", "none", NULL};

const spot_field_t spot_bamboo_fields[] = {
    {SPOT_RANGE(DURATION, "local_pause", spot_bamboo_options_t, local_pause_ms, 1, HUGE_VAL, "",
        "local pause",
        "pause to form the pipelines anew at a step end; that of the table or "
        "job.reconfiguration if not given; if neither pause is given, new holders then "
        "copy their stages: its part of job.model over fleet.network, where these are "
        "given, else job.reload; published, without a copy: 20 s for GPT-2 and BERT, 10 "
        "s for ResNet and GNMT, 5 s for VGG and AlexNet")},
    {SPOT_RANGE(DURATION, "global_pause", spot_bamboo_options_t, global_pause_ms, 1, HUGE_VAL, "",
        "global pause",
        "pause after a fatal loss, and to begin after waiting; that of the table or "
        "job.reconfiguration and detection if not given; published: 30 s")},
    {SPOT_RANGE(DURATION, "detection", spot_bamboo_options_t, detection_ms, 0,
        (double) SPOT_MAX_DURATION_MS, "", "detection time",
        "time to detect a loss, which an absorbed one takes too; job.detection if not "
        "given")},
    {SPOT_RANGE(NUMBER, "step_factor", spot_bamboo_options_t, step_factor, 1, 1000, "",
        "step factor",
        "time of a step with redundancy against a plain one, that of job.step_time; "
        "needed unless table has its own step times")},
    {SPOT_RANGE(NUMBER, "slowdown", spot_bamboo_options_t, slowdown, 1, 1000, "",
        "slowdown after a loss",
        "factor of the step time from an absorbed loss to the next pause; if not given "
        "2 / step_factor, at least 1, as one instance does the work of two stages; "
        "published: 1.5")},
    {SPOT_RANGE(NUMBER, "doubled_share", spot_bamboo_options_t, doubled_share, 0, 2, "0.05",
         "doubled share",
         "the pipelines form anew where places held by instances with two are more than "
         "this share of the instances that train"),
        SPOT_DECIDES},
    {SPOT_RANGE(NUMBER, "redundant_share", spot_bamboo_options_t, redundant_share, 0, 1, "0",
        "redundant share",
        "share of the useful time that counts as redundant; published: 0.8029 "
        "(Oobleck's artifact, fitted to one trace)")},
    {SPOT_CHOICE("fallback", spot_bamboo_options_t, has_no_fallback, fallbacks, "storage",
        "fallback",
        "source of a stage without a holder: the durable checkpoint; none: as "
        "published, as if it were still there")},
    {SPOT_CHOICE("stale_timers", spot_bamboo_options_t, has_stale_timers, spot_no_yes, "no",
        "fault as published: each fatal loss starts a pause of its own, the first to "
        "end forms pipelines, the next one stops the job; and while nothing trains, a "
        "new instance starts one even if all are too few")},
    {SPOT_CHOICE("late_restart", spot_bamboo_options_t, has_late_restart, spot_no_yes, "no",
        "fault as published: a loss in a pause is found at its end, and only then the "
        "pause starts again")},
    {SPOT_CHOICE("trains_in_pause", spot_bamboo_options_t, trains_in_pause, spot_no_yes, "no",
        "fault as published: steps end and count in the pause after a fatal loss")},
    {SPOT_CHOICE("idle_losses_slow", spot_bamboo_options_t, idle_losses_slow, spot_no_yes, "no",
        "fault as published: the loss of a standby or prepping instance slows the job "
        "too")},
    {SPOT_CHOICE("counts_dead_standby", spot_bamboo_options_t, counts_dead_standby, spot_no_yes,
        "no",
        "fault as published: standby instances that are lost count as waiting until the "
        "next pause")},
    SPOT_BY_INSTANCES_FIELDS(offsetof(spot_bamboo_options_t, by_n)),
    {.name = NULL, .fields = spot_recovery_common_fields},
};
