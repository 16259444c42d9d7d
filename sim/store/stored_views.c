/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What reports are asked to show beside the rows: the best value of a key, which key has
 * a curve for each of its values, and which metrics tell where time and money go. Files
 * that were written before these were kept lack their tables, and ask for none. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/store/stored_study.h"

static const char tables[] =
    "DROP TABLE IF EXISTS best; CREATE TABLE best (axis INTEGER NOT NULL, metric TEXT "
    "NOT NULL, is_maximised INTEGER NOT NULL) STRICT;"
    "DROP TABLE IF EXISTS best_except; CREATE TABLE best_except (value INTEGER PRIMARY "
    "KEY) STRICT;"
    "DROP TABLE IF EXISTS plot_curves; CREATE TABLE plot_curves (path TEXT NOT NULL) "
    "STRICT;"
    "DROP TABLE IF EXISTS overview; CREATE TABLE overview (position INTEGER PRIMARY "
    "KEY, role TEXT NOT NULL, metric TEXT NOT NULL) STRICT;";

static int
write_best(spot_db_t *db, const spot_study_head_t *head)
{
    const spot_best_t *best = &head->best;
    int ret = spot_db_run(db, "INSERT INTO best VALUES (%lld, %Q, %d)",
        (long long) best->axis_id, head->metrics[best->metric_id].name,
        best->is_maximised);

    for (size_t j = 0; ret == 0 && j < head->axes[best->axis_id].num_values; j++) {
        if (best->is_left_out[j]) {
            ret =
                spot_db_run(db, "INSERT INTO best_except VALUES (%lld)", (long long) j);
        }
    }
    return ret;
}

/* metric_id: num_metrics for none. */
static int
write_role(
    spot_db_t *db, const spot_study_head_t *head, const char *role, size_t metric_id)
{
    return metric_id == head->num_metrics
               ? 0
               : spot_db_run(db, "INSERT INTO overview (role, metric) VALUES (%Q, %Q)",
                     role, head->metrics[metric_id].name);
}

static int
write_overview(spot_db_t *db, const spot_study_head_t *head)
{
    const spot_overview_t *overview = &head->overview;
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < overview->num_parts; j++) {
        ret = write_role(db, head, "part", overview->part_ids[j]);
    }
    if (ret == 0) {
        ret = write_role(db, head, "cost", overview->cost_id);
    }
    return ret == 0 ? write_role(db, head, "gain", overview->gain_id) : ret;
}

int
spot_stored_views_write(spot_db_t *db, const spot_study_head_t *head)
{
    int ret = spot_db_run(db, "%s", tables);

    if (ret == 0 && head->best.is_asked) {
        ret = write_best(db, head);
    }
    if (ret == 0 && head->plot.curves != NULL) {
        ret = spot_db_run(db, "INSERT INTO plot_curves VALUES (%Q)", head->plot.curves);
    }
    return ret == 0 && head->has_overview ? write_overview(db, head) : ret;
}

/* What is done with a row, and what it is done to. */
typedef int (*row_function_t)(spot_study_head_t *head, spot_db_t *db, sqlite3_stmt *row);

/* Nothing where the table is missing. */
static int
read_rows(spot_study_head_t *head, spot_db_t *db, const char *table, const char *columns,
    row_function_t function)
{
    sqlite3_stmt *row = NULL;
    sqlite3_int64 num_tables = 0;
    bool is_row = false;
    int ret = spot_db_integer(db, &num_tables,
        "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = %Q", table);

    if (ret != 0 || num_tables == 0) {
        return ret;
    }
    ret = spot_db_prepare(db, &row, "SELECT %s FROM \"%w\"", columns, table);
    if (ret == 0) {
        ret = spot_db_step_row(db, row, &is_row);
    }
    while (ret == 0 && is_row) {
        ret = function(head, db, row);
        if (ret == 0) {
            ret = spot_db_step_row(db, row, &is_row);
        }
    }
    sqlite3_finalize(row);
    return ret;
}

static int
read_best(spot_study_head_t *head, spot_db_t *db, sqlite3_stmt *row)
{
    const sqlite3_int64 axis_id = sqlite3_column_int64(row, 0);
    const char *metric = (const char *) sqlite3_column_text(row, 1);
    spot_best_t *best = &head->best;

    best->metric_id = spot_study_metric_id(head, metric);
    if (best->is_asked || axis_id < 0 || (size_t) axis_id >= head->num_axes ||
        best->metric_id == head->num_metrics) {
        return spot_db_damaged(db, "the key whose best value is asked is none");
    }
    best->is_asked = true;
    best->axis_id = (size_t) axis_id;
    best->is_maximised = sqlite3_column_int(row, 2) != 0;
    best->is_left_out =
        spot_calloc(head->axes[axis_id].num_values, sizeof(*best->is_left_out));
    return best->is_left_out == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

static int
read_except(spot_study_head_t *head, spot_db_t *db, sqlite3_stmt *row)
{
    const sqlite3_int64 value_id = sqlite3_column_int64(row, 0);
    const spot_best_t *best = &head->best;

    if (!best->is_asked || value_id < 0 ||
        (size_t) value_id >= head->axes[best->axis_id].num_values) {
        return spot_db_damaged(db, "a value that does not compete is none");
    }
    best->is_left_out[value_id] = true;
    return 0;
}

static int
read_curves(spot_study_head_t *head, spot_db_t *db, sqlite3_stmt *row)
{
    int error = 0;

    if (head->plot.curves != NULL) {
        return spot_db_damaged(db, "there are two keys with curves");
    }
    head->plot.curves = spot_db_text(row, 0, &error);
    return error;
}

/* Roles that a later version adds are passed over. */
static int
read_role(spot_study_head_t *head, spot_db_t *db, sqlite3_stmt *row)
{
    const char *role = (const char *) sqlite3_column_text(row, 0);
    const size_t metric_id =
        spot_study_metric_id(head, (const char *) sqlite3_column_text(row, 1));
    spot_overview_t *overview = &head->overview;
    size_t *single = NULL;

    if (role == NULL || metric_id == head->num_metrics) {
        return spot_db_damaged(db, "a metric of its ledger is none");
    }
    if (!head->has_overview) {
        overview->cost_id = overview->gain_id = head->num_metrics;
        head->has_overview = true;
    }
    if (strcmp(role, "part") == 0) {
        size_t *part_ids =
            realloc(overview->part_ids, (overview->num_parts + 1) * sizeof(*part_ids));

        if (part_ids == NULL) {
            return SPOT_ERR_NO_MEMORY;
        }
        overview->part_ids = part_ids;
        overview->part_ids[overview->num_parts++] = metric_id;
    } else {
        single = strcmp(role, "cost") == 0   ? &overview->cost_id
                 : strcmp(role, "gain") == 0 ? &overview->gain_id
                                             : NULL;
    }
    if (single != NULL) {
        *single = metric_id;
    }
    return 0;
}

int
spot_stored_views_read(spot_study_head_t *head, spot_db_t *db)
{
    int ret = read_rows(head, db, "best", "axis, metric, is_maximised", read_best);

    if (ret == 0) {
        ret = read_rows(head, db, "best_except", "value", read_except);
    }
    if (ret == 0) {
        ret = read_rows(head, db, "plot_curves", "path", read_curves);
    }
    return ret == 0 ? read_rows(head, db, "overview", "role, metric", read_role) : ret;
}
