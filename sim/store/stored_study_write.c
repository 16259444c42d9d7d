/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "sim/store/stored_study.h"

static const char tables[] =
    "DROP TABLE IF EXISTS study; CREATE TABLE study (name TEXT, question TEXT, "
    "seed INTEGER NOT NULL, replications INTEGER NOT NULL, "
    "confidence REAL NOT NULL, batch_replications INTEGER NOT NULL, canonical TEXT NOT "
    "NULL, canonical_sha256 TEXT NOT NULL, baseline_axis INTEGER, baseline_value "
    "INTEGER, plot_x TEXT, plot_y TEXT, plot_second_x TEXT, plot_x_label TEXT, "
    "plot_second_x_label TEXT, min_replications INTEGER NOT NULL, until_metric TEXT, "
    "until_half_width REAL, until_relative_half_width REAL, until_confidence REAL) "
    "STRICT;"
    "DROP TABLE IF EXISTS metric; CREATE TABLE metric (position INTEGER PRIMARY KEY, "
    "name TEXT NOT NULL, unit TEXT NOT NULL, help TEXT NOT NULL, is_listed INTEGER NOT "
    "NULL) STRICT;"
    "DROP TABLE IF EXISTS warning; CREATE TABLE warning (position INTEGER PRIMARY KEY, "
    "name TEXT NOT NULL, text TEXT NOT NULL) STRICT;"
    "DROP TABLE IF EXISTS axis; CREATE TABLE axis (position INTEGER PRIMARY KEY, path "
    "TEXT NOT NULL, unit TEXT NOT NULL) STRICT;"
    "DROP TABLE IF EXISTS axis_value; CREATE TABLE axis_value (axis INTEGER NOT NULL, "
    "position INTEGER NOT NULL, text TEXT NOT NULL, number REAL, PRIMARY KEY (axis, "
    "position)) STRICT, WITHOUT ROWID;"
    "DROP TABLE IF EXISTS plot_stack; CREATE TABLE plot_stack (position INTEGER PRIMARY "
    "KEY, metric TEXT NOT NULL) STRICT;"
    "DROP TABLE IF EXISTS colour; CREATE TABLE colour (position INTEGER PRIMARY KEY, "
    "word TEXT NOT NULL, colour TEXT NOT NULL) STRICT;";

/* NULL becomes null. */
static void
bind_text(sqlite3_stmt *statement, int parameter, const char *text)
{
    sqlite3_bind_text(statement, parameter, text, -1, SQLITE_STATIC);
}

static int
write_study(spot_db_t *db, const spot_study_head_t *head, const char *canonical,
    const char *sha256)
{
    sqlite3_stmt *insert;
    int ret = spot_db_prepare(db, &insert,
        "INSERT INTO study VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
        "?, ?, ?)");

    if (ret != 0) {
        return ret;
    }
    bind_text(insert, 1, head->name);
    bind_text(insert, 2, head->question);
    sqlite3_bind_int64(insert, 3, (int64_t) head->seed);
    sqlite3_bind_int64(insert, 4, head->num_replications);
    sqlite3_bind_double(insert, 5, SPOT_CONFIDENCE);
    sqlite3_bind_int64(insert, 6, spot_study_batch_size(head));
    bind_text(insert, 7, canonical);
    bind_text(insert, 8, sha256);
    if (head->has_baseline) {
        sqlite3_bind_int64(insert, 9, (int64_t) head->baseline_axis_id);
        sqlite3_bind_int64(insert, 10, (int64_t) head->baseline_value_id);
    }
    bind_text(insert, 11, head->plot.x);
    bind_text(insert, 12, head->plot.y);
    bind_text(insert, 13, head->plot.second_x);
    bind_text(insert, 14, head->plot.x_label);
    bind_text(insert, 15, head->plot.second_x_label);
    sqlite3_bind_int64(insert, 16, head->min_replications);
    bind_text(insert, 17, head->until.metric);
    sqlite3_bind_double(insert, 18, head->until.half_width);
    sqlite3_bind_double(insert, 19, head->until.relative_half_width);
    sqlite3_bind_double(insert, 20, head->until.confidence);
    ret = spot_db_step_done(db, insert);
    sqlite3_finalize(insert);
    return ret;
}

