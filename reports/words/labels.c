/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What tables and pictures call the values of a swept key. */

#include <string.h>

#include "base/utf8.h"
#include "reports/words.h"

/* Beyond these whole texts are shown. */
#define MAX_VALUES 1000
#define MAX_ITEMS 32

typedef struct {
    const char *text;
    size_t num_bytes;
} span_t;

/* A value as YAML on one line: a map, or a scalar, which is short for a map with the
 * first key alone. */
typedef struct {
    bool is_map;
    span_t key;  /* the first one; of a map */
    span_t name; /* its value, or the scalar */
    size_t num_items;
    span_t items[MAX_ITEMS]; /* [num_items] the others, "detection: 30 s" */
} value_t;

static size_t chars_of(const char *text)
{
    return spot_utf8_count(text, strlen(text));
}

static bool is_same(span_t a, span_t b)
{
    return a.num_bytes == b.num_bytes && memcmp(a.text, b.text, a.num_bytes) == 0;
}

/* Behind the text in quotes that starts at place. */
static const char *skip_quoted(const char *place, const char *end)
{
    place++;
    while (place < end && *place != '"') {
        place += *place == '\\' && place + 1 < end ? 2 : 1;
    }
    return place < end ? place + 1 : end;
}

/* What stands before the next comma that is neither in brackets nor in quotes. */
static span_t next_item(const char *text, const char *end)
{
    const char *place = text;
    int depth = 0;

    while (place < end && (depth > 0 || *place != ',')) {
        depth += *place == '{' || *place == '[';
        depth -= *place == '}' || *place == ']';
        place = *place == '"' ? skip_quoted(place, end) : place + 1;
    }
    return (span_t){text, (size_t) (place - text)};
}

/* "system: checkpoint" into its two parts; false: it has no colon. */
static bool split_item(span_t item, span_t *key, span_t *value)
{
    const char *colon = memchr(item.text, ':', item.num_bytes);

    if (colon == NULL || colon + 2 >= item.text + item.num_bytes || colon[1] != ' ') {
        return false;
    }
    *key = (span_t){item.text, (size_t) (colon - item.text)};
    *value = (span_t){colon + 2, (size_t) (item.text + item.num_bytes - (colon + 2))};
    return true;
}

/* false: it is not to be shortened. */
static bool read_value(const char *text, value_t *value)
{
    const size_t num_bytes = strlen(text);
    const char *end;
    span_t item;

    *value = (value_t){.name = {text, num_bytes}};
    if (num_bytes < 2 || text[0] != '{' || text[num_bytes - 1] != '}') {
        return true;
    }
    end = text + num_bytes - 1;
    value->is_map = true;
    item = next_item(text + 1, end);
    if (!split_item(item, &value->key, &value->name)) {
        return false;
    }
    while (item.text + item.num_bytes + 1 < end) {
        item = next_item(item.text + item.num_bytes + 1, end);
        if (item.num_bytes < 2 || item.text[0] != ' ' || value->num_items == MAX_ITEMS) {
            return false;
        }
        value->items[value->num_items++] = (span_t){item.text + 1, item.num_bytes - 1};
    }
    return true;
}

static bool has_item(const value_t *value, span_t item)
{
    for (size_t j = 0; j < value->num_items; j++) {
        if (is_same(value->items[j], item)) {
            return true;
        }
    }
    return false;
}

/* Marks the options of a value that another one with its name has not. false: nothing
 * tells the two apart. */
static bool tell_apart(const value_t *value, const value_t *other, bool *is_telling)
{
    bool is_other = value->num_items != other->num_items;

    for (size_t j = 0; j < value->num_items; j++) {
        if (!has_item(other, value->items[j])) {
            is_telling[j] = true;
            is_other = true;
        }
    }
    return is_other;
}

/* Finds what of a value is to be shown; false: all of it. */
static bool find_telling(const spot_axis_t *axis, size_t value_id, value_t *value, bool *is_telling)
{
    if (axis->num_values > MAX_VALUES || !read_value(axis->texts[value_id], value) ||
        !value->is_map) {
        return false;
    }
    for (size_t j = 0; j < axis->num_values; j++) {
        value_t other;

        if (j == value_id) {
            continue;
        }
        if (!read_value(axis->texts[j], &other) ||
            (other.is_map && !is_same(other.key, value->key)) ||
            (is_same(other.name, value->name) && !tell_apart(value, &other, is_telling))) {
            return false;
        }
    }
    return true;
}

static size_t num_lacking(const value_t *value, const value_t *other)
{
    size_t num = 0;

    for (size_t j = 0; j < other->num_items; j++) {
        num += !has_item(value, other->items[j]);
    }
    return num;
}

/* The value of this name with the most options, the first of several. *has_all: those of
 * all values of this name. All values can be read. */
