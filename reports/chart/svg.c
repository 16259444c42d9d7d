/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/chart/svg.h"

#include <math.h>
#include <string.h>

#include "reports/chart/colour.h"
#include "reports/chart/layout.h"
#include "reports/chart/marks.h"
#include "reports/markup/html.h"

#define MAX_HOVERS 400
#define SWATCH_PX 10.0

static const char *const text_classes[SPOT_CHART_NUM_TEXTS] = {
    [SPOT_CHART_TEXT_TITLE] = "tt",
    [SPOT_CHART_TEXT_PANEL] = "tp",
    [SPOT_CHART_TEXT_LABEL] = "tl",
    [SPOT_CHART_TEXT_NOTE] = "tn",
    [SPOT_CHART_TEXT_TICK] = "tk",
    [SPOT_CHART_TEXT_QUIET_TICK] = "tq",
    [SPOT_CHART_TEXT_DARK] = "td",
    [SPOT_CHART_TEXT_LIGHT] = "tw",
};

/* ---- Style ---- */

/* What has a colour of the page: the selector, the property, the ink. */
static const struct {
    const char *selector;
    const char *property;
    const char *ink;
} inks[] = {
    {".tt", "fill", SPOT_INK},
    {".tp", "fill", SPOT_INK},
    {".tl", "fill", SPOT_INK_LABEL},
    {".tk", "fill", SPOT_INK_LABEL},
    {".tn", "fill", SPOT_INK_QUIET},
    {".tq", "fill", SPOT_INK_QUIET},
    {".gr", "stroke", SPOT_INK_GRID},
    {".ax", "stroke", SPOT_INK_AXIS},
    {".h", "fill", "#ffffff"},
    {".w", "stroke", "#ffffff"},
};
#define NUM_INKS (sizeof(inks) / sizeof(inks[0]))
#define DARK_PAPER "#14171a"

/* What does not depend on light and dark. The fonts are at most as wide as Inter, by
 * which the layout measures. */
static const char shapes[] =
    "text{font-family:Inter,-apple-system,'Segoe UI',Roboto,Arial,'Liberation Sans',"
    "'DejaVu Sans Condensed',sans-serif;"
    "font-feature-settings:'calt' 0;stroke:none}"
    ".m{text-anchor:middle}.e{text-anchor:end}.td{fill:#1f2328}.tw{fill:#fff}"
    ".f{fill:currentColor}.s{fill-opacity:.18}.l,.gr,.ax,.o,.w{fill:none}"
    ".l,.o,.h{stroke:currentColor}.l{stroke-linejoin:round}.o{stroke-linecap:round}"
    ".w{stroke-width:.8}.v{fill:transparent}";

static void
write_sizes(bool is_narrow, const char *before, FILE *out)
{
    const spot_chart_layout_t layout = {.is_narrow = is_narrow};

    for (int j = 0; j < SPOT_CHART_NUM_TEXTS; j++) {
        fprintf(out, "%s.%s{font-size:%gpx}", before, text_classes[j],
            spot_chart_text_size(&layout, (spot_chart_text_look_t) j));
    }
}

/* The shapes behind a selector. */
static void
write_shapes(const char *before, FILE *out)
{
    bool is_selector = true, is_start = true;

    for (const char *at = shapes; *at != '\0'; at++) {
        if (is_selector && is_start) {
            fputs(before, out);
        }
        fputc(*at, out);
        is_start = *at == '}' || (is_selector && *at == ',');
        is_selector = *at == '}' || (is_selector && *at != '{');
    }
}

static void
write_inks(const char *before, bool is_dark, FILE *out)
{
    for (size_t j = 0; j < NUM_INKS; j++) {
        char dark[SPOT_CHART_COLOUR_BYTES];
        const bool is_paper = strcmp(inks[j].ink, "#ffffff") == 0;

        spot_chart_dark(inks[j].ink, dark);
        fprintf(out, "%s%s{%s:%s}", before, inks[j].selector, inks[j].property,
            !is_dark   ? inks[j].ink
            : is_paper ? "var(--paper," DARK_PAPER ")"
                       : dark);
    }
}

