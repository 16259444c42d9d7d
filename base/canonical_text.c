/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <sha2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/canonical.h"
#include "base/canonical_internal.h"
#include "base/memory.h"
#include "base/units.h"
#include "base/utf8.h"

#define INDENT 2
#define LONG_KEY_BYTES 500 /* libyaml reads a key of up to 1024 before its colon */

/* ---- Scalars ---- */

static bool
is_number(const char *text)
{
    double number;

    return spot_number_parse(text, &number) == 0;
}

static bool
is_letter(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
}

static bool
is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* Whether a text needs no quotes, wherever it stands: stricter than YAML is. */
static bool
is_plain(const char *text)
{
    const size_t length = strlen(text);

    if (is_number(text)) {
        return true;
    }
    if (length == 0 || text[length - 1] == ' ' ||
        !(is_letter(*text) || is_digit(*text) || *text == '/')) {
        return false;
    }
    for (size_t j = 0; j < length; j++) {
        if (!is_letter(text[j]) && !is_digit(text[j]) &&
            strchr(" ./+-", text[j]) == NULL) {
            return false;
        }
    }
    return true;
}

static uint32_t
code_point(const char *text, size_t length)
{
    static const unsigned char masks[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t code = (unsigned char) text[0] & masks[length];

    for (size_t j = 1; j < length; j++) {
        code = code << 6 | ((unsigned char) text[j] & 0x3f);
    }
    return code;
}

/* Whether YAML lets a character stand within double quotes and keeps it as it is: no
 * control, no line break, no byte order mark. */
static bool
is_shown(uint32_t code)
{
    return (code >= 0x20 && code < 0x7f) ||
           (code >= 0xa0 && code <= 0xfffd && code != 0x2028 && code != 0x2029 &&
               code != 0xfeff) ||
           code >= 0x10000;
}

/* The next character in double quotes; text moves behind it. A byte that is not UTF-8,
 * which no document has, is shown as a character. */
static char *
put_character(char *end, const char **text, size_t num_left)
{
    const size_t length = spot_utf8_length(*text, num_left);
    const uint32_t code =
        length == 0 ? (unsigned char) **text : code_point(*text, length);

    if (code == '"' || code == '\\') {
        end += sprintf(end, "\\%c", (char) code);
    } else if (length > 0 && is_shown(code)) {
        memcpy(end, *text, length);
        end += length;
    } else {
        end += sprintf(end, code < 0x100 ? "\\x%02X" : "\\u%04X", (unsigned) code);
    }
    *text += length == 0 ? 1 : length;
    return end;
}

static char *
quoted(const char *text)
{
    const char *last = text + strlen(text);
    char *scalar = malloc(4 * (size_t) (last - text) + 3);
    char *end = scalar;

    if (scalar == NULL) {
        return NULL;
    }
    *end++ = '"';
    while (*text != '\0') {
        end = put_character(end, &text, (size_t) (last - text));
    }
    *end++ = '"';
    *end = '\0';
    return scalar;
}

char *
spot_canonical_scalar(const char *text, bool is_text)
{
    const bool is_quoted = *text == '\0' || is_number(text) ? is_text : !is_plain(text);

    return is_quoted ? quoted(text) : spot_text_copy(text, strlen(text));
}

/* ---- Writing ---- */

typedef struct {
    const spot_canonical_entry_t *entries;
    FILE *out;
} writer_t;

/* The end of the key or the index at the start of a path's rest. */
static size_t
part_bytes(const char *path)
{
    size_t num_bytes = path[0] == '[';

    if (num_bytes > 0) {
        return strcspn(path, "]") + 1;
    }
    while (path[num_bytes] != '\0' && path[num_bytes] != '.' && path[num_bytes] != '[') {
        num_bytes += path[num_bytes] == '\\' ? 2 : 1;
    }
    return num_bytes;
}

/* The first entry from first on, before end, that does not start as first does. */
static size_t
group_end(const writer_t *self, size_t first, size_t end, size_t num_bytes)
{
    const char *start = self->entries[first].path;
    size_t last = first + 1;

    while (last < end && strncmp(self->entries[last].path, start, num_bytes) == 0 &&
           strchr(".[", self->entries[last].path[num_bytes]) != NULL) {
        last++;
    }
    return last;
}

/* "key:"; a key that is too long for that has a mark before it. */
static int
write_key(const writer_t *self, const char *part, size_t num_bytes, int depth)
{
    char *key = spot_canonical_key_text(part, num_bytes);
    char *scalar = key == NULL ? NULL : spot_canonical_scalar(key, *key == '\0');

    free(key);
    if (scalar == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    if (strlen(scalar) > LONG_KEY_BYTES) {
        fprintf(
            self->out, "%*s? %s\n%*s:", INDENT * depth, "", scalar, INDENT * depth, "");
    } else {
        fprintf(self->out, "%*s%s:", INDENT * depth, "", scalar);
    }
    free(scalar);
    return 0;
}

/* Entries from first on, before end, which are alike up to offset: the children of a map
 * or of a list. */
static int
write_children(const writer_t *self, size_t first, size_t end, size_t offset, int depth)
{
    int ret = 0;

    while (ret == 0 && first < end) {
        const char *part = self->entries[first].path + offset;
        const size_t num_bytes = part_bytes(part);
        const size_t last = group_end(self, first, end, offset + num_bytes);

        if (*part == '[') {
            fprintf(self->out, "%*s-", INDENT * depth, "");
        } else {
            ret = write_key(self, part, num_bytes, depth);
        }
        if (part[num_bytes] == '\0') {
            const char *text = self->entries[first].text;

            fprintf(self->out, "%s%s\n", *text == '\0' ? "" : " ", text);
        } else {
            putc('\n', self->out);
            ret = ret != 0
                      ? ret
                      : write_children(self, first, last,
                            offset + num_bytes + (part[num_bytes] == '.'), depth + 1);
        }
        first = last;
    }
    return ret;
}

int
spot_canonical_write(const spot_canonical_t *self, FILE *out)
{
    const writer_t writer = {.entries = self->entries, .out = out};

    if (self->num_entries == 0) {
        fputs("{}\n", out);
    }
    return write_children(&writer, 0, self->num_entries, 0, 0);
}

char *
spot_canonical_text(const spot_canonical_t *self)
{
    char *text = NULL;
    size_t num_bytes = 0;
    FILE *stream = open_memstream(&text, &num_bytes);
    int ret;

    if (stream == NULL) {
        return NULL;
    }
    ret = spot_canonical_write(self, stream);
    if (fclose(stream) != 0 || ret != 0) {
        free(text);
        return NULL;
    }
    return text;
}

int
spot_canonical_hash(const spot_canonical_t *self, char sha256[SPOT_SHA256_TEXT_BYTES])
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

/* As it stands: it is canonical already. */
static char *
scalar_as_is(const void *context, const spot_node_t *node)
{
    (void) context;
    return spot_canonical_scalar(node->text, node->is_quoted);
}

int
spot_canonical_parse(
    spot_canonical_t *self, const char *file, const char *text, spot_diag_t *diag)
{
    spot_canonical_path_t path = {0};
    spot_yaml_t document;
    int ret = spot_yaml_parse(&document, file, text, strlen(text), diag);

    memset(self, 0, sizeof(*self));
    if (ret == 0 && document.root->kind != SPOT_NODE_MAP) {
        spot_diag_error(diag, file, 0, 0, "expected a map of keys");
        ret = SPOT_ERR_BAD_INPUT;
    }
    if (ret == 0 && document.root->num_children > 0) {
        ret = spot_canonical_append_tree(self, &path, document.root, scalar_as_is, NULL);
    }
    ret = ret == 0 ? spot_canonical_sort(self) : ret;
    free(path.bytes);
    spot_yaml_free(&document);
    return ret;
}
