/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/page/page.h"
#include "reports/answer.h"

#include <sha2.h>
#include <stdlib.h>

#include "reports/chart/svg.h"
#include "reports/page/page_internal.h"
#include "reports/words.h"

/* Of a question as heading and of a name; a longer question follows as a whole. */
#define HEADING_CHARS 400
#define NAME_CHARS 120

/* Of SHA-256 in base64, and a NUL. */
#define HASH_BYTES 45

/* In the order in which they run. */
static const spot_page_asset_t scripts[] = {
    {spot_page_chart, spot_page_chart_end},
    {spot_page_base_js, spot_page_base_js_end},
    {spot_page_js, spot_page_js_end},
    {spot_page_explorer_js, spot_page_explorer_js_end},
    {spot_page_table_js, spot_page_table_js_end},
    {spot_page_lanes_js, spot_page_lanes_js_end},
    {spot_page_timeline_js, spot_page_timeline_js_end},
};

/* ---- The frame ---- */

static void write_asset(FILE *out, const spot_page_asset_t *asset)
{
    fwrite(asset->start, 1, (size_t) (asset->end - asset->start), out);
}

static void write_base64(const uint8_t digest[SHA256_DIGEST_LENGTH], char text[HASH_BYTES])
{
    static const char signs[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t j = 0; j < SHA256_DIGEST_LENGTH; j += 3) {
        const size_t num_bytes = SHA256_DIGEST_LENGTH - j < 3 ? SHA256_DIGEST_LENGTH - j : 3;
        unsigned bits = 0;

        for (size_t k = 0; k < 3; k++) {
            bits = bits << 8 | (k < num_bytes ? digest[j + k] : 0U);
        }
        for (size_t k = 0; k < 4; k++) {
            *text++ = k <= num_bytes ? signs[bits >> (18 - 6 * k) & 63U] : '=';
        }
    }
    *text = '\0';
}

/* A source of a policy: the content of an element, which is a line feed and the bytes. */
static void write_hash(FILE *out, const char *bytes, size_t num_bytes)
{
    uint8_t digest[SHA256_DIGEST_LENGTH];
    char text[HASH_BYTES];
    SHA2_CTX context;

    SHA256Init(&context);
    SHA256Update(&context, (const uint8_t *) "\n", 1);
    SHA256Update(&context, (const uint8_t *) bytes, num_bytes);
    SHA256Final(digest, &context);
    write_base64(digest, text);
    fprintf(out, " 'sha256-%s'", text);
}

/* Nothing can be fetched or sent, and nothing else runs, whatever the page holds. */
static void write_head(const spot_page_frame_t *self, const char *style, size_t style_bytes,
    const spot_page_asset_t *assets, size_t num_assets, FILE *out)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src",
        out);
    write_hash(out, style, style_bytes);
    fputs("; script-src", out);
    for (size_t j = 0; j < num_assets; j++) {
        write_hash(out, assets[j].start, (size_t) (assets[j].end - assets[j].start));
    }
    fputs("; img-src data:; form-action 'none'; base-uri 'none'\">\n<title>", out);
    (void) spot_html_cut(out, self->title, NAME_CHARS);
    fputs("</title>\n<style>\n", out);
    fwrite(style, 1, style_bytes, out);
    fputs("</style>\n</head>\n", out);
}