void
spot_chart_svg_style(FILE *out)
{
    write_shapes(".chart ", out);
    write_inks(".chart ", false, out);
    write_sizes(false, ".wide ", out);
    write_sizes(true, ".narrow ", out);
    fputs("\nsvg.chart{display:block;max-width:100%;height:auto;margin:0 auto}"
          "svg.narrow{display:none}\n"
          "@media screen and (max-width:43rem){svg.wide{display:none}"
          "svg.narrow{display:block}}\n"
          "@media screen and (prefers-color-scheme:dark){",
        out);
    write_inks(".chart ", true, out);
    fputs(".chart [style]{color:var(--d)}}\n", out);
}

/* ---- Texts and samples ---- */

/* A number with a digit at most behind the point. */
static void
write_px(double px, FILE *out)
{
    fprintf(out, "%g", round(10 * px) / 10);
}

static void
write_text(const spot_chart_layout_t *layout, const spot_chart_text_t *text, FILE *out)
{
    const double baseline = text->y + 0.36 * spot_chart_text_size(layout, text->look);

    fputs("<text x=\"", out);
    write_px(text->x, out);
    fputs("\" y=\"", out);
    write_px(baseline, out);
    fputs("\">", out);
    spot_html_bytes(out, text->line.text, text->line.num_bytes);
    fputs(text->line.is_cut ? "…</text>\n" : "</text>\n", out);
}

static void
write_texts(const spot_chart_layout_t *layout, FILE *out)
{
    static const char *const anchors[] = {"", " m", " e"};

    for (int look = 0; look < SPOT_CHART_NUM_TEXTS; look++) {
        for (int anchor = 0; anchor < 3; anchor++) {
            bool is_open = false;

            for (size_t j = 0; j < layout->num_texts; j++) {
                if ((int) layout->texts[j].look == look &&
                    (int) layout->texts[j].anchor == anchor) {
                    if (!is_open) {
                        fprintf(out, "<g class=\"%s%s\">\n", text_classes[look],
                            anchors[anchor]);
                        is_open = true;
                    }
                    write_text(layout, &layout->texts[j], out);
                }
            }
            if (is_open) {
                fputs("</g>\n", out);
            }
        }
    }
}

static void
write_sample(const spot_chart_pen_t *pen, const spot_chart_sample_t *sample)
{
    const spot_chart_entry_t *look = &sample->look;
    const double x = sample->x, y = sample->y;

    if (sample->is_leader) {
        fprintf(pen->out, "<path class=\"ax\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n",
            sample->from_x, sample->from_y, x, y);
        return;
    }
    if (look->is_line || look->marker == SPOT_CHART_NO_MARKER) {
        fprintf(pen->out, "<path class=\"l\" stroke-width=\"%d\"%s",
            look->is_line ? 2 : (int) SWATCH_PX, spot_chart_dash(look->dash));
        spot_chart_write_colour(pen, look->colour);
        fprintf(pen->out, " d=\"M%.1f %.1fh%d\"/>\n", x - (look->is_line ? 7 : 5), y,
            look->is_line ? 14 : (int) SWATCH_PX);
    }
    if (look->marker != SPOT_CHART_NO_MARKER) {
        spot_chart_draw_marker(
            pen, look->marker, look->is_hollow, look->colour, x, y, 4.2);
    }
}

/* ---- Panels ---- */

