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
    const spot_run_series_t *run, const spot_timeline_bins_t *bins, FILE *out)
{
    fputs("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Categories "
          "and their shares\">\n<table>\n<thead><tr><th scope=\"col\">category</th><th "
          "scope=\"col\">share</th><th scope=\"col\">",
        out);
    spot_html_text(out, spot_run_series_level_noun(run));
    fputs(" on average</th></tr></thead>\n<tbody>\n", out);
    for (size_t k = run->num_levels; k-- > 0;) {
        const double share = bins->shares[k];

        if (share > 0) {
            const double mean = share * bins->area / run->end_ms;

            fputs("<tr>", out);
            spot_html_element(out, "th scope=\"row\"", spot_run_series_level(run, k));
            fprintf(out,
                "<td data-value=\"%.6g\">%.1f %%</td><td data-value=\"%.6g\">%.2f"
                "</td></tr>\n",
                share, 100 * share, mean, mean);
        }
    }
    fputs("</tbody>\n</table>\n</div>\n", out);
}

static void
write_marks(const spot_run_series_t *run, FILE *out)
{
    fputs("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"What "
          "happened\">\n<table>\n<thead><tr><th scope=\"col\">what happened</th><th "
          "scope=\"col\">times</th><th scope=\"col\">count in all</th></tr></thead>\n"
          "<tbody>\n",
        out);
    for (size_t k = 0; k < run->num_mark_kinds; k++) {
        spot_timeline_mark_bin_t all;
        const size_t num_marks = spot_timeline_bin_marks(run, (int32_t) k, 1, &all);

        if (num_marks > 0) {
            fputs("<tr>", out);
            spot_html_element(out, "th scope=\"row\"", run->mark_names[k]);
            fprintf(out,
                "<td data-value=\"%zu\">%zu</td><td data-value=\"%lld\">%lld</td>"
                "</tr>\n",
                num_marks, num_marks, (long long) all.count, (long long) all.count);
        }
    }
    fputs("</tbody>\n</table>\n</div>\n", out);
}

static int
write_tables(const spot_run_series_t *run, FILE *out)
{
    spot_timeline_bins_t bins;
    const int ret = spot_timeline_bins_init(&bins, run, SPOT_MAX_BINS);

    if (ret == 0) {
        fputs("<div class=\"timeline-tables\">\n", out);
        if (run->levels != NULL) {
            write_categories(run, &bins, out);
        }
        if (run->events != NULL) {
            write_marks(run, out);
        }
        fputs("</div>\n", out);
    }
    spot_timeline_bins_free(&bins);
    return ret;
}

/* For whoever does not see the picture. */
static void
write_what_is_drawn(const spot_run_series_t *run, FILE *out)
{
    const char *comma = "";

    if (run->levels != NULL) {
        spot_html_text(out, spot_run_series_level_noun(run));
        fputs(run->num_levels > 1 ? " over time by category" : " over time", out);
        comma = ", ";
    }
    if (run->events != NULL) {
        fprintf(out, "%smarks of what happened", comma);
        comma = ", and ";
    }
    if (run->curve != NULL) {
        fputs(comma, out);
        spot_html_text(out, spot_run_series_curve_noun(run));
    }
}

/* What stands there where no script runs. */
static int
write_figure(const spot_run_series_t *run, const spot_page_timeline_style_t *style,
    FILE *out, spot_diag_t *diag)
{
    int ret = 0;

    fputs("<figure class=\"picture\" role=\"group\" aria-label=\"", out);
    spot_html_text(out, style->label);
    if (style->is_drawn) {
        fputs("\">\n<div class=\"static\" role=\"img\" aria-label=\"", out);
        write_what_is_drawn(run, out);
        fputs(": the tables below have the totals\">\n", out);
        ret = spot_page_svg_write(
            &(spot_page_picture_t){
                .name = "timeline", .write_script = write_script, .context = run},
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
spot_page_timeline_write(const spot_run_series_t *run,
    const spot_page_timeline_style_t *style, FILE *out, spot_diag_t *diag)
{
    int ret;

    if (!spot_run_series_check(run, style->path, diag)) {
        return SPOT_ERR_BAD_PARAM;
    }
    fputs("<div class=\"timeline\" data-label=\"", out);
    spot_html_text(out, style->label);
    fputs("\">\n", out);
    ret = write_figure(run, style, out, diag);
    fputs("<script type=\"application/json\" class=\"timeline-data\">", out);
    if (ret == 0) {
        ret = spot_timeline_data_write(run, out);
    }
    fputs("</script>\n", out);
    if (ret == 0) {
        ret = write_tables(run, out);
    }
    fputs("</div>\n", out);
    return ret;
}

int
spot_page_run_write(
    const spot_run_series_t *run, const char *path, FILE *out, spot_diag_t *diag)
{
    int ret;

    spot_page_head_write(out, run->title);
    fputs("<header>\n<h1><bdi>", out);
    spot_html_text(out, run->title);
    fputs("</bdi></h1>\n", out);
    spot_html_element(out, "p class=\"note\"", run->note);
    fputs("\n</header>\n<main>\n", out);
    ret = spot_page_timeline_write(run,
        &(spot_page_timeline_style_t){"Timeline of the run", path, true}, out, diag);
    fputs("</main>\n", out);
    spot_page_script_write(out, spot_page_timeline_js, spot_page_timeline_js_end);
    fputs("</body>\n</html>\n", out);
    return ret == 0 && ferror(out) ? SPOT_ERR_IO : ret;
}
