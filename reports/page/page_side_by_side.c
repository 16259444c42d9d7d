/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/page/page_side_by_side.h"

#include "reports/page/page_internal.h"
#include "reports/study_words.h"
#include "reports/words.h"

#define HEADING_CHARS 400

static int
write_pictures(const spot_side_by_side_t *two, spot_document_t *document)
{
    static const char *const words[] = {"Estimates in A and in B", "Differences B - A"};
    spot_page_picture_t pictures[] = {
        {"means", "Before and after", NULL, spot_side_by_side_declare_means, two},
        {"changes", "What changed", NULL, spot_side_by_side_declare_changes, two},
    };
    spot_texts_t *texts = &document->texts;
    int ret = 0;

    if (spot_side_by_side_problem(two) != NULL ||
        spot_side_by_side_plot_problem(two) != NULL) {
        return 0;
    }
    for (size_t j = 0; ret == 0 && j < sizeof(pictures) / sizeof(pictures[0]); j++) {
        pictures[j].text = spot_texts_add(texts,
            "%s of %s with 95 %% confidence intervals. %s", words[j],
            spot_words_subject(texts, spot_side_by_side_metric(two, two->main_id)),
            spot_side_by_side_outcome(two, texts));
        ret = spot_page_picture_write(&pictures[j], document->out);
    }
    return ret;
}

static int
write_origins(const spot_side_by_side_t *two, FILE *out, spot_diag_t *diag)
{
    static const char *const ids[] = {"a", "b"};
    spot_origin_t origins[SPOT_NUM_SIDES] = {{0}, {0}};
    spot_page_source_t sources[SPOT_NUM_SIDES];
    spot_page_t pages[SPOT_NUM_SIDES];
    int ret = 0;

    for (int side = 0; ret == 0 && side < SPOT_NUM_SIDES; side++) {
        const spot_side_t *read = &two->sides[side];

        ret = spot_origin_read(&origins[side], read->report->store);
        sources[side] = (spot_page_source_t){read->path, read->report};
        pages[side] = (spot_page_t){.source = &sources[side],
            .report = read->report,
            .head = read->report->head,
            .origin = &origins[side],
            .out = out,
            .diag = diag,
            .side = ids[side]};
    }
    if (ret == 0) {
        ret = spot_page_origin_of_two(pages);
    }
    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        spot_origin_free(&origins[side]);
    }
    return ret;
}

int
spot_page_side_by_side_write(
    const spot_side_by_side_t *two, FILE *out, spot_diag_t *diag)
{
    const char *title = spot_study_title(two->sides[SPOT_BEFORE].report->head);
    spot_document_t document;
    int ret;

    spot_document_to_page(&document, out);
    spot_page_head_write(out, title);
    fputs("<header>\n<h1><bdi>", out);
    (void) spot_html_cut(out, title, HEADING_CHARS);
    fputs("</bdi></h1>\n", out);
    spot_html_element(
        out, "p id=\"answer\"", spot_side_by_side_answer(two, &document.texts));
    fputc('\n', out);
    spot_side_by_side_write_sides(two, &document);
    fputs("</header>\n<main>\n", out);
    spot_document_fail(&document, write_pictures(two, &document));
    spot_side_by_side_write(two, SPOT_PAGE_STATIC_ROWS, &document);
    ret = spot_document_end(&document);
    if (ret == 0) {
        ret = write_origins(two, out, diag);
    }
    fputs("</main>\n", out);
    spot_page_script_write(out, spot_page_sort_js, spot_page_sort_js_end);
    fputs("</body>\n</html>\n", out);
    return ret == 0 && ferror(out) ? SPOT_ERR_IO : ret;
}
