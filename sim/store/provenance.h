/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where rows come from: what a store notes of each process that wrote to it. */
#ifndef SPOT_SIM_STORE_PROVENANCE_H
#define SPOT_SIM_STORE_PROVENANCE_H

#include <stdint.h>

#include "base/build_info.h"

/* Texts are borrowed for the call that gets them; none may be NULL, unknown ones are "".
 * The times, the rows added and how it ended are noted by the store itself. */
typedef struct {
    /* What rows depend on besides the point and the replication, as base/canonical
     * writes it: the scenario with all its defaults and without what is swept, the
     * SHA-256 of its files, and beside it the seed, keep, metrics and swept keys. Rows
     * of a store all have the same. */
    const char *canonical;
    const char *canonical_sha256; /* of that text, 64 hexadecimal digits */
    const char *version;          /* of the program */
    const char *commit;
    const char *compiler;
    const char *libraries; /* "gsl 2.7, sqlite 3.40.1, ..." */
    const char *machine;   /* host, processor, system */
    const char *command_line;
    int64_t num_threads;
    const char *shard; /* "I/N" as asked for, "" for all */
} spot_provenance_t;

/* Those that the store needs beside spot_base_libraries, up to one without a name. */
extern const spot_library_t spot_store_libraries[];

#endif
