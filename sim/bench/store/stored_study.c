/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The head of a study as one JSON text, by tables of its members: a member that is added
 * to a head is added here. Nothing in the file is trusted: it may be damaged, or
 * somebody else's idea of a store. */
#include "sim/bench/store/stored_study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/bench/store/json_members.h"

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

static const spot_json_member_t a_text[] = {{"", SPOT_MEMBER_TEXT, .is_needed = true}, {0}};
static const spot_json_member_t a_number[] = {{"", SPOT_MEMBER_NUMBER, .offset = 0}, {0}};
static const spot_json_member_t a_flag[] = {{"", SPOT_MEMBER_BOOLEAN, .offset = 0}, {0}};
static const spot_json_member_t a_metric_id[] = {
    {"", SPOT_MEMBER_COUNT, .below = offsetof(whole_t, head.num_metrics)}, {0}};

static const spot_json_member_t metric_members[] = {
    SPOT_MEMBER_NEEDED(spot_metric_t, "name", name, NAME),
    SPOT_MEMBER_NEEDED(spot_metric_t, "unit", unit, NAME),
    SPOT_MEMBER_NEEDED(spot_metric_t, "help", help, NAME),
    SPOT_MEMBER(spot_metric_t, "label", label, NAME),
    SPOT_MEMBER(spot_metric_t, "noun", noun, NAME),
    SPOT_MEMBER_CHOICE(spot_metric_t, "kind", kind, metric_kinds),
    SPOT_MEMBER_CHOICE(spot_metric_t, "better", better, betters),
    SPOT_MEMBER(spot_metric_t, "numerator", numerator, NAME),
    SPOT_MEMBER(spot_metric_t, "denominator", denominator, NAME),
    SPOT_MEMBER(spot_metric_t, "per", per, NUMBER),
    SPOT_MEMBER(spot_metric_t, "known_if", known_if, NAME),
    SPOT_MEMBER(spot_metric_t, "is_total", is_total, BOOLEAN),
    SPOT_MEMBER(spot_metric_t, "is_count", is_count, BOOLEAN),
    SPOT_MEMBER(spot_metric_t, "count_of", count_of, NAME),
    SPOT_MEMBER_CHOICE(spot_metric_t, "estimator", estimator, spot_estimator_names),
    SPOT_MEMBER(spot_metric_t, "p", p, NUMBER),
    {0},
};
static const spot_json_member_t assumed_members[] = {
    SPOT_MEMBER_NEEDED(spot_assumption_t, "key", key, TEXT),
    SPOT_MEMBER_NEEDED(spot_assumption_t, "value", value, TEXT),
    SPOT_MEMBER(spot_assumption_t, "label", label, TEXT),
    {0},
};
static const spot_json_member_t warning_members[] = {
    SPOT_MEMBER_NEEDED(spot_warning_t, "name", name, NAME),
    SPOT_MEMBER_NEEDED(spot_warning_t, "text", text, NAME),
    {0},
};
static const spot_json_member_t colour_members[] = {
    SPOT_MEMBER_NEEDED(spot_colour_t, "word", word, NAME),
    SPOT_MEMBER_NEEDED(spot_colour_t, "colour", colour, NAME),
    {0},
};
static const spot_json_member_t limit_members[] = {
    SPOT_MEMBER_NEEDED(spot_constraint_t, "metric", metric, TEXT),
    SPOT_MEMBER_NEEDED(spot_constraint_t, "text", text, TEXT),
    SPOT_MEMBER(spot_constraint_t, "limit", limit, NUMBER),
    SPOT_MEMBER(spot_constraint_t, "is_upper", is_upper, BOOLEAN),
    {0},
};
static const spot_json_member_t baseline_members[] = {
    SPOT_MEMBER(spot_axis_value_t, "axis", axis_id, COUNT),
    SPOT_MEMBER(spot_axis_value_t, "value", value_id, COUNT),
    {0},
};
static const spot_json_member_t kind_members[] = {
    SPOT_MEMBER(spot_point_kind_t, "is_fixed", is_fixed, BOOLEAN),
    SPOT_MEMBER_WITH(spot_point_kind_t, "has_metric", has_metric, LIST, .members = a_flag,
        .item_bytes = sizeof(bool), .is_num_of_root = true,
        .num_offset = offsetof(whole_t, head.num_metrics)),
    SPOT_MEMBER_WITH(spot_point_kind_t, "is_ruled", is_ruled, LIST, .members = a_flag,
        .item_bytes = sizeof(bool), .is_num_of_root = true,
        .num_offset = offsetof(whole_t, head.num_metrics)),
    SPOT_MEMBER(spot_point_kind_t, "cannot_run", cannot_run, TEXT),
    SPOT_MEMBER(spot_point_kind_t, "unmeasured", unmeasured, TEXT),
    SPOT_MEMBER(spot_point_kind_t, "beyond_metric", beyond_metric, TEXT),
    SPOT_MEMBER(spot_point_kind_t, "beyond_most", beyond_most, NUMBER),
    SPOT_MEMBER(spot_point_kind_t, "beyond_words", beyond_words, TEXT),
    SPOT_MEMBER(spot_point_kind_t, "beyond_warns", beyond_warns, BOOLEAN),
    {0},
};
static const spot_json_member_t axis_members[] = {
    SPOT_MEMBER_NEEDED(spot_axis_t, "path", path, TEXT),
    SPOT_MEMBER_NEEDED(spot_axis_t, "unit", unit, TEXT),
    SPOT_MEMBER(spot_axis_t, "label", label, TEXT),
    SPOT_MEMBER(spot_axis_t, "num_values", num_values, COUNT),
    SPOT_MEMBER_LIST(spot_axis_t, "texts", texts, offsetof(spot_axis_t, num_values), a_text),
    SPOT_MEMBER_LIST(spot_axis_t, "numbers", numbers, offsetof(spot_axis_t, num_values), a_number),
    {0},
};

