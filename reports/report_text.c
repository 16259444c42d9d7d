/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/report_text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "reports/answer.h"
#include "reports/result_table.h"
#include "reports/sparkline.h"
#include "reports/study_curves.h"
#include "reports/study_words.h"
#include "reports/table/text_cell.h"

/* Lines of a part; of more the number is told. */
#define MAX_LINES 60

#define MIN_LINE_CHARS 30 /* for what stands beside a label */
#define MAX_BAR_CHARS 60
#define MIN_BAR_CHARS 10

/* Labels that take more than a part of the terminal have lines of their own. */
static bool
has_own_lines(const spot_terminal_t *terminal, int label_width)
{
    return label_width > 0 && (label_width > terminal->width / 2 ||
                                  terminal->width - label_width < MIN_LINE_CHARS);
}

/* Makes a width at least as wide as the text, in characters. */
static void
widen(int *width, const char *text)
{
    const int needed = (int) spot_utf8_count(text, strlen(text));

    *width = *width > needed ? *width : needed;
}

/* The label of a line, none where there is nothing to tell. */
static void
write_label(
    const spot_terminal_t *terminal, const char *text, int label_width, FILE *out)
{
    const int num_blanks = label_width - (int) spot_utf8_count(text, strlen(text));

    if (has_own_lines(terminal, label_width)) {
        fprintf(out, "%s\n  ", text);
    } else if (label_width > 0) {
        fprintf(out, "%s%*s", text, 2 + (num_blanks > 0 ? num_blanks : 0), "");
    }
}

static void
write_more(size_t num_lines, size_t num_shown, FILE *out)
{
    if (num_lines > num_shown) {
        fprintf(out, "and %zu more\n", num_lines - num_shown);
    }
}

/* ---- Sparklines ---- */

typedef struct {
    const spot_curves_t *curves;
    const spot_terminal_t *terminal;
    FILE *out;
    size_t num_lines; /* panels shown */
    int label_width;
    int end_widths[2];       /* of the first and the last value of a line */
    spot_shown_unit_t shown; /* factor 100 for percent */
    double low, high;
    double *values; /* room for those of a line */
} lines_t;

static void
label_of(const lines_t *self, size_t panel_id, char text[SPOT_POINT_BYTES])
{
    const spot_curves_t *curves = self->curves;

    spot_panel_words(curves->head, spot_curves_point(curves, panel_id, 0),
        curves->axis_id, (size_t) self->terminal->width, text);
}

/* Reads the values of a line; returns how many. */
static size_t
read_line(const lines_t *self, size_t panel_id)
{
    const size_t num_x = spot_curves_num_x(self->curves, panel_id);

    for (size_t j = 0; j < num_x; j++) {
        self->values[j] =
            spot_curves_at(self->curves, panel_id, j, self->curves->y_id)->value *
            self->shown.factor;
    }
    return num_x;
}

/* The first or last value of the line that was read, "-" where it is undefined. */
static void
end_text(const lines_t *self, size_t num_x, int end, char text[SPOT_LABEL_BYTES + 4])
{
    char number[SPOT_LABEL_BYTES];
    const int num_chars =
        spot_short_number(self->values[end == 0 ? 0 : num_x - 1], number);

    snprintf(text, SPOT_LABEL_BYTES + 4, "%s%s", num_chars == 0 ? "-" : number,
        self->shown.factor == 100 && num_chars > 0 ? " %" : "");
}

static void
measure_lines(lines_t *self)
{
    char text[SPOT_POINT_BYTES], end[SPOT_LABEL_BYTES + 4];

    self->low = HUGE_VAL;
    self->high = -HUGE_VAL;
    for (size_t j = 0; j < self->num_lines; j++) {
        const size_t num_x = read_line(self, j);

        label_of(self, j, text);
        widen(&self->label_width, text);
        for (int k = 0; k < 2; k++) {
            end_text(self, num_x, k, end);
            widen(&self->end_widths[k], end);
        }
        for (size_t k = 0; k < num_x; k++) {
            self->low = fmin(self->low, self->values[k]); /* of NAN: the other */
            self->high = fmax(self->high, self->values[k]);
        }
    }
}

