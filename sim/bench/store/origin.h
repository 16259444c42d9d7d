/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the rows of a store come from, as it noted it: what they depend on, and each
 * process that wrote some. */
#pragma once

#include <stdint.h>

#include "base/provenance.h"
#include "sim/bench/store/store.h"

/* One process that writes rows, or wrote some. Texts may be "". Who opens a store gives
 * what is above the times, which it borrows for the call; the store notes the rest. */
typedef struct {
    /* What rows depend on besides the point and the replication, as base/canonical
     * writes it: the scenario with all its defaults and without what is swept, the
     * SHA-256 of its files, and beside it the seed, metrics and swept keys. Rows
     * of a store all have the same. NULL if read from a store, whose origin has it. */
    const char *canonical;
    const char *canonical_sha256; /* of that text, of the files of this process only: 64
                                     hexadecimal digits */
    const char *version;          /* of the program */
    const char *commit;
    const char *compiler;
    const char *libraries; /* "gsl 2.7, sqlite 3.40.1, ..." */
    const char *machine;   /* host, processor, system */
    const char *command_line;
    int64_t num_threads;
    const char *shard;   /* "I/N" as asked for, "" for all */
    const char *started; /* times are UTC, as in "2026-01-31T12:00:00.000Z" */
    const char *seen;    /* when it last added rows, or ended */
    const char *ended;   /* NULL: it runs, or was killed */
    const char *outcome; /* "complete", "stopped", "failed", "failed: ..."; NULL as
                            ended */
    int64_t rows_added;
} spot_provenance_t;

/* Those that the store needs beside spot_base_libraries, up to one without a name. */
extern const spot_library_t spot_store_libraries[];

struct spot_origin {
    char *canonical;        /* what rows depend on besides the point and the replication, as
                               YAML; NULL: the store does not say */
    char *canonical_sha256; /* of that text; NULL with it */
    size_t num_writers;
    size_t max_writers;
    spot_provenance_t *writers; /* [num_writers] in the order in which they started */
};

/* A store in memory notes nothing: its origin has no writers and no canonical text.
 * Errors as of the store's read(), of which its flush() says why, and NO_MEMORY; free
 * self even then. O(bytes of all texts). */
SPOT_MUST_CHECK int spot_origin_read(spot_origin_t *self, const spot_store_t *store);

/* Accepts a zeroed self. */
void spot_origin_free(spot_origin_t *self);

/* As a store on disk reads it. */
int spot_sqlite_read_origin(const spot_store_t *store, spot_origin_t *origin);
