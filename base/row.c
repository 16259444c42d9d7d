/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/row.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/integers.h"
#include "base/json.h"
#include "base/number.h"
#include "base/units.h"

/* ---- Fields of CSV files ---- */

/* Of an INTEGER or SMALL. */
static int64_t integer_of(const spot_row_member_t *self, const void *row)
{
    const void *value = (const char *) row + self->offset;

    spot_bug_assert(self->kind == SPOT_MEMBER_INTEGER || self->kind == SPOT_MEMBER_SMALL);
    return self->kind == SPOT_MEMBER_SMALL ? *(const int32_t *) value : *(const int64_t *) value;
}

/* The problem of an integer that is none, or outside the limits of its column. */
static const char *read_integer(const spot_row_member_t *self, const char *field, void *value,
    char text[SPOT_MEMBER_PROBLEM_BYTES])
{
    int64_t number = 0;

    if (spot_integer_parse(field, &number) != 0 || (double) number < self->min ||
        (double) number > self->max) {
        snprintf(text, SPOT_MEMBER_PROBLEM_BYTES, "expected %s from %.0f to %.0f",
            self->expected == NULL ? "an integer" : self->expected, self->min, self->max);
        return text;
    }
    if (self->kind == SPOT_MEMBER_SMALL) {
        *(int32_t *) value = (int32_t) number;
    } else {
        *(int64_t *) value = number;
    }
    return NULL;
}

/* The same of a number without a problem of its own. */
static const char *expect_number(
    const spot_row_member_t *self, char text[SPOT_MEMBER_PROBLEM_BYTES])
{
    if (self->expected != NULL || self->max == HUGE_VAL) {
        return self->expected != NULL ? self->expected : "expected a finite number";
    }
    snprintf(text, SPOT_MEMBER_PROBLEM_BYTES, "expected a number from %.15g to %.15g", self->min,
        self->max);
    return text;
}

/* The same of a number, or of what is made of one. */
static const char *read_number(const spot_row_member_t *self, const char *field, void *value,
    char text[SPOT_MEMBER_PROBLEM_BYTES])
{
    const bool is_seconds = self->kind == SPOT_MEMBER_SECONDS;
    double number = 0;
    int64_t ms = 0;

    if (spot_number_parse(field, &number) != 0 ||
        (is_seconds ? number <= 0 : number < self->min || number > self->max)) {
        return expect_number(self, text);
    }
    if (self->kind == SPOT_MEMBER_ROUNDED) {
        *(int64_t *) value = llrint(number);
    } else if (self->kind != SPOT_MEMBER_MS) {
        *(double *) value = number;
    }
    if ((is_seconds || self->kind == SPOT_MEMBER_MS) && spot_duration_from_s(number, &ms) != 0) {
        return is_seconds ? "expected at most 100 years in seconds" : self->expected;
    }
    if (self->kind == SPOT_MEMBER_MS) {
        *(int64_t *) value = ms;
    }
    return NULL;
}

const char *spot_member_read(const spot_row_member_t *self, const char *field, void *row,
    char text[SPOT_MEMBER_PROBLEM_BYTES])
{
    void *value = (char *) row + self->offset;

    if (self->kind == SPOT_MEMBER_IGNORED || (self->may_be_empty && field[0] == '\0')) {
        return NULL;
    }
    switch (self->kind) {
        case SPOT_MEMBER_TEXT:
            *(const char **) value = field;
            return NULL;
        case SPOT_MEMBER_INTEGER:
        case SPOT_MEMBER_SMALL:
            return read_integer(self, field, value, text);
        case SPOT_MEMBER_NUMBER:
        case SPOT_MEMBER_ROUNDED:
        case SPOT_MEMBER_SECONDS:
        case SPOT_MEMBER_MS:
            return read_number(self, field, value, text);
        default:
            spot_bug_assert(self->kind == SPOT_MEMBER_CHOICE); /* the others are of JSON */
    }
    for (int j = 0; self->choices[j] != NULL; j++) {
        if (strcmp(field, self->choices[j]) == 0) {
            *(int *) value = j;
            return NULL;
        }
    }
    return self->expected;
}

bool spot_member_write(const spot_row_member_t *self, const void *row, const void *none, FILE *out)
{
    const void *value = (const char *) row + self->offset;
    char text[SPOT_NUMBER_TEXT_BYTES] = "";

    if (self->kind == SPOT_MEMBER_TEXT) {
        const char *word = *(const char *const *) value;

        if (word != NULL && out != NULL) {
            spot_csv_field_text(out, word);
        }
        return word != NULL && word[0] != '\0';
    }
    if (self->kind == SPOT_MEMBER_NUMBER) {
        if (!isnan(*(const double *) value)) {
            spot_number_text(*(const double *) value, text);
        }
    } else if (integer_of(self, row) != integer_of(self, none)) {
        snprintf(text, sizeof(text), "%" PRId64, integer_of(self, row));
    }
    if (out != NULL) {
        fputs(text, out);
    }
    return text[0] != '\0';
}

