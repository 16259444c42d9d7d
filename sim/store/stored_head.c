/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The head of a study as one JSON text: all but its axes, its points and what columns of
 * the table study hold. A key that is missing is zero, or none. */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "sim/store/stored_study.h"

/* More than any study has, less than what would exhaust the memory. */
#define MAX_LIST 100000000

typedef enum {
    MEMBER_TEXT,  /* char *, a copy */
    MEMBER_NAME,  /* const char *, which points into the tree */
    MEMBER_COUNT, /* size_t */
    MEMBER_INTEGER,
    MEMBER_UNSIGNED, /* as text: a JSON number has 53 bits */
    MEMBER_NUMBER,
    MEMBER_BOOLEAN,
    MEMBER_CHOICE /* an enum, as text */
} member_kind_t;

/* A member of a struct and its key. */
typedef struct {
    const char *key; /* NULL ends a table */
    size_t offset;
    member_kind_t kind;
    const char *const *choices; /* of a MEMBER_CHOICE, up to NULL */
} member_t;

#define HEAD(key, member, kind)                                                         \
    {                                                                                   \
        key, offsetof(spot_study_head_t, member), kind, NULL                            \
    }

static const member_t head_members[] = {
    HEAD("batch_replications", batch_replications, MEMBER_INTEGER),
    HEAD("min_replications", min_replications, MEMBER_INTEGER),
    HEAD("until_metric", until.metric, MEMBER_TEXT),
    HEAD("until_half_width", until.half_width, MEMBER_NUMBER),
    HEAD("until_relative_half_width", until.relative_half_width, MEMBER_NUMBER),
    HEAD("until_confidence", until.confidence, MEMBER_NUMBER),
    HEAD("optimise_metric", optimise.metric, MEMBER_TEXT),
    HEAD("optimise_is_maximised", optimise.is_maximised, MEMBER_BOOLEAN),
    HEAD("optimise_confidence", optimise.confidence, MEMBER_NUMBER),
    HEAD("optimise_indifference", optimise.indifference, MEMBER_NUMBER),
    {"plan", offsetof(spot_study_head_t, plan.kind), MEMBER_CHOICE, spot_plan_names},
    HEAD("plan_seed", plan.seed, MEMBER_UNSIGNED),
    HEAD("plan_merged", plan.num_merged, MEMBER_COUNT),
    HEAD("plan_excluded", plan.num_excluded, MEMBER_COUNT),
    HEAD("plan_samples", plan.num_samples, MEMBER_COUNT),
    HEAD("has_baseline", has_baseline, MEMBER_BOOLEAN),
    HEAD("baseline_axis", baseline_axis_id, MEMBER_COUNT),
    HEAD("baseline_value", baseline_value_id, MEMBER_COUNT),
    HEAD("best_is_asked", best.is_asked, MEMBER_BOOLEAN),
    HEAD("best_is_maximised", best.is_maximised, MEMBER_BOOLEAN),
    HEAD("best_axis", best.axis_id, MEMBER_COUNT),
    HEAD("best_metric", best.metric_id, MEMBER_COUNT),
    HEAD("num_listed", num_listed, MEMBER_COUNT),
    HEAD("plot_x", plot.x, MEMBER_TEXT),
    HEAD("plot_y", plot.y, MEMBER_TEXT),
    HEAD("plot_curves", plot.curves, MEMBER_TEXT),
    HEAD("plot_second_x", plot.second_x, MEMBER_TEXT),
    HEAD("plot_x_label", plot.x_label, MEMBER_TEXT),
    HEAD("plot_second_x_label", plot.second_x_label, MEMBER_TEXT),
    HEAD("has_overview", has_overview, MEMBER_BOOLEAN),
    HEAD("overview_cost", overview.cost_id, MEMBER_COUNT),
    HEAD("overview_gain", overview.gain_id, MEMBER_COUNT),
    {NULL, 0, MEMBER_TEXT, NULL},
};

static const char *const metric_kinds[] = {
    "plain", "share", "cost", "gain", "time", "probability", NULL};
