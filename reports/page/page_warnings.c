/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What makes the results doubtful: a line before them that opens. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "reports/page/page_cells.h"
#include "reports/page/page_internal.h"
#include "reports/row_warnings.h"
#include "reports/study_words.h"
#include "reports/unable.h"

#define MAX_POINTS 5 /* that are named, those with the most of what is wrong first */
#define POINT_CHARS 120

/* A point, and how many of its replications are of the kind that is told. */
typedef struct {
    size_t point_id;
    int64_t num_bad;
} doubt_t;

static int64_t
num_nulls(const spot_page_t *page, size_t point_id, size_t metric_id)
{
    return spot_report_summary(page->report, point_id, metric_id)->num_nulls;
}

static int64_t
num_missing(const spot_page_t *page, size_t point_id, size_t unused)
{
    (void) unused;
    return spot_study_point_replications(page->head, point_id) -
           page->report->store->num_rows(page->report->store, point_id);
}

static int64_t
num_warned(const spot_page_t *page, size_t point_id, size_t warning_id)
{
    return page->report->store->num_warned(page->report->store, point_id, warning_id);
}

typedef int64_t (*count_t)(const spot_page_t *page, size_t point_id, size_t id);

static int64_t
count_all(const spot_page_t *page, count_t count, size_t id)
{
    int64_t num_bad = 0;

    for (size_t j = 0; j < page->head->num_points; j++) {
        num_bad += count(page, j, id);
    }
    return num_bad;
}

static int
compare_doubts(const void *a, const void *b)
{
    const doubt_t *x = a, *y = b;

    if (x->num_bad != y->num_bad) {
        return x->num_bad < y->num_bad ? 1 : -1;
    }
    return x->point_id < y->point_id ? -1 : x->point_id > y->point_id;
}

/* A cell with "3 of 22 points", and the first of them below it. NO_MEMORY. */
static int
write_points_cell(const spot_page_t *page, count_t count, size_t id)
{
    const spot_study_head_t *head = page->head;
    doubt_t *doubts = spot_calloc(head->num_points, sizeof(*doubts));
    char words[SPOT_POINT_BYTES];
    size_t num_doubts = 0;

    if (doubts == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < head->num_points; j++) {
        const int64_t num_bad = count(page, j, id);

        if (num_bad > 0) {
            doubts[num_doubts++] = (doubt_t){j, num_bad};
        }
    }
    qsort(doubts, num_doubts, sizeof(*doubts), compare_doubts);
    fprintf(page->out, "<td>%zu of ", num_doubts);
    spot_page_count(page->out, (int64_t) head->num_points, "point");
    if (head->num_axes > 0) {
        fputs(":\n<ul>\n", page->out);
        for (size_t j = 0; j < num_doubts && j < MAX_POINTS; j++) {
            spot_point_words(head, doubts[j].point_id, POINT_CHARS, words);
            fputs("<li>", page->out);
            spot_html_text(page->out, words);
            fprintf(page->out, " (%" PRId64 ")</li>\n", doubts[j].num_bad);
        }
        if (num_doubts > MAX_POINTS) {
            fprintf(page->out, "<li>%zu more</li>\n", num_doubts - MAX_POINTS);
        }
        fputs("</ul>\n", page->out);
    }
    fputs("</td>", page->out);
    free(doubts);
    return 0;
}

/* "12 of 440 (2.7 %)". */
static void
write_share_cell(const spot_page_t *page, int64_t num_bad)
{
    const int64_t num_rows = page->report->num_rows;
    const double percent = 100 * (double) num_bad / (double) num_rows;

    fprintf(page->out,
        "<td class=\"number\" data-value=\"%" PRId64 "\">%" PRId64 " of %" PRId64 " (",
        num_bad, num_bad, num_rows);
    fprintf(page->out, percent < 9.95 ? "%.2g&nbsp;%%)</td>" : "%.0f&nbsp;%%)</td>",
        percent);
}

/* ---- What is missing ---- */