/* "pipeline depth 8  3.28 % ▁▂▃▅▆▇ 87.3 %". */
static void
write_line(const lines_t *self, size_t panel_id)
{
    const int label_width =
        has_own_lines(self->terminal, self->label_width) ? 0 : self->label_width;
    const int num_left = self->terminal->width - label_width - self->end_widths[0] -
                         self->end_widths[1] - 4;
    const size_t num_x = read_line(self, panel_id);
    char text[SPOT_POINT_BYTES], end[SPOT_LABEL_BYTES + 4], line[SPOT_SPARKLINE_BYTES];

    label_of(self, panel_id, text);
    write_label(self->terminal, text, self->label_width, self->out);
    end_text(self, num_x, 0, end);
    fprintf(self->out, "%*s%s",
        self->end_widths[0] - (int) spot_utf8_count(end, strlen(end)), "", end);
    spot_sparkline(self->values, num_x, self->low, self->high,
        num_left > 4 ? (size_t) num_left : 4, self->terminal->is_utf8, line);
    end_text(self, num_x, 1, end);
    fprintf(self->out, " %s %s\n", line, end);
}

/* "idle along preemption per minute, at 11 values from 0 to 0.5": a character is a
 * value, however far it is from the next one. */
static void
write_lines_title(const lines_t *self, const char *name)
{
    const spot_curves_t *curves = self->curves;
    char words[SPOT_WORDS_BYTES], low[SPOT_LABEL_BYTES], high[SPOT_LABEL_BYTES];

    spot_x_words(curves->head, curves->axis_id, words);
    (void) spot_short_number(curves->x_low, low);
    (void) spot_short_number(curves->x_high, high);
    fprintf(self->out, "\n%s%s%s along ", spot_style_on(self->terminal, SPOT_STYLE_BOLD),
        name, spot_style_off(self->terminal, SPOT_STYLE_BOLD));
    spot_text_write(self->out, words);
    if (curves->x_low < curves->x_high) {
        fprintf(self->out, ", at %zu values from %s to %s\n",
            curves->head->axes[curves->axis_id].num_values, low, high);
    } else {
        fprintf(self->out, ", at %s\n", low);
    }
}

int
spot_sparklines_write(
    const spot_report_t *report, const spot_terminal_t *terminal, FILE *out)
{
    const char *problem = NULL;
    char words[SPOT_WORDS_BYTES];
    spot_curves_t curves;
    lines_t lines = {.curves = &curves, .terminal = terminal, .out = out};
    int ret = spot_curves_init(&curves, report, &problem);

    if (ret == 0 && !curves.is_scattered && !curves.has_all_in_one) {
        lines.num_lines = curves.num_panels < MAX_LINES ? curves.num_panels : MAX_LINES;
        lines.shown = spot_report_shown(report, (size_t) curves.y_id);
        (void) spot_fraction_words_in(
            &report->head->metrics[curves.y_id], lines.shown.unit, words);
        lines.values = spot_calloc(report->head->num_points, sizeof(*lines.values));
        ret = lines.values == NULL ? SPOT_ERR_NO_MEMORY : 0;
    }
    if (lines.values != NULL) {
        measure_lines(&lines);
    }
    if (lines.values != NULL && lines.low <= lines.high) { /* something is defined */
        write_lines_title(&lines, words);
        for (size_t j = 0; j < lines.num_lines; j++) {
            write_line(&lines, j);
        }
        write_more(curves.num_panels, lines.num_lines, out);
    }
    free(lines.values);
    spot_curves_free(&curves);
    return problem != NULL ? 0 : ret;
}

/* ---- Where the time goes ---- */

