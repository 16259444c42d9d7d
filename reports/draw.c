/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/draw.h"

#include <errno.h>
#include <string.h>

#include "base/outfile.h"
#include "reports/chart/script.h"
#include "reports/chart/svg.h"
#include "reports/child.h"

/* They keep the layout of the SVG and embed its font in a PDF. */
static const spot_child_t converters[SPOT_NUM_FORMATS] = {
    [SPOT_FORMAT_PNG] = {"rsvg-convert", "librsvg2-bin", {"--format=png", "--zoom=2"}},
    [SPOT_FORMAT_PDF] = {"rsvg-convert", "librsvg2-bin", {"--format=pdf"}},
};

/* The chart of a declaration, or NULL with an error. */
static spot_chart_t *
declare_chart(spot_declare_t declare, const void *context, int *error)
{
    spot_chart_t *chart = spot_chart_new();

    *error = chart == NULL ? SPOT_ERR_NO_MEMORY : declare(chart, context);
    if (*error == 0) {
        *error = spot_chart_error(chart);
    }
    if (*error != 0) {
        spot_chart_free(chart);
        return NULL;
    }
    return chart;
}

static int
write_svg(spot_declare_t declare, const void *context, FILE *out)
{
    int ret;
    spot_chart_t *chart = declare_chart(declare, context, &ret);

    if (ret == 0) {
        ret = spot_chart_svg(chart, SPOT_CHART_WIDE_PX, out);
    }
    spot_chart_free(chart);
    return ret;
}

static int
copy_picture(spot_picture_format_t format, FILE *drawn, FILE *out, const char *path,
    spot_diag_t *diag)
{
    char bytes[8192];
    size_t num_bytes;

    if (!spot_format_is_whole(format, drawn)) {
        spot_diag_error(diag, path, 0, 0,
            "rsvg-convert drew no whole picture: is there space for temporary files?");
        return SPOT_ERR_CHILD;
    }
    rewind(drawn);
    while ((num_bytes = fread(bytes, 1, sizeof(bytes), drawn)) > 0) {
        (void) fwrite(bytes, 1, num_bytes, out); /* its error shows at the commit */
    }
    return 0;
}

/* By way of two nameless files: the SVG and what is made of it. */
static int
draw_converted(spot_declare_t declare, const void *context, spot_picture_format_t format,
    FILE *out, const char *path, spot_diag_t *diag)
{
    FILE *svg = spot_child_file(path, diag);
    FILE *drawn = svg == NULL ? NULL : spot_child_file(path, diag);
    int ret = drawn == NULL ? SPOT_ERR_IO : write_svg(declare, context, svg);

    if (ret == 0 && (fflush(svg) != 0 || fseek(svg, 0, SEEK_SET) != 0)) {
        spot_diag_error(diag, path, 0, 0, "cannot keep the SVG: %s", strerror(errno));
        ret = SPOT_ERR_IO;
    }
    if (ret == 0) {
        ret = spot_child_run(&converters[format], svg, drawn, path, diag);
    }
    if (ret == 0) {
        ret = copy_picture(format, drawn, out, path, diag);
    }
    if (drawn != NULL) {
        fclose(drawn);
    }
    if (svg != NULL) {
        fclose(svg);
    }
    return ret;
}

int
spot_draw_stream(spot_declare_t declare, const void *context,
    spot_picture_format_t format, FILE *out, const char *path, spot_diag_t *diag)
{
    return format == SPOT_FORMAT_SVG
               ? write_svg(declare, context, out)
               : draw_converted(declare, context, format, out, path, diag);
}

int
spot_draw_file(spot_declare_t declare, const void *context, spot_picture_format_t format,
    const char *path, spot_diag_t *diag)
{
    spot_outfile_t picture;
    int ret = spot_outfile_init(&picture, path, diag);

    if (ret == 0) {
        ret = spot_draw_stream(declare, context, format, picture.stream,
            path == NULL ? "standard output" : path, diag);
    }
    if (ret == 0) {
        ret = spot_outfile_commit(&picture, diag);
    }
    spot_outfile_free(&picture);
    return ret;
}

int
spot_draw_page(spot_declare_t declare, const void *context, bool has_title, FILE *out)
{
    int ret;
    spot_chart_t *chart = declare_chart(declare, context, &ret);

    if (ret == 0) {
        ret = spot_chart_svg_inline(chart, SPOT_CHART_WIDE_PX, has_title, out);
    }
    if (ret == 0) {
        ret = spot_chart_svg_inline(chart, SPOT_CHART_NARROW_PX, has_title, out);
    }
    spot_chart_free(chart);
    return ret;
}

int
spot_draw_script(
    spot_declare_t declare, const void *context, const char *picture_path, FILE *out)
{
    int ret;
    spot_chart_t *chart = declare_chart(declare, context, &ret);

    if (ret == 0) {
        ret = spot_chart_script(chart, picture_path, out);
    }
    spot_chart_free(chart);
    return ret;
}
