/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/draw.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/files.h"
#include "base/memory.h"
#include "base/memory_limit.h"
#include "base/outfile.h"
#include "base/watch.h"
#include "reports/chart/layout.h"
#include "reports/chart/scale.h"
#include "reports/chart/svg.h"

/* ---- A gnuplot script ---- */

#define PANEL_PX 340

typedef struct {
    FILE *out;
    spot_chart_t *chart;
    const spot_panel_node_t *panel;
    size_t panel_id;
    double unit[2]; /* what a 1 of the script is in the declaration */
} script_t;

/* A text in quotes. A line end would end the command, and what is behind it would be
 * run; a quote becomes a typographic one: gnuplot knows no escape for it in all places.
 */
static const char *quoted(spot_chart_t *chart, const char *text)
{
    FILE *out = spot_texts_begin(&chart->memory.texts);

    for (const char *at = text; at != NULL && out != NULL && *at != '\0'; at++) {
        const unsigned char byte = (unsigned char) *at;

        if (byte == '\'') {
            fputs("’", out);
        } else {
            fputc(byte < 0x20 || byte == 0x7f ? ' ' : byte, out);
        }
    }
    return spot_texts_add(&chart->memory.texts, "'%s'", spot_texts_end(&chart->memory.texts, out));
}

/* ---- Axes of a script ---- */

/* Name, scale, ends and ticks. */
static void write_axis(script_t *self, int dim)
{
    const spot_chart_axis_t *axis = spot_chart_axis(self->panel, dim);
    const char sign = dim == SPOT_X ? 'x' : 'y';
    FILE *out = self->out;
    spot_scale_t scale;

    spot_sheet_scale(self->chart, self->panel, dim, 8, &scale);
    self->unit[dim] = scale.unit;
    fprintf(out, "set %clabel %s", sign, quoted(self->chart, axis->name));
    fprintf(out, scale.time_name == NULL ? "\n" : " . ' (%s)'\n", scale.time_name);
    fprintf(out, "%s logscale %c\nset %crange [%.10g:%.10g]\nset %ctics auto format '%%g%s'\n",
        axis->kind == SPOT_CHART_LOG ? "set" : "unset", sign, sign, scale.low / scale.unit,
        scale.high / scale.unit, sign, axis->unit == SPOT_CHART_PERCENT ? " %%" : "");
    if (axis->kind != SPOT_CHART_ROWS) {
        fprintf(out, "set %crange [] noreverse\n", sign);
        return;
    }
    fprintf(out, "%sset %ctics ()\n", dim == SPOT_X ? "" : "set yrange [] reverse\n", sign);
    for (size_t j = 0; j < self->panel->num_rows; j++) {
        fprintf(out, "set %ctics add (%s %zu)\n", sign,
            quoted(self->chart, self->panel->rows[j].name), j);
    }
}

static void write_x_labels(const script_t *self)
{
    fputs(self->panel->num_x_labels > 0 ? "set xtics ()\n" : "", self->out);
    for (size_t j = 0; j < self->panel->num_x_labels; j++) {
        const spot_x_label_t *label = &self->panel->x_labels[j];

        if (isfinite(label->x)) {
            fprintf(self->out, "set xtics add (%s %.10g)\n", quoted(self->chart, label->label),
                label->x / self->unit[SPOT_X]);
        }
    }
}

static void write_rules(const script_t *self)
{
    fputs("unset arrow\n", self->out);
    for (size_t j = 0; j < self->panel->num_rules; j++) {
        const spot_chart_rule_t *rule = &self->panel->rules[j];
        const double x = rule->at / self->unit[SPOT_X], y = rule->at / self->unit[SPOT_Y];

        if (rule->direction == SPOT_CHART_DIAGONAL) {
            fputs("set arrow from graph 0, graph 0 to graph 1, graph 1", self->out);
        } else if (!isfinite(rule->at)) {
            continue;
        } else if (rule->direction == SPOT_CHART_VERTICAL) {
            fprintf(self->out, "set arrow from first %.10g, graph 0 to first %.10g, graph 1", x, x);
        } else {
            fprintf(self->out, "set arrow from graph 0, first %.10g to graph 1, first %.10g", y, y);
        }
        fprintf(self->out, " nohead dt 2 lc rgb '%s'\n", rule->colour);
    }
}

