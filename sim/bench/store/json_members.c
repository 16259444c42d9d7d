/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/store/json_members.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"

/* A member of a struct that is written, read or freed. */
typedef struct {
    const spot_json_member_t *member;
    char *structure;
    char *root;
    spot_recording_t *keeper;
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

    return (place_t){list->member->members, item, list->root, list->keeper};
}

/* Whether the items of a list are values without a key. */
static bool is_plain(const place_t *list)
{
    return list->member->members->key[0] == '\0';
}

static size_t num_items(const place_t *place)
{
    const spot_json_member_t *member = place->member;
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

/* ---- Writing: NULL where memory runs out ---- */

/* text: for sqlite3_free(). */
static cJSON *write_text(char *text)
{
    cJSON *item = text == NULL ? NULL : cJSON_CreateString(text);

    sqlite3_free(text);
    return item;
}

static cJSON *write_ids(const uint32_t *ids, size_t num_ids)
{
    sqlite3_str *text = sqlite3_str_new(NULL);

    sqlite3_str_appendchar(text, num_ids == 0, ' ');
    for (size_t j = 0; j < num_ids; j++) {
        sqlite3_str_appendf(text, "%s%u", j == 0 ? "" : ",", ids[j]);
    }
    return write_text(sqlite3_str_finish(text));
}

/* cJSON itself may lose the last bit. */
static cJSON *write_number(double number)
{
    char text[SPOT_NUMBER_TEXT_BYTES];

    if (!isfinite(number)) {
        return cJSON_CreateNull();
    }
    spot_number_text(number, text);
    return cJSON_CreateRaw(text);
}

static cJSON *write_list(const place_t *place);

static cJSON *write_value(const place_t *place)
{
    const void *at = address(place);
    unsigned choice;

    switch (place->member->kind) {
        case SPOT_MEMBER_TEXT:
        case SPOT_MEMBER_NAME:
            return cJSON_CreateString(*pointer(place));
        case SPOT_MEMBER_LIST:
            return write_list(place);
        case SPOT_MEMBER_IDS:
            return write_ids(*pointer(place), num_items(place));
        case SPOT_MEMBER_COUNT:
            return write_number((double) *(const size_t *) at);
        case SPOT_MEMBER_INTEGER:
            return write_number((double) *(const int64_t *) at);
        case SPOT_MEMBER_UNSIGNED:
            return write_text(sqlite3_mprintf("%llu", (unsigned long long) *(const uint64_t *) at));
        case SPOT_MEMBER_NUMBER:
            return write_number(*(const double *) at);
        case SPOT_MEMBER_BOOLEAN:
            return cJSON_CreateBool(*(const bool *) at);
        case SPOT_MEMBER_CHOICE:
            memcpy(&choice, at, sizeof(choice));
            return cJSON_CreateString(place->member->choices[choice]);
    }
    return NULL;
}

static bool is_none(const place_t *place)
{
    const spot_json_member_t *member = place->member;
    const void *at = address(place);

    if (member->is_optional) {
        return member->kind == SPOT_MEMBER_COUNT ? *(const size_t *) at == 0 : !*(const bool *) at;
    }
    return member->kind <= SPOT_MEMBER_IDS && *pointer(place) == NULL;
}

/* Adds to an object, or to a list without a key; *parent is NULL where that fails. */
static void add(cJSON **parent, const char *key, cJSON *item)
{
    if (!(key == NULL ? cJSON_AddItemToArray(*parent, item)
                      : cJSON_AddItemToObjectCS(*parent, key, item))) {
        cJSON_Delete(item);
        cJSON_Delete(*parent);
        *parent = NULL;
    }
}

static cJSON *write_object(place_t place)
{
    cJSON *object = cJSON_CreateObject();

    for (; object != NULL && place.member->key != NULL; place.member++) {
        if (!is_none(&place)) {
            add(&object, place.member->key, write_value(&place));
        }
    }
    return object;
}

static cJSON *write_list(const place_t *place)
{
    const size_t num = num_items(place);
    cJSON *list = cJSON_CreateArray();

    for (size_t j = 0; list != NULL && j < num; j++) {
        const place_t first = item_of(place, j);

        add(&list, NULL, is_plain(place) ? write_value(&first) : write_object(first));
    }
    return list;
}

char *spot_json_members_write(const spot_json_member_t *members, const void *root)
{
    char *start = (char *) (uintptr_t) root;
    cJSON *object = write_object((place_t){members, start, start, NULL});
    char *text = object == NULL ? NULL : cJSON_PrintUnformatted(object);

    cJSON_Delete(object);
    return text;
}

/* ---- Reading: 0, NO_MEMORY or BAD_INPUT ---- */

/* Makes a pointer one to zeroed memory. */
static int take(const place_t *place, size_t num, size_t item_bytes)
{
    *pointer(place) = place->keeper == NULL ? spot_calloc(num, item_bytes)
                                            : spot_recording_keep(place->keeper, num * item_bytes);
    return *pointer(place) == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

static int read_text(const place_t *place, char *text)
{
    const size_t num_bytes = strlen(text) + 1;
    int ret;

    if (place->member->kind == SPOT_MEMBER_NAME && place->keeper == NULL) {
        *pointer(place) = text;
        return 0;
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

static int read_list(const place_t *place, const cJSON *list);

/* A key that is missing, or null. */
static int read_none(const place_t *place)
{
    const spot_json_member_t *member = place->member;
    const bool has_items = member->kind == SPOT_MEMBER_LIST && member->num_offset != 0 &&
                           !member->is_num_of_root && num_items(place) > 0;

    if (member->kind == SPOT_MEMBER_NUMBER && member->key[0] == '\0') {
        *(double *) address(place) = (double) NAN;
    }
    return member->is_needed || has_items ? SPOT_ERR_BAD_INPUT : 0;
}

/* item: NULL where there is none. */
static int read_value(const place_t *place, const cJSON *item)
{
    char *text = cJSON_IsString(item) ? item->valuestring : NULL, *end;
    const double number = cJSON_IsNumber(item) ? item->valuedouble : (double) NAN;
    void *at = address(place);
    bool is_right = false;

    if (item == NULL || cJSON_IsNull(item)) {
        return read_none(place);
    }
    switch (place->member->kind) {
        case SPOT_MEMBER_TEXT:
        case SPOT_MEMBER_NAME:
            return text == NULL ? SPOT_ERR_BAD_INPUT : read_text(place, text);
        case SPOT_MEMBER_LIST:
            return cJSON_IsArray(item) ? read_list(place, item) : SPOT_ERR_BAD_INPUT;
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
            is_right = cJSON_IsNumber(item);
            *(double *) at = number;
            break;
        case SPOT_MEMBER_BOOLEAN:
            is_right = cJSON_IsBool(item);
            *(bool *) at = cJSON_IsTrue(item);
            break;
        case SPOT_MEMBER_CHOICE:
            return text == NULL ? SPOT_ERR_BAD_INPUT : read_choice(place, text);
    }
    return is_right ? 0 : SPOT_ERR_BAD_INPUT;
}

static int read_object(place_t place, const cJSON *object)
{
    int ret = cJSON_IsObject(object) ? 0 : SPOT_ERR_BAD_INPUT;

    for (; ret == 0 && place.member->key != NULL; place.member++) {
        ret = read_value(&place, cJSON_GetObjectItemCaseSensitive(object, place.member->key));
    }
    return ret;
}

static int read_list(const place_t *place, const cJSON *list)
{
    const spot_json_member_t *member = place->member;
    const size_t num = (size_t) cJSON_GetArraySize(list);
    const cJSON *item = list->child;
    int ret = member->num_offset == 0 || num_items(place) == num
                  ? take(place, num + 1, member->item_bytes)
                  : SPOT_ERR_BAD_INPUT;

    for (size_t j = 0; ret == 0 && j < num; j++, item = item->next) {
        const place_t first = item_of(place, j);

        ret = is_plain(place) ? read_value(&first, item) : read_object(first, item);
    }
    return ret;
}

int spot_json_members_read(
    const spot_json_member_t *members, const cJSON *tree, spot_recording_t *keeper, void *root)
{
    return read_object((place_t){members, root, root, keeper}, tree);
}

/* ---- Freeing ---- */

static void free_object(place_t place)
{
    for (; place.member->key != NULL; place.member++) {
        const spot_json_member_t *member = place.member;

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

void spot_json_members_free(const spot_json_member_t *members, void *structure)
{
    free_object((place_t){members, structure, structure, NULL});
}