int spot_page_frame_begin(spot_page_frame_t *self, const char *title, FILE **body)
{
    *self = (spot_page_frame_t){.title = title};
    self->body = open_memstream(&self->text, &self->num_bytes);
    *body = self->body;
    if (self->body == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    fputs("<body>\n<a class=\"skip\" href=\"#content\">Skip to the pictures</a>\n"
          "<header>\n<h1><bdi>",
        self->body);
    if (spot_html_cut(self->body, title, HEADING_CHARS)) {
        fputs("</bdi></h1>\n<details>\n<summary>In full</summary>\n", self->body);
        spot_html_element(self->body, "p dir=\"auto\"", title);
        fputs("\n</details>\n", self->body);
    } else {
        fputs("</bdi></h1>\n", self->body);
    }
    return 0;
}

/* The style into memory, the head, and all that is there. */
static int write_all(
    spot_page_frame_t *self, const spot_page_asset_t *assets, size_t num_assets, FILE *out)
{
    const spot_page_asset_t css = {spot_page_css, spot_page_css_end};
    char *style = NULL;
    size_t style_bytes = 0;
    FILE *stream = open_memstream(&style, &style_bytes);
    int ret = stream == NULL ? SPOT_ERR_NO_MEMORY : 0;

    if (ret == 0) {
        write_asset(stream, &css);
        ret = spot_chart_svg_style(self->text, self->num_bytes, stream);
        ret = fclose(stream) != 0 && ret == 0 ? SPOT_ERR_NO_MEMORY : ret;
    }
    if (ret == 0) {
        write_head(self, style, style_bytes, assets, num_assets, out);
        fwrite(self->text, 1, self->num_bytes, out);
        for (size_t j = 0; j < num_assets; j++) {
            fputs("<script>\n", out);
            write_asset(out, &assets[j]);
            fputs("</script>\n", out);
        }
        fputs("</body>\n</html>\n", out);
        ret = ferror(out) ? SPOT_ERR_IO : 0;
    }
    free(style);
    return ret;
}

int spot_page_frame_end(
    spot_page_frame_t *self, int ret, const spot_page_asset_t *assets, size_t num_assets, FILE *out)
{
    if (self->body != NULL && fclose(self->body) != 0 && ret == 0) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    if (ret == 0) {
        ret = write_all(self, assets, num_assets, out);
    }
    free(self->text);
    *self = (spot_page_frame_t){0};
    return ret;
}

/* Question, answer, and what both rest on. */
static void write_summary(const spot_page_t *page)
{
    spot_texts_t *texts = &page->document->texts;
    FILE *out = page->out, *answer = spot_texts_begin(texts);

    if (answer != NULL && page->source->preface == NULL) {
        spot_document_fail(page->document, spot_answer_write(page->report, answer));
    }
    spot_html_element(out, "p id=\"answer\"", spot_texts_end(texts, answer));
    fputs("\n<p class=\"note\"><bdi>", out);
    (void) spot_html_cut(out, page->head->name, NAME_CHARS);
    fprintf(out, "</bdi> · %s · %s · seed %llu</p>\n",
        spot_words_count(texts, (int64_t) page->head->num_points, "point"),
        spot_words_replications(texts, page->report), (unsigned long long) page->head->seed);
    if (page->head->assumed.num_items > 0) {
        spot_html_element(out, "p id=\"assumed\" class=\"note\"",
            spot_assumed_words(texts, &page->head->assumed));
        fputs("\n", out);
    }
    spot_page_doubts_write(page);
    fputs("</header>\n<main id=\"content\">\n", out);
}

/* ---- All ---- */

static int write_page(const spot_page_t *page)
{
    write_summary(page);
    if (page->source->preface != NULL) {
        page->source->preface->write(page->source->preface->context, page->document);
        spot_document_end_section(page->document);
    }
    spot_page_sections_write(page);
    spot_document_end_section(page->document);
    fputs("</main>\n", page->out);
    spot_page_data_write(page->report, page->document);
    return spot_document_end(page->document);
}

int spot_page_write(const spot_page_source_t *source, FILE *out)
{
    const spot_report_t *report = source->report;
    spot_origin_t origin = {0};
    spot_series_list_t series = {0};
    spot_page_frame_t frame;
    spot_document_t document;
    spot_page_t page = {.source = source,
        .report = report,
        .head = report->head,
        .origin = &origin,
        .series = &series,
        .document = &document};
    int ret = spot_page_frame_begin(&frame, spot_study_title(report->head), &page.out);

    if (ret == 0) {
        ret = spot_origin_read(&origin, report->store);
    }
    if (ret == 0) {
        ret = spot_series_list_read(&series, report->store);
    }
    if (ret == 0) {
        spot_document_to_page(&document, page.out);
        ret = write_page(&page);
    }
    ret = spot_page_frame_end(&frame, ret, scripts, sizeof(scripts) / sizeof(scripts[0]), out);
    spot_series_list_free(&series);
    spot_origin_free(&origin);
    return ret;
}
