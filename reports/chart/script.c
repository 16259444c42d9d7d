/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/chart/script.h"

#include <math.h>

#include "reports/chart/layout.h"

#define PANEL_PX 340

typedef struct {
    FILE *out;
    const spot_chart_t *chart;
    const spot_chart_panel_node_t *panel;
    size_t panel_id;
    double x_unit, y_unit; /* what a 1 of the script is in the declaration */
} script_t;

/* A text in quotes. A line end would end the command, and what is behind it would be
 * run; a quote becomes a typographic one: gnuplot knows no escape for it in all places.
 */
static void
write_quoted(FILE *out, const char *text)
{
    fputc('\'', out);
    for (const char *at = text == NULL ? "" : text; *at != '\0'; at++) {
        const unsigned char byte = (unsigned char) *at;

        if (byte == '\'') {
            fputs("’", out);
        } else {
            fputc(byte < 0x20 || byte == 0x7f ? ' ' : byte, out);
        }
    }
    fputc('\'', out);
}

/* ---- Axes ---- */

/* Name, scale, ends and ticks. Returns the unit of times, else 1. */
static double
write_axis(const script_t *self, bool is_x)
{
    const spot_chart_axis_t *axis = is_x ? &self->panel->look.x : &self->panel->look.y;
    const char sign = is_x ? 'x' : 'y', *name = NULL;
    FILE *out = self->out;
    spot_chart_scale_t scale;
    double unit = 1;

    spot_chart_axis_scale(self->chart, self->panel, is_x, 8, &scale);
    if (spot_chart_is_time(axis->unit)) {
        name = spot_chart_time_unit(axis->unit, scale.high, &unit);
    }
    fprintf(out, "set %clabel ", sign);
    write_quoted(out, axis->name);
    fprintf(out, name == NULL ? "\n" : " . ' (%s)'\n", name);
    fprintf(out,
        "%s logscale %c\nset %crange [%.10g:%.10g]\nset %ctics auto format '%%g%s'\n",
        axis->kind == SPOT_CHART_LOG ? "set" : "unset", sign, sign, scale.low / unit,
        scale.high / unit, sign, axis->unit == SPOT_CHART_PERCENT ? " %%" : "");
    if (axis->kind == SPOT_CHART_ROWS) {
        fprintf(out, "%sset %ctics ()\n", is_x ? "" : "set yrange [] reverse\n", sign);
        for (size_t j = 0; j < self->panel->num_rows; j++) {
            fprintf(out, "set %ctics add (", sign);
            write_quoted(out, self->panel->rows[j].name);
            fprintf(out, " %zu)\n", j);
        }
    } else {
        fprintf(out, "set %crange [] noreverse\n", sign);
    }
    return unit;
}

static void
write_x_labels(const script_t *self)
{
    fputs(self->panel->num_x_labels > 0 ? "set xtics ()\n" : "", self->out);
    for (size_t j = 0; j < self->panel->num_x_labels; j++) {
        const spot_chart_x_label_t *label = &self->panel->x_labels[j];

        if (isfinite(label->x)) {
            fputs("set xtics add (", self->out);
            write_quoted(self->out, label->label);
            fprintf(self->out, " %.10g)\n", label->x / self->x_unit);
        }
    }
}

static void
write_rules(const script_t *self)
{
    fputs("unset arrow\n", self->out);
    for (size_t j = 0; j < self->panel->num_rules; j++) {
        const spot_chart_rule_t *rule = &self->panel->rules[j];

        if (rule->direction != SPOT_CHART_DIAGONAL && !isfinite(rule->at)) {
            continue;
        }
        if (rule->direction == SPOT_CHART_HORIZONTAL) {
            const double at = rule->at / self->y_unit;

            fprintf(self->out,
                "set arrow from graph 0, first %.10g to graph 1, first %.10g", at, at);
        } else if (rule->direction == SPOT_CHART_VERTICAL) {
            const double at = rule->at / self->x_unit;

            fprintf(self->out,
                "set arrow from first %.10g, graph 0 to first %.10g, graph 1", at, at);
        } else {
            fputs("set arrow from graph 0, graph 0 to graph 1, graph 1", self->out);
        }
        fprintf(self->out, " nohead dt 2 lc rgb '%s'\n", rule->colour);
    }
}

/* ---- Data ---- */

static void
write_number(FILE *out, double value, const char *end)
{
    if (isfinite(value)) {
        fprintf(out, "%.10g%s", value, end);
    } else {
        fprintf(out, "NaN%s", end);
    }
}

/* The edges of a bar or a span. */
static spot_chart_datum_t
box_of(const script_t *self, const spot_chart_series_node_t *series, size_t j)
{
    const double thickness = series->look.thickness > 0 ? series->look.thickness : 0.68;
    const bool is_lying = spot_chart_is_lying(self->panel);
    spot_chart_datum_t box = series->data[j];
    const double at = is_lying ? box.y : box.x;

    if (series->look.kind == SPOT_CHART_BARS) {
        const double high = series->base[j] + (is_lying ? box.x : box.y);

        box.x_low = box.y_low = series->base[j];
        box.x_high = box.y_high = high;
    }
    *(is_lying ? &box.y_low : &box.x_low) = at - thickness / 2;
    *(is_lying ? &box.y_high : &box.x_high) = at + thickness / 2;
    return box;
}

/* Columns: x, y, x low, x high, y low, y high, base. Where there is no interval its ends
 * are the value: gnuplot leaves out points without them. */
