/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading of what the store on disk notes of those who wrote to it. */
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "sim/store/origin.h"
#include "sim/store/store_sqlite_internal.h"

/* A text that spotsim never leaves out. */
static char *
read_text(spot_db_t *db, sqlite3_stmt *row, int column, int *error)
{
    char *text = spot_db_text(row, column, error);

    if (text == NULL && *error == 0) {
        *error = spot_db_damaged(db, "it does not say where its rows come from");
    }
    return text;
}

static int
read_writer(spot_writer_t *self, spot_db_t *db, sqlite3_stmt *row)
{
    char **const texts[] = {&self->started, &self->seen, &self->canonical_sha256,
        &self->version, &self->commit, &self->compiler, &self->libraries, &self->machine,
        &self->command_line, &self->shard};
    const int num_texts = (int) (sizeof(texts) / sizeof(texts[0]));
    int error = 0;

    for (int j = 0; error == 0 && j < num_texts; j++) {
        *texts[j] = read_text(db, row, j, &error);
    }
    self->rows_added = sqlite3_column_int64(row, num_texts);
    self->num_threads = sqlite3_column_int64(row, num_texts + 1);
    if (error == 0) {
        self->ended = spot_db_text(row, num_texts + 2, &error);
    }
    if (error == 0) {
        self->outcome = spot_db_text(row, num_texts + 3, &error);
    }
    return error;
}

static int
add_writer(spot_origin_t *self, spot_db_t *db, sqlite3_stmt *row)
{
    const int ret = spot_array_reserve((void **) &self->writers, &self->max_writers,
        self->num_writers + 1, sizeof(*self->writers));

    if (ret != 0) {
        return ret;
    }
    memset(&self->writers[self->num_writers], 0, sizeof(*self->writers));
    return read_writer(&self->writers[self->num_writers++], db, row);
}

static int
read_writers(spot_origin_t *self, spot_db_t *db)
{
    sqlite3_stmt *row;
    bool is_row = false;
    int ret = spot_db_prepare(db, &row,
        "SELECT started, seen, canonical_sha256, version, commit_id, compiler, "
        "libraries, machine, command_line, shard, rows_added, threads, ended, outcome "
        "FROM provenance ORDER BY started, writer");

    if (ret == 0) {
        ret = spot_db_step_row(db, row, &is_row);
    }
    while (ret == 0 && is_row) {
        ret = add_writer(self, db, row);
        if (ret == 0) {
            ret = spot_db_step_row(db, row, &is_row);
        }
    }
    sqlite3_finalize(row);
    return ret;
}

void
spot_sqlite_say_taken(spot_db_t *db, spot_diag_t *diag)
{
    char machine[SPOT_UTF8_SHOWN_BYTES], command[SPOT_UTF8_SHOWN_BYTES];
    sqlite3_stmt *row;
    bool is_row = false;

    if (spot_db_prepare(db, &row,
            "SELECT process, machine, started, command_line FROM provenance WHERE ended "
            "IS NULL ORDER BY started DESC LIMIT 1") == 0 &&
        spot_db_step_row(db, row, &is_row) == 0 && is_row) {
        spot_diag_error(diag, db->path, 0, 0,
            "process %lld on %s writes to it (%s); wait until it has ended, or run "
            "shards and merge them",
            (long long) sqlite3_column_int64(row, 0),
            spot_utf8_shown((const char *) sqlite3_column_text(row, 1), machine),
            spot_utf8_shown((const char *) sqlite3_column_text(row, 3), command));
    } else {
        spot_diag_error(diag, db->path, 0, 0,
            "another process is opening it; wait until it has ended, or run shards and "
            "merge them");
    }
    sqlite3_finalize(row);
    spot_db_forget(db);
}

int
spot_sqlite_read_origin(const spot_store_t *store, spot_origin_t *origin)
{
    spot_db_t *db = &spot_sqlite_work(store)->reader;
    sqlite3_stmt *row;
    bool is_row = false;
    int ret = spot_db_prepare(db, &row, "SELECT canonical, canonical_sha256 FROM study");

    if (ret == 0) {
        ret = spot_db_step_row(db, row, &is_row);
    }
    if (ret == 0 && !is_row) {
        ret = spot_db_damaged(db, "it does not say where its rows come from");
    }
    if (ret == 0) {
        origin->canonical = read_text(db, row, 0, &ret);
    }
    if (ret == 0) {
        origin->canonical_sha256 = read_text(db, row, 1, &ret);
    }
    sqlite3_finalize(row);
    return ret == 0 ? read_writers(origin, db) : ret;
}