/* ---- Data of a script ---- */

/* Columns: x, y, x low, x high, y low, y high, base. Where there is no interval its ends
 * are the value: gnuplot leaves out points without them. Bars and spans are intervals.
 */
static void write_datum(const script_t *self, const spot_series_node_t *series, size_t datum_id)
{
    const spot_chart_datum_t *datum = &series->data[datum_id];
    const int along = series->along;
    spot_chart_shape_t shape = series->shapes[datum_id];
    double columns[7] = {datum->x, datum->y, datum->x, datum->x, datum->y, datum->y};

    if (isnan(datum->x + datum->y)) {
        fputc('\n', self->out); /* a gap */
        return;
    }
    if (series->is_box) {
        shape.low[along] = shape.base;
        shape.high[along] = shape.at[along];
        shape.low[!along] = shape.at[!along] - series->thickness / 2;
        shape.high[!along] = shape.at[!along] + series->thickness / 2;
    }
    for (int dim = 0; dim < 2; dim++) {
        if (shape.high[dim] > shape.low[dim]) {
            columns[2 + 2 * dim] = shape.low[dim];
            columns[3 + 2 * dim] = shape.high[dim];
        }
    }
    columns[6] = shape.base;
    for (int j = 0; j < 7; j++) {
        const double value = columns[j] / self->unit[j < 6 ? (j < 2 ? j : j / 2 - 1) : along];

        if (isfinite(value)) {
            fprintf(self->out, "%.10g%s", value, j < 6 ? " " : "\n");
        } else {
            fputs(j < 6 ? "NaN " : "NaN\n", self->out);
        }
    }
}

static void write_data(const script_t *self, size_t series_id)
{
    const spot_series_node_t *series = &self->panel->series[series_id];

    fprintf(self->out, "$data%zu_%zu << EOD\n", self->panel_id, series_id);
    for (size_t j = 0; j < series->num_data; j++) {
        write_datum(self, series, j);
    }
    fputs("EOD\n", self->out);
}

/* ---- Plots of a script ---- */

/* A series with its band, if any datum has an interval: an empty band is not drawn. */
static void write_series(const script_t *self, size_t series_id)
{
    static const char *const styles[] = {[SPOT_CHART_LINE] = "using 1:2 with lines lw 2",
        [SPOT_CHART_STEPS] = "using 1:2 with steps lw 2",
        [SPOT_CHART_POINTS] = "using 1:2:3:4:5:6 with xyerrorbars pt 7 ps 0.6",
        [SPOT_CHART_AREA] = "using 1:7:($7+$2) with filledcurves fs solid 1",
        [SPOT_CHART_AREA_STEPS] = "using 1:($7+$2) with fillsteps fs solid 1",
        [SPOT_CHART_BARS] = "using 1:2:3:4:5:6 with boxxyerror fs solid 1",
        [SPOT_CHART_SPANS] = "using 1:2:3:4:5:6 with boxxyerror fs solid 1",
        [SPOT_CHART_STROKES] = "using 1:2 with impulses"};
    const spot_series_node_t *series = &self->panel->series[series_id];
    const spot_chart_series_t *look = &series->look;
    bool has_band = false;

    for (size_t j = 0; j < series->num_data && series->is_line; j++) {
        has_band = has_band || !isnan(series->shapes[j].low[SPOT_Y]);
    }
    if (has_band) {
        fprintf(self->out,
            ", \\\n$data%zu_%zu using 1:5:6 with filledcurves fs transparent solid 0.2 "
            "lc rgb '%s' notitle",
            self->panel_id, series_id, look->colour);
    }
    if (series->num_data > 0) {
        const bool is_faint = look->is_alone && look->kind == SPOT_CHART_AREA;

        fprintf(self->out, ", \\\n$data%zu_%zu %s lc rgb '%s'%s", self->panel_id, series_id,
            is_faint ? "using 1:5:2 with filledcurves fs solid 0.3" : styles[look->kind],
            look->colour, look->dash == SPOT_CHART_SOLID ? "" : " dt 2");
        fprintf(self->out, " title %s", quoted(self->chart, look->name));
    }
}