double spot_member_number(const spot_row_member_t *self, const void *row)
{
    const bool is_number = self->kind == SPOT_MEMBER_NUMBER;
    const int64_t integer = is_number ? 0 : integer_of(self, row);

    return is_number     ? *(const double *) (const void *) ((const char *) row + self->offset)
           : integer < 0 ? (double) NAN
                         : (double) integer;
}

/* ---- JSON ---- */

/* A member of a struct that is written, read or freed. */
typedef struct {
    const spot_row_member_t *member;
    char *structure;
    char *root;
    spot_arena_t *keeper; /* of all that is read; or NULL, and then */
    spot_arena_t *names;  /* of names */
} place_t;

static void *address(const place_t *place)
{
    return place->structure + place->member->offset;
}

/* The same for a member that is a pointer. */
static void **pointer(const place_t *place)
{
    return address(place);
}

/* The first member of an item of a list. */
static place_t item_of(const place_t *list, size_t item_id)
{
    char *item = (char *) *pointer(list) + item_id * list->member->item_bytes;

    return (place_t){list->member->members, item, list->root, list->keeper, list->names};
}

/* Whether the items of a list are values without a key. */
static bool is_plain(const place_t *list)
{
    return list->member->members->name[0] == '\0';
}

static size_t num_items(const place_t *place)
{
    const spot_row_member_t *member = place->member;
    const char *start = member->is_num_of_root ? place->root : place->structure;
    size_t num = 0;

    if (member->num_offset != 0) {
        return *(const size_t *) (const void *) (start + member->num_offset);
    }
    while (*(void **) (void *) item_of(place, num).structure != NULL) {
        num++;
    }
    return num;
}

/* ---- Writing ---- */

static void write_text(FILE *out, const char *text)
{
    static const char bytes[] = "\"\\\b\f\n\r\t", names[] = "\"\\bfnrt";

    putc('"', out);
    for (; *text != '\0'; text++) {
        const char *found = strchr(bytes, *text);

        if (found != NULL) {
            fprintf(out, "\\%c", names[found - bytes]);
        } else if ((unsigned char) *text < 0x20) {
            fprintf(out, "\\u%04x", (unsigned) *text);
        } else {
            putc(*text, out);
        }
    }
    putc('"', out);
}

static void write_ids(FILE *out, const uint32_t *ids, size_t num_ids)
{
    fputs(num_ids == 0 ? "\" " : "\"", out);
    for (size_t j = 0; j < num_ids; j++) {
        fprintf(out, "%s%" PRIu32, j == 0 ? "" : ",", ids[j]);
    }
    putc('"', out);
}

static void write_number(FILE *out, double number)
{
    char text[SPOT_NUMBER_TEXT_BYTES] = "null";

    if (isfinite(number)) {
        spot_number_text(number, text);
    }
    fputs(text, out);
}

static void write_list(FILE *out, const place_t *place);

static void write_value(FILE *out, const place_t *place)
{
    const void *at = address(place);
    unsigned choice;

    switch (place->member->kind) {
        case SPOT_MEMBER_TEXT:
        case SPOT_MEMBER_NAME:
            write_text(out, *pointer(place));
            break;
        case SPOT_MEMBER_LIST:
            write_list(out, place);
            break;
        case SPOT_MEMBER_IDS:
            write_ids(out, *pointer(place), num_items(place));
            break;
        case SPOT_MEMBER_COUNT:
            write_number(out, (double) *(const size_t *) at);
            break;
        case SPOT_MEMBER_INTEGER:
            write_number(out, (double) *(const int64_t *) at);
            break;
        case SPOT_MEMBER_UNSIGNED:
            fprintf(out, "\"%" PRIu64 "\"", *(const uint64_t *) at);
            break;
        case SPOT_MEMBER_NUMBER:
            write_number(out, *(const double *) at);
            break;
        case SPOT_MEMBER_BOOLEAN:
            fputs(*(const bool *) at ? "true" : "false", out);
            break;
        case SPOT_MEMBER_CHOICE:
            memcpy(&choice, at, sizeof(choice));
            write_text(out, place->member->choices[choice]);
            break;
        default: /* the kinds of CSV files */
            spot_bug_assert(false);
    }
}

