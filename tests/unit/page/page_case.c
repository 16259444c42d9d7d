/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/provenance.h"
#include "tests/unit/page/page_case.h"
#include "tests/unit/reports/sample.h"

#define MAX_DEPTH 64
#define MAX_IDS 512
#define NAME_BYTES 32

const char page_hostile[] =
    "<script>alert('1')</script>\"onload=\"x\" &amp; </td></table> \xff\x01 量 مرحبا";

/* What has been seen of a document. */
typedef struct {
    const char *place;
    int depth;
    char open[MAX_DEPTH][NAME_BYTES];
    int num_ids;
    char ids[MAX_IDS][64];
    int level; /* of the heading before */
    bool needs_caption;
    const char *problem;
} checker_t;

static void fail_at(checker_t *self, const char *problem)
{
    if (self->problem == NULL) {
        self->problem = problem;
    }
}

static bool is_void(const char *name)
{
    static const char *const names[] = {
        "meta", "br", "hr", "input", "img", "link", "col", "wbr", NULL};

    for (size_t j = 0; names[j] != NULL; j++) {
        if (strcmp(name, names[j]) == 0) {
            return true;
        }
    }
    return false;
}

static void check_entity(checker_t *self)
{
    static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;", "&nbsp;", NULL};

    for (size_t j = 0; known[j] != NULL; j++) {
        if (strncmp(self->place, known[j], strlen(known[j])) == 0) {
            return;
        }
    }
    fail_at(self, "an & that starts no entity");
}

static void check_id(checker_t *self, const char *value, size_t num_bytes)
{
    char *id = self->ids[self->num_ids];

    if (num_bytes >= sizeof(self->ids[0]) || self->num_ids + 1 == MAX_IDS) {
        fail_at(self, "too long or too many ids");
        return;
    }
    memcpy(id, value, num_bytes);
    id[num_bytes] = '\0';
    for (int j = 0; j < self->num_ids; j++) {
        if (strcmp(self->ids[j], id) == 0) {
            fail_at(self, "an id that is there already");
        }
    }
    self->num_ids++;
}

/* Passes over the attributes; *has_scope: one of them is scope. Returns what the tag
 * ends with: '>', '/' or 0. */
static char read_attributes(checker_t *self, bool *has_scope)
{
    while (*self->place != '>' && *self->place != '/' && *self->place != '\0') {
        const char *name = self->place;
        const size_t num_bytes = strcspn(name, "=> \n/\"<");

        if (isspace((unsigned char) *self->place)) {
            self->place++;
            continue;
        }
        *has_scope = *has_scope || strncmp(name, "scope=", 6) == 0;
        self->place += num_bytes;
        if (*self->place == '=') {
            const char *value = self->place + 2;
            const size_t value_bytes = strcspn(value, "\"<");

            if (num_bytes == 0 || self->place[1] != '"' || value[value_bytes] != '"') {
                fail_at(self, "an attribute that is not quoted");
                return 0;
            }
            if (num_bytes == 2 && strncmp(name, "id", 2) == 0) {
                check_id(self, value, value_bytes);
            }
            self->place = value + value_bytes + 1;
        } else if (num_bytes == 0) {
            fail_at(self, "no attribute where there must be one");
            return 0;
        }
    }
    return *self->place;
}

/* Rules of single elements. */
static void check_element(checker_t *self, const char *name, bool has_scope)
{
    if (self->needs_caption && strcmp(name, "caption") != 0) {
        fail_at(self, "a table without a caption");
    }
    self->needs_caption = strcmp(name, "table") == 0;
    if (strcmp(name, "th") == 0 && !has_scope) {
        fail_at(self, "a head cell without a scope");
    }
    if (name[0] == 'h' && name[1] >= '1' && name[1] <= '6' && name[2] == '\0') {
        if (self->level > 0 && name[1] - '0' > self->level + 1) {
            fail_at(self, "a heading that is too deep");
        }
        self->level = name[1] - '0';
    }
}

static void close_element(checker_t *self, const char *name)
{
    if (self->depth == 0 || strcmp(self->open[self->depth - 1], name) != 0) {
        fail_at(self, "an end of something that is not open");
    } else {
        self->depth--;
    }
    if (*self->place != '>') {
        fail_at(self, "an end tag with something in it");
    }
}