/* Stacked areas from the top down: those in steps go down to 0. */
static void write_panel(script_t *self)
{
    const size_t num_series = self->panel->num_series;

    fprintf(self->out, "set title %s\n", quoted(self->chart, self->panel->look.title));
    write_axis(self, SPOT_X);
    write_axis(self, SPOT_Y);
    write_x_labels(self);
    write_rules(self);
    for (size_t k = 0; k < num_series; k++) {
        write_data(self, k);
    }
    fputs("plot NaN notitle", self->out);
    for (size_t k = 0; k < 2 * num_series; k++) {
        const size_t id = k < num_series ? num_series - 1 - k : k - num_series;

        if (self->panel->series[id].is_area == (k < num_series)) {
            write_series(self, id);
        }
    }
    fputc('\n', self->out);
}

/* The script draws an SVG to picture_path, a name without quotes or line ends: one panel
 * below the other, with what was declared of axes, series and rules. NO_MEMORY, IO, or
 * the error of the declaration. */
static int chart_script(spot_chart_t *self, const char *picture_path, FILE *out)
{
    const size_t num_panels = self->num_panels > 0 ? self->num_panels : 1;

    if (spot_chart_error(self) != 0) {
        return spot_chart_error(self);
    }
    fprintf(out,
        "set encoding utf8\nset terminal svg size 900,%zu noenhanced font 'Inter,12' "
        "background 'white'\nset output %s\nset border 3\nset tics nomirror\nset grid\n"
        "set key outside right\nset multiplot layout %zu,1 title %s\n",
        PANEL_PX * num_panels, quoted(self, picture_path), num_panels, quoted(self, self->title));
    for (size_t j = 0; j < self->num_panels; j++) {
        write_panel(
            &(script_t){.out = out, .chart = self, .panel = &self->panels[j], .panel_id = j});
    }
    fputs("unset multiplot\n", out);
    return ferror(out) ? SPOT_ERR_IO : spot_chart_error(self);
}

/* ---- Paths of pictures ---- */

/* ---- Formats ---- */

extern char **environ;

#define MAX_EDGE 32     /* bytes that are looked at */
#define MAX_MESSAGE 400 /* bytes */
#define PAUSE_NS 2000000

/* Blanks and ends of lines may follow the last bytes of a text. rsvg-convert keeps the
 * layout of the SVG and embeds its font in a PDF. */
static const struct {
    const char *suffix;
    const char *first;
    size_t num_first;
    const char *last;
    size_t num_last;
    char arguments[3][16]; /* of rsvg-convert */
} formats[SPOT_NUM_FORMATS] = {
    [SPOT_FORMAT_SVG] = {"svg", "<", 1, "</svg>", 6, {""}},
    [SPOT_FORMAT_PNG] = {"png", "\x89PNG\r\n\x1a\n", 8, "\0\0\0\0IEND\xae\x42\x60\x82", 12,
        {"rsvg-convert", "--format=png", "--zoom=2"}},
    [SPOT_FORMAT_PDF] = {"pdf", "%PDF-", 5, "%%EOF", 5,
        {"rsvg-convert", "--format=pdf", "--zoom=1"}},
};

const char *spot_format_suffix(spot_picture_format_t format)
{
    return formats[format].suffix;
}

