/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stores of the parts of one study, brought together in one. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/watch.h"

/* Brings the rows and the provenance of stores of one study together in out_path, which
 * may be there already with a part of them. All or nothing: whatever happens, OUT is
 * what it was before or has everything; merging again changes nothing. An OUT that was
 * not there may stay behind empty, as another process may have opened it meanwhile: any
 * study or merge starts in it as in none. Points are
 * matched by their keys. BAD_INPUT also where the studies differ, with the difference
 * and both file names, and where a row is in two stores and not the same, with its
 * point, replication and metric. INTERRUPTED: the watch was stopped. It gets the number of
 * stores done. *num_added: rows that came to OUT; may be NULL. */
SPOT_MUST_CHECK int spot_store_merge(const char *out_path, size_t num_paths,
    const char *const *paths, const spot_watch_t *watch, int64_t *num_added, spot_diag_t *diag);
