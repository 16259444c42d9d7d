/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/point_match.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/canonical.h"
#include "base/group.h"
#include "base/memory.h"
#include "base/units.h"

/* The key that a value gets, to be read as a document. */
#define VALUE_KEY "value"

/* ---- Values ---- */

/* A number, duration or price by what it means; all other text as it is. */
static void
write_scalar(const char *text, FILE *out)
{
    const char *problem;
    double number;
    int64_t duration_ms;

    if (spot_number_parse(text, &number) == 0 ||
        spot_price_parse(text, &number, &problem) == 0) {
        fprintf(out, "%.17g", number + 0.0); /* 0 for -0 */
    } else if (spot_duration_parse(text, &duration_ms, &problem) == 0) {
        fprintf(out, "%" PRId64 " ms", duration_ms);
    } else {
        fprintf(out, "\"%s\"", text);
    }
}

/* Reads the value as a document. false: it is none. */
static bool
write_tree(const char *text, FILE *out)
{
    const size_t num_bytes = strlen(text) + sizeof(VALUE_KEY ": \n");
    char *document = spot_calloc(num_bytes, 1);
    spot_canonical_t list = {0};
    spot_diag_t diag;
    bool is_read = document != NULL;

    spot_diag_init(&diag);
    if (is_read) {
        snprintf(document, num_bytes, VALUE_KEY ": %s\n", text);
        is_read = spot_canonical_parse(&list, VALUE_KEY, document, &diag) == 0 &&
                  list.num_entries > 0;
    }
    for (size_t j = 0; is_read && j < list.num_entries; j++) {
        fprintf(out, "%s%s=", j > 0 ? ";" : "", list.entries[j].path);
        write_scalar(list.entries[j].text, out);
    }
    spot_canonical_free(&list);
    spot_diag_free(&diag);
    free(document);
    return is_read;
}

char *
spot_match_value(const char *text)
{
    char *value = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&value, &num_bytes);

    if (out == NULL) {
        return NULL;
    }
    if (strpbrk(text, "{[\"'\n") == NULL || !write_tree(text, out)) {
        write_scalar(text, out);
    }
    if (fclose(out) != 0) {
        free(value);
        value = NULL;
    }
    return value;
}

/* ---- Keys ---- */

static size_t
find_axis(const spot_study_head_t *head, const char *path)
{
    for (size_t j = 0; j < head->num_axes; j++) {
        if (strcmp(head->axes[j].path, path) == 0) {
            return j;
        }
    }
    return SPOT_NO_AXIS;
}

/* The value of the key in the study that does not sweep it, which has it in one line. */
static int
find_fixed(spot_point_match_t *self, size_t key_id, const spot_canonical_t *lists)
{
    spot_match_key_t *key = &self->keys[key_id];
    const int side =
        key->axis_ids[SPOT_BEFORE] == SPOT_NO_AXIS ? SPOT_BEFORE : SPOT_AFTER;
    const char *text = spot_canonical_get(&lists[side], key->path);

    if (text == NULL) {
        self->unknown_id = key_id;
        return 0;
    }
    key->fixed = spot_text_copy(text, strlen(text));
    return key->fixed == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

static void
list_keys(spot_point_match_t *self, const spot_match_side_t *sides)
{
    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        const spot_study_head_t *head = sides[side].head;
        const spot_study_head_t *other = sides[1 - side].head;

        for (size_t j = 0; j < head->num_axes; j++) {
            const size_t other_id = find_axis(other, head->axes[j].path);

            if (side == SPOT_BEFORE || other_id == SPOT_NO_AXIS) {
                spot_match_key_t *key = &self->keys[self->num_keys++];

                key->path = head->axes[j].path;
                key->axis_ids[side] = j;
                key->axis_ids[1 - side] = other_id;
            }
        }
    }
}

static int
find_keys(spot_point_match_t *self, const spot_match_side_t *sides)
{
    spot_canonical_t lists[SPOT_NUM_SIDES] = {{0}};
    spot_diag_t diag;
    int ret = 0;

    spot_diag_init(&diag);
    self->keys = spot_calloc(
        sides[0].head->num_axes + sides[1].head->num_axes, sizeof(*self->keys));
    for (int side = 0; ret == 0 && side < SPOT_NUM_SIDES; side++) {
        if (sides[side].canonical != NULL) {
            ret = spot_canonical_parse(
                &lists[side], "canonical", sides[side].canonical, &diag);
        }
    }
    if (ret == 0 && self->keys == NULL) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    if (ret == 0) {
        list_keys(self, sides);
        self->unknown_id = self->num_keys;
    }
    for (size_t j = 0; ret == 0 && j < self->num_keys; j++) {
        if (self->keys[j].axis_ids[SPOT_BEFORE] == SPOT_NO_AXIS ||
            self->keys[j].axis_ids[SPOT_AFTER] == SPOT_NO_AXIS) {
            ret = find_fixed(self, j, lists);
        }
    }
    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        spot_canonical_free(&lists[side]);
    }
    spot_diag_free(&diag);
    return ret;
}