bool spot_format_is_whole(spot_picture_format_t format, FILE *drawn)
{
    const size_t num_first = formats[format].num_first;
    const size_t num_last = formats[format].num_last;
    char bytes[MAX_EDGE];
    size_t num_bytes;

    rewind(drawn);
    num_bytes = fread(bytes, 1, num_first, drawn);
    if (num_bytes < num_first || memcmp(bytes, formats[format].first, num_first) != 0 ||
        fseek(drawn, -(long) sizeof(bytes), SEEK_END) != 0) {
        return false;
    }
    num_bytes = fread(bytes, 1, sizeof(bytes), drawn);
    while (num_bytes > 0 && (bytes[num_bytes - 1] == ' ' || bytes[num_bytes - 1] == '\n')) {
        num_bytes--;
    }
    return num_bytes >= num_last &&
           memcmp(bytes + num_bytes - num_last, formats[format].last, num_last) == 0;
}

/* ---- rsvg-convert ---- */

/* Its input, output and messages go through files without a name, not through pipes: no
 * deadlock and no SIGPIPE, whatever it does. */
enum { INPUT, OUTPUT, MESSAGES, NUM_STREAMS };

/* Starts it; 0 or an error number. */
static int start(pid_t *child, spot_picture_format_t format, FILE *const *streams)
{
    char arguments[3][16];
    char *list[] = {arguments[0], arguments[1], arguments[2], NULL};
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);

    if (error != 0) {
        return error;
    }
    memcpy(arguments, formats[format].arguments, sizeof(arguments));
    for (int j = 0; error == 0 && j < NUM_STREAMS; j++) {
        error = posix_spawn_file_actions_adddup2(&actions, fileno(streams[j]), j);
    }
    if (error == 0) {
        spot_memory_limit_lift();
        error = posix_spawnp(child, list[0], &actions, NULL, list, environ);
        spot_memory_limit_enforce();
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Waits for the child, and ends it when this process is stopped. */
static int wait_for(pid_t child)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    int status = 0;
    pid_t ended;

    atomic_store(&spot_stop_child, (int) child);
    while ((ended = waitpid(child, &status, WNOHANG)) == 0) {
        if (atomic_load(&spot_stop) != 0) {
            kill(child, SIGTERM);
        }
        nanosleep(&pause, NULL);
    }
    atomic_store(&spot_stop_child, 0);
    if (atomic_load(&spot_stop) != 0) {
        return SPOT_ERR_INTERRUPTED;
    }
    return ended == child && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : SPOT_ERR_CHILD;
}

/* The last line of messages that says something. */
static void last_message(FILE *messages, char text[MAX_MESSAGE])
{
    char line[MAX_MESSAGE];

    strcpy(text, "it gives no reason");
    rewind(messages);
    while (fgets(line, sizeof(line), messages) != NULL) {
        const char *words = line + strspn(line, " \t\n");

        if (*words != '\0') {
            snprintf(text, MAX_MESSAGE, "%.*s", (int) strcspn(words, "\n"), words);
        }
    }
}

static int convert(
    spot_picture_format_t format, FILE *const *streams, const char *path, spot_diag_t *diag)
{
    char reason[MAX_MESSAGE];
    int error, ret = SPOT_ERR_CHILD;
    pid_t child;

    if (atomic_load(&spot_stop) != 0) {
        return SPOT_ERR_INTERRUPTED;
    }
    error = start(&child, format, streams);
    if (error == ENOENT) {
        spot_diag_error(diag, path, 0, 0,
            "rsvg-convert is not installed: install the package librsvg2-bin to draw "
            "pictures");
    } else if (error != 0) {
        spot_diag_error(diag, path, 0, 0, "rsvg-convert cannot be started: %s", strerror(error));
    } else if ((ret = wait_for(child)) == SPOT_ERR_CHILD) {
        last_message(streams[MESSAGES], reason);
        spot_diag_error(diag, path, 0, 0, "rsvg-convert failed: %s", reason);
    }
    return ret;
}

static int copy_picture(
    spot_picture_format_t format, FILE *drawn, FILE *out, const char *path, spot_diag_t *diag)
{
    char bytes[8192];
    size_t num_bytes;

    if (!spot_format_is_whole(format, drawn)) {
        spot_diag_error(diag, path, 0, 0,
            "rsvg-convert drew no whole picture: is there space for temporary files?");
        return SPOT_ERR_CHILD;
    }
    rewind(drawn);
    while ((num_bytes = fread(bytes, 1, sizeof(bytes), drawn)) > 0) {
        (void) fwrite(bytes, 1, num_bytes, out); /* its error shows at the commit */
    }
    return 0;
}

