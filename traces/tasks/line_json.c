/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON lines. Numbers stay text, so that no stamp passes through a double. A line ends
 * with a NUL and has no other. */
#include <ctype.h>
#include <string.h>

#include "traces/tasks/task_log_internal.h"

#define MAX_DEPTH 64

typedef struct {
    char *at, *start;
    bool is_plain, is_inner; /* within a nested value, which stays as it is */
    const char *problem;     /* at `at`; NULL: none */
} cursor_t;

const char *const spot_task_key_names[SPOT_NUM_LINE_KEYS] = {"action", "at", "host",
    "worker", "task", "dataset", "mode", "source", "target", "inputs", "actDuration",
    "waitDuration", "busyWorkers", "actionsTransmit", "actionsSubmit", "actionsPurge",
    "eventsTransmited", "eventsComputed", "eventsStarted", "ph", "name", "cat", "pid",
    "tid", "ts", "dur", "args", "task_id", "func_or_class_name", "key", "thread",
    "status", "startstops", "start", "stop"};

spot_task_key_t
spot_task_find_key(const char *name, size_t num_bytes, spot_task_key_t num_keys)
{
    spot_task_key_t j = 0;

    while (j < num_keys && (spot_task_key_names[j][0] != name[0] ||
                               strlen(spot_task_key_names[j]) != num_bytes ||
                               memcmp(spot_task_key_names[j], name, num_bytes) != 0)) {
        j++;
    }
    return j;
}

static bool
fail(cursor_t *self, const char *problem)
{
    if (self->problem == NULL) {
        self->problem = *self->at == '\0' ? "the line is cut off" : problem;
    }
    return false;
}

static void
skip_blanks(cursor_t *self)
{
    while (*self->at == ' ' || *self->at == '\t' || *self->at == '\r' ||
           *self->at == '\n') {
        self->at++;
    }
}

static bool
take(cursor_t *self, char byte, const char *problem)
{
    skip_blanks(self);
    if (*self->at != byte) {
        return fail(self, problem);
    }
    self->at++;
    return true;
}

static bool
read_hex(cursor_t *self, const char *digits, unsigned *value)
{
    *value = 0;
    for (size_t j = 0; j < 4; j++) {
        const char digit = digits[j];

        if (!isxdigit((unsigned char) digit)) {
            self->at += digit == '\0' ? (ptrdiff_t) (2 + j) : 0;
            return fail(self, "bad escape: \\u needs four hex digits");
        }
        *value = *value * 16 + (unsigned) (isdigit((unsigned char) digit)
                                               ? digit - '0'
                                               : tolower(digit) - 'a' + 10);
    }
    return true;
}

/* \uXXXX at `at`, or two that are a pair; writes UTF-8. */
static bool
read_unicode(cursor_t *self, char **to)
{
    unsigned point, low;
    char *out = *to;

    if (!read_hex(self, self->at + 2, &point)) {
        return false;
    }
    if (point == 0) {
        return fail(self, "a NUL in a text");
    }
    if (point >= 0xD800 && point < 0xE000) {
        if (point >= 0xDC00 || self->at[6] != '\\' || self->at[7] != 'u') {
            return fail(self, "bad escape: half of a surrogate pair");
        }
        if (!read_hex(self, self->at + 8, &low)) {
            return false;
        }
        if (low < 0xDC00 || low > 0xDFFF) {
            return fail(self, "bad escape: half of a surrogate pair");
        }
        point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
        self->at += 6;
    }
    self->at += 6;
    if (point < 0x80) {
        *out++ = (char) point;
    } else {
        const int num_more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
        static const unsigned heads[] = {0, 0xC0, 0xE0, 0xF0};

        *out++ = (char) (heads[num_more] | (point >> (6 * num_more)));
        for (int j = num_more - 1; j >= 0; j--) {
            *out++ = (char) (0x80 | ((point >> (6 * j)) & 0x3F));
        }
    }
    *to = out;
    return true;
}

