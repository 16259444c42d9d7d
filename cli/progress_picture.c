/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/progress_picture.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/utf8.h"
#include "reports/progress_chart.h"
#include "reports/study_words.h"

#define NAME_CHARS 64

typedef struct {
    size_t num_lines;
    char names[SPOT_MAX_PROGRESS_LINES][SPOT_POINT_BYTES];
    spot_study_worker_t workers[SPOT_MAX_PROGRESS_LINES]; /* whose series these are */
    spot_recording_t recordings[SPOT_MAX_PROGRESS_LINES];
    spot_run_series_t runs[SPOT_MAX_PROGRESS_LINES];
} picture_t;

static int
add_line(picture_t *self, const spot_study_t *study, size_t point_id)
{
    spot_recording_t *recording = &self->recordings[self->num_lines];
    spot_run_series_t *run = &self->runs[self->num_lines];
    spot_study_worker_t *worker = &self->workers[self->num_lines];
    int ret;

    spot_point_words(&study->head, point_id, NAME_CHARS, self->names[self->num_lines++]);
    ret = spot_study_worker_go(worker, study, point_id, NULL);
    if (ret == 0) {
        ret = spot_study_worker_record(worker, 0, NULL, recording);
    }
    return ret == 0 ? spot_run_series_init(run, recording, NULL) : ret;
}

static int
draw(const picture_t *self, const spot_study_head_t *head, const char *svg_path,
    spot_diag_t *diag)
{
    const char *names[SPOT_MAX_PROGRESS_LINES];
    char note[SPOT_NOTE_BYTES], shown[SPOT_UTF8_SHOWN_BYTES];
    const spot_progress_lines_t lines = {.title = spot_study_title(head),
        .note = note,
        .num_lines = self->num_lines,
        .names = names,
        .runs = self->runs};
    size_t used = (size_t) snprintf(note, sizeof(note),
        "%s · seed %" PRIu64 ", replication 0 of each point",
        spot_utf8_shown(head->name, shown), head->seed);

    if (self->num_lines < head->num_points) {
        snprintf(note + used, sizeof(note) - used, " · the first %zu of %zu points",
            self->num_lines, head->num_points);
    }
    for (size_t j = 0; j < self->num_lines; j++) {
        names[j] = self->names[j];
    }
    const int ret =
        spot_draw_file(spot_progress_declare, &lines, SPOT_FORMAT_SVG, svg_path, diag);

    if (ret == SPOT_ERR_BAD_PARAM) {
        spot_diag_error(
            diag, svg_path, 0, 0, "nothing can be drawn: all runs are empty");
    }
    return ret;
}

int
spot_progress_picture(const spot_study_t *study, const char *svg_path, spot_diag_t *diag)
{
    picture_t picture = {0};
    int ret = 0;

    for (size_t j = 0;
         ret == 0 && j < study->head.num_points && j < SPOT_MAX_PROGRESS_LINES; j++) {
        ret = add_line(&picture, study, j);
    }
    if (ret == 0) {
        ret = draw(&picture, &study->head, svg_path, diag);
    }
    for (size_t j = 0; j < picture.num_lines; j++) {
        spot_run_series_free(&picture.runs[j]);
        spot_recording_free(&picture.recordings[j]);
        spot_study_worker_close(&picture.workers[j]);
    }
    return ret;
}