/* ---- Points ---- */

/* The values of a key in both studies, those of the first before those of the second. */
typedef struct {
    size_t num_values[SPOT_NUM_SIDES];
    char **texts;      /* [num_values of both] */
    size_t *first_ids; /* the first of them that is the same */
} values_t;

static void
free_values(values_t *values)
{
    for (size_t j = 0;
         values->texts != NULL && j < values->num_values[0] + values->num_values[1];
         j++) {
        free(values->texts[j]);
    }
    free(values->texts);
    free(values->first_ids);
}

static const char *
value_text(const spot_match_key_t *key, const spot_match_side_t *sides, int side,
    size_t value_id)
{
    const size_t axis_id = key->axis_ids[side];

    return axis_id == SPOT_NO_AXIS ? key->fixed
                                   : sides[side].head->axes[axis_id].texts[value_id];
}

static int
find_values(
    values_t *values, const spot_match_key_t *key, const spot_match_side_t *sides)
{
    size_t num_texts = 0, num_all = 0;
    spot_key_t *keys;
    int ret = 0;

    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        const size_t axis_id = key->axis_ids[side];

        values->num_values[side] =
            axis_id == SPOT_NO_AXIS ? 1 : sides[side].head->axes[axis_id].num_values;
        num_all += values->num_values[side];
    }
    values->texts = spot_calloc(num_all, sizeof(*values->texts));
    values->first_ids = spot_calloc(num_all, sizeof(*values->first_ids));
    keys = spot_calloc(num_all, sizeof(*keys));
    if (values->texts == NULL || values->first_ids == NULL || keys == NULL) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    for (int side = 0; ret == 0 && side < SPOT_NUM_SIDES; side++) {
        for (size_t j = 0; ret == 0 && j < values->num_values[side]; j++) {
            char *text = spot_match_value(value_text(key, sides, side, j));

            ret = text == NULL ? SPOT_ERR_NO_MEMORY : 0;
            if (ret == 0) {
                keys[num_texts] = (spot_key_t){text, strlen(text)};
                values->texts[num_texts++] = text;
            }
        }
    }
    if (ret == 0) {
        ret = spot_group_equal(keys, num_all, values->first_ids);
    }
    free(keys);
    return ret;
}

/* Fills column key_id of rows: [points of both][num_keys]. */
static int
fill_column(const spot_point_match_t *self, const spot_match_side_t *sides,
    size_t key_id, uint32_t *rows)
{
    const spot_match_key_t *key = &self->keys[key_id];
    values_t values = {.texts = NULL};
    const int ret = find_values(&values, key, sides);
    size_t row_id = 0;

    for (int side = 0; ret == 0 && side < SPOT_NUM_SIDES; side++) {
        const size_t axis_id = key->axis_ids[side];

        for (size_t j = 0; j < sides[side].head->num_points; j++) {
            const size_t value_id =
                axis_id == SPOT_NO_AXIS
                    ? 0
                    : spot_study_value_id(sides[side].head, j, axis_id);
            const size_t place =
                side == SPOT_BEFORE ? value_id : values.num_values[0] + value_id;

            rows[row_id++ * self->num_keys + key_id] =
                (uint32_t) values.first_ids[place];
        }
    }
    free_values(&values);
    return ret;
}

/* first_ids: [points of both] the first point that is the same. */
static int
group_points(
    const spot_point_match_t *self, const spot_match_side_t *sides, size_t *first_ids)
{
    const size_t num_points = sides[0].head->num_points + sides[1].head->num_points;
    uint32_t *rows = spot_calloc(num_points * self->num_keys + 1, sizeof(*rows));
    spot_key_t *keys = spot_calloc(num_points, sizeof(*keys));
    int ret = rows == NULL || keys == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (size_t j = 0; ret == 0 && j < self->num_keys; j++) {
        ret = fill_column(self, sides, j, rows);
    }
    for (size_t j = 0; ret == 0 && j < num_points; j++) {
        keys[j] =
            (spot_key_t){&rows[j * self->num_keys], self->num_keys * sizeof(*rows)};
    }
    if (ret == 0) {
        ret = spot_group_equal(keys, num_points, first_ids);
    }
    free(keys);
    free(rows);
    return ret;
}