static bool
read_escape(cursor_t *self, char **to)
{
    static const char names[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
    const char *name;

    if (self->at[1] == 'u') {
        return read_unicode(self, to);
    }
    name = self->at[1] == '\0' ? NULL : strchr(names, self->at[1]);
    if (name == NULL) {
        self->at += self->at[1] == '\0';
        return fail(self, "bad escape");
    }
    *(*to)++ = bytes[name - names];
    self->at += 2;
    return true;
}

/* The text at a quote, decoded where it stands. */
static bool
read_text(cursor_t *self, spot_task_value_t *value)
{
    char unused[8], *out = ++self->at;

    value->kind = SPOT_VALUE_TEXT;
    value->text = out;
    if (self->is_plain) {
        char *end = strchr(self->at, '"');

        self->at = end == NULL ? strchr(self->at, '\0') : end;
        out = self->at;
    }
    while (*self->at != '"') {
        out = self->is_inner ? unused : out;
        if (*self->at == '\\') {
            if (!read_escape(self, &out)) {
                return false;
            }
        } else if ((unsigned char) *self->at < 0x20) {
            return fail(self, "a control character in a text");
        } else {
            *out++ = *self->at++;
        }
    }
    self->at++;
    if (!self->is_inner) {
        value->num_bytes = (size_t) (out - value->text);
        *out = '\0';
    }
    return true;
}

static bool
read_digits(cursor_t *self)
{
    if (!isdigit((unsigned char) *self->at)) {
        return fail(self, "bad number");
    }
    while (isdigit((unsigned char) *self->at)) {
        self->at++;
    }
    return true;
}

static bool
read_number(cursor_t *self, spot_task_value_t *value)
{
    const char *start = self->at;
    bool is_good;

    self->at += *self->at == '-';
    if (*self->at == '0') {
        self->at++;
        is_good = !isdigit((unsigned char) *self->at) || fail(self, "bad number");
    } else {
        is_good = read_digits(self);
    }
    if (is_good && *self->at == '.') {
        self->at++;
        is_good = read_digits(self);
    }
    if (is_good && (*self->at == 'e' || *self->at == 'E')) {
        self->at++;
        self->at += *self->at == '+' || *self->at == '-';
        is_good = read_digits(self);
    }
    value->kind = SPOT_VALUE_NUMBER;
    value->text = start;
    value->num_bytes = (size_t) (self->at - start);
    return is_good;
}

static bool read_value(cursor_t *self, spot_task_value_t *value, int depth);

/* Whether an item of an object or list follows; false behind its end and at a problem.
 */
static bool
has_next(cursor_t *self, bool *is_first, char closing)
{
    skip_blanks(self);
    if (*self->at == closing) {
        self->at++;
        return false;
    }
    if (!*is_first &&
        !take(
            self, ',', closing == '}' ? "expected ',' or '}'" : "expected ',' or ']'")) {
        return false;
    }
    *is_first = false;
    skip_blanks(self);
    return true;
}

static bool
read_key(cursor_t *self, spot_task_value_t *key)
{
    if ((*self->at != '"' && !fail(self, "expected a key in quotes")) ||
        !read_text(self, key) || !take(self, ':', "expected ':'")) {
        return false;
    }
    skip_blanks(self);
    return true;
}

/* An object or array, whose content matters to nobody here. */
static bool
read_nested(cursor_t *self, char closing, int depth)
{
    spot_task_value_t inner;
    const bool was_inner = self->is_inner;
    bool is_first = true, is_good = true;

    if (depth == MAX_DEPTH) {
        return fail(self, "nested too deeply");
    }
    self->at++;
    self->is_inner = true;
    while (is_good && has_next(self, &is_first, closing)) {
        is_good = (closing == ']' || read_key(self, &inner)) &&
                  read_value(self, &inner, depth + 1);
    }
    self->is_inner = was_inner;
    return self->problem == NULL;
}

static bool
read_word(cursor_t *self, spot_task_value_t *value)
{
    static const char *const words[] = {"null", "true", "false"};

    for (size_t j = 0; j < 3; j++) {
        const size_t num_bytes = strlen(words[j]);
        const size_t num_there = strnlen(self->at, num_bytes);

        if (strncmp(self->at, words[j], num_there) == 0 && num_there > 0) {
            self->at += num_there;
            value->kind = j == 0 ? SPOT_VALUE_ABSENT : SPOT_VALUE_OTHER;
            return num_there == num_bytes || fail(self, "");
        }
    }
    return fail(self, "expected a value");
}

static bool
read_value(cursor_t *self, spot_task_value_t *value, int depth)
{
    char *start;
    bool is_good;

    skip_blanks(self);
    start = self->at;
    value->column = (size_t) (start - self->start) + 1;
    switch (*start) {
        case '"':
            return read_text(self, value);
        case '{':
        case '[':
            value->kind = SPOT_VALUE_OTHER;
            value->text = start;
            is_good = read_nested(self, *start == '{' ? '}' : ']', depth);
            value->num_bytes = (size_t) (self->at - start);
            return is_good;
        default:
            return *start == '-' || isdigit((unsigned char) *start)
                       ? read_number(self, value)
                       : read_word(self, value);
    }
}

/* The ids of a list of inputs, or inputs_column where it is none. */
static bool
read_ids(cursor_t *self, spot_task_text_t *line)
{
    bool is_first = true;

    self->at++;
    while (has_next(self, &is_first, ']')) {
        spot_task_value_t id = {0};

        if (!read_value(self, &id, 1)) {
            return false;
        }
        if (id.kind != SPOT_VALUE_TEXT && id.kind != SPOT_VALUE_NUMBER) {
            line->inputs_column = id.column;
        }
        if (SPOT_ARRAY_PUSH(line, inputs, id) != 0) {
            return false;
        }
    }
    return self->problem == NULL;
}

static bool
read_member(cursor_t *self, spot_task_text_t *line)
{
    spot_task_value_t key, value = {0};
    spot_task_key_t id;

    if (!read_key(self, &key)) {
        return false;
    }
    id = spot_task_find_key(key.text, key.num_bytes, line->num_keys);
    if (id == SPOT_LINE_INPUTS && *self->at == '[') {
        line->values[id] = (spot_task_value_t){
            SPOT_VALUE_OTHER, NULL, 0, (size_t) (self->at - self->start) + 1};
        line->num_inputs = line->inputs_column = 0;
        return read_ids(self, line);
    }
    if (!read_value(self, &value, 0)) {
        return false;
    }
    if (id != line->num_keys) {
        line->values[id] = value;
    }
    return true;
}

spot_task_fault_t
spot_task_split_json(spot_task_text_t *line)
{
    cursor_t self = {.at = line->text, .start = line->text, .is_plain = line->is_plain};
    bool is_first = true;

    if (take(&self, '{', "expected an object")) {
        while (has_next(&self, &is_first, '}') && read_member(&self, line)) {
        }
    }
    if (self.problem == NULL && !line->is_part) {
        skip_blanks(&self);
        if (*self.at != '\0') {
            fail(&self, "text behind the object");
        }
    }
    line->num_bytes = (size_t) (self.at - self.start);
    return (spot_task_fault_t){self.problem, line->num_bytes + 1};
}
