/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/trace_header.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "traces/names.h"

typedef struct {
    spot_trace_header_t *found;
    spot_trace_t *trace;
    const char *file;
    spot_diag_t *diag;
    spot_names_t keys; /* met so far, on faulty lines too */
    size_t max_key_lines;
    size_t *key_lines; /* [keys.num_names] where first */
} header_t;

/* The parts of "# key: value". */
typedef struct {
    const char *key;
    size_t key_bytes;
    const char *value; /* without blanks around it */
    size_t value_bytes;
} parts_t;

static bool
is_number(const char **text, int num_digits, int low, int high, int *number)
{
    *number = 0;
    for (int j = 0; j < num_digits; j++) {
        if (**text < '0' || **text > '9') {
            return false;
        }
        *number = 10 * *number + (**text - '0');
        (*text)++;
    }
    return *number >= low && *number <= high;
}

static bool
is_byte(const char **text, char byte)
{
    const bool is_there = **text == byte;

    *text += is_there;
    return is_there;
}

static bool
is_date(const char **text)
{
    static const int month_days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year, month, day;

    if (!is_number(text, 4, 0, 9999, &year) || !is_byte(text, '-') ||
        !is_number(text, 2, 1, 12, &month) || !is_byte(text, '-') ||
        !is_number(text, 2, 1, month_days[month - 1], &day)) {
        return false;
    }
    return month != 2 || day < 29 ||
           (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
}

/* hh:mm:ss[.fraction] */
static bool
is_time_of_day(const char **text)
{
    int number;

    if (!is_number(text, 2, 0, 23, &number) || !is_byte(text, ':') ||
        !is_number(text, 2, 0, 59, &number) || !is_byte(text, ':') ||
        !is_number(text, 2, 0, 59, &number)) {
        return false;
    }
    if (!is_byte(text, '.')) {
        return true;
    }
    if (!is_number(text, 1, 0, 9, &number)) {
        return false;
    }
    *text += strspn(*text, "0123456789");
    return true;
}

/* Nothing, Z or +hh:mm */
static bool
is_zone(const char **text)
{
    int number;

    if (is_byte(text, '+') || is_byte(text, '-')) {
        return is_number(text, 2, 0, 23, &number) && is_byte(text, ':') &&
               is_number(text, 2, 0, 59, &number);
    }
    (void) is_byte(text, 'Z');
    return true;
}

static bool
take_start(header_t *self, const char *value)
{
    (void) self;
    if (strcmp(value, "unknown") == 0) {
        return true;
    }
    if (!is_date(&value)) {
        return false;
    }
    if (is_byte(&value, 'T') && (!is_time_of_day(&value) || !is_zone(&value))) {
        return false;
    }
    return *value == '\0';
}

static bool
take_resolution(header_t *self, const char *value)
{
    double resolution_s;
    int64_t resolution_ms;

    if (spot_number_parse(value, &resolution_s) != 0 || resolution_s <= 0 ||
        spot_duration_from_s(resolution_s, &resolution_ms) != 0) {
        return false;
    }
    self->trace->resolution_ms = resolution_ms == 0 ? 1 : resolution_ms;
    return true;
}

static bool
take_kind(header_t *self, const char *value)
{
    for (int kind = 0; spot_trace_kind_names[kind] != NULL; kind++) {
        if (strcmp(value, spot_trace_kind_names[kind]) == 0) {
            self->trace->kind = (spot_trace_kind_t) kind;
            self->found->has_kind = true;
            return true;
        }
    }
    return false;
}

static bool
take_capacity(header_t *self, const char *value)
{
    int64_t capacity = SPOT_UNBOUNDED;

    if (strcmp(value, "unbounded") != 0 && (spot_integer_parse(value, &capacity) != 0 ||
                                               capacity <= 0 || capacity > INT32_MAX)) {
        return false;
    }
    self->trace->capacity = (int32_t) capacity;
    return true;
}

static const struct {
    const char *key;
    bool (*take)(header_t *self, const char *value); /* false: not as expected; NULL:
                                                        any value is */
    const char *expected;
} required_keys[] = {
    {"name", NULL, NULL},
    {"start", take_start, "unknown, a date or a date-time"},
    {"resolution_s", take_resolution, "a number above 0"},
    {"kind", take_kind, "named, counts or availability"},
    {"capacity", take_capacity, "an integer above 0 or unbounded"},
};

enum { NUM_REQUIRED = sizeof(required_keys) / sizeof(required_keys[0]) };

static bool
split_line(const char *text, parts_t *parts)
{
    if (strncmp(text, "# ", 2) != 0) {
        return false;
    }
    parts->key = text + 2;
    parts->key_bytes = strcspn(parts->key, ": ");
    if (parts->key_bytes == 0 || strncmp(parts->key + parts->key_bytes, ": ", 2) != 0) {
        return false;
    }
    parts->value = parts->key + parts->key_bytes + 2;
    parts->value += strspn(parts->value, " ");
    parts->value_bytes = strlen(parts->value);
    while (parts->value_bytes > 0 && parts->value[parts->value_bytes - 1] == ' ') {
        parts->value_bytes--;
    }
    return parts->value_bytes > 0;
}

static int
note_key(header_t *self, const char *key, size_t key_bytes, size_t line)
{
    const size_t num_keys = self->keys.num_names;
    void *key_lines = self->key_lines;
    int32_t key_id;
    int ret = spot_array_reserve(
        &key_lines, &self->max_key_lines, num_keys + 1, sizeof(*self->key_lines));

    self->key_lines = key_lines;
    if (ret == 0) {
        ret = spot_names_add(&self->keys, key, key_bytes, &key_id);
    }
    if (ret == 0 && self->keys.num_names > num_keys) {
        self->key_lines[num_keys] = line;
    }
    return ret;
}

/* A faulty line still says which key is not missing. */
static int
note_faulty_line(header_t *self, const spot_csv_row_t *row)
{
    const char *key = row->text + strspn(row->text, "# ");

    return note_key(self, key, strcspn(key, ": "), row->line);
}

static int
keep_key(header_t *self, const parts_t *parts)
{
    spot_trace_t *trace = self->trace;
    void *keys = trace->keys;
    spot_trace_key_t *kept;
    int ret = spot_array_reserve(
        &keys, &trace->max_keys, trace->num_keys + 1, sizeof(*trace->keys));

    trace->keys = keys;
    if (ret != 0) {
        return ret;
    }
    kept = &trace->keys[trace->num_keys++];
    kept->key = spot_text_copy(parts->key, parts->key_bytes);
    kept->value = spot_text_copy(parts->value, parts->value_bytes);
    return kept->key == NULL || kept->value == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

static void
take_value(header_t *self, const spot_csv_row_t *row, const parts_t *parts)
{
    const spot_trace_key_t *kept = &self->trace->keys[self->trace->num_keys - 1];
    char shown[SPOT_CSV_SHOWN_BYTES];

    for (size_t j = 0; j < NUM_REQUIRED; j++) {
        if (required_keys[j].take != NULL &&
            strcmp(kept->key, required_keys[j].key) == 0 &&
            !required_keys[j].take(self, kept->value)) {
            spot_diag_error(self->diag, self->file, row->line,
                (size_t) (parts->value - row->text) + 1, "%s: expected %s, got '%s'",
                kept->key, required_keys[j].expected,
                spot_csv_shown(kept->value, shown));
        }
    }
}

static int
read_line(header_t *self, const spot_csv_row_t *row)
{
    const char *bad = strpbrk(row->text, ",\"");
    char shown[SPOT_CSV_SHOWN_BYTES];
    int32_t key_id;
    parts_t parts;
    int ret;

    if (!split_line(row->text, &parts)) {
        spot_diag_error(self->diag, self->file, row->line, 1, "expected '# key: value'");
        return note_faulty_line(self, row);
    }
    if (bad != NULL) {
        spot_diag_error(self->diag, self->file, row->line,
            (size_t) (bad - row->text) + 1, "comma or double quote in a header line");
        return note_faulty_line(self, row);
    }
    key_id = spot_names_find(&self->keys, parts.key, parts.key_bytes);
    if (key_id >= 0) {
        spot_diag_error(self->diag, self->file, row->line, 3,
            "duplicate key '%s', first on line %zu",
            spot_csv_shown(self->keys.names[key_id], shown), self->key_lines[key_id]);
        return 0;
    }
    ret = note_key(self, parts.key, parts.key_bytes, row->line);
    if (ret == 0) {
        ret = keep_key(self, &parts);
    }
    if (ret == 0) {
        take_value(self, row, &parts);
    }
    return ret;
}

/* A file that starts otherwise is no trace that this program reads: what follows in it
 * is not judged. */
static int
read_first_line(header_t *self, const spot_csv_row_t *row)
{
    static const char key[] = "spotsim-trace";
    char shown[SPOT_CSV_SHOWN_BYTES];
    parts_t parts;

    if (!split_line(row->text, &parts) || parts.key_bytes != strlen(key) ||
        strncmp(parts.key, key, parts.key_bytes) != 0) {
        spot_diag_error(
            self->diag, self->file, row->line, 1, "expected '# spotsim-trace: 1'");
        return SPOT_ERR_BAD_INPUT;
    }
    if (parts.value_bytes != 1 || *parts.value != '1') {
        spot_diag_error(self->diag, self->file, row->line,
            (size_t) (parts.value - row->text) + 1,
            "unsupported version '%s'; this program reads 1",
            spot_csv_shown(parts.value, shown));
        return SPOT_ERR_BAD_INPUT;
    }
    return note_key(self, parts.key, parts.key_bytes, row->line);
}

/* The line behind the header; row->num_fields is 0 at the end of the file. */
static void
read_columns(header_t *self, const spot_csv_row_t *row, bool is_good)
{
    static const char *const columns[SPOT_NUM_COLUMNS] = {
        "time_s", "event", "count", "instances"};
    bool is_match = row->num_fields == SPOT_NUM_COLUMNS;

    for (size_t j = 0; j < NUM_REQUIRED; j++) {
        const char *key = required_keys[j].key;

        if (spot_names_find(&self->keys, key, strlen(key)) < 0) {
            spot_diag_error(
                self->diag, self->file, row->line, 1, "missing key '%s'", key);
        }
    }
    for (size_t j = 0; j < SPOT_NUM_COLUMNS && is_match; j++) {
        is_match = strcmp(row->fields[j], columns[j]) == 0;
    }
    if (is_good && !is_match) {
        spot_diag_error(self->diag, self->file, row->line, 1,
            "expected the columns time_s,event,count,instances");
    }
    self->found->has_columns = is_match;
}

static int
read_lines(header_t *self, spot_csv_t *csv)
{
    spot_csv_row_t row;
    int ret = spot_csv_next(csv, &row);

    if (ret == 0) {
        spot_diag_error(self->diag, self->file, 1, 1, "file is empty");
        return SPOT_ERR_BAD_INPUT;
    }
    if (ret == 1) {
        ret = read_first_line(self, &row);
    }
    while (ret == 0) {
        const int found = spot_csv_next(csv, &row);
        const bool is_good = found != SPOT_ERR_BAD_INPUT;

        if (found < 0 && is_good) {
            return found;
        }
        if (row.is_comment) {
            ret = is_good ? read_line(self, &row) : note_faulty_line(self, &row);
        } else if (found == 1 && row.num_fields == 0) {
            spot_diag_error(self->diag, self->file, row.line, 1, "empty line");
        } else {
            read_columns(self, &row, is_good);
            return found == 0 ? SPOT_ERR_BAD_INPUT : 1;
        }
    }
    return ret;
}

int
spot_trace_header_read(
    spot_trace_header_t *self, spot_trace_t *trace, spot_csv_t *csv, spot_diag_t *diag)
{
    header_t header = {
        .found = self, .trace = trace, .file = spot_csv_file(csv), .diag = diag};
    int ret;

    memset(self, 0, sizeof(*self));
    trace->capacity = SPOT_UNBOUNDED;
    spot_names_init(&header.keys);
    ret = read_lines(&header, csv);
    spot_names_free(&header.keys);
    free(header.key_lines);
    return ret;
}
