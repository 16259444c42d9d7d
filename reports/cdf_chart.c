/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/cdf_chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/keys.h"
#include "base/memory.h"
#include "base/outfile.h"
#include "base/units.h"
#include "reports/palette.h"
#include "reports/run_series.h"

#define MAX_POINTS 2000 /* of a line */

bool spot_cdf_fits(const spot_series_t *series)
{
    const spot_series_kind_t *kind = series->kind;

    return kind->shape == SPOT_SERIES_CDF && kind->num_columns >= 2 &&
           kind->columns[0].kind == SPOT_COLUMN_DURATION &&
           kind->columns[1].kind == SPOT_COLUMN_NUMBER && series->num_rows > 0;
}

const spot_series_t *spot_cdf_find(const spot_recording_t *recording)
{
    for (size_t j = 0; j < recording->num_series; j++) {
        if (spot_cdf_fits(&recording->series[j])) {
            return &recording->series[j];
        }
    }
    return NULL;
}

/* ---- Lines ---- */

/* The name of the line of a row within its run; "" where there is only one. */
static const char *line_of(const spot_series_t *series, size_t row_id)
{
    const spot_series_kind_t *kind = series->kind;

    return kind->num_columns > 2 && kind->columns[2].kind >= SPOT_COLUMN_CATEGORY
               ? spot_series_text(series, row_id, 2)
               : "";
}

/* The same of all runs. */
static const char *name_of(
    const spot_cdf_t *self, size_t run_id, size_t row_id, spot_texts_t *texts)
{
    const char *run = self->names[run_id] == NULL ? "" : self->names[run_id];

    return spot_texts_join(texts, run, ", ", line_of(self->series[run_id], row_id));
}

/* first_ids: [series->num_rows] the first row of the line of each. */
static int find_lines(const spot_series_t *series, size_t *first_ids)
{
    spot_key_t *keys = spot_calloc(series->num_rows, sizeof(*keys));
    int ret = keys == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (size_t j = 0; ret == 0 && j < series->num_rows; j++) {
        const char *line = line_of(series, j);

        keys[j] = (spot_key_t){line, strlen(line)};
    }
    ret = ret == 0 ? spot_group_equal(keys, series->num_rows, first_ids) : ret;
    free(keys);
    return ret;
}

/* In percent; a logarithm has no 0. */
static double height_of(const spot_cdf_t *self, double share)
{
    const double height = 100 * (self->is_longer ? 1 - share : share);

    return self->is_longer && height <= 0 ? (double) NAN : height;
}

static void add_line(spot_chart_t *chart, const spot_cdf_t *self, const spot_series_t *series,
    const size_t *first_ids, size_t first_id)
{
    const size_t max_points = self->max_points > 0 ? self->max_points : MAX_POINTS;
    size_t num_rows = 0, row = 0, step;

    for (size_t j = first_id; j < series->num_rows; j++) {
        num_rows += first_ids[j] == first_id;
    }
    step = (num_rows - 1) / max_points + 1;
    for (size_t j = first_id; j < series->num_rows; j++) {
        if (first_ids[j] == first_id && (row++ % step == 0 || row == num_rows)) {
            spot_chart_add_xy(
                chart, spot_run_time_ms(series, j), height_of(self, spot_run_value(series, j, 1)));
        }
    }
}

static int add_run(spot_chart_t *chart, const spot_cdf_t *self, size_t run_id, size_t *num_lines)
{
    const spot_series_t *series = self->series[run_id];
    size_t *first_ids = spot_calloc(series->num_rows, sizeof(*first_ids));
    int ret = first_ids == NULL ? SPOT_ERR_NO_MEMORY : find_lines(series, first_ids);
    spot_texts_t texts = {0};

    for (size_t j = 0; ret == 0 && j < series->num_rows; j++) {
        if (first_ids[j] == j) {
            const char *name = name_of(self, run_id, j, &texts);
            const spot_chart_dash_t dash =
                (spot_chart_dash_t) (*num_lines / SPOT_NUM_LINE_COLOURS % 3);

            spot_chart_series(chart, &(spot_chart_series_t){.kind = SPOT_CHART_STEPS,
                                         .name = name[0] == '\0' ? NULL : name,
                                         .name_at = SPOT_CHART_NAME_LEGEND,
                                         .colour = spot_palette_line_colour((*num_lines)++),
                                         .dash = dash});
            add_line(chart, self, series, first_ids, j);
        }
    }
    free(first_ids);
    ret = ret == 0 ? texts.error : ret;
    spot_texts_free(&texts);
    return ret;
}

/* ---- The picture ---- */