static void
write_unfinished(const spot_page_t *page)
{
    const spot_study_head_t *head = page->head;
    const spot_completeness_t *completeness = &page->completeness;
    FILE *out = page->out;

    fputs("<li><strong>The study is not finished:</strong> ", out);
    if (head->optimise.metric != NULL) {
        fputs("its race is not over, ", out);
        spot_page_count(out, (int64_t) completeness->num_unfinished, "point");
        fputs(" may still win", out);
    } else if (head->until.metric != NULL) {
        fprintf(out, "%zu of ", completeness->num_unfinished);
        spot_page_count(out, (int64_t) head->num_points, "point");
        fputs(" need more replications", out);
    } else {
        fprintf(out, "%" PRId64 " of %" PRId64 " replications are there",
            completeness->num_rows, spot_study_runs(head, head->num_replications));
    }
    fputs(". Run the same command again: it runs what is missing.</li>\n", out);
}

static void
write_imprecise(const spot_page_t *page)
{
    const spot_study_head_t *head = page->head;
    FILE *out = page->out;

    fprintf(out,
        "<li><strong>The precision that was asked for is not reached</strong> at %zu "
        "of ",
        page->completeness.num_imprecise);
    spot_page_count(out, (int64_t) head->num_points, "point");
    fprintf(out,
        ", which have %" PRId64 " replications, the maximum: ", head->num_replications);
    spot_html_text(out, head->until.metric);
    fputs(" is known less well there. Raise replications.max.</li>\n", out);
}

static void
write_constant(const spot_page_t *page)
{
    const spot_study_head_t *head = page->head;
    const int64_t rarest = page->completeness.fewest_constant / 3;
    FILE *out = page->out;

    fputs("<li>", out);
    spot_html_text(out, head->until.metric);
    fprintf(out, " is the same in all replications at %zu of ",
        page->completeness.num_constant);
    spot_page_count(out, (int64_t) head->num_points, "point");
    fprintf(out,
        ": what is rarer than 1 in %" PRId64 " may be missing there. Raise "
        "replications.min.</li>\n",
        rarest < 1 ? 1 : rarest);
}

static void
write_unable(const spot_page_t *page)
{
    char text[SPOT_UNABLE_BYTES];

    for (size_t kind_id = 0; spot_unable_next(page->head, &kind_id, text);) {
        spot_html_element(page->out, "li", text);
        fputc('\n', page->out);
    }
}

static size_t
count_lines(const spot_page_t *page)
{
    const spot_completeness_t *completeness = &page->completeness;
    char text[SPOT_UNABLE_BYTES];
    size_t num_lines = 0;

    for (size_t kind_id = 0; spot_unable_next(page->head, &kind_id, text);) {
        num_lines++;
    }
    num_lines += completeness->num_unfinished > 0;
    num_lines += completeness->num_imprecise > 0;
    num_lines += completeness->num_constant > 0;
    return num_lines + (completeness->num_rows == 0 || completeness->most < 2);
}

static void
write_doubts(const spot_page_t *page)
{
    const spot_completeness_t *completeness = &page->completeness;

    if (count_lines(page) == 0) {
        return;
    }
    fputs("<ul>\n", page->out);
    write_unable(page);
    if (completeness->num_unfinished > 0) {
        write_unfinished(page);
    }
    if (completeness->num_imprecise > 0) {
        write_imprecise(page);
    }
    if (completeness->num_constant > 0) {
        write_constant(page);
    }
    if (completeness->num_rows == 0) {
        fputs("<li>There are no results yet.</li>\n", page->out);
    } else if (completeness->most < 2) {
        fputs("<li><strong>There are no intervals:</strong> they take two replications "
              "of a point. How much chance there is in the numbers is not "
              "known.</li>\n",
            page->out);
    }
    fputs("</ul>\n", page->out);
}

/* Points that lack replications; where the study decides how many there are, nobody
 * knows. */
static int
write_missing(const spot_page_t *page)
{
    const spot_study_head_t *head = page->head;
    int ret;

    if (page->completeness.num_unfinished == 0 || head->until.metric != NULL ||
        head->optimise.metric != NULL || head->num_axes == 0) {
        return 0;
    }
    spot_page_table_open(page->out, "missing-table", "Replications that are missing");
    fputs("<thead><tr><th scope=\"col\">missing</th><th scope=\"col\">where "
          "(replications)</th></tr></thead>\n<tbody>\n<tr>",
        page->out);
    spot_page_count_cell(page->out, count_all(page, num_missing, 0));
    ret = write_points_cell(page, num_missing, 0);
    fputs("</tr>\n</tbody>\n", page->out);
    spot_page_table_close(page->out);
    return ret;
}