/* Lines of the grid, along y and, where both axes are numbers or bars lie, along x. */
static void
write_grid(const spot_chart_place_t *place, FILE *out)
{
    const spot_chart_box_t *box = &place->box;
    const spot_chart_panel_t *look = &place->node->look;
    const bool has_x = place->node->num_x_labels == 0 &&
                       look->x.kind != SPOT_CHART_ROWS && !look->x.is_hidden;

    fputs("<path class=\"gr\" d=\"", out);
    for (size_t j = 0; j < place->y.num_ticks && !look->y.is_hidden; j++) {
        fprintf(out, "M%.1f %.1fH%.1f", box->left,
            spot_chart_y_px(place, place->y.ticks[j].value), box->right);
    }
    for (size_t j = 0; j < place->x.num_ticks && has_x; j++) {
        fprintf(out, "M%.1f %.1fV%.1f", spot_chart_x_px(place, place->x.ticks[j].value),
            box->top, box->bottom);
    }
    fprintf(out, "\"/>\n<path class=\"ax\" d=\"M%.1f %.1fH%.1f\"/>\n", box->left,
        box->bottom, box->right);
}

static int
write_body(const spot_chart_layout_t *layout, const spot_chart_pen_t *pen)
{
    const bool has_hovers = layout->chart->num_hovers <= MAX_HOVERS;
    int ret = 0;

    for (size_t j = 0; j < layout->num_places && ret == 0; j++) {
        if (layout->places[j].node->look.empty == NULL) {
            write_grid(&layout->places[j], pen->out);
            ret = spot_chart_draw_marks(pen, &layout->places[j], has_hovers);
        }
    }
    for (size_t j = 0; j < layout->num_samples; j++) {
        write_sample(pen, &layout->samples[j]);
    }
    write_texts(layout, pen->out);
    return ret == 0 && ferror(pen->out) ? SPOT_ERR_IO : ret;
}

/* ---- Documents ---- */

static void
write_description(const spot_chart_t *chart, FILE *out)
{
    if (chart->description[0] != '\0') {
        fputs("<desc>", out);
        spot_html_text(out, chart->description);
        fputs("</desc>\n", out);
    }
}

static void
write_label(const spot_chart_t *chart, FILE *out)
{
    fputs(" role=\"img\" aria-label=\"", out);
    spot_html_text(out, chart->title);
    fputs("\">\n", out);
}

int
spot_chart_svg(spot_chart_t *self, double width_px, FILE *out)
{
    spot_chart_layout_t layout;
    int ret = spot_chart_layout_init(&layout, self, width_px, true);

    if (ret == 0) {
        fprintf(out,
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<svg "
            "xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%.0f\" "
            "viewBox=\"0 0 %g %.0f\"",
            width_px, layout.height_px, width_px, layout.height_px);
        write_label(self, out);
        fputs("<title>", out);
        spot_html_text(out, self->title);
        fputs("</title>\n", out);
        write_description(self, out);
        fputs("<style>", out);
        write_shapes("", out);
        write_inks("", false, out);
        write_sizes(layout.is_narrow, "", out);
        fputs("</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n", out);
        ret = write_body(&layout, &(spot_chart_pen_t){.out = out, .is_inline = false});
        fputs("</svg>\n", out);
    }
    spot_chart_layout_free(&layout);
    return ret == 0 && ferror(out) ? SPOT_ERR_IO : ret;
}

int
spot_chart_svg_inline(spot_chart_t *self, double width_px, bool has_title, FILE *out)
{
    spot_chart_layout_t layout;
    int ret = spot_chart_layout_init(&layout, self, width_px, has_title);

    if (ret == 0) {
        fprintf(out,
            "<svg class=\"chart %s\" width=\"%g\" height=\"%.0f\" viewBox=\"0 0 %g "
            "%.0f\"",
            layout.is_narrow ? "narrow" : "wide", width_px, layout.height_px, width_px,
            layout.height_px);
        write_label(self, out);
        write_description(self, out);
        ret = write_body(&layout, &(spot_chart_pen_t){.out = out, .is_inline = true});
        fputs("</svg>\n", out);
    }
    spot_chart_layout_free(&layout);
    return ret;
}
