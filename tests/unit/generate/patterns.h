/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A model of each generator with what it can do besides. Include after cmocka.h. */
#pragma once

#include "tests/unit/generate/recorded_model.h"

#define RATES                                                                                      \
    "preemption: {per_minute: 0.2, count: {fixed: 2}}\n"                                           \
    "addition: {per_minute: 0.3, count: {fixed: 1}}\n"
#define ZONE_RATES                                                                                 \
    "preemption: {per_minute: 0.2, count: {fixed: 2}}, "                                           \
    "addition: {per_minute: 0.3, count: {fixed: 1}}"

/* 24 of them; their mean is 1. */
#define RATES_BY_HOUR                                                                              \
    "[2, 2, 2, 2, 2, 2, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, "              \
    "1, 1, 1, 1, 1, 1]"

/* FILE is a recording of kind named. */
static const char *const patterns[] = {
    "generator: seed\ncapacity: 20\ninitial: 9\n" SEED_STUDY,
    "generator: seed\ncapacity: 20\ninitial: 9\ntick_s: 7\n" RATES,
    "generator: seed\nvariant: cell42\ncapacity: 20\ninitial: 9\n" RATES,
    "generator: seed\nvariant: loop\ncapacity: 20\ninitial: 9\n" RATES,
    MRP_STUDY,
    MRP_STUDY "hourly: {start_hour: 5.5, preempt: " RATES_BY_HOUR ", add: " RATES_BY_HOUR "}\n",
    MRP_STUDY "lifetimes: {law: deadline, zeta: 9, sigma: 2, deadline_s: 7200}\n",
    ("generator: lifetimes\ncapacity: 20\ninitial: 11\n"
     "lifetime: {law: bathtub, w: 0.4, tau1: 900, tau2: 300, limit_s: 4000}\n"
     "refill: {family: weibull, scale: 200, shape: 0.5}\n"),
    "generator: block\ntrace: FILE\n",
    "generator: block\ntrace: FILE\ncapacity: 40\ninitial: 3\nrestart_every: 2\n",
    "generator: replay\ntrace: FILE\nwrap: true\nstart: random\n",
    "generator: replay\ntrace: FILE\nwrap: true\nfrom_s: 60\nto_s: 900\n",
    "generator: chance\ncapacity: 12\ninitial: 5\npreempt_per_h: random\n"
    "add_per_h: 0.4\n",
    "generator: zones\ntick_s: 60\nzones:\n"
    "  a: {generator: seed, capacity: 20, initial: 7, " ZONE_RATES "}\n"
    "  b: {generator: seed, capacity: 20, initial: 7, frequency: 1.7, " ZONE_RATES "}\n"
    "  c: {generator: lifetimes, capacity: 9, initial: 2, frequency: 0.3, lifetime: "
    "{family: exponential, mu: 300}, refill: {family: exponential, mu: 200}}\n"
    "shocks: {per_hour: 3, p_zone: 0.5, share: 0.4}\n",
};
static inline void make_pattern(spot_trace_model_t *model, const char *pattern, const char *path,
    double frequency, double horizon_s)
{
    const char *file = strstr(pattern, "FILE");
    const int head = file == NULL ? (int) strlen(pattern) : (int) (file - pattern);
    char text[2048];

    snprintf(text, sizeof(text), "%.*s%s%shorizon_s: %.3f\nfrequency: %g\n", head, pattern,
        file == NULL ? "" : path, file == NULL ? "" : file + strlen("FILE"), horizon_s, frequency);
    make_model(model, text);
}

/* Writes a recording with names; its rows are those of the seed. */
static inline void write_recording(const char *path)
{
    char *rows = random_rows(3, true, 300);
    FILE *out = fopen(path, "w");

    assert_non_null(out);
    fprintf(out,
        "# spotsim-trace: 1\n# name: t\n# start: unknown\n# resolution_s: 10\n"
        "# kind: named\n# capacity: 40\ntime_s,event,count,instances\n%s",
        rows);
    assert_int_equal(fclose(out), 0);
    free(rows);
}
