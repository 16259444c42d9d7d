/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/report_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/memory.h"
#include "base/outfile.h"
#include "base/utf8.h"
#include "base/verb/terminal.h"
#include "reports/answer.h"
#include "reports/doubts.h"
#include "reports/draw.h"
#include "reports/plan_report.h"
#include "reports/race_report.h"
#include "reports/run_chart.h"
#include "reports/run_series.h"
#include "reports/study_parts.h"
#include "reports/study_pictures.h"
#include "reports/words.h"
#include "sim/bench/analysis/summary.h"
#include "sim/bench/store/series_rows.h"

/* ---- Text on a terminal ---- */

#define MAX_LINES 60 /* of a part; of more only the number is printed */
#define MAX_BAR_CHARS 60
#define MAX_TABLE_POINTS 10000 /* where all of them are in a file too */

/* What stands beside a label, or below it where labels take more than half of a line. */
typedef struct {
    const char *label, *text;
} line_t;

static int label_width(const line_t *lines, size_t num_lines)
{
    int width = 0;

    for (size_t j = 0; j < num_lines && j < MAX_LINES; j++) {
        const int own = spot_wrap_width(lines[j].label, strlen(lines[j].label));

        width = own > width ? own : width;
    }
    return width;
}

static void write_labelled(const line_t *lines, size_t num_lines, spot_document_t *document)
{
    const int width = label_width(lines, num_lines);

    for (size_t j = 0; j < num_lines && j < MAX_LINES; j++) {
        const char *label = lines[j].label;

        if (width > document->terminal->width / 2) {
            spot_document_paragraph(document, "%s", label);
            spot_document_item(document, "%s", lines[j].text);
        } else {
            spot_document_paragraph(document, "%s%*s%s", label,
                width == 0 ? 0 : width + 2 - spot_wrap_width(label, strlen(label)), "",
                lines[j].text);
        }
    }
    if (num_lines > MAX_LINES) {
        spot_document_paragraph(document, "and %zu more", num_lines - MAX_LINES);
    }
}

/* ---- Sparklines ---- */

#define NUM_LEVELS 8

static const char *const blocks[NUM_LEVELS] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
static const char *const letters[NUM_LEVELS] = {"_", ".", "-", "~", "=", "+", "*", "#"};

/* Of those that are finite, else NAN. */
static double mean_of(const double *values, size_t num_values)
{
    double sum = 0;
    size_t num_finite = 0;

    for (size_t j = 0; j < num_values; j++) {
        if (isfinite(values[j])) {
            num_finite++;
            sum += (values[j] - sum) / (double) num_finite;
        }
    }
    return num_finite == 0 ? (double) NAN : sum;
}

static size_t level_of(double value, double low, double high)
{
    if (!(high > low)) {
        return NUM_LEVELS / 2 - 1;
    }
    return (size_t) fmax(0, fmin(NUM_LEVELS - 1, floor((value - low) / (high - low) * NUM_LEVELS)));
}

const char *spot_sparkline(spot_texts_t *texts, const double *values, size_t num_values, double low,
    double high, size_t max_chars, bool is_utf8)
{
    const size_t num_chars = num_values < max_chars ? num_values : max_chars;
    char *text = spot_texts_room(texts, num_chars * strlen(blocks[0]) + 1);

    for (size_t j = 0; text != NULL && j < num_chars; j++) {
        const size_t first = j * num_values / num_chars;
        const size_t end = (j + 1) * num_values / num_chars;
        const double value = mean_of(values + first, end - first);

        strcat(text, isnan(value) ? " " : (is_utf8 ? blocks : letters)[level_of(value, low, high)]);
    }
    return text == NULL ? "" : text;
}

typedef struct {
    const spot_curves_t *curves;
    spot_shown_unit_t shown; /* factor 100 for percent */
    spot_document_t *document;
    double low, high; /* of all lines */
    double *values;   /* room for those of a line */
} lines_t;