/* ---- What was met ---- */

static int64_t
sum_of(const spot_page_t *page, count_t count, size_t num_ids)
{
    int64_t sum = 0;

    for (size_t j = 0; j < num_ids; j++) {
        sum += count_all(page, count, j);
    }
    return sum;
}

static int
write_warnings(const spot_page_t *page)
{
    const spot_study_head_t *head = page->head;
    FILE *out = page->out;
    int ret = 0;

    if (sum_of(page, num_warned, head->num_warnings) == 0) {
        return 0;
    }
    spot_page_table_open(out, "warnings-table",
        "Warnings: replications that met what a model is not for");
    fputs("<thead><tr><th scope=\"col\">warning</th><th scope=\"col\">what it means</th>"
          "<th scope=\"col\">replications</th><th scope=\"col\">where "
          "(replications)</th></tr></thead>\n<tbody>\n",
        out);
    for (size_t j = 0; ret == 0 && j < head->num_warnings; j++) {
        const int64_t num_bad = count_all(page, num_warned, j);

        if (num_bad > 0) {
            fputs("<tr><th scope=\"row\">", out);
            spot_html_element(out, "code", head->warnings[j].name);
            fputs("</th>", out);
            spot_html_element(out, "td", head->warnings[j].text);
            write_share_cell(page, num_bad);
            ret = write_points_cell(page, num_warned, j);
            fputs("</tr>\n", out);
        }
    }
    fputs("</tbody>\n", out);
    spot_page_table_close(out);
    return ret;
}

/* ---- What is undefined ---- */

static int
write_nulls(const spot_page_t *page)
{
    const spot_study_head_t *head = page->head;
    FILE *out = page->out;
    char words[SPOT_WORDS_BYTES];
    int ret = 0;

    if (sum_of(page, num_nulls, head->num_listed) == 0) {
        return 0;
    }
    spot_page_table_open(out, "nulls-table",
        "Metrics that are undefined in some replications: their means are of the "
        "others, which may be the lucky ones");
    fputs("<thead><tr><th scope=\"col\">metric</th><th scope=\"col\">replications "
          "without it</th><th scope=\"col\">where (replications)</th></tr></thead>\n"
          "<tbody>\n",
        out);
    for (size_t j = 0; ret == 0 && j < head->num_listed; j++) {
        const int64_t num_bad = count_all(page, num_nulls, j);

        if (num_bad > 0) {
            spot_metric_words(&head->metrics[j], words);
            fputs("<tr>", out);
            spot_html_element(out, "th scope=\"row\"", words);
            write_share_cell(page, num_bad);
            ret = write_points_cell(page, num_nulls, j);
            fputs("</tr>\n", out);
        }
    }
    fputs("</tbody>\n", out);
    spot_page_table_close(out);
    return ret;
}

/* ---- All of them ---- */

static size_t
count_doubts(const spot_page_t *page)
{
    size_t num_doubts = count_lines(page);

    for (size_t j = 0; j < page->head->num_warnings; j++) {
        num_doubts += count_all(page, num_warned, j) > 0;
    }
    for (size_t j = 0; j < page->head->num_listed; j++) {
        num_doubts += count_all(page, num_nulls, j) > 0;
    }
    return num_doubts;
}

int
spot_page_doubts_write(const spot_page_t *page)
{
    const size_t num_doubts = count_doubts(page);
    int ret;

    if (num_doubts == 0) {
        return 0;
    }
    fprintf(page->out,
        "<details id=\"warnings\">\n<summary>%zu %s these numbers</summary>\n",
        num_doubts, num_doubts == 1 ? "doubt about" : "doubts about");
    write_doubts(page);
    ret = write_missing(page);
    if (ret == 0) {
        ret = write_warnings(page);
    }
    if (ret == 0) {
        ret = write_nulls(page);
    }
    fputs("</details>\n", page->out);
    return ret;
}
