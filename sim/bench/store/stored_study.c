/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/store/stored_study.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/canonical.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/row.h"
#include "base/utf8.h"

/* ---- Whether two studies are one ---- */

/* In what two studies differ, in sentences. Only what changes rows is a difference. */

/* Keys of a canonical text that the head has too, which is where they are compared. */
static void drop_what_the_head_has(spot_canonical_t *list, const spot_study_head_t *head)
{
    static const char *const keys[] = {"metrics", "replications", "sweep"};

    for (size_t j = 0; j < sizeof(keys) / sizeof(keys[0]); j++) {
        spot_canonical_drop(list, keys[j]);
    }
    for (size_t j = 0; j < head->num_axes; j++) {
        spot_canonical_drop(list, head->axes[j].path);
    }
}

static int compare_canonical(const spot_stored_study_t *self, const spot_study_head_t *head,
    const char *canonical, const char *place, spot_diag_t *diag)
{
    spot_canonical_t was = {0}, is = {0};
    int ret = spot_canonical_parse(&was, place, self->canonical, diag);

    ret = ret == 0 ? spot_canonical_parse(&is, place, canonical, diag) : ret;
    if (ret == 0) {
        drop_what_the_head_has(&was, &self->head);
        drop_what_the_head_has(&was, head); /* what is swept in one of them only */
        drop_what_the_head_has(&is, &self->head);
        drop_what_the_head_has(&is, head);
        spot_canonical_compare(&was, &is, place, diag);
    }
    spot_canonical_free(&was);
    spot_canonical_free(&is);
    return ret;
}

/* Says which metrics of a study another lacks. */
static void miss_metrics(const spot_study_head_t *has, const spot_study_head_t *lacks,
    const char *place, const char *words, spot_diag_t *diag)
{
    char name[SPOT_UTF8_SHOWN_BYTES];

    for (size_t j = 0; j < has->num_metrics; j++) {
        if (spot_study_metric_id(lacks, has->metrics[j].name) == lacks->num_metrics) {
            spot_diag_error(diag, place, 0, 0, "the metric %s %s",
                spot_utf8_shown(has->metrics[j].name, name), words);
        }
    }
}

/* Rows have one column for each metric, so both must have the same in the same order. */
static void compare_metrics(
    const spot_study_head_t *was, const spot_study_head_t *is, const char *place, spot_diag_t *diag)
{
    const size_t num_errors = diag->num_errors;
    char name[SPOT_UTF8_SHOWN_BYTES];

    miss_metrics(was, is, place, "was kept, is not", diag);
    miss_metrics(is, was, place, "was not kept, is", diag);
    for (size_t j = 0; diag->num_errors == num_errors && j < is->num_metrics; j++) {
        if (strcmp(was->metrics[j].name, is->metrics[j].name) != 0) {
            spot_diag_error(diag, place, 0, 0, "metric %zu was %s, is %s: keep them in their order",
                j + 1, was->metrics[j].name, spot_utf8_shown(is->metrics[j].name, name));
        }
    }
}

/* Says which axes of a study another lacks. */
static void miss_axes(const spot_study_head_t *has, const spot_study_head_t *lacks,
    const char *place, const char *words, spot_diag_t *diag)
{
    char path[SPOT_UTF8_SHOWN_BYTES];

    for (size_t j = 0; j < has->num_axes; j++) {
        if (spot_study_axis_id(lacks, has->axes[j].path) == lacks->num_axes) {
            spot_diag_error(
                diag, place, 0, 0, "%s %s", spot_utf8_shown(has->axes[j].path, path), words);
        }
    }
}

static bool has_same_warnings(const spot_study_head_t *was, const spot_study_head_t *is)
{
    bool is_same = was->num_warnings == is->num_warnings;

    for (size_t j = 0; is_same && j < is->num_warnings; j++) {
        is_same = strcmp(was->warnings[j].name, is->warnings[j].name) == 0;
    }
    return is_same;
}

/* What of the head rows depend on. */
static void compare_heads(
    const spot_study_head_t *was, const spot_study_head_t *is, const char *place, spot_diag_t *diag)
{
    if (was->seed != is->seed) {
        spot_diag_error(diag, place, 0, 0, "replications.seed was %" PRIu64 ", is %" PRIu64,
            was->seed, is->seed);
    }
    if (was->batch_replications != is->batch_replications) {
        spot_diag_error(diag, place, 0, 0, "batches had %" PRId64 " replications, have %" PRId64,
            was->batch_replications, is->batch_replications);
    }
    miss_axes(was, is, place, "was swept, is not", diag);
    miss_axes(is, was, place, "was not swept, is", diag);
    compare_metrics(was, is, place, diag);
    if (!has_same_warnings(was, is)) {
        spot_diag_error(
            diag, place, 0, 0, "made by another version of spotsim, which knows other warnings");
    }
}