static bool is_none(const place_t *place)
{
    const spot_row_member_t *member = place->member;
    const void *at = address(place);

    if (member->is_optional) {
        return member->kind == SPOT_MEMBER_COUNT ? *(const size_t *) at == 0 : !*(const bool *) at;
    }
    return member->kind <= SPOT_MEMBER_IDS && *pointer(place) == NULL;
}

static void write_object(FILE *out, place_t place)
{
    const char *between = "";

    putc('{', out);
    for (; place.member->name != NULL; place.member++) {
        if (!is_none(&place)) {
            fprintf(out, "%s\"%s\":", between, place.member->name);
            write_value(out, &place);
            between = ",";
        }
    }
    putc('}', out);
}

static void write_list(FILE *out, const place_t *place)
{
    const size_t num = num_items(place);

    putc('[', out);
    for (size_t j = 0; j < num; j++) {
        const place_t first = item_of(place, j);

        fputs(j == 0 ? "" : ",", out);
        if (is_plain(place)) {
            write_value(out, &first);
        } else {
            write_object(out, first);
        }
    }
    putc(']', out);
}

char *spot_row_write_json(const spot_row_member_t *members, const void *root)
{
    char *start = (char *) (uintptr_t) root, *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    if (out == NULL) {
        return NULL;
    }
    write_object(out, (place_t){members, start, start, NULL, NULL});
    if (ferror(out) | fclose(out)) { /* it is closed in any case */
        free(text);
        return NULL;
    }
    return text;
}

/* ---- Reading: 0, NO_MEMORY or BAD_INPUT ---- */

