/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/page/page_timeline.h"

#include "base/units.h"
#include "reports/page/page_internal.h"
#include "reports/page/timeline_data.h"
#include "reports/timeline_plot.h"

static int
write_script(const void *context, const char *picture_path, FILE *out)
{
    return spot_timeline_plot_script(context, picture_path, out);
}

/* In the order of the legend: the picture's stack from its top down. */
static void
write_categories(
    const spot_timeline_t *timeline, const spot_timeline_bins_t *bins, FILE *out)
{
    fputs("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Categories "
          "and their shares\">\n<table>\n<thead><tr><th scope=\"col\">category</th><th "
          "scope=\"col\">share</th><th scope=\"col\">",
        out);
    spot_html_text(out, timeline->height_label);
    fputs(" on average</th></tr></thead>\n<tbody>\n", out);
    for (size_t k = timeline->num_categories; k-- > 0;) {
        const double share = bins->shares[k];

        if (share > 0) {
            const double mean = share * bins->area / (double) timeline->end_ms;

            fputs("<tr>", out);
            spot_html_element(out, "th scope=\"row\"", timeline->category_names[k]);
            fprintf(out,
                "<td data-value=\"%.6g\">%.1f %%</td><td data-value=\"%.6g\">%.2f"
                "</td></tr>\n",
                share, 100 * share, mean, mean);
        }
    }
    fputs("</tbody>\n</table>\n</div>\n", out);
}

static void
write_marks(const spot_timeline_t *timeline, FILE *out)
{
    fputs("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"What "
          "happened\">\n<table>\n<thead><tr><th scope=\"col\">what happened</th><th "
          "scope=\"col\">times</th><th scope=\"col\">count in all</th></tr></thead>\n"
          "<tbody>\n",
        out);
    for (size_t k = 0; k < timeline->num_mark_kinds; k++) {
        spot_timeline_mark_bin_t all;
        const size_t num_marks = spot_timeline_bin_marks(timeline, (int32_t) k, 1, &all);

        if (num_marks > 0) {
            fputs("<tr>", out);
            spot_html_element(out, "th scope=\"row\"", timeline->mark_names[k]);
            fprintf(out,
                "<td data-value=\"%zu\">%zu</td><td data-value=\"%lld\">%lld</td>"
                "</tr>\n",
                num_marks, num_marks, (long long) all.count, (long long) all.count);
        }
    }
    fputs("</tbody>\n</table>\n</div>\n", out);
}

static int
write_tables(const spot_timeline_t *timeline, FILE *out)
{
    spot_timeline_bins_t bins;
    const int ret = spot_timeline_bins_init(&bins, timeline, SPOT_MAX_BINS);

    if (ret == 0) {
        fputs("<div class=\"timeline-tables\">\n", out);
        write_categories(timeline, &bins, out);
        write_marks(timeline, out);
        fputs("</div>\n", out);
    }
    spot_timeline_bins_free(&bins);
    return ret;
}

/* What stands there where no script runs. */
static int
write_figure(const spot_timeline_t *timeline, const spot_page_timeline_style_t *style,
    FILE *out, spot_diag_t *diag)
{
    int ret = 0;

    fputs("<figure class=\"picture\" role=\"group\" aria-label=\"", out);
    spot_html_text(out, style->label);
    if (style->is_drawn) {
        fputs("\">\n<div class=\"static\" role=\"img\" aria-label=\"", out);
        spot_html_text(out, timeline->height_label);
        fputs(" over time by what they do, marks of what happened, and ", out);
        spot_html_text(out, timeline->progress_label);
        fputs(": the tables below have the totals\">\n", out);
        ret = spot_page_svg_write(
            &(spot_page_picture_t){
                .name = "timeline", .write_script = write_script, .context = timeline},
            out, style->path, diag);
    } else {
        fputs("\">\n<div class=\"static\">\n<h3>", out);
        spot_html_text(out, style->label);
        fputs("</h3>\n", out);
    }
    fputs("</div>\n<div class=\"timeline-live\" hidden></div>\n</figure>\n", out);
    return ret;
}

int
spot_page_timeline_write(const spot_timeline_t *timeline,
    const spot_page_timeline_style_t *style, FILE *out, spot_diag_t *diag)
{
    int ret;

    if (timeline->end_ms <= 0) {
        spot_diag_error(
            diag, style->path, 0, 0, "nothing can be drawn: the run is empty");
        return SPOT_ERR_BAD_PARAM;
    }
    fputs("<div class=\"timeline\" data-label=\"", out);
    spot_html_text(out, style->label);
    fputs("\">\n", out);
    ret = write_figure(timeline, style, out, diag);
    fputs("<script type=\"application/json\" class=\"timeline-data\">", out);
    if (ret == 0) {
        ret = spot_timeline_data_write(timeline, out);
    }
    fputs("</script>\n", out);
    if (ret == 0) {
        ret = write_tables(timeline, out);
    }
    fputs("</div>\n", out);
    return ret;
}

int
spot_page_run_write(
    const spot_timeline_t *timeline, const char *path, FILE *out, spot_diag_t *diag)
{
    int ret;

    spot_page_head_write(out, timeline->title);
    fputs("<header>\n<h1><bdi>", out);
    spot_html_text(out, timeline->title);
    fputs("</bdi></h1>\n", out);
    spot_html_element(out, "p class=\"note\"", timeline->note);
    fputs("\n</header>\n<main>\n", out);
    ret = spot_page_timeline_write(timeline,
        &(spot_page_timeline_style_t){"Timeline of the run", path, true}, out, diag);
    fputs("</main>\n", out);
    spot_page_script_write(out, spot_page_timeline_js, spot_page_timeline_js_end);
    fputs("</body>\n</html>\n", out);
    return ret == 0 && ferror(out) ? SPOT_ERR_IO : ret;
}