int spot_stored_study_compare(const spot_stored_study_t *self, const spot_study_head_t *head,
    const char *canonical, const char *place, spot_diag_t *diag)
{
    const int ret = compare_canonical(self, head, canonical, place, diag);

    compare_heads(&self->head, head, place, diag);
    return ret;
}

int spot_stored_study_join(
    spot_stored_study_t *self, const char *canonical, const char *place, spot_diag_t *diag)
{
    char sha256[SPOT_SHA256_TEXT_BYTES];
    spot_canonical_t was = {0}, is = {0};
    char *text;
    int ret = spot_canonical_parse(&was, place, self->canonical, diag);

    ret = ret == 0 ? spot_canonical_parse(&is, place, canonical, diag) : ret;
    ret = ret == 0 ? spot_canonical_add_files(&is, &was) : ret;
    ret = ret == 0 ? spot_canonical_hash(&is, sha256) : ret;
    text = ret == 0 ? spot_canonical_text(&is) : NULL;
    ret = ret == 0 && text == NULL ? SPOT_ERR_NO_MEMORY : ret;
    if (ret == 0) {
        free(self->canonical);
        self->canonical = text;
        free(self->canonical_sha256);
        self->canonical_sha256 = spot_text_copy(sha256, strlen(sha256));
        ret = self->canonical_sha256 == NULL ? SPOT_ERR_NO_MEMORY : 0;
    }
    spot_canonical_free(&was);
    spot_canonical_free(&is);
    return ret;
}

/* ---- Points ---- */

/* The axis that comes after another in the order of paths, so that the order of the
 * sweep does not matter. previous: NULL: the first one. */
static size_t next_axis(const spot_study_head_t *head, const char *previous)
{
    size_t next_id = head->num_axes;

    for (size_t j = 0; j < head->num_axes; j++) {
        const char *path = head->axes[j].path;

        if ((previous == NULL || strcmp(path, previous) > 0) &&
            (next_id == head->num_axes || strcmp(path, head->axes[next_id].path) < 0)) {
            next_id = j;
        }
    }
    return next_id;
}

/* What ends a value has a \ before it. */
static void append_escaped(sqlite3_str *key, const char *text)
{
    for (; *text != '\0'; text++) {
        if (strchr("\\;=#", *text) != NULL) {
            sqlite3_str_appendchar(key, 1, '\\');
        }
        sqlite3_str_appendchar(key, 1, *text);
    }
}

/* Values that are the same number have the same text, the shortest one: "0.05", as most
 * users write it. */
char *spot_stored_point_key(const spot_study_head_t *head, size_t point_id)
{
    sqlite3_str *key = sqlite3_str_new(NULL);
    const char *path = NULL;

    for (size_t j = next_axis(head, path); j < head->num_axes; j = next_axis(head, path)) {
        const spot_axis_t *axis = &head->axes[j];
        const size_t value_id = spot_study_value_id(head, point_id, j);
        char number[SPOT_NUMBER_TEXT_BYTES];

        sqlite3_str_appendall(key, path == NULL ? "" : ";");
        path = axis->path;
        append_escaped(key, path);
        sqlite3_str_appendall(key, "=");
        if (isfinite(axis->numbers[value_id])) {
            spot_number_text(axis->numbers[value_id] + 0.0, number);
            sqlite3_str_appendall(key, number);
            append_escaped(key, axis->unit[0] == '\0' ? "" : " ");
            append_escaped(key, axis->unit);
        } else {
            append_escaped(key, axis->texts[value_id]);
        }
    }
    if (path == NULL) {
        sqlite3_str_appendall(key, "-"); /* a study without a sweep has one point */
    }
    return sqlite3_str_finish(key);
}

/* A key that another point of the study has already: "KEY#2", "KEY#3". */
static char *numbered_key(const char *key, unsigned number)
{
    return sqlite3_mprintf(number == 1 ? "%s" : "%s#%u", key, number);
}

/* Whether the column of a value has an integer. */
static bool is_whole(const spot_axis_t *axis, double number)
{
    return axis->unit[0] == '\0' && nearbyint(number) == number && fabs(number) <= 0x1p53;
}

static void bind_value(
    sqlite3_stmt *insert, int parameter, const spot_axis_t *axis, size_t value_id)
{
    const double number = axis->numbers[value_id];

    if (!isfinite(number)) {
        sqlite3_bind_text(insert, parameter, axis->texts[value_id], -1, SQLITE_STATIC);
    } else if (is_whole(axis, number)) {
        sqlite3_bind_int64(insert, parameter, (int64_t) number);
    } else {
        sqlite3_bind_double(insert, parameter, number);
    }
}

/* Inserts a point with the first of its keys that is free: points of a list may have the
 * same values. */
