/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of a store on disk, version 2. PRAGMA application_id is 'SPOT', PRAGMA
 * user_version the version. All tables are STRICT; an undefined number is NULL.
 *
 *   study        one row: name, question, seed, replications (asked for at each point,
 * at most), confidence (of intervals in reports), batch_replications (the unit of work),
 * canonical (what rows depend on besides point and replication, as YAML: the scenario
 * without what is swept, the hashes of its files, seed, metrics) and canonical_sha256,
 *                baseline_axis, baseline_value (positions, or NULL), plot_x, plot_y,
 *                plot_second_x, plot_x_label, plot_second_x_label, min_replications,
 *                until_metric, until_half_width, until_relative_half_width and
 *                until_confidence (how well its mean is to be known)
 *   plan         one row: kind ('grid', 'list', 'zip', 'latin-hypercube', 'sobol',
 *                'sensitivity'), seed (of a design), merged (points that a design drew
 *                again), excluded (points, by where), samples (base samples of a
 *                sensitivity design, else 0)
 *   sample_point position, point_position (in point): of base sample k of a sensitivity
 *                design with A axes, position k * (A + 2) is A, + 1 B, and + 2 + i is A
 *                with axis i of B
 *   optimise     one row where the best point is looked for: metric, is_maximised,
 *                confidence (of the answer), indifference (relative difference that
 *                does not matter)
 *   optimise_limit  position, metric, text (as in YAML), bound (the last value that is
 *                allowed), is_upper (values must be at most bound, else at least)
 *   metric       position, name, unit, help, is_listed (asked for; others are for plots)
 *   warning      position (the bit in replication.warnings), name, text
 *   axis         position, path ("job.pipeline_depth"), unit ("s" for durations)
 *   axis_value   axis, position, text (as in YAML), number (or NULL)
 *   plot_stack   position, metric: drawn as a stack
 *   best         one row where the best value of a key is asked for: axis (its
 *                position), metric, is_maximised
 *   best_except  value: position of a value of that axis that does not compete
 *   plot_curves  one row at most: path of the key with a curve for each value
 *   overview     position, role, metric: 'part': fractions that add up to 1, from below;
 *                'cost': less of it is better; 'gain': more is better. For reports
 *   colour       position, word, colour: of what has the word in its name
 *   point        point (its number, for good), position (its place in reports), key
 *                ("path=value;path=value" sorted by path), value_ids (positions of its
 *                values, by axis), and a column for each swept key, named by its path:
 *                "job.pipeline_depth" INTEGER, REAL (durations in s) or TEXT
 *   replication  point, replication (from 0), a column for each metric, named by it, and
 *                warnings (bit mask); PRIMARY KEY (point, replication)
 *   batch        batch (grows with each one written), point, first (replication),
 *                replications (there from first on), and for each warning a column of
 *                how many replications met it. It is written in one transaction with
 *                its rows
 *   series       one row for each kept series: point, replication, position (among
 *                those of the replication), rows_in (the table of its rows), title,
 *                note, end_ticks (of the replication), rows (their number), digest
 *   series_kind  rows_in, name, help, shape ('table', 'levels', 'events', 'curve'),
 *                ticks_per_s, digest
 *   series_column  rows_in, position, name, kind ('instant', 'duration', 'count',
 *                'number', 'category', 'text'), unit, label, categories and signs
 *   series_NAME  point, replication, row (from 0), and a column for each of the series;
 *                kinds that differ and have one name: series_NAME_2 ...
 *   series_total one row: series (their number) and the digest of all of them
 *   provenance   one row for each process that wrote: writer (a random name), started,
 *                seen, ended (UTC; ended is NULL while it runs and where it was
 *                killed), outcome ('complete', 'stopped', 'failed', 'failed: ...'),
 *                rows_added, canonical_sha256, version, commit_id, compiler, libraries,
 *                machine, command_line, threads, shard
 *
 * The version is that of what a reader needs. A table that only adds to what reports
 * show comes without a new one: older programs pass over it, and files without it (best,
 * best_except, plot_curves and overview are such) are read as if it were empty
 * and get it when a study goes on in them. A study goes on only where metrics and
 * warnings are the same.
 *
 * Where a name is taken already (without regard to case), columns named by paths,
 * metrics, warnings and columns of series have "_" appended. Internal to sim/store. */
#ifndef SPOT_SIM_STORE_SCHEMA_H
#define SPOT_SIM_STORE_SCHEMA_H

#include "sim/store/head.h"
#include "sim/store/sqlite_db.h"

#define SPOT_SCHEMA_VERSION 2
#define SPOT_SCHEMA_APPLICATION 0x53504f54 /* "SPOT" */

/* The columns that are named by what a study has. */
typedef struct {
    size_t num_axes;
    char **axes; /* [num_axes] of point */
    size_t num_metrics;
    char **metrics; /* [num_metrics] of replication */
    size_t num_warnings;
    char **warnings; /* [num_warnings] of batch */
} spot_columns_t;

/* NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_columns_init(
    spot_columns_t *self, const spot_study_head_t *head);
void spot_columns_free(spot_columns_t *self);

/* Appends a copy of a name, with "_" behind it until it is neither among those before
 * nor reserved (a list up to NULL), without regard to case. NO_MEMORY. */
SPOT_MUST_CHECK int spot_schema_add_name(
    char **names, size_t *num_names, const char *name, const char *const *reserved);

/* What a file is. */
typedef enum {
    SPOT_SCHEMA_NONE, /* empty: a new store */
    SPOT_SCHEMA_OURS,
    SPOT_SCHEMA_OTHER /* another program's, or another version's: the diag says so */
} spot_schema_state_t;

/* Looks at the file. */
SPOT_MUST_CHECK int spot_schema_look(
    spot_db_t *db, spot_schema_state_t *state, spot_diag_t *diag);

/* Makes the tables of rows, batches, series and provenance. Within a transaction. */
SPOT_MUST_CHECK int spot_schema_create(spot_db_t *db, const spot_columns_t *columns);

/* Makes those of series, see series_kinds.c. */
SPOT_MUST_CHECK int spot_series_create(spot_db_t *db);

/* Appends the columns, each with prefix before it and suffix behind it, e.g. ", " and
 * " REAL". */
void spot_schema_append(sqlite3_str *sql, const char *prefix, char *const *names,
    size_t num_names, const char *suffix);

/* Prepares what was written to sql, and frees it. */
SPOT_MUST_CHECK int spot_schema_prepare(
    spot_db_t *db, sqlite3_stmt **statement, sqlite3_str *sql);

#endif
