/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/run_result.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "base/csv.h"
#include "base/files.h"
#include "base/json.h"
#include "base/outfile.h"
#include "reports/table/table_terminal.h"
#include "reports/table/text_cell.h"

/* ---- Metrics ---- */

/* Totals are for studies that name them. Returns how many there are. */
static size_t fill_table(const spot_run_result_t *self, spot_table_t *table)
{
    static const spot_table_column_t columns[] = {{.name = "metric", .kind = SPOT_TABLE_TEXT},
        {.name = "value"}, {.name = "unit", .kind = SPOT_TABLE_TEXT}};
    size_t num_totals = 0;

    spot_table_add_columns(table, sizeof(columns) / sizeof(columns[0]), columns);
    for (size_t j = 0; j < self->outputs->num_metrics; j++) {
        const spot_metric_t *metric = &self->outputs->metrics[j];

        if (metric->is_total) {
            num_totals++;
            continue;
        }
        spot_table_add_row(table);
        spot_table_add_text(table, metric->name);
        spot_table_add_number(table, self->metrics[j]);
        spot_table_add_text(table, strcmp(metric->unit, "1") == 0 ? "" : metric->unit);
    }
    for (size_t j = 0; j < self->experiment->num_warnings; j++) {
        if (self->warnings[j]) {
            spot_table_add_note(table, "warning", self->experiment->warnings[j].text);
        }
    }
    return num_totals;
}

int spot_run_result_text(const spot_run_result_t *self, const spot_terminal_t *terminal, FILE *out)
{
    spot_table_t table = {.name = "metrics"};
    size_t num_totals;
    int ret;

    spot_text_write(out, self->name == NULL ? self->experiment->name : self->name);
    fprintf(out, ": engine %s, seed %" PRIu64 ", replication %" PRIu64 "\n\n",
        self->experiment->name, self->seed, self->replication);
    num_totals = fill_table(self, &table);
    ret = spot_table_write_terminal(&table, terminal, out);
    if (num_totals > 0) {
        fprintf(out,
            "\nnot listed: %zu total%s and parts, which a study can name, see `spotsim "
            "engine %s`\n",
            num_totals, num_totals == 1 ? "" : "s", self->experiment->name);
    }
    spot_table_free(&table);
    return ret;
}

void spot_run_result_json(const spot_run_result_t *self, spot_json_t *json)
{
    spot_json_text(json, "engine", self->experiment->name);
    spot_json_text(json, "scenario", self->name);
    spot_json_open(json, "metrics", '{');
    for (size_t j = 0; j < self->outputs->num_metrics; j++) {
        spot_json_open(json, self->outputs->metrics[j].name, '{');
        spot_json_number(json, "value", self->metrics[j]);
        spot_json_text(json, "unit", self->outputs->metrics[j].unit);
        spot_json_close(json, '}');
    }
    spot_json_close(json, '}');
    spot_replication_json_end(json, self->experiment->num_warnings, self->experiment->warnings,
        self->warnings, self->seed, self->replication);
}

/* ---- Series ---- */

#define UNIT_BYTES 32
#define HEAD_BYTES 128

/* A unit as words of a name: "USD/h" is usd_per_h, "serving replicas" serving_replicas;
 * "1" is none. */
static void unit_words(const char *unit, char words[UNIT_BYTES])
{
    size_t used = 0;

    for (; *unit != '\0' && used + 8 < UNIT_BYTES; unit++) {
        if (*unit == '/') {
            used += (size_t) sprintf(words + used, "_per_");
        } else if (*unit == ' ' || isalpha((unsigned char) *unit)) {
            words[used++] = *unit == ' ' ? '_' : (char) tolower((unsigned char) *unit);
        }
    }
    words[used] = '\0';
}

/* Whether words stand in name between its ends or underscores, or are "". */
static bool has_words(const char *name, const char *words)
{
    const size_t num_bytes = strlen(words);

    for (const char *place = strstr(name, words); place != NULL && num_bytes > 0;
         place = strstr(place + 1, words)) {
        if ((place == name || place[-1] == '_') &&
            (place[num_bytes] == '\0' || place[num_bytes] == '_')) {
            return true;
        }
    }
    return num_bytes == 0;
}

/* The head of a column: its name, and its unit unless the name says it: "time_ms",
 * "prepping_instances", "steps_durable". */
