/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the points were chosen and what is looked for among them: what reports on designs
 * and races need beside the rows. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "sim/store/stored_study.h"

/* More than any study has, less than what would exhaust the memory. */
#define MAX_SAMPLE_POINTS 100000000
#define MAX_CONSTRAINTS 1000

static const char tables[] =
    "DROP TABLE IF EXISTS plan; CREATE TABLE plan (kind TEXT NOT NULL, seed INTEGER NOT "
    "NULL, merged INTEGER NOT NULL, excluded INTEGER NOT NULL, samples INTEGER NOT "
    "NULL) STRICT;"
    "DROP TABLE IF EXISTS sample_point; CREATE TABLE sample_point (position INTEGER "
    "PRIMARY KEY, point_position INTEGER NOT NULL) STRICT;"
    "DROP TABLE IF EXISTS optimise; CREATE TABLE optimise (metric TEXT NOT NULL, "
    "is_maximised INTEGER NOT NULL, confidence REAL NOT NULL, indifference REAL NOT "
    "NULL) STRICT;"
    "DROP TABLE IF EXISTS optimise_limit; CREATE TABLE optimise_limit (position INTEGER "
    "PRIMARY KEY, metric TEXT NOT NULL, text TEXT NOT NULL, bound REAL NOT NULL, "
    "is_upper INTEGER NOT NULL) STRICT;";

static size_t
num_sample_points(const spot_study_head_t *head)
{
    return head->plan.num_samples * (head->num_axes + 2);
}

static int
write_sample_points(spot_db_t *db, const spot_study_head_t *head)
{
    sqlite3_stmt *insert;
    int ret = spot_db_prepare(db, &insert, "INSERT INTO sample_point VALUES (?, ?)");

    for (size_t j = 0; ret == 0 && j < num_sample_points(head); j++) {
        sqlite3_bind_int64(insert, 1, (int64_t) j);
        sqlite3_bind_int64(insert, 2, head->plan.sample_points[j]);
        ret = spot_db_step_done(db, insert);
    }
    sqlite3_finalize(insert);
    return ret;
}

static int
write_plan(spot_db_t *db, const spot_study_head_t *head)
{
    const spot_plan_t *plan = &head->plan;
    int ret = spot_db_run(db, "INSERT INTO plan VALUES (%Q, %lld, %lld, %lld, %lld)",
        spot_plan_name(plan->kind), (long long) plan->seed, (long long) plan->num_merged,
        (long long) plan->num_excluded, (long long) plan->num_samples);

    return ret == 0 && plan->sample_points != NULL ? write_sample_points(db, head) : ret;
}

static int
write_limits(spot_db_t *db, const spot_optimise_t *optimise)
{
    sqlite3_stmt *insert;
    int ret = spot_db_prepare(
        db, &insert, "INSERT INTO optimise_limit VALUES (?, ?, ?, ?, ?)");

    for (size_t j = 0; ret == 0 && j < optimise->num_constraints; j++) {
        const spot_constraint_t *constraint = &optimise->constraints[j];

        sqlite3_bind_int64(insert, 1, (int64_t) j);
        sqlite3_bind_text(insert, 2, constraint->metric, -1, SQLITE_STATIC);
        sqlite3_bind_text(insert, 3, constraint->text, -1, SQLITE_STATIC);
        sqlite3_bind_double(insert, 4, constraint->limit);
        sqlite3_bind_int(insert, 5, constraint->is_upper);
        ret = spot_db_step_done(db, insert);
    }
    sqlite3_finalize(insert);
    return ret;
}

static int
write_optimise(spot_db_t *db, const spot_optimise_t *optimise)
{
    sqlite3_stmt *insert;
    int ret = spot_db_prepare(db, &insert, "INSERT INTO optimise VALUES (?, ?, ?, ?)");

    if (ret != 0) {
        return ret;
    }
    sqlite3_bind_text(insert, 1, optimise->metric, -1, SQLITE_STATIC);
    sqlite3_bind_int(insert, 2, optimise->is_maximised);
    sqlite3_bind_double(insert, 3, optimise->confidence);
    sqlite3_bind_double(insert, 4, optimise->indifference);
    ret = spot_db_step_done(db, insert);
    sqlite3_finalize(insert);
    return ret == 0 ? write_limits(db, optimise) : ret;
}

