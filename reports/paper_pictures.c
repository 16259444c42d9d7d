/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/paper_pictures.h"

#include <stdlib.h>
#include <string.h>

#include "base/outfile.h"
#include "reports/picture_files.h"

/* Of a picture: NAME-PICTURE.svg. */
#define FILE_NAME_BYTES (SPOT_PICTURE_NAME_BYTES + 64)

/* gnuplot knows the path of the script that it was started with as ARG0, unless it reads
 * it from its standard input. */
int
spot_paper_script_write(const spot_study_picture_t *picture, const spot_report_t *report,
    const char *file_name, FILE *out)
{
    char svg_name[FILE_NAME_BYTES];

    snprintf(svg_name, sizeof(svg_name), "%s.svg", file_name);
    fprintf(out,
        "# %s: `gnuplot %s.gnuplot` draws %s beside this script.\n"
        "set encoding utf8\n"
        "script = '%s.gnuplot'\n"
        "folder_length = exists('ARG0') ? strlen(ARG0) - strlen(script) : 0\n"
        "if (folder_length > 0 && ARG0[folder_length + 1:] eq script) "
        "cd ARG0[1:folder_length]\n",
        picture->title, file_name, svg_name, file_name);
    return picture->write_script(report, svg_name, out);
}

/* What can be written of a picture; the context of writer_t. */
typedef struct {
    const spot_study_picture_t *picture;
    const spot_report_t *report;
    const char *file_name;
} source_t;

typedef int (*writer_t)(const source_t *source, FILE *out);

static int
write_script(const source_t *source, FILE *out)
{
    return spot_paper_script_write(
        source->picture, source->report, source->file_name, out);
}

static int
write_csv(const source_t *source, FILE *out)
{
    return source->picture->write_csv(source->report, out);
}

static int
write_file(const source_t *source, writer_t writer, const char *folder,
    const char *suffix, spot_diag_t *diag)
{
    char *path = spot_picture_path(
        folder, source->report->head->name, source->picture->name, suffix);
    spot_outfile_t file;
    int ret;

    if (path == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    ret = spot_outfile_init(&file, path, diag);
    if (ret == 0) {
        ret = writer(source, file.stream);
    }
    ret = spot_outfile_close(&file, ret, diag);
    free(path);
    return ret;
}

/* Data and scripts of all pictures. */
static int
write_sources(const spot_report_t *report, const char *folder, spot_diag_t *diag)
{
    char name[SPOT_PICTURE_NAME_BYTES], file_name[FILE_NAME_BYTES];
    int ret = spot_picture_make_folder(folder, diag);

    spot_picture_file_name(report->head->name, name);
    for (const spot_study_picture_t *picture = spot_study_pictures;
         ret == 0 && picture->name != NULL; picture++) {
        const source_t source = {picture, report, file_name};

        if (picture->problem(report) != NULL) {
            continue;
        }
        snprintf(file_name, sizeof(file_name), "%s-%s", name, picture->name);
        ret = write_file(&source, write_csv, folder, "csv", diag);
        if (ret == 0) {
            ret = write_file(&source, write_script, folder, "gnuplot", diag);
        }
    }
    return ret;
}

static int
draw_pictures(const spot_report_t *report, spot_picture_format_t format,
    const char *folder, spot_diag_t *diag)
{
    int ret = 0;

    for (const spot_study_picture_t *picture = spot_study_pictures;
         ret == 0 && picture->name != NULL; picture++) {
        char *path;

        if (picture->problem(report) != NULL) {
            continue;
        }
        path = spot_picture_path(
            folder, report->head->name, picture->name, spot_format_suffix(format));
        ret = path == NULL ? SPOT_ERR_NO_MEMORY
                           : spot_gnuplot_run_as(
                                 picture->write_script, report, format, path, diag);
        free(path);
    }
    return ret;
}

static void
tell_problems(const spot_report_t *report, spot_diag_t *diag)
{
    for (const spot_study_picture_t *picture = spot_study_pictures;
         picture->name != NULL; picture++) {
        const char *problem = picture->problem(report);

        if (problem != NULL) {
            spot_diag_warn(
                diag, picture->name, 0, 0, "nothing can be drawn: %s", problem);
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
            ret = write_sources(report, folders->folders[j], diag);
        }
    }
    if (ret == 0 && is_asked) {
        tell_problems(report, diag);
    }
    for (int j = 0; ret == 0 && j < SPOT_NUM_FORMATS; j++) {
        if (folders->folders[j] != NULL) {
            ret = draw_pictures(
                report, (spot_picture_format_t) j, folders->folders[j], diag);
        }
    }
    return ret;
}