static void
write_data(const script_t *self, size_t series_id)
{
    const spot_chart_series_node_t *series = &self->panel->series[series_id];
    const spot_chart_kind_t kind = series->look.kind;

    fprintf(self->out, "$data%zu_%zu << EOD\n", self->panel_id, series_id);
    for (size_t j = 0; j < series->num_data; j++) {
        spot_chart_datum_t datum = series->data[j];

        if (kind == SPOT_CHART_BARS || kind == SPOT_CHART_SPANS) {
            datum = box_of(self, series, j);
        }
        if (!(datum.x_high > datum.x_low)) {
            datum.x_low = datum.x_high = datum.x;
        }
        if (!(datum.y_high > datum.y_low)) {
            datum.y_low = datum.y_high = datum.y;
        }
        if (isnan(datum.x + datum.y)) {
            fputc('\n', self->out); /* a gap */
            continue;
        }
        write_number(self->out, datum.x / self->x_unit, " ");
        write_number(self->out, datum.y / self->y_unit, " ");
        write_number(self->out, datum.x_low / self->x_unit, " ");
        write_number(self->out, datum.x_high / self->x_unit, " ");
        write_number(self->out, datum.y_low / self->y_unit, " ");
        write_number(self->out, datum.y_high / self->y_unit, " ");
        write_number(self->out,
            (series->base == NULL ? 0 : series->base[j]) / self->y_unit, "\n");
    }
    fputs("EOD\n", self->out);
}

/* ---- Plots ---- */

static const char *
style_of(const spot_chart_series_t *look)
{
    switch (look->kind) {
        case SPOT_CHART_LINE:
            return "using 1:2 with lines lw 2";
        case SPOT_CHART_STEPS:
            return "using 1:2 with steps lw 2";
        case SPOT_CHART_POINTS:
            return "using 1:2:3:4:5:6 with xyerrorbars pt 7 ps 0.6";
        case SPOT_CHART_AREA:
            return look->is_alone ? "using 1:5:2 with filledcurves fs solid 0.3"
                                  : "using 1:7:($7+$2) with filledcurves fs solid 1";
        case SPOT_CHART_AREA_STEPS:
            return "using 1:($7+$2) with fillsteps fs solid 1";
        case SPOT_CHART_STROKES:
            return "using 1:2 with impulses";
        default:
            return "using 1:2:3:4:5:6 with boxxyerror fs solid 1";
    }
}

static bool
has_band(const spot_chart_series_node_t *series)
{
    for (size_t j = 0; j < series->num_data; j++) {
        if (series->data[j].y_high > series->data[j].y_low) {
            return spot_chart_is_line(series->look.kind);
        }
    }
    return false;
}

static void
write_series(const script_t *self, size_t series_id)
{
    const spot_chart_series_node_t *series = &self->panel->series[series_id];

    if (series->num_data == 0) {
        return;
    }
    if (has_band(series)) {
        fprintf(self->out,
            ", \\\n$data%zu_%zu using 1:5:6 with filledcurves fs transparent solid 0.2 "
            "lc "
            "rgb '%s' notitle",
            self->panel_id, series_id, series->look.colour);
    }
    fprintf(self->out, ", \\\n$data%zu_%zu %s lc rgb '%s'%s title ", self->panel_id,
        series_id, style_of(&series->look), series->look.colour,
        series->look.dash == SPOT_CHART_SOLID ? "" : " dt 2");
    write_quoted(self->out, series->look.name);
}

/* Stacked areas from the top down: those in steps go down to 0. */
static void
write_panel(script_t *self)
{
    const spot_chart_panel_node_t *panel = self->panel;

    fputs("set title ", self->out);
    write_quoted(self->out, panel->look.title);
    fputc('\n', self->out);
    self->x_unit = write_axis(self, true);
    self->y_unit = write_axis(self, false);
    write_x_labels(self);
    write_rules(self);
    for (size_t k = 0; k < panel->num_series; k++) {
        write_data(self, k);
    }
    fputs("plot NaN notitle", self->out);
    for (size_t k = panel->num_series; k-- > 0;) {
        if (spot_chart_is_area(panel->series[k].look.kind)) {
            write_series(self, k);
        }
    }
    for (size_t k = 0; k < panel->num_series; k++) {
        if (!spot_chart_is_area(panel->series[k].look.kind)) {
            write_series(self, k);
        }
    }
    fputc('\n', self->out);
}

int
spot_chart_script(spot_chart_t *self, const char *picture_path, FILE *out)
{
    const int ret = spot_chart_stack(self);

    if (ret != 0) {
        return ret;
    }
    fprintf(out,
        "set encoding utf8\nset terminal svg size 900,%zu noenhanced font 'Inter,12' "
        "background 'white'\nset output ",
        PANEL_PX * (self->num_panels > 0 ? self->num_panels : 1));
    write_quoted(out, picture_path);
    fputs("\nset border 3\nset tics nomirror\nset grid\nset key outside right\n", out);
    fprintf(out, "set multiplot layout %zu,1 title ",
        self->num_panels > 0 ? self->num_panels : 1);
    write_quoted(out, self->title);
    fputc('\n', out);
    for (size_t j = 0; j < self->num_panels; j++) {
        write_panel(&(script_t){.out = out,
            .chart = self,
            .panel = &self->panels[j],
            .panel_id = j,
            .x_unit = 1,
            .y_unit = 1});
    }
    fputs("unset multiplot\n", out);
    return ferror(out) ? SPOT_ERR_IO : 0;
}
