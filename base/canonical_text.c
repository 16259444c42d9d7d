/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <sha2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/canonical_internal.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/units.h"

#define INDENT 2
#define LONG_KEY_BYTES 500 /* libyaml reads a key of up to 1024 before its colon */

/* ---- Scalars ---- */

/* Whether a text needs no quotes in any place. Stricter than YAML. */
static bool is_plain(const char *text)
{
    static const char first[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789/. +-";
    const size_t length = strlen(text);

    const bool is_signed = text[0] == '-' && text[1] >= '0' && text[1] <= '9';

    return length > 0 && text[strspn(text, first)] == '\0' &&
           (is_signed || strchr(". +-", text[0]) == NULL) && text[length - 1] != ' ';
}

static char *quoted(const char *text)
{
    char *scalar = NULL;
    size_t num_bytes = 0;
    FILE *stream = open_memstream(&scalar, &num_bytes);
    bool is_whole;

    if (stream == NULL) {
        return NULL;
    }
    spot_json_quote(stream, text, true);
    is_whole = ferror(stream) == 0;
    if (fclose(stream) != 0 || !is_whole) {
        free(scalar);
        scalar = NULL;
    }
    return scalar;
}

char *spot_canonical_scalar(const char *text, bool is_text)
{
    double number;
    const bool is_free = *text == '\0' || spot_number_parse(text, &number) == 0;

    return (is_free ? is_text : !is_plain(text)) ? quoted(text)
                                                 : spot_text_copy(text, strlen(text));
}

/* ---- Writing ---- */

/* Writes "key:". A key too long for libyaml gets "? " before it. */
static int write_key(const char *part, size_t num_bytes, int indent, FILE *out)
{
    char *key = spot_canonical_key_text(part, num_bytes);
    char *scalar = key == NULL ? NULL : spot_canonical_scalar(key, *key == '\0');

    free(key);
    if (scalar == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    if (strlen(scalar) > LONG_KEY_BYTES) {
        fprintf(out, "%*s? %s\n%*s:", indent, "", scalar, indent, "");
    } else {
        fprintf(out, "%*s%s:", indent, "", scalar);
    }
    free(scalar);
    return 0;
}

/* Writes the keys and indices that the previous entry lacks, one a line, and the value
 * after the last one. */
static int write_entry(const spot_canonical_entry_t *entry, const char *before, FILE *out)
{
    const char *path = entry->path, *part = path;
    bool is_new = false;
    int ret = 0;

    for (int indent = 0; ret == 0 && *part != '\0'; indent += INDENT) {
        const size_t num_bytes = spot_canonical_part_bytes(part);
        const size_t length = (size_t) (part - path) + num_bytes;

        is_new =
            is_new || strncmp(path, before, length) != 0 || strchr(".[", before[length]) == NULL;
        if (is_new && *part == '[') {
            fprintf(out, "%*s-", indent, "");
        } else if (is_new) {
            ret = write_key(part, num_bytes, indent, out);
        }
        part = path + length;
        if (is_new && *part != '\0') {
            putc('\n', out);
        }
        part += *part == '.';
    }
    fprintf(out, "%s%s\n", *entry->text == '\0' ? "" : " ", entry->text);
    return ret;
}

char *spot_canonical_text(const spot_canonical_t *self)
{
    char *text = NULL;
    size_t num_bytes = 0;
    FILE *stream = open_memstream(&text, &num_bytes);
    int ret = 0;

    if (stream == NULL) {
        return NULL;
    }
    fputs(self->num_entries == 0 ? "{}\n" : "", stream);
    for (size_t j = 0; ret == 0 && j < self->num_entries; j++) {
        ret = write_entry(&self->entries[j], j == 0 ? "" : self->entries[j - 1].path, stream);
    }
    ret = ferror(stream) ? SPOT_ERR_NO_MEMORY : ret;
    if (fclose(stream) != 0 || ret != 0) {
        free(text);
        return NULL;
    }
    return text;
}

int spot_canonical_hash(const spot_canonical_t *self, char sha256[SPOT_SHA256_TEXT_BYTES])
{
    char *text = spot_canonical_text(self);

    if (text == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    SHA256Data((const uint8_t *) text, strlen(text), sha256);
    free(text);
    return 0;
}

/* ---- Reading ---- */

int spot_canonical_parse(
    spot_canonical_t *self, const char *file, const char *text, spot_diag_t *diag)
{
    spot_yaml_t document;
    int ret = spot_yaml_parse(&document, file, text, strlen(text), diag);

    memset(self, 0, sizeof(*self));
    if (ret == 0 && document.root->kind != SPOT_NODE_MAP) {
        ret = spot_diag_error(diag, file, 0, 0, "expected a map of keys");
    }
    if (ret == 0 && document.root->num_children > 0) { /* canonical already */
        ret = spot_canonical_append_node(self, "", document.root);
    }
    ret = ret == 0 ? spot_canonical_sort(self) : ret;
    spot_yaml_free(&document);
    return ret;
}
