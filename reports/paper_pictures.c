/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/paper_pictures.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/outfile.h"
#include "reports/study_pictures.h"
#include "reports/timeline_chart.h"
#include "reports/timeline_csv.h"
#include "sim/store/series_rows.h"

/* Of single runs; the page has as many. */
#define MAX_TIMELINES 64

static int
write_timeline_csv(const void *context, FILE *out)
{
    return spot_timeline_csv_write(context, out);
}

static const spot_picture_t timeline = {.name = "timeline",
    .title = "One run over time",
    .declare = spot_timeline_declare,
    .write_csv = write_timeline_csv};

/* What is to be done in a folder: data and scripts, or pictures. */
typedef struct {
    const spot_report_t *report;
    const char *folder;
    bool is_drawing;
    spot_picture_format_t format; /* then */
    spot_diag_t *diag;
} task_t;

/* The script that draws the SVG again, beside it, from whatever folder gnuplot is run:
 * gnuplot knows the path of the script that it was started with as ARG0, unless it reads
 * it from its standard input. */
static int
write_script(const spot_picture_t *picture, const void *context,
    const spot_picture_home_t *place, spot_diag_t *diag)
{
    char *path = spot_picture_path(place->folder, place->name, place->what, "gnuplot");
    char *svg_path = spot_picture_path(place->folder, place->name, place->what, "svg");
    spot_outfile_t file = {0};
    int ret = path == NULL || svg_path == NULL ? SPOT_ERR_NO_MEMORY
                                               : spot_outfile_init(&file, path, diag);

    if (ret == 0) {
        const char *name = path + strlen(place->folder) + 1;
        const char *svg_name = svg_path + strlen(place->folder) + 1;

        fprintf(file.stream,
            "# %s: `gnuplot %s` draws %s beside this script.\n"
            "set encoding utf8\n"
            "script = '%s'\n"
            "folder_length = exists('ARG0') ? strlen(ARG0) - strlen(script) : 0\n"
            "if (folder_length > 0 && ARG0[folder_length + 1:] eq script) "
            "cd ARG0[1:folder_length]\n",
            picture->title, name, svg_name, name);
        ret = spot_draw_script(picture->declare, context, svg_name, file.stream);
    }
    free(path);
    free(svg_path);
    return spot_outfile_close(&file, ret, diag);
}

static int
do_picture(const task_t *task, const spot_picture_t *picture, const void *context,
    const char *what)
{
    const spot_picture_home_t place = {task->folder, task->report->head->name, what};
    int ret;

    if (task->is_drawing) {
        return spot_picture_draw(picture, context, &place, task->format, task->diag);
    }
    ret = spot_picture_write_data(picture, context, &place, task->diag);
    return ret == 0 ? write_script(picture, context, &place, task->diag) : ret;
}

/* A run: "timeline-3-0" is replication 0 of point 3. */
static int
do_run(const task_t *task, const spot_series_id_t *id)
{
    const spot_report_t *report = task->report;
    char what[64];
    spot_recording_t recording;
    spot_run_series_t run = {0};
    int ret =
        spot_store_read_series(report->store, id->point_id, id->replication, &recording);

    if (ret == 0) {
        ret = spot_run_series_init(&run, &recording, report->head->colours);
    }
    snprintf(what, sizeof(what), "%s-%zu-%" PRId64, timeline.name, id->point_id,
        id->replication);
    if (ret == 0 && spot_run_series_check(&run, NULL, NULL)) {
        ret = do_picture(task, &timeline, &run, what);
    }
    spot_run_series_free(&run);
    spot_recording_free(&recording);
    return ret;
}

/* All pictures of the study that can be drawn, then those of its runs. */
static int
do_all(const task_t *task)
{
    spot_series_list_t runs = {0};
    int ret = 0;

    for (size_t j = 0; ret == 0 && spot_study_pictures[j] != NULL; j++) {
        const spot_picture_t *picture = spot_study_pictures[j];

        if (picture->problem(task->report) == NULL) {
            ret = do_picture(task, picture, task->report, picture->name);
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
            "the first %d of %zu runs whose series the store keeps are drawn",
            MAX_TIMELINES, runs.num_ids);
    }
    spot_series_list_free(&runs);
    return ret;
}

static void
warn_of_problems(const spot_report_t *report, spot_diag_t *diag)
{
    for (size_t j = 0; spot_study_pictures[j] != NULL; j++) {
        const char *problem = spot_study_pictures[j]->problem(report);

        if (problem != NULL) {
            spot_diag_warn(diag, spot_study_pictures[j]->name, 0, 0,
                "nothing can be drawn: %s", problem);
        }
    }
}

/* Whether the folder is named for the first time. */
static bool
is_first(const spot_paper_folders_t *self, int format)
{
    for (int j = 0; j < format; j++) {
        if (self->folders[j] != NULL &&
            strcmp(self->folders[j], self->folders[format]) == 0) {
            return false;
        }
    }
    return true;
}

int
spot_paper_pictures_write(
    const spot_report_t *report, const spot_paper_folders_t *folders, spot_diag_t *diag)
{
    bool is_asked = false;
    int ret = 0;

    for (int j = 0; ret == 0 && j < SPOT_NUM_FORMATS; j++) {
        if (folders->folders[j] != NULL && is_first(folders, j)) {
            const task_t task = {report, folders->folders[j], false, 0, diag};

            is_asked = true;
            ret = spot_picture_make_folder(folders->folders[j], diag);
            ret = ret == 0 ? do_all(&task) : ret;
        }
    }
    if (ret == 0 && is_asked) {
        warn_of_problems(report, diag);
    }
    for (int j = 0; ret == 0 && j < SPOT_NUM_FORMATS; j++) {
        const task_t task = {
            report, folders->folders[j], true, (spot_picture_format_t) j, diag};

        ret = folders->folders[j] == NULL ? 0 : do_all(&task);
    }
    return ret;
}
