/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The share that a part has of a whole, such as late queries of all queries: the total of
 * the part over that of the whole, over replications. Where few replications have any of
 * it, Student's interval says nothing of those that were not seen. As a share is from 0 to 1, its
 * interval can: Gaffke's (Mathematical Methods of Statistics 14, 2005; Learned-Miller and Thomas,
 * arXiv 1905.06208), which weighs the replications, and one more that is all or nothing, at random.
 * Of values that are 0 or 1 it is Clopper and Pearson's. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* With more replications than this that have some of the part, but not all, a share is
 * not rare. */
#define SPOT_RARE_SHARE_PARTS 2048

/* Replications in which the whole is more than 0. Zero it to start. */
typedef struct {
    int64_t num_values;
    int64_t num_none; /* the part is 0 */
    int64_t num_all;  /* it is the whole */
    double whole;     /* total */
    double whole_of_none, whole_of_all;
    double largest;    /* whole */
    bool is_unbounded; /* a part was below 0 or above its whole */
    size_t num_parts;  /* all other replications; */
    bool is_many;      /* these were too many to keep */
    size_t max_parts;
    double (*parts)[2]; /* [num_parts] part and whole */
} spot_rare_share_t;

void spot_rare_share_free(spot_rare_share_t *self);

/* Adds a replication; both must be finite. NO_MEMORY. */
int spot_rare_share_add(spot_rare_share_t *self, double part, double whole);

/* Whether the replications that have something of it, or lack something of it, are fewer
 * than half, so that it is known by their number. */
bool spot_rare_share_is_rare(const spot_rare_share_t *self);

/* Whether an interval can be found: it is one of a share, whose parts were kept. */
bool spot_rare_share_has_bounds(const spot_rare_share_t *self);

/* Sets the interval at a confidence. Of a part that no replication has it is from 0 to
 * what would have been missed with a chance of 1 - confidence: 3 of so many replications
 * at 0.95, the rule of three. O(parts). */
void spot_rare_share_bounds(
    const spot_rare_share_t *self, double confidence, double *low, double *high);

/* ---- Counts ---- */

/* The number of events in a replication, or for each unit of something such as an hour:
 * total of the events over that of the units. Where few replications have any, the
 * replications with some are events themselves, each worth so many, and the interval is the
 * one for weighted sums of Poisson variables by Fay and Feuer (Statistics in Medicine 16,
 * 1997). Zero it to start. */
typedef struct {
    int64_t num_values;
    int64_t num_none;               /* without an event */
    double units;                   /* total */
    double total, squares, largest; /* of the events of a replication */
    double at_once;                 /* events that may come at once, at most; NAN: not known */
    double first_events, first_units;
    bool differs;      /* from these */
    bool is_unbounded; /* a number was below 0 */
} spot_rare_count_t;

/* Adds a replication; events and units must be finite, units above 0. at_once: so many may
 * come at once in it, 1 if they come one at a time; NAN: not known. */
void spot_rare_count_add(spot_rare_count_t *self, double events, double units, double at_once);

/* Whether fewer than half of the replications have any, or all have as many. */
bool spot_rare_count_is_rare(const spot_rare_count_t *self);

/* Sets the interval at a confidence. Without an event it is from 0 to what would have been
 * missed with a chance of 1 - confidence, 3 in all at 0.95: the rule of three. Where all
 * replications have as many it is as far to both sides. high may be INFINITY. */
void spot_rare_count_bounds(
    const spot_rare_count_t *self, double confidence, double *low, double *high);
