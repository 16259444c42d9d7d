/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/paper_pictures.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/outfile.h"
#include "reports/picture_files.h"
#include "reports/run_series.h"
#include "reports/timeline_chart.h"
#include "sim/store/series_rows.h"

/* Of a picture: NAME-PICTURE.svg. */
#define FILE_NAME_BYTES (SPOT_PICTURE_NAME_BYTES + 64)

/* Of single runs; the page has as many. */
#define MAX_TIMELINES 64

/* A picture of the study, or of one of its runs. */
typedef struct {
    const spot_report_t *report;
    const char *name; /* of the picture */
    const char *title;
    spot_declare_t declare;
    const void *context; /* of declare: the report, or the series of a run */
    int (*write_csv)(const spot_report_t *report, FILE *out); /* NULL: it is of a run */
} item_t;

static int
write_csv(const item_t *item, FILE *out)
{
    return item->write_csv != NULL ? item->write_csv(item->report, out)
                                   : spot_timeline_csv_write(item->context, out);
}

/* The script that draws the SVG again, beside it, from whatever folder gnuplot is run:
 * gnuplot knows the path of the script that it was started with as ARG0, unless it reads
 * it from its standard input. */
static int
write_kept_script(const item_t *item, FILE *out)
{
    char name[SPOT_PICTURE_NAME_BYTES], file_name[FILE_NAME_BYTES];
    char svg_name[FILE_NAME_BYTES + 8];

    spot_picture_file_name(item->report->head->name, name);
    snprintf(file_name, sizeof(file_name), "%s-%s", name, item->name);
    snprintf(svg_name, sizeof(svg_name), "%s.svg", file_name);
    fprintf(out,
        "# %s: `gnuplot %s.gnuplot` draws %s beside this script.\n"
        "set encoding utf8\n"
        "script = '%s.gnuplot'\n"
        "folder_length = exists('ARG0') ? strlen(ARG0) - strlen(script) : 0\n"
        "if (folder_length > 0 && ARG0[folder_length + 1:] eq script) "
        "cd ARG0[1:folder_length]\n",
        item->title, file_name, svg_name, file_name);
    return spot_draw_script(item->declare, item->context, svg_name, out);
}

/* Where it is done and what is to be done. */
typedef struct {
    const char *folder;
    spot_picture_format_t format;
    spot_diag_t *diag;
} place_t;

typedef int (*item_function_t)(const item_t *item, const place_t *place);

static int
write_file(const item_t *item, int (*writer)(const item_t *item, FILE *out),
    const char *suffix, const place_t *place)
{
    char *path =
        spot_picture_path(place->folder, item->report->head->name, item->name, suffix);
    spot_outfile_t file;
    int ret;

    if (path == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    ret = spot_outfile_init(&file, path, place->diag);
    if (ret == 0) {
        ret = writer(item, file.stream);
    }
    ret = spot_outfile_close(&file, ret, place->diag);
    free(path);
    return ret;
}

/* Data and script. */
static int
write_sources(const item_t *item, const place_t *place)
{
    const int ret = write_file(item, write_csv, "csv", place);

    return ret == 0 ? write_file(item, write_kept_script, "gnuplot", place) : ret;
}

static int
draw_picture(const item_t *item, const place_t *place)
{
    char *path = spot_picture_path(place->folder, item->report->head->name, item->name,
        spot_format_suffix(place->format));
    const int ret = path == NULL ? SPOT_ERR_NO_MEMORY
                                 : spot_draw_file(item->declare, item->context,
                                       place->format, path, place->diag);

    free(path);
    return ret;
}

/* A run: "timeline-3-0" is replication 0 of point 3. */
static int
for_run(const spot_report_t *report, const spot_series_id_t *id,
    item_function_t function, const place_t *place)
{
    char name[64];
    spot_recording_t recording;
    spot_run_series_t run = {0};
    const item_t item = {.report = report,
        .name = name,
        .title = "One run over time",
        .declare = spot_timeline_declare,
        .context = &run};
    int ret =
        spot_store_read_series(report->store, id->point_id, id->replication, &recording);

    if (ret == 0) {
        ret = spot_run_series_init(&run, &recording, report->head->colours);
    }
    snprintf(name, sizeof(name), "timeline-%zu-%" PRId64, id->point_id, id->replication);
    if (ret == 0 && spot_run_series_check(&run, NULL, NULL)) {
        ret = function(&item, place);
    }
    spot_run_series_free(&run);
    spot_recording_free(&recording);
    return ret;
}

/* All pictures of the study that can be drawn, then those of its runs. */
static int
for_each_item(
    const spot_report_t *report, item_function_t function, const place_t *place)
{
    spot_series_list_t runs = {0};
    int ret = 0;

    for (size_t j = 0; ret == 0 && spot_study_pictures[j] != NULL; j++) {
        const spot_study_picture_t *picture = spot_study_pictures[j];
        const item_t item = {.report = report,
            .name = picture->name,
            .title = picture->title,
            .declare = picture->declare,
            .context = report,
            .write_csv = picture->write_csv};

        if (picture->problem(report) == NULL) {
            ret = function(&item, place);
        }
    }
    if (ret == 0) {
        ret = spot_series_list_read(&runs, report->store);
    }
    for (size_t j = 0; ret == 0 && j < runs.num_ids && j < MAX_TIMELINES; j++) {
        ret = for_run(report, &runs.ids[j], function, place);
    }
    if (runs.num_ids > MAX_TIMELINES && function == write_sources) {
        spot_diag_warn(place->diag, place->folder, 0, 0,
            "the first %d of %zu runs whose series the store keeps are drawn",
            MAX_TIMELINES, runs.num_ids);
    }
    spot_series_list_free(&runs);
    return ret;
}

static void
tell_problems(const spot_report_t *report, spot_diag_t *diag)
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
            is_asked = true;
            ret = spot_picture_make_folder(folders->folders[j], diag);
            if (ret == 0) {
                ret = for_each_item(report, write_sources,
                    &(place_t){.folder = folders->folders[j], .diag = diag});
            }
        }
    }
    if (ret == 0 && is_asked) {
        tell_problems(report, diag);
    }
    for (int j = 0; ret == 0 && j < SPOT_NUM_FORMATS; j++) {
        if (folders->folders[j] != NULL) {
            ret = for_each_item(report, draw_picture,
                &(place_t){folders->folders[j], (spot_picture_format_t) j, diag});
        }
    }
    return ret;
}