#define HEAD(key, field, kind) SPOT_MEMBER(whole_t, key, head.field, kind)
#define LIST(key, field, num, members)                                                             \
    SPOT_MEMBER_LIST(whole_t, key, head.field, offsetof(whole_t, num), members)

static const spot_json_member_t head_members[] = {
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
    SPOT_MEMBER_WITH(whole_t, "numbers", numbers, IDS, .is_borrowed = true,
        .num_offset = offsetof(whole_t, head.num_points),
        .below = offsetof(whole_t, head.num_points)),
    SPOT_MEMBER(whole_t, "num_value_ids", num_value_ids, COUNT),
    SPOT_MEMBER_WITH(
        whole_t, "value_ids", head.value_ids, IDS, .num_offset = offsetof(whole_t, num_value_ids)),
    SPOT_MEMBER_CHOICE(whole_t, "plan", head.plan.kind, spot_plan_names),
    HEAD("plan_seed", plan.seed, UNSIGNED),
    HEAD("plan_merged", plan.num_merged, COUNT),
    HEAD("plan_excluded", plan.num_excluded, COUNT),
    HEAD("plan_samples", plan.num_samples, COUNT),
    SPOT_MEMBER(whole_t, "num_sample_points", num_sample_points, COUNT),
    SPOT_MEMBER_WITH(whole_t, "plan_sample_points", head.plan.sample_points, IDS,
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
    SPOT_MEMBER(whole_t, "num_left_out", num_left_out, COUNT),
    LIST("best_is_left_out", best.is_left_out, num_left_out, a_flag),
    HEAD("num_best_keys", best.num_keys, COUNT),
    LIST("best_keys", best.keys, head.best.num_keys, a_text),
    HEAD("num_listed", num_listed, COUNT),
    HEAD("num_metrics", num_metrics, COUNT),
    LIST("metrics", metrics, head.num_metrics, metric_members),
    HEAD("num_kinds", num_kinds, COUNT),
    LIST("kinds", kinds, head.num_kinds, kind_members),
    SPOT_MEMBER_WITH(whole_t, "kind_ids", head.kind_ids, IDS,
        .num_offset = offsetof(whole_t, head.num_points),
        .below = offsetof(whole_t, head.num_kinds)),
    HEAD("num_warnings", num_warnings, COUNT),
    SPOT_MEMBER_WITH(whole_t, "warnings", head.warnings, LIST, .is_borrowed = true,
        .members = warning_members, .item_bytes = sizeof(spot_warning_t),
        .num_offset = offsetof(whole_t, head.num_warnings)),
    SPOT_MEMBER_WITH(whole_t, "colours", head.colours, LIST, .is_borrowed = true,
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
    spot_json_members_free(head_members, self);
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

    return spot_json_members_write(head_members, &whole);
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
    ret = ret == 0 ? spot_stored_points_write(db, head, columns, numbers) : ret;
    return ret == 0 ? spot_db_run(db, "UPDATE study SET digest = " SPOT_STUDY_DIGEST) : ret;
}

static int read_head(spot_stored_study_t *self, spot_db_t *db, const char *text)
{
    whole_t whole = {.num_left_out = 0};
    int ret;

    self->tree = cJSON_Parse(text);
    ret = spot_json_members_read(head_members, self->tree, NULL, &whole);
    cJSON_DeleteItemFromObject(self->tree, "axes"); /* copied, and maybe long */
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
    cJSON_Delete(self->tree);
    free(self->numbers);
    free(self->canonical);
    free(self->canonical_sha256);
    memset(self, 0, sizeof(*self));
}
