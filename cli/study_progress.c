/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/study_progress.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/utf8.h"
#include "cli/report_terminal.h"

#define LINE_BYTES 512

const char *const spot_progress_form_names[] = {
    [SPOT_PROGRESS_AUTO] = "auto",
    [SPOT_PROGRESS_LINE] = "line",
    [SPOT_PROGRESS_LINES] = "lines",
    [SPOT_PROGRESS_JSON] = "json",
    [SPOT_PROGRESS_NONE] = "none",
    [SPOT_NUM_PROGRESS_FORMS] = NULL,
};

/* Seconds between two reports of a form. */
static const double told_every_s[SPOT_NUM_PROGRESS_FORMS] = {
    [SPOT_PROGRESS_LINE] = 0.2,
    [SPOT_PROGRESS_LINES] = 10,
    [SPOT_PROGRESS_JSON] = 1,
    [SPOT_PROGRESS_NONE] = (double) INFINITY,
};

void
spot_study_watcher_start(spot_study_watcher_t *self, spot_progress_form_t form)
{
    const double now_s = spot_clock_s();

    *self = (spot_study_watcher_t){.form = form,
        .started_s = now_s,
        .started_cpu_s = spot_clock_cpu_s(),
        .told_s = now_s};
    if (form == SPOT_PROGRESS_AUTO) {
        self->form =
            isatty(STDERR_FILENO) == 1 ? SPOT_PROGRESS_LINE : SPOT_PROGRESS_LINES;
    }
}

/* What a report says of speed; NAN where it is not known yet. */
typedef struct {
    double passed_s;
    double runs_per_s;
    double left_s; /* for what is known to be wanted */
} speed_t;

static speed_t
speed_of(const spot_study_watcher_t *self, const spot_study_progress_t *progress)
{
    const double passed_s = spot_clock_s() - self->started_s;
    const double runs_per_s = (double) progress->num_run / passed_s;
    const int64_t num_left = progress->num_wanted - progress->num_done;

    return (speed_t){passed_s, runs_per_s,
        progress->num_run > 0 ? (double) num_left / runs_per_s : (double) NAN};
}

/* Columns of the terminal; many if it does not say. */
static int
terminal_width(void)
{
    struct winsize size = {0};

    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col
                                                                           : 1000;
}

/* Appends to a line of LINE_BYTES; what is too long is cut. */
static void SPOT_PRINTF(2, 3) append(char *line, const char *format, ...)
{
    const size_t num_bytes = strlen(line);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line + num_bytes, LINE_BYTES - num_bytes, format, arguments);
    va_end(arguments);
}

/* To so many characters. */
static void
cut(char *line, int max_columns)
{
    size_t num_bytes = 0;

    while (line[num_bytes] != '\0' && max_columns-- > 0) {
        num_bytes += spot_utf8_length(line + num_bytes, strlen(line + num_bytes));
    }
    line[num_bytes] = '\0';
}

/* With a precision or a race the number of runs is not known in advance. */
static void
append_done(char *line, const spot_study_progress_t *progress, const speed_t *speed)
{
    const spot_study_head_t *head = &progress->study->head;

    if (head->min_replications < head->num_replications) {
        append(line, "%zu of %zu points, %" PRId64 " runs, %.0f/s",
            progress->num_points_done, head->num_points, progress->num_done,
            speed->runs_per_s);
        return;
    }
    append(line, "%.1f %%  %zu of %zu points, %" PRId64 " of %" PRId64 " runs, %.0f/s",
        100 * (double) progress->num_done / (double) progress->num_wanted,
        progress->num_points_done, head->num_points, progress->num_done,
        progress->num_wanted, speed->runs_per_s);
    if (isfinite(speed->left_s) &&
        progress->num_break_evens == progress->num_break_evens_wanted) {
        append(line, ", %.0f s left", speed->left_s);
    }
}

static void
write_text(const spot_study_progress_t *progress, const speed_t *speed, int max_columns)
{
    const spot_study_head_t *head = &progress->study->head;
    const char *metric = head->metrics[spot_study_watched_metric(head)].name;
    char line[LINE_BYTES] = "";
    size_t point_id;
    double half_width;

    append_done(line, progress, speed);
    if (progress->num_break_evens_wanted > 0) {
        append(line, ", %zu of %zu break-evens", progress->num_break_evens,
            progress->num_break_evens_wanted);
    }
    if (progress->num_series_wanted > 0) {
        append(line, ", %zu of %zu timelines", progress->num_series,
            progress->num_series_wanted);
    } else if (spot_study_widest(progress, &point_id, &half_width)) {
        append(line, ", %s %s%.2g at worst", metric,
            spot_terminal_is_utf8() ? "±" : "+-", half_width);
        if (head->until.half_width > 0) {
            append(line, " (goal %.2g)", head->until.half_width);
        }
    }
    cut(line, max_columns);
    fputs(line, stderr);
}