static int write_point(
    spot_db_t *db, sqlite3_stmt *insert, const spot_study_head_t *head, size_t point_id)
{
    char *key = spot_stored_point_key(head, point_id);
    bool is_inserted = false;
    int ret = key == NULL ? SPOT_ERR_NO_MEMORY : 0;

    sqlite3_bind_int64(insert, 2, (int64_t) point_id);
    for (size_t j = 0; j < head->num_axes; j++) {
        bind_value(insert, (int) j + 4, &head->axes[j], spot_study_value_id(head, point_id, j));
    }
    for (unsigned j = 1; ret == 0 && !is_inserted; j++) {
        char *numbered = numbered_key(key, j);

        sqlite3_bind_text(insert, 3, numbered, -1, SQLITE_STATIC);
        ret = numbered == NULL ? SPOT_ERR_NO_MEMORY : spot_db_step_done(db, insert);
        is_inserted = ret == 0 && sqlite3_changes(db->handle) == 1;
        sqlite3_free(numbered);
    }
    sqlite3_free(key);
    return ret;
}

/* Writes the table of points, with these numbers. */
static int stored_points_write(spot_db_t *db, const spot_study_head_t *head,
    const spot_columns_t *columns, const uint32_t *numbers)
{
    sqlite3_stmt *insert = NULL;
    int ret = spot_schema_create_points(db, columns);

    ret = ret == 0 ? spot_db_prepare(db, &insert, "INSERT OR IGNORE INTO point VALUES (?, ?, ?%z)",
                         spot_schema_places(db, head->num_axes))
                   : ret;
    for (size_t j = 0; ret == 0 && j < head->num_points; j++) {
        sqlite3_bind_int64(insert, 1, numbers[j]);
        ret = write_point(db, insert, head, j);
    }
    sqlite3_finalize(insert);
    return ret;
}

/* What finding the numbers of points needs. */
typedef struct {
    spot_db_t *db;
    sqlite3_stmt *find; /* the number of a key */
    bool *is_taken;     /* [number] */
    int64_t num_old;    /* points of the file, numbered from 0 on */
    int64_t num_points; /* the same with those that are new */
} finder_t;

/* Points of one key are the first, second ... of it. */
static int find_point(finder_t *self, const char *key, uint32_t *number)
{
    int64_t found = -1;
    bool is_free = false;
    int ret = key == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (unsigned j = 1; ret == 0 && !is_free; j++) {
        char *numbered = numbered_key(key, j);

        ret = numbered == NULL ? SPOT_ERR_NO_MEMORY : 0;
        sqlite3_bind_text(self->find, 1, numbered, -1, SQLITE_STATIC);
        if (!spot_db_next_row(self->db, self->find, &ret)) {
            found = self->num_points++; /* one more than the file has */
            is_free = true;
        } else {
            found = sqlite3_column_int64(self->find, 0);
            if (found < 0 || found >= self->num_old) {
                ret = spot_db_damaged(self->db, "points are not numbered from 0 on");
            } else {
                is_free = !self->is_taken[found];
                self->is_taken[found] = true;
            }
        }
        sqlite3_reset(self->find);
        sqlite3_free(numbered);
    }
    *number = (uint32_t) found;
    return ret;
}

/* Of the first point that is none of the study's, if there is one. */
static int find_removed(finder_t *self, char **removed)
{
    sqlite3_stmt *row = NULL;
    int64_t number = 0;
    int ret;

    while (number < self->num_old && self->is_taken[number]) {
        number++;
    }
    ret = spot_db_prepare(
        self->db, &row, "SELECT key FROM point WHERE point = %lld", (long long) number);
    if (spot_db_next_row(self->db, row, &ret)) {
        *removed = spot_db_text(row, 0, &ret);
    }
    sqlite3_finalize(row);
    return ret;
}

int spot_stored_points_find(const spot_stored_study_t *self, spot_db_t *db,
    const spot_study_head_t *head, uint32_t *numbers, char **removed)
{
    finder_t finder = {.db = db,
        .is_taken = spot_calloc(self->head.num_points, sizeof(bool)),
        .num_old = (int64_t) self->head.num_points,
        .num_points = (int64_t) self->head.num_points};
    int ret = finder.is_taken == NULL
                  ? SPOT_ERR_NO_MEMORY
                  : spot_db_prepare(db, &finder.find,
                        "SELECT p.point FROM point i CROSS JOIN point p ON p.point = i.point "
                        "AND p.key = ?1 WHERE i.key = ?1"); /* the index may be damaged */

    *removed = NULL;
    for (size_t j = 0; ret == 0 && j < head->num_points; j++) {
        char *key = spot_stored_point_key(head, j);

        ret = find_point(&finder, key, &numbers[j]);
        sqlite3_free(key);
    }
    sqlite3_finalize(finder.find);
    ret = ret == 0 ? find_removed(&finder, removed) : ret;
    free(finder.is_taken);
    return ret;
}