static const spot_summary_t *curves_at(
    const spot_curves_t *self, size_t panel_id, size_t x_id, int32_t metric_id)
{
    return spot_report_summary(
        self->report, spot_curves_point(self, panel_id, x_id), (size_t) metric_id);
}

/* Reads the values of a line; returns how many. */
static size_t read_line(const lines_t *self, size_t panel_id)
{
    const size_t num_x = spot_curves_num_x(self->curves, panel_id);

    for (size_t j = 0; j < num_x; j++) {
        self->values[j] =
            curves_at(self->curves, panel_id, j, self->curves->y_id)->value * self->shown.factor;
    }
    return num_x;
}

/* "3.28 %", "-" where it is undefined. */
static const char *end_of(const lines_t *self, double value)
{
    spot_texts_t *texts = &self->document->texts;

    return isfinite(value) ? spot_texts_add(texts, "%s%s", spot_words_number(texts, value),
                                 self->shown.factor == 100 ? " %" : "")
                           : "-";
}

/* "▁▂▃▅▆▇  3.28 % to 87.3 %". */
static const char *line_of(const lines_t *self, size_t panel_id)
{
    const spot_terminal_t *terminal = self->document->terminal;
    spot_texts_t *texts = &self->document->texts;
    const size_t num_x = read_line(self, panel_id);

    return spot_texts_add(texts, "%s  %s to %s",
        spot_sparkline(texts, self->values, num_x, self->low, self->high,
            (size_t) terminal->width / 2, terminal->is_utf8),
        end_of(self, self->values[0]), end_of(self, self->values[num_x - 1]));
}

/* "idle time along preemption per minute, at 11 values from 0 to 0.5": a character is a
 * value, however far it is from the next one. */
static void write_lines(const lines_t *self)
{
    const spot_curves_t *curves = self->curves;
    const spot_study_head_t *head = curves->head;
    spot_texts_t *texts = &self->document->texts;
    const char *values = spot_words_number(texts, curves->x_low);
    line_t lines[MAX_LINES];

    for (size_t j = 0; j < curves->num_panels && j < MAX_LINES; j++) {
        lines[j].label = spot_words_panel(texts, head, spot_curves_point(curves, j, 0),
            curves->axis_id, (size_t) self->document->terminal->width);
        lines[j].text = line_of(self, j);
    }
    if (curves->x_low < curves->x_high) {
        values = spot_texts_add(texts, "%zu values from %s to %s",
            head->axes[curves->axis_id].num_values, values,
            spot_words_number(texts, curves->x_high));
    }
    spot_document_heading(self->document,
        spot_texts_add(texts, "%s along %s, at %s",
            spot_words_metric(texts, &head->metrics[curves->y_id], self->shown.unit),
            spot_words_x(texts, head, curves->axis_id), values));
    write_labelled(lines, curves->num_panels, self->document);
}

static void sparklines_write(const spot_report_t *report, spot_document_t *document)
{
    const char *problem = NULL;
    spot_curves_t curves;
    lines_t lines = {.curves = &curves,
        .document = document,
        .low = HUGE_VAL,
        .high = -HUGE_VAL,
        .values = spot_arena_take(
            &document->texts.arena, report->head->num_points, sizeof(*lines.values))};
    const int ret = spot_curves_init(&curves, report, &problem);

    spot_document_fail(document, document->texts.arena.error);
    spot_document_fail(document, problem == NULL ? ret : 0);
    if (ret == 0 && lines.values != NULL && !curves.is_scattered && !curves.has_all_in_one) {
        lines.shown = spot_report_shown(report, (size_t) curves.y_id);
        for (size_t j = 0; j < curves.num_panels && j < MAX_LINES; j++) {
            for (size_t k = read_line(&lines, j); k > 0; k--) {
                lines.low = fmin(lines.low, lines.values[k - 1]); /* of NAN: the other */
                lines.high = fmax(lines.high, lines.values[k - 1]);
            }
        }
    }
    if (lines.low <= lines.high) { /* something is defined */
        write_lines(&lines);
    }
    spot_curves_free(&curves);
}

/* ---- Where the time goes ---- */

