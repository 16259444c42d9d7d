/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/cdf_chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv_field.h"
#include "base/group.h"
#include "base/memory.h"
#include "base/outfile.h"
#include "base/texts.h"
#include "base/units.h"
#include "reports/palette.h"
#include "reports/picture_files.h"
#include "reports/run_series.h"

#define MAX_POINTS 2000 /* of a line */

bool
spot_cdf_fits(const spot_series_kind_t *kind)
{
    return kind->shape == SPOT_SERIES_CDF && kind->num_columns >= 2 &&
           kind->columns[0].kind == SPOT_COLUMN_DURATION &&
           kind->columns[1].kind == SPOT_COLUMN_NUMBER;
}

bool
spot_cdf_is_among(size_t num_kinds, const spot_series_kind_t *const *kinds)
{
    while (num_kinds > 0 && !spot_cdf_fits(kinds[num_kinds - 1])) {
        num_kinds--;
    }
    return num_kinds > 0;
}

const spot_series_t *
spot_cdf_find(const spot_recording_t *recording)
{
    for (size_t j = 0; j < recording->num_series; j++) {
        const spot_series_t *series = &recording->series[j];

        if (spot_cdf_fits(series->kind) && series->num_rows > 0) {
            return series;
        }
    }
    return NULL;
}

/* ---- Lines ---- */

/* Whether a run has several lines. */
static bool
has_lines(const spot_series_kind_t *kind)
{
    return kind->num_columns > 2 && kind->columns[2].kind >= SPOT_COLUMN_CATEGORY;
}

/* The name of the line of a row within its run; "" where there is only one. */
static const char *
line_of(const spot_series_t *series, size_t row_id)
{
    return has_lines(series->kind) ? spot_series_text(series, row_id, 2) : "";
}

/* The same of all runs. */
static const char *
name_of(const spot_cdf_t *self, size_t run_id, size_t row_id, spot_texts_t *texts)
{
    const char *run = self->names[run_id];
    const char *line = line_of(self->series[run_id], row_id);

    return run == NULL       ? line
           : line[0] == '\0' ? run
                             : spot_texts_add(texts, "%s, %s", run, line);
}

/* first_ids: [series->num_rows] the first row of the line of each. */
static int
find_lines(const spot_series_t *series, size_t *first_ids)
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

/* In percent; longer than the longest is none, which a logarithm does not have. */
static double
height_of(const spot_cdf_t *self, double share)
{
    const double height = 100 * (self->is_longer ? 1 - share : share);

    return self->is_longer && height <= 0 ? (double) NAN : height;
}

/* Of the share that is longer, the last step ends where there is none. */
static void
add_points(spot_chart_t *chart, const spot_cdf_t *self, const spot_series_t *series,
    const size_t *first_ids, size_t first_id)
{
    size_t num_rows = 0, row = 0, step;
    double before = (double) NAN;

    for (size_t j = first_id; j < series->num_rows; j++) {
        num_rows += first_ids[j] == first_id;
    }
    step = (num_rows - 1) / (self->max_points > 0 ? self->max_points : MAX_POINTS) + 1;
    for (size_t j = first_id; j < series->num_rows; j++) {
        if (first_ids[j] == first_id && (row++ % step == 0 || row == num_rows)) {
            const double height = height_of(self, spot_run_value(series, j, 1));

            before = isnan(height) ? before : height;
            spot_chart_add_xy(chart, spot_run_time_ms(series, j), before);
        }
    }
}

static int
add_run(spot_chart_t *chart, const spot_cdf_t *self, size_t run_id, size_t *num_lines)
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

            spot_chart_series(
                chart, &(spot_chart_series_t){.kind = SPOT_CHART_STEPS,
                           .name = name[0] == '\0' ? NULL : name,
                           .name_at = SPOT_CHART_NAME_LEGEND,
                           .colour = spot_palette_line_colour((*num_lines)++),
                           .dash = dash});
            add_points(chart, self, series, first_ids, j);
        }
    }
    free(first_ids);
    ret = ret == 0 ? texts.error : ret;
    spot_texts_free(&texts);
    return ret;
}

/* ---- Rules ---- */

/* Whether a run before this one has the same rule. */
static bool
is_known(const spot_cdf_t *self, size_t run_id, const spot_series_rule_t *rule)
{
    for (size_t j = 0; j < run_id; j++) {
        const spot_series_kind_t *kind = self->series[j]->kind;

        for (size_t k = 0; k < kind->num_rules; k++) {
            if (kind->rules[k].column_id == rule->column_id &&
                kind->rules[k].value == rule->value) {
                return true;
            }
        }
    }
    return false;
}

static void
add_rules(spot_chart_t *chart, const spot_cdf_t *self, size_t run_id)
{
    const spot_series_kind_t *kind = self->series[run_id]->kind;

    for (size_t k = 0; k < kind->num_rules; k++) {
        const spot_series_rule_t *rule = &kind->rules[k];
        const bool is_upright = rule->column_id == 0;
        const double at = is_upright ? spot_series_ms(kind, llround(rule->value))
                                     : height_of(self, rule->value);

        if (!isnan(at) && !is_known(self, run_id, rule)) {
            spot_chart_rule(chart,
                &(spot_chart_rule_t){.direction = is_upright ? SPOT_CHART_VERTICAL
                                                             : SPOT_CHART_HORIZONTAL,
                    .at = at,
                    .name = rule->text,
                    .dash = SPOT_CHART_DASHED});
        }
    }
}

