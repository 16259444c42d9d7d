/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/lifetimes.h"

#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/units.h"
#include "traces/file_header.h"

#define FORMAT "spotsim-lifetimes"

/* The columns of every file; others may follow. */
enum { COLUMN_START, COLUMN_DURATION, COLUMN_STATUS, COLUMN_INSTANCE, NUM_COLUMNS };

static bool take_start(void *target, const char *value)
{
    (void) target;
    return spot_trace_start_is(value);
}

static const spot_file_key_t known_keys[] = {
    {"start", false, take_start, SPOT_TRACE_START_EXPECTED},
    {NULL, false, NULL, NULL},
};

int spot_lifetimes_is_file(const char *path)
{
    return spot_csv_begins(path, "# " FORMAT ":");
}

static bool is_columns(const spot_csv_row_t *row)
{
    static const char *const columns[NUM_COLUMNS] = {"start_s", "duration_s", "status", "instance"};
    bool is_match = row->num_fields >= NUM_COLUMNS;

    for (size_t j = 0; j < NUM_COLUMNS && is_match; j++) {
        is_match = strcmp(row->fields[j], columns[j]) == 0;
    }
    return is_match;
}

/* Copies the fields from first on. */
static int copy_fields(char ***copies, const spot_csv_row_t *row, size_t first)
{
    const size_t num_copies = row->num_fields - first;
    bool is_good = true;

    *copies = spot_calloc(num_copies, sizeof(**copies));
    for (size_t j = 0; j < num_copies && *copies != NULL; j++) {
        const char *field = row->fields[first + j];

        (*copies)[j] = spot_text_copy(field, strlen(field));
        is_good &= (*copies)[j] != NULL;
    }
    return *copies != NULL && is_good ? 0 : SPOT_ERR_NO_MEMORY;
}

static void free_fields(char **copies, size_t num_copies)
{
    for (size_t j = 0; copies != NULL && j < num_copies; j++) {
        free(copies[j]);
    }
    free(copies);
}

static int read_columns(
    spot_lifetimes_t *self, const spot_csv_row_t *row, const char *file, spot_diag_t *diag)
{
    char shown[SPOT_CSV_SHOWN_BYTES];

    if (!is_columns(row)) {
        const char *separator = spot_csv_wrong_separator(row->text);

        return spot_diag_error(diag, file, row->line, 1,
            "expected the columns start_s,duration_s,status,instance and others "
            "behind%s%s",
            separator == NULL ? "" : " with commas between, got ",
            separator == NULL ? "" : separator);
    }
    for (size_t j = NUM_COLUMNS; j < row->num_fields; j++) {
        for (size_t k = 0; k < j; k++) {
            if (strcmp(row->fields[j], row->fields[k]) == 0) {
                return spot_diag_error(diag, file, row->line, row->columns[j], "column '%s' twice",
                    spot_csv_shown(row->fields[j], shown));
            }
        }
    }
    self->num_columns = row->num_fields - NUM_COLUMNS;
    return copy_fields(&self->columns, row, NUM_COLUMNS);
}

/* Reads a duration, at least 1 ms. Returns NULL or the start of an error message. */
static const char *parse_duration(const char *text, int64_t *duration_ms)
{
    double duration_s;

    if (spot_number_parse(text, &duration_s) != 0 || duration_s <= 0) {
        return "duration_s: expected a number above 0, got";
    }
    if (spot_duration_from_s(duration_s, duration_ms) != 0) {
        return "duration_s: too large: expected at most 3155760000, got";
    }
    *duration_ms = *duration_ms == 0 ? 1 : *duration_ms;
    return NULL;
}

/* Reads the first four fields of a row and reports the first error. */
static int parse_life(
    spot_life_t *life, const spot_csv_row_t *row, const char *file, spot_diag_t *diag)
{
    const char *const *fields = row->fields;
    const char *expected = parse_duration(fields[COLUMN_DURATION], &life->duration_ms);
    char shown[SPOT_CSV_SHOWN_BYTES];
    size_t column;

    life->is_preempted = strcmp(fields[COLUMN_STATUS], "preempted") == 0;
    if (spot_trace_time_parse(fields[COLUMN_START], &life->start_ms) != 0) {
        column = COLUMN_START;
        expected = "start_s: expected seconds with at most 3 decimals, got";
    } else if (expected != NULL) {
        column = COLUMN_DURATION;
    } else if (!life->is_preempted && strcmp(fields[COLUMN_STATUS], "stopped") != 0) {
        column = COLUMN_STATUS;
        expected = "status: expected preempted or stopped, got";
    } else if (!spot_trace_is_name(fields[COLUMN_INSTANCE], strlen(fields[COLUMN_INSTANCE]))) {
        column = COLUMN_INSTANCE;
        expected = "instance: bad name";
    } else {
        return 0;
    }
    return spot_diag_error(diag, file, row->line, row->columns[column], "%s '%s'", expected,
        spot_csv_shown(fields[column], shown));
}

