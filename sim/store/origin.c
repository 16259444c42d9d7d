/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/store/origin.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "sim/store/store_sqlite_internal.h"

#define ADVICE ": numbers may differ, so run all of a study with one program"
#define CHANGED "-dirty" /* ends the name of a commit with changes on top of it */

const spot_library_t spot_store_libraries[] = {
    {"sqlite", sqlite3_libversion},
    {NULL, NULL},
};

/* The texts of a writer, the columns of the query below; the last two may be null. */
#define NUM_TEXTS 12

static void
list_texts(spot_writer_t *self, char **texts[NUM_TEXTS])
{
    char **const all[NUM_TEXTS] = {&self->started, &self->seen, &self->canonical_sha256,
        &self->version, &self->commit, &self->compiler, &self->libraries, &self->machine,
        &self->command_line, &self->shard, &self->ended, &self->outcome};

    memcpy(texts, all, sizeof(all));
}

static int
add_writer(spot_origin_t *self, spot_db_t *db, sqlite3_stmt *row)
{
    char **texts[NUM_TEXTS];
    spot_writer_t *writer;
    int ret = spot_array_reserve((void **) &self->writers, &self->max_writers,
        self->num_writers + 1, sizeof(*self->writers));

    if (ret != 0) {
        return ret;
    }
    writer = &self->writers[self->num_writers++];
    *writer = (spot_writer_t){.rows_added = sqlite3_column_int64(row, NUM_TEXTS),
        .num_threads = sqlite3_column_int64(row, NUM_TEXTS + 1)};
    list_texts(writer, texts);
    for (int j = 0; ret == 0 && j < NUM_TEXTS; j++) {
        *texts[j] = spot_db_text(row, j, &ret);
        if (ret == 0 && *texts[j] == NULL && j < NUM_TEXTS - 2) {
            ret = spot_db_damaged(db, "it does not say where its rows come from");
        }
    }
    return ret;
}

/* All who wrote to the file. */
static int
read_writers(spot_origin_t *self, spot_db_t *db)
{
    sqlite3_stmt *row;
    int ret = spot_db_prepare(db, &row,
        "SELECT started, seen, canonical_sha256, version, commit_id, compiler, "
        "libraries, machine, command_line, shard, ended, outcome, rows_added, threads "
        "FROM provenance ORDER BY started, writer");

    while (spot_db_next_row(db, row, &ret)) {
        ret = add_writer(self, db, row);
    }
    sqlite3_finalize(row);
    return ret;
}

int
spot_sqlite_read_origin(const spot_store_t *store, spot_origin_t *origin)
{
    spot_db_t *db = &spot_sqlite_store(store)->reader;
    sqlite3_stmt *row;
    int ret = spot_db_prepare(db, &row, "SELECT canonical, canonical_sha256 FROM study");

    if (spot_db_next_row(db, row, &ret)) {
        origin->canonical = spot_db_text(row, 0, &ret);
        origin->canonical_sha256 = spot_db_text(row, 1, &ret);
    }
    sqlite3_finalize(row);
    return ret == 0 ? read_writers(origin, db) : ret;
}

int
spot_origin_read(spot_origin_t *self, const spot_store_t *store)
{
    memset(self, 0, sizeof(*self));
    return store->read_origin == NULL ? 0 : store->read_origin(store, self);
}

void
spot_origin_free(spot_origin_t *self)
{
    for (size_t j = 0; j < self->num_writers; j++) {
        char **texts[NUM_TEXTS];

        list_texts(&self->writers[j], texts);
        for (size_t k = 0; k < NUM_TEXTS; k++) {
            free(*texts[k]);
        }
    }
    free(self->writers);
    free(self->canonical);
    free(self->canonical_sha256);
    memset(self, 0, sizeof(*self));
}

/* Says which process writes to the file, as far as it noted it. */
static void
say_taken(spot_db_t *db, spot_diag_t *diag)
{
    char machine[SPOT_UTF8_SHOWN_BYTES], command[SPOT_UTF8_SHOWN_BYTES];
    sqlite3_stmt *row;
    int ret = spot_db_prepare(db, &row,
        "SELECT process, machine, command_line FROM provenance WHERE ended IS NULL "
        "ORDER "
        "BY started DESC LIMIT 1");

    if (spot_db_next_row(db, row, &ret)) {
        spot_diag_error(diag, db->path, 0, 0,
            "process %lld on %s writes to it (%s); wait until it has ended, or run "
            "shards and merge them",
            (long long) sqlite3_column_int64(row, 0),
            spot_utf8_shown((const char *) sqlite3_column_text(row, 1), machine),
            spot_utf8_shown((const char *) sqlite3_column_text(row, 2), command));
    } else {
        spot_diag_error(diag, db->path, 0, 0,
            "another process is opening it; wait until it has ended, or run shards and "
            "merge them");
    }
    sqlite3_finalize(row);
    spot_db_forget(db);
}

int
spot_sqlite_claim(spot_db_t *db, spot_diag_t *diag)
{
    bool is_taken;
    const int ret = spot_db_claim(db, &is_taken);

    if (ret == 0 && is_taken) {
        say_taken(db, diag);
        return SPOT_ERR_BAD_INPUT;
    }
    return ret;
}

/* ---- Which programs made the rows ---- */

static size_t
commit_length(const char *commit)
{
    const size_t length = strlen(commit), ending = strlen(CHANGED);

    return length >= ending && strcmp(&commit[length - ending], CHANGED) == 0
               ? length - ending
               : length;
}

/* Whether both are of one commit. Whether there were changes that are in no commit makes
 * no difference: most have nothing to do with the numbers. */
static bool
is_same_program(const spot_writer_t *writer, const char *version, const char *commit)
{
    const size_t length = commit_length(commit);

    return strcmp(writer->version, version) == 0 &&
           commit_length(writer->commit) == length &&
           strncmp(writer->commit, commit, length) == 0;
}

/* The earliest that added rows and is not of this program; version NULL: the earliest of
 * all. NULL: there is none. */
static const spot_writer_t *
find_other(const spot_origin_t *self, const char *version, const char *commit)
{
    for (size_t j = 0; j < self->num_writers; j++) {
        const spot_writer_t *writer = &self->writers[j];

        if (writer->rows_added > 0 &&
            (version == NULL || !is_same_program(writer, version, commit))) {
            return writer;
        }
    }
    return NULL;
}

int
spot_programs_check(
    spot_db_t *db, const spot_provenance_t *provenance, spot_diag_t *diag)
{
    spot_origin_t origin = {0};
    const int ret = read_writers(&origin, db);
    const spot_writer_t *first = ret == 0 ? find_other(&origin, NULL, NULL) : NULL;
    const char *version, *commit;
    const spot_writer_t *other;

    if (first != NULL) {
        version = provenance == NULL ? first->version : provenance->version;
        commit = provenance == NULL ? first->commit : provenance->commit;
        other = find_other(&origin, version, commit);
        if (other != NULL && provenance == NULL) {
            spot_diag_warn(diag, db->path, 0, 0,
                "has rows of spotsim %s (%s) and of %s (%s)" ADVICE, version, commit,
                other->version, other->commit);
        } else if (other != NULL) {
            spot_diag_warn(diag, db->path, 0, 0,
                "has rows of spotsim %s (%s); this is %s (%s)" ADVICE, other->version,
                other->commit, version, commit);
        }
    }
    spot_origin_free(&origin);
    return ret;
}