/* ---- The picture ---- */

static int
add_panel(spot_chart_t *chart, const spot_cdf_t *self, const char *title, bool is_below)
{
    const spot_series_kind_t *kind = self->series[0]->kind;
    spot_texts_t texts = {0};
    const char *share = spot_series_column_name(&kind->columns[1]);
    spot_chart_axis_t y = {.unit = SPOT_CHART_PERCENT, .name = share, .high = 100};
    size_t num_lines = 0;
    int ret = 0;

    if (self->is_longer) {
        y = (spot_chart_axis_t){.kind = SPOT_CHART_LOG,
            .unit = SPOT_CHART_PERCENT,
            .name = spot_texts_add(&texts, "100 %% − %s", share)};
    }
    spot_chart_panel(chart, &(spot_chart_panel_t){.title = title,
                                .is_below = is_below,
                                .x = {.kind = SPOT_CHART_LOG,
                                    .unit = SPOT_CHART_MS,
                                    .name = spot_series_column_name(kind->columns)},
                                .y = y});
    for (size_t j = 0; ret == 0 && j < self->num_runs; j++) {
        add_rules(chart, self, j);
        ret = add_run(chart, self, j, &num_lines);
    }
    ret = ret == 0 ? texts.error : ret;
    spot_texts_free(&texts);
    return ret == 0 ? spot_chart_error(chart) : ret;
}

int
spot_cdf_panel(spot_chart_t *chart, const spot_cdf_t *self)
{
    const spot_series_kind_t *kind = self->series[0]->kind;

    if (has_lines(kind)) {
        spot_chart_legend(
            chart, &(spot_chart_entry_t){.text = kind->help, .is_heading = true});
    }
    return add_panel(chart, self, kind->help, true);
}

int
spot_cdf_declare(spot_chart_t *chart, const void *context)
{
    const spot_cdf_t *self = context;

    spot_chart_title(
        chart, "%s", self->title == NULL ? self->series[0]->kind->help : self->title);
    if (self->note != NULL) {
        spot_chart_note(chart, "%s", self->note);
    }
    return add_panel(chart, self, NULL, false);
}

int
spot_cdf_csv_write(const spot_cdf_t *self, FILE *out)
{
    const spot_series_kind_t *kind = self->series[0]->kind;
    const bool is_named = self->names[0] != NULL || has_lines(kind);
    spot_texts_t texts = {0};
    int ret;

    spot_csv_field_text(out, spot_texts_add(&texts, "%s_ms", kind->columns[0].name));
    fputc(',', out);
    spot_csv_field_text(out, kind->columns[1].name);
    fputs(is_named ? ",line\n" : "\n", out);
    for (size_t j = 0; j < self->num_runs; j++) {
        for (size_t k = 0; k < self->series[j]->num_rows; k++) {
            char time[SPOT_NUMBER_TEXT_BYTES], share[SPOT_NUMBER_TEXT_BYTES];

            spot_number_text(spot_run_time_ms(self->series[j], k), time);
            spot_number_text(spot_run_value(self->series[j], k, 1), share);
            fprintf(out, "%s,%s", time, share);
            if (is_named) {
                fputc(',', out);
                spot_csv_field_text(out, name_of(self, j, k, &texts));
            }
            fputc('\n', out);
        }
    }
    ret = texts.error;
    spot_texts_free(&texts);
    return ret == 0 && ferror(out) ? SPOT_ERR_IO : ret;
}

const char *
spot_cdf_beside(spot_texts_t *texts, const char *svg_path, const char *suffix)
{
    return spot_texts_add(
        texts, "%.*s%s", (int) (strlen(svg_path) - strlen(".svg")), svg_path, suffix);
}

int
spot_cdf_write_beside(const spot_cdf_t *self, spot_declare_t declare,
    const void *context, const char *svg_path, spot_diag_t *diag)
{
    const char *base = strrchr(svg_path, '/');
    char name[SPOT_PICTURE_NAME_BYTES];
    spot_texts_t texts = {0};
    const char *path = spot_cdf_beside(&texts, svg_path, ".csv");
    spot_outfile_t file;
    int ret = spot_outfile_init(&file, path, diag);

    ret = ret == 0 ? spot_cdf_csv_write(self, file.stream) : ret;
    ret = spot_outfile_close(&file, ret, diag);
    if (ret == 0) {
        spot_picture_file_name(
            spot_cdf_beside(&texts, base == NULL ? svg_path : base + 1, ""), name);
        path = spot_cdf_beside(&texts, svg_path, ".gnuplot");
        ret = spot_outfile_init(&file, path, diag);
        ret = ret == 0 ? spot_draw_script_beside(declare, context,
                             self->series[0]->kind->help, name, file.stream)
                       : ret;
        ret = spot_outfile_close(&file, ret, diag);
    }
    ret = ret == 0 ? texts.error : ret;
    spot_texts_free(&texts);
    return ret;
}