static const char *const betters[] = {"neither", "lower", "higher", NULL};

static const member_t metric_members[] = {
    {"name", offsetof(spot_metric_t, name), MEMBER_NAME, NULL},
    {"unit", offsetof(spot_metric_t, unit), MEMBER_NAME, NULL},
    {"help", offsetof(spot_metric_t, help), MEMBER_NAME, NULL},
    {"label", offsetof(spot_metric_t, label), MEMBER_NAME, NULL},
    {"noun", offsetof(spot_metric_t, noun), MEMBER_NAME, NULL},
    {"kind", offsetof(spot_metric_t, kind), MEMBER_CHOICE, metric_kinds},
    {"better", offsetof(spot_metric_t, better), MEMBER_CHOICE, betters},
    {"numerator", offsetof(spot_metric_t, numerator), MEMBER_NAME, NULL},
    {"denominator", offsetof(spot_metric_t, denominator), MEMBER_NAME, NULL},
    {NULL, 0, MEMBER_TEXT, NULL},
};
static const member_t warning_members[] = {
    {"name", offsetof(spot_warning_t, name), MEMBER_NAME, NULL},
    {"text", offsetof(spot_warning_t, text), MEMBER_NAME, NULL},
    {NULL, 0, MEMBER_TEXT, NULL},
};
static const member_t colour_members[] = {
    {"word", offsetof(spot_colour_t, word), MEMBER_NAME, NULL},
    {"colour", offsetof(spot_colour_t, colour), MEMBER_NAME, NULL},
    {NULL, 0, MEMBER_TEXT, NULL},
};
static const member_t limit_members[] = {
    {"metric", offsetof(spot_constraint_t, metric), MEMBER_TEXT, NULL},
    {"text", offsetof(spot_constraint_t, text), MEMBER_TEXT, NULL},
    {"limit", offsetof(spot_constraint_t, limit), MEMBER_NUMBER, NULL},
    {"is_upper", offsetof(spot_constraint_t, is_upper), MEMBER_BOOLEAN, NULL},
    {NULL, 0, MEMBER_TEXT, NULL},
};
static const member_t baseline_members[] = {
    {"axis", offsetof(spot_axis_value_t, axis_id), MEMBER_COUNT, NULL},
    {"value", offsetof(spot_axis_value_t, value_id), MEMBER_COUNT, NULL},
    {NULL, 0, MEMBER_TEXT, NULL},
};
static const member_t kind_members[] = {
    {"is_fixed", offsetof(spot_point_kind_t, is_fixed), MEMBER_BOOLEAN, NULL},
    {NULL, 0, MEMBER_TEXT, NULL},
};
/* Lists of one text, or of one number, an item. */
static const member_t text_members[] = {
    {"metric", 0, MEMBER_TEXT, NULL}, {NULL, 0, MEMBER_TEXT, NULL}};
static const member_t id_members[] = {
    {"metric", 0, MEMBER_COUNT, NULL}, {NULL, 0, MEMBER_TEXT, NULL}};

/* A list of structs: where its length and its items are in a head. */
typedef struct {
    const char *key;
    const member_t *members;
    size_t num_offset, items_offset, item_bytes;
} list_t;

#define LIST(key, members, num, items)                                                  \
    {                                                                                   \
        key, members, offsetof(spot_study_head_t, num),                                 \
            offsetof(spot_study_head_t, items),                                         \
            sizeof(*((spot_study_head_t *) NULL)->items)                                \
    }

static const list_t lists[] = {
    LIST("metrics", metric_members, num_metrics, metrics),
    LIST("warnings", warning_members, num_warnings, warnings),
    LIST("limits", limit_members, optimise.num_constraints, optimise.constraints),
    LIST("more_baselines", baseline_members, num_more_baselines, more_baselines),
    LIST("plot_stack", text_members, plot.num_stack, plot.stack),
    LIST("overview_parts", id_members, overview.num_parts, overview.part_ids),
    LIST("kinds", kind_members, num_kinds, kinds),
};