static int keep_life(spot_lifetimes_t *self, const spot_life_t *parsed, const spot_csv_row_t *row)
{
    const char *name = row->fields[COLUMN_INSTANCE];
    spot_life_t *life;
    int ret = SPOT_ARRAY_ROOM(self, lives, self->num_lives + 1);

    if (ret != 0) {
        return ret;
    }
    life = &self->lives[self->num_lives++];
    *life = *parsed;
    life->line = row->line;
    life->instance = spot_text_copy(name, strlen(name));
    ret = copy_fields(&life->cells, row, NUM_COLUMNS);
    return life->instance == NULL ? SPOT_ERR_NO_MEMORY : ret;
}

static int read_row(
    spot_lifetimes_t *self, const spot_csv_row_t *row, const char *file, spot_diag_t *diag)
{
    spot_life_t life = {0};
    int ret = spot_csv_check_row(row, NUM_COLUMNS + self->num_columns, file, diag);

    ret = ret == 0 ? parse_life(&life, row, file, diag) : ret;
    return ret == 0 ? keep_life(self, &life, row) : ret;
}

static int read_rows(spot_lifetimes_t *self, spot_csv_t *csv, spot_diag_t *diag)
{
    const size_t num_errors = diag->num_errors;
    spot_csv_row_t row;
    int found, ret = 0;

    while ((found = spot_csv_next(csv, &row)) != 0) {
        if (found == 1) {
            found = read_row(self, &row, spot_csv_file(csv), diag);
        }
        if (found == SPOT_ERR_BAD_INPUT) {
            ret = found;
        } else if (found < 0) {
            return found;
        }
    }
    if (self->num_lives == 0 && diag->num_errors == num_errors) {
        ret = spot_diag_error(diag, spot_csv_file(csv), row.line, 1, "expected at least one row");
    }
    return ret;
}

int spot_lifetimes_read_csv(spot_lifetimes_t *self, spot_csv_t *csv, spot_diag_t *diag)
{
    const size_t num_errors = diag->num_errors;
    spot_file_header_t header = {.format = FORMAT, .known = known_keys, .keys = &self->header};
    spot_csv_row_t row;
    int ret;

    memset(self, 0, sizeof(*self));
    ret = spot_file_header_read(&header, csv, &row, diag);

    if (ret == 0 || (ret == 1 && row.num_fields > 0)) {
        ret = read_columns(self, &row, spot_csv_file(csv), diag);
    }
    ret = ret == 0 ? read_rows(self, csv, diag) : ret;
    return ret >= 0 && diag->num_errors > num_errors ? SPOT_ERR_BAD_INPUT : ret;
}

int spot_lifetimes_read(spot_lifetimes_t *self, const char *path, spot_diag_t *diag)
{
    spot_csv_t *csv = NULL;
    int ret = spot_csv_open(&csv, path, diag);

    memset(self, 0, sizeof(*self));
    ret = ret == 0 ? spot_lifetimes_read_csv(self, csv, diag) : ret;
    spot_csv_close(csv);
    spot_diag_close_file(diag);
    return ret;
}

static void free_life(const spot_lifetimes_t *self, spot_life_t *life)
{
    free(life->instance);
    free_fields(life->cells, self->num_columns);
}

void spot_lifetimes_free(spot_lifetimes_t *self)
{
    for (size_t j = 0; j < self->num_lives; j++) {
        free_life(self, &self->lives[j]);
    }
    free(self->lives);
    free_fields(self->columns, self->num_columns);
    spot_keys_free(&self->header);
    memset(self, 0, sizeof(*self));
}

/* Index of the further column whose name is before the '=' of text; num_columns:
 * none. */
static size_t find_column(const spot_lifetimes_t *self, const char *text)
{
    const size_t num_bytes = strcspn(text, "=");
    size_t column = 0;

    while (
        column < self->num_columns && (strlen(self->columns[column]) != num_bytes ||
                                          strncmp(self->columns[column], text, num_bytes) != 0)) {
        column++;
    }
    return column;
}

/* Keeps the rows with a value in a column, in their order. */
static void keep_rows(spot_lifetimes_t *self, size_t column, const char *value)
{
    size_t num_kept = 0;

    for (size_t j = 0; j < self->num_lives; j++) {
        if (strcmp(self->lives[j].cells[column], value) == 0) {
            self->lives[num_kept++] = self->lives[j];
        } else {
            free_life(self, &self->lives[j]);
        }
    }
    self->num_lives = num_kept;
}

int spot_lifetimes_keep(
    spot_lifetimes_t *self, const char *option, const char *where, spot_diag_t *diag)
{
    const char *value = strchr(where, '=');
    char shown[SPOT_CSV_SHOWN_BYTES];
    size_t column;

    if (value == NULL) {
        return spot_diag_error(
            diag, option, 0, 0, "expected column=value, got '%s'", spot_csv_shown(where, shown));
    }
    column = find_column(self, where);
    if (column == self->num_columns) {
        return spot_diag_error(
            diag, option, 0, 0, "the file has no such column: '%s'", spot_csv_shown(where, shown));
    }
    keep_rows(self, column, value + 1);
    if (self->num_lives == 0) {
        return spot_diag_error(
            diag, option, 0, 0, "no row has that value: '%s'", spot_csv_shown(where, shown));
    }
    return 0;
}
