/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much memory the process may take: --max-memory, else half of what the machine or
 * its control group has. Whoever allocates by a number of a file or an option asks first,
 * with the bytes that its structs need:
 *
 *     const spot_memory_need_t need = {.count = 1e9, .things = "queries", .bytes = 32e9};
 *
 *     ret = spot_memory_check(&need, diag, node, "arrivals");
 *
 *     FILE:LINE:COLUMN: arrivals: 1e9 queries take 32 GB, more than the 12 GB of --max-memory
 *
 * What no number foresees, such as files that are read, meets the same limit where it is
 * enforced: then the system refuses more memory, which callers report as NO_MEMORY. The limit
 * is state of the process as a whole, as the machine's memory is. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/yaml.h"

/* ---- The limit ---- */

/* Sets the limit, above 0. */
void spot_memory_limit_set(int64_t limit_bytes);

/* The limit in bytes: as set, or half of what spot_memory_available() says; INT64_MAX:
 * neither is known. */
int64_t spot_memory_limit(void);

/* The memory of the machine, or of the control groups (v1, v2) of the process if they have
 * less, in bytes; 0: unknown. Reads files below /proc and /sys. */
int64_t spot_memory_available(void);

/* The least limit of the control group that path names below root, of its parents and
 * of root, in bytes, from files called name; 0: there is none. For tests. */
int64_t spot_memory_group_limit(const char *root, const char *path, const char *name);

/* ---- Needs ---- */

/* What so many things take. Numbers may be infinite. */
typedef struct {
    double count;
    const char *things; /* "queries" */
    double bytes;
    bool is_of_run; /* each thread that runs replications takes as much */
} spot_memory_need_t;

#define SPOT_MEMORY_NEED_BYTES 256

/* Whether it fits. Else text has the reason: "1e9 queries take 32 GB, more than the 12 GB
 * of --max-memory". */
bool spot_memory_fits(const spot_memory_need_t *need, char text[SPOT_MEMORY_NEED_BYTES]);

/* Reports what does not fit at a node, behind the name of its key. 0, BAD_INPUT. */
SPOT_MUST_CHECK int spot_memory_check(
    const spot_memory_need_t *need, spot_diag_t *diag, const spot_node_t *node, const char *key);

/* So many threads may run replications at a time, by the largest need of a run that was found to
 * fit; at least 1. */
int64_t spot_memory_max_threads(void);

/* ---- The backstop ---- */

/* From now on the system refuses this process more memory than the limit (RLIMIT_DATA), as far as
 * it did not do so before. Does nothing in a build with a sanitizer, whose own memory is far more
 * than what the machine has. */
void spot_memory_limit_enforce(void);

/* Before so many threads are started: an enforced limit leaves room for their stacks, which take
 * little of what they reserve. */
void spot_memory_limit_add_threads(int64_t num_threads);

/* Before a child is started, which is none of ours: the process has the limit that it had, until
 * spot_memory_limit_enforce() is called. Async-signal-safe, for a child of fork(). */
void spot_memory_limit_lift(void);

/* ---- Messages ---- */

/* Writes for a message of how many bytes memory was short last, of what is asked for by
 * the functions of base/memory.h, and which limit the process has: ": 3.2 GB were asked for, the
 * process may have 500 MB (ulimit -v)". Returns text, which is "" where neither is
 * known. */
#define SPOT_MEMORY_TEXT_BYTES 128
const char *spot_memory_shortage(char text[SPOT_MEMORY_TEXT_BYTES]);