#define NUM_LISTS (sizeof(lists) / sizeof(lists[0]))

/* Writing. Only memory can run out, which leaves a NULL somewhere: *is_whole then. */

static void
add(cJSON *object, const char *key, cJSON *item, bool *is_whole)
{
    if (item == NULL || !cJSON_AddItemToObjectCS(object, key, item)) {
        cJSON_Delete(item);
        *is_whole = false;
    }
}

static void
write_member(
    cJSON *object, const member_t *member, const void *structure, bool *is_whole)
{
    const void *at = (const char *) structure + member->offset;
    char digits[32], number[SPOT_NUMBER_TEXT_BYTES];
    unsigned choice;
    cJSON *item = NULL;

    switch (member->kind) {
        case MEMBER_TEXT:
        case MEMBER_NAME: {
            const char *text = *(const char *const *) at;

            if (text == NULL) {
                return;
            }
            item = cJSON_CreateString(text);
            break;
        }
        case MEMBER_COUNT:
            item = cJSON_CreateNumber((double) *(const size_t *) at);
            break;
        case MEMBER_INTEGER:
            item = cJSON_CreateNumber((double) *(const int64_t *) at);
            break;
        case MEMBER_UNSIGNED:
            sqlite3_snprintf(sizeof(digits), digits, "%llu",
                (unsigned long long) *(const uint64_t *) at);
            item = cJSON_CreateString(digits);
            break;
        case MEMBER_NUMBER: /* cJSON itself may lose the last bit */
            spot_number_text(*(const double *) at, number);
            item = isfinite(*(const double *) at) ? cJSON_CreateRaw(number)
                                                  : cJSON_CreateNull();
            break;
        case MEMBER_BOOLEAN:
            item = cJSON_CreateBool(*(const bool *) at);
            break;
        case MEMBER_CHOICE:
            memcpy(&choice, at, sizeof(choice));
            item = cJSON_CreateString(member->choices[choice]);
            break;
    }
    add(object, member->key, item, is_whole);
}

static void
write_members(
    cJSON *object, const member_t *members, const void *structure, bool *is_whole)
{
    for (; members->key != NULL; members++) {
        write_member(object, members, structure, is_whole);
    }
}

static void
write_list(cJSON *object, const char *key, const member_t *members, size_t num_items,
    size_t item_bytes, const void *items, bool *is_whole)
{
    cJSON *list = cJSON_CreateArray();

    for (size_t j = 0; j < num_items; j++) {
        cJSON *item = cJSON_CreateObject();

        if (!cJSON_AddItemToArray(list, item)) {
            cJSON_Delete(item);
            *is_whole = false;
            break;
        }
        write_members(item, members, (const char *) items + j * item_bytes, is_whole);
    }
    add(object, key, list, is_whole);
}

/* "0110" */
static void
write_flags(
    cJSON *object, const char *key, size_t num_flags, const bool *flags, bool *is_whole)
{
    char *text = malloc(num_flags + 1);

    for (size_t j = 0; text != NULL && j < num_flags; j++) {
        text[j] = flags[j] ? '1' : '0';
    }
    if (text != NULL) {
        text[num_flags] = '\0';
    }
    add(object, key, text == NULL ? NULL : cJSON_CreateString(text), is_whole);
    free(text);
}

static size_t
num_sample_points(const spot_study_head_t *head)
{
    return head->plan.num_samples * (head->num_axes + 2);
}

/* "0,3,2": there may be millions. */
static void
write_sample_points(cJSON *object, const spot_study_head_t *head, bool *is_whole)
{
    sqlite3_str *text = sqlite3_str_new(NULL);
    char *result;

    for (size_t j = 0; j < num_sample_points(head); j++) {
        sqlite3_str_appendf(
            text, "%s%u", j == 0 ? "" : ",", head->plan.sample_points[j]);
    }
    result = sqlite3_str_finish(text);
    add(object, "plan_sample_points", result == NULL ? NULL : cJSON_CreateString(result),
        is_whole);
    sqlite3_free(result);
}