/* Whether a column has what bind_value() put there. */
static bool has_value(sqlite3_stmt *row, int column, const spot_axis_t *axis, size_t value_id)
{
    const double number = axis->numbers[value_id];
    const int type = sqlite3_column_type(row, column);

    if (!isfinite(number)) {
        const char *text = axis->texts[value_id];

        return type == SQLITE_TEXT &&
               strcmp((const char *) sqlite3_column_text(row, column), text) == 0 &&
               (size_t) sqlite3_column_bytes(row, column) == strlen(text);
    }
    return is_whole(axis, number)
               ? type == SQLITE_INTEGER && sqlite3_column_int64(row, column) == (int64_t) number
               : type == SQLITE_FLOAT && sqlite3_column_double(row, column) == number;
}

/* The point of a row, whose number is the next one: point, position, values. */
static int check_point(
    const spot_stored_study_t *self, spot_db_t *db, sqlite3_stmt *row, int64_t number)
{
    const spot_study_head_t *head = &self->head;
    const sqlite3_int64 position = sqlite3_column_int64(row, 1);

    if (sqlite3_column_int64(row, 0) != number || position < 0 ||
        (size_t) position >= head->num_points || self->numbers[position] != number) {
        return spot_db_damaged(db, "points are not numbered from 0 on");
    }
    for (size_t j = 0; j < head->num_axes; j++) {
        const spot_axis_t *axis = &head->axes[j];
        const size_t value_id = spot_study_value_id(head, (size_t) position, j);

        if (!has_value(row, (int) j + 2, axis, value_id)) {
            char *key = spot_stored_point_key(head, (size_t) position);
            const int ret = spot_db_damaged(db, "point %s: %s in its row is not %s",
                key == NULL ? "?" : key, axis->path, axis->texts[value_id]);

            sqlite3_free(key);
            return ret;
        }
    }
    return 0;
}

int spot_stored_points_check(const spot_stored_study_t *self, spot_db_t *db)
{
    spot_columns_t columns;
    sqlite3_stmt *row = NULL;
    int64_t num_points = 0;
    int ret = spot_columns_init(&columns, &self->head);

    ret = ret == 0 ? spot_db_prepare(db, &row,
                         "SELECT point, position%z FROM point NOT INDEXED ORDER BY point",
                         spot_column_names_sql(&columns.axes, db, ", ", ""))
                   : ret;
    for (; spot_db_next_row(db, row, &ret); num_points++) {
        ret = check_point(self, db, row, num_points);
    }
    sqlite3_finalize(row);
    spot_columns_free(&columns);
    return ret == 0 && (size_t) num_points != self->head.num_points
               ? spot_db_damaged(db, "it has %lld of %lld points", (long long) num_points,
                     (long long) self->head.num_points)
               : ret;
}

/* ---- The head as JSON ---- */

/* The head of a study as one JSON text, by tables of its members: a member that is added
 * to a head is added here. Nothing in the file is trusted: it may be damaged, or made by
 * another program. */

/* A head, numbers of items that follow from others in it, and the numbers of points. */
typedef struct {
    spot_study_head_t head; /* first, so that a head can be freed by the table below */
    size_t num_value_ids;
    size_t num_sample_points;
    size_t num_left_out;
    uint32_t *numbers; /* [num_points] of the points in the file, see stored_study.h */
} whole_t;

static const char *const metric_kinds[] = {
    "plain", "share", "cost", "gain", "time", "probability", NULL};
static const char *const betters[] = {"neither", "lower", "higher", NULL};

static const spot_row_member_t a_text[] = {{"", SPOT_MEMBER_TEXT, .is_needed = true}, {0}};
static const spot_row_member_t a_number[] = {{"", SPOT_MEMBER_NUMBER, .offset = 0}, {0}};
static const spot_row_member_t a_flag[] = {{"", SPOT_MEMBER_BOOLEAN, .offset = 0}, {0}};
static const spot_row_member_t a_metric_id[] = {
    {"", SPOT_MEMBER_COUNT, .below = offsetof(whole_t, head.num_metrics)}, {0}};

