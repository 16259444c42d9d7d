/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON lines. Numbers stay text, so that no stamp passes through a double. A line ends
 * with a NUL and has no other. */
#include <ctype.h>
#include <string.h>

#include "traces/tasks/task_log_internal.h"

#define MAX_DEPTH 64

typedef struct {
    char *at, *start;
    bool is_plain;
    const char *problem; /* at `at`; NULL: none */
} cursor_t;

static const struct {
    const char *name;
    spot_task_key_t key;
} key_names[] = {{"at", SPOT_LINE_AT}, {"host", SPOT_LINE_HOST},
    {"task", SPOT_LINE_TASK}, {"action", SPOT_LINE_ACTION}, {"worker", SPOT_LINE_WORKER},
    {"dataset", SPOT_LINE_DATASET}, {"mode", SPOT_LINE_MODE},
    {"source", SPOT_LINE_SOURCE}, {"target", SPOT_LINE_TARGET},
    {"inputs", SPOT_LINE_INPUTS}, {"actDuration", SPOT_LINE_ACT_DURATION},
    {"waitDuration", SPOT_LINE_WAIT_DURATION}, {"busyWorkers", SPOT_LINE_BUSY_WORKERS}};

static spot_task_key_t
find_key(const char *name, size_t num_bytes)
{
    for (size_t j = 0; j < sizeof(key_names) / sizeof(key_names[0]); j++) {
        if (key_names[j].name[0] == name[0] && strlen(key_names[j].name) == num_bytes &&
            memcmp(key_names[j].name, name, num_bytes) == 0) {
            return key_names[j].key;
        }
    }
    for (size_t j = 0; j < SPOT_REPORT_COUNTERS && num_bytes > 10; j++) {
        if (strcmp(spot_task_counter_names[j], name) == 0) {
            return SPOT_LINE_COUNTERS + (spot_task_key_t) j;
        }
    }
    return SPOT_NUM_LINE_KEYS;
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
    char *out = ++self->at;

    value->kind = SPOT_VALUE_TEXT;
    value->text = out;
    if (self->is_plain) {
        char *end = strchr(self->at, '"');

        self->at = end == NULL ? strchr(self->at, '\0') : end;
        out = self->at;
    }
    while (*self->at != '"') {
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
    value->num_bytes = (size_t) (out - value->text);
    self->at++;
    *out = '\0';
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

/* An object or array, whose content matters to nobody here. */
static bool
read_nested(cursor_t *self, char closing, int depth)
{
    spot_task_value_t inner;

    if (depth == MAX_DEPTH) {
        return fail(self, "nested too deeply");
    }
    self->at++;
    skip_blanks(self);
    if (*self->at == closing) {
        self->at++;
        return true;
    }
    for (;;) {
        skip_blanks(self);
        if (closing == '}' &&
            ((*self->at != '"' && !fail(self, "expected a key in quotes")) ||
                !read_text(self, &inner) || !take(self, ':', "expected ':'"))) {
            return false;
        }
        if (!read_value(self, &inner, depth + 1)) {
            return false;
        }
        skip_blanks(self);
        if (*self->at == closing) {
            self->at++;
            return true;
        }
        if (!take(self, ',', "expected ',' or an end")) {
            return false;
        }
    }
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
    bool goes_on;

    self->at++;
    skip_blanks(self);
    goes_on = *self->at != ']';
    while (goes_on) {
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
        skip_blanks(self);
        goes_on = *self->at == ',';
        self->at += goes_on;
    }
    return take(self, ']', "expected ',' or ']'");
}

static bool
read_member(cursor_t *self, spot_task_text_t *line)
{
    spot_task_value_t key, value = {0};
    spot_task_key_t id;

    skip_blanks(self);
    if ((*self->at != '"' && !fail(self, "expected a key in quotes")) ||
        !read_text(self, &key) || !take(self, ':', "expected ':'")) {
        return false;
    }
    id = find_key(key.text, key.num_bytes);
    skip_blanks(self);
    if (id == SPOT_LINE_INPUTS && *self->at == '[') {
        line->values[id] = (spot_task_value_t){
            SPOT_VALUE_OTHER, NULL, 0, (size_t) (self->at - self->start) + 1};
        line->num_inputs = line->inputs_column = 0;
        return read_ids(self, line);
    }
    if (!read_value(self, &value, 0)) {
        return false;
    }
    if (id != SPOT_NUM_LINE_KEYS) {
        line->values[id] = value;
    }
    return true;
}

spot_task_fault_t
spot_task_split_json(spot_task_text_t *line)
{
    cursor_t self = {.at = line->text, .start = line->text, .is_plain = line->is_plain};
    bool goes_on = take(&self, '{', "expected an object");

    skip_blanks(&self);
    goes_on = goes_on && *self.at != '}';
    while (goes_on && read_member(&self, line)) {
        skip_blanks(&self);
        goes_on = *self.at == ',';
        self.at += goes_on;
    }
    if (self.problem == NULL && take(&self, '}', "expected ',' or '}'")) {
        skip_blanks(&self);
        if (*self.at != '\0') {
            fail(&self, "text behind the object");
        }
    }
    return (spot_task_fault_t){self.problem, (size_t) (self.at - self.start) + 1};
}