#define NOBODY SIZE_MAX

/* partners: [num_points of the first] the point of the second, or NOBODY. waiting and
 * following: [points of both] the first of a group that has no partner yet, by the first
 * point of the group, and who comes after a point in its group. */
static void
find_partners(const size_t *first_ids, size_t num_before, size_t num_after,
    size_t *partners, size_t *waiting, size_t *following)
{
    for (size_t j = 0; j < num_before + num_after; j++) {
        waiting[j] = NOBODY;
        following[j] = NOBODY;
    }
    for (size_t j = num_before; j-- > 0;) {
        following[j] = waiting[first_ids[j]];
        waiting[first_ids[j]] = j;
        partners[j] = NOBODY;
    }
    for (size_t j = 0; j < num_after; j++) {
        const size_t first_id = first_ids[num_before + j];
        const size_t partner_id = waiting[first_id];

        if (partner_id != NOBODY) {
            partners[partner_id] = j;
            waiting[first_id] = following[partner_id];
        }
    }
}

/* is_taken: [num_after] zeroed. */
static void
fill_pairs(spot_point_match_t *self, const size_t *partners, size_t num_before,
    size_t num_after, bool *is_taken)
{
    for (size_t j = 0; j < num_before; j++) {
        if (partners[j] == NOBODY) {
            self->alone_ids[SPOT_BEFORE][self->num_alone[SPOT_BEFORE]++] = j;
        } else {
            is_taken[partners[j]] = true;
            self->point_ids[SPOT_BEFORE][self->num_pairs] = j;
            self->point_ids[SPOT_AFTER][self->num_pairs++] = partners[j];
        }
    }
    for (size_t j = 0; j < num_after; j++) {
        if (!is_taken[j]) {
            self->alone_ids[SPOT_AFTER][self->num_alone[SPOT_AFTER]++] = j;
        }
    }
}

static int
match_points(spot_point_match_t *self, const spot_match_side_t *sides)
{
    const size_t num_before = sides[SPOT_BEFORE].head->num_points;
    const size_t num_after = sides[SPOT_AFTER].head->num_points;
    const size_t num_all = num_before + num_after;
    size_t *room = spot_calloc(3 * num_all + num_before, sizeof(*room));
    size_t *partners = room == NULL ? NULL : room + 3 * num_all;
    bool *is_taken = spot_calloc(num_after, sizeof(*is_taken));
    int ret = room == NULL || is_taken == NULL ? SPOT_ERR_NO_MEMORY : 0;

    if (ret == 0 && self->unknown_id == self->num_keys) {
        ret = group_points(self, sides, room);
        if (ret == 0) {
            find_partners(room, num_before, num_after, partners, room + num_all,
                room + 2 * num_all);
        }
    } else if (ret == 0) {
        for (size_t j = 0; j < num_before; j++) {
            partners[j] = NOBODY;
        }
    }
    if (ret == 0) {
        fill_pairs(self, partners, num_before, num_after, is_taken);
    }
    free(is_taken);
    free(room);
    return ret;
}

int
spot_point_match_init(
    spot_point_match_t *self, const spot_match_side_t sides[SPOT_NUM_SIDES])
{
    int ret = 0;

    memset(self, 0, sizeof(*self));
    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        const size_t num_points = sides[side].head->num_points;

        self->point_ids[side] = spot_calloc(num_points, sizeof(size_t));
        self->alone_ids[side] = spot_calloc(num_points, sizeof(size_t));
        if (self->point_ids[side] == NULL || self->alone_ids[side] == NULL) {
            ret = SPOT_ERR_NO_MEMORY;
        }
    }
    if (ret == 0) {
        ret = find_keys(self, sides);
    }
    return ret == 0 ? match_points(self, sides) : ret;
}

void
spot_point_match_free(spot_point_match_t *self)
{
    for (size_t j = 0; j < self->num_keys; j++) {
        free(self->keys[j].fixed);
    }
    free(self->keys);
    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        free(self->point_ids[side]);
        free(self->alone_ids[side]);
    }
    memset(self, 0, sizeof(*self));
}