static const spot_row_member_t metric_members[] = {
    SPOT_MEMBER_NEEDED(NAME, "name", spot_metric_t, name),
    SPOT_MEMBER_NEEDED(NAME, "unit", spot_metric_t, unit),
    SPOT_MEMBER_NEEDED(NAME, "help", spot_metric_t, help),
    SPOT_MEMBER(NAME, "label", spot_metric_t, label),
    SPOT_MEMBER(NAME, "noun", spot_metric_t, noun),
    SPOT_MEMBER_WITH(CHOICE, "kind", spot_metric_t, kind, .choices = metric_kinds),
    SPOT_MEMBER_WITH(CHOICE, "better", spot_metric_t, better, .choices = betters),
    SPOT_MEMBER(NAME, "numerator", spot_metric_t, numerator),
    SPOT_MEMBER(NAME, "denominator", spot_metric_t, denominator),
    SPOT_MEMBER(NUMBER, "per", spot_metric_t, per),
    SPOT_MEMBER(NAME, "known_if", spot_metric_t, known_if),
    SPOT_MEMBER(BOOLEAN, "is_total", spot_metric_t, is_total),
    SPOT_MEMBER(BOOLEAN, "is_count", spot_metric_t, is_count),
    SPOT_MEMBER(NAME, "count_of", spot_metric_t, count_of),
    SPOT_MEMBER_WITH(
        CHOICE, "estimator", spot_metric_t, estimator, .choices = spot_estimator_names),
    SPOT_MEMBER(NUMBER, "p", spot_metric_t, p),
    {0},
};
static const spot_row_member_t assumed_members[] = {
    SPOT_MEMBER_NEEDED(TEXT, "key", spot_assumption_t, key),
    SPOT_MEMBER_NEEDED(TEXT, "value", spot_assumption_t, value),
    SPOT_MEMBER(TEXT, "label", spot_assumption_t, label),
    {0},
};
static const spot_row_member_t warning_members[] = {
    SPOT_MEMBER_NEEDED(NAME, "name", spot_warning_t, name),
    SPOT_MEMBER_NEEDED(NAME, "text", spot_warning_t, text),
    {0},
};
static const spot_row_member_t colour_members[] = {
    SPOT_MEMBER_NEEDED(NAME, "word", spot_colour_t, word),
    SPOT_MEMBER_NEEDED(NAME, "colour", spot_colour_t, colour),
    {0},
};
static const spot_row_member_t limit_members[] = {
    SPOT_MEMBER_NEEDED(TEXT, "metric", spot_constraint_t, metric),
    SPOT_MEMBER_NEEDED(TEXT, "text", spot_constraint_t, text),
    SPOT_MEMBER(NUMBER, "limit", spot_constraint_t, limit),
    SPOT_MEMBER(BOOLEAN, "is_upper", spot_constraint_t, is_upper),
    {0},
};
static const spot_row_member_t baseline_members[] = {
    SPOT_MEMBER(COUNT, "axis", spot_axis_value_t, axis_id),
    SPOT_MEMBER(COUNT, "value", spot_axis_value_t, value_id),
    {0},
};
static const spot_row_member_t kind_members[] = {
    SPOT_MEMBER(BOOLEAN, "is_fixed", spot_point_kind_t, is_fixed),
    SPOT_MEMBER_WITH(LIST, "has_metric", spot_point_kind_t, has_metric, .members = a_flag,
        .item_bytes = sizeof(bool), .is_num_of_root = true,
        .num_offset = offsetof(whole_t, head.num_metrics)),
    SPOT_MEMBER_WITH(LIST, "is_ruled", spot_point_kind_t, is_ruled, .members = a_flag,
        .item_bytes = sizeof(bool), .is_num_of_root = true,
        .num_offset = offsetof(whole_t, head.num_metrics)),
    SPOT_MEMBER(TEXT, "cannot_run", spot_point_kind_t, cannot_run),
    SPOT_MEMBER(TEXT, "unmeasured", spot_point_kind_t, unmeasured),
    SPOT_MEMBER(TEXT, "beyond_metric", spot_point_kind_t, beyond_metric),
    SPOT_MEMBER(NUMBER, "beyond_most", spot_point_kind_t, beyond_most),
    SPOT_MEMBER(TEXT, "beyond_words", spot_point_kind_t, beyond_words),
    SPOT_MEMBER(BOOLEAN, "beyond_warns", spot_point_kind_t, beyond_warns),
    {0},
};
static const spot_row_member_t axis_members[] = {
    SPOT_MEMBER_NEEDED(TEXT, "path", spot_axis_t, path),
    SPOT_MEMBER_NEEDED(TEXT, "unit", spot_axis_t, unit),
    SPOT_MEMBER(TEXT, "label", spot_axis_t, label),
    SPOT_MEMBER(COUNT, "num_values", spot_axis_t, num_values),
    SPOT_MEMBER_LIST("texts", spot_axis_t, texts, offsetof(spot_axis_t, num_values), a_text),
    SPOT_MEMBER_LIST("numbers", spot_axis_t, numbers, offsetof(spot_axis_t, num_values), a_number),
    {0},
};

#define HEAD(key, field, kind) SPOT_MEMBER(kind, key, whole_t, head.field)
#define LIST(key, field, num, members)                                                             \
    SPOT_MEMBER_LIST(key, whole_t, head.field, offsetof(whole_t, num), members)