/* Whether a part is more than nothing at any point. */
static bool is_part_seen(const spot_report_t *report, size_t part_id)
{
    const size_t metric_id = report->head->overview.part_ids[part_id];

    for (size_t j = 0; j < report->head->num_points; j++) {
        if (spot_report_summary(report, j, metric_id)->value > 0) {
            return true;
        }
    }
    return false;
}

/* A letter for each part: the first of its name that no part before it has; parts beyond
 * those that are left share one. NULL: no memory. */
static const char *choose_letters(const spot_study_head_t *head, spot_texts_t *texts)
{
    static const char others[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    char *chosen = spot_texts_room(texts, head->overview.num_parts + 1);

    for (size_t j = 0; chosen != NULL && j < head->overview.num_parts; j++) {
        const char *place =
            spot_texts_add(texts, "%s%s*", head->metrics[head->overview.part_ids[j]].name, others);

        while (*place != '*' && *place != '\0' &&
               (!isalpha((unsigned char) *place) || strchr(chosen, *place) != NULL)) {
            place++;
        }
        chosen[j] = *place == '\0' ? '*' : *place;
    }
    return chosen;
}

/* Each part ends where the sum so far does, so that rounding moves nothing far. */
static const char *bar_of(const spot_report_t *report, size_t point_id, const char *chosen,
    size_t num_chars, spot_texts_t *texts)
{
    const spot_overview_t *overview = &report->head->overview;
    char *bar = spot_texts_room(texts, num_chars + 1);
    size_t used = 0;
    double sum = 0;

    for (size_t j = 0; bar != NULL && j < overview->num_parts; j++) {
        const double mean = spot_report_summary(report, point_id, overview->part_ids[j])->value;

        sum += isfinite(mean) ? mean : 0;
        while (used < num_chars && (double) used + 0.5 < sum * (double) num_chars) {
            bar[used++] = chosen[j];
        }
    }
    return bar == NULL ? "" : bar;
}

/* Nothing where there is nothing to show. */
static void ledger_bars_write(const spot_report_t *report, spot_document_t *document)
{
    const spot_study_head_t *head = report->head;
    const int width = document->terminal->width;
    spot_texts_t *texts = &document->texts;
    const char *legend = "", *chosen = choose_letters(head, texts);
    line_t lines[MAX_LINES];
    int left; /* columns for a bar */

    for (size_t j = 0; chosen != NULL && head->has_overview && j < head->overview.num_parts; j++) {
        if (is_part_seen(report, j)) {
            legend = spot_texts_join(texts, legend, ", ",
                spot_texts_add(texts, "%c %s", chosen[j],
                    spot_metric_label(&head->metrics[head->overview.part_ids[j]])));
        }
    }
    if (legend[0] == '\0') {
        return;
    }
    for (size_t j = 0; j < head->num_points && j < MAX_LINES; j++) {
        lines[j].label = spot_words_point(texts, head, j, (size_t) width);
    }
    left = label_width(lines, head->num_points);
    left = width - 2 - (left > width / 2 ? 0 : left);
    left = left < 1 ? 1 : left < MAX_BAR_CHARS ? left : MAX_BAR_CHARS;
    for (size_t j = 0; j < head->num_points && j < MAX_LINES; j++) {
        lines[j].text = bar_of(report, j, chosen, (size_t) left, texts);
    }
    spot_document_heading(document, "Where the time goes");
    spot_document_paragraph(document, "%s", legend);
    write_labelled(lines, head->num_points, document);
}

/* ---- All ---- */

/* What the points take for granted. */
static void write_assumed(const spot_study_head_t *head, spot_document_t *document)
{
    const char *text = spot_assumed_words(&document->texts, &head->assumed);

    if (text[0] != '\0') {
        spot_document_paragraph(document, "%s", text);
    }
}

/* What the figures rest on, and what of it is missing. */
static void write_basis(const spot_report_t *report, spot_document_t *document)
{
    const spot_doubts_t *doubts;
    const int ret = spot_report_doubts(report, &doubts);

    spot_document_fail(document, ret);
    if (ret != 0) {
        return;
    }
    spot_document_paragraph(document, "%s, %s, seed %" PRIu64 "%s",
        spot_words_plan(&document->texts, report->head),
        spot_words_amount(
            &document->texts, report->head, doubts->completeness.fewest, doubts->completeness.most),
        report->head->seed,
        doubts->completeness.most < 2 ? "" : "; mean ±half width of its 95 % confidence interval");
    for (size_t j = 0; j < doubts->num_items; j++) {
        if (doubts->items[j].kind < SPOT_DOUBT_UNABLE) {
            spot_document_paragraph(document, "%s", doubts->items[j].text);
        }
    }
}

static void write_tables(const spot_report_t *report, spot_document_t *document)
{
    const spot_study_head_t *head = report->head;

    write_basis(report, document);
    spot_document_gap(document);
    if (head->plan.kind == SPOT_PLAN_SENSITIVITY) {
        spot_sensitivity_write(report, document);
        spot_document_gap(document);
    }
    if (head->optimise.metric != NULL) {
        spot_race_write(report, document);
        spot_document_gap(document);
    }
    spot_point_table_write((spot_point_table_t){.report = report}, "points-table", NULL, document);
    if (report->pairs != NULL) {
        spot_differences_write(report, document);
    }
    if (head->best.is_asked) {
        spot_document_gap(document);
        spot_winners_write(report, document);
    }
}

int spot_report_text_write(const spot_report_t *report, const spot_terminal_t *terminal, FILE *out)
{
    spot_document_t document;
    FILE *answer;

    spot_document_to_terminal(&document, terminal, out);
    fputs(spot_style_on(terminal, SPOT_STYLE_BOLD), out);
    spot_text_write(out, spot_study_title(report->head));
    fprintf(out, "%s\n", spot_style_off(terminal, SPOT_STYLE_BOLD));
    write_assumed(report->head, &document);
    answer = spot_texts_begin(&document.texts);
    if (answer != NULL) {
        spot_document_fail(&document, spot_answer_write(report, answer));
    }
    spot_document_paragraph(&document, "%s", spot_texts_end(&document.texts, answer));
    if (report->num_rows > 0) { /* else the answer says so */
        spot_document_gap(&document);
        write_tables(report, &document);
        sparklines_write(report, &document);
        ledger_bars_write(report, &document);
    }
    return spot_document_end(&document);
}

/* Whether the result is nothing but a table of points that is too long to be read. */
static bool is_only_long(const spot_study_head_t *head)
{
    return head->num_points > MAX_TABLE_POINTS && !head->best.is_asked &&
           head->optimise.metric == NULL && head->plan.kind != SPOT_PLAN_SENSITIVITY;
}

int spot_result_table_write(
    const spot_store_t *store, const char *elsewhere, const spot_terminal_t *terminal, FILE *out)
{
    const spot_study_head_t *head = store->head;
    const bool is_left_out = elsewhere != NULL && is_only_long(head);
    spot_document_t document;
    spot_report_t report = {.num_rows = 0};
    int ret = is_left_out ? 0 : spot_report_init(&report, store);

    ret = ret == 0 && !is_left_out ? spot_report_read_pairs(&report) : ret;
    if (ret == 0) {
        spot_document_to_terminal(&document, terminal, out);
        spot_document_paragraph(&document, "%s", spot_words_study(&document.texts, head));
        write_assumed(head, &document);
        if (is_left_out) {
            spot_document_paragraph(&document,
                "%zu points, and no table, which has at most %d: all are in %s", head->num_points,
                MAX_TABLE_POINTS, spot_words_shown(&document.texts, elsewhere));
        } else {
            write_tables(&report, &document);
        }
        ret = spot_document_end(&document);
    }
    spot_report_free(&report);
    return ret;
}

/* ---- Tables for papers ---- */

#define QUESTION_CHARS 300 /* of a caption */

/* "How does idle time grow?", cut where it is long. */
static const char *question_of(const spot_study_head_t *head, spot_texts_t *texts)
{
    const char *title = spot_study_title(head);
    const size_t num_bytes = strlen(title);
    char *text = spot_texts_room(texts, num_bytes + 8);

    if (text == NULL) {
        return "";
    }
    memcpy(text, title, num_bytes);
    spot_utf8_cut(text, QUESTION_CHARS);
    return spot_texts_add(texts, "%s%s", text,
        num_bytes > 0 && strchr(".?!", title[num_bytes - 1]) != NULL ? "" : ".");
}

/* "Means", "Estimates" or "Differences to recovery checkpoint in the same replications;
 * means". */
static const char *content_of(
    const spot_study_head_t *head, bool is_difference, spot_texts_t *texts)
{
    const char *content = "Means";

    for (size_t j = 0; j < head->num_listed; j++) {
        if (spot_metric_estimator(&head->metrics[j]) != SPOT_ESTIMATOR_MEAN) {
            content = "Estimates";
        }
    }
    if (!is_difference) {
        return content;
    }
    return spot_texts_add(texts, "Differences to %s in the same replications; means",
        spot_words_baseline(texts, head, SPOT_POINTS_BY_WORDS));
}

static int write_table(
    const spot_report_t *report, const spot_table_dialect_t *dialect, bool is_difference, FILE *out)
{
    char file_name[SPOT_FILE_NAME_BYTES];
    spot_table_t table = {0};
    spot_texts_t *texts = &table.texts;
    int ret;

    spot_file_name(report->head->name, file_name);
    table.name = spot_texts_add(texts, "%s%s", file_name, is_difference ? "-differences" : "");
    table.caption = spot_texts_add(texts,
        "%s %s with half widths of their 95 %% confidence intervals; %s, seed %" PRIu64 ".",
        question_of(report->head, texts), content_of(report->head, is_difference, texts),
        spot_words_replications(texts, report), report->head->seed);
    spot_point_table_fill(
        &(spot_point_table_t){
            .report = report, .voice = SPOT_POINTS_BY_WORDS, .is_difference = is_difference},
        &table);
    ret = spot_table_write_paper(&table, dialect, out);
    spot_table_free(&table);
    return ret;
}

int spot_paper_table_write(
    const spot_report_t *report, const spot_table_dialect_t *dialect, FILE *out)
{
    int ret;

    spot_table_write_preamble(dialect, out);
    ret = write_table(report, dialect, false, out);
    if (ret == 0 && report->pairs != NULL) {
        fputc('\n', out);
        ret = write_table(report, dialect, true, out);
    }
    return ret == 0 && ferror(out) ? SPOT_ERR_IO : ret;
}

/* ---- Pictures for papers ---- */

/* Of single runs; the page has as many. */
#define MAX_TIMELINES 64

/* What is to be done in a folder: data, or pictures. */
typedef struct {
    const spot_report_t *report;
    const char *folder;
    bool is_drawing;
    spot_picture_format_t format; /* then */
    spot_diag_t *diag;
} task_t;

/* A picture of the study, or of one of its runs. */
typedef struct {
    const char *name;
    spot_declare_t declare;
    const spot_study_picture_t *picture; /* NULL: of a run */
    const spot_run_series_t *run;
} item_t;

static const void *context_of(const task_t *task, const item_t *item)
{
    return item->run == NULL ? (const void *) task->report : item->run;
}

static char *path_of(const task_t *task, const item_t *item, const char *suffix)
{
    return spot_picture_path(task->folder, task->report->head->name, item->name, suffix);
}

static int draw(const task_t *task, const item_t *item)
{
    char *path = path_of(task, item, spot_format_suffix(task->format));
    const int ret = path == NULL ? SPOT_ERR_NO_MEMORY
                                 : spot_draw_file(item->declare, context_of(task, item),
                                       task->format, path, task->diag);

    free(path);
    return ret;
}

static int write_data(const task_t *task, const item_t *item)
{
    char *path = path_of(task, item, "csv");
    spot_outfile_t file = {0};
    int ret = path == NULL ? SPOT_ERR_NO_MEMORY : spot_outfile_init(&file, path, task->diag);

    if (ret == 0) {
        ret = item->run == NULL
                  ? spot_study_picture_write_csv(item->picture, task->report, file.stream)
                  : spot_timeline_csv_write(item->run, file.stream);
    }
    free(path);
    return spot_outfile_close(&file, ret, task->diag);
}

static int do_item(const task_t *task, const item_t *item)
{
    return task->is_drawing ? draw(task, item) : write_data(task, item);
}

/* A run: "timeline-3-0" is replication 0 of point 3. */
static int do_run(const task_t *task, const spot_series_id_t *id)
{
    const spot_report_t *report = task->report;
    char name[64];
    spot_recording_t recording;
    spot_run_series_t run = {0};
    const item_t item = {name, spot_run_declare, NULL, &run};
    int ret = spot_store_read_series(report->store, id->point_id, id->replication, &recording);

    if (ret == 0) {
        ret = spot_run_series_init(&run, &recording, report->head->colours);
    }
    snprintf(name, sizeof(name), "timeline-%zu-%" PRId64, id->point_id, id->replication);
    if (ret == 0 && spot_run_series_check(&run, NULL, NULL)) {
        ret = do_item(task, &item);
    }
    spot_run_series_free(&run);
    spot_recording_free(&recording);
    return ret;
}

/* All pictures of the study that can be drawn, then those of its runs. */
static int do_all(const task_t *task)
{
    spot_series_list_t runs = {0};
    int ret = 0;

    for (size_t j = 0; ret == 0 && spot_study_pictures[j] != NULL; j++) {
        const spot_study_picture_t *picture = spot_study_pictures[j];
        const item_t item = {picture->name, picture->declare, picture, NULL};

        if (picture->problem(task->report) == NULL) {
            ret = do_item(task, &item);
        }
    }
    if (ret == 0) {
        ret = spot_series_list_read(&runs, task->report->store);
    }
    for (size_t j = 0; ret == 0 && j < runs.num_ids && j < MAX_TIMELINES; j++) {
        ret = do_run(task, &runs.ids[j]);
    }
    if (runs.num_ids > MAX_TIMELINES && !task->is_drawing) {
        spot_diag_warn(task->diag, task->folder, 0, 0,
            "the first %d of the %zu runs whose series the database keeps are drawn", MAX_TIMELINES,
            runs.num_ids);
    }
    spot_series_list_free(&runs);
    return ret;
}

static void warn_of_problems(const spot_report_t *report, spot_diag_t *diag)
{
    for (size_t j = 0; spot_study_pictures[j] != NULL; j++) {
        const char *problem = spot_study_pictures[j]->problem(report);

        if (problem != NULL) {
            spot_diag_warn(
                diag, spot_study_pictures[j]->name, 0, 0, "nothing can be drawn: %s", problem);
        }
    }
}

/* Whether the folder is named for the first time. */
static bool is_first(const spot_paper_folders_t *self, int format)
{
    for (int j = 0; j < format; j++) {
        if (self->folders[j] != NULL && strcmp(self->folders[j], self->folders[format]) == 0) {
            return false;
        }
    }
    return true;
}

int spot_paper_pictures_write(
    const spot_report_t *report, const spot_paper_folders_t *folders, spot_diag_t *diag)
{
    bool is_asked = false;
    int ret = 0;

    for (int j = 0; ret == 0 && j < SPOT_NUM_FORMATS; j++) {
        if (folders->folders[j] != NULL && is_first(folders, j)) {
            const task_t task = {report, folders->folders[j], false, 0, diag};

            is_asked = true;
            ret = spot_folder_make(folders->folders[j], NULL, diag);
            ret = ret == 0 ? do_all(&task) : ret;
        }
    }
    if (ret == 0 && is_asked) {
        warn_of_problems(report, diag);
    }
    for (int j = 0; ret == 0 && j < SPOT_NUM_FORMATS; j++) {
        const task_t task = {report, folders->folders[j], true, (spot_picture_format_t) j, diag};

        ret = folders->folders[j] == NULL ? 0 : do_all(&task);
    }
    return ret;
}
