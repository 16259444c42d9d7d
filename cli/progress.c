/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/progress.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/json.h"
#include "base/utf8.h"
#include "base/verb/output.h"
#include "base/watch.h"
#include "sim/bench/study/run.h"

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

void spot_progress_start(spot_progress_line_t *self, spot_progress_form_t form)
{
    const double now_s = spot_clock_s();

    *self = (spot_progress_line_t){.form = form,
        .counter = {.started_s = now_s, .told_s = now_s},
        .stage_s = now_s,
        .started_cpu_s = spot_clock_cpu_s()};
    if (form == SPOT_PROGRESS_AUTO) {
        self->form = isatty(STDERR_FILENO) == 1 ? SPOT_PROGRESS_LINE : SPOT_PROGRESS_LINES;
    }
}

/* Whether it is time for a report again. */
static bool is_due(spot_progress_line_t *self)
{
    const double now_s = spot_clock_s();
    const bool is_over = now_s - self->counter.told_s >= told_every_s[self->form];

    self->counter.told_s = is_over ? now_s : self->counter.told_s;
    return is_over;
}

static spot_study_speed_t speed_of(
    const spot_progress_line_t *self, int64_t num_run, int64_t num_left)
{
    const double now_s = spot_clock_s();
    const double runs_per_s = (double) num_run / (now_s - self->stage_s);

    return (spot_study_speed_t){now_s - self->counter.started_s, runs_per_s,
        num_run > 0 && !self->has_stages ? (double) num_left / runs_per_s : (double) NAN};
}

/* ---- Studies ---- */

/* The start of a line that fits the terminal, if it says how wide it is. */
static void put_cut(const char *line)
{
    struct winsize size = {0};
    int num_left = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col - 1
                                                                                   : LINE_BYTES;
    size_t num_bytes = 0;

    while (line[num_bytes] != '\0' && num_left-- > 0) {
        num_bytes += spot_utf8_length(line + num_bytes, strlen(line + num_bytes));
    }
    fprintf(stderr, "\r%.*s\033[K", (int) num_bytes, line);
    fflush(stderr);
}

static void write_text(spot_progress_line_t *self, const spot_study_progress_t *progress,
    const spot_study_speed_t *speed)
{
    char text[LINE_BYTES] = "";
    FILE *line = fmemopen(text, sizeof(text), "w");

    if (line == NULL) {
        return;
    }
    spot_study_progress_text(progress, speed, spot_terminal_is_utf8(), line);
    fclose(line);
    self->counter.is_shown = self->form == SPOT_PROGRESS_LINE;
    if (self->counter.is_shown) {
        put_cut(text);
    } else {
        fprintf(stderr, "%s\n", text);
    }
}

static void open_event(spot_json_t *json, const char *event)
{
    spot_json_init(json, stderr, 0);
    spot_json_open(json, NULL, '{');
    spot_json_text(json, "event", event);
}

void spot_progress_of_study(void *context, const spot_study_progress_t *progress)
{
    spot_progress_line_t *self = context;

    if (progress->num_run < self->num_run) {
        self->stage_s = spot_clock_s();
    }
    self->num_run = progress->num_run;
    if (is_due(self)) {
        const spot_study_speed_t speed =
            speed_of(self, progress->num_run, progress->num_wanted - progress->num_done);

        if (self->form == SPOT_PROGRESS_JSON) {
            spot_study_progress_json(progress, &speed, stderr);
        } else {
            write_text(self, progress, &speed);
        }
    }
}

void spot_progress_finish_study(
    spot_progress_line_t *self, const spot_study_t *study, int num_threads, int error)
{
    const double passed_s = spot_clock_s() - self->counter.started_s;
    const double cpu_s = spot_clock_cpu_s() - self->started_cpu_s;
    spot_json_t json;

    spot_counter_finish(&self->counter);
    if (self->form == SPOT_PROGRESS_JSON) {
        open_event(&json, error == 0                      ? "done"
                          : error == SPOT_ERR_INTERRUPTED ? "interrupted"
                                                          : "failed");
        spot_json_integer(&json, "points", (int64_t) study->head.num_points);
        spot_json_integer(&json, "runs_made", self->num_run);
        spot_json_number(&json, "passed_s", passed_s);
        spot_json_number(&json, "cpu_s", cpu_s);
        spot_json_close(&json, '}');
    } else if (self->form != SPOT_PROGRESS_NONE) {
        fprintf(stderr,
            "%zu point%s, %" PRId64
            " replications run on %d thread%s: %.2f s, %.2f s of CPU time\n",
            study->head.num_points, study->head.num_points == 1 ? "" : "s", self->num_run,
            num_threads, num_threads == 1 ? "" : "s", passed_s, cpu_s);
    }
}
