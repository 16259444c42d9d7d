/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times for a search from a table of measured points, or from a command that measures.
 */
#pragma once

#include "sim/input/search.h"

typedef struct {
    const char *path;    /* of the table, or of a log to go on from; NULL: no log */
    const char *command; /* for /bin/sh, with {threads} and {block}; NULL: a table */
    int64_t timeout_ms;
    bool is_nearest; /* of a table: the nearest row stands for a missing one */
    size_t num_points, max_points;
    spot_search_point_t *points; /* [num_points] that were read; the caller frees them */
    spot_texts_t *texts;
    spot_diag_t *diag;
} spot_measure_t;

/* Reads the file, and what it has of the lists that are not given; a log may be missing.
 * BAD_INPUT, IO, NO_MEMORY. */
SPOT_MUST_CHECK int spot_measure_read(spot_measure_t *self, spot_search_t *search);

/* A measure; context: a spot_measure_t. BAD_INPUT: the table lacks the point;
 * INTERRUPTED by spot_stop: the command is killed; IO: the log cannot be written. */
int spot_measure_point(void *context, spot_search_point_t *point);