static void
write_kind_flags(cJSON *object, const spot_study_head_t *head, bool *is_whole)
{
    size_t kind_id = 0;
    cJSON *item;

    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(object, "kinds"))
    {
        const bool *has_metric = head->kinds[kind_id++].has_metric;

        if (has_metric != NULL) {
            write_flags(item, "has_metric", head->num_metrics, has_metric, is_whole);
        }
    }
}

static size_t
num_colours(const spot_study_head_t *head)
{
    size_t num = 0;

    while (head->colours != NULL && head->colours[num].word != NULL) {
        num++;
    }
    return num;
}

static void
write_head(cJSON *object, const spot_study_head_t *head, bool *is_whole)
{
    write_members(object, head_members, head, is_whole);
    for (size_t j = 0; j < NUM_LISTS; j++) {
        const char *start = (const char *) head;

        write_list(object, lists[j].key, lists[j].members,
            *(const size_t *) (start + lists[j].num_offset), lists[j].item_bytes,
            *(const void *const *) (start + lists[j].items_offset), is_whole);
    }
    write_list(object, "colours", colour_members, num_colours(head),
        sizeof(*head->colours), head->colours, is_whole);
    write_kind_flags(object, head, is_whole);
    if (head->best.is_asked) {
        write_flags(object, "best_is_left_out",
            head->axes[head->best.axis_id].num_values, head->best.is_left_out, is_whole);
    }
    if (head->plan.sample_points != NULL) {
        write_sample_points(object, head, is_whole);
    }
}

char *
spot_stored_head_write(const spot_study_head_t *head)
{
    cJSON *object = cJSON_CreateObject();
    bool is_whole = object != NULL;
    char *text = NULL;

    if (is_whole) {
        write_head(object, head, &is_whole);
    }
    if (is_whole) {
        text = cJSON_PrintUnformatted(object);
    }
    cJSON_Delete(object);
    return text;
}

/* Reading: 0, NO_MEMORY or BAD_INPUT. */

static bool
read_choice(const char *text, const char *const *choices, void *at)
{
    for (unsigned j = 0; choices[j] != NULL; j++) {
        if (strcmp(choices[j], text) == 0) {
            memcpy(at, &j, sizeof(j));
            return true;
        }
    }
    return false;
}

static int
read_text(const member_t *member, const char *text, void *at)
{
    char *end;

    switch (member->kind) {
        case MEMBER_TEXT:
            *(char **) at = spot_text_copy(text, strlen(text));
            return *(char **) at == NULL ? SPOT_ERR_NO_MEMORY : 0;
        case MEMBER_NAME:
            *(const char **) at = text;
            return 0;
        case MEMBER_UNSIGNED:
            *(uint64_t *) at = strtoull(text, &end, 10);
            return *end == '\0' ? 0 : SPOT_ERR_BAD_INPUT;
        default:
            return member->kind == MEMBER_CHOICE &&
                           read_choice(text, member->choices, at)
                       ? 0
                       : SPOT_ERR_BAD_INPUT;
    }
}

static int
read_number(const member_t *member, double number, void *at)
{
    const bool is_count = number >= 0 && number <= 0x1p53 && floor(number) == number;

    if (member->kind == MEMBER_NUMBER) {
        *(double *) at = number;
        return 0;
    }
    if (member->kind == MEMBER_COUNT && is_count) {
        *(size_t *) at = (size_t) number;
        return 0;
    }
    if (member->kind == MEMBER_INTEGER && is_count) {
        *(int64_t *) at = (int64_t) number;
        return 0;
    }
    return SPOT_ERR_BAD_INPUT;
}

