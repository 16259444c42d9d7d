/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/page/page_side_by_side.h"

#include <inttypes.h>
#include <string.h>

#include "reports/page/page_internal.h"
#include "reports/side_by_side_text.h"
#include "reports/study_words.h"
#include "reports/value_label.h"

static const char *const side_names[] = {"A", "B"};

static void
write_side(const spot_side_t *side, const char *name, FILE *out)
{
    const spot_report_t *report = side->report;
    char words[SPOT_WORDS_BYTES];

    spot_replications_words(report->head, report->min_rows, report->max_rows, words);
    fprintf(out, "<p class=\"note\">%s: ", name);
    spot_html_element(out, "code", side->path);
    fputs(", ", out);
    spot_html_text(out, report->head->name);
    fprintf(out, " · %zu point%s · %s · seed %" PRIu64 "</p>\n",
        report->head->num_points, report->head->num_points == 1 ? "" : "s", words,
        report->head->seed);
}

static void
write_differs(const spot_side_by_side_t *two, FILE *out)
{
    fputs("<section id=\"differs\" aria-labelledby=\"differs-title\">\n"
          "<h2 id=\"differs-title\">In what they differ</h2>\n",
        out);
    if (two->num_sentences == 0) {
        fputs("<p>B has the same scenario and the same points as A.</p>\n", out);
    } else {
        fputs("<p>B differs from A in:</p>\n<ul>\n", out);
        for (size_t j = 0; j < two->num_sentences; j++) {
            spot_html_element(out, "li", two->sentences[j]);
            fputc('\n', out);
        }
        fputs("</ul>\n", out);
    }
    fputs("</section>\n", out);
}

static void
write_row(const spot_side_by_side_t *two, size_t pair_id, size_t metric_id,
    const spot_change_decimals_t *decimals, FILE *out)
{
    const spot_change_t *change = &two->changes[pair_id * two->num_metrics + metric_id];
    char label[SPOT_VALUE_LABEL_BYTES];
    spot_change_words_t words;

    fputs("<tr>", out);
    for (size_t j = 0; j < two->match.num_keys; j++) {
        const size_t *axis_ids = two->match.keys[j].axis_ids;
        const int side =
            axis_ids[SPOT_BEFORE] == SPOT_NO_AXIS ? SPOT_AFTER : SPOT_BEFORE;

        spot_html_element(out, "th scope=\"row\"",
            spot_point_label(two->sides[side].report->head,
                two->match.point_ids[side][pair_id], axis_ids[side], label));
    }
    spot_change_words(change, decimals, &words);
    spot_html_element(out, "td", words.means[SPOT_BEFORE]);
    spot_html_element(out, "td", words.means[SPOT_AFTER]);
    spot_html_element(
        out, change->is_marked ? "td class=\"marked\"" : "td", words.difference);
    spot_html_element(out, "td", words.ratio);
    fputs("</tr>\n", out);
}

static void
write_metric(const spot_side_by_side_t *two, size_t metric_id, FILE *out)
{
    static const char *const titles[] = {"A", "B", "B − A", "change"};
    const spot_change_decimals_t decimals = spot_change_decimals(two, metric_id, false);
    char words[SPOT_WORDS_BYTES];

    spot_metric_words(spot_side_by_side_metric(two, metric_id), words);
    fputs("<div class=\"scroll\">\n<table>\n<caption>", out);
    spot_html_text(out, words);
    fprintf(out, ": %zu of %zu points differ</caption>\n<thead><tr>",
        spot_side_by_side_num_marked(two, metric_id), two->match.num_pairs);
    for (size_t j = 0; j < two->match.num_keys; j++) {
        spot_html_element(out, "th scope=\"col\"", two->match.keys[j].path);
    }
    for (size_t j = 0; j < sizeof(titles) / sizeof(titles[0]); j++) {
        spot_html_element(out, "th scope=\"col\"", titles[j]);
    }
    fputs("</tr></thead>\n<tbody>\n", out);
    for (size_t j = 0; j < two->match.num_pairs; j++) {
        write_row(two, j, metric_id, &decimals, out);
    }
    fputs("</tbody>\n</table>\n</div>\n", out);
}

/* The metric to look at first comes first. */
static void
write_metrics(const spot_side_by_side_t *two, FILE *out)
{
    char basis[SPOT_BASIS_BYTES];

    fputs("<section id=\"changes\" aria-labelledby=\"changes-title\">\n"
          "<h2 id=\"changes-title\">What that does</h2>\n",
        out);
    if (two->match.num_pairs == 0 || two->num_metrics == 0) {
        fputs("<p>No point or no metric is in both: there is nothing to compare.</p>\n",
            out);
    } else {
        spot_side_by_side_basis(two, basis);
        fprintf(out,
            "<p class=\"note\">±: half width of the 95 %% confidence interval; %s. *: 0 "
            "is outside of the interval; where nothing differs, chance does that in 1 "
            "of 20.</p>\n",
            basis);
        write_metric(two, two->main_id, out);
        for (size_t j = 0; j < two->num_metrics; j++) {
            if (j != two->main_id) {
                write_metric(two, j, out);
            }
        }
    }
    fputs("</section>\n", out);
}

static void
write_alone(const spot_side_by_side_t *two, int side, FILE *out)
{
    char words[SPOT_POINT_BYTES];

    if (two->match.num_alone[side] == 0) {
        return;
    }
    fprintf(out, "<section><h2>Only in %s, not compared</h2>\n<ul>\n", side_names[side]);
    for (size_t j = 0; j < two->match.num_alone[side]; j++) {
        spot_point_words(two->sides[side].report->head, two->match.alone_ids[side][j],
            SPOT_POINT_BYTES - 8, words);
        spot_html_element(out, "li", words[0] == '\0' ? "the only point" : words);
        fputc('\n', out);
    }
    fputs("</ul></section>\n", out);
}

int
spot_page_side_by_side_write(const spot_side_by_side_t *two, FILE *out)
{
    const char *title = spot_study_title(two->sides[SPOT_BEFORE].report->head);

    spot_page_head_write(out, title);
    fputs("<header>\n", out);
    spot_html_element(out, "h1", title);
    fputc('\n', out);
    write_side(&two->sides[SPOT_BEFORE], "A, before", out);
    write_side(&two->sides[SPOT_AFTER], "B, after", out);
    fputs("</header>\n<main>\n", out);
    write_differs(two, out);
    write_metrics(two, out);
    write_alone(two, SPOT_BEFORE, out);
    write_alone(two, SPOT_AFTER, out);
    fputs("</main>\n</body>\n</html>\n", out);
    return ferror(out) ? SPOT_ERR_IO : 0;
}