static void
write_widest(spot_json_t *json, const spot_study_progress_t *progress)
{
    const spot_study_head_t *head = &progress->study->head;
    size_t point_id;
    double half_width;

    if (!spot_study_widest(progress, &point_id, &half_width)) {
        return;
    }
    spot_json_open(json, "widest", '{');
    spot_json_text(json, "metric", head->metrics[spot_study_watched_metric(head)].name);
    spot_json_number(json, "half_width", half_width);
    spot_json_integer(json, "point", (int64_t) point_id);
    spot_json_open(json, "values", '{');
    for (size_t j = 0; j < head->num_axes; j++) {
        spot_json_text(json, head->axes[j].path,
            head->axes[j].texts[spot_study_value_id(head, point_id, j)]);
    }
    spot_json_close(json, '}');
    spot_json_close(json, '}');
}

static void
write_json(const spot_study_progress_t *progress, const speed_t *speed)
{
    spot_json_t json;

    spot_json_init(&json, stderr, 0);
    spot_json_open(&json, NULL, '{');
    spot_json_text(&json, "event", "progress");
    spot_json_integer(&json, "points_done", (int64_t) progress->num_points_done);
    spot_json_integer(&json, "points", (int64_t) progress->study->head.num_points);
    spot_json_integer(&json, "runs_done", progress->num_done);
    spot_json_integer(&json, "runs_wanted", progress->num_wanted);
    spot_json_integer(&json, "runs_made", progress->num_run);
    spot_json_number(&json, "runs_per_s", speed->runs_per_s);
    spot_json_number(&json, "passed_s", speed->passed_s);
    spot_json_number(&json, "left_s", speed->left_s);
    if (progress->num_break_evens_wanted > 0) {
        spot_json_integer(
            &json, "break_evens_found", (int64_t) progress->num_break_evens);
        spot_json_integer(
            &json, "break_evens_wanted", (int64_t) progress->num_break_evens_wanted);
    }
    if (progress->num_series_wanted > 0) {
        spot_json_integer(&json, "timelines_made", (int64_t) progress->num_series);
        spot_json_integer(
            &json, "timelines_wanted", (int64_t) progress->num_series_wanted);
    }
    write_widest(&json, progress);
    spot_json_close(&json, '}');
}

void
spot_study_watcher_tell(void *context, const spot_study_progress_t *progress)
{
    spot_study_watcher_t *self = context;
    speed_t speed;

    self->num_run = progress->num_run;
    if (spot_clock_s() - self->told_s < told_every_s[self->form]) {
        return;
    }
    self->told_s = spot_clock_s();
    speed = speed_of(self, progress);
    if (self->form == SPOT_PROGRESS_JSON) {
        write_json(progress, &speed);
        return;
    }
    self->is_shown = self->form == SPOT_PROGRESS_LINE;
    fputs(self->is_shown ? "\r" : "", stderr);
    write_text(progress, &speed, self->is_shown ? terminal_width() - 1 : LINE_BYTES);
    fputs(self->is_shown ? "\033[K" : "\n", stderr);
}

static const char *
outcome_of(int error)
{
    return error == 0                      ? "done"
           : error == SPOT_ERR_INTERRUPTED ? "interrupted"
                                           : "failed";
}

void
spot_study_watcher_finish(
    spot_study_watcher_t *self, const spot_study_t *study, int num_threads, int error)
{
    const double passed_s = spot_clock_s() - self->started_s;
    const double cpu_s = spot_clock_cpu_s() - self->started_cpu_s;
    spot_json_t json;

    if (self->is_shown) {
        fputs("\r\033[K", stderr);
        self->is_shown = false;
    }
    if (self->form == SPOT_PROGRESS_JSON) {
        spot_json_init(&json, stderr, 0);
        spot_json_open(&json, NULL, '{');
        spot_json_text(&json, "event", outcome_of(error));
        spot_json_integer(&json, "points", (int64_t) study->head.num_points);
        spot_json_integer(&json, "runs_made", self->num_run);
        spot_json_number(&json, "passed_s", passed_s);
        spot_json_number(&json, "cpu_s", cpu_s);
        spot_json_close(&json, '}');
    } else if (self->form != SPOT_PROGRESS_NONE) {
        fprintf(stderr,
            "%zu point%s, %" PRId64
            " replications run on %d thread%s: %.2f s, %.2f s of CPU time\n",
            study->head.num_points, study->head.num_points == 1 ? "" : "s",
            self->num_run, num_threads, num_threads == 1 ? "" : "s", passed_s, cpu_s);
    }
}
