/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trace lines and lines of markers: a prefix of any text, the number of a process, then
 * KEY=VALUE pieces. */
#include <ctype.h>
#include <string.h>

#include "traces/tasks/task_log_internal.h"

/* What stands behind "HEAD<process>:TAIL", where that is first; NULL: nowhere. */
static char *
behind(const char *text, const char *head, const char *tail)
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

static char *
pieces_of(const char *text, spot_task_format_t *format, bool *is_mark)
{
    char *pieces = behind(text, ".marker:", ":#");

    *is_mark = false;
    *format = SPOT_LOG_MARKERS;
    if (pieces == NULL) {
        pieces = behind(text, ".tracer:", ":#");
        *is_mark = pieces != NULL;
    }
    if (pieces == NULL) {
        pieces = behind(text, ".tracing:", ":");
        *format = SPOT_LOG_TRACE;
    }
    return pieces;
}

spot_task_format_t
spot_task_line_format(const char *text)
{
    spot_task_format_t format;
    bool is_mark;

    text += strspn(text, " \t");
    if (*text == '{') {
        return SPOT_LOG_JSON;
    }
    return pieces_of(text, &format, &is_mark) == NULL ? SPOT_LOG_BAD : format;
}

/* A piece without a known key belongs to the value before it. */
static bool
split_pieces(spot_task_text_t *line, char *at)
{
    spot_task_value_t *value = NULL;

    while (at != NULL) {
        char *end = strchr(at, ';');
        const size_t num_bytes = end == NULL ? strlen(at) : (size_t) (end - at);
        const char *equals = memchr(at, '=', num_bytes);
        const spot_task_key_t key =
            equals == NULL
                ? SPOT_NUM_TEXT_KEYS
                : spot_task_find_key(at, (size_t) (equals - at), SPOT_NUM_TEXT_KEYS);

        if (key != SPOT_NUM_TEXT_KEYS) {
            value = &line->values[key];
            *value = (spot_task_value_t){SPOT_VALUE_TEXT, equals + 1,
                num_bytes - (size_t) (equals - at) - 1,
                (size_t) (equals + 1 - line->text) + 1};
        } else if (value == NULL) {
            return false;
        } else {
            value->num_bytes = (size_t) (at - value->text) + num_bytes;
        }
        at = end == NULL ? NULL : end + 1;
    }
    line->values[SPOT_LINE_AT].kind = line->values[SPOT_LINE_AT].kind == SPOT_VALUE_TEXT
                                          ? SPOT_VALUE_NUMBER
                                          : SPOT_VALUE_ABSENT;
    return true;
}

spot_task_fault_t
spot_task_split_trace(spot_task_text_t *line)
{
    spot_task_format_t format;
    char *at = pieces_of(line->text, &format, &line->is_microtrace);
    char *equals;

    if (at == NULL) {
        return (spot_task_fault_t){"neither an object nor a trace line", 0};
    }
    if (line->is_microtrace) {
        equals = strchr(at, '=');
        if (equals == NULL || equals == at) {
            return (spot_task_fault_t){
                "expected KIND=NANOSECONDS", (size_t) (at - line->text) + 1};
        }
        line->values[SPOT_LINE_ACTION] = (spot_task_value_t){
            SPOT_VALUE_TEXT, at, (size_t) (equals - at), (size_t) (at - line->text) + 1};
        line->values[SPOT_LINE_AT] = (spot_task_value_t){SPOT_VALUE_NUMBER, equals + 1,
            strlen(equals + 1), (size_t) (equals + 1 - line->text) + 1};
        return (spot_task_fault_t){0};
    }
    if (!split_pieces(line, at)) {
        return (spot_task_fault_t){"expected host=, task=, action= or another known key",
            (size_t) (at - line->text) + 1};
    }
    return (spot_task_fault_t){0};
}

const char *
spot_task_integer(const char *text, size_t num_bytes, int64_t *value)
{
    const bool is_negative = num_bytes > 0 && text[0] == '-';
    int64_t sum = 0;

    if (num_bytes == (size_t) is_negative) {
        return "expected an integer";
    }
    for (size_t j = is_negative; j < num_bytes; j++) {
        if (!isdigit((unsigned char) text[j])) {
            return "expected an integer, without fraction, exponent or quotes";
        }
        if (__builtin_mul_overflow(sum, 10, &sum) ||
            __builtin_sub_overflow(sum, text[j] - '0', &sum)) {
            return "beyond the integers of 64 bits";
        }
    }
    if (!is_negative && sum == INT64_MIN) {
        return "beyond the integers of 64 bits";
    }
    *value = is_negative ? sum : -sum;
    return NULL;
}