int spot_cdf_declare(spot_chart_t *chart, const void *context)
{
    const spot_cdf_t *self = context;
    const spot_series_kind_t *kind = self->series[0]->kind;
    spot_chart_panel_t panel = {.title = self->title == NULL ? kind->help : NULL,
        .is_below = true,
        .x = {SPOT_CHART_LOG, SPOT_CHART_MS, .name = spot_series_column_name(kind->columns)},
        .y = {SPOT_CHART_LINEAR, SPOT_CHART_PERCENT,
            .name = spot_series_column_name(&kind->columns[1]), .high = 100}};
    char above[128];
    size_t num_lines = 0;
    int ret = 0;

    if (self->title != NULL) {
        spot_chart_title(chart, "%s", self->title);
    }
    if (self->note != NULL) {
        spot_chart_note(chart, "%s", self->note);
    }
    if (self->is_longer) {
        snprintf(above, sizeof(above), "100 %% − %s", panel.y.name);
        panel.y.kind = SPOT_CHART_LOG;
        panel.y.name = above;
        panel.y.high = 0; /* from the data */
    }
    spot_chart_panel(chart, &panel);
    for (size_t j = 0; j < kind->num_rules; j++) {
        const spot_series_rule_t *rule = &kind->rules[j];
        spot_chart_rule_t drawn = {SPOT_CHART_HORIZONTAL, height_of(self, rule->value), rule->text,
            .dash = SPOT_CHART_DASHED};

        if (rule->column_id == 0) {
            drawn.direction = SPOT_CHART_VERTICAL;
            drawn.at = spot_series_ms(kind, llround(rule->value));
        }
        spot_chart_rule(chart, &drawn);
    }
    for (size_t j = 0; ret == 0 && j < self->num_runs; j++) {
        ret = add_run(chart, self, j, &num_lines);
    }
    return ret == 0 ? spot_chart_error(chart) : ret;
}

/* ---- Beside it ---- */

static int write_csv(const spot_cdf_t *self, const char *head, FILE *out)
{
    spot_texts_t texts = {0};
    int ret;

    fprintf(out, "%s%s\n", head, name_of(self, 0, 0, &texts)[0] == '\0' ? "" : ",line");
    for (size_t j = 0; j < self->num_runs; j++) {
        for (size_t k = 0; k < self->series[j]->num_rows; k++) {
            const char *name = name_of(self, j, k, &texts);
            char numbers[2][SPOT_NUMBER_TEXT_BYTES];

            spot_number_text(spot_run_time_ms(self->series[j], k), numbers[0]);
            spot_number_text(spot_run_value(self->series[j], k, 1), numbers[1]);
            fprintf(out, "%s,%s%s", numbers[0], numbers[1], name[0] == '\0' ? "" : ",");
            spot_csv_field_text(out, name);
            fputc('\n', out);
        }
    }
    ret = texts.error;
    spot_texts_free(&texts);
    return ret;
}

/* Whether a file is there that begins in another way: an input, perhaps. */
static bool is_other(const char *path, const char *head)
{
    FILE *file = fopen(path, "r");
    char line[512] = "";
    const bool is_there = file != NULL && fgets(line, sizeof(line), file) != NULL;

    if (file != NULL) {
        fclose(file);
    }
    return is_there && strncmp(line, head, strlen(head)) != 0;
}

int spot_cdf_write_beside(const spot_cdf_t *self, spot_declare_t declare, const void *context,
    const char *svg_path, spot_diag_t *diag)
{
    const spot_series_column_t *columns = self->series[0]->kind->columns;
    spot_texts_t texts = {0};
    const char *head = spot_texts_add(&texts, "%s_ms,%s", columns[0].name, columns[1].name);
    int ret = texts.error;

    for (int is_csv = 1; ret == 0 && is_csv >= 0; is_csv--) {
        const char *path = spot_texts_add(
            &texts, "%.*s.%s", (int) strlen(svg_path) - 4, svg_path, is_csv ? "csv" : "gnuplot");
        spot_outfile_t file = {0};

        ret = is_csv && is_other(path, head)
                  ? spot_diag_error(
                        diag, path, 0, 0, "is not the data of a picture, which would replace it")
                  : spot_outfile_init(&file, path, diag);
        if (ret == 0) {
            ret = is_csv ? write_csv(self, head, file.stream)
                         : spot_draw_script(declare, context, svg_path, file.stream);
        }
        ret = spot_outfile_close(&file, ret, diag);
    }
    ret = ret == 0 ? texts.error : ret;
    spot_texts_free(&texts);
    return ret;
}