/* Letters of parts; those beyond share one. */
static const char all_letters[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-";
#define MAX_LETTERS (sizeof(all_letters) - 1)
#define ONE_MORE_LETTER '*'

/* A letter for each part: the first of its name that no part before it has. */
static void
choose_letters(const spot_study_head_t *head, char letters[MAX_LETTERS + 1])
{
    const spot_overview_t *overview = &head->overview;

    memset(letters, 0, MAX_LETTERS + 1);
    for (size_t j = 0; j < overview->num_parts && j < MAX_LETTERS; j++) {
        const char *name = head->metrics[overview->part_ids[j]].name;
        const char *place = name;

        while (*place != '\0' &&
               (!isalpha((unsigned char) *place) || strchr(letters, *place) != NULL)) {
            place++;
        }
        for (const char *other = all_letters; *place == '\0' && *other != '\0';
             other++) {
            place = strchr(letters, *other) == NULL ? other : place;
        }
        letters[j] = *place;
    }
}

static char
letter_of(const char letters[MAX_LETTERS + 1], size_t part_id)
{
    return part_id < MAX_LETTERS ? letters[part_id] : ONE_MORE_LETTER;
}

/* Each part ends where the sum so far does, so that rounding moves nothing far. */
static void
write_bar(const spot_report_t *report, size_t point_id, const char *letters,
    size_t num_chars, FILE *out)
{
    const spot_overview_t *overview = &report->head->overview;
    double sum = 0;
    size_t num_written = 0;

    for (size_t j = 0; j < overview->num_parts; j++) {
        const double mean =
            spot_report_summary(report, point_id, overview->part_ids[j])->value;

        sum += isfinite(mean) ? mean : 0;
        while (num_written < num_chars &&
               (double) num_written + 0.5 < sum * (double) num_chars) {
            fputc(letter_of(letters, j), out);
            num_written++;
        }
    }
    fputc('\n', out);
}

/* Whether a part is more than nothing at any point. */
static bool
is_part_seen(const spot_report_t *report, size_t part_id)
{
    const size_t metric_id = report->head->overview.part_ids[part_id];

    for (size_t j = 0; j < report->head->num_points; j++) {
        if (spot_report_summary(report, j, metric_id)->value > 0) {
            return true;
        }
    }
    return false;
}

static void
write_bar_legend(const spot_report_t *report, const spot_terminal_t *terminal,
    const char *letters, FILE *out)
{
    const spot_study_head_t *head = report->head;
    char words[SPOT_WORDS_BYTES];
    int column = 0;

    fprintf(out, "\n%sWhere the time goes%s\n", spot_style_on(terminal, SPOT_STYLE_BOLD),
        spot_style_off(terminal, SPOT_STYLE_BOLD));
    for (size_t j = 0; j < head->overview.num_parts; j++) {
        int width = 4;

        if (!is_part_seen(report, j)) {
            continue;
        }
        (void) spot_fraction_words(&head->metrics[head->overview.part_ids[j]], words);
        width += (int) spot_utf8_count(words, strlen(words));
        if (column > 0 && column + width > terminal->width) {
            fputc('\n', out);
            column = 0;
        }
        fprintf(out, "%s%c %s", column > 0 ? "  " : "", letter_of(letters, j), words);
        column += width;
    }
    fputc('\n', out);
}

void
spot_ledger_bars_write(
    const spot_report_t *report, const spot_terminal_t *terminal, FILE *out)
{
    const spot_study_head_t *head = report->head;
    const size_t num_lines = head->num_points < MAX_LINES ? head->num_points : MAX_LINES;
    char letters[MAX_LETTERS + 1], text[SPOT_POINT_BYTES];
    int label_width = 0, bar_width;
    bool has_any = false;

    for (size_t j = 0; head->has_overview && j < head->overview.num_parts; j++) {
        has_any = has_any || is_part_seen(report, j);
    }
    if (!has_any) {
        return;
    }
    choose_letters(head, letters);
    write_bar_legend(report, terminal, letters, out);
    for (size_t j = 0; j < num_lines; j++) {
        spot_point_words(head, j, (size_t) terminal->width, text);
        widen(&label_width, text);
    }
    bar_width =
        terminal->width - (has_own_lines(terminal, label_width) ? 0 : label_width) - 2;
    bar_width = bar_width < MIN_BAR_CHARS ? MIN_BAR_CHARS : bar_width;
    bar_width = bar_width > MAX_BAR_CHARS ? MAX_BAR_CHARS : bar_width;
    for (size_t j = 0; j < num_lines; j++) {
        spot_point_words(head, j, (size_t) terminal->width, text);
        write_label(terminal, text, label_width, out);
        write_bar(report, j, letters, (size_t) bar_width, out);
    }
    write_more(head->num_points, num_lines, out);
}

/* ---- All ---- */

int
spot_report_text_write(
    const spot_report_t *report, const spot_terminal_t *terminal, FILE *out)
{
    int ret;

    fputs(spot_style_on(terminal, SPOT_STYLE_BOLD), out);
    spot_text_write(out, spot_study_title(report->head));
    fprintf(out, "%s\n", spot_style_off(terminal, SPOT_STYLE_BOLD));
    ret = spot_answer_write(report, out);
    if (report->num_rows == 0) { /* the answer says so */
        fputc('\n', out);
        return ret == 0 && ferror(out) ? SPOT_ERR_IO : ret;
    }
    fputs("\n\n", out);
    if (ret == 0) {
        ret = spot_result_tables_write(report, terminal, out);
    }
    if (ret == 0) {
        ret = spot_sparklines_write(report, terminal, out);
    }
    if (ret == 0) {
        spot_ledger_bars_write(report, terminal, out);
    }
    return ret == 0 && ferror(out) ? SPOT_ERR_IO : ret;
}