static const spot_row_member_t head_members[] = {
    HEAD("name", name, TEXT),
    HEAD("question", question, TEXT),
    HEAD("engine", engine, TEXT),
    HEAD("seed", seed, UNSIGNED),
    HEAD("batch_replications", batch_replications, INTEGER),
    HEAD("num_replications", num_replications, INTEGER),
    HEAD("min_replications", min_replications, INTEGER),
    HEAD("num_assumed", assumed.num_items, COUNT),
    LIST("assumed", assumed.items, head.assumed.num_items, assumed_members),
    HEAD("num_remarks", num_remarks, COUNT),
    LIST("remarks", remarks, head.num_remarks, a_text),
    HEAD("until_metric", until.metric, TEXT),
    HEAD("until_half_width", until.half_width, NUMBER),
    HEAD("until_relative_half_width", until.relative_half_width, NUMBER),
    HEAD("until_confidence", until.confidence, NUMBER),
    HEAD("optimise_metric", optimise.metric, TEXT),
    HEAD("optimise_is_maximised", optimise.is_maximised, BOOLEAN),
    HEAD("optimise_confidence", optimise.confidence, NUMBER),
    HEAD("optimise_indifference", optimise.indifference, NUMBER),
    HEAD("num_limits", optimise.num_constraints, COUNT),
    LIST("limits", optimise.constraints, head.optimise.num_constraints, limit_members),
    HEAD("num_axes", num_axes, COUNT),
    LIST("axes", axes, head.num_axes, axis_members),
    HEAD("num_points", num_points, COUNT),
    SPOT_MEMBER_WITH(IDS, "numbers", whole_t, numbers, .is_borrowed = true,
        .num_offset = offsetof(whole_t, head.num_points),
        .below = offsetof(whole_t, head.num_points)),
    SPOT_MEMBER(COUNT, "num_value_ids", whole_t, num_value_ids),
    SPOT_MEMBER_WITH(
        IDS, "value_ids", whole_t, head.value_ids, .num_offset = offsetof(whole_t, num_value_ids)),
    SPOT_MEMBER_WITH(CHOICE, "plan", whole_t, head.plan.kind, .choices = spot_plan_names),
    HEAD("plan_seed", plan.seed, UNSIGNED),
    HEAD("plan_merged", plan.num_merged, COUNT),
    HEAD("plan_excluded", plan.num_excluded, COUNT),
    HEAD("plan_samples", plan.num_samples, COUNT),
    SPOT_MEMBER(COUNT, "num_sample_points", whole_t, num_sample_points),
    SPOT_MEMBER_WITH(IDS, "plan_sample_points", whole_t, head.plan.sample_points,
        .num_offset = offsetof(whole_t, num_sample_points),
        .below = offsetof(whole_t, head.num_points)),
    HEAD("has_baseline", has_baseline, BOOLEAN),
    HEAD("baseline_axis", baseline_axis_id, COUNT),
    HEAD("baseline_value", baseline_value_id, COUNT),
    HEAD("num_more_baselines", num_more_baselines, COUNT),
    LIST("more_baselines", more_baselines, head.num_more_baselines, baseline_members),
    HEAD("best_is_asked", best.is_asked, BOOLEAN),
    HEAD("best_is_maximised", best.is_maximised, BOOLEAN),
    HEAD("best_axis", best.axis_id, COUNT),
    HEAD("best_metric", best.metric_id, COUNT),
    SPOT_MEMBER(COUNT, "num_left_out", whole_t, num_left_out),
    LIST("best_is_left_out", best.is_left_out, num_left_out, a_flag),
    HEAD("num_best_keys", best.num_keys, COUNT),
    LIST("best_keys", best.keys, head.best.num_keys, a_text),
    HEAD("num_listed", num_listed, COUNT),
    HEAD("num_metrics", num_metrics, COUNT),
    LIST("metrics", metrics, head.num_metrics, metric_members),
    HEAD("num_kinds", num_kinds, COUNT),
    LIST("kinds", kinds, head.num_kinds, kind_members),
    SPOT_MEMBER_WITH(IDS, "kind_ids", whole_t, head.kind_ids,
        .num_offset = offsetof(whole_t, head.num_points),
        .below = offsetof(whole_t, head.num_kinds)),
    HEAD("num_warnings", num_warnings, COUNT),
    SPOT_MEMBER_WITH(LIST, "warnings", whole_t, head.warnings, .is_borrowed = true,
        .members = warning_members, .item_bytes = sizeof(spot_warning_t),
        .num_offset = offsetof(whole_t, head.num_warnings)),
    SPOT_MEMBER_WITH(LIST, "colours", whole_t, head.colours, .is_borrowed = true,
        .members = colour_members, .item_bytes = sizeof(spot_colour_t)),
    HEAD("plot_x", plot.x, TEXT),
    HEAD("plot_y", plot.y, TEXT),
    HEAD("plot_curves", plot.curves, TEXT),
    HEAD("plot_second_x", plot.second_x, TEXT),
    HEAD("plot_x_label", plot.x_label, TEXT),
    HEAD("plot_second_x_label", plot.second_x_label, TEXT),
    HEAD("num_plot_stack", plot.num_stack, COUNT),
    LIST("plot_stack", plot.stack, head.plot.num_stack, a_text),
    HEAD("has_overview", has_overview, BOOLEAN),
    HEAD("num_overview_parts", overview.num_parts, COUNT),
    LIST("overview_parts", overview.part_ids, head.overview.num_parts, a_metric_id),
    HEAD("overview_cost", overview.cost_id, COUNT),
    HEAD("overview_gain", overview.gain_id, COUNT),
    {0},
};

