/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/page/page_parts.h"

#include <sha2.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "base/verb/chart.h"
#include "reports/chart/svg.h"
#include "reports/markup/html.h"

/* Of a question as heading and of a name; a longer question follows as a whole. */
#define HEADING_CHARS 400
#define NAME_CHARS 120

/* Of SHA-256 in base64, and a NUL. */
#define HASH_BYTES 45

extern const char spot_page_css[], spot_page_css_end[]; /* page.css */

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

/* ---- Pictures ---- */

void spot_page_picture_write(const spot_page_picture_t *picture, spot_document_t *document)
{
    spot_chart_t *chart = spot_chart_new();
    FILE *out = document->out;
    const char *title = picture->title;
    int ret = chart == NULL ? SPOT_ERR_NO_MEMORY : picture->declare(chart, picture->context);

    if (ret == 0) {
        title = title != NULL ? title : chart->title;
        if (picture->name != NULL) {
            spot_document_section(document, picture->name, title);
        } else {
            spot_document_heading(document, title);
        }
        fputs("<figure class=\"picture\" role=\"group\">\n<div "
              "class=\"static\" role=\"img\" tabindex=\"0\" aria-label=\"",
            out);
        spot_html_text(out, chart->description);
        fputs("\">\n", out);
        ret = spot_draw_page(picture->declare, picture->context, false, out);
        fputs("</div>\n</figure>\n", out);
    }
    spot_document_fail(document, ret);
    spot_chart_free(chart);
}

/* ---- JSON for scripts ---- */

/* Bytes of what stands at text and has to go; 0: it stays. A control character as JSON
 * escapes it is \u00HH, or short as \n is. */
static size_t unseen_bytes(const char *text)
{
    const size_t length = spot_utf8_length(text, strnlen(text, 4));

    if (*text != '\\') {
        return length > 0 && spot_is_unseen(text, length) ? length : 0;
    }
    if (strncmp(text, "\\u00", 4) == 0) {
        return 6;
    }
    return text[1] != '\0' && strchr("bfnrt", text[1]) != NULL ? 2 : 0;
}

void spot_page_json_escaped(FILE *out, const char *text)
{
    while (*text != '\0') {
        const size_t num_unseen = unseen_bytes(text);
        const size_t num_kept = *text == '\\' ? 2 : 1;

        if (num_unseen > 0) {
            putc(' ', out);
        } else if (*text == '<') {
            fputs("\\u003c", out);
        } else {
            fwrite(text, 1, num_kept, out);
        }
        text += num_unseen > 0 ? num_unseen : num_kept;
    }
}
