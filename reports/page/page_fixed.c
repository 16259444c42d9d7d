/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scenario as every point had it: all keys, defaults included, with their units. */
#include <stdbool.h>
#include <string.h>

#include "base/canonical.h"
#include "reports/key_unit.h"
#include "reports/page/page_cells.h"
#include "reports/page/page_internal.h"

#define MAX_ITEMS 8   /* of a list, that are not folded */
#define MAX_BYTES 200 /* of a text, that is not folded */

/* What is told elsewhere on the page, or is no parameter. */
static bool
is_scenario(const char *path)
{
    static const char *const others[] = {
        "keep", "metrics", "order", "replications", "sweep", SPOT_CANONICAL_FILES, NULL};
    const size_t num_bytes = strcspn(path, ".[");

    for (size_t j = 0; others[j] != NULL; j++) {
        if (strlen(others[j]) == num_bytes && strncmp(others[j], path, num_bytes) == 0) {
            return false;
        }
    }
    return true;
}

/* Bytes of the path of the list that an entry lies within, the outermost one; all of the
 * path where there is none. Brackets within a key have a \ before them. */
static size_t
stem_bytes(const char *path)
{
    size_t j = 0;

    while (path[j] != '\0' && path[j] != '[') {
        j += path[j] == '\\' && path[j + 1] != '\0' ? 2 : 1;
    }
    return j;
}

/* The entry behind the last of the list that this one is in, or behind this one. */
static size_t
list_end(const spot_canonical_t *self, size_t first)
{
    const char *path = self->entries[first].path;
    const size_t num_bytes = stem_bytes(path);
    size_t end = first + 1;

    while (path[num_bytes] == '[' && end < self->num_entries &&
           strncmp(self->entries[end].path, path, num_bytes + 1) == 0) {
        end++;
    }
    return end;
}

/* "[3].mean" is shown before a value; of plain lists nothing. */
static bool
is_plain_item(const char *item)
{
    const char *bracket = strchr(item, ']');

    return bracket != NULL && bracket[1] == '\0';
}

static void
write_items(const spot_canonical_t *self, size_t first, size_t end, FILE *out)
{
    const size_t stem = stem_bytes(self->entries[first].path);

    for (size_t j = first; j < end; j++) {
        const char *item = self->entries[j].path + stem;

        fputs(j == first ? "" : ", ", out);
        if (!is_plain_item(item)) {
            spot_html_text(out, item);
            fputs(" = ", out);
        }
        spot_html_text(out, self->entries[j].text);
    }
}

/* All of a long value can be unfolded. */
static void
open_cell(bool is_folded, size_t count, const char *words, FILE *out)
{
    fputs("<td>", out);
    if (is_folded) {
        fprintf(out, "<details><summary>%zu %s</summary>", count, words);
    }
}

static void
close_cell(bool is_folded, FILE *out)
{
    fputs(is_folded ? "</details></td>" : "</td>", out);
}

/* A value with its unit in a cell of its own; a list as a whole. */
static void
write_value(const spot_canonical_t *self, size_t first, size_t end, FILE *out)
{
    const char *text = self->entries[first].text;
    const char *unit = "";
    size_t num_bytes;
    bool is_folded;

    if (end > first + 1) {
        is_folded = end - first > MAX_ITEMS;
        open_cell(is_folded, end - first, "values", out);
        write_items(self, first, end, out);
    } else {
        unit = spot_key_unit(self->entries[first].path, text, &num_bytes);
        is_folded = num_bytes > MAX_BYTES;
        open_cell(is_folded, num_bytes, "bytes", out);
        spot_html_bytes(out, text, num_bytes);
    }
    close_cell(is_folded, out);
    spot_html_element(out, "td", unit);
}

/* Keys with the same first word stand together under it, if they have more words. */
static void
write_group(const char *path, FILE *out)
{
    const size_t num_bytes = strcspn(path, ".");

    fputs("<tbody>\n", out);
    if (path[num_bytes] == '.') {
        fputs("<tr><th scope=\"rowgroup\" colspan=\"3\">", out);
        spot_page_path(out, path, num_bytes);
        fputs("</th></tr>\n", out);
    }
}

static bool
is_same_group(const char *a, const char *b)
{
    const size_t num_bytes = strcspn(a, ".[");

    return num_bytes == strcspn(b, ".[") && strncmp(a, b, num_bytes) == 0;
}

static void
write_entries(const spot_canonical_t *self, FILE *out)
{
    const char *before = NULL;

    for (size_t j = 0, end; j < self->num_entries; j = end) {
        const char *path = self->entries[j].path;

        end = list_end(self, j);
        if (!is_scenario(path)) {
            continue;
        }
        if (before == NULL || !is_same_group(before, path)) {
            fputs(before == NULL ? "" : "</tbody>\n", out);
            write_group(path, out);
        }
        before = path;
        fputs("<tr><th scope=\"row\">", out);
        spot_page_path(out, path, stem_bytes(path));
        fputs("</th>", out);
        write_value(self, j, end, out);
        fputs("</tr>\n", out);
    }
    fputs(before == NULL ? "" : "</tbody>\n", out);
}

int
spot_page_fixed_write(const spot_page_t *page)
{
    FILE *out = page->out;
    spot_canonical_t canonical = {0};
    spot_diag_t diag;
    int ret;

    if (page->origin->canonical == NULL) {
        return 0;
    }
    spot_diag_init(&diag);
    ret = spot_canonical_parse(
        &canonical, page->source->path, page->origin->canonical, &diag);
    if (ret == 0) {
        fputs("<details>\n<summary>What was fixed</summary>\n", out);
        spot_page_table_open(out, "fixed-table",
            "The scenario of all points, defaults included, without the keys above");
        fputs("<thead><tr><th scope=\"col\">key</th><th scope=\"col\">value</th>"
              "<th scope=\"col\">unit</th></tr></thead>\n",
            out);
        write_entries(&canonical, out);
        fputs("</table>\n</div>\n</details>\n", out);
    } else if (ret == SPOT_ERR_BAD_INPUT) {
        fputs("<p class=\"note\">The text of the study in the database cannot be "
              "read; it stands at the end of this page as it is.</p>\n",
            out);
        ret = 0;
    }
    spot_canonical_free(&canonical);
    spot_diag_free(&diag);
    return ret;
}
