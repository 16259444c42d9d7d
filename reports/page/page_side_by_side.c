/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/page/page_side_by_side.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "reports/page/page_cells.h"
#include "reports/page/page_internal.h"
#include "reports/side_by_side_chart.h"
#include "reports/side_by_side_text.h"
#include "reports/study_words.h"
#include "reports/table/table_html.h"

#define NAME_CHARS 120

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
    (void) spot_html_cut(out, report->head->name, NAME_CHARS);
    fprintf(out, " · %zu point%s · %s · seed %" PRIu64 "</p>\n",
        report->head->num_points, report->head->num_points == 1 ? "" : "s", words,
        report->head->seed);
}

static void
write_differs(const spot_side_by_side_t *two, FILE *out)
{
    spot_page_section_open(out, "differs", "In what they differ");
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

/* Rows that are not there are counted, and so are those of them that differ. */
static void
write_more(const spot_side_by_side_t *two, size_t metric_id, FILE *out)
{
    size_t num_marked = 0;

    for (size_t j = SPOT_PAGE_STATIC_ROWS; j < two->match.num_pairs; j++) {
        num_marked += two->changes[j * two->num_metrics + metric_id].is_marked;
    }
    fprintf(out,
        "<p class=\"note\">The first %d of %zu points; %zu of the others differ. The "
        "terminal has them all.</p>\n",
        SPOT_PAGE_STATIC_ROWS, two->match.num_pairs, num_marked);
}

static int
write_metric(const spot_side_by_side_t *two, size_t metric_id, FILE *out)
{
    const spot_shown_unit_t shown = spot_change_shown(two, metric_id);
    spot_table_t table = {.name = "metric"};
    FILE *caption = spot_table_begin_text(&table);
    char words[SPOT_WORDS_BYTES], id[32];
    int ret;

    spot_metric_words_in(spot_side_by_side_metric(two, metric_id), shown.unit, words);
    if (caption != NULL) {
        fprintf(caption, "%s: %zu of %zu points differ", words,
            spot_side_by_side_num_marked(two, metric_id), two->match.num_pairs);
    }
    spot_table_end_caption(&table, caption);
    snprintf(id, sizeof(id), "metric-%zu", metric_id);
    spot_side_by_side_table_fill(
        two, metric_id, SPOT_POINTS_BY_WORDS, SPOT_PAGE_STATIC_ROWS, &table);
    ret = spot_table_write_html(&table, id, out);
    spot_table_free(&table);
    if (SPOT_PAGE_STATIC_ROWS < two->match.num_pairs) {
        write_more(two, metric_id, out);
    }
    return ret;
}

/* The metric to look at first comes first. */
static int
write_metrics(const spot_side_by_side_t *two, FILE *out)
{
    char basis[SPOT_BASIS_BYTES];
    int ret;

    if (spot_side_by_side_problem(two) != NULL) {
        return 0;
    }
    spot_page_section_open(out, "tables", "Every point that both have");
    spot_side_by_side_basis(two, basis);
    fprintf(out,
        "<p class=\"note\">±: half width of the 95 %% confidence interval; %s. *: 0 "
        "is outside of the interval; where nothing differs, chance does that in 1 "
        "of 20.</p>\n",
        basis);
    ret = write_metric(two, two->main_id, out);
    for (size_t j = 0; ret == 0 && j < two->num_metrics; j++) {
        ret = j == two->main_id ? 0 : write_metric(two, j, out);
    }
    fputs("</section>\n", out);
    return ret;
}

static void
write_alone(const spot_side_by_side_t *two, int side, FILE *out)
{
    const size_t num_alone = two->match.num_alone[side];
    const size_t num_listed =
        num_alone < SPOT_PAGE_STATIC_ROWS ? num_alone : SPOT_PAGE_STATIC_ROWS;
    char words[SPOT_POINT_BYTES];

    if (num_alone == 0) {
        return;
    }
    fprintf(out,
        "<section><h2>Only in %s, not compared: %zu point%s</h2>\n<details>\n"
        "<summary>Show them</summary>\n<ul>\n",
        side_names[side], num_alone, num_alone == 1 ? "" : "s");
    for (size_t j = 0; j < num_listed; j++) {
        spot_point_words(two->sides[side].report->head, two->match.alone_ids[side][j],
            SPOT_POINT_BYTES - 8, words);
        spot_html_element(out, "li", words[0] == '\0' ? "the only point" : words);
        fputc('\n', out);
    }
    fputs("</ul>\n", out);
    if (num_listed < num_alone) {
        fprintf(out, "<p class=\"note\">And %zu more.</p>\n", num_alone - num_listed);
    }
    fputs("</details>\n</section>\n", out);
}

/* ---- Pictures ---- */

static int
write_pictures(const spot_side_by_side_t *two, spot_document_t *document)
{
    spot_page_picture_t pictures[] = {
        {"means", "Before and after", NULL, spot_side_by_side_declare_means, two},
        {"changes", "What changed", NULL, spot_side_by_side_declare_changes, two},
    };
    char subject[SPOT_WORDS_BYTES];
    int ret = 0;

    if (spot_side_by_side_problem(two) != NULL ||
        spot_side_by_side_plot_problem(two) != NULL) {
        return 0;
    }
    spot_metric_subject(spot_side_by_side_metric(two, two->main_id), subject);
    for (size_t j = 0; ret == 0 && j < sizeof(pictures) / sizeof(pictures[0]); j++) {
        spot_page_text_t text;

        ret = spot_page_text_begin(&text);
        if (ret != 0) {
            break;
        }
        fprintf(text.stream, "%s of %s with 95 %% confidence intervals. ",
            j == 0 ? "Estimates in A and in B" : "Differences B - A", subject);
        spot_side_by_side_outcome(two, text.stream);
        ret = spot_page_text_end(&text, 0);
        if (ret == 0) {
            pictures[j].text = text.text;
            spot_page_picture_write(&pictures[j], document);
        }
        spot_page_text_free(&text);
    }
    spot_document_end_section(document);
    return ret;
}

/* ---- Where it comes from ---- */

static void
write_origins(const spot_side_by_side_t *two, spot_document_t *document)
{
    const char *const paths[] = {
        two->sides[SPOT_BEFORE].path, two->sides[SPOT_AFTER].path};
    spot_origin_t origins[SPOT_NUM_SIDES] = {{0}, {0}};

    for (int side = 0; document->error == 0 && side < SPOT_NUM_SIDES; side++) {
        spot_document_fail(
            document, spot_origin_read(&origins[side], two->sides[side].report->store));
    }
    if (document->error == 0) {
        spot_page_origins_write(paths, origins, document);
    }
    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        spot_origin_free(&origins[side]);
    }
}