/* Makes a pointer one to zeroed memory. */
static int take(const place_t *place, size_t num, size_t item_bytes)
{
    *pointer(place) = place->keeper == NULL ? spot_calloc(num, item_bytes)
                                            : spot_arena_take(place->keeper, num, item_bytes);
    return *pointer(place) == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

static int read_text(const place_t *place, const char *text)
{
    const size_t num_bytes = strlen(text) + 1;
    spot_arena_t *arena = place->keeper != NULL                     ? place->keeper
                          : place->member->kind == SPOT_MEMBER_NAME ? place->names
                                                                    : NULL;
    int ret;

    if (arena != NULL) {
        *pointer(place) = spot_arena_text(arena, text);
        return arena->error;
    }
    ret = take(place, num_bytes, 1);
    if (ret == 0) {
        memcpy(*pointer(place), text, num_bytes);
    }
    return ret;
}

static bool is_below(const place_t *place, double number)
{
    const size_t below = place->member->below;

    return number >= 0 && number <= 0x1p53 && floor(number) == number &&
           (below == 0 || number < (double) *(size_t *) (void *) (place->root + below));
}

static int read_ids(const place_t *place, const char *text)
{
    const size_t num_ids = num_items(place);
    uint32_t *ids;
    int ret = num_ids <= strlen(text) ? take(place, num_ids, sizeof(*ids)) : SPOT_ERR_BAD_INPUT;

    ids = *pointer(place);
    for (size_t j = 0; ret == 0 && j < num_ids; j++) {
        char *end;
        const unsigned long id = strtoul(text, &end, 10);

        ids[j] = (uint32_t) id;
        ret = end == text || id > UINT32_MAX || !is_below(place, (double) id) ||
                      *end != (j + 1 < num_ids ? ',' : '\0')
                  ? SPOT_ERR_BAD_INPUT
                  : 0;
        text = end + 1;
    }
    return ret;
}

static int read_choice(const place_t *place, const char *text)
{
    const char *const *choices = place->member->choices;
    unsigned choice = 0;

    while (choices[choice] != NULL && strcmp(choices[choice], text) != 0) {
        choice++;
    }
    memcpy(address(place), &choice, sizeof(choice));
    return choices[choice] == NULL ? SPOT_ERR_BAD_INPUT : 0;
}

static int read_list(const place_t *place, const spot_json_value_t *list);

/* A key that is missing, or null. */
static int read_none(const place_t *place)
{
    const spot_row_member_t *member = place->member;
    const bool has_items = member->kind == SPOT_MEMBER_LIST && member->num_offset != 0 &&
                           !member->is_num_of_root && num_items(place) > 0;

    if (member->kind == SPOT_MEMBER_NUMBER && member->name[0] == '\0') {
        *(double *) address(place) = (double) NAN;
    }
    return member->is_needed || has_items ? SPOT_ERR_BAD_INPUT : 0;
}

static bool is_the_word(const spot_json_value_t *item, const char *word)
{
    return item->kind == SPOT_JSON_WORD && strcmp(item->text, word) == 0;
}

/* item: NULL where there is none. */
static int read_value(const place_t *place, const spot_json_value_t *item)
{
    const char *text = item != NULL && item->kind == SPOT_JSON_TEXT ? item->text : NULL, *behind;
    char *end;
    double number = (double) NAN;
    void *at = address(place);
    bool is_right = false;

    if (item == NULL || is_the_word(item, "null")) {
        return read_none(place);
    }
    if (item->kind == SPOT_JSON_WORD) {
        behind = spot_number_read(item->text, &number);
        is_right = behind != NULL && *behind == '\0';
        number = is_right ? number : (double) NAN;
    }
    switch (place->member->kind) {
        case SPOT_MEMBER_TEXT:
        case SPOT_MEMBER_NAME:
            return text == NULL ? SPOT_ERR_BAD_INPUT : read_text(place, text);
        case SPOT_MEMBER_LIST:
            return read_list(place, item);
        case SPOT_MEMBER_IDS:
            return text == NULL ? SPOT_ERR_BAD_INPUT : read_ids(place, text);
        case SPOT_MEMBER_COUNT:
            is_right = is_below(place, number);
            *(size_t *) at = is_right ? (size_t) number : 0;
            break;
        case SPOT_MEMBER_INTEGER:
            is_right = is_below(place, number);
            *(int64_t *) at = is_right ? (int64_t) number : 0;
            break;
        case SPOT_MEMBER_UNSIGNED:
            *(uint64_t *) at = text == NULL ? 0 : strtoull(text, &end, 10);
            is_right = text != NULL && *end == '\0';
            break;
        case SPOT_MEMBER_NUMBER:
            *(double *) at = number;
            break;
        case SPOT_MEMBER_BOOLEAN:
            *(bool *) at = is_the_word(item, "true");
            is_right = *(bool *) at || is_the_word(item, "false");
            break;
        case SPOT_MEMBER_CHOICE:
            return text == NULL ? SPOT_ERR_BAD_INPUT : read_choice(place, text);
        default: /* the kinds of CSV files */
            spot_bug_assert(false);
    }
    return is_right ? 0 : SPOT_ERR_BAD_INPUT;
}

static int read_object(place_t place, const spot_json_value_t *object)
{
    int ret = object->kind == SPOT_JSON_OPEN_OBJECT ? 0 : SPOT_ERR_BAD_INPUT;

    for (; ret == 0 && place.member->name != NULL; place.member++) {
        ret = read_value(&place, spot_json_member(object, place.member->name));
    }
    return ret;
}

static int read_list(const place_t *place, const spot_json_value_t *list)
{
    const spot_row_member_t *member = place->member;
    const spot_json_value_t *item = list->first;
    size_t num = 0;
    int ret = list->kind == SPOT_JSON_OPEN_ARRAY ? 0 : SPOT_ERR_BAD_INPUT;

    for (; item != NULL; item = item->next) {
        num++;
    }
    if (ret == 0) {
        ret = member->num_offset == 0 || num_items(place) == num
                  ? take(place, num + 1, member->item_bytes)
                  : SPOT_ERR_BAD_INPUT;
    }
    item = list->first;
    for (size_t j = 0; ret == 0 && j < num; j++, item = item->next) {
        const place_t first = item_of(place, j);

        ret = is_plain(place) ? read_value(&first, item) : read_object(first, item);
    }
    return ret;
}

int spot_row_read_json(const spot_row_member_t *members, const char *text, spot_arena_t *keeper,
    spot_arena_t *names, void *root)
{
    spot_arena_t arena = {.error = 0};
    spot_json_value_t *tree;
    int ret = spot_json_parse(text, &arena, &tree);

    ret = ret == 0 ? read_object((place_t){members, root, root, keeper, names}, tree) : ret;
    spot_arena_free(&arena);
    return ret;
}

/* ---- Freeing ---- */

static void free_object(place_t place)
{
    for (; place.member->name != NULL; place.member++) {
        const spot_row_member_t *member = place.member;

        if (member->kind > SPOT_MEMBER_IDS || member->kind == SPOT_MEMBER_NAME ||
            member->is_borrowed || *pointer(&place) == NULL) {
            continue;
        }
        /* Plain numbers own nothing, and a root may be without their number. */
        if (member->kind == SPOT_MEMBER_LIST &&
            !(is_plain(&place) && member->members->kind > SPOT_MEMBER_IDS)) {
            for (size_t num = num_items(&place); num > 0; num--) {
                free_object(item_of(&place, num - 1));
            }
        }
        free(*pointer(&place));
    }
}

void spot_row_free(const spot_row_member_t *members, void *structure)
{
    free_object((place_t){members, structure, structure, NULL, NULL});
}
