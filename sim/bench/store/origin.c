/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/store/origin.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/bench/store/sqlite_rows.h"

const spot_library_t spot_store_libraries[] = {
    {"sqlite", sqlite3_libversion},
    {NULL, NULL},
};

/* The texts of a writer, first in the query for it; the last two may be null. */
#define NUM_TEXTS 12

static void list_texts(spot_provenance_t *self, const char **texts[NUM_TEXTS])
{
    const char **const all[NUM_TEXTS] = {&self->started, &self->seen, &self->canonical_sha256,
        &self->version, &self->commit, &self->compiler, &self->libraries, &self->machine,
        &self->command_line, &self->shard, &self->ended, &self->outcome};

    memcpy(texts, all, sizeof(all));
}

static int add_writer(spot_origin_t *self, spot_db_t *db, sqlite3_stmt *row)
{
    const char **texts[NUM_TEXTS];
    int ret = SPOT_ARRAY_ROOM(self, writers, self->num_writers + 1);

    if (ret != 0) {
        return ret;
    }
    self->writers[self->num_writers] =
        (spot_provenance_t){.rows_added = sqlite3_column_int64(row, NUM_TEXTS),
            .num_threads = sqlite3_column_int64(row, NUM_TEXTS + 1)};
    list_texts(&self->writers[self->num_writers++], texts);
    for (int j = 0; ret == 0 && j < NUM_TEXTS; j++) {
        *texts[j] = spot_db_text(row, j, &ret);
        if (ret == 0 && *texts[j] == NULL && j < NUM_TEXTS - 2) {
            ret = spot_db_damaged(db, "it does not say where its rows come from");
        }
    }
    return ret;
}

int spot_sqlite_read_origin(const spot_store_t *store, spot_origin_t *origin)
{
    spot_db_t *db = &spot_sqlite_store(store)->reader;
    sqlite3_stmt *row;
    int ret = spot_db_prepare(db, &row, "SELECT canonical, canonical_sha256 FROM study");

    if (spot_db_next_row(db, row, &ret)) {
        origin->canonical = spot_db_text(row, 0, &ret);
        origin->canonical_sha256 = spot_db_text(row, 1, &ret);
    }
    sqlite3_finalize(row);
    if (ret != 0) {
        return ret;
    }
    ret = spot_db_prepare(db, &row,
        "SELECT started, seen, canonical_sha256, version, commit_id, compiler, "
        "libraries, machine, command_line, shard, ended, outcome, rows_added, threads "
        "FROM provenance ORDER BY started, writer");
    while (spot_db_next_row(db, row, &ret)) {
        ret = add_writer(origin, db, row);
    }
    sqlite3_finalize(row);
    return ret;
}

int spot_origin_read(spot_origin_t *self, const spot_store_t *store)
{
    memset(self, 0, sizeof(*self));
    return store->read_origin == NULL ? 0 : store->read_origin(store, self);
}

void spot_origin_free(spot_origin_t *self)
{
    for (size_t j = 0; j < self->num_writers; j++) {
        const char **texts[NUM_TEXTS];

        list_texts(&self->writers[j], texts);
        for (size_t k = 0; k < NUM_TEXTS; k++) {
            free((void *) (uintptr_t) *texts[k]);
        }
    }
    free(self->writers);
    free(self->canonical);
    free(self->canonical_sha256);
    memset(self, 0, sizeof(*self));
}
