/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where rows come from: what a store notes of each process that wrote to it. */
#ifndef SPOT_SIM_STORE_PROVENANCE_H
#define SPOT_SIM_STORE_PROVENANCE_H

#include <stdint.h>

/* Texts are borrowed for the call that gets them; none may be NULL, unknown ones are "".
 * The times, the rows added and how it ended are noted by the store itself. */
typedef struct {
    /* What rows depend on besides the point, the replication and the seed: the scenario
     * with all its defaults and without what is swept, one "path: value" a line, sorted.
     * Rows of a store all have the same. */
    const char *canonical;
    const char *canonical_sha256; /* of it, 64 hexadecimal digits */
    const char *version;          /* of the program */
    const char *commit;
    const char *compiler;
    const char *libraries; /* "GSL 2.7, SQLite 3.40.1, ..." */
    const char *machine;   /* host, processor, system */
    const char *command_line;
    int64_t num_threads;
    const char *shard; /* "I/N" as asked for, "" for all */
} spot_provenance_t;

#endif
