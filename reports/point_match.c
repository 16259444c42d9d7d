/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "base/keys.h"
#include "base/memory.h"
#include "base/units.h"
#include "reports/side_by_side.h"

/* The key that a value gets, to be read as a document. */
#define VALUE_KEY "value"

/* ---- Values ---- */

/* A number, duration or price by what it means; all other text as it is. */
static void write_scalar(const char *text, FILE *out)
{
    const char *problem;
    double number;
    int64_t duration_ms;

    if (spot_number_parse(text, &number) == 0 || spot_price_parse(text, &number, &problem) == 0) {
        fprintf(out, "%.17g", number + 0.0); /* 0 for -0 */
    } else if (spot_duration_parse(text, &duration_ms, &problem) == 0) {
        fprintf(out, "%" PRId64 " ms", duration_ms);
    } else {
        fprintf(out, "\"%s\"", text);
    }
}

/* Reads the value as a document. false: it is none. */
static bool write_tree(const char *document, FILE *out)
{
    spot_canonical_t list = {0};
    spot_diag_t diag;
    bool is_read;

    spot_diag_init(&diag);
    is_read = spot_canonical_parse(&list, VALUE_KEY, document, &diag) == 0 && list.num_entries > 0;
    for (size_t j = 0; is_read && j < list.num_entries; j++) {
        fprintf(out, "%s%s=", j > 0 ? ";" : "", list.entries[j].path);
        write_scalar(list.entries[j].text, out);
    }
    spot_canonical_free(&list);
    spot_diag_free(&diag);
    return is_read;
}

const char *spot_match_value(spot_texts_t *texts, const char *text)
{
    FILE *out = spot_texts_begin(texts);

    if (out != NULL && (strpbrk(text, "{[\"'\n") == NULL ||
                           !write_tree(spot_texts_add(texts, VALUE_KEY ": %s\n", text), out))) {
        write_scalar(text, out);
    }
    return spot_texts_end(texts, out);
}

/* ---- Keys ---- */

static size_t find_axis(const spot_study_head_t *head, const char *path)
{
    for (size_t j = 0; j < head->num_axes; j++) {
        if (strcmp(head->axes[j].path, path) == 0) {
            return j;
        }
    }
    return SPOT_NO_AXIS;
}

/* The keys of a side that are not listed yet, with what the other side fixes. */
static void list_keys(spot_point_match_t *self, const spot_match_side_t *sides, int side)
{
    const spot_study_head_t *head = sides[side].head;

    for (size_t j = 0; j < head->num_axes; j++) {
        const char *path = head->axes[j].path;
        const size_t other_id = find_axis(sides[1 - side].head, path);
        spot_match_key_t *key = &self->keys[self->num_keys];
        const char *fixed;

        if (side == SPOT_AFTER && other_id != SPOT_NO_AXIS) {
            continue;
        }
        self->num_keys++;
        key->path = path;
        key->axis_ids[side] = j;
        key->axis_ids[1 - side] = other_id;
        if (other_id == SPOT_NO_AXIS) {
            fixed = spot_canonical_get(&self->lists[1 - side], path);
            self->lacks_value = self->lacks_value || fixed == NULL;
            key->fixed = fixed == NULL ? NULL : spot_texts_add(&self->texts, "%s", fixed);
        }
    }
}

static int find_keys(spot_point_match_t *self, const spot_match_side_t *sides)
{
    spot_diag_t diag;
    int ret = 0;

    spot_diag_init(&diag);
    for (int side = 0; ret == 0 && side < SPOT_NUM_SIDES; side++) {
        if (sides[side].canonical != NULL) {
            ret =
                spot_canonical_parse(&self->lists[side], "canonical", sides[side].canonical, &diag);
        }
    }
    for (int side = 0; ret == 0 && side < SPOT_NUM_SIDES; side++) {
        list_keys(self, sides, side);
    }
    spot_diag_free(&diag);
    return ret;
}

/* ---- Points ---- */