int
spot_stored_plan_write(spot_db_t *db, const spot_study_head_t *head)
{
    int ret = spot_db_run(db, "%s", tables);

    if (ret == 0) {
        ret = write_plan(db, head);
    }
    return ret == 0 && head->optimise.metric != NULL
               ? write_optimise(db, &head->optimise)
               : ret;
}

/* A count of the file, which must be from 0 to most. */
static bool
read_count(sqlite3_stmt *row, int column, sqlite3_int64 most, size_t *count)
{
    const sqlite3_int64 value = sqlite3_column_int64(row, column);

    *count = value < 0 || value > most ? 0 : (size_t) value;
    return (sqlite3_int64) *count == value;
}

static bool
read_kind(const char *name, spot_plan_kind_t *kind)
{
    for (*kind = SPOT_PLAN_GRID; *kind <= SPOT_PLAN_SENSITIVITY; (*kind)++) {
        if (name != NULL && strcmp(spot_plan_name(*kind), name) == 0) {
            return true;
        }
    }
    *kind = SPOT_PLAN_GRID;
    return false;
}

static int
read_plan_row(spot_study_head_t *head, spot_db_t *db, sqlite3_stmt *row)
{
    spot_plan_t *plan = &head->plan;
    const size_t num_columns = head->num_axes + 2;
    bool is_good = read_kind((const char *) sqlite3_column_text(row, 0), &plan->kind);

    plan->seed = (uint64_t) sqlite3_column_int64(row, 1);
    is_good = read_count(row, 2, LLONG_MAX, &plan->num_merged) && is_good;
    is_good = read_count(row, 3, LLONG_MAX, &plan->num_excluded) && is_good;
    is_good = read_count(row, 4, MAX_SAMPLE_POINTS / (sqlite3_int64) num_columns,
                  &plan->num_samples) &&
              is_good;
    if (!is_good || (plan->kind == SPOT_PLAN_SENSITIVITY) != (plan->num_samples > 0)) {
        return spot_db_damaged(db, "the plan of the study is none");
    }
    return 0;
}

static int
read_plan(spot_study_head_t *head, spot_db_t *db)
{
    sqlite3_stmt *row;
    bool is_row = false;
    int ret = spot_db_prepare(
        db, &row, "SELECT kind, seed, merged, excluded, samples FROM plan");

    if (ret == 0) {
        ret = spot_db_step_row(db, row, &is_row);
    }
    if (ret == 0) {
        ret = is_row ? read_plan_row(head, db, row)
                     : spot_db_damaged(db, "the plan of the study is missing");
    }
    sqlite3_finalize(row);
    return ret;
}

static int
read_sample_points(spot_study_head_t *head, spot_db_t *db)
{
    const size_t num_all = num_sample_points(head);
    uint32_t *points = spot_calloc(num_all, sizeof(*points));
    sqlite3_stmt *row = NULL;
    size_t num_read = 0;
    bool is_row = false;
    int ret = points == NULL ? SPOT_ERR_NO_MEMORY
                             : spot_db_prepare(db, &row,
                                   "SELECT position, point_position FROM sample_point "
                                   "ORDER BY position");

    head->plan.sample_points = points;
    if (ret == 0) {
        ret = spot_db_step_row(db, row, &is_row);
    }
    while (ret == 0 && is_row) {
        const sqlite3_int64 point_id = sqlite3_column_int64(row, 1);

        if (num_read == num_all ||
            sqlite3_column_int64(row, 0) != (sqlite3_int64) num_read || point_id < 0 ||
            (size_t) point_id >= head->num_points) {
            ret = spot_db_damaged(db, "a base sample has points that are none");
        } else {
            points[num_read++] = (uint32_t) point_id;
            ret = spot_db_step_row(db, row, &is_row);
        }
    }
    sqlite3_finalize(row);
    return ret == 0 && num_read != num_all
               ? spot_db_damaged(db, "points of base samples are missing")
               : ret;
}

