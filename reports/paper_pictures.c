/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/paper_pictures.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/outfile.h"
#include "reports/picture_files.h"
#include "reports/run_series.h"
#include "reports/study_pictures.h"
#include "reports/timeline_chart.h"
#include "sim/bench/store/series_rows.h"

/* Of single runs; the page has as many. */
#define MAX_TIMELINES 64

/* What is to be done in a folder: data and scripts, or pictures. */
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
    const char *title;
    spot_declare_t declare;
    const spot_study_picture_t *picture; /* NULL: of a run */
    const spot_run_series_t *run;
} item_t;

static const void *context_of(const task_t *task, const item_t *item)
{
    return item->run == NULL ? (const void *) task->report : item->run;
}

static int write_csv(const task_t *task, const item_t *item, FILE *out)
{
    return item->run == NULL ? spot_study_picture_write_csv(item->picture, task->report, out)
                             : spot_timeline_csv_write(item->run, out);
}

/* The script that draws the SVG again, beside it, from whatever folder gnuplot is run:
 * gnuplot knows the path of the script that it was started with as ARG0, unless it reads
 * it from its standard input. */
static int write_script(const task_t *task, const item_t *item, FILE *out)
{
    char name[SPOT_FILE_NAME_BYTES], svg_name[2 * SPOT_FILE_NAME_BYTES];

    spot_file_name(task->report->head->name, name);
    snprintf(svg_name, sizeof(svg_name), "%s-%s.svg", name, item->name);
    fprintf(out,
        "# %s: `gnuplot %s-%s.gnuplot` draws %s beside this script.\n"
        "set encoding utf8\n"
        "script = '%s-%s.gnuplot'\n"
        "folder_length = exists('ARG0') ? strlen(ARG0) - strlen(script) : 0\n"
        "if (folder_length > 0 && ARG0[folder_length + 1:] eq script) "
        "cd ARG0[1:folder_length]\n",
        item->title, name, item->name, svg_name, name, item->name);
    return spot_draw_script(item->declare, context_of(task, item), svg_name, out);
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

static int write_source(const task_t *task, const item_t *item, const char *suffix,
    int (*write)(const task_t *task, const item_t *item, FILE *out))
{
    char *path = path_of(task, item, suffix);
    spot_outfile_t file = {0};
    int ret = path == NULL ? SPOT_ERR_NO_MEMORY : spot_outfile_init(&file, path, task->diag);

    if (ret == 0) {
        ret = write(task, item, file.stream);
    }
    free(path);
    return spot_outfile_close(&file, ret, task->diag);
}

static int do_item(const task_t *task, const item_t *item)
{
    int ret;

    if (task->is_drawing) {
        return draw(task, item);
    }
    ret = write_source(task, item, "csv", write_csv);
    return ret == 0 ? write_source(task, item, "gnuplot", write_script) : ret;
}

/* A run: "timeline-3-0" is replication 0 of point 3. */
static int do_run(const task_t *task, const spot_series_id_t *id)
{
    const spot_report_t *report = task->report;
    char name[64];
    spot_recording_t recording;
    spot_run_series_t run = {0};
    const item_t item = {name, "One run over time", spot_run_declare, NULL, &run};
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
        const item_t item = {picture->name, picture->title, picture->declare, picture, NULL};

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
