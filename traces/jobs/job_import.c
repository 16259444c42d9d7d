/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/jobs/job_import.h"

#include "base/datetime.h"

#define NUM_OF(rules) (sizeof(rules) / sizeof((rules)[0]))

static const spot_vc_rule_t helios_vcs[] = {
    {"vcEhP", ""},
    {"vcIya", ""},
    {"vcJLV", ""},
    {"vcJkd", ""},
    {"vcsBT", ""},
    {"vcbIW", "vcvGl"},
    {"vc6YE", "vcvGl"},
    {"vcOhe", "vcKeu"},
    {"vccJW", "vcKeu"},
    {"vcP2J", "vchA3"},
};

static const spot_vc_rule_t philly_vcs[] = {
    {"795a4c", ""},
    {"51b7ef", ""},
    {"925e2b", ""},
    {"23dbec", ""},
};

static const spot_vc_rule_t philly_states[] = {
    {"Pass", "COMPLETED"},
    {"Failed", "FAILED"},
    {"Killed", "CANCELLED"},
};

const spot_job_preset_t spot_job_presets[] = {
    {
        .name = "helios-sept",
        .doc = "Venus of HeliosData, 1 to 26 September 2020: VCs that came or went are "
               "dropped or merged, as in the Lucid artifact",
        .origin = "2020-04-01 00:00:00",
        .begin = "2020-09-01 00:00:00",
        .end = "2020-09-26 23:59:00",
        .num_vc_rules = NUM_OF(helios_vcs),
        .vc_rules = helios_vcs,
    },
    {
        .name = "helios-july",
        .doc = "the same, July 2020",
        .origin = "2020-04-01 00:00:00",
        .begin = "2020-07-01 00:00:00",
        .end = "2020-07-31 23:59:00",
        .num_vc_rules = NUM_OF(helios_vcs),
        .vc_rules = helios_vcs,
    },
    {
        .name = "philly-week",
        .doc = "philly-traces as a CSV file, 1 to 7 October 2017, without its four "
               "small VCs",
        .origin = "2017-10-01 00:00:00",
        .begin = "2017-10-01 00:00:00",
        .end = "2017-10-07 23:59:00",
        .num_vc_rules = NUM_OF(philly_vcs),
        .vc_rules = philly_vcs,
        .num_state_rules = NUM_OF(philly_states),
        .state_rules = philly_states,
    },
    {.name = NULL},
};

const char *spot_job_window_set(
    spot_job_window_t *self, const char *origin, const char *begin, const char *end)
{
    const char *texts[] = {origin, begin, end};
    int64_t *times[] = {&self->origin_s, &self->begin_s, &self->end_s};
    size_t num_given = 0;

    for (size_t j = 0; j < NUM_OF(texts); j++) {
        bool is_date = false;

        *times[j] = SPOT_JOB_NO_CLOCK;
        if (texts[j] == NULL) {
            continue;
        }
        if (spot_clock_parse(texts[j], times[j], &is_date) != 0) {
            return "expected integer seconds or YYYY-MM-DD hh:mm:ss";
        }
        if (num_given > 0 && is_date != self->has_dates) {
            return "either all are dates, or all are seconds";
        }
        self->has_dates = is_date;
        num_given++;
    }
    self->is_given = num_given > 0;
    if (self->end_s != SPOT_JOB_NO_CLOCK && self->end_s < self->begin_s) {
        return "the end is before the begin";
    }
    if (self->begin_s != SPOT_JOB_NO_CLOCK && self->begin_s < self->origin_s) {
        return "the begin is before the origin";
    }
    return NULL;
}
