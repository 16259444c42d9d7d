/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which programs made the rows of a store: two may give other numbers for the same
 * study. Internal to sim/store. */
#ifndef SPOT_SIM_STORE_PROGRAMS_H
#define SPOT_SIM_STORE_PROGRAMS_H

#include "sim/store/provenance.h"
#include "sim/store/sqlite_db.h"

/* Warns, once, if the file has rows of another version or commit than this program's.
 * Whether there were changes that are in no commit makes no difference: most have
 * nothing to do with the numbers. */
SPOT_MUST_CHECK int spot_programs_compare(
    spot_db_t *db, const spot_provenance_t *provenance, spot_diag_t *diag);

/* Warns, once, if the file has rows of two programs. path: its name for the user. */
SPOT_MUST_CHECK int spot_programs_check(
    spot_db_t *db, const char *path, spot_diag_t *diag);

#endif
