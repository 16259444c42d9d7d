/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trace lines and lines of markers: a prefix of any text, the number of a process, then
 * KEY=VALUE pieces. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "traces/tasks/task_log_internal.h"

/* What stands behind "HEAD<process>:TAIL", where that is first; NULL: nowhere. */
static char *behind(const char *text, const char *head, const char *tail)
{
    const char *found = strstr(text, head);

    while (found != NULL) {
        const char *at = found + strlen(head);
        const char *digits = at;

        while (isdigit((unsigned char) *at)) {
            at++;
        }
        if (at > digits && strncmp(at, tail, strlen(tail)) == 0) {
            return (char *) (uintptr_t) (at + strlen(tail));
        }
        found = strstr(found + 1, head);
    }
    return NULL;
}

spot_task_format_t spot_task_line_format(spot_task_text_t *line)
{
    static const struct {
        const char *head, *tail;
        spot_task_format_t format;
    } kinds[] = {{".marker:", ":#", SPOT_LOG_MARKERS}, {".tracer:", ":#", SPOT_LOG_MARKERS},
        {".tracing:", ":", SPOT_LOG_TRACE}};

    line->is_microtrace = false;
    if (line->text[strspn(line->text, " \t")] == '{') {
        return SPOT_LOG_JSON;
    }
    for (size_t j = 0; j < 3; j++) {
        line->pieces = behind(line->text, kinds[j].head, kinds[j].tail);
        line->is_microtrace = j == 1;
        if (line->pieces != NULL) {
            return kinds[j].format;
        }
    }
    return SPOT_LOG_BAD;
}

static spot_task_value_t *set_value(
    spot_task_text_t *line, spot_task_key_t key, const char *text, size_t num_bytes)
{
    line->values[key] =
        (spot_task_value_t){key == SPOT_LINE_AT ? SPOT_VALUE_NUMBER : SPOT_VALUE_TEXT, text,
            num_bytes, (size_t) (text - line->text) + 1};
    return &line->values[key];
}

/* A piece without a known key belongs to the value before it. */
static bool split_pieces(spot_task_text_t *line)
{
    spot_task_value_t *value = NULL;
    const char *end;

    for (const char *at = line->pieces; at != NULL; at = *end == '\0' ? NULL : end + 1) {
        const char *equals = at + strcspn(at, "=;");
        const spot_task_key_t key =
            *equals != '=' ? SPOT_NUM_TEXT_KEYS
                           : spot_task_find_key(at, (size_t) (equals - at), SPOT_NUM_TEXT_KEYS);

        end = equals + strcspn(equals, ";");
        if (key != SPOT_NUM_TEXT_KEYS) {
            value = set_value(line, key, equals + 1, (size_t) (end - equals) - 1);
        } else if (value == NULL) {
            return false;
        } else {
            value->num_bytes = (size_t) (end - value->text);
        }
    }
    return true;
}

const char *spot_task_split_trace(spot_task_text_t *line)
{
    const char *equals = strchr(line->pieces, '=');

    line->column = (size_t) (line->pieces - line->text) + 1;
    if (!line->is_microtrace) {
        return split_pieces(line) ? NULL : "expected host=, task=, action= or another known key";
    }
    if (equals == NULL || equals == line->pieces) {
        return "expected KIND=NANOSECONDS";
    }
    set_value(line, SPOT_LINE_ACTION, line->pieces, (size_t) (equals - line->pieces));
    set_value(line, SPOT_LINE_AT, equals + 1, strlen(equals + 1));
    return NULL;
}

bool spot_task_is_text(const spot_task_value_t *value, const char *text)
{
    return value->kind != SPOT_VALUE_ABSENT && strlen(text) == value->num_bytes &&
           memcmp(text, value->text, value->num_bytes) == 0;
}

bool spot_task_is_there(const spot_task_value_t *value)
{
    return value->kind == SPOT_VALUE_TEXT || value->kind == SPOT_VALUE_NUMBER;
}

bool spot_task_decimal(const char *text, int power, int64_t *value)
{
    const bool is_negative = *text == '-';
    const char *at = text + is_negative, *end = at + strspn(at, "0123456789.");
    long place = *end == 'e' || *end == 'E' ? strtol(end + 1, NULL, 10) : 0;
    uint64_t sum = 0;

    place = place > 9999 ? 9999 : place < -9999 ? -9999 : place;
    place += power + (long) strspn(at, "0123456789"); /* digits up to the point */
    for (; place > 0 && (at < end || sum != 0); at += at < end) {
        if (at == end || *at != '.') {
            if (sum > UINT64_MAX / 10 - 1) {
                return false;
            }
            place--;
            sum = sum * 10 + (uint64_t) (at < end ? *at - '0' : 0);
        }
    }
    at += at < end && *at == '.';
    sum += place == 0 && at < end && *at >= '5';
    if (sum > (uint64_t) INT64_MAX + is_negative) {
        return false;
    }
    *value = (int64_t) (is_negative ? -sum : sum);
    return true;
}

const char *spot_task_integer(const spot_task_value_t *value, int64_t *number)
{
    const size_t sign = value->num_bytes > 0 && value->text[0] == '-';

    if (value->kind == SPOT_VALUE_OTHER || value->num_bytes == sign) {
        return "expected an integer";
    }
    if (strspn(value->text + sign, "0123456789") + sign < value->num_bytes) {
        return "expected an integer, without fraction, exponent or quotes";
    }
    return spot_task_decimal(value->text, 0, number) ? NULL : "beyond the integers of 64 bits";
}