void spot_study_head_free(spot_study_head_t *self)
{
    spot_row_free(head_members, self);
    free(self->sources);
    memset(self, 0, sizeof(*self));
}

/* ---- Whether a head that was read is one that a report can be made of ---- */

static bool is_value(const spot_study_head_t *head, size_t axis_id, size_t value_id)
{
    return axis_id < head->num_axes && value_id < head->axes[axis_id].num_values;
}

static bool is_kept(const spot_study_head_t *head, const char *metric)
{
    return spot_study_metric_id(head, metric) < head->num_metrics;
}

/* Whether each point has a value of each axis. */
static bool are_points_sound(const whole_t *whole)
{
    const spot_study_head_t *head = &whole->head;
    size_t num_combined = 1;

    if (head->num_axes == 0) {
        return true;
    }
    if (head->value_ids == NULL) {
        for (size_t j = 0; num_combined <= head->num_points && j < head->num_axes; j++) {
            num_combined *= head->axes[j].num_values;
        }
        return num_combined == head->num_points;
    }
    for (size_t j = 0; j < whole->num_value_ids; j++) {
        if (!is_value(head, j % head->num_axes, head->value_ids[j])) {
            return false;
        }
    }
    return head->num_points <= whole->num_value_ids &&
           whole->num_value_ids == head->num_points * head->num_axes;
}

static bool is_optimise_sound(const spot_study_head_t *head)
{
    const spot_optimise_t *optimise = &head->optimise;

    for (size_t j = 0; j < optimise->num_constraints; j++) {
        if (!is_kept(head, optimise->constraints[j].metric) ||
            !isfinite(optimise->constraints[j].limit)) {
            return false;
        }
    }
    return optimise->metric == NULL ||
           (is_kept(head, optimise->metric) && optimise->confidence > 0 &&
               optimise->confidence < 1 && optimise->indifference >= 0);
}

/* Whether samples are asked for and there as the plan says. */
static bool is_plan_sound(const whole_t *whole)
{
    const spot_plan_t *plan = &whole->head.plan;

    return (plan->kind == SPOT_PLAN_SENSITIVITY) == (plan->sample_points != NULL) &&
           plan->num_samples <= whole->num_sample_points &&
           whole->num_sample_points == plan->num_samples * (whole->head.num_axes + 2);
}

static bool is_view_sound(const whole_t *whole)
{
    const spot_study_head_t *head = &whole->head;
    const spot_best_t *best = &head->best;

    for (size_t j = 0; j < head->num_more_baselines; j++) {
        if (!is_value(head, head->more_baselines[j].axis_id, head->more_baselines[j].value_id)) {
            return false;
        }
    }
    return (!head->has_baseline ||
               is_value(head, head->baseline_axis_id, head->baseline_value_id)) &&
           (!best->is_asked || (best->metric_id < head->num_metrics &&
                                   best->axis_id < head->num_axes && best->is_left_out != NULL &&
                                   whole->num_left_out == head->axes[best->axis_id].num_values)) &&
           head->overview.cost_id <= head->num_metrics &&
           head->overview.gain_id <= head->num_metrics;
}

static bool is_sound(const whole_t *whole)
{
    const spot_study_head_t *head = &whole->head;

    return head->num_replications >= 1 && head->batch_replications >= 1 &&
           head->batch_replications <= UINT16_MAX && head->num_metrics >= 1 &&
           head->num_listed <= head->num_metrics && head->num_warnings <= SPOT_MAX_WARNINGS &&
           head->num_points >= 1 && whole->numbers != NULL && are_points_sound(whole) &&
           is_optimise_sound(head) && is_plan_sound(whole) && is_view_sound(whole);
}

/* ---- The row of the study ---- */

static char *write_head(const spot_study_head_t *head, const uint32_t *numbers)
{
    const whole_t whole = {.head = *head,
        .num_value_ids = head->num_points * head->num_axes,
        .num_sample_points = head->plan.num_samples * (head->num_axes + 2),
        .num_left_out = head->best.is_asked ? head->axes[head->best.axis_id].num_values : 0,
        .numbers = (uint32_t *) (uintptr_t) numbers};

    return spot_row_write_json(head_members, &whole);
}

