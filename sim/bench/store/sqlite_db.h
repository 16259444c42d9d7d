/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A connection to an SQLite file that remembers what first went wrong, so that code
 * without a diag at hand only passes an error on. Internal to sim/bench/store. */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/error.h"

/* A connection is for one thread at a time. */
typedef enum {
    SPOT_DB_WRITE, /* makes the file where it is not there */
    SPOT_DB_READ,  /* of a file that is there, which may be write-protected; leaves nothing
                      beside it, even if it is killed */
    SPOT_DB_BESIDE /* the same in a process that has the file open to write */
} spot_db_mode_t;

typedef struct spot_db {
    sqlite3 *handle;
    char *path;     /* as the user gave it */
    int failure;    /* extended result code of SQLite that was met first, or 0 */
    int cause;      /* errno of that failure; 0: none */
    char *sentence; /* what SQLite, or we, say about it; may be NULL */
    int claim;      /* descriptor that holds the claim of the writer, or of the reader, or -1 */
    bool is_thrown_away; /* the file, after an error: messages say so */
    bool is_still;       /* read as a file that does not change */
} spot_db_t;

/* Opens the file. Free self even after an error: IO, BAD_INPUT (no database), NO_MEMORY;
 * spot_db_explain() says why. timeout_ms: how long to wait for others' locks. */
SPOT_MUST_CHECK int spot_db_open(
    spot_db_t *self, const char *path, spot_db_mode_t mode, int timeout_ms);

/* Opens an empty database in memory, for one connection. Errors and free as above. */
SPOT_MUST_CHECK int spot_db_open_memory(spot_db_t *self);

/* Readies a file that is known to be ours, or new. Commits then do not wait for the
 * disk, checkpoints do: a crash of the machine may cost the last moments, never more.
 * Checkpoints come often enough to keep the log small, and seldom enough to write a page
 * once that many rows fill. */
SPOT_MUST_CHECK int spot_db_start_writing(spot_db_t *self);

/* Accepts a zeroed self. Statements must be finalised. */
void spot_db_close(spot_db_t *self);

/* Claims the file for this process, as the only one that writes to it until self is
 * closed; others may read. *is_taken: another process, or store, has the claim. The
 * system gives it back when the process ends, however it ends. Close all other
 * connections of the process to the file before self, whose closing ends their locks. */
SPOT_MUST_CHECK int spot_db_claim(spot_db_t *self, bool *is_taken);

/* Attaches a file that is open to be read, and stays so until it is detached. */
SPOT_MUST_CHECK int spot_db_attach(spot_db_t *self, const spot_db_t *read, const char *schema);

/* Remembers that the file holds what spotsim never writes; returns BAD_INPUT. format: as
 * sqlite3_mprintf(). */
int spot_db_damaged(spot_db_t *self, const char *format, ...);

/* Remembers a whole sentence about what others did to the file; returns BAD_INPUT. format:
 * as sqlite3_mprintf(). */
int spot_db_others(spot_db_t *self, const char *format, ...);

/* The error of what went wrong first; 0: nothing did. */
int spot_db_error(const spot_db_t *self);

/* Sees whether the file still is where it was opened; if not, all that is written is
 * lost to whoever looks for it there. IO, remembered. */
SPOT_MUST_CHECK int spot_db_check_place(spot_db_t *self);

/* The error of opening a store: what cannot be reached or may not be written is
 * BAD_INPUT then, as it is before any work was done and the user's to change. */
SPOT_MUST_CHECK int spot_db_opening_error(const spot_db_t *self, int error);

/* Forgets what went wrong. */
void spot_db_forget(spot_db_t *self);

/* Appends what went wrong and what to do about it; nothing if nothing did. */
void spot_db_explain(const spot_db_t *self, spot_diag_t *diag);

/* Ends a part of the SQL below, for %z in its format. */
char *spot_db_finish(spot_db_t *self, sqlite3_str *text);

/* Carries out statements that give no rows. format: as sqlite3_mprintf(), with %w for a
 * name between double quotes, %Q for a text and %z for a text that it frees. NO_MEMORY
 * also where memory ran out before, as it may have for such a text. */
SPOT_MUST_CHECK int spot_db_run(spot_db_t *self, const char *format, ...);

/* *statement is NULL after an error. */
SPOT_MUST_CHECK int spot_db_prepare(
    spot_db_t *self, sqlite3_stmt **statement, const char *format, ...);

/* The first column of the first row of a query; 0 where there is none or it is null. */
SPOT_MUST_CHECK int spot_db_integer(spot_db_t *self, sqlite3_int64 *value, const char *format, ...);

/* Steps a statement that gives no rows and makes it ready for the next time. */
SPOT_MUST_CHECK int spot_db_step_done(spot_db_t *self, sqlite3_stmt *statement);

/* Whether a query has one more row; false if *error is set, or the step sets it. */
bool spot_db_next_row(spot_db_t *self, sqlite3_stmt *statement, int *error);

/* A copy of a text column, NULL for null; *error is set to NO_MEMORY where it fails. */
char *spot_db_text(sqlite3_stmt *statement, int column, int *error);

/* Ends a transaction: commits if error is 0, else rolls back. Returns error, or what the
 * commit says. */
SPOT_MUST_CHECK int spot_db_end(spot_db_t *self, int error);

/* ---- Digests ---- */

/* Digests of what a store holds, by which a damaged file is known: 64 bits, any change
 * of one word changes them. They find accidents, not forgery. Internal to
 * sim/bench/store.
 *
 * In SQL, digest(a, b, ...) is that of the values in their order, with their types, and
 * the aggregate digest_rows(a, b, ...) that of a set of rows in any order. */

/* Goes on from the digest of what was before. */
static inline uint64_t spot_digest_word(uint64_t digest, uint64_t word)
{
    digest = (digest ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return digest ^ digest >> 29;
}

/* The same for a text, or NULL, which is none. */
uint64_t spot_digest_text(uint64_t digest, const char *text);

/* The same for a number; all NAN are one. */
uint64_t spot_digest_number(uint64_t digest, double number);

/* As digest() in SQL goes on with an integer; digest: 0 before the first value. */
uint64_t spot_digest_integer(uint64_t digest, int64_t integer);
