/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/page/page_timeline.h"

#include <math.h>

#include "base/units.h"
#include "reports/page/page_cells.h"
#include "reports/page/page_internal.h"
#include "reports/page/timeline_data.h"
#include "reports/timeline_chart.h"

/* Of a page of one run: 3 MB. */
#define MAX_ROWS 150000

/* A table whose rows the script writes anew for the stretch that it shows; name, caption
 * are ours. */
static void
open_table(FILE *out, const char *name, const char *caption, const char *const *heads)
{
    fprintf(out,
        "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"%s\">\n"
        "<table class=\"timeline-%s\">\n<caption data-words=\"%s\">%s, the whole "
        "run</caption>\n",
        caption, name, caption, caption);
    spot_page_heads(out, heads);
}

/* In the order of the legend: the picture's stack from its top down. */
static void
write_categories(
    const spot_run_series_t *run, const spot_timeline_bins_t *bins, FILE *out)
{
    char average[160];

    snprintf(
        average, sizeof(average), "%.140s on average", spot_run_series_level_noun(run));
    open_table(out, "shares", "Shares",
        (const char *const[]){"category", "share", average, NULL});
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
    spot_page_table_close(out);
}

static void
write_marks(const spot_run_series_t *run, FILE *out)
{
    open_table(out, "marks", "Events",
        (const char *const[]){"what happened", "times", "count in all", NULL});
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
    spot_page_table_close(out);
}

static void
write_amount(FILE *out, double value, const char *unit, const char *divisor)
{
    fprintf(out, "<td data-value=\"%.9g\">%.*f%s", value, value == round(value) ? 0 : 2,
        value, unit[0] == '\0' ? "" : " ");
    spot_html_text(out, unit);
    fprintf(out, "%s</td>", divisor);
}

static void
write_curves(const spot_run_series_t *run, FILE *out)
{
    open_table(out, "curves", "Progress",
        (const char *const[]){"what", "change", "rate", "at the end", NULL});
    for (size_t k = 0; k < run->num_curves; k++) {
        const spot_series_t *curve = run->curves[k];
        const char *unit = spot_run_series_curve_unit(run, k);

        if (curve->num_rows > 0) {
            const double end = spot_run_value(curve, curve->num_rows - 1, 1);
            const double change = end - spot_run_value(curve, 0, 1);

            fputs("<tr>", out);
            spot_html_element(
                out, "th scope=\"row\"", spot_run_series_curve_name(run, k));
            write_amount(out, change, unit, "");
            write_amount(out, change / run->end_ms * SPOT_MS_PER_H, unit, "/h");
            write_amount(out, end, unit, "");
            fputs("</tr>\n", out);
        }
    }
    spot_page_table_close(out);
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
        if (run->num_curves > 0) {
            write_curves(run, out);
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
write_figure(
    const spot_run_series_t *run, const spot_page_timeline_style_t *style, FILE *out)
{
    int ret = 0;

    fputs("<figure class=\"picture\" role=\"group\" aria-label=\"", out);
    spot_html_text(out, style->label);
    if (style->is_drawn) {
        fputs("\">\n<div class=\"static\" role=\"img\" aria-label=\"", out);
        write_what_is_drawn(run, out);
        fputs(": the tables below have the totals\">\n", out);
        ret = spot_draw_page(spot_timeline_declare, run, false, out);
    } else {
        fputs("\">\n<div class=\"static\">\n<h3>", out);
        spot_html_text(out, style->label);
        fputs("</h3>\n", out);
    }
    fputs("</div>\n<div class=\"timeline-live\" hidden></div>\n</figure>\n", out);
    return ret;
}

int
spot_page_timeline_data(
    const spot_run_series_t *run, const spot_page_timeline_style_t *style, FILE *out)
{
    int ret;

    fputs(
        "<script type=\"application/json\" class=\"timeline-data\" data-label=\"", out);
    spot_html_text(out, style->label);
    fputs("\">", out);
    ret = spot_timeline_data_write(run, style->max_rows, out);
    fputs("</script>\n", out);
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
    fputs("<div class=\"timeline\">\n", out);
    ret = write_figure(run, style, out);
    if (ret == 0) {
        ret = spot_page_timeline_data(run, style, out);
    }
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
    spot_html_element(out, "p class=\"note\"", run->note);
    fputs("\n</header>\n<main id=\"content\">\n", out);
    ret = spot_page_timeline_write(run,
        &(spot_page_timeline_style_t){"Timeline of the run", path, true, MAX_ROWS}, out,
        diag);
    fputs("</main>\n", out);
    spot_page_script_write(out, spot_page_base_js, spot_page_base_js_end);
    spot_page_script_write(out, spot_page_timeline_js, spot_page_timeline_js_end);
    fputs("</body>\n</html>\n", out);
    return ret == 0 && ferror(out) ? SPOT_ERR_IO : ret;
}
