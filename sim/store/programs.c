/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/store/programs.h"

#include <stdlib.h>
#include <string.h>

#define CHANGED "-dirty" /* ends the name of a commit with changes on top of it */

typedef struct {
    char *version;
    char *commit;
} program_t;

static void
free_program(program_t *self)
{
    free(self->version);
    free(self->commit);
}

static size_t
commit_length(const char *commit)
{
    const size_t length = strlen(commit), ending = strlen(CHANGED);

    return length >= ending && strcmp(&commit[length - ending], CHANGED) == 0
               ? length - ending
               : length;
}

/* The program of the earliest rows that another one than this made; all NULL where there
 * is none. */
static int
find_other(spot_db_t *db, const char *version, const char *commit, program_t *other)
{
    sqlite3_stmt *row;
    bool is_row = false;
    int error = 0;
    int ret = spot_db_prepare(db, &row,
        "SELECT version, commit_id FROM provenance WHERE rows_added > 0 AND NOT "
        "(version = %Q AND substr(commit_id, 1, length(commit_id) - %d * (commit_id "
        "LIKE '%%" CHANGED "')) = substr(%Q, 1, %d)) ORDER BY started, writer",
        version, (int) strlen(CHANGED), commit, (int) commit_length(commit));

    *other = (program_t){NULL, NULL};
    if (ret == 0) {
        ret = spot_db_step_row(db, row, &is_row);
    }
    if (is_row) {
        other->version = spot_db_text(row, 0, &error);
        other->commit = spot_db_text(row, 1, &error);
        if (error == 0 && (other->version == NULL || other->commit == NULL)) {
            error = spot_db_damaged(db, "a program has no version");
        }
    }
    sqlite3_finalize(row);
    return ret == 0 ? error : ret;
}

int
spot_programs_compare(
    spot_db_t *db, const spot_provenance_t *provenance, spot_diag_t *diag)
{
    program_t other;
    const int ret = find_other(db, provenance->version, provenance->commit, &other);

    if (ret == 0 && other.version != NULL) {
        spot_diag_warn(diag, db->path, 0, 0,
            "has rows of spotsim %s (%s); this is %s (%s): numbers may differ, so run "
            "all of a study with one program",
            other.version, other.commit, provenance->version, provenance->commit);
    }
    free_program(&other);
    return ret;
}

int
spot_programs_check(spot_db_t *db, const char *path, spot_diag_t *diag)
{
    program_t first, other = {NULL, NULL};
    int ret = find_other(db, "", "", &first); /* any is other than none */

    if (ret == 0 && first.version != NULL) {
        ret = find_other(db, first.version, first.commit, &other);
    }
    if (ret == 0 && other.version != NULL) {
        spot_diag_warn(diag, path, 0, 0,
            "has rows of spotsim %s (%s) and of %s (%s): numbers may differ, so run all "
            "of a study with one program",
            first.version, first.commit, other.version, other.commit);
    }
    free_program(&first);
    free_program(&other);
    return ret;
}
