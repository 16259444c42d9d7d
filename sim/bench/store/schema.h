/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of a store on disk, version 7. PRAGMA application_id is 'SPOT', PRAGMA
 * user_version the version. All tables are STRICT; an undefined number is NULL.
 *
 * study: one row. name, question, engine, seed, replications (asked for at each point,
 * at most), canonical (what rows depend on besides point and replication, as YAML: the
 * scenario without what is swept, the hashes of its files, seed, metrics) and
 * canonical_sha256, head (all that a reader needs, as JSON: see stored_study.c), and
 * digest, that of this row and of all rows of axis and point.
 *
 * axis: a row for each value of a swept key. axis and value (positions), path
 * ("job.pipeline_depth"), unit ("s" for durations), text (as in YAML), number (or NULL).
 *
 * point: point (its number, for good), position (its place in reports), key
 * ("path=value;path=value" sorted by path), and a column for each swept key, named by
 * its path, with its value: a number (durations in s) or a text.
 *
 * replication: point, replication (from 0), a column for each metric, named by it, and
 * warnings (a bit mask, in the order of the head). Ratios are columns that SQLite
 * computes from their totals.
 *
 * batch: point, first (replication), replications (there from first on), for each
 * warning a column of how many of them met it, and digest, that of their rows: see
 * spot_sqlite_batch_add(). Written in one transaction with its rows.
 *
 * total: one row, by which lost rows of other tables are known. batches and replications
 * (in them), batch_digest (digest_rows() of all columns of batch), writers and
 * writer_digest (the same of writer, of provenance), break_evens and break_even_digest
 * (of digest, of break_even). Written in one transaction with what it counts.
 *
 * series: a row for each series that is kept. point, replication, position (among those
 * of the replication), rows_in (the table of its rows), title, note, end_ticks (of the
 * replication), rows (their number), digest. series_kind: rows_in, kind (what the series
 * and its columns are, as JSON: see series_rows.c), digest. series_NAME: point,
 * replication, row (from 0), and a column for each of the series; kinds that differ and
 * have one name: series_NAME_2 ... series_total: one row: series (their number), digest
 * of them all.
 *
 * break_even: a row for each winner and key whose break-even was found. best and next
 * (points), key, metric and maximised (what is best), pairs (replications compared),
 * number (the value of the key at best) in unit, and, of values below and above it, the
 * one at which both are equal (below), its interval (below_near, below_far) and the last
 * value tried (below_reach); digest, that of the row.
 *
 * provenance: one row for each process that wrote. writer (a random name), process (its
 * number), started, seen, ended (UTC; ended is NULL while it runs and where it was
 * killed), outcome ('complete', 'stopped', 'failed', 'failed: ...'), rows_added,
 * canonical_sha256, version, commit_id, compiler, libraries, machine, command_line,
 * threads, shard, and digest, that of this row.
 *
 * Where a name is taken already (without regard to case), columns named by paths,
 * metrics, warnings and columns of series have "_" appended. Internal to
 * sim/bench/store. */
#pragma once

#include "sim/bench/store/head.h"
#include "sim/bench/store/sqlite_db.h"

#define SPOT_SCHEMA_VERSION 7
#define SPOT_SCHEMA_APPLICATION 0x53504f54 /* "SPOT" */

/* The digest of a row of provenance, and of the study with its axes and points. */
#define SPOT_PROVENANCE_DIGEST                                                                     \
    "digest(writer, process, started, seen, ended, outcome, rows_added, "                          \
    "canonical_sha256, version, commit_id, compiler, libraries, machine, "                         \
    "command_line, "                                                                               \
    "threads, shard)"
#define SPOT_BREAK_EVEN_COLUMNS                                                                    \
    "best, next, key, metric, maximised, pairs, number, unit, below, below_near, "                 \
    "below_far, below_reach, "                                                                     \
    "above, above_near, above_far, above_reach"
#define SPOT_STUDY_DIGEST                                                                          \
    "digest(name, question, engine, seed, replications, canonical, canonical_sha256, "             \
    "head, (SELECT digest_rows(axis, value, path, unit, text, number) FROM axis), "                \
    "(SELECT digest_rows(point, position, key) FROM point))"

/* Sets in total what changes seldom: the writers, and the break-evens. */
#define SPOT_TOTAL_WRITERS                                                                         \
    "UPDATE total SET (writers, writer_digest) = (SELECT count(*), digest_rows(writer) FROM "      \
    "provenance)"
#define SPOT_TOTAL_BREAK_EVENS                                                                     \
    "UPDATE total SET (break_evens, break_even_digest) = (SELECT count(*), "                       \
    "digest_rows(digest) FROM break_even)"

/* Names of columns, each once without regard to case. */
typedef struct {
    size_t num;
    size_t max;
    char **names; /* [num] */
} spot_column_names_t;

/* Appends a copy of a name, with "_" behind it until it is neither among those before
 * nor reserved (a list up to NULL). NO_MEMORY. */
SPOT_MUST_CHECK int spot_column_names_add(
    spot_column_names_t *self, const char *name, const char *const *reserved);

/* Accepts a zeroed self. */
void spot_column_names_free(spot_column_names_t *self);

/* The names in double quotes, each with before and after around it, e.g. ", " and
 * " REAL": for %z in SQL, see spot_db_run(). */
char *spot_column_names_sql(
    const spot_column_names_t *self, spot_db_t *db, const char *before, const char *after);

/* The columns that are named by what a study has. */
typedef struct {
    spot_column_names_t axes;     /* of point */
    spot_column_names_t metrics;  /* of replication: those that are not derived, in order */
    spot_column_names_t derived;  /* of replication: ratios that SQL computes */
    char **formulas;              /* [derived.num] of these, SQL */
    spot_column_names_t warnings; /* of batch */
} spot_columns_t;

/* NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_columns_init(spot_columns_t *self, const spot_study_head_t *head);
void spot_columns_free(spot_columns_t *self);

/* What a file is. */
typedef enum {
    SPOT_SCHEMA_NONE, /* empty: a new store */
    SPOT_SCHEMA_OURS
} spot_schema_state_t;

/* Looks at the file. BAD_INPUT: it is another program's, or another version's; the diag
 * says so. */
SPOT_MUST_CHECK int spot_schema_look(spot_db_t *db, spot_schema_state_t *state, spot_diag_t *diag);

/* Makes all tables but that of points. Within a transaction. */
SPOT_MUST_CHECK int spot_schema_create(spot_db_t *db, const spot_columns_t *columns);

/* Makes the table of points anew, without any. Within a transaction. */
SPOT_MUST_CHECK int spot_schema_create_points(spot_db_t *db, const spot_columns_t *columns);

/* Compares the schema of a file with that of a model, a database that was made with all
 * tables that it should have. Tables and views of others beside them are no difference, but
 * what hangs on one of ours (an index, a trigger) is one, and any trigger. BAD_INPUT,
 * remembered, with the name of what differs. */
SPOT_MUST_CHECK int spot_schema_compare(spot_db_t *db, spot_db_t *model);

/* Says in diag, an error each, which tables and views of a file the model does not have. */
SPOT_MUST_CHECK int spot_schema_say_others(spot_db_t *db, spot_db_t *model, spot_diag_t *diag);

/* ", ?" that many times: for %z in SQL, see spot_db_run(). */
char *spot_schema_places(spot_db_t *db, size_t num_places);

/* Makes the row of the table total anew from what is there. Within a transaction. O(batches). */
SPOT_MUST_CHECK int spot_schema_total_make(spot_db_t *db, const spot_columns_t *columns);