static int
write_metrics(spot_db_t *db, const spot_study_head_t *head)
{
    sqlite3_stmt *insert;
    int ret = spot_db_prepare(db, &insert, "INSERT INTO metric VALUES (?, ?, ?, ?, ?)");

    for (size_t j = 0; ret == 0 && j < head->num_metrics; j++) {
        sqlite3_bind_int64(insert, 1, (int64_t) j);
        bind_text(insert, 2, head->metrics[j].name);
        bind_text(insert, 3, head->metrics[j].unit);
        bind_text(insert, 4, head->metrics[j].help);
        sqlite3_bind_int(insert, 5, j < head->num_listed);
        ret = spot_db_step_done(db, insert);
    }
    sqlite3_finalize(insert);
    return ret;
}

/* A row of two texts. */
static int
write_pair(
    spot_db_t *db, sqlite3_stmt *insert, size_t position, const char *a, const char *b)
{
    sqlite3_bind_int64(insert, 1, (int64_t) position);
    bind_text(insert, 2, a);
    if (b != NULL) {
        bind_text(insert, 3, b);
    }
    return spot_db_step_done(db, insert);
}

static int
write_warnings(spot_db_t *db, const spot_study_head_t *head)
{
    sqlite3_stmt *insert;
    int ret = spot_db_prepare(db, &insert, "INSERT INTO warning VALUES (?, ?, ?)");

    for (size_t j = 0; ret == 0 && j < head->num_warnings; j++) {
        ret = write_pair(db, insert, j, head->warnings[j].name, head->warnings[j].text);
    }
    sqlite3_finalize(insert);
    return ret;
}

static int
write_colours(spot_db_t *db, const spot_study_head_t *head)
{
    const spot_colour_t *colours = head->colours;
    sqlite3_stmt *insert;
    int ret = spot_db_prepare(db, &insert, "INSERT INTO colour VALUES (?, ?, ?)");

    for (size_t j = 0; ret == 0 && colours != NULL && colours[j].word != NULL; j++) {
        ret = write_pair(db, insert, j, colours[j].word, colours[j].colour);
    }
    sqlite3_finalize(insert);
    return ret;
}

static int
write_stack(spot_db_t *db, const spot_study_head_t *head)
{
    sqlite3_stmt *insert;
    size_t position = 0;
    int ret = spot_db_prepare(db, &insert, "INSERT INTO plot_stack VALUES (?, ?)");

    for (size_t j = 0; ret == 0 && j < head->plot.num_stack; j++) {
        if (head->plot.stack[j] != NULL) {
            ret = write_pair(db, insert, position++, head->plot.stack[j], NULL);
        }
    }
    sqlite3_finalize(insert);
    return ret;
}

static int
write_values(
    spot_db_t *db, sqlite3_stmt *insert, const spot_axis_t *axis, size_t axis_id)
{
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < axis->num_values; j++) {
        sqlite3_bind_int64(insert, 1, (int64_t) axis_id);
        sqlite3_bind_int64(insert, 2, (int64_t) j);
        bind_text(insert, 3, axis->texts[j]);
        sqlite3_bind_double(insert, 4, axis->numbers[j]); /* NAN becomes null */
        ret = spot_db_step_done(db, insert);
    }
    return ret;
}

static int
write_axes(spot_db_t *db, const spot_study_head_t *head)
{
    sqlite3_stmt *insert, *insert_value = NULL;
    int ret = spot_db_prepare(db, &insert, "INSERT INTO axis VALUES (?, ?, ?)");

    if (ret == 0) {
        ret = spot_db_prepare(
            db, &insert_value, "INSERT INTO axis_value VALUES (?, ?, ?, ?)");
    }
    for (size_t j = 0; ret == 0 && j < head->num_axes; j++) {
        ret = write_pair(db, insert, j, head->axes[j].path, head->axes[j].unit);
        if (ret == 0) {
            ret = write_values(db, insert_value, &head->axes[j], j);
        }
    }
    sqlite3_finalize(insert_value);
    sqlite3_finalize(insert);
    return ret;
}

int
spot_stored_study_write(spot_db_t *db, const spot_study_head_t *head,
    const char *canonical, const char *sha256)
{
    int ret = spot_db_run(db, "%s", tables);

    if (ret == 0) {
        ret = write_study(db, head, canonical, sha256);
    }
    if (ret == 0) {
        ret = write_metrics(db, head);
    }
    if (ret == 0) {
        ret = write_warnings(db, head);
    }
    if (ret == 0) {
        ret = write_colours(db, head);
    }
    if (ret == 0) {
        ret = write_stack(db, head);
    }
    if (ret == 0) {
        ret = write_axes(db, head);
    }
    if (ret == 0) {
        ret = spot_stored_plan_write(db, head);
    }
    return ret == 0 ? spot_stored_views_write(db, head) : ret;
}