/* A metric that decides, which must be one of those kept. */
static bool
is_kept(const spot_study_head_t *head, const char *metric)
{
    for (size_t j = 0; metric != NULL && j < head->num_metrics; j++) {
        if (strcmp(head->metrics[j].name, metric) == 0) {
            return true;
        }
    }
    return false;
}

static int
read_limit(spot_study_head_t *head, spot_db_t *db, sqlite3_stmt *row)
{
    spot_optimise_t *optimise = &head->optimise;
    spot_constraint_t *constraint = &optimise->constraints[optimise->num_constraints++];
    int error = 0;

    constraint->metric = spot_db_text(row, 1, &error);
    constraint->text = spot_db_text(row, 2, &error);
    constraint->limit = sqlite3_column_double(row, 3);
    constraint->is_upper = sqlite3_column_int(row, 4) != 0;
    if (error == 0 && (!is_kept(head, constraint->metric) || constraint->text == NULL ||
                          !isfinite(constraint->limit))) {
        return spot_db_damaged(db, "a limit of what is looked for is none");
    }
    return error;
}

static int
read_limits(spot_study_head_t *head, spot_db_t *db)
{
    spot_optimise_t *optimise = &head->optimise;
    sqlite3_stmt *row = NULL;
    sqlite3_int64 num_limits = 0;
    bool is_row = false;
    int ret = spot_db_integer(db, &num_limits, "SELECT count(*) FROM optimise_limit");

    if (ret == 0 && num_limits > MAX_CONSTRAINTS) {
        return spot_db_damaged(db, "there are too many limits");
    }
    optimise->constraints =
        spot_calloc((size_t) num_limits, sizeof(*optimise->constraints));
    if (optimise->constraints == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    if (ret == 0) {
        ret = spot_db_prepare(db, &row,
            "SELECT position, metric, text, bound, is_upper FROM optimise_limit ORDER "
            "BY position");
    }
    if (ret == 0) {
        ret = spot_db_step_row(db, row, &is_row);
    }
    while (ret == 0 && is_row && optimise->num_constraints < (size_t) num_limits) {
        ret = read_limit(head, db, row);
        if (ret == 0) {
            ret = spot_db_step_row(db, row, &is_row);
        }
    }
    sqlite3_finalize(row);
    return ret;
}

/* The table is empty where nothing is looked for. */
static int
read_optimise(spot_study_head_t *head, spot_db_t *db)
{
    spot_optimise_t *optimise = &head->optimise;
    sqlite3_stmt *row;
    bool is_row = false;
    int error = 0;
    int ret = spot_db_prepare(
        db, &row, "SELECT metric, is_maximised, confidence, indifference FROM optimise");

    if (ret == 0) {
        ret = spot_db_step_row(db, row, &is_row);
    }
    if (ret == 0 && is_row) {
        optimise->metric = spot_db_text(row, 0, &error);
        optimise->is_maximised = sqlite3_column_int(row, 1) != 0;
        optimise->confidence = sqlite3_column_double(row, 2);
        optimise->indifference = sqlite3_column_double(row, 3);
        ret = error;
        if (ret == 0 && (!is_kept(head, optimise->metric) ||
                            !(optimise->confidence > 0 && optimise->confidence < 1) ||
                            !(optimise->indifference >= 0))) {
            ret = spot_db_damaged(db, "what is looked for is none");
        }
    }
    sqlite3_finalize(row);
    return ret == 0 && is_row ? read_limits(head, db) : ret;
}

int
spot_stored_plan_read(spot_study_head_t *head, spot_db_t *db)
{
    int ret = read_plan(head, db);

    if (ret == 0 && head->plan.num_samples > 0) {
        ret = read_sample_points(head, db);
    }
    return ret == 0 ? read_optimise(head, db) : ret;
}