/* The columns of study repeat what users query most; the head has everything. */
static int insert_study(spot_db_t *db, const spot_study_head_t *head, const char *canonical,
    const char *sha256, const uint32_t *numbers)
{
    char *text = write_head(head, numbers);
    int ret = text == NULL ? SPOT_ERR_NO_MEMORY
                           : spot_db_run(db,
                                 "DELETE FROM study; INSERT INTO study VALUES (%Q, %Q, %Q, %lld, "
                                 "%lld, %Q, %Q, %Q, 0)",
                                 head->name, head->question, head->engine, (long long) head->seed,
                                 (long long) head->num_replications, canonical, sha256, text);

    free(text);
    return ret;
}

/* The rows of axis repeat values of the head, for queries. Reading compares their digest
 * only. */
static int insert_axes(spot_db_t *db, const spot_study_head_t *head)
{
    sqlite3_stmt *insert = NULL;
    int ret = spot_db_run(db, "DELETE FROM axis");

    ret =
        ret == 0 ? spot_db_prepare(db, &insert, "INSERT INTO axis VALUES (?, ?, ?, ?, ?, ?)") : ret;
    for (size_t j = 0; j < head->num_axes; j++) {
        const spot_axis_t *axis = &head->axes[j];

        for (size_t k = 0; ret == 0 && k < axis->num_values; k++) {
            sqlite3_bind_int64(insert, 1, (int64_t) j);
            sqlite3_bind_int64(insert, 2, (int64_t) k);
            sqlite3_bind_text(insert, 3, axis->path, -1, SQLITE_STATIC);
            sqlite3_bind_text(insert, 4, axis->unit, -1, SQLITE_STATIC);
            sqlite3_bind_text(insert, 5, axis->texts[k], -1, SQLITE_STATIC);
            sqlite3_bind_double(insert, 6, axis->numbers[k]); /* NAN becomes null */
            ret = spot_db_step_done(db, insert);
        }
    }
    sqlite3_finalize(insert);
    return ret;
}

int spot_stored_study_write(spot_db_t *db, const spot_study_head_t *head,
    const spot_columns_t *columns, const char *canonical, const char *sha256,
    const uint32_t *numbers)
{
    int ret = insert_study(db, head, canonical, sha256, numbers);

    ret = ret == 0 ? insert_axes(db, head) : ret;
    ret = ret == 0 ? stored_points_write(db, head, columns, numbers) : ret;
    return ret == 0 ? spot_db_run(db, "UPDATE study SET digest = " SPOT_STUDY_DIGEST) : ret;
}

static int read_head(spot_stored_study_t *self, spot_db_t *db, const char *text)
{
    whole_t whole = {.num_left_out = 0};
    int ret;

    ret = spot_row_read_json(head_members, text, NULL, &self->names, &whole);
    ret = ret == 0 ? spot_study_head_find_sources(&whole.head) : ret;
    self->head = whole.head;
    self->numbers = whole.numbers;
    return ret == SPOT_ERR_BAD_INPUT || (ret == 0 && !is_sound(&whole))
               ? spot_db_damaged(db, "the head of the study is none")
               : ret;
}

static int read_study(spot_stored_study_t *self, spot_db_t *db)
{
    sqlite3_stmt *row;
    int ret = spot_db_prepare(db, &row, "SELECT canonical, canonical_sha256, head FROM study");

    if (spot_db_next_row(db, row, &ret)) {
        self->canonical = spot_db_text(row, 0, &ret);
        self->canonical_sha256 = spot_db_text(row, 1, &ret);
    }
    if (ret == 0) {
        ret = read_head(self, db, (const char *) sqlite3_column_text(row, 2));
    }
    sqlite3_finalize(row);
    return ret;
}

/* Whether the study and the provenance are as they were written. */
static int check_digests(spot_db_t *db)
{
    static const char *const damages[] = {
        "?", "the study in it is not as it was written", "its provenance is not as it was written"};
    sqlite3_int64 damage_id = 0;
    const int ret = spot_db_integer(db, &damage_id,
        "SELECT CASE WHEN (SELECT count(*) FROM study) != 1 OR (SELECT count(*) FROM study WHERE "
        "digest = " SPOT_STUDY_DIGEST
        ") != 1 THEN 1 WHEN EXISTS (SELECT 1 FROM provenance WHERE digest IS "
        "NOT " SPOT_PROVENANCE_DIGEST ") THEN 2 END");

    return ret == 0 && damage_id > 0 ? spot_db_damaged(db, "%s", damages[damage_id]) : ret;
}

int spot_stored_study_read(spot_stored_study_t *self, spot_db_t *db)
{
    int ret;

    memset(self, 0, sizeof(*self));
    ret = check_digests(db);
    return ret == 0 ? read_study(self, db) : ret;
}

void spot_stored_study_free(spot_stored_study_t *self)
{
    free((void *) (uintptr_t) self->head.warnings); /* borrowed wherever else */
    free((void *) (uintptr_t) self->head.colours);
    spot_study_head_free(&self->head);
    spot_arena_free(&self->names);
    free(self->numbers);
    free(self->canonical);
    free(self->canonical_sha256);
    memset(self, 0, sizeof(*self));
}