static void write_head(const spot_series_kind_t *kind, size_t column_id, FILE *out)
{
    const spot_series_column_t *column = &kind->columns[column_id];
    char words[UNIT_BYTES], text[HEAD_BYTES];

    unit_words(column->is_bare ? "" : spot_series_column_unit(kind, column), words);
    snprintf(
        text, sizeof(text), has_words(column->name, words) ? "%s" : "%s_%s", column->name, words);
    spot_csv_field_text(out, text);
}

/* printf() would be most of the time of a file of many rows. */
static void write_integer(int64_t value, FILE *out)
{
    char digits[24];
    char *end = digits + sizeof(digits), *start = end;
    uint64_t rest = value < 0 ? 0 - (uint64_t) value : (uint64_t) value;

    do {
        *--start = (char) ('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (value < 0) {
        *--start = '-';
    }
    fwrite(start, 1, (size_t) (end - start), out);
}

static void write_number(const spot_series_column_t *column, double number, FILE *out)
{
    if (!isfinite(number)) {
        return;
    }
    if (column->num_decimals > 0) {
        fprintf(out, "%.*f", spot_series_decimals(column), number);
    } else if (!signbit(number) && number < 0x1p53 && number == floor(number)) {
        write_integer((int64_t) number, out);
    } else {
        fprintf(out, "%.17g", number);
    }
}

static void write_cell(const spot_series_t *series, size_t row_id, size_t column_id, FILE *out)
{
    const spot_series_column_t *column = &series->kind->columns[column_id];
    const spot_cell_t *cell = &series->cells[row_id * series->kind->num_columns + column_id];

    switch (column->kind) {
        case SPOT_COLUMN_CATEGORY:
        case SPOT_COLUMN_TEXT:
            spot_csv_field_text(out, spot_series_text(series, row_id, column_id));
            return;
        case SPOT_COLUMN_NUMBER:
            write_number(column, cell->number, out);
            return;
        default:
            write_integer(cell->integer, out);
    }
}

/* A head and a line for each row: instants and durations in ticks of the series. */
static void write_series(const spot_series_t *series, FILE *out)
{
    const size_t num_columns = series->kind->num_columns;

    for (size_t k = 0; k < num_columns; k++) {
        fputs(k == 0 ? "" : ",", out);
        write_head(series->kind, k, out);
    }
    fputc('\n', out);
    for (size_t j = 0; j < series->num_rows; j++) {
        for (size_t k = 0; k < num_columns; k++) {
            fputs(k == 0 ? "" : ",", out);
            write_cell(series, j, k, out);
        }
        fputc('\n', out);
    }
}

/* FOLDER/NAME.csv, another one for each series: its name may be made from data, such as
 * those of VCs. */
static int write_file(const spot_series_t *series, const char *folder, spot_file_names_t *names,
    const atomic_int *stop, spot_diag_t *diag)
{
    spot_texts_t texts = {0};
    const char *name = spot_file_names_add(names, series->kind->name);
    const char *path = name == NULL ? NULL : spot_texts_add(&texts, "%s/%s.csv", folder, name);
    spot_outfile_t file;
    int ret = name == NULL ? SPOT_ERR_NO_MEMORY : texts.error;

    if (ret == 0) {
        ret = spot_outfile_init(&file, path, diag);
        if (ret == 0) {
            write_series(series, file.stream);
        }
        if (ret == 0 && stop != NULL && atomic_load(stop) != 0) {
            ret = SPOT_ERR_INTERRUPTED;
        }
        ret = spot_outfile_close(&file, ret, diag);
    }
    spot_texts_free(&texts);
    return ret;
}

int spot_recording_csv_check(const char *folder, spot_diag_t *diag)
{
    struct stat status;
    spot_texts_t texts = {0};
    const char *path = stat(folder, &status) == 0 ? spot_texts_add(&texts, "%s/series.csv", folder)
                                                  : folder; /* in the one above */
    const int ret = texts.error != 0 ? texts.error : spot_outfile_check(path, diag);

    spot_texts_free(&texts);
    return ret;
}

int spot_recording_csv_write(const spot_recording_t *recording, const char *folder,
    const atomic_int *stop, spot_diag_t *diag)
{
    spot_file_names_t names = {.folded = {0}};
    int ret = spot_folder_make(folder, NULL, diag);

    for (size_t j = 0; ret == 0 && j < recording->num_series; j++) {
        ret = write_file(&recording->series[j], folder, &names, stop, diag);
    }
    spot_file_names_free(&names);
    return ret;
}