static value_t longest_of(const spot_axis_t *axis, span_t name, bool *has_all)
{
    value_t longest = {.num_items = 0}, other;

    for (size_t j = 0; j < axis->num_values; j++) {
        if (read_value(axis->texts[j], &other) && is_same(other.name, name) &&
            other.num_items > longest.num_items) {
            longest = other;
        }
    }
    *has_all = true;
    for (size_t j = 0; j < axis->num_values; j++) {
        if (read_value(axis->texts[j], &other) && is_same(other.name, name)) {
            *has_all = *has_all && num_lacking(&longest, &other) == 0;
        }
    }
    return longest;
}

/* What a value lacks of the longest of its name: "varuna without f, g". NULL: it has
 * options that the longest has not, or a name that could be mistaken for such a label;
 * or it lacks more than num_told options and the label is to be cut. */
static const char *lacking_label(
    spot_texts_t *texts, const spot_axis_t *axis, const value_t *value, size_t num_told)
{
    const char *before = " without ", *text;
    bool has_all;
    const value_t longest = longest_of(axis, value->name, &has_all);
    const size_t num = num_lacking(value, &longest);

    if (memchr(value->name.text, ' ', value->name.num_bytes) != NULL ||
        num_lacking(&longest, value) > 0 || (num == 0 && !has_all)) {
        return NULL;
    }
    text = spot_texts_add(texts, "%.*s%s", (int) value->name.num_bytes, value->name.text,
        num == 0 ? " with all options" : "");
    for (size_t j = 0; j < longest.num_items; j++) {
        span_t key, option;

        if (has_item(value, longest.items[j])) {
            continue;
        }
        if (!split_item(longest.items[j], &key, &option)) {
            return NULL;
        }
        text = spot_texts_add(texts, "%s%s%.*s", text, before, (int) key.num_bytes, key.text);
        before = ", ";
    }
    return num <= num_told || chars_of(text) <= SPOT_UTF8_SHOWN_CHARS ? text : NULL;
}

/* The label before it is cut. *is_part: it lacks options. */
static const char *whole_label(
    spot_texts_t *texts, const spot_axis_t *axis, size_t value_id, bool *is_part)
{
    bool is_telling[MAX_ITEMS] = {false};
    const char *text, *lacking;
    size_t num_told = 0;
    value_t value;

    *is_part = false;
    if (!find_telling(axis, value_id, &value, is_telling)) {
        return axis->texts[value_id];
    }
    text = spot_texts_add(texts, "%.*s", (int) value.name.num_bytes, value.name.text);
    for (size_t j = 0; j < value.num_items; j++) {
        if (is_telling[j]) {
            text = spot_texts_add(
                texts, "%s, %.*s", text, (int) value.items[j].num_bytes, value.items[j].text);
        }
        num_told += is_telling[j];
        *is_part = *is_part || !is_telling[j];
    }
    lacking = chars_of(text) > SPOT_UTF8_SHOWN_CHARS ? lacking_label(texts, axis, &value, num_told)
                                                     : NULL;
    *is_part = *is_part || lacking != NULL;
    return lacking != NULL ? lacking : text;
}

/* Bytes of the first characters of a text, of which there are so many at least. */
static size_t first_bytes(const char *text, size_t num_characters)
{
    size_t num_bytes = 0;

    for (size_t j = 0; j < num_characters; j++) {
        const size_t length = spot_utf8_length(text + num_bytes, strlen(text + num_bytes));

        num_bytes += length == 0 ? 1 : length;
    }
    return num_bytes;
}

/* *is_part: what it says is not all. */
static const char *label_of(
    spot_texts_t *texts, const spot_axis_t *axis, size_t value_id, bool *is_part)
{
    const char *whole = whole_label(texts, axis, value_id, is_part), *number;

    if (chars_of(whole) <= SPOT_UTF8_SHOWN_CHARS) {
        return spot_words_shown(texts, whole);
    }
    *is_part = true;
    number = spot_texts_add(texts, "... (%zu)", value_id + 1);
    whole = spot_texts_add(
        texts, "%.*s", (int) first_bytes(whole, SPOT_UTF8_SHOWN_CHARS - strlen(number)), whole);
    return spot_texts_add(texts, "%s%s", spot_words_shown(texts, whole), number);
}

const char *spot_words_label(spot_texts_t *texts, const spot_axis_t *axis, size_t value_id)
{
    bool is_part;

    return label_of(texts, axis, value_id, &is_part);
}

const char *spot_words_explained(spot_texts_t *texts, const spot_axis_t *axis, size_t value_id)
{
    const char *whole = axis->texts[value_id], *label = "";
    bool is_part = false;

    if (whole[0] == '{' || strlen(whole) > SPOT_UTF8_SHOWN_CHARS) {
        label = label_of(texts, axis, value_id, &is_part);
    } /* else a short scalar, which is all there is */
    return is_part ? spot_texts_add(texts, "%s: %s is %s", axis->path, label, whole) : NULL;
}