/* ---- Drawing ---- */

/* The chart of a declaration, or NULL with an error. */
static spot_chart_t *declare_chart(spot_declare_t declare, const void *context, int *error)
{
    spot_chart_t *chart = spot_chart_new();

    *error = chart == NULL ? SPOT_ERR_NO_MEMORY : declare(chart, context);
    if (*error == 0) {
        *error = spot_chart_error(chart);
    }
    if (*error != 0) {
        spot_chart_free(chart);
        return NULL;
    }
    return chart;
}

static int write_svg(spot_declare_t declare, const void *context, FILE *out)
{
    int ret;
    spot_chart_t *chart = declare_chart(declare, context, &ret);

    if (ret == 0) {
        ret = spot_chart_svg(chart, SPOT_CHART_WIDE_PX, out);
    }
    spot_chart_free(chart);
    return ret;
}

int spot_draw_stream(spot_declare_t declare, const void *context, spot_picture_format_t format,
    FILE *out, const char *path, spot_diag_t *diag)
{
    FILE *streams[NUM_STREAMS] = {NULL};
    int ret = 0;

    if (format == SPOT_FORMAT_SVG) {
        return write_svg(declare, context, out);
    }
    for (int j = 0; ret == 0 && j < NUM_STREAMS; j++) {
        streams[j] = tmpfile();
        ret = streams[j] == NULL ? SPOT_ERR_IO : 0;
    }
    if (ret == 0) {
        ret = write_svg(declare, context, streams[INPUT]);
    }
    if (ret == SPOT_ERR_IO ||
        (ret == 0 && (fflush(streams[INPUT]) != 0 || fseek(streams[INPUT], 0, SEEK_SET) != 0))) {
        spot_diag_error(diag, path, 0, 0, "cannot make a temporary file: %s", strerror(errno));
        ret = SPOT_ERR_IO;
    }
    if (ret == 0) {
        ret = convert(format, streams, path, diag);
    }
    if (ret == 0) {
        ret = copy_picture(format, streams[OUTPUT], out, path, diag);
    }
    for (int j = 0; j < NUM_STREAMS && streams[j] != NULL; j++) {
        fclose(streams[j]);
    }
    return ret;
}

int spot_draw_file(spot_declare_t declare, const void *context, spot_picture_format_t format,
    const char *path, spot_diag_t *diag)
{
    const size_t num_errors = diag->num_errors;
    spot_outfile_t picture;
    int ret = spot_outfile_init(&picture, path, diag);

    if (ret == 0) {
        ret = spot_draw_stream(declare, context, format, picture.stream,
            path == NULL ? "standard output" : path, diag);
    }
    if (ret == SPOT_ERR_IO && diag->num_errors > num_errors) {
        spot_outfile_free(&picture); /* its cause is known */
        return ret;
    }
    return spot_outfile_close(&picture, ret, diag);
}

int spot_draw_page(spot_declare_t declare, const void *context, bool has_title, FILE *out)
{
    int ret;
    spot_chart_t *chart = declare_chart(declare, context, &ret);

    if (ret == 0) {
        ret = spot_chart_svg_inline(chart, SPOT_CHART_WIDE_PX, has_title, out);
    }
    if (ret == 0) {
        ret = spot_chart_svg_inline(chart, SPOT_CHART_NARROW_PX, has_title, out);
    }
    spot_chart_free(chart);
    return ret;
}

int spot_draw_script(
    spot_declare_t declare, const void *context, const char *picture_path, FILE *out)
{
    int ret;
    spot_chart_t *chart = declare_chart(declare, context, &ret);

    if (ret == 0) {
        ret = chart_script(chart, picture_path, out);
    }
    spot_chart_free(chart);
    return ret;
}