/* Gives each point of a study a name that is the same where all values are. */
static void name_points(const spot_point_match_t *self, const spot_study_head_t *head, int side,
    spot_texts_t *texts, spot_key_t *names)
{
    for (size_t j = 0; j < head->num_points; j++) {
        FILE *out = spot_texts_begin(texts);
        const char *name;

        for (size_t k = 0; out != NULL && k < self->num_keys; k++) {
            const spot_match_key_t *key = &self->keys[k];
            const size_t axis_id = key->axis_ids[side];
            const char *value = spot_match_value(
                texts, axis_id == SPOT_NO_AXIS
                           ? key->fixed
                           : head->axes[axis_id].texts[spot_study_value_id(head, j, axis_id)]);

            fprintf(out, "%zu:%s", strlen(value), value);
        }
        name = spot_texts_end(texts, out);
        names[j] = (spot_key_t){name, strlen(name)};
    }
}

/* first_ids: [points of both] the first point that is the same. */
static int group_points(
    const spot_point_match_t *self, const spot_match_side_t *sides, size_t *first_ids)
{
    const size_t num_before = sides[SPOT_BEFORE].head->num_points;
    const size_t num_points = num_before + sides[SPOT_AFTER].head->num_points;
    spot_texts_t texts = {0};
    spot_key_t *names = spot_arena_take(&texts.arena, num_points, sizeof(*names));
    int ret = texts.arena.error;

    for (int side = 0; ret == 0 && side < SPOT_NUM_SIDES; side++) {
        name_points(
            self, sides[side].head, side, &texts, &names[side == SPOT_BEFORE ? 0 : num_before]);
        ret = texts.error;
    }
    if (ret == 0) {
        ret = spot_group_equal(names, num_points, first_ids);
    }
    spot_texts_free(&texts);
    return ret;
}

/* following: zeroed, [2][points of both]: by the first point of a group, 1 + the first
 * point of the second study in it that has no partner yet; behind these, by point of the
 * second study, 1 + the next one in its group. first_ids of those with a partner become
 * SIZE_MAX. */
static void pair_points(spot_point_match_t *self, size_t num_before, size_t num_after,
    size_t *first_ids, size_t *following)
{
    size_t *next = following + num_before + num_after;

    for (size_t j = self->lacks_value ? 0 : num_after; j-- > 0;) {
        next[j] = following[first_ids[num_before + j]];
        following[first_ids[num_before + j]] = j + 1;
    }
    for (size_t j = 0; j < num_before; j++) {
        const size_t partner = following[first_ids[j]];

        if (partner == 0) {
            self->alone_ids[SPOT_BEFORE][self->num_alone[SPOT_BEFORE]++] = j;
            continue;
        }
        self->point_ids[SPOT_BEFORE][self->num_pairs] = j;
        self->point_ids[SPOT_AFTER][self->num_pairs++] = partner - 1;
        following[first_ids[j]] = next[partner - 1];
        first_ids[num_before + partner - 1] = SIZE_MAX;
    }
    for (size_t j = 0; j < num_after; j++) {
        if (first_ids[num_before + j] != SIZE_MAX) {
            self->alone_ids[SPOT_AFTER][self->num_alone[SPOT_AFTER]++] = j;
        }
    }
}

int spot_point_match_init(spot_point_match_t *self, const spot_match_side_t sides[SPOT_NUM_SIDES])
{
    const size_t num_before = sides[SPOT_BEFORE].head->num_points;
    const size_t num_after = sides[SPOT_AFTER].head->num_points;
    spot_arena_t *arena = &self->texts.arena;
    size_t *room;
    int ret;

    memset(self, 0, sizeof(*self));
    SPOT_ARENA_ARRAY(arena, room, 3 * (num_before + num_after));
    SPOT_ARENA_ARRAY(arena, self->keys, sides[0].head->num_axes + sides[1].head->num_axes);
    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        SPOT_ARENA_ARRAY(arena, self->point_ids[side], sides[side].head->num_points);
        SPOT_ARENA_ARRAY(arena, self->alone_ids[side], sides[side].head->num_points);
    }
    ret = arena->error;
    if (ret == 0) {
        ret = find_keys(self, sides);
    }
    if (ret == 0 && !self->lacks_value) {
        ret = group_points(self, sides, room);
    }
    if (ret == 0) {
        pair_points(self, num_before, num_after, room, room + num_before + num_after);
    }
    return spot_error_first(ret, self->texts.error);
}

void spot_point_match_free(spot_point_match_t *self)
{
    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        spot_canonical_free(&self->lists[side]);
    }
    spot_texts_free(&self->texts);
    memset(self, 0, sizeof(*self));
}