/* ---- The page ---- */

static int
write_header(const spot_side_by_side_t *two, FILE *out)
{
    spot_page_text_t answer;
    int ret;

    ret = spot_page_text_begin(&answer);
    if (ret == 0) {
        spot_side_by_side_answer(two, answer.stream);
        ret = spot_page_text_element(&answer, out, "p id=\"answer\"");
    }
    write_side(&two->sides[SPOT_BEFORE], "A, before", out);
    write_side(&two->sides[SPOT_AFTER], "B, after", out);
    fputs("</header>\n<main id=\"content\">\n", out);
    return ret;
}

int
spot_page_side_by_side_write(
    const spot_side_by_side_t *two, FILE *out, spot_diag_t *diag)
{
    spot_document_t document;
    int ret;

    spot_document_to_page(&document, out);
    spot_page_head_write(out, spot_study_title(two->sides[SPOT_BEFORE].report->head));
    (void) diag;
    ret = write_header(two, out);
    if (ret == 0) {
        ret = write_pictures(two, &document);
    }
    write_differs(two, out);
    if (ret == 0) {
        ret = write_metrics(two, out);
    }
    write_alone(two, SPOT_BEFORE, out);
    write_alone(two, SPOT_AFTER, out);
    spot_document_fail(&document, ret);
    write_origins(two, &document);
    ret = spot_document_end(&document);
    fputs("</main>\n", out);
    spot_page_script_write(out, spot_page_base_js, spot_page_base_js_end);
    fputs("</body>\n</html>\n", out);
    return ret == 0 && ferror(out) ? SPOT_ERR_IO : ret;
}
