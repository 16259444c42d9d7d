/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two stores side by side on one page. */
#include "reports/page/page.h"
#include "reports/page/page_internal.h"
#include "reports/words.h"

static void write_pictures(const spot_side_by_side_t *two, spot_document_t *document)
{
    static const char *const words[] = {"Estimates in A and in B", "Differences B - A"};
    spot_page_picture_t pictures[] = {
        {"means", "Before and after", NULL, spot_side_by_side_declare_means, two},
        {"changes", "What changed", NULL, spot_side_by_side_declare_changes, two},
    };
    spot_texts_t *texts = &document->texts;

    if (spot_side_by_side_problem(two) != NULL || spot_side_by_side_plot_problem(two) != NULL) {
        return;
    }
    for (size_t j = 0; j < sizeof(pictures) / sizeof(pictures[0]); j++) {
        pictures[j].text = spot_texts_add(texts, "%s of %s with 95 %% confidence intervals. %s",
            words[j], spot_words_subject(texts, spot_side_by_side_metric(two, two->main_id)),
            spot_side_by_side_outcome(two, texts));
        spot_page_picture_write(&pictures[j], document);
    }
}

static void write_origins(const spot_side_by_side_t *two, spot_document_t *document)
{
    const char *const paths[] = {two->sides[SPOT_BEFORE].path, two->sides[SPOT_AFTER].path};
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

int spot_page_side_by_side_write(const spot_side_by_side_t *two, FILE *out)
{
    const spot_page_asset_t script = {spot_page_base_js, spot_page_base_js_end};
    spot_page_frame_t frame;
    spot_document_t document;
    FILE *body;
    int ret = spot_page_frame_begin(
        &frame, spot_study_title(two->sides[SPOT_BEFORE].report->head), &body);

    if (ret == 0) {
        spot_document_to_page(&document, body);
        spot_html_element(body, "p id=\"answer\"", spot_side_by_side_answer(two, &document.texts));
        fputc('\n', body);
        spot_side_by_side_write_sides(two, &document);
        fputs("</header>\n<main id=\"content\">\n", body);
        write_pictures(two, &document);
        spot_side_by_side_write(two, SPOT_PAGE_STATIC_ROWS, &document);
        write_origins(two, &document);
        spot_document_end_section(&document);
        fputs("</main>\n", body);
        ret = spot_document_end(&document);
    }
    return spot_page_frame_end(&frame, ret, &script, 1, out);
}
