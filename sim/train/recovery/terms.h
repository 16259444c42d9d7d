/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Equal terms: where a recovery system gets its figures when it is settled. Those that
 * systems share (models/job.h) are the job's; an option that is given wins over
 * them. The figures of a paper count only with "published_defaults: yes". A figure that
 * neither the job nor an option gives is lacking, and the scenario cannot run. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bind.h"
#include "models/job.h"

typedef struct {
    spot_bind_t *bind;
    const spot_node_t *node; /* of the system, for messages */
    const spot_job_t *job;   /* settled, with the checkpoints of the system */
    int64_t capacity;
    const char *system;
    bool has_fault;    /* one of the system's is set */
    bool is_published; /* published_defaults: yes, or has_fault */
    char *lacks;       /* what the scenario lacks, in words; NULL: nothing */
    size_t num_lacks;
    bool has_table;         /* step times are those of a table of its own, measured */
    int64_t table_least;    /* with a table that is used outside its rows: the least and the */
    int64_t table_most;     /* most instances of a row; 0: it is not */
    const char *unmeasured; /* how else they follow from those of the job, in words;
                               NULL: they are those of the job, or of the table */
} spot_terms_t;

/* Whether an option is given. */
bool spot_terms_has(const spot_terms_t *self, const char *option);

/* The value of an option: as given, or as published, or that of the job. */
int64_t spot_terms_ms(const spot_terms_t *self, const char *option, int64_t given_ms,
    int64_t published_ms, int64_t otherwise_ms);
double spot_terms_number(
    const spot_terms_t *self, const char *option, double given, double published, double otherwise);

/* Reports that the system needs something: "NAME needs WHAT". */
void spot_terms_lack(spot_terms_t *self, const char *format, ...) SPOT_PRINTF(2, 3);

/* Whether the job says how long it takes to copy state between instances. With what: it
 * is needed, as in "the time to copy a layer", and is reported if it is not known.
 * instead: options that give it another way, as in "recovery.layer_bytes". */
bool spot_terms_can_copy(spot_terms_t *self, const char *what, const char *instead);

/* Time for an instance to copy a share (0 to 1) of the state from its peers, in whole
 * ms. Only where spot_terms_can_copy(). */
int64_t spot_terms_copy_ms(const spot_job_t *job, double share);
