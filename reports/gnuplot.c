/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/gnuplot.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/outfile.h"
#include "reports/child.h"

/* -d: the user's settings are not read. */
static const spot_child_t gnuplot = {"gnuplot", "gnuplot-nox (or gnuplot)", {"-d"}};

/* Other formats are made from the SVG: so they have its layout, its font (embedded in a
 * PDF) and its transparent bands, which gnuplot's own terminals only come near to. */
static const spot_child_t converters[SPOT_NUM_FORMATS] = {
    [SPOT_FORMAT_PNG] = {"rsvg-convert", "librsvg2-bin", {"--format=png", "--zoom=2"}},
    [SPOT_FORMAT_PDF] = {"rsvg-convert", "librsvg2-bin", {"--format=pdf"}},
};

static int
copy_picture(spot_picture_format_t format, FILE *drawn, FILE *picture, const char *path,
    spot_diag_t *diag)
{
    char bytes[8192];
    size_t num_bytes;

    if (!spot_format_is_whole(format, drawn)) {
        spot_diag_error(diag, path, 0, 0,
            "gnuplot drew no whole picture: is there space for temporary files?");
        return SPOT_ERR_CHILD;
    }
    rewind(drawn);
    while ((num_bytes = fread(bytes, 1, sizeof(bytes), drawn)) > 0) {
        (void) fwrite(bytes, 1, num_bytes, picture); /* its error shows at the commit */
    }
    return 0;
}

/* Draws what script says into drawn. */
static int
draw_script(spot_gnuplot_script_t script, const void *context,
    spot_picture_format_t format, FILE *drawn, const char *path, spot_diag_t *diag)
{
    FILE *script_file = spot_child_file(path, diag);
    int ret = SPOT_ERR_IO;

    if (script_file == NULL) {
        return ret;
    }
    ret = script(context, spot_format_stdout(format), script_file);
    if (ret == 0 && (fflush(script_file) != 0 || fseek(script_file, 0, SEEK_SET) != 0)) {
        spot_diag_error(diag, path, 0, 0, "cannot keep the script: %s", strerror(errno));
        ret = SPOT_ERR_IO;
    }
    if (ret == 0) {
        ret = spot_child_run(&gnuplot, script_file, drawn, path, diag);
    }
    fclose(script_file);
    return ret;
}

/* Whether the SVG could be turned into a whole picture; no matter why not. */
static bool
convert(spot_picture_format_t format, FILE *svg, FILE *drawn, const char *path)
{
    spot_diag_t reasons;
    bool is_whole;

    spot_diag_init(&reasons);
    is_whole = fseek(svg, 0, SEEK_SET) == 0 &&
               spot_child_run(&converters[format], svg, drawn, path, &reasons) == 0 &&
               spot_format_is_whole(format, drawn);
    spot_diag_free(&reasons);
    return is_whole;
}

/* By way of SVG, or else by a terminal of gnuplot's own. *drawn is replaced. */
static int
draw_converted(spot_gnuplot_script_t script, const void *context,
    spot_picture_format_t format, FILE **drawn, const char *path, spot_diag_t *diag)
{
    FILE *svg = *drawn;
    int ret = draw_script(script, context, SPOT_FORMAT_SVG, svg, path, diag);

    if (ret != 0) {
        return ret;
    }
    *drawn = spot_child_file(path, diag);
    if (*drawn == NULL) {
        ret = SPOT_ERR_IO;
    } else if (!convert(format, svg, *drawn, path)) {
        fclose(*drawn);
        *drawn = spot_child_file(path, diag);
        ret = *drawn == NULL ? SPOT_ERR_IO
                             : draw_script(script, context, format, *drawn, path, diag);
    }
    fclose(svg);
    return ret;
}

int
spot_gnuplot_draw_as(spot_gnuplot_script_t script, const void *context,
    spot_picture_format_t format, FILE *picture, const char *path, spot_diag_t *diag)
{
    FILE *drawn = spot_child_file(path, diag);
    int ret = SPOT_ERR_IO;

    if (drawn == NULL) {
        return ret;
    }
    ret = format == SPOT_FORMAT_SVG
              ? draw_script(script, context, format, drawn, path, diag)
              : draw_converted(script, context, format, &drawn, path, diag);
    if (ret == 0) {
        ret = copy_picture(format, drawn, picture, path, diag);
    }
    if (drawn != NULL) {
        fclose(drawn);
    }
    return ret;
}

int
spot_gnuplot_draw(spot_gnuplot_script_t script, const void *context, FILE *picture,
    const char *path, spot_diag_t *diag)
{
    return spot_gnuplot_draw_as(script, context, SPOT_FORMAT_SVG, picture, path, diag);
}

int
spot_gnuplot_run_as(spot_gnuplot_script_t script, const void *context,
    spot_picture_format_t format, const char *picture_path, spot_diag_t *diag)
{
    spot_outfile_t picture;
    int ret = spot_outfile_init(&picture, picture_path, diag);

    if (ret == 0) {
        ret = spot_gnuplot_draw_as(
            script, context, format, picture.stream, picture_path, diag);
    }
    if (ret == 0) {
        ret = spot_outfile_commit(&picture, diag);
    }
    spot_outfile_free(&picture);
    return ret;
}

int
spot_gnuplot_run(spot_gnuplot_script_t script, const void *context,
    const char *picture_path, spot_diag_t *diag)
{
    return spot_gnuplot_run_as(script, context, SPOT_FORMAT_SVG, picture_path, diag);
}