/* Text of scripts and styles is no markup. */
static void pass_raw(checker_t *self, const char *name)
{
    char end[NAME_BYTES + 4];

    snprintf(end, sizeof(end), "</%s>", name);
    if (strcmp(name, "script") == 0 || strcmp(name, "style") == 0) {
        const char *place = strstr(self->place, end);

        self->place = place == NULL ? self->place : place - 1;
    }
}

static void check_tag(checker_t *self)
{
    const bool is_end = self->place[1] == '/';
    char name[NAME_BYTES];
    bool has_scope = false;
    size_t num_bytes;
    char last;

    self->place += is_end ? 2 : 1;
    num_bytes = strcspn(self->place, "> \n/<");
    if (num_bytes == 0 || num_bytes >= sizeof(name)) {
        fail_at(self, "a < that starts no tag");
        return;
    }
    memcpy(name, self->place, num_bytes);
    name[num_bytes] = '\0';
    self->place += num_bytes;
    if (is_end) {
        close_element(self, name);
        return;
    }
    last = read_attributes(self, &has_scope);
    check_element(self, name, has_scope);
    if (last == '/') {
        self->place++;
    } else if (last == '\0') {
        fail_at(self, "a tag without an end");
    } else if (!is_void(name) && self->depth + 1 < MAX_DEPTH) {
        strcpy(self->open[self->depth++], name);
        pass_raw(self, name);
    }
}

const char *page_problem(const char *html)
{
    static checker_t self; /* too large for a stack */

    self = (checker_t){.place = html};
    if (strncmp(html, "<!DOCTYPE html>", 15) == 0) {
        self.place += 15;
    }
    for (; *self.place != '\0' && self.problem == NULL; self.place++) {
        if (*self.place == '<') {
            check_tag(&self);
        } else if (*self.place == '&') {
            check_entity(&self);
        } else if (*self.place == '>') {
            fail_at(&self, "a > outside of a tag");
        }
        if (*self.place == '\0') {
            break;
        }
    }
    if (self.depth > 0) {
        fail_at(&self, "something that is not closed");
    }
    return self.problem;
}

void page_check(const char *html)
{
    const char *problem = page_problem(html);

    if (problem != NULL) {
        fail_msg("%s in:\n%s", problem, html);
    }
}

char *page_part(const spot_store_t *store, const spot_origin_t *origin, const char *part)
{
    static const spot_origin_t nothing = {0};
    static const spot_series_list_t no_series = {0};
    spot_report_t report = sample_report(store);
    const spot_page_source_t source = {.path = "/home/ada/it's.db", .report = &report};
    spot_document_t document;
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);
    const spot_page_t page = {.source = &source,
        .report = &report,
        .head = store->head,
        .origin = origin == NULL ? &nothing : origin,
        .series = &no_series,
        .document = &document,
        .out = out};
    bool has_part = true;

    assert_non_null(out);
    assert_int_equal(spot_report_read_pairs(&report), 0);
    spot_document_to_page(&document, out);
    if (strcmp(part, "warnings") == 0) {
        spot_page_doubts_write(&page);
    } else {
        has_part = spot_page_part_write(&page, part);
    }
    assert_int_equal(spot_document_end(&document), 0);
    assert_int_equal(fclose(out), 0);
    spot_report_free(&report);
    if (!has_part) {
        free(text);
        return NULL;
    }
    page_check(text);
    return text;
}

/* The program that made the page is another one each day. */
static void hide_version(char *text)
{
    char made_by[128];
    char *place;

    snprintf(
        made_by, sizeof(made_by), "spotsim %s %s", spot_build_info.version, spot_build_info.commit);
    place = strstr(text, made_by);
    if (place != NULL) {
        memcpy(place, "spotsim VERSION", 15);
        memmove(place + 15, place + strlen(made_by), strlen(place + strlen(made_by)) + 1);
    }
}

void page_assert_golden(
    const spot_store_t *store, const spot_origin_t *origin, const char *part, const char *name)
{
    char *text = page_part(store, origin, part);

    assert_non_null(text);
    hide_version(text);
    sample_assert_golden(name, text);
    free(text);
}
