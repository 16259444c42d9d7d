/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nothing in the file is trusted: it may be damaged, or somebody else's idea of a store.
 */
#include "sim/store/stored_study.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Rows of study have what users look for in columns of their own; the head has all. */
static int
insert_study(spot_db_t *db, const spot_study_head_t *head, const char *canonical,
    const char *sha256)
{
    char *text = spot_stored_head_write(head);
    int ret = text == NULL
                  ? SPOT_ERR_NO_MEMORY
                  : spot_db_run(db,
                        "DELETE FROM study; INSERT INTO study VALUES (%Q, %Q, "
                        "%Q, %lld, %lld, %Q, %Q, %Q, 0)",
                        head->name, head->question, head->engine, (long long) head->seed,
                        head->num_replications, canonical, sha256, text);

    free(text);
    return ret;
}

int
spot_stored_study_write(spot_db_t *db, const spot_study_head_t *head,
    const spot_columns_t *columns, const char *canonical, const char *sha256,
    const int64_t *numbers)
{
    int ret = insert_study(db, head, canonical, sha256);

    ret = ret == 0 ? spot_stored_points_write(db, head, columns, numbers) : ret;
    return ret == 0 ? spot_db_run(db, "UPDATE study SET digest = " SPOT_STUDY_DIGEST)
                    : ret;
}

static int
read_study(spot_stored_study_t *self, spot_db_t *db)
{
    sqlite3_stmt *row;
    int ret =
        spot_db_prepare(db, &row, "SELECT canonical, canonical_sha256, head FROM study");

    if (spot_db_next_row(db, row, &ret)) {
        self->canonical = spot_db_text(row, 0, &ret);
        self->canonical_sha256 = spot_db_text(row, 1, &ret);
    }
    if (ret == 0) {
        ret =
            spot_stored_head_read(self, db, (const char *) sqlite3_column_text(row, 2));
    }
    sqlite3_finalize(row);
    return ret;
}

/* Whether the study and the provenance are as they were written. */
static int
check_digests(spot_db_t *db)
{
    sqlite3_int64 num_sound = 0, num_damaged = 0;
    int ret = spot_db_integer(
        db, &num_sound, "SELECT count(*) FROM study WHERE digest = " SPOT_STUDY_DIGEST);

    if (ret == 0 && num_sound != 1) {
        return spot_db_damaged(db, "the study in it is not as it was written");
    }
    if (ret == 0) {
        ret = spot_db_integer(db, &num_damaged,
            "SELECT count(*) FROM provenance WHERE digest IS "
            "NOT " SPOT_PROVENANCE_DIGEST);
    }
    return ret == 0 && num_damaged > 0
               ? spot_db_damaged(db, "its provenance is not as it was written")
               : ret;
}

int
spot_stored_study_read(spot_stored_study_t *self, spot_db_t *db)
{
    int ret;

    memset(self, 0, sizeof(*self));
    ret = check_digests(db);
    ret = ret == 0 ? read_study(self, db) : ret;
    return ret == 0 ? spot_stored_points_read(self, db) : ret;
}

void
spot_stored_study_free(spot_stored_study_t *self)
{
    free((void *) (uintptr_t) self->head.warnings); /* borrowed wherever else */
    free((void *) (uintptr_t) self->head.colours);
    spot_study_head_free(&self->head);
    cJSON_Delete(self->tree);
    free(self->numbers);
    free(self->canonical);
    free(self->canonical_sha256);
    memset(self, 0, sizeof(*self));
}