static int
read_members(const cJSON *object, const member_t *members, void *structure)
{
    int ret = 0;

    for (; ret == 0 && members->key != NULL; members++) {
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, members->key);
        void *at = (char *) structure + members->offset;

        if (item == NULL || cJSON_IsNull(item)) {
            continue;
        }
        if (cJSON_IsString(item)) {
            ret = read_text(members, item->valuestring, at);
        } else if (cJSON_IsNumber(item)) {
            ret = read_number(members, item->valuedouble, at);
        } else if (cJSON_IsBool(item) && members->kind == MEMBER_BOOLEAN) {
            *(bool *) at = cJSON_IsTrue(item) != 0;
        } else {
            ret = SPOT_ERR_BAD_INPUT;
        }
    }
    return ret;
}

/* With room for one zeroed item behind the last. */
static int
read_list(const cJSON *object, const char *key, const member_t *members,
    size_t item_bytes, size_t *num_items, void *items)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(object, key), *item;
    char *all = spot_calloc((size_t) cJSON_GetArraySize(list) + 1, item_bytes);
    int ret = 0;

    *(void **) items = all;
    *num_items = 0;
    if (all == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    cJSON_ArrayForEach(item, list)
    {
        if (ret == 0) {
            ret = read_members(item, members, &all[(*num_items)++ * item_bytes]);
        }
    }
    return ret;
}

/* *flags: NULL where the key is missing. */
static int
read_flags(const cJSON *object, const char *key, size_t num_flags, bool **flags)
{
    const char *text =
        cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));

    if (text == NULL) {
        return 0;
    }
    if (strlen(text) != num_flags || strspn(text, "01") != num_flags) {
        return SPOT_ERR_BAD_INPUT;
    }
    *flags = spot_calloc(num_flags, sizeof(**flags));
    for (size_t j = 0; *flags != NULL && j < num_flags; j++) {
        (*flags)[j] = text[j] == '1';
    }
    return *flags == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

static int
read_sample_points(const cJSON *object, spot_study_head_t *head)
{
    const char *text = cJSON_GetStringValue(
        cJSON_GetObjectItemCaseSensitive(object, "plan_sample_points"));
    const size_t num_all = num_sample_points(head);

    if (text == NULL) {
        return 0;
    }
    if (head->plan.num_samples > MAX_LIST / (head->num_axes + 2)) {
        return SPOT_ERR_BAD_INPUT;
    }
    head->plan.sample_points = spot_calloc(num_all, sizeof(*head->plan.sample_points));
    if (head->plan.sample_points == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < num_all; j++) {
        char *end;
        const unsigned long point_id = strtoul(text, &end, 10);

        if (end == text || point_id >= head->num_points ||
            *end != (j + 1 < num_all ? ',' : '\0')) {
            return SPOT_ERR_BAD_INPUT;
        }
        head->plan.sample_points[j] = (uint32_t) point_id;
        text = end + 1;
    }
    return 0;
}

static int
read_kind_flags(const cJSON *object, spot_study_head_t *head)
{
    const cJSON *item;
    size_t kind_id = 0;
    int ret = 0;

    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(object, "kinds"))
    {
        if (ret == 0) {
            ret = read_flags(item, "has_metric", head->num_metrics,
                &head->kinds[kind_id++].has_metric);
        }
    }
    return ret;
}

/* What refers to metrics, axes and points. */
static int
read_references(const cJSON *object, spot_study_head_t *head)
{
    int ret = read_kind_flags(object, head);

    if (ret == 0 && head->best.is_asked) {
        ret =
            head->best.axis_id < head->num_axes
                ? read_flags(object, "best_is_left_out",
                      head->axes[head->best.axis_id].num_values, &head->best.is_left_out)
                : SPOT_ERR_BAD_INPUT;
    }
    return ret == 0 ? read_sample_points(object, head) : ret;
}

static bool
is_value(const spot_study_head_t *head, size_t axis_id, size_t value_id)
{
    return axis_id < head->num_axes && value_id < head->axes[axis_id].num_values;
}

static bool
is_kept(const spot_study_head_t *head, const char *metric)
{
    return spot_study_metric_id(head, metric) < head->num_metrics;
}

static bool
has_texts(const spot_study_head_t *head)
{
    for (size_t j = 0; j < head->num_metrics; j++) {
        const spot_metric_t *metric = &head->metrics[j];

        if (metric->name == NULL || metric->unit == NULL || metric->help == NULL) {
            return false;
        }
    }
    for (size_t j = 0; j < head->num_warnings; j++) {
        if (head->warnings[j].name == NULL || head->warnings[j].text == NULL) {
            return false;
        }
    }
    for (size_t j = 0; j < num_colours(head); j++) {
        if (head->colours[j].colour == NULL) {
            return false;
        }
    }
    return true;
}

static bool
is_optimise_sound(const spot_study_head_t *head)
{
    const spot_optimise_t *optimise = &head->optimise;

    for (size_t j = 0; j < optimise->num_constraints; j++) {
        if (!is_kept(head, optimise->constraints[j].metric) ||
            optimise->constraints[j].text == NULL ||
            !isfinite(optimise->constraints[j].limit)) {
            return false;
        }
    }
    return optimise->metric == NULL ||
           (is_kept(head, optimise->metric) && optimise->confidence > 0 &&
               optimise->confidence < 1 && optimise->indifference >= 0);
}

static bool
is_view_sound(const spot_study_head_t *head)
{
    for (size_t j = 0; j < head->num_more_baselines; j++) {
        if (!is_value(head, head->more_baselines[j].axis_id,
                head->more_baselines[j].value_id)) {
            return false;
        }
    }
    for (size_t j = 0; j < head->overview.num_parts; j++) {
        if (head->overview.part_ids[j] >= head->num_metrics) {
            return false;
        }
    }
    return (!head->has_baseline ||
               is_value(head, head->baseline_axis_id, head->baseline_value_id)) &&
           (!head->best.is_asked || (head->best.metric_id < head->num_metrics &&
                                        head->best.is_left_out != NULL)) &&
           head->overview.cost_id <= head->num_metrics &&
           head->overview.gain_id <= head->num_metrics;
}

static bool
are_kinds_sound(const spot_study_head_t *head)
{
    for (size_t j = 0; head->num_kinds > 0 && j < head->num_points; j++) {
        if (head->kind_ids[j] >= head->num_kinds) {
            return false;
        }
    }
    return true;
}

/* Whether the head is one that a report can be made of. */
static bool
is_sound(const spot_study_head_t *head)
{
    return head->num_replications >= 1 && head->batch_replications >= 1 &&
           head->batch_replications <= UINT16_MAX && head->num_metrics >= 1 &&
           head->num_listed <= head->num_metrics &&
           head->num_warnings <= SPOT_MAX_WARNINGS && has_texts(head) &&
           is_optimise_sound(head) && is_view_sound(head) && are_kinds_sound(head) &&
           (head->plan.kind == SPOT_PLAN_SENSITIVITY) ==
               (head->plan.sample_points != NULL);
}

static int
read_tree(const cJSON *tree, spot_study_head_t *head)
{
    char *start = (char *) head;
    size_t num_colours_read;
    int ret = read_members(tree, head_members, head);

    for (size_t j = 0; ret == 0 && j < NUM_LISTS; j++) {
        ret = read_list(tree, lists[j].key, lists[j].members, lists[j].item_bytes,
            (size_t *) (void *) (start + lists[j].num_offset),
            start + lists[j].items_offset);
    }
    if (ret == 0) {
        ret = read_list(tree, "colours", colour_members, sizeof(*head->colours),
            &num_colours_read, &head->colours);
    }
    if (ret == 0) {
        ret = read_references(tree, head);
    }
    return ret == 0 && !is_sound(head) ? SPOT_ERR_BAD_INPUT : ret;
}

int
spot_stored_head_read(spot_stored_study_t *self, spot_db_t *db, const char *text)
{
    int ret;

    self->tree = cJSON_Parse(text);
    ret = self->tree == NULL ? SPOT_ERR_BAD_INPUT : read_tree(self->tree, &self->head);
    return ret == SPOT_ERR_BAD_INPUT
               ? spot_db_damaged(db, "the head of the study is none")
               : ret;
}
